"""Parts of a run that come again are those that a look at each message finds, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.wire import HEADER, LONG, Repeated, repetitions

PARTS = st.lists(st.tuples(st.sampled_from(b"2DC"), st.binary(max_size=5)), min_size=1, max_size=3)


def message(kind: int, payload: bytes) -> bytes:
    return HEADER.pack(kind, len(payload) + 4) + payload


def headers(part: list[tuple[int, bytes]]) -> bytes:
    return b"".join(b"\xff" * HEADER.size + bytes(len(payload)) for _, payload in part)


def said(part: list[tuple[int, bytes]]) -> bytes:
    return b"".join(message(*each) for each in part)


@pytest.mark.larger
@given(PARTS, st.lists(st.integers(0, 255), max_size=60), PARTS, st.integers(0, 40), st.integers(0, 20))
@settings(max_examples=sized(100, 400, 4000), deadline=None)
def test_repetitions_are_counted(
    part: list[tuple[int, bytes]], values: list[int], other: list[tuple[int, bytes]], more: int, cut: int
) -> None:
    """Values differ, and what comes then may be the same for a while, or begin in the middle."""
    same = [[(kind, bytes([value]) * len(payload)) for kind, payload in part] for value in values]
    data = b"<" + said(part) + b"".join(map(said, same)) + said(other) * more
    begin, end = 1, 1 + len(said(part))
    data = data[: len(data) - min(cut, len(data) - end)]
    found = repetitions(data, begin, end, headers(part))
    expected, at = 0, end
    while at + end - begin <= len(data) and all(
        data[at + i] == data[begin + i] for i, fixed in enumerate(headers(part)) if fixed
    ):
        expected, at = expected + 1, at + end - begin
    few = (len(data) - end) // (end - begin) < 16
    assert found == (0 if few else expected)


@pytest.mark.parametrize("where", range(6))
@pytest.mark.parametrize("which", [0, 1, 17, 99])
def test_one_byte_that_is_fixed_ends_them(where: int, which: int) -> None:
    part = b"D\0\0\0\6ab"
    data = bytearray(part * 101)
    data[len(part) * (1 + which) + where] ^= 1
    found = repetitions(bytes(data), 0, len(part), b"\xff" * 5 + b"\0\0")
    assert found == (which if where < 5 else 100)


def test_no_more_are_compared_at_once_than_so_many() -> None:
    part = b"1\0\0\0\4"
    assert repetitions(part * 5000, 0, 5, b"\xff" * 5) == 512


def test_a_look_in_vain_is_not_soon_made_again() -> None:
    looks: list[int] = []

    def fixed(_data: bytes, begin: int, end: int) -> bytes:
        looks.append(begin)
        return b"\xff" * (end - begin)

    data = b"".join(b"%05d" % number for number in range(5 * LONG))
    repeated = Repeated(data, fixed)
    assert not any(repeated.after(at, at + 5) for at in range(0, len(data) - 5, 5))
    assert len(looks) < 20


def test_what_comes_again_later_is_found() -> None:
    data = b"".join(b"%05d" % number for number in range(100)) + b"again" * 100
    repeated, at, found = Repeated(data, lambda _, begin, end: b"\xff" * (end - begin)), 0, []
    while at < len(data):
        found.append(repeated.after(at, at + 5))
        at += 5 + 5 * found[-1]
    assert max(found) > 50
