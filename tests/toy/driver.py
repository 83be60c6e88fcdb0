"""SQLite as engine: a connection for each request, and what its SQL lacks as functions in Python."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Collection, Mapping
from hashlib import md5
from pathlib import Path
from time import perf_counter

from dpproxy.catalog.policy import Proof
from dpproxy.engines import (
    EngineColumn,
    EngineQuery,
    EngineSchema,
    EngineTable,
    LinkIndex,
    MadeIndex,
    Result,
    Ticket,
    Work,
    in_turn,
)
from dpproxy.engines.canceling import canceled_by
from dpproxy.engines.scratch import quoted
from dpproxy.engines.speed import RUNS, per_operation, text_over
from dpproxy.errors import ConfigFault, DPProxyError, EngineFailure, StatementTimeout
from dpproxy.rows import Column, Rows, Value
from toy.provider import CHECKS

_TYPES = {"INTEGER": "bigint", "INT": "integer", "TEXT": "text"}
_MOST = 2**63
_NUMBERS = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) SELECT i FROM n) AS t"


class _Sum:
    """Whole numbers added up; what has no room is the last that has."""

    def __init__(self) -> None:
        self.total: int | None = None

    def step(self, value: int | None) -> None:
        if value is not None:
            self.total = (self.total or 0) + value

    def finalize(self) -> int | None:
        return None if self.total is None else max(min(self.total, _MOST - 1), -_MOST)


def connected(path: Path) -> sqlite3.Connection:
    """A connection that reads, with what bounded SQL calls and SQLite has not."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False, isolation_level=None)
    for name, choose in (("LEAST", min), ("GREATEST", max)):
        connection.create_function(
            name, -1, lambda *found, choose=choose: choose((v for v in found if v is not None), default=None),
            deterministic=True,
        )  # fmt: skip
    connection.create_function("MD5", 1, lambda text: text and md5(text.encode()).hexdigest(), deterministic=True)
    connection.create_function(
        "OCTET_LENGTH", 1, lambda text: None if text is None else len(text.encode()), deterministic=True
    )
    connection.create_aggregate("SUM", 1, _Sum)
    return connection


def rows_of(connection: sqlite3.Connection, query: EngineQuery) -> Rows:
    """The rows of a query. It takes no inputs: SQLite has no arrays."""
    if query.inputs:
        raise NotImplementedError("an array")
    cursor = connection.execute(query.sql)
    return Rows(tuple(Column(name, "") for name, *_ in cursor.description), tuple(cursor.fetchall()))


class SQLiteEngine:
    """An `Engine` over one file, which nobody writes to while it is open."""

    dialect = "sqlite"

    def __init__(self, path: Path, statement_timeout: float) -> None:
        self._path, self._timeout = path, statement_timeout
        self.per_operation = per_operation([self._seconds() for _ in range(RUNS)])

    @classmethod
    def open(cls, path: Path, statement_timeout: float) -> SQLiteEngine:
        """Raises ConfigFault where it is no file of SQLite's."""
        try:
            return cls(path, statement_timeout)
        except sqlite3.Error as cause:
            raise ConfigFault(f"the engine's file {path} cannot be opened", detail=str(cause)) from cause

    def _seconds(self) -> float:
        with connected(self._path) as connection:
            begun = perf_counter()
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            connection.execute(text_over(_NUMBERS)).fetchall()
            return perf_counter() - begun

    async def reach(self) -> None:
        """The file is there."""

    @property
    def version(self) -> str:
        """A database goes on."""
        return ""

    async def replaced(self, sources: Mapping[str, str], unpinned: frozenset[str]) -> bool:
        """Never."""
        return False

    async def run(self, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
        """What `work` returns, in one snapshot."""
        return await canceled_by(ticket, self._watched(work, self._timeout if seconds is None else seconds))

    async def _watched(self, work: Work[Result], seconds: float) -> Result:
        connection = connected(self._path)
        running = asyncio.ensure_future(asyncio.to_thread(_worked, connection, work))
        try:
            async with asyncio.timeout(seconds) as watch:
                return await asyncio.shield(running)
        except DPProxyError:
            raise
        except Exception as cause:
            raise StatementTimeout if watch.expired() else EngineFailure from cause
        finally:
            while not running.done():
                connection.interrupt()
                await asyncio.wait({running}, timeout=0.01)
            connection.close()

    async def schema(self) -> EngineSchema:
        """Strict tables whose checks say what their types do not: of others a column may hold anything."""
        with connected(self._path) as connection:
            found = connection.execute("SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')")
            tables, views = {}, {}
            for name, kind, sql in found.fetchall():
                if kind == "table" and _is_strict(sql):
                    tables[name] = _table(connection, name)
                else:
                    views[name] = f"a {kind} whose columns may hold anything"
            return EngineSchema(tables, views)

    async def digest(self) -> str | None:
        """None: it is only believed that nobody writes to the file."""
        return None

    async def unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
        """None: rows come and go."""
        return {}

    async def make_unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, MadeIndex]:
        """None: they would not stay true."""
        return {}

    async def missing_indexes(self, wanted: Collection[LinkIndex]) -> tuple[()]:
        """None: nobody asks."""
        return ()

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """None: constraints stay."""
        return None

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a public table."""
        text = f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)} LIMIT {limit}"
        return (await self.run(in_turn(EngineQuery(text)), ticket))[0]

    async def size(self, table: str) -> int:
        """How many rows a public table has."""
        (found,) = await self.run(in_turn(EngineQuery(f"SELECT count(*) FROM {quoted(table)}")), Ticket())
        return int(str(found.rows[0][0]))

    async def warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """None: it is opened to be read."""
        return ()

    async def close(self) -> None:
        """Nothing is held."""


def run_schema(engine: SQLiteEngine) -> EngineSchema:
    """The schema, for who is in no event loop."""
    return asyncio.run(engine.schema())


def _worked(connection: sqlite3.Connection, work: Work[Result]) -> Result:
    connection.execute("BEGIN")
    try:
        query = next(work)
        while True:
            query = work.send(rows_of(connection, query))
    except StopIteration as done:
        result: Result = done.value
        return result


def _is_strict(sql: str) -> bool:
    columns = re.findall(r"(\w+) (TEXT|INT)\b", sql)
    return sql.endswith("STRICT") and all(CHECKS[_TYPES[kind]].format(name) in sql for name, kind in columns)


def _table(connection: sqlite3.Connection, name: str) -> EngineTable:
    found: list[tuple[Value, ...]] = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
    columns = tuple(EngineColumn(str(c[1]), _TYPES.get(str(c[2]), str(c[2])), not (c[3] or c[5])) for c in found)
    key = tuple(str(c[1]) for c in sorted(found, key=lambda c: int(str(c[5]))) if c[5])
    return EngineTable(columns, frozenset({key} if key else ()))
