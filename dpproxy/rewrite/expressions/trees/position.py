"""Where in the analyst's text an expression stands."""

from __future__ import annotations

from sqlglot import exp


def position(node: exp.Expr) -> int | None:
    """The 1-based character position at which `node` starts, as far as the parser noted it; None if nowhere."""
    starts = [part.meta["start"] for part in node.walk() if part.meta and "start" in part.meta and not _is_alias(part)]
    return min(starts) + 1 if starts else None


def start(query: exp.Expr) -> int | None:
    """Where a query's first item stands in the text; of one that selects nothing, where its first name does."""
    select = query.find(exp.Select)
    first = select.expressions[0] if select is not None and select.expressions else query
    return position(first)


def _is_alias(part: exp.Expr) -> bool:
    """Whether it is the table of a column that was written without: that stands where the alias was defined."""
    column = part.parent
    if not isinstance(column, exp.Column) or part is not column.args.get("table"):
        return False
    start = column.this.meta_get("start")
    return start is not None and part.meta_get("end") != start - 2
