"""Sessions and the wire: passwords, names and cancel keys guessed, TLS stripped, clients that are slow, large or many.

What is mutated: tests/test_wire_fuzz.py and tests/test_server.py. Limits by analyst, the lobby, drains:
tests/test_operation.py. Here is what one client can do to another, and to the proxy's memory.
"""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import struct
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import psycopg
import pytest
import pytest_asyncio
from clusters import with_front
from proxies import PATIENCE_SECONDS, write_policy
from test_front_reached import certify
from test_server import connect

from dpproxy.cli.verifier import verifier
from dpproxy.config import Config
from dpproxy.front import disk_reserve
from dpproxy.plan.private_plan import Plan
from dpproxy.server import front_connections
from dpproxy.server.proxy import Proxy
from dpproxy.session import kept_plans, made_plans
from dpproxy.wire import (
    BackendKeyData,
    BackendMessage,
    Bind,
    CancelRequest,
    Describe,
    ErrorResponse,
    Execute,
    Frame,
    Parse,
    Query,
    StartupMessage,
    Sync,
    decode_backend,
    encode_frontend,
    encode_sasl_initial,
    encode_startup,
    split_frames,
)

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
COUNT = "SELECT count(*) FROM people"
PASSWORD = "correct horse"
SSL_REQUEST = bytes.fromhex("0000000804d2162f")
GSS_REQUEST = bytes.fromhex("0000000804d21630")
MIB = 1 << 20
MOST = 40 * MIB  # what an analyst may hold
# A client that is served well waits so long at most, on a machine that does ten other things too.
FAIR_SECONDS = 10.0


def policy(directory: Path, certificate: Path) -> Config:
    """bob has a password; alice needs none."""
    pair = f'tls_cert = "{certificate}.crt"\ntls_key = "{certificate}.key"\n'
    known = "".join(
        f'[analysts.{name}]\npassword = "{verifier(PASSWORD)}"\nepsilon = 1.0\ndelta = 1e-6\n\n'
        for name in ("carol", "dave")
    )
    changes = {
        "[server]\n": f'[server]\nmax_connections = 40\nstartup_timeout = "3s"\nlimits = {{ memory = {MOST} }}\n{pair}',
        "epsilon = 100.0": "epsilon = 100000.0",
        "[analysts.bob]\ntrust = true": f'{known}[analysts.bob]\npassword = "{verifier(PASSWORD)}"',
    }
    return write_policy(directory, changes)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")
    path = tmp_path_factory.mktemp("certificate") / "server"
    certify(path)
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(tmp_path_factory: pytest.TempPathFactory, certificate: Path) -> AsyncIterator[Proxy]:
    async with Proxy(with_front(policy(tmp_path_factory.mktemp("sessions"), certificate))) as running:
        yield running


def elsewhere(proxy: Proxy, directory: Path) -> Config:
    """The same policy before another engine and another front."""
    other = write_policy(directory / "other", {})
    return proxy.services.config.model_copy(update={"engine": other.engine, "front": other.front}).at(other.path)


def startup(user: str, **more: str) -> bytes:
    return encode_startup(StartupMessage(3, 0, (("user", user), ("database", "demo"), *more.items())))


class Raw:
    """A client that says what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self._buffer = bytearray()

    @classmethod
    async def to(cls, proxy: Proxy, *said: bytes) -> Raw:
        made = cls(*await asyncio.open_connection("127.0.0.1", proxy.port, limit=1 << 16))
        made.writer.writelines(said)
        return made

    async def hear(self) -> BackendMessage:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (split := split_frames(self._buffer, 0)[0]):
                data = await self.reader.read(1 << 16)
                assert data, "the connection was closed"
                self._buffer += data
        kind, begin, end = split[0]
        frame = Frame(bytes([kind]), bytes(self._buffer[begin + 5 : end]))
        del self._buffer[:end]
        return decode_backend(frame)

    async def hear_until(self, kind: type[BackendMessage]) -> BackendMessage:
        while not isinstance(message := await self.hear(), kind):
            assert not isinstance(message, ErrorResponse), message
        return message

    async def end(self) -> bytes:
        """What else is said before the connection ends."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            with suppress(ConnectionResetError):
                return bytes(self._buffer) + await self.reader.read()
            return b""

    def close(self) -> None:
        self.writer.close()


