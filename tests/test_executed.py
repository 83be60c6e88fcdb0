"""Every case of sql_fixtures is executed, without noise, and compared with Postgres's own answer: all of rewrite/, and
what the refusals of refuse/ say to write instead.

The whole way runs but for the noise: plan, bounded SQL in DuckDB, release, the post statement in a real Postgres. The
judge is the analyst's own statement in that Postgres, over plain tables that hold the rows which belong to a unit.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import duckdb
import psycopg
import pytest
from test_fixtures import by_file, cases
from worlds import MINE, MINE_ROWS, SCRIPT, at_the_time, fitted, make_mine, make_world, own_column, plan

import dpproxy.release
from dpproxy.catalog.model import Catalog
from dpproxy.engines import Query
from dpproxy.engines.duckdb import _CONFIG
from dpproxy.engines.duckdb import _query as run_query
from dpproxy.front.embedded import EmbeddedFront
from dpproxy.plan.model import Bounded, FromPublic, Key, OwnColumn, Plan, PublicColumn, Release
from dpproxy.plan.space import key_space
from dpproxy.post import arrays, text
from dpproxy.release import canonical, release
from dpproxy.rows import Rows, Value
from dpproxy.wire.arrays import text_array

WIDE = {"max_rows_per_unit": "100000", "max_groups_per_unit": "1000"}
APART = ("expressions", "label", "resolve")
CASES = {
    f"{case.path.stem}: {case.title}": case
    for path in by_file("rewrite")
    if path.stem not in APART
    for case in cases(path)
} | {
    f"refuse {case.path.stem}: {case.title}": case.instead
    for path in by_file("refuse")
    for case in cases(path)
    if case.instead is not None
}
JUDGED = [name for name, case in CASES.items() if "dp." not in case.sql]  # the judge has no tables of the proxy's own
# What the fixture files do not hold: types and names of each kind of key and aggregate.
MORE = (
    "SELECT extract(month FROM day), count(*) FROM visits GROUP BY 1",
    "SELECT smoker, count(*), avg(age), sum(age), avg(income), sum(income) FROM people GROUP BY smoker",
    "SELECT age / 10 * 10 AS decade, count(*) FROM people GROUP BY 1 ORDER BY 1",
    "SELECT CASE WHEN age >= 40 THEN 'old' ELSE 'young' END, count(*) FROM people GROUP BY 1",
    "SELECT CASE WHEN age >= 65 THEN 'pension' WHEN age < 30 THEN 'start' END AS phase, avg(income) "
    "FROM people GROUP BY phase",
    "SELECT avg(quantity), sum(quantity), avg(price * (1 - discount)), sum(price * discount) FROM lineitem",
    "SELECT segment, avg(acctbal), sum(acctbal), count(acctbal) FROM customer GROUP BY segment",
    "SELECT priority, flag, count(*) FROM orders o JOIN lineitem l USING (orderkey) GROUP BY 1, 2",
    "SELECT count(*) FILTER (WHERE smoker), avg(age) FILTER (WHERE sex = 'F'), count(income) FROM people",
    "SELECT count(*) FROM people WHERE age BETWEEN 30 AND 50 AND sex IN ('F') AND city LIKE 'G%'",
    "SELECT count(*) FROM people WHERE city IS NULL OR NOT smoker",
    "SELECT sum(age::numeric), avg(age::double precision), sum(age::bigint) FROM people",
    "SELECT joined, count(*) FROM people GROUP BY joined",
    "SELECT date_trunc('year', day), count(*), sum(cost) FROM visits GROUP BY 1",
    "SELECT sum(cost) / count(*), round(avg(cost)::numeric, 2) "
    "FROM visits v JOIN people p USING (person_id) WHERE p.age > 30",
    "SELECT sum(income - age * 100), sum(-age), avg(-(age + 1)), sum(-(joined - DATE '2020-01-01')) FROM people",
    "SELECT beds, count(*) FROM visits v JOIN departments d USING (dept) GROUP BY beds HAVING count(*) > 0",
    "SELECT d.building, p.sex, avg(v.cost) FROM visits v, people p, departments d "
    "WHERE v.person_id = p.person_id AND v.dept = d.dept GROUP BY 1, 2",
    "SELECT b, count(*) FROM (SELECT d.building AS b FROM visits v JOIN departments d ON v.dept = d.dept) t GROUP BY b",
    "SELECT date_trunc('month', day) AS month, avg(cost) FROM visits GROUP BY month",
    "SELECT date_trunc('month', day + INTERVAL '3 days') AS month, avg(cost) FROM visits GROUP BY month",
    "SELECT day + INTERVAL '1 month' AS later, day + 7 AS week, count(*) FROM visits GROUP BY 1, 2",
    "SELECT extract(year FROM day) AS year, extract(dow FROM day), count(*) FROM visits GROUP BY 1, 2",
    "SELECT length(dept), upper(dept) AS d, substring(dept, 1, 3), dept || '!' AS e, count(*) "
    "FROM visits GROUP BY 1, 2, 3, 4",
    "SELECT age::text, round(income), floor(income / 10000.0), count(*) FROM people GROUP BY 1, 2, 3",
    "SELECT quantity % 7 AS m, linenumber % 2, -linenumber, price / 3 > 20000, count(*) "
    "FROM lineitem GROUP BY 1, 2, 3, 4",
    "SELECT coalesce(city, 'none') AS c, nullif(sex, 'F'), greatest(age, 50), count(*) FROM people GROUP BY 1, 2, 3",
    "SELECT acctbal, round(acctbal, 1), acctbal * 2, abs(acctbal), acctbal::integer, count(*) "
    "FROM customer GROUP BY 1, 2, 3, 4, 5",
    "SELECT sum(price * quantity), avg(price / 3), sum(quantity / 7), avg(linenumber / 2), sum(linenumber % 3) "
    "FROM lineitem",
    "SELECT sum(age * 1.5), avg(age * 2), sum(age / 2.0), sum(income / 3), avg(round(income)), sum(abs(age - 50)) "
    "FROM people",
    "SELECT avg(extract(year FROM joined)), sum(extract(month FROM joined)), avg(joined - DATE '2020-01-01') "
    "FROM people",
    "SELECT count(*) FROM people WHERE joined + INTERVAL '1 month' > DATE '2024-01-31' AND joined < '2024-06-01'",
    "SELECT count(*) FROM people WHERE city IS NOT NULL AND city NOT LIKE '%e%' AND age NOT IN (20, 30) AND age <> 40",
    "SELECT sex, sum(x) FROM (SELECT sex, income * 2 AS x FROM people WHERE age > 30) t GROUP BY sex HAVING sum(x) > 0",
    "WITH v AS (SELECT person_id AS p, cost FROM visits WHERE cost > 100) "
    "SELECT city, sum(cost) AS total "
    "FROM v JOIN people ON person_id = p GROUP BY city ORDER BY total DESC NULLS LAST LIMIT 2",
    "SELECT sex, count(*), count(*)::float8 / sum(count(*)) OVER () AS part FROM people GROUP BY sex ORDER BY sex",
    "SELECT sum(CASE WHEN smoker THEN 1 ELSE 0 END), avg(coalesce(income, 0)), sum(least(age, 50)) FROM people",
)
KEEPERS = {
    "people": "TRUE",
    "departments": "TRUE",
    "nation": "TRUE",
    "customer": "TRUE",
    "visits": "person_id IS NOT NULL",
    "orders": "custkey IS NOT NULL",
    "lineitem": "orderkey IN (SELECT orderkey FROM judge.orders)",
}


@dataclass(frozen=True)
class Halls:
    """The world in DuckDB, in Postgres (schema public) and without what belongs to nobody (schema judge)."""

    catalog: Catalog
    duck: duckdb.DuckDBPyConnection
    postgres: psycopg.Connection[tuple[Value, ...]]


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Halls]:
    directory = tmp_path_factory.mktemp("executed")
    catalog = fitted(make_world(directory))[1]
    with asyncio.Runner() as runner:
        front = runner.run(EmbeddedFront.start(directory / "front", "judged"))
        try:
            with (
                psycopg.connect(front.address.conninfo(), autocommit=True) as postgres,
                duckdb.connect(str(directory / "world.duckdb"), read_only=True, config=_CONFIG) as duck,
            ):
                duck.execute("SET TimeZone = 'UTC'")
                postgres.execute("SET TimeZone = 'UTC'")
                _load(postgres)
                yield Halls(catalog, duck, postgres)
        finally:
            runner.run(front.stop())


def _load(postgres: psycopg.Connection[tuple[Value, ...]]) -> None:
    postgres.execute(SCRIPT)
    postgres.execute("CREATE SCHEMA judge")
    for table, kept in KEEPERS.items():
        postgres.execute(f"CREATE TABLE judge.{table} AS SELECT * FROM public.{table} WHERE {kept}")
    postgres.execute(f"CREATE SCHEMA alice; {make_mine()}")
    with postgres.cursor() as cursor:
        cursor.executemany(f"INSERT INTO alice.mine VALUES ({', '.join(['%s'] * len(MINE.columns))})", MINE_ROWS)
    postgres.execute("CREATE TABLE judge.mine AS SELECT * FROM alice.mine")


@dataclass(frozen=True)
class Answer:
    """Names, type OIDs and rows."""

    names: tuple[str, ...]
    types: tuple[int, ...]
    rows: list[tuple[Value, ...]]


def judged(halls: Halls, sql: str) -> Answer:
    """The analyst's own statement over plain tables."""
    with halls.postgres.transaction():
        halls.postgres.execute("SET LOCAL search_path = judge")
        return _answer(halls, re.sub(r'"?public"?\.', "judge.", sql), ())


