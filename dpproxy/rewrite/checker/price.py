"""The plan's arithmetic: what the noise is made for is what a unit can do, and what it loses is what is charged."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.mechanisms.model import Noise, Selection
from dpproxy.mechanisms.noise import noise_loss
from dpproxy.mechanisms.selection import selection_loss
from dpproxy.plan.formulas import (
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    Formula,
    LineOf,
    MeanOf,
    SelectedCount,
    Spread,
    SumOf,
    Variable,
    uses_selected_count,
)
from dpproxy.plan.model import Bounded, FromPublic, Literals, Plan, PrivateKeys, Release
from dpproxy.rewrite.checker.fault import CheckFault, require


def check_price(plan: Plan, accounting: Accounting) -> None:
    """Claim: if nothing is raised, the plan's mechanisms together lose at most `plan.cost`.

    Because: each is asked for its own loss at its own sensitivity, and losses add up.
    Checked by: tests/test_checker.py.
    """
    try:
        lost = sum((_loss(release, accounting) for release in plan.releases), ZERO)
    except (ValueError, ArithmeticError) as fault:
        raise CheckFault(f"a mechanism has no loss in {accounting.value} accounting: {fault}") from None
    require(lost.within(plan.cost), "the mechanisms lose more than is charged")


def _loss(release: Release, accounting: Accounting) -> Loss:
    mechanisms = release.noises if release.selection is None else (*release.noises, release.selection)
    return sum((_mechanism_loss(mechanism, accounting) for mechanism in mechanisms), ZERO)


@lru_cache(maxsize=4096)
def _mechanism_loss(mechanism: Noise | Selection, accounting: Accounting) -> Loss:
    if isinstance(mechanism, Selection):
        return Loss(*selection_loss(mechanism, accounting))
    return Loss(noise_loss(mechanism, accounting), ZERO.delta)


def check_release(release: Release) -> None:
    """Claim: if nothing is raised, each mechanism is made for at least what one unit changes in what it is added to.

    Because: `check_bounded` proves `groups` keys, one unit in `n` and `measure.bound` steps in each.
    Checked by: tests/test_checker.py.
    """
    bounded = release.bounded
    require([k.name for k in bounded.keys] == [f"k{i}" for i in range(len(bounded.keys))], "keys out of order")
    require(
        [m.name for m in bounded.measures] == [f"m{i}" for i in range(len(bounded.measures))], "measures out of order"
    )
    require(len(release.noises) == len(bounded.measures), "a measure without noise")
    require(bounded.rows >= 1 and bounded.groups >= 1, "a unit without rows or groups")
    for measure, noise in zip(bounded.measures, release.noises, strict=True):
        require(measure.lower <= 0 <= measure.upper, f"the bounds of {measure.name} do not hold 0")
        made_for = noise.sensitivity
        enough = made_for.l0 >= bounded.groups and made_for.linf >= max(-measure.lower, measure.upper)
        require(enough, f"the noise of {measure.name} is made for less than one unit")
    _check_selection(release)
    for output in release.outputs:
        _check_formula(output.formula, release)


def _check_selection(release: Release) -> None:
    bounded = release.bounded
    private = any(isinstance(key.domain, PrivateKeys) for key in bounded.keys)
    require(private == bounded.counts_units == (release.selection is not None), "selection is not for private keys")
    if release.selection is not None:
        require(_selects_enough(release.selection, bounded), "selection is made for less than one unit")


def _selects_enough(selection: Selection, bounded: Bounded) -> bool:
    sensitivity = selection.noise.sensitivity
    shared = min(bounded.groups, _public_part(bounded))
    return sensitivity.l0 >= bounded.groups and selection.l1 >= bounded.groups and sensitivity.linf >= shared


def _public_part(bounded: Bounded) -> int:
    """How many keys may have one private part in common: a unit counts in it once for each of them."""
    if any(isinstance(key.domain, FromPublic) for key in bounded.keys):
        return bounded.groups
    return math.prod(len(key.domain.values) for key in bounded.keys if isinstance(key.domain, Literals))


def _check_formula(formula: Formula, release: Release) -> None:
    """Each formula reads measures that there are: whatever it makes of them then has its noise already."""
    measures = range(len(release.bounded.measures))
    found = _measures(formula)
    require(all(index in measures for index in found), "an output of no measure")
    if uses_selected_count(formula):
        require(release.selection is not None, "a selected count, or a mean without a count, without selection")


def _measures(formula: Formula) -> tuple[int, ...]:
    match formula:
        case SelectedCount():
            return ()
        case CountOf(index) | SumOf(index) | DecisionOf(_, index):
            return (index,)
        case MeanOf(total, count, lower, upper):
            return (*_variable(Variable(total, lower, upper)), *_counted(count))
        case DispersionOf(_, of, count):
            return (*_spread(of), *_counted(count))
        case CovarianceOf(_, y, x, products, count):
            return (*_variable(y), *_variable(x), products, *_counted(count))
        case LineOf(_, y, spread, products, count):
            return (*_variable(y), *_spread(spread), products, *_counted(count))
        case FitOf(_, one, other, products, count):
            return (*_spread(one), *_spread(other), products, *_counted(count))
        case _:
            assert_never(formula)


def _variable(variable: Variable) -> tuple[int, ...]:
    require(variable.lower <= variable.upper, "a variable without bounds")
    return (variable.total,)


def _spread(spread: Spread) -> tuple[int, ...]:
    return (*_variable(spread.variable), spread.squares)


def _counted(count: int | None) -> tuple[int, ...]:
    return () if count is None else (count,)
