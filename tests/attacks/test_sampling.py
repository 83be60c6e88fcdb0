"""Randomness, where there must be none: which keys of a unit are kept is settled by the unit's own rows alone.

A unit with more keys than it may have keeps the first in an order by a hash of unit and key. That is no noise and needs
none: the noise is made for the most that one unit moves, whichever keys these are. What it must not do is to depend on
anybody else's rows, nor on what those have a part in: the order of rows in a table, an engine's plan, its threads. Else
one unit more or less would move the keys of many others, and the noise is not made for that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import psycopg
import pytest
from scratch_postgres import MAJORS, scratch_postgres
from worlds import TERMS

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog, Table, TableColumn, Unit
from dpproxy.catalog.types import BIGINT, parse_type
from dpproxy.plan.private_plan import Bounded, Limit, Plan
from dpproxy.rewrite import Question, plan_statement, read_settings
from dpproxy.rewrite.checker import CheckFault, check_plan

pytestmark = pytest.mark.long

UNITS, ROWS = 300, "(VALUES ('-0', 0), ('0', 0), ('NaN', 7), ('1', 1), ('2', 2), ('3', 3), ('4', 4)) AS v (x, y)"
TABLE = Table(
    "odd",
    (
        TableColumn("unit_id", BIGINT),
        TableColumn("x", parse_type("double precision"), nullable=True),
        TableColumn("n", parse_type("numeric(10,2)"), nullable=True),
        TableColumn("i", BIGINT, nullable=True),
        TableColumn("t", parse_type("text"), nullable=True),
    ),
    "one",
    "unit_id",
    max_rows_per_unit=100,
    max_groups_per_unit=3,
)
# Caps hold: keys are left out where noise is made for a cap of them, and a clip leaves out none.
CATALOG = Catalog({"odd": TABLE}, {"one": Unit("one", "odd", "unit_id")}, caps_hold=True)
KEYS = ("x", "x * 0", "x - x", "n", "n / 3", "i", "t", "CASE WHEN i > 1 THEN n ELSE 1.5 END")
DISTINCT = "SELECT {} AS k, count(DISTINCT n), count(DISTINCT t) FROM odd GROUP BY 1"
COUNTED = "SELECT {} AS k, count(*) FROM odd GROUP BY 1"
# As the order was once: of the text of floating point.
UNIFIED = "NULLIF(NULLIF(CAST(k0 AS DOUBLE PRECISION), 0), CAST('NaN' AS DOUBLE PRECISION))"
# Two halves of one table, whose rows may lie either way around.
_HALF = (
    "SELECT u AS unit_id, CAST(x AS DOUBLE PRECISION) AS x, CAST(y AS NUMERIC(10,2)) AS n, CAST(y AS BIGINT) AS i,"
    " 't' || x AS t FROM generate_series(1, {}) AS g (u), {} WHERE x {} '0'"
)
_OTHERS = "SELECT 1000000 + u, 9, 9, 9, 'other' FROM generate_series(1, {}) AS g (u)"
Run = Callable[[str], Sequence[tuple[Any, ...]]]


def tables(run: Run, others: int) -> None:
    """`one` and `other` hold the same rows, and `others` units besides: who has -0 has it first, or last."""
    made = [_HALF.format(UNITS, ROWS, comparison) for comparison in ("<>", "=")]
    for name, halves in (("one", made), ("other", made[::-1])):
        run(f"CREATE TABLE {name} AS {halves[0]}")
        for part in (_OTHERS.format(others), halves[1]):
            run(f"INSERT INTO {name} {part}")


@pytest.fixture(scope="module", params=["duckdb", "postgres"])
def engine(request: pytest.FixtureRequest) -> Iterator[tuple[str, Run]]:
    if request.param == "duckdb":
        with duckdb.connect(config={"ieee_floating_point_ops": "true", "threads": 2}) as connection:
            run: Run = lambda sql: connection.execute(sql).fetchall()  # noqa: E731
            tables(run, 10)
            yield "duckdb", run
        return
    with (
        scratch_postgres(list(MAJORS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):

        def asked(sql: str) -> Sequence[tuple[Any, ...]]:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

        tables(asked, 10)
        yield "postgres", asked


def plan(sql: str, dialect: str, catalog: Catalog = CATALOG) -> Plan:
    question = Question(sql, (), (), read_settings({"epsilon": "1"}, TERMS), {"odd": "odd"})
    return plan_statement(question, catalog, TERMS, dialect)


def bounded(sql: str, dialect: str) -> list[Bounded]:
    made = plan(sql, dialect)
    check_plan(made, CATALOG, dialect, Accounting.ZCDP)
    assert {each.bounded.limit for each in made.releases} == {Limit.KEYS_LIMITED}
    return [each.bounded for each in made.releases]


def exact(run: Run, sql: str, table: str) -> list[str]:
    """The exact rows that a release is made of, in one order. Which zero stands for a group never leaves."""
    assert '"odd"' in sql
    found = run(sql.replace("odd", table))
    return sorted(repr(tuple("zero" if value == 0 else value for value in row)) for row in found)


@pytest.mark.parametrize("asked", [COUNTED, DISTINCT], ids=["count", "distinct"])
@pytest.mark.parametrize("key", KEYS)
def test_the_keys_that_are_kept_do_not_depend_on_where_rows_lie(engine: tuple[str, Run], key: str, asked: str) -> None:
    dialect, run = engine
    for each in bounded(asked.format(key), dialect):
        first = exact(run, each.sql, "one")
        for table in ("other", "one", "other"):
            assert exact(run, each.sql, table) == first, each.sql


@pytest.mark.parametrize("asked", [COUNTED, DISTINCT], ids=["count", "distinct"])
@pytest.mark.parametrize("key", KEYS)
def test_nor_do_the_norms_that_units_are_scaled_down_by(engine: tuple[str, Run], key: str, asked: str) -> None:
    """Where caps only end the search for a clip: by what a unit is scaled down follows from its own rows alone."""
    dialect, run = engine
    catalog = replace(CATALOG, caps_hold=False)
    made = plan(asked.format(key), dialect, catalog)
    check_plan(made, catalog, dialect, Accounting.ZCDP)
    assert {each.bounded.limit for each in made.releases} >= {Limit.NORM_CLIPPED}
    for each in (release.bounded for release in made.releases):
        first = told(run, each, "one")
        for table in ("other", "one", "other"):
            assert told(run, each, table) == first, each.sql


def told(run: Run, bounded: Bounded, table: str) -> tuple[list[str], Counter[str]]:
    """The exact rows without the units that were counted in each, and these by bucket, which is all that is read of
    them (`exact_cells`): in which of its rows a unit was counted is for the engine to say."""
    if bounded.clip is None:
        return exact(run, bounded.sql, table), Counter()
    place, units = len(bounded.keys) + bounded.counts_units, Counter[str]()
    rows = []
    for row in run(bounded.sql.replace("odd", table)):
        units[str(row[place + 1 : place + 1 + len(bounded.measures)])] += int(row[place])
        rows.append(repr(tuple("zero" if value == 0 else value for value in (*row[:place], *row[place + 1 :]))))
    return sorted(rows), units


def unified(dialect: str) -> str:
    """One text for equal numbers, as the engine has it."""
    return UNIFIED.replace("DOUBLE PRECISION", {"duckdb": "DOUBLE"}.get(dialect, "DOUBLE PRECISION"))


def test_the_text_of_floating_point_would_tell_of_the_order_of_rows(engine: tuple[str, Run]) -> None:
    """What the text before was: the same rows in another order, and hundreds of units have other keys."""
    dialect, run = engine
    (found,) = bounded(COUNTED.format("x"), dialect)
    assert unified(dialect) in found.sql
    before = found.sql.replace(unified(dialect), "CAST(k0 AS TEXT)")
    assert exact(run, before, "one") != exact(run, before, "other")


@pytest.mark.parametrize("asked", [COUNTED, DISTINCT], ids=["count", "distinct"])
@pytest.mark.parametrize(
    "fault",
    ["k0", "CAST(k0 AS DOUBLE PRECISION)", "NULLIF(CAST(k0 AS DOUBLE PRECISION), 0)", UNIFIED.replace(", 0)", ", 1)")],
)
@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_the_checker_refuses_an_order_by_it(dialect: str, asked: str, fault: str) -> None:
    made = plan(asked.format("x"), dialect)
    check_plan(made, CATALOG, dialect, Accounting.ZCDP)
    first = made.releases[0]
    assert unified(dialect) in first.bounded.sql
    worse = replace(first, bounded=replace(first.bounded, sql=first.bounded.sql.replace(unified(dialect), fault)))
    with pytest.raises(CheckFault, match="text of floating point"):
        check_plan(replace(made, releases=(worse, *made.releases[1:])), CATALOG, dialect, Accounting.ZCDP)


def test_units_are_not_all_cut_in_one_way(engine: tuple[str, Run]) -> None:
    """The order is each unit's own: no key is starved, whatever its value."""
    dialect, run = engine
    (found,) = bounded(COUNTED.format("t"), dialect)
    counts = {row[0]: row[2] for row in run(found.sql.replace("odd", "one")) if row[0] != "other"}
    assert len(counts) == 7
    assert sum(counts.values()) == 3 * UNITS
    # Of 300 units each keeps 3 of 7: 129 on average, with a standard deviation of 8.6; it is the same in each run.
    assert all(80 < count < 180 for count in counts.values()), counts


def test_a_hash_is_for_an_order_alone() -> None:
    made = plan(COUNTED.format("t"), "duckdb")
    (first,) = made.releases
    worse = first.bounded.sql.replace('s0."t" AS k0', 'CAST(HASH(s0."t") AS TEXT) AS k0')
    assert worse != first.bounded.sql and "HASH(HASH(u, k0))" in worse
    with pytest.raises(CheckFault, match="HASH is not on the list"):
        changed = replace(first, bounded=replace(first.bounded, sql=worse))
        check_plan(replace(made, releases=(changed,)), CATALOG, "duckdb", Accounting.ZCDP)
