"""(SELECT …) over public rows as a value: of one row at most.

That is proved (an aggregate, a unique key, LIMIT 1); or, where the query stands by itself, the front is asked before
the charge: it raises Postgres's own error where there are several rows, which tells of public rows alone. The engine
reads the largest, and so never fails, whatever became of the rows since.

Checked by: tests/test_fixtures.py, tests/clients/test_subqueries_over_wire.py.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.order_and_limit import has_tail, with_tail_outside
from dpproxy.rewrite.calculus.relations import Enclosing, FrontRelation, Readable
from dpproxy.rewrite.releases.draft import RELEASED
from dpproxy.rewrite.statement.correlation import is_test, outer_reads
from dpproxy.rewrite.statement.pulled_up import is_first
from dpproxy.rewrite.statement.subquery_refusals import several
from dpproxy.rewrite.statement.tracker import Names, Tracker

_ALIAS = "dpproxy value"


def determined(query: exp.Expr) -> exp.Expr:
    """The same query; which of several first rows it is, the value itself decides: the order of rows must not."""
    made = with_tail_outside(query) if isinstance(query, exp.SetOperation) and has_tail(query) else query
    return _first_by_value(made) if isinstance(made, exp.Select) and is_first(made) else made


def largest(query: exp.Expr, rows: Readable, tracker: Tracker, names: Names, inside: Enclosing) -> Readable:
    """The largest of `rows`, those of a scalar subquery over public rows of which the front is to say that it has one.

    Claim: the engine raises for none. Because: there is one row, which the checker proves too.
    Checked by: tests/test_neighbours.py.
    Raises NotPrivate where nobody can be asked before the charge.
    """
    if outer_reads(query) or not _stands_alone(query):
        raise several(query)
    tracker.context.alone.append(query.copy())
    ((name, fact),) = rows.facts.items()
    column = exp.column(name, table=_ALIAS, quoted=True)
    kind = exp.LogicalOr if fact.type.family is Family.BOOLEAN else exp.Max
    table = exp.Table(this=exp.to_identifier(_ALIAS), alias=exp.TableAlias(this=exp.to_identifier(_ALIAS)))
    item = exp.Alias(this=kind(this=column), alias=exp.to_identifier("value"))
    select = exp.Select(expressions=[item], from_=exp.From(this=table))
    return tracker.read(FrontRelation(select, {**names, _ALIAS: rows}), inside)


def ask_alone(query: exp.Expr, tracker: Tracker) -> None:
    """Let the front be asked before the charge, where a query over public rows that it evaluates itself is a value of
    which there could be several."""
    if is_test(query) or isinstance(query.parent, exp.Array) or outer_reads(query):
        return
    bare = query
    while isinstance(bare, exp.Subquery | exp.Paren):
        bare = bare.this
    one = isinstance(bare, exp.Select) and (is_first(bare) or _is_whole(bare) or bare.args.get("from_") is None)
    if not one and _stands_alone(query):
        tracker.context.alone.append(query.copy())


def _is_whole(select: exp.Select) -> bool:
    return is_aggregating(select) and select.args.get("group") is None


def _stands_alone(query: exp.Expr) -> bool:
    """Whether it reads public tables alone, and names of its own."""
    own = {cte.alias for cte in query.find_all(exp.CTE)}
    return all(table.db != RELEASED and (table.db or table.name in own) for table in query.find_all(exp.Table))


def _first_by_value(query: exp.Select) -> exp.Select:
    item = query.expressions[0].unalias()
    order = query.args.get("order")
    ordered = [] if order is None else order.expressions
    if query.find(exp.Window) or item.find(exp.Query) or any(each.this == item for each in ordered):
        return query
    made = query.copy()
    made.set("order", exp.Order(expressions=[each.copy() for each in (*ordered, exp.Ordered(this=item))]))
    return made
