"""A mixed load for half a minute (`SOAK_SECONDS`: as long as one likes): memory stays flat, and nothing is left behind.

Texts are drawn from a fixed stock, so that all caches are full after the warm-up: what grows then is a leak.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
import re
import statistics
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import psycopg
import pytest
from lanes import sized
from prometheus_client.parser import text_string_to_metric_families
from proxies import PATIENCE_SECONDS, ServedProxy, serving, write_policy

from dpproxy.front.embedded_front import running

pytestmark = pytest.mark.long

SECONDS = sized(20.0, 20.0, 600.0)
WARM_UP = min(SECONDS / 2, 120.0)
# A leak of two kilobytes a statement passes this within half a minute, one of a hundred bytes within ten.
MOST_GROWTH = 24 * 2**20
ANALYSTS = ("alice", "carol", "dora")
CLIENTS = 12
POLICY = {
    "[server]\n": "[server]\nmetrics_port = 0\nlimits = { statements = 2 }\n",
    "epsilon = 100.0\n": "epsilon = 1e12\n",
    "stored_bytes = 0": "stored_bytes = 100000",
    "[analysts.bob]\n": "".join(
        f"[analysts.{name}]\ntrust = true\nepsilon = 1e12\ndelta = 1e-5\n\n" for name in ("carol", "dora")
    )
    + "[analysts.bob]\n",
}
PRIVATE = (
    "SELECT count(*) FROM people WHERE age > $1",
    "SELECT dept, count(*), sum(cost) FROM visits v JOIN departments USING (dept) WHERE cost > $1 GROUP BY dept",
    "SELECT smoker, avg(age) FROM people WHERE age < $1 GROUP BY smoker ORDER BY 1",
)
FREE = (
    "SELECT 1",
    "SELECT relname, relkind FROM pg_class ORDER BY oid LIMIT 50",
    "SELECT i, repeat('x', i) FROM generate_series(1, 300) AS g(i)",
    "SELECT * FROM dp.budget",
    "SHOW dp.epsilon",
    "SELECT 1; SELECT 2; SET dp.epsilon = 0.5; RESET dp.epsilon",
    "SELECT * FROM departments",
    "EXPLAIN SELECT count(*) FROM people WHERE age > 40",
)
WRONG = {
    "SELECT 1/0": "22012",
    "SELEC 1": "42601",
    "SELECT nothing FROM people": "42703",
    "INSERT INTO people VALUES (1)": "42501",
    "SELECT age FROM people": "DP002",
    "SET dp.epsilon = 'x'; SELECT count(*) FROM people": "22023",
    "VACUUM": "0A000",
}
ENDED = (ConnectionError, asyncpg.InterfaceError, asyncpg.ConnectionDoesNotExistError, asyncio.IncompleteReadError)


@dataclass
class Load:
    """Clients at work on a proxy until `until`, in the loop's time. Each draws from a source of its own."""

    proxy: ServedProxy
    until: float
    done: Counter[str] = field(default_factory=Counter)

    async def client(self, number: int) -> None:
        """One after the other: sessions that do some things, and end in one way or another."""
        source = random.Random(number)
        while asyncio.get_running_loop().time() < self.until:
            opened = await asyncpg.connect(self.proxy.dsn(source.choice(ANALYSTS)), ssl=False)
            try:
                await opened.execute(f"SET dp.fresh = {source.choice(('on', 'off'))}")
                for _ in range(source.randint(1, 25)):
                    act = source.choices(ACTS, (6, 6, 2, 2, 1, 3))[0]
                    await act(opened, source)
                    self.done[act.__name__] += 1
                    if opened.is_closed():  # asyncpg does so where it waits in vain for its request to cancel
                        assert act is cancel
                        break
                else:
                    await _no_cursors(opened)
            finally:
                await _end(opened, source)
                self.done["session"] += 1


async def simple(opened: asyncpg.Connection, source: random.Random) -> None:
    await opened.execute(source.choice(FREE))


async def private(opened: asyncpg.Connection, source: random.Random) -> None:
    await opened.fetch(source.choice(PRIVATE), source.randint(38, 43))


async def cursor(opened: asyncpg.Connection, source: random.Random) -> None:
    async with opened.transaction():
        await opened.execute("DECLARE c CURSOR FOR SELECT dept, count(*) FROM visits GROUP BY dept")
        await opened.fetch("FETCH 2 FROM c")
        await opened.execute("CLOSE c" if source.random() < 0.5 else "MOVE 1 IN c")


async def copy(opened: asyncpg.Connection, source: random.Random) -> None:
    into = io.BytesIO()
    sql = source.choice(("SELECT smoker, count(*) FROM people GROUP BY smoker", "SELECT generate_series(1, 1000)"))
    await opened.copy_from_query(sql, output=into)
    assert into.tell()


async def cancel(opened: asyncpg.Connection, source: random.Random) -> None:
    sql = source.choice(("SELECT pg_sleep(30)", "SELECT count(*) FROM people p WHERE age > 33"))
    with contextlib.suppress(TimeoutError, asyncpg.QueryCanceledError):
        await opened.fetch(sql, timeout=source.uniform(0.001, 0.02))


