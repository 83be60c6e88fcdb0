"""Connections to the front, as an analyst's role: over its Unix socket, or by TCP with or without TLS."""

from __future__ import annotations

import asyncio
import socket
from typing import Final

from dpproxy.errors import ConfigFault, FrontUnavailable
from dpproxy.front.encryption import Encryption
from dpproxy.front.front_address import FrontAddress
from dpproxy.server.byte_stream import ByteStream
from dpproxy.server.scram import FrontLogin
from dpproxy.wire import (
    AuthenticationOk,
    CancelRequest,
    ErrorResponse,
    Frame,
    SSLRequest,
    StartupMessage,
    decode_backend,
    encode_frontend,
    encode_startup,
    split_frames,
)

# current_schema() is what many tools show the tables of, so it is not the analyst's own; see
# `session.created_relations`.
_SEARCH_PATH: Final = 'public, "$user"'
_PATIENCE: Final = 5.0  # seconds that a connection may take
_SESSION_PATIENCE: Final = 30.0  # and the session on it, of a server that many ask at once
_KEEPALIVE: Final = {"TCP_KEEPIDLE": 20, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 3}
_NOT_PASSED_ON: Final = frozenset({"user", "database", "options", "replication"})


def front_startup(client: StartupMessage, user: str, database: str, defaults: dict[str, str]) -> StartupMessage:
    """The packet for the front: the policy's defaults come before the client's own options, which win."""
    given = dict(client.parameters)
    defaults = {"search_path": _SEARCH_PATH, **defaults}
    options = " ".join(
        [*(f"-c {name}={_escaped(value)}" for name, value in defaults.items()), given.get("options", "")]
    )
    others = tuple((name, value) for name, value in client.parameters if name not in _NOT_PASSED_ON)
    return StartupMessage(
        client.major, client.minor, (("user", user), ("database", database), ("options", options.strip()), *others)
    )


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


async def connect(address: FrontAddress) -> ByteStream:
    """A connection to the front, encrypted if that is what the owner wrote. Raises FrontUnavailable."""
    try:
        async with asyncio.timeout(_PATIENCE):
            if address.host.startswith("/"):
                path = f"{address.host}/.s.PGSQL.{address.port}"
                return (await asyncio.get_running_loop().create_unix_connection(ByteStream, path))[1]
            return await _by_tcp(address)
    except OSError as fault:  # TimeoutError and ssl.SSLError among them
        raise FrontUnavailable("the front cannot be reached") from fault


async def _by_tcp(address: FrontAddress) -> ByteStream:
    transport, pipe = await asyncio.get_running_loop().create_connection(ByteStream, address.host, address.port)
    _notice_silence(transport.get_extra_info("socket"))
    try:
        if address.encryption is not None:
            await _encrypt(pipe, address.encryption)
    except BaseException:
        pipe.abort()
        raise
    return pipe


def _notice_silence(connection: socket.socket) -> None:
    """A server that vanished without a word ends its sessions within a minute, not after hours."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE.items():
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def _encrypt(pipe: ByteStream, encryption: Encryption) -> None:
    """Never goes on in the clear: what answers anything but S may not be the front."""
    if not encryption.direct:
        pipe.write(encode_startup(SSLRequest()))
        if await pipe.read() != b"S":  # not one byte more: that would be somebody's in between
            raise ConnectionError("the front does not take TLS")
    await pipe.start_tls_as_client(encryption.context, encryption.name)


async def sign_in(pipe: ByteStream, startup: StartupMessage, user: str, password: str) -> bytes:
    """Open a session. What the front sends after AuthenticationOk is the client's to see, and so is an error.

    Raises FrontUnavailable.
    """
    try:
        async with asyncio.timeout(_SESSION_PATIENCE):
            return await _signed_in(pipe, startup, FrontLogin(user, password))
    except TimeoutError as fault:
        raise FrontUnavailable("the front takes too long to open a session; try again") from fault


async def _signed_in(pipe: ByteStream, startup: StartupMessage, login: FrontLogin) -> bytes:
    pipe.write(encode_startup(startup))
    buffer = bytearray()
    while data := await pipe.read():
        buffer += data
        frames, end = split_frames(buffer, 0)
        for kind, begin, stop in frames:
            message = decode_backend(Frame(bytes([kind]), bytes(buffer[begin + 5 : stop])))
            if isinstance(message, ErrorResponse):
                return bytes(buffer[begin:])
            answer = login.answer(message)
            if isinstance(message, AuthenticationOk):
                return bytes(buffer[stop:])
            if answer is not None:
                pipe.write(encode_frontend(answer))
        del buffer[:end]
    raise FrontUnavailable("the front closed the connection")


async def try_out(address: FrontAddress, user: str, password: str) -> bool:
    """Whether a given front asks analysts for their role's password. Raises ConfigFault where it does not let them in,
    FrontUnavailable."""
    login = FrontLogin(user, password)
    pipe = await connect(address)
    try:
        packet = StartupMessage(3, 0, (("user", user), ("database", address.database)))
        async with asyncio.timeout(_PATIENCE):
            answer = await _signed_in(pipe, packet, login)
    except TimeoutError as fault:
        raise FrontUnavailable("the front cannot be reached") from fault
    except FrontUnavailable as fault:
        raise _not_let_in(address, fault.message) from fault
    finally:
        pipe.close()
    if answer[:1] == b"E":
        frames, _ = split_frames(bytearray(answer), 0)
        message = decode_backend(Frame(b"E", answer[5 : frames[0][2]]))
        assert isinstance(message, ErrorResponse)
        raise _refused(address, dict(message.fields))
    return login.asked


def _refused(address: FrontAddress, fields: dict[str, str]) -> ConfigFault | FrontUnavailable:
    """Why a session could not begin: for good (class 28: authorization), or for now."""
    if fields.get("C", "").startswith("28"):
        return _not_let_in(address, fields.get("M", ""))
    return FrontUnavailable("the front takes no sessions", detail=fields.get("M"))


def _not_let_in(address: FrontAddress, why: str) -> ConfigFault:
    kind = "local" if address.host.startswith("/") else "host" if address.encryption is None else "hostssl"
    place = "" if kind == "local" else " PROXYS-ADDRESS/32"
    expected = f'in the server\'s pg_hba.conf a line such as: {kind} "{address.database}" all{place} scram-sha-256'
    return ConfigFault(
        "the front cannot be used", detail=f"front.url: analysts' roles are not let in ({why}); expected {expected}"
    )


async def cancel(address: FrontAddress, request: CancelRequest) -> None:
    """Pass a cancel request on; the front never answers one."""
    pipe = await connect(address)
    pipe.write(encode_startup(request))
    await pipe.read()
    pipe.close()
