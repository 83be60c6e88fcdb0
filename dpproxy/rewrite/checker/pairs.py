"""Rows that belong to two units each: numbers over contributions by pairs over rows, which are read once for each unit.

Whoever reads for one of the two units sees the policy so: a table that names both is a private one of this unit, by its
way to it; one that is of the other kind alone is public. What is proved then holds where rows of one unit of this kind
leave, and those of the other kind alone stay as they are: and these are all neighbours that there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from string import Template
from typing import Final

from sqlglot import exp

from dpproxy.catalog.policy import UNIT_OF_ROW, Catalog, Table, TableColumn
from dpproxy.catalog.types import SqlType
from dpproxy.mechanisms.rows_met import MOST_TIMES
from dpproxy.plan.private_plan import MOST_PAIRS, UNCAPPED, Bounded, Limit, Measure, MeasureKind
from dpproxy.plan.rows_met import RowsMet
from dpproxy.rewrite.checker.clipped import MOST_STEPS
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import Kind
from dpproxy.rewrite.checker.level import carried, ranges
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.checker.relations import UNIT, Cell, ColumnFact, Relation
from dpproxy.rewrite.checker.rows import CheckedRows, Side, check_ons, check_where, read_rows, scope_of
from dpproxy.rewrite.checker.scope import NOTHING, CheckContext, Scope
from dpproxy.rewrite.checker.syntax import bare, filtered, integer, keeps_all, named, null_test, only, source_of
from dpproxy.rewrite.checker.tables import index_of, is_public, is_reading, table_of, tells_apart
from dpproxy.rewrite.checker.ties import same_as, tied
from dpproxy.rewrite.checker.values import value

OTHER: Final = "v"
ROW: Final = "o"
COUNTED: Final = (MeasureKind.ROWS, MeasureKind.VALUES)
ADDED: Final = (MeasureKind.SUM, MeasureKind.CENTRED)
_NUMBERED: Final = Template("SELECT $items FROM (SELECT 1 AS x) AS c")


def seen_by(catalog: Catalog, pair: tuple[str, str], turn: int) -> Catalog:
    """The policy as who reads for the one or the other of two units sees it. A table that names other units than these
    two stays what it is: of a unit that nothing else is of."""
    return replace(
        catalog,
        tables={name: _seen(table, pair, turn) for name, table in catalog.tables.items()},
        beyond={name: _seen(table, pair, turn) for name, table in catalog.beyond.items()},
    )


def _seen(table: Table, pair: tuple[str, str], turn: int) -> Table:
    if table.ways and sorted(way.unit for way in table.ways) == sorted(pair):
        found = [way for way in table.ways if way.unit == pair[turn]]
        made = table.by(found[turn if len(found) > 1 else 0])
        others = {way.link.column for way in table.ways} - {made.links[0].column}
        shown = tuple(replace(each, hidden=each.hidden and each.name not in others) for each in made.columns)
        return replace(made, columns=shown)
    if not table.ways and table.unit in pair and table.unit != pair[turn]:
        shown = tuple(replace(each, hidden=False) if _finds(table, each.name) else each for each in table.columns)
        return replace(table, unit=None, unit_key=None, links=(), columns=shown, size=table.max_rows)
    return table


def _finds(table: Table, column: str) -> bool:
    """Whether the column leads to the unit, or is led to."""
    return column == table.unit_key or (column,) in table.unique or column in {link.column for link in table.links}


def check_numbers(total: exp.Select, bounded: Bounded, engine: Facts) -> exp.Expr:
    """The source of contributions under the numbers of units.

    Claim: if nothing is raised, a row of the result is a contribution, with numbers that are functions of the keys of
    its units, the same function for both, and where rows are counted that are met, of what tells them apart; each is
    there, unless there are more rows than MOST_PAIRS, of which nothing is released. Because: that is what the text is,
    node by node, and `hashed` of the engine is such a function.
    Checked by: tests/test_checker_pairs.py.
    """
    units = () if bounded.pair is None else dict.fromkeys(bounded.pair)
    require(bounded.unit == " and ".join(units), "a release of pairs is by the name of other units")
    require(bounded.clip is not None and bounded.limit is Limit.NORM_CLIPPED, "pairs of units without a clip")
    require(bounded.spread is None and bounded.sample is None and bounded.blocks is None, "pairs of units in a sample")
    require(not bounded.counts_units, "private keys of pairs of units")
    require((bounded.groups, bounded.rows) == (UNCAPPED, UNCAPPED), "pairs of units with limits")
    require(all(max(-each.lower, each.upper) <= MOST_STEPS for each in bounded.measures), "a pair has no room")
    hashed = Template(engine.hashed)
    require(bounded.met is None or _is_of_rows(bounded.met, bounded.measures), "rows that are met by less than others")
    numbers = [f"{hashed.substitute(key=key)} AS {name}" for key, name in zip(numbered(bounded), "ijr", strict=False)]
    items = [*(key.name for key in bounded.keys), *numbers, *(each.name for each in bounded.measures)]
    expected = parsed(_NUMBERED.substitute(items=", ".join(items)), engine.name)
    only(total, "expressions", "from_", "limit")
    limit = total.args.get("limit")
    require(limit is not None and integer(limit.expression) == MOST_PAIRS + 1, "another end than pairs have")
    require(
        source_of(total).alias == "c" and total.expressions == expected.expressions, "other columns than pairs have"
    )
    inner: exp.Expr = source_of(total).this
    return inner


def numbered(bounded: Bounded) -> list[str]:
    """What has a number in the place of itself: the keys of both units, and where rows are counted that are met, what
    tells these apart."""
    return [UNIT, OTHER] if bounded.met is None else [UNIT, OTHER, ROW]


def _is_of_rows(met: RowsMet, measures: Sequence[Measure]) -> bool:
    """Whether rows of one side are counted that others meet so often as there is room for, or what each counts for is
    added up."""
    counted = all(each.kind in COUNTED and each.lower == 0 for each in measures)
    added = all(each.kind in (*COUNTED, *ADDED) for each in measures)
    return met.side in (0, 1) and 1 <= met.least <= MOST_TIMES and (counted or (added and met.least == 1))


@dataclass(frozen=True, slots=True)
class _KeyType:
    """What a key is numbered as: its type by the policy, and in the engine, as it is read. unit: that of the unit's."""

    of: SqlType
    held: Kind
    stored: str
    unit: SqlType


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is proved for one of the units: the rows, their private sources of its kind, those tied to it, its key.
    joined: FROM and WHERE as they stand."""

    rows: Relation
    joined: CheckedRows
    private: frozenset[str]
    reached: frozenset[str]
    key: _KeyType


def pair_rows(query: exp.Expr, bounded: Bounded, context: CheckContext) -> Relation:
    """The private rows, with the keys of both units before everything else, and what tells apart the rows that are met;
    all but the first of these, which no step above reads, are left out of what is returned.

    Claim: if nothing is raised, each row is there with its values because of rows of the two units whose keys it has,
    and of public ones. Because: so it is of joined rows (`_joined`), and of what is calculated of each of these
    (`_projected`).
    Checked by: tests/test_checker_pairs.py, tests/test_pair_neighbours.py.
    """
    rows, before = _layer(query, OTHER, bounded, context), numbered(bounded)
    names = [*before, *(key.name for key in bounded.keys)]
    require(list(rows.columns)[: len(names)] == names, "the rows do not carry both units and the keys")
    left = {name: fact for name, fact in rows.columns.items() if name == UNIT or name not in before}
    return replace(rows, columns=left)


def _layer(query: exp.Expr, other: str, bounded: Bounded, context: CheckContext) -> Relation:
    """Rows with the key of the first unit as `u`, and that of the second under a name."""
    if type(query) is not exp.Select:
        raise CheckFault("rows of pairs that are no SELECT")
    only(query, "expressions", "from_", "joins", "where", "offset")
    require(keeps_all(query.args.get("offset")), "an OFFSET over rows of units")
    require(all(type(item) is exp.Alias for item in query.expressions), "an item without a name")
    items = named(query)
    require(next(iter(items)) == UNIT and other in items, "the rows do not carry both units")
    from_ = query.args.get("from_")
    inner = None if from_ is None or query.args.get("joins") else from_.this
    if type(inner) is exp.Subquery and not is_reading(inner.this) and not is_public(inner.this, context.catalog):
        return _projected(query, other, inner, bounded, context)
    return _joined(query, other, bounded, context)


def _projected(query: exp.Select, other: str, inner: exp.Expr, bounded: Bounded, context: CheckContext) -> Relation:
    """What is calculated of single rows: both keys are handed on, and expressions read the rest, and no other table."""
    alias, items = inner.alias, named(query)
    ends = [items[UNIT], items[other]]
    if not all(type(end) is exp.Column and end.table == alias for end in ends) or ends[0].name != UNIT:
        raise CheckFault("the keys of both units are not handed on")
    below = _layer(inner.this, ends[1].name, bounded, context)
    conditions = [each for each in filtered(query) if null_test(each) != (ends[0], False)]
    rest = {name: item for name, item in items.items() if name not in (UNIT, other)}
    require(not any(each.find(exp.Table) for each in (*conditions, *rest.values())), "a query inside of rows of pairs")
    scope = Scope({alias: below}, frozenset([alias]), frozenset([alias]), frozenset(), below.unit)
    for condition in conditions:
        value(condition, scope, context)
    values = {name: value(item, scope, context) for name, item in rest.items()}
    facts = {name: carried(item, False) for name, item in values.items()}
    facts |= {UNIT: below.columns[UNIT], other: below.columns[ends[1].name]}
    return Relation(below.unit, {name: facts[name] for name in items}, ranged=ranges(values))


def _joined(query: exp.Select, other: str, bounded: Bounded, context: CheckContext) -> Relation:
    """Rows of a join.

    Claim: as of `pair_rows`; and of one kind, who is in both places has one number. Because: joins are inner ones, or
    LEFT JOINs of what is public to both, which leave each row so far there, by values of its own and of public rows; it
    is so for each of both units (`_read`), where what is of the other kind alone stands as it is; of two of one kind,
    each source is tied to the one or the other, and a table that names both to both; and both keys are of one type,
    that of the unit's, of which the number is a function. Where no table names both, a key puts the two sides together
    (`_meet_by_key`): nothing else bounds how many rows there are.
    """
    pair = bounded.pair
    if pair is None:
        raise CheckFault("rows of pairs where there are none")
    tables = _tables(query, pair, context.catalog)
    several = frozenset(alias for alias, table in tables.items() if table.ways)
    readings = [_read(query, other, turn, pair, context) for turn in (0, 1)]
    if pair[0] == pair[1]:
        found = {each.key for each in readings}
        require(len(found) == 1 and all(each.of == each.unit for each in found), "keys of one kind of two types")
    for at, each in enumerate(readings):
        missing = each.private - each.reached
        others = readings[1 - at].reached if pair[0] == pair[1] else frozenset[str]()
        require(missing <= others - several, f"{', '.join(sorted(missing))} could be of another unit")
    if pair[0] == pair[1] and not several:
        require(_meet_by_key(query, readings[0], tables), "rows of two units of one kind that no key puts together")
    return readings[0].rows


def _meet_by_key(query: exp.Select, reading: _Reading, tables: Mapping[str, Table]) -> bool:
    """Whether each row of the one side is there with one row at most of some source of the other.

    Because: in every row of the join columns of that source, which are proved unique together in its table, hold what
    columns of the one side hold, are read as they are there, and are compared without rounding.
    """
    read = _scanned(query)
    return any(
        tables[alias].proves_unique(
            *(name for name in _met_across(alias, reading) if _is_own(name, tables[alias], read[alias][1]))
        )
        for alias in reading.joined.private
    )


def _met_across(alias: str, reading: _Reading) -> Iterator[str]:
    """The columns of a source that hold what a private one of the other side does."""
    rows = reading.joined
    others = {other for other in rows.private if (other in reading.reached) != (alias in reading.reached)}
    for name in rows.sources[alias].columns:
        if not others.isdisjoint(other for other, _ in same_as((alias, name), rows.always, rows.sources)):
            yield name


def _is_own(name: str, table: Table, items: Mapping[str, exp.Expr]) -> bool:
    """Whether it is a column of the table, where it is read with items, or tells all of its values apart."""
    return name != UNIT_OF_ROW and (not items or tells_apart(items[name], _declared(table, name).type.family))


def _tables(query: exp.Select, pair: tuple[str, str], catalog: Catalog) -> Mapping[str, Table]:
    """The tables in FROM, by their aliases. Raises CheckFault where a private one stands anywhere but there, as
    itself."""
    found = {alias: table_of(node, catalog) for alias, (node, _) in _scanned(query).items()}
    private = [table for table in found.values() if not table.public]
    every = [node for node in query.find_all(exp.Table) if not table_of(node, catalog).public]
    require(len(every) == len(private), "a query over private rows inside of rows of pairs")
    require(all(set(table.units) <= set(pair) for table in private), "rows of a third kind of unit")
    return found


def _scanned(query: exp.Select) -> Mapping[str, tuple[exp.Expr, Mapping[str, exp.Expr]]]:
    """The tables that are named in FROM, by their aliases, each with the items by which it is read."""
    found: dict[str, tuple[exp.Expr, Mapping[str, exp.Expr]]] = {}
    for node in [query.args["from_"].this, *(join.this for join in query.args.get("joins") or [])]:
        if type(node) is exp.Table:
            found[node.alias] = (node, {})
        elif type(node) is exp.Subquery and is_reading(node.this):
            found[node.alias] = (node.this.args["from_"].this, named(node.this))
    return found


def _key_type(query: exp.Select, cell: Cell, rows: CheckedRows, catalog: Catalog) -> _KeyType:
    """What the key is numbered as that a source has. A cast tells, in place of the engine's type, what it is."""
    alias, name = cell
    node, items = _scanned(query)[alias]
    held = rows.sources[alias].columns[name].held
    indexed, table = index_of(node, catalog), table_of(node, catalog)
    unit = catalog.units[table.unit or ""]
    if indexed is not None and name == UNIT_OF_ROW:
        last, name = indexed[1].path[-1].table, indexed[1].key
        table = catalog.tables.get(last) or catalog.beyond[last]
    column = _declared(table, name)
    home = catalog.tables.get(unit.table) or catalog.beyond.get(unit.table)
    of_unit = column if home is None else _declared(home, unit.key)
    if held is None:
        raise CheckFault("a key of no known type")
    stored = "" if type(items.get(name)) is exp.Cast else column.stored or ""
    return _KeyType(column.type, held.kind, stored, of_unit.type)


