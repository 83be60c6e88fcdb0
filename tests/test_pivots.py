"""Counts under conditions of which no row meets two: when they are one count by one key more, and what it is worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import pytest
from uncapped import ACCOUNTS, uncapped
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars import ToldRows
from dpproxy.mechanisms.clipped_noise import ClippedNoise
from dpproxy.mechanisms.noise import Noise
from dpproxy.plan.error_bars import Bar, BarColumn, Replicates
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.told_columns import Part, ReleasedColumn, values_of
from dpproxy.post_arrays import arrays
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rows import Column, Rows

SEXES = "count(*) FILTER (WHERE sex = 'F') AS f, sum(CASE WHEN sex = 'M' THEN 1 ELSE 0 END) AS m"
DAYS = "count(*) FILTER (WHERE extract(dow FROM day) = 0) AS a, count(*) FILTER (WHERE extract(dow FROM day) = 6) AS b"


def is_one(made: Plan) -> bool:
    """Whether one number is released for all of them."""
    return [len(each.bounded.measures) for each in made.releases] == [1] and bool(parts(made))


def parts(made: Plan) -> set[Part]:
    """Those that the post statement reads."""
    told = [each for each in made.post.inputs if isinstance(each, ReleasedColumn | BarColumn | Replicates)]
    return {each.part for each in told if each.part is not None}


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {SEXES} FROM people",
        f"SELECT smoker, {SEXES} FROM people GROUP BY smoker",
        f"SELECT smoker, {SEXES} FROM people GROUP BY smoker HAVING count(*) FILTER (WHERE sex = 'F') > 3",
        f"SELECT f - m FROM (SELECT {SEXES} FROM people) AS t",
        f"WITH t AS (SELECT smoker, {SEXES} FROM people GROUP BY smoker) SELECT sum(f), max(m) FROM t",
        "SELECT sum(CASE sex WHEN 'F' THEN 1 END), count(CASE sex WHEN 'M' THEN 7 END), "
        "count(1) FILTER (WHERE sex <> 'F' AND sex <> 'M') FROM people",
        "SELECT count(*) FILTER (WHERE age < 18) / count(*) FILTER (WHERE age >= 18)::float8 FROM people",
        "SELECT count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE smoker), sum(CASE WHEN NOT smoker THEN 1 END) "
        "FROM people",
    ],
)
@pytest.mark.parametrize("accounting", list(Accounting))
def test_one_row_of_a_unit_is_counted_in_one(sql: str, accounting: Accounting, catalog: Catalog) -> None:
    made = plan(sql, catalog, account=ACCOUNTS[accounting])
    assert is_one(made)
    check_plan(made, catalog, "duckdb", accounting)


@pytest.mark.parametrize(
    "items",
    [
        "count(*) FILTER (WHERE age < 30), count(*) FILTER (WHERE age < 60)",
        f"{SEXES}, count(*)",
        f"{SEXES}, avg(age)",
        "count(*) FILTER (WHERE sex = 'F'), sum(CASE WHEN sex = 'M' THEN 2 ELSE 0 END)",
        "count(*) FILTER (WHERE sex = 'F'), sum(CASE WHEN sex = 'M' THEN 1 ELSE 1 END)",
        "count(*) FILTER (WHERE sex = 'F'), sum(CASE WHEN sex = 'M' THEN age END)",
        "count(*) FILTER (WHERE sex = 'F'), count(CASE WHEN sex = 'M' THEN city END)",
        "count(*) FILTER (WHERE sex = 'F'), count(city) FILTER (WHERE sex = 'M')",
        "count(*) FILTER (WHERE sex = 'F'), count(CASE WHEN sex = 'M' THEN 1 ELSE 0 END)",
        "count(*) FILTER (WHERE sex = 'F'), count(CASE WHEN sex = 'M' THEN 1 WHEN smoker THEN 1 END)",
        "count(*) FILTER (WHERE sex = 'F')",
        "count(*) FILTER (WHERE sex = 'F'), count(*) FILTER (WHERE sex = 'F')",
    ],
)
def test_others_stay_as_they_are(items: str, catalog: Catalog) -> None:
    assert not parts(plan(f"SELECT {items} FROM people", catalog))


def test_columns_that_weigh_more_than_others_stay_as_they_are(catalog: Catalog) -> None:
    assert is_one(plan(f"SELECT {SEXES} FROM people", catalog, {"weights": "f: 3, m: 3"}))
    assert not parts(plan(f"SELECT {SEXES} FROM people", catalog, {"weights": "f: 3"}))


@pytest.mark.parametrize(
    ("sql", "is_gain"),
    [
        (f"SELECT {DAYS} FROM visits", True),
        (f"SELECT sex, {DAYS} FROM visits JOIN people USING (person_id) GROUP BY sex", True),
        (f"SELECT {SEXES} FROM visits JOIN people USING (person_id)", True),
        (f"SELECT dept, {DAYS} FROM visits GROUP BY dept", False),
        ("SELECT count(*) FILTER (WHERE smoker), count(*) FILTER (WHERE NOT smoker) FROM visits JOIN people "
         "USING (person_id)", False),
        ("SELECT count(*) FILTER (WHERE cost < 900), count(*) FILTER (WHERE cost >= 900) FROM visits", False),
        ("SELECT count(*) FILTER (WHERE extract(dow FROM day) = 0), count(*) FILTER (WHERE extract(dow FROM day) "
         "IN (1, 2, 3, 4, 5)) FROM visits", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("accounting", list(Accounting))
def test_of_any_number_of_rows_where_about_as_many_values_are_in_each(
    sql: str, is_gain: bool, accounting: Accounting
) -> None:
    assert bool(parts(uncapped(sql, accounting))) == is_gain


def test_where_caps_hold_a_unit_would_count_in_fewer_keys(catalog: Catalog) -> None:
    assert not parts(plan(f"SELECT {DAYS} FROM visits", catalog))
    assert not parts(
        plan(f"SELECT {DAYS} FROM visits", replace(catalog, caps_hold=False), {"max_groups_per_unit": "3"})
    )


def noise_of(made: Plan) -> list[float]:
    """The standard deviation of what each measure is told with, at a clip of one."""
    found = []
    for each in made.releases[0].mechanisms:
        noise = each.mechanism.noise if isinstance(each.mechanism, ClippedNoise) else each.mechanism
        assert isinstance(noise, Noise)
        found.append(noise.stddev)
    return found


APART: Mapping[str, str] = {"epsilon": "1", "weights": "f: 1.001, a: 1.001"}


@pytest.mark.parametrize("sql", [f"SELECT {SEXES} FROM people", f"SELECT {DAYS} FROM visits"])
def test_the_noise_is_that_of_the_whole_price(sql: str) -> None:
    """Under zCDP each of two numbers has 1.41 times as much by itself, for half of the price."""
    together, apart = uncapped(sql), uncapped(sql, settings=APART)
    ratios = [apart_ / noise_of(together)[0] for apart_ in noise_of(apart)]
    assert len(ratios) == 2 and all(math.isclose(each, math.sqrt(2), rel_tol=0.02) for each in ratios)


def test_a_number_asked_for_in_two_places_is_paid_once(catalog: Catalog) -> None:
    one = f"(SELECT {SEXES} FROM people)"
    twice = f"SELECT f, m FROM {one} AS t UNION ALL SELECT m, f FROM {one} AS u"
    assert len(plan(twice, catalog).releases) == 1
    by_key = "SELECT CASE WHEN sex = 'F' THEN 1 WHEN sex = 'M' THEN 2 END, count(*) FROM people GROUP BY 1"
    assert len(plan(f"SELECT * FROM ({by_key}) AS t, {one} AS u", catalog).releases) == 2


def rows_of(made: Plan) -> Rows:
    """Twenty of number 1 and ten of number 2, of each key: of the second, one more."""
    keys = len(made.releases[0].bounded.keys)
    columns = (*(Column(f"k{index}", "integer") for index in range(keys)), Column("o0", "bigint"))
    if keys == 1:
        return Rows(columns, ((1, 20), (2, 10)))
    return Rows(columns, ((False, 1, 20), (False, 2, 10), (True, 1, 21), (True, 2, 11)))


def told(made: Plan) -> tuple[tuple[str | None, ...], ...]:
    """The arrays of the post statement."""
    rows = [rows_of(made)]
    return arrays(made.post, ToldRows(made.releases, rows, rows), {})


def test_each_is_a_column_of_its_own(catalog: Catalog) -> None:
    assert told(plan(f"SELECT {SEXES} FROM people", catalog)) == (("20",), ("10",))
    assert told(plan(f"SELECT smoker, {SEXES} FROM people GROUP BY smoker", catalog)) == (
        ("f", "t"), ("20", "21"), ("10", "11"),
    )  # fmt: skip


def test_rows_may_come_in_any_order_of_the_numbers() -> None:
    rows = Rows((Column("k0", "text"), Column("k1", "integer")), (("a", 1), ("b", 1), ("a", 2), ("b", 2)))
    assert values_of(rows, Part(1, 2), rows.column(0)) == ("a", "b")
    assert values_of(rows, None, rows.column(1)) == (1, 1, 2, 2)


def test_error_bars_are_of_the_same_rows(catalog: Catalog) -> None:
    sql = f"SELECT smoker, {SEXES}, dp.half_width(count(*) FILTER (WHERE sex = 'F')) FROM people GROUP BY smoker"
    made = plan(sql, catalog)
    (bar,) = [each for each in made.post.inputs if isinstance(each, BarColumn)]
    assert bar == BarColumn(0, 2, Bar.HALF_WIDTH, Decimal("0.95"), Part(1, 1))


def faulty(made: Plan, part: Part | None) -> Plan:
    """The plan whose last input is of another part."""
    *inputs, last = made.post.inputs
    assert isinstance(last, ReleasedColumn)
    return replace(made, post=replace(made.post, inputs=(*inputs, replace(last, part=part))))


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        (Part(2, 1), "a part by no key"),
        (Part(1, 3), "a part by no number"),
        (Part(1, 0), "a part by no number"),
        (Part(0, 7), "a part by no number"),
        (None, "other parts of the rows"),
        (Part(0, True), "other parts of the rows"),
    ],
)
def test_the_checker_knows_parts(part: Part | None, fault: str, catalog: Catalog) -> None:
    made = plan(f"SELECT smoker, {SEXES} FROM people GROUP BY smoker", catalog)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    with pytest.raises(CheckFault, match=fault):
        check_plan(faulty(made, part), catalog, "duckdb", Accounting.ZCDP)


def test_the_checker_knows_parts_that_an_engine_reads(catalog: Catalog) -> None:
    made = plan(
        f"SELECT count(*) FROM people WHERE age > (SELECT f - m FROM (SELECT {SEXES} FROM people) AS t)", catalog
    )
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    last = made.releases[-1]
    assert [each.name for each in last.bounded.inputs] == ["r0c1k0v1", "r0c1k0v2"]
    for part in (Part(0, 3), Part(1, 2), None):
        wrong = ReleasedColumn(0, 1, part)
        inputs = (last.bounded.inputs[0], wrong)
        text = last.bounded.sql.replace("r0c1k0v2", wrong.name)
        mutant = replace(last, bounded=replace(last.bounded, sql=text, inputs=inputs))
        with pytest.raises(CheckFault):
            check_plan(replace(made, releases=(*made.releases[:-1], mutant)), catalog, "duckdb", Accounting.ZCDP)
