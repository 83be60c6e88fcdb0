"""What a name within an expression of ORDER BY means: a column of FROM, as Postgres has it, and never a result.

    SELECT lower(sex) AS sex, count(*) FROM people GROUP BY people.sex ORDER BY upper(sex)

Only a name that stands alone is one of a result. sqlglot takes results in both places; so such expressions stand
among the results while it binds names, and return.

Checked by: tests/test_fixtures.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sqlglot import exp

_ASIDE: Final = "dpproxy_order_"


def set_aside(query: exp.Query) -> exp.Query:
    """The labelled query, with expressions of ORDER BY that have a name of a result in them among the results."""
    if not any(any(_asking(select)) for select in query.find_all(exp.Select)):
        return query
    made = query.copy()
    for select in made.find_all(exp.Select):
        for ordered in list(_asking(select)):
            alias = exp.to_identifier(f"{_ASIDE}{len(select.expressions)}", quoted=True)
            select.append("expressions", exp.Alias(this=ordered.this, alias=alias))
            ordered.set("this", exp.Column(this=alias.copy()))
    return made


def put_back(query: exp.Query) -> exp.Query:
    """The qualified query, with the same expressions in ORDER BY again."""
    if not any(any(_aside(select)) for select in query.find_all(exp.Select)):
        return query
    made = query.copy()
    for select in made.find_all(exp.Select):
        aside = {each.alias: each.this for each in _aside(select)}
        select.set("expressions", [each for each in select.expressions if each.alias not in aside])
        for ordered in _ordered(select):
            ordered.set("this", aside.get(ordered.this.name, ordered.this))
    return made


def _aside(select: exp.Select) -> Iterator[exp.Expr]:
    yield from (each for each in select.expressions if each.alias.startswith(_ASIDE))


def _asking(select: exp.Select) -> Iterator[exp.Ordered]:
    if select.args.get("order") is None:
        return
    names = set(select.named_selects)
    yield from (each for each in _ordered(select) if _reads(each.this, names))


def _ordered(select: exp.Select) -> Iterator[exp.Ordered]:
    order = select.args.get("order")
    yield from (each for each in (order.expressions if order is not None else ()) if isinstance(each, exp.Ordered))


def _reads(node: exp.Expr, names: set[str]) -> bool:
    if isinstance(node, exp.Column):
        return False
    columns = node.find_all(exp.Column)
    return any(not each.table and each.name in names and _is_of(each, node) for each in columns)


def _is_of(column: exp.Column, node: exp.Expr) -> bool:
    """Whether no query stands between them."""
    return column.find_ancestor(exp.Query, exp.Ordered) is node.parent
