"""How many rows are met, at a clip: beside a linear program, and of neighbours; and the noise at it."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.pair_totals import MOST_FINE
from dpproxy.mechanisms.paired_noise import GAIN, MOVED, halves_of, left_of, paired_noise
from dpproxy.mechanisms.rows_met import MetTotals, at_most, met_at, most_met_at

UNITS = 7


def drawn(random: np.random.Generator, alike: bool, most: int) -> MetTotals:
    """Few rows of few units, met by few, some often."""
    rows = int(random.integers(1, 16))
    owners = random.integers(0, UNITS, rows)
    pairs = sorted({(int(random.integers(0, rows)), int(random.integers(0, UNITS))) for _ in range(30)})
    at, others = (np.array(each, dtype=np.int64) for each in zip(*pairs, strict=True))
    return MetTotals(owners[at], others, at, random.integers(1, 4, len(pairs)), alike, most)


def without(met: MetTotals, unit: int, second: bool) -> MetTotals:
    """What is left when a unit leaves, of those who meet or of the owners; of one kind, of both."""
    kept = (met.others if second else met.owners) != unit
    if met.alike:
        kept = (met.owners != unit) & (met.others != unit)
    return MetTotals(met.owners[kept], met.others[kept], met.rows[kept], met.amounts[kept], met.alike, met.most)


def best(met: MetTotals, clip: int) -> float:
    """The maximum, by a linear program over rows and who meets them."""
    if not len(met.amounts):
        return 0.0
    rows = int(met.rows.max()) + 1
    held = np.zeros((rows + 2 * UNITS, len(met.amounts)))
    for at, (owner, other, row) in enumerate(zip(met.owners, met.others, met.rows, strict=True)):
        held[row, at] += 1
        held[rows + owner, at] += 1
        held[rows + (0 if met.alike else UNITS) + other, at] += 1
    ends = [met.most] * rows + [clip] * 2 * UNITS
    found = linprog(-np.ones(len(met.amounts)), A_ub=held, b_ub=ends, bounds=[(0, each) for each in met.amounts])
    return float(-found.fun)


@pytest.mark.parametrize(("alike", "most"), list(product([False, True], [1, 3])))
def test_it_is_the_maximum(alike: bool, most: int) -> None:
    random = np.random.default_rng(1)
    for met in (at_most(drawn(random, alike, most), most) for _ in range(20)):
        for power in range(5):
            assert met_at(met, power) == int(best(met, 1 << power) + 1e-6) <= most_met_at(met, power)


@pytest.mark.parametrize("alike", [False, True])
def test_without_a_clip_rows_are_counted(alike: bool) -> None:
    """Those that are met, and those that are met twice or more."""
    random = np.random.default_rng(2)
    for met in (drawn(random, alike, 2) for _ in range(10)):
        twice, once = halves_of(met)
        counts = np.bincount(met.rows, weights=met.amounts)
        assert isinstance(once, MetTotals) and isinstance(twice, MetTotals)
        assert met_at(once, 20) == (counts > 0).sum()
        assert met_at(twice, 20) - met_at(once, 20) == (counts > 1).sum()


@pytest.mark.parametrize(("alike", "most"), list(product([False, True], [1, 2])))
def test_one_unit_moves_it_by_a_clip_at_most(alike: bool, most: int) -> None:
    """Of rows that are met twice, both halves fall, so that their difference moves by no more."""
    random = np.random.default_rng(3)
    for met in (drawn(random, alike, most) for _ in range(10)):
        for unit, second in product(range(UNITS), [False, True]):
            others = without(met, unit, second)
            for power in range(4):
                whole, rest = (
                    [met_at(each, power) for each in halves_of(found) if isinstance(each, MetTotals)]
                    for found in (met, others)
                )
                assert all(0 <= before - after <= 1 << power for before, after in zip(whole, rest, strict=True))
                assert abs((whole[0] - whole[1]) - (rest[0] - rest[1])) <= 1 << power
                told = int((np.bincount(met.rows, weights=met.amounts) >= most).sum())
                assert 0 <= whole[0] - whole[1] <= told, "what is left is never more than there is"


@pytest.mark.parametrize(("alike", "most"), list(product([False, True], [1, 2])))
def test_one_unit_moves_scores_as_claimed(alike: bool, most: int) -> None:
    noise, random = paired_noise(Norm.L1, Accounting.PURE, Decimal("0.8"), 1, min(most, 2)), np.random.default_rng(4)
    for met in (drawn(random, alike, most) for _ in range(3)):
        scores = noise.scores([halves_of(met)])
        for unit, second in product(range(3), [False, True]):
            others = noise.scores([halves_of(without(met, unit, second))])
            moved = [after - before for before, after in zip(scores, others, strict=True)]
            assert max(moved) <= 2 * GAIN + 1 and min(moved) >= -(GAIN + 1) and max(moved) - min(moved) <= MOVED


def weighted(random: np.random.Generator, alike: bool) -> MetTotals:
    """Rows that count for so much: most for what they hold themselves, some for what they are met with."""
    met = drawn(random, alike, 1)
    own = random.integers(-9, 20, int(met.rows.max()) + 1)[met.rows]
    amounts = np.where(met.rows % 3 == 0, random.integers(-9, 20, len(own)), own)
    return MetTotals(met.owners, met.others, met.rows, amounts, alike, weighted=True)


def best_of_steps(met: MetTotals, clip: int) -> float:
    """The same where each step of an amount is a row of its own."""
    steps = [(at, step) for at, amount in enumerate(met.amounts) for step in range(int(amount))]
    if not steps:
        return 0.0
    at = np.array([each for each, _ in steps])
    known = np.unique(np.array([(met.rows[each], step) for each, step in steps]), axis=0, return_inverse=True)[1]
    rows = known.reshape(-1)
    return best(MetTotals(met.owners[at], met.others[at], rows, np.ones(len(at), dtype=np.int64), met.alike), clip)


@pytest.mark.parametrize("alike", [False, True])
def test_rows_that_count_for_so_much(alike: bool) -> None:
    random = np.random.default_rng(7)
    for met in (weighted(random, alike) for _ in range(6)):
        for half in halves_of(met):
            assert isinstance(half, MetTotals)
            for power in (2, 4):
                assert met_at(half, power) == int(best_of_steps(half, 1 << power) + 1e-6) <= most_met_at(half, power)


@pytest.mark.parametrize("alike", [False, True])
def test_one_unit_moves_what_they_count_for_by_a_clip_at_most(alike: bool) -> None:
    random = np.random.default_rng(8)
    for met in (weighted(random, alike) for _ in range(8)):
        before = [[left_of(half, power) for power in (1, 3, MOST_FINE + 1)] for half in halves_of(met)]
        for unit, second in product(range(UNITS), [False, True]):
            kept = (met.others if second else met.owners) != unit
            if alike:
                kept = (met.owners != unit) & (met.others != unit)
            others = MetTotals(
                met.owners[kept], met.others[kept], met.rows[kept], met.amounts[kept], alike, weighted=True
            )
            after = [[left_of(half, power) for power in (1, 3, MOST_FINE + 1)] for half in halves_of(others)]
            for one, other in zip(before, after, strict=True):
                assert all(0 <= a - b <= clip for a, b, clip in zip(one, other, (2, 8, 1 << MOST_FINE), strict=True))


def test_large_amounts_are_cut_off_before() -> None:
    """What is left is in parts of a clip that has no room, whatever steps there are."""
    ends, rows = np.array([0, 1, 2]), np.array([0, 0, 1])
    met = MetTotals(np.array([5, 5, 6]), ends, rows, np.array([2**36 + 5, 2**35, -(2**36)]), False, weighted=True)
    above, below = halves_of(met)
    assert left_of(above, 40) == 2**26 and left_of(below, 40) == 2**26
    assert left_of(above, 33) == 2**30


def test_parts_of_large_clips() -> None:
    met = at_most(drawn(np.random.default_rng(5), True, 1), 1)
    assert met_at(met, MOST_FINE + 2) == met_at(met, MOST_FINE) >> 2


def test_many_rows_of_few_units() -> None:
    """As large as what units by themselves leave, where these have the same."""
    random = np.random.default_rng(6)
    owners, rows = random.integers(0, 50, 20_000), np.arange(60_000) % 20_000
    met = MetTotals(owners[rows], random.zipf(1.5, 60_000) % 400, rows, np.ones(60_000, dtype=np.int64), True)
    for power in (3, 7):
        assert 0 < met_at(met, power) <= most_met_at(met, power)
