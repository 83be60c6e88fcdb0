"""What a private clip takes away, as far as what was released tells.

A clip is chosen where about the noise's standard deviation, in clips, is the number of units that are scaled down for
each key, half of it where there is one, and the noise of the choice adds to that (`mechanisms.clipped_noise`). What
each of them has beyond the clip is not told. It is two clips or less, where the number of units falls with the square
of their size or faster. What says that it falls more slowly: those units, if each is counted as a clip, are a large
part of what was counted in all; for of a short tail the largest are a small part. So what is taken away is

    units · (2 + b · units / clips that were counted)

clips at most, with b from simulations: enough for tails as far as their mean is finite and not by a hair. What is far
from all others, and of few units, shows in nothing that is told.

It is not known at all, infinite, in two cases: squares and products of values without bounds have a tail that is twice
as long, which has no mean soon; and where units are so few that the choice cannot get away from where it begins, a clip
that is found there says nothing.

Checked by: tests/test_coverage.py, tests/test_error_bars.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dpproxy.mechanisms.clipped_noise import SCORE, ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.mechanisms.noise_at_a_clip import PARTS
from dpproxy.mechanisms.noisy_max import NoisyMax
from dpproxy.mechanisms.norms import BUCKETS_TO_A_DOUBLING, Norm
from dpproxy.plan.formulas import CentreOf, one_total
from dpproxy.plan.private_plan import UNCAPPED, Measure, MeasureKind, Release
from dpproxy.released_centres import centred
from dpproxy.released_clips import clips_of, totals_of
from dpproxy.rows import Rows, Value

_LEAST: Final = 2.0
"""Clips that each unit is taken to have beyond the clip, where all of them are next to nothing of what was counted."""
_OF_ROWS: Final = 15.0
_MOST_OF_ROWS: Final = 3.5
"""How that grows with their part, and the most, where what a row adds is bounded: their number alone has a tail."""
_LEAST_OF_DISTINCT: Final = 3.0
_OF_DISTINCT: Final = 30.0
_MOST_OF_DISTINCT: Final = 6.0
"""The same of numbers of distinct values, of which it is known about the next doubling alone, for all units together,
and in clips of half of that."""
_OF_VALUES: Final = 60.0
_MOST_OF_VALUES: Final = 12.0
"""The same of values that nobody bounds."""
_PART_OF_SQUARES: Final = 0.1
"""Beyond that part the squares of such values may have any mean."""
_NEAR: Final = 2
_FEW: Final = 33.0
"""A choice whose start is known stays within so many buckets, where there are no more units than so many scales of its
noise: that is what eight doublings and the noise weigh (`clipped_noise._FAR`, `_NEAR`)."""
_DOUBLING: Final = 0.3
_LIKELY: Final = 5.0
_BY_CHANCE: Final = 2.0**15
"""A start that is looked for is missed in less than one of thirty cases, where there are `_LIKELY` scales more of units
than `_DOUBLING` scales for each doubling up to it (`clipped_noise._RUNAWAY`); one that was missed lies beyond that size
in one of a hundred."""
_WITHIN: Final = 1 - 2.0**-29
"""Which part of a clip is surely in its bucket (`norms.edge`)."""
_BUCKET: Final = 2.0 ** (-1 / BUCKETS_TO_A_DOUBLING)
"""A unit is scaled down by its bucket's edge: what is left of it is a bucket less than a clip at least."""
_FEW_STEPS: Final = 100
"""Of the grid: values of no more are rounded by half of a hundredth, and smaller ones by all that they are."""
_SQUARED: Final = (MeasureKind.SQUARES, MeasureKind.PRODUCTS)
_COUNTED: Final = (MeasureKind.ROWS, MeasureKind.VALUES, MeasureKind.UNITS)


Chosen = ClippedNoise | DistinctNoise
"""A clip, or limit, that was chosen by what is beyond it."""


@dataclass(frozen=True, slots=True)
class Taken:
    """By how many clips a key's total may be less, and more, than the exact one: by what was clipped away."""

    below: float
    above: float


