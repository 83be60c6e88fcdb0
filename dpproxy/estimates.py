"""Noisy integers of one key -> the number that a formula stands for. It reads nothing but what has its noise already.

With n the noisy count, 1 at least, c and d the centres of x and y, and every Σ noisy:

    mean x    c + Σ(x−c)/n                          within x's bounds
    var x     Σ(x−c)²/n − (mean x − c)²             in [0, (range/2)²]
    cov       Σ(x−c)(y−d)/n − (mean x − c)(mean y − d)   within ± half of x's range times half of y's
    slope     cov / var x                           NULL where var x is 0
    r         cov / √(var x · var y)                in [−1, 1], NULL where one of them is 0

A sample's variance and covariance are those times m/(m−1), where m is n, but 2 at least: never NULL, as Postgres has it
for fewer than two rows. Without rows, var x is the middle of what it can be, as mean x is. A slope or r of values
without spread has no number in Postgres either; where the noise leaves none, it cannot be told from that. REGR_R2 of a
constant y, 1 in Postgres, is NULL for the same reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.mechanisms.noise import Noise
from dpproxy.mechanisms.remembered import remembered
from dpproxy.mechanisms.tails import guessed, least, tail
from dpproxy.plan.formulas import (
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
    SelectedCount,
    Spread,
    SumOf,
    Variable,
)
from dpproxy.plan.private_plan import Measure

FALSE_FINDING = 0.025
_ROOTS = Context(prec=40)


@dataclass(frozen=True, slots=True)
class Noised:
    """What is known of one key after the noise: an integer for each measure that got noise, by the measure's index, and
    the count that selected the key."""

    measures: Sequence[Measure]
    noises: Mapping[int, Noise]
    totals: Mapping[int, int]
    selected: int

    def count(self, index: int | None) -> int:
        """A count; None is the selected one."""
        return self.selected if index is None else self.totals[index]

    def sum(self, index: int) -> Fraction:
        """A sum, scaled back by its step, around its centre."""
        return self.totals[index] * Fraction(self.measures[index].step)

    def centre(self, index: int) -> Fraction:
        """What was subtracted from each value of a sum."""
        return Fraction(self.measures[index].centre)


def estimate(formula: Formula, noised: Noised) -> Fraction | bool | None:
    """The formula's value for one key; None, for SQL's NULL, only where the module's text says so."""
    match formula:
        case CountOf(index):
            return Fraction(noised.count(index))
        case SelectedCount():
            return Fraction(noised.selected)
        case SumOf(index):
            return noised.sum(index)
        case MeanOf(total, count, lower, upper):
            return _mean(Variable(total, lower, upper), noised, _rows(noised, count))
        case DispersionOf():
            return _dispersion(formula, noised)
        case CovarianceOf(statistic, y, x, products, count):
            return _covaried(statistic, _covariance(y, x, products, noised, count), noised.count(count))
        case LineOf():
            return _line(formula, noised)
        case FitOf():
            return _fit(formula, noised)
        case DecisionOf(decision, found):
            return _decided(decision, noised.count(found) > decision_threshold(noised.noises[found]))
        case _:
            assert_never(formula)


@remembered(1024)
def decision_threshold(noise: Noise) -> int:
    """The half-width of the noise's central 95 %: a noisy number above it is a finding.

    Claim: the least t >= 0 with P(Z > t) <= 2.5 % for noise Z, as far as `tail` is exact; never less.
    Because: `tail` is not below P(Z >= ·), and falls; four scales are enough for either noise.
    Checked by: tests/test_moments.py::test_noise_alone_is_seldom_a_finding.
    """
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


def _rows(noised: Noised, count: int | None) -> int:
    return max(noised.count(count), 1)


def _mean(x: Variable, noised: Noised, rows: int) -> Fraction:
    return noised.centre(x.total) + _offset(x, noised, rows)


def _offset(x: Variable, noised: Noised, rows: int) -> Fraction:
    """How far the mean lies from the centre, no further than the bounds do."""
    centre = noised.centre(x.total)
    return _within(noised.sum(x.total) / rows, Fraction(x.lower) - centre, Fraction(x.upper) - centre)


def _variance(x: Spread, noised: Noised, rows: int) -> Fraction:
    """Of the population."""
    squares = noised.centre(x.squares) + noised.sum(x.squares) / rows
    return _within(squares - _offset(x.variable, noised, rows) ** 2, Fraction(0), _half_range(x.variable) ** 2)


def _dispersion(formula: DispersionOf, noised: Noised) -> Fraction:
    count = noised.count(formula.count)
    variance = _variance(formula.of, noised, max(count, 1))
    match formula.statistic:
        case Dispersion.VAR_POP:
            return variance
        case Dispersion.VAR_SAMP:
            return variance * _of_sample(count)
        case Dispersion.STDDEV_POP:
            return _root(variance)
        case Dispersion.STDDEV_SAMP:
            return _root(variance * _of_sample(count))
        case Dispersion.SUM:
            return variance * max(count, 0)
        case _:
            assert_never(formula.statistic)


def _covariance(y: Variable, x: Variable, products: int, noised: Noised, count: int | None) -> Fraction:
    """Of the population."""
    rows = _rows(noised, count)
    around = noised.sum(products) / rows - _offset(x, noised, rows) * _offset(y, noised, rows)
    most = _half_range(x) * _half_range(y)
    return _within(around, -most, most)


def _covaried(statistic: Covariance, covariance: Fraction, count: int) -> Fraction:
    match statistic:
        case Covariance.POP:
            return covariance
        case Covariance.SAMP:
            return covariance * _of_sample(count)
        case Covariance.SUM:
            return covariance * max(count, 0)
        case _:
            assert_never(statistic)


def _line(formula: LineOf, noised: Noised) -> Fraction | None:
    x, rows = formula.x.variable, _rows(noised, formula.count)
    spread = _variance(formula.x, noised, rows)
    if spread == 0:
        return None
    slope = _covariance(formula.y, x, formula.products, noised, formula.count) / spread
    match formula.statistic:
        case Line.SLOPE:
            return slope
        case Line.INTERCEPT:
            return _mean(formula.y, noised, rows) - slope * _mean(x, noised, rows)
        case _:
            assert_never(formula.statistic)


def _fit(formula: FitOf, noised: Noised) -> Fraction | None:
    rows = _rows(noised, formula.count)
    spread = _variance(formula.x, noised, rows) * _variance(formula.y, noised, rows)
    if spread == 0:
        return None
    covariance = _covariance(formula.y.variable, formula.x.variable, formula.products, noised, formula.count)
    match formula.statistic:
        case Fit.CORRELATION:
            return _within(covariance / _root(spread), Fraction(-1), Fraction(1))
        case Fit.DETERMINATION:
            return min(covariance**2 / spread, Fraction(1))
        case _:
            assert_never(formula.statistic)


def _of_sample(count: int) -> Fraction:
    """n/(n−1), as if there were two rows where there are fewer."""
    rows = max(count, 2)
    return Fraction(rows, rows - 1)


def _half_range(x: Variable) -> Fraction:
    return (Fraction(x.upper) - Fraction(x.lower)) / 2


def _within(value: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
    return max(lower, min(upper, value))


def _root(value: Fraction) -> Fraction:
    """The square root, to forty digits."""
    quotient = _ROOTS.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(_ROOTS.sqrt(quotient))
