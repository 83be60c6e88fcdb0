"""TPC-H in a Postgres, as a data owner has it: bounded SQL beside the plain query, and the proxy beside the server.

Every ratio is of things done in turn. Bounded and plain queries run under the same settings, those of the engine's
transactions, and the bounded ones under the server's own as well, which says what the settings are worth.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import psycopg
from asyncpg.types import ServerVersion
from bench import private
from bench.rates import pgbench
from bench.timing import Figures, in_turn, timed
from bench.ways import PROXY, opened
from proxies import serving
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from tpch.data import copy_to_postgres, make_tpch
from worlds import fitted, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config, load
from dpproxy.engines.postgres.settings import beginning
from dpproxy.front.front_address import FrontAddress

ORDERS, LINEITEM, CUSTOMER = "orders", "lineitem", "customer"
# What carries the unit's key beside what a query reads.
UNITED = {
    CUSTOMER: "customer",
    ORDERS: "orders JOIN customer ON o_custkey = c_custkey",
    LINEITEM: "lineitem JOIN orders ON l_orderkey = o_orderkey",
}
ASKED = (
    (CUSTOMER, "SELECT count(*) FROM {}"),
    (CUSTOMER, "SELECT c_mktsegment, avg(c_acctbal) FROM {} GROUP BY c_mktsegment"),
    (ORDERS, "SELECT count(*) FROM {}"),
    (ORDERS, "SELECT sum(o_totalprice) FROM {}"),
    (ORDERS, "SELECT count(*) FROM {} WHERE o_orderdate >= DATE '1995-01-01' AND o_orderdate < DATE '1996-01-01'"),
    (ORDERS, "SELECT o_orderpriority, count(*) FROM {} GROUP BY o_orderpriority"),
    (ORDERS, "SELECT o_orderpriority, sum(o_totalprice) FROM {} GROUP BY o_orderpriority"),
    (ORDERS, "SELECT o_orderdate, count(*) FROM {} GROUP BY o_orderdate"),
    (ORDERS, "SELECT count(DISTINCT o_clerk) FROM {}"),
    (LINEITEM, "SELECT count(*) FROM {}"),
    (LINEITEM, "SELECT sum(l_quantity) FROM {}"),
    (LINEITEM, "SELECT l_shipmode, count(*) FROM {} GROUP BY l_shipmode"),
    (
        LINEITEM,
        "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), "
        "sum(l_extendedprice * (1 - l_discount)), avg(l_quantity), count(*) FROM {} "
        "WHERE l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus",
    ),
    (
        LINEITEM,
        "SELECT sum(l_extendedprice * l_discount) FROM {} WHERE l_shipdate >= DATE '1994-01-01' "
        "AND l_shipdate < DATE '1995-01-01' AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24",
    ),
    (LINEITEM, "SELECT l_suppkey, count(*) FROM {} GROUP BY l_suppkey"),
)
SMALL_COUNT = "SELECT count(*) FROM customer WHERE c_custkey < {}"
SMALL_SUMS = "SELECT c_mktsegment, sum(c_acctbal) FROM customer WHERE c_custkey < {} GROUP BY c_mktsegment"
LOADS = {
    "a small private count": SMALL_COUNT.format(1000),
    "a private grouped sum": "SELECT c_mktsegment, sum(c_acctbal) FROM customer GROUP BY c_mktsegment",
    "a public table": "SELECT n_name FROM nation ORDER BY n_name",
    "SELECT 1": "SELECT 1",
}
DIRECT = "the server"
RICH = {"epsilon = 20.0\ndelta = 1e-5": "epsilon = 1e12\ndelta = 0.1", "epsilon = 1.0": "epsilon = 0.01"}
_BOUNDED, _UNSET, _UNITED, _PLAIN = "bounded", "bounded under the server's settings", "joined to its unit", "plain"
_SECONDS = 3600.0


@dataclass(frozen=True)
class Extent:
    """How much is measured: TPC-H's scale, rounds, pgbench's own words for the length of a run, private executions."""

    scale: float
    rounds: int
    run: tuple[str, str]
    clients: tuple[int, ...]
    executions: int


class OwnersServer(ScratchPostgres):
    """A server with the settings that its owner would give it; those of the planner are Postgres's own."""

    options: ClassVar[tuple[str, ...]] = (
        *("-c", "shared_buffers=1GB", "-c", "effective_cache_size=4GB", "-c", "maintenance_work_mem=256MB"),
        *("-c", "max_wal_size=4GB", "-c", "checkpoint_timeout=30min", "-c", "random_page_cost=1.1"),
    )