async def login(proxy: Proxy, user: str = "alice") -> tuple[Raw, BackendKeyData]:
    raw = await Raw.to(proxy, startup(user))
    key = await raw.hear_until(BackendKeyData)
    assert isinstance(key, BackendKeyData)
    while (await raw.hear()).__class__.__name__ != "ReadyForQuery":
        pass
    return raw, key


async def served_well(proxy: Proxy, meanwhile: Awaitable[Any]) -> list[float]:
    """How long another analyst's session waits for each of its answers while something goes on."""
    good = await connect(proxy)
    others, waited = asyncio.ensure_future(meanwhile), list[float]()
    try:
        while not others.done() or len(waited) < 3:
            begun = time.perf_counter()
            assert await good.fetchval("SELECT 1") == 1
            waited.append(time.perf_counter() - begun)
            await asyncio.sleep(0.01)
        await others
    finally:
        await good.close()
    return waited


# ── passwords and names ──


async def challenge(proxy: Proxy, user: str) -> tuple[tuple[object, ...], bytes]:
    """What is told to somebody who does not know the password: the form of each message, and the salt."""
    raw = await Raw.to(proxy, startup(user))
    asked = await raw.hear()
    raw.writer.write(encode_frontend(encode_sasl_initial("SCRAM-SHA-256", b"n,,n=,r=abcdefghijklmnop")))
    first: Any = await raw.hear()
    fields = dict(part.split("=", 1) for part in first.data.decode().split(","))
    proof = f"c=biws,r={fields['r']},p={'A' * 43}="
    raw.writer.write(b"p" + struct.pack(">i", len(proof) + 4) + proof.encode())
    refused: Any = await raw.hear()
    assert isinstance(refused, ErrorResponse) and await raw.end() == b""
    raw.close()
    error = tuple((field, text.replace(user, "*")) for field, text in refused.fields)
    salt = b64decode(fields["s"])
    return (repr(asked), len(fields["r"]), fields["i"], len(salt), len(first.data), error), salt


STRANGERS = ("nobody", "carl", "Bob", "bobb", "postgres", "dpproxy", "x" * 60, "ö")


async def test_an_unknown_name_looks_like_a_wrong_password(proxy: Proxy, certificate: Path, tmp_path: Path) -> None:
    """Forms and texts are the same, and a name has the same salt each time, and after a restart, and elsewhere."""
    known = [await challenge(proxy, user) for user in ("bob", "carol", "dave")]
    unknown = {user: await challenge(proxy, user) for user in STRANGERS}
    assert {form for form, _ in known} == {form for form, _ in unknown.values()}
    salts = {salt for _, salt in (*known, *unknown.values())}
    assert len(salts) == len(known) + len(unknown)
    assert (await challenge(proxy, "nobody"))[1] == unknown["nobody"][1]
    async with Proxy(elsewhere(proxy, tmp_path)) as other:
        for user in ("bob", *STRANGERS):
            assert (await challenge(other, user))[1] == (await challenge(proxy, user))[1], user


