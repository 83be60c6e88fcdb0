"""Wrong bounded SQL planted into plans of the shapes that correlated derived tables, LATERAL, lists, modes, lengths and
sets of keys of pairs have: the checker refuses each, and takes the plan as it was made."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pair_world
import pytest
from worlds import plan, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.catalog.policy import Catalog
from dpproxy.plan.private_plan import Limit, Plan
from dpproxy.rewrite.checker import CheckFault, check_plan

GROUPS_WITHIN = (
    "SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM (SELECT v.dept FROM visits v "
    "WHERE v.person_id = p.person_id GROUP BY v.dept HAVING count(*) > 2) t)"
)
ROWS_WITHIN = (
    "SELECT count(*) FROM people p WHERE EXISTS (SELECT 1 FROM (SELECT v.day FROM visits v "
    "WHERE v.person_id = p.person_id AND v.cost > p.age) t)"
)
GROUPS_LOOKED_UP = (
    "SELECT d.dept, (SELECT avg(t.n) FROM (SELECT v.person_id, count(*) AS n FROM visits v WHERE v.dept = d.dept "
    "GROUP BY v.person_id) t) FROM departments d"
)
TWO_KEYS = (
    "SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept AND v.dept = e.dept) "
    "FROM departments d CROSS JOIN departments e"
)
TWO_PRIVATE_KEYS = (
    "SELECT count(*) FROM people p WHERE p.age > (SELECT avg(q.age) FROM people q "
    "WHERE q.city = p.city AND q.city = p.sex)"
)
LATERAL = (
    "SELECT sex, count(*) FROM people p, LATERAL (SELECT v.dept FROM visits v "
    "WHERE v.person_id = p.person_id AND v.cost > p.age) x GROUP BY sex"
)
FIRST_GROUPS = (
    "SELECT x.dept, count(*) FROM people p, LATERAL (SELECT v.dept, count(*) AS n FROM visits v "
    "WHERE v.person_id = p.person_id GROUP BY v.dept ORDER BY count(*) DESC, v.dept LIMIT 1) x GROUP BY x.dept"
)
COLUMNS_AS_ROWS = (
    "SELECT x.kind, count(*) FROM people p, LATERAL (VALUES ('sex', p.sex), ('city', p.city)) x(kind, value) "
    "GROUP BY x.kind"
)
MODE = "SELECT sex, mode() WITHIN GROUP (ORDER BY city), count(*) FROM people GROUP BY sex"
LENGTHS = "SELECT dp.median(joined::timestamp - TIMESTAMP '2020-01-01') FROM people"
OBJECT = "SELECT json_object_agg(dept, n) FROM (SELECT dept, count(*) AS n FROM visits GROUP BY dept) t"
PAIRS = (
    "SELECT s.nation, l.flag, count(*) FROM lineitem l JOIN supplier s ON l.s = s.s GROUP BY ROLLUP (s.nation, l.flag)"
)


OWN_AGGREGATES = (
    "SELECT avg((SELECT sum(v.cost) FROM visits v WHERE v.person_id = p.person_id)), "
    "avg((SELECT count(*) FROM visits v WHERE v.person_id = p.person_id)) FROM people p"
)
BY_A_LINK = (
    "SELECT count(*) FROM lineitem l "
    "WHERE l.quantity > (SELECT avg(m.quantity) FROM lineitem m WHERE m.orderkey = l.orderkey)"
)


@dataclass(frozen=True)
class Planted:
    """What is written in the place of `old` in the bounded SQL of one release."""

    sql: str
    old: str
    new: str
    release: int = 0


PLANTED = {
    "groups within, of everybody": Planted(GROUPS_WITHIN, 'WHERE q1_s0."u" = s0."person_id"', "WHERE TRUE"),
    "groups within, of others": Planted(GROUPS_WITHIN, 'q1_s0."u" = s0."person_id"', 'q1_s0."u" <> s0."person_id"'),
    "groups within, of several": Planted(GROUPS_WITHIN, "GROUP BY u, g0", "GROUP BY g0"),
    "groups within, by what is not the unit": Planted(
        GROUPS_WITHIN, 'q1_s0."u" = s0."person_id"', 'q1_s0."u" = s0."age"'
    ),
    "groups within, counted beyond": Planted(
        GROUPS_WITHIN, '"visits" AS q1_s0', '"visits" AS q1_s0 JOIN "visits" AS q1_s1 ON q1_s0."dept" = q1_s1."dept"'
    ),
    "rows within, of everybody": Planted(ROWS_WITHIN, 'q1_s0."u" = s0."person_id" AND ', ""),
    "rows within, or of everybody": Planted(ROWS_WITHIN, '"person_id" AND q1_s0."c2"', '"person_id" OR q1_s0."c2"'),
    "looked up, in groups of several": Planted(GROUPS_LOOKED_UP, "GROUP BY u, g1", "GROUP BY g1"),
    "looked up, without the limit of rows": Planted(GROUPS_LOOKED_UP, "LEAST(GREATEST(COUNT(*), 0), 20)", "COUNT(*)"),
    "looked up, of more keys": Planted(GROUPS_LOOKED_UP, "WHERE r <= 3", "WHERE r <= 4"),
    "looked up, of sums not clipped": Planted(GROUPS_LOOKED_UP, "-180), 200)", "-180), 400)"),
    "two keys, of more": Planted(TWO_KEYS, "WHERE r <= 3", "WHERE TRUE"),
    "two keys, ranked for all": Planted(TWO_KEYS, "PARTITION BY u ORDER", "PARTITION BY k0 ORDER"),
    "two keys, grouped by one": Planted(TWO_KEYS, "GROUP BY u, k0, k1", "GROUP BY u, k0"),
    "two private keys, of the row that asks": Planted(
        TWO_PRIVATE_KEYS, '> s1."c2"', '> s1."c2" + (SELECT MAX(age) FROM people)', 1
    ),
    "own aggregates, of others": Planted(OWN_AGGREGATES, 's1."u" = s0."person_id"', 's1."u" <> s0."person_id"'),
    "own aggregates, by what is not the unit": Planted(OWN_AGGREGATES, 's1."u" = s0."person_id"', 's1."u" = s0."age"'),
    "own aggregates, of everybody": Planted(OWN_AGGREGATES, 'ON s1."u" = s0."person_id"', "ON TRUE"),
    "own aggregates, of all in one group": Planted(OWN_AGGREGATES, "r GROUP BY u) AS s0", "r GROUP BY u - u) AS s0"),
    "own aggregates, that may be without a unit": Planted(
        OWN_AGGREGATES, 'LEFT JOIN (SELECT s0."u" AS u, s0."u" AS c0', 'FULL JOIN (SELECT s0."u" AS u, s0."u" AS c0'
    ),
    "own aggregates by a link, of others": Planted(BY_A_LINK, 's1."c0" = s0."orderkey"', 's1."c0" > s0."orderkey"'),
    "own aggregates by a link, grouped by more": Planted(BY_A_LINK, "GROUP BY g0", "GROUP BY g0 % 7"),
    "two private keys, without a clip": Planted(
        TWO_PRIVATE_KEYS, 'CASE WHEN s0."age" > 120 THEN 120 WHEN s0."age" < 0 THEN 0 ELSE s0."age" END', 's0."age"'
    ),
    "LATERAL, untied": Planted(LATERAL, ' AND s1."u" = s0."person_id"', ""),
    "LATERAL, tied by the inequality": Planted(LATERAL, 's1."u" = s0."person_id"', 's1."u" >= s0."person_id"'),
    "LATERAL, of more rows": Planted(LATERAL, "GREATEST(COUNT(*), 0), 20", "GREATEST(COUNT(*), 0), 21"),
    "first groups, ranked for all": Planted(FIRST_GROUPS, 'PARTITION BY u, "c3"', 'PARTITION BY "c0"'),
    "first groups, of several": Planted(FIRST_GROUPS, "GROUP BY u, g0", "GROUP BY g0"),
    "first groups, of more rows": Planted(FIRST_GROUPS, "GREATEST(COUNT(*), 0), 1)", "GREATEST(COUNT(*), 0), 2)"),
    "columns as rows, with keys that nobody wrote": Planted(COLUMNS_AS_ROWS, "k0 = 'sex'", "k0 <> 'city'"),
    "columns as rows, without the limit": Planted(
        COLUMNS_AS_ROWS, "LEAST(CAST(COALESCE(s0, 0) & 2147483647 AS BIGINT), 2)", "CAST(COALESCE(s0, 0) AS BIGINT)"
    ),
    "columns as rows, of a private number": Planted(
        COLUMNS_AS_ROWS, "(SELECT v0.c0 AS c0 FROM (VALUES (CAST(1 AS INT)), (CAST(2 AS INT))) AS v0(c0))",
        '(SELECT s0."age" AS c0 FROM "people" AS s0)',
    ),
    "a mode, of two values each": Planted(
        MODE, '"people" AS s0', '"people" AS s0 JOIN "visits" AS s1 ON s0."person_id" = s1."person_id"', 1
    ),
    "a mode, by a hidden column": Planted(MODE, 's0."city" AS k1', 's0."name" AS k1', 1),
    "a mode, with keys that nobody declared": Planted(MODE, "k0 IN ('F', 'M') AND ", "", 1),
    "a length's place beyond the grid": Planted(LENGTHS, "THEN 57346", "THEN 57347"),
    "a length's place below the grid": Planted(LENGTHS, "THEN -8189", "THEN -9000"),
    "a length that may be NaN": Planted(LENGTHS, "/ CAST('3850.986496' AS DOUBLE)", "/ CAST('0' AS DOUBLE)"),
    "an object's keys, of more": Planted(OBJECT, "WHERE r <= 3", "WHERE r <= 5"),
    "an object's numbers, without the limit": Planted(OBJECT, "LEAST(GREATEST(COUNT(*), 0), 20)", "COUNT(*)"),
    "a set of pairs, without one of the two": Planted(PAIRS, ' AND s0."s" IS NOT NULL', ""),
    "a set of pairs, by one of the two": Planted(PAIRS, "GROUP BY u, v, k0)", "GROUP BY u, k0)", 1),
    "a set of pairs, with keys that nobody declared": Planted(PAIRS, "k0 IN (0, 1, 2)", "TRUE", 1),
    "a set of pairs, of more rows": Planted(PAIRS, "2147483648)", "2147483650)", 2),
    "a set of pairs, with more pairs": Planted(PAIRS, "LIMIT 16777217", "LIMIT 33554432", 2),
}  # fmt: skip


def catalog_of(sql: str) -> Catalog:
    return pair_world.catalog() if sql == PAIRS else world_catalog()


def checked(made: Plan, sql: str) -> None:
    check_plan(made, catalog_of(sql), "duckdb", Accounting.ZCDP)


def with_text(made: Plan, release: int, sql: str) -> Plan:
    each = made.releases[release]
    changed = replace(each, bounded=replace(each.bounded, sql=sql))
    return replace(made, releases=(*made.releases[:release], changed, *made.releases[release + 1 :]))


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_what_is_planted_is_refused(planted: Planted) -> None:
    made = plan(planted.sql, catalog_of(planted.sql))
    checked(made, planted.sql)
    sql = made.releases[planted.release].bounded.sql
    assert planted.old in sql, sql
    with pytest.raises(CheckFault):
        checked(with_text(made, planted.release, sql.replace(planted.old, planted.new, 1)), planted.sql)


@pytest.mark.parametrize("sql", [GROUPS_LOOKED_UP, TWO_KEYS, FIRST_GROUPS, OBJECT])
def test_fewer_keys_than_there_are_is_refused(sql: str) -> None:
    """The noise is for as many keys as are said: saying fewer, or that there is no limit to hold, is found."""
    made = plan(sql, catalog_of(sql))
    (release, *rest) = made.releases
    for bounded in (
        replace(release.bounded, groups=release.bounded.groups - 1),
        replace(release.bounded, limit=Limit.ONE_ROW),
        replace(release.bounded, limit=Limit.KEY_OF_UNIT),
    ):
        with pytest.raises(CheckFault):
            checked(replace(made, releases=(replace(release, bounded=bounded), *rest)), sql)


def test_a_post_statement_reads_no_private_table() -> None:
    made = plan(OBJECT, world_catalog())
    for wrong in (
        made.post.sql.replace(" FROM (SELECT * FROM UNNEST", ' FROM "public"."visits", (SELECT * FROM UNNEST', 1),
        'SELECT JSON_OBJECT_AGG(dept, cost) AS "json_object_agg" FROM "public"."visits"',
    ):
        with pytest.raises(CheckFault):
            checked(replace(made, post=replace(made.post, sql=wrong)), OBJECT)
