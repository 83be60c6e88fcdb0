"""What LEFT JOIN adds of others, and how many each row meets, aggregated apart: the engine has the same by either form,
and the plan is of one user's rows and of two users'."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import duckdb
import numpy as np
import pytest
from complete_engines import COMPLETE
from left_of_pairs import opened
from sqlglot import exp
from stranger_world import TABLES, catalog, rows_of
from worlds import NOW, names_of, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.reading.clock import clock
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.resolve import resolve
from dpproxy.rewrite.statement.strangers_apart import strangers_apart
from dpproxy.rewrite.statement.strangers_counted import strangers_counted

ANSWERS = "FROM posts q LEFT JOIN posts a ON a.parent = q.p"
COUNTED = "(SELECT q.p, q.kind, q.score, COUNT(a.p) AS n, SUM(a.score) AS s {} GROUP BY q.p, q.kind, q.score) AS t"
APART = (
    f"SELECT COUNT(DISTINCT q.p), COUNT(a.p), SUM(a.score), AVG(a.score) {ANSWERS}",
    f"SELECT q.kind, COUNT(DISTINCT q.p) AS n, COUNT(a.p) AS m, AVG(a.score - q.score) {ANSWERS} AND a.kind = 2"
    " WHERE q.made > TIMESTAMP '2024-02-01' GROUP BY q.kind HAVING COUNT(DISTINCT q.p) > 0 ORDER BY n DESC, q.kind",
    f"SELECT k.name, MIN(q.score), COUNT(a.p) FILTER (WHERE a.kind = 2 AND q.score > 0) {ANSWERS}"
    " JOIN kinds k ON k.kind = q.kind GROUP BY k.name",
    f"SELECT COALESCE(q.kind, 0) + 1 AS x, COUNT(DISTINCT q.score), SUM(CASE WHEN a.score > 1 THEN 1 ELSE 0 END),"
    f" COUNT(CASE WHEN a.score > 1 OR a.kind = 1 THEN 1 END) {ANSWERS} GROUP BY COALESCE(q.kind, 0)",
    f"SELECT date_trunc('month', q.made) AS m, COUNT(DISTINCT q.p), COUNT(a.p) {ANSWERS} GROUP BY 1",
    f"SELECT EXTRACT(month FROM q.made) AS m, COUNT(DISTINCT q.p), COUNT(a.p) {ANSWERS} GROUP BY 1 ORDER BY m",
    "SELECT u.level, COUNT(DISTINCT u.u), COUNT(b.u) FROM users u LEFT JOIN users b ON b.boss = u.u GROUP BY u.level",
    "SELECT COUNT(DISTINCT q.p) AS posts, COUNT(v.v) AS votes, SUM(v.stars) FROM posts q LEFT JOIN votes v ON v.p = q.p"
    " AND v.stars > 2",
)
TOTALS = (
    f"SELECT AVG(t.n), SUM(t.n), COUNT(*), AVG(t.score), MAX(t.score) FROM {COUNTED.format(ANSWERS)}",
    f"SELECT t.kind, AVG(t.n) AS a, SUM(t.s), STDDEV(t.score) FROM {COUNTED.format(ANSWERS)} WHERE t.score > -3"
    " GROUP BY t.kind ORDER BY a DESC, t.kind",
    f"SELECT AVG(COALESCE(t.s, 0)), AVG(t.n + COALESCE(t.s, 0)), COUNT(*) FILTER (WHERE t.kind = 1)"
    f" FROM {COUNTED.format(ANSWERS + ' AND a.kind = 2 WHERE q.kind = 1')}",
    f"WITH t AS {COUNTED.format(ANSWERS)[:-5]} SELECT t.kind, AVG(n) FROM t GROUP BY kind",
    "SELECT q.kind, AVG(COALESCE(t.n, 0)), SUM(COALESCE(t.s, 0)), COUNT(*) FROM posts q LEFT JOIN (SELECT v.p, COUNT(*)"
    " AS n, SUM(v.stars) AS s FROM votes v WHERE v.stars > 1 GROUP BY v.p) AS t ON t.p = q.p GROUP BY q.kind",
    "WITH t AS (SELECT v.p, COUNT(*) FILTER (WHERE v.stars > 4) AS up, COUNT(*) FILTER (WHERE v.stars < 3) AS down FROM"
    " votes v GROUP BY v.p) SELECT AVG(COALESCE(t.up, 0) - COALESCE(t.down, 0)), SUM(q.score) FROM posts q"
    " LEFT JOIN t ON t.p = q.p WHERE q.kind = 2",
)
BOTH = "FROM posts q LEFT JOIN posts a ON a.parent = q.p LEFT JOIN votes v ON v.p = q.p AND v.stars > 2"
SEVERAL = (
    f"SELECT q.kind, COUNT(DISTINCT q.p), COUNT(DISTINCT a.p), COUNT(DISTINCT v.v) {BOTH} GROUP BY q.kind",
    f"SELECT COUNT(DISTINCT a.p) FILTER (WHERE a.kind = 2), COUNT(DISTINCT q.score), COUNT(DISTINCT v.v) {BOTH}",
    f"WITH t AS (SELECT q.p, q.kind, q.score, COUNT(DISTINCT a.p) AS n, COUNT(DISTINCT v.v) AS m {BOTH} GROUP BY q.p,"
    " q.kind, q.score) SELECT t.kind, AVG(t.n), AVG(t.m), SUM(t.n + t.m), COUNT(*) FROM t GROUP BY t.kind",
)
BESIDE = "FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) AS n FROM votes v GROUP BY v.p) AS t ON t.p = q.p"
WHOLE = (
    f"SELECT COUNT(DISTINCT q.p), COUNT(a.p), COUNT(DISTINCT v.v) {BOTH}",  # as often as there are votes
    f"SELECT COUNT(DISTINCT q.p), COUNT(DISTINCT a.score), COUNT(DISTINCT v.v) {BOTH}",
    f"SELECT COUNT(*), COUNT(a.p) {ANSWERS}",  # rows that meet none count, too
    f"SELECT COUNT(DISTINCT q.p), COUNT(COALESCE(a.p, 0)) {ANSWERS}",
    f"SELECT COUNT(DISTINCT q.p), AVG(CASE WHEN a.score > 1 THEN 1 ELSE 0 END) {ANSWERS}",
    f"SELECT SUM(q.score), COUNT(a.p) {ANSWERS}",  # as often as there are answers
    f"SELECT a.kind, COUNT(DISTINCT q.p), COUNT(a.p) {ANSWERS} GROUP BY a.kind",
    f"SELECT COUNT(DISTINCT q.p), COUNT(a.p) {ANSWERS} WHERE a.p IS NULL",
    f"SELECT COUNT(DISTINCT q.p), MAX(a.score) {ANSWERS}",
    "SELECT COUNT(DISTINCT q.p), COUNT(a.p) FROM posts q LEFT JOIN posts a ON a.p = q.p",  # of one user
    f"SELECT MAX(t.n), AVG(t.n) FROM {COUNTED.format(ANSWERS)}",
    f"SELECT AVG(t.s) FROM {COUNTED.format(ANSWERS)}",  # of those that have any
    f"SELECT SUM(t.n + t.s) FROM {COUNTED.format(ANSWERS)}",  # of those whose answers have any score
    f"SELECT COUNT(DISTINCT q.p), COUNT(5 BETWEEN a.score AND 3) {ANSWERS}",  # false, not NULL, where none is
    f"SELECT SUM(CASE WHEN t.n = 0 THEN 1 ELSE 0 END) FROM {COUNTED.format(ANSWERS)}",
    f"SELECT t.n, COUNT(*) FROM {COUNTED.format(ANSWERS)} GROUP BY t.n",
    f"SELECT AVG(t.n * t.n) FROM {COUNTED.format(ANSWERS)}",
    f"SELECT AVG(t.n) FROM (SELECT q.kind, COUNT(a.p) AS n {ANSWERS} GROUP BY q.kind) AS t",
    "SELECT AVG(t.n) FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) AS n FROM votes v GROUP BY v.p) AS t ON t.p = q.p",
    # What names a user is there once for each post of theirs.
    "SELECT COUNT(DISTINCT u.u), COUNT(DISTINCT a.p) FROM posts q JOIN users u ON u.u = q.owner LEFT JOIN posts a"
    " ON a.parent = u.u",
    f"SELECT COUNT(DISTINCT q.p), COUNT(DISTINCT a.p) {ANSWERS} JOIN kinds k ON k.kind = k.kind",
    f"SELECT AVG(COALESCE(t.n, 0)) {BESIDE} WHERE t.n > 1",
    f"SELECT AVG(COALESCE(t.n, 0)) {BESIDE} WHERE t.p IS NOT NULL",
    f"SELECT AVG(COALESCE(t.n, 0)), COUNT(t.p) {BESIDE}",
    f"SELECT COALESCE(t.n, 0), AVG(COALESCE(t.n, 0)) {BESIDE} GROUP BY COALESCE(t.n, 0)",
)  # fmt: skip


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """Of rows that are all somebody's."""
    random = np.random.default_rng(7)
    with opened(TABLES, (rows_of(random) for _ in range(3))) as found:
        yield found


