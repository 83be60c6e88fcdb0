"""Additive noise: discrete Laplace and Gaussian over integers, built and sampled by OpenDP from the system's entropy.

A scale is never computed and trusted: a guess is built, the built measurement says what it loses, and the guess grows,
one float at a time, until that is no more than the share it was made for.

Whole numbers go in and come out, at most 2**62 in size going in (`LARGEST`): further ones are clamped, which moves no
two inputs apart. Results saturate at the ends of 64 bits, or of 63 where few have noise that was drawn ahead, which is
post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import Enum
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Final, assert_never

import numpy as np
from numpy.typing import NDArray
from opendp import domains, measurements, metrics
from opendp.mod import enable_features

from dpproxy.accounting.concentrated import laplace_scale, rho_of_laplace
from dpproxy.accounting.dominating_pairs import GaussianPair, LaplacePair, Pairs, PurePair
from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Draws, Error
from dpproxy.mechanisms.drawn_ahead import DrawnAhead, noised
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown
from dpproxy.remembered import remembered

enable_features("contrib")

LARGEST = 2**62
_SMALLEST = 1e-6
_FEW: Final = 8
"""Totals whose noise is drawn ahead. To draw that of more takes longer than the way there and back."""
_DIGITS = Context(prec=80)


_NORMAL: Final = NormalDist()
_NORMAL_95: Final = 1.959963984540054
_NARROW: Final = 64.0
"""The scale of a Gaussian up to which its tails are summed up."""
_FAR: Final = 40
"""Scales from 0, beyond which a Gaussian has nothing that doubles could tell."""


class Distribution(Enum):
    """Exact discrete noise over the integers (Canonne, Kamath, Steinke 2020)."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"


@dataclass(frozen=True, slots=True)
class Noise(Contract[Sequence[int], list[int]]):
    """Discrete noise of one measure, in grid steps. For Laplace the standard deviation is about scale times √2."""

    distribution: Distribution
    scale: float
    sensitivity: Sensitivity

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of totals."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """It changes numbers alone."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says. Raises ValueError for Gaussian noise in pure accounting: no ε bounds it."""
        return _loss(self, accounting)

    @property
    def pairs(self) -> Pairs:
        """One for each entry that one unit moves. Because: noise of entries is independent, and either distribution is
        logarithmically concave: a shift by more steps dominates one by less."""
        made_for = self.sensitivity
        if self._is_laplace:
            return ((LaplacePair(self.scale, made_for.linf), made_for.l0),)
        return ((GaussianPair(self.scale, made_for.l0 * made_for.linf**2), 1),)

    def release(self, exact: Sequence[int]) -> list[int]:
        """The totals, each with noise of its own (`add_noise`); of few totals, noise that was drawn ahead."""
        if len(exact) > _FEW:
            return add_noise(self, exact)
        return list(map(noised, _within(exact), _AHEAD.take((self.distribution, self.scale), len(exact))))

    @property
    def stddev(self) -> float:
        """Standard deviation in grid steps, of the continuous form (the discrete one is smaller)."""
        return self.scale * (math.sqrt(2) if self._is_laplace else 1)

    @property
    def error(self) -> Error:
        """Of each total, of the continuous form."""
        return Error(self.stddev, self.scale * (math.log(20) if self._is_laplace else _NORMAL_95))

    @property
    def total_noise(self) -> Noise:
        """Itself."""
        return self

    def reach(self, outside: float) -> float:
        """The least t >= 0 with P(|Z| > t) <= 2 · outside, for 0 < outside <= 1/2.

        Claim: so says the discrete noise itself where its scale is small; beyond, it is rounded away from 0.
        Because: P(Z >= t) of discrete Laplace noise is e^(−t/s) / (1 + e^(−1/s)); a Gaussian's is summed up, and that
        of a wide one is the integral's from t − 1/2 on, to much less than the grid of what reads it.
        Checked by: tests/test_error_bars.py::test_a_quantile_is_that_of_the_discrete_noise.
        """
        scale = self.scale
        match self.distribution:
            case Distribution.LAPLACE:
                first = -scale * math.log(outside * (1 + math.exp(-1 / scale)))
                return float(max(0, math.ceil(first - 1e-9) - 1))
            case Distribution.GAUSSIAN if scale > _NARROW:
                return float(max(0, math.ceil(-scale * _NORMAL.inv_cdf(outside) - 0.5)))
            case Distribution.GAUSSIAN:
                return float(np.count_nonzero(_tails(scale) > outside))
            case _:
                assert_never(self.distribution)

    @property
    def parts(self) -> tuple[Noise]:
        """Itself."""
        return (self,)

    def made_of(self, draws: Sequence[Draws]) -> Draws:
        """The draw itself."""
        (own,) = draws
        return own

    @property
    def _is_laplace(self) -> bool:
        return self.distribution is Distribution.LAPLACE

    def described(self, step: float, unit: str) -> Description:
        """Which noise, and how much."""
        del unit
        name, stddev = self.distribution.value, self.stddev * step
        facts = {"Mechanism": name, "Scale": self.scale, "Standard Deviation": stddev}
        return Description(name, "Measure", f"{name}, standard deviation {shown(stddev)}", facts)


