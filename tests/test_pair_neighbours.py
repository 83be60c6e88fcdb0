"""Rows that belong to two units each, on neighbouring databases: whoever leaves, of whatever kind, is in what changes,
and what is left at any clip moves by no more than the clip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import duckdb
import numpy as np
import pytest
from complete_engines import COMPLETE
from lanes import sized
from left_of_pairs import Owned, asked, assert_engines_agree, moved, opened
from pair_world import TABLES, catalog
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.errors import DPProxyError, EngineFailure
from dpproxy.exact_pairs import pairs_by_key
from dpproxy.plan.private_plan import MOST_PAIRS, Bounded
from dpproxy.rewrite.checker import check_plan
from dpproxy.rows import Rows

STATEMENTS = {
    "lines": "SELECT count(*) FROM lineitem",
    "sum": "SELECT sum(amount), avg(amount), count(amount) FROM lineitem WHERE flag = 'A'",
    "supplier's": "SELECT count(*) FROM lineitem l JOIN supplier s ON l.s = s.s WHERE s.nation > 0",
    "public": "SELECT n.name, count(*) FROM lineitem l JOIN supplier s ON l.s = s.s JOIN nation n USING (nation) "
    "GROUP BY n.name",
    "steps": "SELECT sum(ln(amount + 6) * 2), avg(amount * n) FROM lineitem WHERE ln(amount + 6) > 0.5",
    "keys": "SELECT flag, sum(amount) FROM lineitem GROUP BY flag",
    "two tables": "SELECT count(*), sum(c.balance) FROM customer c JOIN supplier s ON c.nation = s.nation",
    "two keys": "SELECT s.nation, l.flag, count(*) FROM lineitem l JOIN supplier s ON l.s = s.s GROUP BY 1, 2",
    "grouping sets": "SELECT l.flag, s.nation, count(*), grouping(l.flag) FROM lineitem l JOIN supplier s ON l.s = s.s "
    "GROUP BY ROLLUP (l.flag, s.nation)",
    "transfers": "SELECT count(*), sum(amount) FROM transfers",
    "to whom": "SELECT count(*) FROM transfers t JOIN person p ON t.receiver = p.p WHERE p.city = 'X'",
    "both": "SELECT count(*) FROM transfers t JOIN person a ON t.sender = a.p JOIN person b ON t.receiver = b.p "
    "WHERE a.city = b.city",
    "public, or none": "SELECT n.name, count(*), sum(l.amount) FROM lineitem l LEFT JOIN nation n ON n.nation = l.n "
    "GROUP BY n.name",
    "all of what is public": "SELECT count(*), count(n.name) FROM nation n FULL JOIN lineitem l ON n.nation = l.n",
    "none that is public": "SELECT count(*) FROM lineitem WHERE n NOT IN (SELECT nation FROM nation WHERE name <> 'x')",
    "some that is public": "SELECT sum(CASE WHEN EXISTS (SELECT 1 FROM nation n WHERE n.nation = l.n) THEN amount END) "
    "FROM lineitem l",
    "a derived table": "SELECT t.flag, sum(t.x), count(*) FROM (SELECT l.flag, l.amount * (l.n - 1) AS x "
    "FROM lineitem l, supplier s, nation n WHERE l.s = s.s AND s.nation = n.nation AND n.name <> 'x') AS t "
    "WHERE t.x + 1 > 2 GROUP BY t.flag",
    "of two kinds apart": "WITH a AS (SELECT c.nation, c.balance + 9 AS b FROM customer c WHERE c.balance < 8) "
    "SELECT count(*), sum(a.b) FROM a JOIN (SELECT nation AS k FROM supplier WHERE s < 9) AS t ON t.k = a.nation",
    "twice": "SELECT count(*) FROM transfers a JOIN transfers b ON a.t = b.t",
}
OWNED = {
    "customer": {"customer": "c = {}", "orders": "c = {}", "lineitem": "o IN (SELECT o FROM orders WHERE c = {})"},
    "supplier": {"supplier": "s = {}", "lineitem": "s = {}"},
    "person": {"person": "p = '{}'", "transfers": "sender = '{}' OR receiver = '{}'"},
}
"""Of each kind of unit what its rows are, in each table."""


def rows_of(random: np.random.Generator) -> Mapping[str, Sequence[Sequence[object]]]:
    """Few units with few rows, some of nobody, some of a unit without a row of its own."""

    def drawn(most: int, count: int) -> list[int]:
        return [int(each) for each in random.integers(0, most, count)]

    def drawn_together(*most: int, count: int) -> Iterator[tuple[int, ...]]:
        return zip(*(drawn(each, count) for each in most), strict=True)

    lines, moved = int(random.integers(5, 40)), int(random.integers(5, 30))
    return {
        "nation": [(0, "x"), (1, "y"), (2, "z")],
        "customer": [(each, *drawn(3, 1), *drawn(18, 1)) for each in range(4)],
        "supplier": [(each, *drawn(3, 1)) for each in range(3)],
        "orders": [(each, None if each == 9 else drawn(5, 1)[0], *drawn(9, 1)) for each in range(10)],
        "lineitem": [
            (None if n == 3 else o, None if n == 4 else s, n, None if n == 5 else amount - 8, "ANX"[flag])
            for n, (o, s, amount, flag) in enumerate(drawn_together(11, 4, 20, 3, count=lines))
        ],
        "person": [(f"p{each}", "XYZ"[drawn(3, 1)[0]]) for each in range(4)],
        "transfers": [
            (t, f"p{a}", f"p{b}", x) for t, (a, b, x) in enumerate(drawn_together(5, 5, 9, count=moved))
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def worlds() -> Iterator[list[duckdb.DuckDBPyConnection]]:
    random = np.random.default_rng(1)
    with opened(TABLES, (rows_of(random) for _ in range(5))) as found:
        yield found


def leaving(bounded: Bounded) -> list[Owned]:
    """What each unit of either kind has."""
    kinds = {kind: [f"p{unit}" if kind == "person" else unit for unit in range(5)] for kind in bounded.pair or ()}
    return [
        {table: owned.format(unit, unit) for table, owned in OWNED[kind].items()}
        for kind, units in kinds.items()
        for unit in units
    ]


@pytest.mark.parametrize("dialect", COMPLETE)
@pytest.mark.parametrize("name", STATEMENTS)
def test_what_is_planned_passes_the_checker(name: str, dialect: str) -> None:
    made = plan(STATEMENTS[name], catalog(), dialect=dialect)
    check_plan(made, catalog(), dialect, Accounting.ZCDP)
    assert all(each.bounded.pair is not None for each in made.releases)


@pytest.mark.larger
@pytest.mark.parametrize("name", STATEMENTS)
def test_whoever_leaves_moves_what_is_left_by_a_clip_at_most(
    name: str, worlds: list[duckdb.DuckDBPyConnection]
) -> None:
    for release in plan(STATEMENTS[name], catalog()).releases:
        assert moved(release.bounded, worlds[: sized(1, 3, 5)], leaving(release.bounded)) > sized(0, 5, 5)


def test_counts_are_of_the_rows(worlds: list[duckdb.DuckDBPyConnection]) -> None:
    """All of them, without a clip: each row of a unit's that both links lead from."""
    (release,) = plan(STATEMENTS["lines"], catalog()).releases
    (moved,) = plan(STATEMENTS["transfers"], catalog()).releases
    for connection in worlds:
        exact = connection.execute(
            "SELECT count(*) FROM lineitem l JOIN orders o USING (o) WHERE o.c IS NOT NULL AND l.s IS NOT NULL"
        ).fetchone()
        assert exact == (sum(int(str(row[2])) for row in asked(connection, release.bounded)),)
        every = connection.execute("SELECT count(*), sum(amount) FROM transfers").fetchone()
        found = asked(connection, moved.bounded)
        assert every == (sum(int(str(row[2])) for row in found), sum(int(str(row[3])) for row in found))


