"""BOOL_OR, BOOL_AND and EVERY: private decisions from the noisy number of units with a row that decides."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN
from dpproxy.plan.formulas import Decision, DecisionOf
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.releases.aggregate_call import Asked, written
from dpproxy.rewrite.releases.measured import MeasurePool


def decision(pool: MeasurePool, asked: Asked) -> Output:
    """BOOL_OR(c): units with a row where c is true; BOOL_AND(c) = EVERY(c) = NOT BOOL_OR(NOT c).

    Rows where c is NULL decide nothing, and without any row there is no finding: BOOL_OR is false and BOOL_AND true
    where Postgres has NULL. A unit counts once, however many rows it has, so that the noise is that of one.
    """
    condition = written(asked.node, "this")
    if isinstance(asked.node, exp.LogicalOr):
        return _found(pool, asked, condition, Decision.ANY)
    return _found(pool, asked, exp.Not(this=exp.Paren(this=condition)), Decision.NONE)


def _found(pool: MeasurePool, asked: Asked, condition: exp.Expr, decided: Decision) -> Output:
    conditions = asked.kept(asked.context.formed(asked.context.condition(condition, asked.scope)))
    return pool.output(BOOLEAN, DecisionOf(decided, pool.units_where(conditions, asked.label)), asked.label)
