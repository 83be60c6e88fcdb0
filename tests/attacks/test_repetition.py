"""Repetition: what is averaged, differenced or solved from many answers is worth no more than the budget.

Each attack guesses secret bits that were drawn for this run. It is right every time against the plain engine, and with
a budget without an end: so the attack itself is good. With the analyst's own budget, (ε, δ) in all, no attack whatever
is right about a fair bit with a probability above (e^ε + δ) / (1 + e^ε); its hits in n independent trials are below the
binomial's quantile then, but for one run in a million.

Sources: differencing and trackers, Denning and Denning (1979); averages over variants of a query, Denning (1980);
reconstruction, Dinur and Nissim (2003); the mode and the median of repeated Laplace answers, whose density has its peak
at the true value, Asghar and Kaafar (2020).
"""

from __future__ import annotations

import math
import secrets
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import psycopg
import pytest
from clients.backends import Backend, in_the_engine, made_world
from clients.served import Served, serving
from psycopg.conninfo import make_conninfo
from scipy.stats import binom
from worlds import READER

from attacks.duel import Connected
from dpproxy.config import load
from dpproxy.engines.duckdb.provider import DuckDBFile
from dpproxy.engines.postgres.provider import PostgresDatabase

pytestmark = pytest.mark.long

EPSILON, DELTA = 0.1, 1e-6
TRIALS = 22
PEOPLE = 40
SUBSETS = 55
RARELY = 1e-6
RIGHT = (math.exp(EPSILON) + DELTA) / (1 + math.exp(EPSILON))
TABLE = """
[tables.secrets]
max_rows = 2000
unit = "person"
link = { person_id = "people.person_id" }
max_rows_per_unit = 1
max_groups_per_unit = 8
[tables.secrets.columns]
person_id = { type = "bigint" }
bit = { type = "integer", bounds = [0, 1] }

[analysts.lavish]
trust = true
epsilon = 1e15
delta = 0.5
[analysts.lavish.defaults]
epsilon = 1000
"""
ANALYST = """
[analysts.{name}]
trust = true
epsilon = {epsilon}
delta = {delta}
"""
# One question in different words; a rewriter that knows only texts would take them for different ones.
VARIANTS = (
    "SELECT count(*) FROM secrets WHERE bit = 1 AND person_id = {who}",
    "SELECT sum(bit) FROM secrets WHERE person_id = {who}",
    "SELECT sum(CASE bit WHEN 1 THEN 1 ELSE 0 END) FROM secrets s WHERE s.person_id = {who} AND 1 = 1",
    "SELECT count(*) FROM (SELECT * FROM secrets WHERE NOT bit = 0) t WHERE person_id BETWEEN {who} AND {who}",
    "WITH t AS (SELECT bit AS b, person_id FROM secrets) SELECT count(nullif(b, 0)) FROM t WHERE {who} = person_id",
    "SELECT count(*) FROM people p WHERE person_id = {who} AND EXISTS (SELECT 1 FROM secrets s"
    " WHERE s.person_id = p.person_id AND bit = 1)",
)
Ask = Callable[[str], float | None]


@dataclass(frozen=True)
class Prey:
    """A served world with a secret bit for each of PEOPLE, by person_id from 1 on, and an analyst for each trial."""

    served: Served
    bits: tuple[int, ...]

    def plain(self, sql: str) -> float | None:
        """The answer of the engine itself."""
        return float(in_the_engine(self.served, sql)[0][0] or 0)

    @contextmanager
    def asking(self, analyst: str, epsilon: float) -> Iterator[Ask]:
        """What a session is told, with `epsilon` for each question; None where its budget is spent."""
        session = Connected.open(self.served.conninfo(analyst, options=f"-c dp.epsilon={epsilon}"))

        def ask(sql: str) -> float | None:
            seen = session.ask(sql)
            assert seen.state in (None, "DP001"), seen
            return None if seen.error else float(seen.rows[0][0])

        yield ask
        session.connection.close()


@pytest.fixture(scope="module", params=list(Backend))
def prey(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prey]:
    """Before DuckDB budgets count pure ε, before Postgres zCDP. Releases are stored, as the product does by itself."""
    backend: Backend = request.param
    bits = tuple(secrets.randbelow(2) for _ in range(PEOPLE))
    with made_world(backend, tmp_path_factory.mktemp("prey")) as policy:
        text = policy.read_text().replace("stored_bytes = 0", "")
        text = text.replace('"zcdp"', '"pure"') if backend is Backend.EMBEDDED else text
        names = [*(f"trial{number}" for number in range(TRIALS)), *DIFFERENCERS, "solver"]
        analysts = [ANALYST.format(name=name, epsilon=EPSILON, delta=DELTA) for name in names]
        policy.write_text(text + TABLE + "".join(analysts))
        _fill(policy, bits)
        with serving(policy, "demo") as served:
            yield Prey(served, bits)


DIFFERENCERS = tuple(f"differ{number}" for number in range(TRIALS))


def _fill(policy: Path, bits: Sequence[int]) -> None:
    values = ", ".join(f"({number}, {bit})" for number, bit in enumerate(bits, 1))
    script = f"CREATE TABLE secrets (person_id BIGINT, bit INTEGER); INSERT INTO secrets VALUES {values};"
    match load(policy, {}).engine.url:
        case DuckDBFile(path):
            with duckdb.connect(str(path)) as connection:
                connection.execute(script)
        case PostgresDatabase(url):
            with psycopg.connect(make_conninfo(url, user="owner"), autocommit=True) as owner:
                owner.execute((script + READER).encode())


