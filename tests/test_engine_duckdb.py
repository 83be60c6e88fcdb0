"""The DuckDB engine: what it refuses, what it tells of its tables, and that no request outlives its end."""

from __future__ import annotations

import asyncio
import shutil
import sys
import threading
import time
from collections.abc import AsyncIterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import UUID

import duckdb
import pytest
import pytest_asyncio

from dpproxy.engines import Engine, EngineColumn, EngineQuery, Ticket, Work, in_turn
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.duckdb.opening import OpenedDatabase
from dpproxy.engines.duckdb.parsed_texts import MOST_CHARACTERS, MOST_TEXTS
from dpproxy.errors import ConfigFault, EngineFailure, FeatureNotSupported, QueryCanceled, StatementTimeout
from dpproxy.mechanisms.noise import add_noise, laplace
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.rows import Rows, Value

WORLD = """
CREATE SCHEMA sales;
CREATE TABLE people (id BIGINT PRIMARY KEY, city VARCHAR, code VARCHAR UNIQUE NOT NULL, nick VARCHAR UNIQUE);
INSERT INTO people VALUES (1, 'Bern', 'a', NULL), (2, 'Bern', 'b', NULL), (3, NULL, 'c', 'x');
CREATE TABLE sales."odd ""one"" here" (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (a, b));
INSERT INTO sales."odd ""one"" here" VALUES (1, 1, 1), (1, 2, 2), (2, 1, NULL);
CREATE VIEW looks AS SELECT * FROM people;
CREATE TABLE kinds (
  a TINYINT, b UTINYINT, c SMALLINT, d USMALLINT, e INTEGER, f UINTEGER, g BIGINT, h UBIGINT, i HUGEINT, j UHUGEINT,
  k FLOAT, l DOUBLE, m DECIMAL(15,2), n VARCHAR, o BOOLEAN, p DATE, q TIMESTAMP, r TIMESTAMPTZ, s UUID, t BLOB,
  u INTEGER[], v ENUM('x', 'y'), w TIMESTAMP_NS, x VARCHAR COLLATE nocase, y INTEGER AS (e + 1), z VARCHAR NOT NULL);
"""

# Far longer than any test: nothing but an interrupt ends it.
ENDLESS = "SELECT count(*) FROM range(1000000000000000) AS n(i) WHERE hash(i) % 7 = 3"


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "world.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(WORLD)
    return path


@pytest.fixture
def file(made_once: Path, tmp_path: Path) -> Path:
    return shutil.copy(made_once, tmp_path / "world.duckdb")


@pytest_asyncio.fixture
async def engine(file: Path) -> AsyncIterator[DuckDBEngine]:
    opened = DuckDBEngine.open(file, max_concurrency=2)
    yield opened
    await opened.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("duckdb")]


async def run(engine: DuckDBEngine, *texts: str, ticket: Ticket | None = None) -> tuple[Rows, ...]:
    return await engine.run(in_turn(*map(EngineQuery, texts)), ticket or Ticket())


async def started(engine: DuckDBEngine, count: int = 1) -> None:
    while len(engine._running) < count:
        await asyncio.sleep(0.001)


async def stopped(engine: DuckDBEngine) -> None:
    while not all(thread.stopped for thread in engine._running.values()):
        await asyncio.sleep(0.001)


async def ended(engine: DuckDBEngine) -> None:
    while engine._running:
        await asyncio.sleep(0.001)


async def test_it_is_an_engine(engine: DuckDBEngine) -> None:
    as_engine: Engine = engine
    assert as_engine.dialect == "duckdb"


