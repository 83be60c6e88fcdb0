"""What is provided of DuckDB: files.

Checked by: tests/test_engines.py, tests/test_init.py.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dpproxy.engines import Engine
from dpproxy.engines.described import Database
from dpproxy.engines.providers import Provider, WrongUrl
from dpproxy.engines.scratch import ScratchDatabase, ScratchTable, StartServer
from dpproxy.errors import ConfigFault


@dataclass(frozen=True, slots=True)
class DuckDBFile:
    """The file at `path`; None: no file, for tables that are all files of their own."""

    path: Path | None

    @property
    def provider(self) -> Provider:
        """DuckDB's."""
        return PROVIDER

    @property
    def conninfo(self) -> None:
        """A file is in no server."""

    async def open(
        self,
        sources: Mapping[str, str],
        units: Path | None,
        unpinned: frozenset[str],
        *,
        max_concurrency: int,
        statement_timeout: float,
    ) -> Engine:
        """Open it read-only, with the files of the tables' sources, and that of its unit indexes."""
        from dpproxy.engines.duckdb.driver import DuckDBEngine

        return await asyncio.to_thread(
            DuckDBEngine.open,
            self.path,
            sources,
            units,
            max_concurrency=max_concurrency,
            statement_timeout=statement_timeout,
        )

    def describe(self, beside: Path, tell: Callable[[str], None]) -> Database:
        """The file's schema."""
        from dpproxy.engines.duckdb.describing import described

        if self.path is None:
            raise ConfigFault("duckdb: names no file, so there is no schema to draft a policy from")
        path = self.path if self.path.is_absolute() else Path(os.path.relpath(self.path, beside))
        return described(self.path, f"duckdb:///{path.as_posix()}", tell)


def _located(url: str, directory: Path) -> DuckDBFile:
    match = re.fullmatch("duckdb:(?:///(.+))?", url)
    if match is None:
        raise WrongUrl("is no URL that is known here")
    return DuckDBFile(None if match[1] is None else directory / match[1])


@asynccontextmanager
async def _made(
    directory: Path, tables: Sequence[ScratchTable], places: Sequence[str], _: StartServer
) -> AsyncIterator[Mapping[str, ScratchDatabase]]:
    from dpproxy.engines.duckdb.making import made

    paths = {place: directory / f"audited_{place}.duckdb" for place in places}
    for place, path in paths.items():
        made(path, tables, place)
    yield {place: ScratchDatabase(f"duckdb:///{path}") for place, path in paths.items()}


PROVIDER = Provider(
    name="duckdb",
    schemes=frozenset({"duckdb"}),
    form='"duckdb:///FILE" (an absolute path has a fourth slash)',
    openable="a DuckDB file that can be read and is not open for writing",
    holds_rows=True,
    keeps_keys=True,
    reads_files=True,
    reads_versions=False,
    may_lack_snapshots=False,
    located=_located,
    made=_made,
)
