"""A tree as one text of the engine: the only place where bounded SQL is written.

Checked by: tests/test_fixtures.py, tests/test_algebra.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import assert_never

from sqlglot import exp

from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.samples import COIN
from dpproxy.plan.told_columns import OwnColumn, Part, PublicColumn, ReleasedColumn
from dpproxy.rewrite.algebra.layers import layered, written_out
from dpproxy.rewrite.algebra.nested import nested_in
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
    SetKind,
    SetOperation,
    Shared,
    Sharing,
    Source,
)
from dpproxy.rewrite.expressions.trees.build import every
from dpproxy.rewrite.expressions.trees.nodes import nodes_of

Queries = dict[int, tuple[Relation, exp.Query]]
"""What relations became, by their identity: several texts of one plan have the same derived tables."""
_OWN = re.compile(r"(?:q\d+_)?[a-z](?:\d+(?:p\d+)?)?|one")
_SIDES = {JoinKind.INNER: None, JoinKind.LEFT: "LEFT", JoinKind.FULL: "FULL"}
_OPERATIONS: dict[SetKind, type[exp.SetOperation]] = {
    SetKind.UNION: exp.Union,
    SetKind.INTERSECT: exp.Intersect,
    SetKind.EXCEPT: exp.Except,
}


@dataclass(frozen=True, slots=True)
class Written:
    """A query in the engine's words, and the released and own columns that it reads: released ones first, in order."""

    sql: str
    inputs: tuple[PublicColumn, ...]


def written(relation: Relation, dialect: str, made: Queries | None = None) -> Written:
    """The query of a relation. made: what was made for other texts of the same plan."""
    engine = dialect_of(dialect)
    writer = _Writer(engine.pulls_up, {} if made is None else made)
    tree = _whole(writer, relation)
    return Written(engine.written(tree), _inputs(writer.read))


def value_text(value: exp.Expression, dialect: str) -> str:
    """One expression in the engine's words, its steps written out."""
    return dialect_of(dialect).written(_expanded(_Writer(None, {}), written_out(value).copy()))


def parameter(place: PublicColumn) -> exp.Expression:
    """The named parameter that a text of the engine has for a column."""
    return exp.Parameter(this=exp.Var(this=place.name))


def _inputs(read: Set[str]) -> tuple[PublicColumn, ...]:
    return tuple(map(_place, sorted(map(_numbers, read - {COIN}))))


def _numbers(name: str) -> tuple[str, tuple[int, ...]]:
    """Of `PublicColumn.name`: which kind it is, and its numbers."""
    return name[0], tuple(int(each) for each in re.split("[ckv]", name[1:]))


def _place(name: tuple[str, tuple[int, ...]]) -> PublicColumn:
    kind, (index, column, *part) = name
    if kind == "t":
        return OwnColumn(index, column)
    return ReleasedColumn(index, column, Part(*part) if part else None)


def _whole(writer: _Writer, relation: Relation) -> exp.Expr:
    """A tree of its own, with queries in the place of leaves that hold them."""
    return _expanded(writer, writer.query(relation).copy())


def _expanded(writer: _Writer, tree: exp.Expr) -> exp.Expr:
    leaves = [node for node in nodes_of(tree) if isinstance(node, exp.Var)]
    writer.read.update(leaf.name for leaf in leaves if isinstance(leaf.parent, exp.Parameter))
    for leaf, nested in [(leaf, found) for leaf in leaves if (found := nested_in(leaf)) is not None]:
        made = _whole(writer, nested.select)
        query = exp.Exists(this=made) if nested.exists else exp.Subquery(this=made)
        if leaf is tree:
            return query
        leaf.replace(query)
    return tree


