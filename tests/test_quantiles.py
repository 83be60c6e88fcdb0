"""Quantiles: what a row moves, losses, exact distributions, errors; which statements ask for them; the checker."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clients.adult_report import ADULT, make_adult
from exact_quantiles import exactly
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import crossed, sized
from scipy import stats
from worlds import fitted, make_world, opened_room, plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import BIGINT
from dpproxy.config import Config
from dpproxy.engines import EngineQuery
from dpproxy.errors import FeatureNotSupported
from dpproxy.mechanisms.histograms import Histograms, histograms
from dpproxy.mechanisms.kinds import Quantiles
from dpproxy.mechanisms.noise import gaussian, laplace
from dpproxy.mechanisms.quantile_brackets import QuantileBrackets
from dpproxy.mechanisms.quantile_choice import QuantileChoice, quantile_choice
from dpproxy.mechanisms.quantile_tree import REACHES, QuantileTree, levels_of, quantile_tree
from dpproxy.mechanisms.ranks import Rank, rank_of
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.grids import EvenGrid, GrowingGrid, places_of, value_of
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Applied, Output, Plan
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite import Parameter
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_as, explain_text
from dpproxy.rows import Rows
from dpproxy.session.dp_tables import last_statement

P_VALUE = 1e-8
DRAWS = sized(2000, 8000, 100_000)
SHARES = st.floats(1e-3, 20).map(Decimal)
LEAST, MEDIAN, MOST = Rank(0, 1), Rank(1, 2), Rank(1, 1)
RANKS = st.one_of(
    st.sampled_from([LEAST, MEDIAN, MOST]),
    st.fractions(0, 1, max_denominator=50).map(lambda each: Rank(each.numerator, each.denominator)),
)
SMALL = st.lists(st.integers(0, 6), min_size=1, max_size=6)


FIRST = {"age": 0, "hours_per_week": 0, "education_num": 1}


# Ranks


def distances(counts: Sequence[int], rank: Rank, inward: int) -> list[int]:
    below = [0, *itertools.accumulate(counts)]
    return [rank.distance(below[at], inside, below[-1], inward) for at, inside in enumerate(counts)]


@given(SMALL, RANKS, st.integers(0, 9), st.integers(1, 5), st.data())
def test_one_row_moves_a_distance_by_its_steepness(
    counts: list[int], rank: Rank, inward: int, weight: int, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(counts) - 1))
    more = [count + weight * (index == at) for index, count in enumerate(counts)]
    moved = zip(distances(counts, rank, inward), distances(more, rank, inward), strict=True)
    assert all(abs(one - other) <= rank.steepness * weight for one, other in moved)


@given(SMALL, RANKS)
def test_the_nearest_bucket_is_the_quantile(counts: list[int], rank: Rank) -> None:
    """As PERCENTILE_DISC has it; a distance of 0 is no bucket's alone where the rank falls between two."""
    if sum(counts):
        tree = quantile_tree((rank,), len(counts), Sensitivity(1, 1), lambda it: laplace(it, Decimal(1)))
        ((bucket,),) = exactly(tree, counts)
        assert distances(counts, rank, 0)[bucket] == 0


def test_a_fraction_is_near_enough() -> None:
    assert rank_of(Fraction(0.1)) == Rank(1, 10) and rank_of(Fraction(1, 3)) == Rank(1, 3)
    for each in (Fraction(math.pi) / 4, Fraction(99_999, 100_000)):
        near = rank_of(each)
        assert abs(Fraction(near.numerator, near.denominator) - each) < Fraction(1, 10_000)


def test_a_vector_is_histograms() -> None:
    sparse = Histograms(4, ({1: 5}, {}, {0: 2, 3: 1}))
    assert list(sparse) == [0, 5, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1] and sparse[1:3] == [5, 0]
    assert histograms(list(sparse), 4) == histograms(sparse, 4) == sparse.cells


# Grids


