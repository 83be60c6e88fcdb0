"""EXTRACT(field FROM x) of intervals."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from sqlglot import exp

from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.intervals.durations import Duration
from dpproxy.rewrite.expressions.intervals.elapsed import as_numeric, decimals
from dpproxy.rewrite.expressions.intervals.spans import DAYS_OF_MONTH
from dpproxy.rewrite.expressions.intervals.whole_numbers import is_zero, plus, quotient, remainder, times
from dpproxy.rewrite.expressions.trees.refusals import unsupported
from dpproxy.rewrite.expressions.types.calendars import DAY

_HOUR, _MINUTE = 3_600_000_000, 60_000_000
_FIELDS: Mapping[str, Callable[[Duration], Typed]] = {
    "millennium": lambda it: quotient(it.months, 12000),
    "century": lambda it: quotient(it.months, 1200),
    "decade": lambda it: quotient(it.months, 120),
    "year": lambda it: quotient(it.months, 12),
    "month": lambda it: remainder(it.months, 12),
    "day": lambda it: it.days,
    "hour": lambda it: quotient(it.micros, _HOUR),
    "minute": lambda it: remainder(quotient(it.micros, _MINUTE), 60),
}
_FRACTIONS: Mapping[str, int] = {"second": 6, "milliseconds": 3, "microseconds": 0}


def of_duration(node: exp.Expression, name: str, duration: Duration) -> Typed:
    """EXTRACT(name FROM interval): numeric. Raises FeatureNotSupported for a field that an interval has not."""
    if name == "epoch":
        return decimals(_epoch(duration), 6)
    if name in _FRACTIONS:
        micros = remainder(duration.micros, _MINUTE)
        return decimals(micros, _FRACTIONS[name], 8) if _FRACTIONS[name] else as_numeric(micros)
    if name not in _FIELDS:
        raise unsupported(node, f"Fields of an interval are {', '.join([*_FIELDS, *_FRACTIONS])} and epoch.")
    return as_numeric(_FIELDS[name](duration))


def _epoch(duration: Duration) -> Typed:
    """Microseconds, a year being 365.25 days and what is left of months 30 days each."""
    if is_zero(duration.months):
        return duration.length
    quarter = DAY // 4
    weighed = [
        times(quotient(duration.months, 12), 1461 * quarter),
        times(remainder(duration.months, 12), 4 * DAYS_OF_MONTH * quarter),
        times(duration.days, DAY),
        duration.micros,
    ]
    return functools.reduce(plus, [part for part in weighed if not is_zero(part)])
