"""`dpproxy check --data` over a world with each kind of trouble: exact numbers, on both engines."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from scratch_postgres import MAJORS, scratch_postgres
from towns import ALICE, OPENING, cells, check, fill, write
from worlds import READER, write_postgres_policy

from dpproxy.cli.check_data import ABOUT, Seen, look
from dpproxy.config import load
from dpproxy.inspection.key_rows import KeySeen
from dpproxy.inspection.listed_values import ListedValues
from dpproxy.inspection.shared_values import SharedValues
from dpproxy.inspection.table_rows import Doubtful, TableSeen

pytestmark = pytest.mark.long

# Forty people; 7 has 150 visits and a long text, 8 has 30; notes of visits are in bytes, not in letters.
WORLD = """
CREATE TABLE people (id BIGINT PRIMARY KEY, age INTEGER, sex TEXT, story TEXT, secret TEXT);
INSERT INTO people SELECT i, 20 + i, 'F', '', NULL FROM generate_series(1, 40) AS g(i);
UPDATE people SET age = 200 WHERE id = 1;
UPDATE people SET age = -3 WHERE id = 2;
UPDATE people SET age = NULL WHERE id IN (3, 4, 5);
UPDATE people SET sex = 'X' WHERE id IN (6, 7, 8, 9);
UPDATE people SET sex = NULL WHERE id = 10;
UPDATE people SET story = repeat('x', 2500) WHERE id = 11;
UPDATE people SET story = repeat('ü', 501) WHERE id = 12;
UPDATE people SET story = repeat('x', 999) WHERE id = 13;
CREATE TABLE visits (visit BIGINT NOT NULL, person BIGINT, cost DOUBLE PRECISION, day DATE);
INSERT INTO visits SELECT i, 7, 5, DATE '2024-01-01' FROM generate_series(1, 150) AS g(i);
INSERT INTO visits SELECT 1000 + i, 8, 1e9, DATE '2024-01-01' FROM generate_series(1, 30) AS g(i);
INSERT INTO visits SELECT 2000 + i, 9000 + i, 5, DATE '1999-01-01' FROM generate_series(1, 4) AS g(i);
INSERT INTO visits SELECT 3000 + i, NULL, NULL, NULL FROM generate_series(1, 6) AS g(i);
CREATE TABLE bills (visit BIGINT, amount NUMERIC(10, 2));
INSERT INTO bills SELECT i, 1 FROM generate_series(1, 150) AS g(i);
INSERT INTO bills VALUES (NULL, 1), (NULL, 1), (77777, 1), (3001, 1), (3002, 1), (2001, 99.99);
CREATE TABLE shops (shop TEXT PRIMARY KEY);
"""
POLICY = f"""{OPENING}[tables.people]
unit = "person"
primary_key = ["id"]
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.people.columns]
id = {{ type = "bigint" }}
age = {{ type = "integer", bounds = [0, 120] }}
sex = {{ type = "text", values = ["F", "M"], nullable = true }}
story = {{ type = "text" }}
secret = {{ type = "text", hidden = true }}
[tables.visits]
unit = "person"
link = {{ person = "people.id" }}
determines = ["visit", "day", ["day", "cost"]]
max_rows_per_unit = 20
max_groups_per_unit = 8
max_unit_rows = 100
[tables.visits.columns]
visit = {{ type = "bigint" }}
person = {{ type = "bigint", nullable = true }}
cost = {{ type = "double precision", bounds = [0, 1000] }}
day = {{ type = "date", bounds = ["2000-01-01", "2029-12-31"], nullable = true }}
[tables.shops]
public = true
primary_key = ["shop"]
{ALICE}"""
BILLS = """
[tables.bills]
unit = "person"
link = { visit = "visits.visit" }
[tables.bills.columns]
visit = { type = "bigint", nullable = true }
amount = { type = "numeric(10,2)", values = [1.0, 2.0] }
"""
PEOPLE = TableSeen(
    "people", rows=40, keyless=0, dangling=0, units=40, heavy=2, heaviest=3, clipped=0, most=1,
    doubts=(Doubtful("age", "nullable", 3), Doubtful("age", "bounds", 2), Doubtful("sex", "values", 4)),
    values=(ListedValues("sex", ("M",), (("X", 4),)),),
)  # fmt: skip
# Whoever links to nobody's row in people is a unit all the same: the link is an equality with the unit's key.
VISITS = TableSeen(
    "visits", rows=190, keyless=6, dangling=0, units=6, heavy=1, heaviest=150, clipped=2, most=150,
    doubts=(Doubtful("cost", "nullable", 6), Doubtful("cost", "bounds", 30), Doubtful("day", "bounds", 4)),
    shared=(SharedValues(("day",), 2), SharedValues(("day", "cost"), 1)),
)  # fmt: skip
# Two of nobody's visits, and one that is not there; visit 2001 is of the unit 9001. No cap of rows is declared.
BILLS_SEEN = TableSeen(
    "bills", rows=156, keyless=2, dangling=3, units=2, heavy=1, heaviest=150, clipped=0, most=150,
    doubts=(Doubtful("amount", "values", 1),),
    values=(ListedValues("amount", (Decimal("2.0"),), (("99.99", 1),)),),
)  # fmt: skip


def town(directory: Path, policy: str, world: str = WORLD) -> Path:
    fill(directory, world)
    return write(directory, policy)


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def policy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Over the world, where visits are kept unique on Postgres alone."""
    directory = tmp_path_factory.mktemp("data")
    if request.param == "duckdb":
        yield town(directory, POLICY + BILLS)
        return
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            kept = WORLD.replace("visit BIGINT NOT NULL", "visit BIGINT PRIMARY KEY")
            connection.execute(f"{kept}{READER}".encode())
        yield write_postgres_policy(directory, server, POLICY + BILLS)


