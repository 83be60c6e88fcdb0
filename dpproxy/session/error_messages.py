"""Errors as bytes for the client: those of the proxy, and those of the front as they may be shown.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dpproxy.errors import DPProxyError, FeatureNotSupported, NotPrivate
from dpproxy.remembered import remembered
from dpproxy.session.client_encoding import encodable
from dpproxy.wire import (
    ErrorResponse,
    Frame,
    NoticeResponse,
    ProtocolViolation,
    decode_backend,
    encode_backend,
    error_fields,
)

IN_FAILED_TRANSACTION: Final = "25P02"
# What an error of a swapped statement says of places: they lie in a text that the analyst did not write.
_PLACES: Final = frozenset("PpqW")
BACKSTOP: Final = NotPrivate(
    "the statement reads a private table in a way that cannot be made private",
    hint="Write it as a plain SELECT over the table, with aggregates such as count, sum or avg.",
)

BACKSLASH: Final = FeatureNotSupported(
    "a backslash needs standard_conforming_strings on", hint="RESET standard_conforming_strings."
)
_STORED: Final = "Its noisy numbers were released before, and are stored: to ask for them again is free."
_WRITE: Final = (
    "Ask again so that any number will do, such as x / NULLIF(y, 0), or sqrt(greatest(x, 0)) where x may be below 0."
)
ROW_SECURITY: Final = NotPrivate("private statements need row_security on", hint="RESET row_security.")


def error_bytes(fault: DPProxyError, codec: str, *, shift: int = 0, severity: str = "ERROR") -> bytes:
    """An ErrorResponse. `shift` is added to the position: characters of the text before the statement's own."""
    position = None if fault.position is None else fault.position + shift
    fields = error_fields(severity, fault.sqlstate, fault.message, fault.detail, fault.hint, position)
    return encode_backend(ErrorResponse(_encodable(fields, codec)), codec)


@remembered(256)  # who asks again and again is told of the same charge, and much the same budget
def notice_bytes(message: str, codec: str) -> bytes:
    """A NoticeResponse."""
    return encode_backend(NoticeResponse(_encodable(error_fields("NOTICE", "00000", message), codec)), codec)


def _encodable(fields: tuple[tuple[str, str], ...], codec: str) -> tuple[tuple[str, str], ...]:
    return tuple((code, encodable(text, codec)) for code, text in fields)


def front_fields(raw: bytes, codec: str) -> dict[str, str]:
    """The fields of the front's ErrorResponse or NoticeResponse; undecodable text becomes empty fields."""
    try:
        message = decode_backend(Frame(raw[:1], raw[5:]), codec)
    except ProtocolViolation:
        return {"S": "ERROR", "V": "ERROR", "C": "XX000", "M": "error text that the client encoding cannot hold"}
    return dict(message.fields) if isinstance(message, ErrorResponse | NoticeResponse) else {}


def after_release(fields: Mapping[str, str]) -> Mapping[str, str]:
    """The front's error about what a statement makes of released numbers, which were paid for and are stored."""
    return {"D": _STORED, "H": _WRITE, **fields}


def without_places(fields: Mapping[str, str], codec: str) -> bytes:
    """The front's error without position, internal query and context."""
    return encode_backend(ErrorResponse(_encodable(_without_places(fields), codec)), codec)


def notice_without_places(fields: Mapping[str, str], codec: str) -> bytes:
    """The front's notice without them."""
    return encode_backend(NoticeResponse(_encodable(_without_places(fields), codec)), codec)


def _without_places(fields: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((code, text) for code, text in fields.items() if code not in _PLACES)


def with_hint(fields: Mapping[str, str], hint: str, codec: str) -> tuple[Mapping[str, str], bytes]:
    """The front's error with this hint in place of its own, as fields and as bytes."""
    told = {**fields, "H": hint}
    return told, encode_backend(ErrorResponse(_encodable(tuple(told.items()), codec)), codec)


def shifted(fields: Mapping[str, str], shift: int, codec: str) -> bytes:
    """The front's error about one statement of a longer text, its position counted in the whole."""
    moved = {**fields, "P": str(int(fields["P"]) + shift)} if "P" in fields else fields
    return encode_backend(ErrorResponse(_encodable(tuple(moved.items()), codec)), codec)
