"""WITH RECURSIVE over public tables beside private ones: psycopg before a whole proxy, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from .backends import Backend, served_lavishly
from .served import Served, spent

# Noise is far below half a row.
SETTINGS = "-c dp.epsilon=100000 -c dp.max_rows_per_unit=300 -c dp.max_groups_per_unit=8"
NEAR = """WITH RECURSIVE near AS (SELECT dept, building, 0 AS level FROM departments WHERE beds > 16
  UNION ALL SELECT d.dept, d.building, n.level + 1 FROM departments d JOIN near n ON d.building = n.building
  WHERE n.level < 2)"""
NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < 25)"


@pytest.fixture(scope="module")
def served(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served_lavishly(backend, tmp_path_factory.mktemp("recursion")) as served:
        yield served


@pytest.fixture
def alice(served: Served) -> Iterator[psycopg.Connection[Any]]:
    with served.connect(options=SETTINGS) as connection:
        yield connection


def test_a_recursive_query_is_joined_and_groups(alice: psycopg.Connection[Any]) -> None:
    by_level = alice.execute(
        f"{NEAR} SELECT n.dept, n.level, count(*) FROM visits JOIN near n USING (dept) GROUP BY 1, 2"
    )
    counts = dict(alice.execute("SELECT dept, count(*) FROM visits GROUP BY dept").fetchall())
    rows = alice.execute(f"{NEAR} SELECT dept, level, count(*) FROM near GROUP BY 1, 2").fetchall()
    assert {row for row in by_level.fetchall() if row[2]} == {
        (d, level, n * counts[d]) for d, level, n in rows if d in counts
    }


def test_it_is_charged_once(alice: psycopg.Connection[Any]) -> None:
    before = spent(alice)
    alice.execute(f"{NUMBERS} SELECT i, count(*) FROM n JOIN people ON age = i GROUP BY i")
    (_, _, charges) = spent(alice)
    assert charges == before[2] + 1


def test_parameters_are_those_of_the_client(alice: psycopg.Connection[Any]) -> None:
    sql = (
        "WITH RECURSIVE n(i) AS (SELECT %s::int UNION ALL SELECT i + 1 FROM n WHERE i < %s) SELECT count(*) FROM people"
    )
    for binary in (False, True):
        asked = alice.cursor(binary=binary).execute(f"{sql} WHERE age IN (SELECT i FROM n) AND age <> %s", (21, 25, 23))
        assert asked.fetchall() == alice.execute("SELECT count(*) FROM people WHERE age IN (21, 22, 24, 25)").fetchall()


def test_tables_of_ones_own_are_read_in_it(alice: psycopg.Connection[Any]) -> None:
    with alice.transaction(force_rollback=True):
        alice.execute("CREATE TABLE steps (at int, onward int)")
        alice.execute("INSERT INTO steps VALUES (21, 23), (23, 30), (30, 21), (40, 41)")
        alice.execute("CREATE TABLE departments AS SELECT 'nowhere' AS dept")  # shadows nothing that is written in full
        sql = "WITH RECURSIVE w AS (SELECT 21 AS at UNION SELECT onward FROM steps JOIN w USING (at)) SELECT count(*)"
        found = alice.execute(f"{sql} FROM people JOIN w ON age = at").fetchall()
        assert found == alice.execute("SELECT count(*) FROM people WHERE age IN (21, 23, 30)").fetchall()


def test_beside_released_rows_the_front_makes_it(alice: psycopg.Connection[Any]) -> None:
    known = alice.execute("SELECT age, count(*) FROM people WHERE age IN (24, 25, 26) GROUP BY age").fetchall()
    asked = "a AS (SELECT age, count(*) AS c FROM people WHERE age > 23 GROUP BY age)"
    sql = f"{NUMBERS}, {asked} SELECT i, c FROM n JOIN a ON i = age"
    assert sorted(alice.execute(sql).fetchall()) == sorted(row for row in known if row[0] < 26)


ENDLESS = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n)"
FAILING = "WITH RECURSIVE n AS (SELECT 4 AS i UNION ALL SELECT i / 0 FROM n)"


@pytest.mark.parametrize(
    ("sql", "state"),
    [
        (f"{ENDLESS} SELECT count(*) FROM people JOIN n ON i = age", "54000"),
        (f"{ENDLESS} SELECT * FROM n, (SELECT count(*) FROM people) p", "54000"),
        (f"{FAILING} SELECT count(*) FROM people JOIN n ON i = age", "22012"),
    ],
)
def test_one_that_fails_or_has_no_end_is_not_charged(alice: psycopg.Connection[Any], sql: str, state: str) -> None:
    """Whether the engine is told its rows, or the front alone reads them; by EXPLAIN, too."""
    before = spent(alice)
    for asked in (sql, f"EXPLAIN {sql}"):
        with pytest.raises(psycopg.Error) as caught:
            alice.execute(asked)
        assert caught.value.sqlstate == state
    assert spent(alice) == before


def test_one_that_nothing_reads_is_not_run(alice: psycopg.Connection[Any]) -> None:
    assert (
        alice.execute(f"{ENDLESS} SELECT count(*) FROM people").fetchall()
        == alice.execute("SELECT count(*) FROM people").fetchall()
    )


@pytest.mark.long
def test_every_way_of_a_statement(alice: psycopg.Connection[Any]) -> None:
    sql = f"{NUMBERS} SELECT i, count(*) AS c FROM n JOIN people ON age = i GROUP BY i"
    told = sorted(alice.execute(sql).fetchall())
    assert "reads $t1" in "\n".join(row[0] for row in alice.execute(f"EXPLAIN (VERBOSE) {sql}")).lower()
    with alice.transaction(force_rollback=True):
        alice.execute(f"DECLARE c CURSOR FOR {sql}")
        assert sorted(alice.execute("FETCH ALL FROM c").fetchall()) == told
        alice.execute(f"CREATE TABLE kept AS {sql}")
        assert sorted(alice.execute("SELECT * FROM kept").fetchall()) == told
        alice.execute(f"PREPARE p AS {sql}")
        assert sorted(alice.execute("EXECUTE p").fetchall()) == told
        with alice.cursor().copy(f"COPY ({sql}) TO STDOUT") as copy:
            assert len(list(copy.rows())) == len(told)
