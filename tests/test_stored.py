"""What was paid for is told again; what was not is charged: over a store, a ledger and an engine that write down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import pytest
from test_answer import ACCOUNT, PLAN, World, of, table

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.answering.answer import Answer, answer, price
from dpproxy.answering.stored import StoredReleases
from dpproxy.engines import Ticket
from dpproxy.errors import EngineFailure, LedgerUnavailable, PrivacyBudgetExceeded, QueryCanceled
from dpproxy.ledger.release_store import StoredOrClaimed, StoredRelease
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Plan, Post
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rows import Rows

assert PLAN.time is not None

NOW = datetime(2026, 11, 22, tzinfo=UTC)
FIRST = of("SELECT first")
SECOND = of("SELECT second")
READS = of("SELECT reads $r0c0", inputs=(ReleasedColumn(0, 0),))
POST = Post("SELECT post", (), ())


@dataclass
class FakeStore:
    """One analyst's releases; `claimed` are those that were taken and neither put nor dropped."""

    bodies: dict[bytes, str] = field(default_factory=dict)
    claimed: set[bytes] = field(default_factory=set)
    stopped: bool = False
    fault: Exception | None = None

    async def take(self, analyst: str, keys: Sequence[bytes]) -> StoredOrClaimed:
        assert analyst == "alice"
        if self.fault is not None:
            raise self.fault
        if self.stopped:
            return StoredOrClaimed({}, stopped=True)
        there = await self.peek(analyst, keys)
        self.claimed |= set(keys) - set(there)
        return StoredOrClaimed(there, stopped=False)

    async def peek(self, analyst: str, keys: Sequence[bytes]) -> Mapping[bytes, StoredRelease]:
        assert analyst == "alice"
        return {key: StoredRelease(self.bodies[key], NOW) for key in keys if key in self.bodies}

    async def put(self, analyst: str, releases: Mapping[bytes, str]) -> None:
        assert analyst == "alice"
        self.bodies |= releases
        self.claimed -= set(releases)

    async def drop(self, analyst: str, keys: Sequence[bytes]) -> None:
        assert analyst == "alice"
        self.claimed -= set(keys)


@dataclass
class Charging(World):
    """A world that also writes down what each charge was."""

    costs: list[Loss] = field(default_factory=list)

    async def charge(self, *given: object) -> object:  # type: ignore[override]
        cost = given[1]
        assert isinstance(cost, Loss)
        self.costs.append(cost)
        return await super().charge(*given)


def world(**rows: Rows) -> Charging:
    made = Charging()
    made.rows = {f"SELECT {text.replace('_', ' ')}": each for text, each in rows.items()}
    return made


def planned(*releases: object, fresh: bool = False) -> Plan:
    return replace(PLAN, releases=releases, post=POST, fresh=fresh)  # type: ignore[arg-type]


async def ask(at: Charging, store: FakeStore, plan: Plan, ticket: Ticket | None = None) -> Answer:
    try:
        stored = StoredReleases(store, b"policy")  # type: ignore[arg-type]
        return await answer(at.resources(), stored, ACCOUNT, plan, "SELECT", ticket or Ticket())
    finally:
        await asyncio.sleep(0.01)


async def test_asked_again_it_is_the_same_and_free() -> None:
    at, store, plan = world(first=table((5,))), FakeStore(), planned(FIRST)
    once = await ask(at, store, plan)
    again = await ask(at, store, plan)
    assert once.receipt is not None and not once.again
    assert again.receipt is None and again.again == {0: NOW}
    assert again.released == once.released
    assert at.log == ["charge", "run", "answered"]
    assert not store.claimed


async def test_fresh_is_paid_again_and_takes_its_place() -> None:
    at, store = world(first=table((5,))), FakeStore()
    await ask(at, store, planned(FIRST))
    at.rows["SELECT first"] = table((7,))
    fresh = await ask(at, store, planned(FIRST, fresh=True))
    later = await ask(at, store, planned(FIRST))
    assert at.costs == [PLAN.cost] * 2
    assert fresh.receipt is not None
    assert later.receipt is None
    assert later.released == fresh.released


