"""Norms that are joined with a unit's contributions, in place of windows over them: that they are the same, also where
a table is called as the shared rows are, and that an engine that does not share rows has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from attacks.reads import faults
from uncapped import STATEMENTS, policy, uncapped
from worlds import SCRIPT, statements

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.engines import dialects
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.private_plan import Bounded, Limit, MeasureKind, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan, clipped
from dpproxy.rewrite.checker.engines import facts_of

_JOINED = "WITH a AS MATERIALIZED"


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


def planned(sql: str, accounting: Accounting, catalog: Catalog) -> Plan:
    made = uncapped(sql, accounting, catalog=catalog)
    check_plan(made, catalog, "duckdb", accounting)
    assert not faults(made, catalog, "duckdb")
    return made


def by_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), joins_norms=False))


@pytest.fixture(autouse=True)
def without_packed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts by few keys have a form of their own."""
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), packs_counts=None))


def told(bounded: Bounded, connection: duckdb.DuckDBPyConnection) -> tuple[Counter[object], Counter[object]]:
    """Units by bucket, whichever of their keys has them, and all else of the result."""
    inputs = {each.name: [0] for each in bounded.inputs}
    place = len(bounded.keys) + bounded.counts_units
    buckets = slice(place + 1, place + 1 + len(bounded.measures))
    units: Counter[object] = Counter()
    rest: Counter[object] = Counter()
    for row in connection.execute(bounded.sql, inputs).fetchall():
        units[row[buckets]] += row[place]
        rest[(*row[:place], *row[place + 1 :])] += 1
    return units, rest


@pytest.mark.parametrize("accounting", Accounting)
def test_they_are_the_same(
    accounting: Accounting, world: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined = [planned(sql, accounting, policy()) for sql in STATEMENTS]
    with monkeypatch.context() as patched:
        by_windows(patched)
        windowed = [planned(sql, accounting, policy()) for sql in STATEMENTS]
    compared = 0
    for one, other in zip(joined, windowed, strict=True):
        for first, second in zip(one.releases, other.releases, strict=True):
            assert _JOINED not in second.bounded.sql
            several = first.bounded.clip is not None and first.bounded.limit is Limit.NORM_CLIPPED
            several &= all(each.kind is not MeasureKind.DISTINCT for each in first.bounded.measures)
            assert (_JOINED in first.bounded.sql) is several
            if several:
                compared += 1
                assert told(first.bounded, world) == told(second.bounded, world)
    assert compared > 10


def test_a_table_of_that_name_is_another(tmp_path: Path) -> None:
    """The rows of the table "a" are those that are shared as a, and are read inside of them alone."""
    catalog = policy()
    table = replace(catalog.tables["visits"], name="a")
    named = replace(catalog, tables={**catalog.tables, "a": table})
    made = planned("SELECT dept, count(*) FROM a GROUP BY dept", Accounting.ZCDP, named)
    visits = planned("SELECT dept, count(*) FROM visits GROUP BY dept", Accounting.ZCDP, named)
    assert 'FROM "a" AS s0' in made.releases[0].bounded.sql
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        connection.execute("CREATE TABLE a AS FROM visits")
        units, rest = told(made.releases[0].bounded, connection)
        assert (units, rest) == told(visits.releases[0].bounded, connection) and rest


def test_an_engine_that_makes_rows_again_has_none() -> None:
    made = uncapped("SELECT dept, count(*) FROM visits GROUP BY dept")
    (bounded,) = (each.bounded for each in made.releases)
    again = replace(facts_of("duckdb"), shares_rows=False)
    with pytest.raises(CheckFault, match="made again"):
        clipped.unbucketed(clipped.parsed(bounded.sql, "duckdb"), bounded, again)
