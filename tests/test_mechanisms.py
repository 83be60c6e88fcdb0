"""Noise has the distribution it announces, and loses no more than its share; selection's δ is what it says.

Statistical tests fail wrongly with a chance of at most 1e-9 each.
"""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import mpmath
import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized, thinned
from scipy import stats

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.noise import LARGEST, Distribution, Noise, add_noise, gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.selection import (
    Selection,
    gaussian_selection,
    laplace_selection,
    laplace_selection_for_rho,
    lonely_delta,
)
from dpproxy.mechanisms.sensitivity import Sensitivity, root_above

P_VALUE = 1e-9
ONE = Sensitivity(1, 1)
SENSITIVITIES = st.builds(Sensitivity, st.integers(0, 10_000), st.integers(0, 10**12))
SHARES = st.floats(1e-9, 1e6).map(lambda share: Decimal(share).quantize(Decimal("1e-12")))


def weights(distribution: Distribution, scale: float, within: int) -> np.ndarray:
    """Probabilities of −within … within, of the distribution cut off there."""
    points = np.abs(np.arange(-within, within + 1))
    raw = np.exp(-points / scale) if distribution is Distribution.LAPLACE else np.exp(-(points**2) / (2 * scale**2))
    return raw / raw.sum()


def fits(distribution: Distribution, scale: float) -> float:
    """The p-value of a chi-square test of 25,000 draws against the exact probabilities."""
    size, within = 25_000, math.ceil(50 * scale)
    expected = weights(distribution, scale, within) * size
    found = Counter(add_noise(Noise(distribution, scale, ONE), [0] * size))
    seen = np.array([found[point] for point in range(-within, within + 1)])
    common = expected >= 20
    pairs = [np.append(part[common], part[~common].sum()) for part in (seen, expected)]
    assert pairs[0].sum() == size
    return float(stats.chisquare(*pairs).pvalue)


@pytest.mark.parametrize("scale", thinned([0.6, 1.0, 10.000000000000002, 37.5], 2))
def test_laplace_fits(scale: float) -> None:
    assert fits(Distribution.LAPLACE, scale) > P_VALUE


@pytest.mark.parametrize("scale", thinned([0.6, 1.0, 7.3, 40.0], 2))
def test_gaussian_fits(scale: float) -> None:
    assert fits(Distribution.GAUSSIAN, scale) > P_VALUE


@pytest.mark.parametrize("distribution", list(Distribution))
@pytest.mark.parametrize("scale", thinned([1e5, 1e12], 2))
def test_wide_noise_fits(distribution: Distribution, scale: float) -> None:
    """By the inequality of Dvoretzky, Kiefer, Wolfowitz, Massart; the continuous form is within 1/scale of it."""
    size = 25_000
    drawn = np.sort(add_noise(Noise(distribution, scale, ONE), [0] * size))
    form = stats.laplace if distribution is Distribution.LAPLACE else stats.norm
    below = form.cdf((drawn + 0.5) / scale)
    distance = np.abs(below - np.arange(1, size + 1) / size).max()
    assert distance <= math.sqrt(math.log(2 / P_VALUE) / (2 * size)) + 1 / size + 2 / scale


def test_noise_is_added_to_each_total_in_order() -> None:
    totals = [index * 10**9 for index in range(1000)]
    noisy = add_noise(laplace(ONE, Decimal("0.1")), totals)
    assert [round(value / 10**9) for value in noisy] == list(range(1000))
    assert len({value - total for value, total in zip(noisy, totals, strict=True)}) > 10
    assert add_noise(laplace(ONE, Decimal(1)), []) == []


def test_two_draws_differ() -> None:
    noise = laplace(ONE, Decimal("1e-6"))
    assert add_noise(noise, [0] * 8) != add_noise(noise, [0] * 8)


def rho_of_laplace(scale: float, linf: int, l1: int) -> Fraction:
    """Order 1 of Rényi's divergence, of which tests/test_concentrated.py shows that it is the worst."""
    with mpmath.workdps(120):
        rate = 1 / mpmath.mpf(scale)
        whole, rest = divmod(l1, linf)
        each = [rate * (by + mpmath.expm1(-rate * by) / mpmath.sinh(rate)) for by in (linf, rest)]
        return Fraction(mpmath.nstr(whole * each[0] + each[1], 40))


