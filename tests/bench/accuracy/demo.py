"""The demo's own questions: errors beside what is stated, and whether they lean to one side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from bench.accuracy.figures import by_key, heads, percent, plain, pooled, relative_errors, row
from bench.accuracy.fresh import Asking, asking, settings
from rich.progress import Progress

from dpproxy.accounting.loss import Accounting
from dpproxy.cli.demo_data import make_world, write_policy
from dpproxy.error_bars import margins
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.plan.private_plan import Plan
from dpproxy.post_processing import told_of
from dpproxy.rows import Rows

QUESTIONS: Mapping[str, str] = {
    "visits by month": "SELECT date_trunc('month', day)::date, count(*) FROM visits GROUP BY 1",
    "visits by year": "SELECT extract(year FROM day), count(*) FROM visits GROUP BY 1",
    "visits by department": "SELECT dept, count(*) FROM visits GROUP BY dept",
    "cost by department": "SELECT dept, sum(cost) FROM visits GROUP BY dept",
    "average cost by department": "SELECT dept, avg(cost) FROM visits GROUP BY dept",
    "visits of a building": "SELECT building, count(*) FROM visits JOIN departments USING (dept) GROUP BY building",
    "visits a person": "SELECT avg(n) FROM (SELECT person_id, count(*) AS n FROM visits GROUP BY person_id) AS t",
}


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each question and price, in the demo's pure accounting."""
    runs = 3 if short else 100
    columns = ("keys told", "median error", "stated half-width (95 %)", "within it", "mean of said − true")
    yield from heads(f"the demo, pure, {runs} runs", "ε", *columns)
    with TemporaryDirectory() as name:
        database = make_world(Path(name))
        policy = write_policy(Path(name), 0)
        with duckdb.connect(str(database), read_only=True) as engine:
            truths = {sql: engine.execute(sql).fetchall() for sql in QUESTIONS.values()}
        with asking(policy) as place:
            asked = [(title, sql, epsilon) for title, sql in QUESTIONS.items() for epsilon in (0.1, 1.0)]
            for title, sql, epsilon in progress.track(asked, description="the demo"):
                yield row(title, f"{epsilon:g}", *_measured(place, sql, epsilon, truths[sql], runs))


def _measured(place: Asking, sql: str, epsilon: float, rows: Sequence[Sequence[object]], runs: int) -> list[str]:
    made = place.planned(sql, settings(epsilon), Accounting.PURE)
    released = [place.released(made) for _ in range(runs)]
    answers, keys = [each[-1] for each in released], len(made.releases[-1].bounded.keys)
    truth = by_key(rows, keys)
    whole = [_only_outputs(each, keys + len(made.releases[-1].outputs)) for each in answers]
    told = fmean(len(each.rows) for each in answers) / len(truth)
    found = [each for one in released for each in _stated(made, one, keys, truth)]
    known = [each for each in found if isfinite(each.low) and isfinite(each.high)]
    within = f"{fmean(each.low <= each.true <= each.high for each in known):.0%}" if known else "–"
    width = percent(median((each.high - each.low) / 2 / each.true for each in known)) if known else "–"
    leaning = fmean(each.said - each.true for each in found) / fmean(each.true for each in found)
    return [f"{told:.0%}", percent(pooled(relative_errors(whole, truth, keys))), width, within, _signed(leaning)]


@dataclass(frozen=True)
class _Stated:
    """A number with the ends of its interval, as `dp.low` and `dp.high` tell them, and what is true."""

    said: float
    low: float
    high: float
    true: float


def _stated(
    made: Plan, released: Sequence[Rows], keys: int, truth: Mapping[tuple[object, ...], Sequence[Any]]
) -> Iterator[_Stated]:
    found = margins(told_of(made, released), len(made.releases) - 1, keys, USUAL_CONFIDENCE)
    for each, low, high in zip(released[-1].rows, found.low, found.high, strict=True):
        key = tuple(map(plain, each[:keys]))
        if key in truth and each[keys] is not None:
            yield _Stated(float(str(each[keys])), float(low), float(high), float(truth[key][0]))


def _only_outputs(answer: Rows, width: int) -> Rows:
    return Rows(answer.columns[:width], tuple(each[:width] for each in answer.rows))


def _signed(part: float) -> str:
    return ("−" if part < 0 else "+") + percent(abs(part))
