"""A filter on a key that was released is told again from the stored release; totals add up; nothing is below 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest

from dpproxy.cli.verifier import verifier

from .backends import Backend, made_world
from .conftest import ANALYSTS
from .served import Served, serving, spent
from .test_repeated import Asking, new

pytestmark = pytest.mark.long

AGAIN = ", told again from statement "


@pytest.fixture(scope="module")
def world(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The world, with releases stored as they are by default."""
    with made_world(backend, tmp_path_factory.mktemp("filtered")) as policy:
        kept = re.sub(r"stored_bytes.*\n", "", policy.read_text())
        policy.write_text(kept + ANALYSTS.format(verifier=verifier("secret")))
        with serving(policy, "demo") as served:
            yield served


@pytest.fixture
def ask(world: Served) -> Iterator[Asking]:
    asking = Asking(world)
    yield asking
    asking.connection.close()


def again(ask: Asking, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    """Asks what has to be told again from another statement."""
    rows = ask.free(sql, *parameters)
    assert AGAIN in ask.notices[0], ask.notices
    return rows


def test_public_keys(ask: Asking) -> None:
    n = new()
    rows = ask.paid(
        f"SELECT sex, smoker, count(*), avg(age) FROM people WHERE income < {n} GROUP BY sex, smoker ORDER BY 1, 2"
    )
    told = {(sex, smoker): rest for sex, smoker, *rest in rows}
    where = f"FROM people p WHERE p.income < {n} AND"
    for (sex, smoker), (count, mean) in told.items():
        one = "smoker" if smoker else "NOT smoker"
        assert again(ask, f"SELECT avg(age) AS a {where} sex = '{sex}' AND {one}") == [(mean,)]
        assert again(ask, f"SELECT count(*) {where} sex = %s AND smoker = %s", sex, smoker) == [(count,)]
    assert again(ask, f"SELECT smoker, count(*) {where} sex = 'F' GROUP BY smoker ORDER BY 1") == [
        (False, told["F", False][0]),
        (True, told["F", True][0]),
    ]
    assert again(ask, f"SELECT count(*) {where} 'M' = sex AND smoker = true HAVING count(*) > 1000000") == []


def test_private_keys(ask: Asking) -> None:
    """Of a key that was not released nothing is known: it is paid for."""
    n = new()
    rows = dict(ask.paid(f"SELECT city, count(*) FROM people WHERE income < {n} GROUP BY city"))
    assert len(rows) >= 2
    where = f"FROM people WHERE income < {n} AND city"
    city, other = [each for each in rows if each is not None][:2]
    assert again(ask, f"SELECT count(*) {where} = '{city}'") == [(rows[city],)]
    assert dict(again(ask, f"SELECT city, count(*) {where} IN ('{city}', '{other}') GROUP BY city")) == {
        city: rows[city],
        other: rows[other],
    }
    ask.paid(f"SELECT count(*) {where} = 'Atlantis'")
    ask.paid(f"SELECT city, count(*) {where} IN ('{city}', 'Atlantis') GROUP BY city")


def test_what_is_paid(ask: Asking) -> None:
    n = new()
    ask.paid(f"SELECT sex, count(*) FROM people WHERE income < {n} GROUP BY sex")
    where = f"FROM people WHERE income < {n} AND sex = 'F'"
    for sql in (
        f"SELECT sum(age) {where}",
        f"SELECT count(*) {where} AND smoker",
        f"SELECT smoker, count(*) {where} GROUP BY smoker",
        "SELECT count(*) FROM people WHERE sex = 'F' AND income > 1" + str(n),
        f"SELECT count(*) FROM people WHERE income < {n} AND sex IN ('F', 'M')",
    ):
        ask.paid(sql)
    ask.connection.execute("SET dp.epsilon = 2")
    ask.paid(f"SELECT count(*) {where}")
    ask.connection.execute("SET dp.epsilon = 0.5")
    again(ask, f"SELECT count(*) {where}")
    ask.connection.execute("SET dp.fresh = on")
    ask.paid(f"SELECT count(*) {where}")
    ask.connection.execute("SET dp.fresh = off")
    assert ask.free(f"SELECT count(*) {where}")
    assert AGAIN not in ask.notices[0]


def test_each_analyst_pays_for_their_own(ask: Asking, world: Served) -> None:
    n = new()
    ask.paid(f"SELECT sex, count(*) FROM people WHERE income < {n} GROUP BY sex")
    with world.connect("erna") as erna:
        before = spent(erna)[2]
        erna.execute(f"SELECT count(*) FROM people WHERE income < {n} AND sex = 'F'")
        assert spent(erna)[2] == before + 1


def test_explain_says_so(ask: Asking) -> None:
    n = new()
    ask.paid(f"SELECT sex, count(*) FROM people WHERE income < {n} GROUP BY sex")
    lines = [row[0] for row in ask(f"EXPLAIN SELECT count(*) FROM people WHERE income < {n} AND sex = 'F'")]
    [number] = ask("SELECT max(id) FROM dp.statements")[0]
    assert f"Told again: from the groups of statement {number}, filtered" in lines
    said = "were paid for before and cost nothing; SET dp.fresh = on to pay for new noise"
    assert f"Stored: 1 of 1 releases {said}" in lines
    assert "Cost: epsilon 0, delta 0" in lines


def test_every_way_of_asking(ask: Asking) -> None:
    n = new()
    rows = dict(ask.paid(f"SELECT sex, count(*) FROM people WHERE income < {n} GROUP BY sex"))
    sql = f"SELECT count(*) AS n FROM people WHERE income < {n} AND sex = 'F'"
    ask.connection.execute(f"CREATE TABLE filtered AS {sql}")
    assert AGAIN in ask.notices[-1]
    assert ask("SELECT n FROM filtered") == [(rows["F"],)]
    ask.connection.execute("DROP TABLE filtered")
    with ask.connection.cursor().copy(f"COPY ({sql}) TO STDOUT") as copy:
        assert [row[0] for row in copy.rows()] == [str(rows["F"])]
    ask.connection.execute(f"PREPARE f (text) AS {sql.replace(chr(39) + 'F' + chr(39), '$1')}")
    assert ask("EXECUTE f ('M')") == [(rows["M"],)]
    ask.connection.execute("DEALLOCATE f")


def test_totals_add_up(ask: Asking) -> None:
    n = new()
    sql = f"SELECT sex, smoker, count(*), sum(age) FROM people WHERE income < {n} GROUP BY"
    told = {(sex, smoker): rest for sex, smoker, *rest in ask.paid(f"{sql} CUBE (sex, smoker)")}
    assert len(told) == 9
    for place in (0, 1):
        number = {key: rest[place] for key, rest in told.items()}
        for sex in ("F", "M"):
            assert number[sex, None] == number[sex, False] + number[sex, True]
        for smoker in (False, True):
            assert number[None, smoker] == number["F", smoker] + number["M", smoker]
        assert number[None, None] == number["F", None] + number["M", None]
    noise = ask("SELECT stddev FROM dp.last_statement")
    lines = [row[0] for row in ask(f"EXPLAIN VERBOSE {sql} CUBE (sex, smoker)")]
    assert "Consistent: COUNT(*) of release 1 adds up to releases 2, 3, 4" in lines
    released = [float(found[1]) for line in lines if (found := re.search(r"standard deviation ([\d.]+)$", line))]
    assert [row[0] for row in noise] == pytest.approx([each * 2 / 3 for each in released], rel=1e-4)


def test_nothing_below_zero(ask: Asking) -> None:
    sql = "SELECT sex, count(*), sum(age) FROM people WHERE age = 0 GROUP BY sex"
    ask.connection.execute("SET dp.epsilon = 0.001")
    ask.connection.execute("SET dp.nonnegative = on")
    ask.connection.execute("SET dp.fresh = on")
    rows = [row for _ in range(5) for row in ask.paid(sql)]
    assert all(type(count) is int and count >= 0 and sum_ >= 0 for _, count, sum_ in rows)
    ask.connection.execute("RESET dp.fresh")
    held = ask.free(sql)
    ask.connection.execute("SET dp.nonnegative = off")
    assert held == [(sex, max(count, 0), max(total, Decimal(0))) for sex, count, total in ask.free(sql)]
    with pytest.raises(psycopg.errors.InvalidParameterValue):
        ask.connection.execute("SET dp.nonnegative = perhaps")
    ask.connection.execute("RESET dp.nonnegative")
    ask.connection.execute("RESET dp.epsilon")