async def test_guessing_passwords_locks_nobody_out(proxy: Proxy) -> None:
    """Sixty wrong ones at once, of a name that is and of one that is not; whoever knows it gets in meanwhile."""

    async def guess(number: int) -> str | None:
        user = "bob" if number % 2 else "nobody"
        dsn = f"host=127.0.0.1 port={proxy.port} dbname=demo user={user} password=guess{number} sslmode=disable"
        try:
            await psycopg.AsyncConnection.connect(dsn)
        except psycopg.OperationalError as fault:
            return str(fault)
        raise AssertionError("guessed")

    async def guesses() -> None:
        for begin in range(0, 60, 15):
            said = await asyncio.gather(*(guess(number) for number in range(begin, begin + 15)))
            assert all("password authentication failed" in str(each) for each in said)

    guessing = asyncio.ensure_future(guesses())
    dsn = f"host=127.0.0.1 port={proxy.port} dbname=demo user=bob password='{PASSWORD}' sslmode=require"
    async with await psycopg.AsyncConnection.connect(dsn) as bob:
        assert await (await bob.execute("SELECT 1")).fetchone() == (1,)
    assert max(await served_well(proxy, guessing)) < FAIR_SECONDS


async def test_no_password_message_is_taken_out_of_order(proxy: Proxy) -> None:
    """An empty proof, another mechanism, the session's messages before the password's."""
    proofs = (b"", b"c=biws", b"c=biws,r=x,p=", b"\0", b"c=biws,r=" + b"x" * 65000)
    for said in (
        [encode_sasl_initial("SCRAM-SHA-256-PLUS", b"p=tls-unique,,n=,r=x")],
        [encode_sasl_initial("PLAIN", b"\0bob\0x")],
        [encode_sasl_initial("SCRAM-SHA-256", None)],
        [encode_sasl_initial("SCRAM-SHA-256", b"y,,n=,r=")],
        [Query(COUNT)],
        [Parse("", COUNT, ()), Sync()],
    ):
        raw = await Raw.to(proxy, startup("bob"), *map(encode_frontend, said))
        heard = await raw.end()
        assert b"SFATAL" in heard and b"Z\0\0\0\5" not in heard, said
        raw.close()
    first = encode_frontend(encode_sasl_initial("SCRAM-SHA-256", b"n,,n=,r=abcdefghijklmnop"))
    for proof in proofs:
        raw = await Raw.to(proxy, startup("bob"), first, b"p" + struct.pack(">i", len(proof) + 4) + proof)
        heard = await raw.end()
        assert b"SFATAL" in heard and b"Z\0\0\0\5" not in heard, proof
        raw.close()


# ── cancel keys ──


async def test_cancel_keys_are_not_guessed(proxy: Proxy) -> None:
    """Nothing is answered, whether there is such a session or not, and what others run goes on."""
    (victim, key), (mine, own) = await login(proxy), await login(proxy)
    victim.writer.write(encode_frontend(Query("SELECT pg_sleep(600)")))
    flipped = [
        bytes(byte ^ (1 << bit) if i == at else byte for i, byte in enumerate(key.key))
        for at in range(len(key.key))
        for bit in range(8)
    ]
    guesses = [CancelRequest(key.pid, each) for each in (*flipped, own.key, b"\0" * 4, key.key + b"\0", key.key * 8)]
    guesses += [CancelRequest(pid, key.key) for pid in (own.pid, 0, -1, 2**31 - 1)]

    async def try_all() -> None:
        for request in guesses:
            raw = await Raw.to(proxy, encode_startup(request))
            assert await raw.end() == b"", request
            raw.close()

    assert max(await served_well(proxy, try_all())) < FAIR_SECONDS
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await victim.reader.read(1)
    raw = await Raw.to(proxy, encode_startup(CancelRequest(key.pid, key.key)))
    assert await raw.end() == b""
    refused: Any = await victim.hear_until(ErrorResponse)
    assert dict(refused.fields)["C"] == "57014"
    victim.close()
    mine.close()


# ── TLS ──


