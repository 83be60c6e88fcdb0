"""The ledger: exact, all or nothing, never overspent, never forgotten."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from decimal import Decimal

import psycopg
import pytest
import pytest_asyncio
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import ConfigFault, LedgerUnavailable, PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger, Outcome, Standing

ALICE = AccountRef("alice")
TINY = Decimal("1e-30")


def loss(main: str, delta: str = "0") -> Loss:
    return Loss(Decimal(main), Decimal(delta))


def account(main: str, delta: str = "0") -> Terms:
    """Terms under pure accounting, whose limit they are."""
    return Terms(Accounting.PURE, Decimal(main), Decimal(delta), loss(main, delta), Decimal(main))


def of(limit: Loss) -> Terms:
    return account(str(limit.main), str(limit.delta))


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(next(iter(INSTALLATIONS.values()))) as running:
        yield running


@pytest.fixture
def empty(server: ScratchPostgres) -> ScratchPostgres:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
    return server


@pytest_asyncio.fixture
async def ledger(empty: ScratchPostgres) -> AsyncIterator[Ledger]:
    opened = await Ledger.open(empty.conninfo, Accounting.PURE, connections=50)
    yield opened
    await opened.close()


async def spend(ledger: Ledger, cost: Loss, limit: Loss, ref: AccountRef = ALICE, **groups: Loss) -> int | None:
    """The receipt's id, or None where the budget did not allow it."""
    try:
        capped = tuple((name, of(cap)) for name, cap in groups.items())
        receipt = await ledger.charge(ref, cost, of(limit), capped, "SELECT 1", cost.main)
    except PrivacyBudgetExceeded:
        return None
    return receipt.id


async def test_a_charge_is_a_row_and_a_sum(ledger: Ledger) -> None:
    first = await ledger.charge(ALICE, loss("0.1", "1e-7"), account("1", "1e-6"), (), "SELECT count(*)", Decimal("0.1"))
    second = await ledger.charge(ALICE, loss("0.2"), account("1", "1e-6"), (), "SELECT avg(age)", Decimal("0.2"))
    assert (second.spent, second.left, second.stopped) == (loss("0.3", "1e-7"), loss("0.7", "9e-7"), False)
    await ledger.settle(first.id, Outcome.ANSWERED)
    await ledger.settle(first.id, Outcome.FAILED)
    newest, oldest = await ledger.statements("alice")
    assert (oldest.id, oldest.statement, oldest.outcome, oldest.cost) == (
        first.id,
        "SELECT count(*)",
        Outcome.ANSWERED,
        loss("0.1", "1e-7"),
    )
    assert (newest.outcome, newest.left) == (Outcome.CHARGED, loss("0.7", "9e-7"))
    assert (await ledger.standing(ALICE)).spent == loss("0.3", "1e-7")
    assert (await ledger.standing(AccountRef("nobody"))).spent == loss("0")
    assert await ledger.statements("bob") == ()


async def test_amounts_are_exact_on_the_grid(ledger: Ledger) -> None:
    limit = loss("1", "1e-6")
    assert await spend(ledger, limit - Loss(TINY, limit.delta - TINY), limit)
    assert await spend(ledger, Loss(2 * TINY, Decimal(0)), limit) is None
    assert await spend(ledger, Loss(TINY, Decimal(0)) + loss("0", "1e-6") - Loss(Decimal(0), TINY), limit)
    assert await spend(ledger, Loss(TINY, Decimal(0)), limit) is None
    assert (await ledger.standing(ALICE)).spent == limit


async def test_ten_tenths_are_one(ledger: Ledger) -> None:
    receipts = [await spend(ledger, loss("0.1"), loss("1")) for _ in range(11)]
    assert [receipt is not None for receipt in receipts] == [True] * 10 + [False]


@pytest.mark.parametrize("main", ["-0.1", "NaN", "Infinity", "1e-31"])
async def test_what_is_no_amount_is_refused(ledger: Ledger, main: str) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        await spend(ledger, loss(main), loss("1"))
    with pytest.raises(ValueError, match="not an amount"):
        await ledger.grant(ALICE, Standing("alice"), Decimal(main), Decimal(0))


