"""psycopg 3, in autocommit: as it comes, and with binary results."""

from __future__ import annotations

import threading
from datetime import date
from typing import Any

import psycopg

from ..client import Address, Client, Part
from ..questions import BY_SEX, PREVIEW, QUESTIONS, SLEEP, TIMES, UNKNOWN_COLUMN, Asked

_VALUES = {"": None, "integer": int, "text": str, "date": date.fromisoformat, "boolean": bool, "float": float}
Connection = psycopg.Connection[Any]


def _connect(address: Address) -> Connection:
    return psycopg.connect(
        host=address.host,
        port=address.port,
        dbname=address.database,
        user=address.user,
        password=address.password,
        sslmode="verify-ca",
        sslrootcert=address.certificate,
        autocommit=True,
    )


def _parameters(asked: Asked) -> list[Any]:
    make = _VALUES[asked.kind]
    return [] if make is None else [make(asked.value)]


def connects(address: Address) -> Any:
    with _connect(address) as connection:
        return connection.execute("SELECT current_user").fetchone()


def answers(address: Address) -> Any:
    with _connect(address) as connection:
        return {each.name: connection.execute(each.literal).fetchall() for each in QUESTIONS}


def prepared(address: Address) -> Any:
    with _connect(address) as connection:
        return {each.name: [_run(connection, each) for _ in range(TIMES)] for each in QUESTIONS}


def _run(connection: Connection, asked: Asked) -> Any:
    cursor = connection.cursor(binary=False)
    return cursor.execute(asked.written("%s"), _parameters(asked) or None, prepare=True).fetchall()


def cursor(address: Address) -> Any:
    with _connect(address) as connection, connection.transaction(), connection.cursor("one by one") as rows:
        rows.itersize = 1
        rows.execute(BY_SEX.sql)
        return list(rows)


def copy(address: Address) -> Any:
    with _connect(address) as connection, connection.cursor().copy(f"COPY ({BY_SEX.sql}) TO STDOUT") as out:
        return list(out.rows())


def cancel(address: Address) -> Any:
    with _connect(address) as connection:
        threading.Timer(0.3, connection.cancel_safe).start()
        return [_state(connection, SLEEP), *(connection.execute("SELECT 1").fetchone() or ())]


def errors(address: Address) -> Any:
    with _connect(address) as connection:
        states = [_state(connection, PREVIEW), _state(connection, UNKNOWN_COLUMN)]
        connection.execute("BEGIN")
        states += [_state(connection, PREVIEW), _state(connection, "SELECT 1")]
        connection.execute("ROLLBACK")
        return [*states, connection.execute(BY_SEX.sql).fetchall()]


def _state(connection: Connection, sql: str) -> str | None:
    try:
        connection.execute(sql)
    except psycopg.Error as fault:
        return fault.sqlstate
    return None


CLIENTS = (
    Client(
        "psycopg 3",
        lambda: None,
        {
            Part.CONNECTS: connects,
            Part.ANSWERS: answers,
            Part.PREPARED: prepared,
            Part.CURSOR: cursor,
            Part.COPY: copy,
            Part.CANCEL: cancel,
            Part.ERRORS: errors,
        },
    ),
)
