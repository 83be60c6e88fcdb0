"""Several proxies before one engine, with one front or one each and one ledger, behave as one."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psycopg
import pytest
from clients.served import Served, serving, spent
from given import forget_given_world, given_policy, make_given_world, url
from scratch_postgres import MAJORS, ScratchPostgres, scratch_postgres

pytestmark = pytest.mark.long

PROXIES = 3
CLIENTS = 50
STORED = {"stored_bytes = 0": "stored_bytes = 1000000"}
# Fifty clients spend it in a moment: a few statements each at most.
RACER = """
[analysts.racer]
trust = true
epsilon = 0.6
delta = 1e-6
[analysts.racer.defaults]
epsilon = 0.1

[budgets.everyone]
epsilon = 1000
delta = 1e-3
"""

Connect = Callable[[int], psycopg.Connection[Any]]


@pytest.fixture(scope="module")
def server() -> Iterator[ScratchPostgres]:
    with scratch_postgres(list(MAJORS.values())[-1]) as running:
        yield running


@pytest.fixture(scope="module", params=["one front", "a front each"])
def proxies(
    request: pytest.FixtureRequest, server: ScratchPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[Served]]:
    directory = tmp_path_factory.mktemp("several")
    make_given_world(directory, server)
    with ExitStack() as stack:
        stack.callback(forget_given_world, server)
        yield [
            stack.enter_context(serving(policy(directory, server, n, request.param), "demo")) for n in range(PROXIES)
        ]


def policy(directory: Path, server: ScratchPostgres, number: int, fronts: str) -> Path:
    own = directory / str(number)
    own.mkdir()
    front = {f'"{url(server, "keeper", "demo")}"': f'"embedded:{own}/front"'} if fronts == "a front each" else {}
    path = given_policy(own, server, STORED | front)
    path.write_text(path.read_text() + RACER)
    return path


def new() -> int:
    return uuid.uuid4().int % 10**9 + 10**6


def together(work: list[Callable[[], None]]) -> None:
    """All of it at once; what one raises is raised."""
    with ThreadPoolExecutor(len(work)) as pool:
        for future in [pool.submit(each) for each in work]:
            future.result(120)


def test_what_one_was_paid_for_all_tell(proxies: list[Served]) -> None:
    sql = f"SELECT sex, count(*), sum(age) FROM people WHERE income < {new()} GROUP BY sex ORDER BY sex"
    sessions = [each.connect() for each in proxies]
    before = spent(sessions[0])
    answers = [session.execute(sql).fetchall() for session in sessions]
    assert all(each == answers[0] for each in answers)
    after = [spent(session) for session in sessions]
    assert all(each == after[0] for each in after)
    assert after[0][2] == before[2] + 1
    for session in sessions:
        session.close()


def test_asked_at_all_of_them_at_once_it_is_paid_once(proxies: list[Served]) -> None:
    sql = f"SELECT dept, count(*), sum(cost) FROM visits WHERE cost < {new()} GROUP BY dept"
    sessions = [proxies[number % PROXIES].connect() for number in range(18)]
    before = spent(sessions[0])[2]
    answers: list[list[tuple[Any, ...]]] = []
    together([lambda s=each: answers.append(sorted(s.execute(sql).fetchall(), key=str)) for each in sessions])
    assert len(answers) == len(sessions)
    assert all(each == answers[0] for each in answers)
    assert spent(sessions[-1])[2] == before + 1
    for each in sessions:
        each.close()


def test_views_say_the_same_everywhere(proxies: list[Served]) -> None:
    with proxies[0].connect() as one, proxies[1].connect() as other:
        one.execute("SELECT count(*) FROM people WHERE income < %s", (new(),))
        for sql in ("SELECT * FROM dp.budget", "SELECT * FROM dp.statements ORDER BY id DESC LIMIT 5"):
            assert one.execute(sql).fetchall() == other.execute(sql).fetchall()


def test_fifty_clients_never_overspend(proxies: list[Served]) -> None:
    sessions = [proxies[number % PROXIES].connect("racer") for number in range(CLIENTS)]
    done: list[tuple[int, int]] = []
    start = threading.Barrier(CLIENTS)

    def work(number: int) -> None:
        session, paid, refused = sessions[number], 0, 0
        start.wait(60)
        while not refused and paid < 100:
            try:
                session.execute("SELECT count(*) FROM people WHERE income < %s", (new(),))
                paid += 1
            except psycopg.Error as fault:
                assert fault.sqlstate == "DP001", fault
                refused += 1
        done.append((paid, refused))

    together([lambda n=number: work(n) for number in range(CLIENTS)])
    answered = sum(paid for paid, _ in done)
    for served in proxies:
        with served.connect("racer") as racer:
            row = racer.execute(
                "SELECT epsilon, spent_epsilon, remaining_epsilon, (SELECT count(*) FROM dp.statements) FROM dp.budget"
            ).fetchone()
            assert row is not None
            epsilon, used, left, charges = row
            assert charges == answered > 0
            assert used <= epsilon
            assert left < epsilon
            with pytest.raises(psycopg.Error) as refused:
                racer.execute("SELECT count(*) FROM people WHERE income < %s", (new(),))
            assert refused.value.sqlstate == "DP001"
    for session in sessions:
        session.close()
