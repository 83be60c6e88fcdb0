"""Lists of the values that there are, asked by clients: at a price without noise they are Postgres's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from scratch_postgres import ScratchPostgres

from .served import Served, psql, spent

pytestmark = pytest.mark.long

# Each value has two units at least, where it is private.
SAME = (
    "SELECT sex, string_agg(DISTINCT city, ', ' ORDER BY city) FROM people GROUP BY sex ORDER BY 1",
    "SELECT array_agg(DISTINCT city ORDER BY city) FROM people",
    "SELECT array_agg(DISTINCT age ORDER BY age DESC) FILTER (WHERE age < 30) FROM people",
    "SELECT city, jsonb_agg(DISTINCT sex), count(*) FROM people GROUP BY city ORDER BY city",
    "SELECT smoker, json_agg(DISTINCT sex ORDER BY sex DESC), array_agg(DISTINCT city ORDER BY city NULLS FIRST) "
    "FROM people GROUP BY smoker HAVING count(*) > 5 ORDER BY smoker",
    "SELECT city, array_agg(DISTINCT sex) FILTER (WHERE age > 1000), array_agg(DISTINCT smoker) FROM people "
    "GROUP BY city ORDER BY 1",
    "SELECT string_agg(DISTINCT city, ','), array_agg(DISTINCT date_trunc('year', joined)), cardinality(array_agg("
    "DISTINCT sex)), array_to_string(array_agg(DISTINCT sex ORDER BY sex), '/') FROM people",
    "SELECT min(city), upper(max(city)), min(sex), count(*) FROM people",
    "SELECT sex, max(city) FILTER (WHERE age < 60), string_agg(DISTINCT city, ',' ORDER BY city) FROM people "
    "GROUP BY sex HAVING min(city) > 'A' ORDER BY max(city), sex",
    "SELECT city, min(sex), max(sex), sum(DISTINCT length(sex)) FROM people GROUP BY city ORDER BY min(city) DESC",
    "SELECT sum(DISTINCT age), avg(DISTINCT age), stddev(DISTINCT age), every(DISTINCT age > 3) FROM people "
    "WHERE age < 30",
    "SELECT max(d.building), min(v.dept) FROM visits v JOIN departments d USING (dept) JOIN people USING (person_id)",
    "SELECT count(*) FROM people WHERE city = (SELECT min(city) FROM people)",
    "SELECT min(city) FROM people WHERE age > 1000",
    "SELECT x.string_agg FROM (SELECT string_agg(DISTINCT sex, '') FROM people) AS x",
    "SELECT d.building, string_agg(DISTINCT v.dept, ',') FROM departments d LEFT JOIN (SELECT v.dept FROM visits v "
    "JOIN people USING (person_id)) v ON v.dept = d.dept GROUP BY d.building ORDER BY 1",
)


@pytest.fixture
def erna(erna: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """She may spend without an end, and pays so much that there is hardly any noise."""
    erna.execute("SET dp.epsilon = 10000")
    return erna


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("sql", SAME)
def test_they_are_those_of_postgres(
    sql: str, binary: bool, erna: psycopg.Connection[Any], plain: ScratchPostgres
) -> None:
    before = spent(erna)[2]
    cursor = erna.execute(sql, prepare=True, binary=binary)
    with psycopg.connect(plain.conninfo) as connection:
        own = connection.execute(sql, binary=binary)
        assert [(each.name, each.type_code) for each in cursor.description or ()] == [
            (each.name, each.type_code) for each in own.description or ()
        ]
        assert cursor.fetchall() == own.fetchall()
    assert spent(erna)[2] == before + 1


def test_explain_is_free_and_says_what_is_listed(erna: psycopg.Connection[Any]) -> None:
    before = spent(erna)
    lines = [line for (line,) in erna.execute("EXPLAIN SELECT array_agg(DISTINCT sex) FROM people").fetchall()]
    assert any("persons with a value of ARRAY_AGG" in line and "there where surely above 0" in line for line in lines)
    assert spent(erna) == before


def test_the_same_list_again_and_in_a_table_is_paid_for_once(erna: psycopg.Connection[Any]) -> None:
    erna.execute(
        "CREATE TABLE lists AS SELECT sex, array_agg(DISTINCT city ORDER BY city) AS l FROM people GROUP BY sex"
    )
    try:
        ((count,),) = erna.execute("SELECT count(*) FROM lists, unnest(l) AS city WHERE city IS NOT NULL").fetchall()
        assert count > 1
    finally:
        erna.execute("DROP TABLE lists")


def test_a_list_of_rows_is_refused_with_the_one_that_is_answered(
    erna: psycopg.Connection[Any], world: Served, psql_path: Path
) -> None:
    before = spent(erna)[2]
    said = psql(psql_path, world.conninfo("erna"), "-c", "SELECT string_agg(city, ', ') FROM people")
    assert "STRING_AGG would tell the value of each row" in said.err
    hint = "STRING_AGG(DISTINCT people.city, ', ')"
    assert hint in said.err and spent(erna)[2] == before
    told = psql(psql_path, world.conninfo("erna"), "-c", "SET dp.epsilon = 10000", "-c", f"SELECT {hint} FROM people")
    assert told.status == 0 and "Delft" in told.out
    assert spent(erna)[2] == before + 1
