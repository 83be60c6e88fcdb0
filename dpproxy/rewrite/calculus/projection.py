"""A SELECT over rows of the engine, without aggregates, as a relation for the query around it."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.rewrite import algebra
from dpproxy.rewrite.calculus.publics import carried
from dpproxy.rewrite.calculus.relations import UNIT, Cell, Joined, Readable, Rowset, Weight
from dpproxy.rewrite.calculus.ties import equal_cells, holds_key, source_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions.facts.fact import Typed


def project(
    select: exp.Select,
    joined: Joined,
    weights: Mapping[str, Weight],
    context: PlanningContext,
    tail: algebra.Order = algebra.ALL,
) -> Readable:
    """The relation with the unit's key as `u`, where the rows are private, and the SELECT's columns as c0, c1, ….

    tail: ORDER BY and LIMIT; of public rows only.
    Claim: a row of the result belongs to the unit whose key is its `u`. Because: it is computed from one row of the
    join, and carries that row's key. Checked by: tests/test_neighbours.py.
    """
    rowset = joined.rowset
    cells = {
        item.alias_or_name: (item.unalias(), context.carried(item.unalias(), joined.scope))
        for item in select.expressions
    }
    items = [algebra.Item(f"c{index}", context.formed(typed)) for index, (_, typed) in enumerate(cells.values())]
    tree = algebra.Select((*rowset.unit_item, *items), rowset.tree, order=tail)
    return _relation(tree, cells, joined, weights, context)


def _relation(
    tree: algebra.Select,
    cells: dict[str, tuple[exp.Expr, Typed]],
    joined: Joined,
    weights: Mapping[str, Weight],
    context: PlanningContext,
) -> Readable:
    rowset = joined.rowset
    plain: dict[str, Cell] = {
        name: (node.table, node.name) for name, (node, _) in cells.items() if isinstance(node, exp.Column)
    }
    return Readable(
        unit=rowset.unit,
        tree=tree,
        facts={name: typed.fact for name, (_, typed) in cells.items()},
        held={name: f"c{index}" for index, name in enumerate(cells)},
        key=UNIT if rowset.unit is not None else None,
        key_columns=frozenset(name for name, (node, _) in cells.items() if holds_key(node, rowset)),
        origins={name: origin for name, cell in plain.items() if (origin := origin_of(cell, rowset)) is not None},
        unique=_unique(plain, rowset, tree) if rowset.unit is None else frozenset(),
        publics=carried({name: node for name, (node, _) in cells.items()}, joined, context) if rowset.unit else (),
        one_row=rowset.one_row,
        of_unit=frozenset(name for name, (node, _) in cells.items() if rowset.unit and of_unit(node, rowset)),
        rows=rowset.rows,
        groups=rowset.groups,
        most=rowset.most,
        once=_once(plain, rowset),
        numbers=frozenset(name for name, cell in plain.items() if _numbers(cell, rowset)),
        weights=weights,
        notes=rowset.notes,
        sample=rowset.sample,
    )


def of_unit(expression: exp.Expr, rowset: Rowset) -> bool:
    """Whether a unit's rows are proved to agree on `expression`: it reads columns that are functions of the unit."""
    if rowset.one_row:
        return rowset.unit is not None
    return all(_is_of_unit((column.table, column.name), rowset) for column in expression.find_all(exp.Column))


def _is_of_unit(cell: Cell, rowset: Rowset) -> bool:
    source = source_of(cell, rowset.sources)
    return source is not None and not source.nullable and cell[1] in source.relation.of_unit


def origin_of(cell: Cell, rowset: Rowset) -> Cell | None:
    """The table and column that a cell is a plain copy of; None for what an outer join may have made NULL."""
    source = source_of(cell, rowset.sources)
    return None if source is None or source.nullable else source.relation.origins.get(cell[1])


def _once(plain: Mapping[str, Cell], rowset: Rowset) -> frozenset[frozenset[str]]:
    """The same sets as the single source's, where all their columns are carried on."""
    if len(rowset.sources) != 1:
        return frozenset()
    names = {cell[1]: name for name, cell in plain.items()}
    found = rowset.sources[0].relation.once
    return frozenset(frozenset(names[each] for each in columns) for columns in found if columns <= names.keys())


def _numbers(cell: Cell, rowset: Rowset) -> bool:
    source = source_of(cell, rowset.sources)
    return source is not None and len(rowset.sources) == 1 and cell[1] in source.relation.numbers


def _unique(plain: Mapping[str, Cell], rowset: Rowset, tree: algebra.Select) -> frozenset[tuple[str, ...]]:
    """Sets of public columns that are unique in the result.

    Claim: no two rows agree on all columns of a set. Because: LIMIT leaves one row at most, or a single source's rows,
    or where all others are met at most once for each of its rows. Checked by: tests/test_language.py.
    """
    if rowset.one_row or (tree.order.limit is not None and tree.order.limit <= 1):
        return frozenset([()])
    if len(rowset.sources) != 1:
        return frozenset()
    classes = equal_cells((*rowset.sources, *rowset.outer), rowset.edges, None)
    constant = {cell for cells in classes for cell in cells if _from_outside(cells, rowset)}
    names = {cell[1]: name for name, cell in plain.items()}
    found = set()
    for unique in rowset.sources[0].relation.unique:
        free = [column for column in unique if (rowset.sources[0].alias, column) not in constant]
        if all(column in names for column in free):
            found.add(tuple(names[column] for column in free))
    return frozenset(found)


def _from_outside(cells: tuple[Cell, ...], rowset: Rowset) -> bool:
    return any(source_of(cell, rowset.sources) is None for cell in cells)
