"""The row before or behind each of a unit's rows, as a value: LAG and LEAD, where a key numbers the rows.

    asked   SELECT h.pay - (SELECT p.pay FROM pays p WHERE p.emp = h.emp AND p.since < h.since
                            ORDER BY p.since DESC LIMIT 1) FROM pays h
    made    SELECT h.pay - h."adjacent 0" FROM (SELECT h.emp, h.since, h.pay,
                            LAG(h.pay) OVER (PARTITION BY h.emp ORDER BY h.since) AS "adjacent 0" FROM pays h) AS h

So the unit's rows are sorted once, where each would meet all of them.

Claim: both have the same rows. Because: (emp, since) is proved unique and not null, so that the rows of one emp are in
one order without ties, and the first of those that are before a row is the one that LAG reads; all rows of the table
are there for it, since conditions of the query around stay outside.
Checked by: tests/test_fixtures.py (rewrite/subqueries.sql), tests/test_executed.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog, Table
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.calculus.order_and_limit import end_of
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.expression_queries import outermost
from dpproxy.rewrite.statement.first_rows import everywhere, row_level

_CLAUSES: Final = frozenset({"expressions", "from_", "where", "order", "limit"})
_MIRRORED: Final[Mapping[type[exp.Expr], type[exp.Expr]]] = {exp.LT: exp.GT, exp.GT: exp.LT}
_COLUMN: Final = "dpproxy adjacent"


def adjacent_rows_windowed(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with such values read from windows."""
    if not any(_found(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        if found := _found(select, catalog):
            _read(select, found)
    return unique_aliases(made)


def _found(select: exp.Select, catalog: Catalog) -> dict[exp.Subquery, exp.Window]:
    """The values of single rows of the one table in FROM, each with its window."""
    source = select.args.get("from_")
    node = None if source is None or select.args.get("joins") else source.this
    table = catalog.table(node.db, node.name) if isinstance(node, exp.Table) and node.db else None
    if node is None or table is None or table.unit_key is None or node.args.get("sample"):
        return {}
    values = [each for root in row_level(select) for each in outermost(root) if isinstance(each, exp.Subquery)]
    windows = {each: _window(each.this, node, table) for each in values}
    return {each: window for each, window in windows.items() if window is not None}


def _window(query: exp.Expr, around: exp.Table, table: Table) -> exp.Window | None:
    """What a query reads of the row that is next to one of `around`; None: it reads something else."""
    ordered = _order(query, around)
    if not isinstance(query, exp.Select) or ordered is None:
        return None
    inner, item = query.args["from_"].this.alias_or_name, query.expressions[0].unalias()
    compared = [_compared(part, inner, around.alias_or_name) for part in where_of(query)]
    keys = {each[1] for each in compared if each is not None and each[0] is exp.EQ}
    steps = [each for each in compared if each is None or each[0] is not exp.EQ]
    if len(steps) != 1 or steps[0] is None or table.unit_key not in keys or not _is_of(item, inner):
        return None
    kind, name = steps[0]
    before = kind is exp.LT
    along = _name(ordered.this, inner) == name and bool(ordered.args.get("desc")) is before
    made = along and _is_key(table, {*keys, name})
    return _made(item, around.alias_or_name, sorted(keys), name, before) if made else None


def _order(query: exp.Expr, around: exp.Table) -> exp.Expr | None:
    """By what the one row of the same table is the first that a query has; None: it is another query."""
    if not isinstance(query, exp.Select) or any(value for name, value in query.args.items() if name not in _CLAUSES):
        return None
    source, limit, order = (query.args.get(name) for name in ("from_", "limit", "order"))
    if source is None or limit is None or order is None or end_of(limit).name != "1":
        return None
    node = source.this
    same = (
        isinstance(node, exp.Table) and (node.db, node.name) == (around.db, around.name) and not node.args.get("sample")
    )
    alone = len(order.expressions) == len(query.expressions) == 1
    found: exp.Expr = order.expressions[0]
    return found if same and alone else None


def _compared(part: exp.Expr, inner: str, alias: str) -> tuple[type[exp.Expr], str] | None:
    """How the query's row is compared with the one around it, and by which column of both."""
    kind = type(part)
    if kind not in (exp.EQ, *_MIRRORED):
        return None
    for left, right, seen in (
        (part.this, part.expression, kind),
        (part.expression, part.this, _MIRRORED.get(kind, kind)),
    ):
        name = _name(left, inner)
        if name is not None and name == _name(right, alias):
            return seen, name
    return None


def _name(node: exp.Expr, alias: str) -> str | None:
    return node.name if isinstance(node, exp.Column) and node.table == alias else None


def _is_of(item: exp.Expr, inner: str) -> bool:
    """Whether a value is of one row."""
    if item.find(exp.AggFunc, exp.Window, exp.Query, exp.Exists) is not None:
        return False
    return all(column.table == inner for column in item.find_all(exp.Column))


def _is_key(table: Table, names: set[str]) -> bool:
    """Whether no two rows agree on columns, of which each has a value: rows without a unit count nowhere."""
    sure = {column.name for column in table.columns if not column.nullable or column.name == table.unit_key}
    return names <= sure and any(names.issuperset(unique) for unique in table.unique)


def _made(item: exp.Expr, alias: str, keys: Sequence[str], name: str, before: bool) -> exp.Window:
    value = item.copy()
    for column in list(value.find_all(exp.Column)):
        column.set("table", exp.to_identifier(alias, quoted=True))
    ordered = exp.Ordered(this=_column(name, alias), desc=False, nulls_first=False)
    return exp.Window(
        this=(exp.Lag if before else exp.Lead)(this=value),
        partition_by=[_column(key, alias) for key in keys],
        order=exp.Order(expressions=[ordered]),
    )


def _column(name: str, alias: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(alias, quoted=True))


def _read(select: exp.Select, found: dict[exp.Subquery, exp.Window]) -> None:
    """Put the table with the windows in the place of the table, and its columns in that of the values."""
    source = select.args["from_"].this
    alias, items = source.alias_or_name, list[exp.Expr]()
    for number, (value, window) in enumerate(found.items()):
        name = f"{_COLUMN} {number}"
        items.append(exp.alias_(window, name, quoted=True))
        read = stands_for(_column(name, alias), value)
        for part in everywhere(select):
            for node in [each for each in outermost(part) if each == value]:
                node.replace(read.copy())
    names = {column.name for column in select.find_all(exp.Column) if column.table == alias}
    kept = [
        exp.alias_(_column(each, alias), each, quoted=True) for each in sorted(names) if not each.startswith(_COLUMN)
    ]
    rows = exp.Select(expressions=[*kept, *items], from_=exp.From(this=source.copy()))
    select.args["from_"].set(
        "this", exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    )
