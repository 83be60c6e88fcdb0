"""Faults strike while sixteen clients work, before an engine, a front and a ledger on a Postgres server each.

Every execution has a text of its own, so that it is found in the ledger. After each fault: no answer without its
charge, no charge lost, none twice, accounts that are the exact sum of their charges, nothing answered while there was
no way to answer it, SQLSTATEs that say what it was, and all clients at work again with the same proxy. A client never
sends a statement twice.

One proxy lives through all of it, in this order, but for the one that is killed.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import asyncpg
import psycopg
import pytest
import pytest_asyncio
from between import Wire, wired
from given import Places, make_engine, make_owned, policy_before, url
from prometheus_client.parser import text_string_to_metric_families
from proxies import PATIENCE_SECONDS, ServedProxy, start
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres

from dpproxy.config import load
from dpproxy.errors import EngineUnavailable

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]

CLIENTS = 16
AFTERWARDS = 3
"""Answers that each client must have after a fault."""
UNDER_WAY = 3
CHARGING = 1  # one call makes the charges of all who wait
PAUSE_SECONDS = 0.2  # between two statements of a client, so that they leave the machine some time
ANALYSTS = ("ada", "ben", "cem", "dua")
ENGINE_CONNECTIONS, LEDGER_CONNECTIONS = 8, 8
ANSWERED, LOST = "00000", "the connection ended"
FAILED, AWAY, NO_LEDGER, SPENT, TIMED_OUT = "DP005", "08006", "57P03", "DP001", "57014"
_GONE = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.ConnectionDoesNotExistError)
_NUMBERS = itertools.count(1_000_000)
_PRICE = '[analysts.{name}]\ntrust = true\nepsilon = {epsilon}\ndelta = 1e-5\nreset = "{reset}"\n'
_DEFAULTS = "[analysts.{name}.defaults]\nepsilon = 0.1\n"
_ANALYST = f"{_PRICE}{_DEFAULTS}"
DAILY = 20
"""Statements that the analyst `day` may ask in a day."""


@dataclass
class Execution:
    """One statement that was sent once. sqlstate: what became of it. begun, ended: on the loop's clock."""

    analyst: str
    text: str
    begun: float
    ended: float = 0.0
    sqlstate: str = ""
    hint: str = ""


class Told(Exception):
    """What a client was told instead of an answer: an SQLSTATE, or that the connection ended."""

    def __init__(self, sqlstate: str, hint: str | None = None) -> None:
        super().__init__(sqlstate, hint)
        self.sqlstate, self.hint = sqlstate, hint or ""


@dataclass
class Link:
    """One connection. Every other client speaks through asyncpg, the others through psycopg."""

    ask: Callable[[str], Awaitable[Any]]
    gone: Callable[[], bool]
    end: Callable[[], None]


@asynccontextmanager
async def told() -> AsyncIterator[None]:
    """Both drivers' errors as one. That a connection ended has no SQLSTATE of the proxy's."""
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            yield
    except TimeoutError:
        raise AssertionError("a client was left to wait") from None
    except _GONE as fault:
        raise Told(LOST) from fault
    except asyncpg.PostgresError as fault:
        raise Told(fault.sqlstate, fault.hint) from fault
    except psycopg.Error as fault:
        raise Told(fault.sqlstate or LOST, fault.diag.message_hint) from fault


async def by_asyncpg(dsn: str) -> Link:
    async with told():
        connection = await asyncpg.connect(dsn, ssl=False)
    return Link(connection.fetchval, connection.is_closed, connection.terminate)


async def by_psycopg(dsn: str) -> Link:
    async with told():
        connection = await psycopg.AsyncConnection.connect(
            dsn, autocommit=True, cursor_factory=psycopg.AsyncClientCursor
        )

    async def ask(text: str) -> Any:
        row = await (await connection.execute(text)).fetchone()
        return row and row[0]

    return Link(ask, lambda: connection.broken, connection.pgconn.finish)