@pytest.mark.parametrize("asked", [SSL_REQUEST, GSS_REQUEST + SSL_REQUEST])
@pytest.mark.parametrize("pause", [0.0, 0.2])
async def test_what_comes_before_the_handshake_is_never_read_as_the_clients(
    proxy: Proxy, asked: bytes, pause: float
) -> None:
    """As CVE-2021-23214: somebody in between adds words to the request for TLS, to be taken for what came under it."""
    raw = await Raw.to(proxy, asked)
    await asyncio.sleep(pause)
    raw.writer.write(startup("alice") + encode_frontend(Query("SELECT 'injected'")))
    heard = await raw.end()
    assert b"injected" not in heard and b"Z\0\0\0\5" not in heard and b"R\0\0\0" not in heard
    raw.close()
    plain = socket.create_connection(("127.0.0.1", proxy.port))
    plain.setblocking(True)

    def stripped() -> bytes:
        with plain:
            plain.sendall(SSL_REQUEST + startup("alice"))
            plain.settimeout(PATIENCE_SECONDS)
            heard = b""
            with suppress(ConnectionResetError):
                while data := plain.recv(1 << 16):
                    heard += data
            return heard

    assert b"received unencrypted data after SSL request" in await asyncio.to_thread(stripped)


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
async def test_a_proxy_that_wants_tls_is_not_talked_out_of_it(proxy: Proxy, certificate: Path, tmp_path: Path) -> None:
    """Refused before any password, in the same words for everybody; over TLS it is as ever."""
    config = elsewhere(proxy, tmp_path)
    server = config.server.model_copy(update={"require_tls": True})
    async with Proxy(config.model_copy(update={"server": server})) as strict:
        heard = set[bytes]()
        for said in (startup("bob"), startup("nobody"), startup("alice"), GSS_REQUEST + startup("alice")):
            raw = await Raw.to(strict, said)
            heard.add((await raw.end()).removeprefix(b"N"))
            raw.close()
        (refused,) = heard
        assert b"C28000" in refused and b"connections without TLS are not accepted" in refused
        dsn = f"host=127.0.0.1 port={strict.port} dbname=demo user=alice"
        async with await psycopg.AsyncConnection.connect(f"{dsn} sslmode=require") as opened:
            assert await (await opened.execute("SELECT 1")).fetchone() == (1,)
        with pytest.raises(psycopg.OperationalError, match="without TLS"):
            await psycopg.AsyncConnection.connect(f"{dsn} sslmode=disable")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
        raw = await Raw.to(strict, SSL_REQUEST)
        assert await raw.reader.readexactly(1) == b"S"
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await raw.writer.start_tls(context)
        raw.close()


# ── slow, half-open, oversized ──


def _dripped() -> list[bytes]:
    """Beginnings that never come to an end."""
    return [
        b"",
        b"\0",
        SSL_REQUEST[:5],
        startup("alice")[:-1],
        struct.pack(">i", 10_000) + b"\0\3\0\0user\0",
        startup("bob"),
        startup("bob") + b"p\0\0\0",
        startup("bob") + b"p" + struct.pack(">i", 60_000) + b"SCRAM-SHA-256\0",
        SSL_REQUEST * 1,
    ]


async def test_who_drips_is_sent_away(proxy: Proxy) -> None:
    """A byte now and then keeps no connection alive: it is the whole greeting that has a time."""
    raws = [await Raw.to(proxy, each) for each in _dripped() * 2]

    async def drip(raw: Raw) -> float:
        begun = time.perf_counter()
        with suppress(OSError):
            while time.perf_counter() - begun < PATIENCE_SECONDS and not raw.reader.at_eof():
                with suppress(TimeoutError):
                    await asyncio.wait_for(raw.reader.read(1), 0.3)
                if raw.writer.is_closing():
                    break
        raw.close()
        return time.perf_counter() - begun

    dripped: list[float] = []

    async def everybody() -> None:
        dripped.extend(await asyncio.gather(*map(drip, raws)))

    assert max(await served_well(proxy, everybody())) < FAIR_SECONDS
    assert max(dripped) < 3 + FAIR_SECONDS


