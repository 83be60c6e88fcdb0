"""How a released column is made of noised measures: formulas name measures by their index in the release.

What they come to as numbers is `dpproxy.estimates`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from dpproxy.mechanisms.ranks import Rank
from dpproxy.plan.grids import Grid


@dataclass(frozen=True, slots=True)
class CountOf:
    """The noisy count itself."""

    measure: int


@dataclass(frozen=True, slots=True)
class SelectedCount:
    """The count that partition selection released (one row per unit: rows are units)."""


@dataclass(frozen=True, slots=True)
class SumOf:
    """The noisy sum, scaled back by its step."""

    measure: int


@dataclass(frozen=True, slots=True)
class MeanOf:
    """centre + noisy centred sum / noisy count. `count` None: the selected count."""

    total: int
    count: int | None


@dataclass(frozen=True, slots=True)
class CentreOf:
    """How far the mean lies from the measure's centre, in whole grid steps and `most` of them at most; 0 where the
    noisy count may be that of no rows. A later release is told it, and centres its own values there."""

    total: int
    count: int
    most: int


@dataclass(frozen=True, slots=True)
class Spread:
    """A variable with its spread: measure `total` is its noisy sum around that measure's centre, and `squares` that of
    squared distances from there."""

    total: int
    squares: int


class Dispersion(Enum):
    """A statistic of one variable."""

    VAR_POP = "VAR_POP"
    VAR_SAMP = "VAR_SAMP"
    STDDEV_POP = "STDDEV_POP"
    STDDEV_SAMP = "STDDEV_SAMP"
    SUM = "REGR_SXX"


class Covariance(Enum):
    """A statistic of how two variables vary together."""

    POP = "COVAR_POP"
    SAMP = "COVAR_SAMP"
    SUM = "REGR_SXY"


class Line(Enum):
    """A statistic of the straight line through the points (x, y)."""

    SLOPE = "REGR_SLOPE"
    INTERCEPT = "REGR_INTERCEPT"


class Fit(Enum):
    """How near to a straight line the points are."""

    CORRELATION = "CORR"
    DETERMINATION = "REGR_R2"


class Decision(Enum):
    """What is decided from the noisy number of rows, or units, that hold a finding: ANY, there is one, or NONE."""

    ANY = "BOOL_OR"
    NONE = "BOOL_AND"


@dataclass(frozen=True, slots=True)
class DispersionOf:
    """A statistic of `of`, over `count` rows. `count` None, here and below: the selected count."""

    statistic: Dispersion
    of: Spread
    count: int | None


@dataclass(frozen=True, slots=True)
class CovarianceOf:
    """A statistic of y and x, each of which is the measure that sums it; measure `products` is the noisy sum of their
    distances' products."""

    statistic: Covariance
    y: int
    x: int
    products: int
    count: int | None


@dataclass(frozen=True, slots=True)
class LineOf:
    """A statistic of the line y = slope · x + intercept of least squares."""

    statistic: Line
    y: int
    x: Spread
    products: int
    count: int | None


@dataclass(frozen=True, slots=True)
class FitOf:
    """A statistic of how near the points are to that line."""

    statistic: Fit
    y: Spread
    x: Spread
    products: int
    count: int | None


@dataclass(frozen=True, slots=True)
class DecisionOf:
    """A private decision: a finding counts as there where its noisy number passes the threshold of the measure's noise
    (`decision_threshold`), which noise alone does with a probability of 2.5 % at most."""

    decision: Decision
    found: int


@dataclass(frozen=True, slots=True)
class QuantileOf:
    """The value of the grid whose bucket was told for a rank of the histogram that is the measure."""

    measure: int
    rank: Rank
    grid: Grid


@dataclass(frozen=True, slots=True)
class ModeOf:
    """The number of the bucket that was told to be the largest of the histogram that is the measure, of so many."""

    measure: int
    buckets: int


Formula = (
    CountOf
    | SelectedCount
    | SumOf
    | MeanOf
    | CentreOf
    | DispersionOf
    | CovarianceOf
    | LineOf
    | FitOf
    | DecisionOf
    | QuantileOf
    | ModeOf
)


def numerators(formula: Formula) -> tuple[int, ...]:
    """The measures that it is made of, but for the count that they are divided by."""
    match formula:
        case SelectedCount():
            return ()
        case CountOf(measure) | SumOf(measure) | QuantileOf(measure) | ModeOf(measure) | DecisionOf(found=measure):
            return (measure,)
        case MeanOf(total) | CentreOf(total):
            return (total,)
        case DispersionOf(_, of):
            return (of.total, of.squares)
        case CovarianceOf(_, y, x, products):
            return (y, x, products)
        case LineOf(_, y, x, products):
            return (y, x.total, x.squares, products)
        case FitOf(_, y, x, products):
            return (y.total, y.squares, x.total, x.squares, products)
        case _:
            assert_never(formula)


def divisor(formula: Formula) -> int | None:
    """The measure that counts what a statistic is over; None where there is none, or selection has counted it."""
    match formula:
        case MeanOf() | CentreOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            return formula.count
        case CountOf() | SelectedCount() | SumOf() | DecisionOf() | QuantileOf() | ModeOf():
            return None
        case _:
            assert_never(formula)


def uses_selected_count(formula: Formula) -> bool:
    """Whether it reads the count that partition selection released."""
    match formula:
        case SelectedCount():
            return True
        case CountOf() | SumOf() | CentreOf() | DecisionOf() | QuantileOf() | ModeOf():
            return False
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            return formula.count is None
        case _:
            assert_never(formula)


@dataclass(frozen=True, slots=True)
class OneTotal:
    """A noisy total, of a measure by its index; None: the number of units that chose a key."""

    measure: int | None


def one_total(formula: Formula) -> OneTotal | None:
    """The noisy total that it is as it stands; None where it is made otherwise."""
    match formula:
        case CountOf(measure) | SumOf(measure):
            return OneTotal(measure)
        case SelectedCount():
            return OneTotal(None)
        case MeanOf() | CentreOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            return None
        case DecisionOf() | QuantileOf() | ModeOf():
            return None
        case _:
            assert_never(formula)


def is_statistic(formula: Formula) -> bool:
    """Whether it is made of several noisy totals."""
    match formula:
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            return True
        case CountOf() | SelectedCount() | SumOf() | CentreOf() | DecisionOf() | QuantileOf() | ModeOf():
            return False
        case _:
            assert_never(formula)
