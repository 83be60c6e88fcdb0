"""Sums of whole numbers in floating point: that they are what they would be in whole numbers, in whatever order, also
where a unit has more than a double tells apart; and where the checker does not take them."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import duckdb
import pytest
from sqlglot import exp
from uncapped import policy, uncapped
from worlds import plan, world_catalog

from dpproxy.accounting.loss import Accounting
from dpproxy.engines import dialects
from dpproxy.engines.dialects import dialect_of
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.in_doubles import EXACT_UP_TO, SIGNED_UP_TO, read_in_doubles
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.releases.in_doubles import held_in_doubles, held_with_signs

IN_DOUBLES = "AS DOUBLE)), 0), 0)"
WITH_SIGNS = "CASE WHEN COUNT(*) <= 1073741824 THEN COALESCE(SUM(CAST(m0 AS DOUBLE)), 0) ELSE 0 END"
SIGNED = f"CAST(LEAST(GREATEST({WITH_SIGNS}, -7), 100) AS BIGINT)".replace("m0", "x")
SUM = "CAST(LEAST(GREATEST(COALESCE(SUM(CAST(x AS DOUBLE)), 0), 0), 100) AS BIGINT)"


def added(numbers: list[int], random: Random) -> float:
    """Two of them, or of what was made of them, at a time, in any order."""
    sums = [float(number) for number in numbers]
    while len(sums) > 1:
        one = sums.pop(random.randrange(len(sums)))
        sums.append(sums.pop(random.randrange(len(sums))) + one)
    return sums[0]


@pytest.mark.parametrize("most", [1, 2**45, 2**52 + 1, 2**53 - 1, 2**53])
def test_any_order_has_one_sum(most: int) -> None:
    random = Random(most)
    for _ in range(300):
        largest = random.choice([1, 3, 2**30, 2**51 + 1, 2**53 - 1, 2**53])
        numbers = [random.choice([0, 1, random.randint(0, largest), largest]) for _ in range(random.randint(1, 40))]
        assert int(min(added(numbers, random), float(most))) == min(sum(numbers), most)


def test_small_numbers_of_both_signs_have_one_sum() -> None:
    random = Random(7)
    for _ in range(300):
        largest = random.choice([1, 3, 2**20 + 1, 2**23 - 1, 2**23])
        numbers = [random.choice([-largest, 0, largest, random.randint(-largest, largest)]) for _ in range(40)]
        assert added(numbers, random) == sum(numbers)
    assert added([2**23 * 2**30 - 2**23, 2**23], random) == 2**53


def test_numbers_of_both_signs_have_several() -> None:
    """So they are not added up so, unless they are small, and few."""
    assert math.fsum([2.0**53, 1, -(2.0**53)]) == 1 and (2.0**53 + 1) - 2.0**53 == 0


@pytest.mark.parametrize("numbers", [[], [None], [3, None, 4], [2**53, 1, 1], [2**53 - 1, 1], [90, 11]])
def test_an_engine_has_the_same(numbers: list[int | None]) -> None:
    for most in (100, 2**53):
        select = exp.select(held_in_doubles(exp.column("x"), most)).from_("rows").sql("duckdb")
        with duckdb.connect() as engine:
            engine.execute("CREATE TABLE rows (x BIGINT)")
            engine.executemany("INSERT INTO rows VALUES (?)", [[each] for each in numbers]) if numbers else None
            assert engine.execute(select).fetchone() == (min(sum(each or 0 for each in numbers), most),)


@pytest.mark.parametrize("numbers", [[], [None], [3, None, -4], [-(2**23), 1, 1], [2**23, 2**23], [-90, -11]])
def test_an_engine_has_the_same_with_signs(numbers: list[int | None]) -> None:
    for least, most in ((-100, 50), (-(2**53), 2**53)):
        select = exp.select(held_with_signs(exp.column("x"), least, most)).from_("rows").sql("duckdb")
        with duckdb.connect() as engine:
            engine.execute("CREATE TABLE rows (x BIGINT)")
            engine.executemany("INSERT INTO rows VALUES (?)", [[each] for each in numbers]) if numbers else None
            assert engine.execute(select).fetchone() == (max(min(sum(each or 0 for each in numbers), most), least),)


def test_of_more_rows_none_is_told() -> None:
    select = exp.select(held_with_signs(exp.column("x"), -9, 9)).from_("rows").sql("duckdb").replace("1073741824", "2")
    with duckdb.connect() as engine:
        for rows, told in (("(4), (-2)", 2), ("(4), (-2), (1)", 0)):
            assert engine.execute(f"WITH rows(x) AS (VALUES {rows}) {select}").fetchone() == (told,)


def read(sql: str, engine: str) -> tuple[str, int, int, tuple[int, int]] | None:
    found = read_in_doubles(parsed(f"SELECT {sql}", engine).expressions[0], facts_of(engine))
    return None if found is None else (found.added.sql(), found.least, found.most, found.room)


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_one_form_is_read(engine: str) -> None:
    room = (0, EXACT_UP_TO)
    assert read(SUM, engine) == ("x", 0, 100, room)
    assert read(SUM.replace("100", str(EXACT_UP_TO)), engine) == ("x", 0, EXACT_UP_TO, room)
    assert read(SUM.replace("x AS DOUBLE", "x + 1 AS DOUBLE"), engine) == ("x + 1", 0, 100, room)
    assert read_in_doubles(None, facts_of(engine)) is None
    for old, new in (
        ("100", str(EXACT_UP_TO + 1)),
        ("), 0), 100", "), -1), 100"),
        ("), 0), 0)", "), 1), 0)"),
        ("AS BIGINT", "AS INT"),
        ("x AS DOUBLE", "x AS FLOAT"),
        ("SUM(", "MAX("),
        ("SUM(CAST(x AS DOUBLE))", "SUM(x)"),
    ):
        assert old in SUM and read(SUM.replace(old, new), engine) is None


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_one_form_with_signs_is_read(engine: str) -> None:
    assert read(SIGNED, engine) == ("x", -7, 100, (-SIGNED_UP_TO, SIGNED_UP_TO))
    for old, new in (
        (" 100)", f" {EXACT_UP_TO + 1})"),
        ("-7", f"-{EXACT_UP_TO + 1}"),
        ("1073741824", "1073741825"),
        ("<=", "<"),
        ("<=", ">="),
        ("COUNT(*)", "COUNT(x)"),
        ("COUNT(*)", "MAX(x)"),
        ("ELSE 0", "ELSE 1"),
        (" ELSE 0", ""),
        ("ELSE 0", "WHEN MAX(x) > 0 THEN 9 ELSE 0"),
        ("), 0) ELSE", "), 1) ELSE"),
        ("AS BIGINT", "AS INT"),
        ("x AS DOUBLE", "x AS FLOAT"),
        ("SUM(CAST(x AS DOUBLE))", "SUM(x)"),
    ):
        assert old in SIGNED and read(SIGNED.replace(old, new), engine) is None, new


def test_postgres_has_none() -> None:
    assert read(SIGNED.replace("DOUBLE", "DOUBLE PRECISION"), "postgres") is None
    assert read(SUM.replace("DOUBLE", "DOUBLE PRECISION"), "postgres") is None


def test_spark_adds_up_small_numbers_with_signs() -> None:
    for sql, has in (
        ("SELECT sum(quantity - 40) FROM lineitem", True),
        ("SELECT avg(quantity) FROM lineitem", True),
        ("SELECT sum(quantity) FROM lineitem", False),
        ("SELECT sum((quantity - 40) * 1000000) FROM lineitem", False),
    ):
        made = plan(sql, world_catalog(), dialect="spark")
        check_plan(made, world_catalog(), "spark", Accounting.ZCDP)
        assert any(WITH_SIGNS.replace("m0", name) in made.releases[0].bounded.sql for name in ("m0", "m1")) is has, sql
    made = uncapped("SELECT sum(greatest(least(quantity - 40, 10), -10)) FROM lineitem", dialect="spark")
    check_plan(made, policy(), "spark", Accounting.ZCDP)
    assert WITH_SIGNS in made.releases[0].bounded.sql


def test_spark_adds_up_what_is_not_below_zero() -> None:
    for sql, has in (
        ("SELECT sum(quantity) FROM lineitem", True),
        ("SELECT count(*) FILTER (WHERE quantity > 3) FROM lineitem", True),
        ("SELECT count(*) FROM lineitem", False),
        ("SELECT sum(quantity - 40) FROM lineitem", False),
    ):
        for made, catalog in (
            (plan(sql, world_catalog(), dialect="spark"), world_catalog()),
            (uncapped(sql, Accounting.ZCDP, dialect="spark"), policy()),
        ):
            check_plan(made, catalog, "spark", Accounting.ZCDP)
            assert (IN_DOUBLES in made.releases[0].bounded.sql) is has


def test_what_may_be_below_zero_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), adds_in_doubles=True))
    made = plan("SELECT sum(quantity) FROM lineitem", world_catalog())
    check_plan(made, world_catalog(), "duckdb", Accounting.ZCDP)
    _are_refused(made, ("< 0 THEN 0 ELSE", "< -1 THEN -1 ELSE"), ("m0 AS DOUBLE", "m0 AS REAL"))


def test_what_has_no_room_with_signs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(dialects._REGISTERED, "duckdb", replace(dialect_of("duckdb"), adds_in_doubles=True))
    made = plan("SELECT sum(quantity - 40) FROM lineitem", world_catalog())
    check_plan(made, world_catalog(), "duckdb", Accounting.ZCDP)
    _are_refused(
        made,
        (WITH_SIGNS, "COALESCE(SUM(CAST(m0 AS DOUBLE)), 0)"),
        (WITH_SIGNS, WITH_SIGNS.replace("1073741824", "2147483648")),
        (WITH_SIGNS, WITH_SIGNS.replace("COUNT(*)", "COUNT(m0)")),
        (WITH_SIGNS, WITH_SIGNS.replace("m0", "k0")),
        ("< (-4000) THEN -4000 ELSE", "< (-8388609) THEN -8388609 ELSE"),
        ("> 1000 THEN 1000", "> 8388609 THEN 8388609"),
    )


def _are_refused(made: Plan, *changes: tuple[str, str]) -> None:
    (found,) = made.releases
    for old, new in changes:
        assert old in found.bounded.sql, found.bounded.sql
        changed = replace(found, bounded=replace(found.bounded, sql=found.bounded.sql.replace(old, new)))
        with pytest.raises(CheckFault):
            check_plan(replace(made, releases=(changed,)), world_catalog(), "duckdb", Accounting.ZCDP)
