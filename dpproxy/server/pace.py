"""When the end of a private statement leaves, where `[server] constant_time` is on: at few stated moments.

How long the engine works can depend on the rows, so the moment of an answer would tell of them. On a grid it tells
little: whatever comes of a statement (rows, DP005, 08006, 55000, 57014) leaves at one, two, four, eight … `time_grid`
after its charge, and the last moment is that of `statement_timeout` with two seconds for the engine to end. With 100 ms
and a minute that is one of eleven moments: less than 3.5 bits of each statement. A grid as long as the limit has one
for all answers.

The grid begins with the charge, because data is touched then and not before: what is refused, waits, or is told again
from the store does not depend on a row. While an end is kept back

- its place among the statements at work stays taken, its outcome in `dp.statements` is not written down, nobody is
  stopped, and nothing is stored: other sessions see all of that when the answer leaves. So how long they wait for a
  turn is made of such moments too;
- a cancel request does what it does to a statement that runs: 57014, and the charge stays. A grid of its own begins
  with it, so that it takes effect soon, and at the same moment whether there was something left to cancel or not. A
  client that goes, and a session that ends, cancel what they had at work.

What is not hidden stands in the README, in the security policy: which of the moments it was, and the load on a machine
that others share.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final

from dpproxy.config import Config
from dpproxy.engines import Ticket
from dpproxy.errors import EngineFailure, QueryCanceled

_log: Final = logging.getLogger(__name__)
ENDING: Final = 2.0
"""Seconds that an engine is given to end what takes longer than the limit."""
Pace = Callable[[str, Ticket], AbstractAsyncContextManager[None]]


@dataclass(frozen=True, slots=True)
class Grid:
    """Moments in seconds: step, 2 step, 4 step … before `limit`, and then the limit's own, `ENDING` after it."""

    step: float
    limit: float

    @property
    def last(self) -> float:
        """The limit's own moment."""
        return self.limit + ENDING


def moments(grid: Grid) -> Iterator[float]:
    """All of them in order. An engine that does not end in time has moments too: 2 last, 4 last …"""
    moment = grid.step
    while moment < grid.limit:
        yield moment
        moment *= 2
    moment = grid.last
    while True:
        yield moment
        moment *= 2


def next_on_grid(grid: Grid, elapsed: float) -> float:
    """The first moment that is not before `elapsed`.

    Claim: of all times up to `last` it tells one of at most log2(limit / step) + 2 values, and one if step >= limit.
    Because: it is one of `moments`, of which so many are not after `last`.
    Checked by: tests/test_pace.py::test_the_grid_has_few_moments.
    """
    return next(moment for moment in moments(grid) if moment >= elapsed)


def pace_of(config: Config, held: Callable[[float], None], stopping: Callable[[], bool]) -> Pace:
    """How answers leave. held: told of the seconds that each was kept back. stopping: whether the proxy ends, and
    everything at once."""
    if not config.server.constant_time:
        return lambda *_: nullcontext()
    return Paced(Grid(config.server.time_grid, config.engine.statement_timeout), held, stopping).pace


class Paced:
    """Lets what comes of a block leave at the grid's moments."""

    def __init__(self, grid: Grid, held: Callable[[float], None], stopping: Callable[[], bool] = lambda: False) -> None:
        self._grid, self._held, self._stopping = grid, held, stopping

    @asynccontextmanager
    async def pace(self, analyst: str, ticket: Ticket) -> AsyncIterator[None]:
        """Whatever becomes of the block, it becomes of it at a moment of the grid, after the block's begin or after
        the ticket was cancelled. Raises QueryCanceled where that was so, even if the block was done or had failed.

        Claim: what is raised or returned, and when, is the same for a block that ends at any time between two moments,
        and for one that is cancelled then. Checked by: tests/test_pace.py.
        """
        begun = monotonic()
        try:
            yield
        except (QueryCanceled, asyncio.CancelledError):
            await self._wait(begun, ticket)
            raise
        except Exception as fault:
            await self._wait(begun, ticket)
            _check(analyst, ticket, fault)
            raise
        else:
            await self._wait(begun, ticket)
            _check(analyst, ticket)

    async def _wait(self, begun: float, ticket: Ticket) -> None:
        """Until the next moment, also where the task is cancelled meanwhile, as it is where it is cancelled at work.
        Cancelled once more, it waits no longer."""
        done = monotonic()
        try:
            await self._listening(begun, done, ticket)
        except asyncio.CancelledError:
            await asyncio.sleep(self._left(begun, done, ticket))
            raise
        finally:
            self._held(monotonic() - done)

    async def _listening(self, begun: float, done: float, ticket: Ticket) -> None:
        canceled = asyncio.Event()
        ticket.on_cancel(canceled.set)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._left(begun, done, ticket)):
                    await canceled.wait()
        finally:
            ticket.on_cancel(None)
        while (left := self._left(begun, done, ticket)) > 0:
            await asyncio.sleep(left)

    def _left(self, begun: float, done: float, ticket: Ticket) -> float:
        if self._stopping():
            return 0.0
        since = begun if ticket.canceled_at is None else ticket.canceled_at
        return max(since + next_on_grid(self._grid, done - since) - monotonic(), 0.0)


def _check(analyst: str, ticket: Ticket, fault: Exception | None = None) -> None:
    """Raises QueryCanceled where the ticket was cancelled. Whoever is told so must not learn of a failure by being
    stopped; the operator learns of it."""
    if not ticket.canceled:
        return
    if isinstance(fault, EngineFailure):
        kind = type(fault.__cause__).__name__
        _log.error("engine failure (%s) of %s, cancelled before it was told: nobody is stopped", kind, analyst)
    raise QueryCanceled("canceling statement due to user request") from fault
