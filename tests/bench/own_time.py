"""CPU time of the proxy's process for a statement, and statements a second, beside pgbouncer and another checkout.

CPU time is what a busy machine disturbs least: of each round the whole process's time by the kernel's count, divided by
the statements, and of all rounds the least. Rates are ratios round by round.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from time import perf_counter

import psutil
from bench.bouncer import program
from bench.private import FRESH_OPTIONS, KNOWN
from bench.rates import pgbench
from bench.raw import RawClient, encoded, execute, prepare, query, raw_client
from bench.relay import RICH
from bench.timing import Figures, in_turn, timed
from bench.ways import BOUNCER, PROXY, opened
from proxies import ServedProxy, serving, write_policy

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.front.embedded_front import running
from dpproxy.front.front_address import FrontAddress
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.wire import Bind, Describe, Execute, Parse, Sync

HERE, THERE = "this checkout", "the other"
CALLERS = 16
_CHARGE = Loss(Decimal("0.000001"), Decimal(0))
_LIMIT = terms(Accounting.ZCDP, Decimal(10**9), Decimal("0.9"))


@dataclass(frozen=True)
class Extent:
    """How often: rounds, statements one by one in each, statements in a pipeline, private ones of each connection."""

    rounds: int
    singles: int
    pipeline: int
    private: int


@dataclass(frozen=True)
class Measured:
    """A way to the front, and the process that is measured there."""

    address: FrontAddress
    process: psutil.Process


def lines(extent: Extent, other: Path | None) -> Iterator[str]:
    """Lines on the relay, on known private statements, and on the ledger alone. other: a checkout to compare with."""
    with tempfile.TemporaryDirectory() as directory, ExitStack() as held:
        place = Path(directory)
        proxy = held.enter_context(serving(write_policy(place / "here", RICH)))
        ways = held.enter_context(opened(proxy, None))
        found = {HERE: Measured(ways.trusted[PROXY], psutil.Process(proxy.process.pid))}
        if other is not None:
            before = held.enter_context(_from(other, place / "there"))
            address = FrontAddress("127.0.0.1", before.port, *_names(found[HERE].address))
            found[THERE] = Measured(address, psutil.Process(before.process.pid))
        proxies = dict(found)
        if program() is not None:
            found[BOUNCER] = Measured(ways.trusted[BOUNCER], _bouncer())
        yield from _relayed(found, extent)
        yield from _private(proxies, extent)
        yield f"the ledger's charges alone, {CALLERS} callers: {asyncio.run(_charges(proxy, extent.private)):,.0f}/s"


@contextmanager
def _from(checkout: Path, directory: Path) -> Iterator[ServedProxy]:
    """A proxy of another checkout: Python looks for modules where it is started."""
    here = Path.cwd()
    os.chdir(checkout)
    try:
        with serving(write_policy(directory, RICH)) as proxy:
            os.chdir(here)
            yield proxy
    finally:
        os.chdir(here)


def _names(address: FrontAddress) -> tuple[str, str, str | None]:
    return address.database, address.owner, address.password


def _bouncer() -> psutil.Process:
    (found,) = [each for each in psutil.Process().children(recursive=True) if each.name() == "pgbouncer"]
    return found


def _relayed(ways: Mapping[str, Measured], extent: Extent) -> Iterator[str]:
    unnamed = (Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), Describe("P", ""), Execute("", 0), Sync())
    asked = {
        "prepared, one by one": (execute("one"), 1, extent.singles),
        "parsed each time, one by one": (encoded(*unnamed), 1, extent.singles),
        "simple, one by one": (query("SELECT 1"), 1, extent.singles),
        f"pipelines of {extent.pipeline}": (execute("one", extent.pipeline), extent.pipeline, 20),
    }
    with ExitStack() as held:
        clients = {name: held.enter_context(raw_client(each.address)) for name, each in ways.items()}
        for client in clients.values():
            client.ask(prepare("one", "SELECT 1"))
        for name, (message, statements, times) in asked.items():
            cpu, rates = _in_turn(ways, clients, message, statements, times, extent.rounds)
            yield f"SELECT 1, {name}: {_compared(cpu, rates)}"


def _in_turn(
    ways: Mapping[str, Measured],
    clients: Mapping[str, RawClient],
    message: bytes,
    statements: int,
    times: int,
    rounds: int,
) -> tuple[dict[str, Figures], dict[str, Figures]]:
    """CPU seconds of a statement, and statements a second."""
    cpu: dict[str, list[float]] = {name: [] for name in ways}

    def rate(name: str) -> float:
        begun = _used(ways[name].process)
        seconds = timed(lambda: [clients[name].ask(message) for _ in range(times)])
        cpu[name].append((_used(ways[name].process) - begun) / statements / times)
        return statements * times / seconds

    rates = in_turn({name: (lambda name=name: rate(name)) for name in ways}, rounds)
    return {name: Figures(tuple(each[1:])) for name, each in cpu.items()}, rates


def _used(process: psutil.Process) -> float:
    """CPU seconds of all threads, to the nanosecond where the kernel tells."""
    tasks = Path(f"/proc/{process.pid}/task")
    if not tasks.exists():
        return float(sum(process.cpu_times()[:2]))
    return sum(int((each / "schedstat").read_text().split()[0]) for each in tasks.iterdir()) / 1e9


def _compared(cpu: Mapping[str, Figures], rates: Mapping[str, Figures]) -> str:
    told = [f"{each.least * 1e6:.1f} µs of CPU in {name}" for name, each in cpu.items()]
    if THERE in cpu:
        told += [f"{cpu[HERE].least / cpu[THERE].least:.2f} times", f"{rates[HERE].over(rates[THERE]):.2f} of its rate"]
    told += [f"{rates[name].over(rates[BOUNCER]):.2f} of pgbouncer's rate in {name}" for name in cpu
             if BOUNCER in rates and name != BOUNCER]  # fmt: skip
    return ", ".join(told)


def _private(ways: Mapping[str, Measured], extent: Extent) -> Iterator[str]:
    """Known private statements: planned before, paid for and released anew."""
    for clients in (1, CALLERS):
        cpu: dict[str, list[float]] = {name: [] for name in ways}

        def rate(name: str, clients: int = clients, cpu: dict[str, list[float]] = cpu) -> float:
            begun, run = _used(ways[name].process), ("-t", str(extent.private))
            found = pgbench(f"{KNOWN.format(40)};", "prepared", clients, ways[name].address, run, FRESH_OPTIONS)
            cpu[name].append((_used(ways[name].process) - begun) / extent.private / clients)
            return found

        rates = in_turn({name: (lambda name=name: rate(name)) for name in ways}, extent.rounds)
        figures = {name: Figures(tuple(each[1:])) for name, each in cpu.items()}
        a_second = ", ".join(f"{each.median:,.0f}/s in {name}" for name, each in rates.items())
        yield f"a known private count, {clients} connections: {_compared(figures, rates)}, {a_second}"


async def _charges(proxy: ServedProxy, times: int) -> float:
    """Charges a second, each durable, of so many callers who do nothing else."""
    async with running(proxy.config.front.url.directory, proxy.config.server.database) as front:
        ledger = await Ledger.open(front.conninfo(), Accounting.ZCDP)
        try:

            async def caller(number: int) -> None:
                for _ in range(times):
                    await ledger.charge(AccountRef(f"bench {number}"), _CHARGE, _LIMIT, (), KNOWN, Decimal("0.001"))

            begun = perf_counter()
            await asyncio.gather(*map(caller, range(CALLERS)))
            return CALLERS * times / (perf_counter() - begun)
        finally:
            await ledger.close()
