"""A clip that is chosen and noise for what it leaves: how far one unit moves each part, and the whole, exactly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from scipy import stats

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import SCORE, ClippedNoise, TotalsByNorm, choice_share, clipped, clipped_noise
from dpproxy.mechanisms.noise import Distribution
from dpproxy.mechanisms.noise_at_a_clip import MOST_KEYS, PARTS, noise_at, sensitivity
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise
from dpproxy.mechanisms.norms import LAST_BUCKET, Norm, edge
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.tails import tail

P_VALUE = 1e-9
DRAWS = sized(2000, 4000, 200_000)
WAYS = [(Norm.L1, Accounting.PURE), (Norm.L1, Accounting.ZCDP), (Norm.L2, Accounting.ZCDP)]
SHARES = st.floats(0.01, 20).map(Decimal)


# Worlds: what units add to keys

Unit = tuple[int, ...]
"""What it adds to each key."""


def bucket_of(unit: Unit, norm: Norm) -> int:
    """The least that holds it, as the engine finds it."""
    square = sum(abs(each) for each in unit) ** 2 if norm is Norm.L1 else sum(each**2 for each in unit)
    return next(bucket for bucket in range(700) if edge(bucket) ** 2 >= square)


def found(units: Sequence[Unit], keys: int, norm: Norm) -> TotalsByNorm:
    """What the engine finds."""
    totals: list[dict[int, int]] = [{} for _ in range(keys)]
    for unit in units:
        bucket = bucket_of(unit, norm)
        for by_bucket, added in zip(totals, unit, strict=True):
            by_bucket[bucket] = by_bucket.get(bucket, 0) + added
    return TotalsByNorm(Counter(bucket_of(unit, norm) for unit in units), totals)


NUMBERS = st.integers(-3, 3) | st.integers(-100, 100) | st.integers(-(2**45), 2**45)


@st.composite
def neighbours(draw: st.DrawFn, numbers: st.SearchStrategy[int] = NUMBERS) -> tuple[list[Unit], Unit, int]:
    """Units, one more, and how many keys there are."""
    keys = draw(st.integers(1, 5))
    unit = st.tuples(*[numbers] * keys)
    return draw(st.lists(unit, max_size=6)), draw(unit), keys


# How far one unit moves what is read

COUNTS = st.dictionaries(st.integers(0, 620), st.integers(0, 2**40), max_size=8)


@pytest.mark.larger
@settings(max_examples=sized(30, 100, 1000), deadline=None)
@given(
    COUNTS,
    st.integers(0, 620),
    st.integers(0, MOST_KEYS),
    st.integers(0, LAST_BUCKET),
    st.sampled_from(WAYS),
    SHARES,
    st.none() | st.integers(1, 2**45),
    st.none() | st.integers(1, 2**62),
    st.integers(1, MOST_KEYS),
)
def test_one_unit_moves_scores_one_way_by_one(
    units: Mapping[int, int],
    bucket: int,
    keys: int,
    start: int,
    way: tuple[Norm, Accounting],
    share: Decimal,
    row: int | None,
    most: int | None,
    foreseen: int,
) -> None:
    """Down, those of candidates that clip it, as far as that is more than is worth it; and no other."""
    it = clipped_noise(*way, share, row, most, foreseen)
    more = {**units, bucket: units.get(bucket, 0) + 1}
    without, with_it = it.scores(units, keys, start), it.scores(more, keys, start)
    assert len(without) == len(with_it) == it.candidates <= LAST_BUCKET + 1
    for candidate, (before, after) in enumerate(zip(without, with_it, strict=True)):
        assert 0 <= before - after <= SCORE
        assert candidate < bucket or before == after
    scores = [it.from_median(each, float(SCORE)) for each in (units, more)]
    moved = [after - before for before, after in zip(*scores, strict=True)]
    assert all(-SCORE <= each <= SCORE for each in moved)
    assert bucket > 0 or not any(moved)


@given(st.sampled_from(WAYS), st.integers(0, LAST_BUCKET // 8), st.integers(10_000, 2**40), st.integers(0, 2**40))
def test_the_start_is_where_half_of_those_that_add_anything_lie(
    way: tuple[Norm, Accounting], doubling: int, many: int, idle: int
) -> None:
    """Also where all of them add the same, and most add nothing."""
    it = clipped_noise(*way, Decimal(1), None, None)
    for at in range(max(1, 8 * doubling - 7), 8 * doubling + 1):
        scores = it.from_median({0: idle, at: many}, float(SCORE))
        assert max(range(len(scores)), key=scores.__getitem__) == doubling
    spread = it.from_median({0: idle, 104: many, 200: 3 * many, 304: many}, float(SCORE))
    assert max(range(len(spread)), key=spread.__getitem__) == 25


@pytest.mark.parametrize("accounting", Accounting)
def test_with_many_keys_the_choice_has_less_of_the_price(accounting: Accounting) -> None:
    shares = [choice_share(accounting, keys) for keys in (1, 4, 16, 64, 256, MOST_KEYS)]
    assert all(one >= other > 0 for one, other in pairwise(shares)) and shares[1] >= 5 * shares[-2]
    norm = Norm.L1 if accounting is Accounting.PURE else Norm.L2
    noises = [clipped_noise(norm, accounting, Decimal(1), 1, keys=keys).noise.scale for keys in (1, 16, 256)]
    assert noises == sorted(noises, reverse=True) and noises[0] > 1.1 * noises[2]


@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_where_nobody_has_more_than_a_step_nothing_is_paid_for_the_clip(norm: Norm, accounting: Accounting) -> None:
    """The noise is that of the whole price, but for a thousandth."""
    it = clipped_noise(norm, accounting, Decimal(1), 1, 1)
    assert it.candidates == 1 and it.release(TotalsByNorm({0: 5}, ({0: 5},))).clip == edge(0)
    assert it.noise.scale < 1.002 * noise_at(norm, accounting, Decimal(1)).scale
    assert Decimal("0.999999") <= it.loss(accounting).main <= 1


def test_more_units_are_scaled_down_for_each_key_where_there_are_more() -> None:
    it = clipped_noise(Norm.L2, Accounting.ZCDP, Decimal("0.5"), 1)
    assert it.worth(1) == pytest.approx(it.noise.stddev / PARTS / 2)
    assert it.worth(100) == pytest.approx(99.5 * it.noise.stddev / PARTS)


def test_a_constant_is_summed_with_little_noise() -> None:
    """No more than 48 buckets beyond: more of them have a chance of less than one in a million."""
    it = clipped_noise(Norm.L1, Accounting.PURE, Decimal(1), None)
    assert it.release(TotalsByNorm({100: 100_000}, ({100: 100_000 * 5_000},))).clip <= edge(160)


@pytest.mark.parametrize(("at", "most"), [(0, 1.3), (1, 1.3), (8, 1.4), (64, 1.6), (240, 1.7)])
def test_the_mean_clip_is_bounded_however_far_it_lies(at: int, most: float) -> None:
    """Beside the largest norm, of many units that are alike: by the exact chances, at all prices."""
    for share in ("0.0001", "0.01", "1"):
        it = clipped_noise(Norm.L2, Accounting.ZCDP, Decimal(share), 1)
        clips = chances(it.choice, it.scores({at: 10**9}, 1, 0))
        assert mpmath.fdot(clips, [float(edge(bucket) / edge(at)) for bucket in range(len(clips))]) < most


@pytest.mark.parametrize(("doubling", "most"), [(0, 1.5), (4, 1.5), (9, 1.5)])
def test_so_it_is_of_values_without_bounds_in_pure_accounting(doubling: int, most: float) -> None:
    """By the exact chances among a hundred candidates, where counting begins at the norm of all."""
    for share in ("0.001", "1"):
        it = clipped_noise(Norm.L1, Accounting.PURE, Decimal(share), None, 2**13)
        at = 8 * doubling
        clips = chances(it.choice, it.scores({at: 10**9}, 1, at))
        assert 1 <= mpmath.fdot(clips, [float(edge(bucket) / edge(at)) for bucket in range(len(clips))]) < most


def test_a_bucket_costs_less_where_values_have_no_bounds() -> None:
    """Of one total in pure accounting alone: a start that is looked for says that they have none."""
    for accounting, keys, differ in (
        (Accounting.PURE, 1, True),
        (Accounting.PURE, 2, False),
        (Accounting.ZCDP, 1, False),
    ):
        norm = Norm.L1 if accounting is Accounting.PURE else Norm.L2
        known, unknown = (clipped_noise(norm, accounting, Decimal(1), row) for row in (1, None))
        costs = [-it.scores({}, keys, 0)[64] / it.choice.scale for it in (known, unknown)]
        assert (abs(costs[0] - costs[1]) > 5) == differ


def test_scores_of_nobody_and_of_very_many() -> None:
    it = clipped_noise(Norm.L1, Accounting.PURE, Decimal(1), None)
    nobody = it.from_median({}, 10.0 * SCORE)
    assert len(nobody) == LAST_BUCKET // 8 + 1
    assert nobody[0] == 0 and all(one > other for one, other in pairwise(nobody))
    assert it.from_median({0: 10**6}, 10.0 * SCORE) == nobody
    assert len(set(it.scores({}, 1, LAST_BUCKET))) == 1
    many = it.scores({LAST_BUCKET + 100: 2**50}, 0, 0)
    assert max(many) == -SCORE * 2**50
    assert all(one > other for one, other in pairwise(many))


@pytest.mark.larger
@settings(max_examples=sized(30, 100, 1000), deadline=None)
@given(neighbours(), st.sampled_from(Norm), st.integers(0, 620))
def test_one_unit_moves_the_totals_by_no_more_than_the_clip(
    world: tuple[list[Unit], Unit, int], norm: Norm, chosen: int
) -> None:
    units, one, keys = world
    clip = edge(chosen)
    without, with_it = (clipped(found(each, keys, norm).totals, clip) for each in (units, [*units, one]))
    _moves(without, with_it, norm)


@pytest.mark.larger
@settings(max_examples=sized(30, 100, 1000), deadline=None)
@given(
    st.lists(st.dictionaries(st.integers(0, 620), st.integers(-(2**62), 2**62)), min_size=1, max_size=6),
    st.integers(0, 620),
    st.integers(0, 620),
    st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    st.sampled_from(Norm),
)
def test_beside_huge_totals(
    totals: list[dict[int, int]], bucket: int, chosen: int, directions: list[float], norm: Norm
) -> None:
    """Of any sizes: what one unit may add in its bucket, as long as its edge."""
    shares = [Fraction(each) for each in directions[: len(totals)]]
    length = sum(map(abs, shares)) if norm is Norm.L1 else Fraction(math.sqrt(sum(each**2 for each in shares)))
    longest = max(length, Fraction(1, 10**6)) * (1 + Fraction(1, 2**40))
    added = [math.trunc(edge(bucket) * each / longest) for each in shares]
    more = [{**each, bucket: each.get(bucket, 0) + step} for each, step in zip(totals, added, strict=True)]
    _moves(clipped(totals, edge(chosen)), clipped(more, edge(chosen)), norm)


def _moves(without: Sequence[int], with_it: Sequence[int], norm: Norm) -> None:
    """By a clip, and less than one more in each key; that is what the noise is made for, up to MOST_KEYS."""
    steps = [abs(after - before) for before, after in zip(without, with_it, strict=True)]
    keys = len(steps)
    if norm is Norm.L1:
        assert sum(steps) <= PARTS + keys <= sensitivity(norm)
    else:
        assert math.isqrt(sum(each**2 for each in steps)) <= PARTS + math.isqrt(keys) <= sensitivity(norm)
        assert sum(each**2 for each in steps) <= (PARTS + math.sqrt(keys)) ** 2 * (1 + 1e-12)


def test_what_is_within_the_clip_stays_as_it_is() -> None:
    """But for less than a part of the clip, of which there are 2**30."""
    for bucket in (0, 5, 16, 100, 300):
        most = math.floor(edge(bucket))
        (told,) = clipped([{bucket: most}], edge(bucket))
        assert most - 2 * edge(bucket) / PARTS <= told * edge(bucket) / PARTS <= most


# Loss


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(20, 60, 600))
@given(
    st.sampled_from(WAYS),
    SHARES,
    st.none() | st.integers(1, 2**45),
    st.none() | st.integers(1, 2**45),
    st.integers(1, MOST_KEYS),
)
def test_it_keeps_to_its_share(
    way: tuple[Norm, Accounting], share: Decimal, row: int | None, most: int | None, keys: int
) -> None:
    """And takes about all of it, however many keys are foreseen."""
    norm, accounting = way
    it = clipped_noise(norm, accounting, share, row, most, keys)
    loss = it.loss(accounting)
    assert share * Decimal("0.999999") <= loss.main <= share
    assert not loss.delta
    assert it.norm is norm and isinstance(it.start, int) == (row is not None)
    assert it.made_for == Sensitivity(1, sensitivity(norm))
    assert it.choice.one_sided and it.choice.sensitivity.linf == SCORE
    if isinstance(it.start, NoisyMax):
        assert not it.start.one_sided and it.start.sensitivity.linf == SCORE
    assert (it.noise.distribution is Distribution.GAUSSIAN) == (norm is Norm.L2)
    assert it.error is None and not it.tells_keys
    assert it.candidates == LAST_BUCKET + 1 or edge(it.candidates - 1) >= (most or 0) > edge(it.candidates - 2)


@pytest.mark.parametrize("share", ["1e-9", "1e-6", "1e6", "1e9"])
@pytest.mark.parametrize(("norm", "accounting"), WAYS)
def test_extreme_shares_have_noise(norm: Norm, accounting: Accounting, share: str) -> None:
    """An answer there is, whatever it is worth: no score, weight or total is too large."""
    for row, most in ((1, None), (None, None), (None, 1), (2**45, 2**62)):
        it = clipped_noise(norm, accounting, Decimal(share), row, most)
        assert it.loss(accounting).main <= Decimal(share)
        many = TotalsByNorm({0: 2**40, 300: 2**40, 620: 1}, [{0: 2**62, 620: -(2**62)}] * 3)
        for exact in (many, TotalsByNorm({}, []), TotalsByNorm({}, [{}]), TotalsByNorm({5: 1}, [])):
            told = it.release(exact)
            assert len(told.totals) == len(exact.totals)
            assert told.clip == edge(0) or told.clip > 1
            assert it.error_at(told.clip).half_width > 0
            assert told.part == told.clip / PARTS


def test_what_cannot_be_made_is_refused() -> None:
    for share in (Decimal(0), Decimal(-1), Decimal("1e-30")):
        with pytest.raises(ValueError, match="share"):
            clipped_noise(Norm.L1, Accounting.PURE, share, 1)
        with pytest.raises(ValueError, match="share"):
            clipped_noise(Norm.L2, Accounting.ZCDP, share, None)
    it = clipped_noise(Norm.L2, Accounting.ZCDP, Decimal(1), 1)
    with pytest.raises(ValueError, match="zCDP"):
        it.loss(Accounting.PURE)
    with pytest.raises(ValueError, match="keys"):
        it.release(TotalsByNorm({}, [{}] * (MOST_KEYS + 1)))


# The whole: the chances of each clip, exactly, times how far noise at it tells the two worlds apart


def chances(choice: NoisyMax, scores: Sequence[int]) -> list[mpmath.mpf]:
    """Of each place: of permute-and-flip by how many others are flipped before it, and of the exponential mechanism."""
    weights = [mpmath.exp(mpmath.mpf(score - max(scores)) / choice.scale) for score in scores]
    if choice.noise is ScoreNoise.GUMBEL:
        return [weight / mpmath.fsum(weights) for weight in weights]
    count = len(weights)
    before = [
        mpmath.mpf(1) / (count * mpmath.binomial(count - 1, others)) for others in range(count)
    ]  # of one order in which so many others, which they are given, are before it
    return [
        weight * mpmath.fdot(_chosen([1 - each for at, each in enumerate(weights) if at != place]), before)
        for place, weight in enumerate(weights)
    ]


def _chosen(factors: Sequence[mpmath.mpf]) -> list[mpmath.mpf]:
    """For each number of factors the sum of the products of so many of them."""
    sums = [mpmath.mpf(1)]
    for factor in factors:
        sums = [one + factor * other for one, other in zip([*sums, 0], [0, *sums], strict=True)]
    return sums


@dataclass(frozen=True)
class Outcome:
    """A start and a clip: its chance in a world, and the totals there, before their noise."""

    chance: mpmath.mpf
    totals: Sequence[int]


def outcomes(it: ClippedNoise, exact: TotalsByNorm) -> Iterator[Outcome]:
    """All of them, in the same order in each world."""
    starts = {it.start: mpmath.mpf(1)} if isinstance(it.start, int) else _starts(it.start, it, exact)
    left = [clipped(exact.totals, edge(candidate)) for candidate in range(it.candidates)]
    for start, first in starts.items():
        each = chances(it.choice, it.scores(exact.units, len(exact.totals), start))
        yield from (Outcome(first * chance, totals) for chance, totals in zip(each, left, strict=True))


def _starts(start: NoisyMax, it: ClippedNoise, exact: TotalsByNorm) -> Mapping[int, mpmath.mpf]:
    """Doublings, eight buckets each."""
    return {8 * at: chance for at, chance in enumerate(chances(start, it.from_median(exact.units, start.scale)))}


def _steps(one: Outcome, other: Outcome) -> list[int]:
    return [a - b for a, b in zip(one.totals, other.totals, strict=True)]


SMALL = st.sampled_from([0, 1, 2, 4])


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(15, 60, 1000))
@given(neighbours(SMALL | st.integers(-5, 5)), st.booleans(), st.sampled_from(["0.1", "1", "5"]))
def test_no_outcome_is_likelier_than_epsilon_allows(
    world: tuple[list[Unit], Unit, int], is_known: bool, share: str
) -> None:
    """Pure: by e^ε at most, of all starts, clips and totals, in both directions. The furthest totals are the worst."""
    units, one, keys = world
    it = clipped_noise(Norm.L1, Accounting.PURE, Decimal(share), 1 if is_known else None, 4)
    exact = [list(outcomes(it, found(each, keys, Norm.L1))) for each in (units, [*units, one])]
    with mpmath.workdps(30):
        limit = mpmath.exp(mpmath.mpf(share)) * (1 + mpmath.mpf(10) ** -20)
        for without, with_it in zip(*exact, strict=True):
            apart = mpmath.exp(mpmath.mpf(sum(map(abs, _steps(without, with_it)))) / it.noise.scale)
            assert without.chance * apart <= limit * with_it.chance
            assert with_it.chance * apart <= limit * without.chance
        assert all(abs(mpmath.fsum(each.chance for each in all_of) - 1) < 1e-12 for all_of in exact)


@pytest.mark.larger
@settings(deadline=None, max_examples=sized(15, 60, 1000))
@given(
    neighbours(SMALL | st.integers(-5, 5)), st.booleans(), st.sampled_from(["0.01", "0.5", "5"]), st.sampled_from(Norm)
)
def test_no_divergence_is_larger_than_rho_allows(
    world: tuple[list[Unit], Unit, int], is_known: bool, share: str, norm: Norm
) -> None:
    """zCDP: D_α <= ρ·α, of all outcomes together, in both directions."""
    units, one, keys = world
    it = clipped_noise(norm, Accounting.ZCDP, Decimal(share), 1 if is_known else None, 4)
    exact = [list(outcomes(it, found(each, keys, norm))) for each in (units, [*units, one])]
    with mpmath.workdps(30):
        for order in (1.0001, 1.5, 2, 4, 16, 64):
            for first, second in (exact, exact[::-1]):
                moment = mpmath.fsum(
                    a.chance**order * b.chance ** (1 - order) * _moment(it, order, _steps(a, b))
                    for a, b in zip(first, second, strict=True)
                )
                assert mpmath.log(moment) / (order - 1) <= mpmath.mpf(share) * order * (1 + mpmath.mpf(10) ** -9)


def _moment(it: ClippedNoise, order: float, steps: Sequence[int]) -> mpmath.mpf:
    """E[(P/Q)^(α−1)] of noise moved by those steps: for Gaussian noise over whole numbers it is that of the reals; for
    Laplace noise of a scale of very many steps it is that of the reals but for some 1e-9 (Mironov 2017, proposition 6).
    """
    if it.noise.distribution is Distribution.GAUSSIAN:
        return mpmath.exp(order * (order - 1) * mpmath.mpf(sum(each**2 for each in steps)) / 2 / it.noise.scale**2)
    each_moment = [
        order / (2 * order - 1) * mpmath.exp((order - 1) * mpmath.mpf(abs(step)) / it.noise.scale)
        + (order - 1) / (2 * order - 1) * mpmath.exp(-order * mpmath.mpf(abs(step)) / it.noise.scale)
        for step in steps
    ]
    return mpmath.fprod(each_moment)


@pytest.mark.long
@pytest.mark.parametrize(("norm", "accounting"), WAYS)
@pytest.mark.parametrize("row", [1, None])
def test_it_draws_as_it_should(norm: Norm, accounting: Accounting, row: int | None) -> None:
    """Clips with their exact chances; and totals around what is left at the clip, with the noise that is claimed."""
    units = [(1, 0), (2, 1), (0, 3), (4, 0), (1, 1), (2, 2)]
    it, exact = clipped_noise(norm, accounting, Decimal(2), row, 4), found(units, 2, norm)
    expected: Counter[Fraction] = Counter()
    for place, outcome in enumerate(outcomes(it, exact)):
        expected[edge(place % it.candidates)] += float(outcome.chance)  # type: ignore[assignment]
    told = [it.release(exact) for _ in range(DRAWS)]
    drawn = Counter(each.clip for each in told)
    assert drawn.keys() <= expected.keys()
    common = [clip for clip, chance in expected.items() if chance * DRAWS > 10]
    rest = max(1e-9, 1 - sum(expected[clip] for clip in common))
    counts = [*(drawn[clip] for clip in common), DRAWS - sum(drawn[clip] for clip in common)]
    assert stats.chisquare(counts, [*(expected[clip] * DRAWS for clip in common), rest * DRAWS]).pvalue > P_VALUE
    far = math.ceil(it.noise.scale)
    beyond = sum(
        noised >= total + far
        for each in told
        for noised, total in zip(each.totals, clipped(exact.totals, each.clip), strict=True)
    )
    chance = float(tail(it.noise.distribution, it.noise.scale, far))
    assert stats.binomtest(beyond, 2 * DRAWS, chance).pvalue > P_VALUE
