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

An ErrorResponse makes the front skip all messages up to Sync, so the entries up to there are taken out, and what was
remembered for their messages is undone, latest first. If no Sync was sent yet, the relay knows that the front skips.
Messages that may come at any time (notices, ParameterStatus, notifications) pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final, Protocol, assert_never

from dpproxy.front.backstop import is_backstop_error, is_policy_error
from dpproxy.observer import UNWATCHED, Kind, Watch
from dpproxy.session.codec import codec_of
from dpproxy.session.faults import (
    BACKSTOP,
    IN_FAILED_TRANSACTION,
    ROW_SECURITY,
    error_bytes,
    front_fields,
    shifted,
    without_places,
)
from dpproxy.session.pending import Undo
from dpproxy.session.redescribed import redescribed
from dpproxy.wire import (
    ROW_KINDS,
    Field,
    Frame,
    ParameterStatus,
    ProtocolViolation,
    decode_backend,
    split_frames,
    split_runs,
)

PARSED: Final = b"1"
BOUND: Final = b"2"
CLOSED: Final = b"3"
DESCRIBED: Final = b"Tn"
EXECUTED: Final = b"CIs"
READY: Final = b"Z"
_ERROR, _READY, _ROWS, _STATUS, _KEY, _COMPLETE = b"EZTSKC"
_ANY_TIME: Final = b"NSAK"
_DONE: Final = b"CI"


class Waiter(Protocol):
    """One result, set once, awaited once: a future of the server's event loop."""

    def __await__(self) -> Generator[Any, None, tuple[Frame, ...] | None]:
        """The result, once it is set."""
        ...

    def set_result(self, result: tuple[Frame, ...] | None, /) -> None:
        """Set it."""
        ...

    def cancelled(self) -> bool:
        """Whether nobody awaits it any more."""
        ...


@dataclass(slots=True)
class Forwarded:
    """A client's message whose reply passes as it is. `tap` collects its frames on the way, if there is one."""

    ends: bytes
    undo: Undo | None = None
    shift: int = 0
    tap: list[Frame] | None = None


@dataclass(slots=True)
class Own:
    """A message of the relay's own. The waiter gets its frames, or None if it failed or was skipped.

    fault: shown in place of the front's error (a failed transaction's own error is always the front's).
    """

    ends: bytes
    waiter: Waiter | None = None
    fault: bytes | None = None
    undo: Undo | None = None
    frames: list[Frame] = field(default_factory=list)


@dataclass(slots=True)
class Hidden:
    """A message about the client's own text. `shows`: the kinds that pass; `shift`: see `shifted`."""

    ends: bytes
    shift: int
    shows: bytes = b""
    waiter: Waiter | None = None
    frames: list[Frame] = field(default_factory=list)


@dataclass(slots=True)
class Refused:
    """A message that must fail; `error` is what the client sees."""

    error: bytes
    ends: bytes = PARSED


@dataclass(slots=True)
class Described:
    """Describe of a swapped portal, or of what fetches from one: the columns' origin and type modifiers, which the
    swapped text has lost, are those of `fields`. shows: the kinds that pass."""

    fields: tuple[Field, ...]
    ends: bytes = DESCRIBED
    shows: bytes = b"t" + DESCRIBED


@dataclass(slots=True)
class Swapped:
    """Bind or Execute of a swapped statement. `notice` goes before its end; `tag` is a CommandComplete in its place."""

    ends: bytes
    notice: bytes = b""
    undo: Undo | None = None
    tag: bytes | None = None


@dataclass(slots=True)
class Simple:
    """A simple Query. One undo for each statement that leaves a trace; those that completed stand."""

    undos: deque[Undo | None] = field(default_factory=deque)
    ends: bytes = READY


@dataclass(slots=True)
class Synced:
    """Sync, which ends skipping."""

    ends: bytes = READY


Reply = Forwarded | Own | Hidden | Refused | Described | Swapped | Simple | Synced


_RELAYS_ROWS: Final = (Simple, Swapped)


