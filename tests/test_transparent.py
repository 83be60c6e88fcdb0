"""The relay against Postgres itself: one conversation, held with the proxy and directly with its front, looks the same.

Through the proxy `people` is private; directly it is a table of alice's own. Compared is everything that a client's
state depends on: kinds of messages, tags, SQLSTATEs and positions of errors, descriptions, transaction status.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from proxies import ServedProxy, serving, start, write_policy
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.config import Config
from dpproxy.config.field_types import Embedded, Postgres
from dpproxy.front.embedded_front import running
from dpproxy.front.front_address import FrontAddress
from dpproxy.front.given_front import given_front
from dpproxy.front.roles import role_password
from dpproxy.wire import (
    BACKEND_LIMITS,
    Bind,
    Close,
    CommandComplete,
    CopyData,
    CopyOutResponse,
    DataRow,
    Describe,
    ErrorResponse,
    Execute,
    Flush,
    FrameReader,
    NoticeResponse,
    ParameterStatus,
    Parse,
    Query,
    ReadyForQuery,
    RowDescription,
    Sync,
    decode_backend,
    encode_frontend,
)

pytestmark = pytest.mark.larger

PRIVATE = "SELECT count(*) FROM people"
TEXTS = (
    "",
    "SELECT 1",
    PRIVATE,
    f"{PRIVATE} HAVING sqrt(-1 - 0 * count(*)) > 1",
    "SELECT count(*) AS c, count(*) + 1 FROM people WHERE age > 30",
    "SELECT count(*) FROM people WHERE nosuch",
    "SELECT nosuch",
    "SELEC 1",
    "SELECT 1 / 0",
    "SELECT g FROM generate_series(1, 3) g",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT a",
    "ROLLBACK TO a",
    "SET application_name = 'x'",
    "DECLARE c CURSOR WITH HOLD FOR SELECT g FROM generate_series(1, 3) g",
    "CLOSE c",
    "PREPARE p AS SELECT 5",
    "EXECUTE p",
    "DEALLOCATE ALL",
    "DISCARD PLANS",
    "COPY (SELECT 1) TO STDOUT",
)
_NAMES = st.sampled_from(["", "", "a", "b"])
_TEXTS = st.sampled_from([*TEXTS, PRIVATE, PRIVATE])
# Never prepared: Postgres itself crashes when a prepared FETCH is described after its cursor was closed.
_FETCH = st.just("FETCH 2 FROM c")
MESSAGES = st.one_of(
    st.builds(Parse, _NAMES, _TEXTS, st.just(())),
    st.builds(
        lambda portal, name, formats: Bind(portal, name, (), (), formats),
        _NAMES,
        _NAMES,
        st.sampled_from([(), (1,), (0, 1)]),
    ),
    st.builds(Describe, st.sampled_from("SP"), _NAMES),
    st.builds(Execute, _NAMES, st.sampled_from([0, 0, 1])),
    st.builds(Close, st.sampled_from("SP"), _NAMES),
    st.just(Sync()),
    st.just(Flush()),
    # No client sends a Query into an open pipeline (there the relay's own Execute counts as one of the pipeline's), or
    # uses the unnamed portal that a Query leaves behind when it fails.
    st.builds(lambda texts: [Sync(), Query("; ".join(texts)), Close("P", "")], st.lists(_TEXTS | _FETCH, max_size=3)),
    # What clients do, so that conversations get somewhere.
    _TEXTS.map(lambda sql: [Parse("", sql, ()), Bind("", "", (), (), ()), Describe("P", ""), Execute("", 0), Sync()]),
    _TEXTS.map(lambda sql: [Parse("", sql, ()), Describe("S", ""), Bind("", "", (), (), ()), Execute("", 0)]),
)
RESET = [Query("DISCARD ALL")]
# A Parse that fails has dropped the unnamed statement.
DROPPED = [
    *(Parse("", PRIVATE, ()), Sync(), Query("BEGIN; SELECT 1 / 0"), Parse("", "SELECT 1", ()), Sync()),
    *(Bind("", "", (), (), ()), Sync(), Query("ROLLBACK"), Bind("", "", (), (), ()), Sync()),
]
# A Parse that is skipped has not.
SKIPPED = [
    *(Parse("", PRIVATE, ()), Bind("", "", (), (), ()), Describe("P", ""), Execute("", 0), Sync()),
    *(Describe("P", ""), Parse("", "", ()), Sync(), Bind("", "", (), (), ()), Sync()),
]


@dataclass
class Talk:
    """A session on either side, on the bare socket of a connection that psycopg opened."""

    connection: psycopg.Connection

    def __post_init__(self) -> None:
        self._socket = socket.socket(fileno=self.connection.fileno())
        self._socket.setblocking(True)
        self._reader = FrameReader(BACKEND_LIMITS, startup=False)

    def close(self) -> None:
        self._socket.detach()
        self.connection.close()

    def say(self, messages: list[object]) -> list[object]:
        """The answer to messages, a Sync and a ROLLBACK; the end is told by a mark that nothing else sends."""
        end = [Sync(), Query("ROLLBACK"), Query("SELECT 'mark' AS mark")]
        self._socket.sendall(b"".join(map(encode_frontend, [*messages, *end])))
        seen: list[object] = []
        while not _is_marked(seen):
            frame = self._reader.next_frame()
            if frame is None:
                data = self._socket.recv(1 << 16)
                assert data, seen
                self._reader.feed(data)
            else:
                seen.append(decode_backend(frame))
        return seen[:-4]


def _is_marked(seen: list[object]) -> bool:
    return len(seen) > 3 and isinstance(seen[-1], ReadyForQuery) and seen[-3] == DataRow((b"mark",))


@pytest.fixture(scope="module", params=["embedded", pytest.param("given", marks=pytest.mark.long)])
def proxy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    """Before a front of its own, and before one of the oldest version, whose owner is no superuser."""
    directory = tmp_path_factory.mktemp("transparent")
    changes = {"epsilon = 100.0": "epsilon = 1000000.0", "epsilon = 1.0\n\n": "epsilon = 0.001\n\n"}
    with ExitStack() as held:
        if request.param == "given":
            if not MAJORS:
                pytest.skip("no Postgres on this machine")
            server = held.enter_context(scratch_postgres(next(iter(MAJORS.values()))))
            with psycopg.connect(server.conninfo, autocommit=True) as owner:
                owner.execute("SET password_encryption = 'scram-sha-256'")
                owner.execute("CREATE ROLE landlord LOGIN CREATEROLE PASSWORD 'x'")
                owner.execute("CREATE DATABASE demo OWNER landlord")
            changes[f"embedded:{directory}/front"] = f"postgresql://landlord:x@/demo?host={server.directory}"
        yield held.enter_context(served(write_policy(directory, changes)))


@contextmanager
def served(config: Config) -> Iterator[ServedProxy]:
    """What a given front leaves behind is its server's."""
    if isinstance(config.front.url, Embedded):
        with serving(config) as started:
            yield started
        return
    started = start(config)
    try:
        yield started
        assert started.stop() == 0, started.log.read_text()[-4000:]
    finally:
        started.kill()