def laplace(sensitivity: Sensitivity, loss: Decimal) -> Noise:
    """Discrete Laplace noise of the smallest scale that is `loss`-differentially private.

    Claim: add_noise with the result is ε-differentially private, ε = loss, for vectors that one unit moves within
    `sensitivity`.
    Because: OpenDP's map of the built measurement at l1 is at most `loss` (its proof: Canonne, Kamath, Steinke 2020).
    Checked by: tests/test_mechanisms.py::test_noise_keeps_to_its_share, ::test_laplace_fits.

    Raises ValueError where `loss` is not above 0 or one unit's l1 passes 2**62.
    """
    return _calibrated(Distribution.LAPLACE, sensitivity, Accounting.PURE, loss)


def laplace_for_rho(sensitivity: Sensitivity, rho: Decimal) -> Noise:
    """Discrete Laplace noise of the smallest scale that is `rho`-zero-concentrated.

    Claim: add_noise with the result is rho-zCDP for vectors that one unit moves within `sensitivity`.
    Because: `rho_of_laplace`, whose rate is OpenDP's map of one step.
    Checked by: tests/test_mechanisms.py::test_noise_keeps_to_its_share.

    Raises ValueError as `laplace`.
    """
    return _calibrated(Distribution.LAPLACE, sensitivity, Accounting.ZCDP, rho)


def gaussian(sensitivity: Sensitivity, rho: Decimal) -> Noise:
    """Discrete Gaussian noise of the smallest scale that is `rho`-zero-concentrated.

    Claim: add_noise with the result is rho-zCDP for vectors that one unit moves within `sensitivity`.
    Because: OpenDP's map of the built measurement at l2 is at most `rho` (its proof: Canonne, Kamath, Steinke 2020).
    Checked by: tests/test_mechanisms.py::test_noise_keeps_to_its_share, ::test_gaussian_fits.

    Raises ValueError as `laplace`.
    """
    return _calibrated(Distribution.GAUSSIAN, sensitivity, Accounting.ZCDP, rho)


def scale_loss(
    distribution: Distribution, scale: float, linf: int, l1: int, l2: float, accounting: Accounting
) -> Decimal:
    """ε or ρ of noise of that scale for vectors that one unit moves by at most linf in an entry, l1 in sum and l2 in
    Euclidean distance.

    Raises ValueError for Gaussian noise in pure accounting.
    """
    measurement = _measurement(distribution, scale)
    match distribution:
        case Distribution.LAPLACE:
            if accounting is Accounting.PURE:
                return charged(measurement.map(l1))
            return rho_of_laplace(Fraction(measurement.map(1)), linf, l1)
        case Distribution.GAUSSIAN:
            if accounting is Accounting.PURE:
                raise ValueError("Gaussian noise has no finite loss in pure accounting")
            return charged(measurement.map(l2))
        case _:
            assert_never(distribution)


def add_noise(noise: Noise, totals: Sequence[int]) -> list[int]:
    """`totals`, each with noise of its own, in the same order.

    Claim: the result loses `noise.loss` for vectors that one unit moves within `noise.sensitivity`.
    Because: clamping to ±2**62 moves no two vectors apart; the rest is OpenDP's measurement.
    Checked by: tests/test_mechanisms.py::test_laplace_fits, ::test_extreme_totals_saturate.
    """
    return list(_measurement(noise.distribution, noise.scale)(_within(totals)))


def _within(totals: Sequence[int]) -> list[int]:
    return [max(-LARGEST, min(LARGEST, total)) for total in totals]


