"""A tree whose groups within units are made before their rows are joined with their unit, where a link is grouped by.

    SELECT u, g0, SUM(a0) AS v0 FROM (          SELECT h0."person" AS u, s0."g0" AS g0, s0."v0" AS v0 FROM (
      SELECT h0."person" AS u, s0."visit" AS      SELECT g0, SUM(a0) AS v0 FROM (SELECT s0."visit" AS g0,
      g0, s0."cost" AS a0 FROM "bills" AS s0      s0."cost" AS a0 FROM "bills" AS s0) AS r GROUP BY g0
      JOIN "visits" AS h0                       ) AS s0 JOIN "visits" AS h0 ON s0."g0" = h0."visit"
      ON s0."visit" = h0."visit" …) AS r        WHERE h0."person" IS NOT NULL
    GROUP BY u, g0

Checked by: tests/test_early_groups.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from sqlglot import exp

from dpproxy.rewrite.algebra.indexed import ends, is_chain, is_hidden, sources_as
from dpproxy.rewrite.algebra.nested import nested_in
from dpproxy.rewrite.algebra.tree import (
    ALL,
    Arrays,
    Constants,
    Item,
    Join,
    JoinedRows,
    JoinKind,
    Relation,
    Scan,
    Select,
    SetOperation,
    Shared,
    Sharing,
    Source,
    of,
)
from dpproxy.rewrite.expressions.trees.build import column_of
from dpproxy.rewrite.expressions.trees.steps import steps_in

_UNIT: Final = "u"
_KEY: Final = re.compile(r"g\d+")


def grouped_early(relation: Relation) -> Relation:
    """The relation, with such groups wherever their rows are of one table and their hidden joins lead on from a column
    that they are grouped by.

    Claim: it has the same rows. Because: a hidden join meets a row with one row at most, whose key is its unit's, by
    the link alone; so the rows of a group by the link all meet the same one, or none, and then the group is in neither
    result. With the link, the unit adds nothing to what is grouped by.
    Checked by: tests/test_early_groups.py.
    """
    match relation:
        case Scan() | Arrays() | Constants() | Shared():
            return relation
        case Sharing(_, shared, _):
            return replace(relation, rows=grouped_early(shared))
        case SetOperation(_, _, left, right):
            sides = grouped_early(left), grouped_early(right)
            alike = sides[0] is left and sides[1] is right
            return relation if alike else replace(relation, left=sides[0], right=sides[1])
        case Select():
            rows = sources_as(relation.rows, lambda each: grouped_early(each.relation))
            return _early(relation if rows is relation.rows else replace(relation, rows=rows))
        case _:
            assert_never(relation)


def _early(select: Select) -> Select:
    source = select.rows.first
    inner = None if source is None or select.rows.joins or select.rows.where else source.relation
    if source is None or not isinstance(inner, Select) or select.by[:1] != (_UNIT,) or select.or_by:
        return select
    linked = _link(inner)
    key = None if linked is None else _key_of(linked, inner, select.by)
    rest = inner.rows.where[1:]
    if linked is None or key is None or not _is_plain(select) or not _reads_alone(inner, rest, linked.table):
        return select
    return _joined(select, source, inner, key, rest)


def _link(inner: Select) -> exp.Column | None:
    """The column that hidden joins, which are all that its first source is joined to, lead on from to the unit's key,
    of which WHERE says first that it is there."""
    first, joins = inner.rows.first, inner.rows.joins
    if first is None or not joins or not all(is_hidden(join.source) for join in joins) or not inner.rows.where:
        return None
    if any(join.kind is not JoinKind.INNER or len(join.on) != 1 for join in joins) or not is_chain(joins, first.name):
        return None
    unit = inner.items[0].value if inner.items and inner.items[0].name == _UNIT else None
    there = exp.Is(this=unit, expression=exp.Null(), negate=True)
    ends_here = isinstance(unit, exp.Column) and unit.table == joins[-1].source.name
    return ends(joins[0])[0] if ends_here and inner.rows.where[0] == there else None


def _key_of(link: exp.Column, inner: Select, by: Sequence[str]) -> str | None:
    """The name under which rows are grouped by the link within their unit."""
    names = (item.name for item in inner.items if item.value == link and item.name in by)
    return next((name for name in names if _KEY.fullmatch(name)), None)


def _is_plain(select: Select) -> bool:
    """Whether it is no more than its groups, of which the first item alone reads the unit."""
    values = [item.value for item in select.items[1:]]
    units = any(column.name == _UNIT for value in values for column in value.find_all(exp.Column))
    return not (select.distinct or select.star or units) and select.order == ALL and select.items[0].name == _UNIT


def _reads_alone(inner: Select, where: Sequence[exp.Expression], source: str) -> bool:
    """Whether all that rows are chosen by and what is read of them, but for the unit, is of the one source."""
    values = [*(item.value for item in inner.items[1:]), *where]
    if inner.by or inner.distinct or inner.star or inner.order != ALL:
        return False
    if any(next(steps_in(value), None) or any(map(nested_in, value.find_all(exp.Var))) for value in values):
        return False
    return all(column.table == source for value in values for column in value.find_all(exp.Column))


def _joined(select: Select, source: Source, inner: Select, key: str, where: tuple[exp.Expression, ...]) -> Select:
    first, unit = inner.rows.first, inner.items[0]
    assert first is not None, "there is the source that hidden joins lead on from"
    rows = replace(inner, items=inner.items[1:], rows=JoinedRows(first, where=where))
    groups = Select(select.items[1:], of(rows, source.name), by=select.by[1:])
    items = (unit, *(Item(item.name, column_of(item.name, first.name)) for item in groups.items))
    joins = (_by_key(inner.rows.joins[0], column_of(key, first.name)), *inner.rows.joins[1:])
    return Select(items, JoinedRows(Source(groups, first.name), joins, (inner.rows.where[0],)))


def _by_key(join: Join, key: exp.Expression) -> Join:
    return replace(join, on=(exp.EQ(this=key, expression=ends(join)[1]),))
