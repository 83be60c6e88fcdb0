"""Numbers of distinct values at a clip that is chosen: how far one unit moves them, and what noise they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import TotalsByNorm, clipped_noise
from dpproxy.mechanisms.distinct_noise import DistinctNoise, distinct_noise, within
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS, sensitivity
from dpproxy.mechanisms.norms import Norm, edge

WAYS = [(Norm.L1, Accounting.PURE), (Norm.L1, Accounting.ZCDP), (Norm.L2, Accounting.ZCDP)]
Held = tuple[int, int]
"""A key, and a value that a unit has there."""


def bucket_of(number: int) -> int:
    """The least that holds it, as the engine finds it."""
    return next(bucket for bucket in range(700) if edge(bucket) >= number)


def found(units: Sequence[Sequence[Held]], keys: int) -> TotalsByNorm:
    """What the engine finds of units, whose values are in the order that they are numbered in."""
    least: dict[Held, int] = {}
    for unit in units:
        for number, held in enumerate(unit, 1):
            least[held] = min(number, least.get(held, number))
    totals: list[Counter[int]] = [Counter() for _ in range(keys)]
    for (key, _), number in least.items():
        totals[key][bucket_of(number)] += 1
    return TotalsByNorm(Counter(bucket_of(len(unit)) for unit in units if unit), totals)


UNIT = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), unique=True, max_size=40)


@given(st.lists(UNIT, max_size=6), UNIT, st.integers(0, 60))
def test_one_unit_moves_the_numbers_by_no_more_than_the_clip(
    units: list[list[Held]], more: list[Held], bucket: int
) -> None:
    clip = edge(bucket)
    less, with_it = (within(found(each, 3).totals, clip) for each in (units, [*units, more]))
    moved = [a - b for a, b in zip(with_it, less, strict=True)]
    assert all(step >= 0 for step in moved)
    assert sum(moved) <= PARTS + len(moved) <= sensitivity(Norm.L1)
    assert sum(step**2 for step in moved) <= sensitivity(Norm.L2) ** 2
    assert len(moved) <= MOST_KEYS


def test_each_unit_counts_with_its_first_values() -> None:
    totals: Sequence[Mapping[int, int]] = found([[(0, at) for at in range(20)]], 1).totals
    for bucket in range(40):
        clip = edge(bucket)
        (counted,) = within(totals, clip)
        inside = sum(1 for number in range(1, 21) if edge(bucket_of(number)) <= clip)
        assert counted == Fraction(PARTS * inside) / clip // 1


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_it_costs_what_a_clip_costs(norm: Norm, accounting: Accounting) -> None:
    made, plain = distinct_noise(norm, accounting, Decimal(1)), clipped_noise(norm, accounting, Decimal(1), 1)
    assert made.loss(accounting) == plain.loss(accounting)
    assert made.loss(accounting).main <= 1
    assert (made.made_for, made.choice, made.start) == (plain.made_for, plain.choice, plain.start)


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_as_many_values_count_as_units_have(norm: Norm, accounting: Accounting) -> None:
    """Nothing is cut off but for a few units; a hundred values of each of 500 people are told to within a hundredth."""
    units = [[(0, 1000 * person + at) for at in range(100)] for person in range(500)]
    exact = found(units, 1)
    made = distinct_noise(norm, accounting, Decimal(1))
    assert isinstance(made, DistinctNoise)
    told = [made.release(exact) for _ in range(30)]
    counts = [float(each.part * each.totals[0]) for each in told]
    assert abs(mean(counts) - 50_000) < 2_500
    assert all(each.clip >= 80 for each in told)
