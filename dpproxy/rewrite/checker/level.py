"""The level that reads tables: FROM, JOIN, WHERE and what each row carries on, with its unit's key first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.model import Catalog
from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.families import family
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.nodes import bare, columns_of, conjuncts, filtered, null_test, only
from dpproxy.rewrite.checker.relations import Cell, Relation, same_unit, scanned

Equated = tuple[tuple[Cell, Cell], ...]
Sources = Mapping[str, Relation]


@dataclass(frozen=True, slots=True)
class Level:
    """A checked level: its items after the unit's key, and what is proved of its rows."""

    unit: str
    key: str
    key_cell: Cell
    items: Mapping[str, exp.Expression]
    sources: Sources
    one_row: bool

    def family(self, item: exp.Expression) -> Family | None:
        """The family of the type of `item`, where it is proved."""
        return family(item, lambda column: self.sources[column.table].columns.get(column.name))

    def steady(self, item: exp.Expression) -> bool:
        """Whether all rows of a unit agree on `item`: it reads only columns on which they do."""
        cells = [(column.table, column.name) for column in columns_of(item)]
        return self.one_row or all(name in self.sources[alias].steady for alias, name in cells)


def read_level(select: exp.Select, catalog: Catalog) -> Level:
    """The level, every row of which belongs to the one unit whose key is its first item.

    Claim: each private row in a row of the level belongs to the unit of the first item, which is not NULL.
    Because: the private sources are connected by equalities of the join's conditions, each of which is `same_unit`, and
    the first item is the unit's key in one of them.
    Checked by: tests/test_checker.py.
    Raises CheckFault where that does not follow from the text.
    """
    only(select, "expressions", "from_", "joins", "where")
    joins: list[exp.Expression] = select.args.get("joins") or []
    nodes = [select.args["from_"].this if select.args.get("from_") else None, *(join.this for join in joins)]
    sources = dict(_source(node, catalog) for node in nodes)
    require(len({alias.lower() for alias in sources}) == len(nodes), "two sources of one name")
    conditions = [*(part for join in joins for part in _on(join)), *filtered(select)]
    equated = _equated(conditions)
    (key, cell), items = _items(select, sources)
    require(cell[1] in sources[cell[0]].keys, "the first item is not a unit key")
    require(any(_is_not_null(condition, cell) for condition in conditions), "rows without a unit are not dropped")
    for condition in conditions:
        if not _is_not_null(condition, cell) and not _ties(condition, sources):
            visible(condition, sources)
    unit = _one_unit(sources, cell[0], equated)
    return Level(unit, key, cell, items, sources, _one_row(sources, equated))


def _source(node: object, catalog: Catalog) -> tuple[str, Relation]:
    match node:
        case exp.Table():
            table = catalog.table(_quoted(node.args.get("db")), _quoted(node.this) or "")
            if table is None or not node.alias:
                raise CheckFault(f"{node.name} is no table of the policy")
            return node.alias, scanned(table, catalog)
        case exp.Subquery() if type(node.this) is exp.Select and node.alias:
            return node.alias, _carried(read_level(node.this, catalog))
        case _:
            raise CheckFault("a source that is neither a table nor a derived one")


def _quoted(name: object) -> str | None:
    if name is None:
        return None
    require(type(name) is exp.Identifier and name.args.get("quoted"), "a table whose name is not quoted")
    return str(getattr(name, "name", ""))


def _carried(level: Level) -> Relation:
    """A checked level as a source of the level around it."""
    copies = {level.key: level.key_cell} | {
        name: (item.table, item.name) for name, item in level.items.items() if type(item) is exp.Column
    }
    steady = frozenset(name for name, item in level.items.items() if level.steady(item))
    return Relation(
        unit=level.unit,
        columns={name: level.family(item) for name, item in level.items.items()},
        keys=frozenset(name for name, (alias, column) in copies.items() if column in level.sources[alias].keys),
        link=None,
        origins={
            name: level.sources[alias].origins[column]
            for name, (alias, column) in copies.items()
            if column in level.sources[alias].origins
        },
        one_row=level.one_row,
        steady=steady | {level.key},
        unique=frozenset(),
    )


def _on(join: exp.Expression) -> list[exp.Expression]:
    kind = str(join.args.get("kind") or "INNER").upper()
    on = conjuncts(join.args.get("on"))
    require((kind, bool(on)) in (("INNER", True), ("CROSS", False)), f"a {kind} join")
    return on


