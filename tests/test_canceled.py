"""A cancelled statement is a cancelled statement, wherever it was: 57014, charged as the ledger says, never an internal
error. Then the session goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from threading import Thread
from time import sleep
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import psycopg
import pytest
from clients.backends import Backend, made_world
from clients.served import Served, serving
from front_model import Fails, ModelFront
from psycopg.conninfo import make_conninfo
from test_relay import NAMES, NOTICE, PRIVATE, Wire, bound, error, names

from dpproxy.config import load
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase
from dpproxy.errors import InternalFault, QueryCanceled
from dpproxy.session.analyst_backend import AnalystBackend, AnalystContext
from dpproxy.wire import Bind, Describe, Execute, NoticeResponse, Parse, Query, Sync

pytestmark = pytest.mark.long

CANCELED = ("57014", "canceling statement due to user request", None)
# What ends a statement of the proxy's own and is no fault of the proxy's, and what is one.
FROM_OUTSIDE = (
    CANCELED,
    ("55P03", "canceling statement due to lock timeout", None),
    ("53200", "out of memory", None),
    ("40P01", "deadlock detected", None),
)
FAULTS = (("42601", "syntax error", 7), ("42703", "no such column", 3), ("22P02", "invalid input syntax", None))
COPY = f"COPY ({PRIVATE}) TO STDOUT"
CURSOR = f"DECLARE c CURSOR WITH HOLD FOR {PRIVATE}"


@dataclass
class FailingFront(ModelFront):
    """A front that fails at each message of one kind about the statement that stands in the client's place.

    rehearsed: whether its SELECT is among them by itself, which is prepared before the charge.
    """

    at: type = Parse
    told: tuple[str, str, int | None] = CANCELED
    rehearsed: bool = True

    def _extended(self, message: object) -> list[object]:
        if isinstance(message, self.at) and self._is_swapped(message):
            raise Fails(*self.told)
        return super()._extended(message)

    def _is_swapped(self, message: object) -> bool:
        match message:
            case Parse(_, sql, _):
                return "post of" in sql and (self.rehearsed or sql.startswith(("COPY", "CREATE", "DECLARE")))
            case Bind(_, statement, _, _, _) | Describe("S", statement):
                return "post of" in self._statement(statement).sql
            case Execute(portal, _):
                return "post of" in self._portal(portal)[0]
            case _:
                return False


@pytest.mark.parametrize("message", [Parse, Describe])
@pytest.mark.parametrize("told", FROM_OUTSIDE, ids=lambda told: told[0])
async def test_what_ends_the_preparation_is_told_as_it_is(message: type, told: tuple[str, str, int | None]) -> None:
    """It was XX000: the front refuses no statement of the proxy's own, so any error of one was taken for a fault."""
    for sent in ((*bound(), Sync()), (Query(PRIVATE),), (Query(f"SELECT 1; {PRIVATE}"),)):
        wire = Wire(front=FailingFront(at=message, told=told))
        seen = await wire.send(*sent)
        assert (error(seen)["C"], error(seen)["M"]) == told[:2]
        assert wire.backend.charged == []
        assert names(await wire.send(Query("SELECT 2")))[-1] == "ReadyForQuery"


