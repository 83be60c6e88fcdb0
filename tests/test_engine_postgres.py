"""The Postgres engine: what it refuses, what it tells of its tables, and that nothing of it is left in the server."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import numpy as np
import psycopg
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.config import load
from dpproxy.engines import Engine, EngineColumn, EngineQuery, Ticket, Work, in_turn
from dpproxy.engines.postgres import driver
from dpproxy.engines.postgres.driver import PostgresEngine
from dpproxy.engines.postgres.inputs import numbered
from dpproxy.errors import (
    ConfigFault,
    EngineFailure,
    EngineUnavailable,
    FeatureNotSupported,
    QueryCanceled,
    StatementTimeout,
)
from dpproxy.rows import Rows, Value
from dpproxy.schema_fit import fit, opened
from tests.bench.bouncer import program as pgbouncer
from tests.scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres

ENDLESS = "SELECT pg_sleep(100000)"
INF = float("inf")

WORLD = r"""
CREATE SCHEMA sales;
CREATE TABLE people (id BIGINT PRIMARY KEY, city TEXT, code TEXT UNIQUE NOT NULL, nick TEXT UNIQUE);
INSERT INTO people VALUES (1, 'Bern', 'a', NULL), (2, 'Bern', 'b', NULL), (3, NULL, 'c', 'x');
CREATE TABLE sales."odd ""one"" here" (a INTEGER, b INTEGER, c INTEGER, PRIMARY KEY (a, b));
INSERT INTO sales."odd ""one"" here" VALUES (1, 1, 1), (1, 2, 2), (2, 1, NULL);
CREATE VIEW looks AS SELECT * FROM people;
CREATE MATERIALIZED VIEW stored AS SELECT * FROM people;
CREATE TABLE "dotted.name" (a INTEGER);
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN short AS VARCHAR(10);
CREATE DOMAIN shorter AS short CHECK (length(VALUE) < 5);
CREATE DOMAIN feeling AS mood;
CREATE DOMAIN many AS INTEGER[];
CREATE TABLE kinds (
  a SMALLINT, b INTEGER, c BIGINT, d NUMERIC, e NUMERIC(15,2), f REAL, g DOUBLE PRECISION, h TEXT, i VARCHAR(5),
  j VARCHAR NOT NULL, k CHAR(3), l BOOLEAN, m DATE, n TIMESTAMP, o TIMESTAMP(3), p TIMESTAMPTZ, q TIMESTAMPTZ(0),
  r UUID, s BYTEA, t INTEGER[], u MONEY, v mood, w short, x shorter, y feeling, z many,
  aa INTEGER GENERATED ALWAYS AS (b + 1) STORED, ab TEXT COLLATE "C");
INSERT INTO kinds (b, g, j, k, m, n, p, v, x) VALUES
  (1, 0.1, 'é', 'a', 'infinity', '0044-03-15 BC', '2020-01-01 12:00+02', 'glad', 'abc');
CREATE TABLE keys (
  ordinary INTEGER NOT NULL UNIQUE, late INTEGER NOT NULL UNIQUE DEFERRABLE, part INTEGER NOT NULL,
  expr INTEGER NOT NULL, open INTEGER UNIQUE, twice INTEGER NOT NULL, broken INTEGER NOT NULL,
  more INTEGER NOT NULL, extra INTEGER NOT NULL, spread INT4RANGE NOT NULL);
