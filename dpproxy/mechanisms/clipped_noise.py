"""A clip that is chosen privately, and noise for what it leaves: two mechanisms, one after the other.

A unit's contributions to a measure, a vector over the keys of the answer, are scaled down to a norm τ where theirs is
larger. The engine gives totals by bucket of the norm, and how many units each bucket has; the clipped totals for every
τ follow from those by arithmetic. So nothing is chosen before the engine was asked, and it is asked once.

*Which τ*: the noise of a key grows with τ, by s·τ for noise of standard deviation s at a clip of one. What is clipped
away from a unit shrinks by as much as τ grows. So τ is worth growing while many units are clipped: of one key more than
about half of s, and of many about s for each, since what is taken from a key counts little beside its noise while it is
less than that; and the best is where that number of units is reached. Candidates are the edges of the buckets; a
candidate's score is how many units it clips, or that number if they are fewer, and the more the further up it is, lest
noise picks from the many that clip nobody. Report noisy max finds the least; one unit moves all scores the same way,
by one at most. (The sparse vector technique stops at the first candidate that is good enough; it has to stop well above
zero not to run away, and under zCDP costs its ε²/2 where this costs ε²/8.)

*From where*: those few units for each bucket would add up before the first unit has its norm. So they are counted from
what one row can add, or where nobody knows that, from the median of those units that add more than a step, which is
found in the same way before, to a doubling.

*For how much*: that number of units grows with the keys, and so does what the choice may be off by. So it has the less
of the price the more keys the plan foresees; and next to nothing where no unit adds more than a step.

*The noise* is that of a vector which one unit moves by `PARTS` at most, in that norm: what is left, in parts of τ.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, count
from typing import Final

from dpproxy.accounting.account import part
from dpproxy.accounting.dominating_pairs import Pairs, together
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS, Clipped, NoiseAtAClip, noise_at
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise, noisy_max
from dpproxy.mechanisms.norms import BUCKETS_TO_A_DOUBLING, LAST_BUCKET, Norm, edge
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.remembered import remembered

_CHOICE_SHARE: Final[Mapping[Accounting, Fraction]] = {
    Accounting.PURE: Fraction(1, 4),
    Accounting.ZCDP: Fraction(1, 5),
}
"""What the choice has of a measure's price at most."""
_CHOICE_OF_KEYS: Final[Mapping[Accounting, Fraction]] = {
    Accounting.PURE: Fraction(7, 10),
    Accounting.ZCDP: Fraction(1, 5),
}
"""The same, times the root of the number of keys."""
_OF_ONE: Final = Fraction(1, 1024)
"""The same where there is one candidate, which is chosen whatever the noise is."""
_MEDIAN_SHARE: Final[Mapping[Accounting, Fraction]] = {
    Accounting.PURE: Fraction(1, 10),
    Accounting.ZCDP: Fraction(1, 4),
}
"""What finding where to start has of what the choice has: less where scales grow as much as a share shrinks."""
_RUNAWAY = 0.3
"""By how many scales of that choice's noise a doubling is worse than the one below: where there is nobody, it would be
any of them."""
SCORE = 2**10
"""The score of a unit: scores are whole numbers."""
_FAR = 1 / 4
_FAR_OF_VALUES = 4 / 25
_NEAR = 3
"""By how many scales of the choice's noise a bucket is worse than the start, if they clip the same units: _FAR for each
bucket between, and _NEAR times the logarithm of their number. The one keeps noise, which doubles with eight buckets,
from running away, however far: so it is above log(2)/8. The other stops it soon where most data end, and costs a long
tail little. Of one total of values without bounds, whose tails are longer than those of how many rows there are, the
one is _FAR_OF_VALUES in pure accounting: with several keys more is lost than gained by that, and with Gumbel noise."""
_WORTH = 32
"""A bucket is worse by that part of the number of units that are worth clipping, where that is more: with many keys."""
_SHIFT = 2**96


@dataclass(frozen=True, slots=True)
class TotalsByNorm:
    """What the engine found of a measure: by bucket how many units there are, and for each key the totals."""

    units: Mapping[int, int]
    totals: Sequence[Mapping[int, int]]