@given(st.integers(0, 2 * 736 * 32))
def test_a_growing_grid_is_the_inverse_of_its_buckets(bucket: int) -> None:
    grid = GrowingGrid(Decimal(1), 32, 736 * 32)
    value = value_of(grid, bucket)
    log = math.log1p(float(abs(value))) if abs(value) < 1e300 else 736.0
    assert round(math.copysign(log, value) * 32) + grid.middle == bucket or abs(value) >= 1e300


def test_an_even_grid_stays_within_its_ends() -> None:
    grid = EvenGrid(Decimal(0), Decimal("0.3"), 5, Decimal(0), Decimal(1))
    assert [value_of(grid, each) for each in range(5)] == [0, Fraction(3, 10), Fraction(6, 10), Fraction(9, 10), 1]
    assert places_of(grid) == 1 and places_of(GrowingGrid(Decimal("0.01"), 32, 5)) == 4


# Loss


@pytest.mark.larger
@settings(max_examples=sized(30, 100, 1000), deadline=None)
@given(st.lists(RANKS, min_size=1, max_size=4, unique=True), st.sampled_from(Accounting), SHARES)
def test_it_keeps_to_its_share(ranks: list[Rank], accounting: Accounting, share: Decimal) -> None:
    """And takes nearly all of it."""
    made = quantile_choice(tuple(ranks), 100, Sensitivity(3, 65_536), accounting, share)
    found = made.loss(accounting)
    assert share * Decimal("0.99999") <= found.main <= share and found.delta == 0
    moved = Sensitivity(3, 65_536)
    tree = quantile_tree(
        tuple(ranks), 100, moved, lambda it: (laplace if accounting is Accounting.PURE else gaussian)(it, share)
    )
    assert tree.loss(accounting).main <= share
    assert tree.noise.sensitivity.l0 == 3 * levels_of(100, tree.branching)


def test_nothing_for_no_share() -> None:
    for share in (Decimal(0), Decimal("1e-25")):
        with pytest.raises(ValueError, match=r"share|room"):
            quantile_choice((MEDIAN,), 10, Sensitivity(1, 2**16), Accounting.PURE, share)


# Distribution


def drawn_from(made: QuantileChoice, counts: Sequence[int], rank: Rank) -> list[float]:
    """The exponential mechanism over all buckets, exactly: by distances, and what the scale stands for."""
    far = distances(counts, rank, made.inward)
    weights = [math.exp(-each / (made.scale * rank.steepness)) for each in far]
    return [each / sum(weights) for each in weights]


