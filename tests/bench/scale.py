"""The ledger under 1,000 analysts and 50 proxies: what a batch of charges costs here, and a simulation of the locks.

Each charge locks everyone's account and the head of the chain until it is on disk. So the ledger serves one batch after
the other, whichever proxy it comes from: in the simulation it is a queue with one server, whose times are measured
first. A proxy gathers what waits in it into a batch of at most `MOST`, and has `AT_ONCE` under way, as `ChargeBatches`
has where a batch takes as long as it does here.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import deque
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from heapq import heappop, heappush
from random import Random
from time import perf_counter

from bench.racing import PLENTY, TENTH
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.accounting.loss import Accounting
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.ledger.charge_batches import MOST
from dpproxy.ledger.under_way import AT_ONCE

ANALYSTS, PROXIES = 1_000, 50
_EVERYONE = (("everyone", PLENTY),)
_SIZES = (1, 4, 16, 32)


@dataclass(frozen=True)
class Service:
    """Seconds that the locks are held for a batch, and for each charge in it."""

    batch: float
    charge: float


@dataclass(frozen=True)
class Load:
    """Who asks: each analyst waits for `pause` seconds, on the mean, from an answer to the next question; `most`
    charges are made together, a proxy has `at_once` batches under way, and `ledgers` share the `proxies`, each with a
    policy of its own."""

    name: str
    pause: float
    most: int = MOST
    ledgers: int = 1
    at_once: int = AT_ONCE
    proxies: int = PROXIES


@dataclass
class Proxy:
    """What waits in it, by the moment at which each was asked, and how many batches are under way."""

    waiting: deque[tuple[float, int]] = field(default_factory=deque)
    under_way: int = 0


LOADS = (
    *(Load(f"a question in {pause} s", pause) for pause in (120, 30, 10, 5, 2)),
    Load("a question in 5 s, charges one by one", 5, most=1),
    *(Load(f"a question in {pause} s, one batch under way", pause, at_once=1) for pause in (5, 2)),
    *(Load(f"a question in {pause} s, ten proxies", pause, proxies=10) for pause in (5, 2)),
    Load("a question in 2 s, four policies with a ledger each", 2, ledgers=4),
)


def lines(charges: int, seconds: float) -> Iterator[str]:
    """What is measured, then a line for each load, simulated for so long."""
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        times = asyncio.run(_timed(server.conninfo, charges))
        rate = asyncio.run(_together(server.conninfo, max(1, charges // 20)))
    service = fitted(times)
    told = ", ".join(f"{size}: {times[size] * 1e3:.1f} ms" for size in _SIZES)
    yield f"a batch of so many charges: {told}; so {service.batch * 1e3:.1f} ms and {service.charge * 1e3:.2f} ms each"
    yield f"{PROXIES} ledgers of one process, {ANALYSTS} callers at once: {rate:.0f} charges a second"
    for load in LOADS:
        waits, busy = simulated(load, service, seconds)
        cuts = statistics.quantiles(waits, n=100)
        yield (
            f"{load.name}: {len(waits) / seconds:.0f} charges a second, p50 {cuts[49] * 1e3:.0f} ms,"
            f" p99 {cuts[98] * 1e3:.0f} ms, locks held {busy:.0%} of the time"
        )


async def _timed(conninfo: str, charges: int) -> dict[int, float]:
    """Median seconds of a batch, by its size: so many callers of one ledger, who wait for one another."""
    async with AsyncExitStack() as stack:
        ledger = await Ledger.open(conninfo, Accounting.PURE, patience=60, connections=1)
        stack.push_async_callback(ledger.close)
        found = {}
        for size in _SIZES:
            taken = [await _round(ledger, range(size)) for _ in range(max(2, charges // size))]
            found[size] = statistics.median(taken[1:])
    return found


async def _round(ledger: Ledger, analysts: range) -> float:
    begun = perf_counter()
    await asyncio.gather(*(_charge(ledger, number) for number in analysts))
    return perf_counter() - begun


async def _charge(ledger: Ledger, number: int) -> None:
    ref = AccountRef(f"analyst {number}")
    await ledger.charge(ref, TENTH, PLENTY, _EVERYONE, "SELECT count(*) FROM people", TENTH.main)


async def _together(conninfo: str, each: int) -> float:
    """Charges a second of all proxies' ledgers, of every analyst `each`."""
    async with AsyncExitStack() as stack:
        ledgers = [await Ledger.open(conninfo, Accounting.PURE, patience=300, connections=1) for _ in range(PROXIES)]
        for ledger in ledgers:
            stack.push_async_callback(ledger.close)
        await asyncio.gather(*(_charge(ledger, number) for number, ledger in enumerate(ledgers)))
        begun = perf_counter()
        for _ in range(each):
            await asyncio.gather(*(_charge(ledgers[number % PROXIES], number) for number in range(ANALYSTS)))
        return each * ANALYSTS / (perf_counter() - begun)


def fitted(times: dict[int, float]) -> Service:
    """The line through what was measured, nowhere below nothing."""
    slope, start = statistics.linear_regression(list(times), list(times.values()))
    return Service(max(start, 1e-6), max(slope, 1e-6))


def simulated(load: Load, service: Service, seconds: float) -> tuple[list[float], float]:
    """How long each charge took that was made, and for which part of the time a ledger's locks were held.

    Events are in order of time: an analyst asks, or a ledger has written a batch. A closed system: who waits asks
    nothing else.
    """
    random = Random(7)
    proxies = [Proxy() for _ in range(load.proxies)]
    queues: list[deque[tuple[int, list[tuple[float, int]]]]] = [deque() for _ in range(load.ledgers)]
    serving: list[tuple[int, list[tuple[float, int]]] | None] = [None] * load.ledgers
    events = [(random.expovariate(1 / load.pause), "asks", number) for number in range(ANALYSTS)]
    events.sort()
    waits, busy = list[float](), 0.0

    def sent(number: int) -> None:
        proxy = proxies[number]
        while proxy.waiting and proxy.under_way < load.at_once:
            batch = [proxy.waiting.popleft() for _ in range(min(load.most, len(proxy.waiting)))]
            proxy.under_way += 1
            queues[number % load.ledgers].append((number, batch))

    def served(ledger: int, now: float) -> float:
        if serving[ledger] is not None or not queues[ledger]:
            return 0.0
        serving[ledger] = queues[ledger].popleft()
        held = service.batch + service.charge * len(serving[ledger][1])
        heappush(events, (now + held, "written", ledger))
        return held

    while events and events[0][0] < seconds:
        now, what, number = heappop(events)
        if what == "asks":
            place = number % load.proxies
            proxies[place].waiting.append((now, number))
            sent(place)
            busy += served(place % load.ledgers, now)
            continue
        done = serving[number]
        assert done is not None
        proxy, batch = done
        serving[number], proxies[proxy].under_way = None, proxies[proxy].under_way - 1
        for begun, analyst in batch:
            waits.append(now - begun)
            heappush(events, (now + random.expovariate(1 / load.pause), "asks", analyst))
        sent(proxy)
        busy += served(number, now)
    return waits, busy / seconds / load.ledgers
