"""Sums of heavy tails without bounds, beside the best clip that anybody could have fixed who had seen the data.

That one is not private: it has the least expected error of all, noise for the whole ε and what it cuts off together.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
from bench.accuracy.figures import heads, percent, row
from bench.accuracy.fresh import asking, settings
from bench.accuracy.policies import Private, write_policy
from rich.progress import Progress
from scipy.stats import norm

from dpproxy.accounting.loss import Accounting

Values = np.ndarray[Any, Any]
ADULT = "DPPROXY_ADULT"
"""The environment variable that has the path of the census extract, as csv."""
UNITS = 32_561
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
_CLIPS = 400


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each data set, accounting and ε."""
    return _table(short, progress, data())


def unseen(short: bool, progress: Progress) -> Iterator[str]:
    """The same of other data."""
    return _table(short, progress, held_out())


def _table(short: bool, progress: Progress, chosen: Mapping[str, Callable[[], Values]]) -> Iterator[str]:
    epsilons, runs = (EPSILONS[2:3], 3) if short else (EPSILONS, 200)
    heading = [f"ε = {epsilon:g}: error, times the best fixed clip" for epsilon in epsilons]
    yield from heads(f"sum, {UNITS:,} units, mean of {runs} runs", *heading)
    for name, values in progress.track(list(chosen.items()), description="heavy tails"):
        with TemporaryDirectory() as directory:
            policy = _world(Path(directory), values())
            for accounting in Accounting:
                cells = _measured(policy, values(), accounting, epsilons, runs)
                yield row(f"{name}, {accounting.value}", *cells)


def data() -> Mapping[str, Callable[[], Values]]:
    """Each from one seed; the census is left out where nobody says where it is."""
    made: dict[str, Callable[[], Values]] = {
        "lognormal, σ = 2": lambda: np.random.default_rng(1).lognormal(0, 2, UNITS).round(4),
        "Zipf 1.5, up to 10,000": lambda: _zipf().clip(max=10_000),
        "Zipf 1.5": _zipf,
    }
    if path := os.environ.get(ADULT):
        made["census, capital_gain"] = lambda: _column(path, "capital_gain")
    return made


def held_out() -> Mapping[str, Callable[[], Values]]:
    """Long tails and short ones, one value, two, few units; and five that were first seen when all was settled."""

    def random() -> np.random.Generator:
        return np.random.default_rng(4242)

    return {
        "Pareto 1.2": lambda: (10 + 10 * random().pareto(1.2, UNITS)).round(2),
        "uniform, up to 1,000": lambda: random().uniform(0, 1000, UNITS).round(2),
        "exponential": lambda: random().exponential(100, UNITS).round(2),
        "Poisson, 3": lambda: random().poisson(3, UNITS),
        "10, of one in twenty 1,000": lambda: np.where(random().random(UNITS) < 0.05, 1000, 10),
        "always 50": lambda: np.full(UNITS, 50),
        "lognormal, σ = 0.8, 200 units": lambda: random().lognormal(4, 0.8, 200).round(2),
        "lognormal, σ = 0.8, 20 units": lambda: random().lognormal(4, 0.8, 20).round(2),
        "Weibull 0.5": lambda: (100 * random().weibull(0.5, UNITS)).round(2),
        "negative binomial": lambda: random().negative_binomial(1, 0.02, UNITS),
        "Cauchy, positive, up to a million": lambda: abs(random().standard_cauchy(UNITS) * 50).clip(max=1e6).round(2),
        "lognormal, σ = 1, and of one in a hundred times 50": lambda: _mixed(random()),
        "Weibull 0.5, 2,000 units": lambda: (100 * random().weibull(0.5, 2000)).round(2),
    }


def _mixed(random: np.random.Generator) -> Values:
    return (random.lognormal(3, 1, UNITS) * np.where(random.random(UNITS) < 0.01, 50, 1)).round(2)


def _column(path: str, name: str) -> Values:
    with duckdb.connect() as engine:
        return engine.execute(f"SELECT {name}::BIGINT AS x FROM read_csv(?, header = true)", (path,)).fetchnumpy()["x"]


def _zipf() -> Values:
    return np.random.default_rng(2).zipf(1.5, UNITS).clip(max=2**40)


def _world(directory: Path, values: Values) -> Path:
    database = directory / "tails.duckdb"
    stored, kind = ("DOUBLE", "double precision") if values.dtype.kind == "f" else ("BIGINT", "bigint")
    with duckdb.connect(str(database)) as engine:
        engine.register("given", {"x": values})
        engine.execute(f"CREATE TABLE person (id BIGINT PRIMARY KEY, x {stored} NOT NULL)")
        engine.execute("INSERT INTO person SELECT row_number() OVER (), x FROM given")
    return write_policy(database, ("person", "id"), {"person": Private({"id": "bigint", "x": kind}, ["id"])})


def _measured(
    policy: Path, values: Values, accounting: Accounting, epsilons: tuple[float, ...], runs: int
) -> list[str]:
    cells = []
    truth = float(values.sum())
    with asking(policy) as place:
        for epsilon in epsilons:
            answers = place.answers("SELECT sum(x) FROM person", settings(epsilon), accounting, runs)
            error = fmean(abs(float(answer.rows[0][0]) - truth) for answer in answers)
            best = best_fixed(values, accounting, epsilon)
            cells.append(f"{percent(error / truth)}, {error / best:.2f}")
    return cells


def best_fixed(values: Values, accounting: Accounting, epsilon: float) -> float:
    """The least expected absolute error of a sum of values that are clipped at some place."""
    clips = np.geomspace(max(values[values > 0].min(), values.max() * 1e-9), values.max(), _CLIPS)
    ordered = np.sort(values)
    below = np.concatenate([[0.0], np.cumsum(ordered)])
    inside = np.searchsorted(ordered, clips, side="right")
    cut = below[-1] - below[inside] - clips * (len(values) - inside)
    scale = clips / epsilon
    match accounting:
        case Accounting.PURE:
            errors = cut + scale * np.exp(-cut / scale)
        case Accounting.ZCDP:
            errors = scale * np.sqrt(2 / np.pi) * np.exp(-((cut / scale) ** 2) / 2)
            errors += cut * (1 - 2 * norm.cdf(-cut / scale))
    return float(errors.min())
