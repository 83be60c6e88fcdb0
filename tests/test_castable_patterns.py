"""Text read as numbers and booleans, value by value as Postgres reads it; what Postgres refuses is NULL."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal

import duckdb
import psycopg
import pytest
from expression_world import parse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import sized, thinned
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sqlglot import exp

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import TEXT
from dpproxy.rewrite.algebra.render import value_text
from dpproxy.rewrite.expressions import Scope, Typed, column_fact, total

COLUMN = Typed(exp.column("v", "t", quoted=True), column_fact(TableColumn("v", TEXT), True))
SCOPE: Scope = {("t", "v"): COLUMN}
TYPES = ["smallint", "integer", "bigint", "numeric(10,2)", "numeric(30,20)", "numeric", "double precision", "boolean"]
SAMPLES = [
    *(
        "",
        " ",
        "0",
        "-0",
        "+7",
        " 12 ",
        "\t12\n",
        "\x0b12\x0c",
        "007",
        "32767",
        "32768",
        "-32768",
        "-32769",
        "12a",
        "--1",
    ),
    *("2147483648", "9223372036854775807", "9223372036854775808", "99999999.99", "99999999.994", "99999999.995", "1,5"),
    *(
        "0.005",
        "-0.005",
        "0.125",
        "1.",
        ".5",
        ".",
        "+.5",
        "-.",
        "1e2",
        "1E-2",
        "1e",
        "e1",
        "1e+99",
        "1.5e-7",
        "0x",
        "1 2",
    ),
    *(
        "9" * 38,
        "9" * 39,
        "0" * 60 + "1",
        "0." + "9" * 60,
        "1" * 100,
        "t",
        "TRUE",
        " yes ",
        "y",
        "no",
        "off",
        "of",
        "o",
    ),
    *(
        "on",
        "fals",
        "1",
        "tr ue",
        "truee",
        "é",
        "１",
        "1\x00"[:1],
        "12.995 ",
        "1_",
        "_1",
        "12345678.994999999999999999",
    ),
]
# What Postgres reads and the engine does not, which is NULL.
UNREAD = ["0x1F", "0b11", "1_000", "NaN", "Infinity", "-inf", "1e150"]


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    with (
        scratch_postgres(next(iter(INSTALLATIONS.values()))) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        yield connection


def mine(duck: duckdb.DuckDBPyConnection, type_: str, text: str) -> object:
    sql = value_text(total(parse(f"CAST(v AS {type_})"), SCOPE).sql, "duckdb")
    (value,) = duck.execute(f"SELECT {sql} FROM (SELECT CAST(? AS varchar) AS v) AS t", [text]).fetchone() or (None,)
    return value


def theirs(postgres: psycopg.Connection, type_: str, text: str) -> object:
    try:
        row = postgres.execute(f"SELECT CAST(%s::text AS {type_})", [text]).fetchone()  # type: ignore[arg-type]
    except psycopg.Error:
        return None
    return row[0] if row else None


def same(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float | Decimal):
        return math.isclose(left, float(right), rel_tol=1e-15)
    return left == right


@pytest.mark.parametrize("type_", thinned(TYPES, 2))
def test_text_is_read_as_postgres_reads_it(
    type_: str, duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection
) -> None:
    for text in SAMPLES:
        if type_.startswith("numeric(") and "e" in text.lower():
            continue
        assert same(mine(duck, type_, text), theirs(postgres, type_, text)), (type_, text)


@pytest.mark.parametrize("type_", [each for each in TYPES if each != "boolean"])
def test_what_only_postgres_reads_is_null(type_: str, duck: duckdb.DuckDBPyConnection) -> None:
    assert {mine(duck, type_, text) for text in UNREAD} == {None}


@pytest.mark.larger
@settings(max_examples=sized(50, 150, 1500), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(TYPES), st.text(alphabet=st.sampled_from("0123456789+-.eE \ttrueyfnos"), max_size=24))
def test_generated_text(duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, type_: str, text: str) -> None:
    read = mine(duck, type_, text)
    assert read is None or same(read, theirs(postgres, type_, text)), (type_, text)


def test_declared_text_becomes_declared_numbers() -> None:
    coded = TableColumn("v", TEXT, values=("1", "02", "x"))
    scope: Scope = {("t", "v"): Typed(COLUMN.sql, column_fact(coded, True))}
    assert total(parse("v::int"), scope).fact.domain == (1, 2)
    assert total(parse("v::boolean"), scope).fact.domain == (True,)
    assert total(parse("v::numeric(3,1) * 10"), scope).fact.domain == (Decimal(10), Decimal(20))
