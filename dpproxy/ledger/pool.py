"""Connections to the ledger: one statement at a time, each answered in time or refused."""

from __future__ import annotations

import asyncio
import os
import select
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, LiteralString

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from dpproxy.errors import LedgerUnavailable

Row = tuple[Any, ...]

_HINT = "Nothing is answered without a charge on record. Try again later; the operator's log has the details."


class Pool:
    """Autocommit connections to one database. `patience` is how long any statement may take, in seconds."""

    def __init__(self, conninfo: str, patience: float, size: int) -> None:
        self._patience = patience
        self._pool = AsyncConnectionPool(
            conninfo,
            kwargs={"autocommit": True, "prepare_threshold": 0, "connect_timeout": max(2, round(patience))},
            min_size=1,
            max_size=size,
            timeout=patience,
            reconnect_timeout=patience,
            configure=self._configure,
            open=False,
        )

    async def open(self) -> None:
        """Connects once. Raises LedgerUnavailable where that fails."""
        async with _unavailable():
            await self._pool.open(wait=True, timeout=self._patience)

    async def close(self) -> None:
        """Closes every connection."""
        await self._pool.close()

    async def run(self, query: LiteralString, parameters: Sequence[object]) -> list[Row]:
        """The rows of one statement, sent once and never again: whoever retries a charge pays twice.

        Raises LedgerUnavailable where it failed, or where it is not known whether it did.
        """
        async with self.connection() as connection:
            watchdog = asyncio.get_running_loop().call_later(self._patience + 1, _hang_up, connection)
            try:
                cursor = await connection.execute(query, parameters)
                return await cursor.fetchall() if cursor.description else []
            finally:
                watchdog.cancel()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Row]]:
        """A connection that was alive a moment ago. Nothing was sent on it yet, so a dead one is simply replaced."""
        async with _unavailable():
            connection = await self._checkout()
            try:
                yield connection
            finally:
                await self._pool.putconn(connection)

    async def _checkout(self) -> AsyncConnection[Row]:
        async with asyncio.timeout(self._patience):
            connection = await self._pool.getconn()
            while _heard_from(connection):
                await connection.close()
                await self._pool.putconn(connection)
                connection = await self._pool.getconn()
        return connection

    async def _configure(self, connection: AsyncConnection[Row]) -> None:
        milliseconds = round(self._patience * 1000)
        await connection.execute(
            "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS setting (name, value)",
            (
                ["default_transaction_isolation", "lock_timeout", "statement_timeout", "application_name"],
                ["read committed", str(milliseconds), str(milliseconds), "dpproxy ledger"],
            ),
        )


@asynccontextmanager
async def _unavailable() -> AsyncIterator[None]:
    try:
        yield
    except (psycopg.Error, PoolTimeout, PoolClosed, TimeoutError, OSError) as error:
        raise LedgerUnavailable("the ledger cannot be reached", hint=_HINT) from error


def _heard_from(connection: AsyncConnection[Row]) -> bool:
    """Whether anything came in while the connection was idle: in a ledger's life, that is its end."""
    if connection.closed:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _hang_up(connection: AsyncConnection[Row]) -> None:
    """Ends the conversation under a statement that takes too long: its await raises as if the server had gone."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as twin:
        twin.shutdown(socket.SHUT_RDWR)
