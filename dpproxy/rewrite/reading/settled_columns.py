"""Columns that a public table's primary key settles: GROUP BY n_nationkey, and n_name is selected.

Postgres takes them as they are, since rows with the same primary key have the same name; here they become keys, which
makes no group more, and none less.

Checked by: tests/test_fixtures.py, tests/test_neighbours.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dpproxy.catalog.policy import Catalog


def group_by_settled(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with the columns in GROUP BY that its keys settle."""
    found = [list(_settled(select, catalog)) for select in tree.find_all(exp.Select)]
    if not any(found):
        return tree
    made = tree.copy()
    for select, columns in zip(made.find_all(exp.Select), found, strict=True):
        for column in columns:
            select.args["group"].append("expressions", column)
    return made


def _settled(select: exp.Select, catalog: Catalog) -> Iterator[exp.Column]:
    group = select.args.get("group")
    if group is None or any(value for name, value in group.args.items() if name != "expressions"):
        return
    keys = group.expressions
    sources = {table.alias: table for table in _tables(select) if _is_settled(table, keys, catalog)}
    seen = set(keys)
    for column in _read_above(select) if sources else ():
        if column.table in sources and column not in seen:
            seen.add(column)
            yield column.copy()


def _tables(select: exp.Select) -> Iterator[exp.Table]:
    parts = [select.args.get("from_"), *(select.args.get("joins") or [])]
    yield from (part.this for part in parts if part is not None and isinstance(part.this, exp.Table))


def _is_settled(table: exp.Table, keys: Sequence[exp.Expr], catalog: Catalog) -> bool:
    """Whether the keys have its whole primary key, and it is nobody's."""
    known = catalog.table(table.db or None, table.name) if table.db else None
    grouped = {key.name for key in keys if isinstance(key, exp.Column) and key.table == table.alias}
    return known is not None and bool(known.primary_key) and grouped.issuperset(known.primary_key)


def _read_above(select: exp.Select) -> Iterator[exp.Column]:
    """The columns of what is made of groups that stand in no aggregate."""
    order = select.args.get("order")
    for part in (*select.expressions, select.args.get("having"), *(order.expressions if order is not None else ())):
        for column in part.find_all(exp.Column) if part is not None else ():
            if column.find_ancestor(exp.AggFunc, exp.Select) is select or _is_in_subquery(column, select):
                yield column


def _is_in_subquery(column: exp.Column, select: exp.Select) -> bool:
    """Whether it is read within a query of its own, and in no aggregate of this one."""
    node: exp.Expr | None = column.find_ancestor(exp.Select)
    return node is not select and node is not None and node.find_ancestor(exp.AggFunc, exp.Select) is select
