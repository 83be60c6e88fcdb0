"""How long a private statement may work, and when what comes of it leaves.

Both can depend on rows, so both are read off one noised time (`mechanisms.timing`). A *deadline* is always there: the
limit with noise. What has not ended then has timed out, an ordinary outcome that was paid for; nobody is stopped.

With `[server] constant_time` the moment is covered, too. An answer, or a failure, leaves at T + margin + noise after
it got its place, T being the time that it worked. What has timed out leaves at the end of the limit and the margin, and
`ENDING` for the engine to end. Until then

- its place among the statements at work stays taken, its outcome in `dp.statements` is not written down, nobody is
  stopped, and nothing is stored: other sessions see all of that when the answer leaves;
- a cancel request does what it does to a statement that runs: 57014, `CANCELING` after it, and the charge stays. So it
  is decided against the noised moment, and tells nothing of whether there was something left to cancel. A client that
  goes, and a session that ends, cancel what they had at work.

The time begins when a charged statement has its place, because data is touched then and not before: what is refused,
waits for its turn, or is told again from the store does not depend on a row, and how long it waits for its place is
told by the noised moments of others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Final

from dpproxy.engines import Ticket
from dpproxy.errors import EngineFailure, QueryCanceled, StatementTimeout
from dpproxy.mechanisms.timing import TimeNoise
from dpproxy.observer import UNOBSERVED, AnswerObserver
from dpproxy.plan.timing import Schedule

_log: Final = logging.getLogger(__name__)
ENDING: Final = 2.0
"""Seconds that an engine is given to end what takes longer than its deadline."""
_DRAWN: Final = 32
_MOST_NOISES: Final = 100
CANCELING: Final = 0.2
"""Seconds that an engine is given to end what is cancelled."""


@dataclass(frozen=True, slots=True)
class _Block:
    """A statement at work. begun: on `time.monotonic`; drawn: its noise, in ticks."""

    times: Schedule
    drawn: int
    begun: float

    @property
    def deadline(self) -> float:
        return self.times.deadline(self.drawn)

    def leaves(self, worked: float) -> float:
        """After how many seconds what worked for so long leaves.

        Claim: with the outcome, a function of ⌈worked/tick⌉ + drawn alone, but with the probability that
        `timing.delay_noise` states. Because: it is worked + delay within the deadline, and constant beyond.
        Checked by: tests/test_deadlines.py.
        """
        if self.times.margin is None:
            return worked
        if worked > self.deadline:
            return self.times.limit + self.times.margin + ENDING
        return max(worked, self.times.least) + self.times.delay(self.drawn)


class DrawnNoise:
    """Noise of times that was drawn before it is needed: several in one call take hardly longer than one.

    Claim: each `one` is noise of its own, told once. Because: the entries of a vector's noise are independent of each
    other and of all else, whenever they are drawn, and each is taken off its list when it is told.
    Checked by: tests/test_deadlines.py::test_noise_that_was_drawn_before_is_told_once.
    """

    def __init__(self) -> None:
        self._drawn: dict[TimeNoise, list[int]] = {}

    def one(self, noise: TimeNoise) -> int:
        """In ticks."""
        left = self._drawn.get(noise)
        if not left:
            if len(self._drawn) >= _MOST_NOISES:
                self._drawn.clear()
            left = self._drawn[noise] = noise.draws(_DRAWN)
        return left.pop()


class Deadlines:
    """Gives statements their deadlines, and keeps what comes of them back where that is asked for.

    observer: told of the seconds that each was kept back. stopping: whether the proxy ends, and everything at once.
    """

    def __init__(self, observer: AnswerObserver = UNOBSERVED, stopping: Callable[[], bool] = lambda: False) -> None:
        self._observer, self._stopping = observer, stopping
        self._draws = DrawnNoise()

    @asynccontextmanager
    async def block(self, analyst: str, ticket: Ticket, times: Schedule) -> AsyncIterator[float]:
        """The block is told how many seconds it has. Whatever becomes of it, it becomes of it at its noised moment, or
        `CANCELING` after the ticket was cancelled. Raises StatementTimeout where it took longer, and, where answers are
        kept back, QueryCanceled where it was cancelled, even if the block was done or had failed.

        Checked by: tests/test_deadlines.py.
        """
        at_work = _Block(times, self._draws.one(times.noise), monotonic())
        try:
            yield at_work.deadline
        except (QueryCanceled, asyncio.CancelledError):
            await self._wait(at_work, ticket)
            raise
        except Exception as fault:
            worked = await self._wait(at_work, ticket)
            _check(analyst, ticket, at_work, worked, fault)
            raise
        else:
            worked = await self._wait(at_work, ticket)
            _check(analyst, ticket, at_work, worked)

    async def _wait(self, at_work: _Block, ticket: Ticket) -> float:
        """The seconds that it worked, when its moment has come; also where the task is cancelled meanwhile, as it is
        where it is cancelled at work. Cancelled once more, it waits no longer."""
        done = monotonic()
        worked = done - at_work.begun
        if at_work.times.margin is None:
            return worked
        try:
            await self._listening(at_work, worked, ticket)
        except asyncio.CancelledError:
            await asyncio.sleep(self._left(at_work, worked, ticket))
            raise
        finally:
            self._observer.held(monotonic() - done)
        return worked

    async def _listening(self, at_work: _Block, worked: float, ticket: Ticket) -> None:
        canceled = asyncio.Event()
        ticket.on_cancel(canceled.set)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._left(at_work, worked, ticket)):
                    await canceled.wait()
        finally:
            ticket.on_cancel(None)
        while (left := self._left(at_work, worked, ticket)) > 0:
            await asyncio.sleep(left)

    def _left(self, at_work: _Block, worked: float, ticket: Ticket) -> float:
        if self._stopping():
            return 0.0
        if ticket.canceled_at is not None:
            return max(ticket.canceled_at + CANCELING - monotonic(), 0.0)
        return max(at_work.begun + at_work.leaves(worked) - monotonic(), 0.0)


def _check(analyst: str, ticket: Ticket, at_work: _Block, worked: float, fault: Exception | None = None) -> None:
    """Raises what hides how the block ended: that it was cancelled, or took longer than its deadline. Whoever is told
    so must not learn of a failure by being stopped; the operator learns of it."""
    canceled = ticket.canceled and at_work.times.margin is not None
    if not canceled and worked <= at_work.deadline:
        return
    if isinstance(fault, EngineFailure):
        kind = type(fault.__cause__).__name__
        _log.error("engine failure (%s) of %s, which ended before it was told: nobody is stopped", kind, analyst)
    if canceled:
        raise QueryCanceled("canceling statement due to user request") from fault
    raise StatementTimeout from fault
