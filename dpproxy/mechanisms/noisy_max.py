"""Report noisy max: which of some public keys has the largest total, and nothing else of the totals.

Each total gets noise, the place of the largest is told, and the noise is thrown away: one choice has one price, however
many keys there are. The noise is OpenDP's, of infinite precision: exponential under pure accounting, which draws as
permute-and-flip does (McKenna, Sheldon 2020; Ding, Kifer, Steinke, Wang, Zhang 2021), Gumbel under zCDP, which draws as
the exponential mechanism does (McSherry, Talwar 2007; Durfee, Rogers 2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final, assert_never

from opendp import domains, measurements, measures, metrics

from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise import LARGEST, checked, smallest_scale
from dpproxy.mechanisms.remembered import remembered
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown

_DIGITS: Final = Context(prec=80)
_MISSED: Final = 0.05


class ScoreNoise(Enum):
    """What each total gets before the largest is looked for."""

    EXPONENTIAL = "exponential"
    GUMBEL = "Gumbel"


@dataclass(frozen=True, slots=True)
class NoisyMax(Contract[int | None]):
    """The place of the largest total, found with noise of `scale`.

    one_sided: all totals that one unit's leaving moves, it moves the same way: they count, or add what has one sign.
    among: how many keys there are, where the plan knows.
    """

    noise: ScoreNoise
    scale: float
    sensitivity: Sensitivity
    one_sided: bool
    among: int | None = None

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of totals. How many of them move does not matter."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """One of them."""
        return True

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says. Raises ValueError for Gumbel noise in pure accounting, where it is not what is made."""
        return Loss(_scale_loss(self.noise, self.scale, self.sensitivity.linf, self.one_sided, accounting), ZERO.delta)

    def release(self, exact: Sequence[int]) -> int | None:
        """The place of the largest; None where there is no total at all.

        Claim: loses `loss`, if how many totals there are, and in which order, is known beforehand.
        Because: clamping to ±2**62 moves no two vectors further apart, nor apart in another direction; the rest is
        OpenDP's measurement.
        Checked by: tests/test_noisy_max.py.
        """
        within = [max(-LARGEST, min(LARGEST, total)) for total in exact]
        return int(_measurement(self.noise, self.scale, self.one_sided)(within)) if within else None

    @property
    def error(self) -> Error | None:
        """How far the chosen total may lie below the largest: no further but with a chance of 5 %, among m keys.

        Claim: P(largest − chosen > scale·log(m/0.05)) <= 0.05.
        Because: a key that far below is chosen by the exponential mechanism with a chance of 0.05/m at most, and there
        are m (McSherry, Talwar 2007); permute-and-flip is never worse (McKenna, Sheldon 2020, theorem 2).
        Checked by: tests/test_noisy_max.py::test_it_seldom_misses_by_more_than_it_says.
        """
        return None if self.among is None else Error(None, self.scale * math.log(max(self.among, 1) / _MISSED))

    def described(self, step: float, unit: str) -> Description:
        """One choice, and how wrong it may be."""
        del unit
        text = f"noisy max by {self.noise.value} noise of scale {shown(self.scale * step)}: charged as one choice, "
        text += "which tells the key of the largest and nothing else"
        facts: dict[str, object] = {"Mechanism": "noisy max", "Noise": self.noise.value, "Scale": self.scale}
        if self.error is not None:
            below = self.error.half_width * step
            text += f"; below the largest by {shown(below)} at most in 95 of 100 cases"
            facts["Below the Largest"] = below
        return Description("noisy max", "Choice by", text, facts)


def noisy_max(
    sensitivity: Sensitivity, one_sided: bool, accounting: Accounting, loss: Decimal, among: int | None = None
) -> NoisyMax:
    """The choice of the smallest scale that loses at most `loss`: ε, or ρ.

    Claim: `release` of the result is ε-differentially private, or ρ-zCDP, for totals of which one unit moves each by at
    most linf, and where `one_sided` all of them the same way.
    Because: OpenDP's map of the built measurement at linf is at most `loss`: linf/scale, twice that where totals move
    both ways, for permute-and-flip; and for the exponential mechanism, whose range is bounded by that η, ρ = η²/8
    (Cesar, Rogers 2021, lemma 3.2).
    Checked by: tests/test_noisy_max.py::test_it_keeps_to_its_share, ::test_it_draws_as_it_should.

    Raises ValueError where `loss` is not above 0 or linf passes 2**62.
    """
    return _calibrated(sensitivity, one_sided, accounting, loss, among)


@remembered(1024)
def _calibrated(
    sensitivity: Sensitivity, one_sided: bool, accounting: Accounting, share: Decimal, among: int | None
) -> NoisyMax:
    if not share > 0:
        raise ValueError(f"the share of the loss must be above 0, it is {share}")
    linf = checked(Sensitivity(1, sensitivity.linf)).linf
    noise = ScoreNoise.EXPONENTIAL if accounting is Accounting.PURE else ScoreNoise.GUMBEL
    spread = Fraction(share) if accounting is Accounting.PURE else Fraction(_DIGITS.sqrt(_DIGITS.multiply(8, share)))
    guess = linf * (1 if one_sided else 2) / spread
    scale = smallest_scale(lambda scale: _scale_loss(noise, scale, linf, one_sided, accounting), share, guess)
    return NoisyMax(noise, scale, Sensitivity(max(sensitivity.l0, 1), linf), one_sided, among)


@remembered(4096)
def _scale_loss(noise: ScoreNoise, scale: float, linf: int, one_sided: bool, accounting: Accounting) -> Decimal:
    loss = Fraction(_measurement(noise, scale, one_sided).map(linf))
    match noise:
        case ScoreNoise.EXPONENTIAL:
            return charged(loss if accounting is Accounting.PURE else loss**2 / 2)
        case ScoreNoise.GUMBEL:
            if accounting is Accounting.PURE:
                raise ValueError("a choice by Gumbel noise is made for zCDP")
            return charged(loss)
        case _:
            assert_never(noise)


@remembered(1024)
def _measurement(noise: ScoreNoise, scale: float, one_sided: bool) -> Any:
    domain = domains.vector_domain(domains.atom_domain(T="i64"))
    metric = metrics.linf_distance(T="i64", monotonic=one_sided)
    match noise:
        case ScoreNoise.EXPONENTIAL:
            return measurements.make_noisy_max(domain, metric, measures.max_divergence(), scale=scale)
        case ScoreNoise.GUMBEL:
            return measurements.make_noisy_max(domain, metric, measures.zero_concentrated_divergence(), scale=scale)
        case _:
            assert_never(noise)
