"""What is provided of SQLite: files at `sqlite:///FILE`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import connect

from dpproxy.catalog.types import SqlType
from dpproxy.engines import Engine
from dpproxy.engines import described as tables
from dpproxy.engines.providers import Provider, WrongUrl
from dpproxy.engines.scratch import ScratchDatabase, ScratchTable, StartServer, quoted


@dataclass(frozen=True, slots=True)
class SQLiteFile:
    """The file at `path`."""

    path: Path

    @property
    def provider(self) -> Provider:
        """SQLite's."""
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
        """Open it to be read."""
        from toy.driver import SQLiteEngine

        return SQLiteEngine.open(self.path, statement_timeout)

    def describe(self, beside: Path, tell: Callable[[str], None]) -> tables.Database:
        """Its schema."""
        from toy.driver import SQLiteEngine, run_schema

        found = run_schema(SQLiteEngine.open(self.path, 60))
        tell(f"{len(found.tables)} tables")
        made = {
            name: tables.DescribedTable(
                name,
                tuple(tables.DescribedColumn(each.name, each.type, each.nullable) for each in table.columns),
                next(iter(table.unique), ()),
                table.unique,
            )
            for name, table in found.tables.items()
        }
        return tables.Database(self.path.name, f"sqlite:///{self.path}", made)


def _located(url: str, directory: Path) -> SQLiteFile:
    if not url.startswith("sqlite:///"):
        raise WrongUrl("is no URL that is known here")
    return SQLiteFile(directory / url.removeprefix("sqlite:///"))


@asynccontextmanager
async def _made(
    directory: Path, world: Sequence[ScratchTable], places: Sequence[str], _: StartServer
) -> AsyncIterator[Mapping[str, ScratchDatabase]]:
    urls = {}
    for place in places:
        path = directory / f"{place}.sqlite"
        with closing(connect(path)) as connection, connection:
            for table in world:
                connection.execute(creating(table.name, table.columns, table.unique))
                marks = ", ".join("?" * len(table.columns))
                connection.executemany(f"INSERT INTO {quoted(table.name)} VALUES ({marks})", table.of(place))
        urls[place] = ScratchDatabase(f"sqlite:///{path}")
    yield urls


def creating(name: str, columns: Sequence[tuple[str, SqlType]], unique: Sequence[tuple[str, ...]]) -> str:
    """The statement that makes a table of the kind that the engine takes."""
    types = {"bigint": "INTEGER", "integer": "INT", "text": "TEXT"}
    parts = [f"{column} {types[kind.name]}" for column, kind in columns]
    parts += [f"{'UNIQUE' if place else 'PRIMARY KEY'} ({', '.join(key)})" for place, key in enumerate(unique)]
    parts += [f"CHECK ({CHECKS[kind.name].format(column)})" for column, kind in columns if kind.name in CHECKS]
    return f"CREATE TABLE {name} ({', '.join(parts)}) STRICT"


CHECKS = {"text": "instr({}, char(0)) = 0", "integer": "{} BETWEEN -2147483648 AND 2147483647"}
"""What a table has to say of a column, which in SQLite could hold more than its type."""
PROVIDER = Provider(
    name="sqlite",
    schemes=frozenset({"sqlite"}),
    form='"sqlite:///FILE"',
    openable="a file of SQLite's",
    holds_rows=False,
    keeps_keys=True,
    reads_files=False,
    reads_versions=False,
    may_lack_snapshots=False,
    located=_located,
    made=_made,
)
