"""The same TPC-H questions put to dpproxy and to other libraries: time and error.

Times are those of an answer and of the plain query in the same engine, in turn.

Each library is in an environment of its own and has its data where it is used to have them: SmartNoise SQL in Postgres,
Tumult Analytics in Spark, OpenDP and diffprivlib in Parquet files. All protect a customer with all their rows, at ε = 1
a question, in pure accounting, with the same limits: forty orders, 150 lines, a price up to 105,000.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import psycopg
from bench.accuracy.figures import heads, percent, row
from bench.accuracy.rivals import asked_alone
from bench.peer_programs import PEERS
from bench.timing import timed
from proxies import serving
from psycopg.conninfo import make_conninfo
from rich.progress import track
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres
from tpch.data import copy_to_postgres, make_tpch, recorded, write_policy, write_undeclared

from dpproxy.config import load

_LINKED = "FROM customer, orders, lineitem WHERE c_custkey = o_custkey AND o_orderkey = l_orderkey"
_OF_ORDERS = "FROM customer, orders WHERE c_custkey = o_custkey"
QUESTIONS: Mapping[str, str] = {
    "orders": f"SELECT count(*) {_OF_ORDERS}",
    "prices": f"SELECT sum(l_extendedprice) {_LINKED}",
    "prices by flag": f"SELECT l_returnflag, sum(l_extendedprice) {_LINKED} GROUP BY l_returnflag ORDER BY 1",
    "orders by priority": f"SELECT o_orderpriority, count(*) {_OF_ORDERS} GROUP BY o_orderpriority ORDER BY 1",
    "balance by segment": "SELECT c_mktsegment, avg(c_acctbal) FROM customer GROUP BY c_mktsegment ORDER BY 1",
}
_OPTIONS = "-c dp.epsilon=1 -c dp.fresh=on"


@dataclass(frozen=True)
class Asked:
    """Of one question: seconds of each run and of the plain query in the same engine, in turn, and what was answered,
    in the keys' order."""

    seconds: Sequence[float]
    plain: Sequence[float]
    answers: Sequence[Sequence[float]]


def lines(scale: float, runs: int, among: Sequence[str]) -> Iterator[str]:
    """A line for each question, with a column for each of the two engines, and for each of the libraries `among`."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(scratch_postgres(list(MAJORS.values())[-1]))
        policy = make_tpch(directory, scale)
        truth = _truth(directory)
        found = {"dpproxy on DuckDB": _through(policy, _plain_duckdb(stack, directory), runs)}
        undeclared = recorded(write_undeclared(directory))
        found["the same, nothing declared"] = _through(undeclared, _plain_duckdb(stack, directory), runs)
        write_policy(directory)
        found["dpproxy on Postgres"] = _through(copy_to_postgres(directory, server), _plain_postgres(server), runs)
        _write_parquet(directory)
        for title in track(among, description="libraries"):
            told = json.loads(asked_alone(PEERS[title], str(directory), server.conninfo, str(runs)))
            found[title] = {question: Asked(**each) for question, each in told.items()}
    yield from heads(f"scale {scale:g}, ε = 1, medians of {runs} runs: seconds, times the plain query, error", *found)
    for question, true in truth.items():
        yield row(question, *(_cell(asked.get(question), true) for asked in found.values()))


def _cell(asked: Asked | None, truth: Sequence[float]) -> str:
    if asked is None:
        return "–"
    ratio = median(mine / plain for mine, plain in zip(asked.seconds, asked.plain, strict=True))
    errors = [abs(said - true) / abs(true) for each in asked.answers for said, true in zip(each, truth, strict=True)]
    return f"{median(asked.seconds):.2g} s, {ratio:.2g}, {percent(median(errors))}"


def _truth(directory: Path) -> Mapping[str, Sequence[float]]:
    with duckdb.connect(str(directory / "tpch.duckdb"), read_only=True) as engine:
        return {question: _numbers(engine.execute(sql).fetchall()) for question, sql in QUESTIONS.items()}


def _numbers(rows: Sequence[Sequence[Any]]) -> Sequence[float]:
    return [float(each[-1]) for each in rows]


def _plain_duckdb(stack: ExitStack, directory: Path) -> Callable[[str], object]:
    engine = stack.enter_context(duckdb.connect(str(directory / "tpch.duckdb"), read_only=True))
    return lambda sql: engine.execute(sql).fetchall()


def _plain_postgres(server: ScratchPostgres) -> Callable[[str], object]:
    connection = psycopg.connect(server.conninfo, autocommit=True)
    return lambda sql: connection.execute(sql.encode()).fetchall()


def _through(policy: Path, plain: Callable[[str], object], runs: int) -> Mapping[str, Asked]:
    """Over the wire, each run in turn with the plain query."""
    text = policy.read_text().replace('caps = "hold"', 'caps = "clip"')
    policy.write_text(text.replace('accounting = "zcdp"', 'accounting = "pure"'))
    with (
        serving(load(policy, {})) as proxy,
        psycopg.connect(make_conninfo(proxy.dsn("erna"), options=_OPTIONS), autocommit=True) as analyst,
    ):
        return {question: _in_turn(analyst, sql, plain, runs) for question, sql in QUESTIONS.items()}


def _in_turn(analyst: psycopg.Connection, sql: str, plain: Callable[[str], object], runs: int) -> Asked:
    answers: list[Sequence[float]] = []
    rounds = [
        (timed(lambda: answers.append(_numbers(analyst.execute(sql.encode()).fetchall()))), timed(lambda: plain(sql)))
        for _ in range(runs + 1)
    ][1:]
    return Asked([mine for mine, _ in rounds], [other for _, other in rounds], answers[1:])


def _write_parquet(directory: Path) -> None:
    with duckdb.connect(str(directory / "tpch.duckdb"), read_only=True) as engine:
        for table in ("customer", "orders", "lineitem"):
            engine.execute(f"COPY {table} TO '{directory}/{table}.parquet' (FORMAT parquet)")
