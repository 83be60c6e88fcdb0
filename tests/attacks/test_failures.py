"""What fails in the engine all the same: one fixed text, the charge kept, only that analyst stopped, no words logged.

A row-level policy that raises for Zelda alone stands for what nobody thought of in Postgres, and a bounded text that
was not made total for that in DuckDB. More of engines that fail: tests/test_faults.py, tests/test_answer.py.
"""

from __future__ import annotations

import asyncio
import io
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import psycopg
import pytest
from clients.served import Served
from psycopg.conninfo import make_conninfo
from test_answer import ACCOUNT, World, of, releases

from attacks.conftest import OWNER
from attacks.duel import STOPPED, Duel, Pair, Seen, close
from dpproxy.answering.answer import answer
from dpproxy.answering.resources import Resources
from dpproxy.config import load
from dpproxy.engines import Ticket
from dpproxy.engines.duckdb.driver import DuckDBEngine
from dpproxy.errors import EngineFailure
from dpproxy.plan.timing import Speed
from dpproxy.server.logs import FORMATTERS, Form

pytestmark = pytest.mark.long

SECRET = "Zelda of Zeldatown"
LITERAL = 424242
RAISING = f"""
CREATE FUNCTION refused(id bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF id = 1000 THEN RAISE EXCEPTION '{SECRET} has row %', id USING DETAIL = '{SECRET}', HINT = '{SECRET}'; END IF;
  RETURN true;
END $$;
CREATE POLICY refused ON odds USING (refused(person_id));
ALTER TABLE odds ENABLE ROW LEVEL SECURITY;
"""
WELL = "ALTER TABLE odds DISABLE ROW LEVEL SECURITY; DROP POLICY refused ON odds; DROP FUNCTION refused;"
ODDS, PEOPLE = f"SELECT count(*) FROM odds WHERE i < {LITERAL}", "SELECT count(*) FROM people"
WORDS = (SECRET, "Zelda", str(LITERAL), "1000 ", "refused", "odds", "has row", "SELECT")


@contextmanager
def raising_rows(duel: Duel) -> Iterator[None]:
    """Reading Zelda's rows is an error of the engine's for the length of a block."""
    owners = [make_conninfo(load(served.policy, {}).engine.url.url, user=OWNER) for served in duel.served]
    for owner in owners:
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute(RAISING)
    try:
        yield
    finally:
        for owner in owners:
            with psycopg.connect(owner, autocommit=True) as connection:
                connection.execute(WELL)


def clear(served: Served, analyst: str) -> None:
    command = [sys.executable, "-m", "dpproxy.cli", "analyst", "clear", analyst, "--config", str(served.policy)]
    done = subprocess.run(command, capture_output=True, timeout=120, text=True)
    assert done.returncode == 0, done.stderr


def spent(pair: Pair) -> tuple[Seen, Seen]:
    return pair.ask("SELECT spent_epsilon FROM dp.budget")


def test_an_engine_that_fails_for_one_person(given_duel: Duel) -> None:
    duel = given_duel
    victor, mallory = duel.proxied("victor"), duel.proxied()
    sizes = [served.log.stat().st_size for served in duel.served]
    try:
        with raising_rows(duel):
            assert SECRET in str(duel.plain.here.ask(ODDS).error)
            before = spent(victor)
            here, gone = victor.ask(ODDS)
            assert here.error == (STOPPED, EngineFailure.TEXT, None, EngineFailure.HINT, None)
            assert gone.state is None
            after = spent(victor)
            assert [one.rows < other.rows for one, other in zip(before, after, strict=True)] == [True, True]
        stopped, going = victor.ask(PEOPLE)
        assert stopped.error == here.error
        assert going.state is None
        assert spent(victor)[0].rows > after[0].rows  # each is charged as usual
        assert victor.here.ask("SELECT 1").rows == ((1,),)
        assert [side.state for side in mallory.ask(ODDS)] == [None, None]
        for served, size in zip(duel.served, sizes, strict=True):
            check_log(served.log.read_text()[size:])
    finally:
        for served in duel.served:
            clear(served, "victor")
        assert [side.state for side in victor.ask(ODDS)] == [None, None]
        close(victor)
        close(mallory)


def check_log(text: str) -> None:
    """No value, no literal, no name of a table's, no word of the engine's."""
    assert "statement" in text
    assert not [word for word in WORDS if word in text.replace("private statements of", "")], text


@pytest.mark.parametrize("form", ["text", "json"])
async def test_a_failure_of_duckdb_is_logged_without_its_words(tmp_path: Path, form: Form) -> None:
    """The engine quotes the row and the text; what is logged is the kind of its error and the charge."""
    path = tmp_path / "small.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE odds AS SELECT '{SECRET}' AS t")
    sql = f"SELECT sum(CAST(t AS INTEGER) + {LITERAL}) AS m0 FROM odds"
    with duckdb.connect(str(path), read_only=True) as connection, pytest.raises(duckdb.ConversionException) as plain:
        connection.execute(sql).fetchall()
    assert SECRET in str(plain.value)
    engine, world = DuckDBEngine.open(path), World()
    resources = Resources(engine, world, world.later, Speed(60.0, 1e-7))  # type: ignore[arg-type]
    with listening(form) as log:
        try:
            with pytest.raises(EngineFailure) as told:
                await answer(resources, None, ACCOUNT, releases(of(sql)), sql, Ticket())
            logging.getLogger("dpproxy.test").error("it failed: %s", told.value, exc_info=told.value)
            await asyncio.sleep(0.01)
        finally:
            await engine.close()
    assert (told.value.message, told.value.detail, told.value.position) == (EngineFailure.TEXT, None, None)
    assert world.log == ["charge", "stop alice", "failed"]
    assert "ConversionException" in log.getvalue()
    assert not [word for word in (SECRET, "Zelda", str(LITERAL), "CAST", "odds") if word in log.getvalue()]


@contextmanager
def listening(form: Form) -> Iterator[io.StringIO]:
    """What dpproxy logs, as it would be on stderr."""
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    handler.setFormatter(FORMATTERS[form]())
    logging.getLogger("dpproxy").addHandler(handler)
    try:
        yield heard
    finally:
        logging.getLogger("dpproxy").removeHandler(handler)
