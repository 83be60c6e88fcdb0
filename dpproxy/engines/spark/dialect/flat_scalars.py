"""Scalar subqueries that read the row around them from further down, as one SELECT that does so in its own WHERE.

    made   (SELECT t.c0 FROM (SELECT q.v0 AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT r.o0 AS a0 FROM released AS r
                              WHERE r.k0 = s0.dept) AS r) AS q) AS t)
    flat   (SELECT MAX(r.o0) FROM released AS r WHERE r.k0 = s0.dept)

Sail plans the second alone, and that only where it aggregates: what looks one row up is the largest of it.

Claim: they have the same value, and the flat one raises where the other does at most. Because: a SELECT without groups
has a row for each of its FROM, of which its items are functions; one of an aggregate alone has one row, and its WHERE
comes after it: where that is not true, there is no row, which is NULL. Of one row MAX is its value, of none it is NULL.
Checked by: tests/spark/test_flat_scalars.py, tests/spark/test_spark_values.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

_PLAIN: Final = frozenset({"expressions", "from_", "joins", "where"})


def flatten_scalars(tree: exp.Expr) -> None:
    """Change each such subquery of an expression; one that has no flat form stays as it is."""
    for query in list(tree.find_all(exp.Subquery)):
        select = query.this
        if isinstance(query.parent, exp.From | exp.Join) or not isinstance(select, exp.Select):
            continue
        outer = outer_columns(select)
        if outer and not (_aggregates(select.expressions) and all(_is_at(each, select) for each in outer)):
            query.set("this", _flat(select) or select)


def outer_columns(query: exp.Expr) -> list[exp.Column]:
    """The columns of a subquery that are of the row around it."""
    inside = {each.alias_or_name for each in query.find_all(exp.Table, exp.Subquery, exp.Values)}
    return [each for each in query.find_all(exp.Column) if each.table and each.table not in inside]


def _is_at(column: exp.Column, query: exp.Expr) -> bool:
    return column.find_ancestor(exp.Select) is query


def _is_asked(column: exp.Column, query: exp.Expr) -> bool:
    where = column.find_ancestor(exp.Where)
    return _is_at(column, query) and where is not None and where.parent is query


def _flat(select: exp.Select) -> exp.Select | None:
    """The flat form, from the outside to the inside: `value` and `conditions` are of what is read at each level."""
    if not _is_plain(select) or len(select.expressions) != 1:
        return None
    value, conditions, level = select.expressions[0].unalias().copy(), _where(select), select
    aggregated = _aggregates([value])
    while (inner := _derived(level)) is not None:
        items = {item.alias_or_name: item.unalias() for item in inner.expressions}
        alias = level.args["from_"].this.alias
        whole = _aggregates(inner.expressions)
        if not _is_plain(inner) or (whole and aggregated):
            return None
        if whole and conditions:
            value, conditions = exp.Case(ifs=[exp.If(this=exp.and_(*conditions, copy=False), true=value)]), []
        value = _placed(value, alias, items)
        conditions = [*(_placed(each, alias, items) for each in conditions), *_where(inner)]
        aggregated, level = aggregated or whole, inner
    made = level.copy()
    made.set("expressions", [value if aggregated else exp.Max(this=value)])
    made.set("where", exp.Where(this=exp.and_(*conditions, copy=False)) if conditions else None)
    within = any(each.find(exp.Query) is not None for each in (value, *conditions))
    return None if within or not all(_is_asked(column, made) for column in outer_columns(made)) else made


def _is_plain(select: exp.Select) -> bool:
    """Whether it has neither groups nor an order or a limit, and each row by itself, or one of an aggregate alone."""
    return not any(value for name, value in select.args.items() if name not in _PLAIN) and not any(
        item.find(exp.Window, exp.Explode) for item in select.expressions
    )


def _derived(select: exp.Select) -> exp.Select | None:
    """The SELECT that it reads, where it reads one alone, which is not what was released."""
    source = None if select.args.get("from_") is None else select.args["from_"].this
    inner = source.this if isinstance(source, exp.Subquery) and not select.args.get("joins") else None
    return inner if isinstance(inner, exp.Select) and inner.args.get("from_") is not None else None


def _aggregates(items: Sequence[exp.Expr]) -> bool:
    return any(item.find(exp.AggFunc) is not None for item in items)


def _where(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    if where is None:
        return []
    return [part.copy() for part in (where.this.flatten() if isinstance(where.this, exp.And) else [where.this])]


def _placed(node: exp.Expr, alias: str, items: dict[str, exp.Expr]) -> exp.Expr:
    """The expression, with the items of a derived table in the places of its columns."""

    def place(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Column) and part.name in items and part.table in ("", alias):
            inner = items[part.name].copy()
            return inner if isinstance(inner, exp.Column | exp.Func) else exp.Paren(this=inner)
        return part

    return node.transform(place)
