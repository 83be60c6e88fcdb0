"""What an operator needs: draining, logs without secrets, metrics, health, and limits that keep analysts apart."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import socket
import tempfile
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import duckdb
import psycopg
import pytest
import pytest_asyncio
from clusters import with_front
from prometheus_client.parser import text_string_to_metric_families
from proxies import PATIENCE_SECONDS, nothing_left, start, write_policy
from test_server import COUNT, Hand, connect, hold, outcome

from dpproxy.answering.queue import QueueShare, StatementQueue, TooManyStatements
from dpproxy.engines import Ticket
from dpproxy.errors import DPProxyError, EngineFailure, LedgerUnavailable, QueryCanceled
from dpproxy.server.lifecycle import operator_port
from dpproxy.server.logs import FORMATTERS, log_to_stderr
from dpproxy.server.proxy import Proxy
from dpproxy.server.statement_shapes import UNREADABLE, statement_shape
from dpproxy.server.unauthenticated import UnauthenticatedConnections
from dpproxy.session import made_plans
from dpproxy.session.gate import examine
from dpproxy.session.pipelined_names import PipelinedNames

pytestmark = pytest.mark.asyncio(loop_scope="module")
SECRET = "Zelda4711"
LIMITED = """[server]
metrics_port = 0
log_statements = "shape"
max_connections = 12
startup_timeout = "5s"
limits = { memory = 4000000 }
"""
OF_BOB = "[analysts.bob.limits]\nconnections = 2\nstatements = 1\nwaiting = 1\n\n[analysts.bob]"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Proxy]:
    changes = {"[server]\n": LIMITED, "epsilon = 100.0": "epsilon = 100000.0", "[analysts.bob]": OF_BOB}
    config = write_policy(tmp_path_factory.mktemp("operated"), changes)
    async with Proxy(with_front(config)) as running:
        yield running


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that is logged meanwhile, at every level, as JSON."""
    root, written = logging.getLogger(), io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(FORMATTERS["json"]())
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield written
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def events(log: io.StringIO, name: str) -> list[dict[str, Any]]:
    return [each for line in log.getvalue().splitlines() if (each := json.loads(line))["event"] == name]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0.01)


async def ended(opened: asyncpg.Connection) -> None:
    await until(opened.is_closed)


@contextlib.asynccontextmanager
async def served(directory: Path, **server: str) -> AsyncIterator[Proxy]:
    """A proxy of the test's own."""
    keys = "".join(f"{name} = {value}\n" for name, value in server.items())
    config = with_front(write_policy(directory / "own", {"[server]\n": f"[server]\n{keys}"}))
    async with Proxy(config) as running:
        yield running


# ── draining ──


@pytest.mark.long
async def test_a_drain_lets_work_finish(tmp_path: Path) -> None:
    """Who is idle is told to go; a transaction and a charged statement come to their end first."""
    async with served(tmp_path) as proxy:
        idle, busy, asking = await connect(proxy), await connect(proxy), await connect(proxy, "bob")
        await busy.execute("BEGIN")
        hand = Held(hold(proxy, "bob"))
        answer = asyncio.ensure_future(asking.fetchval(COUNT))
        await hand.begun()
        draining = asyncio.ensure_future(proxy.drain())
        await ended(idle)
        with pytest.raises((OSError, asyncpg.PostgresError)):
            await connect(proxy)
        assert await busy.fetchval("SELECT 1") == 1
        assert not answer.done() and not draining.done()
        hand.free()
        assert isinstance(await answer, int)
        await ended(asking)
        await busy.execute("COMMIT")
        await ended(busy)
        await asyncio.wait_for(draining, PATIENCE_SECONDS)