@pytest.mark.parametrize("main", ["-0.1", "NaN", "Infinity"])
def test_the_tables_refuse_it_too(server: ScratchPostgres, ledger: Ledger, main: str) -> None:
    with psycopg.connect(server.conninfo) as connection, pytest.raises(psycopg.errors.CheckViolation):
        connection.execute(
            "INSERT INTO dp_ledger.accounts (kind, name, period, main) VALUES ('analyst', 'x', '', %s)", (main,)
        )


async def test_racing_connections_never_overspend(ledger: Ledger) -> None:
    """Fifty at once for the last of a budget that holds 31 of them, each in its own coordinate and in a group."""
    limit = loss("3.1", "1")
    results = await asyncio.gather(*(spend(ledger, loss("0.1"), limit, everyone=loss("100")) for _ in range(50)))
    receipts = [receipt for receipt in results if receipt is not None]
    assert len(receipts) == len(set(receipts)) == 31
    assert (await ledger.standing(ALICE)).spent == loss("3.1")
    assert {charge.id for charge in await ledger.statements("alice")} == set(receipts)
    assert (await ledger.group_standing("everyone")).spent == loss("3.1")


async def test_groups_and_accounts_are_charged_together_or_not_at_all(ledger: Ledger) -> None:
    """Analysts race for two groups named in opposite orders: no deadlock, and the smaller group decides."""
    groups = [{"everyone": loss("2"), "all": loss("50")}, {"all": loss("50"), "everyone": loss("2")}]
    analysts = [AccountRef(f"analyst{number % 5}") for number in range(50)]
    results = await asyncio.gather(
        *(spend(ledger, loss("0.1"), loss("1"), ref, **groups[at % 2]) for at, ref in enumerate(analysts))
    )
    answered = Counter(ref.analyst for ref, receipt in zip(analysts, results, strict=True) if receipt is not None)
    assert answered.total() == 20
    assert {(await ledger.group_standing(group)).spent for group in ("everyone", "all")} == {loss("2.0")}
    for standing in await ledger.standings():
        assert standing.spent.main == Decimal("0.1") * answered[standing.name]


async def test_the_refusal_says_what_is_left_and_what_would_fit(ledger: Ledger) -> None:
    await spend(ledger, loss("0.95"), loss("1", "1e-6"), everyone=loss("0.97"))
    with pytest.raises(PrivacyBudgetExceeded) as mine:
        await ledger.charge(ALICE, loss("0.1"), account("1", "1e-6"), (), "SELECT 1", Decimal("0.1"))
    assert str(mine.value) == (
        "the statement costs epsilon 0.1, delta 0, and epsilon 0.05, delta 0.000001 are left of your budget"
    )
    assert mine.value.hint == "SET dp.epsilon = 0.05 or less, or ask the owner for more."
    with pytest.raises(PrivacyBudgetExceeded, match=r'epsilon 0.02, delta 0 are left of the budget "everyone"'):
        await ledger.charge(
            ALICE, loss("0.04"), account("1"), (("everyone", account("0.97")),), "SELECT 1", Decimal("0.04")
        )


async def test_the_limit_of_the_policy_counts_as_it_is_now(ledger: Ledger) -> None:
    assert await spend(ledger, loss("1"), loss("1"))
    assert await spend(ledger, loss("0.5"), loss("1")) is None
    assert await spend(ledger, loss("0.5"), loss("2"))
    assert await spend(ledger, loss("0.1"), loss("1")) is None


async def test_a_grant_raises_the_limit_and_keeps_history(server: ScratchPostgres, ledger: Ledger) -> None:
    nothing = Standing("alice")
    assert await ledger.grant(ALICE, nothing, Decimal("0.5"), Decimal(0))
    assert not await ledger.grant(ALICE, nothing, Decimal("0.5"), Decimal(0)), "granted more since"
    assert await ledger.grant(ALICE, await ledger.standing(ALICE), Decimal("0.25"), Decimal("1e-7"))
    assert await spend(ledger, loss("1.75"), loss("1"))
    assert await spend(ledger, loss("0.01"), loss("1")) is None
    standing = await ledger.standing(ALICE)
    assert (standing.granted_epsilon, standing.granted_delta) == (Decimal("0.75"), Decimal("1e-7"))
    with psycopg.connect(server.conninfo) as connection:
        assert connection.execute("SELECT count(*), sum(epsilon) FROM dp_ledger.grants").fetchone() == (
            2,
            Decimal("0.75"),
        )


