"""Counts by group over joins at the price of PMSJA (Dong, Sun, Yi 2023): TPC-H at scale 2, ε = 4, δ = 1e-7.

The texts of the paper's queries are not at hand. These are of the like: lines of customers, by what has 25 values and
by what has 100.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import by_key, heads, percent, pooled, relative_errors, row
from bench.accuracy.fresh import asking, settings
from rich.progress import Progress
from tpch.data import make_undeclared

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.rows import Rows

EPSILON, DELTA = Decimal(4), Decimal("1e-7")
_LINES = "FROM customer JOIN orders ON o_custkey = c_custkey JOIN lineitem ON l_orderkey = o_orderkey"
_SUPPLIED = f"{_LINES} JOIN supplier ON s_suppkey = l_suppkey JOIN nation ON n_nationkey = s_nationkey"
QUERIES: Mapping[str, tuple[str, int, float]] = {
    "25 groups: lines by the supplier's nation": (f"SELECT n_name, count(*) {_SUPPLIED} GROUP BY n_name", 1, 0.00052),
    "100 groups: by that and how they are shipped": (
        f"SELECT n_name, l_shipinstruct, count(*) {_SUPPLIED} GROUP BY n_name, l_shipinstruct", 2, 0.0041,
    ),
}  # fmt: skip


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each query."""
    scale, runs = (0.01, 2) if short else (2.0, 100)
    yield from heads(
        f"scale {scale:g}, ε = 4, δ = 1e-7", f"median error, {runs} runs", "the paper's, of its own queries"
    )
    with TemporaryDirectory() as name:
        policy = make_undeclared(Path(name), scale)
        with duckdb.connect(str(Path(name) / "tpch.duckdb"), read_only=True) as engine:
            truths = {sql: engine.execute(sql).fetchall() for sql, *_ in QUERIES.values()}
        with asking(policy) as place:
            for title, (sql, keys, paper) in progress.track(list(QUERIES.items()), description="PMSJA"):
                answers = place.answers(sql, settings(asked_epsilon()), Accounting.ZCDP, runs)
                counts = [
                    Rows(each.columns[: keys + 1], tuple(row[: keys + 1] for row in each.rows)) for each in answers
                ]
                error = pooled(relative_errors(counts, by_key(truths[sql], keys), keys))
                yield row(title, percent(error), percent(paper))


def asked_epsilon() -> float:
    """The price of one statement that uses up such an account. Its δ is the one that turns ρ into ε: keys are known."""
    return math.sqrt(2 * float(terms(Accounting.ZCDP, EPSILON, 2 * DELTA).limit.main))
