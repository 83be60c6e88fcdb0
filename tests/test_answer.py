"""Charge, run, release: the order, and what becomes of a charge when something fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from applied import applied
from worlds import TERMS

from dpproxy.accounting.loss import Loss
from dpproxy.answering.answer import answer
from dpproxy.answering.public_keys import TooManyKeys
from dpproxy.answering.queue import QueueShare, StatementQueue
from dpproxy.answering.resources import AnalystAccount, Resources
from dpproxy.catalog.policy import Catalog, Proof
from dpproxy.catalog.types import BIGINT, TEXT
from dpproxy.engines import EngineQuery, Ticket
from dpproxy.engines import Work as EngineWork
from dpproxy.engines.canceling import canceled_by
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.error_bars import ToldRows
from dpproxy.errors import (
    DPProxyError,
    EngineChanged,
    EngineFailure,
    EngineUnavailable,
    LedgerUnavailable,
    NotPrivate,
    PrivacyBudgetExceeded,
    QueryCanceled,
    StatementTimeout,
)
from dpproxy.ledger.records import AccountRef, Outcome, Receipt
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.selection import Selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import deadline_noise
from dpproxy.plan.formulas import CountOf
from dpproxy.plan.private_plan import (
    MOST_PUBLIC_KEYS,
    Bounded,
    FromPublic,
    FromRelease,
    Key,
    Limit,
    Literals,
    Measure,
    MeasureKind,
    Output,
    Plan,
    Post,
    PrivateKeys,
    Release,
    ViewColumn,
)
from dpproxy.plan.timing import Speed
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.plan.work import Work
from dpproxy.post_arrays import arrays, text
from dpproxy.rows import Column, Rows, Value

COUNT = Measure("m0", MeasureKind.ROWS, 0, 1, Decimal(1), Decimal(0), "COUNT(*)")
KEY = Key("k0", TEXT, FromPublic("SELECT dept FROM departments"), "dept")
BOUNDED = Bounded("SELECT bounded", "person", (KEY,), (COUNT,), False, 1, 1, Limit.ONE_ROW)
NOISE = Noise(Distribution.LAPLACE, 1e-9, Sensitivity(1, 1))
PLAN = Plan(
    (Release(BOUNDED, applied([NOISE]), (Output("count", BIGINT, CountOf(0), "COUNT(*)"),)),),
    Post("SELECT post", (ReleasedColumn(0, 0), ReleasedColumn(0, 1)), ("text[]", "bigint[]")),
    Loss(Decimal("0.5"), Decimal(0)),
    Decimal(1),
    work=Work(1, 100),
    time=deadline_noise(TERMS.accounting, Decimal("0.001")),
)
ROWS = {
    "SELECT dept FROM departments": Rows((Column("dept", "text"),), (("cardio",), ("empty",))),
    "SELECT bounded": Rows((Column("k0", "text"), Column("m0", "bigint")), (("cardio", 5),)),
}
_COUNTED = "SELECT count(*) FROM ("
ACCOUNT = AnalystAccount(AccountRef("alice"), Catalog(), TERMS)


def releases(*each: Release) -> Plan:
    return replace(PLAN, releases=each)


def of(sql: str, *keys: Key, inputs: tuple[ReleasedColumn, ...] = (), scale: float = 1e-9) -> Release:
    """A count by `keys`. At a scale of 1e12 it is the exact one less than once in a million million times."""
    bounded = Bounded(sql, "person", keys, (COUNT,), False, 1, 1, Limit.ONE_ROW, inputs=inputs)
    noise = Noise(Distribution.LAPLACE, scale, Sensitivity(1, 1))
    return Release(bounded, applied([noise]), (Output("count", BIGINT, CountOf(0), "COUNT(*)"),))


def table(*rows: tuple[Value, ...]) -> Rows:
    return Rows(tuple(Column(f"c{index}", "text") for index in range(len(rows[0]) if rows else 0)), rows)


@dataclass
class World:
    """A ledger and an engine that write down what happens to them. counted: the texts of public tables whose keys were
    counted, which is before anything is charged."""

    log: list[str] = field(default_factory=list)
    charge_fault: DPProxyError | None = None
    run_fault: BaseException | None = None
    reach_fault: DPProxyError | None = None
    alarm_fault: DPProxyError | None = None
    was_stopped: bool = False
    elsewhere: bool = False
    dialect: str = "duckdb"
    rows: dict[str, Rows] = field(default_factory=lambda: dict(ROWS))
    queries: list[EngineQuery] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)

    async def charge(self, *_: object) -> Receipt:
        self.log.append("charge")
        if self.charge_fault is not None:
            raise self.charge_fault
        return Receipt(1, PLAN.cost, TERMS.limit - PLAN.cost, self.was_stopped)

    async def settle(self, _receipt: int, outcome: Outcome) -> None:
        self.log.append(outcome.value)

    async def stop_analyst(self, analyst: str, _reason: str) -> None:
        self.log.append(f"stop {analyst}")
        if self.alarm_fault is not None:
            raise self.alarm_fault

    async def reach(self) -> None:
        if self.reach_fault is not None:
            raise self.reach_fault

    async def tell(self, _receipt: int, _analyst: str) -> bool:
        if not self.elsewhere:
            self.log.append("answered")
        return self.elsewhere

    async def run(
        self, work: EngineWork[tuple[Rows, ...]], _ticket: Ticket, _seconds: float | None = None
    ) -> tuple[Rows, ...]:
        self.log.append("run")
        query = next(work)
        counts = query.sql.startswith(_COUNTED)
        if counts:
            self.log.pop()
        if self.run_fault is not None:
            raise self.run_fault
        try:
            while counts:
                self.counted.append(query.sql.removeprefix(_COUNTED).removesuffix(") AS q"))
                query = work.send(table((len(self.rows[self.counted[-1]].rows),)))
            while True:
                self.queries.append(query)
                query = work.send(self.rows[query.sql])
        except StopIteration as done:
            return done.value

    def resources(self) -> Resources:
        known = {"SELECT dept FROM departments": 2}
        return Resources(self, self, self.later, Speed(60.0, 1e-7), sizes=known)  # type: ignore[arg-type]

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.get_running_loop().create_task(work)


async def ask(world: World, resources: Resources | None = None, plan: Plan = PLAN) -> tuple[Receipt, tuple[Rows, ...]]:
    try:
        done = await answer(resources or world.resources(), None, ACCOUNT, plan, "SELECT", Ticket())
        assert done.receipt is not None
        return done.receipt, done.released
    finally:
        await asyncio.sleep(0.01)


async def test_nothing_runs_before_it_is_charged() -> None:
    world = World()
    _, (rows,) = await ask(world)
    assert world.log == ["charge", "run", "answered"]
    assert world.queries == [EngineQuery("SELECT dept FROM departments"), EngineQuery("SELECT bounded")]
    assert set(rows.rows) == {("cardio", 5), ("empty", 0)}


async def test_later_queries_read_released_rows() -> None:
    """Keys and numbers of the first release are inputs of the public keys, the totals and the keys of later ones."""
    name, count = ReleasedColumn(0, 0), ReleasedColumn(0, 1)
    keys = Key("k0", TEXT, FromPublic("joint", 1, (name,)), "b"), Key("k1", TEXT, FromPublic("joint", 0, (name,)), "a")
    same = Key("k0", TEXT, FromRelease(1, 1), "a"), Key("k1", TEXT, FromRelease(1, 0), "b")
    plan = releases(
        of("first", Key("k0", TEXT, Literals(("x", "y", None)), "a"), scale=1e12),
        of("second", *keys, inputs=(count, name)),
        of("third", *same, inputs=(ReleasedColumn(1, 2),)),
    )
    world = World(rows={"first": table(("y", 70)), "joint": table(("x", "p"), ("y", "q"), ("y", "p"))})
    world.rows |= {"second": table(("q", "y", 5), ("q", "x", 6)), "third": table(("x", "p", 7), ("y", "q", 8))}
    _, (first, second, third) = await ask(world, plan=plan)
    names, counts = ("x", "y", None), first.column(1)
    assert first.column(0) == names
    assert len(set(counts)) == 3
    assert 70 not in counts
    assert second.rows == (("p", "x", 0), ("q", "y", 5), ("p", "y", 0))
    assert third.rows == (("x", "p", 7), ("y", "q", 8), ("y", "p", 0))
    assert world.queries == [
        EngineQuery("first"),
        EngineQuery("joint", {"r0c0": names}),
        EngineQuery("second", {"r0c1": counts, "r0c0": names}),
        EngineQuery("third", {"r1c2": (0, 5, 0)}),
    ]
    assert world.log == ["charge", "run", "answered"]


async def test_public_keys_are_read_once_for_all_releases() -> None:
    world = World(rows={**ROWS, "other": table(("empty", 6))})
    _, (one, other) = await ask(world, plan=releases(of("SELECT bounded", KEY), of("other", KEY)))
    assert [query.sql for query in world.queries] == ["SELECT dept FROM departments", "SELECT bounded", "other"]
    assert one.rows == (("cardio", 5), ("empty", 0))
    assert other.rows == (("cardio", 0), ("empty", 6))


async def test_what_no_release_reads_is_not_sent() -> None:
    world = World(rows={"one": table((5,)), "other": table((6,))})
    await ask(world, plan=releases(of("one"), of("other")))
    assert world.queries == [EngineQuery("one"), EngineQuery("other")]


def blocks(*sizes: int) -> tuple[dict[str, Rows], tuple[Key, ...]]:
    rows = {f"p{at}": table(*((value, value) for value in range(size))) for at, size in enumerate(sizes)}
    keys = [Key(f"k{at}", BIGINT, FromPublic(f"p{at // 2}", at % 2), "k") for at in range(2 * len(sizes))]
    return rows, tuple(keys)


async def test_joint_keys_count_once_for_the_limit() -> None:
    rows, keys = blocks(MOST_PUBLIC_KEYS)
    _, (found,) = await ask(World(rows={**rows, "b": table()}), plan=releases(of("b", *keys)))
    assert len(found.rows) == MOST_PUBLIC_KEYS


async def test_too_many_public_keys_are_not_charged() -> None:
    rows, keys = blocks(MOST_PUBLIC_KEYS + 1)
    world = World(rows={**rows, "first": table((1,))})
    with pytest.raises(TooManyKeys, match=f"has {MOST_PUBLIC_KEYS + 1} public keys"):
        await ask(world, plan=releases(of("first"), of("never", *keys)))
    assert (world.queries, world.counted, world.log) == ([], [*rows], [])


async def test_too_many_combinations_of_public_keys_are_not_charged() -> None:
    rows, keys = blocks(101, 100)
    world = World(rows={**rows, "first": table((1,))})
    with pytest.raises(TooManyKeys, match="has 10100 public keys"):
        await ask(world, plan=releases(of("first"), of("never", *keys)))
    assert (world.queries, world.counted, world.log) == ([], [*rows], [])
    listed = Key("k9", BIGINT, Literals(tuple(range(101))), "k")
    with pytest.raises(TooManyKeys, match="has 10201 public keys"):
        await ask(world, plan=releases(of("never", *keys[:2], listed)))
    assert world.log == []


async def test_keys_that_were_counted_are_not_counted_again() -> None:
    rows, keys = blocks(10, 20)
    world = World(rows={**rows, "bounded": table()})
    resources = world.resources()
    for _ in range(2):
        _, (found,) = await ask(world, resources, plan=releases(of("bounded", *keys)))
        assert len(found.rows) == 200
    assert world.counted == [*rows]
    assert [query.sql for query in world.queries] == [*rows, "bounded", *rows, "bounded"]
    assert world.log == ["charge", "run", "answered"] * 2


async def test_keys_that_became_too_many_are_told_before_the_private_query_and_counted_anew() -> None:
    rows, keys = blocks(10)
    world = World(rows={**rows, "first": table((1,)), "bounded": table()})
    resources = world.resources()
    await ask(world, resources, plan=releases(of("bounded", *keys)))
    world.rows |= blocks(MOST_PUBLIC_KEYS + 1)[0]
    world.queries.clear()
    with pytest.raises(TooManyKeys, match=f"has {MOST_PUBLIC_KEYS + 1} public keys"):
        await ask(world, resources, plan=releases(of("first"), of("never", *keys)))
    assert [query.sql for query in world.queries] == ["first", *rows]
    assert world.log[3:] == ["charge", "run", "abandoned"]
    with pytest.raises(TooManyKeys):
        await ask(world, resources, plan=releases(of("first"), of("never", *keys)))
    assert world.log[6:] == []


async def test_keys_that_could_not_be_counted_are_asked_for_where_they_are_paid_for() -> None:
    rows, keys = blocks(10)
    world = World(rows={**rows, "bounded": table()}, run_fault=EngineFailure())
    with pytest.raises(EngineFailure):
        await ask(world, plan=releases(of("bounded", *keys)))
    assert world.log[:2] == ["charge", "run"]


async def test_combinations_that_come_of_a_release_are_told_where_it_is_run() -> None:
    rows, keys = blocks(101, 100)
    told = [replace(key, domain=replace(key.domain, inputs=(ReleasedColumn(0, 0),))) for key in keys]  # type: ignore[type-var]
    world = World(rows={**rows, "first": table((1,))})
    with pytest.raises(TooManyKeys):
        await ask(world, plan=releases(of("first"), of("never", *told)))
    assert world.log == ["charge", "run", "abandoned"]


async def test_keys_of_an_earlier_release_are_not_too_many() -> None:
    """Key selection may have let more pass; they are in the answer anyway."""
    many = MOST_PUBLIC_KEYS + 1
    selection = Selection(NOISE, 1, 1)
    first = of("first", Key("k0", BIGINT, PrivateKeys(), "k"))
    first = replace(first, bounded=replace(first.bounded, counts_units=True), mechanisms=applied([NOISE], selection))
    world = World(rows={"first": table(*((each, 9, 9) for each in range(many))), "second": table()})
    _, released = await ask(world, plan=releases(first, of("second", Key("k0", BIGINT, FromRelease(0, 0), "k"))))
    assert [len(each.rows) for each in released] == [many, many]


@pytest.mark.parametrize(
    "plan",
    [
        releases(of("one", inputs=(ReleasedColumn(0, 0),))),
        releases(of("one"), of("other", inputs=(ReleasedColumn(2, 0),))),
        releases(of("one"), of("other", inputs=(ReleasedColumn(0, 1),))),
        releases(of("one", Key("k0", TEXT, FromRelease(0, 0), "k"))),
        releases(of("one"), of("other", Key("k0", TEXT, FromRelease(0, 0), "k"), Key("k1", TEXT, PrivateKeys(), "k"))),
    ],
    ids=["itself", "a later one", "no such column", "keys of itself", "keys beside others"],
)
async def test_a_plan_that_does_not_hang_together_is_a_failure(plan: Plan) -> None:
    world = World(rows={"one": table((5,)), "other": table((6,))})
    with pytest.raises(EngineFailure):
        await ask(world, plan=plan)
    assert world.log == ["charge", "run", "stop alice", "failed"]


async def test_a_dag_over_duckdb(tmp_path: Path) -> None:
    """Those above the mean, by the public pairs of kinds that were seen, and once more by the keys of that."""
    path = tmp_path / "small.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 'k' || x % 3 AS kind, x % 2 AS odd, x FROM range(60) AS r(x)")
        connection.execute("CREATE TABLE kinds AS SELECT 'k' || i AS kind, i % 2 AS odd FROM range(1, 5) AS r(i)")
    text = (
        "SELECT kind AS k0, odd AS k1, count(*) AS m0 FROM people"
        " WHERE x > (SELECT c0 FROM (SELECT UNNEST(CAST($r0c0 AS BIGINT[])) AS c0) AS s0) GROUP BY 1, 2"
    )
    joint = "SELECT DISTINCT odd, kind FROM kinds WHERE odd < (SELECT UNNEST(CAST($r0c0 AS BIGINT[])))"
    count = (ReleasedColumn(0, 0),)
    keys = Key("k0", TEXT, FromPublic(joint, 1, count), "kind"), Key("k1", BIGINT, FromPublic(joint, 0, count), "odd")
    same = Key("k0", BIGINT, FromRelease(1, 1), "odd"), Key("k1", TEXT, FromRelease(1, 0), "kind")
    again = (
        "SELECT odd AS k0, kind AS k1, count(*) AS m0 FROM people WHERE kind IN (SELECT c1 FROM (SELECT UNNEST(CAST("
        "$r1c2 AS BIGINT[])) AS c0, UNNEST(CAST($r1c0 AS VARCHAR[])) AS c1) AS s0 WHERE c0 > 0) GROUP BY 1, 2"
    )
    plan = releases(
        of("SELECT count(*) // 2 AS m0 FROM people"),
        of(text, *keys, inputs=count),
        of(again, *same, inputs=(ReleasedColumn(1, 2), ReleasedColumn(1, 0))),
    )
    engine = DuckDBEngine.open(path)
    try:
        world = World()
        resources = Resources(engine, world, world.later, Speed(60.0, 1e-7))  # type: ignore[arg-type]
        _, (mean, second, third) = await ask(world, resources, plan)
    finally:
        await engine.close()
    assert mean.rows == ((30,),)
    assert set(second.rows) == {("k1", 1, 5), ("k2", 0, 5), ("k3", 1, 0), ("k4", 0, 0)}
    counts = {(1, "k1"): 10, (0, "k2"): 10, (1, "k3"): 0, (0, "k4"): 0}
    assert third.rows == tuple((odd, kind, counts[odd, kind]) for kind, odd, _ in second.rows)


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


@dataclass
class Waiting(World):
    """A world whose engine waits for a word with each statement, and is ended by its ticket."""

    words: list[asyncio.Future[None]] = field(default_factory=list)

    async def run(
        self, work: EngineWork[tuple[Rows, ...]], ticket: Ticket, seconds: float | None = None
    ) -> tuple[Rows, ...]:
        async def told() -> tuple[Rows, ...]:
            self.words.append(asyncio.get_running_loop().create_future())
            await self.words[-1]
            return await World.run(self, work, ticket, seconds)

        return await canceled_by(ticket, told())


async def test_one_failure_ends_all_that_is_in_flight() -> None:
    """All of this analyst's, at this moment, with one alarm and each charged; nobody else's."""
    world = Waiting()
    resources = world.resources()
    bob = replace(ACCOUNT, ref=AccountRef("bob"))
    asked = [
        asyncio.create_task(answer(resources, None, each, PLAN, "SELECT", Ticket())) for each in (ACCOUNT,) * 4 + (bob,)
    ]
    while len(world.words) < len(asked):
        await asyncio.sleep(0)
    world.words[2].set_exception(MemoryError())
    *hers, his = await asyncio.wait_for(_all_but_the_last(asked, world), 5)
    assert [str(each) for each in hers] == [EngineFailure.TEXT] * 4
    assert not isinstance(his, BaseException)
    await asyncio.sleep(0.01)
    assert world.log.count("stop alice") == 1 and world.log.count("charge") == 5
    assert world.log.count("failed") == 4 and world.log.count("answered") == 1
    assert resources.in_flight == {}


async def _all_but_the_last(asked: list[asyncio.Task[Any]], world: Waiting) -> list[Any]:
    ends = await asyncio.gather(*asked[:-1], return_exceptions=True)
    world.words[-1].set_result(None)
    return [*ends, await asked[-1]]


def crowded(world: World, turns: int = 3) -> Resources:
    """So many may be charged, and one at work."""
    queues = [StatementQueue(places, lambda _: QueueShare(turns, 9)) for places in (turns, 1)]
    return replace(world.resources(), turn=queues[0].place, place=queues[1].place)


def at_once(resources: Resources, *accounts: AnalystAccount) -> tuple[list[asyncio.Task[Any]], list[Ticket]]:
    tickets = [Ticket() for _ in accounts]
    asked = zip(accounts, tickets, strict=True)
    return [asyncio.create_task(answer(resources, None, who, PLAN, "SELECT", each)) for who, each in asked], tickets


async def all_steps() -> None:
    """Nobody waits for a moment here, so that there are few."""
    for _ in range(100):
        await asyncio.sleep(0)


async def test_who_is_next_is_charged_while_another_is_at_work() -> None:
    """Three are charged, one of them is at work; each that ends lets one more be charged, and one more begin."""
    world = Waiting()
    asked, _ = at_once(crowded(world), *[ACCOUNT] * 5)
    for ended in range(5):
        await all_steps()
        assert (world.log.count("charge"), len(world.words)) == (min(3 + ended, 5), ended + 1)
        world.words[ended].set_result(None)
    assert all(each.receipt for each in await asyncio.gather(*asked))
    assert world.log.count("answered") == 5


async def test_a_queue_is_crowded_where_as_many_wait_as_there_are_places() -> None:
    """So long the engine has enough to do, and charges may wait for others."""
    queue, crowded, done = StatementQueue(2, lambda _: QueueShare(2, 9)), list[bool](), asyncio.Event()

    async def use() -> None:
        async with queue.place("alice", Ticket()):
            await done.wait()

    tasks = list[asyncio.Task[None]]()
    for _ in range(5):
        tasks.append(asyncio.create_task(use()))
        await all_steps()
        crowded.append(queue.crowded)
    assert crowded == [False, False, False, True, True]
    done.set()
    await asyncio.gather(*tasks)
    assert not queue.crowded


async def test_who_is_cancelled_after_the_charge_has_paid_and_before_it_has_not() -> None:
    """The charged one never had a place, and the engine never saw it."""
    world = Waiting()
    asked, tickets = at_once(crowded(world, 2), *[ACCOUNT] * 3)
    await all_steps()
    for ticket in tickets[1:]:
        ticket.cancel()
    ends = await asyncio.gather(*asked[1:], return_exceptions=True)
    assert [type(each) for each in ends] == [QueryCanceled] * 2
    world.words[0].set_result(None)
    assert (await asked[0]).receipt is not None
    await all_steps()
    assert sorted(world.log) == ["answered", "canceled", "charge", "charge", "run"]


@pytest.mark.parametrize("given", [False, True], ids=["waits", "has its place since, and does not know it"])
async def test_one_failure_ends_what_is_charged_and_waits_for_a_place(given: bool) -> None:
    """Nothing of it reaches the engine, and there is one alarm; others' go on."""
    world = Waiting()
    resources = crowded(world)
    bob = replace(ACCOUNT, ref=AccountRef("bob"))
    asked, _ = at_once(resources, *[ACCOUNT] * (2 if given else 3))
    await all_steps()
    asked += at_once(resources, bob)[0]
    await all_steps()
    world.words[0].set_exception(MemoryError())
    hers = await asyncio.gather(*asked[:-1], return_exceptions=True)
    assert [str(each) for each in hers] == [EngineFailure.TEXT] * len(hers)
    while len(world.words) < 2:
        await asyncio.sleep(0)
    world.words[1].set_result(None)
    assert (await asked[-1]).receipt is not None
    await all_steps()
    assert world.log.count("run") == 1 and world.log.count("stop alice") == 1
    assert world.log.count("failed") == len(hers) and world.log.count("answered") == 1
    assert resources.in_flight == {}


