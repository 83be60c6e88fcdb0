"""psql, psycopg and asyncpg before the proxy: what they see is what a plain Postgres would show them, noise aside.

Where values are compared too, a statement may cost so much that its noise is never anything but zero.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
from psycopg.types.numeric import Int2, Int4, Int8
from scratch_postgres import ScratchPostgres

from dpproxy.cli.verifier import verifier

from .backends import Backend, made_world
from .conftest import ANALYSTS, PASSWORD, with_tls
from .served import Served, psql, serving, spent

pytestmark = pytest.mark.long

Connection = psycopg.Connection[Any]

COUNT = "SELECT count(*) FROM people"
BY_SEX = "SELECT sex, count(*) FROM people GROUP BY sex ORDER BY sex"
NOTICE = re.compile(r"dpproxy: charged epsilon \S+, delta \S+; remaining epsilon \S+, delta \S+")
EXACT = {"dp.epsilon": "1e5", "dp.delta": "1e-6"}
# One that takes long whatever the rows; of so many public ones, only who may ask at any epsilon is let ask.
LONG = f"SELECT count(*) FROM people, {', '.join(f'generate_series(1, 1000) AS s{number}' for number in range(3))}"

# Over people alone, whose rows are one for each unit and within their bounds: values are the plain Postgres's too.
SAME_VALUES = """
SELECT count(*) FROM people
SELECT count(income) AS c, count(*) "Größe" FROM people
SELECT avg(age), sum(age), sum(-age), sum(age * 2 + 1) FROM people
SELECT sum(age::bigint), sum(age::smallint) FROM people
SELECT count(*)::int, count(*)::text, count(*)::numeric(10,2), avg(age)::int, round(avg(age), 2) FROM people
SELECT count(*) + 1, count(*) / 7, count(*) / 7.0, count(*) * 1.5::float8, -count(*), count(*) > 5 FROM people
SELECT coalesce(sum(age), 0), nullif(count(*), 0), greatest(count(*), 5), sqrt(count(*)), count(*)::float8 FROM people
SELECT 1, 'a', NULL, 1.5, true, 'b'::varchar(3), date '2020-01-01', interval '1 day', count(*) FROM people
SELECT 'x' || count(*), to_char(count(*), '999G999'), count(*) IS NULL FROM people
SELECT sex, count(*) FROM people GROUP BY sex
SELECT sex AS "S e x", smoker, count(*) FROM people GROUP BY 1, 2 HAVING count(*) > 50
SELECT CASE WHEN age > 40 THEN 'old' ELSE 'young' END, count(*) FROM people GROUP BY 1
SELECT city, count(*) FROM people GROUP BY city HAVING count(*) > 50
SELECT city, sex, count(*) n FROM people GROUP BY city, sex ORDER BY n DESC, sex LIMIT 2
SELECT extract(year FROM joined) AS y, count(*) FROM people GROUP BY y HAVING count(*) > 0
SELECT extract(month FROM joined)::int, count(*) FROM people GROUP BY 1
SELECT date_trunc('year', joined)::date, count(*) FROM people GROUP BY 1 HAVING count(*) > 0
SELECT date_trunc('month', joined), count(*) FROM people GROUP BY 1 HAVING count(*) > 20
SELECT date_part('year', joined), count(*) FROM people GROUP BY 1 HAVING count(*) > 0
SELECT date_part('month', joined) AS m, count(*) FROM people GROUP BY m
SELECT sex, rank() OVER w, count(*) FROM people GROUP BY sex WINDOW w AS (ORDER BY count(*), sex)
SELECT age / 10 * 10 AS decade, count(*), sum(age) FROM people GROUP BY decade
SELECT floor(age / 10.0), count(*) FROM people GROUP BY 1
SELECT smoker, NOT smoker, count(*) FROM people GROUP BY smoker
SELECT count(*) FILTER (WHERE age > 30), sum(age) FILTER (WHERE sex = 'F') FROM people
SELECT count(*) FROM people WHERE age BETWEEN 30 AND 40 AND city IN ('Delft', 'Gouda') AND city LIKE 'D%'
SELECT count(*) FROM people WHERE joined >= '2022-01-01' AND joined < date '2023-01-01' OR income IS NULL
WITH t AS (SELECT sex, count(*) AS n FROM people GROUP BY sex) SELECT sum(n), avg(n), max(n) FROM t
SELECT sex, count(*) AS n, rank() OVER (ORDER BY sex), sum(count(*)) OVER () FROM people GROUP BY sex
SELECT s.sex, s.n FROM (SELECT sex, count(*) FROM people GROUP BY 1) AS s(sex, n) WHERE n > 0
SELECT sex, count(*) FROM people GROUP BY sex UNION ALL SELECT 'all', count(*) FROM people
SELECT (SELECT count(*) FROM people) AS a, (SELECT sum(age) FROM people WHERE smoker) AS b
SELECT sex FROM people GROUP BY sex
SELECT bool_or(smoker), bool_and(smoker), every(age > 5), bool_or(age > 100) AS "old" FROM people
SELECT sex, round(variance(age), 9), round(stddev_pop(age), 9), regr_count(income, age) FROM people GROUP BY sex
SELECT round(regr_sxx(age, age)::numeric, 6), round(corr(age, -age)::numeric, 9), regr_avgy(age, age) > 20 FROM people
""".strip().splitlines()

# Bounded per unit, so that values differ: names and types are Postgres's all the same.
SAME_TYPES = """
SELECT sum(age::real), sum(income), avg(income), avg(age::smallint), avg(age::bigint) FROM people
SELECT avg(age::real), avg(age::numeric(10,2)) FROM people
SELECT var_pop(age), var_samp(age::bigint), variance(income), stddev(age::real), stddev(age::numeric(10,2)) FROM people
SELECT corr(income, age), covar_pop(age, income), covar_samp(age, age::numeric), regr_r2(age::real, income) FROM people
SELECT regr_slope(price, quantity), regr_intercept(price, quantity), regr_count(price, quantity) AS n FROM lineitem
SELECT regr_avgx(price, quantity), regr_sxx(price, quantity), regr_sxy(price, quantity) FROM lineitem GROUP BY flag
SELECT sum(quantity), avg(quantity), sum(price * (1 - discount)), sum(linenumber), avg(linenumber) FROM lineitem
SELECT sum(income) / count(*) AS mean, sum(income)::numeric(20,2), round(sum(income)::numeric, 2) FROM people
SELECT d.building, count(*), sum(cost) FROM visits v JOIN departments d ON d.dept = v.dept GROUP BY d.building
SELECT building, beds, avg(cost) FROM visits JOIN departments USING (dept) GROUP BY building, beds
SELECT p.sex, sum(v.cost) AS "sum" FROM people p JOIN visits v ON v.person_id = p.person_id GROUP BY p.sex
SELECT segment, sum(acctbal), avg(acctbal) FROM customer GROUP BY segment
SELECT flag, sum(quantity) AS q, sum(price * (1 - discount)) FROM lineitem GROUP BY flag ORDER BY q
SELECT priority, count(*) FROM orders JOIN customer USING (custkey) GROUP BY priority
SELECT extract(dow FROM day), count(*), avg(cost) FROM visits GROUP BY 1
SELECT upper(sex), lower(city), length(city), substring(city FROM 1 FOR 1), count(*) FROM people GROUP BY 1, 2, 3, 4
""".strip().splitlines()


@pytest.fixture(scope="module")
def alice(world: Served) -> Iterator[Connection]:
    with world.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def exact(world: Served) -> Iterator[Connection]:
    """A connection whose statements cost so much that their counts and sums are without noise."""
    with world.connect("erna", options=" ".join(f"-c {name}={value}" for name, value in EXACT.items())) as connection:
        yield connection


@pytest.fixture(scope="module")
def bare(plain: ScratchPostgres) -> Iterator[Connection]:
    """A connection to the plain Postgres."""
    with psycopg.connect(plain.conninfo, autocommit=True) as connection:
        yield connection


@asynccontextmanager
async def asynced(world: Served, user: str = "alice", **settings: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(**world.keywords(user, **settings))
    try:
        yield connection
    finally:
        await connection.close()


def noticed(connection: Connection) -> list[str]:
    """The notices that arrive from now on."""
    seen: list[str] = []
    connection.add_notice_handler(lambda diagnostic: seen.append(diagnostic.message_primary or ""))
    return seen


def columns(cursor: psycopg.Cursor[Any]) -> list[tuple[object, ...]]:
    """What libpq knows of each column. Of its table's and its own number only whether there is one: they differ."""
    result = cursor.pgresult
    assert result is not None
    return [
        (
            result.fname(each),
            result.ftype(each),
            result.fmod(each),
            result.fsize(each),
            result.fformat(each),
            result.ftable(each) != 0,
            result.ftablecol(each) != 0,
        )
        for each in range(result.nfields)
    ]


