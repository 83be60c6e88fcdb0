"""Charges that are made together: each has a verdict of its own, and none is lost, doubled or made for nobody."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from between import wired
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import LedgerUnavailable, PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger, Receipt, Reset
from dpproxy.ledger.accounts_in_force import AccountInForce
from dpproxy.ledger.charge_batches import MOST, ChargeBatches, ChargeRequest
from dpproxy.ledger.records import HeldAccount, Standing
from dpproxy.ledger.under_way import AT_ONCE

TENTH = Loss(Decimal("0.1"), Decimal(0))
Row = tuple[Any, ...]


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
    opened = await Ledger.open(empty.conninfo, Accounting.PURE)
    yield opened
    await opened.close()


def of(limit: str) -> Terms:
    most = Decimal(limit)
    return Terms(Accounting.PURE, most, Decimal(0), Loss(most, Decimal(0)), most)


async def pay(
    ledger: Ledger, ref: AccountRef, limit: str = "1000", text: str = "SELECT 1", cost: Loss = TENTH
) -> Receipt:
    return await ledger.charge(ref, cost, of(limit), (), text, cost.main, ["person"])


async def known(ledger: Ledger, refs: Sequence[AccountRef]) -> None:
    """What holds for each is read before: what is charged at once is in one batch then."""
    for ref in refs:
        await pay(ledger, ref)


def sent(ledger: Ledger) -> list[Sequence[object]]:
    """The parameters of each call that the ledger makes from now on to charge."""
    calls: list[Sequence[object]] = []
    batches = ledger._batches
    run = batches._run

    async def noted(query: Any, parameters: Sequence[object]) -> list[Row]:
        calls.append(parameters)
        return await run(query, parameters)

    batches._run = noted
    return calls


async def whole(ledger: Ledger) -> None:
    """Chain and sums are as they should be."""
    assert (await ledger.verify(None, lambda _done, _of: None)).faults == []


@asynccontextmanager
async def held(server: ScratchPostgres) -> AsyncIterator[None]:
    """Nobody can be charged within."""
    async with await psycopg.AsyncConnection.connect(server.conninfo) as connection:
        await connection.execute("SELECT FROM dp_ledger.periods FOR UPDATE")
        yield


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.002)


def analysts(count: int) -> list[AccountRef]:
    return [AccountRef(f"analyst{number}") for number in range(count)]


async def test_one_call_charges_all_who_wait_and_refuses_one(ledger: Ledger) -> None:
    refs = analysts(20)
    await known(ledger, refs)
    calls = sent(ledger)
    limits = {7: "0.15"}
    # A limit of the policy's that is smaller is read once more, so it is known before.
    with pytest.raises(PrivacyBudgetExceeded):
        await pay(ledger, refs[7], limits[7])
    calls.clear()
    asked = (pay(ledger, ref, limits.get(at, "1000"), f"SELECT {at}") for at, ref in enumerate(refs))
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert len(calls) == 1
    assert [at for at, each in enumerate(results) if not isinstance(each, Receipt)] == [7]
    assert isinstance(results[7], PrivacyBudgetExceeded)
    assert "epsilon 0.05, delta 0 are left of your budget" in str(results[7])
    for at, ref in enumerate(refs):
        receipt, charges = results[at], await ledger.statements(ref.analyst)
        if isinstance(receipt, Receipt):
            assert (charges[0].id, charges[0].statement) == (receipt.id, f"SELECT {at}")
            assert (receipt.spent, receipt.left) == (TENTH + TENTH, Loss(Decimal("999.8"), Decimal(0)))
        assert len(charges) == (1 if at == 7 else 2)
    assert (await ledger.group_standing("everyone")).spent.main == Decimal("0.1") * 39
    await whole(ledger)


async def test_one_analyst_is_charged_one_after_the_other(ledger: Ledger) -> None:
    """Of thirty at once as many as fit, each after those before it."""
    [ref] = analysts(1)
    await known(ledger, [ref])
    calls = sent(ledger)
    results = await asyncio.gather(*(pay(ledger, ref, "1000", f"SELECT {at}") for at in range(30)))
    assert len(calls) == 1
    assert [each.spent.main for each in results] == [Decimal("0.1") * n for n in range(2, 32)]
    assert [each.id for each in results] == sorted(each.id for each in results)
    limited = await asyncio.gather(*(pay(ledger, ref, "3.5") for _ in range(30)), return_exceptions=True)
    assert Counter(type(each) for each in limited) == {Receipt: 4, PrivacyBudgetExceeded: 26}
    assert (await ledger.standing(ref)).spent.main == Decimal("3.5")
    await whole(ledger)


async def test_one_that_fails_takes_nobody_along(ledger: Ledger) -> None:
    """What the server cannot write down is refused alone, whichever place it has; the others are charged once."""
    refs = analysts(12)
    await known(ledger, refs)
    for text, cost in (("SELECT '\0'", TENTH), ("SELECT 1", Loss(Decimal("1e40"), Decimal(0)))):
        before = len(await _rows(ledger, refs))
        asked = [pay(ledger, ref, "1000") for ref in refs]
        bad = asyncio.ensure_future(ledger.charge(refs[3], cost, of("1e41"), (), text, Decimal(1)))
        results = await asyncio.gather(*asked[:5], bad, *asked[5:], return_exceptions=True)
        assert [type(each) for at, each in enumerate(results) if at != 5] == [Receipt] * len(refs)
        assert isinstance(results[5], LedgerUnavailable)
        assert len(await _rows(ledger, refs)) == before + len(refs)
    await whole(ledger)


async def test_what_changed_for_one_changes_nothing_for_others(empty: ScratchPostgres, ledger: Ledger) -> None:
    """Another process grants something: whose limits were worked out before is charged by the new ones."""
    refs = analysts(5)
    await known(ledger, refs)
    other = await Ledger.open(empty.conninfo, Accounting.PURE)
    assert await other.grant(refs[2], await other.standing(refs[2]), Decimal(1), Decimal(0))
    await other.close()
    calls = sent(ledger)
    receipts = await asyncio.gather(*(pay(ledger, ref) for ref in refs))
    assert len(calls) == 2
    assert [each.left.main for each in receipts] == [
        Decimal(each) for each in ("999.8", "999.8", "1000.8", "999.8", "999.8")
    ]
    await whole(ledger)


async def test_who_leaves_before_it_is_sent_is_not_charged(empty: ScratchPostgres, ledger: Ledger) -> None:
    refs = analysts(8)
    await known(ledger, refs)
    calls = sent(ledger)
    async with held(empty):
        under_way = [await _begun(pay(ledger, refs[at]), calls) for at in range(AT_ONCE)]
        waiting = [asyncio.create_task(pay(ledger, ref)) for ref in refs]
        await asyncio.sleep(0.05)
        assert len(calls) == AT_ONCE
        for at in (0, 3, 7):
            waiting[at].cancel()
        await asyncio.wait([waiting[at] for at in (0, 3, 7)])
    await asyncio.gather(*under_way, *(each for at, each in enumerate(waiting) if at not in (0, 3, 7)))
    assert len(await _rows(ledger, refs)) == len(refs) + AT_ONCE + len(refs) - 3
    await whole(ledger)


async def test_who_leaves_later_stays_charged_and_nobody_else_is_touched(
    empty: ScratchPostgres, ledger: Ledger
) -> None:
    refs = analysts(8)
    await known(ledger, refs)
    calls = sent(ledger)
    async with held(empty):
        tasks = [asyncio.create_task(pay(ledger, ref)) for ref in refs]
        await until(lambda: len(calls) == 1)
        for at in (0, 3, 7):
            tasks[at].cancel()
        await asyncio.wait([tasks[at] for at in (0, 3, 7)])
    receipts = await asyncio.gather(*(each for at, each in enumerate(tasks) if at not in (0, 3, 7)))
    rows = await _rows(ledger, refs)
    assert len(rows) == 2 * len(refs) and {each.id for each in receipts} <= rows
    assert len(calls) == 1
    await whole(ledger)


async def test_a_cut_connection_is_told_to_all_and_nothing_is_sent_again(empty: ScratchPostgres) -> None:
    """Wherever it is cut: all of a batch are on record, or none, and nobody has a receipt."""
    direct = await Ledger.open(empty.conninfo, Accounting.PURE)
    refs = analysts(10)
    made = set[int]()
    async with wired(empty.conninfo) as wire:
        ledger = await Ledger.open(wire.conninfo, Accounting.PURE, patience=3)
        await known(ledger, refs)
        calls = sent(ledger)
        for replies in (0, 1, None):
            before = await _rows(direct, refs)
            wire.replies = replies
            async with held(empty):
                tasks = [asyncio.create_task(pay(ledger, ref)) for ref in refs]
                await until(lambda: bool(calls))
                if replies is None:
                    wire.cut()
            results = await asyncio.gather(*tasks, return_exceptions=True)
            wire.replies = None
            rows = await _settled(direct, refs)
            made.add(len(rows) - len(before))
            receipts = {each.id for each in results if isinstance(each, Receipt)}
            assert receipts <= rows - before
            assert {type(each) for each in results} in ({Receipt}, {LedgerUnavailable})
            assert len(calls) == 1
            await pay(ledger, refs[0])
            calls.clear()
        await ledger.close()
    assert made <= {0, len(refs)} and len(refs) in made
    await whole(direct)
    await direct.close()


@pytest.mark.long
async def test_who_waits_too_long_is_refused_and_not_charged(empty: ScratchPostgres) -> None:
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE, patience=2)
    refs = analysts(5)
    await known(ledger, refs)
    calls = sent(ledger)
    async with held(empty):
        under_way = [await _begun(pay(ledger, refs[at]), calls) for at in range(AT_ONCE)]
        waiting = [asyncio.create_task(pay(ledger, ref)) for ref in refs]
        results = await asyncio.gather(*under_way, *waiting, return_exceptions=True)
    assert {type(each) for each in results} == {LedgerUnavailable}
    assert len(await _rows(ledger, refs)) == len(refs)
    assert (await pay(ledger, refs[0])).spent == TENTH + TENTH
    await ledger.close()


async def test_versions_of_the_data_are_not_mixed(ledger: Ledger) -> None:
    """A reload while charges wait: each goes to the account of its own version."""
    old, new = AccountRef("ada", Reset.DATA_VERSION, "1"), AccountRef("bob", Reset.DATA_VERSION, "2")
    await known(ledger, [old, new])
    calls = sent(ledger)
    receipts = await asyncio.gather(*(pay(ledger, (old, new)[at % 2]) for at in range(10)))
    assert [each.period for each in receipts] == ["data:1", "data:2"] * 5
    assert len(calls) == 2
    assert {(await ledger.standing(each)).spent.main for each in (old, new)} == {Decimal("0.6")}
    await whole(ledger)


async def test_what_is_sent_is_made_before_it_closes(empty: ScratchPostgres) -> None:
    ledger = await Ledger.open(empty.conninfo, Accounting.PURE)
    refs = analysts(4)
    await known(ledger, refs)
    calls = sent(ledger)
    async with held(empty):
        under_way = [await _begun(pay(ledger, refs[at]), calls) for at in range(AT_ONCE)]
        waiting = asyncio.create_task(pay(ledger, refs[3]))
        await asyncio.sleep(0.01)
        closing = asyncio.create_task(ledger.close())
        with pytest.raises(LedgerUnavailable, match="closed"):
            await waiting
        assert not closing.done()
    assert all(isinstance(each, Receipt) for each in await asyncio.gather(*under_way))
    await closing


@pytest.mark.long
@pytest.mark.parametrize("isolation", ["read committed", "repeatable read"])
async def test_many_callers_of_several_processes_never_overspend(empty: ScratchPostgres, isolation: str) -> None:
    """Sixty callers through three ledgers, in batches of all sizes; some are cancelled. Where the server's isolation
    was changed after the start, charges that meet are refused: who has a receipt is on record, and is no more than the
    limits allow."""
    chance = random.Random(isolation)
    refs, ledgers = analysts(6), [await Ledger.open(empty.conninfo, Accounting.PURE) for _ in range(3)]
    for each, most in zip(ledgers, (1, 4, MOST), strict=True):
        each._batches._most = most
    everyone = (("everyone", of("9")),)
    with psycopg.connect(empty.conninfo, autocommit=True) as connection:
        connection.execute(f"ALTER ROLE {empty.owner} SET default_transaction_isolation = '{isolation}'")
    for each in ledgers:
        while each._pool._idle:
            await each._pool._idle.pop().close()
    receipts, outcomes = list[tuple[str, int]](), Counter[str]()

    async def caller(number: int) -> None:
        ref, ledger = chance.choice(refs), ledgers[number % 3]
        for _ in range(5):
            cost = Loss(Decimal(chance.randrange(1, 10)) / 100, Decimal(0))
            task = asyncio.create_task(ledger.charge(ref, cost, of("2"), everyone, "SELECT 1", cost.main))
            if chance.random() < 0.15:
                asyncio.get_running_loop().call_later(chance.random() / 20, task.cancel)
            [result] = await asyncio.gather(task, return_exceptions=True)
            outcomes[type(result).__name__] += 1
            if isinstance(result, Receipt):
                receipts.append((ref.analyst, result.id))

    try:
        await asyncio.gather(*(caller(number) for number in range(60)))
    finally:
        with psycopg.connect(empty.conninfo, autocommit=True) as connection:
            connection.execute(f"ALTER ROLE {empty.owner} RESET default_transaction_isolation")
        for each in ledgers:
            await each.close()
    fresh = await Ledger.open(empty.conninfo, Accounting.PURE)
    charges = {ref.analyst: await fresh.statements(ref.analyst) for ref in refs}
    assert len(set(receipts)) == len(receipts)
    assert set(receipts) <= {(name, charge.id) for name, every in charges.items() for charge in every}
    assert all(sum(charge.cost.main for charge in every) <= 2 for every in charges.values())
    spent = (await fresh.group_standing("everyone")).spent.main
    assert spent == sum(charge.cost.main for every in charges.values() for charge in every) <= 9
    assert set(outcomes) <= {"Receipt", "PrivacyBudgetExceeded", "CancelledError", "LedgerUnavailable"}
    if isolation == "read committed":
        assert not outcomes["LedgerUnavailable"]
        assert spent > Decimal("8.9"), "as much as fits"
    await whole(fresh)
    await fresh.close()


def _asked(name: str) -> ChargeRequest:
    account = AccountInForce("analyst", None, HeldAccount(Standing(name), Reset.NEVER, of("1")))
    return ChargeRequest("", (account,), "SELECT 1", Decimal("0.1"), TENTH, None, None)


def _names(parameters: Sequence[object]) -> list[str]:
    """Whose accounts a call is for: the text of an array of plain names."""
    return [each.strip('"') for each in str(parameters[1]).strip("{}").split(",")]


async def _fails(*first: type[psycopg.Error]) -> tuple[list[int], list[object]]:
    """The sizes of the calls where the first ones fail so, and what ten callers are told."""
    sizes, faults = list[int](), list(first)

    async def run(_query: str, parameters: Sequence[object]) -> list[Row]:
        names = _names(parameters)
        sizes.append(len(names))
        await asyncio.sleep(0)
        if faults:
            raise LedgerUnavailable("it failed") from faults.pop(0)()
        return [(number, False, 0, ["ever"], [None], [TENTH.main], [TENTH.delta], False) for number in names]

    batches = ChargeBatches(run, 5, Accounting.PURE)
    asked: list[Awaitable[object]] = [batches.charge(_asked(str(at))) for at in range(10)]
    told = list(await asyncio.gather(*asked, return_exceptions=True))
    await batches.close()
    return sizes, told


@pytest.mark.parametrize(
    "fault",
    [psycopg.errors.UntranslatableCharacter, psycopg.errors.CheckViolation, psycopg.errors.SerializationFailure],
)
async def test_what_the_server_has_undone_is_sent_once_more_alone(fault: type[psycopg.Error]) -> None:
    sizes, told = await _fails(fault, fault)
    assert sizes == [10] + [1] * 10
    assert [isinstance(each, LedgerUnavailable) for each in told] == [True] + [False] * 9


async def test_who_left_meanwhile_is_not_sent_alone() -> None:
    names = list[list[str]]()

    async def run(_query: str, parameters: Sequence[object]) -> list[Row]:
        names.append(_names(parameters))
        await asyncio.sleep(0.01)
        if len(names) == 1:
            tasks[2].cancel()
            raise LedgerUnavailable("it failed") from psycopg.errors.CheckViolation()
        return [(1, False, 0, ["ever"], [None], [TENTH.main], [TENTH.delta], False)]

    batches = ChargeBatches(run, 5, Accounting.PURE)
    tasks = [asyncio.create_task(batches.charge(_asked(str(at)))) for at in range(4)]
    await asyncio.wait(tasks)
    assert names == [["0", "1", "2", "3"], ["0"], ["1"], ["3"]]
    assert [each.cancelled() for each in tasks] == [False, False, True, False]
    await batches.close()


@pytest.mark.parametrize(
    "fault",
    [
        psycopg.OperationalError,
        psycopg.errors.LockNotAvailable,
        psycopg.errors.DiskFull,
        psycopg.errors.AdminShutdown,
        psycopg.errors.TransactionResolutionUnknown,
        psycopg.errors.StatementCompletionUnknown,
    ],
)
async def test_all_else_is_not_sent_again(fault: type[psycopg.Error]) -> None:
    sizes, told = await _fails(fault)
    assert sizes == [10]
    assert len({id(each) for each in told}) == 10, "each has an error of its own"
    assert all(isinstance(each, LedgerUnavailable) and isinstance(each.__cause__, fault) for each in told)


async def _rows(ledger: Ledger, refs: Sequence[AccountRef]) -> set[int]:
    return {charge.id for ref in refs for charge in await ledger.statements(ref.analyst)}


async def _settled(ledger: Ledger, refs: Sequence[AccountRef]) -> set[int]:
    """After all that is under way in the server: whose connection was cut is made there or undone."""
    async with ledger._pool.connection() as connection, connection.transaction():
        await connection.execute("LOCK TABLE dp_ledger.periods IN EXCLUSIVE MODE")
    return await _rows(ledger, refs)


async def _begun(charge: Any, calls: list[Any]) -> asyncio.Task[Receipt]:
    """A charge that was sent, alone."""
    count = len(calls)
    task: asyncio.Task[Receipt] = asyncio.create_task(charge)
    await until(lambda: len(calls) > count)
    return task


async def test_charges_wait_for_others_while_the_engine_has_enough_to_do() -> None:
    """And no longer than that."""
    names, supplied = list[list[str]](), True

    async def run(_query: str, parameters: Sequence[object]) -> list[Row]:
        names.append(_names(parameters))
        return [(1, False, 0, ["ever"], [None], [TENTH.main], [TENTH.delta], False) for _ in names[-1]]

    batches = ChargeBatches(run, 5, Accounting.PURE, supplied=lambda: supplied)
    tasks = list[asyncio.Task[object]]()
    for at in range(3):
        tasks.append(asyncio.create_task(batches.charge(_asked(str(at)))))
        await asyncio.sleep(0)
    assert not names
    await asyncio.gather(*tasks)
    assert names == [["0", "1", "2"]]
    tasks = [asyncio.create_task(batches.charge(_asked("3")))]
    await asyncio.sleep(0)
    supplied = False
    await asyncio.gather(batches.charge(_asked("4")), *tasks)
    assert names[1:] == [["3", "4"]]
    await batches.close()
