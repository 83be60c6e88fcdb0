"""From values to whole numbers of grid steps: what a measure adds up inside of the engine."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, SqlType
from dpproxy.errors import BoundsRequired
from dpproxy.rewrite.expressions.build import binary, cast, checked_size, number
from dpproxy.rewrite.expressions.carriers import fits_bigint, held_as, is_whole
from dpproxy.rewrite.expressions.fact import Fact, Typed
from dpproxy.rewrite.expressions.literals import constant

_MOST_STEPS = 2**62


def grid_step(fact: Fact) -> Decimal:
    """The width of a grid step: the natural grid, else the largest power of ten not above a millionth of the range."""
    if fact.step is not None:
        return fact.step
    if fact.interval is None or fact.interval.lower == fact.interval.upper:
        return Decimal(1)
    width = (fact.interval.upper - fact.interval.lower) / 10**6
    places = math.floor(math.log10(width))
    places += (Fraction(10) ** (places + 1) <= width) - (Fraction(10) ** places > width)
    return Decimal(1).scaleb(places)


def step_range(lower: Fraction, upper: Fraction, centre: Decimal, step: Decimal) -> tuple[int, int]:
    """The least and greatest number that `steps` gives.

    Raises BoundsRequired where they would not fit into a bigint with room to spare.
    """
    least, most = round((lower - Fraction(centre)) / Fraction(step)), round((upper - Fraction(centre)) / Fraction(step))
    if max(abs(least), abs(most)) >= _MOST_STEPS:
        raise BoundsRequired(
            "the bounds are too wide for the grid of the sum",
            hint="Narrow the values with LEAST and GREATEST or in WHERE, or round them.",
        )
    return least, most


def steps(value: Typed, lower: Fraction, upper: Fraction, centre: Decimal, step: Decimal) -> exp.Expression:
    """clamp(value, lower, upper) - centre in grid steps, as bigint; NULL for NULL and NaN.

    Claim: every result is NULL or in `step_range(lower, upper, centre, step)`, and none raises.
    Because: what is cast lies between two whole numbers of that range, so that rounding stays between them. A CASE
    clamps, since LEAST and GREATEST skip NULLs, put NaN on top, and take several times as long.
    Checked by: tests/test_expressions.py, test_steps_stay_in_range.
    """
    least, most = step_range(lower, upper, centre, step)
    if _is_plain(value.fact, centre, step):
        return _plain(value, least, most, int(centre))
    return _scaled(value, least, most, centre, step)


def _is_plain(fact: Fact, centre: Decimal, step: Decimal) -> bool:
    return step == 1 and centre == centre.to_integral_value() and is_whole(fact) and fits_bigint(fact.proved)


def _plain(value: Typed, least: int, most: int, centre: int) -> exp.Expression:
    """Integers on a grid of 1: no conversion at all."""
    if not centre:
        return cast(_clamped_whole(value.sql, number(least), number(most)), BIGINT)
    clamped = _clamped_whole(held_as(value, BIGINT), number(least + centre), number(most + centre))
    return cast(binary(exp.Sub, clamped, number(centre)), BIGINT)


def _scaled(value: Typed, least: int, most: int, centre: Decimal, step: Decimal) -> exp.Expression:
    """Through a double, clamped to the whole doubles inside of the range, and rounded by the cast."""
    start = held_as(value, DOUBLE)
    moved = binary(exp.Sub, start, _double(Fraction(centre))) if centre else start
    inverse = 1 / Fraction(step)
    scaled = moved
    if inverse != 1:
        whole = inverse.denominator == 1
        scaled = binary(exp.Mul if whole else exp.Div, moved, _double(inverse if whole else Fraction(step)))
    return cast(_clamped_double(scaled, number(-_double_below(-least)), number(_double_below(most))), BIGINT)


def _clamped_whole(sql: exp.Expression, lower: exp.Expression, upper: exp.Expression) -> exp.Expression:
    """A whole number between the ends; NULL stays NULL."""
    ifs = [
        exp.If(this=binary(exp.GT, sql.copy(), upper), true=upper.copy()),
        exp.If(this=binary(exp.LT, sql.copy(), lower), true=lower.copy()),
    ]
    return exp.Case(ifs=ifs, default=checked_size(sql))


def _clamped_double(sql: exp.Expression, lower: exp.Expression, upper: exp.Expression) -> exp.Expression:
    """A double between the ends; NULL and NaN, which is above all numbers in both engines, become NULL."""
    nan = cast(exp.Literal.string("NaN"), DOUBLE)
    ifs = [
        exp.If(this=binary(exp.LT, sql.copy(), lower), true=lower.copy()),
        exp.If(this=binary(exp.LTE, sql.copy(), upper), true=checked_size(sql)),
        exp.If(this=binary(exp.LT, sql.copy(), nan), true=upper.copy()),
    ]
    return exp.Case(ifs=ifs)


def _double_below(whole: int) -> int:
    """The greatest whole number not above `whole` that a double holds."""
    nearest = int(float(whole))
    return nearest if nearest <= whole else int(math.nextafter(float(whole), -math.inf))


def _double(value: Fraction) -> exp.Expression:
    return constant(float(value), SqlType("double precision")).sql
