"""The plan's arithmetic: what the noise is made for is what a unit can do, and what it loses is what is charged."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Choice, Quantiles
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.timing import TICKS
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
    Spread,
    SumOf,
    uses_selected_count,
)
from dpproxy.plan.private_plan import Plan, PrivateKeys, Release
from dpproxy.plan.samples import Sample
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.losses import in_sample, of_time
from dpproxy.rewrite.checker.mechanisms import loss_of, tells_totals


@dataclass(frozen=True, slots=True)
class Lost:
    """What the mechanisms of a release lose together, in the account's coordinates. sample: the units that they read.
    pure: their ε and δ, where units are sampled; None where one of them has none."""

    sample: Sample | None
    loss: Loss
    pure: Loss | None = None


def check_price(plan: Plan, losses: Sequence[Lost], accounting: Accounting) -> None:
    """Claim: if nothing is raised, the plan's mechanisms together lose at most `plan.cost`.

    Because: `losses` are those of its releases (`check_release`); to them comes the noise of the statement's time. What
    each mechanism loses holds whatever those before it told, so losses add up. Of all that read one sample, and of
    which `check_bounded` proves that they do, the sum is amplified, once.
    Checked by: tests/test_checker.py, tests/test_checker_samples.py.
    """
    samples = {each.sample for each in losses}
    try:
        lost = sum((_of_sample(sample, losses, accounting) for sample in samples), _time_loss(plan, accounting))
    except (ValueError, ArithmeticError) as fault:
        raise CheckFault(f"a mechanism has no loss in {accounting.value} accounting: {fault}") from None
    require(lost.within(plan.cost), "the mechanisms lose more than is charged")


def _of_sample(sample: Sample | None, losses: Sequence[Lost], accounting: Accounting) -> Loss:
    """What all that reads a sample loses: as if it were of all units, or amplified, whichever is less."""
    read = [each for each in losses if each.sample == sample]
    plain, pure = sum((each.loss for each in read), ZERO), [each.pure for each in read if each.pure is not None]
    if sample is None or len(pure) < len(read):
        return plain
    return min(plain, in_sample(sum(pure, ZERO), sample.coins, accounting), key=lambda loss: (loss.main, loss.delta))


def _time_loss(plan: Plan, accounting: Accounting) -> Loss:
    require((plan.time is None) == (not plan.releases), "the time of what runs has no noise")
    if plan.time is None:
        return ZERO
    require(plan.time.noise.sensitivity.l1 > TICKS, "the noise of time is made for less than one unit's work")
    return of_time(plan.time, accounting)


def check_release(release: Release, accounting: Accounting) -> Lost:
    """What its mechanisms lose, if its text proves what it says of one unit (`check_bounded`).

    Claim: if nothing is raised, each mechanism is made for at least what one unit changes in what it reads, nothing of
    a measure is told but by one mechanism, and private keys are told by selection alone.
    Because: what a mechanism may read and is made for, `loss_of` looks at. Formulas read what got noise. Keys may be
    chosen first, by a measure that is told of them, or not, afterwards: losses hold whatever was told before.
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
    chosen = _places(release)
    _check_read(release, chosen is not None)
    require(bounded.rows >= 1 and bounded.groups >= 1, "a unit without rows or groups")
    for measure in bounded.measures:
        require(measure.lower <= 0 <= measure.upper, f"the bounds of {measure.name} do not hold 0")
    for output in release.outputs:
        _check_formula(output.formula, release)
    return _lost(release, accounting, chosen)


def _places(release: Release) -> int | None:
    """How many keys the first mechanism chooses; None where it tells something else."""
    first = release.mechanisms[0].mechanism if release.mechanisms else None
    return first.places if isinstance(first, Choice) else None


def _check_read(release: Release, chosen: bool) -> None:
    """Each measure is told once, and what comes first may choose the keys by one of them."""
    after = release.mechanisms[chosen:]
    require(not any(isinstance(each.mechanism, Choice) for each in after), "keys are chosen when they were told")
    require(
        all((each.beside is not None) == isinstance(each.mechanism, JointNoise) for each in release.mechanisms),
        "shared noise is that of two measures",
    )
    read = [measure for each in after for measure in each.measures]
    keys = int(release.bounded.counts_units)
    if any(each.beside is not None for each in after):  # the second of two is read when its first is
        read[keys:] = sorted(read[keys:], key=lambda each: -1 if each is None else each)
    expected: list[int | None] = list(range(len(release.bounded.measures)))
    if release.bounded.counts_units:
        expected.insert(0, None)
    if chosen and read != expected:
        expected = [each for each in expected if each != release.mechanisms[0].measure]
    require(read == expected, "a measure without noise, or one that is read twice")


def _lost(release: Release, accounting: Accounting, chosen: int | None) -> Lost:
    sample, loss = release.bounded.sample, _sum(release, accounting, chosen)
    if sample is None or accounting is Accounting.PURE:
        return Lost(sample, loss, loss)
    with suppress(CheckFault):
        return Lost(sample, loss, _sum(release, Accounting.PURE, chosen))
    return Lost(sample, loss)


def _sum(release: Release, accounting: Accounting, chosen: int | None) -> Loss:
    return sum((loss_of(each, release.bounded, accounting, chosen) for each in release.mechanisms), ZERO)


def _check_formula(formula: Formula, release: Release) -> None:
    """Each formula reads what there is: whatever it makes of that then has its noise already, or was told of a rank."""
    if isinstance(formula, QuantileOf):
        told = [each.mechanism for each in release.mechanisms if each.measure == formula.measure]
        ranked = [each for each in told if isinstance(each, Quantiles)]
        require(any(formula.rank in each.ranks for each in ranked), "a quantile that was not told")
        return
    if isinstance(formula, ModeOf):
        chosen = [each for each in release.mechanisms if each.measure == formula.measure]
        require(any(isinstance(each.mechanism, ModeChoice) for each in chosen), "a mode that was not told")
        return
    told_numbers = (each for each in release.mechanisms if tells_totals(each.mechanism))
    noised = {measure for each in told_numbers for measure in each.measures}
    require(all(index in noised for index in _measures(formula)), "an output of no measure")
    if uses_selected_count(formula):
        selects = any(isinstance(each.mechanism, Selection) for each in release.mechanisms)
        require(selects, "a selected count, or a mean without a count, without selection")


def _measures(formula: Formula) -> tuple[int, ...]:
    match formula:
        case SelectedCount() | QuantileOf() | ModeOf():
            return ()
        case CountOf(index) | SumOf(index) | DecisionOf(_, index):
            return (index,)
        case MeanOf(total, count):
            return (total, *_counted(count))
        case CentreOf(total, count):
            return (total, count)
        case DispersionOf(_, of, count):
            return (*_spread(of), *_counted(count))
        case CovarianceOf(_, y, x, products, count):
            return (y, x, products, *_counted(count))
        case LineOf(_, y, spread, products, count):
            return (y, *_spread(spread), products, *_counted(count))
        case FitOf(_, one, other, products, count):
            return (*_spread(one), *_spread(other), products, *_counted(count))
        case _:
            assert_never(formula)


def _spread(spread: Spread) -> tuple[int, ...]:
    return (spread.total, spread.squares)


def _counted(count: int | None) -> tuple[int, ...]:
    return () if count is None else (count,)
