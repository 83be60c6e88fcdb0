"""The columns of a swapped statement, as those of the client's own text.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from dpproxy.remembered import remembered
from dpproxy.wire import Frame, ProtocolViolation, ResultField, RowDescription, decode_backend, encode_backend


def redescribed(raw: bytes, fields: tuple[ResultField, ...], codec: str) -> bytes:
    """A RowDescription with names, origins and type modifiers of `fields`; formats stay. Another width passes."""
    return _kept(raw, fields, codec) if len(raw) <= _SHORT else _redescribed(raw, fields, codec)


def _redescribed(raw: bytes, fields: tuple[ResultField, ...], codec: str) -> bytes:
    try:
        message = decode_backend(Frame(raw[:1], raw[5:]), codec)
    except ProtocolViolation:  # a name that the client's encoding has, and Python has not
        return raw
    if not isinstance(message, RowDescription) or len(message.fields) != len(fields):
        return raw
    pairs = zip(fields, message.fields, strict=True)
    return encode_backend(RowDescription(tuple(replace(told, format=own.format) for told, own in pairs)), codec)


_SHORT: Final = 1024  # bytes
_kept = remembered(256)(_redescribed)
