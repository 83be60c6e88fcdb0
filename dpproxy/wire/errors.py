"""What can be wrong with bytes on the wire."""

from __future__ import annotations

from typing import ClassVar


class ProtocolViolation(ValueError):
    """Bytes that are no message of PostgreSQL's protocol, or a message that cannot be put into bytes.

    The text says which message and what was wrong with it; it never quotes more than a few bytes of the peer's.
    """

    sqlstate: ClassVar[str] = "08P01"


class UnsupportedProtocol(ProtocolViolation):
    """A startup packet asks for a protocol other than 3.x."""

    sqlstate: ClassVar[str] = "0A000"


class UndecodableText(ProtocolViolation):
    """Text that the session's client encoding does not allow, in a message that is otherwise well formed."""

    sqlstate: ClassVar[str] = "22021"


class UnknownEncoding(ValueError):
    """A client_encoding that PostgreSQL or Python does not know."""

    sqlstate: ClassVar[str] = "22023"
