"""Values that are ranked in all of a unit's rows, in place of each once: where, and that the same ones are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from attacks.reads import faults
from worlds import SCRIPT, fitted, make_world, plan, statements

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import Bounded, MeasureKind
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.releases import distinct_counts

MANY = (
    "SELECT count(DISTINCT visit_id) FROM visits",
    "SELECT count(DISTINCT day) FROM visits",
    "SELECT count(DISTINCT price) FROM lineitem",
    "SELECT count(DISTINCT orderkey) FILTER (WHERE quantity > 10) FROM lineitem",
    "SELECT flag, count(DISTINCT orderkey) FROM lineitem GROUP BY flag",
    "SELECT dept, count(DISTINCT visit_id) FROM visits GROUP BY dept",
    "SELECT dept, count(DISTINCT day), count(*) FROM visits GROUP BY dept",
    "SELECT count(DISTINCT v.day) FROM visits v JOIN visits w ON v.person_id = w.person_id",
)
"""Nobody says that they are few: whole numbers, numerics, days; with public and private keys."""
FEW = (
    "SELECT count(DISTINCT dept) FROM visits",
    "SELECT count(DISTINCT flag) FROM lineitem",
    "SELECT count(DISTINCT age) FROM people JOIN visits USING (person_id)",
    "SELECT count(DISTINCT extract(month FROM day)) FROM visits",
    "SELECT count(DISTINCT cost > 10) FROM visits",
    "SELECT dept, count(DISTINCT person_id) FROM visits GROUP BY dept",
)
"""Texts, which may be few or many; few that are declared; those of a unit, which are one."""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    with TemporaryDirectory() as directory:
        return fitted(make_world(Path(directory)))[1]


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


def counts(sql: str, catalog: Catalog, dialect: str = "duckdb") -> list[Bounded]:
    made = plan(sql, catalog, dialect=dialect)
    check_plan(made, catalog, dialect, Accounting.ZCDP)
    assert not faults(made, catalog, dialect)
    found = [each.bounded for each in made.releases]
    return [each for each in found if any(one.kind is MeasureKind.DISTINCT for one in each.measures)]


def ranked(bounded: Bounded) -> bool:
    """Whether its values are ranked in all rows."""
    return "ROW_NUMBER() OVER" not in bounded.sql


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_where_values_are_thought_to_be_many(catalog: Catalog, dialect: str) -> None:
    for sql in MANY:
        assert all(map(ranked, counts(sql, catalog, dialect))), sql
    for sql in FEW:
        assert not any(map(ranked, counts(sql, catalog, dialect))), sql


def test_they_keep_the_same_values(
    catalog: Catalog, world: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sql in MANY:
        dense = counts(sql, catalog)
        with monkeypatch.context() as patched:
            patched.setattr(distinct_counts, "_MANY", frozenset())
            once = counts(sql, catalog)
        assert dense and not any(map(ranked, once)), sql
        for one, other in zip(dense, once, strict=True):
            inputs = {each.name: ["cardio", "neuro", "onco"] for each in one.inputs}
            found = [sorted(world.execute(each.sql, inputs).fetchall(), key=str) for each in (one, other)]
            assert found[0] == found[1] != [], sql
