"""A client that does next to nothing: it sends bytes made before, and counts those that come until the end."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import pq

from dpproxy.front.front_address import FrontAddress
from dpproxy.wire import Bind, Execute, FrontendMessage, Parse, Query, Sync, encode_frontend

_READY = b"Z\0\0\0\5I"
_ERROR = ord("E")
_PIECE = 1 << 18


class RawClient:
    """libpq signs in; from then on bytes go past it. All conversations end outside of a transaction."""

    def __init__(self, address: FrontAddress) -> None:
        self._session = pq.PGconn.connect(f"{address.conninfo()} sslmode=disable".encode())
        assert self._session.status == pq.ConnStatus.OK, self._session.error_message
        self._socket = socket.socket(fileno=os.dup(self._session.socket))
        self._socket.setblocking(True)
        self._piece = bytearray(_PIECE)

    def ask(self, message: bytes) -> int:
        """Send it; the number of bytes that come up to the one ReadyForQuery."""
        self._socket.sendall(message)
        size, tail = 0, b""
        while tail != _READY:
            got = self._socket.recv_into(self._piece)
            assert got and (size or self._piece[0] != _ERROR), bytes(self._piece[:got])
            size += got
            tail = (tail + bytes(self._piece[max(got - len(_READY), 0) : got]))[-len(_READY) :]
        return size

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
        self._session.finish()


@contextmanager
def raw_client(address: FrontAddress) -> Iterator[RawClient]:
    """A client for the length of a block."""
    client = RawClient(address)
    try:
        yield client
    finally:
        client.close()


def query(sql: str) -> bytes:
    """A simple query."""
    return encoded(Query(sql))


def prepare(name: str, sql: str) -> bytes:
    """Parse a statement and keep it."""
    return encoded(Parse(name, sql, ()), Sync())


def execute(name: str, times: int = 1) -> bytes:
    """Run a kept statement, so many times in one pipeline."""
    return encoded(*(Bind("", name, (), (), ()), Execute("", 0)) * times, Sync())


def encoded(*messages: FrontendMessage) -> bytes:
    """The bytes of messages."""
    return b"".join(map(encode_frontend, messages))