class Held:
    """An engine that answers when it is freed."""

    def __init__(self, hand: Hand) -> None:
        self._hand, self._free, engine = hand, asyncio.Event(), hand.engine
        free = self._free

        class Waiting:
            dialect = engine.dialect

            async def reach(self) -> None:
                pass

            async def run(self, work: Any, ticket: Ticket, seconds: float | None = None) -> Any:
                await free.wait()
                return await engine.run(work, ticket, seconds)

        hand.engine = Waiting()  # type: ignore[assignment]

    async def begun(self) -> None:
        await asyncio.wait_for(self._hand.begun.wait(), PATIENCE_SECONDS)

    def free(self) -> None:
        self._free.set()


@pytest.mark.long
async def test_what_outlasts_the_drain_is_cancelled_and_stays_charged(tmp_path: Path) -> None:
    async with served(tmp_path, drain_timeout='"300ms"') as proxy:
        hand = hold(proxy, "alice", held=True)
        opened = await psycopg.AsyncConnection.connect(
            f"host=127.0.0.1 port={proxy.port} dbname=demo user=alice", autocommit=True
        )
        answer = asyncio.ensure_future(opened.execute(COUNT))
        await asyncio.wait_for(hand.begun.wait(), PATIENCE_SECONDS)
        await asyncio.wait_for(proxy.drain(), PATIENCE_SECONDS)
        assert not answer.done()
        await proxy.stop()
        with pytest.raises(psycopg.errors.AdminShutdown):
            await answer
        await opened.close()
    async with Proxy(proxy.services.config) as again:
        assert await outcome(again) in ("abandoned", "canceled")


@pytest.fixture(scope="module")
def manager() -> Iterator[socket.socket]:
    """A service manager's socket, which processes that a test starts are told of."""
    with tempfile.TemporaryDirectory() as directory, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(f"{directory}/notify")
        listening.settimeout(PATIENCE_SECONDS)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("NOTIFY_SOCKET", f"{directory}/notify")
            yield listening


@pytest.mark.long
async def test_signals_of_a_process(tmp_path: Path, manager: socket.socket) -> None:
    """SIGTERM drains: what is at work is answered, the service manager is told, /readyz says no. A second one ends."""
    server = "[server]\nmetrics_port = 0\ndrain_delay = '300ms'\nlog = 'json'\n"
    config = write_policy(tmp_path / "signals", {"[server]\n": server})
    with nothing_left(config):
        served = await asyncio.to_thread(start, config)
        assert manager.recv(100) == b"READY=1"
        port = next(each["port"] for each in map(json.loads, served.log.read_text().splitlines()) if "port" in each)
        short, long = [await psycopg.AsyncConnection.connect(served.dsn("alice"), autocommit=True) for _ in range(2)]
        asking = asyncio.create_task(short.execute("SELECT 'answered', pg_sleep(1)"))
        endless = asyncio.create_task(long.execute("SELECT pg_sleep(600)"))
        await asyncio.sleep(0.1)
        served.process.terminate()
        assert await asyncio.to_thread(manager.recv, 100) == b"STOPPING=1"
        status, body = await asked(port, get("/readyz"))
        assert (status, json.loads(body)["proxy"]) == (503, "draining")
        assert await (await asking).fetchone() == ("answered", "")
        assert served.process.poll() is None
        served.process.terminate()
        with pytest.raises(psycopg.errors.AdminShutdown):
            await endless
        assert await asyncio.to_thread(served.process.wait, PATIENCE_SECONDS) == 0
        await short.close()
        await long.close()


# ── logs ──


