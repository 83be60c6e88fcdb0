"""The client's messages that are known to pass: runs of them go on as one slice, unparsed.

Theory of operation. The relay handles a message by what it says and by what the session remembers. Where that came to
"it goes on as it is, its reply passes, and nothing is remembered of it", the same bytes come to the same again, until
something else is remembered: a name that is prepared, bound or closed, a change that failed, another policy. So they
are kept with their reply, and all of them are forgotten at each such change. A Bind is known by its two names, since
nothing else in it is looked at where they just pass. Short runs that come again are kept (`known`), so that a
single statement is one look; and where a long run says the same again and again, but for values, that is found by
comparing bytes (`wire/repeated_messages.py`).

Claim: the front gets, and the client sees, what they would if each message were handled by itself. Because: handlers
read the names of `SessionState` and what the gate says of a text for one `GateNames`, nothing else, in each case that
is learned: names and texts are ASCII, and texts without a backslash, so that neither an encoding nor a setting changes
what they mean. A run that is kept, or comes again, has the same messages, but for values of a Bind: of the same size,
with the same header before and the same bytes behind, it is as long.
While the front skips, or waits for a COPY's rows, no run is looked for.
Checked by: tests/test_passing_messages.py, tests/test_relay.py (transparent).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpproxy.session.expected_replies import Concluded, Owed, PassingRun, Reply, SimpleQuery, Synced
from dpproxy.session.verdicts import GateNames
from dpproxy.wire import HEADER, LONG, Repeated

_BIND, _FLUSH, _EXECUTE, _SYNC, _QUERY = b"BHESQ"
_MOST: Final = 64  # messages
_LONGEST: Final = 1024  # bytes
_RECORD: Final = 100  # bytes about a message
_MOST_RUNS: Final = 256
_NOTHING: Final = (b"\0", b"", ())  # as no Bind begins


class PassingMessages:
    """What is known of one session's."""

    def __init__(self) -> None:
        self._whole: dict[bytes, Reply] = {}
        self._binds: dict[bytes, Reply] = {}
        self._runs: dict[bytes, Concluded] = {}
        self._bound: dict[int, tuple[bytes, bytes, PassingRun]] = {}
        self._once: set[int] = set()
        self._names: GateNames | None = None
        self._size = 0

    @property
    def held(self) -> int:
        """About how many bytes it takes."""
        runs = (len(run) for run in self._runs)
        bound = (len(begin) + len(end) for begin, end, _ in self._bound.values())
        return self._size + sum(_RECORD + size for size in (*runs, *bound))

    def forget(self) -> None:
        """Something else is remembered than before."""
        if self._size:
            self._whole.clear()
            self._binds.clear()
            self._forget_runs()
            self._size = 0

    def _forget_runs(self) -> None:
        self._runs.clear()
        self._bound.clear()
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
            self._size += _RECORD + len(key)

    def known(self, data: bytes, names: GateNames) -> Concluded | None:
        """What is owed for a run of just these bytes, but for the values of a Bind that it begins with, if it is kept;
        else: see `run`. names: by which the gate looks at texts now."""
        if names is not self._names:
            return None
        if data[0] != _BIND:
            return self._runs.get(data)
        begin, end, owed = self._bound.get(len(data), _NOTHING)
        return owed if data.startswith(begin) and data.endswith(end) else None

    def learn_run(self, data: bytes, owed: Owed) -> None:
        """Bytes that passed as a run, to the last. Of one that begins with a Bind its header, its names and what comes
        behind it are kept: of the same size, it is as long. Others are kept the second time, since most never come
        again."""
        if len(data) > _LONGEST or not isinstance(owed, tuple | SimpleQuery | Synced):
            return
        if len(self._runs) + len(self._once) + len(self._bound) >= _MOST_RUNS:
            self._forget_runs()
        if data[0] == _BIND:
            self._learn_bound(data, owed)
        elif (known := hash(data)) in self._once:
            self._runs[data] = owed
        else:
            self._once.add(known)

    def _learn_bound(self, data: bytes, owed: Concluded) -> None:
        end: int = HEADER.unpack_from(data)[1] + 1
        begin = data[: HEADER.size + len(_names(data, 0, end))]
        if isinstance(owed, tuple):
            self._bound[len(data)] = begin, data[end:], owed

    def run(self, data: bytes, at: int, names: GateNames, most: int) -> tuple[list[Owed], int]:
        """The replies of the messages from `at` on that are known to pass, and where those end.

        names: by which the gate looks at texts now. most: bytes that a Bind may have.
        """
        if names is not self._names:
            self.forget()
            self._names = names
        found: list[Owed] = []
        if not self._size:
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
