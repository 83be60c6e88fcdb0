"""Totals and their parts made consistent: the parts and totals nearest to the released ones that add up exactly.

Each level of GROUPING SETS, ROLLUP and CUBE has noise of its own, so parts do not add up to totals; but each level
tells something of all others. With x the finest numbers, y_l the released ones of level l, S_l x what x adds up to
there, and v_l the variance of its noise, what is told is the x that minimizes

    sum over l of |S_l x - y_l|² / v_l

and S_l x. For ROLLUP that is what the two passes of Hay et al. (2010) compute. It is solved for the distance from the
released parts, by conjugate gradients: as many steps as the system has different eigenvalues, which are two to the
power of the number of keys where all combinations of keys are there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpproxy.plan.formulas import CountOf, SumOf
from dpproxy.plan.hierarchies import Hierarchy, Level
from dpproxy.plan.private_plan import Release
from dpproxy.released_clips import clips_of, error_of
from dpproxy.rows import Rows, Value

MOST_NUMBERS = 100_000
_MOST_STEPS, _MOST_ROUNDS, _NEAR = 500, 20, 1e-12
_LARGEST = 2**62
_ONE = Decimal(1)
_DIGITS = Context(prec=80)
_ALL_DIGITS = Context(prec=400_000)
_Floats = NDArray[np.float64]
_Places = NDArray[np.intp]
_Key = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class _Total:
    """One level of totals over the parts. group: for each part the row that it belongs to; parts without one belong to
    a last group of no weight. residual: by group, how far the released total is above the sum of the released parts."""

    group: _Places
    weight: _Floats
    residual: _Floats

    def sums(self, parts: _Floats) -> _Floats:
        """The sums of the parts by group."""
        return np.bincount(self.group, weights=parts, minlength=len(self.weight)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class _System:
    """The weighted least squares: the weight of the parts themselves, and all totals."""

    weight: float
    totals: tuple[_Total, ...]

    def normal(self, parts: _Floats) -> _Floats:
        """The matrix of the normal equations times a vector."""
        image = self.weight * parts
        for each in self.totals:
            image += (each.weight * each.sums(parts))[each.group]
        return image

    def pulled(self, held: _Floats) -> _Floats:
        """The right-hand side, where some parts are moved by `held` already."""
        pull = np.zeros(len(held))
        for each in self.totals:
            pull += (each.weight * (each.residual - each.sums(held)))[each.group]
        return pull


def consistent(hierarchy: Hierarchy, releases: Sequence[Release], rows: Sequence[Rows], held: bool) -> list[Rows]:
    """The rows with the hierarchy's numbers adjusted; all others as they were. held: no part may be negative.

    A total of which a part was not told, as with private keys, stays as it was released. So does all where there is
    too much of it (`is_small`), or a number saturated.

    Claim: the sum of the parts is each adjusted total exactly, in steps of the grid, and the expected square of no
    level's error is larger than before, but for rounding to the grid, where parts are exactly what totals are made of.
    Because: totals are added up from the rounded parts; weighted least squares are the best linear unbiased estimate
    (Gauss and Markov). Checked by: tests/test_post_processing.py::test_parts_add_up, ::test_each_level_is_better.
    """
    at, step = hierarchy.parts, _step(releases, hierarchy.parts)
    parts, *totals = (_grid(rows, each, step) for each in hierarchy.levels)
    weights = _weights(hierarchy, releases, rows)
    if not weights or not _is_solvable([parts, *totals]):
        return list(rows)
    part_keys = [row[: len(at.keys)] for row in rows[at.release].rows]
    groups = [_groups(part_keys, rows, each) for each in hierarchy.totals]
    added = (_total(*each, parts) for each in zip(groups, totals, weights[1:], strict=True))
    moved = _solved(_System(weights[0], tuple(added)), parts, held)
    adjusted = _whole(parts, moved, _order(rows[at.release], at), held)
    changed = list(rows)
    changed[at.release] = _with(changed[at.release], at.column, adjusted, step)
    for each, group, before in zip(hierarchy.totals, groups, totals, strict=True):
        changed[each.release] = _with(changed[each.release], each.column, _added(group, adjusted, before), step)
    return changed


def _is_solvable(levels: Sequence[Sequence[int]]) -> bool:
    """Whether there are few enough numbers, none of which saturated."""
    sizes = [len(level) for level in levels]
    return is_small(sizes) and all(abs(number) < _LARGEST for level in levels for number in level)


def is_small(levels: Sequence[int]) -> bool:
    """Whether so many rows of each level are adjusted: the largest, times how many there are, is what that takes."""
    return max(levels) * len(levels) <= MOST_NUMBERS


def _step(releases: Sequence[Release], level: Level) -> Decimal:
    """The grid, which all levels share."""
    index = _measure(releases, level)
    return _ONE if index is None else releases[level.release].bounded.measures[index].step


def _measure(releases: Sequence[Release], level: Level) -> int | None:
    """The measure that the number is; None: what the choice of private keys counted."""
    release = releases[level.release]
    formula = release.outputs[level.column - len(release.bounded.keys)].formula
    return formula.measure if isinstance(formula, CountOf | SumOf) else None


def variance(releases: Sequence[Release], level: Level, told: Rows | None = None) -> float | None:
    """The variance of a level's noise, in steps; None where it is not known. told: the level's rows, which have the
    clip that noise was made for, where one was chosen."""
    release = releases[level.release]
    error = error_of(release, _measure(releases, level), {} if told is None else clips_of(release, told))
    return None if error is None or error.stddev is None or not error.stddev > 0 else error.stddev**2


def _weights(hierarchy: Hierarchy, releases: Sequence[Release], rows: Sequence[Rows]) -> list[float]:
    """Of each level, the largest being 1; none where a variance is not known. What has no rows weighs nothing."""
    told = [rows[each.release] for each in hierarchy.levels]
    pairs = zip(hierarchy.levels, told, strict=True)
    variances = [variance(releases, each, its) if its.rows else math.inf for each, its in pairs]
    known = [each for each in variances if each is not None]
    if len(known) < len(variances) or not told[0].rows:
        return []
    return [min(known) / each for each in known]


def _grid(rows: Sequence[Rows], level: Level, step: Decimal) -> list[int]:
    """The level's numbers in steps."""
    return [_steps(value, step) for value in rows[level.release].column(level.column)]


