"""What a private statement takes, and what of it is the proxy's own: the whole as a client sees it, less the front's
post statement, the ledger's charge and the engine's run, each measured by itself in the same rounds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import count

from bench.rates import Size, pgbench
from bench.raw import encoded, execute, prepare, query, raw_client
from bench.timing import Figures, in_turn, timed
from bench.ways import FRONT, PROXY, Ways
from proxies import ServedProxy
from worlds import plan

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.engines import EngineQuery, Ticket
from dpproxy.engines import in_turn as in_order
from dpproxy.front.embedded_front import running
from dpproxy.ledger import AccountRef, Ledger
from dpproxy.plan.private_plan import Plan
from dpproxy.schema_fit import fit, opened
from dpproxy.wire import Bind, Execute, Parse, Sync

KNOWN = "SELECT count(*) FROM people WHERE person_id >= {}"
FRESH_OPTIONS = "-c dp.fresh=on"
LIMIT = terms(Accounting.ZCDP, Decimal(10**9), Decimal("0.9"))
_FRESH, _KEPT, _FRONT, _LEDGER, _ENGINE = "planned afresh", "parsed once", "front", "ledger", "engine"


def lines(proxy: ServedProxy, ways: Ways, size: Size, executions: int) -> Iterator[str]:
    """Lines on private statements a second, and on the parts of one."""
    for clients in (1, 16):
        rate = pgbench(f"{KNOWN.format(40)};", "prepared", clients, ways.trusted[PROXY], size.run, FRESH_OPTIONS)
        yield f"a known private count, {clients} connections: {rate:,.0f}/s"
    yield from parts(proxy, ways, ("count", KNOWN), executions)


def parts(proxy: ServedProxy, ways: Ways, asked: tuple[str, str], executions: int) -> Iterator[str]:
    """Lines on what a private statement takes. asked: what it is, and its text with a place for a number."""
    name, sql = asked
    there = ways.trusted[PROXY]
    with raw_client(there) as one, raw_client(there) as other, _parts(proxy, ways, sql.format(40)) as measured:
        for client in (one, other):
            client.ask(query("SET dp.fresh = on"))
        other.ask(prepare("kept", sql.format(40)))
        numbers = count(1000)
        wholes = {
            _FRESH: lambda: timed(lambda: one.ask(_fresh(sql.format(next(numbers))))),
            _KEPT: lambda: timed(lambda: other.ask(execute("kept"))),
        }
        found = in_turn(wholes | measured, executions)
        for way in wholes:
            yield f"a private {name} {way}, {executions} times: {_told(found[way], [found[part] for part in measured])}"


def _told(whole: Figures, measured: Sequence[Figures]) -> str:
    rounds = zip(whole.rounds, *(each.rounds for each in measured), strict=True)
    own = Figures(tuple(all_of_it - sum(others) for all_of_it, *others in rounds))
    times = ((each.median * 1e3) for each in (whole, *measured, own))
    return "whole {:.2f} ms: front {:.2f} ms, ledger {:.2f} ms, engine {:.2f} ms, own {:.2f} ms".format(*times)


def _fresh(sql: str) -> bytes:
    return encoded(Parse("", sql, ()), Bind("", "", (), (), ()), Execute("", 0), Sync())


@contextmanager
def _parts(proxy: ServedProxy, ways: Ways, sql: str) -> Iterator[dict[str, Callable[[], float]]]:
    """The post statement in the front, over a row of nothing; a durable charge by a ledger of our own in the same
    database; the plan's bounded SQL in an engine of our own over the same data."""
    with asyncio.Runner() as runner, raw_client(ways.trusted[FRONT]) as front:
        ledger, engine = runner.run(_ledger(proxy)), runner.run(opened(proxy.config))
        made = plan(sql, runner.run(fit(proxy.config, engine)).catalog, dialect=engine.dialect)
        post, run = _post(made), runner.get_loop().run_until_complete
        try:
            yield {
                _FRONT: lambda: timed(lambda: front.ask(post)),
                _LEDGER: lambda: run(
                    _seconds(ledger.charge(AccountRef("bench"), made.cost, LIMIT, (), sql, Decimal(1)))
                ),
                _ENGINE: lambda: run(
                    _seconds(engine.run(in_order(EngineQuery(made.releases[0].bounded.sql)), Ticket()))
                ),
            }
        finally:
            run(ledger.close())
            run(engine.close())


def _post(made: Plan) -> bytes:
    values = tuple(b"{NULL}" for _ in made.post.inputs)
    return encoded(Parse("", made.post.sql, ()), Bind("", "", (), values, ()), Execute("", 0), Sync())


async def _ledger(proxy: ServedProxy) -> Ledger:
    async with running(proxy.config.front.url.directory, proxy.config.server.database) as front:
        return await Ledger.open(front.conninfo(), Accounting.ZCDP)


async def _seconds(work: Awaitable[object]) -> float:
    begin = time.perf_counter()
    await work
    return time.perf_counter() - begin
