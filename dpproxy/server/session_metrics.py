"""What is measured of one session's private statements, and the lines of the log about it.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from dpproxy.observer import ANSWERED, AnswerTally, StatementKind
from dpproxy.server.logs import STATEMENT, event
from dpproxy.server.metrics import Metrics
from dpproxy.server.statement_shapes import statement_shape

_log: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class StatementTimes:
    """One private statement so far: seconds at each place, its charge, its text. `held`: done, and not yet told."""

    worked: float = 0.0
    engine: float = 0.0
    ledger: float = 0.0
    waited: float = 0.0
    held: float = 0.0
    charge: int | None = None
    sql: str = ""

    @property
    def own(self) -> float:
        """The seconds that were nobody else's."""
        return max(self.worked - self.engine - self.ledger - self.waited - self.held, 0.0)


_SESSION: Final[ContextVar[SessionMetrics | None]] = ContextVar("metrics of this session", default=None)


@dataclass(slots=True)
class SessionMetrics:
    """The observer of one session: counts each statement's end, and writes a line for those that are not the front's.

    names: what the shape of a statement may hold; None where texts are not logged at all.
    """

    metrics: Metrics
    analyst: str
    session: int
    names: frozenset[str] | None = None
    times: StatementTimes = field(default_factory=StatementTimes)

    @property
    def tally(self) -> AnswerTally:
        """See `observer.SessionObserver`."""
        return self.metrics.tally

    def asked(self, sql: str) -> None:
        """See `observer.SessionObserver`."""
        self.times.sql = sql

    def worked(self, seconds: float) -> None:
        """See `observer.SessionObserver`."""
        self.times.worked += seconds

    def loaded(self) -> None:
        """See `observer.SessionObserver`."""
        self.metrics.loaded()

    def begin(self) -> None:
        """From now on what is measured in this task, and in tasks that it starts, is this session's."""
        _SESSION.set(self)

    @property
    def who(self) -> dict[str, str | int]:
        """What each line of the log says of the session."""
        return {"analyst": self.analyst, "session": self.session}

    def ended(self, kind: StatementKind, sqlstate: str) -> None:
        """See `observer.SessionObserver`."""
        self.metrics.ended(kind, sqlstate)
        if kind is StatementKind.FRONT:
            event(_log, logging.DEBUG, STATEMENT, **self._who(kind), sqlstate=sqlstate)
            return
        times, self.times = self.times, StatementTimes()
        if kind is StatementKind.PRIVATE and sqlstate == ANSWERED:
            self.metrics.own(times.own)
        event(_log, logging.INFO, STATEMENT, **self._who(kind), sqlstate=sqlstate, **self._told(times))

    def _who(self, kind: StatementKind) -> dict[str, str | int]:
        return self.who | {"class": kind.value}

    def _told(self, times: StatementTimes) -> dict[str, str | int | float | None]:
        names = ("own", "engine", "ledger", "waited", "held")
        seconds: dict[str, float] = {name: getattr(times, name) for name in names}
        found: dict[str, str | int | float | None] = {"charge": times.charge}
        found |= {name: round(value, 6) for name, value in seconds.items() if value > 0}
        if self.names is not None and times.sql:
            found["shape"] = statement_shape(times.sql, self.names)
        return found


class AnswerMetrics:
    """Observes the answering of private statements, for whichever session it is."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """See `observer.AnswerObserver`."""
        self._metrics.charged(analyst, charge, epsilon)
        if (session := _SESSION.get()) is not None:
            session.times.charge = charge

    def stored(self, hits: int, misses: int) -> None:
        """See `observer.AnswerObserver`."""
        self._metrics.stored(hits, misses)

    def ledger(self, operation: str, seconds: float) -> None:
        """An operation of the ledger took so long."""
        self._metrics.ledger(operation, seconds)
        if (session := _SESSION.get()) is not None:
            session.times.ledger += seconds

    def engine(self, seconds: float) -> None:
        """See `observer.AnswerObserver`."""
        self._metrics.engine(seconds)
        if (session := _SESSION.get()) is not None:
            session.times.engine += seconds

    def waited(self, seconds: float) -> None:
        """See `observer.AnswerObserver`."""
        self._metrics.waited(seconds)
        if (session := _SESSION.get()) is not None:
            session.times.waited += seconds

    def placed(self, seconds: float) -> None:
        """See `observer.AnswerObserver`."""
        self._metrics.placed(seconds)
        if (session := _SESSION.get()) is not None:
            session.times.waited += seconds

    def held(self, seconds: float) -> None:
        """See `observer.AnswerObserver`."""
        if (session := _SESSION.get()) is not None:
            session.times.held += seconds
