"""sign, power, sqrt, ln, log and exp: what engines compute in floating point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, NUMERIC, Family, SqlType
from dpproxy.rewrite.expressions import ranges
from dpproxy.rewrite.expressions.build import cast, guarded, never
from dpproxy.rewrite.expressions.carriers import held_as
from dpproxy.rewrite.expressions.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.operands import as_fraction
from dpproxy.rewrite.expressions.refusals import refused
from dpproxy.rewrite.expressions.rounding import number_of
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value


def sign(node: exp.Expression, walk: Walk) -> Typed:
    """sign(x): -1, 0 or 1."""
    operand = number_of(node, node.this, walk)
    type_ = NUMERIC if operand.fact.type.family is Family.NUMERIC else DOUBLE
    values: tuple[Value, ...] = tuple(Decimal(sign) if type_ == NUMERIC else float(sign) for sign in (-1, 0, 1))
    limits = Interval(Fraction(-1), Fraction(1))
    carrier = BIGINT if type_ == NUMERIC else DOUBLE
    fact = Fact(type_, limits, limits, values, operand.fact.nullable, operand.fact.private, Decimal(1), carrier=carrier)
    return Typed(cast(exp.Sign(this=operand.sql), carrier), fact)


def power(node: exp.Expression, walk: Walk) -> Typed:
    """x ^ k for a constant k; NULL where Postgres raises: 0 to a negative power, a root of a negative number."""
    operand, exponent = number_of(node, node.this, walk), number_of(node, node.expression, walk)
    if not is_constant(exponent) or is_null(exponent) or not _is_modest(exponent):
        raise refused(node, "the exponent must be a constant of at most 100", "Write the exponent as a number.")
    families = {operand.fact.type.family, exponent.fact.type.family}
    type_ = NUMERIC if Family.NUMERIC in families and Family.FLOAT not in families else DOUBLE
    k = as_fraction(NUMERIC, value_of(as_exact(exponent)))
    base = held_as(operand, DOUBLE)
    if k.denominator != 1:
        base = _not_negative(operand)
    if k < 0:
        base = never(base, constant(0.0, DOUBLE).sql)
    sql = exp.Pow(this=base, expression=constant(float(k), DOUBLE).sql)
    nullable = operand.fact.nullable or k < 0 or k.denominator != 1
    return Typed(sql, _inexact(operand.fact, type_, lambda ends: _powers(ends, k), nullable))


def square_root(node: exp.Expression, walk: Walk) -> Typed:
    """sqrt(x), NULL for a negative x."""
    operand = number_of(node, node.this, walk)
    ends = operand.fact.interval
    nullable = operand.fact.nullable or ends is None or ends.lower < 0
    fact = _inexact(operand.fact, _real_type(operand), _roots, nullable)
    return Typed(exp.Sqrt(this=_not_negative(operand)), fact)


def logarithm(node: exp.Expression, walk: Walk) -> Typed:
    """ln(x), and log(x) to the base of 10; NULL for x <= 0."""
    operand = number_of(node, node.this, walk)
    function = math.log if isinstance(node, exp.Ln) else math.log10
    positive = guarded(held_as(operand, DOUBLE), constant(5e-324, DOUBLE).sql, _infinity())
    ends = operand.fact.interval
    nullable = operand.fact.nullable or ends is None or ends.lower <= 0
    fact = _inexact(operand.fact, _real_type(operand), lambda ends: _on(function, ends, None), nullable)
    return Typed(type(node)(this=positive), fact)


def exponential(node: exp.Expression, walk: Walk) -> Typed:
    """exp(x); infinity past the range of a double."""
    operand = number_of(node, node.this, walk)
    fact = _inexact(operand.fact, _real_type(operand), lambda ends: _on(math.exp, ends, Fraction(-10_000)))
    return Typed(exp.Exp(this=held_as(operand, DOUBLE)), fact)


def as_exact(exponent: Typed) -> Typed:
    """A constant as a numeric."""
    value = value_of(exponent)
    return constant(Decimal(value), NUMERIC) if isinstance(value, int | float | Decimal) else exponent


def _is_modest(exponent: Typed) -> bool:
    proved = exponent.fact.proved
    return proved is not None and abs(proved.lower) <= 100


def _not_negative(operand: Typed) -> exp.Expression:
    sql, proved = held_as(operand, DOUBLE), operand.fact.proved
    return sql if proved is not None and proved.lower >= 0 else guarded(sql, constant(0.0, DOUBLE).sql, _infinity())


def _infinity() -> exp.Expression:
    return cast(exp.Literal.string("Infinity"), DOUBLE)


def _real_type(operand: Typed) -> SqlType:
    return NUMERIC if operand.fact.type.family is Family.NUMERIC else DOUBLE


def _inexact(
    fact: Fact, type_: SqlType, change: Callable[[Interval], Interval | None], nullable: bool | None = None
) -> Fact:
    """What is known of a function that the engine computes in floating point, to a few units in the last place."""
    return replace(
        fact,
        type=type_,
        interval=ranges.each(change, ranges.outward(fact.interval)),
        proved=ranges.each(change, ranges.outward(fact.proved)),
        domain=None,
        step=None,
        carrier=DOUBLE,
        nullable=fact.nullable if nullable is None else nullable,
    )


def _on(
    function: Callable[[float], float],
    ends: Interval,
    least: Fraction | None,
    widened: Callable[[float, float], Interval] = ranges.loose,
) -> Interval | None:
    """An increasing function's values, widened for its error; arguments below `least` give nothing smaller."""
    lower = ends.lower if least is None else max(ends.lower, least)
    try:
        return widened(function(float(lower)), function(float(max(lower, ends.upper))))
    except (ValueError, OverflowError):
        return None


def _roots(ends: Interval) -> Interval | None:
    return _on(math.sqrt, ends, Fraction(0), _exact_ends)


def _exact_ends(lower: float, upper: float) -> Interval:
    """For functions that are rounded correctly, and so are monotone."""
    return Interval(Fraction(lower), Fraction(upper))


def _powers(ends: Interval, k: Fraction) -> Interval | None:
    if k.denominator != 1 or k < 0:
        if ends.lower <= 0:
            return None if k < 0 else _on(lambda value: value ** float(k), ends, Fraction(0))
        values = sorted(float(end) ** float(k) for end in (ends.lower, ends.upper))
        return ranges.loose(values[0], values[1])
    if k % 2 == 0:
        ends = ranges.absolute(ends)
    return ranges.outward(Interval(ends.lower ** int(k), ends.upper ** int(k)))
