"""Tell now() and its like the time of the transaction, for where they stand over private rows.

The statement for the front keeps them as they are: it runs in the same transaction, in the same time zone.
"""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from dpproxy.rewrite.expressions.time.clocks import NOW

_NODES = frozenset({exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp})
_NAMES = ("transaction_timestamp", "age")


def clock(tree: exp.Query, now: datetime | None) -> exp.Query:
    """The same tree, each of its clocks with the time noted on it. Without a time they are refused where it matters."""
    for node in tree.walk() if now is not None else ():
        named = type(node) is exp.Anonymous and str(node.name).lower() in _NAMES
        if named or type(node) in _NODES:
            node.meta[NOW] = now
    return tree
