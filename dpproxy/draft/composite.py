"""Foreign keys of several columns: no link follows them, but a column of one may say by itself whose a row is.

Where (part, supplier) names a row of another table, and `supplier` there names one of suppliers, then `supplier` here
names that very supplier: it is a link as if it were declared.

Checked by: tests/test_init_several.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from dpproxy.draft.units import Tables, leads
from dpproxy.engines.described import DescribedTable, ForeignKey


def with_parts(tables: Tables) -> Tables:
    """The tables with the links that columns of their composite keys are."""
    return {name: _with_parts(table, tables) for name, table in tables.items()}


def _with_parts(table: DescribedTable, tables: Tables) -> DescribedTable:
    found = [part for key in table.foreign_keys for part in _parts(table, key, tables)]
    return replace(table, foreign_keys=tuple(dict.fromkeys((*table.foreign_keys, *found))))


def _parts(table: DescribedTable, key: ForeignKey, tables: Tables) -> Iterator[ForeignKey]:
    target = tables.get(key.table)
    for further in target.foreign_keys if target is not None and len(key.columns) > 1 else ():
        if (part := _part(table, key, further, tables)) is not None:
            yield part


def _part(table: DescribedTable, key: ForeignKey, further: ForeignKey, tables: Tables) -> ForeignKey | None:
    """The link to where `further` leads, from the column of `key` that names `further`'s own."""
    ends = dict(zip(key.targets, key.columns, strict=True))
    if len(further.columns) != 1 or further.columns[0] not in ends:
        return None
    part = ForeignKey((ends[further.columns[0]],), further.table, further.targets)
    return part if leads(table, part, tables) is None else None


def accounted(table: DescribedTable, key: ForeignKey, somebodys: Collection[str], tables: Tables) -> bool:
    """Whether all that the row which `key` names tells of somebody is told by columns of `key`, which are links."""
    target = tables.get(key.table)
    if target is None or len(key.columns) == 1:
        return False
    further = [each for each in target.foreign_keys if each.table in somebodys]
    parts = [_part(table, key, each, tables) for each in further]
    return bool(parts) and None not in parts and all(part in table.foreign_keys for part in parts)
