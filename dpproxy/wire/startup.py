"""The packets that open a connection; they have no kind byte."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpproxy.wire.errors import ProtocolViolation, UnsupportedProtocol
from dpproxy.wire.payload import INT32, TEXT, UINT16, Shape, pair, shape, sized, terminated


@dataclass(frozen=True, slots=True)
class StartupMessage:
    """Opens a session. `parameters` in their order, `_pq_.` options among them; values as sent, quotes included."""

    major: int
    minor: int
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SSLRequest:
    """Asks for TLS; answered by one byte, S or N, that is no message."""


@dataclass(frozen=True, slots=True)
class GSSENCRequest:
    """Asks for GSSAPI encryption; answered by one byte, G or N, that is no message."""


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Asks, on a connection of its own, to cancel what session `pid` runs. The key is 4 to 256 bytes (4 before 3.2)."""

    pid: int
    key: bytes


StartupPacket = StartupMessage | SSLRequest | GSSENCRequest | CancelRequest

_SESSION = shape(StartupMessage, b"", UINT16, UINT16, terminated(pair(TEXT, TEXT)))
_REQUESTS: dict[bytes, Shape[Any]] = {
    each.prefix: each
    for each in (
        shape(CancelRequest, b"", INT32, sized(4, 256), prefix=b"\x04\xd2\x16\x2e"),
        shape(SSLRequest, b"", prefix=b"\x04\xd2\x16\x2f"),
        shape(GSSENCRequest, b"", prefix=b"\x04\xd2\x16\x30"),
    )
}
_BY_CLASS: dict[type, Shape[Any]] = {each.make: each for each in (_SESSION, *_REQUESTS.values())}


def decode_startup(payload: bytes) -> StartupPacket:
    """The packet in a payload. Raises UnsupportedProtocol if it is not 3.x, ProtocolViolation if it is malformed.

    Names and values are UTF-8: nothing has been agreed on yet, and the front's own names are.
    """
    if len(payload) < 4:
        raise ProtocolViolation(f"startup packet of {len(payload)} bytes: the least is 4")
    request = _REQUESTS.get(payload[:4])
    if request is not None:
        packet: StartupPacket = request.decode(payload, "utf-8")
        return packet
    major, minor = int.from_bytes(payload[:2], "big"), int.from_bytes(payload[2:4], "big")
    if major != 3:
        raise UnsupportedProtocol(f"unsupported frontend protocol {major}.{minor}: the server supports 3.0 to 3.2")
    return _SESSION.decode(payload, "utf-8")


def encode_startup(message: StartupPacket) -> bytes:
    """The packet as on the wire; ProtocolViolation if a field cannot be sent."""
    return _BY_CLASS[type(message)].encode(message, "utf-8")
