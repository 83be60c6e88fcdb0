"""What the noise in time costs: how long answers take with `constant_time` and without, side by side, by the work that
a unit may make."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
from proxies import ServedProxy, serving, write_policy

from dpproxy.config import Config

UNIT_ROWS = (10, 1_000, 100_000)
EPSILONS = ("0.1", "1")
ACCOUNTINGS = ("zcdp", "pure")
ASKED = "SELECT dept, sum(cost) FROM visits WHERE cost < {} GROUP BY dept"


@dataclass(frozen=True)
class _Way:
    """A policy: what a unit may have, how loss is counted, whether moments are covered."""

    rows: int
    accounting: str
    constant: bool


def lines(answers: int, unit_rows: tuple[int, ...] = UNIT_ROWS) -> Iterator[str]:
    """A line for each policy and epsilon: the median and the 99th percentile, before and after."""
    for rows in unit_rows:
        for accounting in ACCOUNTINGS:
            yield from _of_policy(rows, accounting, answers)


def _of_policy(rows: int, accounting: str, answers: int) -> Iterator[str]:
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ways = [_Way(rows, accounting, constant) for constant in (False, True)]
        proxies = [stack.enter_context(serving(_policy(directory / str(way.constant), way))) for way in ways]
        sessions = [stack.enter_context(_session(each)) for each in proxies]
        for epsilon in EPSILONS:
            found = [[_seconds(each, epsilon, at) for each in sessions] for at in range(answers + 2)][2:]
            before, after = zip(*found, strict=True)
            told = f"{_told(before)} before, {_told(after)} after"
            yield f"{rows:>7,} rows a unit, {accounting}, epsilon {epsilon}: {told}"


def _policy(directory: Path, way: _Way) -> Config:
    changes = {
        "[server]\n": f"[server]\nconstant_time = {str(way.constant).lower()}\n",
        'accounting = "zcdp"': f'accounting = "{way.accounting}"',
        "max_rows_per_unit = 20\n": f"max_rows_per_unit = 10\nmax_unit_rows = {way.rows}\n",
        "epsilon = 100.0\ndelta = 1e-5\n": "epsilon = 100000.0\ndelta = 1e-2\n",
    }
    return write_policy(directory, changes)


def _session(proxy: ServedProxy) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(proxy.dsn("alice"), autocommit=True)


def _seconds(session: psycopg.Connection[tuple[object, ...]], epsilon: str, at: int) -> float | None:
    """None where it is refused, or has timed out."""
    session.execute(f"SET dp.epsilon = {epsilon}".encode())
    begun = time.perf_counter()
    try:
        session.execute(ASKED.format(1000 + at).encode()).fetchall()
    except psycopg.Error:
        return None
    return time.perf_counter() - begun


def _told(times: tuple[float | None, ...]) -> str:
    known = sorted(each for each in times if each is not None)
    if not known:
        return "refused"
    return f"median {statistics.median(known) * 1e3:,.0f} ms, 99 % within {known[int(len(known) * 0.99)] * 1e3:,.0f} ms"
