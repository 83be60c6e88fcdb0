"""The client's messages that are known to pass: runs of them go on as one slice, unparsed.

Theory of operation. The relay handles a message by what it says and by what the session remembers. Where that came to
"it goes on as it is, its reply passes, and nothing is remembered of it", the same bytes come to the same again, until
something else is remembered: a name that is prepared, bound or closed, a change that failed, another policy. So they
are kept with their reply, and all of them are forgotten at each such change. A Bind is known by its two names, since
nothing else in it is looked at where they just pass. Short runs that come again are kept whole (`known`), so that a
single statement is one look; and where a long run says the same again and again, but for values, that is found by
comparing bytes (`wire/repeated_messages.py`).

Claim: the front gets, and the client sees, what they would if each message were handled by itself. Because: handlers
read the names of `SessionState` and what the gate says of a text for one `GateNames`, nothing else, in each case that
is learned: names and texts are ASCII, and texts without a backslash, so that neither an encoding nor a setting changes
what they mean. A run that is kept whole, or comes again, has the same messages, but for values of a Bind.
While the front skips, or waits for a COPY's rows, no run is looked for.
Checked by: tests/test_passing_messages.py, tests/test_relay.py (transparent).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from dpproxy.session.expected_replies import Concluded, Owed, PassingRun, Reply, SimpleQuery, Synced
from dpproxy.session.verdicts import GateNames
from dpproxy.wire import HEADER, LONG, Repeated

_BIND, _FLUSH, _EXECUTE, _SYNC, _QUERY = b"BHESQ"
_MOST: Final = 64  # messages, and runs
_LONGEST: Final = 1024  # bytes
_RECORD: Final = 100  # bytes about a message
_NO_VALUES: Final = bytes(4)  # the numbers of formats and of values, in a Bind behind its names
_Kept = TypeVar("_Kept")


class PassingMessages:
    """What is known of one session's."""

    def __init__(self) -> None:
        self._whole: dict[bytes, Reply] = {}
        self._binds: dict[bytes, Reply] = {}
        self._runs: dict[bytes, Concluded] = {}
        self._tails: dict[bytes, PassingRun] = {}
        self._once: set[int] = set()
        self._names: GateNames | None = None
        self.held = 0

    def forget(self) -> None:
        """Something else is remembered than before."""
        if self.held:
            self._whole.clear()
            self._binds.clear()
            self._forget_runs()
            self.held = 0

    def _forget_runs(self) -> None:
        self.held -= sum(_RECORD + len(run) for run in (*self._runs, *self._tails))
        self._runs.clear()
        self._tails.clear()
        self._once.clear()

    def learn(self, raw: bytes, reply: Reply) -> None:
        """A message that passed, and is to pass again. Of a name that is not ASCII the encoding says which it is."""
        if len(raw) <= _LONGEST and raw[5:].isascii():
            self._keep(self._whole, raw, reply)

    def learn_bind(self, raw: bytes, reply: Reply) -> None:
        """A Bind that passed: so does each with the same names, if they are ASCII."""
        if (names := _names(raw, 0, len(raw))) and len(names) <= _LONGEST and names.isascii():
            self._keep(self._binds, names, reply)

    def _keep(self, kept: dict[bytes, Reply], key: bytes, reply: Reply) -> None:
        if len(self._whole) + len(self._binds) >= _MOST:
            self.forget()
        if key not in kept:
            kept[key] = reply
            self.held += _RECORD + len(key)

    def known(self, data: bytes, names: GateNames, most: int) -> Concluded | None:
        """What is owed for a run of just these bytes, if it is kept, or for a Bind before such. The rest: see `run`."""
        if names is not self._names:
            return None
        found = self._runs.get(data)
        return self._bound(data, most) if found is None and data[0] == _BIND else found

    def _bound(self, data: bytes, most: int) -> PassingRun | None:
        length = HEADER.unpack_from(data)[1] if len(data) >= HEADER.size else 0
        rest = self._tails.get(data[length + 1 :]) if 4 <= length <= most + 4 else None
        reply = None if rest is None else self._binds.get(_names(data, 0, length + 1))
        return None if rest is None or reply is None else (reply, *rest)

    def learn_run(self, data: bytes, owed: Owed) -> None:
        """Bytes that passed as a run, to the last. Values seldom come again: behind a Bind the rest is kept, and all of
        it where it has none; and what begins otherwise at the second time."""
        if len(data) > _LONGEST or not isinstance(owed, tuple | SimpleQuery | Synced):
            return
        if len(self._runs) + len(self._tails) >= _MOST or len(self._once) >= _MOST:
            self._forget_runs()
        known = hash(data)
        if data[0] == _BIND and type(owed) is tuple:
            end: int = HEADER.unpack_from(data)[1] + 1
            self._keep_run(self._tails, data[end:], owed[1:])
            if not data.startswith(_NO_VALUES, HEADER.size + len(_names(data, 0, end))):
                return
        elif known not in self._once:
            self._once.add(known)
            return
        self._keep_run(self._runs, data, owed)

    def _keep_run(self, kept: dict[bytes, _Kept], data: bytes, owed: _Kept) -> None:
        if data not in kept:
            kept[data] = owed
            self.held += _RECORD + len(data)

    def run(self, data: bytes, at: int, names: GateNames, most: int) -> tuple[list[Owed], int]:
        """The replies of the messages from `at` on that are known to pass, and where those end.

        names: by which the gate looks at texts now. most: bytes that a Bind may have.
        """
        if names is not self._names:
            self.forget()
            self._names = names
        found: list[Owed] = []
        if not self.held:
            return found, at
        unpack, whole, binds = HEADER.unpack_from, self._whole.get, self._binds.get
        last, size = len(data) - 5, len(data)
        repeated = Repeated(data, _fixed) if size - at > LONG else None
        open_, part, taken = list[Reply](), at, 0  # replies since the last Sync; where the last statement ended there
        while at <= last:
            kind, length = unpack(data, at)
            end: int = at + length + 1
            if not at + 4 < end <= size:
                break
            if kind == _BIND:
                reply = binds(_names(data, at, end)) if length - 4 <= most else None
            else:
                reply = whole(data[at:end])
            if reply is not None:
                open_.append(reply)
            elif kind != _FLUSH or length != 4:
                break
            at = end
            if kind == _EXECUTE and repeated is not None:
                times = repeated.after(part, at)
                open_ += open_[taken:] * times
                part = at = at + times * (at - part)
                taken = len(open_)
            elif kind in (_SYNC, _QUERY):
                found += _packed(open_)
                open_, part, taken = [], at, 0
        return found + open_, at


def _packed(replies: list[Reply]) -> Sequence[Owed]:
    """Replies up to a Sync, or a Query, that one included: those of a pipeline as one."""
    return (tuple(replies),) if len(replies) > 1 and type(replies[-1]) is Synced else replies


def _fixed(data: bytes, begin: int, end: int) -> bytes:
    """Of these messages all that is looked at: of a Bind, its names."""
    found, at = bytearray(), begin
    while at < end:
        kind, length = HEADER.unpack_from(data, at)
        same = HEADER.size + len(_names(data, at, at + length + 1)) if kind == _BIND else length + 1
        found += b"\xff" * same + bytes(length + 1 - same)
        at += length + 1
    return bytes(found)


def _names(data: bytes, begin: int, end: int) -> bytes:
    """Portal and statement of the Bind there, each with its NUL; nothing where one has none."""
    first = data.find(b"\0", begin + 5, end)
    second = data.find(b"\0", first + 1, end) if first >= 0 else -1
    return data[begin + 5 : second + 1]
