"""A lake's files by DuckDB, by Sail and by a cluster of Spark's: bounded SQL in turn with the plain query joined to its
unit, what each takes of processors, what Spark shuffles, and the proxy's own time.

A cluster is asked where `SPARK_HOME` says of a Spark: a master, two workers of one core and 2 GiB, a Connect server.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.accuracy.figures import heads, row
from bench.consumed import Consumed, Meter, of_a_cluster, of_a_process, of_this_process
from spark_cluster import cluster
from spark_servers import SPARK_HOME, Sail
from tpch.lake import make_lake, write_lake_policy
from worlds import TERMS, fitted, opened_room, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.engines import EngineQuery
from dpproxy.plan.private_plan import FromPublic, Release
from dpproxy.plan.space import key_space
from dpproxy.release import release
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows

_LINES: Final = "FROM lineitem, customer WHERE l_custkey = c_custkey"
_ORDERS: Final = "FROM orders, customer WHERE o_custkey = c_custkey"
_Q1: Final = (
    "SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice * (1 - l_discount)), avg(l_quantity),"
    " count(*) {} l_shipdate <= DATE '1998-09-02' GROUP BY l_returnflag, l_linestatus"
)
_LATE: Final = (
    "o_orderdate >= DATE '1993-07-01' AND o_orderdate < DATE '1993-10-01' AND EXISTS (SELECT 1 FROM lineitem"
    " WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)"
)
_Q5: Final = (
    "SELECT n_name, sum(l_extendedprice * (1 - l_discount)) FROM customer, orders, lineitem, supplier, nation, region"
    " WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey"
    " AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'"
    " AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01' GROUP BY n_name"
)
STATEMENTS: Final = {
    "count of lines": ("SELECT count(*) FROM lineitem", f"SELECT count(*) {_LINES}"),
    "sum by flag": (
        "SELECT l_returnflag, sum(l_extendedprice) FROM lineitem GROUP BY l_returnflag",
        f"SELECT l_returnflag, sum(l_extendedprice) {_LINES} GROUP BY l_returnflag",
    ),
    "like Q1": (_Q1.format("FROM lineitem WHERE"), _Q1.format(f"{_LINES} AND")),
    "Q4": (
        f"SELECT o_orderpriority, count(*) FROM orders WHERE {_LATE} GROUP BY o_orderpriority",
        f"SELECT o_orderpriority, count(*) {_ORDERS} AND {_LATE} GROUP BY o_orderpriority",
    ),
    "Q5": (_Q5, _Q5),
    "orders by priority": (
        "SELECT o_orderpriority, count(*) FROM orders GROUP BY o_orderpriority",
        f"SELECT o_orderpriority, count(*) {_ORDERS} GROUP BY o_orderpriority",
    ),
    "orders by clerk, private keys": (
        "SELECT o_clerk, count(*) FROM orders GROUP BY o_clerk",
        f"SELECT o_clerk, count(*) {_ORDERS} GROUP BY o_clerk",
    ),
}
"""As an analyst asks it, and the plain query that is joined to its unit."""
Run = Callable[[EngineQuery], Rows]
ENGINES: Final = ("duckdb", "sail", "spark")


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, what the engine used, and what came."""

    seconds: float
    used: Consumed
    exact: Mapping[str, Rows]


def lines(scales: Sequence[float], engines: Sequence[str], rounds: int, lakes: Path | None) -> Iterator[str]:
    """A line for each engine, scale and statement; lakes: where the rows of a scale are kept, or are there already."""
    with ExitStack() as stack:
        place = lakes or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield from heads("engine", "scale", "statement", *_HEADS)
        for name in engines:
            for scale in scales:
                for title, cells in _at(name, kept_lake(place, scale), rounds):
                    yield row(name, f"{scale:g}", title, *cells)


_HEADS: Final = (
    *("plain", "bounded", "times", "processors: plain", "bounded", "times"),
    *("shuffles", "bytes shuffled", "rows", "own"),
)


