"""Whether a release hangs together, by the plan alone, before any row of it is looked at."""

from __future__ import annotations

from typing import assert_never

from dpproxy.exact_cells import private_places
from dpproxy.mechanisms.clipped_max import MOVED, ClippedMax
from dpproxy.mechanisms.clipped_noise import SCORE, ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.kinds import Quantiles
from dpproxy.mechanisms.mode_choice import ModeChoice
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noise_at_a_clip import sensitivity
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.paired_noise import MOVED as MOVED_GAIN
from dpproxy.mechanisms.paired_noise import PairedNoise
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice
from dpproxy.mechanisms.quantile_tree import QuantileTree
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import WHOLE, SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.formulas import uses_selected_count
from dpproxy.plan.private_plan import Applied, Bounded, Measure, MeasureKind, Release
from dpproxy.plan.space import Space


def check_release(plan_release: Release, space: Space) -> None:
    """Claim: a private key is never released but by selection, and nothing of a measure but by a mechanism.

    Because: anything else is refused here, by the plan alone.
    Checked by: tests/test_release.py::test_plans_that_do_not_hang_together_are_refused.
    """
    bounded = plan_release.bounded
    private, places = private_places(bounded.keys), [place for block in space for place in block.places]
    if sorted((*private, *places)) != list(range(len(bounded.keys))):
        raise ValueError("a release needs values for each key that is not private, in one block")
    if not _reads_all(plan_release):
        raise ValueError("a release needs a mechanism for the number of units, where it is counted, and each measure")
    if bool(private) != bounded.counts_units:
        raise ValueError("a release counts units if and only if some key is private")
    for each in plan_release.mechanisms:
        _check_applied(each, plan_release)
    counted = any(uses_selected_count(output.formula) for output in plan_release.outputs)
    if counted and (places or not private or bounded.spread is not None):
        raise ValueError("a selected count can stand for a count only where all keys are private")


def _reads_all(plan_release: Release) -> bool:
    """Whether each measure is told once; what keys were chosen by need not be told beside."""
    bounded, chosen = plan_release.bounded, plan_release.chosen_by
    expected: list[int | None] = [*([None] * bounded.counts_units), *range(len(bounded.measures))]
    without = [each for each in expected if chosen is None or each != chosen.measure]
    read, units = plan_release.read_after, int(bounded.counts_units)
    if any(each.beside is not None for each in plan_release.mechanisms):  # the second of two is read when its first is
        read[units:] = sorted(read[units:], key=lambda each: -1 if each is None else each)
    return read in (expected, without)


def _check_applied(applied: Applied, plan_release: Release) -> None:
    """Whether the mechanism can read what it is applied to, and is made for how far one unit moves that."""
    bounded = plan_release.bounded
    _require((applied.beside is not None) == isinstance(applied.mechanism, JointNoise), "shared noise is of two totals")
    match applied.mechanism:
        case Selection():
            _require(applied.measure is None and bounded.spread is None, "key selection reads the number of units")
        case SpreadSelection() | TruncatedSelection() as selection:
            reads = applied.measure is None and bounded.spread is selection.norm
            _require(reads, "key selection reads the weights of units")
            _check_enough(selection.made_for, WHOLE)
        case (
            ClippedNoise()
            | DistinctNoise()
            | PairedNoise()
            | ClippedMax()
            | QuantileChoice()
            | QuantileBrackets()
            | QuantileTree()
            | ModeChoice()
            | Noise()
            | JointNoise()
            | NoisyMax()
        ):
            _require(applied.measure is not None, "private keys are told by selection alone")
            _check_measured(applied, applied.mechanism, plan_release)
        case _:
            assert_never(applied.mechanism)


