"""Private keys of rows of two users, chosen by those of one side: the engine has the same by either form, and the plan
has a release of keys, and one of two users' rows by them."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from complete_engines import COMPLETE
from left_of_pairs import opened
from sqlglot import exp
from stranger_world import POLICY, TABLES, catalog, rows_of
from test_strangers_apart import as_released, resolved, rows_by
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import KeysOfPairs
from dpproxy.plan.private_plan import PrivateKeys
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.statement.keys_chosen import keys_chosen
from dpproxy.rewrite.statement.strangers_apart import strangers_apart

MET = "FROM votes v JOIN posts q ON q.p = v.p"
CHOSEN = (
    f"SELECT v.stars, COUNT(*), AVG(q.score) {MET} GROUP BY v.stars",
    f"SELECT v.stars AS s, COUNT(*) AS n, SUM(q.score) AS t {MET} WHERE q.kind = 1 AND v.stars > 1 GROUP BY v.stars"
    " HAVING COUNT(*) > 0 ORDER BY n DESC, s LIMIT 3",
    f"SELECT u.level, v.stars, COUNT(q.p) {MET} JOIN users u ON u.u = v.voter GROUP BY u.level, v.stars",
    "SELECT v.stars, COUNT(*) FROM posts q, votes v, users u WHERE u.u = v.voter AND q.p = v.p AND u.level > 0"
    " GROUP BY v.stars",
    f"SELECT EXTRACT(year FROM q.made) + 1 AS m, COUNT(*), AVG(v.stars) {MET} GROUP BY EXTRACT(year FROM q.made)",
    f"SELECT CASE WHEN v.stars > 2 THEN v.stars ELSE 0 END AS s, COUNT(*) {MET} GROUP BY 1",
)
LEFT = (
    "SELECT q.kind, COUNT(a.p), AVG(a.score) FROM posts q LEFT JOIN posts a ON a.parent = q.p GROUP BY q.kind",
    "SELECT SUM(v.stars), COUNT(DISTINCT v.v) FROM posts q LEFT JOIN votes v ON v.p = q.p WHERE q.kind = 2",
)
REFUSED = (
    f"SELECT q.score, COUNT(*) {MET} GROUP BY q.score",  # may be NULL
    f"SELECT v.stars + q.kind, COUNT(*) {MET} GROUP BY v.stars + q.kind",  # of both sides
    f"SELECT v.stars, q.kind, COUNT(*) {MET} GROUP BY v.stars, q.kind",
)
OPEN = POLICY.replace(", bounds = [0, 9] }", " }").replace(', bounds = ["2024-01-01", "2024-12-31"]', "")
LISTED = POLICY.replace(", bounds = [0, 9] }", ", values = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }")


@pytest.fixture(scope="module")
def world() -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(TABLES, [rows_of(np.random.default_rng(11))]) as (connection,):
        yield connection


def of_met(tree: exp.Query) -> exp.Query:
    """The tree without keys that nothing met, of which a release tells 0 and noise."""
    made = as_released(tree)
    for join in made.args["joins"]:
        join.set("side", None)
    return made


@pytest.mark.parametrize("sql", CHOSEN)
def test_both_forms_have_the_same_rows(sql: str, world: duckdb.DuckDBPyConnection) -> None:
    tree = resolved(sql)
    before = tree.sql()
    made = keys_chosen(tree, catalog())
    assert made is not tree and tree.sql() == before
    assert rows_by(world, of_met(made)) == rows_by(world, tree) != []


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("sql", CHOSEN)
def test_keys_are_of_one_user_and_rows_of_two(sql: str, dialect: str) -> None:
    made = plan(sql, catalog(OPEN), dialect=dialect)
    check_plan(made, catalog(OPEN), dialect, Accounting.ZCDP)
    keys, rows = (each.bounded for each in made.releases)
    assert keys.pair is None and PrivateKeys in {type(key.domain) for key in keys.keys}
    assert rows.pair == ("user", "user") and PrivateKeys not in {type(key.domain) for key in rows.keys}


@pytest.mark.parametrize("sql", CHOSEN[:4])
def test_public_keys_are_grouped_by_as_ever(sql: str) -> None:
    assert [each.bounded.pair for each in plan(sql, catalog(LISTED)).releases] == [("user", "user")]


@pytest.mark.parametrize("sql", REFUSED)
def test_what_one_side_cannot_choose_is_refused(sql: str) -> None:
    with pytest.raises(KeysOfPairs, match="choose none"):
        plan(sql, catalog(OPEN.replace(", bounds = [-5, 9]", "").replace(", values = [1, 2]", "")))


@pytest.mark.parametrize("sql", LEFT)
def test_a_join_of_which_the_added_alone_is_asked_is_an_inner_one(sql: str, world: duckdb.DuckDBPyConnection) -> None:
    tree = resolved(sql)
    made = strangers_apart(tree, catalog())
    assert made is not tree and not [join for join in made.args["joins"] if join.side]
    assert rows_by(world, made) == rows_by(world, tree)
    assert [each.bounded.pair for each in plan(sql, catalog()).releases] == [("user", "user")]
