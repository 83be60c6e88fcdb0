"""Histograms of few values among many buckets, one after the other: a long vector that is mostly 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

Cells = dict[int, int]
"""What each bucket counts, in the order of the buckets; those that are not there count nothing."""


@dataclass(frozen=True, slots=True)
class Histograms(Sequence[int]):
    """One histogram of `buckets` counts for each key."""

    buckets: int
    cells: tuple[Cells, ...]

    def __len__(self) -> int:
        return self.buckets * len(self.cells)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return self.cells[place // self.buckets].get(place % self.buckets, 0)


def histograms(exact: Sequence[int], buckets: int) -> tuple[Cells, ...]:
    """The histograms that a vector is made of."""
    if isinstance(exact, Histograms) and exact.buckets == buckets:
        return exact.cells
    firsts = range(0, len(exact), buckets)
    return tuple({at: each for at, each in enumerate(exact[first : first + buckets]) if each} for first in firsts)
