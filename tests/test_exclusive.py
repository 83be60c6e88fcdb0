"""Conditions of which no row meets two: what is said to be so is, over rows of all values that could tell."""

from __future__ import annotations

from itertools import combinations

import duckdb
import pytest
from sqlglot import exp, parse_one

from dpproxy.catalog.types import parse_type
from dpproxy.rewrite.expressions import exclusive, left_by
from dpproxy.rewrite.expressions.facts.fact import Fact, Scope, Typed, step_of_type

TYPES = {"n": "integer", "x": "double precision", "d": "numeric(6,2)", "t": "text", "b": "boolean", "day": "date"}
VALUES = {
    "n": "NULL, -1, 0, 1, 2, 3, 9, 10, 11",
    "x": "NULL, -1.5::DOUBLE, 0::DOUBLE, 1::DOUBLE, 2::DOUBLE, 2.5::DOUBLE, 'NaN'::DOUBLE",
    "d": "NULL, 0::DECIMAL(6,2), 0.99::DECIMAL(6,2), 1::DECIMAL(6,2), 1.01::DECIMAL(6,2), 2::DECIMAL(6,2)",
    "t": "NULL, '', 'a', 'a ', 'A', 'b', 'c'",
    "b": "NULL, false, true",
    "day": "NULL, DATE '2024-01-31', DATE '2024-02-01', DATE '2024-02-29', DATE '2025-02-01'",
}
CONDITIONS = (
    "n = 1", "n <> 1", "n IN (1, 2)", "n NOT IN (1, 2)", "n < 1", "n <= 1", "n > 1", "n >= 1", "1 < n", "1.0 = n",
    "n BETWEEN 2 AND 9", "n NOT BETWEEN 2 AND 9", "n IS NULL", "n IS NOT NULL", "n = 1 OR n = 9", "n < 0 OR n > 2",
    "NOT (n = 1)", "NOT (n < 1 OR n > 2)", "n > 1 AND n <= 9", "n > 9", "n % 2 = 0", "n % 2 = 1", "n % 2 <> 0",
    "x < 1", "x >= 1", "x > 1", "x = 1", "x <= 2.5", "x > 2.5", "x IS NULL", "NOT (x < 1)", "x BETWEEN 0 AND 1",
    "d < 1", "d >= 1", "d = 1", "d > 1.00", "d BETWEEN 0 AND 0.99", "d IN (1, 2)", "d = 0.990",
    "t = 'a'", "t = 'A'", "t = 'a '", "t <> 'a'", "t IN ('a', 'b')", "t = 'c' OR t = 'b'", "t LIKE 'a%'", "t < 'b'",
    "t <> 'a' AND t <> 'b'", "t IS NULL", "t = ''", "upper(t) = 'A'", "upper(t) <> 'A'", "t NOT IN ('a', 'b')",
    "b", "NOT b", "b IS NULL", "b IS TRUE", "b IS NOT TRUE", "b IS NOT DISTINCT FROM true", "n = 1 AND b",
    "n = 1 AND NOT b",
    "day < DATE '2024-02-01'", "day >= DATE '2024-02-01'", "day = DATE '2024-02-01'", "day < '2024-02-01'",
    "extract(year FROM day) = 2024", "extract(year FROM day) = 2025", "extract(month FROM day) = 2",
    "day BETWEEN '2024-01-01' AND '2024-01-31'", "day IN ('2024-02-01', '2024-2-1')", "n IS NOT DISTINCT FROM 1",
    "n = n", "n <> n", "n < x", "n >= x", "x < n", "true", "false", "NULL", "n = NULL", "b = b", "(n = 1) = b",
)  # fmt: skip


def scope() -> Scope:
    """A column of each type, of whose values nothing is known."""
    found = {}
    for name, kind in TYPES.items():
        type_ = parse_type(kind)
        fact = Fact(type_, None, None, None, nullable=True, private=True, step=step_of_type(type_))
        found["t", name] = Typed(exp.column(name, table="t"), fact)
    return found