def resolved(sql: str) -> exp.Query:
    return resolve(clock(parse_statement(sql), NOW, "UTC"), sql, catalog(), names_of(catalog()), {})


def apart(tree: exp.Query) -> exp.Query:
    return strangers_apart(strangers_counted(tree, catalog()), catalog())


def rows_by(connection: duckdb.DuckDBPyConnection, tree: exp.Query) -> list[tuple[object, ...]]:
    """The rows, with 0 for NULL: a release has a number for each key, and 0 for a sum of nothing."""
    found = connection.execute(tree.sql("duckdb").replace('"public".', "")).fetchall()
    return sorted([tuple(_told(value) for value in row) for row in found], key=str)


def _told(value: object) -> object:
    if value is None or isinstance(value, int | float | Decimal):
        return round(float(value or 0), 6)
    return str(value)


def as_released(tree: exp.Query) -> exp.Query:
    """The tree in which sums of what meets are 0 where nothing is."""
    made = tree.copy()
    for cte in made.find_all(exp.CTE):
        for item in cte.this.expressions if cte.alias.startswith("rows met") else ():
            if isinstance(item.this, exp.Sum):
                item.set("this", exp.Coalesce(this=item.this.copy(), expressions=[exp.Literal.number(0)]))
    return made


@pytest.mark.parametrize("sql", [*APART, *TOTALS, *SEVERAL])
def test_both_forms_have_the_same_rows(sql: str, worlds: list[duckdb.DuckDBPyConnection]) -> None:
    tree = resolved(sql)
    before = tree.sql()
    made = apart(tree)
    assert made is not tree and tree.sql() == before
    for connection in worlds:
        assert rows_by(connection, as_released(made)) == rows_by(connection, tree)


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("sql", [*APART, *TOTALS, *SEVERAL])
def test_they_are_of_one_user_and_of_two(sql: str, dialect: str) -> None:
    made = plan(sql, catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    assert {each.bounded.pair for each in made.releases} == {None, ("user", "user")}


@pytest.mark.parametrize("sql", WHOLE)
def test_what_does_not_follow_is_left(sql: str) -> None:
    tree = resolved(sql)
    assert apart(tree) is tree


def test_what_is_added_and_not_read_is_left_out(worlds: list[duckdb.DuckDBPyConnection]) -> None:
    sql = f"SELECT q.kind, COUNT(DISTINCT q.p) {ANSWERS} GROUP BY q.kind"
    assert [each.bounded.pair for each in plan(sql, catalog()).releases] == [None]
    for connection in worlds:
        assert rows_by(connection, apart(resolved(sql))) == rows_by(connection, resolved(sql))


def test_keys_that_may_be_null_are_grouped_by_themselves() -> None:
    """They are public there, or the statement is refused."""
    with pytest.raises(DPProxyError, match="private keys"):
        plan(f"SELECT q.score, COUNT(DISTINCT q.p), COUNT(a.p) {ANSWERS} GROUP BY q.score", catalog())
