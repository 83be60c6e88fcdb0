"""Errors beside the truth, and rows of Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from statistics import median
from typing import Any

from dpproxy.rows import Rows, Value

Truth = Mapping[tuple[Any, ...], Sequence[Any]]


def heads(*cells: str) -> list[str]:
    """The head of a table, with the line under it."""
    return [row(*cells), "|---" * len(cells) + "|"]


def row(*cells: str) -> str:
    """A line of a table."""
    return f"| {' | '.join(cells)} |"


def percent(part: float) -> str:
    """Two digits, or whole ones above a hundred."""
    if math.isinf(part):
        return "∞"
    return f"{part * 100:,.0f} %" if part >= 0.995 else f"{part * 100:.2g} %"


def times(ratio: float) -> str:
    """Two digits, or whole ones from ten on."""
    return f"{ratio:,.0f}" if ratio >= 9.95 else f"{ratio:.2g}"


def by_key(rows: Sequence[Sequence[Any]], keys: int) -> dict[tuple[Any, ...], Sequence[Any]]:
    """Rows by the values of their first columns, numbers as floats."""
    return {tuple(map(plain, each[:keys])): each[keys:] for each in rows}


def plain(value: Value) -> Any:
    """Numbers as floats, all else as it is."""
    return float(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else value


def relative_errors(answers: Sequence[Rows], truth: Truth, keys: int) -> list[list[float]]:
    """For each answer the error of each number of the truth, as a part of it; 1 where the row is not there, or NULL."""
    return [_of_one(by_key(answer.rows, keys), truth) for answer in answers]


def _of_one(said: Truth, truth: Truth) -> list[float]:
    return [
        _relative(said[key][place] if key in said else None, float(value))
        for key, values in truth.items()
        for place, value in enumerate(values)
    ]


def _relative(said: Any, true: float) -> float:
    if said is None:
        return 1.0
    return abs(float(said) - true) / abs(true) if true else (0.0 if float(said) == 0 else math.inf)


def pooled(errors: Sequence[Sequence[float]]) -> float:
    """The median over all numbers and runs."""
    return median(error for each in errors for error in each)
