"""Each mechanism of a release: whether it may read what it is applied to, and what it loses for how far one unit moves
that. The one place of the checker that tells them apart."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Mechanism, Spread
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import MOST_LONELY, WHOLE, SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.private_plan import Applied, Bounded, FromPublic, Literals, Measure, MeasureKind
from dpproxy.rewrite.checker.clip_losses import of_clipped_max, of_noise_at_a_clip
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.losses import between, beyond, of_noise, of_scores, require_norm, rho_of_pure, scale_of
from dpproxy.rewrite.checker.noised_totals import most_of, of_totals


def tells_totals(mechanism: Mechanism) -> bool:
    """Whether it tells each of its measures in numbers with noise, of which formulas are made."""
    match mechanism:
        case Noise() | JointNoise() | ClippedNoise() | PairedNoise() | DistinctNoise():
            return True
        case NoisyMax() | ClippedMax() | Selection() | SpreadSelection() | TruncatedSelection():
            return False
        case QuantileChoice() | QuantileBrackets() | QuantileTree() | ModeChoice():
            return False
        case _:
            assert_never(mechanism)


def loss_of(applied: Applied, bounded: Bounded, accounting: Accounting, told: int | None = None) -> Loss:
    """ε or ρ, and δ, of a mechanism that is applied to what `bounded` says it is.

    told: of how many keys alone, where keys were chosen before.

    Claim: if nothing is raised, it is made for at least what one unit changes in what it reads, and what is returned is
    not below its loss, whatever mechanisms before it told.
    Because: `check_bounded` proves `groups` keys, one unit in `n` and `measure.bound` steps in each; the formulas are
    those of `losses`.
    Checked by: tests/test_checker.py, tests/test_checker_losses.py, tests/test_noisy_max.py.
    Raises CheckFault.
    """
    try:
        return _loss_of(applied, bounded, accounting, told)
    except (ValueError, ArithmeticError) as fault:
        raise CheckFault(f"a mechanism has no loss in {accounting.value} accounting: {fault}") from None


def _loss_of(applied: Applied, bounded: Bounded, accounting: Accounting, told: int | None) -> Loss:
    match applied.mechanism:
        case ClippedNoise() | PairedNoise() | DistinctNoise() as noise:
            return Loss(of_noise_at_a_clip(noise, _measure(applied, bounded), bounded, accounting), ZERO.delta)
        case SpreadSelection() | TruncatedSelection() as selection:
            require(applied.measure is None and bounded.counts_units, "key selection by a measure")
            return _of_weights(selection, bounded, accounting)
        case Noise() | JointNoise() as noise:
            require(bounded.clip is None, "what is scaled down is told without its clip")
            groups = bounded.groups if told is None else min(bounded.groups, told)
            measures = [_measure(Applied(noise, each), bounded) for each in applied.measures]
            return Loss(of_totals(noise, measures, groups, accounting), ZERO.delta)
        case Selection() as selection:
            require(applied.measure is None and bounded.counts_units, "key selection by a measure")
            require(bounded.spread is None, "weights are selected as if they were units")
            return _of_selection(selection, bounded, accounting)
        case NoisyMax() as choice:
            require(bounded.clip is None, "a choice among totals that are scaled down")
            measure = _measure(applied, bounded)
            return Loss(_of_choice(choice, measure, bounded, accounting), ZERO.delta)
        case ClippedMax() as best:
            require(bounded.pair is None, "a choice among totals of pairs of units")
            measure = _measure(applied, bounded)
            require(measure.kind is not MeasureKind.DISTINCT, "distinct values are scaled down")
            return Loss(of_clipped_max(best, measure, bounded, accounting), ZERO.delta)
        case QuantileChoice() as chosen:
            measure = _histogram(applied, bounded, chosen.sensitivity)
            return Loss(_of_quantiles(chosen, measure, bounded, accounting), ZERO.delta)
        case QuantileBrackets() as brackets:
            measure = _histogram(applied, bounded, brackets.choice.sensitivity)
            return Loss(_of_brackets(brackets, measure, bounded, accounting), ZERO.delta)
        case ModeChoice() as mode:
            measure = _histogram(applied, bounded, mode.sensitivity)
            return Loss(_of_mode(mode, measure, bounded, accounting), ZERO.delta)
        case QuantileTree() as tree:
            measure = _histogram(applied, bounded, tree.sensitivity)
            return Loss(_of_tree(tree, measure, bounded, accounting), ZERO.delta)
        case _:
            assert_never(applied.mechanism)


def _read(applied: Applied, bounded: Bounded) -> Measure | None:
    """The measure that it is applied to, if to any."""
    if applied.measure is None:
        return None
    require(0 <= applied.measure < len(bounded.measures), "a mechanism of a measure that there is not")
    return bounded.measures[applied.measure]


def _measure(applied: Applied, bounded: Bounded) -> Measure:
    measure = _read(applied, bounded)
    if measure is None:
        raise CheckFault("private keys that are not told by selection")
    require(measure.kind is not MeasureKind.HISTOGRAM, "a histogram that is told by more than quantiles")
    return measure


def _histogram(applied: Applied, bounded: Bounded, made_for: Sensitivity) -> Measure:
    """The histogram that quantiles are read off: they are made for a unit's sum over its buckets."""
    measure = _read(applied, bounded)
    if measure is None or measure.kind is not MeasureKind.HISTOGRAM:
        raise CheckFault("quantiles of what is no histogram")
    enough = made_for.l0 >= bounded.groups and made_for.linf >= most_of(measure)
    require(enough, f"the quantiles of {measure.label} are made for less than one unit")
    return measure


