"""What the front said of a session is told again as long as it would say so: against a model of the front, and one."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
import pytest
from front_model import STUBS, ModelFront
from proxies import ServedProxy, serving, write_policy
from test_relay import PRIVATE, FakeBackend, Wire

from dpproxy.wire import Bind, Close, Describe, Execute, Parse, Query, Sync, encode_frontend

ASKED = ["Bind", "Execute", "Close", "Flush"]
REST = ["Bind", "Execute", "Sync"]
PUBLIC = 'public, "$user"'


@dataclass
class Front(ModelFront):
    """A front whose settings are told."""

    told: dict[str, str] = field(default_factory=lambda: {"search_path": PUBLIC})

    def _fact(self, part: str) -> str | None:
        name = part.split("E'")[1].split("'")[0] if "E'" in part else ""
        return self.told.get(name) if "current_setting" in part and name in self.told else super()._fact(part)


async def bound(front: Front | None = None, sql: str = PRIVATE) -> Wire:
    """A session in which the statement ran twice: its types are known, and so is what was looked up, if it is kept."""
    wire = Wire(FakeBackend(), front or Front())
    await wire.send(Parse("s", sql, ()), Describe("S", "s"), Sync())
    for _ in range(2):
        await wire.send(*again(wire))
    return wire


def again(wire: Wire, statement: str = "s") -> tuple[object, ...]:
    return (
        Bind("", statement, (), (b"1",) * wire.front.statements[statement].sql.count("$"), ()),
        Execute("", 0),
        Sync(),
    )


async def asked(wire: Wire, *messages: object) -> list[str]:
    """What the front hears of the messages."""
    before = len(wire.front.asked)
    await wire.send(*messages)
    return [type(each).__name__ for each in wire.front.asked[before:]]


async def test_what_was_said_is_not_asked_again() -> None:
    wire = await bound()
    charged = len(wire.backend.charged)
    assert await asked(wire, *again(wire)) == REST
    assert len(wire.backend.charged) == charged + 1
    question, first = wire.backend.planned[-1], wire.backend.planned[0]
    assert question == first


@pytest.mark.parametrize(
    "messages",
    [
        [Query("SET dp.epsilon = 2")],
        [Query("SELECT 1")],
        [Query("BEGIN"), Query("COMMIT")],
        [Query("CREATE TEMP TABLE people AS SELECT 1 AS x")],
        [Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), Execute("", 0), Sync()],
        [Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), Sync()],
    ],
)
async def test_after_anything_that_may_change_it_it_is_asked_again(messages: list[object]) -> None:
    wire = await bound()
    for _ in range(2):  # learned to pass, and passed at once
        await wire.send(*messages)
        assert await asked(wire, *again(wire)) == ASKED + REST
        assert await asked(wire, *again(wire)) == REST


async def test_a_message_that_passes_unparsed_counts_too() -> None:
    """Parsed once, executed as bytes that the relay has seen before."""
    wire = await bound()
    await wire.send(Parse("one", "SELECT 1", ()), Sync())
    for _ in range(3):
        await wire.send(Bind("", "one", (), (), ()), Execute("", 0), Sync())
        assert await asked(wire, *again(wire)) == ASKED + REST


@pytest.mark.parametrize(
    "run",
    [(Query("SELECT 1"),), (Parse("", "SELECT 1", ()), Bind("", "", (), (), ()), Execute("", 0), Sync())],
    ids=["simple", "extended"],
)
async def test_a_run_that_is_known_whole_counts_too(run: tuple[object, ...]) -> None:
    """Bytes that are kept as one entry, and go to the front at one look: a private statement forgets them today."""
    wire, raw = Wire(), b"".join(map(encode_frontend, run))
    await wire.send(*run)
    for _ in range(6):
        before = wire.relay._pipeline.executed
        assert wire.relay.pass_on(raw) == len(raw)
        assert wire.relay._pipeline.executed > before
        await wire.send()
    assert wire.relay._state.passing.known(raw, wire.backend.names) is not None


@pytest.mark.parametrize(
    "messages",
    [
        [Parse("t", "SELECT count(*) FROM people", ()), Describe("S", "t"), Sync()],
        [Parse("t", "SELECT 1", ()), Close("S", "t"), Sync()],
        [Query(PRIVATE)],
        [Sync()],
    ],
)
async def test_what_executes_nothing_of_the_clients_changes_nothing(messages: list[object]) -> None:
    wire = await bound()
    await wire.send(*messages)
    assert await asked(wire, *again(wire)) == REST


async def test_in_a_transaction_it_is_asked_each_time() -> None:
    """Settings may be those of the transaction, and end with it."""
    wire = await bound()
    await wire.send(Query("BEGIN"))
    for _ in range(2):
        assert await asked(wire, *again(wire)) == ASKED + REST
    await wire.send(Query("COMMIT"))
    assert await asked(wire, *again(wire)) == ASKED + REST
    assert await asked(wire, *again(wire)) == REST


async def test_within_a_pipeline_it_is_asked_each_time() -> None:
    wire = await bound()
    first, rest = await asked(wire, *again(wire)[:2], *again(wire)), [*ASKED, *REST]
    assert first == ["Bind", "Execute", *rest]  # the first came at rest
    assert await asked(wire, *again(wire)) == REST


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM people WHERE age > $1",
        "SELECT count(*) FROM people WHERE born < current_date",
        "SELECT count(*), set_config('search_path', 'alice', false) FROM people",
        "SELECT count(*), pg_catalog.\"set_config\"('search_path', 'alice', true) FROM people",
        "SELECT count(*) FROM people, nowhere",
        "EXPLAIN SELECT count(*) FROM people",
    ],
)
async def test_what_is_never_kept(sql: str) -> None:
    wire = await bound()
    await wire.send(Parse("other", sql, ()), Describe("S", "other"), Sync())
    for _ in range(3):
        assert "Flush" in await asked(wire, *again(wire, "other"))


@pytest.mark.parametrize(
    ("sql", "changes"),
    [
        ("SELECT count(*) FROM people WHERE age > $1", False),
        ("SELECT count(*), set_config('search_path', 'alice', false) FROM people", True),
        ("EXPLAIN SELECT count(*) FROM people", True),
        ("CREATE TEMP TABLE people AS SELECT count(*) FROM people", True),
    ],
)
async def test_private_statements_that_may_change_it(sql: str, changes: bool) -> None:
    """Values are looked up each time, and change nothing."""
    wire = await bound()
    await wire.send(Parse("other", sql, ()), Describe("S", "other"), Sync())
    await wire.send(*again(wire, "other"))
    assert await asked(wire, *again(wire)) == (ASKED + REST if changes else REST)


@pytest.mark.parametrize(
    "told",
    [
        {"search_path": '"$user", public'},
        {"search_path": "public, pg_catalog"},
        {"search_path": 'public, "pg_catalog"'},
        {"search_path": ""},
        {"search_path": "Public"},
        {"search_path": PUBLIC, "idle_session_timeout": "5s"},
        {"search_path": PUBLIC, "statement_timeout": "5s"},
    ],
)
async def test_sessions_of_which_nothing_is_kept(told: dict[str, str]) -> None:
    wire = await bound(Front(told=told))
    assert (await asked(wire, *again(wire)))[:4] == ASKED


async def test_tables_that_were_made_anew_are_looked_up() -> None:
    wire = await bound()
    wire.backend.oids = {oid: name for name, oid in STUBS.items()}
    assert await asked(wire, *again(wire)) == ASKED + REST
    assert await asked(wire, *again(wire)) == REST


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProxy]:
    changes = {"epsilon = 100.0\ndelta = 1e-5": "epsilon = 1e6\ndelta = 1e-5"}
    with serving(write_policy(tmp_path_factory.mktemp("kept"), changes)) as served:
        yield served


class Session:
    """One of alice's, and what she was told beside the last answer. Statements are prepared once."""

    def __init__(self, proxy: ServedProxy) -> None:
        self.connection = psycopg.connect(proxy.dsn("alice"), autocommit=True)
        self.notices: list[str] = []
        self.connection.add_notice_handler(lambda told: self.notices.append(told.message_primary or ""))

    def paid(self, comment: str = "") -> bool:
        """Whether it was charged for. What was parsed by another meaning of its names keeps that: a comment makes a
        statement of its own."""
        self.notices.clear()
        self.connection.execute(f"SELECT count(*) FROM people {comment}", prepare=True).fetchall()
        return any("charged epsilon" in each and "stored" not in each for each in self.notices)

    def run(self, sql: str) -> None:
        self.connection.execute(sql, prepare=False)