async def test_values_and_types(engine: DuckDBEngine) -> None:
    (rows,) = await run(
        engine,
        "SELECT 170141183460469231731687303715884105727::HUGEINT AS a, 1.50::DECIMAL(15,2) AS b, "
        "DATE '2020-02-29' AS c, TIMESTAMP '2020-01-01 12:00:00' AS d, "
        "'a8664811-fe33-49b4-b142-f97c08c44c69'::UUID AS e, 'ü' AS f, TRUE AS g, "
        "0.5::DOUBLE AS h, NULL::BIGINT AS i",
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
    results = await run(engine, "SELECT 1", "SELECT count(*) FROM people", "SELECT 1 WHERE FALSE")
    assert [result.rows for result in results] == [((1,),), ((3,),), ()]


INF = float("inf")


@pytest.mark.parametrize(
    ("cast", "values"),
    [
        ("BIGINT", (1, None, 2**63 - 1, -(2**63), 0)),
        ("SMALLINT", (-32768, 32767)),
        ("DOUBLE", (0.1, None, INF, -INF, 1.7976931348623157e308, 5e-324, -2.5)),
        ("FLOAT", (0.10000000149011612, 3.4028234663852886e38)),
        ("DECIMAL(15,2)", (Decimal("1.50"), None, Decimal("9999999999999.99"), Decimal("-1E+2"), Decimal(0))),
        ("DECIMAL(38,16)", (Decimal("9999999999999999999999.9999999999999999"),)),
        ("VARCHAR", ("a", "", None, "NULL", "é\U0001f600", "a\x00b", "[1, 2]", "'\"\\$r0c0", " x ", "1")),
        ("BOOLEAN", (True, None, False)),
        ("DATE", (date(1, 1, 1), None, date(2020, 2, 29), date(9999, 12, 31))),
        ("TIMESTAMP", (datetime(1, 1, 1), None, datetime(2020, 2, 29, 1, 2, 3, 4), datetime.max)),
        ("UUID", (UUID(int=1), None, UUID(int=2**128 - 1))),
    ],
)
async def test_inputs_come_as_they_are(engine: DuckDBEngine, cast: str, values: tuple[Value, ...]) -> None:
    """Each as an array beside the others, also where there is no element, or no other than NULL."""
    text = f"SELECT UNNEST(CAST($r0c0 AS {cast}[])) AS c0, UNNEST(CAST($r1c10 AS {cast}[])) AS c1"
    for array in (values, (None, None), ()):
        query = EngineQuery(text, {"r0c0": array, "r1c10": array[::-1]})
        (rows,) = await engine.run(in_turn(query), Ticket())
        assert rows.rows == tuple(zip(array, array[::-1], strict=True))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1E+400", INF),
        ("-1E+400", -INF),
        ("1E-400", 0.0),
        ("Infinity", INF),
        ("-Infinity", -INF),
        ("1" * 200 + "." + "1" * 200, float("1" * 200)),
        ("0.1", 0.1),
    ],
)
async def test_any_numeric_is_a_double(engine: DuckDBEngine, value: str, expected: float) -> None:
    query = EngineQuery("SELECT UNNEST(CAST($r0c0 AS DOUBLE[]))", {"r0c0": (Decimal(value), Decimal("NaN"))})
    ((found,), (nan,)) = (await engine.run(in_turn(query), Ticket()))[0].rows
    assert found == expected
    assert nan != nan


@pytest.mark.parametrize(
    "query",
    [
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS BIGINT[]))"),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS BIGINT[]))", {"r0c1": (1,)}),
        EngineQuery("SELECT 1", {"r0c0": (1,)}),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS BIGINT[]))", {"r0c0": ("x",)}),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS SMALLINT[]))", {"r0c0": (2**15,)}),
    ],
    ids=repr,
)
async def test_inputs_that_do_not_fit_are_one_failure(engine: DuckDBEngine, query: EngineQuery) -> None:
    with pytest.raises(EngineFailure) as caught:
        await engine.run(in_turn(query), Ticket())
    assert caught.value.message == EngineFailure.TEXT


async def test_a_query_reads_what_was_made_of_the_one_before(engine: DuckDBEngine) -> None:
    def work() -> Work[tuple[Rows, Rows]]:
        cities = yield EngineQuery("SELECT DISTINCT city FROM people WHERE city IS NOT NULL")
        made = tuple(f"{city}" for (city,) in cities.rows)
        found = yield EngineQuery(
            "SELECT c0, count(p.id) FROM (SELECT UNNEST(CAST($r0c0 AS VARCHAR[])) AS c0) AS s"
            " LEFT JOIN people AS p ON p.city = s.c0 GROUP BY c0",
            {"r0c0": (*made, "Genf")},
        )
        return cities, found

    cities, found = await engine.run(work(), Ticket())
    assert cities.rows == (("Bern",),)
    assert sorted(found.rows) == [("Bern", 2), ("Genf", 0)]


async def test_a_request_is_one_transaction_and_no_two_are_the_same(engine: DuckDBEngine) -> None:
    text = "SELECT txid_current(), epoch_us(now())"
    one, other = await run(engine, text, "SELECT count(*) FROM people", text), await run(engine, text)
    assert one[0].rows == one[2].rows != other[0].rows


