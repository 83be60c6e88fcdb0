"""How many days lie between two dates of a row, as a count of a series of its days: calculated from the two.

    asked   (SELECT count(*) FROM generate_series(a.first, a.last, INTERVAL '1 day') AS g(d)
             WHERE EXTRACT(isodow FROM g.d) < 6)
    made    CASE WHEN a.last >= a.first THEN a.last - a.first + 1 - (days that are Saturdays) - (those that are Sundays)
                 ELSE 0 END

From 0001-01-01, a Monday, up to a day there are (days since then + 8 - w) / 7 of the weekday w, Monday being 1.

Claim: both are the same number, of dates of the years 0001 to 9999. Because: a series by days has each date between its
ends once, none where an end is NULL or they are the other way round, and a condition on weekdays alone picks all days
of each weekday or none. Ends of which it is not known that they are dates (`q::date` says so) are left, and refused.
Checked by: tests/test_fixtures.py (rewrite/days_counted.sql), tests/test_executed.py.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family

_FIRST: Final = "0001-01-01"
_WEEK: Final = range(1, 8)
_CLAUSES: Final = frozenset({"expressions", "from_", "where"})
_COMPARED: Final[Mapping[type[exp.Expr], Callable[[int, int], bool]]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_FIELDS: Final[Mapping[str, Callable[[int], int]]] = {"isodow": lambda day: day, "dow": lambda day: day % 7}


class _Other(Exception):
    """A condition that asks for more than a weekday."""


def days_counted(tree: exp.Query, catalog: Catalog) -> exp.Query:
    """The parsed tree, with such counts calculated."""
    if not any(_made(node, catalog) for node in tree.find_all(exp.Subquery)):
        return tree
    made = tree.copy()
    for node in list(made.find_all(exp.Subquery)):
        if (number := _made(node, catalog)) is not None:
            node.replace(exp.alias_(number, "count") if isinstance(node.parent, exp.Select) else number)
    return made


def _made(node: exp.Subquery, catalog: Catalog) -> exp.Expr | None:
    """The number that a query in an expression counts; None: it is another query."""
    query, alone = node.this, not node.args.get("alias")
    if not isinstance(query, exp.Select) or not alone or isinstance(node.parent, exp.From | exp.Join | exp.Lateral):
        return None
    if any(value for name, value in query.args.items() if name not in _CLAUSES) or not _is_count(query.expressions):
        return None
    source, where = query.args.get("from_"), query.args.get("where")
    series = None if source is None else _series(source.this)
    if source is None or series is None or not _is_of_dates(series, node, catalog):
        return None
    try:
        days = [day for day in _WEEK if where is None or _holds(where.this, day, _names(source.this))]
    except _Other:
        return None
    return _number(series.args["start"], series.args["end"], days)


def _is_count(items: list[exp.Expr]) -> bool:
    """Whether it counts rows."""
    found = [item.unalias() for item in items]
    return len(found) == 1 and isinstance(found[0], exp.Count) and isinstance(found[0].this, exp.Star)


def _series(node: exp.Expr) -> exp.Expr | None:
    """The series by days of which an end is a row's."""
    series = node.this if isinstance(node, exp.Table) else None
    if not isinstance(series, exp.ExplodingGenerateSeries) or not _is_a_day(series.args.get("step")):
        return None
    ends = [series.args.get("start"), series.args.get("end")]
    if any(end is None or end.find(exp.Query, exp.AggFunc, exp.Window) for end in ends):
        return None
    return series if any(end.find(exp.Column) for end in ends if end is not None) else None


def _is_of_dates(series: exp.Expr, node: exp.Subquery, catalog: Catalog) -> bool:
    """Whether its ends are dates, as far as is written; a text beside one is."""
    ends = [series.args["start"], series.args["end"]]
    around = node.find_ancestor(exp.Select)
    dates = [around is not None and _is_date(end, around, catalog) for end in ends]
    return any(dates) and all(known or _is_text(end) for known, end in zip(dates, ends, strict=True))


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _is_date(node: exp.Expr, around: exp.Select, catalog: Catalog) -> bool:
    """Whether an expression over the tables of a SELECT is a date."""
    match node:
        case exp.Paren():
            return _is_date(node.this, around, catalog)
        case exp.CurrentDate():
            return True
        case exp.Cast():
            return bool(node.to.this == exp.DataType.Type.DATE)
        case exp.Coalesce() | exp.Greatest() | exp.Least():
            parts = [each for each in (node.this, *node.expressions) if not _is_text(each)]
            return bool(parts) and all(_is_date(each, around, catalog) for each in parts)
        case exp.Add() | exp.Sub():
            whole = isinstance(node.expression, exp.Literal) and node.expression.is_int
            return bool(whole) and _is_date(node.this, around, catalog)
        case exp.Column():
            return _is_date_column(node, around, catalog)
    return False


