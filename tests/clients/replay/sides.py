"""The two servers: a proxy over a policy, and a plain Postgres of the same binaries with the schema of the stubs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import duckdb
import psycopg
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres
from worlds import statements

from dpproxy.config.sections import ServerSection
from dpproxy.front.embedded_front import running
from dpproxy.front.server_process import OWNER, SETTINGS, connections_for

from ..served import serving
from .naming import Names, read_names
from .player import Address

HERE = Path(__file__).parent
# Through the proxy the current schema is that of the policy's tables.
_OPTIONS = r'-c search_path=public,\ "$user"'
ANALYST, DATABASE = "ada", "demo"
_OF_THE_PLACE = frozenset({"listen_addresses", "unix_socket_directories", "port"})
_SETTINGS = {name: value for name, value in SETTINGS.items() if name not in _OF_THE_PLACE} | {
    "io_method": "sync",
    "max_connections": str(connections_for(ServerSection().max_connections)),
}


@dataclass(frozen=True)
class Side:
    """A server as a client meets it: where it listens, and what its OIDs stand for.

    options: what is set in each session before the client's own options.
    """

    address: Address
    names: Names
    options: str = ""

    def parameters(self, recorded: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """A recorded startup packet as sent here."""
        given = dict(recorded)
        ours = {"user": ANALYST, "database": DATABASE}
        options = f"{self.options} {given.get('options', '')}".strip()
        return tuple({**given, **ours, **({"options": options} if options else {})}.items())


@contextmanager
def proxy(directory: Path) -> Iterator[Side]:
    """A proxy over the policy of this directory."""
    with duckdb.connect(str(directory / "engine.duckdb")) as connection:
        for statement in statements((HERE / "engine.sql").read_text()):
            connection.execute(statement)
    policy = directory / "policy.toml"
    policy.write_text((HERE / "policy.toml").read_text().replace("<directory>", str(directory)))
    with serving(policy, DATABASE) as served:
        with served.connect(ANALYST) as connection:
            connection.execute("SELECT FROM other.t2")  # at first use its rows are copied and counted
        yield Side((served.host, served.port), asyncio.run(_names_of_the_front(directory / "front")))


async def _names_of_the_front(directory: Path) -> Names:
    async with running(directory, DATABASE) as address:
        return await asyncio.to_thread(read_names, address.conninfo())


@contextmanager
def judge() -> Iterator[Side]:
    """A plain Postgres of the front's binaries, made and set up like the front, with the tables of `judge.sql`."""
    with scratch_postgres(list(INSTALLATIONS.values())[-1], _Judge) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute((HERE / "judge.sql").read_bytes())
        yield Side(str(server.directory / ".s.PGSQL.5432"), read_names(server.conninfo), _OPTIONS)


@dataclass
class _Judge(ScratchPostgres):
    """Whoever comes is trusted."""

    owner: str = OWNER
    database: str = DATABASE
    options: ClassVar[tuple[str, ...]] = tuple(
        word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")
    )

    made_with: ClassVar[tuple[str, ...]] = (
        *("--encoding=UTF8", "--locale=C", "--text-search-config=english", "--data-checksums", "-N"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
    )

    def create(self) -> None:
        """Its rules are those that `initdb` writes."""
