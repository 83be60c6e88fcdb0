"""Numbers of distinct values of which nobody said how many a unit has, beside the best limit that anybody could have
fixed who had seen the data: values of one unit each, of many, of all; many of each unit, and one.

That limit is not private: it has the least expected error of all, noise for the whole ε and what is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
from bench.accuracy.figures import heads, percent, row
from bench.accuracy.fresh import Asking, asking, settings
from bench.accuracy.policies import Private, write_policy
from rich.progress import Progress
from scipy.stats import norm

from dpproxy.accounting.loss import Accounting
from dpproxy.error_bars import margins
from dpproxy.plan.error_bars import USUAL_CONFIDENCE
from dpproxy.post_processing import told_of

EPSILONS = (0.1, 1.0, 10.0)
_LIMITS = np.unique(np.round(np.geomspace(1, 20_000, 160)).astype(int))
Column = np.ndarray[Any, Any]
Numbers = Sequence[Column]
"""Of each key the least numbers of its values."""


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each world and accounting."""
    epsilons, runs = (EPSILONS[1:2], 3) if short else (EPSILONS, 100)
    each = [f"ε = {epsilon:g}: error, times the best fixed limit; within" for epsilon in epsilons]
    yield from heads(f"count(DISTINCT item), mean of {runs} runs", *each)
    chosen = list(worlds().items())[: 1 if short else None]
    for name, (units, keys, items) in progress.track(chosen, description="distinct values"):
        with TemporaryDirectory() as directory:
            policy = _world(Path(directory), units, keys, items)
            numbers = _numbers(units, keys, items)
            with asking(policy) as place:
                for accounting in Accounting:
                    cells = [_cell(place, accounting, epsilon, numbers, runs) for epsilon in epsilons]
                    yield row(f"{name}, {accounting.value}", *cells)


def worlds() -> Mapping[str, tuple[Column, Column, Column]]:
    """By name: of each row the unit, the key and the value."""
    random = np.random.default_rng(14)

    def made(counts: Column, keys: int, items: int | None) -> tuple[Column, Column, Column]:
        units = np.repeat(np.arange(len(counts)), counts)
        own = np.arange(len(units)) if items is None else random.integers(0, items, len(units))
        return units, units % keys, own

    def same(units: int, each: int) -> Column:
        return np.full(units, each)

    zipf = np.minimum(random.zipf(1.5, 20_000), 10_000)
    lognormal = np.maximum(1, random.lognormal(3, 1, 2_000)).astype(int)
    return {
        "500 people, 200 each, of their own": made(same(500, 200), 1, None),
        "the same in 20 cities": made(same(500, 200), 20, None),
        "5,000 people, 4 each, of 8": made(same(5_000, 4), 1, 8),
        "15,000 people, 40 each, of 20,000": made(same(15_000, 40), 1, 20_000),
        "1,000 people, 100 each, of 10,000": made(same(1_000, 100), 1, 10_000),
        "5,000 people, one each": made(same(5_000, 1), 1, None),
        "2,000 people, lognormal, of their own": made(lognormal, 1, None),
        "20,000 people, Zipf 1.5, of 100,000": made(zipf, 1, 100_000),
        "1,000 people, 5 each, and one with 10,000": made(np.append(same(1_000, 5), 10_000), 1, None),
    }


def _world(directory: Path, units: Column, keys: Column, items: Column) -> Path:
    database = directory / "distinct.duckdb"
    with duckdb.connect(str(database)) as engine:
        engine.register("given", {"u": units, "k": keys, "v": items})
        engine.execute("CREATE TABLE person (id BIGINT PRIMARY KEY)")
        engine.execute("INSERT INTO person SELECT DISTINCT u FROM given")
        engine.execute("CREATE TABLE bought (place BIGINT PRIMARY KEY, id BIGINT, city TEXT NOT NULL, item BIGINT)")
        engine.execute("INSERT INTO bought SELECT row_number() OVER (), u, 'c' || k, v FROM given")
    columns = {"place": "bigint", "id": "bigint", "city": "text", "item": "bigint"}
    cities = {"city": [f"c{key}" for key in range(keys.max() + 1)]}
    bought = Private(columns, ["place"], ("id", "person.id"), cities)
    return write_policy(database, ("person", "id"), {"person": Private({"id": "bigint"}, ["id"]), "bought": bought})


def _cell(place: Asking, accounting: Accounting, epsilon: float, numbers: Numbers, runs: int) -> str:
    """The error, how many times that of the best limit it is, and how often the truth lies within the interval."""
    keys = int(len(numbers) > 1)
    sql = f"SELECT {'city, ' * keys}count(DISTINCT item) FROM bought{' GROUP BY city' * keys}"
    made, errors, inside, ends = place.planned(sql, settings(epsilon), accounting), [], [], []
    for _ in range(runs):
        released = place.released(made)
        found = margins(told_of(made, released), len(made.releases) - 1, keys, USUAL_CONFIDENCE)
        for told, low, high in zip(released[-1].rows, found.low, found.high, strict=True):
            truth = len(numbers[int(str(told[0])[1:]) if keys else 0])
            errors.append(abs(float(str(told[keys])) - truth) / truth)
            inside.append(not low > truth and not high < truth)
            ends.append(high / truth if isfinite(high) else float("inf"))
    best = _best_fixed(numbers, accounting, epsilon)
    within, end = f"{100 * fmean(inside):.0f} %", median(ends)
    return f"{percent(fmean(errors))}, {fmean(errors) / best:.2f}; {within}, up to {end:.2f} times"


def _numbers(units: Column, keys: Column, items: Column) -> Numbers:
    """The least number of each value, where each unit numbers its own by chance."""
    rows = np.unique(np.stack([units, keys, items], axis=1), axis=0)
    rows = rows[np.lexsort((np.random.default_rng(3).random(len(rows)), rows[:, 0]))]
    _, first, counts = np.unique(rows[:, 0], return_index=True, return_counts=True)
    number = np.arange(len(rows)) - np.repeat(first, counts) + 1
    order = np.lexsort((number, rows[:, 2], rows[:, 1]))
    rows, number = rows[order], number[order]
    is_first = np.append(True, (np.diff(rows[:, 1]) != 0) | (np.diff(rows[:, 2]) != 0))
    return [np.sort(number[is_first & (rows[:, 1] == key)]) for key in range(keys.max() + 1)]


def _best_fixed(numbers: Numbers, accounting: Accounting, epsilon: float) -> float:
    """The least expected relative error of all keys."""
    counted = np.stack([np.searchsorted(each, _LIMITS, side="right") for each in numbers])
    truths = np.array([[len(each)] for each in numbers])
    cut, scale = truths - counted, _LIMITS / epsilon
    match accounting:
        case Accounting.PURE:
            errors = cut + scale * np.exp(-cut / scale)
        case Accounting.ZCDP:
            errors = scale * np.sqrt(2 / np.pi) * np.exp(-((cut / scale) ** 2) / 2)
            errors = errors + cut * (1 - 2 * norm.cdf(-cut / scale))
    return float((errors / truths).mean(axis=0).min())