@pytest.mark.long
@pytest.mark.larger
@settings(max_examples=sized(50, 150, 1500), deadline=None)
@given(SENSITIVITIES, SHARES)
def test_noise_keeps_to_its_share(sensitivity: Sensitivity, share: Decimal) -> None:
    """What the built mechanism loses is at most the share and close to it; recomputed here from scale and distance."""
    for noise, accounting in (
        (laplace(sensitivity, share), Accounting.PURE),
        (laplace_for_rho(sensitivity, share), Accounting.ZCDP),
        (gaussian(sensitivity, share), Accounting.ZCDP),
    ):
        l1 = max(sensitivity.l0, 1) * max(sensitivity.linf, 1)
        square = max(sensitivity.l0, 1) * max(sensitivity.linf, 1) ** 2
        assert noise.sensitivity.l1 == l1
        loss = noise.loss(accounting).main
        assert loss <= share
        scale = Fraction(noise.scale)
        if noise.distribution is Distribution.GAUSSIAN:
            own = square / (2 * scale**2)
        else:
            pure = accounting is Accounting.PURE
            own = l1 / scale if pure else rho_of_laplace(noise.scale, noise.sensitivity.linf, l1)
        assert own <= share
        assert noise.scale <= 1e-6 or own >= Fraction(share) * (1 - Fraction(1, 10**12))


@pytest.mark.parametrize("share", ["1e-30", "1e-9", "0.1", "1e6", "1e300"])
@pytest.mark.parametrize("linf", [0, 1, LARGEST])
def test_extreme_shares_have_a_scale(share: str, linf: int) -> None:
    for make in (laplace, laplace_for_rho, gaussian):
        noise = make(Sensitivity(1, linf), Decimal(share))
        assert 0 < noise.scale < math.inf
        assert all(-(2**63) <= value < 2**63 for value in add_noise(noise, [-LARGEST, 0, LARGEST]))


def test_more_sensitive_or_cheaper_is_noisier() -> None:
    for make in (laplace, laplace_for_rho, gaussian):
        base = make(Sensitivity(2, 10), Decimal("0.5")).scale
        assert make(Sensitivity(3, 10), Decimal("0.5")).scale > base
        assert make(Sensitivity(2, 11), Decimal("0.5")).scale > base
        assert make(Sensitivity(2, 10), Decimal("0.4")).scale > base


def test_extreme_totals_saturate() -> None:
    """No total makes an error: a unit's presence must not show as one."""
    noise = laplace(ONE, Decimal(1))
    for total in (10**30, -(10**30), 2**63, -(2**63), LARGEST):
        (noisy,) = add_noise(noise, [total])
        assert abs(noisy - max(-LARGEST, min(LARGEST, total))) < 10**4


def test_what_cannot_be_noised_is_refused() -> None:
    for make in (laplace, laplace_for_rho, gaussian):
        with pytest.raises(ValueError, match="grid steps"):
            make(Sensitivity(2, LARGEST), Decimal(1))
        for share in (Decimal(0), Decimal(-1)):
            with pytest.raises(ValueError, match="above 0"):
                make(ONE, share)
    with pytest.raises(ValueError, match="no finite loss"):
        gaussian(ONE, Decimal(1)).loss(Accounting.PURE)


@given(st.integers(0, 2**130))
def test_roots_are_rounded_up(square: int) -> None:
    root = Fraction(root_above(square))
    assert root**2 >= square
    assert Fraction(math.nextafter(float(root), 0)) ** 2 <= square
    assert root_above(math.isqrt(square >> 80) ** 2) == math.isqrt(square >> 80)


def exact_tail(distribution: Distribution, scale: float, at: int) -> Decimal:
    """P(Z >= at) by summing exact weights in 60 digits."""
    with localcontext(prec=60):
        wide = Decimal(scale)
        last = at + math.ceil(60 * scale) + 60

        def weight(point: int) -> Decimal:
            if distribution is Distribution.LAPLACE:
                return (-abs(point) / wide).exp()
            return (-point * point / (2 * wide * wide)).exp()

        above = sum((weight(point) for point in range(at, last)), Decimal(0))
        positive = sum((weight(point) for point in range(1, last)), Decimal(0))
        return above / (1 + 2 * positive)


@pytest.mark.parametrize("distribution", list(Distribution))
@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 3.3, 12.0])
def test_lonely_delta_is_not_below_the_exact_sum(distribution: Distribution, scale: float) -> None:
    noise = Noise(distribution, scale, Sensitivity(3, 2))
    for above in {1, 2, 3, math.ceil(3 * scale), math.ceil(6 * scale), math.ceil(9 * scale)}:
        exact = 3 * Fraction(exact_tail(distribution, scale, above))
        claimed = Fraction(lonely_delta(noise, 2 + above))
        assert claimed >= min(1, exact)
        slack = 1 + Fraction(1, 10**20) if distribution is Distribution.LAPLACE else Fraction(5, 2)
        assert claimed <= exact * slack + 2 * Fraction(1, 10**30)


