"""What the one scan costs in DuckDB beside the plain joined query, and the bounded form where caps are declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import heads, row
from bench.timing import Figures, in_turn, timed
from rich.progress import Progress
from tpch.data import make_tpch, make_undeclared
from tpch.queries import queries
from worlds import fitted, plan

from dpproxy.catalog.policy import Catalog

_CHAIN = "FROM customer, orders, lineitem WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey"
STATEMENTS = {
    "orders: count": "SELECT count(*) FROM orders",
    "orders by month": "SELECT date_trunc('month', o_orderdate), count(*) FROM orders GROUP BY 1",
    "lines: sum": f"SELECT sum(l_quantity) {_CHAIN}",
    "prices by segment": f"SELECT c_mktsegment, sum(l_extendedprice) {_CHAIN} GROUP BY c_mktsegment",
    "prices by flag": f"SELECT l_returnflag, sum(l_extendedprice) {_CHAIN} GROUP BY l_returnflag",
}
TPCH = (1, 5, 6, 7, 9, 12)


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each statement: medians, and ratios round by round."""
    scale, rounds = (0.01, 1) if short else (1.0, 7)
    columns = ("one scan", "plain", "with caps", "to plain", "to caps")
    yield from heads(f"scale {scale:g}, medians of {rounds} rounds in turn", *columns)
    statements = STATEMENTS | {f"Q{number}": queries()[number].sql.strip().rstrip(";") for number in TPCH}
    with TemporaryDirectory() as name:
        declared = fitted(make_tpch(Path(name), scale))[1]
        with TemporaryDirectory() as other:
            undeclared = fitted(make_undeclared(Path(other), scale))[1]
        with duckdb.connect(str(Path(name) / "tpch.duckdb"), read_only=True) as engine:
            for title, sql in progress.track(list(statements.items()), description="one scan"):
                texts = {"one scan": _bounded(sql, undeclared), "plain": sql, "with caps": _bounded(sql, declared)}
                found = in_turn({way: _timed(engine, text) for way, text in texts.items()}, rounds)
                yield row(title, *_cells(found))


def _bounded(sql: str, catalog: Catalog) -> str:
    return plan(sql, catalog, {"delta": "5e-7"}).releases[-1].bounded.sql


def _timed(engine: duckdb.DuckDBPyConnection, text: str) -> Callable[[], float]:
    return lambda: timed(lambda: engine.execute(text).fetchall())


def _cells(found: dict[str, Figures]) -> list[str]:
    own = found["one scan"]
    times = [f"{each.median * 1e3:.0f} ms" for each in found.values()]
    return [*times, f"{own.over(found['plain']):,.1f}", f"{own.over(found['with caps']):.1f}"]
