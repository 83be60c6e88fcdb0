"""Arithmetic on whole numbers that provably stay within a bigint: the parts of intervals, and what is made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.trees.build import computed
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rows import Value

_Fold = Callable[[int, int], int]


def whole(number: int) -> Typed:
    """A constant."""
    return constant(number, BIGINT)


def is_zero(number: Typed) -> bool:
    """Whether it is proved to be 0 wherever it is not NULL."""
    return number.fact.proved is not None and number.fact.proved.lower == number.fact.proved.upper == 0


def plus(left: Typed, right: Typed) -> Typed:
    """left + right."""
    if _is(left, 0) or _is(right, 0):
        return right if _is(left, 0) else left
    return _made(exp.Add, ranges.add, lambda x, y: x + y, left, right)


def minus(left: Typed, right: Typed) -> Typed:
    """left - right."""
    return left if _is(right, 0) else _made(exp.Sub, ranges.subtract, lambda x, y: x - y, left, right)


def times(number: Typed, factor: int) -> Typed:
    """number * factor."""
    if factor == 1:
        return number
    product = _made(exp.Mul, ranges.multiply, lambda x, y: x * y, number, whole(factor))
    step = None if number.fact.step is None or factor == 0 else number.fact.step * abs(factor)
    return product if is_constant(product) else Typed(product.sql, replace(product.fact, step=step))


def quotient(number: Typed, divisor: int) -> Typed:
    """number / divisor, cut towards zero. The divisor is positive."""
    if divisor == 1:
        return number
    return _made(exp.IntDiv, ranges.divide_integers, _cut, number, whole(divisor))


def remainder(number: Typed, divisor: int) -> Typed:
    """number % divisor, with the sign of the number. The divisor is positive."""
    return _made(exp.Mod, ranges.remainders_of(Fraction(1)), lambda x, y: x - y * _cut(x, y), number, whole(divisor))


def _cut(number: int, divisor: int) -> int:
    return math.trunc(Fraction(number, divisor))


def _is(number: Typed, value: int) -> bool:
    return is_constant(number) and value_of(number) == value


def _made(node: type[exp.Expression], combine: ranges.Combine, of: _Fold, left: Typed, right: Typed) -> Typed:
    fold = _of_integers(of)
    if result := folded(fold, BIGINT, left, right):
        return result
    fact = Fact(
        type=BIGINT,
        interval=ranges.both(combine, left.fact.interval, right.fact.interval),
        proved=ranges.both(combine, left.fact.proved, right.fact.proved),
        domain=image(fold, left, right),
        nullable=left.fact.nullable or right.fact.nullable,
        private=left.fact.private or right.fact.private,
        step=Decimal(1),
    )
    return Typed(computed(node, _held(left), _held(right), BIGINT), fact)


def _held(number: Typed) -> exp.Expression:
    """The number as a bigint; a constant beside one need not be."""
    return number.sql if is_constant(number) else held_as(number, BIGINT)


def _of_integers(of: _Fold) -> Callable[[Value, Value], Value]:
    def fold(left: Value, right: Value) -> Value:
        if not isinstance(left, int | Decimal) or not isinstance(right, int | Decimal):
            raise LookupError(left)
        return of(int(left), int(right))

    return fold
