"""Expressions over private rows: their total forms, what is known of them, and that both are true of the engine."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

import duckdb
import psycopg
import pytest
from expression_world import ORDINARY, SCOPE, anything, create, engine, engine_text, numbers, parse, query_text, rows_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanes import sized
from scratch_postgres import INSTALLATIONS, scratch_postgres
from sql_cases import FIXTURES, Case, each_of
from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.errors import BoundsRequired, DPProxyError, FeatureNotSupported
from dpproxy.rewrite.checker.nodes import columns_of, parsed
from dpproxy.rewrite.expressions import (
    Typed,
    condition,
    conjuncts,
    grid_step,
    narrow,
    position,
    step_range,
    steps,
    total,
)
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, exact

FIXTURE = FIXTURES / "rewrite" / "expressions.sql"
ROWS = 60


def generated(examples: int) -> settings:
    examples = sized(examples // 3, examples, 10 * examples)
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with engine() as connection:
        yield connection


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    if not INSTALLATIONS:
        pytest.skip("no Postgres on this machine")
    with (
        scratch_postgres(next(iter(INSTALLATIONS.values()))) as server,
        psycopg.connect(server.conninfo, autocommit=True) as connection,
    ):
        connection.execute(create())
        connection.execute(f"INSERT INTO t VALUES {', '.join(rows_of(ORDINARY, ROWS))}")
        connection.execute("ALTER TABLE t ADD at serial")
        yield connection


def run(duck: duckdb.DuckDBPyConnection, typed: Typed, table: str) -> list[object]:
    return [row[0] for row in duck.execute(query_text(table, "duckdb", v=typed.sql)).fetchall()]


def told(value: object) -> object:
    """A value of a domain, or of the engine: what a numeric holds comes as a double where the engine has one."""
    return float(value) if isinstance(value, Decimal | int) and not isinstance(value, bool) else value


# Fixtures: title, expression, `-- =>`, the engine's SQL (Postgres's below it where it differs), and what is known.


def outcome(sql: str, duck: duckdb.DuckDBPyConnection) -> str:
    try:
        typed = total(parse(sql.rstrip(";")), SCOPE)
    except DPProxyError as fault:
        offset = fault.position - len("SELECT ") if fault.position else 0
        place = f" at {offset} ({sql[offset - 1 :][:12]!r})" if offset else ""
        return f"-- {fault.sqlstate}{place}: {fault.message}\n-- HINT: {fault.hint}"
    run(duck, typed, "t")
    texts = dict.fromkeys(engine_text(typed.sql, dialect) for dialect in ("duckdb", "postgres"))
    return "\n".join([*(f"{text};" for text in texts), f"-- {known(typed.fact)}"])


def known(fact: Fact) -> str:
    parts = [str(fact.type), f"held as {fact.engine}" if fact.engine != fact.type else "", "nullable" * fact.nullable]
    for word, interval in (("", fact.interval), ("proved ", fact.proved)):
        parts.append(f"{word}[{float(interval.lower):g}, {float(interval.upper):g}]" if interval else "")
    parts.append(f"one of {listed(fact.domain)}" if fact.domain is not None else "")
    parts.append(f"step {fact.step}" if fact.step is not None else "")
    return "; ".join(part for part in parts if part)


def listed(values: Sequence[object]) -> str:
    few = len(values) <= 20
    return ", ".join(map(str, values)) if few else f"{values[0]}, {values[1]}, … {values[-1]} ({len(values)})"


@each_of([FIXTURE])
def test_fixtures(case: Case, duck: duckdb.DuckDBPyConnection, compare: Callable[[Case, str], None]) -> None:
    compare(case, outcome(f"{case.sql};", duck))


# Whatever the rows hold.


def admitted(text: str) -> Typed | None:
    try:
        return total(parse(text), SCOPE)
    except DPProxyError:
        return None


@pytest.mark.larger
@generated(250)
@given(anything())
def test_generated_expressions_are_total(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    typed = admitted(text)
    if typed is not None:
        for value in run(duck, typed, "t"):
            assert typed.fact.proved is None or within(value, typed.fact.proved), (text, value, typed.fact.proved)


@pytest.mark.larger
@generated(200)
@given(anything())
def test_what_is_believed_holds_where_the_owner_was_right(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    typed = admitted(text)
    if typed is None:
        return
    fact = typed.fact
    for value in run(duck, typed, "ordinary"):
        assert value is not None or fact.nullable, text
        assert fact.interval is None or within(value, fact.interval), (text, value, fact.interval)
        assert fact.domain is None or value is None or told(value) in map(told, fact.domain), (text, value, fact.domain)
        assert fact.scale is None or fact.step is None or on_grid(value, fact.step), (text, value, fact.step)


def within(value: object, interval: Interval) -> bool:
    """NULL is; dates past Python's calendar come as text and are left out."""
    if value is None or isinstance(value, str):
        return True
    number = exact(value)  # type: ignore[arg-type]
    return number is not None and interval.lower <= number <= interval.upper


