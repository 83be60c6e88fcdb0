"""Quantiles between noisy counts: their share, what is counted, how often intervals hold the quantile; the checker.

Coverage has no chance of more than one in a million to fail a correct program: what is held may lie by five standard
deviations below what it should be.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from scipy import stats
from test_quantiles import MEDIAN, ONE_ROW, Change, of_mechanism
from worlds import plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.mechanisms.histograms import Cells, Histograms
from dpproxy.mechanisms.noise import Distribution, Noise, gaussian, laplace
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets, cuts, quantile_brackets, reach
from dpproxy.mechanisms.quantile_ends import DEVIATIONS, Ends, ReadOff
from dpproxy.mechanisms.quantile_tree import QuantileTree, quantile_tree
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.rewrite.checker import CheckFault, check_plan

ONE = Sensitivity(1, 1)
LEAST, MOST = Rank(0, 1), Rank(1, 1)
RUNS = sized(40, 40, 2000)
DRAWS = 200_000


def brackets(
    ranks: Sequence[Rank], buckets: int, accounting: Accounting, epsilon: str, moved: Sensitivity = ONE
) -> QuantileBrackets:
    """Of a price of ε, or of the ρ that it costs."""
    loss = Decimal(epsilon) if accounting is Accounting.PURE else Decimal(epsilon) ** 2 / 2
    noise = laplace if accounting is Accounting.PURE else gaussian
    return quantile_brackets(tuple(ranks), buckets, moved, accounting, loss, noise)


def tree(ranks: Sequence[Rank], buckets: int, accounting: Accounting, epsilon: str) -> QuantileTree:
    loss = Decimal(epsilon) if accounting is Accounting.PURE else Decimal(epsilon) ** 2 / 2
    noise = laplace if accounting is Accounting.PURE else gaussian
    return quantile_tree(tuple(ranks), buckets, ONE, lambda moved: noise(moved, loss))


# Loss


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(1, 5), st.sampled_from(Accounting), st.floats(1e-3, 20))
def test_it_keeps_to_its_share(count: int, groups: int, accounting: Accounting, share: float) -> None:
    """And takes nearly all of it; no unit moves a count further than it moves the histogram."""
    ranks = [Rank(1, 2 + at) for at in range(count)]
    made = brackets(ranks, 100, accounting, str(share), Sensitivity(groups, 65_536))
    price = Decimal(str(share)) if accounting is Accounting.PURE else Decimal(str(share)) ** 2 / 2
    found = made.loss(accounting)
    assert price * Decimal("0.99999") <= found.main <= price and found.delta == 0
    assert made.made_for == made.around.sensitivity == Sensitivity(groups, 65_536)


# What is counted


@given(st.lists(st.integers(0, 999), min_size=1, max_size=3), st.integers(1, 1000))
def test_each_bucket_is_in_one_part(chosen: list[int], buckets: int) -> None:
    """Cuts rise, within the buckets; what was chosen has a part of its own, and the number of parts grows as log."""
    within = tuple(each % buckets for each in chosen)
    found = cuts(within, buckets)
    assert found == sorted(set(found)) and all(0 < each < buckets for each in found)
    assert all({each, each + 1} <= {0, *found, buckets} for each in within)
    assert len(found) <= 2 * len(chosen) * (1 + buckets.bit_length())


def test_one_row_moves_one_count_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What noise is added to: each bucket once, whatever was chosen; and nothing else is read."""
    given_: list[list[int]] = []
    made = brackets([MEDIAN], 200, Accounting.PURE, "1")
    monkeypatch.setattr(Noise, "release", lambda _, totals: given_.append(list(totals)) or list(totals))
    monkeypatch.setattr(type(made.choice), "release", lambda _, exact: [(77,)] * (len(exact) // 200))
    cells = {bucket: 1 + bucket % 5 for bucket in range(30, 150)}
    made.release(Histograms(200, (cells,)))
    for bucket in (0, 30, 76, 77, 78, 199):
        made.release(Histograms(200, ({**cells, bucket: cells.get(bucket, 0) + 1},)))
    first, *others = given_
    assert sum(first) == sum(cells.values())
    for other in others:
        assert sorted(more - less for more, less in zip(other, first, strict=True)) == [0] * (len(first) - 1) + [1]


# Noise


@pytest.mark.parametrize("rank", [LEAST, Rank(1, 10), MEDIAN, Rank(3, 4), MOST])
def test_noise_passes_its_reach_no_more_often(rank: Rank) -> None:
    """Of sums of few and of many Laplace noises: within a twentieth and what chance allows."""
    random, q = np.random.Generator(np.random.PCG64(7)), rank.numerator / rank.denominator
    sums = {parts: random.gamma(parts, 1, DRAWS) - random.gamma(parts, 1, DRAWS) for parts in (1, 2, 4, 17)}
    of = Noise(Distribution.LAPLACE, 1.0, ONE)
    for left, right in product(sums, sums):
        found = np.abs((1 - q) * sums[left] - q * random.permutation(sums[right]))
        for confidence, deviations in DEVIATIONS.items():
            outside = 1 - float(confidence)
            passed = float(np.mean(found > reach(of, left, right, rank, deviations)))
            assert passed <= 1.05 * outside + 5 * math.sqrt(outside / DRAWS), (left, right, confidence)


# Coverage


def _worlds() -> Mapping[str, tuple[int, np.ndarray]]:
    """Buckets among so many: few values, ties, heavy tails, a spike, few rows, none."""
    random = np.random.Generator(np.random.PCG64(11))
    return {
        "spread": (1000, random.integers(100, 900, 200)),
        "two values": (1000, np.repeat([300, 700], [250, 250])),
        "few values": (16, random.integers(3, 9, 400)),
        "ties": (1000, 10 * random.integers(0, 60, 300)),
        "a heavy tail": (22_000, 11_000 + np.floor(128 * np.log1p(random.pareto(0.7, 150) * 50)).astype(int)),
        "one value": (1000, np.full(200, 500)),
        "fifty rows": (22_000, 11_000 + np.floor(128 * np.log1p(random.lognormal(6, 1, 50))).astype(int)),
        "five rows": (120, random.integers(18, 77, 5)),
        "no row": (120, np.empty(0, dtype=int)),
    }


WORLDS = _worlds()


def between(values: Sequence[int], rank: Rank) -> tuple[float, ...]:
    """PERCENTILE_DISC and PERCENTILE_CONT of sorted values."""
    if not len(values):
        return ()
    at = max(0, -(-len(values) * rank.numerator // rank.denominator) - 1)
    return float(values[at]), float(np.quantile(values, rank.numerator / rank.denominator))


def holds(ends: Ends, value: float) -> bool:
    low, high = ends
    return (low is None or low <= value) and (high is None or value <= high)


def check_coverage(told: Sequence[ReadOff], ranks: Sequence[Rank], values: np.ndarray, slack: float) -> None:
    for place, rank in enumerate(ranks):
        for exact in between(np.sort(values), rank):
            for level, confidence in enumerate(DEVIATIONS):
                held = sum(holds(each.ends[place][level], exact) for each in told)
                least = stats.binom.ppf(1e-9, len(told), float(confidence) - slack)
                assert held >= least, (rank, exact, confidence, held)


def cells_of(values: np.ndarray) -> Cells:
    return {int(at): count for at, count in sorted(Counter(values.tolist()).items())}


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("epsilon", ["0.3", "5"])
@pytest.mark.parametrize("name", WORLDS)
def test_an_interval_holds_the_quantile(name: str, epsilon: str, accounting: Accounting) -> None:
    """At 90, 95, 99 and 99.9 %, of one rank, of two, and of extremes; around what was chosen, the surer the wider."""
    buckets, values = WORLDS[name]
    for ranks in ((MEDIAN,), (Rank(1, 4), Rank(9, 10)), (LEAST, MOST)):
        made = brackets(ranks, buckets, accounting, epsilon)
        told = made.release(Histograms(buckets, (cells_of(values),) * RUNS))
        check_coverage(told, ranks, values, 0.0)
        for each in told:
            for chosen, ends in zip(each.buckets, each.ends, strict=True):
                lows, highs = [low or 0 for low, _ in ends], [buckets if high is None else high for _, high in ends]
                assert all(low <= chosen for low in lows) and all(chosen <= high for high in highs)
                assert lows == sorted(lows, reverse=True) and highs == sorted(highs)


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("name", WORLDS)
def test_an_interval_of_a_tree_holds_the_quantile_of_any_world(name: str, accounting: Accounting) -> None:
    """A bucket further out, as it is told."""
    buckets, values = WORLDS[name]
    ranks = (Rank(1, 10), MEDIAN, Rank(3, 4))
    told = tree(ranks, buckets, accounting, "1").release(Histograms(buckets, (cells_of(values),) * RUNS))
    further = [
        ReadOff(each.buckets, tuple(tuple((low and low - 1, high and high + 1) for low, high in e) for e in each.ends))
        for each in told
    ]
    check_coverage(further, ranks, values, 0.0)


def test_an_extreme_is_open_at_its_end() -> None:
    made = brackets((LEAST, MOST), 4000, Accounting.PURE, "1")
    (told,) = made.release(Histograms(4000, (dict.fromkeys(range(1000, 3000), 10),)))
    least, most = told.ends
    assert all(low is None and high is not None and high >= 1000 for low, high in least)
    assert all(high is None and low is not None and low < 3000 for low, high in most)


def test_an_interval_is_narrow_where_there_are_many_rows() -> None:
    """Of 40,000 rows, ten in each of 4,000 buckets: within a hundredth of the rank, on either side."""
    for accounting in Accounting:
        made = brackets([MEDIAN], 4_000, accounting, "1")
        (told,) = made.release(Histograms(4_000, (dict.fromkeys(range(4_000), 10),)))
        (((low, high), *_),) = told.ends
        assert low is not None and high is not None and high - low < 80


# The checker


def around(**parts: object) -> Change:
    return of_mechanism(lambda it: it.__class__(it.choice, it.around.__class__(**{**_fields(it.around), **parts})))


def _fields(noise: Noise) -> dict[str, object]:
    return {"distribution": noise.distribution, "scale": noise.scale, "sensitivity": noise.sensitivity}


LIMITED = "SELECT dept, dp.median(cost) FROM visits GROUP BY dept"
LOOSENED: dict[str, tuple[str, Change, str]] = {
    "less noise": (ONE_ROW, around(scale=0.5), "more than is charged"),
    "no noise": (ONE_ROW, around(scale=0.0), "without a scale"),
    "made for less": (LIMITED, around(sensitivity=Sensitivity(3, 1)), "made for less than one unit"),
    "made for fewer": (LIMITED, around(sensitivity=Sensitivity(2, 65_536)), "made for less than one unit"),
}


@pytest.mark.parametrize("name", LOOSENED)
@pytest.mark.parametrize("accounting", Accounting)
def test_loosened_brackets_are_refused(name: str, accounting: Accounting, catalog: Catalog) -> None:
    sql, change, reason = LOOSENED[name]
    account: Terms = terms(accounting, Decimal(100), Decimal("1e-5"))
    made = plan(sql, catalog, account=account)
    check_plan(made, catalog, "duckdb", accounting)
    with pytest.raises(CheckFault, match=reason):
        check_plan(change(made), catalog, "duckdb", accounting)
