"""The chance that noise reaches a number is never told too small: against exact sums, and integrals in 60 digits."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lanes import thinned
from scipy import stats

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.noise import LARGEST, Distribution
from dpproxy.mechanisms.selection import (
    Selection,
    gaussian_selection,
    laplace_selection,
    laplace_selection_for_rho,
    lonely_delta,
)
from dpproxy.mechanisms.tails import _ROOT_BELOW, _exp_above, _exp_below, _mills, guessed, least, tail

FAR = Decimal("1.4e-87")  # e^-200, below which nothing is told apart
SCALES = [1e-6, 0.001, 0.05, 0.1, 0.2, 0.4, 0.5, 0.75, 1.0, 1.7, 3.3, 12.0, 40.0]
WIDE = [1e3, 12345.678, 1e6, 1e9, 1e15, 4e18, 1e100]
SIZES = st.decimals(0, 10**30, allow_nan=False, places=25) | st.decimals(0, 60, allow_nan=False, places=25)


def exact_tail(distribution: Distribution, scale: float, at: int) -> Decimal:
    """P(Z >= at) by adding up weights in 80 digits, until they are below 1e-75 of the first."""
    with localcontext(prec=80):
        wide = Decimal(scale)

        def weight(point: int) -> Decimal:
            size = point / wide
            return (-size if distribution is Distribution.LAPLACE else -size * size / 2).exp()

        def added(start: int) -> Decimal:
            total, point, first = Decimal(0), start, weight(start)
            while (each := weight(point)) > first * Decimal("1e-75"):
                total, point = total + each, point + 1
            return total

        return added(at) / (weight(0) + 2 * added(1))


@pytest.mark.long
@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize("scale", SCALES)
def test_tails_are_not_below_the_exact_sums(distribution: Distribution, scale: float) -> None:
    for at in sorted({1, 2, 3, *(math.ceil(part * scale) for part in (0.3, 1, 2, 3, 5, 8, 12, 30, 100))}):
        exact, told = exact_tail(distribution, scale, at), tail(distribution, scale, at)
        assert exact <= told <= 1
        if distribution is Distribution.LAPLACE:
            assert told <= max(FAR, exact * (1 + Decimal("1e-27")))
        else:
            assert told <= max(FAR, exact * (Decimal("2.5") if scale < 3 else Decimal("1.4")))


def weights(distribution: Distribution, scale: Fraction, at: int, terms: int) -> tuple[Fraction, Fraction]:
    """Between which fractions e^(-at/scale), or e^(-at^2/2 scale^2), lies: two partial sums of the series of e^x."""
    size = at / scale if distribution is Distribution.LAPLACE else (at / scale) ** 2 / 2
    total, term = Fraction(0), Fraction(1)
    for index in range(terms):
        total, term = total + term, term * size / (index + 1)
    assert size < terms / 2
    return 1 / (total + 2 * term), 1 / total


@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize(
    "scale", thinned([Fraction(1, 2), Fraction(3, 4), Fraction(1), Fraction(5, 2), Fraction(4)], 2)
)
def test_tails_are_not_below_sums_of_fractions(distribution: Distribution, scale: Fraction) -> None:
    """Without a logarithm or a root of anybody: sums of fractions from below and from above."""
    last = math.ceil(9 * scale)
    found = [weights(distribution, scale, at, 200) for at in range(last + 1)]
    for at in range(1, math.ceil(6 * scale)):
        # What lies beyond `last` is left out above; below the line it is at most the last weight's geometric sum.
        low = sum((each[0] for each in found[at:]), Fraction(0))
        ratio = found[last][1] / found[last - 1][0]
        rest = found[last][1] * ratio / (1 - ratio)
        whole = 1 + 2 * (sum((each[1] for each in found[1:]), Fraction(0)) + rest)
        assert Fraction(tail(distribution, float(scale), at)) >= low / whole


@pytest.mark.parametrize("scale", WIDE)
def test_wide_tails_are_those_of_the_integral(scale: float) -> None:
    """A falling weight's sum is between its integral and that with the first weight; of all, at most that with f(0)."""
    with mpmath.workdps(60):
        wide = mpmath.mpf(scale)
        for part in (0.001, 0.1, 0.5, 1, 2, 3.7, 5, 8, 12, 17):
            at = max(1, int(part * scale))
            y = at / wide
            beyond = mpmath.erfc(y / mpmath.sqrt(2)) / 2
            first = mpmath.exp(-y * y / 2) / wide / mpmath.sqrt(2 * mpmath.pi)
            told = mpmath.mpf(str(tail(Distribution.GAUSSIAN, scale, at)))
            assert beyond / (1 + 2 / (wide * wide)) <= told
            assert told <= (beyond + first) * (1 + mpmath.mpf("0.01" if part < 2 else "1e-8"))
            told = mpmath.mpf(str(tail(Distribution.LAPLACE, scale, at)))
            own = mpmath.exp(-y) / (1 + mpmath.exp(-1 / wide))
            assert own <= told <= own * (1 + mpmath.mpf("1e-27"))


