"""SETOP: UNION, INTERSECT and EXCEPT of private relations of one unit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from dpproxy.rewrite.checker.families import common
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.relations import UNIT, ColumnFact, Range, Relation
from dpproxy.rewrite.checker.scope import CheckContext
from dpproxy.rewrite.checker.syntax import SET_OPERATIONS, only
from dpproxy.rewrite.checker.values import either


def read_set_operation(node: exp.Expr, context: CheckContext) -> Relation:
    """(relation) UNION ALL (relation), and UNION, INTERSECT, EXCEPT with or without ALL.

    Claim: if both sides are of one kind of unit, and a unit's rows in them depend on the unit alone, so do these.
    Because: both have the unit's key as their first column, so rows that are the same are of one unit: which of them
    stay depends on the unit's rows of both sides. INTERSECT and EXCEPT keep rows of the left side.
    Checked by: tests/test_checker_relations.py.
    """
    only(node, "this", "expression", "distinct")
    for side in (node.this, node.expression):
        require(type(side) not in SET_OPERATIONS, "set operations side by side without parentheses")
    left, right = (context.relation(side, context) for side in (node.this, node.expression))
    require(left.unit == right.unit, "a set operation of two units")
    require(len(left.columns) == len(right.columns), "a set operation of different columns")
    require(next(iter(left.columns)) == next(iter(right.columns)) == UNIT, "a set operation without the unit first")
    kept = type(node) in (exp.Intersect, exp.Except)
    pairs = zip(left.columns.items(), right.columns.values(), strict=True)
    columns = {
        name: replace(_kept(fact, other) if kept else _either(fact, other), held=either(fact, other, context))
        for (name, fact), other in pairs
    }
    columns[UNIT] = replace(columns[UNIT], steady=True)
    names = dict(zip(left.columns, right.columns, strict=True))
    return Relation(left.unit, columns, kept and left.one_row, ranged=_hull(left, right, names))


def _kept(left: ColumnFact, right: ColumnFact) -> ColumnFact:
    """A column of rows that all stand on the left side, in a type that holds those of both."""
    return replace(left, family=common(left.family, right.family), hidden=left.hidden or right.hidden)


def _either(left: ColumnFact, right: ColumnFact) -> ColumnFact:
    """A column of rows of both sides: the key where it is so on both; of the unit's rows on one side it tells nothing
    about those on the other."""
    family, hidden = common(left.family, right.family), left.hidden or right.hidden
    return ColumnFact(family, hidden, left.key and right.key, left.origins & right.origins)


def _hull(left: Relation, right: Relation, names: dict[str, str]) -> Callable[[str], Range]:
    """A column holds values of both sides, in a type that holds both."""

    def ranged(name: str) -> Range:
        ours, theirs = left.ranged(name), right.ranged(names.get(name, ""))
        return min(ours[0], theirs[0]), max(ours[1], theirs[1])

    return ranged
