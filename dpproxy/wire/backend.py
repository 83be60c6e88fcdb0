"""Messages from server to client."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpproxy.wire import authentication
from dpproxy.wire.authentication import (
    Authentication,
    AuthenticationCleartext,
    AuthenticationMD5,
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
)
from dpproxy.wire.copydata import CopyData, CopyDone
from dpproxy.wire.diagnostics import FIELDS, ErrorResponse, NoticeResponse, error_fields
from dpproxy.wire.errors import ProtocolViolation
from dpproxy.wire.frames import Frame
from dpproxy.wire.payload import (
    FORMATS,
    INT16,
    INT32,
    OIDS,
    REST,
    TEXT,
    UINT8,
    UINT16,
    UINT32,
    VALUES,
    Codec,
    PayloadReader,
    Shape,
    counted,
    letter,
    record,
    shape,
    sized,
)

__all__ = [
    "AuthenticationCleartext",
    "AuthenticationMD5",
    "AuthenticationOk",
    "AuthenticationSASL",
    "AuthenticationSASLContinue",
    "AuthenticationSASLFinal",
    "BackendKeyData",
    "BackendMessage",
    "BindComplete",
    "CloseComplete",
    "CommandComplete",
    "CopyBothResponse",
    "CopyData",
    "CopyDone",
    "CopyInResponse",
    "CopyOutResponse",
    "DataRow",
    "EmptyQueryResponse",
    "ErrorResponse",
    "FunctionCallResponse",
    "NegotiateProtocolVersion",
    "NoData",
    "NoticeResponse",
    "NotificationResponse",
    "ParameterDescription",
    "ParameterStatus",
    "ParseComplete",
    "PortalSuspended",
    "ReadyForQuery",
    "ResultField",
    "RowDescription",
    "decode_backend",
    "encode_backend",
    "error_fields",
]


@dataclass(frozen=True, slots=True)
class NegotiateProtocolVersion:
    """The newest minor version that the server speaks, and the `_pq_.` options that it does not know."""

    minor: int
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParameterStatus:
    """A setting that clients follow, at start and whenever it changes."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class BackendKeyData:
    """What a CancelRequest for this session must hold; the key is 4 to 256 bytes (4 before 3.2)."""

    pid: int
    key: bytes


@dataclass(frozen=True, slots=True)
class ReadyForQuery:
    """End of an answer. `status` is I idle, T in a transaction, or E in a failed one."""

    status: str


@dataclass(frozen=True, slots=True)
class ResultField:
    """A column of a result. `table_oid` and `attnum` are 0 if it is no table's; `type_size` < 0 means it varies."""

    name: str
    table_oid: int
    attnum: int
    type_oid: int
    type_size: int
    type_modifier: int
    format: int


@dataclass(frozen=True, slots=True)
class RowDescription:
    """The columns of the rows that follow, or that would."""

    fields: tuple[ResultField, ...]


@dataclass(frozen=True, slots=True)
class DataRow:
    """A row, each value in its column's format; None is NULL."""

    values: tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True)
class CommandComplete:
    """A statement is done; `tag` is like "SELECT 3"."""

    tag: str


@dataclass(frozen=True, slots=True)
class EmptyQueryResponse:
    """In place of CommandComplete: there was no statement."""


@dataclass(frozen=True, slots=True)
class PortalSuspended:
    """In place of CommandComplete: Execute's row limit was reached."""


@dataclass(frozen=True, slots=True)
class ParseComplete:
    """Answer to Parse."""


@dataclass(frozen=True, slots=True)
class BindComplete:
    """Answer to Bind."""


@dataclass(frozen=True, slots=True)
class CloseComplete:
    """Answer to Close, whether or not there was anything to close."""


@dataclass(frozen=True, slots=True)
class ParameterDescription:
    """Type OIDs of a statement's parameters; the first half of the answer to Describe S."""

    types: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NoData:
    """Answer to Describe, in place of RowDescription: no rows will come."""


