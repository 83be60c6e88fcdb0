"""Keys of public rows that meet an expression over private ones: the rows' values, of those that the expression has."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.calculus.ties import equal_cells, source_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import narrow_and_say
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rows import Value


def is_met(node: exp.Expr, joined: Joined, context: PlanningContext) -> bool:
    """Whether what is known of a public column's values comes of an expression that it equals in a join: of
    `extract(month FROM day) = m.k` come all twelve months, of which `m` may have three.

    Neither the policy nor constants nor conditions on public columns say it then, of it or of a column that it equals.
    """
    if not isinstance(node, exp.Column):
        return False
    rowset, cell = joined.rowset, (node.table, node.name)
    classes = equal_cells(rowset.sources, rowset.edges, None)
    equal = next((each for each in classes if cell in each), (cell,))
    scope = _unjoined(joined)
    if any(scope[each].fact.domain is not None for each in equal):
        return False
    said = narrow_and_say([context.constant(each) for each in rowset.public_conditions], scope)[0]
    return all(said[each].fact.domain is None for each in equal)


def _unjoined(joined: Joined) -> Scope:
    """What is known of columns before any condition is."""
    found = {cell: (typed, source_of(cell, joined.rowset.sources)) for cell, typed in joined.scope.items()}
    return {
        cell: typed if source is None else Typed(typed.sql, source.relation.facts[cell[1]])
        for cell, (typed, source) in found.items()
    }


def among(value: exp.Expression, values: Sequence[Value], typed: Typed, context: PlanningContext) -> exp.Expression:
    """The condition that an expression over public rows is one of some values, NULL among them or not."""
    written = [context.formed(constant(each, typed.fact.type)) for each in values if each is not None]
    listed = exp.In(this=value, expressions=written)
    return exp.Or(this=listed, expression=exp.Is(this=value, expression=exp.Null())) if None in values else listed
