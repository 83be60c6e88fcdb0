"""VARIANCE, STDDEV, COVAR, CORR, REGR, BOOL_AND and BOOL_OR: what is paid, and what is made of noisy numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from applied import applied, noises_of
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from worlds import TERMS, plan

from dpproxy.catalog.policy import Catalog, TableColumn
from dpproxy.catalog.types import BOOLEAN, DOUBLE, NUMERIC, TIMESTAMP, SqlType
from dpproxy.estimates import Noised, decision_threshold, estimate
from dpproxy.mechanisms.noise import Distribution, Noise, gaussian, laplace
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import (
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
    Spread,
)
from dpproxy.plan.private_plan import Bounded, Limit, Measure, MeasureKind, Output, Release, RowEnds
from dpproxy.release import release
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rows import Rows
from dpproxy.session.dp_tables import last_statement

Point = tuple[Fraction, Fraction]

# x in [-20, 100] on a grid of a half, y in [0, 9] on one of a tenth; both around their middle, squares once more.
X, Y = 0, 2
SPREAD_X, SPREAD_Y = Spread(X, 1), Spread(Y, 3)
PRODUCTS, COUNT = 4, 5
MEASURES = (
    Measure("m0", MeasureKind.CENTRED, -120, 120, Decimal("0.5"), Decimal(40), "x"),
    Measure("m1", MeasureKind.SQUARES, -7200, 7200, Decimal("0.25"), Decimal(1800), "x"),
    Measure("m2", MeasureKind.CENTRED, -45, 45, Decimal("0.1"), Decimal("4.5"), "y"),
    Measure("m3", MeasureKind.SQUARES, -1012, 1013, Decimal("0.01"), Decimal("10.12"), "y"),
    Measure("m4", MeasureKind.PRODUCTS, -5400, 5400, Decimal("0.05"), Decimal(0), "xy"),
    Measure("m5", MeasureKind.ROWS, 0, 1, Decimal(1), Decimal(0), "count(*)"),
)
DISPERSIONS = {each: DispersionOf(each, SPREAD_X, COUNT) for each in Dispersion}
COVARIANCES = {each: CovarianceOf(each, Y, X, PRODUCTS, COUNT) for each in Covariance}
LINES = {each: LineOf(each, Y, SPREAD_X, PRODUCTS, COUNT) for each in Line}
FITS = {each: FitOf(each, SPREAD_Y, SPREAD_X, PRODUCTS, COUNT) for each in Fit}
FORMULAS: tuple[Formula, ...] = (*DISPERSIONS.values(), *COVARIANCES.values(), *LINES.values(), *FITS.values())
SILENT = Noise(Distribution.GAUSSIAN, 1e-6, Sensitivity(1, 1))


def totals(points: Sequence[Point]) -> list[int]:
    """What the engine adds up: whole numbers of grid steps."""
    away = [(x - 40, y - Fraction("4.5")) for x, y in points]
    sums = [
        sum((dx for dx, _ in away), Fraction(0)),
        sum((dx**2 - 1800 for dx, _ in away), Fraction(0)),
        sum((dy for _, dy in away), Fraction(0)),
        sum((dy**2 - Fraction("10.12") for _, dy in away), Fraction(0)),
        sum((dx * dy for dx, dy in away), Fraction(0)),
        Fraction(len(points)),
    ]
    steps = [total / Fraction(measure.step) for total, measure in zip(sums, MEASURES, strict=True)]
    assert all(each.denominator == 1 for each in steps)
    return [int(each) for each in steps]


def noised(numbers: Sequence[int], noise: Noise = SILENT) -> Noised:
    return Noised(MEASURES, [noise] * len(MEASURES), numbers, 0)


def estimated(formula: Formula, points: Sequence[Point]) -> Fraction | bool | None:
    return estimate(formula, noised(totals(points)))


POINTS = st.tuples(
    st.integers(-40, 200).map(lambda each: Fraction(each, 2)), st.integers(0, 90).map(lambda each: Fraction(each, 10))
)


def moments(points: Sequence[Point]) -> tuple[Fraction, Fraction, Fraction, Fraction, Fraction]:
    """Means, variances and the covariance of the population, in two passes."""
    n = len(points)
    mean_x, mean_y = sum((x for x, _ in points), Fraction(0)) / n, sum((y for _, y in points), Fraction(0)) / n
    away = [(x - mean_x, y - mean_y) for x, y in points]
    var_x, var_y, covariance = (
        sum((one[a] * one[b] for one in away), Fraction(0)) / n for a, b in ((0, 0), (1, 1), (0, 1))
    )
    return mean_x, mean_y, var_x, var_y, covariance


@pytest.mark.larger
@settings(max_examples=sized(60, 200, 2000), deadline=None)
@given(st.lists(POINTS, min_size=2, max_size=30))
def test_without_noise_they_are_the_statistics_themselves(points: list[Point]) -> None:
    """In exact fractions, all but the roots."""
    n = len(points)
    mean_x, mean_y, var_x, var_y, covariance = moments(points)
    sample = Fraction(n, n - 1)
    for formula, expected in (
        (DISPERSIONS[Dispersion.VAR_POP], var_x),
        (DISPERSIONS[Dispersion.VAR_SAMP], var_x * sample),
        (DISPERSIONS[Dispersion.SUM], var_x * n),
        (DispersionOf(Dispersion.SUM, SPREAD_Y, COUNT), var_y * n),
        (COVARIANCES[Covariance.POP], covariance),
        (COVARIANCES[Covariance.SAMP], covariance * sample),
        (COVARIANCES[Covariance.SUM], covariance * n),
        (MeanOf(X, COUNT), mean_x),
        (MeanOf(Y, COUNT), mean_y),
        (LINES[Line.SLOPE], covariance / var_x if var_x else None),
        (LINES[Line.INTERCEPT], mean_y - covariance / var_x * mean_x if var_x else None),
        (FITS[Fit.DETERMINATION], covariance**2 / (var_x * var_y) if var_x * var_y else None),
    ):
        assert estimated(formula, points) == expected


@pytest.mark.larger
@settings(max_examples=sized(40, 100, 1000), deadline=None)
@given(st.lists(POINTS, min_size=3, max_size=30))
def test_they_are_those_of_numpy(points: list[Point]) -> None:
    x, y = np.array([float(x) for x, _ in points]), np.array([float(y) for _, y in points])

    def near(formula: Formula, expected: float) -> bool:
        found = estimated(formula, points)
        return found is not None and math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-6)

    assert near(DISPERSIONS[Dispersion.STDDEV_POP], np.std(x))
    assert near(DISPERSIONS[Dispersion.STDDEV_SAMP], np.std(x, ddof=1))
    assert near(COVARIANCES[Covariance.SAMP], np.cov(x, y)[0, 1])
    if np.ptp(x) and np.ptp(y):
        assert near(FITS[Fit.CORRELATION], np.corrcoef(x, y)[0, 1])
        slope, intercept = np.polyfit(x, y, 1)
        assert near(LINES[Line.SLOPE], slope)
        assert near(LINES[Line.INTERCEPT], intercept)


def test_a_line_is_y_over_x() -> None:
    points = [(Fraction(x), Fraction(x, 20) + 1) for x in range(0, 100, 4)]
    assert estimated(LINES[Line.SLOPE], points) == Fraction(1, 20)
    assert estimated(LINES[Line.INTERCEPT], points) == 1
    assert estimated(FITS[Fit.CORRELATION], points) == pytest.approx(1, abs=1e-30)


NUMBERS = st.integers(-(2**62), 2**62) | st.integers(-100, 100)


@pytest.mark.larger
@settings(max_examples=sized(100, 500, 5000), deadline=None)
@given(st.lists(NUMBERS, min_size=6, max_size=6))
def test_they_are_null_where_there_is_no_number_and_never_pushed_into_a_range(numbers: list[int]) -> None:
    """No rows; too few for a sample; a variance below 0, or none to divide by. All else is the formula's own value."""
    n = Fraction(numbers[COUNT])
    sums = [number * Fraction(each.step) for number, each in zip(numbers, MEASURES, strict=True)]
    of_x = Fraction(1800) + sums[1] / n - (sums[0] / n) ** 2 if n > 0 else Fraction(-1)
    of_y = Fraction("10.12") + sums[3] / n - (sums[2] / n) ** 2 if n > 0 else Fraction(-1)
    both = sums[4] / n - sums[0] * sums[2] / n**2 if n > 0 else Fraction(0)
    root = math.sqrt
    for formula, expected in (
        (MeanOf(X, COUNT), 40 + sums[0] / n if n > 0 else None),
        (DISPERSIONS[Dispersion.VAR_POP], of_x if of_x >= 0 else None),
        (DISPERSIONS[Dispersion.SUM], of_x * n if of_x >= 0 else None),
        (DISPERSIONS[Dispersion.VAR_SAMP], of_x * n / (n - 1) if of_x >= 0 and n >= 2 else None),
        (DISPERSIONS[Dispersion.STDDEV_POP], root(of_x) if of_x >= 0 else None),
        (DISPERSIONS[Dispersion.STDDEV_SAMP], root(of_x * n / (n - 1)) if of_x >= 0 and n >= 2 else None),
        (COVARIANCES[Covariance.POP], both if n > 0 else None),
        (COVARIANCES[Covariance.SUM], both * n if n > 0 else None),
        (COVARIANCES[Covariance.SAMP], both * n / (n - 1) if n >= 2 else None),
        (LINES[Line.SLOPE], both / of_x if of_x > 0 else None),
        (FITS[Fit.DETERMINATION], both**2 / (of_x * of_y) if of_x > 0 and of_y > 0 else None),
    ):
        found = estimate(formula, noised(numbers))
        near = isinstance(found, Fraction) and isinstance(expected, float) and math.isclose(found, expected)
        assert near or found == expected, formula
    told = estimate(FITS[Fit.CORRELATION], noised(numbers))
    assert (told is None) == (of_x <= 0 or of_y <= 0)
    assert told is None or math.isclose(told**2, both**2 / (of_x * of_y))


