"""What the data owner could say in the policy so that a join of rows of two units is answered; and by which key they
are answered as rows of both.

Checked by: sql_fixtures/refuse/joins.sql.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.determinations import undetermined
from dpproxy.rewrite.calculus.from_clause import column_as_written
from dpproxy.rewrite.calculus.relations import Edge, FromRelation


def owners_word(left: FromRelation, right: FromRelation, edges: Sequence[Edge]) -> str:
    """Empty where nothing would help."""
    column, unit = undetermined(left, right, edges), left.relation.unit
    return "" if column is None else f" If {column} determines the {unit}, ask the data owner to let the policy say so."


def answered_of_both(left: FromRelation, right: FromRelation, edges: Sequence[Edge], catalog: Catalog) -> str:
    """What is answered of rows of both, where the one names the other; empty where it does not."""
    named, ends = _names_row(left, right, edges, catalog), {left.alias: left, right.alias: right}
    if named is None:
        return ""
    met = " = ".join(column_as_written(ends[alias], name) for alias, name in (named.left, named.right))
    return (
        f"Of rows of two {left.relation.unit}s COUNT, SUM and AVG are answered, by public keys or by columns of one "
        f"side that are never NULL: no outer join, ON {met}."
    )


def _names_row(left: FromRelation, right: FromRelation, edges: Sequence[Edge], catalog: Catalog) -> Edge | None:
    """The equality by which a row of the one table names a row of the other by its key, of whatever join it is."""
    tables = {source.alias: catalog.tables.get(source.relation.table or "") for source in (left, right)}
    if None in tables.values() or len(tables) < 2:
        return None
    for edge in edges:
        found = [(tables.get(alias), name) for alias, name in (edge.left, edge.right)]
        is_of_both = edge.left[0] != edge.right[0] and all(table is not None for table, _ in found)
        if is_of_both and any(table is not None and table.proves_unique(name) for table, name in found):
            return edge
    return None
