"""What LEFT JOIN adds to each row once, by a key of several columns: the engine has the same by either form, and the
plan is of one user's rows and of two users'."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from complete_engines import COMPLETE
from sqlglot import exp
from stranger_world import catalog, create, rows_of
from test_strangers_apart import apart, as_released, resolved, rows_by
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.statement.inlined import inlined
from dpproxy.rewrite.statement.met_exists import strangers_exist
from dpproxy.rewrite.statement.met_never import strangers_never_met
from dpproxy.rewrite.statement.met_once import strangers_met_once
from dpproxy.rewrite.statement.met_surely import strangers_surely_met

BACK = "FROM lines s LEFT JOIN refunds r ON r.bill = s.bill AND r.item = s.item"
PARENT = "FROM posts q LEFT JOIN posts a ON a.p = q.parent AND a.kind = 1"
ONCE = (
    f"SELECT SUM(s.paid), COUNT(*), COUNT(r.bill), SUM(COALESCE(r.amount, 0)), SUM(r.amount), AVG(s.paid) {BACK}",
    f"SELECT s.kind, SUM(s.paid - COALESCE(r.amount, 0)) AS net, AVG(s.paid - COALESCE(r.amount, 0)) {BACK}"
    " WHERE s.paid > 3 GROUP BY s.kind HAVING COUNT(*) > 0 ORDER BY net DESC",
    f"SELECT SUM(CASE WHEN s.kind = 1 THEN s.paid - COALESCE(r.amount, 0) ELSE 0 END) AS one,"
    f" SUM(CASE WHEN s.kind = 2 THEN 2 * (s.paid - COALESCE(r.amount, 0)) END) AS two {BACK}",
    f"SELECT SUM(s.paid + COALESCE(r.amount, 0) + 1), SUM(COALESCE(r.amount, 0) * s.kind - s.paid),"
    f" COUNT(s.paid - COALESCE(r.amount, 0)), SUM(s.paid - s.kind * (s.paid - COALESCE(r.amount, 0))) {BACK}",
    f"SELECT SUM(CASE WHEN r.amount IS NOT NULL THEN 0 ELSE 1 END), SUM(CASE WHEN COALESCE(r.amount, 0) > 0 THEN 1"
    f" ELSE 0 END), COUNT(CASE WHEN COALESCE(r.amount, 0) > 5 THEN 1 END), AVG(COALESCE(r.amount, 0)),"
    f" SUM(COALESCE(r.amount, 7)), COUNT(COALESCE(r.amount, 7)) {BACK}",
    f"SELECT SUM(s.paid - COALESCE(r.amount, 0)) FILTER (WHERE s.kind = 1), COUNT(*) FILTER (WHERE s.kind = 2) {BACK}",
    f"SELECT k.name, SUM(s.paid), SUM(COALESCE(r.amount, 0)) {BACK} JOIN kinds k ON k.kind >= s.kind GROUP BY k.name",
    f"SELECT s.kind, k.name, COUNT(*), SUM(r.amount) {BACK} JOIN kinds k ON k.kind >= s.kind GROUP BY s.kind, k.name",
    f"SELECT s.kind, SUM(r.amount) AS x, RANK() OVER (ORDER BY SUM(s.paid) DESC) AS rk, SUM(SUM(s.paid)) OVER () AS a"
    f" {BACK} GROUP BY s.kind ORDER BY rk",
    f"SELECT t.kind, SUM(t.paid) AS g, SUM(t.paid - t.back) AS n FROM (SELECT s.kind, s.paid, COALESCE(r.amount, 0) AS"
    f" back {BACK}) AS t GROUP BY t.kind",
    f"SELECT COUNT(*), SUM(q.score), COUNT(a.p), AVG(q.score - COALESCE(a.score, 0)) {PARENT}",
    "SELECT SUM(s.paid), SUM(COALESCE(r.amount, 0)), COUNT(f.bill) FROM lines s LEFT JOIN refunds r ON r.bill = s.bill"
    " AND r.item = s.item LEFT JOIN refunds f ON f.item = s.item AND f.bill = s.kind AND f.why = 1",
)  # fmt: skip
SAME = "(SELECT 1 FROM refunds r WHERE r.bill = s.bill AND s.item = r.item"
NONE = f"{BACK} WHERE r.bill IS NULL"
NEVER = (
    f"SELECT COUNT(*), SUM(s.paid), COUNT(s.paid), AVG(s.paid) {NONE}",
    f"SELECT s.kind, COUNT(*) AS n, COUNT(*) FILTER (WHERE s.paid > 9) AS m {NONE} AND s.paid > 1 GROUP BY s.kind"
    " ORDER BY n DESC",
    "SELECT COUNT(*), SUM(s.paid) FROM lines s LEFT JOIN refunds r ON r.bill = s.bill AND r.item = s.item AND r.why = 2"
    " WHERE r.item IS NULL",
    f"SELECT s.kind, COUNT(*), AVG(s.paid) FROM lines s WHERE s.paid > 1 AND NOT EXISTS {SAME}) GROUP BY s.kind",
    f"SELECT COUNT(s.paid) AS n FROM lines s WHERE NOT EXISTS {SAME} AND r.amount + s.paid > 20)",
)
MET = (
    f"SELECT s.kind, COUNT(*), SUM(s.paid) FROM lines s WHERE s.paid > 1 AND EXISTS {SAME} AND r.why < 3) GROUP BY"
    " s.kind",
    f"SELECT AVG(s.paid - r.amount), COUNT(*) {BACK} WHERE r.amount > 3",
    f"SELECT r.why, SUM(s.paid), COUNT(r.amount) {BACK} JOIN kinds k ON k.kind = r.why GROUP BY r.why",
)  # fmt: skip
WHOLE = (
    "SELECT SUM(s.paid), COUNT(r.bill) FROM lines s LEFT JOIN refunds r ON r.bill = s.bill",  # of several items
    f"SELECT SUM(s.paid * r.amount), MAX(s.paid + COALESCE(r.amount, 0)) {BACK}",
    f"SELECT SUM(s.paid / (1 + COALESCE(r.amount, 0))) {BACK}",
    f"SELECT SUM(COALESCE(r.amount, s.paid)) {BACK}",
    f"SELECT MIN(s.paid) {NONE}",
    f"SELECT COUNT(*), COUNT(r.amount) {NONE}",
    f"SELECT COUNT(*) {BACK} WHERE r.amount IS NULL",  # of those whose amount is, too
    f"SELECT COUNT(*) {BACK} WHERE r.bill IS NULL OR s.paid > 3",
    "SELECT COUNT(*) FROM lines s WHERE EXISTS (SELECT 1 FROM refunds r WHERE r.bill = s.bill)",  # of several items
    f"SELECT COUNT(DISTINCT s.kind) FROM lines s WHERE EXISTS {SAME})",
    f"SELECT COUNT(*) FROM lines s WHERE EXISTS {SAME} LIMIT 0)",
    f"SELECT COUNT(*) FROM lines s WHERE EXISTS (SELECT COUNT(*) {SAME[10:]})",  # which always is there
    f"SELECT COUNT(*) FROM lines s WHERE EXISTS {SAME}) OR s.paid > 3",
)  # fmt: skip


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """Of rows that are all somebody's."""
    random, found = np.random.default_rng(11), []
    for _ in range(3):
        connection = duckdb.connect()
        create(connection)
        for table, rows in rows_of(random).items():
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        found.append(connection)
    yield found
    for connection in found:
        connection.close()