def test_a_mean_outside_of_bounds_and_a_correlation_past_one_are_told() -> None:
    """Pushed to the bound, what is noise would look plausible."""
    assert estimate(MeanOf(X, COUNT), noised([2000, 0, 0, 0, 0, 1])) == 1040
    assert estimate(FITS[Fit.CORRELATION], noised([0, 0, 0, 0, 10**6, 10])) == pytest.approx(37.0460, abs=1e-3)


@pytest.mark.parametrize("distribution", Distribution)
def test_what_is_divided_by_noise_is_null(distribution: Distribution) -> None:
    noise = Noise(distribution, 10.0, Sensitivity(1, 1))
    threshold = decision_threshold(noise)
    for rows, told in ((-3, False), (0, False), (threshold, False), (threshold + 1, True)):
        numbers = [0, 0, 0, 0, 0, rows]
        assert all(
            (estimate(formula, noised(numbers, noise)) is not None) == told for formula in (MeanOf(X, COUNT), *FORMULAS)
        )


def test_few_rows_have_a_spread_as_in_postgres() -> None:
    one = [(Fraction(10), Fraction(3))]
    assert [estimated(DISPERSIONS[each], one) for each in Dispersion] == [0, None, 0, None, 0]
    assert [estimated(COVARIANCES[each], one) for each in Covariance] == [0, None, 0]
    assert estimated(LINES[Line.SLOPE], one) is None
    assert estimated(FITS[Fit.CORRELATION], one) is None
    assert all(estimated(formula, []) is None for formula in (MeanOf(X, COUNT), *FORMULAS))


