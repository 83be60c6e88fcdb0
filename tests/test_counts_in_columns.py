"""Counts by a few known keys, a column for each in one row of a unit, as Spark has them: that they are the same as
those of a row for each unit and key, and what the checker and the second reader refuse of them."""

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
from test_packed_counts import PACKED as UNCAPPED
from test_packed_within_caps import PACKED
from uncapped import policy, uncapped
from worlds import SCRIPT, plan, statements, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.engines.dialects import Packing


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


WITH, WITHOUT = replace(DUCKDB, packs_counts=Packing.COLUMNS), replace(DUCKDB, packs_counts=None)


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB has them, too."""
    register(WITH, monkeypatch)


def has_columns(text: str) -> bool:
    return "COUNT(CASE WHEN k0" in text


@pytest.mark.parametrize("sql", PACKED)
def test_they_are_the_same(sql: str, world: duckdb.DuckDBPyConnection) -> None:
    are_the_same(sql, world, (WITH, WITHOUT), has_columns)


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("sql", UNCAPPED)
def test_they_are_the_same_where_nothing_is_capped(
    sql: str, accounting: Accounting, world: duckdb.DuckDBPyConnection
) -> None:
    are_the_same_where_nothing_is_capped(sql, accounting, world, (WITH, WITHOUT), has_columns)


@pytest.mark.parametrize("sql", PACKED)
def test_spark_has_them(sql: str) -> None:
    assert has_columns(
        checked(plan(sql, world_catalog(), dialect="spark"), world_catalog(), "spark", Accounting.ZCDP).sql
    )


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("sql", UNCAPPED)
def test_spark_has_them_where_nothing_is_capped(sql: str, accounting: Accounting) -> None:
    assert has_columns(checked(uncapped(sql, accounting, dialect="spark"), policy(), "spark", accounting).sql)


WITHIN_CAPS = {
    "a count that is not held": ("LEAST(s0, 100) AS p0", "s0 AS p0"),
    "a count that is held to more": ("LEAST(s0, 100) AS p0", "LEAST(s0, 101) AS p0"),
    "a count that is held from below": ("LEAST(s0, 100) AS p0", "GREATEST(s0, 100) AS p0"),
    "a count of another key": ("LEAST(s1, 100) AS p1", "LEAST(s0, 100) AS p1"),
    "a total twice": ("COALESCE(SUM(p1), 0)", "2 * COALESCE(SUM(p1), 0)"),
    "units of some": ("WHERE s0 > 0 OR", "WHERE s0 > 3 OR"),
    "all units": (" WHERE s0 > 0 OR s1 > 0 OR s2 > 0", ""),
    "rows of several units": ("AS r GROUP BY u", "AS r GROUP BY k0"),
    "a column of no key": ("WHEN k0 = 'N' THEN 1 END", "WHEN k0 > 'N' THEN 1 END"),
    "a column of all rows": ("COUNT(CASE WHEN k0 = 'N' THEN 1 END)", "COUNT(*)"),
    "a column of another value": ("WHEN k0 = 'N'", "WHEN k0 = 'M'"),
    "a sum": ("COUNT(CASE WHEN k0 = 'N' THEN 1 END)", "SUM(CASE WHEN k0 = 'N' THEN -1 END)"),
    "the last a sum": ("COUNT(CASE WHEN k0 = 'R' THEN 1 END)", "SUM(CASE WHEN k0 = 'R' THEN 1 END)"),
    "different ones": ("COUNT(CASE WHEN k0 = 'N' THEN 1 END)", "COUNT(DISTINCT CASE WHEN k0 = 'N' THEN 1 END)"),
    "what is there in any case": ("WHEN k0 = 'N' THEN 1 END", "WHEN k0 = 'N' THEN 1 ELSE 0 END"),
    "a total told twice": ("WHEN v.i = 1 THEN t.p1", "WHEN v.i = 1 THEN t.p0"),
}
SCALED = {
    "a count without an end": ("LEAST(s0, 2147483647) AS p0", "s0 AS p0"),
    "a count with a later end": ("LEAST(s0, 2147483647) AS p0", "LEAST(s0, 4294967295) AS p0"),
    "a norm without a key": (" + CAST(p2 AS INT128) * p2", ""),
    "units of some": ("WHERE s0 > 0 OR", "WHERE s0 > 3 OR"),
    "all units": (" WHERE s0 > 0 OR s1 > 0 OR s2 > 0", ""),
    "rows of a unit and a key": ("AS r GROUP BY u", "AS r GROUP BY u, k0"),
    "a column of all rows": ("COUNT(CASE WHEN k0 = 'N' THEN 1 END)", "COUNT(*)"),
}
UNSEEN = frozenset({"a column of another value", "a count of another key", "the last a sum"})
"""Where the second reader has nothing to say: one unit's numbers are others, and are held as they have to be."""


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("name", WITHIN_CAPS)
def test_a_loosened_step_within_caps_is_refused(name: str) -> None:
    made = plan(PACKED[0], world_catalog())
    checked(made, world_catalog(), "duckdb", Accounting.ZCDP)
    is_refused(made, WITHIN_CAPS[name], world_catalog(), name not in UNSEEN)


@pytest.mark.usefixtures("columns")
@pytest.mark.parametrize("name", SCALED)
def test_a_loosened_step_is_refused(name: str) -> None:
    made = uncapped(UNCAPPED[0], Accounting.ZCDP)
    checked(made, policy(), "duckdb", Accounting.ZCDP)
    is_refused(made, SCALED[name], policy(), name not in UNSEEN)
