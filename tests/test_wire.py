"""The wire: every message there and back, hostile bytes, frames however they are cut, recorded clients."""

from __future__ import annotations

import itertools
import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy import wire
from dpproxy.wire import backend, frontend, startup
from dpproxy.wire.encodings import _CODECS

FAST = settings(max_examples=sized(40, 150, 1500), deadline=None, suppress_health_check=[HealthCheck.too_slow])
CLIENTS = Path(__file__).parents[2] / "shared" / "clients"

text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
name = text.filter(bool)
data = st.binary(max_size=30)
value = st.none() | data
int16 = st.integers(-(2**15), 2**15 - 1)
int32 = st.integers(-(2**31), 2**31 - 1)
uint16 = st.integers(0, 2**16 - 1)
oid = st.integers(0, 2**32 - 1)
key = st.binary(min_size=4, max_size=256)
kind = st.sampled_from("SP")
diagnostics = st.lists(st.tuples(st.characters(min_codepoint=1, max_codepoint=127), text), max_size=6).map(tuple)
columns = st.builds(wire.ResultField, text, oid, int16, oid, int16, int32, int16)


def tuples(item: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(item, max_size=5).map(tuple)


ARGUMENTS: dict[type, tuple[st.SearchStrategy[Any], ...]] = {
    wire.StartupMessage: (st.just(3), uint16, tuples(st.tuples(name, text))),
    wire.SSLRequest: (),
    wire.GSSENCRequest: (),
    wire.CancelRequest: (int32, key),
    wire.Query: (text,),
    wire.Parse: (text, text, tuples(oid)),
    wire.Bind: (text, text, tuples(int16), tuples(value), tuples(int16)),
    wire.Describe: (kind, text),
    wire.Close: (kind, text),
    wire.Execute: (text, int32),
    wire.Sync: (),
    wire.Flush: (),
    wire.Terminate: (),
    wire.PasswordMessage: (data,),
    wire.CopyData: (data,),
    wire.CopyDone: (),
    wire.CopyFail: (text,),
    wire.FunctionCall: (data,),
    wire.AuthenticationOk: (),
    wire.AuthenticationCleartext: (),
    wire.AuthenticationMD5: (st.binary(min_size=4, max_size=4),),
    wire.AuthenticationSASL: (tuples(name),),
    wire.AuthenticationSASLContinue: (data,),
    wire.AuthenticationSASLFinal: (data,),
    wire.NegotiateProtocolVersion: (uint16, tuples(text)),
    wire.ParameterStatus: (text, text),
    wire.BackendKeyData: (int32, key),
    wire.ReadyForQuery: (st.sampled_from("ITE"),),
    wire.RowDescription: (tuples(columns),),
    wire.DataRow: (tuples(value),),
    wire.CommandComplete: (text,),
    wire.EmptyQueryResponse: (),
    wire.PortalSuspended: (),
    wire.ParseComplete: (),
    wire.BindComplete: (),
    wire.CloseComplete: (),
    wire.ParameterDescription: (tuples(oid),),
    wire.NoData: (),
    wire.ErrorResponse: (diagnostics,),
    wire.NoticeResponse: (diagnostics,),
    wire.CopyInResponse: (st.integers(0, 255), tuples(int16)),
    wire.CopyOutResponse: (st.integers(0, 255), tuples(int16)),
    wire.CopyBothResponse: (st.integers(0, 255), tuples(int16)),
    wire.NotificationResponse: (int32, text, text),
    wire.FunctionCallResponse: (data,),
}


def members(union: Any) -> tuple[type, ...]:
    return tuple(m for each in get_args(union) for m in (members(each) or (each,)))


def messages(union: Any) -> st.SearchStrategy[Any]:
    return st.one_of([st.builds(each, *ARGUMENTS[each]) for each in members(union)])


def open_startup(frame: wire.Frame) -> Any:
    return wire.decode_startup(frame.payload)


# One direction each: union, encoder, decoder of a frame, a fresh reader.
DIRECTIONS: dict[str, tuple[Any, Callable[..., bytes], Callable[[wire.Frame], Any], Callable[[], wire.FrameReader]]] = {
    "startup": (
        wire.StartupPacket,
        wire.encode_startup,
        open_startup,
        lambda: wire.FrameReader(wire.FRONTEND_LIMITS, True),
    ),
    "frontend": (
        wire.FrontendMessage,
        wire.encode_frontend,
        wire.decode_frontend,
        lambda: wire.FrameReader(wire.FRONTEND_LIMITS, False),
    ),
    "backend": (
        wire.BackendMessage,
        wire.encode_backend,
        wire.decode_backend,
        lambda: wire.FrameReader(wire.BACKEND_LIMITS, False),
    ),
}
EVERY = [
    pytest.param(direction, each, id=each.__name__)
    for direction in DIRECTIONS
    for each in members(DIRECTIONS[direction][0])
]


def only_frame(reader: wire.FrameReader, raw: bytes) -> wire.Frame:
    reader.feed(raw)
    frame = reader.next_frame()
    assert frame is not None
    assert frame.raw == raw
    assert reader.next_frame() is None
    assert reader.buffered == 0
    return frame


def drain(reader: wire.FrameReader) -> list[wire.Frame]:
    return list(iter(reader.next_frame, None))


def allowed(decode: Callable[[], Any]) -> Any:
    """Run a decoder that may answer, or refuse with a text; anything else is a bug."""
    try:
        return decode()
    except wire.ProtocolViolation as refusal:
        assert str(refusal)
        return None


def test_tables_hold_exactly_the_unions() -> None:
    assert set(startup._BY_CLASS) == set(members(wire.StartupPacket))
    assert set(frontend._BY_CLASS) == set(members(wire.FrontendMessage))
    assert set(backend._BY_CLASS) == set(members(wire.BackendMessage))
    assert set(frontend._BY_KIND) | {b""} == set(wire.FRONTEND_LIMITS.caps)
    assert set(backend._BY_KIND) | {b"R"} == set(wire.BACKEND_LIMITS.caps)
    assert len(frontend._BY_KIND) == len(frontend._SHAPES)
    assert len(backend._BY_KIND) == len(backend._SHAPES)


# ---- there and back


@pytest.mark.parametrize(("direction", "make"), EVERY)
@pytest.mark.larger
@settings(max_examples=sized(20, 40, 400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_round_trip(direction: str, make: type, draw: st.DataObject) -> None:
    _, encode, decode, reader = DIRECTIONS[direction]
    message = make(*[draw.draw(argument) for argument in ARGUMENTS[make]])
    assert decode(only_frame(reader(), encode(message))) == message


@pytest.mark.parametrize(
    ("message", "raw"),
    [
        (wire.Query("select 1"), b"Q\0\0\0\x0dselect 1\0"),
        (wire.Parse("s", "x", (23,)), b"P\0\0\0\x0es\0x\0\0\x01\0\0\0\x17"),
        (
            wire.Bind("", "s", (1,), (b"\0\x07", None), (0,)),
            b"B\0\0\0\x1b\0s\0\0\x01\0\x01\0\x02\0\0\0\x02\0\x07\xff\xff\xff\xff\0\x01\0\0",
        ),
        (wire.Describe("S", "s"), b"D\0\0\0\x07Ss\0"),
        (wire.Execute("", 0), b"E\0\0\0\x09\0\0\0\0\0"),
        (wire.Sync(), b"S\0\0\0\x04"),
    ],
)
def test_bytes_of_frontend_messages(message: wire.FrontendMessage, raw: bytes) -> None:
    assert wire.encode_frontend(message) == raw


@pytest.mark.parametrize(
    ("message", "raw"),
    [
        (wire.AuthenticationOk(), b"R\0\0\0\x08\0\0\0\0"),
        (wire.AuthenticationSASL(("SCRAM-SHA-256",)), b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0"),
        (wire.ReadyForQuery("I"), b"Z\0\0\0\x05I"),
        (wire.DataRow((b"1", None)), b"D\0\0\0\x0f\0\x02\0\0\0\x011\xff\xff\xff\xff"),
        (wire.NegotiateProtocolVersion(2, ("_pq_.x",)), b"v\0\0\0\x13\0\x03\0\x02\0\0\0\x01_pq_.x\0"),
        (wire.ErrorResponse((("S", "ERROR"), ("C", "42601"))), b"E\0\0\0\x13SERROR\0C42601\0\0"),
        (
            wire.RowDescription((wire.ResultField("a", 0, 0, 20, 8, -1, 1),)),
            b"T\0\0\0\x1a\0\x01a\0\0\0\0\0\0\0\0\0\0\x14\0\x08\xff\xff\xff\xff\0\x01",
        ),
    ],
)
def test_bytes_of_backend_messages(message: wire.BackendMessage, raw: bytes) -> None:
    assert wire.encode_backend(message) == raw


def test_bytes_of_startup_packets() -> None:
    assert wire.encode_startup(wire.SSLRequest()) == bytes.fromhex("0000000804d2162f")
    assert wire.encode_startup(wire.GSSENCRequest()) == bytes.fromhex("0000000804d21630")
    assert wire.encode_startup(wire.CancelRequest(5, b"abcd")) == bytes.fromhex("0000001004d2162e00000005") + b"abcd"
    assert wire.encode_startup(wire.StartupMessage(3, 2, (("user", "al"),))) == b"\0\0\0\x11\0\x03\0\x02user\0al\0\0"


def test_a_bind_has_up_to_65535_parameters() -> None:
    bind = wire.Bind("", "", (), (b"1",) * 65535, ())
    frame = wire.Frame(b"B", wire.encode_frontend(bind)[5:])
    assert wire.decode_frontend(frame) == bind
    with pytest.raises(wire.ProtocolViolation, match="65536 does not fit"):
        wire.encode_frontend(wire.Bind("", "", (), (b"1",) * 65536, ()))


def test_text_is_in_the_session_encoding() -> None:
    raw = wire.encode_frontend(wire.Query("é"), "iso8859_1")
    assert raw == b"Q\0\0\0\x06\xe9\0"
    assert wire.decode_frontend(wire.Frame(b"Q", raw[5:]), "iso8859_1") == wire.Query("é")
    with pytest.raises(wire.UndecodableText, match="not valid utf-8"):
        wire.decode_frontend(wire.Frame(b"Q", raw[5:]))
    with pytest.raises(wire.UndecodableText, match="does not have"):
        wire.encode_frontend(wire.Query("€"), "iso8859_1")


def test_error_fields_are_in_order() -> None:
    assert "".join(code for code, _ in wire.error_fields("ERROR", "DP001", "m", "d", "h", 7)) == "SVCMDHP"
    assert wire.error_fields("ERROR", "DP001", "m", position=7)[-1] == ("P", "7")
    assert wire.error_fields("NOTICE", "00000", "m") == (("S", "NOTICE"), ("V", "NOTICE"), ("C", "00000"), ("M", "m"))


@pytest.mark.larger
@FAST
@given(name, value)
def test_sasl_initial_response(mechanism: str, first: bytes | None) -> None:
    assert wire.decode_sasl_initial(wire.encode_sasl_initial(mechanism, first).payload) == (mechanism, first)


# ---- hostile bytes


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.larger
@FAST
@given(st.data())
def test_random_bytes(direction: str, draw: st.DataObject) -> None:
    _, _, decode, reader = DIRECTIONS[direction]
    kinds = sorted(wire.FRONTEND_LIMITS.caps | wire.BACKEND_LIMITS.caps)
    payload = draw.draw(st.binary(max_size=80))
    frame = wire.Frame(draw.draw(st.sampled_from(kinds)), payload)
    allowed(lambda: decode(frame))
    allowed(lambda: wire.decode_sasl_initial(payload))
    stream = reader()
    stream.feed(payload)
    for each in allowed(lambda: drain(stream)) or []:
        allowed(lambda each=each: decode(each))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.larger
@settings(max_examples=sized(100, 400, 4000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_mutated_messages(direction: str, draw: st.DataObject) -> None:
    union, encode, decode, reader = DIRECTIONS[direction]
    raw = bytearray(encode(draw.draw(messages(union))))
    for _ in range(draw.draw(st.integers(1, 3))):
        at, end = sorted(draw.draw(st.tuples(st.integers(0, len(raw)), st.integers(0, len(raw)))))
        raw[at : min(end, at + 4)] = draw.draw(
            st.binary(max_size=4) | st.sampled_from([b"\xff" * 4, b"\x80\0\0\0", b"\0"])
        )
    stream = reader()
    stream.feed(bytes(raw))
    for frame in allowed(lambda: drain(stream)) or []:
        allowed(lambda frame=frame: decode(frame))
    header = 4 if direction == "startup" else 5
    mutated = wire.Frame(bytes(raw[: header - 4]), bytes(raw[header:]))
    message = allowed(lambda: decode(mutated))
    if message is not None and not isinstance(message, wire.NegotiateProtocolVersion):
        assert encode(message)[header:] == mutated.payload, "two payloads of one message"


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.larger
@FAST
@given(st.data())
def test_truncated_and_padded_messages(direction: str, draw: st.DataObject) -> None:
    union, encode, decode, _ = DIRECTIONS[direction]
    message = draw.draw(messages(union))
    header = 4 if direction == "startup" else 5
    raw = encode(message)
    kind_byte, payload = raw[: header - 4], raw[header:]
    opaque = (
        isinstance(message, wire.CancelRequest | wire.BackendKeyData)
        or not ARGUMENTS[type(message)]
        or any(argument is data for argument in ARGUMENTS[type(message)])
    )
    for cut in range(len(payload)):
        if not opaque:
            with pytest.raises(wire.ProtocolViolation):
                decode(wire.Frame(kind_byte, payload[:cut]))
        allowed(lambda cut=cut: decode(wire.Frame(kind_byte, payload[:cut])))
    if not opaque or not ARGUMENTS[type(message)]:
        with pytest.raises(wire.ProtocolViolation):
            decode(wire.Frame(kind_byte, payload + b"\0"))


@pytest.mark.parametrize(
    ("kind_byte", "payload", "says"),
    [
        (b"Q", b"select 1", "closing NUL"),
        (b"Q", b"select\x001\0", "2 bytes too many"),
        (b"Q", b"\xff\0", "not valid utf-8"),
        (b"P", b"s\0x\0\0\x02\0\0\0\x17", "8 bytes expected, 4 left"),
        (b"P", b"s\0x\0\xff\xff", "262140 bytes expected"),
        (b"B", b"\0\0\0\0\0\x01\xff\xff\xff\xfe\0\0", "value of length -2"),
        (b"B", b"\0\0\0\0\0\x01\x7f\xff\xff\xff\0\0", "2147483647 bytes expected, 2 left"),
        (b"D", b"Xs\0", "one of 'SP'"),
        (b"E", b"\0\0\0", "4 bytes expected, 2 left"),
        (b"S", b"\0", "Sync message, offset 0: 1 bytes too many"),
        (b"z", b"", "unknown frontend message"),
        (b"", b"", "unknown frontend message"),
    ],
)
def test_malformed_frontend(kind_byte: bytes, payload: bytes, says: str) -> None:
    with pytest.raises(wire.ProtocolViolation, match=says):
        wire.decode_frontend(wire.Frame(kind_byte, payload))


@pytest.mark.parametrize(
    ("kind_byte", "payload", "says"),
    [
        (b"R", b"", "unsupported authentication request"),
        (b"R", b"\0\0\0\x07", "unsupported authentication request 00000007"),
        (b"R", b"\0\0\0\x05abc", "3 bytes where 4 to 4"),
        (b"Z", b"X", "one of 'ITE'"),
        (b"E", b"SERROR\0", "without its closing zero byte"),
        (b"v", b"\0\x03\0\0\xff\xff\xff\xff", "closing NUL"),
        (b"K", b"\0\0\0\x01abc", "3 bytes where 4 to 256"),
        (b"B", b"", "unknown backend message"),
    ],
)
def test_malformed_backend(kind_byte: bytes, payload: bytes, says: str) -> None:
    with pytest.raises(wire.ProtocolViolation, match=says):
        wire.decode_backend(wire.Frame(kind_byte, payload))


@pytest.mark.parametrize(
    ("payload", "says", "sqlstate"),
    [
        (b"", "the least is 4", "08P01"),
        (b"\0\x02\0\0", "unsupported frontend protocol 2.0", "0A000"),
        (b"\x04\xd2\x16\x31", "unsupported frontend protocol 1234", "0A000"),
        (b"\0\x03\0\0", "without its closing zero byte", "08P01"),
        (b"\0\x03\0\0user\0\0", "without its closing zero byte", "08P01"),
        (b"\0\x03\0\0user\0al\0\0x", "1 bytes too many", "08P01"),
        (b"\0\x03\0\0user\0\xff\0\0", "not valid utf-8", "22021"),
        (b"\x04\xd2\x16\x2fx", "1 bytes too many", "08P01"),
        (b"\x04\xd2\x16\x2e\0\0\0\x01abc", "3 bytes where 4 to 256", "08P01"),
    ],
)
def test_malformed_startup(payload: bytes, says: str, sqlstate: str) -> None:
    with pytest.raises(wire.ProtocolViolation, match=says) as raised:
        wire.decode_startup(payload)
    assert raised.value.sqlstate == sqlstate


def test_options_of_the_protocol_stay_among_the_parameters() -> None:
    payload = b"\0\x03\0\x02user\0al\0_pq_.command_tag\x001\0client_encoding\0'utf-8'\0\0"
    parameters = (("user", "al"), ("_pq_.command_tag", "1"), ("client_encoding", "'utf-8'"))
    assert wire.decode_startup(payload) == wire.StartupMessage(3, 2, parameters)


@pytest.mark.parametrize(
    "message",
    [
        wire.Query("select 1\0drop"),
        wire.Parse("a\0b", "x", ()),
        wire.Execute("", 2**31),
        wire.Describe("X", ""),  # type: ignore[arg-type]
        wire.CopyFail("\udcff"),
    ],
)
def test_what_cannot_be_sent_is_refused(message: wire.FrontendMessage) -> None:
    with pytest.raises(wire.ProtocolViolation):
        wire.encode_frontend(message)


@pytest.mark.parametrize(
    "message",
    [
        wire.ReadyForQuery("II"),
        wire.ReadyForQuery(""),
        wire.AuthenticationSASL(("",)),
        wire.BackendKeyData(1, b"abc"),
        wire.ErrorResponse((("\0", "x"),)),
        wire.ErrorResponse((("M", "a\0b"),)),
    ],
)
def test_what_a_server_cannot_send_is_refused(message: wire.BackendMessage) -> None:
    with pytest.raises(wire.ProtocolViolation):
        wire.encode_backend(message)


def test_an_empty_parameter_name_cannot_end_the_startup_packet_early() -> None:
    with pytest.raises(wire.ProtocolViolation, match="empty name"):
        wire.encode_startup(wire.StartupMessage(3, 0, (("", "x"), ("user", "root"))))


# ---- frames


@pytest.mark.parametrize("direction", ["frontend", "backend"])
@pytest.mark.larger
@FAST
@given(st.data())
def test_cutting_does_not_matter(direction: str, draw: st.DataObject) -> None:
    union, encode, decode, reader = DIRECTIONS[direction]
    sent = draw.draw(st.lists(messages(union), max_size=8))
    raw = b"".join(map(encode, sent))
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(raw)), max_size=10)))
    pieces = [raw[a:b] for a, b in zip([0, *cuts], [*cuts, len(raw)], strict=True)]
    for cutting in ([raw], [raw[i : i + 1] for i in range(len(raw))], pieces):
        stream, got = reader(), []
        for piece in cutting:
            stream.feed(piece)
            got += drain(stream)
        assert [decode(frame) for frame in got] == sent
        assert b"".join(frame.raw for frame in got) == raw
        assert stream.buffered == 0


@pytest.mark.larger
@FAST
@given(tuples(messages(wire.BackendMessage)), st.integers(0, 40), st.binary(max_size=5))
def test_split_frames_agrees_with_the_reader(sent: tuple[Any, ...], cut: int, before: bytes) -> None:
    whole = before + b"".join(map(wire.encode_backend, sent))
    raw = whole[: max(len(before), len(whole) - cut)]
    reader = wire.FrameReader(wire.BACKEND_LIMITS, False)
    reader.feed(raw[len(before) :])
    expected = drain(reader)
    for buffer in (raw, bytearray(raw)):
        found, behind = wire.split_frames(buffer, len(before))
        assert [bytes(buffer[begin:end]) for _, begin, end in found] == [frame.raw for frame in expected]
        assert [bytes([kind_byte]) for kind_byte, _, _ in found] == [frame.kind for frame in expected]
        assert behind == len(raw) - reader.buffered


@pytest.mark.larger
@FAST
@given(st.binary(max_size=60))
@example(b"D\0\0\0\x03")
@example(b"D\xff\xff\xff\xff")
@example(b"D\x80\0\0\0")
def test_split_frames_of_random_bytes(raw: bytes) -> None:
    answer = allowed(lambda: wire.split_frames(raw, 0))
    if answer is not None:
        found, behind = answer
        assert [begin for _, begin, _ in found] + [behind] == [0] + [end for _, _, end in found]
        assert behind <= len(raw)


@pytest.mark.parametrize("length", [3, 0, -1, -2, -(2**31)])
def test_split_frames_refuses_lengths_below_four(length: int) -> None:
    with pytest.raises(wire.ProtocolViolation, match="the least is 4"):
        wire.split_frames(wire.encode_backend(wire.NoData()) + b"D" + struct.pack(">i", length) + b"x" * 9, 0)


def test_startup_ends_with_the_packet_that_does_not_ask_for_encryption() -> None:
    session = wire.StartupMessage(3, 0, (("user", "al"),))
    sent: list[wire.StartupPacket] = [wire.GSSENCRequest(), wire.SSLRequest(), session]
    reader = wire.FrameReader(wire.FRONTEND_LIMITS, True)
    reader.feed(b"".join(map(wire.encode_startup, sent)) + wire.encode_frontend(wire.Sync()))
    got = drain(reader)
    assert [wire.decode_startup(frame.payload) for frame in got[:3]] == sent
    assert [frame.kind for frame in got] == [b"", b"", b"", b"S"]


def test_bytes_before_tls_are_dropped() -> None:
    reader = wire.FrameReader(wire.FRONTEND_LIMITS, True)
    reader.feed(
        wire.encode_startup(wire.SSLRequest()) + wire.encode_startup(wire.StartupMessage(3, 0, (("user", "eve"),)))
    )
    assert reader.next_frame() is not None
    assert reader.buffered > 0
    reader.discard()
    assert reader.buffered == 0
    assert reader.next_frame() is None
    reader.feed(wire.encode_startup(wire.StartupMessage(3, 0, (("user", "al"),))))
    frame = reader.next_frame()
    assert frame is not None
    assert wire.decode_startup(frame.payload) == wire.StartupMessage(3, 0, (("user", "al"),))


@pytest.mark.parametrize("limits", [wire.FRONTEND_LIMITS, wire.BACKEND_LIMITS], ids=["frontend", "backend"])
def test_caps_hold_at_the_header(limits: wire.FrameLimits) -> None:
    for kind_byte, cap in limits.caps.items():
        for size, refused in ((cap, False), (cap + 1, True), (-1, True), (-5, True), (2**31 - 5, True)):
            reader = wire.FrameReader(limits, kind_byte == b"")
            reader.feed(kind_byte + struct.pack(">i", size + 4))
            if refused:
                for _ in range(2):
                    with pytest.raises(wire.ProtocolViolation, match=r"at most|the least is 4"):
                        reader.next_frame()
            else:
                assert reader.next_frame() is None


@pytest.mark.parametrize("limits", [wire.FRONTEND_LIMITS, wire.BACKEND_LIMITS], ids=["frontend", "backend"])
def test_unknown_kinds_are_refused(limits: wire.FrameLimits) -> None:
    for number in range(256):
        if bytes([number]) not in limits.caps:
            reader = wire.FrameReader(limits, False)
            reader.feed(bytes([number]) + b"\0\0\0\x04")
            with pytest.raises(wire.ProtocolViolation, match="unknown message"):
                reader.next_frame()


def test_limits_cannot_be_changed_behind_their_back() -> None:
    caps = {b"Q": 10}
    limits = wire.FrameLimits(caps)
    caps[b"Q"] = 20
    assert limits.caps[b"Q"] == 10
    with pytest.raises(TypeError):
        limits.caps[b"Q"] = 30  # type: ignore[index]
    assert wire.FrameLimits() == wire.FRONTEND_LIMITS


def many_at_once(size: int) -> None:
    reader = wire.FrameReader(wire.BACKEND_LIMITS, False)
    reader.feed(wire.encode_backend(wire.NoData()) * size)
    while reader.next_frame() is not None:
        pass


def split_at_once(size: int) -> None:
    wire.split_frames(wire.encode_backend(wire.NoData()) * size, 0)


def decode_at_once(size: int) -> None:
    row = wire.encode_backend(wire.ErrorResponse((("M", "x"),) * size))
    wire.decode_backend(wire.Frame(b"E", row[5:]))


def seconds(work: Callable[[int], None], size: int) -> float:
    begin = time.process_time()
    work(size)
    return time.process_time() - begin


def growth(work: Callable[[int], None], size: int, times: int) -> float:
    """How many times longer `work` takes for `times` as much."""
    return seconds(work, size * times) / min(seconds(work, size) for _ in range(5))


@pytest.mark.parametrize(("work", "size"), [(many_at_once, 8_000), (split_at_once, 32_000), (decode_at_once, 8_000)])
def test_work_is_linear_in_bytes(work: Callable[[int], None], size: int) -> None:
    """Linear work grows 32 times, quadratic 300 and more; a busy machine has the room between, four times over."""
    assert any(growth(work, size, 32) < 32 * 5 for _ in range(4))


def seconds_by_the_byte(buffered: int) -> float:
    """CPU time of 3000 bytes fed one by one on top of the `buffered` first bytes of a message."""
    reader = wire.FrameReader(wire.BACKEND_LIMITS, False)
    reader.feed(b"d" + struct.pack(">i", 4 + buffered + 3000) + b"x" * buffered)

    def work(count: int) -> None:
        for _ in range(count):
            reader.next_frame()
            reader.feed(b"x")

    taken = seconds(work, 3000)
    assert reader.next_frame() is not None
    return taken


def test_a_byte_costs_the_same_however_much_is_buffered() -> None:
    """Copying what is buffered costs hundreds of times more; the first feed may move it once."""
    few = min(seconds_by_the_byte(0) for _ in range(5))
    assert any(seconds_by_the_byte(16 << 20) < 50 * few for _ in range(4))


# ---- arrays and encodings


def read_array(literal: str) -> list[str | None]:
    """Elements of a one-dimensional array literal, by the grammar of PostgreSQL's array_in; written for this test."""
    assert literal[0] == "{"
    assert literal[-1] == "}"
    elements: list[str | None] = []
    at = 1
    while at < len(literal) - 1:
        if literal[at] == '"':
            at, chars = at + 1, []
            while literal[at] != '"':
                at += literal[at] == "\\"
                chars.append(literal[at])
                at += 1
            elements.append("".join(chars))
            at += 1
        else:
            assert literal[at : at + 4] == "NULL"
            elements.append(None)
            at += 4
        assert literal[at] in ",}"
        at += 1
    return elements


AWKWARD = ["", "null", "NULL", '"', "\\", '\\"', "{", "}", "{}", ",", " ", "\t\n", " a ", "é", "a,b", None, "'", "\\\\"]


@pytest.mark.larger
@FAST
@given(st.lists(st.none() | text | st.sampled_from(AWKWARD)))
@example(AWKWARD)
@example([])
def test_text_array(values: list[str | None]) -> None:
    assert read_array(wire.text_array(values).decode()) == values


def test_text_array_literals() -> None:
    assert wire.text_array([]) == b"{}"
    assert wire.text_array([None, "", "null", 'a"b\\c']) == b'{NULL,"","null","a\\"b\\\\c"}'
    assert wire.text_array(["é"], "iso8859_1") == b'{"\xe9"}'
    with pytest.raises(wire.ProtocolViolation, match="NUL"):
        wire.text_array(["a\0b"])
    with pytest.raises(wire.UndecodableText):
        wire.text_array(["€"], "iso8859_1")


@pytest.mark.parametrize(
    ("spelling", "codec"),
    [
        ("'utf-8'", "utf-8"),
        ("UTF8", "utf-8"),
        ('"Unicode"', "utf-8"),
        ("latin1", "iso8859_1"),
        ("LATIN5", "iso8859_9"),
        ("LATIN9", "iso8859_15"),
        ("ISO_8859_8", "iso8859_8"),
        ("SQL_ASCII", "utf_8"),
        ("WIN1252", "cp1252"),
        ("EUC_JP", "euc_jp"),
        ("SJIS", "cp932"),
        ("KOI8R", "koi8_r"),
        ("EUC_TW", "ascii"),
        ("MULE_INTERNAL", "ascii"),
        ("JOHAB", "ascii"),
        ("SHIFT_JIS_2004", "ascii"),
    ],
)
def test_python_codec(spelling: str, codec: str) -> None:
    assert wire.python_codec(spelling) == codec


@pytest.mark.parametrize("spelling", ["", "utf16", "rot13", "idna", "utf-7", "wİn"])
def test_unknown_encodings(spelling: str) -> None:
    with pytest.raises(wire.UnknownEncoding, match="client_encoding") as raised:
        wire.python_codec(spelling)
    assert raised.value.sqlstate == "22023"


@pytest.mark.long
@pytest.mark.parametrize("codec", sorted(set(_CODECS.values())))
def test_codecs_keep_ascii(codec: str) -> None:
    """Quotes and backslashes must mean here what they mean to the server, and no character may bring a NUL."""
    raw = bytes(range(128))
    assert raw.decode(codec) == raw.decode("ascii")
    assert raw.decode("ascii").encode(codec) == raw
    assert not [char for char in map(chr, range(1, 0xD800)) if b"\0" in char.encode(codec, "ignore")]


# ---- recorded clients


def recorded() -> list[Any]:
    files = sorted(CLIENTS.glob("*.jsonl"))
    return [pytest.param(file, id=file.stem) for file in files] or [
        pytest.param(None, marks=pytest.mark.skip("the recordings are not at hand"))
    ]


def parameter(recorded_value: str | None) -> bytes | None:
    if recorded_value is None:
        return None
    if recorded_value.startswith("hex:"):
        return bytes.fromhex(recorded_value[4:])
    return recorded_value.encode()


def startup_of(line: dict[str, Any]) -> wire.StartupMessage:
    major, minor = map(int, line["version"].split("."))
    return wire.StartupMessage(major, minor, tuple(line["params"].items()))


def pipeline_of(line: dict[str, Any]) -> list[wire.FrontendMessage]:
    if line["proto"] == "simple":
        return [wire.Query(line["sql"])]
    parse = wire.Parse("", line["sql"], tuple(line["oids"]))
    if "params" not in line:
        return [parse, wire.Describe("S", ""), wire.Sync()]
    formats, results = tuple(line["pfmt"]), tuple(line["rfmt"])
    bind = wire.Bind("", "", formats, tuple(map(parameter, line["params"])), results)
    return [parse, bind, wire.Describe("P", ""), wire.Execute("", 0), wire.Sync()]


@pytest.mark.parametrize("file", recorded())
def test_recorded_sessions(file: Path) -> None:
    for line in map(json.loads, file.read_text().splitlines()):
        if line["proto"] == "startup":
            packet = startup_of(line)
            reader = wire.FrameReader(wire.FRONTEND_LIMITS, True)
            assert wire.decode_startup(only_frame(reader, wire.encode_startup(packet)).payload) == packet
            encoding = dict(packet.parameters).get("client_encoding", "UTF8")
            assert wire.python_codec(encoding) == "utf-8"
        else:
            reader = wire.FrameReader(wire.FRONTEND_LIMITS, False)
            sent = pipeline_of(line)
            reader.feed(b"".join(map(wire.encode_frontend, sent)))
            assert [wire.decode_frontend(frame) for frame in drain(reader)] == sent


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from(b"DdTCZN"), st.integers(0, 20))), st.integers(0, 12))
def test_rows_end_where_another_kind_begins(messages: list[tuple[int, int]], cut: int) -> None:
    raw = b"".join(struct.pack(">Bi", kind, 4 + size) + bytes(size) for kind, size in messages)
    raw = raw[: max(len(raw) - cut, 0)]
    frames, end = wire.split_frames(raw, 0)
    for _, alike in itertools.groupby(frames, lambda each: each[0]):
        run = list(alike)
        assert {wire.rows_end(raw, begin) for _, begin, _ in run} == {run[-1][2]}
    assert wire.rows_end(raw, end) == end
