"""Public tables whose key nothing keeps are joined as if something did: by the text itself, whatever they hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from worlds import TERMS, fitted, make_world, opened_room, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.config import Config
from dpproxy.engines import EngineQuery
from dpproxy.errors import NotPrivate
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import check_plan

JOINED = (
    "SELECT building, count(*), sum(cost) FROM visits JOIN departments USING (dept) GROUP BY building",
    "SELECT count(*) FROM visits v, departments d WHERE v.dept = d.dept AND d.beds > 10",
    "SELECT d.dept, count(v.visit_id) FROM departments d LEFT JOIN visits v ON v.dept = d.dept GROUP BY d.dept",
    "SELECT e.building, count(*) FROM visits v JOIN departments d USING (dept) JOIN departments e ON e.dept = d.dept"
    " GROUP BY 1",
    "SELECT building, avg(c) FROM (SELECT person_id, dept, sum(cost) AS c FROM visits GROUP BY 1, 2) AS t"
    " JOIN departments USING (dept) GROUP BY building",
)
ALONE = (
    "SELECT count(*) FROM visits WHERE dept IN (SELECT dept FROM departments WHERE beds > 10)",
    "SELECT count(*) FROM visits WHERE EXISTS (SELECT 1 FROM departments d WHERE d.dept = visits.dept)",
    "SELECT sum(cost) FROM visits",
)


def unkept(catalog: Catalog) -> Catalog:
    """Nothing keeps the key of departments."""
    tables = {**catalog.tables, "departments": replace(catalog.tables["departments"], unique=frozenset())}
    return replace(catalog, tables=tables)


def large(catalog: Catalog) -> Catalog:
    """With departments of more rows than one private row may meet."""
    tables = {**catalog.tables, "departments": replace(catalog.tables["departments"], size=10 * catalog.max_fanout)}
    return replace(catalog, tables=tables)


def texts(made: Plan) -> list[str]:
    return [each.bounded.sql for each in made.releases]


def measures(made: Plan) -> list[object]:
    return [each.bounded.measures for each in made.releases]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[Config, Catalog], ...]:
    """One in which departments have their key, and one in which each stands there twice."""
    once, twice = (make_world(tmp_path_factory.mktemp(name)) for name in ("once", "twice"))
    doubled(twice.with_name("world.duckdb"))
    return fitted(once), fitted(twice)


def doubled(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE kept AS FROM departments; DROP TABLE departments CASCADE")
        connection.execute("CREATE TABLE departments AS FROM kept UNION ALL FROM kept; DROP TABLE kept")


@pytest.mark.parametrize("sql", JOINED)
def test_the_noise_and_the_rows_are_those_of_a_kept_key(sql: str, worlds: tuple[tuple[Config, Catalog], ...]) -> None:
    (once, catalog), (twice, double) = worlds
    kept, made = plan(sql, catalog), plan(sql, unkept(double))
    check_plan(made, unkept(double), "duckdb", TERMS.accounting)
    assert measures(made) == measures(kept) and made.cost == kept.cost
    with opened_room(once) as here, opened_room(twice) as there:
        for one, other in zip(texts(kept), texts(made), strict=True):
            assert sorted(here(EngineQuery(one)).rows) == sorted(there(EngineQuery(other)).rows)


@pytest.mark.parametrize("sql", JOINED)
def test_no_private_row_meets_many(sql: str, catalog: Catalog) -> None:
    """However large the table is: the work of a statement is that of one whose key is kept."""
    assert plan(sql, large(unkept(catalog))).releases


@pytest.mark.parametrize("sql", ALONE)
def test_what_is_joined_to_nothing_is_read_as_it_is(sql: str, catalog: Catalog) -> None:
    assert texts(plan(sql, unkept(catalog))) == texts(plan(sql, catalog))


def test_a_column_without_a_least_value_is_read_as_it_is(catalog: Catalog) -> None:
    """The join may then meet many rows, and is refused where there are."""
    departments = catalog.tables["departments"]
    types = {column.name: column.type for column in catalog.tables["people"].columns}
    boolean = next(type_ for type_ in types.values() if type_.name == "boolean")
    columns = tuple(replace(each, type=boolean) if each.name == "beds" else each for each in departments.columns)
    tables = {**catalog.tables, "departments": replace(departments, columns=columns, unique=frozenset())}
    odd, sql = (
        large(replace(catalog, tables=tables)),
        "SELECT count(*) FROM visits JOIN departments USING (dept) WHERE {}",
    )
    assert "MIN(" in texts(plan(sql.format("building IS NOT NULL"), odd))[0]
    with pytest.raises(NotPrivate, match="could meet") as refused:
        plan(sql.format("beds"), odd)
    assert "Nothing keeps the primary key (dept) of departments unique" in (refused.value.hint or "")
