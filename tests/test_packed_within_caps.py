"""Counts by a few known keys where caps hold, several in a sum of one row for each unit: that they are the same as
those of a row for each unit and key, how far one unit moves them, and what the checker and the second reader refuse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import duckdb
import pytest
from attacks.reads import faults
from worlds import SCRIPT, plan, statements, world_catalog

from dpproxy.accounting.account import terms
from dpproxy.accounting.loss import Accounting
from dpproxy.engines import dialects
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.private_plan import Bounded, Limit, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan, packed
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.nodes import parsed

PACKED = (
    "SELECT flag, count(*) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*) FROM lineitem JOIN orders USING (orderkey) WHERE quantity > 3 GROUP BY flag",
    "SELECT cost > 60, count(*) FROM people LEFT JOIN visits USING (person_id) GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 3 WHEN cost > 50 THEN -2 END AS k, count(*) FROM visits GROUP BY 1",
    "SELECT CASE WHEN cost > 100 THEN 'it''s' WHEN cost > 50 THEN '' ELSE 'c' END, count(*) FROM visits GROUP BY 1",
    "SELECT flag FROM lineitem GROUP BY flag ORDER BY count(*) DESC LIMIT 1",
    "SELECT g, count(*) FROM generate_series(20, 70, 10) g JOIN people ON age >= g AND age < g + 10 GROUP BY g",
    "SELECT g, count(*) FROM generate_series(20, 50, 10) g JOIN people ON age >= g AND age < g + 10 GROUP BY g",
    "SELECT g, count(*) FROM generate_series(20, 60, 10) g, people WHERE age >= g GROUP BY g",
)
"""Two to six keys: of four to six, all counts are in one sum where the cap is low."""
OTHERS = (
    "SELECT count(*) FROM visits",
    "SELECT flag, count(*), sum(quantity) FROM lineitem GROUP BY flag",
    "SELECT flag, count(*) FILTER (WHERE quantity > 20) FROM lineitem GROUP BY flag",
    "SELECT sex, count(*) FROM people JOIN visits USING (person_id) GROUP BY sex",
    "SELECT dept, count(*) FROM visits GROUP BY dept",
    "SELECT extract(month FROM day), count(*) FROM visits GROUP BY 1",
    "SELECT sex, count(*) FROM people GROUP BY sex",
)
"""Another measure, or two; no key, a private one, one that a unit has one of, or of many values; one row of a unit."""


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for statement in statements(SCRIPT):
            connection.execute(statement)
        yield connection


def planned(sql: str) -> Plan:
    made = plan(sql, world_catalog())
    check_plan(made, world_catalog(), "duckdb", Accounting.ZCDP)
    assert not faults(made, world_catalog(), "duckdb")
    return made


def is_packed(bounded: Bounded) -> bool:
    return re.search(r" & [1-9]", bounded.sql) is not None


def told(text: str, connection: duckdb.DuckDBPyConnection) -> dict[object, object]:
    return {key: count for key, count in connection.execute(text).fetchall() if count}


def without(bounded: Bounded) -> Bounded:
    """The same, whatever its texts are."""
    return replace(bounded, sql="", plain="")


@pytest.mark.parametrize("sql", PACKED)
def test_they_are_the_same(sql: str, world: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    first = planned(sql).releases[0].bounded
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), packs_counts=None))
    second = planned(sql).releases[0].bounded
    assert is_packed(first) and not is_packed(second) and first.limit is Limit.FEW_PUBLIC_KEYS
    assert without(first) == without(second)
    assert told(first.sql, world) == told(second.sql, world) != {}


@pytest.mark.parametrize("sql", OTHERS)
def test_nothing_else_is_packed(sql: str) -> None:
    for dialect in ("duckdb", "postgres"):
        assert not any(is_packed(each.bounded) for each in plan(sql, world_catalog(), dialect=dialect).releases)


def test_postgres_packs_none() -> None:
    assert not any(is_packed(plan(sql, world_catalog(), dialect="postgres").releases[0].bounded) for sql in PACKED)


def test_one_unit_moves_each_key_by_the_cap_at_most() -> None:
    """Whatever the bits of its sum are: more rows than they have room for are other counts of the same unit."""
    bounded = planned(PACKED[0]).releases[0].bounded
    text = bounded.sql
    start = text.index("(SELECT u, SUM(")
    for many in (0, 1, 99, 100, 101, 2**31 - 1, 2**31, 2**40, 2**62, 2**62 - 1):
        summed = f"(SELECT 1 AS u, CAST({many} AS HUGEINT) + 4611686018427387904 AS s0)"
        found = duckdb.execute(text[:start] + summed + text[text.index(" AS q WHERE") :]).fetchall()
        assert len(found) == 3 and all(0 <= count <= bounded.rows == 100 for _, count in found)
        assert many >= 2**31 or dict(found) == {"A": min(many, 100), "N": 0, "R": 1}


IN_ONE_SUM = {
    4: (
        20,
        "SELECT g, count(*) FROM generate_series(20, 50, 10) g JOIN people ON age >= g AND age < g + 10 GROUP BY g",
    ),
    5: (
        15,
        "SELECT g, count(*) FROM generate_series(20, 60, 10) g JOIN people ON age >= g AND age < g + 10 GROUP BY g",
    ),
    6: (
        12,
        "SELECT g, count(*) FROM generate_series(20, 70, 10) g JOIN people ON age >= g AND age < g + 10 GROUP BY g",
    ),
}


@pytest.mark.parametrize("keys", IN_ONE_SUM)
def test_four_to_six_counts_are_in_one_sum(keys: int) -> None:
    """Each counts exactly up to 256 times the cap and more, and is no larger than the cap whatever the sum is."""
    bits, sql = IN_ONE_SUM[keys]
    bounded = planned(sql).releases[0].bounded
    text, most = bounded.sql, bounded.rows
    assert text.count("SUM(CASE") == 1 and f"& {2**bits - 1} AS" in text and 2**bits >= 256 * most
    start = text.index("(SELECT u, SUM(")
    for place in range(keys):
        for many in (0, 1, most, most + 1, 2**bits - 1, 2**bits, 2**40, 2**62):
            summed = f"(SELECT 1 AS u, CAST({many} AS HUGEINT) * {2 ** (bits * place)} AS s0)"
            found = duckdb.execute(text[:start] + summed + text[text.index(" AS q WHERE") :]).fetchall()
            assert len(found) == keys and all(0 <= count <= most for _, count in found)
            counts = [count for _, count in sorted(found)]
            assert many >= 2**bits or counts == [min(many, most) if each == place else 0 for each in range(keys)]


OF_ONE_SUM = {
    "a larger count": ("& 32767 AS BIGINT", "& 65535 AS BIGINT"),
    "other bits": (">> 15)", ">> 14)"),
    "the last bits": (">> 60)", ">> 61)"),
    "a count in the place of another": ("THEN 32768 WHEN", "THEN 1 WHEN"),
    "more than a bigint": ("THEN 1152921504606846976 END", "THEN 18446744073709551616 END"),
    "a second sum": (") AS s0 FROM", ") AS s0, COUNT(*) AS s1 FROM"),
    "a count that is not held": ("LEAST(CAST((COALESCE(s0, 0) >> 15)", "GREATEST(CAST((COALESCE(s0, 0) >> 15)"),
}


@pytest.mark.parametrize("name", OF_ONE_SUM)
def test_a_loosened_step_of_one_sum_is_refused(name: str) -> None:
    old, new = OF_ONE_SUM[name]
    made = planned(IN_ONE_SUM[5][1])
    bounded = made.releases[0].bounded
    assert old in bounded.sql, bounded.sql
    with pytest.raises(CheckFault):
        mutant = mutant_of(made, replace(bounded, sql=bounded.sql.replace(old, new, 1)))
        check_plan(mutant, world_catalog(), "duckdb", Accounting.ZCDP)


def test_where_caps_are_high_three_counts_are_in_a_sum() -> None:
    made = plan(IN_ONE_SUM[6][1], world_catalog(), {"max_rows_per_unit": "1000"})
    sql = "SELECT CASE WHEN cost > 90 THEN 3 WHEN cost > 60 THEN 2 WHEN cost > 30 THEN 1 END AS k, count(*) FROM visits"
    high = plan(f"{sql} GROUP BY 1", world_catalog(), {"max_rows_per_unit": "5000", "max_groups_per_unit": "6"})
    assert made.releases[0].bounded.sql.count("SUM(CASE") == 1
    check_plan(high, world_catalog(), "duckdb", Accounting.ZCDP)
    assert high.releases[0].bounded.sql.count("SUM(CASE") == 2 and not faults(high, world_catalog(), "duckdb")


LEVELS = (
    "SELECT CASE WHEN cost > 90 THEN 3 WHEN cost > 60 THEN 2 WHEN cost > 30 THEN 1 END, count(*) FROM visits GROUP BY 1"
)


@pytest.mark.parametrize("accounting", Accounting)
def test_counts_up_to_a_clip_that_caps_cut_short_are_in_one_sum(
    accounting: Accounting, world: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog = replace(world_catalog(), caps_hold=False)
    first = plan(LEVELS, catalog, account=terms(accounting, Decimal(100), Decimal("1e-5")))
    check_plan(first, catalog, "duckdb", accounting)
    assert not faults(first, catalog, "duckdb")
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), packs_counts=None))
    second = plan(LEVELS, catalog, account=terms(accounting, Decimal(100), Decimal("1e-5")))
    one, other = first.releases[0].bounded, second.releases[0].bounded
    assert is_packed(one) and one.sql.count("SUM(CASE") == 1 and "& 1048575" in one.sql and not is_packed(other)
    assert one.caps is not None and one.clip is not None and without(one) == without(other)
    found = [
        {(key, bucket): total for key, _, bucket, total in world.execute(each.sql).fetchall() if total}
        for each in (one, other)
    ]
    assert found[0] == found[1] != {}


def test_there_is_a_row_of_each_key_where_there_is_nobody(world: duckdb.DuckDBPyConnection) -> None:
    bounded = planned("SELECT flag, count(*) FROM lineitem WHERE quantity < 0 GROUP BY flag").releases[0].bounded
    assert sorted(world.execute(bounded.sql).fetchall()) == [("A", 0), ("N", 0), ("R", 0)]


STEPS = {
    "a count of more bits": ("& 2147483647 AS BIGINT), 100) AS p0", "& 4294967295 AS BIGINT), 100) AS p0"),
    "a count of all bits": ("(COALESCE(s0, 0) >> 62) & 2147483647 AS", "(COALESCE(s0, 0) >> 62) AS"),
    "a count below 0": (
        "LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 100)", "LEAST(CAST(COALESCE(s0, 0) AS BIGINT), 100)"),
    "a count that is not held": (
        "LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 100)", "CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT)"),
    "a count that is held to more": ("AS BIGINT), 100) AS p0", "AS BIGINT), 101) AS p0"),
    "a count that is held from below": ("LEAST(CAST(COALESCE(s0", "GREATEST(CAST(COALESCE(s0"),
    "other bits": (">> 31", ">> 30"),
    "a total of another key": ("COALESCE(SUM(p1), 0)", "COALESCE(SUM(p0), 0)"),
    "a total twice": ("COALESCE(SUM(p1), 0)", "2 * COALESCE(SUM(p1), 0)"),
    "a total that is not held": (
        "CAST(LEAST(GREATEST(COALESCE(SUM(p1), 0), -4611686018427387904), 4611686018427387904) AS BIGINT)", "SUM(p1)"),
    "a total told twice": ("WHEN v.i = 1 THEN t.p1", "WHEN v.i = 1 THEN t.p0"),
    "a total told everywhere": ("WHEN v.i = 1 THEN t.p1", "WHEN v.i >= 1 THEN t.p1"),
    "units beside": ("CASE WHEN v.i = 0 THEN t.p0", "t.p0 AS c, CASE WHEN v.i = 0 THEN t.p0"),
    "totals by a count": ("AS c) AS t", "AS c GROUP BY p0) AS t"),
    "totals of some": ("AS c) AS t", "AS c WHERE p0 > 3) AS t"),
    "totals that have to be large": ("AS c) AS t", "AS c HAVING SUM(p0) > 3) AS t"),
    "the first of the totals": ("AS c) AS t", "AS c LIMIT 1) AS t"),
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
    "some of the result": ("AS v0(i, k0)) AS v", "AS v0(i, k0)) AS v WHERE t.p0 > 3"),
}  # fmt: skip
UNSEEN = frozenset({"a larger sum", "a sum of another value", "other bits", "a value that is not declared"})
"""Where the second reader has nothing to say: one unit's numbers are others, and they are held to the cap."""


