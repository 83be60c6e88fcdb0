"""Every client runs the course: connects, introspects, asks, prepares, uses cursors, copies, cancels, makes errors.

The answers are those of a plain Postgres: gina's epsilon is so large that the noise is rounded away.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from scratch_postgres import ScratchPostgres

from dpproxy.cli.verifier import verifier

from .backends import Backend, made_world
from .conftest import ANALYSTS, PASSWORD, with_tls
from .course.all_clients import CLIENTS
from .course.client import Address, Client, Part
from .course.questions import BY_SEX, QUESTIONS, TIMES
from .course.table import PAGE, written
from .served import Served, serving

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def address(
    backend: Backend, tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path] | None, world: Served
) -> Iterator[Address]:
    """A proxy that takes TLS only, for gina."""
    if certificate is None:
        pytest.skip("there is no openssl")
    with made_world(backend, tmp_path_factory.mktemp("course")) as policy:
        text = with_tls(policy.read_text() + ANALYSTS.format(verifier=verifier(PASSWORD)), certificate)
        policy.write_text(text.replace("\n[server]", "\n[server]\nrequire_tls = true"))
        with serving(policy, "demo") as served:
            yield Address(served.host, served.port, served.database, "gina", PASSWORD, str(certificate[0]), world.port)


@pytest.fixture(scope="module")
def truth(plain: ScratchPostgres) -> dict[str, list[tuple[str, ...]]]:
    """The rows of each question in a plain Postgres."""
    with psycopg.connect(plain.conninfo, autocommit=True) as connection:
        return {each.name: settled(connection.execute(each.literal).fetchall()) for each in QUESTIONS}


def settled(rows: list[Any]) -> list[tuple[str, ...]]:
    """Rows in one spelling, whatever types a client has."""
    return [tuple(map(_spelled, row)) for row in rows]


def _spelled(value: Any) -> str:
    text = "NULL" if value is None else str(value).rstrip()
    try:
        return f"{float(text):.9g}"
    except ValueError:
        return {"True": "t", "False": "f", "true": "t", "false": "f"}.get(text, text)


def _each(part: Part) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "client", [each for each in CLIENTS if part in each.parts], ids=lambda each: each.name
    )


def _run(client: Client, part: Part, address: Address) -> Any:
    lacks = client.lacks()
    if lacks is not None:
        pytest.skip(f"{client.name}: there is no {lacks}")
    return client.parts[part](address)


def test_the_table_in_the_readme_is_that_of_the_clients() -> None:
    lacking = [each.name for each in CLIENTS if each.lacks()]
    if lacking:
        pytest.skip(f"without {', '.join(lacking)} the table is not whole")
    assert PAGE.read_text() == written(PAGE.read_text(), CLIENTS)


@_each(Part.CONNECTS)
def test_connects(client: Client, address: Address) -> None:
    assert list(_run(client, Part.CONNECTS, address)) == ["gina"]


@_each(Part.INTROSPECTS)
def test_introspects(client: Client, address: Address) -> None:
    told = _run(client, Part.INTROSPECTS, address)
    assert {"people", "visits", "departments"} <= set(told["tables"])
    assert [*told["columns"]] == ["person_id", "age", "sex", "income", "city", "smoker", "joined"]
    assert told.get("primary key", ["person_id"]) == ["person_id"]
    assert told.get("foreign key", ["person_id", "people", "person_id"]) == ["person_id", "people", "person_id"]
    assert "bounds 0 to 120" in told.get("comment", "bounds 0 to 120")


@_each(Part.ANSWERS)
def test_answers(client: Client, address: Address, truth: dict[str, list[tuple[str, ...]]]) -> None:
    told = _run(client, Part.ANSWERS, address)
    assert {name: settled(rows) for name, rows in told.items()} == truth


@_each(Part.PREPARED)
def test_prepared(client: Client, address: Address, truth: dict[str, list[tuple[str, ...]]]) -> None:
    for name, runs in _run(client, Part.PREPARED, address).items():
        assert [settled(rows) for rows in runs] == [truth[name]] * TIMES, name


@_each(Part.CURSOR)
def test_cursor(client: Client, address: Address, truth: dict[str, list[tuple[str, ...]]]) -> None:
    assert settled(_run(client, Part.CURSOR, address)) == truth[BY_SEX.name]


@_each(Part.COPY)
def test_copy(client: Client, address: Address, truth: dict[str, list[tuple[str, ...]]]) -> None:
    assert settled(_run(client, Part.COPY, address)) == truth[BY_SEX.name]


@_each(Part.CANCEL)
def test_cancel(client: Client, address: Address) -> None:
    state, one = _run(client, Part.CANCEL, address)
    assert (state, int(one)) == ("57014", 1)


@_each(Part.ERRORS)
def test_errors(client: Client, address: Address, truth: dict[str, list[tuple[str, ...]]]) -> None:
    *states, rows = _run(client, Part.ERRORS, address)
    assert states == ["DP002", "42703", "DP002", "25P02"]
    assert settled(rows) == truth[BY_SEX.name]
