"""Accounts over time: days, weeks, months, versions of the data and resets by hand, on a clock that the test moves."""

from __future__ import annotations

import asyncio
import itertools
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import psycopg
import pytest
import pytest_asyncio
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import LedgerUnavailable, PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger, Receipt, Reset

pytestmark = pytest.mark.long

ONE = Loss(Decimal(1), Decimal(0))
TENTH = Loss(Decimal("0.1"), Decimal(0))
NEVER, DAILY, WEEKLY, MONTHLY = (AccountRef("alice", Reset(name)) for name in ("never", "daily", "weekly", "monthly"))


def of_version(version: str, analyst: str = "alice") -> AccountRef:
    return AccountRef(analyst, Reset.DATA_VERSION, version)


@dataclass(frozen=True)
class Clock:
    """The ledger's clock, which stands still until it is moved."""

    connection: psycopg.Connection[tuple[object, ...]]

    def install(self) -> None:
        self.connection.execute("CREATE TABLE dp_ledger.moved (at timestamptz NOT NULL)")
        self.connection.execute("INSERT INTO dp_ledger.moved VALUES ('2026-11-22 12:00+00')")
        self.connection.execute(
            "CREATE OR REPLACE FUNCTION dp_ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
            " 'SELECT at FROM dp_ledger.moved'"
        )

    def move(self, at: str | datetime) -> None:
        self.connection.execute("UPDATE dp_ledger.moved SET at = %s", (at,))


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(next(iter(INSTALLATIONS.values()))) as running:
        with psycopg.connect(running.conninfo, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {running.database} SET timezone = 'Pacific/Auckland'")
        yield running


@pytest.fixture
def owner(server: ScratchPostgres) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
        yield connection


@pytest_asyncio.fixture
async def ledger(server: ScratchPostgres, owner: psycopg.Connection[tuple[object, ...]]) -> AsyncIterator[Ledger]:
    opened = await Ledger.open(server.conninfo, Accounting.PURE, connections=40)
    yield opened
    await opened.close()


@pytest.fixture
def clock(ledger: Ledger, owner: psycopg.Connection[tuple[object, ...]]) -> Clock:
    clock = Clock(owner)
    clock.install()
    return clock


async def pay(ledger: Ledger, ref: AccountRef, cost: Loss = TENTH, limit: Loss = ONE, **groups: Loss) -> Receipt:
    capped = tuple((name, of(cap)) for name, cap in groups.items())
    return await ledger.charge(ref, cost, of(limit), capped, "SELECT 1", cost.main)


def of(limit: Loss) -> Terms:
    """Terms under pure accounting, whose limit it is."""
    return Terms(Accounting.PURE, limit.main, limit.delta, limit, limit.main)


async def refused(ledger: Ledger, ref: AccountRef, cost: Loss = TENTH) -> PrivacyBudgetExceeded:
    with pytest.raises(PrivacyBudgetExceeded) as fault:
        await pay(ledger, ref, cost)
    return fault.value


@pytest.mark.parametrize(
    ("ref", "at", "label", "ends"),
    [
        (NEVER, "2026-11-22 12:00+00", "ever", None),
        (DAILY, "2026-11-22 00:00+00", "2026-11-22", "2026-11-23"),
        (DAILY, "2026-11-22 23:59:59.999999+00", "2026-11-22", "2026-11-23"),
        (DAILY, "2026-11-23 01:00+13", "2026-11-22", "2026-11-23"),
        (DAILY, "2028-02-29 12:00+00", "2028-02-29", "2028-03-01"),
        (WEEKLY, "2026-11-22 23:59+00", "2026-W47", "2026-11-23"),
        (WEEKLY, "2026-11-23 00:00+00", "2026-W48", "2026-11-30"),
        (WEEKLY, "2027-01-02 12:00+00", "2026-W53", "2027-01-04"),
        (WEEKLY, "2024-12-30 12:00+00", "2025-W01", "2025-01-06"),
        (MONTHLY, "2026-12-31 23:59+00", "2026-12", "2027-01-01"),
        (of_version("2026-11"), "2026-11-22 12:00+00", "data:2026-11", None),
    ],
)
async def test_labels_and_ends(
    ledger: Ledger, clock: Clock, ref: AccountRef, at: str, label: str, ends: str | None
) -> None:
    """By UTC, whatever the server's time zone is."""
    clock.move(at)
    standing = await ledger.standing(ref)
    receipt = await pay(ledger, ref)
    end = None if ends is None else datetime.fromisoformat(f"{ends}T00:00:00+00:00")
    assert (standing.period, standing.ends, receipt.period) == (label, end, label)
    assert (await ledger.standing(ref)).spent == TENTH
    assert [charge.period for charge in await ledger.statements("alice")] == [label]


async def test_a_period_begins_with_nothing_spent_and_history_stays(ledger: Ledger, clock: Clock) -> None:
    clock.move("2026-11-30 23:59:59+00")
    await pay(ledger, MONTHLY, ONE)
    fault = await refused(ledger, MONTHLY)
    assert fault.hint == (
        "Nothing is left to spend; wait for the next period, which begins at 2026-12-01 00:00 UTC, or ask the owner"
        " for more."
    )
    clock.move("2026-12-01 00:00+00")
    assert (await pay(ledger, MONTHLY)).left == ONE - TENTH
    assert [(each.period, each.number) for each in await ledger.statements("alice")] == [("2026-12", 2), ("2026-11", 1)]
    assert [(each.period, each.spent) for each in await ledger.standings()] == [("2026-11", ONE), ("2026-12", TENTH)]


@pytest.mark.parametrize("ref", [DAILY, WEEKLY, MONTHLY])
async def test_a_clock_set_back_over_a_reset_gives_nothing_back(
    server: ScratchPostgres, ledger: Ledger, clock: Clock, ref: AccountRef
) -> None:
    """The later period stays, for every proxy, and so does what was spent in it."""
    clock.move("2026-11-30 23:00+00")
    before = await pay(ledger, ref, ONE)
    clock.move("2026-12-07 01:00+00")
    after = await pay(ledger, ref, ONE)
    assert before.period < after.period
    clock.move("2026-11-30 23:00+00")
    other = await Ledger.open(server.conninfo, Accounting.PURE)
    for each in (ledger, other):
        assert (await each.standing(ref)).period == after.period
        await refused(each, ref)
    await other.close()
    clock.move("2027-01-31 12:00+00")
    assert (await pay(ledger, ref, ONE)).period > after.period


async def test_a_version_seen_before_resumes_its_account(ledger: Ledger, clock: Clock) -> None:
    first, second = of_version("1"), of_version("2")
    await pay(ledger, first, ONE)
    assert (await pay(ledger, second)).period == "data:2"
    await refused(ledger, first)
    assert (await pay(ledger, second)).spent == TENTH + TENTH


async def test_changing_the_policy_back_and_forth_makes_no_budget(ledger: Ledger, clock: Clock) -> None:
    for ref in (NEVER, DAILY, WEEKLY, MONTHLY, of_version("1")):
        await pay(ledger, ref, ONE)
    for _ in range(2):
        for ref in (DAILY, NEVER, of_version("1"), MONTHLY, WEEKLY):
            await refused(ledger, ref)
    assert len(await ledger.standings()) == 5


async def test_a_reset_begins_a_new_account_of_the_period(ledger: Ledger, clock: Clock) -> None:
    await pay(ledger, NEVER, ONE)
    assert await ledger.grant(NEVER, await ledger.standing(NEVER), Decimal(1), Decimal(0))
    assert [await ledger.reset(NEVER), await ledger.reset(NEVER)] == ["ever#2", "ever#3"]
    standing = await ledger.standing(NEVER)
    assert (standing.period, standing.spent.main, standing.granted_epsilon) == ("ever#3", 0, 0)
    receipt = await pay(ledger, NEVER)
    assert (receipt.period, receipt.spent) == ("ever#3", TENTH)
    assert [(each.period, each.spent.main) for each in await ledger.standings()] == [
        ("ever", 1),
        ("ever#2", 0),
        ("ever#3", TENTH.main),
    ]
    assert await ledger.reset(DAILY) == "2026-11-22#2"
    clock.move("2026-11-23 12:00+00")
    assert (await pay(ledger, DAILY)).period == "2026-11-23"


async def test_labels_are_sorted_by_number(ledger: Ledger, clock: Clock) -> None:
    await pay(ledger, DAILY)
    await pay(ledger, NEVER)
    labels = ["2026-11-22", "ever", *[await _reset_and_pay(ledger) for _ in range(10)]]
    assert labels[-1] == "ever#11"
    assert [each.period for each in await ledger.standings()] == labels


async def _reset_and_pay(ledger: Ledger) -> str:
    label = await ledger.reset(NEVER)
    assert (await pay(ledger, NEVER)).period == label
    return label


async def test_everyones_budget_is_reset_by_itself(ledger: Ledger, clock: Clock) -> None:
    await pay(ledger, DAILY, everyone=TENTH)
    with pytest.raises(PrivacyBudgetExceeded, match='of the budget "everyone"') as fault:
        await pay(ledger, DAILY, everyone=TENTH)
    assert fault.value.hint == "Nothing is left to spend; ask the owner for more."
    clock.move("2026-11-23 12:00+00")
    with pytest.raises(PrivacyBudgetExceeded, match='of the budget "everyone"'):
        await pay(ledger, DAILY, everyone=TENTH)
    assert await ledger.reset_group("everyone") == "ever#2"
    await pay(ledger, DAILY, everyone=TENTH)
    standing = await ledger.group_standing("everyone")
    assert (standing.period, standing.spent) == ("ever#2", TENTH)


async def test_a_grant_is_for_the_account_that_was_seen(ledger: Ledger, clock: Clock) -> None:
    seen = await ledger.standing(DAILY)
    clock.move("2026-11-23 12:00+00")
    assert not await ledger.grant(DAILY, seen, Decimal(1), Decimal(0))
    seen = await ledger.standing(DAILY)
    assert await ledger.grant(DAILY, seen, Decimal(1), Decimal(0))
    assert not await ledger.grant(DAILY, seen, Decimal(1), Decimal(0))
    assert (await pay(ledger, DAILY, ONE + ONE)).left.main == 0
    clock.move("2026-11-24 12:00+00")
    await refused(ledger, DAILY, ONE + TENTH)


async def test_different_periods_have_different_labels(
    ledger: Ledger, owner: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Whatever the versions are called, a second account of one is no first account of another."""
    versions = ["", "#", "##", "1", "#2", "##2", "a#2", "a##2", "a#", "a", "a#2#2", "a##2#2"]
    with owner.transaction():
        rows = owner.execute(
            "SELECT dp_ledger.period_label('data_version', v, NULL) || n FROM unnest(%s::text[]) v,"
            " unnest(ARRAY['', '#2', '#22', '#3']) n",
            (versions,),
        ).fetchall()
    assert len(set(rows)) == len(rows) == 4 * len(versions)


async def test_charges_meet_resets(server: ScratchPostgres, ledger: Ledger, clock: Clock) -> None:
    """Two proxies charge from many connections while a budget is reset and the day changes: each charge is in one
    account, whole, and none is in an account that was closed before the charge was sent."""
    other = await Ledger.open(server.conninfo, Accounting.PURE, connections=20)
    receipts: list[Receipt] = []
    closed: set[str] = set()
    over = False

    async def spender(ledger: Ledger) -> None:
        while not over:
            before = frozenset(closed)
            try:
                receipt = await pay(ledger, DAILY, TENTH, ONE, everyone=Loss(Decimal(10**6), Decimal(0)))
            except PrivacyBudgetExceeded:
                continue
            assert receipt.period not in before
            receipts.append(receipt)

    spenders = asyncio.gather(*(spender(each) for each in (ledger, other) for _ in range(12)))
    try:
        for number in range(30):
            await asyncio.sleep(0.01)
            open_now = (await ledger.standing(DAILY)).period
            if number % 3:
                assert await (ledger, other)[number % 2].reset(DAILY) != open_now
            else:
                clock.move(datetime(2026, 11, 23, tzinfo=UTC) + timedelta(days=number))
            closed.add(open_now)
    finally:
        over = True
        await spenders
    await other.close()
    charges = await ledger.statements("alice", 100_000)
    assert {(each.id, each.period) for each in receipts} == {(each.id, each.period) for each in charges}
    spent = defaultdict[str, Decimal](Decimal)
    for each in charges:
        spent[each.period] += each.cost.main
    assert len(spent) > 15
    standings = {each.period: each.spent.main for each in await ledger.standings()}
    assert {period: main for period, main in standings.items() if main} == spent
    assert max(spent.values()) <= 1
    assert (await ledger.group_standing("everyone")).spent.main == sum(spent.values())
    days = [each.period.partition("#")[0] for each in sorted(charges, key=lambda each: each.id)]
    assert all(earlier <= later for earlier, later in itertools.pairwise(days))


async def test_a_ledger_that_has_lost_charges_answers_nothing(
    ledger: Ledger, owner: psycopg.Connection[tuple[object, ...]]
) -> None:
    """As after a restore from an older copy, which this proxy can tell from what it was told before."""
    for _ in range(3):
        await pay(ledger, NEVER)
    await ledger.reset(DAILY)
    await pay(ledger, DAILY)
    await pay(ledger, NEVER)
    owner.execute("UPDATE dp_ledger.accounts SET main = main - 0.1 WHERE name = 'alice' AND period = 'ever'")
    for ref in (NEVER, NEVER, DAILY, AccountRef("bob")):
        with pytest.raises(LedgerUnavailable, match="has lost charges"):
            await pay(ledger, ref)


async def test_under_zcdp_a_refusal_speaks_of_epsilon(server: ScratchPostgres, ledger: Ledger) -> None:
    zcdp = await Ledger.open(server.conninfo, Accounting.ZCDP)
    whole = terms(Accounting.ZCDP, Decimal(5), Decimal("1e-6"))
    first = whole.limit - Loss(Decimal("0.32"), whole.limit.delta)
    await zcdp.charge(NEVER, first, whole, (), "SELECT 1", Decimal("0.6"))
    with pytest.raises(PrivacyBudgetExceeded) as fault:
        await zcdp.charge(NEVER, Loss(Decimal("0.5"), Decimal("5e-7")), whole, (), "SELECT 1", Decimal(1))
    await zcdp.close()
    assert str(fault.value) == (
        "the statement costs epsilon 1, delta 5e-7, and what is left of your budget allows one of at most"
        " epsilon 0.8, delta 5e-7"
    )
    assert (fault.value.detail or "").startswith("Left of it as a whole: epsilon 2.5")
    assert fault.value.hint == "SET dp.epsilon = 0.8 or less, or ask the owner for more."


async def test_calls_are_timed_for_who_wants_to_know(ledger: Ledger) -> None:
    seen: list[tuple[str, float]] = []
    ledger.observe = lambda name, seconds: seen.append((name, seconds))
    await pay(ledger, NEVER)
    await pay(ledger, NEVER)
    await ledger.standing(NEVER)
    assert [name for name, seconds in seen if seconds > 0] == ["in_force", "charge", "charge", "standing"]


REFS = st.builds(AccountRef, st.sampled_from(["alice", "bob"]), st.sampled_from(Reset), st.sampled_from(["1", "1#2"]))
TENTHS = st.integers(1, 12).map(lambda tenths: Loss(Decimal(tenths) / 10, Decimal(0)))


class Accounts(RuleBasedStateMachine):
    """Charges, resets, grants, clocks and policies in any order, beside a model with a period of its own reckoning."""

    server: ScratchPostgres
    clock: Clock
    examples: Iterator[int]

    @initialize()
    def begin(self) -> None:
        """Each example has analysts of its own: a new ledger takes longer than what is done with it."""
        self.example = next(self.examples)
        self.loop = asyncio.Runner()
        self.ledger = self.loop.run(Ledger.open(self.server.conninfo, Accounting.PURE))
        self.now = datetime(2026, 11, 22, 12, tzinfo=UTC)
        self.clock.move(self.now)
        self.latest: dict[tuple[str, Reset], date] = {}
        self.numbers: dict[tuple[str, str], int] = {}
        self.spent = defaultdict[tuple[str, str], Decimal](Decimal)
        self.granted = defaultdict[tuple[str, str], Decimal](Decimal)

    def own(self, ref: AccountRef) -> AccountRef:
        return replace(ref, analyst=f"{ref.analyst}{self.example}")

    def label(self, ref: AccountRef) -> str:
        base = self.base(ref)
        number = self.numbers.get((ref.analyst, base), 1)
        return base if number == 1 else f"{base}#{number}"

    def base(self, ref: AccountRef) -> str:
        today = max(self.now.date(), self.latest.get((ref.analyst, ref.reset), date.min))
        match ref.reset:
            case Reset.NEVER:
                return "ever"
            case Reset.DATA_VERSION:
                return f"data:{ref.data_version.replace('#', '##')}"
            case Reset.DAILY:
                return today.isoformat()
            case Reset.WEEKLY:
                return "{}-W{:02}".format(*today.isocalendar())
            case Reset.MONTHLY:
                return f"{today:%Y-%m}"

    def touched(self, ref: AccountRef) -> None:
        at = (ref.analyst, ref.reset)
        self.latest[at] = max(self.now.date(), self.latest.get(at, date.min))

    @rule(ref=REFS, cost=TENTHS)
    def charge(self, ref: AccountRef, cost: Loss) -> None:
        ref = self.own(ref)
        account = ref.analyst, self.label(ref)
        fits = self.spent[account] + cost.main <= 1 + self.granted[account]
        try:
            receipt = self.loop.run(pay(self.ledger, ref, cost))
        except PrivacyBudgetExceeded:
            assert not fits
        else:
            assert fits
            self.spent[account] += cost.main
            assert (receipt.period, receipt.spent.main) == (account[1], self.spent[account])
        self.touched(ref)

    @rule(ref=REFS)
    def reset(self, ref: AccountRef) -> None:
        ref = self.own(ref)
        base = self.base(ref)
        self.numbers[ref.analyst, base] = self.numbers.get((ref.analyst, base), 1) + 1
        assert self.loop.run(self.ledger.reset(ref)) == self.label(ref)
        self.touched(ref)

    @rule(ref=REFS, extra=TENTHS)
    def grant(self, ref: AccountRef, extra: Loss) -> None:
        ref = self.own(ref)
        seen = self.loop.run(self.ledger.standing(ref))
        assert self.loop.run(self.ledger.grant(ref, seen, extra.main, Decimal(0)))
        self.granted[ref.analyst, self.label(ref)] += extra.main
        self.touched(ref)

    @rule(hours=st.integers(-800, 800))
    def the_clock_moves(self, hours: int) -> None:
        self.now += timedelta(hours=hours)
        self.clock.move(self.now)

    @rule()
    def another_proxy(self) -> None:
        self.loop.run(self.ledger.close())
        self.ledger = self.loop.run(Ledger.open(self.server.conninfo, Accounting.PURE))

    @rule(ref=REFS)
    def look(self, ref: AccountRef) -> None:
        ref = self.own(ref)
        account = ref.analyst, self.label(ref)
        standing = self.loop.run(self.ledger.standing(ref))
        assert standing.period == account[1]
        assert (standing.spent.main, standing.granted_epsilon) == (self.spent[account], self.granted[account])

    @precondition(lambda self: self.spent)
    @rule()
    def nothing_is_lost(self) -> None:
        names = [f"{name}{self.example}" for name in ("alice", "bob")]
        kept = {
            (each.name, each.period): each.spent.main
            for each in self.loop.run(self.ledger.standings())
            if each.name in names and each.spent.main
        }
        assert kept == {account: main for account, main in self.spent.items() if main}
        charges = [each for name in names for each in self.loop.run(self.ledger.statements(name))]
        assert sum(each.cost.main for each in charges) == sum(self.spent.values())

    def teardown(self) -> None:
        self.loop.run(self.ledger.close())
        self.loop.close()


def test_whatever_the_order(server: ScratchPostgres, clock: Clock) -> None:
    class OnServer(Accounts):
        pass

    OnServer.server, OnServer.clock, OnServer.examples = server, clock, itertools.count()
    run_state_machine_as_test(
        OnServer, settings=settings(max_examples=25, stateful_step_count=30, deadline=None, derandomize=True)
    )
