"""Which released numbers add up to which: what grouping sets say of themselves, before anything is released."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """Numbers of one grouping set: column `column` of release `release`. keys: for each key of the finest level its
    column here; None where it is added up over."""

    release: int
    column: int
    keys: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """One aggregate at several levels: `parts`, the finest, add up to each of `totals`. The keys that a total is added
    up over are public, so that no part is left out."""

    label: str
    parts: Level
    totals: tuple[Level, ...]

    @property
    def levels(self) -> tuple[Level, ...]:
        """All of them, the finest first."""
        return (self.parts, *self.totals)
