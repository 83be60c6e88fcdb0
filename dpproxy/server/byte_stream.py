"""A byte stream with back pressure, for both sides of a session.

Checked by: tests/test_server.py.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Final, cast

MOST_BUFFERED: Final = 1 << 18


class ByteStream(asyncio.Protocol):
    """One connection. `read` waits for bytes and gives all there are, b"" at the end; `drain` waits for the peer.

    Not more than about `MOST_BUFFERED` bytes are taken from the peer before they are read.
    on_end: called once when the peer has closed its side or the connection is gone.
    blocked: whether more is on its way than the peer takes.
    heard: set whenever bytes come.
    at_once: takes what it can of bytes that come while `read` waits, with nothing before them, and returns how many
    those were; `read` gives the rest, and raises what it raises. onto: where they go, unless it is blocked.
    """

    def __init__(self, on_connect: Callable[[ByteStream], None] | None = None) -> None:
        self._on_connect = on_connect
        self._transport: asyncio.Transport | None = None
        self._chunks: list[bytes] = []
        self._size = 0
        self._paused = False
        self._ended = False
        self._lost = False
        self._reader: asyncio.Future[None] | None = None
        self._writer: asyncio.Future[None] | None = None
        self.blocked = self.heard = False
        self.on_end: Callable[[], None] | None = None
        self.at_once: Callable[[bytes], int] | None = None
        self.onto: ByteStream | None = None
        self._fault: Exception | None = None
        self.peer = ""  # the address of the other side, without its port; empty for a Unix socket's

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop, and again when TLS has begun."""
        first = self._transport is None
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=MOST_BUFFERED)
        if first:
            self.peer = _peer(self._transport)
        if first and self._on_connect is not None:
            self._on_connect(self)

    def data_received(self, data: bytes) -> None:
        """Called by the event loop."""
        self.heard = True
        reader = self._reader
        onto = self.onto
        if self.at_once is not None and reader is not None and not reader.done() and not (onto and onto.blocked):
            try:
                taken = self.at_once(data)
            except Exception as fault:  # noqa: BLE001 (`read` raises it)
                self._fault, taken = fault, 0
            if taken == len(data):
                return
            data = data[taken:]
        self._chunks.append(data)
        self._size += len(data)
        if self._size > MOST_BUFFERED and not self._paused and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()
        self._wake(self._reader)

    def eof_received(self) -> bool:
        """Called by the event loop when the peer has said all; whether it may still be written to."""
        self._end()
        # A client that has said all may still read; TLS has no such half-closed state.
        return self._transport is not None and self._transport.get_extra_info("sslcontext") is None

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop when the connection is gone."""
        self._lost = True
        self.blocked = False
        self._wake(self._writer)
        self._end()

    def pause_writing(self) -> None:
        """Called by the event loop when the peer takes less than is written."""
        self.blocked = True

    def resume_writing(self) -> None:
        """Called by the event loop when the peer has caught up."""
        self.blocked = False
        self._wake(self._writer)

    def _end(self) -> None:
        if not self._ended:
            self._ended = True
            self._wake(self._reader)
            if self.on_end is not None:
                self.on_end()

    @staticmethod
    def _wake(waiting: asyncio.Future[None] | None) -> None:
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    async def read(self) -> bytes:
        """All bytes that came, at least one; b"" after the last."""
        while not self._chunks and not self._ended:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        if self._fault is not None:
            raise self._fault
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        if self._paused and self._transport is not None and not self._lost:
            self._paused = False
            self._transport.resume_reading()
        return data

    def write(self, data: bytes) -> None:
        """Send bytes; nothing happens if the peer is gone."""
        if data and self._transport is not None and not self._lost:
            self._transport.write(data)

    async def drain(self) -> None:
        """Wait while more is on its way than the peer takes."""
        while self.blocked and not self._lost:
            self._writer = asyncio.get_running_loop().create_future()
            await self._writer

    @property
    def pending(self) -> bool:
        """Whether bytes came that were not read."""
        return bool(self._chunks)

    @property
    def ended(self) -> bool:
        """Whether the peer has closed its side or the connection is gone."""
        return self._ended

    async def first_byte(self) -> bytes:
        """The byte that comes first, which stays to be read; b"" at the end of the connection."""
        while not self._chunks and not self._ended:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        return self._chunks[0][:1] if self._chunks else b""

    async def start_tls(self, context: ssl.SSLContext) -> None:
        """Become the server's side of a TLS connection, whose first bytes are those that came and were not read.

        Raises OSError (ssl.SSLError among them).
        """
        assert self._transport is not None
        loop, plain = asyncio.get_running_loop(), self._transport
        early, self._size = b"".join(self._chunks), 0
        self._chunks.clear()
        # What comes until the handshake's task runs must not be taken for the client's words.
        plain.pause_reading()
        handshake = loop.create_task(loop.start_tls(plain, self, context, server_side=True))
        await asyncio.sleep(0)
        if early:
            loop.call_soon(_hand_over, early, plain.get_protocol())
        transport = await handshake
        if transport is None:
            raise ConnectionResetError("the connection was lost in the TLS handshake")
        self.connection_made(transport)

    async def start_tls_as_client(self, context: ssl.SSLContext, name: str) -> None:
        """Become the client's side of one, with the server of that name. Raises OSError (ssl.SSLError among them)."""
        assert self._transport is not None
        loop = asyncio.get_running_loop()
        transport = await loop.start_tls(self._transport, self, context, server_hostname=name)
        if transport is None:
            raise ConnectionResetError("the connection was lost in the TLS handshake")
        self.connection_made(transport)

    @property
    def agreed_protocol(self) -> str | None:
        """What client and server agreed to speak over TLS (ALPN)."""
        tls = None if self._transport is None else self._transport.get_extra_info("ssl_object")
        return None if tls is None else cast(ssl.SSLObject, tls).selected_alpn_protocol()

    def close(self) -> None:
        """Send what is on its way, then close."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        if self._transport is not None:
            self._transport.abort()


def _hand_over(data: bytes, protocol: asyncio.BaseProtocol) -> None:
    """Give the protocol of TLS what was received before it was there."""
    tls = cast(asyncio.BufferedProtocol, protocol)
    while data:
        room = memoryview(tls.get_buffer(len(data)))
        taken = min(len(room), len(data))
        room[:taken] = data[:taken]
        tls.buffer_updated(taken)
        data = data[taken:]


def _peer(transport: asyncio.Transport) -> str:
    """Asked while the connection is new: of one that is gone the event loop raises."""
    try:
        name = transport.get_extra_info("peername")
    except (OSError, ValueError):
        return ""
    return str(name[0]) if isinstance(name, tuple) else ""
