"""Memory and disk: what one statement takes of them, and what others notice of it.

DuckDB has one memory for all statements, 80 % of the machine's, and spills to the disk; what finds too little room
beside others runs again alone. Postgres has one for each, and `temp_file_limit` for the disk, which its administrator
sets. Whoever runs out of either fails in the one fixed text, and nobody else does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from time import sleep
from types import SimpleNamespace

import duckdb
import psycopg
import pytest
from clients.backends import superuser_of_the_front

from attacks.duel import Duel
from dpproxy.config import load
from dpproxy.engines import Engine, EngineQuery, Ticket, in_turn
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.engines.duckdb.memory import Memory
from dpproxy.engines.duckdb.opening import _CONFIG, OpenedDatabase
from dpproxy.engines.duckdb.request_thread import _BEGIN, _begin
from dpproxy.engines.postgres.driver import PostgresEngine
from dpproxy.errors import EngineFailure
from dpproxy.rows import Rows

pytestmark = pytest.mark.long

SMALL = "SELECT count(*) AS n FROM people"
SORTED = "SELECT count(*) AS n FROM (SELECT row_number() OVER (ORDER BY h, i) AS k FROM long) WHERE k % 7 = 0"
IN_ONE_PIECE = "SELECT length(string_agg(CAST(h AS VARCHAR), 'Zelda')) AS n FROM long"
JOINED = "SELECT count(*) AS n FROM long a JOIN long b ON a.h = b.h"
GROUPED = """SELECT count(*) AS n, CAST(sum(n) AS BIGINT) AS m
FROM (SELECT i % 100000 AS u, count(*) AS n FROM long WHERE i < 300000 GROUP BY u)"""
SPILLED = """SELECT count(*) AS n
FROM (SELECT i FROM generate_series(1, 1500000) AS g(i) ORDER BY md5(i::text) OFFSET 0) s"""


async def run(engine: Engine, sql: str) -> Rows:
    (found,) = await engine.run(in_turn(EngineQuery(sql)), Ticket())
    return found


async def others_while(engine: Engine, work: asyncio.Task[Rows]) -> int:
    """How many statements, small and not so small, were answered while another is at work; raises if one was not."""
    count = 0
    while not work.done():
        found = await asyncio.gather(run(engine, SMALL), run(engine, GROUPED), run(engine, GROUPED))
        assert [each.rows for each in found] == [((10,),), ((100_000, 300_000),), ((100_000, 300_000),)]
        count += len(found)
    return count


@pytest.fixture
def narrow(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A file as the engine opens it, with 60 MB of memory in all."""
    path = tmp_path / "narrow.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE people AS SELECT * FROM range(10) AS g(i)")
        made.execute("CREATE TABLE long AS SELECT i, hash(i) AS h FROM range(2000000) AS g(i)")
    yield duckdb.connect(str(path), read_only=True, config={**_CONFIG, "memory_limit": "60MB"})


async def test_what_spills_is_answered_and_so_are_others(narrow: duckdb.DuckDBPyConnection) -> None:
    engine = DuckDBEngine(OpenedDatabase(narrow), 4, 120.0)
    try:
        work = asyncio.create_task(run(engine, SORTED))
        assert await others_while(engine, work) > 0
        assert (await work).rows == ((285714,),)
    finally:
        await engine.close()


async def test_what_fills_the_memory_fails_nobody_else(narrow: duckdb.DuckDBPyConnection) -> None:
    """DuckDB itself fails them: what one statement takes of the memory, another lacks."""
    engine = DuckDBEngine(OpenedDatabase(narrow), 4, 120.0)
    try:
        for _ in range(2):
            work = asyncio.create_task(run(engine, JOINED))
            assert await others_while(engine, work) > 0
            assert (await work).rows == ((2_000_000,),)
    finally:
        await engine.close()


def test_alone_is_alone() -> None:
    """Eight threads, of which each is alone now and then; whoever is stopped while waiting goes."""
    memory, lock, inside, most = Memory(), Lock(), 0, 0

    def enter(change: int) -> int:
        nonlocal inside, most
        with lock:
            inside += change
            most = max(most, inside)
            return inside

    def work(number: int) -> None:
        for turn in range(50):
            alone = (number + turn) % 7 == 0
            with (memory.alone if alone else memory.shared)(lambda: False):
                assert not (enter(1) > 1 and alone)
                sleep(0.0002)
                assert not (enter(0) > 1 and alone)
                enter(-1)

    with ThreadPoolExecutor(8) as pool:
        for each in [pool.submit(work, number) for number in range(8)]:
            each.result()
    assert most > 1
    with memory.shared(lambda: False), pytest.raises(InterruptedError), memory.alone(lambda: True):
        pass
    with memory.alone(lambda: False), pytest.raises(InterruptedError), memory.shared(lambda: True):
        pass
    with memory.alone(lambda: False):
        pass


async def test_what_runs_out_of_memory_fails_alone_and_in_the_fixed_text(narrow: duckdb.DuckDBPyConnection) -> None:
    engine = DuckDBEngine(OpenedDatabase(narrow), 4, 120.0)
    try:
        work = asyncio.create_task(run(engine, IN_ONE_PIECE))
        assert await others_while(engine, work) > 0
        with pytest.raises(EngineFailure) as caught:
            await work
        assert isinstance(caught.value.__cause__, duckdb.OutOfMemoryException)
        assert str(caught.value) == str(EngineFailure())
        assert (await run(engine, SMALL)).rows == ((10,),)
    finally:
        await engine.close()


@pytest.fixture
def spilling(given_duel: Duel) -> Iterator[str]:
    """The URL of the engine's database for a role whose sessions may write a megabyte of temporary files each."""
    served = given_duel.served[0]
    url = str(load(served.policy, {}).engine.url.url)
    with psycopg.connect(superuser_of_the_front(served), autocommit=True) as owner:
        owner.execute("SET password_encryption = 'scram-sha-256'; CREATE ROLE spilling LOGIN PASSWORD 'reading'")
        owner.execute("ALTER ROLE spilling SET temp_file_limit = '1MB'")
        yield url.replace("//reader:", "//spilling:")
        owner.execute("DROP ROLE spilling")


async def test_the_disk_is_bounded_by_the_role_and_for_each_alone(spilling: str) -> None:
    """The product's own settings leave the administrator's limit as it is."""
    engine = await PostgresEngine.open(spilling, statement_timeout=120.0)
    try:
        work = asyncio.create_task(run(engine, SPILLED))
        while not work.done():
            assert (await run(engine, "SELECT count(*) AS n FROM generate_series(1, 10)")).rows == ((10,),)
        with pytest.raises(EngineFailure) as caught:
            await work
        assert caught.value.__cause__.sqlstate == "53400"
        assert str(caught.value) == str(EngineFailure())
    finally:
        await engine.close()


class Crowded:
    """A cursor whose first statement finds the memory taken."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def execute(self, sql: str) -> None:
        self.asked.append(sql)
        if len(self.asked) == 1:
            raise duckdb.OutOfMemoryException("taken")
        if sql == "ROLLBACK":
            raise duckdb.TransactionException("none has begun")


def test_a_snapshot_begins_alone_where_others_have_all_of_the_memory() -> None:
    cursor = Crowded()
    thread = SimpleNamespace(cursor=cursor, stopped=False, begun=False)
    _begin(thread, Memory())  # type: ignore[arg-type]
    assert thread.begun
    assert cursor.asked == [_BEGIN, "ROLLBACK", _BEGIN]
