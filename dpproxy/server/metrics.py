"""What is counted and measured, as Prometheus reads it. Nothing here is data, or depends on it but for times.

Counters are kept where they happen, gauges are read when they are asked for, so that the ways of a statement cost next
to nothing.

Checked by: tests/test_operation.py.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from dpproxy.observer import ANSWERED, AnswerTally, StatementKind

_SHORT: Final = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_LONG: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
Gauge = tuple[str, str, float]
"""A value now: its name, its label `state` (empty: it has none), and how much it is."""


def outcome(kind: StatementKind, sqlstate: str) -> str:
    """What became of a statement, by the code that its client saw."""
    match sqlstate:
        case "00000":
            return "answered"
        case "DP001":
            return "budget"
        case "57014":
            return "canceled"
        case "DP005" | "XX000":
            return "failed"
        case _:
            # The front's errors are the client's own; the proxy's, of classes 08, 53 and 57, are what it lacks.
            lacking = sqlstate[:2] in ("08", "53", "57", "58")
            return "failed" if lacking or kind is StatementKind.FRONT else "refused"


class Metrics:
    """The counters of one proxy. It is an `AnswerObserver`: see there."""

    def __init__(self) -> None:
        # As many lines again, for what a counter that falls says as well.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._sessions = self._counter("connections", "Sessions that began.")
        self._refused = self._counter("connections_refused", "Connections that got no session, by reason.", "reason")
        self._statements = self._counter("statements", "Statements, by who answers and outcome.", "class", "outcome")
        self._ends: dict[tuple[str, str], Counter] = {}
        self.tally = AnswerTally()
        self._passed = self._statements.labels(StatementKind.FRONT.value, outcome(StatementKind.FRONT, ANSWERED))
        self._charges = self._counter("charges", "Charges on record.", "analyst")
        self._epsilon = self._counter("charged_epsilon", "Epsilon asked for by charged statements.", "analyst")
        stored = self._counter("stored_releases", "Releases that were looked for among stored ones.", "result")
        self._hits, self._misses = stored.labels("hit"), stored.labels("miss")
        self._loads = self._counter("public_loads", "Public tables that were made sure of in the front.")
        self._own = self._histogram("own_seconds", "dpproxy's own time for a private statement.", _SHORT)
        self._engine = self._histogram("engine_seconds", "Time of a request to the engine.", _LONG)
        self._waited = self._histogram("waiting_seconds", "Time that a private statement waited for its turn.", _LONG)
        self._placed = self._histogram("place_seconds", "Time that a charged one waited for a place.", _LONG)
        self._ledger = self._histogram("ledger_seconds", "Time of a ledger's operation.", _SHORT, "operation")
        self._operations: dict[str, Histogram] = {}  # to find one by its label takes longer than to count
        self._http = self._counter("operator_requests", "Requests on this port.", "status")
        Info("dpproxy_build", "What runs.", registry=self._registry).info(_build())
        ProcessCollector(registry=self._registry)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"dpproxy_{name}", text, labels, registry=self._registry)

    def _histogram(self, name: str, text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(f"dpproxy_{name}", text, labels, buckets=buckets, registry=self._registry)

    def gauges(self, texts: Mapping[str, str], now: Callable[[], Iterable[Gauge]]) -> None:
        """Values that are read at each request. texts: what each name means; `now` may leave names out."""
        self._registry.register(_Gauges(texts, now))

    def page(self) -> bytes:
        """All of it, in Prometheus's text format."""
        answered, self.tally.answered = self.tally.answered, 0
        self._passed.inc(answered)
        return generate_latest(self._registry)

    def connected(self) -> None:
        """A session began."""
        self._sessions.inc()

    def turned_away(self, reason: str) -> None:
        """A connection got no session."""
        self._refused.labels(reason).inc()

    def ended(self, kind: StatementKind, sqlstate: str) -> None:
        """Any other statement's end."""
        what = kind.value, outcome(kind, sqlstate)
        found = self._ends.get(what)
        if found is None:
            found = self._ends[what] = self._statements.labels(*what)
        found.inc()

    def charged(self, analyst: str, charge: int, epsilon: Decimal) -> None:
        """A charge is on record."""
        self._charges.labels(analyst).inc()
        self._epsilon.labels(analyst).inc(float(epsilon))

    def stored(self, hits: int, misses: int) -> None:
        """Releases were looked for among the stored ones."""
        self._hits.inc(hits)
        self._misses.inc(misses)

    def loaded(self) -> None:
        """Public tables were made sure of."""
        self._loads.inc()

    def own(self, seconds: float) -> None:
        """dpproxy's own share of a private statement's time."""
        self._own.observe(seconds)

    def engine(self, seconds: float) -> None:
        """The engine's share."""
        self._engine.observe(seconds)

    def waited(self, seconds: float) -> None:
        """In the queue before the charge."""
        self._waited.observe(seconds)

    def placed(self, seconds: float) -> None:
        """In the queue behind it."""
        self._placed.observe(seconds)

    def ledger(self, operation: str, seconds: float) -> None:
        """One operation of the ledger."""
        found = self._operations.get(operation)
        if found is None:
            found = self._operations[operation] = self._ledger.labels(operation)
        found.observe(seconds)

    def asked(self, status: int) -> None:
        """A request on the operator's port."""
        self._http.labels(str(status)).inc()


class _Gauges(Collector):
    """Reads gauges when asked."""

    def __init__(self, texts: Mapping[str, str], now: Callable[[], Iterable[Gauge]]) -> None:
        self._texts, self._now = texts, now

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing is known before it is asked for."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One family for each name."""
        values = list(self._now())
        for name, text in self._texts.items():
            found = [(state, value) for each, state, value in values if each == name]
            labels = ["state"] if any(state for state, _ in found) else []
            family = GaugeMetricFamily(f"dpproxy_{name}", text, labels=labels)
            for state, value in found:
                family.add_metric([state] if labels else [], value)
            if found:
                yield family


def _build() -> dict[str, str]:
    try:
        own = version("dpproxy")
    except PackageNotFoundError:
        own = "unknown"
    return {"version": own, "python": platform.python_version()}
