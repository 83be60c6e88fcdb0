"""What is scaled down, before the checker: what is planned passes, and every step, claim or mechanism that is loosened
is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any

import pytest
from complete_engines import COMPLETE
from lanes import sized, thinned
from neighbours.dice import Dice
from neighbours.grammar import statement
from uncapped import ACCOUNTS, STATEMENTS, policy, uncapped
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError
from dpproxy.mechanisms.clipped_noise import SCORE, ClippedNoise, clipped_noise
from dpproxy.mechanisms.distinct_noise import DistinctNoise
from dpproxy.mechanisms.noise import gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.noise_at_a_clip import PARTS
from dpproxy.mechanisms.noisy_max import noisy_max
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.selection import laplace_selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import WHOLE, SpreadSelection
from dpproxy.mechanisms.truncated_selection import TruncatedSelection, truncated_laplace
from dpproxy.plan.private_plan import Applied, Bounded, Limit, MeasureKind, Plan, Release
from dpproxy.rewrite.checker import CheckFault, check_plan

DIALECTS = COMPLETE
PLACES = [(accounting, dialect) for accounting in Accounting for dialect in DIALECTS]
CROSSED = (PLACES[0], PLACES[-1])
"""Both accountings, and two of the engines."""
MOST = sized(1, 4, 100)
"""Of each kind of mutant, how many there are of one accounting and engine."""


@cache
def plans(accounting: Accounting, dialect: str) -> tuple[Plan, ...]:
    """Of all statements."""
    return tuple(uncapped(sql, accounting, dialect) for sql in STATEMENTS)


def checked(made: Plan, accounting: Accounting, dialect: str) -> None:
    check_plan(made, policy(), dialect, accounting)


def scaled(made: Plan) -> Iterator[int]:
    """The places of releases that are scaled down."""
    return (place for place, each in enumerate(made.releases) if each.bounded.clip is not None)


def with_release(made: Plan, place: int, changed: Release) -> Plan:
    return replace(made, releases=(*made.releases[:place], changed, *made.releases[place + 1 :]))


def with_bounded(made: Plan, place: int, **parts: Any) -> Plan:
    each = made.releases[place]
    return with_release(made, place, replace(each, bounded=replace(each.bounded, **parts)))


@pytest.mark.parametrize(
    ("accounting", "dialect"),
    [pytest.param(*each, marks=() if each in CROSSED else pytest.mark.long) for each in PLACES],
)
def test_what_is_planned_passes(accounting: Accounting, dialect: str) -> None:
    """Of every kind of limit and spread there is one."""
    bounded = []
    for made in plans(accounting, dialect):
        checked(made, accounting, dialect)
        bounded += [made.releases[place].bounded for place in scaled(made)]
    norms = {Norm.L1} if accounting is Accounting.PURE else {Norm.L2}
    assert {each.clip for each in bounded} == norms
    assert {each.spread for each in bounded} == {None, Norm.L1} | norms
    assert {each.limit for each in bounded} == {Limit.NORM_CLIPPED, Limit.NO_KEYS, Limit.KEY_OF_UNIT}


@pytest.mark.parametrize("dialect", thinned(DIALECTS, 2))
def test_laplace_under_zcdp_is_by_l1(dialect: str) -> None:
    for sql in STATEMENTS:
        made = plan(sql, policy(), {"mechanism": "laplace"}, account=ACCOUNTS[Accounting.ZCDP], dialect=dialect)
        checked(made, Accounting.ZCDP, dialect)
        assert {made.releases[place].bounded.clip for place in scaled(made)} == {Norm.L1}


# What the engine is asked. The first is what stands there, the second is put in its place.

STEPS = {
    "an edge that is rounded down": (r"\bCEIL(ING)?\(LN", "FLOOR(LN"),
    "an edge that is rounded": (r"\bCEIL(ING)?\(LN", "ROUND(LN"),
    "buckets twice as wide, by the sum": (r"11\.541560327111707", "5.7707801635558535"),
    "buckets twice as wide, by squares": (r"5\.7707801635558535", "2.885390081777926"),
    "squares taken for sums": (r"5\.7707801635558535", "11.541560327111707"),
    "another digit": (r"(11\.541560327111|5\.7707801635558)\d+", r"\g<1>0"),
    "another logarithm": (r"\bLN\(", "LOG10("),
    "a bucket by less than the norm": (r"GREATEST\((s\d)(, 1\) AS DOUBLE)", r"GREATEST(\1 - 1\2"),
    "a bucket by what one row has": (r"GREATEST\(s(\d)(, 1\) AS DOUBLE)", r"GREATEST(m\1\2"),
    "a bucket by another measure": (r"GREATEST\(s0(, 1\) AS DOUBLE.* AS b1)", r"GREATEST(s1\1"),
    "a bucket without the size of what is below 0": (r"GREATEST\(ABS\((m\d)\), 1\)", r"GREATEST(\1, 1)"),
    "a bucket by a constant": (r"GREATEST\((s\d|ABS\(m\d\)), 1\) AS DOUBLE", "GREATEST(1, 1) AS DOUBLE"),
    "a bucket of no row at all": (r"GREATEST\((s\d|ABS\(m\d\)), 1\) AS DOUBLE", r"LEAST(\1, 1) AS DOUBLE"),
    "a sum without sizes": (r"SUM\(ABS\((m\d)\)\) OVER", r"SUM(\1) OVER"),
    "sizes where squares belong": (r"SUM\(CAST\((m\d) AS \w+\) \* m\d\) OVER", r"SUM(ABS(\1)) OVER"),
    "squares where sizes belong": (r"SUM\(ABS\((m\d)\)\) OVER", r"SUM(\1 * \1) OVER"),
    "a product of two measures": (
        r"SUM\(CAST\(m0 AS (\w+)\) \* m0\) OVER(.*AS s1)",
        r"SUM(CAST(m0 AS \1) * m1) OVER\2",
    ),
    "the largest, not the sum": (r"SUM\((ABS\(m\d\)|CAST\(m\d AS \w+\) \* m\d)\) OVER", r"MAX(\1) OVER"),
    "squares that do not fit": (r"SUM\(CAST\((m\d) AS \w+\) \*", r"SUM(CAST(\1 AS INT) *"),
    "squares in floating point": (r"SUM\(CAST\((m\d) AS \w+\) \*", r"SUM(CAST(\1 AS DOUBLE PRECISION) *"),
    "a norm by unit and key": (r"(AS s0.*?|SUM\(.*?)PARTITION BY u\)( AS s0)", r"\1PARTITION BY u, k0)\2"),
    "a norm by key": (r"PARTITION BY u\) AS s0", "PARTITION BY k0) AS s0"),
    "a norm of all units": (r"OVER \(PARTITION BY u\) AS s0", "OVER () AS s0"),
    "a norm up to the row": (r"OVER \(PARTITION BY u\) AS s0", "OVER (PARTITION BY u ORDER BY m0) AS s0"),
    "a norm with a frame": (
        r"OVER \(PARTITION BY u\) AS s0",
        "OVER (PARTITION BY u ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s0",
    ),
    "a norm with a filter": (
        r"\) OVER \(PARTITION BY u\) AS s0",
        ") FILTER (WHERE m0 < 5) OVER (PARTITION BY u) AS s0",
    ),
    "rows numbered by key": (r"ROW_NUMBER\(\) OVER \(PARTITION BY u\)", "ROW_NUMBER() OVER (PARTITION BY k0)"),
    "rows numbered over all units": (r"ROW_NUMBER\(\) OVER \(PARTITION BY u\)", "ROW_NUMBER() OVER ()"),
    "ranks for numbers": (r"ROW_NUMBER\(\) OVER \(PARTITION BY u\)", "RANK() OVER (PARTITION BY u)"),
    "no row is the first": (r"CASE WHEN r = 1 THEN 1 ELSE 0 END", "0"),
    "every row is the first": (r"CASE WHEN r = 1 THEN 1 ELSE 0 END", "1"),
    "the first counts twice": (r"CASE WHEN r = 1 THEN 1 ELSE 0 END", "CASE WHEN r = 1 THEN 2 ELSE 0 END"),
    "two are the first": (r"CASE WHEN r = 1 THEN 1 ELSE 0 END", "CASE WHEN r <= 2 THEN 1 ELSE 0 END"),
    "rows counted, not units": (r"SUM\(c\) AS c", "COUNT(*) AS c"),
    "units counted twice": (r"(SUM\(c\)|COUNT\(\*\)) AS c,", r"2 * \1 AS c,"),
    "weights for units": (r"SUM\(w\) AS n", "COUNT(*) AS n"),
    "the largest weight": (r"SUM\(w\) AS n", "MAX(w) AS n"),
    "units counted by value": (r"COUNT\(\*\) AS n", "SUM(m0) AS n"),
    "weights of the other norm: sums": (
        r"1048576 / CAST\(d AS DOUBLE( PRECISION)?\)",
        r"1048576 / SQRT(CAST(d AS DOUBLE\1))",
    ),
    "weights of the other norm: squares": (
        r"1048576 / SQRT\((CAST\(d AS DOUBLE(?: PRECISION)?\))\)",
        r"1048576 / SQRT(SQRT(\1))",
    ),
    "weights that are rounded up": (r"FLOOR\(1048576", "CEIL(1048576"),
    "weights of more than one": (r"1048576 /", "1048577 /"),
    "a higher cap of keys": (r"d > 4096 THEN", "d > 4097 THEN"),
    "a lower cap of keys": (r"d > 4096 THEN", "d > 4095 THEN"),
    "a unit of many keys weighs one in each": (r"d > 4096 THEN 0", "d > 4096 THEN 1"),
    "no cap of keys": (r"CASE WHEN d > 4096 THEN 0 ELSE (.*?) END AS w", r"\1 AS w"),
    "keys counted over all": (r"COUNT\(\*\) OVER \(PARTITION BY u\)", "COUNT(*) OVER ()"),
    "keys counted apart": (r"COUNT\(\*\) OVER \(PARTITION BY u\)", "COUNT(*) OVER (PARTITION BY u, k0)"),
    "totals that are not held": (
        r"CAST\(LEAST\(GREATEST\((COALESCE\(SUM\(m0\), 0\)), -4611686018427387904\), 4611686018427387904\) AS BIGINT\)",
        r"CAST(\1 AS BIGINT)",
    ),
    "totals held further away": (
        r", 4611686018427387904\) AS BIGINT\) AS m0",
        ", 9223372036854775807) AS BIGINT) AS m0",
    ),
    "an average for a total": (
        r"COALESCE\(SUM\((m\d)\), 0\), -4611686018427387904",
        r"COALESCE(AVG(\1), 0), -4611686018427387904",
    ),
    "a total of another measure": (
        r"COALESCE\(SUM\(m1\), 0\), -4611686018427387904",
        "COALESCE(SUM(m0), 0), -4611686018427387904",
    ),
    "contributions that are not clamped": (r"LEAST\(GREATEST\(COUNT\(\*\), 0\), \d+\)", "COUNT(*)"),
    "contributions clamped further away": (r"(LEAST\(GREATEST\(COUNT\(\*\), 0\), )\d+\)", r"\g<1>99999999999999999)"),
    "sums that are not clamped": (r"LEAST\(GREATEST\((COALESCE\(SUM\(.{2,20}?\), 0\)), -?\d+\), \d{1,14}\)", r"\1"),
    "products that are not held": (
        r"LEAST\(GREATEST\((COALESCE\(SUM\(CAST\(m\d AS \w+\) \* m\d\), 0\)), [-0-9]+\), \d+\)",
        r"\1",
    ),
    "products held further away": (
        r"(SUM\(CAST\(m\d AS \w+\) \* m\d\), 0\), [-0-9]+\)), 1208925819614629174706176\)",
        r"\1, 1208925819614629174706177)",
    ),
    "products of three": (r"COALESCE\(SUM\(CAST\((m\d) AS (\w+)\) \* m\d\)", r"COALESCE(SUM(CAST(\1 AS \2) * \1 * \1)"),
    "products in a bigint": (r"COALESCE\(SUM\(CAST\((m\d) AS \w+\) \* ", r"COALESCE(SUM(\1 * "),
    "products in floating point": (
        r"COALESCE\(SUM\(CAST\((m\d) AS \w+\) \* ",
        r"COALESCE(SUM(CAST(\1 AS DOUBLE PRECISION) * ",
    ),
    "products with what is a product": (
        r"COALESCE\(SUM\(CAST\(m0 AS (\w+)\) \* m0\)",
        r"COALESCE(SUM(CAST(m1 AS \1) * m1)",
    ),
    "products with what no row has": (
        r"COALESCE\(SUM\(CAST\(m0 AS (\w+)\) \* m0\)",
        r"COALESCE(SUM(CAST(m0 AS \1) * m9)",
    ),
    "products with a key": (r"COALESCE\(SUM\(CAST\(m0 AS (\w+)\) \* m0\)", r"COALESCE(SUM(CAST(m0 AS \1) * u)"),
    "the least, not the largest": (r"MAX\(ABS\((m\d)\)\) OVER", r"MIN(ABS(\1)) OVER"),
    "the largest without its size": (r"MAX\(ABS\((m\d)\)\) OVER", r"MAX(\1) OVER"),
    "the largest of a key": (r"(MAX\(ABS\(m\d\)\) OVER \(PARTITION BY u)\)", r"\1, k0)"),
    "the largest twice": (
        r"LN\(CAST\(GREATEST\(s(\d)(, 1\) AS DOUBLE(?: PRECISION)?\)\) \+)",
        r"LN(CAST(GREATEST(t\1\2",
    ),
    "the sum alone": (r"\((LN\(CAST\(GREATEST\(s\d, 1\) AS DOUBLE(?: PRECISION)?\)\)) \+ LN\(.*?\)\)\) \*", r"\1 *"),
    "wide totals that are not held": (
        r"LEAST\(GREATEST\((COALESCE\(SUM\(m\d\), 0\)), -1329227995784915872903807060280344576\), \d+\)",
        r"\1",
    ),
    "wide totals in a bigint": (r"(1329227995784915872903807060280344576\)) AS \w+\)", r"\1 AS BIGINT)"),
    "wide totals held further away": (
        r", 1329227995784915872903807060280344576\) AS",
        ", 170141183460469231731687303715884105727) AS",
    ),
    "grouped by a key alone": (r"GROUP BY k0, b0$", "GROUP BY k0"),
    "grouped by a bucket alone": (r"GROUP BY k0, b0$", "GROUP BY b0"),
    "no group": (r" GROUP BY b0$", ""),
    "a set too few": (r"GROUPING SETS \((\([^()]*\)), \([^()]*\)", r"GROUPING SETS (\1"),
    "a set twice": (r"GROUPING SETS \((\([^()]*\))", r"GROUPING SETS (\1, \1"),
    "a set of all": (r"GROUPING SETS \(", "GROUPING SETS ((), "),
    "a set with two buckets": (r"GROUPING SETS \(\((.*?b0)\)", r"GROUPING SETS ((\1, b1)"),
    "sets in another order": (r"GROUPING SETS \((\(.*?b0\)), (\(.*?b1\))", r"GROUPING SETS (\2, \1"),
    "a cube": (r"GROUPING SETS \((?=\()", "CUBE ("),
    "one group for sets": (r"GROUP BY GROUPING SETS \(\(.*$", "GROUP BY k0, b0, b1"),
    "totals of some": (r"AS t GROUP BY", "AS t WHERE r = 1 GROUP BY"),
    "totals of distinct rows": (
        r"FROM \(SELECT (?=.* AS t( GROUP BY [^()]*| GROUP BY GROUPING SETS \(.*)$)",
        "FROM (SELECT DISTINCT ",
    ),
    "buckets of some": (r"AS w\) AS t", "AS w WHERE c = 1) AS t"),
    "buckets of those with a condition": (r"AS w\) AS t", "AS w WHERE m0 < 3) AS t"),
    "norms of some": (r"AS c\) AS w", "AS c WHERE m0 > 0) AS w"),
    "norms of the first hundred": (r"AS c\) AS w", "AS c LIMIT 100) AS w"),
    "totals that have to be large": (r"$", " HAVING SUM(m0) > 10"),
    "the first of the totals": (r"$", " LIMIT 1"),
    "a source with itself": (r"AS c\) AS w", "AS c CROSS JOIN (SELECT 1 AS x) AS y) AS w"),
    "sets inside of contributions": (r"GROUP BY u, k0\)", "GROUP BY GROUPING SETS ((u, k0), (k0)))"),
    "sets inside of contributions without keys": (r"GROUP BY u\)", "GROUP BY GROUPING SETS ((u), ()))"),
    "contributions by unit alone": (r"GROUP BY u, k0\)", "GROUP BY k0)"),
    "rows that are made again": (r"WITH a AS MATERIALIZED", "WITH a AS NOT MATERIALIZED"),
    "rows that may be made again": (r"WITH a AS MATERIALIZED", "WITH a AS"),
    "rows that read themselves": (r"WITH a AS MATERIALIZED", "WITH RECURSIVE a AS MATERIALIZED"),
    "rows of other names": (r"WITH a AS MATERIALIZED", "WITH a(u, k0, m0, r) AS MATERIALIZED"),
    "rows called otherwise": (r"WITH a AS MATERIALIZED", "WITH b AS MATERIALIZED"),
    "rows called as a table is": (r"WITH a AS (.*)FROM a AS a JOIN", r'WITH "visits" AS \1FROM "visits" AS a JOIN'),
    "more rows beside": (r"WITH a AS MATERIALIZED", "WITH b AS MATERIALIZED (SELECT 1 AS x), a AS MATERIALIZED"),
    "rows of a table": (r"FROM a AS a JOIN", 'FROM "visits" AS a JOIN'),
    "norms of a table": (r"FROM a AS a GROUP BY u", 'FROM "visits" AS a GROUP BY u'),
    "shared rows that are numbered by unit": (r"ROW_NUMBER\(\) OVER \(\)", "ROW_NUMBER() OVER (PARTITION BY u)"),
    "shared rows that have ranks": (r"ROW_NUMBER\(\) OVER \(\)", "RANK() OVER ()"),
    "shared rows without numbers": (r"ROW_NUMBER\(\) OVER \(\)", "1"),
    "the last number": (r"MIN\(r\) AS r", "MAX(r) AS r"),
    "the number of some row": (r"MIN\(r\) AS r", "AVG(r) AS r"),
    "one number for all": (r"MIN\(r\) AS r", "COUNT(*) AS r"),
    "norms of a key": (r"FROM a AS a GROUP BY u\)", "FROM a AS a GROUP BY u, k0)"),
    "norms of all": (r"FROM a AS a GROUP BY u\)", "FROM a AS a GROUP BY r)"),
    "norms of large ones": (r"FROM a AS a GROUP BY u\)", "FROM a AS a WHERE m0 > 1 GROUP BY u)"),
    "norms that have to be large": (r"FROM a AS a GROUP BY u\)", "FROM a AS a GROUP BY u HAVING COUNT(*) > 1)"),
    "units of some": (r"AS n\) AS g", "AS n WHERE r > 1) AS g"),
    "units of the first": (r"AS n\) AS g", "AS n LIMIT 1) AS g"),
    "a norm of another unit": (r"ON a\.u = g\.u", "ON a.r = g.r"),
    "a norm of any other unit": (r"ON a\.u = g\.u", "ON a.u <> g.u"),
    "a norm of every unit": (r"JOIN (.*) ON a\.u = g\.u", r"CROSS JOIN \1"),
    "a norm of its unit, or a smaller one": (r"ON a\.u = g\.u", "ON a.u <= g.u"),
    "rows of none": (r"FROM a AS a JOIN", "FROM a AS a LEFT JOIN"),
    "units of none": (r"FROM a AS a JOIN", "FROM a AS a RIGHT JOIN"),
    "rows of some": (r"ON a\.u = g\.u", "ON a.u = g.u WHERE a.m0 > 1"),
    "every row the first": (r"a\.r = g\.r THEN 1", "a.r = a.r THEN 1"),
    "the rows before the first": (r"a\.r = g\.r THEN 1", "a.r >= g.r THEN 1"),
    "a unit's bucket of a row": (r"g\.b0 AS b0", "a.m0 AS b0"),
    "another bucket": (r"g\.b1 AS b1", "g.b0 AS b1"),
    "another weight": (r"g\.w AS w", "a.m0 AS w"),
    "another contribution": (r"a\.m0 AS m0", "g.b0 AS m0"),
    "other contributions": (r"AS c\) SELECT a\.", "AS c WHERE m0 > 1) SELECT a."),
    "values numbered by key": (r"(PARTITION BY u)( ORDER BY (HASH|MD5).*? AS r, COUNT)", r"\1, v\2"),
    "values numbered over all units": (r"PARTITION BY u ORDER BY (HASH|MD5)", r"ORDER BY \1"),
    "ranks of values": (r"ROW_NUMBER\(\)( OVER \(PARTITION BY u ORDER BY (HASH|MD5))", r"RANK()\1"),
    "values in an order of the engine's": (r"(PARTITION BY u) ORDER BY (HASH|MD5).*?(\) AS r, COUNT)", r"\1\3"),
    "values by how many a unit has": (r"MIN\(r\) AS r", "MIN(d) AS r"),
    "the last of a value": (r"MIN\(r\) AS r", "MAX(r) AS r"),
    "the first of a unit": (r"MAX\(r\) AS l", "MIN(r) AS l"),
    "values counted for each unit": (r"CASE WHEN o IS NULL THEN 1 ELSE 0 END AS m0", "1 AS m0"),
    "values counted twice": (r"SETS \((\((?:k0, )?v\))", r"SETS (\1, \1"),
    "values counted for each number": (r"SETS \(\(((?:k0, )?v)\)", r"SETS ((\1, d)"),
    "values counted in all keys": (r"SETS \(\((?:k0, )?v\)", "SETS ((v)"),
    "units counted for each value": (r", \(((?:k0, )?o)\)\)", r", (\1, v))"),
    "units counted in each key": (r"CASE WHEN NOT o IS NULL AND l = d THEN", "CASE WHEN NOT o IS NULL THEN"),
    "values counted as units": (r"CASE WHEN NOT o IS NULL AND l = d THEN", "CASE WHEN l = d THEN"),
    "units that are values": (r"u AS o FROM", "v AS o FROM"),
    "no unit is counted": (r"CASE WHEN NOT o IS NULL AND l = d THEN 1 ELSE 0 END AS c", "0 AS c"),
    "a number's bucket that is another's": (r"GREATEST\(CASE WHEN o IS NULL THEN r ELSE l END, 1\)", "GREATEST(l, 1)"),
    "a number's bucket below it": (r"THEN r ELSE l END, 1\)", "THEN r - 1 ELSE l END, 1)"),
    "how many are counted over all": (r"COUNT\(\*\) OVER \(PARTITION BY u\) AS d", "COUNT(*) OVER () AS d"),
    "values that stand there again": (r"WHERE v IS NOT NULL GROUP BY u, (k0, )?v\)", "WHERE v IS NOT NULL)"),
    "values of some numbers": (r"AS w GROUP BY", "AS w WHERE r > 1 GROUP BY"),
}


@pytest.mark.larger
@pytest.mark.parametrize("name", STEPS)
def test_a_loosened_step_is_refused(name: str) -> None:
    old, new = STEPS[name]

    def loosened(bounded: Bounded) -> Iterator[Bounded]:
        changed = re.sub(old, new, bounded.sql, count=1)
        if changed != bounded.sql:
            yield replace(bounded, sql=changed)

    assert _refused_bounded(loosened), "nothing was changed"


def _refused_bounded(loosened: Callable[[Bounded], Iterator[Bounded]]) -> int:
    """How many there were, each of which was refused."""
    met = 0
    for accounting, dialect in sized(CROSSED, PLACES, PLACES):
        mutants = (
            with_release(made, place, replace(made.releases[place], bounded=changed))
            for made in plans(accounting, dialect)
            for place in scaled(made)
            for changed in loosened(made.releases[place].bounded)
        )
        for mutant in islice(mutants, MOST):
            met += 1
            with pytest.raises(CheckFault):
                checked(mutant, accounting, dialect)
    return met


@pytest.mark.larger
def test_sets_are_smuggled_into_no_level() -> None:
    """GROUP BY of any level but the last, of every statement, becomes grouping sets."""

    def smuggled(bounded: Bounded) -> Iterator[Bounded]:
        sql = bounded.sql
        for found in re.finditer(r"GROUP BY ([\w\", .]+?)(?=\) AS)", sql):
            sets = f"GROUP BY GROUPING SETS (({found[1]}))"
            yield replace(bounded, sql=sql[: found.start()] + sets + sql[found.end() :])

    assert _refused_bounded(smuggled) >= min(MOST, len(STATEMENTS)) * sized(len(CROSSED), len(PLACES), len(PLACES))


def test_sets_in_what_is_not_scaled_are_refused() -> None:
    made = plan(
        "SELECT flag, count(*) FROM lineitem GROUP BY flag",
        policy(),
        {"max_rows_per_unit": "3", "max_groups_per_unit": "2"},
    )
    assert made.releases[0].bounded.clip is None
    check_plan(made, policy(), "duckdb", Accounting.ZCDP)
    sql = made.releases[0].bounded.sql
    assert sql.endswith("GROUP BY k0")
    for sets in ("GROUPING SETS ((k0))", "GROUPING SETS ((k0), ())", "ROLLUP (k0)", "CUBE (k0)", "k0, ()", "ALL"):
        changed = with_bounded(made, 0, sql=sql.removesuffix("k0") + sets)
        with pytest.raises(CheckFault):
            check_plan(changed, policy(), "duckdb", Accounting.ZCDP)


# What the plan says

CLAIMS: dict[str, Callable[[Bounded], dict[str, Any] | None]] = {
    "no clip": lambda _: {"clip": None},
    "no clip, no spread": lambda _: {"clip": None, "spread": None},
    "the other norm": lambda it: {"clip": Norm.L1 if it.clip is Norm.L2 else Norm.L2} if _several(it) else None,
    "no spread": lambda it: {"spread": None} if it.spread else None,
    "another spread": lambda it: {"spread": Norm.L1 if it.spread is Norm.L2 else Norm.L2} if it.spread else None,
    "a spread where there is none": lambda it: None if it.spread else {"spread": Norm.L1},
    "one row": lambda it: {"limit": Limit.ONE_ROW, "groups": 1} if _several(it) else None,
    "no keys": lambda it: {"limit": Limit.NO_KEYS, "groups": 1} if it.keys else None,
    "keys of the unit": lambda it: {"limit": Limit.KEY_OF_UNIT, "groups": 1} if _several(it) else None,
    "few keys": lambda it: {"limit": Limit.FEW_PUBLIC_KEYS, "groups": 1} if _several(it) else None,
    "keys that are limited to one": lambda it: {"limit": Limit.KEYS_LIMITED, "groups": 1} if it.keys else None,
    "keys that are limited": lambda it: {"limit": Limit.KEYS_LIMITED},
    "several where one is claimed": lambda it: None if _several(it) else {"limit": Limit.NORM_CLIPPED},
    "two groups": lambda it: None if _several(it) else {"groups": 2},
    "no units": lambda it: {"counts_units": not it.counts_units},
    "another unit": lambda it: {"unit": "nobody"},
    "a measure too few": lambda it: {"measures": it.measures[1:]},
    "closer bounds": lambda it: (
        {"measures": (replace(it.measures[0], upper=it.measures[0].upper - 1), *it.measures[1:])}
        if it.measures
        else None
    ),
    "wider bounds": lambda it: (
        {"measures": (replace(it.measures[0], upper=2**60), *it.measures[1:])} if it.measures else None
    ),
    "values that are distinct": lambda it: (
        {"measures": tuple(replace(each, kind=MeasureKind.DISTINCT) for each in it.measures)} if it.measures else None
    ),
}


def _several(bounded: Bounded) -> bool:
    return bounded.limit is Limit.NORM_CLIPPED


@pytest.mark.larger
@pytest.mark.parametrize("name", CLAIMS)
def test_a_loosened_claim_is_refused(name: str) -> None:

    def loosened(bounded: Bounded) -> Iterator[Bounded]:
        if (parts := CLAIMS[name](bounded)) is not None:
            yield replace(bounded, **parts)

    assert _refused_bounded(loosened), "nothing was changed"


def test_an_unlimited_text_is_no_limited_one() -> None:
    """The steps of one contribution for each unit, over contributions of which a unit has several: a plan that says
    that keys are limited to one, where no step does that."""
    made = uncapped("SELECT city, count(*) FROM people JOIN visits USING (person_id) GROUP BY city")
    changed = with_bounded(
        made, 0, limit=Limit.KEYS_LIMITED, sql=made.releases[0].bounded.sql.replace('"city"', '"name"')
    )
    with pytest.raises(CheckFault):
        checked(changed, Accounting.ZCDP, "duckdb")
    with pytest.raises(CheckFault, match="as if one"):
        checked(with_bounded(made, 0, limit=Limit.KEYS_LIMITED), Accounting.ZCDP, "duckdb")


def test_units_that_are_counted_are_not_spread() -> None:
    """A text that counts units, of a plan that says that they are weights: selection would be made for one unit in all,
    and δ for MOST_LONELY keys."""
    settings = {"max_rows_per_unit": "3", "max_groups_per_unit": "100000"}
    made = plan("SELECT dept, count(*) FROM visits GROUP BY dept", policy(), settings)
    spread = uncapped("SELECT dept, count(*) FROM visits GROUP BY dept").releases[0].mechanisms[0]
    assert isinstance(spread.mechanism, SpreadSelection)
    each = made.releases[0]
    assert each.bounded.clip is None and each.bounded.limit is Limit.KEYS_LIMITED
    bounded = replace(each.bounded, spread=spread.mechanism.norm)
    changed = with_release(made, 0, replace(each, bounded=bounded, mechanisms=(spread, *each.mechanisms[1:])))
    with pytest.raises(CheckFault, match="nothing is scaled down"):
        check_plan(changed, policy(), "duckdb", Accounting.ZCDP)


def test_a_distinct_count_is_not_scaled() -> None:
    """Values are counted or not: totals that are scaled by their bucket would move by more than a clip, and sums of
    buckets up to a clip by all that a unit adds."""
    made, rows = uncapped("SELECT count(DISTINCT dept) FROM visits"), uncapped("SELECT count(*) FROM visits")
    for one, other in ((made, rows), (rows, made)):
        checked(one, Accounting.ZCDP, "duckdb")
        mechanism = replace(one.releases[0].mechanisms[0], mechanism=other.releases[0].mechanisms[0].mechanism)
        changed = with_release(one, 0, replace(one.releases[0], mechanisms=(mechanism,)))
        with pytest.raises(CheckFault, match=r"distinct values are scaled down|sums are counted as if"):
            checked(changed, Accounting.ZCDP, "duckdb")


def test_distinct_values_are_held_to_a_clip_or_a_limit() -> None:
    """A text with a limit, of a plan that says that a clip is chosen."""
    settings = {"max_rows_per_unit": "3", "max_groups_per_unit": "5"}
    sql = "SELECT count(DISTINCT dept) FROM visits"
    limited, clipped = plan(sql, policy(), settings), uncapped(sql)
    for one, other in ((limited, clipped), (clipped, limited)):
        bounded = replace(one.releases[0].bounded, sql=other.releases[0].bounded.sql)
        with pytest.raises(CheckFault):
            checked(with_release(one, 0, replace(one.releases[0], bounded=bounded)), Accounting.ZCDP, "duckdb")


# Mechanisms

Loosened = Callable[[Any, Accounting], Any]
BIG = Decimal(50)
CLIPS: dict[str, Loosened] = {
    "quieter noise": lambda it, _: replace(it, noise=replace(it.noise, scale=it.noise.scale * 0.9)),
    "noise for less": lambda it, _: replace(it, noise=replace(it.noise, sensitivity=Sensitivity(1, PARTS))),
    "a louder choice of more": lambda it, _: replace(it, choice=replace(it.choice, scale=it.choice.scale * 0.9)),
    "a choice for less": lambda it, _: replace(it, choice=replace(it.choice, sensitivity=Sensitivity(1, SCORE - 1))),
    "a choice both ways": lambda it, acc: replace(it, choice=noisy_max(Sensitivity(1, SCORE), False, acc, Decimal(1))),
    "a median for one side": lambda it, _: (
        None if isinstance(it.start, int) else replace(it, start=replace(it.start, one_sided=True))
    ),
    "a median for less": lambda it, _: (
        None
        if isinstance(it.start, int)
        else replace(it, start=replace(it.start, sensitivity=Sensitivity(1, SCORE - 1)))
    ),
    "a median besides": lambda it, acc: replace(it, start=noisy_max(Sensitivity(1, SCORE), False, acc, BIG)),
    "the other norm": lambda it, _: replace(it, norm=Norm.L1 if it.norm is Norm.L2 else Norm.L2),
    "noise of totals as they are": lambda it, _: it.noise,
    "a choice of the largest": lambda it, _: it.choice,
    "noise for sums under squares": lambda it, acc: (
        None
        if it.norm is Norm.L1 or acc is Accounting.PURE
        else replace(it, noise=laplace_for_rho(it.noise.sensitivity, it.noise.loss(acc).main))
    ),
}
LIMITS: dict[str, Loosened] = {
    **{name: CLIPS[name] for name in CLIPS if "median" not in name and name != "a choice both ways"},
    "a choice one way": lambda it, _: replace(it, choice=replace(it.choice, one_sided=True)),
    "a choice one way, for its price": lambda it, acc: replace(
        it, choice=noisy_max(Sensitivity(1, SCORE), True, acc, it.choice.loss(acc).main)
    ),
    "a choice of two": lambda it, acc: replace(
        it, choice=noisy_max(Sensitivity(1, SCORE), False, acc, it.choice.loss(acc).main, places=2)
    ),
    "totals that are scaled down": lambda it, acc: clipped_noise(it.norm, acc, Decimal("0.01"), 1),
}
SELECTIONS: dict[str, Loosened] = {
    "quieter noise": lambda it, _: replace(it, noise=replace(it.noise, scale=it.noise.scale * 0.9)),
    "noise for less": lambda it, _: replace(it, noise=replace(it.noise, sensitivity=Sensitivity(1, WHOLE - 1))),
    "a lower threshold": lambda it, _: replace(it, threshold=it.threshold - it.threshold // 50),
    "a threshold of one unit": lambda it, _: replace(it, threshold=WHOLE),
    "no threshold": lambda it, _: replace(it, threshold=0),
    "the other norm": lambda it, _: replace(it, norm=Norm.L1 if it.norm is Norm.L2 else Norm.L2),
    "units for weights": lambda it, acc: laplace_selection(1, 1, 1, it.loss(acc).main, it.loss(acc).delta),
    "noise alone": lambda it, _: it.noise,
}


TRUNCATED: dict[str, Loosened] = {
    **{name: loosened for name, loosened in SELECTIONS.items() if name != "the other norm"},
    "noise as it is, which is not truncated": lambda it, _: SpreadSelection(it.norm, it.noise, it.threshold),
    "noise for squares": lambda it, _: replace(it, noise=gaussian(it.noise.sensitivity, BIG)),
}


def _refused(loosened: Loosened, kind: type[Any]) -> int:
    met = 0
    for accounting, dialect in sized(CROSSED, PLACES[:: len(DIALECTS)], PLACES[:: len(DIALECTS)]):
        for made in plans(accounting, dialect)[:: sized(3, 1, 1)]:
            for place in scaled(made):
                each = made.releases[place]
                for at, applied in enumerate(each.mechanisms):
                    if not isinstance(applied.mechanism, kind):
                        continue
                    changed = loosened(applied.mechanism, accounting)
                    if changed is None:
                        continue
                    met += 1
                    mechanisms = (*each.mechanisms[:at], Applied(changed, applied.measure), *each.mechanisms[at + 1 :])
                    with pytest.raises(CheckFault):
                        checked(with_release(made, place, replace(each, mechanisms=mechanisms)), accounting, dialect)
    return met


@pytest.mark.larger
@pytest.mark.parametrize("name", CLIPS)
def test_a_loosened_clip_is_refused(name: str) -> None:
    assert _refused(CLIPS[name], ClippedNoise)


@pytest.mark.parametrize("name", LIMITS)
def test_a_loosened_limit_of_distinct_values_is_refused(name: str) -> None:
    assert _refused(LIMITS[name], DistinctNoise)


@pytest.mark.larger
@pytest.mark.parametrize("name", SELECTIONS)
def test_a_loosened_selection_is_refused(name: str) -> None:
    assert _refused(SELECTIONS[name], SpreadSelection)


@pytest.mark.larger
@pytest.mark.parametrize("name", TRUNCATED)
def test_a_loosened_truncated_selection_is_refused(name: str) -> None:
    assert _refused(TRUNCATED[name], TruncatedSelection)


def test_weights_of_squares_are_not_truncated() -> None:
    """Weights of L2 norm one have more in sum."""
    made = uncapped("SELECT dept, count(*) FROM visits GROUP BY dept")
    each = made.releases[0]
    (first, *rest) = each.mechanisms
    assert isinstance(first.mechanism, SpreadSelection) and first.mechanism.norm is Norm.L2
    loss = first.mechanism.loss(Accounting.ZCDP)
    truncated = Applied(truncated_laplace(Decimal("0.001"), loss.delta), None)
    assert truncated.mechanism.loss(Accounting.ZCDP).within(loss)
    with pytest.raises(CheckFault, match="another norm"):
        checked(with_release(made, 0, replace(each, mechanisms=(truncated, *rest))), Accounting.ZCDP, "duckdb")


def test_mechanisms_stay_with_what_they_read() -> None:
    made = uncapped("SELECT dept, count(*), sum(cost) FROM visits GROUP BY dept")
    each = made.releases[0]
    first, *rest = each.mechanisms
    orders = ((first, rest[1], rest[0]), tuple(rest), (first,), (first, *rest, rest[0]), (rest[0], first, rest[1]))
    for mechanisms in orders:
        with pytest.raises(CheckFault):
            checked(with_release(made, 0, replace(each, mechanisms=mechanisms)), Accounting.ZCDP, "duckdb")


def test_gaussian_noise_is_not_for_pure_accounting() -> None:
    made = uncapped("SELECT count(*) FROM visits", Accounting.PURE)
    each = made.releases[0]
    clip = each.mechanisms[0].mechanism
    assert isinstance(clip, ClippedNoise)
    for noise in (gaussian(clip.noise.sensitivity, BIG), laplace(Sensitivity(1, 1), BIG)):
        changed = replace(each, mechanisms=(Applied(replace(clip, noise=noise), 0),))
        with pytest.raises(CheckFault):
            checked(with_release(made, 0, changed), Accounting.PURE, "duckdb")


def test_a_row_of_any_size_is_planned() -> None:
    """What squares have no room for is cut off, and no plan is refused for it by the checker."""
    for accounting, dialect in PLACES:
        for factor in (1, 1000, 10**5, 10**8):
            try:
                made = uncapped(f"SELECT sum(price * quantity * {factor}) FROM lineitem", accounting, dialect)
            except DPProxyError:
                assert factor > 1000
                continue
            checked(made, accounting, dialect)


@pytest.mark.larger
def test_random_statements_pass() -> None:
    """What the grammar of neighbours says, where nobody declared caps: the checker proves whatever is planned."""
    met = 0
    for number in range(sized(30, 120, 20_000)):
        asked, (accounting, dialect) = statement(Dice.seeded(f"clip {number}")), PLACES[number % len(PLACES)]
        try:
            made = plan(asked.sql, policy(), asked.settings, account=ACCOUNTS[accounting], dialect=dialect)
        except DPProxyError:
            continue
        checked(made, accounting, dialect)
        met += len(list(scaled(made))) > 0
    assert met > sized(5, 12, 2000)
