"""The rows of the engine where each belongs to two units: totals by pair, for each key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from dpproxy.canonical import canonical, whole
from dpproxy.errors import EngineFailure
from dpproxy.mechanisms.pair_totals import PairTotals, Whole
from dpproxy.mechanisms.paired_noise import Totals
from dpproxy.mechanisms.rows_met import MetTotals
from dpproxy.plan.private_plan import MOST_PAIRS, Bounded, MeasureKind
from dpproxy.plan.rows_met import RowsMet
from dpproxy.plan.space import KeyValues, Space, part_of
from dpproxy.rows import Rows

_PLACES: Final = 2**20
_NOTHING: Final = np.zeros(0, dtype=np.int64)
NO_PAIRS: Final = PairTotals(_NOTHING, _NOTHING, _NOTHING)


def pairs_by_key(bounded: Bounded, exact: Rows, public: Space) -> Mapping[KeyValues, Sequence[Totals]]:
    """Those of the rows whose public combinations are in their blocks, by canonical key.

    Claim: what belongs to a unit is in pairs with that unit's number. Because: a row is kept or dropped by its key
    alone, and equal numbers of one kind, or of two that are alike, become equal ones.
    Checked by: tests/test_pair_neighbours.py.
    Raises EngineFailure for rows that bounded SQL cannot yield, and for more pairs than MOST_PAIRS.
    """
    width = len(bounded.keys)
    columns = width + len(bounded.before_measures) + len(bounded.measures)
    count = len(exact.rows) if exact.numbers is None else exact.numbers.shape[1]
    if count > MOST_PAIRS or any(len(row) != columns for row in exact.rows):
        raise EngineFailure()
    if exact.numbers is not None:
        if width or exact.numbers.shape[0] != columns:
            raise EngineFailure()
        return {(): _totals(bounded, list(exact.numbers))}
    places: dict[KeyValues, list[int]] = {}
    blocks = [(block.places, frozenset(block.combinations)) for block in public]
    for index, row in enumerate(exact.rows):
        key = tuple(canonical(value, each.type) for value, each in zip(row, bounded.keys, strict=False))
        if all(part_of(key, at) in combinations for at, combinations in blocks):
            places.setdefault(key, []).append(index)
    return {key: _totals(bounded, _columns(exact, width, rows)) for key, rows in places.items()}


def _columns(exact: Rows, width: int, rows: Iterable[int]) -> Sequence[Whole]:
    found = [[whole(value) for value in exact.rows[row][width:]] for row in rows]
    return list(np.array(found, dtype=np.int64).T)


def _totals(bounded: Bounded, columns: Sequence[Whole]) -> list[Totals]:
    first, second, *rest = columns
    alike = bounded.pair is not None and bounded.pair[0] == bounded.pair[1]
    if alike:
        both = _numbered(np.concatenate((first, second)))
        one, other = both[: len(first)], both[len(first) :]
    else:
        one, other = _numbered(first), _numbered(second)
    if bounded.met is not None:
        known = _rows_of(bounded.met, (one, other), rest[0], alike)
        counted = [each.kind in (MeasureKind.ROWS, MeasureKind.VALUES) for each in bounded.measures]
        return [_met(known, amounts, each) for amounts, each in zip(rest[1:], counted, strict=True)]
    return [PairTotals(one, other, each, alike) for each in rest]


def _rows_of(met: RowsMet, units: tuple[Whole, Whole], rows: Whole, alike: bool) -> MetTotals:
    """The rows of one side, and whom they are met by.

    Claim: a row is of one owner. Because: what it is known by is its number together with the owner's: rows of several
    units that have a number in common stay several. Checked by: tests/test_met_neighbours.py.
    """
    owners, others = units[met.side], units[1 - met.side]
    (_, known) = np.unique(np.stack((owners, rows)), axis=1, return_inverse=True)
    return MetTotals(owners, others, known.reshape(-1).astype(np.int64), np.zeros_like(owners), alike, met.least)


def _met(known: MetTotals, amounts: Whole, counted: bool) -> Totals:
    """How many rows meet each, or for how much it counts."""
    return replace(known, amounts=np.maximum(amounts, 0)) if counted else replace(known, amounts=amounts, weighted=True)


def _numbered(hashes: Whole) -> Whole:
    """Small numbers in the place of hashes, one for each. Of many, most have their place by their last digits, which is
    quicker than to sort all."""
    if len(hashes) <= _PLACES:
        return np.unique(hashes, return_inverse=True)[1].astype(np.int64)
    found, there = hashes & (_PLACES - 1), np.zeros(_PLACES, dtype=np.int64)
    there[found] = hashes
    others = there[found] != hashes
    found[others] = _PLACES + np.unique(hashes[others], return_inverse=True)[1]
    return found
