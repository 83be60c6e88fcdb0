"""What an answer's columns are like, by their first rows: what is said of them in one number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import median
from typing import Final

import numpy as np

from dpproxy.error_bars.bars import Margins, margins
from dpproxy.error_bars.design import Floats
from dpproxy.error_bars.replicates import ToldRows
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.formulas import CentreOf
from dpproxy.plan.private_plan import Output, Release
from dpproxy.rows import Value

_LOOKED_AT: Final = 200


@dataclass(frozen=True, slots=True)
class TypicalColumn:
    """A column that was asked for. margins and values: of its first rows, NaN where they are not known."""

    release: int
    column: int
    output: Output
    margins: Margins
    values: Floats

    @property
    def half_widths(self) -> Floats:
        """Half of each interval."""
        return self.margins.half_width

    @property
    def sizes(self) -> Floats:
        """How large each number is, whatever its sign."""
        return np.abs(self.values)

    @property
    def half_width(self) -> float | None:
        """That of the middle row."""
        return _middle(self.half_widths)

    @property
    def size(self) -> float | None:
        """That of the middle row."""
        return _middle(self.sizes)


def typical_columns(told: ToldRows) -> tuple[TypicalColumn, ...]:
    """All numbers of an answer that were asked for."""
    first = first_rows(told)
    return tuple(_typical(first, *each) for each in numbers_of(first.releases))


def first_rows(told: ToldRows) -> ToldRows:
    """The answer as far as it is looked at."""
    if all(len(each.rows) <= _LOOKED_AT for each in (*told.released, *told.rows)):
        return told
    released = [replace(each, rows=each.rows[:_LOOKED_AT]) for each in told.released]
    return replace(told, released=released, rows=[replace(each, rows=each.rows[:_LOOKED_AT]) for each in told.rows])


def numbers_of(releases: Sequence[Release]) -> Iterator[tuple[int, int, Output]]:
    """Release and place of each number that was asked for."""
    for index, release in enumerate(releases):
        for column, output in enumerate(release.outputs, len(release.bounded.keys)):
            if not isinstance(output.formula, CentreOf):
                yield index, column, output


def _typical(told: ToldRows, release: int, column: int, output: Output) -> TypicalColumn:
    values = np.array([_number(each) for each in told.rows[release].column(column)], dtype=np.float64)
    return TypicalColumn(release, column, output, margins(told, release, column, USUAL_CONFIDENCE), values)


def _number(value: Value) -> float:
    match value:
        case bool() | None:
            return math.nan
        case int() | float() | Decimal():
            return float(value)
        case _:
            return math.nan


def _middle(values: Floats) -> float | None:
    known = list(filter(math.isfinite, values.tolist()))
    return median(known) if known else None
