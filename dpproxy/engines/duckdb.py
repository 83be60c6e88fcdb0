"""DuckDB as engine: one file, opened read-only and held for as long as the engine is open.

Theory of operation. Each request has a cursor of its own and runs in one thread of a pool, its queries and all that is
done between them; the task that waits for it supervises. Whatever ends the waiting (the ticket, the watchdog, the
task's own cancellation) starts `_interrupt`, which goes on until the thread has ended: an interrupt that comes before a
statement starts has no effect in DuckDB, so one is not enough. Nor does the thread start another query then. It is
never left behind, and the cursor is closed after it, never under it.

All requests share one memory: a query that ran out of it beside others runs again, alone (`duckdb_memory`). Nothing of
its result was seen, and the file does not change, so it is the same query over the same rows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from duckdb import DuckDBPyConnection

from dpproxy.catalog.model import Proof
from dpproxy.engines import EngineSchema, Query, Result, Ticket, Work, in_turn
from dpproxy.engines.canceling import canceled_by
from dpproxy.engines.duckdb_memory import Memory
from dpproxy.engines.duckdb_schema import postgres_type, read_schema
from dpproxy.errors import ConfigFault, DPProxyError, EngineFailure
from dpproxy.rows import Column, Rows, Value

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

_BEGIN = "BEGIN TRANSACTION READ ONLY"
_AMBIGUOUS = """
SELECT 1 FROM duckdb_schemas() WHERE schema_name = current_database()
AND database_name = current_database() AND schema_name <> 'main'"""


@dataclass(slots=True)
class _Thread:
    """What the thread of a request works with. `stopped`: there is nobody left who waits for a result."""

    cursor: DuckDBPyConnection
    stopped: bool = False

    def stop(self) -> None:
        self.stopped = True
        self.cursor.interrupt()


Job = Callable[[_Thread], Result]


class DuckDBEngine:
    """An `Engine` over one DuckDB file.

    DuckDB keeps other processes from writing to a file that is open, and this one opens it read-only: what was verified
    once (`unique`) holds until `close`. In-memory databases are not offered: nothing could be in them.
    """

    dialect = "duckdb"
    verifies = True

    def __init__(self, connection: DuckDBPyConnection, max_concurrency: int, statement_timeout: float) -> None:
        self._connection = connection
        self._timeout = statement_timeout
        self._most = max_concurrency
        self._slots = asyncio.Semaphore(max_concurrency)
        self._pool = ThreadPoolExecutor(max_concurrency, thread_name_prefix="duckdb")
        self._running: dict[asyncio.Future[Any], _Thread] = {}
        self._memory = Memory()

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

    async def reach(self) -> None:
        """The file is held open: it is there."""

    async def run(self, work: Work[Result], ticket: Ticket) -> Result:
        """What `work` returns, its queries run in turn in one read-only snapshot; all of it in one thread of the pool.

        DECIMAL comes as Decimal, every integer as int, UUID, DATE and TIMESTAMP as Python's own (infinite ones as
        their type's last value; dates that Python cannot hold as text).
        Inputs go in as lists of text, NULL as None, which the text's own CAST reads: no type is guessed from values.
        Raises EngineFailure (the cause is chained), QueryCanceled, and what `work` raises of DPProxyError.
        """
        return await canceled_by(ticket, self._supervised(lambda thread: _snapshot(thread, work, self._memory)))

    async def schema(self) -> EngineSchema:
        """All base tables of the file."""
        return await self._supervised(lambda thread: read_schema(thread.cursor))

    async def unique(self, table: str, columns: tuple[str, ...]) -> bool:
        """Whether `columns` are unique and not null, verified now; the file is held, so it stays so."""
        return await self._supervised(lambda thread: _is_unique(thread.cursor, table, columns))

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """The file is held: nothing in it changes."""
        return None

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a public table, in no order."""
        text = f"SELECT {_list(columns)} FROM {_quoted(table)} LIMIT {int(limit)}"
        return (await self.run(in_turn(Query(text)), ticket))[0]

    async def warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """None: the file is held read-only, whoever opened it."""
        return ()

    def connections(self) -> dict[str, int]:
        """How many cursors there are now, and how many there may be."""
        return {"used": len(self._running), "most": self._most}

    async def close(self) -> None:
        """Interrupt what runs, wait for its threads, close the file. What still queues fails."""
        for future, thread in self._running.items():
            _interrupt(future, thread)
        if self._running:
            await asyncio.wait(tuple(self._running))
        self._pool.shutdown()
        self._connection.close()

    async def _supervised(self, job: Job[Result]) -> Result:
        async with self._slots:
            try:
                future, thread = self._start(job)
            except (duckdb.Error, RuntimeError) as cause:
                raise EngineFailure from cause
            try:
                async with asyncio.timeout(self._timeout):
                    return await asyncio.shield(future)
            except DPProxyError:
                raise
            except Exception as cause:
                raise EngineFailure from cause
            finally:
                _interrupt(future, thread)
                if not future.done():
                    await asyncio.wait({future})

    def _start(self, job: Job[Result]) -> tuple[asyncio.Future[Result], _Thread]:
        thread = _Thread(self._connection.cursor())
        future = asyncio.get_running_loop().run_in_executor(self._pool, job, thread)
        self._running[future] = thread
        future.add_done_callback(self._ended)
        return future, thread

    def _ended(self, future: asyncio.Future[Result]) -> None:
        self._running.pop(future).cursor.close()
        future.exception()  # seen: whoever still waits raises it


