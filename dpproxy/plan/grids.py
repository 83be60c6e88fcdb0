"""The values that a histogram's buckets stand for: known before anything is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, assert_never

_FURTHEST: Final = 709.0
"""The greatest whole number of which e to its power is a double."""


@dataclass(frozen=True, slots=True)
class EvenGrid:
    """Bucket i stands for first + i·step, but no further than the ends. Days since 1970 for dates, microseconds for
    timestamps."""

    first: Decimal
    step: Decimal
    buckets: int
    lower: Decimal
    upper: Decimal


@dataclass(frozen=True, slots=True)
class GrowingGrid:
    """For numbers without bounds: buckets as wide as `finest`/density around 0, and wider in proportion further out.

    Bucket i stands for ±(e^(|j|/density) − 1)·finest, with j = i − middle.
    """

    finest: Decimal
    density: int
    middle: int

    @property
    def buckets(self) -> int:
        """How many there are."""
        return 2 * self.middle + 1


Grid = EvenGrid | GrowingGrid


def value_of(grid: Grid, bucket: int) -> Fraction:
    """What a bucket stands for."""
    match grid:
        case EvenGrid(first, step, _, lower, upper):
            return max(Fraction(lower), min(Fraction(upper), Fraction(first) + bucket * Fraction(step)))
        case GrowingGrid(finest, density, middle):
            away = abs(bucket - middle)
            size = Fraction(math.expm1(min(away / density, _FURTHEST))) * Fraction(finest)
            return size if bucket > middle else -size
        case _:
            assert_never(grid)


def places_of(grid: Grid) -> int:
    """How many digits after the point tell its values apart."""
    match grid:
        case EvenGrid():
            return max(0, *(-int(each.normalize().as_tuple().exponent) for each in (grid.first, grid.step)))
        case GrowingGrid(finest):
            return max(0, 2 - finest.adjusted())
        case _:
            assert_never(grid)