def on_grid(value: object, step: Decimal) -> bool:
    number = exact(value)  # type: ignore[arg-type]
    return number is None or number % Fraction(step) == 0


@pytest.mark.larger
@generated(200)
@given(anything())
def test_the_checker_admits_what_is_generated(text: str) -> None:
    typed = admitted(text)
    if typed is not None:
        tree = parsed(f"SELECT {engine_text(typed.sql, 'duckdb')} AS m0 FROM t", "duckdb")
        assert list(columns_of(tree.expressions[0].this)) or not typed.fact.private


# The same as Postgres.


@pytest.mark.larger
@generated(250)
@given(anything())
def test_the_same_as_postgres(duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, text: str) -> None:
    typed = admitted(text)
    theirs = None if typed is None else of_postgres(postgres, text)
    if typed is None or theirs is None or "é" in text:
        return
    tolerance = 1e-5 if re.search(r"\b(r|real)\b", text) else 1e-9
    for mine, other in zip(run(duck, typed, "ordinary"), theirs, strict=True):
        assert same(mine, other, tolerance), (text, mine, other)


def of_postgres(postgres: psycopg.Connection, text: str) -> list[object] | None:
    """What Postgres makes of the analyst's own words; None where it raises, or gives days past Python's calendar."""
    try:
        return [row[0] for row in postgres.execute(f"SELECT {text} FROM t ORDER BY at").fetchall()]  # type: ignore[arg-type]
    except psycopg.Error:
        return None


def same(mine: object, other: object, tolerance: float) -> bool:
    numeric = int | float | Decimal
    if not isinstance(mine, numeric) or not isinstance(other, numeric) or isinstance(mine, bool):
        return mine == other
    left, right = float(mine), float(other)
    if not (math.isfinite(left) and math.isfinite(right)):
        return str(left) == str(right) or math.isinf(left)
    return abs(left - right) <= tolerance * max(1e-3, abs(left), abs(right))


@pytest.mark.parametrize(
    "text",
    [
        "round(y * 2)",
        "i4 / 7",
        "-i4 / 7",
        "-i4 % 7",
        "n % 0.3",
        "n::int",
        "y::int",
        "(n / 3)::numeric(10,1)",
        "round(n, 1)",
    ],
)
def test_roundings_are_those_of_postgres(
    duck: duckdb.DuckDBPyConnection, postgres: psycopg.Connection, text: str
) -> None:
    typed, theirs = admitted(text), of_postgres(postgres, text)
    assert typed is not None and theirs is not None
    assert [float(value) if value is not None else None for value in run(duck, typed, "ordinary")] == [  # type: ignore[arg-type]
        float(value) if value is not None else None  # type: ignore[arg-type]
        for value in theirs
    ]


