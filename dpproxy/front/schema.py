"""The contents of the front's database, made from the policy and brought up to date when it changes.

Stubs whose definition changed are made anew, the others and all that analysts own stay. Everything happens in one
transaction under a lock, so a front is never seen half made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import AsyncConnection, sql

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.schemas import is_taken
from dpproxy.errors import ConfigFault, FrontUnavailable
from dpproxy.front.dp_stubs import views
from dpproxy.front.hidden_statistics import hide_others
from dpproxy.front.lockdown import lock_database, lock_server
from dpproxy.front.migrations import migrate
from dpproxy.front.printing_settings import printing_settings
from dpproxy.front.roles import AnalystRole, join_roles, open_views, sync_grants, sync_roles, sync_schemas
from dpproxy.front.stubs import Stub, foreign_keys, stubs
from dpproxy.front.unlocked_names import open_names, refuse_foreign, warnings

_BEGIN = "SELECT set_config('lock_timeout', '10s', true), pg_advisory_xact_lock(hashtext('dpproxy'))"
_LONGEST_NAME = 63  # bytes; Postgres cuts longer ones


@dataclass(frozen=True, slots=True)
class FrontCatalog:
    """What the relay knows of a front.

    oids: the name in the policy (`people`, `sales.orders`, `dp.budget`) of each stub, by the stub's OID.
    types: the name of each type of Postgres's own as `format_type` prints it, by OID.
    server_version: as libpq gives it, e.g. 180001.
    closed: names of functions and views that are to be refused, because the front's owner could not lock them.
    printing: names of settings that print what the server does, which are the operator's to set.
    warnings: what the operator should know, a line each.
    """

    oids: Mapping[int, str]
    types: Mapping[int, str]
    server_version: int
    closed: frozenset[str] = frozenset()
    printing: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()


class FrontHeld(FrontUnavailable):
    """An open transaction keeps the front from being changed."""


async def sync_front(conninfo: str, catalog: Catalog, analysts: tuple[AnalystRole, ...]) -> FrontCatalog:
    """Makes the front's database what the policy says, whatever it was before.

    conninfo: of the database's owner. Raises ConfigFault where names of the policy cannot be used in the front, and
    FrontUnavailable where it cannot be reached.
    """
    _check_names(catalog, analysts)
    try:
        async with await AsyncConnection.connect(conninfo) as connection:
            return await _sync(connection, catalog, analysts)
    except (psycopg.ProgrammingError, psycopg.NotSupportedError) as error:
        raise ConfigFault("the front cannot be made from the policy", detail=error.diag.message_primary) from error
    except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as error:
        hint = "End it, or start again when it has ended."
        raise FrontHeld("a session of the front's holds what has to be changed there", hint=hint) from error
    except psycopg.OperationalError as error:
        raise FrontUnavailable("the front cannot be reached") from error


async def _sync(connection: AsyncConnection[Any], catalog: Catalog, analysts: tuple[AnalystRole, ...]) -> FrontCatalog:
    await connection.execute(_BEGIN)
    await migrate(connection)
    await lock_database(connection)
    superuser = await _is_superuser(connection)
    if superuser:
        await hide_others(connection)
        await lock_server(connection)
    tables, own = stubs(catalog), views()
    await _refuse_analysts_schemas(connection, tables)
    if await _sync_stubs(connection, (*tables, *own)):
        await _renew_foreign_keys(connection, catalog)
    await sync_roles(connection, analysts)
    if not superuser:
        await join_roles(connection, analysts)
    await sync_schemas(connection, analysts)
    await sync_grants(connection, analysts, tables)
    await open_views(connection, own)
    await refuse_foreign(connection)
    return await _catalog(connection)


def _check_names(catalog: Catalog, analysts: Sequence[AnalystRole]) -> None:
    tables = catalog.tables.values()
    names = [*(analyst.name for analyst in analysts), *(name for table in tables for name in _names(table))]
    reserved = sorted({table.schema for table in tables if is_taken(table.schema)})
    faults = [f"{name!r} is longer than {_LONGEST_NAME} bytes" for name in names if len(name.encode()) > _LONGEST_NAME]
    faults += [f'tables: the schema "{schema}" is taken by the front itself' for schema in reserved]
    if faults:
        raise ConfigFault("some names cannot be used in the front", detail="\n".join(faults))


def _names(table: Table) -> tuple[str, ...]:
    return table.schema, table.relation, *(column.name for column in table.columns)


async def _is_superuser(connection: AsyncConnection[Any]) -> bool:
    cursor = await connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    row = await cursor.fetchone()
    return bool(row and row[0])


async def _refuse_analysts_schemas(connection: AsyncConnection[Any], tables: Sequence[Stub]) -> None:
    """Whoever owns a schema can drop what is in it, the stubs of the policy too."""
    schemas = sorted({table.schema for table in tables})
    cursor = await connection.execute("SELECT analyst FROM dp_front.roles WHERE analyst = ANY(%s)", (schemas,))
    faults = [f'tables: the schema "{name}" belongs to the analyst of that name' for (name,) in await cursor.fetchall()]
    if faults:
        raise ConfigFault("some tables cannot have these names", detail="\n".join(faults))


async def _sync_stubs(connection: AsyncConnection[Any], wanted: Sequence[Stub]) -> bool:
    """Drops stubs that are no longer what the policy says and makes those that are missing; whether there were any."""
    cursor = await connection.execute(
        "SELECT s.name, s.definition, c.oid::regclass::text"
        " FROM dp_front.stubs s LEFT JOIN pg_class c ON c.oid = s.relation"
    )
    kept = {stub.name: stub.definition for stub in wanted}
    there = set()
    changed = False
    await _refuse_taken(connection, wanted)
    for name, definition, relation in await cursor.fetchall():
        if relation is not None and kept.get(name) == definition:
            there.add(name)
        else:
            await _drop(connection, name, relation)
            changed = True
    for stub in wanted:
        if stub.name not in there:
            await _make(connection, stub)
            changed = True
    return changed


async def _refuse_taken(connection: AsyncConnection[Any], wanted: Sequence[Stub]) -> None:
    """Nothing that the front did not make is ever dropped."""
    cursor = await connection.execute(
        "SELECT DISTINCT w.name FROM unnest(%s::text[], %s::text[], %s::text[]) AS w (name, schema, relation)"
        " JOIN pg_namespace n ON n.nspname = w.schema JOIN pg_class c ON (c.relnamespace, c.relname) ="
        " (n.oid, w.relation) WHERE c.oid NOT IN (SELECT s.relation FROM dp_front.stubs s) ORDER BY 1",
        ([each.name for each in wanted], [each.schema for each in wanted], [each.relation for each in wanted]),
    )
    faults = [
        f"tables.{name}: the front's database has something of that name that is not the front's; give the front a "
        "database of its own"
        for (name,) in await cursor.fetchall()
    ]
    if faults:
        raise ConfigFault("some tables cannot have these names", detail="\n".join(faults))


async def _drop(connection: AsyncConnection[Any], name: str, relation: str | None) -> None:
    if relation is not None:
        await connection.execute(f"DROP TABLE {relation} CASCADE".encode())  # quoted by regclass
    await connection.execute("DELETE FROM dp_front.stubs WHERE name = %s", (name,))


async def _make(connection: AsyncConnection[Any], stub: Stub) -> None:
    schema = sql.Identifier(stub.schema)
    await connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
    await connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO PUBLIC").format(schema))
    await connection.execute(stub.definition.encode())
    await connection.execute(
        "INSERT INTO dp_front.stubs SELECT %s, c.oid, %s FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relname = %s",
        (stub.name, stub.definition, stub.schema, stub.relation),
    )


async def _renew_foreign_keys(connection: AsyncConnection[Any], catalog: Catalog) -> None:
    """All of them: a stub that was made anew has lost those that point to it."""
    cursor = await connection.execute(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint"
        " WHERE contype = 'f' AND conrelid IN (SELECT relation FROM dp_front.stubs)"
    )
    for (statement,) in await cursor.fetchall():
        await connection.execute(statement.encode())
    for statement in foreign_keys(catalog):
        await connection.execute(statement)


async def _catalog(connection: AsyncConnection[Any]) -> FrontCatalog:
    oids = await (await connection.execute("SELECT relation, name FROM dp_front.stubs")).fetchall()
    types = await connection.execute(
        "SELECT oid, format_type(oid, NULL) FROM pg_type"
        " WHERE typtype = 'b' AND typnamespace = 'pg_catalog'::regnamespace"
    )
    named = dict(await types.fetchall())
    closed = await open_names(connection)
    printing, doubts = await printing_settings(connection), await warnings(connection, closed)
    return FrontCatalog(dict(oids), named, connection.info.server_version, closed, printing, doubts)
