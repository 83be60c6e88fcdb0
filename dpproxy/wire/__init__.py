"""PostgreSQL's frontend/backend protocol, versions 3.0 to 3.2, both directions, without IO.

Theory of operation
-------------------
A connection is two streams of messages. `FrameReader` cuts a stream into `Frame`s (`split_frames` does so in bulk),
`decode_*` looks into one, `encode_*` makes the bytes of one. Nothing here keeps state about the conversation: that is
the session's. Any bytes whatever lead to a message, to "not yet" (None), or to `ProtocolViolation`.

1.  *Encryption.* SSLRequest or GSSENCRequest is answered by one bare byte. What was buffered before TLS starts is
    dropped (`FrameReader.discard`). A CancelRequest comes alone, on a connection of its own, and gets no answer.
2.  *Start.* StartupMessage; NegotiateProtocolVersion if it asked for a newer minor version or for unknown `_pq_.`
    options; authentication requests, each answered by a PasswordMessage, up to AuthenticationOk; then ParameterStatus,
    BackendKeyData, ReadyForQuery.
3.  *Simple query.* Query is answered, for each statement in it, by RowDescription, DataRow… and CommandComplete (or
    EmptyQueryResponse, or a COPY), and by one ReadyForQuery at the end. An ErrorResponse stops the rest.
4.  *Extended query.* Each message has its own reply, in order, and they may be pipelined:
    Parse: ParseComplete. Bind: BindComplete. Close: CloseComplete. Sync: ReadyForQuery. Flush: none of its own.
    Describe S: ParameterDescription, then RowDescription or NoData. Describe P: RowDescription or NoData.
    Execute: DataRow…, then CommandComplete, EmptyQueryResponse or PortalSuspended; a COPY in place of the rows.
    After an ErrorResponse all messages up to the next Sync are skipped, which is then answered as usual.
5.  *COPY.* CopyOutResponse, CopyData…, CopyDone, CommandComplete; or CopyInResponse, after which the client sends
    CopyData… and CopyDone or CopyFail.
6.  *At any time* NoticeResponse, ParameterStatus and NotificationResponse. CancelRequest's effect is an ErrorResponse.
7.  *End.* Terminate, or just a closed connection.

Checked by: tests/test_wire.py.
"""

from __future__ import annotations

from dpproxy.wire.arrays import text_array
from dpproxy.wire.backend import (
    AuthenticationCleartext,
    AuthenticationMD5,
    AuthenticationOk,
    AuthenticationSASL,
    AuthenticationSASLContinue,
    AuthenticationSASLFinal,
    BackendKeyData,
    BackendMessage,
    BindComplete,
    CloseComplete,
    CommandComplete,
    CopyBothResponse,
    CopyInResponse,
    CopyOutResponse,
    DataRow,
    EmptyQueryResponse,
    ErrorResponse,
    FunctionCallResponse,
    NegotiateProtocolVersion,
    NoData,
    NoticeResponse,
    NotificationResponse,
    ParameterDescription,
    ParameterStatus,
    ParseComplete,
    PortalSuspended,
    ReadyForQuery,
    ResultField,
    RowDescription,
    decode_backend,
    encode_backend,
    error_fields,
)
from dpproxy.wire.copydata import CopyData, CopyDone
from dpproxy.wire.encodings import SQL_ASCII, python_codec
from dpproxy.wire.errors import ProtocolViolation, UndecodableText, UnknownEncoding, UnsupportedProtocol
from dpproxy.wire.frames import (
    BACKEND_LIMITS,
    FRONTEND_LIMITS,
    HEADER,
    ROW_KINDS,
    Frame,
    FrameLimits,
    FrameReader,
    missing,
    rows_end,
    split_frames,
)
from dpproxy.wire.frontend import (
    Bind,
    Close,
    CopyFail,
    Describe,
    Execute,
    Flush,
    FrontendMessage,
    FunctionCall,
    Parse,
    PasswordMessage,
    Query,
    Sync,
    Terminate,
    decode_frontend,
    decode_sasl_initial,
    encode_frontend,
    encode_sasl_initial,
)
from dpproxy.wire.repeated_messages import LONG, Repeated, repetitions
from dpproxy.wire.startup import (
    CancelRequest,
    GSSENCRequest,
    SSLRequest,
    StartupMessage,
    StartupPacket,
    decode_startup,
    encode_startup,
)

__all__ = [
    "BACKEND_LIMITS",
    "FRONTEND_LIMITS",
    "HEADER",
    "LONG",
    "ROW_KINDS",
    "SQL_ASCII",
    "AuthenticationCleartext",
    "AuthenticationMD5",
    "AuthenticationOk",
    "AuthenticationSASL",
    "AuthenticationSASLContinue",
    "AuthenticationSASLFinal",
    "BackendKeyData",
    "BackendMessage",
    "Bind",
    "BindComplete",
    "CancelRequest",
    "Close",
    "CloseComplete",
    "CommandComplete",
    "CopyBothResponse",
    "CopyData",
    "CopyDone",
    "CopyFail",
    "CopyInResponse",
    "CopyOutResponse",
    "DataRow",
    "Describe",
    "EmptyQueryResponse",
    "ErrorResponse",
    "Execute",
    "Flush",
    "Frame",
    "FrameLimits",
    "FrameReader",
    "FrontendMessage",
    "FunctionCall",
    "FunctionCallResponse",
    "GSSENCRequest",
    "NegotiateProtocolVersion",
    "NoData",
    "NoticeResponse",
    "NotificationResponse",
    "ParameterDescription",
    "ParameterStatus",
    "Parse",
    "ParseComplete",
    "PasswordMessage",
    "PortalSuspended",
    "ProtocolViolation",
    "Query",
    "ReadyForQuery",
    "Repeated",
    "ResultField",
    "RowDescription",
    "SSLRequest",
    "StartupMessage",
    "StartupPacket",
    "Sync",
    "Terminate",
    "UndecodableText",
    "UnknownEncoding",
    "UnsupportedProtocol",
    "decode_backend",
    "decode_frontend",
    "decode_sasl_initial",
    "decode_startup",
    "encode_backend",
    "encode_frontend",
    "encode_sasl_initial",
    "encode_startup",
    "error_fields",
    "missing",
    "python_codec",
    "repetitions",
    "rows_end",
    "split_frames",
    "text_array",
]
