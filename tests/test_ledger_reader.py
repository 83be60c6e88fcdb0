"""Charges by day and one by one, read on from where they were read last."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import date
from decimal import Decimal

import psycopg
import pytest
import pytest_asyncio
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.ledger.ledger_reader import Day, DayGrant, running

TEN = terms(Accounting.PURE, Decimal(10), Decimal("1e-6"))
TENTH = Loss(Decimal("0.1"), Decimal("1e-8"))


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(next(iter(INSTALLATIONS.values()))) as running:
        yield running


@pytest_asyncio.fixture
async def ledger(server: ScratchPostgres) -> AsyncIterator[Ledger]:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
    opened = await Ledger.open(server.conninfo, Accounting.PURE)
    yield opened
    await opened.close()


async def charge(ledger: Ledger, analyst: str, statement: str) -> int:
    return (await ledger.charge(AccountRef(analyst), TENTH, TEN, (), statement, Decimal("0.1"))).id


async def test_charges_one_by_one(ledger: Ledger) -> None:
    """The owner by id, an analyst by a number of their own; what they do not have is not there."""
    ids = [await charge(ledger, analyst, analyst * 2) for analyst in ("alice", "bob", "alice")]
    reader = ledger.reader()
    assert [(each.analyst, each.number) for each in await reader.latest(2)] == [("alice", ids[2]), ("bob", ids[1])]
    found = await reader.charge(ids[1])
    assert found is not None and (found.analyst, found.statement, found.cost) == ("bob", "bobbob", TENTH)
    assert await reader.charge(ids[2] + 1) is None
    own = [await reader.own_charge("alice", number) for number in (0, 1, 2, 3, 2**70)]
    newest, oldest = await reader.own_latest("alice", 5)
    assert own == [None, oldest, newest, None, None] and (oldest.number, newest.number) == (1, 2)
    assert await reader.own_charge("nobody", 1) is None


async def test_charges_part_by_part(ledger: Ledger) -> None:
    """Newest first, each part before the last number of the one before it: none is left out, none twice."""
    ids = [await charge(ledger, analyst, f"{analyst} {i}") for i in range(4) for analyst in ("alice", "bob")]
    reader = ledger.reader()
    assert [each.number for each in await reader.latest(3, ids[4])] == [ids[3], ids[2], ids[1]]
    whole = await reader.own_latest("bob", 10)
    assert [(each.number, each.statement) for each in whole] == [(4 - i, f"bob {3 - i}") for i in range(4)]
    assert whole == tuple([await reader.own_charge("bob", number) for number in (4, 3, 2, 1)])
    assert await reader.own_latest("bob", 2) == whole[:2]
    assert await reader.own_latest("bob", 2, 3) == whole[2:]
    assert await reader.own_latest("bob", 2, 9) == whole[:2]
    assert await reader.own_latest("bob", 2, 1) == () == await reader.own_latest("nobody", 2)


async def test_grants_by_day(ledger: Ledger, server: ScratchPostgres) -> None:
    for _ in range(2):
        assert await ledger.grant(
            AccountRef("alice"), await ledger.standing(AccountRef("alice")), TENTH.main, TENTH.delta
        )
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("UPDATE dp_ledger.grants SET at = '2026-11-01 23:59+00'")
    granted = DayGrant("ever", date(2026, 11, 1), TENTH.main * 2, TENTH.delta * 2)
    assert await ledger.reader().grants("alice") == (granted,)
    assert await ledger.reader().grants("bob") == ()


async def test_days_are_read_on(ledger: Ledger, server: ScratchPostgres) -> None:
    reader = ledger.reader()
    assert await reader.days("alice") == ()
    first = await charge(ledger, "alice", "x")
    await charge(ledger, "bob", "x")
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("UPDATE dp_ledger.charges SET at = '2026-11-01 23:59+00' WHERE id = %s", (first,))
    assert await reader.days("alice") == (Day("ever", date(2026, 11, 1), 1, TENTH),)
    for _ in range(2):
        await charge(ledger, "alice", "x")
    [old, new] = await reader.days("alice")
    assert (old.statements, new.statements, new.spent) == (1, 2, TENTH + TENTH)
    await charge(ledger, "alice", "x")
    assert (await reader.days("alice"))[1].statements == 3
    assert await ledger.reader().days("alice") == await reader.days("alice")


def test_what_an_account_had_spent_at_the_end_of_a_day() -> None:
    days = [Day(period, date(2026, 11, at), 1, TENTH) for period, at in (("a", 2), ("a", 1), ("b", 3), ("a", 4))]
    assert [(each.day.day, spent.main * 10) for each, spent in running(days)] == [(1, 1), (2, 2), (3, 1), (4, 3)]
