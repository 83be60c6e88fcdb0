"""Averages, variances, slopes and quantiles of the census extract beside other libraries, each in an environment of
its own, with the same bounds and price, in pure accounting. `DPPROXY_ADULT` says where the extract is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import heads, row
from bench.accuracy.fresh import asking, settings
from bench.accuracy.policies import Private, write_policy
from bench.accuracy.rivals import RIVALS, Rival, asked_alone
from bench.accuracy.tails import ADULT
from rich.progress import Progress

from dpproxy.accounting.loss import Accounting

QUESTIONS: Mapping[str, str] = {
    "avg(age)": "avg(age)",
    "var_pop(age)": "var_pop(age)",
    "corr(hours, age)": "corr(hours, age)",
    "regr_slope(hours, age)": "regr_slope(hours, age)",
    "median(age)": "percentile_disc(0.5) WITHIN GROUP (ORDER BY age)",
    "third quartile(hours)": "percentile_disc(0.75) WITHIN GROUP (ORDER BY hours)",
}
Answers = Mapping[str, Sequence[float]]
_BOUNDS = {"age": (0, 120), "hours": (0, 100)}


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each question: mean absolute errors."""
    if (path := os.environ.get(ADULT)) is None:
        yield f"{ADULT} does not say where the census extract is: left out"
        return
    runs = 2 if short else 100
    with TemporaryDirectory() as name:
        own, truth = _own(Path(name), path, runs)
    rivals = {} if short else RIVALS
    found = {**own, **{title: _asked(it, path, runs) for title, it in progress.track(list(rivals.items()))}}
    yield from heads(f"ε = 1, mean of {runs} runs of the absolute error", *found)
    for question, true in truth.items():
        yield row(question, *(_error(answers.get(question), true) for answers in found.values()))


def _error(answers: Sequence[float] | None, true: float) -> str:
    return "–" if answers is None else f"{fmean(abs(each - true) for each in answers):.2g}"


def _own(directory: Path, path: str, runs: int) -> tuple[dict[str, Answers], dict[str, float]]:
    """dpproxy's answers, with bounds and without; and the true ones."""
    database = directory / "adult.duckdb"
    with duckdb.connect(str(database)) as engine:
        engine.execute("CREATE TABLE person (id BIGINT PRIMARY KEY, age BIGINT NOT NULL, hours BIGINT NOT NULL)")
        rows = "SELECT row_number() OVER (), age, hours_per_week FROM read_csv(?, header = true)"
        engine.execute(f"INSERT INTO person {rows}", (path,))
        told = engine.execute(f"SELECT {', '.join(QUESTIONS.values())} FROM person").fetchone()
    assert told is not None
    truth = dict(zip(QUESTIONS, map(float, told), strict=True))
    person = Private({"id": "bigint", "age": "bigint", "hours": "bigint"}, ["id"])
    policy = write_policy(database, ("person", "id"), {"person": person})
    undeclared = _answers(policy, runs)
    text = policy.read_text()
    for column, bounds in _BOUNDS.items():
        text = text.replace(f'{column} = {{ type = "bigint"', f'{column} = {{ type = "bigint", bounds = {list(bounds)}')
    policy.write_text(text)
    return {"dpproxy, same bounds": _answers(policy, runs), "dpproxy, no bounds": undeclared}, truth


def _answers(policy: Path, runs: int) -> Answers:
    with asking(policy) as place:
        return {
            question: [
                float(str(answer.rows[0][0]))
                for answer in place.answers(f"SELECT {asked} FROM person", settings(1.0), Accounting.PURE, runs)
            ]
            for question, asked in QUESTIONS.items()
        }


def _asked(rival: Rival, path: str, runs: int) -> Answers:
    answers: Answers = json.loads(asked_alone(rival, str(Path(path).resolve()), "1", str(runs)))
    return answers
