"""Private columns are read under clips, as keys, and to choose among rows, and nowhere else; by a look of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from sql_cases import Case, by_file, each_of
from test_checker import CATALOG, DIALECTS, MUTATIONS, PLANS, QUESTIONS, generated
from test_neighbours import policy
from worlds import plan

from attacks.reads import faults
from dpproxy.errors import DPProxyError
from dpproxy.plan.private_plan import Plan

# What is wrong with those mutations of test_checker that read what they may not.
READS: Mapping[str, str] = {
    "subquery over everybody": "tied to no unit",
    "unit's key in the result": "not the keys first",
    "unit's key swapped": "rows without their unit",
    "unit's key computed": "rows without their unit",
    "unit's key a constant": "rows without their unit",
    "units without key kept": "rows of nobody",
    "not null weakened": "rows of nobody",
    "join condition removed": "tied to no unit",
    "join condition changed": "tied to no unit",
    "join condition of one alternative": "tied to no unit",
    "two units": "tied to no unit",
    "hidden column read": "hidden",
    "hidden link read": "hidden",
    "rowid read": "not there",
    "column of another level": "not there",
    "unknown table": "no table",
    "schema of its own": "no table",
    "unit removed from GROUP BY": "groups of several units",
    "row clip removed": "adds what is not clipped",
    "row clip without an upper end": "adds what is not clipped",
    "row adds a column": "adds what is not clipped",
    "row adds otherwise": "adds what is not clipped",
    "rank over all": "window over several units",
    "rank within the key": "window over several units",
    "domain of a private table": "private table",
    "domain of a join": "private table",
    "domain of a derived table": "private table",
    "domain by a subquery": "private table",
}


def planted(name: str) -> Plan:
    base, change, _ = MUTATIONS[name]
    return change(PLANS[base])


@pytest.mark.parametrize("name", READS)
def test_what_reads_more_is_told(name: str) -> None:
    (told,) = faults(planted(name), CATALOG, "duckdb")
    assert READS[name] in told


def test_a_measure_that_no_step_clips() -> None:
    made = PLANS["linked"]
    release = made.releases[0]
    sql = "SELECT SUM(s0.score) AS m0 FROM (SELECT s0.person_id AS u, s0.cost AS m0 FROM visits AS s0) AS r"
    assert faults(
        replace(made, releases=(replace(release, bounded=replace(release.bounded, sql=sql)),)), CATALOG, "duckdb"
    )


# Some cases of label and resolve are of passes before those that refuse.
@pytest.mark.long
@each_of(path for path in by_file("rewrite") if path.stem != "expressions")
def test_every_plan_of_the_fixtures_reads_no_more(case: Case) -> None:
    for dialect in DIALECTS:
        try:
            made = plan(case.sql, policy(), case.settings, dialect=dialect)
        except DPProxyError:
            assert case.path.stem in ("label", "resolve")
            return
        assert faults(made, policy(), dialect) == [], dialect


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", QUESTIONS)
def test_plans_with_hidden_links_read_no_more(sql: str, dialect: str) -> None:
    assert faults(generated(sql, dialect), CATALOG, dialect) == []
