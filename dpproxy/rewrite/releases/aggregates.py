"""Aggregates over private rows -> measures (integers that a unit can move by so much) and outputs.

    asked        the aggregate as written: arguments, FILTER
    measured     the pool of distinct measures, each paid once
    moments      counts, sums, squares and products of distances from a centre
    statistics   VARIANCE, STDDEV, COVAR, CORR, REGR
    decisions    BOOL_AND, BOOL_OR

Each aggregate has a rule in the table at the end; what is not there is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, NUMERIC, Family, SqlType
from dpproxy.plan.formulas import CountOf, SelectedCount, SumOf
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.aggregate_call import Asked, presence, read_asked, unsupported
from dpproxy.rewrite.releases.decisions import decision
from dpproxy.rewrite.releases.measured import Measured, MeasurePool
from dpproxy.rewrite.releases.moments import plain_sum, summable, with_room
from dpproxy.rewrite.releases.statistics import OF_ONE, OF_TWO, mean_of, mean_type, of_one, of_two
from dpproxy.rewrite.shown import shown

__all__ = ["Measured", "Measures"]


@dataclass(slots=True)
class Measures:
    """The distinct measures and outputs of one release, in order of first use. Identical ones are shared, paid once."""

    joined: Joined
    context: PlanningContext
    rows_are_selected: bool
    scaled: bool = False
    pool: MeasurePool = field(init=False)

    def __post_init__(self) -> None:
        rowset = self.joined.rowset
        self.pool = MeasurePool(rowset.unit or "", rowset.rows, self.rows_are_selected, self.scaled)

    @property
    def found(self) -> list[Measured]:
        """The measures."""
        return self.pool.found

    @property
    def outputs(self) -> list[Output]:
        """The released columns."""
        return self.pool.outputs

    def rows(self) -> int:
        """The index of the measure that counts rows."""
        return self.pool.all_rows()

    def counted_units(self, label: str) -> Output:
        """The number of units of a key, as a measure."""
        return self.pool.output(BIGINT, CountOf(self.pool.units_where((), label)), label)

    def selected_units(self, label: str) -> Output:
        """The same where the choice of private keys has released it: units are not spread."""
        return self.pool.output(BIGINT, SelectedCount(), label)

    def output(self, aggregate: exp.Expr) -> Output:
        """The released column that `aggregate` is.

        Raises FeatureNotSupported for an aggregate that has no private form, BoundsRequired for too wide bounds.
        """
        asked = read_asked(aggregate, self.joined.scope, self.context)
        rule = _RULES.get(type(asked.node))
        if rule is None:
            raise unsupported(asked.node)
        return rule(self.pool, asked)


def _count(pool: MeasurePool, asked: Asked) -> Output:
    """COUNT(*), of a constant that is not NULL, or of what may be NULL or NaN."""
    if isinstance(asked.node.this, exp.Star | exp.Literal | exp.Boolean):
        kept, label = asked.kept(), "COUNT(*) FILTER"
    else:
        kept = asked.kept(*presence(asked.carried(), asked.context))
        label = f"COUNT({shown(asked.node.this)})"
    counted = pool.rows_where(kept, label)
    return pool.output(BIGINT, SelectedCount() if counted is None else CountOf(counted), asked.label)


def _sum(pool: MeasurePool, asked: Asked) -> Output:
    x = with_room(pool, asked, summable(asked))
    return pool.output(_sum_type(x.typed.fact.type), SumOf(plain_sum(pool, asked, x)), asked.label)


def _sum_type(type_: SqlType) -> SqlType:
    if type_.family is Family.INTEGER:
        return NUMERIC if type_.name == "bigint" else BIGINT
    return NUMERIC if type_.family is Family.NUMERIC else SqlType(type_.name)


def _mean(pool: MeasurePool, asked: Asked) -> Output:
    x = with_room(pool, asked, summable(asked))
    return pool.output(mean_type(x.typed.fact.type), mean_of(pool, asked, x), asked.label)


_RULES: Mapping[type[exp.Expr], Callable[[MeasurePool, Asked], Output]] = {
    exp.Count: _count,
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.LogicalAnd: decision,
    exp.LogicalOr: decision,
    **dict.fromkeys(OF_ONE, of_one),
    **dict.fromkeys(OF_TWO, of_two),
}
