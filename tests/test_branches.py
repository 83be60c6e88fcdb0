"""Branches of FROM that are aggregated by themselves: the engine has the same rows by either form."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from sqlglot import exp
from worlds import NOW, make_world, names_of, plan, uncapped, world_catalog

from dpproxy.errors import BoundsRequired
from dpproxy.rewrite.reading.clock import clock
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.resolve import resolve
from dpproxy.rewrite.statement.branches import branches_aggregated
from dpproxy.rewrite.statement.row_totals import totals_by_row

PEOPLE = "FROM people p LEFT JOIN visits v ON v.person_id = p.person_id LEFT JOIN visits w ON w.person_id = p.person_id"
APART = (
    f"SELECT p.person_id, COUNT(DISTINCT v.day), COUNT(DISTINCT w.dept) {PEOPLE} GROUP BY p.person_id",
    f"SELECT p.person_id, COUNT(*), COUNT(v.day), COUNT(1), COUNT(p.city), SUM(p.age) {PEOPLE} GROUP BY p.person_id",
    f"SELECT p.person_id, SUM(v.visit_id), SUM(CASE WHEN w.dept = 'neuro' THEN 1 ELSE 0 END) AS n,"
    f" SUM(w.visit_id) FILTER (WHERE w.dept = 'cardio') {PEOPLE} AND w.cost > 100 GROUP BY p.person_id",
    f"SELECT p.person_id, COUNT(COALESCE(v.dept, '')), MIN(v.day), MAX(w.cost), AVG(v.visit_id), COUNT(*) + 1"
    f" {PEOPLE} GROUP BY p.person_id HAVING COUNT(*) > 3 AND MAX(v.cost) > 50",
    f"SELECT p.person_id, p.city, BOOL_OR(v.dept = 'neuro'), BOOL_AND(w.cost > 30), SUM(DISTINCT v.visit_id)"
    f" {PEOPLE} WHERE p.age > 30 GROUP BY p.person_id, p.city ORDER BY COUNT(*), p.person_id",
    f"SELECT p.person_id, COUNT(*) {PEOPLE} WHERE w.person_id IS NULL OR w.day > p.joined GROUP BY p.person_id",
    f"SELECT p.person_id, COUNT(*) {PEOPLE} WHERE v.dept = 'ortho' AND w.cost < 200 GROUP BY p.person_id",
    "SELECT p.person_id, COUNT(*), SUM(v.visit_id) FROM people p JOIN visits v ON v.person_id = p.person_id AND"
    " v.day > p.joined CROSS JOIN nation n JOIN visits w ON w.person_id = p.person_id GROUP BY p.person_id",
    "SELECT p.person_id, COUNT(DISTINCT v.day), COUNT(*) FROM people p, visits v, visits w, departments d WHERE"
    " v.person_id = p.person_id AND p.person_id = w.person_id AND w.dept = d.dept GROUP BY p.person_id",
    "SELECT c.custkey, n.nation, COUNT(DISTINCT o.orderkey), SUM(x.orderkey), COUNT(*) FROM customer c JOIN nation n ON"
    " n.nationkey = c.nationkey AND n.nation <> 'CHINA' LEFT JOIN orders o ON o.custkey = c.custkey LEFT JOIN orders x"
    " ON x.custkey = c.custkey AND x.priority = '5-LOW' GROUP BY c.custkey, n.nation",
    "SELECT c.custkey, COUNT(*), SUM(l.price), COUNT(x.orderkey) FROM customer c LEFT JOIN orders o ON o.custkey ="
    " c.custkey LEFT JOIN lineitem l ON l.orderkey = o.orderkey LEFT JOIN orders x ON x.custkey = c.custkey AND"
    " x.orderkey < 300 GROUP BY c.custkey",
    "SELECT o.orderkey, COUNT(DISTINCT l.linenumber), SUM(m.quantity) FROM orders o LEFT JOIN lineitem l ON"
    " l.orderkey = o.orderkey LEFT JOIN lineitem m ON m.orderkey = o.orderkey WHERE o.custkey IS NOT NULL"
    " GROUP BY o.orderkey",
    "WITH late AS (SELECT person_id, day FROM visits WHERE day > DATE '2025-01-01') SELECT p.person_id, COUNT(l.day),"
    " SUM(t.n) FROM people p LEFT JOIN late l ON l.person_id = p.person_id LEFT JOIN (SELECT person_id, dept, COUNT(*)"
    " AS n FROM visits GROUP BY person_id, dept) AS t ON t.person_id = p.person_id GROUP BY p.person_id",
)
TOGETHER = (
    f"SELECT p.person_id, SUM(v.visit_id + w.visit_id) {PEOPLE} GROUP BY p.person_id",  # of two branches
    f"SELECT p.person_id, COUNT(*) {PEOPLE} AND w.day > v.day GROUP BY p.person_id",  # a condition of both
    f"SELECT p.city, COUNT(*) {PEOPLE} GROUP BY p.city",  # a group is not one row of people
    f"SELECT p.person_id, v.dept, COUNT(*) {PEOPLE} GROUP BY p.person_id, v.dept",  # and is one of visits
    f"SELECT p.person_id, STDDEV(v.cost) {PEOPLE} GROUP BY p.person_id",  # of rows that are there as often
    f"SELECT p.person_id, COUNT(*) {PEOPLE} GROUP BY ROLLUP (p.person_id)",
    "SELECT p.person_id, COUNT(*) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id RIGHT JOIN visits w ON"
    " w.person_id = p.person_id GROUP BY p.person_id",
    "SELECT c.custkey, n.nation, COUNT(*) FROM customer c JOIN nation n ON n.nationkey > c.nationkey JOIN orders o ON"
    " o.custkey = c.custkey JOIN orders x ON x.custkey = c.custkey GROUP BY c.custkey, n.nation",  # several nations
)

BUYERS = "FROM customer c LEFT JOIN orders o ON o.custkey = c.custkey LEFT JOIN orders x ON c.custkey = x.custkey"
TOTALS = (
    f"SELECT p.city, COUNT(*), COUNT(v.day), MIN(v.day), MAX(w.cost), COUNT(1) {PEOPLE} GROUP BY p.city",
    f"SELECT COUNT(*), COUNT(DISTINCT p.person_id), BOOL_OR(v.dept = 'neuro'), BOOL_AND(w.cost > 3) {PEOPLE}",
    f"SELECT COUNT(*) AS n, COUNT(v.day), MAX(v.day) {PEOPLE} WHERE p.age < 0",  # of no rows
    f"SELECT p.city, p.sex AS s, COUNT(*) FILTER (WHERE v.cost > 30), MIN(p.age), COUNT(DISTINCT p.age) {PEOPLE}"
    " WHERE w.dept = 'neuro' GROUP BY p.sex, p.city HAVING COUNT(*) > 3 ORDER BY COUNT(w.day) DESC, p.city, s",
    f"SELECT c.segment, COUNT(DISTINCT o.orderkey), COUNT(DISTINCT x.orderkey) FILTER (WHERE x.priority = '5-LOW'),"
    f" COUNT(DISTINCT c.custkey) + 1 {BUYERS} AND x.orderkey < 300 GROUP BY c.segment",
    f"SELECT n.nation, COUNT(DISTINCT o.orderkey), RANK() OVER (ORDER BY COUNT(x.orderkey)) {BUYERS} JOIN nation n ON"
    " n.nationkey = c.nationkey GROUP BY n.nation",
    "SELECT c.nationkey, COUNT(DISTINCT o.orderkey), COUNT(l.price) FROM customer c JOIN orders x ON x.custkey ="
    " c.custkey, orders o LEFT JOIN lineitem l ON l.orderkey = o.orderkey WHERE o.custkey = c.custkey"
    " GROUP BY c.nationkey",
    "SELECT o.priority, COUNT(m.flag), COUNT(*) FROM orders o LEFT JOIN lineitem l ON l.orderkey ="
    " o.orderkey LEFT JOIN lineitem m ON m.orderkey = o.orderkey WHERE o.custkey > 0 GROUP BY o.priority,"
    " o.orderkey > 300",
)
WHOLE = (
    f"SELECT p.city, SUM(v.cost) {PEOPLE} GROUP BY p.city",
    f"SELECT p.city, AVG(v.cost) {PEOPLE} GROUP BY p.city",
    f"SELECT p.city, COUNT(DISTINCT v.day) {PEOPLE} GROUP BY p.city",  # others have these days, too
    f"SELECT c.segment, COUNT(DISTINCT o.orderkey), COUNT(DISTINCT x.priority) {BUYERS} GROUP BY c.segment",
    f"SELECT c.segment, COUNT(DISTINCT y.orderkey) {BUYERS} LEFT JOIN orders y ON y.orderdate = x.orderdate"
    " GROUP BY c.segment",  # an order of that day is met by several
    f"SELECT v.dept, COUNT(*) {PEOPLE} GROUP BY v.dept",
    f"SELECT p.person_id, COUNT(*) {PEOPLE} GROUP BY p.person_id",  # by row already
    "SELECT p.city, COUNT(*) FROM people p LEFT JOIN visits v ON v.person_id = p.person_id GROUP BY p.city",
)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> duckdb.DuckDBPyConnection:
    path = make_world(tmp_path_factory.mktemp("world"))
    return duckdb.connect(str(Path(path).with_name("world.duckdb")), read_only=True)


def resolved(sql: str) -> exp.Query:
    catalog = world_catalog()
    return resolve(clock(parse_statement(sql), NOW, "UTC"), sql, catalog, names_of(catalog), {})


def rows(engine: duckdb.DuckDBPyConnection, tree: exp.Query) -> list[str]:
    """What the engine has for it; schema public is its main one."""
    text = tree.sql(dialect="duckdb").replace('"public".', "")
    return sorted(map(repr, engine.execute(text).fetchall()))


@pytest.mark.parametrize("sql", APART)
def test_the_rows_are_the_same(engine: duckdb.DuckDBPyConnection, sql: str) -> None:
    tree = resolved(sql)
    made = branches_aggregated(tree, world_catalog())
    assert made is not tree
    assert tree == resolved(sql)
    assert (found := rows(engine, made)) == rows(engine, tree)
    assert len(found) > 10


@pytest.mark.parametrize("sql", APART)
def test_no_join_multiplies_branches(sql: str) -> None:
    made = branches_aggregated(resolved(sql), world_catalog())
    assert sum(join.this.alias.startswith("dpproxy branch") for join in made.find_all(exp.Join)) >= 2
    assert branches_aggregated(made, world_catalog()) is made


@pytest.mark.parametrize("sql", TOGETHER)
def test_what_reads_two_branches_keeps_its_joins(sql: str) -> None:
    tree = resolved(sql)
    assert branches_aggregated(tree, world_catalog()) is tree


@pytest.mark.parametrize("sql", TOTALS)
def test_totals_are_the_same_by_row(engine: duckdb.DuckDBPyConnection, sql: str) -> None:
    tree = resolved(sql)
    made = totals_by_row(tree, world_catalog())
    assert made is not tree
    assert tree == resolved(sql)
    assert rows(engine, made) == rows(engine, tree)
    assert rows(engine, branches_aggregated(made, world_catalog())) == rows(engine, tree)
    assert made.named_selects == tree.named_selects
    assert totals_by_row(made, world_catalog()) is made


@pytest.mark.parametrize("sql", WHOLE)
def test_other_totals_stay(sql: str) -> None:
    tree = resolved(sql)
    assert totals_by_row(tree, world_catalog()) is tree


def test_sums_that_no_double_holds_are_refused_in_words() -> None:
    """As many rows as nobody capped, of values near the largest double."""
    large = "exp(CASE WHEN v.cost > 350 THEN 700 ELSE v.cost END)"
    sql = f"SELECT avg(t.s) FROM (SELECT person_id, sum({large}) AS s FROM visits v GROUP BY person_id) AS t"
    with pytest.raises(BoundsRequired, match="double precision"):
        plan(sql, uncapped(world_catalog()))
