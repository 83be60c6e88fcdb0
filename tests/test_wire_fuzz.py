"""Bytes that no good client sends, for a while, and a good client beside them that must not notice.

Each attack is a function of its own seed alone, which a failure names: --seed picks another series.
"""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import psutil
import psycopg
import pytest
from lanes import seed, sized
from proxies import PATIENCE_SECONDS, ServedProxy, front_processes, serving, write_policy

from dpproxy.cli.verifier import verifier
from dpproxy.errors import EngineFailure, InternalFault
from dpproxy.wire import (
    BACKEND_LIMITS,
    Bind,
    CancelRequest,
    Close,
    CopyData,
    CopyDone,
    CopyFail,
    Describe,
    ErrorResponse,
    Execute,
    Flush,
    FrameReader,
    FrontendMessage,
    FunctionCall,
    GSSENCRequest,
    NoticeResponse,
    Parse,
    PasswordMessage,
    Query,
    SSLRequest,
    StartupMessage,
    Sync,
    Terminate,
    decode_backend,
    encode_frontend,
    encode_sasl_initial,
    encode_startup,
)

pytestmark = pytest.mark.long

SECONDS = sized(2.0, 2.0, 600.0)
SEED = seed()
ATTACKERS = 12
QUIET = 0.1  # seconds without a word after which an attacker leaves
LARGEST_MESSAGE = 1 << 17
MOST_GROWTH = 400 << 20  # bytes; what many large messages at once and the allocator's habits come to is far below

