"""Partition selection: which private keys may be named at all.

Each key's number of units gets noise, and keys that reach a threshold are released. The noise is OpenDP's; the
threshold, and the δ it costs, are computed here from a closed form. (OpenDP's own threshold measurements are not used:
as of 0.16 they release at the threshold but count only what lies above it, so that their δ is too small.)

A key that nobody holds is not in the input. So a unit alone with a key reveals itself if its key comes out at all:
that is the event which δ pays for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.accounting.dominating_pairs import GaussianPair, Pairs, PurePair
from dpproxy.accounting.loss import Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise import (
    LARGEST,
    Distribution,
    Noise,
    add_noise,
    checked,
    guessed_scale,
    scale_loss,
    smallest_scale,
)
from dpproxy.mechanisms.sensitivity import Sensitivity, root_above
from dpproxy.mechanisms.tails import guessed, least, tail
from dpproxy.remembered import remembered


@dataclass(frozen=True, slots=True)
class Selection(Contract[Sequence[int], dict[int, int]]):
    """Partition selection: keys whose noisy number of units reaches `threshold` are released (Rogers 2023).

    `noise.sensitivity` is of the vector of units per key: l0 keys, each by linf, and at most `l1` in sum.
    """

    noise: Noise
    l1: int
    threshold: int

    @property
    def square(self) -> int:
        """At most this in sum of squares: Σx² <= max|x|·Σ|x|."""
        sensitivity = self.noise.sensitivity
        return min(sensitivity.l0 * sensitivity.linf**2, self.l1 * sensitivity.linf)

    @property
    def moved(self) -> tuple[int, int, float]:
        """By how much one unit moves the vector: in an entry, in sum, and in Euclidean distance, rounded up."""
        return self.noise.sensitivity.linf, self.l1, root_above(self.square)

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of units per key."""
        return self.noise.sensitivity

    @property
    def tells_keys(self) -> bool:
        """The private ones."""
        return True

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says, with the δ of lonely keys. Raises ValueError for Gaussian noise in pure accounting."""
        return _loss(self, accounting)

    @property
    def pairs(self) -> Pairs:
        """Of the noise of the others' keys. Where several share a private part, how a unit's moves are spread is not
        known: Laplace noise is then any mechanism of its ε."""
        noise = self.noise
        match noise.distribution:
            case Distribution.GAUSSIAN:
                return ((GaussianPair(noise.scale, self.square), 1),)
            case Distribution.LAPLACE:
                if self.l1 == noise.sensitivity.l1:
                    return noise.pairs
                return ((PurePair(_loss(self, Accounting.PURE).main), 1),)
            case _:
                assert_never(noise.distribution)

    def release(self, exact: Sequence[int]) -> dict[int, int]:
        """The keys, by their index in `exact`, whose noisy number of units reaches the threshold; with that number.

        Claim: loses `loss`, if the order of `exact` follows from the keys alone.
        Because: see `laplace_selection`; what a key's noisy number is compared with, and the number itself, is
        post-processing of it.
        Checked by: tests/test_mechanisms.py::test_lonely_keys_come_out_as_delta_says.
        """
        noisy = add_noise(self.noise, exact)
        return {index: count for index, count in enumerate(noisy) if count >= self.threshold}

    @property
    def error(self) -> Error:
        """Of the number of units of a key that is told. That it reached the threshold is not counted."""
        return self.noise.error

    @property
    def total_noise(self) -> Noise:
        """Of the number of units that have a key."""
        return self.noise

    def described(self, step: float, unit: str) -> Description:
        """The noise of the number of units, and the threshold."""
        noise = self.noise.described(step, unit)
        facts = {**noise.facts, "Threshold": self.threshold}
        return Description(noise.name, "Key selection", f"{noise.text}, threshold {self.threshold} {unit}s", facts)


def laplace_selection(l0: int, l1: int, linf: int, epsilon: Decimal, delta: Decimal) -> Selection:
    """Selection by discrete Laplace noise: the smallest scale for `epsilon`, then the smallest threshold for `delta`.

    One unit counts in at most l0 keys, at most linf in each, at most l1 in all.

    Claim: `release` of the result is (epsilon, delta)-differentially private.
    Because: call a key lonely if only this one unit holds it. Unless a lonely key comes out, the answer is that of
    noise over the keys of the others, which is epsilon-private by l1; and one does with probability at most
    l0·P(linf + Z >= threshold) <= delta (Rogers 2023).
    Checked by: tests/test_mechanisms.py::test_selection_keeps_to_its_share, ::test_lonely_keys_come_out_as_delta_says.

    Raises ValueError where a share is not above 0, or no threshold of 62 bits will do.
    """
    return _calibrated(Distribution.LAPLACE, Sensitivity(l0, linf), l1, Accounting.PURE, epsilon, delta)


def laplace_selection_for_rho(l0: int, l1: int, linf: int, rho: Decimal, delta: Decimal) -> Selection:
    """As `laplace_selection`, for a share of ρ.

    Claim: `release` of the result is delta-approximately rho-zCDP.
    Because: as `laplace_selection`, and `accounting.concentrated` for the counts of the others' keys.
    Checked by: tests/test_mechanisms.py::test_selection_keeps_to_its_share.

    Raises ValueError as `laplace_selection`.
    """
    return _calibrated(Distribution.LAPLACE, Sensitivity(l0, linf), l1, Accounting.ZCDP, rho, delta)


def gaussian_selection(l0: int, l1: int, linf: int, rho: Decimal, delta: Decimal) -> Selection:
    """As `laplace_selection`, by discrete Gaussian noise.

    Claim: `release` of the result is delta-approximately rho-zCDP.
    Because: as `laplace_selection`, and the counts of the others' keys move by Σx² <= linf·min(l1, l0·linf).
    Checked by: tests/test_mechanisms.py::test_selection_keeps_to_its_share, ::test_lonely_keys_come_out_as_delta_says.

    Raises ValueError as `laplace_selection`.
    """
    return _calibrated(Distribution.GAUSSIAN, Sensitivity(l0, linf), l1, Accounting.ZCDP, rho, delta)


def lonely_delta(noise: Noise, threshold: int) -> Decimal:
    """At most the probability that some key held by one unit alone reaches `threshold`; on the grid, at most 1.

    Claim: >= P(some of l0 independent linf + Z reaches the threshold).
    Because: the union bound over l0 keys, and `tail` is not below the chance of one; what follows is exact, and rounded
    up to the grid.
    Checked by: tests/test_mechanisms.py::test_lonely_delta_is_not_below_the_exact_sum.
    """
    above = threshold - noise.sensitivity.linf
    if above < 1:
        return Decimal(1)
    return min(Decimal(1), charged(noise.sensitivity.l0 * Fraction(tail(noise.distribution, noise.scale, above))))


@remembered(4096)
def _loss(selection: Selection, accounting: Accounting) -> Loss:
    noise = selection.noise
    main = scale_loss(noise.distribution, noise.scale, *selection.moved, accounting)
    return Loss(main, lonely_delta(noise, selection.threshold))


@remembered(1024)
def _calibrated(
    distribution: Distribution,
    sensitivity: Sensitivity,
    l1: int,
    accounting: Accounting,
    share: Decimal,
    delta: Decimal,
) -> Selection:
    safe = checked(sensitivity)
    draft = Selection(Noise(distribution, 1.0, safe), max(1, min(l1, safe.l1)), 0)
    guess = guessed_scale(distribution, *draft.moved, accounting, share)
    scale = smallest_scale(lambda scale: scale_loss(distribution, scale, *draft.moved, accounting), share, guess)
    noise = Noise(distribution, scale, safe)
    return Selection(noise, draft.l1, _smallest_threshold(noise, delta))


def _smallest_threshold(noise: Noise, delta: Decimal) -> int:
    linf, l0 = noise.sensitivity.linf, noise.sensitivity.l0
    if not delta > 0 or lonely_delta(noise, LARGEST) > delta:
        raise ValueError(f"no threshold keeps key selection to a delta of {delta}")
    guess = linf + guessed(noise.distribution, noise.scale, float(delta) / l0)
    return least(lambda threshold: lonely_delta(noise, threshold) <= delta, guess, linf, LARGEST)
