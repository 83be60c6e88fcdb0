"""Numbers of distinct values, of which a unit counts with so many: how many is chosen privately.

A unit's values, and what it has in each key, are numbered from 1 on in an order of its own. The engine gives, by bucket
of these numbers, how many values have their least number there, of all units that have them. So D(k), what is counted
where each unit counts with its first k values, follows for every k by adding up buckets. One unit moves it by no more
than k, and one way.

*Which k*: where people share their values a few of each are enough, however many they have. So what tells is not how
many units have more than k, as for a clip (`clipped_noise`), but how many values more would be counted with twice as
many of each, in limits: (D(2k) − D(k))/k. One unit moves that by one at most, either way (`DistinctNoise.scores`).
Report noisy max finds the least of that gain, or of what is worth it if that is more, and a penalty for how far up it
is, lest noise picks from the many whose double counts nothing more.

*The noise* is that of a vector which one unit moves by `PARTS` at most, in either norm: what is counted, in parts of k.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate
from typing import Final

from dpproxy.accounting.account import part
from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.clipped_noise import SCORE, TotalsByNorm
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS, Clipped, NoiseAtAClip, noise_at
from dpproxy.mechanisms.noisy_max import NoisyMax, noisy_max
from dpproxy.mechanisms.norms import BUCKETS_TO_A_DOUBLING, LAST_BUCKET, Norm, edge
from dpproxy.mechanisms.sensitivity import Sensitivity

_CHOICE_SHARE: Final[Mapping[Accounting, Fraction]] = {
    Accounting.PURE: Fraction(2, 5),
    Accounting.ZCDP: Fraction(1, 4),
}
"""What the choice has of a measure's price at most."""
_CHOICE_OF_KEYS: Final[Mapping[Accounting, Fraction]] = {
    Accounting.PURE: Fraction(1),
    Accounting.ZCDP: Fraction(7, 10),
}
"""The same, times the root of the number of keys."""
_FAR: Final = 1 / 5
_NEAR: Final = 2
"""By how many scales of the choice's noise a limit is worse than one, if both count the same: _FAR for each bucket
between, and _NEAR times the logarithm of their number. The one is above log(2)/8, since noise doubles with eight
buckets; the other holds it where nothing is gained, and costs many values of each little."""
_WORTH: Final = 32
"""A bucket is worse by that part of the gain that is worth it, where that is more: with many keys."""
_SURELY: Final = Fraction(2**29 + 1, 2**29)


@dataclass(frozen=True, slots=True)
class _Limit:
    """How many values of a unit count: those in buckets up to `bucket`. twice: the bucket up to which they are no more
    than double. room: the numbers that a unit may have up to the one, or from there to the other, whichever are more.
    """

    most: int
    bucket: int
    twice: int
    room: int