@pytest.mark.long
async def test_nothing_secret_is_logged(proxy: Proxy, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret in literals, comments, settings, names, errors of the engine, of the ledger and of dpproxy's own."""
    opened = await connect(proxy)
    for sql in (
        f"SELECT count(*) FROM people WHERE name = '{SECRET}' -- {SECRET}",
        f"SELECT count(*) FROM people WHERE city = '{SECRET}'",
        f'SELECT count(*) FROM people WHERE city = "{SECRET}"',
        f"SELECT count(*) FROM people WHERE city = {SECRET}",
        f"SELECT '{SECRET}', {SECRET}(1), count(*) FROM people",
        f"SELECT '{SECRET}",
        f"SELECT '{SECRET}'::integer",
        f"SET dp.epsilon = '{SECRET}'; SELECT count(*) FROM people",
        "RESET dp.epsilon",
        f"INSERT INTO people VALUES ('{SECRET}')",
        f"EXPLAIN SELECT count(*) FROM people WHERE city = '{SECRET}'",
        f"DO '{SECRET}'",
        f"SELECT name, '{SECRET}' FROM people",
        f"COPY (SELECT '{SECRET}' AS x, count(*) FROM people) TO STDOUT",
        f"SELECT sum(sqrt({SECRET!r}::text::float8)) FROM people",
    ):
        with contextlib.suppress(asyncpg.PostgresError):
            await opened.execute(sql)
    await _break_everything(proxy, opened, monkeypatch)
    logging.getLogger("sqlglot").warning("'%s' contains unsupported syntax", SECRET)
    logging.getLogger("dpproxy.test").error("an error of somebody else's: %s", ValueError(SECRET))
    with contextlib.suppress(ValueError):
        raise ValueError(SECRET)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn(SECRET, stacklevel=1)
        logging.captureWarnings(False)
    text = log.getvalue()
    assert SECRET.lower() not in text.lower()
    told = [each.get("sqlstate") for each in events(log, "statement")]
    assert {"00000", "DP005", "57P03", "XX000", "42703", "22023", "42501"} <= set(told)
    assert "duckdb" not in text or "ConversionException" in text


async def _break_everything(proxy: Proxy, opened: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the proxy's parts fails with the secret in its error."""

    def failing(fault: BaseException, cause: BaseException | None = None) -> Callable[..., Any]:
        async def fail(*_: object, **__: object) -> Any:
            raise fault from cause

        return fail

    def fails(*_: object) -> Any:
        raise ValueError(SECRET)

    ledger, sql = proxy.services.permanent.resources.ledger, "SELECT count(*) FROM people WHERE age > 77"
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "charge", failing(LedgerUnavailable("no"), psycopg.OperationalError(SECRET)))
        with pytest.raises(asyncpg.CannotConnectNowError):
            await opened.fetchval(sql)
    with monkeypatch.context() as patch:
        patch.setattr(made_plans, "plan_statement", fails)
        with pytest.raises(asyncpg.InternalServerError):
            await opened.fetchval("SELECT count(*) FROM people WHERE age > 78")
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "settle", failing(ValueError(SECRET)))
        await opened.fetchval(sql)
        await until(lambda: not proxy_errands(proxy))
    hand = hold(proxy, "alice")
    hand.engine = Broken(hand.engine)  # type: ignore[assignment]
    with pytest.raises(asyncpg.PostgresError, match="could not be completed"):
        await opened.fetchval(sql)
    hold_back(proxy, "alice")
    await ledger.clear("alice")
    with monkeypatch.context() as patch:
        patch.setattr("dpproxy.session.relay.examine", fails)
        with contextlib.suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            await opened.execute("SELECT 1")
    await ended(opened)


class Broken:
    """An engine whose error quotes a row."""

    def __init__(self, engine: Any) -> None:
        self.dialect = engine.dialect

    async def reach(self) -> None:
        pass

    async def run(self, work: Any, ticket: Ticket, seconds: float | None = None) -> Any:
        raise EngineFailure from duckdb.ConversionException(f"Could not convert string '{SECRET}' to INT32")


def hold_back(proxy: Proxy, analyst: str) -> None:
    """Take the test's engine away again."""
    context = proxy.services.contexts[analyst]
    proxy.services.contexts[analyst] = replace(context, resources=proxy.services.permanent.resources)  # type: ignore[index]


def proxy_errands(proxy: Proxy) -> set[Any]:
    return set(proxy.services.permanent.resources.later.__self__._running)  # type: ignore[attr-defined]


