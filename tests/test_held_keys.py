"""Public keys that are too many for an answer are chosen as private ones are, by what public tables alone hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import duckdb
import psycopg
import pytest
from proxies import serving
from worlds import NOW, TERMS, held_plan, make_world, names_of, plan, world_catalog

from dpproxy.answering.public_keys import Sizes, TooManyKeys
from dpproxy.config import load
from dpproxy.errors import NotPrivate, QueryCanceled
from dpproxy.plan.notes import Beside
from dpproxy.plan.private_plan import MOST_PUBLIC_KEYS, Domain, FromPublic, Literals, Plan, PrivateKeys
from dpproxy.rewrite import plan_statement, read_settings
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.releases.held_keys import held_private
from dpproxy.session.held_keys import with_room

DEPARTMENTS = (
    "SELECT d.dept, p.sex, count(*) FROM visits v JOIN departments d USING (dept) JOIN people p USING (person_id)"
)
BY = f"{DEPARTMENTS} GROUP BY d.dept, p.sex"


def domains(made: Plan) -> list[list[type[Domain]]]:
    return [[type(key.domain) for key in each.bounded.keys] for each in made.releases]


def public(text: str, column: int = 0, nullable: bool = False) -> FromPublic:
    return FromPublic(text, column, nullable=nullable)


ITEMS, SHOPS, DAYS = public("items"), public("shops"), Literals(tuple(range(100)))
FEW = {"items": 100, "shops": 100}
MANY = {"items": 200_000, "shops": 300}


@pytest.mark.parametrize(
    "sizes, of, held",
    [
        ({}, (ITEMS, DAYS), ()),
        (FEW, (ITEMS, DAYS), ()),
        (FEW, (ITEMS, SHOPS), ()),
        (FEW, (ITEMS, SHOPS, DAYS), (0,)),
        (MANY, (ITEMS, SHOPS), (0,)),
        (MANY, (SHOPS, ITEMS, DAYS), (0, 1)),
        (MANY, (SHOPS, DAYS), (0,)),
        (MANY, (public("items", 1), SHOPS, public("items")), (0, 2)),
        (MANY, (SHOPS, PrivateKeys()), ()),
        ({"items": MOST_PUBLIC_KEYS}, (ITEMS,), ()),
        ({"items": MOST_PUBLIC_KEYS}, (public("items", nullable=True),), (0,)),
        ({}, (DAYS, DAYS, Literals((1, 2))), (0,)),
    ],
)
def test_the_largest_are_held_until_the_others_are_few(
    sizes: Sizes, of: tuple[Domain, ...], held: tuple[int, ...]
) -> None:
    found = held_private(of, sizes)
    assert found == [PrivateKeys() if place in held else domain for place, domain in enumerate(of)]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_which_is_told_in_explain_and_beside_the_answer(dialect: str) -> None:
    assert domains(plan(BY, world_catalog(), dialect=dialect)) == [[FromPublic, Literals]]
    made = held_plan(BY, world_catalog(), dialect=dialect)
    assert domains(made) == [[PrivateKeys, Literals]]
    (note,) = (each for each in made.releases[0].bounded.notes if isinstance(each, Beside))
    assert '"d"."dept": there are more than 10000 public keys' in note
    assert "enough persons have, and none as 0" in note


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
@pytest.mark.parametrize(
    "sql",
    [
        BY,
        "SELECT d.dept, count(v.day) FROM departments d LEFT JOIN visits v USING (dept) GROUP BY d.dept",
        "SELECT d.dept, count(DISTINCT v.day), max(v.cost) FROM visits v JOIN departments d USING (dept) GROUP BY 1",
        f"{DEPARTMENTS} GROUP BY ROLLUP (d.dept, p.sex)",
        f"{BY} ORDER BY count(*) DESC LIMIT 1",
        "SELECT d.dept, (SELECT count(*) FROM visits v WHERE v.dept = d.dept) FROM departments d",
        "SELECT d.dept FROM departments d WHERE d.dept IN (SELECT dept FROM visits)",
        "SELECT d.building, string_agg(DISTINCT v.dept, ',') FROM visits v JOIN departments d USING (dept) GROUP BY 1",
        "SELECT p.sex, mode() WITHIN GROUP (ORDER BY d.building) FROM visits v JOIN departments d USING (dept) "
        "JOIN people p USING (person_id) GROUP BY p.sex",
        "SELECT dept FROM departments EXCEPT SELECT dept FROM visits",
    ],
)
def test_what_is_held_is_checked_as_any_other(sql: str, dialect: str) -> None:
    made = held_plan(sql, world_catalog(), dialect=dialect)
    assert FromPublic not in [each for keys in domains(made) for each in keys]
    check_plan(made, world_catalog(), dialect, TERMS.accounting)


def test_few_keys_of_some_grouping_set_stay_public() -> None:
    sets = domains(held_plan(f"{DEPARTMENTS} GROUP BY ROLLUP (p.sex, d.dept)", world_catalog(), size=6_000))
    assert sets == [[Literals, PrivateKeys], [Literals], []]


def test_rows_of_two_units_choose_none() -> None:
    """Such statements are refused before they are charged, as before."""
    with pytest.raises(NotPrivate, match="private keys"):
        held_plan(
            "SELECT n.nation, count(*) FROM people p JOIN customer c ON p.person_id = c.custkey "
            "JOIN nation n USING (nationkey) GROUP BY n.nation",
            world_catalog(),
        )


def asked() -> Question:
    return Question(BY, (), (), read_settings({"epsilon": "1"}, TERMS), names_of(world_catalog()), NOW)


def planning(seen: list[Question], fault: Exception | None = None) -> Callable[[Question], Awaitable[Plan]]:
    async def planned(question: Question) -> Plan:
        seen.append(question)
        if fault is not None and question.sizes:
            raise fault
        return plan_statement(question, world_catalog(), TERMS, "duckdb")

    return planned


def counted(size: int) -> Callable[[Plan], Awaitable[Sizes]]:
    async def sizes_of(made: Plan) -> Sizes:
        keys = (key.domain for each in made.releases for key in each.bounded.keys)
        return {each.sql: size for each in keys if isinstance(each, FromPublic)}

    return sizes_of


async def test_a_plan_is_made_anew_where_the_keys_are_too_many() -> None:
    seen: list[Question] = []
    assert domains(await with_room(asked(), planning(seen), counted(5_000))) == [[FromPublic, Literals]]
    assert domains(await with_room(asked(), planning(seen), counted(5_001))) == [[PrivateKeys, Literals]]
    assert [len(each.sizes) for each in seen] == [0, 0, 1]


async def test_what_cannot_be_held_is_refused_with_both_reasons() -> None:
    with pytest.raises(TooManyKeys, match=r"has 12000 public keys; .*: they choose none") as caught:
        await with_room(asked(), planning([], NotPrivate("they choose none")), counted(6_000))
    assert caught.value.hint
    with pytest.raises(QueryCanceled):
        await with_room(asked(), planning([], QueryCanceled("no more")), counted(6_000))


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Of a proxy over the small world, whose departments are 12,000."""
    directory = tmp_path_factory.mktemp("many")
    policy = make_world(directory)
    with duckdb.connect(str(directory / "world.duckdb")) as connection:
        connection.execute("INSERT INTO departments SELECT 'none ' || i, 'west', 1 FROM range(12000) AS r(i)")
    with serving(load(policy, {})) as proxy, psycopg.connect(proxy.dsn("alice"), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize(
    "sql, told",
    [
        (f"{BY} ORDER BY 1, 2", [(dept, sex) for dept in ("cardio", "neuro", "ortho") for sex in ("F", "M")]),
        (
            "SELECT d.dept, count(v.day) FROM departments d LEFT JOIN visits v USING (dept) GROUP BY 1 ORDER BY 1",
            [("cardio",), ("neuro",), ("ortho",)],
        ),
        (
            "SELECT d.building, count(*) FROM visits v JOIN departments d USING (dept) GROUP BY 1 ORDER BY 1",
            [("east",), ("north",), ("south",), ("west",)],
        ),
    ],
    ids=["joined", "left joined", "few values of many rows"],
)
def test_they_are_answered_with_a_notice(
    sql: str, told: list[tuple[Any, ...]], analyst: psycopg.Connection[Any]
) -> None:
    notices: list[str] = []
    analyst.add_notice_handler(lambda each: notices.append(each.message_primary or ""))
    lines = "\n".join(line for (line,) in analyst.execute(f"EXPLAIN (VERBOSE) {sql}").fetchall())
    rows = analyst.execute(sql).fetchall()
    assert [row[:-1] for row in rows] == told
    held = "building" not in sql
    assert ("there are more than 10000 public keys" in lines) == held
    assert any("there are more than 10000 public keys" in each for each in notices) == held
    assert spent(analyst) > 0


def test_what_cannot_be_held_is_not_charged(analyst: psycopg.Connection[Any]) -> None:
    rows = "FROM visits v JOIN departments d USING (dept) JOIN customer c ON c.custkey = v.person_id"
    before = spent(analyst)
    for explain in ("EXPLAIN ", ""):
        with pytest.raises(psycopg.errors.ProgramLimitExceeded, match="has 12004 public keys") as caught:
            analyst.execute(f"{explain}SELECT d.dept, count(*) {rows} GROUP BY d.dept")
        assert "narrow them with WHERE" in (caught.value.diag.message_hint or "")
    assert spent(analyst) == before
    analyst.execute(f"SELECT d.dept, count(*) {rows} WHERE d.building = 'north' GROUP BY d.dept")
    assert spent(analyst) > before


def spent(analyst: psycopg.Connection[Any]) -> Decimal:
    row = analyst.execute("SELECT spent_epsilon FROM dp.budget").fetchone()
    return Decimal(0) if row is None else row[0]