def _declared(table: Table, name: str) -> TableColumn:
    """A column of the policy, hidden or not."""
    found = [column for column in table.columns if column.name == name]
    require(len(found) == 1, f"{table.name} has no column {name}")
    return found[0]


def _read(query: exp.Select, other: str, turn: int, pair: tuple[str, str], context: CheckContext) -> _Reading:
    """What is proved for the one or the other unit.

    Claim: every row belongs to the unit whose key is its `u`, or `v`, as far as sources that are reached tell; and it
    is there, with its values, because of the rows in these of that unit, and of others that stay as they are. Because:
    as in `level.read_level`.
    """
    own = replace(context, catalog=seen_by(context.catalog, pair, turn), known={}, private={}, readings={})
    items = named(query)
    keys = [bare(items[UNIT]), bare(items[other])]
    rows = read_rows(query, NOTHING, own)
    for step in rows.steps:
        beside = step.side is Side.LEFT and rows.sources[step.alias].unit is None
        require(step.side is Side.ALWAYS or beside, "an outer join of rows of pairs")
    cell = _key(keys[turn], rows, pair[turn])
    start = cell[0]
    private = rows.private
    require(all(rows.sources[alias].unit == pair[turn] for alias in private), "rows of a third kind of unit")
    reached = _reached(start, rows)
    joined, others = rows, {alias: _of_nobody(rows.sources[alias]) for alias in private - reached}
    rows = replace(rows, sources={**rows.sources, **others})
    scope = scope_of(rows, frozenset([start]), pair[turn])
    tests = [next((each for each in rows.where if null_test(each) == (key, False)), None) for key in keys]
    require(None not in tests, "rows without a unit are not dropped")
    check_ons(rows, scope, own)
    check_where(rows, scope, tests, own)
    key = _key_type(query, cell, rows, own.catalog)
    return _Reading(_relation(items, other, scope, own), joined, private, reached, key)


