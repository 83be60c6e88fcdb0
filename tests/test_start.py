"""Whether a policy is served, and with which keys, does not depend on private rows; what was verified on rows is
believed for the very file that was looked at."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import psycopg
import pytest
from proxies import PATIENCE_SECONDS, ServedProxy, serving
from scratch_postgres import MAJORS, scratch_postgres
from towns import ALICE, OPENING, check, fill, ran, write
from worlds import READER, fitted, write_postgres_policy

from dpproxy.config import load
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.duckdb.file_digest import file_digest
from dpproxy.errors import ConfigFault
from dpproxy.keys import KeyGuarantee, VerificationRecord, read_record, write_record
from dpproxy.schema_fit import Fitted, fit, opened

pytestmark = pytest.mark.long

TABLES = """
CREATE TABLE people (id BIGINT, age INTEGER);
CREATE TABLE orders (orderkey BIGINT, person BIGINT, total INTEGER);
CREATE TABLE lines (orderkey BIGINT, price INTEGER);
CREATE TABLE shops (shop BIGINT, city TEXT);
"""
# Zelda has two rows where everybody has one, a key that another's row has, and NULLs.
ROWS = """
INSERT INTO people SELECT i, 20 + i % 50 FROM generate_series(1, 60) AS g(i);
INSERT INTO orders SELECT i, 1 + i % 60, 10 FROM generate_series(1, 200) AS g(i);
INSERT INTO lines SELECT 1 + i % 200, 5 FROM generate_series(1, 500) AS g(i);
INSERT INTO shops VALUES (1, 'Bern'), (2, 'Chur');
"""
ZELDA = """
INSERT INTO people VALUES (1000, 33), (1000, 34), (NULL, 35);
INSERT INTO orders VALUES (7, 1000, 99), (8, 1000, 99), (NULL, 1000, 99);
"""
POLICY = f"""
[server]
port = 0
{OPENING}[tables.people]
unit = "person"
primary_key = ["id"]
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.people.columns]
id = {{ type = "bigint" }}
age = {{ type = "integer", bounds = [0, 120] }}
[tables.orders]
unit = "person"
primary_key = ["orderkey"]
link = {{ person = "people.id" }}
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.orders.columns]
orderkey = {{ type = "bigint" }}
person = {{ type = "bigint" }}
total = {{ type = "integer", bounds = [0, 100] }}
[tables.shops]
public = true
primary_key = ["shop"]
{ALICE}"""
LINKED = """
[tables.lines]
unit = "person"
link = { orderkey = "orders.orderkey" }
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.lines.columns]
orderkey = { type = "bigint" }
price = { type = "integer", bounds = [0, 10] }
"""
SQL = "SELECT count(*), sum(age) FROM people"

Fill = Callable[[str], None]


def town(directory: Path, rows: str = ROWS) -> None:
    """Its DuckDB file, anew."""
    fill(directory, TABLES + rows)


def written(directory: Path, policy: str = POLICY) -> Path:
    return write(directory, policy)


@pytest.fixture(params=["duckdb", "postgres"])
def refill(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Callable[[str], Path], Fill]]:
    """How to write a policy, and how to fill the engine's database anew."""
    if request.param == "duckdb":
        yield lambda policy: write(tmp_path, policy), lambda script: town(tmp_path, script)
        return
    with scratch_postgres(list(MAJORS.values())[-1]) as server:

        def refilled(script: str) -> None:
            with psycopg.connect(server.conninfo, autocommit=True) as connection:
                connection.execute("DROP TABLE IF EXISTS people, orders, lines, shops")
                connection.execute(f"{TABLES}{script}{READER}".encode())

        yield lambda policy: write_postgres_policy(tmp_path, server, policy), refilled