@pytest.mark.parametrize("patience", [30.0, 0.1])
async def test_a_slow_front_is_not_the_clients_fault(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    """The time to log in was spent on the front's opening, too, and who had done all was cut off without a word."""
    sign_in = front_connections._signed_in

    async def slowly(*asked: Any) -> bytes:
        await asyncio.sleep(3.2)
        return await sign_in(*asked)

    monkeypatch.setattr(front_connections, "_signed_in", slowly)
    monkeypatch.setattr(front_connections, "_SESSION_PATIENCE", patience)
    raw = await Raw.to(proxy, startup("alice"))
    if patience > 3:
        assert await raw.hear_until(BackendKeyData)
    else:
        assert b"the front takes too long" in await raw.end()
    raw.close()


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        (b"B", 2**31 - 1),
        (b"Q", -1),
        (b"P", 65 * MIB),
        (b"S", 10 * MIB),
        (b"d", 65 * MIB),
        (b"c", MIB),
        (b"z", 8),
        (b"p", 70_000),
    ],
)
async def test_a_length_is_judged_before_anything_is_kept(proxy: Proxy, kind: bytes, size: int) -> None:
    raw, _ = await login(proxy)
    raw.writer.write(kind + struct.pack(">i", size) + b"x" * 1000)
    assert b"C08P01" in await raw.end()
    raw.close()


async def test_half_messages_hold_what_was_sent_and_no_more(proxy: Proxy) -> None:
    """Twenty sessions announce 15 MiB each, and send one: that is what is held, until it is more than one may hold."""
    resident, most = psutil.Process(), proxy._rules.memory_limits
    before = resident.memory_info().rss
    raws = [(await login(proxy))[0] for _ in range(20)]
    for raw in raws:
        raw.writer.write(b"B" + struct.pack(">i", 15 * MIB) + b"\0" * MIB)
    assert max(await served_well(proxy, until(lambda: most.total > 18 * MIB))) < FAIR_SECONDS
    assert resident.memory_info().rss - before < 200 * MIB
    for raw in raws:
        raw.writer.write(b"\0" * 4 * MIB)
    told = await asyncio.gather(*(told_or_held(raw) for raw in raws))
    assert told.count(True) >= 20 - MOST // (5 * MIB) - 4, "whoever asks for more than there may be is told, and ends"
    assert most.total <= MOST + 20 * MIB
    for raw in raws:
        raw.close()
    await until(lambda: most.total < MIB)


async def told_or_held(raw: Raw) -> bool:
    """Whether a session ended for what it holds; else it goes on waiting for the rest of its message."""
    with suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(FAIR_SECONDS / 2):
            return b"C53200" in await raw.reader.read(1 << 16)
    return False


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not holds():
            await asyncio.sleep(0.02)


# ── many ──


async def test_a_pipeline_of_thousands_that_nobody_reads(proxy: Proxy) -> None:
    """Twenty thousand statements, among them private ones, without a look at the answers; then all are there."""
    resident, (raw, _) = psutil.Process(), await login(proxy)
    plain = b"".join(
        map(
            encode_frontend,
            (
                Parse("", "SELECT repeat('x', 2000)", ()),
                Bind("", "", (), (), ()),
                Describe("P", ""),
                Execute("", 0),
                Sync(),
            ),
        )
    )
    private = b"".join(map(encode_frontend, (Parse("", COUNT, ()), Bind("", "", (), (), ()), Execute("", 0), Sync())))
    said = (plain * 199 + private) * 20
    before = resident.memory_info().rss

    async def flood() -> None:
        for begin in range(0, len(said), MIB):
            raw.writer.write(said[begin : begin + MIB])
            with suppress(TimeoutError):
                await asyncio.wait_for(raw.writer.drain(), 0.5)

    assert max(await served_well(proxy, flood())) < FAIR_SECONDS
    assert resident.memory_info().rss - before < 100 * MIB
    heard = 0
    while heard < 4000:
        heard += (await raw.hear()).__class__.__name__ == "ReadyForQuery"
    raw.close()


