"""Authentication requests: the messages of kind R, told apart by a code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpproxy.wire.errors import ProtocolViolation
from dpproxy.wire.payload import REST, TEXT, Shape, shape, sized, terminated


@dataclass(frozen=True, slots=True)
class AuthenticationOk:
    """The client is who it says."""


@dataclass(frozen=True, slots=True)
class AuthenticationCleartext:
    """Send the password itself."""


@dataclass(frozen=True, slots=True)
class AuthenticationMD5:
    """Send the password hashed with a salt of 4 bytes."""

    salt: bytes


@dataclass(frozen=True, slots=True)
class AuthenticationSASL:
    """Choose one of these SASL mechanisms."""

    mechanisms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AuthenticationSASLContinue:
    """A challenge of the SASL mechanism."""

    data: bytes


@dataclass(frozen=True, slots=True)
class AuthenticationSASLFinal:
    """The last data of the SASL mechanism, before AuthenticationOk."""

    data: bytes


Authentication = (
    AuthenticationOk
    | AuthenticationCleartext
    | AuthenticationMD5
    | AuthenticationSASL
    | AuthenticationSASLContinue
    | AuthenticationSASLFinal
)

SHAPES: tuple[Shape[Any], ...] = (
    shape(AuthenticationOk, b"R", prefix=b"\0\0\0\x00"),
    shape(AuthenticationCleartext, b"R", prefix=b"\0\0\0\x03"),
    shape(AuthenticationMD5, b"R", sized(4, 4), prefix=b"\0\0\0\x05"),
    shape(AuthenticationSASL, b"R", terminated(TEXT), prefix=b"\0\0\0\x0a"),
    shape(AuthenticationSASLContinue, b"R", REST, prefix=b"\0\0\0\x0b"),
    shape(AuthenticationSASLFinal, b"R", REST, prefix=b"\0\0\0\x0c"),
)
_BY_CODE = {each.prefix: each for each in SHAPES}


def authentication_shape(payload: bytes) -> Shape[Any]:
    """Which request a payload of kind R holds; ProtocolViolation if it is none that is spoken here."""
    found = _BY_CODE.get(payload[:4])
    if found is None:
        raise ProtocolViolation(f"unsupported authentication request {payload[:4].hex() or 'without a code'}")
    return found
