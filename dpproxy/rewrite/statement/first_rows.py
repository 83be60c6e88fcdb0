"""The first of a unit's own rows as a value, by ORDER BY and LIMIT 1: the row is joined, as LATERAL would.

    asked   SELECT avg(h.pay - (SELECT p.pay FROM pays p WHERE p.emp = h.emp AND p.since < h.since
                                ORDER BY p.since DESC LIMIT 1)) FROM pays h
    made    SELECT avg(h.pay - x."first") FROM pays h LEFT JOIN LATERAL (SELECT p.pay AS "first" FROM pays p WHERE …
                                ORDER BY p.since DESC LIMIT 1) AS x ON TRUE

Claim: both have the same rows. Because: the query has one row at most, so that the join has one for each row of FROM,
of NULL where the query has none, as the value is then.
Checked by: tests/test_fixtures.py (rewrite/subqueries.sql), tests/test_executed.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates, is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.calculus.order_and_limit import end_of
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases
from dpproxy.rewrite.statement.expression_queries import outermost
from dpproxy.rewrite.statement.lateral_rows import row_around
from dpproxy.rewrite.statement.pulled_up import as_extreme

_CLAUSES: Final = frozenset({"expressions", "from_", "joins", "where", "order", "limit"})
_ROW, _VALUE = "dpproxy first", "first"


def first_rows_joined(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with such values read from rows that are joined."""
    if not any(_found(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        for value in _found(select, catalog):
            _join(select, value)
    return unique_aliases(made)


def _found(select: exp.Select, catalog: Catalog) -> list[exp.Subquery]:
    """Those of single rows of FROM, each once."""
    values = [node for root in row_level(select) for node in outermost(root) if isinstance(node, exp.Subquery)]
    return list(dict.fromkeys(node for node in values if _is_first(node.this, select, catalog)))


def row_level(select: exp.Select) -> Iterator[exp.Expr]:
    """Of what is asked and computed of single rows, that in which a join of FROM can be read."""
    yield from where_of(select)
    if group := select.args.get("group"):
        yield from group.expressions
    parts = above(select)
    yield from (node for part in parts for node in aggregates(part)) if is_aggregating(select) else parts


def _is_first(query: exp.Expr, select: exp.Select, catalog: Catalog) -> bool:
    if not isinstance(query, exp.Select) or any(value for name, value in query.args.items() if name not in _CLAUSES):
        return False
    limit = query.args.get("limit")
    one = query.args.get("order") is not None and limit is not None and end_of(limit).name == "1"
    if not one or len(query.expressions) != 1 or is_aggregating(query) or as_extreme(query) is not None:
        return False
    return _reads_private(query, catalog, select.root()) and _is_tied(query, select, catalog)


def _reads_private(query: exp.Expr, catalog: Catalog, root: exp.Expr) -> bool:
    tables = list(query.find_all(exp.Table))
    known = [catalog.table(table.db, table.name) for table in tables if table.db]
    named = {table.name for table in tables if not table.db}
    ctes = [cte.this for cte in root.find_all(exp.CTE) if cte.alias in named] if named else []
    within = any(_reads_private(each, catalog, root) for each in ctes)
    return within or any(table is not None and not table.public for table in known)


def _is_tied(query: exp.Select, select: exp.Select, catalog: Catalog) -> bool:
    """Whether it reads rows of this FROM and of none around it, by an equality; by more where the row has a key."""
    own = own_aliases(query)
    holders = [select.args.get("from_"), *(select.args.get("joins") or [])]
    before = {each.this.alias_or_name for each in holders if each is not None}
    around = aliases_read(query) - own
    equal = [equality(part, own) for part in where_of(query) if aliases_read(part) & around]
    alone = None not in equal or row_around(query, select, catalog) is not None
    return around <= before and any(equal) and alone


def _join(select: exp.Select, value: exp.Subquery) -> None:
    """Join its row, and read it wherever the value is written in `select`."""
    alias = f"{_ROW} {len(select.args.get('joins') or [])}"
    read = stands_for(exp.column(_VALUE, table=alias, quoted=True), value)
    row = value.copy()
    (item,) = row.this.expressions
    row.this.set("expressions", [exp.Alias(this=item.unalias(), alias=exp.to_identifier(_VALUE, quoted=True))])
    for part in everywhere(select):
        for node in [each for each in outermost(part) if each == value]:
            node.replace(read.copy())
    lateral = exp.Lateral(this=row, alias=exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    select.append("joins", exp.Join(this=lateral, side="LEFT", on=exp.true()))


def everywhere(select: exp.Select) -> Iterator[exp.Expr]:
    """What of `select` may hold the value: all but FROM."""
    parts = (select.args.get(name) for name in ("where", "group"))
    yield from (part for part in parts if part is not None)
    yield from list(above(select))
