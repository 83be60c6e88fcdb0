"""The relay against a model of the front: transparent where nothing is private, and rule by rule where it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from decimal import Decimal

import pytest
from front_model import STUBS, ModelFront
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.accounting.loss import ZERO
from dpproxy.answering.answer import OwnRows
from dpproxy.errors import DPProxyError, NotPrivate, PrivacyBudgetExceeded
from dpproxy.plan.private_plan import Plan, Post
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.question import Question
from dpproxy.session.gate import examine
from dpproxy.session.private_backend import PostParameters
from dpproxy.session.relay import Relay
from dpproxy.session.verdicts import GateNames
from dpproxy.wire import (
    BACKEND_LIMITS,
    Bind,
    Close,
    CopyData,
    Describe,
    ErrorResponse,
    Execute,
    Flush,
    FrameReader,
    FunctionCall,
    NoticeResponse,
    Parse,
    ProtocolViolation,
    Query,
    RowDescription,
    Sync,
    decode_backend,
    encode_frontend,
)

PRIVATE = "SELECT count(*) FROM people"
NOTICE = "dpproxy: charged"
NAMES = GateNames(frozenset({"people", "visits", "dp.budget"}), frozenset({"departments"}), "alice")


@dataclass
class FakeBackend:
    """A backend that plans anything. `charged` and `planned` are what it was asked."""

    fault: DPProxyError | None = None
    names: GateNames = NAMES
    oids: Mapping[int, str] = field(default_factory=lambda: {oid: name for name, oid in STUBS.items()})
    types: Mapping[int, str] = field(default_factory=lambda: {20: "bigint", 25: "text"})
    planned: list[Question] = field(default_factory=list)
    charged: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    own_bytes: int = 1 << 20

    def denied(self, tables: Iterable[str]) -> str | None:
        return next((each for each in tables if each == "visits"), None)

    def is_private(self, table: str) -> bool:
        return table != "departments"

    def settings(self, raw: Mapping[str, str | None]) -> Settings:
        self.raw = raw
        return Settings(Decimal(1))

    def statement(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def look_through(self, text: str) -> None:
        examine(text, self.names)

    async def plan(self, question: Question) -> Plan:
        self.planned.append(question)
        if self.fault is not None:
            raise self.fault
        return Plan((), Post(f"SELECT /* post of */ {len(question.sql)}", (), ()), ZERO, Decimal(1))

    async def run(self, plan: Plan, statement: str, own: OwnRows) -> PostParameters:
        await asyncio.sleep(0)
        self.charged.append(statement)
        return PostParameters((("7",),), (NOTICE,))

    async def explain(self, plan: Plan, json: bool) -> tuple[str, ...]:
        return ("Cost: 1",)

    def needs_loading(self, written: Iterable[str]) -> bool:
        return not set(written) <= set(self.loaded)

    async def load(self, written: Iterable[str]) -> None:
        self.loaded += written


class Wire:
    """Client, relay and model in one place. `seen` is what the client got, without ReadyForQuery of the start."""

    def __init__(self, backend: FakeBackend | None = None, front: ModelFront | None = None) -> None:
        self.backend, self.front = backend or FakeBackend(), front or ModelFront()
        self.to_front: list[bytes] = []
        loop = asyncio.get_running_loop()
        self.relay = Relay(self.backend, self.to_front.append, loop.create_future, lambda raw: None)
        self._reader = FrameReader(BACKEND_LIMITS, startup=False)
        self.seen: list[object] = []
        self._show(self.relay.front_data(self.front.greeting()))
        self.seen.clear()

    async def send(self, *messages: object) -> list[object]:
        """What the client sees of these messages, sent in one piece."""
        before = len(self.seen)
        work = asyncio.ensure_future(self.relay.client_data(b"".join(map(encode_frontend, messages))))
        while not work.done() or self.to_front:
            while self.to_front:
                self._show(self.relay.front_data(self.front.data(self.to_front.pop(0))))
            await asyncio.sleep(0)
        await work
        return self.seen[before:]

    def _show(self, data: bytes) -> None:
        self._reader.feed(data)
        while (frame := self._reader.next_frame()) is not None:
            self.seen.append(decode_backend(frame))


def names(messages: list[object]) -> list[str]:
    return [type(each).__name__ for each in messages]


def error(messages: list[object]) -> dict[str, str]:
    (found,) = [each for each in messages if isinstance(each, ErrorResponse)]
    return dict(found.fields)


def bound(sql: str = PRIVATE, statement: str = "", portal: str = "") -> tuple[object, ...]:
    return (Parse(statement, sql, ()), Bind(portal, statement, (), (), ()), Describe("P", portal), Execute(portal, 0))


ANSWER = ["ParseComplete", "BindComplete", "RowDescription", "DataRow", "NoticeResponse", "CommandComplete"]


async def test_a_private_statement_looks_like_any_other() -> None:
    wire = Wire()
    seen = await wire.send(*bound(), Sync())
    assert names(seen) == [*ANSWER, "ReadyForQuery"]
    assert wire.backend.charged == [PRIVATE]


async def test_each_bind_is_charged_and_nothing_else() -> None:
    wire = Wire()
    await wire.send(Parse("s", PRIVATE, ()), Describe("S", "s"), Sync())
    assert wire.backend.charged == []
    await wire.send(Bind("p", "s", (), (), ()), Describe("P", "p"), Describe("P", "p"), Execute("p", 1), Flush())
    seen = await wire.send(Execute("p", 1), Execute("p", 0), Sync())
    assert len(wire.backend.charged) == 1
    assert NOTICE not in str(seen)
    await wire.send(Bind("", "s", (), (), ()), Sync())
    assert len(wire.backend.charged) == 2


async def test_the_notice_comes_before_the_end_of_the_first_execute() -> None:
    wire = Wire()
    seen = await wire.send(Parse("", PRIVATE, ()), Bind("", "", (), (), ()), Execute("", 1), Execute("", 0), Sync())
    assert names(seen)[2:] == ["DataRow", "NoticeResponse", "PortalSuspended", "CommandComplete", "ReadyForQuery"]


async def test_a_known_statement_takes_one_round_trip_of_the_relays_own() -> None:
    wire = Wire()
    await wire.send(Parse("s", PRIVATE, ()), Sync())
    await wire.send(Bind("", "s", (), (), ()), Execute("", 0), Sync())
    before = len(wire.front.asked)
    await wire.send(Bind("", "s", (), (), ()), Execute("", 0), Sync())
    assert [type(each).__name__ for each in wire.front.asked[before:]] == [
        *("Bind", "Execute", "Close", "Flush"),  # the lookup
        *("Bind", "Execute", "Sync"),
    ]


async def test_own_statements_are_prepared_again_after_discard_all() -> None:
    wire = Wire()
    for _ in range(2):
        assert names(await wire.send(*bound(), Sync())) == [*ANSWER, "ReadyForQuery"]
        await wire.send(Query("DISCARD ALL"))
    assert wire.front.statements == {}


async def test_what_failed_before_is_not_charged() -> None:
    wire = Wire()
    seen = await wire.send(Parse("x", "SELECT nosuch", ()), *bound(), Sync())
    assert names(seen) == ["ErrorResponse", "ReadyForQuery"]
    seen = await wire.send(Query("BEGIN"), Query("SELECT nosuch"), Parse("s", "SELECT 1", ()), Sync())
    seen = await wire.send(*bound(), Sync())
    assert error(seen)["C"] == "25P02"
    assert wire.backend.charged == []


async def test_a_statement_prepared_before_the_transaction_failed_is_not_charged() -> None:
    wire = Wire()
    await wire.send(Parse("s", PRIVATE, ()), Describe("S", "s"), Sync())
    await wire.send(Query("BEGIN"))
    await wire.send(Query("SELECT nosuch"))
    seen = await wire.send(Bind("", "s", (), (), ()), Execute("", 0), Sync())
    assert (names(seen), error(seen)["C"]) == (["ErrorResponse", "ReadyForQuery"], "25P02")
    assert wire.backend.charged == []


async def test_a_query_that_is_skipped_ends_nothing() -> None:
    wire = Wire()
    await wire.send(Parse("", PRIVATE, ()), Sync())
    await wire.send(Parse("x", "SELECT nosuch", ()), Query("SELECT 1"), Query(PRIVATE), Sync())
    seen = await wire.send(Bind("", "", (), (), ()), Execute("", 0), Sync())
    assert wire.backend.charged == [PRIVATE]
    assert "NoticeResponse" in names(seen)


async def test_refusals_leave_the_session_as_postgres_would() -> None:
    wire = Wire(FakeBackend(fault=NotPrivate("no", hint="write", position=3)))
    seen = await wire.send(Query("BEGIN"), *bound(), *bound("SELECT 1"), Sync())
    assert names(seen) == ["CommandComplete", "ReadyForQuery", "ParseComplete", "ErrorResponse", "ReadyForQuery"]
    assert error(seen)["C"] == "DP002"
    assert (error(seen)["H"], error(seen)["P"]) == ("write", "3")
    assert seen[-1].status == "E"
    assert error(await wire.send(Query("SELECT 1")))["C"] == "25P02"
    assert names(await wire.send(Query("ROLLBACK"))) == ["CommandComplete", "ReadyForQuery"]


async def test_refused_statements_never_reach_the_front() -> None:
    wire = Wire()
    assert error(await wire.send(Parse("", "INSERT INTO people VALUES (1)", ()), Sync()))["C"] == "42501"
    assert error(await wire.send(Query("SELECT 1; DELETE FROM people; SELECT 2")))["C"] == "42501"
    assert error(await wire.send(FunctionCall(b"")))["C"] == "0A000"
    assert not any("INSERT" in str(each) or "DELETE" in str(each) for each in wire.front.asked)
    assert not any(isinstance(each, FunctionCall) for each in wire.front.asked)


async def test_simple_with_a_private_statement_is_extended_with_one_sync() -> None:
    wire = Wire()
    seen = await wire.send(Query(f"SELECT 1; {PRIVATE}; SET a = 1; SELECT 2"))
    assert names(seen) == [
        *("RowDescription", "DataRow", "CommandComplete"),
        *("RowDescription", "DataRow", "NoticeResponse", "CommandComplete"),
        "CommandComplete",
        *("RowDescription", "DataRow", "CommandComplete", "ReadyForQuery"),
    ]
    assert sum(isinstance(each, Sync) for each in wire.front.asked) == 1
    assert not any(isinstance(each, Query) for each in wire.front.asked)


async def test_an_error_stops_the_rest_of_a_simple_query() -> None:
    wire = Wire()
    seen = await wire.send(Query(f"SELECT 1; SELECT nosuch; {PRIVATE}"))
    assert names(seen) == ["RowDescription", "DataRow", "CommandComplete", "ErrorResponse", "ReadyForQuery"]
    assert error(seen)["P"] == str(len("SELECT 1; SELECT ") + 1)
    assert wire.backend.charged == []


async def test_positions_count_in_the_whole_text() -> None:
    wire = Wire(FakeBackend(fault=NotPrivate("no", position=8)))
    seen = await wire.send(Query(f"SELECT 'é'; {PRIVATE}"))
    assert error(seen)["P"] == str(len("SELECT 'é'; ") + 8)


async def test_an_explained_statement_is_free_and_its_positions_are_the_whole_texts() -> None:
    wire = Wire()
    seen = await wire.send(*bound(f"EXPLAIN {PRIVATE}"), Sync())
    assert names(seen) == [each for each in [*ANSWER, "ReadyForQuery"] if each != "NoticeResponse"]
    assert wire.backend.charged == []
    assert [each.sql for each in wire.backend.planned] == [PRIVATE]
    wire = Wire(FakeBackend(fault=NotPrivate("no", position=8)))
    assert error(await wire.send(Query(f"EXPLAIN {PRIVATE}")))["P"] == str(8 + 8)


async def test_a_shadowed_name_is_not_private() -> None:
    wire = Wire(front=ModelFront(shadowed=True))
    seen = await wire.send(*bound(), Sync())
    assert names(seen) == [each for each in [*ANSWER, "ReadyForQuery"] if each != "NoticeResponse"]
    assert wire.backend.planned == []
    assert any(isinstance(each, Bind) and each.statement == "" for each in wire.front.asked)


async def test_unsupported_forms_over_own_tables_run() -> None:
    sql = "CREATE VIEW t AS SELECT * FROM people"
    assert error(await Wire().send(Query(sql)))["C"] == "DP002"
    assert "CommandComplete" in names(await Wire(front=ModelFront(shadowed=True)).send(Query(sql)))


async def test_tables_of_others_are_denied() -> None:
    fields = error(await Wire().send(Query("SELECT count(*) FROM visits")))
    assert fields["C"] == "42501"
    assert fields["H"]


async def test_what_meets_the_backstop_is_dp002() -> None:
    fields = error(await Wire().send(Query("SELECT f('BACKSTOP')")))
    assert (fields["C"], "dpproxy_private" in str(fields)) == ("DP002", False)


async def test_a_budget_that_is_spent_is_an_error_in_the_pipeline() -> None:
    wire = Wire(FakeBackend(fault=PrivacyBudgetExceeded("spent")))
    seen = await wire.send(*bound(), Sync(), *bound("SELECT 1"), Sync())
    assert names(seen)[:3] == ["ParseComplete", "ErrorResponse", "ReadyForQuery"]
    assert names(seen)[3:] == [
        "ParseComplete",
        "BindComplete",
        "RowDescription",
        "DataRow",
        "CommandComplete",
        "ReadyForQuery",
    ]


async def test_row_descriptions_have_the_binds_formats() -> None:
    wire = Wire()
    seen = await wire.send(Parse("", PRIVATE, ()), Bind("", "", (), (), (1,)), Describe("P", ""), Sync())
    (description,) = [each for each in seen if isinstance(each, RowDescription)]
    assert [each.format for each in description.fields] == [1]
    seen = await wire.send(Parse("", PRIVATE, ()), Bind("", "", (), (), (1, 1, 0)), Sync())
    assert error(seen)["C"] == "08P01"


async def test_parameters_are_read_before_the_charge() -> None:
    wire = Wire()
    await wire.send(
        Parse("", f"{PRIVATE} WHERE age > $1", ()), Bind("", "", (0,), (b"40",), ()), Execute("", 0), Sync()
    )
    (question,) = wire.backend.planned
    assert [(each.type, each.text) for each in question.parameters] == [("bigint", "40")]
    post = [each for each in wire.front.asked if isinstance(each, Bind)][-1]
    assert post.parameters == (b"40", b'{"7"}')


async def test_execute_of_a_private_statement_by_sql() -> None:
    wire = Wire()
    await wire.send(Parse("s", PRIVATE, ()), Sync())
    seen = await wire.send(Query("EXECUTE s"))
    assert names(seen).count("DataRow") == 1
    assert [each.sql for each in wire.backend.planned] == [PRIVATE]
    await wire.send(Query("DEALLOCATE s"))
    assert "ErrorResponse" not in names(await wire.send(Query("EXECUTE s")))
    assert len(wire.backend.planned) == 1


async def test_public_tables_are_loaded_first() -> None:
    wire = Wire()
    seen = await wire.send(Query("SELECT * FROM departments"))
    assert names(seen) == ["RowDescription", "DataRow", "CommandComplete", "ReadyForQuery"]
    assert wire.backend.loaded == ["departments"]


async def test_names_of_own_statements_are_reserved() -> None:
    wire = Wire()
    for message in (Parse("dpproxy_1", "SELECT 1", ()), Bind("", "dpproxy_1", (), (), ()), Close("S", "dpproxy_1")):
        assert error(await wire.send(message, Sync()))["C"] == "42939"


async def test_copy_messages_outside_of_copy_are_ignored() -> None:
    assert names(await Wire().send(CopyData(b"x"), Query("SELECT 1")))[-1] == "ReadyForQuery"


async def test_messages_of_the_beginning_end_the_session() -> None:
    with pytest.raises(ProtocolViolation):
        await Wire().relay.client_data(b"p\0\0\0\x04")


TEXTS = (
    "SELECT 1",
    PRIVATE,
    "SELECT nosuch",
    f"{PRIVATE} /* nosuch */",
    "SELECT boom",
    "SELECT notice",
    "BEGIN",
    "COMMIT",
)
_NAMES = st.sampled_from(["", "a", "b"])
MESSAGES = st.one_of(
    st.builds(Parse, _NAMES, st.sampled_from(TEXTS), st.just(())),
    st.builds(lambda portal, name: Bind(portal, name, (), (), ()), _NAMES, _NAMES),
    st.builds(Describe, st.sampled_from("SP"), _NAMES),
    st.builds(Execute, _NAMES, st.sampled_from([0, 1])),
    st.builds(Close, st.sampled_from("SP"), _NAMES),
    st.just(Sync()),
    st.just(Sync()),
    st.just(Flush()),
    st.builds(lambda texts: Query("; ".join(texts)), st.lists(st.sampled_from(TEXTS), max_size=3)),
)


@pytest.mark.larger
@settings(max_examples=sized(100, 400, 4000), deadline=None)
@given(st.lists(MESSAGES, max_size=14), st.integers(1, 4))
def test_the_relay_is_transparent(messages: list[object], pieces: int) -> None:
    """Any conversation looks as if there were no relay, but for the notices; the front's session ends the same."""
    asyncio.run(_compare([*messages, Sync()], pieces))


async def _compare(messages: list[object], pieces: int) -> None:
    direct, wire = ModelFront(), Wire()
    expected = FrameReader(BACKEND_LIMITS, startup=False)
    expected.feed(direct.data(b"".join(map(encode_frontend, messages))))
    plain = []
    while (frame := expected.next_frame()) is not None:
        plain.append(decode_backend(frame))
    size = max(1, len(messages) // pieces)
    for at in range(0, len(messages), size):
        await wire.send(*messages[at : at + size])
    seen = [each for each in wire.seen if NOTICE not in str(each)]
    assert seen == plain
    assert wire.relay.idle
    assert (wire.front.failed, wire.front.in_block) == (direct.failed, direct.in_block)
    theirs = {name: each for name, each in wire.front.statements.items() if not name.startswith("dpproxy")}
    assert theirs.keys() - {""} == direct.statements.keys() - {""}
    assert wire.backend.charged == [PRIVATE] * len(wire.backend.charged)
    assert sum(isinstance(each, NoticeResponse) and NOTICE in str(each) for each in wire.seen) <= len(
        wire.backend.charged
    )
