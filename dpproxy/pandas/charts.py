"""Bars and lines, each number with the ends of its interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas

from dpproxy.client.answers import intervals_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR_WIDTH: Final = 0.8
_LEVEL_NAMES: Final = 8


def plot(frame: pandas.DataFrame, y: str | None = None, x: str | None = None, ax: Axes | None = None) -> Axes:
    """Lines where x is a date or a number, else bars. x and y as of `bars`."""
    key = _chosen(frame, y, x)[1]
    draw = lines if key is not None and _is_ordered(frame[key]) else bars
    return draw(frame, y, x, ax)


def bars(frame: pandas.DataFrame, y: str | None = None, x: str | None = None, ax: Axes | None = None) -> Axes:
    """A bar for each row. y: a column with ends; left out: the first. x: the column of what stands below the bars; left
    out: a date, else a number, else the first that has no ends. Other columns without ends are told apart by colour."""
    y, x, ax = *_chosen(frame, y, x), _axes(ax)
    series = list(_series(frame, y, x))
    names = list(dict.fromkeys(_name(each) for each in frame[x])) if x is not None else [y]
    width = _BAR_WIDTH / len(series)
    for place, (label, rows) in enumerate(series):
        own = [names.index(_name(each)) for each in rows[x]] if x is not None else [0] * len(rows)
        at = np.array(own) + (place - (len(series) - 1) / 2) * width
        ax.bar(at, _numbers(rows[y]), width, label=label, color=f"C{place}", alpha=0.75)
        _ends(ax, at, rows, y, "black")
    ax.set_xticks(range(len(names)), names, rotation=90 if len(names) > _LEVEL_NAMES else 0)
    ax.axhline(0, color="black", linewidth=0.8)
    return _told(ax, frame, y, x, len(series))


def lines(frame: pandas.DataFrame, y: str | None = None, x: str | None = None, ax: Axes | None = None) -> Axes:
    """A line through all rows. x and y as of `bars`."""
    y, x, ax = *_chosen(frame, y, x), _axes(ax)
    if x is None:
        raise ValueError("there is no column for x: a frame of one row is drawn by bars")
    series = list(_series(frame, y, x))
    for place, (label, rows) in enumerate(series):
        rows = rows.sort_values(x)
        at = rows[x].to_numpy() if pandas.api.types.is_datetime64_any_dtype(rows[x]) else _numbers(rows[x])
        ax.plot(at, _numbers(rows[y]), marker="o", markersize=4, label=label, color=f"C{place}")
        _ends(ax, at, rows, y, f"C{place}")
    return _told(ax, frame, y, x, len(series))


def _chosen(frame: pandas.DataFrame, y: str | None, x: str | None) -> tuple[str, str | None]:
    """The columns of numbers and of what they are of. Raises ValueError."""
    if (twice := frame.columns[frame.columns.duplicated()]).size:
        raise ValueError(f"there are several columns {twice[0]!r}: name them apart with AS")
    intervals = intervals_of(list(frame.columns))
    y = next(iter(intervals), None) if y is None else y
    if y not in intervals:
        raise ValueError(f"no column {y!r} has {y!r}_low and {y!r}_high behind it; those that have: {[*intervals]}")
    if x is None:
        x = next(iter(sorted(_keys(frame), key=lambda each: _rank(frame[each]))), None)
    return y, x


def _keys(frame: pandas.DataFrame) -> list[str]:
    intervals = intervals_of(list(frame.columns))
    noisy = {name for column, ends in intervals.items() for name in (column, *ends)}
    return [each for each in frame.columns if each not in noisy]


def _rank(column: pandas.Series) -> int:
    if pandas.api.types.is_datetime64_any_dtype(column):
        return 0
    return 1 if _is_ordered(column) else 2


def _is_ordered(column: pandas.Series) -> bool:
    types = pandas.api.types
    number = types.is_numeric_dtype(column) and not types.is_bool_dtype(column)
    return bool(number or types.is_datetime64_any_dtype(column))


def _series(frame: pandas.DataFrame, y: str, x: str | None) -> Iterator[tuple[str, pandas.DataFrame]]:
    """What is told apart by colour: the rows of each combination of the other keys."""
    others = [each for each in _keys(frame) if each != x]
    if not others:
        yield y, frame
        return
    for values, rows in frame.groupby(others, dropna=False, sort=False):
        yield ", ".join(map(_name, values)), rows


def _name(value: Any) -> str:
    return "NULL" if pandas.isna(value) else str(value)


def _numbers(column: pandas.Series) -> np.ndarray[Any, np.dtype[np.float64]]:
    numbers: np.ndarray[Any, np.dtype[np.float64]] = column.to_numpy(dtype="float64", na_value=np.nan)
    return numbers


def _ends(ax: Axes, at: Sequence[Any] | np.ndarray[Any, Any], rows: pandas.DataFrame, y: str, color: str) -> None:
    """From the low end to the high one, whether the number lies between them or, where much is clipped, does not."""
    low, high = _numbers(rows[f"{y}_low"]), _numbers(rows[f"{y}_high"])
    ax.errorbar(at, (low + high) / 2, yerr=(high - low) / 2, fmt="none", ecolor=color, elinewidth=1.2, capsize=3)


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(7, 4), layout="constrained")[1]


def _told(ax: Axes, frame: pandas.DataFrame, y: str, x: str | None, series: int) -> Axes:
    ax.set_ylabel(y)
    ax.set_xlabel(x or "")
    confidence = frame.attrs.get("confidence")
    ax.set_title(f"with {confidence} intervals" if confidence else "with intervals", fontsize="small", loc="right")
    ax.spines[["top", "right"]].set_visible(False)
    if series > 1:
        ax.legend(frameon=False)
    return ax
