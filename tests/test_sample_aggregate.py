"""Sample and aggregate: blocks, what they answer, how far one unit moves that, the exact distribution, the checker."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from statistics import correlation, linear_regression, mean, pstdev, stdev

import pytest
from exact_quantiles import exactly
from hypothesis import given
from hypothesis import strategies as st
from lanes import crossed, sized
from scipy import stats
from worlds import fitted, make_world, opened_room, plan

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config
from dpproxy.engines import EngineQuery
from dpproxy.errors import FeatureNotSupported, InvalidPrivacySetting
from dpproxy.mechanisms.histograms import Histograms
from dpproxy.mechanisms.quantile_choice import QuantileChoice, quantile_choice
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.plan.formulas import QuantileOf
from dpproxy.plan.grids import value_of
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Applied, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.explain import explain_as, explain_text
from dpproxy.rewrite.releases.sample_aggregate import default_blocks
from dpproxy.rows import Rows
from dpproxy.session.dp_tables import last_statement

SAMPLED = {"mechanism": "sample_aggregate"}
BLOCKS = 16
MEDIAN = Rank(1, 2)
PURE = terms(Accounting.PURE, Decimal(100), Decimal("1e-5"))
ZCDP = terms(Accounting.ZCDP, Decimal(100), Decimal("1e-5"))
P_VALUE = 1e-8
DRAWS = sized(8000, 8000, 100_000)
ALL = {
    "one row": "SELECT avg(age), stddev(income) FROM people",
    "a join": "SELECT corr(cost, age), count(DISTINCT dept), min(day) FROM visits JOIN people USING (person_id)",
    "two links": "SELECT var_pop(price * discount), regr_slope(price, quantity) FROM lineitem",
    "aggregates of units": "SELECT avg(n) FROM (SELECT person_id, count(*) n FROM visits GROUP BY person_id) t",
    "a full join": "SELECT avg(a.age + b.cost) FROM people a FULL JOIN visits b ON a.person_id = b.person_id",
    "a condition": "SELECT avg(age) FILTER (WHERE smoker) FROM people WHERE sex = 'F' HAVING avg(income) > 0",
    "a subquery": "SELECT avg(age) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id)",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, Catalog]:
    return fitted(make_world(tmp_path_factory.mktemp("world")))


@pytest.fixture(scope="module")
def catalog(world: tuple[Config, Catalog]) -> Catalog:
    return world[1]


@pytest.fixture(scope="module")
def run(world: tuple[Config, Catalog]) -> Iterator[Callable[[str], Rows]]:
    with opened_room(world[0]) as room:
        yield lambda sql: room(EngineQuery(sql))


def sampled(sql: str, catalog: Catalog, **settings: str) -> Plan:
    return plan(sql, catalog, {**SAMPLED, "blocks": str(BLOCKS), **settings})


# Blocks


def block(key: object, blocks: int = BLOCKS) -> int:
    """The block of a unit."""
    digits = hashlib.md5(str(key).encode(), usedforsecurity=False).hexdigest()[:18]
    return int(digits.translate(str.maketrans("abcdef", "012345"))) % (2**31 - 1) % blocks


def test_units_are_dealt_about_evenly() -> None:
    """No matter of privacy: numbers one after the other are among the keys that there are."""
    for blocks in (2, 10, 16, 1000):
        found = Counter(block(key, blocks) for key in range(100 * blocks))
        assert stats.chisquare([found[each] for each in range(blocks)]).pvalue > P_VALUE


def answers(sql: str, catalog: Catalog, run: Callable[[str], Rows], index: int = 0) -> list[Fraction]:
    """What the blocks answer, each as near as the grid has it."""
    release = sampled(sql, catalog).releases[index]
    formula = release.outputs[0].formula
    assert isinstance(formula, QuantileOf)
    rows = run(release.bounded.sql).rows
    buckets = [int(str(bucket)) for bucket, count in rows for _ in range(int(str(count)))]
    return sorted(value_of(formula.grid, bucket) for bucket in buckets)


Values = Sequence[Sequence[float]]
STATISTICS: dict[str, Callable[[Values], float | None]] = {
    "avg(y)": lambda rows: mean(y for y, _ in rows),
    "stddev(y)": lambda rows: stdev(y for y, _ in rows) if len(rows) > 1 else None,
    "variance(y)": lambda rows: stdev(y for y, _ in rows) ** 2 if len(rows) > 1 else None,
    "stddev_pop(y)": lambda rows: pstdev(y for y, _ in rows),
    "var_pop(y)": lambda rows: pstdev(y for y, _ in rows) ** 2,
    "corr(y, x)": lambda rows: correlation(*zip(*rows, strict=True)),
    "regr_slope(y, x)": lambda rows: linear_regression([x for _, x in rows], [y for y, _ in rows]).slope,
    "regr_intercept(y, x)": lambda rows: linear_regression([x for _, x in rows], [y for y, _ in rows]).intercept,
    "regr_r2(y, x)": lambda rows: correlation(*zip(*rows, strict=True)) ** 2,
    "covar_pop(y, x)": lambda rows: mean(y * x for y, x in rows) - mean(y for y, _ in rows) * mean(x for _, x in rows),
    "covar_samp(y, x)": lambda rows: (
        (mean(y * x for y, x in rows) - mean(y for y, _ in rows) * mean(x for _, x in rows))
        * len(rows)
        / (len(rows) - 1)
    ),
    "regr_avgx(y, x)": lambda rows: mean(x for _, x in rows),
    "regr_avgy(y, x)": lambda rows: mean(y for y, _ in rows),
    "min(y)": lambda rows: min(y for y, _ in rows),
    "max(x)": lambda rows: max(x for _, x in rows),
    "count(DISTINCT CAST(x AS integer))": lambda rows: len({x for _, x in rows}),
}


WIDE = "visit_id * 1000003 - 9000000000, visit_id * 1000"
"""Whole numbers without bounds, of either sign: products of their steps have no room in a bigint."""


LATER = [pytest.param(each, marks=pytest.mark.long) for each in ("income * 1e-3 - 7, age - 1000.5", "cost, age")]


@pytest.mark.parametrize("of", ["income, age", *LATER, WIDE])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_each_block_answers_as_it_should(statistic: str, of: str, catalog: Catalog, run: Callable[[str], Rows]) -> None:
    """Beside the textbook's formulas over the rows of each block, dealt here; to within a step of the grid."""
    source = "people LEFT JOIN visits USING (person_id)" if "cost" in of or of == WIDE else "people"
    y, x = of.split(", ")
    if statistic.startswith("count") and "." in x:
        pytest.skip("there are halves in it")
    rows = run(f"SELECT person_id, CAST({y} AS DOUBLE), CAST({x} AS DOUBLE) FROM {source} WHERE {y} IS NOT NULL").rows
    blocks: dict[int, list[tuple[float, float]]] = {}
    for key, *values in rows:
        blocks.setdefault(block(key), []).append((float(str(values[0])), float(str(values[1]))))
    expected = sorted(found for each in blocks.values() if (found := STATISTICS[statistic](each)) is not None)
    sql = f"SELECT {statistic} FROM (SELECT {y} AS y, {x} AS x FROM {source} WHERE {y} IS NOT NULL) AS t"
    told = [float(each) for each in answers(sql, catalog, run)]
    assert len(told) == len(expected) == BLOCKS
    spread = max(map(abs, expected))
    assert all(math.isclose(a, b, rel_tol=2e-3, abs_tol=spread * 2e-3) for a, b in zip(told, expected, strict=True))


