"""Through the relay against the front directly, with pgbench; and the proxy's own time per private statement."""

from __future__ import annotations

import asyncio
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from pathlib import Path

import psycopg
from bench.timing import median_of
from proxies import ServedProxy, serving, write_policy
from worlds import fitted, open_engine, plan

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.engines import Query, Ticket, in_turn
from dpproxy.front.address import FrontAddress
from dpproxy.front.binaries import find_binaries
from dpproxy.front.embedded import running
from dpproxy.ledger import AccountRef, Ledger

# A budget that lasts, and statements that cost next to nothing.
RICH = {
    "epsilon = 100.0\ndelta = 1e-5": "epsilon = 1e9\ndelta = 1e-5",
    "epsilon = 1.0\n\n[analysts.bob]": "epsilon = 0.01\n\n[analysts.bob]",
}
KNOWN = "SELECT count(*) FROM people WHERE age >= 40"
_TPS = re.compile(r"tps = ([\d.]+) \(without")


def lines(seconds: int, rounds: int) -> Iterator[str]:
    """Lines on throughput and own time, measured over one proxy."""
    with tempfile.TemporaryDirectory() as directory:
        config = write_policy(Path(directory) / "policy", RICH)
        with serving(config) as proxy:
            yield from asyncio.run(_throughput(proxy, seconds))
            yield from _own_time(proxy, rounds)


async def _throughput(proxy: ServedProxy, seconds: int) -> list[str]:
    found = []
    async with running(proxy.config.front.url.directory, proxy.config.server.database) as front:
        for clients in (1, 16):
            direct = _pgbench("SELECT 1", front, clients, seconds)
            through = _pgbench("SELECT 1", _address(proxy), clients, seconds)
            found.append(
                f"SELECT 1, {clients} connections: {through:,.0f}/s through the relay, {direct:,.0f}/s directly, "
                f"ratio {through / direct:.2f}"
            )
    for clients in (1, 16):
        answers = _pgbench(KNOWN, _address(proxy), clients, seconds)
        found.append(f"a known private count, {clients} connections: {answers:,.0f}/s")
    return found


def _address(proxy: ServedProxy) -> FrontAddress:
    return FrontAddress("127.0.0.1", proxy.port, proxy.config.server.database, "alice", None)


def _pgbench(sql: str, address: FrontAddress, clients: int, seconds: int) -> float:
    """Transactions a second of `sql` by the extended protocol, prepared."""
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(sql + ";\n")
        script.flush()
        done = subprocess.run(
            [
                str(find_binaries().postgres.with_name("pgbench")), "-n", "-M", "prepared", "-f", script.name,
                "-c", str(clients), "-j", "1", "-T", str(seconds),
                "-h", address.host, "-p", str(address.port), "-U", address.owner, address.database,
            ],
            capture_output=True, text=True,
            env={"PGPASSWORD": address.password or "", "PGSSLMODE": "disable"},
        )  # fmt: skip
    match = _TPS.search(done.stdout)
    assert match, done.stderr[-2000:]
    return float(match[1])


def _own_time(proxy: ServedProxy, rounds: int) -> list[str]:
    """The whole as a client sees it, less the ledger's charge and the engine's run, each measured by itself."""
    _, catalog = fitted(proxy.config.path)
    made = plan(KNOWN, catalog)
    ledger = asyncio.run(_charge_time(proxy, made.cost, rounds))
    engine = asyncio.run(_engine_time(proxy, made.releases[0].bounded.sql, rounds))
    fresh, known = _statement_times(proxy, rounds)
    shown = f"whole {{:.2f}} ms: ledger {ledger * 1e3:.2f} ms, engine {engine * 1e3:.2f} ms, own {{:.2f}} ms"
    return [
        "a private count planned afresh: " + shown.format(fresh * 1e3, (fresh - ledger - engine) * 1e3),
        "a private count planned before: " + shown.format(known * 1e3, (known - ledger - engine) * 1e3),
    ]


def _statement_times(proxy: ServedProxy, rounds: int) -> tuple[float, float]:
    """Medians over one connection, with the client's and the front's part in it."""
    numbers = count(1000)
    with psycopg.connect(proxy.dsn("alice"), autocommit=True) as client:
        fresh = median_of(
            lambda: client.execute(f"SELECT count(*) FROM people WHERE person_id < {next(numbers)}").fetchall(), rounds
        )
        known = median_of(lambda: client.execute(KNOWN, prepare=True).fetchall(), rounds)
    return fresh, known


async def _charge_time(proxy: ServedProxy, cost: Loss, rounds: int) -> float:
    """The median of a durable charge, by a ledger of our own in the same database."""
    loop, times = asyncio.get_running_loop(), []
    limit = Loss(Decimal(10**9), Decimal(1))
    async with running(proxy.config.front.url.directory, proxy.config.server.database) as front:
        ledger = await Ledger.open(front.conninfo(), Accounting.ZCDP)
        try:
            for _ in range(rounds):
                begin = loop.time()
                await ledger.charge(AccountRef("bench"), cost, limit, (), KNOWN, Decimal(1))
                times.append(loop.time() - begin)
        finally:
            await ledger.close()
    return statistics.median(times)


async def _engine_time(proxy: ServedProxy, sql: str, rounds: int) -> float:
    """The median of the bounded SQL in an engine of our own over the same file."""
    loop, times = asyncio.get_running_loop(), []
    engine = open_engine(proxy.config)
    try:
        for _ in range(rounds):
            begin = loop.time()
            await engine.run(in_turn(Query(sql)), Ticket())
            times.append(loop.time() - begin)
    finally:
        await engine.close()
    return statistics.median(times)
