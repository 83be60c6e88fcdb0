"""Deadlines and delays on a virtual clock: what comes of a statement, and when, is told by its noised time alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
import virtual_time
from test_answer import ACCOUNT as ALICE
from test_answer import PLAN, World

from dpproxy.answering.answer import answer
from dpproxy.answering.deadlines import CANCELING, ENDING, Deadlines, DrawnNoise
from dpproxy.answering.queue import QueueShare, StatementQueue
from dpproxy.answering.resources import AnalystAccount
from dpproxy.engines import Ticket, Work
from dpproxy.engines.canceling import canceled_by
from dpproxy.errors import EngineFailure, EngineUnavailable, QueryCanceled, StatementTimeout
from dpproxy.ledger.records import AccountRef
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import TICKS, TimeNoise
from dpproxy.observer import UNOBSERVED, Unobserved
from dpproxy.plan.timing import MARGIN, Schedule, Speed
from dpproxy.rows import Rows

CLOCKS = ("dpproxy.answering.deadlines.monotonic", "dpproxy.engines.monotonic")


def times(margin: float | None, limit: float = 8.0) -> Schedule:
    """One unit's work is a second, so a tick is a thousandth; the margin is in seconds."""
    noise = Noise(Distribution.LAPLACE, 100.0, Sensitivity(1, TICKS + 1))
    return Schedule(TimeNoise(noise, None if margin is None else round(margin * TICKS)), 1.0, limit)


def drawing(monkeypatch: pytest.MonkeyPatch, ticks: int) -> None:
    """From now on the noise of time is this."""
    monkeypatch.setattr(DrawnNoise, "one", lambda *_: ticks)


DELAYED, AT_ONCE = times(0.2), times(None)


@dataclass
class Ended:
    """How a block ended, and after how many seconds."""

    fault: BaseException | None
    after: float


