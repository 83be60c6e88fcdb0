"""A sum by a few known keys, a column for each in one row of a unit, as Spark has it: that totals are those of a row a
unit and key, how far one unit moves them, and what the checker and the second reader refuse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
from in_columns import (
    DUCKDB,
    are_the_same,
    are_the_same_where_nothing_is_capped,
    checked,
    is_refused,
    register,
)
from uncapped import policy, uncapped
from worlds import SCRIPT, plan, statements, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.engines.dialects import Packing

SUMMED = (
    "SELECT flag, sum(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*) FILTER (WHERE quantity > 20) FROM lineitem GROUP BY flag",
    "SELECT flag, sum(price * quantity) FROM lineitem JOIN orders USING (orderkey) WHERE quantity > 3 GROUP BY flag",
    "SELECT cost > 60, sum(cost) FROM people JOIN visits USING (person_id) GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 3 WHEN cost > 50 THEN -2 END AS k, sum(cost) FROM visits GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 'it''s' WHEN cost > 50 THEN '' ELSE 'c' END, sum(cost) FROM visits GROUP BY 1",
)
OTHERS = (
    "SELECT sum(quantity) FROM lineitem",
    "SELECT flag, sum(quantity), count(*) FROM lineitem GROUP BY flag",
    "SELECT flag, avg(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, sum(quantity - 40) FROM lineitem GROUP BY flag",
    "SELECT flag, quantity > 20, sum(quantity) FROM lineitem GROUP BY 1, 2",
    "SELECT sex, sum(cost) FROM people JOIN visits USING (person_id) GROUP BY sex",
    "SELECT dept, sum(cost) FROM visits GROUP BY dept",
)
"""No key, two measures, numbers below 0, two keys, one that a unit has one of, a private one."""
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


@pytest.mark.parametrize("sql", OTHERS)
def test_nothing_else_is_in_columns(sql: str) -> None:
    releases = (
        *plan(sql, world_catalog(), dialect="spark").releases,
        *uncapped(sql, Accounting.ZCDP, dialect="spark").releases,
    )
    assert not any(IN_COLUMN in each.bounded.sql for each in releases)


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
