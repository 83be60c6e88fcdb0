"""Where a SELECT aggregates, and its aggregates put into other expressions' places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqlglot import exp

from dpproxy.remembered import remembered

AGGREGATES = (exp.AggFunc, exp.Filter, exp.WithinGroup)
# Below them is no aggregate, and no query; most nodes are of these kinds.
LEAVES = frozenset({exp.Column, exp.Identifier, exp.Literal, exp.Star, exp.DataType, exp.Null, exp.Boolean, exp.Var})
_ABOVE = ("having", "order", "distinct", "windows")


def is_aggregating(select: exp.Select) -> bool:
    """Whether a SELECT makes one row of many."""
    if select.args.get("group") is not None or select.args.get("having") is not None:
        return True
    return any(aggregates(item) for item in select.expressions)


def aggregates(node: exp.Expr) -> list[exp.Expr]:
    """The outermost aggregates over rows in `node`: what a window function computes is over groups, not rows."""
    kind = type(node)
    if kind in LEAVES:
        return []
    if kind is exp.Alias:
        return aggregates(node.this)
    if kind is exp.Window:
        inner = node.this.this if isinstance(node.this, exp.Filter) else node.this
        parts = [*inner.iter_expressions(), *(e for e in node.iter_expressions() if e is not node.this)]
        return [found for part in parts for found in aggregates(part)]
    if _aggregates_rows(kind) or (kind is exp.Anonymous and node.name.lower() == "grouping"):
        return [node]
    if is_query(kind):
        return []
    return [found for part in node.iter_expressions() for found in aggregates(part)]


@remembered(1024)
def _aggregates_rows(kind: type[exp.Expr]) -> bool:
    return issubclass(kind, AGGREGATES)


@remembered(1024)
def is_query(kind: type[exp.Expr]) -> bool:
    """Whether nodes of a kind are queries."""
    return issubclass(kind, exp.Query)


def above(select: exp.Select) -> Iterator[exp.Expr]:
    """The expressions that are over groups: the items, HAVING, ORDER BY, DISTINCT ON and named windows."""
    yield from select.expressions
    for clause in _ABOVE:
        value = select.args.get(clause)
        yield from value if isinstance(value, list) else [] if value is None else [value]


def substitute(select: exp.Select, replaced: Mapping[exp.Expr, exp.Expr]) -> None:
    """Put other expressions in the place of those that are over groups, wherever they are written alike.

    In a nested query only those that read a column: COUNT(*) there counts its own rows.
    """
    if not replaced:
        return

    kinds = frozenset(map(type, replaced))  # to be looked up, a node has to be hashed, with all below it

    def swap(node: exp.Expr) -> exp.Expr:
        known = replaced.get(node) if type(node) in kinds else None
        if known is not None and isinstance(node.parent, exp.Window) and node.arg_key == "this":
            # The call of a window: it counts groups, not rows.
            return node
        if known is None or (node.find_ancestor(exp.Query) is not select and node.find(exp.Column) is None):
            return node
        return known.copy()

    for clause in ("expressions", *_ABOVE):
        value = select.args.get(clause)
        if isinstance(value, list):
            select.set(clause, [item.transform(swap, copy=False) for item in value])
        elif isinstance(value, exp.Expr):
            select.set(clause, value.transform(swap, copy=False))


def read_from(select: exp.Select, source: exp.Expr) -> None:
    """FROM what was grouped; HAVING becomes WHERE over it."""
    having = select.args.get("having")
    for clause in ("joins", "where", "group", "having"):
        select.set(clause, None)
    select.set("from_", exp.From(this=source))
    if having is not None:
        select.set("where", exp.Where(this=having.this))
