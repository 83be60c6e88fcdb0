"""Whatever an analyst groups by, the engine's groups are keys of the answer one by one: no row can make a release fail.

The table holds extremes of every type; an extra column makes each row a unit. Postgres has it too, with what only its
columns hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import psycopg
import pytest
from expression_world import COLUMNS, EXTREMES, ORDINARY, anything, create, engine, rows_of
from hypothesis import HealthCheck, event, given, settings
from lanes import sized
from scratch_postgres import MAJORS, scratch_postgres
from worlds import FIXTURES, READER, opened_room, plan, write_postgres_policy

from dpproxy.catalog.policy import Catalog, Table, TableColumn, Unit
from dpproxy.catalog.types import BIGINT, parse_type
from dpproxy.config import load
from dpproxy.engines import EngineQuery
from dpproxy.errors import DPProxyError
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rows import Rows

UNIT = TableColumn("unit_id", BIGINT)
TABLE = Table(
    "t",
    (UNIT, *COLUMNS),
    "one",
    "unit_id",
    unique=frozenset({("unit_id",)}),
    max_rows_per_unit=100,
    max_groups_per_unit=8,
)
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


# Beyond what DuckDB has: numbers of any length, texts of one, moments with a zone (read as without), uuids.
MORE = (
    TableColumn("free", parse_type("numeric"), nullable=True),
    TableColumn("short", parse_type("varchar(4)"), nullable=True),
    TableColumn("id", parse_type("uuid"), nullable=True),
)
MORE_ODD = ("free", "-free", "free * 2", "round(free, 3)", "free / 3", "free * free * n", "short", "short || v", "id")
_FREE = [
    "'NaN'",
    "1e1000",
    "-1e1000",
    "1e-1000",
    "0",
    "0.10",
    "0.1",
    "12345678901234567890123456789012345678901",
    "NULL",
]
_SHORT, _IDS = ["'ab'", "'ab  '", "''", "NULL"], ["'00000000-0000-0000-0000-000000000000'", "gen_random_uuid()", "NULL"]
# What DuckDB holds and Postgres cannot, and what Postgres has in its place.
_IN_POSTGRES = {
    "chr(0)": "chr(1)",
    "'x' || chr(0) || 'y'": "'x' || chr(1) || 'y'",
    "'5881580-07-10'": "'5874897-12-31'",
    "'5877642-06-25 (BC)'": "'4714-11-24 BC'",
    "'294247-01-10 04:00:54.775806'": "'294276-12-31 23:59:59.999999'",
    "'290309-12-22 (BC) 00:00:00'": "'4714-11-24 00:00:00 BC'",
    "0.05": "'NaN'",
    "0.0000000001": "'NaN'",
}
Run = Callable[[str], Sequence[tuple[Any, ...]]]


@dataclass(frozen=True)
class Place:
    """An engine with the table, and the dialect that it speaks. table: where it is, unless it goes by its name."""

    dialect: str
    run: Run
    table: tuple[str, str] | None = None


@pytest.fixture(scope="module")
def duck() -> Iterator[Place]:
    with engine() as connection:
        connection.execute("CREATE TABLE units AS SELECT row_number() OVER () AS unit_id, * FROM t")
        connection.execute("DROP TABLE t")
        connection.execute("ALTER TABLE units RENAME TO t")
        yield Place("duckdb", lambda sql: connection.execute(sql).fetchall())


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The oldest one here, as the proxy opens it."""
    with scratch_postgres(next(iter(MAJORS.values()))) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute(_script() + READER)
        policy = write_postgres_policy(tmp_path_factory.mktemp("keys"), server, (FIXTURES / "world.toml").read_text())
        with opened_room(load(policy, {})) as room:
            yield Place("postgres", lambda sql: room(EngineQuery(sql)).rows, ("public", "t"))


def _script() -> str:
    values = {name: [_IN_POSTGRES.get(value, value) for value in each] for name, each in EXTREMES.items()}
    more = ", ".join(f"{column.name} {column.type}" for column in MORE)
    rows = ((row[1:-1], at) for at, row in enumerate([*rows_of(values, 90), *rows_of(ORDINARY, 60)]))
    filled = ", ".join(
        f"({row}, {_FREE[at % len(_FREE)]}, {_SHORT[at % len(_SHORT)]}, {_IDS[at % len(_IDS)]})" for row, at in rows
    )
    return (
        f"{create()[:-1]}, {more}); INSERT INTO t VALUES {filled};"
        "ALTER TABLE t ADD COLUMN unit_id bigserial PRIMARY KEY;"
    )


def released(key: str, table: Table, place: Place) -> int | None:
    """How many keys came out of the engine; None where grouping by the expression is refused."""
    catalog = Catalog({"t": replace(table, place=place.table)}, {"one": Unit("one", "t", "unit_id")})
    try:
        made = plan(f"SELECT {key} AS k, count(*) FROM t GROUP BY 1", catalog, dialect=place.dialect)
    except DPProxyError:
        return None
    (point,) = made.releases
    found = place.run(point.bounded.sql)
    release(point, Rows((), tuple(found)), key_space(point.bounded.keys, {}, ()))
    return len(found)


@pytest.mark.parametrize("table", [TABLE, MANY], ids=["one row", "many rows"])
@pytest.mark.parametrize("key", ODD)
def test_odd_keys(key: str, table: Table, duck: Place) -> None:
    assert released(key, table, duck) != 0


@pytest.mark.long
@pytest.mark.parametrize("table", [TABLE, MANY], ids=["one row", "many rows"])
@pytest.mark.parametrize("key", [*ODD, *MORE_ODD])
def test_odd_keys_in_postgres(key: str, table: Table, postgres: Place) -> None:
    assert released(key, replace(table, columns=(*table.columns, *MORE)), postgres) != 0


@pytest.mark.larger
@settings(max_examples=sized(50, 150, 1500), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(key=anything())
def test_generated_keys(key: str, duck: Place) -> None:
    event("refused" if released(key, TABLE, duck) is None else "released")


@pytest.mark.long
@settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(key=anything())
def test_generated_keys_in_postgres(key: str, postgres: Place) -> None:
    event("refused" if released(key, TABLE, postgres) is None else "released")
