"""A session of an analyst within the process: the page asks the proxy as any client does, over a pair of sockets.

So what is told of a statement here is what a session tells, with the same words.

Checked by: tests/test_dashboard.py.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from dpproxy.errors import FrontUnavailable
from dpproxy.server.byte_stream import ByteStream
from dpproxy.server.logins import Login
from dpproxy.server.proxy import Proxy
from dpproxy.wire import (
    BACKEND_LIMITS,
    BackendMessage,
    DataRow,
    ErrorResponse,
    FrameReader,
    FrontendMessage,
    ReadyForQuery,
    StartupMessage,
    Terminate,
    decode_backend,
    encode_frontend,
)

_PATIENCE: Final = 30.0  # seconds
_PARTING: Final = 2.0
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Heard:
    """What came up to the next ReadyForQuery: the first column of each row, and the fields of the error, if any."""

    rows: tuple[str, ...]
    error: dict[str, str] | None


@dataclass(slots=True)
class InnerSession:
    """A session that has begun. login: as the proxy knows it."""

    login: Login
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    frames: FrameReader = field(default_factory=lambda: FrameReader(BACKEND_LIMITS, startup=False))

    async def ask(self, *messages: FrontendMessage) -> Heard:
        """Say this, and listen. Raises FrontUnavailable, TimeoutError."""
        self.writer.write(b"".join(map(encode_frontend, messages)))
        async with asyncio.timeout(_PATIENCE):
            return await _heard(self.reader, self.frames)


class NotBegun(Exception):
    """There is no session. fields: of the error."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__(fields.get("M", ""))
        self.fields = fields


@asynccontextmanager
async def inner_session(proxy: Proxy, analyst: str, settings: dict[str, str]) -> AsyncIterator[InnerSession]:
    """A session for the length of the block. settings: `dp.*` that it begins with. Raises NotBegun."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    _, pipe = await asyncio.get_running_loop().create_connection(ByteStream, sock=theirs)
    begun: asyncio.Future[Login] = asyncio.get_running_loop().create_future()
    startup = StartupMessage(
        3,
        0,
        (
            ("user", analyst),
            ("database", proxy.database),
            ("client_encoding", "UTF8"),
            ("application_name", "dpproxy budget page"),
            *settings.items(),
        ),
    )
    serving = asyncio.get_running_loop().create_task(proxy.converse(pipe, analyst, startup, begun.set_result))
    try:
        yield await _greeted(reader, writer, begun)
        writer.write(encode_frontend(Terminate()))
        await asyncio.wait([serving], timeout=_PARTING)
    finally:
        writer.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


async def _greeted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, begun: asyncio.Future[Login]
) -> InnerSession:
    frames = FrameReader(BACKEND_LIMITS, startup=False)
    async with asyncio.timeout(_PATIENCE):
        heard = await _heard(reader, frames)
        if heard.error is not None:
            raise NotBegun(heard.error)
        return InnerSession(await begun, reader, writer, frames)


async def _heard(reader: asyncio.StreamReader, frames: FrameReader) -> Heard:
    rows: list[str] = []
    error: dict[str, str] | None = None
    while not isinstance(message := await _next(reader, frames), ReadyForQuery):
        if isinstance(message, DataRow):
            rows.append((message.values[0] or b"").decode())
        elif isinstance(message, ErrorResponse):
            error = dict(message.fields)
            if error.get("S") == "FATAL":
                break
    return Heard(tuple(rows), error)


async def _next(reader: asyncio.StreamReader, frames: FrameReader) -> BackendMessage:
    while (frame := frames.next_frame()) is None:
        data = await reader.read(_CHUNK)
        if not data:
            raise FrontUnavailable("the session has ended")
        frames.feed(data)
    return decode_backend(frame)
