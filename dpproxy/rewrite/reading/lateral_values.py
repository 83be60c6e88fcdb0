"""Rows that LATERAL makes of the columns of the row before it, one for each place in a list of constants.

    asked   people p, LATERAL (VALUES ('age', p.age), ('beds', p.beds)) AS x(kind, value)
    made    people p, LATERAL (SELECT CASE n WHEN 1 THEN 'age' ELSE 'beds' END AS kind,
                                      CASE n WHEN 1 THEN p.age ELSE p.beds END AS value
                               FROM (VALUES (1), (2)) AS "dpproxy row"(n)) AS x

Claim: both have the same rows. Because: each place has one row, and CASE takes the values of its place, of the type
that all of them have together, as VALUES and UNION ALL do. Checked by: tests/test_fixtures.py (rewrite/lateral.sql).
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

_ROW: Final = "dpproxy row"
_PLACE: Final = "n"


def rows_of_columns(tree: exp.Query) -> exp.Query:
    """The parsed tree, with such a query for VALUES of columns and for UNION ALL of SELECTs without FROM."""
    if not any(_rows(lateral) for lateral in tree.find_all(exp.Lateral)):
        return tree
    made = tree.copy()
    for lateral in list(made.find_all(exp.Lateral)):
        rows = _rows(lateral)
        if rows is not None:
            lateral.set("this", exp.Subquery(this=_query(rows, _names(lateral, len(rows[0])))))
            lateral.args["alias"].set("columns", None)
            _join_each(lateral.parent)
    return made


def _join_each(join: exp.Expr | None) -> None:
    """A LEFT JOIN of rows that are always there is a plain one."""
    on = join.args.get("on") if join is not None else None
    if isinstance(join, exp.Join) and join.args.get("side") == "LEFT" and isinstance(on, exp.Boolean) and on.this:
        join.set("side", None)


def _rows(lateral: exp.Lateral) -> list[list[exp.Expr]] | None:
    """The values of each row, where some are made of columns."""
    query = lateral.this.this if isinstance(lateral.this, exp.Subquery) else None
    match query:
        case exp.Values() if all(isinstance(row, exp.Tuple) for row in query.expressions):
            rows = [list(row.expressions) for row in query.expressions]
        case exp.Union():
            rows = [[item.unalias() for item in each.expressions] for each in _selects(query)]
        case _:
            return None
    even = len(rows) > 1 and all(rows) and len({len(row) for row in rows}) == 1
    values = [value for row in rows for value in row]
    plain = all(value.find(exp.Query, exp.AggFunc, exp.Window, exp.Star) is None for value in values)
    of_columns = any(value.find(exp.Column) is not None for value in values)
    return rows if even and plain and of_columns and lateral.alias else None


def _selects(union: exp.Expr) -> list[exp.Select]:
    """The SELECTs of a UNION ALL that have nothing but items; none where there is another."""
    sides = [union.this, union.expression] if isinstance(union, exp.Union) else []
    bare = not any(value for name, value in union.args.items() if name not in ("this", "expression", "distinct"))
    if not bare or union.args.get("distinct"):
        return []
    found: list[exp.Select] = []
    for side in sides:
        if isinstance(side, exp.Select) and not any(
            value for name, value in side.args.items() if name != "expressions"
        ):
            found.append(side)
        elif isinstance(side, exp.Union) and (more := _selects(side)):
            found += more
        else:
            return []
    return found


def _names(lateral: exp.Lateral, width: int) -> list[str]:
    """The columns' names: those of the alias, then those of the first SELECT, or of VALUES."""
    written = [str(column.name) for column in lateral.args["alias"].columns]
    query = lateral.this.this
    first = query
    while isinstance(first, exp.Union):
        first = first.this
    own = [f"column{i}" for i in range(1, width + 1)]
    if isinstance(first, exp.Select):
        own = [item.alias_or_name or name for item, name in zip(first.expressions, own, strict=True)]
    return [*written, *own[len(written) :]][:width]


def _query(rows: list[list[exp.Expr]], names: list[str]) -> exp.Select:
    place = exp.column(_PLACE, table=_ROW, quoted=True)
    numbers = [exp.Literal.number(number) for number in range(1, len(rows) + 1)]
    items = [
        exp.Alias(
            this=exp.Case(
                this=place.copy(),
                ifs=[
                    exp.If(this=number.copy(), true=row[at].copy())
                    for number, row in zip(numbers[:-1], rows[:-1], strict=True)
                ],
                default=rows[-1][at].copy(),
            ),
            alias=exp.to_identifier(name, quoted=True),
        )
        for at, name in enumerate(names)
    ]
    alias = exp.TableAlias(this=exp.to_identifier(_ROW, quoted=True), columns=[exp.to_identifier(_PLACE, quoted=True)])
    constants = exp.Values(expressions=[exp.Tuple(expressions=[number]) for number in numbers], alias=alias)
    return exp.Select(expressions=items, from_=exp.From(this=constants))
