"""Noisy integers of one key -> the number that a formula stands for. It reads nothing but what has its noise already.

With n the noisy count, c and d the centres of x and y, and every Σ noisy:

    mean x    c + Σ(x−c)/n
    var x     Σ(x−c)²/n − (mean x − c)²             NULL where it is below 0
    cov       Σ(x−c)(y−d)/n − (mean x − c)(mean y − d)
    slope     cov / var x                           NULL where var x is not above 0
    r         cov / √(var x · var y)                NULL where one of them is not

None is pushed into what it could be without noise: a mean may lie outside of x's bounds, an r past 1. What is far off
shall look like it. All are NULL where the count is no more than noise alone would make likely (`Noised.is_noise`): what
is divided by that is anything. A sample's variance and covariance are those times n/(n−1), and NULL where n is below 2,
as in Postgres. A variance below 0 has no root. A slope or r of values without spread has no number in Postgres either;
where the noise leaves none, it cannot be told from that. REGR_R2 of a constant y, 1 in Postgres, is NULL for the same
reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.mechanisms.contract import TotalNoise
from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.tails import guessed, least, tail
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    Covariance,
    CovarianceOf,
    Decision,
    DecisionOf,
    Dispersion,
    DispersionOf,
    Fit,
    FitOf,
    Formula,
    Line,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    Spread,
    SumOf,
)
from dpproxy.plan.grids import value_of
from dpproxy.plan.private_plan import Measure
from dpproxy.remembered import remembered

FALSE_FINDING = 0.025
_ROOTS = Context(prec=40)
_PerRow = MeanOf | DispersionOf | CovarianceOf | LineOf | FitOf


@dataclass(frozen=True, slots=True)
class Noised:
    """What is known of one key after the noise: an integer for each measure that got noise, by the measure's index, the
    count that selected the key, and the bucket that was told for each rank, or as the largest. parts: of a measure that
    was scaled down, the steps that a whole one stands for."""

    measures: Sequence[Measure]
    noises: Mapping[int, TotalNoise]
    totals: Mapping[int, int]
    selected: int
    parts: Mapping[int, Fraction] = field(default_factory=dict)
    buckets: Mapping[Rank, int] = field(default_factory=dict)
    mode: int | None = None

    def count(self, index: int | None) -> Fraction:
        """A count; None is the selected one."""
        return Fraction(self.selected) if index is None else self.totals[index] * self.parts.get(index, Fraction(1))

    def sum(self, index: int) -> Fraction:
        """A sum, scaled back by its step, around its centre."""
        return self.count(index) * Fraction(self.measures[index].step)

    def is_found(self, index: int) -> bool:
        """Whether there is more of a count than noise alone would make likely."""
        return self.totals[index] > decision_threshold(self.noises[index])

    def is_noise(self, index: int | None) -> bool:
        """Whether a count may well be that of no rows; the selected one is above its threshold, and so above that."""
        return self.selected <= 0 if index is None else not self.is_found(index)

    def centre(self, index: int) -> Fraction:
        """What was subtracted from each value of a sum."""
        return Fraction(self.measures[index].centre)


def estimate(formula: Formula, noised: Noised) -> Fraction | bool | None:
    """The formula's value for one key; None, for SQL's NULL, only where the module's text says so."""
    match formula:
        case CountOf(index):
            return noised.count(index)
        case SelectedCount():
            return Fraction(noised.selected)
        case SumOf(index):
            return noised.sum(index)
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            return None if noised.is_noise(formula.count) else _per_row(formula, noised, noised.count(formula.count))
        case CentreOf(total, count, most):
            return _away(noised.count(total), noised.count(count), most) if not noised.is_noise(count) else Fraction(0)
        case DecisionOf(decision, found):
            return _decided(decision, noised.is_found(found))
        case QuantileOf(_, rank, grid):
            return value_of(grid, noised.buckets[rank])
        case ModeOf():
            return None if noised.mode is None else Fraction(noised.mode)
        case _:
            assert_never(formula)


@remembered(1024)
def decision_threshold(noise: TotalNoise) -> int:
    """The half-width of the noise's central 95 %: a noisy number above it is a finding.

    Claim: the least t >= 0 with P(Z > t) <= 2.5 % for noise Z, as far as `tail` is exact; never less.
    Because: `tail` is not below P(Z >= ·), and falls; four scales are enough for either noise. Any other noise is
    symmetric, and says itself how far it reaches.
    Checked by: tests/test_moments.py::test_noise_alone_is_seldom_a_finding.
    """
    if not isinstance(noise, Noise):
        return int(noise.reach(FALSE_FINDING))
    distribution, scale = noise.distribution, noise.scale
    guess = guessed(distribution, scale, FALSE_FINDING) - 1
    return least(lambda at: tail(distribution, scale, at + 1) <= FALSE_FINDING, guess, -1, 4 * math.ceil(scale))


