"""The queries of Race-to-the-Top (Dong, Fang, Yi, Tao, Machanavajjhala 2022) on TPC-H: one number over joins, beside
the least error that noise for the true largest contribution has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import heads, percent, row
from bench.accuracy.fresh import asking, settings
from bench.accuracy.policies import Private, write_policy
from rich.progress import Progress
from tpch.data import make_rows

from dpproxy.accounting.loss import Accounting

EPSILON = 0.8
_LINES = {
    "l_orderkey": "bigint", "l_linenumber": "integer", "l_partkey": "bigint", "l_suppkey": "bigint",
    "l_quantity": "numeric(15,2)", "l_shipdate": "date",
}  # fmt: skip
_ORDERS = {"o_orderkey": "bigint", "o_custkey": "bigint", "o_orderdate": "date"}
_LINE = ("l_orderkey", "l_linenumber")
_OF_ORDER = ("l_orderkey", "orders.o_orderkey")
_SUPPLIES = {
    "ps_partkey": "bigint", "ps_suppkey": "bigint", "ps_availqty": "integer", "ps_supplycost": "numeric(15,2)",
}  # fmt: skip
UNITS: Mapping[str, tuple[str, Mapping[str, Private]]] = {
    "customer": (
        "c_custkey",
        {
            "customer": Private({"c_custkey": "bigint"}, ["c_custkey"]),
            "orders": Private(_ORDERS, ["o_orderkey"], ("o_custkey", "customer.c_custkey")),
            "lineitem": Private(_LINES, _LINE, _OF_ORDER),
        },
    ),
    "orders": (
        "o_orderkey",
        {"orders": Private(_ORDERS, ["o_orderkey"]), "lineitem": Private(_LINES, _LINE, _OF_ORDER)},
    ),
    "supplier": (
        "s_suppkey",
        {
            "supplier": Private({"s_suppkey": "bigint"}, ["s_suppkey"]),
            "partsupp": Private(_SUPPLIES, ["ps_partkey", "ps_suppkey"], ("ps_suppkey", "supplier.s_suppkey")),
            "lineitem": Private(_LINES, _LINE, ("l_suppkey", "supplier.s_suppkey")),
        },
    ),
}


@dataclass(frozen=True, slots=True)
class Raced:
    """A query of the paper: what is added up over which rows, whose they are, and the paper's own error."""

    name: str
    unit: str
    added: str
    rows: str
    error: float

    @property
    def sql(self) -> str:
        """As it is asked."""
        return f"SELECT {self.added} FROM {self.rows}"


_CHAIN = "customer JOIN orders ON o_custkey = c_custkey"
QUERIES = (
    Raced(
        "Q3",
        "customer",
        "count(*)",
        f"{_CHAIN} JOIN lineitem ON l_orderkey = o_orderkey WHERE o_orderdate < DATE '1997-01-01' "
        "AND l_shipdate > DATE '1994-01-01'",
        0.00254,
    ),
    Raced("Q10", "customer", "count(*)", _CHAIN, 0.00174),
    Raced("Q18", "customer", "sum(l_quantity)", f"{_CHAIN} JOIN lineitem ON l_orderkey = o_orderkey", 0.00132),
    Raced("Q12", "orders", "count(*)", "orders JOIN lineitem ON l_orderkey = o_orderkey", 0.000229),
    Raced(
        "Q20",
        "supplier",
        "count(*)",
        "supplier JOIN partsupp ON ps_suppkey = s_suppkey JOIN lineitem ON l_partkey = ps_partkey "
        "AND l_suppkey = ps_suppkey",
        0.00579,
    ),
    Raced(
        "Q11",
        "supplier",
        "sum(ps_supplycost * ps_availqty)",
        "supplier JOIN partsupp ON ps_suppkey = s_suppkey",
        0.0182,
    ),
)


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each query."""
    scale, runs = (0.01, 2) if short else (1.0, 100)
    yield from heads(
        f"scale {scale:g}, ε = {EPSILON}, pure", "unit", f"mean error, {runs} runs", "floor", "times the floor", "paper"
    )
    with TemporaryDirectory() as name:
        make_rows(Path(name), scale)
        for raced in progress.track(QUERIES, description="Race-to-the-Top"):
            yield _measured(raced, Path(name) / "tpch.duckdb", runs)


def _measured(raced: Raced, database: Path, runs: int) -> str:
    key, tables = UNITS[raced.unit]
    policy = write_policy(database, (raced.unit, key), tables)
    with duckdb.connect(str(database), read_only=True) as engine:
        by_unit = f"SELECT {raced.added} AS x FROM {raced.rows} GROUP BY {key}"
        found = engine.execute(f"SELECT sum(x)::DOUBLE, max(abs(x))::DOUBLE FROM ({by_unit}) AS q").fetchone()
    assert found is not None
    truth, largest = found
    with asking(policy) as place:
        answers = place.answers(raced.sql, settings(EPSILON), Accounting.PURE, runs)
    error = fmean(abs(float(answer.rows[0][0]) - truth) for answer in answers) / truth
    floor = largest / EPSILON / truth
    return row(raced.name, raced.unit, percent(error), percent(floor), f"{error / floor:.2f}", percent(raced.error))
