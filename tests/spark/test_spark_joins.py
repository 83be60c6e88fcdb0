"""Joins that multiply a unit's rows, sums by few keys, and columns side by side: semi-joins, aggregates of each branch,
totals by row, pivots. By Spark Connect, the integers are those that DuckDB has for the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from spark_servers import Sail
from test_spark_values import NONE, WIDE, planned, policy, query_of, room, sorted_rows, totals_of, world
from worlds import fitted

from dpproxy.catalog.policy import Catalog

BOTH = "FROM people p JOIN visits v ON v.person = p.id JOIN visits w ON w.person = p.id"
EACH = (
    "FROM (SELECT DISTINCT id FROM people) p LEFT JOIN visits v ON v.person = p.id"
    " LEFT JOIN visits w ON w.person = p.id"
)
SEMI_JOINS = (
    f"SELECT count(DISTINCT p.id) {BOTH} WHERE v.ward = 'a' AND w.cost > 100",
    f"SELECT p.sex, count(DISTINCT p.age) {BOTH} AND w.ward = 'b' WHERE v.cost > 7 GROUP BY p.sex",
    f"SELECT v.ward, max(v.cost), min(p.age) {BOTH} AND w.cost > 400 GROUP BY v.ward",
    f"SELECT DISTINCT p.city, v.ward {BOTH} WHERE w.ward = 'c'",
)
BRANCHES = (
    "SELECT n, count(*) FROM (SELECT p.id, count(DISTINCT v.ward) + count(DISTINCT w.cost) AS n"
    f" {EACH} GROUP BY p.id) AS t GROUP BY n",
    f"SELECT sum(n), sum(s) FROM (SELECT p.id, count(*) AS n, sum(least(v.cost, 400)) AS s {EACH} GROUP BY p.id) AS t",
    f"SELECT avg(a), max(m) FROM (SELECT p.id, avg(least(v.cost, 400)) AS a, max(w.ward) AS m {EACH} GROUP BY p.id) t",
    f"SELECT count(*), count(DISTINCT p.id), count(v.ward), bool_or(v.ward = 'a') {EACH}",
)
SUMS = (
    "SELECT ward, sum(cost) FROM visits GROUP BY ward",
    "SELECT ward, sum(least(greatest(cost, 0), 400)) FROM visits GROUP BY ward",
    "SELECT ward, count(*) FILTER (WHERE cost > 5) FROM visits GROUP BY ward",
    "SELECT sum(least(greatest(cost, 0), 400)), count(cost) FROM visits",
    "SELECT smoker, sum(least(greatest(age, 0), 99)) FROM people GROUP BY smoker",
)
PIVOTS = (
    "SELECT count(*) FILTER (WHERE ward = 'a'), count(*) FILTER (WHERE ward = 'b'), count(*) FILTER (WHERE ward = 'c')"
    " FROM visits",
    "SELECT sex, sum(CASE WHEN smoker THEN 1 ELSE 0 END), count(*) FILTER (WHERE NOT smoker) FROM people GROUP BY sex",
)
STATEMENTS = (*SEMI_JOINS, *BRANCHES, *SUMS, *PIVOTS)


def differing_joins(directory: Path, url: str) -> Iterator[str]:
    """The statements whose integers are others by this server than in DuckDB, held to caps and by norms."""
    world(directory / "all", Random(6), 150, 200)
    for caps in (WIDE, NONE):
        here, there = (policy(directory, each, "all", caps) for each in ("duckdb:", url))
        yield from _differing(here, there, fitted(there)[1])


def _differing(mine: Path, other: Path, catalog: Catalog) -> Iterator[str]:
    found = 0
    with room(mine) as here, room(other) as there:
        for sql in STATEMENTS:
            plans = planned(sql, catalog, "duckdb"), planned(sql, catalog, "spark")
            for one, two in zip(*(each.releases for each in plans), strict=True):
                exact, told = here(query_of(one)), there(query_of(two))
                found += len(exact.rows)
                if one.bounded.clip is None:
                    same = sorted_rows(exact) == sorted_rows(told)
                else:
                    keys, measures = ([each.name for each in of] for of in (one.bounded.keys, one.bounded.measures))
                    same = totals_of(exact, keys, measures) == totals_of(told, keys, measures)
                if not same:
                    yield f"{sql}: {one.bounded.sql}: {two.bounded.sql}"
    assert found > 50


@pytest.mark.long
def test_joins_are_those_of_duckdb(tmp_path: Path, sail: Sail) -> None:
    assert list(differing_joins(tmp_path, sail.url)) == []
