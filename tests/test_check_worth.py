"""`dpproxy check` says how sure answers will be: by the policy alone, by the rows, and of a file of statements."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from test_init import Command, command

from dpproxy.catalog.types import parse_type
from dpproxy.cli.answer_worth import NumberWorth, why_unknown
from dpproxy.error_bars.bars import Margins
from dpproxy.error_bars.typical import TypicalColumn
from dpproxy.plan.formulas import MeanOf
from dpproxy.plan.private_plan import Output

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
    plain = command("check", "--config", str(policy))[1]
    assert "How sure 5 numbers will be hangs on the data: dpproxy check --data looks." in plain.splitlines()
    assert "avg(age)" not in plain and "off by" not in plain
    assert command("check", "--config", str(policy), "--data")[0] == 0
    seen = answers(command("check", "--config", str(policy), "--data", "--json")[1])
    assert list(seen) == list(found)
    [[count], [mean], [grouped], *_] = seen.values()
    assert 30 < count["half_width"] < 32 and abs(count["size"] - 20_000) < 500
    assert 0 < mean["half_width"] < 1 and abs(grouped["size"] - 10_000) < 500
    assert all(each["half_width"] > 0 for numbers in seen.values() for each in numbers)
    assert re.search(r"±31, 0\.1\d* % of about", command("check", "--config", str(policy), "--data")[1])


def test_a_number_without_a_half_width_says_why(command: Command, policy: Path, tmp_path: Path) -> None:
    """Of a group that no ten units are in, and of the greatest, which has no end above."""
    asked = tmp_path / "asked.sql"
    asked.write_text("SELECT room_no, count(*) FROM people WHERE id < 10 GROUP BY 1; SELECT max(age) FROM people")
    out = command("check", "--config", str(policy), "--data", "--workload", str(asked))[1]
    assert re.search("room_no, .*no group came out: none has enough units", out)
    assert re.search("max.age. .*open at its own end", out)


@pytest.mark.parametrize(
    ("half_widths", "sizes", "said"),
    [
        ([math.nan], [7.0], "no interval: noise, or what a clip cuts off, may outweigh what is told"),
        ([math.nan], [math.nan], "not told: the noise outweighs what there is"),
        ([], [], "no group came out: none has enough units"),
        ([2.0], [7.0], None),
    ],
)
def test_why_an_average_has_no_half_width(half_widths: list[float], sizes: list[float], said: str | None) -> None:
    """Many rows of few units are not few rows."""
    average = Output("avg", parse_type("double precision"), MeanOf(1, 0), "avg(cost)")
    half = np.array(half_widths)
    margins = Margins(np.array(sizes) - half, np.array(sizes) + half, half / 2)
    assert why_unknown(TypicalColumn(0, 0, average, margins, np.array(sizes))) == said


@pytest.mark.parametrize(
    ("half", "size", "said"), [(120.4, 100.0, "±120, 120 % of about 100"), (0.997, 1.0, "±1, 100 % of about 1")]
)
def test_shares_have_no_exponent(half: float, size: float, said: str) -> None:
    assert NumberWorth("x", half, size, seen=True).words == said


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
