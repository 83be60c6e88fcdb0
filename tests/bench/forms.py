"""The forms of bounded SQL, TPC-H in DuckDB: processor time of all that the engine is asked for a statement, to the
plain query that is joined to its unit, as the policy has it (caps are held to) and where a clip is chosen up to them,
each without a unit index and with one. All are asked in turn, so that what else the machine does is the same for all.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from bench.accuracy.figures import heads, row, times
from bench.timing import Figures, in_turn
from tpch.data import make_tpch, write_policy
from worlds import fitted, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.answering.run import NONE, releases_in_order
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery, Ticket, Work
from dpproxy.engines import in_turn as asked_in_turn
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows
from dpproxy.schema_fit import opened

_LINES = "FROM lineitem"
_OF_UNIT = "FROM lineitem, orders, customer WHERE l_orderkey = o_orderkey AND o_custkey = c_custkey"
_ORDERS, _OF_ORDERS = "FROM orders", "FROM orders, customer WHERE o_custkey = c_custkey"
_Q1 = (
    "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), sum(l_extendedprice * (1 - l_discount)),"
    " sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice), avg(l_discount), "
    "count(*) {} l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus"
)
_Q18 = "SELECT count(*) FROM (SELECT l_orderkey {} GROUP BY l_orderkey HAVING sum(l_quantity) > 300) AS t"
_CLERKS = "SELECT o_clerk, count(*) {} GROUP BY o_clerk"
_SEGMENTS = "SELECT c_mktsegment, avg(c_acctbal) FROM customer GROUP BY c_mktsegment"
STATEMENTS: Mapping[str, tuple[str, str]] = {
    "count of lines": (f"SELECT count(*) {_LINES}", f"SELECT count(*) {_OF_UNIT}"),
    "sum of prices": (f"SELECT sum(l_extendedprice) {_LINES}", f"SELECT sum(l_extendedprice) {_OF_UNIT}"),
    "the same by flag": (
        f"SELECT l_returnflag, sum(l_extendedprice) {_LINES} GROUP BY l_returnflag",
        f"SELECT l_returnflag, sum(l_extendedprice) {_OF_UNIT} GROUP BY l_returnflag",
    ),
    "Q1": (_Q1.format(f"{_LINES} WHERE"), _Q1.format(f"{_OF_UNIT} AND")),
    "Q18's inner query": (_Q18.format(_LINES), _Q18.format(_OF_UNIT)),
    "orders by clerk, private keys": (_CLERKS.format(_ORDERS), _CLERKS.format(_OF_ORDERS)),
    "count(DISTINCT l_partkey)": (
        f"SELECT count(DISTINCT l_partkey) {_LINES}",
        f"SELECT count(DISTINCT l_partkey) {_OF_UNIT}",
    ),
    "avg by segment, one row of a unit": (_SEGMENTS, _SEGMENTS),
}
"""As an analyst asks it, and the plain query that is joined to its unit."""
_HELD, _CLIPPED = 'caps = "hold"', 'caps = "clip"'
_OFF = '[engine]\nunit_index = "off"\n'
_PLAIN = "plain"
_WAYS = ("held", "held, index", "clip", "clip, index")
Ask = Callable[[Work[object]], float]


def lines(scale: float, rounds: int, only: str = "") -> Iterator[str]:
    """A line for each statement; of those whose titles have `only`."""
    yield from heads("TPC-H", f"plain, scale {scale:g}", *_WAYS)
    with tempfile.TemporaryDirectory() as directory, ExitStack() as stack:
        policy = make_tpch(Path(directory), scale)
        ways = {way: stack.enter_context(_asking(policy, way)) for way in _WAYS}
        for title in STATEMENTS:
            if only in title:
                yield _line(title, ways, rounds)


def _line(title: str, ways: Mapping[str, tuple[Catalog, Ask]], rounds: int) -> str:
    asked, joined = STATEMENTS[title]
    first = next(ask for _, ask in ways.values())
    actions = {_PLAIN: lambda: first(asked_in_turn(EngineQuery(joined)))}
    for way, (catalog, ask) in ways.items():
        actions[way] = partial(_cost, ask, _checked(asked, catalog))
    found = in_turn(actions, rounds)
    return row(title, f"{found[_PLAIN].least * 1e3:,.0f} ms", *(_to_plain(found, way) for way in ways))


def _to_plain(found: Mapping[str, Figures], way: str) -> str:
    return times(found[way].least / found[_PLAIN].least)


def _cost(ask: Ask, made: Plan) -> float:
    return ask(releases_in_order(made, NONE, {}, None))


def _checked(sql: str, catalog: Catalog) -> Plan:
    made = plan(sql, catalog)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    return made


@contextmanager
def _asking(policy: Path, way: str) -> Iterator[tuple[Catalog, Ask]]:
    """The catalog of the policy as the way has it, and what says how long the engine works for a plan."""
    text = write_policy(policy.parent).read_text()
    text = text if way.startswith("held") else text.replace(_HELD, _CLIPPED)
    text = text if way.endswith("index") else text.replace("[engine]\n", _OFF)
    policy.write_text(text)
    config, catalog = fitted(policy)
    assert bool(catalog.indexes) == way.endswith("index")
    with asyncio.Runner() as runner:
        engine = runner.run(opened(config))
        try:
            yield catalog, lambda work: _spent(lambda timed: runner.run(engine.run(timed, Ticket())), work)
        finally:
            runner.run(engine.close())


def _spent(run: Callable[[Work[object]], object], work: Work[object]) -> float:
    """Seconds of the processor, of all threads, from where a query is given away to where its rows are there."""
    found: list[float] = []

    def timed() -> Work[object]:
        asked = next(work)
        while True:
            begun = time.process_time()
            rows: Rows = yield asked
            found.append(time.process_time() - begun)
            try:
                asked = work.send(rows)
            except StopIteration as last:
                return last.value

    run(timed())
    return sum(found)