async def _role(proxy: ServedProxy) -> tuple[FrontAddress, str]:
    config = proxy.config
    if isinstance(config.front.url, Postgres):
        address = (await given_front(config.front.url.url)).address
        return address, await role_password(address.conninfo(), "alice")
    async with running(config.front.url.directory, config.server.database) as address:
        return address, await role_password(address.conninfo(), "alice")


@pytest.fixture(scope="module")
def talks(proxy: ServedProxy) -> Iterator[tuple[Talk, Talk]]:
    """Through the proxy, and directly."""
    address, password = asyncio.run(_role(proxy))
    directly = {"host": address.host, "port": address.port, "dbname": "demo", "user": "alice", "password": password}
    options = "-c search_path=alice"
    with psycopg.connect(**directly, autocommit=True) as owner:
        owner.execute("CREATE TABLE alice.people AS SELECT 1 AS age")
    through = Talk(psycopg.connect(proxy.dsn("alice")))
    direct = Talk(psycopg.connect(**directly, options=options))
    yield through, direct
    through.close()
    direct.close()


def essence(message: object) -> object:
    """What a client's state depends on."""
    match message:
        case ErrorResponse(fields):
            given = dict(fields)
            # A statement that was swapped keeps no place for errors at run time.
            return ("error", given["C"], given.get("P") if given["C"] != "22012" else None)
        case NoticeResponse(fields):
            given = dict(fields)
            return None if given["M"].startswith("dpproxy") else ("notice", given["C"])
        case DataRow(values):
            return ("row", len(values))
        case CopyData():
            return "copy data"
        case ParameterStatus(name, value):
            return (name, value)
        case CommandComplete() | RowDescription() | ReadyForQuery() | CopyOutResponse():
            return message
        case _:
            return type(message).__name__


@pytest.mark.long
@settings(max_examples=250, deadline=None)
@given(conversation=st.lists(MESSAGES, max_size=10))
@example(DROPPED)
@example(SKIPPED)
@example([Parse("", PRIVATE, ()), Sync(), Parse("", "SELECT nosuch", ()), Sync(), Bind("", "", (), (), ()), Sync()])
def test_a_conversation_looks_the_same(talks: tuple[Talk, Talk], conversation: list[object]) -> None:
    messages = [each for part in conversation for each in (part if isinstance(part, list) else [part])]
    through, direct = talks
    expected = [essence(each) for each in direct.say(messages)]
    seen = [essence(each) for each in through.say(messages)]
    for talk in talks:
        talk.say(RESET)
    assert [each for each in seen if each] == [each for each in expected if each]


@pytest.mark.long
def test_several_statements_of_one_query_are_a_block(talks: tuple[Talk, Talk]) -> None:
    """DECLARE without HOLD is an error outside of one. A front before 18 has none but after BEGIN."""
    query = Query(f"DECLARE c CURSOR FOR SELECT 1; {PRIVATE}; FETCH c")
    seen, expected = ([essence(each) for each in talk.say([query])] for talk in talks)
    if talks[1].connection.info.server_version < 180000:
        first = [each for each in seen if each][:2]  # `say` then puts the session back
        assert first == [("error", "25P01", None), ReadyForQuery("I")]
        return
    assert [each for each in seen if each] == [each for each in expected if each]
    assert CommandComplete("FETCH 1") in seen
