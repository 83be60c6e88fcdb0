"""GROUPED: exact aggregates of each unit's own rows."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.level import carried, ranges
from dpproxy.rewrite.checker.relations import UNIT, Cell, Relation
from dpproxy.rewrite.checker.scope import CheckContext, Scope
from dpproxy.rewrite.checker.syntax import aliases_of, grouped, named, only, query_of, source_of
from dpproxy.rewrite.checker.values import over_groups


def read_grouped(select: exp.Expr, context: CheckContext) -> Relation:
    """SELECT u, c0, …, AGG(…) AS a0, … FROM (relation) AS r GROUP BY u, c0, ….

    Claim: if each row of the relation belongs to its `u`, and a unit's rows depend on the unit alone, so do the groups.
    Because: `u` is grouped by, so a group holds rows of one unit, and every aggregate is a function of that multiset.
    One row per unit: all else that is grouped by is one value for all rows of the unit.
    Checked by: tests/test_checker_relations.py.
    """
    only(select, "expressions", "from_", "group")
    scope, relation = inner_of(select, context)
    by = [_cell(part, scope) for part in grouped(select)]
    key = next(iter(by), None)
    require(key is not None and key[1] == UNIT, "GROUP BY does not begin with the unit")
    items = rest_of(select, scope)
    values = {name: over_groups(item, scope, context, by) for name, item in items.items()}
    one_row = relation.one_row or all(scope.fact(cell).steady for cell in by)
    columns = {name: carried(item, one_row or item.steady) for name, item in values.items()}
    return Relation(relation.unit, {UNIT: relation.columns[UNIT], **columns}, one_row, ranged=ranges(values))


def inner_of(select: exp.Expr, context: CheckContext) -> tuple[Scope, Relation]:
    """The private relation that is alone in FROM, and what expressions over it see."""
    relation = context.relation(query_of(select), context)
    (alias,) = aliases_of([source_of(select)], ())
    scope = Scope({alias: relation}, frozenset([alias]), frozenset([alias]), unit=relation.unit, sole=alias)
    return scope, relation


def rest_of(select: exp.Expr, scope: Scope) -> Mapping[str, exp.Expr]:
    """The items after the first, which is the relation's own `u`, by name."""
    (name, first), *items = named(select).items()
    own = type(first) is exp.Column and scope.cell(first)[1] == UNIT
    require(own and name == UNIT, "the first item is not u")
    return dict(items)


def _cell(part: exp.Expr, scope: Scope) -> Cell:
    if type(part) is not exp.Column:
        raise CheckFault("grouped by more than columns")
    return scope.cell(part)
