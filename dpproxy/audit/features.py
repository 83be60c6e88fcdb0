"""An answer as numbers: what an adversary would look at.

Which rows are there, how many, each number of each row, sums and differences of them, and the last bit of each; with
which SQLSTATE it ended, and after how many seconds. What is looked at is fixed by answers that are not counted later.

Rows are told apart by their keys: columns that hold no numbers, or few different ones.

Checked by: tests/audit/test_planted.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from dpproxy.audit.asking import Result, TimedAnswer

Floats = NDArray[np.float64]
Key = tuple[Hashable, ...]

_MOST_KEYS, _MOST_PAIRS = 24, 30


@dataclass(frozen=True, slots=True)
class Feature:
    """A number of an answer; NaN where there is none.

    derived: it follows from others, so scores leave it out. timed: it tells of the seconds that the answer took.
    """

    name: str
    values: Floats
    derived: bool = False
    timed: bool = False


@dataclass(frozen=True, slots=True)
class _Layout:
    """Of one statement's rows: which columns are keys, which are numbers, and the keys that were seen.

    states: the SQLSTATEs that it ended with, where there were any.
    """

    keys: tuple[int, ...]
    numbers: tuple[int, ...]
    seen: tuple[Key, ...]
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FeatureReader:
    """How answers are looked at."""

    layouts: tuple[_Layout, ...]

    @classmethod
    def of(cls, answers: Sequence[TimedAnswer]) -> FeatureReader:
        """What there is to look at in `answers`, which are of all neighbours."""
        places = range(len(answers[0].results))
        return cls(tuple(_layout([answer.results[place] for answer in answers]) for place in places))

    def features(self, answers: Sequence[TimedAnswer]) -> list[Feature]:
        """The same ones in the same order, whatever the answers are."""
        found: list[Feature] = []
        cells: dict[str, Floats] = {}
        for place, layout in enumerate(self.layouts):
            of = f" of statement {place + 1}" if len(self.layouts) > 1 else ""
            results = [answer.results[place] for answer in answers]
            found += _ends(layout, results, of)
            found += _presence(layout, results, of)
            found.append(Feature(f"seconds{of}", np.array([each.seconds[place] for each in answers]), timed=True))
            cells |= _cells(layout, results, of)
        found += [Feature(name, values) for name, values in cells.items()]
        found += _between(cells)
        found += _altogether(answers)
        found += [each for name, values in cells.items() for each in _low_bits(name, values)]
        return found


def _layout(results: Sequence[Result]) -> _Layout:
    rows = [row for result in results if not isinstance(result, str) for row in result]
    states = tuple(sorted({result for result in results if isinstance(result, str)}))
    if not rows:
        return _Layout((), (), (), states)
    most = max(len(result) for result in results if not isinstance(result, str))
    columns = range(len(rows[0]))
    keys = tuple(place for place in columns if most > 1 and _is_key([row[place] for row in rows], most))
    keys += tuple(place for place in columns if place not in keys and not _is_number([row[place] for row in rows]))
    keys = tuple(sorted(keys))
    seen = Counter(_key(row, keys) for row in rows)
    numbers = tuple(place for place in columns if place not in keys)
    return _Layout(keys, numbers, tuple(key for key, _ in islice(seen.most_common(), _MOST_KEYS)), states)


def _is_number(values: Sequence[object]) -> bool:
    return all(value is None or (isinstance(value, int | float | Decimal) and value is not True) for value in values)


def _is_key(values: Sequence[object], most: int) -> bool:
    return not _is_number(values) or len(set(values)) <= most


def _key(row: Sequence[object], keys: Sequence[int]) -> Key:
    return tuple(str(row[place]) for place in keys)


def _ends(layout: _Layout, results: Sequence[Result], of: str) -> Iterator[Feature]:
    """Whether it ended with an error, and with which."""
    yield _each(f"an error{of}", results, lambda result: float(isinstance(result, str)))
    for state in layout.states if len(layout.states) > 1 else ():
        yield _each(f"{state}{of}", results, lambda result, state=state: float(result == state))


def _presence(layout: _Layout, results: Sequence[Result], of: str) -> Iterator[Feature]:
    """Which rows there are."""
    yield _each(f"number of rows{of}", results, lambda result: float(len(result)) if _rows(result) else math.nan)
    present = [{_key(row, layout.keys) for row in _rows(result)} for result in results]
    if layout.keys:
        for key in layout.seen:
            yield _each(f"there is {_shown(key)}{of}", present, lambda keys, key=key: float(key in keys))
    known = set(layout.seen)
    yield _each(f"keys that are new{of}", present, lambda keys: float(len(keys - known)))


def _each(name: str, items: Sequence[object], value: Callable[..., float]) -> Feature:
    return Feature(name, np.array([value(item) for item in items], dtype=float))


def _rows(result: Result) -> tuple[tuple[object, ...], ...]:
    return () if isinstance(result, str) else result


def _cells(layout: _Layout, results: Sequence[Result], of: str) -> dict[str, Floats]:
    """Each number of each row; NaN where the row is not there, or NULL."""
    found: dict[str, list[float]] = {}
    for result in results:
        rows = {_key(row, layout.keys): row for row in _rows(result)}
        for key in layout.seen:
            for column in layout.numbers:
                value = rows[key][column] if key in rows else None
                name = f"column {column + 1}{f' of {_shown(key)}' if key else ''}{of}"
                found.setdefault(name, []).append(_number(value))
    return {name: np.array(values) for name, values in found.items()}


def _number(value: object) -> float:
    match value:
        case bool() | None:
            return math.nan
        case int() | float() | Decimal():
            return min(max(float(value), -1e300), 1e300)
        case _:
            return math.nan


def _between(cells: Mapping[str, Floats]) -> Iterator[Feature]:
    """The sum of all numbers, and differences of two: noise that is used twice cancels there."""
    if len(cells) > 1:
        yield Feature("sum of all numbers", np.nansum(np.array(list(cells.values())), axis=0), derived=True)
    for (one, first), (other, second) in islice(combinations(cells.items(), 2), _MOST_PAIRS):
        yield Feature(f"{one} less {other}", first - second, derived=True)


def _altogether(answers: Sequence[TimedAnswer]) -> Iterator[Feature]:
    """The seconds of several statements: all of them, the longest, and how much longer one took than another: what
    delays both goes away there."""
    seconds = np.array([answer.seconds for answer in answers])
    number = seconds.shape[1]
    if number > 1:
        yield Feature("seconds of all", seconds.sum(axis=1), derived=True, timed=True)
        yield Feature("most seconds", seconds.max(axis=1), derived=True, timed=True)
    for one, other in islice(combinations(range(number), 2), _MOST_PAIRS):
        name = f"seconds of statement {one + 1} less those of statement {other + 1}"
        yield Feature(name, seconds[:, one] - seconds[:, other], derived=True, timed=True)


def _low_bits(name: str, values: Floats) -> Iterator[Feature]:
    """The number where the last of its 53 bits is set, and where it is not: a sum of floats is as coarse as its larger
    part, so that low bits tell what noise was added to (Mironov 2012)."""
    even = _ending_zeros(values) > 0
    for what, kept in (("odd significand", ~even), ("even significand", even)):
        yield Feature(f"{name}, {what}", np.where(kept, values, np.nan), derived=True)
        yield Feature(f"size of {name}, {what}", np.where(kept, np.abs(values), np.nan), derived=True)


def _ending_zeros(values: Floats) -> Floats:
    """How many zeros the 53 bits of each number's significand end in; 53 for 0 and NaN."""
    mantissa, _ = np.frexp(np.where(np.isnan(values), 0.0, values))
    whole = np.abs(mantissa * 2.0**53).astype(np.int64)
    lowest = whole & -whole
    return np.where(whole == 0, 53.0, np.log2(np.maximum(lowest, 1)))


def _shown(key: Key) -> str:
    return "(" + ", ".join(map(str, key)) + ")"