def condition(text: str) -> exp.Expression:
    """A condition of the analyst's, whose names are bound."""
    made = parse_one(text, dialect="postgres")
    for column in made.find_all(exp.Column):
        column.set("table", exp.to_identifier("t"))
    assert isinstance(made, exp.Expression)
    return made


def test_no_row_meets_two_of_those_that_are_said_to_be_exclusive() -> None:
    engine = duckdb.connect()
    rows = " CROSS JOIN ".join(f"(SELECT unnest([{values}]) AS {name}) AS {name}_" for name, values in VALUES.items())
    engine.execute(f"CREATE TABLE t AS SELECT * FROM {rows}")
    told = [parse_one(each, dialect="postgres").sql(dialect="duckdb") for each in CONDITIONS]
    items = ", ".join(f"coalesce(({each}), false)" for each in told)
    met = engine.execute(f"SELECT DISTINCT {items} FROM t").fetchall()
    known, made, said = scope(), list(map(condition, CONDITIONS)), 0
    for one, other in combinations(range(len(CONDITIONS)), 2):
        if exclusive([made[one], made[other]], known):
            said += 1
            assert not any(row[one] and row[other] for row in met), (CONDITIONS[one], CONDITIONS[other])
    assert said > 150


@pytest.mark.parametrize(
    "conditions",
    [
        ("t = 'a'", "t = 'b'", "t NOT IN ('a', 'b')", "t IS NULL"),
        ("t = 'a' OR t = 'b'", "t <> 'a' AND t <> 'b'"),
        ("n < 10", "n >= 10 AND n < 20", "n BETWEEN 20 AND 29", "n > 29"),
        ("x < 0.5", "x >= 0.5 AND x < 1.5", "x >= 1.5"),
        ("b", "NOT b", "b IS NULL"),
        ("day < '2024-01-01'", "day >= '2024-01-01'"),
        ("extract(month FROM day) = 1", "extract(month FROM day) = 2", "extract(month FROM day) IN (3, 4)"),
        ("upper(t) = 'A' AND n > 1", "upper(t) = 'A' AND NOT (n > 1)", "upper(t) <> 'A'"),
    ],
)
def test_usual_ones_are_seen(conditions: tuple[str, ...]) -> None:
    assert exclusive([condition(each) for each in conditions], scope())


@pytest.mark.parametrize(
    "conditions",
    [
        ("n < 10", "n < 20"),
        ("t = 'a'", "n = 1"),
        ("t = 'a'", "upper(t) = 'A'"),
        ("day = '2024-02-01'", "day = '2024-2-1'"),
        ("n = 1", "n = 2", "n IN (2, 3)"),
        ("d = 1", "d = 1.00"),
        ("x <= 1", "x >= 1"),
    ],
)
def test_a_row_may_meet_two_of_others(conditions: tuple[str, ...]) -> None:
    assert not exclusive([condition(each) for each in conditions], scope())


def test_what_the_policy_believes_is_no_reason() -> None:
    """A row may lie outside of bounds that were declared."""
    known = scope()
    fact = known["t", "n"].fact
    narrow = {**known, ("t", "n"): Typed(known["t", "n"].sql, Fact(fact.type, None, None, (1, 2), False, True, None))}
    assert not exclusive([condition("n = 7"), condition("n > 2")], narrow)


def test_how_many_known_values_are_left() -> None:
    known = dict(scope())
    fact = known["t", "t"].fact
    known["t", "t"] = Typed(known["t", "t"].sql, Fact(fact.type, None, None, ("a", "b", "c"), True, True, None))

    def left(*conditions: str) -> list[int] | None:
        return left_by([condition(each) for each in conditions], known)

    assert left("t = 'a'", "t IN ('b', 'c')", "t <> 'a' AND t <> 'b'") == [1, 2, 1]
    assert left("extract(month FROM day) = 1", "extract(month FROM day) IN (2, 3)") == [1, 2]
    assert left("n = 1", "n = 2") is None, "nobody said what values there are"
    assert left("t = 'a'", "n = 2") is None
    assert left("b", "NOT b") is None, "one is rare, as a rule"
    assert left("extract(year FROM day) = 2024", "extract(year FROM day) <> 2024") is None
