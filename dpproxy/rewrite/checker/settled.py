"""SETTLED: exact aggregates of rows that agree on a column by which each of them is of one unit."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.level import carried, ranges
from dpproxy.rewrite.checker.relations import Relation, Unit
from dpproxy.rewrite.checker.rows import check_where, read_rows, scope_of
from dpproxy.rewrite.checker.scope import NOTHING, CheckContext, Scope
from dpproxy.rewrite.checker.syntax import aliases_of, grouped, named, only, query_of, source_of
from dpproxy.rewrite.checker.values import over_groups, value


def read_settled(select: exp.Expr, context: CheckContext) -> Relation:
    """SELECT g0, AGG(a0) AS v0, … FROM (SELECT s0.link AS g0, … FROM "table" AS s0 WHERE …) AS r GROUP BY g0, ….

    Claim: a row of it that is joined with a unit's by a column that ties (`same_unit`) is made of that unit's rows
    alone, and which such rows there are depends on them and on public ones. Because: what ties is the unit's key, or
    names one row of one unit. A copy of it that stands in a row is grouped by, for no aggregate is a copy; so all rows
    of the group have that value, which is not NULL as it equals another, and are of that unit. Rows that nothing ties
    are refused above (`scope_of`).
    Checked by: tests/test_early_groups.py.
    """
    only(select, "expressions", "from_", "group")
    unit, inner = _rows_of(query_of(select), context)
    (alias,) = aliases_of([source_of(select)], ())
    scope = Scope({alias: inner}, frozenset([alias]), frozenset([alias]), unit=unit, sole=alias)
    parts = grouped(select)
    by = [scope.cell(part) for part in parts if type(part) is exp.Column]
    require(len(by) == len(parts), "grouped by more than columns")
    require(any(scope.fact(cell).origins for cell in by), "groups whose rows could be of several units")
    values = {name: over_groups(item, scope, context, by) for name, item in named(select).items()}
    return Relation(unit, {name: carried(item, False) for name, item in values.items()}, ranged=ranges(values))


def _rows_of(select: exp.Expr, context: CheckContext) -> tuple[Unit, Relation]:
    """The rows of one private table, chosen and computed row by row; none is said to be of a unit yet."""
    if type(select) is not exp.Select:
        raise CheckFault("groups of what is no SELECT")
    only(select, "expressions", "from_", "where")
    rows = read_rows(select, NOTHING, context)
    (alias,) = rows.private or ("",)
    unit = rows.sources[alias].unit if alias else None
    if unit is None or len(rows.steps) != 1:
        raise CheckFault("groups that do not begin with the unit, of more than one private table")
    require(not rows.sources[alias].sampled, "groups of a sample that do not begin with the unit")
    scope = scope_of(rows, frozenset([alias]), unit)
    check_where(rows, scope, [], context)
    values = {name: value(item, scope, context) for name, item in named(select).items()}
    return unit, Relation(unit, {name: carried(item, False) for name, item in values.items()}, ranged=ranges(values))