async def test_thousands_of_prepared_statements_and_portals(proxy: Proxy) -> None:
    """Names are counted against what an analyst may hold, and are gone with the session."""
    resident, (raw, _) = psutil.Process(), await login(proxy)
    before = resident.memory_info().rss
    raw.writer.write(encode_frontend(Query("BEGIN")))

    async def fill() -> None:
        for begin in range(0, 4000, 500):
            for number in range(begin, begin + 500):
                sql = COUNT if number % 2 else "SELECT 1"
                raw.writer.write(encode_frontend(Parse(f"s{number}", sql, ())))
                if number % 50 == 1:
                    raw.writer.write(encode_frontend(Bind(f"p{number}", f"s{number}", (), (), ())))
            raw.writer.write(encode_frontend(Sync()))
            await raw.writer.drain()
            while (await raw.hear()).__class__.__name__ != "ReadyForQuery":
                pass

    assert max(await served_well(proxy, fill())) < FAIR_SECONDS
    assert resident.memory_info().rss - before < 100 * MIB
    raw.close()
    await until(lambda: proxy._rules.memory_limits.total < MIB)


# ── one analyst's planning, and the others ──

PLAN_SECONDS = 0.5


@pytest.fixture
def slow_plans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Plans take long, as those of statements with hundreds of aggregates do. The texts, in the order of planning."""
    planned, make = list[str](), made_plans.plan_statement

    def slow(question: Any, *rest: Any) -> Plan:
        planned.append(question.sql)
        time.sleep(PLAN_SECONDS)
        return make(question, *rest)

    monkeypatch.setattr(made_plans, "plan_statement", slow)
    return planned


async def test_planning_keeps_nobody_waiting(proxy: Proxy, slow_plans: list[str]) -> None:
    """It did: EXPLAIN is free, and eight sessions that explained long statements stopped those of all others."""
    greedy = [await connect(proxy) for _ in range(8)]
    asked = [asyncio.ensure_future(each.fetch(f"EXPLAIN {COUNT} WHERE age > {i}")) for i, each in enumerate(greedy)]
    waited = await served_well(proxy, asyncio.gather(*asked))
    assert len(waited) > 8, "somebody else was served all the time"
    assert sorted(waited)[len(waited) // 2] < PLAN_SECONDS
    for each in greedy:
        await each.close()


async def test_whose_plan_is_next(proxy: Proxy, slow_plans: list[str]) -> None:
    """Who asks for eight plans has every other one once somebody else asks for one."""
    greedy = [await connect(proxy) for _ in range(8)]
    asked = [asyncio.ensure_future(each.fetch(f"EXPLAIN {COUNT} WHERE age > 10{i}")) for i, each in enumerate(greedy)]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not slow_plans:
            await asyncio.sleep(0.01)
    dsn = f"host=127.0.0.1 port={proxy.port} dbname=demo user=bob password='{PASSWORD}' sslmode=require"
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as bob:
        await bob.execute(f"EXPLAIN {COUNT} WHERE age > 99")
    place = next(i for i, sql in enumerate(slow_plans) if "> 99" in sql)
    assert place < 8, slow_plans
    await asyncio.gather(*asked)
    for each in greedy:
        await each.close()


async def test_a_plan_is_cancelled_uncharged(proxy: Proxy, slow_plans: list[str]) -> None:
    """Whether it waits for its turn or is being made; and one whose client has left is no burden for long."""
    first, second = await connect(proxy), await connect(proxy)
    before = await first.fetchval("SELECT spent_epsilon FROM dp.budget")
    asked = [
        asyncio.ensure_future(each.fetchval(f"{COUNT} WHERE age > 20{i}")) for i, each in enumerate((first, second))
    ]
    await asyncio.sleep(0.1)
    for each in asked:
        each.cancel()
    for each in asked:
        with pytest.raises((asyncio.CancelledError, psycopg.errors.QueryCanceled)):
            await each
    assert await first.fetchval("SELECT spent_epsilon FROM dp.budget") == before
    gone = [(await login(proxy))[0] for _ in range(8)]
    for i, raw in enumerate(gone):
        raw.writer.write(encode_frontend(Query(f"{COUNT} WHERE age > 30{i}")))
    await asyncio.sleep(0.1)
    for raw in gone:
        raw.close()
    await asyncio.sleep(0.1)
    assert await first.fetchval(f"{COUNT} WHERE age > 1000") is not None
    assert len([sql for sql in slow_plans if "> 30" in sql]) < 4, "those that waited were never made"
    await first.close()
    await second.close()


async def test_plans_that_are_kept_are_bounded_by_their_length(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five hundred plans were kept of each analyst, however long: half a gigabyte, by statements that cost nothing."""
    monkeypatch.setattr(kept_plans, "MOST_CHARACTERS", 2000)
    opened = await connect(proxy)
    for number in range(20):
        await opened.fetch(f"EXPLAIN {COUNT} WHERE age > {number} AND city <> '{'x' * 300}'")
    kept = proxy.services.contexts["alice"].plans
    assert 1 <= len(kept.plans) < 20
    assert sum(len(each.post.sql) for each in kept.plans.values()) <= 2000 or len(kept.plans) == 1
    assert kept.reads.keys() == {asked for asked, _ in kept.plans}
    await opened.close()


