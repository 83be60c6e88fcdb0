"""From values to whole numbers of grid steps: what a measure adds up inside of the engine."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, INTEGER, NUMERIC, Family, SqlType
from dpproxy.errors import BoundsRequired
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.trees.build import (
    MAY_BE_NAN,
    atom,
    binary,
    cast,
    computed,
    marked,
    number,
    whole,
)
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.carriers import fits_bigint, held_as, is_whole

Clamp = Callable[[exp.Expression, exp.Expression, exp.Expression], exp.Expression]
Clip = Callable[[Typed, Fraction, Fraction, Decimal, Decimal], exp.Expression]
OPEN_STEPS = 2**45
"""How many grid steps a value without bounds may be from 0; and what a unit adds to a key at most where its
contributions are scaled down: sums of squares fit into 128 bits then."""
FINEST = Decimal("0.0001")
"""The grid of values whose type has none."""
_MOST_STEPS = 2**62
_EXACT_BELOW = 2**53
_TOLD_APART = 2**51  # a centre may be as far away from both ends as they are from 0
_ROOM = 2**40  # coarser, a unit may have many rows at the end of its bounds before their sum is cut off
_SMALL = 2**30


def grid_step(fact: Fact) -> Decimal:
    """The width of a grid step: the natural grid, else the largest power of ten not above a millionth of the range;
    coarser by tens where a double would not tell so many steps apart."""
    if fact.interval is None or fact.interval.lower == fact.interval.upper:
        return Decimal(1) if fact.step is None else fact.step
    if fact.step is not None and _adds_as_bigint(fact, fact.step):
        return fact.step
    step = _power_of_ten((fact.interval.upper - fact.interval.lower) / 10**6) if fact.step is None else fact.step
    farthest = max(abs(fact.interval.lower), abs(fact.interval.upper))
    if farthest <= _TOLD_APART * Fraction(step):
        return step
    while farthest > _ROOM * Fraction(step):
        step *= 10
    return step


def open_step(fact: Fact) -> Decimal:
    """The grid of values without bounds: that of their type, or FINEST where it has none.

    Of a computed numeric whose type says nothing of its places, such as seconds between two moments, of which each has
    microseconds, it is coarser by tens, until there is room for all that it could be, up to FINEST. Else what lies
    beyond a year would be cut off.
    """
    step = FINEST if fact.step is None else fact.step
    if fact.type.family is not Family.NUMERIC or fact.type.modifiers:
        return step
    while step < FINEST and not (fact.proved and _farthest(fact.proved) <= OPEN_STEPS * Fraction(step)):
        step *= 10
    return step


def _farthest(known: Interval) -> float | Fraction:
    return max(abs(known.lower), abs(known.upper))


def _adds_as_bigint(fact: Fact, step: Decimal) -> bool:
    return step == 1 and is_whole(fact) and fits_bigint(fact.proved)


def step_range(lower: Fraction, upper: Fraction, centre: Decimal, step: Decimal) -> tuple[int, int]:
    """The least and greatest number that `steps` gives.

    Raises BoundsRequired where they would not fit into a bigint with room to spare.
    """
    middle, width = Fraction(centre), Fraction(step)
    least, most = round((lower - middle) / width), round((upper - middle) / width)
    if max(abs(least), abs(most)) >= _MOST_STEPS:
        raise _too_wide()
    return least, most


def steps(value: Typed, lower: Fraction, upper: Fraction, centre: Decimal, step: Decimal) -> exp.Expression:
    """clamp(value, lower, upper) - centre in grid steps, as bigint; NULL for NULL and NaN.

    Claim: every result is NULL or in `step_range(lower, upper, centre, step)`, and none raises.
    Because: what the cast rounds was clamped between whole numbers of at most 2**53, which a double holds exactly, or
    is an integer already. The clamp compares instead of using LEAST and GREATEST, which skip NULLs.
    Checked by: tests/test_expressions.py, test_steps_stay_in_range.
    Raises BoundsRequired as `step_range` does, and where a double would not resolve or hold the steps.
    """
    least, most = step_range(lower, upper, centre, step)
    clamp = _clamp if value.fact.scale is None else _clamp_finite
    if _adds_as_bigint(value.fact, step) and centre == centre.to_integral_value():
        return _moved(_whole(value, least, most, int(centre)), least, most, int(centre), clamp, BIGINT)
    offset = Fraction(centre) / Fraction(step)
    ends: tuple[Fraction | int, ...] = (offset, least, most, least + offset, most + offset)
    if not all(-_EXACT_BELOW <= end <= _EXACT_BELOW for end in ends):
        raise _too_wide()
    start = held_as(value, DOUBLE)
    if offset.denominator == 1:
        return _moved(_scaled(start, Fraction(step)), least, most, int(offset), clamp, DOUBLE)
    apart = computed(exp.Sub, start, _double(Fraction(centre)), DOUBLE)
    return _moved(_scaled(apart, Fraction(step)), least, most, 0, clamp, DOUBLE)


def numeric_steps(value: Typed, lower: Fraction, upper: Fraction, centre: Decimal, step: Decimal) -> exp.Expression:
    """The same as `steps`, where that can be had without a double: of numerics with places, with ends on the grid.

    Claim: as there. Because: what is multiplied, as a numeric, and cast lies between the ends, whose steps are whole
    and fit. NaN goes through arithmetic, and is no less than itself, so that no comparison holds of it.
    Checked by: tests/test_expressions.py, test_steps_stay_in_range.
    """
    least, most = step_range(lower, upper, centre, step)
    grid = 1 / Fraction(step)
    on_grid = all(each.denominator == 1 for each in (grid, Fraction(centre) * grid, lower * grid, upper * grid))
    if value.fact.engine.family is not Family.NUMERIC or not value.fact.scale or not on_grid:
        return steps(value, lower, upper, centre, step)
    sql, offset = named(_with_nan(value.sql.copy())), int(Fraction(centre) * grid)
    scaled = computed(exp.Mul, sql, exp.Literal.number(f"{int(grid)}.0"), NUMERIC)
    within = marked(cast(scaled if grid % 10**value.fact.scale else whole(scaled), BIGINT), NUMERIC)
    moved = computed(exp.Sub, within, number(offset), BIGINT) if offset else within
    return exp.Case(
        ifs=[
            exp.If(this=binary(exp.LT, sql.copy(), _plain(lower, step)), true=number(least)),
            exp.If(this=binary(exp.LTE, sql.copy(), _plain(upper, step)), true=moved),
            exp.If(this=binary(exp.LT, sql.copy(), cast(exp.Literal.string("NaN"), NUMERIC)), true=number(most)),
        ]
    )


def _with_nan(sql: exp.Expression) -> exp.Expression:
    """Numerics as they are, NaN included, as far as arithmetic takes NaN to NaN."""
    if isinstance(sql, exp.Nullif) and sql.meta_get(MAY_BE_NAN):
        column: exp.Expression = sql.this
        return column
    if isinstance(sql, exp.Mul | exp.Add | exp.Sub | exp.Paren | exp.Neg) or _is_numeric(sql):
        for name in ("this", "expression"):
            if isinstance(sql.args.get(name), exp.Expression):
                sql.set(name, _with_nan(sql.args[name]))
    return sql


def _is_numeric(sql: exp.Expression) -> bool:
    return isinstance(sql, exp.Cast) and sql.to.this is exp.DataType.Type.DECIMAL


def _plain(value: Fraction, step: Decimal) -> exp.Expression:
    """A number on the grid, written out."""
    literal = exp.Literal.number(f"{abs(int(value / Fraction(step))) * step:f}")
    return exp.Neg(this=literal) if value < 0 else literal


def _moved(sql: exp.Expression, least: int, most: int, offset: int, clamp: Clamp, carrier: SqlType) -> exp.Expression:
    """The whole number nearest to `sql` - offset, between least and most."""
    clamped = clamp(sql, number(least + offset), number(most + offset))
    # What is subtracted here was clamped: in whichever type the engine holds it, it has room.
    moved = computed(exp.Sub, clamped, number(offset), BIGINT) if offset else clamped
    return marked(cast(moved, BIGINT), carrier)


def _clamp_finite(sql: exp.Expression, lower: exp.Expression, upper: exp.Expression) -> exp.Expression:
    """A number that is not NaN: NULL falls through both comparisons."""
    value = named(sql)
    above = exp.If(this=binary(exp.GT, value, upper), true=upper.copy())
    below = exp.If(this=binary(exp.LT, value.copy(), lower), true=lower.copy())
    return exp.Case(ifs=[above, below], default=value.copy())


def _clamp(sql: exp.Expression, lower: exp.Expression, upper: exp.Expression) -> exp.Expression:
    """NaN is above all other numbers and not below itself, so that no comparison holds of it, nor of NULL."""
    nan = cast(exp.Literal.string("NaN"), DOUBLE)
    value = named(sql)
    below = exp.If(this=binary(exp.LT, value, lower), true=lower.copy())
    within = exp.If(this=binary(exp.LTE, value.copy(), upper), true=value.copy())
    above = exp.If(this=binary(exp.LT, value.copy(), nan), true=upper.copy())
    return exp.Case(ifs=[below, within, above])


def _whole(value: Typed, least: int, most: int, centre: int) -> exp.Expression:
    """An integer in a type in which the clamp and the subtraction have room."""
    small = max(abs(end) for end in (least, most, centre, least + centre, most + centre)) < _SMALL
    return value.sql if value.fact.engine == INTEGER and small else held_as(value, BIGINT)


def _scaled(sql: exp.Expression, step: Fraction) -> exp.Expression:
    """A double in grid steps; multiplied where the step's inverse is whole, which is the more exact way."""
    if step == 1:
        return sql
    inverse = 1 / step
    if inverse.denominator == 1:
        return atom(computed(exp.Mul, sql, _double(inverse), DOUBLE))
    return atom(computed(exp.Div, sql, _double(step), DOUBLE))


def _power_of_ten(width: Fraction) -> Decimal:
    """The largest power of ten not above `width`."""
    places = math.floor(math.log10(width))
    places += (Fraction(10) ** (places + 1) <= width) - (Fraction(10) ** places > width)
    return Decimal(1).scaleb(places)


def _double(value: Fraction) -> exp.Expression:
    return constant(float(value), DOUBLE).sql


def _too_wide() -> BoundsRequired:
    return BoundsRequired(
        "the bounds are too wide for the grid of the sum",
        hint="Narrow the values with LEAST and GREATEST or in WHERE, or round them.",
    )
