"""Budget, over the wire: ways to get noise drawn again without paying, or for less than the price.

Each way is a script of messages. What a plain database answers as often as it is asked, it answers here once for each
charge: there are never more different answers than charges, and as many charges as the script says. Ways to ask that
are honest are in tests/clients/test_ways.py and test_drivers.py, several proxies in tests/test_several.py, clocks and
resets in tests/test_periods.py and tests/test_budget_commands.py.
"""

from __future__ import annotations

import itertools
import os
import re
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from clients.backends import Backend, in_the_engine, made_world
from clients.served import Served, serving
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.wire import (
    Bind,
    Close,
    CopyData,
    DataRow,
    Describe,
    ErrorResponse,
    Execute,
    Flush,
    Frame,
    FrontendMessage,
    Parse,
    Query,
    ReadyForQuery,
    Sync,
    decode_backend,
    encode_frontend,
    split_frames,
)

pytestmark = pytest.mark.long

EXAMPLES = sized(15, 15, 500)
ANALYSTS = """
[analysts.mallory]
trust = true
epsilon = 1e6
delta = 1e-3
[analysts.mallory.defaults]
epsilon = 1e-6

[analysts.poor]
trust = true
epsilon = 0.1
delta = 1e-6
[analysts.poor.defaults]
epsilon = 0.05
"""
_numbers = itertools.count(1_000_000)


def private() -> str:
    """A question that nobody asked before. Its answer is told apart from all else by its first letter, and from the
    others by its noise: at ε = 1e-6 one of a million million values."""
    return f"SELECT 'v' || sum(income) FROM people WHERE income < {next(_numbers)}"


