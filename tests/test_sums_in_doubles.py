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
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.checker.engines import facts_of
from dpproxy.rewrite.checker.in_doubles import EXACT_UP_TO, clamped_in_doubles
from dpproxy.rewrite.checker.nodes import parsed
from dpproxy.rewrite.releases.in_doubles import held_in_doubles

IN_DOUBLES = "AS DOUBLE)), 0), 0)"
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


def test_numbers_of_both_signs_have_several() -> None:
    """So they are not added up so."""
    assert math.fsum([2.0**53, 1, -(2.0**53)]) == 1 and (2.0**53 + 1) - 2.0**53 == 0


@pytest.mark.parametrize("numbers", [[], [None], [3, None, 4], [2**53, 1, 1], [2**53 - 1, 1], [90, 11]])
def test_an_engine_has_the_same(numbers: list[int | None]) -> None:
    for most in (100, 2**53):
        select = exp.select(held_in_doubles(exp.column("x"), most)).from_("rows").sql("duckdb")
        with duckdb.connect() as engine:
            engine.execute("CREATE TABLE rows (x BIGINT)")
            engine.executemany("INSERT INTO rows VALUES (?)", [[each] for each in numbers]) if numbers else None
            assert engine.execute(select).fetchone() == (min(sum(each or 0 for each in numbers), most),)


def read(sql: str, engine: str) -> tuple[str, int] | None:
    return clamped_in_doubles(parsed(f"SELECT {sql}", engine).expressions[0], facts_of(engine))


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_one_form_is_read(engine: str) -> None:
    assert read(SUM, engine) == ("x", 100)
    assert read(SUM.replace("100", str(EXACT_UP_TO)), engine) == ("x", EXACT_UP_TO)
    assert clamped_in_doubles(None, facts_of(engine)) is None
    for old, new in (
        ("100", str(EXACT_UP_TO + 1)),
        ("), 0), 100", "), -1), 100"),
        ("), 0), 0)", "), 1), 0)"),
        ("AS BIGINT", "AS INT"),
        ("x AS DOUBLE", "x + 1 AS DOUBLE"),
        ("x AS DOUBLE", "x AS FLOAT"),
        ("SUM(", "MAX("),
        ("SUM(CAST(x AS DOUBLE))", "SUM(x)"),
    ):
        assert old in SUM and read(SUM.replace(old, new), engine) is None


def test_postgres_has_none() -> None:
    assert read(SUM.replace("DOUBLE", "DOUBLE PRECISION"), "postgres") is None


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
    (found,) = made.releases
    for old, new in (("< 0 THEN 0 ELSE", "< -1 THEN -1 ELSE"), ("m0 AS DOUBLE", "m0 AS REAL")):
        assert old in found.bounded.sql
        changed = replace(found, bounded=replace(found.bounded, sql=found.bounded.sql.replace(old, new)))
        with pytest.raises(CheckFault):
            check_plan(replace(made, releases=(changed,)), world_catalog(), "duckdb", Accounting.ZCDP)