async def test_a_part_costs_what_it_loses() -> None:
    at, store = world(first=table((5,)), second=table((6,))), FakeStore()
    await ask(at, store, planned(FIRST))
    told = await ask(at, store, planned(FIRST, SECOND))
    part = lost([SECOND], PLAN.time, Accounting.ZCDP)
    assert at.costs == [PLAN.cost, part]
    assert set(told.again) == {0}
    assert [query.sql for query in at.queries] == ["SELECT first", "SELECT second"]
    cost, epsilon = price(planned(FIRST, SECOND), {0: told.released[0]}, Accounting.ZCDP)
    assert cost == part
    assert epsilon**2 / 2 >= part.main
    assert price(planned(FIRST), {}, Accounting.ZCDP) == (PLAN.cost, PLAN.epsilon)


async def test_what_reads_a_stored_release_is_found_and_what_reads_a_new_one_is_new() -> None:
    rows = table((5,))
    at, store = world(first=rows), FakeStore()
    at.rows["SELECT reads $r0c0"] = table((3,))
    both = planned(FIRST, READS)
    once = await ask(at, store, both)
    again = await ask(at, store, both)
    assert again.receipt is None
    assert again.released == once.released
    at.rows["SELECT first"] = table((9,))
    await ask(at, store, planned(FIRST, fresh=True))  # now the earlier one is another
    third = await ask(at, store, both)
    assert set(third.again) == {0}
    assert at.costs == [PLAN.cost, PLAN.cost, lost([READS], PLAN.time, Accounting.ZCDP)]


@pytest.mark.parametrize(
    ("fault", "charged"),
    [
        (PrivacyBudgetExceeded("short"), False),
        (LedgerUnavailable("away"), False),
        (EngineFailure(), True),
        (QueryCanceled("canceled"), True),
        (asyncio.CancelledError(), True),
    ],
)
async def test_what_fails_leaves_no_claim_and_no_release(fault: BaseException, charged: bool) -> None:
    at, store = world(first=table((5,))), FakeStore()
    if charged:
        at.run_fault = fault
    else:
        at.charge_fault = fault  # type: ignore[assignment]
    with pytest.raises(type(fault)):
        await ask(at, store, planned(FIRST))
    assert not store.claimed
    assert not store.bodies
    assert ("run" in at.log) == charged


async def test_nothing_is_told_again_to_who_is_stopped() -> None:
    at, store = world(first=table((5,))), FakeStore()
    await ask(at, store, planned(FIRST))
    store.stopped = at.was_stopped = True
    with pytest.raises(EngineFailure):
        await ask(at, store, planned(FIRST))
    assert len(at.costs) == 2


async def test_nothing_is_told_again_to_who_must_be_stopped() -> None:
    at, store = world(first=table((5,))), FakeStore()
    await ask(at, store, planned(FIRST))
    resources = at.resources()
    resources.unsaid.add("alice")
    with pytest.raises(EngineFailure):
        await answer(resources, StoredReleases(store, b"policy"), ACCOUNT, planned(FIRST), "SELECT", Ticket())  # type: ignore[arg-type]


async def test_a_release_that_cannot_be_read_leaves_no_claim() -> None:
    at, store = world(first=table((5,)), second=table((6,))), FakeStore()
    await ask(at, store, planned(FIRST))
    store.bodies = dict.fromkeys(store.bodies, "{}")
    with pytest.raises(KeyError):
        await ask(at, store, planned(FIRST, SECOND))
    assert not store.claimed


async def test_without_the_store_nothing_is_answered() -> None:
    at, store = world(first=table((5,))), FakeStore(fault=LedgerUnavailable("away"))
    with pytest.raises(LedgerUnavailable):
        await ask(at, store, planned(FIRST))
    assert not at.log


async def test_who_waits_for_another_can_be_cancelled() -> None:
    @dataclass
    class Busy(FakeStore):
        async def take(self, analyst: str, keys: Sequence[bytes]) -> StoredOrClaimed:
            await asyncio.Event().wait()
            raise AssertionError

    at, ticket = world(first=table((5,))), Ticket()
    asyncio.get_running_loop().call_later(0.05, ticket.cancel)
    with pytest.raises(QueryCanceled):
        await ask(at, Busy(), planned(FIRST), ticket)
    assert not at.log
