"""Sums and counts by a few known keys, a column for each in one row of a unit, as Spark has them: that totals are those
of a row a unit and key, how far one unit moves them, and what the checker and the second reader refuse."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
from in_columns import (
    DUCKDB,
    Told,
    are_the_same,
    are_the_same_where_nothing_is_capped,
    checked,
    is_refused,
    register,
    told,
)
from uncapped import policy, uncapped
from worlds import SCRIPT, plan, statements, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.engines.dialects import Packing
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.private_plan import Bounded

SUMMED = (
    "SELECT flag, sum(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*) FILTER (WHERE quantity > 20) FROM lineitem GROUP BY flag",
    "SELECT flag, sum(price * quantity) FROM lineitem JOIN orders USING (orderkey) WHERE quantity > 3 GROUP BY flag",
    "SELECT cost > 60, sum(cost) FROM people JOIN visits USING (person_id) GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 3 WHEN cost > 50 THEN -2 END AS k, sum(cost) FROM visits GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 'it''s' WHEN cost > 50 THEN '' ELSE 'c' END, sum(cost) FROM visits GROUP BY 1",
    "SELECT flag, sum(quantity - 40) FROM lineitem GROUP BY flag",
    "SELECT flag, sum(quantity), count(*) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*), sum(quantity - 40), sum(quantity) FROM lineitem GROUP BY flag",
)
MANY = ", ".join(f"count(*) FILTER (WHERE quantity > {least})" for least in range(9))
OTHERS = (
    "SELECT sum(quantity) FROM lineitem",
    f"SELECT flag, {MANY} FROM lineitem GROUP BY flag",
    "SELECT flag, sum((quantity - 40) * 1000000) FROM lineitem GROUP BY flag",
    "SELECT flag, quantity > 20, sum(quantity) FROM lineitem GROUP BY 1, 2",
    "SELECT sex, sum(cost) FROM people JOIN visits USING (person_id) GROUP BY sex",
    "SELECT dept, sum(cost) FROM visits GROUP BY dept",
)
"""No key, too many numbers, large numbers below 0, two keys, one that a unit has one of, a private one."""
IN_COLUMN = "SUM(CAST(CASE WHEN k0"


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


WITH, WITHOUT = (
    replace(DUCKDB, packs_counts=Packing.COLUMNS, adds_in_doubles=True),
    replace(DUCKDB, packs_counts=None, adds_in_doubles=False),
)


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB has them, too."""
    register(WITH, monkeypatch)


def has_columns(text: str) -> bool:
    return IN_COLUMN in text


@pytest.mark.parametrize("sql", SUMMED)
def test_they_are_the_same(sql: str, world: duckdb.DuckDBPyConnection) -> None:
    are_the_same(sql, world, (WITH, WITHOUT), has_columns)


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("sql", SUMMED)
def test_they_are_the_same_where_nothing_is_capped(
    sql: str, accounting: Accounting, world: duckdb.DuckDBPyConnection
) -> None:
    are_the_same_where_nothing_is_capped(sql, accounting, world, (WITH, WITHOUT), has_columns)


@pytest.mark.parametrize("sql", SUMMED)
def test_spark_has_them(sql: str) -> None:
    assert (
        IN_COLUMN in checked(plan(sql, world_catalog(), dialect="spark"), world_catalog(), "spark", Accounting.ZCDP).sql
    )
    for accounting in Accounting:
        assert IN_COLUMN in checked(uncapped(sql, accounting, dialect="spark"), policy(), "spark", accounting).sql


def test_more_columns_are_too_many_where_caps_hold() -> None:
    counts = ", ".join(f"count(*) FILTER (WHERE quantity > {least})" for least in range(5))
    sql = f"SELECT flag, {counts} FROM lineitem GROUP BY flag"
    held = checked(plan(sql, world_catalog(), dialect="spark"), world_catalog(), "spark", Accounting.ZCDP)
    scaled = checked(uncapped(sql, dialect="spark"), policy(), "spark", Accounting.ZCDP)
    assert IN_COLUMN not in held.sql and IN_COLUMN in scaled.sql


@pytest.mark.parametrize("sql", OTHERS)
def test_nothing_else_is_in_columns(sql: str) -> None:
    releases = (
        *plan(sql, world_catalog(), dialect="spark").releases,
        *uncapped(sql, Accounting.ZCDP, dialect="spark").releases,
    )
    assert not any(IN_COLUMN in each.bounded.sql for each in releases)


