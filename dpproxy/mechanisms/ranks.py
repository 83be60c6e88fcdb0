"""Quantiles by their rank: which share of all that is counted lies below."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

FINEST = 10_000
"""A fraction is the nearest one with a denominator of at most this: a ten-thousandth of the rank, or less, is lost."""


@dataclass(frozen=True, slots=True)
class Rank:
    """numerator/denominator of all lie below; 0 is the least value, 1 the greatest.

    An extreme is looked for `inward` of the end, where there still are values: whoever makes a mechanism says how far.
    """

    numerator: int
    denominator: int

    @property
    def is_extreme(self) -> bool:
        """Whether it is the least value, or the greatest."""
        return self.numerator in (0, self.denominator)

    @property
    def parts(self) -> int:
        """Into how many parts what one row counts for is divided, so that a distance from the rank is a whole number.

        An extreme's is 2: half of all is the furthest that it is looked for inward.
        """
        return 2 if self.is_extreme else self.denominator

    @property
    def steepness(self) -> int:
        """How many of these parts a distance from the rank moves at most, where one row comes or goes.

        Claim: |distance(D) − distance(D′)| <= steepness · w for histograms that differ by w in one bucket.
        Because: with α = numerator/denominator, below − α·total moves by −α·w or (1−α)·w, and so does what lies below
        a bucket's end; an extreme's target moves by w/2 at most, the way that the total does, so that what lies below
        less the target moves by w at most. A maximum moves no further than what it is the maximum of.
        Checked by: tests/test_quantiles.py::test_one_row_moves_a_distance_by_its_steepness.
        """
        return 2 if self.is_extreme else max(self.numerator, self.denominator - self.numerator)

    def target(self, total: int, inward: int) -> int:
        """What should lie below, in parts."""
        if not self.is_extreme:
            return self.numerator * total
        within = min(2 * inward, total)
        return within if self.numerator == 0 else 2 * total - within

    def distance(self, below: int, inside: int, total: int, inward: int) -> int:
        """How far a bucket lies from the rank, in parts: 0 where the target is within it."""
        target = self.target(total, inward)
        return max(0, self.parts * below - target, target - self.parts * (below + inside))


def rank_of(fraction: Fraction) -> Rank:
    """The rank of a fraction from 0 to 1, as near as FINEST lets it be."""
    near = fraction.limit_denominator(FINEST)
    return Rank(near.numerator, near.denominator)
