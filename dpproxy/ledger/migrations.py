"""How the ledger's schema comes to be: steps from one version to the next, in one transaction, under a lock.

`dp_ledger.ledger` holds the version. A ledger that is still in schema `dp` is moved first (`earlier_schema.py`). A step
is never changed once it was released; what changes of tables is a step of its own.
Functions are not stepped: those of another version are dropped, and this one's are made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import ConfigFault
from dpproxy.ledger import charge_sql, earlier_schema, functions_sql, hash_chain, release_store, tables_sql, tell_sql

_LOCK: Final = "SELECT set_config('lock_timeout', '60s', true), pg_advisory_xact_lock(hashtext('dpproxy'))"
# Whoever charges holds a lock on a row of this table: none is under way then.
_NO_CHARGES_NOW: Final = "LOCK TABLE dp_ledger.periods IN EXCLUSIVE MODE"
_STATE: Final = """SELECT accounting, accounting <> %s AND NOT EXISTS (SELECT FROM dp_ledger.charges)
    AND NOT EXISTS (SELECT FROM dp_ledger.grants) AND NOT EXISTS (SELECT FROM dp_ledger.carried)
    FROM dp_ledger.ledger"""
_IS_THERE: Final = "SELECT WHERE to_regclass('dp_ledger.ledger') IS NOT NULL"
_SERVER: Final = """SELECT current_setting('fsync'), current_setting('server_encoding'),
    current_setting('default_transaction_isolation'), pg_is_in_recovery()"""


def _private(text: str) -> str:
    """SQL that makes functions, and allows nobody but their owner to call them."""
    made = re.findall(r"^CREATE FUNCTION (dp_ledger\.\w+)", text, re.MULTILINE)
    return f"{text}\nREVOKE ALL ON FUNCTION {', '.join(made)} FROM PUBLIC;"


FUNCTIONS: Final = (
    functions_sql.CLOCK + functions_sql.PERIODS + hash_chain.FUNCTIONS + charge_sql.CHARGE + functions_sql.OWNERS
)
_MADE: Final = tuple(re.findall(r"^CREATE FUNCTION dp_ledger\.(\w+)", FUNCTIONS, re.MULTILINE))
# What else somebody put there stays.
_DROP: Final = """
DO $$
DECLARE
    old regprocedure;
BEGIN
    FOR old IN SELECT p.oid::regprocedure FROM pg_proc p
        WHERE p.pronamespace = to_regnamespace('{schema}') AND p.proname = ANY (ARRAY[{names}])
    LOOP
        EXECUTE 'DROP FUNCTION ' || old;
    END LOOP;