def _interrupt(future: asyncio.Future[Result], thread: _Thread) -> None:
    """Interrupt again and again until the thread has ended. A chain of callbacks: no cancellation can stop it."""
    if not future.done():
        thread.stop()
        future.get_loop().call_later(_INTERRUPT_EVERY, _interrupt, future, thread)


def _snapshot(thread: _Thread, work: Work[Result], memory: Memory) -> Result:
    thread.cursor.execute(_BEGIN)
    result = _worked(thread, work, memory)
    thread.cursor.execute("COMMIT")
    return result


def _worked(thread: _Thread, work: Work[Result], memory: Memory) -> Result:
    try:
        query = next(work)
        while not thread.stopped:
            query = work.send(_fitting(thread, query, memory))
    except StopIteration as done:
        result: Result = done.value
        return result
    raise InterruptedError


def _fitting(thread: _Thread, query: Query, memory: Memory) -> Rows:
    """The result of a query, beside others or, where there is too little memory for it and them, alone."""
    with memory.shared(lambda: thread.stopped):
        try:
            return _query(thread.cursor, query)
        except duckdb.OutOfMemoryException:
            thread.cursor.execute("ROLLBACK")  # lets go of what it had, before anybody is alone
    with memory.alone(lambda: thread.stopped):
        thread.cursor.execute(_BEGIN)
        return _query(thread.cursor, query)


def _query(cursor: DuckDBPyConnection, query: Query) -> Rows:
    """The result of one query. Raises ValueError for anything else than exactly one."""
    statements = cursor.extract_statements(query.sql)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise ValueError("exactly one query is expected")
    cursor.execute(statements[0], {name: _texts(values) for name, values in query.inputs.items()})
    columns = tuple(Column(name, postgres_type(str(kind))) for name, kind, *_ in cursor.description or ())
    return Rows(columns, tuple(cursor.fetchall()))


def _texts(values: tuple[Value, ...]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _is_unique(cursor: DuckDBPyConnection, table: str, columns: tuple[str, ...]) -> bool:
    keys, missing = _list(columns), " OR ".join(f"{_quoted_name(column)} IS NULL" for column in columns)
    text = (
        f"SELECT 1 FROM {_quoted(table)} WHERE {missing} "
        f"UNION ALL (SELECT 1 FROM {_quoted(table)} GROUP BY {keys} HAVING count(*) > 1) LIMIT 1"
    )
    return not _query(cursor, Query(text)).rows


def _quoted(table: str) -> str:
    """`schema.table`, or `table` of the default schema, as identifiers."""
    return ".".join(map(_quoted_name, table.split(".", 1)))


def _list(columns: tuple[str, ...]) -> str:
    return ", ".join(map(_quoted_name, columns))


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
