"""Files that are replaced while they are served: a database file, and the Parquet files of a table with a source."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import psycopg
import pytest
from proxies import PATIENCE_SECONDS, ServedProxy, serving
from towns import check, write
from worlds import fitted

from dpproxy.answering.resources import Users
from dpproxy.audit.audit_proxy import AuditSettings, _written
from dpproxy.config import load
from dpproxy.engines import EngineQuery, EngineTable, Ticket, Work, in_turn
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.duckdb.held_files import FoundFile
from dpproxy.engines.scratch import ScratchDatabase
from dpproxy.errors import ConfigFault, EngineFailure, EngineUnavailable
from dpproxy.keys import VerificationRecord, read_record, write_record
from dpproxy.rows import Rows

POLICY = """
[server]
port = 0
[front]
url = "embedded:front"
[engine]
url = "duckdb:///town.duckdb"
[privacy]
data_version = "1"
accounting = "pure"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
primary_key = ["id"]
[tables.people.columns]
id = { type = "bigint" }
age = { type = "integer", bounds = [0, 120] }
[tables.orders]
unit = "person"
link = { person = "people.id" }
max_rows_per_unit = 100
[tables.orders.columns]
orderkey = { type = "bigint" }
person = { type = "bigint" }
[tables.shops]
public = true
[analysts.alice]
trust = true
epsilon = 1e9
delta = 1e-6
[analysts.alice.defaults]
epsilon = 1e4
"""
SOURCES = """
[tables.visits]
unit = "person"
link = { person = "people.id" }
source = "visits/*.parquet"
[tables.visits.columns]
person = { type = "bigint" }
day = { type = "date", bounds = ["2026-01-01", "2026-12-31"] }
cost = { type = "numeric(9,2)", bounds = [0, 100] }
[tables.streets]
public = true
source = "streets.parquet"
"""
DOCS = (Path(__file__).parents[1] / "docs" / "operations.md").read_text()


def filled(path: Path, people: int, key: str = "PRIMARY KEY", shops: int = 1) -> None:
    """A database file of its own, with so many people."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people (id BIGINT {key}, age INTEGER)")
        connection.execute(f"INSERT INTO people SELECT i, 40 FROM range(1, {people + 1}) AS g(i)")
        connection.execute(f"CREATE TABLE orders AS SELECT i AS orderkey, i AS person FROM range({people}) AS g(i)")
        connection.execute(f"CREATE TABLE shops AS SELECT i AS shop FROM range({shops}) AS g(i)")


