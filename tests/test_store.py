"""Stored releases: kept for their analyst alone, claimed by one at a time, and bounded in size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
import pytest_asyncio
from scratch_postgres import INSTALLATIONS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import LedgerUnavailable
from dpproxy.ledger import Ledger
from dpproxy.ledger.release_store import MOST_OF_ONE, ReleaseStore

pytestmark = pytest.mark.long

ONE, TWO, THREE = b"1" * 32, b"2" * 32, b"3" * 32
SIZE = 1000


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    with scratch_postgres(next(iter(INSTALLATIONS.values()))) as running:
        yield running


@pytest_asyncio.fixture
async def ledgers(server: ScratchPostgres) -> AsyncIterator[tuple[Ledger, Ledger]]:
    """Of two proxies."""
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dp, dp_ledger CASCADE")
    both = [await Ledger.open(server.conninfo, Accounting.PURE, connections=30) for _ in range(2)]
    yield both[0], both[1]
    for each in both:
        await each.close()


@pytest_asyncio.fixture
async def stores(ledgers: tuple[Ledger, Ledger]) -> AsyncIterator[tuple[ReleaseStore, ReleaseStore]]:
    both = [each.store(SIZE) for each in ledgers]
    yield both[0], both[1]
    for each in both:
        await each.close()


async def waits(task: asyncio.Task[object]) -> bool:
    done, _ = await asyncio.wait({task}, timeout=0.4)
    return not done


async def test_what_is_kept_is_there_for_its_analyst_alone(stores: tuple[ReleaseStore, ReleaseStore]) -> None:
    one, other = stores
    assert not (await one.take("alice", (ONE, TWO))).there
    await one.put("alice", {ONE: "first", TWO: "second"})
    for store in stores:
        found = await store.take("alice", (TWO, ONE))
        assert {key: each.body for key, each in found.there.items()} == {ONE: "first", TWO: "second"}
    assert not (await other.take("bob", (ONE,))).there
    assert not await other.peek("carol", (ONE,))
    assert {key: each.body for key, each in (await other.peek("alice", (ONE, THREE))).items()} == {ONE: "first"}


async def test_a_newer_release_takes_the_place_of_an_older_one(stores: tuple[ReleaseStore, ReleaseStore]) -> None:
    one, other = stores
    await one.put("alice", {ONE: "old"})
    before = (await one.peek("alice", (ONE,)))[ONE].at
    await other.put("alice", {ONE: "new"})
    found = (await one.take("alice", (ONE,))).there[ONE]
    assert found.body == "new"
    assert found.at > before


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_others_wait_for_what_is_claimed(stores: tuple[ReleaseStore, ReleaseStore], elsewhere: bool) -> None:
    one, other = stores
    assert not (await one.take("alice", (ONE,))).there
    waiting = [asyncio.create_task((other if elsewhere else one).take("alice", (ONE,))) for _ in range(20)]
    assert await waits(waiting[0])
    assert not (await other.take("alice", (TWO,))).there  # another question does not wait
    assert not (await other.take("bob", (ONE,))).there  # nor another analyst
    await one.put("alice", {ONE: "done"})
    for task in waiting:
        assert (await asyncio.wait_for(task, 10)).there[ONE].body == "done"


@pytest.mark.parametrize("elsewhere", [False, True])
async def test_one_of_those_who_wait_goes_on_where_the_first_has_failed(
    stores: tuple[ReleaseStore, ReleaseStore], elsewhere: bool
) -> None:
    one, other = stores
    await one.take("alice", (ONE,))
    second = other if elsewhere else one
    waiting = [asyncio.create_task(second.take("alice", (ONE,))) for _ in range(5)]
    assert await waits(waiting[0])
    await one.drop("alice", (ONE,))
    done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED, timeout=10)
    assert len(done) == 1
    assert not next(iter(done)).result().there
    assert await waits(next(iter(rest)))
    await second.put("alice", {ONE: "at last"})
    assert {(await asyncio.wait_for(task, 10)).there[ONE].body for task in rest} == {"at last"}


async def test_whoever_waits_holds_no_claim(stores: tuple[ReleaseStore, ReleaseStore]) -> None:
    """Two questions that share their parts crosswise would wait for each other for ever."""
    one, other = stores
    await one.take("alice", (ONE,))
    waiting = asyncio.create_task(other.take("alice", (TWO, ONE)))
    assert await waits(waiting)
    assert not (await one.take("alice", (TWO,))).there
    await one.put("alice", {ONE: "one", TWO: "two"})
    assert len((await asyncio.wait_for(waiting, 10)).there) == 2


async def test_a_claim_ends_with_its_proxy(
    stores: tuple[ReleaseStore, ReleaseStore], server: ScratchPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpproxy.ledger.release_store._LEASE", 0.6)
    one, other = stores
    await one.take("alice", (ONE,))
    waiting = asyncio.create_task(other.take("alice", (ONE,)))
    await asyncio.sleep(1.5)
    assert not waiting.done()  # renewed as long as it lives
    await one.close()
    assert not (await asyncio.wait_for(waiting, 10)).there


async def test_a_claim_from_before_the_clock_was_set_back_ends(
    stores: tuple[ReleaseStore, ReleaseStore], server: ScratchPostgres
) -> None:
    one, other = stores
    await one.take("alice", (ONE,))
    await one.close()
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("UPDATE dp_ledger.releases SET claimed_until = claimed_until + interval '1 hour'")
    assert not (await asyncio.wait_for(other.take("alice", (ONE,)), 30)).there


@pytest.mark.parametrize("moment", [0, 0.0005, 0.001, 0.002, 0.005])
async def test_who_is_cancelled_leaves_no_claim(stores: tuple[ReleaseStore, ReleaseStore], moment: float) -> None:
    one, other = stores
    await other.peek("alice", (ONE,))
    asking = asyncio.create_task(one.take("alice", (ONE,)))
    await asyncio.sleep(moment)
    if not asking.cancel():
        await one.drop("alice", (ONE,))
    await asyncio.wait({asking})
    if not asking.cancelled():
        await one.drop("alice", (ONE,))
    assert not (await asyncio.wait_for(other.take("alice", (ONE,)), 3)).there


async def test_size_is_bounded_and_the_oldest_go(stores: tuple[ReleaseStore, ReleaseStore]) -> None:
    one, _ = stores
    await one.put("bob", {ONE: "b" * SIZE})
    for number in range(30):
        await one.put("alice", {bytes([number]) * 32: "x" * 100})
    kept = await one.peek("alice", [bytes([number]) * 32 for number in range(30)])
    assert sorted(key[0] for key in kept) == list(range(20, 30))
    assert await one.peek("bob", (ONE,))


async def test_what_is_too_large_is_not_kept_and_nobody_waits_for_it(
    stores: tuple[ReleaseStore, ReleaseStore], ledgers: tuple[Ledger, Ledger]
) -> None:
    one, other = stores
    await one.take("alice", (ONE,))
    await one.put("alice", {ONE: "x" * (SIZE + 1)})
    assert not (await asyncio.wait_for(other.take("alice", (ONE,)), 5)).there
    large = ledgers[0].store(100 * MOST_OF_ONE)
    await large.put("alice", {TWO: "x" * (MOST_OF_ONE + 1), THREE: "x" * MOST_OF_ONE})
    assert set(await large.peek("alice", (TWO, THREE))) == {THREE}


async def test_what_is_too_old_is_paid_again(ledgers: tuple[Ledger, Ledger], server: ScratchPostgres) -> None:
    store = ledgers[0].store(SIZE, age=60)
    await store.put("alice", {ONE: "old", TWO: "young"})
    with psycopg.connect(server.conninfo, autocommit=True) as connection:
        connection.execute("UPDATE dp_ledger.releases SET at = at - interval '61 s' WHERE key = %s", (ONE,))
    assert set(await store.peek("alice", (ONE, TWO))) == {TWO}
    assert set((await store.take("alice", (ONE, TWO))).there) == {TWO}
    await store.put("alice", {ONE: "new"})
    assert (await store.take("alice", (ONE,))).there[ONE].body == "new"


async def test_nothing_is_told_to_who_is_stopped(
    stores: tuple[ReleaseStore, ReleaseStore], ledgers: tuple[Ledger, Ledger]
) -> None:
    one, other = stores
    await one.put("alice", {ONE: "there"})
    await ledgers[0].stop_analyst("alice", "a test's")
    assert (await one.take("alice", (ONE, TWO))).stopped
    assert not await one.peek("alice", (ONE, TWO))
    assert not (await other.take("bob", (TWO,))).stopped
    await ledgers[0].clear("alice")
    assert not (await asyncio.wait_for(other.take("alice", (TWO,)), 5)).there  # it was not claimed


async def test_a_store_that_is_away_is_a_refusal(server: ScratchPostgres) -> None:
    ledger = await Ledger.open(server.conninfo, Accounting.PURE, patience=0.5)
    store = ledger.store(SIZE)
    await ledger.close()
    with pytest.raises(LedgerUnavailable):
        await store.take("alice", (ONE,))
