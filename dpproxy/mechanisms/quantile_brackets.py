"""Quantiles by the exponential mechanism, each between noisy counts that bracket it: the ends of its interval.

What the mechanism chose tells nothing of what lies beside it. So the buckets are cut up around what it told, closely
near by and ever more widely further out (1, 2, 4 … buckets away), and each part's count gets noise, for a share of the
price. The interval ends at the nearest cuts on either side of which there is too much, or too little, to be noise.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, takewhile
from typing import Final

from dpproxy.accounting.account import part
from dpproxy.accounting.dominating_pairs import Pairs, together
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.histograms import Cells, histograms
from dpproxy.mechanisms.noise import Distribution, Noise, spread_pairs
from dpproxy.mechanisms.quantile_choice import Buckets, QuantileChoice, quantile_choice
from dpproxy.mechanisms.quantile_ends import DEVIATIONS, Ends, ReadOff
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown

AROUND_SHARE: Final = Fraction(1, 4)
"""What the counts have of the price of a quantile; the rest is for the choice of it."""
_LAPLACE_KURTOSIS: Final = 3.0
_USUAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class QuantileBrackets(Contract[Sequence[int], list[ReadOff]]):
    """For each key and rank a bucket of its histogram, and what lies around it. around: the noise of a part's count."""

    choice: QuantileChoice
    around: Noise

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """Those of the choice."""
        return self.choice.ranks

    @property
    def buckets(self) -> int:
        """Among how many it chooses."""
        return self.choice.buckets

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the histograms: how far one unit moves both, the choice's scores and the counts."""
        one, other = self.choice.sensitivity, self.around.sensitivity
        return Sensitivity(min(one.l0, other.l0), min(one.linf, other.linf))

    @property
    def made_for(self) -> Sensitivity:
        """Of the histograms; linf is in sum over one histogram's buckets."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """Buckets of known keys."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """Of the choices and of all counts, of all histograms that one unit is in."""
        return self.choice.loss(accounting) + self.around.loss(accounting)

    @property
    def pairs(self) -> Pairs:
        """A whole row moves the count of one part, shares of a row many (`spread_pairs`)."""
        counts = self.around.pairs if self.around.sensitivity.linf == 1 else spread_pairs(self.around)
        return together((self.choice.pairs, counts))

    def release(self, exact: Sequence[int]) -> list[ReadOff]:
        """For each histogram the bucket of each rank, and the ends of its intervals.

        Claim: loses `loss`, for histograms that one unit moves by `made_for`.
        Because: the parts are cut at what the choice told. They hold each bucket once, so that for any cuts the counts
        of l0 histograms move by linf in sum each: by l0 · linf in sum, and no more than the root of l0 · linf² in
        Euclidean distance, which the noise is made for. Losses of one after the other add up.
        Checked by: tests/test_quantile_brackets.py.
        """
        chosen = self.choice.release(exact)
        return [self._around(*each) for each in zip(histograms(exact, self.buckets), chosen, strict=True)]

    def _around(self, cells: Cells, chosen: Buckets) -> ReadOff:
        cut = cuts(chosen, self.buckets)
        counts = self.around.release(_counts(cells, cut))
        cut_up = _CutUp(self, cut, [0, *accumulate(counts)])
        return ReadOff(chosen, tuple(map(cut_up.ends, self.ranks, chosen)))

    @property
    def error(self) -> Error:
        """How far in rank what was chosen may lie from what was asked for."""
        return self.choice.error

    @property
    def reach(self) -> float:
        """About how far in rank an interval of 95 % reaches, on either side."""
        parts = 1 + sum(1 for _ in _away(self.buckets)) * len(self.ranks)
        return max(reach(self.around, parts, parts, rank, _USUAL) for rank in self.ranks)

    @property
    def total_noise(self) -> None:
        """It tells no totals of rows, but places."""

    def described(self, step: float, unit: str) -> Description:
        """The choice, and how far the interval reaches."""
        own, noise, reach = self.choice.described(step, unit), self.around, self.reach * step
        text = f"{own.text}; counts around {'it' if len(self.ranks) == 1 else 'them'} get {noise.distribution.value} "
        text += f"of standard deviation {shown(noise.stddev * step)} for a quarter of its price: an interval of 95 % "
        text += f"reaches {shown(reach)} in rank, or to the next of 1, 2, 4 … values away"
        return Description(own.name, own.role, text, {**own.facts, "Interval in Rank": reach})


def quantile_brackets(
    ranks: tuple[Rank, ...],
    buckets: int,
    sensitivity: Sensitivity,
    accounting: Accounting,
    loss: Decimal,
    noise: Callable[[Sensitivity, Decimal], Noise],
) -> QuantileBrackets:
    """The choices, and the counts with the noise that `noise` makes for a share, which lose at most `loss` together.

    Claim: `release` of the result is ε-differentially private, or ρ-zCDP. Because: what both are made for adds up to no
    more. Checked by: tests/test_quantile_brackets.py::test_it_keeps_to_its_share.
    Raises ValueError where `loss` is not above 0, or so small that scores have no room.
    """
    own = part(loss, AROUND_SHARE)
    choice = quantile_choice(ranks, buckets, sensitivity, accounting, loss - own)
    return QuantileBrackets(choice, noise(sensitivity, own))


def cuts(chosen: Buckets, buckets: int) -> list[int]:
    """Where parts begin, but for the first: at what was chosen, behind it, and ever further out on either side."""
    found = (cut for each in chosen for away in _away(buckets) for cut in (each - away, each + 1 + away))
    return sorted({cut for cut in found if 0 < cut < buckets})


def _away(buckets: int) -> Iterator[int]:
    yield 0
    yield from (1 << power for power in range((buckets - 1).bit_length()))


def _counts(cells: Cells, cut: Sequence[int]) -> list[int]:
    """What each part counts."""
    counts = [0] * (len(cut) + 1)
    for bucket, count in cells.items():
        counts[bisect_right(cut, bucket)] += count
    return counts


@dataclass(frozen=True, slots=True)
class _CutUp:
    """One histogram. below: the noisy number of all that lies below a cut; and of all, last."""

    made: QuantileBrackets
    cut: Sequence[int]
    below: Sequence[int]

    def ends(self, rank: Rank, chosen: int) -> tuple[Ends, ...]:
        """For each confidence the buckets between which a rank lies. An extreme is open at its end.

        Claim: the exact quantile, interpolated or not, lies outside with a chance of 1 − confidence at most, as far as
        `reach` bounds the noise.
        Because: from the furthest cut inward, each is tested until one fails: whether so little lies below that noise
        alone makes it seem so with half of that chance at most. The quantile lies below the end only if the first cut
        that it lies below passed its own test, and that is one test (Marcus, Peritz, Gabriel 1976). The cuts were told
        before. On the other side alike. Between two rows what is interpolated lies one row further at most.
        Checked by: tests/test_quantile_brackets.py::test_an_interval_holds_the_quantile.
        """
        return tuple((self._low(rank, chosen, each), self._high(rank, chosen, each)) for each in DEVIATIONS.values())

    def _low(self, rank: Rank, chosen: int, deviations: float) -> int | None:
        outside = (at for at, cut in enumerate(self.cut) if cut <= chosen and rank.numerator > 0)
        passed = list(takewhile(lambda at: self._above(at, rank) <= -self._far(at, rank, deviations), outside))
        return self.cut[passed[-1]] if passed else None

    def _high(self, rank: Rank, chosen: int, deviations: float) -> int | None:
        below_end = rank.numerator < rank.denominator
        outside = (at for at in reversed(range(len(self.cut))) if self.cut[at] > chosen and below_end)
        passed = list(takewhile(lambda at: self._above(at, rank) >= self._far(at, rank, deviations), outside))
        return self.cut[passed[-1]] - 1 if passed else None

    def _above(self, at: int, rank: Rank) -> float:
        """How much more than the rank lies below a cut."""
        return self.below[at + 1] - self.below[-1] * rank.numerator / rank.denominator

    def _far(self, at: int, rank: Rank, deviations: float) -> float:
        parts = at + 1, len(self.cut) - at
        return reach(self.made.around, *parts, rank, deviations) + self.made.sensitivity.linf


def reach(noise: Noise, left: int, right: int, rank: Rank, deviations: float) -> float:
    """How far noise moves what lies below a cut, less the rank's share of all, with so many parts on either side.

    deviations: of a normal distribution. Claim: it passes them with no more than their chance, within a twentieth.
    Because: it is a sum of left parts' noises times 1 − q, and right ones' times −q. Of Gaussian noise it is one; of
    Laplace noise with kurtosis κ the quantile is that of a normal distribution and κ·(z³ − 3z)/24 more (Cornish, Fisher
    1938), or less for a z up to √3, where it is left as it is.
    Checked by: tests/test_quantile_brackets.py::test_noise_passes_its_reach_no_more_often.
    """
    q = rank.numerator / rank.denominator
    squares, fourths = (left * (1 - q) ** power + right * q**power for power in (2, 4))
    kurtosis = _LAPLACE_KURTOSIS * fourths / squares**2 if noise.distribution is Distribution.LAPLACE else 0.0
    further = max(0.0, kurtosis * (deviations**3 - 3 * deviations) / 24)
    return noise.stddev * math.sqrt(squares) * (deviations + further)
