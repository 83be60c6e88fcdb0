"""Noise that two totals share: Laplace noise of their weighted sum and of their difference, instead of one for each.

With weights a and b, n and s are told by u = a·n + b·s and w = a·n − b·s, each with discrete Laplace noise of its own:
n is (u + w)/2a, and s is (u − w)/2b. A unit that moves n by N at most, and s by S, moves u and w together by

    |a·x + b·y| + |a·x − b·y|  =  2·max(a·|x|, b·|y|)  <=  2·max(a·N, b·S)

steps in sum: as much as one of both alone would, where two noises side by side are paid for both. So at the same price
each total has half of the variance, where a·N and b·S are the same (a K-norm mechanism, of Hardt and Talwar 2010, whose
norm is the larger of two: of two numbers that is L1, turned by an eighth).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Final

import numpy as np

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Contract, Description, Draws, Error
from dpproxy.mechanisms.noise import Noise, laplace, spread_pairs
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown
from dpproxy.remembered import remembered

_FINE: Final = 32
"""The smaller weight at most: both totals are moved by the same then, to a sixty-fourth."""
_MOST: Final = 2**31
"""What one unit may move either by, weighted: sums of a thousand million units are far below what is clamped."""
_OF_TWO_95: Final = 4.113003280719639
"""x with e^(−x)·(2 + x)/2 = 0.05: the sum of two Laplace noises of scale 1 is further from 0 in one of twenty cases."""
_WIDE: Final = 32
_FAR: Final = 40
"""Scales from 0, beyond which there is nothing that doubles could tell."""


@dataclass(frozen=True, slots=True)
class SharedNoise:
    """What one of both totals has: (Z + Z')/2w to the nearest whole number, half to even; Z as in `each`. weight: w.

    turned: whether it is the difference instead, which is distributed alike.
    """

    each: Noise
    weight: int
    turned: bool

    @property
    def stddev(self) -> float:
        """Its standard deviation, of even totals and odd ones in the mean, or a little more where it is wide.

        Because: E[Y²] is the sum of (2t + 1)·P(|Y| > t), and half of the halves are rounded away from 0."""
        scale, weight = self.each.scale, self.weight
        if scale > _WIDE * weight:
            return math.hypot(self.each.stddev / (math.sqrt(2) * weight), 0.5)
        halves = [(2 * t + 1, (2 * t + 1) * weight) for t in range(math.ceil(_FAR * scale / weight) + 1)]
        return math.sqrt(math.fsum(odd * (_beyond(scale, at) + _beyond(scale, at + 1)) for odd, at in halves))

    def reach(self, outside: float) -> float:
        """The least t >= 0 with P(|Y| > t) <= 2 · outside, for 0 < outside <= 1/2; one more where halves decide.

        Because: Y is beyond t only where Z + Z' is at (2t + 1)·w, or further, to that side.
        Checked by: tests/test_joint_noise.py::test_a_quantile_is_that_of_the_rounded_noise.
        """
        scale, high = self.each.scale, 1
        while _beyond(scale, (2 * high + 1) * self.weight) > outside:
            high *= 2
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _beyond(scale, (2 * middle + 1) * self.weight) <= outside else (middle, high)
        return float(high)

    @property
    def parts(self) -> tuple[Noise, Noise]:
        """Z and Z'."""
        return self.each, self.each

    def made_of(self, draws: Sequence[Draws]) -> Draws:
        """The sum of both, or the difference, in whole numbers."""
        one, other = draws
        return np.asarray(np.rint((one - other if self.turned else one + other) / (2 * self.weight)))


def _beyond(scale: float, at: int) -> float:
    """P(Z + Z' >= at) of two discrete Laplace noises of that scale, at >= 1.

    Because: with q = e^(−1/s), P(Z + Z' = k) = ((1 − q)/(1 + q))²·q^k·(k + (1 + q²)/(1 − q²)), k >= 0; its sum.
    """
    ratio = math.exp(-1 / scale)
    first = at * -math.expm1(-1 / scale) + (1 + ratio**2) / (1 + ratio) + ratio
    return math.exp(-at / scale) * first / (1 + ratio) ** 2


@dataclass(frozen=True, slots=True)
class JointNoise(Contract[Sequence[tuple[int, int]], tuple[list[int], list[int]]]):
    """Noise of two measures, as the first of both sees it. noise: of sums and differences; own, other: the weights."""

    noise: Noise
    own: int
    other: int
    is_second: bool = False

    def turned(self) -> JointNoise:
        """The same as the second measure sees it."""
        return replace(self, own=self.other, other=self.own, is_second=not self.is_second)

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of sums and differences: in a key, together."""
        return self.noise.sensitivity

    @property
    def tells_keys(self) -> bool:
        """It changes numbers alone."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says: of all sums and differences."""
        return self.noise.loss(accounting)

    @property
    def pairs(self) -> Pairs:
        """How what a unit moves is dealt to sums and differences is not known."""
        return spread_pairs(self.noise)

    def release(self, exact: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
        """The totals of both measures, key by key.

        Claim: it loses `loss`, for pairs of totals that one unit moves so that sums and differences move by `made_for`.
        Because: sums and differences alone get noise, each its own, and all that is told is made of those.
        Checked by: tests/test_joint_noise.py::test_the_distribution_is_the_claimed_one, ::test_neighbours_are_covered.
        """
        told = self.noise.release(list(chain.from_iterable(map(self._rotated, exact))))
        both = list(zip(told[::2], told[1::2], strict=True))
        return (
            [_nearest(one + two, 2 * self.own) for one, two in both],
            [_nearest(one - two, 2 * self.other) for one, two in both],
        )

    def _rotated(self, totals: tuple[int, int]) -> Iterator[int]:
        first, second = totals
        yield self.own * first + self.other * second
        yield self.own * first - self.other * second

    @property
    def error(self) -> Error:
        """Of each total of the own measure; its half-width of the continuous form."""
        return Error(self.total_noise.stddev, _OF_TWO_95 * self.noise.scale / (2 * self.own))

    @property
    def total_noise(self) -> SharedNoise:
        """Of the own measure."""
        return SharedNoise(self.noise, self.own, self.is_second)

    def described(self, step: float, unit: str) -> Description:
        """Which noise, and how much the own measure has."""
        del unit
        stddev = self.total_noise.stddev * step
        facts = {"Mechanism": "joint laplace", "Scale": self.noise.scale / self.own, "Standard Deviation": stddev}
        text = f"laplace, shared by two totals, standard deviation {shown(stddev)}"
        return Description("joint laplace", "Measure", text, facts)


def _nearest(number: int, parts: int) -> int:
    """A whole number of parts, halves to even: as `round` of the fraction, which takes ten times as long."""
    whole, rest = divmod(number, parts)
    return whole + (2 * rest > parts or (2 * rest == parts and whole % 2 == 1))


@remembered(1024)
def joint_weights(first: int, second: int) -> tuple[int, int] | None:
    """By what two totals are multiplied that one unit moves by so many steps at most, so that it moves both by about as
    much; None where that is too much to be exact, or nothing."""
    if min(first, second) < 1:
        return None
    ratio = Fraction(max(first, second), min(first, second)).limit_denominator(_FINE)
    weights = ratio.numerator, ratio.denominator
    own, other = weights if first <= second else weights[::-1]
    return (own, other) if max(own * first, other * second) <= _MOST else None


def joint_laplace(keys: int, first: int, second: int, loss: Decimal) -> JointNoise:
    """Noise that two measures share, which one unit moves in `keys` keys, by so many steps in each at most.

    Claim: its release is ε-differentially private, ε = loss.
    Because: in each key sums and differences move by 2·max(own·first, other·second) together, as the module says, which
    is what the noise is made for as if one entry moved by all of it: l1 alone decides what Laplace noise loses.
    Checked by: tests/test_joint_noise.py::test_a_share_is_kept_and_used_up, ::test_neighbours_are_covered.

    Raises ValueError where they have no weights.
    """
    weights = joint_weights(first, second)
    if weights is None:
        raise ValueError("two totals that cannot share their noise")
    own, other = weights
    return JointNoise(laplace(Sensitivity(keys, 2 * max(own * first, other * second)), loss), own, other)
