"""A small world whose columns are of the types that few tables have, with their extremes, in DuckDB and in Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime

import duckdb
import numpy
import psycopg
from neighbours.places import Place
from worlds import NOW, TERMS

from dpproxy.catalog.policy import Catalog, Link, Table, TableColumn, Unit
from dpproxy.catalog.types import parse_type
from dpproxy.engines import EngineQuery
from dpproxy.engines.duckdb.tried import TRIED
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite import plan_statement
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.settings import read_settings
from dpproxy.rows import Column, Rows

UNITS = 40
# By engine: the type of each column as it is stored there.
STORED = {
    "duckdb": {
        "mood": "mood",
        "began": "TIMESTAMP_NS",
        "ended": "TIMESTAMP_S",
        "paused": "TIMESTAMP_MS",
        "raw": "BLOB",
        "age": "UTINYINT",
        "code": "UINTEGER",
        "token": "UBIGINT",
    },
    "postgres": {"mood": "mood", "gets_up": "time(3)", "raw": "bytea", "span": "interval"},
}
_BOUNDS = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 12, 31, tzinfo=UTC)
_COLUMNS = (
    TableColumn("id", parse_type("bigint")),
    TableColumn("seen", parse_type("timestamptz"), nullable=True, bounds=_BOUNDS),
    TableColumn("last", parse_type("timestamptz"), nullable=True),
    TableColumn("began", parse_type("timestamp"), nullable=True, bounds=(datetime(2024, 1, 1), datetime(2024, 12, 31))),
    TableColumn("ended", parse_type("timestamp"), nullable=True),
    TableColumn("paused", parse_type("timestamp"), nullable=True),
    TableColumn("gets_up", parse_type("time"), nullable=True),
    TableColumn("span", parse_type("interval"), nullable=True),
    TableColumn("raw", parse_type("bytea"), nullable=True),
    TableColumn("ref", parse_type("uuid"), nullable=True),
    TableColumn("mood", parse_type("text"), nullable=True, values=("sad", "ok", "happy")),
    TableColumn("tags", parse_type("integer[]"), nullable=True),
    TableColumn("age", parse_type("smallint"), nullable=True),
    TableColumn("code", parse_type("bigint"), nullable=True),
    TableColumn("token", parse_type("numeric(20,0)"), nullable=True),
)
_EVENTS = (
    TableColumn("person", parse_type("bigint"), nullable=True),
    TableColumn("moment", parse_type("timestamptz"), nullable=True),
)
_MOODS = (
    TableColumn("mood", parse_type("text"), nullable=True),
    TableColumn("since", parse_type("timestamptz"), nullable=True),
    TableColumn("opens", parse_type("time"), nullable=True),
    TableColumn("raw", parse_type("bytea"), nullable=True),
    TableColumn("ref", parse_type("uuid"), nullable=True),
)
_ENUM = "ENUM('sad', 'ok', 'happy')"


def catalog(engine: str) -> Catalog:
    """The policy's tables, as the engine's schema is read."""
    place = None if engine == "duckdb" else "public"
    people = Table(
        "people",
        _stored(_COLUMNS, engine),
        unit="person",
        unit_key="id",
        primary_key=("id",),
        unique=frozenset({("id",)}),
        max_rows_per_unit=1,
    )
    events = Table(
        "events",
        _stored(_EVENTS, engine),
        unit="person",
        links=(Link("person", "people", "id"),),
        max_rows_per_unit=4,
        max_groups_per_unit=4,
    )
    moods = Table("moods", _stored(_MOODS, engine), size=16)
    tables = {each.name: each for each in (people, events, moods)}
    if place is not None:
        tables = {name: replace(each, place=(place, name)) for name, each in tables.items()}
    return Catalog(tables, {"person": Unit("person", "people", "id")}, caps_hold=True)


def _stored(columns: tuple[TableColumn, ...], engine: str) -> tuple[TableColumn, ...]:
    return tuple(replace(each, stored=_as_stored(each, engine)) for each in columns)


def _as_stored(column: TableColumn, engine: str) -> str | None:
    """As the reader of the engine's schema says it."""
    if column.type.zone is not None:
        return "timestamp with time zone"
    if column.name == "mood":
        return _ENUM if engine == "duckdb" else "mood"
    named = STORED["duckdb"].get(column.name) if engine == "duckdb" else None
    return named if named in TRIED else None