def proxied(halls: Halls, made: Plan, absent: bool) -> Answer:
    """The post statement over what the release points release; `absent`: public keys without a row are there with 0."""
    released: list[Rows] = []
    for each in made.releases:
        released.append(_released(halls, each, Told(made, released), absent))
    literals = [text_array(array).decode() for array in arrays(made.post, tuple(released), {})]
    return _answer(halls, made.post.sql, literals)


def _answer(halls: Halls, sql: str, parameters: Sequence[str]) -> Answer:
    with psycopg.RawCursor(halls.postgres) as cursor:
        cursor.execute(at_the_time(sql), parameters or None)
        assert cursor.description is not None
        names, types = zip(*((column.name, column.type_code) for column in cursor.description), strict=True)
        return Answer(names, types, cursor.fetchall())


@dataclass(frozen=True)
class Told:
    """What the texts of a plan are told: what was released so far, and the world's table of the analyst's own."""

    made: Plan
    earlier: Sequence[Rows]

    def __call__(self, column: PublicColumn) -> tuple[Value, ...]:
        if isinstance(column, OwnColumn):
            return own_column(self.made, column)
        return self.earlier[column.release].column(column.column)


def _released(halls: Halls, each: Release, told: Told, absent: bool) -> Rows:
    """What a release point answers; without `absent`, only rows whose key is in the data, as a judge has them."""
    keys = each.bounded.keys
    exact = _run(halls, each.bounded.sql, each.bounded.inputs, told)
    domains = [key.domain for key in keys if isinstance(key.domain, FromPublic)]
    public = {domain.sql: _run(halls, domain.sql, domain.inputs, told) for domain in domains}
    rows = release(each, exact, key_space(keys, public, told.earlier))
    if absent:
        return rows
    there = {_key(row, each.bounded.keys) for row in exact.rows}
    return Rows(rows.columns, tuple(row for row in rows.rows if _key(row, each.bounded.keys) in there))


