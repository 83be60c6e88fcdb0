"""Random small worlds with the tables of sql_fixtures/world.toml, and their neighbours, in DuckDB or in Postgres.

Only what the policy *proves* holds in them: primary keys are unique and not null. Whatever the owner merely *says*
(bounds, values, no NULLs) is broken on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
from duckdb import DuckDBPyConnection
from hypothesis import strategies as st

from dpproxy.catalog.policy import Catalog
from dpproxy.engines.duckdb.opening import _CONFIG
from neighbours.places import Hall, Place, in_duckdb

UNITS = (1, 2, 3, 9223372036854775807)
HEAVY = 77
_UNIT_KEYS = [*(str(unit) for unit in UNITS), "1", "2", "NULL", "5000"]  # 5000: in no table of its own
_INTEGERS = ["0", "1", "20", "40", "41", "119", "120", "121", "-1", "2147483647", "-2147483648", "NULL"]
_DOUBLES = [
    *("0", "-0.0", "0.01", "15.5", "20", "200", "399.99", "400", "400.004", "500000", "-1", "NULL", "3e9", "1e308"),
    *("-1e308", "'nan'", "'inf'", "'-inf'", "5e-324", "0.005", "0.015"),
]
_NUMERICS = [
    *("0", "0.01", "0.05", "0.10", "0.11", "25", "50", "50.01", "-1", "99999.99", "NULL"),
    *("9999999999999.99", "-9999999999999.99"),
]
_DAYS = [
    *("'2024-01-01'", "'2024-02-29'", "'2023-12-31'", "'1994-06-30'", "'1995-03-31'", "'2020-01-01'", "NULL"),
    *("'infinity'", "'-infinity'", "'0001-01-01'", "'9999-12-31'", "'10000-01-01'", "'0044-03-15 (BC)'"),
    *("'5881580-07-10'", "'5877642-06-25 (BC)'"),
]
_TEXTS = ["'cardio'", "'neuro'", "'north'", "''", "'a b'", "'é'", "'%_'", "chr(0)", "'12'", "NULL", "'Delft'"]
_SEXES = ["'F'", "'M'", "'F'", "'f'", "''", "'X'", "NULL"]
_SEGMENTS = ["'BUILDING'", "'MACHINERY'", "'AUTOMOBILE'", "'other'", "NULL"]
_PRIORITIES = ["'1-URGENT'", "'5-LOW'", "'3'", "NULL"]
_FLAGS = ["'A'", "'N'", "'R'", "'Z'", "NULL"]
_NATIONS = ["1", "2", "3", "4", "NULL", "-2147483648"]

_TABLES = {
    "people": "person_id BIGINT, name TEXT, age INTEGER, sex TEXT, income DOUBLE PRECISION, city TEXT, "
    "smoker BOOLEAN, joined DATE",
    "visits": "visit_id BIGINT, person_id BIGINT, day DATE, cost DOUBLE PRECISION, dept TEXT",
    "customer": "custkey BIGINT, segment TEXT, nationkey INTEGER, acctbal NUMERIC(15,2)",
    "orders": "orderkey BIGINT, custkey BIGINT, orderdate DATE, priority TEXT",
    "lineitem": "orderkey BIGINT, linenumber INTEGER, quantity NUMERIC(15,2), price NUMERIC(15,2), "
    "discount NUMERIC(15,2), flag TEXT, shipdate DATE",
}
_PUBLIC = """
CREATE TABLE main.departments (dept TEXT, building TEXT, beds INTEGER);
INSERT INTO main.departments VALUES
  ('cardio', 'north', 20), ('neuro', 'north', 15), ('ortho', NULL, 30), ('', '', NULL);
