"""DuckDB as engine: one file, opened read-only and held for as long as the engine is open, and tables of Parquet files.

Theory of operation. Each request has a cursor of its own and runs in one thread of a pool, its queries and all that is
done between them; the task that waits for it supervises. Whatever ends the waiting (the ticket, the watchdog, the
task's own cancellation) starts `_interrupt`, which goes on until the thread has ended: an interrupt that comes before a
statement starts has no effect in DuckDB, so one is not enough. Nor does the thread start another query then, and
what takes long between them ends (`dpproxy.interruption`). It is never left behind, and the cursor is closed after it,
never under it.

Files of a table with a source are not held. They are looked at before a request and after each of its queries, and what
was read of others than were found at the opening is told to nobody.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sys
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any, Final

import duckdb
from duckdb import DuckDBPyConnection

from dpproxy.catalog.policy import Proof
from dpproxy.engines import EngineColumn, EngineQuery, EngineSchema, LinkIndex, MadeIndex, Result, Ticket, Work, in_turn
from dpproxy.engines.canceling import canceled_by
from dpproxy.engines.duckdb import file_digest
from dpproxy.engines.duckdb.held_files import FoundFile, found_sources
from dpproxy.engines.duckdb.memory import Memory
from dpproxy.engines.duckdb.opening import OpenedDatabase, opened
from dpproxy.engines.duckdb.parsed_texts import ParsedTexts
from dpproxy.engines.duckdb.request_thread import RequestThread, check_sources, snapshot
from dpproxy.engines.duckdb.schema import read_schema
from dpproxy.engines.duckdb.tried import MOMENTS
from dpproxy.engines.duckdb.unit_file import NAME, make_unit_file
from dpproxy.engines.speed import RUNS, per_operation, text_over
from dpproxy.errors import DPProxyError, EngineFailure, StatementTimeout
from dpproxy.rows import Rows

_log: Final = logging.getLogger(__name__)
_INTERRUPT_EVERY = 0.01  # seconds

_SPEED = text_over("range({}) AS t(i)")


Job = Callable[[RequestThread], Result]


class DuckDBEngine:
    """An `Engine` over one DuckDB file.

    DuckDB keeps other processes from writing to a file that is open, and this one opens it read-only: what was verified
    on these very rows (`digest`) holds until `close`. In-memory databases are not offered: nothing could be in them.
    """

    dialect = "duckdb"

    def __init__(self, database: OpenedDatabase, max_concurrency: int, statement_timeout: float) -> None:
        self._database = database
        self.per_operation = per_operation([_seconds(database.connection, _SPEED) for _ in range(RUNS)])
        self._digest: str | None = None
        self._timeout = statement_timeout
        self._most = max_concurrency
        self._slots = asyncio.Semaphore(max_concurrency)
        self._pool = ThreadPoolExecutor(max_concurrency, thread_name_prefix="duckdb")
        self._running: dict[asyncio.Future[Any], RequestThread] = {}
        self._idle: list[DuckDBPyConnection] = []
        self._memory = Memory()
        self._texts = ParsedTexts()

    @classmethod
    def open(
        cls,
        path: Path | None,
        sources: Mapping[str, str] = MappingProxyType({}),
        units: Path | None = None,
        *,
        max_concurrency: int = 4,
        statement_timeout: float = 60.0,
    ) -> DuckDBEngine:
        """Open the file at `path`, and those of `sources`, a pattern of Parquet files for each table; `units`: where
        its unit indexes may be. At most `max_concurrency` requests run at once, each for `statement_timeout` s. Raises
        ConfigFault (see `opened`)."""
        return cls(opened(path, sources, units), max_concurrency, statement_timeout)

    async def reach(self) -> None:
        """The file is held open: it is there. Raises EngineUnavailable where a table's files are not as they were."""
        check_sources(self._database.sources)

    @property
    def version(self) -> str:
        """By their sizes, and when they were written to last: copies of a file are alike in these."""
        files = [file for found in self._database.sources.values() for file in found]
        files += [] if self._database.file is None else [self._database.file]
        return hashlib.sha256(repr([(each.size, each.written) for each in files]).encode()).hexdigest()

    async def replaced(self, sources: Mapping[str, str], unpinned: frozenset[str]) -> bool:
        """Whether another database file is in the place of this one, or of its unit indexes, or the sources' patterns
        find other files."""
        file = self._database.file
        if file is not None and (not file.there or _other_units(self._database)):
            return True
        return found_sources(sources) != self._database.sources

    async def run(self, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
        """What `work` returns, its queries run in turn in one read-only snapshot; all of it in one thread of the pool.

        DECIMAL comes as Decimal, every integer as int, UUID, DATE and TIMESTAMP as Python's own (infinite ones as
        their type's last value; dates that Python cannot hold as text).
        Inputs go in as lists of text, NULL as None, which the text's own CAST reads: no type is guessed from values.
        Raises EngineFailure (the cause is chained), StatementTimeout, QueryCanceled, and what `work` raises of
        DPProxyError.
        """
        until = asyncio.get_running_loop().time() + (self._timeout if seconds is None else seconds)
        return await canceled_by(ticket, self._supervised(lambda thread: snapshot(thread, work, self._memory), until))

    async def schema(self) -> EngineSchema:
        """All base tables of the file, and those with a source."""
        sources = tuple(self._database.sources)
        return await self._supervised(lambda thread: read_schema(thread.cursor, sources))

    async def digest(self) -> str | None:
        """Of the database file's content, its log included, made once; None where another file is in its place by now.

        Claim: it names the rows that this engine reads, until `close`. Because: it is made while DuckDB's lock keeps
        writers away, of the file that was there when this was opened (`file_digest`). A writer that asks for no lock
        is the one that is not seen: files are replaced, or written to by DuckDB, not patched. Checked by:
        tests/test_start.py.
        """
        if self._digest is None and self._database.file is not None:
            self._digest = await _digest(self._database.file)
        return self._digest

    async def unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
        """Those of the file beside the database that were made by these texts, of this very file.

        Claim: the rows of each are what its text gives of the rows that this engine reads, until `close`. Because: they
        were made of a file with the digest that is written beside them (`make_unit_file`), the one that is read has
        that digest, and both are held. Checked by: tests/test_unit_index.py.
        """
        units = self._database.units
        there = {} if units is None else units.definitions
        found = {relation: (NAME, relation) for relation, text in definitions.items() if there.get(relation) == text}
        if units is None or not found or await self.digest() != units.digest:
            return {}
        return found

    async def make_unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, MadeIndex]:
        """All of them in a new file, where the one is put that was there. Raises EngineFailure."""
        file, place, digest = self._database.file, self._database.unit_place, await self.digest()
        if file is None or place is None or digest is None or not definitions:
            return {}
        search = (self._database.name, "main")
        try:
            return await asyncio.to_thread(make_unit_file, file, search, digest, definitions, place)
        except (duckdb.Error, OSError) as cause:
            raise EngineFailure from cause

    async def missing_indexes(self, wanted: Collection[LinkIndex]) -> tuple[()]:
        """None: whole tables are read fast, and unit indexes are sooner still."""
        return ()

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """The file is held: nothing in it changes."""
        return None

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a public table, in no order. Moments and intervals are text: Python lacks some."""
        found = {column.name: column for column in (await self.schema()).tables[table].columns}
        items = ", ".join(_item(found[name]) for name in columns)
        text = f"SELECT {items} FROM {_quoted(table)} LIMIT {int(limit)}"
        return (await self.run(in_turn(EngineQuery(text)), ticket))[0]

    async def size(self, table: str) -> int:
        """How many rows a public table has."""
        (counted,) = await self.run(in_turn(EngineQuery(f"SELECT count(*) FROM {_quoted(table)}")), Ticket())
        return int(str(counted.rows[0][0]))

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
        for cursor in self._idle:
            cursor.close()
        self._database.close()

    async def _supervised(self, job: Job[Result], until: float | None = None) -> Result:
        """until: on the loop's clock. What has not ended then has run out of time, however it ends afterwards."""
        if until is None:
            until = asyncio.get_running_loop().time() + self._timeout
        async with self._slots:
            try:
                future, thread = self._start(job)
            except (duckdb.Error, RuntimeError) as cause:
                raise EngineFailure from cause
            try:
                async with asyncio.timeout_at(until) as watch:
                    return await asyncio.shield(future)
            except DPProxyError:
                raise
            except Exception as cause:
                raise StatementTimeout if watch.expired() else EngineFailure from cause
            finally:
                _interrupt(future, thread)
                if not future.done():
                    await asyncio.wait({future})

    def _start(self, job: Job[Result]) -> tuple[asyncio.Future[Result], RequestThread]:
        thread = RequestThread(self._idle.pop() if self._idle else self._cursor(), self._database, self._texts)
        future = asyncio.get_running_loop().run_in_executor(self._pool, job, thread)
        self._running[future] = thread
        future.add_done_callback(self._ended)
        return future, thread

    def _cursor(self) -> DuckDBPyConnection:
        cursor = self._database.connection.cursor()
        if self._database.search is not None:
            cursor.execute(self._database.search)
        return cursor

    def _ended(self, future: asyncio.Future[Result]) -> None:
        """A cursor is kept where nothing is left on it and nobody interrupted it: to make one takes a while."""
        thread = self._running.pop(future)
        if thread.clean and not thread.stopped:
            self._idle.append(thread.cursor)
        else:
            thread.cursor.close()
        future.exception()  # seen: whoever still waits raises it


