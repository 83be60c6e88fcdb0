"""What a row operation costs: seconds that units add to a statement, by the operations that they count for.

The rows of more and more units are put in, each with as many as `max_unit_rows`; the time of a statement before and
after is taken, and the difference divided by the operations of the units that were added. What is counted for the
release itself, and not for rows, is left out, so that a figure is of rows alone.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import psycopg
from bench.timing import timed
from scratch_postgres import MAJORS, scratch_postgres
from worlds import fitted, make_world, plan

from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.work.weights import FLOOR, OPERATION, RELEASED

ROWS = 100  # of a unit in visits: the default of max_unit_rows
PEOPLE = """
INSERT INTO people SELECT i, 'name ' || i, CAST((i * 7) % 100 AS INTEGER), CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END,
    (i * 137) % 400000, 'city ' || (i % 30), i % 4 = 0, DATE '2020-01-01' + CAST(i % 2000 AS INTEGER)
FROM generate_series({0}, {1} - 1) AS g(i)
"""
VISITS = """
INSERT INTO visits SELECT i * 100 + j, i, DATE '2024-01-01' + CAST((i * 31 + j * 7) % 700 AS INTEGER),
    ((i * 53 + j * 977) % 40000) / 100.0,
    CASE WHEN (i + j) % 3 = 0 THEN 'cardio' WHEN (i + j) % 3 = 1 THEN 'neuro' ELSE 'ortho' END
FROM generate_series({0}, {1} - 1) AS g(i), generate_series(0, 99) AS h(j)
"""
TABLES = """
CREATE TABLE people (person_id BIGINT PRIMARY KEY, name TEXT, age INTEGER NOT NULL, sex TEXT NOT NULL,
    income DOUBLE PRECISION, city TEXT, smoker BOOLEAN NOT NULL, joined DATE NOT NULL);
CREATE TABLE visits (visit_id BIGINT NOT NULL, person_id BIGINT, day DATE NOT NULL, cost DOUBLE PRECISION NOT NULL,
    dept TEXT NOT NULL);
CREATE TABLE departments (dept TEXT PRIMARY KEY, building TEXT NOT NULL, beds INTEGER NOT NULL);
INSERT INTO departments VALUES
    ('cardio', 'north', 20), ('neuro', 'north', 15), ('ortho', 'south', 30), ('empty', 'east', 5);
