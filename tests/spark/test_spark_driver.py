"""Spark as engine, here Sail: files as they were found, settings that hold, and what a failure is called."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import duckdb
import pytest
from spark_servers import Sail

from dpproxy.config import Config, load
from dpproxy.engines import EngineQuery, Ticket, Work, in_turn
from dpproxy.engines.providers import WrongUrl, located
from dpproxy.engines.spark import driver, schema
from dpproxy.engines.spark.client import SparkSession
from dpproxy.engines.spark.describing import described
from dpproxy.engines.spark.driver import SparkEngine
from dpproxy.engines.spark.provider import SparkServer
from dpproxy.engines.spark.schema import found_tables, postgres_type
from dpproxy.engines.spark.sessions import Files, Found, LostSessionError, Session, Unpinned
from dpproxy.engines.spark.settings import SETTINGS
from dpproxy.engines.spark.versions import ways_to_ask
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable, QueryCanceled, StatementTimeout
from dpproxy.rows import Rows
from dpproxy.schema_fit import opened as opened_by
from dpproxy.schema_fit import reopened

pytestmark = pytest.mark.long
COUNT = EngineQuery("SELECT COUNT(*) AS n FROM `t`")
LONG = EngineQuery("SELECT SUM(id * 3 % 7) AS n FROM range(1000000000000)")


def written(place: Path, name: str, select: str) -> str:
    """A Parquet file; the pattern of all that are there."""
    place.mkdir(exist_ok=True)
    duckdb.sql(f"COPY ({select}) TO '{place / name}' (FORMAT parquet)")
    return f"{place}/*.parquet"


@asynccontextmanager
async def engine(url: str, sources: dict[str, str], at_once: int = 2) -> AsyncIterator[SparkEngine]:
    opened = await SparkEngine.open(url, sources, max_concurrency=at_once, statement_timeout=60)
    try:
        yield opened
    finally:
        await opened.close()


async def asked(opened: SparkEngine, query: EngineQuery = COUNT, ticket: Ticket | None = None) -> Rows:
    return (await opened.run(in_turn(query), ticket or Ticket()))[0]


@pytest.fixture
def source(tmp_path: Path) -> dict[str, str]:
    return {"t": written(tmp_path / "t", "a.parquet", "SELECT 1::BIGINT AS x, 'a' AS y FROM range(10)")}


async def test_columns_are_in_postgres_terms(tmp_path: Path, sail: Sail) -> None:
    columns = "1::SMALLINT AS a, 1::INTEGER AS b, 1::BIGINT AS c, 'x' AS d, DATE '2020-01-01' AS e, true AS f"
    more = "1.5::DOUBLE AS g, 1::DECIMAL(10,2) AS h, 1::DECIMAL(30,2) AS i, 1::FLOAT AS j, now() AS k, [1] AS l"
    async with engine(sail.url, {"t": written(tmp_path / "t", "a.parquet", f"SELECT {columns}, {more}")}) as opened:
        (table,) = (await opened.schema()).tables.values()
        assert [each.type for each in table.columns][:9] == [
            *(
                "smallint",
                "integer",
                "bigint",
                "text",
                "date",
                "boolean",
                "double precision",
                "numeric(10,2)",
                "numeric(30,2)",
            )
        ]
        assert [each.type for each in table.columns][9:] == ["float", "timestamp with time zone", "array<int>"]
        assert [each.stored for each in table.columns if each.stored] == ["timestamp with time zone"]
        assert table.unique == frozenset() and not table.held and all(each.nullable for each in table.columns)
        assert (await opened.read("t", ("c", "d", "h"), 5, Ticket())).rows == ((1, "x", 1),)
        assert await opened.size("t") == 1


def test_texts_with_collations_and_types_of_postgres_names_are_none() -> None:
    for raw in (
        "string collate UTF8_LCASE",
        "float",
        "double precision",
        "tinyint",
        "struct<a:int>",
        "text",
    ):
        assert postgres_type(raw) not in ("text", "real", "double precision", "timestamp with time zone"), raw


async def test_what_is_written_later_is_not_seen(tmp_path: Path, sail: Sail, source: dict[str, str]) -> None:
    async with engine(sail.url, source) as opened:
        assert (await asked(opened)).rows == ((10,),)
        version = opened.version
        written(tmp_path / "t", "b.parquet", "SELECT 1::BIGINT AS x, 'a' AS y FROM range(10)")
        assert (await asked(opened)).rows == ((10,),)
        assert opened.version == version and await opened.replaced(source, frozenset())
    async with engine(sail.url, source) as opened:
        assert (await asked(opened)).rows == ((20,),)
        assert opened.version != version and not await opened.replaced(source, frozenset())


async def test_a_file_that_went_is_a_failure_and_never_fewer_rows(tmp_path: Path, sail: Sail) -> None:
    written(tmp_path / "t", "a.parquet", "SELECT 1 AS x FROM range(10)")
    source = {"t": written(tmp_path / "t", "b.parquet", "SELECT 1 AS x FROM range(10)")}
    async with engine(sail.url, source) as opened:
        (tmp_path / "t" / "b.parquet").unlink()
        for literal in ("", "a`b", "it\\'s `", "\\\\", "`u` ''`"):
            text = f"SELECT COUNT(CASE WHEN '{literal}' = '`' THEN 1 END) AS n FROM `t`"
            with pytest.raises(EngineUnavailable):
                await asked(opened, EngineQuery(text))


async def test_settings_are_asked_before_each_request(sail: Sail, source: dict[str, str]) -> None:
    """One that was changed ends the session, unused; the next one has them again."""
    async with engine(sail.url, source) as opened:
        for key, value in (("spark.sql.ansi.enabled", "false"), ("spark.sql.session.timeZone", "Asia/Tokyo")):
            await asked(opened)
            (session,) = opened._idle
            session.spark.conf.set(key, value)
            with pytest.raises(LostSessionError):
                session.check()
            assert (await asked(opened)).rows == ((10,),)
            (other,) = opened._idle
            assert other is not session and other.spark.conf.get(key) == SETTINGS[key]


async def test_texts_that_are_no_utf_8_are_left_out(sail: Sail) -> None:
    async with engine(sail.url, {}) as opened:
        (found,) = await opened.run(in_turn(EngineQuery("SELECT 'é' AS k0, 1 AS n UNION ALL SELECT NULL, 2")), Ticket())
        assert sorted(found.rows, key=str) == [("é", 1), (None, 2)]


async def test_what_a_server_that_goes_is_called(source: dict[str, str]) -> None:
    """Before a query was sent it cannot be reached; later it is a failure. Another one at its place serves on."""
    with Sail.started() as own:
        async with engine(own.url, source) as opened:
            await opened.reach()
            running = asyncio.ensure_future(asked(opened, LONG))
            await asyncio.sleep(1)
            own.kill()
            with pytest.raises(EngineFailure):
                await running
            with pytest.raises(EngineUnavailable):
                await asked(opened)
            with pytest.raises(EngineUnavailable):
                await opened.reach()
            own.restart()
            await back(opened)
            assert (await asked(opened)).rows == ((10,),)
            own.kill()
            own.restart()  # its session is lost, and begins anew
            await back(opened)
            assert (await asked(opened)).rows == ((10,),)


async def test_whoever_looks_whether_it_is_there_waits_for_nobody(sail: Sail, source: dict[str, str]) -> None:
    async with engine(sail.url, source, at_once=1) as opened:
        running = asyncio.ensure_future(asked(opened, LONG))
        await asyncio.sleep(0.5)
        await opened.reach()
        assert not running.done()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def back(opened: SparkEngine) -> None:
    """A way that failed is tried again after a while."""
    for _ in range(60):
        with suppress(EngineUnavailable):
            return await opened.reach()
        await asyncio.sleep(0.5)
    raise AssertionError("the server is not reached again")


async def test_a_request_is_cancelled_and_has_a_limit(sail: Sail, source: dict[str, str]) -> None:
    async with engine(sail.url, source, at_once=1) as opened:
        ticket = Ticket()
        asyncio.get_running_loop().call_later(0.5, ticket.cancel)
        with pytest.raises(QueryCanceled):
            await asked(opened, LONG, ticket)
        with pytest.raises(StatementTimeout):
            await opened.run(in_turn(LONG), Ticket(), 0.5)
        assert (await asked(opened)).rows == ((10,),)


async def test_several_at_once(sail: Sail, source: dict[str, str]) -> None:
    async with engine(sail.url, source, at_once=4) as opened:
        found = await asyncio.gather(*(asked(opened) for _ in range(12)))
        assert {each.rows for each in found} == {((10,),)} and len(opened._idle) <= 4


async def test_what_work_raises_comes_out(sail: Sail, source: dict[str, str]) -> None:
    def work() -> Work[None]:
        yield COUNT
        raise ConfigFault("mine")

    async with engine(sail.url, source) as opened:
        with pytest.raises(ConfigFault, match="mine"):
            await opened.run(work(), Ticket())
        with pytest.raises(EngineFailure):
            await asked(opened, EngineQuery("SELECT EXPLODE(CAST(FROM_JSON(:r0c0, 'ARRAY<STRING>') AS ARRAY<INT>))"))
        with pytest.raises(EngineFailure):
            await asked(opened, EngineQuery("SELECT CAST('x' AS INT) AS one"))


async def test_a_server_that_is_not_there_is_told_without_its_token() -> None:
    with pytest.raises(ConfigFault) as fault:
        await SparkEngine.open("sc://127.0.0.1:1/;user_id=secret", {}, max_concurrency=1, statement_timeout=5)
    assert "secret" not in f"{fault.value.message} {fault.value.detail}"
    with pytest.raises(ConfigFault, match="cannot be used"):
        described("sc://127.0.0.1:1", lambda _: None)


async def test_sources_that_find_nothing_are_faults(sail: Sail, tmp_path: Path) -> None:
    with pytest.raises(ConfigFault, match="the source of the table t cannot be read"):
        await SparkEngine.open(sail.url, {"t": f"{tmp_path}/none.parquet"}, max_concurrency=1, statement_timeout=5)


def test_tables_of_the_catalog(sail: Sail, source: dict[str, str], tmp_path: Path) -> None:
    """Of files they are held to those; of formats without a snapshot, and views, they are in no policy."""
    session = Session(sail.url)
    session.begin({})
    place = source["t"].removesuffix("/*.parquet")
    shutil.copytree(place, tmp_path / "other")
    (tmp_path / "rows.csv").write_text("x\n1\n")
    for statement in (
        f"CREATE TABLE held USING parquet LOCATION '{place}'",
        f"CREATE TABLE loose USING csv LOCATION '{tmp_path}/rows.csv'",
        "CREATE VIEW seen AS SELECT 1 AS x",
    ):
        session.spark.sql(statement).toArrow()
    found = found_tables(session, {}, frozenset())
    assert set(found.columns) == {"held"} and isinstance(found.found["held"], Files)
    assert set(found.schema.views) >= {"loose"} and "snapshot" in found.others["loose"]
    assert "seen" not in found.columns
    with pytest.raises(ConfigFault, match="which has a source, too"):
        found_tables(session, {"held": source["t"]}, frozenset())
    session.begin(found.found)
    session.look(found.found)
    assert session.query("SELECT COUNT(*) AS n FROM `held`").rows == ((10,),)
    session.end()


async def test_a_table_without_a_snapshot_is_read_as_it_is(sail: Sail, source: dict[str, str], tmp_path: Path) -> None:
    """Query by query, where the policy says so; views stay in no policy, whatever it says."""
    session = Session(sail.url)
    session.begin({})
    (tmp_path / "csv").mkdir()
    rows = tmp_path / "csv" / "rows.csv"
    rows.write_text("1\n2\n")
    for statement in (
        f"CREATE TABLE loose (x INT) USING csv LOCATION '{tmp_path}/csv'",
        "CREATE VIEW seen AS SELECT 1 AS x",
    ):
        session.spark.sql(statement).toArrow()
    found = found_tables(session, {}, frozenset({"loose", "seen"}))
    assert isinstance(found.found["loose"], Unpinned) and set(found.columns) == {"loose"}
    assert [each.type for each in found.columns["loose"]] == ["integer"]
    session.begin(found.found)
    assert session.query("SELECT COUNT(*) AS n FROM `loose`").rows == ((2,),)
    (tmp_path / "csv" / "more.csv").write_text("3\n")
    assert session.query("SELECT COUNT(*) AS n FROM `loose`").rows == ((3,),)
    session.check_files("SELECT COUNT(*) AS n FROM `loose`", found.found)
    session.end()


def test_a_table_of_which_nobody_tells_versions_has_no_snapshot(
    sail: Sail, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(sail.url)
    session.begin({})
    session.spark.sql(f"CREATE TABLE d (x BIGINT) USING delta LOCATION '{tmp_path}/d'").toArrow()
    monkeypatch.setattr(schema, "ways_to_ask", lambda format_, name, _: ways_to_ask(format_, name, None))
    found = found_tables(session, {}, frozenset())
    assert "no snapshot can be had" in found.others["d"] and not found.found
    assert isinstance(found_tables(session, {}, frozenset({"d"})).found["d"], Unpinned)
    session.end()


def policy(place: Path, url: str, table: str) -> Config:
    text = f"""
