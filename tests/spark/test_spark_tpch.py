"""TPC-H as a lake has it, by Spark, here Sail, with a proxy before it: DuckDB's numbers, but for next to no noise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest
from clients.served import serving
from spark_servers import Sail
from tpch.answers import Row, compared, true_answer
from tpch.data import TABLES
from tpch.lake import make_lake, write_lake_policy
from tpch.queries import NEAREST, Query, queries

pytestmark = pytest.mark.long
ANSWERED, PUBLIC = (1, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 17, 19, 20, 21, 22), (2, 11, 16)
ALMOST_NO_NOISE = "-c dp.epsilon=1e13 -c dp.max_rows_per_unit=200 -c dp.max_groups_per_unit=200 -c dp.fresh=on"
NEAR, ALONE = 1e-5, 1


def truth(query: Query, rows: Path) -> list[Row]:
    """By DuckDB, over the same files."""
    with duckdb.connect() as connection:
        for table in TABLES:
            connection.execute(f"CREATE VIEW {table} AS FROM '{rows}/{table}/*.parquet'")
        return true_answer(connection, query)


def right(query: Query, answer: list[Row], truth: list[Row]) -> None:
    """Raises AssertionError where the answer is not the true one. A group of one customer is not told of; public keys
    that no row has say nothing, or are no number."""
    found = compared(query, answer, truth)
    assert [cell for cell in found.cells if not _near(*cell)] == []
    most = max((abs(true) for _, true in found.cells), default=0)
    assert [row for row in found.beyond if row and abs(row[0]) > most * NEAR] == []


def _near(said: float | None, true: float) -> bool:
    return true == ALONE if said is None else math.isclose(said, true, rel_tol=NEAR, abs_tol=NEAR)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_lake(tmp_path_factory.mktemp("lake"), 0.01)


@pytest.fixture(scope="module")
def analyst(rows: Path, sail: Sail, tmp_path_factory: pytest.TempPathFactory) -> Iterator[psycopg.Connection[Any]]:
    policy = write_lake_policy(tmp_path_factory.mktemp("policy") / "policy.toml", rows, sail.url, 1)
    with serving(policy, "tpch") as proxy, proxy.connect("analyst0", options=ALMOST_NO_NOISE) as connection:
        yield connection


@pytest.mark.parametrize("number", (*ANSWERED, *PUBLIC))
def test_answers_are_right(number: int, analyst: psycopg.Connection[Any], rows: Path) -> None:
    query = queries()[number]
    right(query, analyst.execute(query.sql).fetchall(), truth(query, rows))


@pytest.mark.parametrize("number", (3, 10))
def test_nearest_questions_are_right(number: int, analyst: psycopg.Connection[Any], rows: Path) -> None:
    query = NEAREST[number]
    right(query, analyst.execute(query.sql).fetchall(), truth(query, rows))
