"""A subquery as another one: with more conditions, or without parentheses.

Checked by: tests/test_fixtures.py (rewrite/subqueries.sql).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.rewrite.calculus.joins import where_of


def copies(nodes: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Each as a node of its own."""
    return [node.copy() for node in nodes]


def with_conditions(select: exp.Select, conditions: Sequence[exp.Expr]) -> exp.Select:
    """The SELECT with more conditions. The nodes of its FROM are the same: what was read is known by its node."""
    from_ = select.args.get("from_")
    joins = [_again(join) for join in select.args.get("joins") or []]
    made = exp.Select(expressions=[item.copy() for item in select.expressions], joins=joins)
    made.set("from_", None if from_ is None else exp.From(this=from_.this))
    parts = [part.copy() for part in (*where_of(select), *conditions)]
    if parts:
        made.set("where", exp.Where(this=exp.and_(*parts, copy=False)))
    return made


def _again(join: exp.Join) -> exp.Join:
    on = join.args.get("on")
    return exp.Join(**{**join.args, "on": None if on is None else on.copy()})


def bare(node: exp.Expr) -> exp.Expr:
    """The query itself, parentheses apart."""
    while isinstance(node, exp.Subquery | exp.Paren) and not any(node.args.get(n) for n in ("order", "limit", "with_")):
        node = node.this
    return node
