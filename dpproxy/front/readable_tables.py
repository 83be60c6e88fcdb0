"""What tools list where nobody says a schema: the tables that one may read. As SQL text. Pure.

They ask `pg_table_is_visible` whether a name alone means a table. It stays so, and says no besides of a table or view
that the caller may do nothing with. Postgres's own has another name then; it goes by the caller's search path, so that
what stands before it runs with the caller's rights.

Checked by: tests/clients/test_catalog.py.
"""

from __future__ import annotations

from typing import Final

_NAME: Final = "pg_catalog.pg_table_is_visible"
_OWN: Final = "pg_catalog.dp_table_is_visible"

ONLY_WHAT_IS_READABLE: Final = f"""
DO $$ BEGIN
    IF to_regprocedure('{_OWN}(oid)') IS NULL THEN
        ALTER FUNCTION {_NAME}(oid) RENAME TO dp_table_is_visible;
    END IF;
END $$;
CREATE OR REPLACE FUNCTION {_NAME}(oid) RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    SELECT {_OWN}($1) AND ($1 < 16384 OR NOT EXISTS (
        SELECT FROM pg_catalog.pg_class WHERE pg_class.oid = $1 AND relkind IN ('r', 'p', 'v', 'm', 'f')
        AND NOT pg_catalog.has_any_column_privilege(pg_class.oid, 'SELECT'))) $$;
"""
