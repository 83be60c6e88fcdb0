"""Rows that are met by others' rows, before the checker: without a number of their own, by a number of somebody else's,
met more often than there is room for, or as other measures, they are refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from stranger_world import catalog
from test_checker_pairs import number, with_bounded, with_noise, with_text
from worlds import plan

from dpproxy.accounting.loss import Accounting
from dpproxy.plan.private_plan import MeasureKind, Plan
from dpproxy.plan.rows_met import RowsMet
from dpproxy.rewrite.checker import CheckFault, check_plan

ANSWERED = "SELECT count(DISTINCT q.p) FROM posts q JOIN posts a ON a.parent = q.p WHERE a.kind = 2"
R = number("o") + " AS r"
TEXTS = {
    "without a number": (R, "1 AS r"),
    "a number of another": (R, number("u") + " AS r"),
    "a row's own value": (R, "m0 AS r"),
    "not grouped by rows": ("GROUP BY u, v, o", "GROUP BY u, v"),
    "grouped by less": ("GROUP BY u, v, o", "GROUP BY u, o"),
    "without the one who meets": (number("v") + " AS j", number("o") + " AS j"),
    "not the user's key": ('s0."owner" AS u', 's0."parent" AS u'),
    "a row of a third": ('s0."p" AS o', 's0."p" + (SELECT COUNT(*) FROM "votes" AS s9) AS o'),
    "a row that may raise": ('s0."p" AS o', 's0."p" * s0."p" AS o'),
}


@cache
def made() -> Plan:
    return plan(ANSWERED, catalog())


def checked(found: Plan) -> None:
    check_plan(found, catalog(), "duckdb", Accounting.ZCDP)


def test_what_is_planned_passes() -> None:
    checked(made())


@pytest.mark.parametrize("name", TEXTS)
def test_another_text_is_refused(name: str) -> None:
    with pytest.raises(CheckFault):
        checked(with_text(made(), *TEXTS[name]))


MET = {
    "of neither side": RowsMet(2),
    "met by nobody": RowsMet(0, 0),
    "met more often than there is room for": RowsMet(0, 65),
    "met twice, gains of one sign": RowsMet(0, 2),
}


@pytest.mark.parametrize("name", MET)
def test_rows_that_are_met_otherwise_are_refused(name: str) -> None:
    with pytest.raises(CheckFault):
        checked(with_bounded(made(), lambda bounded: replace(bounded, met=MET[name])))


def test_rows_that_are_met_twice_have_gains_of_both_signs() -> None:
    twice = with_bounded(made(), lambda bounded: replace(bounded, met=RowsMet(0, 2)))
    checked(with_noise(twice, lambda noise: replace(noise, signs=2)))


HELD = "SELECT sum(q.score) FROM posts q WHERE EXISTS (SELECT 1 FROM posts a WHERE a.parent = q.p)"
SUMS = {
    "a sum over all that meet it": ("COALESCE(MAX(m0), 0)", "COALESCE(SUM(m0), 0)"),
    "the least": ("COALESCE(MAX(m0), 0)", "COALESCE(MIN(m0), 0)"),
    "without an end": ("LEAST(GREATEST(COALESCE(MAX(m0), 0)", "LEAST(GREATEST(COALESCE(MAX(o), 0)"),
    "another end": (", 19327352832) AS m0", ", 19327352833) AS m0"),
}


@pytest.mark.parametrize("name", SUMS)
def test_what_rows_hold_is_added_once(name: str) -> None:
    found = plan(HELD, catalog())
    checked(found)
    with pytest.raises(CheckFault):
        checked(with_text(found, *SUMS[name]))


def test_what_rows_hold_is_added_where_they_are_met_at_all() -> None:
    with pytest.raises(CheckFault):
        checked(with_bounded(plan(HELD, catalog()), lambda bounded: replace(bounded, met=RowsMet(0, 2))))


def test_other_measures_are_refused() -> None:
    with pytest.raises(CheckFault):
        checked(with_bounded(made(), lambda b: replace(b, measures=(replace(b.measures[0], kind=MeasureKind.SUM),))))


def test_pairs_without_rows_are_no_rows_that_are_met() -> None:
    with pytest.raises(CheckFault):
        checked(with_bounded(made(), lambda bounded: replace(bounded, met=None)))
