"""MODE() WITHIN GROUP (ORDER BY x) over private rows: which of the values that are known beforehand most units have.

A value is the bucket of a histogram, in which a unit weighs as one. Of other values, see `mode_point`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import INTEGER, SqlType
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.formulas import ModeOf
from dpproxy.plan.grids import EvenGrid
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.facts.fact import Scope
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.literals import literal
from dpproxy.rewrite.releases.histograms import Histogram
from dpproxy.rewrite.releases.keys import known_values
from dpproxy.rewrite.releases.measured import when
from dpproxy.rewrite.shown import shown
from dpproxy.rows import Value

MOST_VALUES: Final = 1000
"""Among how many a value is chosen: each is a branch of the engine's CASE."""


@dataclass(frozen=True, slots=True)
class AskedMode:
    """One aggregate: the histogram that it is read off, and what its buckets stand for."""

    histogram: Histogram
    values: tuple[Value, ...]
    type: SqlType
    label: str

    def output(self, index: int) -> Output:
        """The released column: the number of a bucket."""
        return Output(f"f{index}", INTEGER, ModeOf(0, len(self.values)), self.label)

    def value(self, column: exp.Expr) -> exp.Expr:
        """What the number stands for, in the statement for the front."""
        branches = [exp.If(this=literal(number), true=literal(each)) for number, each in enumerate(self.values)]
        told = exp.Case(this=column, ifs=branches)
        return exp.Cast(this=told, to=exp.DataType.build(str(self.type), dialect="postgres"))


def is_mode(node: exp.Expr) -> bool:
    """Whether an aggregate is one."""
    inner = node.this if isinstance(node, exp.Filter) else node
    return isinstance(inner, exp.WithinGroup) and isinstance(inner.this, exp.Mode)


def modes(found: Sequence[exp.Expr], joined: Joined, context: PlanningContext) -> Mapping[exp.Expr, AskedMode]:
    """Those of the aggregates that are modes, all of values that are known beforehand."""
    made: dict[exp.Expr, AskedMode] = {}
    for node in filter(is_mode, found):
        asked = known_mode(node, joined, context)
        assert asked is not None, "list_point has those of other values"
        made[node] = asked
    return made


def known_mode(node: exp.Expr, joined: Joined, context: PlanningContext) -> AskedMode | None:
    """The mode of values that are known beforehand, MOST_VALUES at most; else None."""
    argument, scope, condition = mode_argument(node), joined.scope, None
    if isinstance(node, exp.Filter):
        predicate = node.expression.this
        condition = context.formed(context.condition(predicate, scope))
        scope = narrow([context.constant(each) for each in conjuncts(predicate)], scope)
    typed = context.total(argument, scope)
    values = tuple(each for each in known_values(typed) or () if each is not None)
    if not 1 <= len(values) <= MOST_VALUES or typed.fact.type.zone is not None:
        return None
    bucket = when([] if condition is None else [condition], _bucket(argument, values, scope, context))
    ends = Decimal(0), Decimal(len(values) - 1)
    grid = EvenGrid(Decimal(0), Decimal(1), len(values), *ends)
    return AskedMode(Histogram(bucket, grid, shown(argument)), values, typed.fact.type, shown(node))


def mode_argument(node: exp.Expr) -> exp.Expr:
    """The x of MODE() WITHIN GROUP (ORDER BY x). Raises FeatureNotSupported for several."""
    inner = node.this if isinstance(node, exp.Filter) else node
    order: list[exp.Expr] = inner.expression.expressions
    if len(order) != 1:
        raise FeatureNotSupported(
            "a mode of several columns is not supported",
            hint="Group by all of them, and count.",
            position=position(inner),
        )
    only = order[0]
    return only.this if isinstance(only, exp.Ordered) else only


def _bucket(argument: exp.Expr, values: Sequence[Value], scope: Scope, context: PlanningContext) -> exp.Expression:
    """The number of the value that a row has."""
    branches = [
        exp.If(this=exp.EQ(this=argument.copy(), expression=literal(each)), true=literal(number))
        for number, each in enumerate(values)
    ]
    return context.formed(context.total(exp.Case(ifs=branches), scope))
