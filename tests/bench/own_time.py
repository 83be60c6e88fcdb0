"""CPU time of the proxy's process for a statement, and statements a second, beside pgbouncer and another checkout.

CPU time is what a busy machine disturbs least: of each round the whole process's time by the kernel's count, divided by
the statements, and of all rounds the least. Rates are ratios round by round. What the relay passes on is asked in
rounds of two milliseconds or so, so that what disturbs one is not in the median of hundreds.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import cycle, islice
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
BLOCK = 50  # statements of a round of the relay's
_CHARGE = Loss(Decimal("0.000001"), Decimal(0))
_NEW = "\\set n random(1, 1000000)\n"
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
    """A proxy of another checkout: it is forked from a process that looks for modules there first (`forked`)."""
    before = os.environ.get("PYTHONPATH", "")
    with ExitStack() as held:
        os.environ["PYTHONPATH"] = str(checkout.resolve())
        try:
            proxy = held.enter_context(serving(write_policy(directory, RICH)))
        finally:
            os.environ["PYTHONPATH"] = before
        yield proxy


def _names(address: FrontAddress) -> tuple[str, str, str | None]:
    return address.database, address.owner, address.password


def _bouncer() -> psutil.Process:
    (found,) = [each for each in psutil.Process().children(recursive=True) if each.name() == "pgbouncer"]
    return found


def _relayed(ways: Mapping[str, Measured], extent: Extent) -> Iterator[str]:
    unnamed = (Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), Describe("P", ""), Execute("", 0), Sync())
    many, size = extent.singles, extent.pipeline
    asked = {
        "prepared, one by one": ([execute("one")], 1, many),
        "prepared, a new value each time": ([_valued(n, 1) for n in range(many)], 1, many),
        "parsed each time, one by one": ([encoded(*unnamed)], 1, many),
        "simple, one by one": ([query("SELECT 1")], 1, many),
        f"pipelines of {size}": ([execute("one", size)], size, 20),
        f"pipelines of {size}, new values": ([_valued(n, size) for n in range(20)], size, 20),
    }
    with ExitStack() as held:
        clients = {name: held.enter_context(raw_client(each.address)) for name, each in ways.items()}
        for client in clients.values():
            client.ask(prepare("one", "SELECT 1"))
            client.ask(prepare("two", "SELECT $1::text"))
        for name, (messages, statements, times) in asked.items():
            once = min(times, max(1, BLOCK // statements))
            cpu, rates = _in_turn(ways, clients, messages, statements, once, extent.rounds * times // once)
            yield f"SELECT 1, {name}: {_compared(cpu, rates)}"


def _valued(number: int, times: int) -> bytes:
    """So many statements, each with a value that came in none before."""
    values = (f"value {number * times + each:08}".encode() for each in range(times))
    return encoded(*(each for value in values for each in (Bind("", "two", (), (value,), ()), Execute("", 0))), Sync())


def _in_turn(
    ways: Mapping[str, Measured],
    clients: Mapping[str, RawClient],
    messages: Sequence[bytes],
    statements: int,
    times: int,
    rounds: int,
) -> tuple[dict[str, Figures], dict[str, Figures]]:
    """CPU seconds of a statement, and statements a second."""
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    turns = {name: cycle(messages) for name in ways}

    def rate(name: str) -> float:
        begun = _used(ways[name].process)
        seconds = timed(lambda: [clients[name].ask(message) for message in islice(turns[name], times)])
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


def _looped(process: psutil.Process) -> float:
    """CPU seconds of the first thread, where the event loop is; of all, where the kernel does not tell."""
    first = Path(f"/proc/{process.pid}/task/{process.pid}/schedstat")
    return int(first.read_text().split()[0]) / 1e9 if first.exists() else _used(process)


def _compared(cpu: Mapping[str, Figures], rates: Mapping[str, Figures]) -> str:
    told = [f"{each.least * 1e6:.1f} µs of CPU in {name}" for name, each in cpu.items()]
    if THERE in cpu:
        told += [f"{cpu[HERE].least / cpu[THERE].least:.2f} times", f"{rates[HERE].over(rates[THERE]):.2f} of its rate"]
    told += [f"{rates[name].over(rates[BOUNCER]):.2f} of pgbouncer's rate in {name}" for name in cpu
             if BOUNCER in rates and name != BOUNCER]  # fmt: skip
    return ", ".join(told)


def _private(ways: Mapping[str, Measured], extent: Extent) -> Iterator[str]:
    """Private statements, paid for and released anew: planned before, and with a value that is new each time."""
    kinds = {"known": (f"{KNOWN.format(40)};", (1, CALLERS)), "with new values": (f"{_NEW}{KNOWN.format(':n')};", (1,))}
    for kind, (script, connections) in kinds.items():
        for clients in connections:
            measured = {name: _Loaded(each, script, clients, extent.private) for name, each in ways.items()}
            rates = in_turn({name: each.rate for name, each in measured.items()}, extent.rounds)
            asked = f"a private count, {kind}, {clients} connections"
            yield f"{asked}: {_compared({name: _warm(each.cpu) for name, each in measured.items()}, rates)}"
            loops = {name: _warm(each.loop).least for name, each in measured.items()}
            told = [f"{seconds * 1e3:.2f} ms on the loop in {name}" for name, seconds in loops.items()]
            yield f"{asked}: {', '.join(told)}, {', '.join(f'{r.median:,.0f}/s in {n}' for n, r in rates.items())}"


def _warm(seconds: list[float]) -> Figures:
    """All rounds but the first."""
    return Figures(tuple(seconds[1:]))


@dataclass
class _Loaded:
    """A way with so many connections that ask so many statements each; CPU seconds of one, of all threads and of the
    event loop's."""

    way: Measured
    script: str
    clients: int
    statements: int
    cpu: list[float] = field(default_factory=list)
    loop: list[float] = field(default_factory=list)

    def rate(self) -> float:
        """Statements a second."""
        begun, looped = _used(self.way.process), _looped(self.way.process)
        run = ("-t", str(self.statements))
        found = pgbench(self.script, "prepared", self.clients, self.way.address, run, FRESH_OPTIONS)
        asked = self.statements * self.clients
        self.cpu.append((_used(self.way.process) - begun) / asked)
        self.loop.append((_looped(self.way.process) - looped) / asked)
        return found


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
