"""How cost grows with the rows: TPC-H at growing scales in DuckDB, bounded SQL with and without a unit index in turn
with the plain query joined to its unit, and beside them the proxy's own time for the same statement."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.accuracy.figures import heads, row
from bench.pictures import Panel, drawn
from bench.timing import Figures, in_turn, timed
from rich.progress import track
from tpch.data import make_tpch
from worlds import fitted, opened_room, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery
from dpproxy.plan.private_plan import Release
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows

_LINKED = "FROM customer, orders, lineitem WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey"
_DATES = "l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'"
STATEMENTS = {
    "count": ("SELECT count(*) FROM lineitem", f"SELECT count(*) {_LINKED}"),
    "a year's sum": (
        f"SELECT sum(l_extendedprice) FROM lineitem WHERE {_DATES}",
        f"SELECT sum(l_extendedprice) {_LINKED} AND {_DATES}",
    ),
    "sum by flag": (
        "SELECT l_returnflag, sum(l_extendedprice) FROM lineitem GROUP BY l_returnflag",
        f"SELECT l_returnflag, sum(l_extendedprice) {_LINKED} GROUP BY l_returnflag",
    ),
    "orders by priority": (
        "SELECT o_orderpriority, count(*) FROM orders GROUP BY o_orderpriority",
        "SELECT o_orderpriority, count(*) FROM orders, customer WHERE c_custkey = o_custkey GROUP BY o_orderpriority",
    ),
}
"""As an analyst asks it, and the plain query that is joined to its unit."""
Run = Callable[[EngineQuery], Rows]
PLAIN, BOUNDED, INDEXED = "plain", "bounded", "with an index"


@dataclass(frozen=True)
class Cost:
    """Seconds in the engine, by way; rows that came from it; seconds of the processor for planning, checking, noise."""

    engine: Mapping[str, Figures]
    rows: int
    own: float


def lines(scales: Sequence[float], rounds: int, pictures: Path) -> Iterator[str]:
    """A line for each statement and scale; then the picture is drawn."""
    found: dict[str, list[Cost]] = {title: [] for title in STATEMENTS}
    yield from heads("TPC-H", "scale", PLAIN, BOUNDED, "to plain", INDEXED, "to plain", "rows from the engine", "own")
    for scale in track(scales, description="growth"):
        with tempfile.TemporaryDirectory() as directory:
            for title, cost in _at(make_tpch(Path(directory), scale), rounds):
                found[title].append(cost)
                yield row(title, f"{scale:g}", *_cells(cost))
    drawn(list(_panels(scales, found)), path := pictures / "growth.svg")
    yield f"{path}: drawn"


def _cells(cost: Cost) -> Iterator[str]:
    plain = cost.engine[PLAIN]
    yield f"{plain.median * 1e3:,.0f} ms"
    for way in (BOUNDED, INDEXED):
        yield from (f"{cost.engine[way].median * 1e3:,.0f} ms", f"{cost.engine[way].over(plain):.2f}")
    yield from (f"{cost.rows}", f"{cost.own * 1e3:.1f} ms")


def _at(policy: Path, rounds: int) -> Iterator[tuple[str, Cost]]:
    """Each statement's cost over the rows of the policy, whose index is there."""
    config, catalog = fitted(policy)
    assert catalog.indexes
    policy.write_text(policy.read_text().replace("[engine]\n", '[engine]\nunit_index = "off"\n'))
    without = fitted(policy)[1]
    assert not without.indexes
    with opened_room(config) as run:
        for title in STATEMENTS:
            yield title, _cost(title, catalog, without, run, rounds)


def _cost(title: str, indexed: Catalog, without: Catalog, run: Run, rounds: int) -> Cost:
    asked, plain = STATEMENTS[title]
    texts = {PLAIN: plain, BOUNDED: _planned(asked, without).bounded.sql, INDEXED: _planned(asked, indexed).bounded.sql}
    exact = run(EngineQuery(texts[INDEXED]))
    found = in_turn({way: _timed(run, text) for way, text in texts.items()}, rounds)
    return Cost(found, len(exact.rows), _own(asked, indexed, exact, rounds))


def _planned(sql: str, catalog: Catalog) -> Release:
    made = plan(sql, catalog)
    check_plan(made, catalog, "duckdb", Accounting.ZCDP)
    (only,) = made.releases
    return only


def _timed(run: Run, text: str) -> Callable[[], float]:
    return lambda: timed(lambda: run(EngineQuery(text)))


def _own(sql: str, catalog: Catalog, exact: Rows, rounds: int) -> float:
    """Of a statement that is planned afresh."""
    return statistics.median(_processor_time(sql, catalog, exact) for _ in range(rounds))


def _processor_time(sql: str, catalog: Catalog, exact: Rows) -> float:
    begun = time.process_time()
    each = _planned(sql, catalog)
    release(each, exact, key_space(each.bounded.keys, {}, []))
    return time.process_time() - begun


def _panels(scales: Sequence[float], found: Mapping[str, Sequence[Cost]]) -> Iterator[Panel]:
    """A panel for a count and one for sums by a key; each has the same lines."""
    for title in ("count", "sum by flag"):
        ways = {way: [each.engine[way].median for each in found[title]] for way in (PLAIN, BOUNDED, INDEXED)}
        own = {"own time": [each.own for each in found[title]]}
        yield Panel(f"scale of TPC-H ({title})", "seconds", scales, ways | own)
