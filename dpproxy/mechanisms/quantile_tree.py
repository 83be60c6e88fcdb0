"""Quantiles from a tree of noisy counts: of all buckets, of parts of them, of parts of those (Hay et al. 2010).

Every count gets noise, and any number of quantiles is read off the same ones; so are the ends of their intervals.
Noise is independent of node to node, so it is drawn where a way down comes by, and kept: the same in distribution as if
all of it were there.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import accumulate
from typing import Final

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.histograms import Cells, histograms
from dpproxy.mechanisms.noise import Noise, spread_pairs
from dpproxy.mechanisms.quantile_ends import Ends, ReadOff
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown

_WIDEST_NODE: Final = 12
"""A node has at most 2**12 parts."""
_CENTRAL_95: Final = 2.0
REACHES: Final = {Decimal("0.9"): 1.75, Decimal("0.95"): 2.1, Decimal("0.99"): 2.9, Decimal("0.999"): 4.0}
"""By confidence (those of `DEVIATIONS`), how many standard deviations of what lies below a bucket its interval reaches:
a little more than of a normal distribution, for the tails of a few Laplace noises."""


@dataclass(frozen=True, slots=True)
class QuantileTree(Contract[Sequence[int], list[ReadOff]]):
    """For each key and rank a bucket of its histogram. A node has `branching` parts; noise: of each count.

    sensitivity: in at most l0 histograms, each moved by at most linf in sum over its buckets.
    """

    ranks: tuple[Rank, ...]
    buckets: int
    branching: int
    noise: Noise
    sensitivity: Sensitivity

    @property
    def made_for(self) -> Sensitivity:
        """Of the histograms; linf is in sum over one histogram's buckets."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """Buckets of known keys."""
        return False

    @property
    def levels(self) -> int:
        """How many counts one bucket is in."""
        return levels_of(self.buckets, self.branching)

    def loss(self, accounting: Accounting) -> Loss:
        """Of all counts together, of all histograms that one unit is in."""
        return self.noise.loss(accounting)

    @property
    def pairs(self) -> Pairs:
        """Of the noisy counts. A whole row moves one of them on a level, shares of a row many (`spread_pairs`)."""
        return self.noise.pairs if self.sensitivity.linf == 1 else spread_pairs(self.noise)

    def release(self, exact: Sequence[int]) -> list[ReadOff]:
        """For each histogram the bucket of each rank, and the ends of its intervals.

        Claim: loses `loss`, for histograms that one unit moves by `made_for`.
        Because: on each of the levels the counts of l0 histograms move by linf in sum, so that all of them move by
        levels · l0 · linf in sum, and by the root of levels · l0 · linf² in Euclidean distance, which is what the noise
        is made for. Which counts are drawn, and what is read off them, goes by noisy ones.
        Checked by: tests/test_quantiles.py.
        """
        return [self._of(cells) for cells in histograms(exact, self.buckets)]

    def _of(self, cells: Cells) -> ReadOff:
        tree = _Noisy(self, cells)
        return ReadOff(tuple(map(tree.bucket, self.ranks)), tuple(map(tree.ends, self.ranks)))

    @property
    def inward(self) -> float:
        """How far from the end an extreme is looked for: as far as noise alone reaches."""
        return self.reach(_CENTRAL_95)

    def reach(self, deviations: float) -> float:
        """How far in rank so many standard deviations are."""
        return deviations * _stddev(self.noise, self.buckets, self.branching)

    @property
    def error(self) -> Error:
        """How far in rank a bucket may lie from what was asked for, but in one of twenty cases, nearly.

        Because: what lies below a bucket is, on each level, a part of a node's parts whose sum is known better: its
        variance is a quarter of theirs at most. Counts below 0 are put right, which takes away more.
        Checked by: tests/test_quantiles.py::test_it_seldom_misses_by_more_than_it_says.
        """
        return Error(None, self.inward * (2 if any(rank.is_extreme for rank in self.ranks) else 1))

    @property
    def total_noise(self) -> None:
        """It tells no totals of rows, but places."""

    def described(self, step: float, unit: str) -> Description:
        """How many counts a bucket is in, and how wrong in rank a quantile may be."""
        count, far = len(self.ranks), self.error.half_width * step
        text = (
            f"{count} quantile{'s'[: count - 1]} by a tree of noisy counts, {self.levels} levels of {self.branching} "
        )
        text += f"parts, over {self.buckets:,} values, {self.noise.distribution.value} of standard deviation "
        text += f"{shown(self.noise.stddev * step)}: off in rank by {shown(far)} at most in 95 of 100 cases, "
        text += f"where each {unit} counts as one"
        if any(rank.is_extreme for rank in self.ranks):
            text += f"; MIN and MAX are the values beyond which {shown(self.inward * step)} of them lie"
        facts = {"Mechanism": "noisy tree", "Levels": self.levels, "Quantiles": count, "Error in Rank": far}
        return Description("noisy tree", "Histogram", text, facts)