async def test_lines_say_what_an_operator_needs(proxy: Proxy, log: io.StringIO) -> None:
    opened = await connect(proxy)
    await opened.fetchval("SELECT count(*) FROM people WHERE age > 55 AND smoker")
    await opened.execute("EXPLAIN SELECT count(*) FROM people")
    await opened.close()
    await until(lambda: bool(events(log, "session ends")))
    begins, (private, explain) = events(log, "session begins")[-1], events(log, "statement")[-2:]
    assert begins["analyst"] == "alice" and begins["client"] == "127.0.0.1"
    assert private.items() >= {"class": "private", "sqlstate": "00000", "session": begins["session"]}.items()
    assert isinstance(private["charge"], int) and private["engine"] > 0 and private["ledger"] > 0
    assert private["shape"] == "SELECT count ( * ) FROM people WHERE age > ? AND smoker"
    assert explain["class"] == "explain" and "charge" not in explain


async def test_shapes() -> None:
    names = {"people", "age", "Odd Name"}
    assert statement_shape("SELECT count(*) FROM people p WHERE age > 41 AND x = 'Zelda' -- Zelda", names) == (
        "SELECT count ( * ) FROM people ? WHERE age > ? AND ? = ? ?"
    )
    assert statement_shape('SELECT "Odd Name", "Zelda", $1, E\'\\n\', U&"d" FROM people', names) == (
        'SELECT "Odd Name" , ? , $1 , ? , ? FROM people'
    )
    assert statement_shape("SELECT $$Zelda$$ || B'1' || 1.5e3 /* Zelda */", names) == "SELECT ? || ? || ? ?"
    assert statement_shape("SELECT 'Zelda", names) == UNREADABLE
    assert len(statement_shape("SELECT 1" + ", 1" * 10_000, names)) <= 2_000


async def test_the_text_form_is_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger().handlers[:]
    try:
        log_to_stderr("text")
        logging.getLogger("dpproxy.x").warning("two\nlines of %s", "a policy")
        try:
            raise KeyError(SECRET)
        except KeyError:
            logging.getLogger("dpproxy.x").exception("a fault")
    finally:
        logging.getLogger().handlers[:] = before
        logging.captureWarnings(False)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2 and SECRET not in "".join(lines)
    assert "error=" in lines[1] and "KeyError at test_operation.py" in lines[1]


# ── metrics and health ──