END $$;
"""

STEPS: Final = (
    *(tables_sql.FIRST, tables_sql.PERIODS, tables_sql.CHAIN, tables_sql.PAIRS),
    *(earlier_schema.BARRED, tables_sql.APPROVALS),
)
VERSION: Final = len(STEPS)
_CHAINED_SINCE: Final = 3


@dataclass(frozen=True, slots=True)
class _Server:
    """What a server says of itself."""

    fsync: str
    encoding: str
    isolation: str
    standby: bool


async def create(connection: AsyncConnection[Any], accounting: Accounting) -> None:
    """Brings the ledger's tables and functions into being, once for all proxies that share it, or up to date.

    Raises ConfigFault where the charges that are there were made by another accounting, or by a newer dpproxy, where
    the server would lose a commit in a crash or take none, and where it does not let the tables be made.
    """
    try:
        async with connection.transaction():
            await connection.execute(_LOCK)
            _refuse(await _server_faults(connection))
            await _enter(connection)
            version = await _version(connection)
            if version > VERSION:
                _refuse([f"ledger: it was made by a newer dpproxy (version {version}; this one knows {VERSION})"])
            await _step(connection, version, accounting)
            _refuse(await _faults(connection, accounting))
    except psycopg.ProgrammingError as error:
        raise ConfigFault(
            "the ledger's tables cannot be made",
            detail=f"ledger: {error.diag.message_primary}",
            hint="Its owner needs a database of its own, or CREATE on one, or there a schema dp_ledger of its own.",
        ) from error


async def _enter(connection: AsyncConnection[Any]) -> None:
    """The schema is there, and the tables of an older dpproxy are in it; its functions are gone."""
    await connection.execute(earlier_schema.SCHEMA.encode())
    if not (await connection.execute(earlier_schema.HOLDS_ONE)).rowcount:
        return
    if (await connection.execute(_IS_THERE)).rowcount:
        _refuse(["ledger: it is in schema dp_ledger, and an older one in schema dp; one database holds one ledger"])
    await connection.execute(earlier_schema.MOVE.encode())
    await _drop(connection, "dp", (*_MADE, "take"))


async def _drop(connection: AsyncConnection[Any], schema: str, names: tuple[str, ...]) -> None:
    text = _DROP.format(schema=schema, names=", ".join(f"'{name}'" for name in names))
    await connection.execute(text.encode())


async def _step(connection: AsyncConnection[Any], version: int, accounting: Accounting) -> None:
    """All steps that are not done yet; the first is done again, since several releases called theirs version 1."""
    if version < VERSION:
        for step in STEPS[0 if version <= 1 else version :]:
            await connection.execute(step.encode())
        await _drop(connection, "dp_ledger", _MADE)
        await connection.execute(_private(FUNCTIONS).encode())
    await connection.execute(release_store.TABLES.encode())
    await connection.execute(tell_sql.TELL.encode())
    await connection.execute(
        "INSERT INTO dp_ledger.ledger (version, accounting) VALUES (%s, %s) ON CONFLICT (one) DO UPDATE"
        " SET version = excluded.version WHERE ledger.version <> excluded.version",
        (VERSION, accounting.value),
    )
    if version < _CHAINED_SINCE:
        await connection.execute(hash_chain.BEGIN.encode())


async def _version(connection: AsyncConnection[Any]) -> int:
    """0 where there is none yet."""
    if not (await connection.execute(_IS_THERE)).rowcount:
        return 0
    cursor = await connection.execute("SELECT coalesce(max(version), 0) FROM dp_ledger.ledger")
    return int((await _row(cursor))[0])


async def _server_faults(connection: AsyncConnection[Any]) -> list[str]:
    server = _Server(*await _row(await connection.execute(_SERVER)))
    faults = []
    if server.standby:
        faults.append("ledger: the server is a standby, which takes no charges; name the primary")
    if server.fsync != "on":
        faults.append("ledger: the server runs with fsync = off and would forget charges in a crash; turn it on")
    if server.encoding != "UTF8":
        faults.append(f"ledger: the database's encoding is {server.encoding}; make one with ENCODING 'UTF8'")
    if server.isolation != "read committed":
        faults.append(
            f"ledger: transactions are {server.isolation} there, and charges that meet would be refused; "
            "ALTER ROLE … SET default_transaction_isolation = 'read committed'"
        )
    return faults


async def _faults(connection: AsyncConnection[Any], accounting: Accounting) -> list[str]:
    """Without charges the accounting may still be changed."""
    kept, unused = await _row(await connection.execute(_STATE, (accounting.value,)))
    if unused:
        await connection.execute(_NO_CHARGES_NOW)
        kept, unused = await _row(await connection.execute(_STATE, (accounting.value,)))
    if unused:
        await connection.execute("UPDATE dp_ledger.ledger SET accounting = %s", (accounting.value,))
    elif kept != accounting.value:
        return [
            f'privacy.accounting: is "{accounting.value}", and the ledger holds charges made under "{kept}"; '
            f'write "{kept}", or give a new ledger'
        ]
    return []


def _refuse(faults: list[str]) -> None:
    if faults:
        raise ConfigFault("the ledger does not fit the configuration", detail="\n".join(faults))


async def _row(cursor: psycopg.AsyncCursor[Any]) -> tuple[Any, ...]:
    [row] = await cursor.fetchall()
    return tuple(row)