def _steps(value: Value, step: Decimal) -> int:
    match value:
        case int() if step == _ONE:
            return value
        case int() | Decimal():
            return int(_DIGITS.to_integral_value(_DIGITS.divide(Decimal(value), step)))
        case float():
            return round(Fraction(value) / Fraction(step))
        case _:
            raise ValueError(f"no number adds up that is a {type(value).__name__}")


def _groups(parts: Sequence[_Key], rows: Sequence[Rows], level: Level) -> _Places:
    """For each part the row of its total; one past the last row where there is none."""
    own = [(i, column) for i, column in enumerate(level.keys) if column is not None]
    found = {tuple(row[column] for _, column in own): place for place, row in enumerate(rows[level.release].rows)}
    return np.array([found.get(tuple(key[i] for i, _ in own), len(found)) for key in parts], dtype=np.intp)


def _total(group: _Places, totals: Sequence[int], weight: float, parts: Sequence[int]) -> _Total:
    sums = _sums(group, parts, len(totals))
    residual = [float(total - sum_) for total, sum_ in zip(totals, sums, strict=True)]
    return _Total(group, np.array([*[weight] * len(totals), 0.0]), np.array([*residual, 0.0]))


def _sums(group: _Places, parts: Sequence[int], size: int) -> list[int]:
    sums = [0] * (size + 1)
    for place, part in zip(group.tolist(), parts, strict=True):
        sums[place] += part
    return sums[:size]


def _added(group: _Places, parts: Sequence[int], totals: Sequence[int]) -> list[int]:
    """The totals of the parts; as it was where it has none."""
    there, sums = set(group.tolist()), _sums(group, parts, len(totals))
    return [sums[place] if place in there else total for place, total in enumerate(totals)]


def _solved(system: _System, parts: Sequence[int], held: bool) -> _Floats:
    """By how much each part moves. held: parts that would be negative are 0, and the others are solved for again."""
    lowest = np.array([-float(part) for part in parts])
    free = np.ones(len(parts))
    fixed = np.zeros(len(parts))
    for _ in range(_MOST_ROUNDS):
        moved = fixed + _conjugate(system, free * system.pulled(fixed), free)
        below = (free > 0) & (moved < lowest) if held else np.zeros(len(parts), dtype=bool)
        if not below.any():
            return moved
        free[below], fixed[below] = 0.0, lowest[below]
    return np.asarray(np.maximum(moved, lowest), dtype=np.float64)


def _conjugate(system: _System, wanted: _Floats, free: _Floats) -> _Floats:
    """The solution of the normal equations among the free parts (Hestenes, Stiefel 1952)."""
    found, left = np.zeros(len(wanted)), wanted.copy()
    direction, size = left.copy(), float(left @ left)
    enough = size * _NEAR**2
    for _ in range(_MOST_STEPS):
        if size <= enough:
            break
        image = free * system.normal(direction)
        length = size / float(direction @ image)
        found += length * direction
        left -= length * image
        before, size = size, float(left @ left)
        direction = left + (size / before) * direction
    return found


def _order(rows: Rows, level: Level) -> _Places:
    """The parts by their first key, then their second, and so on: those of a ROLLUP's totals are neighbours."""
    if not level.keys or not rows.rows:
        return np.arange(len(rows.rows), dtype=np.intp)
    codes = []
    for column in range(len(level.keys)):
        seen: dict[Value, int] = {}
        codes.append([seen.setdefault(value, len(seen)) for value in rows.column(column)])
    return np.asarray(np.lexsort(codes[::-1]), dtype=np.intp)


def _whole(parts: Sequence[int], moved: _Floats, order: _Places, held: bool) -> list[int]:
    """The moved parts in whole steps. What rounding takes from one the next one gets: sums of neighbours are less than
    one step from what they were."""
    carried = np.floor(np.cumsum(moved[order]) + 0.5)
    by = np.empty(len(parts))
    by[order] = np.diff(carried, prepend=0.0)
    found = [part + int(each) for part, each in zip(parts, by.tolist(), strict=True)]
    return [max(0, each) for each in found] if held else found


def _with(rows: Rows, column: int, numbers: Sequence[int], step: Decimal) -> Rows:
    changed = (
        (*row[:column], _like(row[column], number, step), *row[column + 1 :])
        for row, number in zip(rows.rows, numbers, strict=True)
    )
    return replace(rows, rows=tuple(changed))


def _like(old: Value, number: int, step: Decimal) -> Value:
    """So many steps as a value of the same kind."""
    match old:
        case int():
            exact = number if step == _ONE else int(_DIGITS.to_integral_value(_DIGITS.multiply(number, step)))
            return max(-(2**63), min(2**63 - 1, exact))
        case Decimal():
            return _ALL_DIGITS.multiply(number, step).quantize(old, context=_ALL_DIGITS)
        case float():
            return float(number * Fraction(step))
        case _:
            raise ValueError(f"no number adds up that is a {type(old).__name__}")
