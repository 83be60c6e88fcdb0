"""Intervals times and divided by numbers, and intervals as they are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, Family
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.intervals.durations import Duration, as_duration, of_parts, of_span, summed
from dpproxy.rewrite.expressions.intervals.spans import MOST, Span
from dpproxy.rewrite.expressions.intervals.units import DAYS, MICROS, MONTHS, unit_of
from dpproxy.rewrite.expressions.intervals.whole_numbers import times
from dpproxy.rewrite.expressions.intervals.written_spans import checked, read_span
from dpproxy.rewrite.expressions.trees.build import cast, computed
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused, unsupported
from dpproxy.rewrite.expressions.types.calendars import DAY
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rewrite.expressions.types.limits import limited
from dpproxy.rewrite.expressions.types.promotion import is_number
from dpproxy.rewrite.expressions.walk import Walk

# As much as leads from no year out of the calendar: about 4,500 years.
_YEARS = 4_500
_MOST = (12 * _YEARS, 365 * _YEARS, 365 * _YEARS * DAY)


def scaled(node: exp.Expression, left: Typed, right: Typed) -> Duration:
    """interval * number: a constant times a constant, any interval times a whole constant, and a constant interval
    times numbers of rows, which are whole unless it is made of hours, minutes and seconds alone.

    Raises FeatureNotSupported for other pairs.
    """
    duration, number = (left, right) if isinstance(left, Duration) else (right, left)
    if not isinstance(duration, Duration) or isinstance(number, Duration):
        raise mismatch(node, left.fact.type, right.fact.type)
    span, factor = duration.span, value_of(number)
    whole_number = number.fact.type.family is Family.INTEGER
    if is_constant(number) and span is not None and isinstance(factor, int | float | Decimal):
        return of_span(checked(node, span.times(float(factor))))
    if is_constant(number) and isinstance(factor, int) and whole_number:
        mosts = (MOST.months, MOST.days, MOST.micros)
        return of_parts(*(_multiplied(part, factor, most) for part, most in zip(duration.parts, mosts, strict=True)))
    if span is not None and whole_number and not is_constant(number):
        return _times(number, span)
    if span is not None and is_number(number) and not is_constant(number) and span.months == span.days == 0:
        micros = _rounded(number, span.micros)
        return of_parts(times(micros, 0), times(micros, 0), micros)
    raise refused(
        node,
        "this product of an interval and a number is not supported over private tables",
        "Multiply whole numbers and a constant: CAST(x AS integer) * INTERVAL '1 day'.",
    )


def divided(node: exp.Expression, duration: Duration, number: Typed) -> Duration:
    """A constant interval / a constant. Raises FeatureNotSupported for anything else, and for 0."""
    span, factor = duration.span, value_of(number)
    if span is None or not is_constant(number) or not isinstance(factor, int | float | Decimal) or not factor:
        hint = "Divide its length: EXTRACT(epoch FROM a - b) / 86400 are days."
        raise refused(node, "this division of an interval is not supported over private tables", hint)
    return of_span(checked(node, span.over(float(factor))))


def _times(number: Typed, span: Span) -> Duration:
    sizes = (span.months, span.days, span.micros)
    share = max(sum(size != 0 for size in sizes), 1)
    return of_parts(*(_multiplied(number, size, most // share) for size, most in zip(sizes, _MOST, strict=True)))


def _multiplied(number: Typed, factor: int, most: int) -> Typed:
    return times(_within(number, most // max(abs(factor), 1)), factor)


def _within(number: Typed, most: int) -> Typed:
    return limited(number, Interval(Fraction(-most), Fraction(most)))


def _rounded(number: Typed, micros: int) -> Typed:
    """Any number times a constant, rounded as a cast of a double rounds."""
    kept = _within(number, _MOST[2] // max(abs(micros), 1))
    factor = Interval(Fraction(micros), Fraction(micros))

    def product(ends: Interval) -> Interval:
        return Interval(Fraction(math.floor(ends.lower)), Fraction(math.ceil(ends.upper)))

    def combined(ends: Interval | None) -> Interval | None:
        return ranges.each(product, ranges.outward(ranges.both(ranges.multiply, ranges.outward(ends), factor)))

    sql = cast(computed(exp.Mul, held_as(kept, DOUBLE), constant(float(micros), DOUBLE).sql, DOUBLE), BIGINT)
    return Typed(
        sql,
        replace(
            kept.fact,
            type=BIGINT,
            interval=combined(kept.fact.interval),
            proved=combined(kept.fact.proved),
            domain=None,
            step=Decimal(1),
            carrier=None,
        ),
    )


def literal(node: exp.Expression, walk: Walk) -> Typed:
    """INTERVAL '1 month 2 days' and INTERVAL '3' MONTH."""
    if not isinstance(node.this, exp.Literal):
        raise unsupported(node)
    unit = node.args.get("unit")
    return of_span(read_span(node, f"{node.this.this} {unit.name}" if unit else str(node.this.this)))


def conversion(node: exp.Expression, walk: Walk) -> Typed:
    """CAST(x AS interval), of a constant text, of an interval, and of a whole number and its unit put together."""
    if (product := _number_and_unit(node.this, walk)) is not None:
        return walk(product)
    operand = as_duration(node, walk(node.this))
    if not isinstance(operand, Duration):
        raise refused(
            node,
            f"a cast from {operand.fact.type} to interval is not supported over private tables",
            "Multiply a constant interval: x * INTERVAL '1 day'.",
        )
    return operand


def _number_and_unit(written: exp.Expr, walk: Walk) -> exp.Expression | None:
    """x * INTERVAL '1 day' for x || ' days', where x is a whole number; else None."""
    parts: list[exp.Expr] = []
    match written.unnest():
        case exp.DPipe() as joined:
            parts = [joined.this, joined.expression]
        case exp.Concat() as joined:
            parts = list(joined.expressions)
    if len(parts) != 2 or not isinstance(parts[1], exp.Literal):
        return None
    number, unit = parts[0].unnest(), str(parts[1].name).strip()
    if isinstance(number, exp.Cast) and number.to.this in exp.DataType.TEXT_TYPES:
        number = number.this
    assert isinstance(number, exp.Expression)
    if unit_of(unit) not in {*MONTHS, *DAYS, *MICROS} or walk(number).fact.type.family is not Family.INTEGER:
        return None
    span = exp.Interval(this=exp.Literal.string(f"1 {unit}"))
    return exp.Mul(this=exp.Paren(this=number.copy()), expression=span)


_MADE: Mapping[str, tuple[int, int, int]] = {
    "year": (12, 0, 0),
    "month": (1, 0, 0),
    "week": (0, 7, 0),
    "day": (0, 1, 0),
    "hour": (0, 0, 3_600_000_000),
    "minute": (0, 0, 60_000_000),
    "second": (0, 0, 1_000_000),
}


def made(node: exp.Expression, walk: Walk) -> Typed:
    """make_interval(years, months, weeks, days, hours, mins, secs)."""
    found = of_span(Span())
    for name, argument in node.args.items():
        if argument is not None:
            number = walk(argument.expression if isinstance(argument, exp.Kwarg) else argument)
            if number.fact.type.family is not Family.INTEGER and name != "second":
                raise mismatch(node, number.fact.type)
            found = summed(found, scaled(node, of_span(Span(*_MADE[name])), number))
    return found
