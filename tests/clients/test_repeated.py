"""Repeated questions are free: over the wire, from several sessions, in other words, and what is not a repetition."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest

from dpproxy.cli.verifier import verifier

from .backends import Backend, made_world
from .conftest import ANALYSTS
from .served import Served, serving, spent

pytestmark = pytest.mark.long

FREE = "charged epsilon 0, delta 0 (stored release of "


class Asking:
    """A session of alice's, with the notices that it got."""

    def __init__(self, served: Served, **more: Any) -> None:
        self.connection = served.connect("alice", **more)
        self.notices: list[str] = []
        self.connection.add_notice_handler(lambda told: self.notices.append(told.message_primary or ""))

    def __call__(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        self.notices.clear()
        return self.connection.execute(sql, parameters or None).fetchall()

    @property
    def spent(self) -> Decimal:
        return spent(self.connection)[0]

    def free(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Asks what has to cost nothing."""
        before = self.spent
        rows = self(sql, *parameters)
        assert self.notices and FREE in self.notices[0], self.notices
        assert self.spent == before
        return rows

    def paid(self, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Asks what has to cost something."""
        before = self.spent
        rows = self(sql, *parameters)
        assert self.notices and "stored release" not in self.notices[0], self.notices
        assert self.spent > before
        return rows


@pytest.fixture(scope="module")
def world(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The world, with releases stored as they are by default."""
    with made_world(backend, tmp_path_factory.mktemp("repeated")) as policy:
        text = policy.read_text()
        kept = re.sub(r"stored_bytes.*\n", "", text)
        assert kept != text
        policy.write_text(kept + ANALYSTS.format(verifier=verifier("secret")))
        with serving(policy, "demo") as served:
            yield served


@pytest.fixture
def ask(world: Served) -> Iterator[Asking]:
    asking = Asking(world)
    yield asking
    asking.connection.close()


def new() -> int:
    """A number that no other question has."""
    return uuid.uuid4().int % 10**9 + 10**6


def test_the_same_question_costs_nothing(ask: Asking) -> None:
    n = new()
    first = ask.paid(f"SELECT sex, count(*), avg(age) FROM people WHERE income < {n} GROUP BY sex ORDER BY sex")
    for again in (
        f"SELECT sex, count(*), avg(age) FROM people WHERE income < {n} GROUP BY sex ORDER BY sex",
        f"select sex,count(*),avg(p.age) /* again */ from public.people as p where p.income<{n} group by 1 order by 1",
        f"WITH t AS (SELECT count(*) AS a, avg(age) AS b, sex FROM people WHERE income < {n} GROUP BY sex)"
        " SELECT sex, a, b FROM t ORDER BY 1",
    ):
        assert ask.free(again) == first


def test_the_post_statement_always_runs(ask: Asking) -> None:
    n = new()
    rows = ask.paid(f"SELECT sex, count(*) FROM people WHERE income < {n} GROUP BY sex ORDER BY sex")
    asked = f"FROM people WHERE income < {n} GROUP BY sex"
    assert ask.free(f"SELECT sex, count(*) {asked} ORDER BY sex DESC") == rows[::-1]
    assert ask.free(f"SELECT sex, count(*) {asked} ORDER BY sex LIMIT 1") == rows[:1]
    assert ask.free(f"SELECT max(c) FROM (SELECT count(*) AS c {asked}) t") == [(max(count for _, count in rows),)]
    assert ask.free(f"SELECT sex FROM (SELECT sex, count(*) AS c {asked}) t WHERE c > 1000000") == []
    ask.connection.execute(f"CREATE TABLE kept AS SELECT sex, count(*) AS c {asked}")
    assert FREE in ask.notices[-1]
    assert ask("SELECT * FROM kept ORDER BY sex") == rows
    ask.connection.execute("DROP TABLE kept")


def test_every_way_of_asking_finds_it(ask: Asking, world: Served) -> None:
    n = new()
    [(count,)] = ask.paid(f"SELECT count(*) FROM people WHERE income < {n}")
    assert ask.free("SELECT count(*) FROM people WHERE income < %s", Decimal(n)) == [(count,)]
    with ask.connection.transaction():
        ask.connection.execute(f"DECLARE c CURSOR FOR SELECT count(*) FROM people WHERE income < {n}")
        assert ask.connection.execute("FETCH ALL FROM c").fetchall() == [(count,)]
    with ask.connection.cursor().copy(f"COPY (SELECT count(*) FROM people WHERE income < {n}) TO STDOUT") as copy:
        assert [row[0] for row in copy.rows()] == [str(count)]
    other = Asking(world)
    assert other.free(f"SELECT count(*) FROM people WHERE income < {n}") == [(count,)]
    other.connection.close()


def test_another_question_is_paid(ask: Asking) -> None:
    n = new()
    ask.paid(f"SELECT count(*) FROM people WHERE income < {n}")
    ask.paid(f"SELECT count(*) FROM people WHERE income < {n + 1}")
    ask.paid(f"SELECT count(*) FROM people WHERE income <= {n}")
    ask.connection.execute("SET dp.epsilon = 0.2")
    ask.paid(f"SELECT count(*) FROM people WHERE income < {n}")
    ask.connection.execute("RESET dp.epsilon")
    ask.free(f"SELECT count(*) FROM people WHERE income < {n}")
    ask.connection.execute("SET dp.mechanism = laplace")
    ask.paid(f"SELECT count(*) FROM people WHERE income < {n}")


def test_fresh_pays_for_new_noise(ask: Asking) -> None:
    sql = f"SELECT sum(income) FROM people WHERE income < {new()}"
    first = ask.paid(sql)
    ask.connection.execute("SET dp.fresh = on")
    fresh = [ask.paid(sql) for _ in range(3)]
    assert len({first[0], *(rows[0] for rows in fresh)}) == 4
    ask.connection.execute("SET dp.fresh = off")
    assert ask.free(sql) == fresh[-1]


def test_averaging_gets_nothing(ask: Asking) -> None:
    sql = f"SELECT sum(income) FROM people WHERE income < {new()}"
    ask.paid(sql)
    assert len({ask.free(sql)[0] for _ in range(20)}) == 1


def test_another_analyst_pays(ask: Asking, world: Served) -> None:
    sql = f"SELECT sum(income) FROM people WHERE income < {new()}"
    mine = ask.paid(sql)
    with world.connect("erna") as erna:
        before = spent(erna)[2]
        theirs = erna.execute(sql).fetchall()
        assert spent(erna)[2] == before + 1
        assert theirs != mine


def test_a_part_that_is_there_is_not_paid_again(ask: Asking) -> None:
    n = new()
    inner = f"SELECT avg(income) FROM people WHERE income < {n}"
    sql = f"SELECT count(*) FROM people WHERE income > ({inner})"
    before = ask.spent
    whole = ask.paid(sql)
    full = ask.spent - before
    assert ask.free(sql) == whole
    # Two releases share the price, so the inner one by itself has other noise, and the outer one another threshold.
    ask.paid(inner)
    before = ask.spent
    ask("SELECT (SELECT count(*) FROM people WHERE income < %s), (SELECT sum(age) FROM people WHERE income < %s)", n, n)
    ask(
        "SELECT (SELECT count(*) FROM people WHERE income < %s), (SELECT sum(age * 2) FROM people WHERE income < %s)",
        n,
        n,
    )
    assert "parts: stored release of" in ask.notices[0]
    assert ask.spent - before < 2 * full


def test_asked_twenty_times_at_once_it_is_charged_once(world: Served) -> None:
    sql = f"SELECT dept, count(*), sum(cost) FROM visits WHERE cost < {new()} GROUP BY dept"
    sessions = [world.connect("erna") for _ in range(20)]
    before = spent(sessions[0])[2]
    start, answers = threading.Barrier(20), list[list[tuple[Any, ...]]]()

    def work(connection: psycopg.Connection[Any]) -> None:
        start.wait(30)
        answers.append(sorted(connection.execute(sql).fetchall(), key=str))

    threads = [threading.Thread(target=work, args=(each,)) for each in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(answers) == 20
    assert all(each == answers[0] for each in answers)
    assert spent(sessions[0])[2] == before + 1
    for each in sessions:
        each.close()


def test_a_stored_answer_is_in_last_statement(ask: Asking) -> None:
    n = new()
    ask.paid(f"SELECT count(*) FROM people WHERE income < {n}")
    told = ask('SELECT "column", stddev FROM dp.last_statement')
    ask.paid(f"SELECT sum(age) FROM people WHERE income < {n}")
    ask.free(f"SELECT count(*) FROM people WHERE income < {n}")
    assert ask('SELECT "column", stddev FROM dp.last_statement') == told


def test_a_choice_is_told_again(ask: Asking) -> None:
    """At a price that leaves it to chance: another draw would often be another key."""
    sql = f"SELECT dept FROM visits JOIN departments USING (dept) WHERE cost < {new()} GROUP BY dept"
    ask.connection.execute("SET dp.epsilon = 0.0001")
    chosen = ask.paid(f"{sql} ORDER BY count(*) DESC LIMIT 1")
    assert len(chosen) == 1
    for _ in range(5):
        assert ask.free(f"{sql} ORDER BY count(*) DESC, dept LIMIT 1") == chosen
    ask.paid(f"{sql} ORDER BY dept")


def test_explain_tells_what_is_there(ask: Asking) -> None:
    n = new()
    sql = f"SELECT count(*) FROM people WHERE income > (SELECT avg(income) FROM people WHERE income < {n})"
    assert not [line for (line,) in ask("EXPLAIN " + sql) if "Stored" in line]
    ask.paid(sql)
    assert [line for (line,) in ask("EXPLAIN " + sql) if "Stored" in line] == [
        "Stored: 2 of 2 releases were paid for before and cost nothing; SET dp.fresh = on to pay for new noise"
    ]
    assert ("Cost: epsilon 0, delta 0",) in ask("EXPLAIN " + sql)
    assert not [line for (line,) in ask("EXPLAIN " + sql) if line.startswith("Left: ")]
    document = ask("EXPLAIN (FORMAT JSON) " + sql)[0][0][0]
    assert (document["Stored"], document["Cost"]) == (2, {"epsilon": 0, "delta": 0})
    ask.connection.execute("SET dp.fresh = on")
    lines = [line for (line,) in ask("EXPLAIN " + sql)]
    ask.connection.execute("RESET dp.fresh")
    assert "Cost: epsilon 0, delta 0" not in lines and not [line for line in lines if "Stored" in line]


def test_explain_tells_what_the_rest_is_charged(ask: Asking) -> None:
    """Of a statement of which one part was paid for before: what is told beforehand is what is spent."""
    n = new()
    count = f"SELECT (SELECT count(*) FROM people WHERE income < {n})"
    ask.paid(f"{count}, (SELECT sum(age) FROM people WHERE income < {n})")
    sql = f"{count}, (SELECT sum(age * 2) FROM people WHERE income < {n})"
    [document] = ask("EXPLAIN (FORMAT JSON) " + sql)[0][0]
    ask(sql)
    charged = re.search(r"charged epsilon ([\d.]+), delta 0 \(1 of 2 parts: stored release", ask.notices[0])
    assert charged is not None, ask.notices
    assert document["Stored"] == 1
    assert document["Cost"] == {"epsilon": pytest.approx(float(charged[1]), rel=1e-5), "delta": 0}
    assert 0 < document["Cost"]["epsilon"] < 1  # all of it costs 1
