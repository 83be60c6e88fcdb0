"""The analysts as roles of the front: they sign in, read what they were granted, own one schema, and nothing else.

Their passwords are random and known to the owner's table alone; people authenticate to the proxy.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import AsyncConnection, sql

from dpproxy.errors import ConfigFault, FrontUnavailable
from dpproxy.front.stubs import Stub

USUAL = 100
"""Sessions of a proxy that says nothing of it, and of an analyst of whom nothing is said."""
LEAVING = 25
"""A session that has ended for the proxy may take a moment longer in the front."""

# A role is an analyst's where its comment says so: on another server a copy of the database meets others of the name.
_TAKEN = (
    "SELECT rolname FROM pg_roles LEFT JOIN dp_front.roles ON analyst = rolname"
    " WHERE rolname = ANY(%s) AND (analyst IS NULL"
    " OR shobj_description(oid, 'pg_authid') IS DISTINCT FROM (SELECT mark FROM dp_front.front))"
)
_OURS = (
    "SELECT analyst FROM dp_front.roles JOIN pg_roles ON rolname = analyst"
    " WHERE shobj_description(oid, 'pg_authid') = (SELECT mark FROM dp_front.front)"
)
_FOREIGN_SCHEMAS = (
    "SELECT nspname FROM pg_namespace WHERE nspname = ANY(%s)"
    " AND nspowner <> (SELECT oid FROM pg_roles WHERE rolname = nspname)"
)


@dataclass(frozen=True, slots=True)
class AnalystRole:
    """An analyst of the policy and the tables that they may use; None: all. sessions: how many proxies give them."""

    name: str
    tables: tuple[str, ...] | None = None
    sessions: int = USUAL


async def sync_roles(connection: AsyncConnection[Any], analysts: Sequence[AnalystRole]) -> None:
    """Makes the roles of the analysts and takes LOGIN from those who are no longer in the policy.

    Raises ConfigFault where an analyst's name is somebody else's role.
    """
    names = [analyst.name for analyst in analysts]
    await _refuse_taken(connection, _TAKEN, names, "is a role of somebody else's on the front's server")
    for analyst in analysts:
        await _sync_role(connection, analyst.name, analyst.sessions + LEAVING)
    await _retire(connection, names)


async def sync_schemas(connection: AsyncConnection[Any], analysts: Sequence[AnalystRole]) -> None:
    """Gives each analyst a schema named like them. Raises ConfigFault where that is somebody else's."""
    names = [analyst.name for analyst in analysts]
    await _refuse_taken(connection, _FOREIGN_SCHEMAS, names, "is a schema of somebody else's in the front")
    for name in names:
        role = sql.Identifier(name)
        await connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {} AUTHORIZATION {}").format(role, role))


async def join_roles(connection: AsyncConnection[Any], analysts: Sequence[AnalystRole]) -> None:
    """Makes an owner who is no superuser a member of the roles: only members may make a schema for a role.

    Since 16 membership has parts, of which that needs one.
    """
    parts = " WITH INHERIT FALSE, SET TRUE" if connection.info.server_version >= 160000 else ""
    for analyst in analysts:
        await connection.execute(sql.SQL("GRANT {} TO CURRENT_USER" + parts).format(sql.Identifier(analyst.name)))


async def sync_grants(
    connection: AsyncConnection[Any], analysts: Sequence[AnalystRole], tables: Iterable[Stub]
) -> None:
    """Gives each analyst SELECT on exactly their tables among `tables`."""
    everything = {table.name: sql.Identifier(table.schema, table.relation) for table in tables}
    if not everything:
        return
    cursor = await connection.execute(f"{_OURS} ORDER BY analyst".encode())
    known = [sql.Identifier(name) for (name,) in await cursor.fetchall()]
    if known:
        await connection.execute(_on("REVOKE ALL ON {} FROM {}", everything.values(), known))
    for analyst in analysts:
        names = everything if analyst.tables is None else analyst.tables
        granted = [everything[name] for name in names if name in everything]
        if granted:
            await connection.execute(_on("GRANT SELECT ON {} TO {}", granted, [sql.Identifier(analyst.name)]))


