"""Worlds for random statements: small ones that break every word of the owner, and clean ones that keep all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

import duckdb

from dpproxy.catalog.policy import Catalog
from neighbours import data
from neighbours.data import HEAVY, UNITS, Neighbours, World
from neighbours.dice import Dice
from neighbours.places import Hall, Place

PUBLIC = """
CREATE TABLE departments (dept TEXT, building TEXT, beds INTEGER);
INSERT INTO departments VALUES ('cardio', 'F', 20), ('neuro', 'F', 15), ('Delft', 'M', 30), ('A', '', 2);
CREATE TABLE nation (nationkey INTEGER, nation TEXT);
INSERT INTO nation VALUES (1, 'F'), (2, 'BUILDING'), (3, 'A'), (7, '5-LOW');
"""
_ODD_PUBLIC = """
CREATE TABLE main.departments (dept TEXT, building TEXT, beds INTEGER);
INSERT INTO main.departments VALUES ('cardio', 'F', 20), ('neuro', 'a b', 1), ('12', NULL, 40), ('', '', NULL);
CREATE TABLE main.nation (nationkey INTEGER, nation TEXT);
INSERT INTO main.nation VALUES (1, 'M'), (2, 'BUILDING'), (3, NULL), (0, 'A');
"""
_DEPTS = ["cardio", "neuro", "ortho", "dental"]
_CITIES = ["Delft", "Leiden", "Gouda", None]


def broken(dice: Dice) -> World:
    """As `data.worlds`, with a heavy unit that joins of four tables can bear."""

    def rows(most: int, *columns: list[str]) -> list[tuple[str, ...]]:
        return [tuple(map(dice.one, columns)) for _ in range(dice.one([1, most // 2, most]))]

    people = rows(4, ["'x'"], data._INTEGERS, data._SEXES, data._DOUBLES, data._TEXTS, ["true", "false", "NULL"],
                  data._DAYS)  # fmt: skip
    visits = rows(8, data._UNIT_KEYS, data._DAYS, data._DOUBLES, data._TEXTS, ["1", "1", "2", "4"])
    customer = rows(4, data._SEGMENTS, data._NATIONS, data._NUMERICS)
    orders = rows(6, data._UNIT_KEYS, data._DAYS, data._PRIORITIES)
    keys = ["0", "1", "2", "3", "4", "5", "99", "NULL"]
    lines = rows(8, keys, data._INTEGERS, data._NUMERICS, data._NUMERICS, data._NUMERICS, data._FLAGS, data._DAYS,
                 ["1", "1", "2", "4"])  # fmt: skip
    heavy = data._HEAVY_ROWS.format(
        s="{s}", u=HEAVY, rows=dice.one([6, 13]), keys=dice.one([3, 25]), high=dice.one(["400", "50", "1e5"])
    )
    return World(
        {
            "people": [(str(unit), *row) for unit, row in zip(UNITS, people, strict=False)],
            "visits": [(str(i), *row[:-1]) for i, row in enumerate(visits) for _ in range(int(row[-1]))],
            "customer": [(str(unit), *row) for unit, row in zip(UNITS, customer, strict=False)],
            "orders": [(str(i), *row) for i, row in enumerate(orders)],
            "lineitem": [row[:-1] for row in lines for _ in range(int(row[-1]))],
        },
        heavy,
    )


@dataclass(frozen=True)
class Around(Neighbours):
    """A world, and for each unit the world without it (or, of the heavy one, with it) and the unit's rows alone."""

    alone: dict[str, Place]


@contextmanager
def opened(world: World, catalog: Catalog) -> Iterator[Around]:
    """As `data.opened`, with each unit alone."""
    with duckdb.connect(":memory:", config={**data._CONFIG, "threads": "1"}) as connection:
        connection.execute(_ODD_PUBLIC + world.script("base"))
        units = {f"without_{unit}": unit for unit in data._present(world)}
        for name, unit in units.items():
            connection.execute(data._without(unit, name) + _alone(unit, f"only_{name}"))
        connection.execute(data._copied("heavy") + world.heavy.format(s="heavy"))
        connection.execute(_alone("NULL", "only_heavy") + world.heavy.format(s="only_heavy"))
        names = [*units, "heavy"]
        yield Around(
            data._place(connection, "base"),
            {name: data._place(connection, name) for name in names},
            "duckdb",
            catalog,
            {name: data._place(connection, f"only_{name}") for name in names},
        )


@contextmanager
def opened_in(hall: Hall, world: World) -> Iterator[Around]:
    """The same in Postgres; what the policy says is public is what the hall has."""
    heavy = world.for_postgres.heavy.format(s="public")
    with data.opened_in(hall, world) as around:
        alone = {f"without_{unit}": hall.place(data._deleted(unit, "IS NOT TRUE")) for unit in data._present(world)} | {
            "heavy": hall.place(data._deleted("NULL", "IS NOT TRUE") + heavy)
        }
        yield Around(around.base, around.others, around.dialect, around.catalog, alone)


def _alone(unit: str, schema: str) -> str:
    made = f"CREATE SCHEMA {schema};\n"
    for table, belongs in data._OF_UNIT.items():
        condition = belongs.format(u=unit, s="base")
        made += f"CREATE TABLE {schema}.{table} AS SELECT * FROM base.{table} WHERE {condition};\n"
    return made


def clean(seed: str) -> World:
    """All that the policy says is true, every row belongs to a unit, and keys of rows are unique."""
    random = Random(seed)

    def day(first: int, last: int) -> str:
        return f"'{random.randint(first, last)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}'"

    def text(options: list[str | None] | list[str]) -> str:
        found = random.choice(options)
        return "NULL" if found is None else f"'{found}'"

    people, customers = range(1, random.randint(6, 12)), range(1, random.randint(5, 9))
    orders = range(1, random.randint(8, 20))
    return World(
        {
            "people": [
                (str(i), "'x'", str(random.randint(18, 60)), text(["F", "M"]),
                 random.choice(["NULL", *(str(1000 * k) for k in (0, 20, 25, 60))]), text(_CITIES),
                 random.choice(["true", "false"]), day(2019, 2025))
                for i in people
            ],
            "visits": [
                (str(i), str(random.choice(people)), day(2023, 2025), str(random.randint(0, 1600) / 4), text(_DEPTS))
                for i in range(1, random.randint(12, 30))
            ],
            "customer": [
                (str(i), text(["BUILDING", "MACHINERY"]), str(random.randint(1, 4)), f"{random.randint(-900, 9000)}.25")
                for i in customers
            ],
            "orders": [
                (str(i), str(random.choice(customers)), day(1994, 1996), text(["1-URGENT", "5-LOW"])) for i in orders
            ],
            "lineitem": [
                (str(i), str(line), str(random.randint(1, 50)), str(random.randint(10, 90000)),
                 f"0.{random.randint(0, 10):02}", text(["A", "N", "R"]), day(1994, 1996))
                for i in orders for line in range(random.randint(0, 4))
            ],
        },
        "",
    )  # fmt: skip
