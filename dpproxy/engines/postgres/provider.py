"""What is provided of Postgres: databases of a server, as libpq's URLs name them.

Checked by: tests/test_engines.py, tests/test_init.py.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dpproxy.engines import Engine
from dpproxy.engines.described import Database
from dpproxy.engines.libpq import parts
from dpproxy.engines.providers import Provider
from dpproxy.engines.scratch import ScratchDatabase, ScratchTable, StartServer


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A database of a server. `url` may hold a password and is never shown."""

    url: str = field(repr=False)

    @property
    def provider(self) -> Provider:
        """Postgres's."""
        return PROVIDER

    @property
    def conninfo(self) -> str:
        """The URL itself."""
        return self.url

    async def open(
        self,
        sources: Mapping[str, str],
        units: Path | None,
        unpinned: frozenset[str],
        *,
        max_concurrency: int,
        statement_timeout: float,
    ) -> Engine:
        """Connect to it."""
        from dpproxy.engines.postgres.driver import PostgresEngine

        return await PostgresEngine.open(self.url, max_concurrency=max_concurrency, statement_timeout=statement_timeout)

    def describe(self, beside: Path, tell: Callable[[str], None]) -> Database:
        """The schema of the database, read from its catalog."""
        from dpproxy.engines.postgres.describing import described

        return described(self.url, tell)


def _located(url: str, directory: Path) -> PostgresDatabase:
    parts(url)
    return PostgresDatabase(url)


@asynccontextmanager
async def _made(
    directory: Path, tables: Sequence[ScratchTable], places: Sequence[str], start: StartServer
) -> AsyncIterator[Mapping[str, ScratchDatabase]]:
    from dpproxy.engines.postgres.making import made, made_empty

    async with start(directory / "engine") as server:
        await made_empty(server, tables)
        yield {place: ScratchDatabase(await made(server, tables, place)) for place in places}


PROVIDER = Provider(
    name="postgres",
    schemes=frozenset({"postgres", "postgresql"}),
    form='"postgresql://READER@HOST/DATABASE"',
    openable="a Postgres that can be reached, and a role that may SELECT there",
    holds_rows=False,
    keeps_keys=True,
    reads_files=False,
    reads_versions=False,
    may_lack_snapshots=False,
    located=_located,
    made=_made,
)
