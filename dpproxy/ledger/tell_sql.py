"""The function that says whether an alarm stands for analysts who are about to be told an answer, as SQL.

A function's statements are planned once for each connection: planning one of this kind took three quarters of its time.
It is made anew at each start, so that no version of the schema is needed for it.
"""

from __future__ import annotations

from typing import Final

# That charges are answered is not waited for: it says nothing about losses. Each statement of a function sees what was
# committed before it, so that an alarm is seen that stood when the analyst's answer was asked about.
TELL: Final = """
CREATE OR REPLACE FUNCTION dp_ledger.tell(p_ids bigint[], p_analysts text[]) RETURNS boolean[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    stopped boolean[] := '{}';
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    FOR n IN 1 .. cardinality(p_ids) LOOP
        stopped[n] := EXISTS (
            SELECT FROM dp_ledger.alarms m WHERE m.analyst = p_analysts[n] AND m.cleared_at IS NULL);
        IF NOT stopped[n] THEN
            UPDATE dp_ledger.charges c SET outcome = 'answered' WHERE c.id = p_ids[n] AND c.outcome = 'charged';
        END IF;
    END LOOP;
    RETURN stopped;
END $$;
REVOKE ALL ON FUNCTION dp_ledger.tell FROM PUBLIC;
"""