@dataclass(frozen=True, slots=True)
class CopyInResponse:
    """The server waits for COPY data. `format` is 0 text or 1 binary, over all and for each column."""

    format: int
    column_formats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CopyOutResponse:
    """COPY data follows; fields as in CopyInResponse."""

    format: int
    column_formats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CopyBothResponse:
    """COPY data flows both ways (replication); fields as in CopyInResponse."""

    format: int
    column_formats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NotificationResponse:
    """A NOTIFY of session `pid`; may come at any time."""

    pid: int
    channel: str
    payload: str


@dataclass(frozen=True, slots=True)
class FunctionCallResponse:
    """Result of a fast-path call; not looked into."""

    payload: bytes


BackendMessage = (
    Authentication
    | NegotiateProtocolVersion
    | ParameterStatus
    | BackendKeyData
    | ReadyForQuery
    | RowDescription
    | DataRow
    | CommandComplete
    | EmptyQueryResponse
    | PortalSuspended
    | ParseComplete
    | BindComplete
    | CloseComplete
    | ParameterDescription
    | NoData
    | ErrorResponse
    | NoticeResponse
    | CopyInResponse
    | CopyOutResponse
    | CopyBothResponse
    | CopyData
    | CopyDone
    | NotificationResponse
    | FunctionCallResponse
)


def _read_minor(reader: PayloadReader) -> int:
    major, minor = divmod(UINT32.read(reader), 1 << 16)
    if major not in (0, 3):
        raise reader.fault(f"a version {major}.{minor}")
    return minor


def _write_minor(minor: int, encoding: str) -> bytes:
    # The protocol's page says "minor version"; servers send, and libpq wants, the major one in the upper half.
    return UINT16.write(3, encoding) + UINT16.write(minor, encoding)


_FIELD = record(ResultField, TEXT, UINT32, INT16, UINT32, INT16, INT32, INT16)
_SHAPES: tuple[Shape[Any], ...] = (
    shape(NegotiateProtocolVersion, b"v", Codec(_read_minor, _write_minor), counted(UINT32, TEXT)),
    shape(ParameterStatus, b"S", TEXT, TEXT),
    shape(BackendKeyData, b"K", INT32, sized(4, 256)),
    shape(ReadyForQuery, b"Z", letter("ITE")),
    shape(RowDescription, b"T", counted(UINT16, _FIELD)),
    shape(DataRow, b"D", VALUES),
    shape(CommandComplete, b"C", TEXT),
    shape(EmptyQueryResponse, b"I"),
    shape(PortalSuspended, b"s"),
    shape(ParseComplete, b"1"),
    shape(BindComplete, b"2"),
    shape(CloseComplete, b"3"),
    shape(ParameterDescription, b"t", OIDS),
    shape(NoData, b"n"),
    shape(ErrorResponse, b"E", FIELDS),
    shape(NoticeResponse, b"N", FIELDS),
    shape(CopyInResponse, b"G", UINT8, FORMATS),
    shape(CopyOutResponse, b"H", UINT8, FORMATS),
    shape(CopyBothResponse, b"W", UINT8, FORMATS),
    shape(CopyData, b"d", REST),
    shape(CopyDone, b"c"),
    shape(NotificationResponse, b"A", INT32, TEXT, TEXT),
    shape(FunctionCallResponse, b"V", REST),
)
_BY_KIND = {each.kind: each for each in _SHAPES}
_BY_CLASS: dict[type, Shape[Any]] = {each.make: each for each in (*_SHAPES, *authentication.SHAPES)}


def decode_backend(frame: Frame, encoding: str = "utf-8") -> BackendMessage:
    """The server's message in a frame; `encoding` is a Python codec. Raises ProtocolViolation, and nothing else."""
    found = authentication.authentication_shape(frame.payload) if frame.kind == b"R" else _BY_KIND.get(frame.kind)
    if found is None:
        raise ProtocolViolation(f"unknown backend message {frame.kind!r}")
    message: BackendMessage = found.decode(frame.payload, encoding)
    return message


def encode_backend(message: BackendMessage, encoding: str = "utf-8") -> bytes:
    """The message as on the wire; ProtocolViolation if a field cannot be sent (a NUL in text, a number too large)."""
    return _BY_CLASS[type(message)].encode(message, encoding)
