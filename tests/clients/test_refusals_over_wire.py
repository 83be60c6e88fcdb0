"""Every refusal of sql_fixtures/refuse as a client sees it: the same words, a session that goes on, no charge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sql_cases import Case, by_file, each_of
from worlds import make_mine

from .backends import Backend, made_world
from .served import Served, serving, spent

# Where Postgres's own analysis of the text over the stubs comes first: its error is the one that a client sees.
FIRST: dict[str, tuple[str, str | None, str]] = {
    "a step that is not understood": ("22007", "84", 'invalid input syntax for type interval: "1 fortnight"'),
    "an unknown setting": ("42704", None, 'unrecognized configuration parameter "dp.noise"'),
    "an interval in words": ("22007", "68", 'invalid input syntax for type interval: "1 fortnight"'),
    "values in a list": ("42703", "18", 'column "name" does not exist'),
    "a column that is not grouped": (
        "42803",
        "13",
        'column "people.age" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    "a column that is not grouped, in HAVING": (
        "42803",
        "54",
        'column "people.age" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    "a column that is not grouped, in ORDER BY": (
        "42803",
        "56",
        'column "people.age" must appear in the GROUP BY clause or be used in an aggregate function',
    ),
    "a table that is not of the policy": ("42P01", "34", 'relation "elsewhere" does not exist'),
    "a hidden column": ("42703", "14", "column p.name does not exist"),
    "a correlation with text": ("42883", "8", "function corr(integer, text) does not exist"),
    "a correlation with a date": ("42883", "8", "function corr(integer, date) does not exist"),
    "a decision by a number": ("42883", "8", "function bool_or(integer) does not exist"),
    "a sum of text": ("42883", "8", "function sum(text) does not exist"),
    "IN over more values than one": ("42601", "49", "subquery has too many columns"),
    "a pair in rows of one value": ("42601", "58", "subquery has too few columns"),
    "the most frequent pair of values": ("42883", "8", "function mode(text, boolean) does not exist"),
    "a method of nobody": ("42704", "41", "tablesample method reservoir does not exist"),
    "distinct values of rows": ("42883", "8", "function sum(integer, double precision) does not exist"),
    "of the least of released values": ("42883", "8", "function dp.low(text) does not exist"),
    "distinct values of several columns": ("42883", "8", "function count(text, text) does not exist"),
}
REFUSED = re.compile(
    r"-- (?P<state>\w{5})(?: at (?P<position>\d+) \((?:'.*?'|\".*?\")\))?: (?P<message>.*)\n-- HINT: (?P<hint>.*)"
)


@pytest.fixture(scope="module")
def served(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The world as the fixtures know it, its budgets included."""
    with made_world(backend, tmp_path_factory.mktemp("refusing")) as policy:
        policy.write_text(policy.read_text().replace("epsilon = 100.0", "epsilon = 100"))  # as the fixtures write it
        with serving(policy, "demo") as served:
            yield served


@pytest.fixture(scope="module")
def alice(served: Served) -> Iterator[psycopg.Connection[Any]]:
    with served.connect() as connection:
        connection.execute(make_mine())
        yield connection


def diagnosis(fault: psycopg.Error) -> tuple[str | None, ...]:
    diag = fault.diag
    return (diag.sqlstate, diag.statement_position, diag.message_primary, diag.message_hint or "None")


def wanted(case: Case) -> tuple[str | None, ...]:
    found = REFUSED.fullmatch(case.expected)
    assert found is not None, case.expected
    return found["state"], found["position"], found["message"], found["hint"]


def refused(connection: psycopg.Connection[Any], case: Case, prepare: bool) -> tuple[str | None, ...]:
    """How the statement is refused under its settings, or one of those before."""
    try:
        with pytest.raises(psycopg.Error) as caught:
            for name, value in case.settings.items():
                connection.execute(f"SET dp.{name} = '{value}'")
            connection.execute(case.sql, prepare=prepare)
        return diagnosis(caught.value)
    finally:
        connection.execute("RESET ALL")


@pytest.mark.long
@each_of(by_file("refuse"))
def test_refusals(case: Case, alice: psycopg.Connection[Any]) -> None:
    """By the simple protocol and by the extended one."""
    before = spent(alice)
    for prepare in (False, True):
        seen = refused(alice, case, prepare)
        if case.title in FIRST:
            assert seen[:3] == FIRST[case.title], prepare
        else:
            expected = wanted(case)
            where_it_is_set = ("22023", *expected[1:]) if expected[0] == "DP004" and case.settings else None
            assert seen in (expected, where_it_is_set), prepare
        assert alice.execute("SELECT 1").fetchone() == (1,)
        assert spent(alice) == before


@pytest.mark.long
def test_a_refusal_fails_its_transaction_and_no_more(alice: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        alice.execute("BEGIN")
        with pytest.raises(psycopg.Error, match="would return rows"):
            alice.execute("SELECT * FROM people")
        alice.execute("SELECT count(*) FROM people")
    alice.execute("ROLLBACK")
    assert spent(alice)[2] == 0
