"""Released numbers in the types of their columns.

Checked by: tests/test_release.py, tests/test_quantiles.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.canonical import ALL_DIGITS, LARGEST_FLOAT, float_of
from dpproxy.catalog.types import Family, SqlType
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
from dpproxy.plan.grids import places_of
from dpproxy.plan.private_plan import Measure
from dpproxy.rows import Value

MEAN_DIGITS = 16
_BITS = {"smallint": 15, "integer": 31, "bigint": 63}
_EPOCH = datetime(1970, 1, 1)


def digits_of(formula: Formula, measures: Sequence[Measure]) -> int:
    """Of a numeric: how many come after the point."""
    match formula:
        case CountOf() | SelectedCount() | CentreOf() | ModeOf():
            return 0
        case SumOf(index):
            return max(0, -int(measures[index].step.as_tuple().exponent))
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf() | DecisionOf():
            return MEAN_DIGITS
        case QuantileOf(_, _, grid):
            return places_of(grid)
        case _:
            assert_never(formula)


def typed(value: Fraction | bool | None, sql_type: SqlType, digits: int) -> Value:
    """What a formula came to, as a value of its column; a truth value and NULL as they are."""
    return value if value is None or isinstance(value, bool) else _typed(value, sql_type, digits)


def _typed(value: Fraction, sql_type: SqlType, digits: int) -> Value:
    """`value` in the type of its column: saturated at the type's ends, numeric rounded to `digits` after the point,
    dates from days since 1970, timestamps from microseconds."""
    match sql_type.family:
        case Family.INTEGER:
            bound = 1 << _BITS[sql_type.name]
            return max(-bound, min(bound - 1, _rounded(value)))
        case Family.NUMERIC:
            return ALL_DIGITS.scaleb(Decimal(_rounded(value * 10**digits)), -digits)
        case Family.FLOAT:
            largest = LARGEST_FLOAT[sql_type.name]
            return float_of(float(max(-largest, min(largest, value))), sql_type)
        case Family.DATE:
            return date.fromordinal(_EPOCH.toordinal() + _rounded(value))
        case Family.TIMESTAMP:
            return _EPOCH + timedelta(microseconds=_rounded(value))
        case Family.MOMENT:
            return _EPOCH.replace(tzinfo=UTC) + timedelta(microseconds=_rounded(value))
        case Family.TEXT | Family.BOOLEAN | Family.UUID | Family.INTERVAL | Family.TIME | Family.OPAQUE:
            raise ValueError(f"no noisy number has type {sql_type}")
        case _:
            assert_never(sql_type.family)


def _rounded(value: Fraction) -> int:
    """The nearest whole number, halves away from 0 as Postgres has it."""
    size = (2 * abs(value) + 1) // 2
    return size if value >= 0 else -size
