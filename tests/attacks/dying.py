"""A proxy's resources on an event loop that strikes at any await: the process dies there, or something is cancelled.

What is driven is the real thing, from the plan to the released rows: recall, answer, ledger, store and engine, over a
real Postgres and a real DuckDB file. Every await of every task is counted. One that dies does no more: nothing after
its await runs, no `finally`, no errand; its connections just end. What left a process before is kept in `Seen`.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

import psycopg
import pytest
from psycopg import AsyncConnection

import dpproxy.answering.run
import dpproxy.release
from attacks.steps import Steps
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.answering.answer import Answer, answer
from dpproxy.answering.queue import QueueShare, StatementQueue
from dpproxy.answering.resources import AnalystAccount, Resources
from dpproxy.answering.stored import StoredReleases
from dpproxy.engines import Result, Ticket, Work
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.errors import DPProxyError, EngineFailure
from dpproxy.ledger import Ledger, connection_pool, release_store
from dpproxy.mechanisms.kinds import Mechanism
from dpproxy.plan.private_plan import Plan, Release
from dpproxy.plan.timing import Speed
from dpproxy.release_identity import written
from dpproxy.rows import Rows
from dpproxy.server.services import BackgroundTasks

SIZE = 1 << 20
PATIENCE_SECONDS = 60.0


class Strike(StrEnum):
    """What happens at an await: the end of the process, or a cancellation: of what the client asked (it has
    gone, or it says so: by the ticket), of the task that waits there, whichever it is."""

    DEATH = "death"
    GONE = "gone"
    TICKET = "ticket"
    INNER = "inner"


class Died(SystemExit):
    """The one way out of an event loop that asks nobody."""


@dataclass
class Seen:
    """One statement that was asked, and all that came of it outside of the process.

    drawn: what each draw of noise lost. released: rows by their release. told: the answer that left.
    """

    analyst: str
    statement: str
    plan: Plan
    queries: int = 0
    drawn: list[Loss] = field(default_factory=list)
    released: list[tuple[Release, str]] = field(default_factory=list)
    told: Answer | None = None
    fault: BaseException | None = None

    @property
    def lost(self) -> Loss:
        """All of it together."""
        return sum(self.drawn, ZERO)


NOTHING: Mapping[int, Strike] = {}
_now = threading.local()


@contextmanager
def recorded(monkeypatch: pytest.MonkeyPatch, accounting: Accounting) -> Iterator[None]:
    """Noise and releases are written down in the `Seen` of the statement that they are made for."""
    release = dpproxy.answering.run.release

    def released(plan_release: Release, exact: Rows, space: Any, earlier: Sequence[Rows] = ()) -> Rows:
        rows = release(plan_release, exact, space, earlier)
        _now.seen.released.append((plan_release, written(rows)))
        return rows

    def drawn(kind: type[Mechanism]) -> Callable[..., object]:
        """Once for what a mechanism tells, whichever others it is made of."""
        tell: Callable[..., object] = kind.release

        def release_drawn(mechanism: Mechanism, exact: object) -> object:
            if getattr(_now, "within", False):
                return tell(mechanism, exact)
            _now.seen.drawn.append(mechanism.loss(accounting))
            _now.within = True
            try:
                return tell(mechanism, exact)
            finally:
                _now.within = False

        return release_drawn

    with monkeypatch.context() as patch:
        for kind in get_args(Mechanism):
            patch.setattr(kind, "release", drawn(kind))
        patch.setattr(dpproxy.answering.run, "release", released)
        patch.setattr(release_store, "_LEASE", 0.2)  # seconds that the claim of one who died is waited for
        patch.setattr(connection_pool.AsyncConnection, "connect", _connected)
        yield


_opened: list[AsyncConnection[Any]] = []
_connect = AsyncConnection.connect


async def _connected(*given: Any, **more: Any) -> AsyncConnection[Any]:
    connection = await _connect(*given, **more)
    _opened.append(connection)
    return connection


SPEED = Speed(60.0, 1e-7)


class _Tagged:
    """An engine whose work is done for one statement. fails: every query does, as one that a row ended."""

    dialect = "duckdb"

    def __init__(self, engine: DuckDBEngine, seen: Seen, fails: bool) -> None:
        self._engine, self._seen, self._fails = engine, seen, fails

    async def reach(self) -> None:
        await self._engine.reach()

    async def run(self, work: Work[Result], ticket: Ticket, seconds: float | None = None) -> Result:
        return await self._engine.run(self._told(work), ticket, seconds)

    def _told(self, work: Work[Result]) -> Work[Result]:
        rows: Any = None
        while True:
            _now.seen = self._seen
            try:
                query = work.send(rows)
            except StopIteration as done:
                result: Result = done.value
                return result
            self._seen.queries += 1
            if self._fails:
                raise EngineFailure
            rows = yield query


@dataclass(frozen=True)
class Asked:
    """A statement to be asked. proxy: by which of the processes that share the ledger. fails: see `_Tagged`."""

    account: AnalystAccount
    plan: Plan
    statement: str
    proxy: int = 0
    fails: bool = False


@dataclass(frozen=True)
class Site:
    """Where the ledger and the data are."""

    conninfo: str
    file: Path
    accounting: Accounting

    def run(self, asked: Sequence[Asked], strikes: Mapping[int, Strike] = NOTHING) -> tuple[list[Seen], int]:
        """Processes that live as long as these statements, asked all at once. strikes: by the number of the await; they
        hit the first statement, but death hits all. What was seen, and how many awaits there were until the end,
        errands included.
        """
        seen = [Seen(each.account.ref.analyst, each.statement, each.plan) for each in asked]
        steps, loop = Steps(), asyncio.new_event_loop()
        loop.set_task_factory(steps.task)
        life = _Life(self, steps, strikes)
        _opened.clear()
        try:
            loop.run_until_complete(asyncio.wait_for(life.live(asked, seen), PATIENCE_SECONDS))
        except Died:
            steps.dead = True
            life.bury()
            loop.set_exception_handler(lambda *_: None)
        finally:
            loop.close()
            for task in steps.tasks:
                task.close()
        return seen, steps.count


@dataclass
class _Life:
    """One or two processes, from their start to their end."""

    site: Site
    steps: Steps
    strikes: Mapping[int, Strike]
    engine: DuckDBEngine | None = None
    own: set[asyncio.Task[Any]] = field(default_factory=set)

    async def live(self, asked: Sequence[Asked], seen: Sequence[Seen]) -> None:
        self.engine = DuckDBEngine.open(self.site.file, max_concurrency=2)
        proxies = 1 + max(each.proxy for each in asked)
        ledgers = [await Ledger.open(self.site.conninfo, self.site.accounting) for _ in range(proxies)]
        stores = [each.store(SIZE) for each in ledgers]
        errands = BackgroundTasks()
        turns, places = (StatementQueue(most, lambda _: QueueShare(4, 8)) for most in (4, 2))
        tickets = [Ticket() for _ in asked]
        later = lambda work: work.close() if self.steps.dead else errands.later(work)  # noqa: E731
        tasks: list[asyncio.Task[None]] = []
        self.own = asyncio.all_tasks()
        self.steps.strike = lambda number: self._strike(self.strikes.get(number), tasks, tickets)
        self.steps.begin()
        for each, into, ticket in zip(asked, seen, tickets, strict=True):
            tagged: Any = _Tagged(self.engine, into, each.fails)
            resources = Resources(tagged, ledgers[each.proxy], later, SPEED, turn=turns.place, place=places.place)
            stored = StoredReleases(stores[each.proxy], b"policy")
            tasks.append(asyncio.ensure_future(self._ask(resources, stored, each, into, ticket)))
        await asyncio.wait(tasks)
        await errands.finish()
        self.steps.end()
        assert not any(each._under_way for each in stores), "a claim that nobody ends: whoever asks again would wait"
        for kept in (*stores, *ledgers, self.engine):
            await kept.close()

    async def _ask(
        self, resources: Resources, stored: StoredReleases, asked: Asked, into: Seen, ticket: Ticket
    ) -> None:
        try:
            into.told = await answer(resources, stored, asked.account, asked.plan, asked.statement, ticket)
        except (DPProxyError, asyncio.CancelledError) as fault:
            into.fault = fault

    def _strike(self, strike: Strike | None, tasks: Sequence[asyncio.Task[None]], tickets: Sequence[Ticket]) -> None:
        match strike:
            case None:
                pass
            case Strike.DEATH:
                raise Died
            case Strike.GONE:
                tasks[0].cancel()
            case Strike.TICKET:
                tickets[0].cancel()
            case Strike.INNER:
                current = asyncio.current_task()
                if current is not None and current not in self.own:
                    current.cancel()

    def bury(self) -> None:
        """What the system does with a process that has ended: its connections are cut, its threads are gone."""
        for connection in _opened:
            with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as twin:
                twin.shutdown(socket.SHUT_RDWR)
            connection.pgconn.finish()
        if self.engine is not None:
            for thread in self.engine._running.values():
                thread.stop()
            self.engine._pool.shutdown()
            self.engine._database.close()
