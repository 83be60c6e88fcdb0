"""An aggregate by LATERAL that reads the row before it by more than equality: each of its columns is a scalar subquery.

    asked   FROM departments d, LATERAL (SELECT count(*) AS n FROM visits v WHERE v.cost > d.beds) AS x      x.n
    made    FROM departments d                             (SELECT count(*) AS n FROM visits v WHERE v.cost > d.beds)

Claim: both have the same rows. Because: an aggregate without GROUP BY and HAVING has one row for each row before it.
Checked by: tests/test_fixtures.py (rewrite/lateral.sql).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.reading.aliases import unique_aliases
from dpproxy.rewrite.statement.correlation import aliases_read, equality, own_aliases
from dpproxy.rewrite.statement.lateral_columns import is_kept

_PLAIN = frozenset({"expressions", "from_", "joins", "where"})


def laterals_as_scalars(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, with such subqueries over private tables in the places of the columns."""
    if tree.find(exp.Lateral) is None or not any(True for _ in _laterals(tree, catalog)):
        return tree
    made = tree.copy()
    for join in reversed(list(_laterals(made, catalog))):
        _put_scalars(join)
    return unique_aliases(made)


def _laterals(tree: exp.Query, catalog: Catalog) -> Iterator[exp.Join]:
    for join in tree.find_all(exp.Join):
        lateral, on = join.this, join.args.get("on")
        asks = on is not None and not (isinstance(on, exp.Boolean) and on.this)
        if not isinstance(lateral, exp.Lateral) or (asks and join.args.get("side")):
            continue
        if _is_scalar(lateral, catalog) and isinstance(join.parent, exp.Select) and is_kept(join, join.parent):
            yield join


def _is_scalar(lateral: exp.Lateral, catalog: Catalog) -> bool:
    query = lateral.this.this if isinstance(lateral.this, exp.Subquery) else None
    if not isinstance(query, exp.Select) or any(value for name, value in query.args.items() if name not in _PLAIN):
        return False
    if not is_aggregating(query) or not lateral.alias or lateral.args["alias"].columns:
        return False
    own = own_aliases(query)
    outward = [part for part in where_of(query) if aliases_read(part) - own]
    known = [catalog.table(table.db, table.name) for table in query.find_all(exp.Table) if table.db]
    private = any(table is not None and not table.public for table in known)
    return private and any(equality(part, own) is None for part in outward)


def _put_scalars(join: exp.Join) -> None:
    select, lateral = join.parent, join.this
    assert isinstance(select, exp.Select)
    query = lateral.this.this
    items = {item.alias_or_name: item for item in query.expressions}
    select.set("joins", [each for each in select.args["joins"] if each is not join])
    if join.args.get("on") is not None:
        select.set("where", exp.Where(this=exp.and_(*where_of(select), join.args["on"], copy=False)))
    for column in list(select.find_all(exp.Column)):
        if column.table == lateral.alias and column.name in items:
            scalar = query.copy()
            scalar.set("expressions", [items[column.name].copy()])
            column.replace(exp.Subquery(this=scalar))
