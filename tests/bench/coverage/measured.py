"""The intervals of many answers to one question, by the product's own way but for the wire: its plan, its bounded SQL
in the engine once, fresh noise, and the post statement in a Postgres that has the front's functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import psycopg
from bench.accuracy.figures import by_key, plain
from bench.accuracy.fresh import Asking, settings
from bench.coverage.questions import Question
from scratch_postgres import MAJORS, scratch_postgres

from dpproxy.accounting.loss import Accounting
from dpproxy.error_bars import ToldRows
from dpproxy.front.error_bars import EACH
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.told_columns import ReleasedColumn
from dpproxy.post_arrays import arrays
from dpproxy.post_processing import told_of
from dpproxy.rows import Rows
from dpproxy.wire.arrays import text_array

CONFIDENCES = (Decimal("0.9"), Decimal("0.95"), Decimal("0.99"))
_TOGETHER = 20
Front = psycopg.Connection[tuple[Any, ...]]
Truth = Mapping[tuple[Any, ...], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Intervals:
    """Of the numbers of all answers that are not NULL: the exact ones, and the ends, infinite where there is none."""

    exact: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def held(self) -> float:
        """The share that holds the exact number, but for the last digits of floating point."""
        near = 1e-9 * np.maximum(1.0, np.abs(self.exact))
        return float(np.mean((self.low <= self.exact + near) & (self.exact - near <= self.high)))

    @property
    def open(self) -> float:
        """The share that has no end on one side or on both."""
        return float(np.mean(np.isinf(self.low) | np.isinf(self.high)))

    @property
    def half_width(self) -> float:
        """That of the middle interval, infinite if it has no end."""
        return float(np.median((self.high - self.low) / 2))

    @property
    def relative(self) -> float:
        """The same, each as a part of the exact number."""
        with np.errstate(divide="ignore"):
            return float(np.median((self.high - self.low) / 2 / np.abs(self.exact)))


@contextmanager
def front() -> Iterator[Front]:
    """A Postgres with the functions that intervals are computed with, for the length of a block."""
    with (
        scratch_postgres(MAJORS[max(MAJORS)]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute("CREATE SCHEMA dp_bars")
        connection.execute(EACH.encode())
        yield connection


def measured(
    place: Asking, front: Front, question: Question, truth: Truth, accounting: Accounting, answers: int
) -> dict[Decimal, Intervals]:
    """The intervals of so many answers at each confidence, all of the same released rows."""
    asked = settings(float(question.epsilon), **question.settings)
    plans = {each: place.planned(question.sql, {**asked, "confidence": str(each)}, accounting) for each in CONFIDENCES}
    first = plans[CONFIDENCES[0]]
    assert all(each.releases == first.releases for each in plans.values()), "bars change nothing that is released"
    told = [told_of(first, each) for each in _drawn(place, first, answers)]
    return {each: _intervals(front, made, told, question, truth) for each, made in plans.items()}


def _drawn(place: Asking, made: Plan, answers: int) -> Iterator[tuple[Rows, ...]]:
    """Released rows, all noise anew; but what a later release's SQL reads, for some answers together, since the engine
    is asked again for each of it."""
    read = {each.release for one in made.releases for each in one.bounded.inputs if isinstance(each, ReleasedColumn)}
    known: dict[int, Rows] = {}
    for answer in range(answers):
        found = place.released(made, {} if answer % _TOGETHER == 0 else known)
        known = {index: found[index] for index in read}
        yield found


def _intervals(front: Front, made: Plan, answers: Sequence[ToldRows], question: Question, truth: Truth) -> Intervals:
    found = [number for each in answers for number in _numbers(front, made, each, question.keys, truth)]
    exact, low, high = np.array(found, dtype=np.float64).reshape(-1, 3).T
    return Intervals(exact, np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def _numbers(
    front: Front, made: Plan, told: ToldRows, keys: int, truth: Truth
) -> Iterator[tuple[float, float | None, float | None]]:
    """For each number of an answer the exact one, and its ends. What is no group of the exact answer has none: 0."""
    literals = [text_array(array).decode() for array in arrays(made.post, told, {})]
    with psycopg.RawCursor(front) as cursor:
        rows = cursor.execute(made.post.sql, literals, prepare=True).fetchall()
    for key, (x, low, high, *_) in by_key(rows, keys).items():
        if x is not None:
            yield float((truth.get(key) or (0,))[0]), plain(low), plain(high)
