"""LEVEL: a SELECT over sources, with its unit's key first, of which each row is a row of the join."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from dpproxy.rewrite.checker.clip import row_range
from dpproxy.rewrite.checker.fanout import one_row, steady_sources
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.held import hull
from dpproxy.rewrite.checker.relations import UNIT, BlocksOf, ColumnFact, Range, Relation, Unit, unclipped
from dpproxy.rewrite.checker.rows import CheckedRows, Side, check_ons, check_where, read_rows, scope_of
from dpproxy.rewrite.checker.samples import coins
from dpproxy.rewrite.checker.scope import NOTHING, CheckContext, Scope
from dpproxy.rewrite.checker.syntax import keeps_all, named, null_test, only
from dpproxy.rewrite.checker.ties import same_as
from dpproxy.rewrite.checker.units_in_blocks import block_fact, dealt, in_block
from dpproxy.rewrite.checker.values import Value, value


def read_level(select: exp.Expr, context: CheckContext) -> Relation:
    """SELECT key AS u, item AS c0, … FROM … JOIN … WHERE key IS NOT NULL AND …; or the block of the key AS u.

    Claim: every row belongs to the unit whose key is its `u`, and a unit's rows depend on its own rows and public ones.
    Because: the first item is the unit's key in a source that is there, and not NULL; all private sources are tied to
    it (`scope_of`), and so is every subquery over private rows; what is read beside them is public. No row is of a unit
    outside of the sample where its coin is asked for, or where a source that is always there has none.
    Checked by: tests/test_checker_relations.py.
    Raises CheckFault where that does not follow from the text.
    """
    only(select, "expressions", "from_", "joins", "where", "offset")
    require(keeps_all(select.args.get("offset")), "an OFFSET over rows of units")
    require(all(type(item) is exp.Alias for item in select.expressions), "an item without a name")
    (name, key), *items = named(select).items()
    found = dealt(key)
    key = key if found is None else found.key
    rows = read_rows(select, NOTHING, context)
    start, fact = _key(key, rows)
    tested = next((condition for condition in rows.where if null_test(condition) == (key, False)), None)
    require(tested is not None, "rows without a unit are not dropped")
    require(name == UNIT, "the first item is not called u")
    unit = rows.sources[start].unit
    if unit is None:
        raise CheckFault("the unit key is of a public table")
    scope = scope_of(rows, frozenset([start]), unit)
    steady = steady_sources(rows, check_ons(rows, scope, context))
    drawn = coins(rows.where, key, context)
    check_where(rows, scope, [tested, *drawn], context)
    values = {each: value(item, scope, context) for each, item in items}
    single = one_row(rows)
    columns = {each: _column(item, single or _is_steady(item, steady), rows) for each, item in values.items()}
    sampled = bool(drawn) or _sampled(rows)
    if found is not None:
        require(not sampled, "blocks of a sample")
        return _of_blocks(unit, found.blocks, fact, columns)
    return Relation(unit, {UNIT: fact, **columns}, single, ranged=ranges(values), sampled=sampled)


def _sampled(rows: CheckedRows) -> bool:
    """Whether a source that is always there has rows of the sample alone."""
    always = [step.alias for step in rows.steps if step.side is Side.ALWAYS and not rows.full]
    return any(rows.sources[alias].sampled for alias in always)


def _of_blocks(unit: Unit, blocks: int, key: ColumnFact, columns: Mapping[str, ColumnFact]) -> Relation:
    """The same rows, each of the block that its unit is dealt into.

    Claim: all rows of a unit are of one block, and a block's rows depend on its units' rows and public ones. Because:
    the block is a function of the key (`units_in_blocks`), and nothing else of a row is changed.
    Checked by: tests/test_sample_aggregate.py.
    """
    if not isinstance(unit, str):
        raise CheckFault("blocks that are dealt again")
    cells = {name: in_block(column) for name, column in columns.items()}
    return Relation(BlocksOf(unit, blocks), {UNIT: block_fact(key), **cells})


def _key(key: exp.Expr, rows: CheckedRows) -> tuple[str, ColumnFact]:
    """The source whose key the first item is, and what is known of it: a column, or one of both sides of FULL JOIN."""
    scope = Scope(rows.sources)
    if rows.full:
        columns = [key.this, *key.expressions] if type(key) is exp.Coalesce else []
        cells = [scope.cell(column) for column in columns if type(column) is exp.Column]
        both = len(cells) == len(columns) == 2 and {alias for alias, _ in cells} == rows.private
        require(both, "the first item is not the keys of both sides")
    elif type(key) is not exp.Column:
        raise CheckFault("the first item is not a column")
    else:
        cells = [scope.cell(key)]
        sides = {step.alias: step.side for step in rows.steps}
        require(sides[cells[0][0]] is Side.ALWAYS, "the first item is of a source that may be missing")
    require(all(scope.fact(cell).key for cell in cells), "the first item is not a unit key")
    facts = [scope.fact(cell) for cell in cells]
    hidden = any(fact.hidden for fact in facts)
    origins = frozenset.intersection(*(fact.origins for fact in facts))
    held = facts[0].held if facts[-1].held is None or facts[0].held is None else hull(facts[0].held, facts[-1].held)
    return rows.steps[0].alias if rows.full else cells[0][0], ColumnFact(
        facts[0].family, hidden, True, origins, True, held
    )


def _is_steady(item: Value, sources: frozenset[str]) -> bool:
    return item.steady and all(alias in sources for alias, _ in item.cells)


def _column(item: Value, steady: bool, rows: CheckedRows) -> ColumnFact:
    """What is known of an item: a copy holds the unit's key too where it is equal to it whenever it is there."""
    fact, cell = carried(item, steady), item.copied
    if cell is None:
        return fact
    added = next(rows.added(step) for step in rows.steps if step.alias == cell[0])
    equal = [item.scope.fact(other) for other in same_as(cell, added.equated, rows.sources)]
    origins = frozenset(origin for other in equal for origin in other.origins)
    return replace(fact, key=any(other.key for other in equal), origins=origins)


def carried(item: Value, steady: bool) -> ColumnFact:
    """What is known of an item as a column: a copy holds what its cell holds, or NULL."""
    cell = item.copied
    if cell is None:
        return ColumnFact(item.family, steady=steady, held=item.held)
    return replace(item.scope.fact(cell), hidden=False, steady=steady)


def ranges(items: Mapping[str, Value]) -> Callable[[str], Range]:
    """The `ranged` of a relation with these items."""
    return lambda name: row_range(items[name]) if name in items else unclipped(name)
