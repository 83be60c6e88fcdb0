"""The proxy's own tables in a front, and how those that an older dpproxy made become what this one needs.

`dp.front` has the number of steps that were taken. A step is never changed once it was published: a new one is added.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from psycopg import AsyncConnection

from dpproxy.errors import ConfigFault
from dpproxy.front import backstop, error_bars, medians

# dp.publics says which public tables hold their rows: a stub made anew is empty, and its row goes with its stub's.
_BOOKS: Final = f"""
CREATE TABLE IF NOT EXISTS dp.roles (analyst text PRIMARY KEY, password text NOT NULL);
CREATE TABLE IF NOT EXISTS dp.stubs (
    name text PRIMARY KEY, relation oid NOT NULL, definition text NOT NULL);
CREATE TABLE IF NOT EXISTS dp.publics (
    name text PRIMARY KEY REFERENCES dp.stubs ON DELETE CASCADE, data_version text NOT NULL);
REVOKE ALL ON dp.roles, dp.stubs, dp.publics FROM PUBLIC;
{backstop.FUNCTION}
"""

# Up to 0.2.0 the backstop was a foreign table that inherited from each stub.
_NO_FOREIGN_TABLES: Final = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'dp.stubs'::regclass AND attname = 'guarded') THEN
        DROP SCHEMA IF EXISTS dp_backstop CASCADE;
        DROP FOREIGN DATA WRAPPER IF EXISTS dpproxy_private CASCADE;
        ALTER TABLE dp.stubs DROP COLUMN guarded;
    END IF;
END $$;
"""

# Up to 0.2.0 a role was an analyst's because dp.roles has its name, which a copy of the database has on a server where
# that name is somebody else's.
_MARKED_ROLES: Final = """
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT analyst FROM dp.roles JOIN pg_roles ON rolname = analyst LOOP
        EXECUTE format('COMMENT ON ROLE %I IS %L', name, (SELECT mark FROM dp.front));
    END LOOP;
END $$;
"""

_STEPS: Final = (_BOOKS, _NO_FOREIGN_TABLES, _MARKED_ROLES, medians.AGGREGATES, error_bars.FUNCTIONS)
VERSION: Final = len(_STEPS)

_OF_VERSIONS: Final = """
CREATE SCHEMA IF NOT EXISTS dp;
CREATE TABLE IF NOT EXISTS dp.front (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL, mark text NOT NULL);
REVOKE ALL ON dp.front FROM PUBLIC;
"""
# The ledger may have been first to make the schema.
_FOREIGN: Final = """
SELECT FROM pg_namespace n WHERE nspname = 'dp'
AND (NOT pg_has_role(nspowner, 'USAGE')
     OR to_regclass('dp.front') IS NULL AND to_regclass('dp.stubs') IS NULL AND to_regclass('dp.ledger') IS NULL
        AND EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid))
"""


async def migrate(connection: AsyncConnection[Any]) -> str:
    """Makes the tables, or brings them up to date; within the caller's transaction and lock.

    Returns what marks the roles that this front made. Raises ConfigFault where schema `dp` is somebody else's, or was
    made by a newer dpproxy.
    """
    if (await connection.execute(_FOREIGN)).rowcount:
        raise _unfit('its schema "dp" is somebody else\'s; give the front a database of its own')
    await connection.execute(_OF_VERSIONS)
    await connection.execute(
        "INSERT INTO dp.front (version, mark) VALUES (0, %s) ON CONFLICT DO NOTHING",
        (f"dpproxy front {secrets.token_hex(8)}",),
    )
    version, mark = await (await connection.execute("SELECT version, mark FROM dp.front")).fetchone() or (0, "")
    if version > VERSION:
        raise _unfit(f"it was made by a newer dpproxy (version {version}; this one knows {VERSION}); start that one")
    for step in _STEPS[version:]:
        await connection.execute(step.encode())
    await connection.execute("UPDATE dp.front SET version = %s WHERE version <> %s", (VERSION, VERSION))
    return str(mark)


def _unfit(why: str) -> ConfigFault:
    return ConfigFault("the front's database cannot be used", detail=f"front.url: {why}")