CREATE UNIQUE INDEX ON keys (part) WHERE part > 0;
CREATE UNIQUE INDEX ON keys (abs(expr));
CREATE INDEX ON keys (twice);
CREATE UNIQUE INDEX ON keys (more) INCLUDE (extra);
ALTER TABLE keys ADD EXCLUDE USING gist (spread WITH &&);
INSERT INTO keys VALUES (1, 1, 1, 1, 1, 1, 7, 1, 1, '[1,2)'), (2, 2, 2, 2, NULL, 1, 7, 2, 1, '[2,3)');
CREATE TABLE parent (id INTEGER PRIMARY KEY);
CREATE TABLE child () INHERITS (parent);
INSERT INTO parent VALUES (1);
INSERT INTO child VALUES (1);
CREATE TABLE cut (id INTEGER, day DATE, PRIMARY KEY (id)) PARTITION BY RANGE (id);
CREATE TABLE cut_one PARTITION OF cut FOR VALUES FROM (0) TO (10);
CREATE TABLE unfinished (id INTEGER NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE unfinished_one PARTITION OF unfinished FOR VALUES FROM (0) TO (10);
CREATE UNIQUE INDEX ON ONLY unfinished (id);
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE far (id INTEGER) SERVER nowhere;
CREATE TABLE half (id INTEGER) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE half_far PARTITION OF half FOR VALUES FROM (0) TO (10) SERVER nowhere;
CREATE TABLE hidden (id INTEGER);
CREATE TABLE shown (id INTEGER, secret INTEGER);
CREATE ROLE reader LOGIN PASSWORD 'r';
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
REVOKE SELECT ON hidden, shown FROM reader;
GRANT SELECT (id) ON shown TO reader;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
"""


def make_world(server: ScratchPostgres) -> None:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        for statement in WORLD.split(";\n"):
            connection.execute(statement)  # type: ignore[arg-type]
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("CREATE UNIQUE INDEX CONCURRENTLY ON keys (broken)")


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    with scratch_postgres(list(MAJORS.values())[-1]) as running:
        make_world(running)
        yield running


def url_of(server: ScratchPostgres, user: str = "owner", **more: object) -> str:
    password = ":r" if user == "reader" else ""
    words = "".join(f"&{name}={quote(str(value))}" for name, value in more.items())
    return f"postgresql://{user}{password}@/{server.database}?host={quote(str(server.directory))}{words}"


@pytest_asyncio.fixture
async def engine(server: ScratchPostgres) -> AsyncIterator[PostgresEngine]:
    opened = await PostgresEngine.open(url_of(server), max_concurrency=2)
    yield opened
    await opened.close()
    assert not backends(server)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("postgres engine")]


async def run(engine: PostgresEngine, *texts: str, ticket: Ticket | None = None) -> tuple[Rows, ...]:
    return await engine.run(in_turn(*map(EngineQuery, texts)), ticket or Ticket())


def asked(server: ScratchPostgres, text: str) -> list[tuple[object, ...]]:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        return connection.execute(text).fetchall()  # type: ignore[arg-type]


def tell(server: ScratchPostgres, text: str) -> None:
    """Runs the statements of `text`."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute(text)  # type: ignore[arg-type]


def backends(server: ScratchPostgres) -> int:
    """How many of the server's processes work for the engine. One that was told to end goes a moment later."""
    text = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dpproxy engine'"
    for _ in range(500):
        if asked(server, text) == [(0,)]:
            return 0
        time.sleep(0.01)
    return int(str(asked(server, text)[0][0]))


async def until(holds: Callable[[], bool]) -> None:
    while not holds():
        await asyncio.sleep(0.002)


async def sleeping(server: ScratchPostgres, count: int = 1) -> None:
    """Until so many of the engine's queries are under way."""
    text = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dpproxy engine' AND wait_event = 'PgSleep'"
    await until(lambda: asked(server, text) == [(count,)])


async def test_it_is_an_engine(engine: PostgresEngine) -> None:
    as_engine: Engine = engine
    assert as_engine.dialect == "postgres"


VALUES = (
    "SELECT 9223372036854775807 AS a, CAST(1.50 AS NUMERIC(15,2)) AS b, DATE '2020-02-29' AS c, "
    "TIMESTAMP '2020-01-01 12:00:00' AS d, CAST('a8664811-fe33-49b4-b142-f97c08c44c69' AS UUID) AS e, "
    "'ü' AS f, TRUE AS g, CAST(0.5 AS DOUBLE PRECISION) AS h, CAST(NULL AS BIGINT) AS i, "
    "TIMESTAMPTZ '2020-01-01 12:00:00+02' AS j, CAST('x' AS VARCHAR(5)) AS k, CAST(1 AS SMALLINT) AS l, "
    "CAST(1e30 AS NUMERIC) AS m, CAST(0.1 AS REAL) AS n"
)
EXPECTED = (
    2**63 - 1,
    Decimal("1.50"),
    date(2020, 2, 29),
    datetime(2020, 1, 1, 12),
    UUID("a8664811-fe33-49b4-b142-f97c08c44c69"),
    "ü",
    True,
    0.5,
    None,
    datetime(2020, 1, 1, 10),
    "x",
    1,
    Decimal(10**30),
    0.10000000149011612,
)
TYPES = [
    "bigint",
    "numeric",
    "date",
    "timestamp without time zone",
    "uuid",
    "text",
    "boolean",
    "double precision",
    "bigint",
    "timestamp with time zone",
    "character varying",
    "smallint",
    "numeric",
    "real",
]


async def check_values_and_types(engine: PostgresEngine) -> None:
    rows, nan = await run(engine, VALUES, "SELECT CAST('NaN' AS NUMERIC), CAST('NaN' AS REAL)")
    assert rows.rows == (EXPECTED,)
    assert all(type(found) is type(value) for found, value in zip(rows.rows[0], EXPECTED, strict=True))
    assert [column.type for column in rows.columns] == TYPES
    assert [column.name for column in rows.columns] == list("abcdefghijklmn")
    assert all(value != value for value in nan.rows[0])


CASTS: list[tuple[str, tuple[Value, ...]]] = [
    ("BIGINT", (1, None, 2**63 - 1, -(2**63), 0)),
    ("SMALLINT", (-32768, 32767)),
    ("DOUBLE PRECISION", (0.1, None, INF, -INF, 1.7976931348623157e308, 5e-324, -2.5)),
    ("REAL", (0.10000000149011612, 3.4028234663852886e38)),
    ("DECIMAL(15,2)", (Decimal("1.50"), None, Decimal("9999999999999.99"), Decimal("-1E+2"), Decimal(0))),
    ("DECIMAL(38,16)", (Decimal("9999999999999999999999.9999999999999999"),)),
    ("DECIMAL", (Decimal("1E+1000"), Decimal("1E-1000"))),
    ("TEXT", ("a", "", None, "NULL", "é\U0001f600", "[1, 2]", "{a,b}", "'\"\\$r0c0", " x ", "1")),
    ("VARCHAR", ("a",)),
    ("BOOLEAN", (True, None, False)),
    ("DATE", (date(1, 1, 1), None, date(2020, 2, 29), date(9999, 12, 31))),
    ("TIMESTAMP", (datetime(1, 1, 1), None, datetime(2020, 2, 29, 1, 2, 3, 4), datetime.max)),
    ("UUID", (UUID(int=1), None, UUID(int=2**128 - 1))),
]


async def check_inputs(engine: PostgresEngine) -> None:
    """Each as an array beside the others, also where there is no element, or no other than NULL."""
    for cast, values in CASTS:
        text = f"SELECT UNNEST(CAST($r0c0 AS {cast}[])) AS c0, UNNEST(CAST($t1c10 AS {cast}[])) AS c1"
        for array in (values, (None, None), ()):
            query = EngineQuery(text, {"r0c0": array, "t1c10": array[::-1]})
            (rows,) = await engine.run(in_turn(query), Ticket())
            assert rows.rows == tuple(zip(array, array[::-1], strict=True))


NUMERICS = [
    ("1E+400", INF),
    ("-1E+400", -INF),
    ("1E-400", 0.0),
    ("1.7976931348623159E+308", INF),
    ("Infinity", INF),
    ("-Infinity", -INF),
    ("1" * 200 + "." + "1" * 200, float("1" * 200)),
    ("0.1", 0.1),
    ("5E-324", 5e-324),
]


async def check_any_numeric_is_a_double(engine: PostgresEngine) -> None:
    for value, expected in NUMERICS:
        query = EngineQuery(
            "SELECT UNNEST(CAST($r0c0 AS DOUBLE PRECISION[]))", {"r0c0": (Decimal(value), Decimal("NaN"))}
        )
        ((found,), (nan,)) = (await engine.run(in_turn(query), Ticket()))[0].rows
        assert found == expected
        assert nan != nan


@pytest.mark.parametrize(
    "query",
    [
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS BIGINT[]))"),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS BIGINT[]))", {"r0c1": (1,)}),
        EngineQuery("SELECT 1", {"r0c0": (1,)}),
        EngineQuery("SELECT $1", {"r0c0": (1,)}),
        EngineQuery("SELECT $r0c0", {"r0c0": (1,)}),
        EngineQuery("SELECT CAST($r0c0 AS BIGINT[]), CAST($r0c0 AS TEXT[])", {"r0c0": (1,)}),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS BIGINT[]))", {"r0c0": ("x",)}),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS SMALLINT[]))", {"r0c0": (2**15,)}),
        EngineQuery("SELECT UNNEST(CAST($r0c0 AS TEXT[]))", {"r0c0": ("a\x00b",)}),
    ],
    ids=repr,
)
async def test_inputs_that_do_not_fit_are_one_failure(engine: PostgresEngine, query: EngineQuery) -> None:
    with pytest.raises(EngineFailure) as caught:
        await engine.run(in_turn(query), Ticket())
    assert caught.value.message == EngineFailure.TEXT


LITERALS = [
    ("'$r0c0'", "$r0c0"),
    ("'it''s $r0c0'", "it's $r0c0"),
    (r"'\'", "\\"),
    (r"E'\'$r0c0\\'", "'$r0c0\\"),
    (r"e'a\nb'", "a\nb"),
    ('"$r0c0"', "x"),
    ('"a""$r0c0"', "y"),
    ("'CAST($r0c0 AS TEXT[])'", "CAST($r0c0 AS TEXT[])"),
]


@pytest.mark.parametrize(("literal", "value"), LITERALS, ids=[literal for literal, _ in LITERALS])
async def test_parameters_are_not_looked_for_in_literals(engine: PostgresEngine, literal: str, value: str) -> None:
    names = '(SELECT \'x\' AS "$r0c0", \'y\' AS "a""$r0c0") AS n'
    text = f"SELECT {literal}, CAST($r0c0 AS TEXT[]) = ARRAY['z'], {literal} FROM {names}"
    (rows,) = await engine.run(in_turn(EngineQuery(text, {"r0c0": ("z",)})), Ticket())
    assert rows.rows == ((value, True, value),)


