"""The same questions put to dpproxy and to other libraries on one cluster of Spark's, over the same files of a lake.

One master and two workers of one core are there all the time; each driver is an application of the same options, with
the workers to itself: dpproxy's Connect server, then a driver of each library. Plain is one text for all of them.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final, TypeVar

import duckdb
import psycopg
from bench.accuracy.figures import heads, percent, row, times
from bench.accuracy.rivals import asked_alone
from bench.cluster_programs import programs
from bench.consumed import Meter, of_a_process, of_sessions
from bench.lake import kept_lake
from proxies import serving
from psycopg.conninfo import make_conninfo
from spark_cluster import OPTIONS, Cluster, cluster
from tpch.lake import write_lake_policy

from dpproxy.config import load
from dpproxy.engines.spark.client import SparkSession

QUESTIONS: Final[Mapping[str, str]] = {
    "orders": "SELECT count(*) FROM orders",
    "prices": "SELECT sum(l_extendedprice) FROM lineitem",
    "prices by flag": "SELECT l_returnflag, sum(l_extendedprice) FROM lineitem GROUP BY l_returnflag ORDER BY 1",
    "orders by priority": "SELECT o_orderpriority, count(*) FROM orders GROUP BY o_orderpriority ORDER BY 1",
    "balance by segment": "SELECT c_mktsegment, avg(c_acctbal) FROM customer GROUP BY c_mktsegment ORDER BY 1",
}
_CAPS: Final = {"dpproxy": "clip", "dpproxy, caps held": "hold"}
_MINE: Final = "-c dp.epsilon=1 -c dp.fresh=on"
Answer = TypeVar("Answer")
Took = tuple[float, float]
"""Seconds by the clock, and of processors."""


@dataclass(frozen=True)
class Asked:
    """Of one question: what each run took, and the plain query in turn with it; answers, in the keys' order."""

    private: Sequence[Took]
    plain: Sequence[Took]
    answers: Sequence[Sequence[float]]


def lines(scale: float, runs: int, lakes: Path | None, libraries: Sequence[str]) -> Iterator[str]:
    """A line for each question and each that was asked; lakes: as in `bench.lake`."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rows = kept_lake(lakes or place, scale)
        truth = _truth(rows)
        yield from heads(f"scale {scale:g}, ε = 1", "asked", *_HEADS)
        spark = stack.enter_context(cluster(place))
        for title, caps in _CAPS.items():
            yield from _rows(title, _of_dpproxy(spark, rows, caps, runs), truth)
        spark.kill("connect")
        for title in libraries:
            yield from _rows(title, _of_library(title, spark, rows, runs), truth)


_HEADS: Final = ("plain", "private", "times", "processors: plain", "private", "times", "error")


def _rows(title: str, found: Mapping[str, Asked], truth: Mapping[str, Sequence[float]]) -> Iterator[str]:
    for question, asked in found.items():
        cells: list[str] = []
        for which in (0, 1):
            plain, private = [[took[which] for took in way] for way in (asked.plain, asked.private)]
            ratio = median(mine / other for mine, other in zip(private, plain, strict=True))
            cells += [f"{median(plain):.2f} s", f"{median(private):.2f} s", times(ratio)]
        errors = [
            abs(said - true) / abs(true)
            for each in asked.answers
            for said, true in zip(each, truth[question], strict=True)
        ]
        yield row(question, title, *cells, percent(median(errors)))


def _truth(rows: Path) -> Mapping[str, Sequence[float]]:
    with duckdb.connect() as engine:
        for table in ("customer", "orders", "lineitem"):
            engine.execute(f"CREATE VIEW {table} AS FROM '{rows}/{table}/*.parquet'")
        return {question: _numbers(engine.execute(sql).fetchall()) for question, sql in QUESTIONS.items()}


def _numbers(rows: Sequence[Sequence[Any]]) -> Sequence[float]:
    return [float(each[-1]) for each in rows]


def _of_dpproxy(spark: Cluster, rows: Path, caps: str, runs: int) -> Mapping[str, Asked]:
    """Over the wire; the proxy's own processors are counted with the cluster's."""
    place = spark.directory / caps
    place.mkdir()
    policy = write_lake_policy(place / "policy.toml", rows, spark.url, 1)
    policy.write_text(policy.read_text().replace('caps = "hold"', f'caps = "{caps}"'))
    session = SparkSession.builder.remote(spark.url).create()
    for table in ("customer", "orders", "lineitem"):
        session.read.parquet(f"{rows}/{table}").createOrReplaceTempView(table)
    with (
        ExitStack() as stack,
        serving(load(policy, {})) as proxy,
        psycopg.connect(make_conninfo(proxy.dsn("analyst0"), options=_MINE), autocommit=True) as analyst,
    ):
        stack.callback(session.stop)  # else it waits for the server at the end
        meter = _both(of_sessions(spark.leaders()), of_a_process(proxy.process.pid))

        def asked(sql: str) -> Asked:
            return _in_turn(
                lambda: _numbers(analyst.execute(sql.encode()).fetchall()),
                lambda: session.sql(sql).toArrow(),
                meter,
                runs,
            )

        return {question: asked(sql) for question, sql in QUESTIONS.items()}


def _both(one: Meter, other: Meter) -> Meter:
    return lambda: one() + other()


def _in_turn(private: Callable[[], Sequence[float]], plain: Callable[[], object], meter: Meter, runs: int) -> Asked:
    """The first of both is not counted."""
    rounds = [(_taken(private, meter), _taken(plain, meter)) for _ in range(runs + 1)][1:]
    return Asked([mine[1] for mine, _ in rounds], [other[1] for _, other in rounds], [mine[0] for mine, _ in rounds])


def _taken(action: Callable[[], Answer], meter: Meter) -> tuple[Answer, Took]:
    before, begun = meter(), time.perf_counter()
    found = action()
    seconds = time.perf_counter() - begun
    return found, (seconds, (meter() - before).processors)


def _of_library(title: str, spark: Cluster, rows: Path, runs: int) -> Mapping[str, Asked]:
    told = asked_alone(
        programs()[title],
        *(str(Path(__file__).parents[1]), str(rows), spark.master, json.dumps(sorted(spark.leaders()))),
        *(json.dumps(QUESTIONS), str(runs), json.dumps(OPTIONS)),
    )
    return {question: Asked(**each) for question, each in json.loads(told).items()}
