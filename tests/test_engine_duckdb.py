"""The DuckDB engine: what it refuses, what it tells of its tables, and that no request outlives its end."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import pytest
import pytest_asyncio

from dpproxy.engines import Engine, EngineColumn, Ticket
from dpproxy.engines.duckdb import DuckDBEngine
from dpproxy.errors import ConfigFault, EngineFailure, QueryCanceled

WORLD = """
CREATE SCHEMA sales;
CREATE TABLE people (id BIGINT PRIMARY KEY, city VARCHAR, code VARCHAR UNIQUE NOT NULL, nick VARCHAR UNIQUE);
INSERT INTO people VALUES (1, 'Bern', 'a', NULL), (2, 'Bern', 'b', NULL), (3, NULL, 'c', 'x');
CREATE TABLE sales."odd ""one"" here" (a INTEGER, b INTEGER, c INTEGER);
INSERT INTO sales."odd ""one"" here" VALUES (1, 1, 1), (1, 2, 2), (2, 1, NULL);
CREATE VIEW looks AS SELECT * FROM people;
CREATE TABLE kinds (
  a TINYINT, b UTINYINT, c SMALLINT, d USMALLINT, e INTEGER, f UINTEGER, g BIGINT, h UBIGINT, i HUGEINT, j UHUGEINT,
  k FLOAT, l DOUBLE, m DECIMAL(15,2), n VARCHAR, o BOOLEAN, p DATE, q TIMESTAMP, r TIMESTAMPTZ, s UUID, t BLOB,
  u INTEGER[], v ENUM('x', 'y'), w TIMESTAMP_NS, x VARCHAR COLLATE nocase, y INTEGER AS (e + 1), z VARCHAR NOT NULL);
