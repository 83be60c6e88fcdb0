"""How a client's connection begins: encryption, the startup packet, authentication.

Checked by: tests/test_server.py, tests/attacks/test_sessions.py.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dpproxy.config.sections import AnalystSection, Config
from dpproxy.errors import InvalidAuthorization
from dpproxy.server.byte_stream import ByteStream
from dpproxy.server.scram import REQUEST, ScramServer, Verifier, mock_verifier, parse_verifier
from dpproxy.wire import (
    FRONTEND_LIMITS,
    AuthenticationOk,
    BackendMessage,
    CancelRequest,
    Frame,
    FrameLimits,
    FrameReader,
    GSSENCRequest,
    NegotiateProtocolVersion,
    ProtocolViolation,
    SSLRequest,
    StartupMessage,
    decode_startup,
    encode_backend,
)

# What TLS begins with where the client does not ask for it first (sslnegotiation=direct).
_TLS_HANDSHAKE: Final = b"\x16"
ALPN: Final = "postgresql"
OPTION_PREFIX: Final = "_pq_."
# Before anybody is known, nothing large is taken.
_LIMITS: Final = FrameLimits({b"": FRONTEND_LIMITS.caps[b""], b"p": 1 << 16})


class ClientGone(Exception):
    """The client left, or has nothing more to say."""


class UnknownDatabase(InvalidAuthorization, sqlstate="3D000"):
    """The client asks for another database."""


@dataclass(slots=True)
class ClientConnection:
    """A client that is being greeted: its connection, what it sent ahead, and whether it is encrypted."""

    pipe: ByteStream
    frames: FrameReader
    encrypted: bool = False
    last: bytes = b""

    async def next_frame(self) -> Frame:
        """The next message. Raises Gone at the end of the connection, ProtocolViolation."""
        while (frame := self.frames.next_frame()) is None:
            data = await self.pipe.read()
            if not data:
                raise ClientGone
            self.last = data
            self.frames.feed(data)
        return frame

    @property
    def ahead(self) -> bytes:
        """What was read and is no part of the greeting: the tail of the bytes read last."""
        return self.last[len(self.last) - self.frames.buffered :]

    async def say(self, message: BackendMessage) -> None:
        """Send one message."""
        self.pipe.write(encode_backend(message))
        await self.pipe.drain()


def client_connection(pipe: ByteStream) -> ClientConnection:
    """A client of whom nothing is known yet."""
    return ClientConnection(pipe, FrameReader(_LIMITS, startup=True))


async def first_packet(client: ClientConnection, tls: ssl.SSLContext | None) -> StartupMessage | CancelRequest:
    """The packet after all requests for encryption were answered. Raises ProtocolViolation, Gone, OSError."""
    if tls is not None and await client.pipe.first_byte() == _TLS_HANDSHAKE:
        await client.pipe.start_tls(tls)
        client.encrypted = True
        # Otherwise somebody could lead a browser here, and its words be taken for a client's.
        if client.pipe.agreed_protocol != ALPN:
            raise ProtocolViolation(f'received a direct TLS connection that does not agree on "{ALPN}" by ALPN')
    while True:
        packet = decode_startup((await client.next_frame()).payload)
        match packet:
            case StartupMessage() | CancelRequest():
                return packet
            case SSLRequest() if tls is not None and not client.encrypted:
                await _encrypt(client, tls)
            case SSLRequest() | GSSENCRequest():
                client.pipe.write(b"N")


async def _encrypt(client: ClientConnection, tls: ssl.SSLContext) -> None:
    """What came before the handshake was not protected by it: somebody in between may have put it there."""
    if client.frames.buffered or client.pipe.pending:
        raise ProtocolViolation("received unencrypted data after SSL request")
    client.pipe.write(b"S")
    await client.pipe.start_tls(tls)
    client.encrypted = True


async def negotiate(client: ClientConnection, startup: StartupMessage, minor: int) -> StartupMessage:
    """The startup packet as far as it can be met: the minor version that both speak, no unknown options."""
    options = tuple(name for name, _ in startup.parameters if name.startswith(OPTION_PREFIX))
    if startup.minor > minor or options:
        await client.say(NegotiateProtocolVersion(minor, options))
    known = tuple((name, value) for name, value in startup.parameters if name not in options)
    return StartupMessage(startup.major, min(startup.minor, minor), known)


def admit(startup: StartupMessage, config: Config, encrypted: bool) -> str:
    """The analyst's name, before any password. Raises InvalidAuthorization or one of its kind."""
    given = dict(startup.parameters)
    user = given.get("user", "")
    if not user:
        raise InvalidAuthorization("no PostgreSQL user name specified in startup packet")
    if config.server.require_tls and not encrypted:
        raise InvalidAuthorization("connections without TLS are not accepted", hint="Connect with sslmode=require.")
    if given.get("replication", "false").lower() not in ("false", "off", "no", "0"):
        raise InvalidAuthorization("replication connections are not accepted")
    return user


def check_database(startup: StartupMessage, config: Config) -> None:
    """Asked after authentication, as Postgres does. Raises UnknownDatabase."""
    given = dict(startup.parameters)
    database = given.get("database") or given.get("user", "")
    if database != config.server.database:
        hint = f'The database is "{config.server.database}".'
        raise UnknownDatabase(f'database "{database}" does not exist', hint=hint)


async def authenticate(client: ClientConnection, user: str, analysts: Mapping[str, AnalystSection]) -> None:
    """Raises InvalidPassword; a user who does not exist is asked for a password like any other."""
    analyst = analysts.get(user)
    if analyst is None or not analyst.trust:
        server = ScramServer(user, verifier_of(user, analysts))
        await client.say(REQUEST)
        await client.say(server.first(await _password(client)))
        await client.say(server.final(await _password(client)))
    await client.say(AuthenticationOk())


def verifier_of(user: str, analysts: Mapping[str, AnalystSection]) -> Verifier:
    """Theirs, or one that looks like it could be."""
    known = {name: each.password for name, each in analysts.items() if each.password is not None and not each.trust}
    return parse_verifier(known[user]) if user in known else mock_verifier(user, known.values())


async def _password(client: ClientConnection) -> bytes:
    frame = await client.next_frame()
    if frame.kind != b"p":
        raise ProtocolViolation(f"expected a password, got message {frame.kind!r}")
    return frame.payload
