"""What is left of pairs at a clip: beside a linear program, and of neighbours."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from dpproxy.mechanisms import pair_totals
from dpproxy.mechanisms.pair_totals import MOST_FINE, PairTotals, above, below, left_at, most_left_at, sums


def drawn(random: np.random.Generator, alike: bool, most: int = 12) -> PairTotals:
    """Few pairs of few units, some of them several times."""
    count = int(random.integers(0, 40))
    ends = random.integers(0, 8, (2, count))
    return PairTotals(ends[0], ends[1], random.integers(0, most, count), alike)


def without(pairs: PairTotals, unit: int, second: bool) -> PairTotals:
    """The pairs that are left when a unit leaves, of the second kind or the first; of one kind, of both."""
    kept = (pairs.other if second else pairs.one) != unit
    if pairs.alike:
        kept = (pairs.one != unit) & (pairs.other != unit)
    return PairTotals(pairs.one[kept], pairs.other[kept], pairs.amounts[kept], pairs.alike)


def best(pairs: PairTotals, clip: int) -> float:
    """The maximum, by a linear program over the pairs: a row of two of one kind counts for both."""
    if not len(pairs.amounts):
        return 0.0
    held = np.zeros((16, len(pairs.amounts)))
    for at, (one, other) in enumerate(zip(pairs.one, pairs.other, strict=True)):
        held[one, at] += 1
        held[(0 if pairs.alike else 8) + other, at] += 1
    found = linprog(
        -np.ones(len(pairs.amounts)), A_ub=held, b_ub=np.full(16, clip), bounds=[(0, each) for each in pairs.amounts]
    )
    return float(-found.fun)


@pytest.mark.parametrize("alike", [False, True])
def test_it_is_the_maximum(alike: bool) -> None:
    random = np.random.default_rng(1)
    for pairs in (drawn(random, alike) for _ in range(30)):
        for power in range(6):
            assert left_at(pairs, power) == int(best(pairs, 1 << power) + 1e-6) <= most_left_at(pairs, power)


def test_what_is_spread_is_the_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few units with pairs with many, of which all have more than a clip: a flow that is not looked for is as large."""
    random, looked_for = np.random.default_rng(4), []
    between = pair_totals._between
    monkeypatch.setattr(pair_totals, "_between", lambda *of: (looked_for.append(of), between(*of))[1])
    ends, few = random.integers(0, 60, 3_000), random.integers(0, 5, 3_000)
    amounts = random.integers(0, 9, 3_000)
    cases = [
        PairTotals(ends, few, amounts),
        PairTotals(few, ends, amounts),
        PairTotals(random.zipf(1.5, 3_000) % 60, few, amounts),
    ]
    found = [left_at(pairs, power) for pairs in cases for power in range(14)]
    spread = len(looked_for)
    monkeypatch.setattr(pair_totals, "_spread", lambda *_: None)
    assert found == [left_at(pairs, power) for pairs in cases for power in range(14)]
    assert spread * 2 < len(looked_for) - spread


@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize(("most", "powers"), [(12, (0, 1, 3, 5, 33)), (2**40, (3, 30, 33, 38))])
def test_one_unit_lowers_it_by_a_clip_at_most_and_never_raises_it(
    alike: bool, most: int, powers: tuple[int, ...]
) -> None:
    random = np.random.default_rng(2)
    for pairs in (drawn(random, alike, most) for _ in range(15)):
        for power in powers:
            left, clip = left_at(pairs, power), 1 << min(power, MOST_FINE)
            for unit, second in product(range(8), (False,) if alike else (False, True)):
                assert 0 <= left - left_at(without(pairs, unit, second), power) <= clip


def test_halves_have_one_sign() -> None:
    pairs = PairTotals(np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([3, -2, 0]))
    assert list(above(pairs).amounts) == [3]
    assert (list(below(pairs).one), list(below(pairs).amounts)) == ([1], [2])


def test_many_pairs_of_few_units_are_exact() -> None:
    random = np.random.default_rng(3)
    ends, amounts = random.integers(0, 300, (2, 20_000)), random.integers(0, 2**38, 20_000)
    pairs = PairTotals(ends[0], ends[1], amounts)
    assert left_at(pairs, 46) == sum(int(each) >> 16 for each in amounts)
    assert pairs.most is None
    few = PairTotals(ends[0], ends[1], amounts >> 16)
    assert few.most == max(int(few.amounts[side == unit].sum()) for side in ends for unit in range(300))


@pytest.mark.parametrize("most", [2**20, 2**52, 2**56])
def test_what_each_unit_has_is_exact(most: int) -> None:
    """Below what floating point adds up, and beyond."""
    random = np.random.default_rng(3)
    ends, amounts = random.integers(0, 5, 60), random.integers(most // 2, most, 60)
    found = [sum(int(amount) for end, amount in zip(ends, amounts, strict=True) if end == unit) for unit in range(5)]
    assert sums(ends, amounts).tolist() == found