def _check_measured(
    applied: Applied,
    mechanism: ClippedNoise
    | DistinctNoise
    | PairedNoise
    | ClippedMax
    | Quantiles
    | ModeChoice
    | Noise
    | JointNoise
    | NoisyMax,
    of: Release,
) -> None:
    """The same of what reads a measure: totals, those by norm, or a histogram. Noise may be for the chosen keys."""
    bounded, measure = of.bounded, applied.measure or 0
    plain = bounded.clip is None and not bounded.is_histogram
    match mechanism:
        case ClippedNoise() | DistinctNoise() | PairedNoise():
            _check_at_a_clip(mechanism, bounded, bounded.measures[measure])
        case QuantileChoice() | QuantileBrackets() | QuantileTree() | ModeChoice():
            _require(bounded.is_histogram, "quantiles and modes are read off a histogram")
            _check_made_for(mechanism.made_for, bounded, measure)
        case Noise():
            _require(plain, "histograms are told by quantiles, and what is scaled down at a clip")
            _check_made_for(mechanism.made_for, bounded, measure, of.places)
        case JointNoise():
            _require(plain, "histograms are told by quantiles, and what is scaled down at a clip")
            _check_joint(mechanism, of, measure, applied.beside or 0)
        case NoisyMax():
            _require(plain and not bounded.counts_units, "private keys are told by selection alone")
            _require(applied is of.chosen_by, "the mechanism that chooses keys is the first")
            _check_made_for(mechanism.made_for, bounded, measure)
            _check_sides(mechanism, bounded.measures[measure])
        case ClippedMax():
            _require(bounded.pair is None, "pairs of units have a clip of their own")
            _require(bounded.clip is mechanism.norm, "what is scaled down is told at a clip of its norm")
            _require(not bounded.counts_units, "private keys are told by selection alone")
            _require(applied is of.chosen_by, "the mechanism that chooses keys is the first")
            _check_enough(mechanism.made_for, MOVED)
            _check_sides(mechanism.best, bounded.measures[measure])
        case _:
            assert_never(mechanism)


def _check_at_a_clip(mechanism: ClippedNoise | DistinctNoise | PairedNoise, bounded: Bounded, measure: Measure) -> None:
    """The same of what is told at a clip of its norm: pairs, distinct values, and what is scaled down."""
    is_distinct = measure.kind is MeasureKind.DISTINCT
    _require(bounded.clip is mechanism.norm, "what is scaled down is told at a clip of its norm")
    _check_enough(mechanism.made_for, sensitivity(mechanism.norm))
    match mechanism:
        case PairedNoise():
            _require(bounded.pair is not None, "pairs are told at a clip of theirs")
            _check_enough(mechanism.choice.sensitivity, MOVED_GAIN)
            twice = bounded.met is not None and bounded.met.least > 1
            both = twice or measure.lower < 0 < measure.upper
            _require(mechanism.signs == 2 or not both, "gains of both signs are counted as one")
        case DistinctNoise():
            _require(is_distinct, "a limit of first values is one of distinct values")
            _require(not mechanism.choice.one_sided, "a limit is chosen by what moves both ways")
            _check_enough(mechanism.choice.sensitivity, SCORE)
        case ClippedNoise():
            _require(bounded.pair is None, "pairs of units have a clip of their own")
            _require(not is_distinct, "distinct values are counted, and not scaled")
        case _:
            assert_never(mechanism)


def _check_joint(joint: JointNoise, of: Release, one: int, other: int) -> None:
    first, second = (of.bounded.sensitivity(of.bounded.measures[each], of.places) for each in (one, other))
    moved, made_for = 2 * max(joint.own * first.linf, joint.other * second.linf), joint.made_for
    _require(min(joint.own, joint.other) >= 1, "noise is shared by totals of a weight of 1 or more")
    _require(made_for.l0 >= first.l0 and made_for.linf >= moved, "shared noise is made for less than its sensitivity")


def _check_sides(choice: NoisyMax, measure: Measure) -> None:
    two_signs = choice.one_sided and measure.lower < 0 < measure.upper
    _require(not two_signs, f"the choice by {measure.label!r} is made for less than its sensitivity: two signs")


def _check_enough(made_for: Sensitivity, moved: int) -> None:
    """One entry stands for the norm of all."""
    _require(made_for.l1 >= moved, "a mechanism of what is scaled down is made for less than one unit")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _check_made_for(made_for: Sensitivity, bounded: Bounded, measure: int, places: int | None = None) -> None:
    claimed = bounded.sensitivity(bounded.measures[measure], places)
    if made_for.l0 < claimed.l0 or made_for.linf < claimed.linf:
        raise ValueError(f"the mechanism of {bounded.measures[measure].label!r} is made for less than its sensitivity")
