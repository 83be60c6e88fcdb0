"""What a charge costs when several callers of one process charge at once: made together, and each by itself."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from decimal import Decimal
from time import perf_counter

from bench.timing import Figures
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.ledger.charge_batches import ChargeBatches, ChargeRequest, ChargeVerdict
from dpproxy.ledger.connection_pool import LedgerConnections

CALLERS = (1, 4, 16, 50)
_PATIENCE, _CONNECTIONS = 60, 8
_TENTH = Loss(Decimal("0.1"), Decimal(0))
_PLENTY = terms(Accounting.PURE, Decimal("1e6"), Decimal(0))


@dataclass(frozen=True)
class _Raced:
    """One round, in seconds and in charges a second."""

    p50: float
    p99: float
    rate: float


def lines(charges: int, rounds: int) -> Iterator[str]:
    """A line for each number of callers, who make so many charges in all in each round; both ways in turn."""
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        for analysts in ("an analyst each", "one analyst"):
            for callers in CALLERS:
                each = max(2, charges // callers)
                alone, together = asyncio.run(_both(server.conninfo, callers, analysts == "one analyst", each, rounds))
                ratio = _figures(together, "p50").over(_figures(alone, "p50"))
                yield (
                    f"{callers:2} callers, {analysts:15}: p50 {_told(alone, 'p50')} each by itself, "
                    f"{_told(together, 'p50')} together, ratio {ratio:.2f}; p99 {_told(alone, 'p99')}, "
                    f"{_told(together, 'p99')}; a second {_figures(alone, 'rate').median:.0f}, "
                    f"{_figures(together, 'rate').median:.0f}"
                )


class _Alone:
    """Charges each of which is a batch of its own, and waits for no other."""

    def __init__(self, pool: LedgerConnections) -> None:
        self._pool = pool

    async def charge(self, asked: ChargeRequest) -> ChargeVerdict:
        return await ChargeBatches(self._pool.run, _PATIENCE, Accounting.PURE).charge(asked)

    async def close(self) -> None:
        """Nothing is under way when all are told."""


def _figures(rounds: list[_Raced], name: str) -> Figures:
    return Figures(tuple(getattr(each, name) for each in rounds))


def _told(rounds: list[_Raced], name: str) -> str:
    return f"{_figures(rounds, name).median * 1e3:.2f} ms"


async def _both(
    conninfo: str, callers: int, same: bool, charges: int, rounds: int
) -> tuple[list[_Raced], list[_Raced]]:
    """After a round that is not counted."""
    async with AsyncExitStack() as stack:
        alone, together = [await Ledger.open(conninfo, Accounting.PURE, patience=_PATIENCE) for _ in range(2)]
        pool = LedgerConnections(conninfo, _PATIENCE, _CONNECTIONS)
        for each in (pool, together, alone):
            stack.push_async_callback(each.close)
        alone._batches = _Alone(pool)
        found = [[await _race(each, callers, same, charges) for each in (alone, together)] for _ in range(rounds + 1)]
    return [each[0] for each in found[1:]], [each[1] for each in found[1:]]


async def _race(ledger: Ledger, callers: int, same: bool, charges: int) -> _Raced:
    times = list[float]()

    async def caller(number: int) -> None:
        ref = AccountRef("one" if same else f"analyst {number}")
        for _ in range(charges):
            begun = perf_counter()
            await ledger.charge(ref, _TENTH, _PLENTY, (), "SELECT count(*) FROM people", _TENTH.main)
            times.append(perf_counter() - begun)

    begun = perf_counter()
    await asyncio.gather(*(caller(number) for number in range(callers)))
    cuts = statistics.quantiles(times, n=100)
    return _Raced(cuts[49], cuts[98], len(times) / (perf_counter() - begun))
