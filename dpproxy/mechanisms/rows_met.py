"""How many rows of some units are met by others' rows, where no unit may have more than a clip.

A row r of unit u is met by a(r, v) rows of each other unit v. With a clip τ what is left of all is

    Q(τ) = max Σ w(r, v)   where 0 ≤ w(r, v) ≤ a(r, v) for each row and unit, Σ w(r, v) ≤ `most` over the v of each r,
                           and Σ w(r, v) ≤ τ over all in which a unit is on one side or the other,

a maximum flow from those who meet, through the rows that are met, to those who own them. Without a clip it is the sum
of min(most, a(r)) over all rows, a(r) being all that meet r. So at most = 1 it is how many rows are met at all, and at
k, less the same at k − 1, how many are met k times or more.

Where owners and those who meet are units of one kind, a flow goes through each row both ways round, and half of it
counts: the same maximum, where w need not be whole.

Who has no more than τ holds nothing down. What comes from such units is let through first, since it takes room of
owners alone; and what is left is a flow among the rows of units with more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpproxy.interruption import check_wanted
from dpproxy.mechanisms.pair_totals import MOST_FINE, MOST_HEAVY, Whole, maximum

MOST_TIMES: Final = 64
"""How often a row may have to be met: of MOST_PAIRS pairs all together then have room in 30 bits."""
_FIRST: Final = 0
_LAST: Final = 1


@dataclass(frozen=True)
class MetTotals:
    """Rows of units, and whom they are met by. owners, others: numbers of the units, from 0; rows: of the rows, from 0,
    each of one owner; amounts: how many rows of the other meet that one. alike: units of both sides are of one kind,
    and have their numbers from it. most: how often a row counts at most."""

    owners: Whole
    others: Whole
    rows: Whole
    amounts: Whole
    alike: bool = False
    most: int = 1

    @cached_property
    def owner_of(self) -> Whole:
        """Of each row."""
        found = np.zeros(self._count, dtype=np.int64)
        found[self.rows] = self.owners
        return found

    @cached_property
    def counts(self) -> Whole:
        """How often each row counts without a clip."""
        return np.minimum(_sums(self.rows, self.amounts, self._count), self.most)

    @cached_property
    def have(self) -> tuple[Whole, Whole]:
        """What each unit can have on the one side and on the other at most; of one kind, on both."""
        owned = _sums(self.owner_of, self.counts, _size(self.owners))
        meeting = _sums(self.others, self.amounts, _size(self.others))
        if not self.alike:
            return owned, meeting
        size = max(len(owned), len(meeting))
        both = _widened(owned, size) + _widened(meeting, size)
        return both, both

    @property
    def largest(self) -> int:
        """The most that a unit has."""
        return max(int(each.max(initial=0)) for each in self.have)

    @property
    def _count(self) -> int:
        return _size(self.rows)


def at_most(met: MetTotals, most: int) -> MetTotals:
    """The same where each row counts so often at most."""
    if not most or not len(met.amounts):
        nothing = np.zeros(0, dtype=np.int64)
        return MetTotals(nothing, nothing, nothing, nothing, met.alike, most)
    there = met.amounts > 0
    owners, others, rows = (each[there] for each in (met.owners, met.others, met.rows))
    return MetTotals(owners, others, rows, np.minimum(met.amounts[there], most), met.alike, most)


def met_at(met: MetTotals, power: int) -> int:
    """Q(2^power), in steps where the clip has no more than 2^MOST_FINE of them, else in that many parts of the clip.

    Claim: where all rows of one unit leave, those that it owns and those by which it meets others, it falls by no more
    than the clip, and never rises. Because: what was left without the unit may be left with it; and of what is left
    with it, all but what it has on either side, a clip at most, may be left without it: no other row's amounts, and
    not how often a row may count, depend on it. Of a flow both ways round a unit is at both ends: it falls by two
    clips, and its half, cut off, by one; and so does what is cut off to whole parts.
    Checked by: tests/test_rows_met.py.
    Raises ValueError where it cannot be worked out, and InterruptedError where nobody waits for it.
    """
    check_wanted()
    left = _flow(met, 1 << power)
    return (left // 2 if met.alike else left) >> max(0, power - MOST_FINE)


def most_met_at(met: MetTotals, power: int) -> int:
    """At least `met_at`, for less: what units of either side by themselves leave.

    Because: no unit has more than it can have, or than the clip, and what counts is of one unit of either side.
    Checked by: tests/test_rows_met.py.
    """
    found = min(int(np.minimum(each, 1 << power).sum()) for each in met.have)
    return (found // 2 if met.alike else found) >> max(0, power - MOST_FINE)


def _flow(met: MetTotals, clip: int) -> int:
    """The maximum flow, both ways round where units are of one kind."""
    owned, meeting = met.have
    times, rich = 1 + met.alike, owned > clip
    if not rich.any() and not (meeting > clip).any():
        return times * int(met.counts.sum())
    if not met.alike and not (meeting > clip).any():
        return int(np.minimum(owned, clip).sum())
    many = (meeting > clip)[met.others]
    through = np.minimum(_sums(met.rows[~many], met.amounts[~many], len(met.counts)), met.most)
    is_held = rich[met.owner_of]
    free = _sums(met.owner_of[is_held], through[is_held], len(rich))
    found = times * int(through[~is_held].sum())
    left = many & (through < met.most)[met.rows]
    rest = replace(met, **{name: getattr(met, name)[left] for name in ("owners", "others", "rows", "amounts")})
    check_wanted()
    return found + _through(rest, met.most - through, rich, free, clip)


@dataclass(frozen=True, slots=True)
class _Edges:
    tails: Whole
    heads: Whole
    room: Whole


def _through(rest: MetTotals, room: Whole, rich: NDArray[np.bool_], free: Whole, clip: int) -> int:
    """The maximum flow of the rest. room: how often each row may count still; free: what comes to owners that have more
    than a clip by others that have not."""
    if len(rest.amounts) > MOST_HEAVY:
        raise ValueError(f"{len(rest.amounts)} rows of units with more than a clip are more than can be worked out")
    units = max(_size(rest.others), len(rich))
    lefts, rights = _LAST + 1, _LAST + 1 + units
    nodes = rights + units
    there, at = np.unique(rest.rows, return_inverse=True)
    owners = rest.owner_of[there]
    held = rich[owners]
    meeting = _Edges(lefts + rest.others, nodes + at, rest.amounts)
    counting = _Edges(nodes + np.arange(len(there)), np.where(held, rights + owners, _LAST), room[there])
    waiting = np.flatnonzero(free)
    parts = [meeting, counting, _of_each(_FIRST, rights + waiting, free[waiting])]
    meets, owns = np.unique(rest.others), np.flatnonzero(rich)
    clips = [_of_each(_FIRST, lefts + meets, clip), _turned(_of_each(_LAST, rights + owns, clip))]
    if rest.alike:
        again = nodes + len(there) + np.arange(len(there))
        parts += [
            _Edges(again[at], rights + rest.others, rest.amounts),
            _Edges(np.where(held, lefts + owners, _FIRST), again, room[there]),
            _turned(_of_each(_LAST, lefts + waiting, free[waiting])),
        ]
        every = np.union1d(meets, owns)
        clips = [_of_each(_FIRST, lefts + every, clip), _turned(_of_each(_LAST, rights + every, clip))]
    parts += clips
    tails, heads, rooms = (np.concatenate([getattr(each, name) for each in parts]) for name in _Edges.__slots__)
    places, packed = np.unique(np.concatenate((tails, heads)), return_inverse=True)
    if len(places) < 2 or places[0] != _FIRST or places[1] != _LAST:
        return 0
    return maximum(packed[: len(tails)], packed[len(tails) :], rooms, _FIRST, _LAST)


def _of_each(first: int, places: Whole, room: Whole | int) -> _Edges:
    """From one place to each of some."""
    return _Edges(np.full(len(places), first), places, np.broadcast_to(np.asarray(room, dtype=np.int64), len(places)))


def _turned(edges: _Edges) -> _Edges:
    return _Edges(edges.heads, edges.tails, edges.room)


def _sums(ends: Whole, amounts: Whole, size: int) -> Whole:
    """Of whole numbers that are small together."""
    return np.bincount(ends, weights=amounts, minlength=size).astype(np.int64)


def _size(ends: Whole) -> int:
    return int(ends.max(initial=-1)) + 1


def _widened(amounts: Whole, size: int) -> Whole:
    return np.append(amounts, np.zeros(size - len(amounts), dtype=np.int64))
