"""Calls of `dp.low(x)` and its like, as the tree has them."""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.error_bars import Bar
from dpproxy.rewrite.expressions.trees.position import position

BARS: Final = {f"dp.{each.value}": each for each in Bar}
"""How they are called in a tree, where a name of a function of the analyst's has no dot."""


def bar_of(node: exp.Expr) -> Bar | None:
    """Which bar is asked for by a call; None by any other."""
    return BARS.get(node.name) if isinstance(node, exp.Anonymous) and len(node.expressions) == 1 else None


def no_interval(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of what is released and has none."""
    return FeatureNotSupported(
        "how sure a mode, a decision or a quantile of dates is cannot be told as an interval",
        hint="EXPLAIN says in words how often a mode or a decision is wrong, and how far off in rank a quantile is.",
        position=position(node),
    )