@pytest.fixture(name="run")
def _run(monkeypatch: pytest.MonkeyPatch) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine on the clock of `virtual_time`; what is drawn is 0."""
    drawing(monkeypatch, 0)
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


class Held(Unobserved):
    """Writes down how long each answer was kept back."""

    def __init__(self, seconds: list[float]) -> None:
        self.seconds = seconds

    def held(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def paced(
    seconds: float, fault: Exception | None, ticket: Ticket, held: list[float] | None = None, made: Schedule = DELAYED
) -> None:
    """A block that works for so long and then fails, or not."""

    async def work() -> None:
        await asyncio.sleep(seconds)
        if fault is not None:
            raise fault

    async with Deadlines(Held([] if held is None else held)).block("alice", ticket, made):
        await canceled_by(ticket, work())


async def all_of(*works: Coroutine[Any, Any, Ended]) -> list[Ended]:
    return await asyncio.gather(*works)


ENDS = pytest.mark.parametrize(
    "fault", [None, EngineFailure(), EngineUnavailable()], ids=lambda fault: type(fault).__name__
)


@ENDS
@pytest.mark.parametrize("drawn", [0, 700, -150, -300])
def test_ends_leave_at_the_noised_time(
    run: Run, monkeypatch: pytest.MonkeyPatch, fault: Exception | None, drawn: int
) -> None:
    """Whatever the end is; and never before it is there, though the noise be below the margin."""
    drawing(monkeypatch, drawn)
    held: list[float] = []
    found = run(all_of(*(ended(paced(each, fault, Ticket(), held)) for each in (0.0, 0.19, 1.0))))
    delay = max(0.0, 0.2 + drawn / TICKS)
    assert [each.fault for each in found] == [fault] * 3
    assert [each.after for each in found] == [pytest.approx(each + delay) for each in (0.0, 0.19, 1.0)]
    assert held == [pytest.approx(delay)] * 3


def test_nothing_leaves_before_all_could_be_done(run: Run) -> None:
    """Where one row decides whether tables are read: long or short, it leaves when that is over, and delayed."""
    made = replace(DELAYED, least=3.0)
    found = run(all_of(*(ended(paced(each, None, Ticket(), made=made)) for each in (0.0, 2.9, 3.1))))
    assert [each.after for each in found] == [3.2, 3.2, pytest.approx(3.3)]


@ENDS
@pytest.mark.parametrize("drawn", [0, 700, -700])
def test_the_deadline_has_the_noise_of_the_moment(
    run: Run, monkeypatch: pytest.MonkeyPatch, fault: Exception | None, drawn: int
) -> None:
    """The noised time decides: what is past the limit by it has timed out, done or failed, and leaves at one moment."""
    drawing(monkeypatch, drawn)
    deadline = 8.0 - drawn / TICKS
    made = times(1.0)
    works = (deadline - 0.001, deadline + 0.001, deadline + 0.9)
    inside, outside, later = run(all_of(*(ended(paced(each, fault, Ticket(), made=made)) for each in works)))
    assert (inside.fault, inside.after) == (fault, pytest.approx(9.0 - 0.001))
    for each in (outside, later):
        assert isinstance(each.fault, StatementTimeout)
        assert each.after == pytest.approx(9.0 + ENDING)


@pytest.mark.parametrize("drawn", [0, 700, -700])
def test_the_block_is_told_its_deadline(run: Run, monkeypatch: pytest.MonkeyPatch, drawn: int) -> None:
    drawing(monkeypatch, drawn)
    told: list[float] = []

    async def block(made: Schedule) -> None:
        async with Deadlines().block("alice", Ticket(), made) as seconds:
            told.append(seconds)

    for made in (DELAYED, AT_ONCE):
        run(block(made))
    assert told == [8.0 - drawn / TICKS] * 2


@ENDS
def test_without_a_delay_ends_leave_at_once(run: Run, fault: Exception | None) -> None:
    """But for what is past its deadline: that has timed out, be there an answer or not."""
    found = run(all_of(*(ended(paced(each, fault, Ticket(), made=AT_ONCE)) for each in (0.0, 0.5, 8.1))))
    assert [each.after for each in found] == [0.0, 0.5, 8.1]
    assert [each.fault for each in found[:2]] == [fault] * 2
    assert isinstance(found[2].fault, StatementTimeout)


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
        (QueryCanceled, str(found[0].fault), 0.05 + CANCELING)
    ] * 4


def test_each_statement_draws_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise that two statements of a session share would be told by the difference of their times."""
    drawn: list[int] = []

    async def work() -> None:
        pace = Deadlines()
        for _ in range(3):
            async with pace.block("alice", Ticket(), DELAYED):
                pass

    def next_draw(*_: object) -> int:
        drawn.append(-100 * len(drawn))
        return drawn[-1]

    monkeypatch.setattr(DrawnNoise, "one", next_draw)
    held = virtual_time.run(ended(work()), monkeypatch, *CLOCKS)
    assert drawn == [0, -100, -200]
    assert held.fault is None and held.after == pytest.approx(0.2 + 0.1, abs=1e-6)


