"""How long a statement takes to plan afresh and to check, in each engine's dialect: those of `sql_fixtures/rewrite`
that are answered, and TPC-H. The question is what a session asks: what the front says of names is there already.

It is time of the processor, which others on the machine change little. All statements are planned one after the other,
round by round, so that none meets what was remembered of its own text; what a server has after its first statements
(noise that was searched, formats, types) is there after a round before them, which says which are answered. Garbage is
collected as the server does it, after each, and memory is in large pages, as a server's is. Of each statement the
median of its rounds counts; in brackets is what comes of the least of them, which a busy machine disturbs least.

Apart from these, `filled_lines`: how long it takes where a statement comes again with other values.
"""

from __future__ import annotations

import random
import re
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sql_cases import by_file, cases
from tpch.data import make_tpch
from tpch.queries import NEAREST, queries
from varied_values import varied
from worlds import TERMS, fitted, make_world, plan, question_of

from dpproxy.accounting.loss import Accounting
from dpproxy.answering.garbage import collect_after_plan, collect_seldom
from dpproxy.catalog.policy import Catalog
from dpproxy.errors import DPProxyError
from dpproxy.rewrite import Question, plan_statement
from dpproxy.rewrite.bare_values import BareValues
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.plans_alike import filled, known_values
from dpproxy.server.large_pages import use_large_pages
from dpproxy.session.kept_plans import PlanShapes

DIALECTS = ("duckdb", "postgres")
# Expressions by themselves, which are no statements.
_NO_STATEMENTS = "expressions"
_LITERAL = re.compile(r"'|(?<![\w.$\"])[0-9]")
_FIRST = 8  # questions of which some shapes are learned
_SCALE = 0.01  # of TPC-H, whose rows a plan does not look at


@dataclass(frozen=True)
class Asked:
    """A statement over the tables of a policy."""

    name: str
    sql: str
    settings: Mapping[str, str]
    catalog: Catalog


@dataclass(frozen=True)
class Taken:
    """Milliseconds of the processor for one statement."""

    plan: float
    check: float

    @property
    def both(self) -> float:
        """All of it."""
        return self.plan + self.check


def lines(rounds: int, every: int = 1) -> Iterator[str]:
    """Lines for each dialect, on each `every`th statement."""
    with tempfile.TemporaryDirectory() as directory:
        asked = list(_asked(Path(directory)))[::every]
    for dialect in DIALECTS:
        answered = [each for each in asked if _is_answered(each, dialect)]
        collect_seldom()
        use_large_pages()
        found = [[_taken(each, dialect) for each in answered] for _ in range(rounds)]
        for part in ("plan", "check", "both"):
            times = list(zip(*([getattr(each, part) for each in row] for row in found), strict=True))
            yield f"{dialect:8} {part:5} {_spread(times)}"
        whole = [statistics.median(each.both for each in row) for row in zip(*found, strict=True)]
        slowest = sorted(zip(whole, (each.name for each in answered), strict=True), reverse=True)[:3]
        told = ", ".join(f"{name} ({taken:.1f} ms)" for taken, name in slowest)
        yield f"{dialect:8} {len(answered)} statements; the slowest are {told}"


def filled_lines(rounds: int, every: int = 1) -> Iterator[str]:
    """A line for each dialect, on each `every`th statement: what is filled, and how long it takes."""
    with tempfile.TemporaryDirectory() as directory:
        asked = list(_asked(Path(directory)))[::every]
    for dialect in DIALECTS:
        answered = [each for each in asked if _is_answered(each, dialect)]
        collect_seldom()
        use_large_pages()
        yield f"{dialect:8} {_filled(answered, dialect, rounds)}"


def _filled(asked: Sequence[Asked], dialect: str, rounds: int) -> str:
    """How many statements are filled where they come again with other values, and how long that takes, with checking;
    those that have a literal, of which the least of their rounds counts."""
    written = [each for each in asked if _LITERAL.search(each.sql)]
    times = [min(found) for each in written if (found := _filled_times(each, dialect, rounds))]
    taken = f": median {statistics.median(times):.2f} ms" if times else ""
    return f"{len(times)} of {len(written)} statements with literals are filled{taken}"


def _filled_times(asked: Asked, dialect: str, rounds: int) -> list[float]:
    """Milliseconds of each question that two before it give the plan of."""
    rng, shapes, found = random.Random(3), PlanShapes(), list[float]()
    for _ in range(_FIRST + rounds):
        question = question_of(varied(asked.sql, asked.catalog, rng), asked.catalog, asked.settings)
        begin = time.thread_time()
        values = known_values(question, asked.catalog)
        shape = None if values is None else shapes.find(values)
        made = None if values is None or shape is None else filled(shape, values, asked.catalog, dialect)
        if made is not None:
            check_plan(made, asked.catalog, dialect, Accounting.ZCDP)
            found.append((time.thread_time() - begin) * 1e3)
        elif values is not None:
            _learn(shapes, values, question, asked.catalog, dialect)
    return found


def _learn(shapes: PlanShapes, values: BareValues, question: Question, catalog: Catalog, dialect: str) -> None:
    try:
        shapes.learn(values, plan_statement(question, catalog, TERMS, dialect))
    except DPProxyError:
        return


def _asked(directory: Path) -> Iterator[Asked]:
    world = fitted(make_world(directory))[1]
    for path in by_file("rewrite"):
        for case in cases(path) if path.stem != _NO_STATEMENTS else ():
            yield Asked(f"{path.stem}: {case.title}", case.sql, case.settings, world)
    tpch = fitted(make_tpch(directory, _SCALE))[1]
    for number, query in queries().items():
        yield Asked(f"Q{number}", query.sql.strip().rstrip(";"), {}, tpch)
    for number, query in NEAREST.items():
        yield Asked(f"Q{number}, nearest", query.sql, {}, tpch)


def _is_answered(asked: Asked, dialect: str) -> bool:
    """Whether there is a plan that releases something: public statements run in the front, unplanned."""
    try:
        made = plan(asked.sql, asked.catalog, asked.settings, dialect=dialect)
    except DPProxyError:
        return False
    return bool(made.releases)


def _taken(asked: Asked, dialect: str) -> Taken:
    question = question_of(asked.sql, asked.catalog, asked.settings)
    begin = time.thread_time()
    made = plan_statement(question, asked.catalog, TERMS, dialect)
    planned = time.thread_time()
    check_plan(made, asked.catalog, dialect, Accounting.ZCDP)
    checked = time.thread_time()
    collect_after_plan()
    return Taken((planned - begin) * 1e3, (checked - planned) * 1e3)


def _spread(rounds: Sequence[tuple[float, ...]]) -> str:
    """Of each statement's rounds."""
    found, least = [statistics.median(each) for each in rounds], [min(each) for each in rounds]
    told = (statistics.median(found), statistics.median(least), _most_of(found), _most_of(least), max(found))
    return "median {:.2f} ms ({:.2f}), 95 % within {:.2f} ms ({:.2f}), most {:.2f} ms".format(*told)


def _most_of(times: list[float]) -> float:
    """What 95 % of them are within."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1]
