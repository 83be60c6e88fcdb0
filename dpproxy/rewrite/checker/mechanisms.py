"""Each mechanism of a release: whether it may read what it is applied to, and what it loses for how far one unit moves
that. The one place of the checker that tells them apart."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Final, assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.clipped_noise import SCORE, ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Spread
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.paired_noise import GAIN, PairedNoise
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import MOST_LONELY, WHOLE, SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.private_plan import Applied, Bounded, FromPublic, Literals, Measure, MeasureKind
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.losses import between, beyond, of_noise, rho_of_pure, scale_of
from dpproxy.rewrite.checker.noised_totals import most_of, of_totals

TELLS_TOTALS: Final = (Noise, JointNoise, ClippedNoise, PairedNoise)
TELLS_RANKS: Final = (QuantileChoice, QuantileBrackets, QuantileTree)
CHOOSES_KEYS: Final = (NoisyMax, ClippedMax)
"""Of what a measure was told by these, formulas are made; quantiles are read; and mechanisms after it have the keys."""


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
        case PairedNoise() as paired:
            return Loss(_of_paired(paired, _measure(applied, bounded), bounded, accounting), ZERO.delta)
        case ClippedNoise() as noise:
            require(bounded.pair is None, "pairs of units are clipped as if they were units")
            is_distinct = _measure(applied, bounded).kind is MeasureKind.DISTINCT
            require(is_distinct is (type(noise) is DistinctNoise), "distinct values are scaled down, or sums counted")
            return Loss(_of_clipped(noise, bounded, accounting), ZERO.delta)
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
            return Loss(_of_clipped_max(best, measure, bounded, accounting), ZERO.delta)
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
    return _of_scores(choice, most, accounting)


def _of_scores(choice: NoisyMax, most: int, accounting: Accounting) -> Decimal:
    """As `_of_choice` says it, of scores moved by `most`."""
    require(choice.places >= 1, "a choice of no keys")
    ratio = (most if choice.one_sided else 2 * most) / scale_of(choice.scale)
    match choice.noise:
        case ScoreNoise.EXPONENTIAL if accounting is Accounting.PURE:
            return charged(choice.places * ratio)
        case ScoreNoise.EXPONENTIAL:
            return choice.places * rho_of_pure(ratio)
        case ScoreNoise.GUMBEL:
            require(accounting is Accounting.ZCDP, "a choice by Gumbel noise is made for zCDP")
            return charged(choice.places * ratio**2 / 8)
        case _:
            assert_never(choice.noise)


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
    return bounded.groups * _of_scores(mode.choice, most, accounting)


def _of_clipped(noise: ClippedNoise, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of a clip's choice and the noise at it, one after the other.

    Claim: if nothing is raised, at least what both lose. Because: the choice is among scores each of which is lowered
    by `SCORE` at most where a unit comes, and none raised, for a unit is counted in one bucket (`check_bounded`). The
    totals at any clip τ move by PARTS·τ/max(τ, edge) times what the unit adds, which has the norm `edge` at most, and
    by less than one in each key when they are cut off to whole numbers: of MOST_KEYS keys, by their number in L1 and
    its root in L2. Of distinct values (`DistinctNoise`) those in buckets whose edge is τ at most are counted, of which
    a unit takes away τ in all keys together: no more in either norm.
    Checked by: tests/test_checker_clipped.py, tests/test_clipped_neighbours.py.
    """
    require(bounded.clip is noise.norm, "what is scaled down has another norm than the noise is made for")
    moved = PARTS + (MOST_KEYS if noise.norm is Norm.L1 else math.isqrt(MOST_KEYS))
    require(noise.noise.sensitivity.l1 >= moved, "the noise is made for less than a clip")
    _require_norm(noise.norm, noise.noise, "a clip in L2, noise in L1")
    return _of_clip(noise, accounting) + of_noise(noise.noise, moved, moved, moved**2, accounting)