WORLDS = [[3, 0, 0, 4, 0, 2, 0], [0, 0, 0, 0, 0], [9], [0, 0, 0, 0, 0, 0, 0, 0, 5]]


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("rank", [LEAST, Rank(1, 4), MEDIAN, MOST])
@pytest.mark.parametrize("counts", WORLDS, ids=str)
def test_it_draws_as_it_should(counts: list[int], rank: Rank, accounting: Accounting) -> None:
    made = quantile_choice((rank,), len(counts), Sensitivity(1, 1), accounting, Decimal("0.7"))
    found = Counter(made.release(counts * (DRAWS // 8)))
    expected = np.array(drawn_from(made, counts, rank)) * found.total()
    seen = np.array([found[(each,)] for each in range(len(counts))])
    if len(counts) > 1:
        kept = expected >= 5
        seen, expected = np.append(seen[kept], seen[~kept].sum()), np.append(expected[kept], expected[~kept].sum())
        if expected[-1] < 5 and len(expected) > 1:  # too few for the test: with those before them
            seen, expected = (np.append(each[:-2], each[-2:].sum()) for each in (seen, expected))
        assert stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue > P_VALUE


@pytest.mark.parametrize("accounting", Accounting)
def test_the_distributions_own_loss_on_neighbours(accounting: Accounting) -> None:
    """Of all histograms of few rows in few buckets, each with one more row anywhere: ε, or its ρ of bounded range."""
    for rank in (LEAST, Rank(1, 4), MEDIAN, Rank(9, 10), MOST):
        made = quantile_choice((rank,), 4, Sensitivity(1, 1), accounting, Decimal("0.3"))
        range_ = float(made.loss(accounting).main)
        range_ = math.sqrt(8 * range_) if accounting is Accounting.ZCDP else range_
        for counts in itertools.product(range(4), repeat=4):
            before = np.log(drawn_from(made, counts, rank))
            for at in range(4):
                more = [count + (index == at) for index, count in enumerate(counts)]
                moved = np.log(drawn_from(made, more, rank)) - before
                assert moved.max() - moved.min() <= range_ * (1 + 1e-6)


@pytest.mark.long
def test_runs_are_drawn_evenly() -> None:
    """Of a run of 300 buckets each comes as often, for all that one candidate stands for them."""
    made = quantile_choice((MEDIAN,), 300, Sensitivity(1, 1), Accounting.ZCDP, Decimal(1))
    found = Counter(bucket for (bucket,) in made.release(Histograms(300, ({},) * DRAWS)))
    assert stats.chisquare([found[each] for each in range(300)]).pvalue > P_VALUE


def test_a_tree_without_noise_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what noise is drawn for, and nothing else, that stands between the counts and the bucket."""
    made = quantile_tree(
        (Rank(1, 10), MEDIAN, Rank(9, 10)), 1000, Sensitivity(1, 1), lambda it: laplace(it, Decimal(1))
    )
    monkeypatch.setattr(type(made.noise), "release", lambda _, totals: list(totals))
    cells = {bucket: 1 + bucket % 7 for bucket in range(130, 890)}
    vector = Histograms(1000, (cells,))
    counts = [cells.get(each, 0) for each in range(1000)]
    for rank, bucket in zip(made.ranks, made.release(vector)[0].buckets, strict=True):
        assert distances(counts, rank, 0)[bucket] == 0


def test_a_tree_keeps_what_it_drew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each count is drawn once, however many ranks come by: else more would be told than is paid for."""
    drawn: list[int] = []
    ranks = tuple(Rank(each, 20) for each in range(21))
    made = quantile_tree(ranks, 4096, Sensitivity(1, 1), lambda it: laplace(it, Decimal("0.1")))
    told = type(made.noise).release

    def counted(noise: Any, totals: Sequence[int]) -> list[int]:
        drawn.append(len(totals))
        return told(noise, totals)

    monkeypatch.setattr(type(made.noise), "release", counted)
    made.release(Histograms(4096, (dict.fromkeys(range(4096), 1),)))
    assert sum(drawn) <= sum(made.branching**level for level in range(1, made.levels + 1))


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("ranks", [(MEDIAN,), (LEAST, MOST), tuple(Rank(each, 10) for each in range(1, 10))])
def test_it_seldom_misses_by_more_than_it_says(ranks: tuple[Rank, ...], accounting: Accounting) -> None:
    """In rank, of 10,000 rows, in one of twenty cases: both mechanisms."""
    share, runs = Decimal("0.2"), sized(60, 60, 2000)
    noise = laplace if accounting is Accounting.PURE else gaussian
    counts = [10] * 1000 + [0] * 3000
    for made in (
        quantile_choice(ranks, 4000, Sensitivity(1, 1), accounting, share),
        quantile_tree(ranks, 4000, Sensitivity(1, 1), lambda it: noise(it, share)),
    ):
        exact = Histograms(4000, ({at: each for at, each in enumerate(counts) if each},) * runs)
        told = [each.buckets for each in made.release(exact)] if isinstance(made, QuantileTree) else made.release(exact)
        for rank, found in zip(ranks, zip(*told, strict=True), strict=True):
            away = distances(counts, rank, 0)
            far = [away[bucket] / rank.parts for bucket in found]
            missed = sum(each > made.error.half_width for each in far)
            assert stats.binomtest(missed, runs, 0.05, alternative="greater").pvalue > P_VALUE


@pytest.mark.long
@pytest.mark.parametrize("accounting", Accounting)
def test_an_interval_of_a_tree_holds_the_quantile(accounting: Accounting) -> None:
    """At each of its confidences, of what is spread and of what lies in one bucket in ten."""
    noise, ranks = (laplace if accounting is Accounting.PURE else gaussian), (Rank(1, 10), MEDIAN, Rank(9, 10))
    made = quantile_tree(ranks, 4000, Sensitivity(1, 1), lambda it: noise(it, Decimal("0.2")))
    for counts in ([10] * 1000 + [0] * 3000, [0, 0, 0, 0, 0, 40, 0, 0, 0, 0] * 400):
        told = made.release(Histograms(4000, ({at: each for at, each in enumerate(counts) if each},) * 100))
        sums, total = list(accumulate(counts)), sum(counts)
        for place, rank in enumerate(ranks):
            exact = next(at for at, below in enumerate(sums) if below * rank.denominator >= total * rank.numerator)
            for level, confidence in enumerate(REACHES):
                ends = [each.ends[place][level] for each in told]
                held = [(low is None or low <= exact) and (high is None or exact <= high) for low, high in ends]
                missed = held.count(False)
                assert stats.binomtest(missed, 100, 1 - float(confidence), alternative="greater").pvalue > P_VALUE


def test_an_extreme_is_open_at_its_end() -> None:
    """Next to no noise: with more, an interval of 90 % may miss."""
    made = quantile_tree((LEAST, MOST), 4000, Sensitivity(1, 1), lambda it: laplace(it, Decimal(1000)))
    (told,) = made.release(Histograms(4000, (dict.fromkeys(range(1000, 3000), 10),)))
    least, most = told.ends
    assert all(low is None and high is not None and high >= 1000 for low, high in least)
    assert all(high is None and low is not None and low < 3000 for low, high in most)
    assert sorted(high or 0 for _, high in least) == [high for _, high in least], "the surer, the wider"


# Statements


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, Catalog]:
    return fitted(make_world(tmp_path_factory.mktemp("world")))


@pytest.fixture(scope="module")
def catalog(world: tuple[Config, Catalog]) -> Catalog:
    return world[1]


PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))
OF_AGE = "WITHIN GROUP (ORDER BY age) FROM people"
BY_DEPT = "SELECT dept, max(cost), dp.median(cost) FROM visits GROUP BY dept"
ALL = {
    "a median": f"SELECT percentile_cont(0.5) {OF_AGE}",
    "an array": f"SELECT percentile_disc(ARRAY[0.25, 0.5, 0.75]) {OF_AGE}",
    "many": f"SELECT percentile_cont(ARRAY[{', '.join(str(each / 100) for each in range(1, 100))}]) {OF_AGE}",
    "per key": "SELECT sex, dp.median(income) FROM people GROUP BY sex",
    "extremes": "SELECT min(age), max(joined) FROM people",
    "private keys": BY_DEPT,
    "no bounds": "SELECT dp.median(visit_id), max(visit_id) FILTER (WHERE cost > 3) FROM visits",
    "timestamps": "SELECT dp.median(CAST(joined AS timestamp)) FROM people",
    "a join": "SELECT building, dp.median(cost) FROM visits JOIN departments USING (dept) GROUP BY building",
    "beside others": "SELECT sex, count(*), avg(age), dp.median(age), count(DISTINCT city) FROM people GROUP BY sex",
}


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("sql", ALL.values(), ids=ALL)
def test_they_are_planned_priced_and_proved(sql: str, dialect: str, account: Terms, catalog: Catalog) -> None:
    made = plan(sql, catalog, dialect=dialect, account=account)
    check_plan(made, catalog, dialect, account.accounting)
    own = lost(made.releases, made.time, account.accounting)
    assert own.main <= made.cost.main and own.main >= made.cost.main * Decimal("0.999")


