"""Charge, run, release: the order, and what becomes of a charge when something fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from worlds import TERMS

from dpproxy.accounting.loss import Loss
from dpproxy.answer import Account, Rooms, answer
from dpproxy.catalog.model import Catalog
from dpproxy.catalog.types import BIGINT, TEXT
from dpproxy.engines import Ticket
from dpproxy.errors import DPProxyError, EngineFailure, LedgerUnavailable, PrivacyBudgetExceeded, QueryCanceled
from dpproxy.ledger.model import AccountRef, Outcome, Receipt
from dpproxy.mechanisms.model import Distribution, Noise, Sensitivity
from dpproxy.plan.model import (
    Bounded,
    CountOf,
    FromPublic,
    Key,
    Limit,
    Measure,
    MeasureKind,
    Output,
    Plan,
    Post,
    Release,
    ReleasedColumn,
    ViewColumn,
)
from dpproxy.post import arrays, text
from dpproxy.rows import Column, Rows

COUNT = Measure("m0", MeasureKind.ROWS, 0, 1, Decimal(1), Decimal(0), "COUNT(*)")
KEY = Key("k0", TEXT, FromPublic("SELECT dept FROM departments"), "dept")
BOUNDED = Bounded("SELECT bounded", "person", (KEY,), (COUNT,), False, 1, 1, Limit.ONE_ROW)
NOISE = Noise(Distribution.LAPLACE, 1e-9, Sensitivity(1, 1))
PLAN = Plan(
    (Release(BOUNDED, (NOISE,), None, (Output("count", BIGINT, CountOf(0), "COUNT(*)"),)),),
    Post("SELECT post", (ReleasedColumn(0, 0), ReleasedColumn(0, 1)), ("text[]", "bigint[]")),
    Loss(Decimal("0.5"), Decimal(0)),
    Decimal(1),
)
ACCOUNT = Account(AccountRef("alice"), Catalog(), TERMS)


@dataclass
class World:
    """A ledger and an engine that write down what happens to them."""

    log: list[str] = field(default_factory=list)
    charge_fault: DPProxyError | None = None
    run_fault: BaseException | None = None
    alarm_fault: DPProxyError | None = None
    stopped: bool = False
    dialect: str = "duckdb"

    async def charge(self, *_: object) -> Receipt:
        self.log.append("charge")
        if self.charge_fault is not None:
            raise self.charge_fault
        return Receipt(1, PLAN.cost, TERMS.limit - PLAN.cost, self.stopped)

    async def settle(self, _receipt: int, outcome: Outcome) -> None:
        self.log.append(outcome.value)

    async def stop_analyst(self, analyst: str, _reason: str) -> None:
        self.log.append(f"stop {analyst}")
        if self.alarm_fault is not None:
            raise self.alarm_fault

    async def run(self, statements: tuple[str, ...], _ticket: Ticket) -> tuple[Rows, ...]:
        self.log.append("run")
        self.statements = statements
        if self.run_fault is not None:
            raise self.run_fault
        keys = Rows((Column("dept", "text"),), (("cardio",), ("empty",)))
        exact = Rows((Column("k0", "text"), Column("m0", "bigint")), (("cardio", 5),))
        return keys, exact

    def rooms(self) -> Rooms:
        return Rooms(self, self, self.later)  # type: ignore[arg-type]

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.get_running_loop().create_task(work)


async def ask(world: World, rooms: Rooms | None = None) -> tuple[Receipt, tuple[Rows, ...]]:
    try:
        return await answer(rooms or world.rooms(), ACCOUNT, PLAN, "SELECT", Ticket())
    finally:
        await asyncio.sleep(0.01)


async def test_nothing_runs_before_it_is_charged() -> None:
    world = World()
    _, (rows,) = await ask(world)
    assert world.log == ["charge", "run", "answered"]
    assert world.statements == ("SELECT dept FROM departments", "SELECT bounded")
    assert set(rows.rows) == {("cardio", 5), ("empty", 0)}


@pytest.mark.parametrize("fault", [PrivacyBudgetExceeded("spent"), LedgerUnavailable("gone")])
async def test_what_is_not_charged_does_not_run(fault: DPProxyError) -> None:
    world = World(charge_fault=fault)
    with pytest.raises(type(fault)):
        await ask(world)
    assert world.log == ["charge"]


async def test_a_failure_stops_the_analyst_and_is_paid() -> None:
    world = World(run_fault=EngineFailure())
    with pytest.raises(EngineFailure):
        await ask(world)
    assert world.log == ["charge", "run", "stop alice", "failed"]


async def test_the_stopped_are_charged_and_never_reach_the_engine() -> None:
    world = World(stopped=True)
    with pytest.raises(EngineFailure) as caught:
        await ask(world)
    assert world.log == ["charge", "failed"]
    assert caught.value.message == EngineFailure.TEXT


async def test_an_alarm_that_the_ledger_does_not_take_holds_all_the_same() -> None:
    world = World(run_fault=EngineFailure(), alarm_fault=LedgerUnavailable("gone"))
    rooms = world.rooms()
    with pytest.raises(EngineFailure):
        await ask(world, rooms)
    world.run_fault = world.alarm_fault = None
    with pytest.raises(EngineFailure):
        await ask(world, rooms)
    assert world.log == ["charge", "run", "stop alice", "failed", "charge", "stop alice", "failed"]


@pytest.mark.parametrize(
    ("fault", "outcome"), [(QueryCanceled("no"), "canceled"), (asyncio.CancelledError(), "abandoned")]
)
async def test_what_was_cancelled_is_paid(fault: BaseException, outcome: str) -> None:
    world = World(run_fault=fault)
    with pytest.raises(type(fault)):
        await ask(world)
    assert world.log == ["charge", "run", outcome]


def test_arrays_follow_the_inputs() -> None:
    post = Post("", (ViewColumn("budget", "epsilon"), ReleasedColumn(0, 1)), ("numeric[]", "bigint[]"))
    released = Rows((Column("k", "text"), Column("n", "bigint")), (("a", 1), (None, 2)))
    budget = Rows((Column("analyst", "text"), Column("epsilon", "numeric")), (("alice", Decimal("1E+2")),))
    assert arrays(post, (released,), {"budget": budget}) == (("1E+2",), ("1", "2"))


def test_values_are_written_as_any_session_reads_them() -> None:
    written = [text(each) for each in (None, True, date(2024, 1, 2), 0.1, float("inf"), "é", Decimal("NaN"))]
    assert written == [None, "t", "2024-01-02", "0.1", "inf", "é", "NaN"]
    assert text(datetime(2024, 1, 2, 3, tzinfo=UTC)) == "2024-01-02 03:00:00+00:00"