def _of_nobody(relation: Relation) -> Relation:
    """Rows of another unit, which stay where they are; what leads to it may be read then, as in `seen_by`."""
    columns = {
        name: replace(fact, hidden=fact.hidden and not (fact.key or fact.origins))
        for name, fact in relation.columns.items()
    }
    return replace(relation, unit=None, columns=columns)


def _key(key: exp.Expr, rows: CheckedRows, unit: str) -> Cell:
    """The column of a source that the item is, its key."""
    if type(key) is not exp.Column:
        raise CheckFault("a unit key is not a column")
    scope = Scope(rows.sources)
    cell = scope.cell(key)
    require(scope.fact(cell).key and rows.sources[cell[0]].unit == unit, "an item is not the key of its unit")
    return cell


def _reached(start: str, rows: CheckedRows) -> frozenset[str]:
    reached = frozenset([start])
    while found := {
        step.alias
        for step in rows.steps
        if step.alias in rows.private - reached and tied(rows.added(step), reached, rows.sources)
    }:
        reached |= found
    return reached


def _relation(items: Mapping[str, exp.Expr], other: str, scope: Scope, context: CheckContext) -> Relation:
    """The rows, with both keys. One that is hidden is read by nothing but a step that hands it on."""
    hidden = ColumnFact(None, True, True)
    values = {
        name: value(item, scope, context)
        for name, item in items.items()
        if name != UNIT and not (name == other and _is_hidden(item, scope))
    }
    columns = {name: carried(values[name], False) if name in values else hidden for name in items}
    return Relation(scope.unit, columns, ranged=ranges(values))


def _is_hidden(item: exp.Expr, scope: Scope) -> bool:
    return type(item) is exp.Column and scope.fact(scope.cell(item)).hidden
