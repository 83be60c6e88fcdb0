"""Rust's tokio-postgres, by psqlpy. It shows no SQLSTATE, and has neither COPY TO nor cancelling."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psqlpy

from ..client import Address, Client, Part
from ..questions import BY_SEX
from ..session import Session, runs


async def _connect(address: Address) -> psqlpy.Connection:
    return await psqlpy.connect(
        host=address.host,
        port=address.port,
        db_name=address.database,
        username=address.user,
        password=address.password,
        ssl_mode=psqlpy.SslMode.VerifyFull,
        ca_file=address.certificate,
    )


def _rows(told: psqlpy.QueryResult) -> list[Any]:
    return [tuple(row.values()) for row in told.result()]


@contextmanager
def _session(address: Address) -> Iterator[Session]:
    with asyncio.Runner() as runner:
        connection = runner.run(_connect(address))

        async def rows(sql: str, values: Any = None) -> list[Any]:
            return _rows(await connection.execute(sql, values))

        yield Session(lambda *asked: runner.run(rows(*asked)), psqlpy.Error, lambda _: None, mark="$1")
        connection.close()


def _cursor(address: Address) -> Any:
    async def read() -> list[Any]:
        connection = await _connect(address)
        async with connection.transaction() as transaction, transaction.cursor(BY_SEX.sql, array_size=1) as cursor:
            return [row async for batch in cursor for row in _rows(batch)]

    return asyncio.run(read())


CLIENTS = (
    Client(
        "tokio-postgres (psqlpy)",
        lambda: None,
        {**runs(_session, Part.CONNECTS, Part.INTROSPECTS, Part.ANSWERS, Part.PREPARED), Part.CURSOR: _cursor},
    ),
)