@pytest.mark.larger
@generated(150)
@given(anything())
def test_types_are_those_of_postgres(postgres: psycopg.Connection, text: str) -> None:
    typed = admitted(text)
    if typed is None or "NULL" in text or "varchar" in text or "date_trunc" in text:
        return
    try:
        cursor = postgres.execute(f"SELECT {text} FROM t LIMIT 0")  # type: ignore[arg-type]
    except psycopg.Error:
        return
    assert cursor.description is not None
    name = postgres.execute("SELECT format_type(%s, NULL)", (cursor.description[0].type_code,)).fetchone()
    assert name == (typed.fact.type.name,), text


# The grid.


@pytest.mark.larger
@generated(200)
@given(
    numbers(1),
    st.fractions(-(10**6), 10**6, max_denominator=1000),
    st.fractions(0, 10**6, max_denominator=1000),
    st.sampled_from(["1", "0.01", "0.5", "1000", "3", "0.0001"]),
    st.integers(-1000, 1000),
)
def test_steps_stay_in_range(
    duck: duckdb.DuckDBPyConnection, text: str, lower: Fraction, width: Fraction, step: str, centre: int
) -> None:
    typed = admitted(text)
    if typed is None or typed.fact.type.family is Family.TEXT:
        return
    least, most = step_range(lower, lower + width, Decimal(centre), Decimal(step))
    tree = steps(typed, lower, lower + width, Decimal(centre), Decimal(step))
    parsed(f"SELECT {engine_text(tree, 'duckdb')} AS m0 FROM t", "duckdb")
    sql = steps(typed, lower, lower + width, Decimal(centre), Decimal(step))
    rows = duck.execute(query_text("t", "duckdb", v=typed.sql, s=sql)).fetchall()
    for value, counted in rows:
        absent = value is None or (isinstance(value, float) and math.isnan(value))
        assert (counted is None) == absent, (text, value)
        assert counted is None or least <= counted <= most
        if counted is not None and math.isfinite(value):
            clamped = min(max(Fraction(value), lower), lower + width)
            assert abs(counted - (clamped - centre) / Fraction(step)) <= 1, (text, value, counted)


def test_steps_are_exact_on_the_grid(duck: duckdb.DuckDBPyConnection) -> None:
    sql = engine_text(steps(SCOPE["t", "n"], Fraction(-1000), Fraction(100000), Decimal(0), Decimal("0.01")), "duckdb")
    rows = duck.execute(f"SELECT n, {sql} FROM ordinary AS t WHERE n IS NOT NULL").fetchall()
    assert rows and all(counted == value * 100 for value, counted in rows)


def test_step_of_the_grid() -> None:
    assert grid_step(SCOPE["t", "i4"].fact) == 1
    assert grid_step(SCOPE["t", "n"].fact) == Decimal("0.01")
    assert grid_step(SCOPE["t", "x"].fact) == Decimal("0.1")
    assert grid_step(total(parse("n * (1 - rate)"), SCOPE).fact) == Decimal("0.000001")


def test_a_range_of_too_many_steps_is_refused() -> None:
    with pytest.raises(BoundsRequired):
        step_range(Fraction(0), Fraction(10**18), Decimal(0), Decimal("0.1"))


# What conditions say of columns.


@pytest.mark.parametrize(
    ("where", "column", "lower", "upper"),
    [
        ("i4 >= 18", "i4", 18, 120),
        ("i4 > 18 AND 65 > i4", "i4", 19, 64),
        ("i4 BETWEEN 20 AND 30", "i4", 20, 30),
        ("i4 = 40", "i4", 40, 40),
        ("i4 IN (3, 9, 5)", "i4", 3, 9),
        ("i4 < 10 OR i4 BETWEEN 5 AND 50", "i4", 0, 50),
        ("i4 < 10 OR i2 = 1", "i4", 0, 120),
        ("NOT (i4 > 50)", "i4", 0, 50),
        ("i4 > 500", "i4", 0, 120),
        ("y >= 0 AND y <= 1e3", "y", 0, 1000),
        ("d >= '2024-01-01' AND d < DATE '2025-01-01'", "d", 19723, 20088),
        ("d >= '2024-01-01' AND d <= DATE '2024-01-01' + INTERVAL '1 month'", "d", 19723, 19754),
        ("n < 0.5", "n", -1000, 0.5),
    ],
)
def test_conditions_narrow_intervals(where: str, column: str, lower: float, upper: float) -> None:
    fact = narrow(conjuncts(parse(where)), SCOPE)["t", column].fact
    assert fact.interval == Interval(Fraction(lower), Fraction(upper))
    assert fact.proved == SCOPE["t", column].fact.proved


