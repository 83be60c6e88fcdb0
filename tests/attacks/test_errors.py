"""Errors and refusals: no row has a say in whether a statement fails, nor in any word of it.

An error that is raised if and only if Zelda is there is an exact bit about her, and its text quotes her. Each statement
here raises on a plain engine for her alone; over the proxy it is answered and charged for both databases, or refused at
sight for both. What is tried beyond: tests/test_expressions.py, tests/test_expressions_in_postgres.py.

The nightly lane asks every expression that the allow-list lets pass, in every place; otherwise some of each rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

import psycopg
import pytest
from lanes import Lane, lane
from psycopg import pq

from attacks import sweep
from attacks.duel import Connected, Duel, Pair, Seen, close, tells
from attacks.raising import CLAUSES, HOSTILE, STATEMENTS
from dpproxy.rewrite.expressions.table import RULES

pytestmark = pytest.mark.long

ALL = lane() is Lane.NIGHTLY
EACH, PACK = None if ALL else 2, 25
REFUSALS = {"0A000", "DP002", "DP003", "42883", "42501", "42725"}
# Words that are in rows, the neighbours' too, and in no statement here.
SECRETS = ("Zelda", "zeldology", "Delft", "Leiden", "Gouda", "ortho", "not a number", "1e400", "1582-10", "922337")


@pytest.fixture(scope="module")
def duels(embedded_duel: Duel, given_duel: Duel) -> tuple[Duel, Duel]:
    """Before both engines: an attack has to succeed against one of the plain ones."""
    return given_duel, embedded_duel


@contextmanager
def sessions(duel: Duel, analyst: str = "mallory") -> Iterator[Pair]:
    pair = duel.proxied(analyst)
    try:
        yield pair
    finally:
        close(pair)


def is_attack(duels: Sequence[Duel], sql: str) -> bool:
    return any(tells(duel.plain, [sql]) for duel in duels)


def check_same(sql: str, seen: tuple[Seen, Seen], refusals: set[str] = REFUSALS) -> None:
    """Answered and charged alike, or refused at sight alike, in words that are in no row."""
    here, gone = seen
    assert here.outline == gone.outline, (sql, here, gone)
    assert here.state is None or here.state in refusals, (sql, here.error)
    assert (here.charged is None) == (here.state is not None), (sql, here)
    check_words(sql, here)


def check_words(sql: str, seen: Seen) -> None:
    """No word of a row is in an error that is not in the statement."""
    said = " ".join(str(part) for part in (seen.error or ())[1:4])
    assert not [word for word in SECRETS if word in said and word not in sql], (sql, said)


@pytest.mark.parametrize("door", STATEMENTS)
def test_no_row_raises(duels: tuple[Duel, Duel], door: str) -> None:
    assert not [sql for sql in STATEMENTS[door] if not is_attack(duels, sql)]
    for duel in duels:
        with sessions(duel) as pair:
            for sql in STATEMENTS[door]:
                check_same(sql, pair.ask(sql))


def test_no_row_raises_wherever_it_stands(duels: tuple[Duel, Duel]) -> None:
    """Each clause is answered, with another expression each; with all of them in the long form."""
    for turn in range(len(HOSTILE) if ALL else 1):
        turned = [HOSTILE[(at + turn) % len(HOSTILE)] for at in range(len(CLAUSES))]
        asked = [clause.format(e=each) for clause, each in zip(CLAUSES, turned, strict=True)]
        attacks = [sql for sql in asked if is_attack(duels, sql)]
        assert len(attacks) >= 0.8 * len(asked), set(asked) - set(attacks)
        for duel in duels:
            with sessions(duel) as pair:
                for sql in asked:
                    check_same(sql, pair.ask(sql), set())


# The allow-list, all of it.


def chosen(connection: psycopg.Connection[object], functions: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Expressions that the rules let pass and Postgres can type. Every rule is in one of them."""
    met: set[type] = set()
    found: dict[str, None] = {}
    made = [(list(sweep.calls(name)), EACH) for name in sweep.names()]
    made += [(list(sweep.operations(form)), EACH) for form in sweep.OPERATORS]
    for candidates, most in (*made, (list(sweep.called(functions)), None)):
        passed = (text for text in sweep.shuffled(candidates) if sweep.admitted(text) and typed(connection, text))
        for text in islice(passed, most):
            found[text] = None
            met |= sweep.admitted(text)
    assert {kind.__name__ for kind in RULES if kind not in met} == {
        "AtTimeZone",
        "Parameter",
    }  # see test_numbers.py and tests/test_column_types.py
    return list(found)


