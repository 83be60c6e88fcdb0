"""How much of what pairs of units contribute is left where no unit may have more than a clip.

Each amount belongs to two units, one of either kind. With a clip τ what is left of all is

    Q(τ) = max Σ wₑ   where 0 ≤ wₑ ≤ xₑ for each pair e, and Σ wₑ ≤ τ over the pairs of each unit,

a maximum flow from one kind to the other. Rows that belong to two units of one kind are pairs both ways round, and half
of the flow counts: the same maximum, where wₑ need not be whole.

Without the units that have no more than τ, which nothing holds down, it is a flow among few: what a unit with more than
τ has with such is left first, since it takes room of one unit alone, and the rest flows between units with more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
MOST_FINE: Final = 30
"""A clip beyond that power of two is cut into as many parts: flows are of whole numbers of 32 bits."""
MOST_HEAVY: Final = 2**23
"""Pairs of units that both have more than a clip: a flow of more takes too long."""
_EXACT: Final = 2**53
"""Sums of whole numbers of floating point are exact below that."""


@dataclass(frozen=True, slots=True)
class PairTotals:
    """Amounts of pairs of units, none below 0; no pair need be there once. one, other: numbers of the units, from 0.
    alike: both are of one kind, and have their numbers from it."""

    one: Whole
    other: Whole
    amounts: Whole
    alike: bool = False

    @property
    def most(self) -> int:
        """The most that a unit has; of two of one kind, of both together. More than 2^MOST_FINE is some such number."""
        if not len(self.amounts):
            return 0
        amounts = np.minimum(self.amounts, (1 << MOST_FINE) + 1)  # so that sums of as many as there can be have room
        have, others_have = _sums(self.one, amounts), _sums(self.other, amounts)
        return sum(map(int, (have.max(), others_have.max()))) if self.alike else int(max(have.max(), others_have.max()))


def above(pairs: PairTotals) -> PairTotals:
    """The amounts above 0."""
    return _kept(pairs, pairs.amounts > 0, pairs.amounts)


def below(pairs: PairTotals) -> PairTotals:
    """The sizes of the amounts below 0."""
    return _kept(pairs, pairs.amounts < 0, -pairs.amounts)


def _kept(pairs: PairTotals, kept: NDArray[np.bool_], amounts: Whole) -> PairTotals:
    if kept.all():
        return replace(pairs, amounts=amounts)
    return PairTotals(pairs.one[kept], pairs.other[kept], amounts[kept], pairs.alike)


def left_at(pairs: PairTotals, power: int) -> int:
    """Q(2^power), in steps where the clip has no more than 2^MOST_FINE of them, else in that many parts of the clip.

    Claim: where the pairs of one unit of any kind leave, it falls by no more than the clip, and never rises. Because:
    what was left without the unit may be left with it; and of what is left with it, all but what the unit has, a clip
    at most, may be left without it. Cut off to whole parts, amounts are whole numbers of them, and the rest holds of
    these. Of a flow both ways round a unit is at both ends: it falls by two clips, and its half, cut off, by one.
    Checked by: tests/test_pair_totals.py.
    Raises ValueError where it cannot be worked out.
    """
    clip, fine = 1 << min(power, MOST_FINE), max(0, power - MOST_FINE)
    amounts = np.minimum(pairs.amounts >> fine, clip)
    if not pairs.alike:
        return _flow(pairs.one, pairs.other, amounts, clip)
    ends = np.concatenate((pairs.one, pairs.other)), np.concatenate((pairs.other, pairs.one))
    return _flow(*ends, np.concatenate((amounts, amounts)), clip) // 2


def _flow(one: Whole, other: Whole, amounts: Whole, clip: int) -> int:
    """The maximum flow. Where only units of one kind have more than a clip, each has that, and the others all."""
    if int(amounts.sum()) <= clip:
        return int(amounts.sum())
    have, others_have = _sums(one, amounts), _sums(other, amounts)
    rich, others_rich = have > clip, others_have > clip
    if not (rich.any() and others_rich.any()):
        return int(np.minimum(others_have if others_rich.any() else have, clip).sum())
    left, right = rich[one], others_rich[other]
    both, alone = left & right, left ^ right
    found = int(amounts[~(left | right)].sum())
    free = [_sums(ends, np.where(alone & there, amounts, 0), len(every)) for ends, there, every in (
        (one, left, rich), (other, right, others_rich))]  # fmt: skip
    taken = [np.minimum(each, clip) for each in free]
    found += sum(int(each.sum()) for each in taken)
    room = clip - taken[0], clip - taken[1]
    kept = both & (room[0][one] > 0) & (room[1][other] > 0) & (amounts > 0)
    return found + (_between(one[kept], other[kept], amounts[kept], room) if kept.any() else 0)


def _sums(ends: Whole, amounts: Whole, size: int = 0) -> Whole:
    """What each unit has, exactly: in two halves, where all together is more than floating point adds up."""
    if int(amounts.sum()) < _EXACT:
        return np.bincount(ends, weights=amounts, minlength=size).astype(np.int64)
    low = np.bincount(ends, weights=amounts & 0x7FFF, minlength=size)
    high = np.bincount(ends, weights=amounts >> 15, minlength=size)
    return low.astype(np.int64) + (high.astype(np.int64) << 15)


def _between(one: Whole, other: Whole, amounts: Whole, room: tuple[Whole, Whole]) -> int:
    """The maximum flow between units that have so much room."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    if len(amounts) > MOST_HEAVY:
        raise ValueError(f"{len(amounts)} pairs of units with more than a clip are more than can be worked out")
    (lefts, at), (rights, to) = np.unique(one, return_inverse=True), np.unique(other, return_inverse=True)
    first, last = len(lefts) + len(rights), len(lefts) + len(rights) + 1
    tails = np.concatenate((at, np.full(len(lefts), first), len(lefts) + np.arange(len(rights))))
    heads = np.concatenate((len(lefts) + to, np.arange(len(lefts)), np.full(len(rights), last)))
    capacities = np.concatenate((amounts, room[0][lefts], room[1][rights]))
    network = csr_array((capacities, (tails, heads)), shape=(last + 1, last + 1), dtype=np.int64)
    network.sum_duplicates()
    network.data = np.minimum(network.data, 1 << MOST_FINE)
    narrow = csr_array((network.data.astype(np.int32), network.indices, network.indptr), shape=network.shape)
    flow = maximum_flow(narrow, first, last).flow.astype(np.int64)
    return _proved(network, csr_array(flow), first, last)


def _proved(network: object, flow: object, first: int, last: int) -> int:
    """The flow's value, where a cut is no larger. Raises ValueError where none is: it is not the maximum then."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    capacities, flowing = csr_array(network), csr_array(flow)
    rest = csr_array(capacities - flowing)
    rest.eliminate_zeros()
    conserved = np.asarray(flowing.sum(axis=1)).ravel()
    value = int(conserved[first])
    conserved[[first, last]] = 0
    reached = np.zeros(capacities.shape[0], dtype=bool)
    reached[breadth_first_order(rest, first, return_predecessors=False)] = True
    edges = capacities.tocoo()
    cut = int(edges.data[reached[edges.row] & ~reached[edges.col]].sum())
    if (rest.nnz and rest.data.min() < 0) or conserved.any() or reached[last] or cut != value:
        raise ValueError("a flow that is not the maximum")
    return value
