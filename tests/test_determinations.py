"""Joins on what the policy says determines the unit: its word lets a statement be answered, and nothing leans on it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from worlds import TERMS, plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.session.noise_notices import words_beside, words_shown

TWICE = "SELECT count(*) FROM visits a JOIN visits b ON a.dept = b.dept AND a.day = b.day"


def saying(catalog: Catalog, *determines: tuple[str, ...]) -> Catalog:
    tables = {**catalog.tables, "visits": replace(catalog.tables["visits"], determines=determines)}
    return replace(catalog, tables=tables)


@pytest.mark.parametrize(
    ("determines", "answered"),
    [
        ([("dept",)], True),
        ([("day", "dept")], True),
        ([("visit_id",), ("day", "dept")], True),
        ([("day", "visit_id")], False),
        ([], False),
    ],
)
def test_all_columns_of_a_list_have_to_be_joined(
    catalog: Catalog, determines: list[tuple[str, ...]], answered: bool
) -> None:
    if answered:
        assert plan(TWICE, saying(catalog, *determines)).releases
    else:
        with pytest.raises(NotPrivate, match="rows of two persons together") as caught:
            plan(TWICE, saying(catalog, *determines))
        assert "If dept determines the person, ask the data owner" in (caught.value.hint or "")


@pytest.mark.parametrize("join", ["JOIN", "LEFT JOIN"])
def test_the_checker_believes_the_condition_and_not_the_policy(catalog: Catalog, join: str) -> None:
    said = saying(catalog, ("dept",))
    made = plan(TWICE.replace("JOIN", join), said)
    check_plan(made, said, "duckdb", TERMS.accounting)
    [release] = made.releases
    tied = ' AND s0."person_id" = s1."person_id"'
    assert release.bounded.sql.count(tied) == 1
    assert words_shown(made) == ("rows are joined within one person, whom visits.(dept) determines by the policy",)
    assert words_beside(made) == ()
    loose = replace(release.bounded, sql=release.bounded.sql.replace(tied, ""))
    with pytest.raises(CheckFault):
        check_plan(replace(made, releases=(replace(release, bounded=loose),)), said, "duckdb", TERMS.accounting)


ASKED = "SELECT count(*) FROM visits a WHERE EXISTS (SELECT 1 FROM visits b WHERE b.visit_id = a.visit_id)"
ABSENT = "SELECT count(*) FROM visits a WHERE a.visit_id NOT IN (SELECT b.visit_id FROM visits b WHERE b.cost > 9)"
WITHIN = ' AND s0."person_id" = q1_s0."person_id"'


@pytest.mark.parametrize("sql", [ASKED, ASKED.replace("EXISTS", "NOT EXISTS"), ABSENT])
def test_the_checker_believes_the_condition_of_a_subquery(catalog: Catalog, sql: str) -> None:
    made = plan(sql, catalog)
    check_plan(made, catalog, "duckdb", TERMS.accounting)
    [release] = made.releases
    assert release.bounded.sql.count(WITHIN) == 1
    assert words_shown(made) == ("rows are joined within one person, whom visits.(visit_id) determines by the policy",)
    loose = replace(release.bounded, sql=release.bounded.sql.replace(WITHIN, ""))
    with pytest.raises(CheckFault):
        check_plan(replace(made, releases=(replace(release, bounded=loose),)), catalog, "duckdb", TERMS.accounting)


def test_a_null_of_the_own_rows_is_seen_by_not_in(catalog: Catalog) -> None:
    visits = catalog.tables["visits"]
    columns = tuple(replace(each, nullable=True) if each.name == "visit_id" else each for each in visits.columns)
    catalog = replace(catalog, tables={**catalog.tables, "visits": replace(visits, columns=columns)})
    made = plan(ABSENT, catalog)
    check_plan(made, catalog, "duckdb", TERMS.accounting)
    [release] = made.releases
    assert release.bounded.sql.count(WITHIN) == 2
    assert f'(s0."visit_id" = q1_s0."visit_id") IS NULL{WITHIN}' in release.bounded.sql


def test_without_the_word_the_notice_says_how_to_ask_within_the_unit(catalog: Catalog) -> None:
    made = plan(ASKED, saying(catalog))
    assert len(made.releases) == 2
    [said] = [words for words in words_beside(made) if "count as absent" in words]
    assert said.endswith("; AND b.person_id = a.person_id asks for rows of the same person")
