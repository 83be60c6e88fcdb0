"""What a message names, without a look at the rest of it. Both raise ProtocolViolation for a text without its end.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from dpproxy.wire import Frame, ProtocolViolation


def two_names(frame: Frame, codec: str) -> tuple[str, str]:
    """Portal and statement of a Bind, without a look at its parameters."""
    parts = frame.payload.split(b"\0", 2)
    if len(parts) != 3:
        raise ProtocolViolation("Bind message: text without its closing NUL")
    return parts[0].decode(codec, "replace"), parts[1].decode(codec, "replace")


def name_at(payload: bytes, begin: int, codec: str) -> str:
    """The name that begins there."""
    end = payload.find(b"\0", begin)
    if end < 0:
        raise ProtocolViolation("text without its closing NUL")
    return payload[begin:end].decode(codec, "replace")
