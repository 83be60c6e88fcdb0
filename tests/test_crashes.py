"""kill -9 in a loop, during traffic: no charge is lost or doubled, every answer was paid for, and it starts again.

The nightly lane has many rounds.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import socket
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import psycopg
import pytest
from lanes import seed, sized
from proxies import (
    PATIENCE_SECONDS,
    Books,
    ServedProxy,
    books,
    front_processes,
    nothing_left,
    serving,
    start,
    write_policy,
)

from dpproxy.config import Config
from dpproxy.errors import FrontUnavailable

pytestmark = pytest.mark.long

CLIENTS = 6
ROUNDS = sized(4, 4, 200)
SEED = seed()
# Postgres's own words for a server that goes or is not there: 08xxx connection, 57Pxx shutdown and start.
_GOING = ("08", "57P")
_GONE = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncio.IncompleteReadError)


@dataclass
class Stage:
    """The proxy of the moment."""

    proxy: ServedProxy


@dataclass
class Traffic:
    """What clients asked and were told. Every statement has a number of its own in its text."""

    asked: set[str] = field(default_factory=set)
    answered: list[str] = field(default_factory=list)
    sessions: int = 0
    over: bool = False

    def statement(self) -> str:
        """A private count that nobody asked before."""
        literal = 1_000_000 + len(self.asked)
        text = f"SELECT count(*) FROM people WHERE age > 17 AND {literal} = {literal}"
        self.asked.add(text)
        return text

    async def client(self, stage: Stage) -> None:
        """Ask, and connect again, until it is over. Nothing but an answer or a clean end may happen."""
        while not self.over:
            try:
                await self._session(stage.proxy)
            except asyncpg.PostgresError as fault:
                assert fault.sqlstate.startswith(_GOING), repr(fault)
            except TimeoutError:
                raise AssertionError("a client was left to wait") from None
            except _GONE:
                pass
            await asyncio.sleep(0.01)

    async def _session(self, proxy: ServedProxy) -> None:
        connection = await asyncpg.connect(
            proxy.dsn("alice"), ssl=False, timeout=PATIENCE_SECONDS, command_timeout=PATIENCE_SECONDS
        )
        try:
            for number in itertools.count():
                if self.over:
                    break
                statement = self.statement()
                assert isinstance(await connection.fetchval(statement), int)
                self.answered.append(statement)
                assert await connection.fetchval("SELECT 42") == 42
                self.sessions += number == 0
        finally:
            connection.terminate()


Murder = Callable[[ServedProxy], Awaitable[None]]


async def kill_proxy(proxy: ServedProxy) -> None:
    """The front is told to end by the kernel, or is left as an orphan."""
    proxy.kill()


async def kill_both(proxy: ServedProxy) -> None:
    """The proxy first, so that it cannot bring the front back; the front's children are left alone with the data."""
    postmaster = psutil.Process(proxy.postmaster)
    proxy.kill()
    with suppress(psutil.NoSuchProcess):
        postmaster.kill()


async def kill_everything(proxy: ServedProxy) -> None:
    """As if the machine had gone, but for what the system had not written."""
    proxy.kill()
    for process in front_processes(proxy.config):
        with suppress(psutil.NoSuchProcess):
            process.kill()


async def kill_front(proxy: ServedProxy) -> None:
    """The postmaster alone. The proxy has to bring it back by itself."""
    psutil.Process(proxy.postmaster).kill()


async def kill_front_twice(proxy: ServedProxy) -> None:
    """The second time hits it while it starts, or just after."""
    await kill_front(proxy)
    await asyncio.sleep(random.Random(SEED).uniform(0, 1))
    with suppress(psutil.NoSuchProcess, FileNotFoundError, IndexError, ValueError):
        await kill_front(proxy)


async def kill_a_backend(proxy: ServedProxy) -> None:
    """One server process of the front: Postgres then ends all sessions, the ledger's too, and recovers by itself."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (found := [each for each in front_processes(proxy.config) if "alice" in " ".join(each.cmdline())]):
            await asyncio.sleep(0.01)
    found[0].kill()


FRONTS: tuple[Murder, ...] = (kill_front, kill_a_backend, kill_front_twice)
PROXIES: tuple[Murder, ...] = (kill_proxy, kill_both, kill_everything)


async def check_ledger(config: Config, traffic: Traffic, before: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ledger against what clients know and against what it said before."""
    answered = set(traffic.answered)
    ledger = await patiently(config)
    rows, texts = ledger.charges, Counter(row["statement"] for row in ledger.charges)
    assert texts.keys() >= answered, "an answer without its charge"
    assert texts.keys() <= traffic.asked
    assert set(texts.values()) <= {1}, "charged twice for one execution"
    kept = {row["id"]: row for row in rows}
    for row in before:
        now = kept.get(row["id"])
        assert now is not None, "a charge was lost"
        assert {**now, "outcome": ""} == {**row, "outcome": ""}
    assert ledger.spent.get(("analyst", "alice"), 0) == sum(row["main"] for row in rows)
    return rows