def mutant_of(made: Plan, changed: Bounded) -> Plan:
    return replace(made, releases=(replace(made.releases[0], bounded=changed),))


@pytest.mark.parametrize("name", STEPS)
def test_a_loosened_step_is_refused(name: str) -> None:
    old, new = STEPS[name]
    made = planned(PACKED[0])
    bounded = made.releases[0].bounded
    assert old in bounded.sql, bounded.sql
    mutant = mutant_of(made, replace(bounded, sql=bounded.sql.replace(old, new, 1)))
    with pytest.raises(CheckFault):
        check_plan(mutant, world_catalog(), "duckdb", Accounting.ZCDP)
    assert bool(faults(mutant, world_catalog(), "duckdb")) is (name not in UNSEEN)


def test_other_claims_of_the_same_text_are_refused() -> None:
    made = planned(PACKED[0])
    bounded = made.releases[0].bounded
    (measure,) = bounded.measures
    claims = {
        "a lower cap": replace(bounded, rows=99, measures=(replace(measure, upper=99),)),
        "fewer keys than there are": replace(bounded, groups=2),
        "one key": replace(bounded, groups=1, limit=Limit.KEY_OF_UNIT),
        "keys that are limited": replace(bounded, groups=3, limit=Limit.KEYS_LIMITED),
    }
    for name, changed in claims.items():
        with pytest.raises(CheckFault):
            check_plan(mutant_of(made, changed), world_catalog(), "duckdb", Accounting.ZCDP)
        assert faults(mutant_of(made, changed), world_catalog(), "duckdb"), name


def test_an_engine_whose_sums_have_no_bits_has_none() -> None:
    bounded = planned(PACKED[0]).releases[0].bounded
    tree = parsed(bounded.sql, "duckdb")
    with pytest.raises(CheckFault, match="nobody knows"):
        packed.unpacked_within_caps(tree, bounded, replace(facts_of("duckdb"), sums_have_bits=False))
