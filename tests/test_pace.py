"""The grid of time: which moments there are, and that whatever comes of a statement leaves at one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from math import log2
from typing import Any

import pytest
import virtual_time
from hypothesis import given
from hypothesis import strategies as st
from test_answer import ACCOUNT as ALICE
from test_answer import PLAN, World

from dpproxy.answer import answer
from dpproxy.engines import Ticket, Work
from dpproxy.engines.canceling import canceled_by
from dpproxy.errors import EngineFailure, EngineUnavailable, QueryCanceled
from dpproxy.rows import Rows
from dpproxy.server.pace import Grid, Paced, moments, next_on_grid

STEPS = st.floats(1e-3, 1e3)
LIMITS = st.floats(1e-3, 1e6)
GRID = Grid(0.2, 8.0)
CLOCKS = ("dpproxy.server.pace.monotonic", "dpproxy.engines.monotonic")


@given(STEPS, LIMITS, st.floats(0, 1e7))
def test_the_next_moment_is_the_first_that_is_not_past(step: float, limit: float, elapsed: float) -> None:
    grid = Grid(step, limit)
    found = next_on_grid(grid, elapsed)
    assert found >= elapsed
    assert found in list(islice(moments(grid), 64))
    assert all(moment < elapsed or moment >= found for moment in islice(moments(grid), 64))
    assert next_on_grid(grid, found) == found


@given(STEPS, LIMITS)
def test_moments_double_up_to_the_last(step: float, limit: float) -> None:
    grid = Grid(step, limit)
    for before, after in pairwise(islice(moments(grid), 64)):
        assert before < after
        assert after == 2 * before or (before < grid.limit and after == grid.last)


@given(STEPS, LIMITS, st.lists(st.floats(0, 1), min_size=1))
def test_the_grid_has_few_moments(step: float, limit: float, shares: list[float]) -> None:
    """However long statements take within the limit, they tell one of as many moments as the claim says."""
    grid = Grid(step, limit)
    told = {next_on_grid(grid, share * grid.last) for share in shares}
    inside = [moment for moment in islice(moments(grid), 64) if moment <= grid.last]
    assert told <= set(inside)
    assert max(inside) == grid.last and all(moment < limit for moment in inside[:-1])
    assert len(inside) <= (1 if step >= limit else log2(limit / step) + 2)


def test_the_limit_has_a_moment_of_its_own() -> None:
    """No other moment is between the limit and its own: what was ended for it leaves there, soon ended or late."""
    assert list(islice(moments(Grid(0.1, 0.5)), 6)) == [0.1, 0.2, 0.4, 2.5, 5.0, 10.0]
    assert len([each for each in islice(moments(Grid(0.1, 60)), 20) if each <= 62]) == 11
    assert list(islice(moments(Grid(60, 60)), 2)) == [62, 124]


@dataclass
class Ended:
    """How a block ended, and after how many seconds."""

    fault: BaseException | None
    after: float


@pytest.fixture(name="run")
def _run(monkeypatch: pytest.MonkeyPatch) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine on the clock of `virtual_time`."""
    return lambda work: virtual_time.run(work, monkeypatch, *CLOCKS)


Run = Callable[[Coroutine[Any, Any, Any]], Any]


async def ended(work: Awaitable[Any]) -> Ended:
    clock = asyncio.get_running_loop().time
    begun = clock()
    try:
        await work
    except BaseException as fault:  # noqa: BLE001 (a cancellation is one of the ends that are compared)
        return Ended(fault, round(clock() - begun, 6))
    return Ended(None, round(clock() - begun, 6))


async def paced(seconds: float, fault: Exception | None, ticket: Ticket, held: list[float] | None = None) -> None:
    """A block that works for so long and then fails, or not."""

    async def work() -> None:
        await asyncio.sleep(seconds)
        if fault is not None:
            raise fault

    async with Paced(GRID, ([] if held is None else held).append).pace("alice", ticket):
        await canceled_by(ticket, work())


async def all_of(*works: Coroutine[Any, Any, Ended]) -> list[Ended]:
    return await asyncio.gather(*works)


ENDS = pytest.mark.parametrize(
    "fault", [None, EngineFailure(), EngineUnavailable()], ids=lambda fault: type(fault).__name__
)


@ENDS
def test_ends_leave_on_the_grid(run: Run, fault: Exception | None) -> None:
    """A block that takes no time and one that takes most of the step end at the same moment, whatever their end is."""
    held: list[float] = []
    found = run(all_of(*(ended(paced(each, fault, Ticket(), held)) for each in (0.0, 0.19, 0.21, 0.39, 7.0, 9.9))))
    assert [each.fault for each in found] == [fault] * 6
    assert [each.after for each in found] == [0.2, 0.2, 0.4, 0.4, 10, 10]
    assert sorted(round(each, 6) for each in held) == [0.01, 0.01, 0.1, 0.19, 0.2, 3]


async def canceled(seconds: float, fault: Exception | None, *at: float) -> Ended:
    ticket = Ticket()
    for each in at:
        asyncio.get_running_loop().call_later(each, ticket.cancel)
    return await ended(paced(seconds, fault, ticket))


