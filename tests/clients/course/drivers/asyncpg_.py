"""asyncpg: binary throughout, a statement cache, cursors that are portals."""

from __future__ import annotations

import asyncio
import csv
import io
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg

from ..client import Address, Client, Part
from ..questions import BY_SEX, QUESTIONS, SLEEP, TIMES
from ..session import PLAIN, Session, parameters, runs


async def connect(address: Address) -> Any:
    """A connection over TLS."""
    secure = ssl.create_default_context(cafile=address.certificate)
    return await asyncpg.connect(
        host=address.host,
        port=address.port,
        database=address.database,
        user=address.user,
        password=address.password,
        ssl=secure,
    )


@contextmanager
def _session(address: Address) -> Iterator[Session]:
    with asyncio.Runner() as runner:
        connection = runner.run(connect(address))

        async def rows(sql: str, values: Any = ()) -> list[Any]:
            return [tuple(row) for row in await connection.fetch(sql, *values)]

        yield Session(
            lambda *asked: runner.run(rows(*asked)), asyncpg.PostgresError, lambda fault: fault.sqlstate, mark="$1"
        )
        runner.run(connection.close())


def _with_connection(ask: Callable[[Any], Awaitable[Any]]) -> Callable[[Address], Any]:
    async def asked(address: Address) -> Any:
        connection = await connect(address)
        try:
            return await ask(connection)
        finally:
            await connection.close()

    return lambda address: asyncio.run(asked(address))


async def _prepared(connection: Any) -> Any:
    told = {}
    for each in QUESTIONS:
        statement = await connection.prepare(each.sql)
        told[each.name] = [list(map(tuple, await statement.fetch(*parameters(each)))) for _ in range(TIMES)]
    return told


async def _cursor(connection: Any) -> Any:
    async with connection.transaction():
        return [tuple(row) async for row in connection.cursor(BY_SEX.sql, prefetch=1)]


async def _copy(connection: Any) -> Any:
    out = io.BytesIO()
    await connection.copy_from_query(BY_SEX.sql, output=out, format="csv")
    return list(csv.reader(io.StringIO(out.getvalue().decode())))


async def _cancel(connection: Any) -> Any:
    """asyncpg says TimeoutError of what it cancelled. The next statement has to wait until the server has ended it."""
    try:
        state = await connection.fetch(SLEEP, timeout=0.3)
    except TimeoutError:
        state = "57014"
    return [state, await connection.fetchval("SELECT 1", timeout=20)]


CLIENTS = (
    Client(
        "asyncpg",
        lambda: None,
        runs(_session, *PLAIN)
        | {
            part: _with_connection(ask)
            for part, ask in (
                (Part.PREPARED, _prepared),
                (Part.CURSOR, _cursor),
                (Part.COPY, _copy),
                (Part.CANCEL, _cancel),
            )
        },
    ),
)
