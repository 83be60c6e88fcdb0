"""How many rows of a join a unit has, and on which columns they agree."""

from __future__ import annotations

from collections.abc import Mapping

from dpproxy.rewrite.checker.relations import Cell
from dpproxy.rewrite.checker.rows import CheckedRows, Reads, Side
from dpproxy.rewrite.checker.ties import determined, equality


def one_row(rows: CheckedRows) -> bool:
    """Claim: if true, each unit has one row at most.

    Because: each private source holds one row of the unit at most, and each public one adds one at most to those that
    are there. Of a FULL JOIN both sides are in one row if both are there: it has no condition but that they are of one
    unit.
    Checked by: tests/test_checker_relations.py.
    """
    if not all(rows.sources[alias].one_row for alias in rows.private):
        return False
    if rows.full:
        return _joins_units(rows)
    public = [rows.added(step) for step in rows.steps if step.alias not in rows.private]
    return determined(public, rows.private, rows.sources)


def _joins_units(rows: CheckedRows) -> bool:
    conditions = rows.steps[1].on
    pair = equality(conditions[0])
    return len(conditions) == 1 and pair is not None and all(rows.sources[a].columns[c].key for a, c in pair)


def steady_sources(rows: CheckedRows, reads: Mapping[str, Reads]) -> frozenset[str]:
    """Sources whose steady columns are steady in the join.

    Claim: on such a column all rows of a unit agree. Because: all rows of the source do. One on the right of LEFT JOIN
    is met by all rows of the unit or by none, if its ON reads, beside it, nothing but what they agree on. Either side
    of FULL JOIN is missing in some rows.
    Checked by: tests/test_checker_relations.py.
    """
    if rows.full:
        return frozenset()
    steady: set[str] = set()
    for step in rows.steps:
        on = reads[step.alias]
        agreed = not on.nested and all(_agreed(cell, step.alias, steady, rows) for cell in on.cells)
        if step.side is Side.ALWAYS or (step.side is Side.LEFT and agreed):
            steady.add(step.alias)
    return frozenset(steady & rows.private)


def _agreed(cell: Cell, added: str, steady: set[str], rows: CheckedRows) -> bool:
    alias, name = cell
    return alias == added or (alias in steady and rows.sources[alias].columns[name].steady)