def most(trials: int) -> int:
    """The hits that an attack within the budget has at most, but for once in a million."""
    return int(binom.isf(RARELY, trials, RIGHT))


def difference(ask: Ask, who: int) -> int:
    """Two filters that differ by one person."""
    with_them = ask("SELECT sum(bit) FROM secrets")
    without = ask(f"SELECT sum(bit) FROM secrets WHERE person_id <> {who}")
    if with_them is None or without is None:
        return secrets.randbelow(2)
    return int(with_them - without > 0.5)


def averages(ask: Ask, who: int) -> dict[str, int]:
    """The mean, the median and the most frequent of all answers that are to be had of one question."""
    answers = [found for sql in VARIANTS if (found := ask(sql.format(who=who))) is not None]
    if not answers:
        return dict.fromkeys(("mean", "median", "mode"), secrets.randbelow(2))
    mode, _ = Counter(round(each) for each in answers).most_common(1)[0]
    found = {"mean": statistics.fmean(answers), "median": statistics.median(answers), "mode": mode}
    return {name: int(value > 0.5) for name, value in found.items()}


def reconstruction(ask: Ask) -> list[int]:
    """All bits at once, by least squares from counts over random subsets, rounded."""
    chosen = np.array([[secrets.randbelow(2) for _ in range(PEOPLE)] for _ in range(SUBSETS)])
    rows, counts = [], []
    for subset in chosen:
        members = ", ".join(str(number) for number, there in enumerate(subset, 1) if there)
        found = ask(f"SELECT sum(bit) FROM secrets WHERE person_id IN ({members})")
        if found is not None:
            rows.append(subset)
            counts.append(found)
    if len(rows) < PEOPLE:
        return [secrets.randbelow(2) for _ in range(PEOPLE)]
    solved, *_ = np.linalg.lstsq(np.array(rows, dtype=float), np.array(counts), rcond=None)
    return [int(each > 0.5) for each in solved]


def test_a_difference_of_two_filters(prey: Prey) -> None:
    assert [difference(prey.plain, who) for who in range(1, TRIALS + 1)] == list(prey.bits[:TRIALS])
    with prey.asking("lavish", 1000) as ask:
        assert [difference(ask, who) for who in range(1, 9)] == list(prey.bits[:8])
    hits = 0
    for who, analyst in enumerate(DIFFERENCERS, 1):
        with prey.asking(analyst, EPSILON / 2) as ask:
            hits += difference(ask, who) == prey.bits[who - 1]
    assert hits <= most(TRIALS)


def test_an_average_over_variants(prey: Prey) -> None:
    plain = [averages(prey.plain, who) for who in range(1, TRIALS + 1)]
    assert all(set(each.values()) == {bit} for each, bit in zip(plain, prey.bits, strict=False))
    with prey.asking("lavish", 1000) as ask:
        assert all(set(averages(ask, who).values()) == {prey.bits[who - 1]} for who in range(1, 5))
    hits: Counter[str] = Counter()
    for who in range(1, TRIALS + 1):
        with prey.asking(f"trial{who - 1}", EPSILON / len(VARIANTS)) as ask:
            hits.update(name for name, bit in averages(ask, who).items() if bit == prey.bits[who - 1])
            assert ask(f"SELECT sum(bit + 0) FROM secrets WHERE person_id = {who} + 0") is None, "the budget has an end"
    assert max(hits.values()) <= most(TRIALS), hits


def test_the_same_question_has_one_answer(prey: Prey) -> None:
    """An average over repetitions is an average over one number: it was paid for once, and nothing new is drawn."""
    asked = f"SELECT sum(bit) FROM secrets WHERE person_id < {PEOPLE // 2}"
    told, spellings = [], (asked, asked.lower(), f"{asked} -- again", asked.replace(" ", "\n\t"), f"({asked})")
    session = Connected.open(prey.served.conninfo("lavish"))
    for sql in spellings * 4:
        seen = session.ask(sql)
        told.append((seen.rows, seen.charged[0] if seen.charged else None))
    session.connection.close()
    assert len({rows for rows, _ in told}) == 1
    assert [bool(charged) for _, charged in told] == [True] + [False] * (len(told) - 1)


def test_all_bits_from_random_subsets(prey: Prey) -> None:
    assert reconstruction(prey.plain) == list(prey.bits)
    with prey.asking("lavish", 1000) as ask:
        assert reconstruction(ask) == list(prey.bits)
    with prey.asking("solver", EPSILON / SUBSETS) as ask:
        found = reconstruction(ask)
    hits = sum(one == other for one, other in zip(found, prey.bits, strict=True))
    assert hits <= most(PEOPLE)


def test_the_bound_itself() -> None:
    """Above half of the trials, and below all of them, so that the tests above can fail."""
    for trials in (TRIALS, PEOPLE):
        assert trials / 2 < most(trials) < trials
        assert binom.sf(most(trials), trials, RIGHT) <= RARELY
    assert 0.5 < RIGHT < 0.53
