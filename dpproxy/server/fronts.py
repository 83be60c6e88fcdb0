"""Connections to the front, as an analyst's role over its Unix socket."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from dpproxy.errors import FrontUnavailable
from dpproxy.front.address import FrontAddress
from dpproxy.server.pipe import Pipe
from dpproxy.server.scram import FrontLogin
from dpproxy.wire import (
    AuthenticationOk,
    CancelRequest,
    ErrorResponse,
    Frame,
    StartupMessage,
    decode_backend,
    encode_frontend,
    encode_startup,
    split_frames,
)

# current_schema() is what many tools show the tables of, so it is not the analyst's own; see `session.made`.
_SEARCH_PATH: Final = 'public, "$user"'
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


def settings_of(client: StartupMessage) -> frozenset[str]:
    """The names of the `dp.*` settings that a startup packet sets, in its options or by themselves."""
    given = dict(client.parameters)
    named = [name.lower() for name in given] + re.findall(r"(?:-c\s*|--)(dp\.\w+)", given.get("options", "").lower())
    return frozenset(name.removeprefix("dp.") for name in named if name.startswith("dp."))


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


async def connect(address: FrontAddress) -> Pipe:
    """A connection to the front. Raises FrontUnavailable."""
    loop = asyncio.get_running_loop()
    try:
        if address.host.startswith("/"):
            _, pipe = await loop.create_unix_connection(Pipe, f"{address.host}/.s.PGSQL.{address.port}")
        else:
            _, pipe = await loop.create_connection(Pipe, address.host, address.port)
    except OSError as fault:
        raise FrontUnavailable("the front cannot be reached") from fault
    return pipe


async def sign_in(pipe: Pipe, startup: StartupMessage, user: str, password: str) -> bytes:
    """Open a session. What the front sends after AuthenticationOk is the client's to see, and so is an error.

    Raises FrontUnavailable.
    """
    pipe.write(encode_startup(startup))
    login = FrontLogin(user, password)
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


async def cancel(address: FrontAddress, request: CancelRequest) -> None:
    """Pass a cancel request on; the front never answers one."""
    pipe = await connect(address)
    pipe.write(encode_startup(request))
    await pipe.read()
    pipe.close()
