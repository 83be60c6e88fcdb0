"""The ledger's functions, as SQL: the rules of charging. Every change here is a step of its own in `schema.py`.

*One lock.* `dp.periods` has a row for each party (an analyst or a budget group) and each kind of reset. Whoever
charges, grants or resets locks the party's row first, reads the clock and the account's label after that, and holds the
lock to the end of the transaction. So a charge is wholly before a reset or wholly after it, and two proxies agree on
the period. Rows are locked in the order of their key, so that no two transactions wait for each other. The accounting
is compared under the lock too: it may be changed as long as there is no charge, by who has locked the whole table.

*Labels.* `ever`, `2026-11-22`, `2026-W47`, `2026-11` (UTC), `data:VERSION` with each # doubled; after `dpproxy budget
reset` the same with #2, #3 and so on. Different periods have different labels: a run of # before a final number is of
odd length only where it was reset.
"""

from __future__ import annotations

from typing import Final

# Tests put another clock in its place.
CLOCK: Final = """
CREATE FUNCTION dp.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT pg_catalog.clock_timestamp()';
"""

# Functions without a search_path of their own are called by those with one, which costs less. What reads resets is
# volatile: it sees what was committed while the lock was waited for.
# `since`: the first day of a period of this kind, NULL where periods are not of time. Months and ISO weeks are those of
# UTC, whatever the time zone of the server or of the session.
PERIODS: Final = """
CREATE FUNCTION dp.period_unit(p_reset text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE p_reset WHEN 'daily' THEN 'day' WHEN 'weekly' THEN 'week' WHEN 'monthly' THEN 'month' END
$$;

CREATE FUNCTION dp.period_since(p_reset text, p_kept date) RETURNS date LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    unit text := dp.period_unit(p_reset);
BEGIN
    IF unit IS NULL THEN
        RETURN NULL;
    END IF;
    RETURN greatest(p_kept, date_trunc(unit, dp.clock() AT TIME ZONE 'UTC')::date);
END $$;

CREATE FUNCTION dp.period_ends(p_reset text, p_since date) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    RETURN (p_since + ('1 ' || dp.period_unit(p_reset))::interval) AT TIME ZONE 'UTC';
END $$;

CREATE FUNCTION dp.period_label(p_reset text, p_data_version text, p_since date) RETURNS text LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    CASE p_reset
        WHEN 'never' THEN RETURN 'ever';
        WHEN 'daily' THEN RETURN to_char(p_since::timestamp, 'YYYY-MM-DD');
        WHEN 'weekly' THEN RETURN to_char(p_since::timestamp, 'IYYY"-W"IW');
        WHEN 'monthly' THEN RETURN to_char(p_since::timestamp, 'YYYY-MM');
        WHEN 'data_version' THEN RETURN 'data:' || replace(p_data_version, '#', '##');
    END CASE;
END $$;

CREATE FUNCTION dp.account_label(p_kind text, p_name text, p_period text) RETURNS text LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    latest integer := (SELECT max(r.number) FROM dp.resets r
                       WHERE r.kind = p_kind AND r.name = p_name AND r.period = p_period);
BEGIN
    RETURN p_period || coalesce('#' || latest, '');
END $$;

CREATE FUNCTION dp.seize(p_kinds text[], p_names text[], p_resets text[], p_data_version text, p_wait integer,
    p_accounting text, OUT periods text[], OUT ends timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    party record;
    first date;
    current_label text;
BEGIN
    PERFORM set_config('lock_timeout', p_wait::text, true);
    IF current_setting('synchronous_commit') IN ('off', 'local') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    IF EXISTS (SELECT FROM unnest(p_kinds, p_names, p_resets) AS p (kind, name, reset) WHERE NOT EXISTS (
            SELECT FROM dp.periods h WHERE h.kind = p.kind AND h.name = p.name AND h.reset = p.reset)) THEN
        INSERT INTO dp.periods (kind, name, reset)
            SELECT * FROM unnest(p_kinds, p_names, p_resets) AS p (kind, name, reset)
            ORDER BY p.kind COLLATE "C", p.name COLLATE "C", p.reset COLLATE "C" ON CONFLICT DO NOTHING;
    END IF;
    FOR party IN
        SELECT p.n, h.kind, h.name, h.reset, h.since, h.label
        FROM unnest(p_kinds, p_names, p_resets) WITH ORDINALITY AS p (kind, name, reset, n)
        JOIN dp.periods h ON h.kind = p.kind AND h.name = p.name AND h.reset = p.reset
        ORDER BY h.kind, h.name, h.reset FOR UPDATE OF h
    LOOP
        first := dp.period_since(party.reset, party.since);
        current_label := dp.account_label(
            party.kind, party.name, dp.period_label(party.reset, p_data_version, first));
        IF current_label IS DISTINCT FROM party.label OR first IS DISTINCT FROM party.since THEN
            UPDATE dp.periods h SET since = first, label = current_label
                WHERE h.kind = party.kind AND h.name = party.name AND h.reset = party.reset;
            INSERT INTO dp.accounts (kind, name, period)
                VALUES (party.kind, party.name, current_label) ON CONFLICT DO NOTHING;
        END IF;
        periods[party.n] := current_label;
        IF party.n = 1 THEN
            ends := dp.period_ends(party.reset, first);
        END IF;
    END LOOP;
    IF p_accounting IS DISTINCT FROM (SELECT l.accounting FROM dp.ledger l) THEN
        RAISE EXCEPTION 'the ledger does not hold charges under % accounting', p_accounting;
    END IF;
END $$;
"""

