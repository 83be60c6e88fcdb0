"""Intervals of statements of all kinds hold the exact answer as often as they say, by the product's own way from the
text of a statement to the numbers in the front: `python tests/bench coverage` makes a table of more answers.

Nothing here has a chance of more than one in a million to fail a correct program: what is counted may lie by five
standard deviations below what it should be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import pytest
from bench.accuracy.figures import by_key
from bench.accuracy.fresh import Asking, asking
from bench.coverage.measured import CONFIDENCES, Front, Intervals, front, measured
from bench.coverage.questions import QUESTIONS, Question
from bench.coverage.world import make_world
from lanes import sized, thinned_rows
from scipy import stats

from dpproxy.accounting.loss import Accounting

PURE, ZCDP = Accounting.PURE, Accounting.ZCDP
USUAL = Decimal("0.95")
ANSWERS, ANSWERS_OF_ALL = 100, sized(30, 30, 200)
_VISITS = "FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) AS t"
FEW = (
    (Question("count(*)", "FROM people WHERE age > 103"), PURE),
    (Question("count(*)", "FROM people GROUP BY ROLLUP (sex, smoker)", "sex, smoker"), ZCDP),
    (Question("count(DISTINCT person_id)", "FROM visits"), ZCDP),
    (Question("avg(age)", "FROM people GROUP BY sex", "sex"), PURE),
    (Question("sum(wealth)", "FROM people"), PURE),
    (Question("sum(n)", _VISITS), ZCDP),
    (Question("100.0 * count(*) / sum(count(*)) OVER ()", "FROM people GROUP BY sex", "sex"), ZCDP),
)
SLACK = 0.02
"""By how much what hangs on several noises, or a clip, may be covered less: intervals are made around what was told."""


@dataclass(frozen=True)
class Room:
    """The small world: its engine, a front, and the exact answers."""

    place: Asking
    front: Front
    database: Path

    def measured(self, question: Question, accounting: Accounting, answers: int) -> dict[Decimal, Intervals]:
        with duckdb.connect(str(self.database), read_only=True) as engine:
            truth = by_key(engine.execute(question.exact).fetchall(), question.keys)
        return measured(self.place, self.front, question, truth, accounting, answers)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    directory = tmp_path_factory.mktemp("coverage")
    policy = make_world(directory)
    with front() as bars, asking(policy) as place:
        yield Room(place, bars, directory / "coverage.duckdb")


def least(confidence: Decimal, answers: int) -> float:
    """What a share of so many answers does not fall below, but once in a million."""
    share = float(confidence)
    return float(stats.binom.ppf(1e-9, answers, share)) / answers - SLACK


@pytest.mark.parametrize(
    ("question", "accounting"),
    thinned_rows(FEW, 2),
    ids=lambda each: getattr(each, "title", getattr(each, "value", "")),
)
def test_an_interval_of_a_statement_holds_the_exact_number(
    room: Room, question: Question, accounting: Accounting
) -> None:
    found = room.measured(question, accounting, ANSWERS)
    for confidence in CONFIDENCES:
        assert found[confidence].held >= least(confidence, ANSWERS)


def test_what_cannot_be_known_has_no_end(room: Room) -> None:
    """Squares of a tail that is long already; and an average of what nobody bounds, of so few that its clip may be
    where the choice began. The low end of the first is known."""
    squares = room.measured(Question("stddev(wealth)", "FROM people"), ZCDP, 30)[USUAL]
    assert np.mean(np.isinf(squares.high)) > 0.5 and np.isfinite(squares.low).all()
    assert np.mean(squares.low <= squares.exact) >= least(USUAL, 30)
    few = room.measured(Question("avg(fee)", "FROM visits WHERE dept = 'dentistry'", epsilon="0.3"), PURE, 10)[USUAL]
    assert few.open > 0.5


def test_what_can_be_known_has_both(room: Room) -> None:
    """Of a short tail, though nobody bounds it: here one of a hundred has none."""
    assert room.measured(Question("stddev(weight)", "FROM people"), ZCDP, 30)[USUAL].open < 0.5


def test_what_is_no_less_than_nothing_is_cut_off_on_one_side_alone(room: Room) -> None:
    """An average of numbers of rows lies no more than noise below what it says, and a person's numbers, which are made
    of rows that nobody capped, have no longer a tail than rows have."""
    found = room.measured(Question("avg(n)", _VISITS), PURE, 60)[USUAL]
    assert found.held >= least(USUAL, 60) and not found.open
    below, above = (found.exact - found.low) / found.exact, (found.high - found.exact) / found.exact
    assert np.median(below) < 0.06 and np.median(above) < 0.3


@pytest.mark.long
def test_intervals_of_all_statements_hold_the_exact_number(room: Room) -> None:
    """Each, as far as so few answers tell; and all together."""
    held = dict.fromkeys(CONFIDENCES, 0.0)
    asked = [(question, accounting) for question in QUESTIONS for accounting in Accounting]
    for question, accounting in asked:
        found = room.measured(question, accounting, ANSWERS_OF_ALL)
        for confidence, intervals in found.items():
            share = intervals.held if intervals.exact.size else 1.0
            assert share >= least(confidence, min(ANSWERS_OF_ALL, max(1, intervals.exact.size))), (
                question.title,
                accounting,
            )
            held[confidence] += share / len(asked)
    for confidence, share in held.items():
        assert share >= least(confidence, ANSWERS_OF_ALL * len(asked)) + SLACK
