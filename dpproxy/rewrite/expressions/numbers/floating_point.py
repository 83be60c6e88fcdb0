"""sign, power, roots, logarithms, exp and angles: what engines compute in floating point."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, NUMERIC, Family, SqlType
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.numbers.rounding import number_of
from dpproxy.rewrite.expressions.trees.build import cast, computed, guarded, never
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rewrite.expressions.types.operands import as_fraction
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

# The double nearest to pi / 180, as in Postgres.
_DEGREE = 0.0174532925199432957692


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
    if is_null(operand):
        return constant(None, type_)
    k = as_fraction(NUMERIC, value_of(as_exact(exponent)))
    base = held_as(operand, DOUBLE)
    if k.denominator != 1:
        base = _not_negative(operand)
    if k < 0:
        base = never(base, constant(0.0, DOUBLE).sql)
    sql = exp.Pow(this=base, expression=constant(float(k), DOUBLE).sql)
    nullable = operand.fact.nullable or _may_fail(operand.fact.interval, k)
    return Typed(sql, _inexact(operand.fact, type_, lambda ends: _powers(ends, k), nullable))


def _may_fail(ends: Interval | None, k: Fraction) -> bool:
    """Whether a base may be 0 with a negative exponent, or negative with a broken one."""
    if k.denominator == 1:
        return k < 0 and (ends is None or ends.lower <= 0 <= ends.upper)
    return ends is None or ends.lower < 0 or (k < 0 and ends.lower == 0)


def square_root(node: exp.Expression, walk: Walk) -> Typed:
    """sqrt(x), NULL for a negative x."""
    operand = number_of(node, node.this, walk)
    if is_null(operand):
        return constant(None, _real_type(operand))
    ends = operand.fact.interval
    nullable = operand.fact.nullable or ends is None or ends.lower < 0
    fact = _inexact(operand.fact, _real_type(operand), _roots, nullable)
    return Typed(exp.Sqrt(this=_not_negative(operand)), fact)


def cube_root(node: exp.Expression, walk: Walk) -> Typed:
    """cbrt(x), of negative numbers, too."""
    operand = number_of(node, node.this, walk)
    fact = _inexact(operand.fact, DOUBLE, lambda ends: _on(math.cbrt, ends, None))
    return Typed(exp.Cbrt(this=held_as(operand, DOUBLE)), fact)


def logarithm(node: exp.Expression, walk: Walk) -> Typed:
    """ln(x), log(x) and log10(x), and log(b, x) for a constant b; NULL for x <= 0."""
    if node.args.get("expression"):
        return _to_base(node, walk)
    operand = number_of(node, node.this, walk)
    return _logarithm(type(node), operand, math.log if isinstance(node, exp.Ln) else math.log10)


def _to_base(node: exp.Expression, walk: Walk) -> Typed:
    """log(b, x), a numeric. The parser reads log10(x), which may be a double precision, as log(10, x)."""
    operand, base = number_of(node, node.expression, walk), number_of(node, node.this, walk)
    known = base.fact.proved.lower if is_constant(base) and base.fact.proved else None
    if known is None or known <= 0 or known == 1:
        hint = "Write log(2, x) or ln(x) / ln(2)."
        raise refused(node, "the base of a logarithm must be a positive constant other than 1", hint)
    if known == 10:
        decimal = _logarithm(exp.Log, operand, math.log10)
        whole = operand.fact.type.family is Family.INTEGER and not _is_called(node, "log10")
        return Typed(decimal.sql, replace(decimal.fact, type=NUMERIC)) if whole else decimal
    divisor = math.log1p(float(known - 1)) if known < 2 else math.log(known)
    type_ = DOUBLE if operand.fact.type.family is Family.FLOAT else NUMERIC
    natural = _logarithm(exp.Ln, operand, math.log)
    sql = computed(exp.Div, natural.sql, constant(divisor, DOUBLE).sql, DOUBLE)
    return Typed(sql, _inexact(natural.fact, type_, lambda ends: _scaled(ends, 1 / Fraction(divisor))))


def _is_called(node: exp.Expression, name: str) -> bool:
    """Whether the function was written with a name of that length: the parser keeps its place alone."""
    return bool(node.meta_get("end", 0) - node.meta_get("start", 0) + 1 == len(name))


def _logarithm(kind: type[exp.Expression], operand: Typed, function: Callable[[float], float]) -> Typed:
    if is_null(operand):
        return constant(None, _real_type(operand))
    positive = guarded(held_as(operand, DOUBLE), constant(5e-324, DOUBLE).sql, _infinity())
    ends = operand.fact.interval
    nullable = operand.fact.nullable or ends is None or ends.lower <= 0
    fact = _inexact(operand.fact, _real_type(operand), lambda ends: _on(function, ends, None), nullable)
    return Typed(kind(this=positive), fact)


def degrees(node: exp.Expression, walk: Walk) -> Typed:
    """degrees(x) and radians(x): the division or product by the double that Postgres takes."""
    operand = number_of(node, node.this, walk)
    into_degrees = isinstance(node, exp.Degrees)
    kind = exp.Div if into_degrees else exp.Mul
    sql = computed(kind, held_as(operand, DOUBLE), constant(_DEGREE, DOUBLE).sql, DOUBLE)
    factor = 1 / Fraction(_DEGREE) if into_degrees else Fraction(_DEGREE)
    return Typed(sql, _inexact(operand.fact, DOUBLE, lambda ends: _scaled(ends, factor)))


def circle(node: exp.Expression, walk: Walk) -> Typed:
    """pi()."""
    return constant(math.pi, DOUBLE)


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
    upper = ends.upper if least is None else max(lower, ends.upper)
    try:
        return widened(function(float(lower)), function(float(upper)))
    except (ValueError, OverflowError):
        return None


def _scaled(ends: Interval, factor: Fraction) -> Interval | None:
    """All x times a factor, widened for its error and that of the factor."""
    products = sorted(end * factor for end in (ends.lower, ends.upper))
    try:
        return ranges.loose(float(products[0]), float(products[1]))
    except OverflowError:
        return None


def _roots(ends: Interval) -> Interval | None:
    return _on(math.sqrt, ends, Fraction(0), _exact_ends)


def _exact_ends(lower: float, upper: float) -> Interval:
    """For functions that are rounded correctly, and so are monotone."""
    return Interval(Fraction(lower), Fraction(upper))


def _powers(ends: Interval, k: Fraction) -> Interval | None:
    if k.denominator != 1 or k < 0:
        if k < 0 and ends.lower <= 0:
            return None
        ordered = ends if k > 0 else Interval(ends.upper, ends.lower)
        return _on(lambda value: value ** float(k), ordered, Fraction(0) if k > 0 else None)
    if k % 2 == 0:
        ends = ranges.absolute(ends)
    return ranges.outward(Interval(ends.lower ** int(k), ends.upper ** int(k)))
