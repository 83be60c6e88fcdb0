"""Calls of `dp.low(x)` and its like, as the tree has them."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.plan.error_bars import Bar

BARS: Final = {f"dp.{each.value}": each for each in Bar}
"""How they are called in a tree, where a name of a function of the analyst's has no dot."""


def bar_of(node: exp.Expr) -> Bar | None:
    """Which bar is asked for by a call; None by any other."""
    return BARS.get(node.name) if isinstance(node, exp.Anonymous) and len(node.expressions) == 1 else None