@pytest.mark.larger
@settings(max_examples=sized(100, 300, 3000), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["'", '"', "E'"]), st.text("$r0c'\"\\ ()[]\nAS,é")), max_size=4))
def test_only_parameters_are_numbered(written: list[tuple[str, str]]) -> None:
    """Between literals of any text, in Postgres's spelling, there are two parameters, and nothing else changes."""
    texts = [_spelled(mark, text) for mark, text in written]
    query = ", ".join(["CAST({} AS TEXT[])", *texts, "CAST({} AS DOUBLE PRECISION[])", *texts, "CAST({} AS TEXT[])"])
    sql, arrays = numbered(_filled(query, "$r0c0", "$r1c12", "$r0c0"), ARRAYS)
    assert sql == _filled(query, "$1::text[]", "$2::text[]", "$1::text[]")
    assert arrays == (["1", None], ["inf"])


ARRAYS: dict[str, tuple[Value, ...]] = {"r0c0": (1, None), "r1c12": (Decimal("1e999"),)}


def _spelled(mark: str, text: str) -> str:
    escaped = text.replace("\\", "\\\\") if mark == "E'" else text
    return mark + escaped.replace(mark[-1], mark[-1] * 2) + mark[-1]


def _filled(query: str, *names: str) -> str:
    for name in names:
        query = query.replace("{}", name, 1)
    return query


async def test_a_query_reads_what_was_made_of_the_one_before(engine: PostgresEngine) -> None:
    def work() -> Work[tuple[Rows, Rows]]:
        cities = yield EngineQuery("SELECT DISTINCT city FROM public.people WHERE city IS NOT NULL")
        made = tuple(f"{city}" for (city,) in cities.rows)
        found = yield EngineQuery(
            "SELECT c0, count(p.id) FROM (SELECT UNNEST(CAST($r0c0 AS VARCHAR[])) AS c0) AS s"
            " LEFT JOIN public.people AS p ON p.city = s.c0 GROUP BY c0",
            {"r0c0": (*made, "Genf")},
        )
        return cities, found

    cities, found = await engine.run(work(), Ticket())
    assert cities.rows == (("Bern",),)
    assert sorted(found.rows) == [("Bern", 2), ("Genf", 0)]


async def test_a_request_sees_one_moment_whatever_is_written_meanwhile(
    engine: PostgresEngine, server: ScratchPostgres
) -> None:
    tell(server, "CREATE TABLE written (x INTEGER); INSERT INTO written VALUES (1)")
    count = EngineQuery("SELECT count(*) FROM public.written")

    def work() -> Work[tuple[Rows, Rows]]:
        before = yield count
        tell(server, "INSERT INTO written VALUES (2)")
        return before, (yield count)

    before, after = await engine.run(work(), Ticket())
    assert before.rows == after.rows == ((1,),)
    assert (await engine.run(in_turn(count), Ticket()))[0].rows == ((2,),)
    tell(server, "DROP TABLE written")


async def test_an_empty_result_has_its_columns(engine: PostgresEngine) -> None:
    (rows,) = await run(engine, "SELECT id, city FROM public.people WHERE FALSE")
    assert [column.name for column in rows.columns] == ["id", "city"]
    assert rows.rows == ()


KINDS = [
    EngineColumn("a", "smallint", True),
    EngineColumn("b", "integer", True),
    EngineColumn("c", "bigint", True),
    EngineColumn("d", "numeric", True),
    EngineColumn("e", "numeric(15,2)", True),
    EngineColumn("f", "real", True),
    EngineColumn("g", "double precision", True),
    EngineColumn("h", "text", True),
    EngineColumn("i", "character varying(5)", True),
    EngineColumn("j", "character varying", False),
    EngineColumn("k", "text", True, "character(3)"),
    EngineColumn("l", "boolean", True),
    EngineColumn("m", "date", True),
    EngineColumn("n", "timestamp without time zone", True),
    EngineColumn("o", "timestamp without time zone", True),
    EngineColumn("p", "timestamp with time zone", True, "timestamp with time zone"),
    EngineColumn("q", "timestamp with time zone", True, "timestamp(0) with time zone"),
    EngineColumn("r", "uuid", True),
    EngineColumn("s", "bytea", True),
    EngineColumn("t", "integer[]", True),
    EngineColumn("u", "money", True),
    EngineColumn("v", "text", True, "public.mood"),
    EngineColumn("w", "character varying(10)", True, "public.short"),
    EngineColumn("x", "character varying(10)", True, "public.shorter"),
    EngineColumn("y", "text", True, "public.feeling"),
    EngineColumn("z", "integer[]", True, "public.many"),
    EngineColumn("aa", "integer", True),
    EngineColumn("ab", "text", True, "text COLLATE"),
]
UNIQUE = [
    ("people", ("id",), True),
    ("people", ("code",), True),
    ("people", ("city",), False),
    ("people", ("nick",), False),  # unique, and may be missing
    ("people", ("code", "id"), True),
    ("people", ("id", "city"), False),
    ('sales.odd "one" here', ("a", "b"), True),
    ('sales.odd "one" here', ("b", "a"), True),
    ('sales.odd "one" here', ("a",), False),
    ("keys", ("ordinary",), True),
    ("keys", ("late",), False),
    ("keys", ("part",), False),
    ("keys", ("expr",), False),
    ("keys", ("open",), False),
    ("keys", ("twice",), False),
    ("keys", ("broken",), False),  # its index is not valid
    ("keys", ("more",), True),
    ("keys", ("extra",), False),
    ("keys", ("spread",), False),
    ("parent", ("id",), False),  # the child's rows are among its rows
    ("cut", ("id",), True),
    ("cut_one", ("id",), True),
    ("unfinished", ("id",), False),
]


async def check_schema(engine: PostgresEngine) -> None:
    schema = await engine.schema()
    tables = {"people", "kinds", "keys", "parent", "child", "cut", "cut_one", "unfinished", "unfinished_one", "shown"}
    assert set(schema.tables) - {"late"} == tables | {'sales.odd "one" here', "hidden"} - schema.unreadable
    assert schema.tables['sales.odd "one" here'].place == ("sales", 'odd "one" here')
    assert schema.tables["people"].place == ("public", "people")
    assert schema.tables["people"].unique == {("id",), ("code",)}
    assert not schema.tables["parent"].unique
    assert schema.tables["parent"].columns[0].nullable
    assert list(schema.tables["kinds"].columns) == KINDS
    assert schema.views == {
        "looks": "a view",
        "stored": "a materialized view",
        "far": "a foreign table",
        "half_far": "a foreign table",
        "half": "a table with a foreign table below it",
        "dotted.name": "a table with a dot in its name",
    }
    for table, columns, expected in UNIQUE:
        assert schema.tables[table].enforces(columns) is expected, (table, columns)
    assert await engine.digest() is None


