"""Selection by weights: a unit weighs one, the engine weighs as Python does, and δ pays for all that is lonely."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from random import Random

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from scipy import stats
from uncapped import evaluating

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import (
    MOST_LONELY,
    WHOLE,
    SpreadSelection,
    lonely_delta,
    spread_gaussian,
    spread_laplace,
    weight,
)
from dpproxy.rewrite.releases.clipped import _weight

P_VALUE = 1e-9
DRAWS = sized(400, 3000, 60_000)
"""Of keys together: many keys are asked for less often."""
SHARES = st.floats(1e-3, 20).map(Decimal)
DELTAS = st.floats(1e-12, 1e-2).map(Decimal)


def made(norm: Norm, distribution: Distribution, share: Decimal, delta: Decimal) -> SpreadSelection:
    if distribution is Distribution.LAPLACE:
        return spread_laplace(share, delta)
    return spread_gaussian(norm, share, delta)


WAYS = [
    (Norm.L1, Distribution.LAPLACE),
    (Norm.L1, Distribution.GAUSSIAN),
    (Norm.L2, Distribution.GAUSSIAN),
]


# Weights


def test_a_unit_weighs_one_at_most() -> None:
    """And hardly less: what is cut off is less than one part of each key."""
    for keys in (*range(1, 2 * MOST_LONELY), 10**6, 2**40):
        for_sum, for_square = weight(Norm.L1, keys), weight(Norm.L2, keys)
        assert keys * for_sum <= WHOLE
        assert keys * for_square**2 <= WHOLE**2
        if keys > MOST_LONELY:
            assert for_sum == for_square == 0
        else:
            assert 0 < WHOLE < keys * (for_sum + 1)
            assert keys * (for_square + 1) ** 2 > WHOLE**2


@pytest.mark.parametrize("norm", Norm)
@pytest.mark.parametrize("dialect", ["duckdb", pytest.param("postgres", marks=pytest.mark.long)])
def test_the_engine_weighs_the_same(norm: Norm, dialect: str) -> None:
    counts = [*range(1, 5001), 2**20, 2**31, 2**40, 2**62]
    with evaluating(dialect) as evaluated:
        assert evaluated(_weight(norm), "d", counts) == [weight(norm, count) for count in counts]


# δ


def chance(noise: Noise, at: int) -> mpmath.mpf:
    """P(Z >= at), or a little less; by the geometric sum, and by the trapezoids under a convex tail."""
    scale = mpmath.mpf(noise.scale)
    if noise.distribution is Distribution.LAPLACE:
        return mpmath.exp(-at / scale) / (1 + mpmath.exp(-1 / scale))
    assert at > scale > 1000
    density = mpmath.exp(-((at / scale) ** 2) / 2)
    beyond = scale * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(at / scale / mpmath.sqrt(2))
    return (beyond + density / 2) / (scale * mpmath.sqrt(2 * mpmath.pi) * (1 + mpmath.mpf("1e-30")))


def some(noise: Noise, threshold: int, weights: Sequence[int]) -> mpmath.mpf:
    """At most the chance that one of these keys comes out, exactly: they come out one without the other."""
    return 1 - mpmath.fprod(1 - chance(noise, threshold - each) for each in weights)


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(8, 30, 300))
@given(st.sampled_from(WAYS), SHARES, DELTAS, st.integers(0, 2**32))
def test_lonely_delta_is_not_below_the_exact_sums(
    way: tuple[Norm, Distribution], share: Decimal, delta: Decimal, seed: int
) -> None:
    """For any number of keys; in L1 for any split of a unit's weight over private parts."""
    norm, distribution = way
    selection = made(norm, distribution, share, delta)
    claimed = lonely_delta(norm, selection.noise, selection.threshold)
    assert claimed <= delta
    with mpmath.workdps(40):
        exact = [_sum(selection, norm, keys) for keys in (*range(1, 70), *range(70, MOST_LONELY + 1, 199), MOST_LONELY)]
        assert max(exact) <= mpmath.mpf(str(claimed)) + mpmath.mpf("1e-30")
        if norm is Norm.L1:
            for split in _splits(Random(seed)):
                parts = Counter(split).items()
                chances = mpmath.fsum(n * chance(selection.noise, selection.threshold - part) for part, n in parts)
                assert chances <= mpmath.mpf(str(claimed)) + mpmath.mpf("1e-30")


def _sum(selection: SpreadSelection, norm: Norm, keys: int) -> mpmath.mpf:
    return keys * chance(selection.noise, selection.threshold - weight(norm, keys))