def test_dates_and_few_values(catalog: Catalog, run: Callable[[str], Rows]) -> None:
    rows = run("SELECT person_id, joined FROM people").rows
    blocks: dict[int, list[date]] = {}
    for key, joined in rows:
        assert isinstance(joined, date)
        blocks.setdefault(block(key), []).append(joined)
    days = sorted((min(each) - date(1970, 1, 1)).days for each in blocks.values())
    assert answers("SELECT min(joined) FROM people", catalog, run) == days


def test_blocks_without_an_answer_are_left_out(catalog: Catalog, run: Callable[[str], Rows]) -> None:
    """Two variables of which one does not vary, one row, and none."""
    for text in ("corr(age, 1)", "stddev(age) FILTER (WHERE person_id = 3)", "avg(income) FILTER (WHERE age < 0)"):
        assert answers(f"SELECT {text} FROM people", catalog, run) == []
    assert len(answers("SELECT regr_r2(1, age) FROM people", catalog, run)) == BLOCKS  # as Postgres has it
    assert len(answers("SELECT avg(age) FROM people WHERE person_id IN (1, 2)", catalog, run)) <= 2


# What a unit moves


def test_one_answer_moves_one_rank(catalog: Catalog) -> None:
    """An answer in the place of another, or of none: what lies below a bucket moves by one at most."""
    made = quantile_choice((MEDIAN,), 4, Sensitivity(1, 2), Accounting.PURE, Decimal(1))
    for one, other in substituted(3, 4):
        below = [[sum(each[:at]) for at in range(5)] for each in (one, other)]
        assert max(abs(a - b) for a, b in zip(*below, strict=True)) <= 1
        moved = zip(*(distances(each) for each in (one, other)), strict=True)
        assert max(abs(a - b) for a, b in moved) <= MEDIAN.steepness * made.sensitivity.linf