[server]
database = "demo"
[front]
url = "embedded:front"
[engine]
url = "{url}"
[units.person]
table = "t"
key = "x"
[tables.t]
unit = "person"
{table}
[tables.t.columns]
x = {{ type = "bigint" }}
[analysts.alice]
trust = true
epsilon = 1.0
delta = 1e-6
"""
    (place / "policy.toml").write_text(text)
    return load(place / "policy.toml", {})


@pytest.mark.parametrize(
    ("url", "table", "wrong"),
    [
        ("duckdb:", 'source = "t/*.parquet"\nsnapshot = "none"', "this engine has snapshots of all tables"),
        ("sc://127.0.0.1:1", 'source = "t/*.parquet"\nsnapshot = "none"', "is given beside a source"),
        ("sc://127.0.0.1:1", 'snapshot = "some"', '"none"'),
    ],
)
async def test_where_a_snapshot_is_not_left_out(url: str, table: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigFault) as fault:
        await opened_by(policy(tmp_path, url, table))
    assert wrong in f"{fault.value.message} {fault.value.detail}"


async def test_a_reload_sees_which_snapshots_are_left_out(
    sail: Sail, source: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that is held to its files, and then read as it is, and again held: each time by an engine that is opened
    anew. Each session of Sail's has a catalog of its own, and so begins with the table."""

    class WithTable(Session):
        def begin(self, tables: Mapping[str, Found]) -> None:
            super().begin(tables)
            self.spark.sql(f"CREATE TABLE IF NOT EXISTS t USING parquet LOCATION '{tmp_path}/t'").toArrow()

    monkeypatch.setattr(driver, "Session", WithTable)
    held, as_it_is = (policy(tmp_path, sail.url, line) for line in ("", 'snapshot = "none"'))
    first = await opened_by(held)
    second = await reopened(as_it_is, first)
    assert second is not None
    third = await reopened(held, second)
    assert third is not None
    assert await reopened(held, first) is None and await reopened(as_it_is, second) is None
    for each in (first, second, third):
        await each.close()


def test_urls(tmp_path: Path) -> None:
    for url in ("sc://h", "sc://h:15002", "sc://h:15002/", "sc://h:443/;token=a;use_ssl=true"):
        assert located(url, tmp_path) == SparkServer(url)
        assert "token" not in repr(located(url, tmp_path))
    for url in ("sc://", "sc:h", "sc://h/path", "sc://h:1/?x=1", "sc://u@h:1"):
        with pytest.raises(WrongUrl):
            located(url, tmp_path)


async def test_a_way_without_tls_is_warned_of(sail: Sail, source: dict[str, str]) -> None:
    async with engine(sail.url, source) as opened:
        assert await opened.warnings(()) == ()
        opened._url = "sc://elsewhere:15002"
        assert "TLS" in (await opened.warnings(()))[0]
        opened._url = "sc://elsewhere:15002/;use_ssl=true"
        assert await opened.warnings(()) == ()
    assert SparkSession is not None and logging.getLogger("pyspark.sql.connect.logging").disabled
