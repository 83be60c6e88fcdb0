"""Which unit indexes there could be: of each table whose rows' unit is found along links, and by which text it is made.

An index only saves time. Whether one is there is the owner's doing, as a record of verified keys is: `dpproxy check
--data` makes it, which may fail for what rows hold, and a proxy that starts makes none. What a statement is called,
what it costs, how it is refused and what EXPLAIN shows are the same with and without (`Bounded.question`).

Checked by: tests/test_unit_index.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from dpproxy.catalog.policy import UNIT_OF_ROW, Catalog, Hop, Table, UnitIndex
from dpproxy.engines import Engine
from dpproxy.rewrite.calculus.scans import engine_name, hidden_path, quoted, read_columns


@dataclass(frozen=True, slots=True)
class WantedIndex:
    """The way to the unit: links, and the column that holds its key at their end. definition: what its rows are."""

    path: tuple[Hop, ...]
    key: str
    definition: str


def wanted_indexes(catalog: Catalog, held: Collection[str]) -> Mapping[str, WantedIndex]:
    """By table, of those tables whose whole way is in `held`: rows that stay as they are while the engine is open."""
    found = {name: _wanted(table, catalog) for name, table in catalog.tables.items() if not table.public}
    return {
        name: each
        for name, each in found.items()
        if each is not None and {name, *(hop.table for hop in each.path)} <= set(held)
    }


def _wanted(table: Table, catalog: Catalog) -> WantedIndex | None:
    path = hidden_path(table, catalog)
    if not path or any(column.name.lower() == UNIT_OF_ROW for column in table.columns):
        return None
    key, names = path[-1][1].unit_key or "", ["s0", *(f"h{place}" for place in range(len(path)))]
    sources = [f"{engine_name(table)} AS s0"]
    for (column, parent, target), here, there in zip(path, names, names[1:], strict=False):
        tied = f"{here}.{quoted(column)} = {there}.{quoted(target)}"
        sources.append(f"JOIN {engine_name(parent)} AS {there} ON {tied}")
    unit, read = f"{names[-1]}.{quoted(key)}", read_columns(table)
    columns = [f"s0.{quoted(each.name)}" for each in table.columns if each.name in read]
    items = [f"{unit} AS {quoted(UNIT_OF_ROW)}", *columns]
    definition = f"SELECT {', '.join(items)} FROM {' '.join(sources)} WHERE {unit} IS NOT NULL"
    return WantedIndex(tuple(Hop(column, parent.name, target) for column, parent, target in path), key, definition)


async def with_indexes(catalog: Catalog, wanted: Mapping[str, WantedIndex], engine: Engine) -> Catalog:
    """The catalog with those indexes that the engine has."""
    if not wanted:
        return catalog
    places = await engine.unit_indexes({name: each.definition for name, each in wanted.items()})
    indexes = {name: UnitIndex(place, wanted[name].path, wanted[name].key) for name, place in places.items()}
    return replace(catalog, indexes=indexes)
