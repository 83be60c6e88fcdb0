"""Rows that meet none of others', by a key of these, are all rows but those that meet one.

    asked   SELECT count(*), sum(s.paid) FROM sales s LEFT JOIN returns r ON r.ticket = s.ticket WHERE r.ticket IS NULL
    made    SELECT count(*) - count(r.ticket), sum(s.paid) - COALESCE(sum(CASE WHEN r.ticket IS NOT NULL
                                                                           THEN s.paid END), 0)
            FROM sales s LEFT JOIN returns r ON r.ticket = s.ticket

Claim: both are the same, of each group that is left; one whose rows all meet one is told with 0. Because: each row is
there once (`at_most_one_row`), with the column NULL or not: it equals another where something is added.
Checked by: tests/test_met_once.py (both forms in an engine), tests/test_fixtures.py (rewrite/strangers.sql).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.aggregates_of import above, substitute
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.statement.at_most_one_row import adds_one, columns_met, family_of
from dpproxy.rewrite.statement.branches import asked_of, call_of
from dpproxy.rewrite.statement.correlation import aliases_read
from dpproxy.rewrite.statement.plain_joins import joins_of, side_of
from dpproxy.rewrite.statement.strangers_apart import added_of, are_plain

_TOLD: Final = (exp.Count, exp.Sum, exp.Avg)


@dataclass(frozen=True, slots=True)
class _Without:
    """A SELECT of rows that meet nothing. test: the condition that says so; told: what its aggregates are then."""

    test: exp.Expr
    told: dict[exp.Expr, exp.Expr]


def strangers_never_met(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The resolved tree, in which rows that meet none of others' are told as the others of all."""
    if not any(_without(select, catalog) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        if (found := _without(select, catalog)) is not None:
            _keep_all(select, found.test)
            substitute(select, found.told)
    return made


def _keep_all(select: exp.Select, test: exp.Expr) -> None:
    """The SELECT, changed: without that condition."""
    kept = [part.copy() for part in where_of(select) if part != test]
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)


def _without(select: exp.Select, catalog: Catalog) -> _Without | None:
    joins = joins_of(select)
    if not any(side_of(join) == "LEFT" for join in joins) or not are_plain(select, joins):
        return None
    for join in joins:
        tests = [part for part in where_of(select) if _says_absent(part, join, select, catalog)]
        if side_of(join) == "LEFT" and len(tests) == 1 and adds_one(join, select, catalog):
            return _of_all(select, tests[0], catalog)
    return None


def _says_absent(node: exp.Expr, join: exp.Join, select: exp.Select, catalog: Catalog) -> bool:
    """Whether it says that nothing is added: of a column that equals another where something is."""
    column = node.this if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) else None
    if not isinstance(column, exp.Column) or node.args.get("negate") or column.table != join.this.alias_or_name:
        return False
    return column.name in columns_met(join, select, catalog)


def _of_all(select: exp.Select, test: exp.Expr, catalog: Catalog) -> _Without | None:
    """Where strangers' rows are added to all, what is asked of rows without: nothing else reads what is added."""
    every = select.copy()
    _keep_all(every, test)
    alias = test.this.table
    if not any(join.this.alias_or_name == alias for join in added_of(every, catalog)):
        return None
    if any(alias in aliases_read(part) for part in above(select)):
        return None
    told = {node: _difference(node, test.this, select, catalog) for node in dict.fromkeys(asked_of(select))}
    made = {node: value for node, value in told.items() if value is not None}
    return _Without(test, made) if made and len(made) == len(told) else None


def _difference(node: exp.Expr, there: exp.Column, select: exp.Select, catalog: Catalog) -> exp.Expr | None:
    """An aggregate of all rows without those that meet something; None where that does not tell it."""
    call = call_of(node)
    if type(call) not in _TOLD or isinstance(call.this, exp.Distinct):
        return None
    if type(call) is exp.Count:
        met = there.copy() if isinstance(call.this, exp.Star) else _where_met(call.this, there)
        return _less(node, _of(node, exp.Count(this=met, big_int=True)))
    if type(call) is exp.Sum:
        return _less(
            node, exp.Coalesce(this=_of(node, exp.Sum(this=_where_met(call.this, there))), expressions=[_zero()])
        )
    if call.find(exp.Cast) or any(
        family_of(each, select, catalog) is Family.FLOAT for each in call.find_all(exp.Column)
    ):
        return None
    each = (_of(node, exp.Sum(this=call.this.copy())), _of(node, exp.Count(this=call.this.copy(), big_int=True)))
    total, rows = (_difference(part, there, select, catalog) for part in each)
    of_any_size = exp.Cast(this=total, to=exp.DataType.build("numeric"))
    return exp.Paren(this=exp.Div(this=of_any_size, expression=exp.Nullif(this=rows, expression=_zero())))


def _where_met(value: exp.Expr, there: exp.Column) -> exp.Expr:
    is_there = exp.Not(this=exp.Is(this=there.copy(), expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=is_there, true=value.copy())])


def _less(node: exp.Expr, met: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Sub(this=node.copy(), expression=met))


def _of(node: exp.Expr, call: exp.Expr) -> exp.Expr:
    """An aggregate of the rows that `node` is of."""
    return exp.Filter(this=call, expression=node.expression.copy()) if isinstance(node, exp.Filter) else call


def _zero() -> exp.Expr:
    return exp.Literal.number(0)
