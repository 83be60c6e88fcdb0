"""The ways from tables to their unit, along foreign keys that can be links."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from dpproxy.draft.units import DraftUnit, leads
from dpproxy.engines.described import DescribedTable, ForeignKey

Tables = Mapping[str, DescribedTable]


@dataclass(frozen=True, slots=True)
class Way:
    """The link of a table (None: it is the unit's own), how many steps away the unit is, and what was not taken.

    nullable: some column on the way may be NULL; rows that have it there belong to nobody.
    """

    link: ForeignKey | None
    steps: int = 0
    nullable: bool = False
    others: tuple[ForeignKey, ...] = ()


def ways(tables: Tables, unit: DraftUnit) -> dict[str, Way]:
    """The way of each table that has one, the nearest tables first.

    Of several, one without nullable columns, then the shortest, then the first by name: each table's way goes on as its
    target's does, so no way goes in a circle.
    """
    found: dict[str, Way] = {}
    backwards = _backwards(tables)
    todo: list[tuple[bool, int, str, tuple[str, ...], ForeignKey | None]] = [(False, 0, unit.table, (), None)]
    while todo:
        nullable, steps, name, _, link = heapq.heappop(todo)
        if name in found:
            continue
        found[name] = Way(link, steps, nullable)
        for near, key in backwards.get(name, ()):
            column = tables[near].column(key.columns[0])
            unsure = nullable or column is None or column.nullable
            heapq.heappush(todo, (unsure, steps + 1, near, key.columns, key))
    order = sorted(found, key=lambda name: (found[name].steps, name))
    return {name: _with_others(tables[name], found[name], found, tables) for name in order}


def _backwards(tables: Tables) -> Mapping[str, list[tuple[str, ForeignKey]]]:
    """For each table the foreign keys that lead to it and can be links, with the tables that have them."""
    found: defaultdict[str, list[tuple[str, ForeignKey]]] = defaultdict(list)
    for name, table in tables.items():
        for key in table.foreign_keys:
            if leads(table, key, tables) is None:
                found[key.table].append((name, key))
    return found


def _with_others(table: DescribedTable, way: Way, found: Mapping[str, Way], tables: Tables) -> Way:
    """Links that would do, too: those to tables whose own way does not go through this one."""
    others = tuple(
        key
        for key in table.foreign_keys
        if way.link not in (key, None) and leads(table, key, tables) is None and not _passes(key.table, table, found)
    )
    return Way(way.link, way.steps, way.nullable, others)


def _passes(name: str, table: DescribedTable, found: Mapping[str, Way]) -> bool:
    """Whether there is no way from `name`, or it goes through `table`."""
    while name != table.name and name in found:
        link = found[name].link
        if link is None:
            return False
        name = link.table
    return True
