"""How far one unit's presence moves a vector of whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction


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


def root_above(square: int) -> float:
    """The square root of a whole number as a float, never below the true one, and exact where it is a float."""
    scaled = square << 128
    root = math.isqrt(scaled)
    above = Fraction(root + (root * root < scaled), 1 << 64)
    near = float(above)
    return near if Fraction(near) >= above else math.nextafter(near, math.inf)
