"""Rows of two units of one kind that a key puts together, on neighbouring databases: whoever leaves is in what changes,
and what is left at any clip moves by no more than the clip. Without a clip they are the rows that were asked for."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from complete_engines import COMPLETE
from lanes import sized
from left_of_pairs import asked, assert_engines_agree, moved, opened
from stranger_world import OWNED, TABLES, UNITS, catalog, rows_at_ends, rows_of
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker import check_plan

STATEMENTS = {
    "answers": "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p",
    "the other way round": "SELECT count(*), sum(a.score) FROM posts a, posts q WHERE q.p = a.parent AND a.kind = 2",
    "of both": "SELECT sum(a.score * q.score), avg(a.score - q.kind) FROM posts a, posts q WHERE a.parent = q.p",
    "how long it took": "SELECT avg(a.made - q.made), count(a.score) FROM posts a JOIN posts q ON a.parent = q.p",
    "keys of either": "SELECT q.kind, a.kind, count(*) FROM posts q JOIN posts a ON a.parent = q.p GROUP BY 1, 2",
    "public tables": "SELECT k.name, count(*), avg(v.stars) FROM posts q JOIN votes v ON v.p = q.p JOIN kinds k "
    "ON k.kind = q.kind GROUP BY k.name",
    "months": "SELECT date_trunc('month', q.made), count(*) FROM posts q JOIN posts a ON a.parent = q.p GROUP BY 1",
    "users beside": "SELECT w.level, avg(v.stars) FROM users u JOIN posts q ON q.owner = u.u JOIN votes v ON v.p = q.p "
    "JOIN users w ON w.u = v.voter WHERE u.level <> w.level GROUP BY w.level",
    "whom they work for": "SELECT m.level, count(*) FROM users e JOIN users m ON e.boss = m.u GROUP BY m.level",
    "by links": "SELECT count(*), sum(m.stars) FROM marks m JOIN votes v ON v.v = m.m",
    "both by links": "SELECT count(*), sum(n.stars) FROM marks m JOIN marks n ON n.m = m.stars",
    "by two columns": "SELECT s.kind, count(*), sum(s.paid - r.amount) FROM lines s JOIN refunds r ON r.bill = s.bill "
    "AND r.item = s.item GROUP BY s.kind",
    "a derived table": "SELECT t.k, sum(t.d), count(*) FROM (SELECT q.kind AS k, a.score - q.score AS d FROM posts q "
    "JOIN posts a ON a.parent = q.p WHERE a.score > 0) AS t WHERE t.d < 5 GROUP BY t.k",
    "queries by name": "WITH q AS (SELECT p, kind FROM posts WHERE kind = 1), a AS (SELECT parent, score FROM posts "
    "WHERE kind = 2), both_of AS (SELECT q.kind, a.score FROM q JOIN a ON a.parent = q.p) "
    "SELECT count(*), avg(score) FROM both_of WHERE kind < 9",
    "queries that are read twice": "WITH q AS (SELECT p, parent FROM posts WHERE score > -4) "
    "SELECT count(*) FROM q JOIN q AS a ON a.parent = q.p",
}  # fmt: skip


LEAVING = [{table: owned.format(unit) for table, owned in OWNED.items()} for unit in range(UNITS)]


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    random = np.random.default_rng(2)
    with opened(TABLES, (rows_of(random) for _ in range(4))) as found:
        yield found


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_planned_passes_the_checker(name: str, dialect: str) -> None:
    made = plan(STATEMENTS[name], catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    assert [each.bounded.pair for each in made.releases] == [("user", "user")]


@pytest.mark.larger
@pytest.mark.parametrize("name", STATEMENTS)
def test_whoever_leaves_moves_what_is_left_by_a_clip_at_most(
    name: str, worlds: list[duckdb.DuckDBPyConnection]
) -> None:
    for release in plan(STATEMENTS[name], catalog()).releases:
        assert moved(release.bounded, worlds[: sized(1, 3, 4)], LEAVING) > 0


@pytest.fixture(scope="module")
def ends() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    with opened(TABLES, [rows_at_ends()]) as found:
        yield found


@pytest.mark.parametrize("name", STATEMENTS)
def test_so_it_is_of_rows_at_the_ends_of_types(name: str, ends: list[duckdb.DuckDBPyConnection]) -> None:
    others = [{table: owned.format(unit) for table, owned in OWNED.items()} for unit in (77, -(2**63), 2**63 - 1)]
    for release in plan(STATEMENTS[name], catalog()).releases:
        assert moved(release.bounded, ends, [*LEAVING, *others]) >= 0


EXACT = {
    "answers": "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p WHERE q.owner + a.owner >= 0",
    "how long it took": "SELECT sum(epoch(a.made - q.made)), count(a.score), count(*) FROM posts a JOIN posts q "
    "ON a.parent = q.p WHERE q.owner + a.owner >= 0",
    "whom they work for": "SELECT count(*) FROM users e JOIN users m ON e.boss = m.u",
    "by links": "SELECT count(*), sum(m.stars) FROM marks m JOIN votes v ON v.v = m.m JOIN posts p ON p.p = m.p "
    "WHERE p.owner + v.voter >= 0",
}


@pytest.mark.parametrize("name", EXACT)
def test_without_a_clip_they_are_the_rows_that_were_asked_for(
    name: str, worlds: list[duckdb.DuckDBPyConnection]
) -> None:
    (release,) = plan(STATEMENTS[name], catalog()).releases
    places = len(release.bounded.keys) + 2
    for connection in worlds:
        exact = connection.execute(EXACT[name]).fetchone() or ()
        rows = asked(connection, release.bounded)
        measures = enumerate(release.bounded.measures)
        told = [sum(int(str(row[places + at])) for row in rows) * float(each.step) for at, each in measures]
        assert sorted(told) == pytest.approx(sorted(float(each) for each in exact))


OWN = "SELECT COALESCE(sum(1), 0) FROM posts q JOIN posts a ON a.parent = q.p AND a.owner = q.owner"


def test_a_user_who_is_on_both_sides_has_one_number(worlds: list[duckdb.DuckDBPyConnection]) -> None:
    (release,) = plan(STATEMENTS["answers"], catalog()).releases
    for connection in worlds:
        alike = [row for row in asked(connection, release.bounded) if row[0] == row[1]]
        assert (sum(int(str(row[2])) for row in alike),) == connection.execute(OWN).fetchone()


def test_engines_give_the_same_pairs() -> None:
    assert_engines_agree(STATEMENTS.values(), catalog(), TABLES, rows_of(np.random.default_rng(5)))


REFUSED = {
    "SELECT count(*) FROM lines s JOIN refunds r ON r.bill = s.bill": "two users together",
    "SELECT count(*) FROM lines s JOIN refunds r ON r.bill = s.bill AND r.why = s.kind": "two users together",
    "SELECT count(*) FROM posts a JOIN posts b ON a.parent = b.parent": "two users together",
    "SELECT count(*) FROM posts a JOIN posts b ON a.score = b.p::float8": "two users together",
    "SELECT count(*) FROM posts q, posts a": "two users together",
    "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p OR a.kind = 2": "two users together",
    "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p JOIN posts c ON c.parent = a.p": "two users together",
    "SELECT sum(q.kind), sum(v.stars) FROM posts q JOIN votes v USING (p) JOIN posts c ON c.parent = q.p": "two users",
    "SELECT a.score FROM posts q JOIN posts a ON a.parent = q.p": "two users together",
    "SELECT a.score, count(*) FROM posts q JOIN posts a ON a.parent = q.p GROUP BY 1": "private keys",
    "SELECT count(DISTINCT a.score) FROM posts q JOIN posts a ON a.parent = q.p": "COUNT(DISTINCT",
    "SELECT count(DISTINCT a.score), sum(q.kind) FROM posts q JOIN posts a ON a.parent = q.p": "COUNT(DISTINCT",
    "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p WHERE EXISTS "
    "(SELECT 1 FROM votes v WHERE v.voter = q.owner)": "a subquery",
}  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
def test_what_has_no_form_is_refused(sql: str) -> None:
    with pytest.raises(DPProxyError) as caught:
        plan(sql, catalog())
    assert REFUSED[sql] in caught.value.message and caught.value.hint