async def check_read(engine: PostgresEngine) -> None:
    rows = await engine.read("people", ("code", "id"), 10, Ticket())
    assert sorted(rows.rows) == [("a", 1), ("b", 2), ("c", 3)]
    assert len((await engine.read("people", ("id",), 2, Ticket())).rows) == 2
    names = ("b", "g", "j", "k", "m", "n", "p", "v", "x", "aa", "c")
    (row,) = (await engine.read("kinds", names, 10, Ticket())).rows
    moments = ("infinity", "0044-03-15 00:00:00 BC", "2020-01-01 10:00:00+00")
    assert row == (1, 0.1, "é", "a", *moments, "glad", "abc", 2, None)


async def check_a_collation_that_folds(engine: PostgresEngine, server: ScratchPostgres) -> None:
    """Where equal is not the same, nothing that counts units by value can be trusted."""
    try:
        tell(server, FOLDING)
    except psycopg.errors.FeatureNotSupported:  # built without ICU
        return
    schema = await engine.schema()
    assert [column.type for column in schema.tables["folded"].columns] == [
        "text with the nondeterministic collation folding",
        "text",
    ]
    assert not schema.tables["folded"].unique


FOLDING = """
CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE folded (a TEXT COLLATE folding PRIMARY KEY, b TEXT NOT NULL);
CREATE UNIQUE INDEX ON folded (b COLLATE folding);
"""


@pytest.mark.long
@pytest.mark.larger
@pytest.mark.parametrize("major", MAJORS)
async def test_every_version(major: int) -> None:
    with scratch_postgres(MAJORS[major]) as server:
        make_world(server)
        engine = await PostgresEngine.open(url_of(server), max_concurrency=2, statement_timeout=30)
        await check_values_and_types(engine)
        await check_inputs(engine)
        await check_any_numeric_is_a_double(engine)
        await check_schema(engine)
        await check_read(engine)
        await check_a_collation_that_folds(engine, server)
        await check_cancel(engine, server)
        assert await engine.warnings(()) == (
            "engine.url: the role owner is a superuser; one that may only SELECT is enough",
        )
        await engine.close()
        assert not backends(server)


async def check_cancel(engine: PostgresEngine, server: ScratchPostgres) -> None:
    ticket = Ticket()
    running = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
    await sleeping(server)
    ticket.cancel()
    ticket.cancel()
    with pytest.raises(QueryCanceled, match="canceling statement due to user request"):
        await running
    assert asked(server, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == []
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


NEWEST = """
CREATE TABLE late (a INTEGER, b INTEGER, c INTEGER GENERATED ALWAYS AS (b / a) VIRTUAL, d INT4RANGE, e INT4RANGE,
  PRIMARY KEY (d, e WITHOUT OVERLAPS));
INSERT INTO late VALUES (NULL, 1, DEFAULT, '[1,2)', '[1,2)'), (0, 1, DEFAULT, '[1,2)', '[2,3)');
ALTER TABLE late ADD CONSTRAINT there NOT NULL a NOT VALID;
"""


async def test_what_the_newest_version_has_besides(engine: PostgresEngine, server: ScratchPostgres) -> None:
    """NOT NULL that holds for new rows only, columns computed when they are read, keys that are no equality."""
    tell(server, NEWEST)
    late = (await engine.schema()).tables["late"]
    assert [(column.type, column.nullable) for column in late.columns[:3]] == [
        ("integer", True),
        ("integer", True),
        ("a generated integer", True),
    ]
    assert not late.unique
    tell(server, "DROP TABLE late")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM people",  # no schema is looked through but Postgres's own
        "INSERT INTO public.people VALUES (4, '', 'd', NULL)",
        "WITH n AS (INSERT INTO public.people VALUES (4, '', 'd', NULL) RETURNING id) SELECT id FROM n",
        "CREATE TEMP TABLE t AS SELECT 1",
        "SELECT 1 AS x INTO TEMP t",
        "SELECT id FROM public.people FOR UPDATE",
        "SELECT nextval('public.s')",
        "COPY public.people TO STDOUT",
        "SET statement_timeout = 0",
        "SHOW timezone",
        "COMMIT",
        "EXPLAIN SELECT 1",
        "DO 'BEGIN END'",
        "SELECT 1; SELECT 2",
        "SELECT 1; COMMIT",
        "",
        "SELEC 1",
        "SELECT 1 / 0",
    ],
)
async def test_everything_else_is_one_failure(engine: PostgresEngine, text: str) -> None:
    with pytest.raises(EngineFailure) as caught:
        await run(engine, text)
    assert caught.value.message == EngineFailure.TEXT
    assert caught.value.__cause__ is not None
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_the_session_may_say_what_it_likes(server: ScratchPostgres) -> None:
    """A transaction means the same whatever the role, the database or the URL set."""
    tell(server, "CREATE ROLE odd LOGIN PASSWORD 'r'")
    for setting in ODD:
        tell(server, f"ALTER ROLE odd SET {setting}")
    url = url_of(server, options="-c jit=on -c extra_float_digits=-5").replace("owner@", "odd:r@")
    engine = await PostgresEngine.open(url)
    names = ("TimeZone", "DateStyle", "IntervalStyle", "extra_float_digits", "search_path", "jit", "lc_numeric")
    wanted = ("UTC", "ISO, MDY", "postgres", "1", "pg_catalog, pg_temp", "off", "C")
    text = "SELECT " + ", ".join(f"current_setting('{name}')" for name in names)
    found, shown, isolation = await run(
        engine,
        text,
        "SELECT CAST(CAST(0.1 AS REAL) AS TEXT), CAST(TIMESTAMPTZ '2020-02-01 00:00+00' AS TEXT), 'a\\'",
        "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')",
    )
    assert found.rows == (wanted,)
    assert shown.rows == (("0.1", "2020-02-01 00:00:00+00", "a\\"),)
    assert isolation.rows == (("repeatable read", "on"),)
    await engine.close()
    tell(server, "DROP ROLE odd")


ODD = (
    "timezone = 'Asia/Tokyo'",
    "datestyle = 'German'",
    "intervalstyle = 'sql_standard'",
    "search_path = sales, public",
    "standard_conforming_strings = off",
    "default_transaction_isolation = 'read committed'",
    "statement_timeout = '1s'",
    "lock_timeout = '1ms'",
)


async def test_whole_numbers_come_as_arrays(engine: PostgresEngine) -> None:
    text = "SELECT i, i * i AS square, CAST(i AS numeric) * 2 AS twice FROM generate_series(1, 3) AS i"
    (rows,) = await engine.run(in_turn(EngineQuery(text, numbers=True)), Ticket())
    assert rows.numbers is not None and rows.rows == ()
    assert rows.numbers.tolist() == [[1, 2, 3], [1, 4, 9], [2, 4, 6]]
    (none,) = await engine.run(in_turn(EngineQuery(f"{text} WHERE false", numbers=True)), Ticket())
    assert none.numbers is not None and none.numbers.shape == (3, 0)
    many = "SELECT i, i::numeric AS n FROM generate_series(1, 200000) AS i"
    (every,) = await engine.run(in_turn(EngineQuery(many, numbers=True)), Ticket())
    assert every.numbers is not None and (every.numbers == np.arange(1, 200_001)).all()
    for odd in ("NULL::bigint", "NULL::numeric", "1.5", "'NaN'::numeric", "2::numeric ^ 64", "'x'"):
        with pytest.raises(EngineFailure):
            await engine.run(in_turn(EngineQuery(f"SELECT {odd} AS odd", numbers=True)), Ticket())
    given = EngineQuery("SELECT CAST(e AS bigint) AS e FROM unnest(CAST($some AS text[])) AS e", {"some": ("4", "-9")})
    (told,) = await engine.run(in_turn(replace(given, numbers=True)), Ticket())
    assert told.numbers is not None and told.numbers.tolist() == [[4, -9]]


