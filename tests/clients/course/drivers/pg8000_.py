"""pg8000, in Python alone: its native interface and the DB-API's. It has no way to cancel a statement."""

from __future__ import annotations

import csv
import io
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pg8000.dbapi
import pg8000.native

from ..client import Address, Client, Part
from ..questions import BY_SEX, QUESTIONS, TIMES
from ..session import PLAIN, Session, fetched, parameters, runs

_COPY = f"COPY ({BY_SEX.sql}) TO STDOUT WITH (FORMAT csv)"


def _keywords(address: Address) -> dict[str, Any]:
    return {
        "host": address.host,
        "port": address.port,
        "database": address.database,
        "user": address.user,
        "password": address.password,
        "ssl_context": ssl.create_default_context(cafile=address.certificate),
    }


def _native(address: Address) -> pg8000.native.Connection:
    return pg8000.native.Connection(**_keywords(address))


@contextmanager
def _native_session(address: Address) -> Iterator[Session]:
    with closing(_native(address)) as connection:
        yield Session(
            lambda sql, values=(): connection.run(sql, **dict(zip("p", values, strict=False))) or [],
            pg8000.native.DatabaseError,
            lambda fault: fault.args[0]["C"],
            mark=":p",
        )


@contextmanager
def _session(address: Address) -> Iterator[Session]:
    with closing(pg8000.dbapi.connect(**_keywords(address))) as connection:
        connection.autocommit = True
        cursor = connection.cursor()

        def rows(sql: str, values: Any = ()) -> list[Any]:
            cursor.execute(sql, values)
            return fetched(cursor)

        yield Session(rows, pg8000.dbapi.DatabaseError, lambda fault: fault.args[0]["C"])


def _prepared(address: Address) -> Any:
    told = {}
    with closing(_native(address)) as connection:
        for each in QUESTIONS:
            statement = connection.prepare(each.written(":p"))
            values = dict(zip("p", parameters(each), strict=False))
            told[each.name] = [statement.run(**values) for _ in range(TIMES)]
            statement.close()
    return told


def _cursor(address: Address) -> Any:
    with _native_session(address) as session:
        session.rows("START TRANSACTION")
        session.rows(f"DECLARE c CURSOR FOR {BY_SEX.sql}")
        told = []
        while row := session.rows("FETCH 1 FROM c"):
            told += row
        session.rows("COMMIT")
        return told


def _copy(address: Address) -> Any:
    out = io.StringIO()
    with closing(_native(address)) as connection:
        connection.run(_COPY, stream=out)
    return list(csv.reader(io.StringIO(out.getvalue())))


def _copy_dbapi(address: Address) -> Any:
    out = io.StringIO()
    with closing(pg8000.dbapi.connect(**_keywords(address))) as connection:
        connection.cursor().execute(_COPY, stream=out)
    return list(csv.reader(io.StringIO(out.getvalue())))


CLIENTS = (
    Client(
        "pg8000",
        lambda: None,
        runs(_native_session, *PLAIN) | {Part.PREPARED: _prepared, Part.CURSOR: _cursor, Part.COPY: _copy},
    ),
    Client("pg8000, DB-API", lambda: None, runs(_session, *PLAIN) | {Part.COPY: _copy_dbapi}),
)
