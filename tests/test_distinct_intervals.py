"""Intervals of numbers of distinct values at a limit that is chosen: they hold the exact number, or are open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from math import isfinite

import numpy as np
import pytest
from scipy import stats
from test_distinct_noise import Held, found
from uncapped import uncapped

from dpproxy.accounting.loss import Accounting
from dpproxy.error_bars import margins
from dpproxy.error_bars.replicates import ToldRows
from dpproxy.mechanisms.distinct_noise import distinct_noise
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Applied
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rows import Column, Rows

WAYS = [(Norm.L1, Accounting.PURE, Decimal(1)), (Norm.L2, Accounting.ZCDP, Decimal("0.5"))]
SURE = Decimal("0.95")
RUNS = 40


def shared(units: int, each: int, values: int) -> list[list[Held]]:
    """Units with so many values, drawn from as many as there are."""
    random = np.random.default_rng(9)
    return [[(0, int(value)) for value in random.permutation(values)[:each]] for _ in range(units)]


def own(units: int) -> list[list[Held]]:
    """Units with values that nobody else has, of numbers with a tail."""
    counts = np.maximum(1, np.random.default_rng(10).lognormal(2, 1, units)).astype(int)
    return [[(0, 10_000 * unit + at) for at in range(count)] for unit, count in enumerate(counts)]


def intervals(units: Sequence[Sequence[Held]], norm: Norm, accounting: Accounting, price: Decimal) -> list[list[float]]:
    """Ends of answers to one question."""
    made = uncapped("SELECT count(DISTINCT dept) FROM visits").releases[0]
    bounded = replace(made.bounded, clip=norm)
    it = replace(made, bounded=bounded, mechanisms=(Applied(distinct_noise(norm, accounting, price), 0),))
    (by_bucket,) = found(units, 1).totals
    names = ("c", "b0", "m0")
    columns = tuple(Column(name, "bigint") for name in names)
    exact = Rows(columns, tuple((0, bucket, count) for bucket, count in by_bucket.items()))
    ends = []
    for _ in range(RUNS):
        rows = release(it, exact, key_space((), {}, ()))
        told = margins(ToldRows([it], [rows], [rows]), 0, 0, SURE)
        ends.append([float(told.low[0]), float(told.high[0])])
    return ends


@pytest.mark.parametrize(("norm", "accounting", "price"), WAYS)
def test_an_interval_holds_the_number(norm: Norm, accounting: Accounting, price: Decimal) -> None:
    """Of values of one unit each, and of many; and mostly it has both ends."""
    for units in (own(1000), shared(1000, 30, 2000), shared(1000, 3, 500)):
        number = len({held for unit in units for held in unit})
        told = intervals(units, norm, accounting, price)
        hits = sum(low <= number and not number > high for low, high in told)
        assert stats.binomtest(hits, RUNS, 0.95, alternative="less").pvalue > 1e-9
        assert sum(not isfinite(high) for _, high in told) < RUNS / 2


@pytest.mark.parametrize(("norm", "accounting", "price"), WAYS)
def test_of_few_values_nobody_knows_how_many_more_there_are(norm: Norm, accounting: Accounting, price: Decimal) -> None:
    """One of each unit tells all eight that all have, and of eight units next to nothing of a hundred each: that is the
    same, so that both have an open end."""
    for units in (shared(500, 8, 8), [[(0, 1000 * unit + at) for at in range(100)] for unit in range(8)]):
        told = intervals(units, norm, accounting, price)
        assert sum(not isfinite(high) for _, high in told) > RUNS / 2
        assert all(low < 60 for low, _ in told)