async def test_whole_numbers_are_of_what_the_text_says(engine: PostgresEngine) -> None:
    """A literal stays what it is, whatever it is alike, and so does what is told."""
    odd = ("$1", "'", '"', "\\", "{", "}", ",", "NULL", "", " ", "a'); DROP", "\\'", "$2", "é\n", None, "%s")
    literals = ", ".join("'" + each.replace("'", "''") + "'" for each in odd if each is not None)
    sql = f"""SELECT count(*) AS all, count(e) AS some, count(*) FILTER (WHERE e IN ({literals})) AS known,
        count(*) FILTER (WHERE e = '$1' OR e = '$2') AS "$1", octet_length('$1 $2 $3') AS long
        FROM (SELECT unnest(CAST($r0c0 AS TEXT[])) AS e, unnest(CAST($t0c0 AS TEXT[])) AS f) AS x"""
    asked = EngineQuery(sql, {"r0c0": odd, "t0c0": odd[::-1]}, numbers=True)
    (told,) = await engine.run(in_turn(asked), Ticket())
    assert told.numbers is not None and told.numbers.tolist() == [[16], [15], [15], [2], [8]]


async def test_timeout(server: ScratchPostgres) -> None:
    engine = await PostgresEngine.open(url_of(server), statement_timeout=1.0)
    with pytest.raises(StatementTimeout) as caught:
        await run(engine, ENDLESS)
    assert "statement timeout" in str(caught.value.__cause__)
    for seconds in (0.05, 0.0, -1.0):
        with pytest.raises(StatementTimeout):
            await engine.run(in_turn(EngineQuery(ENDLESS)), Ticket(), seconds)
    with pytest.raises(EngineFailure):
        await engine.run(in_turn(EngineQuery("SELECT 1 / 0")), Ticket(), 30.0)
    assert engine.per_operation > 0
    await engine.close()
    assert not backends(server)