def test_conditions_narrow_values_and_nullability() -> None:
    scope = narrow(conjuncts(parse("sex <> 'M' AND v IN ('a', 'b') AND ok AND code > 1 AND d IS NOT NULL")), SCOPE)
    assert scope["t", "v"].fact.domain == ("a", "b")
    assert scope["t", "ok"].fact.domain == (True,)
    assert scope["t", "code"].fact.domain == (2, 3)
    assert [scope["t", name].fact.nullable for name in ("v", "ok", "code", "d", "n")] == [
        False,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.larger
@generated(200)
@given(st.data())
def test_narrowed_beliefs_hold_for_the_rows_that_remain(duck: duckdb.DuckDBPyConnection, data: st.DataObject) -> None:
    compare = st.sampled_from(["<", "<=", ">", ">=", "="])
    simple = st.builds(
        lambda column, sign, constant: f"{column} {sign} {constant}",
        st.sampled_from(["i4", "i2", "n", "x", "y", "code"]),
        compare,
        st.sampled_from(["-3", "0", "2.5", "40", "100"]),
    )
    join: Callable[[str, str, str], str] = lambda left, word, right: f"({left} {word} {right})"  # noqa: E731
    text = data.draw(st.recursive(simple, lambda inner: st.builds(join, inner, st.sampled_from(["AND", "OR"]), inner)))
    where = engine_text(condition(parse(text), SCOPE).sql, "duckdb")
    scope = narrow([parse(text)], SCOPE)
    for (_, name), typed in scope.items():
        if typed.fact == SCOPE["t", name].fact:
            continue
        for (value,) in duck.execute(f'SELECT t."{name}" FROM ordinary AS t WHERE {where}').fetchall():
            assert value is not None or typed.fact.nullable
            assert typed.fact.interval is None or within(value, typed.fact.interval), (text, name, value)
            assert typed.fact.domain is None or value is None or value in typed.fact.domain


def test_conjuncts() -> None:
    assert [part.sql() for part in conjuncts(parse("(i4 = 1 AND ok) AND (sex = 'F' OR ok)"))] == [
        "t.i4 = 1",
        "t.ok",
        "t.sex = 'F' OR t.ok",
    ]
    assert conjuncts(None) == ()


# Odds and ends.


def test_positions_are_those_of_the_text() -> None:
    assert position(parse("i4 + tan(x)")) == len("SELECT ") + 1
    with pytest.raises(FeatureNotSupported) as caught:
        total(parse("i4 + tan(x)"), SCOPE)
    assert caught.value.position == len("SELECT i4 + ") + 1


def test_what_is_nested_grows_by_what_is_written(duck: duckdb.DuckDBPyConnection) -> None:
    """Each guarded step is computed once, and has a name."""
    lengths = []
    for depth in (5, 10, 20, 40):
        text = "y"
        for _ in range(depth):
            text = f"sqrt({text} - 1)"
        sql = query_text("t", "duckdb", v=total(parse(text), SCOPE).sql)
        duck.execute(sql).fetchall()
        lengths.append(len(sql) / depth)
    assert max(lengths) < 1.2 * min(lengths)


def test_every_rule_says_which_arguments_it_reads() -> None:
    column = exp.column("i4", "t")
    with pytest.raises(FeatureNotSupported):
        total(exp.Round(this=column, decimals=exp.Literal.number(1), truncate=exp.Literal.number(1)), SCOPE)


def test_real_constants_are_those_of_the_type() -> None:
    fact = total(parse("0.1::real"), SCOPE).fact
    assert fact.domain == (struct.unpack("f", struct.pack("f", 0.1))[0],)
