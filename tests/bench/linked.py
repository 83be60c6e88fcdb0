"""TPC-H: a grouped sum over three linked tables, bounded against plain; and how long each of the 22 takes to plan."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
from bench.timing import median_of, paired
from tpch.data import make_tpch
from tpch.queries import queries
from worlds import fitted, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker import check_plan

CHAIN = "FROM customer, orders, lineitem WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey"
GROUPED = (
    f"SELECT c_mktsegment, sum(l_extendedprice) {CHAIN} GROUP BY c_mktsegment",
    f"SELECT o_orderpriority, sum(l_extendedprice) {CHAIN} GROUP BY o_orderpriority",
    f"SELECT l_returnflag, sum(l_extendedprice) {CHAIN} GROUP BY l_returnflag",
)


def lines(scale: float, rounds: int) -> Iterator[str]:
    """A line for each grouped sum, medians and the ratio; then one for each of the 22 queries."""
    with tempfile.TemporaryDirectory() as directory:
        config, catalog = fitted(make_tpch(Path(directory), scale))
        with duckdb.connect(str(config.engine.url.path), read_only=True) as engine:
            for sql in GROUPED:
                text = plan(sql, catalog).releases[0].bounded.sql
                found = paired(
                    lambda t=text: engine.execute(t).fetchall(), lambda s=sql: engine.execute(s).fetchall(), rounds
                )
                yield f"{found.ratio:6.2f} times  {found.first * 1e3:8.2f} ms / {found.second * 1e3:8.2f} ms  {sql}"
    yield from _planning(catalog, rounds)


def _planning(catalog: Catalog, rounds: int) -> Iterator[str]:
    for number, query in queries().items():
        sql = query.sql.strip().rstrip(";")
        try:
            made = plan(sql, catalog)
        except DPProxyError as fault:
            yield f"planning Q{number}: refused ({fault.sqlstate})"
            continue
        planned = median_of(lambda s=sql: plan(s, catalog), rounds)
        checked = median_of(lambda p=made: check_plan(p, catalog, "duckdb", Accounting.ZCDP), rounds)
        yield f"planning Q{number}: {planned * 1e3:.1f} ms, and checked in {checked * 1e3:.1f} ms"