@cache
def _limits() -> tuple[_Limit, ...]:
    """Each whole number that is the largest of some bucket, once, with the last bucket that it is the largest of.

    Claim: of one unit no more than `room` numbers are in buckets up to `bucket`, and none of those is beyond `most`;
    and no more than `room` are between that and `twice`. Because: a number has a bucket of its own, whose edge it does
    not pass; and what is below an edge by its part in 2**29 is surely no further up, nor is 1, whose logarithm is 0
    (`norms.edge`).
    Checked by: tests/test_distinct_noise.py::test_a_bucket_has_room_for_as_many_numbers_as_are_claimed.
    """
    whole = [math.floor(edge(bucket)) for bucket in range(LAST_BUCKET + 1)]
    made = []
    for bucket, most in enumerate(whole):
        if whole[bucket : bucket + 2] != [most, most]:
            twice = bisect_right(whole, 2 * most) - 1
            below = max(1, math.floor(edge(bucket) / _SURELY))
            made.append(_Limit(most, bucket, twice, max(most, whole[twice] - below)))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class DistinctNoise(NoiseAtAClip[TotalsByNorm]):
    """A chosen number of values, and noise for what each unit adds by its first ones. candidates: how many limits there
    are."""

    norm: Norm
    choice: NoisyMax
    noise: Noise
    candidates: int

    @property
    def held(self) -> str:
        """By the order that its values have."""
        return "counted with its first values, as many as a clip"

    def loss_of_clip(self, accounting: Accounting) -> Loss:
        """Of the choice alone."""
        return self.choice.loss(accounting)

    @property
    def pairs_of_clip(self) -> Pairs:
        """Of the choice alone."""
        return self.choice.pairs

    def worth(self, keys: int) -> float:
        """The gain that is worth the noise of so many keys: as many limits as its standard deviations, and half of one
        fewer."""
        return (keys - 1 / 2) * self.noise.stddev / PARTS

    def release(self, exact: TotalsByNorm) -> Clipped:
        """The limit, and the numbers of values with noise.

        Claim: loses `loss`, where a value has one number of each unit that has it, each unit another for each value,
        and is in the bucket of the least of those.
        Because: the scores move by what the choice is made for (`scores`), and the numbers at any one limit by what the
        noise is made for (`within`), whatever was told before.
        Checked by: tests/test_distinct_noise.py.
        Raises ValueError for more than MOST_KEYS keys.
        """
        if len(exact.totals) > MOST_KEYS:
            raise ValueError(f"{len(exact.totals)} keys are more than the noise is made for, {MOST_KEYS}")
        (chosen,) = self.choice.release(self.scores(exact.totals))
        limit = _limits()[chosen]
        return Clipped(Fraction(limit.most), tuple(self.noise.release(within(exact.totals, limit.bucket, limit.most))))

    def scores(self, totals: Sequence[Mapping[int, int]]) -> list[int]:
        """How bad each limit is, below zero.

        Claim: one more unit moves each by a unit's score at most, up or down. Because: a value that it adds to D(2k) it
        adds to D(k), too, or it has the value with a number between the two, for which there is `room`; and of what it
        adds to D(k), no more than that, all may have been in D(2k) before. So a gain in parts of `room` moves by one;
        the largest of some numbers, or of one and a public one, moves no further than they do; nor do they where they
        are cut off to whole numbers, since a unit's score is one. What is taken besides is public.
        Checked by: tests/test_distinct_noise.py::test_one_unit_moves_scores_by_one.
        """
        keys = max(1, len(totals))
        enough = round(SCORE * self.worth(keys))
        limits = _limits()[: self.candidates]
        far = [BUCKETS_TO_A_DOUBLING * math.log2(each.most) for each in limits]
        away = [max(self.choice.scale * (_FAR * d + _NEAR * math.log1p(d)), enough / _WORTH * d) for d in far]
        return [-max(gain, enough) - round(d) for gain, d in zip(_gains(totals, limits), away, strict=True)]


def _gains(totals: Sequence[Mapping[int, int]], limits: Sequence[_Limit]) -> list[int]:
    """For each limit what its double counts more, in limits, in all keys together: the largest from there on."""
    counted = list(accumulate(sum(each.get(bucket, 0) for each in totals) for bucket in range(LAST_BUCKET + 1)))
    gains = [SCORE * (counted[each.twice] - counted[each.bucket]) // each.room for each in limits]
    return list(accumulate(reversed(gains), max))[::-1]


def within(totals: Sequence[Mapping[int, int]], last: int, limit: int) -> list[int]:
    """For each key the number of values in buckets up to the last, in parts of the limit, cut off to whole ones.

    Claim: one unit moves it by a vector of L1 norm PARTS and one more in each key, so by no more than `sensitivity`, in
    either norm. Because: what a unit adds are values with a number of its own up to the limit, of which it has no more
    than that; each is counted once, in one key. The L2 norm of a vector is its L1 norm at most; and a whole number next
    to a number moves by less than one more than that.
    Checked by: tests/test_distinct_noise.py::test_one_unit_moves_the_numbers_by_no_more_than_the_limit.
    """
    inside = (sum(count for bucket, count in each.items() if bucket <= last) for each in totals)
    return [PARTS * count // limit for count in inside]


def distinct_noise(norm: Norm, accounting: Accounting, loss: Decimal, keys: int = 1) -> DistinctNoise:
    """Noise for as many values as are chosen. keys: how many are foreseen.

    Claim: `release` of the result loses at most `loss`: ε, or ρ. Because: choice and noise are built for shares of it
    that add up to no more, and which those are follows from the plan.
    Checked by: tests/test_distinct_noise.py::test_it_keeps_to_its_share.
    Raises ValueError where `loss` is too small to be cut.
    """
    of_keys = min(_CHOICE_SHARE[accounting], _CHOICE_OF_KEYS[accounting] / math.isqrt(max(keys, 1)))
    own = part(loss, of_keys)
    choice = noisy_max(Sensitivity(1, SCORE), False, accounting, own)
    return DistinctNoise(norm, choice, noise_at(norm, accounting, loss - own), len(_limits()))
