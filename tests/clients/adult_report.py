"""The census extract behind the proxy, asked by every client: how far answers are from the truth, beside the theory.

`python -m tests.clients.adult_report` prints the table. For each question, by each way of asking it: the median over
all runs and keys of the relative error, beside the median that the announced noise has.
"""

from __future__ import annotations

import asyncio
import math
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from statistics import NormalDist, median
from typing import Any

import asyncpg
import duckdb

from .served import Served, psql, psql_program, serving

ADULT = Path(__file__).parents[3] / "shared" / "data" / "adult.csv"
RUNS = 50
Row = tuple[Any, ...]
Answer = list[Row]

_COLUMNS = """\
id = { type = "bigint" }
name = { type = "text", hidden = true }
ssn = { type = "text", hidden = true }
age = { type = "bigint", bounds = [0, 120] }
workclass = { type = "text", nullable = true }
education = { type = "text" }
education_num = { type = "bigint", bounds = [1, 16] }
occupation = { type = "text", nullable = true }
race = { type = "text" }
sex = { type = "text", values = ["Female", "Male"] }
capital_gain = { type = "bigint", bounds = [0, 100000] }
capital_loss = { type = "bigint", bounds = [0, 5000] }
hours_per_week = { type = "bigint", bounds = [0, 100] }
country = { type = "text", nullable = true }
target = { type = "text", values = ["<=50K", ">50K"] }
"""
_POLICY = """\
[server]
port = 0
database = "census"

[front]
url = "embedded:{directory}/front"

[engine]
url = "duckdb:///{directory}/adult.duckdb"

[privacy]
accounting = "{accounting}"
stored_bytes = 0

[units.person]
table = "adult"
key = "id"

[tables.adult]
unit = "person"
primary_key = ["id"]
max_rows_per_unit = 100
max_groups_per_unit = 8
[tables.adult.columns]
{columns}
[analysts.alice]
trust = true
epsilon = 10000.0
delta = 1e-5
[analysts.alice.defaults]
epsilon = 1.0
"""


@dataclass(frozen=True)
class Question:
    """A statement; keys come first in its answer, then one number. `parameter` stands for `{}` in the text."""

    title: str
    sql: str
    keys: int = 0
    parameter: int | None = None

    def text(self, placeholder: str) -> str:
        """The statement, with its parameter as a driver writes it."""
        return self.sql.format(placeholder)

    @property
    def literal(self) -> str:
        """The statement with its parameter written into it."""
        return self.text(str(self.parameter))

    @property
    def parameters(self) -> tuple[int, ...]:
        """The parameters that go with `text`."""
        return () if self.parameter is None else (self.parameter,)


QUESTIONS = (
    Question("count(*)", "SELECT count(*) FROM adult"),
    Question("avg(age)", "SELECT avg(age) FROM adult"),
    Question("count(*) by education", "SELECT education, count(*) FROM adult GROUP BY education", 1),
    Question("count(*) where age >= 40", "SELECT count(*) FROM adult WHERE age >= {}", 0, 40),
    Question(
        "sum(capital_gain) by sex, education",
        "SELECT sex, education, sum(capital_gain) FROM adult GROUP BY sex, education",
        2,
    ),
)


