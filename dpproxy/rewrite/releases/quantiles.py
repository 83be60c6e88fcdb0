"""PERCENTILE_CONT, PERCENTILE_DISC, dp.median, MIN and MAX over private rows: values of a grid, by their rank. (MIN and
MAX of texts are of released keys: `list_point`.)

All that are asked of one argument over the same rows share a histogram, whose buckets are the grid's values: with
bounds even ones, numbers without bounds in proportion to their size, dates by days, timestamps without bounds by hours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, Family, SqlType
from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.mechanisms.ranks import Rank, rank_of
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import conjuncts, narrow
from dpproxy.rewrite.expressions.constants.arrays import elements
from dpproxy.rewrite.expressions.constants.literals import is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import Typed, exact
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.releases.aggregate_call import Asked, presence, written
from dpproxy.rewrite.releases.histograms import Histogram
from dpproxy.rewrite.releases.measured import when
from dpproxy.rewrite.releases.value_buckets import can_be_placed, placed
from dpproxy.rewrite.shown import shown

_KINDS: Final = (exp.PercentileCont, exp.PercentileDisc, exp.Median, exp.Min, exp.Max)
_NUMBERS: Final = (Family.INTEGER, Family.NUMERIC, Family.FLOAT)


@dataclass(frozen=True, slots=True)
class AskedQuantiles:
    """One aggregate: the ranks that it asks for, of which histogram, and their type. listed: its value is an array."""

    histogram: Histogram
    ranks: tuple[Rank, ...]
    type: SqlType
    listed: bool
    label: str


@dataclass(frozen=True, slots=True)
class Quantiles:
    """All that are asked for of one release point, each histogram and each column of it once."""

    asked: Mapping[exp.Expr, AskedQuantiles]

    @property
    def histograms(self) -> tuple[tuple[Histogram, tuple[Output, ...]], ...]:
        """The histograms with the columns that are made of each."""
        found: dict[Histogram, list[Output]] = {}
        for (histogram, rank, type_), label in self._columns.items():
            name = self._name(histogram, rank, type_)
            formula = QuantileOf(0, rank, histogram.grid)
            found.setdefault(histogram, []).append(Output(name, type_, formula, label))
        return tuple((histogram, tuple(outputs)) for histogram, outputs in found.items())

    def columns(self, node: exp.Expr) -> list[str]:
        """The columns that an aggregate reads, in the order of its fractions."""
        asked = self.asked[node]
        return [self._name(asked.histogram, rank, asked.type) for rank in asked.ranks]

    @property
    def _columns(self) -> dict[tuple[Histogram, Rank, SqlType], str]:
        return {(each.histogram, rank, each.type): each.label for each in self.asked.values() for rank in each.ranks}

    def _name(self, histogram: Histogram, rank: Rank, type_: SqlType) -> str:
        return f"q{list(self._columns).index((histogram, rank, type_))}"


def quantiles(found: Sequence[exp.Expr], joined: Joined, context: PlanningContext) -> Quantiles:
    """Those of the aggregates that are quantiles.

    Raises FeatureNotSupported for values that are no numbers, dates or timestamps, and for fractions that are no
    constants.
    """
    return Quantiles({node: _asked(node, joined, context) for node in found if is_quantile(node)})


def is_quantile(node: exp.Expr) -> bool:
    """Whether an aggregate is one."""
    return _kind(node) is not None


def _kind(node: exp.Expr) -> exp.Expr | None:
    """What a quantile is called by; None for any other aggregate."""
    inner = node.this if isinstance(node, exp.Filter) else node
    named = inner.this if isinstance(inner, exp.WithinGroup) else inner
    return named if isinstance(named, _KINDS) else None


def _asked(node: exp.Expr, joined: Joined, context: PlanningContext) -> AskedQuantiles:
    inner, scope, condition = node, joined.scope, None
    if isinstance(node, exp.Filter):
        inner, predicate = node.this, node.expression.this
        condition = context.formed(context.condition(predicate, scope))
        scope = narrow([context.constant(each) for each in conjuncts(predicate)], scope)
    argument, falls = _argument(inner)
    typed = context.total(argument, scope)
    kept = Asked(inner, scope, condition, shown(node), context).kept(*presence(typed, context))
    if not can_be_placed(typed):
        raise _refused(argument, typed)
    place = placed(argument, typed, scope, context)
    histogram = Histogram(when(kept, context.plain(place.bucket)), place.grid, shown(argument))
    fractions, listed = _fractions(inner, context)
    ranks = tuple(rank_of(1 - each if falls else each) for each in fractions)
    return AskedQuantiles(histogram, ranks, _type(inner, argument, typed), listed, shown(node))


def _argument(inner: exp.Expr) -> tuple[exp.Expr, bool]:
    """What is ordered, and whether it falls. Raises FeatureNotSupported for several orders."""
    if not isinstance(inner, exp.WithinGroup):
        return written(inner, "this"), False
    order = inner.expression.expressions
    if len(order) != 1:
        raise FeatureNotSupported("a quantile of several columns is not supported", position=position(inner))
    only = order[0]
    return (only.this, bool(only.args.get("desc"))) if isinstance(only, exp.Ordered) else (only, False)


def _fractions(inner: exp.Expr, context: PlanningContext) -> tuple[list[Fraction], bool]:
    """The fractions, and whether they are an array."""
    match _kind(inner):
        case exp.Min():
            return [Fraction(0)], False
        case exp.Max():
            return [Fraction(1)], False
        case exp.Median():
            return [Fraction(1, 2)], False
        case named:
            assert named is not None
            given = context.constant(named.this)
            if not _is_array(given):
                return [_fraction(named, given, context)], False
            listed = elements(given)
            if not listed:
                raise _no_fraction(named)
            return [_fraction(named, each, context) for each in listed], True


def _is_array(node: exp.Expr) -> bool:
    node = node.unnest()
    return isinstance(node, exp.Array) or (isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.ARRAY)


def _fraction(named: exp.Expr, given: exp.Expr, context: PlanningContext) -> Fraction:
    if given.find(exp.Column, exp.Query) is not None:
        raise _no_fraction(named)
    typed = context.total(exp.Cast(this=given.copy(), to=exp.DataType.build("double precision")), {})
    fraction = exact(value_of(typed)) if is_constant(typed) else None
    if fraction is None or not 0 <= fraction <= 1:
        raise _no_fraction(named)
    return fraction


def _no_fraction(named: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        "the fraction of a quantile must be a constant from 0 to 1, or an array of such",
        hint="Write percentile_cont(0.5), or percentile_cont(ARRAY[0.25, 0.5, 0.75]).",
        position=position(named),
    )


def _type(inner: exp.Expr, argument: exp.Expr, typed: Typed) -> SqlType:
    """As Postgres has it."""
    type_ = typed.fact.type
    if isinstance(_kind(inner), exp.PercentileCont | exp.Median) and type_.family in _NUMBERS:
        return DOUBLE
    return type_.of_any


def _refused(argument: exp.Expr, typed: Typed) -> DPProxyError:
    return FeatureNotSupported(
        f"quantiles of {typed.fact.type} values are not supported over private tables",
        hint="They are of numbers, dates and timestamps. Of texts there are MIN and MAX; or group by the values, and "
        "count.",
        position=position(argument),
    )