def _of_paired(noise: PairedNoise, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of the choice of a clip among gains, and of the noise at it.

    Claim: if nothing is raised, at least what both lose. Because: what is left at a clip is the value of a maximum
    flow, of which one unit moves a clip, one way (`check_bounded` proves that what a unit contributes is in pairs with
    its number). So a gain, twice what is left at the double clip less what is left at the clip, moves by two clips of
    GAIN the one way, and by one the other way, and by a part of one more each way where it is cut off; it is an average
    over keys, and over both signs, of which there are `signs`. Beside a number that is added to all of them, they move
    by the sum of both, one way. Totals move by PARTS together, and by less than one in each key more: of MOST_KEYS
    keys, by their number in L1 and its root in L2. Of rows that are met the flow goes through these; met k times, they
    are what is left of two flows, of which a unit moves either a clip, the same way, as it does those of both signs.
    Checked by: tests/test_checker_pairs.py, tests/test_checker_met.py.
    """
    require(bounded.pair is not None and bounded.clip is noise.norm, "the noise of pairs for what is none")
    twice = bounded.met is not None and bounded.met.least > 1
    one_sign = noise.signs == 1 and not twice and not measure.lower < 0 < measure.upper
    require(noise.signs == 2 or one_sign, "gains of one sign")
    moved = PARTS + (MOST_KEYS if noise.norm is Norm.L1 else math.isqrt(MOST_KEYS))
    require(noise.noise.sensitivity.l1 >= moved, "the noise is made for less than a clip")
    _require_norm(noise.norm, noise.noise, "a clip in L2, noise in L1")
    gains = 3 * GAIN + 2
    require(noise.choice.sensitivity.linf >= gains and noise.choice.one_sided, "a clip is chosen by less than a unit")
    require(noise.choice.places == 1, "more than one clip is told")
    lost = _of_scores(noise.choice, gains, accounting)
    return lost + of_noise(noise.noise, moved, moved, moved**2, accounting)


def _of_clip(at: ClippedNoise | ClippedMax, accounting: Accounting) -> Decimal:
    """Of the choice of the clip, and of where it begins."""
    require(at.choice.one_sided and at.choice.sensitivity.linf >= SCORE, "a clip is chosen by less than one unit")
    require(at.choice.places == 1, "more than one clip is told")
    lost = _of_scores(at.choice, SCORE, accounting)
    if isinstance(at.start, int):
        return lost
    require(not at.start.one_sided and at.start.sensitivity.linf >= SCORE, "a median is found by less than a unit")
    require(at.start.places == 1, "more than one median is told")
    return lost + _of_scores(at.start, SCORE, accounting)


def _of_clipped_max(best: ClippedMax, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of a clip's choice, and of the places of the largest at it.

    Claim: if nothing is raised, at least what both lose. Because: as `_of_clipped` and `_of_choice`. What is PARTS long
    in either norm has no entry beyond PARTS; cut off to whole parts, each total moves by one more at most, all of them
    the way in which the unit's own contributions go, which have one sign where the measure's bounds have.
    Checked by: tests/test_clipped_max.py::test_loosened_choices_are_refused.
    """
    require(bounded.clip is best.norm, "what is scaled down has another norm than the choice is made for")
    require(bounded.keys and not bounded.counts_units, "a choice among keys that are private, or none")
    moved, one_sided = PARTS + 1, measure.lower >= 0 or measure.upper <= 0
    require(best.best.sensitivity.linf >= moved, "the choice is made for less than a clip")
    require(one_sided or not best.best.one_sided, f"{measure.name} moves both ways, the choice is made for one")
    return _of_clip(best, accounting) + _of_scores(best.best, moved, accounting)


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
    _require_norm(selection.norm, selection.noise, "weights in L2, noise in L1")
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


def _require_norm(norm: Norm, noise: Noise, otherwise: str) -> None:
    """What is 1 in L1 is no more in L2, but not the other way round."""
    require(norm is Norm.L1 or noise.distribution is Distribution.GAUSSIAN, otherwise)
