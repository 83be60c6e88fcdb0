"""Partition selection by weights (`spread_selection`) in pure accounting, with noise that is truncated: by itself it
never reaches the threshold.

With noise as it is, δ pays for each key that a unit has alone, however little it adds to it: 4096 of them take 8.3 of
the 22 scales that a threshold is above 0. Where noise alone tells no key, it pays for what the unit adds, which is one
in sum over any number of keys (Desfontaines, Voss, Gipson, Mandayam 2022, *Differentially private partition selection*,
of one key of a unit; Geng, Ding, Guo, Kumar 2020, of truncated Laplace noise).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from dpproxy.accounting.concentrated import rho_of_pure
from dpproxy.accounting.dominating_pairs import Pairs, PurePair
from dpproxy.accounting.loss import Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise import LARGEST, Distribution, Noise, add_noise, laplace
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import WHOLE, described_weights
from dpproxy.mechanisms.tails import least, tail
from dpproxy.remembered import remembered


@dataclass(frozen=True, slots=True)
class TruncatedSelection(Contract[Sequence[int], dict[int, int]]):
    """Keys whose noisy weight reaches `threshold`, in parts of a unit, with less noise than that. noise: Laplace."""

    noise: Noise
    threshold: int

    @property
    def norm(self) -> Norm:
        """Of a unit's weights."""
        return Norm.L1

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of weights: one entry stands for the sum of all."""
        return self.noise.sensitivity

    @property
    def tells_keys(self) -> bool:
        """The private ones."""
        return True

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says. Under zCDP as anything that is (ε, δ)-private: but for δ, it is ε-private (Kairouz, Oh,
        Viswanath 2015, of any two neighbours). Raises ValueError for noise that is not Laplace."""
        epsilon, delta = self.noise.loss(Accounting.PURE).main, truncated_delta(self.noise, self.threshold)
        return Loss(epsilon if accounting is Accounting.PURE else rho_of_pure(epsilon), delta)

    @property
    def pairs(self) -> Pairs:
        """Any mechanism of its ε."""
        return ((PurePair(self.noise.loss(Accounting.PURE).main), 1),)

    def release(self, exact: Sequence[int]) -> dict[int, int]:
        """The keys, by their index in `exact`, whose noisy weight reaches the threshold while the noise does not; with
        that weight.

        Claim: is (ε, δ)-private, as `loss` says, if the order of `exact` follows from the keys alone.
        Because: a key of weight w tells w + Z where T <= w + Z and Z < T, else nothing. Let a unit add x to it. With
        the unit, what is told lies between T and w + x + T − 1; without it, between T and w + T − 1: each number of
        these e^(x/s) times as likely at most, either way. Nothing is told with P(Z < T − w) + P(Z >= T), or with
        P(Z < T − w − x) + P(Z >= T): so is that. What can be told with the unit alone is Z of T − x to T − 1; and x is
        WHOLE at most in sum over all keys, so that ε is WHOLE/s, and δ the sum of chances of that
        (`truncated_delta`). A key that the unit has alone is one of weight 0 without it, which never comes out.
        Checked by: tests/test_truncated_selection.py.
        """
        drawn = add_noise(self.noise, [0] * len(exact))
        return {
            index: weighed + noise
            for index, (weighed, noise) in enumerate(zip(exact, drawn, strict=True))
            if noise < self.threshold <= weighed + noise
        }

    @property
    def error(self) -> Error | None:
        """None: weights are not numbers that anybody asked for."""
        return None

    @property
    def total_noise(self) -> None:
        """What it tells are weights, of which nobody knows how many units they are."""

    def described(self, step: float, unit: str) -> Description:
        """The noise of the weights, and the threshold, in units."""
        del step
        noise = self.noise.described(1 / WHOLE, unit)
        truncated = replace(noise, text=f"truncated {noise.text}")
        return described_weights(truncated, self.norm, self.threshold, unit)


def truncated_laplace(epsilon: Decimal, delta: Decimal) -> TruncatedSelection:
    """Selection by weights of L1 norm one and truncated discrete Laplace noise, for a share of ε and of δ.

    Claim: `release` of the result is (epsilon, delta)-differentially private.
    Because: noise is made for all of a unit's weights, and the threshold for δ. Checked by:
    tests/test_truncated_selection.py.
    Raises ValueError where a share is not above 0, or no threshold of 62 bits will do.
    """
    return _thresholded(laplace(Sensitivity(1, WHOLE), epsilon), delta)


@remembered(4096)
def truncated_delta(noise: Noise, threshold: int) -> Decimal:
    """At most the probability that some key is told which could not be told without a unit; on the grid, at most 1.

    Claim: >= ΣP(T − x <= Z < T) over any keys to which a unit adds x each, Σx <= WHOLE.
    Because: of Laplace noise of scale s that is c·(e^(x/s) − 1), for T > WHOLE: 0 at 0 and convex, so that the sum is
    largest where one key has all. That is P(Z >= T − WHOLE)·(1 − e^(−y)) with y = WHOLE/s; and since e^y <=
    (2 + y)/(2 − y) below 2, the last is at most 2y/(2 + y). `tail` is not below its chance.
    Checked by: tests/test_truncated_selection.py::test_delta_is_not_below_the_exact_sums.
    Raises ValueError for noise that is not Laplace.
    """
    if noise.distribution is not Distribution.LAPLACE:
        raise ValueError("what truncated noise costs is known of Laplace noise")
    if threshold <= WHOLE:
        return Decimal(1)
    rate = WHOLE / Fraction(noise.scale)
    added = min(Fraction(1), 2 * rate / (2 + rate))
    return min(Decimal(1), charged(Fraction(tail(noise.distribution, noise.scale, threshold - WHOLE)) * added))


@remembered(1024)
def _thresholded(noise: Noise, delta: Decimal) -> TruncatedSelection:
    if not delta > 0 or truncated_delta(noise, LARGEST) > delta:
        raise ValueError(f"no threshold keeps key selection to a delta of {delta}")
    guess = WHOLE + round(noise.scale * math.log(WHOLE / (WHOLE + noise.scale) / float(delta)))
    return TruncatedSelection(noise, least(lambda at: truncated_delta(noise, at) <= delta, guess, WHOLE, LARGEST))
