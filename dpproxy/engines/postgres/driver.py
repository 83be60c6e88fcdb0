"""Postgres as engine, and whatever speaks as it does.

Theory of operation. Each request is one transaction on a connection of its own: BEGIN with all settings, its queries,
COMMIT. What is done between queries runs in a thread, so that the event loop goes on. A connection is used again only
where all went well; else it is closed, after what runs on it was cancelled in the server and has ended there. The end
of a transaction is a task of its own, which holds the request's slot and which no cancellation stops.

A failure before any query of the request was sent is `EngineUnavailable`: no row of it can have had a part in that.
From then on every failure is `EngineFailure`, a connection that breaks included: a row may have made the server's
process grow until the operating system killed it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Final

import asyncpg

from dpproxy.catalog.policy import Proof
from dpproxy.catalog.zones import ZONES
from dpproxy.engines import EngineQuery, EngineSchema, LinkIndex, MadeIndex, MissingIndex, Result, Ticket, Work, in_turn
from dpproxy.engines.canceling import canceled_by
from dpproxy.engines.postgres.link_indexes import read_missing
from dpproxy.engines.postgres.pool import BROKEN, Connection, Pool, end
from dpproxy.engines.postgres.role import read_warnings
from dpproxy.engines.postgres.schema import counting, proving, read_schema, selecting
from dpproxy.engines.postgres.settings import beginning
from dpproxy.engines.postgres.transaction import Transaction
from dpproxy.engines.speed import RUNS, SECONDS, per_operation, text_over
from dpproxy.errors import ConfigFault, DPProxyError, EngineFailure, EngineUnavailable, StatementTimeout
from dpproxy.rows import Rows

_SPEED = text_over("generate_series(1, {}) AS t(i)")
_GRACE = 1.0  # seconds that the server has to end by itself what takes too long

Job = Callable[[Transaction], Awaitable[Result]]
# A server under FIPS raises in md5(), for any row with a text. Bounded SQL has it: so it is tried where no row is read.
_USABLE: Final = "SELECT current_setting('server_encoding') WHERE md5('') IS NOT NULL"
# Those that a text may name: one that the server does not know would be an error as soon as there is a row.
_UNKNOWN_ZONES: Final = """
SELECT z FROM unnest(CAST($zones AS text[])) AS t(z) WHERE z NOT IN (SELECT name FROM pg_timezone_names) ORDER BY z"""


class PostgresEngine:
    """An `Engine` over one Postgres database, read by a role that need do no more than SELECT."""

    dialect = "postgres"

    def __init__(self, pool: Pool, max_concurrency: int, statement_timeout: float) -> None:
        self._pool = pool
        self._timeout = statement_timeout
        self._most = max_concurrency
        self._slots = asyncio.Semaphore(max_concurrency)
        self._threads = ThreadPoolExecutor(max_concurrency, thread_name_prefix="postgres engine")
        self._running: dict[asyncio.Timeout, Transaction] = {}
        self.per_operation = 0.0
        self._endings: set[asyncio.Task[None]] = set()  # kept here, or nobody would keep them

    @classmethod
    async def open(cls, url: str, *, max_concurrency: int = 4, statement_timeout: float = 60.0) -> PostgresEngine:
        """Connect to the database at `url`. At most `max_concurrency` requests run at once, each for so many seconds.

        Raises ConfigFault where it cannot be reached or used; its detail never holds the password.
        """
        engine = cls(Pool.of(url), max_concurrency, statement_timeout)
        try:
            asked = EngineQuery(_UNKNOWN_ZONES, {"zones": tuple(sorted(ZONES))})
            encoding, unknown = await engine.run(in_turn(EngineQuery(_USABLE), asked), Ticket())
            if encoding.rows != (("UTF8",),):
                detail = f"its encoding is {encoding.rows[0][0]}, not UTF8"
                raise ConfigFault("the engine's database cannot be used", detail=detail)
            if unknown.rows:
                detail = f"it does not know the time zone {unknown.rows[0][0]}"
                raise ConfigFault("the engine's database cannot be used", detail=detail)
            engine.per_operation = per_operation([await engine._seconds(_SPEED) for _ in range(RUNS)])
        except (EngineUnavailable, EngineFailure) as fault:
            await engine.close()
            detail = str(fault.__cause__) or type(fault.__cause__).__name__
            raise ConfigFault("the engine's database cannot be reached", detail=detail) from fault
        except ConfigFault:
            await engine.close()
            raise
        return engine

    async def reach(self) -> None:
        """A connection that is alive, at work or idle, or else a new one, which is kept. Raises EngineUnavailable.

        It has a slot like any request's, so that there are never more connections than may be.
        """
        if self._pool.closed:
            raise EngineUnavailable
        if any(not begun.connection.is_closed() for begun in self._running.values()):
            return
        async with self._slots:
            try:
                self._pool.put(self._pool.take() or await self._pool.connect())
            except Exception as cause:
                raise EngineUnavailable from cause

    async def run(self, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
        """What `work` returns, its queries run in turn in one read-only snapshot, the work in threads of the engine's.

        Raises EngineUnavailable where no query was sent, EngineFailure (the cause is chained), StatementTimeout,
        QueryCanceled, and what `work` raises of DPProxyError.
        """
        until = asyncio.get_running_loop().time() + (self._timeout if seconds is None else seconds)
        return await canceled_by(ticket, self._perform(lambda begun: begun.perform(work, self._threads), until))

    @property
    def version(self) -> str:
        """A database goes on."""
        return ""

    async def replaced(self, sources: Mapping[str, str], unpinned: frozenset[str]) -> bool:
        """Never: a database is asked where it is, and reads no files."""
        return False

    async def schema(self) -> EngineSchema:
        """All base tables of the database that are not the system's own."""
        return await self._perform(lambda begun: read_schema(begun.connection))

    async def digest(self) -> None:
        """None: rows come and go. Constraints alone keep a key unique."""

    async def unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
        """None: rows come and go."""
        return {}

    async def make_unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, MadeIndex]:
        """None: they would not stay true."""
        return {}

    async def missing_indexes(self, wanted: Collection[LinkIndex]) -> tuple[MissingIndex, ...]:
        """By its catalog, which says of each index which columns it holds."""
        tables = (await self.schema()).tables
        return await self._perform(lambda begun: read_missing(begun.connection, tables, wanted))

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """Asked of the catalog, in the snapshot of the data: constraints come and go."""
        tables = (await self.schema()).tables
        places = [(place, columns) for name, columns in keys if (place := tables[name].place) is not None]
        return await self._perform(lambda begun: proving(begun.connection, places)) if places else None

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a public table, in no order. Times of all kinds are text: Python lacks some."""

        async def job(begun: Transaction) -> Rows:
            found = (await read_schema(begun.connection)).tables[table]
            (rows,) = await begun.perform(in_turn(EngineQuery(selecting(found, columns, limit))), self._threads)
            return rows

        return await canceled_by(ticket, self._perform(job))

    async def size(self, table: str) -> int:
        """How many rows a public table has."""

        async def job(begun: Transaction) -> Rows:
            found = (await read_schema(begun.connection)).tables[table]
            (rows,) = await begun.perform(in_turn(EngineQuery(counting(found))), self._threads)
            return rows

        return int(str((await self._perform(job)).rows[0][0]))

    async def warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """What the role may do besides reading `tables`, and what hides rows of them from it."""

        async def job(begun: Transaction) -> tuple[str, ...]:
            return await read_warnings(begun.connection, await read_schema(begun.connection), tables)

        return await self._perform(job)

    def connections(self) -> dict[str, int]:
        """How many there are now, used and idle, and how many there may be."""
        return {"used": len(self._running), "idle": self._pool.idle, "most": self._most}

    async def close(self) -> None:
        """Cancel what runs, wait for its end, close all connections. What still queues fails."""
        self._pool.closed = True
        for watch in self._running:
            watch.reschedule(0)
        for _ in range(self._most):
            await self._slots.acquire()  # each ending lets go of one
        await self._pool.close()
        self._threads.shutdown()

    async def _seconds(self, text: str) -> float:
        begun = perf_counter()
        await self.run(in_turn(EngineQuery(text)), Ticket(), SECONDS)
        return perf_counter() - begun

    async def _perform(self, job: Job[Result], until: float | None = None) -> Result:
        """until: on the loop's clock. What has not ended then has run out of time, however it ends afterwards: how the
        server ends it may depend on a row."""
        if self._pool.closed:
            raise EngineUnavailable
        clock = asyncio.get_running_loop().time
        await self._slots.acquire()
        try:
            begun = await self._begin(clock() + self._timeout if until is None else until)
        except BaseException:
            self._slots.release()
            raise
        try:
            async with asyncio.timeout_at(begun.until + _GRACE) as watch:
                self._running[watch] = begun
                result = await job(begun)
                begun.complete = True
                return result
        except DPProxyError:
            raise
        except Exception as cause:
            raise EngineFailure if clock() < begun.until else StatementTimeout from cause
        finally:
            self._running.pop(watch)
            ending = asyncio.create_task(self._end(begun))
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)
            await asyncio.shield(ending)

    async def _begin(self, until: float) -> Transaction:
        """A transaction on a connection that answers: an idle one, or a new one where that is dead."""
        try:
            idle = self._pool.take()
            if idle is not None:
                try:
                    return await self._begin_on(idle, until)
                except BROKEN:
                    self._pool.forget()
            return await self._begin_on(await self._pool.connect(), until)
        except StatementTimeout:
            raise
        except Exception as cause:
            raise EngineUnavailable from cause

    async def _begin_on(self, connection: Connection, until: float) -> Transaction:
        left = max(until - asyncio.get_running_loop().time(), 0.0)
        try:
            async with asyncio.timeout(self._pool.patience):
                await connection.execute(beginning(left, connection.get_server_version()))
            if self._pool.closed:
                raise ConnectionError("the engine is closed")
        except asyncpg.QueryCanceledError as cause:  # the time is set there, and may be over before all else is
            connection.terminate()
            raise StatementTimeout from cause
        except BaseException:
            connection.terminate()
            raise
        return Transaction(connection, until)

    async def _end(self, begun: Transaction) -> None:
        begun.ending = True
        try:
            if begun.complete and await _committed(begun.connection, self._pool.patience):
                self._pool.put(begun.connection)
            else:
                await end(begun.connection, self._pool.patience)
            if begun.thread is not None and not begun.thread.done():
                await asyncio.wait({begun.thread})
        finally:
            self._slots.release()


async def _committed(connection: Connection, patience: float) -> bool:
    """Whether the transaction's end was heard of. Nothing was written, so its result stands in any case."""
    try:
        async with asyncio.timeout(patience):
            await connection.execute("COMMIT")
    except BROKEN:
        return False
    return True