class Replies:
    """The queue, and what the front's messages tell on the way. `receive` turns them into bytes for the client.

    begun: whether a statement of the client's was executed since Sync, so that the next is in a block with it.
    unsynced: whether any message of a pipeline was sent since Sync. conforming: standard_conforming_strings.
    passed: how many statements the front has answered.
    """

    def __init__(self, on_key: Callable[[bytes], None], watch: Watch = UNWATCHED) -> None:
        self._queue: deque[Reply] = deque([Simple()])
        self._rest = bytearray()
        self._on_key = on_key
        self._watch = watch
        self.passed = 0
        self.codec = "utf-8"
        self.status = ord("I")
        self._syncs = 0
        self.skipping = False
        self.begun = False
        self.unsynced = False
        self.conforming = False
        self.fatal = False
        self._settled: Waiter | None = None

    @property
    def pending(self) -> int:
        """How many replies the front still owes."""
        return len(self._queue)

    def expect(self, reply: Reply) -> None:
        """A message was sent whose answer is `reply`. While the front skips, only Sync is answered."""
        self.unsynced = not isinstance(reply, Synced) and (self.unsynced or not isinstance(reply, Simple))
        if isinstance(reply, Synced):
            self.skipping = self.begun = False
            self._syncs += 1
        elif isinstance(reply, Forwarded | Swapped) and reply.ends == EXECUTED:
            self.begun = True
        if self.skipping:
            self._drop(reply)
        else:
            self._queue.append(reply)

    @property
    def partial(self) -> int:
        """Bytes of a message of the front's that is not whole yet."""
        return len(self._rest)

    @property
    def syncing(self) -> bool:
        """Whether a Sync is under way: what comes after it is not skipped, whatever became of what was before."""
        return self._syncs > 0

    @property
    def open(self) -> bool:
        """Whether a pipeline is open that may turn out to have failed: a failed one skips a Query like the rest."""
        since = takewhile(lambda reply: not isinstance(reply, Synced), reversed(self._queue))
        return any(not isinstance(reply, Simple) for reply in since)

    @property
    def in_block(self) -> bool:
        """Whether a statement sent now is in a transaction block, if only that of its pipeline."""
        return self.begun or self.status != ord("I")

    def settle(self, waiter: Waiter) -> None:
        """Tell `waiter` when the front owes nothing."""
        self._settled = waiter

    def receive(self, data: bytes) -> bytes:
        """What the client gets of bytes from the front. Raises ProtocolViolation if they make no sense."""
        buffer = self._rest
        buffer += data
        runs, end = split_runs(buffer, 0)
        shown: list[bytes] = []
        run = 0
        for kind, begin, stop in runs:
            head = self._queue[0] if self._queue else None
            if type(head) is Forwarded and kind != _ERROR and head.tap is None and kind not in _ANY_TIME:
                if kind in head.ends:
                    self._queue.popleft()
                    self.passed += head.ends is EXECUTED
                continue
            if kind in ROW_KINDS and type(head) in _RELAYS_ROWS:
                continue
            shown.append(bytes(buffer[run:begin]))
            shown += self._looks(head, bytes(buffer[begin:stop]))
            run = stop
        shown.append(bytes(buffer[run:end]))
        del buffer[:end]
        if not self._queue and self._settled is not None:
            _tell(self._settled, ())
            self._settled = None
        return b"".join(shown)

    def _looks(self, head: Reply | None, raw: bytes) -> list[bytes]:
        """What the client sees of one message, or of one after the other if they are rows."""
        frames, _ = split_frames(raw, 0)
        return [self._look(head, kind, raw[begin:stop]) for kind, begin, stop in frames]

    def _look(self, head: Reply | None, kind: int, raw: bytes) -> bytes:
        if kind in _ANY_TIME:
            return self._any_time(kind, raw)
        if kind == _ERROR:
            return self._fail(head, raw)
        if head is None:
            raise ProtocolViolation(f"the front sent {raw[:1]!r} without being asked")
        shown = self._shown(head, kind, raw)
        if kind in head.ends:
            self._queue.popleft()
            self._syncs -= type(head) is Synced
        return shown

    def _any_time(self, kind: int, raw: bytes) -> bytes:
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
            case Own() | Hidden():
                head.frames.append(Frame(raw[:1], raw[5:]))
                if kind in head.ends:
                    _tell(head.waiter, tuple(head.frames))
                return raw if isinstance(head, Hidden) and kind in head.shows else b""
            case Refused():
                raise ProtocolViolation("the front took a message that must fail")
            case Described(fields=fields, shows=shows):
                described = redescribed(raw, fields, self.codec) if kind == _ROWS else raw
                return described if kind in shows else b""
            case Swapped(notice=notice, ends=ends, tag=tag):
                shown = tag if tag is not None and kind == _COMPLETE else raw
                return notice + shown if kind in ends else raw
            case Simple(undos=undos):
                if kind in _DONE:
                    self.passed += 1
                    if undos:
                        undos.popleft()
                return self._ready(kind, raw)
            case Synced():
                return self._ready(kind, raw)
            case _:
                assert_never(head)

    def _ready(self, kind: int, raw: bytes) -> bytes:
        if kind == _READY:
            self.status = raw[5]
        return raw

    def _fail(self, head: Reply | None, raw: bytes) -> bytes:
        """An ErrorResponse: what the client sees, and what becomes of the queue."""
        fields = front_fields(raw, self.codec)
        shown = self._shown_error(head, fields, raw)
        if not isinstance(head, Refused):
            self._watch.ended(Kind.FRONT, fields.get("C", ""))
        if isinstance(head, Simple):
            while head.undos:
                _run(head.undos.pop())
        else:
            self._skip()
        return shown

    def _shown_error(self, head: Reply | None, fields: dict[str, str], raw: bytes) -> bytes:
        if fields.get("V") in ("FATAL", "PANIC"):
            self.fatal = True
            return raw
        if is_backstop_error(fields.get("C", ""), fields.get("M", "")):
            return error_bytes(BACKSTOP, self.codec)
        if is_policy_error(fields.get("C", ""), fields.get("M", "")):
            return error_bytes(ROW_SECURITY, self.codec)
        failed = fields.get("C") == IN_FAILED_TRANSACTION
        match head:
            case Refused(error=error):
                return raw if failed else error
            case Own(fault=bytes(fault)):
                return raw if failed else fault
            case Swapped(notice=notice):
                return notice + without_places(fields, self.codec)
            case Own():
                return without_places(fields, self.codec)
            case Hidden(shift=shift) | Forwarded(shift=shift):
                return shifted(fields, shift, self.codec) if shift else raw
            case Described() | Simple() | Synced() | None:
                return raw
            case _:
                assert_never(head)

    def _skip(self) -> None:
        """The front skips to the next Sync: so does the queue."""
        skipped: list[Reply] = []
        while self._queue and not isinstance(self._queue[0], Synced):
            skipped.append(self._queue.popleft())
        self.skipping = not self._queue
        for reply in reversed(skipped):
            self._drop(reply)

    def _drop(self, reply: Reply) -> None:
        match reply:
            case Forwarded(undo=undo) | Swapped(undo=undo):
                _run(undo)
            case Own(waiter=waiter, undo=undo):
                _run(undo)
                _tell(waiter, None)
            case Hidden(waiter=waiter):
                _tell(waiter, None)
            case Simple(undos=undos):
                while undos:
                    _run(undos.pop())
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
