"""The front's replies to messages that just pass: counted by their kinds, and nothing else of them is looked at.

Checked by: tests/test_passing_replies.py, tests/test_passing_messages.py.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from dpproxy.session.expected_replies import BOUND, CLOSED, DESCRIBED, EXECUTED, PARSED
from dpproxy.wire import HEADER, LONG, ROW_KINDS, Repeated, rows_end

ANY_TIME: Final = b"NSAK"
"""Notices, settings, notifications and the cancel key: they belong to no reply."""
LOOKED_AT: Final = ANY_TIME + b"EG"
"""What matters whoever asked: those, errors, and that the front waits for the rows of a COPY."""

READY: Final = b"Z\0\0\0\5"
"""ReadyForQuery, without its status."""
SHORT: Final = 512
"""Bytes up to which it is worth to know the form."""
_MOST: Final = 256  # forms
_GOES_ON, _ENDS, _ANSWERED, _ROW, _STOPS = range(5)
_IS: Final = bytes(
    _STOPS if kind in LOOKED_AT + b"Z"
    else _ROW if kind in ROW_KINDS
    else _ANSWERED if kind in EXECUTED
    else _ENDS if kind in PARSED + BOUND + CLOSED + DESCRIBED
    else _GOES_ON
    for kind in range(256)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ReplyForm:
    """Kinds and lengths of messages, as `headers` reads them, and the status of the last; what they count."""

    headers: struct.Struct
    said: tuple[int, ...]
    ended: int
    answered: int


class KnownShapes:
    """By their size, in what form short replies came before; of values nothing is kept.

    Claim: `counted` says of bytes what `passing_replies` says, if that is all of them but a ReadyForQuery that they end
    with. Because: headers stand where they stood, and say the same, so that each message is of the same kind and as
    long. Checked by: tests/test_passing_replies.py.
    """

    def __init__(self) -> None:
        self._shapes: dict[int, _ReplyForm] = {}
        self._others = 0

    def counted(self, data: bytes) -> tuple[int, int]:
        """How many replies end in bytes that just pass to their end, which is their only ReadyForQuery, and how many of
        a statement's; -1 and 0 of any other."""
        shape = self._shapes.get(len(data))
        if shape is not None and shape.headers.unpack(data) == shape.said:
            return shape.ended, shape.answered
        return self._looked_at(data)

    def _looked_at(self, data: bytes) -> tuple[int, int]:
        at, ended, answered = passing_replies(data, 0)
        if not data.startswith(READY, at) or at + len(READY) + 1 != len(data):
            return -1, 0
        self._others += 1
        if self._others > _MOST:
            self._shapes.clear()
            self._others = 0
        if len(data) not in self._shapes:
            headers = struct.Struct(_layout(data))
            self._shapes[len(data)] = _ReplyForm(headers, headers.unpack(data), ended, answered)
        return ended, answered


def _layout(data: bytes) -> str:
    """Of whole messages up to ReadyForQuery kinds and lengths, and no more."""
    found, at = [">"], 0
    while at < len(data) - len(READY) - 1:
        length: int = HEADER.unpack_from(data, at)[1]
        found.append(f"Bi{length - 4}x")
        at += length + 1
    return "".join([*found, "Bix"])


def passing_replies(data: bytes, at: int) -> tuple[int, int, int]:
    """Where the whole messages end that only pass; how many replies end among them, and how many of a statement's.

    Claim: what follows there is no part of a message, and none in between is of a kind that is looked at, or
    ReadyForQuery. Because: each is as long as it says, and so is each repetition (see there). Checked by:
    tests/test_passing_replies.py.
    """
    unpack, of, size, last = HEADER.unpack_from, _IS, len(data), len(data) - 5
    ended = answered = before = 0
    repeated = Repeated(data, _headers) if size - at > LONG else None
    part = -1  # where the statement before ended
    while at <= last:
        kind, length = unpack(data, at)
        end: int = at + length + 1
        if not at + 4 < end <= size:
            break
        what = of[kind]
        if what <= _ENDS:
            ended += what
        elif what == _ROW:
            if end < size and data[end] == kind:
                end = rows_end(data, end)
        elif what == _ANSWERED:
            ended += 1
            answered += 1
            if repeated is not None:
                times = 0 if part < 0 else repeated.after(part, end)
                end += times * (end - part)
                ended, answered = ended + times * (ended - before), answered + times
                part, before = end, ended
        else:
            break
        at = end
    return at, ended, answered


def _headers(data: bytes, begin: int, end: int) -> bytes:
    """Of these messages all that is looked at: kinds and lengths."""
    found, at = bytearray(), begin
    while at < end:
        length: int = HEADER.unpack_from(data, at)[1]
        found += b"\xff" * HEADER.size + bytes(length - 4)
        at += length + 1
    return bytes(found)