def _is_date_column(column: exp.Column, around: exp.Select, catalog: Catalog) -> bool:
    """Whether a column is a date of a table of the policy that stands in FROM, in whichever schema it is found."""
    holders = [around.args.get("from_"), *(around.args.get("joins") or [])]
    nodes = [holder.this for holder in holders if holder is not None]
    if any(not isinstance(node, exp.Table) for node in nodes):
        return False
    named = [node for node in nodes if column.table in ("", node.alias_or_name)]
    queries = {cte.alias for cte in around.root().find_all(exp.CTE)}
    tables = [table for node in named for table in catalog.tables.values() if table.name.split(".")[-1] == node.name]
    types = {each.type.family for table in tables for each in table.columns if each.name == column.name}
    return types == {Family.DATE} and not any(node.name in queries for node in named)


def _is_a_day(step: exp.Expr | None) -> bool:
    if isinstance(step, exp.Cast) and step.to.this == exp.DataType.Type.INTERVAL:
        step = step.this
    if isinstance(step, exp.Interval):
        unit = step.args.get("unit")
        return f"{step.name} {unit.name if unit is not None else ''}".strip().lower() in ("1 day", "1 days")
    return isinstance(step, exp.Literal) and step.name.strip().lower() in ("1 day", "1 days")


def _names(table: exp.Expr) -> frozenset[tuple[str, str]]:
    """What the series' day may be called: by its column, which is the alias where that has none."""
    alias = table.args.get("alias")
    if alias is None:
        return frozenset({("", "generate_series"), ("generate_series", "generate_series")})
    columns = [column.name for column in alias.columns] or [alias.name]
    return frozenset({("", columns[0]), (alias.name, columns[0])})


def _holds(node: exp.Expr, day: int, names: frozenset[tuple[str, str]]) -> bool:
    """Whether a condition is true on a weekday. Raises _Other where it asks for more."""
    match node:
        case exp.Paren():
            return _holds(node.this, day, names)
        case exp.Not():
            return not _holds(node.this, day, names)
        case exp.And():
            return _holds(node.this, day, names) & _holds(node.expression, day, names)
        case exp.Or():
            return _holds(node.this, day, names) | _holds(node.expression, day, names)
        case exp.Between() if not node.args.get("symmetric"):
            value = _value(node.this, day, names)
            return _value(node.args["low"], day, names) <= value <= _value(node.args["high"], day, names)
        case exp.In() if node.expressions and set(node.args) <= {"this", "expressions"}:
            return _value(node.this, day, names) in [_value(each, day, names) for each in node.expressions]
    if type(node) not in _COMPARED:
        raise _Other
    return _COMPARED[type(node)](_value(node.this, day, names), _value(node.expression, day, names))


def _value(node: exp.Expr, day: int, names: frozenset[tuple[str, str]]) -> int:
    """A number as written, or the weekday. Raises _Other for anything else."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return int(node.name)
    if not isinstance(node, exp.Extract) or node.name.lower() not in _FIELDS:
        raise _Other
    of = node.expression
    if not isinstance(of, exp.Column) or (of.table, of.name) not in names:
        raise _Other
    return _FIELDS[node.name.lower()](day)


def _number(first: exp.Expr, last: exp.Expr, days: list[int]) -> exp.Expr:
    """How many days of these weekdays lie between two."""
    added, left_out = (days, []) if len(days) < 4 else ([], [day for day in _WEEK if day not in days])
    made: exp.Expr = exp.Literal.number(0)
    if len(days) >= 4:
        made = exp.Add(this=exp.paren(exp.Sub(this=_end(last), expression=_end(first))), expression=_whole(1))
    for sign, weekdays in ((exp.Add, added), (exp.Sub, left_out)):
        for part in _apart(first, last, weekdays):
            made = sign(this=made, expression=part)
    asked = exp.GTE(this=_end(last), expression=_end(first))
    number = exp.Case(ifs=[exp.If(this=asked, true=made)], default=_whole(0))
    return exp.Cast(this=number, to=exp.DataType.build("bigint"))


def _apart(first: exp.Expr, last: exp.Expr, weekdays: list[int]) -> Iterator[exp.Expr]:
    """How many days of each weekday there are up to the last, without those before the first."""
    for day in weekdays:
        yield exp.paren(exp.Sub(this=_up_to(last, 8 - day), expression=_up_to(first, 7 - day)))


def _up_to(end: exp.Expr, more: int) -> exp.Expr:
    start = exp.Cast(this=exp.Literal.string(_FIRST), to=exp.DataType.build("date"))
    since = exp.paren(exp.Sub(this=_end(end), expression=start))
    return exp.Div(this=exp.paren(exp.Add(this=since, expression=_whole(more))), expression=_whole(7), typed=True)


def _end(end: exp.Expr) -> exp.Expr:
    return end.copy() if isinstance(end, exp.Column) else exp.paren(end.copy())


def _whole(number: int) -> exp.Expr:
    return exp.Literal.number(number)