def distances(counts: Sequence[int]) -> list[int]:
    below = [0, *itertools.accumulate(counts)]
    return [MEDIAN.distance(below[at], inside, below[-1], 0) for at, inside in enumerate(counts)]


def substituted(blocks: int, buckets: int) -> Iterator[tuple[list[int], list[int]]]:
    """All pairs of histograms of so many blocks' answers, or none, that differ in one block's."""
    for others in itertools.combinations_with_replacement([None, *range(buckets)], blocks - 1):
        for one, other in itertools.permutations([None, *range(buckets)], 2):
            yield tuple([(*others, each).count(at) for at in range(buckets)] for each in (one, other))  # type: ignore[misc]


# The exact distribution, of every pair of neighbours in a small world


def probabilities(made: QuantileChoice, counts: Sequence[int]) -> list[float]:
    """Of each bucket: exp(−distance/scale), in proportion."""
    scale = made.scale * MEDIAN.steepness
    weights = [math.exp(-each / scale) for each in distances(counts)]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
@pytest.mark.parametrize("accounting", Accounting)
def test_the_whole_distribution_keeps_to_the_price(accounting: Accounting, epsilon: str) -> None:
    """Three blocks, four buckets: all pairs of worlds that one unit tells apart, and all orders of divergence.

    One that is made for a unit that comes or goes, and not for an answer in the place of another, does not.
    """
    share = Decimal(epsilon)
    made = quantile_choice((MEDIAN,), 4, Sensitivity(1, 2), accounting, share)
    assert worst(made, accounting) <= float(share) * (1 + 1e-6)
    if accounting is Accounting.PURE:
        one_sided = quantile_choice((MEDIAN,), 4, Sensitivity(1, 1), accounting, share)
        assert worst(one_sided, accounting) > float(share) * 1.05


def worst(made: QuantileChoice, accounting: Accounting) -> float:
    """The largest ε, or ρ, between two worlds."""
    found = 0.0
    for one, other in substituted(3, 4):
        p, q = probabilities(made, one), probabilities(made, other)
        if accounting is Accounting.PURE:
            found = max(found, *(abs(math.log(a / b)) for a, b in zip(p, q, strict=True)))
        else:
            for order in (1.001, 1.5, 2, 4, 16, 64):
                total = math.fsum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))
                found = max(found, math.log(total) / (order - 1) / order)
    return found