@pytest.mark.parametrize("scale", [0.5, 3.0, 100.0, 1e5])
def test_tails_are_those_of_scipy(scale: float) -> None:
    for part in (0.5, 1, 2, 4, 7):
        at = math.ceil(part * scale)
        laplace, gaussian = (float(tail(each, scale, at)) for each in (Distribution.LAPLACE, Distribution.GAUSSIAN))
        assert math.isclose(laplace, stats.dlaplace(1 / scale).sf(at - 1), rel_tol=1e-9)
        if scale >= 100:
            assert math.isclose(gaussian, stats.norm.sf((at - 0.5) / scale), rel_tol=8 / scale + 3e-4)


@given(SIZES)
@example(Decimal(0))
@example(Decimal("1e-25"))
def test_mills_ratio_is_rounded_up(y: Decimal) -> None:
    with mpmath.workdps(80):
        told, at = mpmath.mpf(str(_mills(y))), mpmath.mpf(str(y))
        # Far out the integral is below what can be held: there 1/y is above it, and y/(y^2 + 1) below.
        exact = (
            mpmath.exp(at * at / 2) * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(at / mpmath.sqrt(2)) if at < 60 else 0
        )
        assert max(exact, at / (at * at + 1)) <= told
        near = mpmath.mpf("0.01") if at < 2 else mpmath.mpf("1e-8")
        assert told <= (exact * (1 + near) if exact else (1 + near) / at)


@given(SIZES)
def test_exponentials_are_rounded_outward(size: Decimal) -> None:
    with mpmath.workdps(60):
        exact = mpmath.exp(-mpmath.mpf(str(size)))
        above, below = (mpmath.mpf(str(each(size))) for each in (_exp_above, _exp_below))
        assert below <= exact <= above
        assert size > 200 or above - below <= exact * mpmath.mpf("1e-28")


def test_the_root_is_cut_off() -> None:
    with mpmath.workdps(60):
        root = mpmath.sqrt(2 * mpmath.pi)
        assert 0 < root - mpmath.mpf(str(_ROOT_BELOW)) < mpmath.mpf("1e-28")
        assert mpmath.sqrt(mpmath.pi / 2) < mpmath.mpf("1.2534")


@given(st.integers(-1, 50), st.integers(1, 10**20), st.integers(0, 10**21), st.integers(-(10**21), 10**21))
def test_the_least_that_fits_is_found(low: int, more: int, place: int, guess: int) -> None:
    high = low + more
    found, looks = min(low + 1 + place, high), list[int]()

    def fits(at: int) -> bool:
        looks.append(at)
        return at >= found

    assert least(fits, guess, low, high) == found
    assert len(looks) <= 2 * 70 and all(low < at < high for at in looks)
    looks.clear()
    assert least(fits, found, low, high) == found
    assert len(looks) <= 3


def extremes(share: Decimal, delta: Decimal, l0: int, linf: int) -> list[tuple[Selection, Accounting]]:
    found = []
    for make, accounting in (
        (laplace_selection, Accounting.PURE),
        (laplace_selection_for_rho, Accounting.ZCDP),
        (gaussian_selection, Accounting.ZCDP),
    ):
        try:
            found.append((make(l0, l0 * linf, linf, share, delta), accounting))
        except ValueError as refusal:
            assert "no threshold" in str(refusal)
    return found


@pytest.mark.parametrize("share", ["1e-12", "1e-6", "1", "1e15"])
@pytest.mark.parametrize("delta", thinned(["1e-30", "1e-12", "1e-5", "0.99"], 3))
def test_thresholds_at_the_extremes(share: str, delta: str) -> None:
    """The least that keeps to its delta, or none."""
    made = 0
    for l0, linf in ((1, 1), (8, 1), (10**6, 1), (3, 10**9), (1, LARGEST // 2)):
        for selection, accounting in extremes(Decimal(share), Decimal(delta), l0, linf):
            made += 1
            loss = selection.loss(accounting)
            main, spent = loss.main, loss.delta
            assert main <= Decimal(share) and spent <= Decimal(delta)
            before = selection.threshold - 1
            assert before == linf or lonely_delta(selection.noise, before) > Decimal(delta)
            noise = selection.noise
            true = l0 * exact_or_below(noise.distribution, noise.scale, selection.threshold - linf)
            assert true <= Decimal(delta)
    assert made >= (0 if share == "1e-12" else 6)


def exact_or_below(distribution: Distribution, scale: float, at: int) -> Decimal:
    """The exact sum, or what it is not below where it would take too long."""
    if scale < 50:
        return exact_tail(distribution, scale, at)
    with mpmath.workdps(60):
        y = mpmath.mpf(at) / mpmath.mpf(scale)
        if distribution is Distribution.LAPLACE:
            return Decimal(mpmath.nstr(mpmath.exp(-y) / (1 + mpmath.exp(-1 / mpmath.mpf(scale))), 40)) * (
                1 - Decimal("1e-35")
            )
        return Decimal(mpmath.nstr(mpmath.erfc(y / mpmath.sqrt(2)) / 2 / (1 + 2 / mpmath.mpf(scale) ** 2), 40))


@pytest.mark.parametrize("distribution", Distribution)
def test_guesses_are_near(distribution: Distribution) -> None:
    for scale in (0.5, 10.0, 1e6):
        for chance in (1e-12, 1e-5, 0.02):
            found = least(lambda at, s=scale, c=chance: tail(distribution, s, at) <= c, 1, 0, 2**62)  # type: ignore[misc]
            assert abs(guessed(distribution, scale, chance) - found) <= 2 + scale * 1e-5