def _decided(decision: Decision, found: bool) -> bool:
    match decision:
        case Decision.ANY:
            return found
        case Decision.NONE:
            return not found
        case _:
            assert_never(decision)


def _per_row(formula: _PerRow, noised: Noised, rows: Fraction) -> Fraction | None:
    """Of more rows than none."""
    match formula:
        case MeanOf(total):
            return _mean(total, noised, rows)
        case DispersionOf(statistic, of):
            return _dispersion(statistic, _variance(of, noised, rows), rows)
        case CovarianceOf(statistic, y, x, products):
            return _covaried(statistic, _covariance(y, x, products, noised, rows), rows)
        case LineOf():
            return _line(formula, noised, rows)
        case FitOf():
            return _fit(formula, noised, rows)
        case _:
            assert_never(formula)


def _away(total: Fraction, rows: Fraction, most: int) -> Fraction:
    """The nearest whole number to their quotient, held to ±most."""
    return Fraction(max(-most, min(most, round(total / rows))))


def _mean(total: int, noised: Noised, rows: Fraction) -> Fraction:
    return noised.centre(total) + _offset(total, noised, rows)


def _offset(total: int, noised: Noised, rows: Fraction) -> Fraction:
    """How far the mean lies from the centre."""
    return noised.sum(total) / rows


def _variance(x: Spread, noised: Noised, rows: Fraction) -> Fraction:
    """Of the population; below 0, where the noise is more."""
    squares = noised.centre(x.squares) + noised.sum(x.squares) / rows
    return squares - _offset(x.total, noised, rows) ** 2


def _dispersion(statistic: Dispersion, variance: Fraction, rows: Fraction) -> Fraction | None:
    if variance < 0:
        return None
    match statistic:
        case Dispersion.VAR_POP:
            return variance
        case Dispersion.VAR_SAMP:
            return _of_sample(variance, rows)
        case Dispersion.STDDEV_POP:
            return _root(variance)
        case Dispersion.STDDEV_SAMP:
            of_sample = _of_sample(variance, rows)
            return None if of_sample is None else _root(of_sample)
        case Dispersion.SUM:
            return variance * rows
        case _:
            assert_never(statistic)


def _covariance(y: int, x: int, products: int, noised: Noised, rows: Fraction) -> Fraction:
    """Of the population."""
    return noised.sum(products) / rows - _offset(x, noised, rows) * _offset(y, noised, rows)


def _covaried(statistic: Covariance, covariance: Fraction, rows: Fraction) -> Fraction | None:
    match statistic:
        case Covariance.POP:
            return covariance
        case Covariance.SAMP:
            return _of_sample(covariance, rows)
        case Covariance.SUM:
            return covariance * rows
        case _:
            assert_never(statistic)


def _line(formula: LineOf, noised: Noised, rows: Fraction) -> Fraction | None:
    x, spread = formula.x.total, _variance(formula.x, noised, rows)
    if spread <= 0:
        return None
    slope = _covariance(formula.y, x, formula.products, noised, rows) / spread
    match formula.statistic:
        case Line.SLOPE:
            return slope
        case Line.INTERCEPT:
            return _mean(formula.y, noised, rows) - slope * _mean(x, noised, rows)
        case _:
            assert_never(formula.statistic)


def _fit(formula: FitOf, noised: Noised, rows: Fraction) -> Fraction | None:
    of_x, of_y = _variance(formula.x, noised, rows), _variance(formula.y, noised, rows)
    if of_x <= 0 or of_y <= 0:
        return None
    covariance = _covariance(formula.y.total, formula.x.total, formula.products, noised, rows)
    match formula.statistic:
        case Fit.CORRELATION:
            return covariance / _root(of_x * of_y)
        case Fit.DETERMINATION:
            return covariance**2 / (of_x * of_y)
        case _:
            assert_never(formula.statistic)


def _of_sample(of_population: Fraction, rows: Fraction) -> Fraction | None:
    """n/(n−1) times as much; None where there are fewer rows than two."""
    return None if rows < 2 else of_population * rows / (rows - 1)


def _root(value: Fraction) -> Fraction:
    """The square root, to forty digits."""
    quotient = _ROOTS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(_ROOTS.sqrt(quotient))
