"""Days and microseconds between moments, and numbers of seconds made of microseconds: all exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DATE, INTEGER, NUMERIC, SqlType
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import EPOCH, Fact, Interval, Typed
from dpproxy.rewrite.expressions.intervals.spans import micros_of, moment_of, time_of
from dpproxy.rewrite.expressions.trees.build import cast, computed
from dpproxy.rewrite.expressions.types.calendars import at_midnight, in_calendar
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rows import Value


def first_day() -> Typed:
    """1970-01-01."""
    return constant(EPOCH, DATE)


def days_between(later: Typed, earlier: Typed) -> Typed:
    """later - earlier in days, as an integer. Both are dates."""
    if result := folded(_days, INTEGER, later, earlier):
        return result
    later, earlier = in_calendar(later), in_calendar(earlier)
    fact = _difference(later, earlier, _days, INTEGER)
    held = replace(fact, carrier=BIGINT)
    return Typed(cast(computed(exp.Sub, later.sql, earlier.sql, DATE), BIGINT), held)


def micros_between(later: Typed, earlier: Typed) -> Typed:
    """later - earlier in microseconds, as a bigint. Both are dates or timestamps."""
    if result := folded(_between, BIGINT, later, earlier):
        return result
    later, earlier = at_midnight(later), at_midnight(earlier)
    fact = _difference(later, earlier, _between, BIGINT)
    unit = exp.Var(this="MICROSECOND")
    return Typed(exp.DateDiff(this=later.sql, expression=earlier.sql, unit=unit), fact)


def _difference(later: Typed, earlier: Typed, of_values: Callable[[Value, Value], Value], type_: SqlType) -> Fact:
    """What is known of the whole number that lies between two moments."""
    one, other = later.fact, earlier.fact
    return Fact(
        type=type_,
        interval=ranges.both(ranges.subtract, one.interval, other.interval),
        proved=ranges.both(ranges.subtract, one.proved, other.proved),
        domain=image(of_values, later, earlier),
        nullable=one.nullable or other.nullable,
        private=one.private or other.private,
        step=Decimal(1),
    )


def as_numeric(whole: Typed) -> Typed:
    """A whole number that Postgres calls numeric."""
    return Typed(held_as(whole, BIGINT), replace(whole.fact, type=NUMERIC, carrier=BIGINT))


def decimals(whole: Typed, places: int, digits: int = 19) -> Typed:
    """A whole number of 10**-places, at most so many digits long, as the numeric that it is."""
    unit = Fraction(1, 10**places)

    def scaled(ends: Interval) -> Interval:
        return Interval(ends.lower * unit, ends.upper * unit)

    def fold(value: Value) -> Value:
        if not isinstance(value, int):
            raise LookupError(value)
        return Decimal(value).scaleb(-places)

    if result := folded(fold, NUMERIC, whole):
        return result
    step = Decimal(1).scaleb(-places)
    sql = computed(
        exp.Mul,
        cast(whole.sql, SqlType("numeric", (digits, 0))),
        cast(exp.Literal.number(f"{step:f}"), SqlType("numeric", (places, places))),
        NUMERIC,
    )
    fact = replace(
        whole.fact,
        type=NUMERIC,
        interval=ranges.each(scaled, whole.fact.interval),
        proved=ranges.each(scaled, whole.fact.proved),
        domain=image(fold, whole),
        step=step,
        carrier=SqlType("numeric", (digits + places, places)),
    )
    return Typed(sql, fact)


def _days(later: Value, earlier: Value) -> Value:
    return (time_of(later) - time_of(earlier)).days


def _between(later: Value, earlier: Value) -> Value:
    return micros_of(moment_of(later)) - micros_of(moment_of(earlier))
