"""What an analyst is told beside an answer that is mostly noise, or of which much was clipped away.

All of it follows from what was released, and from the plan.
Checked by: tests/test_noise_notices.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import numpy as np

from dpproxy.error_bars import ToldRows, clipped_share, margins
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.formulas import CentreOf
from dpproxy.plan.private_plan import Plan
from dpproxy.rows import Value

_LOOKED_AT: Final = 200
_MOSTLY: Final = 0.5
_GOOD: Final = 0.1
_NOTICEABLE: Final = 0.05
_WORTH: Final = Decimal("1.2")
_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class PoorColumn:
    """A column that is mostly noise: the half-width and size of its typical number."""

    label: str
    half_width: float
    size: float


def noise_notice(plan: Plan, told: ToldRows, most: Decimal) -> str | None:
    """The words for columns that are mostly noise or noticeably clipped; None where all are good. most: the ε that a
    statement could cost."""
    seen = _first_rows(told)
    poor, clips = list(_poor(seen)), list(_clipped(seen))
    if not poor and not clips:
        return None
    parts = [f"{each.label}: ±{_short(each.half_width)} on about {_short(each.size)}" for each in poor[:_TOLD]]
    parts += [f"and {len(poor) - _TOLD} more columns"] if len(poor) > _TOLD else []
    words = [f"mostly noise: {', '.join(parts)} (95 %); {_instead(plan, poor[0], most)}"] if poor else []
    words += [f"{label}: about {share:.0%} of the units are scaled down to a clip" for label, share in clips[:_TOLD]]
    return f"dpproxy: {'; '.join(words)}"


def _first_rows(told: ToldRows) -> ToldRows:
    """The answer as far as it is looked at."""
    released = [replace(each, rows=each.rows[:_LOOKED_AT]) for each in told.released]
    return replace(told, released=released, rows=[replace(each, rows=each.rows[:_LOOKED_AT]) for each in told.rows])


def _poor(told: ToldRows) -> Iterator[PoorColumn]:
    """Columns of which most numbers have a half-width above half of their size."""
    for release, column, label in _columns(told):
        half = margins(told, release, column, USUAL_CONFIDENCE).half_width
        sizes = np.array([_size(each) for each in told.rows[release].column(column)])
        known = np.isfinite(half) & np.isfinite(sizes)
        if known.any() and np.mean(half[known] > _MOSTLY * sizes[known]) > _MOSTLY:
            yield PoorColumn(label, float(np.median(half[known])), float(np.median(sizes[known])))


def _clipped(told: ToldRows) -> Iterator[tuple[str, float]]:
    for release, column, label in _columns(told):
        share = clipped_share(told, release, column)
        if told.rows[release].rows and share is not None and share >= _NOTICEABLE:
            yield label, share


def _columns(told: ToldRows) -> Iterator[tuple[int, int, str]]:
    """Release, place and label of each number that was asked for."""
    for index, release in enumerate(told.releases):
        for column, output in enumerate(release.outputs, len(release.bounded.keys)):
            if not isinstance(output.formula, CentreOf):
                yield index, column, output.label


def _size(value: Value) -> float:
    match value:
        case bool() | None:
            return math.nan
        case int() | float() | Decimal():
            return abs(float(value))
        case _:
            return math.nan


def _instead(plan: Plan, poor: PoorColumn, most: Decimal) -> str:
    """What to type for a tenth, as far as the budget goes."""
    wanted = plan.epsilon * Decimal(poor.half_width) / Decimal(max(_GOOD * poor.size, 1e-9))
    epsilon = min(_rounded_up(wanted), most)
    if epsilon < plan.epsilon * _WORTH:
        return "fewer groups or columns would have less of it each"
    reached = poor.half_width * float(plan.epsilon / epsilon)
    return f"SET dp.epsilon = {float(epsilon):.4g} would give ±{_short(reached)}"


def _rounded_up(value: Decimal) -> Decimal:
    """To two digits."""
    unit = Decimal(1).scaleb(value.adjusted() - 1)
    return math.ceil(value / unit) * unit


def _short(value: float) -> str:
    """Two or three digits that count, with commas."""
    if value >= 1000:
        unit = 10 ** (math.floor(math.log10(value)) - 1)
        return f"{round(value / unit) * unit:,}"
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"
