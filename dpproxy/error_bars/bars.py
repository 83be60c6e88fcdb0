"""Intervals and standard deviations of released columns, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, assert_never

import numpy as np

from dpproxy.error_bars.design import Floats, reach
from dpproxy.error_bars.replicates import (
    MOST_SIMULATED,
    Noising,
    ToldRows,
    chunks,
    clipped_units,
    noising,
    output_of,
    replicates,
)
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.plan.error_bars import Bar, BarColumn, rank_beside_clips, rank_for, size_for
from dpproxy.plan.formulas import CountOf, SelectedCount, SumOf, numerators
from dpproxy.plan.private_plan import MeasureKind, Output, Release

_NOTHING: Final = float("nan")
_COUNTS: Final = (MeasureKind.ROWS, MeasureKind.VALUES, MeasureKind.UNITS)


@dataclass(frozen=True, slots=True)
class Margins:
    """For each row of a column the ends of its interval and the standard deviation of its noise; NaN: not known."""

    low: Floats
    high: Floats
    stddev: Floats

    @property
    def half_width(self) -> Floats:
        """Half of the interval."""
        return (self.high - self.low) / 2


def bars(told: ToldRows, asked: BarColumn) -> tuple[float | None, ...]:
    """What is told of each row of a column; None where that is not known."""
    count = len(told.rows[asked.release].rows)
    if asked.bar is Bar.CLIPPED:
        return (clipped_share(told, asked.release, asked.column),) * count
    made = margins(told, asked.release, asked.column, asked.confidence)
    match asked.bar:
        case Bar.LOW:
            found = made.low
        case Bar.HIGH:
            found = made.high
        case Bar.HALF_WIDTH:
            found = made.half_width
        case Bar.STDDEV:
            found = made.stddev
        case _:
            assert_never(asked.bar)
    return tuple(each if np.isfinite(each) else None for each in found.tolist())


def margins(told: ToldRows, release: int, column: int, confidence: Decimal) -> Margins:
    """The intervals of a column: exact for what has one noise, else from replicates."""
    alone = _alone(told, release, output_of(told, release, column))
    if alone is not None and alone.is_exact:
        return _exact(told, release, column, alone, confidence)
    count = len(told.rows[release].rows)
    if count * size_for(confidence) > MOST_SIMULATED:
        return Margins(*(np.full(count, _NOTHING) for _ in range(3)))
    parts = [_simulated(told, release, column, places, confidence) for places in chunks(count)]
    return Margins(
        np.concatenate([np.empty(0), *(each.low for each in parts)]),
        np.concatenate([np.empty(0), *(each.high for each in parts)]),
        np.concatenate([np.empty(0), *(each.stddev for each in parts)]),
    )


def _alone(told: ToldRows, release: int, output: Output) -> Noising | None:
    """What the total has, of a column that is one total."""
    match output.formula:
        case CountOf(index) | SumOf(index):
            return noising(told, release, index)
        case SelectedCount():
            return noising(told, release, None)
        case _:
            return None


def _exact(told: ToldRows, release: int, column: int, has: Noising, confidence: Decimal) -> Margins:
    values = told.rows[release].column(column)
    centre = np.array([_NOTHING if each is None else float(str(each)) for each in values], dtype=np.float64)
    width = has.width * told.less.get((release, column), 1.0)
    half = reach(has.noise, float((1 - confidence) / 2)) * width
    low, high = centre - half, centre + half
    if column in told.held.get(release, ()):
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return Margins(low, high, np.where(np.isnan(centre), _NOTHING, has.noise.stddev * width))


def _simulated(told: ToldRows, release: int, column: int, places: range, confidence: Decimal) -> Margins:
    made = replicates(told, release, column, places, size_for(confidence))
    values = told.rows[release].column(column)
    there = np.array([values[each] is not None for each in places])
    if made is None:
        return Margins(*(np.full(len(places), _NOTHING) for _ in range(3)))
    clips = told.releases[release].bounded.clip is not None
    low, high = ends(made, rank_beside_clips(confidence) if clips else rank_for(confidence))
    return Margins(*(np.where(there, each, _NOTHING) for each in (low, high, _spread(made))))


def ends(made: Floats, rank: int) -> tuple[Floats, Floats]:
    """The ends of the interval of each row. A replicate of which nothing can be said may be anything."""
    lowest = np.partition(np.where(np.isnan(made), -np.inf, made), rank - 1, axis=1)[:, rank - 1]
    highest = -np.partition(np.where(np.isnan(made), -np.inf, -made), rank - 1, axis=1)[:, rank - 1]
    return _finite(lowest), _finite(highest)


def _spread(made: Floats) -> Floats:
    """Of rows of which all can be said."""
    with np.errstate(all="ignore"):
        return np.asarray(made.std(axis=1, ddof=1))


def _finite(values: Floats) -> Floats:
    return np.asarray(np.where(np.isfinite(values), values, _NOTHING))


def clipped_share(told: ToldRows, release: int, column: int) -> float | None:
    """About which share of the units had more than was counted of them: the most, of all totals of a column.

    0 where nothing can be; None where it is not known: bounds of the policy tell nothing of who passes them.
    """
    made, output = told.releases[release], output_of(told, release, column)
    found = [_share(told, release, made, measure) for measure in numerators(output.formula)]
    known = [each for each in found if each is not None]
    return max(known, default=0.0) if len(known) == len(found) else None


def _share(told: ToldRows, release: int, made: Release, measure: int) -> float | None:
    mechanism, of = made.applied_to(measure), made.bounded.measures[measure]
    if isinstance(mechanism, ClippedNoise):
        keys = len(told.rows[release].rows)
        units = _units(told, release)
        return None if units is None else min(1.0, clipped_units(mechanism, keys) / units)
    return 0.0 if of.kind in _COUNTS and made.bounded.rows == 1 and of.upper == 1 else None


def _units(told: ToldRows, release: int) -> float | None:
    """How many units there are in all keys, by what was released of them: where each has one row, and is counted."""
    made, first = told.releases[release], len(told.releases[release].bounded.keys)
    for index, output in enumerate(made.outputs):
        if _counts_units(made, output):
            values: Sequence[object] = told.rows[release].column(first + index)
            total = sum(float(str(each)) for each in values if each is not None)
            return max(total, 1.0)
    return None


def _counts_units(made: Release, output: Output) -> bool:
    match output.formula:
        case SelectedCount():
            return True
        case CountOf(index):
            measure = made.bounded.measures[index]
            return measure.kind is MeasureKind.UNITS or (measure.kind is MeasureKind.ROWS and made.bounded.rows == 1)
        case _:
            return False
