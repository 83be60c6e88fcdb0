"""The client's messages that are known to pass: runs of them go on as one slice, unparsed.

Theory of operation. The relay handles a message by what it says and by what the session remembers. Where that came to
"it goes on as it is, its reply passes, and nothing is remembered of it", the same bytes come to the same again, until
something else is remembered: a name that is prepared, bound or closed, a change that failed, another policy. So they
are kept with their reply, and all of them are forgotten at each such change. A Bind is known by its two names, since
nothing else in it is looked at where they just pass.

Claim: the front gets, and the client sees, what they would if each message were handled by itself. Because: handlers
read the names of `SessionState` and what the gate says of a text for one `GateNames`, nothing else, in each case that
is learned: names and texts are ASCII, and texts without a backslash, so that neither an encoding nor a setting changes
what they mean.
While the front skips, or waits for a COPY's rows, no run is looked for.
Checked by: tests/test_passing_messages.py, tests/test_relay.py (transparent).
"""

from __future__ import annotations

from typing import Final

from dpproxy.session.expected_replies import Reply
from dpproxy.session.verdicts import GateNames
from dpproxy.wire import HEADER

_BIND, _FLUSH = b"BH"
_MOST: Final = 64  # messages
_LONGEST: Final = 1024  # bytes
_RECORD: Final = 100  # bytes about a message


class PassingMessages:
    """What is known of one session's."""

    def __init__(self) -> None:
        self._whole: dict[bytes, Reply] = {}
        self._binds: dict[bytes, Reply] = {}
        self._names: GateNames | None = None
        self.held = 0

    def forget(self) -> None:
        """Something else is remembered than before."""
        if self.held:
            self._whole.clear()
            self._binds.clear()
            self.held = 0

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

    def run(self, data: bytes, at: int, names: GateNames, most: int) -> tuple[list[Reply], int]:
        """The replies of the messages from `at` on that are known to pass, and where those end.

        names: by which the gate looks at texts now. most: bytes that a Bind may have.
        """
        if names is not self._names:
            self.forget()
            self._names = names
        found: list[Reply] = []
        if not self.held:
            return found, at
        unpack, whole, append = HEADER.unpack_from, self._whole.get, found.append
        last, size = len(data) - 5, len(data)
        while at <= last:
            kind, length = unpack(data, at)
            end: int = at + length + 1
            if end > size:
                break
            if kind == _BIND:
                reply = self._binds.get(_names(data, at, end)) if length - 4 <= most else None
            else:
                reply = whole(data[at:end])
            if reply is not None:
                append(reply)
            elif kind != _FLUSH or length != 4:
                break
            at = end
        return found, at


def _names(data: bytes, begin: int, end: int) -> bytes:
    """Portal and statement of the Bind there, each with its NUL; nothing where one has none."""
    first = data.find(b"\0", begin + 5, end)
    second = data.find(b"\0", first + 1, end) if first >= 0 else -1
    return data[begin + 5 : second + 1]