def mechanism(made: Plan, index: int = 0) -> Quantiles:
    found = made.releases[index].mechanisms[0].mechanism
    assert isinstance(found, Quantiles)
    return found


def test_few_are_chosen_and_many_are_read_off_a_tree(catalog: Catalog) -> None:
    """Whichever errs less in rank."""
    for account in (PURE, ZCDP):
        assert isinstance(mechanism(plan(ALL["a median"], catalog, account=account)), QuantileBrackets)
        assert isinstance(mechanism(plan(ALL["many"], catalog, account=account)), QuantileTree)


def test_one_argument_is_one_histogram(catalog: Catalog) -> None:
    """Whatever is asked of it, and in which type; another FILTER is another one."""
    sql = "SELECT min(age), max(age), dp.median(age), percentile_disc(ARRAY[0.1, 0.5]) WITHIN GROUP (ORDER BY age DESC)"
    (one,) = plan(f"{sql} FROM people", catalog).releases
    assert mechanism(plan(f"{sql} FROM people", catalog)).ranks == (LEAST, MOST, MEDIAN, Rank(9, 10))
    assert [str(each.type) for each in one.outputs] == ["integer", "integer", "double precision", "integer", "integer"]
    assert len(plan("SELECT min(age), min(age) FILTER (WHERE smoker) FROM people", catalog).releases) == 2


