"""Sources of which nothing is read are asked for by EXISTS: the engine has the same rows by either form."""

from __future__ import annotations

import pytest
from sqlglot import exp
from test_branches import engine, resolved, rows  # noqa: F401 (engine is a fixture)
from worlds import world_catalog

from dpproxy.rewrite.statement.semi_joins import semi_joined

BOTH = "FROM people p JOIN visits v ON v.person_id = p.person_id JOIN visits w ON w.person_id = p.person_id"
UNREAD = (
    f"SELECT count(DISTINCT p.person_id) {BOTH} WHERE v.dept = 'cardio' AND w.cost > 100",
    f"SELECT p.sex, count(DISTINCT p.person_id) {BOTH} WHERE v.dept = 'cardio' AND w.cost > 100 AND p.age > 30"
    " GROUP BY p.sex HAVING max(p.age) > 3 ORDER BY 2",
    f"SELECT DISTINCT p.city, v.dept {BOTH} WHERE w.dept = 'neuro' ORDER BY p.city",
    f"SELECT v.dept, max(v.cost), min(p.age), bool_or(p.smoker) {BOTH} AND w.cost > 50 GROUP BY v.dept",
    "SELECT count(DISTINCT p.person_id) FROM visits v JOIN people p ON p.person_id = v.person_id JOIN visits w ON"
    " w.person_id = p.person_id AND w.day > DATE '2023-01-01' WHERE p.age > 20 AND v.cost < 200",
    "SELECT count(DISTINCT p.person_id) FROM visits v, people p, visits w, departments d WHERE d.dept = w.dept AND"
    " d.beds > 0 AND v.person_id = p.person_id AND w.person_id = p.person_id AND v.cost > 10",
    "SELECT count(DISTINCT v.day) FROM visits v JOIN visits w ON v.person_id = w.person_id WHERE w.dept = 'ortho'",
    "SELECT p.city, count(DISTINCT v.day) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id AND"
    " v.cost > 100 JOIN visits w ON w.person_id = p.person_id GROUP BY p.city",
    "SELECT c.segment, count(DISTINCT c.custkey) FROM customer c JOIN orders o ON o.custkey = c.custkey JOIN lineitem l"
    " ON l.orderkey = o.orderkey AND l.price > 10 JOIN nation n ON n.nationkey = c.nationkey GROUP BY c.segment",
    "WITH late AS (SELECT person_id, day FROM visits WHERE day > DATE '2022-01-01') SELECT count(DISTINCT p.city) FROM"
    " people p JOIN late a ON a.person_id = p.person_id JOIN late b ON b.person_id = p.person_id",
)
KEPT = (
    f"SELECT count(*) {BOTH}",  # how often a row is there is what is asked
    f"SELECT sum(p.age), count(DISTINCT p.person_id) {BOTH}",
    f"SELECT count(DISTINCT p.person_id) {BOTH} WHERE v.cost > w.cost AND v.day = w.day + p.age",  # no column alone
    f"SELECT count(DISTINCT p.person_id), row_number() OVER (ORDER BY max(w.cost)) {BOTH} AND v.cost = p.age + 1",
    f"SELECT DISTINCT p.city, row_number() OVER (ORDER BY p.age) {BOTH}",  # of each row of the join
    f"SELECT DISTINCT ON (p.city) p.city, p.age {BOTH} ORDER BY p.city, v.cost",  # reads v
    f"SELECT p.city, count(DISTINCT p.person_id) {BOTH} GROUP BY ROLLUP (p.city)",
    "SELECT count(DISTINCT p.person_id) FROM people p JOIN visits v ON v.person_id = p.person_id",  # nothing multiplies
    "SELECT count(DISTINCT p.person_id) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id LEFT"
    " JOIN visits w ON w.person_id = p.person_id",
    "SELECT count(DISTINCT w.day) FROM people p JOIN visits v ON v.person_id = p.person_id JOIN visits w ON"
    " w.person_id = v.person_id AND w.cost > p.age",
)


def test_samples_stay_where_they_are() -> None:
    sample = "TABLESAMPLE BERNOULLI (10)"
    sql = f"SELECT count(DISTINCT p.person_id) {BOTH}".replace(
        " p JOIN visits v", f" p {sample} JOIN visits v {sample}"
    )
    tree = resolved(sql.replace("visits w", f"visits w {sample}"))
    assert semi_joined(tree, world_catalog()) is tree


@pytest.mark.parametrize("sql", UNREAD)
def test_the_rows_are_the_same(engine: object, sql: str) -> None:  # noqa: F811
    tree = resolved(sql)
    made = semi_joined(tree, world_catalog())
    assert made is not tree
    assert tree == resolved(sql)
    assert (found := rows(engine, made)) == rows(engine, tree)
    assert found and found != ["(0,)"]


@pytest.mark.parametrize("sql", UNREAD)
def test_what_is_left_multiplies_nothing(sql: str) -> None:
    made = semi_joined(resolved(sql), world_catalog())
    assert made.find(exp.Exists) is not None
    assert semi_joined(made, world_catalog()) is made


@pytest.mark.parametrize("sql", KEPT)
def test_what_is_read_or_counted_keeps_its_joins(sql: str) -> None:
    tree = resolved(sql)
    assert semi_joined(tree, world_catalog()) is tree
