"""Rows that a SELECT list makes of constants: Postgres itself has the same, by either form."""

from __future__ import annotations

import psycopg
import pytest
from scratch_postgres import INSTALLATIONS, scratch_postgres

from dpproxy.rewrite.reading.listed_series import rows_of_listed_series
from dpproxy.rewrite.reading.parse import parse_statement

ALIKE = (
    "SELECT generate_series(1, 3)",
    "SELECT generate_series(1, 10, 4) AS n ORDER BY 1 DESC LIMIT 2",
    "SELECT generate_series(DATE '2024-01-31', DATE '2024-06-30', INTERVAL '1 month')::date AS m",
    "SELECT generate_series(3, 1)::text, 'a' AS x",
    "SELECT DATE '2024-01-01' + generate_series(0, 3) * 7 AS day, 1 AS one",
    "SELECT unnest(ARRAY['b', 'a', NULL]) AS x ORDER BY x",
    "SELECT unnest(ARRAY[2, 1])::bigint",
    "SELECT DISTINCT unnest(ARRAY[2, 1, 2]) AS x ORDER BY x",
    "SELECT * FROM (SELECT generate_series(1, 2)::bigint) AS t WHERE t.generate_series > 1",
)
LEFT = (
    "SELECT generate_series(1, 3), generate_series(1, 2)",  # two walk in step
    "SELECT generate_series(1, 2) FROM visits",  # once for each row
    "SELECT generate_series(1, 2) + 1",  # of no name
    "SELECT generate_series(1, (SELECT 2)) AS n",
    "SELECT generate_series(1, 2) AS n WHERE 1 = 0",
    "SELECT 1 FROM generate_series(1, 2) AS n",
)


@pytest.fixture(scope="module")
def postgres() -> object:
    (binaries, *_) = INSTALLATIONS.values()
    with scratch_postgres(binaries) as server, psycopg.connect(server.conninfo) as connection:
        yield connection


@pytest.mark.parametrize("sql", ALIKE)
def test_the_rows_are_the_same(postgres: psycopg.Connection[object], sql: str) -> None:
    made = rows_of_listed_series(parse_statement(sql))
    text = made.sql(dialect="postgres")
    assert " FROM " in text and "SELECT GENERATE_SERIES" not in text
    asked, given = postgres.execute(sql.encode()), postgres.execute(text.encode())
    assert [each.name for each in given.description or ()] == [each.name for each in asked.description or ()]
    assert given.fetchall() == asked.fetchall()


@pytest.mark.parametrize("sql", LEFT)
def test_other_calls_stay(sql: str) -> None:
    tree = parse_statement(sql)
    assert rows_of_listed_series(tree) is tree
