"""How much of what pairs of units contribute is left where no unit may have more than a clip.

Each amount belongs to two units, one of either kind. With a clip τ what is left of all is

    Q(τ) = max Σ wₑ   where 0 ≤ wₑ ≤ xₑ for each pair e, and Σ wₑ ≤ τ over the pairs of each unit,

a maximum flow from one kind to the other. Rows that belong to two units of one kind are pairs both ways round, and half
of the flow counts: the same maximum, where wₑ need not be whole.

Without the units that have no more than τ, which nothing holds down, it is a flow among few: what a unit with more than
τ has with such is left first, since it takes room of one unit alone, and the rest flows between units with more. How
much each unit has is worked out once; where units of one kind alone have more than τ, that is enough, and pairs are not
looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpproxy.interruption import check_wanted

Whole = NDArray[np.int64]
MOST_FINE: Final = 30
"""A clip beyond that power of two is cut into as many parts: flows are of whole numbers of 32 bits."""
MOST_HEAVY: Final = 2**23
"""Pairs of units that both have more than a clip: a flow of more takes too long."""
ENOUGH: Final = 2**37
"""More than any clip has parts. Sums of as many amounts as there can be have room, if they are cut down to that."""

_ROUNDING: Final = 1e-6
_EXACT: Final = 2**53
"""Sums of whole numbers of floating point are exact below that."""


@dataclass(frozen=True)
class PairTotals:
    """Amounts of pairs of units, none below 0; no pair need be there once. one, other: numbers of the units, from 0.
    alike: both are of one kind, and have their numbers from it."""

    one: Whole
    other: Whole
    amounts: Whole
    alike: bool = False

    @cached_property
    def held(self) -> Whole:
        """The amounts, where more than ENOUGH is that."""
        return self.amounts if self._largest <= ENOUGH else np.minimum(self.amounts, ENOUGH)

    @cached_property
    def have(self) -> tuple[Whole, Whole]:
        """What each unit of either kind holds in all of its pairs; of one kind, in pairs both ways round."""
        sizes = [int(ends.max(initial=-1)) + 1 for ends in (self.one, self.other)]
        if not self.alike:
            return sums(self.one, self.held, sizes[0]), sums(self.other, self.held, sizes[1])
        every = sums(self.one, self.held, max(sizes)) + sums(self.other, self.held, max(sizes))
        return every, every

    @cached_property
    def total(self) -> int:
        """All that is held."""
        return int(self.held.sum())

    @property
    def most(self) -> int | None:
        """The most that a unit has; None: more than there is room for."""
        return max(int(each.max(initial=0)) for each in self.have) if self._largest <= ENOUGH else None

    @cached_property
    def _largest(self) -> int:
        return int(self.amounts.max(initial=0))


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
    Raises ValueError where it cannot be worked out, and InterruptedError where nobody waits for it.
    """
    check_wanted()
    clip, parts = _parts(pairs, power)
    return _flow(parts, clip) // 2 if pairs.alike else _flow(parts, clip)


def most_left_at(pairs: PairTotals, power: int) -> int:
    """At least `left_at`, for less: what units of either kind by themselves leave.

    Because: no unit leaves more than it has, or than the clip, and each amount is of one unit of either kind.
    Checked by: tests/test_pair_totals.py.
    """
    clip, parts = _parts(pairs, power)
    least = min(int(np.minimum(each, clip).sum()) for each in parts.have)
    return least // 2 if pairs.alike else least


def _parts(pairs: PairTotals, power: int) -> tuple[int, PairTotals]:
    """The clip and the amounts, in parts."""
    fine = max(0, power - MOST_FINE)
    return 1 << (power - fine), replace(pairs, amounts=pairs.amounts >> fine) if fine else pairs


