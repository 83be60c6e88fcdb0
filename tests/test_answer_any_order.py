"""Charge, run, release, in that order: what happens when any step of it fails or is cancelled, at any await.

`answer` does no IO of its own, so it is driven by hand here: each await of a fake is a `Point`, at which the test goes
on, raises, or cancels. No event loop is there, so every order of events is one that the test chose.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Generator, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from worlds import TERMS
from worlds import plan as planned

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Loss
from dpproxy.answering.answer import Answer, answer
from dpproxy.answering.public_keys import public_texts
from dpproxy.answering.resources import AnalystAccount, Resources
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery, EngineSchema, Ticket, Work
from dpproxy.errors import EngineFailure, LedgerUnavailable, PrivacyBudgetExceeded, QueryCanceled
from dpproxy.ledger.records import AccountRef, Outcome, Receipt
from dpproxy.plan.losses import dominating
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.rows import Column, Rows

EVERYBODY = 400
STATEMENT = "SELECT count(*) FROM people"
GROUPED = "SELECT d.building, count(*) FROM visits v JOIN departments d ON d.dept = v.dept GROUP BY d.building"
ALICE = AccountRef("alice")
# What an engine may raise against its contract. Each may be a fact about the data, so none may be told apart.
SURPRISES = (ValueError("a row"), TypeError(), KeyError("k0"), RuntimeError(), MemoryError(), OSError(), TimeoutError())


@dataclass(frozen=True)
class Point:
    """One await of a fake's, called `name`."""

    name: str

    def __await__(self) -> Generator[Point, None, None]:
        yield self


@dataclass
class FakeLedger:
    """Charges in memory. A charge is durable from the step "commit" on, and its caller knows from "reply" on."""

    log: list[str]
    receipts: dict[int, str] = field(default_factory=dict)
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    alarms: set[str] = field(default_factory=set)
    limit: int = 10**9
    alarm_fault: Exception | None = None

    async def charge(
        self,
        ref: AccountRef,
        cost: Loss,
        terms: Terms,
        groups: object,
        statement: str,
        epsilon: Decimal,
        *_: object,
    ) -> Receipt:
        await Point("commit")
        if len(self.receipts) >= self.limit:
            raise PrivacyBudgetExceeded("spent")
        number = len(self.receipts) + 1
        self.receipts[number] = statement
        self.log.append(f"charged {statement}")
        stopped = ref.analyst in self.alarms
        await Point("reply")
        return Receipt(number, cost, terms.limit, stopped)

    async def settle(self, receipt: int, outcome: Outcome) -> None:
        await Point("settle")
        assert receipt not in self.outcomes, "settled twice"
        self.outcomes[receipt] = outcome
        self.log.append(f"settled {outcome.value}")

    async def tell(self, receipt: int, analyst: str) -> bool:
        await Point("standing")
        if analyst in self.alarms:
            return True
        assert receipt not in self.outcomes, "settled twice"
        self.outcomes[receipt] = Outcome.ANSWERED
        self.log.append("settled answered")
        return False

    async def stop_analyst(self, analyst: str, reason: str) -> None:
        await Point("alarm")
        if self.alarm_fault is not None:
            raise self.alarm_fault
        self.alarms.add(analyst)
        self.log.append(f"stopped {analyst}")


@dataclass
class FakeEngine:
    """Gives `rows` for each query, or raises `fault`. Requests are told apart by their ticket."""

    log: list[str]
    rows: tuple[tuple[Any, ...], ...] = ((EVERYBODY,),)
    fault: BaseException | None = None
    touched: list[Ticket] = field(default_factory=list)
    queries: list[EngineQuery] = field(default_factory=list)
    dialect: str = "duckdb"

    async def reach(self) -> None:
        pass

    async def run(self, work: Work[tuple[Rows, ...]], ticket: Ticket, seconds: float | None = None) -> tuple[Rows, ...]:
        if ticket.canceled:
            raise QueryCanceled("cancelled")
        self.touched.append(ticket)
        try:
            query = next(work)
            while True:
                self.queries.append(query)
                query = work.send(await self._query(ticket))
        except StopIteration as done:
            return done.value

    async def _query(self, ticket: Ticket) -> Rows:
        self.log.append("engine")
        await Point("engine")
        if ticket.canceled:
            raise QueryCanceled("cancelled")
        if self.fault is not None:
            raise self.fault
        columns = tuple(Column(f"m{index}", "bigint") for index in range(len(self.rows[0]) if self.rows else 1))
        return Rows(columns, self.rows)

    async def schema(self) -> EngineSchema:
        raise AssertionError("not while answering")

    async def unique(self, table: str, columns: tuple[str, ...]) -> bool:
        raise AssertionError("not while answering")

    async def read(self, table: str, columns: tuple[str, ...], limit: int, ticket: Ticket) -> Rows:
        raise AssertionError("not while answering")

    async def close(self) -> None:
        raise AssertionError("not while answering")


