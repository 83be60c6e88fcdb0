"""What some clients have beyond the course: JDBC's and ODBC's questions about a database, builders, modes."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from .course.all_clients import CLIENTS
from .course.client import Address, Client, Part
from .course.drivers import psqlodbc
from .course.questions import BY_SEX, PREVIEW, QUESTIONS
from .test_course import settled

pytestmark = pytest.mark.long


def client(name: str) -> Client:
    """The client of that name, or the end of the test."""
    found = next(each for each in CLIENTS if each.name == name)
    if lacks := found.lacks():
        pytest.skip(f"{name}: there is no {lacks}")
    return found


def by_name(address: Address, name: str) -> dict[str, list[tuple[str, ...]]]:
    """The client's answers to all questions; the course says whether they are right."""
    return {asked: settled(rows) for asked, rows in client(name).parts[Part.ANSWERS](address).items()}


def test_all_that_jdbc_can_ask_about_a_database(gina: Address) -> None:
    told = client("pgjdbc").parts["metadata"](gina)
    failed = {name: value for name, value in told.items() if str(value).startswith("failed")}
    assert {name for name, value in failed.items() if "is not yet implemented" not in value} == set()
    assert len(told) > 150
    assert [row[8] for row in told["getIndexInfo"]] == ["person_id"]
    assert [row[1] for row in told["getBestRowIdentifier"]] == ["person_id"]
    assert {"int4", "text", "numeric", "date", "bool"} <= {row[0] for row in told["getTypeInfo"]}
    granted = [row[5] for row in told["getTablePrivileges"] if row[1:3] == ["public", "people"] and row[4] == "gina"]
    assert granted == ["SELECT"]


def test_jdbc_knows_types_before_anything_is_run(gina: Address) -> None:
    told = client("pgjdbc").parts["described"](gina)
    assert told["by sex"] == [[], ["sex", "n", "years"], ["text", "int8", "int8"]]
    assert told["older"] == [["int4"], ["n"], ["int8"]]
    assert told["joined"] == [["date"], ["count"], ["int8"]]
    assert told["smokers"] == [["bool"], ["smoker", "avg"], ["bool", "numeric"]]


def test_jdbc_in_each_of_its_modes(gina: Address) -> None:
    answers = by_name(gina, "pgjdbc")
    for mode, told in client("pgjdbc").parts["modes"](gina).items():
        assert {name: [settled(rows) for rows in runs] for name, runs in told.items()} == {
            name: [rows] * 2 for name, rows in answers.items()
        }, mode


def test_a_savepoint_outlives_a_refusal(gina: Address) -> None:
    refused, rows = client("pgjdbc").parts["savepoints"](gina)
    assert (refused, settled(rows)) == ("DP002", by_name(gina, "pgjdbc")[BY_SEX.name])


def test_all_that_odbc_can_ask_about_a_database(gina: Address) -> None:
    client("psqlODBC")
    with closing(psqlodbc.connect(gina)) as connection:
        cursor = connection.cursor()
        assert [row.column_name for row in cursor.statistics("people", schema="public")] == ["person_id"]
        # As of a plain Postgres: rows without an oid have no identifier for this driver.
        assert cursor.rowIdColumns("people", schema="public").fetchall() == []
        assert [row.column_name for row in cursor.rowVerColumns("people", schema="public")] == ["xmin"]
        assert {"int4", "text", "numeric"} <= {row.type_name for row in cursor.getTypeInfo()}
        assert cursor.procedures(schema="pg_catalog").fetchall()
        assert cursor.procedureColumns("abs", schema="pg_catalog").fetchall()
        assert ("public",) in {(row.table_schem,) for row in cursor.tables(schema="%", catalog="", table="")}


@pytest.mark.parametrize("options", [{"useserversideprepare": 0}, {"readonly": 1}, {"protocol": "7.4-1"}], ids=str)
def test_odbc_in_each_of_its_modes(gina: Address, options: dict[str, Any]) -> None:
    client("psqlODBC")
    with psqlodbc.opened(gina, **options) as session:
        told = {each.name: settled(session.rows(each.literal)) for each in QUESTIONS}
    assert told == by_name(gina, "psqlODBC")


def test_odbc_makes_a_savepoint_before_each_statement(gina: Address) -> None:
    client("psqlODBC")
    with psqlodbc.opened(gina) as session:
        session.rows("BEGIN")
        assert session.ends_with(PREVIEW) == "DP002"
        assert settled(session.rows(BY_SEX.sql)) == by_name(gina, "psqlODBC")[BY_SEX.name]
        session.rows("COMMIT")


def test_streams_of_node_postgres(gina: Address) -> None:
    rows = client("node-postgres").parts["stream"](gina)
    assert settled(rows) == by_name(gina, "node-postgres")[BY_SEX.name]


def test_what_the_builder_of_knex_makes(gina: Address) -> None:
    told = client("knex").parts["built"](gina)
    answers = by_name(gina, "knex")
    for way in ("whole", "streamed"):
        assert settled([tuple(row.values()) for row in told[way]]) == answers["by sex"]
    assert settled([tuple(told["first"].values())]) == answers["by sex"][:1]
    assert settled([tuple(row.values()) for row in told["older"]]) == answers["older"]
    assert told["savepoints"] == ["DP002", [{"n": "400"}]]


def test_what_the_models_of_sequelize_ask(gina: Address) -> None:
    told = client("Sequelize").parts["built"](gina)
    assert told["count"] == 400
    assert told["years"] == 19000
    assert told["smokers"] == 50
    assert [row["n"] for row in told["by sex"]] == ["200", "200"]
    assert told["preview"] == "DP002"
