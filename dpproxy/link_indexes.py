"""Which indexes of the owner's database would bring rows to their unit sooner, where dpproxy keeps none of its own.

A join along a link reads two columns of the table that it leads to: the one that is linked to, and the next link, or
the unit's key. An index that holds both is read in place of that table. An index of the link itself serves statements
about few units.

Checked by: tests/test_link_indexes.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.engines import Engine, LinkIndex, MissingIndex
from dpproxy.rewrite.calculus.scans import hidden_path


async def missing_indexes(catalog: Catalog, engine: Engine) -> tuple[MissingIndex, ...]:
    """Those that the engine has none like. It looks at the schema alone, and at no row."""
    wanted = link_indexes(catalog)
    return await engine.missing_indexes(wanted) if wanted else ()


def link_indexes(catalog: Catalog) -> tuple[LinkIndex, ...]:
    """Of all private tables that reach their unit over links, each once."""
    private = [table for table in catalog.tables.values() if not table.public]
    return tuple(dict.fromkeys(each for table in private for each in _along(table, catalog)))


def _along(table: Table, catalog: Catalog) -> Iterator[LinkIndex]:
    path = hidden_path(table, catalog)
    if not path:
        return
    yield LinkIndex(table.name, path[0][0])
    onward = [*(column for column, _, _ in path[1:]), path[-1][1].unit_key or ""]
    for (_, parent, target), read in zip(path, onward, strict=True):
        yield LinkIndex(parent.name, target, read)
