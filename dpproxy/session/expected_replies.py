"""What is expected of the front in answer to one message, and what the client sees of it: the entries of `replies`.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from dpproxy.session.pipelined_names import Undo
from dpproxy.wire import Frame, ResultField

PARSED: Final = b"1"
BOUND: Final = b"2"
CLOSED: Final = b"3"
DESCRIBED: Final = b"Tn"
EXECUTED: Final = b"CIs"
READY: Final = b"Z"


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
class OwnMessage:
    """A message of the relay's own. The waiter gets its frames, or None if it failed or was skipped.

    fault: shown in place of the front's error about the message's text. owed: a notice that goes before any error.
    """

    ends: bytes
    waiter: Waiter | None = None
    fault: bytes | None = None
    undo: Undo | None = None
    owed: bytes = b""
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

    fields: tuple[ResultField, ...]
    ends: bytes = DESCRIBED
    shows: bytes = b"t" + DESCRIBED


@dataclass(slots=True)
class Swapped:
    """Bind or Execute of a swapped statement. `notice` goes before its end, `owed` before an error in its place; `tag`
    is a CommandComplete in its place. hides: the kinds that do not pass. stored: whether what it shows is told
    again for free."""

    ends: bytes
    notice: bytes = b""
    undo: Undo | None = None
    tag: bytes | None = None
    owed: bytes = b""
    hides: bytes = b""
    stored: bool = False


@dataclass(slots=True)
class SimpleQuery:
    """A simple Query. One undo for each statement that leaves a trace; those that completed stand.

    skipped: takes back that it ended what has no name, where the front skipped it.
    """

    undos: deque[Undo | None] = field(default_factory=deque)
    skipped: Undo | None = None
    ends: bytes = READY


@dataclass(slots=True)
class Synced:
    """Sync, which ends skipping. hidden: it is the relay's own."""

    hidden: bool = False
    ends: bytes = READY


Reply = Forwarded | OwnMessage | Hidden | Refused | Described | Swapped | SimpleQuery | Synced


PassingRun = tuple[Reply, ...]
"""The replies to messages of a pipeline up to its Sync, that one included, which all pass and change nothing: one entry
for all of them."""
Owed = Reply | PassingRun
Concluded = PassingRun | SimpleQuery | Synced
"""What ends with ReadyForQuery."""
