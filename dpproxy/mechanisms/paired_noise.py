"""A clip that is chosen privately for rows that belong to two units each, and noise for what it leaves.

What is left at a clip τ is Q(τ) (`pair_totals`), of which one unit of any kind moves no more than τ. How many units
have more than τ tells nothing of use here: one unit's leaving may take many others below it. But what a clip twice as
large would leave more, in clips, (Q(2τ) − Q(τ))/τ, moves by no more than two where a unit leaves, or comes.

*Which τ*: the one whose double leaves little more, if it is not far beyond what a row can add: as for units by
themselves (`clipped_noise`), report noisy max finds the least of that gain, or of what is worth it if that is more, and
a penalty for each doubling, lest noise picks from the many whose double leaves nothing. Q is concave, so that gains
grow from the largest clip on down; from where one is so large that it is never chosen, none below is worked out.

*The noise* is that of totals which one unit moves by `PARTS` in all keys together: each of K keys has its Q, and a unit
may be in all of them, so that a total is told in parts of K clips, or of √K in L2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Final, assert_never

from dpproxy.accounting.account import part
from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Description
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS, Clipped, NoiseAtAClip, noise_at
from dpproxy.mechanisms.noisy_max import NoisyMax, noisy_max
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.pair_totals import MOST_FINE, PairTotals, above, below, left_at, most_left_at
from dpproxy.mechanisms.rows_met import MetTotals, above_zero, at_most, met_at, most_met_at
from dpproxy.mechanisms.sensitivity import Sensitivity

GAIN: Final = 2**10
"""A gain of one clip: gains are whole numbers."""
MOVED: Final = 3 * GAIN + 2
"""By how much more a unit may raise one gain than it raises, or less than it lowers, another."""
LARGEST: Final = 46
"""The power of two of the largest clip."""
_ROWS: Final = 24
"""Of the largest clip where each row adds a known number at most: so many rows of a unit, as a power of two."""
_SHARE: Final = Fraction(1, 2)
"""What the choice has of a measure's price."""
_FAR: Final = 1.25
"""By how many scales of the choice's noise a clip is worse than half of it, if both leave the same: noise doubles, and
so it is above log(2)."""
_STANDS_OUT: Final = 1.6
"""By how many scales of the choice's noise for each doubling a gain stands out of it, and of what doublings cost."""
_DOUBLINGS: Final = 10
"""From one row to a thousand."""
_NEVER: Final = 64
"""From how many scales on a gain is as bad as any."""


Totals = PairTotals | MetTotals
"""Of a key: what pairs have, or the rows that are met."""
Halves = tuple[PairTotals, PairTotals] | tuple[MetTotals, MetTotals]
"""Of a key, the amounts above 0, and the sizes of those below it; of rows that are met k times, all, each counted k
times at most, and each once less, which is taken from it."""