def sqlstate(connection: Connection, sql: str, parameters: Any = None) -> str | None:
    """The SQLSTATE that the statement fails with; None if it does not."""
    try:
        connection.execute(sql, parameters)
    except psycopg.Error as fault:
        return fault.sqlstate
    return None


def unordered(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return sorted(rows, key=repr)


# Types, names, values


@pytest.mark.parametrize("sql", SAME_VALUES)
def test_answers_are_those_of_postgres(sql: str, exact: Connection, bare: Connection) -> None:
    for prepare, binary in ((False, False), (True, False), (True, True)):
        ours = exact.execute(sql, prepare=prepare, binary=binary)
        theirs = bare.execute(sql, prepare=prepare, binary=binary)
        assert columns(ours) == columns(theirs)
        assert unordered(ours.fetchall()) == unordered(theirs.fetchall())


@pytest.mark.parametrize("sql", SAME_TYPES)
def test_types_and_names_are_those_of_postgres(sql: str, alice: Connection, bare: Connection) -> None:
    for binary in (False, True):
        ours, theirs = (each.execute(sql, prepare=binary, binary=binary) for each in (alice, bare))
        assert columns(ours) == columns(theirs)
        assert ours.fetchall()


async def test_attributes_of_prepared_statements(world: Served, plain: ScratchPostgres, alice: Connection) -> None:
    """Describe says the same as on a plain Postgres, runs nothing and costs nothing."""
    before = spent(alice)
    bare = await asyncpg.connect(host=str(plain.directory), user=plain.owner, database=plain.database)
    async with asynced(world) as connection:
        for sql in (*SAME_VALUES, *SAME_TYPES, f"{COUNT} WHERE age > $1 AND city = $2 AND joined < $3"):
            ours, theirs = await connection.prepare(sql), await bare.prepare(sql)
            assert ours.get_attributes() == theirs.get_attributes(), sql
            assert ours.get_parameters() == theirs.get_parameters(), sql
    await bare.close()
    assert spent(alice) == before


# Parameters

PARAMETERS: list[tuple[str, tuple[Any, ...]]] = [
    (f"{COUNT} WHERE age > %s", (Int2(40),)),
    (f"{COUNT} WHERE age > %s", (Int4(40),)),
    (f"{COUNT} WHERE age > %s", (Int8(40),)),
    (f"{COUNT} WHERE age > %s", (Decimal("40.5"),)),
    (f"{COUNT} WHERE income > %s", (30000.5,)),
    (f"{COUNT} WHERE income > %s", (Decimal("30000.5"),)),
    (f"{COUNT} WHERE city = %s", ("Delft",)),
    (f"{COUNT} WHERE city = %s", ("'; DROP TABLE people; --",)),
    (f"{COUNT} WHERE city LIKE %s", ("D%",)),
    (f"{COUNT} WHERE joined < %s", (date(2022, 5, 1),)),
    (f"{COUNT} WHERE joined < %s", (datetime(2022, 5, 1, 12),)),
    (f"{COUNT} WHERE smoker = %s", (True,)),
    (f"{COUNT} WHERE age > %s", (None,)),
    (f"{COUNT} WHERE age BETWEEN %s AND %s AND sex = %s", (30, 50, "F")),
    (f"{COUNT} WHERE age > %s::int + 1", ("39",)),
    ("SELECT count(*) + %s, sum(CASE WHEN age > %s THEN 1 ELSE 0 END) FROM people", (Int4(5), Int4(40))),
    ("SELECT sex, count(*) FROM people GROUP BY sex HAVING count(*) > %s ORDER BY sex LIMIT %s", (10, 1)),
]


@pytest.mark.parametrize(("sql", "values"), PARAMETERS, ids=lambda each: str(each)[-40:])
def test_parameters(sql: str, values: tuple[Any, ...], exact: Connection, bare: Connection) -> None:
    for placeholder, prepare in (("%s", False), ("%b", True), ("%t", True)):
        text = sql.replace("%s", placeholder)
        ours, theirs = (each.execute(text, values, prepare=prepare) for each in (exact, bare))
        assert columns(ours) == columns(theirs)
        assert ours.fetchall() == theirs.fetchall()


async def test_parameters_of_asyncpg(world: Served, plain: ScratchPostgres) -> None:
    bare = await asyncpg.connect(host=str(plain.directory), user=plain.owner, database=plain.database)
    async with asynced(world, "erna", **EXACT) as connection:
        for kind, value in [
            ("smallint", 40),
            ("integer", 40),
            ("bigint", 40),
            ("numeric", Decimal("40.25")),
            ("real", 40.5),
            ("double precision", 40.5),
            ("integer", None),
        ]:
            sql = f"{COUNT} WHERE age > $1::{kind}"
            assert await connection.fetchval(sql, value) == await bare.fetchval(sql, value), kind
        for column, value in [("city", "Gouda"), ("joined", date(2023, 1, 1)), ("smoker", False), ("income", 3e4)]:
            sql = f"{COUNT} WHERE {column} = $1"
            assert await connection.fetchval(sql, value) == await bare.fetchval(sql, value), column
    await bare.close()


def test_parameters_that_postgres_rejects_are_not_charged(alice: Connection) -> None:
    before = spent(alice)
    assert sqlstate(alice, f"{COUNT} WHERE age > %s::int", ("many",)) == "22P02"
    assert sqlstate(alice, f"{COUNT} WHERE joined > %s::date", ("2023-02-30",)) == "22008"
    assert sqlstate(alice, f"{COUNT} WHERE age > %s", ("forty",)) == "22P02"
    assert sqlstate(alice, f"{COUNT} WHERE age > %s", (Int8(1),)) is None
    assert sqlstate(alice, f"{COUNT} WHERE city > %s", (date(2020, 1, 1),)) == "42883"
    assert spent(alice)[2] == before[2] + 1


# What is charged


def test_one_charge_for_each_bind(alice: Connection) -> None:
    notices, before = noticed(alice), spent(alice)
    for _ in range(3):
        alice.execute(COUNT, prepare=True)
        alice.execute(BY_SEX)
    after = spent(alice)
    assert after[2] - before[2] == len(notices) == 6
    assert all(map(NOTICE.fullmatch, notices))
    assert after[0] > before[0]


async def test_a_cursor_is_charged_once(world: Served, alice: Connection) -> None:
    """asyncpg's cursors are portals whose rows are fetched in pieces."""
    before = spent(alice)
    seen: list[str] = []
    async with asynced(world) as connection:
        connection.add_log_listener(lambda _, message: seen.append(message.message))
        async with connection.transaction():
            statement = await connection.prepare("SELECT extract(month FROM joined), count(*) FROM people GROUP BY 1")
            assert seen == []
            cursor = await statement.cursor()
            pieces = [await cursor.fetch(5) for _ in range(4)]
        assert [len(each) for each in pieces] == [5, 5, 2, 0]
        assert [row[0] for piece in pieces for row in piece] == list(range(1, 13))
        async with connection.transaction():
            assert [row["sex"] async for row in connection.cursor(BY_SEX, prefetch=1)] == ["F", "M"]
    assert len(seen) == 2
    assert spent(alice)[2] == before[2] + 2


async def test_prepared_once_and_run_often(world: Served, alice: Connection) -> None:
    before = spent(alice)
    async with asynced(world) as connection:
        statement = await connection.prepare(f"{COUNT} WHERE age > $1")
        answers = [await statement.fetchval(age) for age in (0, 0, 0, 40)]
        assert all(abs(answer - 400) < 40 for answer in answers[:3])
        assert await connection.fetchrow(BY_SEX)
        await connection.executemany(f"{COUNT} WHERE age > $1", [(1,), (2,)])
    assert spent(alice)[2] == before[2] + 7


def test_rows_one_by_one(alice: Connection) -> None:
    before = spent(alice)
    with alice.cursor() as cursor:
        assert [row[0] for row in cursor.stream(BY_SEX)] == ["F", "M"]
        assert [row[0] for row in cursor.stream(BY_SEX, binary=True)] == ["F", "M"]
    assert spent(alice)[2] == before[2] + 2


def test_a_pipeline(alice: Connection) -> None:
    before = spent(alice)
    with alice.pipeline():
        cursors = [alice.execute(sql) for sql in (COUNT, "SELECT 1", BY_SEX, "SELECT dept FROM departments", COUNT)]
    assert [len(each.fetchall()) for each in cursors] == [1, 1, 2, 4, 1]
    assert spent(alice)[2] == before[2] + 3


def test_an_error_in_a_pipeline_stops_it_up_to_its_end(alice: Connection) -> None:
    before = spent(alice)
    with pytest.raises(psycopg.Error, match="would return rows"), alice.pipeline():
        first = alice.execute(COUNT)
        alice.execute("SELECT * FROM people")
        alice.execute(COUNT)
    assert first.fetchone() is not None
    assert alice.execute("SELECT 1").fetchone() == (1,)
    assert spent(alice)[2] == before[2] + 1


def test_a_spent_budget_refuses_and_the_session_goes_on(world: Served) -> None:
    with world.connect("carol", options="-c dp.epsilon=0.09") as carol:
        notices = noticed(carol)
        assert carol.execute(COUNT).fetchone() is not None
        before = spent(carol)
        for _ in range(2):
            with pytest.raises(psycopg.Error) as caught:
                carol.execute(COUNT)
            assert caught.value.sqlstate == "DP001"
        assert len(notices) == 1
        assert spent(carol) == before
        assert carol.execute("SELECT count(*) FROM departments").fetchone() == (4,)


# Transactions


def test_transactions_savepoints_and_recovery(alice: Connection) -> None:
    before = spent(alice)
    with alice.transaction():
        assert alice.execute(COUNT).fetchone()
        with pytest.raises(psycopg.Error, match="would return rows"), alice.transaction():
            alice.execute("SELECT * FROM people")
        assert alice.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
        assert alice.execute(COUNT).fetchone()
    alice.execute("BEGIN")
    assert sqlstate(alice, "SELECT nosuch") == "42703"
    for sql in (COUNT, f"EXPLAIN {COUNT}", "SELECT 1"):
        assert sqlstate(alice, sql) == "25P02"
    alice.execute("ROLLBACK")
    assert spent(alice)[2] == before[2] + 2


def test_what_was_charged_stays_charged(alice: Connection) -> None:
    before = spent(alice)
    with pytest.raises(psycopg.errors.UndefinedColumn), alice.transaction():
        alice.execute(COUNT)
        alice.execute("SELECT nosuch")
    assert spent(alice)[2] == before[2] + 1


async def test_transactions_of_asyncpg(world: Served) -> None:
    async with asynced(world) as connection:
        async with connection.transaction():
            await connection.execute("CREATE TABLE kept (n bigint)")
            with pytest.raises(asyncpg.PostgresError, match="would return rows"):
                async with connection.transaction():
                    await connection.fetch("SELECT * FROM people")
            with pytest.raises(asyncpg.UndefinedTableError):
                async with connection.transaction():
                    await connection.fetch("SELECT * FROM nosuch")
            assert await connection.fetchval(COUNT) > 0
        assert await connection.fetchval("SELECT count(*) FROM kept") == 0
        await connection.execute("DROP TABLE kept")


def test_one_query_of_several_statements_is_one_transaction(alice: Connection) -> None:
    before = spent(alice)
    cursor = alice.execute(
        f"CREATE TABLE made (n int); SELECT 1; {COUNT}; SET dp.delta = 0; SELECT dept FROM departments"
    )
    kinds = []
    more: bool | None = True
    while more:
        kinds.append((cursor.statusmessage or "").split()[0])
        more = cursor.nextset()
    assert kinds == ["CREATE", "SELECT", "SELECT", "SET", "SELECT"]
    assert alice.execute("DROP TABLE made; RESET dp.delta").statusmessage
    for last in (
        "SELECT nosuch",
        "SELECT * FROM people",
        "DELETE FROM people",
        "SELECT array_agg(sex) FROM people",
    ):
        assert sqlstate(alice, f"CREATE TABLE made (n int); {COUNT}; {last}") is not None
        assert sqlstate(alice, "SELECT * FROM made") == "42P01", last
        assert alice.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert 1 <= spent(alice)[2] - before[2] <= 5


async def test_scripts_of_asyncpg(world: Served) -> None:
    async with asynced(world) as connection:
        assert await connection.execute(f"SELECT 1; {COUNT}; SELECT 2") == "SELECT 1"
        with pytest.raises(asyncpg.PostgresError):
            await connection.execute(f"{COUNT}; SELECT * FROM people; SELECT 2")
        assert await connection.fetchval("SELECT 3") == 3


# psql


def test_psql(world: Served, psql_path: Path) -> None:
    said = psql(psql_path, world.conninfo(), script=f"{BY_SEX};\nSELECT 1 \\; {COUNT} \\; SELECT 2;\nSELECT 3;\n")
    rows = said.out.split()
    assert [each.split("|")[0] for each in rows[:2]] == ["F", "M"]
    assert (rows[2], rows[4], rows[5]) == ("1", "2", "3")
    assert len(NOTICE.findall(said.err)) == 2
    assert said.status == 0


def test_psql_draws_the_caret(world: Served, psql_path: Path) -> None:
    sql = "SELECT avg(n) FROM (SELECT person_id, stddev(cost) AS n FROM visits GROUP BY person_id) t;\n"
    said = psql(psql_path, world.conninfo(), "-v", "VERBOSITY=verbose", script=sql)
    assert said.status == 3
    error, line, caret, hint = said.err.splitlines()[:4]
    assert "0A000" in error
    assert line[caret.index("^") :].startswith("stddev(cost)")
    assert hint.startswith("HINT:")


def test_commands_of_psql(world: Served, psql_path: Path) -> None:
    script = (
        "\\d\n\\d people\n\\dt+\n\\dn\n\\du\n\\l\n\\df\n\\gdesc\nSELECT count(*), avg(income) FROM people \\gdesc\n"
    )
    said = psql(psql_path, world.conninfo(), script=script)
    assert (said.status, said.err) == (0, "")
    assert "people" in said.out
    assert "count|bigint\navg|double precision" in said.out
    assert "income|double precision" in said.out


# Settings


def cost(connection: Connection, sql: str = COUNT) -> str:
    lines: list[str] = [line for (line,) in connection.execute(f"EXPLAIN {sql}").fetchall()]
    (found,) = (line.removeprefix("Cost: ") for line in lines if line.startswith("Cost: "))
    return found


def test_settings(world: Served) -> None:
    with world.connect(options="-c dp.epsilon=0.25") as connection:
        show = lambda: connection.execute("SHOW dp.epsilon").fetchone()  # noqa: E731
        assert (show(), cost(connection)) == (("0.25",), "epsilon 0.25, delta 0")
        connection.execute("SET dp.epsilon = 0.5")
        assert (show(), cost(connection)) == (("0.5",), "epsilon 0.5, delta 0")
        with connection.transaction():
            connection.execute("SET LOCAL dp.epsilon = 2")
            assert (show(), cost(connection)) == (("2",), "epsilon 2, delta 0")
        assert cost(connection) == "epsilon 0.5, delta 0"
        connection.execute("SELECT set_config('dp.epsilon', '0.75', false)")
        assert cost(connection) == "epsilon 0.75, delta 0"
        connection.execute("RESET dp.epsilon")
        assert cost(connection) == "epsilon 0.25, delta 0"
        connection.execute("SET dp.mechanism = laplace")
        assert "laplace" in explained(connection, COUNT)
        connection.execute("DISCARD ALL")
        assert "gaussian" in explained(connection, COUNT)
    with world.connect() as connection:
        assert cost(connection) == "epsilon 1, delta 0"


def test_the_statement_is_charged_as_set(world: Served) -> None:
    with world.connect(options="-c dp.epsilon=0.25") as connection:
        notices = noticed(connection)
        connection.execute(COUNT)
        last = connection.execute("SELECT epsilon, delta, outcome, statement FROM dp.statements ORDER BY id DESC")
        assert last.fetchone() == (Decimal("0.25"), 0, "answered", COUNT)
        assert notices[0].startswith("dpproxy: charged epsilon 0.25, delta 0; ")


@pytest.mark.parametrize(
    ("sql", "parameters", "state"),
    [
        ("SET dp.noise = off", (), "42704"),
        ("SET LOCAL dp.noise = off", (), "42704"),
        ("RESET dp.noise", (), "42704"),
        ("SELECT set_config('dp.noise', 'off', false)", (), "42704"),
        ("SET dp.epsilon = lots", (), "22023"),
        ("SET dp.epsilon = -1", (), "22023"),
        ("SELECT set_config(is_local => false, new_value => 'lots', setting_name => 'DP.epsilon')", (), "22023"),
        ("SELECT set_config('dp.epsilon', %s, false)", ("lots",), "22023"),
        ("SELECT set_config(%s, 'lots', false)", ("dp.epsilon",), "22023"),
        ("SELECT set_config(%s, %s, false)", ("dp.noise", "off"), "42704"),
    ],
)
def test_bad_settings_are_refused_where_they_are_set(
    sql: str, parameters: tuple[str, ...], state: str, world: Served
) -> None:
    with world.connect() as connection:
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(sql, parameters)
        assert caught.value.sqlstate == state
        assert sqlstate(connection, COUNT) is None


def test_a_number_in_binary_form_is_not_taken_for_its_text(world: Served) -> None:
    with world.connect() as connection, connection.transaction(force_rollback=True):
        connection.execute("SELECT set_config('dp.epsilon', %b::text, false)", (1,))
        assert connection.execute("SHOW dp.epsilon").fetchone() == ("1",)
        connection.execute("SELECT set_config('dp.fresh', 'on', false), set_config('dp.fresh', %s, false)", ("off",))


def test_what_is_computed_is_told_at_the_next_private_statement(world: Served) -> None:
    with world.connect() as connection, connection.transaction(force_rollback=True):
        connection.execute("SELECT set_config('dp.epsilon', 'lo' || 'ts', false)")
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert sqlstate(connection, COUNT) == "DP004"


@pytest.mark.parametrize(
    ("options", "state"), [("-c dp.noise=off", "42704"), ("--dp.noise=off", "42704"), ("-cdp.epsilon=lots", "22023")]
)
def test_bad_settings_of_the_startup_packet(options: str, state: str, world: Served) -> None:
    with pytest.raises(psycopg.OperationalError) as caught:
        world.connect(options=options)
    assert ("unrecognized configuration parameter" if state == "42704" else "must be a number") in str(caught.value)


def test_timeouts_of_the_session_do_not_reach_the_engine(world: Served, backend: Backend) -> None:
    """They would end a statement or not by how many rows there are; the front's own part keeps them."""
    rows = {Backend.EMBEDDED: 1000, Backend.GIVEN: 20}[backend]  # DuckDB is a hundred times as fast at this
    slow = f"SELECT count(*) FROM people, generate_series(1, 1000) AS a, generate_series(1, {rows}) AS b"
    with world.connect("erna", options="-c dp.epsilon=1e6 -c statement_timeout=50") as connection:
        for sql in (slow, f"{slow} WHERE age < 0"):
            assert connection.execute(sql).fetchone() is not None
        with connection.transaction():
            assert connection.execute(slow).fetchone() is not None
            assert connection.execute("SHOW statement_timeout").fetchone() == ("50ms",)
        assert connection.execute("SHOW statement_timeout").fetchone() == ("50ms",)
        assert sqlstate(connection, "SELECT pg_sleep(5)") == "57014"


# The proxy's own tables, EXPLAIN, public tables


def explained(connection: Connection, sql: str) -> str:
    return "\n".join(line for (line,) in connection.execute(f"EXPLAIN VERBOSE {sql}").fetchall())


def test_own_tables(alice: Connection) -> None:
    alice.execute(BY_SEX)
    before = spent(alice)
    budget = alice.execute("SELECT * FROM dp.budget")
    assert [(each.name, each.type_display) for each in budget.description or ()] == [
        ("analyst", "text"),
        ("period", "text"),
        *((name, "numeric") for name in ("epsilon", "delta", "spent_epsilon", "spent_delta")),
        *((name, "numeric") for name in ("remaining_epsilon", "remaining_delta")),
        ("period_ends", "timestamptz"),
        ("epsilon_pld", "numeric"),
        ("statements_left", "int8"),
    ]
    ((analyst, _, epsilon, _, used, _, left, _, ends, exact, statements),) = budget.fetchall()
    assert ends is None, "it lasts as long as the data's version"
    assert analyst == "alice"
    assert 0 < used < epsilon
    assert left <= epsilon
    assert 0 < exact <= used, "what the history amounts to, beside what is enforced"
    last = alice.execute('SELECT "column", mechanism, stddev, half_width FROM dp.last_statement').fetchall()
    assert statements > 0
    assert [each[:2] for each in last] == [("COUNT(*)", "gaussian")]
    assert last[0][3] == pytest.approx(1.96 * last[0][2], rel=1e-3)
    tables = dict(alice.execute("SELECT name, unit FROM dp.tables").fetchall())
    assert (tables["people"], tables["departments"]) == ("person", None)
    columns = dict(alice.execute("SELECT name, type FROM dp.columns WHERE \"table\" = 'people'").fetchall())
    assert columns["income"] == "double precision"
    assert "name" not in columns
    joined = 'SELECT t.name, count(*) FROM dp.tables t JOIN dp.columns c ON c."table" = t.name GROUP BY 1 ORDER BY 1'
    assert alice.execute(joined, binary=True).fetchall()[0] == ("customer", 4)
    assert spent(alice) == before


def test_analysts_see_their_own_rows_only(world: Served, alice: Connection) -> None:
    alice.execute(f"{COUNT} WHERE age = 33")
    with world.connect("bob", options="-c dp.epsilon=0.01") as bob:
        bob.execute(f"{COUNT} WHERE age = 44")
        statements = bob.execute("SELECT statement FROM dp.statements").fetchall()
        assert statements == [(f"{COUNT} WHERE age = 44",)]
        assert bob.execute("SELECT analyst, epsilon FROM dp.budget").fetchall() == [("bob", 1)]
        assert sorted(bob.execute("SELECT name FROM dp.tables").fetchall()) == [("departments",), ("people",)]
        assert {name for (name,) in bob.execute('SELECT DISTINCT "table" FROM dp.columns')} == {"departments", "people"}
        assert sqlstate(bob, "SELECT count(*) FROM visits") == "42501"
        assert sqlstate(bob, "SELECT * FROM visits") == "42501"
        assert sqlstate(bob, "CREATE TABLE alice.t (n int)") == "42501"
    assert (f"{COUNT} WHERE age = 44",) not in alice.execute("SELECT statement FROM dp.statements").fetchall()


def test_explain_is_free(alice: Connection) -> None:
    before, notices = spent(alice), noticed(alice)
    text = explained(alice, "SELECT city, count(*), sum(income) FROM people GROUP BY city")
    for word in ("Cost: epsilon 1, delta ", "Remaining: ", "unit person", "threshold", "sensitivity", "Bounded SQL:"):
        assert word in text
    cursor = alice.execute(f"EXPLAIN (FORMAT JSON) {BY_SEX}")
    assert [(each.name, each.type_display) for each in cursor.description or ()] == [("QUERY PLAN", "json")]
    ((document,),) = cursor.fetchall()
    (measure,) = document[0]["Releases"][0]["Measures"]
    assert measure["Mechanism"] == "gaussian"
    assert measure["Scale"] > 0
    assert json.dumps(document)
    assert spent(alice) == before
    assert notices == []


def test_public_tables_are_exact_and_free(alice: Connection, bare: Connection) -> None:
    before = spent(alice)
    for sql in (
        "SELECT * FROM departments ORDER BY dept",
        "SELECT building, sum(beds), avg(beds) FROM departments GROUP BY building ORDER BY 1",
        "SELECT d.dept, n.nation FROM departments d CROSS JOIN nation n ORDER BY 1, 2",
        "SELECT count(DISTINCT building), min(beds) FROM public.departments",
    ):
        ours, theirs = alice.execute(sql), bare.execute(sql)
        assert columns(ours) == columns(theirs)
        assert ours.fetchall() == theirs.fetchall()
    alice.execute("CREATE TABLE mine AS SELECT dept, beds * 2 AS twice FROM departments")
    assert alice.execute("SELECT sum(twice) FROM mine JOIN departments USING (dept)").fetchone() == (140,)
    alice.execute("DROP TABLE mine")
    with alice.cursor() as cursor, cursor.copy("COPY (SELECT dept FROM departments ORDER BY 1) TO STDOUT") as copy:
        assert [row[0] for row in copy.rows()] == ["cardio", "empty", "neuro", "ortho"]
    with alice.transaction(), alice.cursor("held") as held:
        held.itersize = 2
        held.execute("SELECT dept FROM departments ORDER BY 1")
        assert len(held.fetchmany(3)) == 3
    assert spent(alice) == before


def test_the_catalog_is_there(alice: Connection) -> None:
    before = spent(alice)
    sql = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'people'"
    found = dict(alice.execute(sql).fetchall())
    assert found["income"] == "double precision"
    assert "name" not in found
    for sql in (
        "SELECT relname, reltuples FROM pg_class WHERE relname = 'people'",
        "SELECT version(), current_database(), current_user, current_setting('server_version_num')::int",
        "SELECT obj_description('people'::regclass), pg_get_userbyid(10), to_regclass('nosuch')",
        "SELECT * FROM pg_stats WHERE tablename = 'people'",
        "SELECT 'people'::regclass::oid, pg_relation_size('people') = 0",
    ):
        assert alice.execute(sql) is not None
    assert spent(alice) == before


# What is refused

REFUSED = {
    "0A000": (
        f"EXPLAIN ANALYZE {COUNT}",
        f"{COUNT} FOR UPDATE",
        "SELECT count(*) FROM ONLY people",
        "DO $$ BEGIN END $$",
        "VACUUM people",
        "ANALYZE people",
        "LISTEN x",
        "NOTIFY x",
        "CALL f()",
        "LOAD 'x'",
        "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE EXTENSION hstore",
        "CREATE INDEX ON people (age)",
        "PREPARE TRANSACTION 'x'",
        "CHECKPOINT",
    ),
    "42501": (
        "INSERT INTO people VALUES (1)",
        "INSERT INTO departments VALUES ('x', 'y', 1)",
        "UPDATE people SET age = 1",
        "DELETE FROM people",
        "MERGE INTO people USING visits ON false WHEN MATCHED THEN DELETE",
        "TRUNCATE people",
        "WITH gone AS (DELETE FROM people RETURNING *) SELECT * FROM gone",
        "COPY people FROM STDIN",
        "COPY (SELECT 1) TO '/tmp/never'",
        "COPY (SELECT 1) TO PROGRAM 'cat'",
        "LOCK TABLE people",
        "CREATE TABLE public.t (a int)",
        "CREATE TABLE bob.t (a int)",
        "CREATE TEMP TABLE t (a int)",
        "CREATE SCHEMA s",
        "CREATE ROLE r",
        "DROP TABLE people",
        "ALTER TABLE people ADD x int",
        "COMMENT ON TABLE people IS 'x'",
        "GRANT SELECT ON people TO bob",
        "ALTER ROLE alice PASSWORD 'x'",
        "ALTER SYSTEM SET work_mem = '1MB'",
        "SET ROLE bob",
        "SET SESSION AUTHORIZATION bob",
        "SELECT lo_create(0)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_read_file('PG_VERSION')",
    ),
    "DP002": (
        "SELECT * FROM people LIMIT 100",
        "COPY people TO STDOUT",
        "COPY (SELECT age FROM people) TO STDOUT",
        f"CREATE VIEW v AS {COUNT}",
        f"CREATE MATERIALIZED VIEW v AS {COUNT}",
        "CREATE TABLE v AS SELECT age FROM people",
        "DECLARE c CURSOR WITH HOLD FOR TABLE people",
    ),
    "22023": (f"COPY ({COUNT}) TO STDOUT (FORMAT x)", f"EXPLAIN (FORMAT x) {COUNT}", f"EXPLAIN (WAL) {COUNT}"),
    "25P01": (f"DECLARE c CURSOR FOR {COUNT}",),
    "26000": ("EXECUTE nosuch", "DEALLOCATE nosuch"),
    "42601": ("SELEC", "SELECT count(* FROM people", f"{COUNT} WHERE"),
    "42P01": ("SELECT * FROM nosuch", "SELECT * FROM dp.nosuch", "SELECT count(*) FROM people, nosuch"),
    "42703": ("SELECT nosuch FROM people", "SELECT count(name) FROM people", f"{COUNT} WHERE name = 'x'"),
}


@pytest.mark.parametrize("state", REFUSED)
def test_refused_classes(state: str, alice: Connection) -> None:
    before = spent(alice)
    for sql in REFUSED[state]:
        assert sqlstate(alice, sql) == state, sql
        assert alice.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        with pytest.raises(psycopg.Error) as caught:
            alice.execute(sql, prepare=True)
        assert caught.value.sqlstate == state, sql
    assert alice.execute("SELECT 1").fetchone() == (1,)
    assert spent(alice) == before


# Cancelling


def cancelled(connection: Connection, sql: str, begun: Callable[[], bool]) -> str | None:
    """How the statement ends that is cancelled again and again once it has begun."""
    over = threading.Event()

    def cancel() -> None:
        while not over.wait(0.05):
            if begun():
                connection.cancel_safe()
                over.wait(1)

    canceller = threading.Thread(target=cancel)
    canceller.start()
    try:
        return sqlstate(connection, sql)
    finally:
        over.set()
        canceller.join()


def test_cancel_reaches_the_engine_and_the_charge_stays(world: Served) -> None:
    with world.connect("erna", options="-c dp.epsilon=1e6") as connection, world.connect("erna") as witness:
        before = spent(connection)
        assert cancelled(connection, LONG, lambda: spent(witness)[2] > before[2]) == "57014"
        assert spent(connection)[2] == before[2] + 1
        assert connection.execute(COUNT).fetchone() is not None
        outcomes = connection.execute("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1 OFFSET 1").fetchall()
        assert outcomes == [("canceled",)]


def test_a_public_table_is_never_seen_half_loaded(strict: Served) -> None:
    """Copied after a transaction took its snapshot it would look empty: the transaction is asked to begin anew.

    Nobody else asks that proxy for this table.
    """
    with strict.connect() as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert connection.execute("SELECT 1").fetchone() == (1,)
        assert sqlstate(connection, "SELECT count(*) FROM nation") == "40001"
        connection.execute("ROLLBACK")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert connection.execute("SELECT count(*) FROM nation").fetchone() == (3,)
        connection.execute("COMMIT")


def test_a_fetch_is_described_when_its_cursor_is_gone(world: Served) -> None:
    """Postgres by itself crashes on it, and takes everybody's session along."""
    with world.connect() as connection, connection.transaction():
        connection.execute("DECLARE c CURSOR FOR SELECT generate_series(1, 5)")
        connection.pgconn.prepare(b"fetching", b"FETCH 2 FROM c")
        assert connection.pgconn.describe_prepared(b"fetching").nfields == 1
        connection.execute("CLOSE c")
        assert connection.pgconn.describe_prepared(b"fetching").nfields == 0
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_cancel_reaches_the_front(alice: Connection) -> None:
    before = spent(alice)
    assert cancelled(alice, "SELECT pg_sleep(60)", lambda: True) == "57014"
    alice.execute("SET statement_timeout = '50ms'")
    assert sqlstate(alice, "SELECT count(*) FROM generate_series(1, 10000000000)") == "57014"
    alice.execute("RESET statement_timeout")
    assert spent(alice) == before


async def test_cancel_of_asyncpg(world: Served) -> None:
    async with asynced(world, user="erna", **{"dp.epsilon": "1e6"}) as connection:
        with pytest.raises(TimeoutError):
            await connection.fetch(LONG, timeout=0.3)
        assert await connection.fetchval("SELECT 1") == 1


# Signing in


def refusal(attempt: Callable[[], Connection]) -> tuple[str | None, str]:
    """How a connection is refused. libpq keeps no SQLSTATE of these: the drivers that do are asked for it below."""
    with pytest.raises(psycopg.OperationalError) as caught:
        attempt()
    return caught.value.sqlstate, str(caught.value)


def test_passwords(world: Served) -> None:
    with world.connect("dora", password=PASSWORD) as dora:
        assert dora.execute("SELECT current_user").fetchone() == ("dora",)
    for user, password in (("dora", "wrong"), ("nobody", "wrong"), ("nobody", PASSWORD)):
        _, text = refusal(lambda user=user, password=password: world.connect(user, password=password))  # type: ignore[misc]
        assert f'password authentication failed for user "{user}"' in text
    _, text = refusal(lambda: psycopg.connect(world.conninfo(dbname="nosuch")))
    assert 'database "nosuch" does not exist' in text


async def test_states_of_refused_connections(world: Served) -> None:
    for user, database, password, state in (
        ("dora", "demo", "wrong", "28P01"),
        ("nobody", "demo", "wrong", "28P01"),
        ("alice", "nosuch", None, "3D000"),
    ):
        keywords = {**world.keywords(user), "database": database, "password": password}
        with pytest.raises(asyncpg.PostgresError) as caught:
            await asyncpg.connect(**keywords)
        assert caught.value.sqlstate == state
    keywords = {**world.keywords("dora"), "password": PASSWORD}
    connection = await asyncpg.connect(**keywords)
    await connection.close()


async def test_tls(world: Served, certificate: tuple[Path, Path] | None) -> None:
    if certificate is None:
        pytest.skip("there is no openssl")
    secure = {"sslmode": "verify-full", "sslrootcert": certificate[0], "host": "localhost", "hostaddr": "127.0.0.1"}
    with world.connect(**secure) as connection:
        assert connection.pgconn.ssl_in_use
        assert connection.execute(BY_SEX, binary=True).fetchall()
    with world.connect("dora", password=PASSWORD, sslmode="require") as connection:
        assert connection.pgconn.ssl_in_use
    with world.connect(sslmode="require", sslnegotiation="direct") as connection:
        assert connection.pgconn.ssl_in_use
        assert connection.execute(BY_SEX, binary=True).fetchall()
    with socket.create_connection((world.host, world.port)) as bare:
        context = ssl.create_default_context(cafile=certificate[0])
        context.set_alpn_protocols(["http/1.1"])
        with pytest.raises(OSError), context.wrap_socket(bare, server_hostname="localhost") as browser:
            browser.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert b"ALPN" in b"".join(iter(lambda: browser.recv(1000), b""))
            raise ConnectionResetError
    connection = await asyncpg.connect(**{**world.keywords(), "ssl": "require"})
    assert await connection.fetchval(COUNT) > 0
    await connection.close()


@pytest.fixture(scope="module")
def strict(
    backend: Backend, tmp_path_factory: pytest.TempPathFactory, certificate: tuple[Path, Path] | None
) -> Iterator[Served]:
    """A proxy that wants TLS, if there is any, and whose engine may not take long."""
    with made_world(backend, tmp_path_factory.mktemp("strict")) as policy:
        text = policy.read_text().replace("\n[engine]", '\n[engine]\nstatement_timeout = "1s"')
        text = text.replace("\n[privacy]\n", "\n[privacy]\nmax_fanout = 1000000000\n")
        text += ANALYSTS.format(verifier=verifier(PASSWORD))
        if certificate is not None:
            text = with_tls(text, certificate).replace("\n[server]", "\n[server]\nrequire_tls = true")
        policy.write_text(text)
        with serving(policy, "demo") as served:
            yield served


def test_tls_may_be_required(strict: Served, certificate: tuple[Path, Path] | None) -> None:
    if certificate is None:
        pytest.skip("there is no openssl")
    _, text = refusal(lambda: strict.connect(sslmode="disable"))
    assert "without TLS" in text
    with strict.connect(sslmode="require") as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_what_takes_too_long_stops_nobody(strict: Served) -> None:
    """The time limit has noise that is paid for: whatever runs into it is charged, and an ordinary outcome."""
    with strict.connect("erna", options="-c dp.epsilon=1e6") as erna, strict.connect("bob") as bob:
        before = spent(erna)
        with pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
            erna.execute(LONG)
        assert spent(erna)[2] == before[2] + 1
        outcomes = erna.execute("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1").fetchall()
        assert outcomes == [("timed out",)]
        assert erna.execute(COUNT).fetchone() is not None
        assert bob.execute("SET dp.epsilon = 0.01; SELECT count(*) FROM people").nextset()


def test_many_clients_at_once(world: Served) -> None:
    async def one(number: int) -> int:
        async with asynced(world, **{"dp.epsilon": "0.01"}) as connection:
            return sum([await connection.fetchval("SELECT $1::int", number) for _ in range(5)])

    async def all_of_them() -> list[int]:
        return list(await asyncio.gather(*map(one, range(20))))

    assert asyncio.run(all_of_them()) == [5 * number for number in range(20)]