async def patiently(config: Config) -> Books:
    """The ledger, when the front is there."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(psycopg.OperationalError, FrontUnavailable):
                return await books(config)
            await asyncio.sleep(0.02)


async def comes_back(stage: Stage, traffic: Traffic) -> None:
    """Sessions begin again, and get answers."""
    known = traffic.sessions
    async with asyncio.timeout(PATIENCE_SECONDS):
        while traffic.sessions < known + CLIENTS:
            assert stage.proxy.process.poll() is None, stage.proxy.log.read_text()[-4000:]
            await asyncio.sleep(0.01)


def policy(directory: Path, front: str = "front") -> Config:
    """The small world, with statements so cheap that the budget outlives the night."""
    cheap = {"[analysts.alice.defaults]\nepsilon = 1.0": "[analysts.alice.defaults]\nepsilon = 0.001"}
    return write_policy(directory, {**cheap, f"{directory}/front": f"{directory}/{front}"})


async def crashes(config: Config, murders: tuple[Murder, ...], rounds: int) -> None:
    """Rounds of traffic, each ended by a murder; a proxy that is dead after it is started again."""
    chance, traffic, rows = random.Random(SEED), Traffic(), list[dict[str, Any]]()
    stage = Stage(start(config))
    try:
        async with asyncio.TaskGroup() as clients:
            for _ in range(CLIENTS):
                clients.create_task(traffic.client(stage))
            await comes_back(stage, traffic)
            for number in range(rounds):
                await asyncio.sleep(chance.uniform(0, 0.3))
                await murders[number % len(murders)](stage.proxy)
                if stage.proxy.process.poll() is not None:
                    stage.proxy = await asyncio.to_thread(start, config)
                await comes_back(stage, traffic)
                rows = await check_ledger(config, traffic, rows)
            traffic.over = True
        rows = await check_ledger(config, traffic, rows)
        assert len(rows) >= len(traffic.answered) >= CLIENTS * rounds
        check_log(stage.proxy)
        assert await asyncio.to_thread(stage.proxy.stop) == 0, stage.proxy.log.read_text()[-4000:]
        assert front_processes(config) == []
    finally:
        stage.proxy.kill()


def check_log(proxy: ServedProxy) -> None:
    """A crash of the front is told in words; what is a fault of the proxy's own is told with a traceback."""
    assert "Traceback" not in (log := proxy.log.read_text()), log[-6000:]


async def test_the_front_dies_and_the_proxy_lives_on(tmp_path: Path) -> None:
    config = policy(tmp_path)
    with nothing_left(config):
        await crashes(config, FRONTS, (ROUNDS + 1) // 2)


async def test_the_proxy_dies_and_the_next_one_goes_on(tmp_path: Path) -> None:
    config = policy(tmp_path)
    with nothing_left(config):
        await crashes(config, PROXIES, (ROUNDS + 1) // 2)


async def test_a_front_behind_a_long_path_is_found_again(tmp_path: Path) -> None:
    """Its socket is reached through an open directory, whose number is another one after the restart."""
    config = policy(tmp_path, "front of a name too long for a socket " * 4)
    # As many as are open at once; more would be turned away at the door.
    held: deque[socket.socket] = deque(maxlen=50)
    with serving(config) as proxy:
        psutil.Process(proxy.postmaster).kill()
        back = asyncio.create_task(patiently(config))
        while not back.done():
            if len(held) == held.maxlen:
                held.popleft().close()
            held.append(socket.create_connection(("127.0.0.1", proxy.port)))
            await asyncio.sleep(0.02)
        await back
        connection = await asyncpg.connect(proxy.dsn("alice"), ssl=False, timeout=PATIENCE_SECONDS)
        assert isinstance(await connection.fetchval("SELECT count(*) FROM people"), int)
        assert await connection.fetchval("SELECT count(*) FROM departments") == 4
        await connection.close()
        for each in held:
            each.close()
