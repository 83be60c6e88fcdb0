"""Casts: those that cannot fail as they are, those between numbers with a guard, text as far as `from_text` goes.

A value that has no room in the new type is NULL, where Postgres raises.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    TIMESTAMP,
    TIMESTAMPTZ,
    Family,
    SqlType,
    parse_type,
)
from dpproxy.errors import OutOfRange
from dpproxy.rewrite.expressions.casts.from_text import decimal_number, floating_number, truth_value, whole_number
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import (
    constant,
    is_constant,
    is_null,
    is_untyped,
    value_of,
    written_as,
)
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS, Fact, Interval, Typed, proved_by_type
from dpproxy.rewrite.expressions.intervals import scaling
from dpproxy.rewrite.expressions.intervals.spans import Span, shifted, time_of
from dpproxy.rewrite.expressions.logic.comparison import truth
from dpproxy.rewrite.expressions.numbers.rounding import half_away, whole_away, whole_down, whole_up
from dpproxy.rewrite.expressions.text.texts import as_text
from dpproxy.rewrite.expressions.time import date_reading
from dpproxy.rewrite.expressions.time.grains import Reading, values_of
from dpproxy.rewrite.expressions.trees.build import cast, marked, number
from dpproxy.rewrite.expressions.trees.position import position, session_zone
from dpproxy.rewrite.expressions.trees.refusals import refused, unsupported
from dpproxy.rewrite.expressions.types.calendars import DAY, at_midnight, in_calendar
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rewrite.expressions.types.limits import clipped, limited
from dpproxy.rewrite.expressions.types.moments import local
from dpproxy.rewrite.expressions.types.operands import as_fraction, as_value
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

Change = Callable[[exp.Expression, Typed, SqlType], Typed]
_LARGEST_REAL = Fraction(2**128 - 2**104)
_DAYS = Reading(lambda moment: moment.date(), "day", rises=True)
_HINT = (
    "Casts between numbers, date and timestamp, of text to numbers, boolean and dates, "
    "of most types to text are supported."
)


def conversion(node: exp.Expression, walk: Walk) -> Typed:
    """CAST(x AS type), and a typed constant such as DATE '2020-01-01'."""
    if node.args["to"].this == exp.DataType.Type.INTERVAL:
        return scaling.conversion(node, walk)
    try:
        target = parse_type(node.args["to"].sql("postgres"))
    except ValueError:
        raise unsupported(node, _HINT) from None
    if target.family in (Family.OPAQUE, Family.INTERVAL):
        raise unsupported(node, _HINT)
    operand = walk(node.this)
    if is_null(operand):
        return constant(None, target)
    if is_untyped(operand):
        operand = _as_written(node, str(value_of(operand)), target)
    change = _CHANGES.get((operand.fact.type.family, target.family))
    if change is None or (target.modifiers and target.family not in (Family.NUMERIC, Family.TEXT)):
        raise refused(node, f"a cast from {operand.fact.type} to {target} is not supported over private tables", _HINT)
    return change(node, operand, target)


def _as_written(node: exp.Expression, text: str, target: SqlType) -> Typed:
    """A text constant of a type."""
    plain = SqlType(target.name) if target.zone is None else target.in_zone(session_zone(node))
    return written_as(node, text, plain)


def _same(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    return operand


def _to_integer(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    limits = _limits(target)
    if result := folded(_rounded_to(operand.fact.type, target, 0), target, operand):
        return result
    _check_constant(node, operand, target)
    scale = operand.fact.scale
    if scale == 0:
        kept = limited(operand, limits)
        whole = kept.sql
        if kept.fact.engine.family is not Family.INTEGER:
            whole = marked(cast(kept.sql, BIGINT), kept.fact.engine)
        return Typed(whole, _number_fact(operand.fact, kept.fact, target, 0, BIGINT if whole is not kept.sql else None))
    kept = limited(operand, _before_half(limits, 0, scale))
    decimal = operand.fact.type.family is Family.NUMERIC and scale is None
    rounded = marked(whole_away(kept.sql), kept.fact.engine) if decimal else kept.sql
    sql = marked(cast(rounded, BIGINT), kept.fact.engine)
    return Typed(sql, _number_fact(operand.fact, kept.fact, target, 0, BIGINT))


def _to_numeric(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    if not target.modifiers and is_constant(operand):
        return constant(Decimal(str(value_of(operand))), target)
    if not target.modifiers:
        held = DOUBLE if operand.fact.engine == REAL else operand.fact.engine
        return Typed(held_as(operand, held), replace(operand.fact, type=target, carrier=held))
    digits, *places = target.modifiers
    if digits > MOST_DIGITS or sum(places) > digits:
        raise unsupported(node, f"Use numeric(p,s) of at most {MOST_DIGITS} digits.")
    if result := folded(_rounded_to(operand.fact.type, target, sum(places)), target, operand):
        return result
    _check_constant(node, operand, target)
    kept = limited(operand, _before_half(_limits(target), sum(places), operand.fact.scale))
    sql = marked(cast(kept.sql, target), kept.fact.engine)
    return Typed(sql, _number_fact(operand.fact, kept.fact, target, sum(places), target))


def _text_to_integer(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    return _to_integer(node, whole_number(operand), target)


def _text_to_numeric(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    if not target.modifiers:
        return _to_numeric(node, floating_number(operand), target)
    digits, *places = target.modifiers
    if digits > MOST_DIGITS or sum(places) > digits:
        raise unsupported(node, f"Use numeric(p,s) of at most {MOST_DIGITS} digits.")
    return _to_numeric(node, decimal_number(operand, sum(places)), target)


def _text_to_float(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    return _to_float(node, floating_number(operand), target)


def _text_to_boolean(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    return truth_value(operand)


def _to_float(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    if is_constant(operand):
        return _float_constant(node, operand, target)
    inexact = operand.fact.scale is None and operand.fact.engine != target
    if target == REAL and inexact:
        operand = limited(operand, Interval(-_LARGEST_REAL, _LARGEST_REAL))
    outward = ranges.outward_real if target == REAL else ranges.outward
    fact = replace(
        operand.fact,
        type=target,
        interval=outward(operand.fact.interval),
        proved=outward(operand.fact.proved),
        domain=operand.fact.domain if operand.fact.type == target else _doubles(operand) if target == DOUBLE else None,
        carrier=target,
    )
    return Typed(held_as(operand, target), fact)


def _doubles(operand: Typed) -> tuple[Value, ...] | None:
    """The values of exact numbers as doubles, where those are the very same numbers: 2024 is, 0.1 is not."""

    def fold(value: Value) -> Value:
        exact = as_fraction(operand.fact.type, value)
        if Fraction(float(exact)) != exact:
            raise LookupError(value)
        return float(exact)

    return image(fold, operand)


def _float_constant(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    try:
        typed = constant(value_of(operand), target)
    except OverflowError:
        typed = constant(math.inf, DOUBLE)
    if typed.fact.interval is None:
        raise _out_of_range(node, target)
    return typed


def _check_constant(node: exp.Expression, operand: Typed, target: SqlType) -> None:
    """Raises OutOfRange for a number as written that could not be folded: that is no row's fault, and told before the
    charge."""
    if is_constant(operand) and not is_null(operand):
        raise _out_of_range(node, target)


def _out_of_range(node: exp.Expression, target: SqlType) -> OutOfRange:
    """In Postgres's own words."""
    message = "numeric field overflow" if target.family is Family.NUMERIC else f"{target} out of range"
    return OutOfRange(message, hint="Use a smaller number, or a wider type.", position=position(node))


