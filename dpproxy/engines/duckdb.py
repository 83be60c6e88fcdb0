"""DuckDB as engine: one file, opened read-only and held for as long as the engine is open.

Theory of operation. Each request has a cursor of its own and runs in a thread of a pool; the task that waits for it
supervises. Whatever ends the waiting (the ticket, the watchdog, the task's own cancellation) starts `_interrupt`, which
goes on until the thread has ended: an interrupt that comes before the statement starts has no effect in DuckDB, so one
is not enough. The thread is never left behind, and the cursor is closed after it, never under it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import duckdb
from duckdb import DuckDBPyConnection

from dpproxy.engines import EngineSchema, Ticket
from dpproxy.engines.duckdb_schema import postgres_type, read_schema
from dpproxy.errors import ConfigFault, EngineFailure, QueryCanceled
from dpproxy.rows import Column, Rows

Result = TypeVar("Result")
Work = Callable[[DuckDBPyConnection], Result]

_INTERRUPT_EVERY = 0.01  # seconds

# Threads are left at DuckDB's default, all cores, and memory at its default share of what there is.
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "preserve_insertion_order": "false",
    "ieee_floating_point_ops": "true",
}

_AMBIGUOUS = """
SELECT 1 FROM duckdb_schemas() WHERE schema_name = current_database()
AND database_name = current_database() AND schema_name <> 'main'"""


class DuckDBEngine:
    """An `Engine` over one DuckDB file.

    DuckDB keeps other processes from writing to a file that is open, and this one opens it read-only: what was verified
    once (`unique`) holds until `close`. In-memory databases are not offered: nothing could be in them.
    """

    dialect = "duckdb"

    def __init__(self, connection: DuckDBPyConnection, max_concurrency: int, statement_timeout: float) -> None:
        self._connection = connection
        self._timeout = statement_timeout
        self._slots = asyncio.Semaphore(max_concurrency)
        self._pool = ThreadPoolExecutor(max_concurrency, thread_name_prefix="duckdb")
        self._running: dict[asyncio.Future[Any], DuckDBPyConnection] = {}

    @classmethod
    def open(cls, path: Path, *, max_concurrency: int = 4, statement_timeout: float = 60.0) -> DuckDBEngine:
        """Open the file at `path`. At most `max_concurrency` requests run at once, each for `statement_timeout` s.

        Raises ConfigFault where the file is missing, is no DuckDB file, or is open for writing elsewhere.
        """
        try:
            connection = duckdb.connect(str(path), read_only=True, config=_CONFIG)
        except duckdb.Error as cause:
            raise ConfigFault(f"the engine's file {path} cannot be opened", detail=str(cause)) from cause
        if connection.execute(_AMBIGUOUS).fetchall():
            detail = (
                f"it holds a schema of the file's own name, {path.stem}, which makes names ambiguous: rename the file"
            )
            raise ConfigFault(f"the engine's file {path} cannot be used", detail=detail)
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        connection.execute("SET lock_configuration = true")
        return cls(connection, max_concurrency, statement_timeout)

    async def run(self, statements: tuple[str, ...], ticket: Ticket) -> tuple[Rows, ...]:
        """The result of each statement, in order, in one read-only snapshot.

        DECIMAL comes as Decimal, every integer as int, UUID, DATE and TIMESTAMP as Python's own (infinite ones as
        their type's last value; dates that Python cannot hold as text).
        Raises EngineFailure (the cause is chained) and QueryCanceled.
        """
        return await self._perform(lambda cursor: _snapshot(cursor, statements), ticket)

    async def schema(self) -> EngineSchema:
        """All base tables of the file."""
        return await self._perform(read_schema, Ticket())

    async def unique(self, table: str, columns: tuple[str, ...]) -> bool:
        """Whether `columns` are unique and not null, verified now; the file is held, so it stays so."""
        return await self._perform(lambda cursor: _is_unique(cursor, table, columns), Ticket())

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a public table, in no order."""
        text = f"SELECT {_list(columns)} FROM {_quoted(table)} LIMIT {int(limit)}"
        return (await self.run((text,), ticket))[0]

    async def close(self) -> None:
        """Interrupt what runs, wait for its threads, close the file. What still queues fails."""
        for future, cursor in self._running.items():
            _interrupt(future, cursor)
        if self._running:
            await asyncio.wait(tuple(self._running))
        self._pool.shutdown()
        self._connection.close()

    async def _perform(self, work: Work[Result], ticket: Ticket) -> Result:
        """Cancelling the ticket is cancelling the inner task, also while it still waits for a slot."""
        inner = asyncio.ensure_future(self._supervised(work))
        ticket.on_cancel(inner.cancel)
        try:
            return await inner
        except asyncio.CancelledError:
            outer = asyncio.current_task()
            if ticket.canceled and not (outer and outer.cancelling()):
                raise QueryCanceled("canceling statement due to user request") from None
            raise
        finally:
            ticket.on_cancel(None)

    async def _supervised(self, work: Work[Result]) -> Result:
        async with self._slots:
            try:
                future, cursor = self._start(work)
            except (duckdb.Error, RuntimeError) as cause:
                raise EngineFailure from cause
            try:
                async with asyncio.timeout(self._timeout):
                    return await asyncio.shield(future)
            except Exception as cause:
                raise EngineFailure from cause
            finally:
                _interrupt(future, cursor)
                if not future.done():
                    await asyncio.wait({future})

    def _start(self, work: Work[Result]) -> tuple[asyncio.Future[Result], DuckDBPyConnection]:
        cursor = self._connection.cursor()
        future = asyncio.get_running_loop().run_in_executor(self._pool, work, cursor)
        self._running[future] = cursor
        future.add_done_callback(self._ended)
        return future, cursor

    def _ended(self, future: asyncio.Future[Result]) -> None:
        self._running.pop(future).close()
        future.exception()  # seen: whoever still waits raises it


def _interrupt(future: asyncio.Future[Result], cursor: DuckDBPyConnection) -> None:
    """Interrupt again and again until the thread has ended. A chain of callbacks: no cancellation can stop it."""
    if not future.done():
        cursor.interrupt()
        future.get_loop().call_later(_INTERRUPT_EVERY, _interrupt, future, cursor)


def _snapshot(cursor: DuckDBPyConnection, statements: tuple[str, ...]) -> tuple[Rows, ...]:
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    results = tuple(_query(cursor, text) for text in statements)
    cursor.execute("COMMIT")
    return results


def _query(cursor: DuckDBPyConnection, text: str) -> Rows:
    """The result of one query. Raises ValueError for anything else than exactly one."""
    statements = cursor.extract_statements(text)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise ValueError("exactly one query is expected")
    cursor.execute(statements[0])
    columns = tuple(Column(name, postgres_type(str(kind))) for name, kind, *_ in cursor.description or ())
    return Rows(columns, tuple(cursor.fetchall()))


def _is_unique(cursor: DuckDBPyConnection, table: str, columns: tuple[str, ...]) -> bool:
    keys, missing = _list(columns), " OR ".join(f"{_quoted_name(column)} IS NULL" for column in columns)
    return not _query(
        cursor,
        f"SELECT 1 FROM {_quoted(table)} WHERE {missing} "
        f"UNION ALL (SELECT 1 FROM {_quoted(table)} GROUP BY {keys} HAVING count(*) > 1) LIMIT 1",
    ).rows


def _quoted(table: str) -> str:
    """`schema.table`, or `table` of the default schema, as identifiers."""
    return ".".join(map(_quoted_name, table.split(".", 1)))


def _list(columns: tuple[str, ...]) -> str:
    return ", ".join(map(_quoted_name, columns))


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
