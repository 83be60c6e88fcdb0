"""One statement at a time is under way to the ledger, and another beside one that takes long."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
import uvloop

from dpproxy.ledger.under_way import AT_ONCE, LONG, UnderWay


class Sent:
    """Who waits, and when each statement was begun; `go` lets one end. wait: for how long who comes may wait."""

    def __init__(self, wait: float = 0.0) -> None:
        self.waiting = 0
        self.begun: list[tuple[int, float]] = []
        self.go = asyncio.Semaphore(0)
        self._until = monotonic() + wait
        self.under_way = UnderWay(self._send, self._wait)

    async def reach(self, statements: int) -> None:
        while len(self.begun) < statements:
            await asyncio.sleep(0.001)

    def come(self, number: int = 1) -> None:
        self.waiting += number
        self.under_way.look()

    def _wait(self) -> float | None:
        return self._until - monotonic() if self.waiting else None

    async def _send(self) -> None:
        self.begun.append((self.waiting, monotonic()))
        self.waiting = 0
        await self.go.acquire()


async def test_those_who_come_meanwhile_share_the_next() -> None:
    sent = Sent()
    sent.come()
    await asyncio.sleep(0)
    for _ in range(3):
        sent.come()
    assert [number for number, _ in sent.begun] == [1] and sent.under_way.count == 1
    sent.go.release()
    await sent.reach(2)
    assert [number for number, _ in sent.begun] == [1, 3]
    sent.go.release()
    await sent.under_way.ended()
    assert sent.under_way.count == 0


async def test_one_that_takes_long_keeps_nobody_behind_it_for_longer() -> None:
    sent = Sent()
    for number in range(AT_ONCE + 1):
        sent.come(number + 1)
        await asyncio.sleep(0)
    await sent.reach(2)
    assert [number for number, _ in sent.begun] == [1, 2 + 3] and sent.under_way.count == AT_ONCE
    (_, first), (_, second) = sent.begun
    assert second - first > LONG / 2
    sent.come()
    await asyncio.sleep(2 * LONG)
    assert len(sent.begun) == AT_ONCE
    for _ in range(3):
        sent.go.release()
    await sent.reach(3)
    assert [number for number, _ in sent.begun] == [1, 5, 1]
    await sent.under_way.ended()


@pytest.mark.parametrize("wait", [0.01, 0.2])
async def test_who_may_be_kept_waiting_is_sent_in_time(wait: float) -> None:
    sent = Sent(wait)
    begun = monotonic()
    for _ in range(5):
        sent.come()
        await asyncio.sleep(0)
    assert not sent.begun
    await sent.reach(1)
    [(number, at)] = sent.begun
    assert number == 5 and at - begun >= wait - 0.005
    sent.go.release()
    await sent.under_way.ended()


async def test_nothing_is_begun_after_the_end() -> None:
    sent = Sent(0.02)
    sent.come()
    await sent.under_way.ended()
    await asyncio.sleep(0.04)
    assert not sent.begun


def test_a_loop_whose_timers_forget_their_moment() -> None:
    """A timer of uvloop's that has run out, and whose callback is still to come, knows its moment no longer."""

    async def crowd() -> None:
        sent = Sent(0.002)
        sent.go = asyncio.Semaphore(10**6)
        until = monotonic() + 0.3
        while monotonic() < until:
            sent._until = monotonic() + 0.002
            sent.come()
            await asyncio.sleep(0.0005)
        while sent.waiting:
            await asyncio.sleep(0.001)

    uvloop.run(crowd())
