"""The session's line to its front: what is sent, paired with the reply that is expected, and written in one piece.

Checked by: tests/test_relay.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, assert_never

from dpproxy.errors import DPProxyError, SyntaxFault
from dpproxy.observer import UNOBSERVED, SessionObserver, StatementKind
from dpproxy.session.client_encoding import codec_of
from dpproxy.session.error_messages import error_bytes
from dpproxy.session.expected_replies import (
    CLOSED,
    DESCRIBED,
    PARSED,
    Concluded,
    Described,
    Forwarded,
    Hidden,
    Owed,
    OwnMessage,
    Refused,
    Reply,
    SimpleQuery,
    Swapped,
    Synced,
    Waiter,
)
from dpproxy.session.replies import Replies
from dpproxy.wire import Flush, Frame, FrontendMessage, Parse, encode_frontend

_FLUSH: Final = encode_frontend(Flush())
# Fails in analysis, so a failed transaction's own error comes first, and leaves nothing behind, the unnamed statement
# included: it has a name.
_NO_SQL: Final = encode_frontend(Parse("dpproxy_refused", "dpproxy refuses", ()))
_EXECUTE_NOTHING: Final = (PARSED, DESCRIBED, CLOSED)
_MUST_FAIL: Final = encode_frontend(Parse("dpproxy_refused", "SELECT dpproxy_refused", ()))


class FrontPipeline:
    """Messages to the front. `write` takes bytes for its socket; `waiter` makes a future.

    executed: grows with each message of the client's that may execute something, or begin to.
    """

    def __init__(
        self,
        write: Callable[[bytes], None],
        waiter: Callable[[], Waiter],
        on_key: Callable[[bytes], None],
        observer: SessionObserver = UNOBSERVED,
    ) -> None:
        self._write = write
        self._outgoing: list[bytes] = []
        self.executed = 0
        self.waiter = waiter
        self.observer = observer
        self.replies = Replies(on_key, observer)

    @property
    def codec(self) -> str:
        """The client encoding, as a Python codec."""
        return self.replies.codec

    def learn_encoding(self, name: bytes | None) -> None:
        """The client's encoding, as the front says that it is now."""
        if name is not None:
            self.replies.codec = codec_of(name.decode("ascii"))

    def send(self, raw: bytes, reply: Reply | None) -> None:
        """One message as on the wire. While the front skips to Sync it would be ignored, so it is not sent."""
        if reply is not None:
            self.executed += _may_execute(reply)
            self.replies.expect(reply)
        if not self.replies.skipping:
            self._outgoing.append(raw)

    def send_run(self, raw: bytes, owed: Sequence[Owed]) -> None:
        """Messages as on the wire, none of which is anything but passed on. Not while the front skips."""
        self.executed += any(type(each) is not Synced for each in owed)
        self.replies.expect_passing(owed)
        self._outgoing.append(raw)

    def send_known(self, raw: bytes, owed: Concluded) -> None:
        """The same for a whole pipeline that passes, or a Query, at once."""
        self.executed += type(owed) is not Synced
        self.replies.expect_known(owed)
        self._write(raw)

    def say(self, message: FrontendMessage, reply: Reply | None) -> None:
        """One message."""
        self.send(encode_frontend(message, self.codec), reply)

    def refuse(self, fault: DPProxyError, shift: int = 0, kind: StatementKind = StatementKind.GATE) -> None:
        """Raise `fault` in the front; `shift` is added to its position. A text that is no SQL fails before all else."""
        message = _NO_SQL if isinstance(fault, SyntaxFault) else _MUST_FAIL
        self.send(message, Refused(error_bytes(fault, self.codec, shift=shift)))
        self.observer.ended(kind, fault.sqlstate)

    def flush(self) -> None:
        """Write what was sent."""
        if self._outgoing:
            self._write(self._outgoing[0] if len(self._outgoing) == 1 else b"".join(self._outgoing))
            self._outgoing.clear()

    async def settled(self) -> bool:
        """Wait until all that was sent is answered; False if the front skips to Sync."""
        if self.replies.pending:
            waiter = self.waiter()
            self.replies.settle(waiter)
            await self.answered(waiter)
        return not self.replies.skipping

    async def answered(self, waiter: Waiter) -> tuple[Frame, ...] | None:
        """Ask for the replies so far and wait for one of them; None if it failed or was skipped."""
        self.send(_FLUSH, None)
        self.flush()
        return await waiter


def _may_execute(reply: Reply) -> bool:
    """Whether a message that has this reply may execute something of the client's, other than a post statement."""
    match reply:
        case OwnMessage() | Swapped() | Synced() | Described() | Refused():
            return False
        case Forwarded(ends=ends) | Hidden(ends=ends):
            return ends not in _EXECUTE_NOTHING
        case SimpleQuery():
            return True
        case _:
            assert_never(reply)