def kept_lake(place: Path, scale: float) -> Path:
    """The rows of a scale in `place`, made if they are not there."""
    lake = place / f"s{scale:g}"
    if not lake.exists():
        lake.mkdir()
        make_lake(lake, scale)
    return lake


@contextmanager
def _engine(name: str, place: Path) -> Iterator[tuple[str, Meter]]:
    """The URL of an engine, as a policy has it, and what tells what it has used."""
    with ExitStack() as stack:
        match name:
            case "duckdb":
                yield "duckdb:", of_this_process
            case "sail":
                sail = stack.enter_context(Sail.started())
                yield sail.url, of_a_process(sail.process.pid)
            case "spark":
                spark = stack.enter_context(cluster(place))
                yield spark.url, of_a_cluster(place / "events")
            case _:
                raise ValueError(f"no engine {name}: one of {ENGINES}")


def _at(name: str, lake: Path, rounds: int) -> Iterator[tuple[str, list[str]]]:
    """Each statement's figures. Every engine is asked something before."""
    dialect = "duckdb" if name == "duckdb" else "spark"
    with tempfile.TemporaryDirectory() as directory, _engine(name, Path(directory)) as (url, meter):
        config, catalog = fitted(write_lake_policy(Path(directory) / "policy.toml", lake, url, 1))
        with opened_room(config) as run:
            run(EngineQuery(f"SELECT count(*) {_ORDERS}"))
            for title, (asked, plain) in STATEMENTS.items():
                texts = [*_texts(_planned(asked, catalog, dialect))]
                found = [(_taken(run, meter, [plain]), _taken(run, meter, texts)) for _ in range(rounds)]
                own = min(_processor_time(asked, catalog, dialect, found[-1][1].exact) for _ in range(3))
                yield title, [*_cells([one for one, _ in found], [other for _, other in found]), f"{own * 1e3:.1f} ms"]


def _planned(sql: str, catalog: Catalog, dialect: str) -> list[Release]:
    made = plan(sql, catalog, dialect=dialect)
    check_plan(made, catalog, dialect, TERMS.accounting)
    return list(made.releases)


def _texts(releases: Sequence[Release]) -> Iterator[str]:
    """What the engine is asked: bounded SQL, and keys of public tables."""
    for each in releases:
        yield each.bounded.sql
        yield from {key.domain.sql: None for key in each.bounded.keys if isinstance(key.domain, FromPublic)}


def _taken(run: Run, meter: Meter, texts: Sequence[str]) -> Taken:
    before, begun = meter(), time.perf_counter()
    exact = {text: run(EngineQuery(text)) for text in texts}
    seconds = time.perf_counter() - begun
    return Taken(seconds, meter() - before, exact)


def _processor_time(sql: str, catalog: Catalog, dialect: str, exact: Mapping[str, Rows]) -> float:
    """Seconds for planning, checking and noise, afresh."""
    begun = time.process_time()
    for each in _planned(sql, catalog, dialect):
        release(each, exact[each.bounded.sql], key_space(each.bounded.keys, exact, []))
    return time.process_time() - begun


def _cells(plain: Sequence[Taken], bounded: Sequence[Taken]) -> list[str]:
    """The least of all rounds, by clock and by processors: others disturb both to more only."""
    by_clock = [min(each.seconds for each in way) for way in (plain, bounded)]
    by_processors = [min(each.used.processors for each in way) for way in (plain, bounded)]
    cells = []
    for one, other in (by_clock, by_processors):
        cells += [f"{one:.2f} s", f"{other:.2f} s", f"{other / one:.1f}" if one else "–"]
    shuffled = [way[-1].used for way in (plain, bounded)]
    cells.append(", ".join(str(each.shuffles) for each in shuffled))
    cells.append(", ".join(f"{each.shuffled / 1e6:.2f} MB" for each in shuffled))
    return [*cells, str(sum(len(each.rows) for each in bounded[-1].exact.values()))]


def asked_engines() -> tuple[str, ...]:
    """Those that are there."""
    return ENGINES if SPARK_HOME else ENGINES[:2]
