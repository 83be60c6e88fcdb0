"""Numbers of distinct values at a limit that is chosen: how far one unit moves each part, and the whole, exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from statistics import mean

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from scipy import stats
from test_clipped_noise import chances

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import SCORE, TotalsByNorm
from dpproxy.mechanisms.distinct_noise import DistinctNoise, _limits, distinct_noise, within
from dpproxy.mechanisms.noise import Distribution
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS, sensitivity
from dpproxy.mechanisms.norms import LAST_BUCKET, Norm, edge
from dpproxy.mechanisms.sensitivity import Sensitivity

P_VALUE = 1e-9
DRAWS = sized(1000, 4000, 100_000)
WAYS = [(Norm.L1, Accounting.PURE), (Norm.L1, Accounting.ZCDP), (Norm.L2, Accounting.ZCDP)]
SHARES = st.floats(0.01, 20).map(Decimal)
Held = tuple[int, int]
"""A key, and a value that a unit has there."""


# Worlds


@cache
def bucket_of(number: int, is_lifted: bool) -> int:
    """The least that holds it; a power of two may be one further up, where a logarithm is not exact."""
    found = next(bucket for bucket in range(700) if edge(bucket) >= number)
    return found + (is_lifted and number > 1 and number & (number - 1) == 0)


def found(units: Sequence[Sequence[Held]], keys: int, is_lifted: bool = False) -> TotalsByNorm:
    """What the engine finds of units, whose values are in the order that they are numbered in."""
    least: dict[Held, int] = {}
    for unit in units:
        for number, held in enumerate(unit, 1):
            least[held] = min(number, least.get(held, number))
    totals: list[Counter[int]] = [Counter() for _ in range(keys)]
    for (key, _), number in least.items():
        totals[key][bucket_of(number, is_lifted)] += 1
    return TotalsByNorm({}, totals)


def units_of(most: int, values: int) -> st.SearchStrategy[list[Held]]:
    return st.lists(st.tuples(st.integers(0, 2), st.integers(0, values)), unique=True, max_size=most)


def short(norm: Norm, accounting: Accounting, share: Decimal) -> DistinctNoise:
    """Of limits up to eight."""
    return replace(distinct_noise(norm, accounting, share), candidates=8)


# Limits


@pytest.mark.parametrize("is_lifted", [False, True])
def test_a_bucket_has_room_for_as_many_numbers_as_are_claimed(is_lifted: bool) -> None:
    buckets = [bucket_of(number, is_lifted) for number in range(1, 1200)]
    assert buckets == sorted(buckets)
    for limit in _limits():
        if limit.most > 512:
            break
        inside = [number for number, bucket in enumerate(buckets, 1) if bucket <= limit.bucket]
        between = [number for number, bucket in enumerate(buckets, 1) if limit.bucket < bucket <= limit.twice]
        assert len(inside) <= limit.most <= limit.room and max(inside) <= limit.most
        assert len(between) <= limit.room <= limit.most + 1
        assert max(between) <= 2 * limit.most


def test_limits_rise_to_the_last() -> None:
    limits = _limits()
    assert [each.most for each in limits[:9]] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert limits[-1].bucket == LAST_BUCKET
    assert all(one.most < other.most for one, other in pairwise(limits))
    assert all(each.most <= each.room <= each.most * (1 + Fraction(1, 2**20)) + 1 for each in limits)
    assert all(edge(each.bucket) >= each.most and edge(each.twice) < 2 * each.most + 1 for each in limits)


# How far one unit moves what is read


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(40, 200, 2000))
@given(
    st.lists(units_of(40, 30), max_size=6),
    units_of(40, 30),
    st.sampled_from(WAYS),
    SHARES,
    st.booleans(),
    st.booleans(),
)
def test_one_unit_moves_scores_by_one(
    units: list[list[Held]], more: list[Held], way: tuple[Norm, Accounting], share: Decimal, lifted: bool, first: bool
) -> None:
    """Wherever its values stand beside those of others; either way."""
    it = distinct_noise(*way, share)
    worlds = (units, [more, *units] if first else [*units, more])
    less, with_it = (it.scores(found(each, 3, lifted).totals) for each in worlds)
    assert len(less) == it.candidates
    assert all(abs(a - b) <= SCORE for a, b in zip(less, with_it, strict=True))


def test_a_score_moves_by_one_both_ways() -> None:
    """So no less would do: of values that nobody has, and of those that another one has behind others."""
    it = distinct_noise(Norm.L1, Accounting.PURE, Decimal(1000))
    others = [[(0, 100 * unit + at) for at in range(8)] for unit in range(4)]
    fresh, known = [(0, 5000 + at) for at in range(8)], others[0][4:]
    before = it.scores(found(others, 1).totals)
    at = [each.most for each in _limits()].index(4)
    assert it.scores(found([*others, fresh], 1).totals)[at] - before[at] == -SCORE
    assert it.scores(found([*others, known], 1).totals)[at] - before[at] == SCORE


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(40, 200, 2000))
@given(st.lists(units_of(40, 30), max_size=6), units_of(40, 30), st.integers(0, 40), st.booleans())
def test_one_unit_moves_the_numbers_by_no_more_than_the_limit(
    units: list[list[Held]], more: list[Held], place: int, lifted: bool
) -> None:
    limit = _limits()[place]
    worlds = (units, [*units, more])
    less, with_it = (within(found(each, 3, lifted).totals, limit.bucket, limit.most) for each in worlds)
    moved = [a - b for a, b in zip(with_it, less, strict=True)]
    assert all(step >= 0 for step in moved)
    assert sum(moved) <= PARTS + len(moved) <= sensitivity(Norm.L1)
    assert sum(step**2 for step in moved) <= sensitivity(Norm.L2) ** 2
    assert len(moved) <= MOST_KEYS


def test_each_unit_counts_with_its_first_values() -> None:
    totals: Sequence[Mapping[int, int]] = found([[(0, at) for at in range(20)]], 1).totals
    for limit in _limits()[:30]:
        (counted,) = within(totals, limit.bucket, limit.most)
        assert counted == PARTS * min(20, limit.most) // limit.most


# Loss


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(20, 60, 600))
@given(st.sampled_from(WAYS), SHARES, st.integers(1, MOST_KEYS))
def test_it_keeps_to_its_share(way: tuple[Norm, Accounting], share: Decimal, keys: int) -> None:
    """And takes about all of it, however many keys are foreseen."""
    norm, accounting = way
    it = distinct_noise(norm, accounting, share, keys)
    assert share * Decimal("0.999999") <= it.loss(accounting).main <= share
    assert it.made_for == Sensitivity(1, sensitivity(norm))
    assert not it.choice.one_sided and it.choice.sensitivity.linf == SCORE
    assert (it.noise.distribution is Distribution.GAUSSIAN) == (norm is Norm.L2)
    assert it.error is None and not it.tells_keys


@pytest.mark.parametrize("share", ["1e-9", "1e-6", "1e6", "1e9"])
@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_extreme_shares_have_noise(norm: Norm, accounting: Accounting, share: str) -> None:
    """An answer there is, whatever it is worth: no score and no total is too large."""
    for it in (distinct_noise(norm, accounting, Decimal(share)), short(norm, accounting, Decimal(share))):
        for totals in ([{0: 2**40, 300: 2**60, 620: 1}] * 3, [], [{}]):
            told = it.release(TotalsByNorm({}, totals))
            assert len(told.totals) == len(totals)
            assert told.clip >= 1 and told.clip.denominator == 1
            assert it.error_at(told.clip).half_width > 0


def test_what_cannot_be_made_is_refused() -> None:
    for share in (Decimal(0), Decimal(-1), Decimal("1e-30")):
        with pytest.raises(ValueError, match="share"):
            distinct_noise(Norm.L1, Accounting.PURE, share)
    with pytest.raises(ValueError, match="keys"):
        distinct_noise(Norm.L2, Accounting.ZCDP, Decimal(1)).release(TotalsByNorm({}, [{}] * (MOST_KEYS + 1)))


# The whole: the chances of each limit, exactly, times how far noise at it tells the two worlds apart


def outcomes(it: DistinctNoise, exact: TotalsByNorm) -> Iterator[tuple[mpmath.mpf, list[int]]]:
    """Of each limit the chance, and the totals there before their noise."""
    each = chances(it.choice, it.scores(exact.totals))
    for chance, limit in zip(each, _limits(), strict=False):
        yield chance, within(exact.totals, limit.bucket, limit.most)


NEAR = st.lists(units_of(8, 5), max_size=4)


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(15, 100, 1000))
@given(NEAR, units_of(8, 5), st.sampled_from(["0.1", "1", "5"]))
def test_no_outcome_is_likelier_than_epsilon_allows(units: list[list[Held]], more: list[Held], share: str) -> None:
    """Pure: by e^ε at most, of all limits and totals, in both directions. The furthest totals are the worst."""
    it = short(Norm.L1, Accounting.PURE, Decimal(share))
    exact = [list(outcomes(it, found(each, 3))) for each in (units, [*units, more])]
    with mpmath.workdps(30):
        limit = mpmath.exp(mpmath.mpf(share)) * (1 + mpmath.mpf(10) ** -20)
        for (chance, totals), (other, others) in zip(*exact, strict=True):
            moved = sum(abs(a - b) for a, b in zip(totals, others, strict=True))
            apart = mpmath.exp(mpmath.mpf(moved) / it.noise.scale)
            assert chance * apart <= limit * other and other * apart <= limit * chance
        assert all(abs(mpmath.fsum(chance for chance, _ in each) - 1) < 1e-12 for each in exact)


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(15, 100, 1000))
@given(NEAR, units_of(8, 5), st.sampled_from(["0.01", "0.5", "5"]))
def test_no_divergence_is_larger_than_rho_allows(units: list[list[Held]], more: list[Held], share: str) -> None:
    """zCDP, with Gaussian noise: D_α <= ρ·α, of all outcomes together, in both directions."""
    it = short(Norm.L2, Accounting.ZCDP, Decimal(share))
    exact = [list(outcomes(it, found(each, 3))) for each in (units, [*units, more])]
    with mpmath.workdps(30):
        for order in (1.0001, 1.5, 2, 4, 16, 64):
            for first, second in (exact, exact[::-1]):
                parts = []
                for (chance, totals), (other, others) in zip(first, second, strict=True):
                    square = sum((a - b) ** 2 for a, b in zip(totals, others, strict=True))
                    noise = mpmath.exp(order * (order - 1) * mpmath.mpf(square) / 2 / it.noise.scale**2)
                    parts.append(chance**order * other ** (1 - order) * noise)
                most = mpmath.mpf(share) * order * (1 + mpmath.mpf(10) ** -9)
                assert mpmath.log(mpmath.fsum(parts)) / (order - 1) <= most


@pytest.mark.larger
@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_it_draws_as_it_should(norm: Norm, accounting: Accounting) -> None:
    """Limits with their exact chances; and totals around what is counted there."""
    units = [[(0, 10 * unit + at) for at in range(unit)] for unit in range(1, 9)]
    it, exact = short(norm, accounting, Decimal(8)), found(units, 1)
    expected = [float(chance) for chance, _ in outcomes(it, exact)]
    told = [it.release(exact) for _ in range(DRAWS)]
    drawn = Counter(int(each.clip) for each in told)
    assert set(drawn) <= set(range(1, 9))
    common = [at for at, chance in enumerate(expected) if chance * DRAWS > 10]
    rest = max(1e-9, 1 - sum(expected[at] for at in common))
    counts = [*(drawn[at + 1] for at in common), DRAWS - sum(drawn[at + 1] for at in common)]
    assert stats.chisquare(counts, [*(expected[at] * DRAWS for at in common), rest * DRAWS]).pvalue > P_VALUE
    exactly = {limit: total for limit, (_, (total,)) in enumerate(outcomes(it, exact), 1)}
    away = [(each.totals[0] - exactly[int(each.clip)]) / it.noise.stddev for each in told]
    assert abs(mean(away)) < 7 / math.sqrt(DRAWS) and abs(np.var(away) - 1) < 16 / math.sqrt(DRAWS)


# What comes of it


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_as_many_values_count_as_units_have(norm: Norm, accounting: Accounting) -> None:
    """Nothing is cut off but for a few units; a hundred values of each of 500 people are told to within a twentieth."""
    units = [[(0, 1000 * person + at) for at in range(100)] for person in range(500)]
    exact, made = found(units, 1), distinct_noise(norm, accounting, Decimal(1))
    told = [made.release(exact) for _ in range(30)]
    counts = [float(each.part * each.totals[0]) for each in told]
    assert abs(mean(counts) - 50_000) < 4_000
    assert mean(each.clip >= 80 for each in told) > 0.8


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_one_of_each_counts_where_all_have_the_same_values(norm: Norm, accounting: Accounting) -> None:
    """Of eight departments, in each of which all people are, one of each person tells all; a limit by how many units
    have more than that would be eight."""
    random = np.random.default_rng(5)
    units = [[(0, int(at)) for at in random.permutation(8)] for _ in range(400)]
    exact, made = found(units, 1), distinct_noise(norm, accounting, Decimal(1))
    told = [made.release(exact) for _ in range(60)]
    assert mean(each.clip == 1 for each in told) > 0.6
    assert mean(float(each.clip) for each in told) < 3
    assert abs(np.median([float(each.part * each.totals[0]) for each in told]) - 8) < 4
