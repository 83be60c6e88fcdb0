"""How long a charge takes while fifty callers race: through three ledgers, as three proxies have, each in a process of
its own, before one Postgres."""

from __future__ import annotations

import asyncio
import multiprocessing
import statistics
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from time import perf_counter

from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres

from dpproxy.accounting.account import Terms, terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import PrivacyBudgetExceeded
from dpproxy.ledger import AccountRef, Ledger

PROXIES, CALLERS = 3, 50
TENTH = Loss(Decimal("0.1"), Decimal(0))
WHOLE, PLENTY = (terms(Accounting.PURE, Decimal(each), Decimal(0)) for each in ("1", "1e6"))


@dataclass(frozen=True)
class Kind:
    """Who races: `analysts` share the callers, and a group that all of them are charged to, or none."""

    name: str
    analysts: int
    groups: tuple[tuple[str, Terms], ...] = ()


KINDS = (
    Kind("fifty analysts", CALLERS),
    Kind("fifty analysts with a budget together", CALLERS, (("everyone", PLENTY),)),
    Kind("one analyst", 1),
)


def lines(charges: int) -> Iterator[str]:
    """A table: for each kind of race p50 and p99 of a charge, each caller making so many, and the rate of all."""
    yield f"{'callers':40} {'p50':>10} {'p99':>10} {'a second':>9}"
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        ProcessPoolExecutor(PROXIES, multiprocessing.get_context("spawn")) as proxies,
    ):
        _raced(proxies, server, KINDS[0], 1)  # until all processes are there
        for kind in KINDS:
            times = _raced(proxies, server, kind, charges)
            rate = len(times) / (max(end for _, end in times) - min(begin for begin, _ in times))
            cuts = statistics.quantiles([end - begin for begin, end in times], n=100)
            yield f"{kind.name:40} {cuts[49] * 1e3:7.2f} ms {cuts[98] * 1e3:7.2f} ms {rate:9.0f}"
        yield f"of a budget for ten charges fifty callers were given {_last(proxies, server)}"


def _raced(
    proxies: ProcessPoolExecutor, server: ScratchPostgres, kind: Kind, charges: int
) -> list[tuple[float, float]]:
    parts = [range(number, CALLERS, PROXIES) for number in range(PROXIES)]
    found = [proxies.submit(_proxy, server.conninfo, kind, part, charges) for part in parts]
    return [each for one in found for each in one.result()]


def _last(proxies: ProcessPoolExecutor, server: ScratchPostgres) -> int:
    parts = [range(number, CALLERS, PROXIES) for number in range(PROXIES)]
    return sum(each.result() for each in [proxies.submit(_given, server.conninfo, len(part)) for part in parts])


def _proxy(conninfo: str, kind: Kind, callers: range, charges: int) -> list[tuple[float, float]]:
    """When each charge of one process began and ended, in seconds by the clock that all processes have."""

    async def caller(ledger: Ledger, number: int) -> list[tuple[float, float]]:
        ref, found = AccountRef(f"{kind.name} {number % kind.analysts}"), list[tuple[float, float]]()
        for _ in range(charges):
            begun = perf_counter()
            await ledger.charge(ref, TENTH, PLENTY, kind.groups, "SELECT count(*) FROM people", TENTH.main)
            found.append((begun, perf_counter()))
        return found

    async def work() -> list[tuple[float, float]]:
        ledger = await Ledger.open(conninfo, Accounting.PURE, patience=60)
        try:
            every = await asyncio.gather(*(caller(ledger, number) for number in callers))
        finally:
            await ledger.close()
        return [each for one in every for each in one]

    return asyncio.run(work())


def _given(conninfo: str, callers: int) -> int:
    """How many charges to an account that has room for ten came through, in one process."""

    async def caller(ledger: Ledger) -> bool:
        try:
            await ledger.charge(AccountRef("the last"), TENTH, WHOLE, (), "SELECT 1", TENTH.main)
        except PrivacyBudgetExceeded:
            return False
        return True

    async def work() -> int:
        ledger = await Ledger.open(conninfo, Accounting.PURE, patience=60)
        try:
            return sum(await asyncio.gather(*(caller(ledger) for _ in range(callers))))
        finally:
            await ledger.close()

    return asyncio.run(work())
