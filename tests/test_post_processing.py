"""Totals and parts of released rows: consistent, nearer to the truth, and not negative where that is asked for.

Over plans of the world's policy, and over rows that are made here: nothing of the data is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from worlds import plan, uncapped

from dpproxy.catalog.policy import Catalog
from dpproxy.plan.hierarchies import Hierarchy, Level
from dpproxy.plan.private_plan import Literals, Plan, Release
from dpproxy.post_processing import narrowed, post_processed
from dpproxy.post_processing.consistency import MOST_NUMBERS, consistent, variance
from dpproxy.post_processing.nonnegativity import nonnegative, nonnegative_columns
from dpproxy.rewrite.releases.hierarchies import apart
from dpproxy.rows import Column, Rows, Value

CUBE = "SELECT sex, smoker, age, count(*) FROM people WHERE age IN (30, 31, 32) GROUP BY CUBE (sex, smoker, age)"
ROLLUP = "SELECT sex, smoker, sum(age), count(*) FROM people GROUP BY ROLLUP (sex, smoker)"
PRIVATE = "SELECT city, sex, count(*) FROM people GROUP BY ROLLUP (city, sex)"
MONEY = "SELECT flag, sum(price), sum(quantity) FROM lineitem GROUP BY ROLLUP (flag)"


def keys_of(release: Release) -> list[tuple[Value, ...]]:
    domains = [key.domain for key in release.bounded.keys]
    return list(product(*(each.values for each in domains if isinstance(each, Literals))))


def rows_of(release: Release, keys: Sequence[tuple[Value, ...]], numbers: Sequence[Sequence[Value]]) -> Rows:
    width = len(release.bounded.keys) + len(release.outputs)
    width += max((len(row) - len(release.outputs) for row in numbers), default=0)  # the clips that were chosen
    columns = tuple(Column(f"c{index}", "bigint") for index in range(width))
    return Rows(columns, tuple((*key, *row) for key, row in zip(keys, numbers, strict=True)))


def drawn(made: Plan, draw: Random, spread: int = 50) -> tuple[Rows, ...]:
    """Released rows over declared keys."""
    released = []
    for each in made.releases:
        keys = keys_of(each)
        numbers = [[draw.randint(-spread, 3 * spread) for _ in each.outputs] for _ in keys]
        released.append(rows_of(each, keys, numbers))
    return tuple(released)


def summed(hierarchy: Hierarchy, rows: Sequence[Rows], level: Level) -> list[Value]:
    """What the parts of each row of a level add up to."""
    own = [(i, column) for i, column in enumerate(level.keys) if column is not None]
    parts = rows[hierarchy.parts.release].rows
    return [
        sum(part[hierarchy.parts.column] for part in parts if all(part[i] == row[column] for i, column in own))  # type: ignore[misc]
        for row in rows[level.release].rows
    ]


def matrix(hierarchy: Hierarchy, rows: Sequence[Rows], level: Level) -> NDArray[np.float64]:
    """S_l: which parts each row of a level is made of."""
    own = [(i, column) for i, column in enumerate(level.keys) if column is not None]
    parts, totals = rows[hierarchy.parts.release].rows, rows[level.release].rows
    return np.array([[float(all(p[i] == t[c] for i, c in own)) for p in parts] for t in totals])


@pytest.mark.parametrize("sql", [CUBE, ROLLUP, CUBE.replace("CUBE", "ROLLUP")])
@given(draw=st.randoms(use_true_random=False), held=st.booleans())
@settings(max_examples=20, deadline=None)
def test_parts_add_up(sql: str, catalog: Catalog, draw: Random, held: bool) -> None:
    made = replace(plan(sql, catalog), nonnegative=held)
    before = drawn(made, draw)
    after = post_processed(made, before)
    assert made.hierarchies
    for each in made.hierarchies:
        for level in each.levels:
            told = list(after[level.release].column(level.column))
            assert told == summed(each, after, level)
            assert all(type(number) is int for number in told)
            assert not held or min(told) >= 0
    assert [each.columns for each in after] == [each.columns for each in before]


@pytest.mark.parametrize("sql", [CUBE, ROLLUP])
@given(draw=st.randoms(use_true_random=False))
@settings(max_examples=10, deadline=None)
def test_they_are_the_nearest(sql: str, catalog: Catalog, draw: Random) -> None:
    """The same as least squares by a whole matrix; rounding moves the sum of neighbours by less than a step."""
    made = plan(sql, catalog)
    before = drawn(made, draw, 10**6)
    after = post_processed(made, before)
    for each in made.hierarchies:
        rows, wanted = [], []
        for level in each.levels:
            weight = (variance(made.releases, level) or 0.0) ** -0.5
            rows.append(matrix(each, before, level) * weight)
            wanted.append(np.array(before[level.release].column(level.column), dtype=float) * weight)
        solved = np.linalg.lstsq(np.vstack(rows), np.concatenate(wanted))[0]
        parts = np.array(after[each.parts.release].column(each.parts.column), dtype=float)
        assert np.abs(parts - solved).max() < 1.001


@pytest.mark.parametrize("sql", [CUBE, ROLLUP, CUBE.replace("CUBE", "ROLLUP"), MONEY])
def test_narrowed_is_what_least_squares_leave(sql: str, catalog: Catalog) -> None:
    made = plan(sql, catalog)
    found = narrowed(made)
    rows = drawn(made, Random(1))
    for each in made.hierarchies:
        variances = [variance(made.releases, level) or 0.0 for level in each.levels]
        made_of = [matrix(each, rows, level) for level in each.levels]
        covariance = np.linalg.inv(sum(s.T @ s / v for s, v in zip(made_of, variances, strict=True)))
        for level, of, before in zip(each.levels, made_of, variances, strict=True):
            after = np.diag(of @ covariance @ of.T)
            assert after == pytest.approx([before * found[level.release, level.column] ** 2] * len(after))


def test_each_level_is_better(catalog: Catalog) -> None:
    for sql in (CUBE, ROLLUP, MONEY):
        made = plan(sql, catalog)
        found = narrowed(made)
        numbers = [(level.release, level.column) for each in made.hierarchies for level in each.levels]
        assert numbers
        assert all(found[each] < 0.99 for each in numbers)


def test_sums_keep_their_grid(catalog: Catalog) -> None:
    made = plan(MONEY, catalog)
    values = [
        [Decimal("1.25"), Decimal("7.00")],
        [Decimal("-3.10"), Decimal("8.00")],
        [Decimal("9.99"), Decimal("1.00")],
    ]
    before = (
        rows_of(made.releases[0], keys_of(made.releases[0]), values),
        rows_of(made.releases[1], [()], [[Decimal("100.01"), Decimal("99.00")]]),
    )
    after = post_processed(made, before)
    for each in made.hierarchies:
        [total] = after[1].column(each.totals[0].column)
        assert [total] == summed(each, after, each.totals[0])
        assert isinstance(total, Decimal)
        assert total.as_tuple().exponent == -2


def test_floats_add_up_but_for_their_last_digits(catalog: Catalog) -> None:
    made = plan("SELECT sex, sum(income) FROM people GROUP BY ROLLUP (sex)", catalog)
    before = (
        rows_of(made.releases[0], keys_of(made.releases[0]), [[1.5], [2.5]]),
        rows_of(made.releases[1], [()], [[10.0]]),
    )
    [each] = made.hierarchies
    after = post_processed(made, before)
    assert list(after[1].column(0)) == pytest.approx(summed(each, after, each.totals[0]))
    assert 4 < after[1].column(0)[0] < 10  # type: ignore[operator]


def test_at_a_clip_parts_add_up_by_the_noise_of_each(catalog: Catalog) -> None:
    """The clip that was chosen stands behind the numbers: who has a smaller one has less noise, and gives way less."""
    made = plan("SELECT flag, count(*) FROM lineitem GROUP BY ROLLUP (flag)", uncapped(catalog))
    [each] = made.hierarchies
    clips = [Decimal(2), Decimal(4)]
    keys = [keys_of(made.releases[0]), [()]]
    before = tuple(
        rows_of(release, its, [[10 * len(keys[0]) // len(its), clip] for _ in its])
        for release, its, clip in zip(made.releases, keys, clips, strict=True)
    )
    low = replace(before[1], rows=((7 * len(keys[0]), clips[1]),))
    after = post_processed(made, (before[0], low))
    [total] = after[1].column(0)
    assert [total] == summed(each, after, each.totals[0])
    variances = [variance(made.releases, level, before[level.release]) or 0.0 for level in each.levels]
    assert variances[1] == pytest.approx(4 * variances[0])
    parts = len(keys[0])
    # The precision-weighted mean of what the parts add up to, and of the total itself.
    weights = np.array([1 / (parts * variances[0]), 1 / variances[1]])
    assert total == pytest.approx(np.average([10 * parts, 7 * parts], weights=weights), abs=1)
    assert after[0].column(2) == before[0].column(2)
    nobody = replace(before[1], rows=())
    assert post_processed(made, (before[0], nobody)) == (before[0], nobody)


def test_private_parts_add_up_where_both_were_told(catalog: Catalog) -> None:
    """Both releases choose their cities by themselves: a total without parts, and parts without a total, stay."""
    made = plan(PRIVATE, catalog)
    [each] = made.hierarchies
    assert [level.release for level in each.levels] == [0, 1]
    parts = [("Delft", "F"), ("Delft", "M"), ("Gouda", "F"), ("Gouda", "M")]
    before = (
        rows_of(made.releases[0], parts, [[10], [20], [30], [40]]),
        rows_of(made.releases[1], [("Delft",), ("Leiden",)], [[60], [7]]),
        rows_of(made.releases[2], [()], [[500]]),
    )
    after = post_processed(made, before)
    delft, leiden = after[1].column(1)
    assert after[0].rows[0][2] + after[0].rows[1][2] == delft  # type: ignore[operator]
    assert 30 < delft < 60  # type: ignore[operator]
    assert leiden == 7
    assert after[0].rows[2:] == before[0].rows[2:]
    assert after[2] == before[2]
    assert not narrowed(made)


def test_what_is_too_much_stays(catalog: Catalog) -> None:
    made = plan(PRIVATE, catalog)
    [each] = made.hierarchies
    many = [(f"city {i // 2}", "FM"[i % 2]) for i in range(MOST_NUMBERS // 2 + 2)]
    released = [
        rows_of(made.releases[0], many, [[5]] * len(many)),
        rows_of(made.releases[1], [("city 1",)], [[100]]),
        rows_of(made.releases[2], [()], [[500]]),
    ]
    assert consistent(each, made.releases, released, False) == released
    saturated = [rows_of(made.releases[0], many[:4], [[2**63 - 1]] * 4), *released[1:]]
    assert consistent(each, made.releases, saturated, False) == saturated


def test_no_number_is_adjusted_twice() -> None:
    first = Hierarchy("a", Level(0, 1, (0,)), (Level(1, 0, (None,)),))
    second = Hierarchy("b", Level(2, 1, (0,)), (Level(1, 0, (None,)),))
    third = Hierarchy("c", Level(2, 2, (0,)), (Level(1, 1, (None,)),))
    assert apart([first, first, second, third]) == (first, third)


def test_what_cannot_be_negative_is_not(catalog: Catalog) -> None:
    made = plan("SELECT sex, count(*), sum(age), avg(age), sum(age - 50) FROM people GROUP BY sex", catalog)
    [release] = made.releases
    names = [output.label for output in release.outputs]
    assert nonnegative_columns(release) == {1, 2}, names
    before = rows_of(release, [("F",), ("M",)], [[-3, -7, -1.5, -9], [4, Decimal("-1.50"), 1.5, 9]])
    assert nonnegative(release, before).rows == (("F", 0, 0, -1.5, -9), ("M", 4, Decimal("0.00"), 1.5, 9))
    assert post_processed(made, [before]) == (before,)
    assert post_processed(replace(made, nonnegative=True), [before]) == (nonnegative(release, before),)


def test_held_parts_still_add_up_to_what_was_told(catalog: Catalog) -> None:
    """To put negative parts to 0 alone would make their total larger; here the others give way."""
    made = replace(plan(ROLLUP, catalog), nonnegative=True)
    keys = keys_of(made.releases[0])
    before = (
        rows_of(made.releases[0], keys, [[0, -40], [0, 40], [0, -40], [0, 40]]),
        rows_of(made.releases[1], [("F",), ("M",)], [[0, 0], [0, 0]]),
        rows_of(made.releases[2], [()], [[0, 0]]),
    )
    after = post_processed(made, before)
    counts = [row[3] for row in after[0].rows]
    assert min(counts) == 0  # type: ignore[type-var]
    assert sum(counts) < 40  # type: ignore[arg-type]