def _of_selection(selection: Selection, bounded: Bounded, accounting: Accounting) -> Loss:
    """A unit counts at most once in each of `groups` keys, so that its scores move by `groups` in sum, and Σx² <=
    max|x|·Σ|x|; δ is the union bound over lonely keys (Rogers 2023)."""
    groups, noise = bounded.groups, selection.noise
    shared = min(groups, _public_part(bounded))
    enough = noise.sensitivity.l0 >= groups and selection.l1 >= groups and noise.sensitivity.linf >= shared
    require(enough, "selection is made for less than one unit")
    delta = groups * beyond(noise, selection.threshold - shared)
    main = of_noise(noise, shared, groups, groups * shared, accounting)
    return Loss(main, min(Decimal(1), charged(delta)))


def _public_part(bounded: Bounded) -> int:
    """How many keys may have one private part in common: a unit counts in it once for each of them."""
    if any(isinstance(key.domain, FromPublic) for key in bounded.keys):
        return bounded.groups
    return math.prod(len(key.domain.values) for key in bounded.keys if isinstance(key.domain, Literals))


def _of_choice(choice: NoisyMax, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of the places of the k largest of totals with noise of scale s, each moved by b at most; r = b where all of them
    move the same way, else 2·b:

        exponential   ε = k·r/s, ρ of k such  (permute-and-flip: McKenna, Sheldon 2020, theorem 1)
        Gumbel        ρ = k·(r/s)²/8          (exponential mechanism: Cesar, Rogers 2021, lemma 3.2)

    A place after the first is that of the largest of those that are left: the same mechanism, of fewer totals.

    Claim: if nothing is raised, the choice is among totals that one unit moves as it is made for, of keys that are
    known whatever the rows are, and tells k of those and nothing else.
    Because: `check_bounded` proves the totals, and `check_domains` that a key which is not private has its values from
    the plan, a public query or an earlier release; `release` looks at every one of them, and counts an absent one as 0.
    What a unit adds to a total has one sign where its bounds have, so its leaving moves all totals the same way. No
    formula reads a measure that got no noise (`price`): no column but the keys is made of it.
    Checked by: tests/test_noisy_max.py::test_loosened_choices_are_refused.
    """
    require(bounded.keys and not bounded.counts_units, "a choice among keys that are private, or none")
    most, one_sided = most_of(measure), measure.lower >= 0 or measure.upper <= 0
    enough = choice.sensitivity.l0 >= bounded.groups and choice.sensitivity.linf >= most
    require(enough, f"the choice by {measure.name} is made for less than one unit")
    require(one_sided or not choice.one_sided, f"{measure.name} moves both ways, the choice is made for one")
    return of_scores(choice, most, accounting)


def _of_mode(mode: ModeChoice, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of the largest bucket of each key's histogram, as `_of_choice` of its counts: in each of g keys.

    Claim: if nothing is raised, no more is told of the histogram than one bucket for each key, and what is returned is
    not below the loss of all of them.
    Because: `check_histogram` proves g, and w in sum over a key's buckets, all of them one way; so each count moves by
    w at most. Losses add up over keys.
    Checked by: tests/test_modes.py::test_loosened_modes_are_refused.
    """
    require(mode.buckets >= 1 and mode.choice.places == 1, "a choice among no buckets, or of several")
    require(measure.lower == 0, "a histogram that moves both ways")
    most = most_of(measure)
    require(mode.choice.sensitivity.linf >= most, f"the mode of {measure.label} is made for less than one unit")
    return bounded.groups * of_scores(mode.choice, most, accounting)


def _of_weights(selection: Spread, bounded: Bounded, accounting: Accounting) -> Loss:
    """Of keys selected by weights, which have a norm of WHOLE at most, all of a unit's together."""
    require(bounded.spread is selection.norm, "weights have another norm than selection is made for")
    require(selection.noise.sensitivity.l1 >= WHOLE, "selection is made for less than one unit")
    require(selection.threshold > WHOLE, "a threshold that one unit reaches by itself")
    match selection:
        case SpreadSelection():
            return _of_spread(selection, accounting)
        case TruncatedSelection():
            return _of_truncated(selection, accounting)
        case _:
            assert_never(selection)


def _of_spread(selection: SpreadSelection, accounting: Accounting) -> Loss:
    """Claim: if nothing is raised, not below the true loss. Because: what is 1 in L1 is no more in L2. δ: P(some lonely
    key comes out). L2, d keys of WHOLE/√d each: the most for d up to 2·d' − 1 is below that many times the chance of
    d'. L1: any weights with that sum, of which one with all of it and the rest with nothing is the worst.
    Checked by: tests/test_checker_clipped.py.
    """
    require_norm(selection.norm, selection.noise, "weights in L2, noise in L1")
    noise, at = selection.noise, selection.threshold
    if selection.norm is Norm.L1:
        lonely = beyond(noise, at - WHOLE) + (MOST_LONELY - 1) * beyond(noise, at)
    else:
        doubled = [2**power for power in range(MOST_LONELY.bit_length())]
        lonely = max(
            min(2 * keys - 1, MOST_LONELY) * beyond(noise, at - math.isqrt(WHOLE**2 // keys)) for keys in doubled
        )
    return Loss(of_noise(noise, WHOLE, WHOLE, WHOLE**2, accounting), min(Decimal(1), charged(lonely)))


def _of_truncated(selection: TruncatedSelection, accounting: Accounting) -> Loss:
    """Where noise alone tells no key.

    Claim: if nothing is raised, not below the true loss. Because: whatever is told, or not told, of all keys is
    e^(WHOLE/s) times as likely at most with a unit as without it, either way, but for what noise from T − x to T − 1
    tells of keys to which the unit adds x. Those chances are convex in x, so that they are most for one key with all of
    WHOLE. Under zCDP: but for δ, it is any mechanism of that ε.
    Checked by: tests/test_checker_clipped.py.
    """
    noise = selection.noise
    require(noise.distribution is Distribution.LAPLACE, "truncated noise that is not Laplace")
    delta = min(Decimal(1), charged(between(noise, selection.threshold - WHOLE, WHOLE)))
    epsilon = of_noise(noise, WHOLE, WHOLE, WHOLE**2, Accounting.PURE)
    return Loss(epsilon if accounting is Accounting.PURE else rho_of_pure(Fraction(epsilon)), delta)


_WIDEST = 2**56


def _of_quantiles(chosen: QuantileChoice, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of buckets drawn by the exponential mechanism: a bucket's distance from a rank p/q, times q, moves by
    d = max(p, q − p) where a row of weight 1 comes or goes (2 for an extreme, whose q is 2), and in f fine steps by
    f·d·w + 1 at most, its rounded logarithm among them; the noise has scale f·d·s:

        η = 2·(f·d·w + 1)/(f·d·s), of each rank, in each of g keys;  ε = η, ρ = η²/8  (Cesar, Rogers 2021, lemma 3.2)

    Claim: if nothing is raised, no more is told of the histogram than one bucket for each rank and key, drawn among
    buckets that are known beforehand, and what is returned is not below the loss of all of them.
    Because: `check_histogram` proves w, in sum over a key's buckets, and g; losses add up over ranks and keys.
    Checked by: tests/test_quantiles.py::test_loosened_quantiles_are_refused.
    """
    require(chosen.buckets >= 1 and chosen.fine >= 1 and chosen.ranks, "a choice among no buckets")
    scale, most = scale_of(chosen.scale), most_of(measure)
    total = Fraction(0)
    for rank in chosen.ranks:
        steps = chosen.fine * _steepness(rank)
        require(steps * scale <= _WIDEST, "noise so wide that scores have no room")
        ratio = Fraction(2 * (steps * most + 1)) / (steps * scale)
        total += ratio if accounting is Accounting.PURE else ratio**2 / 8
    return charged(bounded.groups * total)


def _steepness(rank: Rank) -> int:
    require(0 <= rank.numerator <= rank.denominator and rank.denominator >= 1, "a rank that is no share")
    if rank.numerator in (0, rank.denominator):
        return 2
    return max(rank.numerator, rank.denominator - rank.numerator)


def _of_tree(tree: QuantileTree, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of noisy counts on h levels, h being the least for which branching**h reaches the buckets: a unit moves those of
    one level by w in sum in each of g keys, so that l1 = h·g·w and l2² = h·g·w² at most.

    Claim, because: as `_of_quantiles`. Checked by: tests/test_quantiles.py::test_loosened_quantiles_are_refused.
    """
    require(tree.buckets >= 1 and tree.branching >= 2, "a tree without branches")
    levels = next(each for each in range(1, 64) if tree.branching**each >= tree.buckets)
    counts, most, made_for = levels * bounded.groups, most_of(measure), tree.noise.sensitivity
    enough = made_for.l0 >= counts and made_for.linf >= most
    require(enough, f"the noise of {measure.label} is made for less than one unit")
    return of_noise(tree.noise, most, counts * most, counts * most**2, accounting)


def _of_brackets(brackets: QuantileBrackets, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of buckets drawn as in `_of_quantiles`, and then of noisy counts of parts of each key's histogram, which are cut
    at those buckets.

    Claim: if nothing is raised, what is returned is not below the loss of both. Because: whatever the cuts are, each
    bucket is in one part. So what a unit moves in one key, w in sum over the buckets, it moves in the parts at most:
    l1 = g·w, l2² = g·w². Where to cut was told before, and losses of one after the other add up.
    Checked by: tests/test_quantile_brackets.py::test_loosened_brackets_are_refused.
    """
    most, made_for = most_of(measure), brackets.around.sensitivity
    enough = made_for.l0 >= bounded.groups and made_for.linf >= most
    require(enough, f"the counts of {measure.label} are made for less than one unit")
    moved = most, bounded.groups * most, bounded.groups * most**2
    chosen = _of_quantiles(brackets.choice, measure, bounded, accounting)
    return chosen + of_noise(brackets.around, *moved, accounting)
