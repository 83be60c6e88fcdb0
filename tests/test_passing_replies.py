"""What just passes on the way back is counted as a look at each message would; all else takes a run apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.observer import AnswerTally, StatementKind
from dpproxy.session.expected_replies import BOUND, EXECUTED, Forwarded, Refused, Synced
from dpproxy.session.passing_replies import LOOKED_AT, READY, KnownShapes, passing_replies
from dpproxy.session.replies import Replies
from dpproxy.wire import (
    HEADER,
    ErrorResponse,
    NoticeResponse,
    ParameterStatus,
    ProtocolViolation,
    encode_backend,
    error_fields,
)

BOUND_SAID, TAG = b"2\0\0\0\4", b"C\0\0\0\rSELECT 1\0"
ERROR = encode_backend(ErrorResponse(error_fields("ERROR", "22012", "division by zero")))


def message(kind: int, payload: bytes) -> bytes:
    return HEADER.pack(kind, len(payload) + 4) + payload


def answer(value: bytes) -> bytes:
    return BOUND_SAID + message(b"D"[0], b"\0\1\0\0\0" + bytes([len(value)]) + value) + TAG


ROWS = st.lists(st.binary(max_size=3), max_size=4)
STATEMENTS = st.tuples(st.sampled_from([b"", b"1\0\0\0\4", b"3\0\0\0\4", b"n\0\0\0\4"]), ROWS, st.sampled_from(b"CIs"))
ODD = st.tuples(st.integers(0, 255), st.binary(max_size=4)).map(lambda each: message(*each))


def said(statement: tuple[bytes, list[bytes], int]) -> bytes:
    begin, rows, end = statement
    return begin + BOUND_SAID + b"".join(message(b"D"[0], row) for row in rows) + message(end, b"tag\0")


PARTS = st.one_of(
    ODD, STATEMENTS.map(said), st.tuples(STATEMENTS.map(said), st.integers(2, 80)).map(lambda x: x[0] * x[1])
)


@pytest.mark.larger
@given(st.lists(PARTS, max_size=6), st.integers(0, 7), st.integers(0, 12))
@settings(max_examples=sized(200, 1000, 10_000), deadline=None)
def test_they_are_counted_one_by_one(parts: list[bytes], at: int, cut: int) -> None:
    data = bytes(at) + b"".join(parts)
    data = data[: max(len(data) - cut, at)]
    expected, ended, answered = at, 0, 0
    while expected + 5 <= len(data):
        kind, length = HEADER.unpack_from(data, expected)
        if kind in LOOKED_AT + b"Z" or length < 4 or expected + length + 1 > len(data):
            break
        ended += kind in b"123TnCIs"
        answered += kind in b"CIs"
        expected += length + 1
    assert passing_replies(data, at) == (expected, ended, answered)
    known, end = KnownShapes(), READY + b"T"
    for _ in range(3):
        if at == 0 and expected == len(data):
            assert known.counted(data + end) == (ended, answered)
            assert known.counted(data + end + end) == known.counted(data + end + b"T") == (-1, 0)
            assert known.counted(data + READY) == (-1, 0)
        elif data[at - 6 : at - 1] != READY:
            assert known.counted(data) == (-1, 0)


@given(st.lists(ODD, min_size=1, max_size=3), st.integers(0, 40), st.integers(0, 255))
@settings(max_examples=sized(200, 1000, 10_000), deadline=None)
def test_a_form_that_came_before_is_no_other(parts: list[bytes], where: int, byte: int) -> None:
    """One byte more or less, of a header or of a value."""
    known, data = KnownShapes(), bytearray(b"".join(parts) + READY + b"I")
    known.counted(bytes(data))
    data[where % len(data)] = byte
    assert known.counted(bytes(data)) == KnownShapes().counted(bytes(data))


def test_values_are_not_kept_and_forms_are_few() -> None:
    known = KnownShapes()
    for size in range(1, 200):
        for value in (b"a", b"b"):
            assert known.counted(answer(value * size) + READY + b"I") == (2, 1)
    assert all(type(each) is int for shape in known._shapes.values() for each in shape.said)
    for size in range(1, 200):
        for kind in b"CIs" * 2:
            known.counted(message(kind, bytes(size)) + READY + b"I")
    assert len(known._shapes) <= 256


class Heard:
    """An observer, and the replies that it observes, which owe nothing."""

    def __init__(self) -> None:
        self.tally, self.codes = AnswerTally(), list[str]()
        self.replies = Replies(lambda _: None, self)  # type: ignore[arg-type]
        self.replies.receive(READY + b"I")

    def ended(self, _kind: StatementKind, sqlstate: str) -> None:
        self.codes.append(sqlstate)

    def expect(self, *runs: int) -> None:
        """Pipelines of so many statements."""
        self.replies.expect_passing([(*(Forwarded(BOUND), Forwarded(EXECUTED)) * each, Synced()) for each in runs])


@pytest.mark.larger
@given(st.lists(st.integers(1, 90), min_size=1, max_size=4), st.lists(st.integers(1, 900), min_size=1, max_size=20))
@settings(max_examples=sized(100, 400, 4000), deadline=None)
def test_however_they_are_cut(runs: list[int], cuts: list[int]) -> None:
    heard, seen = Heard(), b""
    heard.expect(*runs)
    data = b"".join(b"".join(answer(b"%d" % (value // 7)) for value in range(each)) + READY + b"T" for each in runs)
    at = 0
    while at < len(data):
        for cut in cuts:
            seen += heard.replies.receive(data[at : at + cut])
            at += cut
    assert seen == data
    assert (heard.replies.pending, heard.replies.syncing, heard.tally.answered) == (0, False, sum(runs))
    assert heard.replies.status == ord("T")


@pytest.mark.parametrize("answered", [0, 1, 2, 40])
def test_an_error_ends_a_run_and_no_other(answered: int) -> None:
    heard = Heard()
    heard.expect(41, 2)
    data = answer(b"1") * answered + BOUND_SAID + ERROR + READY + b"E" + answer(b"1") * 2 + READY + b"I"
    assert heard.replies.receive(data) == data
    assert (heard.replies.pending, heard.replies.skipping, heard.replies.status) == (0, False, ord("I"))
    assert (heard.tally.answered, heard.codes) == (answered + 2, ["22012"])


def test_an_error_before_a_run_skips_it() -> None:
    """What was sent before it without a Sync belongs to its pipeline."""
    heard = Heard()
    undone: list[int] = []
    heard.replies.expect(Forwarded(BOUND, undo=lambda: undone.append(1)))
    heard.expect(3, 1)
    rest = READY + b"I" + answer(b"1") + READY + b"I"
    assert heard.replies.receive(ERROR + rest) == ERROR + rest
    assert (heard.replies.pending, undone, heard.tally.answered) == (0, [1], 1)


def test_an_error_before_the_first_message_of_a_run() -> None:
    heard = Heard()
    heard.expect(3)
    assert heard.replies.receive(ERROR) == ERROR
    assert (heard.replies.pending, heard.replies.skipping) == (1, False)
    heard.replies.receive(READY + b"I")
    assert heard.replies.pending == 0


@pytest.mark.parametrize(
    ("between", "shown"),
    [
        (encode_backend(NoticeResponse(error_fields("NOTICE", "00000", "hear"))), True),
        (encode_backend(NoticeResponse(error_fields("LOG", "00000", "not for you"))), False),
        (encode_backend(ParameterStatus("client_encoding", "LATIN1")), True),
    ],
)
@pytest.mark.parametrize("where", [0, 1, 30])
def test_what_comes_at_any_time(between: bytes, shown: bool, where: int) -> None:
    heard = Heard()
    heard.expect(40, 1)
    first, second = answer(b"1") * where, answer(b"1") * (40 - where) + READY + b"I" + answer(b"1") + READY + b"I"
    assert heard.replies.receive(first + between + second) == first + between * shown + second
    assert (heard.replies.pending, heard.tally.answered) == (0, 41)
    assert heard.replies.codec == ("iso8859_1" if b"LATIN1" in between else "utf-8")


def test_what_comes_behind_a_run_is_looked_at() -> None:
    heard = Heard()
    heard.expect(20)
    heard.replies.expect(Refused(b"instead"))
    data = answer(b"1") * 20 + READY + b"I"
    assert heard.replies.receive(data + ERROR) == data + b"instead"


def _raises(data: bytes, pieces: Sequence[int] = ()) -> None:
    heard = Heard()
    heard.expect(20, 20)
    with pytest.raises(ProtocolViolation):
        for begin, end in zip((0, *pieces), (*pieces, len(data)), strict=True):
            heard.replies.receive(data[begin:end])


@pytest.mark.parametrize("pieces", [(), (100,), (31 * 19,)])
def test_a_front_that_answers_too_little_or_too_much(pieces: tuple[int, ...]) -> None:
    _raises(answer(b"1") * 19 + READY + b"I", pieces)
    _raises(answer(b"1") * 21 + READY + b"I", pieces)
    _raises(answer(b"1") * 21 + ERROR, pieces)
    _raises(answer(b"1") * 20 + b"Z\0\0\0\6II", pieces)
    _raises(answer(b"1") * 20 + b"2\0\0\0\3" + READY + b"I", pieces)
