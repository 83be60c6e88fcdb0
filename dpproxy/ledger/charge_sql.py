"""The function that charges, as SQL: several charges in one transaction, each with a verdict of its own.

Money only ever goes up. What is compared was read after the locks (see `functions_sql.py`), and nobody changes it
without them. Charges are made in their order, each after those before it; one that is refused, or whose limits were
worked out of what has changed since, leaves no trace.
"""

from __future__ import annotations

from typing import Final

# `parties` of a charge: places in p_kinds and so on. The first is the analyst's own account, which holds the charge's
# number; a group alone may be without a limit (NULL). Accounts and the head are written once for all charges: a row
# that is updated often in one transaction would leave its page.
CHARGE: Final = """
CREATE FUNCTION dp_ledger.charge(
    p_kinds text[], p_names text[], p_resets text[], p_data_version text, p_wait integer, p_accounting text,
    p_charges json)
RETURNS TABLE (id bigint, changed boolean, short integer, periods text[], ends timestamptz[],
    mains numeric[], deltas numeric[], stopped boolean)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    labels text[];
    label_ends timestamptz[];
    standing record;
    spent_mains numeric[];
    spent_deltas numeric[];
    paid_mains numeric[] := array_fill(0::numeric, ARRAY[cardinality(p_kinds)]);
    paid_deltas numeric[] := paid_mains;
    numbers bigint[] := array_fill(0::bigint, ARRAY[cardinality(p_kinds)]);
    charge record;
    party integer;
    accounts text[];
    left_main numeric;
    left_delta numeric;
    made bigint[] := '{}';
    written bigint;
BEGIN
    SELECT s.periods, s.ends INTO STRICT labels, label_ends
        FROM dp_ledger.seize(p_kinds, p_names, p_resets, p_data_version, p_wait, p_accounting) AS s;
    SELECT count(*) AS found, array_agg(a.main ORDER BY p.n) AS mains, array_agg(a.delta ORDER BY p.n) AS deltas,
           array_agg(a.granted_epsilon ORDER BY p.n) AS granted_epsilons,
           array_agg(a.granted_delta ORDER BY p.n) AS granted_deltas,
           array_agg((SELECT max(t.id) FROM dp_ledger.adoptions t WHERE t.kind = p.kind AND t.name = p.name)
               ORDER BY p.n) AS adoptions
        INTO STRICT standing
        FROM unnest(p_kinds, p_names, labels) WITH ORDINALITY AS p (kind, name, period, n)
        JOIN dp_ledger.accounts a ON a.kind = p.kind AND a.name = p.name AND a.period = p.period;
    IF standing.found <> cardinality(p_kinds) THEN
        RAISE EXCEPTION 'an account is missing';
    END IF;
    spent_mains := standing.mains;
    spent_deltas := standing.deltas;
    FOR charge IN
        SELECT * FROM ROWS FROM (json_to_recordset(p_charges) AS (
            parties integer[], adoptions bigint[], granted_epsilons numeric[], granted_deltas numeric[],
            limit_mains numeric[], limit_deltas numeric[], statement text, epsilon numeric, main numeric,
            delta numeric, units text[], pairs text)) WITH ORDINALITY ORDER BY ordinality
    LOOP
        id := NULL;
        changed := false;
        periods := NULL;
        ends := NULL;
        mains := NULL;
        deltas := NULL;
        accounts := NULL;
        short := 0;
        stopped := false;
        FOR n IN 1 .. cardinality(charge.parties) LOOP
            party := charge.parties[n];
            changed := changed OR standing.granted_epsilons[party] <> charge.granted_epsilons[n]
                OR standing.granted_deltas[party] <> charge.granted_deltas[n]
                OR standing.adoptions[party] IS DISTINCT FROM charge.adoptions[n];
            IF short = 0 AND NOT coalesce(
                    charge.limit_mains[n] IS NULL AND p_kinds[party] = 'budget'
                    OR spent_mains[party] + charge.main <= charge.limit_mains[n]
                    AND spent_deltas[party] + charge.delta <= charge.limit_deltas[n], false) THEN
                short := n;
            END IF;
            periods[n] := labels[party];
            ends[n] := label_ends[party];
            mains[n] := spent_mains[party];
            deltas[n] := spent_deltas[party];
            accounts[n] := p_kinds[party] || '/' || p_names[party] || '/' || labels[party];
        END LOOP;
        IF changed IS NULL THEN
            RAISE EXCEPTION 'an account is missing';
        END IF;
        IF NOT changed AND short = 0 THEN
            left_main := NULL;
            FOR n IN 1 .. cardinality(charge.parties) LOOP
                party := charge.parties[n];
                spent_mains[party] := spent_mains[party] + charge.main;
                spent_deltas[party] := spent_deltas[party] + charge.delta;
                paid_mains[party] := paid_mains[party] + charge.main;
                paid_deltas[party] := paid_deltas[party] + charge.delta;
                mains[n] := spent_mains[party];
                deltas[n] := spent_deltas[party];
                IF p_kinds[party] = 'analyst'
                        AND coalesce(charge.limit_mains[n] - mains[n] < left_main, true) THEN
                    left_main := charge.limit_mains[n] - mains[n];
                    left_delta := charge.limit_deltas[n] - deltas[n];
                END IF;
            END LOOP;
            party := charge.parties[1];
            numbers[party] := numbers[party] + 1;
            INSERT INTO dp_ledger.charges AS c
                    (analyst, period, statement, epsilon, main, delta, left_main, left_delta, units, accounts,
                     pairs)
                VALUES (p_names[party], labels[party], charge.statement, charge.epsilon, charge.main, charge.delta,
                    left_main, left_delta, charge.units, accounts, charge.pairs)
                RETURNING c.id INTO STRICT id;
            made := made || id;
            stopped := EXISTS (
                SELECT FROM dp_ledger.alarms m WHERE m.analyst = p_names[party] AND m.cleared_at IS NULL);
        END IF;
        RETURN NEXT;
    END LOOP;
    IF made = '{}' THEN
        RETURN;
    END IF;
    UPDATE dp_ledger.accounts a SET main = a.main + p.main, delta = a.delta + p.delta, charges = a.charges + p.charges
        FROM unnest(p_kinds, p_names, labels, paid_mains, paid_deltas, numbers)
            AS p (kind, name, period, main, delta, charges)
        WHERE a.kind = p.kind AND a.name = p.name AND a.period = p.period;
    GET DIAGNOSTICS written = ROW_COUNT;
    IF written <> cardinality(p_kinds) THEN
        RAISE EXCEPTION 'an account is missing';
    END IF;
    PERFORM dp_ledger.link('charge', VARIADIC made);
END $$;
"""
