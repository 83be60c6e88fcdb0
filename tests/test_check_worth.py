"""`dpproxy check` says how sure answers will be: by the policy alone, by the rows, and of a file of statements."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from test_init import Command, command

__all__ = ["command"]

pytestmark = pytest.mark.long

POLICY = """
[engine]
url = "duckdb:///clinic.duckdb"
[front]
url = "embedded:front"
[privacy]
accounting = "pure"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
{key}
[tables.people.columns]
id = {{ type = "bigint" }}
age = {{ type = "integer", bounds = [0, 100] }}
sex = {{ type = "text", values = ["F", "M"] }}
room_no = {{ type = "integer" }}
[tables.visits]
unit = "person"
link = {{ person = "people.id" }}
[tables.visits.columns]
person = {{ type = "bigint" }}
cost = {{ type = "double precision" }}
"""
ROWS = """
CREATE TABLE people (id BIGINT NOT NULL, age INTEGER NOT NULL, sex VARCHAR NOT NULL, room_no INTEGER NOT NULL);
CREATE TABLE visits (person BIGINT NOT NULL, cost DOUBLE NOT NULL);
INSERT INTO people SELECT i, i % 90, ['F', 'M'][1 + i % 2], i % 7 FROM range(20000) AS r(i);
INSERT INTO visits SELECT i % 20000, 100 + i % 50 FROM range(60000) AS r(i);
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute(ROWS)
    file = tmp_path / "clinic.toml"
    file.write_text(POLICY.format(key='primary_key = ["id"]'))
    return file


def answers(out: str) -> dict[str, list[dict[str, Any]]]:
    return {each["statement"]: each["numbers"] for each in json.loads(out)["answers"]}


def test_the_usual_statements(command: Command, policy: Path) -> None:
    """By the policy alone a clip hangs on the data. With the rows, and a key that was verified, nothing does."""
    status, out, _ = command("check", "--config", str(policy), "--json")
    assert status == 0
    found = answers(out)
    assert list(found) == [
        "SELECT count(*) FROM people",
        "SELECT avg(age) FROM people",
        "SELECT sex, count(*) FROM people GROUP BY 1",
        "SELECT count(*) FROM visits",
        "SELECT avg(cost) FROM visits",
    ]
    assert all(each["half_width"] is None for numbers in found.values() for each in numbers)
    assert "hangs on the data: --data looks" in command("check", "--config", str(policy))[1]
    assert command("check", "--config", str(policy), "--data")[0] == 0
    seen = answers(command("check", "--config", str(policy), "--data", "--json")[1])
    assert list(seen) == list(found)
    [[count], [mean], [grouped], *_] = seen.values()
    assert 30 < count["half_width"] < 32 and abs(count["size"] - 20_000) < 500
    assert 0 < mean["half_width"] < 1 and abs(grouped["size"] - 10_000) < 500
    assert all(each["half_width"] > 0 for numbers in seen.values() for each in numbers)
    assert re.search(r"±31, 0\.1\d* % of about", command("check", "--config", str(policy), "--data")[1])


def test_a_file_of_statements(command: Command, policy: Path, tmp_path: Path) -> None:
    """What is refused says why; what is free is."""
    asked = tmp_path / "asked.sql"
    asked.write_text(
        "SELECT count(*) FROM people;\nSELECT age FROM people;\nSELECT 1;\nSELECT max(nothing) FROM people"
    )
    status, out, _ = command("check", "--config", str(policy), "--workload", str(asked))
    assert status == 0
    assert "refused: DP002 this statement would return rows" in out
    assert "exact, and free" in out and "could not be bound to one column of the policy" in out
    assert command("check", "--config", str(policy), "--workload", str(tmp_path / "none.sql"))[0] == 1


def test_a_key_that_would_help(command: Command, policy: Path) -> None:
    policy.write_text(POLICY.format(key=""))
    out = command("check", "--config", str(policy), "--data")[1]
    assert 'tables.people.primary_key: each unit has one row; write primary_key = ["id"]' in out


def test_nothing_is_charged(command: Command, policy: Path) -> None:
    """There is no ledger before a proxy was started, and none afterwards."""
    assert command("check", "--config", str(policy), "--data")[0] == 0
    assert not (policy.parent / "front").exists()
