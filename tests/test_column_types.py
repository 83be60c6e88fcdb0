"""Columns of types that few tables have: what is made of them in both engines, that no value of theirs makes an engine
raise, and that no unit moves a result further than the plan says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import duckdb
import psycopg
import pytest
from column_types import UNITS, catalog, in_memory, in_postgres, planned, script, without
from neighbours.claims import broken, shown
from neighbours.places import Place, in_duckdb
from scratch_postgres import MAJORS, scratch_postgres
from sql_cases import FIXTURES, Case, cases, each_of
from worlds import NOW

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import Literals, Plan
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.checker.fault import CheckFault

ENGINES = ("duckdb", "postgres")
UTC, AMSTERDAM, REFUSALS = (FIXTURES / "types" / f"{name}.sql" for name in ("utc", "amsterdam", "refusals"))
ANSWERED = [case for path in (UTC, AMSTERDAM) for case in cases(path)]


def zone_of(case: Case) -> str:
    return "Europe/Amsterdam" if case.path == AMSTERDAM else "UTC"


def checked(case: Case, engine: str) -> Plan:
    return _checked(case.sql, engine, zone_of(case))


@cache
def _checked(sql: str, engine: str, zone: str) -> Plan:
    """Several tests look at one plan."""
    made = planned(sql, engine, zone)
    check_plan(made, catalog(engine), engine, Accounting.ZCDP)
    return made


@each_of([UTC, AMSTERDAM])
def test_fixtures(case: Case, compare: Callable[[Case, str], None]) -> None:
    duck, postgres = (checked(case, engine) for engine in ENGINES)
    show = _whole if case == next(cases(UTC)) else _short
    lines = []
    for one, other in zip(duck.releases, postgres.releases, strict=True):
        lines += dict.fromkeys(f"{show(each.bounded.sql)};" for each in (one, other))
        for key in one.bounded.keys:
            domain = key.domain
            values = ", ".join(map(str, domain.values)) if isinstance(domain, Literals) else type(domain).__name__
            lines.append(f"-- {key.name}: {key.type}: {values}")
    compare(case, "\n".join([*lines, f"-- post: {duck.post.sql}"]))


def _whole(sql: str) -> str:
    return sql


def _short(sql: str) -> str:
    """How a scan reads the tables is the same in each, and shown by the first."""
    named = re.sub(r'\(SELECT "(?:id|person|mood)", (?:(?!\(SELECT).)*? FROM (?:"public"\.)?("\w+")\)', r"\1", sql)
    return named.replace("-4611686018427387904", "least").replace("4611686018427387904", "most")


@each_of([REFUSALS])
def test_refusals(case: Case, compare: Callable[[Case, str], None]) -> None:
    found = []
    for engine in ENGINES:
        with pytest.raises(DPProxyError) as caught:
            planned(case.sql, engine)
        fault = caught.value
        place = f" at {fault.position} ({case.sql[fault.position - 1 :][:12]!r})" if fault.position else ""
        found.append(f"-- {fault.sqlstate}{place}: {fault.message}\n-- HINT: {fault.hint}")
    assert found[0] == found[1]
    assert case.instead is not None
    for engine in ENGINES:
        checked(case.instead, engine)
    compare(case, found[0])


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory("Asia/Kathmandu") as found:
        yield found


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    if not MAJORS:
        pytest.skip("no Postgres on this machine")
    with (
        scratch_postgres(MAJORS[max(MAJORS)]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(script("postgres"))
        connection.execute("SET TimeZone = 'Asia/Kathmandu'")
        yield connection


def neighbours(case: Case, engine: str, run: Callable[[str], object], place: Place) -> Iterator[str]:
    """What the claims of a plan are broken by, where one unit is left out at a time."""
    made = checked(case, engine)
    releases = [release for release in made.releases if not release.bounded.inputs]
    whole = [shown(release.bounded, place) for release in releases]
    for unit in (*range(0, UNITS, 9), UNITS - 2, UNITS - 1):
        run("BEGIN")
        for statement in without(unit).split(";"):
            run(statement)
        for release, one in zip(releases, whole, strict=True):
            yield from broken(release, one, shown(release.bounded, place))
        run("ROLLBACK")


@pytest.mark.parametrize("case", ANSWERED, ids=[case.title for case in ANSWERED])
def test_no_unit_moves_a_result_further_than_claimed(case: Case, duck: duckdb.DuckDBPyConnection) -> None:
    assert list(neighbours(case, "duckdb", duck.execute, in_duckdb(duck))) == []


@pytest.mark.parametrize("case", ANSWERED, ids=[case.title for case in ANSWERED])
def test_nor_in_postgres(case: Case, postgres: psycopg.Connection[tuple[object, ...]]) -> None:
    assert list(neighbours(case, "postgres", postgres.execute, in_postgres(postgres))) == []  # type: ignore[arg-type]


# Those of one number, which Postgres itself answers by the analyst's own text.
COUNTED = [case for case in ANSWERED if re.match(r"SELECT count\(\*\) FROM people WHERE", case.sql)]
ORDINARY = """
DELETE FROM events;
DELETE FROM people WHERE NOT (isfinite(seen) AND isfinite(last) AND isfinite(began) AND isfinite(ended));
DELETE FROM people WHERE extract(year FROM seen) > 9998 OR extract(year FROM last) > 9998 OR NOT isfinite(paused)
"""


@pytest.mark.parametrize("case", COUNTED, ids=[case.title for case in COUNTED])
def test_answers_are_those_of_postgres(case: Case, postgres: psycopg.Connection[tuple[object, ...]]) -> None:
    (release,) = checked(case, "postgres").releases
    with postgres.transaction(force_rollback=True):
        for statement in ORDINARY.split(";"):
            postgres.execute(statement)  # type: ignore[arg-type]
        found = shown(release.bounded, in_postgres(postgres)).totals
        postgres.execute(f"SET LOCAL TimeZone = '{zone_of(case)}'")  # type: ignore[arg-type]
        sql = re.sub(r"\bnow\(\)", f"TIMESTAMPTZ '{NOW}'", case.sql)
        (expected,) = postgres.execute(sql).fetchall()  # type: ignore[arg-type]
    assert found == {(): expected}


@pytest.mark.parametrize(
    ("engine", "old", "new", "reason"),
    [
        ("duckdb", '"seen" AT TIME ZONE \'UTC\' AS "seen"', '"seen"', "beside|not read as"),
        ("duckdb", 'TRY_CAST("began" AS TIMESTAMP) AS "began"', 'CAST("began" AS TIMESTAMP) AS "began"', "is read"),
        ("duckdb", 'TRY_CAST("began" AS TIMESTAMP) AS "began"', '"began"', "is read"),
        ("duckdb", 'TRY_CAST("began" AS TIMESTAMP) AS "began"', 'CAST("began" AS TEXT) AS "began"', "is read"),
        ("duckdb", "AT TIME ZONE 'UTC' AS \"seen\"", "AT TIME ZONE 'Europe/Amsterdam' AS \"seen\"", "known range"),
        ("duckdb", "AT TIME ZONE 'UTC' AS \"seen\"", "AT TIME ZONE 'Mars/Olympus' AS \"seen\"", "may not know"),
        ("postgres", '"seen" AT TIME ZONE \'UTC\' AS "seen"', '"seen"', "beside|not read as"),
        ("postgres", '"seen" AT TIME ZONE \'UTC\' AS "seen"', 'CAST("seen" AS TIMESTAMP) AS "seen"', "is cast"),
    ],
)
def test_other_readings_are_refused(engine: str, old: str, new: str, reason: str) -> None:
    made = planned("SELECT count(*) FROM people WHERE seen > '2024-01-01' AND began < '2024-06-01'", engine)
    check_plan(made, catalog(engine), engine, Accounting.ZCDP)
    (release,) = made.releases
    assert old in release.bounded.sql
    other = replace(release, bounded=replace(release.bounded, sql=release.bounded.sql.replace(old, new, 1)))
    with pytest.raises(CheckFault, match=reason):
        check_plan(replace(made, releases=(other,)), catalog(engine), engine, Accounting.ZCDP)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "new", ['s0."raw"', 's0."tags" || s0."tags"', 's0."span" + s0."span"', 'CAST(s0."raw" AS TEXT)']
)
def test_what_is_not_read_is_refused_however_it_is_read(engine: str, new: str) -> None:
    """Where a scan reads a column of bytes as they are, nothing but whether it is there may be asked."""
    made = planned("SELECT mood, count(*) FROM people GROUP BY mood", engine)
    (release,) = made.releases
    sql = release.bounded.sql
    for name in ("raw", "tags", "span"):
        sql = sql.replace(f'CASE WHEN NOT "{name}" IS NULL THEN TRUE END AS "{name}"', f'"{name}"')
    other = replace(release, bounded=replace(release.bounded, sql=sql.replace('s0."mood" AS k0', f"{new} AS k0", 1)))
    with pytest.raises(CheckFault):
        check_plan(replace(made, releases=(other,)), catalog(engine), engine, Accounting.ZCDP)


@pytest.mark.long
def test_both_engines_find_the_same_whatever_zone_a_session_has(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Without the extremes, which each engine has of its own."""
    alone = f"DELETE FROM people WHERE id >= {UNITS - 2}; DELETE FROM events WHERE person >= {UNITS - 2}"
    with in_memory("UTC") as other, postgres.transaction(force_rollback=True):
        duck.execute("BEGIN")
        for statement in alone.split(";"):
            for run in (other.execute, duck.execute, postgres.execute):
                run(statement)  # type: ignore[operator]
        places = {"duckdb": [in_duckdb(other), in_duckdb(duck)], "postgres": [in_postgres(postgres)]}
        for case in ANSWERED:
            made = {engine: checked(case, engine).releases for engine in ENGINES}
            for one, two in zip(made["duckdb"], made["postgres"], strict=True):
                if not one.bounded.inputs:
                    found = [shown(one.bounded, place) for place in places["duckdb"]]
                    found += [shown(two.bounded, place) for place in places["postgres"]]
                    assert found[0] == found[1] == found[2], case.title
        duck.execute("ROLLBACK")
