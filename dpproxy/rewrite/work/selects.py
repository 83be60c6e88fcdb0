"""What a SELECT makes of its rows: GROUP BY, HAVING, its items, DISTINCT, ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.checker.nodes import AGGREGATES, QUERIES
from dpproxy.rewrite.checker.syntax import bare, clause, grouped, integer, plain
from dpproxy.rewrite.work.costs import (
    Cost,
    CostScope,
    QueriesCost,
    evaluated,
    evaluated_for_all,
    nodes_of,
    nodes_of_parts,
    of_queries,
    parts_of,
    scanned,
)
from dpproxy.rewrite.work.counted import (
    MANY,
    ONE_ROW,
    Cell,
    Counted,
    Decides,
    Once,
    Origins,
    Unique,
    as_rows,
    given,
    multiplied,
    none_twice,
    widest,
)
from dpproxy.rewrite.work.equalities import Place
from dpproxy.rewrite.work.joins import CountedRows, decided
from dpproxy.rewrite.work.origins import all_combinations, combinations, origins
from dpproxy.rewrite.work.weights import HASHED, SCANNED, SORTED

_SHUT = frozenset({*QUERIES, exp.Window})
_CLOSED = frozenset({*AGGREGATES, exp.Window})
_OF_MANY = _CLOSED | _SHUT
_COLUMN: Final = frozenset({exp.Column})


@dataclass(frozen=True, slots=True)
class _Shape:
    """The clauses over the rows of a SELECT, and what its expressions see. kinds: of the nodes of each item. sets: how
    often rows are grouped."""

    select: exp.Expr
    scope: CostScope
    rows: CountedRows
    items: Mapping[str, exp.Expr]
    kinds: Mapping[str, frozenset[type[exp.Expr]]]
    group: Sequence[exp.Expr]
    aggregated: bool
    sets: int = 1

    @property
    def distinct(self) -> bool:
        return self.select.args.get("distinct") is not None

    @property
    def limit(self) -> int | None:
        found = self.select.args.get("limit")
        return None if found is None else integer(found.expression)

    def cell(self, name: str, item: exp.Expr, nodes: int) -> Cell:
        """What is known of an item, which costs so many nodes."""
        if type(item) is exp.Column:
            alias, column = self.scope.column(item)
            found = self.scope.sources[alias].columns[column]
            key = found.key and alias not in self.missing
            origin = Once(partial(self.origins, item, key))
            return Cell(
                self.again(name, nodes),
                found.family,
                key,
                origin,
                found.numbers,
                found.grouped and alias not in self.missing,
            )
        key = self.is_key(item)
        origin = Once(partial(self.origins, item, key))
        return Cell(self.again(name, nodes), self.scope.family(item), key, origin, _is_number(item))

    @property
    def missing(self) -> frozenset[str]:
        return self.rows.missing

    def origins(self, item: exp.Expr, key: bool) -> Origins | None:
        """What decides an item, of one unit."""
        if key:
            return frozenset()
        return origins(item, self.rows, self.scope) if _OF_MANY.isdisjoint(map(type, parts_of(item))) else None

    def groups(self) -> Origins | None:
        """What decides in which group a row is, or among which rows that are alike; None: each may be by itself."""
        if self.sets > 1 or not (self.aggregated or self.distinct):
            return None
        parts = self.group if self.aggregated else list(self.items.values())
        found = [self.origins(part, self.is_key(part)) for part in parts]
        return None if None in found else frozenset().union(*(each for each in found if each is not None))

    def again(self, name: str, nodes: int) -> int:
        """What reading it costs: a condition on it may be tested where it is made, and then calculates it again, but
        not before an aggregate, a window or a LIMIT."""
        closed = self.select.args.get("limit") is not None or not self.kinds[name].isdisjoint(_CLOSED)
        return 1 if closed else max(1, nodes)

    def is_key(self, item: exp.Expr) -> bool:
        """Whether it is the unit's key in every row: a column, or the one side of FULL JOIN that is there."""
        if type(item) is exp.Coalesce:
            columns = [part for part in (item.this, *item.expressions) if isinstance(part, exp.Column)]
            return len(columns) == 1 + len(item.expressions) and all(self.scope.cell(each).key for each in columns)
        if not isinstance(item, exp.Column) or not self.scope.cell(item).key:
            return False
        return self.scope.column(item)[0] not in self.missing


def shaped(select: exp.Expr, rows: CountedRows, scope: CostScope) -> Counted:
    """What is counted of the rows of a SELECT."""
    items, (group, sets) = _items(select, scope), _grouped(select)
    parts = {name: parts_of(item) for name, item in items.items()}
    kinds = {
        name: _COLUMN if type(items[name]) is exp.Column else frozenset(map(type, each)) for name, each in parts.items()
    }
    aggregated = bool(group) or any(not each.isdisjoint(AGGREGATES) for each in kinds.values())
    shape = _Shape(select, scope, rows, items, kinds, group, aggregated, sets)
    apart: list[QueriesCost] = []
    prices = {name: nodes_of_parts(each, scope, apart) for name, each in parts.items()}
    nodes = sum(prices.values()) + sum([nodes_of(other, scope, apart) for other in _others(shape)])
    columns = {name: shape.cell(name, item, prices[name]) for name, item in items.items()}
    return _counted(shape, rows, Cost(nodes, of_queries(apart)), columns)


def _grouped(select: exp.Expr) -> tuple[Sequence[exp.Expr], int]:
    """What stands in GROUP BY, in any of its sets, and how many of those there are."""
    group = select.args.get("group")
    holder = None if group is None else next(iter(group.expressions), None)
    if type(holder) is not exp.GroupingSets:
        return grouped(select), 1
    sets = [each.expressions if type(each) is exp.Tuple else [bare(each)] for each in holder.expressions]
    return list(dict.fromkeys(part for each in sets for part in each)), len(sets)


