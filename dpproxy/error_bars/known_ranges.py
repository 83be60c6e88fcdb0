"""Between which numbers a statistic lies whatever the rows are: where nothing told says how far off it is, the ends of
its interval are these.

An average lies between the ends of its values, a spread is no more than their range allows, a correlation is between
-1 and 1. Of sums and counts nothing is known above.

Checked by: tests/test_known_ranges.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from dpproxy.error_bars.design import Floats
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    Dispersion,
    DispersionOf,
    Fit,
    FitOf,
    Formula,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    SumOf,
)
from dpproxy.plan.private_plan import Measure


@dataclass(frozen=True, slots=True)
class KnownRange:
    """The least and the greatest that a number can be; infinite: nobody knows."""

    least: float = -math.inf
    most: float = math.inf

    def filled(self, low: Floats, high: Floats, values: Floats) -> tuple[Floats, Floats]:
        """The ends of intervals, those that are not known as wide as the range; no end lies beyond the number told."""
        below, above = np.minimum(self.least, values), np.maximum(self.most, values)
        known_low = low if math.isinf(self.least) else np.where(np.isnan(low), below, low)
        known_high = high if math.isinf(self.most) else np.where(np.isnan(high), above, high)
        return np.asarray(known_low), np.asarray(known_high)


def range_of(formula: Formula, measures: Sequence[Measure]) -> KnownRange:
    """Claim: the exact number lies there, if there is one. Because: the engine holds each value between its ends
    (`RowEnds`, around the centre before it was moved), and so lies their mean; a variance is at most a quarter of the
    range's square (Popoviciu), of a sample half of that square, which two values reach; and for correlations it is the
    inequality of Cauchy and Schwarz. Checked by: tests/test_known_ranges.py.
    """
    match formula:
        case MeanOf(total):
            return _values(measures[total])
        case DispersionOf(statistic, of):
            values = _values(measures[of.total])
            return KnownRange(0.0, _spread(statistic, values.most - values.least))
        case FitOf(statistic):
            return KnownRange(-1.0 if statistic is Fit.CORRELATION else 0.0, 1.0)
        case CountOf() | SelectedCount() | SumOf() | CentreOf() | CovarianceOf() | LineOf():
            return KnownRange()
        case DecisionOf() | QuantileOf() | ModeOf():
            return KnownRange()
        case _:
            assert_never(formula)


def _values(measure: Measure) -> KnownRange:
    if measure.ends is None:
        return KnownRange()
    least, most = (
        None if end is None else float(measure.centre + end * measure.step)
        for end in (measure.ends.least, measure.ends.most)
    )
    return KnownRange(-math.inf if least is None else least, math.inf if most is None else most)


def _spread(statistic: Dispersion, width: float) -> float:
    match statistic:
        case Dispersion.VAR_POP:
            return width**2 / 4
        case Dispersion.VAR_SAMP:
            return width**2 / 2
        case Dispersion.STDDEV_POP:
            return width / 2
        case Dispersion.STDDEV_SAMP:
            return width / math.sqrt(2)
        case Dispersion.SUM:
            return math.inf
        case _:
            assert_never(statistic)