def day(
    path: Path, rows: int, columns: str = "i + 1 AS person, DATE '2026-11-26' AS day, 9.5::DECIMAL(9,2) AS cost"
) -> None:
    """A file of a day's visits, whole at once."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {columns} FROM range({rows}) AS g(i)) TO '{new}' (FORMAT parquet)")
    new.replace(path)


def reloaded(proxy: ServedProxy) -> str:
    """What the log says of a reload."""
    known = len(proxy.log.read_text())
    proxy.process.send_signal(signal.SIGHUP)
    return logged(proxy, known)


def logged(proxy: ServedProxy, known: int) -> str:
    end = time.monotonic() + PATIENCE_SECONDS
    while "reloaded" not in (told := proxy.log.read_text()[known:]) or not told.endswith("\n"):
        assert time.monotonic() < end, told
        time.sleep(0.02)
    return told


def connect(proxy: ServedProxy) -> psycopg.Connection[Any]:
    return psycopg.connect(proxy.dsn("alice"), autocommit=True)


def counted(alice: psycopg.Connection[Any], table: str = "people") -> int:
    """How many rows it has: at this price to a unit."""
    alice.execute("SET dp.fresh = on")
    ((count,),) = alice.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()
    return int(count)


def near(value: int) -> Any:
    return pytest.approx(value, abs=2)


@pytest.mark.long
def test_another_file_is_served_after_a_reload_and_not_before(tmp_path: Path) -> None:
    filled(tmp_path / "town.duckdb", 1000)
    path = write(tmp_path, POLICY)
    with serving(load(path, {})) as proxy, connect(proxy) as alice:
        assert counted(alice) == near(1000)
        assert alice.execute("SELECT count(*) FROM shops").fetchone() == (1,)
        filled(tmp_path / "next.duckdb", 3000, shops=2)
        assert counted(alice) == near(1000)
        (tmp_path / "next.duckdb").replace(tmp_path / "town.duckdb")
        assert counted(alice) == near(1000)
        assert alice.execute("SELECT count(*) FROM shops").fetchone() == (1,)
        told = reloaded(proxy)
        assert "the engine reads other files" in told
        assert "privacy.data_version is as it was" in told
        assert counted(alice) == near(3000)
        assert alice.execute("SELECT count(*) FROM shops").fetchone() == (2,)
        assert "other files" not in reloaded(proxy)
        assert open_files(proxy, "town.duckdb") == {str((tmp_path / "town.duckdb").stat().st_ino)}
        assert writer(tmp_path / "town.duckdb").returncode != 0


def open_files(proxy: ServedProxy, name: str) -> set[str]:
    """The files of that name that it has open, by their numbers."""
    found = set[str]()
    for link in Path(f"/proc/{proxy.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            if name in str(link.readlink()):
                found.add(str(link.stat().st_ino))
    return found


def writer(path: Path) -> subprocess.CompletedProcess[str]:
    """Another process that would write to it."""
    program = f"import duckdb; duckdb.connect({str(path)!r})"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


@pytest.mark.long
def test_a_new_file_whose_keys_nothing_keeps_is_not_served(tmp_path: Path) -> None:
    linked = """
    [tables.lines]
    unit = "person"
    link = { orderkey = "orders.orderkey" }
    [tables.lines.columns]
    orderkey = { type = "bigint" }
    """
    filled(tmp_path / "town.duckdb", 1000)
    filled(tmp_path / "next.duckdb", 3000)
    with duckdb.connect(str(tmp_path / "town.duckdb")) as connection:
        connection.execute("ALTER TABLE orders ADD PRIMARY KEY (orderkey)")
    for name in ("town", "next"):
        with duckdb.connect(str(tmp_path / f"{name}.duckdb")) as connection:
            connection.execute("CREATE TABLE lines AS SELECT orderkey FROM orders")
    path = write(tmp_path, POLICY + linked)
    with serving(load(path, {})) as proxy, connect(proxy) as alice:
        assert counted(alice) == near(1000)
        (tmp_path / "next.duckdb").replace(tmp_path / "town.duckdb")
        told = reloaded(proxy)
        assert "not reloaded, all is as it was" in told
        assert "no constraint of the engine keeps orders.orderkey unique" in told
        assert counted(alice) == near(1000)
        assert check(path, "--data").returncode == 0  # the rows of this file have the key, which is recorded
        assert "not reloaded" not in reloaded(proxy)
        assert counted(alice) == near(3000)


@pytest.mark.long
def test_statements_at_work_end_with_the_file_that_they_began_with(tmp_path: Path) -> None:
    """While it is replaced again and again: each answer is one file's, for all of its releases, and none fails."""
    filled(tmp_path / "town.duckdb", 1000)
    path = write(tmp_path, POLICY)
    both = "SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM orders)"
    with serving(load(path, {})) as proxy:
        ended = False

        def asking() -> list[tuple[int, int]]:
            found = []
            with connect(proxy) as alice:
                alice.execute("SET dp.fresh = on")
                while not ended:
                    try:
                        found += alice.execute(both).fetchall()
                    except psycopg.errors.SerializationFailure:  # planned by the policy before: uncharged
                        continue
            return found

        with ThreadPoolExecutor(3) as pool:
            answers = [pool.submit(asking) for _ in range(3)]
            for number in range(2, 6):
                filled(tmp_path / "next.duckdb", 1000 * number)
                (tmp_path / "next.duckdb").replace(tmp_path / "town.duckdb")
                assert "not reloaded" not in reloaded(proxy)
            ended = True
            found = [each for answer in answers for each in answer.result(PATIENCE_SECONDS)]
        with connect(proxy) as alice:
            outcomes = alice.execute("SELECT DISTINCT outcome FROM dp.statements").fetchall()
        assert outcomes == [("answered",)]
        assert found and all(people == near(orders) for people, orders in found)
        assert len(open_files(proxy, "town.duckdb")) == 1