def selections(l0: int, l1: int, linf: int, share: Decimal, delta: Decimal) -> list[tuple[Selection, Accounting]]:
    return [
        (laplace_selection(l0, l1, linf, share, delta), Accounting.PURE),
        (laplace_selection_for_rho(l0, l1, linf, share, delta), Accounting.ZCDP),
        (gaussian_selection(l0, l1, linf, share, delta), Accounting.ZCDP),
    ]


@pytest.mark.larger
@settings(max_examples=sized(25, 60, 600), deadline=None)
@given(
    st.integers(1, 50),
    st.integers(1, 20),
    st.integers(1, 1000),
    st.floats(1e-4, 100).map(Decimal),
    st.floats(1e-25, 0.5).map(Decimal),
)
def test_selection_keeps_to_its_share(l0: int, linf: int, l1: int, share: Decimal, delta: Decimal) -> None:
    for selection, accounting in selections(l0, l1, linf, share, delta):
        loss = selection.loss(accounting)
        main, spent = loss.main, loss.delta
        assert main <= share
        assert spent <= delta
        assert selection.l1 == min(l1, l0 * linf)
        scale, square = Fraction(selection.noise.scale), min(selection.l1 * linf, l0 * linf * linf)
        if selection.noise.distribution is Distribution.GAUSSIAN:
            assert square / (2 * scale**2) <= share
        elif accounting is Accounting.PURE:
            assert selection.l1 / scale <= share
        else:
            assert rho_of_laplace(selection.noise.scale, linf, selection.l1) <= share
        assert selection.threshold > linf
        assert selection.threshold == linf + 1 or lonely_delta(selection.noise, selection.threshold - 1) > delta


def test_threshold_grows_as_delta_or_the_share_shrinks() -> None:
    by_delta = [selections(4, 4, 1, Decimal("0.5"), Decimal(10) ** -exponent) for exponent in range(1, 25)]
    by_share = [selections(4, 4, 1, Decimal(1) / part, Decimal("1e-6")) for part in range(1, 50, 4)]
    for index in range(3):
        thresholds = [made[index][0].threshold for made in by_delta]
        assert thresholds == sorted(thresholds)
        assert len(set(thresholds)) > 10
        thresholds = [made[index][0].threshold for made in by_share]
        assert thresholds == sorted(thresholds)


def test_delta_lies_between_opendps_of_two_thresholds() -> None:
    """OpenDP 0.16 counts only what lies above its threshold: its δ one step lower is that of reaching ours."""
    space = (
        dp.map_domain(dp.atom_domain(T="i64"), dp.atom_domain(T="i64")),
        dp.l01inf_distance(dp.absolute_distance(T="i64")),
    )
    for threshold in range(4, 40, 5):
        ours = float(lonely_delta(Noise(Distribution.LAPLACE, 2.5, Sensitivity(1, 2)), threshold))
        lower, same = (
            dp.m.make_laplace_threshold(*space, scale=2.5, threshold=at).map((1, 2, 2))[1]
            for at in (threshold - 1, threshold)
        )
        assert same * (1 - 1e-8) <= ours <= lower * (1 + 1e-8)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_lonely_keys_come_out_as_delta_says(index: int) -> None:
    """Each of 100,000 keys is held as often as one unit alone can hold it."""
    size, delta = 25_000, Decimal("0.01")
    selection, _ = selections(1, 3, 3, Decimal("0.5"), delta)[index]
    released = selection.release([3] * size)
    exact = float(exact_tail(selection.noise.distribution, selection.noise.scale, selection.threshold - 3))
    assert exact <= delta
    assert stats.binomtest(len(released), size, exact).pvalue > P_VALUE
    assert all(count >= selection.threshold for count in released.values())


def test_selection_names_keys_by_index_with_their_noisy_count() -> None:
    selection = laplace_selection(1, 1, 1, Decimal(1), Decimal("1e-6"))
    counts = [0, 10**6, -5, 2 * 10**6, selection.threshold - 1000, 3 * 10**6]
    released = selection.release(counts)
    assert list(released) == [1, 3, 5]
    assert all(abs(count - counts[index]) < 10**4 for index, count in released.items())
    assert selection.release([]) == {}


def test_what_cannot_be_selected_is_refused() -> None:
    for make in (laplace_selection, laplace_selection_for_rho, gaussian_selection):
        with pytest.raises(ValueError, match="delta of 0"):
            make(1, 1, 1, Decimal(1), Decimal(0))
        with pytest.raises(ValueError, match="above 0"):
            make(1, 1, 1, Decimal(0), Decimal("1e-6"))
    with pytest.raises(ValueError, match="no threshold"):
        laplace_selection(1, 1, 1, Decimal("1e-18"), Decimal("1e-6"))
