"""Bytes to frames: where one message ends and the next begins, and how long each may be."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from dpproxy.wire.errors import ProtocolViolation

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
HEADER = struct.Struct(">Bi")
"""A message's kind and length."""
ROW_KINDS = b"Dd"  # DataRow, CopyData
_LENGTH = struct.Struct(">i")
_ENCRYPTION_REQUESTS = (b"\x04\xd2\x16\x2f", b"\x04\xd2\x16\x30")

_FRONTEND_CAPS = {
    **{bytes([kind]): 64 * _KIB for kind in b"DCESHXpdcfF"},
    b"": 10_000,
    b"Q": 4 * _MIB,
    b"P": 4 * _MIB,
    b"B": 64 * _MIB,
}
# Errors and notices may quote a whole parameter, so they are as long as a row can be.
_BACKEND_CAPS = {
    **{bytes([kind]): 16 * _MIB for kind in b"RKSZTC123ntsIvGHWcA"},
    **{bytes([kind]): _GIB for kind in b"DdVEN"},
}


@dataclass(frozen=True, slots=True)
class FrameLimits:
    """The kinds of one direction and how many bytes of payload each may have; b"" is the startup packet.

    A kind that is not in `caps` does not exist in that direction. The default is what a client may send.
    """

    caps: Mapping[bytes, int] = field(default_factory=lambda: _FRONTEND_CAPS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "caps", MappingProxyType(dict(self.caps)))

    def check(self, kind: bytes, size: int) -> None:
        """Raise ProtocolViolation unless a payload of `size` bytes is allowed for `kind`."""
        cap = self.caps.get(kind)
        name = f"message {kind!r}" if kind else "startup packet"
        if cap is None:
            raise ProtocolViolation(f"unknown {name}")
        if size < 0:
            raise ProtocolViolation(f"{name} with a length of {size + 4}: the least is 4")
        if size > cap:
            raise ProtocolViolation(f"{name} of {size} bytes: at most {cap} are allowed")


FRONTEND_LIMITS = FrameLimits(_FRONTEND_CAPS)
BACKEND_LIMITS = FrameLimits(_BACKEND_CAPS)


@dataclass(frozen=True, slots=True)
class Frame:
    """One message, not looked into. `kind` is one byte, or b"" for a startup packet; `payload` is without length."""

    kind: bytes
    payload: bytes

    @property
    def raw(self) -> bytes:
        """The whole message as on the wire."""
        return self.kind + _LENGTH.pack(len(self.payload) + 4) + self.payload


class FrameReader:
    """Collects bytes and hands out frames. Linear in all bytes fed, however they are cut.

    With `startup`, packets without a kind byte are read until one that does not ask for encryption (SSLRequest,
    GSSENCRequest); from then on messages with one. After a ProtocolViolation the stream has no beginning of a message
    any more: each further `next_frame` raises it again, and the connection is to be closed.
    """

    __slots__ = ("_at", "_buffer", "_limits", "_startup")

    def __init__(self, limits: FrameLimits, startup: bool) -> None:
        self._limits, self._startup = limits, startup
        self._buffer, self._at = bytearray(), 0

    @property
    def buffered(self) -> int:
        """Bytes that were fed and not yet handed out."""
        return len(self._buffer) - self._at

    def feed(self, data: bytes) -> None:
        """Add bytes from the peer. How much is fed ahead of `next_frame` is the caller's back pressure."""
        self._buffer += data

    def discard(self) -> None:
        """Drop what is buffered: bytes that came before TLS started were not protected by it."""
        self._buffer, self._at = bytearray(), 0

    def take(self, data: bytes, at: int) -> tuple[Frame | None, int]:
        """The next whole message of what was fed and of `data` from `at` on, None if it ends in neither; and where in
        `data` what is left begins. Not a byte behind the message is kept, so `data` may be looked at by others."""
        if not self._buffer and not self._startup and len(data) - at >= HEADER.size:
            kind, size = data[at : at + 1], _LENGTH.unpack_from(data, at + 1)[0] - 4
            begin, end = at + HEADER.size, at + HEADER.size + size
            if 0 <= size <= self._limits.caps.get(kind, -1) and end <= len(data):
                return Frame(kind, data[begin:end]), end
        while (missing := self._missing()) > 0:
            if at >= len(data):
                return None, at
            self._buffer += data[at : at + missing]
            at = min(at + missing, len(data))
        return self.next_frame(), at

    def _missing(self) -> int:
        """How many bytes at least the next message lacks. ProtocolViolation as soon as its header is bad."""
        header = 4 if self._startup else 5
        if self.buffered < header:
            return header - self.buffered
        begin = self._at + header
        size: int = _LENGTH.unpack_from(self._buffer, begin - 4)[0] - 4
        self._limits.check(bytes(self._buffer[self._at : begin - 4]), size)
        return begin + size - len(self._buffer)

    def next_frame(self) -> Frame | None:
        """The next whole message, None if there is none yet; ProtocolViolation as soon as its header is bad."""
        if self._missing() > 0:
            return None
        begin = self._at + (4 if self._startup else 5)
        kind = bytes(self._buffer[self._at : begin - 4])
        size = _LENGTH.unpack_from(self._buffer, begin - 4)[0] - 4
        payload = bytes(self._buffer[begin : begin + size])
        self._advance(begin + size)
        self._startup = self._startup and payload in _ENCRYPTION_REQUESTS
        return Frame(kind, payload)

    def _advance(self, to: int) -> None:
        # Moving the tail only when it is the smaller half costs at most one move for each byte handed out.
        self._at = to
        if to * 2 >= len(self._buffer):
            del self._buffer[:to]
            self._at = 0


def split_frames(buffer: bytes | bytearray, start: int) -> tuple[list[tuple[int, int, int]], int]:
    """The whole messages in `buffer` from `start` on, and the index behind the last of them (`start` if none).

    Each is (kind, begin, end) with `buffer[begin:end]` the raw message. For the relay's bulk direction, where the peer
    is our own front: nothing is copied, and neither kinds nor caps are checked. ProtocolViolation if a length is < 4.
    """
    frames: list[tuple[int, int, int]] = []
    append, unpack, last = frames.append, HEADER.unpack_from, len(buffer) - 5
    begin, size = start, len(buffer)
    while begin <= last:
        kind, length = unpack(buffer, begin)
        end = begin + length + 1
        if end > size:
            break
        if length < 4:
            raise ProtocolViolation(f"message {bytes([kind])!r} with a length of {length}: the least is 4")
        append((kind, begin, end))
        begin = end
    return frames, begin


def rows_end(data: bytes | bytearray, begin: int) -> int:
    """Where the whole messages end that are of the same kind as the one at `begin`; `begin` if that is not whole.

    One of a wrong length is left for the next look.
    """
    unpack, size, last = HEADER.unpack_from, len(data), len(data) - 5
    kind = data[begin] if begin <= last else 0
    while begin <= last:
        other, length = unpack(data, begin)
        end: int = begin + length + 1
        if other != kind or length < 4 or end > size:
            break
        begin = end
    return begin


def missing(rest: bytearray) -> int:
    """How many bytes at least the message lacks that begins there; 0 where none does. One of a bad length lacks none:
    the next look finds it."""
    if not rest:
        return 0
    return 5 - len(rest) if len(rest) < 5 else max(HEADER.unpack_from(rest, 0)[1] + 1 - len(rest), 0)
