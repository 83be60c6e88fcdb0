"""What conditions say of columns and of expressions as they are written: true of every row that is left."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from expression_world import SCOPE, engine, parse, truths
from hypothesis import HealthCheck, event, given, settings
from lanes import sized
from sqlglot import exp
from test_expressions import within

from dpproxy.errors import DPProxyError, FeatureNotSupported
from dpproxy.rewrite.algebra.render import value_text
from dpproxy.rewrite.expressions import condition, conjuncts, narrow, total
from dpproxy.rewrite.expressions.conditions import narrowing
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.facts.known import written_in
from dpproxy.rewrite.expressions.walk import Walk


@pytest.fixture(scope="module")
def duck() -> Iterator[duckdb.DuckDBPyConnection]:
    with engine() as connection:
        yield connection


def fact_of(expression: str, where: str) -> Fact:
    return total(parse(expression), narrow([parse(where)], SCOPE)).fact


@pytest.mark.parametrize(
    ("where", "expression", "values"),
    [
        ("sex <> 'M'", "sex", ("F",)),
        ("NOT (sex = 'M' OR code IN (1, 2))", "code", (3,)),
        ("code NOT IN (1, 3)", "code", (2,)),
        ("v IN ('a', 'b') AND v <> 'b'", "v", ("a",)),
        ("v = 'a' OR v = 'b'", "v", ("a", "b")),
        ("v LIKE 'abc'", "v", ("abc",)),
        (r"v LIKE 'a\%c'", "v", ("a%c",)),
        ("v = ANY (ARRAY['a', 'b'])", "v", ("a", "b")),
        ("v = ANY ('{a,b,NULL}')", "v", ("a", "b")),
        ("v <> ALL ('{a,b}') AND v IN ('a', 'c')", "v", ("c",)),
        ("(sex, v) IN (('F', 'a'), ('M', 'b'))", "v", ("a", "b")),
        ("v IS NOT DISTINCT FROM 'a'", "v", ("a",)),
        ("sex IS DISTINCT FROM 'F'", "sex", ("M",)),
        ("ok IS FALSE", "ok", (False,)),
        ("(ok = TRUE)", "ok", (True,)),
        ("(ok AND sex = 'F') IS TRUE", "sex", ("F",)),
        ("v = sex", "v", ("F", "M")),
        ("code = i8 AND i8 > 1", "code", (2, 3)),
        ("substring(v from 1 for 2) IN ('13', '31')", "substr(v, 1, 2)", ("13", "31")),
        ("substring(v from 1 for 2) IN ('13', '31')", "substring(v from 1 for 2) || '!'", ("13!", "31!")),
        ("lower(v) = 'x' OR lower(v) = 'y'", "lower(v)", ("x", "y")),
        ("i4 % 7 = 3", "(i4 % 7) + 1", (4,)),
        ("extract(year FROM d) IN (2020, 2021)", "extract(year FROM d)", (2020, 2021)),
        ("NOT (upper(v) <> 'A')", "upper(v)", ("A",)),
    ],
)
def test_conditions_leave_values(where: str, expression: str, values: tuple[object, ...]) -> None:
    assert fact_of(expression, where).domain == values


def test_one_of_several_pairs_of_nations() -> None:
    """As in TPC-H Q7: each name is one of both, of whichever table."""
    where = "(sex = 'FRANCE' AND v = 'GERMANY') OR (sex = 'GERMANY' AND v = 'FRANCE')"
    assert fact_of("v", where).domain == ("GERMANY", "FRANCE")
    assert fact_of("v", where).nullable is False


@pytest.mark.parametrize(
    ("where", "expression", "lower", "upper"),
    [
        ("i4 BETWEEN SYMMETRIC 30 AND 10", "i4", 10, 30),
        ("i4 < code", "i4", 0, 2),
        ("i8 BETWEEN i4 AND i2", "i8", 0, 90),
        ("i8 <= i4 AND i8 >= 0 AND i4 < 10", "i8", 0, 9),
        ("i4 > ALL ('{3,9}') AND i4 <= ANY (ARRAY[20, 30])", "i4", 10, 30),
        ("i4 + i2 BETWEEN 0 AND 10", "i4 + i2", 0, 10),
        ("length(v) < 20 AND length(v) > 0", "length(v)", 1, 19),
        ("NOT (i4 < 10 OR i4 > 20)", "i4", 10, 20),
        ("i4 >= 0 AND i4 NOT BETWEEN 0 AND 100 AND i4 NOT BETWEEN 110 AND 500", "i4", 0, 120),
        ("(i4 > 50) IS TRUE", "i4", 51, 120),
        ("NOT (i4 <> 5)", "i4", 5, 5),
    ],
)
def test_conditions_leave_bounds(where: str, expression: str, lower: int, upper: int) -> None:
    assert fact_of(expression, where).interval == Interval(lower, upper)  # type: ignore[arg-type]


def test_what_a_condition_does_not_say() -> None:
    assert fact_of("v", "v LIKE 'a%'").domain is None
    assert fact_of("v", "v <> 'a'").domain is None
    assert fact_of("i4", "i4 > 5 OR i8 > 5").interval == SCOPE["t", "i4"].fact.interval
    assert fact_of("i4", "i4 <> 5").domain is None
    assert fact_of("y", "y = 0.1").domain is None
    assert fact_of("i4", "i4 = 5").proved == SCOPE["t", "i4"].fact.proved


def test_branches_know_what_failed_before() -> None:
    assert fact_of("CASE sex WHEN 'F' THEN 'x' ELSE sex END", "TRUE").domain == ("x", "M")
    assert fact_of("CASE WHEN v IN ('a', 'b') THEN v WHEN lower(v) = 'c' THEN lower(v) END", "TRUE").domain == (
        "a",
        "b",
        "c",
    )


def test_a_branch_does_not_read_anew_what_failed_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CASE of a hundred branches took seconds. Twice as many branches are twice as much to read."""
    read: list[int] = []
    of = narrowing._of
    monkeypatch.setattr(narrowing, "_of", lambda *given: read.append(1) or of(*given))

    def reads(branches: int) -> int:
        read.clear()
        total(parse(f"CASE i4 {' '.join(f'WHEN {i} THEN {i}' for i in range(branches))} END"), SCOPE)
        return len(read)

    assert 0 < reads(20) <= 2 * reads(10)