def typed(connection: psycopg.Connection[object], text: str) -> bool:
    return connection.pgconn.prepare(b"", f"SELECT {text} FROM odds".encode()).status == pq.ExecStatus.COMMAND_OK


def functions_of(connection: psycopg.Connection[object]) -> list[tuple[str, Sequence[str]]]:
    """All of Postgres's own, by the types of their arguments."""
    sql = (
        "SELECT DISTINCT proname::text, ARRAY(SELECT format_type(each, NULL) FROM unnest(proargtypes) AS each)"
        " FROM pg_proc WHERE prokind = 'f' AND pronamespace = 'pg_catalog'::regnamespace"
    )
    return connection.execute(sql).fetchall()  # type: ignore[return-value]


def test_every_rule_over_hostile_rows(duels: tuple[Duel, Duel]) -> None:
    """Also each function of Postgres's that a rule would let pass by another name."""
    with sessions(duels[1]) as pair:
        assert isinstance(pair.here, Connected)
        expressions = chosen(pair.here.connection, functions_of(pair.here.connection))
    attacks = tells(duels[0].plain, [f"SELECT count({each}) FROM odds" for each in expressions])
    assert len(attacks) >= len(expressions) / 10
    for duel in duels:
        with sessions(duel) as pair:
            for number, pack in enumerate(sweep.packs(expressions, PACK)):
                for place in sweep.PLACES if ALL else (sweep.PLACES[number % len(sweep.PLACES)],):
                    ask_all(pair, place, pack)


