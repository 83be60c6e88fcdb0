"""Noise for totals at a clip that is chosen privately: how totals are told, what the noise is made for, how it is read.

A total is told in parts of the clip, so that one unit moves it by as much whatever the clip is.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Generic

from dpproxy.accounting.dominating_pairs import Pairs, together
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Contract, Description, Error, Read
from dpproxy.mechanisms.noise import Noise, gaussian, laplace, laplace_for_rho, spread_pairs
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown

PARTS = 2**30
"""Into how many parts a clip is cut: totals are whole numbers of them."""
MOST_KEYS = 2**20


@dataclass(frozen=True, slots=True)
class Clipped:
    """What is told of a measure. clip: τ, in steps. totals: one for each key, in parts of the clip, with noise."""

    clip: Fraction
    totals: tuple[int, ...]

    @property
    def part(self) -> Fraction:
        """A part of the clip, in steps."""
        return self.clip / PARTS


class NoiseAtAClip(Contract[Read, Clipped], Generic[Read]):
    """A choice of a clip, of totals of that norm, and noise for what it leaves."""

    __slots__ = ()
    norm: Norm
    choice: NoisyMax
    noise: Noise

    @property
    @abstractmethod
    def held(self) -> str:
        """What is done to a unit that has more than the clip, in words."""

    @abstractmethod
    def loss_of_clip(self, accounting: Accounting) -> Loss:
        """Of the choice alone."""

    @property
    @abstractmethod
    def pairs_of_clip(self) -> Pairs:
        """Of the choice alone."""

    @property
    def made_for(self) -> Sensitivity:
        """Of the totals in parts of the clip: one entry stands for the norm of all."""
        return self.noise.sensitivity

    @property
    def tells_keys(self) -> bool:
        """It changes numbers alone."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """Of all together. Raises ValueError for Gaussian noise in pure accounting."""
        return self.loss_of_clip(accounting) + self.noise.loss(accounting)

    @property
    def pairs(self) -> Pairs:
        """Of the choice and the noise (`spread_pairs`)."""
        return together((self.pairs_of_clip, spread_pairs(self.noise)))

    @property
    def error(self) -> Error | None:
        """None: it depends on the clip."""
        return None

    def error_at(self, clip: Fraction) -> Error:
        """Of the noise at that clip, in steps. What was clipped away comes to it."""
        size = float(clip / PARTS)
        return Error(self.noise.stddev * size, self.noise.error.half_width * size)

    @property
    def total_noise(self) -> Noise:
        """The noise at the clip, in parts of it."""
        return self.noise

    def described(self, step: float, unit: str) -> Description:
        """The clip, and how much noise it means."""
        del step
        name, choice, stddev = self.noise.distribution.value, self.choice.noise.value, self.noise.stddev / PARTS
        text = f"each {unit} {self.held}, chosen privately ({choice} noisy max); then {name}, standard deviation "
        facts = {"Mechanism": name, "Clip": self.norm.value, "Choice": choice, "Standard Deviation in Clips": stddev}
        return Description(name, "Measure", f"{text}{shown(stddev)} clips", facts)


def sensitivity(norm: Norm) -> int:
    """How far one unit moves totals in parts of a clip in that norm: by a clip, and one in each of MOST_KEYS keys."""
    match norm:
        case Norm.L1:
            return PARTS + MOST_KEYS
        case Norm.L2:
            return PARTS + math.isqrt(MOST_KEYS)


def noise_at(norm: Norm, accounting: Accounting, loss: Decimal) -> Noise:
    """The noise of totals in parts of a clip of that norm: Laplace of L1, Gaussian of L2, which only ρ accounts for.

    Claim: it loses at most `loss`: ε, or ρ. Because: it is made for `sensitivity`, and the noise says so itself.
    Checked by: tests/test_clipped_noise.py::test_it_keeps_to_its_share.
    """
    made_for = Sensitivity(1, sensitivity(norm))
    match norm:
        case Norm.L1:
            return laplace(made_for, loss) if accounting is Accounting.PURE else laplace_for_rho(made_for, loss)
        case Norm.L2:
            return gaussian(made_for, loss)
