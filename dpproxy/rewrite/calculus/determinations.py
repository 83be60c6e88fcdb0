"""Joins on what the policy says determines the unit: rows of two units that have it in common are kept apart.

That an order number, say, is of one customer wherever it stands is the owner's word (`determines`), and is not believed
here: the equality of the units' keys goes into the join's condition. Where the word is true, it changes no row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.sql_names import sql_name
from dpproxy.plan.notes import Shown
from dpproxy.rewrite.calculus.relations import Cell, Edge, FromRelation
from dpproxy.rewrite.calculus.ties import source_of, tied
from dpproxy.rewrite.expressions.trees.build import column_of


@dataclass(frozen=True, slots=True)
class Determination:
    """`later`, of the sources in the engine's order, is joined to rows of `earlier` that are of the same unit.

    columns: what determines the unit, as the policy names it: table, and columns.
    """

    earlier: FromRelation
    later: FromRelation
    columns: tuple[str, tuple[str, ...]]

    @property
    def condition(self) -> exp.Expression:
        """Both keys are equal, and so neither is NULL.

        Claim: with it in the ON of `later`, a row that has `later` has `earlier`, and both belong to one unit.
        Because: each is read with its unit's key. Checked by: tests/test_determinations.py and `rewrite.checker`,
        which reads the condition and knows nothing of the policy's word.
        """
        ends = [column_of(each.relation.key or "", each.name) for each in (self.earlier, self.later)]
        return exp.EQ(this=ends[0], expression=ends[1])

    @property
    def note(self) -> Shown:
        """What the analyst is told."""
        table, columns = self.columns
        names = ", ".join(map(sql_name, columns))
        unit = self.later.relation.unit
        return Shown(f"rows are joined within one {unit}, whom {table}.({names}) determines by the policy")


def determinations(sources: Sequence[FromRelation], edges: Sequence[Edge], catalog: Catalog) -> Iterator[Determination]:
    """Those that tie sources which `edges` alone do not."""
    keyed = [source for source in sources if source.relation.unit is not None and source.relation.key is not None]
    for place, later in enumerate(keyed):
        for earlier in keyed[:place]:
            if earlier.relation.unit != later.relation.unit:
                continue
            met = [edge for edge in edges if edge.owner in (None, later.alias) and _joins(edge, earlier, later)]
            if not met or later.alias in tied(sources, frozenset([earlier.alias]), edges, catalog):
                continue
            found = next(_determined(met, (earlier, later), catalog), None)
            if found is not None:
                yield Determination(earlier, later, found)


def undetermined(one: FromRelation, other: FromRelation, edges: Sequence[Edge]) -> str | None:
    """A column of a table that two sources, which know their units, are joined on; None where there is none."""
    if one.relation.key is None or other.relation.key is None:
        return None
    cells = (cell for edge in edges if _joins(edge, one, other) for cell in (edge.left, edge.right))
    read = {each.alias: each.relation.origins.keys() - each.relation.key_columns for each in (one, other)}
    return next((sql_name(name) for alias, name in cells if name in read[alias]), None)


def _joins(edge: Edge, one: FromRelation, other: FromRelation) -> bool:
    return {edge.left[0], edge.right[0]} == {one.alias, other.alias}


def _determined(
    met: Sequence[Edge], sources: Sequence[FromRelation], catalog: Catalog
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What determines the unit among the columns that are joined."""
    cells = {cell for edge in met for cell in (edge.left, edge.right)}
    for source in sources:
        origins = [origin for cell in cells if (origin := _origin(cell, source)) is not None]
        for table in sorted({table for table, _ in origins}):
            columns = {column for name, column in origins if name == table}
            yield from ((table, each) for each in catalog.tables[table].determines if columns.issuperset(each))


def _origin(cell: Cell, source: FromRelation) -> Cell | None:
    return source.relation.origins.get(cell[1]) if source_of(cell, [source]) is not None else None
