"""A reload on SIGHUP: what changes for sessions that are there, what does not, and a bad file changes nothing."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from proxies import ServedProxy, serving, write_policy

pytestmark = pytest.mark.long

ZOE = """
[analysts.zoe]
trust = true
epsilon = 3
delta = 1e-6
"""
PATIENCE = 20.0


class Reloading:
    """A running proxy and its configuration's file."""

    def __init__(self, proxy: ServedProxy) -> None:
        self.proxy, self.path = proxy, proxy.config.path
        self.first = self.path.read_text()

    def __call__(self, change: Callable[[str], str]) -> str:
        """Write the file as `change` makes it of the first one, send SIGHUP; what the log says then."""
        text = change(self.first)
        assert text != self.path.read_text()
        return self.written(text)

    def written(self, text: str) -> str:
        self.path.write_text(text)
        known = len(self.log())
        self.proxy.process.send_signal(signal.SIGHUP)
        end = time.monotonic() + PATIENCE
        while "reloaded" not in (told := self.log()[known:]) or not told.endswith("\n"):
            assert time.monotonic() < end, told
            time.sleep(0.02)
        return told

    def log(self) -> str:
        return self.proxy.log.read_text()

    def connect(self, user: str = "alice") -> psycopg.Connection[Any]:
        return psycopg.connect(self.proxy.dsn(user), autocommit=True)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reloading]:
    config = write_policy(tmp_path_factory.mktemp("reload") / "town", {"stored_bytes = 0": "stored_bytes = 1000000"})
    with serving(config) as proxy:
        yield Reloading(proxy)


@pytest.fixture
def reload(running: Reloading) -> Iterator[Reloading]:
    yield running
    if running.path.read_text() != running.first:
        running.written(running.first)


@pytest.mark.long
def test_a_new_analyst_comes_in_and_nobody_else_notices(reload: Reloading) -> None:
    with pytest.raises(psycopg.OperationalError):
        reload.connect("zoe")
    with reload.connect() as alice:
        alice.execute("BEGIN")
        alice.execute("CREATE TABLE mine AS SELECT 1 AS x")
        assert "not reloaded" not in reload(lambda text: text + ZOE)
        assert alice.execute("SELECT x FROM mine").fetchall() == [(1,)]
        alice.execute("ROLLBACK")
        with reload.connect("zoe") as zoe:
            assert zoe.execute("SELECT count(*) > 0 FROM departments").fetchone() == (True,)
            assert zoe.execute("SELECT epsilon FROM dp.budget").fetchone() == (3,)


def test_who_is_gone_is_sent_away(reload: Reloading) -> None:
    reload(lambda text: text + ZOE)
    with reload.connect() as alice:
        zoe = reload.connect("zoe")
        reload.written(reload.first)
        with pytest.raises(psycopg.OperationalError, match="administrator command"):
            zoe.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            reload.connect("zoe")
        assert alice.execute("SELECT 1").fetchone() == (1,)


def test_a_session_has_the_new_budget_at_its_next_statement(reload: Reloading) -> None:
    with reload.connect() as alice:
        reload(lambda text: text.replace("epsilon = 100.0", "epsilon = 200.0"))
        assert alice.execute("SELECT epsilon FROM dp.budget").fetchone() == (200,)
        with reload.connect() as newcomer:
            assert newcomer.execute("SELECT epsilon FROM dp.budget").fetchone() == (200,)


def test_a_prepared_statement_is_planned_by_the_new_policy(reload: Reloading) -> None:
    with reload.connect() as alice, alice.cursor() as cursor:
        sql = "SELECT count(*) FROM people WHERE age > %s"
        cursor.execute(sql, (30,), prepare=True)
        cursor.execute(sql, (31,), prepare=True)
        reload(lambda text: text.replace("age = {", "age = { hidden = true,"))
        with pytest.raises(psycopg.Error) as refused:
            cursor.execute(sql, (32,), prepare=True)
        assert refused.value.sqlstate in ("42703", "0A000"), refused.value
        reload.written(reload.first)
    with reload.connect() as alice:
        assert len(alice.execute(sql, (33,)).fetchall()) == 1


