"""Time and resources: what one person's rows make slow, and what of that can be seen.

The plain engines show the attack first: a row makes them sleep, work for long, or leave a trace. Before the proxy such
words are refused, uncharged; what is taken has a cost that no value blows up. What rows can still make slow, a join
that fans out, is told by time unless `constant_time` is on: then on the grid (`paced`), and at the limit in one way.
"""

from __future__ import annotations

import re
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
from dpproxy.server.pace import ENDING

STEP, LIMIT = 0.5, 1.0
LAST = LIMIT + ENDING
BUSY = 0.35
"""How late the earliest of a few answers may be on a busy machine."""

COUNT = "SELECT count(*) FROM people"
# Zelda's rows with themselves, many times over; nobody is number 1001. The fewer of her rows, the fewer millions.
FANNED_OUT = """
SELECT count(*) FROM visits a JOIN visits b ON b.person_id = a.person_id JOIN visits c ON c.person_id = a.person_id
WHERE a.person_id = 1000 AND a.visit_id < {rows} AND b.cost >= 0 AND c.cost >= 0"""
ROWS = {Backend.EMBEDDED: 100_060, Backend.GIVEN: 100_020}
EXPLODED = """
SELECT count(*) FROM visits a JOIN visits b ON b.person_id = a.person_id JOIN visits c ON c.person_id = a.person_id
JOIN visits d ON d.person_id = a.person_id WHERE a.person_id = {person} AND a.cost + b.cost + c.cost + d.cost >= 0"""
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


def test_without_constant_time_a_row_is_seen_by_the_clock(duel: Duel, mallory: Pair) -> None:
    """The known limit: what rows make slow takes longer through the proxy, too."""
    sql = FANNED_OUT.format(rows=ROWS[duel.backend])
    assert quickest(mallory.here, sql) > 1.5 * quickest(mallory.gone, sql)


# The proxy on the grid


@dataclass(frozen=True)
class Paced:
    """A proxy with Zelda behind it whose answers leave after 0.5 seconds, or 3 at the limit of one second."""

    backend: Backend
    served: Served

    def session(self, analyst: str = "mallory") -> Connected:
        return Connected.open(self.served.conninfo(analyst))

    @property
    def slow(self) -> str:
        """Slower for Zelda's rows, and not as slow as a step."""
        return FANNED_OUT.format(rows=ROWS[self.backend])


@pytest.fixture(scope="module", params=list(Backend))
def paced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paced]:
    backend: Backend = request.param
    with world_with_zelda(backend, tmp_path_factory.mktemp("paced") / "here", "here") as policy:
        text = policy.read_text()
        for section, keys in (
            ("server", f'constant_time = true\ntime_grid = "{STEP}s"'),
            ("engine", f'statement_timeout = "{LIMIT}s"'),
        ):
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


def test_answers_leave_on_the_grid(paced: Paced, session: Connected) -> None:
    """One that takes the engine a millisecond, and one that takes it a hundred; two in a row leave at two steps."""
    session.ask(COUNT)
    for sql, steps in ((COUNT, 1), (paced.slow, 1), (f"{COUNT}; {COUNT}", 2)):
        found = [timed(session, sql) for _ in range(2)]
        assert all(each.seen.error is None and each.after >= steps * STEP for each in found), (sql, found)
        assert min(each.after for each in found) < steps * STEP + BUSY, (sql, found)


def test_what_touches_no_data_is_not_kept_back(session: Connected) -> None:
    free = "SELECT 1", "SELECT * FROM departments", f"EXPLAIN {COUNT}", "SELECT * FROM dp.budget"
    refused_ones = "SELECT * FROM people", "SELECT count(*) FROM people WHERE random() < 1"
    session.ask(free[1])
    assert all(quickest(session, sql) < STEP for sql in (*free, *refused_ones))


def test_a_cancel_does_not_tell_whether_the_engine_was_done(paced: Paced) -> None:
    """One that is done long ago, one that works on: both end half a second after the cancel, paid, with one outcome."""
    sqls = [COUNT, EXPLODED.format(person=1000)]
    sessions = [paced.session(analyst) for analyst in ("mallory", "victor")]

    def canceled(side: Connected, sql: str) -> Timed:
        timer = Timer(0.3, side.connection.cancel)
        timer.start()
        found = timed(side, sql)
        timer.join()
        return found

    try:
        before = [spent(side) for side in sessions]
        found = together(*(lambda a=a, b=b: canceled(a, b) for a, b in zip(sessions, sqls, strict=True)))  # type: ignore[misc]
        assert [each.seen.error for each in found] == [found[0].seen.error] * 2
        assert found[0].seen.state == "57014"
        assert all(each.after >= 0.3 + STEP for each in found), found
        assert abs(found[0].after - found[1].after) < BUSY, found
        for side, old in zip(sessions, before, strict=True):
            assert spent(side) != old
            last = side.ask("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1")
            assert last.rows == (("canceled",),)
    finally:
        for side in sessions:
            side.connection.close()


def test_the_limit_ends_all_in_one_way_and_only_for_who_asked(paced: Paced, session: Connected) -> None:
    """Zelda's rows make it slow, nobody's do not: the one is DP005 at the limit's moment, charged, and its analyst is
    stopped; meanwhile and afterwards others are answered as ever."""
    other = paced.session("victor")
    with closing(other.connection):
        nobody = timed(session, EXPLODED.format(person=1001))
        assert nobody.seen.error is None and STEP <= nobody.after < LAST
        before = spent(session)
        slow, fast = together(lambda: timed(session, EXPLODED.format(person=1000)), lambda: timed(other, COUNT))
        assert slow.seen.state == "DP005" and LAST <= slow.after < LAST + 2 * BUSY, slow
        assert fast.seen.error is None and fast.after < LIMIT + BUSY, fast
        told = session.ask("SELECT outcome FROM dp.statements ORDER BY id DESC LIMIT 1")
        assert told.rows == (("failed",),) and spent(session) != before
        again = timed(session, COUNT)
        assert again.seen.error == slow.seen.error and STEP <= again.after < LIMIT + BUSY, again
        assert re.search("Zelda|1000|timeout|interrupt|cancel", str(slow.seen), re.I) is None
        assert other.ask(COUNT).error is None