def levels_of(buckets: int, branching: int) -> int:
    """How many levels below the root a tree over so many buckets has."""
    levels, reached = 1, branching
    while reached < buckets:
        levels, reached = levels + 1, reached * branching
    return levels


def quantile_tree(
    ranks: tuple[Rank, ...], buckets: int, sensitivity: Sensitivity, noise: Callable[[Sensitivity], Noise]
) -> QuantileTree:
    """The tree that has the smallest error, with the noise that `noise` makes for how far one unit moves its counts."""
    bits = min(_WIDEST_NODE, max(1, (buckets - 1).bit_length()))
    made = {1 << each: noise(_moved(buckets, 1 << each, sensitivity)) for each in range(1, bits + 1)}
    best = min(made, key=lambda branching: _stddev(made[branching], buckets, branching))
    return QuantileTree(ranks, buckets, best, made[best], sensitivity)


def _moved(buckets: int, branching: int, sensitivity: Sensitivity) -> Sensitivity:
    return Sensitivity(levels_of(buckets, branching) * sensitivity.l0, sensitivity.linf)


def _stddev(noise: Noise, buckets: int, branching: int) -> float:
    """Of what lies below a bucket."""
    return noise.stddev * math.sqrt(levels_of(buckets, branching) * branching / 4)


@dataclass(frozen=True, slots=True)
class _Noisy:
    """The noisy counts of one histogram that were drawn so far, by level and node."""

    tree: QuantileTree
    cells: Cells
    places: list[int] = field(init=False)
    sums: list[int] = field(init=False)
    drawn: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    settled: dict[tuple[int, int], list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        found = sorted(self.cells.items())
        object.__setattr__(self, "places", [bucket for bucket, _ in found])
        object.__setattr__(self, "sums", [0, *accumulate(count for _, count in found)])

    def bucket(self, rank: Rank) -> int:
        """The bucket within which a rank lies, by the noisy counts."""
        return self._at(self._target(rank, self.total))

    def ends(self, rank: Rank) -> tuple[Ends, ...]:
        """For each confidence the buckets that lie as far below and above in rank as noise reaches.

        Claim: the exact quantile lies between them with about that confidence; of an extreme, one end is open.
        Because: the noisy number of rows below it is off from the exact one by no more, and it falls nowhere.
        Checked by: tests/test_quantiles.py::test_an_interval_of_a_tree_holds_the_quantile.
        """
        within = self.total * rank.numerator / rank.denominator
        return tuple(self._between_ranks(within, self.tree.reach(each)) for each in REACHES.values())

    def _between_ranks(self, within: float, reach: float) -> Ends:
        low, high = within - reach, within + reach
        return self._at(low) if low > 0 else None, self._at(high) if high < self.total else None

    @property
    def total(self) -> float:
        """The noisy number of all rows, which is not below 0."""
        return float(max(sum(self._parts(0, 0)), 0))

    def _at(self, within: float) -> int:
        """The bucket before which so many lie."""
        total, node = self.total, 0
        for level in range(self.tree.levels):
            parts = self._settled(level, node, total)
            part, below = _reached(parts, within)
            total, within, node = parts[part], within - below, node * self.tree.branching + part
        return node

    def _target(self, rank: Rank, total: float) -> float:
        if not rank.is_extreme:
            return total * rank.numerator / rank.denominator
        within = min(self.tree.inward, total / 2)
        return within if rank.numerator == 0 else total - within

    def _settled(self, level: int, node: int, total: float) -> list[float]:
        """The consistent counts of a node's parts, whose own is `total`."""
        if (level, node) not in self.settled:
            self.settled[level, node] = _consistent(self._parts(level, node), total)
        return self.settled[level, node]

    def _parts(self, level: int, node: int) -> list[int]:
        """The noisy counts of a node's parts."""
        if (level, node) not in self.drawn:
            width = self.tree.branching ** (self.tree.levels - level - 1)
            first, last = node * width * self.tree.branching, (node + 1) * width * self.tree.branching
            ends = range(first, min(last, self.tree.buckets), width)
            self.drawn[level, node] = self.tree.noise.release([self._between(end, end + width) for end in ends])
        return self.drawn[level, node]

    def _between(self, first: int, end: int) -> int:
        return self.sums[bisect_left(self.places, end)] - self.sums[bisect_left(self.places, first)]


def _consistent(parts: Sequence[int], total: float) -> list[float]:
    """The nearest counts, by least squares, that are not below 0 and add up to `total`."""
    falling, over = sorted(parts, reverse=True), 0.0
    for index, reached in enumerate(accumulate(falling), 1):
        shift = (reached - total) / index
        if falling[index - 1] - shift <= 0:
            break
        over = shift
    return [max(each - over, 0.0) for each in parts]


def _reached(parts: Sequence[float], within: float) -> tuple[int, float]:
    """The part in which `within` is reached, and what lies below it; without any count the middle one."""
    below, last = 0.0, (len(parts) // 2, 0.0)
    for index, part in enumerate(parts):
        if part > 0:
            last = index, below
            if within <= below + part:
                break
        below += part
    return last
