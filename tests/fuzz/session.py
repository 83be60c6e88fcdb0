"""A conversation with the relay, which has no sockets: any client, before the model of a front or before a mad one."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from random import Random

from front_model import ModelFront
from test_relay import NOTICE, PRIVATE, TEXTS, FakeBackend

from dpproxy import wire
from dpproxy.session.relay import Relay
from fuzz.target import Mutate, Target

_HEAD = 3
_PATIENCE = 200  # turns of the loop without a byte, after which nothing will come
_SLACK = 1 << 16  # what a session may keep beyond what it was sent
_NOT_HERE = (wire.CopyData, wire.CopyDone, wire.CopyFail, wire.PasswordMessage, wire.FunctionCall, wire.Terminate)


class Talk:
    """One session: the client, the relay, and a front that is modelled or mad (`said` is then all that it says)."""

    def __init__(self, said: bytes | None) -> None:
        self.backend, self.model, self.said = FakeBackend(), ModelFront(), said
        self.to_front: list[bytes] = []
        self.relay = Relay(
            self.backend, self.to_front.append, asyncio.get_running_loop().create_future, lambda key: None
        )
        self.seen = bytearray()
        self.fed = 0
        self._front(self.model.greeting())

    async def hear(self, piece: bytes) -> None:
        """Bytes of the client's, and all that follows from them. Raises ProtocolViolation as the relay does."""
        self.fed += len(piece)
        piece = piece[self.relay.pass_on(piece) :]
        work, idle = asyncio.ensure_future(self.relay.client_data(piece)), 0
        try:
            while not work.done() or self.to_front:
                idle = 0 if self.to_front else idle + 1
                while self.to_front:
                    self._answer(self.to_front.pop(0))
                if idle > _PATIENCE:
                    assert self.said is not None, "the relay waits, and the front owes nothing"
                    return
                await asyncio.sleep(0)
            await work
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, wire.ProtocolViolation):
                await work
        assert self.relay.held <= self.fed + _SLACK, "a session keeps no more than it was sent"

    def _answer(self, asked: bytes) -> None:
        if self.said is None:
            self._front(self.model.data(asked))
        else:
            said, self.said = self.said[:64], self.said[64:]
            self._front(said)

    def _front(self, data: bytes) -> None:
        self.fed += len(data)
        self.seen += self.relay.front_data(data)


def target() -> Target:
    """Three bytes: whether the front is mad and how often all is said again, how the stream is cut, how much of it is
    the front's."""
    texts = [text.encode() for text in (*TEXTS, "SET dp.epsilon = 1", "EXECUTE a", "DEALLOCATE ALL", "DISCARD ALL")]
    return Target(try_, change, texts)


_LOOP = asyncio.new_event_loop()


def try_(data: bytes) -> None:
    """Raises AssertionError, or what the relay raises that it does not declare."""
    if len(data) >= _HEAD:
        _LOOP.run_until_complete(_try(data))