async def test_a_request_sees_one_moment_whatever_is_written_meanwhile(tmp_path: Path) -> None:
    """No product: files are held read-only. The engine's own order of statements, over a connection that writes."""
    connection = duckdb.connect(str(tmp_path / "written.duckdb"))
    connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    engine = DuckDBEngine(OpenedDatabase(connection), 2, 60.0)
    count = EngineQuery("SELECT count(*) FROM t")

    def work() -> Work[tuple[Rows, Rows]]:
        before = yield count
        connection.cursor().execute("INSERT INTO t VALUES (2)")
        return before, (yield count)

    before, after = await engine.run(work(), Ticket())
    assert before.rows == after.rows == ((1,),)
    assert (await engine.run(in_turn(count), Ticket()))[0].rows == ((2,),)
    await engine.close()


async def test_schema(engine: DuckDBEngine) -> None:
    schema = await engine.schema()
    assert set(schema.tables) == {"people", "kinds", 'sales.odd "one" here'}
    assert schema.views == {"looks": "a view"}
    assert schema.tables["people"].columns == (
        EngineColumn("id", "bigint", False),
        EngineColumn("city", "text", True),
        EngineColumn("code", "text", False),
        EngineColumn("nick", "text", True),
    )
    assert schema.tables["people"].unique == {("id",), ("code",)}
    assert [column.type for column in schema.tables["kinds"].columns] == [
        "smallint",
        "smallint",
        "smallint",
        "integer",
        "integer",
        "bigint",
        "bigint",
        "numeric(20,0)",
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
        "integer[]",
        "text",
        "timestamp without time zone",
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
        ("people", ("code", "city"), False),
        ("people", ("id", "code"), True),
        ("kinds", ("n",), False),
    ],
)
async def test_unique(engine: DuckDBEngine, table: str, columns: tuple[str, ...], expected: bool) -> None:
    """By a constraint, whatever the rows are: a table without any has no key either."""
    assert (await engine.schema()).tables[table].enforces(columns) is expected


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
        await run(engine, text)
    assert caught.value.message == EngineFailure.TEXT
    assert caught.value.__cause__ is not None


async def test_the_engine_survives_a_failure(engine: DuckDBEngine) -> None:
    for _ in range(5):
        with pytest.raises(EngineFailure):
            await run(engine, "SELECT 1", "SELECT error('x')")
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_time_is_utc_and_division_does_not_raise(engine: DuckDBEngine) -> None:
    (rows,) = await run(engine, "SELECT current_setting('TimeZone'), 1e0 / 0")
    assert rows.rows == (("UTC", float("inf")),)


async def test_timeout(file: Path) -> None:
    engine = DuckDBEngine.open(file, statement_timeout=0.05)
    with pytest.raises(StatementTimeout):
        await run(engine, ENDLESS)
    assert not engine._running
    engine._timeout = 60.0
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)
    await engine.close()


async def test_a_deadline_of_its_own(engine: DuckDBEngine) -> None:
    """A statement may have less time than others, or none at all; what fails within it is no matter of time."""
    for seconds in (0.05, 0.0, -1.0):
        with pytest.raises(StatementTimeout):
            await engine.run(in_turn(EngineQuery(ENDLESS)), Ticket(), seconds)
    with pytest.raises(EngineFailure):
        await engine.run(in_turn(EngineQuery("SELECT error('now')")), Ticket(), 30.0)
    assert engine.per_operation > 0
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_whole_numbers_come_as_arrays(engine: DuckDBEngine) -> None:
    text = "SELECT i, CAST(i AS HUGEINT) * 2 AS twice FROM range(200000) AS r(i)"
    (every,) = await engine.run(in_turn(EngineQuery(text, numbers=True)), Ticket())
    assert every.numbers is not None and every.numbers.shape == (2, 200_000) and every.rows == ()
    with pytest.raises(EngineFailure):
        await engine.run(in_turn(EngineQuery("SELECT CAST(NULL AS BIGINT) AS i", numbers=True)), Ticket())


