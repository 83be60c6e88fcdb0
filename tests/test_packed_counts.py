"""Counts by a few known keys, several in a sum of one row for each unit: that they are the same as those of a row for
each unit and key, and what the checker and the second reader refuse of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import duckdb
import pytest
from attacks.reads import faults
from uncapped import policy, uncapped
from worlds import SCRIPT, statements

from dpproxy.accounting.loss import Accounting
from dpproxy.engines import dialects
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.private_plan import Bounded, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan, packed
from dpproxy.rewrite.checker.engines import facts_of

PACKED = (
    "SELECT flag, count(*) FROM lineitem GROUP BY flag",
    "SELECT dept IS NULL, count(*) FROM visits GROUP BY 1",
    "SELECT flag, count(*) FROM lineitem JOIN orders USING (orderkey) WHERE quantity > 3 GROUP BY flag",
    "SELECT cost > 60, count(*) FROM people LEFT JOIN visits USING (person_id) GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 3 WHEN cost > 50 THEN -2 END AS k, count(*) FROM visits GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 'it''s' WHEN cost > 50 THEN '' ELSE 'c' END, count(*) FROM visits GROUP BY 1",
    "SELECT flag FROM lineitem GROUP BY flag ORDER BY count(*) DESC LIMIT 1",
)
OTHERS = (
    "SELECT count(*) FROM visits",
    "SELECT flag, count(*), sum(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, sum(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*) FILTER (WHERE quantity > 20) FROM lineitem GROUP BY flag",
    "SELECT flag, quantity > 20, count(*) FROM lineitem GROUP BY 1, 2",
    "SELECT sex, count(*) FROM people JOIN visits USING (person_id) GROUP BY sex",
    "SELECT dept, count(*) FROM visits GROUP BY dept",
    "SELECT extract(month FROM day), count(*) FROM visits GROUP BY 1",
    "SELECT sex, count(*) FROM people GROUP BY sex",
)
"""Another measure, or two; no key, two, a private one, or one of many values, or one that a unit has one of; one row of
a unit."""


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


def planned(sql: str, accounting: Accounting) -> Plan:
    made = uncapped(sql, accounting)
    check_plan(made, policy(), "duckdb", accounting)
    assert not faults(made, policy(), "duckdb")
    return made


def is_packed(bounded: Bounded) -> bool:
    return re.search(r" & [1-9]", bounded.sql) is not None


def told(bounded: Bounded, connection: duckdb.DuckDBPyConnection) -> tuple[Counter[object], dict[object, object]]:
    """Units by bucket, and the totals that are not 0."""
    units: Counter[object] = Counter()
    totals = {}
    for key, count, bucket, total in connection.execute(bounded.sql).fetchall():
        units[bucket] += count
        if total:
            totals[(key, bucket)] = total
    return units, totals


@pytest.mark.parametrize("accounting", Accounting)
@pytest.mark.parametrize("sql", PACKED)
def test_they_are_the_same(
    sql: str, accounting: Accounting, world: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = planned(sql, accounting).releases[0].bounded
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), packs_counts=None))
    second = planned(sql, accounting).releases[0].bounded
    assert is_packed(first) and not is_packed(second)
    assert replace(first, sql="") == replace(second, sql="")
    assert told(first, world) == told(second, world) and told(first, world)[1]


@pytest.mark.parametrize("accounting", Accounting)
def test_they_are_of_a_sample(accounting: Accounting) -> None:
    made = planned("SELECT flag, count(*) FROM lineitem TABLESAMPLE BERNOULLI (10) GROUP BY flag", accounting)
    (found,) = made.releases
    assert is_packed(found.bounded) and found.bounded.sample is not None
    coins = found.bounded.sample.coins
    other = replace(found.bounded, sample=replace(found.bounded.sample, coins=coins - 1))
    for changed in (other, replace(found.bounded, sample=None)):
        mutant = replace(made, releases=(replace(found, bounded=changed),))
        assert faults(mutant, policy(), "duckdb")
        with pytest.raises(CheckFault):
            check_plan(mutant, policy(), "duckdb", accounting)


@pytest.mark.parametrize("sql", OTHERS)
def test_nothing_else_is_packed(sql: str) -> None:
    for dialect in ("duckdb", "postgres"):
        assert not any(is_packed(each.bounded) for each in uncapped(sql, dialect=dialect).releases)


def test_more_rows_than_bits_are_other_counts_of_the_same_unit() -> None:
    """Whatever a sum holds, each of its counts has 31 bits, and the bucket is that of the norm of all of them."""
    text = planned(PACKED[0], Accounting.PURE).releases[0].bounded.sql
    rows = text[text.index("(SELECT h0.") : text.index(" AS r GROUP BY u")]
    for many in (1, 2**31 - 1, 2**31, 2**40, 2**62):
        summed = f"(SELECT 1 AS u, CAST({many} AS HUGEINT) + 4611686018427387904 AS s0)"
        start = text.index("(SELECT u, SUM(")
        text_of_many = text[:start] + summed + text[text.index(" AS q WHERE") :]
        assert rows not in text_of_many
        found = duckdb.execute(text_of_many).fetchall()
        assert sum(row[1] for row in found) == 1 and len({row[2] for row in found}) == 1
        added = sum(row[3] for row in found)
        assert all(0 <= row[3] < 2**31 for row in found) and added <= 2 ** (found[0][2] / 8) * (1 + 1e-9)
        assert many >= 2**31 or added == many + 1


STEPS = {
    "a count of more bits": ("& 2147483647 AS BIGINT) AS p0", "& 4294967295 AS BIGINT) AS p0"),
    "a count below 0": ("CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT)", "CAST(COALESCE(s0, 0) AS BIGINT)"),
    "a count of all bits": ("(COALESCE(s0, 0) >> 62) & 2147483647 AS", "(COALESCE(s0, 0) >> 62) AS"),
    "other bits": (">> 31", ">> 30"),
    "a norm without a key": (" + CAST(p2 AS INT128) * p2", ""),
    "a norm of one key": ("CAST(p0 AS INT128) * p0 + ", "CAST(p0 AS INT128) * p1 + "),
    "a norm that is too low": ("* 5.7707801635558535", "* 1.5"),
    "squares that do not fit": ("CAST(p0 AS INT128) * p0", "p0 * p0"),
    "a total of another key": ("COALESCE(SUM(p1), 0)", "COALESCE(SUM(p0), 0)"),
    "a total twice": ("COALESCE(SUM(p1), 0)", "2 * COALESCE(SUM(p1), 0)"),
    "a total that is not held": (
        "CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT)", "SUM(p1)"),
    "a total told twice": ("WHEN v.i = 1 THEN t.p1", "WHEN v.i = 1 THEN t.p0"),
    "a total told everywhere": ("WHEN v.i = 1 THEN t.p1", "WHEN v.i >= 1 THEN t.p1"),
    "units told twice": ("WHEN v.i = 0 THEN t.c", "WHEN v.i <= 1 THEN t.c"),
    "units told everywhere": ("CASE WHEN v.i = 0 THEN t.c ELSE 0 END AS c", "t.c AS c"),
    "units twice": ("COUNT(*) AS c", "2 * COUNT(*) AS c"),
    "rows in the place of units": ("COUNT(*) AS c", "SUM(p0) AS c"),
    "totals of all": ("AS w GROUP BY b0", "AS w"),
    "totals by a count": ("AS w GROUP BY b0", "AS w GROUP BY b0, p0"),
    "totals of some": ("AS w GROUP BY b0", "AS w WHERE p0 > 3 GROUP BY b0"),
    "totals that have to be large": ("AS w GROUP BY b0", "AS w GROUP BY b0 HAVING COUNT(*) > 3"),
    "the first of the totals": ("AS w GROUP BY b0", "AS w GROUP BY b0 LIMIT 1"),
    "buckets of some": ("AS c) AS w", "AS c WHERE p0 > 3) AS w"),
    "units of some": ("WHERE s0 IS NOT NULL", "WHERE s0 > 3"),
    "all units": (" WHERE s0 IS NOT NULL", ""),
    "rows of several units": ("AS r GROUP BY u", "AS r GROUP BY k0"),
    "rows of a unit and a key": ("AS r GROUP BY u", "AS r GROUP BY u, k0"),
    "a sum of no key": ("WHEN k0 = 'N' THEN 2147483648", "WHEN k0 > 'N' THEN 2147483648"),
    "a sum of another value": ("WHEN k0 = 'N'", "WHEN k0 = 'M'"),
    "a larger sum": ("THEN 4611686018427387904 END", "THEN 9223372036854775807 END"),
    "the largest": ("SUM(CASE WHEN k0", "MAX(CASE WHEN k0"),
    "a value that is not declared": ("(1, 'N')", "(1, 'M')"),
    "a place twice": ("(1, 'N')", "(0, 'N')"),
    "a key too many": ("(2, 'R')", "(2, 'R'), (2, 'R')"),
    "keys of a table": (
        "(SELECT v0.i AS i, v0.k0 AS k0 FROM (VALUES (0, 'A'), (1, 'N'), (2, 'R')) AS v0(i, k0))",
        "(SELECT 0 AS i, s1.\"flag\" AS k0 FROM \"lineitem\" AS s1)"),
    "rows that are joined otherwise": ("CROSS JOIN", "LEFT JOIN"),
    "more rows": ("AS v0(i, k0)) AS v", "AS v0(i, k0)) AS v CROSS JOIN (SELECT 1 AS x) AS z"),
    "some of the result": ("AS v0(i, k0)) AS v", "AS v0(i, k0)) AS v WHERE t.c > 3"),
    "another bucket": ("t.b0 AS b0", "t.c AS b0"),
}  # fmt: skip
UNSEEN = frozenset({"a larger sum", "a sum of another value", "other bits", "a value that is not declared"})
"""Where the second reader has nothing to say: one unit's numbers are others, and their norm is theirs."""


@pytest.mark.parametrize("name", STEPS)
def test_a_loosened_step_is_refused(name: str) -> None:
    old, new = STEPS[name]
    made = planned(PACKED[0], Accounting.ZCDP)
    (found,) = made.releases
    assert old in found.bounded.sql, found.bounded.sql
    changed = replace(found.bounded, sql=found.bounded.sql.replace(old, new, 1))
    mutant = replace(made, releases=(replace(found, bounded=changed),))
    with pytest.raises(CheckFault):
        check_plan(mutant, policy(), "duckdb", Accounting.ZCDP)
    assert bool(faults(mutant, policy(), "duckdb")) is (name not in UNSEEN)


def test_an_engine_whose_sums_have_no_bits_has_none() -> None:
    (found,) = planned(PACKED[0], Accounting.ZCDP).releases
    tree = packed.parsed(found.bounded.sql, "duckdb")
    with pytest.raises(CheckFault, match="nobody knows"):
        packed.unpacked(tree, found.bounded, replace(facts_of("duckdb"), sums_have_bits=False))
