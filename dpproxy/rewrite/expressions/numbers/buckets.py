"""width_bucket: the number of the bucket that a value falls into, a finite set by construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, INTEGER, Family
from dpproxy.rewrite.expressions.constants.arguments import constant_count
from dpproxy.rewrite.expressions.constants.arrays import elements
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed, exact
from dpproxy.rewrite.expressions.numbers.rounding import number_of
from dpproxy.rewrite.expressions.trees.build import atom, binary, cast, computed, guarded, number
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.calendars import as_days
from dpproxy.rewrite.expressions.types.carriers import compared, held_as
from dpproxy.rewrite.expressions.types.promotion import NUMBERS, resolved
from dpproxy.rewrite.expressions.walk import Walk

_MOST = 1_000
_MOST_THRESHOLDS = 100
_EXACT_BELOW = 2**53
_FARTHEST = 10**300
_HINT = "Write width_bucket(x, 0, 100, 10): two ends that differ, and 1 to 1000 buckets, all of them constants."


@dataclass(frozen=True, slots=True)
class Buckets:
    """`count` buckets of one width from `start` to `stop`, which may be the lower one."""

    start: Fraction
    stop: Fraction
    count: int


def bucket(node: exp.Expression, walk: Walk) -> Typed:
    """width_bucket(x, low, high, n): 0 to n + 1; width_bucket(x, thresholds): how many are not above x."""
    if node.args.get("threshold"):
        return _between_thresholds(node, walk)
    operand, *ends = (number_of(node, node.args[name], walk) for name in ("this", "min_value", "max_value"))
    count = constant_count(node, node.args["num_buckets"], walk)
    if count is None or any(map(is_null, (operand, *ends))):
        return constant(None, INTEGER)
    start, stop = (exact(value_of(end)) if is_constant(end) else None for end in ends)
    if start is None or stop is None or start == stop or not 0 < count <= _MOST:
        raise refused(node, "the buckets must be constant", _HINT)
    if abs(stop - start) > _FARTHEST:
        raise refused(node, "the ends are too far apart", _HINT)
    buckets, unit = Buckets(start, stop, count), _unit([operand, *ends])
    exact_unit = unit if unit is not None and abs(stop - start) * unit * count < _EXACT_BELOW else None
    return _numbered(operand, buckets, ends if start < stop else ends[::-1], exact_unit)


def _unit(sides: Sequence[Typed]) -> int | None:
    """The power of ten that makes whole numbers of numerics; None where Postgres or the engine computes in doubles."""
    families = {side.fact.type.family for side in sides}
    scales = [side.fact.scale for side in sides]
    if Family.NUMERIC not in families or Family.FLOAT in families or None in scales:
        return None
    return int(10 ** max(scale or 0 for scale in scales))


def _numbered(operand: Typed, buckets: Buckets, ends: Sequence[Typed], unit: int | None) -> Typed:
    """CASE WHEN below THEN … WHEN between THEN its bucket WHEN above THEN … END; NULL for NULL and NaN.

    Claim: the cast to an integer gets a number from 0 to the count. Because: what it divides lies between the ends.
    Checked by: tests/test_expressions.py, test_generated_expressions_are_total.
    """
    rising = buckets.start < buckets.stop
    below, above = (0, buckets.count + 1) if rising else (buckets.count + 1, 0)
    doubles = [_double(exact(value_of(end)) or Fraction(0)) for end in ends]
    in_doubles = None in (operand.fact.scale, *(end.fact.scale for end in ends))
    value, lower, upper = compared([operand, *(doubles if in_doubles else ends)])
    value = named(value)
    first = binary(exp.LT if rising else exp.LTE, value, lower)
    inside = binary(exp.LT if rising else exp.LTE, value.copy(), upper)
    held = guarded(held_as(operand, DOUBLE), *(end.sql for end in doubles))
    index = cast(_in_decimals(held, buckets, unit) if unit else _in_doubles(held, buckets), INTEGER)
    last = binary(exp.GTE if rising else exp.GT, value.copy(), upper.copy())
    if operand.fact.scale is None:
        last = binary(exp.LTE, value.copy(), cast(exp.Literal.string("Infinity"), DOUBLE))
    branches = [(first, number(below)), (inside, computed(exp.Add, index, number(1), INTEGER)), (last, number(above))]
    sql = exp.Case(ifs=[exp.If(this=when, true=then) for when, then in branches])
    nullable = operand.fact.nullable or (operand.fact.scale is None and operand.fact.interval is None)
    return Typed(sql, _fact(buckets.count + 1, nullable, operand.fact.private))


def _in_decimals(held: exp.Expression, buckets: Buckets, unit: int) -> exp.Expression:
    """The bucket from 0 up, exactly: whole numbers below 2**53 are divided, of which no quotient rounds to the next."""
    apart = exp.Round(this=computed(exp.Mul, _distance(held, buckets), _double(Fraction(unit)).sql, DOUBLE))
    product = computed(exp.Mul, apart, _double(Fraction(buckets.count)).sql, DOUBLE)
    return exp.Floor(this=computed(exp.Div, product, _double(abs(buckets.stop - buckets.start) * unit).sql, DOUBLE))


def _in_doubles(held: exp.Expression, buckets: Buckets) -> exp.Expression:
    """The bucket from 0 up as Postgres computes it of doubles, operation by operation."""
    width = abs(float(buckets.stop) - float(buckets.start))
    ratio = computed(exp.Div, _distance(held, buckets), constant(width, DOUBLE).sql, DOUBLE)
    index = exp.Floor(this=computed(exp.Mul, _double(Fraction(buckets.count)).sql, ratio, DOUBLE))
    return exp.Least(this=index, expressions=[_double(Fraction(buckets.count - 1)).sql], ignore_nulls=True)


def _distance(held: exp.Expression, buckets: Buckets) -> exp.Expression:
    start = _double(buckets.start).sql
    if buckets.start == 0:
        return held if buckets.stop > 0 else exp.Neg(this=atom(held))
    sides = (held, start) if buckets.start < buckets.stop else (start, held)
    return computed(exp.Sub, *sides, DOUBLE)


def _between_thresholds(node: exp.Expression, walk: Walk) -> Typed:
    listed = elements(node.args["threshold"])
    if listed is None or not 0 < len(listed) <= _MOST_THRESHOLDS:
        raise refused(node, "the thresholds must be an array of 1 to 100 constants", "Write ARRAY[10, 20, 30].")
    _, operands = resolved(node, as_days([walk(node.this), *map(walk, listed)]))
    operand, *thresholds = operands
    if not all(is_constant(each) and not is_null(each) for each in thresholds) or not _rise(thresholds):
        raise refused(node, "the thresholds must be constants in rising order", "Write ARRAY[10, 20, 30].")
    value, *ends = compared(operands)
    value = named(value)
    above = exp.If(this=binary(exp.GTE, value.copy(), ends[-1].copy()), true=number(len(ends)))
    below = [exp.If(this=binary(exp.LT, value.copy(), end), true=number(index)) for index, end in enumerate(ends)]
    return Typed(exp.Case(ifs=[*below, above]), _fact(len(ends), operand.fact.nullable, operand.fact.private))


def _rise(thresholds: Sequence[Typed]) -> bool:
    families = {each.fact.type.family for each in thresholds}
    values: list[Any] = list(map(value_of, thresholds))
    return (len(families) == 1 or families <= NUMBERS) and all(left <= right for left, right in pairwise(values))


def _fact(last: int, nullable: bool, private: bool) -> Fact:
    limits = Interval(Fraction(0), Fraction(last))
    return Fact(INTEGER, limits, limits, tuple(range(last + 1)), nullable, private, Decimal(1))


def _double(end: Fraction) -> Typed:
    return constant(float(end), DOUBLE)