async def test_cancel_while_running(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    running = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
    await started(engine)
    await asyncio.sleep(0.05)
    ticket.cancel()
    ticket.cancel()
    with pytest.raises(QueryCanceled, match="canceling statement due to user request"):
        await running
    assert not engine._running


def between(reached: threading.Event, go_on: threading.Event, then: str) -> Work[Rows]:
    """Comes to `reached` after a first query, and only then on to another."""
    yield EngineQuery("SELECT 1")
    reached.set()
    assert go_on.wait(60)
    return (yield EngineQuery(then))


async def test_what_is_done_between_queries_does_not_hold_up_the_loop(engine: DuckDBEngine) -> None:
    reached, go_on = threading.Event(), threading.Event()
    running = asyncio.create_task(engine.run(between(reached, go_on, "SELECT 2"), Ticket()))
    await asyncio.to_thread(reached.wait, 60)
    assert (await run(engine, "SELECT 3"))[0].rows == ((3,),)
    assert not running.done()
    go_on.set()
    assert (await running).rows == ((2,),)


@pytest.mark.parametrize("then", [ENDLESS, "SELECT error('never begun')"], ids=["endless", "failing"])
async def test_cancel_between_queries(engine: DuckDBEngine, then: str) -> None:
    reached, go_on, ticket = threading.Event(), threading.Event(), Ticket()
    running = asyncio.create_task(engine.run(between(reached, go_on, then), ticket))
    await asyncio.to_thread(reached.wait, 60)
    ticket.cancel()
    await stopped(engine)
    assert not running.done()
    go_on.set()
    with pytest.raises(QueryCanceled):
        await running
    assert not engine._running
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_a_task_canceled_between_queries_starts_no_other(engine: DuckDBEngine) -> None:
    reached, go_on, begun = threading.Event(), threading.Event(), threading.Event()

    def work() -> Work[None]:
        yield from between(reached, go_on, "SELECT 2")
        begun.set()

    task = asyncio.create_task(engine.run(work(), Ticket()))
    await asyncio.to_thread(reached.wait, 60)
    task.cancel()
    await stopped(engine)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await ended(engine)
    assert not begun.is_set()


async def test_the_time_allowed_is_for_all_queries_of_a_request(file: Path) -> None:
    """Each is far below it, and they never end."""

    def work() -> Work[None]:
        while True:
            time.sleep(0.001)
            yield EngineQuery("SELECT 1")

    engine = DuckDBEngine.open(file, statement_timeout=0.1)
    with pytest.raises(StatementTimeout):
        await engine.run(work(), Ticket())
    assert not engine._running
    await engine.close()


async def test_timeout_in_a_later_query(file: Path) -> None:
    engine = DuckDBEngine.open(file, statement_timeout=0.1)
    with pytest.raises(StatementTimeout):
        await run(engine, "SELECT 1", ENDLESS, "SELECT error('never begun')")
    engine._timeout = 60.0
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)
    await engine.close()


async def test_what_the_work_raises(engine: DuckDBEngine) -> None:
    """Its own errors for a person come out; anything else is told like the database's."""

    def work(fault: Exception) -> Work[None]:
        yield EngineQuery("SELECT 1")
        raise fault

    with pytest.raises(FeatureNotSupported, match="too many"):
        await engine.run(work(FeatureNotSupported("too many")), Ticket())
    for fault in (ValueError("a row"), KeyError("a row"), StopIteration("a row"), TimeoutError("a row")):
        with pytest.raises(EngineFailure) as caught:
            await engine.run(work(fault), Ticket())
        assert caught.value.message == EngineFailure.TEXT
        assert caught.value.__cause__ is not None
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_a_cursor_is_kept_where_nothing_is_left_on_it(engine: DuckDBEngine) -> None:
    """One after the other has the same; what failed, ran out of time or was cancelled leaves none behind."""
    await run(engine, "SELECT 1")
    (kept,) = engine._idle
    for _ in range(3):
        await run(engine, "SELECT 1")
        assert engine._idle == [kept]
    with pytest.raises(EngineFailure):
        await run(engine, "SELECT 1", "SELECT error('now')")
    assert engine._idle == []
    with pytest.raises(StatementTimeout):
        await engine.run(in_turn(EngineQuery(ENDLESS)), Ticket(), 0.05)
    assert engine._idle == []
    await asyncio.gather(*(run(engine, "SELECT 1") for _ in range(6)))
    assert 1 <= len(engine._idle) <= 2
    assert kept not in engine._idle