CREATE TABLE main.nation (nationkey INTEGER, nation TEXT);
INSERT INTO main.nation VALUES (1, 'ALGERIA'), (2, 'BRAZIL'), (3, NULL);
"""
_KEYS = {
    "people": "person_id",
    "customer": "custkey",
    "orders": "orderkey",
    "departments": "dept",
    "nation": "nationkey",
}
_OF_UNIT = {
    "people": "person_id = {u}",
    "visits": "person_id = {u}",
    "customer": "custkey = {u}",
    "orders": "custkey = {u}",
    "lineitem": "orderkey IN (SELECT orderkey FROM {s}.orders WHERE custkey = {u})",
}
# A unit with very many rows and keys, which start at every extreme: what it adds is clamped wherever a clamp can bind.
# Of its numbers several are one as floating point, and it has NULL where the policy says that there is none.
_HEAVY_ROWS = """
INSERT INTO {s}.people VALUES ({u}, 'heavy', 121, 'F', 1e308, 'heavy', true, '2024-01-01');
INSERT INTO {s}.visits SELECT 9007199254740990 + i, {u},
  CASE WHEN i % 7 <> 5 THEN DATE '2024-01-01' + (i * 47 % 400)::INTEGER END,
  CASE WHEN i % 9 = 0 THEN -1e308 ELSE {high} END,
  CASE i % 31 WHEN 0 THEN 'cardio' WHEN 1 THEN 'neuro' WHEN 2 THEN NULL WHEN 3 THEN '' ELSE 'd' || (i % 31) % {keys} END
  FROM range({rows}) AS g(i);
