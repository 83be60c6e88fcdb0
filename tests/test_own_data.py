"""Data that analysts bring: COPY, INSERT, UPDATE, DELETE on tables of their own, over a real proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from decimal import Decimal

import asyncpg
import psycopg
import pytest
from proxies import ServedProxy, serving, write_policy
from psycopg import pq

LIMITS = "[analysts.alice]"
ROOM = 1 << 20


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    limits = f"[analysts.bob.limits]\nown_bytes = {ROOM}\n\n{LIMITS}"
    with serving(write_policy(tmp_path_factory.mktemp("data"), {LIMITS: limits})) as started:
        yield started


@pytest.fixture
def connection(proxy: ServedProxy) -> Iterator[psycopg.Connection]:
    with connect(proxy, "alice") as opened:
        yield opened


def connect(proxy: ServedProxy, user: str) -> psycopg.Connection:
    """A session with an empty table `codes`."""
    opened = psycopg.connect(proxy.dsn(user), autocommit=True, sslmode="disable")
    opened.execute("DROP TABLE IF EXISTS codes")
    opened.execute("CREATE TABLE codes (dept text PRIMARY KEY, price numeric(8,2) DEFAULT 1, id serial)")
    return opened


def spent(connection: psycopg.Connection) -> Decimal:
    (row,) = connection.execute("SELECT spent_epsilon FROM dp.budget").fetchall()
    return Decimal(row[0])


def held(connection: psycopg.Connection) -> list[tuple[object, ...]]:
    return connection.execute("SELECT dept, price FROM codes ORDER BY 1").fetchall()


TEXTS = {
    "text": (b"cardio\t1.5\nneuro\t\\N\n", ""),
    "csv": (b"dept,price\ncardio,1.5\nneuro,\n", "(FORMAT csv, HEADER)"),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_rows_are_copied_in_and_joined(connection: psycopg.Connection, kind: str) -> None:
    data, options = TEXTS[kind]
    with connection.cursor().copy(f"COPY codes (dept, price) FROM STDIN {options}".encode()) as copy:
        copy.write(data)
    assert held(connection) == [("cardio", Decimal("1.5")), ("neuro", None)]
    joined = "SELECT c.dept, count(*) FROM visits v JOIN codes c USING (dept) GROUP BY 1 ORDER BY 1"
    before = spent(connection)
    assert [key for key, _ in connection.execute(joined)] == ["cardio", "neuro"]
    assert spent(connection) > before


def test_binary_rows_in_many_pieces(connection: psycopg.Connection) -> None:
    with connection.cursor().copy("COPY codes (dept, price) FROM STDIN (FORMAT binary)") as copy:
        copy.set_types(["text", "numeric"])
        for number in range(20_000):
            copy.write_row((f"k{number}", number))
    assert connection.execute("SELECT count(*), sum(price) FROM codes").fetchone() == (20_000, sum(range(20_000)))


def test_rows_are_changed_and_returned(connection: psycopg.Connection) -> None:
    before = spent(connection)
    put = "INSERT INTO codes VALUES ('a', 2), ('b', DEFAULT) RETURNING dept, price"
    assert connection.execute(put).fetchall() == [("a", 2), ("b", 1)]
    again = "INSERT INTO codes VALUES (%s, 3) ON CONFLICT (dept) DO UPDATE SET price = excluded.price RETURNING price"
    assert connection.execute(again, ("a",), prepare=True).fetchall() == [(3,)]
    assert connection.execute("UPDATE codes SET price = price + 1 WHERE dept = 'b' RETURNING price").fetchone() == (2,)
    assert connection.execute("DELETE FROM codes WHERE dept = 'a'").rowcount == 1
    connection.execute("INSERT INTO codes (dept) SELECT dept FROM departments ON CONFLICT DO NOTHING")
    assert ("b", 2) in held(connection) and len(held(connection)) > 1
    connection.execute("TRUNCATE codes")
    assert held(connection) == [] and spent(connection) == before


def test_private_answers_are_put_in_once_they_are_paid(connection: psycopg.Connection) -> None:
    before = spent(connection)
    connection.execute(
        "INSERT INTO codes (dept, price) SELECT dept, count(*) FROM visits WHERE dept = 'ortho' GROUP BY 1"
    )
    connection.execute("INSERT INTO codes (dept, price) SELECT 'all', count(*) FROM visits")
    assert spent(connection) > before and "all" in dict(held(connection))
    paid = spent(connection)
    for sql in (
        "UPDATE codes SET price = (SELECT count(*) FROM people)",
        "DELETE FROM codes WHERE price < (SELECT count(*) FROM people)",
        "INSERT INTO codes SELECT 'x', count(*) FROM people RETURNING price",
        "INSERT INTO codes SELECT 'x', count(*) FROM people ON CONFLICT DO NOTHING",
        "WITH n AS (SELECT 'x', count(*) FROM people) INSERT INTO codes SELECT * FROM n",
        "INSERT INTO codes SELECT name FROM people",
        "INSERT INTO codes (dept, price) SELECT 'x', current_date, count(*) FROM people",
        "INSERT INTO codes SELECT analyst FROM dp.budget RETURNING dept",
    ):
        with pytest.raises(psycopg.Error):
            connection.execute(sql)
    assert spent(connection) == paid


def test_a_failing_copy_leaves_the_session_usable(connection: psycopg.Connection) -> None:
    for fault, data in (
        (psycopg.errors.InvalidTextRepresentation, b"a\tb\n"),
        (psycopg.errors.UniqueViolation, b"a\n" * 9),
    ):
        columns = b"dept, price" if b"\t" in data else b"dept"
        with pytest.raises(fault), connection.cursor().copy(b"COPY codes (" + columns + b") FROM STDIN") as copy:
            for _ in range(1000):
                copy.write(data)
        assert held(connection) == []
    with pytest.raises(ZeroDivisionError), connection.cursor().copy("COPY codes FROM STDIN") as copy:
        raise ZeroDivisionError
    with connection.transaction(force_rollback=True), connection.cursor().copy("COPY codes (dept) FROM STDIN") as copy:
        copy.write(b"a\n")
    assert held(connection) == []


def test_copy_by_the_extended_protocol(proxy: ServedProxy, connection: psycopg.Connection) -> None:
    """The Sync behind Execute is one that the front ignores, unless the COPY failed before it waited for rows."""
    line = pq.PGconn.connect(proxy.dsn("alice").encode())
    for expected in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.FATAL_ERROR):  # the second time the key is there
        assert line.exec_params(b"COPY codes (dept) FROM STDIN", []).status == pq.ExecStatus.COPY_IN
        line.put_copy_data(b"a\n")
        line.put_copy_end()
        assert line.get_result().status == expected
        assert line.get_result() is None
    assert line.exec_params(b"COPY people FROM STDIN", []).status == pq.ExecStatus.FATAL_ERROR
    assert line.exec_params(b"COPY nowhere FROM STDIN", []).status == pq.ExecStatus.FATAL_ERROR
    assert line.exec_params(b"SELECT count(*) FROM codes", []).get_value(0, 0) == b"1"
    line.finish()


def test_pipelines_and_many_parameters(connection: psycopg.Connection) -> None:
    with connection.pipeline():
        put = connection.execute("INSERT INTO codes (dept) VALUES (%s) RETURNING dept", ("p",))
        asked = connection.execute("SELECT 1")
        assert (put.fetchall(), asked.fetchall()) == ([("p",)], [(1,)])
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO codes (dept) VALUES (%s)", [(f"m{each}",) for each in range(200)])
    assert len(held(connection)) == 201


def test_asyncpg_copies_records(proxy: ServedProxy, connection: psycopg.Connection) -> None:
    async def copied() -> tuple[str, int]:
        line = await asyncpg.connect(proxy.dsn("alice"))
        told = await line.copy_records_to_table("codes", records=[("a",), ("b",)], columns=["dept"])
        with pytest.raises(asyncpg.UniqueViolationError):  # what was copied before is committed
            await line.copy_records_to_table("codes", records=[("a",)], columns=["dept"])
        await line.executemany("INSERT INTO codes (dept) VALUES ($1)", [("c",), ("d",)])
        count = await line.fetchval("SELECT count(*) FROM codes")
        await line.close()
        return told, count

    assert asyncio.run(copied()) == ("COPY 2", 4)


def test_own_tables_have_their_room(proxy: ServedProxy) -> None:
    with connect(proxy, "bob") as bob:
        full = pytest.raises(psycopg.errors.ConfigurationLimitExceeded, match="1 MB")
        with full as caught, bob.cursor().copy("COPY codes (dept) FROM STDIN") as copy:
            for number in range(2 * ROOM // 1000):
                copy.write(f"{number}{'x' * 1000}\n")
        assert "DROP TABLE or TRUNCATE" in (caught.value.diag.message_hint or "")
        assert held(bob) == []
        bob.execute("TRUNCATE codes")
        # One statement may go beyond; afterwards no other session's does, until there is room again.
        bob.execute("INSERT INTO codes (dept) SELECT repeat(md5(i::text), 40) FROM generate_series(1, 3000) AS g (i)")
    with psycopg.connect(proxy.dsn("bob"), autocommit=True, sslmode="disable") as bob:
        for sql in (
            "INSERT INTO codes VALUES ('x')",
            "CREATE TABLE more AS SELECT 1 AS a",
            "UPDATE codes SET price = 1",
        ):
            for prepare in (False, True):
                with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
                    bob.execute(sql, prepare=prepare)
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
            bob.execute("CREATE TABLE more AS SELECT count(*) AS n FROM people")
        assert spent(bob) == 0
        bob.execute("DELETE FROM codes WHERE dept < '3'")
        bob.execute("DROP TABLE codes")
        bob.execute("CREATE TABLE codes (dept text)")
        bob.execute("INSERT INTO codes VALUES ('x')")
        assert bob.execute("TABLE codes").fetchall() == [("x",)]


def test_what_another_session_drops_is_not_waited_for(proxy: ServedProxy, connection: psycopg.Connection) -> None:
    """A client of both sessions would wait for itself."""
    connection.execute("SET statement_timeout = '20s'")
    connection.execute("CREATE TABLE IF NOT EXISTS gone (n integer)")
    with psycopg.connect(proxy.dsn("alice"), sslmode="disable") as other:
        other.execute("DROP TABLE gone")
        with connection.cursor().copy("COPY codes (dept, price) FROM STDIN") as copy:
            copy.write(TEXTS["text"][0])
        assert len(held(connection)) == 2
        other.execute("CREATE TABLE made AS SELECT 1 AS n")
        connection.execute("INSERT INTO codes (dept) SELECT 'more'")
        other.rollback()
    connection.execute("DROP TABLE gone")
