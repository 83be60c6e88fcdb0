"""The front's replies to messages that just pass: counted by their kinds, and nothing else of them is looked at.

Checked by: tests/test_passing_replies.py, tests/test_passing_messages.py.
"""

from __future__ import annotations

from typing import Final

from dpproxy.session.expected_replies import BOUND, CLOSED, DESCRIBED, EXECUTED, PARSED
from dpproxy.wire import HEADER, LONG, ROW_KINDS, Repeated, rows_end

ANY_TIME: Final = b"NSAK"
"""Notices, settings, notifications and the cancel key: they belong to no reply."""
LOOKED_AT: Final = ANY_TIME + b"EG"
"""What matters whoever asked: those, errors, and that the front waits for the rows of a COPY."""

READY: Final = b"Z\0\0\0\5"
"""ReadyForQuery, without its status."""
SHORT: Final = 256
"""Bytes up to which it is worth to keep them."""
_MOST: Final = 64  # that are known
_RECORD: Final = 100  # bytes about one
_GOES_ON, _ENDS, _ANSWERED, _ROW, _STOPS = range(5)
_IS: Final = bytes(
    _STOPS if kind in LOOKED_AT + b"Z"
    else _ROW if kind in ROW_KINDS
    else _ANSWERED if kind in EXECUTED
    else _ENDS if kind in PARSED + BOUND + CLOSED + DESCRIBED
    else _GOES_ON
    for kind in range(256)
)  # fmt: skip


class KnownReplies(dict[bytes, tuple[int, int, int]]):
    """Asked by `[]`: what `passing_replies` counts in bytes that just pass to their end, which is their first and only
    ReadyForQuery, and its status; -1 and zeros for any other. Bytes that came before are kept: BEGIN, or a row that is
    changed, is answered with the same each time. held: how many those are."""

    def __init__(self) -> None:
        super().__init__()
        self._once: set[int] = set()
        self.held = 0

    def __missing__(self, data: bytes) -> tuple[int, int, int]:
        at, ended, answered = passing_replies(data, 0)
        whole = data.startswith(READY, at) and at + len(READY) + 1 == len(data)
        found = (ended, answered, data[-1]) if whole else (-1, 0, 0)
        self._learn(data, found)
        return found

    def _learn(self, data: bytes, found: tuple[int, int, int]) -> None:
        """At the second time: most rows never come again."""
        if len(self._once) >= _MOST:
            self._once.clear()
            self.clear()
            self.held = 0
        if (known := hash(data)) in self._once:
            self[data] = found
            self.held += _RECORD + len(data)
        else:
            self._once.add(known)


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
