"""A list of aggregates by LATERAL has the rows that UNION ALL of them has, in Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import sqlglot
from scratch_postgres import INSTALLATIONS, scratch_postgres

from dpproxy.rewrite.reading.lateral_unions import rows_of_aggregates
from dpproxy.rewrite.reading.lateral_values import rows_of_columns

TABLES = """
CREATE TABLE p (i integer, a integer);
CREATE TABLE v (i integer, c numeric);
INSERT INTO p VALUES (1, 5), (2, 7), (3, NULL);
INSERT INTO v VALUES (1, 2.5), (1, 3), (2, 4), (9, 1)
"""
COUNT = "SELECT 'n' AS kind, count(*) AS x FROM v WHERE v.i = p.i"
SUM = "SELECT 'sum', sum(c) FROM v WHERE v.i = p.i"
ASKED = (
    f"SELECT p.i, t.kind, t.x FROM p, LATERAL ({COUNT} UNION ALL {SUM}) AS t",
    f"SELECT p.i, t.k, t.x FROM p CROSS JOIN LATERAL ({COUNT} UNION ALL {SUM}) AS t(k)",
    f"SELECT t.kind, sum(t.x) FROM p LEFT JOIN LATERAL ({COUNT} UNION ALL {SUM}) AS t ON true GROUP BY 1",
    f"SELECT count(*) FROM p, LATERAL ({COUNT} UNION ALL {SUM} UNION ALL {SUM}) AS t WHERE x > 2",
    f"SELECT s.x, t.x FROM p, LATERAL ({COUNT} UNION ALL {SUM}) AS s, LATERAL ({SUM} UNION ALL {COUNT}) AS t(y, x)",
    "SELECT t.m FROM p, LATERAL (SELECT max(c) AS m, 1 AS k FROM v WHERE c < a UNION ALL SELECT min(c), 2 FROM v) t",
)
OTHERS = (
    f"SELECT t.x FROM p, LATERAL ({COUNT} UNION {SUM}) AS t",
    f"SELECT t.x FROM p, LATERAL ({COUNT} UNION ALL {SUM} LIMIT 1) AS t",
    f"SELECT t.x FROM p, LATERAL ({COUNT} UNION ALL {SUM} GROUP BY c) AS t",
    f"SELECT t.x FROM p, LATERAL ({COUNT} UNION ALL SELECT 'c', c FROM v) AS t",
    f"SELECT * FROM p, LATERAL ({COUNT} UNION ALL {SUM}) AS t",
    "SELECT t.x FROM p, LATERAL (SELECT count(*) AS x, v.i FROM v UNION ALL SELECT 1, 2) AS t",
)


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[Any]]:
    (binaries, *_) = INSTALLATIONS.values()
    with scratch_postgres(binaries) as server, psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute(TABLES)
        yield connection


@pytest.mark.parametrize("sql", ASKED)
def test_both_have_the_same_rows(sql: str, postgres: psycopg.Connection[Any]) -> None:
    tree = sqlglot.parse_one(sql, read="postgres")
    assert isinstance(tree, sqlglot.exp.Query)
    made = rows_of_columns(rows_of_aggregates(tree))
    assert "UNION" not in made.sql()
    own, ours = (postgres.execute(each.encode()) for each in (sql, made.sql("postgres")))
    named = ([(each.name, each.type_code) for each in cursor.description or ()] for cursor in (own, ours))
    assert next(named) == next(named)
    assert sorted(own.fetchall(), key=repr) == sorted(ours.fetchall(), key=repr)


@pytest.mark.parametrize("sql", OTHERS)
def test_others_stay_as_they_are(sql: str) -> None:
    tree = sqlglot.parse_one(sql, read="postgres")
    assert isinstance(tree, sqlglot.exp.Query)
    assert rows_of_aggregates(tree) is tree