def _interrupt(future: asyncio.Future[Result], thread: RequestThread) -> None:
    """Interrupt again and again until the thread has ended. A chain of callbacks: no cancellation can stop it."""
    if not future.done():
        thread.stop()
        future.get_loop().call_later(_INTERRUPT_EVERY, _interrupt, future, thread)


def _seconds(connection: DuckDBPyConnection, text: str) -> float:
    begun = perf_counter()
    connection.execute(text).fetchall()
    return perf_counter() - begun


def _other_units(database: OpenedDatabase) -> bool:
    """Whether the file of unit indexes is not the one that was there."""
    return database.unit_place is not None and FoundFile.at(database.unit_place) != database.unit_seen


async def _digest(file: FoundFile) -> str | None:
    program = [sys.executable, "-I", file_digest.__file__, str(file.path)]
    try:
        process = await asyncio.create_subprocess_exec(*program, stdout=asyncio.subprocess.PIPE)
    except OSError as cause:
        raise EngineFailure from cause
    try:
        told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode != 0:
        raise EngineFailure from OSError(f"the digest of {file.path} cannot be made")
    digest, *place = told.decode().split()
    return digest if [*map(int, place)] == [file.device, file.number] else None


def _quoted(table: str) -> str:
    """`schema.table`, or `table` of the default schema, as identifiers."""
    return ".".join(map(_quoted_name, table.split(".", 1)))


def _item(column: EngineColumn) -> str:
    own = _quoted_name(column.name)
    if column.type in ("interval", "timestamp with time zone"):
        return f"CAST({own} AS VARCHAR)"
    return f"TRY_CAST({own} AS TIMESTAMP)" if column.stored in MOMENTS else own


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
