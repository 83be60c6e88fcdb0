"""Rows of two units of one kind that a key puts together, which no table names both of: an answer beside its question.

    SELECT count(*) FROM posts q JOIN posts a ON a.parentid = q.id

q belongs to who asked and a to who answered. The key, of one column or several, is what keeps the work small: each row
of the one side meets one of the other at most, so that there are no more of both together than the tables have rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus.joins import Filtered
from dpproxy.rewrite.calculus.relations import FromRelation
from dpproxy.rewrite.calculus.ties import equal_cells, private_of, tied


def strangers(rows: Filtered, catalog: Catalog) -> tuple[FromRelation, FromRelation] | None:
    """A source of either side, where private rows of one kind are of two units by a key; None where they are of one, of
    several kinds, or meet in any other way.

    Claim: where there are two sides, rows of the first source and those tied to it are of one unit, and of the others
    one is tied to no source of these. Because: `ties.tied`. Whether all the others are of one unit, is asked by who
    makes pairs of them (`pairs.paired`).
    Checked by: tests/test_stranger_neighbours.py.
    """
    private = [source for source, _ in private_of(rows.made.sources)]
    if len({source.relation.unit for source in private}) != 1:
        return None
    reached = tied(rows.made.sources, frozenset([private[0].alias]), rows.edges, catalog, rows.made.held_together)
    others = [source for source in private if source.alias not in reached]
    if not others or not _meet_by_key(reached, rows, catalog):
        return None
    return private[0], others[0]


def _meet_by_key(reached: frozenset[str], rows: Filtered, catalog: Catalog) -> bool:
    """Whether columns of a source of one side, which equal some of the other in every row, are proved unique in their
    table."""
    met: dict[str, set[str]] = {}
    private = {source.alias for source, _ in private_of(rows.made.sources)}
    for cells in equal_cells(rows.made.sources, rows.edges, None):
        sides = {other[0] in reached for other in cells if other[0] in private}
        for alias, name in cells if len(sides) > 1 else ():
            met.setdefault(alias, set()).add(name)
    return any(_are_key(alias, names, rows.made.sources, catalog) for alias, names in met.items())


def _are_key(alias: str, names: set[str], sources: Sequence[FromRelation], catalog: Catalog) -> bool:
    source = next((each for each in sources if each.alias == alias), None)
    table = None if source is None or source.relation.unit is None else catalog.tables.get(source.relation.table or "")
    return table is not None and table.proves_unique(*names)