async def wrong(opened: asyncpg.Connection, source: random.Random) -> None:
    sql, code = source.choice(list(WRONG.items()))
    with pytest.raises(asyncpg.PostgresError) as caught:
        await opened.execute(sql)
    assert caught.value.sqlstate == code, (sql, caught.value)
    await opened.execute("RESET dp.epsilon")


ACTS: tuple[Callable[[asyncpg.Connection, random.Random], Awaitable[None]], ...] = (
    simple,
    private,
    cursor,
    copy,
    cancel,
    wrong,
)


async def _no_cursors(opened: asyncpg.Connection) -> None:
    assert await opened.fetchval("SELECT count(*) FROM pg_cursors WHERE name = 'c'") == 0
    assert await opened.fetchval("SELECT count(*) FROM pg_prepared_statements") < 250


async def _end(opened: asyncpg.Connection, source: random.Random) -> None:
    """Well, or in the middle of something."""
    if opened.is_closed() or source.random() < 0.6:
        await opened.close()
        return
    sql = source.choice((*FREE, "SELECT pg_sleep(30)", "SELECT count(*) FROM visits WHERE cost > 10"))
    asking = asyncio.ensure_future(opened.fetch(sql) if ";" not in sql else opened.execute(sql))
    await asyncio.sleep(source.uniform(0, 0.01))
    opened.terminate()
    with contextlib.suppress(*ENDED):
        await asking


def metrics(page: bytes) -> dict[tuple[str, ...], float]:
    """Samples by name and labels."""
    families = text_string_to_metric_families(page.decode())
    return {
        (sample.name.removeprefix("dpproxy_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


async def page(port: int) -> dict[tuple[str, ...], float]:
    """What the operator's port says now."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
    data = await reader.read()
    writer.close()
    return metrics(data.partition(b"\r\n\r\n")[2])


async def watched(process: psutil.Process, begin: float, end: float) -> list[tuple[float, int]]:
    """The process's resident memory from `begin` to `end`, every so often."""
    loop, seen = asyncio.get_running_loop(), []
    await asyncio.sleep(begin - loop.time())
    while loop.time() < end:
        seen.append((loop.time(), process.memory_info().rss))
        await asyncio.sleep(min(0.25, SECONDS / 100))
    return seen


def growth(seen: list[tuple[float, int]]) -> float:
    """Bytes, from the first fifth to the last."""
    fifth = max(len(seen) // 5, 1)
    first, last = (statistics.median(size for _, size in part) for part in (seen[:fifth], seen[-fifth:]))
    return last - first


async def left(port: int, before: dict[tuple[str, ...], float]) -> dict[str, Any]:
    """What is there that should not be, once all clients are gone."""
    now = await page(port)
    none = [("connections_now", "session"), ("connections_now", "greeting"), ("front_connections",), ("held_bytes",)]
    none += [("statements_now", "working"), ("statements_now", "waiting")]
    none += [("engine_connections", "used"), ("ledger_connections", "used")]
    found = {" ".join(key): now[key] for key in none if now[key]}
    files = now["process_open_fds",] - now["ledger_connections", "idle"]
    was = before["process_open_fds",] - before["ledger_connections", "idle"]
    if files > was:
        found["files"] = (was, files)
    if now["tasks",] > before["tasks",]:
        found["tasks"] = (before["tasks",], now["tasks",])
    return found


async def analysts_in_the_front(proxy: ServedProxy) -> int:
    """Backends of analysts."""
    async with running(proxy.config.front.url.directory, proxy.config.server.database) as address:
        connection = await psycopg.AsyncConnection.connect(address.conninfo())
        async with connection:
            sql = "SELECT count(*) FROM pg_stat_activity WHERE usename = ANY(%s)"
            return int((await (await connection.execute(sql, (list(ANALYSTS),))).fetchone() or (0,))[0])


async def test_a_mixed_load_leaves_nothing_behind(tmp_path: Path) -> None:
    with serving(write_policy(tmp_path / "soaked", POLICY)) as proxy:
        match = re.search(r"operator's port .*port=(\d+)", proxy.log.read_text())
        assert match is not None
        port, loop = int(match[1]), asyncio.get_running_loop()
        first = await asyncpg.connect(proxy.dsn("alice"), ssl=False)
        await first.fetch(PRIVATE[1], 40)
        await first.close()
        before, begun = await page(port), loop.time()
        load = Load(proxy, begun + SECONDS)
        watching = asyncio.create_task(watched(psutil.Process(proxy.process.pid), begun + WARM_UP, begun + SECONDS))
        await asyncio.gather(*map(load.client, range(CLIENTS)))
        seen = await watching
        found: dict[str, Any] = {"": "not asked yet"}
        async with asyncio.timeout(PATIENCE_SECONDS):
            while found or await analysts_in_the_front(proxy):
                await asyncio.sleep(0.2)
                found = await left(port, before)
        after = await page(port)
        print(
            dict(load.done),
            f"{growth(seen) / 2**20:.1f} MiB more of {seen[-1][1] / 2**20:.0f},",
            f"{growth(seen[len(seen) // 2 :]) / 2**20:.1f} in the second half",
        )
        assert all(load.done[act.__name__] for act in ACTS)
        assert growth(seen) < MOST_GROWTH, (growth(seen), load.done)
        failed = {key: value for key, value in after.items() if key[0] == "statements_total" and key[-1] == "failed"}
        assert set(failed) <= {("statements_total", "front", "failed")}, failed
