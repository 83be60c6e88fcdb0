"""Whose private statement is next: so many at once, each analyst at most so many, and nobody starves.

There are two queues of the kind. In the first, statements wait for their turn to be charged; in the second, those that
are charged wait for a place in the engine. So charges of those who are next are made together, in one commit, while
the engine is at work for others, and no place stands idle meanwhile.

A place that gets free goes to the analyst who has the fewest statements at work of those who wait; among equals to the
one who was served longest ago. So one who asks sixteen heavy questions at once has all places while alone, and every
other one once somebody else asks. Who is refused or cancelled before the charge pays nothing; who is cancelled after it
has paid. How long one waits depends on how long others' statements take, as it does in any engine.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from dpproxy.config.sections import AnalystLimits
from dpproxy.engines import Ticket
from dpproxy.errors import DPProxyError, QueryCanceled


class TooManyStatements(DPProxyError, sqlstate="53400"):
    """More statements wait than an analyst may have waiting."""


@dataclass(frozen=True, slots=True)
class QueueShare:
    """What one analyst may have of the places: statements at work, and waiting."""

    working: int
    waiting: int


CHARGED: Final = 4
"""How many may be charged at once, for each that may be at work."""


def turn_share(allowed: AnalystLimits, places: int) -> QueueShare:
    """Of the turns to be charged: who may have fewer at work than there are places has no more charged, either."""
    ahead = CHARGED if allowed.statements >= places else 1
    return QueueShare(allowed.statements * ahead, allowed.waiting)


def place_share(allowed: AnalystLimits) -> QueueShare:
    """Of the places in the engine: what waits for one is charged, so that it is never refused."""
    return QueueShare(allowed.statements, sys.maxsize)


@dataclass(slots=True)
class _Line:
    """One analyst's statements. `served`: when the latest began, or else the first came, in turns."""

    working: int = 0
    served: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


class StatementQueue:
    """`places` statements at once. share: what an analyst may have, as the policy is now."""

    def __init__(self, places: int, queue_share: Callable[[str], QueueShare]) -> None:
        self._places, self._share = places, queue_share
        self._lines: dict[str, _Line] = {}
        self._count = count(1)
        self.working = 0

    @property
    def full(self) -> bool:
        """Whether all places are taken."""
        return self.working >= self._places

    @property
    def crowded(self) -> bool:
        """Whether as many wait as there are places."""
        return self.working >= self._places and self.waiting >= self._places

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(len(line.waiting) for line in self._lines.values())

    def place(self, analyst: str, ticket: Ticket) -> AbstractAsyncContextManager[None]:
        """A place, for the length of a block. Raises TooManyStatements, and QueryCanceled while it waits."""
        return _HeldPlace(self, analyst, ticket)

    async def enter(self, analyst: str, ticket: Ticket) -> None:
        """Take a place, when there is one; see `place`."""
        line = self._lines.get(analyst)
        if line is None:
            # Behind those who wait already: who comes again and again would else be always before them.
            line = self._lines[analyst] = _Line(served=next(self._count))
        try:
            if self.working < self._places and line.working < self._share(analyst).working:
                self._begin(line)
            else:
                await self._wait(analyst, line, ticket)
        except BaseException:
            self._forget(analyst, line)
            raise

    def leave(self, analyst: str) -> None:
        """Give a place back that was taken."""
        line = self._lines[analyst]
        line.working -= 1
        self.working -= 1
        self._next()
        self._forget(analyst, line)

    def _forget(self, analyst: str, line: _Line) -> None:
        if not line.working and not line.waiting:
            self._lines.pop(analyst, None)

    async def _wait(self, analyst: str, line: _Line, ticket: Ticket) -> None:
        most = self._share(analyst).waiting
        if len(line.waiting) >= most:
            raise TooManyStatements(
                f'too many statements of "{analyst}" wait for the engine: {most} is the most',
                hint="Nothing was charged. Try again when others are answered.",
            )
        place = asyncio.get_running_loop().create_future()
        line.waiting.append(place)
        ticket.on_cancel(place.cancel)
        try:
            await place
        except asyncio.CancelledError:
            self._give_up(line, place)
            task = asyncio.current_task()
            if ticket.canceled and not (task and task.cancelling()):
                raise QueryCanceled("canceling statement due to user request") from None
            raise
        finally:
            ticket.on_cancel(None)

    def _give_up(self, line: _Line, place: asyncio.Future[None]) -> None:
        """A place that was given in the same moment goes on to the next."""
        if place.done() and not place.cancelled():
            line.working -= 1
            self.working -= 1
            self._next()
        elif place in line.waiting:
            line.waiting.remove(place)

    def _begin(self, line: _Line) -> None:
        self.working += 1
        line.working += 1
        line.served = next(self._count)

    def _next(self) -> None:
        """Give what is free."""
        while self.working < self._places and (line := self._first()) is not None:
            place = line.waiting.popleft()
            if not place.done():
                self._begin(line)
                place.set_result(None)

    def _first(self) -> _Line | None:
        ready = [
            line for name, line in self._lines.items() if line.waiting and line.working < self._share(name).working
        ]
        return min(ready, key=lambda line: (line.working, line.served), default=None)


@dataclass(frozen=True, slots=True)
class _HeldPlace(AbstractAsyncContextManager[None]):
    """A place for the length of a block."""

    queue: StatementQueue
    analyst: str
    ticket: Ticket

    async def __aenter__(self) -> None:
        await self.queue.enter(self.analyst, self.ticket)

    async def __aexit__(self, *_: object) -> None:
        self.queue.leave(self.analyst)