def test_derived_tables_are_their_tables(worlds: list[duckdb.DuckDBPyConnection]) -> None:
    """Written out, they have the same pairs, with the same sums."""
    written_out = {
        "a derived table": "SELECT l.flag, sum(l.amount * (l.n - 1)), count(*) FROM lineitem l JOIN supplier s "
        "ON l.s = s.s JOIN nation n ON s.nation = n.nation WHERE n.name <> 'x' AND l.amount * (l.n - 1) + 1 > 2 "
        "GROUP BY l.flag",
        "of two kinds apart": "SELECT count(*), sum(c.balance + 9) FROM customer c JOIN supplier s "
        "ON s.nation = c.nation WHERE c.balance < 8 AND s.s < 9",
    }
    for name, sql in written_out.items():
        (derived,), (direct,) = plan(STATEMENTS[name], catalog()).releases, plan(sql, catalog()).releases
        for connection in worlds[:8]:
            assert sorted(asked(connection, derived.bounded)) == sorted(asked(connection, direct.bounded))


def test_engines_give_the_same_pairs() -> None:
    assert_engines_agree(STATEMENTS.values(), catalog(), TABLES, rows_of(np.random.default_rng(5)))


def test_rows_that_are_no_pairs_are_a_failure() -> None:
    (release,) = plan(STATEMENTS["lines"], catalog()).releases
    with pytest.raises(EngineFailure):
        pairs_by_key(release.bounded, Rows((), ((1, 2),)), ())
    with pytest.raises(EngineFailure):
        pairs_by_key(release.bounded, Rows((), (), np.zeros((2, 5), dtype=np.int64)), ())
    (count,) = plan(STATEMENTS["to whom"], catalog()).releases
    with pytest.raises(EngineFailure):
        pairs_by_key(count.bounded, Rows((), (), np.broadcast_to(np.int64(1), (3, MOST_PAIRS + 1))), ())


