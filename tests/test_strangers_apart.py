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
from sqlglot import exp, parse_one
from stranger_world import TABLES, catalog, rows_of
from worlds import NOW, names_of, plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.reading.clock import clock
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.resolve import resolve
from dpproxy.rewrite.releases.met_counts import is_once
from dpproxy.rewrite.statement.absent_rows import strangers_absent
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
    f"SELECT (q.p + 1) / 4 AS x, COUNT(DISTINCT q.p) AS n, COUNT(a.p) AS m {ANSWERS} GROUP BY (q.p + 1) / 4",
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
VOTED = "SELECT v.p, COUNT(*) AS n, SUM(v.stars) AS s FROM votes v GROUP BY v.p"
SAID = "(SELECT COUNT(*) FROM votes w WHERE w.p = q.p AND w.stars > 2)"
LEVELS = (
    # several that are joined, beside public rows and the row's own user
    f"WITH w AS ({VOTED}), r AS (SELECT a.parent, COUNT(*) FILTER (WHERE a.kind = 2) AS n FROM posts a GROUP BY 1)"
    " SELECT k.name, COUNT(*), COUNT(q.p), AVG(COALESCE(w.n, 0)), SUM(w.s), SUM(r.n), AVG(q.score) FROM posts q"
    " JOIN kinds k ON k.kind = q.kind LEFT JOIN w ON w.p = q.p LEFT JOIN r ON r.parent = q.p GROUP BY k.name",
    f"SELECT u.level, SUM(COALESCE(w.n, 0)) FROM posts q JOIN users u ON u.u = q.owner LEFT JOIN ({VOTED}) AS w"
    " ON w.p = q.p WHERE q.kind = 1 GROUP BY u.level",
    # of groups, and joined to these
    f"WITH t AS (SELECT q.p AS id, q.kind, COUNT(a.p) AS n, COUNT(a.p) FILTER (WHERE a.kind = 2) AS m {ANSWERS}"
    f" GROUP BY q.p, q.kind), w AS ({VOTED}) SELECT t.kind, COUNT(t.id), SUM(t.n), SUM(t.n - t.m),"
    " AVG(COALESCE(w.n, 0)) FROM t LEFT JOIN w ON w.p = t.id GROUP BY t.kind",
    # of which one does not follow, and is not read
    "WITH t AS (SELECT q.p, q.kind, COUNT(DISTINCT a.p) AS n, COUNT(DISTINCT v.v) AS m, SUM(v.stars) AS s FROM posts q"
    " LEFT JOIN posts a ON a.parent = q.p LEFT JOIN votes v ON v.p = q.p GROUP BY q.p, q.kind)"
    " SELECT k.name, COUNT(*), AVG(t.n), SUM(t.m) FROM t JOIN kinds k ON k.kind = t.kind GROUP BY k.name",
    f"WITH t AS (SELECT q.p, (SELECT COUNT(*) FROM posts x WHERE x.owner = q.owner) AS o, {SAID} AS n FROM posts q)"
    " SELECT AVG(t.n), COUNT(*) FROM t",
    # what is computed of it, level by level
    f"WITH w AS ({VOTED}), t AS (SELECT q.p, q.kind, q.score + 1 AS x, COALESCE(w.n, 0) AS n, w.s FROM posts q"
    " LEFT JOIN w ON w.p = q.p WHERE q.score > -4) SELECT k.name, AVG(t.n), SUM(COALESCE(t.s, 0)), AVG(t.x),"
    " COUNT(*) FROM t JOIN kinds k ON k.kind = t.kind WHERE t.x > 0 GROUP BY k.name ORDER BY k.name",
    # public rows beside those that are met, which are chosen from
    "WITH c AS (SELECT a.parent, a.kind, a.score FROM posts a WHERE a.score > -4), r AS (SELECT c.parent, SUM(CASE"
    " WHEN k.name = 'answer' THEN 1 ELSE -1 END) AS net FROM c JOIN kinds k ON k.kind = c.kind WHERE k.kind > 0"
    " GROUP BY c.parent) SELECT q.kind, SUM(COALESCE(r.net, 0)), COUNT(*) FROM posts q LEFT JOIN r ON r.parent = q.p"
    " GROUP BY q.kind",
    # scalar subqueries
    f"SELECT q.kind, COUNT(*), AVG({SAID}) FROM posts q GROUP BY q.kind",
    f"WITH t AS (SELECT q.p, q.kind, {SAID} AS up, (SELECT COALESCE(SUM(a.score), 0) FROM posts a WHERE a.parent = q.p"
    " AND a.kind = 2) AS s FROM posts q WHERE q.score > -4) SELECT k.name, COUNT(*), AVG(t.up), SUM(t.s), AVG(t.s),"
    " SUM(t.up)::numeric / NULLIF(COUNT(*), 0) FROM t JOIN kinds k ON k.kind = t.kind GROUP BY k.name",
    f"SELECT q.kind, RANK() OVER (ORDER BY COUNT(*) DESC, q.kind) AS r, AVG({SAID}), SUM(COUNT(*)) OVER () FROM posts q"
    " GROUP BY q.kind HAVING COUNT(*) > 2 ORDER BY r",
    # of the rows that a condition chooses
    f"SELECT SUM(t.n) FILTER (WHERE t.kind = 1), AVG(t.n) FILTER (WHERE t.score > 0), SUM(CASE WHEN t.kind = 2 THEN t.n"
    f" ELSE 0 END), SUM(CASE WHEN t.score > 1 THEN COALESCE(t.s, 0) END) FROM {COUNTED.format(ANSWERS)}",
)
BOTH = "FROM posts q LEFT JOIN posts a ON a.parent = q.p LEFT JOIN votes v ON v.p = q.p AND v.stars > 2"
SEVERAL = (
    f"SELECT q.kind, COUNT(DISTINCT q.p), COUNT(DISTINCT a.p), COUNT(DISTINCT v.v) {BOTH} GROUP BY q.kind",
    f"SELECT COUNT(DISTINCT a.p) FILTER (WHERE a.kind = 2), COUNT(DISTINCT q.score), COUNT(DISTINCT v.v) {BOTH}",
    f"WITH t AS (SELECT q.p, q.kind, q.score, COUNT(DISTINCT a.p) AS n, COUNT(DISTINCT v.v) AS m {BOTH} GROUP BY q.p,"
    " q.kind, q.score) SELECT t.kind, AVG(t.n), AVG(t.m), SUM(t.n + t.m), COUNT(*) FROM t GROUP BY t.kind",
)
BESIDE = "FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) AS n FROM votes v GROUP BY v.p) AS t ON t.p = q.p"
MET = (
    # of those that meet any, and of those that meet none
    f"SELECT SUM(CASE WHEN t.n = 0 THEN 1 ELSE 0 END), COUNT(*) FILTER (WHERE t.n > 0) FROM {COUNTED.format(ANSWERS)}",
    f"SELECT t.kind, COUNT(*), COUNT(CASE WHEN t.n > 0 THEN 1 END), COUNT(*) FILTER (WHERE t.n >= 1 AND t.score > 0)"
    f" FROM {COUNTED.format(ANSWERS)} WHERE t.score > -4 GROUP BY t.kind",
    f"SELECT COUNT(*), COUNT(t.n), COUNT(t.p), COUNT(*) FILTER (WHERE t.p IS NULL) FROM posts q LEFT JOIN ({VOTED})"
    " AS t ON t.p = q.p",
    "SELECT COUNT(t.up), COUNT(*) FILTER (WHERE COALESCE(t.up, 0) > 0), COUNT(*) FILTER (WHERE t.up IS NULL), COUNT(*)"
    " FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) FILTER (WHERE v.stars > 4) AS up FROM votes v GROUP BY v.p) AS t"
    " ON t.p = q.p",
    f"SELECT q.kind, COUNT(*) FILTER (WHERE {SAID} = 0), COUNT(*) FILTER (WHERE {SAID} > 0) FROM posts q GROUP BY 1",
    "SELECT COUNT(*), COUNT(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM posts a WHERE a.parent = q.p AND a.kind = 2)),"
    " COUNT(*) FILTER (WHERE EXISTS (SELECT 1 FROM votes v WHERE v.p = q.p) AND q.kind = 1) FROM posts q",
    "SELECT COUNT(*) FROM posts q WHERE q.kind = 1 AND NOT EXISTS (SELECT 1 FROM posts a WHERE a.parent = q.p)",
    "SELECT q.kind, COUNT(*), COUNT(q.p) FROM posts q LEFT JOIN posts a ON a.parent = q.p AND a.kind = 2"
    " WHERE a.p IS NULL GROUP BY q.kind",
    "SELECT COUNT(c.p), COUNT(*) FROM posts q LEFT JOIN (SELECT DISTINCT v.p FROM votes v WHERE v.stars > 3) AS c"
    " ON c.p = q.p WHERE q.score > 0",
    f"SELECT AVG(COALESCE(t.n, 0)), COUNT(t.p) {BESIDE}",
    # what they hold
    f"SELECT q.kind, AVG(q.score) FILTER (WHERE {SAID} > 0 AND q.p > 1), SUM(q.score) FILTER (WHERE {SAID} = 0),"
    f" COUNT(q.score) FILTER (WHERE {SAID} = 0), AVG(q.score) FROM posts q GROUP BY q.kind",
    "SELECT AVG(q.score), SUM(q.score + 1), COUNT(*) FROM posts q LEFT JOIN posts a ON a.parent = q.p"
    " AND a.kind = 2 WHERE a.p IS NULL",
)
ALONE = (
    "SELECT COUNT(*) FROM posts q WHERE EXISTS (SELECT 1 FROM posts a WHERE a.parent = q.p)",
    "SELECT COUNT(*) FROM posts q WHERE q.p IN (SELECT a.parent FROM posts a WHERE a.kind = 2) AND q.score > -4",
    f"SELECT SUM(t.n), COUNT(*), AVG(t.n) FROM posts q JOIN ({VOTED}) AS t ON t.p = q.p",
    f"SELECT AVG(COALESCE(t.n, 0)) {BESIDE} WHERE t.p IS NOT NULL",
    "SELECT COUNT(*), SUM(q.score), AVG(q.score * 2) FROM posts q WHERE q.kind = 1 AND EXISTS (SELECT 1 FROM posts a"
    " WHERE a.parent = q.p)",
    f"SELECT SUM(q.score), SUM(t.n), COUNT(q.score) FROM posts q JOIN ({VOTED}) AS t ON t.p = q.p",
)
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
    f"SELECT t.n, COUNT(*) FROM {COUNTED.format(ANSWERS)} GROUP BY t.n",
    f"SELECT AVG(t.n * t.n) FROM {COUNTED.format(ANSWERS)}",
    f"SELECT AVG(t.n) FROM (SELECT q.kind, COUNT(a.p) AS n {ANSWERS} GROUP BY q.kind) AS t",
    "SELECT AVG(t.n) FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) AS n FROM votes v GROUP BY v.p) AS t ON t.p = q.p",
    f"SELECT SUM(t.n) FROM posts q LEFT JOIN ({VOTED} HAVING COUNT(*) > 1) AS t ON t.p = q.p",
    f"SELECT SUM(t.n) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p WHERE t.n > 1",
    f"SELECT SUM(t.n) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p AND t.n > 1",
    f"SELECT SUM(t.n) FROM posts q JOIN votes m ON m.p = q.p LEFT JOIN ({VOTED}) AS t ON t.p = q.p",  # as often
    "SELECT SUM(t.n) FROM posts q LEFT JOIN (SELECT v.p % 3 AS p, COUNT(*) AS n FROM votes v GROUP BY 1) AS t"
    " ON t.p = q.p",
    "SELECT SUM(t.n), AVG(t.d) FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) AS n, COUNT(DISTINCT v.voter) AS d"
    " FROM votes v GROUP BY v.p) AS t ON t.p = q.p",
    f"SELECT SUM(t.n) FILTER (WHERE t.n > 1) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p",
    f"SELECT AVG(CASE WHEN q.kind = 1 THEN t.n END) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p",
    f"SELECT SUM(CASE WHEN q.kind = 1 THEN t.n ELSE 1 END) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p",
    f"SELECT SUM(COALESCE(t.n - t.s, 0)) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p",
    "SELECT SUM(t.n) FROM posts q LEFT JOIN (SELECT v.p, COUNT(*) AS n FROM votes v LEFT JOIN kinds k"
    " ON k.kind = v.stars WHERE k.name IS NULL GROUP BY v.p) AS t ON t.p = q.p",
    f"SELECT SUM({SAID}), (SELECT COUNT(*) FROM kinds) FROM posts q",
    "SELECT SUM(t.s) FROM (SELECT q.p, COUNT(DISTINCT a.p) AS n, SUM(v.stars) AS s FROM posts q LEFT JOIN posts a"
    " ON a.parent = q.p LEFT JOIN votes v ON v.p = q.p GROUP BY q.p) AS t",  # as often as there are answers
    f"SELECT MAX({SAID}) FROM posts q",
    f"SELECT COUNT(*) FILTER (WHERE {SAID} = 1) FROM posts q",
    f"SELECT COUNT(*) FILTER (WHERE t.s > 0) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p",
    f"SELECT COUNT(*) FILTER (WHERE t.n = 0) FROM posts q LEFT JOIN ({VOTED}) AS t ON t.p = q.p",  # NULL of none
    f"SELECT MIN(q.score) FILTER (WHERE {SAID} > 0) FROM posts q",
    f"SELECT SUM(DISTINCT q.score) FILTER (WHERE {SAID} > 0) FROM posts q",
    f"SELECT COUNT(*) FILTER (WHERE {SAID} > 0 OR q.kind = 1) FROM posts q",
    f"SELECT q.p, COUNT(*) FILTER (WHERE {SAID} > 0) FROM posts q GROUP BY q.p",  # groups of one row
    "SELECT COUNT(*) FROM posts q WHERE EXISTS (SELECT 1 FROM posts a WHERE a.owner = q.owner)",  # of one user
    "SELECT COUNT(*) FROM posts q WHERE EXISTS (SELECT 1 FROM posts a WHERE a.parent = q.p)"
    " AND EXISTS (SELECT 1 FROM votes v WHERE v.p = q.p)",
    "SELECT SUM((SELECT COUNT(DISTINCT w.voter) FROM votes w WHERE w.p = q.p)) FROM posts q",
    "SELECT SUM((SELECT COUNT(*) FROM votes w WHERE w.p > q.p)) FROM posts q",
    "SELECT SUM((SELECT COUNT(*) FROM posts w WHERE w.owner = q.owner)) FROM posts q",  # of one user
    f"SELECT SUM({SAID}) OVER () FROM posts q",
    # What names a user is there once for each post of theirs.
    "SELECT COUNT(DISTINCT u.u), COUNT(DISTINCT a.p) FROM posts q JOIN users u ON u.u = q.owner LEFT JOIN posts a"
    " ON a.parent = u.u",
    f"SELECT COUNT(DISTINCT q.p), COUNT(DISTINCT a.p) {ANSWERS} JOIN kinds k ON k.kind = k.kind",
    f"SELECT AVG(COALESCE(t.n, 0)) {BESIDE} WHERE t.n > 1",
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
    return strangers_apart(strangers_counted(strangers_absent(tree, catalog()), catalog()), catalog())


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


