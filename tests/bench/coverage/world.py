"""A small world: people, what they were charged for and how often they called, some of it without bounds or caps."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
from worlds import recorded

SEED = 20_261_126
PEOPLE = 2_000
_DISTRICTS = ("Old Town", "Harbour", "Northgate", "Riverside", "Westfield", "Mill Hill")
_DEPARTMENTS = (("general", "Main"), ("surgery", "Main"), ("cardiology", "Tower"), ("dentistry", "Annex"))
_TABLES = """
CREATE TABLE people (person_id bigint PRIMARY KEY, age integer NOT NULL, sex text NOT NULL, smoker boolean NOT NULL,
    grade text NOT NULL, district text NOT NULL, income double NOT NULL, weight double NOT NULL,
    wealth double NOT NULL);
CREATE TABLE visits (visit_id bigint PRIMARY KEY, person_id bigint NOT NULL, day date NOT NULL, dept text NOT NULL,
    cost double NOT NULL, fee double NOT NULL);
CREATE TABLE calls (call_id bigint PRIMARY KEY, person_id bigint NOT NULL, kind text NOT NULL,
    minutes integer NOT NULL);
CREATE TABLE departments (dept text PRIMARY KEY, building text NOT NULL);
INSERT INTO people SELECT person_id, age, CASE female WHEN 1 THEN 'F' ELSE 'M' END, smoker = 1,
    CASE WHEN person_id < 2 THEN 'seldom' ELSE 'often' END, $districts[district + 1], income, weight, wealth
    FROM given_people;
"""
_MORE = """
INSERT INTO visits SELECT visit_id, person_id, DATE '2020-01-01' + day::integer, $departments[dept + 1], cost, fee
    FROM given_visits;
INSERT INTO calls SELECT call_id, person_id, CASE incoming WHEN 1 THEN 'in' ELSE 'out' END, minutes FROM given_calls;
"""
_POLICY = """\
[server]
port = 0
database = "bench"

[front]
url = "embedded:{directory}/front"

[engine]
url = "duckdb:///{directory}/coverage.duckdb"
statement_timeout = "1h"

[privacy]
stored_bytes = 0

[units.person]
table = "people"
key = "person_id"

[tables.people]
unit = "person"
primary_key = ["person_id"]
[tables.people.columns]
person_id = {{ type = "bigint" }}
age = {{ type = "integer", bounds = [0, 110] }}
sex = {{ type = "text", values = ["F", "M"] }}
smoker = {{ type = "boolean" }}
grade = {{ type = "text", values = ["often", "seldom", "never"] }}
district = {{ type = "text" }}
income = {{ type = "double precision", bounds = [0, 150000], step = 1 }}
weight = {{ type = "double precision" }}
wealth = {{ type = "double precision" }}

[tables.visits]
unit = "person"
primary_key = ["visit_id"]
link = {{ person_id = "people.person_id" }}
[tables.visits.columns]
visit_id = {{ type = "bigint" }}
person_id = {{ type = "bigint" }}
day = {{ type = "date", bounds = ["2020-01-01", "2023-12-31"] }}
dept = {{ type = "text" }}
cost = {{ type = "double precision", bounds = [0, 1000], step = 0.01 }}
fee = {{ type = "double precision" }}

[tables.calls]
unit = "person"
primary_key = ["call_id"]
link = {{ person_id = "people.person_id" }}
max_rows_per_unit = 6
max_groups_per_unit = 2
[tables.calls.columns]
call_id = {{ type = "bigint" }}
person_id = {{ type = "bigint" }}
kind = {{ type = "text", values = ["in", "out"] }}
minutes = {{ type = "integer", bounds = [0, 60] }}

[tables.departments]
public = true
primary_key = ["dept"]
[tables.departments.columns]
dept = {{ type = "text" }}
building = {{ type = "text" }}

[analysts.erna]
trust = true
epsilon = 1e6
delta = 0.1
"""


def make_world(directory: Path) -> Path:
    """`coverage.duckdb` in `directory`, the same rows each time, and the policy over it, whose path is returned."""
    random = np.random.default_rng(SEED)
    people, (visits, calls) = _people(random), _rows(random)
    with duckdb.connect(str(directory / "coverage.duckdb")) as engine:
        for name, arrays in (("given_people", people), ("given_visits", visits), ("given_calls", calls)):
            engine.register(name, arrays)
        _run(engine, _TABLES, {"districts": list(_DISTRICTS)})
        engine.executemany("INSERT INTO departments VALUES (?, ?)", _DEPARTMENTS)
        _run(engine, _MORE, {"departments": [name for name, _ in _DEPARTMENTS]})
    policy = directory / "coverage.toml"
    policy.write_text(_POLICY.format(directory=directory))
    return recorded(policy)


def _run(engine: duckdb.DuckDBPyConnection, script: str, names: dict[str, list[str]]) -> None:
    for statement in filter(str.strip, script.split(";")):
        engine.execute(statement, {name: each for name, each in names.items() if f"${name}" in statement})


def _people(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Incomes within their bounds, weights with a short tail and none declared, wealth with a very long one."""
    age = np.minimum(random.beta(1.7, 2.6, PEOPLE) * 104, 103).astype(np.int32)
    income = np.exp(random.normal(10.35, 0.55, PEOPLE) + 0.25 * np.sin((age - 18) / 16))
    return {
        "person_id": np.arange(1, PEOPLE + 1),
        "age": age,
        "female": random.integers(0, 2, PEOPLE),
        "smoker": (random.random(PEOPLE) < 0.21).astype(np.int8),
        "district": np.minimum(random.geometric(0.4, PEOPLE) - 1, len(_DISTRICTS) - 1),
        "income": np.minimum(np.round(income), 150_000.0),
        "weight": np.round(np.maximum(random.normal(60 + 0.3 * age, 12), 30), 1),
        "wealth": np.round(random.lognormal(8, 2, PEOPLE), 2),
    }


def _rows(random: np.random.Generator) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Visits, of which many have none and a few many, and calls, of which nobody has more than six."""
    person = np.arange(1, PEOPLE + 1)
    visitor = np.repeat(person, random.poisson(3 * random.gamma(0.8, 1.25, PEOPLE)))
    caller = np.repeat(person, np.minimum(random.poisson(2, PEOPLE), 6))
    visits = {
        "visit_id": np.arange(visitor.size),
        "person_id": visitor,
        "day": random.integers(0, 1_460, visitor.size),
        "dept": random.choice(4, visitor.size, p=(0.5, 0.3, 0.15, 0.05)),
        "cost": np.round(np.minimum(random.lognormal(4.5, 0.8, visitor.size), 1000), 2),
        "fee": np.round(random.lognormal(3, 1, visitor.size), 2),
    }
    calls = {
        "call_id": np.arange(caller.size),
        "person_id": caller,
        "incoming": random.integers(0, 2, caller.size),
        "minutes": np.minimum(random.geometric(0.1, caller.size), 60),
    }
    return visits, calls