@dataclass(frozen=True, slots=True)
class PairedNoise(NoiseAtAClip[Sequence[Totals]]):
    """A chosen clip, and noise. first, last: powers of two, of what a row can add, and of the largest clip that is
    looked at. signs: 2, where amounts may lie on either side of 0."""

    norm: Norm
    first: int
    last: int
    signs: int
    choice: NoisyMax
    noise: Noise

    @property
    def held(self) -> str:
        """In all of its pairs."""
        return "held to a clip by a maximum flow"

    def loss_of_clip(self, accounting: Accounting) -> Loss:
        """Of the choice alone."""
        return self.choice.loss(accounting)

    @property
    def pairs_of_clip(self) -> Pairs:
        """Of the choice alone."""
        return self.choice.pairs

    def release(self, exact: Sequence[Totals]) -> Clipped:
        """The clip, and for each key the total at it with noise.

        Claim: loses `loss`, where the rows of a unit are all in pairs with it, whichever of both it is. Because: the
        clip loses what `_power` says; and what is left at a clip moves by one clip at most in each key, of amounts
        above 0 and of those below it in one direction, so that their difference moves by one, too (`left_at`,
        `rows_met.met_at`); cut off to parts it moves by no more than `sensitivity`.
        Checked by: tests/test_paired_noise.py.
        Raises ValueError for more than MOST_KEYS keys, and where a flow cannot be worked out.
        """
        if len(exact) > MOST_KEYS:
            raise ValueError(f"{len(exact)} keys are more than the noise is made for, {MOST_KEYS}")
        halves = [halves_of(each) for each in exact]
        power, keys = self._power(halves), self._keys(len(exact))
        size = keys << min(power, MOST_FINE)
        left = ((left_of(more, power), left_of(less, power)) for more, less in halves)
        totals = [(more - less) * PARTS // size for more, less in left]
        return Clipped(Fraction(keys << power), tuple(self.noise.release(totals)))

    def _keys(self, keys: int) -> int:
        """By how much smaller parts are where a unit may be in so many keys."""
        return max(1, keys if self.norm is Norm.L1 else 1 + math.isqrt(max(keys, 1) - 1))

    def _power(self, halves: Sequence[Halves]) -> int:
        """The clip, as a power of two.

        Claim: loses what `choice` loses. Because: which is the largest depends on no number that is added to all scores
        alike; beside such a one, a unit moves each by MOVED at most, and all of them one way (`scores`).
        Checked by: tests/test_paired_noise.py.
        """
        (chosen,) = self.choice.release(self.scores(halves))
        return chosen

    def scores(self, halves: Sequence[Halves]) -> list[int]:
        """How bad the clip of each power of two is, below zero.

        Claim: one unit's leaving lowers none by more than GAIN + 1 and raises none by more than 2·GAIN + 1; its coming,
        the other way round. Because: what twice the clip leaves falls by two clips at most, what the clip leaves by
        one, and neither rises; an average is cut off to a whole number; and the largest of some numbers, or the smaller
        of two, moves no further than they do. What is taken besides is public.
        Checked by: tests/test_paired_noise.py::test_one_unit_moves_scores_as_claimed.
        """
        enough = round(GAIN * self.noise.stddev / PARTS / 2)
        never, far = round(_NEVER * self.choice.scale), self.choice.scale * _FAR
        gains = self._gains(halves, never)
        return [-max(gain, enough) - round(far * max(0, power - self.first)) for power, gain in enumerate(gains)]

    def _gains(self, halves: Sequence[Halves], never: int) -> list[int]:
        """For each power of two what a clip of twice that leaves more, in clips, on average over keys and signs: the
        largest from there on, `never` at most."""
        parts = [each for both in halves for each in both if len(each.amounts)]
        start = min([self.last + 1, *_beyond(parts)])
        found, before, largest = [never] * start + [0] * (self.last + 1 - start), _clips(parts, start, left_of), 0
        for power in range(start - 1, -1, -1):
            if self._gain(halves, before, _clips(parts, power, _most_left_at)) >= never:
                break
            left = _clips(parts, power, left_of)
            largest = max(largest, self._gain(halves, before, left))
            if largest >= never:
                break
            found[power], before = largest, left
        return found

    def _gain(self, halves: Sequence[Halves], more: Fraction, left: Fraction) -> int:
        """What twice the clip leaves more than the clip, in clips of each."""
        return int(GAIN * (2 * more - left) // (max(1, len(halves)) * self.signs))

    @property
    def few(self) -> int:
        """With fewer units of a kind in a key most of what they have may be cut off, where each has a thousand rows;
        where nobody knows what a row adds, a thousand of large ones.

        Because: twice a clip below what each has leaves one clip for each unit more, no more than that, and from the
        smallest clip to one that leaves all there are as many doublings.
        Checked by: tests/test_paired_noise.py::test_few_units_are_cut_off.
        """
        doublings = max(_DOUBLINGS, self.last - self.first - _ROWS + _DOUBLINGS)
        return math.ceil(_STANDS_OUT * doublings * self.signs * self.choice.scale / GAIN)

    def described(self, step: float, unit: str) -> Description:
        """The clip, how much noise it means, and of how few units it may cut off most."""
        told = NoiseAtAClip.described(self, step, unit)
        text = f"{told.text}; of fewer than about {self.few} units of a kind in a key most may be cut off"
        return replace(told, text=text, facts={**told.facts, "Few Units": self.few})


def paired_noise(norm: Norm, accounting: Accounting, loss: Decimal, row: int | None, signs: int) -> PairedNoise:
    """Noise for a clip of that norm. row: in steps, how much a row adds at most; None: nobody knows.

    Claim: `release` of the result loses at most `loss`: ε, or ρ. Because: choice and noise are built for shares of it
    that add up to no more. Checked by: tests/test_paired_noise.py::test_it_keeps_to_its_share.
    Raises ValueError where `loss` is too small to be cut.
    """
    own = part(loss, _SHARE)
    noise = noise_at(norm, accounting, loss - own)
    choice = noisy_max(Sensitivity(1, MOVED), True, accounting, own)
    first = 0 if row is None else max(row - 1, 0).bit_length()
    return PairedNoise(norm, first, LARGEST if row is None else min(LARGEST, _ROWS + first), signs, choice, noise)


def halves_of(totals: Totals) -> Halves:
    """Both halves of a key."""
    match totals:
        case PairTotals():
            return above(totals), below(totals)
        case MetTotals() if totals.weighted:
            return above_zero(totals, 1), above_zero(totals, -1)
        case MetTotals():
            return at_most(totals, totals.most), at_most(totals, totals.most - 1)
        case _:
            assert_never(totals)


def left_of(half: Totals, power: int) -> int:
    """What is left of a half at 2^power."""
    match half:
        case PairTotals():
            return left_at(half, power)
        case MetTotals():
            return met_at(half, power)
        case _:
            assert_never(half)


def _most_left_at(half: Totals, power: int) -> int:
    match half:
        case PairTotals():
            return most_left_at(half, power)
        case MetTotals():
            return most_met_at(half, power)
        case _:
            assert_never(half)


def most_of(half: Totals) -> int | None:
    """The most that a unit has in it; None: more than there is room for."""
    match half:
        case PairTotals():
            return half.most
        case MetTotals():
            return half.largest
        case _:
            assert_never(half)


def _beyond(parts: Sequence[Totals]) -> list[int]:
    """The power of two that no unit has more than, where that is known: from there on, a clip of twice leaves no more.
    Cut off to parts that are twice as large, it may leave less."""
    most = [most_of(each) for each in parts]
    return [] if None in most else [max([0, *(max(each - 1, 0).bit_length() for each in most if each is not None)])]


def _clips(parts: Sequence[Totals], power: int, left: Callable[[Totals, int], int]) -> Fraction:
    """What is left of all at 2^power, in clips."""
    return Fraction(sum(left(each, power) for each in parts), 1 << min(power, MOST_FINE))
