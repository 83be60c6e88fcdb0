"""Intervals of time: constants, differences of timestamps, ages, and their sums.

Postgres keeps an interval as months, days and microseconds. So does a `Duration`, each a whole number of its own, of
which EXTRACT, comparisons and sums are made. An interval is a step on the way: no column of an answer is one.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, INTERVAL
from dpproxy.rewrite.expressions.constants.literals import is_constant, is_null, is_untyped, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.facts.ranges import contains
from dpproxy.rewrite.expressions.intervals.elapsed import micros_between
from dpproxy.rewrite.expressions.intervals.spans import DAYS_OF_MONTH, MOST, Span
from dpproxy.rewrite.expressions.intervals.whole_numbers import is_zero, minus, plus, quotient, remainder, times, whole
from dpproxy.rewrite.expressions.intervals.written_spans import read_span
from dpproxy.rewrite.expressions.trees.build import computed, marked
from dpproxy.rewrite.expressions.types.calendars import DAY
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rewrite.expressions.types.limits import limited

_SECOND = 1_000_000
_BITS = Interval(Fraction(-(2**31)), Fraction(2**31 - 1))


@dataclass(frozen=True, slots=True)
class Duration(Typed):
    """An interval: its three parts, and its length in microseconds, by which Postgres compares: a month has 30 days.

    Where it is NULL because a row's values are, all of them are.
    """

    months: Typed
    days: Typed
    micros: Typed
    length: Typed

    @property
    def parts(self) -> tuple[Typed, Typed, Typed]:
        """Months, days and microseconds."""
        return self.months, self.days, self.micros

    @property
    def span(self) -> Span | None:
        """The constant that it is."""
        if not all(map(is_constant, self.parts)):
            return None
        months, days, micros = (int(str(value_of(part))) for part in self.parts)
        return Span(months, days, micros)


def of_span(span: Span) -> Duration:
    """A constant."""
    return of_parts(whole(span.months), whole(span.days), whole(span.micros))


def of_parts(months: Typed, days: Typed, micros: Typed, length: Typed | None = None) -> Duration:
    """The interval of whole numbers of months, days and microseconds; NULL where they are, or past 30,000 years."""
    months, days, micros = _within(months, MOST.months), _within(days, MOST.days), _within(micros, MOST.micros)
    parts = months, days, micros
    fact = Fact(
        type=INTERVAL,
        interval=None,
        proved=None,
        domain=None,
        nullable=any(part.fact.nullable for part in parts),
        private=any(part.fact.private for part in parts),
        step=None,
    )
    return Duration(added_up(parts), fact, months, days, micros, length or _length(parts))


def _within(part: Typed, most: int) -> Typed:
    return limited(part, Interval(Fraction(-most), Fraction(most)))


def _length(parts: Sequence[Typed]) -> Typed:
    sizes = (DAYS_OF_MONTH * DAY, DAY, 1)
    weighed = [times(part, size) for part, size in zip(parts, sizes, strict=True) if not is_zero(part)]
    return functools.reduce(plus, weighed or [parts[2]])


def added_up(parts: Sequence[Typed], start: exp.Expression | None = None) -> exp.Expression:
    """`start` plus so many months, days and microseconds, in this order, as Postgres adds them."""
    months, days, micros = parts
    moving = [(months, "MONTH"), (days, "DAY"), *_small(micros)]
    kept = [(part, unit) for part, unit in moving if not is_zero(part)]
    if not any(part.fact.nullable for part, _ in kept):
        kept += [(part, unit) for part, unit in moving if part.fact.nullable][:1]
    for part, unit in kept:
        sql = _times(part, unit)
        start = sql if start is None else marked(exp.Add(this=start, expression=sql), INTERVAL)
    return start or exp.Interval(this=exp.Literal.string("0"), unit=exp.Var(this="DAY"))


def _small(micros: Typed) -> list[tuple[Typed, str]]:
    """Microseconds by numbers that DuckDB multiplies an interval by, 32 bits, where they are not known to be small."""
    if is_constant(micros) or contains(_BITS, micros.fact.proved):
        return [(micros, "MICROSECOND")]
    rest = remainder(micros, DAY)
    parts = [(quotient(micros, DAY), "DAY"), (quotient(rest, _SECOND), "SECOND")]
    even = micros.fact.step is not None and micros.fact.step % _SECOND == 0
    return parts if even else [*parts, (remainder(micros, _SECOND), "MICROSECOND")]


def _times(part: Typed, unit: str) -> exp.Expression:
    constant = is_constant(part) and not is_null(part)
    number = str(value_of(part)) if constant else "1"
    sql = exp.Interval(this=exp.Literal.string(number), unit=exp.Var(this=unit))
    return sql if constant else computed(exp.Mul, sql, part.sql, INTERVAL)


def difference(later: Typed, earlier: Typed) -> Duration:
    """timestamp - timestamp: whole days, and what is left of the last."""
    return of_length(micros_between(later, earlier))


def of_length(micros: Typed) -> Duration:
    """The interval of so many microseconds: whole days, and what is left of the last."""
    return of_parts(times(micros, 0), quotient(micros, DAY), remainder(micros, DAY), micros)


def is_of_length(duration: Duration) -> bool:
    """Whether its length says all of it, as that of a difference of timestamps does: a sum may have 25 hours."""
    return of_length(duration.length) == duration


def as_microseconds(duration: Duration) -> Typed:
    """Such an interval as a column that is carried on: its length, a bigint."""
    length = duration.length
    return Typed(held_as(length, BIGINT), replace(length.fact, type=INTERVAL, carrier=BIGINT))


def is_in_microseconds(fact: Fact) -> bool:
    """Whether a column is such a length."""
    return fact.type == INTERVAL and fact.carrier == BIGINT


def of_microseconds(column: Typed) -> Duration:
    """The interval that was carried on: whole days, and what is left of the last."""
    return of_length(Typed(column.sql, replace(column.fact, type=BIGINT, carrier=None)))


def summed(left: Duration, right: Duration) -> Duration:
    """interval + interval."""
    months, days, micros = (plus(a, b) for a, b in zip(left.parts, right.parts, strict=True))
    return of_parts(months, days, micros, plus(left.length, right.length))


def negative(duration: Duration) -> Duration:
    """-interval."""
    months, days, micros = (minus(whole(0), part) for part in duration.parts)
    return of_parts(months, days, micros, minus(whole(0), duration.length))


def as_lengths(node: exp.Expression, operands: Sequence[Typed]) -> list[Typed]:
    """Intervals to be compared, as whole numbers; text beside them is read as an interval. Others stay as they are.

    Raises FeatureNotSupported where an interval meets anything else.
    """
    if not any(isinstance(operand, Duration) for operand in operands):
        return list(operands)
    read = [as_duration(node, operand) for operand in operands]
    return [operand.length if isinstance(operand, Duration) else operand for operand in read]


def as_duration(node: exp.Expression, operand: Typed) -> Typed:
    """Text beside an interval, read as one."""
    text = value_of(operand)
    if not is_untyped(operand) or not isinstance(text, str):
        return operand
    return of_span(read_span(node, text))