def test_long_conditions_are_read_or_refused() -> None:
    long = parse(" AND ".join(f"i4 <> {number}" for number in range(3000)))
    assert len(conjuncts(long)) == 3000
    assert narrow(conjuncts(long), SCOPE)["t", "i4"].fact.interval == SCOPE["t", "i4"].fact.interval
    with pytest.raises(FeatureNotSupported):
        narrow([parse(" OR ".join(f"i4 <> {number}" for number in range(3000)))], SCOPE)


@pytest.mark.larger
@settings(max_examples=sized(80, 250, 2500), deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(truths(2))
def test_what_is_believed_holds_for_the_rows_that_remain(duck: duckdb.DuckDBPyConnection, text: str) -> None:
    try:
        where = value_text(condition(parse(text), SCOPE).sql, "duckdb")
    except DPProxyError:
        return
    scope = narrow([parse(text)], SCOPE)
    seen = [(f'"{name}"', typed) for (_, name), typed in scope.items() if typed.fact != SCOPE["t", name].fact]
    for written in written_in(scope):
        typed = total(written, scope)
        seen.append((value_text(typed.sql, "duckdb"), typed))
    event("something" if seen else "nothing")
    for sql, typed in seen:
        fact = typed.fact
        for (value,) in duck.execute(f"SELECT {sql} FROM ordinary AS t WHERE {where}").fetchall():
            assert value is not None or fact.nullable, (text, sql)
            assert fact.interval is None or within(value, fact.interval), (text, sql, value)
            assert fact.domain is None or value is None or value in fact.domain, (text, sql, value)


NESTED = {
    "compared": "CASE WHEN {} > 0 THEN 1 ELSE 0 END",
    "simple": "CASE {} WHEN 1 THEN 1 ELSE 0 END",
    "listed": "CASE WHEN {} IN (1, 2) THEN 1 ELSE 0 END",
    "between": "CASE WHEN {} BETWEEN 1 AND 2 THEN 1 ELSE 0 END",
    "absent": "CASE WHEN {} IS NULL THEN 1 ELSE 0 END",
}


@pytest.mark.parametrize("form", NESTED.values(), ids=NESTED)
def test_conditions_in_conditions_are_looked_at_a_few_times_each(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by the power of how deep they are: it is free to ask, and everybody's plans wait for it."""
    looked, call = [0], Walk.__call__

    def counted(walk: Walk, node: exp.Expression) -> Typed:
        looked[0] += 1
        return call(walk, node)

    monkeypatch.setattr(Walk, "__call__", counted)

    def looks(depth: int) -> int:
        looked[0] = 0
        nested = "code"
        for _ in range(depth):
            nested = f"({form.format(nested)})"
        total(parse(nested), narrow([parse(f"{nested} = 1")], SCOPE))
        return looked[0]

    assert looks(12) < 8 * looks(6)