@pytest.mark.long
def test_files_are_a_table(tmp_path: Path) -> None:
    filled(tmp_path / "town.duckdb", 100)
    day(tmp_path / "visits" / "25.parquet", 50)
    day(tmp_path / "streets.parquet", 3, "i AS street")
    path = write(tmp_path, POLICY + SOURCES)
    with serving(load(path, {})) as proxy, connect(proxy) as alice:
        ((count, total),) = alice.execute(
            "SELECT count(*), sum(cost) FROM visits JOIN people ON id = person"
        ).fetchall()
        assert (count, float(total)) == (near(50), pytest.approx(475, abs=20))
        assert alice.execute("SELECT count(*) FROM streets").fetchone() == (3,)
        explained = "\n".join(str(row) for row in alice.execute("EXPLAIN SELECT sum(cost) FROM visits").fetchall())
        assert "parquet" not in explained
        day(tmp_path / "visits" / "26.parquet", 30)
        day(tmp_path / "streets2.parquet", 4, "i AS street")
        assert counted(alice, "visits") == near(50)
        assert "the engine reads other files" in reloaded(proxy)
        assert counted(alice, "visits") == near(80)
        assert alice.execute("SELECT count(*) FROM streets").fetchone() == (3,)
        assert writer(tmp_path / "town.duckdb").returncode != 0  # opened twice, closed once: still held
        day(tmp_path / "visits" / "25.parquet", 10)
        spent = alice.execute("SELECT spent_epsilon FROM dp.budget").fetchone()
        with pytest.raises(psycopg.errors.ConnectionFailure) as away:
            counted(alice, "visits")
        assert "Nothing was charged" in (away.value.diag.message_hint or "")
        assert "parquet" not in f"{away.value.diag.message_primary}{away.value.diag.message_detail}"
        assert alice.execute("SELECT spent_epsilon FROM dp.budget").fetchone() == spent
        day(tmp_path / "streets.parquet", 5, "i AS street")
        assert "not reloaded" not in reloaded(proxy)
        assert counted(alice, "visits") == near(40)
        assert alice.execute("SELECT count(*) FROM streets").fetchone() == (5,)


@pytest.mark.long
def test_there_need_be_no_database_file(tmp_path: Path) -> None:
    day(tmp_path / "people" / "all.parquet", 70, "i AS id, 40 AS age")
    day(tmp_path / "orders" / "1.parquet", 70, "i AS orderkey, i AS person")
    day(tmp_path / "shops.parquet", 2, "i AS shop")
    text = POLICY.replace('"duckdb:///town.duckdb"', '"duckdb:"')
    for table in ("people", "orders"):
        text = text.replace(f"[tables.{table}]", f'[tables.{table}]\nsource = "{table}/*.parquet"')
    path = write(tmp_path, text.replace("[tables.shops]", '[tables.shops]\nsource = "shops.parquet"'))
    looked = check(path, "--data")
    assert looked.returncode == 0
    assert "is not believed to be: nothing keeps the files of its source as they are" in looked.stdout.replace(
        "\n", " "
    )
    with serving(load(path, {})) as proxy, connect(proxy) as alice:
        assert counted(alice) == near(70)
        assert counted(alice, "people JOIN orders ON id = person") == near(70)
        assert alice.execute("SELECT count(*) FROM shops").fetchone() == (2,)


async def test_nothing_is_unique_in_files(tmp_path: Path) -> None:
    day(tmp_path / "visits" / "25.parquet", 50)
    engine = DuckDBEngine.open(None, {"visits": str(tmp_path / "visits" / "*.parquet")})
    table = (await engine.schema()).tables["visits"]
    assert isinstance(table, EngineTable)
    assert (table.unique, table.held) == (frozenset(), False)
    assert [(each.name, each.type, each.nullable) for each in table.columns] == [
        ("person", "bigint", True),
        ("day", "date", True),
        ("cost", "numeric(9,2)", True),
    ]
    await engine.close()


