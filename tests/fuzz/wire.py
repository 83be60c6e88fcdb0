"""Bytes to messages and back, in both directions, however they are cut."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, cast

from dpproxy import wire
from fuzz.target import Mutate, Target

_CODECS = ("utf-8", "latin-1", "cp932", "gb18030", "euc_jis_2004", "ascii", "cp1258", "cp949")
_HEAD = 3


@dataclass(frozen=True)
class Direction:
    """One of the three streams that are read: what cuts it, what looks into a message, what writes it."""

    reader: Callable[[], wire.FrameReader]
    decode: Callable[[wire.Frame, str], Any]
    encode: Callable[[Any, str], bytes]


DIRECTIONS = (
    Direction(
        lambda: wire.FrameReader(wire.FRONTEND_LIMITS, startup=True),
        lambda frame, codec: wire.decode_frontend(frame, codec) if frame.kind else wire.decode_startup(frame.payload),
        lambda message, codec: (
            wire.encode_startup(message)
            if isinstance(message, wire.StartupPacket)
            else wire.encode_frontend(message, codec)
        ),
    ),
    Direction(
        lambda: wire.FrameReader(wire.FRONTEND_LIMITS, startup=False), wire.decode_frontend, wire.encode_frontend
    ),
    Direction(lambda: wire.FrameReader(wire.BACKEND_LIMITS, startup=False), wire.decode_backend, wire.encode_backend),
)


def target() -> Target:
    """Three bytes say the direction, the encoding and the cuts; the rest is what comes."""
    return Target(try_, change)


def try_(data: bytes) -> None:
    """Raises AssertionError, or what a decoder raises that it does not declare."""
    if len(data) < _HEAD:
        return
    direction, codec = DIRECTIONS[data[0] % len(DIRECTIONS)], _CODECS[data[1] % len(_CODECS)]
    stream = data[_HEAD:]
    whole, cut = _frames(direction, [stream]), _frames(direction, _pieces(stream, data[2]))
    assert whole == cut, "what is read depends on how it is cut"
    frames, fault = whole
    begun = b"".join(frame.raw for frame in frames)
    assert stream.startswith(begun), "frames are the stream"
    for frame in frames:
        _look_into(direction, frame, codec)
    if not (fault or direction is DIRECTIONS[0]):
        _splits(stream)


def _pieces(stream: bytes, step: int) -> list[bytes]:
    size = max(step % 32, 1)
    return [stream[at : at + size] for at in range(0, len(stream), size)]


def _frames(direction: Direction, pieces: Sequence[bytes]) -> tuple[list[wire.Frame], str]:
    """What the reader hands out, and what it refuses the rest with."""
    reader, found, fed = direction.reader(), [], 0
    try:
        for piece in pieces:
            reader.feed(piece)
            fed += len(piece)
            found += iter(reader.next_frame, None)
            assert reader.buffered == fed - sum(len(frame.raw) for frame in found), "bytes are kept or handed out"
    except wire.ProtocolViolation as fault:
        assert str(fault) and len(str(fault)) < 200
        return found, str(fault)
    return found, ""


def _look_into(direction: Direction, frame: wire.Frame, codec: str) -> None:
    try:
        message = direction.decode(frame, codec)
    except wire.ProtocolViolation as fault:
        assert str(fault)
        return
    _initial(message)
    try:
        raw = direction.encode(message, codec)
    except wire.UndecodableText:
        assert codec not in ("utf-8", "latin-1", "ascii"), "what was read is written"
        return
    again = wire.Frame(frame.kind, raw[len(frame.kind) + 4 :])
    assert again.raw == raw, "the length of a message is its own"
    assert direction.decode(again, codec) == message, "what is written is what was read"
    if codec == "utf-8" and not isinstance(message, wire.NegotiateProtocolVersion):
        assert raw == frame.raw, "a message has one form"


def _initial(message: object) -> None:
    if not isinstance(message, wire.PasswordMessage):
        return
    try:
        mechanism, data = wire.decode_sasl_initial(message.payload)
    except wire.ProtocolViolation:
        return
    assert wire.encode_sasl_initial(mechanism, data) == message


def _splits(stream: bytes) -> None:
    """The bulk reader cuts as the careful one does; it sees to no kinds and no sizes."""
    try:
        frames, end = wire.split_frames(stream, 0)
    except wire.ProtocolViolation:
        return
    assert [begin for _, begin, _ in frames[1:]] == [stop for _, _, stop in frames[:-1]]
    assert {wire.rows_end(stream, begin) for _, begin, _ in frames} <= {stop for _, _, stop in frames}
    assert end == (frames[-1][2] if frames else 0)


def change(data: bytes, random: Random, mutate: Mutate) -> bytes:
    """A message changed within, with its length set right; doubled, dropped, or put elsewhere."""
    head, stream = data[:_HEAD].ljust(_HEAD, b"\0"), data[_HEAD:]
    parts = _parts(stream, startup=head[0] % len(DIRECTIONS) == 0)
    if not parts:
        return head + mutate(stream, 64)
    at = random.randrange(len(parts))
    match random.randrange(6):
        case 0:
            parts.insert(random.randrange(len(parts) + 1), parts[at])
        case 1:
            del parts[at]
        case 2:
            head = bytes([random.randrange(3), random.randrange(len(_CODECS)), random.randrange(40)])
        case _:
            kind, payload = parts[at]
            parts[at] = (kind, mutate(payload, len(payload) + 24))
    return head + b"".join(kind + struct.pack(">i", len(payload) + 4) + payload for kind, payload in parts)


def _parts(stream: bytes, startup: bool) -> list[tuple[bytes, bytes]]:
    parts, at = [], 0
    while at < len(stream):
        header = 4 if startup and not parts else 5
        kind, size = stream[at : at + header - 4], int.from_bytes(stream[at + header - 4 : at + header], "big")
        end = at + header + max(size - 4, 0)
        parts.append((kind.ljust(header - 4, b"\0"), stream[at + header : end]))
        at = end
    return parts


def seeds() -> list[bytes]:
    """A message of each kind."""
    start = [
        wire.encode_startup(each)
        for each in (
            wire.SSLRequest(),
            wire.GSSENCRequest(),
            wire.CancelRequest(7, b"abcd"),
            wire.StartupMessage(3, 2, (("user", "alice"), ("options", "-c dp.epsilon=1"), ("_pq_.x", ""))),
        )
    ]
    asked = [wire.encode_frontend(cast(wire.FrontendMessage, each)) for each in _ASKED]
    told = [wire.encode_backend(cast(wire.BackendMessage, each)) for each in _TOLD]
    kinds = [(0, [b"".join((start[0], start[3], *asked[:2])), *start]), (1, asked), (2, told)]
    return [bytes([number, 0, 5]) + each for number, every in kinds for each in every]


_ASKED = (
    wire.Query("SELECT 1"),
    wire.Parse("s", "SELECT $1", (23, 0)),
    wire.Bind("p", "s", (0, 1), (b"1", None), (1,)),
    wire.Describe("S", "s"),
    wire.Close("P", "p"),
    wire.Execute("p", 10),
    wire.Sync(),
    wire.Flush(),
    wire.Terminate(),
    wire.encode_sasl_initial("SCRAM-SHA-256", b"n,,n=,r=abc"),
    wire.CopyData(b"x"),
    wire.CopyDone(),
    wire.CopyFail("why"),
    wire.FunctionCall(b"\0\0"),
)
_FIELD = wire.ResultField("age", 42, 1, 23, 4, -1, 0)
_TOLD = (
    wire.AuthenticationOk(),
    wire.AuthenticationCleartext(),
    wire.AuthenticationMD5(b"salt"),
    wire.AuthenticationSASL(("SCRAM-SHA-256",)),
    wire.AuthenticationSASLContinue(b"r=abc"),
    wire.AuthenticationSASLFinal(b"v=abc"),
    wire.NegotiateProtocolVersion(2, ("_pq_.x",)),
    wire.ParameterStatus("TimeZone", "UTC"),
    wire.BackendKeyData(7, b"abcd"),
    wire.ReadyForQuery("I"),
    wire.RowDescription((_FIELD, _FIELD)),
    wire.DataRow((b"1", None)),
    wire.CommandComplete("SELECT 1"),
    wire.EmptyQueryResponse(),
    wire.PortalSuspended(),
    wire.ParseComplete(),
    wire.BindComplete(),
    wire.CloseComplete(),
    wire.ParameterDescription((23, 25)),
    wire.NoData(),
    wire.ErrorResponse(wire.error_fields("ERROR", "42601", "no", "d", "h", 3)),
    wire.NoticeResponse(wire.error_fields("NOTICE", "00000", "yes")),
    wire.CopyInResponse(0, (0, 1)),
    wire.CopyOutResponse(1, ()),
    wire.CopyBothResponse(0, (1,)),
    wire.CopyData(b"x"),
    wire.CopyDone(),
    wire.NotificationResponse(7, "c", "p"),
    wire.FunctionCallResponse(b"x"),
)
