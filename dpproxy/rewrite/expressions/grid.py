"""From values to whole numbers of grid steps: what a measure adds up inside of the engine."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, Family, SqlType
from dpproxy.errors import BoundsRequired
from dpproxy.rewrite.expressions.build import binary, cast, chosen, number
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
    Because: the last LEAST and GREATEST are on integers and against those two numbers; before, the value is clamped
    as a double to what the casts hold. LEAST and GREATEST skip NULLs and put NaN on top, so both are taken out first.
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
    clamped = _clamp(held_as(value, BIGINT), number(least + centre), number(most + centre))
    moved = binary(exp.Sub, clamped, number(centre)) if centre else clamped
    return cast(_if_any(value, moved), BIGINT)


def _scaled(value: Typed, least: int, most: int, centre: Decimal, step: Decimal) -> exp.Expression:
    """Through a double, which is clamped to a step beyond the range, rounded by the cast, and clamped again."""
    start = held_as(value, DOUBLE)
    moved = binary(exp.Sub, start, _double(Fraction(centre))) if centre else start
    inverse = 1 / Fraction(step)
    scaled = moved
    if inverse != 1:
        whole = inverse.denominator == 1
        scaled = binary(exp.Mul if whole else exp.Div, moved, _double(inverse if whole else Fraction(step)))
    coarse = _clamp(scaled, _double(Fraction(least - 1)), _double(Fraction(most + 1)))
    exact = _clamp(cast(coarse, BIGINT), number(least), number(most))
    return cast(_if_any(value, exact), BIGINT)


def _clamp(sql: exp.Expression, lower: exp.Expression, upper: exp.Expression) -> exp.Expression:
    above = exp.Greatest(this=sql, expressions=[lower], ignore_nulls=True)
    return exp.Least(this=above, expressions=[upper], ignore_nulls=True)


def _if_any(value: Typed, sql: exp.Expression) -> exp.Expression:
    """`sql` where `value` is a number: NULL and NaN are not below NaN."""
    if value.fact.engine.family is Family.FLOAT or value.fact.scale is None:
        nan = cast(exp.Literal.string("NaN"), DOUBLE)
        return chosen(binary(exp.LT, held_as(value, DOUBLE).copy(), nan), sql)
    return chosen(exp.Not(this=exp.Is(this=exp.Paren(this=value.sql.copy()), expression=exp.Null())), sql)


def _double(value: Fraction) -> exp.Expression:
    return constant(float(value), SqlType("double precision")).sql
