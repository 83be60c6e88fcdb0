"""About which share of the units had more than was counted of them.

Checked by: tests/test_error_bars.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpproxy.error_bars.clip_bias import ClippedRelease, clipped_units, clips_of_a_unit, in_clips
from dpproxy.error_bars.replicates import ToldRows, output_of
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.plan.formulas import numerators, one_total
from dpproxy.plan.private_plan import MeasureKind, Output, Release

_COUNTS: Final = (MeasureKind.ROWS, MeasureKind.VALUES, MeasureKind.UNITS)


def clipped_share(told: ToldRows, release: int, column: int) -> float | None:
    """About which share of the units had more than was counted of them: the most, of all totals of a column.

    0 where nothing can be; None where it is not known: bounds of the policy tell nothing of who passes them.
    """
    made, output = told.releases[release], output_of(told, release, column)
    found = [_share(told, release, made, measure) for measure in numerators(output.formula)]
    known = [each for each in found if each is not None]
    return max(known, default=0.0) if len(known) == len(found) else None


def clipped_at_most(told: ToldRows, release: int, column: int) -> float | None:
    """The same; where units were not counted, of as many as there must be: so the share may be less."""
    known = clipped_share(told, release, column)
    least = _units_at_least(told, release)
    if known is not None or least is None:
        return known
    made = told.releases[release]
    found = [made.applied_to(each) for each in numerators(output_of(told, release, column).formula)]
    clipped = [clipped_units(each, len(told.rows[release].rows)) for each in found if isinstance(each, ClippedNoise)]
    return min(1.0, max(clipped) / least) if clipped and len(clipped) == len(found) else None


def cut_at(told: ToldRows, release: int, column: int) -> float | None:
    """The size beyond which values of a column count as that size alone, where nobody bounded them and many seem to be
    larger; None elsewhere."""
    clipped, measures = ClippedRelease(told.releases, told.released, release), told.releases[release].bounded.measures
    numbers = numerators(output_of(told, release, column).formula)
    found = [measures[each].bound * float(measures[each].step) for each in numbers if clipped.is_at_the_end(each)]
    return max(found, default=None)


def rounded_to(told: ToldRows, release: int, column: int) -> float | None:
    """The grid step to which values of a column were rounded, where they are hardly larger, as far as a clip and a
    centre tell: what is below half of a step was added up as 0. None elsewhere."""
    clipped, measures = ClippedRelease(told.releases, told.released, release), told.releases[release].bounded.measures
    numbers = numerators(output_of(told, release, column).formula)
    found = [float(measures[each].step) for each in numbers if clipped.is_hardly_above_the_grid(each)]
    return max(found, default=None)


def _share(told: ToldRows, release: int, made: Release, measure: int) -> float | None:
    mechanism, of = made.applied_to(measure), made.bounded.measures[measure]
    if isinstance(mechanism, ClippedNoise):
        keys = len(told.rows[release].rows)
        units = _units(told, release)
        return None if units is None else min(1.0, clipped_units(mechanism, keys) / units)
    return 0.0 if of.kind in _COUNTS and made.bounded.rows == 1 and of.upper == 1 else None


def _units_at_least(told: ToldRows, release: int) -> float | None:
    """How many units there must be, about, for what was counted of them."""
    made, rows = told.releases[release], told.released[release]
    sums = [each for at, each in in_clips(made, rows).items() if made.bounded.measures[at].lower >= 0]
    return max(1.0, max(sums) / clips_of_a_unit(made, len(rows.rows))) if sums else None


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
    total = one_total(output.formula)
    if total is None or total.measure is None:
        return total is not None
    measure = made.bounded.measures[total.measure]
    return measure.kind is MeasureKind.UNITS or (measure.kind is MeasureKind.ROWS and made.bounded.rows == 1)
