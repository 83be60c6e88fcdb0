"""`dpproxy check`, and `--data`, of a policy over Sail: no statement of it is advised that Spark has not."""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import duckdb
import pytest
from spark_servers import Sail

pytestmark = pytest.mark.long
POLICY = """
[server]
database = "demo"
[front]
url = "embedded:front"
[engine]
url = "{url}"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
primary_key = ["id"]
source = "people/*.parquet"
[tables.people.columns]
id = {{ type = "bigint" }}
sex = {{ type = "text", values = ["F", "it's"] }}
born = {{ type = "date", bounds = ["1900-01-01", "2026-12-31"] }}
seen = {{ type = "timestamp without time zone", nullable = true }}
[tables.visits]
unit = "person"
link = {{ person = "people.id" }}
determines = ["visit"]
source = "visits/*.parquet"
[tables.visits.columns]
person = {{ type = "bigint" }}
visit = {{ type = "bigint" }}
at = {{ type = "timestamp with time zone", bounds = ["2020-01-01 00:00+00", "2026-01-01 00:00+00"] }}
[tables.towns]
public = true
primary_key = ["town"]
source = "towns/*.parquet"
[tables.towns.columns]
town = {{ type = "text" }}
[analysts.alice]
trust = true
epsilon = 5.0
delta = 1e-6
"""
ROWS = {
    "people": "SELECT i AS id, CASE i % 3 WHEN 0 THEN 'F' WHEN 1 THEN 'it''s' ELSE 'x\\' END AS sex,"
    " DATE '1890-01-01' + (i * 800)::INT AS born, TIMESTAMP '2020-01-01' AS seen FROM range(100) AS t(i)",
    "visits": "SELECT i % 90 AS person, i // 2 AS visit, TIMESTAMPTZ '2019-12-31 12:00+00' AS at"
    " FROM range(300) AS t(i)",
    "towns": "SELECT 'Delft' AS town",
}


@pytest.fixture
def place(sail: Sail, tmp_path: Path) -> Path:
    for table, rows in ROWS.items():
        (tmp_path / table).mkdir()
        duckdb.sql(f"COPY ({rows}) TO '{tmp_path}/{table}/a.parquet' (FORMAT parquet)")
    (tmp_path / "policy.toml").write_text(POLICY.format(url=sail.url))
    return tmp_path / "policy.toml"


def checked(policy: Path, *options: str) -> str:
    program = Path(sysconfig.get_path("scripts")) / "dpproxy"
    done = subprocess.run([program, "check", "--config", policy, *options], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "PRIMARY KEY" not in said and "DuckDB" not in said, said
    return " ".join(said.split())


def test_a_key_that_nothing_keeps(place: Path) -> None:
    said = checked(place)
    assert (
        "keeps (id) unique, so a unit may have many rows, and answers have more noise; say how many count: max_" in said
    )
    assert "keeps (town) unique, so a join to it groups its rows by them first, and finds one" in said


def test_rows_are_looked_at(place: Path) -> None:
    said = checked(place, "--data")
    for line in (
        "(id) of people is unique and not null now, and is not believed to be: the engine keeps no keys",
        "(town) of towns is unique and not null now",
        "x\\",
        "2 rows",
    ):
        assert line in said, said