async def test_a_failure_at_another_proxy_ends_what_is_in_flight_here() -> None:
    """The ledger tells of it before anything is told; there is no alarm of its own."""
    world = World(elsewhere=True)
    with pytest.raises(EngineFailure):
        await ask(world)
    assert world.log == ["charge", "run", "failed"]


@pytest.mark.parametrize("is_away", [False, True])
async def test_a_failure_while_the_ledger_is_asked_ends_what_waits_for_it(is_away: bool) -> None:
    """It has no answer then, be the ledger slow or away: its own proxy knows of the failure."""
    asking, told = asyncio.Event(), asyncio.Event()

    class Slow(World):
        async def tell(self, _receipt: int, _analyst: str) -> bool:
            asking.set()
            await told.wait()
            if is_away:
                raise LedgerUnavailable("too slow")
            return False

    world = Slow()
    resources = world.resources()
    waiting = asyncio.create_task(answer(resources, None, ACCOUNT, PLAN, "SELECT", Ticket()))
    await asyncio.wait_for(asking.wait(), 5)
    world.run_fault = MemoryError()
    with pytest.raises(EngineFailure):
        await answer(resources, None, ACCOUNT, PLAN, "SELECT", Ticket())
    told.set()
    with pytest.raises(EngineFailure):
        await asyncio.wait_for(waiting, 5)
    assert world.log.count("stop alice") == 1


