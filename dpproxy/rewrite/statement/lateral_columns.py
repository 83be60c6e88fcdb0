"""What LATERAL computes of the row before it stands where it is read.

    asked   FROM people p, LATERAL (SELECT p.age / 10 AS decade) AS x                                  x.decade
    made    FROM people p                                                                             (p.age / 10)
    asked   FROM people p, LATERAL (SELECT v.cost / p.age AS c FROM visits v WHERE …) AS x             x.c
    made    FROM people p, LATERAL (SELECT v.cost AS k FROM visits v WHERE …) AS x                     (x.k / p.age)
    asked   … LATERAL (SELECT v.cost / p.age AS c FROM visits v WHERE … ORDER BY v.day LIMIT 1) AS x   x.c
    made    … LATERAL (SELECT v.cost AS k FROM visits v WHERE … ORDER BY v.day LIMIT 1) AS x           (x.k / p.age)

Claim: each row has the same values. Because: expressions have one value of the same columns, and no outer join is there
that would put NULL in their place. Checked by: tests/test_fixtures.py (rewrite/lateral.sql).
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from dpproxy.rewrite.calculus.aggregates_of import is_aggregating
from dpproxy.rewrite.calculus.joins import where_of
from dpproxy.rewrite.shown import stands_for
from dpproxy.rewrite.statement.correlation import aliases_read

_COLUMN = "dpproxy column"
_ONE_ROW = frozenset({"expressions", "where"})
_ROWS = frozenset({"expressions", "from_", "joins", "where", "order"})
_FIRST_ROWS = _ROWS | {"limit", "offset"}
_INNER = ("", "INNER", "CROSS")


def is_of_rows(query: exp.Select) -> bool:
    """Whether it has each row by itself: no groups, limits or windows."""
    plain = not any(value for name, value in query.args.items() if name not in _ROWS)
    return plain and not is_aggregating(query) and query.find(exp.Window) is None


def is_of_first_rows(query: exp.Select) -> bool:
    """Whether it has the first of such rows, in an order of their own columns: not of what is computed of them."""
    plain = not any(value for name, value in query.args.items() if name not in _FIRST_ROWS)
    if not plain or is_aggregating(query) or query.find(exp.Window) is not None:
        return False
    order = query.args.get("order")
    by = [each.this for each in order.expressions] if order is not None else []
    return all(column.table for each in by for column in each.find_all(exp.Column)) and not any(
        isinstance(each, exp.Literal) for each in by
    )


def is_one_row(query: exp.Select) -> bool:
    """Whether it is made of the row before it alone."""
    plain = not any(value for name, value in query.args.items() if name not in _ONE_ROW)
    return plain and not is_aggregating(query) and query.find(exp.Window, exp.Query, exp.UDTF) is query


def is_kept(join: exp.Join, select: exp.Select) -> bool:
    """Whether no later join makes rows of NULL of what it joins."""
    joins = select.args["joins"]
    after = joins[next(place for place, each in enumerate(joins) if each is join) + 1 :]
    return all(str(each.args.get("side") or "").upper() not in ("RIGHT", "FULL") for each in after)


def is_inner(join: exp.Join, select: exp.Select) -> bool:
    """Whether neither this join nor a later one makes rows of NULL of what it joins."""
    inner = not str(join.args.get("side") or "") and str(join.args.get("kind") or "").upper() in _INNER
    return inner and is_kept(join, select)


def compute_in_place(join: exp.Join, select: exp.Select) -> None:
    """Take the join of one computed row away; what it asks is asked in WHERE."""
    query, asked = join.this.this.this, where_of(select)
    on = join.args.get("on")
    asked += [*where_of(query), *([on] if on is not None else [])]
    select.set("joins", [each for each in select.args["joins"] if each is not join])
    select.set("where", exp.Where(this=exp.and_(*asked, copy=False)) if asked else None)
    _put(select, join.this.alias, query.expressions)


def compute_outside(select: exp.Select, query: exp.Select, alias: str, own: set[str]) -> None:
    """Take the items that read the row before it out of the query of LATERAL, to where they are read."""
    computed = [item for item in query.expressions if aliases_read(item) - own]
    if not computed:
        return
    query.set("expressions", [item for item in query.expressions if item not in computed])
    for item in computed:
        export(item, query, alias, own)
    _put(select, alias, computed)
    if not query.expressions:
        one = exp.Alias(this=exp.Literal.number(1), alias=exp.to_identifier(_COLUMN, quoted=True))
        query.append("expressions", one)


def export(node: exp.Expr, query: exp.Select, alias: str, own: set[str]) -> None:
    """Let what `node` reads of the query be columns of it; `node` is changed, and reads these."""
    for column in list(node.find_all(exp.Column)):
        if column.table in own:
            name = f"{_COLUMN} {len(query.expressions)}"
            query.append("expressions", exp.Alias(this=column.copy(), alias=exp.to_identifier(name, quoted=True)))
            column.replace(stands_for(exp.column(name, table=alias, quoted=True), column))


def _put(select: exp.Select, alias: str, items: Iterable[exp.Expr]) -> None:
    meant = {item.alias_or_name: item.unalias() for item in items}
    for column in list(select.find_all(exp.Column)):
        if column.table == alias and column.name in meant:
            column.replace(exp.Paren(this=meant[column.name].copy()))
