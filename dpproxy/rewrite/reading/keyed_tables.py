"""Public tables whose primary key nothing keeps, joined to other rows: one row for each value of the key.

The owner says that the key is one, and Spark, say, keeps none. Where it is one, a group by it is one row, and the least
of its values is the value. Where it is not, the join meets one row all the same: so nothing is believed, and no private
row is multiplied by a table's size.

Checked by: tests/test_keyed_tables.py, tests/test_fixtures.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.catalog.types import Family

_ORDERED: Final = frozenset({Family.INTEGER, Family.NUMERIC, Family.FLOAT, Family.TEXT, Family.DATE, Family.TIMESTAMP})
"""Of which there is a least one, and it is that of the rows' own type."""


def one_row_for_each_key(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with such a table as a derived one.

    Claim: where no two rows of the table have its key in common, the rows are the same; and there are no two after it
    that have, whatever the table holds. Because: it is grouped by the key. Checked by: tests/test_keyed_tables.py.
    """
    if not any(True for _ in _unkept(tree, catalog)):
        return tree
    made = tree.copy()
    for node, table in list(_unkept(made, catalog)):
        read = {column.name for column in made.find_all(exp.Column) if column.table == node.alias}
        if read.union(table.primary_key) <= _least(table):
            node.replace(_grouped(node, table, read))
    return made


def _unkept(tree: exp.Query, catalog: Catalog) -> Iterator[tuple[exp.Table, Table]]:
    """Those that stand beside what is no such table."""
    for select in tree.find_all(exp.Select):
        parts = [part for part in (select.args.get("from_"), *(select.args.get("joins") or [])) if part is not None]
        public = [part.this for part in parts if _public(part.this, catalog) is not None]
        for node in public if len(public) < len(parts) else ():
            table = _public(node, catalog)
            if table is not None and table.primary_key and not table.proves_unique(*table.primary_key):
                yield node, table


def _public(node: exp.Expr, catalog: Catalog) -> Table | None:
    known = catalog.table(node.db, node.name) if isinstance(node, exp.Table) and node.db else None
    return known if known is not None and known.public else None


def _least(table: Table) -> frozenset[str]:
    """The columns that may be read of a group: those of its key, and those with a least value."""
    shown = [column for column in table.columns if not column.hidden]
    return frozenset(each.name for each in shown if each.type.family in _ORDERED or each.name in table.primary_key)


def _grouped(node: exp.Table, table: Table, read: set[str]) -> exp.Subquery:
    key = [_column(name, node.alias) for name in table.primary_key]
    others = [
        exp.alias_(exp.Min(this=_column(each.name, node.alias)), each.name, quoted=True)
        for each in table.columns
        if each.name in read.difference(table.primary_key)
    ]
    keys = [exp.alias_(each.copy(), each.name, quoted=True) for each in key]
    rows = exp.Select(expressions=[*keys, *others], from_=exp.From(this=node.copy()), group=exp.Group(expressions=key))
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(node.alias, quoted=True)))


def _column(name: str, table: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(table, quoted=True))
