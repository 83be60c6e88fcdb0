"""Noise of time: its loss against exact distributions, its margin, and the seconds that it comes to."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import NotPrivate
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import TICKS, TimeNoise, beyond, deadline_noise, delay_noise
from dpproxy.plan.timing import MARGIN, Speed, schedule
from dpproxy.plan.work import Work

SHARES = st.decimals("1e-9", "1e3", places=12)
DELTA = Decimal("1e-9")
DELTAS = st.sampled_from([Decimal("1e-3"), Decimal("1e-9"), Decimal("1e-15")])
ACCOUNTINGS = st.sampled_from(list(Accounting))
Chances = np.ndarray


def chances(noise: Noise, most: int) -> Chances:
    """P(Z = k) for k from −most to most."""
    k = np.arange(-most, most + 1, dtype=float)
    match noise.distribution:
        case Distribution.LAPLACE:
            weights = np.exp(-np.abs(k) / noise.scale)
        case Distribution.GAUSSIAN:
            weights = np.exp(-((k / noise.scale) ** 2) / 2)
    return weights / weights.sum()


def leaving(time: TimeNoise, worked: int, most: int) -> Chances:
    """P(the answer leaves at tick k) for k from 0 to 2·most, of work that takes so many ticks."""
    assert time.margin is not None
    found = np.zeros(2 * most + 1)
    for z, chance in zip(range(-most, most + 1), chances(time.noise, most), strict=True):
        found[min(max(worked, worked + time.margin + z), 2 * most)] += chance
    return found


def excess(one: Chances, other: Chances, epsilon: float) -> float:
    """The least δ at which the one is (ε, δ)-close to the other."""
    return float(np.maximum(one - math.exp(epsilon) * other, 0).sum())


@given(ACCOUNTINGS, SHARES, DELTAS)
def test_it_loses_no_more_than_its_share(accounting: Accounting, share: Decimal, delta: Decimal) -> None:
    for time in (deadline_noise(accounting, share), delay_noise(accounting, share, delta)):
        loss = time.loss(accounting)
        main, lost = loss.main, loss.delta
        assert main <= share
        assert lost <= (0 if time.margin is None else delta)


@pytest.mark.parametrize("apart", [1, 500, TICKS, TICKS + 1])
def test_the_moment_is_as_private_as_it_says(apart: int) -> None:
    """The exact distribution of the moment, of work that is so many ticks apart: within ε but for δ, both ways."""
    time = delay_noise(Accounting.PURE, Decimal(1), Decimal("1e-4"))
    most = 30_000
    here, gone = leaving(time, 100 + apart, most), leaving(time, 100, most)
    assert excess(here, gone, 1.0) <= 1e-4 + 1e-9
    assert excess(gone, here, 1.0) <= 1e-4 + 1e-9
    if apart == TICKS + 1:
        # It is tight: half of the margin, or work that is twice as far apart, is more than was paid for.
        short = TimeNoise(time.noise, (time.margin or 0) // 2)
        assert excess(leaving(short, 100, most), leaving(short, 100 + apart, most), 1.0) > 1e-4
        assert excess(leaving(time, 100 + 2 * apart, most), gone, 1.0) > 1e-2


def test_the_gaussian_moment_keeps_to_rho() -> None:
    """Rényi divergence at some orders, over what is not cut off: at most ρ·α (Bun, Steinke 2016)."""
    time = delay_noise(Accounting.ZCDP, Decimal("0.5"), Decimal("1e-6"))
    most = 20_000
    here, gone = leaving(time, 100 + TICKS, most), leaving(time, 100, most)
    both = (here > 1e-250) & (gone > 1e-250)
    both[: 100 + TICKS + 1] = False  # where one of them may be cut off: that is what δ pays for
    for order in (1.5, 2.0, 8.0, 32.0):
        for one, other in ((here, gone), (gone, here)):
            terms = order * np.log(one[both]) + (1 - order) * np.log(other[both])
            divergence = np.logaddexp.reduce(terms) / (order - 1)
            assert divergence <= 0.5 * order + 1e-9
    assert here[: 100 + TICKS + 1].sum() <= 1e-6
    assert gone[: 100 + TICKS + 1].sum() <= 1e-6


@given(st.integers(0, 10**6), st.integers(0, TICKS), st.integers(-(10**5), 10**5))
def test_whether_it_ends_in_time_is_a_threshold_of_the_noised_time(worked: int, apart: int, limit: int) -> None:
    """The deadline of each draw, compared with work in ticks, is one of an integer's: both worlds by the same rule."""
    time = deadline_noise(Accounting.PURE, Decimal(1))
    made = schedule(time, Work(1, TICKS), Speed(1e6, 1.0), "person")
    for each in (worked, worked + apart):
        drawn = limit - each
        assert (each * made.tick <= made.limit - drawn * made.tick) == (each + drawn <= made.limit / made.tick)