async def test_an_alarm_stops_one_analyst_until_cleared(ledger: Ledger) -> None:
    await ledger.stop_analyst("alice", "the engine failed")
    await ledger.stop_analyst("alice", "again")
    assert await ledger.stopped("alice")
    assert not await ledger.stopped("bob")
    receipt = await ledger.charge(ALICE, loss("0.1"), account("1"), (), "SELECT 1", Decimal("0.1"))
    assert (receipt.stopped, receipt.spent) == (True, loss("0.1"))
    await ledger.clear("alice")
    assert not (await ledger.charge(ALICE, loss("0.1"), account("1"), (), "SELECT 1", Decimal("0.1"))).stopped


async def test_who_is_told_an_answer_is_asked_for_in_one_statement(ledger: Ledger) -> None:
    """Those over whom an alarm stands are told so, and their charges have no outcome yet; the others' are answered."""
    names = ("alice", "bob", 'Mr "X", {a}\\')
    receipts = [
        await ledger.charge(AccountRef(name), loss("0.1"), account("1"), (), "SELECT 1", Decimal("0.1"))
        for name in names
    ]
    await ledger.stop_analyst("bob", "the engine failed")
    told = await asyncio.gather(*(ledger.tell(each.id, name) for each, name in zip(receipts, names, strict=True)))
    assert told == [False, True, False]
    outcomes = [(await ledger.statements(name))[0].outcome for name in names]
    assert outcomes == [Outcome.ANSWERED, Outcome.CHARGED, Outcome.ANSWERED]
    await ledger.settle(receipts[0].id, Outcome.FAILED)
    await ledger.settle(receipts[1].id, Outcome.FAILED)
    assert not await ledger.tell(receipts[0].id, "alice")
    assert [(await ledger.statements(name))[0].outcome for name in names[:2]] == [Outcome.ANSWERED, Outcome.FAILED]


async def test_so_many_alarms_are_cleared_and_no_more(ledger: Ledger) -> None:
    for each in range(3):
        await ledger.stop_analyst("alice", f"failure {each}")
        assert await ledger.alarms() == {"alice": each + 1}
        assert await ledger.clear("alice", 3)
    await ledger.stop_analyst("alice", "once too often")
    await ledger.stop_analyst("bob", "for the first time")
    assert not await ledger.clear("alice", 3)
    assert await ledger.clear_all(3) == ("bob",)
    assert await ledger.stopped("alice") and await ledger.alarms() == {"alice": 4}
    assert await ledger.clear("alice", 4)
    assert await ledger.alarms() == {}


async def test_another_accounting_over_charges_is_a_fault(empty: ScratchPostgres) -> None:
    """Without charges it may change; afterwards 0.5 would no longer mean what it meant."""
    for accounting in (Accounting.PURE, Accounting.ZCDP):
        ledger = await Ledger.open(empty.conninfo, accounting)
        await ledger.close()
    ledger = await Ledger.open(empty.conninfo, Accounting.ZCDP)
    await spend(ledger, loss("0.5"), loss("10", "1e-6"))
    await ledger.close()
    with pytest.raises(ConfigFault) as fault:
        await Ledger.open(empty.conninfo, Accounting.PURE)
    assert 'privacy.accounting: is "pure", and the ledger holds charges made under "zcdp"' in (fault.value.detail or "")


async def test_an_accounting_that_was_changed_meanwhile_refuses(empty: ScratchPostgres) -> None:
    """Before the first charge it may be changed, also while a proxy runs that counts in the old way: it is refused."""
    first = await Ledger.open(empty.conninfo, Accounting.PURE)
    second = await Ledger.open(empty.conninfo, Accounting.ZCDP)
    with pytest.raises(LedgerUnavailable):
        await spend(first, loss("0.5"), loss("10", "1e-6"))
    assert await spend(second, loss("0.5"), loss("10", "1e-6"))
    assert (await second.standing(ALICE)).spent == loss("0.5")
    await first.close()
    await second.close()


