"""SQLAlchemy 2 with four drivers, and pandas upon it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas
from sqlalchemy import URL, Connection, MetaData, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from ..client import Address, Client, Part, Run
from ..questions import BY_SEX, PREVIEW, QUESTIONS, TIMES, UNKNOWN_COLUMN
from ..session import parameters

Ask = Callable[[Connection], Any]


def url(address: Address, driver: str) -> URL:
    """Where the proxy is, TLS apart."""
    place = (address.host, address.port, address.database)
    return URL.create(f"postgresql+{driver}", address.user, address.password, *place)


def secured(address: Address, driver: str) -> dict[str, Any]:
    """How the driver is told of TLS."""
    context = ssl.create_default_context(cafile=address.certificate)
    libpq = {"sslmode": "verify-ca", "sslrootcert": address.certificate}
    return {"pg8000": {"ssl_context": context}, "asyncpg": {"ssl": context}}.get(driver, libpq)


def asked(driver: str, ask: Ask, address: Address) -> Any:
    """What the function finds with a connection of the driver."""
    keywords: dict[str, Any] = {"poolclass": NullPool, "connect_args": secured(address, driver)}
    if driver == "asyncpg":
        return asyncio.run(_asked_asynchronously(ask, url(address, driver), keywords))
    with create_engine(url(address, driver), **keywords).connect() as connection:
        return ask(connection)


async def _asked_asynchronously(ask: Ask, where: URL, keywords: dict[str, Any]) -> Any:
    async with create_async_engine(where, **keywords).connect() as connection:
        return await connection.run_sync(ask)


def _rows(connection: Connection, sql: str, values: Any = ()) -> list[Any]:
    done = connection.execute(text(sql), dict(zip("p", values, strict=False)))
    return list(map(tuple, done))


def _connects(connection: Connection) -> Any:
    return _rows(connection, "SELECT current_user")[0]


def _introspects(connection: Connection) -> Any:
    inspector = inspect(connection)
    columns = {each["name"]: each["comment"] for each in inspector.get_columns("people")}
    (link,) = inspector.get_foreign_keys("visits")
    return {
        "tables": inspector.get_table_names(),
        "columns": [*columns],
        "comment": columns["age"],
        "primary key": inspector.get_pk_constraint("people")["constrained_columns"],
        "foreign key": [*link["constrained_columns"], link["referred_table"], *link["referred_columns"]],
    }


def _answers(connection: Connection) -> Any:
    return {each.name: _rows(connection, each.literal) for each in QUESTIONS}


def _prepared(connection: Connection) -> Any:
    return {
        each.name: [_rows(connection, each.written(":p"), parameters(each)) for _ in range(TIMES)] for each in QUESTIONS
    }


def _cursor(connection: Connection) -> Any:
    streamed = connection.execution_options(stream_results=True, max_row_buffer=1)
    return _rows(streamed, BY_SEX.sql)


def _errors(connection: Connection) -> Any:
    states = []
    for sql in (PREVIEW, UNKNOWN_COLUMN):
        states.append(_state(connection, sql))
        connection.rollback()
    states += [_state(connection, PREVIEW), _state(connection, "SELECT 1")]
    connection.rollback()
    return [*states, _rows(connection, BY_SEX.sql)]


def _state(connection: Connection, sql: str) -> str | None:
    try:
        _rows(connection, sql)
    except DBAPIError as fault:
        return _sqlstate(fault.orig)
    return None


def _sqlstate(fault: Any) -> str:
    """Where the driver keeps it: psycopg and asyncpg, psycopg2, pg8000."""
    return str(getattr(fault, "sqlstate", None) or getattr(fault, "pgcode", None) or fault.args[0]["C"])


def _frames(connection: Connection) -> Any:
    return {each.name: _framed(pandas.read_sql(text(each.literal), connection)) for each in QUESTIONS}


def _framed_with_parameters(connection: Connection) -> Any:
    return {
        each.name: [
            _framed(pandas.read_sql(text(each.written(":p")), connection, params=dict(zip("p", values, strict=False))))
            for _ in range(TIMES)
        ]
        for each in QUESTIONS
        for values in [parameters(each)]
    }


def _chunks(connection: Connection) -> Any:
    streamed = connection.execution_options(stream_results=True)
    return [row for frame in pandas.read_sql(text(BY_SEX.sql), streamed, chunksize=1) for row in _framed(frame)]


def _framed(frame: pandas.DataFrame) -> list[Any]:
    """The rows of a frame; what is missing is None."""
    return frame.astype(object).where(frame.notna(), None).values.tolist()


def _reflected(connection: Connection) -> Any:
    """pandas.read_sql_table's way: a table's own reflection, without its rows."""
    metadata = MetaData()
    metadata.reflect(connection)
    people, visits = metadata.tables["people"], metadata.tables["visits"]
    (link,) = visits.foreign_keys
    return {
        "tables": [*metadata.tables],
        "columns": [each.name for each in people.columns],
        "comment": people.c.age.comment,
        "primary key": [each.name for each in people.primary_key],
        "foreign key": [link.parent.name, *link.target_fullname.split(".")],
    }


_PARTS: dict[Part, Ask] = {
    Part.CONNECTS: _connects,
    Part.INTROSPECTS: _introspects,
    Part.ANSWERS: _answers,
    Part.PREPARED: _prepared,
    Part.CURSOR: _cursor,
    Part.ERRORS: _errors,
}
_PANDAS: dict[Part, Ask] = {
    Part.INTROSPECTS: _reflected,
    Part.ANSWERS: _frames,
    Part.PREPARED: _framed_with_parameters,
    Part.CURSOR: _chunks,
}


def _by(driver: str, parts: dict[Part, Ask]) -> dict[Part, Run]:
    return {part: partial(asked, driver, ask) for part, ask in parts.items()}


DRIVERS = ("psycopg", "asyncpg", "pg8000", "psycopg2")
CLIENTS = (
    *(Client(f"SQLAlchemy, {driver}", lambda: None, _by(driver, _PARTS)) for driver in DRIVERS),
    Client("pandas", lambda: None, _by("psycopg", _PARTS | _PANDAS)),
)
