"""Functions of a moment that are the same all through a month, a day, an hour …: which values they take in an interval.

Over bounded dates these are finitely many, and nothing of them depends on a row: public keys.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from dpproxy.catalog.types import Family
from dpproxy.remembered import remembered
from dpproxy.rewrite.expressions.constants.domains import image
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed, exact, points
from dpproxy.rewrite.expressions.facts.known import distinct
from dpproxy.rewrite.expressions.facts.ranges import contains
from dpproxy.rewrite.expressions.intervals.spans import CUTS, Span, moment_at, moment_of, shifted
from dpproxy.rewrite.expressions.types.calendars import DAY, years
from dpproxy.rows import Value

MOST_VALUES = 1_000
_STEPS: Mapping[str, Span] = {
    "year": Span(months=12),
    "quarter": Span(months=3),
    "month": Span(months=1),
    "week": Span(days=7),
    "day": Span(days=1),
    "hour": Span(micros=3_600_000_000),
    "minute": Span(micros=60_000_000),
    "second": Span(micros=1_000_000),
}
_OF_A_DAY = ("hour", "minute", "second")


def _endless() -> None:
    """No few values."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A function of a moment.

    of: its value, for a moment of the years 0001 to 9999. grain: the longest unit of time throughout which it is the
    same; None if there is none. cycle: gives all values that it takes at all, in order, None if they are many. rises:
    whether a later moment never has a smaller value.
    """

    of: Callable[[datetime], Value]
    grain: str | None = None
    cycle: Callable[[], tuple[Value, ...] | None] = _endless
    rises: bool = False

    def fold(self, value: Value) -> Value:
        """Its value for a date or timestamp. Raises LookupError for any other, OverflowError outside of the years."""
        return self.of(moment_of(value))


def values_of(reading: Reading, moment: Typed) -> tuple[Value, ...] | None:
    """The values that it takes on what is believed of a date or timestamp; None where they may be too many."""
    if moment.fact.domain is not None:
        return image(reading.fold, moment)
    ends, grain = _moments(moment.fact), _grain(reading, moment)
    if ends is None or grain is None or grain not in _STEPS:
        return reading.cycle()
    starts = _starts(*ends, grain)
    if starts is None:
        return reading.cycle()
    return distinct([reading.of(start) for start in starts])


def _grain(reading: Reading, moment: Typed) -> str | None:
    """The reading's grain; a day where that is less and the moment is a date, which has no time."""
    return "day" if moment.fact.type.family is Family.DATE and reading.grain in _OF_A_DAY else reading.grain


def bounds_of(reading: Reading, moment: Typed, limits: Interval | None) -> Interval | None:
    """Between which numbers its values lie on what is believed of a date or timestamp; `limits` if no better."""
    if hull := points(values_of(reading, moment)):
        return hull
    ends = _moments(moment.fact)
    if ends is None or not reading.rises:
        return limits
    lower, upper = (exact(reading.of(end)) for end in ends)
    return limits if lower is None or upper is None else Interval(lower, upper)


def in_micros(fact: Fact) -> Interval | None:
    """The believed interval of a date or timestamp in microseconds: a date's from its midnight."""
    ends, scale = fact.interval, Fraction(DAY if fact.type.family is Family.DATE else 1)
    return None if ends is None else Interval(ends.lower * scale, ends.upper * scale)


def _moments(fact: Fact) -> tuple[datetime, datetime] | None:
    if fact.interval is None or not contains(years(fact.type), fact.interval):
        return None
    ends = in_micros(fact)
    return None if ends is None else (moment_at(ends.lower), moment_at(ends.upper))


@remembered(256)
def _starts(first: datetime, last: datetime, grain: str) -> tuple[datetime, ...] | None:
    """The beginning of each grain between two moments, both included; None where they are too many."""
    starts = tuple(itertools.islice(every(grain, first, last), MOST_VALUES + 1))
    return starts if len(starts) <= MOST_VALUES else None


def every(grain: str, first: datetime, last: datetime) -> Iterator[datetime]:
    """The beginning of each grain between two moments, both included."""
    start, step = CUTS[grain](first), _STEPS[grain]
    while start <= last:
        yield start
        try:
            start = shifted(start, step)
        except ArithmeticError:
            return
