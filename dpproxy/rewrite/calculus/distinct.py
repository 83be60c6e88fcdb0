"""DISTINCT is GROUP BY, and DISTINCT ON the first row of each group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.calculus.aggregates_of import AGGREGATES, is_aggregating
from dpproxy.rewrite.calculus.windowed import windows
from dpproxy.rewrite.expressions.trees.position import start
from dpproxy.rewrite.shown import numbered, stands_for

FIRST = "dpproxy first"
COMPUTED = "dpproxy computed"
_ROWS = ("from_", "joins", "where", "windows")


def is_distinct_on(select: exp.Select) -> bool:
    """Whether it is SELECT DISTINCT ON (…)."""
    distinct = select.args.get("distinct")
    return distinct is not None and distinct.args.get("on") is not None


def group_instead(select: exp.Select) -> None:
    """SELECT DISTINCT a, b becomes SELECT a, b … GROUP BY a, b, over private rows a choice of keys or rows of a unit.

    So does SELECT DISTINCT a, sum(b) OVER (PARTITION BY a). Beside other window calls it is one over the rows that
    these give.
    """
    if not select.args.get("distinct") or is_aggregating(select):
        return
    if _aggregate_partitions(select):
        return
    if windows(select):
        _over_windows(select)
    written = [item.unalias() for item in select.expressions]
    select.set("group", exp.Group(expressions=[n.copy() for n in written if not isinstance(n, exp.Literal | exp.Null)]))
    select.set("distinct", None)


def _over_windows(select: exp.Select) -> None:
    """SELECT DISTINCT of windows becomes one of the rows of a derived table, which computes them."""
    items: dict[exp.Expr, str] = {}
    for place, item in enumerate(select.expressions):
        taken = item.alias_or_name in items.values()
        items.setdefault(item.unalias(), numbered(item.alias_or_name, place) if taken else item.alias_or_name)
    names = {item.alias_or_name: items[item.unalias()] for item in select.expressions}
    listed = [exp.Alias(this=item.copy(), alias=_quoted(name)) for item, name in items.items()]
    made = [
        exp.Alias(this=_computed(items[item.unalias()], item.unalias()), alias=_quoted(item.alias_or_name))
        for item in select.expressions
    ]
    order = select.args.get("order")
    for each in [] if order is None else order.expressions:
        name = items.get(each.this) or (not each.this.args.get("table") and names.get(each.this.name))
        if name:
            each.set("this", _computed(name, each.this))
    inner = exp.Select(**{clause: select.args.get(clause) for clause in _ROWS}, expressions=listed)
    for clause in _ROWS:
        select.set(clause, None)
    select.set("expressions", made)
    derived = exp.Subquery(this=inner, alias=exp.TableAlias(this=_quoted(COMPUTED)))
    select.set("from_", exp.From(this=derived))


def _computed(name: str, item: exp.Expr) -> exp.Expr:
    """The column that has an item's values."""
    return stands_for(exp.column(name, table=COMPUTED, quoted=True), item)


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _aggregate_partitions(select: exp.Select) -> bool:
    """Make a SELECT DISTINCT of whole partitions a grouping by what parts them, which has the same rows, each once;
    whether it is one.

    Where nothing parts the rows and there are none, the grouping has a row all the same.
    """
    found = windows(select)
    parts = list(dict.fromkeys(part for each in found for part in each.args.get("partition_by") or []))
    if not found or not all(_is_whole(each, parts) for each in found) or not _is_of(select, parts):
        return False
    calls = {each: each.this for each in found}
    listed = {item.unalias() for item in select.expressions}
    select.set("expressions", [item.transform(lambda node: calls.get(node, node)) for item in select.expressions])
    if parts:
        select.set("group", exp.Group(expressions=[part.copy() for part in parts]))
    if listed.issuperset(parts):
        select.set("distinct", None)
    return True


def _is_whole(window: exp.Window, parts: Sequence[exp.Expr]) -> bool:
    """Whether it aggregates all rows that are alike in `parts`."""
    ordered = any(window.args.get(name) for name in ("order", "spec", "alias"))
    return (
        not ordered and isinstance(window.this, AGGREGATES) and set(window.args.get("partition_by") or []) == set(parts)
    )


def _is_of(select: exp.Select, parts: Sequence[exp.Expr]) -> bool:
    """Whether the items read nothing but `parts` outside of window calls."""
    return all(
        any(isinstance(above, exp.Window) or above in parts for above in _up_to(column, select))
        for item in select.expressions
        for column in item.find_all(exp.Column)
    ) and not any(item.find(exp.Query) for item in select.expressions)


def _up_to(node: exp.Expr, select: exp.Select) -> Iterator[exp.Expr]:
    above: exp.Expr | None = node
    while above is not None and above is not select:
        yield above
        above = above.parent


def refuse_distinct(select: exp.Select) -> None:
    """Raises FeatureNotSupported for a DISTINCT that is neither a grouping nor a choice of first rows."""
    if select.args.get("distinct"):
        raise FeatureNotSupported(
            "DISTINCT beside aggregates of a unit's rows is not supported",
            hint="Aggregate in a derived table, and select DISTINCT from it.",
            position=start(select),
        )


def with_row_numbers(select: exp.Select) -> exp.Select:
    """DISTINCT ON (a) … ORDER BY a, b as the rows of number 1 within a, in that order."""
    named = {item.alias_or_name: item.unalias() for item in select.expressions}
    on = [_meant(node, named) for node in select.args["distinct"].args["on"].expressions]
    order = select.args.get("order")
    ordered = [o.copy() for o in order.expressions] if order is not None else []
    for each in ordered:
        each.set("this", _meant(each.this, named))
    kept = {name: value for name, value in select.args.items() if name not in ("distinct", "order", "limit", "offset")}
    number = exp.Window(
        this=exp.RowNumber(), partition_by=on, order=exp.Order(expressions=ordered) if ordered else None, over="OVER"
    )
    listed = [*select.expressions, exp.Alias(this=number, alias=exp.to_identifier(FIRST, quoted=True))]
    inner = exp.Select(**{**kept, "expressions": listed})
    source = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier(FIRST, quoted=True)))
    items = [
        exp.Alias(this=exp.column(name, table=FIRST, quoted=True), alias=exp.to_identifier(name, quoted=True))
        for name in named
    ]
    first = exp.EQ(this=exp.column(FIRST, table=FIRST, quoted=True), expression=exp.Literal.number(1))
    made = exp.Select(expressions=items, from_=exp.From(this=source), where=exp.Where(this=first))
    for clause in ("limit", "offset"):
        made.set(clause, select.args.get(clause))
    return made


def _meant(node: exp.Expr, named: dict[str, exp.Expr]) -> exp.Expr:
    """An expression, where the name of an output column stands for what it is."""
    if isinstance(node, exp.Column) and not node.table and node.name in named:
        return named[node.name].copy()
    return node.copy()