class Clipping(ABC):
    """The choice of a clip."""

    __slots__ = ()
    choice: NoisyMax
    start: int | NoisyMax
    most: int | None

    @abstractmethod
    def worth(self, keys: int) -> float:
        """How many units it is worth to scale down, for the noise of the totals of so many keys."""

    def clip(self, exact: TotalsByNorm) -> Fraction:
        """The clip, in steps. Raises ValueError for more than MOST_KEYS keys.

        Claim: loses what `choice`, and `start` where that is a choice, lose. Because: scores move by one unit's score
        at most, those that choose all in one direction. Checked by: tests/test_clipped_noise.py.
        """
        keys = len(exact.totals)
        if keys > MOST_KEYS:
            raise ValueError(f"{keys} keys are more than the noise is made for, {MOST_KEYS}")
        (chosen,) = self.choice.release(self.scores(exact.units, keys, self._started(exact.units)))
        return edge(chosen)

    def loss_of_clip(self, accounting: Accounting) -> Loss:
        """Of the choices alone."""
        chosen = self.choice.loss(accounting)
        return chosen if isinstance(self.start, int) else self.start.loss(accounting) + chosen

    @property
    def pairs_of_clip(self) -> Pairs:
        """Of the choices alone."""
        start = () if isinstance(self.start, int) else self.start.pairs
        return together((start, self.choice.pairs))

    def scores(self, units: Mapping[int, int], keys: int, start: int) -> list[int]:
        """How bad each candidate is, below zero.

        Claim: one more unit lowers none, some by a unit's score, and none by more. Because: it adds one to how many
        units some candidates clip, and to no other number; what is taken besides is public, or was told.
        Checked by: tests/test_clipped_noise.py::test_one_unit_moves_scores_one_way_by_one.
        """
        enough, far = round(SCORE * self.worth(max(keys, 1))), self._far(keys)
        return [
            -max(SCORE * clips, enough) - round(max(self.choice.scale * beyond, enough / _WORTH * distance))
            for clips, (distance, beyond) in zip(self._above(units), _beyond(start, far), strict=False)
        ]

    def _far(self, keys: int) -> float:
        known = isinstance(self.start, int) or self.choice.noise is not ScoreNoise.EXPONENTIAL
        return _FAR if known or keys > 1 else _FAR_OF_VALUES

    def _started(self, units: Mapping[int, int]) -> int:
        """From which bucket on each is worse than the one before."""
        if isinstance(self.start, int):
            return self.start
        return BUCKETS_TO_A_DOUBLING * (self.start.release(self.from_median(units, self.start.scale))[0])

    def from_median(self, units: Mapping[int, int], scale: float) -> list[int]:
        """How far from the median of the units beyond the first bucket each doubling is, below zero: those in the
        first, who add nothing or a step, would hide the others.

        Claim: one more unit moves each by its score at most. Because: in the first bucket it changes nothing; beyond,
        what is above a candidate, less what is not, moves by one, and so does what is in it or above, less what is
        below.
        Checked by: tests/test_clipped_noise.py::test_one_unit_moves_scores_one_way_by_one.
        """
        beyond = sum(count for bucket, count in units.items() if bucket > 0)
        above = self._above(units)[::BUCKETS_TO_A_DOUBLING]
        return [
            -SCORE * max(0, 2 * after - beyond, beyond - 2 * before) - round(scale * _RUNAWAY * doubling)
            for doubling, (before, after) in enumerate(zip([beyond, *above], above, strict=False))
        ]

    def _above(self, units: Mapping[int, int]) -> list[int]:
        """For each candidate, how many units have a larger norm."""
        there = sum(units.values())
        return [there - inside for inside in accumulate(units.get(bucket, 0) for bucket in range(self.candidates))]

    @property
    def candidates(self) -> int:
        """How many there are: to the one that clips nobody, as far as that is known."""
        return LAST_BUCKET + 1 if self.most is None else _holding(self.most) + 1


