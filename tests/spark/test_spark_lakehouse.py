"""Tables of Delta and Iceberg, which other programs write, read by Sail: one version per statement, whoever writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import psycopg
import pyarrow as pa
import pytest
from clients.served import serving
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import StringType
from spark_servers import Sail
from test_spark_driver import COUNT, asked, engine

from dpproxy.config import load
from dpproxy.engines import Ticket, Work
from dpproxy.engines.spark.schema import found_tables
from dpproxy.engines.spark.sessions import Session, Versioned
from dpproxy.engines.spark.versions import ByFiles
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable
from dpproxy.rows import Rows
from dpproxy.schema_fit import opened as opened_by

pytestmark = pytest.mark.long


def rows(first: int, count: int = 10) -> pa.Table:
    """Of so many units, one each."""
    units = range(first, first + count)
    return pa.table({"x": pa.array(units, pa.int64()), "y": pa.array(["a"] * count), "z": pa.array([2] * count)})


OTHERS = rows(30).set_column(2, "z", pa.array(["2"] * 10))
"""With a column of another type."""


class Lake(Protocol):
    """A table that somebody writes. source: as a policy names it."""

    source: str

    def append(self, added: pa.Table) -> None: ...
    def overwrite(self, instead: pa.Table) -> None: ...
    def take_away_old_files(self) -> None: ...
    def change_a_type(self) -> None: ...


@dataclass
class Delta:
    """ByFiles by delta-rs."""

    place: Path

    @property
    def source(self) -> str:
        return f"delta:{self.place}"

    def append(self, added: pa.Table) -> None:
        write_deltalake(self.place, added, mode="append")

    def overwrite(self, instead: pa.Table) -> None:
        write_deltalake(self.place, instead, mode="overwrite")

    def take_away_old_files(self) -> None:
        gone = DeltaTable(self.place).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
        assert gone

    def change_a_type(self) -> None:
        write_deltalake(self.place, OTHERS, mode="overwrite", schema_mode="overwrite")


class Iceberg:
    """ByFiles by PyIceberg."""

    def __init__(self, place: Path) -> None:
        place.mkdir()
        catalog = SqlCatalog("own", uri=f"sqlite:///{place}/catalog.db", warehouse=f"file://{place}")
        catalog.create_namespace("lake")
        self._table = catalog.create_table("lake.t", schema=rows(0).schema)
        self.source = self._table.location().replace("file://", "iceberg:")

    def append(self, added: pa.Table) -> None:
        self._table.append(added)

    def overwrite(self, instead: pa.Table) -> None:
        self._table.overwrite(instead)

    def take_away_old_files(self) -> None:
        last = {task.file.file_path for task in self._table.scan().plan_files()}
        place = Path(self.source.removeprefix("iceberg:"))
        for file in (place / "data").rglob("*.parquet"):
            if f"file://{file}" not in last:
                file.unlink()

    def change_a_type(self) -> None:
        with self._table.update_schema() as update:
            update.delete_column("z")
        with self._table.update_schema() as update:
            update.add_column("z", StringType())
        self._table.append(OTHERS)


@pytest.fixture(params=[Delta, Iceberg])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    """A table of one format, with ten rows in a first version."""
    made: Lake = request.param(tmp_path / "lake")
    made.append(rows(0))
    return made


def counted_around(between: Callable[[], None]) -> Work[list[Rows]]:
    """The rows, twice within one statement, with something done in between."""
    first = yield COUNT
    between()
    return [first, (yield COUNT)]


async def test_a_statement_reads_one_version(sail: Sail, lake: Lake) -> None:
    async with engine(sail.url, {"t": lake.source}) as opened:
        assert (await asked(opened)).rows == ((10,),)
        lake.append(rows(10))
        assert (await asked(opened)).rows == ((20,),)
        counts = await opened.run(counted_around(lambda: lake.append(rows(20))), Ticket())
        assert [each.rows for each in counts] == [((20,),), ((20,),)]
        counts = await opened.run(counted_around(lambda: lake.overwrite(rows(0, 5))), Ticket())
        assert [each.rows for each in counts] == [((30,),), ((30,),)]
        assert (await asked(opened)).rows == ((5,),)
        assert not await opened.replaced({"t": lake.source}, frozenset())


async def test_columns_are_those_of_any_table(sail: Sail, lake: Lake) -> None:
    async with engine(sail.url, {"t": lake.source}) as opened:
        (table,) = (await opened.schema()).tables.values()
        assert [(each.name, each.type) for each in table.columns] == [("x", "bigint"), ("y", "text"), ("z", "bigint")]


async def test_files_that_go_within_a_statement_fail_it(sail: Sail, lake: Lake) -> None:
    """Whether such a file is read at all hangs on rows: so it is a failure like any other. The next one is right."""

    def replace() -> None:
        lake.overwrite(rows(0, 5))
        lake.take_away_old_files()

    async with engine(sail.url, {"t": lake.source}) as opened:
        query = type(COUNT)("SELECT COUNT(*) AS n FROM `t` WHERE `x` * `z` > -1")

        def work() -> Work[list[Rows]]:
            first = yield query
            replace()
            return [first, (yield query)]

        with pytest.raises(EngineFailure):
            await opened.run(work(), Ticket())
        assert (await asked(opened, query)).rows == ((5,),)


async def test_other_columns_are_not_read(sail: Sail, lake: Lake) -> None:
    async with engine(sail.url, {"t": lake.source}) as opened:
        lake.change_a_type()
        with pytest.raises(EngineUnavailable) as fault:
            await asked(opened)
        assert "the columns of t are not those that were found: reload" in str(fault.value.__cause__)
        assert await opened.replaced({"t": lake.source}, frozenset())


async def test_a_table_that_is_gone_is_out_of_reach(sail: Sail, lake: Lake) -> None:
    async with engine(sail.url, {"t": lake.source}) as opened:
        place = Path(lake.source.partition(":")[2])
        place.rename(place.with_name("elsewhere"))
        with pytest.raises(EngineUnavailable):
            await asked(opened)
        place.with_name("elsewhere").rename(place)
        assert (await asked(opened)).rows == ((10,),)


def test_a_table_of_the_catalog_is_asked_by_its_log(sail: Sail, lake: Lake) -> None:
    """Sail tells of no history."""
    format_, _, place = lake.source.partition(":")
    session = Session(sail.url)
    session.begin({})
    session.spark.sql(f"CREATE TABLE held USING {format_} LOCATION '{place}'").toArrow()
    found = found_tables(session, {}, frozenset()).found["held"]
    assert isinstance(found, Versioned) and isinstance(found.last, ByFiles)
    session.begin({"held": found})
    session.look({"held": found})
    session.end()


async def test_sources_without_a_version_are_faults(sail: Sail, tmp_path: Path) -> None:
    for source in (f"delta:{tmp_path}", f"iceberg:{tmp_path}", f"delta:{tmp_path}/none"):
        with pytest.raises(ConfigFault, match="the source of the table t cannot be read"):
            async with engine(sail.url, {"t": source}):
                pass


async def test_a_table_of_delta_is_not_taken_for_its_files(sail: Sail, tmp_path: Path) -> None:
    """Of which some may be of rows that are gone."""
    lake = Delta(tmp_path / "lake")
    lake.append(rows(0))
    lake.overwrite(rows(0))
    for pattern in (f"{lake.place}/*.parquet", f"{lake.place}/**/*.parquet"):
        with pytest.raises(ConfigFault, match="is a table of Delta") as fault:
            async with engine(sail.url, {"t": pattern}):
                pass
        assert 'source = "delta:visits"' in (fault.value.detail or "")


POLICY = """
[server]
database = "demo"
port = 0
[front]
url = "embedded:front"
[engine]
url = "{url}"
[units.person]
table = "t"
key = "x"
[tables.t]
unit = "person"
source = "{source}"
max_rows_per_unit = 1
max_groups_per_unit = 1
[tables.t.columns]
x = {{ type = "bigint" }}
y = {{ type = "text", values = ["a", "b"] }}
z = {{ type = "bigint", bounds = [0, 10] }}
[privacy]
accounting = "pure"
[analysts.alice]
trust = true
epsilon = 1e15
delta = 0.5
"""
PLAIN = "-c dp.epsilon=1e13 -c dp.fresh=on"


def written_policy(directory: Path, url: str, source: str) -> Path:
    path = directory / "policy.toml"
    path.write_text(POLICY.format(url=url, source=source))
    return path


@pytest.fixture
def analyst(sail: Sail, lake: Lake, tmp_path: Path) -> Iterator[psycopg.Connection[Any]]:
    policy = written_policy(tmp_path, sail.url, lake.source)
    with serving(policy, "demo") as proxy, proxy.connect("alice", options=PLAIN) as connection:
        yield connection


def test_over_the_wire(analyst: psycopg.Connection[Any], lake: Lake) -> None:
    """What is written is seen by the next statement. A table with other columns is out of reach; nobody is stopped."""
    ask = "SELECT y, count(*), sum(z) FROM t GROUP BY y ORDER BY y"
    assert analyst.execute(ask).fetchall() == [("a", 10, 20), ("b", 0, 0)]
    lake.append(rows(10))
    assert analyst.execute(ask).fetchall() == [("a", 20, 40), ("b", 0, 0)]
    lake.overwrite(rows(0, 5))
    lake.take_away_old_files()
    assert analyst.execute(ask).fetchall() == [("a", 5, 10), ("b", 0, 0)]
    lake.change_a_type()
    for _ in range(2):
        with pytest.raises(psycopg.Error) as fault:
            analyst.execute(ask)
        assert fault.value.sqlstate == "08006", fault.value


async def test_another_engine_reads_no_versions(tmp_path: Path) -> None:
    for url in ("duckdb:", "sc://127.0.0.1:1"):
        config = load(written_policy(tmp_path, url, "delta:lake"), {})
        assert config.sources == {"t": f"delta:{tmp_path}/lake"}
        with pytest.raises(ConfigFault) as fault:
            await opened_by(config)
        said = f"{fault.value.message} {fault.value.detail}"
        assert ("which this engine does not read" in said) == (url == "duckdb:"), said


def test_urls_stay_as_they_are(tmp_path: Path) -> None:
    config = load(written_policy(tmp_path, "sc://127.0.0.1:1", "iceberg:s3://bucket/visits"), {})
    assert config.sources == {"t": "iceberg:s3://bucket/visits"}
