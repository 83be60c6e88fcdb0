"""The world with engine, front and ledger in databases of a Postgres server that is there already, each by a role.

`reader` may read the engine's database and do nothing else, `keeper` owns the front's and may make roles, `clerk` owns
the ledger's: none is a superuser, and each signs in with a password over TCP or the server's socket.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql
from scratch_postgres import ScratchPostgres
from worlds import FIXTURES, READER

ROLES = {"keeper": "LOGIN CREATEROLE PASSWORD 'keeping'", "clerk": "LOGIN PASSWORD 'counting'"}
PASSWORDS = {"reader": "reading", "keeper": "keeping", "clerk": "counting"}
OWNERS = {"demo": "keeper", "ledger": "clerk"}  # the front has the name that clients connect to


def make_given_world(directory: Path, server: ScratchPostgres, changes: Mapping[str, str] | None = None) -> Path:
    """Three databases on the server, and the policy in `directory` whose engine, front and ledger they are.

    changes: texts of the policy, which must be there, and what stands in their place.
    """
    with psycopg.connect(server.conninfo_of(server.owner, database="postgres"), autocommit=True) as connection:
        for role, options in ROLES.items():
            connection.execute(f"SET password_encryption = 'scram-sha-256'; CREATE ROLE {role} {options}")
        connection.execute("CREATE DATABASE engine")
        for database, owner in OWNERS.items():
            connection.execute(f"CREATE DATABASE {database} OWNER {owner}")
    with psycopg.connect(server.conninfo_of(server.owner, database="engine"), autocommit=True) as connection:
        connection.execute((FIXTURES / "world.sql").read_text())
        connection.execute(READER)
    return given_policy(directory, server, changes)


def given_policy(directory: Path, server: ScratchPostgres, changes: Mapping[str, str] | None = None) -> Path:
    """The policy of a proxy before databases that `make_given_world` made."""
    text = (FIXTURES / "world.toml").read_text()
    text = re.sub(r'"duckdb:///[^"]*"', f'"{url(server, "reader", "engine")}"', text)
    text = text.replace('"embedded:front"', f'"{url(server, "keeper", "demo")}"')
    text = text.replace("[privacy]", f'[ledger]\nurl = "{url(server, "clerk", "ledger")}"\n\n[privacy]')
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
