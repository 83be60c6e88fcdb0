"""The demo's own questions: errors beside what is stated, and whether they lean to one side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import by_key, heads, percent, pooled, relative_errors, row
from bench.accuracy.fresh import Asking, asking, settings
from rich.progress import Progress

from dpproxy.accounting.loss import Accounting
from dpproxy.cli.demo_data import make_world, write_policy
from dpproxy.plan.private_plan import Plan
from dpproxy.rows import Rows
from dpproxy.session.dp_tables import last_statement

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
    chosen = settings(epsilon)
    made = place.planned(sql, chosen, Accounting.PURE)
    answers = place.answers(sql, chosen, Accounting.PURE, runs)
    keys = len(made.releases[-1].bounded.keys)
    truth = by_key(rows, keys)
    whole = [_only_outputs(each, keys + len(made.releases[-1].outputs)) for each in answers]
    told = fmean(len(each.rows) for each in answers) / len(truth)
    pairs = [
        (float(said[0]) - float(truth[key][0]), _half_width(made, answer), float(truth[key][0]))
        for answer in answers
        for key, said in by_key(answer.rows, keys).items()
        if key in truth and said[0] is not None
    ]
    stated = [(error, width, true) for error, width, true in pairs if width is not None]
    within = f"{fmean(abs(error) <= width for error, width, _ in stated):.0%}" if stated else "–"
    width = percent(median(width / true for _, width, true in stated)) if stated else "–"
    leaning = fmean(error for error, *_ in pairs) / fmean(true for *_, true in pairs)
    return [f"{told:.0%}", percent(pooled(relative_errors(whole, truth, keys))), width, within, _signed(leaning)]


def _only_outputs(answer: Rows, width: int) -> Rows:
    return Rows(answer.columns[:width], tuple(each[:width] for each in answer.rows))


def _half_width(made: Plan, answer: Rows) -> float | None:
    """As `dp.last_statement` has it."""
    (told,) = last_statement(made, [answer]).rows[-1:]
    return None if told[-1] is None else float(str(told[-1]))


def _signed(part: float) -> str:
    return ("−" if part < 0 else "+") + percent(abs(part))
