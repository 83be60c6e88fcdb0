"""Intervals and standard deviations of released columns, row by row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, assert_never

import numpy as np

from dpproxy.error_bars.clipped_shares import clipped_at_most
from dpproxy.error_bars.design import Floats
from dpproxy.error_bars.known_ranges import KnownRange, range_of
from dpproxy.error_bars.quantile_intervals import quantile_ends
from dpproxy.error_bars.replicates import (
    MOST_SIMULATED,
    Noising,
    ToldRows,
    chunks,
    noising,
    output_of,
    replicates,
    rounded_by,
)
from dpproxy.plan.error_bars import Bar, BarColumn, rank_beside_clips, rank_for, size_for
from dpproxy.plan.formulas import QuantileOf, one_total
from dpproxy.plan.private_plan import Output

_NOTHING: Final = float("nan")


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
    return all_bars(told, (asked,))[asked]


def all_bars(told: ToldRows, asked: Iterable[BarColumn]) -> dict[BarColumn, tuple[float | None, ...]]:
    """The same of several, which often are of one column: its intervals are made once."""
    made: dict[tuple[int, int, Decimal], Margins] = {}
    found: dict[BarColumn, tuple[float | None, ...]] = {}
    for each in asked:
        column = (each.release, each.column, each.confidence)
        if each.bar is not Bar.CLIPPED and column not in made:
            made[column] = _within_range(told, *column)
        found[each] = _bars(told, each, made.get(column))
    return found


def _within_range(told: ToldRows, release: int, column: int, confidence: Decimal) -> Margins:
    """The intervals, and where nothing that was told knows an end, what the number can be at all."""
    made, known = margins(told, release, column, confidence), told.releases[release]
    ends = range_of(output_of(told, release, column).formula, known.bounded.measures)
    if ends == KnownRange():
        return made
    low, high = ends.filled(made.low, made.high, _values(told, release, column))
    return replace(made, low=low, high=high)


def _values(told: ToldRows, release: int, column: int) -> Floats:
    values = told.rows[release].column(column)
    return np.array([_NOTHING if each is None else float(str(each)) for each in values], dtype=np.float64)


def _bars(told: ToldRows, asked: BarColumn, made: Margins | None) -> tuple[float | None, ...]:
    if made is None:
        return (clipped_at_most(told, asked.release, asked.column),) * len(told.rows[asked.release].rows)
    match asked.bar:
        case Bar.LOW:
            found = made.low
        case Bar.HIGH:
            found = made.high
        case Bar.HALF_WIDTH:
            found = made.half_width
        case Bar.STDDEV:
            found = made.stddev
        case Bar.CLIPPED:
            return _bars(told, asked, None)
        case _:
            assert_never(asked.bar)
    return tuple(each if np.isfinite(each) else None for each in found.tolist())


def margins(told: ToldRows, release: int, column: int, confidence: Decimal) -> Margins:
    """The intervals of a column: exact for what has one noise, else from replicates."""
    formula = output_of(told, release, column).formula
    if isinstance(formula, QuantileOf):
        return _of_rank(told, release, column, formula, confidence)
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
    total = one_total(output.formula)
    return None if total is None else noising(told, release, total.measure)


def _exact(told: ToldRows, release: int, column: int, has: Noising, confidence: Decimal) -> Margins:
    centre = _values(told, release, column)
    width = has.width * told.less.get((release, column), 1.0)
    half = has.noise.reach(float((1 - confidence) / 2)) * width + rounded_by(told, release, column)
    low, high = centre - half, centre + half
    if column in told.held.get(release, ()):
        low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return Margins(low, high, np.where(np.isnan(centre), _NOTHING, has.noise.stddev * width))


def _of_rank(told: ToldRows, release: int, column: int, formula: QuantileOf, confidence: Decimal) -> Margins:
    """A quantile's: the ends that were told with it."""
    rows = told.rows[release]
    nothing = np.full(len(rows.rows), _NOTHING)
    found = quantile_ends(told.released[release], rows, column, formula, confidence)
    low, high = (nothing, nothing) if found is None else found
    return Margins(low, high, nothing)


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
