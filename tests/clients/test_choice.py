"""Which public key has the most, asked by clients: one key comes back, charged as one choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from scratch_postgres import ScratchPostgres

from .served import Served, psql, spent

pytestmark = pytest.mark.long

DEPT = "SELECT dept FROM visits JOIN departments USING (dept) GROUP BY dept ORDER BY count(*) DESC LIMIT 1"
SEX = "SELECT sex FROM people WHERE age > 30 GROUP BY sex ORDER BY sum(age) DESC, sex LIMIT 1"
DEAR = "SET dp.epsilon = 1000"


def true(plain: ScratchPostgres, sql: str) -> list[tuple[Any, ...]]:
    """Postgres's own answer, of rows that belong to somebody."""
    with psycopg.connect(plain.conninfo) as connection:
        return connection.execute(
            sql.replace("FROM visits", "FROM (SELECT v.* FROM visits v JOIN people USING (person_id)) visits")
        ).fetchall()


@pytest.mark.parametrize("sql", [DEPT, SEX])
@pytest.mark.parametrize("binary", [False, True])
def test_the_key_with_the_most_comes_back(
    sql: str, binary: bool, erna: psycopg.Connection[Any], plain: ScratchPostgres
) -> None:
    notices: list[str] = []
    erna.add_notice_handler(lambda told: notices.append(told.message_primary or ""))
    before = spent(erna)[2]
    cursor = erna.execute(sql, prepare=True, binary=binary)
    assert [column.name for column in cursor.description or ()] == [sql.split()[1]]
    assert cursor.fetchall() == true(plain, sql)
    assert spent(erna)[2] == before + 1
    assert "charged epsilon 1000, delta 0;" in notices[0], "its price is that of any statement"


def test_explain_and_last_statement_say_so(erna: psycopg.Connection[Any]) -> None:
    before = spent(erna)
    lines = [line for (line,) in erna.execute(f"EXPLAIN VERBOSE {SEX}").fetchall()]
    (choice,) = [line for line in lines if line.startswith("  Choice by SUM")]
    assert "charged as one choice, which tells the key of the largest and nothing else" in choice
    assert spent(erna) == before
    ((document,),) = [row[0] for row in erna.execute(f"EXPLAIN (FORMAT JSON) {SEX}").fetchall()]
    (measure,) = document["Releases"][0]["Measures"]
    assert measure["Mechanism"] == "noisy max" and measure["Below the Largest"] > 0
    erna.execute(SEX)
    ((column, mechanism, stddev, half_width),) = erna.execute("SELECT * FROM dp.last_statement").fetchall()
    assert ("sex" in column, mechanism, stddev) == (True, "noisy max", None) and half_width > 0


def test_other_ways_to_take_it(erna: psycopg.Connection[Any], plain: ScratchPostgres) -> None:
    expected = true(plain, DEPT)
    erna.execute(f"CREATE TABLE erna.most AS {DEPT}")
    assert erna.execute("SELECT * FROM erna.most").fetchall() == expected
    erna.execute("DROP TABLE erna.most")
    with erna.cursor().copy(f"COPY ({DEPT}) TO STDOUT") as copy:
        assert list(copy.rows()) == expected
    with erna.transaction():
        erna.execute(f"DECLARE c CURSOR FOR {DEPT}")
        assert erna.execute("FETCH ALL FROM c").fetchall() == expected


def test_psql(world: Served, psql_path: Path, plain: ScratchPostgres) -> None:
    said = psql(
        psql_path, world.conninfo("erna"), script=f"{DEAR};\n{DEPT};\nSELECT mechanism FROM dp.last_statement;\n"
    )
    ((dept,),) = true(plain, DEPT)
    assert said.status == 0, said.err
    assert said.out.split() == ["SET", dept, "noisy", "max"]
    assert "charged epsilon 1000, delta 0" in said.err


def test_at_a_small_price_it_errs(world: Served) -> None:
    """A choice at next to no ε is one among all keys."""
    with world.connect("erna") as connection:
        connection.execute("SET dp.epsilon = 0.000001")
        found = {connection.execute(DEPT).fetchone() for _ in range(80)}
    # That one of four is never seen: 4 · 0.75**80, less than once in a million.
    with world.connect("erna") as connection:
        assert found == set(connection.execute("SELECT dept FROM departments").fetchall())
