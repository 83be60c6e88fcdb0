"""Time and resources: what one person's rows make slow, and what of that can be seen.

The plain engines show the attack first: a row makes them sleep, work for long, or leave a trace. Before the proxy such
words are refused, uncharged; what is taken has a cost that no value blows up; and what multiplies one person's rows is
refused, too, before anything runs. What little work is left to one person is hidden by noise: in the time limit always,
and in the moments of answers with `constant_time`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from threading import Timer
from time import monotonic

import pytest
from clients.backends import Backend
from clients.served import Served, serving

from attacks.conftest import _world as world_with_zelda
from attacks.duel import Connected, Duel, Pair, Seen, Side
from attacks.slow import AS_LARGE_AS_A_VALUE, EFFECTS, FOR_ZELDA, NEVER_THE_SAME, PLACES, TAKEN
from dpproxy.answering.deadlines import CANCELING

pytestmark = pytest.mark.long

LIMIT = 20.0
BUSY = 5.0
"""How far two ends may be apart on a busy machine."""
TICK = 0.01
"""The event loop's clock is read once a turn, in whole milliseconds: what it waits for may end so much early."""

COUNT = "SELECT count(*) FROM people"
# Zelda's rows with themselves, many times over; nobody is number 1001. The fewer of her rows, the fewer millions.
FANNED_OUT = """
SELECT count(*) FROM visits a JOIN visits b ON b.person_id = a.person_id JOIN visits c ON c.person_id = a.person_id
WHERE a.person_id = 1000 AND a.visit_id < {rows} AND b.cost >= 0 AND c.cost >= 0"""
ROWS = {Backend.EMBEDDED: 100_060, Backend.GIVEN: 100_020}
EXPLODED = """
SELECT count(*) FROM visits a JOIN visits b ON b.person_id = a.person_id JOIN visits c ON c.person_id = a.person_id
JOIN visits d ON d.person_id = a.person_id WHERE a.person_id = {person} AND a.cost + b.cost + c.cost + d.cost >= 0"""
# A failure as an oracle: somebody's one row, times ten to the ninth, is too much for any limit; nobody's is nothing.
ORACLE = """
SELECT count(*) FROM visits, generate_series(1, 1000) a, generate_series(1, 1000) b, generate_series(1, 1000) c
WHERE visits.person_id = {person} AND visits.cost >= 0"""
# Pairs of one person's rows, ten thousand times: little of the limit for one person, too much of it for all.
PAIRED = """
SELECT count(*) FROM visits a JOIN visits b ON b.person_id = a.person_id, generate_series(1, 1000) c,
generate_series(1, 10) d WHERE a.person_id = 1000 AND b.cost >= 0"""
NESTED = """
SELECT count(*) FROM (SELECT v.person_id FROM visits v CROSS JOIN (VALUES {rows}) AS a (x)) AS i
CROSS JOIN LATERAL (SELECT y FROM generate_series(1, 900) AS b (y)) AS j WHERE person_id = {person}""".replace(
    "{rows}", ", ".join(f"({each})" for each in range(900))
)
# What makes one row slow in each plain engine, and no other row; SQUARE by the square of a text's length.
SLEEP = FOR_ZELDA.format(evil="pg_sleep(0.02) IS NOT NULL")
LARGE = {
    Backend.EMBEDDED: "len(range(CASE WHEN p.person_id = 1000 THEN 30000000 ELSE 0 END)) > 0",
    Backend.GIVEN: "length(repeat('x', CASE WHEN p.person_id = 1000 THEN 100000000 ELSE 0 END)) > 0",
}
SQUARE = "SELECT count(*) FROM odds WHERE length(regexp_replace(left(t, 5000), '[a-zZ ]([^~]*~)?', 'y', 'g')) > 5"
REFUSED = {"0A000", "DP002", "42501", "42P01", "42883"}


@dataclass(frozen=True)
class Timed:
    """What was seen, and after how many seconds."""

    seen: Seen
    after: float


def timed(side: Side, sql: str) -> Timed:
    begun = monotonic()
    seen = side.ask(sql)
    return Timed(seen, monotonic() - begun)


def quickest(side: Side, sql: str, times: int = 3) -> float:
    """The least time of a few: what a quiet machine takes, or nearly so."""
    return min(timed(side, sql).after for _ in range(times))


def spent(side: Side) -> object:
    return side.ask("SELECT spent_epsilon, (SELECT count(*) FROM dp.statements) FROM dp.budget").rows


# The plain engines


@pytest.mark.parametrize("place", PLACES)
def test_a_row_makes_the_plain_engine_sleep(given_duel: Duel, place: str) -> None:
    here, gone = given_duel.plain.ask(sql := PLACES[place].format(evil=SLEEP))
    assert here.error is None and gone.error is None
    assert quickest(given_duel.plain.here, sql, 1) > 0.02
    assert quickest(given_duel.plain.gone, sql, 5) < 0.02


