"""What is asked of the array of a text's parts is what Postgres says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
import pytest
import sqlglot
from complete_engines import COMPLETE
from scratch_postgres import INSTALLATIONS, scratch_postgres
from test_text_parts import TABLE, TEXTS
from worlds import plan, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.reading.text_arrays import text_arrays

VALUES = ("a", "b", "", None, " ", "a,b", "aba", ", ", "><", "x")
ASKED = (
    "SELECT i, 'a' = ANY(string_to_array(x, ',')) FROM texts",
    "SELECT i, '' = ANY(string_to_array(x, ',')) FROM texts",
    "SELECT i, 'b' = ANY(string_to_array(x, ', ')) AS has FROM texts",
    "SELECT i FROM texts WHERE NOT ('a' = ANY(string_to_array(x, ', ')))",
    "SELECT i FROM texts WHERE 'a' <> ALL(string_to_array(x, ','))",
    "SELECT i, v.v, v.v = ANY(string_to_array(x, ',')) FROM texts CROSS JOIN v",
    "SELECT i, v.v, v.v = ANY(string_to_array(lower(x) || 'b', 'a,')) FROM texts CROSS JOIN v",
    "SELECT i, v.v FROM texts JOIN v ON lower(v.v) <> ALL (string_to_array(x, ', '))",
    "SELECT i, array_length(string_to_array(x, ','), 1) FROM texts",
    "SELECT i, array_length(string_to_array(x, ', '), 1) + 1 AS n FROM texts",
    "SELECT i, cardinality(string_to_array(x, ',')), COALESCE(array_length(string_to_array(x, ' '), 1), 0) FROM texts",
    "SELECT i, (string_to_array(x, ','))[1], (string_to_array(x, ','))[2] AS second FROM texts",
)
LEFT = (
    "SELECT count(*) FROM people WHERE 'a' = ANY(string_to_array(city, 'aa'))",
    "SELECT count(*) FROM people WHERE 'a,' = ANY(string_to_array(city, ','))",
    "SELECT count(*) FROM people WHERE 'a' = ANY(string_to_array(city, ',', 'b'))",
    "SELECT count(*) FROM people WHERE 'a' = ANY(string_to_array(city, sex))",
    "SELECT count(*) FROM people WHERE 'a' < ANY(string_to_array(city, ','))",
    "SELECT count(*) FROM people WHERE array_length(string_to_array(city, ','), 2) = 1",
    "SELECT count(*) FROM people WHERE string_to_array(city, ',') IS NULL",
)  # fmt: skip
ANSWERED = (
    "SELECT count(*) FROM people WHERE 'Delft' = ANY(string_to_array(city, ','))",
    "SELECT avg(array_length(string_to_array(city, ', '), 1)) FROM people",
    "SELECT (string_to_array(city, ' '))[1], count(*) FROM people GROUP BY 1",
)


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[psycopg.Connection[Any], duckdb.DuckDBPyConnection]]:
    (binaries, *_) = INSTALLATIONS.values()
    rows, values = list(enumerate((*TEXTS, "a, b,a", "a,ab,", "><a"))), [(value,) for value in VALUES]
    with (
        scratch_postgres(binaries) as server,
        psycopg.connect(server.conninfo, autocommit=True) as postgres,
        duckdb.connect() as other,
    ):
        for each in (TABLE, "CREATE TABLE v (v text)"):
            postgres.execute(each.encode())
            other.execute(each)
        postgres.cursor().executemany("INSERT INTO texts VALUES (%s, %s)", rows)
        postgres.cursor().executemany("INSERT INTO v VALUES (%s)", values)
        other.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        other.executemany("INSERT INTO v VALUES (?)", values)
        yield postgres, other


def changed(sql: str) -> sqlglot.exp.Query:
    tree = sqlglot.parse_one(sql, read="postgres")
    assert isinstance(tree, sqlglot.exp.Query)
    made = text_arrays(tree)
    assert tree == sqlglot.parse_one(sql, read="postgres")
    return made


@pytest.mark.parametrize("sql", ASKED)
def test_it_is_what_postgres_says(sql: str, engines: tuple[psycopg.Connection[Any], duckdb.DuckDBPyConnection]) -> None:
    postgres, other = engines
    made = changed(sql)
    assert made.find(sqlglot.exp.StringToArray) is None
    own, ours = (postgres.execute(each.encode()) for each in (sql, made.sql("postgres")))
    assert [(each.name, each.type_code) for each in own.description or ()] == [
        (each.name, each.type_code) for each in ours.description or ()
    ]
    wanted = sorted(own.fetchall(), key=repr)
    assert sorted(ours.fetchall(), key=repr) == wanted
    assert sorted(other.execute(made.sql("duckdb")).fetchall(), key=repr) == wanted


@pytest.mark.parametrize("sql", LEFT)
def test_others_stay_as_they_are_and_are_refused(sql: str) -> None:
    assert changed(sql) == sqlglot.parse_one(sql, read="postgres")
    with pytest.raises(FeatureNotSupported) as caught:
        plan(sql, world_catalog())
    assert caught.value.hint


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("sql", ANSWERED)
def test_it_is_answered(sql: str, dialect: str) -> None:
    made = plan(sql, world_catalog(), dialect=dialect)
    check_plan(made, world_catalog(), dialect, Accounting.ZCDP)
