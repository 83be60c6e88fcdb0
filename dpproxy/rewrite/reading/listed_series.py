"""Rows that a SELECT list makes of constants, by generate_series() or unnest() where there is no FROM.

    asked   SELECT generate_series('2024-01-01'::date, '2024-12-01', '1 month')::date AS month
    made    SELECT "dpproxy series"::date AS month
            FROM generate_series('2024-01-01'::date, '2024-12-01', '1 month') AS "dpproxy series"("dpproxy series")

Claim: both have the same rows, in the same order. Because: a SELECT without FROM has one row, of which a function that
returns a set makes a row of each of its values; the other items are the same in each.
Checked by: sql_fixtures/rewrite/constants.sql, tests/test_listed_series.py.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

MAKERS: Final = (exp.ExplodingGenerateSeries, exp.Explode)
_ROWS: Final = "dpproxy series"
_LISTED: Final = frozenset({"expressions", "order", "limit", "offset", "distinct", "with_"})


def rows_of_listed_series(tree: exp.Query) -> exp.Query:
    """The parsed tree, with such a function in FROM."""
    if not any(_made(select) for select in tree.find_all(exp.Select)):
        return tree
    made = tree.copy()
    for select in list(made.find_all(exp.Select)):
        if (call := _made(select)) is not None:
            _put_into_from(select, call)
    return made


def _made(select: exp.Select) -> exp.Expr | None:
    """The one function of constants that makes the rows of a SELECT without FROM."""
    found = [call for item in select.expressions for call in item.find_all(*MAKERS)]
    if len(found) != 1 or any(value and name not in _LISTED for name, value in select.args.items()):
        return None
    (call,) = found
    is_named = isinstance(_item(select, call), exp.Alias) or _without_casts(_item(select, call)) is call
    return call if is_named and call.find_ancestor(exp.Query) is select and _is_constant(call) else None


def _item(select: exp.Select, call: exp.Expr) -> exp.Expr:
    """The item that it is a part of."""
    found: exp.Expr = next(each for each in select.expressions if any(part is call for part in each.walk()))
    return found


def _is_constant(call: exp.Expr) -> bool:
    return call.find(exp.Column, exp.Query, exp.AggFunc, exp.Window) is None and not call.args.get("expressions")


def _without_casts(item: exp.Expr) -> exp.Expr:
    while isinstance(item, exp.Cast):
        item = item.this
    return item


def _put_into_from(select: exp.Select, call: exp.Expr) -> None:
    item = _item(select, call)
    if not isinstance(item, exp.Alias):
        # Postgres names a column by the function, whatever it is cast to.
        name = "unnest" if isinstance(call, exp.Explode) else "generate_series"
        item.replace(exp.Alias(this=item.copy(), alias=exp.to_identifier(name)))
        (call,) = [each for part in select.expressions for each in part.find_all(*MAKERS)]
    rows = exp.to_identifier(_ROWS, quoted=True)
    alias = exp.TableAlias(this=rows, columns=[rows.copy()])
    call.replace(exp.Column(this=rows.copy(), table=rows.copy()))
    if isinstance(call, exp.Explode):
        source: exp.Expr = exp.Unnest(expressions=[call.this.copy()], alias=alias)
    else:
        source = exp.Table(this=call.copy(), alias=alias)
    select.set("from_", exp.From(this=source))
