"""Rows of two units: Spark, here Sail, has the pairs that DuckDB has, by other numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pytest
from left_of_pairs import numbers_of, opened
from pair_world import TABLES, catalog
from test_pair_neighbours import STATEMENTS, rows_of
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.engines.spark.sessions import Files, Session
from dpproxy.rewrite.checker import check_plan

pytestmark = pytest.mark.long


@pytest.fixture(scope="module", name="duck")
def _duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with filled() as connection:
        yield connection


@contextmanager
def filled() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB's, with a few rows."""
    with opened(TABLES, [rows_of(np.random.default_rng(5))]) as (connection,):
        yield connection


@pytest.fixture(scope="module")
def lake(duck: duckdb.DuckDBPyConnection, session: Session, tmp_path_factory: pytest.TempPathFactory) -> Session:
    return as_views(duck, session, tmp_path_factory.mktemp("pairs"))


def as_views(duck: duckdb.DuckDBPyConnection, session: Session, place: Path) -> Session:
    """The same rows in files, and a session in which each table is a view of its own."""
    found = {}
    for (table,) in duck.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        duck.execute(f"COPY {table} TO '{place}/{table}.parquet' (FORMAT parquet)")
        found[table] = _files(session, place / f"{table}.parquet")
    session.begin(found)
    return session


def _files(session: Session, path: Path) -> Files:
    schema = session.spark.read.parquet(str(path)).schema
    return Files(", ".join(f"`{each.name}` {each.dataType.simpleString()}" for each in schema), (str(path),), None)


@pytest.mark.parametrize("name", STATEMENTS)
def test_pairs_are_those_of_duckdb(name: str, duck: duckdb.DuckDBPyConnection, lake: Session) -> None:
    are_those_of_duckdb(name, duck, lake)


def are_those_of_duckdb(name: str, duck: duckdb.DuckDBPyConnection, lake: Session) -> None:
    """Raises AssertionError where the session has other pairs, or the checker does not let a plan pass."""
    made, own = plan(STATEMENTS[name], catalog(), dialect="spark"), plan(STATEMENTS[name], catalog())
    check_plan(made, catalog(), "spark", Accounting.ZCDP)
    for there, here in zip(made.releases, own.releases, strict=True):
        found, expected = lake.query(there.bounded.sql).rows, duck.execute(here.bounded.sql).fetchall()
        assert numbers_of(there.bounded, list(found)) == numbers_of(here.bounded, expected)


def test_keys_of_units_have_numbers(session: Session) -> None:
    """The same for the same key, and others for others; none for none raises."""
    keys = ("1", "2", "'a'", "''", "'☃'", "9223372036854775807", "DATE '2020-01-01'", "CAST(NULL AS STRING)")
    found = [session.query(f"SELECT XXHASH64(CAST({key} AS STRING)) AS n").rows[0][0] for key in (*keys, "'a'")]
    assert len(set(found)) == len(keys) and found[2] == found[-1]
    assert all(isinstance(each, int) and -(2**63) <= each < 2**63 for each in found)
