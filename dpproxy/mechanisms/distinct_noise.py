"""Numbers of distinct values, of which a unit counts with so many: how many is chosen privately.

A unit's values, and what it has in each key, are numbered from 1 on in an order of its own. The engine gives, by bucket
of these numbers, how many values have their least number there, of all units that have them, and how many units have
their last. So what is counted where each unit counts with its first τ values follows for every τ by adding up buckets,
and the choice of τ is that of a clip (`clipped_noise`): a unit that has more than τ values is scaled down, as it were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import ClippedNoise, TotalsByNorm, clipped_noise
from dpproxy.mechanisms.noise_at_a_clip import PARTS, Clipped
from dpproxy.mechanisms.norms import Norm, edge


@dataclass(frozen=True, slots=True)
class DistinctNoise(ClippedNoise):
    """A chosen number of values, and noise for what each unit adds by its first ones."""

    @property
    def held(self) -> str:
        """By the order that its values have."""
        return "counted with its first values, as many as a clip"

    def release(self, exact: TotalsByNorm) -> Clipped:
        """The clip, and the numbers of values at it with noise.

        Claim: loses `loss`, where a value has one number of each unit that has it, each unit another for each value,
        and is in the bucket of the least of those; and where a unit is in the bucket of its last number.
        Because: the numbers at any one clip move by what the noise is made for (`within`); and what each loses holds
        whatever was told before (`Clipping.clip`).
        Checked by: tests/test_distinct_noise.py.
        Raises ValueError for more than MOST_KEYS keys.
        """
        clip = self.clip(exact)
        return Clipped(clip, tuple(self.noise.release(within(exact.totals, clip))))


def within(totals: Sequence[Mapping[int, int]], clip: Fraction) -> list[int]:
    """For each key the number of values in buckets up to the clip, in parts of it, cut off to whole ones.

    Claim: one unit moves it by a vector of L1 norm PARTS and one more in each key, so by no more than `sensitivity`, in
    either norm. Because: what a unit adds are values with a number of its own up to the clip, of which it has no more
    than that; each is counted once, in one key. The L2 norm of a vector is its L1 norm at most; and a whole number next
    to a number moves by less than one more than that.
    Checked by: tests/test_distinct_noise.py::test_one_unit_moves_the_numbers_by_no_more_than_the_clip.
    """
    inside = (sum(count for bucket, count in each.items() if edge(bucket) <= clip) for each in totals)
    return [PARTS * count * clip.denominator // clip.numerator for count in inside]


def distinct_noise(
    norm: Norm, accounting: Accounting, loss: Decimal, most: int | None = None, keys: int = 1
) -> DistinctNoise:
    """Noise for as many values as are chosen. most: how many a unit has at most; None: nobody knows.

    Claim: `release` of the result loses at most `loss`. Because: as `clipped_noise`.
    Checked by: tests/test_distinct_noise.py. Raises ValueError where `loss` is too small to be cut.
    """
    made = clipped_noise(norm, accounting, loss, 1, most, keys)
    return DistinctNoise(made.norm, made.choice, made.noise, made.start, made.most)