def _items(select: exp.Select, sources: Sources) -> tuple[tuple[str, Cell], dict[str, exp.Expression]]:
    """The name and the cell of the first item, and the other items by name."""
    items = select.expressions
    require(items and all(type(item) is exp.Alias for item in items), "an item without a name")
    first, *rest = items
    require(type(first.this) is exp.Column, "the first item is not a column")
    cell = (first.this.table, first.this.name)
    require(cell[0] in sources, "the first item is of no source")
    for item in rest:
        visible(item.this, sources)
    require(len({item.alias.lower() for item in items}) == len(items), "two items of one name")
    return (first.alias, cell), {item.alias: item.this for item in rest}


def visible(node: exp.Expression, sources: Sources) -> None:
    """Raises CheckFault where an expression reads anything but columns that analysts see, each of its source."""
    for column in columns_of(node):
        source = sources.get(column.table)
        require(source is not None and column.name in source.columns, f"column {column.sql()} is not to be read here")


def _equality(condition: exp.Expression) -> tuple[Cell, Cell] | None:
    if type(condition) is not exp.EQ:
        return None
    left, right = bare(condition.this), bare(condition.expression)
    if type(left) is not exp.Column or type(right) is not exp.Column:
        return None
    return (left.table, left.name), (right.table, right.name)


def _equated(conditions: Iterable[exp.Expression]) -> Equated:
    """The pairs of cells that are equal in every row, both ways round."""
    pairs = tuple(pair for condition in conditions if (pair := _equality(condition)) is not None)
    return pairs + tuple((right, left) for left, right in pairs)


def _is_not_null(condition: exp.Expression, cell: Cell) -> bool:
    tested = null_test(condition)
    if tested is None or tested[1]:
        return False
    column = tested[0]
    return type(column) is exp.Column and (column.table, column.name) == cell


def _ties(condition: exp.Expression, sources: Sources) -> bool:
    """Whether the condition ties two private sources to one unit: then it may read keys and links that are hidden."""
    pair = _equality(condition)
    if pair is None or pair[0][0] not in sources or pair[1][0] not in sources:
        return False
    (left, x), (right, y) = pair
    return same_unit(sources[left], x, sources[right], y)


def _one_unit(sources: Sources, start: str, equated: Equated) -> str:
    private = {alias for alias, source in sources.items() if source.unit is not None}
    reached, unit = {start}, sources[start].unit
    require(all(sources[alias].unit == unit for alias in private), "two units in one join")
    while True:
        found = {
            right
            for (left, x), (right, y) in equated
            if left in reached and right in private - reached and same_unit(sources[left], x, sources[right], y)
        }
        if not found:
            break
        reached |= found
    require(reached == private, f"{', '.join(sorted(private - reached))} could be of another unit")
    if unit is None:
        raise CheckFault("the unit key is of a public table")
    return unit


def _one_row(sources: Sources, equated: Equated) -> bool:
    """Claim: if true, each unit has one row at most in the level.

    Because: each private source holds one row of the unit at most, and each public one is joined by columns that are
    proved unique, all equal to columns of what is there already, of the same family of types: no two values of the one
    then equal the same value of the other.
    Checked by: tests/test_checker.py.
    """
    known = {alias for alias, source in sources.items() if source.unit is not None}
    if not all(sources[alias].one_row for alias in known):
        return False
    waiting = set(sources) - known
    while waiting:
        found = {alias for alias in waiting if _determined(alias, known, sources, equated)}
        if not found:
            return False
        known |= found
        waiting -= found
    return True


def _determined(alias: str, known: set[str], sources: Sources, equated: Equated) -> bool:
    fixed = {
        y
        for left, (right, y) in equated
        if right == alias and left[0] in known and _comparable(sources[left[0]], left[1], sources[alias], y)
    }
    return any(set(columns) <= fixed for columns in sources[alias].unique)


def _comparable(left: Relation, x: str, right: Relation, y: str) -> bool:
    """Whether two columns are of one family whose comparison never rounds: decimals may be compared as doubles."""
    known = left.columns.get(x)
    return known is right.columns.get(y) and known not in (None, Family.NUMERIC, Family.FLOAT)