@pytest.fixture(scope="module", params=list(Backend))
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The world, with releases stored as they are by default."""
    with made_world(request.param, tmp_path_factory.mktemp("budget")) as policy:
        text = re.sub(r"stored_bytes.*\n", "", policy.read_text())
        policy.write_text(text.replace('accounting = "zcdp"', 'accounting = "pure"') + ANALYSTS)
        with serving(policy, "demo") as served:
            yield served


@dataclass
class Session:
    """A session that speaks the protocol by hand, and one beside it that reads the ledger."""

    served: Served
    analyst: str = "mallory"
    answers: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection = self.served.connect(self.analyst, sslmode="disable")
        self.watch = self.served.connect(self.analyst)
        self.bare = socket.socket(fileno=os.dup(self.connection.pgconn.socket))
        self.bare.settimeout(20)
        self.before = self._latest()

    def close(self) -> None:
        """End both."""
        self.bare.close()
        self.connection.close()
        self.watch.close()

    def _latest(self) -> int:
        [(latest,)] = self.watch.execute("SELECT coalesce(max(id), 0) FROM dp.statements").fetchall()
        return int(latest)

    @property
    def prices(self) -> list[Decimal]:
        """ε of each charge since the session began."""
        rows = self.watch.execute("SELECT epsilon FROM dp.statements WHERE id > %s ORDER BY id", (self.before,))
        return [epsilon for (epsilon,) in rows.fetchall()]

    def say(self, *messages: FrontendMessage) -> None:
        """Send messages as they are, and read what comes up to the answer of the last Sync or Query."""
        self.bare.sendall(b"".join(map(encode_frontend, messages)))
        self.hear(sum(isinstance(each, Query | Sync) for each in messages))

    def hear(self, waits: int) -> None:
        """Read what comes up to the answer of so many Syncs and Queries that were sent."""
        buffer = b""
        while waits > 0:
            received = self.bare.recv(65536)
            assert received, "the session has ended"
            buffer += received
            frames, end = split_frames(bytearray(buffer), 0)
            for kind, begin, stop in frames:
                if bytes([kind]) == b"N":  # in the client's encoding, which is another one now and then
                    continue
                message = decode_backend(Frame(bytes([kind]), buffer[begin + 5 : stop]))
                self._read(message)
                waits -= isinstance(message, ReadyForQuery)
            buffer = buffer[end:]

    def _read(self, message: object) -> None:
        match message:
            case DataRow(values):
                texts = [value.decode() for value in values if value]
                self.answers += [text for text in texts if re.match("v-?[0-9]", text)]
            case CopyData(data):
                self.answers.append(data.decode().strip())
            case ErrorResponse(fields):
                self.errors.append(dict(fields)["C"])

    def run(self, *sqls: str) -> None:
        """Simple queries, one after the other."""
        for sql in sqls:
            self.say(Query(sql))


@pytest.fixture
def mallory(world: Served) -> Iterator[Session]:
    session = Session(world)
    yield session
    session.close()


def sync(*messages: FrontendMessage) -> tuple[FrontendMessage, ...]:
    return (*messages, Sync())


def bound(sql: str, portal: str = "", limit: int = 0) -> tuple[FrontendMessage, ...]:
    """A statement by the extended protocol, up to its Execute."""
    return Parse("", sql, ()), Bind(portal, "", (), (), ()), Execute(portal, limit)


def again(name: str = "", portal: str = "") -> tuple[FrontendMessage, ...]:
    """A prepared statement once more."""
    return Bind(portal, name, (), (), ()), Execute(portal, 0)


@dataclass(frozen=True)
class Way:
    """A script over a session and a private question; how many charges it makes, and how many answers it may see."""

    script: Callable[[Session, str], None]
    charges: int
    answers: int


def said(*groups: Sequence[FrontendMessage]) -> Callable[[Session, str], None]:
    """Of messages in which the text ? stands for the question."""

    def script(session: Session, sql: str) -> None:
        for group in groups:
            session.say(*(_filled(each, sql) for each in group))

    return script


def _filled(message: FrontendMessage, sql: str) -> FrontendMessage:
    match message:
        case Parse(name, text, types):
            return Parse(name, text.replace("?", sql), types)
        case Query(text):
            return Query(text.replace("?", sql))
        case _:
            return message


def run(*sqls: str) -> Callable[[Session, str], None]:
    """Of simple queries."""
    return said(*((Query(sql),) for sql in sqls))


SET = "SET dp.epsilon = 2e-7"
ROWS = "? GROUP BY sex"
WAYS = {
    "rolled back": Way(run("BEGIN", "?", "ROLLBACK", "BEGIN", "?", "ROLLBACK"), 2, 2),
    "rolled back to a savepoint": Way(
        run("BEGIN", "SAVEPOINT a", "?", "ROLLBACK TO a", "?", "ROLLBACK TO a", "COMMIT"), 2, 2
    ),
    "the text fails after it": Way(run("?; SELECT 1/0", "?; SELECT nosuch"), 2, 2),
    "the pipeline fails after it": Way(said(sync(*bound("?"), *bound("SELECT 1/0"))), 1, 1),
    "the pipeline failed before it": Way(said(sync(*bound("SELECT 1/0"), *bound("?"), *bound("?"))), 0, 0),
    "the transaction failed before it": Way(
        said(sync(*bound("BEGIN"), *bound("SELECT 1/0")), sync(*bound("?")), (Query("ROLLBACK"),)), 0, 0
    ),
    "bound again and again": Way(said(sync(Parse("p", "?", ()), *again("p"), *again("p"), *again("p"))), 3, 3),
    "bound to two portals": Way(
        said(sync(Parse("p", "?", ()), Bind("a", "p", (), (), ()), Bind("b", "p", (), (), ()), Execute("a", 0))), 2, 1
    ),
    "executed thrice": Way(said(sync(*bound("?"), Execute("", 0), Execute("", 0))), 1, 1),
    "described and flushed in between": Way(
        said(sync(Parse("", "?", ()), Bind("", "", (), (), ()), Describe("P", ""), Flush(), Execute("", 1), Flush(),
                  Describe("P", ""), Execute("", 1))), 1, 1,
    ),
    "a portal that is resumed": Way(
        said(sync(*bound("BEGIN"), Parse("", ROWS, ()), Bind("a", "", (), (), ()), Execute("a", 1)),
             sync(Execute("a", 1)), sync(Execute("a", 1)), sync(*bound("COMMIT"))), 1, 2,
    ),
    "bound and closed": Way(
        said(sync(Parse("", "?", ()), Bind("a", "", (), (), ()), Close("P", "a"), Execute("a", 0))), 1, 0
    ),
    "bound and never executed": Way(said(sync(Parse("", "?", ()), Bind("", "", (), (), ()))), 1, 0),
    "prepared by SQL": Way(run("PREPARE p AS ?", "EXECUTE p", "EXECUTE p", "DEALLOCATE p", "EXECUTE p"), 2, 2),
    "a cursor there and back": Way(
        run("BEGIN", "DECLARE c SCROLL CURSOR FOR ?", "FETCH c", "FETCH BACKWARD c", "FETCH FIRST FROM c",
            "MOVE ABSOLUTE 0 IN c", "FETCH ALL FROM c", "FETCH LAST FROM c", "COMMIT", "FETCH c"), 1, 1,
    ),
    "a cursor that outlives its transaction": Way(
        run("BEGIN", "DECLARE c SCROLL CURSOR WITH HOLD FOR ?", "COMMIT", "FETCH FIRST FROM c", "FETCH FIRST FROM c",
            "FETCH FIRST FROM c", "CLOSE c"), 1, 1,
    ),
    "a cursor that does not": Way(
        run("BEGIN", "DECLARE c CURSOR WITH HOLD FOR ?", "FETCH c", "ROLLBACK", "FETCH c"), 1, 1
    ),
    "a cursor that is opened by a savepoint": Way(
        run("BEGIN", "SAVEPOINT a", "DECLARE c CURSOR FOR ?", "FETCH c", "ROLLBACK TO a", "DECLARE c CURSOR FOR ?",
            "FETCH c", "ROLLBACK"), 2, 2,
    ),
    "two phases": Way(run("BEGIN", "?", "PREPARE TRANSACTION 'x'", "ROLLBACK", "ROLLBACK PREPARED 'x'"), 1, 1),
    "a table that is rolled back": Way(
        run("BEGIN", "CREATE TABLE kept AS ?", "TABLE kept", "ROLLBACK", "TABLE kept", "CREATE TABLE kept AS ?",
            "TABLE kept", "TABLE kept", "DROP TABLE kept"), 2, 2,
    ),
    "a table that is there already": Way(
        run("CREATE TABLE kept (v text)", "CREATE TABLE kept AS ?", "CREATE TABLE IF NOT EXISTS kept AS ?",
            "TABLE kept", "DROP TABLE kept"), 0, 0,
    ),
    "copied": Way(run("COPY (?) TO STDOUT", "BEGIN", "COPY (?) TO STDOUT", "ROLLBACK"), 2, 2),
    "explained": Way(run("EXPLAIN ?", "EXPLAIN ANALYZE ?", "EXPLAIN (ANALYZE, FORMAT JSON) ?"), 0, 0),
    "discarded": Way(
        said(sync(Parse("p", "?", ()), *again("p")), (Query("DISCARD ALL"),), sync(*again("p")),
             (Query("SET dp.fresh = on"), Query("?"), Query("DISCARD PLANS"), Query("?"))), 3, 3,
    ),
    "read twice in one text": Way(run("WITH a AS MATERIALIZED (?) SELECT * FROM a UNION ALL SELECT * FROM a"), 1, 1),
    "read twice without a copy": Way(
        run("WITH a (v) AS NOT MATERIALIZED (?) SELECT v FROM a UNION ALL SELECT v FROM a"), 1, 1
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_there_are_no_more_answers_than_charges(mallory: Session, way: str) -> None:
    found = WAYS[way]
    mallory.run("SET dp.fresh = on")
    found.script(mallory, private())
    mallory.run("ROLLBACK")
    assert len(mallory.prices) == found.charges, mallory.errors
    assert set(mallory.prices) <= {Decimal("1e-6")}
    assert len(set(mallory.answers)) == found.answers, (mallory.answers, mallory.errors)


def test_what_was_paid_for_is_told_again_as_it_was(mallory: Session) -> None:
    """Stored releases: all ways together see one answer of one charge."""
    for way, found in WAYS.items():
        sql, paid, seen = private(), len(mallory.prices), len(mallory.answers)
        mallory.run(sql)
        found.script(mallory, sql)
        mallory.run("ROLLBACK", "SET dp.fresh = off", sql)
        others = {"discarded": 2, "a portal that is resumed": 1}.get(way, 0)  # it sets dp.fresh; it asks something else
        assert len(mallory.prices) == paid + 1 + others, way
        assert others or len(set(mallory.answers[seen:])) == 1, way
        mallory.run("DISCARD ALL")


@dataclass(frozen=True)
class Priced:
    """Messages around a question, and what it costs then."""

    groups: tuple[Sequence[FrontendMessage], ...]
    prices: tuple[str, ...]


PRICED = {
    "set between Parse and Bind": Priced(
        (sync(Parse("p", "?", ()), *bound(SET), *again("p"), *bound("RESET dp.epsilon"), *again("p")),),
        ("2e-7", "1e-6"),
    ),
    "set between Bind and Execute": Priced(
        (sync(Parse("p", "?", ()), Bind("a", "p", (), (), ()), *bound(SET), Execute("a", 0)),), ("1e-6",)
    ),
    "set by a statement that fails": Priced(
        ((Query(f"{SET}; SELECT 1/0"), Query("?")), sync(*bound(SET), *bound("SELECT 1/0")), (Query("?"),)),
        ("1e-6", "1e-6"),
    ),
    "set for a transaction that is over": Priced(
        ((Query("BEGIN"), Query("SET LOCAL dp.epsilon = 2e-7"), Query("?"), Query("ROLLBACK"), Query("?")),),
        ("2e-7", "1e-6"),
    ),
    "set to a savepoint": Priced(
        ((Query("BEGIN; SAVEPOINT a"), Query(SET), Query("ROLLBACK TO a"), Query("?"), Query("COMMIT"), Query("?")),),
        ("1e-6", "1e-6"),
    ),
    "set in the text that asks": Priced(((Query(f"{SET}; ?; RESET dp.epsilon; ?"),),), ("2e-7", "1e-6")),
    "set by the arguments": Priced(
        (
            (
                Query("PREPARE p (text) AS SELECT $1, (?)"),
                Query("EXECUTE p (set_config('dp.epsilon', '2e-7', false))"),
                Query("EXECUTE p (set_config('dp.epsilon', '1e-6', false))"),
            ),
        ),
        ("2e-7", "1e-6"),
    ),
    "set by the statement itself, which is refused": Priced(
        ((Query("SELECT v, set_config('dp.epsilon', '2e-7', false) FROM (?) AS t (v)"), Query("?")),),
        ("1e-6",),
    ),
}


@pytest.mark.parametrize("way", PRICED)
def test_the_price_is_that_of_the_noise(mallory: Session, way: str) -> None:
    """The price is read with the question, once: what was charged is what the noise was made for."""
    mallory.run("SET dp.fresh = on")
    said(*PRICED[way].groups)(mallory, private())
    assert mallory.prices == [Decimal(each) for each in PRICED[way].prices], mallory.errors
    told = [(Decimal(price), scale(mallory, price)) for price in dict.fromkeys(PRICED[way].prices)]
    # Of the price, time has a fiftieth.
    assert all(abs(float(price) * 0.98 * stddev - 500_000 * 2**0.5) < 1000 for price, stddev in told)


def scale(session: Session, price: str) -> float:
    """The standard deviation of the noise at a price, as the session is told."""
    session.watch.execute(f"SET dp.epsilon = {price}")
    session.watch.execute(private())
    [(found,)] = session.watch.execute("SELECT stddev FROM dp.last_statement").fetchall()
    return float(found)


STEPS: tuple[tuple[FrontendMessage, ...], ...] = (
    *((Sync(), Query(sql)) for sql in (
        "?", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "ROLLBACK TO a", "SELECT 1/0", "SET dp.fresh = on",
        "SET dp.fresh = off", "DISCARD ALL", "DEALLOCATE ALL", "DECLARE c SCROLL CURSOR WITH HOLD FOR ?",
        "DECLARE d SCROLL CURSOR FOR ?", "FETCH FIRST FROM c", "FETCH FIRST FROM d", "FETCH BACKWARD ALL IN c",
        "CLOSE ALL", "PREPARE q AS ?", "EXECUTE q", "CREATE TEMP TABLE kept AS ?", "CREATE TABLE kept AS ?",
        "TABLE kept", "DROP TABLE kept", "COPY (?) TO STDOUT", "EXPLAIN ?", "?; SELECT 1/0", "SELECT 1; ?; COMMIT",
        "SET statement_timeout = 1", "RESET ALL",
    )),
    sync(),
    bound("?"),
    (Parse("p", "?", ()),),
    again("p"),
    (Bind("a", "p", (), (), ()),),
    (Execute("a", 1),),
    (Execute("a", 0), Execute("a", 0)),
    (Describe("P", "a"), Close("P", "a")),
    (Close("S", "p"),),
    bound("SELECT 1/0"),
    bound(SET),
)  # fmt: skip


@settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(groups=st.lists(st.sampled_from(STEPS), min_size=3, max_size=25))
def test_no_script_sees_more_answers_than_charges(world: Served, groups: list[tuple[FrontendMessage, ...]]) -> None:
    """Any of these, in any order, in one pipeline."""
    session = Session(world)
    try:
        said(sync(*itertools.chain(*groups)))(session, private())
        assert len(set(session.answers)) <= len(session.prices), session.errors
        session.run("ROLLBACK", "DROP TABLE IF EXISTS kept")
    finally:
        session.close()


def test_a_plain_engine_asks_for_nothing(world: Served) -> None:
    """There, the exact answer comes as often as one likes."""
    sql = private().replace("'v' || ", "")
    assert len({in_the_engine(world, sql)[0] for _ in range(20)}) == 1


def test_a_driver_that_tries_again_pays_again_or_is_told_the_same(world: Served) -> None:
    """The connection is cut before the answer: at any moment, from at once to after it was sent."""
    for fresh, pause in itertools.product(("on", "off"), (0, 0.001, 0.003, 0.006, 0.012, 0.025, 0.05)):
        sql, first = private(), Session(world)
        first.run(f"SET dp.fresh = {fresh}")
        first.bare.sendall(encode_frontend(Query(sql)))
        time.sleep(pause)
        first.bare.shutdown(socket.SHUT_RDWR)
        second = Session(world)
        second.before = first.before
        second.run(f"SET dp.fresh = {fresh}", sql)
        assert len(second.answers) == 1, second.errors
        assert 1 <= len(second.prices) <= 2
        first.close()
        second.close()


def test_cancelled_at_any_moment(world: Served) -> None:
    """Whoever sees an answer has paid; whoever does not may have."""
    session = Session(world)
    for turn in range(30):
        sql, before, seen = private(), len(session.prices), len(session.answers)
        session.bare.sendall(encode_frontend(Query(sql)))
        time.sleep(turn / 2500)
        session.connection.cancel_safe(timeout=30)
        session.bare.sendall(encode_frontend(Query("SELECT 1")))
        session.hear(2)
        assert len(session.answers) - seen <= len(session.prices) - before <= 1, session.errors
    assert set(session.errors) <= {"57014"}
    assert len(set(session.answers)) == len(session.answers)
    session.close()


def test_who_has_nothing_left_sees_nothing_in_any_way(world: Served) -> None:
    session, told = Session(world, "poor"), private()
    session.run("SET dp.fresh = on", *[told] * 3)
    before, paid = len(session.answers), len(session.prices)
    for way, found in WAYS.items():
        found.script(session, private())
        assert (len(session.answers), len(session.prices)) == (before, paid), way
        session.run("ROLLBACK", "DROP TABLE IF EXISTS kept", "DISCARD ALL", "SET dp.fresh = on")
    [(spent, epsilon)] = session.watch.execute("SELECT spent_epsilon, epsilon FROM dp.budget").fetchall()
    assert spent <= epsilon
    session.close()


def test_another_content_of_an_own_table_is_another_question(mallory: Session) -> None:
    """The text is the same, the plan is the same; what the release is told is not."""
    number = next(_numbers)
    sql = f"SELECT 'v' || sum(income) FROM people WHERE income < {number} AND age IN (SELECT age FROM ages)"
    kept = "CREATE TABLE ages AS SELECT age FROM (VALUES ({}), (31)) AS t (age)"
    mallory.run(kept.format(30), sql, sql)
    assert len(mallory.prices) == 1, mallory.errors
    mallory.run("DROP TABLE ages", kept.format(40), sql, sql)
    assert len(mallory.prices) == 2
    mallory.run("DROP TABLE ages", kept.format(30), sql)
    assert len(mallory.prices) == 2
    assert mallory.answers[4] == mallory.answers[0] != mallory.answers[2]
    mallory.run("INSERT INTO ages VALUES (40)", "DELETE FROM ages WHERE age = 30", sql)
    mallory.run("DROP TABLE ages", sql)
    assert mallory.errors[-1] == "42P01"
    assert len(set(mallory.answers)) == len(mallory.prices), mallory.errors


def test_a_view_that_is_another_each_time_is_paid_each_time(mallory: Session) -> None:
    """What is told is read once: it is what the release is known by, and what it is made for."""
    sql = f"SELECT 'v' || sum(income) FROM people WHERE income < {next(_numbers)} AND age > (SELECT max(a) FROM odd)"
    mallory.run("CREATE VIEW odd AS SELECT (random() * 1e6)::integer AS a", *[sql] * 4)
    mallory.run("DROP VIEW odd")
    assert len(set(mallory.answers)) == len(mallory.prices), mallory.errors


MEANINGS = (
    # A setting and another, under which one text with one parameter may mean two things; how many questions they are.
    ("DateStyle = 'ISO, MDY'", "DateStyle = 'ISO, DMY'", "joined < $1", "01/02/2022", 2),
    ("DateStyle = 'ISO, MDY'", "DateStyle = 'SQL, MDY'", "joined < $1", "01/02/2022", 1),
    ("TimeZone = 'Pacific/Kiritimati'", "TimeZone = 'Etc/GMT+12'", "joined < current_date - $1::integer", "1000", 2),
    ("extra_float_digits = -10", "extra_float_digits = 3", "income < $1", "50000.123456789", 1),
    ("IntervalStyle = 'postgres'", "IntervalStyle = 'iso_8601'", "joined < DATE '2022-01-01' + $1::integer", "9", 1),
    ("client_encoding = 'LATIN1'", "client_encoding = 'UTF8'", "city < $1", "\u00c3\u00a9", 2),
)


@pytest.mark.parametrize(("one", "other", "condition", "value", "questions"), MEANINGS)
def test_a_setting_that_changes_the_meaning_changes_the_question(
    mallory: Session, one: str, other: str, condition: str, value: str, questions: int
) -> None:
    """Plans are kept by what was asked, releases by the bounded SQL: neither by the text alone."""
    sql = f"SELECT 'v' || sum(age) FROM people WHERE income < {next(_numbers)} AND {condition}"
    for setting in (one, other, one, other):
        mallory.run(f"SET {setting}")
        mallory.say(Parse("", sql, ()), Bind("", "", (), (value.encode(),), ()), Execute("", 0), Sync())
    assert len(set(mallory.answers)) == len(mallory.prices) == questions, (mallory.answers, mallory.errors)
    assert len(mallory.answers) == 4


def test_a_name_that_means_another_table_is_another_question(mallory: Session) -> None:
    """An own table hides a private one: its rows are no private ones, and no answer of either is told for the other."""
    sql = f"SELECT 'v' || sum(age) FROM people WHERE income < {next(_numbers)}"
    mallory.run(sql, "CREATE TABLE mallory.people AS SELECT 1::float8 AS income, 77 AS age")
    mallory.run("SET search_path = mallory, public", sql)
    assert mallory.answers[1] == "v77", mallory.errors
    mallory.run("DROP TABLE mallory.people", sql)
    assert mallory.answers[2] == mallory.answers[0]
    assert len(mallory.prices) == 1
