"""Public tables that list no columns: what came after the first start is hidden, and told to the owner."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import duckdb
import psycopg
import pytest
from proxies import PATIENCE_SECONDS, ServedProxy, serving
from scratch_postgres import MAJORS, scratch_postgres
from towns import check, fill, ran, write
from worlds import READER, write_postgres_policy

from dpproxy.config import load

SCHEMA = """
CREATE TABLE people (id BIGINT PRIMARY KEY);
INSERT INTO people SELECT i FROM {series};
CREATE TABLE streets (street TEXT PRIMARY KEY, length INTEGER);
INSERT INTO streets VALUES ('Long Lane', 3);
"""
POLICY = """
[server]
port = 0
database = "town"
[front]
url = "embedded:front"
[engine]
url = "duckdb:///town.duckdb"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
[tables.people.columns]
id = { type = "bigint" }
[tables.streets]
public = true
primary_key = ["street"]
[analysts.alice]
trust = true
epsilon = 5
delta = 1e-6
"""
LISTED = 'columns = { street = { type = "text" }, length = { type = "integer", nullable = true } }'
ADDED = 'owner = { type = "text", nullable = true }'
READ = "SELECT * FROM streets"


class Loading(Protocol):
    """The owner's way to the data."""

    def change(self, statement: str) -> None: ...


@dataclass(frozen=True)
class InDuckDB:
    directory: Path

    def change(self, statement: str) -> None:
        """In a file beside it, which takes its place: the one that is served is open."""
        old, new = self.directory / "town.duckdb", self.directory / "next.duckdb"
        new.write_bytes(old.read_bytes())
        with duckdb.connect(str(new)) as connection:
            connection.execute(statement)
        new.replace(old)


@dataclass(frozen=True)
class InPostgres:
    conninfo: str

    def change(self, statement: str) -> None:
        with psycopg.connect(self.conninfo, autocommit=True) as connection:
            connection.execute(statement.encode())


@pytest.fixture(params=["duckdb", "postgres"])
def town(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, Loading]]:
    if request.param == "duckdb":
        fill(tmp_path, SCHEMA.format(series="range(2000) AS t(i)"))
        yield write(tmp_path, POLICY), InDuckDB(tmp_path)
        return
    with scratch_postgres(MAJORS[max(MAJORS)]) as server:
        loading = InPostgres(server.conninfo)
        loading.change(SCHEMA.format(series="generate_series(1, 2000) AS t(i)") + READER)
        yield write_postgres_policy(tmp_path, server, POLICY), loading


def with_columns(path: Path, line: str) -> str:
    """The policy, with this line of columns."""
    kept = [each for each in path.read_text().splitlines() if not each.startswith("columns = ")]
    place = kept.index('primary_key = ["street"]')
    return "\n".join([*kept[:place], line, *kept[place:], ""])


def told(proxy: ServedProxy) -> str:
    """Reads the policy again; what the log says of it."""
    known = len(proxy.log.read_text())
    proxy.process.send_signal(signal.SIGHUP)
    end = time.monotonic() + PATIENCE_SECONDS
    while "reloaded" not in (said := proxy.log.read_text()[known:]):
        assert time.monotonic() < end, said
        time.sleep(0.02)
    return said


def columns(proxy: ServedProxy) -> list[str]:
    """What alice sees: in an answer, in the catalog, and in dp.columns."""
    with psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice:
        answer = alice.execute(READ)
        assert answer.description is not None
        seen = [each.name for each in answer.description]
        listed = "SELECT column_name FROM information_schema.columns WHERE table_name = 'streets'"
        assert {name for (name,) in alice.execute(listed)} == set(seen)
        own = """SELECT name FROM dp.columns WHERE "table" = 'streets'"""
        assert {name for (name,) in alice.execute(own)} == set(seen)
        return seen


@pytest.mark.long
def test_what_comes_later_is_hidden_until_it_is_listed(town: tuple[Path, Loading]) -> None:
    path, loading = town
    before = check(path)
    assert before.returncode == 0 and "tables.streets.columns: none are listed" in before.stderr
    assert before.stderr.count(f"; write {LISTED}\n") == 1
    with serving(load(path, {})) as proxy:
        assert columns(proxy) == ["street", "length"]
        loading.change("ALTER TABLE streets ADD COLUMN owner TEXT")
        said = told(proxy)
        assert "owner came after streets was first served: hidden from analysts" in said
        assert columns(proxy) == ["street", "length"]
        with (
            psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice,
            pytest.raises(psycopg.errors.UndefinedColumn),
        ):
            alice.execute("SELECT count(*) FROM people JOIN streets ON owner IS NULL")
        faulty = check(path)
        assert faulty.returncode == 1
        assert "tables.streets.columns: none are listed, and owner came after streets was" in faulty.stderr
        assert f"expected {LISTED} to leave it so, with {ADDED} among them to show it" in faulty.stderr
        looked = check(path, "--data")
        assert (looked.returncode, faulty.stderr.splitlines()[-1] in looked.stderr) == (1, True)
        joined = "SELECT count(*) FROM people JOIN streets ON owner IS NULL"
        explained = ran("explain", "--config", str(path), "--as", "alice", joined)
        assert explained.returncode == 1 and "owner" in explained.stderr
    with serving(load(path, {})) as proxy:
        assert columns(proxy) == ["street", "length"], "after a restart, too"
        path.write_text(with_columns(path, LISTED))
        assert "came after" not in told(proxy)
        assert columns(proxy) == ["street", "length"]
        hidden = check(path)
        assert (hidden.returncode, "warning: tables.streets" in hidden.stderr) == (0, False)
        assert "Not listed in streets, and so hidden from analysts: owner." in hidden.stdout
        path.write_text(with_columns(path, f"{LISTED[:-2]}, {ADDED} }}"))
        told(proxy)
        assert columns(proxy) == ["street", "length", "owner"]
        assert check(path).returncode == 0