def _splits(random: Random) -> list[list[int]]:
    """What a unit's keys may come to in private parts: whole, in halves, with a rest, of any number of keys."""
    found = [[WHOLE], [WHOLE] + [0] * (MOST_LONELY - 1), [WHOLE // 2] * 2, [256] * MOST_LONELY]
    for _ in range(10):
        keys = random.choice([2, 3, 10, 100, MOST_LONELY])
        parts = [0] * random.randint(1, keys)
        for _ in range(keys):
            parts[min(int(random.paretovariate(1)) - 1, len(parts) - 1)] += weight(Norm.L1, keys)
        assert sum(parts) <= WHOLE
        found.append(parts)
    return found


def test_a_threshold_below_one_unit_costs_all() -> None:
    noise = spread_laplace(Decimal(1), Decimal("1e-6")).noise
    for threshold in (-1, 0, WHOLE - 1, WHOLE):
        assert lonely_delta(Norm.L1, noise, threshold) == 1
    assert lonely_delta(Norm.L1, noise, WHOLE + 1) <= 1


@pytest.mark.long
@pytest.mark.larger
@pytest.mark.parametrize(("norm", "distribution"), WAYS)
@pytest.mark.parametrize("keys", [1, 2, 63, 64, MOST_LONELY])
def test_lonely_keys_come_out_as_delta_says(norm: Norm, distribution: Distribution, keys: int) -> None:
    """A neighbour has other keys; those that the unit has alone come out seldom enough."""
    selection = made(norm, distribution, Decimal("0.5"), Decimal("0.1"))
    lonely = [weight(norm, keys)] * keys
    exact = float(some(selection.noise, selection.threshold, lonely))
    assert exact <= selection.loss(Accounting.ZCDP).delta <= Decimal("0.1")
    draws = max(20, DRAWS // keys)
    found = sum(bool(selection.release(lonely)) for _ in range(draws))
    assert stats.binomtest(found, draws, exact).pvalue > P_VALUE


@pytest.mark.parametrize(("norm", "distribution"), WAYS)
def test_a_key_without_weight_never_comes_out(norm: Norm, distribution: Distribution) -> None:
    """A unit with more keys than MOST_LONELY has them all without weight, a million maybe: δ pays for none of them."""
    assert weight(norm, MOST_LONELY + 1) == 0
    selection = replace(made(norm, distribution, Decimal("0.5"), Decimal("0.1")), threshold=1)
    assert selection.release([0] * 1000) == {}


# Loss


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(20, 60, 600))
@given(st.sampled_from(WAYS), SHARES, DELTAS)
def test_it_keeps_to_its_share(way: tuple[Norm, Distribution], share: Decimal, delta: Decimal) -> None:
    """And takes about all of both."""
    selection = made(*way, share, delta)
    loss = selection.loss(Accounting.ZCDP)
    assert share * Decimal("0.999999") <= loss.main <= share
    assert loss.delta <= delta
    lower = lonely_delta(selection.norm, selection.noise, selection.threshold - 1)
    assert lower > delta or selection.threshold == WHOLE + 1
    assert selection.made_for == Sensitivity(1, WHOLE)
    assert selection.tells_keys and selection.error is None
    scale = Fraction(selection.noise.scale)
    if selection.noise.distribution is Distribution.LAPLACE:
        epsilon = WHOLE / scale
        # The divergence of one entry that moves by all of it, in the continuous form, which is no more.
        tight = mpmath.mpf(epsilon.numerator) / epsilon.denominator
        exact = (tight + mpmath.expm1(-tight)) * (1 - mpmath.mpf("1e-9"))
    else:
        exact = WHOLE**2 / scale**2 / 2
    assert mpmath.mpf(str(loss.main)) >= mpmath.mpf(str(float(exact))) * (1 - mpmath.mpf("1e-12"))


def test_what_cannot_be_selected_is_refused() -> None:
    for share, delta in ((Decimal(0), Decimal("0.1")), (Decimal(1), Decimal(0)), (Decimal("1e-25"), Decimal("1e-9"))):
        with pytest.raises(ValueError, match=r"share|delta|finite"):
            spread_laplace(share, delta)
        with pytest.raises(ValueError, match=r"share|delta|finite"):
            spread_gaussian(Norm.L2, share, delta)
    with pytest.raises(ValueError, match="pure"):
        spread_gaussian(Norm.L2, Decimal(1), Decimal("0.1")).loss(Accounting.PURE)


def test_it_names_keys_by_their_place() -> None:
    selection = spread_gaussian(Norm.L2, Decimal(10**6), Decimal("0.4"))
    told = selection.release([0, 9 * WHOLE, 1, 5 * WHOLE])
    assert set(told) == {1, 3}
    assert all(math.isclose(told[place], weighed, rel_tol=0.01) for place, weighed in ((1, 9 * WHOLE), (3, 5 * WHOLE)))
    assert "spreads one over its keys (L2)" in selection.described(1.0, "person").text
