"""A query inside of an expression: EXISTS (…), or (SELECT …). To the rules of expressions it is one leaf.

Checked by: tests/test_algebra.py.
"""

from __future__ import annotations

from typing import Self

from sqlglot import exp

from dpproxy.rewrite.algebra.tree import Select
from dpproxy.rewrite.expressions.trees.position import note

_QUERY = "query"


class Nested:
    """The relation of a leaf, which copies of the leaf share. exists: only whether it has a row is asked."""

    __slots__ = ("exists", "select")

    def __init__(self, select: Select, exists: bool) -> None:
        self.select, self.exists = select, exists

    def __deepcopy__(self, memo: object) -> Self:
        return self


def exists(select: Select) -> exp.Expression:
    """EXISTS (select)."""
    return _leaf(Nested(select, True))


def scalar(select: Select) -> exp.Expression:
    """(select), which is proved to have one row."""
    return _leaf(Nested(select, False))


def _leaf(nested: Nested) -> exp.Expression:
    """Equal ones are of equal relations."""
    leaf = exp.Var(this=f"{hash((nested.select, nested.exists))}")
    note(leaf, {_QUERY: nested})
    return leaf


def nested_in(node: exp.Expr) -> Nested | None:
    """What a leaf holds; None for any other node."""
    found = node.meta_get(_QUERY) if isinstance(node, exp.Var) else None
    return found if isinstance(found, Nested) else None
