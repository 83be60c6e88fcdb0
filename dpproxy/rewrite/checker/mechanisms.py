"""Each mechanism of a release: whether it may read what it is applied to, and what it loses for how far one unit moves
that. The one place of the checker that tells them apart."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise
from dpproxy.mechanisms.selection import Selection
from dpproxy.plan.private_plan import Applied, Bounded, FromPublic, Literals, Measure
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.losses import beyond, of_noise, scale_of


def loss_of(applied: Applied, bounded: Bounded, accounting: Accounting) -> Loss:
    """ε or ρ, and δ, of a mechanism that is applied to what `bounded` says it is.

    Claim: if nothing is raised, it is made for at least what one unit changes in what it reads, and what is returned is
    not below its loss, whatever mechanisms before it told.
    Because: `check_bounded` proves `groups` keys, one unit in `n` and `measure.bound` steps in each; the formulas are
    those of `losses`.
    Checked by: tests/test_checker.py, tests/test_checker_losses.py, tests/test_noisy_max.py.
    Raises CheckFault.
    """
    try:
        return _loss_of(applied, bounded, accounting)
    except (ValueError, ArithmeticError) as fault:
        raise CheckFault(f"a mechanism has no loss in {accounting.value} accounting: {fault}") from None


def _loss_of(applied: Applied, bounded: Bounded, accounting: Accounting) -> Loss:
    match applied.mechanism:
        case Noise() as noise:
            measure = _measure(applied, bounded)
            return Loss(_of_noise(noise, measure, bounded, accounting), ZERO.delta)
        case Selection() as selection:
            require(applied.measure is None and bounded.counts_units, "key selection by a measure")
            return _of_selection(selection, bounded, accounting)
        case NoisyMax() as choice:
            measure = _measure(applied, bounded)
            return Loss(_of_choice(choice, measure, bounded, accounting), ZERO.delta)
        case _:
            assert_never(applied.mechanism)


def _measure(applied: Applied, bounded: Bounded) -> Measure:
    if applied.measure is None:
        raise CheckFault("private keys that are not told by selection")
    return bounded.measures[applied.measure]


def _most(measure: Measure) -> int:
    """By how many steps one unit moves one key's total."""
    return max(-measure.lower, measure.upper)


def _of_noise(noise: Noise, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    groups, most, made_for = bounded.groups, _most(measure), noise.sensitivity
    enough = made_for.l0 >= groups and made_for.linf >= most
    require(enough, f"the noise of {measure.name} is made for less than one unit")
    return of_noise(noise, groups * most, groups * most**2, accounting)


def _of_selection(selection: Selection, bounded: Bounded, accounting: Accounting) -> Loss:
    """A unit counts at most once in each of `groups` keys, so that its scores move by `groups` in sum, and Σx² <=
    max|x|·Σ|x|; δ is the union bound over lonely keys (Rogers 2023)."""
    groups, noise = bounded.groups, selection.noise
    shared = min(groups, _public_part(bounded))
    enough = noise.sensitivity.l0 >= groups and selection.l1 >= groups and noise.sensitivity.linf >= shared
    require(enough, "selection is made for less than one unit")
    delta = groups * beyond(noise, selection.threshold - shared)
    return Loss(of_noise(noise, groups, groups * shared, accounting), min(Decimal(1), charged(delta)))


def _public_part(bounded: Bounded) -> int:
    """How many keys may have one private part in common: a unit counts in it once for each of them."""
    if any(isinstance(key.domain, FromPublic) for key in bounded.keys):
        return bounded.groups
    return math.prod(len(key.domain.values) for key in bounded.keys if isinstance(key.domain, Literals))


def _of_choice(choice: NoisyMax, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of the place of the largest of totals with noise of scale s, each moved by b at most; r = b where all of them
    move the same way, else 2·b:

        exponential   ε = r/s, ρ = ε²/2       (permute-and-flip: McKenna, Sheldon 2020, theorem 1)
        Gumbel        ρ = (r/s)²/8            (exponential mechanism: Cesar, Rogers 2021, lemma 3.2)

    Claim: if nothing is raised, the choice is among totals that one unit moves as it is made for, of keys that are
    known whatever the rows are, and tells one of those and nothing else.
    Because: `check_bounded` proves the totals, and `check_domains` that a key which is not private has its values from
    the plan, a public query or an earlier release; `release` looks at every one of them, and counts an absent one as 0.
    What a unit adds to a total has one sign where its bounds have, so its leaving moves all totals the same way. No
    formula reads a measure that got no noise (`price`): no column but the keys is made of it.
    Checked by: tests/test_noisy_max.py::test_loosened_choices_are_refused.
    """
    require(bounded.keys and not bounded.counts_units, "a choice among keys that are private, or none")
    most, one_sided = _most(measure), measure.lower >= 0 or measure.upper <= 0
    enough = choice.sensitivity.l0 >= bounded.groups and choice.sensitivity.linf >= most
    require(enough, f"the choice by {measure.name} is made for less than one unit")
    require(one_sided or not choice.one_sided, f"{measure.name} moves both ways, the choice is made for one")
    ratio = (most if choice.one_sided else 2 * most) / scale_of(choice.scale)
    match choice.noise:
        case ScoreNoise.EXPONENTIAL:
            return charged(ratio if accounting is Accounting.PURE else ratio**2 / 2)
        case ScoreNoise.GUMBEL:
            require(accounting is Accounting.ZCDP, "a choice by Gumbel noise is made for zCDP")
            return charged(ratio**2 / 8)
        case _:
            assert_never(choice.noise)