@dataclass
class Client:
    """Asks until the traffic is over; every other one of an analyst's asks of `visits`, which tests may lock."""

    number: int
    analyst: str
    executions: list[Execution] = field(default_factory=list)
    doors: Counter[str] = field(default_factory=Counter)  # what was told to it instead of a session

    async def work(self, stage: Stage) -> None:
        while not stage.over:
            try:
                link = await (by_asyncpg, by_psycopg)[self.number // 2 % 2](stage.proxy.dsn(self.analyst))
            except Told as fault:
                self.doors[fault.sqlstate] += 1
                await asyncio.sleep(0.02)
                continue
            try:
                while not stage.over and not link.gone():
                    await self._ask(link)
            finally:
                link.end()

    async def _ask(self, link: Link) -> None:
        table, column = ("visits", "cost") if self.number < len(ANALYSTS) else ("people", "income")
        text = f"SELECT count(*) FROM {table} WHERE {column} < {next(_NUMBERS)}"
        clock = asyncio.get_running_loop().time
        each = Execution(self.analyst, text, clock())
        self.executions.append(each)
        try:
            async with told():
                assert isinstance(await link.ask(text), int)
            each.sqlstate = ANSWERED
        except Told as fault:
            each.sqlstate, each.hint = fault.sqlstate, fault.hint
        each.ended = clock()
        await asyncio.sleep(PAUSE_SECONDS)


@dataclass
class Stage:
    """The proxy of the moment, the servers behind it, and the wires in between."""

    proxy: ServedProxy
    engine: ScratchPostgres
    front: ScratchPostgres
    ledger: ScratchPostgres
    disk: Path | None  # where the ledger's server is, if it is small
    wires: dict[str, Wire]
    clients: list[Client] = field(default_factory=list)
    over: bool = False

    @asynccontextmanager
    async def traffic(self, analysts: tuple[str, ...] = ANALYSTS) -> AsyncIterator[None]:
        """Clients at work for the length of a block, which begins when each was told something."""
        self.clients = [Client(number, analysts[number % len(analysts)]) for number in range(CLIENTS)]
        self.over = False
        async with asyncio.TaskGroup() as tasks:
            for each in self.clients:
                tasks.create_task(each.work(self))
            await self.each_is_told(self.now())
            yield
            self.over = True

    @staticmethod
    def now() -> float:
        return asyncio.get_running_loop().time()

    async def each_is_told(
        self, since: float, *sqlstates: str, times: int = 1, clients: list[Client] | None = None
    ) -> None:
        """Wait until each client was told so of statements that it began after `since`; of none, anything."""

        def enough(client: Client) -> bool:
            told = [each.sqlstate for each in client.executions if each.begun >= since and each.ended]
            return sum(not sqlstates or each in sqlstates for each in told) >= times

        waiting = self.clients if clients is None else clients
        try:
            await self.until(lambda: all(map(enough, waiting)))
        except TimeoutError:
            seen = [(each.number, [one.sqlstate for one in each.executions[-4:]]) for each in waiting]
            raise AssertionError(f"not told {sqlstates}: {seen}\n{self.proxy.log.read_text()[-3000:]}") from None

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds():
                await asyncio.sleep(0.02)

    async def back_at_work(self, since: float) -> None:
        """Without anybody doing anything, each client is answered."""
        await self.each_is_told(since, ANSWERED, times=AFTERWARDS)

    async def operator_clears(self, since: float) -> None:
        """What the operator does once the engine is well: those whose statements were in it go on. By then whatever was
        under way before `since` has ended."""
        await self.each_is_told(since)
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-m", "dpproxy.cli", "analyst", "clear", "--all", "--config", str(self.proxy.config.path)],
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert done.returncode == 0, done.stderr

    def between(self, begin: float, end: float) -> Counter[str]:
        """What became of the statements that began and ended in this time."""
        every = itertools.chain.from_iterable(each.executions for each in self.clients)
        return Counter(each.sqlstate for each in every if begin <= each.begun and 0 < each.ended <= end)

    def told(self) -> Counter[str]:
        return self.between(0, float("inf"))


def ports(count: int) -> list[int]:
    """Free ones, and different."""
    with ExitStack() as held:
        listeners = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in listeners]