def test_what_a_session_makes_of_names_and_settings_is_seen_at_once(proxy: ServedProxy) -> None:
    """Whatever was kept: names that mean something else, settings of a transaction, and by functions."""
    alice = Session(proxy)
    alice.run("SET dp.fresh = on")
    assert [alice.paid() for _ in range(3)] == [True] * 3
    alice.run("CREATE TABLE alice.people (person_id int)")
    try:
        assert alice.paid() and alice.paid()
        alice.run('SET search_path = "$user", public')
        assert not alice.paid("/* alice's */")
    finally:
        alice.run("DROP TABLE alice.people; RESET search_path")
    assert alice.paid() and alice.paid()
    with alice.connection.transaction():
        alice.run("SET LOCAL dp.epsilon = 0.25")
        assert alice.paid() and "charged epsilon 0.25," in alice.notices[0]
    assert alice.paid() and "charged epsilon 1," in alice.notices[0]
    alice.run("SELECT set_config('dp.epsilon', '0.5', false)")
    assert alice.paid() and "charged epsilon 0.5," in alice.notices[0]
    alice.run("RESET dp.epsilon")
    assert alice.paid() and "charged epsilon 1," in alice.notices[0]
    alice.connection.close()


def test_another_sessions_table_is_seen_where_it_comes_first(proxy: ServedProxy) -> None:
    one, other = Session(proxy), Session(proxy)
    one.run('SET search_path = "$user", public')
    one.run("SET dp.fresh = on")
    assert [one.paid() for _ in range(3)] == [True] * 3
    other.run("CREATE TABLE alice.people (person_id int)")
    try:
        assert not one.paid("/* alice's */")
    finally:
        other.run("DROP TABLE alice.people")
    assert one.paid()
    for each in (one, other):
        each.connection.close()


def test_who_asks_at_once_in_many_sessions_has_the_settings_of_each(proxy: ServedProxy) -> None:
    async def asks(number: int) -> list[str]:
        told = list[str]()
        connection = await psycopg.AsyncConnection.connect(proxy.dsn("alice"), autocommit=True)
        connection.add_notice_handler(lambda each: told.append(each.message_primary or ""))
        async with connection:
            await connection.execute("SET dp.fresh = on")
            await connection.execute(f"SET dp.epsilon = 0.{number}")
            for _ in range(4):
                await connection.execute("SELECT count(*) FROM people", prepare=True)
        return [each for each in told if "charged" in each]

    async def all_ask() -> list[list[str]]:
        return await asyncio.gather(*(asks(number) for number in range(1, 6)))

    for number, told in enumerate(asyncio.run(all_ask()), 1):
        assert len(told) == 4 and all(f"charged epsilon 0.{number}," in each for each in told)
