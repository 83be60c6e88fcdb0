"""The keys that a policy names: its words alone.

Checked by: tests/test_start.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpproxy.config import Config, faults
from dpproxy.config.consistency import link_target

Key = tuple[str, tuple[str, ...]]
"""A table, and columns of it that are unique together and not null."""


def claims(config: Config) -> frozenset[Key]:
    """What the policy says is unique and not null: primary keys, and targets of links where a row is read.

    Not more: to believe what nobody said because the rows have it so would be a bit of the data.
    """
    primary = {(name, table.primary_key) for name, table in config.tables.items() if table.primary_key}
    return frozenset(primary | {target for _, _, target in row_links(config)})


def mentions(config: Config) -> frozenset[Key]:
    """What a constraint of the engine is believed for: claims, units' keys, and all targets of links."""
    units = {(unit.table, (unit.key,)) for unit in config.units.values()}
    linked = {_target(link) for table in config.tables.values() for _, link in table.links}
    return claims(config) | units | linked


def row_links(config: Config) -> Iterator[tuple[faults.Key, str, Key]]:
    """The links at whose target a row is read to find the unit: where they are written, as they are, and their target.

    Where the target holds the unit's key the link is an equality, and whose row it is needs no row there.
    """
    for name, table in config.tables.items():
        for column, link in table.link.items():
            if unit_key(name, config) is None:
                yield ("tables", name, "link", column), link, _target(link)
        for unit, column, link in table.ways:
            if way_key(column, link, config) is None:
                yield ("tables", name, "units", unit, column), link, _target(link)


def unit_key(name: str, config: Config) -> str | None:
    """The column of `name` that holds its unit's key.

    The unit's own table has the key itself; a link to a column that holds the key holds it too, since a link is an
    equality. Else None: the key is reached by the chain of links.
    """
    table = config.tables[name]
    if table.public or table.unit is None:
        return None
    if config.units[table.unit].table == name:
        return config.units[table.unit].key
    ((column, link),) = table.link.items()
    return way_key(column, link, config)


def way_key(column: str, link: str, config: Config) -> str | None:
    """The column itself, where its link leads to a column that holds the key of its table's unit."""
    target, key = link_target(link)
    return column if unit_key(target, config) == key else None


def _target(link: str) -> Key:
    table, column = link_target(link)
    return table, (column,)
