"""Rows that are met by others' rows, on neighbouring databases: whoever leaves is in what changes, and what is left at
any clip moves by no more than the clip. Without a clip they are the rows that were asked for."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from complete_engines import COMPLETE
from lanes import sized
from left_of_pairs import asked, assert_engines_agree, left_of, moved, opened, pairs_of
from stranger_world import OWNED, TABLES, UNITS, catalog, rows_at_ends, rows_of
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.paired_noise import halves_of
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import check_plan

STATEMENTS = {
    "answered": "SELECT count(DISTINCT q.p) FROM posts q JOIN posts a ON a.parent = q.p",
    "by a column that equals the key": "SELECT count(DISTINCT a.parent), count(*) FROM posts q JOIN posts a "
    "ON a.parent = q.p WHERE a.kind = 2",
    "who answers": "SELECT count(DISTINCT a.owner), count(DISTINCT a.p) FROM posts q JOIN posts a ON a.parent = q.p",
    "under a condition": "SELECT q.kind, count(DISTINCT q.p) FILTER (WHERE a.score > 0), count(DISTINCT q.p) "
    "FROM posts q JOIN posts a ON a.parent = q.p GROUP BY q.kind",
    "who is followed": "SELECT m.level, count(DISTINCT m.u) FROM users e JOIN users m ON e.boss = m.u GROUP BY m.level",
    "what they hold": "SELECT count(*), sum(q.score), avg(q.score) FROM posts q WHERE EXISTS (SELECT 1 FROM votes v "
    "WHERE v.p = q.p AND v.stars > 2)",
    "what those hold that meet none": "SELECT sum(q.score), count(*) FROM posts q LEFT JOIN posts a ON a.parent = q.p "
    "WHERE a.p IS NULL",
    "by links": "SELECT count(DISTINCT m.m), count(DISTINCT v.voter) FROM marks m JOIN votes v ON v.v = m.m",
}  # fmt: skip
LEAVING = [{table: owned.format(unit) for table, owned in OWNED.items()} for unit in range(UNITS)]


def checked(sql: str, dialect: str = "duckdb") -> Plan:
    made = plan(sql, catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    return made


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    random = np.random.default_rng(3)
    with opened(TABLES, [*(rows_of(random) for _ in range(3)), rows_at_ends()]) as found:
        yield found


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_planned_passes_the_checker(name: str, dialect: str) -> None:
    made = checked(STATEMENTS[name], dialect)
    assert any(each.bounded.met is not None for each in made.releases)


@pytest.mark.larger
@pytest.mark.parametrize("name", STATEMENTS)
def test_whoever_leaves_moves_what_is_left_by_a_clip_at_most(
    name: str, worlds: list[duckdb.DuckDBPyConnection]
) -> None:
    for release in checked(STATEMENTS[name]).releases:
        if release.bounded.pair is None:
            continue
        assert moved(release.bounded, [*worlds[: sized(1, 3, 3)], worlds[-1]], LEAVING) > 0


EXACT = {
    "answered": "SELECT count(DISTINCT q.p) FROM posts q JOIN posts a ON a.parent = q.p WHERE q.owner + a.owner >= 0",
    "who is followed": "SELECT count(DISTINCT m.u) FROM users e JOIN users m ON e.boss = m.u",
}


@pytest.mark.parametrize("name", EXACT)
def test_without_a_clip_they_are_the_rows_that_were_asked_for(
    name: str, worlds: list[duckdb.DuckDBPyConnection]
) -> None:
    (release,) = checked(STATEMENTS[name]).releases
    for connection in worlds[:-1]:
        rows = asked(connection, release.bounded)
        found = pairs_of(release.bounded, rows, rows).values()
        told = sum(left_of(halves_of(each)[0], 30) for measures in found for each in measures)
        assert (told,) == connection.execute(EXACT[name]).fetchone()


def test_engines_give_the_same() -> None:
    alone = (sql for sql in STATEMENTS.values() if all(each.bounded.pair for each in checked(sql).releases))
    assert_engines_agree(alone, catalog(), TABLES, rows_of(np.random.default_rng(5)))


@pytest.mark.parametrize("denied", ["q.p NOT IN {}", "NOT (q.p IN {})", "NOT ((q.p IN {}))"])
def test_not_in_is_no_absence_where_there_may_be_null(denied: str) -> None:
    """It is NULL of all rows as soon as one of the others' values is."""
    where = denied.format("(SELECT a.parent FROM posts a)")
    assert not any(each.bounded.met for each in checked(f"SELECT count(*) FROM posts q WHERE {where}").releases)