def _flow(pairs: PairTotals, clip: int) -> int:
    """The maximum flow. Where only units of one kind have more than a clip, each has that, and the others all."""
    have, others_have = pairs.have
    rich, others_rich = have > clip, others_have > clip
    if not (rich.any() and others_rich.any()):
        return int(np.minimum(others_have if others_rich.any() else have, clip).sum())
    both = rich[pairs.one] & others_rich[pairs.other]
    one, other, amounts = pairs.one[both], pairs.other[both], pairs.held[both]
    if pairs.alike:
        one, other, amounts = np.append(one, other), np.append(other, one), np.append(amounts, amounts)
    total = 2 * pairs.total if pairs.alike else pairs.total
    found = total - int(have[rich].sum()) - int(others_have[others_rich].sum()) + int(amounts.sum())
    alone = have - sums(one, amounts, len(have)), others_have - sums(other, amounts, len(others_have))
    taken = [np.where(there, np.minimum(each, clip), 0) for each, there in zip(alone, (rich, others_rich), strict=True)]
    found += sum(int(each.sum()) for each in taken)
    room = clip - taken[0], clip - taken[1]
    kept = (room[0][one] > 0) & (room[1][other] > 0)
    amounts = np.minimum(amounts[kept], clip)
    if not amounts.any():
        return found
    check_wanted()
    between = one[kept], other[kept], amounts, room
    spread = _spread(*between)
    return found + (_between(*between) if spread is None else spread)


def _spread(one: Whole, other: Whole, amounts: Whole, room: tuple[Whole, Whole]) -> int | None:
    """The maximum flow between units that have so much room, where it is found without looking for one: each unit of
    one kind fills its room from all of its pairs in proportion, and none of the other has more than its room then.

    Because: that is a flow, if not of whole numbers, in which each of these units has what it can have at all; and
    where all capacities are whole, the largest flow of whole numbers is as large as any. _ROUNDING is more than what
    floating point errs by.
    Checked by: tests/test_pair_totals.py.
    """
    for ends, others, own, theirs in ((one, other, *room), (other, one, *room[::-1])):
        fitting = np.minimum(amounts, theirs[others])
        have = sums(ends, fitting, len(own))
        filled = np.minimum(1.0, own / np.maximum(have, 1))
        others_have = np.bincount(others, weights=fitting * filled[ends], minlength=len(theirs))
        if (others_have <= theirs * (1 - _ROUNDING)).all():
            return int(np.minimum(own, have).sum())
    return None


def sums(ends: Whole, amounts: Whole, size: int = 0) -> Whole:
    """What each unit has, exactly: in two halves, where all together is more than floating point adds up."""
    if int(amounts.sum()) < _EXACT:
        return np.bincount(ends, weights=amounts, minlength=size).astype(np.int64)
    low = np.bincount(ends, weights=amounts & 0x7FFF, minlength=size)
    high = np.bincount(ends, weights=amounts >> 15, minlength=size)
    return low.astype(np.int64) + (high.astype(np.int64) << 15)


def _places(ends: Whole, size: int) -> tuple[Whole, Whole]:
    """The units that are there, and the place of each among them."""
    there = np.zeros(size, dtype=bool)
    there[ends] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[ends]


def _between(one: Whole, other: Whole, amounts: Whole, room: tuple[Whole, Whole]) -> int:
    """The maximum flow between units that have so much room."""
    if len(amounts) > MOST_HEAVY:
        raise ValueError(f"{len(amounts)} pairs of units with more than a clip are more than can be worked out")
    (lefts, at), (rights, to) = _places(one, len(room[0])), _places(other, len(room[1]))
    first, last = len(lefts) + len(rights), len(lefts) + len(rights) + 1
    tails = np.concatenate((at, np.full(len(lefts), first), len(lefts) + np.arange(len(rights))))
    heads = np.concatenate((len(lefts) + to, np.arange(len(lefts)), np.full(len(rights), last)))
    capacities = np.concatenate((amounts, room[0][lefts], room[1][rights]))
    return maximum(tails, heads, capacities, first, last)


def maximum(tails: Whole, heads: Whole, capacities: Whole, first: int, last: int) -> int:
    """The maximum flow from one place to another, no more than 2^MOST_FINE between any two. Raises ValueError where it
    is not found."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    size = int(max(tails.max(), heads.max())) + 1
    network = csr_array((capacities, (tails, heads)), shape=(size, size), dtype=np.int64)
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
