"""Messages from client to server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from dpproxy.wire.copydata import CopyData, CopyDone
from dpproxy.wire.errors import ProtocolViolation
from dpproxy.wire.frames import Frame
from dpproxy.wire.payload import (
    FORMATS,
    INT32,
    OIDS,
    REST,
    TEXT,
    VALUE,
    VALUES,
    PayloadReader,
    Shape,
    letter,
    shape,
)


@dataclass(frozen=True, slots=True)
class Query:
    """The simple protocol: any number of statements in one text."""

    sql: str


@dataclass(frozen=True, slots=True)
class Parse:
    """Prepare one statement under a name ("" is unnamed). `types` are OIDs of the first parameters, 0 for unknown."""

    name: str
    sql: str
    types: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """Make a portal of a statement. Formats are 0 text or 1 binary: none (all text), one for all, or one for each.

    That the numbers of formats and parameters agree is for the server to say: its error leaves the session usable.
    """

    portal: str
    statement: str
    parameter_formats: tuple[int, ...]
    parameters: tuple[bytes | None, ...]
    result_formats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Describe:
    """Ask for the types of a statement (S) or portal (P)."""

    kind: Literal["S", "P"]
    name: str


@dataclass(frozen=True, slots=True)
class Close:
    """Forget a statement (S) or portal (P)."""

    kind: Literal["S", "P"]
    name: str


@dataclass(frozen=True, slots=True)
class Execute:
    """Run a portal for at most `max_rows` rows; 0 means all."""

    portal: str
    max_rows: int


@dataclass(frozen=True, slots=True)
class Sync:
    """End of a pipeline: ends the implicit transaction, and the skipping after an error."""


@dataclass(frozen=True, slots=True)
class Flush:
    """Send what is pending, and go on without ending the pipeline."""


@dataclass(frozen=True, slots=True)
class Terminate:
    """Good-bye."""


@dataclass(frozen=True, slots=True)
class PasswordMessage:
    """Any answer to an authentication request: a password, a SASL initial response, a SASL response."""

    payload: bytes


@dataclass(frozen=True, slots=True)
class CopyFail:
    """The client gives up a COPY FROM STDIN."""

    reason: str


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A fast-path call, which nobody should make; not looked into."""

    payload: bytes


FrontendMessage = (
    Query
    | Parse
    | Bind
    | Describe
    | Close
    | Execute
    | Sync
    | Flush
    | Terminate
    | PasswordMessage
    | CopyData
    | CopyDone
    | CopyFail
    | FunctionCall
)

_SHAPES: tuple[Shape[Any], ...] = (
    shape(Query, b"Q", TEXT),
    shape(Parse, b"P", TEXT, TEXT, OIDS),
    shape(Bind, b"B", TEXT, TEXT, FORMATS, VALUES, FORMATS),
    shape(Describe, b"D", letter("SP"), TEXT),
    shape(Close, b"C", letter("SP"), TEXT),
    shape(Execute, b"E", TEXT, INT32),
    shape(Sync, b"S"),
    shape(Flush, b"H"),
    shape(Terminate, b"X"),
    shape(PasswordMessage, b"p", REST),
    shape(CopyData, b"d", REST),
    shape(CopyDone, b"c"),
    shape(CopyFail, b"f", TEXT),
    shape(FunctionCall, b"F", REST),
)
_BY_KIND = {each.kind: each for each in _SHAPES}
_BY_CLASS: dict[type, Shape[Any]] = {each.make: each for each in _SHAPES}


def decode_frontend(frame: Frame, encoding: str = "utf-8") -> FrontendMessage:
    """The client's message in a frame; `encoding` is a Python codec. Raises ProtocolViolation, and nothing else.

    UndecodableText among them leaves the stream in step, as in PostgreSQL: the session may answer 22021 and go on.
    """
    found = _BY_KIND.get(frame.kind)
    if found is None:
        raise ProtocolViolation(f"unknown frontend message {frame.kind!r}")
    message: FrontendMessage = found.decode(frame.payload, encoding)
    return message


def encode_frontend(message: FrontendMessage, encoding: str = "utf-8") -> bytes:
    """The message as on the wire; ProtocolViolation if a field cannot be sent (a NUL in text, a number too large)."""
    return _BY_CLASS[type(message)].encode(message, encoding)


def decode_sasl_initial(payload: bytes) -> tuple[str, bytes | None]:
    """The mechanism's name and the client's first data (None if it sent none) of a SASLInitialResponse."""
    reader = PayloadReader("SASLInitialResponse", payload, "utf-8")
    mechanism, data = TEXT.read(reader), VALUE.read(reader)
    reader.end()
    return mechanism, data


def encode_sasl_initial(mechanism: str, data: bytes | None) -> PasswordMessage:
    """The PasswordMessage that opens a SASL exchange."""
    return PasswordMessage(TEXT.write(mechanism, "utf-8") + VALUE.write(data, "utf-8"))