def with_each_once(tree: exp.Query) -> exp.Query:
    """The tree where what counts once for each row is written as DuckDB has it: keys are far apart."""
    made = tree.copy()
    for node in list(made.find_all(exp.Anonymous)):
        if is_once(node):
            call, (value, key) = node.parent, node.expressions
            assert call is not None
            place = call.parent if isinstance(call.parent, exp.Filter) else call
            where = "" if place is call else place.sql("duckdb").partition(" FILTER")[2]
            where = f" FILTER{where}" if where else ""
            there = f"CASE WHEN {value.sql('duckdb')} IS NOT NULL THEN {key.sql('duckdb')} END"
            count = f"COUNT(DISTINCT {there}){where}"
            moved = f"SUM(DISTINCT {value.sql('duckdb')} + 1000000 * {key.sql('duckdb')}){where}"
            total = f"({moved} - 1000000 * SUM(DISTINCT {there}){where})"
            told = {exp.Count: count, exp.Sum: total, exp.Avg: f"({total} / {count})"}[type(call)]
            place.replace(parse_one(told, dialect="duckdb"))
    return made


@pytest.mark.parametrize("sql", [*APART, *TOTALS, *LEVELS, *SEVERAL, *MET, *ALONE])
def test_both_forms_have_the_same_rows(sql: str, worlds: list[duckdb.DuckDBPyConnection]) -> None:
    tree = resolved(sql)
    before = tree.sql()
    made = apart(tree)
    assert made is not tree and tree.sql() == before
    for connection in worlds:
        assert rows_by(connection, with_each_once(as_released(made))) == rows_by(connection, tree)


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("sql", [*APART, *TOTALS, *LEVELS, *SEVERAL, *MET, *ALONE])
def test_they_are_of_one_user_and_of_two(sql: str, dialect: str) -> None:
    made = plan(sql, catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    assert {each.bounded.pair for each in made.releases} == {("user", "user"), *((None,) if sql not in ALONE else ())}
    assert (sql in MET + ALONE) == any(each.bounded.met is not None for each in made.releases)


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
