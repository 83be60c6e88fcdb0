"""abs, round, floor, ceil and trunc: exact on exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, NUMERIC, TEXT, Family, SqlType
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import as_type, constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.numbers.arithmetic import roomy
from dpproxy.rewrite.expressions.trees.build import HALF_EVEN, binary, computed, marked, number
from dpproxy.rewrite.expressions.trees.position import note
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.carriers import held_as, is_whole
from dpproxy.rewrite.expressions.types.operands import as_fraction, as_value
from dpproxy.rewrite.expressions.types.promotion import is_number
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

Cut = Callable[[Fraction, int], Fraction]
_MOST_PLACES = 15
_MAGIC = 6755399441055744.0


@dataclass(frozen=True, slots=True)
class Rounding:
    """A way to leave out decimal places, and its value on exact numbers."""

    node: type[exp.Expression]
    cut: Cut


def half_away(value: Fraction, places: int) -> Fraction:
    """Rounded to `places`, a half away from zero, as Postgres rounds numerics."""
    scaled = abs(value) * Fraction(10) ** places
    whole = Fraction(math.floor(scaled + Fraction(1, 2))) / Fraction(10) ** places
    return -whole if value < 0 else whole


def whole_down(value: Fraction, places: int) -> Fraction:
    """The next multiple of 10**-places that is not greater."""
    return Fraction(math.floor(value * Fraction(10) ** places)) / Fraction(10) ** places


def whole_up(value: Fraction, places: int) -> Fraction:
    """The next multiple of 10**-places that is not less."""
    return -whole_down(-value, places)


def cut_off(value: Fraction, places: int) -> Fraction:
    """Without the further places."""
    return whole_up(value, places) if value < 0 else whole_down(value, places)


_ROUNDINGS: dict[type[exp.Expression], Rounding] = {
    exp.Round: Rounding(exp.Round, half_away),
    exp.Floor: Rounding(exp.Floor, whole_down),
    exp.Ceil: Rounding(exp.Ceil, whole_up),
    exp.Trunc: Rounding(exp.Trunc, cut_off),
}


def absolute(node: exp.Expression, walk: Walk) -> Typed:
    """abs(x), of the type of x."""
    operand = number_of(node, node.this, walk)
    fact = operand.fact
    fold = _fold(fact.type, fact.type, lambda value: abs(value))
    if result := folded(fold, fact.type, operand):
        return result
    proved = ranges.each(ranges.absolute, fact.proved)
    carrier = roomy(fact, proved)
    interval = ranges.each(ranges.absolute, fact.interval)
    known = replace(fact, interval=interval, proved=proved, domain=image(fold, operand), carrier=carrier)
    return Typed(exp.Abs(this=held_as(operand, carrier)), known)


def rounding(node: exp.Expression, walk: Walk) -> Typed:
    """round, floor, ceil and trunc, with the number of places where it is given: exact on exact numbers."""
    operand, rule = number_of(node, node.this, walk), _ROUNDINGS[type(node)]
    places = _places(node, walk)
    type_ = operand.fact.type
    if type_.family is Family.INTEGER:
        type_ = DOUBLE if places is None else NUMERIC
    if type_.family is Family.FLOAT:
        type_ = DOUBLE
    if is_null(operand):
        return constant(None, type_)
    fold = _fold(operand.fact.type, type_, lambda value: rule.cut(value, places or 0))
    if type_ == NUMERIC and (result := folded(fold, NUMERIC, operand)):
        return result
    if is_whole(operand.fact) and (places is None or places >= 0):
        return _unchanged(operand, type_)
    return _rounded(rule, operand, places, SqlType(type_.name))


def number_of(node: exp.Expression, argument: exp.Expression, walk: Walk) -> Typed:
    """An argument that must be a number; a text constant is read as double precision, as Postgres reads it."""
    operand = as_type(argument, walk(argument), DOUBLE)
    if is_null(operand):
        return constant(None, DOUBLE) if operand.fact.type == TEXT else operand
    if not is_number(operand):
        raise mismatch(node, operand.fact.type)
    return operand


def _unchanged(operand: Typed, type_: SqlType) -> Typed:
    """A whole number is its own rounding."""
    if type_.family is Family.FLOAT:
        fact = replace(operand.fact, domain=None, interval=ranges.outward(operand.fact.interval))
        fact = replace(fact, type=DOUBLE, carrier=DOUBLE, proved=ranges.outward(operand.fact.proved))
        return Typed(held_as(operand, DOUBLE), fact)
    return Typed(operand.sql, replace(operand.fact, type=type_, carrier=operand.fact.engine))


def _rounded(rule: Rounding, operand: Typed, places: int | None, type_: SqlType) -> Typed:
    """Rounded in the type that holds it; places before the point as a double, as DuckDB makes 0 of a NULL there."""
    fact, kept = operand.fact, places or 0
    to_even = rule.node is exp.Round and places is None and type_.family is Family.FLOAT

    def cut(ends: Interval) -> Interval:
        return ranges.monotone(lambda end: round(end) if to_even else rule.cut(end, kept), ends)

    proved = ranges.each(cut, fact.proved)
    held = DOUBLE if type_.family is Family.FLOAT or kept < 0 else roomy(fact, proved)
    exact = held.family is Family.NUMERIC
    sql = marked(_rounding_sql(rule, held_as(operand, held), places, type_), held)
    carrier = SqlType("numeric", (held.modifiers[0], min(max(kept, 0), held.modifiers[1]))) if exact else held
    outward = (lambda ends: ends) if exact else ranges.outward
    known = replace(
        fact,
        type=type_,
        interval=outward(ranges.each(cut, outward(fact.interval))),
        proved=outward(ranges.each(cut, outward(fact.proved))),
        domain=image(_fold(fact.type, type_, lambda value: rule.cut(value, kept)), operand) if exact else None,
        step=max(Decimal(1).scaleb(-kept), fact.step or Decimal(0)) if exact or not kept else Decimal(1).scaleb(-kept),
        carrier=carrier,
    )
    return Typed(sql, known)


def _rounding_sql(rule: Rounding, sql: exp.Expression, places: int | None, type_: SqlType) -> exp.Expression:
    if places is not None:
        return rule.node(this=sql, decimals=number(places))
    if rule.node is not exp.Round:
        return rule.node(this=sql)
    return _half_even(sql) if type_.family is Family.FLOAT else whole_away(sql)


def whole_away(sql: exp.Expression) -> exp.Expression:
    """The nearest whole number, a half away from zero: said by its places, as without them Postgres rounds a double
    to the even side.
    """
    return exp.Round(this=sql, decimals=number(0))


def _half_even(sql: exp.Expression) -> exp.Expression:
    """round(x) of a double as Postgres does it, a half to the even side: past 1.5 * 2**52 doubles are whole numbers."""
    magic = constant(_MAGIC, DOUBLE).sql
    sql = named(sql)
    small = binary(exp.LT, exp.Abs(this=sql), constant(2.0**51, DOUBLE).sql)
    near = computed(exp.Sub, computed(exp.Add, sql.copy(), magic, DOUBLE), magic.copy(), DOUBLE)
    rounded = exp.Case(ifs=[exp.If(this=small, true=near)], default=sql.copy())
    note(rounded, {HALF_EVEN: True})
    return rounded


def _places(node: exp.Expression, walk: Walk) -> int | None:
    if not node.args.get("decimals"):
        return None
    places = value_of(walk(node.args["decimals"])) if is_constant(walk(node.args["decimals"])) else None
    if not isinstance(places, int) or abs(places) > _MOST_PLACES:
        raise refused(node, "the number of decimal places must be a constant from -15 to 15", "Write it as a number.")
    return places


def _fold(source: SqlType, target: SqlType, change: Callable[[Fraction], Fraction]) -> Callable[[Value], Value]:
    return lambda value: as_value(target, change(as_fraction(source, value)))