async def test_time_that_is_over_while_a_transaction_begins(
    server: ScratchPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is there all the same. The connection is not used again."""
    engine = await PostgresEngine.open(url_of(server))
    with monkeypatch.context() as patched:
        slow = "BEGIN READ ONLY; SET LOCAL statement_timeout = 1; SELECT pg_sleep(60)"
        patched.setattr("dpproxy.engines.postgres.driver.beginning", lambda *_: slow)
        with pytest.raises(StatementTimeout):
            await run(engine, "SELECT 1")
    assert await run(engine, "SELECT 1")
    await engine.close()
    assert not backends(server)


async def test_the_time_allowed_is_for_all_queries_of_a_request(server: ScratchPostgres) -> None:
    """Each is far below it, and they never end."""

    def work() -> Work[None]:
        while True:
            yield EngineQuery("SELECT 1")

    engine = await PostgresEngine.open(url_of(server), statement_timeout=0.2)
    with pytest.raises(StatementTimeout):
        await engine.run(work(), Ticket())
    with pytest.raises(StatementTimeout):
        await run(engine, "SELECT 1", ENDLESS, "SELECT 1 / 0")
    await engine.close()


async def test_the_server_is_told_what_is_left(server: ScratchPostgres) -> None:
    """It ends by itself what nobody waits for, and more of it where the version knows how."""
    engine = await PostgresEngine.open(url_of(server), statement_timeout=40)
    text = (
        "SELECT name, CAST(setting AS INTEGER) FROM pg_settings WHERE name LIKE '%timeout' AND name NOT LIKE 'tcp%'"
        " OR name = 'client_connection_check_interval'"
    )
    first, later = (dict(rows.rows) for rows in await run(engine, text, text))
    assert 40_000 >= first["statement_timeout"] > later["statement_timeout"] > 30_000
    assert 45_000 >= first["idle_in_transaction_session_timeout"] > 35_000
    assert 50_000 >= first["transaction_timeout"] > 40_000
    assert first["client_connection_check_interval"] == 5_000
    assert first["lock_timeout"] == 0
    await engine.close()


def between(reached: threading.Event, go_on: threading.Event, then: str) -> Work[Rows]:
    """Comes to `reached` after a first query, and only then on to another."""
    yield EngineQuery("SELECT 1")
    reached.set()
    assert go_on.wait(60)
    return (yield EngineQuery(then))


async def test_what_is_done_between_queries_does_not_hold_up_the_loop(engine: PostgresEngine) -> None:
    reached, go_on = threading.Event(), threading.Event()
    running = asyncio.create_task(engine.run(between(reached, go_on, "SELECT 2"), Ticket()))
    await asyncio.to_thread(reached.wait, 60)
    assert (await run(engine, "SELECT 3"))[0].rows == ((3,),)
    assert not running.done()
    go_on.set()
    assert (await running).rows == ((2,),)


@pytest.mark.parametrize("then", [ENDLESS, "SELECT 1 / 0"], ids=["endless", "failing"])
async def test_cancel_between_queries(engine: PostgresEngine, then: str) -> None:
    reached, go_on, ticket = threading.Event(), threading.Event(), Ticket()
    running = asyncio.create_task(engine.run(between(reached, go_on, then), ticket))
    await asyncio.to_thread(reached.wait, 60)
    ticket.cancel()
    for _ in range(20):
        await asyncio.sleep(0.001)
    assert not running.done()
    go_on.set()
    with pytest.raises(QueryCanceled):
        await running
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_cancel_before_the_start(engine: PostgresEngine) -> None:
    ticket = Ticket()
    ticket.cancel()
    with pytest.raises(QueryCanceled):
        await run(engine, ENDLESS, ticket=ticket)


async def test_cancel_racing_with_the_start(engine: PostgresEngine, server: ScratchPostgres) -> None:
    """At each await of a request: on a new connection, and on one that was used."""
    for turns in range(120):
        ticket = Ticket()
        if turns % 2:
            await run(engine, "SELECT 1")
        running = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
        for _ in range(turns // 2 % 30):
            await asyncio.sleep(0 if turns < 60 else 0.0003)
        ticket.cancel()
        with pytest.raises(QueryCanceled):
            await running
    assert asked(server, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == []


async def test_cancel_while_waiting_for_a_slot(engine: PostgresEngine, server: ScratchPostgres) -> None:
    busy = [Ticket(), Ticket()]
    tasks = [asyncio.create_task(run(engine, ENDLESS, ticket=ticket)) for ticket in busy]
    await sleeping(server, 2)
    waiting = Ticket()
    third = asyncio.create_task(run(engine, "SELECT 1", ticket=waiting))
    await asyncio.sleep(0.02)
    assert engine.connections() == {"used": 2, "idle": 0, "most": 2}
    waiting.cancel()
    with pytest.raises(QueryCanceled):
        await third
    for ticket in busy:
        ticket.cancel()
    assert all(isinstance(end, QueryCanceled) for end in await asyncio.gather(*tasks, return_exceptions=True))


async def test_cancel_after_the_end_is_nothing(engine: PostgresEngine) -> None:
    ticket = Ticket()
    await run(engine, "SELECT 1", ticket=ticket)
    ticket.cancel()
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_canceled_task_leaves_nothing(engine: PostgresEngine, server: ScratchPostgres, times: int) -> None:
    task = asyncio.create_task(run(engine, ENDLESS))
    await sleeping(server)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await sleeping(server, 0)
    await asyncio.gather(*(run(engine, "SELECT 1") for _ in range(3)))


async def test_a_canceled_task_is_not_a_canceled_ticket(engine: PostgresEngine, server: ScratchPostgres) -> None:
    ticket = Ticket()
    task = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
    await sleeping(server)
    ticket.cancel()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_the_work_raises(engine: PostgresEngine) -> None:
    """Its own errors for a person come out; anything else is told like the database's."""

    def work(fault: Exception) -> Work[None]:
        yield EngineQuery("SELECT 1")
        raise fault

    with pytest.raises(FeatureNotSupported, match="too many"):
        await engine.run(work(FeatureNotSupported("too many")), Ticket())
    for fault in (ValueError("a row"), KeyError("a row"), StopIteration("a row"), TimeoutError("a row")):
        with pytest.raises(EngineFailure) as caught:
            await engine.run(work(fault), Ticket())
        assert caught.value.message == EngineFailure.TEXT
        assert caught.value.__cause__ is not None
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_a_request_without_a_query(engine: PostgresEngine) -> None:
    assert await run(engine) == ()


async def test_many_at_once_are_never_more_than_allowed(engine: PostgresEngine, server: ScratchPostgres) -> None:
    text = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dpproxy engine'"

    async def reached() -> tuple[Rows, ...]:
        await engine.reach()
        return await run(engine, text)

    found = await asyncio.gather(*(reached() for _ in range(40)))
    assert {rows.rows for (rows,) in found} <= {((1,),), ((2,),)}
    assert engine.connections() == {"used": 0, "idle": 2, "most": 2}


async def test_close_ends_what_runs(server: ScratchPostgres) -> None:
    engine = await PostgresEngine.open(url_of(server), max_concurrency=1)
    task, queued = (asyncio.create_task(run(engine, ENDLESS)) for _ in range(2))
    await sleeping(server)
    await engine.close()
    with pytest.raises(EngineFailure):
        await task
    with pytest.raises(EngineUnavailable):
        await queued
    with pytest.raises(EngineUnavailable):
        await run(engine, "SELECT 1")
    assert not backends(server)


def terminated(server: ScratchPostgres) -> None:
    asked(server, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dpproxy engine'")


async def test_a_backend_killed_under_a_query_may_be_a_rows_doing(
    engine: PostgresEngine, server: ScratchPostgres
) -> None:
    task = asyncio.create_task(run(engine, ENDLESS))
    await sleeping(server)
    terminated(server)
    with pytest.raises(EngineFailure):
        await task
    assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


async def test_a_backend_killed_while_it_is_idle_is_noticed(engine: PostgresEngine, server: ScratchPostgres) -> None:
    for pause in (0.0, 0.05):
        await asyncio.gather(*(run(engine, "SELECT 1") for _ in range(2)))
        terminated(server)
        await asyncio.sleep(pause)
        assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)


STANDBY = (
    "engine.url: the server is a standby: a statement that the replay of changes cancels is an engine failure"
    " (set hot_standby_feedback = on, or a larger max_standby_streaming_delay)"
)


@pytest.mark.long
async def test_a_server_that_goes_and_comes_back() -> None:
    """At once told, and at once there again; what ran when it went is another matter."""
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        engine = await PostgresEngine.open(url_of(server, connect_timeout=1), max_concurrency=2)
        task = asyncio.create_task(run(engine, ENDLESS))
        await sleeping(server)
        server.kill()
        with pytest.raises(EngineFailure):
            await task
        for ask in (engine.reach(), run(engine, "SELECT 1"), run(engine, "SELECT 1"), engine.reach()):
            with pytest.raises(EngineUnavailable) as caught:
                await ask
            assert caught.value.__cause__ is not None
        server.start()
        await engine.reach()
        assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)
        server.suspend()  # a network that was cut
        with pytest.raises(EngineUnavailable):
            await run(engine, "SELECT 1")
        server.resume()
        assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)
        server.stop()
        (server.data / "standby.signal").touch()
        server.start()
        assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)
        assert (await engine.warnings(()))[1:] == (STANDBY,)
        ticket = Ticket()
        task = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
        await sleeping(server)
        server.suspend()
        ticket.cancel()
        with pytest.raises(QueryCanceled):
            await task
        server.resume()
        await sleeping(server, 0)
        await engine.close()


async def test_a_full_server_is_no_rows_doing(server: ScratchPostgres) -> None:
    tell(server, "CREATE ROLE single LOGIN PASSWORD 'r' CONNECTION LIMIT 1")
    engine = await PostgresEngine.open(url_of(server).replace("owner@", "single:r@"), max_concurrency=2)
    ticket = Ticket()
    task = asyncio.create_task(run(engine, ENDLESS, ticket=ticket))
    await sleeping(server)
    with pytest.raises(EngineUnavailable):
        await run(engine, "SELECT 1")
    ticket.cancel()
    with pytest.raises(QueryCanceled):
        await task
    await engine.close()
    tell(server, "DROP ROLE single")


async def test_a_reader(server: ScratchPostgres) -> None:
    engine = await PostgresEngine.open(url_of(server, "reader"))
    schema = await engine.schema()
    assert schema.unreadable == {"hidden", 'sales.odd "one" here'}
    assert [column.type for column in schema.tables["shown"].columns] == [
        "integer",
        "integer that the engine's role may not read",
    ]
    assert await engine.warnings(schema.tables) == ()
    await engine.close()


