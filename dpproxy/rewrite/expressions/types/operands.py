"""Two numbers and an operator between them: what the rules of arithmetic and division share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import REAL, Family, SqlType
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS, Interval, Typed
from dpproxy.rewrite.expressions.trees.refusals import mismatch
from dpproxy.rewrite.expressions.types.promotion import is_number, resolved
from dpproxy.rows import Value

_LARGEST = 10**300


@dataclass(frozen=True, slots=True)
class Operands:
    """Both sides of an operator on numbers, and the type that Postgres gives the result."""

    left: Typed
    right: Typed
    type: SqlType

    @property
    def nullable(self) -> bool:
        """Whether a side may be NULL."""
        return self.left.fact.nullable or self.right.fact.nullable

    @property
    def private(self) -> bool:
        """Whether a side reads a private table."""
        return self.left.fact.private or self.right.fact.private

    @property
    def all_real(self) -> bool:
        """Whether both sides are held as reals."""
        return self.left.fact.engine == REAL == self.right.fact.engine

    def proved(self, combine: ranges.Combine) -> Interval | None:
        """What is proved of the result."""
        return ranges.both(combine, self.left.fact.proved, self.right.fact.proved)

    def believed(self, combine: ranges.Combine) -> Interval | None:
        """What is believed of the result."""
        return ranges.both(combine, self.left.fact.interval, self.right.fact.interval)


def finer(left: Decimal, right: Decimal) -> Decimal:
    """The coarsest grid that holds sums of both: their greatest common divisor."""
    a, b = Fraction(left), Fraction(right)
    common = Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)
    return Decimal(common.numerator) / Decimal(common.denominator)


def numbers(node: exp.Expression, left: Typed, right: Typed) -> Operands:
    """Both sides as numbers. Raises FeatureNotSupported where one is none."""
    type_, (left, right) = resolved(node, [left, right])
    if not (is_number(left) or is_number(right)):
        raise mismatch(node, left.fact.type, right.fact.type)
    return Operands(left, right, type_)


def rounded(combine: ranges.Combine, carrier: SqlType) -> ranges.Combine:
    """Interval arithmetic as the carrier computes: exactly, or in floating point with both sides converted first."""
    if carrier.family is not Family.FLOAT:
        return combine
    outward = ranges.outward_real if carrier == REAL else ranges.outward

    def inexact(left: Interval, right: Interval) -> Interval | None:
        return outward(ranges.both(combine, outward(left), outward(right)))

    return inexact


def exactly(type_: SqlType, fold: Callable[[Fraction, Fraction], Fraction]) -> Callable[[Value, Value], Value]:
    """`fold` on values of a type; a float is computed as a double does it, so that it is left to the engine."""
    return lambda left, right: as_value(type_, fold(as_fraction(type_, left), as_fraction(type_, right)))


def as_fraction(type_: SqlType, value: Value) -> Fraction:
    """A number's exact value. Raises LookupError for floats, which are left to the engine."""
    if type_.family is Family.FLOAT or not isinstance(value, int | Decimal):
        raise LookupError(value)
    return Fraction(value)


def as_value(type_: SqlType, number: Fraction) -> Value:
    """The exact value in Python's type for `type_`. Raises LookupError where no decimal of 38 digits is that number."""
    if type_.family is Family.INTEGER and number.denominator == 1:
        return int(number)
    places = next((places for places in range(MOST_DIGITS) if (number * 10**places).denominator == 1), None)
    if places is None or abs(number) > _LARGEST:
        raise LookupError(number)
    digits = int(number * 10**places)
    return Decimal((int(digits < 0), tuple(int(digit) for digit in str(abs(digits))), -places))