@dataclass(frozen=True, slots=True)
class ClippedRelease:
    """A release with what it told, and what those before it told."""

    releases: Sequence[Release]
    released: Sequence[Rows]
    index: int

    @property
    def made(self) -> Release:
        """The release itself."""
        return self.releases[self.index]

    @property
    def rows(self) -> Rows:
        """What it told."""
        return self.released[self.index]

    @property
    def clips(self) -> Mapping[int, Decimal]:
        """The clips that were chosen."""
        return clips_of(self.made, self.rows)

    def taken(self, measure: int, mechanism: AtAClip) -> Taken:
        """Of a measure, whose clip was chosen; nothing where no unit passes it. Where it was not chosen by how many
        units pass it, as for pairs, or is as large as what counts at all, what they have beyond it shows in nothing
        that is told: it is not known. Nor is it of values that rounding may have made 0."""
        of, clip = self.made.bounded.measures[measure], float(self.clips[measure])
        unknown = self.is_at_the_end(measure) or self.is_hardly_above_the_grid(measure)
        if not isinstance(mechanism, Chosen) or unknown:
            return Taken(math.inf if of.lower < 0 else 0.0, math.inf if of.upper > 0 else 0.0)
        held = _held(mechanism)
        if held is not None and clip >= held:
            return Taken(0.0, 0.0)
        keys = max(1, len(self.rows.rows))
        units, beyond = clipped_units(mechanism, keys) / keys, self._beyond(measure, mechanism)
        known = of.row is not None and held is not None
        most = _past(held or 0, clip) * clips_of_a_unit(self.made, keys) if known else math.inf
        sides = (min(beyond, most, _past(size, clip)) for size in self._sizes(of))
        return Taken(*(units * each if units else 0.0 for each in sides))

    def is_at_the_end(self, measure: int) -> bool:
        """Whether many units have as much as may be added to a key of values that nobody bounded, or whether their
        centre was added up of such: what lies beyond it was cut off before any clip was chosen."""
        of = self.made.bounded.measures[measure]
        if of.row is None and measure in self.clips and float(self.clips[measure]) >= of.bound * _WITHIN:
            return True
        if of.moved is None:
            return False
        before = ClippedRelease(self.releases, self.released, of.moved.release)
        formula = before.made.outputs[of.moved.column - len(before.made.bounded.keys)].formula
        if not isinstance(formula, CentreOf) or formula.total not in before.clips:
            return False
        return before.is_at_the_end(formula.total)

    def is_hardly_above_the_grid(self, measure: int) -> bool:
        """Whether values that were rounded to the grid come to few steps of it, and not because units are so few."""
        of, mechanism = self.made.bounded.measures[measure], self.made.applied_to(measure)
        rounded = of.ends is not None and of.ends.rounded and measure in self.clips
        if not rounded or not isinstance(mechanism, ClippedNoise):
            return False
        if self._is_where_it_begins(measure, mechanism, self._counted()):
            return False
        (moved,) = centred([of], self.released)
        return max(float(self.clips[measure]), float(abs(moved.centre) / of.step)) <= _FEW_STEPS

    def _sizes(self, of: Measure) -> tuple[float, float]:
        """How far below 0, and above, a unit's contribution to its key is at most, in steps; infinite: nobody knows.

        Claim: it is no further. Because: it is a sum of as many values as a unit has rows, each of which lies between
        the ends of a row's, to which the engine holds it (`RowEnds`), moved by what was told. It is known where a unit
        has one key. Checked by: tests/test_error_bars.py::test_nothing_is_taken_where_no_unit_reaches_the_clip.
        """
        least, most = -math.inf if of.lower < 0 else 0.0, math.inf if of.upper > 0 else 0.0
        rows = self.made.bounded.rows
        if of.ends is not None and self.made.bounded.groups == 1 and rows < UNCAPPED:
            (moved,) = centred([of], self.released)
            away = int((moved.centre - of.centre) / of.step)
            least = least if of.ends.least is None else min(0, rows * (of.ends.least - away))
            most = most if of.ends.most is None else max(0, rows * (of.ends.most - away))
        return -least, most

    def _beyond(self, measure: int, mechanism: Chosen) -> float:
        """How many clips each unit that was scaled down may have had beyond the clip, on average."""
        if self._is_where_it_begins(measure, mechanism, self._counted()):
            return math.inf
        of, part = self.made.bounded.measures[measure], self._part(measure, mechanism)
        if isinstance(mechanism, DistinctNoise):
            return min(_LEAST_OF_DISTINCT + _OF_DISTINCT * part, _MOST_OF_DISTINCT)
        if of.begins is not None:
            return min(_LEAST + _OF_ROWS * part, _MOST_OF_ROWS)
        if of.kind in _SQUARED and part > _PART_OF_SQUARES:
            return math.inf
        return min(_LEAST + _OF_VALUES * part, _MOST_OF_VALUES)

    def _part(self, measure: int, mechanism: Chosen) -> float:
        """Which part of what was counted are the units that were scaled down, each as a clip."""
        of = self.made.bounded.measures[measure]
        if of.kind is MeasureKind.PRODUCTS and of.row is None:
            return self._part_of_factors()
        if of.lower < 0 and of.row is not None:
            counted = self._counted()
        else:
            counted = max(in_clips(self.made, self.rows).get(measure, 0.0), self._around_nothing(of))
        return clipped_units(mechanism, len(self.rows.rows)) / max(counted, 1.0)

    def _part_of_factors(self) -> float:
        """A product is at most half of both squares together; where those were not asked for, its factors tell."""
        found = {
            kind: [
                self._part(index, mechanism)
                for index, each in enumerate(self.made.bounded.measures)
                if each.kind is kind and isinstance(mechanism := self.made.applied_to(index), ClippedNoise)
            ]
            for kind in (MeasureKind.SQUARES, MeasureKind.CENTRED)
        }
        return max(found[MeasureKind.SQUARES] or found[MeasureKind.CENTRED], default=math.inf)

    def _around_nothing(self, of: Measure) -> float:
        """How many clips values came to, where they were added up to find their centre: at least what their mean is,
        times how many there are. 0 where they were not, or the clip was none."""
        if of.moved is None:
            return 0.0
        before = ClippedRelease(self.releases, self.released, of.moved.release)
        formula = before.made.outputs[of.moved.column - len(before.made.bounded.keys)].formula
        means = [abs(each) for each in before.rows.column(of.moved.column) if isinstance(each, int)]
        if not isinstance(formula, CentreOf) or formula.total not in before.clips or not means:
            return 0.0
        mechanism = before.made.applied_to(formula.total)
        known = self._counted()
        if not isinstance(mechanism, ClippedNoise) or before._is_where_it_begins(formula.total, mechanism, known):
            return 0.0
        return max(means) * self._rows() / float(before.clips[formula.total])

    def _rows(self) -> float:
        """How many rows were counted in all keys; 0 where none were."""
        found, measures = in_clips(self.made, self.rows), self.made.bounded.measures
        rows = (each * float(self.clips[at]) for at, each in found.items() if measures[at].kind in _COUNTED)
        return max(rows, default=0.0)

    def _counted(self) -> float:
        """How many rows or units were counted in all keys, in clips; 0 where none were."""
        found, measures = in_clips(self.made, self.rows), self.made.bounded.measures
        return max((each for at, each in found.items() if measures[at].kind in _COUNTED), default=0.0)

    def _is_where_it_begins(self, measure: int, mechanism: Chosen, known: float) -> bool:
        """Whether so few units are known, `known` or by what was told, that the choice may have stopped there whatever
        they have."""
        counted = max(in_clips(self.made, self.rows).get(measure, 0.0), known)
        least, clip = counted / clips_of_a_unit(self.made, len(self.rows.rows)), float(self.clips[measure])
        match _start(mechanism):
            case int() as start:
                near = BUCKETS_TO_A_DOUBLING * math.log2(clip) < start + _NEAR + 0.5
                return near and least < _FEW * mechanism.choice.scale / SCORE
            case start:
                doublings = math.log2(_held(mechanism) or 2**62)
                enough = (_DOUBLING * doublings + _LIKELY) * start.scale / SCORE
                return clip < _BY_CHANCE and least < enough