def spread_pairs(noise: Noise) -> Pairs:
    """Of noise over a vector that one unit moves by l1 and l2 at most, in however many entries.

    Because: a Gaussian's pair knows no entries, only l2; how Laplace noise is moved in which entries is not known, so
    that it is any mechanism of its ε.
    """
    match noise.distribution:
        case Distribution.GAUSSIAN:
            return noise.pairs
        case Distribution.LAPLACE:
            return ((PurePair(noise.loss(Accounting.PURE).main), 1),)
        case _:
            assert_never(noise.distribution)


def checked(sensitivity: Sensitivity) -> Sensitivity:
    """`sensitivity` with both numbers at least 1, so that there always is noise.

    Raises ValueError where one unit could move the vector by more than 2**62 in sum: the measure needs closer bounds
    or a coarser step.
    """
    positive = Sensitivity(max(sensitivity.l0, 1), max(sensitivity.linf, 1))
    if positive.l1 > LARGEST:
        raise ValueError(f"one unit could move the sum by {positive.l1} grid steps, more than 2**62")
    return positive


def smallest_scale(loss: Callable[[float], Decimal], share: Decimal, guess: Fraction) -> float:
    """The first float from just below `guess` on whose `loss` is at most `share`.

    Never below 1e-6, where the noise is 0 but once in e^1000000 times. Raises ValueError where no finite scale will do.
    """
    scale = max(float(guess) * (1 - 2**-51), _SMALLEST)
    while math.isfinite(scale) and loss(scale) > share:
        scale = math.nextafter(scale, math.inf)
    if not math.isfinite(scale):
        raise ValueError(f"no noise of finite scale keeps to a loss of {share}")
    return scale


def guessed_scale(
    distribution: Distribution, linf: int, l1: int, l2: float, accounting: Accounting, share: Decimal
) -> Fraction:
    """Where to start looking for a scale: l1/ε, what `laplace_scale` finds, or l2/√(2ρ). Raises ValueError where
    `share` is not above 0."""
    if not share > 0:
        raise ValueError(f"the share of the loss must be above 0, it is {share}")
    match distribution:
        case Distribution.LAPLACE:
            if accounting is Accounting.PURE:
                return l1 / Fraction(share)
            return Fraction(laplace_scale(share, linf, l1))
        case Distribution.GAUSSIAN:
            return Fraction(l2) / Fraction(_DIGITS.sqrt(_DIGITS.multiply(2, share)))


@remembered(4096)
def _loss(noise: Noise, accounting: Accounting) -> Loss:
    made_for = noise.sensitivity
    moved = made_for.linf, made_for.l1, made_for.l2
    return Loss(scale_loss(noise.distribution, noise.scale, *moved, accounting), ZERO.delta)


@remembered(4096)
def _calibrated(distribution: Distribution, sensitivity: Sensitivity, accounting: Accounting, share: Decimal) -> Noise:
    safe = checked(sensitivity)
    moved = safe.linf, safe.l1, safe.l2
    guess = guessed_scale(distribution, *moved, accounting, share)
    scale = smallest_scale(lambda scale: scale_loss(distribution, scale, *moved, accounting), share, guess)
    return Noise(distribution, scale, safe)


@remembered(256)
def _tails(scale: float) -> NDArray[np.float64]:
    """P(Z > t) for t = 0, 1 … of a discrete Gaussian."""
    sizes = np.arange(math.ceil(scale * _FAR) + 2, dtype=np.float64)
    weights = np.exp(-(sizes**2) / (2 * scale**2))
    return np.asarray((weights[::-1].cumsum()[::-1] - weights) / (2 * weights.sum() - 1))


@remembered(1024)
def _measurement(distribution: Distribution, scale: float) -> Any:
    domain = domains.vector_domain(domains.atom_domain(T="i64"))
    match distribution:
        case Distribution.LAPLACE:
            return measurements.make_laplace(domain, metrics.l1_distance(T="i64"), scale=scale)
        case Distribution.GAUSSIAN:
            return measurements.make_gaussian(domain, metrics.l2_distance(T="f64"), scale=scale)


def _draw(kind: tuple[Distribution, float], count: int) -> list[int]:
    """Noise by itself: that of totals which are 0."""
    return list(_measurement(*kind)([0] * count))


_AHEAD: Final = DrawnAhead(_draw)
