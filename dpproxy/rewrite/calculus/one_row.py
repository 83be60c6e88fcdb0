"""Whether a unit has one row at most in a join without FULL JOIN."""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.rewrite.calculus.relations import Edge, FromRelation
from dpproxy.rewrite.calculus.ties import equal_cells, private_of


def one_row_each(sources: Sequence[FromRelation], edges: Sequence[Edge], known: Sequence[FromRelation]) -> bool:
    """Claim: if true, a unit has one row at most; of public rows, each row of the enclosing SELECT, whose sources are
    `known`, meets one at most.

    Because: each private source holds one row of the unit at most and they are tied; public ones are added one by one,
    each by a proved-unique set of columns that are all equal to columns of what is there already, of the same family of
    types, compared without rounding. Checked by: tests/test_neighbours.py.
    """
    private = private_of(sources)
    if not all(relation.one_row for _, relation in private):
        return False
    fixed = {source.alias for source, _ in private} | {source.alias for source in known}
    waiting = [source for source in sources if source.relation.unit is None]
    while waiting:
        found = [each for each in waiting if is_settled(each, fixed, (*known, *sources), edges)]
        if not found:
            return False
        fixed |= {each.alias for each in found}
        waiting = [each for each in waiting if each not in found]
    return True


def is_settled(source: FromRelation, fixed: set[str], sources: Sequence[FromRelation], edges: Sequence[Edge]) -> bool:
    """Whether a row of the `fixed` sources meets one row of a public source at most."""
    columns: set[str] = set()
    for cells in equal_cells(sources, edges, source.alias):
        if any(cell[0] in fixed for cell in cells):
            columns |= {cell[1] for cell in cells if cell[0] == source.alias}
    return any(set(unique) <= columns for unique in source.relation.unique)