@pytest.mark.parametrize("accounting", list(Accounting))
def test_the_margin_is_the_tail(accounting: Accounting) -> None:
    for delta in (Decimal("1e-2"), Decimal("1e-6"), Decimal("1e-12")):
        time = delay_noise(accounting, Decimal("0.1"), delta)
        ticks = (time.margin or 0) - TICKS - 1
        assert beyond(time.noise, ticks) <= delta < beyond(time.noise, ticks - max(ticks // 100, 2))
    assert beyond(time.noise, -1) == 1


def test_draws_are_of_the_noise() -> None:
    """A thousand draws: how many pass the median and the quartiles, within the binomial's 1e-7 quantiles."""
    time = deadline_noise(Accounting.PURE, Decimal("0.01"))
    found = np.array(time.draws(1000)) / time.noise.scale
    for threshold in (-math.log(2), 0.0, math.log(2)):
        share = (found > threshold).mean()
        expected = 1 - (math.exp(threshold) / 2 if threshold < 0 else 1 - math.exp(-threshold) / 2)
        assert abs(share - expected) < 5.5 * math.sqrt(expected * (1 - expected) / 1000) + 1e-3


def test_noise_for_less_than_a_unit_is_found() -> None:
    noise = deadline_noise(Accounting.PURE, Decimal(1)).noise
    less = TimeNoise(Noise(noise.distribution, noise.scale, Sensitivity(1, TICKS // 2)), None)
    with pytest.raises(ValueError, match="less than one unit"):
        less.loss(Accounting.PURE)
    with pytest.raises(ValueError):
        delay_noise(Accounting.PURE, Decimal(1), Decimal(0))


def test_seconds() -> None:
    """A unit's work of a millisecond, at an epsilon of 0.01 for time: a margin of about two seconds."""
    time = delay_noise(Accounting.PURE, Decimal("0.01"), Decimal("1e-9"))
    made = schedule(time, Work(1, 1000), Speed(60, 1e-6 / MARGIN), "person")
    assert made.unit == pytest.approx(1e-3)
    assert made.margin == pytest.approx(0.1 * math.log(1 / 2e-9), rel=0.01)
    assert made.stddev == pytest.approx(0.1 * math.sqrt(2), rel=0.01)
    assert made.deadline(1000) == pytest.approx(60 - 1e-3)
    assert made.delay(-(10**9)) == 0
    assert (
        schedule(deadline_noise(Accounting.PURE, Decimal("0.01")), Work(1, 1), Speed(60, 1e-7), "person").delay(5) == 0
    )


def test_what_noise_cannot_hide_in_the_limit_has_one_moment_or_is_refused() -> None:
    """At a tiny epsilon noise would be longer than any limit. What is done in it by all needs none."""
    for time in (
        deadline_noise(Accounting.PURE, Decimal("1e-13")),
        delay_noise(Accounting.PURE, Decimal("1e-13"), DELTA),
    ):
        made = schedule(time, Work(1, 10**6, (), 0, 10**8), Speed(60, 1e-7), "person")
        assert (made.least, made.tick, made.deadline(10**30), made.delay(10**30)) == (
            pytest.approx(10 * MARGIN),
            0,
            60,
            0,
        )
        with pytest.raises(NotPrivate, match=r"of one person, .* up to 1,000,000 row operations") as caught:
            schedule(time, Work(1, 10**6, (), 0, 2 * 10**8), Speed(60, 1e-7), "person")
        assert "max_unit_rows" in str(caught.value.hint)


def test_tables_that_one_row_may_make_the_engine_read() -> None:
    """Nothing leaves before all of that could be done; what may not be done in time is refused."""
    time = delay_noise(Accounting.ZCDP, Decimal("0.001"), DELTA)
    assert schedule(time, Work(1, 100, (), 0, 10**9), Speed(60, 1e-7), "person").least == 0
    assert schedule(time, Work(1, 100, (), 1, 10**8), Speed(60, 1e-7), "person").least == pytest.approx(10 * MARGIN)
    with pytest.raises(NotPrivate) as caught:
        schedule(time, Work(1, 100, (), 1, 2 * 10**8), Speed(60, 1e-7), "person")
    assert "max_rows" in str(caught.value.hint)


@given(SHARES, DELTAS)
def test_no_sum_of_chances_passes_the_bound(share: Decimal, delta: Decimal) -> None:
    """P(Z > q) of discrete Laplace in fractions of e: q is the first at which it is within δ."""
    time = delay_noise(Accounting.PURE, share, delta)
    q = (time.margin or 0) - TICKS - 1
    exact = math.exp(-(q + 1) / time.noise.scale) / (1 + math.exp(-1 / time.noise.scale))
    assert Fraction(exact) <= Fraction(delta) * (1 + Fraction(1, 10**9))
