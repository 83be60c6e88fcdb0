"""What the front still owes: a queue of expected replies, against which its messages are matched.

Theory of operation. Each message that goes to the front and has a reply puts one entry into the queue, in order; the
front answers in order. An entry says how its reply ends, and what the client sees of it:

    Forwarded   all of it, as it is
    Own         nothing: a message of the relay's own; what came is handed to whoever waits
    Hidden      nothing or a part: the client's own text, sent in messages that the client did not send
    Refused     an ErrorResponse of the proxy's in place of the front's
    Described   RowDescription with what the swapped text has lost
    Swapped     rows of a swapped statement: a notice at the end, errors without places
    Simple      a simple Query, which goes on to its ReadyForQuery whatever happens
    Synced      Sync
    PassingRun  the first and the last, for all messages of a pipeline; taken apart where anything else comes

An ErrorResponse makes the front skip all messages up to Sync, so the entries up to there are taken out, and what was
remembered for their messages is undone, latest first. If no Sync was sent yet, the relay knows that the front skips.
Messages that may come at any time are ParameterStatus and notifications, which pass, and notices (see `shown_errors`).

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Final, assert_never

from dpproxy.observer import UNOBSERVED, SessionObserver, StatementKind
from dpproxy.session.client_encoding import codec_of
from dpproxy.session.error_messages import front_fields
from dpproxy.session.expected_replies import (
    EXECUTED,
    Concluded,
    Described,
    Forwarded,
    Hidden,
    Owed,
    OwnMessage,
    PassingRun,
    Refused,
    Reply,
    SimpleQuery,
    Swapped,
    Synced,
    Waiter,
)
from dpproxy.session.passing_replies import ANY_TIME, LOOKED_AT, READY, SHORT, KnownShapes, passing_replies
from dpproxy.session.pipelined_names import Undo
from dpproxy.session.row_descriptions import redescribed
from dpproxy.session.shown_errors import ends_session, is_about_the_text, shown_error, shown_notice
from dpproxy.wire import (
    HEADER,
    ROW_KINDS,
    Frame,
    ParameterStatus,
    ProtocolViolation,
    decode_backend,
    missing,
    rows_end,
)

_log: Final = logging.getLogger(__name__)
_ERROR, _READY, _ROWS, _STATUS, _KEY, _COMPLETE, _NOTICE = b"EZTSKCN"
_DONE: Final = b"CI"
_COPY_IN: Final = ord("G")
_RELAYS_ROWS: Final = (Forwarded, SimpleQuery, Swapped)


class Replies:
    """The queue, and what the front's messages tell on the way. `receive` turns them into bytes for the client.

    begun: whether a statement of the client's was executed since Sync, so that the next is in a block with it.
    unsynced: whether any message of a pipeline was sent since Sync. conforming: standard_conforming_strings.
    copying: whether the front waits for the rows of a COPY from the client. copy_fault: shown in place of its error.
    """

    def __init__(self, on_key: Callable[[bytes], None], observer: SessionObserver = UNOBSERVED) -> None:
        self._queue: deque[Owed] = deque([SimpleQuery()])
        self._ended = 0  # replies of the run at the head
        self._known = KnownShapes()
        self._rest = bytearray()
        self._missing = 0  # bytes that have to come before the rest can be a whole message
        self._on_key = on_key
        self._observer, self._tally = observer, observer.tally
        self.codec = "utf-8"
        self.status = ord("I")
        self._syncs = 0
        self.skipping = False
        self.begun = False
        self.unsynced = False
        self.conforming = False
        self.copying = False
        self.copy_fault: bytes | None = None
        self.fatal = False
        self._settled: Waiter | None = None

    @property
    def pending(self) -> int:
        """How many replies the front still owes."""
        return len(self._queue)

    def expect(self, reply: Reply) -> None:
        """A message was sent whose answer is `reply`. While the front skips, only Sync is answered."""
        self.unsynced = not isinstance(reply, Synced) and (self.unsynced or not isinstance(reply, SimpleQuery))
        if isinstance(reply, Synced):
            self.skipping = self.begun = False
            self._syncs += 1
        elif isinstance(reply, Forwarded | Swapped) and reply.ends == EXECUTED:
            self.begun = True
        if self.skipping:
            self._drop(reply)
        else:
            self._queue.append(reply)

    def expect_known(self, owed: Concluded) -> None:
        """The same for a whole pipeline that passes, or a Query, while the front does not skip."""
        if type(owed) is not SimpleQuery:
            self.begun = self.unsynced = False
            self._syncs += 1
        self._queue.append(owed)

    def expect_passing(self, run: Sequence[Owed]) -> None:
        """The same for messages that pass, while the front does not skip."""
        for reply in run:
            if type(reply) is tuple or type(reply) is Synced:
                self.begun = self.unsynced = False
                self._syncs += 1
            elif type(reply) is Forwarded:
                self.unsynced = True
                self.begun = self.begun or reply.ends is EXECUTED
        self._queue.extend(run)

    @property
    def held(self) -> int:
        """Bytes of a message of the front's that is not whole yet."""
        return len(self._rest)

    @property
    def syncing(self) -> bool:
        """Whether a Sync is under way: what comes after it is not skipped, whatever became of what was before."""
        return self._syncs > 0

    @property
    def open(self) -> bool:
        """Whether a pipeline is open that may turn out to have failed: a failed one skips a Query like the rest."""
        since = takewhile(lambda reply: not isinstance(reply, Synced | tuple), reversed(self._queue))
        return any(not isinstance(reply, SimpleQuery) for reply in since)

    @property
    def in_block(self) -> bool:
        """Whether a statement sent now is in a transaction block, if only that of its pipeline."""
        return self.begun or self.status != ord("I")

    def settle(self, waiter: Waiter) -> None:
        """Tell `waiter` when the front owes nothing, or waits for rows itself."""
        self._settled = waiter

    def receive(self, data: bytes) -> bytes:
        """What the client gets of bytes from the front. Raises ProtocolViolation if they make no sense."""
        if len(data) < self._missing:
            self._rest += data
            self._missing -= len(data)
            return b""
        if self._rest:
            data = b"".join((self._rest, data))
            self._rest.clear()
        self._missing = 0
        if len(data) <= SHORT and self._is_whole(data):
            shown = data
        else:
            shown, end = self._matched(data)
            self._rest += data[end:]
            self._missing = missing(self._rest)
        if self._settled is not None and not self._queue:
            self._tell_settled()
        return shown

    def _is_whole(self, data: bytes) -> bool:
        """Whether these are all replies to what is at the head, which just pass; it is taken out then."""
        head = self._queue[0] if self._queue else None
        if type(head) is not tuple and (type(head) is not SimpleQuery or head.undos):
            return False
        ended, answered = self._known.counted(data)
        if ended < 0 or (type(head) is tuple and self._ended + ended != len(head) - 1):
            return False
        self._tally.answered += answered
        self._conclude(data[-1])
        return True

    def _conclude(self, status: int) -> None:
        """ReadyForQuery came for what is at the head."""
        self._syncs -= type(self._queue.popleft()) is not SimpleQuery
        self._ended, self.status = 0, status

    def _matched(self, data: bytes) -> tuple[bytes, int]:
        """What the client sees of the whole messages, and where those end. What passes stays in one piece."""
        queue, unpack, size, last = self._queue, HEADER.unpack_from, len(data), len(data) - 5
        shown: list[bytes] = []
        at = run = 0
        while at <= last:
            head = queue[0] if queue else None
            if type(head) is tuple or (type(head) is SimpleQuery and not head.undos):
                at = self._pass(head, data, at)
                if at > last or not queue or queue[0] is not head:
                    continue
            kind, length = unpack(data, at)
            end: int = at + length + 1
            if length < 4:
                raise ProtocolViolation(f"message {bytes([kind])!r} with a length of {length}: the least is 4")
            if end > size:
                break
            if isinstance(head, tuple):
                raise ProtocolViolation(f"the front sent {bytes([kind])!r} without being asked")
            if kind in ROW_KINDS and type(head) in _RELAYS_ROWS:
                at = rows_end(data, end) if end < size and data[end] == kind else end
            elif type(head) is Forwarded and kind not in LOOKED_AT and head.tap is None:
                if kind in head.ends:
                    queue.popleft()
                    self._tally.answered += head.ends is EXECUTED
                at = end
            elif type(head) is Synced and kind == _READY and not head.hidden:
                self._conclude(data[at + 5])
                at = end
            else:
                shown += data[run:at], self._look(head, kind, data[at:end])
                at = run = end
        return (data if at == size and not run else b"".join((*shown, data[run:at]))), at

    def _pass(self, head: PassingRun | SimpleQuery, data: bytes, at: int) -> int:
        """Where what just passes ends: behind the last reply of what is at the head, which is taken out then, or before
        a message that is not whole, or has to be looked at. Raises ProtocolViolation if a run ends too soon."""
        at, ended, answered = passing_replies(data, at)
        self._tally.answered += answered
        ready = data.startswith(READY, at) and at + 5 < len(data)
        if type(head) is tuple:
            ended = self._ended = self._ended + ended
            if ready and ended != len(head) - 1:
                raise ProtocolViolation(f"the front answered {ended} of {len(head) - 1} messages")
            if not ready and at < len(data) and data[at] in LOOKED_AT:
                self._take_apart(head)
        if ready:
            self._conclude(data[at + 5])
        return at + 6 if ready else at

    def _take_apart(self, run: PassingRun) -> None:
        """What is left of a run at the head, one by one."""
        if self._ended >= len(run):
            raise ProtocolViolation("the front answered what it was not asked")
        self._queue.popleft()
        self._queue.extendleft(reversed(run[self._ended :]))
        self._ended = 0

    def _look(self, head: Reply | None, kind: int, raw: bytes) -> bytes:
        if kind in ANY_TIME:
            return self._any_time(head, kind, raw)
        if kind == _ERROR:
            return self._fail(head, raw)
        if head is None:
            raise ProtocolViolation(f"the front sent {raw[:1]!r} without being asked")
        if kind == _COPY_IN:
            self._begin_copy()
        shown = self._shown(head, kind, raw)
        if kind in head.ends:
            self._queue.popleft()
            self._syncs -= type(head) is Synced
        return shown

    def _begin_copy(self) -> None:
        """The front waits for rows, and ignores each Sync that comes before their end: those that were sent already."""
        self.copying = True
        while len(self._queue) > 1 and isinstance(self._queue[1], Synced):
            del self._queue[1]
            self._syncs -= 1
        self._tell_settled()

    def _tell_settled(self) -> None:
        if self._settled is not None:
            _tell(self._settled, ())
            self._settled = None

    def _any_time(self, head: Reply | None, kind: int, raw: bytes) -> bytes:
        if kind == _NOTICE:
            return shown_notice(head, raw, self.codec)
        if kind == _KEY:
            self._on_key(raw)
        if kind == _STATUS:
            status = decode_backend(Frame(b"S", raw[5:]), "latin-1")
            if isinstance(status, ParameterStatus):
                self._learn(status.name, status.value)
        return raw

    def _learn(self, name: str, value: str) -> None:
        if name == "client_encoding":
            self.codec = codec_of(value)
        if name == "standard_conforming_strings":
            self.conforming = value == "on"

    def _shown(self, head: Reply, kind: int, raw: bytes) -> bytes:
        """What the client sees of one message, no error, of the reply at the head."""
        match head:
            case Forwarded(tap=tap):
                if tap is not None:
                    tap.append(Frame(raw[:1], raw[5:]))
                return raw
            case OwnMessage() | Hidden():
                head.frames.append(Frame(raw[:1], raw[5:]))
                if kind in head.ends:
                    _tell(head.waiter, tuple(head.frames))
                return raw if isinstance(head, Hidden) and kind in head.shows else b""
            case Refused():
                raise ProtocolViolation("the front took a message that must fail")
            case Described(fields=fields, shows=shows):
                described = redescribed(raw, fields, self.codec) if kind == _ROWS else raw
                return described if kind in shows else b""
            case Swapped(notice=notice, ends=ends, tag=tag, hides=hides):
                shown = b"" if kind in hides else tag if tag is not None and kind == _COMPLETE else raw
                return notice + shown if kind in ends else shown
            case SimpleQuery(undos=undos):
                if kind in _DONE:
                    self._tally.answered += 1
                    if undos:
                        undos.popleft()
                return self._ready(kind, raw)
            case Synced(hidden=hidden):
                ready = self._ready(kind, raw)
                return b"" if hidden else ready
            case _:
                assert_never(head)

    def _ready(self, kind: int, raw: bytes) -> bytes:
        if kind == _READY:
            self.status = raw[5]
        return raw

    def _fail(self, head: Reply | None, raw: bytes) -> bytes:
        """An ErrorResponse: what the client sees, and what becomes of the queue."""
        fields = front_fields(raw, self.codec)
        shown = self.copy_fault or shown_error(head, fields, raw, self.codec)
        self.copying, self.copy_fault = False, None
        self.fatal = self.fatal or ends_session(fields)
        if not isinstance(head, Refused):
            self._observer.ended(StatementKind.FRONT, fields.get("C", ""))
        if isinstance(head, OwnMessage) and head.fault is not None and is_about_the_text(fields):
            _log.error("the front refused a statement of the proxy's own: %s", fields.get("C"))
        if isinstance(head, SimpleQuery):
            while head.undos:
                _run(head.undos.pop())
        else:
            self._skip()
        return shown

    def _skip(self) -> None:
        """The front skips to the next Sync: so does the queue."""
        skipped: list[Reply] = []
        while self._queue and not isinstance(self._queue[0], Synced):
            reply = self._queue.popleft()
            if isinstance(reply, tuple):  # nothing is undone of it
                self._queue.appendleft(reply[-1])
            else:
                skipped.append(reply)
        self.skipping = not self._queue
        for reply in reversed(skipped):
            self._drop(reply)

    def _drop(self, reply: Reply) -> None:
        match reply:
            case Forwarded(undo=undo) | Swapped(undo=undo):
                _run(undo)
            case OwnMessage(waiter=waiter, undo=undo):
                _run(undo)
                _tell(waiter, None)
            case Hidden(waiter=waiter):
                _tell(waiter, None)
            case SimpleQuery(undos=undos, skipped=undo):
                while undos:
                    _run(undos.pop())
                _run(undo)
            case Refused() | Described() | Synced():
                pass
            case _:
                assert_never(reply)


def _tell(waiter: Waiter | None, result: tuple[Frame, ...] | None) -> None:
    if waiter is not None and not waiter.cancelled():
        waiter.set_result(result)


def _run(undo: Undo | None) -> None:
    if undo is not None:
        undo()