def _without_each(bounded: Bounded, world: duckdb.DuckDBPyConnection) -> Iterator[Told]:
    """What is told where one customer's lines are gone, of those with the most."""
    busiest = "GROUP BY custkey ORDER BY count(*) DESC, custkey LIMIT 3"
    lines = "orders JOIN lineitem USING (orderkey) WHERE custkey > 0"
    customers = world.execute(f"SELECT custkey FROM {lines} {busiest}").fetchall()
    for (customer,) in customers:
        world.execute("BEGIN")
        theirs = f"SELECT orderkey FROM orders WHERE custkey = {customer}"
        world.execute(f"DELETE FROM lineitem WHERE orderkey IN ({theirs})")
        yield told(bounded, world)
        world.execute("ROLLBACK")


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("sql", [SUMMED[0], SUMMED[-1]])
def test_one_unit_moves_no_number_further_than_its_measure_says(sql: str, world: duckdb.DuckDBPyConnection) -> None:
    bounded = checked(plan(sql, world_catalog()), world_catalog(), "duckdb", Accounting.ZCDP)
    all_, moved = told(bounded, world), 0
    for rest in _without_each(bounded, world):
        for key in all_.keys() | rest.keys():
            change, measure = abs(all_.get(key, 0) - rest.get(key, 0)), bounded.measures[key[1]]
            moved += change > 0
            assert change <= measure.bound
    assert moved


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("sql", [SUMMED[0], SUMMED[-1]])
def test_one_unit_is_in_one_bucket_of_each_measure(
    sql: str, accounting: Accounting, world: duckdb.DuckDBPyConnection
) -> None:
    bounded = checked(uncapped(sql, accounting), policy(), "duckdb", accounting)
    all_, moved = told(bounded, world), 0
    for rest in _without_each(bounded, world):
        changes = {key: all_.get(key, 0) - rest.get(key, 0) for key in all_.keys() | rest.keys()}
        changes = {key: change for key, change in changes.items() if change}
        for place in range(len(bounded.measures)):
            sums = {key: change for key, change in changes.items() if len(key) == 3 and key[1] == place}
            units = {key: change for key, change in changes.items() if len(key) == 2 and key[0] == place}
            assert list(units.values()) in ([], [1]) and {bucket for _, _, bucket in sums} <= {key[1] for key in units}
            for _, bucket in units:
                sizes = [abs(change) for change in sums.values()]
                norm = sum(sizes) if bounded.clip is Norm.L1 else math.hypot(*sizes)
                assert norm <= 2 ** (bucket / 8) * (1 + 1e-9)
                moved += norm > 0
    assert moved


N = "SUM(CAST(CASE WHEN k0 = 'N' THEN m0 END AS DOUBLE)), 0), 0)"
OF_BOTH = {
    "a number of another key": ("WHEN k0 = 'N' THEN m0", "WHEN k0 = 'A' THEN m0"),
    "a number of all rows": ("CASE WHEN k0 = 'N' THEN m0 END", "m0"),
    "rows that do not count": ("WHEN k0 = 'N' THEN m0 END", "WHEN k0 = 'N' THEN m0 ELSE 7 END"),
    "another number": ("WHEN k0 = 'N' THEN m0 END", "WHEN k0 = 'N' THEN k0 END"),
    "numbers from below 0": (N, N.removesuffix("0)") + "-5)"),
    "single precision": ("THEN m0 END AS DOUBLE", "THEN m0 END AS REAL"),
    "rows below 0": ("< 0 THEN 0 ELSE", "< -9 THEN -9 ELSE"),
    "rows of several units": ("AS r GROUP BY u", "AS r GROUP BY k0"),
    "rows of a unit and a key": ("AS r GROUP BY u", "AS r GROUP BY u, k0"),
    "a total twice": ("COALESCE(SUM(p1), 0)", "2 * COALESCE(SUM(p1), 0)"),
    "a total told twice": ("WHEN v.i = 1 THEN t.p1", "WHEN v.i = 1 THEN t.p0"),
}
WITHIN_CAPS = {
    **OF_BOTH,
    "held to more": ("0), 0), 500000)", "0), 0), 500001)"),
    "not held": (f"LEAST(GREATEST(COALESCE({N}, 500000)", f"COALESCE({N.removesuffix(', 0)')}"),
}
SCALED = {
    **OF_BOTH,
    "units of one more key": ("IN ('A', 'N', 'R')", "IN ('A', 'N', 'R', 'X')"),
    "units of some": ("WHERE s0 > 0", "WHERE s0 > 3"),
    "all units": (" WHERE s0 > 0", ""),
    "units by all rows": ("COUNT(CASE WHEN k0 IN ('A', 'N', 'R') THEN 1 END)", "COUNT(*)"),
    "units by what they add": ("COUNT(CASE WHEN k0 IN ('A', 'N', 'R') THEN 1 END)", "SUM(m0)"),
    "a norm without a key": (" + CAST(p2 AS INT128) * p2", ""),
    "held to more": ("10737418240000", "107374182400000"),
}
UNSEEN = frozenset({"units of one more key"})
"""Where the second reader has nothing to say: a unit is left out, or told of once, by its own rows."""