def lines(extent: Extent) -> Iterator[str]:
    """Lines on bounded SQL, then on throughput, then on the parts of a private statement."""
    major = max(MAJORS)
    with tempfile.TemporaryDirectory() as directory, scratch_postgres(MAJORS[major], OwnersServer) as server:
        make_tpch(Path(directory), extent.scale)
        config = _rich(copy_to_postgres(Path(directory), server))
        _link(server)
        yield f"Postgres {major}, TPC-H at scale {extent.scale:g}"
        yield from _ratios(server, fitted(config.path)[1], extent.rounds)
        with serving(config) as proxy, opened(proxy, None) as ways:
            direct = FrontAddress(str(server.directory), 5432, server.database, "reader", "reading")
            yield from _rates({PROXY: ways.trusted[PROXY], DIRECT: direct}, extent)
            for name, sql in (("count", SMALL_COUNT), ("grouped sum", SMALL_SUMS)):
                yield from private.parts(proxy, ways, (name, sql), extent.executions)


def _rich(policy: Path) -> Config:
    text = policy.read_text()
    for old, new in RICH.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    policy.write_text(text)
    return load(policy, {})


def _link(server: ScratchPostgres) -> None:
    """Foreign keys, an index on the one that no primary key begins with, and statistics."""
    with psycopg.connect(server.conninfo, autocommit=True) as owner:
        owner.execute("ALTER TABLE orders ADD FOREIGN KEY (o_custkey) REFERENCES customer")
        owner.execute("ALTER TABLE lineitem ADD FOREIGN KEY (l_orderkey) REFERENCES orders")
        owner.execute("CREATE INDEX ON orders (o_custkey)")
        owner.execute("VACUUM ANALYZE")


def _ratios(server: ScratchPostgres, catalog: Catalog, rounds: int) -> Iterator[str]:
    """A line for each query: medians, and ratios to the plain query joined to its unit."""
    with _sessions(server) as (ours, unset):
        for table, asked in ASKED:
            text = plan(asked.format(table), catalog, dialect="postgres").releases[0].bounded.sql
            done = {
                _BOUNDED: (ours, text),
                _UNSET: (unset, text),
                _UNITED: (ours, asked.format(UNITED[table])),
                _PLAIN: (ours, asked.format(table)),
            }
            actions = {name: partial(_run, session, sql) for name, (session, sql) in done.items()}
            yield _ratio(in_turn(actions, rounds), asked.format(table))


def _ratio(found: Mapping[str, Figures], sql: str) -> str:
    bounded, united = found[_BOUNDED], found[_UNITED]
    least = bounded.least / united.least
    times = ", ".join(f"{found[name].median * 1e3:,.1f} ms {name}" for name in (_BOUNDED, _UNITED, _PLAIN, _UNSET))
    return f"{bounded.over(united):6.2f} times (least {least:.2f})  {times}  {sql}"


@contextmanager
def _sessions(server: ScratchPostgres) -> Iterator[tuple[psycopg.Connection[Any], psycopg.Connection[Any]]]:
    """A transaction as the engine begins it, but that it finds tables as an analyst names them, and one as it comes."""
    with ExitStack() as held:
        conninfo = server.conninfo_of("reader", "reading")
        ours, unset = (held.enter_context(psycopg.connect(conninfo, autocommit=True)) for _ in range(2))
        version = ServerVersion(ours.info.server_version // 10000, 0, 0, "final", 0)
        ours.execute(f"{beginning(_SECONDS, version)}; SET LOCAL search_path = public")
        yield ours, unset


def _run(session: psycopg.Connection[Any], sql: str) -> float:
    return timed(lambda: session.execute(sql).fetchall())


def _rates(ways: Mapping[str, FrontAddress], extent: Extent) -> Iterator[str]:
    """A line for each statement and number of clients: how many a second; private ones are computed anew each time."""
    for name, sql in LOADS.items():
        for clients in extent.clients:
            rate = partial(pgbench, f"{sql};", "prepared", clients, run=extent.run, options=private.FRESH_OPTIONS)
            found = in_turn({way: partial(rate, address=address) for way, address in ways.items()}, 1)
            proxy, direct = found[PROXY].median, found[DIRECT].median
            rates = f"{proxy:,.0f}/s through the proxy, {direct:,.0f}/s directly, ratio {proxy / direct:.3f}"
            yield f"{name}, {clients} clients: {rates}"
