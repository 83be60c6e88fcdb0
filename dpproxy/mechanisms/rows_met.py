"""How many rows of some units are met by others' rows, where no unit may have more than a clip.

A row r of unit u is met by a(r, v) rows of each other unit v. With a clip τ what is left of all is

    Q(τ) = max Σ w(r, v)   where 0 ≤ w(r, v) ≤ a(r, v) for each row and unit, Σ w(r, v) ≤ `most` over the v of each r,
                           and Σ w(r, v) ≤ τ over all in which a unit is on one side or the other,

a maximum flow from those who meet, through the rows that are met, to those who own them. Without a clip it is the sum
of min(most, a(r)) over all rows, a(r) being all that meet r. So at most = 1 it is how many rows are met at all, and at
k, less the same at k − 1, how many are met k times or more.

A row that counts for so much, above 0 or below it, counts for the most that it is met with, if that is not one number:
it is as many rows as there are steps up to the largest, each of which is met by who meets it with no less. So what is
added up is a sum over rows, each once; what is below 0 is taken from what is above.

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
from dpproxy.mechanisms.pair_totals import ENOUGH, MOST_FINE, MOST_HEAVY, Whole, maximum, sums

MOST_TIMES: Final = 64
"""How often a row may have to be met: of MOST_PAIRS pairs all together then have room in 30 bits."""
_FIRST: Final = 0
_LAST: Final = 1


@dataclass(frozen=True)
class MetTotals:
    """Rows of units, and whom they are met by. owners, others: numbers of the units, from 0; rows: of the rows, from 0,
    each of one owner; amounts: how many rows of the other meet that one, or if `weighted` for how much it counts there.
    alike: units of both sides are of one kind, and have their numbers from it. most: how often a row counts at most;
    room: the same of each row."""

    owners: Whole
    others: Whole
    rows: Whole
    amounts: Whole
    alike: bool = False
    most: int = 1
    weighted: bool = False
    room: Whole | None = None

    @cached_property
    def owner_of(self) -> Whole:
        """Of each row."""
        found = np.zeros(self._count, dtype=np.int64)
        found[self.rows] = self.owners
        return found

    @cached_property
    def counts(self) -> Whole:
        """How often each row counts without a clip."""
        return np.minimum(sums(self.rows, self.amounts, self._count), self._room)

    @property
    def _room(self) -> Whole | int:
        return self.most if self.room is None else self.room

    @cached_property
    def have(self) -> tuple[Whole, Whole]:
        """What each unit can have on the one side and on the other at most; of one kind, on both."""
        owned = sums(self.owner_of, self.counts, _size(self.owners))
        meeting = sums(self.others, self.amounts, _size(self.others))
        if not self.alike:
            return owned, meeting
        size = max(len(owned), len(meeting))
        both = _widened(owned, size) + _widened(meeting, size)
        return both, both

    @cached_property
    def levels(self) -> MetTotals:
        """A row for each level of what counts for so much; itself, where rows are counted."""
        return _by_levels(self)

    @property
    def largest(self) -> int:
        """The most that a unit has."""
        return max(int(each.max(initial=0)) for each in self.levels.have)

    @property
    def _count(self) -> int:
        return _size(self.rows)


def above_zero(met: MetTotals, sign: int) -> MetTotals:
    """Of rows that count for so much: those above 0; with a sign of -1 the sizes of those below."""
    amounts = sign * met.amounts
    there = amounts > 0
    owners, others, rows = (each[there] for each in (met.owners, met.others, met.rows))
    return MetTotals(owners, others, rows, np.minimum(amounts[there], ENOUGH), met.alike, weighted=True)


def _by_levels(met: MetTotals) -> MetTotals:
    """A row for each level: who meets it with so much meets all levels up to there.

    Claim: what is left of them is what would be left if each step were a row of its own, which counts once. Because:
    steps between two amounts are met by the same units, so that they flow together. Rows that are met with one amount
    alone, as all are that count for what they hold themselves, have one level.
    """
    if not met.weighted:
        return met
    there = met.amounts > 0
    owners, others, rows = (each[there] for each in (met.owners, met.others, met.rows))
    ends, at = np.unique(np.stack((rows, met.amounts[there])), axis=1, return_inverse=True)
    at = at.reshape(-1)
    begins = np.append(True, ends[0][1:] != ends[0][:-1])[: ends.shape[1]]
    first = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    room = np.where(begins, ends[1], np.diff(ends[1], prepend=0))
    times = at - first[at] + 1
    if int(times.sum()) > MOST_HEAVY + len(times):
        raise ValueError("rows that are met with more amounts than can be worked out")
    entry = np.repeat(np.arange(len(at)), times)
    level = first[at][entry] + np.arange(len(entry)) - np.repeat(np.cumsum(times) - times, times)
    return MetTotals(owners[entry], others[entry], level, room[level], met.alike, room=room)


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
    fine, clip, parts = _parts(met, power)
    left = _flow(parts, clip)
    return (left // 2 if met.alike else left) >> fine


def most_met_at(met: MetTotals, power: int) -> int:
    """At least `met_at`, for less: what units of either side by themselves leave.

    Because: no unit has more than it can have, or than the clip, and what counts is of one unit of either side.
    Checked by: tests/test_rows_met.py.
    """
    fine, clip, parts = _parts(met, power)
    found = min(int(np.minimum(each, clip).sum()) for each in parts.have)
    return (found // 2 if met.alike else found) >> fine


def _parts(met: MetTotals, power: int) -> tuple[int, int, MetTotals]:
    """By how much what is left is cut off still, the clip, and the rows, in parts where they are cut off before."""
    fine = max(0, power - MOST_FINE)
    if not met.weighted:
        return fine, 1 << power, met
    if fine:
        return 0, 1 << MOST_FINE, _by_levels(replace(met, amounts=met.amounts >> fine))
    return 0, 1 << power, met.levels


def _flow(met: MetTotals, clip: int) -> int:
    """The maximum flow, both ways round where units are of one kind."""
    owned, meeting = met.have
    times, rich = 1 + met.alike, owned > clip
    if not rich.any() and not (meeting > clip).any():
        return times * int(met.counts.sum())
    if not met.alike and not (meeting > clip).any():
        return int(np.minimum(owned, clip).sum())
    many = (meeting > clip)[met.others]
    through = np.minimum(sums(met.rows[~many], met.amounts[~many], len(met.counts)), met._room)
    is_held = rich[met.owner_of]
    free = sums(met.owner_of[is_held], through[is_held], len(rich))
    found = times * int(through[~is_held].sum())
    left = many & (through < met._room)[met.rows]
    rest = replace(met, **{name: getattr(met, name)[left] for name in ("owners", "others", "rows", "amounts")})
    check_wanted()
    return found + _through(rest, met._room - through, rich, free, clip)


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


def _size(ends: Whole) -> int:
    return int(ends.max(initial=-1)) + 1


def _widened(amounts: Whole, size: int) -> Whole:
    return np.append(amounts, np.zeros(size - len(amounts), dtype=np.int64))
