"""A division of released numbers is NULL where the divisor came out as 0: in Postgres, of each type that it has."""

from __future__ import annotations

from decimal import Decimal

import psycopg
import pytest
import sqlglot
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sqlglot import exp
from worlds import plan, world_catalog

from dpproxy.errors import DivisionByZero
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.divisions import null_where_divided_by_zero
from dpproxy.rewrite.question import Parameter

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
    "i / (5 - 5)",
    "b / 0.4::integer",
    "n % (b - b)",
)


def test_a_divisor_of_zero_gives_null_and_types_stay() -> None:
    (binaries, *_) = INSTALLATIONS.values()
    with scratch_postgres(binaries) as server, psycopg.connect(server.conninfo, autocommit=True) as postgres:
        postgres.execute(ZEROS)
        for written in DIVISIONS:
            asked = f"SELECT {written} AS q FROM z"
            tree = sqlglot.parse_one(asked, read="postgres")
            null_where_divided_by_zero(tree, PlanningContext(world_catalog(), Settings(Decimal(1)), (), "postgres"))
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
        ("SELECT sum(age) / -2.5, count(*) / '3' FROM people", 0),
        ("SELECT sum(age / beds) FROM people JOIN departments ON dept = city", 0),
    ],
)
def test_what_may_be_zero_is_guarded_in_the_statement_for_the_front(sql: str, guards: int) -> None:
    post = sqlglot.parse_one(plan(sql, world_catalog()).post.sql, read="postgres")
    assert len(list(post.find_all(exp.Nullif))) == guards


@pytest.mark.parametrize("value", ["0", "-0.00", "0e5"])
@pytest.mark.parametrize("divisor", ["$1", "(-$1)", "$1::numeric", "CAST(-$1 AS integer)"])
def test_a_parameter_that_is_zero_is_told_before_the_charge(divisor: str, value: str) -> None:
    for sql in (
        f"SELECT count(*) / {divisor} FROM people",
        f"SELECT sex FROM people GROUP BY 1 HAVING 7 % {divisor} > 0",
    ):
        with pytest.raises(DivisionByZero) as caught:
            plan(sql, world_catalog(), parameters=(Parameter("numeric", value),))
        assert caught.value.hint == "The value of $1 is 0."
        assert caught.value.position is not None
        assert plan(sql, world_catalog(), parameters=(Parameter("numeric", "2"),)).reads == {0}


@pytest.mark.parametrize(
    ("sql", "guards"),
    [
        ("SELECT count(*) / $1 FROM people", 1),
        ("SELECT CASE WHEN $1 = 0 THEN 1 ELSE count(*) / $1 END FROM people", 1),
        ("SELECT count(*) / ($1 - $1), count(*) / coalesce(1 / $1, 2) FROM people", 3),
        ("SELECT count(*) / NULLIF($1, 0) FROM people", 1),
    ],
)
def test_a_parameter_in_a_branch_or_an_expression_is_no_error(sql: str, guards: int) -> None:
    """Whether the division is made is the front's to know: it gives NULL then."""
    zero = () if "count(*) / $1 FROM" in sql else ("0",)
    for value in (*zero, "NaN", "3"):
        made = plan(sql, world_catalog(), parameters=(Parameter("numeric", value),))
        assert len(list(sqlglot.parse_one(made.post.sql, read="postgres").find_all(exp.Nullif))) == guards