def ask_all(pair: Pair, place: str, pack: Sequence[str]) -> None:
    """In one statement; where one of them is refused in that place, in halves."""
    sql = sweep.together(place, pack)
    seen = pair.ask(sql)
    check_same(sql, seen)
    if seen[0].state is not None and len(pack) > 1:
        for half in (pack[: len(pack) // 2], pack[len(pack) // 2 :]):
            ask_all(pair, place, half)


# Constants are looked at before the charge, columns never.

CONSTANTS: Sequence[tuple[str, tuple[object, ...]]] = (
    ("SELECT count(*) FROM odds WHERE i = $1::int", ("one",)),
    ("SELECT count(*) FROM odds WHERE i = 'one'", ()),
    ("SELECT count(*) FROM odds WHERE d < $1::float8", ("1e400",)),
    ("SELECT count(*) FROM odds WHERE day = '2024-02-30'", ()),
    ("SELECT count(*) FROM odds WHERE day = $1::date", ("2024-02-30",)),
    ("SELECT count(*) FROM odds WHERE ts < $1::timestamp", ("300000-01-01 00:00:00",)),
    ("SELECT count(*) FROM odds WHERE flag = $1::boolean", ("maybe",)),
    ("SELECT count(ts + INTERVAL '1 monkey') FROM odds", ()),
    ("SELECT count(ts + $1::interval) FROM odds", ("monkey",)),
    ("SELECT count(*) FROM odds WHERE n = $1::numeric", ("1e1000000",)),
    ("SELECT count(*) FROM odds WHERE i < 3000000000::integer", ()),
    ("SELECT count(*) FROM odds WHERE b < 9223372036854775808::bigint", ()),
    ("SELECT count(*) FROM odds WHERE n < 12345.6::numeric(4,1)", ()),
)


@pytest.mark.parametrize(("sql", "parameters"), CONSTANTS, ids=[sql for sql, _ in CONSTANTS])
def test_a_bad_constant_is_postgres_own_error_and_free(
    duels: tuple[Duel, Duel], sql: str, parameters: tuple[object, ...]
) -> None:
    """The same value in a column is NULL, and charged: `test_no_row_raises` has those."""
    expected = duels[0].plain.here.ask(sql, *parameters)
    assert expected.state is not None
    for duel in duels:
        with sessions(duel) as pair:
            spent = pair.ask("SELECT spent_epsilon FROM dp.budget")
            here, gone = pair.ask(sql, *parameters)
            assert here.outline == gone.outline
            assert here.error is not None
            assert here.error[:2] == expected.error[:2]  # type: ignore[index]
            assert pair.ask("SELECT spent_epsilon FROM dp.budget") == spent


NAMES = (
    "SELECT count(*) FROM odds WHERE Zelda = 1",
    'SELECT count("Zeldatown") FROM people',
    "SELECT count(zeldology) FROM visits",
    "SELECT name FROM people",
    "SELECT count(nam) FROM people",
    "SELECT count(cty) FROM people",
    "SELECT count(*) FROM peopl",
    "SELECT count(*) FROM zelda",
    "SELECT count(*) FROM people WHERE citty = 'Zeldatwon'",
    "SELECT zeldas(city) FROM people",
    "SELECT CAST(city AS integer) FROM people",
    "SELECT * FROM people WHERE city = 'Zeldatown'",
    "SELECT dp.median(city) FROM people",
    "SELECT city FROM people LIMIT 1",
    "SELECT count(*) FROM people WHERE city = (SELECT city FROM people WHERE person_id = 1000)",
    "INSERT INTO people (person_id) VALUES (1000)",
    "UPDATE people SET person_id = 1000 WHERE person_id = 1",
    "CREATE UNIQUE INDEX ON visits (person_id)",
    "ALTER TABLE people ADD CHECK (income < 1000000)",
    "ALTER TABLE visits ADD FOREIGN KEY (person_id) REFERENCES people",
    "CREATE TABLE mine AS SELECT * FROM people",
    "COPY people TO STDOUT",
    "SELECT count(*) FROM people GROUP BY ROLLUP (name)",
)


def test_names_and_hints_are_the_policys(duel: Duel) -> None:
    """Misspelled and forbidden names, values as names, and statements whose error quotes a row on a plain engine."""
    quoted = "SELECT CAST(t AS integer) FROM odds WHERE person_id = 1000 AND i = 65"
    assert "Zelda" in str(duel.plain.here.ask(quoted).error)
    assert duel.plain.gone.ask(quoted).error is None
    with sessions(duel) as pair:
        for sql in (quoted, *NAMES):
            here, gone = pair.ask(sql)
            assert here.outline == gone.outline, sql
            assert here.state is not None, sql
            assert here.charged is None
            check_words(sql, here)


POSTS = (
    ("SELECT sqrt(-1 - 0 * count(*)) FROM odds", "2201F"),
    ("SELECT exp(1000 + 0 * count(*)) FROM odds", "22003"),
    ("SELECT CAST(50000 + count(*) AS smallint) FROM odds", "22003"),
    ("SELECT CAST('x' || count(*) AS integer) FROM odds", "22P02"),
)


@pytest.mark.parametrize(("sql", "sqlstate"), POSTS)
def test_the_post_statement_may_fail_over_what_is_released(duel: Duel, sql: str, sqlstate: str) -> None:
    """These fail for whatever is released; that they do costs what the release costs, and no alarm is raised."""
    with sessions(duel) as pair:
        before = pair.ask("SELECT spent_epsilon FROM dp.budget")
        here, gone = pair.ask(sql)
        assert (here.state, gone.state) == (sqlstate, sqlstate)
        after = pair.ask("SELECT spent_epsilon FROM dp.budget")
        assert all(one.rows[0][0] < other.rows[0][0] for one, other in zip(before, after, strict=True))
        check_same("SELECT count(*) FROM odds", pair.ask("SELECT count(*) FROM odds"), set())
