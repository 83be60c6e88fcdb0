"""What a private statement takes, and what of it is the proxy's own: the whole as a client sees it, less the ledger's
charge and the engine's run, each measured by itself in the same rounds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import count

from bench.rates import Size, pgbench
from bench.raw import encoded, execute, prepare, raw_client
from bench.timing import Figures, in_turn, timed
from bench.ways import PROXY, Ways
from proxies import ServedProxy
from worlds import fitted, open_engine, plan

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.engines import Query, Ticket
from dpproxy.engines import in_turn as in_order
from dpproxy.front.embedded import running
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.plan.model import Plan
from dpproxy.wire import Bind, Execute, Parse, Sync

KNOWN = "SELECT count(*) FROM people WHERE age >= 40"
LIMIT = Loss(Decimal(10**9), Decimal(1))
_FRESH, _KEPT, _LEDGER, _ENGINE = "planned afresh", "parsed once", "ledger", "engine"


def lines(proxy: ServedProxy, ways: Ways, size: Size, executions: int) -> Iterator[str]:
    """Lines on private statements a second, and on the parts of one."""
    for clients in (1, 16):
        rate = pgbench(f"{KNOWN};", "prepared", clients, ways.trusted[PROXY], size.run)
        yield f"a known private count, {clients} connections: {rate:,.0f}/s"
    made = plan(KNOWN, fitted(proxy.config.path)[1])
    there = ways.trusted[PROXY]
    with raw_client(there) as one, raw_client(there) as other, _parts(proxy, made) as parts:
        other.ask(prepare("kept", KNOWN))
        numbers = count(1000)
        wholes = {
            _FRESH: lambda: timed(lambda: one.ask(_fresh(next(numbers)))),
            _KEPT: lambda: timed(lambda: other.ask(execute("kept"))),
        }
        found = in_turn(wholes | parts, executions)
        for name in wholes:
            yield f"a private count {name}, {executions} times: {_told(found[name], found[_LEDGER], found[_ENGINE])}"


def _told(whole: Figures, ledger: Figures, engine: Figures) -> str:
    own = Figures(tuple(a - b - c for a, b, c in zip(whole.rounds, ledger.rounds, engine.rounds, strict=True)))
    parts = ((each.median * 1e3) for each in (whole, ledger, engine, own))
    return "whole {:.2f} ms: ledger {:.2f} ms, engine {:.2f} ms, own {:.2f} ms".format(*parts)


def _fresh(number: int) -> bytes:
    sql = f"SELECT count(*) FROM people WHERE person_id < {number}"
    return encoded(Parse("", sql, ()), Bind("", "", (), (), ()), Execute("", 0), Sync())


@contextmanager
def _parts(proxy: ServedProxy, made: Plan) -> Iterator[dict[str, Callable[[], float]]]:
    """A durable charge by a ledger of our own in the same database; the plan's bounded SQL in an engine of our own
    over the same file."""
    with asyncio.Runner() as runner:
        ledger, engine = runner.run(_ledger(proxy)), open_engine(proxy.config)
        run = runner.get_loop().run_until_complete
        sql = made.releases[0].bounded.sql
        try:
            yield {
                _LEDGER: lambda: run(
                    _seconds(ledger.charge(AccountRef("bench"), made.cost, LIMIT, (), KNOWN, Decimal(1)))
                ),
                _ENGINE: lambda: run(_seconds(engine.run(in_order(Query(sql)), Ticket()))),
            }
        finally:
            run(ledger.close())
            run(engine.close())


async def _ledger(proxy: ServedProxy) -> Ledger:
    async with running(proxy.config.front.url.directory, proxy.config.server.database) as front:
        return await Ledger.open(front.conninfo(), Accounting.ZCDP)


async def _seconds(work: Awaitable[object]) -> float:
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin
