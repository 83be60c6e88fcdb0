"""Expressions from a text with names in it, which other expressions are put in the place of.

Checked by: tests/test_sample_aggregate.py, tests/test_quantiles.py.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp, parse_one

from dpproxy.rewrite.expressions.trees.position import unplaced


def filled(text: str, given: Mapping[str, exp.Expr]) -> exp.Expr:
    """The expression of a text in Postgres's dialect, with other ones in the place of some names."""
    return put(unplaced(parse_one(text, dialect="postgres")), given)


def names_in(tree: exp.Expr) -> frozenset[str]:
    """The names that stand in an expression."""
    return frozenset(column.name for column in tree.find_all(exp.Column))


def put(tree: exp.Expr, given: Mapping[str, exp.Expr]) -> exp.Expr:
    """An expression, with other ones in the place of some names."""
    return tree.transform(
        lambda node: (
            exp.Paren(this=given[node.name].copy()) if isinstance(node, exp.Column) and node.name in given else node
        )
    )
