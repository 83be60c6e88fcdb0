"""Bounded SQL before it is text.

    tree      relations as frozen values
    nested    a query inside an expression: a leaf that holds its relation
    early     groups within units by a link, made before the join that leads to the unit; indexed: by unit indexes
    layers    steps (`expressions.trees.steps`) become columns of a projection below, or are written out
    render    a tree as one text of the engine, and what it reads of what the engine is told

Checked by: tests/test_algebra.py.
"""

from dpproxy.rewrite.algebra.tree import (
    ALL,
    Arrays,
    Constants,
    Item,
    Join,
    JoinedRows,
    JoinKind,
    Order,
    Relation,
    Scan,
    Select,
    SetKind,
    SetOperation,
    Shared,
    Sharing,
    Source,
    of,
)

__all__ = [
    "ALL",
    "Arrays",
    "Constants",
    "Item",
    "Join",
    "JoinKind",
    "JoinedRows",
    "Order",
    "Relation",
    "Scan",
    "Select",
    "SetKind",
    "SetOperation",
    "Shared",
    "Sharing",
    "Source",
    "of",
]
