"""What plans leave is freed soon after them, and not while one is made."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from dpproxy.answering import planning_thread
from dpproxy.answering.garbage import collect_after_plan
from dpproxy.answering.planning_thread import PlanningThread
from dpproxy.config.sections import AnalystLimits
from dpproxy.engines import Ticket
from dpproxy.errors import QueryCanceled
from dpproxy.interruption import check_wanted


class Tree:
    """Holds itself, as trees do whose nodes know their parents."""

    def __init__(self) -> None:
        self.parent = self


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.fixture
def thread() -> Iterator[PlanningThread]:
    made = PlanningThread(lambda analyst: AnalystLimits(5, 5, 5, 1 << 20))
    yield made
    made.close()


def tree() -> weakref.ref[Tree]:
    return weakref.ref(Tree())


async def test_what_a_plan_left_is_freed_soon(thread: PlanningThread) -> None:
    gc.set_threshold(1_000_000, 5, 5)
    left = await thread.made("alice", Ticket(), tree)
    assert left() is not None
    async with asyncio.timeout(10):
        while left() is not None:
            await asyncio.sleep(0.01)


async def test_a_plan_that_fails_leaves_nothing_either(thread: PlanningThread) -> None:
    gc.set_threshold(1_000_000, 5, 5)
    left = []

    def fail() -> None:
        left.append(tree())
        raise ValueError("no plan")

    with pytest.raises(ValueError, match="no plan"):
        await thread.made("alice", Ticket(), fail)
    async with asyncio.timeout(10):
        while left[0]() is not None:
            await asyncio.sleep(0.01)


async def test_plans_soon_after_one_another_are_collected_after_together(
    thread: PlanningThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[None] = []
    monkeypatch.setattr(planning_thread, "_SOON", 0.2)
    monkeypatch.setattr(planning_thread, "collect_after_plan", lambda: collected.append(None))
    for _ in range(3):
        await thread.made("alice", Ticket(), tree)
    await asyncio.sleep(0.5)
    assert len(collected) == 1


async def test_nothing_is_collected_after_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[None] = []
    monkeypatch.setattr(planning_thread, "collect_after_plan", lambda: collected.append(None))
    thread = PlanningThread(lambda analyst: AnalystLimits(5, 5, 5, 1 << 20))
    await thread.made("alice", Ticket(), tree)
    thread.close()
    await asyncio.sleep(0.05)
    assert not collected


def test_what_was_kept_over_many_plans_is_freed_at_last() -> None:
    gc.set_threshold(1_000_000, 5, 5)
    kept = Tree()
    left = weakref.ref(kept)
    for _ in range(2):
        gc.collect(1)  # it is old now
    del kept
    gc.collect(1)
    assert left() is not None
    for _ in range(30):
        collect_after_plan()
    assert left() is None


async def test_a_plan_that_nobody_wants_ends(thread: PlanningThread) -> None:
    """Whether it is cancelled, or who asked has gone; the next one is made."""

    def endless() -> None:
        while True:
            check_wanted()

    ticket = Ticket()
    asyncio.get_running_loop().call_later(0.05, ticket.cancel)
    with pytest.raises(QueryCanceled):
        await thread.made("alice", ticket, endless)
    gone = asyncio.create_task(thread.made("alice", Ticket(), endless))
    await asyncio.sleep(0.05)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    assert await thread.made("bob", Ticket(), lambda: 42) == 42
