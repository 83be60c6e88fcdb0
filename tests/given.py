"""The world with engine, front and ledger in databases of a Postgres server that is there already, each by a role.

`reader` may read the engine's database and do nothing else, `keeper` owns the front's and may make roles, `clerk` owns
the ledger's: none is a superuser, and each signs in with a password over TCP or the server's socket.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql
from scratch_postgres import ScratchPostgres
from worlds import FIXTURES, READER

ROLES = {"keeper": "LOGIN CREATEROLE PASSWORD 'keeping'", "clerk": "LOGIN PASSWORD 'counting'"}
PASSWORDS = {"reader": "reading", "keeper": "keeping", "clerk": "counting"}
OWNERS = {"demo": "keeper", "ledger": "clerk"}  # the front has the name that clients connect to


@dataclass(frozen=True)
class Places:
    """The URLs of engine, front and ledger."""

    engine: str
    front: str
    ledger: str


def make_given_world(directory: Path, server: ScratchPostgres, changes: Mapping[str, str] | None = None) -> Path:
    """Three databases on the server, and the policy in `directory` whose engine, front and ledger they are.

    changes: texts of the policy, which must be there, and what stands in their place.
    """
    make_engine(server)
    for database in OWNERS:
        make_owned(server, database)
    return given_policy(directory, server, changes)


def make_engine(server: ScratchPostgres) -> None:
    """The database `engine`, and its reader."""
    with psycopg.connect(server.conninfo_of(server.owner, database="postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE engine")
    with psycopg.connect(server.conninfo_of(server.owner, database="engine"), autocommit=True) as connection:
        connection.execute((FIXTURES / "world.sql").read_text())
        connection.execute(READER)


def make_owned(server: ScratchPostgres, database: str) -> None:
    """The front's database or the ledger's, empty, and its owner."""
    role = OWNERS[database]
    with psycopg.connect(server.conninfo_of(server.owner, database="postgres"), autocommit=True) as connection:
        connection.execute(f"SET password_encryption = 'scram-sha-256'; CREATE ROLE {role} {ROLES[role]}")
        connection.execute(f"CREATE DATABASE {database} OWNER {role}")


def given_policy(directory: Path, server: ScratchPostgres, changes: Mapping[str, str] | None = None) -> Path:
    """The policy of a proxy before databases that `make_given_world` made."""
    places = Places(url(server, "reader", "engine"), url(server, "keeper", "demo"), url(server, "clerk", "ledger"))
    return policy_before(directory, places, changes)


def policy_before(directory: Path, places: Places, changes: Mapping[str, str] | None = None) -> Path:
    """The policy of a proxy before databases at these places."""
    text = (FIXTURES / "world.toml").read_text()
    text = re.sub(r'"duckdb:///[^"]*"', f'"{places.engine}"', text)
    text = text.replace('"embedded:front"', f'"{places.front}"')
    text = text.replace("[privacy]", f'[ledger]\nurl = "{places.ledger}"\n\n[privacy]')
    for old, new in (changes or {}).items():
        assert old in text, old
        text = text.replace(old, new)
    (directory / "world.toml").write_text(text)
    return directory / "world.toml"


def url(server: ScratchPostgres, role: str, database: str) -> str:
    """How a role signs in."""
    return f"postgresql://{role}:{PASSWORDS[role]}@/{database}?host={quote(str(server.directory), safe='')}"


def forget_given_world(server: ScratchPostgres) -> None:
    """Take it all away again, with the roles of analysts that proxies made."""
    with psycopg.connect(server.conninfo_of(server.owner, database="postgres"), autocommit=True) as connection:
        for database in ("engine", *OWNERS):
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))
        roles = connection.execute("SELECT rolname FROM pg_roles WHERE oid >= 16384").fetchall()
        for (role,) in roles:
            connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))