@dataclass(frozen=True, slots=True)
class _Writer:
    """Makes sqlglot's trees, which share nodes with what they are made of, and are not to be changed.

    fenced: see `layered`; None where steps stay as they are. made: the queries that it has made already. read: the
    names of the columns that it has met in whole trees.
    """

    fenced: bool | None
    made: Queries
    read: set[str] = field(default_factory=set)

    def query(self, relation: Relation) -> exp.Query:
        """The relation as a query."""
        if id(relation) not in self.made:
            self.made[id(relation)] = (relation, self._query(relation))
        return self.made[id(relation)][1]

    def _query(self, relation: Relation) -> exp.Query:
        match relation:
            case Scan():
                return exp.Select(expressions=[exp.Star()], from_=exp.From(this=_table(relation)))
            case Shared(name):
                shared = exp.Table(this=_identifier(name))
                return exp.Select(expressions=[exp.Star()], from_=exp.From(this=shared))
            case Sharing():
                return self._sharing(relation)
            case Arrays(items):
                return exp.Select(expressions=[self._item(item) for item in items])
            case Constants():
                return self._constants(relation)
            case Select():
                return self._select(relation if self.fenced is None else layered(relation, self.fenced))
            case SetOperation(kind, every_, left, right):
                return _OPERATIONS[kind](this=self._side(left), expression=self._side(right), distinct=not every_)
            case _:
                assert_never(relation)

    def _sharing(self, sharing: Sharing) -> exp.Select:
        """The query with its rows before it."""
        alias = exp.TableAlias(this=_identifier(sharing.name))
        rows = exp.CTE(this=self.query(sharing.rows), alias=alias, materialized=True)
        return exp.Select(**self.query(sharing.query).args, with_=exp.With(expressions=[rows]))

    def _side(self, relation: Relation) -> exp.Query:
        """A set operation in another one stands in parentheses."""
        made = self.query(relation)
        return exp.Subquery(this=made) if isinstance(made, exp.SetOperation) else made

    def _select(self, select: Select) -> exp.Select:
        items = [exp.Star()] if select.star else [self._item(item) for item in select.items]
        made = exp.Select(expressions=items, **self._rows(select.rows))
        if select.distinct:
            made.set("distinct", exp.Distinct())
        if select.by or select.or_by:
            made.set("group", _group(select))
        if select.order.by:
            made.set("order", exp.Order(expressions=list(select.order.by)))
        if select.order.limit is not None:
            made.set("limit", exp.Limit(expression=exp.Literal.number(select.order.limit)))
        if select.order.offset is not None:
            made.set("offset", exp.Offset(expression=exp.Literal.number(select.order.offset)))
        if select.order.fenced:
            # In quotes it is a constant at once: above any other, Postgres has no parallel workers.
            made.set("offset", exp.Offset(expression=exp.Literal.string("0")))
        return made

    def _rows(self, rows: JoinedRows) -> dict[str, object]:
        return {
            "from_": None if rows.first is None else exp.From(this=self._source(rows.first)),
            "joins": [self._join(join) for join in rows.joins],
            "where": exp.Where(this=self._all(rows.where)) if rows.where else None,
        }

    def _join(self, join: Join) -> exp.Join:
        source, side = self._source(join.source), _SIDES[join.kind]
        if join.kind is JoinKind.INNER and not join.on:
            return exp.Join(this=source, kind="CROSS")
        return exp.Join(this=source, side=side, on=self._all(join.on) if join.on else exp.true())

    def _source(self, source: Source) -> exp.Expression:
        alias = exp.TableAlias(this=_identifier(source.name)) if source.name else None
        if isinstance(source.relation, Scan):
            table = _table(source.relation)
            table.set("alias", alias)
            return table
        if isinstance(source.relation, Shared):
            return exp.Table(this=_identifier(source.relation.name), alias=alias)
        return exp.Subquery(this=self.query(source.relation), alias=alias)

    def _constants(self, rows: Constants) -> exp.Select:
        """Of no rows, it is one row that WHERE drops."""
        tuples = [exp.Tuple(expressions=list(row)) for row in rows.rows]
        alias = exp.TableAlias(this=_identifier("v0"), columns=[_identifier(name) for name in rows.names])
        values = exp.Values(expressions=tuples, alias=alias)
        columns = [exp.Column(this=_identifier(name), table=_identifier("v0")) for name in rows.names]
        items = [self._item(Item(name, column)) for name, column in zip(rows.names, columns, strict=True)]
        where = exp.Where(this=exp.false()) if rows.empty else None
        return exp.Select(expressions=items, from_=exp.From(this=values), where=where)

    def _item(self, item: Item) -> exp.Expression:
        value = item.value
        if not item.name or (isinstance(value, exp.Column) and value.name == item.name and not value.table):
            return value
        return exp.Alias(this=value, alias=_identifier(item.name))

    def _all(self, conditions: Sequence[exp.Expression]) -> exp.Expression:
        """All of them are true."""
        return every(conditions)


def _table(scan: Scan) -> exp.Table:
    *outer, name = (exp.Identifier(this=part, quoted=True) for part in scan.place)
    return exp.Table(this=name, **dict(zip(("db", "catalog"), reversed(outer), strict=False)))


def _identifier(name: str) -> exp.Identifier:
    """A name of dpproxy's own as it is; one of a table's column in quotes."""
    return exp.Identifier(this=name, quoted=_OWN.fullmatch(name) is None)


def _group(select: Select) -> exp.Group:
    """GROUP BY, with a set for each column of `or_by` where there are several."""

    def columns(names: Sequence[str]) -> list[exp.Column]:
        return [exp.Column(this=_identifier(each)) for each in names]

    if len(select.or_by) < 2:
        return exp.Group(expressions=columns((*select.by, *select.or_by)))
    sets = [exp.Tuple(expressions=columns((*select.by, each))) for each in select.or_by]
    return exp.Group(expressions=[exp.GroupingSets(expressions=sets)])