def values(proxy: Proxy) -> dict[tuple[str, ...], float]:
    """The page's samples by name and labels."""
    families = text_string_to_metric_families(proxy.metrics.page().decode())
    return {
        (sample.name.removeprefix("dpproxy_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


async def test_statements_are_counted(proxy: Proxy) -> None:
    opened = await connect(proxy)
    before = values(proxy)
    await opened.fetchval("SELECT 1")
    await opened.execute("SELECT 2; SELECT 3")
    await opened.fetchval("SELECT count(*) FROM people WHERE age > 61")
    await opened.execute("EXPLAIN SELECT count(*) FROM people")
    for refused in ("SELECT 1/0", "SELECT age FROM people", "INSERT INTO people VALUES (1)"):
        with pytest.raises(asyncpg.PostgresError):
            await opened.execute(refused)
    await opened.execute("SET dp.epsilon = 99999")
    with pytest.raises(asyncpg.PostgresError):
        await opened.execute("SET dp.epsilon = 100000; SELECT count(*) FROM people WHERE age > 62")
    after = values(proxy)

    def more(*key: str) -> float:
        return after.get(key, 0.0) - before.get(key, 0.0)

    assert more("statements_total", "front", "answered") >= 5
    assert more("statements_total", "front", "failed") == 1
    assert more("statements_total", "private", "answered") == 1
    assert more("statements_total", "explain", "answered") == 1
    assert more("statements_total", "gate", "refused") == 1
    assert more("statements_total", "private", "refused") + more("statements_total", "private", "budget") == 2
    assert more("charges_total", "alice") == 1 and more("charged_epsilon_total", "alice") > 0
    assert (more("engine_seconds_count"), more("waiting_seconds_count")) == (1, 2)
    assert more("own_seconds_count") == 1 and more("ledger_seconds_count", "charge") >= 1
    assert after["connections_now", "session"] >= 1 and after["front_connections",] >= 1
    assert after["tasks",] > 0 and after["build_info", *_labels(proxy, "dpproxy_build_info")] == 1
    assert after["process_resident_memory_bytes",] > 0
    await opened.close()


def _labels(proxy: Proxy, name: str) -> tuple[str, ...]:
    families = text_string_to_metric_families(proxy.metrics.page().decode())
    return next(tuple(s.labels.values()) for family in families for s in family.samples if s.name == name)


async def asked(port: int, request: bytes) -> tuple[int, bytes]:
    """Status and body of an answer; 0 where the connection was closed without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        with contextlib.suppress(ConnectionError):
            data = await asyncio.wait_for(reader.read(), PATIENCE_SECONDS)
            head, _, body = data.partition(b"\r\n\r\n")
            return (int(head.split()[1]) if head else 0), body
        return 0, b""
    finally:
        writer.close()


def get(path: str, method: str = "GET") -> bytes:
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()


async def test_the_operators_port(proxy: Proxy, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    async with operator_port(proxy, proxy.services.config):
        port = events(log, "operator's port")[-1]["port"]
        assert await asked(port, get("/healthz")) == (200, b"ok\n")
        assert (await asked(port, get("/metrics?x=1")))[0] == 200
        assert await asked(port, get("/metrics", "HEAD")) == (200, b"")
        assert await asked(port, get("/", "POST")) == (405, b"")
        assert await asked(port, get("/other")) == (404, b"")
        assert await asked(port, b"nonsense\r\n\r\n") == (400, b"")
        assert await asked(port, b"GET /" + b"x" * 70_000) == (0, b"")
        ready = await asked(port, get("/readyz"))
        assert (ready[0], json.loads(ready[1])["ready"]) == (200, True)
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(30)]
        status, _ = await asked(port, get("/healthz"))
        assert status in (0, 200)
        for _, writer in silent:
            writer.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await asked(port, get("/healthz")))[0] != 200:
                await asyncio.sleep(0.05)


async def test_readiness_names_what_fails(proxy: Proxy, log: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    health, ledger = proxy.health, proxy.services.permanent.resources.ledger

    async def away(_: str) -> bool:
        raise LedgerUnavailable("the ledger cannot be reached") from psycopg.OperationalError(SECRET)

    looks = 0

    async def look() -> None:
        nonlocal looks
        looks += 1

    monkeypatch.setattr(ledger, "stopped", away)
    monkeypatch.setattr(health, "parts", {**health.parts, "looked": look})
    monkeypatch.setattr(health, "_at", float("-inf"))
    states = await asyncio.gather(*(health.state() for _ in range(20)))
    assert states[0]["ledger"] == "LedgerUnavailable: the ledger cannot be reached" and looks == 1
    assert {states[0][part] for part in ("engine", "front", "looked", "proxy")} == {"ok"}
    monkeypatch.undo()
    monkeypatch.setattr(health, "_at", float("-inf"))
    assert (await health.state())["ledger"] == "ok"
    assert [each["part"] for each in events(log, "not ready")] == ["ledger"]
    assert [each["part"] for each in events(log, "ready again")] == ["ledger"]
    monkeypatch.setattr(health, "draining", True)
    assert (await health.state())["proxy"] == "draining"


# ── limits ──


async def worked(
    queue: StatementQueue, analyst: str, order: list[str], gate: asyncio.Event, ticket: Ticket | None = None
) -> None:
    async with queue.place(analyst, ticket or Ticket()):
        order.append(analyst)
        await gate.wait()
        await asyncio.sleep(0)


async def test_nobody_starves() -> None:
    """One who asks sixteen questions has all places while alone, and every other one once somebody else asks."""
    queue, order, gate = StatementQueue(2, lambda _: QueueShare(2, 100)), [], asyncio.Event()
    tasks = [asyncio.create_task(worked(queue, "heavy", order, gate)) for _ in range(16)]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(worked(queue, "light", order, gate)) for _ in range(3)]
    await asyncio.sleep(0)
    assert (order, queue.working, queue.waiting) == (["heavy"] * 2, 2, 17)
    gate.set()
    await asyncio.gather(*tasks)
    assert order[:8].count("light") == 3 and len(order) == 19
    assert (queue.working, queue.waiting) == (0, 0) and not queue._lines


async def test_shares_and_the_queues_end() -> None:
    queue, order, gate = (
        StatementQueue(4, lambda name: QueueShare(1, 2) if name == "bob" else QueueShare(4, 9)),
        [],
        asyncio.Event(),
    )
    bobs = [asyncio.create_task(worked(queue, "bob", order, gate)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyStatements) as caught:
        await worked(queue, "bob", order, gate)
    assert caught.value.sqlstate == "53400" and caught.value.hint
    others = [asyncio.create_task(worked(queue, "alice", order, gate)) for _ in range(3)]
    await asyncio.sleep(0)
    assert order == ["bob", "alice", "alice", "alice"]
    gate.set()
    await asyncio.gather(*bobs, *others)
    assert queue.working == 0 and not queue._lines


async def test_waiting_can_be_cancelled() -> None:
    """By its ticket, or with its task, also in the moment in which a place was given to it: none is lost."""
    queue, order, gate = StatementQueue(1, lambda _: QueueShare(1, 9)), [], asyncio.Event()
    first = asyncio.create_task(worked(queue, "a", order, gate))
    await asyncio.sleep(0)
    ticket = Ticket()
    by_ticket = asyncio.create_task(worked(queue, "a", order, gate, ticket))
    by_task, given = (asyncio.create_task(worked(queue, name, order, gate)) for name in "ab")
    last = asyncio.create_task(worked(queue, "c", order, gate))
    await asyncio.sleep(0)
    ticket.cancel()
    by_task.cancel()
    with pytest.raises(QueryCanceled):
        await by_ticket
    with pytest.raises(asyncio.CancelledError):
        await by_task
    gate.set()
    await first
    given.cancel()  # it has its place since `first` ended, and does not know it
    await last
    assert queue.working == 0 and not queue._lines
    assert "c" in order


async def test_an_analysts_statements_wait_and_are_refused_uncharged(proxy: Proxy) -> None:
    """bob has one place, and room for one to wait."""
    one, two = await connect(proxy, "bob"), await connect(proxy, "bob")
    with pytest.raises(asyncpg.TooManyConnectionsError, match='role "bob"'):
        await connect(proxy, "bob")
    hand = Held(hold(proxy, "bob"))
    try:
        first = asyncio.ensure_future(one.fetchval("SELECT count(*) FROM people WHERE age > 21"))
        await hand.begun()
        second = asyncio.ensure_future(two.fetchval("SELECT count(*) FROM people WHERE age > 22"))
        await until(lambda: values(proxy)["statements_now", "waiting"] == 1)
        charged = values(proxy)["charges_total", "bob"]
        alice = await connect(proxy)
        assert isinstance(await alice.fetchval("SELECT count(*) FROM people WHERE age > 23"), int)
        await alice.close()
        second.cancel()  # asyncpg asks for its end
        with pytest.raises(asyncio.CancelledError):
            await second
        await until(lambda: values(proxy)["statements_now", "waiting"] == 0)
        assert await two.fetchval("SELECT 1") == 1
        assert values(proxy)["charges_total", "bob"] == charged == 1
        hand.free()
        assert isinstance(await first, int)
    finally:
        hand.free()
        hold_back(proxy, "bob")
        await one.close()
        await two.close()


async def test_what_a_session_may_hold(proxy: Proxy) -> None:
    """Prepared statements and rows count; whoever holds too much is told, and nobody else is touched."""
    other, dsn = await connect(proxy), f"host=127.0.0.1 port={proxy.port} dbname=demo user=alice"
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as greedy:
        with pytest.raises(psycopg.errors.OutOfMemory):
            for number in range(2_000):
                await greedy.execute(f"PREPARE s{number} AS SELECT count(*) FROM people WHERE city = '{number:060000}'")
    await until(lambda: values(proxy)["held_bytes",] < 100_000)
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as wide:
        assert await (await wide.execute("SELECT repeat('x', 3000000)")).fetchone() == ("x" * 3_000_000,)
        with pytest.raises(psycopg.errors.OutOfMemory):
            await wide.execute("SELECT repeat('x', 30000000)")
    assert await other.fetchval("SELECT 1") == 1
    await other.close()


async def test_silent_sockets_hold_nobody_up(proxy: Proxy) -> None:
    """Three hundred connections that say nothing, more than there is room for: others log in all the same."""
    silent = [await asyncio.open_connection("127.0.0.1", proxy.port) for _ in range(300)]
    try:
        assert values(proxy)["connections_now", "greeting"] <= 32
        for _ in range(5):
            opened = await connect(proxy)
            assert await opened.fetchval("SELECT 1") == 1
            await opened.close()
    finally:
        for _, writer in silent:
            writer.close()


async def test_who_crowds_the_lobby_is_in_his_own_way() -> None:
    lobby, gone = UnauthenticatedConnections(4), []
    for number, address in enumerate(["flood", "quiet", "flood", "flood", "new", "flood", "newer"]):
        lobby.enter(number, address, lambda number=number: gone.append(number))
    assert (gone, len(lobby)) == ([0, 2, 3], 4)
    lobby.left(5)
    lobby.left(5)
    lobby.clear()
    assert len(lobby) == 0 and sorted(gone) == [0, 1, 2, 3, 4, 6]


# ── what would grow ──


async def test_names_of_what_is_gone_are_forgotten() -> None:
    """Drivers count the names of their statements up."""
    names: PipelinedNames[str] = PipelinedNames(lambda: True, len)
    for number in range(10_000):
        names.put(f"s{number}", "text")
        names.put(f"s{number}", None)
    assert len(names._latest) <= 130 and names.held == 0
    undo = names.put("kept", "1234")
    assert names.held == 4
    assert undo is not None
    undo()
    assert names.held == 0 and names.get("kept") is None


async def test_a_refused_text_is_refused_often(proxy: Proxy) -> None:
    """The error is kept for the next who writes it; what it remembers of being raised must not grow."""
    sql = "INSERT INTO people VALUES (4711)"
    opened = await connect(proxy)
    for _ in range(50):
        with pytest.raises(asyncpg.PostgresError):
            await opened.execute(sql)
    await opened.close()
    error = examine(sql, proxy.services.contexts["alice"].names)[0].verdict.error
    assert isinstance(error, DPProxyError)
    depth, tb = 0, error.__traceback__
    while tb is not None:
        depth, tb = depth + 1, tb.tb_next
    assert depth < 10


async def test_who_comes_again_and_again_keeps_nobody_waiting() -> None:
    queue, served = StatementQueue(1, lambda _: QueueShare(1, 9)), list[str]()
    stopped = asyncio.Event()

    async def ask(name: str) -> None:
        async with queue.place(name, Ticket()):
            served.append(name)
            await asyncio.sleep(0)

    async def again(name: str) -> None:
        while not stopped.is_set():
            await ask(name)

    loops = [asyncio.create_task(again(name)) for name in ("x", "z")]
    await asyncio.sleep(0)
    waiting = [asyncio.create_task(ask("y")) for _ in range(2)]
    await asyncio.wait_for(asyncio.gather(*waiting), 10)
    stopped.set()
    await asyncio.gather(*loops)
    places = [place for place, name in enumerate(served) if name == "y"]
    assert places[1] < 8, served[:20]
