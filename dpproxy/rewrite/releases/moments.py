"""Counts, sums, sums of squares and of products: measures from which means, spreads and lines are made.

All of a variable's moments are taken around one centre, the middle of its bounds: half the range bounds a distance
from there, which is half the noise (Li, Lyu, Su, Yang 2016, section 2). Squares lie in [0, (range/2)²], and are centred
once more. Without bounds the centre is 0. Where units will be scaled down, it is moved afterwards by what a release
before tells (`centres`), and squares and products are made of the sums' own columns, so that they move with them: whole
numbers that are wider than a bigint, since nobody knows which coarser grid would do. Every aggregate asks the pool for
the same values, so that each moment is paid once.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, Family
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.formulas import Spread
from dpproxy.plan.private_plan import UNCAPPED, MeasureKind, RowEnds
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.numbers.exact_steps import exact_steps
from dpproxy.rewrite.expressions.numbers.grid import (
    FINEST,
    OPEN_STEPS,
    Clip,
    grid_step,
    numeric_steps,
    open_step,
    step_range,
    steps,
)
from dpproxy.rewrite.expressions.trees.build import cast, computed, number, reaching
from dpproxy.rewrite.releases.aggregate_call import Asked, presence, unsupported, written
from dpproxy.rewrite.releases.measured import MOST_STEPS, MeasurePool, Steps, when
from dpproxy.rewrite.shown import shown

_NUMBERS = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)
_FINE = 10**9
_MOVED = 3
"""By so many last places ends may have moved outwards."""
_LARGEST_DOUBLE = Fraction(sys.float_info.max)


@dataclass(frozen=True, slots=True)
class BoundedArgument:
    """A numeric argument with its bounds and its grid; `present` are the conditions under which it has a value.

    is_open: nobody said its bounds, so that they are those of the numbers that can be added up. part: where it was
    added up of rows that nobody capped, how many steps one of those adds at most."""

    typed: Typed
    interval: Interval
    step: Decimal
    written: str
    present: tuple[exp.Expression, ...]
    clip: Clip = steps
    is_open: bool = False
    part: int | None = None

    @property
    def centre(self) -> Decimal:
        """The middle of its bounds, on the grid; 0 where there are none."""
        if self.is_open:
            return Decimal(0)
        return self.step * math.floor((self.interval.lower + self.interval.upper) / 2 / Fraction(self.step))

    def away(self, centre: Decimal) -> exp.Expression:
        """How many grid steps it lies from `centre`, NULL where it has no value."""
        return self.clip(self.typed, self.interval.lower, self.interval.upper, centre, self.step)

    def reach(self, centre: Decimal) -> tuple[int, int]:
        """The least and the greatest that `away` gives."""
        return step_range(self.interval.lower, self.interval.upper, centre, self.step)

    def ends(self, centre: Decimal) -> RowEnds:
        """The same, where they are not those of numbers that can be added up, or of rows that nobody capped."""
        least, most = (None if self.is_open and abs(end) >= UNCAPPED else end for end in self.reach(centre))
        natural = self.typed.fact.step
        return RowEnds(least, most, self.part, natural is None or natural < self.step)


def summable(asked: Asked, name: str = "this") -> BoundedArgument:
    """An argument of a sum or a moment, which needs no bounds: a unit's share of it will be scaled down. Without bounds
    it may be of any size up to OPEN_STEPS steps of its grid, of FINEST where its type has none.

    Raises FeatureNotSupported where it is no number.
    """
    argument = written(asked.node, name)
    typed = asked.context.total(argument, asked.scope)
    if typed.fact.type.family not in _NUMBERS:
        raise unsupported(asked.node)
    text, interval = shown(argument), typed.fact.interval
    if interval is None or _follows_from_no_cap(interval, typed.fact.step, asked.context):
        return _open(typed, text, asked)
    return _argument(typed, interval, grid_step(typed.fact), text, asked, is_open=False)


def with_room(pool: MeasurePool, asked: Asked, x: BoundedArgument) -> BoundedArgument:
    """The same, as if nobody had said its bounds where a unit's sum of it could pass 2^62: microseconds of years, of
    more than ten thousand rows. How much a unit adds is then clipped privately."""
    if pool.scaled or x.is_open or pool.rows * max(map(abs, (*x.reach(Decimal(0)), *x.reach(x.centre)))) < MOST_STEPS:
        return x
    return _open(x.typed, x.written, asked)


def pair(asked: Asked) -> tuple[BoundedArgument, BoundedArgument]:
    """The two arguments of a moment, in the order in which they are written. Beside one without bounds, the other has
    none either where it is too wide to be multiplied with it."""
    both = summable(asked, "this"), summable(asked, "expression")
    if not any(each.is_open for each in both):
        return both
    first, second = (
        each if max(map(abs, each.reach(each.centre))) <= OPEN_STEPS else _open(each.typed, each.written, asked)
        for each in both
    )
    return first, second


def _open(typed: Typed, text: str, asked: Asked) -> BoundedArgument:
    known = typed.fact.interval
    step = open_step(typed.fact) if known is None else _wide_enough(typed.fact.step or FINEST, known)
    reach = OPEN_STEPS * Fraction(step)
    lower, upper = (-reach, reach) if known is None else (max(known.lower, -reach), min(known.upper, reach))
    made = _argument(typed, Interval(min(lower, reach), max(upper, -reach)), step, text, asked, is_open=True)
    return made if known is None else replace(made, part=_part_of_rows(_farthest(known), Fraction(step)))


def _farthest(known: Interval) -> float | Fraction:
    return max(abs(known.lower), abs(known.upper))


def _wide_enough(step: Decimal, known: Interval) -> Decimal:
    """A grid on which all values have room, by tens; of what as many rows as a unit could have would come to, the grid
    of a row: nobody has that many."""
    farthest = _farthest(known)
    if _part_of_rows(farthest, Fraction(step)) is not None:
        return step
    while farthest > OPEN_STEPS * Fraction(step):
        step *= 10
    return step


def _part_of_rows(farthest: float | Fraction, step: Fraction) -> int | None:
    """Where an end is that of as many rows as a unit could have, or was, before arithmetic in floating point moved it
    outwards by a last place or two: how many steps one of them adds at most. None where it is not."""
    ends = [farthest]
    while len(ends) <= _MOVED and ends[-1] <= _LARGEST_DOUBLE:
        ends.append(Fraction(math.nextafter(float(ends[-1]), 0)))
    found = next((Fraction(end) / step for end in ends if end / step % UNCAPPED == 0), None)
    while found and found % UNCAPPED == 0:
        found /= UNCAPPED
    return None if found is None else math.ceil(found)


def _follows_from_no_cap(interval: Interval, step: Decimal | None, context: PlanningContext) -> bool:
    """Whether bounds are so far away that they may be those of as many rows as a unit could have, if nobody said how
    many."""
    farthest = _farthest(interval) / Fraction(1 if step is None else step)
    private = [table for table in context.catalog.tables.values() if table.unit is not None]
    uncapped = not context.caps_hold or any(table.max_rows_per_unit is None for table in private)
    return uncapped and farthest >= UNCAPPED


def _argument(
    typed: Typed, interval: Interval, step: Decimal, text: str, asked: Asked, *, is_open: bool
) -> BoundedArgument:
    dialect = dialect_of(asked.context.dialect)
    clip = exact_steps if dialect.endless_numerics else numeric_steps if dialect.quick_when_small else steps
    return BoundedArgument(typed, interval, step, text, presence(typed, asked.context), clip, is_open)


def count(pool: MeasurePool, asked: Asked, *arguments: BoundedArgument) -> int | None:
    """The index of the measure that counts rows where all arguments have a value; None: selection has counted them."""
    label = f"COUNT({', '.join(each.written for each in arguments)})"
    return pool.rows_where(asked.kept(*_present(*arguments)), label)


def plain_sum(pool: MeasurePool, asked: Asked, x: BoundedArgument) -> int:
    """The index of the measure Σx."""
    return _sum(pool, asked, MeasureKind.SUM, x, Decimal(0), ())


def variable(pool: MeasurePool, asked: Asked, x: BoundedArgument, *beside: BoundedArgument) -> int:
    """The index of the measure Σ(x−c), over rows where those beside it have a value too."""
    return _sum(pool, asked, MeasureKind.CENTRED, x, x.centre, _present(*beside))


def spread(pool: MeasurePool, asked: Asked, x: BoundedArgument, *beside: BoundedArgument) -> Spread:
    """The variable with the measure Σ((x−c)² − h), h being half of what a square can be; Σ(x−c)² where units will be
    scaled down, since few are as far away as bounds allow."""
    if _is_multiplied(pool, x):
        total = variable(pool, asked, x, *beside)
        return Spread(total, pool.multiplied(MeasureKind.SQUARES, total, total, asked.label))
    square = _product(asked, x, x)
    half = square.upper // 2
    value = when(asked.kept(*_present(*beside)), _clamped(asked, square, 0, half))
    moved = Steps(value, -half, square.upper - half, square.step, half * square.step)
    return Spread(variable(pool, asked, x, *beside), pool.added(MeasureKind.SQUARES, moved, asked.label))


def products(pool: MeasurePool, asked: Asked, x: BoundedArgument, y: BoundedArgument) -> int:
    """The index of the measure Σ(x−c)(y−d), whichever of both is named first."""
    if _is_multiplied(pool, x, y):
        both = variable(pool, asked, x, y), variable(pool, asked, y, x)
        return pool.multiplied(MeasureKind.PRODUCTS, *both, asked.label)
    product = _product(asked, *sorted((x, y), key=lambda each: each.written))
    value = when(asked.kept(), _clamped(asked, product, -product.upper, 0))
    return pool.added(MeasureKind.PRODUCTS, Steps(value, -product.upper, product.upper, product.step), asked.label)


def _is_multiplied(pool: MeasurePool, *arguments: BoundedArgument) -> bool:
    """Whether a product is made of the columns that sums add: where one of them has no bounds, and where that has
    room."""
    room = all(max(map(abs, each.reach(each.centre))) <= OPEN_STEPS for each in arguments)
    return any(each.is_open for each in arguments) or (pool.scaled and room)


@dataclass(frozen=True, slots=True)
class _Product:
    """A product of two distances in grid steps: at most `upper` in size."""

    sql: exp.Expression
    upper: int
    step: Decimal


def _product(asked: Asked, x: BoundedArgument, y: BoundedArgument) -> _Product:
    """The product of both distances, on a grid of 10⁸ to 10⁹ steps, or on its own where that has fewer.

    A row is rounded by half a step, less than a 10⁸th of what one row can add: while the rows are fewer than 10⁸, all
    of it stays below what one unit adds, and so below the noise. And 4·10⁹ rows at the extreme fit into 2^62.
    """
    most = math.prod(max(map(abs, each.reach(each.centre))) for each in (x, y))
    coarser = next(10**places for places in range(400) if most <= _FINE * 10**places)
    left, right = x.away(x.centre), y.away(y.centre)
    if coarser == 1:
        sql = computed(exp.Mul, left, right, BIGINT)
    else:
        far = [Fraction(max(map(abs, each.reach(each.centre)))) for each in (x, y)]
        sides = [reaching(cast(away, DOUBLE), Fraction(1), end) for away, end in zip((left, right), far, strict=True)]
        exact = computed(exp.Mul, sides[0], sides[1], DOUBLE)
        sql = computed(exp.Div, exact, constant(float(coarser), DOUBLE).sql, DOUBLE)
    return _Product(sql, -(-most // coarser), x.step * y.step * coarser)


def _clamped(asked: Asked, product: _Product, lower: int, shift: int) -> exp.Expression:
    """clamp(product, lower, upper) - shift, as bigint; 0 where one of the distances is NULL.

    The clamp never binds: distances are clamped already. It is there for who checks the text. No CASE asks for NULL,
    so that the engine finds the distances, which are in other measures too, and computes them once.
    """
    known = exp.Coalesce(this=product.sql, expressions=[number(shift)])
    above = exp.Greatest(this=known, expressions=[number(lower)], ignore_nulls=True)
    held: exp.Expression = exp.Least(this=above, expressions=[number(product.upper)], ignore_nulls=True)
    moved = computed(exp.Sub, held, number(shift), BIGINT) if shift else held
    return asked.context.plain(cast(moved, BIGINT))


def _sum(
    pool: MeasurePool,
    asked: Asked,
    kind: MeasureKind,
    x: BoundedArgument,
    centre: Decimal,
    present: tuple[exp.Expression, ...],
) -> int:
    value = when(asked.kept(*present), asked.context.plain(x.away(centre)))
    return pool.added(kind, Steps(value, *x.reach(centre), x.step, centre, x.is_open, x.ends(centre)), asked.label)


def _present(*arguments: BoundedArgument) -> tuple[exp.Expression, ...]:
    """In an order of their own, so that CORR(x, y) and CORR(y, x) share what they count."""
    return tuple(test for each in sorted(arguments, key=lambda each: each.written) for test in each.present)
