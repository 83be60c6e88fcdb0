"""What the engine is asked of a release: by unit indexes, where there are some on the way to its rows' unit.

By rule, and not by rows: wherever a hidden join would lead to the unit, along the whole way that an index was made by.

Checked by: tests/test_unit_index.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dpproxy.catalog.policy import Catalog, UnitIndex
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.told_columns import PublicColumn
from dpproxy.rewrite.algebra import Relation
from dpproxy.rewrite.algebra.grouped_before_join import grouped_early
from dpproxy.rewrite.algebra.indexed import hidden_sources, indexed
from dpproxy.rewrite.algebra.render import written
from dpproxy.rewrite.calculus.scans import place_of
from dpproxy.rewrite.context import PlanningContext


@dataclass(frozen=True, slots=True)
class AskedQuery:
    """A query in the engine's words, and what it is told; plain: the same without indexes, where it has some."""

    sql: str
    inputs: tuple[PublicColumn, ...]
    plain: str | None = None


def asked(tree: Relation, context: PlanningContext) -> AskedQuery:
    """The text of a release's query."""
    early = dialect_of(context.dialect).groups_early
    plain = written(grouped_early(tree) if early else tree, context.dialect, context.queries)
    sooner = None if not context.catalog.indexes else _by_indexes(tree, context)
    return AskedQuery(plain.sql, plain.inputs) if sooner is None else AskedQuery(sooner, plain.inputs, plain.sql)


def _by_indexes(tree: Relation, context: PlanningContext) -> str | None:
    """The text by indexes; None where there is none, or something is left that a hidden source would have to tell."""
    made = indexed(tree, _by_place(context.catalog))
    gone = hidden_sources(tree) - hidden_sources(made)
    if not gone:
        return None
    sql = written(made, context.dialect, context.queries).sql
    return None if any(f"{name}." in sql for name in gone) else sql


def _by_place(catalog: Catalog) -> Mapping[tuple[str, ...], UnitIndex]:
    """The indexes by the places of their tables, with paths of places."""
    tables = {**catalog.beyond, **catalog.tables}
    places = {name: ".".join(place_of(table)) for name, table in tables.items()}
    return {
        place_of(tables[name]): replace(
            index, path=tuple(replace(hop, table=places.get(hop.table, hop.table)) for hop in index.path)
        )
        for name, index in catalog.indexes.items()
        if name in tables
    }
