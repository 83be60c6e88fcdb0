"""The 22 queries of TPC-H, verbatim, over customers' private data: what becomes of each, and that answers are right.

The rows are those of scale 0.03. With next to no noise and wide limits an answer is the engine's own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import duckdb
import psycopg
import pytest
from bench.pairs import of_two_units
from proxies import serving
from scratch_postgres import INSTALLATIONS, MAJORS, scratch_postgres
from tpch.answers import compared, true_answer
from tpch.data import PRIVATE, copy_to_postgres, make_rows, make_tpch
from tpch.queries import NEAREST, Query, queries
from tpch.report import Place, found
from tpch.table import table
from worlds import fitted, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config, load
from dpproxy.errors import DPProxyError
from dpproxy.front import backstop
from dpproxy.front.stubs import stubs
from dpproxy.plan.rows_met import RowsMet
from dpproxy.rewrite.checker import check_plan
from dpproxy.session.gate import examine
from dpproxy.session.verdicts import GateNames, Pass

pytestmark = pytest.mark.long

ANSWERED, PUBLIC = "answered", "public"
EXPECTED = {
    1: ANSWERED,
    2: PUBLIC,
    3: "refused: DP002",
    4: ANSWERED,
    5: ANSWERED,
    6: ANSWERED,
    7: ANSWERED,
    8: ANSWERED,
    9: ANSWERED,
    10: "refused: DP002",
    11: PUBLIC,
    12: ANSWERED,
    13: ANSWERED,
    14: ANSWERED,
    15: ANSWERED,
    16: PUBLIC,
    17: ANSWERED,
    18: "refused: DP002",
    19: ANSWERED,
    20: ANSWERED,
    21: ANSWERED,
    22: ANSWERED,
}
QUERIES = queries()
ASKED = [number for number, outcome in EXPECTED.items() if not outcome.startswith("refused")]
REFUSED = [number for number, outcome in EXPECTED.items() if outcome.startswith("refused")]
NEAR = 1e-5
ALMOST_NO_NOISE = "-c dp.epsilon=1e13 -c dp.max_rows_per_unit=200 -c dp.max_groups_per_unit=200"


@pytest.fixture(scope="module")
def tpch(tmp_path_factory: pytest.TempPathFactory) -> tuple[Config, Catalog]:
    """Pure accounting: its account lasts for as little noise as one likes."""
    policy = make_tpch(tmp_path_factory.mktemp("tpch"), 0.03)
    policy.write_text(policy.read_text().replace('accounting = "zcdp"', 'accounting = "pure"'))
    return fitted(policy)


@pytest.fixture(scope="module")
def analyst(tpch: tuple[Config, Catalog]) -> Iterator[psycopg.Connection[Any]]:
    """An analyst's connection through the proxy, to whom noise and limits are as good as nothing."""
    with (
        serving(tpch[0]) as proxy,
        psycopg.connect(proxy.dsn("erna"), autocommit=True, options=ALMOST_NO_NOISE) as connection,
    ):
        yield connection