def looked(path: Path) -> Seen:
    return asyncio.run(look(load(path, {})))


def test_each_trouble_is_counted(policy: Path) -> None:
    seen = looked(policy)
    assert {each.table: each for each in seen.tables} == {"people": PEOPLE, "visits": VISITS, "bills": BILLS_SEEN}
    assert set(seen.keys) == {
        KeySeen("people", ("id",), 0, 0),
        KeySeen("visits", ("visit",), 0, 0),
        KeySeen("shops", ("shop",), 0, 0),
    }
    assert not seen.refuted
    assert (seen.recorded is not None) is seen.engine.holds_rows


def test_it_says_what_to_write(policy: Path) -> None:
    told = check(policy, "--data")
    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[0] == ABOUT
    for line in (
        "- (id) of people is unique and not null, kept so by a constraint",
        "- tables.people.max_unit_rows: 2 units have more than 1 row (a row of more than 1,000 bytes of text counts as"
        " several), the largest 3: their part in the time of a statement is not wholly hidden; write max_unit_rows = 4",
        "- tables.people.columns.age.nullable: 3 rows with NULL, which no answer shows; write nullable = true",
        "- tables.people.columns.age.bounds: 2 rows below 0 or above 120: sums take them for that",
        '- tables.people.columns.sex.values: 4 rows with other values, which count nowhere: "X" (4 rows); add them, or'
        " leave values out",
        '- tables.people.columns.sex.values: "M" is in no row, and is in every answer',
        "- tables.bills.columns.amount.values: 1 row with other values, which count nowhere: 99.99 (1 row); add them,"
        " or leave values out",
        "- tables.bills.columns.amount.values: 2.00 is in no row, and is in every answer",
        "- tables.visits.max_unit_rows: 1 unit has more than 100 rows (a row of more than 1,000 bytes of text counts as"
        " several), the largest 150: their part in the time of a statement is not wholly hidden;"
        " write max_unit_rows = 256",
        "- tables.visits.max_rows_per_unit: 2 units have more than 20 rows, the most 150: such a unit is scaled down"
        " where all of it falls into one group",
        "- tables.visits: 6 rows belong to nobody, person is NULL: left out",
        "- tables.visits.columns.day.bounds: 4 rows below 2000-01-01 or above 2029-12-31: sums take them for that",
        "- tables.visits.determines: 2 values are of rows of several units, in day: rows of two units"
        " are not joined there",
        "- tables.bills: 2 rows belong to nobody, visit is NULL: left out",
        "- tables.bills: 3 rows belong to nobody, visit -> visits.visit leads to none: left out",
    ):
        assert line in told.stdout.splitlines(), told.stdout


