"""Rows of constants: what the engines read is what Postgres makes of the analyst's own text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import duckdb
import psycopg
import pytest
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sqlglot import exp, parse_one
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.catalog.types import Family
from dpproxy.engines.duckdb.opening import _CONFIG
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.settings import Settings
from dpproxy.rewrite import Parameter
from dpproxy.rewrite.algebra.render import written
from dpproxy.rewrite.calculus.constant_rows import constant_rows
from dpproxy.rewrite.calculus.relations import Readable
from dpproxy.rewrite.checker.constants import read_constants
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.relation import context_of
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.reading.admit import admit
from dpproxy.rewrite.reading.constants import set_apart
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rows import Value

RELATIONS = (
    "(VALUES (1, 'a'), (2, 'b'), (NULL, NULL)) AS v",
    "(VALUES (1), (2.50), ('-3')) AS v",
    "(VALUES (1::smallint), (30000000000)) AS v",
    "(VALUES (1.5::float8), (2), (0.1)) AS v",
    "(VALUES (1.5::real), (2), (0.1)) AS v",
    "(VALUES (NULL), (NULL)) AS v",
    "(VALUES (true), ('off'), (NULL)) AS v",
    "(VALUES (DATE '2024-01-01'), ('2024-12-31')) AS v",
    "(VALUES (DATE '2024-01-01'), (TIMESTAMP '2024-12-31 10:11:12.5')) AS v",
    "(VALUES ('it''s'), (''), ('\\'), ('é')) AS v",
    "(VALUES (1 + 1), (-(3)), (abs(-4))) AS v",
    "generate_series(1, 10, 3) AS v",
    "generate_series(10, 1, -4) AS v",
    "generate_series(10, 1) AS v",
    "generate_series(-2, 2) AS v",
    "generate_series(1, '3') AS v",
    "generate_series(1, 3::bigint) AS v",
    "generate_series(NULL::int, 3) AS v",
    "generate_series('2024-01-31'::date, '2024-06-30', '1 month') AS v",
    "generate_series('2024-06-30'::date, '2024-01-31', '-1 month') AS v",
    "generate_series('2024-02-28'::date, '2024-03-02'::date, '1 day') AS v",
    "generate_series('2024-02-28'::timestamp, '2024-03-02', '7 hours') AS v",
    "generate_series('2024-02-28'::timestamp, '2024-03-02'::date, '1 week') AS v",
    "generate_series('2023-01-01'::date, '2026-03-02', '1 year 3 months -2 days'::interval) AS v",
    "generate_series('2026-01-01'::timestamp, '2025-01-01', '-1 month 5 days'::interval) AS v",
    "generate_series('2024-01-01'::date, '2023-01-01', '1 day') AS v",
    "unnest(ARRAY[3, NULL, 1]) AS v",
    "unnest('{3,NULL,1}'::bigint[]) AS v",
    """unnest('{a," b ",NULL,"NULL"}'::text[]) AS v""",
    "unnest('{}'::date[]) AS v",
    "unnest(NULL::text[]) AS v",
    "unnest(ARRAY['2024-01-01'::date, '2024-05-05']) AS v",
    "unnest(ARRAY[1, 2, 3], ARRAY['a']) AS v(a, b)",
    "unnest(ARRAY['1', '2.5']::numeric(10, 2)[]) AS v",
)


@dataclass(frozen=True)
class Engines:
    duck: duckdb.DuckDBPyConnection
    postgres: psycopg.Connection[tuple[Value, ...]]


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    with (
        scratch_postgres(next(iter(INSTALLATIONS.values()))) as server,
        psycopg.connect(server.conninfo, autocommit=True) as postgres,
        duckdb.connect(config=_CONFIG) as duck,
    ):
        yield Engines(duck, postgres)


def read(relation: str, catalog: Catalog, dialect: str) -> Readable:
    """What the engine is given for the one relation of constants in FROM."""
    sql = f"SELECT * FROM {relation}"
    _, (constants,) = set_apart(admit(parse_statement(sql), sql))
    return constant_rows(constants, PlanningContext(catalog, Settings(Decimal(1)), (), dialect, (constants,)))


@pytest.mark.parametrize("zone", ["UTC", "Europe/Amsterdam", "America/New_York"])
@pytest.mark.parametrize("relation", RELATIONS)
def test_rows_names_and_types_are_those_of_postgres(
    relation: str, zone: str, catalog: Catalog, engines: Engines
) -> None:
    engines.postgres.execute("SELECT set_config('TimeZone', %s, false)", [zone])
    own = engines.postgres.execute(f"SELECT * FROM {relation}".encode())
    assert own.description is not None
    theirs = Counter(tuple(map(_plain, row)) for row in own.fetchall())
    for dialect in ("duckdb", "postgres"):
        made = read(relation, catalog, dialect)
        text = written(made.tree, dialect).sql
        rows = engines.duck.sql(text).fetchall() if dialect == "duckdb" else _rows(engines, text)
        assert Counter(tuple(map(_plain, row)) for row in rows) == theirs
        assert list(made.facts) == [column.name for column in own.description]
        types = [_rows(engines, f"SELECT format_type({column.type_code}, NULL)") for column in own.description]
        assert [fact.type.name for fact in made.facts.values()] == [str(name) for ((name,),) in types]


def _rows(engines: Engines, sql: str) -> list[tuple[Value, ...]]:
    return engines.postgres.execute(sql.encode()).fetchall()


def _plain(value: object) -> object:
    """A moment without its zone: the engine holds what the session's clock shows."""
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