def test_fractions_may_be_parameters(catalog: Catalog) -> None:
    """They are of the plan then: another value is another statement."""
    given_ = (Parameter("double precision", "0.25"),)
    made = plan(f"SELECT percentile_cont($1) {OF_AGE}", catalog, parameters=given_)
    assert mechanism(made).ranks == (Rank(1, 4),) and made.reads == {0}
    given_ = (Parameter("double precision[]", "{0.25,0.75}"),)
    made = plan(f"SELECT percentile_cont($1) {OF_AGE}", catalog, parameters=given_)
    assert mechanism(made).ranks == (Rank(1, 4), Rank(3, 4)) and "ARRAY[" in made.post.sql


def test_a_choice_is_never_by_a_quantile(catalog: Catalog) -> None:
    made = plan("SELECT sex FROM people GROUP BY sex ORDER BY max(age) DESC LIMIT 1", catalog)
    assert isinstance(mechanism(made), QuantileBrackets) and "ORDER BY" in made.post.sql


def test_what_is_no_number_is_refused(catalog: Catalog) -> None:
    for each in ("city", "person_id::text"):
        sql = f"SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY {each}) FROM people"
        with pytest.raises(FeatureNotSupported, match="text") as caught:
            plan(sql, catalog)
        assert caught.value.hint


def test_it_says_so(catalog: Catalog) -> None:
    made = plan("SELECT max(age) FROM people", catalog, account=ZCDP)
    (line,) = [each for each in explain_text(made, Decimal(1), Decimal(0)) if "Histogram" in each]
    assert "off in rank by" in line and "MIN and MAX are the values beyond which" in line
    assert '"Error in Rank":' in explain_as("json", made, Decimal(1), Decimal(0))
    assert "an interval of 95 % reaches" in line and '"Interval in Rank":' in explain_as(
        "json", made, Decimal(1), Decimal(0)
    )
    ((_, name, stddev, half_width),) = last_statement(made).rows
    assert name == "exponential mechanism" and stddev is half_width is None, "nothing was told yet"


def answered(world: tuple[Config, Catalog], sql: str, epsilon: str = "100") -> list[Rows]:
    """The released rows, over the world."""
    config, catalog = world
    told: list[Rows] = []
    with opened_room(config) as run:
        for each in plan(sql, catalog, {"epsilon": epsilon}).releases:
            inputs = {name.name: told[name.release].column(name.column) for name in each.bounded.inputs}  # type: ignore[union-attr]
            exact = run(EngineQuery(each.bounded.sql, inputs))
            told.append(release(each, exact, key_space(each.bounded.keys, {}, told)))
    return told


def test_values_are_near(world: tuple[Config, Catalog]) -> None:
    """People are from 18 to 77 years old, about seven of each age: off by 5 years at ε = 100 with no chance at all."""
    ((least, median, most, *_),) = answered(world, "SELECT min(age), dp.median(age), max(age) FROM people")[0].rows
    assert 18 <= int(str(least)) <= 22 and 43 <= float(str(median)) <= 52 and 72 <= int(str(most)) <= 77
    ((day, _),) = answered(world, "SELECT min(joined) FROM people")[0].rows
    assert str(day).startswith("2020-0")
    ((moment, _),) = answered(world, "SELECT max(CAST(joined AS timestamp)) FROM people")[0].rows
    assert str(moment)[:4] in ("2025", "2026")
    ((number, _),) = answered(world, "SELECT dp.median(visit_id) FROM visits")[0].rows
    assert 500 < float(str(number)) < 1000


