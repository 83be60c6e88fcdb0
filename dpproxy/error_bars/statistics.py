"""Formulas over replicates of their totals: `dpproxy.estimates` with a number for each replicate, in floating point.

NaN stands for a replicate of which nothing can be said: where there may be no rows, or no spread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from dpproxy.error_bars.design import Floats
from dpproxy.plan.formulas import (
    Covariance,
    CovarianceOf,
    Dispersion,
    DispersionOf,
    Fit,
    FitOf,
    Line,
    LineOf,
    MeanOf,
    Spread,
)
from dpproxy.plan.private_plan import Measure

PerRow = MeanOf | DispersionOf | CovarianceOf | LineOf | FitOf


@dataclass(frozen=True, slots=True)
class Totals:
    """Replicates of the totals of some rows: `of` gives those of a measure in units of the measure, `rows` how many
    rows the statistic is over, NaN where there may be none."""

    measures: tuple[Measure, ...]
    of: Callable[[int], Floats]
    rows: Floats

    def offset(self, total: int) -> Floats:
        """How far the mean lies from the centre."""
        return self.of(total) / self.rows

    def centre(self, measure: int) -> float:
        """What was subtracted from each value."""
        return float(self.measures[measure].centre)

    def mean(self, total: int) -> Floats:
        """The mean itself."""
        return self.centre(total) + self.offset(total)

    def variance(self, x: Spread) -> Floats:
        """Of the population."""
        return self.centre(x.squares) + self.of(x.squares) / self.rows - self.offset(x.total) ** 2

    def covariance(self, y: int, x: int, products: int) -> Floats:
        """Of the population."""
        return self.of(products) / self.rows - self.offset(x) * self.offset(y)

    def sample(self, of_population: Floats) -> Floats:
        """n/(n−1) times as much."""
        return of_population * self.rows / _positive(self.rows - 1)


def statistic(formula: PerRow, totals: Totals) -> Floats:
    """The formula's value for each replicate."""
    with np.errstate(all="ignore"):
        match formula:
            case MeanOf(total):
                return totals.mean(total)
            case DispersionOf(kind, of):
                return _dispersion(kind, totals.variance(of), totals)
            case CovarianceOf(kind, y, x, products):
                return _covaried(kind, totals.covariance(y, x, products), totals)
            case LineOf():
                return _line(formula, totals)
            case FitOf():
                return _fit(formula, totals)
            case _:
                assert_never(formula)


def _positive(values: Floats) -> Floats:
    return np.asarray(np.where(values > 0, values, np.nan))


def _dispersion(kind: Dispersion, variance: Floats, totals: Totals) -> Floats:
    """A variance that may be none is told as the least there is: so the low end of what it may be is known."""
    spread = np.maximum(variance, 0.0)
    match kind:
        case Dispersion.VAR_POP:
            return spread
        case Dispersion.VAR_SAMP:
            return totals.sample(spread)
        case Dispersion.STDDEV_POP:
            return np.sqrt(spread)
        case Dispersion.STDDEV_SAMP:
            return np.sqrt(totals.sample(spread))
        case Dispersion.SUM:
            return spread * totals.rows
        case _:
            assert_never(kind)


def _covaried(kind: Covariance, covariance: Floats, totals: Totals) -> Floats:
    match kind:
        case Covariance.POP:
            return covariance
        case Covariance.SAMP:
            return totals.sample(covariance)
        case Covariance.SUM:
            return covariance * totals.rows
        case _:
            assert_never(kind)


def _line(formula: LineOf, totals: Totals) -> Floats:
    x = formula.x.total
    slope = totals.covariance(formula.y, x, formula.products) / _positive(totals.variance(formula.x))
    match formula.statistic:
        case Line.SLOPE:
            return slope
        case Line.INTERCEPT:
            return totals.mean(formula.y) - slope * totals.mean(x)
        case _:
            assert_never(formula.statistic)


def _fit(formula: FitOf, totals: Totals) -> Floats:
    both = _positive(totals.variance(formula.x)) * _positive(totals.variance(formula.y))
    covariance = totals.covariance(formula.y.total, formula.x.total, formula.products)
    match formula.statistic:
        case Fit.CORRELATION:
            return np.asarray(np.clip(covariance / np.sqrt(both), -1.0, 1.0))
        case Fit.DETERMINATION:
            return np.asarray(np.clip(covariance**2 / both, 0.0, 1.0))
        case _:
            assert_never(formula.statistic)
