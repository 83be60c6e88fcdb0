"""What ends statements and sessions: cancel requests, lost clients, failures of the engine, limits, and the end."""

from __future__ import annotations

import asyncio
import contextlib
import random
import struct
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from clusters import with_front
from proxies import PATIENCE_SECONDS, write_policy

from dpproxy.engines import Engine, Ticket, Work
from dpproxy.errors import EngineFailure, QueryCanceled
from dpproxy.rows import Rows
from dpproxy.server.proxy import Proxy
from dpproxy.session import made_plans, postgres_parser
from dpproxy.wire import (
    BackendKeyData,
    Bind,
    CancelRequest,
    Describe,
    Execute,
    Frame,
    Parse,
    Query,
    StartupMessage,
    Sync,
    decode_backend,
    encode_frontend,
    encode_startup,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")
COUNT = "SELECT count(*) FROM people"


@dataclass
class Hand:
    """An engine that can be held or broken."""

    engine: Engine
    held: bool = False
    broken: bool = False
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    canceled: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def dialect(self) -> str:
        return self.engine.dialect

    async def reach(self) -> None:
        pass

    async def run(self, work: Work[tuple[Rows, ...]], ticket: Ticket, seconds: float | None = None) -> tuple[Rows, ...]:
        self.begun.set()
        if self.broken:
            raise EngineFailure
        if self.held:
            ticket.on_cancel(self.canceled.set)
            await self.canceled.wait()
            raise QueryCanceled("canceling statement due to user request")
        return await self.engine.run(work, ticket, seconds)


def hold(proxy: Proxy, analyst: str, **states: bool) -> Hand:
    """Put a hand between an analyst and the engine."""
    context = proxy.services.contexts[analyst]
    engine = context.resources.engine
    hand = Hand(engine.engine if isinstance(engine, Hand) else engine, **states)
    proxy.services.contexts[analyst] = replace(context, resources=replace(context.resources, engine=hand))  # type: ignore[index]
    return hand


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Proxy]:
    changes = {
        "[server]\n": "[server]\nidle_timeout = '1.5s'\nmax_connections = 6\n",
        "epsilon = 100.0": "epsilon = 100000.0",
    }
    async with Proxy(with_front(write_policy(tmp_path_factory.mktemp("server"), changes))) as running:
        yield running


async def connect(proxy: Proxy, user: str = "alice") -> asyncpg.Connection:
    return await asyncpg.connect(host="127.0.0.1", port=proxy.port, user=user, database="demo", ssl=False)


async def outcome(proxy: Proxy, user: str = "alice") -> str:
    """Of the latest charge, once it is settled."""
    opened = await connect(proxy, user)
    try:
        for _ in range(1500):
            found: str = await opened.fetchval("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1")
            if found != "charged":
                return found
            await asyncio.sleep(0.02)
        return "charged"
    finally:
        await opened.close()


async def test_a_cancel_request_reaches_the_engine(proxy: Proxy) -> None:
    hand = hold(proxy, "alice", held=True)
    opened = await connect(proxy)
    try:
        asking = asyncio.ensure_future(opened.fetchval(COUNT))
        await asyncio.wait_for(hand.begun.wait(), PATIENCE_SECONDS)
        asking.cancel()  # asyncpg sends the request
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(hand.canceled.wait(), PATIENCE_SECONDS)
        assert await opened.fetchval("SELECT 1") == 1
    finally:
        await opened.close()
        hold(proxy, "alice")
    assert await outcome(proxy) == "canceled"