def test_a_unit_of_many_rows_weighs_as_one(world: tuple[Config, Catalog]) -> None:
    """Person 7 has every tenth visit; without them the whole weight falls by one unit's."""
    config, catalog = world
    (it,) = plan("SELECT dp.median(cost) FROM visits", catalog).releases
    with opened_room(config) as run:
        found = run(EngineQuery(it.bounded.sql)).rows
        units = run(EngineQuery("SELECT count(DISTINCT person_id) FROM visits WHERE person_id IS NOT NULL")).rows[0][0]
    assert isinstance(units, int)
    whole = sum(int(str(weight)) for _, weight in found)
    assert units * 65_536 * 0.99 < whole <= units * 65_536


def test_without_any_row_there_is_a_value(world: tuple[Config, Catalog]) -> None:
    """Any of the grid's: whether there is a row is nobody's to know."""
    for sql in (
        "SELECT dp.median(age) FROM people WHERE age > 119",
        f"SELECT percentile_disc(ARRAY[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) {OF_AGE} WHERE age < 0",
    ):
        (row,) = answered(world, sql, "0.1")[0].rows
        assert all(0 <= float(str(each)) <= 120 for each in row if not isinstance(each, str))


# The checker

Change = Callable[[Plan], Plan]


def of_text(old: str, new: str) -> Change:
    def change(made: Plan) -> Plan:
        last = made.releases[-1]
        assert old in last.bounded.sql, last.bounded.sql
        return of_last(bounded=replace(last.bounded, sql=last.bounded.sql.replace(old, new)))(made)

    return change


def of_last(**parts: Any) -> Change:
    return lambda made: replace(made, releases=(*made.releases[:-1], replace(made.releases[-1], **parts)))


def of_measure(**parts: Any) -> Change:
    def change(made: Plan) -> Plan:
        bounded = made.releases[-1].bounded
        return of_last(bounded=replace(bounded, measures=(replace(bounded.measures[0], **parts),)))(made)

    return change


def of_mechanism(change: Callable[[Any], Any]) -> Change:
    def changed(made: Plan) -> Plan:
        (applied,) = made.releases[-1].mechanisms
        return of_last(mechanisms=(Applied(change(applied.mechanism), applied.measure),))(made)

    return changed


def of_choice(**parts: Any) -> Callable[[Any], Any]:
    """Of brackets, the choice that they are around."""
    return lambda it: replace(it, choice=replace(it.choice, **parts))


def closer(it: Any) -> Any:
    return of_choice(scale=it.choice.scale * 0.99)(it)


