"""Where in the analyst's text an expression stands."""

from __future__ import annotations

from sqlglot import exp


def position(node: exp.Expr) -> int | None:
    """The 1-based character position at which `node` starts, as far as the parser noted it; None if nowhere."""
    starts = [part.meta["start"] for part in node.walk() if part.meta and "start" in part.meta]
    return min(starts) + 1 if starts else None
