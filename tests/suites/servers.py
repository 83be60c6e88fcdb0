"""What the suites run against: the proxy, and beside it plain Postgres servers that say what can be asked of it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
from clients.served import serving
from psycopg import sql
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from worlds import SCRIPT, make_world, statements

# asyncpg's tests of pools connect to a database of this name whatever they are told.
ANALYST, DATABASE = "erna", "postgres"
# Noise is nothing here, and the budget has no end: a suite asks about drivers.
_ANALYST = f"\n[analysts.{ANALYST}]\ntrust = true\nepsilon = 1e15\ndelta = 0.5\n"

# The rights of an analyst's role of the front over what a database holds. Functions and languages stay as Postgres
# gives them to everybody, so that what the proxy forbids of them is seen as a failure.
_RIGHTS = (
    "CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS",
    "REVOKE ALL ON DATABASE {database} FROM PUBLIC",
    "GRANT CONNECT ON DATABASE {database} TO {role}",
    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}",
    "CREATE SCHEMA {role} AUTHORIZATION {role}",
)
_READ_ONLY = "ALTER ROLE {role} SET default_transaction_read_only = on"


@dataclass(frozen=True, slots=True)
class Server:
    """Where a suite connects to, as ANALYST and to DATABASE."""

    host: str
    port: int

    @property
    def dsn(self) -> str:
        """How libpq connects."""
        return f"host={self.host} port={self.port} dbname={DATABASE} user={ANALYST}"

    @property
    def environment(self) -> dict[str, str]:
        """The same as environment variables."""
        return {"PGHOST": self.host, "PGPORT": str(self.port), "PGDATABASE": DATABASE, "PGUSER": ANALYST}


@contextmanager
def nowhere() -> Iterator[None]:
    """No server: what passes here says nothing about a server."""
    yield None


@contextmanager
def proxy() -> Iterator[Server]:
    """The proxy over the world of sql_fixtures, with an analyst."""
    with TemporaryDirectory() as directory:
        policy = make_world(Path(directory))
        text = policy.read_text().replace('database = "demo"', f'database = "{DATABASE}"')
        policy.write_text(text + _ANALYST)
        with serving(policy, DATABASE) as served:
            yield Server(served.host, served.port)


@contextmanager
def granted() -> Iterator[Server]:
    """A Postgres of the front's binaries with the world's tables, where the analyst has the same rights as a role."""
    with _postgres(_RIGHTS) as server:
        yield server


@contextmanager
def read_only() -> Iterator[Server]:
    """The same with every transaction read-only."""
    with _postgres((*_RIGHTS, _READ_ONLY)) as server:
        yield server


@contextmanager
def _postgres(rights: tuple[str, ...]) -> Iterator[Server]:
    with scratch_postgres(list(INSTALLATIONS.values())[-1], _Listening) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            for statement in statements(SCRIPT):
                connection.execute(statement.encode())
            names = {"role": sql.Identifier(ANALYST), "database": sql.Identifier(DATABASE)}
            for right in rights:
                connection.execute(sql.SQL(right).format(**names))
        yield Server("127.0.0.1", server.port)


class _Listening(ScratchPostgres):
    """On TCP too, at a port of its own; whoever comes is trusted."""

    def __init__(self, binaries: Path, directory: Path) -> None:
        super().__init__(binaries, directory, database=DATABASE)
        self.port = _free_port()
        self.options = ("-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}")

    @property
    def conninfo(self) -> str:
        return f"{super().conninfo} port={self.port}"

    @property
    def _maintenance(self) -> str:
        return f"{super()._maintenance} port={self.port}"

    def create(self) -> None:
        super().create()
        (self.data / "pg_hba.conf").write_text("local all all trust\nhost all all 127.0.0.1/32 trust\n")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
