"""LATERAL over UNION ALL of aggregates: a row of each, which is a list of what was asked by itself.

    asked   people p, LATERAL (SELECT 'visits' AS kind, count(*) AS n FROM visits v WHERE v.person_id = p.person_id
                               UNION ALL SELECT 'cost', sum(v.cost) FROM visits v WHERE v.person_id = p.person_id) AS x
    made    people p, LATERAL (SELECT count(*) AS a1 FROM visits v WHERE v.person_id = p.person_id) AS "dpproxy side 0",
                      LATERAL (SELECT sum(v.cost) AS a1 FROM visits v WHERE …) AS "dpproxy side 1",
                      LATERAL (VALUES ('visits', "dpproxy side 0".a1), ('cost', "dpproxy side 1".a1)) AS x(kind, n)

Claim: both have the same rows. Because: an aggregate without GROUP BY and HAVING has one row for each row before it.
Checked by: sql_fixtures/rewrite/lateral.sql, tests/test_lateral_unions.py.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

_SIDE: Final = "dpproxy side"
_PLAIN: Final = frozenset({"expressions", "from_", "joins", "where"})


def rows_of_aggregates(tree: exp.Query) -> exp.Query:
    """The parsed tree, with such lists in the place of such unions."""
    if not any(_sides(join) for join in tree.find_all(exp.Join)):
        return tree
    made, count = tree.copy(), 0
    for join in list(made.find_all(exp.Join)):
        sides = _sides(join)
        if sides:
            _put(join, sides, count)
            count += len(sides)
    return made


def _sides(join: exp.Join) -> list[exp.Select]:
    """The SELECTs of a UNION ALL of aggregates; none of anything else."""
    select, lateral = join.parent, join.this
    query = lateral.this.this if isinstance(lateral, exp.Lateral) and isinstance(lateral.this, exp.Subquery) else None
    if not isinstance(query, exp.Union) or not isinstance(select, exp.Select) or not lateral.alias:
        return []
    if any(item.find(exp.Star) is not None and item.find(exp.Count) is None for item in select.expressions):
        return []
    sides = _selects(query)
    widths = {len(each.expressions) for each in sides}
    return sides if len(widths) == 1 and all(map(_is_aggregate, sides)) else []


def _selects(query: exp.Expr) -> list[exp.Select]:
    if isinstance(query, exp.Select):
        return [query]
    if not isinstance(query, exp.Union) or query.args.get("distinct"):
        return []
    if any(value for name, value in query.args.items() if name not in ("this", "expression", "distinct")):
        return []
    left, right = _selects(query.this), _selects(query.expression)
    return [*left, *right] if left and right else []


def _is_aggregate(side: exp.Select) -> bool:
    """Whether it has one row: of aggregates, and of constants beside them."""
    if any(value for name, value in side.args.items() if name not in _PLAIN):
        return False
    if any(item.find(exp.Window, exp.Query, exp.Explode) is not None for item in side.expressions):
        return False
    others = [item for item in side.expressions if item.find(exp.AggFunc) is None]
    return len(others) < len(side.expressions) and all(item.find(exp.Column, exp.Star) is None for item in others)


def _put(join: exp.Join, sides: list[exp.Select], count: int) -> None:
    lateral, select = join.this, join.parent
    assert isinstance(select, exp.Select)
    written = list(lateral.args["alias"].columns)
    own = [exp.to_identifier(item.alias_or_name or f"column{at}") for at, item in enumerate(sides[0].expressions, 1)]
    rows, before = [], []
    for at, side in enumerate(sides, count):
        row, asked = _row(side.copy(), f"{_SIDE} {at}")
        rows.append(row)
        before.append(asked)
    columns = [*written, *own[len(written) :]]
    alias = exp.TableAlias(this=lateral.args["alias"].this.copy(), columns=columns)
    lateral.replace(exp.Lateral(this=exp.Subquery(this=exp.Values(expressions=rows)), alias=alias))
    joins = list(select.args["joins"])
    place = next(index for index, each in enumerate(joins) if each is join)
    select.set("joins", [*joins[:place], *before, *joins[place:]])


def _row(side: exp.Select, name: str) -> tuple[exp.Tuple, exp.Join]:
    """The values of a side's row, and what asks for those that are made of aggregates."""
    rows = exp.to_identifier(name, quoted=True)
    values, asked = list[exp.Expr](), list[exp.Expr]()
    for at, item in enumerate(side.expressions):
        if item.find(exp.AggFunc) is None:
            values.append(item.unalias())
            continue
        asked.append(exp.Alias(this=item.unalias(), alias=exp.to_identifier(f"a{at}")))
        values.append(exp.Column(this=exp.to_identifier(f"a{at}"), table=rows.copy()))
    side.set("expressions", asked)
    made = exp.Lateral(this=exp.Subquery(this=side), alias=exp.TableAlias(this=rows))
    return exp.Tuple(expressions=values), exp.Join(this=made, kind="CROSS")