# With noise


def plan_of(noises: Sequence[Noise], outputs: Sequence[Formula], measures: Sequence[Measure] = MEASURES) -> Release:
    bounded = Bounded("SELECT", "person", (), tuple(measures), False, 1, 1, Limit.NO_KEYS)
    decided = [BOOLEAN if isinstance(each, DecisionOf) else DOUBLE for each in outputs]
    named = zip(decided, outputs, strict=True)
    columns = tuple(Output(f"o{i}", type_, formula, f"output {i}") for i, (type_, formula) in enumerate(named))
    return Release(bounded, applied(noises), columns)


def exact(numbers: Sequence[int]) -> Rows:
    return Rows((), (tuple(numbers),))


RUNS = 500


@pytest.mark.long
@pytest.mark.parametrize("mechanism", [laplace, gaussian])
def test_the_error_is_what_the_noise_makes_of_it(mechanism: object) -> None:
    """To first order, over 20,000 rows: the mean of (error / its standard deviation)² is 1 in 500 runs.

    Its own standard deviation is 0.1 (Laplace) or 0.06, so that the limits are six of them away.
    """
    chance = np.random.default_rng(5)
    x = np.clip(np.round(chance.normal(45, 15, 20_000) * 2), -40, 200)
    y = np.clip(np.round(x * 0.15 + 20 + chance.normal(0, 12, 20_000)), 0, 90)
    numbers = totals([(Fraction(int(a), 2), Fraction(int(b), 10)) for a, b in zip(x, y, strict=True)])
    noises = [mechanism(Sensitivity(1, measure.bound), Decimal("0.5")) for measure in MEASURES]  # type: ignore[operator]
    true = {formula: estimate(formula, noised(numbers)) for formula in FORMULAS}
    squares = dict.fromkeys(FORMULAS, 0.0)
    it = plan_of(noises, FORMULAS)
    for _ in range(RUNS):
        for formula, found in zip(FORMULAS, release(it, exact(numbers), ()).rows[0], strict=False):
            squares[formula] += (found - float(true[formula])) ** 2
    for formula in FORMULAS:
        deviation = math.sqrt(sum((slope(formula, numbers, i) * noise.stddev) ** 2 for i, noise in enumerate(noises)))
        assert 0.64 < squares[formula] / RUNS / deviation**2 < 1.5, formula


