"""Places whose values a condition makes equal, and what is decided by that."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.syntax import bare, conjuncts, integer
from dpproxy.rewrite.work.costs import CostScope

Place = tuple[str, str]
"""Alias and column."""
OF_ROW = ""
"""In place of a column: all that a row has."""

# Of these, two values that are equal to a third are equal.
_EXACT = frozenset(
    {Family.INTEGER, Family.TEXT, Family.BOOLEAN, Family.DATE, Family.TIMESTAMP, Family.UUID, Family.MOMENT}
)


def equal(condition: exp.Expr, scope: CostScope) -> list[tuple[Place | None, Place]]:
    """The places that a condition makes equal, both ways."""
    found = bare(condition)
    if type(found) is exp.Or:
        return _equal_in_both(found, scope)
    if type(found) is exp.LTE and integer(found.expression) == 1:
        return _first(bare(found.this), scope)
    if type(found) is not exp.EQ:
        return []
    left, right = bare(found.this), bare(found.expression)
    family = scope.family(left)
    if family not in _EXACT or family is not scope.family(right):
        return []
    sides = [scope.column(side) if isinstance(side, exp.Column) else None for side in (left, right)]
    constant = [not any(side.find_all(exp.Column, exp.Subquery)) for side in (left, right)]
    ways = ((0, 1), (1, 0))
    return [(sides[a], place) for a, b in ways if (place := sides[b]) is not None and (sides[a] or constant[a])]


def _first(number: exp.Expr, scope: CostScope) -> list[tuple[Place | None, Place]]:
    """The place of a row number, which is 1 where it is no more."""
    if not isinstance(number, exp.Column) or not scope.cell(number).numbers:
        return []
    return [(None, scope.column(number))]


def computed(condition: exp.Expr, scope: CostScope) -> list[tuple[Place | None, Place]]:
    """The place that a condition makes equal to what is computed of one source: a row of that decides it."""
    found = bare(condition)
    if type(found) is not exp.EQ:
        return []
    pairs: list[tuple[Place | None, Place]] = []
    for told, side in ((found.this, bare(found.expression)), (found.expression, bare(found.this))):
        columns = list(told.find_all(exp.Column))
        if type(side) is not exp.Column or isinstance(bare(told), exp.Column) or told.find(exp.Subquery, exp.Exists):
            continue
        sources = {scope.column(column)[0] for column in columns}
        family = scope.family(side)
        if len(sources) == 1 and family in _EXACT and family is scope.family(bare(told)):
            pairs.append(((sources.pop(), OF_ROW), scope.column(side)))
    return pairs


def alike(conditions: Sequence[exp.Expr], scope: CostScope) -> list[tuple[Place | None, Place]]:
    """The keys of a release that conditions make equal to a place, or NULL where that is NULL:
    `COALESCE(x, c) = COALESCE(k, c) AND (x IS NULL) = (k IS NULL)`.

    Claim: for one value of x, or NULL, they leave one value of k, or NULL. Because: where the first is NULL, so is the
    other by the second condition; where neither is, COALESCE is each itself. Checked by: tests/test_work.py.
    """
    found = [bare(condition) for condition in conditions]
    absent = {(one, other) for each in found if (pair := _sides(each, exp.Is)) for one, other in (pair, pair[::-1])}
    pairs: list[tuple[Place | None, Place]] = []
    for each in found:
        sides = _sides(each, exp.Coalesce)
        if sides is None or sides not in absent or scope.family(sides[0]) not in _EXACT:
            continue
        if scope.family(sides[0]) is scope.family(sides[1]):
            pairs += [(scope.column(one), scope.column(k)) for one, k in (sides, sides[::-1]) if scope.cell(k).grouped]
    return pairs


def _sides(condition: exp.Expr, kind: type[exp.Expr]) -> tuple[exp.Column, exp.Column] | None:
    """The columns of which an equality compares the same: whether they are NULL, or what stands for NULL."""
    if type(condition) is not exp.EQ:
        return None
    one, other = bare(condition.this), bare(condition.expression)
    if type(one) is not kind or type(other) is not kind or not _is_same(one, other):
        return None
    left, right = bare(one.this), bare(other.this)
    return (left, right) if isinstance(left, exp.Column) and isinstance(right, exp.Column) else None


def _is_same(one: exp.Expr, other: exp.Expr) -> bool:
    """Whether both are IS NULL, or stand in for NULL with one and the same constant."""
    if type(one) is exp.Is:
        return type(one.expression) is exp.Null and type(other.expression) is exp.Null
    constants = one.expressions
    return (
        len(constants) == 1
        and constants == other.expressions
        and not any(constants[0].find_all(exp.Column, exp.Subquery))
    )


def _equal_in_both(either: exp.Expr, scope: CostScope) -> list[tuple[Place | None, Place]]:
    """What both sides of OR make equal. Not to a constant: those of the two sides may be two."""
    one, other = (
        [pair for part in conjuncts(side) for pair in equal(part, scope)] for side in (either.this, either.expression)
    )
    return [pair for pair in one if pair in other and pair[0] is not None]
