"""Rows that are the parts of a text are those that Postgres makes of it, up to 32."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import duckdb
import psycopg
import pytest
import sqlglot
from scratch_postgres import INSTALLATIONS, scratch_postgres
from worlds import plan, world_catalog

from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.notes import Shown
from dpproxy.rewrite.reading.text_parts import MOST_PARTS, rows_of_text_parts

TEXTS = (
    "a,b",
    "",
    None,
    ",",
    "a",
    ",a,",
    "a,,b",
    "aba, b",
    "a, b, ",
    "é,ü",
    "aaa",
    "aaaa",
    "a b",
    " ",
    "x" * 300,
    ",,",
)
ASKED = (
    "SELECT i, part FROM texts, unnest(string_to_array(x, ',')) AS part",
    "SELECT i, t.part FROM texts CROSS JOIN LATERAL unnest(string_to_array(texts.x, ', ')) AS t(part)",
    "SELECT i, part FROM texts JOIN LATERAL string_to_table(x, 'aa') AS part ON true",
    "SELECT i, unnest FROM texts, unnest(string_to_array(x, 'é'))",
    "SELECT i, n, part FROM texts, unnest(string_to_array(x, ',')) WITH ORDINALITY AS t(part, n) WHERE n > 1",
    "SELECT i, n + 1 AS n FROM texts CROSS JOIN LATERAL unnest(string_to_array(x, 'a')) WITH ORDINALITY AS t(part, n)",
    "SELECT i, regexp_split_to_table(x, ' ') FROM texts WHERE i > 2",
    "SELECT i, p FROM (SELECT i, unnest(string_to_array(x || ',z', ',')) AS p FROM texts) AS q",
    "SELECT unnest(string_to_array(x, ',')) AS part, count(*) FROM texts GROUP BY part",
    "SELECT count(*), string_to_table(x, ',') FROM texts GROUP BY 2",
    "SELECT DISTINCT unnest(string_to_array(x, ',')) AS x FROM texts",
    "SELECT 'x' || trim(unnest(string_to_array(x, ','))) AS part, count(*) FROM texts GROUP BY 1",
    "SELECT i, replace(unnest(string_to_array(x, ',')), 'a', 'z') FROM texts",
    "SELECT lower(string_to_table(x, ',')), max(i) FROM texts GROUP BY lower(string_to_table(x, ','))",
    "SELECT i, t.part FROM texts, LATERAL (SELECT unnest(string_to_array(x, ',')) AS part) AS t",
    "SELECT i, t.part FROM texts CROSS JOIN LATERAL (SELECT trim(unnest(string_to_array(x, ', '))) AS part) AS t",
    "SELECT regexp_split_to_table(x, ',') AS p, max(i) FROM texts GROUP BY regexp_split_to_table(x, ',')",
)
TABLE = "CREATE TABLE texts (i integer, x text)"


@pytest.fixture(scope="module")
def engines() -> Iterator[tuple[psycopg.Connection[Any], duckdb.DuckDBPyConnection]]:
    (binaries, *_) = INSTALLATIONS.values()
    rows = list(enumerate(TEXTS))
    with (
        scratch_postgres(binaries) as server,
        psycopg.connect(server.conninfo, autocommit=True) as postgres,
        duckdb.connect() as other,
    ):
        postgres.execute(TABLE)
        postgres.cursor().executemany("INSERT INTO texts VALUES (%s, %s)", rows)
        other.execute(TABLE)
        other.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        yield postgres, other


@pytest.mark.parametrize("sql", ASKED)
def test_they_are_those_of_postgres(
    sql: str, engines: tuple[psycopg.Connection[Any], duckdb.DuckDBPyConnection]
) -> None:
    postgres, other = engines
    tree = sqlglot.parse_one(sql, read="postgres")
    assert isinstance(tree, sqlglot.exp.Query)
    made = rows_of_text_parts(tree)
    assert made != tree
    own, ours = (postgres.execute(each.encode()) for each in (sql, made.sql("postgres")))
    assert [each.name for each in own.description or ()] == [each.name for each in ours.description or ()]
    wanted = sorted(own.fetchall(), key=repr)
    assert sorted(ours.fetchall(), key=repr) == wanted
    assert sorted(other.execute(made.sql("duckdb")).fetchall(), key=repr) == wanted


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT part FROM people, unnest(string_to_array(city, ',', 'a')) AS part",
        "SELECT part FROM people, unnest(string_to_array(city, NULL)) AS part",
        "SELECT part FROM people, unnest(string_to_array(city, sex)) AS part",
        "SELECT part FROM people, string_to_table(city, '') AS part",
        "SELECT part FROM people, regexp_split_to_table(city, 'a.b') AS part",
        "SELECT t FROM people, unnest(string_to_array(city, ',')) WITH ORDINALITY AS t",
        "SELECT unnest(string_to_array(city, ',')) AS part FROM people ORDER BY 1 LIMIT 3",
        "SELECT unnest(string_to_array(city, ',')), unnest(string_to_array(sex, ',')) FROM people",
        "SELECT unnest(string_to_array(city, ',')) || unnest(string_to_array(sex, ',')) FROM people",
        "SELECT t.part FROM people p, LATERAL (SELECT unnest(string_to_array(city, ',')) AS part LIMIT 1) AS t",
        "SELECT unnest(string_to_array(city, ',')), count(*) FROM people GROUP BY city",
    ],
)
def test_others_stay_as_they_are_and_are_refused(sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="postgres")
    assert isinstance(tree, sqlglot.exp.Query)
    assert rows_of_text_parts(tree) == tree
    with pytest.raises(FeatureNotSupported) as caught:
        plan(sql, world_catalog())
    assert caught.value.hint


def test_what_is_left_out_is_said(engines: tuple[psycopg.Connection[Any], duckdb.DuckDBPyConnection]) -> None:
    made = plan(
        "SELECT part, count(*) FROM people, unnest(string_to_array(city, ',')) AS part GROUP BY 1", world_catalog()
    )
    assert any(
        isinstance(each, Shown) and f"first {MOST_PARTS} parts" in each for each in made.releases[0].bounded.notes
    )
    assert made.epsilon == Decimal(1)
    tree = sqlglot.parse_one("SELECT p FROM texts, unnest(string_to_array(x, 'x')) AS p", read="postgres")
    assert isinstance(tree, sqlglot.exp.Query)
    rows = engines[1].execute(rows_of_text_parts(tree).sql("duckdb")).fetchall()
    assert len(rows) == MOST_PARTS + len([each for each in TEXTS if each and "x" not in each])