def slope(formula: Formula, numbers: Sequence[int], index: int) -> float:
    """How the estimate changes with one noisy number."""
    up, down = (
        estimate(formula, noised([*numbers[:index], numbers[index] + by, *numbers[index + 1 :]])) for by in (1, -1)
    )
    assert isinstance(up, Fraction) and isinstance(down, Fraction)
    return float(up - down) / 2


def test_centred_squares_are_quieter() -> None:
    """A square's bound is half the noise of one that is not centred; the count's part makes it 0.71 at the most."""
    var = DISPERSIONS[Dispersion.VAR_POP]
    numbers = totals([(Fraction(40 + 60 * side), Fraction(1)) for side in (-1, 1)] * 500)
    spread = slope(var, numbers, 1) * MEASURES[1].bound * 1000
    count = slope(var, numbers, COUNT) * 1000
    assert math.hypot(spread, count) <= 3600 * math.sqrt(0.5) * 1.01


# Decisions

FOUND = (Measure("m0", MeasureKind.UNITS, 0, 1, Decimal(1), Decimal(0), "found"),)
DECISIONS = (DecisionOf(Decision.ANY, 0), DecisionOf(Decision.NONE, 0))


@pytest.mark.parametrize("distribution", Distribution)
@pytest.mark.parametrize("scale", [1e-6, 0.3, 1.0, 2.5, 17.3, 5000.0])
def test_noise_alone_is_seldom_a_finding(distribution: Distribution, scale: float) -> None:
    """Against the sum of the distribution itself: at most 2.5 %, and more than that two steps below."""
    threshold = decision_threshold(Noise(distribution, scale, Sensitivity(1, 1)))
    reach = int(40 * scale) + 2
    k = np.arange(-reach, reach + 1, dtype=float)
    weights = np.exp(-np.abs(k) / scale if distribution is Distribution.LAPLACE else -(k**2) / (2 * scale**2))
    weights /= weights.sum()
    assert weights[k > threshold].sum() <= 0.025
    assert threshold < 2 or weights[k > threshold - 2].sum() > 0.025
    width = scale * (math.log(20) if distribution is Distribution.LAPLACE else 1.96)
    assert abs(threshold - width) <= 1.5


@pytest.mark.long
@pytest.mark.parametrize(
    "noise", [laplace(Sensitivity(1, 1), Decimal("0.1")), gaussian(Sensitivity(1, 1), Decimal("0.01"))]
)
def test_decisions_of_noise(noise: Noise) -> None:
    """Nobody: a false finding in 2.5 % of 4,000 runs, so above 200 less than once in 10^15. Many: always found."""
    it = plan_of([noise], DECISIONS, FOUND)
    decided = [release(it, exact([0]), ()).rows[0] for _ in range(4000)]
    assert all(found is not none for found, none in decided)
    assert sum(found for found, _ in decided) <= 200
    assert all(release(it, exact([1000]), ()).rows[0] == (True, False) for _ in range(100))


