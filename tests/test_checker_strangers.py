"""Rows of two units of one kind that a key puts together, before the checker: by no key, without a second number, of
one side twice, or of a third user, they are refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from stranger_world import catalog
from test_checker_pairs import number, with_bounded, with_text
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import CheckFault, check_plan

ANSWERS = "SELECT count(*) FROM posts q JOIN posts a ON a.parent = q.p WHERE a.kind = 2"
VOTES = "SELECT count(*), sum(v.stars) FROM posts q JOIN votes v ON v.p = q.p"
BOSSES = "SELECT count(*) FROM users e JOIN users b ON e.boss = b.u"
LINKED = "SELECT count(*) FROM marks m JOIN marks n ON n.m = m.stars"
REFUNDS = "SELECT count(*), sum(r.amount) FROM lines s JOIN refunds r ON r.bill = s.bill AND r.item = s.item"
J = number("v") + " AS j"
TEXTS = {
    "by no key": (ANSWERS, 's1."parent" = s0."p"', 's1."parent" = s0."parent"'),
    "by an expression of a key": (ANSWERS, 's1."parent" = s0."p"', 's1."parent" = s0."p" + 0'),
    "by a key of more than that": (VOTES, 's1."p" = s0."p"', 's1."p" >= s0."p"'),
    "by one key or another": (ANSWERS, 's1."parent" = s0."p"', '(s1."parent" = s0."p" OR s1."kind" = 1)'),
    "by the key of its own": (BOSSES, 's0."boss" = s1."u"', 's0."level" = s1."level"'),
    "without a second number": (ANSWERS, J, number("u") + " AS j"),
    "one side twice": (ANSWERS, 's1."owner" AS v', 's0."owner" AS v'),
    "the other twice": (ANSWERS, 's0."owner" AS u', 's1."owner" AS u'),
    "not the user's key": (ANSWERS, 's1."owner" AS v', 's1."parent" AS v'),
    "a vote's post for its voter": (VOTES, 's1."voter" AS v', 's1."p" AS v'),
    "a third user": (ANSWERS, '= s0."p"', '= s0."p" JOIN "posts" AS s9 ON s9."p" = s0."parent"'),
    "an outer join": (ANSWERS, 'JOIN "posts" AS s1', 'LEFT JOIN "posts" AS s1'),
    "without a user": (ANSWERS, ' AND s1."owner" IS NOT NULL', ""),
    "grouped by one": (ANSWERS, "GROUP BY u, v", "GROUP BY u"),
    "a link that leads elsewhere": (LINKED, 'v1_h0."owner" AS v', 'h0."owner" AS v'),
    "a link of neither": (LINKED, 's1."p" = v1_h0."p"', 's1."stars" = v1_h0."p"'),
    "by a part of a key": (REFUNDS, ' AND s1."item" = s0."item"', ""),
    "by a part of a key twice": (REFUNDS, 's1."item" = s0."item"', 's1."bill" = s0."kind"'),
    "by a part of a key and a value": (REFUNDS, 's1."item" = s0."item"', 's1."item" >= s0."item"'),
    "by a part of a key and another column": (REFUNDS, 's1."item" = s0."item"', 's1."amount" = s0."paid"'),
    "a subquery of private rows": (ANSWERS, "WHERE ", 'WHERE EXISTS(SELECT 1 AS x FROM "users" AS s8) AND '),
}


@cache
def made(sql: str) -> Plan:
    return plan(sql, catalog())


def checked(found: Plan) -> None:
    check_plan(found, catalog(), "duckdb", Accounting.ZCDP)


@pytest.mark.parametrize("sql", [ANSWERS, VOTES, BOSSES, LINKED, REFUNDS])
def test_what_is_planned_passes(sql: str) -> None:
    checked(made(sql))


@pytest.mark.parametrize("name", TEXTS)
def test_another_text_is_refused(name: str) -> None:
    sql, old, new = TEXTS[name]
    with pytest.raises(CheckFault):
        checked(with_text(made(sql), old, new))


def test_the_same_rows_as_those_of_one_user_are_refused() -> None:
    with pytest.raises(CheckFault):
        checked(with_bounded(made(ANSWERS), lambda bounded: replace(bounded, pair=None)))
