"""Division and remainder: NULL for a divisor of 0."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, NUMERIC, REAL, Family, SqlType
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed, proved_by_type
from dpproxy.rewrite.expressions.intervals import scaling
from dpproxy.rewrite.expressions.intervals.durations import Duration
from dpproxy.rewrite.expressions.numbers.arithmetic import multiplied
from dpproxy.rewrite.expressions.trees.build import cast, computed, marked, never, number
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types.carriers import decimal_for, fits_bigint, held_as, is_whole
from dpproxy.rewrite.expressions.types.operands import Operands, as_fraction, as_value, exactly, finer, numbers, rounded
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_LEAST_BIGINT = -(2**63)
_DIGITS = "Cast both sides to bigint or to numeric(p,s) of up to 38 digits."


def divide(node: exp.Expression, walk: Walk) -> Typed:
    """left / right, NULL for a divisor of 0; integers are cut towards zero."""
    left, right = walk(node.this), walk(node.expression)
    if isinstance(left, Duration):
        return scaling.divided(node, left, right)
    operands = numbers(node, left, right)
    if operands.type.family is Family.INTEGER:
        return _quotient(operands)
    return folded(lambda a, b: _divided(operands.type, a, b), operands.type, operands.left, operands.right) or _ratio(
        operands
    )


def modulo(node: exp.Expression, walk: Walk) -> Typed:
    """left % right with the sign of left, NULL for a divisor of 0."""
    operands = numbers(node, walk(node.this), walk(node.expression))
    constant = folded(_remainder_of(operands.type), operands.type, operands.left, operands.right)
    return constant or _remainder(node, operands)


def whole_quotient(node: exp.Expression, walk: Walk) -> Typed:
    """div(x, y): the quotient of two exact numbers cut towards zero, a numeric; NULL for a divisor of 0."""
    operands = numbers(node, walk(node.this), walk(node.expression))
    scales = [side.fact.scale for side in (operands.left, operands.right)]
    if operands.type.family is Family.FLOAT or None in scales:
        raise refused(node, "div() needs numbers of known digits", _DIGITS)
    unit = 10 ** max(scale or 0 for scale in scales)
    left, right = (_in_units(node, side, unit) for side in (operands.left, operands.right))
    whole = _quotient(Operands(left, right, BIGINT))
    domain = None if whole.fact.domain is None else tuple(map(Decimal, _whole_values(whole)))
    if domain is not None and is_constant(whole):
        return constant(domain[0] if domain else None, NUMERIC)
    return Typed(whole.sql, replace(whole.fact, type=NUMERIC, domain=domain))


def _in_units(node: exp.Expression, side: Typed, unit: int) -> Typed:
    """An exact number as that many units, a whole number of the engine. Raises FeatureNotSupported for too many."""
    if is_null(side):
        return constant(None, BIGINT)
    scaled = side if unit == 1 else multiplied(numbers(node, side, constant(unit, BIGINT)))
    if scaled.fact.scale is None or not fits_bigint(scaled.fact.proved):
        raise refused(node, "div() needs numbers of fewer digits", _DIGITS)
    values = None if scaled.fact.domain is None else tuple(_whole_values(scaled))
    if values and is_constant(scaled):
        return constant(values[0], BIGINT)
    sql = marked(cast(scaled.sql, BIGINT), scaled.fact.engine)
    return Typed(sql, replace(scaled.fact, type=BIGINT, carrier=None, domain=values))


def _whole_values(typed: Typed) -> list[int]:
    return [int(value) for value in typed.fact.domain or () if isinstance(value, int | Decimal)]


def _quotient(operands: Operands) -> Typed:
    fold = exactly(operands.type, lambda a, b: Fraction(math.trunc(a / b)))
    if constant := folded(fold, operands.type, operands.left, operands.right):
        return constant
    whole = all(is_whole(side.fact) and fits_bigint(side.fact.proved) for side in (operands.left, operands.right))
    carrier = BIGINT if whole else DOUBLE
    left, right = held_as(operands.left, carrier), _divisor(operands.right, carrier)
    sql = (
        computed(exp.IntDiv, _not_least(left, operands), right, BIGINT)
        if whole
        else exp.Trunc(this=computed(exp.Div, left, right, DOUBLE))
    )
    combine = rounded(ranges.divide_integers, carrier)
    proved = operands.proved(combine)
    if whole:
        proved = _clipped(proved)
    return Typed(
        sql,
        Fact(
            type=operands.type,
            interval=operands.believed(combine),
            proved=proved,
            domain=image(fold, operands.left, operands.right) if whole else None,
            nullable=operands.nullable or _may_be_zero(operands.right),
            private=operands.private,
            step=Decimal(1),
            carrier=carrier,
        ),
    )


def _ratio(operands: Operands) -> Typed:
    carrier = REAL if operands.all_real else DOUBLE
    combine = rounded(ranges.divide, carrier)
    sql = computed(exp.Div, held_as(operands.left, carrier), _divisor(operands.right, carrier), carrier)
    return Typed(
        sql,
        Fact(
            type=operands.type,
            interval=operands.believed(combine),
            proved=operands.proved(combine),
            domain=None,
            nullable=operands.nullable or _may_be_zero(operands.right),
            private=operands.private,
            step=None,
            carrier=carrier,
        ),
    )


def _remainder(node: exp.Expression, operands: Operands) -> Typed:
    left, right = operands.left.fact, operands.right.fact
    carrier: SqlType | None = None
    if is_whole(left) and is_whole(right) and fits_bigint(left.proved, right.proved):
        carrier = BIGINT
    elif left.scale is not None and right.scale is not None:
        carrier = decimal_for(max(left.scale, right.scale), left.proved, right.proved)
    if carrier is None or operands.type.family is Family.FLOAT:
        raise refused(node, "% needs numbers of known digits", _DIGITS)
    combine = ranges.remainders_of(Fraction(1, 10 ** max(left.scale or 0, right.scale or 0)))
    dividend = held_as(operands.left, carrier)
    dividend = _not_least(dividend, operands) if carrier == BIGINT else dividend
    rest = computed(exp.Mod, dividend, _divisor(operands.right, carrier), carrier)
    return Typed(
        rest if carrier == BIGINT else cast(rest, carrier),  # DuckDB makes a double of the rest of wide decimals
        Fact(
            type=operands.type,
            interval=operands.believed(combine),
            proved=operands.proved(combine),
            domain=image(_remainder_of(operands.type), operands.left, operands.right),
            nullable=operands.nullable or _may_be_zero(operands.right),
            private=operands.private,
            step=None if left.step is None or right.step is None else finer(left.step, right.step),
            carrier=carrier,
        ),
    )


def _divisor(operand: Typed, carrier: SqlType) -> exp.Expression:
    sql = held_as(operand, carrier)
    proved = operand.fact.proved
    if proved is not None and not proved.lower <= 0 <= proved.upper:
        return sql
    return never(sql, number(0))


def _not_least(left: exp.Expression, operands: Operands) -> exp.Expression:
    """The dividend without the least bigint, whose quotient by -1 has no room."""
    divisor, dividend = operands.right.fact.proved, operands.left.fact.proved
    safe = divisor is not None and (divisor.lower > -1 or divisor.upper < -1)
    if safe or (dividend is not None and dividend.lower > _LEAST_BIGINT):
        return left
    return never(left, cast(number(_LEAST_BIGINT), BIGINT))


def _clipped(proved: Interval | None) -> Interval | None:
    limits = proved_by_type(BIGINT)
    if proved is None or limits is None:
        return None
    return Interval(max(proved.lower, limits.lower), min(proved.upper, limits.upper))


def _may_be_zero(operand: Typed) -> bool:
    interval = operand.fact.interval
    return interval is None or interval.lower <= 0 <= interval.upper


def _divided(type_: SqlType, left: Value, right: Value) -> Value:
    """The quotient of constants to twenty digits that count. Raises LookupError for one that is too small for them."""
    quotient = as_fraction(type_, left) / as_fraction(type_, right)
    unit = 10 ** (20 + (len(str(int(1 / abs(quotient)))) - 1 if 0 < abs(quotient) < 1 else 0))
    return as_value(type_, Fraction(round(quotient * unit), unit))


def _remainder_of(type_: SqlType) -> Callable[[Value, Value], Value]:
    return exactly(type_, lambda a, b: a - b * math.trunc(a / b))