@ENDS
def test_a_cancel_tells_nothing_of_what_it_met(run: Run, fault: Exception | None) -> None:
    """One that was done long ago, one that failed, one that works on: all end alike. The first request counts."""
    found = run(all_of(*(canceled(each, fault, 0.05, 0.1) for each in (0.0, 0.04, 0.19, 5.0))))
    assert [(type(each.fault), str(each.fault), each.after) for each in found] == [
        (QueryCanceled, str(found[0].fault), 0.25)
    ] * 4


def test_a_cancel_that_comes_late_takes_effect_soon(run: Run) -> None:
    """One does not wait for a moment that is as far away as the statement is old."""
    assert run(canceled(6.5, None, 6.6)).after == run(canceled(9.5, None, 6.6)).after == 6.8


def test_a_cancel_that_comes_too_late_has_no_effect(run: Run) -> None:
    assert run(canceled(0.1, None, 0.21)) == Ended(None, 0.2)


def test_a_failure_that_was_not_told_is_the_operators(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    fault = EngineFailure()
    fault.__cause__ = MemoryError("Zelda")
    run(canceled(0.0, fault, 0.05))
    assert "MemoryError" in caplog.text and "alice" in caplog.text and "Zelda" not in caplog.text


@pytest.mark.parametrize("seconds", [0.0, 0.1, 5.0])
def test_a_session_that_ends_is_a_cancel(run: Run, seconds: float) -> None:
    """It cancels what it has at work, and then the task: its place stays taken as long, be it done or at work."""

    async def work() -> Ended:
        ticket = Ticket()
        task = asyncio.create_task(ended(paced(seconds, None, ticket)))
        await asyncio.sleep(0.05)
        ticket.cancel()
        task.cancel()
        return await task

    found = run(work())
    assert isinstance(found.fault, asyncio.CancelledError)
    assert found.after == 0.25


def test_nobody_waits_for_the_grid_twice(run: Run) -> None:
    async def work() -> Ended:
        task = asyncio.create_task(ended(paced(0.0, None, Ticket())))
        for _ in range(2):
            await asyncio.sleep(0.05)
            task.cancel()
        return await task

    assert run(work()).after == 0.1


def test_a_proxy_that_ends_waits_for_no_moment(run: Run) -> None:
    stopping = [False]

    async def block() -> None:
        async with Paced(GRID, [].append, lambda: stopping[0]).pace("alice", Ticket()):
            pass

    async def work() -> Ended:
        task = asyncio.create_task(ended(block()))
        await asyncio.sleep(0.05)
        stopping[0] = True
        task.cancel()
        return await task

    assert run(work()).after == 0.05


class Slow(World):
    """A world whose engine takes a while, and may fail then."""

    seconds = 0.0

    async def run(self, work: Work[tuple[Rows, ...]], ticket: Ticket) -> tuple[Rows, ...]:
        async def late() -> tuple[Rows, ...]:
            await asyncio.sleep(self.seconds)
            return await World.run(self, work, ticket)

        return await canceled_by(ticket, late())

    @property
    def seen(self) -> list[str]:
        """What other sessions see: the engine's own part is not among it."""
        return [each for each in self.log if each != "run"]


async def asked(world: Slow, at: float, canceled: float | None = None) -> tuple[list[str], Ended]:
    """What was seen of a statement at a time while it is answered, and how it ends."""
    ticket = Ticket()
    if canceled is not None:
        asyncio.get_running_loop().call_later(canceled, ticket.cancel)
    rooms = replace(world.rooms(), pace=Paced(GRID, [].append).pace)
    task = asyncio.create_task(ended(answer(rooms, ALICE, PLAN, "SELECT", ticket)))
    await asyncio.sleep(at)
    seen = world.seen
    found = await task
    await asyncio.sleep(0.01)
    return seen, found


def slow(seconds: float, fault: Exception | None = None) -> Slow:
    world = Slow(run_fault=fault)
    world.seconds = seconds
    return world


@ENDS
def test_nothing_is_seen_before_its_moment(run: Run, fault: Exception | None) -> None:
    """Neither the outcome in the ledger nor the alarm tells another session that the engine was done."""
    worlds = slow(0.0, fault), slow(0.15, fault)
    told = [run(asked(world, at=0.19)) for world in worlds]
    assert [seen for seen, _ in told] == [["charge"], ["charge"]]
    assert [found.after for _, found in told] == [0.2, 0.2]
    assert worlds[0].seen == worlds[1].seen and len(worlds[0].seen) > 1


def test_a_cancel_is_booked_alike(run: Run) -> None:
    """One that had failed, one that was done, one at work: the outcome is a cancellation, and nobody is stopped."""
    worlds = slow(0.0, EngineFailure()), slow(0.0), slow(5.0)
    ends = [run(asked(world, at=0.0, canceled=0.05))[1] for world in worlds]
    assert [(type(each.fault), each.after) for each in ends] == [(QueryCanceled, 0.25)] * 3
    assert [world.seen for world in worlds] == [["charge", "canceled"]] * 3
