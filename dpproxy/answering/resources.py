"""What answers are made with, and for whom."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from dpproxy.accounting.account import Terms
from dpproxy.catalog.policy import Catalog, Proof
from dpproxy.engines import Engine, Ticket
from dpproxy.ledger.ledger import Ledger
from dpproxy.ledger.records import AccountRef
from dpproxy.observer import UNOBSERVED, AnswerObserver
from dpproxy.plan.timing import Schedule, Speed


@asynccontextmanager
async def _undelayed(_analyst: str, _ticket: Ticket, times: Schedule) -> AsyncIterator[float]:
    (drawn,) = times.noise.draws(1)
    yield times.deadline(drawn)


class Users:
    """Who is at work with an engine. It is closed when nobody is any more."""

    def __init__(self) -> None:
        self.number = 0
        self._last: Callable[[], None] | None = None

    @contextmanager
    def one(self) -> Iterator[None]:
        """One of them, for the length of a block."""
        self.number += 1
        try:
            yield
        finally:
            self.number -= 1
            self._tell()

    def when_none(self, last: Callable[[], None]) -> None:
        """Calls `last` when nobody is left: at once where nobody is now."""
        self._last = last
        self._tell()

    def _tell(self) -> None:
        if not self.number and self._last is not None:
            last, self._last = self._last, None
            last()


@dataclass(frozen=True, slots=True)
class Resources:
    """What answers are made with. `later` runs a coroutine that nobody waits for. users: of the engine.

    unsaid: analysts who must be stopped and whose alarm the ledger has not taken yet.
    refuted: proofs that did not hold when they were asked last. sizes: how many keys texts of
    public tables give (`public_keys`).
    speed: what the noise of time is in seconds. in_flight: the tickets of what each analyst has paid for and waits for.
    turn: waits until it is its turn to be charged, and keeps that for a block; place: the same of a place among the
    statements at work (`queue`).
    deadline: a block of work that is paid for, and is told how many seconds it has; what comes of it, whatever that is,
    leaves at a moment that is chosen there (`deadlines`).
    """

    engine: Engine
    ledger: Ledger
    later: Callable[[Coroutine[Any, Any, None]], None]
    speed: Speed
    unsaid: set[str] = field(default_factory=set)
    refuted: set[Proof | None] = field(default_factory=set)
    sizes: dict[str, int] = field(default_factory=dict)
    in_flight: dict[str, set[Ticket]] = field(default_factory=dict)
    turn: Callable[[str, Ticket], AbstractAsyncContextManager[None]] = lambda *_: nullcontext()
    place: Callable[[str, Ticket], AbstractAsyncContextManager[None]] = lambda *_: nullcontext()
    deadline: Callable[[str, Ticket, Schedule], AbstractAsyncContextManager[float]] = _undelayed
    observer: AnswerObserver = UNOBSERVED
    users: Users = field(default_factory=Users)


@dataclass(frozen=True, slots=True)
class AnalystAccount:
    """One analyst: the tables that they may use, what they may spend, and the limits of the groups they belong to."""

    ref: AccountRef
    catalog: Catalog
    terms: Terms
    groups: tuple[tuple[str, Terms], ...] = ()