async def test_two_proxies_open_one_ledger_at_once(empty: ScratchPostgres) -> None:
    ledgers = await asyncio.gather(*(Ledger.open(empty.conninfo, Accounting.PURE) for _ in range(4)))
    results = await asyncio.gather(*(spend(ledgers[at % 4], loss("0.1"), loss("1")) for at in range(20)))
    assert sum(receipt is not None for receipt in results) == 10
    for ledger in ledgers:
        await ledger.close()


async def test_a_charge_is_durable_whatever_the_server_is_set_to(
    server: ScratchPostgres, empty: ScratchPostgres
) -> None:
    """Under synchronous_commit = off the log still reaches the disk before the receipt does.

    Now and then the server itself has written to the log in between; not so often.
    """
    ledger = await Ledger.open(f"{empty.conninfo} options='-c synchronous_commit=off'", Accounting.PURE)
    flushed = 0
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        for _ in range(40):
            await spend(ledger, loss("0.001"), loss("1"))
            row = connection.execute("SELECT pg_current_wal_flush_lsn() = pg_current_wal_insert_lsn()").fetchone()
            flushed += row == (True,)
    assert flushed >= 36
    await ledger.close()


@pytest.mark.long
async def test_no_receipt_is_lost_in_a_crash() -> None:
    """kill -9 of the whole server while eight connections charge: each receipt is there after recovery."""
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(list(INSTALLATIONS.values())[-1]) as server:
        ledger = await Ledger.open(server.conninfo, Accounting.PURE, patience=3)
        receipts: set[int] = set()

        async def spender() -> None:
            while True:
                try:
                    receipts.add((await ledger.charge(ALICE, loss("0.01"), account("1000"), (), "q", Decimal(1))).id)
                except LedgerUnavailable:
                    return

        for _ in range(5):
            before = len(receipts)
            spenders = asyncio.gather(*(spender() for _ in range(8)))
            while len(receipts) < before + 20:
                await asyncio.sleep(0.005)
            server.kill()
            await spenders
            server.start()
            charges = await ledger.statements("alice", 1_000_000)
            assert receipts <= {charge.id for charge in charges}
            assert (await ledger.standing(ALICE)).spent == loss(str(Decimal("0.01") * len(charges)))
        await ledger.close()


async def test_an_unreachable_ledger_refuses() -> None:
    with pytest.raises(LedgerUnavailable):
        await Ledger.open("host=127.0.0.1 port=1 dbname=x user=x connect_timeout=1", Accounting.PURE, patience=0.5)


@pytest.mark.long
async def test_a_hung_ledger_refuses_and_comes_back(empty: ScratchPostgres) -> None:
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE, patience=3)
    assert await spend(ledger, loss("0.1"), loss("1"))
    empty.suspend()
    try:
        with pytest.raises(LedgerUnavailable):
            await spend(ledger, loss("0.1"), loss("1"))
    finally:
        empty.resume()
    assert await spend(ledger, loss("0.1"), loss("1"))
    await ledger.close()


@pytest.mark.long
async def test_a_locked_account_refuses_in_time(empty: ScratchPostgres) -> None:
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE, patience=2)
    assert await spend(ledger, loss("0.1"), loss("1"))
    with psycopg.connect(empty.conninfo) as connection:
        connection.execute("SELECT FROM dp_ledger.accounts FOR UPDATE")
        with pytest.raises(LedgerUnavailable):
            await spend(ledger, loss("0.1"), loss("1"))
    assert (await ledger.standing(ALICE)).spent == loss("0.1")
    await ledger.close()


async def test_a_cancelled_caller_leaves_the_ledger_working(ledger: Ledger) -> None:
    for step in range(20):
        task = asyncio.create_task(spend(ledger, loss("0.01"), loss("1")))
        await asyncio.sleep(0.0001 * step)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    spent = (await ledger.standing(ALICE)).spent
    assert spent == loss(str(Decimal("0.01") * len(await ledger.statements("alice"))))
    assert await spend(ledger, loss("0.01"), loss("1"))
