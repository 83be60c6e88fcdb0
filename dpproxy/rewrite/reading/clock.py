"""Tell now() and its like the time of the transaction, for where they stand over private rows.

The statement for the front keeps them as they are: it runs in the same transaction, in the same time zone.
"""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from dpproxy.rewrite.expressions.time.clocks import NOW
from dpproxy.rewrite.expressions.trees.position import note

_NODES = frozenset({exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp})
_NAMES = ("transaction_timestamp", "age")


def clock(tree: exp.Query, now: datetime | None) -> exp.Query:
    """The tree, each of its clocks with the time noted on it. Without a time they are refused where it matters."""
    if now is None or not any(map(_is_clock, tree.walk())):
        return tree
    made = tree.copy()
    for node in filter(_is_clock, made.walk()):
        note(node, {NOW: now})
    return made


def _is_clock(node: exp.Expr) -> bool:
    return type(node) in _NODES or (type(node) is exp.Anonymous and str(node.name).lower() in _NAMES)