async def test_what_runs_out_of_time_stops_nobody() -> None:
    world = World(run_fault=StatementTimeout())
    with pytest.raises(StatementTimeout):
        await ask(world)
    assert world.log == ["charge", "run", "timed out"]


async def test_a_time_that_cannot_be_hidden_is_refused_before_the_charge() -> None:
    world = World()
    with pytest.raises(NotPrivate, match="ends within its limit"):
        await ask(world, plan=replace(PLAN, work=Work(10**9, 10**12, whole=10**12)))
    assert world.log == []


async def test_the_stopped_are_charged_and_never_reach_the_engine() -> None:
    world = World(was_stopped=True)
    with pytest.raises(EngineFailure) as caught:
        await ask(world)
    assert world.log == ["charge", "failed"]
    assert caught.value.message == EngineFailure.TEXT


async def test_an_alarm_that_the_ledger_does_not_take_holds_all_the_same() -> None:
    world = World(run_fault=EngineFailure(), alarm_fault=LedgerUnavailable("gone"))
    resources = world.resources()
    with pytest.raises(EngineFailure):
        await ask(world, resources)
    world.run_fault = world.alarm_fault = None
    with pytest.raises(EngineFailure):
        await ask(world, resources)
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
    assert arrays(post, ToldRows((), (released,), (released,)), {"budget": budget}) == (("1E+2",), ("1", "2"))