def test_a_row_makes_the_plain_engine_work(duel: Duel) -> None:
    for sql in (PLACES["where"].format(evil=LARGE[duel.backend]), SQUARE, FANNED_OUT.format(rows=ROWS[duel.backend])):
        assert duel.plain.here.ask(sql).error is None
        assert quickest(duel.plain.here, sql) > 3 * quickest(duel.plain.gone, sql, 5), sql


def test_a_row_leaves_a_trace_in_the_plain_engine(given_duel: Duel) -> None:
    """What one statement set, another reads."""
    sql = PLACES["where"].format(evil=FOR_ZELDA.format(evil="set_config('my.seen', 'yes', false) IS NOT NULL"))
    given_duel.plain.ask(sql)
    here, gone = given_duel.plain.ask("SELECT current_setting('my.seen', true)")
    assert (here.rows, gone.rows) == ((("yes",),), ((None,),))


# The proxy


def refused(pair: Pair, sqls: list[str]) -> list[str]:
    """Those of the statements that are not refused, or not alike, with what is seen."""
    found = []
    for sql in sqls:
        here, gone = pair.ask(sql)
        if here != gone or here.state not in REFUSED:
            found.append(f"{sql}\n  {here}\n  {gone}")
    return found


def test_nothing_sleeps_or_has_effects_in_any_place(mallory: Pair) -> None:
    before = spent(mallory.here), spent(mallory.gone)
    evils = ("pg_sleep(0.02) IS NOT NULL", "random() < 0.5", "clock_timestamp() > now()")
    sqls = [place.format(evil=FOR_ZELDA.format(evil=evil)) for place in PLACES.values() for evil in evils]
    assert refused(mallory, sqls) == []
    assert (spent(mallory.here), spent(mallory.gone)) == before


@pytest.mark.parametrize("kind", [EFFECTS, NEVER_THE_SAME, AS_LARGE_AS_A_VALUE], ids=["effects", "volatile", "large"])
def test_each_such_word_is_refused(mallory: Pair, kind: tuple[str, ...]) -> None:
    before = spent(mallory.here), spent(mallory.gone)
    each = [PLACES[place].format(evil=evil) for evil in kind for place in ("where", "measure")]
    zelda = [PLACES["where"].format(evil=FOR_ZELDA.format(evil=evil)) for evil in kind]
    assert refused(mallory, [*each, *zelda, SQUARE]) == []
    assert (spent(mallory.here), spent(mallory.gone)) == before


def test_heavy_words_that_are_taken_are_total_and_quick(mallory: Pair) -> None:
    """A text of 120,000 letters in one row: each is answered alike, in a time that the text is worth."""
    for word in TAKEN:
        sql = f"SELECT count(*) FROM odds p WHERE {word.format(text='p.t')}"
        here, gone = mallory.ask(sql)
        assert here.error is None and here.outline == gone.outline, (sql, here, gone)
        assert quickest(mallory.here, sql, 2) < 2.0, sql


def test_what_multiplies_rows_is_refused_before_the_charge(mallory: Pair) -> None:
    """At any epsilon, alike whether the person is there or not, and as one of four sessions at once."""
    forms = (ORACLE, NESTED, EXPLODED)
    before = spent(mallory.here), spent(mallory.gone)
    for epsilon, people in (("1e-12", (1000,)), ("1", (1000, 1001, 7)), ("1000", (1000,))):
        mallory.ask(f"SET dp.epsilon = '{epsilon}'")
        for sql in (each.format(person=person) for each in forms for person in people):
            here, gone = mallory.ask(sql)
            assert here == gone and here.state == "DP002", (epsilon, sql, here, gone)
            assert here.error is not None and here.error[3], "a hint"
    mallory.ask("RESET dp.epsilon")
    assert (spent(mallory.here), spent(mallory.gone)) == before


def test_at_a_tiny_epsilon_time_has_no_room_for_noise(mallory: Pair) -> None:
    """A count is answered: all of it is done long before the limit, whoever is there. What may not be is refused."""
    mallory.ask("SET dp.epsilon = '1e-12'")
    here, gone = mallory.ask(f"{COUNT} WHERE age >= 5")
    assert here.outline == gone.outline and here.error is None
    before = spent(mallory.here), spent(mallory.gone)
    here, gone = mallory.ask(PAIRED)
    assert here == gone and here.state == "DP002" and "ends within its limit" in str(here.error)
    mallory.ask("RESET dp.epsilon")
    assert (spent(mallory.here), spent(mallory.gone)) == before


# The proxy with moments that are covered