async def test_no_snapshot_stays_open_between_requests(engine: DuckDBEngine) -> None:
    await run(engine, "SELECT 1")
    (kept,) = engine._idle
    with pytest.raises(duckdb.TransactionException):
        kept.execute("ROLLBACK")


async def test_texts_are_parsed_once_as_long_as_they_are_kept(engine: DuckDBEngine) -> None:
    """And what is told to one is not told to the next."""
    text = "SELECT CAST($x AS BIGINT[])[1] AS n"
    for value in (1, 2, None):
        (found,) = await engine.run(in_turn(EngineQuery(text, {"x": (value,)})), Ticket())
        assert found.rows == ((value,),)
    for number in range(MOST_TEXTS + 5):
        assert (await run(engine, f"SELECT {number}"))[0].rows == ((number,),)
    kept = engine._texts._kept
    assert list(kept) == [f"SELECT {number}" for number in range(5, MOST_TEXTS + 5)]
    await run(engine, "SELECT 5")
    await run(engine, f"SELECT 6 -- {'-' * MOST_CHARACTERS}")
    assert next(iter(kept)) == "SELECT 6"
    assert next(reversed(kept)) == "SELECT 5"


async def test_the_only_query_has_no_transaction_but_its_own(engine: DuckDBEngine) -> None:
    async def ask(*queries: EngineQuery) -> list[Rows]:
        def work() -> Work[list[Rows]]:
            found = []
            for query in queries:
                found.append((yield query))
            return found

        return await engine.run(work(), Ticket())

    (found,) = await ask(EngineQuery("SELECT count(*) FROM people", only=True))
    assert found.rows == ((3,),)
    with pytest.raises(EngineFailure):
        await ask(EngineQuery("SELECT 1", only=True), EngineQuery("SELECT 2"))
    assert engine._idle == []


async def test_a_request_without_a_query(engine: DuckDBEngine) -> None:
    assert await run(engine) == ()


async def test_noise_of_many_requests_at_once(engine: DuckDBEngine) -> None:
    """Each release draws in its request's thread."""
    noise = laplace(Sensitivity(1, 1), Decimal("0.01"))

    def work(value: int) -> Work[list[int]]:
        drawn: list[int] = []
        for _ in range(10):
            rows = yield EngineQuery(f"SELECT {value}")
            drawn += add_noise(noise, [int(rows.rows[0][0] or 0)] * 50)
        return drawn

    found = await asyncio.gather(*(engine.run(work(10**9 * each), Ticket()) for each in range(8)))
    for number, drawn in enumerate(found):
        assert len(set(drawn)) > 50
        assert all(abs(each - 10**9 * number) < 10**6 for each in drawn)


async def test_cancel_before_the_start(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(QueryCanceled):
        await run(engine, ENDLESS, ticket=ticket)


async def test_cancel_racing_with_the_start(engine: DuckDBEngine) -> None:
    for turns in range(60):
        ticket = Ticket()
        running = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
        for _ in range(turns % 6):
            await asyncio.sleep(0)
        ticket.cancel()
        with pytest.raises(QueryCanceled):
            await running
    assert not engine._running


async def test_cancel_while_waiting_for_a_slot(engine: DuckDBEngine) -> None:
    busy = [Ticket(), Ticket()]
    tasks = [asyncio.create_task(run(engine, ENDLESS, ticket=ticket)) for ticket in busy]
    await started(engine, 2)
    waiting = Ticket()
    third = asyncio.create_task(run(engine, "SELECT 1", ticket=waiting))
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
    await run(engine, "SELECT 1", ticket=ticket)
    ticket.cancel()
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


@pytest.mark.parametrize("times", [1, 2])
async def test_a_canceled_task_leaves_no_thread(engine: DuckDBEngine, times: int) -> None:
    task = asyncio.create_task(run(engine, ENDLESS))
    await started(engine)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await ended(engine)
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_a_canceled_task_is_not_a_canceled_ticket(engine: DuckDBEngine) -> None:
    ticket = Ticket()
    task = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
    await started(engine)
    ticket.cancel()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await ended(engine)


async def test_close_ends_what_runs(file: Path) -> None:
    engine = DuckDBEngine.open(file)
    task = asyncio.create_task(run(engine, ENDLESS))
    await started(engine)
    await engine.close()
    with pytest.raises(EngineFailure):
        await task
    with pytest.raises(EngineFailure):
        await run(engine, "SELECT 1")


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