def test_values_are_written_as_any_session_reads_them() -> None:
    written = [text(each) for each in (None, True, date(2024, 1, 2), 0.1, float("inf"), "é", Decimal("NaN"))]
    assert written == [None, "t", "2024-01-02", "0.1", "inf", "é", "NaN"]
    assert text(datetime(2024, 1, 2, 3, tzinfo=UTC)) == "2024-01-02 03:00:00+00:00"


async def test_an_engine_that_is_away_is_told_before_the_charge() -> None:
    world = World(reach_fault=EngineUnavailable())
    with pytest.raises(EngineUnavailable) as told:
        await ask(world)
    assert world.log == []
    assert told.value.hint == "Nothing was charged. Try again later."


async def test_an_engine_that_is_lost_after_the_charge_stops_nobody() -> None:
    world = World(run_fault=EngineUnavailable())
    with pytest.raises(EngineUnavailable) as told:
        await ask(world)
    assert world.log == ["charge", "run", "failed"]
    assert told.value.hint == EngineUnavailable.CHARGED


PROVED = replace(ACCOUNT, catalog=Catalog(proof=Proof("SELECT proof", None)))


async def test_keys_that_hold_no_more_are_told_charged_once_and_then_uncharged() -> None:
    world = World()
    resources = world.resources()

    async def ask_with(holds: bool) -> None:
        world.rows["SELECT proof"] = table((holds,))
        try:
            await answer(resources, None, PROVED, PLAN, "SELECT", Ticket())
        finally:
            await asyncio.sleep(0.01)

    await ask_with(True)
    assert world.log == ["charge", "run", "answered"]
    world.log.clear()
    with pytest.raises(EngineChanged) as told:
        await ask_with(False)
    assert told.value.hint == EngineChanged.CHARGED
    assert world.log == ["charge", "run", "failed"]
    assert [query.sql for query in world.queries][-1] == "SELECT proof"  # no data was read
    world.log.clear()
    with pytest.raises(EngineChanged) as told:
        await ask_with(False)
    assert told.value.hint != EngineChanged.CHARGED
    assert world.log == ["run"]
    await ask_with(True)
    assert world.log[-3:] == ["charge", "run", "answered"]
