"""Rows of two units of one kind by a key: all of the work is counted as one unit's, and no more rows than there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from left_of_pairs import opened
from stranger_world import TABLES, catalog, rows_of
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.errors import NotPrivate
from dpproxy.plan.timing import MARGIN, Speed, schedule
from dpproxy.plan.work import Work

ANSWERS = "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p"
JOINS = {
    ANSWERS: "posts q JOIN posts a ON a.parent = q.p",
    "SELECT count(*) FROM posts q JOIN votes v ON v.p = q.p": "posts q JOIN votes v ON v.p = q.p",
    "SELECT count(*) FROM users e JOIN users b ON e.boss = b.u": "users e JOIN users b ON e.boss = b.u",
    "SELECT count(*) FROM lines s JOIN refunds r USING (bill, item)": "lines s JOIN refunds r USING (bill, item)",
}


def with_rows(most: int) -> Catalog:
    """The policy where no table has more rows."""
    found = {name: replace(table, max_rows=most) for name, table in catalog().tables.items()}
    return replace(catalog(), tables=found)


def work(sql: str, most: int) -> Work:
    return plan(sql, with_rows(most)).work


@pytest.mark.parametrize("sql", JOINS)
def test_it_is_all_of_the_work(sql: str) -> None:
    made = work(sql, 1000)
    assert made.operations == made.whole > 0
    assert made.scans == 1 and made.fanout == 1
    assert made.rows == 1000, "each row of the one side meets one of the other at most"
    assert work(sql, 10_000).whole < 11 * made.whole, "so that it grows as the tables do"


@pytest.mark.parametrize("sql", JOINS)
def test_there_are_no_more_rows(sql: str) -> None:
    random = np.random.default_rng(4)
    for _ in range(5):
        world = rows_of(random)
        with opened(TABLES, [world]) as (connection,):
            found = connection.execute(f"SELECT count(*) FROM {JOINS[sql]}").fetchone()
        assert found is not None and found[0] <= work(sql, max(map(len, world.values()))).rows


def test_public_rows_multiply_as_ever() -> None:
    many = [f"(SELECT n FROM generate_series(1, 900) AS {name}(n)) AS {name}" for name in "xy"]
    with pytest.raises(NotPrivate, match="one private row could meet 810,000 public rows"):
        plan(f"{ANSWERS} CROSS JOIN {many[0]} CROSS JOIN {many[1]}", catalog())


def test_it_is_answered_where_all_of_it_is_done_in_time() -> None:
    """And refused, uncharged, where it could come near the limit: whoever is there."""
    made = plan(ANSWERS, catalog())
    assert made.time is not None
    timed = schedule(made.time, made.work, Speed(60, 5e-8), "user")
    assert (timed.unit, timed.least) == (0, made.work.whole * 5e-8 * MARGIN), "no noise: it is done within the limit"
    far = plan(ANSWERS, with_rows(10**9))
    assert far.time is not None
    with pytest.raises(NotPrivate, match="would tell of one user"):
        schedule(far.time, far.work, Speed(60, 5e-8), "user")


def test_rows_of_more_than_the_key_allows_are_counted() -> None:
    """Each row of the one side meets many of a third table: all of them count."""
    made = work("SELECT count(*) FROM posts q JOIN votes v ON v.p = q.p JOIN votes w ON w.voter = v.voter", 1000)
    assert made.rows >= 1000**2
