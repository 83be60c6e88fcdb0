"""What is known of a column of a step: whether it is private, clipped, hidden, and whose key it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from attacks.equalities import Cell
from attacks.shapes import Share
from dpproxy.catalog.policy import Table

BLOCK: Cell = ("block of units", "")


@dataclass(frozen=True, slots=True)
class Column:
    """private: it depends on private rows. clipped: it is between constants of the text.

    ties: the unit whose key it holds, as (unit, ""), or BLOCK; and columns whose row its value names, as
    (table, column). share: what a unit's rows have of it together. told: what `norms` tells of it.
    """

    private: bool = False
    clipped: bool = False
    hidden: bool = False
    ties: frozenset[Cell] = frozenset()
    share: Share | None = None
    told: str = ""

    @property
    def unit(self) -> bool:
        return any(not column for _, column in self.ties)


PUBLIC = Column()
Columns = Mapping[str, Column]
Sources = Mapping[str, Columns]


def ties_of(table: Table, name: str) -> frozenset[Cell]:
    found = [(link.table, link.target) for link in table.links if link.column == name]
    own = [(table.name, name)] if (name,) in table.unique else []
    return frozenset([*found, *own, *([(table.unit or "", "")] if name == table.unit_key else [])])


def either(left: Column, right: Column) -> Column:
    return Column(
        left.private or right.private,
        left.clipped and right.clipped,
        left.hidden or right.hidden,
        left.ties & right.ties,
    )


def joined(equal: Sequence[frozenset[Cell]], sources: Sources) -> Iterator[tuple[str, str]]:
    """Pairs of sources with columns that are equal, and hold the same of the unit."""
    for cells in equal:
        known = [(alias, sources[alias][name].ties) for alias, name in cells if name in sources.get(alias, {})]
        yield from ((a, b) for a, ties in known for b, others in known if a != b and ties & others)
