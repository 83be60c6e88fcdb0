"""psycopg2, which writes parameters into the statement itself: PREPARE is SQL's, and so are its named cursors."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg2

from ..client import Address, Client, Part
from ..questions import BY_SEX, QUESTIONS, TIMES
from ..session import PLAIN, Session, fetched, parameters, runs
from .psycopg3 import keywords


def connect(address: Address) -> Any:
    """A connection in autocommit."""
    connection = psycopg2.connect(**keywords(address))
    connection.autocommit = True
    return connection


@contextmanager
def _session(address: Address) -> Iterator[Session]:
    with closing(connect(address)) as connection, connection.cursor() as cursor:

        def rows(sql: str, values: Any = ()) -> list[Any]:
            cursor.execute(sql, values or None)
            return fetched(cursor)

        yield Session(rows, psycopg2.Error, lambda fault: fault.pgcode, connection.cancel)


def _prepared(address: Address) -> Any:
    with _session(address) as session:
        told = {}
        for number, each in enumerate(QUESTIONS):
            session.rows(f"PREPARE q{number} AS {each.sql}")
            run = f"EXECUTE q{number} (%s)" if each.kind else f"EXECUTE q{number}"
            told[each.name] = [session.rows(run, parameters(each)) for _ in range(TIMES)]
            session.rows(f"DEALLOCATE q{number}")
        return told


def _cursor(address: Address) -> Any:
    with closing(psycopg2.connect(**keywords(address))) as connection, connection.cursor("one by one") as rows:
        rows.itersize = 1
        rows.execute(BY_SEX.sql)
        return list(rows)


def _copy(address: Address) -> Any:
    with closing(connect(address)) as connection, connection.cursor() as cursor:
        out = io.StringIO()
        cursor.copy_expert(f"COPY ({BY_SEX.sql}) TO STDOUT WITH (FORMAT csv)", out)
        out.seek(0)
        return list(csv.reader(out))


CLIENTS = (
    Client(
        "psycopg2",
        lambda: None,
        runs(_session, *PLAIN, Part.CANCEL) | {Part.PREPARED: _prepared, Part.CURSOR: _cursor, Part.COPY: _copy},
    ),
)
