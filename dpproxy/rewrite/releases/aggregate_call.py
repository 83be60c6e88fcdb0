"""An aggregate as the analyst wrote it: its arguments, and the rows that FILTER leaves it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, Family
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.facts.fact import Scope, Typed
from dpproxy.rewrite.expressions.trees.build import atom, cast
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.shown import shown


@dataclass(frozen=True, slots=True)
class Asked:
    """One aggregate. scope: of the rows that FILTER leaves; condition: FILTER's; label: what people read."""

    node: exp.Expr
    scope: Scope
    condition: exp.Expression | None
    label: str
    context: PlanningContext

    def argument(self) -> Typed:
        """The first argument's total form."""
        return self.context.total(written(self.node, "this"), self.scope)

    def carried(self) -> Typed:
        """The argument, of which it is asked alone whether it is there."""
        return self.context.carried(written(self.node, "this"), self.scope)

    def kept(self, *present: exp.Expression) -> tuple[exp.Expression, ...]:
        """What must be true of a row for it to count: FILTER's condition, and then that some values are there."""
        tests = tuple(dict.fromkeys(present))
        return tests if self.condition is None else (self.condition, *tests)


def read_asked(aggregate: exp.Expr, scope: Scope, context: PlanningContext) -> Asked:
    """What an aggregate, maybe with FILTER, asks for over rows of a scope."""
    label = shown(aggregate)
    if not isinstance(aggregate, exp.Filter):
        return Asked(aggregate, scope, None, label, context)
    predicate = aggregate.expression.this
    narrowed = narrow([context.constant(c) for c in conjuncts(predicate)], scope)
    condition = context.formed(context.condition(predicate, scope))
    return Asked(aggregate.this, narrowed, condition, label, context)


def presence(typed: Typed, context: PlanningContext) -> tuple[exp.Expression, ...]:
    """The conditions under which it is neither NULL nor NaN; none where it never is, as far as the policy says."""
    value = context.plain(atom(typed.sql))
    there = exp.Is(this=value, expression=exp.Null(), negate=True)
    if typed.fact.type.family is Family.FLOAT:
        return there, exp.NEQ(this=value.copy(), expression=cast(exp.Literal.string("NaN"), DOUBLE))
    return (there,) if typed.fact.nullable else ()


def written(node: exp.Expr, name: str) -> exp.Expr:
    """The argument `name` of an aggregate.

    Raises FeatureNotSupported for DISTINCT or ORDER BY in it, or where it is whole rows or nothing.
    """
    argument = node.args.get(name)
    if isinstance(argument, exp.Distinct) or node.expressions:
        raise _distinct(node)
    if isinstance(argument, exp.Order):
        raise FeatureNotSupported(
            "ORDER BY inside an aggregate is not supported over private tables",
            hint="Leave it out: the result does not depend on the order.",
            position=position(node),
        )
    if isinstance(argument, exp.Column) and argument.is_star:
        raise FeatureNotSupported(
            "whole rows are not supported over private tables", hint="Write COUNT(*).", position=position(node)
        )
    if argument is None or isinstance(argument, exp.Star):
        raise unsupported(node)
    assert isinstance(argument, exp.Expr)
    return argument


def function_name(node: exp.Expr) -> str:
    """The aggregate's name, as Postgres has it."""
    return node.sql(dialect="postgres").partition("(")[0].upper()


def unsupported(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of an aggregate that has no private form."""
    name = function_name(node)
    return FeatureNotSupported(
        f"{name} of these arguments is not supported over private tables",
        hint=f"Make it of released rows: SELECT {name}(k, n) FROM (SELECT k, COUNT(*) AS n FROM … GROUP BY k) AS t."
        if node.find(exp.JSONObjectAgg, exp.JSONBObjectAgg) is not None
        else "Use COUNT, SUM, AVG, VARIANCE, STDDEV, CORR or REGR_SLOPE of numbers, MIN, MAX or PERCENTILE_CONT of "
        "numbers and dates, BOOL_AND or BOOL_OR of conditions, with FILTER if need be.",
        position=position(node),
    )


def _distinct(node: exp.Expr) -> FeatureNotSupported:
    counts = isinstance(node, exp.Count)
    return FeatureNotSupported(
        "DISTINCT inside an aggregate is not supported over private tables",
        hint="COUNT(*) over a table with one row per unit counts units; or GROUP BY the column instead."
        if counts
        else f"Leave DISTINCT out, or GROUP BY the column and take {function_name(node)} of the released keys.",
        position=position(node),
    )