def planned(sql: str, engine: str, zone: str = "UTC") -> Plan:
    """The plan of a statement of a session in that time zone."""
    tables = catalog(engine)
    names = {name: name for name in tables.tables}
    settings = read_settings({"epsilon": "1"}, TERMS)
    return plan_statement(Question(sql, (), (), settings, names, NOW, {}, zone), tables, TERMS, engine)


# Of each column, values that both engines read alike: ordinary ones, and the ends of what both hold.
_MOMENTS = [
    *("2024-01-01 00:00:00+00", "2024-01-31 23:30:00+00", "2024-03-31 00:59:59.999999+00", "2024-03-31 01:30:00+00"),
    *("2024-10-27 00:30:00+00", "2024-10-27 01:30:00+00", "2024-02-01 12:00:00.5+00", "2024-12-30 23:59:59+00"),
    *("infinity", "-infinity", "0001-01-01 00:00:00+00", "9999-12-31 23:59:59.999999+00", "1883-11-18 17:00:00+00"),
]
_COLUMN_VALUES = {
    "seen": [*_MOMENTS, None],
    "last": [*_MOMENTS[::-1], None, "2024-05-17 10:30:00+00"],
    "began": [
        "2024-01-01",
        "2024-02-29 10:00:00.25",
        "2024-12-31",
        "infinity",
        "-infinity",
        "1677-09-22",
        "2262-04-11",
    ],
    "ended": ["2024-01-01", "2023-12-31 23:59:59", None, "infinity", "-infinity", "0001-01-01", "9999-12-31 23:59:59"],
    "paused": ["2024-01-01", "2024-02-29 10:00:00.25", None, "infinity", "-infinity", "0001-01-01", "9999-12-31"],
    "gets_up": ["06:30", "08:00", "23:59:59.5", "00:00", "24:00:00", None, "07:15:30.125"],
    "span": ["1 day", None, "1 month 2 days 03:00:00", "-5 years", "00:00:00"],
    "raw": ["ab", "", None],
    "ref": ["00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff", None],
    "mood": ["sad", "ok", None],
    "tags": ["1,2", "", None, "NULL"],
    "age": ["0", "17", None, "90", "255"],
    "code": ["0", "4294967295", "70000", None],
    "token": ["0", "18446744073709551615", None, "9223372036854775808"],
}
# What one of them has alone, and no statement may be the worse for.
EXTREMES = {
    "duckdb": {
        "seen": ["294247-01-10 04:00:54.775806+00", "290309-12-22 (BC) 00:00:00+00"],
        "last": ["290309-12-22 (BC) 00:00:00+00", "294247-01-10 04:00:54.775806+00"],
        "began": ["2262-04-11 23:47:16.854775806", "1677-09-22 00:00:00.000000001"],
        "ended": ["294247-01-10 04:00:54", "290309-12-22 (BC) 00:00:00"],
        "paused": ["294247-01-10 04:00:54", "290309-12-22 (BC) 00:00:00"],
        "span": ["2000000000 days", "-2000000000 months"],
    },
    "postgres": {
        "seen": ["294276-12-31 23:59:59.999+00", "4713-01-01 00:00:00+00 BC"],
        "last": ["4713-01-01 00:00:00+00 BC", "294276-12-31 23:59:59.999+00"],
        "began": ["294276-12-31 23:59:59.999999", "4713-01-01 00:00:00 BC"],
        "ended": ["294276-12-31 23:59:59.999999", "4713-01-01 00:00:00 BC"],
        "paused": ["294276-12-31 23:59:59.999999", "4713-01-01 00:00:00 BC"],
        "span": ["178000000 years", "-178000000 years"],
    },
}


