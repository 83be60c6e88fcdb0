"""No refusal and no hint names a column that is hidden; keys and links are read all the same."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from complete_engines import COMPLETE
from pair_world import catalog as pairs
from sql_cases import by_file, cases
from worlds import fitted, make_world, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog, Table
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker import check_plan

HINTED = (  # what is answered with the way to the unit, where that can be seen
    "SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY age) AS r FROM people) AS t WHERE r < 3",
    "SELECT count(*) FROM people p JOIN visits v ON p.age = v.cost",
    "SELECT count(*) FROM people p WHERE EXISTS (SELECT FROM visits v WHERE v.cost > 3)",
)
TIES = re.compile(r"\w*(_id|key)\b")  # keys and links, by whose names a hint says how rows are tied to a unit


def hidden(table: Table) -> Table:
    return replace(
        table, columns=tuple(replace(each, hidden=True) if TIES.match(each.name) else each for each in table.columns)
    )


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return fitted(make_world(tmp_path_factory.mktemp("world")))[1]


def test_a_refusal_names_no_hidden_column(world: Catalog) -> None:
    """Of all statements that are refused and name none themselves."""
    catalog = Catalog({name: hidden(table) for name, table in world.tables.items()})
    names = {each.name for table in world.tables.values() for each in table.columns if TIES.match(each.name)}
    assert {"person_id", "custkey", "orderkey"} <= names
    fixtures = [(case.sql, case.settings) for path in by_file("refuse") for case in cases(path)]
    refused = 0
    for sql, settings in [*((sql, {}) for sql in HINTED), *fixtures]:
        told = refusal(sql, catalog, settings)
        if told and not TIES.search(sql):
            refused += 1
            assert not names & set(re.findall(r"\w+", told)), (sql, told)
    assert refused > 150, refused


def test_what_ties_rows_to_a_unit_is_told_where_it_can_be_seen(world: Catalog) -> None:
    for sql in HINTED:
        assert "person_id" in refusal(sql, world, {}), sql


def refusal(sql: str, catalog: Catalog, settings: dict[str, str]) -> str:
    """All that is told of it; nothing where it is answered."""
    try:
        plan(sql, catalog, settings)
    except DPProxyError as error:
        return f"{error.message} {error.detail} {error.hint}"
    return ""


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("name", ["customer", "orders", "lineitem", "transfers"])
def test_rows_of_a_table_all_of_whose_columns_are_hidden_are_counted(name: str, dialect: str) -> None:
    """By its key, along its link, and of two units."""
    table = pairs().tables[name]
    bare = replace(table, columns=tuple(replace(each, hidden=True) for each in table.columns))
    catalog = replace(pairs(), tables={**pairs().tables, name: bare})
    made = plan(f"SELECT count(*) FROM {name}", catalog, dialect=dialect)
    check_plan(made, catalog, dialect, Accounting.ZCDP)
    assert [each.bounded.units for each in made.releases] == [table.units]
