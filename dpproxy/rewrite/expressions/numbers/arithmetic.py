"""Arithmetic: + - * and the sign, on numbers; what has a date, timestamp or interval on a side goes to `time.dates`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, REAL, Family, SqlType
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, number_type, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS, Fact, Interval, Typed
from dpproxy.rewrite.expressions.intervals import scaling
from dpproxy.rewrite.expressions.intervals.durations import Duration, negative
from dpproxy.rewrite.expressions.time.dates import is_clock, is_time, time_arithmetic
from dpproxy.rewrite.expressions.trees.build import atom, computed
from dpproxy.rewrite.expressions.trees.refusals import mismatch
from dpproxy.rewrite.expressions.types.carriers import decimal_for, fits_bigint, held_as, is_whole
from dpproxy.rewrite.expressions.types.moments import is_moment
from dpproxy.rewrite.expressions.types.operands import Operands, as_fraction, as_value, exactly, finer, numbers, rounded
from dpproxy.rewrite.expressions.types.promotion import is_number
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_SHORT_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: its node, its interval arithmetic, its value on constants, and the grid of its results."""

    node: type[exp.Expression]
    combine: ranges.Combine
    fold: Callable[[Fraction, Fraction], Fraction]
    step: Callable[[Decimal, Decimal], Decimal]


ADD = Operator(exp.Add, ranges.add, lambda a, b: a + b, finer)
SUBTRACT = Operator(exp.Sub, ranges.subtract, lambda a, b: a - b, finer)
MULTIPLY = Operator(exp.Mul, ranges.multiply, lambda a, b: a * b, lambda a, b: a * b)


def add(node: exp.Expression, walk: Walk) -> Typed:
    """left + right."""
    return _additive(node, walk, ADD)


def subtract(node: exp.Expression, walk: Walk) -> Typed:
    """left - right."""
    return _additive(node, walk, SUBTRACT)


def multiply(node: exp.Expression, walk: Walk) -> Typed:
    """left * right."""
    left, right = walk(node.this), walk(node.expression)
    if isinstance(left, Duration) or isinstance(right, Duration):
        return scaling.scaled(node, left, right)
    return multiplied(numbers(node, left, right))


def multiplied(operands: Operands) -> Typed:
    """The product of two numbers."""
    return (
        _folded(MULTIPLY, operands) or _whole(MULTIPLY, operands) or _product(operands) or _double(MULTIPLY, operands)
    )


def negate(node: exp.Expression, walk: Walk) -> Typed:
    """-x."""
    operand = walk(node.this)
    if isinstance(operand, Duration):
        return negative(operand)
    if not is_number(operand):
        raise mismatch(node, operand.fact.type)
    value = value_of(operand)
    if isinstance(node.this.unnest(), exp.Literal) and isinstance(value, int):
        return constant(-value, number_type(-value))
    return negated(operand)


def negated(operand: Typed) -> Typed:
    """-x, held where -x has room: a bigint's least value has no negative."""
    fact = operand.fact
    fold = _negative_of(fact.type)
    if result := folded(fold, fact.type, operand):
        return result
    proved = ranges.each(ranges.negate, fact.proved)
    carrier = roomy(fact, proved)
    return Typed(
        exp.Neg(this=atom(held_as(operand, carrier))),
        Fact(
            type=fact.type,
            interval=ranges.each(ranges.negate, fact.interval),
            proved=proved,
            domain=image(fold, operand),
            nullable=fact.nullable,
            private=fact.private,
            step=fact.step,
            carrier=carrier,
        ),
    )


def roomy(fact: Fact, proved: Interval | None) -> SqlType:
    """The type in which both a number and a result of the same scale, proved to lie in `proved`, are held."""
    if is_whole(fact) and fits_bigint(fact.proved, proved):
        return BIGINT
    if fact.engine == REAL:
        return REAL
    return (None if fact.scale is None else decimal_for(fact.scale, fact.proved, proved)) or DOUBLE


