"""One client's connection, played on a bare socket: messages out, and all that comes back until ReadyForQuery."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from dpproxy.wire import (
    BACKEND_LIMITS,
    BackendKeyData,
    BackendMessage,
    Bind,
    CancelRequest,
    Close,
    CopyFail,
    CopyInResponse,
    Describe,
    ErrorResponse,
    Execute,
    Flush,
    FrameReader,
    FrontendMessage,
    NoData,
    Parse,
    Query,
    ReadyForQuery,
    RowDescription,
    StartupMessage,
    Sync,
    decode_backend,
    encode_frontend,
    encode_startup,
)

from .recording import Bound, Extended, Simple

Address = tuple[str, int] | str  # host and port, or the path of a Unix socket
PATIENCE_SECONDS = 60.0
# When a statement that sleeps is cancelled; again later, should it not have begun by then on a busy machine.
_NAP_SECONDS, _AGAIN_SECONDS = 0.5, 2.0
_FAILS = Parse("", "this fails", ())
_STUBS = re.compile(r"\b(people|orders)\b")


@dataclass
class Player:
    """A connection that was opened like a recorded one.

    opening: what the server said until it was ready. status: of the transaction, as it said last.
    """

    address: Address
    opening: list[BackendMessage]
    _socket: socket.socket
    _reader: FrameReader
    status: str = ""
    _prepared: set[str] = field(default_factory=set)

    @classmethod
    def connect(cls, address: Address, parameters: tuple[tuple[str, str], ...]) -> Player:
        """Open one with these parameters in the startup packet."""
        connection = _connected(address)
        player = cls(address, [], connection, FrameReader(BACKEND_LIMITS, startup=False))
        connection.sendall(encode_startup(StartupMessage(3, 0, parameters)))
        player.opening = player._until(ReadyForQuery)
        return player

    def close(self) -> None:
        self._socket.close()

    def play(self, steps: Sequence[Simple | Extended], failing: bool = False) -> list[BackendMessage]:
        """The answer to one recorded pipeline. One that sleeps is cancelled.

        failing: the last step is only described, and an error takes the place of its execution.
        """
        self._socket.settimeout(_NAP_SECONDS if any("pg_sleep" in step.sql for step in steps) else PATIENCE_SECONDS)
        *others, last = steps
        seen = [message for step in others for message in self._begin(step)]
        if isinstance(last, Simple):
            return seen + self._said([Query(_STUBS.sub("nowhere", last.sql) if failing else last.sql)])
        if failing:
            return seen + self._said([*self._prepare(last), _FAILS, Sync()])
        return seen + self._begin(last) + self._said([Sync()])

    def begin_anew(self) -> None:
        """What a client does in a failed transaction."""
        self._said([Query("ROLLBACK")])
        self._said([Query("BEGIN")])

    def _begin(self, step: Simple | Extended) -> list[BackendMessage]:
        """Send a step without its Sync; what came before a client that waits would go on."""
        assert isinstance(step, Extended), "a Query is no part of a pipeline"
        run = () if step.bound is None else _run(step.name, step.bound)
        if step.again or not step.flush:
            self._send([*self._prepare(step), *run])
            return []
        self._send([*self._prepare(step), Flush()])
        described = self._until(RowDescription, NoData, ErrorResponse)
        if not isinstance(described[-1], ErrorResponse):
            self._send(run)
        return described

    def _prepare(self, step: Extended) -> list[FrontendMessage]:
        if step.again:
            return []
        renewed: list[FrontendMessage] = [Close("S", step.name)] if step.name in self._prepared else []
        if step.name:
            self._prepared.add(step.name)
        return [*renewed, Parse(step.name, step.sql, step.oids), Describe("S", step.name)]

    def _said(self, messages: list[FrontendMessage]) -> list[BackendMessage]:
        self._send(messages)
        return self._until(ReadyForQuery)

    def _send(self, messages: Iterable[FrontendMessage]) -> None:
        self._socket.sendall(b"".join(map(encode_frontend, messages)))

    def _until(self, *kinds: type) -> list[BackendMessage]:
        seen: list[BackendMessage] = []
        while not seen or not isinstance(seen[-1], kinds):
            frame = self._reader.next_frame()
            if frame is None:
                self._receive(seen)
                continue
            seen.append(decode_backend(frame))
            if isinstance(seen[-1], ReadyForQuery):
                self.status = seen[-1].status
            if isinstance(seen[-1], CopyInResponse):
                self._send([CopyFail("nothing is recorded")])
        return seen

    def _receive(self, seen: list[BackendMessage]) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except TimeoutError:
            assert self._socket.gettimeout() != PATIENCE_SECONDS, f"no answer in {PATIENCE_SECONDS} s after {seen[-3:]}"
            self._socket.settimeout(_AGAIN_SECONDS)
            self._cancel()
            return
        assert data, f"the server closed the connection after {seen[-3:]}"
        self._reader.feed(data)

    def _cancel(self) -> None:
        key = next(each for each in self.opening if isinstance(each, BackendKeyData))
        with _connected(self.address) as connection:
            connection.sendall(encode_startup(CancelRequest(key.pid, key.key)))
            connection.recv(1)  # closed by the server when it is done


def _run(name: str, bound: Bound) -> tuple[FrontendMessage, ...]:
    bind = Bind(bound.portal, name, bound.parameter_formats, bound.parameters, bound.result_formats)
    return bind, Describe("P", bound.portal), Execute(bound.portal, bound.max_rows)


def _connected(address: Address) -> socket.socket:
    family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
    connection = socket.socket(family)
    connection.settimeout(PATIENCE_SECONDS)
    connection.connect(address)
    return connection
