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


def set_aside(tree: exp.Query) -> None:
    """Edits the labelled tree: expressions of ORDER BY that have a name of a result in them are results as well."""
    for select in tree.find_all(exp.Select):
        names = set(select.named_selects)
        for ordered in _ordered(select):
            if _reads(ordered.this, names):
                alias = exp.to_identifier(f"{_ASIDE}{len(select.expressions)}", quoted=True)
                select.append("expressions", exp.Alias(this=ordered.this, alias=alias))
                ordered.set("this", exp.Column(this=alias.copy()))


def put_back(tree: exp.Query) -> None:
    """Edits the qualified tree: the same expressions stand in ORDER BY again."""
    for select in tree.find_all(exp.Select):
        aside = {each.alias: each.this for each in select.expressions if each.alias.startswith(_ASIDE)}
        if aside:
            select.set("expressions", [each for each in select.expressions if each.alias not in aside])
            for ordered in _ordered(select):
                ordered.set("this", aside.get(ordered.this.name, ordered.this))


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