PRIVATE = "SELECT count(*) FROM people WHERE age > 40"
GROUPED = "SELECT sex, avg(age), sum(income) FROM people GROUP BY sex HAVING count(*) > 3 ORDER BY 2 LIMIT 5"
JOINED = "SELECT d.building, count(*) FROM visits v JOIN departments d ON d.dept = v.dept GROUP BY d.building"
WITH_PARAMETERS = "SELECT count(*) FROM people WHERE age > $1 AND sex = $2"
PLAIN_TEXTS = (
    *(
        "SELECT 1",
        "",
        ";;",
        "SELECT $1::int + 1",
        "SELECT 1/0",
        "SELECT pg_sleep(0.05)",
        "\x01 \ufffd é",
        "SHOW dp.epsilon",
    ),
    *("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "ROLLBACK TO a", "SET dp.epsilon = 0.001", "SET dp.epsilon = 'x'"),
    *("PREPARE q AS SELECT 1", "EXECUTE q", "DEALLOCATE ALL", "DISCARD ALL", "DECLARE c CURSOR FOR SELECT 1"),
    *("FETCH c", "COPY (SELECT 1) TO STDOUT", "COPY departments FROM STDIN", "SELECT * FROM departments"),
    *("SET client_encoding = 'LATIN1'", "SET client_encoding = 'SJIS'", "SET standard_conforming_strings = off"),
    *("SELECT generate_series(1, 20000)", "SELECT repeat('x', 300000)", "SELECT '" + "x" * 9000),
    *("SELECT " + "(" * 3000 + "1" + ")" * 3000, "SELECT " + "-" * 5000 + "1", "SELECT " + "1+" * 9000 + "1"),
)
PRIVATE_TEXTS = (
    *(PRIVATE, GROUPED, JOINED, WITH_PARAMETERS, f"EXPLAIN {PRIVATE}", f"SELECT 1; {PRIVATE}; SELECT nosuch; SELECT 2"),
    *("SELECT * FROM people", "SELECT name FROM people", "INSERT INTO people VALUES (1)", "COPY people TO STDOUT"),
    *("SELECT * FROM dp.budget", f"{PRIVATE} AND city = '€'", f"{PRIVATE} AND age IN ({'1,' * 3000}1)"),
    f"SELECT * FROM {'(SELECT * FROM ' * 300}people{') t' * 300}",
)
TEXTS = PLAIN_TEXTS + PRIVATE_TEXTS
OIDS = (0, 20, 23, 25, 1043, 1700, 16, 99999)


@dataclass(frozen=True)
class Attack:
    """Pieces to send, one after the other, with `pause` seconds between; `listens` is how long it then reads.

    quits: whether it leaves when it is told nothing for a while;
    resets: whether it leaves by a reset instead of a good-bye; half: whether it says all and closes its side alone.
    """

    name: str
    pieces: tuple[bytes, ...]
    pause: float = 0.0
    listens: float = 0.3
    resets: bool = False
    half: bool = False
    quits: bool = True


def startup(user: str = "mallory", **more: str) -> bytes:
    """A good startup packet."""
    return encode_startup(StartupMessage(3, 0, (("user", user), ("database", "demo"), *more.items())))


def message(chance: random.Random) -> FrontendMessage:
    """One message of a session. Names are few, so that they meet."""
    name, other = chance.choice(("", "", "a", "b", "dpproxy_1")), chance.choice(("", "", "a", "p"))
    count = chance.choice((0, 0, 1, 2, 2, 5))
    values = tuple(chance.choice((None, b"41", b"F", b"\0\0\0\x29", b"\xff\xfe", b"x" * 5000)) for _ in range(count))
    formats = tuple(chance.choice((0, 1, 1, 7)) for _ in range(chance.choice((0, 0, 1, count))))
    makers: tuple[Callable[[], FrontendMessage], ...] = (
        lambda: Query(chance.choice(TEXTS)),
        lambda: Query(chance.choice(TEXTS)),
        lambda: Parse(name, chance.choice(TEXTS), tuple(chance.choices(OIDS, k=count))),
        lambda: Parse(name, chance.choice(TEXTS), ()),
        lambda: Bind(other, name, formats, values, formats),
        lambda: Bind(other, name, (), (b"40", b"F")[: chance.choice((0, 0, 2))], chance.choice(((), (1,)))),
        lambda: Describe(chance.choice("SP"), name),  # type: ignore[arg-type]
        lambda: Execute(other, chance.choice((0, 0, 1, -1, 2**31 - 1))),
        lambda: Close(chance.choice("SP"), name),  # type: ignore[arg-type]
        Sync,
        Sync,
        Flush,
        lambda: CopyData(b"1\t2\n"),
        CopyDone,
        lambda: CopyFail("no"),
        lambda: FunctionCall(b"\0\0\0\x01"),
        lambda: PasswordMessage(b"secret\0"),
        Terminate,
    )
    weights = (4, 4, 5, 5, 4, 5, 4, 6, 2, 5, 5, 2, 1, 1, 1, 1, 0.3, 0.5)
    return chance.choices(makers, weights)[0]()


def session(chance: random.Random, most: int = 25) -> list[bytes]:
    """A good session's messages, the startup packet first, in an order that may make no sense."""
    messages = [encode_frontend(message(chance)) for _ in range(chance.randint(1, most))]
    return [startup(), *messages, encode_frontend(Sync()), encode_frontend(Query("SELECT 1"))]


def garbage(chance: random.Random) -> Attack:
    """Random bytes from the first on."""
    return Attack("garbage", (chance.randbytes(chance.choice((1, 7, 8, 9, 300, 20_000))),), half=chance.random() < 0.5)


def garbage_in_session(chance: random.Random) -> Attack:
    """Random bytes after a good start."""
    return Attack("garbage in session", (startup(), chance.randbytes(chance.choice((1, 5, 300, 20_000)))))


def well_formed(chance: random.Random) -> Attack:
    """Good messages in any order."""
    return Attack("well formed", tuple(session(chance)), listens=1.0)


def cut(chance: random.Random) -> Attack:
    """A session cut anywhere, and a good-bye of any kind."""
    whole = b"".join(session(chance))
    upto = chance.randrange(len(whole))
    return Attack("cut", (whole[:upto],), listens=chance.choice((0, 0.05)), resets=True, half=chance.random() < 0.5)


def flipped(chance: random.Random) -> Attack:
    """A few bits turned anywhere behind the startup packet, lengths among them."""
    first, *rest = session(chance)
    data = bytearray(b"".join(rest))
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return Attack("flipped", (first, bytes(data)))


def shuffled(chance: random.Random) -> Attack:
    """Messages doubled, left out, out of order, the startup packet not always first."""
    messages = session(chance)
    first, rest = messages[:1], messages[1:] * chance.choice((1, 2))
    chance.shuffle(rest)
    del rest[: chance.randrange(len(rest))]
    if chance.random() < 0.2:
        rest.insert(chance.randrange(len(rest) + 1), startup())
    return Attack("shuffled", (*first, *rest))


def wrong_length(chance: random.Random) -> Attack:
    """A message whose length is not its own, inside and outside of what is allowed."""
    kind = chance.choice(b"QPBDECSHXFdcfp!\0")
    length = chance.choice((-(2**31), -1, 0, 3, 4, 5, 60, 65_000, LARGEST_MESSAGE, 2**31 - 1))
    payload = chance.choice((b"", b"\0" * 8, b"SELECT 1\0", chance.randbytes(70_000)))
    bad = struct.pack(">Bi", kind, length) + payload
    return Attack("wrong length", (startup(), *session(chance, 3)[1:], bad, encode_frontend(Query("SELECT 1"))))


def oversized(chance: random.Random) -> Attack:
    """Messages at and above the largest size, whole."""
    size = LARGEST_MESSAGE + chance.choice((-100, -10, 0, 1, 100_000))
    big: FrontendMessage = chance.choice(
        (
            Query("SELECT '" + "x" * (size - 14) + "'"),
            Query("/*" + "y" * (size - 40) + "*/ " + PRIVATE),
            Parse("a", "SELECT " + "1," * (size // 2 - 10) + "1", ()),
            Bind("", "", (), (b"z" * size,), ()),
            CopyData(b"w" * size),
        )
    )
    return Attack("oversized", (startup(), encode_frontend(big), encode_frontend(Sync())), listens=1.0)


def drip(chance: random.Random) -> Attack:
    """One byte at a time."""
    whole = b"".join(session(chance, 4))[: chance.randint(40, 160)]
    return Attack("drip", tuple(whole[index : index + 1] for index in range(len(whole))), pause=0.005)


def tiny(chance: random.Random) -> Attack:
    """Thousands of small messages in one piece, whose answers are not always read."""
    questions = (Query(""), Query("SELECT 1"), Query(";"), Parse("", "SELECT 1", ()), Execute("", 1))
    small: tuple[FrontendMessage, ...] = (Sync(), Flush(), CopyData(b""), *questions)
    one = encode_frontend(chance.choice(small)) + chance.choice((b"", encode_frontend(Sync())))
    return Attack("tiny", (startup(), one * chance.choice((500, 3000))), listens=chance.choice((0, 1.0)))


def never_reads(chance: random.Random) -> Attack:
    """Asks for much and takes nothing."""
    return Attack("never reads", (startup(), encode_frontend(Query("SELECT repeat('x', 300000)")) * 60), 0.2, 0.0)


def half_open(chance: random.Random) -> Attack:
    """Connects, says little or nothing, and stays a while, or closes its own side alone."""
    said = chance.choice((b"", b"\0", startup()[:11], startup(), startup() + b"Q\0\0"))
    return Attack("half open", (said,), listens=chance.choice((0.1, 1.5)), half=chance.random() < 0.5, quits=False)


NAMES = (
    *("user", "database", "options", "replication", "client_encoding", "application_name"),
    *("_pq_.x", "dp.epsilon", "é", "DateStyle"),
)
VALUES = (
    *("mallory", "demo", "alice", "", "true", "database", "UTF8", "SJIS", "-c dp.epsilon=0.5", "-c 'x", "\\", "--"),
    "x" * 3000,
)


def junk_startup(chance: random.Random) -> Attack:
    """Startup packets of all kinds, and what may follow them."""
    pairs = tuple((chance.choice(NAMES), chance.choice(VALUES)) for _ in range(chance.randint(0, 6)))
    known = (("user", "mallory"), ("database", "demo"))[: chance.randint(0, 2)]
    version = chance.choice((3, 3, 3, 2, 4, 0)), chance.choice((0, 0, 2, 99))
    packet = encode_startup(StartupMessage(*version, (*known, *pairs)))
    before = chance.choice((b"", b"", encode_startup(SSLRequest()), encode_startup(GSSENCRequest()) * 40))
    return Attack("junk startup", (before + packet, encode_frontend(Query("SELECT 1"))))


def raw_startup(chance: random.Random) -> Attack:
    """A startup packet whose inside is no list of names and values."""
    insides = (b"", b"user", b"user\0", b"user\0a\0b\0", b"\0\0\0", b"\xff\xfe\0x\0\0", chance.randbytes(90))
    body = b"\0\x03\0\0" + chance.choice(insides)
    length = len(body) + 4 + chance.choice((0, 0, 1, -1, 10_000))
    return Attack("raw startup", (struct.pack(">i", length) + body,), listens=chance.choice((0.1, 0.5)))


def cancel(chance: random.Random) -> Attack:
    """Cancel requests for anybody."""
    pid, key = chance.choice((0, -1, 1, chance.randrange(1, 60_000))), chance.randbytes(chance.choice((4, 32)))
    return Attack("cancel", (encode_startup(CancelRequest(pid, key)) * chance.choice((1, 3)),))


def wrong_password(chance: random.Random) -> Attack:
    """An exchange of SCRAM that goes wrong at any step."""
    begins = (b"n,,n=,r=abc", b"n,,n=*,r=abc", b"y,,", b"p=tls,,n=,r=a", b"\xff", None, chance.randbytes(40))
    initial = encode_sasl_initial(
        chance.choice(("SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "PLAIN")), chance.choice(begins)
    )
    ends = (b"c=biws,r=abc,p=AAAA", b"c=biws", b"", b"\xff\xff", chance.randbytes(60))
    final = PasswordMessage(chance.choice(ends))
    user = startup(chance.choice(("carol", "nobody", "al\u0131ce")))
    return Attack("wrong password", (user, encode_frontend(initial), encode_frontend(final)))


RECIPES: tuple[Callable[[random.Random], Attack], ...] = (
    *(garbage, garbage_in_session, well_formed, well_formed, cut, flipped, flipped, shuffled, wrong_length, oversized),
    *(drip, tiny, never_reads, half_open, junk_startup, raw_startup, cancel, wrong_password),
)


@dataclass
class Findings:
    """What went on: how many attacks of each name, and what must not have happened."""

    attacks: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def look_into(seed: str, attack: Attack, received: bytes, findings: Findings) -> None:
    """What came back must be messages, and no error of dpproxy's own."""
    reader = FrameReader(BACKEND_LIMITS, startup=False)
    reader.feed(received.lstrip(b"N") if received[:1] == b"N" and attack.name == "junk startup" else received)
    while (frame := reader.next_frame()) is not None:
        if frame.kind in (b"E", b"N"):
            told = decode_backend(frame, "latin-1")
            assert isinstance(told, ErrorResponse | NoticeResponse)
            state, text = dict(told.fields)["C"], dict(told.fields)["M"]
            findings.states[state] = findings.states.get(state, 0) + 1
            if (state, text) == (InternalFault.sqlstate, InternalFault().message) or state == EngineFailure.sqlstate:
                findings.faults.append(f"attack {seed} ({attack.name}): {told}")


async def perform(attack: Attack, port: int) -> bytes:
    """Send, read what comes, leave. The end of the connection at any time is a good answer."""
    received = bytearray()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 16)
    with suppress(OSError):
        for piece in attack.pieces:
            writer.write(piece)
            if attack.listens:
                await asyncio.wait_for(writer.drain(), PATIENCE_SECONDS)
            if attack.pause:
                await asyncio.sleep(attack.pause)
        if attack.half:
            writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(attack.listens):
                while data := await asyncio.wait_for(reader.read(1 << 16), QUIET if attack.quits else None):
                    received += data
    if attack.resets:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort() if not attack.listens else writer.close()
    return bytes(received)


async def attacker(worker: int, port: int, until: float, findings: Findings) -> None:
    """Attack after attack, until every kind had its turn, too."""
    number = 0
    while time.monotonic() < until or len(findings.attacks) < len(set(RECIPES)):
        seed = f"{SEED}-{worker}-{number}"
        chance = random.Random(seed)
        attack = chance.choice(RECIPES)(chance)
        try:
            look_into(seed, attack, await perform(attack, port), findings)
        except Exception as fault:
            raise AssertionError(f"attack {seed} ({attack.name})") from fault
        findings.attacks[attack.name] = findings.attacks.get(attack.name, 0) + 1
        number += 1


async def good_client(proxy: ServedProxy, until: float) -> int:
    """One session that asks on and on, and must never notice; how often it asked."""
    connection = await asyncpg.connect(proxy.dsn("alice"), ssl=False, timeout=PATIENCE_SECONDS)
    asked = 0
    while time.monotonic() < until:
        assert await connection.fetchval("SELECT 1", timeout=PATIENCE_SECONDS) == 1
        counted = await connection.fetchval("SELECT count(*) FROM people WHERE age > $1", 0, timeout=PATIENCE_SECONDS)
        assert isinstance(counted, int)
        asked += 1
        if asked % 10 == 0:
            await (await asyncpg.connect(proxy.dsn("alice"), ssl=False, timeout=PATIENCE_SECONDS)).close()
    await connection.close()
    return asked


async def warm(proxy: ServedProxy) -> None:
    """Many private statements at once, so that pools are as large as they become."""

    async def one() -> None:
        connection = await asyncpg.connect(proxy.dsn("alice"), ssl=False, timeout=PATIENCE_SECONDS)
        for _ in range(5):
            await connection.fetchval(PRIVATE)
            await connection.fetch("SELECT * FROM dp.budget")  # these do not wait for their turn, as charges do
        await connection.fetch(JOINED)
        await connection.close()

    await asyncio.gather(*(one() for _ in range(20)))


def sessions(proxy: ServedProxy) -> list[str]:
    """The front's processes that serve somebody's session, other than the ledger's."""
    lines = (" ".join(each.cmdline()) for each in front_processes(proxy.config))
    return [line for line in lines if any(f" {user} demo " in f"{line} " for user in ("alice", "mallory", "carol"))]


async def calm(proxy: ServedProxy, descriptors: int) -> None:
    """Wait until nothing of the attacks is left: descriptors, and sessions of the front."""
    process = psutil.Process(proxy.process.pid)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while process.num_fds() > descriptors or sessions(proxy):
            await asyncio.sleep(0.1)


def test_nobody_notices_nonsense(tmp_path: Path) -> None:
    config = write_policy(
        tmp_path,
        {
            "port = 0": f"port = 0\nmax_message_bytes = {LARGEST_MESSAGE}",
            "[analysts.alice.defaults]\nepsilon = 1.0": "[analysts.alice.defaults]\nepsilon = 0.001",
            "[analysts.bob]": "[analysts.mallory]\ntrust = true\nepsilon = 1e6\ndelta = 0.01\n\n"
            f'[analysts.carol]\npassword = "{verifier("secret")}"\nepsilon = 1.0\ndelta = 1e-6\n\n[analysts.bob]',
        },
    )
    with serving(config) as proxy:
        asyncio.run(under_fire(proxy))
    log = proxy.log.read_text()
    assert "Traceback" not in log, log[:3000] + "\n…\n" + log[-6000:]


async def under_fire(proxy: ServedProxy) -> None:
    """The whole of it."""
    process = psutil.Process(proxy.process.pid)
    await warm(proxy)
    await calm(proxy, 10**6)
    await asyncio.sleep(0.5)
    descriptors, threads, memory = process.num_fds(), process.num_threads(), process.memory_info().rss
    findings, until = Findings(), time.monotonic() + SECONDS
    work = [attacker(number, proxy.port, until, findings) for number in range(ATTACKERS)]
    asked, *_ = await asyncio.gather(good_client(proxy, until), *work)
    print(asked, findings.attacks, findings.states)
    assert proxy.process.poll() is None
    assert asked > 0
    assert findings.faults == []
    await calm(proxy, descriptors)
    assert process.num_threads() <= threads
    assert process.memory_info().rss - memory < MOST_GROWTH


def test_large_texts_are_not_kept(tmp_path: Path) -> None:
    """What a session said is gone with it, however many different things were said."""
    texts, size = 400, 1 << 17
    with (
        serving(write_policy(tmp_path, {})) as proxy,
        psycopg.connect(proxy.dsn("alice"), autocommit=True) as connection,
    ):
        process = psutil.Process(proxy.process.pid)
        connection.execute("SELECT 1 /* " + "x" * size + " */")
        memory = process.memory_info().rss
        for number in range(texts):
            connection.execute(f"SELECT 1 /* {number} " + "x" * size + " */")
        assert process.memory_info().rss - memory < texts * size / 2
