"""Partition selection where nobody says how many keys a unit may have: each unit spreads one over all of its keys.

A unit with d keys adds `weight(norm, d)` parts to each of them, so that what it adds has a norm of one, whole: 1/d to
each in L1, 1/√d in L2 (Gopi, Gulhane, Kulkarni, Shen, Shokouhi, Yekhanin 2020, *Differentially private set union*,
section 4; all keys at once and none after another, so that the engine can do it). Keys whose noisy weight reaches a
threshold are told.

A unit alone with some keys gives each the less the more it has, and there are more that could come out. What δ pays for
is the worst number of them, up to `MOST_LONELY`: a unit that has more adds nothing at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise import (
    LARGEST,
    Distribution,
    Noise,
    add_noise,
    gaussian,
    laplace_for_rho,
    spread_pairs,
)
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown
from dpproxy.mechanisms.tails import least, tail
from dpproxy.remembered import remembered

WHOLE = 2**20
"""Into how many parts one unit is cut."""
MOST_LONELY = 4096


def weight(norm: Norm, keys: int) -> int:
    """How many parts a unit adds to each of its keys.

    Claim: its norm over all of them is at most WHOLE. Because: d·(WHOLE/d) and √(d·(WHOLE/√d)²) are, and it is cut off.
    Checked by: tests/test_spread_selection.py::test_a_unit_weighs_one_at_most.
    """
    if keys > MOST_LONELY:
        return 0
    match norm:
        case Norm.L1:
            return WHOLE // keys
        case Norm.L2:
            return math.isqrt(WHOLE**2 // keys)
        case _:
            assert_never(norm)


@dataclass(frozen=True, slots=True)
class SpreadSelection(Contract[Sequence[int], dict[int, int]]):
    """Keys whose noisy weight reaches `threshold`, in parts of a unit."""

    norm: Norm
    noise: Noise
    threshold: int

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of weights: one entry stands for the norm of all."""
        return self.noise.sensitivity

    @property
    def tells_keys(self) -> bool:
        """The private ones."""
        return True

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says, with the δ of lonely keys. Raises ValueError for Gaussian noise in pure accounting."""
        return Loss(self.noise.loss(accounting).main, lonely_delta(self.norm, self.noise, self.threshold))

    @property
    def pairs(self) -> Pairs:
        """Of the noise of the others' keys (`spread_pairs`)."""
        return spread_pairs(self.noise)

    def release(self, exact: Sequence[int]) -> dict[int, int]:
        """The keys, by their index in `exact`, whose noisy weight reaches the threshold; with that weight. One without
        any weight is as if it were not there.

        Claim: loses `loss`, if the order of `exact` follows from the keys alone.
        Because: unless a key that one unit has alone comes out, the answer is that of noise over the others' keys; and
        one does with probability `lonely_delta` at most: of a unit with more than MOST_LONELY keys none has any weight
        by it.
        Checked by: tests/test_spread_selection.py::test_lonely_keys_come_out_as_delta_says,
        ::test_a_key_without_weight_never_comes_out.
        """
        noisy = add_noise(self.noise, exact)
        return {
            index: told
            for index, (weighed, told) in enumerate(zip(exact, noisy, strict=True))
            if weighed > 0 and told >= self.threshold
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
        return described_weights(self.noise.described(1 / WHOLE, unit), self.norm, self.threshold, unit)


def described_weights(noise: Description, norm: Norm, threshold: int, unit: str) -> Description:
    """Weights of that norm with such noise, and a threshold in parts of a unit."""
    units = threshold / WHOLE
    text = f"each {unit} spreads one over its keys ({norm.value}), {noise.text}, threshold {shown(units)} {unit}s"
    return Description(noise.name, "Key selection", text, {**noise.facts, "Norm": norm.value, "Threshold": units})


def spread_laplace(rho: Decimal, delta: Decimal) -> SpreadSelection:
    """Selection by weights of L1 norm one and discrete Laplace noise, for a share of ρ, and of δ. (In pure accounting
    the noise is truncated: `truncated_selection`.)

    Claim: `release` of the result is delta-approximately rho-zCDP.
    Because: the weights of the others' keys move by WHOLE at most in the norm that the noise is made for; δ is that of
    lonely keys. Checked by: tests/test_spread_selection.py.
    Raises ValueError where a share is not above 0, or no threshold of 62 bits will do.
    """
    return _thresholded(Norm.L1, laplace_for_rho(Sensitivity(1, WHOLE), rho), delta)


def spread_gaussian(norm: Norm, rho: Decimal, delta: Decimal) -> SpreadSelection:
    """As `spread_laplace`, by weights of norm one and discrete Gaussian noise: what is one in L1 is no more in L2."""
    return _thresholded(norm, gaussian(Sensitivity(1, WHOLE), rho), delta)


@remembered(4096)
def lonely_delta(norm: Norm, noise: Noise, threshold: int) -> Decimal:
    """At most the probability that some key held by one unit alone reaches `threshold`; on the grid, at most 1.

    Claim: >= P(some of the keys that a unit has alone reaches the threshold), for any of up to MOST_LONELY keys.
    Because: L2: a unit has d keys with weight(d) each. Numbers of keys are taken together from each power of two to the
    next: fewer than twice as many keys as at its beginning, none with more weight than there. L1: keys may add up to
    private parts of any weights w with Σw <= WHOLE. Where noise is above 0 its tail is convex, so that the sum of
    chances is largest at a corner: one part with all of it, the others with nothing. Then the union bound, and `tail`
    is not below the chance of one.
    Checked by: tests/test_spread_selection.py::test_lonely_delta_is_not_below_the_exact_sums.
    """
    if threshold <= WHOLE:
        return Decimal(1)
    match norm:
        case Norm.L1:
            worst = _beyond(noise, threshold - WHOLE) + (MOST_LONELY - 1) * _beyond(noise, threshold)
        case Norm.L2:
            firsts = (2**power for power in range(MOST_LONELY.bit_length()))
            worst = max(
                min(2 * first - 1, MOST_LONELY) * _beyond(noise, threshold - weight(norm, first)) for first in firsts
            )
        case _:
            assert_never(norm)
    return min(Decimal(1), charged(worst))


def _beyond(noise: Noise, at: int) -> Fraction:
    return Fraction(tail(noise.distribution, noise.scale, at))


@remembered(1024)
def _thresholded(norm: Norm, noise: Noise, delta: Decimal) -> SpreadSelection:
    if not delta > 0 or lonely_delta(norm, noise, LARGEST) > delta:
        raise ValueError(f"no threshold keeps key selection to a delta of {delta}")
    guess = WHOLE + _guessed(noise, delta)
    threshold = least(lambda at: lonely_delta(norm, noise, at) <= delta, guess, WHOLE, LARGEST)
    return SpreadSelection(norm, noise, threshold)


def _guessed(noise: Noise, delta: Decimal) -> int:
    """About how far noise reaches with that chance; nothing leans on it but the time."""
    far = math.log(1 / float(delta))
    match noise.distribution:
        case Distribution.LAPLACE:
            return round(noise.scale * far)
        case Distribution.GAUSSIAN:
            return round(noise.scale * math.sqrt(2 * far))
        case _:
            assert_never(noise.distribution)
