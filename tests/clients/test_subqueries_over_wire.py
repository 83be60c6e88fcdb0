"""Subqueries over public rows as values, and public rows that ask for private keys: at a price without noise the
answers are Postgres's own, and so is the error of a value that is several, before there is anything to pay for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.errors import CardinalityViolation
from scratch_postgres import ScratchPostgres

from .served import Served, psql, spent

pytestmark = pytest.mark.long

HELD = "(SELECT v.* FROM visits v JOIN people USING (person_id))"
SAME = (
    "SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments WHERE dept = 'ortho')",
    "SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments ORDER BY beds DESC LIMIT 1)",
    "SELECT count(*), (SELECT building FROM departments WHERE beds = 30) FROM people",
    "SELECT count(*) FROM people WHERE smoker = (SELECT beds > 10 FROM departments WHERE building = 'south')",
    "SELECT nation FROM nation WHERE nationkey NOT IN (SELECT nationkey FROM customer WHERE custkey % 3 < 2)",
    f"SELECT d.dept FROM departments d WHERE NOT EXISTS (SELECT 1 FROM {HELD} v WHERE v.dept = d.dept) ORDER BY 1",
    f"SELECT d.dept, d.dept IN (SELECT dept FROM {HELD} v) AS there FROM departments d ORDER BY 1",
    "SELECT x, x IN (SELECT sex FROM people WHERE age > 20) AS there FROM (VALUES ('F'), ('X')) AS s (x) ORDER BY 1",
    "SELECT EXISTS (SELECT 1 FROM people WHERE age > 100), EXISTS (SELECT 1 FROM people WHERE age > 60)",
    "SELECT count(*) FROM people p WHERE p.age > (SELECT avg(q.age) FROM people q WHERE q.city = p.city)",
    "SELECT count(*) FROM people WHERE city IN (SELECT city FROM people WHERE smoker)",
    "SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person_id = p.person_id "
    "GROUP BY v.dept HAVING count(*) > 2)",
    "SELECT d.dept, (SELECT p.city FROM visits v JOIN people p USING (person_id) WHERE v.dept = d.dept GROUP BY p.city "
    "ORDER BY count(*) DESC LIMIT 1) FROM departments d ORDER BY 1",
)
SEVERAL = (
    "SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments)",
    "SELECT count(*), (SELECT beds FROM departments WHERE building = 'north') FROM people",
    "SELECT count(*) FROM people WHERE smoker = (SELECT beds > 10 FROM departments)",
    "SELECT count(*) FROM people WHERE age > (SELECT x FROM (VALUES (1), (2)) AS v (x))",
)


@pytest.fixture
def erna(erna: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """She may spend without an end, and pays so much that there is hardly any noise."""
    erna.execute("SET dp.epsilon = 10000")
    erna.execute("SET dp.max_rows_per_unit = 1000")
    erna.execute("SET dp.max_groups_per_unit = 100")
    return erna


@pytest.mark.parametrize("sql", SAME)
def test_they_are_those_of_postgres(sql: str, erna: psycopg.Connection[Any], plain: ScratchPostgres) -> None:
    before = spent(erna)[2]
    cursor = erna.execute(sql, prepare=True)
    with psycopg.connect(plain.conninfo) as connection:
        own = connection.execute(sql)
        assert [(each.name, each.type_code) for each in cursor.description or ()] == [
            (each.name, each.type_code) for each in own.description or ()
        ]
        assert cursor.fetchall() == own.fetchall()
    assert spent(erna)[2] == before + 1


@pytest.mark.parametrize("sql", SEVERAL)
def test_a_value_that_is_several_is_postgres_own_error_and_free(sql: str, erna: psycopg.Connection[Any]) -> None:
    before = spent(erna)
    for ways in ({"prepare": True}, {"prepare": False}):
        with pytest.raises(
            CardinalityViolation, match="more than one row returned by a subquery used as an expression"
        ):
            erna.execute(sql, **ways)  # type: ignore[call-overload]
    with pytest.raises(CardinalityViolation):
        erna.execute(f"CREATE TABLE several AS {sql}")
    assert spent(erna) == before


def test_a_parameter_decides_whether_it_is_several(erna: psycopg.Connection[Any]) -> None:
    sql = "SELECT count(*) FROM people WHERE age > (SELECT beds FROM departments WHERE building = %s)"
    before = spent(erna)[2]
    assert (
        erna.execute(sql, ["south"], prepare=True).fetchone()
        == erna.execute("SELECT count(*) FROM people WHERE age > 30").fetchone()
    )
    with pytest.raises(CardinalityViolation):
        erna.execute(sql, ["north"], prepare=True)
    assert spent(erna)[2] == before + 2


def test_in_a_transaction_it_is_an_error_like_any_other(erna: psycopg.Connection[Any]) -> None:
    with pytest.raises(CardinalityViolation), erna.transaction():
        erna.execute(SEVERAL[0])
    assert erna.execute("SELECT 1").fetchone() == (1,)


def test_psql_says_what_counts_as_absent(erna: psycopg.Connection[Any], world: Served, psql_path: Path) -> None:
    sql = "SELECT nation FROM nation WHERE nationkey NOT IN (SELECT nationkey FROM customer) ORDER BY 1"
    said = psql(psql_path, world.conninfo("erna"), "-c", "SET dp.epsilon = 10", "-c", sql)
    assert said.status == 0 and said.out == "SET\n"
    assert 'values of "customer"."nationkey" that few customers have count as absent' in said.err
    before = spent(erna)
    lines = [line for (line,) in erna.execute(f"EXPLAIN {sql}").fetchall()]
    assert any("that few customers have count as absent" in line for line in lines)
    assert spent(erna) == before
    said = psql(psql_path, world.conninfo("erna"), "-c", SEVERAL[0])
    assert said.status == 1 and "more than one row returned" in said.err
    assert spent(erna) == before