@pytest.mark.long
async def test_a_prepared_statement_is_parsed_and_planned_once(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred runs; another setting is another plan, and no new parse."""
    parsed, planned = [], []
    monkeypatch.setattr(postgres_parser, "_parse_json", spied(postgres_parser._parse_json, parsed))
    monkeypatch.setattr(made_plans, "plan_statement", spied(made_plans.plan_statement, planned))
    sql = "SELECT count(*) AS kept FROM people WHERE age > $1 AND smoker = $2"
    opened = await connect(proxy)
    try:
        await opened.execute("SET dp.epsilon = 0.001")
        statement = await opened.prepare(sql)
        await statement.fetchval(40, True)
        assert parsed.count(sql.encode()) == 1
        parsed.clear()
        for _ in range(199):
            assert await statement.fetchval(40, True) is not None
        assert (parsed, len(planned)) == ([], 1)
        await opened.execute("SET dp.epsilon = 0.002")
        await statement.fetchval(40, True)
        assert len(planned) == 2
        assert sql.encode() not in parsed
    finally:
        await opened.close()


def spied(function: Callable[..., Any], seen: list[object]) -> Callable[..., Any]:
    def spy(first: object, *rest: object) -> Any:
        seen.append(first)
        return function(first, *rest)

    return spy


async def test_long_cancel_keys(proxy: Proxy) -> None:
    """Protocol 3.2: the key is the front's, of 32 bytes where the front is of 18, and only all of it fits."""
    hand = hold(proxy, "alice", held=True)
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    try:
        writer.write(encode_startup(StartupMessage(3, 2, (("user", "alice"), ("database", "demo")))))
        key = await cancel_key(reader)
        assert len(key.key) == (32 if proxy.services.catalog.server_version >= 180000 else 4)
        writer.write(encode_frontend(Query(COUNT)))
        await asyncio.wait_for(hand.begun.wait(), PATIENCE_SECONDS)
        await cancel(proxy, CancelRequest(key.pid, key.key[:-1] + bytes([key.key[-1] ^ 1])))
        await cancel(proxy, CancelRequest(key.pid, key.key[:4] if len(key.key) > 4 else b"abcd"))
        assert not hand.canceled.is_set()
        await cancel(proxy, CancelRequest(key.pid, key.key))
        await asyncio.wait_for(hand.canceled.wait(), PATIENCE_SECONDS)
    finally:
        writer.close()
        hold(proxy, "alice")
    assert await outcome(proxy) == "canceled"


async def cancel_key(reader: asyncio.StreamReader) -> BackendKeyData:
    """That of a session which begins; read up to ReadyForQuery."""
    found = None
    while True:
        kind, length = struct.unpack(">cI", await asyncio.wait_for(reader.readexactly(5), PATIENCE_SECONDS))
        payload = await reader.readexactly(length - 4)
        if kind == b"K":
            found = decode_backend(Frame(kind, payload))
        if kind == b"Z":
            assert isinstance(found, BackendKeyData)
            return found


async def cancel(proxy: Proxy, request: CancelRequest) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(encode_startup(request))
    assert await reader.read() == b""
    writer.close()


async def test_a_lost_client_interrupts_the_engine(proxy: Proxy) -> None:
    hand = hold(proxy, "alice", held=True)
    opened = await connect(proxy)
    asking = asyncio.ensure_future(opened.fetchval(COUNT))
    await asyncio.wait_for(hand.begun.wait(), PATIENCE_SECONDS)
    opened.terminate()
    await asyncio.wait_for(hand.canceled.wait(), PATIENCE_SECONDS)
    await asyncio.gather(asking, return_exceptions=True)
    hold(proxy, "alice")
    assert await outcome(proxy) == "canceled"


async def test_a_lost_client_leaves_nothing_in_the_front(proxy: Proxy) -> None:
    opened = await connect(proxy)
    asking = asyncio.ensure_future(opened.execute("SELECT pg_sleep(600)"))
    await asyncio.sleep(0.1)
    opened.terminate()
    await asyncio.gather(asking, return_exceptions=True)
    other = await connect(proxy)
    try:
        for _ in range(1500):
            if await other.fetchval("SELECT count(*) FROM pg_stat_activity WHERE usename = 'alice'") == 1:
                return
            await asyncio.sleep(0.02)
        pytest.fail("the front still runs it")
    finally:
        await other.close()


async def test_a_failure_stops_one_analyst(proxy: Proxy) -> None:
    hold(proxy, "bob", broken=True)
    bob, alice = await connect(proxy, "bob"), await connect(proxy)
    try:
        texts = set()
        for _ in range(2):
            with pytest.raises(asyncpg.PostgresError) as caught:
                await bob.fetchval(COUNT)
            texts.add((caught.value.sqlstate, caught.value.args[0]))
            hold(proxy, "bob")
        assert texts == {("DP005", "the statement could not be completed")}
        assert await bob.fetchval("SELECT count(*) FROM dp.statements WHERE outcome = 'failed'") >= 1
        assert isinstance(await alice.fetchval(COUNT), int)
    finally:
        await bob.close()
        await alice.close()


async def test_too_many_connections(proxy: Proxy) -> None:
    opened: list[asyncpg.Connection] = []
    with pytest.raises(asyncpg.TooManyConnectionsError):
        for _ in range(8):
            opened.append(await connect(proxy))
    for each in opened:
        await each.close()
    assert len(opened) >= 4


@pytest.mark.long
async def test_the_idle_are_sent_away_and_the_busy_are_not(proxy: Proxy) -> None:
    hand = hold(proxy, "alice", held=True)
    busy, working, idle = await connect(proxy), await connect(proxy), await connect(proxy)
    asking = asyncio.ensure_future(working.fetchval(COUNT))
    await busy.execute("SELECT pg_sleep(2.8)")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not idle.is_closed():
            await asyncio.sleep(0.05)
    assert not working.is_closed()
    hand.canceled.set()
    with pytest.raises(asyncpg.QueryCanceledError):
        await asking
    hold(proxy, "alice")
    await busy.close()
    await working.close()


def _mutated(source: random.Random, data: bytes) -> bytes:
    raw = bytearray(data)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(raw))
        match source.randrange(4):
            case 0:
                raw[at] = source.randrange(256)
            case 1:
                del raw[at : at + source.randint(1, 8)]
            case 2:
                raw[at:at] = source.randbytes(source.randint(1, 8))
            case _:
                raw[at:at] = raw[source.randrange(len(raw)) :][:40]
    return bytes(raw)