def test_decisions_are_made_of_the_threshold() -> None:
    noise = Noise(Distribution.LAPLACE, 10.0, Sensitivity(1, 1))
    threshold = decision_threshold(noise)
    for number, found in ((-5, False), (0, False), (threshold, False), (threshold + 1, True)):
        assert [estimate(each, Noised(FOUND, {0: noise}, {0: number}, 0)) for each in DECISIONS] == [found, not found]


# What is asked of the engine, and what it costs


SHARED = [
    ("avg(age)", "rows, centred sum"),
    ("avg(age), var_samp(age), variance(age), stddev(age), stddev_pop(age), count(age), count(*)",
     "rows, centred sum, centred squares"),
    ("avg(income), stddev(income), count(income)", "values, centred sum, centred squares"),
    ("avg(income), stddev(income), count(*)", "rows, values, centred sum, centred squares"),
    ("sum(age), stddev(age)", "rows, sum, centred sum, centred squares"),
    ("regr_count(age, age), count(*), regr_avgx(age, age), avg(age)", "rows, centred sum"),
    ("covar_pop(age, age * 2), covar_samp(age * 2, age), avg(age), avg(age * 2)",
     "rows, centred sum, centred sum, centred products"),
    ("regr_slope(age * 2, age), regr_intercept(age * 2, age), stddev(age), regr_avgy(age * 2, age)",
     "rows, centred sum, centred sum, centred squares, centred products"),
    ("corr(age * 2, age), corr(age, age * 2), regr_r2(age, age * 2), regr_slope(age, age * 2), stddev(age), avg(age)",
     "rows, centred sum, centred sum, centred squares, centred squares, centred products"),
    ("corr(income, age), regr_count(age, income), count(income), stddev(income)",
     "values, centred sum, centred sum, centred squares, centred squares, centred products"),
    ("regr_sxx(income, age), regr_syy(income, age), regr_sxy(income, age), corr(age, income)",
     "values, centred sum, centred sum, centred squares, centred squares, centred products"),
    ("stddev(age) FILTER (WHERE smoker), avg(age) FILTER (WHERE smoker), count(*) FILTER (WHERE smoker)",
     "values, centred sum, centred squares"),
    ("bool_or(smoker), count(*) FILTER (WHERE smoker)", "values"),
    ("bool_or(smoker), bool_or(smoker) FILTER (WHERE age > 50)", "values, values"),
    ("every(smoker), bool_and(smoker), bool_or(NOT smoker)", "values"),
]  # fmt: skip


@pytest.mark.parametrize(("items", "kinds"), SHARED, ids=range(len(SHARED)))
def test_moments_are_shared(items: str, kinds: str, catalog: Catalog) -> None:
    (made,) = plan(f"SELECT {items} FROM people", catalog).releases
    assert sorted(each.kind.value for each in made.bounded.measures) == sorted(kinds.split(", "))


def test_a_private_keys_count_is_shared_too(catalog: Catalog) -> None:
    (made,) = plan(
        "SELECT city, count(*), avg(age), stddev(age), regr_count(age, age) FROM people GROUP BY city", catalog
    ).releases
    assert [each.kind for each in made.bounded.measures] == [MeasureKind.CENTRED, MeasureKind.SQUARES]


def test_units_decide_whatever_their_rows(catalog: Catalog) -> None:
    (made,) = plan("SELECT bool_or(cost > 300), every(cost > 300) FROM visits", catalog).releases
    assert [(each.kind, each.lower, each.upper) for each in made.bounded.measures] == [(MeasureKind.UNITS, 0, 1)] * 2


