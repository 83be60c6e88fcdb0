"""Which rows belong to one unit: equalities of a join's condition, and what they tie together.

Two private rows with equal values in two columns belong to the same unit where both columns hold the unit's key, or
where both name the same row: a column that is proved unique names its own row, and the link of a table without a key
names its target's, whose unit is its own by the policy.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.relations import Cell, Edge, FromRelation, Readable, Rowset

_ROUNDED = (Family.NUMERIC, Family.FLOAT)
Anchor = tuple[str, ...]


def edges_of(conditions: Iterable[exp.Expr], owner: str | None) -> tuple[Edge, ...]:
    """The equalities of columns among conjuncts that hold wherever a row of `owner` is present."""
    return tuple(
        Edge((c.this.table, c.this.name), (c.expression.table, c.expression.name), owner)
        for c in conditions
        if isinstance(c, exp.EQ) and isinstance(c.this, exp.Column) and isinstance(c.expression, exp.Column)
    )


def source_of(cell: Cell, sources: Iterable[FromRelation]) -> FromRelation | None:
    """The source that offers the analyst's `cell`; None for one that is of no source here."""
    return next((source for source in sources if source.alias == cell[0] and cell[1] in source.relation.facts), None)


def equal_cells(
    sources: Sequence[FromRelation], edges: Sequence[Edge], owner: str | None
) -> tuple[tuple[Cell, ...], ...]:
    """Classes of columns that are equal wherever a row of `owner` is present, in every row if that is None.

    Claim: in such a row two columns of a class hold the same value.
    Because: equality is transitive where the engine compares without rounding: within one family, numeric and floating
    point apart, which it may compare as doubles. Checked by: tests/test_neighbours.py.
    """
    classes: list[set[Cell]] = []
    for edge in edges:
        if edge.owner not in (None, owner) or not _comparable(edge, sources):
            continue
        met = [known for known in classes if edge.left in known or edge.right in known]
        classes = [known for known in classes if known not in met]
        classes.append({edge.left, edge.right}.union(*met))
    return tuple(tuple(sorted(known)) for known in classes)


def _comparable(edge: Edge, sources: Sequence[FromRelation]) -> bool:
    families = {family(edge.left, sources), family(edge.right, sources)}
    return len(families) == 1 and not families & {None, *_ROUNDED}


def family(cell: Cell, sources: Sequence[FromRelation]) -> Family | None:
    """The family in which the engine holds a public column, or a private one that is a plain copy of a table's."""
    source = source_of(cell, sources)
    if source is None:
        return None
    relation = source.relation
    if relation.unit is not None and cell[1] not in relation.origins and cell[1] not in relation.key_columns:
        return None
    return source.relation.facts[cell[1]].engine.family


def anchors(cell: Cell, source: FromRelation, catalog: Catalog) -> frozenset[Anchor]:
    """What a value of the column names, as far as that settles the unit."""
    relation, name = source.relation, cell[1]
    found: set[Anchor] = {("unit", relation.unit or "")} if name in relation.key_columns else set()
    if relation.unit is not None and name in relation.origins:
        table, column = relation.origins[name]
        if catalog.tables[table].unit is None:
            return frozenset(found)
        found |= {("row", table, column)} if catalog.tables[table].proves_unique(column) else set()
        found |= _linked(table, column, catalog)
    return frozenset(found)


def _linked(table: str, column: str, catalog: Catalog) -> set[Anchor]:
    links = catalog.tables[table].links if catalog.tables[table].unit_key is None else ()
    return {
        ("row", link.table, link.target)
        for link in links
        if len(links) == 1 and link.column == column and catalog.parent(link).proves_unique(link.target)
    }


def tied(
    sources: Sequence[FromRelation],
    start: frozenset[str],
    edges: Sequence[Edge],
    catalog: Catalog,
    held_together: frozenset[tuple[str, str]] = frozenset(),
) -> frozenset[str]:
    """The aliases of private sources whose rows, wherever present, are of the same unit as those of `start`.

    held_together: aliases of sources of which the first, wherever present, has the second beside it, of the same unit.

    Claim: in a row in which the source is present, some source of `start` is, and both belong to one unit.
    Because: by induction each source is reached by columns that are equal wherever it is present and share an anchor;
    an edge of an outer join leads to the source that the join adds, and to no other.
    Checked by: tests/test_neighbours.py and `rewrite.checker`.
    """
    private = {source.alias: source for source in sources if source.relation.unit is not None}
    always = _ties(equal_cells(sources, edges, None), private, catalog)
    owned = {
        alias: _ties(equal_cells(sources, edges, alias), private, catalog)
        for alias in dict.fromkeys(edge.owner for edge in edges)
        if alias in private
    }
    reached = set(start)
    while True:
        found = {
            alias
            for alias in private.keys() - reached
            if any((alias, other) in owned.get(alias, always) | held_together for other in reached)
        }
        if not found:
            return frozenset(reached)
        reached |= found


def _ties(
    classes: tuple[tuple[Cell, ...], ...], private: dict[str, FromRelation], catalog: Catalog
) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for cells in classes:
        named = [(cell[0], anchors(cell, private[cell[0]], catalog)) for cell in cells if cell[0] in private]
        found |= {(one, other) for one, first in named for other, second in named if one != other and first & second}
    return frozenset(found)


def names_unit(cell: Cell, sources: Sequence[FromRelation], edges: Sequence[Edge], catalog: Catalog) -> bool:
    """Whether a value of the column settles the unit in every row: itself, or by a column that always equals it."""
    equal = {cell}.union(*(known for known in equal_cells(sources, edges, None) if cell in known))
    found = ((each, source_of(each, sources)) for each in equal)
    return any(source is not None and not source.nullable and anchors(each, source, catalog) for each, source in found)


def is_unit_key(cell: Cell, sources: Sequence[FromRelation], edges: Sequence[Edge]) -> bool:
    """Whether the column holds the unit's key in every row."""
    equal = {cell}.union(*(known for known in equal_cells(sources, edges, None) if cell in known))
    found = ((each, source_of(each, sources)) for each in equal)
    return any(
        source is not None and not source.nullable and each[1] in source.relation.key_columns for each, source in found
    )


def holds_key(node: exp.Expr, rowset: Rowset) -> bool:
    """Whether an expression is the unit's key in every row: a column of it, or whichever an outer join has."""
    if rowset.unit is None:
        return False
    if isinstance(node, exp.Column):
        return is_unit_key((node.table, node.name), rowset.sources, rowset.edges)
    if not isinstance(node, exp.Coalesce):
        return False
    parts = [part for part in (node.this, *node.expressions) if isinstance(part, exp.Column)]
    found = {source.alias for p in parts for source in rowset.sources if _is_own_key(p, source)}
    if len(parts) != 1 + len(node.expressions) or not all(
        any(_is_own_key(p, s) for s in rowset.sources) for p in parts
    ):
        return False
    return any(holds_key(part, rowset) for part in parts) or found == {source.alias for source in rowset.sources}


def _is_own_key(column: exp.Column, source: FromRelation) -> bool:
    return source.alias == column.table and column.name in source.relation.key_columns


def private_of(sources: Iterable[FromRelation]) -> list[tuple[FromRelation, Readable]]:
    """The private sources with their relations."""
    return [(source, source.relation) for source in sources if source.relation.unit is not None]
