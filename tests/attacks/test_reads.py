"""Private columns are read under clips, as keys, and to choose among rows, and nowhere else; by a look of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from sql_cases import Case, by_file, each_of
from test_checker import CATALOG, DIALECTS, MUTATIONS, PLANS, QUESTIONS, generated
from test_checker_samples import MUTATIONS as OF_SAMPLES
from test_checker_samples import STATEMENTS
from test_neighbours import policy
from worlds import plan, uncapped

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

MEDIAN = "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY {}) FROM {}"
GROUPED = f"{MEDIAN.format('cost', 'visits').replace('SELECT', 'SELECT dept,')} GROUP BY dept"
BLOCKS = {"mechanism": "sample_aggregate", "blocks": "20"}
# Statements whose histograms are changed: what becomes of which part, and what is told.
HISTOGRAMS: Mapping[str, tuple[str, Mapping[str, str], str, str, str]] = {
    "bucket without a clip": (MEDIAN.format("age", "people"), {}, 'CAST(CASE WHEN s0."age" > 120 THEN 120 WHEN '
        's0."age" < 0 THEN 0 ELSE s0."age" END AS BIGINT)', 's0."age"', "buckets that are not clipped"),
    "key that is no bucket": (MEDIAN.format("age", "people"), {}, "GROUP BY b", "GROUP BY b, u", "not grouped by"),
    "rows chosen": (MEDIAN.format("age", "people"), {}, "b IS NOT NULL", "b <> 3", "chosen"),
    "counted twice": (MEDIAN.format("age", "people"), {}, "COUNT(*) AS m0", "2 * COUNT(*) AS m0", "changed total"),
    "several rows": (MEDIAN.format("age", "people"), {}, '"people" AS s0', '"people" AS s0 JOIN "visits" AS s1 '
        'ON s0."person_id" = s1."person_id"', "several rows of a unit"),
    "heavier": (MEDIAN.format("cost", "visits"), {}, "* 65536", "* 65537", "changes a key by 65537"),
    "no share": (MEDIAN.format("cost", "visits"), {}, "COALESCE(SUM(m0), 0), -", "COALESCE(SUM(b), 0), -",
        "share of a unit's whole"),
    "share of no more": (MEDIAN.format("cost", "visits"), {}, "SUM(m0) OVER (PARTITION BY u)",
        "SUM(m0) OVER (PARTITION BY u, b)", "share of a unit's whole"),
    "share so far": (MEDIAN.format("cost", "visits"), {}, "PARTITION BY u)", "PARTITION BY u ORDER BY b)", "in a step"),
    "share of others": (MEDIAN.format("cost", "visits"), {}, "PARTITION BY u)", "PARTITION BY b)", "several units"),
    "share of less": (MEDIAN.format("cost", "visits"), {}, "1), 4611686018427387904", "1), 9", "in a step"),
    "share below 0": (MEDIAN.format("cost", "visits"), {}, "(COUNT(*), 0)", "(COUNT(*), -5)", "in a step"),
    "share of a sum": (MEDIAN.format("cost", "visits"), {}, "(COUNT(*), 0)", "(SUM(b), 0)", "in a step|not clipped"),
    "not limited": (GROUPED, {}, "g <= ", "m0 <= ", "more keys"),
    "less limited": (GROUPED, {}, "g <= 3", "g <= 4", "more keys"),
    "limited in all": (GROUPED, {}, ", k0) AS g", ") AS g", "more keys"),
    "one block": ("SELECT avg(age) FROM people", BLOCKS, "% 20 AS u", "% 21 AS u", "without their unit"),
    "dealt by a value": ("SELECT avg(age) FROM people", BLOCKS, 'MD5(CAST(s0."u"', 'MD5(CAST(s0."a0"', "no unit's key"),
    "dealt by two": ("SELECT avg(age) FROM people", BLOCKS, 'MD5(CAST(s0."u" AS TEXT))',
        'MD5(CAST(s0."u" + s0."a0" AS TEXT))', "without their unit"),
    "several answers": ("SELECT avg(age) FROM people", BLOCKS, "AS r GROUP BY u)", "AS r GROUP BY u, a0)",
        "several rows of a unit"),
    "not dealt": ("SELECT avg(age) FROM people", BLOCKS, "(CAST(TRANSLATE(LEFT(MD5(CAST(s0.\"u\" AS TEXT)), 18), "
        "'abcdef', '012345') AS BIGINT) % 2147483647) % 20 AS u", 's0."u" AS u', "units in place of blocks"),
}  # fmt: skip

ALL, EACH = "SELECT sum(visit_id) FROM visits", "SELECT dept, sum(visit_id) FROM visits GROUP BY dept"
TWO = "SELECT dept, sum(visit_id), count(*) FROM visits GROUP BY dept"
# Statements whose contributions are sorted by norms: what becomes of which part, and what is told.
SCALED: Mapping[str, tuple[str, str, str, str]] = {
    "bucket of no norm": (ALL, "LN(CAST(GREATEST(ABS(m0), 1)", "LN(CAST(GREATEST(m0, 1)", "in a step"),
    "bucket that is too low": (ALL, "* 11.541560327111707", "* 5.7707801635558535", "in a step"),
    "norm that is too low": (EACH, "* 5.7707801635558535", "* 1.5", "in a step"),
    "norm of a row": (EACH, "CAST(GREATEST(s0, 1)", "CAST(GREATEST(ABS(m0), 1)", "in a step"),
    "norm of a key": (EACH, "FROM a AS a GROUP BY u)", "FROM a AS a GROUP BY u, k0)", "groups that are no unit's"),
    "norm of all": (EACH, "FROM a AS a GROUP BY u)", "FROM a AS a GROUP BY k0)", "groups that are no unit's"),
    "norm of some": (EACH, "FROM a AS a GROUP BY u)", "FROM a AS a WHERE m0 > 1 GROUP BY u)", "a clause"),
    "norm of others": (EACH, "ON a.u = g.u", "ON a.u <> g.u", "of several units"),
    "norm of a table": (EACH, "FROM a AS a GROUP BY u)", 'FROM "visits" AS a GROUP BY u)', "groups that are no unit's"),
    "norm of none": (EACH, "FROM a AS a JOIN", "FROM a AS a LEFT JOIN", "not the rows first"),
    "made again": (EACH, "WITH a AS MATERIALIZED", "WITH a AS", "not made once"),
    "not numbered": (EACH, "ROW_NUMBER() OVER ()", "RANK() OVER ()", "is no number"),
    "norm of another": (TWO, "SUM(CAST(m1 AS INT128) * m1)", "SUM(CAST(m0 AS INT128) * m0)", "of a unit's norm"),
    "total of another": (TWO, "COALESCE(SUM(m1), 0), -46", "COALESCE(SUM(m0), 0), -46", "another's total"),
    "in both": (
        TWO,
        "GROUPING SETS ((k0, b0), (k0, b1))",
        "GROUPING SETS ((k0, b0), (k0, b0))",
        "not grouped by the keys",
    ),
    "counted twice": (EACH, "WHEN a.r = g.r THEN 1", "WHEN a.r >= g.r THEN 1", "in a step"),
    "counted by another": (EACH, "MIN(r) AS r", "MAX(r) AS r", "no aggregate of a unit"),
    "counted in each": (EACH, "SUM(c) AS c", "COUNT(*) AS c", "more than once"),
    "heavier": (EACH, "FLOOR(1048576 /", "FLOOR(2097152 /", "in a step"),
    "of another norm": (EACH, "SQRT(CAST(d AS DOUBLE))", "CAST(r AS DOUBLE)", "in a step"),
}
# The same where norms are windows.
WINDOWS: Mapping[str, tuple[str, str, str, str]] = {
    "norm of a key": (EACH, "OVER (PARTITION BY u) AS s0", "OVER (PARTITION BY u, k0) AS s0", "in a step"),
    "norm of all": (EACH, "OVER (PARTITION BY u) AS s0", "OVER (PARTITION BY k0) AS s0", "several units"),
    "norm so far": (EACH, "OVER (PARTITION BY u) AS s0", "OVER (PARTITION BY u ORDER BY k0) AS s0", "in a step"),
    "counted twice": (EACH, "WHEN r = 1 THEN 1", "WHEN r <= 2 THEN 1", "in a step"),
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


def changed(found: Plan, **parts: object) -> Plan:
    """The plan with other parts of its last bounded SQL."""
    *others, last = found.releases
    return replace(found, releases=(*others, replace(last, bounded=replace(last.bounded, **parts))))  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", HISTOGRAMS)
def test_a_histogram_that_reads_more_is_told(name: str, dialect: str) -> None:
    sql, settings, old, new, told = HISTOGRAMS[name]
    found = plan(sql, policy(), settings, dialect=dialect)
    bounded = found.releases[-1].bounded
    if old not in bounded.sql:
        assert dialect != "duckdb", bounded.sql
        return
    assert faults(found, policy(), dialect) == []
    (fault,) = faults(changed(found, sql=bounded.sql.replace(old, new)), policy(), dialect)
    assert re.search(told, fault)


@pytest.mark.parametrize(
    ("sql", "settings"),
    [
        (MEDIAN.format("age", "people"), {}),
        (MEDIAN.format("cost", "visits"), {}),
        ("SELECT avg(age) FROM people", BLOCKS),
    ],
)
def test_a_histogram_that_says_less_of_a_unit_is_told(sql: str, settings: Mapping[str, str]) -> None:
    found = plan(sql, policy(), settings)
    (measure,) = found.releases[0].bounded.measures
    less = changed(found, measures=(replace(measure, upper=measure.upper - 1),))
    (fault,) = faults(less, policy(), "duckdb")
    assert f"a unit changes a key by {measure.upper}:" in fault


def test_blocks_that_are_not_said_are_told() -> None:
    found = plan("SELECT avg(age) FROM people", policy(), BLOCKS)
    assert faults(changed(found, blocks=None), policy(), "duckdb")


@pytest.mark.parametrize(
    ("dialect", "name"), [*(("duckdb", name) for name in SCALED), *(("postgres", name) for name in WINDOWS)]
)
def test_what_is_scaled_by_another_norm_is_told(dialect: str, name: str) -> None:
    sql, old, new, told = {"duckdb": SCALED, "postgres": WINDOWS}[dialect][name]
    found = plan(sql, uncapped(policy()), {}, dialect=dialect)
    bounded = found.releases[-1].bounded
    assert bounded.clip is not None and old in bounded.sql, bounded.sql
    (fault,) = faults(changed(found, sql=bounded.sql.replace(old, new)), policy(), dialect)
    assert told in fault


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_sample_that_is_another_is_told(statement: str, dialect: str) -> None:
    found = plan(STATEMENTS[statement], policy(), {"epsilon": "0.5"}, dialect=dialect)
    assert faults(found, policy(), dialect) == []
    for name, (change, _) in OF_SAMPLES.items():
        try:
            loose = change(found)
        except AssertionError:  # it has no such place
            continue
        assert faults(loose, policy(), dialect), name


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


@each_of([*by_file("uncapped"), *by_file("capped")])
def test_every_plan_without_caps_reads_no_more(case: Case) -> None:
    catalog = uncapped(policy()) if case.path.parent.name == "uncapped" else replace(policy(), caps_hold=False)
    for dialect in DIALECTS:
        made = plan(case.sql, catalog, case.settings, dialect=dialect)
        assert faults(made, catalog, dialect) == [], dialect