@pytest.mark.parametrize("items", [items for items, _ in SHARED], ids=range(len(SHARED)))
@pytest.mark.parametrize("mechanism", ["auto", "laplace"])
def test_the_price_is_one_statements(items: str, mechanism: str, catalog: Catalog) -> None:
    """Whatever is asked costs what COUNT(*) costs; it is split over the measures, and the checker agrees."""
    made = plan(f"SELECT {items} FROM people", catalog, {"mechanism": mechanism})
    (asked,) = made.releases
    assert made.cost == plan("SELECT count(*) FROM people", catalog, {"mechanism": mechanism}).cost
    losses = [noise.loss(TERMS.accounting).main for noise in noises_of(asked)]
    assert made.cost.main * Decimal("0.97") <= sum(losses) <= made.cost.main
    check_plan(made, catalog, "duckdb", TERMS.accounting)


@pytest.mark.parametrize(
    "change",
    [
        lambda it: replace(it, count=9),
        lambda it: replace(it, products=9),
        lambda it: replace(it, x=replace(it.x, squares=9)),
        lambda it: replace(it, y=replace(it.y, total=-1)),
        lambda it: replace(it, count=None),
    ],
)
def test_the_checker_refuses_formulas_of_no_measure(change: object, catalog: Catalog) -> None:
    made = plan("SELECT corr(income, age) FROM people", catalog)
    (asked,) = made.releases
    (output,) = asked.outputs
    planted = replace(asked, outputs=(replace(output, formula=change(output.formula)),))  # type: ignore[operator]
    with pytest.raises(CheckFault):
        check_plan(replace(made, releases=(planted,)), catalog, "duckdb", TERMS.accounting)


@pytest.mark.parametrize(
    ("sql", "step"),
    [
        ("var_pop(age) FROM people", "1"),  # the age's own grid, squared
        ("var_pop(cost) FROM visits", "0.0001"),
        ("var_pop(income) FROM people", "100"),  # 250,000² is more than 10^9 steps of 1
        ("var_pop(price) FROM lineitem", "10"),
        ("covar_pop(price, quantity) FROM lineitem", "0.01"),
        ("var_pop(income / 3) FROM people", "10"),
        ("var_pop(1) FROM people", "1"),
        ("var_pop(0.5) FROM people", "0.01"),
    ],
)
def test_products_have_a_grid_of_a_billion_steps(sql: str, step: str, catalog: Catalog) -> None:
    (made,) = plan(f"SELECT {sql}", catalog).releases
    (found,) = (m for m in made.bounded.measures if m.kind in (MeasureKind.SQUARES, MeasureKind.PRODUCTS))
    assert found.step == Decimal(step)
    assert max(found.upper - found.lower, 1) <= 2 * 10**9 * made.bounded.rows


def test_the_last_statement_shows_no_width_of_what_has_none(catalog: Catalog) -> None:
    items = (
        "regr_count(income, age), stddev(age), corr(income, age), bool_or(smoker), regr_slope(income, age), avg(age)"
    )
    made = plan(f"SELECT {items}, covar_pop(income, age) FROM people", catalog)
    shown = [(mechanism, stddev is None, width is None) for _, mechanism, stddev, width in last_statement(made).rows]
    assert shown == [("gaussian", False, False), *[("gaussian", True, True)] * 6]
    assert [row[0].partition("(")[0] for row in last_statement(made).rows][:3] == ["REGR_COUNT", "STDDEV", "CORR"]


def test_types_are_those_of_postgres(catalog: Catalog) -> None:
    items = (
        "var_pop(age), stddev(income), stddev(age::real), var_samp(age::numeric), regr_avgx(age, age), every(smoker)"
    )
    (made,) = plan(f"SELECT {items} FROM people", catalog).releases
    assert [each.type for each in made.outputs] == [NUMERIC, DOUBLE, DOUBLE, NUMERIC, DOUBLE, BOOLEAN]


def test_values_that_are_far_from_zero_have_a_grid_that_holds_them(catalog: Catalog) -> None:
    """Microseconds since 1970 are not: they would all be taken for 2^45, as near to 0 as that is."""
    seen = TableColumn("seen", TIMESTAMP, bounds=(datetime(2020, 1, 1), datetime(2029, 12, 31)))
    people = catalog.tables["people"]
    uncapped = {name: replace(each, max_rows_per_unit=None) for name, each in catalog.tables.items()}
    visits = replace(uncapped["visits"], columns=(*uncapped["visits"].columns, seen))
    known = replace(catalog, tables={**uncapped, "people": people, "visits": visits})
    made = plan("SELECT avg(extract(epoch FROM seen)) FROM visits", known)
    check_plan(made, known, "duckdb", TERMS.accounting)
    epochs = next(each for each in made.releases[0].bounded.measures if "EPOCH" in each.label)
    assert epochs.upper * epochs.step > 1_800_000_000