# Money only ever goes up. What is compared was read after the lock, and nobody changes it without the lock.
CHARGE: Final = """
CREATE FUNCTION dp.charge(
    p_analyst text, p_reset text, p_data_version text, p_wait integer, p_accounting text,
    p_statement text, p_epsilon numeric, p_main numeric, p_delta numeric,
    p_limit_main numeric, p_limit_delta numeric, p_groups text[], p_group_mains numeric[], p_group_deltas numeric[],
    OUT id bigint, OUT period text, OUT ends timestamptz, OUT short_group text,
    OUT spent_main numeric, OUT spent_delta numeric, OUT left_main numeric, OUT left_delta numeric, OUT stopped boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kinds text[] := 'analyst'::text || array_fill('budget'::text, ARRAY[cardinality(p_groups)]);
    names text[] := p_analyst || p_groups;
    resets text[] := p_reset || array_fill('never'::text, ARRAY[cardinality(p_groups)]);
    mains numeric[] := p_limit_main || p_group_mains;
    deltas numeric[] := p_limit_delta || p_group_deltas;
    periods text[];
    paid bigint;
BEGIN
    SELECT s.periods, s.ends INTO STRICT periods, ends
        FROM dp.seize(kinds, names, resets, p_data_version, p_wait, p_accounting) AS s;
    period := periods[1];
    SELECT CASE a.kind WHEN 'budget' THEN a.name END, a.main, a.delta,
           l.main + a.granted_main - a.main, l.delta + a.granted_delta - a.delta
        INTO short_group, spent_main, spent_delta, left_main, left_delta
        FROM dp.accounts a JOIN unnest(kinds, names, periods, mains, deltas) AS l (kind, name, period, main, delta)
        ON a.kind = l.kind AND a.name = l.name AND a.period = l.period
        WHERE NOT coalesce(a.main + p_main <= l.main + a.granted_main
                           AND a.delta + p_delta <= l.delta + a.granted_delta, false)
        ORDER BY a.kind, a.name LIMIT 1;
    IF FOUND THEN
        RETURN;
    END IF;
    UPDATE dp.accounts a SET main = a.main + p_main, delta = a.delta + p_delta, charges = a.charges + 1
        FROM unnest(kinds, names, periods) AS p (kind, name, period)
        WHERE a.kind = p.kind AND a.name = p.name AND a.period = p.period;
    GET DIAGNOSTICS paid = ROW_COUNT;
    IF paid <> cardinality(kinds) THEN
        RAISE EXCEPTION 'an account is missing';
    END IF;
    SELECT a.main, a.delta, p_limit_main + a.granted_main - a.main, p_limit_delta + a.granted_delta - a.delta
        INTO STRICT spent_main, spent_delta, left_main, left_delta
        FROM dp.accounts a WHERE a.kind = 'analyst' AND a.name = p_analyst AND a.period = periods[1];
    INSERT INTO dp.charges (analyst, period, statement, epsilon, main, delta, left_main, left_delta)
        VALUES (p_analyst, periods[1], p_statement, p_epsilon, p_main, p_delta, left_main, left_delta)
        RETURNING charges.id INTO STRICT id;
    stopped := EXISTS (SELECT FROM dp.alarms m WHERE m.analyst = p_analyst AND m.cleared_at IS NULL);
END $$;
"""

