"""What the exact numbers may be, by the noise around the released ones.

A released total is the exact one and noise: so the exact one may be the released one less what the noise may be. A
statistic of several totals is made of replicates of these, in which a total has the same noise wherever it stands.

Where a clip was chosen privately, something was taken away, too, anything up to what `clip_bias` says: half of the
replicates have nothing of it, half have all. And where whole numbers are told of totals that are none, by their noise
at a clip or by what makes parts add up, those are off by half of one, or one, more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from math import isfinite
from typing import Final, assert_never

import numpy as np

from dpproxy.catalog.types import Family
from dpproxy.error_bars.clip_bias import ClippedRelease
from dpproxy.error_bars.design import Floats, dealt, quantiles
from dpproxy.error_bars.quantile_intervals import quantile_replicates
from dpproxy.error_bars.statistics import PerRow, Totals, statistic
from dpproxy.mechanisms.contract import TotalNoise
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.mechanisms.noise_at_a_clip import PARTS
from dpproxy.plan.error_bars import Replicates
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    CovarianceOf,
    DecisionOf,
    DispersionOf,
    FitOf,
    LineOf,
    MeanOf,
    ModeOf,
    QuantileOf,
    SelectedCount,
    SumOf,
    numerators,
)
from dpproxy.plan.private_plan import Output, Release
from dpproxy.released_centres import centred
from dpproxy.released_clips import clips_of, totals_of
from dpproxy.released_numbers import digits_of
from dpproxy.rows import Rows, Value

MOST_REPLICATED: Final = 400_000
"""Replicates of a column that are handed to the front: of a thousand rows."""
MOST_SIMULATED: Final = 2_000_000
"""Replicates that the bars of a column are made of: everybody waits for it."""
_CHUNK: Final = 250
_SHARE_OF_A_PART: Final = float(1 / PARTS)
_SELECTED: Final = -1
_EXCESS: Final = 1_000_003
_ROUNDING: Final = 1_000_033
_RANKED: Final = 1_000_037
_PART: Final = 1_000_039
_NEXT: Final = 42


@dataclass(frozen=True, slots=True)
class ToldRows:
    """All that is known of a statement's answer. released: as the mechanisms told it; rows: as the post statement reads
    it. less: by release and column, what is left of the noise where totals and parts were made consistent. held:
    whether what cannot be negative is held at 0."""

    releases: Sequence[Release]
    released: Sequence[Rows]
    rows: Sequence[Rows]
    less: Mapping[tuple[int, int], float] = field(default_factory=dict)
    held: Mapping[int, frozenset[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Noising:
    """What a released total has: noise, a step of which is `width` of the measure's units, and what was clipped away,
    anything from `least` to `most` in those units; infinite where it is not known."""

    noise: TotalNoise
    width: float
    least: float = 0.0
    most: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether it is the noise alone."""
        return self.least == self.most == 0.0


def output_of(told: ToldRows, release: int, column: int) -> Output:
    """What a column after the keys is."""
    made = told.releases[release]
    return made.outputs[column - len(made.bounded.keys)]


def noising(told: ToldRows, release: int, measure: int | None) -> Noising | None:
    """What the total of a measure has, or the number of units that chose the keys; None where that is not known."""
    made = told.releases[release]
    mechanism = made.applied_to(measure)
    if mechanism is None or (noise := mechanism.total_noise) is None:
        return None
    if isinstance(mechanism, AtAClip):
        return None if measure is None else _clipped(told, release, measure, mechanism)
    return Noising(noise, 1.0 if measure is None else float(made.bounded.measures[measure].step))


def _clipped(told: ToldRows, release: int, measure: int, mechanism: AtAClip) -> Noising | None:
    clipped = ClippedRelease(told.releases, told.released, release)
    clip = clipped.clips.get(measure)
    if clip is None:
        return None
    size = float(clip) * float(clipped.made.bounded.measures[measure].step)
    taken = clipped.taken(measure, mechanism)
    return Noising(mechanism.noise, size * _SHARE_OF_A_PART, -taken.below * size, taken.above * size)


def replicates(told: ToldRows, release: int, column: int, places: range, size: int) -> Floats | None:
    """For each of the rows at those places `size` numbers that the exact one may be; None where none are known."""
    output = output_of(told, release, column)
    match output.formula:
        case CountOf(index) | SumOf(index):
            made = _told(told, release, column, index, places, size)
        case SelectedCount():
            made = _told(told, release, column, None, places, size)
        case MeanOf() | DispersionOf() | CovarianceOf() | LineOf() | FitOf():
            made = _statistic(told, release, output.formula, places, size)
        case QuantileOf():
            rows, place = told.rows[release], [*_place(told, release, column, places), _RANKED]
            return quantile_replicates(told.released[release], rows, column, output.formula, places, size, place)
        case CentreOf() | DecisionOf() | ModeOf():
            return None
        case _:
            assert_never(output.formula)
    return made if made is None or column not in told.held.get(release, ()) else np.maximum(made, 0.0)


def _told(told: ToldRows, release: int, column: int, measure: int | None, places: range, size: int) -> Floats | None:
    """Around totals as they are told, consistent and rounded."""
    values, ratio = told.rows[release].column(column), told.less.get((release, column), 1.0)
    made = _around(told, release, measure, [values[each] for each in places], places, size, ratio)
    most = rounded_by(told, release, column)
    if made is None or most == 0:
        return made
    evenly = most * (2 * np.arange(1, size + 1) / (size + 1) - 1)
    return np.asarray(made + dealt(evenly, len(places), [*_place(told, release, measure, places), _ROUNDING]))


