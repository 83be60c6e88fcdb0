"""Whatever an analyst groups by, the engine's groups are keys of the answer one by one: no row can make a release fail.

The table holds extremes of every type; an extra column makes each row a unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
from expression_world import COLUMNS, anything, engine
from hypothesis import HealthCheck, event, given, settings
from worlds import plan

from dpproxy.catalog.model import Catalog, Column, Table, Unit
from dpproxy.catalog.types import BIGINT
from dpproxy.errors import DPProxyError
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rows import Rows

UNIT = Column("unit_id", BIGINT)
TABLE = Table("t", (UNIT, *COLUMNS), "one", "unit_id", unique=frozenset({("unit_id",)}))
MANY = replace(TABLE, unique=frozenset())
ODD = (
    "i8 * i8 * i8",
    "i8 * i8 * i8 / 7",
    "-(i8 * i8 * i8)",
    "abs(i8 * i8 * i8)",
    "coalesce(i8 * i8 * i8, 0)",
    "i4 * i4",
    "n / 3",
    "round(n / 3, 2)",
    "CASE WHEN i4 > 0 THEN 0.1 ELSE CAST(0.1 AS real) END",
    "coalesce(r, 0.1)",
    "greatest(r, 0.1)",
    "CAST(x AS real)",
    "x",
    "y * 0",
    "r",
    "huge",
    "wide * 2",
    "date_trunc('month', d)",
    "d + 1",
    "upper(v)",
    "CASE WHEN i2 IN (1, 2.5) THEN -i2 ELSE 1 END",
    "CASE WHEN d IN (TIMESTAMP '2020-01-01 12:00:00', '2020-02-29') THEN d END",
)


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with engine() as connection:
        connection.execute("CREATE TABLE units AS SELECT row_number() OVER () AS unit_id, * FROM t")
        connection.execute("DROP TABLE t")
        connection.execute("ALTER TABLE units RENAME TO t")
        yield connection


def released(key: str, table: Table, duck: duckdb.DuckDBPyConnection) -> int | None:
    """How many keys came out of the engine; None where grouping by the expression is refused."""
    catalog = Catalog({"t": table}, {"one": Unit("one", "t", "unit_id")})
    try:
        made = plan(f"SELECT {key} AS k, count(*) FROM t GROUP BY 1", catalog)
    except DPProxyError:
        return None
    (point,) = made.releases
    found = duck.execute(point.bounded.sql).fetchall()
    release(point, Rows((), tuple(found)), key_space(point.bounded.keys, {}, ()))
    return len(found)


@pytest.mark.parametrize("table", [TABLE, MANY], ids=["one row", "many rows"])
@pytest.mark.parametrize("key", ODD)
def test_odd_keys(key: str, table: Table, duck: duckdb.DuckDBPyConnection) -> None:
    assert released(key, table, duck) != 0


@settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(key=anything())
def test_generated_keys(key: str, duck: duckdb.DuckDBPyConnection) -> None:
    event("refused" if released(key, TABLE, duck) is None else "released")
