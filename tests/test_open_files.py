"""A proxy asks for as many open files as its sessions take."""

from __future__ import annotations

import resource

import pytest

from dpproxy.server.open_files import make_room


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What the process may have, as a list that asking changes."""
    now = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: now[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: now.append(pair))
    return now


def test_as_many_as_are_needed(limits: list[tuple[int, int]]) -> None:
    assert make_room(100, 120)
    assert limits == [(1024, 4096)]
    assert make_room(1000, 1020)
    assert limits[-1] == (3220, 4096)


def test_no_more_than_there_may_be(limits: list[tuple[int, int]], caplog: pytest.LogCaptureFixture) -> None:
    assert not make_room(2000, 2020)
    assert limits[-1] == (4096, 4096)
    assert "server.max_connections: is 2000" in caplog.text


def test_where_there_is_no_limit(limits: list[tuple[int, int]]) -> None:
    limits.append((1024, resource.RLIM_INFINITY))
    assert make_room(100_000, 0)
    limits.append((resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert make_room(100_000, 0)