"""

# Far longer than any test: nothing but an interrupt ends it.
ENDLESS = "SELECT count(*) FROM range(1000000000000000) AS n(i) WHERE hash(i) % 7 = 3"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "world.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(WORLD)
    return path


@pytest_asyncio.fixture
async def engine(file: Path) -> AsyncIterator[DuckDBEngine]:
    opened = DuckDBEngine.open(file, max_concurrency=2)
    yield opened
    await opened.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("duckdb")]


async def started(engine: DuckDBEngine, count: int = 1) -> None:
    while len(engine._running) < count:
        await asyncio.sleep(0.001)


async def ended(engine: DuckDBEngine) -> None:
    while engine._running:
        await asyncio.sleep(0.001)


async def test_it_is_an_engine(engine: DuckDBEngine) -> None:
    as_engine: Engine = engine
    assert as_engine.dialect == "duckdb"


async def test_values_and_types(engine: DuckDBEngine) -> None:
    (rows,) = await engine.run(
        (
            "SELECT 170141183460469231731687303715884105727::HUGEINT AS a, 1.50::DECIMAL(15,2) AS b, "
            "DATE '2020-02-29' AS c, TIMESTAMP '2020-01-01 12:00:00' AS d, "
            "'a8664811-fe33-49b4-b142-f97c08c44c69'::UUID AS e, 'ü' AS f, TRUE AS g, "
            "0.5::DOUBLE AS h, NULL::BIGINT AS i",
        ),
        Ticket(),
    )
    assert rows.rows == (
        (
            170141183460469231731687303715884105727,
            Decimal("1.50"),
            date(2020, 2, 29),
            datetime(2020, 1, 1, 12),
            UUID("a8664811-fe33-49b4-b142-f97c08c44c69"),
            "ü",
            True,
            0.5,
            None,
        ),
    )
    assert [(column.name, column.type) for column in rows.columns] == [
        ("a", "numeric"),
        ("b", "numeric(15,2)"),
        ("c", "date"),
        ("d", "timestamp without time zone"),
        ("e", "uuid"),
        ("f", "text"),
        ("g", "boolean"),
        ("h", "double precision"),
        ("i", "bigint"),
    ]


async def test_statements_in_order(engine: DuckDBEngine) -> None:
    results = await engine.run(("SELECT 1", "SELECT count(*) FROM people", "SELECT 1 WHERE FALSE"), Ticket())
    assert [result.rows for result in results] == [((1,),), ((3,),), ()]


async def test_schema(engine: DuckDBEngine) -> None:
    schema = await engine.schema()
    assert set(schema.tables) == {"people", "kinds", 'sales.odd "one" here'}
    assert schema.views == {"looks"}
    assert schema.tables["people"].columns == (
        EngineColumn("id", "bigint", False),
        EngineColumn("city", "text", True),
        EngineColumn("code", "text", False),
        EngineColumn("nick", "text", True),
    )
    assert schema.tables["people"].unique == {("id",), ("code",)}
    assert [column.type for column in schema.tables["kinds"].columns] == [
        "TINYINT",
        "UTINYINT",
        "smallint",
        "USMALLINT",
        "integer",
        "UINTEGER",
        "bigint",
        "UBIGINT",
        "numeric",
        "UHUGEINT",
        "real",
        "double precision",
        "numeric(15,2)",
        "text",
        "boolean",
        "date",
        "timestamp without time zone",
        "timestamp with time zone",
        "uuid",
        "bytea",
        "INTEGER[]",
        "ENUM('x', 'y')",
        "TIMESTAMP_NS",
        "VARCHAR with a collation",
        "a generated INTEGER",
        "text",
    ]


@pytest.mark.parametrize(
    ("table", "columns", "expected"),
    [
        ("people", ("id",), True),
        ("people", ("code",), True),
        ("people", ("city",), False),
        ("people", ("nick",), False),
        ('sales.odd "one" here', ("a", "b"), True),
        ('sales.odd "one" here', ("a",), False),
        ('sales.odd "one" here', ("c",), False),
        ("kinds", ("n",), True),
    ],
)
async def test_unique(engine: DuckDBEngine, table: str, columns: tuple[str, ...], expected: bool) -> None:
    assert await engine.unique(table, columns) is expected


async def test_read(engine: DuckDBEngine) -> None:
    rows = await engine.read("people", ("code", "id"), 10, Ticket())
    assert sorted(rows.rows) == [("a", 1), ("b", 2), ("c", 3)]
    assert len((await engine.read("people", ("id",), 2, Ticket())).rows) == 2


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT content FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM WORLD",  # no variable of this process is a table
        "SELECT getenv('HOME')",
        "INSERT INTO people VALUES (4, '', 'd', NULL)",
        "CREATE TEMP TABLE t AS SELECT 1",
        "COPY people TO '/tmp/never.csv'",
        "ATTACH '/tmp/never.duckdb'",
        "SET threads = 1",
        "SET enable_external_access = true",
        "PRAGMA database_list",
        "COMMIT",
        "EXPLAIN SELECT 1",
        "SELECT 1; SELECT 2",
        "",
        "SELEC 1",
        "SELECT error('a row')",
    ],
)
async def test_everything_else_is_one_failure(engine: DuckDBEngine, text: str) -> None:
    with pytest.raises(EngineFailure) as caught:
        await engine.run((text,), Ticket())
    assert caught.value.message == EngineFailure.TEXT
    assert caught.value.__cause__ is not None


async def test_the_engine_survives_a_failure(engine: DuckDBEngine) -> None:
    for _ in range(5):
        with pytest.raises(EngineFailure):
            await engine.run(("SELECT 1", "SELECT error('x')"), Ticket())
    assert (await engine.run(("SELECT 1",), Ticket()))[0].rows == ((1,),)


async def test_time_is_utc_and_division_does_not_raise(engine: DuckDBEngine) -> None:
    (rows,) = await engine.run(("SELECT current_setting('TimeZone'), 1e0 / 0",), Ticket())
    assert rows.rows == (("UTC", float("inf")),)


async def test_timeout(file: Path) -> None:
    engine = DuckDBEngine.open(file, statement_timeout=0.05)
    with pytest.raises(EngineFailure) as caught:
        await engine.run((ENDLESS,), Ticket())
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert not engine._running
    assert (await engine.run(("SELECT 1",), Ticket()))[0].rows == ((1,),)
    await engine.close()


async def test_cancel_while_running(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    running = asyncio.create_task(engine.run((ENDLESS,), ticket))
    await started(engine)
    await asyncio.sleep(0.05)
    ticket.cancel()
    ticket.cancel()
    with pytest.raises(QueryCanceled, match="canceling statement due to user request"):
        await running
    assert not engine._running


async def test_cancel_before_the_start(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(QueryCanceled):
        await engine.run((ENDLESS,), ticket)


async def test_cancel_racing_with_the_start(engine: DuckDBEngine) -> None:
    for turns in range(60):
        ticket = Ticket()
        running = asyncio.create_task(engine.run((ENDLESS,), ticket))
        for _ in range(turns % 6):
            await asyncio.sleep(0)
        ticket.cancel()
        with pytest.raises(QueryCanceled):
            await running
    assert not engine._running


async def test_cancel_while_waiting_for_a_slot(engine: DuckDBEngine) -> None:
    busy = [Ticket(), Ticket()]
    tasks = [asyncio.create_task(engine.run((ENDLESS,), ticket)) for ticket in busy]
    await started(engine, 2)
    waiting = Ticket()
    third = asyncio.create_task(engine.run(("SELECT 1",), waiting))
    await asyncio.sleep(0.02)
    assert len(engine._running) == 2
    waiting.cancel()
    with pytest.raises(QueryCanceled):
        await third
    for ticket in busy:
        ticket.cancel()
    assert all(isinstance(end, QueryCanceled) for end in await asyncio.gather(*tasks, return_exceptions=True))


async def test_cancel_after_the_end_is_nothing(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    await engine.run(("SELECT 1",), ticket)
    ticket.cancel()
    assert (await engine.run(("SELECT 1",), Ticket()))[0].rows == ((1,),)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_canceled_task_leaves_no_thread(engine: DuckDBEngine, times: int) -> None:
    task = asyncio.create_task(engine.run((ENDLESS,), Ticket()))
    await started(engine)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await ended(engine)
    assert (await engine.run(("SELECT 1",), Ticket()))[0].rows == ((1,),)


async def test_a_canceled_task_is_not_a_canceled_ticket(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    task = asyncio.create_task(engine.run((ENDLESS,), ticket))
    await started(engine)
    ticket.cancel()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await ended(engine)


async def test_close_ends_what_runs(file: Path) -> None:
    engine = DuckDBEngine.open(file)
    task = asyncio.create_task(engine.run((ENDLESS,), Ticket()))
    await started(engine)
    await engine.close()
    with pytest.raises(EngineFailure):
        await task
    with pytest.raises(EngineFailure):
        await engine.run(("SELECT 1",), Ticket())


async def test_the_file_is_held(engine: DuckDBEngine, file: Path) -> None:
    script = f"import duckdb; duckdb.connect({str(file)!r})"
    writer = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stderr=asyncio.subprocess.PIPE)
    _, stderr = await writer.communicate()
    assert writer.returncode != 0
    assert b"lock" in stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="cannot be opened"):
        DuckDBEngine.open(tmp_path / "none.duckdb")
    assert not (tmp_path / "none.duckdb").exists()


def test_a_file_named_like_its_schema(tmp_path: Path) -> None:
    path = tmp_path / "sales.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE SCHEMA sales")
    with pytest.raises(ConfigFault) as caught:
        DuckDBEngine.open(path)
    assert "rename the file" in (caught.value.detail or "")