@pytest.mark.parametrize("policy", [POLICY, POLICY + LINKED], ids=["served", "refused"])
def test_commands_tell_the_same_of_neighbouring_databases(
    refill: tuple[Callable[[str], Path], Fill], policy: str
) -> None:
    write, fill = refill
    path, told = write(policy), []
    for rows in (ROWS, ROWS + ZELDA):
        fill(rows)
        checked = check(path)
        explained = ran("explain", "--config", str(path), "--as", "alice", SQL)
        told.append([(each.returncode, each.stdout, each.stderr) for each in (checked, explained)])
    assert told[0] == told[1]
    status, out, err = told[0][0]
    assert status == (1 if policy.endswith(LINKED) else 0)
    assert ("no constraint of the engine keeps orders.orderkey unique and not null" in err) is (status == 1), err
    assert ("no constraint of the engine keeps (id) unique, so a unit may have many rows" in err) is (status == 0), err
    assert out.count("│ nothing") == (3 if status == 0 else 0), out


def test_a_start_and_a_reload_are_the_same_on_neighbouring_databases(
    refill: tuple[Callable[[str], Path], Fill],
) -> None:
    write, fill = refill
    told = []
    for rows in (ROWS, ROWS + ZELDA):
        fill(rows)
        path = write(POLICY)
        path.with_suffix(".log").unlink(missing_ok=True)
        with serving(load(path, {})) as proxy, psycopg.connect(proxy.dsn("alice"), autocommit=True) as alice:
            plans = [alice.execute(f"EXPLAIN VERBOSE {SQL}".encode()).fetchall()]
            write(POLICY + LINKED)
            refused = reloaded(proxy)
            write(POLICY.replace("[0, 120]", "[0, 100]"))
            assert "not reloaded" not in reloaded(proxy)
            plans.append(alice.execute(f"EXPLAIN VERBOSE {SQL}".encode()).fetchall())
        told.append((plans, [line.partition("Z error")[2] for line in refused.splitlines() if "tables." in line]))
    assert told[0] == told[1]
    [line] = told[0][1]
    assert "tables.lines.link.orderkey: no constraint of the engine keeps orders.orderkey unique" in line
    assert any("up to the caps, 100 rows in 1 key" in str(row) for row in told[0][0][0])


def reloaded(proxy: ServedProxy) -> str:
    """What the log says of the next reload."""
    known = len(proxy.log.read_text())
    proxy.process.send_signal(signal.SIGHUP)
    end = time.monotonic() + PATIENCE_SECONDS
    while "reloaded" not in (told := proxy.log.read_text()[known:]) or not told.endswith("\n"):
        assert time.monotonic() < end, told
        time.sleep(0.02)
    return told


def test_a_refused_start_is_the_same_on_neighbouring_databases(tmp_path: Path) -> None:
    path, told = written(tmp_path, POLICY + LINKED), []
    for rows in (ROWS, ROWS + ZELDA):
        town(tmp_path, rows)
        told.append(ran("serve", "--config", str(path)))
    assert told[0].returncode == told[1].returncode == 1
    assert (told[0].stdout, told[0].stderr) == (told[1].stdout, told[1].stderr)


def test_once_verified_it_is_believed_for_this_very_file(tmp_path: Path) -> None:
    town(tmp_path)
    path = written(tmp_path, POLICY + LINKED)
    assert check(path).returncode == 1
    before = fitted(written(tmp_path))[1].tables["people"]
    assert (before.unique, before.max_rows_per_unit) == (frozenset(), 100)
    written(tmp_path, POLICY + LINKED)
    assert check(path, "--data").returncode == 0
    tables = fitted(path)[1].tables
    assert {name: each.unique for name, each in tables.items()} == {
        "people": {("id",)},
        "orders": {("orderkey",)},
        "lines": frozenset(),
        "shops": {("shop",)},
    }
    assert tables["people"].max_rows_per_unit == 1
    again = check(path)
    assert again.returncode == 0
    assert again.stdout.count("check --data, on this very file") == 3
    assert again.stderr.count("is believed to be unique because dpproxy check --data verified it") == 3