def _past(size: float, clip: float) -> float:
    """How many clips are cut off at most from a unit of that size: none of one that the clip's own bucket holds, and
    else no more than lies beyond the edge before."""
    return 0.0 if size <= clip * _WITHIN else size / clip - _BUCKET


def _held(mechanism: Chosen) -> int | None:
    """What no unit's norm passes, in steps; None: nobody knows."""
    return None if isinstance(mechanism, DistinctNoise) else mechanism.most


def _start(mechanism: Chosen) -> int | NoisyMax:
    """From which bucket on each is worse than the one before, or what finds it; of distinct values from one on."""
    return 0 if isinstance(mechanism, DistinctNoise) else mechanism.start


def clipped_units(mechanism: Chosen, keys: int) -> float:
    """How many units the choice of a clip scales down, about: what is worth it, and what its own noise makes of it;
    none where there is one candidate. Of distinct values: for how many whole units a double limit would count more."""
    if mechanism.candidates == 1:
        return 0.0
    return mechanism.worth(keys) + 2 * mechanism.choice.scale / SCORE


def clips_of_a_unit(made: Release, keys: int) -> float:
    """How many clips a unit adds at most in all keys together: one by the L1 norm; by the L2 norm, the root of the
    number of keys."""
    return math.sqrt(max(1, keys)) if made.bounded.clip is Norm.L2 and made.bounded.groups > 1 else 1.0


def in_clips(made: Release, rows: Rows) -> dict[int, float]:
    """How much was counted of each measure with a clip, over all keys, in clips: less than all sizes together, where
    some are below 0. Of what was told, or kept for statistics of several totals."""
    clips = clips_of(made, rows)
    kept = {at: float(abs(sum(each, Decimal(0))) / PARTS) for at, each in totals_of(made, rows).items() if at in clips}
    return {**dict(_told(made, rows, clips)), **{at: each for at, each in kept.items() if at is not None}}


def _told(made: Release, rows: Rows, clips: Mapping[int, Decimal]) -> Iterator[tuple[int, float]]:
    for column, output in enumerate(made.outputs, len(made.bounded.keys)):
        total = one_total(output.formula)
        if total is not None and total.measure is not None and total.measure in clips:
            clip = float(clips[total.measure] * made.bounded.measures[total.measure].step)
            yield total.measure, abs(_sum(rows.column(column))) / clip


def _sum(values: Sequence[Value]) -> float:
    return sum(float(str(each)) for each in values if each is not None)
