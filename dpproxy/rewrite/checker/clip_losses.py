"""What mechanisms lose that choose a clip, or a limit, and tell what is left at it: in closed forms."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import assert_never

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_max import ClippedMax
from dpproxy.mechanisms.clipped_noise import SCORE, ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.paired_noise import GAIN, PairedNoise
from dpproxy.plan.private_plan import Bounded, Measure, MeasureKind
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.losses import of_noise, of_scores, require_norm


def of_noise_at_a_clip(
    noise: ClippedNoise | PairedNoise | DistinctNoise, measure: Measure, bounded: Bounded, accounting: Accounting
) -> Decimal:
    """Of what tells a measure at a clip: pairs, distinct values, or what is scaled down, each by its own.

    Claim: if nothing is raised, at least what it loses. Because, checked by: as each says.
    """
    is_distinct = measure.kind is MeasureKind.DISTINCT
    match noise:
        case PairedNoise():
            return _of_paired(noise, measure, bounded, accounting)
        case DistinctNoise():
            require(bounded.pair is None and is_distinct, "sums are counted as if they were distinct values")
            return _of_distinct(noise, bounded, accounting)
        case ClippedNoise():
            require(bounded.pair is None, "pairs of units are clipped as if they were units")
            require(not is_distinct, "distinct values are scaled down")
            return _of_clipped(noise, bounded, accounting)
        case _:
            assert_never(noise)


def _of_clipped(noise: ClippedNoise, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of a clip's choice and the noise at it, one after the other.

    Claim: if nothing is raised, at least what both lose. Because: the choice is among scores each of which is lowered
    by `SCORE` at most where a unit comes, and none raised, for a unit is counted in one bucket (`check_bounded`). The
    totals at any clip τ move by PARTS·τ/max(τ, edge) times what the unit adds, which has the norm `edge` at most, and
    by less than one in each key when they are cut off to whole numbers: of MOST_KEYS keys, by their number in L1 and
    its root in L2.
    Checked by: tests/test_checker_clipped.py, tests/test_clipped_neighbours.py.
    """
    return _of_clip(noise, accounting) + _of_noise(noise, bounded, accounting)


def _of_distinct(noise: DistinctNoise, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of the choice of how many values of a unit count, k, and of the noise at it.

    Claim: if nothing is raised, at least what both lose. Because: `check_distinct` proves that of what is counted in
    buckets up to any, one unit takes away no more than its edge, a whole number of values, and adds nothing. A limit k
    is that whole number. Without the unit what twice as many count more falls by no more than the numbers that the unit
    has beyond k and up to 2k, for which there is `room`: a value that is gone there and had a number up to k is gone
    from what k of each count, too (`check_distinct`). And it rises by no more than what is gone there, k. So a gain in
    parts of `room`, which is k at least, moves by a `SCORE` either way. Counted in parts of k, cut off to whole ones,
    totals move by PARTS together, and by less than one more in each key: of MOST_KEYS keys, by their number in L1 and
    its root in L2.
    Checked by: tests/test_checker_clipped.py, tests/test_clipped_neighbours.py, tests/test_distinct_noise.py.
    """
    choice = noise.choice
    require(not choice.one_sided and choice.sensitivity.linf >= SCORE, "a limit is chosen by less than one unit")
    require(choice.places == 1, "more than one limit is told")
    return of_scores(choice, SCORE, accounting) + _of_noise(noise, bounded, accounting)


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
    gains = 3 * GAIN + 2
    require(noise.choice.sensitivity.linf >= gains and noise.choice.one_sided, "a clip is chosen by less than a unit")
    require(noise.choice.places == 1, "more than one clip is told")
    return of_scores(noise.choice, gains, accounting) + _of_noise(noise, bounded, accounting)


def of_clipped_max(best: ClippedMax, measure: Measure, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of a clip's choice, and of the places of the largest at it.

    Claim: if nothing is raised, at least what both lose. Because: as `of_clipped` and `_of_choice`. What is PARTS long
    in either norm has no entry beyond PARTS; cut off to whole parts, each total moves by one more at most, all of them
    the way in which the unit's own contributions go, which have one sign where the measure's bounds have.
    Checked by: tests/test_clipped_max.py::test_loosened_choices_are_refused.
    """
    require(bounded.clip is best.norm, "what is scaled down has another norm than the choice is made for")
    require(bounded.keys and not bounded.counts_units, "a choice among keys that are private, or none")
    moved, one_sided = PARTS + 1, measure.lower >= 0 or measure.upper <= 0
    require(best.best.sensitivity.linf >= moved, "the choice is made for less than a clip")
    require(one_sided or not best.best.one_sided, f"{measure.name} moves both ways, the choice is made for one")
    return _of_clip(best, accounting) + of_scores(best.best, moved, accounting)


def _of_clip(at: ClippedNoise | ClippedMax, accounting: Accounting) -> Decimal:
    """Of the choice of the clip, and of where it begins."""
    require(at.choice.one_sided and at.choice.sensitivity.linf >= SCORE, "a clip is chosen by less than one unit")
    require(at.choice.places == 1, "more than one clip is told")
    lost = of_scores(at.choice, SCORE, accounting)
    if isinstance(at.start, int):
        return lost
    require(not at.start.one_sided and at.start.sensitivity.linf >= SCORE, "a median is found by less than a unit")
    require(at.start.places == 1, "more than one median is told")
    return lost + of_scores(at.start, SCORE, accounting)


def _of_noise(noise: AtAClip, bounded: Bounded, accounting: Accounting) -> Decimal:
    """Of what one unit moves by PARTS together, and by less than one more in each key."""
    require(bounded.clip is noise.norm, "what is scaled down has another norm than the noise is made for")
    moved = PARTS + (MOST_KEYS if noise.norm is Norm.L1 else math.isqrt(MOST_KEYS))
    require(noise.noise.sensitivity.l1 >= moved, "the noise is made for less than a clip")
    require_norm(noise.norm, noise.noise, "a clip in L2, noise in L1")
    return of_noise(noise.noise, moved, moved, moved**2, accounting)