ROLE = "engine.url: the role writer"
GRANTS = [
    ("GRANT INSERT ON people TO writer", [f"{ROLE} may write to people; it needs no more than SELECT"]),
    ("GRANT UPDATE (city) ON people TO writer", [f"{ROLE} may write to people; it needs no more than SELECT"]),
    ("GRANT INSERT ON hidden TO writer", []),
    (
        "GRANT CREATE ON SCHEMA public, sales TO writer",
        [f"{ROLE} may create tables in the schemas public, sales; it needs no more than SELECT"],
    ),
    (
        "GRANT CREATE ON DATABASE front TO writer",
        [f"{ROLE} may create schemas in the database; it needs no more than SELECT"],
    ),
    (
        "GRANT pg_write_all_data, pg_read_server_files TO writer",
        [
            f"{ROLE} is a member of pg_read_server_files, pg_write_all_data; it needs no more than SELECT",
            f"{ROLE} may write to people; it needs no more than SELECT",
        ],
    ),
    (
        "ALTER ROLE writer CREATEDB",
        [f"{ROLE} may create roles or databases, or replicate; it needs no more than SELECT"],
    ),
    ("ALTER ROLE writer SUPERUSER", [f"{ROLE} is a superuser; one that may only SELECT is enough"]),
    (
        "ALTER TABLE people ENABLE ROW LEVEL SECURITY",
        [
            "tables.people: row security applies to the engine's role: rows that it hides do not count,"
            " and a policy of it that can raise an error on a row tells of that row"
        ],
    ),
    ("GRANT SELECT ON people TO writer", []),
]


@pytest.mark.long
@pytest.mark.parametrize(("grant", "expected"), GRANTS, ids=[grant for grant, _ in GRANTS])
async def test_a_role_that_may_more(server: ScratchPostgres, grant: str, expected: list[str]) -> None:
    tell(server, f"CREATE ROLE writer LOGIN PASSWORD 'r'; GRANT SELECT ON people TO writer; {grant}")
    engine = await PostgresEngine.open(url_of(server).replace("owner@", "writer:r@"))
    try:
        assert list(await engine.warnings(("people", "gone"))) == expected
    finally:
        await engine.close()
        tell(server, "ALTER TABLE people DISABLE ROW LEVEL SECURITY; DROP OWNED BY writer; DROP ROLE writer")


