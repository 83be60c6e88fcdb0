"""What averages are centred on: a mean of all groups together, released before, for a small part of the price.

What a unit adds to a sum of distances is scaled down to a clip, which is chosen privately. It is the smaller, and noise
with it, the nearer the centre is to the values; and the middle of bounds, or 0, may be far from them all. So the same
rows without their groups are asked for once more, before: one noisy sum and one noisy count say where the mean is, to a
whole number of grid steps. The main release is told that as a number, and centres its values there.

Where a measure is not scaled down, since a unit has one row, or so many at most, between declared bounds, its noise is
that of the bounds: the middle is best there, and nothing is asked for. So it depends on the policy and the text alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, assert_never

from sqlglot import exp

from dpproxy.catalog.types import BIGINT
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    Formula,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    SumOf,
    divisor,
    numerators,
)
from dpproxy.plan.private_plan import Measure, MeasureKind, Output
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra.nested import scalar
from dpproxy.rewrite.calculus.arrays import first_of, unnested
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.numbers.grid import OPEN_STEPS
from dpproxy.rewrite.expressions.trees.build import column_of, computed
from dpproxy.rewrite.releases.bound import bound, has_no_cap
from dpproxy.rewrite.releases.draft import ReleaseDraft, added
from dpproxy.rewrite.releases.measured import Measured, MeasurePool, Steps
from dpproxy.rewrite.releases.totals import held
from dpproxy.rewrite.releases.weights import numbers_of

_CENTRE: Final = "z"


def centred(
    pool: MeasurePool,
    joined: Joined,
    weights: Mapping[str, Fraction],
    context: PlanningContext,
    drafts: list[ReleaseDraft],
) -> None:
    """Centre the measures of `pool`, which will be scaled down, on what a release before tells; `drafts` gets that.

    joined: the rows, of which a unit may have any number without the keys. weights: of the pool's outputs, by name.

    Claim: what a row adds is a whole number in [−row, row], or NULL, whatever the release told. Because: the centre is
    held in the engine once more, to as many steps as a row adds before it is moved. Checked by: tests/test_centres.py
    and `rewrite.checker`.
    """
    counts = _moved_by(pool)
    if not counts:
        return
    rowset = joined.rowset
    before = MeasurePool(pool.unit, rowset.rows, rows_are_selected=False, scaled=has_no_cap(rowset, ()))
    told = {total: _centre(before, pool, total, count) for total, count in counts.items()}
    bounded = bound(joined, (), before.found, context)
    weighed = {output.name: _weight(total, pool, weights) for total, output in told.items()}
    outputs = tuple(before.outputs)
    place = added(drafts, ReleaseDraft(bounded, outputs, numbers_of(bounded, outputs, weighed)))
    for total, output in told.items():
        pool.found[total] = _moved(pool.found[total], ReleasedColumn(place, outputs.index(output)), context.dialect)


def _moved_by(pool: MeasurePool) -> dict[int, int | None]:
    """The sums of distances that may be centred anywhere, each with a count of its rows; None: of all rows."""
    fixed = {total for output in pool.outputs for total, made in _made_beside(output.formula) if _is_fixed(made, pool)}
    return {
        total: divisor(output.formula)
        for output in pool.outputs
        for total in numerators(output.formula)
        if pool.found[total].measure.kind is MeasureKind.CENTRED and total not in fixed and pool.found[total].row
    }


def _is_fixed(squares: int, pool: MeasurePool) -> bool:
    """Whether squares or products are taken around a centre of their own, and not of what the sums add."""
    return pool.found[squares].factors is None


def _made_beside(formula: Formula) -> Iterator[tuple[int, int]]:
    """The sums of a formula, each with the squares and products that have to be around its centre."""
    match formula:
        case CountOf() | SelectedCount() | SumOf() | MeanOf() | CentreOf() | DecisionOf() | QuantileOf() | ModeOf():
            return
        case DispersionOf(_, of):
            yield of.total, of.squares
        case CovarianceOf(_, y, x, products):
            yield from ((y, products), (x, products))
        case LineOf(_, y, x, products):
            yield from ((x.total, x.squares), (y, products), (x.total, products))
        case FitOf(_, y, x, products):
            yield from ((x.total, x.squares), (y.total, y.squares), (y.total, products), (x.total, products))
        case _:
            assert_never(formula)


def _centre(before: MeasurePool, pool: MeasurePool, total: int, count: int | None) -> Output:
    """The column of the release before that says where the mean of `total` is."""
    known = pool.found[total]
    row, measure = known.row, known.measure
    label = f"centre of {measure.label}"
    assert known.value is not None, "what is centred adds values"
    steps = Steps(known.value, -row, row, measure.step, measure.centre, known.is_open, measure.ends)
    made = before.added(measure.kind, steps, label)
    return before.output(BIGINT, CentreOf(made, _count(before, pool, count), row), label)


def _count(before: MeasurePool, pool: MeasurePool, count: int | None) -> int:
    if count is None or (known := pool.found[count]).value is None:
        return before.all_rows()
    return before.counted(known.value, known.measure.label)


def _weight(total: int, pool: MeasurePool, weights: Mapping[str, Fraction]) -> Fraction:
    """That of the heaviest column which is made of it."""
    read = (output.name for output in pool.outputs if total in numerators(output.formula))
    return max(weights[name] for name in read)


def _moved(known: Measured, by: ReleasedColumn, dialect: str) -> Measured:
    """The same, around what was told. The difference of two bigints has one form in all engines."""
    assert known.value is not None, "what is centred adds values"
    away = held(_told(by, dialect), -known.row, known.row)
    value = computed(exp.Sub, known.value, away, BIGINT)
    return replace(known, value=value, row=2 * known.row, measure=_wider(known.measure, by))


def _wider(measure: Measure, by: ReleasedColumn) -> Measure:
    """Rows on either side of the centre are twice as far from it as from the middle."""
    most = min(2 * measure.bound, OPEN_STEPS)
    return replace(measure, lower=-most, upper=most, moved=by)


def _told(by: ReleasedColumn, dialect: str) -> exp.Expression:
    """The one value of the column."""
    if dialect_of(dialect).takes_elements:
        return first_of(by, BIGINT)
    array = algebra.Arrays((algebra.Item(_CENTRE, unnested(by, BIGINT)),))
    return scalar(algebra.Select((algebra.Item("", column_of(_CENTRE, "t")),), algebra.of(array, "t")))