# A grant is for the account that the owner saw: its amounts depend on what was granted before.
OWNERS: Final = """
CREATE FUNCTION dp.standing(p_kind text, p_name text, p_reset text, p_data_version text,
    OUT period text, OUT ends timestamptz, OUT main numeric, OUT delta numeric, OUT granted_main numeric,
    OUT granted_delta numeric, OUT granted_epsilon numeric, OUT granted_own_delta numeric)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first date := dp.period_since(
        p_reset, (SELECT h.since FROM dp.periods h WHERE h.kind = p_kind AND h.name = p_name AND h.reset = p_reset));
BEGIN
    period := dp.account_label(p_kind, p_name, dp.period_label(p_reset, p_data_version, first));
    SELECT coalesce(sum(a.main), 0), coalesce(sum(a.delta), 0), coalesce(sum(a.granted_main), 0),
           coalesce(sum(a.granted_delta), 0), coalesce(sum(a.granted_epsilon), 0), coalesce(sum(a.granted_own_delta), 0)
        INTO main, delta, granted_main, granted_delta, granted_epsilon, granted_own_delta
        FROM dp.accounts a WHERE a.kind = p_kind AND a.name = p_name AND a.period = standing.period;
    ends := dp.period_ends(p_reset, first);
END $$;

CREATE FUNCTION dp.grant_more(
    p_analyst text, p_reset text, p_data_version text, p_wait integer, p_accounting text,
    p_period text, p_had_epsilon numeric, p_had_delta numeric,
    p_epsilon numeric, p_own_delta numeric, p_main numeric, p_delta numeric)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT s.periods[1] <> p_period FROM dp.seize(
            ARRAY['analyst'], ARRAY[p_analyst], ARRAY[p_reset], p_data_version, p_wait, p_accounting) AS s) THEN
        RETURN false;
    END IF;
    UPDATE dp.accounts a SET granted_epsilon = a.granted_epsilon + p_epsilon,
            granted_own_delta = a.granted_own_delta + p_own_delta,
            granted_main = a.granted_main + p_main, granted_delta = a.granted_delta + p_delta
        WHERE a.kind = 'analyst' AND a.name = p_analyst AND a.period = p_period
            AND a.granted_epsilon = p_had_epsilon AND a.granted_own_delta = p_had_delta;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO dp.grants (analyst, period, epsilon, delta, main, own_delta)
        VALUES (p_analyst, p_period, p_epsilon, p_own_delta, p_main, p_delta);
    RETURN true;
END $$;

CREATE FUNCTION dp.begin_anew(
    p_kind text, p_name text, p_reset text, p_data_version text, p_wait integer, p_accounting text)
RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    base text;
BEGIN
    PERFORM dp.seize(ARRAY[p_kind], ARRAY[p_name], ARRAY[p_reset], p_data_version, p_wait, p_accounting);
    base := dp.period_label(p_reset, p_data_version, (
        SELECT h.since FROM dp.periods h WHERE h.kind = p_kind AND h.name = p_name AND h.reset = p_reset));
    INSERT INTO dp.resets (kind, name, period, number)
        SELECT p_kind, p_name, base, coalesce(max(r.number), 1) + 1 FROM dp.resets r
        WHERE r.kind = p_kind AND r.name = p_name AND r.period = base;
    RETURN dp.account_label(p_kind, p_name, base);
END $$;
"""
