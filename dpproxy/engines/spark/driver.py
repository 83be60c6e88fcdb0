"""Spark as engine: requests over Spark Connect, each in one session and one thread.

Theory of operation. A request takes an idle session that is as it was left, or begins one: up to there no query of the
statement's was sent, and what fails says that the engine cannot be reached. Its queries carry a tag. Whatever ends the
waiting interrupts what runs under the tag at the server, and then cuts the connection; the session is not used again.
The thread is never left behind.

Checked by: tests/spark/test_spark_driver.py.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from time import perf_counter
from typing import Final

from dpproxy.catalog.policy import Proof
from dpproxy.engines import EngineQuery, EngineSchema, LinkIndex, MadeIndex, Result, Ticket, Work, in_turn
from dpproxy.engines.canceling import canceled_by
from dpproxy.engines.spark.inputs import told
from dpproxy.engines.spark.schema import Tables, found_tables
from dpproxy.engines.spark.sessions import Files, Session, quoted
from dpproxy.engines.speed import RUNS, per_operation, text_over
from dpproxy.errors import ConfigFault, DPProxyError, EngineFailure, EngineUnavailable, StatementTimeout
from dpproxy.interruption import wanted_while
from dpproxy.rows import Rows

_PATIENCE: Final = 2.0  # seconds for the server to hear that something is to end
_ROWS: Final = 2_000_000  # a job of a cluster takes half a second to begin
_SPEED: Final = text_over("(SELECT id AS i FROM range(0, {}, 1, 1)) AS t", _ROWS)  # a unit is worked on by one core
_LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")


@dataclass(slots=True)
class _Request:
    """What the thread of a request works with. stopped: there is nobody left who waits for a result."""

    tag: str = field(default_factory=lambda: f"dpproxy-{token_hex(16)}")
    session: Session | None = None
    sent: bool = False
    stopped: bool = False


class SparkEngine:
    """An `Engine` over one server of Spark Connect."""

    dialect = "spark"

    def __init__(
        self, url: str, tables: Tables, seconds: float, max_concurrency: int, statement_timeout: float
    ) -> None:
        self._url, self._tables, self.per_operation = url, tables, seconds
        self._timeout = statement_timeout
        self._slots = asyncio.Semaphore(max_concurrency)
        self._pool = ThreadPoolExecutor(max_concurrency + 1, thread_name_prefix="spark")
        self._enders = ThreadPoolExecutor(max_concurrency + 1, thread_name_prefix="spark-ending")
        self._idle: list[Session] = []
        self._closed = False

    @classmethod
    async def open(
        cls,
        url: str,
        sources: Mapping[str, str],
        unpinned: frozenset[str] = frozenset(),
        *,
        max_concurrency: int,
        statement_timeout: float,
    ) -> SparkEngine:
        """Connect, find the tables, and measure. Raises ConfigFault."""
        try:
            tables, seconds = await asyncio.to_thread(_opened, url, sources, unpinned)
        except ConfigFault:
            raise
        except Exception as cause:
            raise ConfigFault("the Spark server cannot be used", detail=type(cause).__name__) from cause
        return cls(url, tables, seconds, max_concurrency, statement_timeout)

    async def reach(self) -> None:
        """A session answers; while all are at work, these show that it is there, and nobody waits for their ends, which
        depend on rows. Raises EngineUnavailable."""
        if not self._slots.locked():
            await self._supervised(in_turn(), self._timeout)

    @property
    def version(self) -> str:
        """By the names of the files that were found; empty where there are none."""
        files = {name: each.paths for name, each in self._tables.found.items() if isinstance(each, Files)}
        return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest() if files else ""

    async def replaced(self, sources: Mapping[str, str], unpinned: frozenset[str]) -> bool:
        """Whether other files would be found now, or other tables be read without a snapshot."""
        return (await asyncio.to_thread(_looked, self._url, sources, unpinned)).found != self._tables.found

    async def run(self, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
        """What `work` returns, its queries run in turn over the same files and versions."""
        return await canceled_by(ticket, self._supervised(work, self._timeout if seconds is None else seconds))

    async def schema(self) -> EngineSchema:
        """The tables as they were found."""
        return self._tables.schema

    async def digest(self) -> str | None:
        """None: nobody keeps others from writing to the files."""
        return None

    async def proof(self, keys: Collection[tuple[str, tuple[str, ...]]]) -> Proof | None:
        """None: no constraint is believed."""
        return None

    async def unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, tuple[str, str]]:
        """None: rows come and go."""
        return {}

    async def make_unit_indexes(self, definitions: Mapping[str, str]) -> Mapping[str, MadeIndex]:
        """None: they would not stay true."""
        return {}

    async def missing_indexes(self, wanted: Collection[LinkIndex]) -> tuple[()]:
        """None: it has no indexes."""
        return ()

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        """At most `limit` rows of a public table."""
        text = f"SELECT {', '.join(map(quoted, columns))} FROM {quoted(table)} LIMIT {int(limit)}"
        return (await self.run(in_turn(EngineQuery(text)), ticket))[0]

    async def size(self, table: str) -> int:
        """How many rows a public table has."""
        (found,) = await self.run(in_turn(EngineQuery(f"SELECT count(*) AS n FROM {quoted(table)}")), Ticket())
        return int(str(found.rows[0][0]))

    async def warnings(self, tables: Collection[str]) -> tuple[str, ...]:
        """A way without TLS to another machine."""
        host = self._url.removeprefix("sc://").partition("/")[0].rpartition(":")[0] or self._url
        if host in _LOCAL or "use_ssl=true" in self._url.lower() or "token=" in self._url:
            return ()
        return ("engine.url: rows' keys and sums cross the network without TLS; add ;use_ssl=true",)

    async def close(self) -> None:
        """End all sessions."""
        self._closed = True
        idle, self._idle = self._idle, []
        await asyncio.gather(*(asyncio.to_thread(_ended, each) for each in idle))
        self._pool.shutdown(wait=True)
        self._enders.shutdown(wait=False)

    async def _supervised(self, work: Work[Result], seconds: float) -> Result:
        until = asyncio.get_running_loop().time() + seconds
        async with self._slots:
            request = _Request(session=self._idle.pop() if self._idle else None)
            running = asyncio.get_running_loop().run_in_executor(self._pool, self._worked, request, work)
            try:
                async with asyncio.timeout_at(until) as watch:
                    return await asyncio.shield(running)
            except DPProxyError:
                raise
            except Exception as cause:
                if watch.expired():
                    raise StatementTimeout from cause
                raise (EngineFailure if request.sent else EngineUnavailable) from cause
            finally:
                await asyncio.shield(self._settled(request, running))

    def _worked(self, request: _Request, work: Work[Result]) -> Result:
        """In the thread of a request."""
        request.session = session = _ready(request.session, self._url, self._tables)
        request.sent = True
        pinned: dict[str, int] = {}
        try:
            with wanted_while(lambda: not request.stopped):
                query = next(work)
                while not request.stopped:
                    session.check_files(query.sql, self._tables.found)
                    session.pin(query.sql, self._tables.found, pinned)
                    rows = session.query(query.sql, request.tag, told(query))
                    session.check_files(query.sql, self._tables.found)
                    query = work.send(rows)
        except StopIteration as done:
            result: Result = done.value
            return result
        raise InterruptedError

    async def _settled(self, request: _Request, running: asyncio.Future[Result]) -> None:
        """The thread has ended when this has; its session is kept where all went well."""
        request.stopped = True
        loop = asyncio.get_running_loop()
        if not running.done() and request.session is not None:
            await asyncio.wait({loop.run_in_executor(self._enders, _interrupted, request)}, timeout=_PATIENCE)
            await asyncio.wait({running}, timeout=_PATIENCE)
        if not running.done() and request.session is not None:
            request.session.cut()
        if not running.done():
            await asyncio.wait({running})
        failed = running.cancelled() or running.exception() is not None
        if request.session is not None and (failed or self._closed):
            loop.run_in_executor(self._enders, _ended, request.session)
        elif request.session is not None:
            self._idle.append(request.session)


def _ready(idle: Session | None, url: str, tables: Tables) -> Session:
    """A session that is as it was left, or one that begins."""
    if idle is not None:
        try:
            idle.check()
        except Exception:  # noqa: BLE001 - lost, for whatever reason: another one says whether the server is there
            idle.cut()
        else:
            return idle
    session = Session(url)
    try:
        session.begin(tables.found)
    except BaseException:
        session.cut()
        raise
    return session


def _interrupted(request: _Request) -> None:
    if request.session is not None:
        with suppress(Exception):
            request.session.interrupt(request.tag)


def _ended(session: Session) -> None:
    with suppress(Exception):
        session.end()


def _looked(url: str, sources: Mapping[str, str], unpinned: frozenset[str]) -> Tables:
    session = Session(url)
    try:
        session.begin({})
        return found_tables(session, sources, unpinned)
    finally:
        _ended(session)


def _opened(url: str, sources: Mapping[str, str], unpinned: frozenset[str]) -> tuple[Tables, float]:
    session = Session(url)
    try:
        session.begin({})
        tables = found_tables(session, sources, unpinned)
        session.begin(tables.found)
        session.look(tables.found)
        return tables, per_operation([_seconds(session) for _ in range(RUNS)], _ROWS)
    finally:
        _ended(session)


def _seconds(session: Session) -> float:
    begun = perf_counter()
    session.query(_SPEED)
    return perf_counter() - begun
