"""What the data owner could say in the policy so that a join of rows of two units is answered.

Checked by: sql_fixtures/refuse/joins.sql, tests/test_owners_word.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpproxy.catalog.policy import Catalog, Link, Table
from dpproxy.rewrite.calculus.determinations import undetermined
from dpproxy.rewrite.calculus.relations import Edge, FromRelation


def owners_word(
    left: FromRelation,
    right: FromRelation,
    sources: Sequence[FromRelation],
    edges: Sequence[Edge],
    catalog: Catalog,
) -> str:
    """That a column determines the unit, or that rows of a table belong to both; empty where neither would help."""
    column, unit = undetermined(left, right, edges), left.relation.unit
    both = next(_of_both((right, left), sources, edges, catalog), None)
    said = "" if column is None else f" If {column} determines the {unit}, ask the data owner to let the policy say so."
    if both is None:
        return said
    table, first, second = both
    units = f"{{ {unit} = {{ {_written(first)}, {_written(second)} }} }}"
    return f"{said} If a row of {table.name} belongs to two {unit}s, the owner may declare for it units = {units}."


def _of_both(
    ends: Sequence[FromRelation], sources: Sequence[FromRelation], edges: Sequence[Edge], catalog: Catalog
) -> Iterator[tuple[Table, Link, Link]]:
    """Tables that are joined, by a column that is no link of theirs, to what names a row of another table of that kind
    of unit: each with its link, and with what would be the other."""
    for end in ends:
        table = catalog.tables.get(end.relation.table or "")
        for edge in edges if table is not None and not table.ways else ():
            for own, other in ((edge.left, edge.right), (edge.right, edge.left)):
                target = next((_table(each, catalog) for each in sources if each.alias == other[0]), None)
                if table is None or target is None or own[0] != end.alias or target.name == table.name:
                    continue
                link, named = _link(table, catalog), target.unit == table.unit and not target.ways
                if link is not None and named and link.column != own[1] and target.proves_unique(other[1]):
                    yield table, link, Link(own[1], target.name, other[1])


def _table(source: FromRelation, catalog: Catalog) -> Table | None:
    return catalog.tables.get(source.relation.table or "")


def _link(table: Table, catalog: Catalog) -> Link | None:
    """The one way from a table to its unit; None for the unit's own."""
    unit = catalog.units.get(table.unit or "")
    if unit is None or table.name == unit.table or len(table.links) > 1:
        return None
    if table.links:
        return table.links[0]
    return None if table.unit_key is None else Link(table.unit_key, unit.table, unit.key)


def _written(link: Link) -> str:
    return f'{link.column} = "{link.table}.{link.target}"'
