"""What psycopg 3 and psycopg2 have beyond the course: long pipelines, all cursors, transactions in each other."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import psycopg2
import pytest

from .course.client import Address
from .course.drivers.psycopg3 import connect, keywords
from .course.questions import BY_SEX, PREVIEW

Connection = psycopg.Connection[Any]
OLDER = "SELECT count(*) FROM people WHERE age > %s"
ROWS = [("F", 200, 9420), ("M", 200, 9580)]
AGES = {20: 381, 30: 314, 40: 247}


@pytest.fixture(scope="module")
def connection(gina: Address) -> Iterator[Connection]:
    with connect(gina) as connection:
        yield connection


def charges(connection: Connection) -> int:
    """The number of statements that were paid for."""
    row = connection.execute("SELECT count(*) FROM dp.statements").fetchone()
    assert row is not None
    return int(row[0])


def test_hundreds_in_a_pipeline(connection: Connection) -> None:
    """Private statements and others, all sent before the first answer is read: each gets its own."""
    before = charges(connection)
    kinds: list[tuple[str, Any]] = [(OLDER, None), ("SELECT %s::int", None), ("SELECT beds FROM departments", 20)]
    with connection.pipeline():
        sent = [
            (age, kind, connection.execute(sql, (age,) if "%s" in sql else None))
            for _ in range(40)
            for age in AGES
            for kind, (sql, _) in enumerate(kinds)
        ]
    assert len(sent) == 360
    for age, kind, cursor in sent:
        assert cursor.fetchone() == ({0: AGES[age], 1: age, 2: 20}[kind],)
    assert charges(connection) == before + 120


def test_a_pipeline_goes_on_after_a_sync(connection: Connection) -> None:
    with connection.pipeline() as pipeline:
        first = connection.execute(OLDER, (30,))
        pipeline.sync()
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(PREVIEW).fetchall()
        pipeline.sync()
        assert caught.value.sqlstate == "DP002"
        assert first.fetchone() == (314,)
        assert connection.execute(OLDER, (40,)).fetchone() == (247,)


def test_many_parameters_with_rows(connection: Connection) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(OLDER, [(age,) for age in AGES], returning=True)
        told = [cursor.fetchall()]
        while cursor.nextset():
            told.append(cursor.fetchall())
    assert told == [[(count,)] for count in AGES.values()]


def test_cursors_that_scroll(connection: Connection) -> None:
    before = charges(connection)
    with connection.transaction(), connection.cursor("back and forth", scrollable=True) as cursor:
        cursor.execute("SELECT sex, count(*) FROM people WHERE age > %s GROUP BY sex ORDER BY 1", (30,))
        assert cursor.fetchall() == [("F", 154), ("M", 160)]
        cursor.scroll(0, "absolute")
        assert cursor.fetchone() == ("F", 154)
        cursor.scroll(-1)
        assert cursor.fetchmany(9) == [("F", 154), ("M", 160)]
    assert charges(connection) == before + 1


def test_cursors_that_outlive_their_transaction(connection: Connection) -> None:
    before = charges(connection)
    with connection.transaction():
        cursor = connection.cursor("held", withhold=True)
        cursor.execute(BY_SEX.sql)
    assert cursor.fetchall() == ROWS
    cursor.close()
    assert charges(connection) == before + 1


@pytest.mark.parametrize(
    ("kind", "sql"), [(psycopg.ClientCursor, OLDER), (psycopg.RawCursor, OLDER.replace("%s", "$1"))], ids=str
)
def test_other_ways_to_send_parameters(kind: Any, sql: str, connection: Connection) -> None:
    assert kind(connection).execute(sql, (30,)).fetchone() == (314,)


def test_transactions_within_transactions(connection: Connection) -> None:
    with connection.transaction():
        with pytest.raises(psycopg.Error), connection.transaction():
            connection.execute(PREVIEW)
        assert connection.execute(BY_SEX.sql).fetchall() == ROWS


def test_psycopg2_in_a_transaction_of_its_own_making(gina: Address) -> None:
    """A held cursor, back and forth, and COPY in binary; what it cost is among the notices."""
    with closing(psycopg2.connect(**keywords(gina))) as connection:
        connection.set_session(isolation_level="SERIALIZABLE", readonly=True)
        with connection.cursor("held", scrollable=True, withhold=True) as cursor:
            cursor.execute(BY_SEX.sql)
            connection.commit()
            assert cursor.fetchall() == ROWS
            cursor.scroll(0, mode="absolute")
            assert cursor.fetchone() == ROWS[0]
        out = io.BytesIO()
        with connection.cursor() as cursor:
            cursor.copy_expert(f"COPY ({BY_SEX.sql}) TO STDOUT (FORMAT binary)", out)
            cursor.execute("SELECT 'it takes notice of what came before'")
        assert out.getvalue().startswith(b"PGCOPY\n\xff\r\n\0")
        assert [each.split(" epsilon")[0] for each in connection.notices] == ["NOTICE:  dpproxy: charged"] * 2
