"""What a statistic can be at all, whatever the rows are: its own worst cases, and intervals that have no other end."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpproxy.error_bars.known_ranges import KnownRange, range_of
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
    Spread,
    SumOf,
)
from dpproxy.plan.private_plan import Measure, MeasureKind, RowEnds

X, Y = Spread(0, 1), Spread(2, 3)
Statistic = Callable[[Sequence[float]], float]


def measures(ends: RowEnds | None) -> list[Measure]:
    """A sum of values of steps of a half around 10, and others of which nothing is known."""
    around = Measure("m0", MeasureKind.CENTRED, -(2**45), 2**45, Decimal("0.5"), Decimal(10), "", ends=ends)
    return [around, *(Measure(f"m{at}", MeasureKind.SQUARES, 0, 9, Decimal(1), Decimal(0), "") for at in (1, 2, 3))]


OF_VALUES: list[tuple[Formula, Statistic]] = [
    (MeanOf(0, 3), statistics.fmean),
    (DispersionOf(Dispersion.VAR_POP, X, 3), statistics.pvariance),
    (DispersionOf(Dispersion.VAR_SAMP, X, 3), statistics.variance),
    (DispersionOf(Dispersion.STDDEV_POP, X, 3), statistics.pstdev),
    (DispersionOf(Dispersion.STDDEV_SAMP, X, 3), statistics.stdev),
    (DispersionOf(Dispersion.SUM, X, 3), lambda values: statistics.pvariance(values) * len(values)),
]


@pytest.mark.parametrize(("formula", "exact"), OF_VALUES)
@given(steps=st.lists(st.integers(-20, 40), min_size=2, max_size=12))
def test_a_statistic_of_values_lies_there(formula: Formula, exact: Statistic, steps: list[int]) -> None:
    known = range_of(formula, measures(RowEnds(-20, 40)))
    assert known.least - 1e-9 <= exact([10 + each / 2 for each in steps]) <= known.most + 1e-9


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        (MeanOf(0, 3), (0, 30)),
        (DispersionOf(Dispersion.VAR_POP, X, 3), (0, 225)),
        (DispersionOf(Dispersion.VAR_SAMP, X, 3), (0, 450)),
        (DispersionOf(Dispersion.STDDEV_POP, X, 3), (0, 15)),
        (DispersionOf(Dispersion.STDDEV_SAMP, X, 3), (0, math.sqrt(450))),
        (DispersionOf(Dispersion.SUM, X, 3), (0, math.inf)),
        (FitOf(Fit.CORRELATION, Y, X, 3, None), (-1, 1)),
        (FitOf(Fit.DETERMINATION, Y, X, 3, None), (0, 1)),
        (LineOf(Line.SLOPE, 2, X, 3, None), (-math.inf, math.inf)),
        (CovarianceOf(Covariance.POP, 2, 0, 3, None), (-math.inf, math.inf)),
        (SumOf(0), (-math.inf, math.inf)),
        (CountOf(0), (-math.inf, math.inf)),
    ],
)
def test_it_is_no_wider_than_it_must_be(formula: Formula, values: tuple[float, float]) -> None:
    """Two values at the ends reach it."""
    known = range_of(formula, measures(RowEnds(-20, 40)))
    assert (known.least, known.most) == pytest.approx(values)


def test_one_end_alone_is_known_of_numbers_of_rows() -> None:
    half = measures(RowEnds(-20, None))
    assert range_of(MeanOf(0, 3), half) == KnownRange(0.0)
    assert range_of(DispersionOf(Dispersion.VAR_POP, X, 3), half) == KnownRange(0.0)
    assert range_of(MeanOf(0, 3), measures(None)) == KnownRange()


def test_only_ends_that_nothing_tells_are_taken_from_it() -> None:
    """None of them lies beyond the number that was told; and what is NULL has none."""
    nothing = float("nan")
    low, high = np.array([5.0, nothing, nothing, nothing]), np.array([40.0, nothing, nothing, nothing])
    values = np.array([8.0, 12.0, 35.0, nothing])
    found = KnownRange(0.0, 30.0).filled(low, high, values)
    assert found[0][:3].tolist() == [5.0, 0.0, 0.0] and found[1][:3].tolist() == [40.0, 30.0, 35.0]
    assert np.isnan(found[0][3]) and np.isnan(found[1][3])
    assert np.isnan(KnownRange(0.0).filled(low, high, values)[1]).sum() == 3