def _counted(shape: _Shape, rows: CountedRows, each: Cost, columns: Mapping[str, Cell]) -> Counted:
    before = rows.counted
    groups = shape.groups() if before.private and before.rows > MANY else None
    count = _count(shape, before, groups)
    every = before.all_rows
    if groups is not None:
        every = min(every, all_combinations(list(groups), before.units))
    steps = SCANNED + HASHED * (shape.aggregated * shape.sets + shape.distinct)
    steps += 0 if shape.select.args.get("order") is None else SORTED
    met = () if count == 1 else before.product
    product = met if before.private else as_rows(before.product, count)
    return Counted(
        before.private,
        count,
        columns,
        product,
        widest((before.widest, multiplied(before.product, each.queries.widest))),
        before.work + before.rows * steps + evaluated(each, before.rows),
        max(before.most, each.queries.most),
        before.scans + scanned(each, before.rows),
        every if before.private else count,
        before.whole + before.all_rows * steps + evaluated_for_all(each, before.all_rows, before.rows),
        before.units,
        given(ONE_ROW) if count == 1 else Once(partial(_unique, shape, rows, columns)),
        Once(partial(_decides, shape, rows)),
    )


def _items(select: exp.Expr, scope: CostScope) -> Mapping[str, exp.Expr]:
    """The items by name; * stands for all columns of the one source."""
    if [type(item) for item in select.expressions] == [exp.Star]:
        (alias,) = scope.own
        return {name: exp.column(name, alias) for name in scope.sources[alias].columns}
    return {item.alias_or_name: item.unalias() for item in select.expressions}


def _others(shape: _Shape) -> list[exp.Expr]:
    """The expressions beside the items. ORDER BY may name an item."""
    order, having = shape.select.args.get("order"), clause(shape.select, "having")
    ordered = [] if order is None else [each.this for each in order.expressions]
    rest = [*ordered, *([] if having is None else [having])]
    return [*shape.group, *(part for part in rest if plain(part) not in shape.items)]


def _count(shape: _Shape, before: Counted, groups: Origins | None) -> int:
    """How many rows are left; `groups` decide in which group one is."""
    if shape.aggregated and all(shape.is_key(part) for part in shape.group):
        return 1
    if groups is not None:
        return min(before.rows, combinations(groups))
    return before.rows if before.private or shape.limit is None else max(1, min(before.rows, shape.limit))


def _unique(shape: _Shape, rows: CountedRows, columns: Mapping[str, Cell]) -> Unique:
    """Sets of items on which no two rows agree: of rows that are numbered, the number and what they are counted by."""
    found = none_twice(shape.items, columns) if shape.distinct else frozenset[frozenset[str]]()
    found |= frozenset(_numbered(shape))
    if not shape.aggregated:
        return found | _carried(shape, rows.unique)
    names = {part: name for name, item in shape.items.items() for part in shape.group if item == part}
    for group in (shape.group, _deciding(shape, rows)):
        if all(part in names or shape.is_key(part) for part in group):
            found |= none_twice([names[part] for part in group if part in names], columns)
    return found


def _is_number(item: exp.Expr) -> bool:
    return type(item) is exp.Window and type(item.this) is exp.RowNumber


def _numbered(shape: _Shape) -> Iterator[frozenset[str]]:
    names = {item: name for name, item in shape.items.items()}
    for name, item in shape.items.items():
        counted = [part for part in item.args.get("partition_by") or [] if not shape.is_key(part)]
        if _is_number(item) and all(part in names for part in counted):
            yield frozenset([name, *(names[part] for part in counted)])


def _deciding(shape: _Shape, rows: CountedRows) -> Sequence[exp.Expr]:
    """Those of GROUP BY that decide the others: rows that agree on a key agree on all columns."""
    kept = list(shape.group)
    for part in reversed(kept) if shape.sets == 1 else ():
        rest = [each for each in kept if each is not part]
        places = [shape.scope.column(each) for each in rest if isinstance(each, exp.Column)]
        if _is_decided(part, decided(places, rows, shape.scope), shape):
            kept = rest
    return kept


def _is_decided(part: exp.Expr, places: Collection[Place], shape: _Shape) -> bool:
    """Whether rows that agree on `places` agree on an expression."""
    if type(part) is not exp.Column and part.find(*_SHUT, *AGGREGATES) is not None:
        return False
    reads = {shape.scope.column(column) for column in part.find_all(exp.Column)}
    return bool(reads) and reads <= set(places)


def _decides(shape: _Shape, rows: CountedRows) -> Decides:
    """Which items decide which others: a key the columns of its source, and what they decide."""
    names = {shape.scope.column(item): name for name, item in shape.items.items() if isinstance(item, exp.Column)}
    sets = {
        frozenset((alias, name) for name in columns)
        for alias in shape.scope.own - rows.missing
        for source in [shape.scope.sources[alias]]
        for columns in (*source.unique(), *(columns for columns, _ in source.decides()))
    }
    found = []
    for places in sets:
        if places <= names.keys():
            known = decided(places, rows, shape.scope)
            more = frozenset(name for name, item in shape.items.items() if _is_decided(item, known, shape))
            found.append((frozenset(names[place] for place in places), more))
    return frozenset((columns, more) for columns, more in found if not more <= columns)


def _carried(shape: _Shape, sets: frozenset[frozenset[Place]]) -> Unique:
    """Those of the rows that are all among the items."""
    copies = {shape.scope.column(item): name for name, item in shape.items.items() if isinstance(item, exp.Column)}
    return frozenset(frozenset(copies[place] for place in places) for places in sets if places <= copies.keys())