def _boolean_to_integer(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    if target != INTEGER:
        raise unsupported(node, "CAST a boolean to integer, or use CASE.")
    limits = Interval(Fraction(0), Fraction(1))
    domain = image(lambda value: int(bool(value)), operand)
    fact = replace(
        operand.fact, type=INTEGER, interval=limits, proved=limits, domain=domain, step=Decimal(1), carrier=None
    )
    return folded(lambda value: int(bool(value)), INTEGER, operand) or Typed(
        marked(cast(operand.sql, INTEGER), BOOLEAN), fact
    )


def _integer_to_boolean(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    if operand.fact.type != INTEGER:
        raise unsupported(node, "Compare the number with 0.")
    zero = exp.Paren(this=operand.sql)
    return folded(lambda value: value != 0, BOOLEAN, operand) or truth(
        exp.NEQ(this=zero, expression=number(0)), operand
    )


def _to_timestamp(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    """Of a timestamp with time zone, the session's local time."""
    operand = local(node, operand)
    if operand.fact.type == TIMESTAMP:
        return operand
    kept = folded(_midnight, TIMESTAMP, operand) or at_midnight(operand)
    return Typed(kept.sql, replace(kept.fact, type=TIMESTAMP, carrier=None))


def _to_moment(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    """A date or timestamp as the session's local time."""
    kept = folded(_midnight, TIMESTAMPTZ, operand) or at_midnight(operand)
    return Typed(kept.sql, replace(kept.fact, type=TIMESTAMPTZ, carrier=TIMESTAMP))


def _to_date(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    operand = local(node, operand)
    if result := folded(_day, DATE, operand):
        return result
    kept = in_calendar(operand)

    def in_days(ends: Interval) -> Interval:
        return ranges.monotone(lambda end: end // DAY, ends)

    fact = replace(
        kept.fact,
        type=DATE,
        interval=ranges.each(in_days, kept.fact.interval),
        proved=ranges.each(in_days, kept.fact.proved),
        domain=values_of(_DAYS, operand),
        carrier=None,
    )
    return Typed(cast(kept.sql, DATE), fact)


def _to_text(node: exp.Expression, operand: Typed, target: SqlType) -> Typed:
    text = as_text(node, operand)
    if not target.modifiers:
        return Typed(text.sql, replace(text.fact, type=target))
    length = target.modifiers[0]

    def cut(value: Value) -> Value:
        return str(value)[:length]

    fact = replace(text.fact, type=target, domain=image(cut, text))
    sql = exp.Left(this=text.sql, expression=number(length))
    return folded(cut, target, text) or Typed(sql, fact)


def _number_fact(before: Fact, kept: Fact, target: SqlType, places: int, carrier: SqlType | None) -> Fact:
    """A number rounded to `places` within what `target` holds."""
    exact = before.scale is not None
    down, up = (half_away, half_away) if exact else (whole_down, whole_up)

    def rounded(ends: Interval) -> Interval:
        return Interval(down(ends.lower, places), up(ends.upper, places))

    limits, unit = _limits(target), Decimal(1).scaleb(-places)
    proved = clipped(ranges.each(rounded, kept.proved), limits)
    kept_step = before.step is not None and (Fraction(before.step) / Fraction(unit)).denominator == 1
    step = before.step if kept_step else unit
    return replace(
        kept,
        type=target,
        interval=clipped(ranges.each(rounded, kept.interval), limits),
        proved=proved,
        domain=image(_rounded_to(before.type, target, places), Typed(exp.Null(), before)) if exact else None,
        step=step,
        carrier=carrier or kept.carrier or before.engine,
    )


def _limits(target: SqlType) -> Interval:
    limits = proved_by_type(target)
    assert limits is not None, target
    return limits


def _before_half(limits: Interval, places: int, scale: int | None) -> Interval:
    """Limits widened by what still rounds to them.

    A double is scaled first, which rounds once more: the widening stays clear of the half by far more than that error,
    and where doubles are too coarse for it, past 13 digits, the limits are narrowed a little instead.
    """
    half = Fraction(1, 2 * 10**places)
    if scale is not None:
        slack = max(half - Fraction(1, 10**scale), Fraction(0))
    elif limits.upper * 10**places < 10**13:
        slack = half * Fraction(98, 100)
    else:
        slack = -limits.upper / 2**50
    return Interval(limits.lower - slack, limits.upper + slack)


def _rounded_to(source: SqlType, target: SqlType, places: int) -> Callable[[Value], Value]:
    def fold(value: Value) -> Value:
        kept = half_away(as_fraction(source, value), places)
        if not ranges.contains(_limits(target), Interval(kept, kept)):
            raise LookupError(value)
        return as_value(target, kept)

    return fold


def _midnight(value: Value) -> Value:
    return shifted(time_of(value), Span())


def _day(value: Value) -> Value:
    moment = shifted(time_of(value), Span())
    return moment.date()


_NUMBERS = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
_UNWRITTEN = (Family.FLOAT, Family.INTERVAL, Family.TIME, Family.OPAQUE)
_CHANGES: Mapping[tuple[Family, Family], Change] = {
    **{(source, Family.INTEGER): _to_integer for source in _NUMBERS},
    **{(source, Family.NUMERIC): _to_numeric for source in _NUMBERS},
    **{(source, Family.FLOAT): _to_float for source in _NUMBERS},
    (Family.TEXT, Family.INTEGER): _text_to_integer,
    (Family.TEXT, Family.NUMERIC): _text_to_numeric,
    (Family.TEXT, Family.FLOAT): _text_to_float,
    (Family.TEXT, Family.BOOLEAN): _text_to_boolean,
    **{(source, Family.TEXT): _to_text for source in Family if source not in _UNWRITTEN},
    **{(family, family): _same for family in (Family.BOOLEAN, Family.DATE, Family.UUID, Family.MOMENT, Family.TIME)},
    **{(source, Family.TIMESTAMP): _to_timestamp for source in (Family.TIMESTAMP, Family.MOMENT)},
    **{(source, Family.MOMENT): _to_moment for source in (Family.DATE, Family.TIMESTAMP)},
    (Family.MOMENT, Family.DATE): _to_date,
    (Family.BOOLEAN, Family.INTEGER): _boolean_to_integer,
    (Family.INTEGER, Family.BOOLEAN): _integer_to_boolean,
    (Family.TEXT, Family.DATE): date_reading.to_date,
    (Family.TEXT, Family.TIMESTAMP): date_reading.to_timestamp,
    (Family.DATE, Family.TIMESTAMP): _to_timestamp,
    (Family.TIMESTAMP, Family.DATE): _to_date,
}