@dataclass(frozen=True)
class Paced:
    """A proxy with Zelda behind it whose answers are delayed."""

    backend: Backend
    served: Served

    def session(self, analyst: str = "mallory") -> Connected:
        return Connected.open(self.served.conninfo(analyst))


@pytest.fixture(scope="module", params=list(Backend))
def paced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paced]:
    backend: Backend = request.param
    with world_with_zelda(backend, tmp_path_factory.mktemp("paced") / "here", "here") as policy:
        text = policy.read_text()
        for section, keys in (("server", "constant_time = true"), ("engine", f'statement_timeout = "{LIMIT}s"')):
            assert text.count(f"\n[{section}]\n") == 1
            text = text.replace(f"\n[{section}]\n", f"\n[{section}]\n{keys}\n")
        policy.write_text(text)
        with serving(policy, "demo") as served:
            yield Paced(backend, served)


@pytest.fixture
def session(paced: Paced) -> Iterator[Connected]:
    made = paced.session()
    with closing(made.connection):
        yield made


def together(*works: Callable[[], Timed]) -> list[Timed]:
    with ThreadPoolExecutor(len(works)) as pool:
        return [each.result() for each in [pool.submit(work) for work in works]]


def told_delay(session: Connected) -> float:
    """The delay of the count at the session's epsilon, in multiples of one person's work."""
    [[lines]] = session.ask(f"EXPLAIN (FORMAT JSON) {COUNT}").rows or ()
    [plan] = json.loads(lines) if isinstance(lines, str) else lines
    return float(plan["Time"]["Delay"])


def epsilon_for(session: Connected, seconds: float) -> str:
    """An epsilon at which the count is delayed by about so long, told by one that is delayed by a little."""
    session.ask("SET dp.epsilon = 0.01")
    unit = quickest(session, f"{COUNT} WHERE age >= 0", 5) / told_delay(session)
    for epsilon in (10.0**-n for n in range(3, 9)):
        session.ask(f"SET dp.epsilon = '{epsilon:f}'")
        if told_delay(session) * unit >= seconds:
            return f"{epsilon:f}"
    raise AssertionError("no epsilon is small enough")


def test_answers_are_delayed_by_what_explain_says(session: Connected) -> None:
    """A hundredth of the epsilon: ten and more times the delay, beside the same work."""
    session.ask("SET dp.epsilon = 1")
    soon, small = quickest(session, f"{COUNT} WHERE age >= 1", 5), told_delay(session)
    session.ask("SET dp.epsilon = 0.0005")
    late, large = quickest(session, f"{COUNT} WHERE age >= 2", 5), told_delay(session)
    assert large > 1000 * small
    assert late > soon


def test_each_charge_pays_for_time(session: Connected) -> None:
    """With a delta, which the account must have; the time of a free statement is nobody's."""
    before = session.ask("SELECT spent_delta FROM dp.budget").rows
    assert session.ask(f"{COUNT} WHERE age >= 3").error is None
    assert session.ask("SELECT spent_delta FROM dp.budget").rows != before
    after = session.ask("SELECT spent_delta FROM dp.budget").rows
    free = "SELECT 1", "SELECT * FROM departments", f"EXPLAIN {COUNT}", "SELECT * FROM dp.budget"
    assert all(session.ask(sql).error is None for sql in free)
    assert session.ask("SELECT spent_delta FROM dp.budget").rows == after


def test_a_cancel_does_not_tell_whether_the_engine_was_done(paced: Paced, session: Connected) -> None:
    """One that was done long ago: its answer is held back, so it is cancelled, paid, as one at work would be."""
    epsilon = epsilon_for(session, 2.0)
    sessions = [paced.session(analyst) for analyst in ("mallory", "victor")]

    def canceled(side: Connected, at: float) -> Timed:
        timer = Timer(at, side.connection.cancel)
        begun = monotonic()  # before the timer's own thread is, or what was told after `at` seems to come earlier
        timer.start()
        seen = side.ask(f"{COUNT} WHERE age >= 4")
        told = monotonic()
        timer.join()
        return Timed(seen, told - begun)

    try:
        for side in sessions:
            side.ask(f"SET dp.epsilon = '{epsilon}'")
        before = [spent(side) for side in sessions]
        found = together(*(lambda a=a, at=at: canceled(a, at) for a, at in zip(sessions, (0.3, 0.6), strict=True)))  # type: ignore[misc]
        assert [each.seen.state for each in found] == ["57014"] * 2, found
        assert [each.seen.error for each in found] == [found[0].seen.error] * 2
        for each, at in zip(found, (0.3, 0.6), strict=True):
            assert at + CANCELING - TICK <= each.after < at + CANCELING + BUSY, found
        for side, old in zip(sessions, before, strict=True):
            assert spent(side) != old
            last = side.ask("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1")
            assert last.rows == (("canceled",),)
    finally:
        for side in sessions:
            side.connection.close()
