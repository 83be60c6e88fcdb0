"""What an analyst is told beside an answer that is mostly noise, of which much was clipped away, that is NULL for want
of rows, of no row, or of rows that hardly passed the threshold.

All of it follows from what was released, and from the plan.
Checked by: tests/test_noise_notices.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpproxy.error_bars import ToldRows, TypicalColumn, anywhere, clipped_share, cut_at, first_rows, rounded_to
from dpproxy.error_bars.words import short
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.spread_selection import WHOLE, SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.formulas import (
    CountOf,
    CovarianceOf,
    DispersionOf,
    FitOf,
    Formula,
    LineOf,
    MeanOf,
    QuantileOf,
    SelectedCount,
    numerators,
)
from dpproxy.plan.notes import Beside, Shown
from dpproxy.plan.private_plan import (
    Bounded,
    MeasureKind,
    Output,
    Plan,
    PrivateKeys,
    Release,
)
from dpproxy.rows import Rows

_MOSTLY: Final = 0.5
_GOOD: Final = 0.1
_NOTICEABLE: Final = 0.05
_WORTH: Final = Decimal("1.2")
_TOLD: Final = 3
_BARELY: Final = 1.5
_COARSER: Final = "SET dp.epsilon higher, or group more coarsely"


@dataclass(frozen=True, slots=True)
class PoorColumn:
    """A column that is mostly noise: the half-width and size of its typical number. negative: whether all are below 0;
    unsure: whether 0 lies in the intervals of most; cut: whether a clip takes away, too, nobody knows how much."""

    label: str
    half_width: float
    size: float
    negative: bool
    unsure: bool
    cut: bool


def noise_notice(plan: Plan, told: ToldRows, columns: Sequence[TypicalColumn], most: Decimal) -> str | None:
    """The words for conditions that no row meets, for what counts as absent, and for columns that are mostly noise,
    NULL, or noticeably clipped; None where all are good. most: the ε that a statement could cost."""
    first = first_rows(told)
    placeless, clips = _placeless(first, columns), list(_clipped(first, columns))
    beyond, small = _beyond_the_grid(first, columns), _below_the_grid(first, columns)
    apart = {*placeless, *beyond, *small}
    cut = _cut_off(first, [each for each in columns if each.output.label not in apart])
    poor = [each for each in _each_once(_poor(first, columns)) if each.label not in apart]
    empty = _without_groups(plan, told) or _barely_told(plan, told) or _without_numbers(plan, first, columns)
    empty = empty or _without_place(plan, placeless)
    beside = words_beside(plan)
    if not poor and not clips and not beyond and not small and cut is None and empty is None and not beside:
        return None
    parts = [f"{each.label}: ±{short(each.half_width)} on {_size(plan, each)}" for each in poor[:_TOLD]]
    parts += [f"and {len(poor) - _TOLD} more columns"] if len(poor) > _TOLD else []
    words = [f"mostly noise: {', '.join(parts)} (95 %); {_instead(plan, poor[0], most)}"] if poor else []
    words += [f"{label}: about {share:.0%} of the units are scaled down to a clip" for label, share in clips[:_TOLD]]
    words += [_smaller(beyond)] if beyond else []
    words += [_larger(small)] if small else []
    words += [] if cut is None else [cut if poor else f"{cut}; {_COARSER}"]
    return f"dpproxy: {'; '.join([*beside, *([] if empty is None else [empty]), *words])}"


def words_beside(plan: Plan) -> tuple[str, ...]:
    """The conditions that no row meets, if the policy is right, and what counts as absent."""
    return _notes(plan, Beside)


def words_shown(plan: Plan) -> tuple[str, ...]:
    """Those, and what keeps joined rows within one unit."""
    return _notes(plan, Shown)


def _notes(plan: Plan, kind: type[Shown]) -> tuple[str, ...]:
    notes = (note for release in plan.releases for note in release.bounded.notes)
    return tuple(dict.fromkeys(str(note) for note in notes if isinstance(note, kind)))


def _size(plan: Plan, poor: PoorColumn) -> str:
    if not poor.size and plan.nonnegative:
        return "0, where dp.nonnegative holds what is below it"
    unsure = f", not to be told from 0 at epsilon {float(plan.epsilon):.4g}" if poor.unsure else ""
    return f"about {'-' if poor.negative else ''}{short(poor.size)}{unsure}"


def _without_groups(plan: Plan, told: ToldRows) -> str | None:
    """The words for an answer of which no group was told; None where some was."""
    for release, rows in zip(plan.releases, told.rows, strict=True):
        people = _threshold(release)
        if not rows.rows and people is not None:
            in_part = "who is in several groups counts in each only in part"
            needed = f"each needs about {short(people)} {release.bounded.unit}s ({in_part})"
            return f"no group was told: at epsilon {float(plan.epsilon):.4g} {needed}; {_COARSER}"
    return None


def _barely_told(plan: Plan, told: ToldRows) -> str | None:
    """The words for groups most of which hardly passed the threshold: of such, others did not. From what was released.

    It is what a key looks like that nearly names people: first and last names, of which a few are common.
    """
    for release, rows in zip(plan.releases, told.rows, strict=True):
        people, counts = _threshold(release), _units(release, rows)
        if people is not None and counts and median(counts) < _BARELY * people:
            few = f"{short(people)} {release.bounded.unit}s"
            hardly = f"most groups that were told have hardly the {few} that each needs"
            return f"{hardly}; smaller ones are left out; {_COARSER}"
    return None


def _without_numbers(plan: Plan, told: ToldRows, columns: Sequence[TypicalColumn]) -> str | None:
    """The words for statistics that are NULL in most groups; None where there are none. A count that is noise is no
    number to divide by, whatever the condition was meant to find."""
    labels = [
        each.output.label for each in columns if _is_over_rows(each.output.formula) and _is_mostly_null(told, each)
    ]
    if not labels:
        return None
    more = f" and {len(labels) - _TOLD} more columns" if len(labels) > _TOLD else ""
    said = f"no number could be told of {', '.join(labels[:_TOLD])}{more}"
    why = f"NULL: at epsilon {float(plan.epsilon):.4g} the rows, or their spread, are no more than noise"
    return f"{said} ({why}); SET dp.epsilon higher, or ask of more rows"


def _placeless(told: ToldRows, columns: Sequence[TypicalColumn]) -> tuple[str, ...]:
    """The labels of quantiles of so few rows that most of them may be anywhere."""
    quantiles = [(each, each.output.formula) for each in columns]
    return tuple(
        each.output.label
        for each, formula in quantiles
        if isinstance(formula, QuantileOf)
        and _are_most(np.array(anywhere(told.released[each.release], formula, USUAL_CONFIDENCE), dtype=np.bool_))
    )


def _without_place(plan: Plan, labels: Sequence[str]) -> str | None:
    """The words for such quantiles; None where there are none."""
    if not labels:
        return None
    said = ", ".join(list(dict.fromkeys(labels))[:_TOLD])
    why = f"at epsilon {float(plan.epsilon):.4g} too few rows have a value, so that what is told may be anywhere"
    return f"nothing is known of {said}: {why}; SET dp.epsilon higher, or ask of more rows"


def _is_over_rows(formula: Formula) -> bool:
    return isinstance(formula, MeanOf | DispersionOf | CovarianceOf | LineOf | FitOf)


def _is_mostly_null(told: ToldRows, column: TypicalColumn) -> bool:
    values = told.rows[column.release].column(column.column)
    return sum(value is None for value in values) > _MOSTLY * len(values)


def _threshold(release: Release) -> float | None:
    """How many units a private key needs; None where there is none."""
    found = release.applied_to(None)
    if isinstance(found, SpreadSelection | TruncatedSelection):
        return found.threshold / WHOLE
    return float(found.threshold) if isinstance(found, Selection) else None


def _units(release: Release, rows: Rows) -> list[float]:
    """The noisy numbers of units of the keys, where they are told of private keys alone."""
    bounded = release.bounded
    if not all(isinstance(key.domain, PrivateKeys) for key in bounded.keys):
        return []
    places = (
        place for place, output in enumerate(release.outputs, len(bounded.keys)) if _counts_units(output, bounded)
    )
    place = next(places, None)
    return [] if place is None else [float(str(row[place])) for row in rows.rows if row[place] is not None]


def _counts_units(output: Output, bounded: Bounded) -> bool:
    formula = output.formula
    if isinstance(formula, CountOf):
        return bounded.measures[formula.measure].kind is MeasureKind.UNITS
    return isinstance(formula, SelectedCount)


def _poor(told: ToldRows, columns: Sequence[TypicalColumn]) -> Iterator[PoorColumn]:
    """Columns of which most numbers have a half-width above half of their size."""
    for each in columns:
        half, sizes = _half_widths(told, each), each.sizes
        known = np.isfinite(half) & np.isfinite(sizes)
        if _are_most(half[known] > _MOSTLY * sizes[known]):
            middle = median(half[known].tolist()), median(sizes[known].tolist())
            negative = bool(np.all(each.values[known] < 0))
            unsure, cut = _are_most(_unsure(each)[known]), _is_clipped(told, each) and _are_open(each)
            yield PoorColumn(each.output.label, *middle, negative, unsure, cut)


def _half_widths(told: ToldRows, column: TypicalColumn) -> NDArray[np.float64]:
    """Those of a column; beside what a clip cuts off, of which nothing is known, the distance to the end that is."""
    half, margins = column.half_widths, column.margins
    if not _is_clipped(told, column):
        return half
    return np.where(np.isfinite(half), half, np.fmax(column.values - margins.low, margins.high - column.values))


def _is_clipped(told: ToldRows, column: TypicalColumn) -> bool:
    """Whether units are scaled down to a clip in all that makes a column."""
    release = told.releases[column.release]
    found = [release.applied_to(each) for each in numerators(column.output.formula)]
    return bool(found) and all(isinstance(each, ClippedNoise | DistinctNoise) for each in found)


def _cut_off(told: ToldRows, columns: Sequence[TypicalColumn]) -> str | None:
    """The words for numbers of which more may be missing than anybody can tell: most of their intervals have not both
    ends. So it is where a clip is low for its noise, as over many keys: without a word they would be believed. Where
    the low end is missing, too, as of averages and slopes, they may be off to either side."""
    found = [each for each in columns if _is_clipped(told, each) and _are_open(each)]
    if not found:
        return None
    labels = dict.fromkeys(each.output.label for each in found)
    said = ", ".join([*labels][:_TOLD]) + (" and more" if len(labels) > _TOLD else "")
    why = "so much was scaled down to a clip that how much is missing is not known"
    if all(map(_has_low_end, found)):
        return f"{said}: it may be far too small, since {why} (dp.high is NULL, or what bounds allow)"
    return f"{said}: it may be far off, since {why} (dp.low and dp.high are NULL, or what bounds allow)"


def _beyond_the_grid(told: ToldRows, columns: Sequence[TypicalColumn]) -> dict[str, float]:
    """The sizes that were cut off, by labels of numbers of values that nobody bounded and that seem to be larger."""
    found = {each.output.label: cut_at(told, each.release, each.column) for each in columns}
    return {label: size for label, size in found.items() if size is not None}


def _smaller(cut: Mapping[str, float]) -> str:
    size = short(max(cut.values()))
    why = f"values beyond ±{size} count as that, which many seem to be, since no bounds are declared"
    return f"{', '.join([*cut][:_TOLD])}: it may be far off: {why}; ask for less of them, as in SUM(x / 1000000)"


def _below_the_grid(told: ToldRows, columns: Sequence[TypicalColumn]) -> dict[str, float]:
    """The steps that values were rounded to, by labels of numbers of values that are hardly larger."""
    found = {each.output.label: rounded_to(told, each.release, each.column) for each in columns}
    return {label: step for label, step in found.items() if step is not None}


def _larger(rounded: Mapping[str, float]) -> str:
    step = f"{max(rounded.values()):.10f}".rstrip("0").rstrip(".")
    why = f"values are rounded to {step} before they are added up, and seem to be hardly larger"
    return f"{', '.join([*rounded][:_TOLD])}: it may be far off: {why}; ask for more of them, as in SUM(x * 1000000)"


def _has_low_end(column: TypicalColumn) -> bool:
    return _are_most(np.isfinite(column.margins.low[np.isfinite(column.values)]))


def _are_open(column: TypicalColumn) -> bool:
    known = np.isfinite(column.values)
    return bool(known.any()) and _are_most(~np.isfinite(column.half_widths[known]))


def _each_once(columns: Iterable[PoorColumn]) -> Iterable[PoorColumn]:
    """One of each label: the fractions of a list of percentiles are columns of their own."""
    return {each.label: each for each in columns}.values()


def _are_most(those: NDArray[np.bool_]) -> bool:
    return int(np.count_nonzero(those)) > _MOSTLY * those.size


def _unsure(column: TypicalColumn) -> NDArray[np.bool_]:
    """Where 0 lies in the interval, or may. What is counted is 0 at least, whatever the noise makes of it."""
    counted = isinstance(column.output.formula, CountOf | SelectedCount)
    return ~(column.margins.low > 0) & (counted | ~(column.margins.high < 0))


def _clipped(told: ToldRows, columns: Sequence[TypicalColumn]) -> Iterator[tuple[str, float]]:
    for each in columns:
        share = clipped_share(told, each.release, each.column)
        if told.rows[each.release].rows and share is not None and share >= _NOTICEABLE:
            yield each.output.label, share


def _instead(plan: Plan, poor: PoorColumn, most: Decimal) -> str:
    """What to type for a tenth, as far as the budget goes. A size that is noise says nothing of what it takes: there,
    for a tenth of the noise itself. With more of it a clip that is far too low is higher, and has more noise."""
    if poor.cut:
        return _COARSER
    if plan.target is not None:
        met = not plan.target.relative and poor.half_width <= plan.target.amount
        return "SET dp.target_half_width to less" if met else f"it was aimed at ±{plan.target}"
    is_noise = poor.unsure or not poor.size
    size = poor.half_width if is_noise else poor.size
    share = poor.half_width / (_GOOD * size)
    epsilon = min(_rounded_up(plan.epsilon * Decimal(share)), most)
    if epsilon < plan.epsilon * _WORTH:
        return "fewer groups or columns would have less of it each"
    reached = poor.half_width * float(plan.epsilon / epsilon)
    given = f"tell a size of {short(size)} to" if is_noise else "give"
    return f"SET dp.epsilon = {float(epsilon):.4g} would {given} ±{short(reached)}"


def _rounded_up(value: Decimal) -> Decimal:
    """To two digits."""
    unit = Decimal(1).scaleb(value.adjusted() - 1)
    return math.ceil(value / unit) * unit
