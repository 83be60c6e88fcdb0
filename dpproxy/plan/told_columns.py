"""What a text of the engine, or the post statement, may be told: columns of released rows, and of the analyst's own."""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.rows import Rows, Value


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a release whose key `key`, a whole number, is that: one for each combination of the other keys, in
    the order of those, whatever the number is."""

    key: int
    number: int

    def __str__(self) -> str:
        return f"k{self.key}v{self.number}"


def values_of(rows: Rows, part: Part | None, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Those of some values, one for each row, that belong to a part; all, where that is None."""
    if part is None:
        return values
    return tuple(each for key, each in zip(rows.column(part.key), values, strict=True) if key == part.number)


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """Column `column` (keys first, then outputs) of release `release`, as an array: of the post statement, or of a
    later release, which reads it as the named parameter `$name`. part: of those rows alone."""

    release: int
    column: int
    part: Part | None = None

    @property
    def name(self) -> str:
        """The parameter's name in the text of an engine."""
        return f"r{self.release}c{self.column}{self.part or ''}"


@dataclass(frozen=True, slots=True)
class OwnColumn:
    """Column `column` of the plan's own table `table`, as an array that is read in the front before the charge; a
    release reads it as the named parameter `$name`."""

    table: int
    column: int

    @property
    def name(self) -> str:
        """The parameter's name in the text of an engine."""
        return f"t{self.table}c{self.column}"


PublicColumn = ReleasedColumn | OwnColumn
"""What a text of the engine may be told."""