@pytest.mark.long
async def test_mutated_sessions_end_in_an_error_or_not_at_all(proxy: Proxy) -> None:
    """Whatever comes, the session answers or ends, and others don't notice."""
    source = random.Random(7)
    start = b"user\0alice\0database\0demo\0\0"
    messages = [
        Query(f"SELECT 1; {COUNT}"),
        Parse("s", f"{COUNT} WHERE age > $1", ()),
        Bind("", "s", (0,), (b"40",), (1,)),
        Describe("P", ""),
        Execute("", 1),
        Sync(),
        Query("BEGIN"),
        Sync(),
    ]
    body = b"".join(map(encode_frontend, messages))
    packet = struct.pack(">IHH", len(start) + 8, 3, 0) + start
    for turn in range(300):
        sent = _mutated(source, packet + body) if turn % 5 == 0 else packet + _mutated(source, body)
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(sent)
        writer.write_eof()
        with contextlib.suppress(ConnectionResetError):
            await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
        writer.close()
    opened = await connect(proxy)
    assert await opened.fetchval("SELECT 1") == 1
    await opened.close()


@pytest.mark.long
async def test_stopping_tells_the_clients(tmp_path: Path) -> None:
    proxy = Proxy(write_policy(tmp_path / "stopped", {}))
    await proxy.start()
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    start = b"user\0alice\0database\0demo\0\0"
    writer.write(struct.pack(">IHH", len(start) + 8, 3, 0) + start)
    await reader.readuntil(b"Z\0\0\0\5I")
    await proxy.stop()
    said = await reader.read()
    assert b"57P01" in said
    writer.close()
    assert not (tmp_path / "stopped" / "front" / "data" / "postmaster.pid").exists()
