"""The noise of whole answers, as clients get them, is the one that EXPLAIN announces.

EXPLAIN gives the bounded SQL, whose exact integers are read from the data here, and for each measure distribution,
scale and grid. What an answer differs by must then be drawn from that discrete distribution: goodness of fit over bins
of about one twentieth each. Each of the checks fails wrongly with probability 1e-8 or less. The nightly lane asks for
the count twice as often.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from lanes import sized
from scipy import stats
from worlds import make_world

from .backends import in_the_engine
from .served import Served, serving

pytestmark = pytest.mark.long

Connection = psycopg.Connection[Any]

P = 1e-9
SIGMAS = 6  # of a correlation
BINS = 20
AT_ONCE = 200
COUNTS = sized(200, 200, 1200)
COUNT = "SELECT count(*) FROM people"
MONTHS = "SELECT extract(month FROM joined), count(*), sum(age) FROM people GROUP BY 1 ORDER BY 1"
BUILDINGS = "SELECT building, count(*), sum(cost) FROM visits JOIN departments USING (dept) GROUP BY 1 ORDER BY 1"


def _of_two(scales: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """P(Z + Z' <= x) of two Laplace noises of scale 1: of weighted totals the sums over the integers differ by less."""
    beyond = np.exp(-abs(scales)) * (2 + abs(scales)) / 4
    return np.where(scales < 0, beyond, 1 - beyond)


@dataclass(frozen=True)
class Announced:
    """A measure as EXPLAIN shows it. scale: in grid steps."""

    mechanism: str
    scale: float
    step: Decimal

    def cumulative(self, steps: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The probability of noise of at most so many grid steps."""
        if self.mechanism == "joint laplace":
            return _of_two(2 * (steps + 0.5) / self.scale)
        reach = math.ceil(40 * self.scale) + 10
        if reach > 40_000:  # the sums over the integers and the integrals differ by less than 1e-100
            continuous = stats.laplace if self.mechanism == "laplace" else stats.norm
            return np.asarray(continuous.cdf(steps + 0.5, scale=self.scale))
        support = np.arange(-reach, reach + 1)
        weights = -abs(support) / self.scale if self.mechanism == "laplace" else -(support**2) / (2 * self.scale**2)
        masses = np.cumsum(np.exp(weights) / np.exp(weights).sum())
        return masses[np.clip(steps + reach, 0, 2 * reach).astype(int)]

    def edges(self) -> list[int]:
        """Where bins end: noise up to each of them, then the rest."""
        reach = math.ceil(5 * self.scale) + 1
        candidates = np.unique(np.linspace(-reach, reach, 20_001).round()).astype(int)
        masses = self.cumulative(candidates)
        at = {int(np.argmax(masses >= share / BINS)) for share in range(1, BINS)}
        return [int(candidates[each]) for each in sorted(at) if masses[each] < 1 - 0.5 / BINS]


@dataclass(frozen=True)
class Asked:
    """A statement asked often. noise[m]: answers × keys in grid steps of measure m, answer minus exact."""

    announced: tuple[Announced, ...]
    noise: tuple[np.ndarray[Any, Any], ...]


def explained(connection: Connection, sql: str) -> dict[str, Any]:
    row = connection.execute(f"EXPLAIN (FORMAT JSON) {sql}").fetchone()
    assert row is not None
    (release,) = row[0][0]["Releases"]
    found: dict[str, Any] = release
    return found


def asked(served: Served, user: str, epsilon: str, sql: str, times: int) -> Asked:
    """Ask in pipelines over one connection; keys come first in the answer, one measure in each further column."""
    with served.connect(user, options=f"-c dp.epsilon={epsilon}") as connection:
        release = explained(connection, sql)
        answers: list[list[Any]] = []
        for _ in range(times // AT_ONCE):
            with connection.pipeline():
                cursors = [connection.execute(sql, prepare=True) for _ in range(AT_ONCE)]
            answers += [cursor.fetchall() for cursor in cursors]
    announced = tuple(
        Announced(each["Mechanism"], each["Scale"], Decimal(each["Step"])) for each in release["Measures"]
    )
    keys = len(release["Keys"])
    exact = exact_totals(served, release["Bounded SQL"], keys)
    totals = [exact.get(tuple(row[:keys]), (0,) * len(announced)) for row in answers[0]]
    return Asked(announced, tuple(_noise(answers, keys, at, each, totals) for at, each in enumerate(announced)))


def exact_totals(served: Served, bounded: str, keys: int) -> dict[tuple[Any, ...], tuple[int, ...]]:
    """What the engine finds: a whole number for each measure, by key."""
    return {row[:keys]: row[keys:] for row in in_the_engine(served, bounded)}


def _noise(
    answers: list[list[Any]], keys: int, at: int, announced: Announced, totals: list[tuple[int, ...]]
) -> np.ndarray[Any, Any]:
    steps = [[round(Decimal(str(row[keys + at])) / announced.step) for row in answer] for answer in answers]
    return np.array(steps) - np.array([total[at] for total in totals])


@pytest.fixture(scope="module")
def pure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The world under pure accounting."""
    policy: Path = make_world(tmp_path_factory.mktemp("pure"))
    text = policy.read_text().replace('"zcdp"', '"pure"').replace("epsilon = 100.0", "epsilon = 1e6")
    policy.write_text(text)
    with serving(policy, "demo") as served:
        yield served


def fits(noise: np.ndarray[Any, Any], announced: Announced) -> float:
    """The chance that noise of the announced distribution is as far from it as this: chi-square over the bins."""
    edges = announced.edges()
    shares = np.diff([0.0, *announced.cumulative(np.array(edges)), 1.0])
    counts = np.bincount(np.searchsorted(edges, noise.ravel()), minlength=len(shares))
    return float(stats.chisquare(counts, shares * noise.size).pvalue)


def uncorrelated(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    together = np.corrcoef(one.ravel(), other.ravel())[0, 1]
    return bool(abs(together) * math.sqrt(one.size) < SIGMAS)


@pytest.mark.parametrize("accounting", ["pure", "zcdp"])
@pytest.mark.parametrize(
    ("sql", "epsilon", "times"), [(COUNT, "0.5", COUNTS), (MONTHS, "1", 200), (BUILDINGS, "1", 200)], ids=str
)
def test_noise_is_the_announced(
    accounting: str, sql: str, epsilon: str, times: int, pure: Served, embedded_world: Served
) -> None:
    served, user = (pure, "alice") if accounting == "pure" else (embedded_world, "erna")
    pure_noise = "laplace" if sql == COUNT else "joint laplace"
    check(asked(served, user, epsilon, sql, times), pure_noise if accounting == "pure" else "gaussian")


def test_noise_is_the_announced_before_a_given_postgres(given_world: Served) -> None:
    """The same proxy draws it: one statement is enough to see that nothing is added to it, and nothing lost."""
    check(asked(given_world, "erna", "1", BUILDINGS, 200), "gaussian")


def check(found: Asked, mechanism: str) -> None:
    """The noise is the announced, and no part of it tells of another."""
    for announced, noise in zip(found.announced, found.noise, strict=True):
        assert announced.mechanism == mechanism
        assert fits(noise, announced) > P
        assert uncorrelated(noise[1:], noise[:-1]), "an answer tells of the one before"
        if noise.shape[1] > 1:
            assert uncorrelated(noise[:, 1:], noise[:, :-1]), "a key tells of its neighbour"
    if len(found.noise) > 1:
        assert uncorrelated(*found.noise), "a measure tells of another"


def test_the_mechanism_that_is_asked_for(embedded_world: Served) -> None:
    with embedded_world.connect("erna", options="-c dp.epsilon=1 -c dp.mechanism=laplace") as connection:
        (measure,) = explained(connection, COUNT)["Measures"]
        with connection.pipeline():
            cursors = [connection.execute(COUNT, prepare=True) for _ in range(400)]
        noise = np.array([cursor.fetchall()[0][0] for cursor in cursors]) - 400
    assert measure["Mechanism"] == "laplace"
    assert fits(noise, Announced("laplace", measure["Scale"], Decimal(1))) > P


def test_the_check_would_notice() -> None:
    """A scale that is a sixth off, or an answer off by one, is far from fitting."""
    generator = np.random.default_rng(1)
    announced = Announced("gaussian", 100.0, Decimal(1))
    assert fits(generator.normal(0, 100, 4800).round(), announced) > P
    assert fits(generator.normal(0, 117, 4800).round(), announced) < P
    small = Announced("laplace", 2.0, Decimal(1))
    drawn = stats.dlaplace.rvs(0.5, size=1200, random_state=generator)
    assert fits(drawn, small) > P
    assert fits(drawn + 1, small) < P
