"""A date or timestamp plus an interval: months first, then days, then time, as Postgres and DuckDB add them."""

from __future__ import annotations

import calendar
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import TIMESTAMP, Family
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import is_constant
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.intervals.durations import Duration, added_up
from dpproxy.rewrite.expressions.intervals.spans import Span, micros_of, moment_at, shifted, time_of
from dpproxy.rewrite.expressions.intervals.whole_numbers import is_zero
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types.calendars import DAY, at_midnight, in_years, safe
from dpproxy.rewrite.expressions.types.limits import limited
from dpproxy.rows import Value

_MONTH, _SLACK = Fraction(30436875, 10**6) * DAY, 5 * DAY
_BACK, _FORTH = 4_600 * 365 * DAY, 60_000 * 365 * DAY
_LONGEST = (31 * DAY, DAY, 1)
_Ends = tuple[Interval, Interval, Interval]


def moved(node: exp.Expression, moment: Typed, by: Duration) -> Typed:
    """moment + interval: a timestamp; a day past the month's end becomes its last.

    Claim: no engine raises. Because: the start lies in the years 0001 to 9999 and the parts of the interval that rows
    decide are limited, so that what comes out is proved to stay within `safe`; past that it is NULL.
    Checked by: tests/test_expressions.py, test_generated_expressions_are_total.
    Raises FeatureNotSupported for a constant interval that leads out of the calendar.
    """
    type_ = TIMESTAMP if moment.fact.type.family is Family.DATE else moment.fact.type
    fold = _fold(by.span)
    if result := folded(fold, type_, moment):
        return result
    domain, start, parts = image(fold, moment), at_midnight(moment), list(by.parts)
    if not ranges.contains(safe(TIMESTAMP), ranges.both(ranges.add, start.fact.proved, _moves(_proved(parts)))):
        start, parts = in_years(start), _limited(node, parts)
    fact = replace(
        start.fact,
        type=type_,
        carrier=TIMESTAMP if type_ != TIMESTAMP else None,
        interval=_reached(moment, start, parts),
        proved=ranges.both(ranges.add, start.fact.proved, _moves(_proved(parts))),
        domain=domain,
        nullable=start.fact.nullable or by.fact.nullable,
        private=start.fact.private or by.fact.private,
        step=None,
    )
    return Typed(added_up(parts, start.sql), fact)


def _fold(span: Span | None) -> Callable[[Value], Value]:
    def fold(value: Value) -> Value:
        if span is None:
            raise LookupError(value)
        return shifted(time_of(value), span)

    return fold


def _proved(parts: Sequence[Typed]) -> _Ends | None:
    return _known([part.fact.proved for part in parts])


def _known(ends: Sequence[Interval | None]) -> _Ends | None:
    months, days, micros = ends
    return None if months is None or days is None or micros is None else (months, days, micros)


def _moves(ends: _Ends | None) -> Interval | None:
    """By how many microseconds a moment moves: months are 30.436875 days, give or take five days."""
    if ends is None:
        return None
    months, days, micros = ends
    slack = _SLACK if months.lower or months.upper else 0
    lower = months.lower * _MONTH - slack + days.lower * DAY + micros.lower
    return Interval(lower, months.upper * _MONTH + slack + days.upper * DAY + micros.upper)


def _limited(node: exp.Expression, parts: Sequence[Typed]) -> list[Typed]:
    """The parts, those that are no constants within what leads from no year out of the calendar."""
    zero = Interval(Fraction(0), Fraction(0))
    fixed = _moves(_known([part.fact.proved if is_constant(part) else zero for part in parts]))
    changing = sum(not is_constant(part) and not is_zero(part) for part in parts)
    room = Fraction(0) if fixed is None else min(_BACK + fixed.lower, _FORTH - fixed.upper) / max(changing, 1)
    if room <= 0:
        raise refused(node, "the interval is too long", "Use an interval of at most a few thousand years.")
    return [
        part if is_constant(part) else limited(part, Interval(Fraction(-(room // size)), Fraction(room // size)))
        for part, size in zip(parts, _LONGEST, strict=True)
    ]


def _reached(moment: Typed, start: Typed, parts: Sequence[Typed]) -> Interval | None:
    """Where believed moments come to: exactly, as far as Python's calendar goes."""
    ends, by = start.fact.interval, _known([part.fact.interval for part in parts])
    if ends is None or by is None:
        return None
    timed = moment.fact.type.family is Family.TIMESTAMP and bool(by[0].lower or by[0].upper)
    try:
        return Interval(
            Fraction(micros_of(_end(ends.lower, Span(*(int(part.lower) for part in by)), timed, False))),
            Fraction(micros_of(_end(ends.upper, Span(*(int(part.upper) for part in by)), timed, True))),
        )
    except ArithmeticError:
        return ranges.both(ranges.add, ends, _moves(by))


def _end(micros: Fraction, by: Span, timed: bool, last: bool) -> datetime:
    """The first or last moment that is reached. Days that meet at the end of a month bring their own times along."""
    month = shifted(moment_at(micros), Span(months=by.months))
    if timed and month.day == calendar.monthrange(month.year, month.month)[1]:
        day = datetime(month.year, month.month, month.day)
        month = day + timedelta(days=1, microseconds=-1) if last else day
    return shifted(month, Span(days=by.days, micros=by.micros))