def _literal(name: str, text: str | None, engine: str) -> str:
    kind = str(next(each.type for each in _COLUMNS if each.name == name))
    kind = {"mood": "mood", "raw": "bytea" if engine == "postgres" else "BLOB"}.get(name, kind)
    kind = STORED[engine].get(name, kind) if name in ("began", "ended", "paused") else kind
    if text is None:
        return "NULL"
    if name == "tags":
        return f"CAST(ARRAY[{text}] AS integer[])"
    return f"CAST('{text}' AS {kind})"


def _rows(engine: str) -> Iterator[str]:
    """Rows in which values meet in ever new combinations; the last two have the extremes."""
    for row in range(UNITS - 2):
        values = [each[(row * (1 + at % 3) + row // 5) % len(each)] for at, each in enumerate(_COLUMN_VALUES.values())]
        written = (_literal(name, value, engine) for name, value in zip(_COLUMN_VALUES, values, strict=True))
        yield f"({row}, {', '.join(written)})"
    for row in range(2):
        values = [EXTREMES[engine].get(name, each)[row] for name, each in _COLUMN_VALUES.items()]
        written = (_literal(name, value, engine) for name, value in zip(_COLUMN_VALUES, values, strict=True))
        yield f"({UNITS - 2 + row}, {', '.join(written)})"


def script(engine: str) -> str:
    """The statements that make the tables, with their rows."""
    types = {each.name: STORED[engine].get(each.name, str(each.type)) for each in (*_COLUMNS, *_EVENTS, *_MOODS)}
    moods = {"mood": "mood", "since": "timestamptz", "opens": "time", "raw": types["raw"], "ref": "uuid"}
    columns = ", ".join(f"{each.name} {types[each.name]}" for each in _COLUMNS)
    events = (
        f"({row % UNITS}, CAST('{_MOMENTS[row * 7 % len(_MOMENTS)]}' AS timestamptz))" for row in range(3 * UNITS)
    )
    made = ", ".join(f"{name} {kind}" for name, kind in moods.items())
    rows = (
        f"('{mood}', CAST('{_MOMENTS[at]}' AS timestamptz), CAST('0{at}:00' AS time), {_literal('raw', raw, engine)},"
        f" {_literal('ref', _COLUMN_VALUES['ref'][at % 3], engine)})"
        for at, (mood, raw) in enumerate([("sad", "ab"), ("ok", None), ("happy", ""), ("sad", "ab"), ("ok", "c")])
    )
    return (
        "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');\n"
        f"CREATE TABLE people ({columns});\nCREATE TABLE events (person bigint, moment timestamptz);\n"
        f"CREATE TABLE moods ({made});\nINSERT INTO people VALUES {', '.join(_rows(engine))};\n"
        f"INSERT INTO events VALUES {', '.join(events)};\nINSERT INTO moods VALUES {', '.join(rows)};\n"
    )


@contextmanager
def in_memory(zone: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The world in DuckDB, whose session is in that zone.

    Two people more have seconds and milliseconds that DuckDB itself cannot show: they come from files.
    """
    with duckdb.connect(":memory:", config={"ieee_floating_point_ops": "true"}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(script("duckdb"))
        for unit, name in (("s", "ended"), ("ms", "paused")):
            beyond = numpy.array([2**63 - 2, -(2**63) + 2, 4 * 10**15], dtype="int64").view(f"datetime64[{unit}]")
            ids = numpy.array([100, 101, 102]) + (10 if unit == "s" else 0)
            connection.register("beyond", {"x": beyond, "id": ids})
            connection.execute(f"INSERT INTO people (id, {name}) SELECT id, x FROM beyond")
            connection.unregister("beyond")
        connection.execute(f"SET TimeZone = '{zone}'")
        yield connection


def in_postgres(connection: psycopg.Connection[tuple[object, ...]]) -> Place:
    """What runs a query in a Postgres that has the world."""

    def run(query: EngineQuery) -> Rows:
        cursor = connection.execute(query.sql)  # type: ignore[arg-type]
        columns = tuple(Column(each.name, "") for each in cursor.description or ())
        return Rows(columns, tuple(cursor.fetchall()))  # type: ignore[arg-type]

    return run


def without(unit: int) -> str:
    """The statements that delete a unit."""
    return f"DELETE FROM events WHERE person = {unit}; DELETE FROM people WHERE id = {unit}"