@pytest.mark.parametrize("told", FAULTS, ids=lambda told: told[0])
async def test_a_text_that_the_front_refuses_is_a_fault(
    told: tuple[str, str, int | None], caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire(front=FailingFront(told=told))
    seen = error(await wire.send(*bound(), Sync()))
    assert (seen["C"], seen["H"]) == ("XX000", InternalFault.UNCHARGED)
    assert wire.backend.charged == []
    assert told[0] in caplog.text and told[1] not in caplog.text


@pytest.mark.parametrize("message", [Bind, Execute])
async def test_what_ends_it_after_the_charge_tells_the_charge_first(message: type) -> None:
    for sent in ((*bound(), Sync()), (Query(PRIVATE),)):
        wire = Wire(front=FailingFront(at=message))
        seen = await wire.send(*sent)
        assert error(seen)["C"] == "57014"
        assert [NOTICE in str(each) for each in seen if isinstance(each, NoticeResponse)] == [True]
        assert names(seen).index("NoticeResponse") < names(seen).index("ErrorResponse")
        assert wire.backend.charged == [PRIVATE]


@pytest.mark.parametrize("told", [CANCELED, *FAULTS], ids=lambda told: told[0])
async def test_the_preparation_of_what_uses_the_rows_comes_after_the_charge(told: tuple[str, str, int | None]) -> None:
    """It said that nothing was charged."""
    for sql in (COPY, CURSOR):
        wire = Wire(front=FailingFront(told=told, rehearsed=False))
        seen = await wire.send(Query(sql))
        expected = ("57014", None) if told == CANCELED else ("XX000", InternalFault.CHARGED)
        assert (error(seen)["C"], error(seen).get("H")) == expected
        assert names(seen) == ["NoticeResponse", "ErrorResponse", "ReadyForQuery"]
        assert NOTICE in str(seen[0])
        assert len(wire.backend.charged) == 1


async def test_no_session_tells_of_a_charge_that_was_not_made() -> None:
    for fault in (InternalFault.CHARGED, InternalFault.ENDED):
        assert "Nothing was charged" not in (InternalFault(fault).hint or "")


# ── the backend ──


def analyst_backend() -> AnalystBackend:
    return AnalystBackend(lambda: cast(AnalystContext, SimpleNamespace(names=NAMES)))


async def test_a_cancel_between_two_steps_is_not_lost() -> None:
    """It went to the front alone, which hears none while it waits for the next message."""
    backend = analyst_backend()
    with backend.statement():
        assert not backend.cancel()  # the front is told, too: it may be what is at work
        with pytest.raises(QueryCanceled):
            await backend.look_through("SELECT 1")
    with backend.statement():
        await backend.look_through("SELECT 1")
    assert not backend.cancel()
    await backend.look_through("SELECT 1")


# ── all of it ──


@pytest.fixture(scope="module", params=[Backend.EMBEDDED, pytest.param(Backend.GIVEN, marks=pytest.mark.long)])
def heavy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The small world, where one person has 20,000 visits: joined with themselves 400 million rows."""
    with made_world(request.param, tmp_path_factory.mktemp("heavy")) as policy:
        policy.write_text(policy.read_text().replace("epsilon = 100.0", "epsilon = 1e6"))
        rows = "SELECT 200000 + i, 7, DATE '2024-01-01', 1, 'cardio' FROM generate_series(1, 20000) AS g(i)"
        match load(policy, {}).engine.url:
            case DuckDBFile(path):
                with duckdb.connect(str(path)) as connection:
                    connection.execute(f"INSERT INTO visits {rows}")
            case PostgresDatabase(url):
                with psycopg.connect(make_conninfo(url, user="owner"), autocommit=True) as owner:
                    owner.execute(f"INSERT INTO visits {rows}")
        with serving(policy, "demo") as served:
            yield served


FORMS = (
    "SELECT count(*) AS c{i} FROM visits a JOIN visits b USING (person_id)",
    "SELECT count(*) AS c{i} FROM visits a JOIN visits b USING (person_id) WHERE a.cost + b.cost >= 0",
    "SELECT count(*) AS c{i} FROM visits a JOIN visits b USING (person_id) WHERE a.cost < $1",
    "CREATE TABLE alice.c{i} AS SELECT count(*) AS c{i} FROM visits a JOIN visits b USING (person_id)",
    "COPY (SELECT count(*) AS c{i} FROM visits a JOIN visits b USING (person_id)) TO STDOUT",
)


def canceled(connection: psycopg.Connection[Any], sql: str, delays: list[float]) -> tuple[str | None, bool]:
    """What became of a statement with cancel requests under way: its SQLSTATE, and whether a charge was told."""
    told: list[str] = []
    connection.add_notice_handler(listen := lambda diagnostic: told.append(diagnostic.message_primary or ""))

    def cancel(delay: float) -> None:
        sleep(delay)
        connection.cancel_safe()

    threads = [Thread(target=cancel, args=(delay,)) for delay in delays]
    for each in threads:
        each.start()
    try:
        cursor = psycopg.RawCursor(connection)
        if sql.startswith("COPY"):
            with cursor.copy(sql.encode()) as copy:
                for _ in copy:
                    pass
        else:
            cursor.execute(sql.encode(), (100.0,) if "$1" in sql else None)
        state = None
    except psycopg.Error as fault:
        state = fault.sqlstate
    for each in threads:
        each.join()
    connection.remove_notice_handler(listen)
    return state, any(NOTICE in text for text in told)


def test_a_cancel_at_any_moment_is_one_or_nothing(heavy: Served) -> None:
    """An answer, or 57014; told as charged only where the ledger has a charge; and the session goes on."""
    chance = Random(12)
    with heavy.connect() as asking, heavy.connect() as looking:
        for i in range(60):
            sql = FORMS[i % len(FORMS)].format(i=i)
            delays = [chance.uniform(0, chance.choice((0.005, 0.02, 0.06, 0.3))) for _ in range(chance.randint(1, 3))]
            state, told = canceled(asking, sql, delays)
            assert state in (None, "57014"), (sql, delays, state)
            outcomes = [
                outcome
                for (outcome,) in looking.execute(f"SELECT outcome FROM dp.statements WHERE statement LIKE '%c{i} %'")
            ]
            if state is None or told:
                assert len(outcomes) == 1, (sql, state, told)
            if state is None:
                # A request that meets COPY's own end takes its notice along.
                assert (told or sql.startswith("COPY")) and outcomes[0] in ("answered", "charged"), (
                    sql,
                    told,
                    outcomes,
                )
            with suppress(psycopg.errors.QueryCanceled):  # a request that came after its statement's end
                asking.execute("SELECT 1")
            assert asking.execute("SELECT 2").fetchone() == (2,)
    assert "internal" not in heavy.log.read_text()
