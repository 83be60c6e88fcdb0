"""Connections to the ledger: one statement at a time, each answered in time or refused.

A general pool mends itself in the background and keeps callers waiting meanwhile. A ledger must say at once that it is
not there, and be there at once when it is back: so connections are made where they are needed, and a dead one is found
before anything is sent on it.

A pooler in between may give each transaction to another server process: so nothing is asked of the startup packet, no
statement is prepared for later, and settings are those of one transaction, made by the functions in `functions_sql.py`.

Checked by: tests/test_given_ledger.py.
"""

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
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from dpproxy.errors import LedgerUnavailable

Row = tuple[Any, ...]

# A firewall that forgets a connection is noticed before the next charge is sent on it.
_KEEPALIVES = {"keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3"}
UNAVAILABLE = "Nothing is answered without a charge on record. Try again later; the operator's log has the details."


class LedgerConnections:
    """Autocommit connections to one database. `patience` is how long any statement may take, in seconds."""

    def __init__(self, conninfo: str, patience: float, size: int) -> None:
        self._conninfo = _with_defaults(conninfo, patience)
        self.patience = patience
        self._free = asyncio.Semaphore(size)
        self._most = size
        self._used = 0
        self._idle: list[AsyncConnection[Row]] = []
        self._closed = False

    async def close(self) -> None:
        """Closes the idle connections; those at work close when they are done."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()

    def connections(self) -> dict[str, int]:
        """How many there are now, used and idle, and how many there may be."""
        return {"used": self._used, "idle": len(self._idle), "most": self._most}

    async def run(self, query: LiteralString, parameters: Sequence[object]) -> list[Row]:
        """The rows of one statement, sent once and never again: whoever retries a charge pays twice.

        Raises LedgerUnavailable where it failed, or where it is not known whether it did.
        """
        async with self.connection() as connection:
            watchdog = asyncio.get_running_loop().call_later(self.patience + 1, _hang_up, connection)
            try:
                cursor = await connection.execute(query, parameters, binary=True)
                return await cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.ntuples else []
            finally:
                watchdog.cancel()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection[Row]]:
        """A connection that was alive a moment ago, or a new one.

        Raises LedgerUnavailable for whatever goes wrong with it, in getting it and in using it.
        """
        try:
            if self._free.locked():
                async with asyncio.timeout(self.patience):
                    await self._free.acquire()
            else:
                await self._free.acquire()  # at once
            self._used += 1
            try:
                connection = self._there() or await self._take()
                try:
                    yield connection
                except BaseException:
                    # A server that has become a standby answers too, but will never do what is asked of it.
                    await connection.close()
                    raise
                await self._put(connection)
            finally:
                self._used -= 1
                self._free.release()
        except (psycopg.Error, TimeoutError, OSError) as error:
            raise LedgerUnavailable("the ledger cannot be reached", hint=UNAVAILABLE) from error

    def _there(self) -> AsyncConnection[Row] | None:
        """The one that was used last, where it is alive."""
        if self._closed or not self._idle or _heard_from(self._idle[-1]):
            return None
        return self._idle.pop()

    async def _take(self) -> AsyncConnection[Row]:
        if self._closed:
            raise LedgerUnavailable("the ledger is closed")
        async with asyncio.timeout(self.patience):
            while self._idle:
                connection = self._idle.pop()
                if not _heard_from(connection):
                    return connection
                await connection.close()
            return await AsyncConnection.connect(self._conninfo, autocommit=True, prepare_threshold=None)

    async def _put(self, connection: AsyncConnection[Row]) -> None:
        if connection.info.transaction_status is TransactionStatus.IDLE and not self._closed:
            self._idle.append(connection)
        else:
            await connection.close()


def _with_defaults(conninfo: str, patience: float) -> str:
    """Of several hosts, each gets its share of the time, so that one that is silent does not keep the others away."""
    given = {key: value for key, value in conninfo_to_dict(conninfo).items() if value is not None}
    hosts = str(given.get("host", "")).count(",") + 1
    share = {"connect_timeout": max(2, int(patience / hosts))}
    own = {"application_name": "dpproxy ledger", "client_encoding": "UTF8"}
    return make_conninfo("", **{**_KEEPALIVES, **share, **given, **own})


def _heard_from(connection: AsyncConnection[Row]) -> bool:
    """Whether anything came in while the connection was idle: in a ledger's life, that is its end."""
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _hang_up(connection: AsyncConnection[Row]) -> None:
    """Ends the conversation under a statement that takes too long: its await raises as if the server had gone."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as twin:
        twin.shutdown(socket.SHUT_RDWR)


def named(conninfo: str) -> str:
    """A database by what may be shown of where it is."""
    given = conninfo_to_dict(conninfo)
    where, user = given.get("host") or given.get("hostaddr") or "localhost", given.get("user")
    port = f":{given['port']}" if given.get("port") else ""
    return f'the database "{given.get("dbname")}" at {where}{port}' + (f' as "{user}"' if user else "")


def told(cause: BaseException | None) -> str:
    """What the server or libpq said, in one line."""
    return (str(cause).splitlines() or [type(cause).__name__])[0]
