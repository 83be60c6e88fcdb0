"""Discrete Laplace and Gaussian noise over integers, built and sampled by OpenDP from the operating system's entropy.

A scale is never computed and trusted: a guess is built, the built measurement says what it loses, and the guess grows,
one float at a time, until that is no more than the share it was made for.

Whole numbers go in and come out, at most 2**62 in size going in (`LARGEST`): further ones are clamped, which moves no
two inputs apart. Results saturate at the ends of 64 bits, which is post-processing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from opendp import domains, measurements, metrics
from opendp.mod import enable_features

from dpproxy.accounting.loss import Accounting, charged
from dpproxy.mechanisms.model import Distribution, Noise, Sensitivity

enable_features("contrib")

LARGEST = 2**62
_SMALLEST = 1e-6
_DIGITS = Context(prec=80)


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
    Because: ε-differential privacy implies ε²/2-zCDP (Bun, Steinke 2016, proposition 1.4), and ε is OpenDP's map.
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


def noise_loss(noise: Noise, accounting: Accounting) -> Decimal:
    """What the built mechanism itself says it loses at its sensitivity: ε or ρ, rounded up to the grid.

    Raises ValueError for Gaussian noise in pure accounting: no ε bounds it.
    """
    return scale_loss(noise.distribution, noise.scale, noise.sensitivity.l1, noise.sensitivity.l2, accounting)


def scale_loss(distribution: Distribution, scale: float, l1: int, l2: float, accounting: Accounting) -> Decimal:
    """ε or ρ of noise of that scale for vectors that one unit moves by at most l1 in sum and l2 in Euclidean distance.

    Raises ValueError for Gaussian noise in pure accounting.
    """
    measurement = _measurement(distribution, scale)
    match distribution, accounting:
        case Distribution.LAPLACE, Accounting.PURE:
            return charged(measurement.map(l1))
        case Distribution.LAPLACE, Accounting.ZCDP:
            return charged(Fraction(measurement.map(l1)) ** 2 / 2)
        case Distribution.GAUSSIAN, Accounting.ZCDP:
            return charged(measurement.map(l2))
        case _:
            raise ValueError("Gaussian noise has no finite loss in pure accounting")


def add_noise(noise: Noise, totals: Sequence[int]) -> list[int]:
    """`totals`, each with noise of its own, in the same order.

    Claim: the result loses noise_loss(noise, ·) for vectors that one unit moves within `noise.sensitivity`.
    Because: clamping to ±2**62 moves no two vectors apart; the rest is OpenDP's measurement.
    Checked by: tests/test_mechanisms.py::test_laplace_fits, ::test_extreme_totals_saturate.
    """
    within = [max(-LARGEST, min(LARGEST, total)) for total in totals]
    return list(_measurement(noise.distribution, noise.scale)(within))


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


def guessed_scale(distribution: Distribution, l1: int, l2: float, accounting: Accounting, share: Decimal) -> Fraction:
    """Where to start looking for a scale: l1/ε or l2/√(2ρ). Raises ValueError where `share` is not above 0."""
    if not share > 0:
        raise ValueError(f"the share of the loss must be above 0, it is {share}")
    root = Fraction(_DIGITS.sqrt(_DIGITS.multiply(2, share)))
    match distribution:
        case Distribution.LAPLACE:
            return l1 / (Fraction(share) if accounting is Accounting.PURE else root)
        case Distribution.GAUSSIAN:
            return Fraction(l2) / root


@lru_cache(maxsize=4096)
def _calibrated(distribution: Distribution, sensitivity: Sensitivity, accounting: Accounting, share: Decimal) -> Noise:
    safe = checked(sensitivity)
    guess = guessed_scale(distribution, safe.l1, safe.l2, accounting, share)
    scale = smallest_scale(lambda scale: scale_loss(distribution, scale, safe.l1, safe.l2, accounting), share, guess)
    return Noise(distribution, scale, safe)


@lru_cache(maxsize=1024)
def _measurement(distribution: Distribution, scale: float) -> Any:
    domain = domains.vector_domain(domains.atom_domain(T="i64"))
    match distribution:
        case Distribution.LAPLACE:
            return measurements.make_laplace(domain, metrics.l1_distance(T="i64"), scale=scale)
        case Distribution.GAUSSIAN:
            return measurements.make_gaussian(domain, metrics.l2_distance(T="f64"), scale=scale)
