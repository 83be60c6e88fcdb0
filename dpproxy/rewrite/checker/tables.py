"""The tables of the policy as relations."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.policy import UNIT_OF_ROW, Catalog, Hop, Table, UnitIndex
from dpproxy.catalog.types import Family
from dpproxy.remembered import remembered
from dpproxy.rewrite.checker.columns import of_column
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.families import of_type
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Held
from dpproxy.rewrite.checker.nodes import columns_of
from dpproxy.rewrite.checker.relations import Cell, ColumnFact, Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import named, only
from dpproxy.rewrite.checker.total import Total

KEY_FAMILIES = frozenset({Family.INTEGER, Family.UUID, Family.DATE, Family.TEXT})


def table_of(node: exp.Expr, catalog: Catalog) -> Table:
    """The table of the policy that is named there, in quotes: by its place in the engine, or else by its name; or that
    whose rows are in the unit index which is named there."""
    schema, relation = _quoted(node.args.get("db")), _quoted(node.this) or ""
    indexed = index_of(node, catalog)
    if indexed is not None:
        return indexed[0]
    place = (schema, relation)
    placed = [table for each in (catalog.tables, catalog.beyond) for table in each.values() if table.place == place]
    table = placed[0] if placed else catalog.known(schema, relation)
    if table is None or len(placed) > 1 or (table.place is not None and not placed):
        raise CheckFault(f"{node.name} is no table of the policy")
    return table


def index_of(node: exp.Expr, catalog: Catalog) -> tuple[Table, UnitIndex] | None:
    """The unit index that is named there, and its table; None where it is none."""
    if not catalog.indexes:
        return None
    place = (_quoted(node.args.get("db")), _quoted(node.this) or "")
    found = [(name, index) for name, index in catalog.indexes.items() if index.place == place]
    require(len(found) < 2, "two unit indexes of one name")
    for name, index in found:
        table = catalog.tables.get(name)
        if table is None:
            raise CheckFault(f"the unit index of {name} is of no table that may be named")
        taken = any(each.place == place for each in (*catalog.tables.values(), *catalog.beyond.values()))
        require(not taken and catalog.known(*place) is None, "a unit index by the name of a table")
        return table, index
    return None


def is_public(query: exp.Expr, catalog: Catalog) -> bool:
    """Whether no private table stands anywhere inside."""
    return all(table_of(node, catalog).public for node in query.find_all(exp.Table))


def is_reading(query: exp.Expr) -> bool:
    """Whether it is a SELECT of one table without an alias: no other query of a plan has such a source."""
    from_ = query.args.get("from_") if type(query) is exp.Select else None
    return from_ is not None and type(from_.this) is exp.Table and not from_.this.alias


def read_table(select: exp.Expr, context: CheckContext) -> Relation:
    """SELECT "a", CAST("b" AS t) AS "b", … FROM "table": a table's rows, each column by its own name.

    Claim: what is proved of the table's columns is of these. Because: an item is a function of its own column alone, so
    that rows that agree on the column agree on the item; keys, and what is unique or names a row, count where the item
    is the column itself, or a cast of it to its own family, which tells all values apart: of a domain, an enum, a
    text with a length.
    What was found of one was proved of one that is written alike, of the same tables.
    Checked by: tests/test_scans.py. Raises CheckFault for any other item.
    """
    if select not in context.readings:
        context.readings[select] = _read_table(select, context)
    return context.readings[select]


def _read_table(select: exp.Expr, context: CheckContext) -> Relation:
    only(select, "expressions", "from_")
    table = table_of(select.args["from_"].this, context.catalog)
    relation, items = scanned(select.args["from_"].this, context), named(select)
    for name, item in items.items():
        read = [column.name for column in columns_of(item)]
        require(set(read) == {name} and name in relation.columns, f"{name} is not read from its own column alone")
        require(all(column.args.get("table") is None for column in columns_of(item)), "a column of another source")
    kept = frozenset(name for name, item in items.items() if tells_apart(item, relation.columns[name].family))
    columns = {
        name: replace(
            fact if name in kept else ColumnFact(_read_family(items[name], fact), fact.hidden, steady=fact.steady),
            held=_read(items[name], fact, context),
        )
        for name, fact in relation.columns.items()
        if name in items
    }
    unique = frozenset(names for names in relation.unique if kept.issuperset(names))
    require(relation.unit is None or table.unit_key is None or table.unit_key in kept, "a unit key that is not one")
    return replace(relation, columns=columns, unique=unique)


def _read(item: exp.Expr, fact: ColumnFact, context: CheckContext) -> Held:
    """How the item is held, which reads one column."""
    return Total(lambda _: fact.held, context.engine)(item)


def tells_apart(item: exp.Expr, family: Family | None) -> bool:
    """Whether an item has two values wherever the column that it reads, which is of that family, has two."""
    match _without_collation(item):
        case exp.Column():
            return True
        case exp.Cast(this=exp.Column()) as item:
            return family in KEY_FAMILIES and of_type(item.to) is family
    return False


def _without_collation(item: exp.Expr) -> exp.Expr:
    """The database's collation is a deterministic one: texts that are equal by it have the same bytes."""
    default = type(item) is exp.Collate and _quoted(item.expression) == "default"
    return item.this if default else item