def test_a_delta_is_held_against_the_units_that_there_are(tmp_path: Path) -> None:
    told = check(town(tmp_path, POLICY.replace("delta = 1e-6", "delta = 0.03")), "--data")
    line = "- analysts.alice.delta: 0.03 is not below 1 / 40 (the units that there are): it would allow that all rows"
    assert f"{line} of one of them are told; write delta = 1e-3" in told.stdout.splitlines()


def test_as_json(policy: Path) -> None:
    told = check(policy, "--data", "--json")
    assert told.returncode == 0
    found: dict[str, Any] = json.loads(told.stdout)
    assert found["about"] == ABOUT
    [visits] = [each for each in found["tables"] if each["table"] == "visits"]
    assert (visits["heavy"], visits["heaviest"], visits["keyless"]) == (1, 150, 6)
    assert {"column": "cost", "said": "bounds", "rows": 30} in visits["doubts"]
    assert len(found["findings"]) > 10


@pytest.mark.parametrize("refuted", ["a primary key", "a link's target"])
def test_what_is_refuted_ends_with_status_1_and_is_not_recorded(tmp_path: Path, refuted: str) -> None:
    if refuted == "a primary key":
        world = WORLD.replace("id BIGINT PRIMARY KEY", "id BIGINT") + "INSERT INTO people (id) VALUES (7), (8), (NULL)"
        path = town(tmp_path, POLICY, world)
        line = "- (id) of people is not unique and not null: 1 row has NULL in it and 2 keys are there more than once"
    else:
        path = town(tmp_path, POLICY + BILLS, WORLD + "INSERT INTO visits (visit, person) VALUES (5, 8)")
        line = "- (visit) of visits is not unique and not null: 1 key is there more than once"
    told = check(path, "--data")
    assert told.returncode == 1
    assert f"{line}; claim a key that is, or none" in told.stdout.splitlines()
    assert "Nothing is recorded: what the policy claims is not so." in told.stdout
    assert not (tmp_path / "town.record.json").exists()
    assert ("tables.bills.link.visit" in told.stderr) is (refuted != "a primary key")


def test_on_postgres_what_no_constraint_keeps_is_told_and_not_believed(tmp_path: Path) -> None:
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute(f"{WORLD.replace('id BIGINT PRIMARY KEY', 'id BIGINT')}{READER}".encode())
        told = check(write_postgres_policy(tmp_path, server, POLICY), "--data")
    assert told.returncode == 0
    assert (
        "- (id) of people is unique and not null now, and nothing keeps it so: ALTER TABLE people ADD PRIMARY KEY (id)"
        in told.stdout.splitlines()
    )
    assert not list(tmp_path.glob("*.record.json"))


@pytest.mark.long
def test_a_directory_that_takes_no_record(tmp_path: Path) -> None:
    """The key says another place, which must be there; Postgres has none."""
    path = town(tmp_path, POLICY.replace('town.duckdb"', 'town.duckdb"\nrecord = "kept/r.json"') + BILLS)
    told = check(path, "--data")
    assert "engine.record: is" in told.stderr
    (tmp_path / "kept").mkdir()
    assert check(path, "--data").returncode == 0
    assert [each.name for each in (tmp_path / "kept").iterdir()] == ["r.json"]
    found = check(path).stdout
    assert [cells(found, name)[3] for name in ("people", "visits", "bills")] == ["1", "20", "-"]
    path.write_text(path.read_text().replace("duckdb:///town.duckdb", "postgresql://a@localhost/b"))
    told = check(path)
    assert "engine.record: is given; expected none: rows of this engine come and go" in told.stderr