def by_tcp(conninfo: str) -> str:
    """The same through TCP, in the form of a URL."""
    word = conninfo_to_dict(conninfo)
    there = f"{word['host']}:{word['port']}/{word['dbname']}"
    return f"postgresql://{word['user']}:{{}}@{there}?sslmode=disable&connect_timeout=2"


@contextmanager
def small_disk() -> Iterator[Path | None]:
    """A file system of 256 MB, if the machine lets one be mounted."""
    directory = Path(tempfile.mkdtemp(prefix="dpp"))
    command = ["mount", "-t", "tmpfs", "-o", "size=256m,mode=755", "tmpfs", str(directory)]
    mounted = subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield directory if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", directory], check=True)
        directory.rmdir()


@contextmanager
def server_in(directory: Path | None) -> Iterator[ScratchPostgres]:
    """A server whose files are in this directory."""
    if directory is None:
        with scratch_postgres(list(MAJORS.values())[-1]) as running:
            yield running
        return
    before, tempfile.tempdir = tempfile.tempdir, str(directory)
    try:
        with scratch_postgres(list(MAJORS.values())[-1]) as running:
            tempfile.tempdir = before
            yield running
    finally:
        tempfile.tempdir = before


def keep_small(server: ScratchPostgres) -> None:
    """Its write-ahead log would fill a small disk by itself."""
    with psycopg.connect(server.conninfo_of(server.owner, database="postgres"), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET max_wal_size = '64MB'")
        connection.execute("ALTER SYSTEM SET min_wal_size = '32MB'")
        connection.execute("SELECT pg_reload_conf()")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    if not MAJORS:
        pytest.skip("no Postgres on this machine")
    directory = tmp_path_factory.mktemp("faults")
    with small_disk() as disk, server_in(disk) as ledger, server_in(None) as engine, server_in(None) as front:
        with ThreadPoolExecutor() as pool:
            made = [pool.submit(make_engine, engine), pool.submit(make_owned, front, "demo")]
            for each in [*made, pool.submit(make_owned, ledger, "ledger")]:
                each.result(PATIENCE_SECONDS)
        keep_small(ledger)
        ways = (engine.conninfo_of("reader", database="engine"), ledger.conninfo_of("clerk", database="ledger"))
        async with wired(ways[0]) as to_engine, wired(ways[1]) as to_ledger:
            places = Places(
                by_tcp(to_engine.conninfo).format("reading"),
                url(front, "keeper", "demo"),
                by_tcp(to_ledger.conninfo).format("counting"),
            )
            port, operator = ports(2)
            path = policy_before(directory, places, changes(port, operator))
            proxy = await asyncio.to_thread(start, load(path, {}))
            made_stage = Stage(proxy, engine, front, ledger, disk, {"engine": to_engine, "ledger": to_ledger})
            try:
                yield made_stage
                assert "Traceback" not in (log := proxy.log.read_text()), log[-6000:]
                assert await asyncio.to_thread(made_stage.proxy.stop) == 0
            finally:
                made_stage.proxy.kill()


def changes(port: int, operator: int) -> dict[str, str]:
    analysts = "".join(_ANALYST.format(name=name, epsilon=10**6, reset="never") for name in ANALYSTS)
    analysts += _ANALYST.format(name="day", epsilon=Decimal("0.1") * DAILY, reset="daily")
    return {
        "port = 0": f"port = {port}\nmetrics_port = {operator}",
        "[privacy]": "[budgets.everyone]\nepsilon = 1e8\ndelta = 1e-3\n\n[privacy]",
        'accounting = "zcdp"': 'accounting = "pure"',
        '?sslmode=disable&connect_timeout=2"\n\n[ledger]': (
            f'?sslmode=disable&connect_timeout=2"\nstatement_timeout = "8s"\nmax_concurrency = {ENGINE_CONNECTIONS}\n\n'
            "[ledger]"
        ),
        "[analysts.alice]": f"{analysts}\n[analysts.alice]",
    }


def rows(server: ScratchPostgres, database: str, sql: str, *parameters: object) -> list[dict[str, Any]]:
    """What the owner of a server reads there, not through a wire."""
    with psycopg.connect(
        server.conninfo_of(server.owner, database=database), autocommit=True, row_factory=dict_row
    ) as connection:
        return connection.execute(sql, parameters).fetchall()  # type: ignore[arg-type]


@asynccontextmanager
async def locked(server: ScratchPostgres, database: str, table: str) -> AsyncIterator[None]:
    """Whoever uses the table waits, for the length of a block or until the server is gone."""
    connection = await psycopg.AsyncConnection.connect(server.conninfo_of(server.owner, database=database))
    try:
        await connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")  # type: ignore[arg-type]
        yield
    finally:
        await connection.close()


async def waiting(server: ScratchPostgres, least: int = UNDER_WAY, asking: str = "") -> list[int]:
    """The backends of the proxy that wait for a lock, once there are some: what is under way when the fault strikes.
    asking: what stands in their statements."""
    sql = "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'dpproxy%%' AND wait_event_type = 'Lock'"
    sql += " AND position(%s IN query) > 0"
    connection = await psycopg.AsyncConnection.connect(
        server.conninfo_of(server.owner, database="postgres"), autocommit=True
    )
    async with connection, asyncio.timeout(PATIENCE_SECONDS):
        while len(found := await (await connection.execute(sql, (asking,))).fetchall()) < least:
            await asyncio.sleep(0.02)
    return [pid for (pid,) in found]


@contextmanager
def clock_set_to(stage: Stage, moment: str) -> Iterator[None]:
    """The ledger's clock stands still at this time of a day in 2030."""
    made = "CREATE OR REPLACE FUNCTION dp_ledger.clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS '{}'"
    with psycopg.connect(stage.ledger.conninfo_of(stage.ledger.owner, database="ledger"), autocommit=True) as owner:
        owner.execute(made.format(f"SELECT timestamptz ''{moment}''"))  # type: ignore[arg-type]
        try:
            yield
        finally:
            owner.execute(made.format("SELECT pg_catalog.clock_timestamp()"))  # type: ignore[arg-type]


def judged(stage: Stage, allowed: set[str], unanswered: set[str]) -> None:
    """The books against what clients know.

    allowed: what clients may have been told. unanswered: with which of it there may be a charge. On a slow machine a
    statement may also reach its time limit, which was paid for.
    """
    allowed, unanswered = allowed | {TIMED_OUT}, unanswered | {TIMED_OUT}
    told = stage.told()
    assert told.keys() <= allowed | {ANSWERED}, told
    executions = {each.text: each for client in stage.clients for each in client.executions}
    charges = rows(stage.ledger, "ledger", "SELECT * FROM dp_ledger.charges ORDER BY id")
    count = Counter(each["statement"] for each in charges)
    assert set(count.values()) <= {1}, "charged twice for one execution"
    for text, each in executions.items():
        match each.sqlstate:
            case code if code == ANSWERED:
                assert count[text], "an answer without its charge"
            case code if code == FAILED or each.hint == EngineUnavailable.CHARGED:
                assert count[text], "it was said to be charged"
            case _ if "Nothing was charged" in each.hint:
                assert not count[text], "it was said not to be charged"
            case code:
                assert not count[text] or code in unanswered, (code, each.hint)
    for each in charges:
        if each["statement"] in executions and each["outcome"] == "answered":
            # The answer was made; where its way to the client ended, nobody knows: by another's failure, too.
            assert executions[each["statement"]].sqlstate in {ANSWERED} | unanswered
    check_accounts(stage, charges)


def check_accounts(stage: Stage, charges: list[dict[str, Any]]) -> None:
    """Every account is the exact sum of its charges."""
    sums: Counter[tuple[str, str, str]] = Counter()
    for each in charges:
        sums["analyst", each["analyst"], each["period"]] += each["main"]
        sums["budget", "everyone", "ever"] += each["main"]
    accounts = rows(stage.ledger, "ledger", "SELECT kind, name, period, main FROM dp_ledger.accounts")
    assert {(each["kind"], each["name"], each["period"]): each["main"] for each in accounts if each["main"]} == sums


async def nothing_is_left(stage: Stage) -> None:
    """No statement at work, no connection in use, and no more of them than there may be."""
    operator = stage.proxy.config.server.metrics_port

    def gauges() -> dict[tuple[str, str], float]:
        with urllib.request.urlopen(f"http://127.0.0.1:{operator}/metrics", timeout=PATIENCE_SECONDS) as page:
            families = text_string_to_metric_families(page.read().decode())
        return {(one.name, one.labels.get("state", "")): one.value for each in families for one in each.samples}

    def count(server: ScratchPostgres, condition: str) -> int:
        [row] = rows(server, "postgres", f"SELECT count(*) FROM pg_stat_activity WHERE {condition}")
        return int(row["count"])

    wanted = {("statements_now", state) for state in ("working", "waiting")}
    wanted |= {("connections_now", state) for state in ("session", "greeting")}
    wanted |= {(f"{room}_connections", "used") for room in ("engine", "ledger")}
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            now = await asyncio.to_thread(gauges)
            busy = {name: now[f"dpproxy_{name[0]}", name[1]] for name in wanted}
            if not any(busy.values()):
                break
            await asyncio.sleep(0.05)
    await stage.until(lambda: count(stage.front, f"usename IN {(*ANALYSTS, 'day')}") == 0)
    await stage.until(lambda: count(stage.engine, "application_name = 'dpproxy engine'") <= ENGINE_CONNECTIONS)
    await stage.until(lambda: count(stage.ledger, "application_name = 'dpproxy ledger'") <= LEDGER_CONNECTIONS)


@pytest.mark.parametrize("how", ["ended", "killed"])
async def test_an_engine_backend_dies(stage: Stage, how: str) -> None:
    """Ended by an administrator it takes one statement with it; killed, the engine ends all, and recovers."""
    async with stage.traffic():
        async with locked(stage.engine, "engine", "visits"):
            backend = (await waiting(stage.engine))[0]
            if how == "ended":
                rows(stage.engine, "postgres", "SELECT pg_terminate_backend(%s)", backend)
            else:
                os.kill(backend, signal.SIGKILL)
            await stage.until(lambda: FAILED in stage.told())
        struck = stage.now()
        await stage.each_is_told(struck)
        stopped = {each.analyst for client in stage.clients for each in client.executions if each.sqlstate == FAILED}
        assert len(stopped) == 1 or how == "killed"
        others = [each for each in stage.clients if each.analyst not in stopped]
        await stage.each_is_told(stage.now(), ANSWERED, clients=others)
        await stage.each_is_told(stage.now(), FAILED, clients=[each for each in stage.clients if each not in others])
        await stage.operator_clears(stage.now())
        await stage.back_at_work(stage.now())
    judged(stage, {FAILED} if how == "ended" else {FAILED, AWAY}, {FAILED})
    await nothing_is_left(stage)


async def test_the_engine_is_restarted(stage: Stage) -> None:
    async with stage.traffic():
        async with locked(stage.engine, "engine", "visits"):
            await waiting(stage.engine)
            await asyncio.to_thread(stage.engine.stop)
        down = stage.now()
        await stage.each_is_told(down, AWAY, times=2)
        assert ANSWERED not in stage.between(down, stage.now())
        await asyncio.to_thread(stage.engine.start)
        await stage.operator_clears(stage.now())
        await stage.back_at_work(stage.now())
    judged(stage, {FAILED, AWAY}, {FAILED})
    await nothing_is_left(stage)


@pytest.mark.parametrize("how", ["killed", "stopped"])
async def test_the_ledger_is_restarted(stage: Stage, how: str) -> None:
    """Charges are under way; what was charged before is answered."""
    async with stage.traffic():
        async with locked(stage.ledger, "ledger", "dp_ledger.charges"):
            await waiting(stage.ledger, CHARGING)
            await asyncio.to_thread(stage.ledger.kill if how == "killed" else stage.ledger.stop)
        down = stage.now()
        await stage.each_is_told(down, NO_LEDGER, times=2)
        assert ANSWERED not in stage.between(down, stage.now())
        await asyncio.to_thread(stage.ledger.start)
        await stage.back_at_work(stage.now())
    judged(stage, {NO_LEDGER}, {NO_LEDGER})
    await nothing_is_left(stage)


async def test_the_network_to_the_engine_is_cut(stage: Stage) -> None:
    wire = stage.wires["engine"]
    async with stage.traffic():
        async with locked(stage.engine, "engine", "visits"):
            await waiting(stage.engine)
            wire.closed = True
            wire.cut()
            down = stage.now()
            await stage.each_is_told(down, AWAY, times=2)
            assert ANSWERED not in stage.between(down, stage.now())
        wire.closed = False
        await stage.operator_clears(stage.now())
        await stage.back_at_work(stage.now())
    judged(stage, {FAILED, AWAY}, {FAILED})
    await nothing_is_left(stage)


async def test_the_network_to_the_engine_is_silent(stage: Stage) -> None:
    """Connections stay and nothing comes: what is under way ends by its time limit, what begins is told soon."""
    wire = stage.wires["engine"]
    async with stage.traffic():
        async with locked(stage.engine, "engine", "visits"):
            await waiting(stage.engine)
            wire.silent = True
            down = stage.now()
            await stage.each_is_told(down, AWAY, TIMED_OUT, FAILED)
            assert ANSWERED not in stage.between(down, stage.now())
        wire.cut()
        wire.silent = False
        await stage.operator_clears(stage.now())
        await stage.back_at_work(stage.now())
    judged(stage, {TIMED_OUT, FAILED, AWAY}, {TIMED_OUT, FAILED, AWAY})
    await nothing_is_left(stage)


async def test_the_network_to_the_ledger_is_cut(stage: Stage) -> None:
    """The last replies are lost, some of charges that were made: they are on record, once, and answered by nobody."""
    wire = stage.wires["ledger"]
    async with stage.traffic():
        async with locked(stage.ledger, "ledger", "dp_ledger.charges"):
            await waiting(stage.ledger, CHARGING, "dp_ledger.charge(")
            wire.replies, wire.closed = 0, True
        await stage.until(lambda: wire.replies is not None and wire.replies < 0)
        wire.cut()
        down = stage.now()
        await stage.each_is_told(down, NO_LEDGER, times=2)
        assert ANSWERED not in stage.between(down, stage.now())
        wire.replies, wire.closed = None, False
        await stage.back_at_work(stage.now())
    judged(stage, {NO_LEDGER}, {NO_LEDGER})
    charged = {each["statement"] for each in rows(stage.ledger, "ledger", "SELECT statement FROM dp_ledger.charges")}
    assert any(each.sqlstate == NO_LEDGER and each.text in charged for one in stage.clients for each in one.executions)
    await nothing_is_left(stage)


async def test_the_network_to_the_ledger_is_silent(stage: Stage) -> None:
    wire = stage.wires["ledger"]
    async with stage.traffic():
        wire.silent = True
        down = stage.now()
        await stage.each_is_told(down, NO_LEDGER)
        assert ANSWERED not in stage.between(down, stage.now())
        wire.cut()
        wire.silent = False
        await stage.back_at_work(stage.now())
    judged(stage, {NO_LEDGER}, {NO_LEDGER})
    await nothing_is_left(stage)


async def test_the_disk_under_the_ledger_is_full(stage: Stage) -> None:
    if stage.disk is None:
        pytest.skip("no file system can be mounted on this machine")
    ballast = stage.disk / "ballast"
    async with stage.traffic():
        try:
            # Without a buffer: what did not get in would be tried again by its close.
            with suppress(OSError), ballast.open("wb", buffering=0) as file:
                while True:
                    file.write(bytes(2**16))
            await stage.each_is_told(stage.now(), NO_LEDGER)
        finally:
            ballast.unlink()
        await stage.back_at_work(stage.now())
    judged(stage, {NO_LEDGER}, {NO_LEDGER})
    await nothing_is_left(stage)


async def test_the_clock_is_set_back_across_a_reset(stage: Stage) -> None:
    """Nobody gets the earlier day's budget, nor the later one's twice."""
    days: list[str] = []
    with clock_set_to(stage, "2030-01-01 23:59+00"):
        async with stage.traffic(("day", *ANALYSTS)):
            spenders = [each for each in stage.clients if each.analyst == "day"]
            await stage.each_is_told(0, SPENT, clients=spenders)
            for moment, label in (("01-02 00:01", "01-02"), ("01-01 23:59", "01-02"), ("01-03 12:00", "01-03")):
                with clock_set_to(stage, f"2030-{moment}+00"):
                    days.append(f"2030-{label}")
                    since = stage.now()
                    await stage.each_is_told(since, SPENT, times=AFTERWARDS, clients=spenders)
                    sql = "SELECT period, count(*) FROM dp_ledger.charges WHERE analyst = 'day' GROUP BY period"
                    spent = {each["period"]: each["count"] for each in rows(stage.ledger, "ledger", sql)}
                    assert spent == dict.fromkeys(["2030-01-01", *days], DAILY)
                    others = [each for each in stage.clients if each not in spenders]
                    await stage.each_is_told(since, ANSWERED, times=AFTERWARDS, clients=others)
    judged(stage, {SPENT}, set())
    await nothing_is_left(stage)


async def test_the_front_is_restarted(stage: Stage) -> None:
    """Sessions end with it, and the next ones find it."""
    async with stage.traffic():
        async with locked(stage.engine, "engine", "visits"):
            await waiting(stage.engine)
            await asyncio.to_thread(stage.front.kill)
        await asyncio.to_thread(stage.front.start)
        await stage.back_at_work(stage.now())
    judged(stage, {LOST, AWAY, "57P01", "57P02", "57P03"}, {LOST, AWAY, "57P01", "57P02"})
    await nothing_is_left(stage)


async def test_the_proxy_is_killed(stage: Stage) -> None:
    """The next one on the same front, ledger and port goes on: the dead one's locks, statements and claims are in
    nobody's way for long. Releases are stored now: what was lost is asked again, and told for nothing once it is paid.
    The patience is the usual one: no network is silent here, and a busy machine needs more than two seconds."""
    policy = stage.proxy.config.path
    text = policy.read_text().replace("stored_bytes = 0", "stored_bytes = 1000000")
    policy.write_text(text.replace("&connect_timeout=2", ""))
    assert await asyncio.to_thread(stage.proxy.stop) == 0
    stage.proxy = await asyncio.to_thread(start, load(policy, {}))
    async with stage.traffic():
        async with locked(stage.engine, "engine", "visits"), locked(stage.ledger, "ledger", "dp_ledger.charges"):
            await waiting(stage.ledger, CHARGING)
            await asyncio.to_thread(stage.proxy.kill)
        stage.proxy = await asyncio.to_thread(start, stage.proxy.config)
        await stage.back_at_work(stage.now())
    judged(stage, {LOST}, {LOST})
    await nothing_is_left(stage)
    lost = {each.text: each.analyst for one in stage.clients for each in one.executions if each.sqlstate == LOST}
    await asyncio.gather(*(asked_again(stage, analyst, text) for text, analyst in lost.items()))
    check_accounts(stage, rows(stage.ledger, "ledger", "SELECT * FROM dp_ledger.charges"))


async def asked_again(stage: Stage, analyst: str, text: str) -> None:
    """A statement that was lost is paid anew, once, and then told again; one that was lost between being stored and
    being told is told for what was paid."""
    sql = "SELECT count(*) FROM dp_ledger.charges WHERE statement = %s"
    [before] = rows(stage.ledger, "ledger", sql, text)
    link = await by_asyncpg(stage.proxy.dsn(analyst))
    try:
        async with told():
            assert await link.ask(text) == await link.ask(text)
    finally:
        link.end()
    [after] = rows(stage.ledger, "ledger", sql, text)
    assert 1 <= after["count"] <= 2 and after["count"] - before["count"] in (0, 1)