@pytest.mark.parametrize(
    ("asked", "step"),
    [
        ("avg(extract(epoch FROM later - seen))", "0.0001"),  # a hundred years
        ("stddev(extract(epoch FROM later - seen))", "0.0001"),
        ("sum(amount * amount * 1.01)", "0.0001"),
        ("sum(amount * 0.0001)", "0.000001"),  # has room
        ("sum((amount * 0.0001)::numeric(20, 6))", "0.000001"),  # says so itself
        ("sum(amount)", "0.01"),
    ],
)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_grid_without_bounds_holds_what_is_computed(asked: str, step: str, dialect: str, catalog: Catalog) -> None:
    """Seconds between moments have microseconds, of which 2^45 are a year: what is more would all be taken for that."""
    added = (TableColumn("seen", TIMESTAMP), TableColumn("later", TIMESTAMP))
    added = (*added, TableColumn("amount", SqlType("numeric", (12, 2))))
    uncapped = {name: replace(each, max_rows_per_unit=None) for name, each in catalog.tables.items()}
    visits = replace(uncapped["visits"], columns=(*uncapped["visits"].columns, *added))
    known = replace(catalog, tables={**uncapped, "visits": visits})
    made = plan(f"SELECT {asked} FROM visits", known, dialect=dialect)
    check_plan(made, known, dialect, TERMS.accounting)
    kinds = (MeasureKind.SUM, MeasureKind.CENTRED)
    measures = [each for release in made.releases for each in release.bounded.measures]
    (found,) = {each.step for each in measures if each.kind in kinds}
    assert found == Decimal(step)


@pytest.mark.parametrize("asked", ["avg(v.day::timestamp - p.joined::timestamp)", "sum(v.day::timestamp - p.joined)"])
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_sum_that_could_pass_the_integers_is_clipped_privately(asked: str, dialect: str, catalog: Catalog) -> None:
    """Microseconds of thirty years: of few rows they are clipped by what is declared, of many by what is chosen."""
    sql = f"SELECT {asked} FROM visits v JOIN people p USING (person_id)"
    for rows, private in ((20, False), (100_000, True)):
        tables = {**catalog.tables, "visits": replace(catalog.tables["visits"], max_rows_per_unit=rows)}
        policy = replace(catalog, tables=tables)
        made = plan(sql, policy, dialect=dialect)
        assert [each.bounded.clip is not None for each in made.releases] == [private] * len(made.releases)
        check_plan(made, policy, dialect, TERMS.accounting)


@pytest.mark.parametrize(
    ("value", "ends"),
    [
        ("count(*)", RowEnds(1, None, 1)),
        ("2 * count(*)", RowEnds(2, None, 2)),
        ("count(*) FILTER (WHERE dept = 'er')", RowEnds(0, None, 1)),
        ("count(*) + 1", RowEnds(2, None, None)),
        ("sum(visit_id)", RowEnds(None, None, None)),
        ("least(count(*), 50)", RowEnds(1, 50, None)),
    ],
)
def test_what_was_added_up_of_rows_that_nobody_capped_is_known(value: str, ends: RowEnds, catalog: Catalog) -> None:
    """A number of rows is 0 at least, and begins where one of them does; what has bounds of its own has these."""
    uncapped = {name: replace(each, max_rows_per_unit=None) for name, each in catalog.tables.items()}
    known = replace(catalog, tables=uncapped)
    made = plan(f"SELECT sum(n) FROM (SELECT person_id, {value} AS n FROM visits GROUP BY person_id) AS t", known)
    check_plan(made, known, "duckdb", TERMS.accounting)
    (measure,) = (each for each in made.releases[0].bounded.measures if each.kind is MeasureKind.SUM)
    assert measure.ends == ends
    assert measure.begins == ends.part