@dataclass
class House:
    """The resources, faked. `errands` are what nobody waits for."""

    catalog: Catalog
    log: list[str] = field(default_factory=list)
    errands: list[Coroutine[Any, Any, None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ledger, self.engine = FakeLedger(self.log), FakeEngine(self.log)
        self.resources = Resources(self.engine, self.ledger, self.errands.append, Speed(60.0, 1e-7))  # type: ignore[arg-type]

    def ask(self, plan: Plan, statement: str = STATEMENT, ticket: Ticket | None = None) -> Asked:
        account = AnalystAccount(ALICE, self.catalog, TERMS, (("everyone", TERMS),))
        given = ticket or Ticket()
        return Asked(answer(self.resources, None, account, plan, statement, given), given, statement)

    def run_errands(self) -> None:
        while self.errands:
            _to_the_end(self.errands.pop(0))


def _to_the_end(work: Coroutine[Any, Any, Any]) -> None:
    try:
        while True:
            work.send(None)
    except (StopIteration, LedgerUnavailable):
        return


@dataclass
class Asked:
    """An answer under way. `at` is the point where it waits; once it is None, `result` or `fault` is there."""

    work: Coroutine[Any, Any, Answer]
    ticket: Ticket
    statement: str
    at: str | None = None
    result: tuple[Receipt, tuple[Rows, ...]] | None = None
    fault: BaseException | None = None

    def __post_init__(self) -> None:
        self._step(lambda: self.work.send(None))

    def go_on(self) -> None:
        self._step(lambda: self.work.send(None))

    def throw(self, fault: BaseException) -> None:
        """What is awaited raises `fault`; a CancelledError is the cancellation of the whole task."""
        self._step(lambda: self.work.throw(fault))

    def until(self, point: str) -> Asked:
        while self.at not in (point, None):
            self.go_on()
        assert self.at == point, f"never came to {point}"
        return self

    def finish(self) -> Asked:
        while self.at is not None:
            self.go_on()
        return self

    def _step(self, resume: Callable[[], Any]) -> None:
        try:
            self.at = resume().name
        except StopIteration as done:
            answered: Answer = done.value
            assert answered.receipt is not None
            self.at, self.result = None, (answered.receipt, answered.released)
        except BaseException as fault:  # noqa: BLE001 - what came out is what the tests are about
            self.at, self.fault = None, fault


@pytest.fixture
def house(catalog: Catalog) -> Iterator[House]:
    made = House(catalog)
    yield made
    made.run_errands()


@pytest.fixture(scope="module")
def plan(catalog: Catalog) -> Plan:
    return planned(STATEMENT, catalog)


@pytest.fixture(scope="module")
def dag(plan: Plan) -> Plan:
    return in_a_row(plan)


def in_a_row(plan: Plan) -> Plan:
    """Three releases, each of which reads all before it."""
    first = plan.releases[0]
    second = replace(first, bounded=replace(first.bounded, inputs=(ReleasedColumn(0, 0),)))
    third = replace(first, bounded=replace(first.bounded, inputs=(ReleasedColumn(1, 0), ReleasedColumn(0, 0))))
    return replace(plan, releases=(first, second, third))


def is_the_fixed_text(fault: BaseException | None) -> bool:
    """What a person sees of an engine's failure: nothing that depends on what failed."""
    expected = EngineFailure()
    return isinstance(fault, EngineFailure) and (fault.sqlstate, fault.message, fault.hint, fault.detail) == (
        *("DP005", expected.message, expected.hint),
        None,
    )


def test_nothing_runs_before_it_is_charged(house: House, plan: Plan) -> None:
    asked = house.ask(plan)
    assert (asked.at, house.engine.touched) == ("commit", [])
    asked.go_on()
    assert (asked.at, house.engine.touched) == ("reply", [])
    asked.go_on()
    assert (asked.at, house.log) == ("engine", [f"charged {STATEMENT}", "engine"])
    asked.finish()
    house.run_errands()
    assert house.log == [f"charged {STATEMENT}", "engine", "settled answered"]
    assert asked.result is not None
    receipt, (released,) = asked.result
    assert (receipt.id, receipt.spent) == (1, plan.cost)
    assert isinstance(released.rows[0][0], int)


def test_public_keys_and_totals_are_of_one_call(house: House, catalog: Catalog) -> None:
    plan = planned(GROUPED, catalog)
    house.resources.sizes.update(dict.fromkeys(public_texts(plan), 3))
    house.ask(plan).until("engine")
    assert house.log == [f"charged {STATEMENT}", "engine"]


def test_public_keys_that_nobody_counted_yet_are_counted_before_the_charge(house: House, catalog: Catalog) -> None:
    house.ask(planned(GROUPED, catalog)).until("engine")
    assert house.log == ["engine"]


def test_what_is_asked_of_the_ledger_is_the_plans_whole_cost(catalog: Catalog, plan: Plan) -> None:
    house = House(catalog)
    seen: list[tuple[object, ...]] = []

    async def charge(*given: object) -> Receipt:
        seen.append(given)
        raise PrivacyBudgetExceeded("enough seen")

    house.ledger.charge = charge  # type: ignore[method-assign, assignment]
    assert isinstance(house.ask(plan).finish().fault, PrivacyBudgetExceeded)
    pairs = dominating(plan.releases, plan.time, TERMS.accounting)
    assert seen == [(ALICE, plan.cost, TERMS, (("everyone", TERMS),), STATEMENT, plan.epsilon, {"person"}, pairs)]


@pytest.mark.parametrize("point", ["commit", "reply"])
@pytest.mark.parametrize(
    "fault",
    [PrivacyBudgetExceeded("spent"), LedgerUnavailable("gone"), ValueError("no amount"), asyncio.CancelledError()],
    ids=lambda fault: type(fault).__name__,
)
def test_a_charge_that_raises_ends_it(house: House, plan: Plan, point: str, fault: BaseException) -> None:
    asked = house.ask(plan).until(point)
    asked.throw(fault)
    assert asked.fault is fault
    assert (house.engine.touched, house.errands) == ([], [])


def test_too_little_left_touches_nothing(house: House, plan: Plan) -> None:
    house.ledger.limit = 1
    house.ask(plan).finish()
    assert isinstance(house.ask(plan).finish().fault, PrivacyBudgetExceeded)
    assert len(house.engine.touched) == 1


def test_a_dag_is_charged_once_and_run_in_one_request(house: House, dag: Plan) -> None:
    asked = house.ask(dag).finish()
    house.run_errands()
    assert house.log == [f"charged {STATEMENT}", "engine", "engine", "engine", "settled answered"]
    assert house.engine.touched == [asked.ticket]
    assert asked.result is not None
    released = [each.rows[0][0] for each in asked.result[1]]
    assert [query.inputs for query in house.engine.queries] == [
        {},
        {"r0c0": (released[0],)},
        {"r1c0": (released[1],), "r0c0": (released[0],)},
    ]


@pytest.mark.parametrize("query", [1, 2, 3])
@pytest.mark.parametrize("fault", [EngineFailure(), *SURPRISES], ids=lambda fault: type(fault).__name__)
def test_a_failure_of_any_query_leaves_nothing(house: House, dag: Plan, query: int, fault: Exception) -> None:
    asked = house.ask(dag).until("engine")
    for _ in range(query - 1):
        asked.go_on()
    asked.throw(fault)
    assert is_the_fixed_text(asked.finish().fault)
    house.run_errands()
    assert house.log.count("engine") == query
    assert house.ledger.alarms == {"alice"}
    assert house.ledger.outcomes == {1: Outcome.FAILED}


@pytest.mark.parametrize("query", [1, 2, 3])
def test_cancelled_between_two_queries(house: House, dag: Plan, query: int) -> None:
    asked = house.ask(dag).until("engine")
    for _ in range(query - 1):
        asked.go_on()
    asked.ticket.cancel()
    assert isinstance(asked.finish().fault, QueryCanceled)
    house.run_errands()
    assert house.log.count("engine") == query
    assert house.ledger.outcomes == {1: Outcome.CANCELED}
    assert house.ledger.alarms == set()


@pytest.mark.parametrize("point", ["commit", "reply", "engine"])
def test_a_cancelled_statement_stays_charged(house: House, plan: Plan, point: str) -> None:
    asked = house.ask(plan).until(point)
    asked.ticket.cancel()
    assert isinstance(asked.finish().fault, QueryCanceled)
    house.run_errands()
    assert house.ledger.outcomes == {1: Outcome.CANCELED}
    assert house.ledger.alarms == set()


def test_a_client_who_leaves_has_paid(house: House, plan: Plan) -> None:
    asked = house.ask(plan).until("engine")
    asked.throw(asyncio.CancelledError())
    assert isinstance(asked.fault, asyncio.CancelledError)
    house.run_errands()
    assert house.ledger.outcomes == {1: Outcome.ABANDONED}


def test_an_engines_failure_stops_the_analyst(house: House, plan: Plan) -> None:
    house.engine.fault = EngineFailure()
    asked = house.ask(plan).finish()
    assert is_the_fixed_text(asked.fault)
    assert house.ledger.alarms == {"alice"}
    house.run_errands()
    assert house.ledger.outcomes == {1: Outcome.FAILED}


def test_a_stopped_analyst_is_charged_and_never_reaches_the_engine(house: House, plan: Plan) -> None:
    house.ledger.alarms.add("alice")
    asked = house.ask(plan).finish()
    assert is_the_fixed_text(asked.fault)
    house.run_errands()
    assert house.log == [f"charged {STATEMENT}", "settled failed"]
    house.ledger.alarms.clear()
    assert house.ask(plan).finish().result is not None


@pytest.mark.parametrize("surprise", SURPRISES, ids=lambda fault: type(fault).__name__)
def test_whatever_the_engine_raises_is_told_alike(house: House, plan: Plan, surprise: Exception) -> None:
    house.engine.fault = surprise
    _fails_like_an_engine(house, plan)


@pytest.mark.parametrize(
    "rows",
    [((1,), (2,)), (("many",),), ((1.5,),), ((1, 2),), ((),), ((float("nan"),),), ((Decimal("0.5"),),)],
    ids=repr,
)
def test_rows_that_bounded_sql_cannot_yield_are_told_alike(
    house: House, plan: Plan, rows: tuple[tuple[Any, ...], ...]
) -> None:
    house.engine.rows = rows
    _fails_like_an_engine(house, plan)


def test_a_missing_result_is_told_alike(house: House, plan: Plan) -> None:
    async def query(ticket: Ticket) -> None:
        return None

    house.engine._query = query  # type: ignore[method-assign, assignment]
    _fails_like_an_engine(house, plan)


def _fails_like_an_engine(house: House, plan: Plan) -> None:
    asked = house.ask(plan).finish()
    assert is_the_fixed_text(asked.fault), repr(asked.fault)
    house.run_errands()
    assert house.ledger.alarms == {"alice"}
    assert house.ledger.outcomes == {1: Outcome.FAILED}


def test_an_alarm_that_cannot_be_raised_changes_nothing_for_the_analyst(house: House, plan: Plan) -> None:
    """The ledger may be gone by then; that must not be told apart from a failure, nor end in another outcome."""
    house.engine.fault = EngineFailure()
    house.ledger.alarm_fault = LedgerUnavailable("gone")
    asked = house.ask(plan).finish()
    assert is_the_fixed_text(asked.fault), repr(asked.fault)
    _stays_stopped(house, plan)


def test_a_client_who_leaves_does_not_stop_the_alarm(house: House, plan: Plan) -> None:
    """Otherwise a failure that depends on a row could be provoked as often as the budget allows."""
    house.engine.fault = EngineFailure()
    asked = house.ask(plan).until("engine")
    asked.go_on()
    if asked.at == "alarm":
        asked.throw(asyncio.CancelledError())
    _stays_stopped(house, plan)


def _stays_stopped(house: House, plan: Plan) -> None:
    """The next statement fails without the engine, though the engine is well again, and the ledger has the alarm."""
    house.run_errands()
    house.engine.fault, house.ledger.alarm_fault = None, None
    house.engine.touched.clear()
    assert is_the_fixed_text(house.ask(plan).finish().fault)
    assert house.engine.touched == []
    house.run_errands()
    assert house.ledger.alarms == {"alice"}
    assert len(house.ledger.receipts) == 2


def test_a_settlement_that_fails_is_nobodys_error(house: House, plan: Plan) -> None:
    asked = house.ask(plan).until("standing")
    asked.throw(LedgerUnavailable("gone"))
    assert asked.result is not None
    (errand,) = house.errands
    errand.send(None)
    with pytest.raises(LedgerUnavailable):
        errand.throw(LedgerUnavailable("gone"))
    house.errands.clear()
    assert house.ledger.receipts == {1: STATEMENT}


def test_nothing_counted_is_zero_with_noise(house: House, plan: Plan) -> None:
    house.engine.rows = ()
    asked = house.ask(plan).finish()
    assert asked.result is not None
    assert len(asked.result[1][0].rows) == 1


FAULTS: dict[str, tuple[BaseException, ...]] = {
    "commit": (LedgerUnavailable("gone"), asyncio.CancelledError()),
    "reply": (LedgerUnavailable("gone"), asyncio.CancelledError()),
    "engine": (EngineFailure(), QueryCanceled("cancelled"), asyncio.CancelledError(), *SURPRISES),
    "standing": (asyncio.CancelledError(), LedgerUnavailable("gone")),
    "alarm": (asyncio.CancelledError(), LedgerUnavailable("gone")),
}
_SOME = st.integers(0, 1000)


class AnyOrder(RuleBasedStateMachine):
    """Statements of one analyst under way at once, each failing or cancelled at any of its awaits."""

    catalog: Catalog
    plan: Plan

    @initialize(limit=st.integers(1, 8))
    def open(self, limit: int) -> None:
        self.house = House(self.catalog)
        self.house.ledger.limit = limit
        self.plans = (self.plan, in_a_row(self.plan))
        self.asked: list[tuple[Asked, Plan]] = []
        self.numbers = itertools.count()

    @rule(which=st.integers(0, 1))
    def ask(self, which: int) -> None:
        plan = self.plans[which]
        self.asked.append((self.house.ask(plan, f"statement {next(self.numbers)}"), plan))

    @precondition(lambda self: self._open())
    @rule(which=_SOME)
    def go_on(self, which: int) -> None:
        self._pick(which).go_on()

    @precondition(lambda self: self._open())
    @rule(which=_SOME, fault=_SOME)
    def fail(self, which: int, fault: int) -> None:
        asked = self._pick(which)
        faults = FAULTS[asked.at or ""]
        asked.throw(faults[fault % len(faults)])

    @precondition(lambda self: self._open())
    @rule(which=_SOME)
    def cancel(self, which: int) -> None:
        self._pick(which).ticket.cancel()

    @precondition(lambda self: bool(self.house.errands))
    @rule()
    def run_an_errand(self) -> None:
        _to_the_end(self.house.errands.pop(0))

    @rule()
    def clear(self) -> None:
        self.house.ledger.alarms.clear()

    @invariant()
    def an_answer_has_its_charge(self) -> None:
        for each, plan in self.asked:
            if each.result is not None:
                receipt, released = each.result
                assert self.house.ledger.receipts[receipt.id] == each.statement
                assert len(released) == len(plan.releases)
            if each.ticket in self.house.engine.touched:
                assert each.statement in self.house.ledger.receipts.values()

    @invariant()
    def nothing_is_charged_twice(self) -> None:
        charged = list(self.house.ledger.receipts.values())
        assert len(charged) == len(set(charged)) <= self.house.ledger.limit

    def teardown(self) -> None:
        for each, _ in getattr(self, "asked", ()):
            each.finish()
        if hasattr(self, "house"):
            self.an_answer_has_its_charge()
            self.house.run_errands()
            answered = {each.result[0].id for each, _ in self.asked if each.result is not None}
            known = self.house.ledger.outcomes
            assert {number for number, outcome in known.items() if outcome is Outcome.ANSWERED} == answered

    def _open(self) -> list[Asked]:
        return [each for each, _ in self.asked if each.at is not None]

    def _pick(self, which: int) -> Asked:
        candidates = self._open()
        return candidates[which % len(candidates)]


def test_no_order_of_events_gives_an_answer_without_its_charge(catalog: Catalog, plan: Plan) -> None:
    machine = type("AnyOrder", (AnyOrder,), {"catalog": catalog, "plan": plan})
    run_state_machine_as_test(machine, settings=settings(max_examples=100, stateful_step_count=30, deadline=None))