@pytest.mark.parametrize("relation", RELATIONS)
def test_facts_hold_for_the_rows(relation: str, catalog: Catalog, engines: Engines) -> None:
    made = read(relation, catalog, "duckdb")
    rows = engines.duck.sql(written(made.tree, "duckdb").sql).fetchall()
    for place, (name, fact) in enumerate(made.facts.items()):
        there = [row[place] for row in rows]
        assert fact.nullable == (None in there)
        assert fact.domain is not None
        if fact.type.family is not Family.FLOAT:
            assert set(fact.domain) == {value for value in there if value is not None}
        if (name,) in made.unique:
            assert len(set(there)) == len(there)
    assert made.most == max(len(rows), 1)
    assert (() in made.unique) == (len(rows) <= 1)


def test_a_thousand_rows_and_no_more(catalog: Catalog) -> None:
    values = ", ".join(f"({i})" for i in range(1001))
    array = ", ".join(str(i) for i in range(1001))
    for many in (f"(VALUES {values}) AS v", "generate_series(0, 1000) AS v", f"unnest(ARRAY[{array}]) AS v"):
        with pytest.raises(FeatureNotSupported, match="more than 1,000 rows"):
            read(many, catalog, "duckdb")
    assert read("generate_series(1, 1000) AS v", catalog, "duckdb").most == 1000


@pytest.mark.parametrize(
    "relation",
    [
        "generate_series(1, 9000000000000000000)",
        "generate_series('0001-01-01'::timestamp, '9999-12-31', '1 microsecond')",
        "generate_series('2024-01-01'::timestamp, '2025-01-01', '-1 month 31 days'::interval)",
    ],
)
def test_endless_series_are_refused_at_once(relation: str, catalog: Catalog) -> None:
    with pytest.raises(FeatureNotSupported, match="more than 1,000 rows"):
        read(relation, catalog, "duckdb")


def test_a_series_that_leaves_the_calendar_is_refused(catalog: Catalog) -> None:
    with pytest.raises(FeatureNotSupported, match="leaves the calendar"):
        read("generate_series('9999-01-01'::timestamp, '9999-12-31', '1 month') AS v", catalog, "duckdb")


def test_parameters_are_read_and_named(catalog: Catalog) -> None:
    sql = (
        "SELECT v.x, count(*) FROM people JOIN (VALUES ($1, $2), ('M', 5)) v(s, x) ON sex = s"
        " JOIN unnest($3) a ON age > a JOIN generate_series($4, 3) g ON true GROUP BY v.x"
    )
    values = (("text", "F"), ("integer", "7"), ("_int4", "{20,30}"), ("integer", "3"))
    made = plan(sql, catalog, {}, tuple(Parameter(type_, text) for type_, text in values))
    assert made.reads == {0, 1, 2, 3}
    assert "$5" in made.post.sql and "$1" not in made.post.sql


def test_parameters_of_released_joins_stay_in_the_post_statement(catalog: Catalog) -> None:
    sql = "SELECT a, t.n FROM unnest($1) a, (SELECT count(*) AS n FROM people) t"
    made = plan(sql, catalog, {}, (Parameter("_int4", "{20,30}"),))
    assert 'UNNEST($1) AS "a"("a")' in made.post.sql
    assert made.reads == frozenset()


def test_the_checker_does_not_take_cut_values_for_unique() -> None:
    def unique(type_: str) -> frozenset[tuple[str, ...]]:
        sql = f"SELECT 1 FROM (VALUES (CAST('ab' AS {type_})), (CAST('ac' AS {type_}))) AS v0(c0)"
        values = parse_one(sql, read="postgres").find(exp.Values)
        assert values is not None
        return read_constants(values, context_of(Catalog({}, {}), (), facts_of("postgres"))).unique

    assert unique("VARCHAR(1)") == frozenset()
    assert unique("TEXT") == frozenset([("c0",)])


def test_a_schema_of_that_name_is_nobodys(catalog: Catalog) -> None:
    with pytest.raises(FeatureNotSupported, match="this schema"):
        plan('SELECT count(*) FROM people, "dpproxy constants"."0"', catalog)
