"""Noise of totals that are not scaled down: of one measure, or of two that share it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import assert_never

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.joint_noise import JointNoise
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.plan.private_plan import Measure
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.losses import of_noise


def most_of(measure: Measure) -> int:
    """By how many steps one unit moves one key's total."""
    return max(-measure.lower, measure.upper)


def of_totals(noise: Noise | JointNoise, measures: Sequence[Measure], groups: int, accounting: Accounting) -> Decimal:
    """ε or ρ of noise of the totals of those measures, which one unit moves in `groups` of the keys that are told.

    Raises CheckFault where it is made for less than that.
    """
    match noise:
        case Noise():
            require(len(measures) == 1, "noise of one measure that reads two")
            return _of_noise(noise, measures[0], groups, accounting)
        case JointNoise():
            require(len(measures) == 2, "shared noise that does not read two measures")
            return _of_joint(noise, measures, groups, accounting)
        case _:
            assert_never(noise)


def _of_noise(noise: Noise, measure: Measure, groups: int, accounting: Accounting) -> Decimal:
    most, made_for = most_of(measure), noise.sensitivity
    enough = made_for.l0 >= groups and made_for.linf >= most
    require(enough, f"the noise of {measure.name} is made for less than one unit")
    return of_noise(noise, most, groups * most, groups * most**2, accounting)


def _of_joint(joint: JointNoise, measures: Sequence[Measure], groups: int, accounting: Accounting) -> Decimal:
    """Of noise of u = a·n + b·s and w = a·n − b·s, which alone are told of two measures n and s.

    Claim: if nothing is raised, what is returned is not below its loss. Because: where one unit moves n by x and s by y
    in a key, it moves u and w by |a·x + b·y| + |a·x − b·y| together, which is 2·a·|x| or 2·b·|y|, whichever is larger.
    So it is 2·m at most, m being the larger of a·N and b·S, 2·g·m in sum over g keys, and no entry moves by more than
    2·m. Whatever is made of the noisy u and w, rounded as it is, loses no more.
    Checked by: tests/test_joint_noise.py::test_loosened_noise_is_refused.
    """
    require(joint.noise.distribution is Distribution.LAPLACE, "shared noise that is not Laplace")
    require(min(joint.own, joint.other) >= 1, "shared noise of a total that it does not read")
    first, second = map(most_of, measures)
    require(measures[0].name != measures[1].name, "shared noise of one measure, read twice")
    moved, made_for = 2 * max(joint.own * first, joint.other * second), joint.noise.sensitivity
    require(made_for.l0 >= groups and made_for.linf >= moved, "shared noise is made for less than one unit")
    return of_noise(joint.noise, moved, groups * moved, groups * moved**2, accounting)