"""
OF_PEOPLE = (
    "SELECT count(*) FROM people",
    "SELECT sum(income) FROM people WHERE age >= 40",
    "SELECT sex, avg(income) FROM people GROUP BY sex",
    "SELECT city, count(*) FROM people GROUP BY city",
    "SELECT count(*) FROM people WHERE city ~ '^c.*[0-9]$'",
    "SELECT count(*) FROM people WHERE lower(city) LIKE '%y 1_'",
    "SELECT count(*) FROM people WHERE replace(upper(city), 'CITY', 'town') = 'town 7'",
    "SELECT count(*) FROM people, generate_series(1, 20) AS s(x) WHERE age > x",
)
OF_VISITS = (
    "SELECT count(*) FROM visits",
    "SELECT sum(cost) FROM visits",
    "SELECT dept, sum(cost) FROM visits GROUP BY dept",
    "SELECT to_char(day, 'YYYY-MM'), count(*) FROM visits GROUP BY 1",
    "SELECT count(DISTINCT dept) FROM visits",
    "SELECT count(DISTINCT day) FROM visits",
    "SELECT sex, sum(cost) FROM visits JOIN people USING (person_id) GROUP BY sex",
    "SELECT building, avg(cost) FROM visits JOIN departments USING (dept) GROUP BY building",
    "SELECT count(*) FROM visits v JOIN departments d ON v.cost > d.beds",
    "SELECT count(*) FROM visits WHERE dept ~ '^c.*o$'",
    "SELECT count(*) FROM visits WHERE EXISTS (SELECT 1 FROM departments d WHERE d.dept = visits.dept AND beds > 10)",
    "SELECT avg(t.cost) FROM people p, LATERAL (SELECT cost FROM visits v WHERE v.person_id = p.person_id "
    "ORDER BY day DESC, visit_id LIMIT 1) t",
    "SELECT count(*) FROM (SELECT person_id, dept FROM visits UNION SELECT person_id, city FROM people) s",
    "SELECT count(*) FROM (SELECT DISTINCT person_id, day FROM visits) s",
    "SELECT avg(n) FROM (SELECT person_id, least(count(*), 50) AS n FROM visits GROUP BY person_id) s",
    "SELECT count(*) FROM visits a JOIN visits b USING (person_id) WHERE a.cost < b.cost",
)  # fmt: skip


@dataclass(frozen=True)
class Extent:
    """Units that are there before and after, of people alone and with visits; rounds, of which the least counts."""

    people: tuple[int, int]
    visits: tuple[int, int]
    rounds: int


Run = Callable[[str], object]


def lines(extent: Extent) -> Iterator[str]:
    """A line for each engine, way of running it and statement, and a line with the median and the maximum of all."""
    with tempfile.TemporaryDirectory() as directory:
        catalog = fitted(make_world(Path(directory)))[1]
    for dialect, engine in (("duckdb", _in_duckdb), ("postgres", _in_postgres)):
        plans = {sql: plan(sql, catalog, dialect=dialect) for sql in (*OF_PEOPLE, *OF_VISITS)}
        for way, found in engine(plans, extent).items():
            for sql, seconds in found.items():
                counted = operations(plans[sql])
                yield f"{dialect:8} {way:8} {seconds / counted * 1e9:8.1f} ns for each of {counted:9,}  {sql}"
            each = [seconds / operations(plans[sql]) * 1e9 for sql, seconds in found.items()]
            middle, most = statistics.median(each), max(each)
            yield f"{dialect:8} {way:8} a row operation: median {middle:.1f} ns, most {most:.1f} ns"


def operations(made: Plan) -> int:
    """Those of a unit's rows."""
    apart = sum(FLOOR + each.bounded.groups * len(each.bounded.measures) * RELEASED for each in made.releases)
    return made.work.operations - apart // OPERATION


def _in_duckdb(plans: Mapping[str, Plan], extent: Extent) -> dict[str, dict[str, float]]:
    with duckdb.connect() as engine:
        engine.execute(TABLES)
        ways = {"1 thread": "SET threads = 1", "default": "RESET threads"}
        return _added(lambda sql: engine.execute(sql).fetchall(), ways, plans, extent)


def _in_postgres(plans: Mapping[str, Plan], extent: Extent) -> dict[str, dict[str, float]]:
    with scratch_postgres(MAJORS[max(MAJORS)]) as server, psycopg.connect(server.conninfo, autocommit=True) as engine:
        engine.execute(TABLES)
        engine.execute("SET jit = off")
        ways = {
            "1 worker": "SET max_parallel_workers_per_gather = 0",
            "default": "RESET max_parallel_workers_per_gather",
        }
        return _added(lambda sql: engine.execute(sql), ways, plans, extent)


def _added(run: Run, ways: Mapping[str, str], plans: Mapping[str, Plan], extent: Extent) -> dict[str, dict[str, float]]:
    """Seconds for one more unit, for each way and statement."""
    found: dict[str, dict[str, float]] = {way: {} for way in ways}
    for inserts, statements, (few, many) in (
        ((PEOPLE,), OF_PEOPLE, extent.people),
        ((PEOPLE, VISITS), OF_VISITS, extent.visits),
    ):
        run("DELETE FROM visits")
        run("DELETE FROM people")
        times = []
        for first, last in ((0, few), (few, many)):
            for insert in inserts:
                run(insert.format(first, last))
            run("ANALYZE")
            times.append({way: _least(run, begin, statements, plans, extent.rounds) for way, begin in ways.items()})
        for way in ways:
            before, after = times[0][way], times[1][way]
            found[way] |= {sql: (after[sql] - before[sql]) / (many - few) for sql in statements}
    return found


def _least(
    run: Run, begin: str, statements: tuple[str, ...], plans: Mapping[str, Plan], rounds: int
) -> dict[str, float]:
    run(begin)
    texts = {sql: plans[sql].releases[0].bounded.sql for sql in statements}
    return {sql: min(timed(lambda t=text: run(t)) for _ in range(rounds)) for sql, text in texts.items()}