INSERT INTO {s}.customer VALUES ({u}, 'BUILDING', 1, 9999999999999.99);
INSERT INTO {s}.orders SELECT 1000000 + i, {u}, DATE '1994-01-01' + (i * 17 % 1400)::INTEGER,
  CASE i % 4 WHEN 0 THEN '1-URGENT' WHEN 1 THEN '5-LOW' WHEN 2 THEN 'no priority' END FROM range({rows} // 2) AS g(i);
INSERT INTO {s}.lineitem SELECT 1000000 + i % 6, i % 9,
  CASE WHEN i % 9 = 0 THEN -9999999999999.99 ELSE {high} END, {high}, (i % 12) / 100.0,
  CASE i % 5 WHEN 0 THEN 'A' WHEN 1 THEN 'N' WHEN 2 THEN 'R' WHEN 3 THEN 'no flag' END,
  DATE '1994-01-01' + (i * 29 % 1400)::INTEGER
  FROM range({rows}) AS g(i);
"""
# What one engine can hold and the other cannot, and each one's word for what both can.
_IN_POSTGRES = {
    "chr(0)": "chr(1)",
    "-9999999999999.99": "'NaN'",
    "'0044-03-15 (BC)'": "'0044-03-15 BC'",
    "'5881580-07-10'": "'5874897-12-31'",
    "'5877642-06-25 (BC)'": "'4714-11-24 BC'",
}


@dataclass(frozen=True)
class World:
    """Rows as SQL literals, table by table; `heavy` is the script of the unit that a neighbour has more."""

    tables: dict[str, list[tuple[str, ...]]]
    heavy: str

    def script(self, schema: str) -> str:
        """The statements that make the world in `schema`."""
        tables = "".join(f"CREATE TABLE {schema}.{name} ({columns});\n" for name, columns in _TABLES.items())
        return f"CREATE SCHEMA IF NOT EXISTS {schema};\n{tables}" + self.rows(schema)

    def rows(self, schema: str) -> str:
        """The statements that fill the tables of `schema`."""
        filled = ((name, ",\n  ".join(f"({', '.join(row)})" for row in rows)) for name, rows in self.tables.items())
        return "".join(f"INSERT INTO {schema}.{name} VALUES\n  {rows};\n" for name, rows in filled if rows)

    @property
    def for_postgres(self) -> World:
        """The same world in the words of Postgres."""
        tables = {
            name: [tuple(_IN_POSTGRES.get(cell, cell) for cell in row) for row in rows]
            for name, rows in self.tables.items()
        }
        heavy = re.sub(r"range\((.*?)\)", r"generate_series(0, \1 - 1)", self.heavy).replace("//", "/")
        return World(tables, heavy.replace("-9999999999999.99", "CAST('NaN' AS NUMERIC)"))


@dataclass(frozen=True)
class Neighbours:
    """The world and each neighbour, by what sets it apart; the dialect and the catalog of what asks them."""

    base: Place
    others: dict[str, Place]
    dialect: str
    catalog: Catalog


def _rows(most: int, *columns: Sequence[str]) -> st.SearchStrategy[list[tuple[str, ...]]]:
    row = st.tuples(*map(st.sampled_from, columns))
    return st.lists(row, min_size=most // 2, max_size=most) | st.lists(row, max_size=1)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Any world: dangling links, NULL keys, duplicates, extreme values, and a heavy unit beside it."""
    people = draw(_rows(4, ["'x'"], _INTEGERS, _SEXES, _DOUBLES, _TEXTS, ["true", "false", "NULL"], _DAYS))
    visits = draw(_rows(9, _UNIT_KEYS, _DAYS, _DOUBLES, _TEXTS, ["1", "1", "2", "7"]))
    customer = draw(_rows(4, _SEGMENTS, _NATIONS, _NUMERICS))
    orders = draw(_rows(6, _UNIT_KEYS, _DAYS, _PRIORITIES))
    keys = ["0", "1", "2", "3", "4", "5", "99", "NULL"]
    lines = draw(_rows(9, keys, _INTEGERS, _NUMERICS, _NUMERICS, _NUMERICS, _FLAGS, _DAYS, ["1", "1", "2", "7"]))
    heavy = _HEAVY_ROWS.format(
        s="{s}", u=HEAVY, rows=draw(st.sampled_from([12, 300])), keys=draw(st.sampled_from([3, 25])),
        high=draw(st.sampled_from(["400", "50", "1e5", "9999999999999.99"])),
    )  # fmt: skip
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


@contextmanager
def opened(world: World, catalog: Catalog) -> Iterator[Neighbours]:
    """The world, and every world that has one unit less, or the heavy one more.

    A person and a customer go at once: a release reads rows of one kind of unit only.
    """
    config = dict(_CONFIG) | {"threads": "1"}
    with duckdb.connect(":memory:", config=config) as connection:
        connection.execute(_PUBLIC + world.script("base"))
        names = []
        for unit in _present(world):
            names.append(f"without_{unit}")
            connection.execute(_without(unit, names[-1]))
        connection.execute(_copied("heavy") + world.heavy.format(s="heavy"))
        places = {name: _place(connection, name) for name in ("base", *names, "heavy")}
        yield Neighbours(places.pop("base"), places, "duckdb", catalog)


@contextmanager
def opened_in(hall: Hall, world: World) -> Iterator[Neighbours]:
    """The same in Postgres."""
    world = world.for_postgres
    with hall.holding(world.rows("public")):
        others = {f"without_{unit}": hall.place(_deleted(unit, "IS TRUE")) for unit in _present(world)}
        heavy = hall.place(world.heavy.format(s="public"))
        yield Neighbours(hall.place(), {**others, "heavy": heavy}, "postgres", hall.catalog)


def postgres_tables(keyed: Mapping[str, str] = _KEYS) -> str:
    """The statements that make the tables in a Postgres, those without owners filled; keyed: primary keys."""
    keys = "".join(f"ALTER TABLE {table} ADD PRIMARY KEY ({key});\n" for table, key in keyed.items())
    tables = "".join(f"CREATE TABLE {name} ({columns});\n" for name, columns in _TABLES.items())
    return tables + _PUBLIC.replace("main.", "public.") + keys


def _deleted(unit: str, whether: str) -> str:
    """The statements that delete the rows of which it is true (false, not true) that they are the unit's."""
    return "".join(
        f"DELETE FROM public.{table} WHERE ({belongs.format(u=unit, s='public')}) {whether};\n"
        for table, belongs in reversed(_OF_UNIT.items())
    )


def _present(world: World) -> list[str]:
    """The units that are there: values of the key in any table that carries it."""
    cells = [
        row[index]
        for table, index in (("people", 0), ("visits", 1), ("customer", 0), ("orders", 1))
        for row in world.tables[table]
    ]
    return [unit for unit in dict.fromkeys(cells) if unit != "NULL"]


def _without(unit: str, schema: str) -> str:
    made = f"CREATE SCHEMA {schema};\n"
    for table, belongs in _OF_UNIT.items():
        condition = belongs.format(u=unit, s="base")
        made += f"CREATE TABLE {schema}.{table} AS SELECT * FROM base.{table} WHERE ({condition}) IS NOT TRUE;\n"
    return made


def _copied(schema: str) -> str:
    return f"CREATE SCHEMA {schema};\n" + "".join(
        f"CREATE TABLE {schema}.{table} AS SELECT * FROM base.{table};\n" for table in _TABLES
    )


def _place(connection: DuckDBPyConnection, schema: str) -> Place:
    cursor = connection.cursor()
    cursor.execute(f"SET search_path = '{schema},main'")
    return in_duckdb(cursor)
