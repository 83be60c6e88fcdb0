"""Comparisons with the rows of a query: IN, ANY and ALL.

Checked by: sql_fixtures/rewrite/subqueries.sql, sql_fixtures/refuse/subqueries.sql.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.errors import SyntaxFault
from dpproxy.rewrite.expressions.trees.position import position

_ORDERED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def quantified(node: exp.Expr) -> exp.Expr | None:
    """The query of IN, ANY or ALL."""
    if isinstance(node, exp.In):
        return node.args.get("query")
    right = node.expression if isinstance(node, _ORDERED) else None
    inner = right.this if isinstance(right, exp.Any | exp.All) else None
    inner = inner.this if isinstance(inner, exp.Paren) else inner
    return inner if isinstance(inner, exp.Query) else None


def equal(left: exp.Expr, found: Sequence[exp.Expr]) -> exp.Expr:
    """x = y, or of tuples all of them."""
    values = left.expressions if isinstance(left, exp.Tuple) else [left]
    pairs = [exp.EQ(this=x.copy(), expression=y) for x, y in zip(values, found, strict=True)]
    return exp.and_(*pairs, copy=False) if len(pairs) > 1 else pairs[0]


def as_wide(node: exp.Expr, select: exp.Select) -> None:
    """Raises SyntaxFault where the rows to compare with are of more or fewer values. EXISTS compares none."""
    values = len(node.this.expressions) if isinstance(node.this, exp.Tuple) else 1
    if not isinstance(node, exp.Exists) and len(select.expressions) != values:
        few = "few" if len(select.expressions) < values else "many"
        hint = f"Select {values} column{'s' * (values > 1)} in it, as many values as stand before it."
        raise SyntaxFault(f"subquery has too {few} columns", hint=hint, position=position(node.this))
