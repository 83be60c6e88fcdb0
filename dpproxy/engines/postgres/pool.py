"""Connections to the engine: made where they are needed, kept where they ended clean, found dead before they are used.

A general pool mends itself in the background and keeps callers waiting meanwhile. Here a statement is told at once that
the server is away, and finds it at once when it is back.

Checked by: tests/test_engine_postgres.py.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import asyncpg
from psycopg.conninfo import conninfo_to_dict

from dpproxy.errors import ConfigFault

Connection = Any  # asyncpg tells no types

BROKEN = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""How asyncpg tells that a connection is not what it was. Its own time limits are OSError."""

_PATIENCE = 5.0
_FIRST_PAUSE = 0.05
_IDLE_AT_MOST = 300.0
_NAMES = {"user": "user", "password": "password", "dbname": "database", "passfile": "passfile"}
_TLS = {"mode", "cert", "key", "password", "rootcert", "crl", "negotiation", "_min_protocol_version"}
_BY_URL = {f"ssl{name}" for name in _TLS} | {"ssl_max_protocol_version", "target_session_attrs", "service"}
_WITHOUT_EFFECT = {"application_name", "fallback_application_name", "client_encoding", "sslcompression", "sslsni"}
_NOT_REQUIRED = {"channel_binding", "gssencmode"}
_KEEPALIVE = {
    "keepalives_idle": ("TCP_KEEPIDLE", 10),
    "keepalives_interval": ("TCP_KEEPINTVL", 5),
    "keepalives_count": ("TCP_KEEPCNT", 3),
    "tcp_user_timeout": ("TCP_USER_TIMEOUT", 20_000),
}
"""How soon a network that was cut is noticed, unless the URL says otherwise: in seconds, the last in milliseconds."""
_NUMBERS = {"connect_timeout", "keepalives", *_KEEPALIVE}
_KNOWN = {"host", "port", "options", *_NAMES, *_BY_URL, *_WITHOUT_EFFECT, *_NOT_REQUIRED, *_NUMBERS}


class Pool:
    """Idle connections of one database. Whoever takes one gives it back with `put`, or ends it.

    given: the words of libpq's URL. patience: how long the server may take to answer at all, in seconds.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._address = _address(given)
        self._keepalive = _keepalive(given)
        self.patience = float(given.get("connect_timeout", 0)) or _PATIENCE
        self._idle: list[tuple[float, Connection]] = []
        self.closed = False

    @classmethod
    def of(cls, url: str) -> Pool:
        """Of the database that libpq's URL names. Raises ConfigFault for a word of it that cannot be honoured."""
        given = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
        for name, value in given.items():
            if name not in _KNOWN or (name in _NOT_REQUIRED and value == "require"):
                raise ConfigFault("the engine's URL cannot be used", detail=f"{name} is not supported here")
            if name in _NUMBERS and not value.isdecimal():
                raise ConfigFault("the engine's URL cannot be used", detail=f"{name} is no whole number")
        return cls(given)

    @property
    def idle(self) -> int:
        """How many idle connections there are."""
        return len(self._idle)

    def take(self) -> Connection | None:
        """An idle connection that was alive a moment ago, or None."""
        now = asyncio.get_running_loop().time()
        while self._idle:
            since, connection = self._idle.pop()
            if not connection.is_closed() and now - since < _IDLE_AT_MOST:
                return connection
            connection.terminate()
        return None

    async def connect(self) -> Connection:
        """A new connection. Raises whatever keeps it from being made."""
        made = await asyncpg.connect(
            **self._address,
            timeout=self.patience,
            statement_cache_size=0,  # a pooler may give each transaction another session
        )
        _watch(made, self._keepalive)
        return made

    def put(self, connection: Connection) -> None:
        """Keep a connection on which a transaction ended clean."""
        if self.closed:
            connection.terminate()
        else:
            self._idle.append((asyncio.get_running_loop().time(), connection))

    def forget(self) -> None:
        """End all idle connections: one of them was found dead."""
        while self._idle:
            self._idle.pop()[1].terminate()

    async def close(self) -> None:
        """End all idle connections, and each that comes back."""
        self.closed = True
        while self._idle:
            await end(self._idle.pop()[1], self.patience)


async def end(connection: Connection, patience: float) -> None:
    """Close a connection after what runs on it was cancelled in the server, and has ended there.

    One request to cancel is not enough: it has no effect where it is there before the query. A server that does not
    answer is left: its own time limits end what runs.
    """
    closing = asyncio.ensure_future(_close(connection, patience))
    pause = _FIRST_PAUSE
    while (await asyncio.wait({closing}, timeout=pause))[1]:
        pause *= 2
        connection._cancel_current_command(asyncio.get_running_loop().create_future())


async def _close(connection: Connection, patience: float) -> None:
    """It waits for what was cancelled."""
    try:
        with suppress(*BROKEN):
            await connection.close(timeout=patience)
    finally:
        connection.terminate()


def _address(given: Mapping[str, str]) -> dict[str, Any]:
    """What asyncpg is told of where to connect, and how."""
    by_url = urlencode({name: given[name] for name in sorted(_BY_URL & given.keys())})
    settings = {"application_name": "dpproxy engine"} | {name: given[name] for name in given if name == "options"}
    named = {own: given[name] for name, own in _NAMES.items() if name in given}
    lists = {name: given[name].split(",") for name in ("host", "port") if name in given}
    return {"dsn": f"postgresql:///{by_url and '?'}{by_url}", "server_settings": settings, **named, **lists}


def _keepalive(given: Mapping[str, str]) -> dict[int, int]:
    """TCP's options, by number. This machine may not have all of them."""
    if given.get("keepalives") == "0":
        return {}
    known = {name: (getattr(socket, option, None), usual) for name, (option, usual) in _KEEPALIVE.items()}
    return {option: int(given.get(name, usual)) for name, (option, usual) in known.items() if option is not None}


def _watch(connection: Connection, options: Mapping[int, int]) -> None:
    """A network that was cut ends the connection, also while it waits for an answer."""
    found = connection._transport.get_extra_info("socket")
    if options and found.family != socket.AF_UNIX:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in options.items():
            found.setsockopt(socket.IPPROTO_TCP, option, value)