def test_noise_that_was_drawn_before_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each number that was drawn is told to one statement, and none to statements of another noise."""
    drawn: dict[TimeNoise, list[int]] = {}

    def release(noise: TimeNoise, exact: Sequence[int]) -> list[int]:
        assert set(exact) == {0}
        known = drawn.setdefault(noise, [])
        known += range(len(known), len(known) + len(exact))
        return known[-len(exact) :]

    monkeypatch.setattr(TimeNoise, "release", release)
    draws, noises = DrawnNoise(), [times(margin).noise for margin in (None, 0.2, 0.3)]
    told = [(noise, draws.one(noise)) for _ in range(100) for noise in noises]
    assert len(set(told)) == len(told)
    assert all(number in drawn[noise] for noise, number in told)


@pytest.mark.parametrize("drawn", [0, 300])
def test_a_cancel_is_decided_against_the_noised_moment(run: Run, monkeypatch: pytest.MonkeyPatch, drawn: int) -> None:
    """Not against the true end: what is done and kept back is cancelled, and what has left is not."""
    drawing(monkeypatch, drawn)
    leaves = 0.1 + 0.2 + drawn / TICKS
    before, after = run(all_of(canceled(0.1, None, leaves - 0.001), canceled(0.1, None, leaves + 0.001)))
    assert isinstance(before.fault, QueryCanceled)
    assert after == Ended(None, pytest.approx(leaves))


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
    assert found.after == 0.05 + CANCELING


def test_nobody_waits_for_the_moment_twice(run: Run) -> None:
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
        async with Deadlines(UNOBSERVED, lambda: stopping[0]).block("alice", Ticket(), DELAYED):
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

    async def run(self, work: Work[tuple[Rows, ...]], ticket: Ticket, seconds: float | None) -> tuple[Rows, ...]:
        async def late() -> tuple[Rows, ...]:
            await asyncio.sleep(self.seconds)
            return await World.run(self, work, ticket, seconds)

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
    resources = replace(
        world.resources(), deadline=Deadlines().block, speed=Speed(8.0, 1.0 / (MARGIN * PLAN.work.operations))
    )
    plan = replace(PLAN, time=DELAYED.noise)
    task = asyncio.create_task(ended(answer(resources, None, ALICE, plan, "SELECT", ticket)))
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
    assert [found.after for _, found in told] == [0.2, pytest.approx(0.35)]
    assert worlds[0].seen == worlds[1].seen and len(worlds[0].seen) > 1


class Begun(Slow):
    """Writes down when each is charged, and when the engine begins with it."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.moments: list[tuple[str, float]] = []

    async def charge(self, *given: object) -> Any:
        self.moments.append(("charge", round(asyncio.get_running_loop().time(), 6)))
        return await super().charge(*given)

    async def run(self, work: Work[tuple[Rows, ...]], ticket: Ticket, seconds: float | None) -> tuple[Rows, ...]:
        self.moments.append(("run", round(asyncio.get_running_loop().time(), 6)))
        return await super().run(work, ticket, seconds)


@ENDS
def test_a_place_is_free_at_the_noised_moment(run: Run, fault: Exception | None) -> None:
    """Who waits, charged, begins when the one before leaves, and not when the engine is done with it: whose time that
    is told by the noise alone."""

    async def both(world: Begun, bob: AnalystAccount) -> list[Ended]:
        queue = StatementQueue(1, lambda _: QueueShare(1, 9))
        resources = replace(
            world.resources(),
            place=queue.place,
            deadline=Deadlines().block,
            speed=Speed(8.0, 1.0 / (MARGIN * PLAN.work.operations)),
        )
        plan = replace(PLAN, time=DELAYED.noise)
        asked = (answer(resources, None, each, plan, "SELECT", Ticket()) for each in (ALICE, bob))
        return await all_of(*map(ended, asked))

    for seconds in (0.0, 0.15):
        world = Begun(run_fault=fault)
        world.seconds = seconds
        found = run(both(world, replace(ALICE, ref=AccountRef("bob"))))
        leaves = pytest.approx(0.2 + seconds)
        assert [at for name, at in world.moments if name == "charge"] == [0.0, 0.0]
        assert [at for name, at in world.moments if name == "run"] == [0.0, leaves]
        assert [each.after for each in found] == [leaves, pytest.approx(2 * (0.2 + seconds))]


def test_a_cancel_is_booked_alike(run: Run) -> None:
    """One that had failed, one that was done, one at work: the outcome is a cancellation, and nobody is stopped."""
    worlds = slow(0.0, EngineFailure()), slow(0.0), slow(5.0)
    ends = [run(asked(world, at=0.0, canceled=0.05))[1] for world in worlds]
    assert [(type(each.fault), each.after) for each in ends] == [(QueryCanceled, 0.05 + CANCELING)] * 3
    assert [world.seen for world in worlds] == [["charge", "canceled"]] * 3


def test_what_runs_out_of_time_stops_nobody(run: Run) -> None:
    """An ordinary outcome, charged, whether the engine failed after its deadline or would have answered."""
    for fault in (None, EngineFailure()):
        world = slow(9.0, fault)
        _, found = run(asked(world, at=0.0))
        assert isinstance(found.fault, StatementTimeout)
        assert world.seen == ["charge", "timed out"]