@pytest.mark.long
def test_a_record_keeps_no_key_of_files(tmp_path: Path) -> None:
    """Not even one that says so: files are no part of the digest."""
    filled(tmp_path / "town.duckdb", 50, key="")
    day(tmp_path / "visits" / "25.parquet", 50)
    day(tmp_path / "streets.parquet", 3, "i AS street")
    claimed = '[tables.visits]\nprimary_key = ["person"]'
    path = write(tmp_path, (POLICY + SOURCES).replace("[tables.visits]", claimed))
    assert check(path, "--data").returncode == 0
    kept = path.with_suffix(".record.json")
    record = read_record(kept)
    assert record is not None and record.keys == {("people", ("id",))}
    write_record(kept, VerificationRecord(record.digest, record.keys | {("visits", ("person",))}))
    tables = fitted(path)[1].tables
    assert (tables["people"].unique, tables["visits"].unique) == ({("id",)}, frozenset())
    assert tables["visits"].max_rows_per_unit is None


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ("i::INTEGER AS person, DATE '2026-11-26' AS day, 9.5::DECIMAL(9,2) AS cost", "has other columns than"),
        ("i AS person, DATE '2026-11-26' AS day", "has other columns than"),
        ("DATE '2026-11-26' AS day, i AS person, 9.5::DECIMAL(9,2) AS cost", "has other columns than"),
    ],
)
def test_files_of_other_columns_are_a_fault(tmp_path: Path, columns: str, told: str) -> None:
    """A value that does not fit the first file's type would raise, in the statement that reads its row."""
    day(tmp_path / "visits" / "25.parquet", 5)
    day(tmp_path / "visits" / "26.parquet", 5, columns)
    with pytest.raises(ConfigFault, match="the source of the table visits cannot be read") as fault:
        DuckDBEngine.open(None, {"visits": str(tmp_path / "visits" / "*.parquet")})
    assert told in (fault.value.detail or "")


