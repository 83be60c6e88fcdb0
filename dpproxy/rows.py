"""Columns and rows: the only tabular type."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | Decimal | str | date | datetime | time | UUID | None
"""A moment is a datetime in UTC; a timestamp without time zone is one without."""


@dataclass(frozen=True, slots=True)
class Column:
    """A result column: its name, and its type as Postgres prints it (`bigint`, `numeric(15,2)`)."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one relation; each row has as many values as there are columns. Where all of these are whole numbers, and
    an engine has them as arrays, they are in `numbers`, a line for each column, and `rows` is empty."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    numbers: NDArray[np.int64] | None = field(default=None, compare=False)

    def column(self, index: int) -> tuple[Value, ...]:
        """The values of one column, in row order."""
        return tuple(row[index] for row in self.rows)
