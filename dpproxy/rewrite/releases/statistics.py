"""VARIANCE, STDDEV, COVAR, CORR and REGR -> formulas over shared moments. REGR's arguments are (Y, X), as in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, NUMERIC, Family, SqlType
from dpproxy.plan.formulas import (
    CountOf,
    Covariance,
    CovarianceOf,
    Dispersion,
    DispersionOf,
    Fit,
    FitOf,
    Formula,
    Line,
    LineOf,
    MeanOf,
    SelectedCount,
)
from dpproxy.plan.private_plan import Output
from dpproxy.rewrite.releases.aggregate_call import Asked
from dpproxy.rewrite.releases.measured import MeasurePool
from dpproxy.rewrite.releases.moments import BoundedArgument, count, pair, products, spread, summable, variable

Pair = Callable[[MeasurePool, Asked, BoundedArgument, BoundedArgument], Formula]


def mean_of(pool: MeasurePool, asked: Asked, x: BoundedArgument, *beside: BoundedArgument) -> MeanOf:
    """The mean of x, over rows where those beside it have a value too."""
    return MeanOf(variable(pool, asked, x, *beside), count(pool, asked, x, *beside))


def mean_type(type_: SqlType) -> SqlType:
    """What Postgres makes of a mean or a spread of values of a type."""
    return DOUBLE if type_.family is Family.FLOAT else NUMERIC


def of_one(pool: MeasurePool, asked: Asked) -> Output:
    """The spread of one variable."""
    x = summable(asked)
    moments = spread(pool, asked, x)
    formula = DispersionOf(OF_ONE[type(asked.node)], moments, count(pool, asked, x))
    return pool.output(mean_type(x.typed.fact.type), formula, asked.label)


def of_two(pool: MeasurePool, asked: Asked) -> Output:
    """A statistic of two variables, over rows where both have a value."""
    y, x = pair(asked)
    formula = OF_TWO[type(asked.node)](pool, asked, y, x)
    counts = isinstance(formula, CountOf | SelectedCount)
    return pool.output(BIGINT if counts else DOUBLE, formula, asked.label)


def _pairs(pool: MeasurePool, asked: Asked, y: BoundedArgument, x: BoundedArgument) -> Formula:
    counted = count(pool, asked, y, x)
    return SelectedCount() if counted is None else CountOf(counted)


def _covariance(statistic: Covariance) -> Pair:
    def made(pool: MeasurePool, asked: Asked, y: BoundedArgument, x: BoundedArgument) -> Formula:
        of_y, of_x = variable(pool, asked, y, x), variable(pool, asked, x, y)
        return CovarianceOf(statistic, of_y, of_x, products(pool, asked, y, x), count(pool, asked, y, x))

    return made


def _line(statistic: Line) -> Pair:
    def made(pool: MeasurePool, asked: Asked, y: BoundedArgument, x: BoundedArgument) -> Formula:
        of_y, of_x = variable(pool, asked, y, x), spread(pool, asked, x, y)
        return LineOf(statistic, of_y, of_x, products(pool, asked, y, x), count(pool, asked, y, x))

    return made


def _fit(statistic: Fit) -> Pair:
    def made(pool: MeasurePool, asked: Asked, y: BoundedArgument, x: BoundedArgument) -> Formula:
        of_y, of_x = spread(pool, asked, y, x), spread(pool, asked, x, y)
        return FitOf(statistic, of_y, of_x, products(pool, asked, y, x), count(pool, asked, y, x))

    return made


def _squares(pool: MeasurePool, asked: Asked, x: BoundedArgument, beside: BoundedArgument) -> Formula:
    return DispersionOf(Dispersion.SUM, spread(pool, asked, x, beside), count(pool, asked, x, beside))


OF_ONE: Mapping[type[exp.Expr], Dispersion] = {
    exp.VariancePop: Dispersion.VAR_POP,
    exp.Variance: Dispersion.VAR_SAMP,
    exp.StddevPop: Dispersion.STDDEV_POP,
    exp.StddevSamp: Dispersion.STDDEV_SAMP,
    exp.Stddev: Dispersion.STDDEV_SAMP,
}
OF_TWO: Mapping[type[exp.Expr], Pair] = {
    exp.CovarPop: _covariance(Covariance.POP),
    exp.CovarSamp: _covariance(Covariance.SAMP),
    exp.Corr: _fit(Fit.CORRELATION),
    exp.RegrSlope: _line(Line.SLOPE),
    exp.RegrIntercept: _line(Line.INTERCEPT),
    exp.RegrR2: _fit(Fit.DETERMINATION),
    exp.RegrCount: _pairs,
    exp.RegrAvgx: lambda pool, asked, y, x: mean_of(pool, asked, x, y),
    exp.RegrAvgy: mean_of,
    exp.RegrSxx: lambda pool, asked, y, x: _squares(pool, asked, x, y),
    exp.RegrSyy: _squares,
    exp.RegrSxy: _covariance(Covariance.SUM),
}