GUARD = (
    "CASE WHEN COUNT(*) <= 1073741824 THEN COALESCE(SUM(CAST(CASE WHEN k0 = 'A' THEN m1 END AS DOUBLE)), 0) ELSE 0 END"
)
OF_SEVERAL = {
    "a count that is not held": ("LEAST(COUNT(CASE WHEN k0 = 'A' THEN 1 END), 100) AS p0", "COUNT(*) AS p0"),
    "a count that is held to more": ("THEN 1 END), 100) AS p0", "THEN 1 END), 101) AS p0"),
    "a count of another key": ("COUNT(CASE WHEN k0 = 'A'", "COUNT(CASE WHEN k0 = 'N'"),
    "a sum of another measure": ("THEN m1 END", "THEN m2 END"),
    "a sum of another key": ("WHEN k0 = 'A' THEN m1", "WHEN k0 = 'N' THEN m1"),
    "rows without an end": (
        GUARD,
        GUARD.removeprefix("CASE WHEN COUNT(*) <= 1073741824 THEN ").removesuffix(" ELSE 0 END"),
    ),
    "more rows": ("<= 1073741824", "<= 2147483648"),
    "held to more": ("100000) AS BIGINT) AS p3", "400001) AS BIGINT) AS p3"),
    "held to more below 0": (" -400000),", " -400001),"),
    "a total told twice": ("THEN t.p4", "THEN t.p3"),
    "a total of another measure": ("THEN t.p3", "THEN t.p0"),
}
SEVERAL_SCALED = {
    "a norm without a key": (" + CAST(p5 AS INT128) * p5", ""),
    "a norm of another measure": ("CAST(p3 AS INT128) * p3", "CAST(p0 AS INT128) * p0"),
    "a bucket of no measure": ("GROUPING SETS ((b0), (b1), (b2))", "GROUPING SETS ((b0), (b1), ())"),
    "by both buckets": ("GROUPING SETS ((b0), (b1), (b2))", "GROUPING SETS ((b0), (b1, b2))"),
    "units with each key": ("CASE WHEN v.i = 0 THEN t.c ELSE 0 END AS c", "t.c AS c"),
    "another bucket told": ("t.b1 AS b1", "t.b0 AS b1"),
    "more rows": ("<= 1073741824", "<= 2147483648"),
}


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("name", OF_SEVERAL)
def test_a_loosened_step_of_several_is_refused(name: str) -> None:
    made = plan(SUMMED[-1], world_catalog())
    checked(made, world_catalog(), "duckdb", Accounting.ZCDP)
    is_refused(made, OF_SEVERAL[name], world_catalog(), seen=True)


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("name", SEVERAL_SCALED)
def test_a_loosened_step_of_several_by_norm_is_refused(name: str) -> None:
    made = uncapped(SUMMED[-1], Accounting.ZCDP)
    checked(made, policy(), "duckdb", Accounting.ZCDP)
    is_refused(made, SEVERAL_SCALED[name], policy(), seen=True)


@pytest.mark.usefixtures("columns")
def test_sizes_of_what_may_be_below_zero_make_a_norm() -> None:
    made = uncapped(SUMMED[6], Accounting.PURE)
    checked(made, policy(), "duckdb", Accounting.PURE)
    is_refused(made, ("ABS(p1)", "p1"), policy(), seen=True)


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("name", WITHIN_CAPS)
def test_a_loosened_step_within_caps_is_refused(name: str) -> None:
    made = plan(SUMMED[0], world_catalog())
    checked(made, world_catalog(), "duckdb", Accounting.ZCDP)
    is_refused(made, WITHIN_CAPS[name], world_catalog(), seen=True)


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("name", SCALED)
def test_a_loosened_step_is_refused(name: str) -> None:
    made = uncapped(SUMMED[0], Accounting.ZCDP)
    checked(made, policy(), "duckdb", Accounting.ZCDP)
    is_refused(made, SCALED[name], policy(), name not in UNSEEN)