def test_what_cannot_be_a_source(tmp_path: Path) -> None:
    source = {"visits": str(tmp_path / "visits" / "*.parquet")}
    with pytest.raises(ConfigFault) as none:
        DuckDBEngine.open(None, source)
    assert "there is no file" in (none.value.detail or "")
    (tmp_path / "visits").mkdir()
    (tmp_path / "visits" / "no.parquet").write_text("no Parquet")
    with pytest.raises(ConfigFault, match="the source of the table visits"):
        DuckDBEngine.open(None, source)
    day(tmp_path / "visits" / "no.parquet", 1)
    day(tmp_path / "visits" / "a[1].parquet", 1)
    with pytest.raises(ConfigFault) as pattern:
        DuckDBEngine.open(None, source)
    assert "rename it" in (pattern.value.detail or "")
    filled(tmp_path / "town.duckdb", 1)
    with pytest.raises(ConfigFault) as twice:
        DuckDBEngine.open(tmp_path / "town.duckdb", {"People": str(tmp_path / "visits" / "no.parquet")})
    assert "one of both" in (twice.value.detail or "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"visits/*.parquet"', '"visits"', 'tables.visits.source: is "visits"; expected a pattern of Parquet files'),
        ("[tables.visits]", '[tables."x.visits"]', "is of a table in a schema, and files are in none"),
        ('"visits/*.parquet"', '"none/*.parquet"', "there is no file"),
        ("duckdb:///town.duckdb", "postgresql://a@127.0.0.1/b", "is given, and this engine reads no files"),
    ],
)
def test_faults_of_a_source(tmp_path: Path, old: str, new: str, told: str) -> None:
    filled(tmp_path / "town.duckdb", 5)
    day(tmp_path / "visits" / "25.parquet", 5)
    day(tmp_path / "streets.parquet", 3, "i AS street")
    text = (POLICY + SOURCES).replace(old, new)
    checked = check(
        write(tmp_path, text.replace("[tables.visits.columns]", f"{new[:-1]}.columns]") if "x." in new else text)
    )
    assert checked.returncode == 1
    assert told in checked.stderr.replace("\n", " ")


def test_an_audit_makes_rows_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, POLICY + SOURCES)
    asked = cast(AuditSettings, SimpleNamespace(analyst="alice"))
    made = _written(path, ScratchDatabase("duckdb:///made.duckdb"), tmp_path / "made", asked, ["alice"])
    assert load(made, {}).sources == {}


async def test_only_files_of_sources_can_be_read(tmp_path: Path) -> None:
    day(tmp_path / "visits" / "25.parquet", 5)
    day(tmp_path / "other.parquet", 5)
    engine = DuckDBEngine.open(None, {"visits": str(tmp_path / "visits" / "*.parquet")})
    try:
        with pytest.raises(EngineFailure) as refused:
            await engine.run(in_turn(EngineQuery(f"SELECT * FROM read_parquet('{tmp_path}/other.parquet')")), Ticket())
        assert "disabled by configuration" in str(refused.value.__cause__)
    finally:
        await engine.close()


@pytest.mark.parametrize("change", ["replaced", "written", "gone"])
async def test_what_was_read_of_another_file_is_told_to_nobody(tmp_path: Path, change: str) -> None:
    file = tmp_path / "visits" / "25.parquet"
    day(file, 5)
    engine = DuckDBEngine.open(None, {"visits": str(tmp_path / "visits" / "*.parquet")})
    changes: dict[str, Callable[[], object]] = {
        "replaced": lambda: day(file, 5),
        "written": lambda: file.write_bytes(file.read_bytes()),
        "gone": file.unlink,
    }

    def work() -> Work[Rows]:
        yield EngineQuery("SELECT count(*) FROM visits")
        changes[change]()
        rows = yield EngineQuery("SELECT 1")
        return rows

    try:
        with pytest.raises(EngineUnavailable):
            await engine.run(work(), Ticket())
        with pytest.raises(EngineUnavailable):
            await engine.reach()
    finally:
        await engine.close()


def test_a_file_is_not_the_same_whose_times_were_set_back(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("one")
    found = FoundFile.at(file)
    assert found is not None and found.same and found.there
    time.sleep(0.05)
    file.write_text("two")
    os.utime(file, ns=(found.written, found.written))
    assert not found.same and found.there


def test_an_engine_is_closed_when_the_last_has_ended() -> None:
    users, closed = Users(), []
    with users.one():
        with users.one():
            users.when_none(lambda: closed.append(1))
        assert not closed
    assert closed == [1]
    with users.one():
        pass
    users.when_none(lambda: closed.append(2))
    assert closed == [1, 2]


@pytest.mark.long
def test_the_load_job_of_the_documentation(tmp_path: Path) -> None:
    """Its lines as they stand, but for the service's name."""
    (lines,) = re.findall(r"```sh\n(#!/bin/sh -e\n.*?)```", DOCS, re.S)
    assert len(lines.strip().splitlines()) <= 6
    filled(tmp_path / "shop.duckdb", 1000, key="")
    path = write(tmp_path, POLICY.replace("town.duckdb", "shop.duckdb").replace("port = 0", "port = 0\n"))
    assert check(path, "--data").returncode == 0
    (tmp_path / "load.py").write_text(
        "import duckdb, sys\n"
        "with duckdb.connect(sys.argv[1]) as c:\n"
        "    c.execute('CREATE TABLE people AS SELECT i AS id, 40 AS age FROM range(1, 2001) AS g(i)')\n"
        "    c.execute('CREATE TABLE orders AS SELECT i AS orderkey, i AS person FROM range(3) AS g(i)')\n"
        "    c.execute('CREATE TABLE shops AS SELECT 1 AS shop')\n"
    )
    with serving(load(path, {})) as proxy, connect(proxy) as alice:
        assert counted(alice) == near(1000)
        known = len(proxy.log.read_text())
        python = shlex.quote(sys.executable)
        script = lines.replace("systemctl reload dpproxy", f"kill -HUP {proxy.process.pid}")
        script = script.replace("/srv/shop", str(tmp_path)).replace("python load.py", f"{python} load.py")
        script = script.replace("dpproxy check", f"{python} -m dpproxy.cli check").replace("policy.toml", path.name)
        subprocess.run(["sh", "-e", "-c", script], check=True, capture_output=True)
        told = logged(proxy, known)
        assert "not reloaded" not in told and "data_version is as it was" not in told
        assert counted(alice) == near(2000)
        assert re.search(r'data_version = "20\d\d-\d\d-\d\d"', path.read_text())
