"""The tables of the policy as relations."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.model import Catalog, Table
from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.relations import Cell, Fact, Relation

KEY_FAMILIES = frozenset({Family.INTEGER, Family.UUID, Family.DATE, Family.TEXT})


def table_of(node: exp.Expr, catalog: Catalog) -> Table:
    """The table of the policy that is named there, in quotes."""
    table = catalog.table(_quoted(node.args.get("db")), _quoted(node.this) or "")
    if table is None:
        raise CheckFault(f"{node.name} is no table of the policy")
    return table


def is_public(query: exp.Expr, catalog: Catalog) -> bool:
    """Whether no private table stands anywhere inside."""
    return all(table_of(node, catalog).public for node in query.find_all(exp.Table))


def _quoted(name: object) -> str | None:
    if name is None:
        return None
    require(type(name) is exp.Identifier and name.args.get("quoted"), "a table whose name is not quoted")
    return str(getattr(name, "name", ""))


def scanned(table: Table, catalog: Catalog) -> Relation:
    """The rows of a table of the policy. Raises CheckFault where its unit or its link does not hold together."""
    if table.unit is None:
        public = {column.name: Fact(column.type.family, column.hidden) for column in table.columns}
        return Relation(None, public, unique=table.unique)
    key = table.unit_key
    if key is None:
        origins = {column: frozenset([target]) for column, target in [_checked_link(table, catalog)]}
    else:
        _check_key(table, key, catalog)
        origins = {}
    one_row = key is not None and table.proves_unique(key)
    columns = {
        column.name: Fact(
            column.type.family,
            column.hidden,
            key=column.name == key,
            origins=origins.get(column.name, frozenset()) | _own_origin(table, column.name),
            steady=one_row or column.name == key,
        )
        for column in table.columns
    }
    return Relation(table.unit, columns, one_row)


def _own_origin(table: Table, column: str) -> frozenset[Cell]:
    """The column itself, where it is proved unique and is compared exactly: a value of it then names one row."""
    named = (column,) in table.unique and _family(table, column) in KEY_FAMILIES
    return frozenset([(table.name, column)]) if named else frozenset()


def _check_key(table: Table, key: str, catalog: Catalog) -> None:
    unit = catalog.units.get(table.unit or "")
    if unit is None:
        raise CheckFault(f"{table.name} is of a unit that the policy does not have")
    home = catalog.tables.get(unit.table)
    families = {_family(table, key)} | (set() if home is None else {_family(home, unit.key)})
    require(len(families) == 1 and families <= KEY_FAMILIES, f"the unit key of {table.name} is not of its unit's type")


def _checked_link(table: Table, catalog: Catalog) -> tuple[str, Cell]:
    """The column of the one link of a table without a key, and its target, which is proved unique.

    The policy says that a row's unit is that of its target's row. Of a table with a key it says no such thing.
    """
    require(len(table.links) == 1, f"{table.name} has neither a unit key nor one link")
    (link,) = table.links
    target = catalog.tables.get(link.table)
    if target is None or target.unit != table.unit:
        raise CheckFault(f"{table.name} is not linked to a table of its unit")
    require(target.proves_unique(link.target), f"{table.name} is linked to a column that is not proved unique")
    families = {_family(table, link.column), _family(target, link.target)}
    require(len(families) == 1 and families <= KEY_FAMILIES, f"the link of {table.name} is of two types")
    return link.column, (target.name, link.target)


def _family(table: Table, name: str) -> Family | None:
    return next((column.type.family for column in table.columns if column.name == name), None)
