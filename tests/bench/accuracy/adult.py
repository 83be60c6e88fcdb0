"""Quartiles of the census extract where nobody declared bounds: errors in rank. `DPPROXY_ADULT` says where it is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import duckdb
import numpy as np
from bench.accuracy.figures import heads, percent, row
from bench.accuracy.fresh import Asking, asking, settings
from bench.accuracy.policies import Private, write_policy
from bench.accuracy.tails import ADULT, Values
from rich.progress import Progress

from dpproxy.accounting.loss import Accounting
from dpproxy.rows import Rows

COLUMNS = ("age", "hours_per_week", "education_num")
QUARTILES = (0.25, 0.5, 0.75)
_SEXES = ("Female", "Male")


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each column and accounting, of all people and per sex."""
    if (path := os.environ.get(ADULT)) is None:
        yield f"{ADULT} does not say where the census extract is: left out"
        return
    runs = 3 if short else 100
    columns = ("median", "three quartiles", "median per sex", "three per sex")
    yield from heads(f"error in rank, ε = 1: median of {runs} runs (the worst of twenty)", *columns)
    with TemporaryDirectory() as name:
        policy = _world(Path(name), path)
        values = _values(Path(name) / "adult.duckdb")
        with asking(policy) as place:
            asked = [(column, accounting) for column in COLUMNS for accounting in Accounting]
            for column, accounting in progress.track(asked, description="quartiles"):
                cells = _measured(place, column, accounting, {sex: values[sex, column] for sex in _SEXES}, runs)
                yield row(f"{column}, {accounting.value}", *cells)


def _world(directory: Path, path: str) -> Path:
    database = directory / "adult.duckdb"
    with duckdb.connect(str(database)) as engine:
        numbers = ", ".join(f"{column}::BIGINT AS {column}" for column in COLUMNS)
        engine.execute("CREATE TABLE person (id BIGINT PRIMARY KEY, sex TEXT NOT NULL, age BIGINT NOT NULL, "
                       "hours_per_week BIGINT NOT NULL, education_num BIGINT NOT NULL)")  # fmt: skip
        rows = f"SELECT row_number() OVER (), sex, {numbers} FROM read_csv(?, header = true)"
        engine.execute(f"INSERT INTO person {rows}", (path,))
    kinds = {"id": "bigint", "sex": "text"} | dict.fromkeys(COLUMNS, "bigint")
    return write_policy(database, ("person", "id"), {"person": Private(kinds, ["id"], None, {"sex": _SEXES})})


def _values(database: Path) -> dict[tuple[str, str], Values]:
    with duckdb.connect(str(database), read_only=True) as engine:
        return {
            (sex, column): np.sort(
                engine.execute(f"SELECT {column} AS x FROM person WHERE sex = ?", (sex,)).fetchnumpy()["x"]
            )
            for sex in _SEXES
            for column in COLUMNS
        }


def _measured(place: Asking, column: str, accounting: Accounting, of: dict[str, Values], runs: int) -> list[str]:
    everybody = {(): np.sort(np.concatenate(list(of.values())))}
    by_sex = {(sex,): values for sex, values in of.items()}
    cells = []
    for truth, keys in ((everybody, ""), (by_sex, "sex")):
        for quartiles in ((0.5,), QUARTILES):
            told = ", ".join(f"percentile_disc({each}) WITHIN GROUP (ORDER BY {column})" for each in quartiles)
            sql = f"SELECT {keys}{', ' if keys else ''}{told} FROM person{f' GROUP BY {keys}' if keys else ''}"
            answers = place.answers(sql, settings(1.0), accounting, runs)
            errors = list(_errors(answers, truth, quartiles, 1 if keys else 0))
            cells.append(f"{percent(median(errors))} ({percent(float(np.quantile(errors, 0.95)))})")
    return cells


def _errors(
    answers: Sequence[Rows], truth: dict[tuple[str, ...], Values], quartiles: Sequence[float], keys: int
) -> Iterator[float]:
    """How far, as a part of all values, the rank that was asked for is from those of the value that was said."""
    for answer in answers:
        for said in answer.rows:
            values = truth[tuple(map(str, said[:keys]))]
            for fraction, value in zip(quartiles, said[keys:], strict=False):
                least, most = (float(np.searchsorted(values, float(str(value)), side)) for side in ("left", "right"))
                yield max(least / len(values) - fraction, fraction - most / len(values), 0.0)
