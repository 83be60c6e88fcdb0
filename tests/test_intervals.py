"""Bounds of arithmetic and functions: exact, and wide enough for what the engine computes in floating point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction

import duckdb
import pytest
from expression_world import parse
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from lanes import sized
from sqlglot import exp

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import parse_type
from dpproxy.rewrite.algebra.render import value_text
from dpproxy.rewrite.expressions import Scope, Typed, column_fact, total
from dpproxy.rewrite.expressions.facts.fact import Interval, exact
from dpproxy.rows import Value

EXACT: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "a + b": lambda a, b: a + b,
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a / b": lambda a, b: a / b,
    "a * a - b": lambda a, b: a * a - b,
    "-a": lambda a, b: -a,
    "abs(a)": lambda a, b: abs(a),
    "power(a, 2)": lambda a, b: a**2,
    "power(a, 3)": lambda a, b: a**3,
    "power(a, -1)": lambda a, b: 1 / a,
    "power(a, -2)": lambda a, b: 1 / a**2,
    "least(greatest(a, b), 100)": lambda a, b: min(max(a, b), Fraction(100)),
    "(a + b) / (a * a + 1)": lambda a, b: (a + b) / (a * a + 1),
}
ROUNDED = [
    *("sqrt(a)", "cbrt(a)", "ln(a)", "log(a)", "log(2, a)", "log(0.3, a)", "exp(a)", "power(a, 0.5)", "power(a, 1.5)"),
    *("power(a, -0.5)", "degrees(a)", "radians(a)", "round(a)", "floor(a)", "ceil(a)", "trunc(a)", "sign(a)"),
    *("sqrt(abs(a * b))", "ln(a * a + 1)", "a / 3 * b", "CAST(a AS real)", "CAST(a AS integer)", "exp(-a * a)"),
    *("CAST(a AS numeric(12,1))", "width_bucket(a, -10, 10, 7)", "greatest(a, 0) * least(b, 5)", "CAST(b AS bigint)"),
]
WHOLE = [
    "a / b",
    "a % b",
    "mod(a, 7)",
    "a / 3",
    "div(a, b)",
    "round(a, -1)",
    "a / b * b",
    "-a % b",
    "CAST(a AS smallint)",
]


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def values(type_: str) -> st.SearchStrategy[Value]:
    match type_:
        case "integer":
            return st.integers(-(2**31), 2**31 - 1) | st.integers(-100, 100)
        case "numeric(12,3)":
            return st.integers(-(10**12) + 1, 10**12 - 1).map(lambda n: Decimal(n).scaleb(-3)) | st.integers(
                -5000, 5000
            ).map(lambda n: Decimal(n).scaleb(-3))
        case _:
            wide = st.floats(-1e300, 1e300) | st.floats(-1e-300, 1e-300)
            return st.floats(-1e3, 1e3) | st.floats(-1.0, 1.0) | wide | st.integers(-50, 50).map(float)


def between(lower: Value, upper: Value, share: Fraction) -> Value:
    """A value of the type of both, that part of the way from the one to the other."""
    low, high = exact(lower), exact(upper)
    assert low is not None and high is not None
    point = low + (high - low) * share
    match lower:
        case Decimal():
            return Decimal(int(point * 1000)).scaleb(-3)
        case float():
            return min(max(float(point), float(low)), float(high))
    return int(point)


@st.composite
def worlds(draw: st.DrawFn, types: list[str]) -> tuple[Scope, str, list[tuple[Value, Value]]]:
    """Two columns within bounds, and rows of values within them, the bounds first."""
    columns, kept = [], []
    for name in "ab":
        type_ = draw(st.sampled_from(types))
        ends = sorted(draw(st.tuples(values(type_), values(type_))))  # type: ignore[type-var]
        shares = draw(st.lists(st.fractions(0, 1, max_denominator=1000), max_size=3))
        kept.append([*ends, *(between(ends[0], ends[1], share) for share in shares)])
        columns.append(TableColumn(name, parse_type(type_), bounds=(ends[0], ends[1])))
    rows = [(a, b) for a in kept[0] for b in kept[1]]
    scope = {("t", c.name): Typed(exp.column(c.name, "t", quoted=True), column_fact(c, True)) for c in columns}
    return scope, ", ".join(f"{c.name} {c.type}" for c in columns), rows


def computed(
    duck: duckdb.DuckDBPyConnection, typed: Typed, columns: str, rows: list[tuple[Value, Value]]
) -> list[Value]:
    types = [column.split(" ", 1)[1] for column in columns.split(", ")]
    cells = ", ".join(f"CAST(? AS {type_})" for type_ in types)
    table = f"(VALUES {', '.join(f'({cells})' for _ in rows)}) AS t(a, b)"
    found = duck.execute(
        f"SELECT {value_text(typed.sql, 'duckdb')} FROM {table}", [cell for row in rows for cell in row]
    )
    return [value for (value,) in found.fetchall()]


def inside(value: Value, interval: Interval) -> bool:
    number = exact(value)
    return value is None or (number is not None and interval.lower <= number <= interval.upper)


@pytest.mark.larger
@settings(max_examples=sized(20, 80, 800), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(EXACT)), worlds(["integer", "numeric(12,3)", "double precision"]))
def test_bounds_hold_exactly(
    duck: duckdb.DuckDBPyConnection, text: str, world: tuple[Scope, str, list[tuple[Value, Value]]]
) -> None:
    scope, columns, rows = world
    typed = total(parse(text), scope)
    assume(typed.fact.interval is not None and not ("/" in text and typed.fact.type.name == "integer"))
    assert typed.fact.interval is not None
    for row, value in zip(rows, computed(duck, typed, columns, rows), strict=True):
        a, b = (exact(cell) or Fraction(0) for cell in row)
        assert inside(value, typed.fact.interval), (text, row, value)
        assert typed.fact.proved is None or inside(value, typed.fact.proved), (text, row, value)
        true = EXACT[text](a, b)
        assert typed.fact.interval.lower <= true <= typed.fact.interval.upper, (text, row)


@pytest.mark.larger
@settings(max_examples=sized(30, 120, 1200), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_bounds_hold_for_what_is_computed(duck: duckdb.DuckDBPyConnection, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([*ROUNDED, *WHOLE]))
    types = ["integer"] if text in WHOLE else ["integer", "numeric(12,3)", "double precision"]
    scope, columns, rows = data.draw(worlds(types))
    typed = total(parse(text), scope)
    event("bounded" if typed.fact.interval else "unbounded")
    for row, value in zip(rows, computed(duck, typed, columns, rows), strict=True):
        assert value is not None or typed.fact.nullable, (text, row)
        assert typed.fact.interval is None or inside(value, typed.fact.interval), (text, row, value)
        assert typed.fact.proved is None or inside(value, typed.fact.proved), (text, row, value)


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("power(a, 2)", 0, 400),
        ("power(a, 3)", -1000, 8000),
        ("a * b", -10, 20),
        ("a / (b + 1)", -10, 20),
        ("abs(a) % 7", 0, 6),
        ("a * a", -200, 400),
        ("least(greatest(a, 0), 1e5)", 0, 20),
    ],
)
def test_bounds_are_no_wider_than_need_be(text: str, lower: int, upper: int) -> None:
    scope: Scope = {
        ("t", name): Typed(
            exp.column(name, "t"), column_fact(TableColumn(name, parse_type("integer"), bounds=ends), True)
        )
        for name, ends in (("a", (-10, 20)), ("b", (0, 1)))
    }
    assert total(parse(text), scope).fact.interval == Interval(Fraction(lower), Fraction(upper))


def test_a_clip_bounds_what_had_none() -> None:
    y = Typed(exp.column("y", "t"), column_fact(TableColumn("y", parse_type("double precision")), True))
    clipped = total(parse("least(greatest(y * y / 3, 0), 1e5)"), {("t", "y"): y}).fact
    assert clipped.interval == Interval(Fraction(0), Fraction(100000))
    assert total(parse("y * y / 3"), {("t", "y"): y}).fact.interval is None


def test_powers_past_a_double_are_unbounded() -> None:
    scope: Scope = {
        ("t", "a"): Typed(
            exp.column("a", "t"),
            column_fact(TableColumn("a", parse_type("double precision"), bounds=(1.0, 1e300)), True),
        )
    }
    for text in ("power(a, 1.5)", "power(a, 2)", "exp(a)", "degrees(a * 1e7)"):
        assert total(parse(text), scope).fact.interval is None, text
