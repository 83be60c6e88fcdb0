"""Windows that nothing reads: `row_number() OVER (…) AS rn` of a derived table, where nothing asks for rn.

Checked by: tests/test_fixtures.py (rewrite/released_windows.sql).
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.rewrite.reading.ctes import cte_of

_Cell = tuple[str, str]


def without_unread_windows(tree: exp.Query) -> exp.Query:
    """The resolved tree, without items of derived tables and queries of WITH that are made of windows, if nothing reads
    them.

    The rows are the same: what computes such an item changes no other. Without it there may be no window over rows of
    several units, and nothing has to be released for it.
    """
    if tree.find(exp.Window) is None or not _unread(tree):
        return tree
    made = tree.copy()
    while found := _unread(made):
        for item in found:
            _take(item)
    return made


def _take(item: exp.Expr) -> None:
    """Away with it; where it is all that is left of its SELECT, a constant has its name."""
    select = item.parent
    assert isinstance(select, exp.Select)
    name = item.args["alias"].copy()
    item.pop()
    if not select.expressions:
        select.set("expressions", [exp.Alias(this=exp.Literal.number(1), alias=name)])


def _unread(tree: exp.Query) -> list[exp.Expr]:
    read = {(column.table, column.name) for column in tree.find_all(exp.Column)}
    found = []
    for item, cells in _windowed(tree):
        select = item.parent
        assert isinstance(select, exp.Select)
        if read.isdisjoint(cells) and not _is_named(item.alias_or_name, select) and _keeps_rows(item, select):
            found.append(item)
    return found


def _windowed(tree: exp.Query) -> list[tuple[exp.Expr, set[_Cell]]]:
    """The items that have a window, or read one that has, each with the names that columns read it by."""
    known = {id(i): (i, {(a, i.alias_or_name) for a in names}) for s, names in _of_from(tree) for i in s.expressions}
    found: dict[int, set[_Cell]] = {}
    cells: set[_Cell] = set()
    while more := {key: own for key, (item, own) in known.items() if key not in found and _has_window(item, cells)}:
        found |= more
        cells = cells.union(*more.values())
    return [(known[key][0], own) for key, own in found.items()]


def _has_window(item: exp.Expr, cells: set[_Cell]) -> bool:
    if item.find(exp.Window) is not None:
        return True
    return any((column.table, column.name) in cells for column in item.find_all(exp.Column))


def _keeps_rows(item: exp.Expr, select: exp.Select) -> bool:
    """Whether a SELECT without it has as many rows: an aggregate may be what makes one of all."""
    group = select.args.get("group")
    if group is not None:
        return not any(isinstance(key, exp.Literal) for key in group.expressions)
    return all(_is_windows(each) for each in item.find_all(exp.AggFunc))


def _is_windows(call: exp.Expr) -> bool:
    """Whether an aggregate is the call of a window, and none over rows."""
    around = call.parent.parent if isinstance(call.parent, exp.Filter) else call.parent
    return isinstance(around, exp.Window)


def _of_from(tree: exp.Query) -> Iterator[tuple[exp.Select, list[str]]]:
    """The SELECTs that are nothing but a source, with all aliases that they have as one."""
    for derived in tree.find_all(exp.Subquery):
        if isinstance(derived.parent, exp.From | exp.Join) and _is_plain(derived, derived.this):
            yield derived.this, [derived.alias]
    meant = [(id(cte_of(table)), table.alias_or_name) for table in tree.find_all(exp.Table)]
    for cte in tree.find_all(exp.CTE):
        if _is_plain(cte, cte.this):
            yield cte.this, [alias for query, alias in meant if query == id(cte)]


def _is_plain(source: exp.Expr, query: exp.Expr) -> bool:
    """Whether its columns are found by their names, and each row stays where one of them goes."""
    alias = source.args.get("alias")
    return (
        isinstance(query, exp.Select) and not query.args.get("distinct") and not (alias is not None and alias.columns)
    )


def _is_named(name: str, select: exp.Select) -> bool:
    """Whether ORDER BY of the SELECT itself may mean it, by its name or by its place."""
    order = select.args.get("order")
    ordered = order.expressions if order is not None else []
    return any(isinstance(each.this, exp.Literal) or _is_column(each.this, name) for each in ordered)


def _is_column(node: exp.Expr, name: str) -> bool:
    return any(column.name == name and not column.table for column in node.find_all(exp.Column))
