"""How often intervals hold the exact number: of counts, sums, and statistics of several totals, at several confidences.

Nothing here has a chance of more than one in a million to fail a correct program: what is counted may be as
few as a binomial is once in a billion.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import psycopg
import pytest
from lanes import sized, thinned
from scipy import stats
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.types import BIGINT, DOUBLE, TEXT
from dpproxy.error_bars import ToldRows, bars, clipped_share, cut_at, margins, replicated_texts
from dpproxy.error_bars.bars import ends
from dpproxy.error_bars.clip_bias import ClippedRelease, clipped_units
from dpproxy.error_bars.design import dealt, quantiles
from dpproxy.error_bars.quantile_intervals import quantile_ends, quantile_replicates
from dpproxy.error_bars.replicates import MOST_REPLICATED
from dpproxy.estimates import Noised, estimate
from dpproxy.front.error_bars import EACH
from dpproxy.mechanisms.clipped_noise import ClippedNoise, clipped_noise
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.noise_at_a_clip import PARTS
from dpproxy.mechanisms.norms import BUCKETS_TO_A_DOUBLING, Norm
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.error_bars import Bar, BarColumn, Replicates, rank_for, size_for
from dpproxy.plan.formulas import (
    CentreOf,
    CountOf,
    Covariance,
    CovarianceOf,
    Decision,
    DecisionOf,
    Dispersion,
    DispersionOf,
    Fit,
    FitOf,
    Formula,
    Line,
    LineOf,
    MeanOf,
    QuantileOf,
    Spread,
    SumOf,
)
from dpproxy.plan.grids import EvenGrid, GrowingGrid, value_of
from dpproxy.plan.private_plan import (
    UNCAPPED,
    Applied,
    Bounded,
    Key,
    Limit,
    Literals,
    Measure,
    MeasureKind,
    Output,
    Release,
    RowEnds,
)
from dpproxy.plan.space import key_space
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.release import release
from dpproxy.released_clips import clips_of
from dpproxy.released_ends import ends_name, ends_text
from dpproxy.rows import Column, Rows

CONFIDENCES = [Decimal(each) for each in ("0.9", "0.95", "0.99")]
SURE = Decimal("0.5")
MEDIAN = Rank(1, 2)
X, Y = Spread(1, 2), Spread(3, 4)
# rows, x, x², y, y², xy of each key, as steps
TOTALS = (400, 1200, 9000, -300, 8100, 2500)


def noise(distribution: Distribution, scale: float) -> Noise:
    return Noise(distribution, scale, Sensitivity(1, 100))


def made(outputs: Sequence[Formula], scales: Sequence[float], keys: int, kind: Distribution) -> Release:
    """A release of so many keys, whose measures have noise of those scales."""
    kinds = (MeasureKind.ROWS, *[MeasureKind.SUM] * 5)
    steps = (Decimal(1), *[Decimal("0.5")] * 5)
    measures = tuple(
        Measure(f"m{at}", kinds[at], 0 if at in (0, 2, 4) else -100, 100, steps[at], Decimal(0), "")
        for at in range(len(scales))
    )
    domain = Literals(tuple(f"k{each}" for each in range(keys)))
    bounded = Bounded("SELECT", "person", (Key("k0", TEXT, domain, ""),), measures, False, 1, 1, Limit.ONE_ROW)
    mechanisms = tuple(Applied(noise(kind, each), at) for at, each in enumerate(scales))
    named = tuple(Output(f"o{at}", DOUBLE, each, "") for at, each in enumerate(outputs))
    return Release(bounded, mechanisms, named)


def asked(it: Release, totals: Sequence[int]) -> ToldRows:
    """An answer, where each key has the same exact totals."""
    (key,) = it.bounded.keys
    assert isinstance(key.domain, Literals)
    columns = (Column("k0", "text"), *(Column(each.name, "bigint") for each in it.bounded.measures))
    exact = Rows(columns, tuple((value, *totals) for value in key.domain.values))
    told = release(it, exact, key_space(it.bounded.keys, {}, ()))
    return ToldRows([it], [told], [told])


def truth(it: Release, totals: Sequence[int], formula: Formula) -> float:
    """The formula of exact totals."""
    none = {at: noise(Distribution.LAPLACE, 1e-6) for at in range(len(totals))}
    value = estimate(formula, Noised(it.bounded.measures, none, dict(enumerate(totals)), 0))
    assert isinstance(value, Fraction)
    return float(value)


def covered(told: ToldRows, column: int, exact: float, confidence: Decimal) -> float:
    """The share of rows whose interval holds the exact number."""
    found = margins(told, 0, column, confidence)
    low = np.where(np.isnan(found.low), -np.inf, found.low)
    high = np.where(np.isnan(found.high), np.inf, found.high)
    return float(np.mean((low <= exact + 1e-9) & (exact - 1e-9 <= high)))


def least(confidence: Decimal, answers: int) -> float:
    """What a share of so many answers does not fall below, but once in a million."""
    return float(stats.binom.ppf(1e-9, answers, float(confidence))) / answers


def clipped(loss: str, keys: int, lower: int = 0) -> Release:
    """A release of one sum by key, scaled down to a clip that is chosen."""
    measure = Measure("m0", MeasureKind.SUM, lower, 2**45, Decimal(1), Decimal(0), "")
    domain = Literals(tuple(f"k{each}" for each in range(keys)))
    bounded = Bounded(
        "SELECT", "person", (Key("k0", TEXT, domain, ""),), (measure,), False, UNCAPPED, UNCAPPED,
        Limit.NORM_CLIPPED, clip=Norm.L2,
    )  # fmt: skip
    noise = clipped_noise(Norm.L2, Accounting.ZCDP, Decimal(loss), 1)
    return Release(bounded, (Applied(noise, 0),), (Output("o0", BIGINT, SumOf(0), ""),))


def by_norm(sizes: np.ndarray, keys: int) -> tuple[Rows, list[int]]:
    """Units of one key each, in turn, as the engine finds them: by bucket; and the exact sum of each key."""
    buckets = np.maximum(0, np.ceil(BUCKETS_TO_A_DOUBLING * np.log2(np.maximum(sizes, 1)))).astype(int)
    owner = np.arange(len(sizes)) % keys
    found = []
    for key in range(keys):
        for bucket in np.unique(buckets[owner == key]):
            there = (owner == key) & (buckets == bucket)
            found.append((f"k{key}", int(there.sum()), int(bucket), int(sizes[there].sum())))
    columns = (Column("k0", "text"), Column("c", "bigint"), Column("b0", "bigint"), Column("m0", "bigint"))
    return Rows(columns, tuple(found)), [int(sizes[owner == key].sum()) for key in range(keys)]


STATISTICS: Mapping[str, Formula] = {
    "count": CountOf(0),
    "sum": SumOf(1),
    "mean": MeanOf(1, 0),
    "standard deviation": DispersionOf(Dispersion.STDDEV_SAMP, X, 0),
    "covariance": CovarianceOf(Covariance.POP, 3, 1, 5, 0),
    "slope": LineOf(Line.SLOPE, 3, X, 5, 0),
    "correlation": FitOf(Fit.CORRELATION, Y, X, 5, 0),
}
# Little noise, noise that makes half of a statistic, and so much that some answers are NULL.
SCALES = {"little": (3, 30, 200, 30, 200, 200), "some": (30, 100, 300, 100, 300, 300)}
SLACK = 0.01
"""By how much a statistic of several totals may be covered less than is said: its replicates are about the released
totals, and not about the exact ones."""


@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize("scales", thinned(SCALES, 2))
def test_an_interval_holds_the_exact_number_as_often_as_it_says(scales: str, distribution: Distribution) -> None:
    _check_coverage(SCALES[scales], distribution, 700)


@pytest.mark.long
@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize("scales", [*SCALES.values(), (60, 300, 1500, 300, 1500, 1500)])
def test_an_interval_holds_the_exact_number_in_many_answers(
    scales: Sequence[float], distribution: Distribution
) -> None:
    _check_coverage(scales, distribution, sized(1_500, 1_500, 10_000))


def _check_coverage(scales: Sequence[float], distribution: Distribution, answers: int) -> None:
    it = made(list(STATISTICS.values()), scales, answers, distribution)
    told = asked(it, TOTALS)
    for at, (name, formula) in enumerate(STATISTICS.items(), 1):
        slack = 0.0 if isinstance(formula, CountOf | SumOf) else SLACK
        for confidence in CONFIDENCES:
            share = covered(told, at, truth(it, TOTALS, formula), confidence)
            assert share >= least(confidence, answers) - slack, (name, confidence)


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("count", thinned([0, 1, 5], 3))
def test_counts_near_zero_are_covered(count: int, confidence: Decimal) -> None:
    for distribution in Distribution:
        told = asked(made([CountOf(0)], (20,), 2_000, distribution), (count,))
        assert covered(told, 1, count, confidence) >= least(confidence, 2_000)
        held = replace(told, held={0: frozenset({1})})
        assert covered(held, 1, count, confidence) >= least(confidence, 2_000)
        assert np.nanmin(margins(held, 0, 1, confidence).low) >= 0


@pytest.mark.long
@pytest.mark.parametrize("keys", [1, 10])
def test_what_was_clipped_is_covered(keys: int) -> None:
    """Of values without bounds: alike, of a long tail, and of a tail with an infinite variance."""
    random = np.random.Generator(np.random.PCG64(5))
    worlds = [np.full(3000, 700.0), random.lognormal(5, 1, 3000), 100 * (1 + random.pareto(2, 3000))]
    for values in worlds:
        it = clipped("0.05", keys)
        exact, sums = by_norm(np.ceil(values).astype(np.int64), keys)
        hits = 0
        for _ in range(400 // keys):
            rows = release(it, exact, key_space(it.bounded.keys, {}, ()))
            found = margins(ToldRows([it], [rows], [rows]), 0, 1, Decimal("0.9"))
            hits += sum(low <= each <= high for low, each, high in zip(found.low, sums, found.high, strict=True))
        assert hits / 400 >= least(Decimal("0.9"), 400)


@pytest.mark.parametrize("keys", [1, 10])
def test_what_is_clipped_is_told_of_as_many_units_as_there_must_be(keys: int) -> None:
    """A unit adds a clip at most: where all are alike there are at least as many as clips in the sum; by the L2 norm it
    may have spread that over all keys. The noise of the sum is known: six of its standard deviations."""
    it = clipped("0.05", keys)
    exact, _ = by_norm(np.full(3000, 700), keys)
    rows = release(it, exact, key_space(it.bounded.keys, {}, ()))
    told = ToldRows([it], [rows], [rows])
    shares = bars(told, BarColumn(0, 1, Bar.CLIPPED, SURE))
    assert len(set(shares)) == 1 and shares[0] is not None
    (mechanism,) = (each.mechanism for each in it.mechanisms)
    assert isinstance(mechanism, ClippedNoise)
    clip = float(clips_of(it, rows)[0])
    in_clips, noise = 3000 * min(1.0, 700 / clip), 6 * math.sqrt(keys) * mechanism.noise.stddev / float(PARTS)
    least = [max(1.0, (in_clips + each) / math.sqrt(keys)) for each in (noise, -noise)]
    low, high = (min(1.0, clipped_units(mechanism, keys) / each) for each in least)
    assert low <= shares[0] <= high
    assert clipped_share(told, 0, 1) is None, "units were not counted"


def one_row(ends: RowEnds, clip: int, moved: int) -> ToldRows:
    """A sum of distances of units with a row each, at that clip, around what a release before told."""
    told_before = Rows((Column("o0", "bigint"),), ((moved,),))
    it = clipped("0.05", 1, lower=-(2**45))
    (measure,) = it.bounded.measures
    around = replace(measure, kind=MeasureKind.CENTRED, ends=ends, moved=ReleasedColumn(0, 0))
    known = replace(it.bounded, keys=(), measures=(around,), rows=1, groups=1, limit=Limit.ONE_ROW)
    it = replace(it, bounded=known)
    before = Release(replace(known, measures=()), (), (Output("o0", BIGINT, CentreOf(0, 0, 2**31), ""),))
    rows = Rows((Column("o0", "bigint"), Column("clip of m0", "numeric")), ((10**6, Decimal(clip)),))
    return ToldRows([before, it], [told_before, rows], [told_before, rows])


@pytest.mark.parametrize(
    ("ends", "clip", "below", "above"),
    [
        (RowEnds(0, None), 2**17, False, True),  # a count lies 10^5 below the centre at most
        (RowEnds(0, None), 2**16, True, True),
        (RowEnds(None, 105_000), 2**13, True, False),
        (RowEnds(95_000, 105_000), 2**13, False, False),
        (RowEnds(None, None), 2**17, True, True),
    ],
)
def test_nothing_is_taken_where_no_unit_reaches_the_clip(ends: RowEnds, clip: int, below: bool, above: bool) -> None:
    told = one_row(ends, clip, 100_000)
    (applied,) = told.releases[1].mechanisms
    assert isinstance(applied.mechanism, ClippedNoise)
    taken = ClippedRelease(told.releases, told.released, 1).taken(0, applied.mechanism)
    assert (taken.below > 0, taken.above > 0) == (below, above)
    if ends.least == 0 and below:
        assert taken.below <= clipped_units(applied.mechanism, 1) * 100_000 / clip < taken.above


def test_caps_that_are_declared_end_what_may_be_taken() -> None:
    """However few there are: a unit has no more than the caps allow, so that there is a high end."""
    it = clipped("0.0001", 1)
    (measure,), (applied,) = it.bounded.measures, it.mechanisms
    for most, row, known in ((None, None, False), (4000, 100, True), (2**45, None, False)):
        noise = clipped_noise(Norm.L2, Accounting.ZCDP, Decimal("0.0001"), 100, most)
        bounded = replace(it.bounded, measures=(replace(measure, row=row),))
        made = replace(it, bounded=bounded, mechanisms=(replace(applied, mechanism=noise),))
        columns = tuple(Column(each, "numeric") for each in ("k0", "o0", "clip of m0"))
        rows = Rows(columns, (("k0", 200, Decimal(101)),))
        taken = ClippedRelease([made], [rows], 0).taken(0, noise)
        assert taken.below == 0 and math.isfinite(taken.above) == known
        if known:
            assert taken.above <= clipped_units(noise, 1) * 40


@pytest.mark.parametrize(("lower", "clip", "known"), [(0, 2**44, True), (0, 2**45, False), (-(2**45), 2**45, False)])
def test_nothing_is_known_where_the_clip_is_all_that_counts(lower: int, clip: int, known: bool) -> None:
    """Values that nobody bounded count up to a size: a clip of that size says that many may be larger."""
    it = clipped("1", 1, lower)
    columns = tuple(Column(each, "numeric") for each in ("k0", "o0", "clip of m0"))
    rows = Rows(columns, (("k0", 2**44 * 10_000, Decimal(clip)),))
    (applied,) = it.mechanisms
    assert isinstance(applied.mechanism, ClippedNoise)
    taken = ClippedRelease([it], [rows], 0).taken(0, applied.mechanism)
    assert math.isfinite(taken.above) == known and math.isfinite(taken.below) == (known or lower == 0)
    assert cut_at(ToldRows([it], [rows], [rows]), 0, 1) == (None if known else 2.0**45)


def test_what_is_clipped_is_not_known_of_bounds() -> None:
    plain = made([CountOf(0), SumOf(1)], (3, 3), 2, Distribution.LAPLACE)
    counted, summed = plain.bounded.measures
    plain = replace(plain, bounded=replace(plain.bounded, measures=(replace(counted, upper=1), summed)))
    told = asked(plain, (100, 10))
    assert bars(told, BarColumn(0, 1, Bar.CLIPPED, SURE)) == (0.0, 0.0)
    assert bars(told, BarColumn(0, 2, Bar.CLIPPED, SURE)) == (None, None)


def test_the_share_that_is_clipped_is_of_the_units_that_were_counted() -> None:
    it = clipped("0.05", 1)
    counted = Measure("m1", MeasureKind.ROWS, 0, 1, Decimal(1), Decimal(0), "")
    bounded = replace(it.bounded, measures=(*it.bounded.measures, counted), rows=1)
    outputs = (*it.outputs, Output("o1", BIGINT, CountOf(1), ""))
    mechanisms = (*it.mechanisms, Applied(noise(Distribution.LAPLACE, 1), 1))
    it = Release(bounded, mechanisms, outputs)
    columns = tuple(Column(each, "numeric") for each in ("k0", "o0", "o1", "clip of m0"))
    rows = Rows(columns, (("k0", 70_000, 100, Decimal(700)),))
    told = ToldRows([it], [rows], [rows])
    (share,) = bars(told, BarColumn(0, 1, Bar.CLIPPED, SURE))
    assert share is not None
    assert 0.02 < share < 0.5
    assert bars(told, BarColumn(0, 2, Bar.CLIPPED, SURE)) == (0.0,)


def test_ranks_keep_the_confidence() -> None:
    for each in ("0.5", "0.8", "0.9", "0.95", "0.99", "0.995", "0.999"):
        size, rank = size_for(Decimal(each)), rank_for(Decimal(each))
        assert rank >= 2
        assert Decimal(each) <= 1 - Decimal(2 * rank) / (size + 1) <= Decimal(each) + Decimal(2) / (size + 1)


@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize("scale", [0.01, 0.3, 1.0, 7.5, 80.0])
def test_a_quantile_is_that_of_the_discrete_noise(scale: float, distribution: Distribution) -> None:
    sizes = np.arange(-4000, 4001)
    weights = np.exp(-np.abs(sizes) / scale if distribution is Distribution.LAPLACE else -(sizes**2) / (2 * scale**2))
    weights /= weights.sum()
    for outside in (0.25, 0.05, 0.025, 0.005):
        at = noise(distribution, scale).reach(outside)
        assert weights[sizes > at].sum() <= outside * 1.001
        assert at == 0 or weights[sizes > at - 1].sum() > outside * 0.999 or scale > 64


def test_the_design_is_the_same_for_the_same_question() -> None:
    points = quantiles(noise(Distribution.LAPLACE, 10), 399)
    assert len(points) == 399
    assert np.array_equal(points, -points[::-1])
    dealt_ = dealt(points, 5, [1, 2])
    assert np.array_equal(dealt_, dealt(points, 5, [1, 2]))
    assert all(np.array_equal(np.sort(each), points) for each in dealt_)


def test_replicates_are_told_of_so_many_rows_and_no_more() -> None:
    it = made([CountOf(0), DecisionOf(Decision.ANY, 0)], (3,), 3, Distribution.LAPLACE)
    told = asked(it, (100,))
    texts = replicated_texts(told, Replicates(0, 1, 399))
    assert all(each is not None and each.count(",") == 398 for each in texts)
    assert replicated_texts(told, Replicates(0, 2, 399)) == (None,) * 3
    many = replace(told, rows=[Rows(told.rows[0].columns, told.rows[0].rows[:1] * (MOST_REPLICATED // 399 + 1))])
    assert set(replicated_texts(many, Replicates(0, 1, 399))) == {None}


def test_a_statistic_of_an_older_release_has_no_bars() -> None:
    """Its totals were not kept."""
    it = made([MeanOf(1, 0)], (3, 3), 2, Distribution.LAPLACE)
    told = asked(it, (100, 10))
    old = Rows(told.rows[0].columns[:2], tuple(row[:2] for row in told.rows[0].rows))
    assert bars(ToldRows([it], [old], [old]), BarColumn(0, 1, Bar.LOW, Decimal("0.95"))) == (None, None)
    assert None not in bars(told, BarColumn(0, 1, Bar.LOW, Decimal("0.95")))


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[psycopg.Connection[tuple[float, ...]]]:
    """The oldest Postgres that is found, with the functions that a front has."""
    with (
        scratch_postgres(next(iter(MAJORS.values()))) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute("CREATE SCHEMA dp_bars")
        connection.execute(EACH.encode())
        yield connection


ARRAYS = "(SELECT a::float8[] AS a, b::float8[] AS b FROM unnest(%s::text[], %s::text[]) AS t(a, b)) AS s"
COMPUTED = {
    "a ratio": ("dp_bars.each_divide(a, b)", lambda a, b: a / b),
    "a difference": ("dp_bars.each_subtract(a, b)", lambda a, b: a - b),
    "a share of a part": ("dp_bars.each_divide(a, dp_bars.each_add(a, b))", lambda a, b: a / (a + b)),
    "a share of all": ("dp_bars.each_divide(a, dp_bars.each_sum(a) OVER ())", lambda a, _: 1 / 700),
}


@pytest.mark.parametrize("what", thinned(COMPUTED, 2))
def test_what_is_computed_is_covered(what: str, postgres: psycopg.Connection[tuple[float, ...]]) -> None:
    """Of a count and a sum whose noise is a tenth of them; a step of the sum is a half."""
    sql, exact = COMPUTED[what]
    told = asked(made([CountOf(0), SumOf(1)], (20, 40), 700, Distribution.LAPLACE), (300, 400))
    arrays = [list(replicated_texts(told, Replicates(0, column, 399))) for column in (1, 2)]
    for confidence in CONFIDENCES:
        rank = rank_for(confidence)
        ends = f"SELECT dp_bars.each_low({sql}, {rank}), dp_bars.each_high({sql}, {rank}) FROM {ARRAYS}"
        rows = postgres.execute(ends, arrays).fetchall()
        # Once in many runs a sum lies near 0, and a ratio by it may be anything: an end that is NULL is beyond.
        share = np.mean(
            [
                (low is None or low <= exact(300, 200)) and (high is None or exact(300, 200) <= high)
                for low, high in rows
            ]
        )
        assert share >= least(confidence, 700) - SLACK


@pytest.mark.long
def test_a_ratio_by_what_may_be_nothing_is_covered(postgres: psycopg.Connection[tuple[float, ...]]) -> None:
    """Its interval has no end on the side where it may be anything."""
    told = asked(made([CountOf(0), SumOf(1)], (20, 40), 700, Distribution.LAPLACE), (300, 20))
    arrays = [list(replicated_texts(told, Replicates(0, column, 399))) for column in (1, 2)]
    nothing = "dp_bars.each_subtract(b, b)"
    sql = f"dp_bars.each_divide(a, dp_bars.each_choose(dp_bars.each_below({nothing}, b), b, {nothing}))"
    rows = postgres.execute(
        f"SELECT dp_bars.each_low({sql}, 10), dp_bars.each_high({sql}, 10) FROM {ARRAYS}", arrays
    ).fetchall()
    held = [(low is None or low <= 30) and (high is None or high >= 30) for low, high in rows]
    assert np.mean(held) >= least(Decimal("0.95"), 700) - SLACK
    assert any(high is None for _, high in rows)


ENDS = [((40, 60), (38, 63), (30, 70), (25, 80)), ((50, None), (45, None), (40, None), (None, None))]
GRIDS = {
    "with bounds": EvenGrid(Decimal(0), Decimal(1), 101, Decimal(0), Decimal(100)),
    "without": GrowingGrid(Decimal(1), 8, 50),
}


@pytest.mark.parametrize("confidence", CONFIDENCES)
@pytest.mark.parametrize("grid", GRIDS)
def test_replicates_of_a_quantile_are_as_wide_as_was_told(grid: str, confidence: Decimal) -> None:
    """Where an end is open, they may be anything on either side, and so is what is made of them."""
    formula = QuantileOf(0, MEDIAN, GRIDS[grid])
    middle = int(value_of(GRIDS[grid], 52))
    told = Rows((Column("q", "bigint"), Column(ends_name(MEDIAN), "text")), tuple((middle, ends_text(e)) for e in ENDS))
    made = quantile_replicates(told, told, 0, formula, range(2), size_for(confidence), [1, 2])
    found = quantile_ends(told, told, 0, formula, confidence)
    assert made is not None and found is not None
    low, high = ends(made, rank_for(confidence))
    assert (low[0], high[0]) == (found[0][0], found[1][0])
    if grid == "with bounds":
        assert (low[1], high[1]) == (found[0][1], 100)
    else:
        assert np.isnan([low[1], high[1], found[1][1]]).all() and not np.isnan(found[0][1])
    assert not np.array_equal(np.sort(made[0]), made[0]), "dealt in an order of its own"