@dataclass(frozen=True, slots=True)
class ClippedNoise(Clipping, NoiseAtAClip[TotalsByNorm]):
    """A chosen clip, and noise. most: in steps, what no unit's norm passes; None: nobody knows. start: the bucket from
    which on each is worse than the one before; or what finds it."""

    norm: Norm
    choice: NoisyMax
    noise: Noise
    start: int | NoisyMax
    most: int | None = None

    @property
    def held(self) -> str:
        """By the norm of all that it has."""
        return f"scaled down to a clip of its {self.norm.value} norm"

    def worth(self, keys: int) -> float:
        """As many as the noise's standard deviations, in clips, and half of one fewer."""
        return (keys - 1 / 2) * self.noise.stddev / PARTS

    def release(self, exact: TotalsByNorm) -> Clipped:
        """The clip, and the totals at it with noise.

        Claim: loses `loss`, where each unit is in one bucket, with all of its contributions, of a norm up to its edge.
        Because: the totals at any one clip move by what the noise is made for (`clipped`); and what each loses holds
        whatever was told before (`Clipping.clip`).
        Checked by: tests/test_clipped_noise.py.
        Raises ValueError for more than MOST_KEYS keys.
        """
        clip = self.clip(exact)
        return Clipped(clip, tuple(self.noise.release(clipped(exact.totals, clip))))


def clipped(totals: Sequence[Mapping[int, int]], clip: Fraction) -> list[int]:
    """For each key the total of what is left of all units, in parts of the clip, cut off to whole ones.

    Claim: one unit moves it by a vector of norm PARTS and one more in each key, so by no more than `sensitivity`.
    Because: a unit's contributions, of a norm up to its bucket's edge, are multiplied by at most PARTS/max(edge, clip);
    and a whole number next to a sum moves by less than one more than the sum.
    Checked by: tests/test_clipped_noise.py::test_one_unit_moves_the_totals_by_no_more_than_the_clip.
    """
    weights: dict[int, int] = {}
    made = []
    for by_bucket in totals:
        total = 0
        for bucket, added in by_bucket.items():
            weight = weights.get(bucket)
            if weight is None:
                largest = max(edge(bucket), clip)
                weight = weights[bucket] = PARTS * _SHIFT * largest.denominator // largest.numerator
            total += added * weight
        made.append(total // _SHIFT)
    return made


def clipped_noise(
    norm: Norm,
    accounting: Accounting,
    loss: Decimal,
    row: int | None,
    most: int | None = None,
    keys: int = 1,
) -> ClippedNoise:
    """Noise for a clip of that norm. row: in steps, how much a row adds at most; None: nobody knows. keys: how many are
    foreseen.

    Claim: `release` of the result loses at most `loss`: ε, or ρ. Because: choices and noise are built for shares of it
    that add up to no more, and which those are follows from the plan. Checked by:
    tests/test_clipped_noise.py::test_it_keeps_to_its_share. Raises ValueError where `loss` is too small to be cut.
    """
    own = part(loss, choice_share(accounting, keys) if most is None or _holding(most) else _OF_ONE)
    noise = noise_at(norm, accounting, loss - own)
    choice, start = clip_choice(accounting, own, row)
    return ClippedNoise(norm, choice, noise, start, most)


def choice_share(accounting: Accounting, keys: int) -> Fraction:
    """What the choice has of a measure's price, for noise of so many keys."""
    return min(_CHOICE_SHARE[accounting], _CHOICE_OF_KEYS[accounting] / math.isqrt(max(keys, 1)))


def clip_choice(accounting: Accounting, share: Decimal, row: int | None) -> tuple[NoisyMax, int | NoisyMax]:
    """What chooses a clip, and from which bucket on, for that share of the price."""
    unit = Sensitivity(1, SCORE)
    if row is not None:
        return noisy_max(unit, True, accounting, share), _holding(row)
    own = part(share, _MEDIAN_SHARE[accounting])
    return noisy_max(unit, True, accounting, share - own), noisy_max(unit, False, accounting, own)


def _beyond(start: int, far: float) -> Iterator[tuple[int, float]]:
    """Of each bucket, how far beyond the start it is, and by how many scales it is worse for that."""
    distances = (max(bucket - start, 0) for bucket in count())
    return ((distance, far * distance + _NEAR * math.log1p(distance)) for distance in distances)


@remembered(256)
def _holding(norm: int) -> int:
    """The first bucket whose edge such a norm does not pass."""
    return next(bucket for bucket in count() if edge(bucket) >= norm)
