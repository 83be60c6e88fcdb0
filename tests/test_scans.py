"""Tables where Postgres has them, and columns that a scan has to read in a form of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import psycopg
import pytest
from scratch_postgres import MAJORS, scratch_postgres
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog, Link, Table, TableColumn, Unit
from dpproxy.catalog.types import parse_type
from dpproxy.errors import FeatureNotSupported
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.checker.fault import CheckFault

_ID = TableColumn("id", parse_type("bigint"), stored="person_id")
PEOPLE = Table(
    "people",
    (
        _ID,
        TableColumn("mood", parse_type("text"), values=("sad", "ok"), stored="mood"),
        TableColumn("secret", parse_type("text"), hidden=True),
    ),
    unit="person",
    unit_key="id",
    primary_key=("id",),
    unique=frozenset({("id",)}),
    max_rows_per_unit=100,
    max_groups_per_unit=8,
    place=("clinic", "people"),
)
VISITS = Table(
    "visits",
    (
        TableColumn("person", parse_type("bigint"), stored="person_id"),
        TableColumn("cost", parse_type("numeric(9,2)"), bounds=(Decimal(0), Decimal(100))),
        TableColumn("free", parse_type("numeric"), bounds=(Decimal(0), Decimal(100)), step=Decimal("0.01")),
        TableColumn("at", parse_type("timestamp"), stored="timestamp with time zone"),
    ),
    unit="person",
    links=(Link("person", "people", "id"),),
    max_rows_per_unit=5,
    max_groups_per_unit=8,
    place=("clinic", "visits"),
)
CATALOG = Catalog({"people": PEOPLE, "visits": VISITS}, {"person": Unit("person", "people", "id")}, caps_hold=True)
STATEMENTS = {
    "SELECT mood, count(*) FROM people GROUP BY mood": 2,
    "SELECT sum(cost), sum(free), count(*) FROM visits WHERE cost > 1": 1,
    "SELECT mood, avg(free) FROM visits v JOIN people p ON p.id = v.person WHERE at < '2024-06-01' GROUP BY mood": 2,
}
SCRIPT = """
CREATE SCHEMA clinic; SET search_path = clinic;
CREATE DOMAIN person_id AS bigint; CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE people (id person_id PRIMARY KEY, mood mood, secret text);
CREATE TABLE visits (person person_id REFERENCES people, cost numeric(9,2), free numeric, at timestamptz);
INSERT INTO people SELECT i, (ARRAY['sad', 'ok'])[1 + i % 2]::mood, 'x' FROM generate_series(1, 3000) AS g(i);
INSERT INTO visits SELECT 1 + i % 3000, i % 90, i % 90, '2024-01-01' FROM generate_series(1, 9000) AS g(i);
INSERT INTO visits VALUES (7, 'NaN', 'NaN', 'infinity'), (8, 5, 1e300, '-infinity');
CREATE INDEX ON visits (cost); ANALYZE; SET search_path = pg_catalog;
"""


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_link_leads_through_a_table_that_an_analyst_may_not_name(dialect: str) -> None:
    limited = CATALOG.limited_to({"visits"})
    made = plan("SELECT count(*), sum(cost) FROM visits", limited, dialect=dialect)
    check_plan(made, limited, dialect, Accounting.ZCDP)
    whole = plan("SELECT count(*), sum(cost) FROM visits", CATALOG, dialect=dialect)
    assert [each.bounded for each in made.releases] == [each.bounded for each in whole.releases]
    told = replace(made, post=replace(made.post, sql="SELECT mood FROM people"))
    with pytest.raises(CheckFault, match="the post statement reads people"):
        check_plan(told, limited, dialect, Accounting.ZCDP)
    with pytest.raises(FeatureNotSupported, match="people"):
        plan("SELECT count(*) FROM people", limited, dialect=dialect)


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    if not MAJORS:
        pytest.skip("no Postgres on this machine")
    with (
        scratch_postgres(MAJORS[max(MAJORS)]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute(SCRIPT)
        yield connection


def checked(made: Plan) -> str | None:
    try:
        check_plan(made, CATALOG, "postgres", Accounting.ZCDP)
    except CheckFault as fault:
        return fault.reason
    return None


def with_text(made: Plan, sql: str) -> Plan:
    (release,) = made.releases
    return replace(made, releases=(replace(release, bounded=replace(release.bounded, sql=sql)),))


@pytest.mark.parametrize("sql", STATEMENTS)
def test_tables_are_read_where_they_are(sql: str, postgres: psycopg.Connection[tuple[object, ...]]) -> None:
    made = plan(sql, CATALOG, dialect="postgres")
    assert checked(made) is None
    text = made.releases[0].bounded.sql
    assert '"clinic".' in text
    assert "secret" not in text  # EXPLAIN shows the text, and hidden columns are named nowhere
    assert len(postgres.execute(text).fetchall()) == STATEMENTS[sql]  # type: ignore[arg-type]


def test_a_scan_is_flattened_and_uses_indexes(postgres: psycopg.Connection[tuple[object, ...]]) -> None:
    text = plan("SELECT count(*) FROM visits WHERE cost < 0.5", CATALOG, dialect="postgres").releases[0].bounded.sql
    lines = [str(row[0]) for row in postgres.execute(f"EXPLAIN {text}").fetchall()]  # type: ignore[arg-type]
    assert any("visits_cost_idx" in line for line in lines), lines
    assert not any("Subquery Scan on s0" in line for line in lines), lines


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('CAST("mood" AS TEXT) AS "mood"', 'CAST("secret" AS TEXT) AS "mood"', "not read from its own column"),
        ('CAST("mood" AS TEXT) AS "mood"', '"mood" || "secret" AS "mood"', "not read from its own column"),
        ('CAST("id" AS BIGINT) AS "id"', 'CAST("id" AS DOUBLE PRECISION) AS "id"', "unit key"),
        ('CAST("id" AS BIGINT) AS "id"', '"id" % 2 AS "id"', "unit key"),
        ('"clinic"."people"', '"public"."people"', "no table of the policy"),
        ('"clinic"."people"', '"people"', "no table of the policy"),
        ('FROM "clinic"."people"', 'FROM "clinic"."people" WHERE "id" > 5', "clause"),
        ('AS "mood" FROM', 'AS "mood", "secret" AS "extra" FROM', "not read from its own column"),
    ],
)
def test_other_readings_are_refused(old: str, new: str, reason: str) -> None:
    made = plan("SELECT mood, count(*) FROM people GROUP BY mood", CATALOG, dialect="postgres")
    (release,) = made.releases
    assert old in release.bounded.sql, release.bounded.sql
    found = checked(with_text(made, release.bounded.sql.replace(old, new, 1)))
    assert found is not None
    assert re.search(reason, found), found


def test_duckdb_names_tables_as_the_policy_does() -> None:
    tables = {name: replace(table, place=None) for name, table in CATALOG.tables.items()}
    made = plan("SELECT count(*) FROM people", replace(CATALOG, tables=tables))
    assert '"people" AS s0' in made.releases[0].bounded.sql