async def open_views(connection: AsyncConnection[Any], own: Iterable[Stub]) -> None:
    """Lets every analyst select from the tables of schema `dp`."""
    for view in own:
        name = sql.Identifier(view.schema, view.relation)
        await connection.execute(sql.SQL("GRANT SELECT ON {} TO PUBLIC").format(name))


async def role_passwords(conninfo: str) -> Mapping[str, str]:
    """The password of each analyst's role, for the proxy's own connections.

    Raises FrontUnavailable where the front cannot be reached.
    """
    try:
        async with await AsyncConnection.connect(conninfo) as connection:
            cursor = await connection.execute("SELECT analyst, password FROM dp_front.roles")
            return dict(await cursor.fetchall())
    except psycopg.OperationalError as error:
        raise FrontUnavailable("the front cannot be reached") from error


async def role_password(conninfo: str, analyst: str) -> str:
    """The password of one analyst's role. Raises FrontUnavailable where there is no such role."""
    password = (await role_passwords(conninfo)).get(analyst)
    if password is None:
        raise FrontUnavailable("the analyst has no role in the front")
    return password


async def _sync_role(connection: AsyncConnection[Any], name: str, most: int) -> None:
    """The password goes to the server as a verifier: its log may keep statements, and 13 would store a weaker hash."""
    role = sql.Identifier(name)
    if not (await connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,))).rowcount:
        await _create_role(connection, role)
    password = await _password(connection, name)
    verifier = connection.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
    await connection.execute(
        sql.SQL("ALTER ROLE {} LOGIN PASSWORD {} CONNECTION LIMIT {}").format(role, verifier, most)
    )
    await connection.execute(sql.SQL("ALTER ROLE {} RESET ALL").format(role))
    await connection.execute(
        sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(sql.Identifier(connection.info.dbname), role)
    )


async def _create_role(connection: AsyncConnection[Any], role: sql.Identifier) -> None:
    """With the mark of this front: all that it makes outside of its database."""
    attributes = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS"
    await connection.execute(sql.SQL("CREATE ROLE {} " + attributes).format(role))
    ((mark,),) = await (await connection.execute("SELECT mark FROM dp_front.front")).fetchall()
    await connection.execute(sql.SQL("COMMENT ON ROLE {} IS {}").format(role, mark))


async def _password(connection: AsyncConnection[Any], name: str) -> str:
    """The one that the table knows, or a new one."""
    await connection.execute(
        "INSERT INTO dp_front.roles (analyst, password) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (name, secrets.token_urlsafe(32)),
    )
    cursor = await connection.execute("SELECT password FROM dp_front.roles WHERE analyst = %s", (name,))
    ((password,),) = await cursor.fetchall()
    return str(password)


async def _retire(connection: AsyncConnection[Any], names: Sequence[str]) -> None:
    """Analysts who left the policy can no longer sign in; what they own stays for when they come back."""
    cursor = await connection.execute(f"{_OURS} AND analyst <> ALL(%s)".encode(), (list(names),))
    for (name,) in await cursor.fetchall():
        await connection.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(sql.Identifier(name)))


async def _refuse_taken(connection: AsyncConnection[Any], query: Any, names: list[str], why: str) -> None:
    cursor = await connection.execute(query, (names,))
    taken = [f"analysts.{name}: {why}; choose another name" for (name,) in await cursor.fetchall()]
    if taken:
        raise ConfigFault("some analysts cannot have these names", detail="\n".join(taken))


def _on(template: Any, tables: Iterable[sql.Identifier], roles: Iterable[sql.Identifier]) -> sql.Composed:
    return sql.SQL(template).format(sql.SQL(", ").join(tables), sql.SQL(", ").join(roles))