async def test_long_texts_keep_nobody_waiting(proxy: Proxy) -> None:
    """The longest that are read: lists, chains of statements, wide rows. Each takes seconds on a slow machine."""
    texts = (
        "SELECT 1;" * 12_000,
        f"SELECT {', '.join(['a'] * 40_000)}",
        f"VALUES {', '.join(['(1)'] * 25_000)}",
        f"{COUNT} WHERE age IN ({', '.join(map(str, range(20_000)))})",
    )

    async def ask(number: int) -> None:
        raw, _ = await login(proxy)
        for text in texts[number::2]:
            raw.writer.write(encode_frontend(Parse("", text, ())) + encode_frontend(Sync()))
            while (await raw.hear()).__class__.__name__ != "ReadyForQuery":
                pass
        raw.close()

    waited = await served_well(proxy, asyncio.gather(ask(0), ask(1)))
    assert sorted(waited)[len(waited) // 2] < FAIR_SECONDS / 10, sorted(waited)[-10:]


# ── the front's disk ──


async def test_an_analysts_tables_leave_room_on_the_disk(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, temporary files and a transaction that sits on both: whoever writes is ended, and others are charged."""
    place = proxy.services.config.front.url.directory / "data" / "base"  # type: ignore[union-attr]
    before = _size(place)
    monkeypatch.setattr(disk_reserve, "free", lambda _: disk_reserve.RESERVE + 32 * MIB - (_size(place) - before))
    rows = "SELECT repeat(md5(g::text), 100) AS t FROM generate_series(1, 100000000) AS g"
    for sql in (f"CREATE TABLE alice.large AS {rows}", f"SELECT count(*) FROM ({rows} ORDER BY 1) AS x"):
        alice, begun = await connect(proxy), time.perf_counter()
        with pytest.raises((asyncpg.AdminShutdownError, asyncpg.ConnectionDoesNotExistError)):
            await alice.execute(sql, timeout=PATIENCE_SECONDS)
        assert time.perf_counter() - begun < PATIENCE_SECONDS
        await until(lambda: _size(place) - before < 32 * MIB)
    good = await connect(proxy)
    assert await good.fetchval("SELECT count(*) FROM people WHERE age > 51") is not None
    assert await good.fetchval("SELECT to_regclass('alice.large')") is None
    await good.close()


def _size(directory: Path) -> int:
    """Bytes of all files below, some of which may go meanwhile."""
    total = 0
    for path in directory.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total
