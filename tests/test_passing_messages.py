"""Messages that are known to pass go on as one slice; what else is remembered makes all of them unknown."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized
from test_relay import MESSAGES, NAMES, NOTICE, PRIVATE, FakeBackend, Wire, bound, error, names

from dpproxy.errors import NotPrivate
from dpproxy.session.expected_replies import BOUND, Forwarded, SimpleQuery, Synced
from dpproxy.session.passing_messages import PassingMessages
from dpproxy.session.passing_replies import KnownShapes
from dpproxy.wire import (
    FRONTEND_LIMITS,
    Bind,
    Close,
    Describe,
    Execute,
    Flush,
    FrameLimits,
    FrameReader,
    Parse,
    ProtocolViolation,
    Query,
    Sync,
    encode_frontend,
)

PASSES = (Parse("s", "SELECT 1", ()), Bind("", "s", (), (), ()), Describe("P", ""), Execute("", 0), Sync())


def encoded(*messages: object) -> bytes:
    return b"".join(map(encode_frontend, messages))  # type: ignore[arg-type]


async def known(*messages: object) -> Wire:
    """A session in which these were sent before."""
    wire = Wire()
    await wire.send(*messages)
    return wire


async def test_what_passed_passes_again_in_one_piece() -> None:
    wire = await known(*PASSES, Query("SELECT 1"), Close("P", ""))
    raw = encoded(*PASSES, Query("SELECT 1"), Flush(), Close("P", ""), *PASSES)
    assert wire.relay.pass_on(raw) == len(raw)
    assert wire.to_front == [raw]


async def test_a_bind_is_known_by_its_names_and_not_by_its_values() -> None:
    wire = await known(*PASSES)
    for bind in (Bind("", "s", (1,), (b"x" * 5000, None), (1,)), Bind("", "s", (), (), ())):
        assert wire.relay.pass_on(encoded(bind)) == len(encoded(bind))
    for bind in (Bind("", "t", (), (), ()), Bind("s", "", (), (), ())):
        assert wire.relay.pass_on(encoded(bind)) == 0


async def test_a_run_ends_where_something_is_not_known() -> None:
    wire = await known(*PASSES)
    begin, end = encoded(*PASSES), encoded(*bound(), Sync())
    assert wire.relay.pass_on(begin + end + begin) == len(begin)
    assert wire.relay.pass_on(begin[:-1]) == len(begin) - 5


@pytest.mark.parametrize(
    "between",
    [
        (Parse("s", PRIVATE, ()), Sync()),
        (Parse("t", PRIVATE, ()), Sync()),
        (Parse("", f"EXPLAIN {PRIVATE}", ()), Sync()),
        (Query("PREPARE s AS SELECT count(*) FROM people"),),
    ],
)
async def test_what_is_remembered_makes_all_unknown(between: tuple[object, ...]) -> None:
    wire = await known(*PASSES)
    assert wire.relay.pass_on(encoded(Sync()))
    await wire.send(*between)
    assert wire.relay.pass_on(encoded(*PASSES)) == 0


async def test_a_name_that_is_private_now_is_charged() -> None:
    wire = await known(*PASSES)
    await wire.send(*PASSES[1:])
    await wire.send(Close("S", "s"), Parse("s", PRIVATE, ()), Sync())
    seen = await wire.send(*PASSES[1:])
    assert "NoticeResponse" in names(seen)
    assert wire.backend.charged == [PRIVATE]


async def test_another_policy_makes_all_unknown() -> None:
    wire = await known(*PASSES, Query("SELECT 1"))
    wire.backend.names = replace(NAMES, private=NAMES.private | {"departments"})
    assert wire.relay.pass_on(encoded(Query("SELECT 1"))) == 0


async def test_texts_that_depend_on_settings_are_looked_at_each_time() -> None:
    for sql in (r"SELECT 'a\'", "SELECT 'é'", "SELECT count(*) FROM departments", "SELECT nosuch -- é"):
        wire = await known(Query(sql), Parse("", sql, ()), Sync())
        assert wire.relay.pass_on(encoded(Query(sql))) == 0
        assert wire.relay.pass_on(encoded(Parse("", sql, ()))) == 0


@pytest.mark.parametrize(
    "message",
    [Bind("", "é", (), (), ()), Bind("é", "s", (), (), ()), Describe("S", "é"), Execute("é", 0), Close("P", "é")],
)
async def test_a_name_that_an_encoding_may_change_is_looked_at_each_time(message: object) -> None:
    wire = await known(*PASSES, Parse("é", "SELECT 1", ()), Bind("é", "é", (), (), ()), message, Sync())
    assert wire.relay.pass_on(encoded(message)) == 0


async def test_nothing_passes_while_the_front_skips() -> None:
    wire = await known(*PASSES)
    await wire.send(Parse("", "SELECT nosuch", ()), Flush())
    assert wire.relay.pass_on(encoded(*PASSES)) == 0
    assert names(await wire.send(*PASSES)) == ["ReadyForQuery"]
    assert names(await wire.send(*PASSES[1:]))[0] == "BindComplete"


async def test_refused_in_a_known_run() -> None:
    wire = Wire(FakeBackend(fault=NotPrivate("no", hint="write")))
    await wire.send(*PASSES)
    seen = await wire.send(*PASSES[1:-1], *bound(), *PASSES)
    assert names(seen)[:4] == ["BindComplete", "RowDescription", "DataRow", "CommandComplete"]
    assert error(seen)["C"] == "DP002"


@pytest.mark.parametrize(
    "raw", [b"B\0\0\0\5\0", b"B\0\0\0\4", b"B\0\0\0\6\0s", b"B\0\0\0\3\0s\0", b"B\xff\xff\xff\xff"]
)
async def test_what_is_no_bind_is_not_taken_for_one(raw: bytes) -> None:
    """Bytes of the next message, or of the length, are no names."""
    wire = await known(Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), *PASSES)
    assert wire.relay.pass_on(raw + b"\0\0\0s\0") == 0
    with pytest.raises(ProtocolViolation):
        await wire.relay.client_data(raw + b"\0\0\0s\0")


def test_a_bind_may_be_so_long() -> None:
    passing, bind = PassingMessages(), encode_frontend(Bind("", "s", (), (b"x" * 100,), ()))
    passing.run(b"", 0, NAMES, 1)
    passing.learn_bind(bind, Forwarded(BOUND))
    assert passing.run(bind, 0, NAMES, len(bind) - 5)[1] == len(bind)
    assert passing.run(bind, 0, NAMES, len(bind) - 6)[1] == 0


def test_few_are_kept() -> None:
    passing = PassingMessages()
    for number in range(1000):
        passing.learn(encode_frontend(Query(f"SELECT {number}")), Forwarded(BOUND))
        passing.learn_bind(encode_frontend(Bind("", f"s{number}", (), (), ())), Forwarded(BOUND))
    passing.learn(encode_frontend(Query("SELECT 1" + " " * 2000)), Forwarded(BOUND))
    assert 0 < passing.held < 64 * 200
    for number in range(1000):
        for _ in range(2):
            passing.learn_run(encode_frontend(Query(f"SELECT {number}")), SimpleQuery())
        for name in ("a", "b"):
            bind = encode_frontend(Bind("", name, (), (b"x" * number,), ()))
            passing.learn_run(bind + encoded(Sync()), (Forwarded(BOUND), Synced()))
    assert 256 * 20 < passing.held < 256 * 200
    passing.forget()
    assert passing.held == 0


async def test_a_run_that_came_before_is_kept_whole() -> None:
    wire = await known(*PASSES, Query("SELECT 1"))
    passing = wire.relay._state.passing
    for run in (encoded(*PASSES[1:]), encoded(Query("SELECT 1")), encoded(*PASSES)):
        for _ in range(2):
            assert wire.relay.pass_on(run) == len(run)
        assert passing.known(run, NAMES) is not None
        assert passing.known(run[:-1], NAMES) is None
        assert passing.known(run, replace(NAMES)) is None
    await wire.send(Parse("t", PRIVATE, ()), Sync())
    assert passing.known(encoded(*PASSES[1:]), NAMES) is None


async def test_a_run_that_differs_in_values_is_known() -> None:
    wire = await known(*PASSES, Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), Sync())
    passing, most = wire.relay._state.passing, FRONTEND_LIMITS.caps[b"B"]

    def run(bind: Bind, *others: object) -> bytes:
        return encoded(bind, *(others or PASSES[2:]))

    first, other = (Bind("", "s", (), (value,), ()) for value in (b"one", b"two"))
    assert passing.known(run(other), NAMES) is None
    assert wire.relay.pass_on(run(first)) == len(run(first))
    assert [passing.known(run(other), NAMES)] == passing.run(run(other), 0, NAMES, most)[0]
    for unknown in (
        run(Bind("", "t", (), (b"one",), ())),
        run(Bind("s", "", (), (b"one",), ())),
        run(Bind("", "", (), (b"four",), ())),
        run(Bind("", "s", (), (b"more",), ())),
        run(first, Describe("P", ""), Execute("", 1), Sync()),
        run(first, Describe("S", ""), Execute("", 0), Sync()),
        run(Bind("", "s", (), (b"one", b""), ()), *PASSES[3:], Sync()),
        run(first, *PASSES[2:4], Flush()),
    ):
        assert passing.known(unknown, NAMES) is None


async def test_no_value_looks_like_what_is_behind_it() -> None:
    """Of the same size, a Bind that is longer or shorter, and ends with what a run ended with."""
    wire = await known(Parse("s", "SELECT 1", ()), Bind("", "s", (), (), ()), Execute("", 0), Sync())
    passing, end = wire.relay._state.passing, encoded(Execute("", 0), Sync())
    run = encoded(Bind("", "s", (), (b"x" * 40,), ())) + end
    assert wire.relay.pass_on(run) == len(run)
    longer = encoded(Bind("", "s", (), (b"x" * (40 - len(end)) + end,), ())) + end
    shorter = encoded(Bind("", "s", (), (b"x" * (40 - len(end)),), ())) + end + end
    whole = encoded(Bind("", "s", (), (b"x" * 40 + end,), ()))
    assert len(shorter) == len(run) == len(whole)
    assert passing.known(longer, NAMES) is not None  # the same size of a value, whatever it says
    assert passing.known(shorter, NAMES) is None
    assert passing.known(whole, NAMES) is None


async def test_what_has_no_end_is_not_kept_whole() -> None:
    """The Sync that ends it may come in other bytes."""
    wire = await known(*PASSES)
    passing = wire.relay._state.passing
    for run in (PASSES[1:2], PASSES[1:4], PASSES[3:4], (*PASSES[1:], PASSES[1]), (*PASSES[1:], Sync())):
        for _ in range(3):
            assert wire.relay.pass_on(encoded(*run)) == len(encoded(*run))
        assert passing.known(encoded(*run), NAMES) is None
    wire.relay.pass_on(encoded(Sync()))
    for said in wire.to_front:
        wire.relay.front_data(wire.front.data(said))
    assert wire.relay.resting


@pytest.mark.parametrize("length", [-(2**31), -20, -16, -6, -5, -1, 0, 1, 3, 4, 5, 6, 7, 8, 9, 200, 2**31 - 1])
async def test_a_bind_is_as_long_as_it_says(length: int) -> None:
    """What stands behind it, or before it, is a run that is kept, whichever way its length is read. One that has its
    names passes, and no byte behind it: the front says what it lacks."""
    wire = await known(*PASSES)
    for _ in range(2):
        for run in (encoded(*PASSES[1:]), encoded(Execute("", 0), Sync()), encoded(Sync())):
            wire.relay.pass_on(run)
    raw = b"B" + length.to_bytes(4, "big", signed=True) + encoded(*PASSES[1:])[5:]
    assert wire.relay.pass_on(raw) == (length + 1 if 7 <= length < 10 else 0)
    assert wire.to_front[-1:] == ([raw[: length + 1]] if 7 <= length < 10 else [encoded(Sync())])
    assert wire.relay.pass_on(b"B\0\0") == 0
    if length < 4:
        with pytest.raises(ProtocolViolation):
            await wire.relay.client_data(raw)


PART = (Parse("", "SELECT 1", ()), Bind("", "", (), (b"value",), ()), Execute("", 0))


async def test_a_long_pipeline_passes_in_one_piece() -> None:
    wire = await known(*PART, Sync())
    values = [Bind("", "", (), (b"%05d" % number,), ()) for number in range(300)]
    raw = encoded(*(each for bind in values for each in (PART[0], bind, PART[2])), Sync())
    for _ in range(3):
        wire.seen.clear()
        assert wire.relay.pass_on(raw) == len(raw)
        assert wire.to_front == [raw]
        wire._show(wire.relay.front_data(wire.front.data(wire.to_front.pop())))
        assert names(wire.seen) == ["ParseComplete", "BindComplete", "DataRow", "CommandComplete"] * 300 + [
            "ReadyForQuery"
        ]
        assert wire.relay.idle


@pytest.mark.parametrize("where", [1, 2, 16, 17, 150, 298])
@pytest.mark.parametrize(
    "other",
    [
        (Parse("", PRIVATE[:8], ()), *PART[1:]),
        (Parse("a", "SELECT 1", ()), *PART[1:]),
        (PART[0], Bind("", "p", (), (b"valu",), ()), PART[2]),
        (PART[0], Bind("p", "", (), (b"valu",), ()), PART[2]),
        (*PART[:2], Execute("", 1)),
        (PART[0], PART[1], Describe("P", "\1\1\1\1")),
        (PART[0], Bind("", "", (), (b"other one",), ()), PART[2]),
    ],
)
async def test_what_differs_in_a_long_pipeline_is_looked_at(other: tuple[object, ...], where: int) -> None:
    """But for values, the run ends where it would if there were no other parts."""
    wire = await known(Parse("p", PRIVATE, ()), Sync())
    await wire.send(*PART, Sync())
    one, odd = encoded(*PART), encoded(*other)
    passing, most = wire.relay._state.passing, FRONTEND_LIMITS.caps[b"B"]
    alone = passing.run(odd, 0, NAMES, most)
    found, end = passing.run(one * where + odd + one * (299 - where), 0, NAMES, most)
    whole = alone[1] == len(odd)
    assert end == (len(one) * 299 + len(odd) if whole else len(one) * where + alone[1])
    assert len(found) == (300 * 3 if whole else 3 * where + len(alone[0]))


@pytest.mark.larger
@given(
    st.lists(MESSAGES, min_size=1, max_size=4),
    st.lists(MESSAGES, max_size=2),
    st.integers(0, 40),
    st.integers(0, 40),
    st.booleans(),
)
@settings(max_examples=sized(30, 200, 1000), deadline=None)
def test_long_runs_look_the_same(
    part: list[object], other: list[object], before: int, behind: int, syncs: bool
) -> None:
    """One session knows a part that comes again and again, with something else in between; the other handles each
    message by itself."""
    part = [*part, Sync()] if syncs else part
    messages = [*part * before, *other, *part * behind, Sync()]
    asyncio.run(_again([*part, Sync(), *messages], 1 << 20))


@given(st.lists(MESSAGES, max_size=8), st.lists(st.integers(1, 40), max_size=20))
@settings(max_examples=sized(50, 200, 1000), deadline=None)
def test_frames_are_the_same_however_bytes_are_cut(messages: list[object], cuts: list[int]) -> None:
    raw, limits = encoded(*messages), FrameLimits(FRONTEND_LIMITS.caps)
    whole, pieces = FrameReader(limits, startup=False), FrameReader(limits, startup=False)
    whole.feed(raw)
    expected, found, at = [], [], 0
    while (frame := whole.next_frame()) is not None:
        expected.append(frame)
    for size in [*cuts, len(raw)]:
        piece, at = raw[at : at + size], at + size
        behind = 0
        while behind < len(piece):
            frame, behind = pieces.take(piece, behind)
            found += [] if frame is None else [frame]
    assert found == expected
    assert pieces.buffered == 0


@pytest.mark.larger
@settings(max_examples=sized(100, 400, 4000), deadline=None)
@given(st.lists(MESSAGES, max_size=8), st.lists(MESSAGES, max_size=6), st.integers(1, 60))
def test_what_is_sent_again_looks_the_same(messages: list[object], others: list[object], cut: int) -> None:
    """One session hears a conversation twice, with others before and between, cut anywhere; the other handles each
    message by itself. Both see, are charged and leave behind the same."""
    asyncio.run(_again([*messages, Sync(), *messages, Sync(), *others, Sync(), *messages, Sync()], cut))


async def _again(messages: list[object], cut: int) -> None:
    wire, other = Wire(), Wire()
    other.relay._state.passing.learn = lambda *_: None  # type: ignore[method-assign]
    other.relay._state.passing.learn_bind = lambda *_: None  # type: ignore[method-assign]
    other.relay._pipeline.replies._known = _NoShapes()
    raw = encoded(*messages)
    for each in (wire, other):
        for at in range(0, len(raw), cut * 7):
            await pieces(each, raw[at : at + cut * 7])
    assert [each for each in wire.seen if NOTICE not in str(each)] == [
        each for each in other.seen if NOTICE not in str(each)
    ]
    kept = [
        {name: each for name, each in front.statements.items() if not name.startswith("dpproxy")}
        for front in (wire.front, other.front)
    ]
    assert kept[0] == kept[1]
    assert (wire.front.failed, wire.front.in_block) == (other.front.failed, other.front.in_block)
    assert wire.backend.charged == other.backend.charged
    assert wire.relay.idle


class _NoShapes(KnownShapes):
    def counted(self, data: bytes) -> tuple[int, int]:
        return -1, 0


async def pieces(wire: Wire, raw: bytes) -> None:
    """As a session of the server does it: what passes at once, and then the rest."""
    rest = raw[wire.relay.pass_on(raw) :]
    work = asyncio.ensure_future(wire.relay.client_data(rest))
    while not work.done() or wire.to_front:
        while wire.to_front:
            wire._show(wire.relay.front_data(wire.front.data(wire.to_front.pop(0))))
        await asyncio.sleep(0)
    await work
