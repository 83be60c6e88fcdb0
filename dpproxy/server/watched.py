"""What is measured of one session's private statements, and the lines of the log about it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from decimal import Decimal
from time import perf_counter
from typing import Final

from dpproxy.answer import OwnRows, Rooms
from dpproxy.engines import Ticket
from dpproxy.observer import ANSWERED, Kind
from dpproxy.plan.model import Plan
from dpproxy.post import Array
from dpproxy.rewrite.question import Question
from dpproxy.server.logs import event
from dpproxy.server.metrics import Metrics
from dpproxy.server.shapes import shape
from dpproxy.session.clerk import Apart, Clerk, Office
from dpproxy.session.desk import Answered

_log: Final = logging.getLogger(__name__)
Turn = Callable[[str, Ticket], AbstractAsyncContextManager[None]]


@dataclass(slots=True)
class Span:
    """One private statement so far: seconds at each place, its charge, its text. `held`: done, and not yet told."""

    desk: float = 0.0
    engine: float = 0.0
    ledger: float = 0.0
    waited: float = 0.0
    held: float = 0.0
    charge: int | None = None
    sql: str = ""

    @property
    def own(self) -> float:
        """The seconds that were nobody else's."""
        return max(self.desk - self.engine - self.ledger - self.waited - self.held, 0.0)


_SPANS: Final[ContextVar[SessionWatch | None]] = ContextVar("watch of this session", default=None)


@dataclass(slots=True)
class SessionWatch:
    """The watch of one session: counts each statement's end, and writes a line for those that are not the front's.

    names: what the shape of a statement may hold; None where texts are not logged at all.
    """

    metrics: Metrics
    analyst: str
    session: int
    names: frozenset[str] | None = None
    span: Span = field(default_factory=Span)

    def begin(self) -> None:
        """From now on what is measured in this task, and in tasks that it starts, is this session's."""
        _SPANS.set(self)

    @property
    def who(self) -> dict[str, str | int]:
        """What each line of the log says of the session."""
        return {"analyst": self.analyst, "session": self.session}

    def ended(self, kind: Kind, sqlstate: str) -> None:
        """See `observer.Watch`."""
        self.metrics.ended(kind, sqlstate)
        if kind is Kind.FRONT:
            event(_log, logging.DEBUG, "statement", **self._who(kind), sqlstate=sqlstate)
            return
        span, self.span = self.span, Span()
        if kind is Kind.PRIVATE and sqlstate == ANSWERED:
            self.metrics.own(span.own)
        event(_log, logging.INFO, "statement", **self._who(kind), sqlstate=sqlstate, **self._told(span))

    def _who(self, kind: Kind) -> dict[str, str | int]:
        return self.who | {"class": kind.value}

    def _told(self, span: Span) -> dict[str, str | int | float | None]:
        names = ("own", "engine", "ledger", "waited", "held")
        seconds: dict[str, float] = {name: getattr(span, name) for name in names}
        found: dict[str, str | int | float | None] = {"charge": span.charge}
        found |= {name: round(value, 6) for name, value in seconds.items() if value > 0}
        if self.names is not None and span.sql:
            found["shape"] = shape(span.sql, self.names)
        return found


class Watchers:
    """What is put into the rooms that statements are answered with: measures, for whichever session it is."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """See `observer.Observer`."""
        self._metrics.charged(analyst, charge, epsilon)
        if (watch := _SPANS.get()) is not None:
            watch.span.charge = charge

    def stored(self, hits: int, misses: int) -> None:
        """See `observer.Observer`."""
        self._metrics.stored(hits, misses)

    def ledger(self, operation: str, seconds: float) -> None:
        """An operation of the ledger took so long."""
        self._metrics.ledger(operation, seconds)
        if (watch := _SPANS.get()) is not None:
            watch.span.ledger += seconds

    def engine(self, seconds: float) -> None:
        """See `observer.Observer`."""
        self._metrics.engine(seconds)
        if (watch := _SPANS.get()) is not None:
            watch.span.engine += seconds

    def held(self, seconds: float) -> None:
        """What was done was kept back for so long."""
        if (watch := _SPANS.get()) is not None:
            watch.span.held += seconds

    def turns(self, turn: Turn) -> Turn:
        """The same, with the time until one's turn measured."""

        @asynccontextmanager
        async def measured(analyst: str, ticket: Ticket) -> AsyncIterator[None]:
            begun = perf_counter()
            async with turn(analyst, ticket):
                waited = perf_counter() - begun
                self._metrics.waited(waited)
                if (watch := _SPANS.get()) is not None:
                    watch.span.waited += waited
                yield

        return measured


def watched(rooms: Rooms, watchers: Watchers, turn: Turn) -> Rooms:
    """The same rooms, with watchers in them, and the turns that they watch."""
    rooms.ledger.observe = watchers.ledger
    return replace(rooms, turn=watchers.turns(turn), observer=watchers)


class WatchedClerk(Clerk):
    """A clerk whose work is measured."""

    def __init__(self, office: Callable[[], Office], asked: frozenset[str], apart: Apart, watch: SessionWatch) -> None:
        super().__init__(office, asked, apart)
        self._watch = watch

    async def plan(self, question: Question) -> Plan:
        """See `Clerk`."""
        begun = perf_counter()
        self._watch.span.sql = question.sql
        try:
            return await super().plan(question)
        finally:
            self._watch.span.desk += perf_counter() - begun

    async def answer(self, plan: Plan, statement: str, own: OwnRows) -> Answered:
        """See `Clerk`."""
        begun = perf_counter()
        try:
            return await super().answer(plan, statement, own)
        finally:
            self._watch.span.desk += perf_counter() - begun

    async def explain(self, plan: Plan, format_: str) -> Array:
        """See `Clerk`."""
        begun = perf_counter()
        try:
            return await super().explain(plan, format_)
        finally:
            self._watch.span.desk += perf_counter() - begun

    async def load(self, written: Iterable[str]) -> None:
        """See `Clerk`."""
        if self.needs_loading(written := tuple(written)):
            self._watch.metrics.loaded()
        await super().load(written)
