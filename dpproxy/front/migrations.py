"""The proxy's own tables in a front, and how those that an older dpproxy made become what this one needs.

They are in schema `dp_front`, which nobody but the owner may enter; `dp` has what analysts use. `dp_front.front` has
the number of steps that were taken. A step is never changed once it was published: a new one is added.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from psycopg import AsyncConnection

from dpproxy.errors import ConfigFault
from dpproxy.front import backstop, error_bars, medians

# dp_front.publics says which public tables hold their rows: a stub made anew is empty, and its row goes with its
# stub's.
_BOOKS: Final = f"""
CREATE TABLE IF NOT EXISTS dp_front.roles (analyst text PRIMARY KEY, password text NOT NULL);
CREATE TABLE IF NOT EXISTS dp_front.stubs (
    name text PRIMARY KEY, relation oid NOT NULL, definition text NOT NULL);
CREATE TABLE IF NOT EXISTS dp_front.publics (
    name text PRIMARY KEY REFERENCES dp_front.stubs ON DELETE CASCADE, data_version text NOT NULL);
REVOKE ALL ON dp_front.roles, dp_front.stubs, dp_front.publics FROM PUBLIC;
{backstop.FUNCTION}
"""

# Up to 0.2.0 the backstop was a foreign table that inherited from each stub.
_NO_FOREIGN_TABLES: Final = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'dp_front.stubs'::regclass AND attname = 'guarded') THEN
        DROP SCHEMA IF EXISTS dp_backstop CASCADE;
        DROP FOREIGN DATA WRAPPER IF EXISTS dpproxy_private CASCADE;
        ALTER TABLE dp_front.stubs DROP COLUMN guarded;
    END IF;
END $$;
"""

# Up to 0.2.0 a role was an analyst's because roles has its name, which a copy of the database has on a server where
# that name is somebody else's.
_MARKED_ROLES: Final = """
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT analyst FROM dp_front.roles JOIN pg_roles ON rolname = analyst LOOP
        EXECUTE format('COMMENT ON ROLE %I IS %L', name, (SELECT mark FROM dp_front.front));
    END LOOP;
END $$;
"""

_STEPS: Final = (
    _BOOKS,
    _NO_FOREIGN_TABLES,
    _MARKED_ROLES,
    medians.AGGREGATES,
    error_bars.ASKED,
    error_bars.EACH,
    medians.OF_LENGTHS,
)
VERSION: Final = len(_STEPS)

_SCHEMAS: Final = """
CREATE SCHEMA IF NOT EXISTS dp;
CREATE SCHEMA IF NOT EXISTS dp_bars;
CREATE SCHEMA IF NOT EXISTS dp_front;
"""
# Up to 0.4.0 the books were in `dp`. Policies and aggregates go by a function and not by its name; what a stub was made
# of is compared as a text.
_MOVED: Final = f"""
DO $$
DECLARE
    moved record;
BEGIN
    IF to_regclass('dp.stubs') IS NULL THEN
        RETURN;
    END IF;
    ALTER TABLE IF EXISTS dp.front SET SCHEMA dp_front;
    ALTER TABLE IF EXISTS dp.roles SET SCHEMA dp_front;
    ALTER TABLE dp.stubs SET SCHEMA dp_front;
    ALTER TABLE IF EXISTS dp.publics SET SCHEMA dp_front;
    FOR moved IN SELECT oid::regprocedure AS routine, proname FROM pg_proc
        WHERE pronamespace = 'dp'::regnamespace AND proname ~ '^(private$|middle$|each_)'
    LOOP
        EXECUTE format('ALTER ROUTINE %s SET SCHEMA %I', moved.routine,
            CASE WHEN moved.proname ~ '^each_' THEN 'dp_bars' ELSE 'dp_front' END);
    END LOOP;
    UPDATE dp_front.stubs SET definition = replace(definition, '(dp.private())', '({backstop.CONDITION})');
END $$;
"""
_OF_VERSIONS: Final = """
CREATE TABLE IF NOT EXISTS dp_front.front (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, mark text NOT NULL);
REVOKE ALL ON dp_front.front FROM PUBLIC;
"""
# The ledger may have been first to make `dp`.
_FOREIGN: Final = """
SELECT nspname FROM pg_namespace n WHERE nspname IN ('dp', 'dp_bars', 'dp_front')
AND (NOT pg_has_role(nspowner, 'USAGE')
     OR EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid) AND NOT EXISTS (
        SELECT FROM pg_class JOIN pg_namespace s ON s.oid = relnamespace
        WHERE s.nspname = 'dp_front' AND relname = 'front'
           OR s.oid = n.oid AND s.nspname = 'dp' AND relname IN ('front', 'stubs', 'ledger')))
ORDER BY 1
"""


async def migrate(connection: AsyncConnection[Any]) -> str:
    """Makes the tables, or brings them up to date; within the caller's transaction and lock.

    Returns what marks the roles that this front made. Raises ConfigFault where a schema of that name is somebody
    else's, or was made by a newer dpproxy.
    """
    for (schema,) in await (await connection.execute(_FOREIGN)).fetchall():
        raise _unfit(f'its schema "{schema}" is somebody else\'s; give the front a database of its own')
    for text in (_SCHEMAS, _MOVED, _OF_VERSIONS):
        await connection.execute(text.encode())
    await connection.execute(
        "INSERT INTO dp_front.front (version, mark) VALUES (0, %s) ON CONFLICT DO NOTHING",
        (f"dpproxy front {secrets.token_hex(8)}",),
    )
    cursor = await connection.execute("SELECT version, mark FROM dp_front.front")
    version, mark = await cursor.fetchone() or (0, "")
    if version > VERSION:
        raise _unfit(f"it was made by a newer dpproxy (version {version}; this one knows {VERSION}); start that one")
    for step in _STEPS[version:]:
        await connection.execute(step.encode())
    await connection.execute("UPDATE dp_front.front SET version = %s WHERE version <> %s", (VERSION, VERSION))
    return str(mark)


def _unfit(why: str) -> ConfigFault:
    return ConfigFault("the front's database cannot be used", detail=f"front.url: {why}")