def _key(row: Sequence[Value], keys: Sequence[Key]) -> tuple[Value, ...]:
    return tuple(canonical(value, key.type) for value, key in zip(row, keys, strict=False))


def _run(halls: Halls, sql: str, inputs: Sequence[PublicColumn], told: Told) -> Rows:
    query = Query(sql, {each.name: told(each) for each in inputs})
    return run_query(halls.duck, query)


@pytest.fixture(autouse=True)
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside of this test only: the product has no such switch."""
    monkeypatch.setattr(dpproxy.release, "add_noise", lambda noise, totals: list(totals))
    monkeypatch.setattr(dpproxy.release, "select", lambda selection, counts: dict(enumerate(counts)))


def compare(halls: Halls, sql: str, settings: Mapping[str, str]) -> None:
    made = plan(sql, halls.catalog, {**settings, **WIDE})
    ours, own = proxied(halls, made, absent=False), judged(halls, sql)
    if not _same_rows(ours, own):
        # A join or a subquery may ask for keys that have no row.
        ours = _without_empty(proxied(halls, made, absent=True), own)
    assert [n for n, m in zip(ours.names, own.names, strict=True) if n != m and not _nameless(m, own.names)] == []
    assert ours.types == own.types
    assert len(ours.rows) == len(own.rows)
    for mine, theirs in zip(sorted(ours.rows, key=_order), sorted(own.rows, key=_order), strict=True):
        assert all(map(_near, mine, theirs)), (mine, theirs)


def _same_rows(ours: Answer, own: Answer) -> bool:
    pairs = zip(sorted(ours.rows, key=_order), sorted(own.rows, key=_order), strict=False)
    return len(ours.rows) == len(own.rows) and all(all(map(_near, mine, theirs)) for mine, theirs in pairs)


def _without_empty(ours: Answer, own: Answer) -> Answer:
    """Without rows of zeros that the judge does not have."""
    rows = [
        row
        for row in ours.rows
        if any(isinstance(value, int | float | Decimal) and value for value in row)
        or any(all(map(_near, row, theirs)) for theirs in own.rows)
    ]
    return Answer(ours.names, ours.types, rows)


def _nameless(name: str, among: Sequence[str]) -> bool:
    """Whether no outer query could refer to it. Clients see the names of their own text, as the front describes it."""
    return name == "?column?" or among.count(name) > 1


def _order(row: tuple[Value, ...]) -> tuple[str, ...]:
    return tuple(f"{value:020.3f}" if isinstance(value, float | Decimal) else repr(value) for value in row)


def _near(one: Value, other: Value) -> bool:
    match one, other:
        case float(), float():
            return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-9)
        case Decimal(), Decimal():
            return abs(one - other) <= Decimal("1e-9") * max(1, abs(other))
        case _:
            return one == other


def settings_of(name: str) -> dict[str, str]:
    return {key: value for key, value in CASES[name].settings.items() if not key.startswith("max_")}


@pytest.mark.parametrize("name", JUDGED)
def test_a_case_without_noise_is_postgres_own_answer(name: str, halls: Halls) -> None:
    compare(halls, CASES[name].sql, settings_of(name))


@pytest.mark.parametrize("sql", MORE, ids=range(len(MORE)))
def test_names_types_and_rows_are_those_of_postgres(sql: str, halls: Halls) -> None:
    compare(halls, sql, {})


@pytest.mark.parametrize("name", JUDGED)
def test_both_engines_give_the_same_integers(name: str, halls: Halls) -> None:
    """Under the limits of the case; under wide ones the test above has compared them."""
    same_integers(halls, CASES[name].sql, CASES[name].settings)


@pytest.mark.parametrize("sql", MORE, ids=range(len(MORE)))
def test_both_engines_give_the_same_integers_for_more(sql: str, halls: Halls) -> None:
    same_integers(halls, sql, {})


def same_integers(halls: Halls, sql: str, settings: Mapping[str, str]) -> None:
    ducks, postgres = (plan(sql, halls.catalog, settings, dialect=d) for d in ("duckdb", "postgres"))
    released: list[Rows] = []
    for here, there in zip(ducks.releases, postgres.releases, strict=True):
        keys = here.bounded.keys
        told = Told(ducks, released)
        found = _run(halls, here.bounded.sql, here.bounded.inputs, told).rows
        other = _in_postgres(halls, there.bounded, told)
        assert _by_key(other, keys) == _by_key(found, keys)
        assert len(found) == len(other)
        released.append(_released(halls, here, told, absent=False))


def _in_postgres(halls: Halls, bounded: Bounded, told: Told) -> list[tuple[Value, ...]]:
    """Bounded SQL in a real Postgres: its parameters have numbers, and no text of it holds a NUL, nor can CHR(0) be."""
    names = [each.name for each in bounded.inputs]
    sql = re.sub(r"\$([rt]\d+c\d+)", lambda name: f"${names.index(name[1]) + 1}", bounded.sql)
    sql = re.sub(r"POSITION\(CHR\(0\) IN k\d+\) = 0", "TRUE", sql)
    arrays_ = [text_array([text(v) for v in told(each)]) for each in bounded.inputs]
    with psycopg.RawCursor(halls.postgres) as cursor:
        cursor.execute(sql, [array.decode() for array in arrays_] or None)
        return cursor.fetchall()


def _by_key(rows: Sequence[tuple[Value, ...]], keys: Sequence[Key]) -> dict[tuple[Value, ...], tuple[Value, ...]]:
    return {_key(row, keys): row[len(keys) :] for row in rows}