MANY_ROWS = "SELECT sex, dp.median(cost) FROM visits JOIN people USING (person_id) GROUP BY sex"
LIMITED = "SELECT dept, dp.median(cost) FROM visits GROUP BY dept"
ONE_ROW = ALL["a median"]
SHARED = "LEAST(GREATEST(SUM(m0) OVER (PARTITION BY u, k0), 1), 4611686018427387904)"
TEXTS: dict[str, tuple[str, Change]] = {
    "a share of more than one": (MANY_ROWS, of_text("m0 * 65536", "m0 * 65537")),
    "a share of nothing": (MANY_ROWS, of_text(f"// CAST({SHARED} AS BIGINT)", "// 1")),
    "a share that is rounded": (MANY_ROWS, of_text("(m0 * 65536) //", "(m0 * 65536) /")),
    "a share of all": (MANY_ROWS, of_text("(PARTITION BY u, k0), 1)", "(), 1)")),
    "a share of the key's": (MANY_ROWS, of_text("(PARTITION BY u, k0), 1)", "(PARTITION BY k0), 1)")),
    "a share of the unit's": (MANY_ROWS, of_text("(PARTITION BY u, k0), 1)", "(PARTITION BY u), 1)")),
    "a share of a running sum": (MANY_ROWS, of_text("(PARTITION BY u, k0), 1)", "(PARTITION BY u, k0 ORDER BY b), 1)")),
    "a share of none": (MANY_ROWS, of_text("u, k0), 1), 461", "u, k0), 0), 461")),
    "a share of a few": (
        MANY_ROWS,
        of_text("1), 4611686018427387904) AS BIGINT) AS m0 FROM (SELECT *", "1), 5) AS BIGINT) AS m0 FROM (SELECT *"),
    ),
    "rows in many buckets at once": (MANY_ROWS, of_text("GROUP BY u, k0, b", "GROUP BY u, k0, b, b + 1")),
    "rows of all units": (MANY_ROWS, of_text("GROUP BY u, k0, b", "GROUP BY k0, b")),
    "counts without an end": (MANY_ROWS, of_text("LEAST(GREATEST(COUNT(*), 0), 2147483647)", "COUNT(*)")),
    "a total without an end": (
        MANY_ROWS,
        of_text(
            "CAST(LEAST(GREATEST(COALESCE(SUM(m0), 0), -4611686018427387904), 4611686018427387904) AS BIGINT) AS m0",
            "SUM(m0) AS m0",
        ),
    ),
    "other keys": (MANY_ROWS, of_text("k0 IN ('F', 'M')", "k0 IN ('F', 'M', 'X')")),
    "no keys of its own": (MANY_ROWS, of_text("WHERE k0 IN ('F', 'M')", "")),
    "NULL is a bucket": (MANY_ROWS, of_text("WHERE b IS NOT NULL GROUP", "GROUP")),
    "no limit": (LIMITED, of_text("WHERE g <= 3", "")),
    "a wider limit": (LIMITED, of_text("g <= 3", "g <= 4")),
    "a limit of contributions": (LIMITED, of_text("DENSE_RANK()", "ROW_NUMBER()")),
    "a limit over all": (LIMITED, of_text("OVER (PARTITION BY u ORDER BY HASH", "OVER (ORDER BY HASH")),
    "two of a row": (ONE_ROW, of_text("COUNT(*) AS m0", "COUNT(*) * 2 AS m0")),
    "a sum": (ONE_ROW, of_text("COUNT(*) AS m0", "SUM(b) AS m0")),
    "no group": (ONE_ROW, of_text("GROUP BY b", "")),
    "NULL is a bucket of one row": (ONE_ROW, of_text("WHERE b IS NOT NULL GROUP", "GROUP")),
    "rows that are no unit's": (ONE_ROW, of_text('WHERE s0."person_id" IS NOT NULL', "")),
    "a bucket that may raise": (ONE_ROW, of_text('ELSE s0."age" END', 'ELSE 1 / s0."age" END')),
    "another table's rows": (ONE_ROW, of_text('"people" AS s0', '"visits" AS s0')),
    "a smaller claim": (MANY_ROWS, of_measure(upper=65_535)),
    "no sum of buckets": (MANY_ROWS, of_measure(upper=1)),
    "as a count of distinct values": (ONE_ROW, of_measure(kind=None)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_loosened_histograms_are_refused(name: str, catalog: Catalog) -> None:
    sql, change = TEXTS[name]
    made = plan(sql, catalog, account=ZCDP)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    with pytest.raises(CheckFault):
        check_plan(change(made), catalog, "duckdb", Accounting.ZCDP)


MECHANISMS: dict[str, tuple[str, Change, str]] = {
    "a smaller scale": (ONE_ROW, of_mechanism(closer), "more than is charged"),
    "no scale": (ONE_ROW, of_mechanism(of_choice(scale=0.0)), "without a scale"),
    "one rank more": (ONE_ROW, of_mechanism(of_choice(ranks=(MEDIAN, LEAST))), "more than is charged"),
    "a rank beyond": (ONE_ROW, of_mechanism(of_choice(ranks=(MEDIAN, Rank(3, 2)))), "no share"),
    "no steps": (ONE_ROW, of_mechanism(of_choice(fine=0)), "no buckets"),
    "noise that has no room": (ONE_ROW, of_mechanism(of_choice(scale=1e30)), "no room"),
    "made for less": (LIMITED, of_mechanism(of_choice(sensitivity=Sensitivity(3, 1))), "than one unit"),
    "made for fewer": (LIMITED, of_mechanism(of_choice(sensitivity=Sensitivity(2, 65_536))), "one unit"),
    "a tree of less noise": (
        ALL["many"],
        of_mechanism(lambda it: replace(it, noise=replace(it.noise, scale=it.noise.scale * 0.99))),
        "more than is charged",
    ),
    "a tree of more levels": (ALL["many"], of_mechanism(lambda it: replace(it, branching=2)), "less than one unit"),
    "a tree without branches": (ALL["many"], of_mechanism(lambda it: replace(it, branching=1)), "branches"),
    "the counts are told": (ONE_ROW, of_last(outputs=(Output("o0", BIGINT, CountOf(0), "n"),)), "no measure"),
    "noise on the counts": (
        ONE_ROW,
        of_mechanism(lambda _: gaussian(Sensitivity(1, 1), Decimal("0.1"))),
        "not told",
    ),
    "two of them": (ONE_ROW, lambda it: of_last(mechanisms=it.releases[-1].mechanisms * 2)(it), "read twice"),
    "half the price": (
        ONE_ROW,
        lambda it: replace(it, cost=Loss(it.cost.main / 2, it.cost.delta)),
        "more than is charged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MECHANISMS)
def test_loosened_quantiles_are_refused(name: str, catalog: Catalog) -> None:
    sql, change, reason = MECHANISMS[name]
    made = plan(sql, catalog, account=ZCDP)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    with pytest.raises(CheckFault, match=reason):
        check_plan(change(made), catalog, "duckdb", Accounting.ZCDP)


def test_releases_that_do_not_hang_together_are_refused(catalog: Catalog) -> None:
    """Before any row is looked at, and whatever a plan says."""
    made = plan(ONE_ROW, catalog, account=ZCDP)
    count = plan("SELECT count(age) FROM people WHERE smoker", catalog, account=ZCDP).releases[0]
    (it,), empty = made.releases, Rows((), ())
    wrong = [
        replace(it, mechanisms=(Applied(gaussian(Sensitivity(1, 1), Decimal(1)), 0),)),
        replace(count, mechanisms=it.mechanisms),
        replace(it, mechanisms=(Applied(of_choice(sensitivity=Sensitivity(1, 0))(mechanism(made)), 0),)),
    ]
    for each in wrong:
        with pytest.raises(ValueError, match=r"histogram|sensitivity"):
            release(each, empty, key_space(each.bounded.keys, {}, ()))


# The census


@pytest.mark.long
@pytest.mark.skipif(not ADULT.exists(), reason="adult.csv is not there")
@pytest.mark.parametrize("account", [PURE, ZCDP], ids=["pure", "zcdp"])
@pytest.mark.parametrize("column", ["age", "hours_per_week", "education_num"])
def test_quartiles_of_the_census(column: str, account: Terms, tmp_path: Path) -> None:
    """At ε = 1 their rank is off by less than 0.3 %, and per sex by less than 0.6 %."""
    config, catalog = fitted(make_adult(tmp_path, account.accounting.value))
    asked = f"percentile_disc(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY {column})"
    whole, each_sex = f"SELECT {asked} FROM adult", f"SELECT sex, {asked} FROM adult GROUP BY sex"
    with opened_room(config) as run:
        for sql, limit in ((whole, 0.003), (each_sex, 0.006)):
            made = plan(sql, catalog, account=account)
            (it,), told = made.releases, mechanism(made)
            keys, exact = len(it.bounded.keys), run(EngineQuery(it.bounded.sql))
            for row in release(it, exact, key_space(it.bounded.keys, {}, ())).rows:
                cells = dict(each[keys:] for each in exact.rows if each[:keys] == row[:keys])
                counts = [int(str(cells.get(at, 0))) for at in range(told.buckets)]
                for value, rank in zip(row[keys : keys + len(told.ranks)], told.ranks, strict=True):
                    far = [each > limit * sum(counts) * rank.parts for each in distances(counts, rank, 0)]
                    assert not far[int(str(value)) - FIRST[column]], (sql, value)
                    if isinstance(told, QuantileBrackets):
                        missed = sum(itertools.compress(drawn_from(told.choice, counts, rank), far))
                        assert missed < 1e-7, "nor would it be once in a million runs"