def test_a_table_that_is_taken_away_is_away(reload: Reloading) -> None:
    with reload.connect() as alice:
        assert alice.execute("SELECT count(*) FROM departments").fetchone() is not None
        reload(lambda text: text.replace("[analysts.alice]", '[analysts.alice]\ntables = ["people"]'))
        for sql in ("SELECT count(*) FROM departments", "SELECT count(*) FROM visits"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                alice.execute(sql)
        assert len(alice.execute("SELECT count(*) FROM people").fetchall()) == 1


def test_another_version_of_the_data_is_asked_anew(reload: Reloading) -> None:
    notices: list[str] = []
    with reload.connect() as alice:
        alice.add_notice_handler(lambda told: notices.append(told.message_primary or ""))
        sql = "SELECT sum(age) FROM people WHERE age > 17"
        alice.execute(sql)
        alice.execute(sql)
        assert "stored release" in notices[-1]
        reload(lambda text: text.replace('data_version = "1"', 'data_version = "2"'))
        alice.execute(sql)
        assert "stored release" not in notices[-1]
        reload.written(reload.first)
        alice.execute(sql)
        assert "stored release" in notices[-1]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[privacy]", "[privacy", "expected TOML"),
        ('accounting = "zcdp"', 'accounting = "pure"', "privacy.accounting: cannot change while the proxy runs"),
        ("port = 0", "port = 1", "server.port: cannot change while the proxy runs"),
        ("age = { type", "agee = { type", "tables.people.columns.agee"),
        ("epsilon = 100.0", "epsilon = 0", "analysts.alice.epsilon"),
    ],
)
def test_a_bad_file_changes_nothing(reload: Reloading, old: str, new: str, told: str) -> None:
    with reload.connect() as alice:
        assert old in reload.first
        said = reload(lambda text: text.replace(old, new))
        assert "not reloaded, all is as it was" in said
        assert told in said
        assert alice.execute("SELECT epsilon FROM dp.budget").fetchone() == (100,)
        assert len(alice.execute("SELECT avg(age) FROM people").fetchall()) == 1


def test_reloads_while_sessions_work(reload: Reloading) -> None:
    with reload.connect() as alice:
        for number in range(5):
            reload(lambda text, n=number: text.replace("epsilon = 100.0", f"epsilon = {300 + n}.0"))
            assert len(alice.execute("SELECT count(*) FROM people WHERE age < %s", (40 + number,)).fetchall()) == 1


def test_nothing_of_it_needs_the_file_to_stay(reload: Reloading, tmp_path: Path) -> None:
    away = tmp_path / "away.toml"
    reload.path.rename(away)
    try:
        with reload.connect() as alice:
            known = len(reload.log())
            reload.proxy.process.send_signal(signal.SIGHUP)
            end = time.monotonic() + PATIENCE
            while "not reloaded" not in reload.log()[known:]:
                assert time.monotonic() < end
                time.sleep(0.02)
            assert alice.execute("SELECT 1").fetchone() == (1,)
    finally:
        away.rename(reload.path)


@pytest.mark.long
def test_an_open_transaction_does_not_keep_a_policy_from_getting_tighter(reload: Reloading) -> None:
    holding, resting = reload.connect(), reload.connect()
    holding.execute("BEGIN")
    holding.execute("SELECT count(*) FROM people LIMIT 0")
    said = reload(lambda text: text.replace("age = {", "age = { hidden = true,"))
    assert "not reloaded" not in said
    with pytest.raises(psycopg.OperationalError, match="administrator command"):
        holding.execute("SELECT 1")
    assert resting.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(psycopg.errors.UndefinedColumn):
        resting.execute("SELECT avg(age) FROM people")
    resting.close()


def test_a_plan_of_the_old_policy_is_not_answered_under_the_new_one(reload: Reloading) -> None:
    """A view of the analyst's own, which is read between plan and charge, can take as long as they like."""
    with reload.connect() as alice, reload.connect() as watching:
        alice.execute("CREATE VIEW alice.slow AS SELECT 1 AS x FROM pg_sleep(3)")
        before = watching.execute("SELECT count(*) FROM dp.statements").fetchone()
        with ThreadPoolExecutor(1) as pool:
            asked = "SELECT count(*) FROM visits JOIN alice.slow ON true"
            answer = pool.submit(lambda: alice.execute(asked).fetchall())
            time.sleep(4)  # its rows are counted before it is planned, and read after
            reload(lambda text: text.replace("epsilon = 100.0", "epsilon = 150.0"))
            with pytest.raises(psycopg.errors.SerializationFailure, match="the policy has changed"):
                answer.result(PATIENCE)
        assert watching.execute("SELECT count(*) FROM dp.statements").fetchone() == before
        alice.execute("DROP VIEW alice.slow")


def test_a_lower_budget_does_not_spoil_the_history(reload: Reloading) -> None:
    with reload.connect() as alice:
        reload(lambda text: text.replace("epsilon = 100.0", "epsilon = 500.0"))
        alice.execute("SELECT count(*) FROM people WHERE age < 55")
        reload.written(reload.first.replace("epsilon = 100.0", "epsilon = 90.0"))
        rows = alice.execute("SELECT remaining_epsilon FROM dp.statements").fetchall()
        assert rows and all(left >= 0 for (left,) in rows)