def test_over_the_wire_a_person_is_one_row_again(tmp_path: Path) -> None:
    town(tmp_path)
    path, asked = written(tmp_path), f"EXPLAIN VERBOSE {SQL}".encode()
    plans = []
    for verified in (False, True):
        assert not verified or check(path, "--data").returncode == 0
        with serving(load(path, {})) as proxy, psycopg.connect(proxy.dsn("alice")) as alice:
            plans.append("\n".join(str(row[0]) for row in alice.execute(asked).fetchall()))
    assert "a clip is looked for up to the caps, 100 rows in 1 key" in plans[0], plans[0]
    assert "sensitivity 1 in 1 keys" in plans[1], plans[1]


def one_byte(path: Path) -> None:
    """Another byte at the end of the file, which is as long and seems to be as old as before."""
    was = path.stat()
    with path.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)


def one_row(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE people SET age = 77 WHERE id = 1")


def one_row_in_the_log(path: Path) -> None:
    """The file itself stays as it is: a process that ends suddenly leaves its last rows in the log beside it."""
    was = path.read_bytes()
    statements = "PRAGMA disable_checkpoint_on_shutdown; INSERT INTO people VALUES (1, 99)"
    program = f"import duckdb, os; duckdb.connect({str(path)!r}).execute({statements!r}); os._exit(0)"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert path.read_bytes() == was
    with duckdb.connect(str(path), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM people WHERE id = 1").fetchone() == (2,)


@pytest.mark.parametrize("change", [one_byte, one_row, one_row_in_the_log])
def test_a_file_that_was_changed_is_not_believed(tmp_path: Path, change: Callable[[Path], None]) -> None:
    town(tmp_path)
    path = written(tmp_path)
    assert check(path, "--data").returncode == 0
    assert fitted(path)[1].tables["people"].unique
    change(tmp_path / "town.duckdb")
    found = fit_of(path)
    assert set(found.keys.values()) == {KeyGuarantee.NOTHING}
    assert not found.catalog.tables["people"].unique
    assert found.warnings[0] == (
        "the engine's file was changed since dpproxy check --data verified its keys: none of that is believed"
    )
    written(tmp_path, POLICY + LINKED)
    with pytest.raises(ConfigFault) as refused:
        fit_of(path)
    assert "the file was changed since dpproxy check --data verified it" in (refused.value.detail or "")


def fit_of(path: Path) -> Fitted:
    async def read() -> Fitted:
        engine = await opened(load(path, {}))
        try:
            return await fit(load(path, {}), engine)
        finally:
            await engine.close()

    return asyncio.run(read())


def test_a_copy_of_the_file_is_believed(tmp_path: Path) -> None:
    town(tmp_path)
    path = written(tmp_path)
    assert check(path, "--data").returncode == 0
    content = (tmp_path / "town.duckdb").read_bytes()
    (tmp_path / "town.duckdb").unlink()
    (tmp_path / "town.duckdb").write_bytes(content)
    assert fitted(path)[1].tables["people"].unique


async def test_a_file_put_in_the_place_of_an_open_one_is_not_taken_for_it(tmp_path: Path) -> None:
    town(tmp_path, ROWS + ZELDA)
    engine = DuckDBEngine.open(tmp_path / "town.duckdb")
    try:
        other = tmp_path / "other"
        other.mkdir()
        town(other)
        (other / "town.duckdb").replace(tmp_path / "town.duckdb")
        assert await engine.digest() is None
    finally:
        await engine.close()


async def test_the_digest_leaves_the_lock_where_it_is(tmp_path: Path) -> None:
    town(tmp_path)
    file = tmp_path / "town.duckdb"
    engine = DuckDBEngine.open(file)
    try:
        assert await engine.digest() == file_digest_elsewhere(file)
        program = f"import duckdb; duckdb.connect({str(file)!r})"
        writer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert "Could not set lock on file" in writer.stderr
    finally:
        await engine.close()


def file_digest_elsewhere(path: Path) -> str:
    """By a process of its own: read here, the file would lose this one's lock."""
    module = "from pathlib import Path; from dpproxy.engines.duckdb.file_digest import file_digest"
    program = f"{module}; print(file_digest(Path({str(path)!r}))[0])"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()


def test_digests_differ_where_bytes_do(tmp_path: Path) -> None:
    """Pieces, sizes and logs: nothing can be moved from one to another."""
    contents: list[dict[str, bytes]] = [
        {"f": b""},
        {"f": b"ab"},
        {"f": b"ab\0"},
        {"f": b"a", "f.wal": b"b"},
        {"f": b"", "f.wal": b"ab"},
        {"f": b"ab", "f.wal": b""},
        {"f": b"a", "f.wal.checkpoint": b"b"},
        {"f": bytes(40 * 2**20)},
        {"f": bytes(40 * 2**20 - 1) + b"x"},
        {"f": bytes(16 * 2**20) + b"x" + bytes(24 * 2**20 - 1)},
        {"f": b"x" + bytes(40 * 2**20 - 1)},
    ]
    found = set()
    for number, files in enumerate(contents):
        place = tmp_path / str(number)
        place.mkdir()
        for name, content in files.items():
            (place / name).write_bytes(content)
        (place / "f.bak").write_bytes(b"of no account")
        found.add(file_digest(place / "f")[0])
        (place / "f.bak").unlink()
        assert file_digest(place / "f")[0] in found
    assert len(found) == len(contents)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"digest": 1, "keys": []}', '{"digest": "a", "keys": [1]}'])
def test_what_is_no_record_is_a_fault(tmp_path: Path, text: str) -> None:
    town(tmp_path)
    path = written(tmp_path)
    (tmp_path / "town.record.json").write_text(text)
    with pytest.raises(ConfigFault, match="is no record of verified keys"):
        fit_of(path)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = VerificationRecord("d", frozenset({("a.b", ("x", 'y"')), ("c", ("z",))}))
    write_record(tmp_path / "r.json", record)
    assert read_record(tmp_path / "r.json") == record
    assert read_record(tmp_path / "none.json") is None
    assert [each.name for each in tmp_path.iterdir()] == ["r.json"]


def test_a_constraint_needs_no_record(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "town.duckdb")) as connection:
        connection.execute(TABLES.replace("(id BIGINT", "(id BIGINT PRIMARY KEY"))
        connection.execute("ALTER TABLE orders ADD PRIMARY KEY (orderkey); ALTER TABLE shops ADD PRIMARY KEY (shop)")
    path = written(tmp_path, POLICY + LINKED)
    assert set(fit_of(path).keys.values()) == {KeyGuarantee.CONSTRAINT}
    assert check(path, "--data").returncode == 0
    assert not (tmp_path / "town.record.json").exists()


RULE = """
SELECT owner, count(*) FROM lines JOIN (
  SELECT orderkey, min(person) AS owner FROM orders GROUP BY orderkey HAVING {}) AS o USING (orderkey) GROUP BY owner
"""


@pytest.mark.parametrize("rule", ["min(person) = max(person)", "true"])
def test_no_rule_over_rows_says_whose_a_row_behind_a_shared_key_is(rule: str) -> None:
    """One unit with a single row leaves, and another gains as many rows as there are at the key: no link without a key
    that is kept unique (dpproxy.keys.key_guarantees)."""
    with duckdb.connect() as connection:
        connection.execute(TABLES + "INSERT INTO orders VALUES (1, 5, 0), (1, 4, 0)")
        connection.execute("INSERT INTO lines SELECT 1, 5 FROM range(5000)")
        with_four = dict(connection.execute(RULE.format(rule)).fetchall())
        connection.execute("DELETE FROM orders WHERE person = 4")
        without_four = dict(connection.execute(RULE.format(rule)).fetchall())
    assert without_four.get(5, 0) - with_four.get(5, 0) == 5000