async def test_a_server_that_does_not_know_a_zone(server: ScratchPostgres, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that names it would fail as soon as there is a row."""
    monkeypatch.setattr(driver, "ZONES", frozenset({"UTC", "Mars/Olympus"}))
    with pytest.raises(ConfigFault) as caught:
        await PostgresEngine.open(url_of(server))
    assert caught.value.detail == "it does not know the time zone Mars/Olympus"


@pytest.mark.parametrize(
    ("url", "detail"),
    [
        ("postgresql://owner:secret@/nothing?host={}", 'database "nothing" does not exist'),
        ("postgresql://reader:wrong@/front?host={}", 'password authentication failed for user "reader"'),
        ("postgresql://nobody:wrong@/front?host={}", 'password authentication failed for user "nobody"'),
        ("postgresql://owner@/front?host=/nowhere", "No such file or directory"),
        ("postgresql://owner@127.0.0.1:1/front?connect_timeout=5", "Connect call failed"),
        ("postgresql://owner@127.0.0.1:1/front?sslmode=verify-full&sslrootcert=/nowhere", "No such file"),
        ("postgresql://owner@/front?host={}&gssencmode=require", "gssencmode is not supported here"),
        ("postgresql://owner@/front?host={}&channel_binding=require", "channel_binding is not supported here"),
        ("postgresql://owner@/front?host={}&requirepeer=root", "requirepeer is not supported here"),
        ("postgresql://owner@/front?host={}&connect_timeout=soon", "connect_timeout is no whole number"),
        ("postgresql://owner@/front?host={}&options=-c%20nonsense", "-c nonsense requires a value"),
        ("postgresql://owner@/latin?host={}", "its encoding is LATIN1, not UTF8"),
    ],
)
async def test_what_cannot_be_opened(server: ScratchPostgres, tmp_path: Path, url: str, detail: str) -> None:
    """It is told at its key, and never with the password."""
    if "latin" in url:
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    (tmp_path / "dp.toml").write_text(
        f'[front]\nurl = "embedded:front"\n[engine]\nurl = "{url.format(quote(str(server.directory)))}"\n'
    )
    config = load(tmp_path / "dp.toml", {})
    with pytest.raises(ConfigFault) as caught:
        await opened(config)
    told = caught.value.detail or ""
    assert "engine.url: the engine's" in told
    assert detail in told
    assert "wrong" not in told.replace(detail, "")
    assert "secret" not in told
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("postgres engine")]


class OverTcp(ScratchPostgres):
    """It listens at a port of 127.0.0.1 and 127.0.0.2 too, and speaks TLS there, as `reader` must."""

    def create(self) -> None:
        """With a certificate for 127.0.0.1 alone."""
        super().create()
        with closing(socket.create_server(("127.0.0.1", 0))) as listener:
            self.port = listener.getsockname()[1]
        self.options = ("-c", "listen_addresses=127.0.0.1,127.0.0.2", "-c", f"port={self.port}", "-c", "ssl=on")  # type: ignore[misc]
        files = ["-keyout", str(self.data / "server.key"), "-out", str(self.data / "server.crt")]
        made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=here"]
        subprocess.run([*made, "-addext", "subjectAltName=IP:127.0.0.1", *files], check=True, capture_output=True)
        (self.data / "server.key").chmod(0o600)
        _give(self.data, "server.key", "server.crt")
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write("hostssl all reader 127.0.0.0/8 scram-sha-256\nhost all owner 127.0.0.0/8 trust\n")

    @property
    def conninfo(self) -> str:
        """How the owner connects."""
        return f"{super().conninfo} port={self.port}"

    @property
    def _maintenance(self) -> str:
        return f"{super()._maintenance} port={self.port}"


def _give(directory: Path, *names: str) -> None:
    """To whom the directory belongs."""
    for name in names:
        os.chown(directory / name, directory.stat().st_uid, directory.stat().st_gid)


def speaks_tls(binaries: Path) -> bool:
    """Whether a Postgres was built with it."""
    described = subprocess.run([binaries / "postgres", "--describe-config"], capture_output=True, text=True)
    return any(line.startswith("ssl_ciphers") and "\tnone\t" not in line for line in described.stdout.splitlines())


WITH_TLS = [path for path in MAJORS.values() if speaks_tls(path)]
NO_TLS = not (WITH_TLS and shutil.which("openssl"))


@pytest.fixture(scope="module")
def over_tcp() -> Iterator[OverTcp]:
    with scratch_postgres(WITH_TLS[-1], OverTcp) as running:
        make_world(running)
        yield running


@pytest.mark.skipif(NO_TLS, reason="there is no Postgres with TLS, or no openssl")
@pytest.mark.parametrize(
    ("host", "words", "expected"),
    [
        ("127.0.0.1", "", True),
        ("127.0.0.1", "?sslmode=require", True),
        ("127.0.0.1", "?sslmode=verify-ca&sslrootcert={}", True),
        ("127.0.0.1", "?sslmode=verify-full&sslrootcert={}", True),
        ("127.0.0.2", "?sslmode=verify-ca&sslrootcert={}", True),
        ("127.0.0.2", "?sslmode=verify-full&sslrootcert={}", "certificate is not valid for '127.0.0.2'"),
        (
            "127.0.0.1",
            "?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt",
            "certificate verify failed",
        ),
        ("127.0.0.1", "?sslmode=disable", "no pg_hba.conf entry"),
        ("127.0.0.1", "?keepalives=0&application_name=x&sslmode=require", True),
    ],
)
async def test_tls(over_tcp: OverTcp, host: str, words: str, expected: bool | str) -> None:
    url = f"postgresql://reader:r@{host}:{over_tcp.port}/front{words.format(over_tcp.data / 'server.crt')}"
    if isinstance(expected, str):
        with pytest.raises(ConfigFault) as caught:
            await PostgresEngine.open(url)
        assert expected in (caught.value.detail or "")
        return
    engine = await PostgresEngine.open(url)
    (rows,) = await run(engine, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    assert rows.rows == ((expected,),)
    await check_cancel(engine, over_tcp)
    assert await engine.warnings(()) == ()
    await engine.close()


@pytest.mark.skipif(NO_TLS, reason="there is no Postgres with TLS, or no openssl")
async def test_a_plain_connection_to_another_machine_is_told(over_tcp: OverTcp) -> None:
    engine = await PostgresEngine.open(f"postgresql://owner@127.0.0.2:{over_tcp.port}/front?sslmode=disable")
    assert (await engine.warnings(()))[1:] == (
        "engine.url: the connection to another machine is not encrypted (say sslmode=verify-full)",
    )
    await engine.close()


BOUNCER = """
[databases]
front = host={server.directory} dbname=front user=owner

[pgbouncer]
listen_addr =
unix_socket_dir = {place}
listen_port = 6432
pool_mode = transaction
default_pool_size = 2
auth_type = any
"""


def _listens(place: Path) -> bool:
    """A socket's file is there a moment before anybody listens at it."""
    with socket.socket(socket.AF_UNIX) as door:
        return door.connect_ex(str(place)) == 0


@contextmanager
def bouncing(server: ScratchPostgres) -> Iterator[str]:
    """A pgbouncer in transaction mode, with no setting for its client's sake; the URL to connect to."""
    place = server.directory / "bouncer"
    place.mkdir()
    (place / "ini").write_text(BOUNCER.format(server=server, place=place))
    _give(server.directory, "bouncer", "bouncer/ini")
    user = {"user": pwd.getpwnam("nobody").pw_uid} if os.geteuid() == 0 else {}
    with (place / "log").open("wb") as log:
        process = subprocess.Popen([str(pgbouncer()), str(place / "ini")], stdout=log, stderr=log, **user)  # type: ignore[call-overload]
    try:
        until = time.monotonic() + 20
        while not _listens(place / ".s.PGSQL.6432") and time.monotonic() < until:
            time.sleep(0.02)
        yield f"postgresql://owner@/front?host={place}&port=6432"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.skipif(pgbouncer() is None, reason="there is no pgbouncer")
async def test_a_pooler_in_transaction_mode(server: ScratchPostgres) -> None:
    """Each transaction may come to another session of the server's, and says all that it needs."""
    with bouncing(server) as url:
        engine = await PostgresEngine.open(url, max_concurrency=4, statement_timeout=30)
        await check_values_and_types(engine)
        await check_inputs(engine)
        await check_read(engine)
        texts = ("SELECT current_setting('TimeZone')", "SELECT pg_backend_pid()")
        found = await asyncio.gather(*(run(engine, *texts, texts[1]) for _ in range(40)))
        assert {zone.rows for zone, _, _ in found} == {(("UTC",),)}
        assert all(first.rows == then.rows for _, first, then in found)
        await check_cancel(engine, server)
        terminated(server)
        assert (await run(engine, "SELECT 1"))[0].rows == ((1,),)
        await engine.close()
        assert asked(server, "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'") == [(0,)]


FITTED = """
[front]
url = "embedded:front"
[engine]
url = "{url}"
[units.person]
table = "people"
key = "id"
[tables.people]
unit = "person"
primary_key = ["id"]
[tables.people.columns]
id = {{ type = "bigint" }}
city = {{ type = "text", nullable = true }}
[tables.kinds]
public = true
[tables."sales.odd \\"one\\" here"]
public = true
[tables."sales.odd \\"one\\" here".columns]
a = {{ type = "integer" }}
[analysts.alice]
trust = true
epsilon = 1
delta = 1e-6
"""


async def test_a_policy_over_it(engine: PostgresEngine, server: ScratchPostgres, tmp_path: Path) -> None:
    (tmp_path / "dp.toml").write_text(FITTED.format(url=url_of(server)))
    fitted = await fit(load(tmp_path / "dp.toml", {}), engine)
    people, kinds, odd = fitted.catalog.tables.values()
    assert (people.place, people.unique, people.max_rows_per_unit) == (("public", "people"), {("id",)}, 1)
    assert odd.place == ("sales", 'odd "one" here')
    mood, moment = kinds.column("v"), kinds.column("p")
    assert mood is not None and moment is not None
    assert (str(mood.type), mood.stored) == ("text", "public.mood")
    assert (str(moment.type), moment.stored) == ("timestamp with time zone", "timestamp with time zone")
    left_out = {"u": "money"}
    *known, unlisted = fitted.warnings
    assert known == [
        *(f"tables.kinds: the column {c} is left out, its type {t} is not supported" for c, t in left_out.items()),
        "engine.url: the role owner is a superuser; one that may only SELECT is enough",
    ]
    assert unlisted.startswith("tables.kinds.columns: none are listed, so what is there at the first start is public")
    line = unlisted.partition("; write ")[2]
    assert 'v = { type = "text", nullable = true }, ' in line and " u = {" not in line
    text = FITTED.format(url=url_of(server)).replace("[tables.kinds]\n", f"[tables.kinds]\n{line}\n")
    (tmp_path / "dp.toml").write_text(text)
    listed = await fit(load(tmp_path / "dp.toml", {}), engine)
    assert listed.catalog.tables["kinds"] == kinds and list(listed.warnings) == known[-1:], "the line says the same"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "[tables.kinds]",
            "[tables.looks]",
            "tables.looks: is a view in the engine; expected a table",
        ),
        ("[tables.kinds]", "[tables.far]", "tables.far: is a foreign table in the engine; expected a table"),
        (
            "[tables.kinds]",
            "[tables.hidden]",
            "tables.hidden: may not be read by the engine's role; expected GRANT SELECT ON hidden to that role",
        ),
        (
            'city = {{ type = "text", nullable = true }}',
            'city = {{ type = "integer" }}',
            'tables.people.columns.city.type: is integer, in the engine it is text; expected "text"',
        ),
    ],
)
async def test_policies_that_do_not_fit(
    server: ScratchPostgres, tmp_path: Path, old: str, new: str, fault: str
) -> None:
    policy = FITTED.replace('[tables."sales.odd \\"one\\" here"]\npublic = true\n', "")
    policy = policy.replace('[tables."sales.odd \\"one\\" here".columns]\na = {{ type = "integer" }}\n', "")
    assert policy.count(old) == 1
    (tmp_path / "dp.toml").write_text(policy.replace(old, new).format(url=url_of(server, "reader")))
    config = load(tmp_path / "dp.toml", {})
    engine = await opened(config)
    with pytest.raises(ConfigFault) as caught:
        await fit(config, engine)
    assert (caught.value.detail or "").removeprefix(f"{tmp_path / 'dp.toml'}: ") == fault
    await engine.close()
