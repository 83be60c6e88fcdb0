"""The demo's city: its people, their visits to the clinic, and the clinic's departments, all from one seed.

Arrays are made by numpy as numbers and named inside DuckDB, so that no row ever passes through Python.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from duckdb import DuckDBPyConnection
from numpy.random import Generator

Array = np.ndarray[Any, Any]
Arrays = dict[str, Array]

SEED = 20_261_107
PEOPLE = 60_000

_FIRST = "Ada Ben Cora Dan Eva Finn Greta Hugo Ines Jan Kaja Leo Mira Nils Olga Paul Rosa Sven Tara Uwe Vera Yann Zelda"
_LAST = "Arnd Brook Castro Dahl Engel Farkas Gallo Holm Ito Jansen Kovac Lund Moreau Novak Okoye Petrov Quist Silva"
_DISTRICTS = (
    "Old Town",
    "Harbour",
    "Northgate",
    "Riverside",
    "Westfield",
    "Mill Hill",
    "Station",
    "Elm Park",
    "Southbank",
    "University",
    "Eastmoor",
    "Brickfields",
    "Gardens",
    "Castle",
    "Lakeside",
    "Foundry",
    "Market",
    "Orchard",
    "Cathedral",
    "Heath",
    "Weavers",
    "Saltworks",
    "Racecourse",
    "Quarry",
    "Airport",
    "Barracks",
    "Lighthouse",
    "Observatory",
    "Ferry Island",
    "Weir Cottages",
)
_FEW = (60, 25, 12, 6, 3, 1)  # people in the last districts: too few to be named in an answer

_DEPARTMENTS = (
    ("general", "Main", 0),
    ("emergency", "Main", 0),
    ("surgery", "Main", 2),
    ("radiology", "Main", 1),
    ("cardiology", "Tower", 4),
    ("neurology", "Tower", 5),
    ("oncology", "Tower", 7),
    ("paediatrics", "Garden Wing", 0),
    ("maternity", "Garden Wing", 1),
    ("dermatology", "Annex", 1),
    ("dentistry", "Annex", 0),
    ("psychiatry", "Annex", 2),
)
_BUSY = (30, 14, 6, 9, 8, 4, 3, 8, 4, 5, 7, 2)  # visits of each department, as weights

_TABLES = """
CREATE TABLE people (
    person_id bigint PRIMARY KEY, name text NOT NULL, age integer NOT NULL, sex text NOT NULL, income double NOT NULL,
    smoker boolean NOT NULL, district text NOT NULL, registered date NOT NULL);
CREATE TABLE visits (
    visit_id bigint NOT NULL, person_id bigint NOT NULL, day date NOT NULL, dept text NOT NULL, cost double NOT NULL);
CREATE TABLE departments (dept text PRIMARY KEY, building text NOT NULL, floor integer NOT NULL);
"""

_FILL_PEOPLE = """
INSERT INTO people SELECT person_id, $first[first + 1] || ' ' || $last[last + 1], age,
    CASE female WHEN 1 THEN 'F' ELSE 'M' END, income, smoker = 1, $districts[district + 1],
    DATE '1950-01-01' + registered::integer
FROM people_arrays
"""

_FILL_VISITS = """
INSERT INTO visits SELECT visit_id, person_id, DATE '2020-01-01' + day::integer, $departments[dept + 1], cents / 100
FROM visit_arrays
"""


def make_world(directory: Path) -> Path:
    """`demo.duckdb` in `directory`, the same rows each time. Returns its path."""
    path = directory / "demo.duckdb"
    generator = np.random.default_rng(SEED)
    people = _people(generator)
    visits = _visits(generator, people)
    with duckdb.connect(str(path)) as connection:
        connection.execute(_TABLES)
        connection.executemany("INSERT INTO departments VALUES (?, ?, ?)", _DEPARTMENTS)
        names = {"first": _FIRST.split(), "last": _LAST.split(), "districts": list(_DISTRICTS)}
        _fill(connection, "people_arrays", people, _FILL_PEOPLE, names)
        _fill(connection, "visit_arrays", visits, _FILL_VISITS, {"departments": [name for name, *_ in _DEPARTMENTS]})
    return path


def write_policy(directory: Path, port: int) -> Path:
    """`demo.toml` in `directory`: the demo's policy, to be served on `port`. Returns its path."""
    text = files(__package__).joinpath("demo.toml").read_text(encoding="utf-8")
    path = directory / "demo.toml"
    path.write_text(text.replace("port = 6432", f"port = {port}", 1), encoding="utf-8")
    return path


def _fill(connection: DuckDBPyConnection, name: str, arrays: Arrays, insert: str, names: dict[str, list[str]]) -> None:
    connection.register(name, arrays)
    connection.execute(insert, names)
    connection.unregister(name)


def _people(generator: Generator) -> Arrays:
    """One row each; nobody's number says anything. Incomes have a long tail, and children have none."""
    age = np.minimum(generator.beta(1.7, 2.6, PEOPLE) * 104, 103).astype(np.int32)
    district = _districts(generator)
    earned = np.exp(generator.normal(10.35, 0.55, PEOPLE) + 0.25 * np.sin((age - 18) / 16) - 0.02 * district)
    return {
        "person_id": 100_000 + generator.permutation(PEOPLE),
        "first": generator.integers(0, len(_FIRST.split()), PEOPLE),
        "last": generator.integers(0, len(_LAST.split()), PEOPLE),
        "age": age,
        "female": (generator.random(PEOPLE) < 0.48 + age / 1000).astype(np.int8),
        "income": np.where(age < 18, 0.0, np.round(earned)),
        "smoker": (generator.random(PEOPLE) < np.where(age < 16, 0.0, 0.21)).astype(np.int8),
        "district": district,
        "registered": _day_numbers(generator, age),
    }


def _districts(generator: Generator) -> Array:
    """Sizes as in Zipf's law, then the few."""
    many = len(_DISTRICTS) - len(_FEW)
    weights = 1 / np.arange(1, many + 1) ** 1.1
    weights = np.concatenate([weights / weights.sum() * (PEOPLE - sum(_FEW)), _FEW])
    return _pick(generator, weights, PEOPLE)


def _day_numbers(generator: Generator, age: Array) -> Array:
    """When they came to the city, in days since 1950: at any time of their life, until 2026."""
    years = np.minimum(age, 76) * (1 - generator.random(PEOPLE) ** 2)
    return np.clip(27_700 - (years * 365.25), 0, 27_700).astype(np.int32)


def _visits(generator: Generator, people: Arrays) -> Arrays:
    """Four each on average, more with age; many have none, a few come all the time."""
    mean = 0.6 + 8.2 * (people["age"] / 100) + 0.8 * people["smoker"]
    times = generator.poisson(mean * generator.gamma(0.8, 1.25, PEOPLE))
    owner = np.repeat(people["person_id"], times)
    dept = _pick(generator, np.array(_BUSY, dtype=float), owner.size)
    cents = np.exp(generator.normal(8.9, 0.8, owner.size) + 0.06 * dept).astype(np.int64)
    return {
        "visit_id": np.arange(1, owner.size + 1),
        "person_id": owner,
        "day": generator.integers(0, 2_500, owner.size),
        "dept": dept,
        "cents": cents,
    }


def _pick(generator: Generator, weights: Array, size: int) -> Array:
    """Random places, as often as their weights say."""
    shares = np.cumsum(weights) / weights.sum()
    places: Array = np.searchsorted(shares[:-1], generator.random(size), side="right")
    return places