def _additive(node: exp.Expression, walk: Walk, operator: Operator) -> Typed:
    left, right = walk(node.this), walk(node.expression)
    if any(is_time(side) or is_moment(side) or isinstance(side, Duration) for side in (left, right)):
        return time_arithmetic(node, left, right)
    if isinstance(node, exp.Sub) and any(map(is_clock, (left, right))):
        return time_arithmetic(node, left, right)
    operands = numbers(node, left, right)
    return (
        _folded(operator, operands)
        or _whole(operator, operands)
        or _sum(operator, operands)
        or _double(operator, operands)
    )


def _folded(operator: Operator, operands: Operands) -> Typed | None:
    return folded(exactly(operands.type, operator.fold), operands.type, operands.left, operands.right)


def _whole(operator: Operator, operands: Operands) -> Typed | None:
    """Integers within a bigint, before and after."""
    proved = operands.proved(operator.combine)
    facts = operands.left.fact, operands.right.fact
    if not all(is_whole(fact) and fact.type.family is Family.INTEGER for fact in facts):
        return None
    if not fits_bigint(facts[0].proved, facts[1].proved, proved):
        return None
    sides = [held_as(side, BIGINT) for side in (operands.left, operands.right)]
    return Typed(computed(operator.node, sides[0], sides[1], BIGINT), _fact(operator, operands, BIGINT))


def _sum(operator: Operator, operands: Operands) -> Typed | None:
    """Exact numbers on the finer of both scales, with room for both sides and the result."""
    scales = operands.left.fact.scale, operands.right.fact.scale
    if scales[0] is None or scales[1] is None or operands.type.family is Family.FLOAT:
        return None
    proved = operands.proved(operator.combine)
    carrier = decimal_for(max(scales[0], scales[1]), operands.left.fact.proved, operands.right.fact.proved, proved)
    if carrier is None:
        return None
    sides = [held_as(side, carrier) for side in (operands.left, operands.right)]
    wider = SqlType("numeric", (min(carrier.modifiers[0] + 1, MOST_DIGITS), carrier.modifiers[1]))
    return Typed(computed(operator.node, sides[0], sides[1], wider), _fact(operator, operands, wider))


def _product(operands: Operands) -> Typed | None:
    """Exact numbers whose digits together are at most 38, the room of their product.

    DuckDB gives the product of two numbers of up to 18 digits no more than 18, and raises past them; so where more are
    needed the left side is made wider than that.
    """
    scales = operands.left.fact.scale, operands.right.fact.scale
    if scales[0] is None or scales[1] is None or operands.type.family is Family.FLOAT:
        return None
    left = decimal_for(scales[0], operands.left.fact.proved)
    right = decimal_for(scales[1], operands.right.fact.proved)
    if left is None or right is None or left.modifiers[0] + right.modifiers[0] > MOST_DIGITS:
        return None
    if left.modifiers[0] + right.modifiers[0] > _SHORT_DIGITS >= max(left.modifiers[0], right.modifiers[0]):
        left = SqlType("numeric", (_SHORT_DIGITS + 1, left.modifiers[1]))
    carrier = SqlType("numeric", tuple(a + b for a, b in zip(left.modifiers, right.modifiers, strict=True)))
    sides = held_as(operands.left, left), held_as(operands.right, right)
    return Typed(computed(exp.Mul, *sides, carrier), _fact(MULTIPLY, operands, carrier))


def _double(operator: Operator, operands: Operands) -> Typed:
    """Floating point, which overflows to infinity instead of raising."""
    carrier = REAL if operands.all_real else DOUBLE
    sides = [held_as(side, carrier) for side in (operands.left, operands.right)]
    return Typed(computed(operator.node, sides[0], sides[1], carrier), _fact(operator, operands, carrier))


def _fact(operator: Operator, operands: Operands, carrier: SqlType) -> Fact:
    combine = rounded(operator.combine, carrier)
    left, right = operands.left.fact.step, operands.right.fact.step
    exact = carrier.family is not Family.FLOAT
    return Fact(
        type=operands.type,
        interval=operands.believed(combine),
        proved=operands.proved(combine),
        domain=image(exactly(operands.type, operator.fold), operands.left, operands.right) if exact else None,
        nullable=operands.nullable,
        private=operands.private,
        step=None if left is None or right is None else operator.step(left, right),
        carrier=carrier,
    )


def _negative_of(type_: SqlType) -> Callable[[Value], Value]:
    return lambda value: as_value(type_, -as_fraction(type_, value))
