"""What a thread works out ends where nobody waits for it, in each engine."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import duckdb
import numpy as np
import pytest
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.engines import Engine, EngineQuery, Ticket, Work
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.postgres.driver import PostgresEngine
from dpproxy.errors import QueryCanceled, StatementTimeout
from dpproxy.interruption import check_wanted, wanted_while
from dpproxy.mechanisms.pair_totals import PairTotals, left_at

PAIRS = PairTotals(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([3, 2, 1]))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with scratch_postgres(list(MAJORS.values())[-1]) as made:
        yield made.conninfo


async def opened(kind: str, server: str, directory: Path) -> Engine:
    if kind == "postgres":
        return await PostgresEngine.open(server)
    duckdb.connect(str(directory / "some.duckdb")).close()
    return DuckDBEngine.open(directory / "some.duckdb")


def endless(begun: threading.Event, ended: threading.Event) -> Work[None]:
    yield EngineQuery("SELECT 1 AS one")
    begun.set()
    try:
        while True:
            check_wanted()
            sleep(0.001)
    finally:
        ended.set()


def test_nothing_is_looked_at_where_nobody_asked() -> None:
    check_wanted()
    with wanted_while(lambda: False):
        with wanted_while(lambda: True):
            check_wanted()
        with pytest.raises(InterruptedError):
            check_wanted()
        other = threading.Thread(target=check_wanted)
        other.start()
        other.join()
    check_wanted()


def test_a_flow_that_nobody_waits_for_ends() -> None:
    with wanted_while(lambda: False), pytest.raises(InterruptedError):
        left_at(PAIRS, 1)
    assert left_at(PAIRS, 1) == 3


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
async def test_a_cancel_ends_what_is_done_between_queries(kind: str, server: str, tmp_path: Path) -> None:
    engine, ticket = await opened(kind, server, tmp_path), Ticket()
    begun, ended = threading.Event(), threading.Event()
    asked = asyncio.ensure_future(engine.run(endless(begun, ended), ticket))
    await asyncio.to_thread(begun.wait)
    ticket.cancel()
    with pytest.raises(QueryCanceled):
        await asked
    assert ended.is_set()
    await engine.close()


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
async def test_so_does_the_end_of_its_time(kind: str, server: str, tmp_path: Path) -> None:
    engine = await opened(kind, server, tmp_path)
    begun, ended = threading.Event(), threading.Event()
    with pytest.raises(StatementTimeout):
        await engine.run(endless(begun, ended), Ticket(), 0.5)
    assert not begun.is_set() or ended.is_set()
    await engine.close()