def rounded_by(told: ToldRows, release: int, column: int) -> float:
    """How far a total that is told may be from what its noise left: it is rounded at a clip, where that is no whole
    number of its digits, and where parts add up, by less than a step more."""
    made, output = told.releases[release], output_of(told, release, column)
    (measure,) = numerators(output.formula) or (None,)
    step = Decimal(1) if measure is None else made.bounded.measures[measure].step
    grid = float(step) if (release, column) in told.less else 0.0
    if not isinstance(made.applied_to(measure), AtAClip):
        return grid
    if output.type.family is Family.NUMERIC:
        return grid + 0.5 * 10.0 ** -digits_of(output.formula, made.bounded.measures)
    return grid + 0.5 if output.type.family is Family.INTEGER else grid


def _around(
    told: ToldRows,
    release: int,
    measure: int | None,
    values: Sequence[Value],
    places: range,
    size: int,
    ratio: float = 1.0,
) -> Floats | None:
    """What the exact totals may be, where the released ones are `values`, in units of the measure."""
    has = noising(told, release, measure)
    if has is None:
        return None
    centre = np.array([float("nan") if each is None else float(str(each)) for each in values])
    place = _place(told, release, measure, places)
    noise = _drawn(has.noise, size, len(values), _noise_place(told, release, measure, places)) * (has.width * ratio)
    if has.is_exact:
        return np.asarray(centre[:, None] - noise)
    away = np.where(np.arange(size) % 2 == 0, has.least, has.most)
    return np.asarray(centre[:, None] - noise + dealt(away, len(values), [*place, _EXCESS]))


def _drawn(noise: TotalNoise, size: int, rows: int, place: Sequence[int]) -> Floats:
    """Of two totals that share theirs, both are made of the same two noises."""
    apart = [[_PART + _NEXT * at] if len(noise.parts) > 1 else [] for at in range(len(noise.parts))]
    parts = zip(noise.parts, apart, strict=True)
    return noise.made_of([dealt(quantiles(part, size), rows, [*place, *which]) for part, which in parts])


def _noise_place(told: ToldRows, release: int, measure: int | None, places: range) -> list[int]:
    """That of the first of two totals that share their noise."""
    found = (each.measure for each in told.releases[release].mechanisms if measure in each.measures)
    return _place(told, release, next(found, measure), places)


def _place(told: ToldRows, release: int, measure: int | None, places: range) -> list[int]:
    """Where the order begins that a measure's noise is dealt in: another for each answer, lest a design that happens to
    be narrow were all that anybody sees; and the same for the same one."""
    first = repr(told.released[release].rows[places.start]).encode()
    answer = int.from_bytes(blake2b(first, digest_size=8).digest())
    return [release, _SELECTED % _EXCESS if measure is None else measure, places.start, answer]


def _statistic(told: ToldRows, release: int, formula: PerRow, places: range, size: int) -> Floats | None:
    """Of totals, where they were kept with the release; releases of older versions have none."""
    made, rows = told.releases[release], told.released[release]
    kept = {measure: _replicated(told, release, measure, places, size) for measure in _read_by(formula)}
    known = {measure: each for measure, each in kept.items() if each is not None}
    if len(known) < len(kept) or len(totals_of(made, rows)) == 0:
        return None
    counted = known[formula.count]
    measures = centred(made.bounded.measures, told.released)
    return statistic(formula, Totals(measures, known.__getitem__, np.where(counted > 0, counted, np.nan)))


def _read_by(formula: PerRow) -> frozenset[int | None]:
    return frozenset((*numerators(formula), formula.count))


def _replicated(told: ToldRows, release: int, measure: int | None, places: range, size: int) -> Floats | None:
    """What a total that was kept may be."""
    made, rows = told.releases[release], told.released[release]
    totals, clips = totals_of(made, rows), clips_of(made, rows)
    if measure not in totals:
        return None
    width = Decimal(1) if measure is None else made.bounded.measures[measure].step
    if measure in clips:
        width *= clips[measure] / PARTS
    return _around(told, release, measure, [totals[measure][each] * width for each in places], places, size)


def chunks(rows: int) -> list[range]:
    """The places of rows, some at a time; the same for whoever asks, so that numbers of a row share their noise."""
    return [range(first, min(first + _CHUNK, rows)) for first in range(0, rows, _CHUNK)]


def replicated_texts(told: ToldRows, asked: Replicates) -> tuple[str | None, ...]:
    """For each row the array of its replicates as Postgres reads it; None for all where there are too many rows."""
    count = len(told.rows[asked.release].rows)
    if count * asked.size > MOST_REPLICATED:
        return (None,) * count
    texts: list[str | None] = []
    for places in chunks(count):
        made = replicates(told, asked.release, asked.column, places, asked.size)
        texts += [None] * len(places) if made is None else [_array(row) for row in made.tolist()]
    return tuple(texts)


def _array(values: Sequence[float]) -> str:
    return "{" + ",".join(f"{each:.15g}" if isfinite(each) else "NULL" for each in values) + "}"