def _read_family(item: exp.Expr, fact: ColumnFact) -> Family | None:
    item = _without_collation(item)
    if type(item) is exp.AtTimeZone and fact.family is Family.MOMENT:
        return Family.TIMESTAMP  # in UTC, as its rule has seen to
    return of_type(item.to) if type(item) is exp.Cast else fact.family


def _quoted(name: object) -> str | None:
    if name is None:
        return None
    require(type(name) is exp.Identifier and name.args.get("quoted"), "a table whose name is not quoted")
    return str(getattr(name, "name", ""))


def scanned(node: exp.Expr, context: CheckContext) -> Relation:
    """The rows of a table of the policy, or of its unit index. Raises CheckFault where its unit or its link does not
    hold together."""
    indexed = index_of(node, context.catalog)
    if indexed is not None:
        return _with_units(*indexed, context)
    table = table_of(node, context.catalog)
    key = table.unit_key
    if table.unit is None:
        return _public(table, context.engine.name)
    if key is not None:
        _check_key(table, key, context.catalog)
        return _private(table, None, context.engine.name)
    return _private(table, _checked_link(table, context.catalog), context.engine.name)


def _with_units(table: Table, index: UnitIndex, context: CheckContext) -> Relation:
    """The rows of a unit index: its table's, and in UNIT_OF_ROW the key of the unit that the policy says each is of.

    Claim: a row's unit is the value there. Because: the policy says that it is the unit of the row that its one link
    names, and so on to a table that has the key; this walks the same way by the policy's words alone, and the index
    was made along it, in the engine, of the rows that are read here: those of a file that is held, known by the digest
    of its bytes (`Engine.unit_indexes`). Links that dangle lead to nobody, and such rows are not in it.
    Checked by: tests/test_unit_index.py. Raises CheckFault for an index that was made along another way.
    """
    require(all(column.name.lower() != UNIT_OF_ROW for column in table.columns), "a column by the name of the unit's")
    require(table.unit is not None and table.unit_key is None, "a unit index of rows that hold their unit's key")
    here = table
    for hop in index.path:
        column, (parent, target) = _checked_link(here, context.catalog)
        require(hop == Hop(column, parent, target), f"the unit index of {table.name} goes another way than the links")
        here = context.catalog.tables.get(parent) or context.catalog.beyond[parent]
        require(here.unit_key is None or hop is index.path[-1], f"the unit index of {table.name} goes too far")
    require(here.unit_key is not None and index.key == here.unit_key, "a unit index that does not lead to a key")
    _check_key(here, index.key, context.catalog)
    rows = _private(table, _checked_link(table, context.catalog), context.engine.name)
    key = _private(here, None, context.engine.name).columns[index.key]
    held = ColumnFact(key.family, hidden=True, key=True, steady=True, held=key.held)
    return replace(rows, columns={**rows.columns, UNIT_OF_ROW: held})


@remembered(256)
def _public(table: Table, engine: str) -> Relation:
    columns = {
        column.name: ColumnFact(
            column.type.family, column.hidden, held=of_column(column.type, facts_of(engine), column.stored or "")
        )
        for column in table.columns
    }
    return Relation(None, columns, unique=table.unique)


@remembered(256)
def _private(table: Table, link: tuple[str, Cell] | None, engine: str) -> Relation:
    key = table.unit_key
    origins = {} if link is None else {link[0]: frozenset([link[1]])}
    one_row = key is not None and table.proves_unique(key)
    columns = {
        column.name: ColumnFact(
            column.type.family,
            column.hidden,
            key=column.name == key,
            origins=origins.get(column.name, frozenset()) | _own_origin(table, column.name),
            steady=one_row or column.name == key,
            held=of_column(column.type, facts_of(engine), column.stored or ""),
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
    home = catalog.tables.get(unit.table) or catalog.beyond.get(unit.table)
    families = {_family(table, key)} | (set() if home is None else {_family(home, unit.key)})
    require(len(families) == 1 and families <= KEY_FAMILIES, f"the unit key of {table.name} is not of its unit's type")


def _checked_link(table: Table, catalog: Catalog) -> tuple[str, Cell]:
    """The column of the one link of a table without a key, and its target, which is proved unique.

    The policy says that a row's unit is that of its target's row. Of a table with a key it says no such thing.
    """
    require(len(table.links) == 1, f"{table.name} has neither a unit key nor one link")
    (link,) = table.links
    target = catalog.tables.get(link.table) or catalog.beyond.get(link.table)
    if target is None or target.unit != table.unit:
        raise CheckFault(f"{table.name} is not linked to a table of its unit")
    require(target.proves_unique(link.target), f"{table.name} is linked to a column that is not proved unique")
    families = {_family(table, link.column), _family(target, link.target)}
    require(len(families) == 1 and families <= KEY_FAMILIES, f"the link of {table.name} is of two types")
    return link.column, (target.name, link.target)


def _family(table: Table, name: str) -> Family | None:
    return next((column.type.family for column in table.columns if column.name == name), None)
