"""The plan's arithmetic: what the noise is made for is what a unit can do, and what it loses is what is charged."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.timing import TICKS
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
from dpproxy.plan.private_plan import Plan, PrivateKeys, Release
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.losses import of_time
from dpproxy.rewrite.checker.mechanisms import loss_of


def check_price(plan: Plan, losses: Iterable[Loss], accounting: Accounting) -> None:
    """Claim: if nothing is raised, the plan's mechanisms together lose at most `plan.cost`.

    Because: `losses` are those of its releases (`check_release`); to them comes the noise of the statement's time. What
    each mechanism loses holds whatever those before it told, so losses add up.
    Checked by: tests/test_checker.py.
    """
    try:
        lost = sum(losses, _time_loss(plan, accounting))
    except (ValueError, ArithmeticError) as fault:
        raise CheckFault(f"a mechanism has no loss in {accounting.value} accounting: {fault}") from None
    require(lost.within(plan.cost), "the mechanisms lose more than is charged")


def _time_loss(plan: Plan, accounting: Accounting) -> Loss:
    require((plan.time is None) == (not plan.releases), "the time of what runs has no noise")
    if plan.time is None:
        return ZERO
    require(plan.time.noise.sensitivity.l1 > TICKS, "the noise of time is made for less than one unit's work")
    return of_time(plan.time, accounting)


def check_release(release: Release, accounting: Accounting) -> tuple[Loss, ...]:
    """What its mechanisms lose, if its text proves what it says of one unit (`check_bounded`).

    Claim: if nothing is raised, each mechanism is made for at least what one unit changes in what it reads, nothing of
    a measure is told but by one mechanism, and private keys are told by selection alone.
    Because: what a mechanism may read and is made for, `loss_of` looks at. Formulas read what got noise.
    Checked by: tests/test_checker.py.
    """
    bounded = release.bounded
    require([k.name for k in bounded.keys] == [f"k{i}" for i in range(len(bounded.keys))], "keys out of order")
    require(
        [m.name for m in bounded.measures] == [f"m{i}" for i in range(len(bounded.measures))], "measures out of order"
    )
    private = any(isinstance(key.domain, PrivateKeys) for key in bounded.keys)
    selects = any(each.measure is None for each in release.mechanisms)
    require(private == bounded.counts_units == selects, "selection is not for private keys")
    read = [each.measure for each in release.mechanisms]
    expected = [None] * private + list(range(len(bounded.measures)))
    require(read == expected, "a measure without noise, or one that is read twice")
    require(bounded.rows >= 1 and bounded.groups >= 1, "a unit without rows or groups")
    for measure in bounded.measures:
        require(measure.lower <= 0 <= measure.upper, f"the bounds of {measure.name} do not hold 0")
    for output in release.outputs:
        _check_formula(output.formula, release)
    return tuple(loss_of(each, bounded, accounting) for each in release.mechanisms)


def _check_formula(formula: Formula, release: Release) -> None:
    """Each formula reads measures that there are: whatever it makes of them then has its noise already."""
    noised = {each.measure for each in release.mechanisms if isinstance(each.mechanism, Noise)}
    require(all(index in noised for index in _measures(formula)), "an output of no measure")
    if uses_selected_count(formula):
        selects = any(isinstance(each.mechanism, Selection) for each in release.mechanisms)
        require(selects, "a selected count, or a mean without a count, without selection")


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
