"""The queries in the expressions of a SELECT, and what is made of them.

Checked by: tests/test_fixtures.py (rewrite/subqueries.sql), tests/test_expression_queries.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import LEAVES
from dpproxy.rewrite.statement.quantified import quantified


def asks_queries(select: exp.Select) -> bool:
    """Whether there is a query in its expressions. Most SELECTs have none, and nothing is to be looked for in them."""
    apart = ("from_", "with_", "joins")
    parts = [value for name, value in select.args.items() if value and name not in apart]
    parts += [value for join in select.args.get("joins") or [] for name, value in join.args.items() if name != "this"]
    roots = [root for part in parts for root in (part if isinstance(part, list) else [part])]
    return any(holds_query(root) for root in roots if isinstance(root, exp.Expr))


def holds_query(root: exp.Expr) -> bool:
    """Whether an expression is made of a query."""
    return type(root) not in LEAVES and root.find(exp.Query) is not None


def expression_queries(select: exp.Expr, sources: Sequence[exp.Expr]) -> list[exp.Expr]:
    """The outermost queries inside the expressions of `select`, those of FROM and WITH apart."""
    skipped = {id(source) for source in sources} | {id(select.args.get("with_"))}
    return [query for part in select.iter_expressions() for query in _queries(part, skipped)]


def _queries(node: exp.Expr, skipped: set[int]) -> list[exp.Expr]:
    if type(node) in LEAVES or id(node) in skipped:
        return []
    if isinstance(node, exp.Query):
        return [node]
    return [found for part in node.iter_expressions() for found in _queries(part, skipped)]


def outermost(node: exp.Expr) -> list[exp.Expr]:
    """The outermost expressions that are made of a query, in the order of the text."""
    if isinstance(node, exp.Exists | exp.Query) or quantified(node) is not None:
        return [node]
    return [found for part in node.iter_expressions() for found in outermost(part)]
