"""Scalar subqueries that read the row around them from further down, as one SELECT that does so in its own WHERE.

    made   (SELECT t.c0 FROM (SELECT q.v0 AS c0 FROM (SELECT MAX(a0) AS v0 FROM (SELECT r.o0 AS a0 FROM released AS r
                              WHERE r.k0 = s0.dept) AS r) AS q) AS t)
    flat   (SELECT MAX(r.o0) FROM released AS r WHERE r.k0 = s0.dept)

Sail plans the second alone, and that only where it aggregates: what looks one row up is the largest of it, and the
first one in the order of what is asked is the least, or the largest. What is computed of an aggregate and of the row
around it is computed there, of the subquery.

Claim: they have the same value, and the flat one raises where the other does at most. Because: a SELECT without groups
has a row for each of its FROM, of which its items are functions; one of an aggregate alone has one row, and its WHERE
comes after it: where that is not true, there is no row, which is NULL. Of one row MAX is its value, of none it is NULL.
Of many the first in rising order, NULL last, is MIN; the first in falling order, NULL first, is MAX where none is NULL.
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
        if not outer or (_aggregates(select.expressions) and all(is_asked(each, select) for each in outer)):
            continue
        if (flat := _flat(select)) is not None:
            _put(flat, query)


def _put(flat: exp.Select, query: exp.Subquery) -> None:
    """The flat form in the place of a subquery; what it selects of the row around it, around it."""
    (value,) = flat.expressions
    outer = [each for each in outer_columns(flat) if not is_asked(each, flat)]
    if not outer:
        query.set("this", flat)
        return
    aggregates = list(value.find_all(exp.AggFunc))
    if len(aggregates) == 1 and all(_is_of(each, value) and not each.find_ancestor(exp.AggFunc) for each in outer):
        (aggregate,) = aggregates
        flat.set("expressions", [aggregate.copy()])
        aggregate.replace(exp.Subquery(this=flat))
        query.replace(exp.Paren(this=value))


def outer_columns(query: exp.Expr) -> list[exp.Column]:
    """The columns of a subquery that are of the row around it."""
    inside = {each.alias_or_name for each in query.find_all(exp.Table, exp.Subquery, exp.Values)}
    return [each for each in query.find_all(exp.Column) if each.table and each.table not in inside]


def _is_at(column: exp.Column, query: exp.Expr) -> bool:
    return column.find_ancestor(exp.Select) is query


def _is_of(column: exp.Column, value: exp.Expr) -> bool:
    """Whether it is a part of what is selected."""
    return any(each is column for each in value.walk())


def is_asked(column: exp.Column, query: exp.Expr) -> bool:
    """Whether it stands in the WHERE of that very query."""
    where = column.find_ancestor(exp.Where)
    return _is_at(column, query) and where is not None and where.parent is query


def _flat(select: exp.Select) -> exp.Select | None:
    """The flat form, from the outside to the inside: `value` and `conditions` are of what is read at each level."""
    if not _is_plain(select) or len(select.expressions) != 1:
        return None
    value, conditions, level = select.expressions[0].unalias().copy(), _where(select), select
    aggregated = _aggregates([value])
    while (inner := _derived(level)) is not None:
        if (first := _first(inner)) is not None and isinstance(value, exp.Column) and not conditions:
            inner = first
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
    return None if within else made


def _first(select: exp.Select) -> exp.Select | None:
    """With one row, of what it selects first, where that is in the order of it."""
    items, order, limit = select.expressions, select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or limit.expression != exp.Literal.number(1) or len(items) != 1:
        return None
    item, (ordered, *_) = items[0].unalias(), order.expressions
    if any(each.this != item for each in order.expressions) or _aggregates(items):
        return None
    falling, null_first = bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first"))
    if falling is not null_first:
        return None
    value: exp.Expr = exp.Min(this=item.copy())
    if falling:
        count, known = exp.Count(this=exp.Star()), exp.Count(this=item.copy())
        largest = exp.If(this=exp.EQ(this=count, expression=known), true=exp.Max(this=item.copy()))
        value = exp.Case(ifs=[largest])
    made = select.copy()
    made.set("expressions", [exp.alias_(value, items[0].alias_or_name, copy=False)])
    made.set("order", None)
    made.set("limit", None)
    return made


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
