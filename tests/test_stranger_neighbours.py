"""Rows of two units of one kind that a key puts together, on neighbouring databases: whoever leaves is in what changes,
and what is left at any clip moves by no more than the clip. Without a clip they are the rows that were asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import duckdb
import numpy as np
import psycopg
import pytest
from complete_engines import COMPLETE
from lanes import sized
from scratch_postgres import MAJORS, scratch_postgres
from stranger_world import OWNED, TABLES, UNITS, catalog, create, rows_of
from test_pair_neighbours import LEFT, asked, left_of, space_of
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError
from dpproxy.exact_pairs import NO_PAIRS, pairs_by_key
from dpproxy.mechanisms.pair_totals import above, below, left_at
from dpproxy.plan.private_plan import Bounded
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows

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


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    random = np.random.default_rng(2)
    with ExitStack() as stack:
        found = [stack.enter_context(duckdb.connect()) for _ in range(4)]
        for connection in found:
            create(connection)
            for table, rows in rows_of(random).items():
                connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        yield found


def without(connection: duckdb.DuckDBPyConnection, unit: int, bounded: Bounded) -> list[tuple[object, ...]]:
    """The same where a user left with all rows."""
    connection.execute("BEGIN")
    try:
        for table, owned in reversed(OWNED.items()):
            connection.execute(f"DELETE FROM {table} WHERE {owned.format(unit)}")
        return asked(connection, bounded)
    finally:
        connection.execute("ROLLBACK")


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
        assert moved(release.bounded, worlds) > 0


def moved(bounded: Bounded, worlds: list[duckdb.DuckDBPyConnection]) -> int:
    """How many users change what is there by their leaving, none of them by more than a clip."""
    changed = 0
    for connection in worlds[: sized(1, 3, 4)]:
        rows = asked(connection, bounded)
        space = space_of(bounded, rows)
        whole = pairs_by_key(bounded, Rows((), tuple(rows)), space)  # type: ignore[arg-type]
        before = {(key, index): left_of(each) for key, found in whole.items() for index, each in enumerate(found)}
        for unit in range(UNITS):
            others = without(connection, unit, bounded)
            assert set(others) <= set(rows), "no row of others is changed, and none comes"
            changed += len(others) < len(rows)
            after = pairs_by_key(bounded, Rows((), tuple(others)), space)  # type: ignore[arg-type]
            for (key, index), left in before.items():
                there = left_of(after[key][index] if key in after else NO_PAIRS)
                assert all(0 <= left[each] - there[each] <= 1 << each[0] for each in LEFT)
    return changed


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
    """Their numbers of units differ, and all that is made of them is alike."""
    binaries = list(MAJORS.values())[-1]
    with (
        scratch_postgres(binaries) as server,
        psycopg.connect(server.conninfo, autocommit=True) as postgres,
        duckdb.connect() as duck,
    ):
        create(duck)
        for table, rows in rows_of(np.random.default_rng(5)).items():
            postgres.execute(f"CREATE TABLE {table} ({TABLES[table]})".encode())
            places = len(rows[0])
            duck.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * places)})", rows)
            postgres.cursor().executemany(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * places)})".encode(), rows)
        for sql in STATEMENTS.values():
            found = []
            for dialect in ("duckdb", "postgres"):
                bounded = plan(sql, catalog(), dialect=dialect).releases[0].bounded
                text = bounded.sql
                every = asked(duck, bounded) if dialect == "duckdb" else postgres.execute(text.encode()).fetchall()
                made = pairs_by_key(bounded, Rows((), tuple(every)), space_of(bounded, every))  # type: ignore[arg-type]
                found.append(
                    {
                        key: [(left_at(above(m), 0), left_at(below(m), 2), int(m.amounts.sum())) for m in measures]
                        for key, measures in made.items()
                    }
                )
            assert found[0] == found[1]


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
    "SELECT count(DISTINCT a.score) FROM posts q JOIN posts a ON a.parent = q.p": "this subquery reads rows of other",
    "SELECT count(DISTINCT a.score), sum(q.kind) FROM posts q JOIN posts a ON a.parent = q.p": "COUNT(DISTINCT",
    "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p WHERE EXISTS "
    "(SELECT 1 FROM votes v WHERE v.voter = q.owner)": "a subquery",
}  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
def test_what_has_no_form_is_refused(sql: str) -> None:
    with pytest.raises(DPProxyError) as caught:
        plan(sql, catalog())
    assert REFUSED[sql] in caught.value.message and caught.value.hint
