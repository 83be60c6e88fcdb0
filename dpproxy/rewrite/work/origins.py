"""Which rows decide the value of a column: so groups by it are no more than those rows, however often a join has them.

Rows of a join that are grouped by columns of one of its sources are as few as the rows of that source: of what comes
after, a window or a list of distinct values, so much less is a unit's work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import prod

from sqlglot import exp

from dpproxy.rewrite.work.costs import CostScope
from dpproxy.rewrite.work.counted import Origin, Origins
from dpproxy.rewrite.work.equalities import Place
from dpproxy.rewrite.work.joins import CountedRows


def origins(item: exp.Expr, rows: CountedRows, scope: CostScope) -> Origins | None:
    """What decides an item that has no aggregate, window or query in it; None: nothing but a row of its SELECT.

    Claim: of one unit, choices of a row of each origin that are alike give the same value.
    Because: a column is decided by a row of its source, or by what the source says decides it; one of a source that is
    joined by a unique key, by what is compared with that key (`_through`). The key of the unit is one, and what is
    NULL since its source is missing is one choice more.
    Checked by: tests/test_work.py.
    """
    found = [_column(scope.column(column), rows, scope, frozenset()) for column in item.find_all(exp.Column)]
    return _together(found)


def _together(found: Iterable[Origins | None]) -> Origins | None:
    known: Origins = frozenset()
    for each in found:
        if each is None:
            return None
        known |= each
    return known


def _column(place: Place, rows: CountedRows, scope: CostScope, seen: frozenset[str]) -> Origins | None:
    alias, name = place
    if alias not in scope.own:
        return None
    source, missing = scope.sources[alias], alias in rows.missing
    if not missing and (through := _through(alias, rows, scope, seen | {alias})) is not None:
        return through
    decided = source.columns[name].origins() if name in source.columns else None  # what is computed is its row's
    more = rows.counted.units * missing
    if decided is None:
        return frozenset([Origin((alias,), source.rows + missing, source.all_rows + more, source.private)])
    if missing and not decided:
        return frozenset([Origin((alias,), 2, 2, private=False)])  # the one value, or NULL
    return frozenset(
        Origin((alias, *each.path), each.rows + missing, each.all_rows + more, each.private) for each in decided
    )


def _through(alias: str, rows: CountedRows, scope: CostScope, seen: frozenset[str]) -> Origins | None:
    """What decides which row of a source is met: what its unique key is compared with. None: no key is."""
    for names in scope.sources[alias].unique():
        if (found := _together(_compared((alias, name), rows, scope, seen) for name in sorted(names))) is not None:
            return found
    return None


def _compared(place: Place, rows: CountedRows, scope: CostScope, seen: frozenset[str]) -> Origins | None:
    deciding = [one for one, other in rows.pairs if other == place]
    if None in deciding:
        return frozenset()
    found = (_column(one, rows, scope, seen) for one in deciding if one is not None and one[0] not in seen)
    return next((each for each in found if each is not None), None)


def combinations(found: Collection[Origin]) -> int:
    """How many choices one unit has: of a row of each."""
    return prod(max(1, each.rows) for each in found)


def all_combinations(found: Sequence[Origin], of_units: int) -> int:
    """How many so many units have together.

    Because: each has as many as one has; and each row of one of them is there once with each choice of the others that
    its unit has.
    """
    by_row = [
        one.all_rows * combinations([other for other in found if other is not one]) for one in found if one.private
    ]
    return min([of_units * combinations(found), *by_row])
