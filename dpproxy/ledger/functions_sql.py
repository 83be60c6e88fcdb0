"""The ledger's functions, as SQL: locks, periods, and what owners do. The one that charges is in `charge_sql.py`.
`migrations.py` makes them anew for each version of the schema.

*One lock.* `dp_ledger.periods` has a row for each party (an analyst or a budget group) and each kind of reset. Whoever
charges, grants or resets locks the party's row first, reads the clock and the account's label after that, and holds the
lock to the end of the transaction. So a charge is wholly before a reset or wholly after it, and two proxies agree on
the period. Rows are locked in the order of their key, so that no two transactions wait for each other. The accounting
is compared under the lock too: it may be changed as long as there is no charge, by who has locked the whole table.

*Limits* are worked out by the caller, of the terms that hold and of what was granted, since ρ is no linear function of
ε. What they were worked out of is compared under the lock: where it has changed since, nothing is done and the caller
is told.

*Labels.* `ever`, `2026-11-22`, `2026-W47`, `2026-11` (UTC), `data:VERSION` with each # doubled; after `dpproxy budget
reset` the same with #2, #3 and so on. Different periods have different labels: a run of # before a final number is of
odd length only where it was reset.
"""

from __future__ import annotations

from typing import Final

# Tests put another clock in its place.
CLOCK: Final = """
CREATE FUNCTION dp_ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.clock_timestamp()';
"""

# Functions without a search_path of their own are called by those with one, which costs less. What reads resets is
# volatile: it sees what was committed while the lock was waited for.
# `since`: the first day of a period of this kind, NULL where periods are not of time. Months and ISO weeks are those of
# UTC, whatever the time zone of the server or of the session.
PERIODS: Final = """
CREATE FUNCTION dp_ledger.period_unit(p_reset text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_reset WHEN 'daily' THEN 'day' WHEN 'weekly' THEN 'week' WHEN 'monthly' THEN 'month' END
$$;

CREATE FUNCTION dp_ledger.period_since(p_reset text, p_kept date) RETURNS date LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    unit text := dp_ledger.period_unit(p_reset);
BEGIN
    IF unit IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN greatest(p_kept, date_trunc(unit, dp_ledger.clock() AT TIME ZONE 'UTC')::date);
END $$;

CREATE FUNCTION dp_ledger.period_ends(p_reset text, p_since date) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    RETURN (p_since + ('1 ' || dp_ledger.period_unit(p_reset))::interval) AT TIME ZONE 'UTC';
END $$;

CREATE FUNCTION dp_ledger.period_label(p_reset text, p_data_version text, p_since date) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    CASE p_reset
        WHEN 'never' THEN RETURN 'ever';
        WHEN 'daily' THEN RETURN to_char(p_since::timestamp, 'YYYY-MM-DD');
        WHEN 'weekly' THEN RETURN to_char(p_since::timestamp, 'IYYY"-W"IW');
        WHEN 'monthly' THEN RETURN to_char(p_since::timestamp, 'YYYY-MM');
        WHEN 'data_version' THEN RETURN 'data:' || replace(p_data_version, '#', '##');
    END CASE;
END $$;

CREATE FUNCTION dp_ledger.account_label(p_kind text, p_name text, p_period text) RETURNS text LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    latest integer := (SELECT max(r.number) FROM dp_ledger.resets r
                       WHERE r.kind = p_kind AND r.name = p_name AND r.period = p_period);
BEGIN
    RETURN p_period || coalesce('#' || latest, '');
END $$;

CREATE FUNCTION dp_ledger.durably(p_wait integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('lock_timeout', p_wait::text, true);
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END $$;

CREATE FUNCTION dp_ledger.seize(p_kinds text[], p_names text[], p_resets text[], p_data_version text, p_wait integer,
    p_accounting text, OUT periods text[], OUT ends timestamptz[])
LANGUAGE plpgsql AS $$
DECLARE
    party record;
    first date;
    current_label text;
BEGIN
    PERFORM dp_ledger.durably(p_wait);
    IF EXISTS (SELECT FROM unnest(p_kinds, p_names, p_resets) AS p (kind, name, reset) WHERE NOT EXISTS (
            SELECT FROM dp_ledger.periods h WHERE h.kind = p.kind AND h.name = p.name AND h.reset = p.reset)) THEN
        INSERT INTO dp_ledger.periods (kind, name, reset)
            SELECT * FROM unnest(p_kinds, p_names, p_resets) AS p (kind, name, reset)
            ORDER BY p.kind COLLATE "C", p.name COLLATE "C", p.reset COLLATE "C" ON CONFLICT DO NOTHING;
    END IF;
    FOR party IN
        SELECT p.n, h.kind, h.name, h.reset, h.since, h.label
        FROM unnest(p_kinds, p_names, p_resets) WITH ORDINALITY AS p (kind, name, reset, n)
        JOIN dp_ledger.periods h ON h.kind = p.kind AND h.name = p.name AND h.reset = p.reset
        ORDER BY h.kind, h.name, h.reset FOR UPDATE OF h
    LOOP
        first := dp_ledger.period_since(party.reset, party.since);
        current_label := dp_ledger.account_label(
            party.kind, party.name, dp_ledger.period_label(party.reset, p_data_version, first));
        IF current_label IS DISTINCT FROM party.label OR first IS DISTINCT FROM party.since THEN
            UPDATE dp_ledger.periods h SET since = first, label = current_label
                WHERE h.kind = party.kind AND h.name = party.name AND h.reset = party.reset;
            INSERT INTO dp_ledger.accounts (kind, name, period)
                VALUES (party.kind, party.name, current_label) ON CONFLICT DO NOTHING;
        END IF;
        periods[party.n] := current_label;
        ends[party.n] := dp_ledger.period_ends(party.reset, first);
    END LOOP;
    IF p_accounting IS DISTINCT FROM (SELECT l.accounting FROM dp_ledger.ledger l) THEN
        RAISE EXCEPTION 'the ledger does not hold charges under % accounting', p_accounting;
    END IF;
END $$;
"""

