"""What a mechanism is told and what it promises, as values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction


class Distribution(Enum):
    """Exact discrete noise over the integers (Canonne, Kamath, Steinke 2020)."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How far one unit's presence moves a vector of integers: in at most `l0` entries, each by at most `linf` steps."""

    l0: int
    linf: int

    @property
    def l1(self) -> int:
        """At most this in sum of absolute differences."""
        return self.l0 * self.linf

    @property
    def l2(self) -> float:
        """At most this in Euclidean distance; rounded up."""
        return root_above(self.l0 * self.linf**2)


@dataclass(frozen=True, slots=True)
class Noise:
    """Discrete noise of one measure, in grid steps. For Laplace the standard deviation is about scale times √2."""

    distribution: Distribution
    scale: float
    sensitivity: Sensitivity

    @property
    def stddev(self) -> float:
        """Standard deviation in grid steps, of the continuous form (the discrete one is smaller)."""
        return self.scale * math.sqrt(2) if self.distribution is Distribution.LAPLACE else self.scale


@dataclass(frozen=True, slots=True)
class Selection:
    """Partition selection: keys whose noisy number of units reaches `threshold` are released (Rogers 2023).

    `noise.sensitivity` is of the vector of units per key: l0 keys, each by linf, and at most `l1` in sum.
    """

    noise: Noise
    l1: int
    threshold: int

    @property
    def l2(self) -> float:
        """At most this in Euclidean distance, rounded up: Σx² <= max|x|·Σ|x|."""
        sensitivity = self.noise.sensitivity
        return root_above(min(sensitivity.l0 * sensitivity.linf**2, self.l1 * sensitivity.linf))


def root_above(square: int) -> float:
    """The square root of a whole number as a float, never below the true one, and exact where it is a float."""
    scaled = square << 128
    root = math.isqrt(scaled)
    above = Fraction(root + (root * root < scaled), 1 << 64)
    near = float(above)
    return near if Fraction(near) >= above else math.nextafter(near, math.inf)