def split(tree: exp.Query) -> exp.Query:
    for each in (strangers_exist, strangers_surely_met, strangers_never_met, strangers_met_once):
        tree = each(tree, catalog())
    return apart(tree)


@pytest.mark.parametrize("sql", [*ONCE, *NEVER, *MET])
def test_both_forms_have_the_same_rows(sql: str, worlds: list[duckdb.DuckDBPyConnection]) -> None:
    tree = resolved(sql)
    before = tree.sql()
    made = split(inlined(tree, catalog()))
    assert made.sql() != before == tree.sql()
    for connection in worlds:
        assert rows_by(connection, as_released(made)) == rows_by(connection, tree)


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("sql", [*ONCE, *NEVER])
def test_they_are_of_one_user_and_of_two(sql: str, dialect: str) -> None:
    made = plan(sql, catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    assert {each.bounded.pair for each in made.releases} == {None, ("user", "user")}


@pytest.mark.parametrize("sql", WHOLE)
def test_what_does_not_follow_is_left(sql: str) -> None:
    tree = resolved(sql)
    assert split(tree) is tree


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("sql", MET)
def test_what_surely_meets_is_of_two_users(sql: str, dialect: str) -> None:
    made = plan(sql, catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    assert {each.bounded.pair for each in made.releases} == {("user", "user")}