# A grant is for the account that the owner saw. An adoption is of the terms that the owner saw: `p_seen` is the latest
# that there was, and whoever was said to be unused must be so still; no charge is under way meanwhile.
OWNERS: Final = """
CREATE FUNCTION dp_ledger.standing(p_kind text, p_name text, p_reset text, p_data_version text,
    OUT period text, OUT ends timestamptz, OUT main numeric, OUT delta numeric, OUT granted_epsilon numeric,
    OUT granted_delta numeric)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first date := dp_ledger.period_since(p_reset, (
        SELECT h.since FROM dp_ledger.periods h WHERE h.kind = p_kind AND h.name = p_name AND h.reset = p_reset));
BEGIN
    period := dp_ledger.account_label(p_kind, p_name, dp_ledger.period_label(p_reset, p_data_version, first));
    SELECT coalesce(sum(a.main), 0), coalesce(sum(a.delta), 0), coalesce(sum(a.granted_epsilon), 0),
           coalesce(sum(a.granted_delta), 0)
        INTO main, delta, granted_epsilon, granted_delta
        FROM dp_ledger.accounts a WHERE a.kind = p_kind AND a.name = p_name AND a.period = standing.period;
    ends := dp_ledger.period_ends(p_reset, first);
END $$;

CREATE FUNCTION dp_ledger.in_force(p_kinds text[], p_names text[], p_resets text[], p_data_version text)
RETURNS TABLE (n bigint, adoption bigint, adopted_reset text, adopted_epsilon numeric, adopted_delta numeric,
    reset text, period text, ends timestamptz, main numeric, delta numeric, granted_epsilon numeric,
    granted_delta numeric)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
        SELECT p.n, t.id, t.meaning, t.epsilon, t.delta, r.reset, s.*
        FROM unnest(p_kinds, p_names, p_resets) WITH ORDINALITY AS p (kind, name, reset, n)
        LEFT JOIN LATERAL (SELECT a.* FROM dp_ledger.adoptions a WHERE a.kind = p.kind AND a.name = p.name
            ORDER BY a.id DESC LIMIT 1) AS t ON true
        CROSS JOIN LATERAL (SELECT t.meaning WHERE t.meaning IS NOT NULL UNION SELECT p.reset) AS r (reset)
        CROSS JOIN LATERAL dp_ledger.standing(p.kind, p.name, r.reset, p_data_version) AS s
        ORDER BY p.n, r.reset IS DISTINCT FROM t.meaning;
END $$;

CREATE FUNCTION dp_ledger.unused(p_kind text, p_name text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF p_kind IN ('analyst', 'budget') THEN
        RETURN NOT EXISTS (SELECT FROM dp_ledger.accounts a WHERE a.kind = p_kind AND a.name = p_name AND (
            a.main > 0 OR a.delta > 0 OR a.charges > 0 OR a.granted_epsilon > 0 OR a.granted_delta > 0));
    END IF;
    RETURN NOT EXISTS (SELECT FROM dp_ledger.charges);
END $$;

CREATE FUNCTION dp_ledger.adopt(
    p_wait integer, p_seen bigint, p_digest bytea, p_document text, p_command text,
    p_kinds text[], p_names text[], p_meanings text[], p_epsilons numeric[], p_deltas numeric[], p_unused boolean[])
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    policy_id bigint;
    adoption_id bigint;
    term record;
BEGIN
    PERFORM dp_ledger.durably(p_wait);
    LOCK TABLE dp_ledger.periods IN EXCLUSIVE MODE;
    IF p_seen <> (SELECT coalesce(max(t.id), 0) FROM dp_ledger.adoptions t) OR EXISTS (
            SELECT FROM unnest(p_kinds, p_names, p_unused) AS u (kind, name, unused)
            WHERE u.unused AND NOT dp_ledger.unused(u.kind, u.name)) THEN
        RETURN false;
    END IF;
    INSERT INTO dp_ledger.policies (digest, document, command) VALUES (p_digest, p_document, p_command)
        RETURNING policies.id INTO STRICT policy_id;
    PERFORM dp_ledger.link('policy', policy_id);
    FOR term IN
        SELECT * FROM unnest(p_kinds, p_names, p_meanings, p_epsilons, p_deltas) WITH ORDINALITY
            AS t (kind, name, meaning, epsilon, delta, n) ORDER BY t.n
    LOOP
        INSERT INTO dp_ledger.adoptions (policy, kind, name, meaning, epsilon, delta)
            VALUES (policy_id, term.kind, term.name, term.meaning, term.epsilon, term.delta)
            RETURNING adoptions.id INTO STRICT adoption_id;
        PERFORM dp_ledger.link('adoption', adoption_id);
    END LOOP;
    RETURN true;
END $$;

CREATE FUNCTION dp_ledger.approve(p_wait integer, p_names text[], p_columns text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    seen record;
    approval_id bigint;
BEGIN
    PERFORM dp_ledger.durably(p_wait);
    FOR seen IN SELECT * FROM unnest(p_names, p_columns) AS s (name, columns) ORDER BY s.name COLLATE "C" LOOP
        INSERT INTO dp_ledger.approvals (name, columns) VALUES (seen.name, seen.columns) ON CONFLICT DO NOTHING
            RETURNING approvals.id INTO approval_id;
        IF FOUND THEN
            PERFORM dp_ledger.link('approval', approval_id);
        END IF;
    END LOOP;
END $$;

CREATE FUNCTION dp_ledger.grant_more(
    p_analyst text, p_reset text, p_data_version text, p_wait integer, p_accounting text,
    p_period text, p_had_epsilon numeric, p_had_delta numeric, p_epsilon numeric, p_delta numeric)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    grant_id bigint;
BEGIN
    IF (SELECT s.periods[1] <> p_period FROM dp_ledger.seize(
            ARRAY['analyst'], ARRAY[p_analyst], ARRAY[p_reset], p_data_version, p_wait, p_accounting) AS s) THEN
        RETURN false;
    END IF;
    UPDATE dp_ledger.accounts a SET granted_epsilon = a.granted_epsilon + p_epsilon,
            granted_delta = a.granted_delta + p_delta
        WHERE a.kind = 'analyst' AND a.name = p_analyst AND a.period = p_period
            AND a.granted_epsilon = p_had_epsilon AND a.granted_delta = p_had_delta;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO dp_ledger.grants (analyst, period, epsilon, delta) VALUES (p_analyst, p_period, p_epsilon, p_delta)
        RETURNING grants.id INTO STRICT grant_id;
    PERFORM dp_ledger.link('grant', grant_id);
    RETURN true;
END $$;

CREATE FUNCTION dp_ledger.begin_anew(
    p_kind text, p_name text, p_reset text, p_data_version text, p_wait integer, p_accounting text)
RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base text;
    reset_id bigint;
BEGIN
    PERFORM dp_ledger.seize(ARRAY[p_kind], ARRAY[p_name], ARRAY[p_reset], p_data_version, p_wait, p_accounting);
    base := dp_ledger.period_label(p_reset, p_data_version, (
        SELECT h.since FROM dp_ledger.periods h WHERE h.kind = p_kind AND h.name = p_name AND h.reset = p_reset));
    INSERT INTO dp_ledger.resets (kind, name, period, number)
        SELECT p_kind, p_name, base, coalesce(max(r.number), 1) + 1 FROM dp_ledger.resets r
        WHERE r.kind = p_kind AND r.name = p_name AND r.period = base
        RETURNING resets.id INTO STRICT reset_id;
    PERFORM dp_ledger.link('reset', reset_id);
    RETURN dp_ledger.account_label(p_kind, p_name, base);
END $$;

CREATE FUNCTION dp_ledger.stop_analyst(p_wait integer, p_analyst text, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    alarm_id bigint;
BEGIN
    PERFORM dp_ledger.durably(p_wait);
    INSERT INTO dp_ledger.alarms (analyst, reason) VALUES (p_analyst, p_reason) ON CONFLICT DO NOTHING
        RETURNING alarms.id INTO alarm_id;
    IF alarm_id IS NOT NULL THEN
        PERFORM dp_ledger.link('alarm', alarm_id);
    END IF;
END $$;

CREATE FUNCTION dp_ledger.clear(p_wait integer, p_analyst text, p_most integer) RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    alarm record;
    cleared text[] := '{}';
BEGIN
    PERFORM dp_ledger.durably(p_wait);
    FOR alarm IN
        UPDATE dp_ledger.alarms m SET cleared_at = clock_timestamp()
            WHERE m.cleared_at IS NULL AND (p_analyst IS NULL OR m.analyst = p_analyst)
                AND (SELECT count(*) FROM dp_ledger.alarms a WHERE a.analyst = m.analyst) <= p_most
            RETURNING m.id, m.analyst
    LOOP
        PERFORM dp_ledger.link('clear', alarm.id);
        cleared := cleared || alarm.analyst;
    END LOOP;
    RETURN cleared;
END $$;

CREATE FUNCTION dp_ledger.accept(p_wait integer, p_ledger uuid, p_number bigint, p_hash bytea) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    acceptance_id bigint;
BEGIN
    PERFORM dp_ledger.durably(p_wait);
    INSERT INTO dp_ledger.acceptances (ledger, number, hash) VALUES (p_ledger, p_number, p_hash)
        RETURNING acceptances.id INTO STRICT acceptance_id;
    PERFORM dp_ledger.link('acceptance', acceptance_id);
END $$;
"""
