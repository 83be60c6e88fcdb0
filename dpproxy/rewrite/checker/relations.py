"""What the tables of the policy are, and what is proved of the rows that a SELECT reads from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpproxy.catalog.model import Catalog, Link, Table
from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.fault import CheckFault, require

Cell = tuple[str, str]
KEY_FAMILIES = frozenset({Family.INTEGER, Family.UUID, Family.DATE, Family.TEXT})


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows in FROM. `unit` None: public.

    columns: what expressions may read, with the family of its type where that is known.
    keys: columns that hold the unit's key. link: how a table without a key is tied to its unit.
    origins: columns that are copies of a table's. one_row: a unit has one row at most.
    steady: columns on which all rows of a unit agree. unique: sets of columns proved unique (public tables only).
    """

    unit: str | None
    columns: Mapping[str, Family | None]
    keys: frozenset[str]
    link: Link | None
    origins: Mapping[str, Cell]
    one_row: bool
    steady: frozenset[str]
    unique: frozenset[tuple[str, ...]]


def scanned(table: Table, catalog: Catalog) -> Relation:
    """The rows of a table of the policy."""
    columns: dict[str, Family | None] = {c.name: c.type.family for c in table.columns if not c.hidden}
    if table.unit is None:
        return Relation(None, columns, frozenset(), None, {}, False, frozenset(), table.unique)
    key = table.unit_key
    one_row = key is not None and table.proves_unique(key)
    keys = frozenset() if key is None else frozenset([key])
    if key is not None:
        _check_key(table, key, catalog)
    return Relation(
        unit=table.unit,
        columns=columns,
        keys=keys,
        link=_checked_link(table, catalog) if key is None else None,
        origins={column.name: (table.name, column.name) for column in table.columns},
        one_row=one_row,
        steady=frozenset(columns) if one_row else keys,
        unique=frozenset(),
    )


def _check_key(table: Table, key: str, catalog: Catalog) -> None:
    unit = catalog.units.get(table.unit or "")
    if unit is None:
        raise CheckFault(f"{table.name} is of a unit that the policy does not have")
    home = catalog.tables.get(unit.table)
    families = {_family(table, key)} | (set() if home is None else {_family(home, unit.key)})
    require(len(families) == 1 and families <= KEY_FAMILIES, f"the unit key of {table.name} is not of its unit's type")


def _checked_link(table: Table, catalog: Catalog) -> Link:
    """The one link of a table without a key, onto a target that is proved unique."""
    require(len(table.links) == 1, f"{table.name} has neither a unit key nor one link")
    (link,) = table.links
    target = catalog.tables.get(link.table)
    if target is None or target.unit != table.unit:
        raise CheckFault(f"{table.name} is not linked to a table of its unit")
    require(target.proves_unique(link.target), f"{table.name} is linked to a column that is not proved unique")
    families = {_family(table, link.column), _family(target, link.target)}
    require(len(families) == 1 and families <= KEY_FAMILIES, f"the link of {table.name} is of two types")
    return link


def _family(table: Table, name: str) -> Family | None:
    return next((column.type.family for column in table.columns if column.name == name), None)


def same_unit(left: Relation, x: str, right: Relation, y: str) -> bool:
    """Claim: rows of `left` and `right` with x = y belong to the same unit.

    Because: both are the unit's key; or one is the link of a table without a key, whose target is the other: the policy
    says that the row's unit is its target's, of which there is one, since it is proved unique.
    Checked by: tests/test_checker.py.
    """
    return (x in left.keys and y in right.keys) or _follows(left, x, right, y) or _follows(right, y, left, x)


def _follows(child: Relation, x: str, parent: Relation, y: str) -> bool:
    link = child.link
    return link is not None and link.column == x and parent.origins.get(y) == (link.table, link.target)