@pytest.fixture
def engine(tpch: tuple[Config, Catalog]) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(tpch[0].engine.url.path), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def empty(tpch: tuple[Config, Catalog]) -> Iterator[psycopg.Connection[Any]]:
    """A plain Postgres with the same tables and no rows: its columns' names and types are the right ones."""
    with (
        scratch_postgres(list(INSTALLATIONS.values())[-1]) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute("CREATE SCHEMA dp; CREATE SCHEMA dp_front")
        connection.execute(backstop.FUNCTION)
        for stub in stubs(tpch[1]):
            connection.execute(stub.definition)
        yield connection


def outcome(query: Query, catalog: Catalog) -> str:
    """What becomes of a query, without asking it."""
    public = frozenset(catalog.tables) - PRIVATE
    (statement,) = examine(query.sql, GateNames(PRIVATE, public, "alice"))
    if isinstance(statement.verdict, Pass):
        return PUBLIC
    try:
        check_plan(plan(statement.sql, catalog), catalog, "duckdb", Accounting.ZCDP)
    except DPProxyError as fault:
        return f"refused: {fault.sqlstate}"
    return ANSWERED


@pytest.mark.parametrize("number", EXPECTED)
def test_what_becomes_of_each_query(number: int, tpch: tuple[Config, Catalog]) -> None:
    assert outcome(QUERIES[number], tpch[1]) == EXPECTED[number]


@pytest.mark.parametrize("number", NEAREST)
def test_what_gives_single_rows_has_a_nearest_query_that_is_answered(number: int, tpch: tuple[Config, Catalog]) -> None:
    assert outcome(NEAREST[number], tpch[1]) == ANSWERED


@pytest.mark.parametrize("number", REFUSED)
def test_a_refusal_says_what_to_write_instead(number: int, analyst: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.Error) as caught:
        analyst.execute(QUERIES[number].sql)
    assert f"refused: {caught.value.sqlstate}" == EXPECTED[number]
    told, _, nearest = (caught.value.diag.message_hint or "").partition(": ")
    assert told == "The nearest question is answered"
    rows = analyst.execute(nearest.encode()).fetchall()
    assert rows or number == 18  # few orders are so large, and hardly two customers' on one day


@pytest.mark.parametrize("number", ASKED)
def test_an_answer_is_the_engines_own_but_for_noise(
    number: int,
    analyst: psycopg.Connection[Any],
    engine: duckdb.DuckDBPyConnection,
    empty: psycopg.Connection[Any],
) -> None:
    is_near(QUERIES[number], analyst, engine, empty)


@pytest.mark.parametrize("number", NEAREST)
def test_the_nearest_query_is_answered_so_too(
    number: int,
    analyst: psycopg.Connection[Any],
    engine: duckdb.DuckDBPyConnection,
    empty: psycopg.Connection[Any],
) -> None:
    is_near(NEAREST[number], analyst, engine, empty)


@pytest.fixture(scope="module")
def from_postgres(tpch: tuple[Config, Catalog]) -> Iterator[psycopg.Connection[Any]]:
    """The same over a Postgres that holds the rows."""
    with scratch_postgres(list(MAJORS.values())[-1]) as server:
        policy = copy_to_postgres(tpch[0].engine.url.path.parent, server)
        policy.write_text(policy.read_text().replace('accounting = "zcdp"', 'accounting = "pure"'))
        with (
            serving(load(policy, {})) as proxy,
            psycopg.connect(proxy.dsn("erna"), autocommit=True, options=ALMOST_NO_NOISE) as connection,
        ):
            yield connection


@pytest.mark.long
@pytest.mark.parametrize("number", [number for number in ASKED if EXPECTED[number] == ANSWERED])
def test_an_answer_from_postgres_is_the_same(
    number: int,
    from_postgres: psycopg.Connection[Any],
    engine: duckdb.DuckDBPyConnection,
    empty: psycopg.Connection[Any],
) -> None:
    is_near(QUERIES[number], from_postgres, engine, empty)


def is_near(
    query: Query,
    analyst: psycopg.Connection[Any],
    engine: duckdb.DuckDBPyConnection,
    empty: psycopg.Connection[Any],
) -> None:
    """Raises AssertionError where the analyst's rows are not the engine's, or its columns not those of Postgres.

    Public keys that no row has are rows of the answer too, and they say nothing.
    """
    answer = analyst.execute(query.sql)
    pair = compared(query, answer.fetchall(), true_answer(engine, query))
    assert pair.found == pair.rows
    assert [cell for cell in pair.cells if not math.isclose(*cell, rel_tol=NEAR, abs_tol=NEAR)] == []
    most = max((abs(true) for _, true in pair.cells), default=0)
    assert [row for row in pair.beyond if abs(row[0]) > most * NEAR] == []
    assert columns(answer) == columns(empty.execute(query.sql))


def columns(answer: psycopg.Cursor[Any]) -> list[tuple[str, str]]:
    """Name and type, modifiers included, of each column."""
    assert answer.description is not None
    return [(column.name, column.type_display) for column in answer.description]


@pytest.mark.long
def test_the_report_has_a_line_for_each_outcome(tpch: tuple[Config, Catalog], analyst: psycopg.Connection[Any]) -> None:
    place = Place(*tpch, analyst, runs=1)
    lines = table([0.03], [[found(query, place) for query in (QUERIES[6], QUERIES[11], QUERIES[10])]]).splitlines()
    assert [line.split(" | ")[1] for line in lines[2:5]] == ["1, 1", "public", "refused"]
    assert lines[2].split(" | ")[2].endswith(" %")
    assert lines[-1].startswith("- Q10: DP002: ")


OF_TWO = (1, 5, 6, 7, 8, 9, 12, 14, 19)
"""Where suppliers are protected beside customers: over their lines, as they stand."""
NEAREST_OF_TWO = (3, 17, 21)


@pytest.fixture(scope="module")
def two_units(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    directory = tmp_path_factory.mktemp("pairs")
    make_rows(directory, 0.01)
    return of_two_units(directory)[1]


@pytest.mark.parametrize("number", OF_TWO)
def test_lines_of_customers_and_suppliers(number: int, two_units: Catalog) -> None:
    made = plan(QUERIES[number].sql, two_units)
    check_plan(made, two_units, "duckdb", Accounting.ZCDP)
    assert [release.bounded.pair for release in made.releases] == [("customer", "supplier")]


def test_orders_that_lines_of_suppliers_meet(two_units: Catalog) -> None:
    made = plan(QUERIES[4].sql, two_units)
    check_plan(made, two_units, "duckdb", Accounting.ZCDP)
    keys, counted = (release.bounded for release in made.releases)
    assert keys.unit == "customer" and counted.met == RowsMet(side=0)


@pytest.mark.parametrize("number", NEAREST_OF_TWO)
def test_the_nearest_question_over_two_units(number: int, two_units: Catalog) -> None:
    with pytest.raises(DPProxyError) as caught:
        plan(QUERIES[number].sql, two_units)
    _, told, nearest = (caught.value.hint or "").partition("The nearest question is answered: ")
    assert told and plan(nearest, two_units).releases
