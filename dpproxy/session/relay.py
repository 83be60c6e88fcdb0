"""The relay of one client: each of its messages goes to the front, as it is unless it is private or refused.

Two directions. The client's messages are handled strictly in order, one at a time: `client_data` returns when all whole
messages in the bytes so far are on their way. The front's are matched against what is owed: `front_data` gives the
client's bytes. All that the client sees comes through the front, errors of the proxy's too, so that transactions and
pipelines are always in the state that Postgres has.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.observer import UNOBSERVED, SessionObserver
from dpproxy.session.allowed_statements import reserved
from dpproxy.session.copy_in import copied, query_growing, see_room
from dpproxy.session.expected_replies import (
    BOUND,
    CLOSED,
    DESCRIBED,
    EXECUTED,
    PARSED,
    Described,
    Forwarded,
    OwnMessage,
    Reply,
    SimpleQuery,
    Swapped,
    Synced,
    Waiter,
)
from dpproxy.session.fetched_columns import describe_fetch
from dpproxy.session.front_pipeline import FrontPipeline
from dpproxy.session.gate import examine
from dpproxy.session.message_names import name_at, two_names
from dpproxy.session.pipelined_names import Undo
from dpproxy.session.prerequisites import load
from dpproxy.session.private_backend import PrivateBackend
from dpproxy.session.private_bind import bind_private
from dpproxy.session.session_context import SessionContext
from dpproxy.session.session_state import Portal, PreparedStatement, SessionState
from dpproxy.session.setting_parameters import binding_fault, executing_fault
from dpproxy.session.settled_texts import Handler, after_all, is_for_later, is_plain
from dpproxy.session.simple_query import executes_what_it_prepares, run_simple
from dpproxy.session.verdicts import Executes, Fetches, Nothing, Pass, Private, Refuse, Statement
from dpproxy.wire import (
    FRONTEND_LIMITS,
    Bind,
    Close,
    Frame,
    FrameLimits,
    FrameReader,
    Parse,
    ProtocolViolation,
    Query,
    Sync,
    UndecodableText,
    decode_frontend,
    encode_frontend,
)

_SYNC: Final = encode_frontend(Sync())
_IDLE: Final = ord("I")
_FETCH: Final = "FetchStmt"
_CLOSE_UNNAMED: Final = encode_frontend(Close("S", ""))
_WHILE_COPYING: Final = b"dcfSHX"


class UndecodableStatement(DPProxyError, sqlstate="22021"):
    """The statement's bytes are no text of the client's encoding."""


class Relay:
    """One session. `write` takes bytes for the front, `waiter` makes futures, `on_key` gets the front's cancel key.

    observer: told of each statement that ended, but for those that the front answered, which are only counted.
    """

    def __init__(
        self,
        backend: PrivateBackend,
        write: Callable[[bytes], None],
        waiter: Callable[[], Waiter],
        on_key: Callable[[bytes], None],
        limits: FrameLimits = FRONTEND_LIMITS,
        observer: SessionObserver = UNOBSERVED,
    ) -> None:
        self._pipeline = FrontPipeline(write, waiter, on_key, observer)
        self._state = SessionState(lambda: self.idle)
        self._backend = backend
        self._session = SessionContext(self._pipeline, self._state, backend)
        self._frames = FrameReader(limits, startup=False)
        self._most_bound = limits.caps[b"B"]
        self.ended = False
        self._handlers: dict[bytes, Handler] = {
            b"Q": self._query,
            b"P": self._parse,
            b"B": self._bind,
            b"D": self._describe,
            b"E": self._execute,
            b"C": self._close,
            b"S": self._sync,
            b"H": self._flush,
            b"F": self._function_call,
            b"X": self._terminate,
            **dict.fromkeys((b"d", b"c", b"f"), lambda frame: copied(self._session, frame)),
        }

    @property
    def codec(self) -> str:
        """The client encoding, as Python calls it."""
        return self._pipeline.codec

    @property
    def idle(self) -> bool:
        """Whether the front owes nothing."""
        return self._pipeline.replies.pending == 0

    @property
    def resting(self) -> bool:
        """Whether nothing is at work and no transaction is open: the session may end and nothing is lost by it."""
        replies = self._pipeline.replies
        return not replies.pending and not replies.unsynced and replies.status == _IDLE

    @property
    def held(self) -> int:
        """Bytes that are kept for the session: messages that are not whole yet, and texts of its statements."""
        return self._frames.buffered + self._pipeline.replies.held + self._state.held

    async def client_data(self, data: bytes) -> None:
        """Bytes from the client. Raises ProtocolViolation, after which the connection is to be closed."""
        at = 0
        while not self.ended:
            frame, at = self._frames.take(data, self._run(data, at))
            if frame is None:
                break
            waiting = self._handle(frame)
            if waiting is not None:
                await waiting
        self._pipeline.flush()

    def pass_on(self, data: bytes) -> int:
        """Send on at once those first messages that are known to pass; how many bytes that were.

        Only while no `client_data` is under way. What is left is for it to take.
        """
        replies = self._pipeline.replies
        if replies.skipping or replies.copying or self._frames.buffered or self.ended:
            return 0
        known = self._state.passing.known(data, self._backend.names)
        if known is not None:
            self._pipeline.send_known(data, known)
            return len(data)
        at = self._pass_run(data, 0)
        self._pipeline.flush()
        return at

    def _run(self, data: bytes, at: int) -> int:
        """Send what passes from there on; where it ends."""
        replies = self._pipeline.replies
        if replies.skipping or replies.copying or self._frames.buffered:
            return at
        return self._pass_run(data, at)

    def _pass_run(self, data: bytes, at: int) -> int:
        passing = self._state.passing
        owed, end = passing.run(data, at, self._backend.names, self._most_bound)
        if end > at:
            self._pipeline.send_run(data[at:end], owed)
            if end - at == len(data) and len(owed) == 1:
                passing.learn_run(data, owed[0])
        return end

    @property
    def told(self) -> bool:
        """Whether the front has said why it ends the session."""
        return self._pipeline.replies.fatal

    def front_data(self, data: bytes) -> bytes:
        """What the client gets of bytes from the front. Raises ProtocolViolation if the front's make no sense."""
        return self._pipeline.replies.receive(data)

    def _handle(self, frame: Frame) -> Awaitable[None] | None:
        """One message. While the front skips to Sync, it and the relay look at nothing else."""
        if self._pipeline.replies.skipping and frame.kind not in b"SX":
            return None
        if self._pipeline.replies.copying and frame.kind not in _WHILE_COPYING:
            raise ProtocolViolation(f"message {frame.kind!r} is not allowed during COPY from stdin")
        handler = self._handlers.get(frame.kind)
        if handler is None:
            raise ProtocolViolation(f"message {frame.kind!r} is not allowed within a session")
        if is_for_later(frame, self.idle):
            return after_all(self._session, handler, frame)
        return handler(frame)

    def _refuse(self, fault: DPProxyError) -> None:
        self._pipeline.refuse(fault)

    def _query(self, frame: Frame) -> Awaitable[None] | None:
        try:
            query = decode_frontend(frame, self._pipeline.codec)
        except UndecodableText as fault:
            self._refuse(UndecodableStatement(str(fault)))
            self._pipeline.send(_SYNC, Synced())
            return None
        assert isinstance(query, Query)
        statements = examine(query.sql, self._backend.names)
        within = self._pipeline.replies.begun and any(each.grows for each in statements)
        if within or not all(map(self._just_passes, statements)) or executes_what_it_prepares(statements):
            return run_simple(self._session, statements)
        public = tuple(name for each in statements for name in each.public)
        if public and self._backend.needs_loading(public):
            return run_simple(self._session, statements)
        if any(each.grows for each in statements):
            return query_growing(self._session, frame, statements, self._undos)
        skipped = self._state.end_unnamed()
        reply = SimpleQuery(self._undos(statements), skipped)
        plain = skipped is None and not reply.undos and not public
        self._pass(frame, reply, plain and is_plain(frame))
        return None

    def _pass(self, frame: Frame, reply: Reply, again: bool) -> None:
        """Send a message on as it is. again: whether the same bytes pass until something else is remembered."""
        raw = frame.raw
        if again:
            self._state.passing.learn(raw, reply)
        self._pipeline.send(raw, reply)

    def _just_passes(self, statement: Statement) -> bool:
        memory = self._state
        return (
            type(statement.verdict) is Pass
            and not statement.inserted
            and (type(statement.effect) is not Executes or memory.just_passes(statement))
            and (type(statement.effect) is not Fetches or memory.fetched(statement) is None)
        )

    def _undos(self, statements: tuple[Statement, ...]) -> deque[Undo | None]:
        if all(type(each.effect) is Nothing for each in statements):
            return deque()
        return deque(self._state.apply(each.effect) for each in statements)

    def _parse(self, frame: Frame) -> Awaitable[None] | None:
        try:
            parse = decode_frontend(frame, self._pipeline.codec)
        except UndecodableText as undecodable:
            self._refuse(UndecodableStatement(str(undecodable)))
            return None
        assert isinstance(parse, Parse)
        statements = examine(parse.sql, self._backend.names)
        # More than one statement is the front's to refuse, none is its to take.
        statement = statements[0] if len(statements) == 1 else Statement(parse.sql, 0, Pass())
        fault = reserved(parse.name) or (statement.verdict.error if isinstance(statement.verdict, Refuse) else None)
        if fault is not None:
            self._refuse_parse(parse.name, fault)
            return None
        private = isinstance(statement.verdict, Private)
        if statement.public and not private and self._backend.needs_loading(statement.public):
            return self._parse_after_loading(frame, parse, statement)
        self._forward_parse(frame, parse, statement)
        return None

    def _refuse_parse(self, name: str, fault: DPProxyError) -> None:
        self._drop_unnamed(name)
        self._refuse(fault)

    def _drop_unnamed(self, name: str) -> None:
        """Parse drops the unnamed statement before it looks at the new text, also where that fails."""
        if not name:
            self._pipeline.send(_CLOSE_UNNAMED, OwnMessage(CLOSED, undo=self._state.prepare("", None)))

    async def _parse_after_loading(self, frame: Frame, parse: Parse, statement: Statement) -> None:
        try:
            await load(self._session, statement.public)
            self._forward_parse(frame, parse, statement)
        except DPProxyError as fault:
            self._refuse_parse(parse.name, fault)

    def _forward_parse(self, frame: Frame, parse: Parse, statement: Statement) -> None:
        if self._state.statements.get("") is not None:
            self._drop_unnamed(parse.name)
        prepared = PreparedStatement(statement.alone(parse.sql), parse.types) if statement.is_kept else None
        undo = self._state.prepare(parse.name, prepared)
        if statement.inserted:
            self._pipeline.say(Parse(parse.name, statement.sql, parse.types), Forwarded(PARSED, undo, statement.shift))
        else:
            plain = undo is None and prepared is None and not statement.public
            self._pass(frame, Forwarded(PARSED, undo), plain and is_plain(frame))

    def _bind(self, frame: Frame) -> Awaitable[None] | None:
        portal, statement = two_names(frame, self._pipeline.codec)
        prepared = self._state.statements.get(statement)
        bind = None if prepared is None else decode_frontend(frame, self._pipeline.codec)
        fault = reserved(statement) or reserved(portal)
        if prepared is not None and isinstance(bind, Bind):
            fault = fault or executing_fault(prepared.statement, self._state)
            fault = fault or binding_fault(prepared, bind.parameters, self._backend.names)
        if fault is not None:
            self._refuse(fault)
            return None
        if prepared is None and self._pipeline.replies.syncing and self._state.statements.unsure(statement):
            return self._bind_when_told(frame)
        undo = self._state.close_portal(portal)
        if prepared is None:
            raw, reply = frame.raw, Forwarded(BOUND, undo)
            if undo is None and not self._state.statements.unsure(statement):
                self._state.passing.learn_bind(raw, reply)
            self._pipeline.send(raw, reply)
            return None
        assert isinstance(bind, Bind)
        if prepared.statement.grows:
            return self._bind_growing(prepared, bind, frame, undo)
        if self._state.may_be_private(prepared.statement):
            return self._bind_private(prepared, bind)
        fetched = self._state.fetched(prepared.statement)
        if fetched is not None:
            undo = self._state.open_portal(portal, Portal(fetched.fields))
        self._state.bind(portal, prepared.statement.effect)
        self._pipeline.send(frame.raw, Forwarded(BOUND, undo))
        return None

    async def _bind_when_told(self, frame: Frame) -> None:
        """What took the statement away may have been skipped: it is bound once that is known."""
        await self._pipeline.settled()
        bound = self._bind(frame)
        if bound is not None:
            await bound

    async def _bind_growing(self, prepared: PreparedStatement, bind: Bind, frame: Frame, undo: Undo | None) -> None:
        room = await see_room(self._session, (prepared.statement,))
        if room and self._state.may_be_private(prepared.statement):
            await self._bind_private(prepared, bind)
        elif room:
            self._state.bind(bind.portal, prepared.statement.effect)
            self._pipeline.send(frame.raw, Forwarded(BOUND, undo))

    async def _bind_private(self, prepared: PreparedStatement, bind: Bind) -> None:
        shift = prepared.statement.shift
        await bind_private(self._session, prepared, bind, Forwarded(BOUND), Swapped(BOUND), shift)

    def _describe(self, frame: Frame) -> None:
        kind, name = frame.payload[:1], name_at(frame.payload, 1, self._pipeline.codec)
        if kind == b"S":
            prepared = self._state.statements.get(name)
            if prepared is not None and prepared.statement.kind == _FETCH:
                describe_fetch(self._session, prepared)
                return
            if prepared is not None:
                prepared.told = True
            tap = prepared.tap if prepared is not None and prepared.typed is None and not prepared.tap else None
            sure = prepared is None and not self._state.statements.unsure(name)
            self._pass(frame, Forwarded(DESCRIBED, tap=tap), sure)
            return
        portal = self._state.portals.get(name)
        fields = None if portal is None else portal.fields
        sure = portal is None and not self._state.portals.unsure(name)
        self._pass(frame, Forwarded(DESCRIBED) if fields is None else Described(fields), sure)

    def _execute(self, frame: Frame) -> None:
        name = name_at(frame.payload, 0, self._pipeline.codec)
        portal = self._state.portals.get(name)
        if portal is None:
            undo, sure = self._state.execute(name), self._state.leaves_no_trace(name)
            self._pass(frame, Forwarded(EXECUTED, undo), sure)
            return
        notice, portal.notice = portal.notice, b""
        self._pipeline.send(frame.raw, Swapped(EXECUTED, notice, tag=portal.tag, stored=portal.stored))

    def _close(self, frame: Frame) -> None:
        name = name_at(frame.payload, 1, self._pipeline.codec)
        fault = reserved(name)
        if fault is not None:
            self._refuse(fault)
            return
        undo = self._state.prepare(name, None) if frame.payload[:1] == b"S" else self._state.close_portal(name)
        self._pass(frame, Forwarded(CLOSED, undo), undo is None)

    def _sync(self, frame: Frame) -> None:
        if not self._pipeline.replies.copying:  # while it waits for a COPY's rows, the front ignores it
            self._pass(frame, Synced(), True)

    def _flush(self, frame: Frame) -> None:
        self._pipeline.send(frame.raw, None)

    def _function_call(self, _frame: Frame) -> None:
        self._refuse(FeatureNotSupported("fast-path function calls are not supported", hint="Write SELECT f(…)."))
        self._pipeline.send(_SYNC, Synced())

    def _terminate(self, frame: Frame) -> None:
        self._pipeline.send(frame.raw, None)
        self.ended = True
