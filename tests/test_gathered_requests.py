"""Requests that come while others are under way share a statement; each is told its own, or why not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger.gathered_requests import MOST, GatheredRequests
from dpproxy.ledger.under_way import AT_ONCE, LONG


class Asked:
    """What was asked in each statement; `go` lets one end."""

    def __init__(self, patience: float = 3600.0) -> None:
        self.batches: list[list[int]] = []
        self.go = asyncio.Semaphore(0)
        self.requests = GatheredRequests(self.run, patience)

    async def run(self, asked: Sequence[int]) -> Sequence[str]:
        self.batches.append(list(asked))
        await self.go.acquire()
        if -1 in asked:
            raise LedgerUnavailable("no")
        if -2 in asked:
            raise RuntimeError
        return [str(each) for each in asked]

    async def fill(self) -> list[asyncio.Task[str]]:
        """As many statements as there may be, none of which ends: the second goes when the first takes long."""
        tasks = [task for number in range(AT_ONCE) for task in await self.begin(number)]
        while len(self.batches) < AT_ONCE:
            await asyncio.sleep(0.001)
        return tasks

    async def begin(self, *numbers: int) -> list[asyncio.Task[str]]:
        tasks = [asyncio.create_task(self.requests.ask(each)) for each in numbers]
        for _ in range(5):
            await asyncio.sleep(0)
        return tasks


async def test_those_who_come_meanwhile_share_the_next() -> None:
    asked = Asked()
    first = await asked.fill()
    more = await asked.begin(*range(10, 10 + MOST + 5))
    assert asked.batches == [[number] for number in range(AT_ONCE)]
    for _ in range(AT_ONCE + 2):
        asked.go.release()
    told = await asyncio.gather(*first, *more)
    assert told == [str(each) for each in (*range(AT_ONCE), *range(10, 10 + MOST + 5))]
    assert [len(each) for each in asked.batches[AT_ONCE:]] == [MOST, 5]


async def test_who_asks_at_the_same_moment_shares() -> None:
    asked = Asked()
    asked.go.release()
    assert await asyncio.gather(*(asked.requests.ask(each) for each in range(5))) == list("01234")
    assert asked.batches == [[0, 1, 2, 3, 4]]


async def test_a_failure_is_that_of_its_statement_alone() -> None:
    asked = Asked()
    one, other = await asked.begin(1), await asked.begin(-1, 2)
    asked.go.release()
    asked.go.release()
    assert await one[0] == "1"
    faults = list(await asyncio.gather(*other, return_exceptions=True))
    assert all(isinstance(each, LedgerUnavailable) for each in faults)
    assert faults[0] is not faults[1]
    asked.go.release()
    assert await asked.requests.ask(3) == "3"


async def test_a_fault_is_not_taken_for_a_ledger_that_is_away() -> None:
    """Who goes on without a ledger does not go on with a fault. Nobody waits for ever."""
    asked = Asked()
    waiting = await asked.begin(-2, 2)
    asked.go.release()
    faults = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in faults] == [RuntimeError, RuntimeError]
    asked.go.release()
    assert await asked.requests.ask(3) == "3"


async def test_who_waits_for_what_is_cancelled_is_told() -> None:
    asked = Asked()
    waiting = await asked.begin(1)
    [task] = asked.requests._under_way._tasks
    task.cancel()
    assert [type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)] == [RuntimeError]


async def test_who_is_cancelled_keeps_nobody_back() -> None:
    asked = Asked()
    gone, there = await asked.begin(1, 2)
    gone.cancel()
    asked.go.release()
    assert await there == "2"
    with pytest.raises(asyncio.CancelledError):
        await gone


async def test_who_waits_too_long_is_refused_and_not_sent() -> None:
    """Statements that hang keep those behind them no longer than the ledger's patience."""
    asked = Asked(5 * LONG)
    sent = await asked.fill()
    waiting = await asked.begin(10, 11)
    faults = await asyncio.gather(*sent, *waiting, return_exceptions=True)
    assert [type(each) for each in faults] == [LedgerUnavailable] * (AT_ONCE + 2)
    assert len({id(each) for each in faults}) == len(faults)
    for _ in range(AT_ONCE + 1):
        asked.go.release()
    assert await asked.requests.ask(12) == "12"
    assert asked.batches == [[number] for number in range(AT_ONCE)] + [[12]]