@pytest.mark.long
def test_it_draws_so() -> None:
    counts = [0, 5, 0, 3, 2, 6]
    made = quantile_choice((MEDIAN,), 6, Sensitivity(1, 2), Accounting.PURE, Decimal(1))
    cells = {at: each for at, each in enumerate(counts) if each}
    drawn = Counter(bucket for (bucket,) in made.release(Histograms(6, (cells,) * DRAWS)))
    expected = [DRAWS * each for each in probabilities(made, counts)]
    assert stats.chisquare([drawn[at] for at in range(6)], expected).pvalue > P_VALUE


# Plans, and the checker


@pytest.mark.parametrize(("dialect", "account"), crossed(("duckdb", "postgres"), {"pure": PURE, "zcdp": ZCDP}))
@pytest.mark.parametrize("sql", ALL.values(), ids=ALL)
def test_they_are_planned_priced_and_proved(sql: str, dialect: str, account: Terms, catalog: Catalog) -> None:
    made = plan(sql, catalog, SAMPLED, dialect=dialect, account=account)
    check_plan(made, catalog, dialect, account.accounting)
    own = lost(made.releases, made.time, account.accounting)
    assert made.cost.main * Decimal("0.999") <= own.main <= made.cost.main


Planted = Callable[[str], str]
IN_SQL: dict[str, Planted] = {
    "rows dealt, not units": (lambda sql: sql.replace('CAST(s0."u" AS TEXT)', 'CAST(s0."a0" AS TEXT)', 1)),
    "another row's key": (lambda sql: sql.replace('CAST(s0."u" AS TEXT)', 'CAST(s0."a0" + s0."u" AS TEXT)')),
    "no hash": (lambda sql: sql.replace("MD5(CAST(", "LOWER(CAST(")),
    "fewer digits than letters": (lambda sql: sql.replace("'012345'", "'0123'")),
    "a number too long": (lambda sql: sql.replace(", 18)", ", 19)")),
    "another remainder": (lambda sql: sql.replace("% 2147483647", "% 2147483646")),
    "more blocks than are said": (lambda sql: sql.replace(f"% {BLOCKS} AS u", f"% {BLOCKS + 1} AS u")),
    "units, not blocks": lambda sql: sql.replace(sql[sql.index("(CAST(TR") : sql.index(" AS u, s0")], 's0."u"'),
    "rows without a unit": (lambda sql: sql.replace('WHERE s0."u" IS NOT NULL) AS r', ") AS r")),
    "answers of rows": (lambda sql: sql.replace(" AS r GROUP BY u)", " AS r GROUP BY u, v0)")),
    "a block that is read": (lambda sql: sql.replace("COUNT(a0)", "COUNT(u)", 1)),
    "NULL is an answer": (lambda sql: sql.replace(" WHERE b IS NOT NULL", "")),
    "answers that are summed": (lambda sql: sql.replace("COUNT(*) AS m0", "SUM(b) AS m0")),
}


@pytest.mark.parametrize("name", IN_SQL)
def test_loosened_texts_are_refused(name: str, catalog: Catalog) -> None:
    planted = IN_SQL[name]
    made = sampled(ALL["one row"], catalog)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    first = made.releases[0]
    sql = planted(first.bounded.sql)
    assert sql != first.bounded.sql
    other = replace(first, bounded=replace(first.bounded, sql=sql))
    with pytest.raises(CheckFault):
        check_plan(replace(made, releases=(other, *made.releases[1:])), catalog, "duckdb", Accounting.ZCDP)


def test_loosened_claims_are_refused(catalog: Catalog) -> None:
    made = sampled("SELECT avg(age) FROM people", catalog)
    (first,) = made.releases
    bounded, (applied,) = first.bounded, first.mechanisms
    (measure,) = bounded.measures
    assert isinstance(applied.mechanism, QuantileChoice)
    one_sided = quantile_choice(
        (MEDIAN,), applied.mechanism.buckets, Sensitivity(1, 1), Accounting.ZCDP, Decimal("0.4")
    )
    for wrong in (
        replace(first, bounded=replace(bounded, blocks=None)),
        replace(first, bounded=replace(bounded, blocks=BLOCKS + 1)),
        replace(first, bounded=replace(bounded, measures=(replace(measure, upper=1),))),
        replace(first, bounded=replace(bounded, unit="customer")),
        replace(first, mechanisms=(Applied(one_sided, 0),)),
    ):
        with pytest.raises(CheckFault):
            check_plan(replace(made, releases=(wrong,)), catalog, "duckdb", Accounting.ZCDP)


