"""Equalities between columns, and what is equal by several of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

Cell = tuple[str, str]


def conjuncts(node: exp.Expr | None) -> Iterator[exp.Expr]:
    """The parts of a condition that must all be true."""
    if isinstance(node, exp.And | exp.Paren | exp.Where):
        yield from conjuncts(node.this)
        yield from conjuncts(node.args.get("expression"))
    elif node is not None:
        yield node


def equal_columns(node: exp.Expr) -> tuple[Cell, Cell] | None:
    """The two columns, each with its source, that an equality compares."""
    if not isinstance(node, exp.EQ):
        return None
    sides = [each.this if isinstance(each, exp.Paren) else each for each in (node.this, node.expression)]
    if not all(isinstance(each, exp.Column) and each.table for each in sides):
        return None
    left, right = sides
    return (left.table, left.name), (right.table, right.name)


def classes(pairs: Sequence[tuple[Cell, Cell]]) -> list[frozenset[Cell]]:
    """The columns that are equal, pair by pair, in sets."""
    found: list[frozenset[Cell]] = []
    for pair in pairs:
        merged = frozenset(pair).union(*(each for each in found if each & set(pair)))
        found = [*(each for each in found if not each & set(pair)), merged]
    return found


def present(node: exp.Expr) -> exp.Expr | None:
    """The x of x IS NOT NULL, which sqlglot has in two forms."""
    inner = node.this if isinstance(node, exp.Not) else node
    denied = isinstance(node, exp.Not) != bool(inner.args.get("negate"))
    return inner.this if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null) and denied else None
