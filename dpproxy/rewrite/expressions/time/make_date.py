"""make_date(year, month, day): NULL for a day that there is not, where Postgres raises, and outside of 0001 to 9999."""

from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import DATE, INTEGER, TIMESTAMP, Family
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed, exact
from dpproxy.rewrite.expressions.facts.ranges import contains
from dpproxy.rewrite.expressions.intervals.durations import added_up
from dpproxy.rewrite.expressions.intervals.whole_numbers import minus, plus, times, whole
from dpproxy.rewrite.expressions.trees.build import atom, cast, chosen, computed, guarded, number
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.calendars import years
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_LIMITS = (
    Interval(Fraction(1), Fraction(9999)),
    Interval(Fraction(1), Fraction(12)),
    Interval(Fraction(1), Fraction(31)),
)
_START = datetime(1, 1, 1)


def make_date(node: exp.Expression, walk: Walk) -> Typed:
    """make_date(year, month, day) of integers."""
    parts = [walk(item) for item in node.expressions]
    if len(parts) != 3:
        raise refused(node, "make_date() has three arguments", "Write make_date(year, month, day).")
    for part in parts:
        if part.fact.type.family is not Family.INTEGER:
            raise mismatch(node, *(part.fact.type for part in parts))
    if result := folded(_made, DATE, *parts):
        return result
    sure = contains(_LIMITS[0], parts[0].fact.interval) and contains(_LIMITS[1], parts[1].fact.interval)
    days = parts[2].fact.interval
    exists = sure and days is not None and days.lower >= 1 and days.upper <= 28
    fact = Fact(
        type=DATE,
        interval=_hull(parts),
        proved=years(DATE),
        domain=image(_made, *parts),
        nullable=not exists or any(part.fact.nullable for part in parts),
        private=any(part.fact.private for part in parts),
        step=None,
    )
    return Typed(_engine(*(_kept(part, limits) for part, limits in zip(parts, _LIMITS, strict=True))), fact)


def _made(year: Value, month: Value, day: Value) -> Value:
    if not isinstance(year, int) or not isinstance(month, int) or not isinstance(day, int):
        raise LookupError(year)
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]):
        return None
    return date(year, month, day)


def _hull(parts: Sequence[Typed]) -> Interval | None:
    """From the first day that the parts' believed bounds make to the last."""
    ends = [part.fact.interval for part in parts]
    known = [
        (max(end.lower, limits.lower), min(end.upper, limits.upper))
        for end, limits in zip(ends, _LIMITS, strict=True)
        if end is not None and end.lower <= limits.upper and limits.lower <= end.upper
    ]
    if len(known) < len(parts):
        return None
    first, last = (_clipped(*(int(end[at]) for end in known)) for at in (0, 1))
    lower, upper = exact(first), exact(last)
    return None if lower is None or upper is None or lower > upper else Interval(lower, upper)


def _clipped(year: int, month: int, day: int) -> date:
    return date(year, month, min(day, calendar.monthrange(year, month)[1]))


def _kept(part: Typed, limits: Interval) -> Typed:
    if contains(limits, part.fact.proved):
        return part
    sql = guarded(part.sql, number(int(limits.lower)), number(int(limits.upper)))
    return Typed(sql, replace(part.fact, interval=None, proved=limits, domain=None, nullable=True))


def _engine(year: Typed, month: Typed, day: Typed) -> exp.Expression:
    """The month's first day, as many months after January 0001, and days after it where the month has them."""
    months = _again(minus(plus(times(year, 12), month), whole(13)))
    day = _again(day)
    start = constant(_START, TIMESTAMP).sql
    first = added_up([months, whole(0), whole(0)], start)
    last = added_up([plus(_again(months), whole(1)), whole(-1), whole(0)], start.copy())
    length = exp.Extract(this=exp.Var(this="DAY"), expression=last)
    there = exp.Between(this=atom(day.sql), low=number(1), high=length)
    kept = Typed(chosen(there, day.sql.copy()), replace(day.fact, domain=None))
    return computed(exp.Add, cast(first, DATE), cast(minus(kept, whole(1)).sql, INTEGER), DATE)


def _again(typed: Typed) -> Typed:
    return Typed(named(typed.sql), typed.fact)