def test_blocks_of_what_is_no_histogram_are_refused(catalog: Catalog) -> None:
    made = plan("SELECT count(*) FROM people", catalog)
    (first,) = made.releases
    wrong = replace(first, bounded=replace(first.bounded, blocks=4))
    with pytest.raises(CheckFault, match="blocks"):
        check_plan(replace(made, releases=(wrong,)), catalog, "duckdb", Accounting.ZCDP)


# What people are told


def test_as_many_blocks_as_the_price_asks_for(catalog: Catalog) -> None:
    assert [default_blocks(Decimal(each), 1) for each in ("0.1", "1", "10", "0.001")] == [2000, 200, 50, 5000]
    made = plan("SELECT avg(age), avg(income) FROM people", catalog, {**SAMPLED, "epsilon": "1"})
    assert [each.bounded.blocks for each in made.releases] == [400, 400]
    for wrong in ("1", "10001", "many", "-3", "2.5"):
        with pytest.raises(InvalidPrivacySetting, match=r"dp\.blocks") as caught:
            sampled("SELECT avg(age) FROM people", catalog, blocks=wrong)
        assert caught.value.hint


def test_it_says_so(catalog: Catalog) -> None:
    made = sampled("SELECT avg(age) AS a FROM people", catalog)
    told = "\n".join(explain_text(made, Decimal(1), Decimal(0)))
    assert "Sample and aggregate: 16 blocks of units, median of their answers" in told
    assert "where each block counts as one" in told and "about 1/16 of the units" in told
    assert '"Blocks": 16' in explain_as("json", made, Decimal(1), Decimal(0))
    ((_, name, stddev, half_width),) = last_statement(made).rows
    assert (name, stddev, half_width) == ("exponential mechanism, median of 16 blocks", None, None)


def test_groups_and_totals_are_refused(catalog: Catalog) -> None:
    for sql in (
        "SELECT sex, avg(age) FROM people GROUP BY sex",
        "SELECT sex FROM people GROUP BY sex ORDER BY count(*) DESC LIMIT 1",
        "SELECT count(*) FROM people",
        "SELECT sum(age) FROM people",
        "SELECT regr_count(age, income) FROM people",
        "SELECT max(city) FROM people",
        "SELECT bool_and(smoker) FROM people",
    ):
        with pytest.raises(FeatureNotSupported) as caught:
            sampled(sql, catalog)
        assert caught.value.hint and caught.value.position


def test_without_noise_it_is_the_median_of_blocks(catalog: Catalog, run: Callable[[str], Rows]) -> None:
    """And near to the answer of all."""
    (release,) = sampled("SELECT avg(age) FROM people", catalog).releases
    rows = run(release.bounded.sql).rows
    mechanism, formula = release.mechanisms[0].mechanism, release.outputs[0].formula
    assert isinstance(mechanism, QuantileChoice) and isinstance(formula, QuantileOf)
    cells = {int(str(bucket)): int(str(count)) for bucket, count in rows}
    ((bucket,),) = exactly(mechanism, Histograms(mechanism.buckets, (cells,)))
    ((exact,),) = run("SELECT avg(age) FROM people").rows
    assert abs(float(value_of(formula.grid, bucket)) - float(str(exact))) < 2


@given(st.lists(st.one_of(st.integers(-(2**63), 2**63 - 1), st.text(max_size=8).filter(lambda it: "\0" not in it))))
def test_no_key_raises(keys: list[int | str]) -> None:
    """The form as it is written, in the engine's place: 18 digits are a number below 10^18."""
    assert all(0 <= block(key) < BLOCKS for key in keys)
