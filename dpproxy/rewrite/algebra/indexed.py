"""A tree whose hidden joins, which lead from a row to its unit, are unit indexes instead.

    FROM "lines" AS s0 JOIN "orders" AS h0 ON s0."order_id" = h0."id"    h0."person"
    FROM "dp_units"."lines" AS s0                                       s0."dp_unit"

Checked by: tests/test_unit_index.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, assert_never

from sqlglot import exp

from dpproxy.catalog.policy import UNIT_OF_ROW, Hop, UnitIndex
from dpproxy.rewrite.algebra.tree import (
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

Indexes = Mapping[tuple[str, ...], UnitIndex]
"""By the place of the table that each is of."""
_HIDDEN: Final = re.compile(r"(?:q\d+_)?h\d+")


def indexed(relation: Relation, indexes: Indexes) -> Relation:
    """The relation, with an index wherever hidden joins lead the whole way that it was made by; itself without any.

    Claim: it has the same rows. Because: an index has each row of its table that the joins meet a row with, once, since
    each target is unique, beside the key that they come to; rows of the others are not in the result. Whatever else
    reads a hidden source stands in a query of its own: the text then names what is not there (`left_over`).
    """
    match relation:
        case Scan() | Arrays() | Constants() | Shared():
            return relation
        case Sharing(_, rows, _):
            return replace(relation, rows=indexed(rows, indexes))
        case SetOperation(_, _, left, right):
            return replace(relation, left=indexed(left, indexes), right=indexed(right, indexes))
        case Select():
            return _with_index(_over_indexed(relation, indexes), indexes)
        case _:
            assert_never(relation)


def hidden_sources(relation: Relation) -> frozenset[str]:
    """The names of all hidden sources in it."""
    match relation:
        case Scan() | Arrays() | Constants() | Shared():
            return frozenset()
        case Sharing(_, rows, _):
            return hidden_sources(rows)
        case SetOperation(_, _, left, right):
            return hidden_sources(left) | hidden_sources(right)
        case Select():
            own = (each.name for each in relation.rows.sources if is_hidden(each))
            return frozenset(own).union(*(hidden_sources(each.relation) for each in relation.rows.sources))
        case _:
            assert_never(relation)


def is_hidden(source: Source) -> bool:
    """Whether it is there for its rows' unit alone, and no analyst has named it."""
    return _HIDDEN.fullmatch(source.name) is not None


def _over_indexed(select: Select, indexes: Indexes) -> Select:
    return replace(select, rows=sources_as(select.rows, lambda each: indexed(each.relation, indexes)))


def sources_as(rows: JoinedRows, made: Callable[[Source], Relation]) -> JoinedRows:
    """The rows with other relations for its sources; the same where those are."""
    found = [made(each) for each in rows.sources]
    if all(relation is each.relation for relation, each in zip(found, rows.sources, strict=True)):
        return rows
    first, *joined = (replace(each, relation=relation) for relation, each in zip(found, rows.sources, strict=True))
    joins = tuple(replace(join, source=source) for join, source in zip(rows.joins, joined, strict=True))
    return replace(rows, first=first, joins=joins)


def _with_index(select: Select, indexes: Indexes) -> Select:
    hidden = tuple(join for join in select.rows.joins if is_hidden(join.source))
    path = tuple(map(_hop, hidden))
    start = ends(hidden[0])[0].table if hidden and path[0] is not None else ""
    source = next((each for each in select.rows.sources if each.name == start), None)
    scan = None if source is None else _scanned(source.relation)
    index = None if scan is None else indexes.get(scan.place)
    if source is None or index is None or path != index.path or not is_chain(hidden, start):
        return select
    return _read_by(select, source, hidden[-1].source.name, index)


def _scanned(relation: Relation) -> Scan | None:
    """The table that the relation is, or reads each column of in a form of its own."""
    if isinstance(relation, Select) and relation.rows.first is not None and not relation.rows.first.name:
        return _scanned(relation.rows.first.relation)
    return relation if isinstance(relation, Scan) else None


def _hop(join: Join) -> Hop | None:
    """The link that a hidden join goes along."""
    scan = _scanned(join.source.relation)
    if scan is None or join.kind is not JoinKind.INNER:
        return None
    here, there = ends(join)
    return Hop(here.name, ".".join(scan.place), there.name)


def ends(join: Join) -> tuple[exp.Column, exp.Column]:
    """The columns that a hidden join makes equal: of a source before it, and its own."""
    (tied,) = join.on
    here, there = tied.this, tied.expression
    assert isinstance(here, exp.Column) and isinstance(there, exp.Column), "a hidden join is along a link"
    return here, there


def is_chain(hidden: tuple[Join, ...], start: str) -> bool:
    """Whether each leads on from the one before."""
    names = (start, *(join.source.name for join in hidden))
    return all(
        (here.table, there.table) == (before, after)
        for (here, there), before, after in zip(map(ends, hidden), names, names[1:], strict=False)
    )


def _read_by(select: Select, source: Source, last: str, index: UnitIndex) -> Select:
    """The select with the index for the source, and its column for the key that the last hidden source has."""

    def read(node: exp.Expr) -> exp.Expr:
        is_key = isinstance(node, exp.Column) and (node.table, node.name) == (last, index.key)
        return column_of(UNIT_OF_ROW, source.name) if is_key else node

    def renamed(value: exp.Expression) -> exp.Expression:
        if not any(column.table == last for column in value.find_all(exp.Column)):
            return value
        made = value.transform(read)
        assert isinstance(made, exp.Expression)
        return made

    rows = sources_as(select.rows, lambda each: _of_index(each, index) if each is source else each.relation)
    shown = tuple(join for join in rows.joins if not is_hidden(join.source))
    joins = tuple(replace(join, on=tuple(map(renamed, join.on))) for join in shown)
    return replace(
        select,
        items=tuple(replace(item, value=renamed(item.value)) for item in select.items),
        rows=replace(rows, joins=joins, where=tuple(map(renamed, rows.where))),
        order=replace(select.order, by=tuple(map(renamed, select.order.by))),
    )


def _of_index(source: Source, index: UnitIndex) -> Relation:
    scan, read = Scan(index.place), source.relation
    if isinstance(read, Select):
        return replace(read, items=(*read.items, Item(UNIT_OF_ROW, column_of(UNIT_OF_ROW))), rows=of(scan))
    return scan