@pytest.mark.long
def test_many_hashes_have_a_number_each() -> None:
    random = np.random.default_rng(1)
    units = random.integers(-(2**63), 2**63, 30_000)
    units[:2] = 5, 5 + 2**40
    ends = random.integers(0, 30_000, (2, 2**20 + 1))
    numbers = np.array([units[ends[0]], units[ends[1]], np.ones(2**20 + 1)], dtype=np.int64)
    for name in ("lines", "to whom"):
        (release,) = plan(STATEMENTS[name], catalog()).releases
        (made,) = pairs_by_key(release.bounded, Rows((), (), numbers), ())[()]
        for told, there in ((made.one, numbers[0]), (made.other, numbers[1])):
            _, at, back = np.unique(there, return_index=True, return_inverse=True)
            assert (told[at][back] == told).all() and len(np.unique(told[at])) == len(at)
        same = made.one[ends[0] == ends[1]] == made.other[ends[0] == ends[1]]
        assert same.all() or not made.alike


REFUSED = {
    "SELECT amount FROM lineitem": "each row of \"lineitem\" belongs to several units",
    "SELECT count(*) FROM (SELECT DISTINCT amount FROM lineitem) x": "private keys",
    "SELECT count(*) FROM (SELECT amount FROM lineitem UNION ALL SELECT amount FROM lineitem) x": "several units",
    "SELECT count(*) FROM (SELECT amount FROM lineitem LIMIT 9) x": "LIMIT",
    "SELECT count(*) FROM nation LEFT JOIN (SELECT n FROM lineitem) x ON n = nation": "several units",
    "SELECT count(*) FROM lineitem, transfers": "three kinds of unit",
    "SELECT count(*) FROM lineitem a JOIN lineitem b ON a.n = b.n": "two customers together",
    "SELECT count(*) FROM transfers a JOIN transfers b ON a.receiver = b.sender": "two persons together",
    "SELECT count(*) FROM transfers t JOIN person p ON t.amount = 3": "two persons together",
    "SELECT count(*) FROM lineitem l JOIN orders o ON l.n = o.total": "two customers together",
    "SELECT count(*) FROM lineitem l LEFT JOIN supplier s ON l.s = s.s": "an outer join",
    "SELECT count(*) FROM customer c JOIN transfers t ON c.nation = t.amount": '"c" belongs to other units than "t"',
    "SELECT count(*) FROM lineitem l FULL JOIN supplier s ON l.s = s.s": "an outer join",
    "SELECT n, count(*) FROM lineitem GROUP BY n": "private keys",
    "SELECT s, count(*) FROM lineitem GROUP BY s": "private keys",
    "SELECT count(DISTINCT s) FROM lineitem": "COUNT(DISTINCT",
    "SELECT count(*) FROM orders o WHERE EXISTS (SELECT 1 FROM lineitem l WHERE l.n = o.total)": "a subquery asks rows",
    "SELECT s, count(*) FROM lineitem UNION ALL SELECT s, 1 FROM supplier": "",
    "SELECT n, row_number() OVER (ORDER BY n) FROM lineitem": "several units",
    "SELECT count(*) FROM supplier s, orders o": "one private row could meet 100,000 rows of others (orders: 100,000)",
}  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
def test_what_has_no_form_is_refused(sql: str) -> None:
    with pytest.raises(DPProxyError) as caught:
        plan(sql, catalog())
    assert REFUSED[sql] in caught.value.message and caught.value.hint


def test_no_derived_table_is_proposed_where_none_is_answered() -> None:
    with pytest.raises(DPProxyError, match="two customers together") as caught:
        plan("SELECT count(*) FROM lineitem l JOIN customer c ON l.n = c.nation", catalog())
    assert caught.value.hint == "Join the tables that lead from the one to the other, each ON its link."
