"""Partition selection: which private keys may be named at all.

Each key's number of units gets noise, and keys that reach a threshold are released. The noise is OpenDP's; the
threshold, and the δ it costs, are computed here from a closed form. (OpenDP's own threshold measurements are not used:
as of 0.16 they release at the threshold but count only what lies above it, so that their δ is too small.)

A key that nobody holds is not in the input. So a unit alone with a key reveals itself if its key comes out at all:
that is the event which δ pays for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from dpproxy.accounting.loss import Accounting, charged
from dpproxy.mechanisms.model import Distribution, Noise, Selection, Sensitivity
from dpproxy.mechanisms.noise import LARGEST, add_noise, checked, guessed_scale, scale_loss, smallest_scale

_OUTWARD = 1 + 1e-9
_TINY = 1e-300


def laplace_selection(l0: int, l1: int, linf: int, epsilon: Decimal, delta: Decimal) -> Selection:
    """Selection by discrete Laplace noise: the smallest scale for `epsilon`, then the smallest threshold for `delta`.

    One unit counts in at most l0 keys, at most linf in each, at most l1 in all.

    Claim: `select` with the result is (epsilon, delta)-differentially private.
    Because: call a key lonely if only this one unit holds it. Unless a lonely key comes out, the answer is that of
    noise over the keys of the others, which is epsilon-private by l1; and one does with probability at most
    l0·P(linf + Z >= threshold) <= delta (Rogers 2023).
    Checked by: tests/test_mechanisms.py::test_selection_keeps_to_its_share, ::test_lonely_keys_come_out_as_delta_says.

    Raises ValueError where a share is not above 0, or no threshold of 62 bits will do.
    """
    return _calibrated(Distribution.LAPLACE, Sensitivity(l0, linf), l1, Accounting.PURE, epsilon, delta)


def laplace_selection_for_rho(l0: int, l1: int, linf: int, rho: Decimal, delta: Decimal) -> Selection:
    """As `laplace_selection`, for a share of ρ.

    Claim: `select` with the result is delta-approximately rho-zCDP.
    Because: as `laplace_selection`, and ε-differential privacy implies ε²/2-zCDP (Bun, Steinke 2016).
    Checked by: tests/test_mechanisms.py::test_selection_keeps_to_its_share.

    Raises ValueError as `laplace_selection`.
    """
    return _calibrated(Distribution.LAPLACE, Sensitivity(l0, linf), l1, Accounting.ZCDP, rho, delta)


def gaussian_selection(l0: int, l1: int, linf: int, rho: Decimal, delta: Decimal) -> Selection:
    """As `laplace_selection`, by discrete Gaussian noise.

    Claim: `select` with the result is delta-approximately rho-zCDP.
    Because: as `laplace_selection`, and the counts of the others' keys move by Σx² <= linf·min(l1, l0·linf).
    Checked by: tests/test_mechanisms.py::test_selection_keeps_to_its_share, ::test_lonely_keys_come_out_as_delta_says.

    Raises ValueError as `laplace_selection`.
    """
    return _calibrated(Distribution.GAUSSIAN, Sensitivity(l0, linf), l1, Accounting.ZCDP, rho, delta)


def selection_loss(selection: Selection, accounting: Accounting) -> tuple[Decimal, Decimal]:
    """What the built selection loses: ε or ρ, and δ; both rounded up to the grid.

    Raises ValueError for Gaussian noise in pure accounting.
    """
    noise = selection.noise
    main = scale_loss(noise.distribution, noise.scale, selection.l1, selection.l2, accounting)
    return main, lonely_delta(noise, selection.threshold)


def select(selection: Selection, counts: Sequence[int]) -> dict[int, int]:
    """The keys, by their index in `counts`, whose noisy number of units reaches the threshold; with that number.

    Claim: loses selection_loss(selection, ·), if the order of `counts` follows from the keys alone.
    Because: see `laplace_selection`; what a key's noisy number is compared with, and the number itself, is
    post-processing of it.
    Checked by: tests/test_mechanisms.py::test_lonely_keys_come_out_as_delta_says.
    """
    noisy = add_noise(selection.noise, counts)
    return {index: count for index, count in enumerate(noisy) if count >= selection.threshold}


def lonely_delta(noise: Noise, threshold: int) -> Decimal:
    """At most the probability that some key held by one unit alone reaches `threshold`; on the grid, at most 1.

    Claim: >= P(some of l0 independent linf + Z reaches the threshold).
    Because: the union bound over l0 keys.
    Checked by: tests/test_mechanisms.py::test_lonely_delta_is_not_below_the_exact_sum.
    """
    above = threshold - noise.sensitivity.linf
    if above < 1:
        return Decimal(1)
    return min(Decimal(1), charged(noise.sensitivity.l0 * Fraction(tail(noise.distribution, noise.scale, above))))


def tail(distribution: Distribution, scale: float, at: int) -> float:
    """At least P(Z >= at) for discrete noise Z of that scale, `at` >= 1. Within 1e-9 of it for Laplace.

    Because: Laplace: the geometric sum e^(−at/s)/(1 + e^(−1/s)). Gaussian, with f(k) = e^(−k²/2σ²): the sum of f from
    `at` on is at most f(at) + ∫f from there, and the sum over all integers is at least σ√2π (Poisson's summation) and
    at least f(−1) + f(0) + f(1). Floats err by less than 1e-12 here, so a factor of 1 + 1e-9 is outward.
    Checked by: tests/test_mechanisms.py::test_lonely_delta_is_not_below_the_exact_sum.
    """
    ratio = at / scale
    match distribution:
        case Distribution.LAPLACE:
            chance = math.exp(-ratio) / (1 + math.exp(-1 / scale))
        case Distribution.GAUSSIAN:
            width = scale * math.sqrt(2 * math.pi)
            beyond = math.exp(-ratio * ratio / 2) + width * math.erfc(ratio / math.sqrt(2)) / 2
            chance = beyond / max(width, 1 + 2 * math.exp(-1 / scale / scale / 2))
    return min(1.0, max(_TINY, chance * _OUTWARD))


@lru_cache(maxsize=1024)
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
    guess = guessed_scale(distribution, draft.l1, draft.l2, accounting, share)
    scale = smallest_scale(lambda scale: scale_loss(distribution, scale, draft.l1, draft.l2, accounting), share, guess)
    noise = Noise(distribution, scale, safe)
    return Selection(noise, draft.l1, _smallest_threshold(noise, delta))


def _smallest_threshold(noise: Noise, delta: Decimal) -> int:
    low, high = noise.sensitivity.linf, LARGEST
    if not delta > 0 or lonely_delta(noise, high) > delta:
        raise ValueError(f"no threshold keeps key selection to a delta of {delta}")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if lonely_delta(noise, middle) <= delta else (middle, high)
    return high
