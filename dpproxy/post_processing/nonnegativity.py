"""Counts, and sums of what is never below 0, are 0 where noise took them below (`SET dp.nonnegative = on`)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import assert_never

from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    Formula,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    SumOf,
)
from dpproxy.plan.private_plan import Measure, Release
from dpproxy.rows import Rows, Value


def nonnegative(release: Release, rows: Rows) -> Rows:
    """The rows with 0 for each such number below it.

    Claim: no number gets further from the exact one. Because: the exact one is not below 0.
    Checked by: tests/test_post_processing.py::test_what_cannot_be_negative_is_not.
    """
    held = nonnegative_columns(release)
    values = tuple(tuple(_held(v) if i in held else v for i, v in enumerate(row)) for row in rows.rows)
    return replace(rows, rows=values)


def nonnegative_columns(release: Release) -> frozenset[int]:
    """The columns of counts, and of sums whose values are not negative by their bounds."""
    bounded, first = release.bounded, len(release.bounded.keys)
    return frozenset(
        first + index
        for index, output in enumerate(release.outputs)
        if _is_never_negative(output.formula, bounded.measures)
    )


def _is_never_negative(formula: Formula, measures: tuple[Measure, ...]) -> bool:
    match formula:
        case CountOf() | SelectedCount():
            return True
        case SumOf(index):
            return measures[index].lower >= 0 and measures[index].centre >= 0
        case MeanOf() | CentreOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            # What is divided by a count is told as it came out, and a variance below 0 is NULL by itself.
            return False
        case DecisionOf() | QuantileOf() | ModeOf():
            return False
        case _:
            assert_never(formula)


def _held(value: Value) -> Value:
    match value:
        case Decimal() if value < 0:
            return value.copy_abs() * 0
        case float() if value < 0:
            return 0.0
        case int() if value < 0:
            return 0
        case _:
            return value