def make_adult(directory: Path, accounting: str) -> Path:
    """The census in DuckDB, its row's number as key, and a policy over it; the path of the policy."""
    with duckdb.connect(str(directory / "adult.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE adult AS SELECT row_number() OVER ()::BIGINT AS id, * EXCLUDE (person_id)"
            " FROM read_csv(?, header = true, nullstr = '')",
            (str(ADULT),),
        )
        connection.execute("ALTER TABLE adult ADD PRIMARY KEY (id)")
    policy = directory / "adult.toml"
    policy.write_text(_POLICY.format(directory=directory, accounting=accounting, columns=_COLUMNS))
    return policy


# Ways of asking


def by_psql(served: Served, question: Question, runs: int) -> list[Answer]:
    """psql with a script, in text."""
    program = psql_program()
    if program is None:
        return []
    said = psql(program, served.conninfo(), script=f"{question.literal};\n\\echo ---\n" * runs)
    assert said.status == 0, said.err
    blocks = said.out.split("---\n")[:-1]
    return [[_typed(line.split("|"), question.keys) for line in block.splitlines()] for block in blocks]


def _typed(cells: list[str], keys: int) -> Row:
    return (*cells[:keys], *map(Decimal, cells[keys:]))


def by_psycopg(served: Served, question: Question, runs: int) -> list[Answer]:
    """psycopg in text, never prepared."""
    return _by_psycopg(served, question, runs, prepare=False, binary=False)


def by_psycopg_prepared(served: Served, question: Question, runs: int) -> list[Answer]:
    """psycopg in binary, prepared."""
    return _by_psycopg(served, question, runs, prepare=True, binary=True)


def _by_psycopg(served: Served, question: Question, runs: int, *, prepare: bool, binary: bool) -> list[Answer]:
    text = question.text("%b" if binary else "%s")
    with served.connect() as connection:
        return [
            connection.execute(text, question.parameters, prepare=prepare, binary=binary).fetchall()
            for _ in range(runs)
        ]


def by_asyncpg(served: Served, question: Question, runs: int) -> list[Answer]:
    """asyncpg in binary, each time anew."""

    async def ask() -> list[Answer]:
        connection = await asyncpg.connect(**served.keywords(), statement_cache_size=0)
        try:
            text = question.text("$1")
            return [list(map(tuple, await connection.fetch(text, *question.parameters))) for _ in range(runs)]
        finally:
            await connection.close()

    return asyncio.run(ask())


def by_asyncpg_prepared(served: Served, question: Question, runs: int) -> list[Answer]:
    """asyncpg in binary, prepared once."""

    async def ask() -> list[Answer]:
        connection = await asyncpg.connect(**served.keywords())
        try:
            statement = await connection.prepare(question.text("$1"))
            return [list(map(tuple, await statement.fetch(*question.parameters))) for _ in range(runs)]
        finally:
            await connection.close()

    return asyncio.run(ask())


WAYS: dict[str, Callable[[Served, Question, int], list[Answer]]] = {
    "psql": by_psql,
    "psycopg": by_psycopg,
    "psycopg, prepared": by_psycopg_prepared,
    "asyncpg": by_asyncpg,
    "asyncpg, prepared": by_asyncpg_prepared,
}


# Truth and theory


def truths(served: Served, question: Question) -> dict[Row, float]:
    """The exact answer, by key."""
    with duckdb.connect(str(served.log.parent / "adult.duckdb"), read_only=True) as connection:
        rows = connection.execute(question.literal).fetchall()
    return {row[: question.keys]: float(row[question.keys]) for row in rows}


@dataclass(frozen=True)
class Theory:
    """The noise of one number, of any key, as EXPLAIN announces it. whole: in whole numbers, as it is drawn. off: of a
    mean whose totals share their noise, how far it is from the centre, where the end of the bounds is 1."""

    mechanism: str
    stddev: float
    whole: bool = True
    off: float = 0.0

    def within(self, error: float) -> float:
        """The probability of noise of at most `error` in size."""
        if self.mechanism == "joint laplace":
            return 1 - _beyond(error, self.stddev, self.off)
        if not self.whole and self.mechanism == "laplace":
            return -math.expm1(-error * math.sqrt(2) / self.stddev)
        if not self.whole:
            return 2 * NormalDist(0, self.stddev).cdf(error) - 1
        if self.mechanism == "laplace":
            shrink = math.exp(-math.sqrt(2) / self.stddev)
            return 1 - 2 * shrink ** (math.floor(error) + 1) / (1 + shrink)
        if error > 40 * self.stddev:
            return 1.0
        if self.stddev > 100:
            return 2 * NormalDist(0, self.stddev).cdf(math.floor(error) + 0.5) - 1
        inside = math.fsum(map(self._weight, range(-math.floor(error), math.floor(error) + 1)))
        return inside / _total(self.stddev)

    def _weight(self, noise: int) -> float:
        return math.exp(-((noise / self.stddev) ** 2) / 2)


def _beyond(error: float, stddev: float, off: float) -> float:
    """Of Laplace noise of scale s·(1 + d) and other noise of scale s·(1 − d), d being `off`."""
    scale = stddev / (2 * math.sqrt(1 + off**2))
    one, other = scale * (1 + off + 1e-6), scale * (1 - off - 1e-6)
    return (one**2 * math.exp(-error / one) - other**2 * math.exp(-error / other)) / (one**2 - other**2)


@lru_cache
def _total(stddev: float) -> float:
    """The sum of a discrete Gaussian's weights."""
    reach = math.ceil(40 * stddev)
    return math.fsum(math.exp(-((each / stddev) ** 2) / 2) for each in range(-reach, reach + 1))


def theory(served: Served, question: Question) -> Theory:
    """What EXPLAIN announces. A mean is centre + sum / count, so its noise is that of both over the number of rows."""
    with served.connect() as connection:
        (row,) = connection.execute(f"EXPLAIN (FORMAT JSON) {question.literal}").fetchall()
        lines = "\n".join(line for (line,) in connection.execute(f"EXPLAIN VERBOSE {question.literal}").fetchall())
    (release,) = row[0][0]["Releases"]
    measures = {each["Kind"]: each for each in release["Measures"]}
    if not measures:  # the count that chooses the keys is the one that is released
        found = re.search(r"Key selection: (\w+), standard deviation ([0-9.]+)", lines)
        assert found is not None, lines
        return Theory(found[1], float(found[2]))
    if "centred sum" not in measures:
        (measure,) = release["Measures"]
        return Theory(measure["Mechanism"], measure["Standard Deviation"])
    total, count = measures["centred sum"], measures["rows"]
    (rows,) = truths(served, QUESTIONS[0]).values()
    (mean,) = truths(served, question).values()
    of_count = (mean - float(total["Centre"])) * count["Standard Deviation"]
    stddev = math.hypot(total["Standard Deviation"], of_count) / rows
    return Theory(total["Mechanism"], stddev, whole=False, off=of_count / total["Standard Deviation"])


@dataclass(frozen=True)
class Measured:
    """One question, asked one way: all answers, what is true, and the noise that is announced."""

    way: str
    question: Question
    answers: list[Answer]
    truth: dict[Row, float]
    theory: Theory

    def errors(self) -> Iterator[tuple[float, float]]:
        """For every number of every answer: how far it is from the truth, and the truth."""
        for answer in self.answers:
            for row in answer:
                true = self.truth[row[: self.question.keys]]
                yield float(row[self.question.keys]) - true, true

    @property
    def median_error(self) -> float:
        """The median of the relative errors; that of a true 0 is infinite."""
        return median(abs(error) / true if true else math.inf for error, true in self.errors())

    @property
    def expected_error(self) -> float:
        """The median that the announced noise has over the same numbers."""
        true = Counter(abs(each) for _, each in self.errors())
        below, above = 0.0, 1e6
        for _ in range(60):
            middle = (below + above) / 2
            share = sum(times * self.theory.within(middle * each) for each, times in true.items()) / true.total()
            below, above = (middle, above) if share < 0.5 else (below, middle)
        return above


def measured(served: Served, ways: Sequence[str] = tuple(WAYS), runs: int = RUNS) -> Iterator[Measured]:
    """Every question by every way."""
    for question in QUESTIONS:
        truth, noise = truths(served, question), theory(served, question)
        for way in ways:
            answers = WAYS[way](served, question, runs)
            if answers:
                yield Measured(way, question, answers, truth, noise)


def table(found: Sequence[Measured]) -> str:
    """The figures, a line for each question and way."""
    lines = [f"{'question':36} {'asked by':18} {'runs':>4} {'keys':>4} {'median error':>13} {'theory':>9}"]
    for each in found:
        keys = len(each.answers[0])
        lines.append(
            f"{each.question.title:36} {each.way:18} {len(each.answers):4} {keys:4}"
            f" {each.median_error:13.4%} {each.expected_error:9.4%}"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table, for both ways of accounting."""
    for accounting in ("zcdp", "pure"):
        with (
            tempfile.TemporaryDirectory() as directory,
            serving(make_adult(Path(directory), accounting), "census") as served,
        ):
            print(f"epsilon 1 for each statement, {accounting}\n{table(list(measured(served)))}\n")


if __name__ == "__main__":
    main()
