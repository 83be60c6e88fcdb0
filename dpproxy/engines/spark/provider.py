"""What is provided of Spark: servers of Spark Connect, by its own URLs.

Checked by: tests/spark/test_spark_driver.py, tests/test_engines.py.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dpproxy.engines import Engine
from dpproxy.engines.described import Database
from dpproxy.engines.providers import Provider, WrongUrl
from dpproxy.engines.scratch import ScratchDatabase, ScratchTable, StartServer
from dpproxy.errors import ConfigFault

_URL = re.compile(r"sc://[^/;?#@\s]+(?:/(?:;[^\s]*)?)?")


@dataclass(frozen=True, slots=True)
class SparkServer:
    """A server of Spark Connect. `url` may hold a token and is never shown."""

    url: str = field(repr=False)

    @property
    def provider(self) -> Provider:
        """Spark's."""
        return PROVIDER

    @property
    def conninfo(self) -> None:
        """It is no server of Postgres's."""

    async def open(
        self,
        sources: Mapping[str, str],
        units: Path | None,
        unpinned: frozenset[str],
        *,
        max_concurrency: int,
        statement_timeout: float,
    ) -> Engine:
        """Connect to it, and find the files of its tables."""
        _needs_client()
        from dpproxy.engines.spark.driver import SparkEngine

        return await SparkEngine.open(
            self.url, sources, unpinned, max_concurrency=max_concurrency, statement_timeout=statement_timeout
        )

    def describe(self, beside: Path, tell: Callable[[str], None]) -> Database:
        """The tables of the server's current schema, as its catalog has them."""
        _needs_client()
        from dpproxy.engines.spark.describing import described

        return described(self.url, tell)


def _needs_client() -> None:
    try:
        import dpproxy.engines.spark.client  # noqa: F401
    except ImportError as cause:
        raise ConfigFault(
            "Spark needs its client, which is not installed", detail=f"pip install 'dpproxy[spark]' ({cause.name})"
        ) from cause


def _located(url: str, directory: Path) -> SparkServer:
    if not _URL.fullmatch(url):
        raise WrongUrl('is no URL of Spark Connect, which is "sc://HOST:15002" or "sc://HOST:443/;token=…"')
    return SparkServer(url)


@asynccontextmanager
async def _made(
    directory: Path, tables: Sequence[ScratchTable], places: Sequence[str], _: StartServer
) -> AsyncIterator[Mapping[str, ScratchDatabase]]:
    _needs_client()
    from dpproxy.engines.spark.making import sail, write_files

    async with sail() as url:
        yield {
            place: ScratchDatabase(
                url, {table.name: write_files(directory / f"files_{place}", table, place) for table in tables}
            )
            for place in places
        }


PROVIDER = Provider(
    name="spark",
    schemes=frozenset({"sc"}),
    form='"sc://HOST:15002"',
    openable="a server of Spark Connect that can be reached, and tables that it can read",
    holds_rows=False,
    keeps_keys=False,
    reads_files=True,
    reads_versions=True,
    may_lack_snapshots=True,
    located=_located,
    made=_made,
)
