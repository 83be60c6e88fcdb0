"""A division of released numbers is NULL where the divisor came out as 0: in Postgres, of each type that it has."""

from __future__ import annotations

import psycopg
import pytest
import sqlglot
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sqlglot import exp
from worlds import plan, world_catalog

from dpproxy.rewrite.divisions import null_where_divided_by_zero

ZEROS = """CREATE TABLE z AS SELECT 0 AS i, 0::bigint AS b, 0::smallint AS s, 0.00::numeric(6,2) AS n, 0::real AS r,
0::float8 AS d, interval '1 day' AS l"""
DIVISIONS = (
    *(f"7 / {name}" for name in "ibsnrd"),
    *(f"7 % {name}" for name in "ibsn"),
    "mod(b, i)",
    "div(n, b)",
    "7 / (i + b)",
    "n / sum(n) OVER ()",
    "d / (SELECT y.i FROM z AS y)",
    "d / (SELECT count(*) - 1 FROM (SELECT z.i) AS y)",
    "l / b",
    "r / r",
    "s / s",
    "7 / NULLIF(i, 0)",
    "7 / NULLIF(i, 5)",
    "7 / (CASE WHEN i > 0 THEN i ELSE b END)",
)


def test_a_divisor_of_zero_gives_null_and_types_stay() -> None:
    (binaries, *_) = INSTALLATIONS.values()
    with scratch_postgres(binaries) as server, psycopg.connect(server.conninfo, autocommit=True) as postgres:
        postgres.execute(ZEROS)
        for written in DIVISIONS:
            asked = f"SELECT {written} AS q FROM z"
            tree = sqlglot.parse_one(asked, read="postgres")
            null_where_divided_by_zero(tree)
            plain, made = (postgres.execute(each.encode()) for each in (f"{asked} LIMIT 0", tree.sql("postgres")))
            assert made.description is not None and plain.description is not None
            assert made.description[0].type_code == plain.description[0].type_code, written
            assert made.fetchall() == [(None,)], written


@pytest.mark.parametrize(
    ("sql", "guards"),
    [
        ("SELECT sum(age) / count(*) FROM people", 1),
        ("SELECT sum(age) / NULLIF(count(*), 0), sum(age) / 2, 7 / 2, 5 % 3 FROM people", 1),
        ("SELECT sex, count(*) % (count(*) - 1) FROM people GROUP BY sex HAVING sum(age) / count(*) > 30", 2),
        ("SELECT sum(age / beds) FROM people JOIN departments ON dept = city", 0),
    ],
)
def test_what_may_be_zero_is_guarded_in_the_statement_for_the_front(sql: str, guards: int) -> None:
    post = sqlglot.parse_one(plan(sql, world_catalog()).post.sql, read="postgres")
    assert len(list(post.find_all(exp.Nullif))) == guards
