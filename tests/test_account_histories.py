"""What charges of an account were: kept with each, added up by account, read on from where it was; also of older
ledgers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from decimal import Decimal

import psycopg
import pytest
import pytest_asyncio
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import terms
from dpproxy.accounting.dominating_pairs import LaplacePair, Pairs, PurePair
from dpproxy.accounting.history import History, amounts_to
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.ledger import EVERYONE, AccountRef, Ledger, account_histories, migrations
from dpproxy.ledger.hash_chain import ROWS, following

pytestmark = pytest.mark.long

ALICE, BOB = AccountRef("alice"), AccountRef("bob")
TEN = terms(Accounting.PURE, Decimal(10), Decimal("1e-6"))
TENTH = Loss(Decimal("0.1"), Decimal("1e-8"))
ONE: Pairs = ((LaplacePair(10.0, 1), 1),)
TWO: Pairs = ((LaplacePair(10.0, 1), 2), (PurePair(Decimal("0.05")), 1))


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with scratch_postgres(list(INSTALLATIONS.values())[-1]) as running:
        yield running


@pytest.fixture
def owner(server: ScratchPostgres) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
        yield connection


@pytest_asyncio.fixture
async def ledger(server: ScratchPostgres, owner: object) -> AsyncIterator[Ledger]:
    opened = await Ledger.open(server.conninfo, Accounting.PURE)
    yield opened
    await opened.close()


async def pay(ledger: Ledger, pairs: Pairs | None, ref: AccountRef = ALICE, times: int = 1) -> None:
    for _ in range(times):
        await ledger.charge(ref, TENTH, TEN, (), "SELECT 1", TENTH.main, ("person",), pairs)


async def history(ledger: Ledger, ref: AccountRef = ALICE) -> History:
    return await ledger.history(await ledger.standing(ref))


def tenths(times: int) -> Loss:
    return Loss(TENTH.main * times, TENTH.delta * times)


async def test_equal_pairs_are_counted(ledger: Ledger) -> None:
    assert await history(ledger) == History()
    await pay(ledger, ONE, times=3)
    assert await history(ledger) == History(((LaplacePair(10.0, 1), 3),), ZERO, tenths(3))
    await pay(ledger, TWO)
    await pay(ledger, ONE, BOB)
    both = ((LaplacePair(10.0, 1), 5), (PurePair(Decimal("0.05")), 1))
    assert await history(ledger) == History(both, ZERO, tenths(4)), "read on, and nobody else's"
    assert await history(ledger) == await history(ledger)
    everyone = await ledger.group_history(await ledger.group_standing(EVERYONE))
    assert (everyone.pairs[0], everyone.spent) == ((LaplacePair(10.0, 1), 6), tenths(5))


async def test_a_new_account_begins_with_nothing(ledger: Ledger) -> None:
    await pay(ledger, ONE)
    await ledger.reset(ALICE)
    assert await history(ledger) == History()
    await pay(ledger, TWO)
    assert await history(ledger) == History(TWO, ZERO, tenths(1))


async def test_another_proxy_reads_the_same(server: ScratchPostgres, ledger: Ledger) -> None:
    await pay(ledger, ONE, times=2)
    other = await Ledger.open(server.conninfo, Accounting.PURE)
    assert await history(other) == await history(ledger)
    await pay(other, TWO)
    assert await history(ledger) == await history(other)
    await other.close()


async def test_pairs_are_chained(ledger: Ledger, owner: psycopg.Connection[tuple[object, ...]]) -> None:
    await pay(ledger, ONE, times=2)
    await pay(ledger, None)
    assert (await ledger.verify(None, lambda *_: None)).faults == []
    for change in ("NULL", "'[]'"):
        owner.execute(f"UPDATE dp_ledger.charges SET pairs = {change} WHERE id = 1".encode())
        assert (await ledger.verify(None, lambda *_: None)).faults == ["charge 1, or its entry 3, was changed"]


async def test_a_ledger_of_before_goes_on(
    server: ScratchPostgres, ledger: Ledger, owner: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Version 3, as it was: no pairs, and entries without them. Its charges count by what they cost."""
    await pay(ledger, None, times=2)
    _, columns = ROWS["charge"]
    entry = (
        b"SELECT b.hash, e.number, e.hash, ARRAY[%s] FROM dp_ledger.entries e JOIN dp_ledger.entries b"
        % ", ".join(columns).encode()
    )
    entry += b" ON b.number = e.number - 1 JOIN dp_ledger.charges t ON t.id = e.id WHERE e.what = 'charge' AND t.id = 1"
    [(before, number, hash_, fields)] = owner.execute(entry).fetchall()
    assert hash_ == following(before, number, "charge", 1, fields)  # type: ignore[arg-type]
    owner.execute("ALTER TABLE dp_ledger.charges DROP pairs; DROP TABLE dp_ledger.approvals")
    owner.execute("UPDATE dp_ledger.ledger SET version = 3")
    newer = await Ledger.open(server.conninfo, Accounting.PURE)
    assert owner.execute("SELECT version FROM dp_ledger.ledger").fetchone() == (migrations.VERSION,)
    assert (await newer.verify(None, lambda *_: None)).faults == []
    assert await history(newer) == History((), tenths(2), tenths(2))
    await pay(newer, ONE)
    now = await history(newer)
    assert now == History(ONE, tenths(2), tenths(3))
    assert (await newer.verify(None, lambda *_: None)).faults == []
    assert Decimal("0.2") < amounts_to(now, TEN) <= Decimal("0.3")
    await newer.close()


async def test_what_was_carried_counts(ledger: Ledger, owner: psycopg.Connection[tuple[object, ...]]) -> None:
    await pay(ledger, ONE)
    owner.execute("INSERT INTO dp_ledger.carried (kind, name, period, main) VALUES ('analyst', 'alice', 'ever', 0.3)")
    found = await history(ledger)
    assert found.unknown == Loss(Decimal("0.3"), Decimal(0))
    assert found.spent.main == Decimal("0.4")
    await pay(ledger, ONE)
    assert (await history(ledger)).unknown == found.unknown, "once"


async def test_too_many_kinds_count_by_what_they_cost(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_histories, "_MOST_PAIRS", 3)
    for scale in range(1, 6):
        await pay(ledger, ((LaplacePair(float(scale), 1), 1),))
    found = await history(ledger)
    assert (len(found.pairs), found.unknown, found.spent) == (3, tenths(2), tenths(5))
    await pay(ledger, ONE)
    assert (await history(ledger)).unknown == tenths(3)
