"""psycopg 3: as it comes (which prepares what is asked five times), with binary results and prepared at once, async."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import psycopg

from ..client import Address, Client, Part
from ..questions import BY_SEX
from ..session import PLAIN, Session, fetched, runs

Connection = psycopg.Connection[Any]
_COPY = f"COPY ({BY_SEX.sql}) TO STDOUT"


def keywords(address: Address) -> dict[str, Any]:
    """How libpq connects, over TLS, in autocommit."""
    return {
        "host": address.host,
        "port": address.port,
        "dbname": address.database,
        "user": address.user,
        "password": address.password,
        "sslmode": "verify-ca",
        "sslrootcert": address.certificate,
    }


def connect(address: Address) -> Connection:
    """A connection in autocommit."""
    return psycopg.connect(**keywords(address), autocommit=True)


@contextmanager
def _text(address: Address) -> Iterator[Session]:
    with connect(address) as connection:
        yield Session(
            lambda sql, values=(): fetched(connection.execute(sql, values or None)),
            psycopg.Error,
            lambda fault: fault.sqlstate,
            connection.cancel_safe,
        )


@contextmanager
def _binary(address: Address) -> Iterator[Session]:
    with connect(address) as connection:
        yield Session(
            lambda sql, values=(): fetched(connection.execute(sql, values or None, prepare=True, binary=True)),
            psycopg.Error,
            lambda fault: fault.sqlstate,
            connection.cancel_safe,
            "%b",
        )


@contextmanager
def _asynchronous(address: Address) -> Iterator[Session]:
    with asyncio.Runner() as runner:
        connection = runner.run(psycopg.AsyncConnection.connect(**keywords(address), autocommit=True))

        async def rows(sql: str, values: Any = ()) -> list[Any]:
            done = await connection.execute(sql, values or None)
            return await done.fetchall() if done.description else []

        yield Session(
            lambda *asked: runner.run(rows(*asked)), psycopg.Error, lambda fault: fault.sqlstate, connection.cancel
        )
        runner.run(connection.close())


def _cursor(address: Address, *, binary: bool) -> Any:
    with (
        connect(address) as connection,
        connection.transaction(),
        connection.cursor("one by one", binary=binary) as rows,
    ):
        rows.itersize = 1
        rows.execute(BY_SEX.sql)
        return list(rows)


def _copy(address: Address) -> Any:
    with connect(address) as connection, connection.cursor().copy(_COPY) as out:
        return list(out.rows())


def _copy_binary(address: Address) -> Any:
    with connect(address) as connection, connection.cursor().copy(f"{_COPY} (FORMAT binary)") as out:
        out.set_types(["text", "int8", "int8"])
        return list(out.rows())


def _cursor_async(address: Address) -> Any:
    async def fetch() -> Any:
        async with (
            await psycopg.AsyncConnection.connect(**keywords(address)) as connection,
            connection.cursor("one by one") as rows,
        ):
            rows.itersize = 1
            await rows.execute(BY_SEX.sql)
            return [row async for row in rows]

    return asyncio.run(fetch())


def _copy_async(address: Address) -> Any:
    async def read() -> Any:
        async with (
            await psycopg.AsyncConnection.connect(**keywords(address)) as connection,
            connection.cursor().copy(_COPY) as out,
        ):
            return [row async for row in out.rows()]

    return asyncio.run(read())


CLIENTS = (
    Client(
        "psycopg 3",
        lambda: None,
        runs(_text, *PLAIN, Part.CANCEL) | {Part.CURSOR: partial(_cursor, binary=False), Part.COPY: _copy},
    ),
    Client(
        "psycopg 3, binary",
        lambda: None,
        runs(_binary, *PLAIN, Part.CANCEL) | {Part.CURSOR: partial(_cursor, binary=True), Part.COPY: _copy_binary},
    ),
    Client(
        "psycopg 3, async",
        lambda: None,
        runs(_asynchronous, *PLAIN, Part.CANCEL) | {Part.CURSOR: _cursor_async, Part.COPY: _copy_async},
    ),
)
