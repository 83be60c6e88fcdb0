"""Tell now() and its like the time of the transaction, and what asks for a time zone the session's, for where they
stand over private rows.

The statement for the front keeps them as they are: it runs in the same transaction, in the same time zone.
"""

from __future__ import annotations

from datetime import datetime

from sqlglot import exp

from dpproxy.catalog.zones import UTC
from dpproxy.rewrite.expressions.time.clocks import NOW
from dpproxy.rewrite.expressions.trees.position import SESSION_ZONE, note

_NODES = frozenset({exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp})
_NAMES = ("transaction_timestamp", "age")
CLOCKS = _NODES | {exp.Cast, exp.AtTimeZone, exp.Anonymous}
"""The kinds of nodes that a clock or what asks for a zone is one of."""


def clock(tree: exp.Query, now: datetime | None, zone: str = UTC) -> exp.Query:
    """The tree, each of its clocks with the time noted on it, and each AT TIME ZONE and cast to a timestamp with time
    zone with the session's. Without a time clocks are refused where it matters."""
    if not any(_is_clock(node) or _is_zoned(node) for node in tree.find_all(*CLOCKS)):
        return tree
    made = tree.copy()
    for node in made.walk():
        if _is_zoned(node):
            note(node, {SESSION_ZONE: zone})
        elif now is not None and _is_clock(node):
            note(node, {NOW: now})
    return made


def _is_zoned(node: exp.Expr) -> bool:
    cast_ = type(node) is exp.Cast and node.to.this is exp.DataType.Type.TIMESTAMPTZ
    return cast_ or type(node) is exp.AtTimeZone


def _is_clock(node: exp.Expr) -> bool:
    return type(node) in _NODES or (type(node) is exp.Anonymous and str(node.name).lower() in _NAMES)