async def _try(data: bytes) -> None:
    mad, step, stream = data[0] % 2, 1 + data[1] * 4, data[_HEAD:]
    share = len(stream) * data[2] // 255 if mad else len(stream)
    client, front = stream[:share] * (1 + data[0] // 2 % 4), stream[share:]
    known = None if mad else _known(client)
    talk = Talk(front if mad else None)
    if not mad and known is None:
        return
    try:
        for at in range(0, len(client), step):
            await talk.hear(client[at : at + step])
        if not mad:
            await talk.hear(wire.encode_frontend(wire.Sync()))
    except wire.ProtocolViolation as fault:
        assert str(fault)
        assert mad or not known, "a good client is told that it is none"
        return
    assert all(asked == PRIVATE for asked in talk.backend.charged) or not known, talk.backend.charged
    if known:
        _same(client, talk)


def _known(client: bytes) -> bool | None:
    """Whether the model knows all that is said; None where it cannot take it."""
    reader = wire.FrameReader(wire.FRONTEND_LIMITS, startup=False)
    reader.feed(client)
    try:
        messages = [wire.decode_frontend(frame) for frame in iter(reader.next_frame, None)]
    except wire.ProtocolViolation:
        return None
    texts = [text for each in messages if isinstance(each, wire.Query | wire.Parse) for text in each.sql.split("; ")]
    if any(isinstance(each, _NOT_HERE) for each in messages) or reader.buffered or not all(map(str.split, texts)):
        return None
    names = [name for each in messages for name in _names(each)]
    return set(texts) <= set(TEXTS) and all(name in ("", "a", "b") for name in names) and _plain(messages)


def _names(message: object) -> tuple[str, ...]:
    match message:
        case wire.Parse(name) | wire.Describe(_, name) | wire.Close(_, name) | wire.Execute(name):
            return (name,)
        case wire.Bind(portal, statement):
            return portal, statement
        case _:
            return ()


def _plain(messages: list[wire.FrontendMessage]) -> bool:
    """Without parameters, formats and odd limits, which the model does not look at."""
    for each in messages:
        match each:
            case wire.Parse(types=(_, *_)) | wire.Bind(parameter_formats=(_, *_)) | wire.Bind(parameters=(_, *_)):
                return False
            case wire.Bind(result_formats=(_, *_)):
                return False
            case wire.Execute(max_rows=rows) if rows not in (0, 1):
                return False
            case _:
                pass
    return True


def _same(client: bytes, talk: Talk) -> None:
    """The client sees what the front by itself would say, but for the notices of charges."""
    direct = ModelFront()
    plain = direct.greeting() + direct.data(client + wire.encode_frontend(wire.Sync()))
    assert _messages(plain) == [each for each in _messages(bytes(talk.seen)) if NOTICE not in str(each)]
    assert talk.relay.idle
    assert (talk.model.failed, talk.model.in_block) == (direct.failed, direct.in_block)


def _messages(raw: bytes) -> list[wire.BackendMessage]:
    reader = wire.FrameReader(wire.BACKEND_LIMITS, startup=False)
    reader.feed(raw)
    return [wire.decode_backend(frame) for frame in iter(reader.next_frame, None)]


def _pool() -> list[bytes]:
    names = ("", "a", "b")
    messages: list[wire.FrontendMessage] = [
        *(wire.Parse(name, text, ()) for name in names for text in TEXTS),
        *(wire.Bind(portal, name, (), (), ()) for portal in names for name in names),
        *(wire.Bind("", name, (0,), (b"1",), (1,)) for name in names),
        *(wire.Describe(kind, name) for kind in ("S", "P") for name in names),  # type: ignore[arg-type]
        *(wire.Close(kind, name) for kind in ("S", "P") for name in names),  # type: ignore[arg-type]
        *(wire.Execute(name, rows) for name in names for rows in (0, 1)),
        *(wire.Query("; ".join(pair)) for pair in zip(TEXTS, TEXTS[3:], strict=False)),
        *(
            wire.Query(text)
            for text in (*TEXTS, "EXECUTE a", "DEALLOCATE ALL", "DISCARD ALL", f"PREPARE a AS {PRIVATE}")
        ),
        *(wire.Query(text) for text in ("FETCH 1 FROM a", "SET dp.epsilon = 2", f"DECLARE a CURSOR FOR {PRIVATE}")),
        *(wire.Sync(), wire.Sync(), wire.Sync(), wire.Flush()),
    ]
    return [wire.encode_frontend(each) for each in messages]


_POOL = _pool()
_FRONTS = [
    wire.encode_backend(each)
    for each in (
        wire.ParseComplete(),
        wire.BindComplete(),
        wire.CloseComplete(),
        wire.NoData(),
        wire.ParameterDescription(()),
        wire.RowDescription((wire.ResultField("count", 0, 0, 20, 8, -1, 0),)),
        wire.DataRow((b"7",)),
        wire.DataRow((b"1", b"on", b"off", None, b"42")),
        wire.CommandComplete("SELECT 1"),
        wire.EmptyQueryResponse(),
        wire.PortalSuspended(),
        wire.ReadyForQuery("I"),
        wire.ReadyForQuery("T"),
        wire.ReadyForQuery("E"),
        wire.ErrorResponse(wire.error_fields("ERROR", "42P01", "no", position=3)),
        wire.ErrorResponse(wire.error_fields("FATAL", "57P01", "no")),
        wire.NoticeResponse(wire.error_fields("NOTICE", "00000", "yes")),
        wire.ParameterStatus("client_encoding", "SJIS"),
        wire.ParameterStatus("standard_conforming_strings", "off"),
        wire.BackendKeyData(1, b"abcd"),
        wire.CopyOutResponse(0, (0,)),
        wire.CopyInResponse(0, (0,)),
        wire.CopyData(b"x"),
        wire.CopyDone(),
    )
]


def seeds() -> list[bytes]:
    """Each message by itself, each statement in a conversation, and some before a mad front."""
    whole = [
        b"".join(wire.encode_frontend(each) for each in (wire.Parse("", text, ()), wire.Bind("", "", (), (), ())))
        + wire.encode_frontend(wire.Execute("", 0))
        + wire.encode_frontend(wire.Sync())
        for text in TEXTS
    ]
    asked = [b"\0\xff\0" + each for each in (*_POOL, *whole)]
    mad = [b"\1\xff\x80" + each + b"".join(_FRONTS[:9]) for each in whole]
    return [*asked, *mad]


def change(data: bytes, random: Random, mutate: Mutate) -> bytes:
    """Messages put in, taken out, moved, or changed within, with their lengths set right."""
    head, stream = data[:_HEAD].ljust(_HEAD, b"\0"), data[_HEAD:]
    parts = _parts(stream)
    pool = _FRONTS if head[0] % 2 and random.random() < 0.6 else _POOL
    for _ in range(random.choice((1, 1, 2, 4))):
        at = random.randrange(len(parts) + 1)
        match random.randrange(8):
            case 0 if at < len(parts):
                del parts[at]
            case 1 if at < len(parts):
                parts.insert(random.randrange(len(parts) + 1), parts[at])
            case 2 if at < len(parts):
                payload = mutate(parts[at][5:], len(parts[at]) + 24)
                parts[at] = parts[at][:1] + struct.pack(">i", len(payload) + 4) + payload
            case 3:
                head = bytes([random.randrange(2), random.choice((0, 1, 5, 255)), random.randrange(256)])
            case _:
                parts.insert(at, random.choice(pool))
    return head + b"".join(parts)


def _parts(stream: bytes) -> list[bytes]:
    parts, at = [], 0
    while at < len(stream):
        end = at + 1 + max(int.from_bytes(stream[at + 1 : at + 5], "big"), 4)
        parts.append(stream[at:end].ljust(5, b"\0"))
        at = end
    return parts
