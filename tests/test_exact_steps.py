"""Steps of numerics that have no end: no double is made of them, and the checker proves that none raises."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from expression_world import IN_POSTGRES, engine_text, parse
from test_checker_total import proved

from dpproxy.engines.dialects import dialect_of
from dpproxy.rewrite import algebra
from dpproxy.rewrite.algebra.render import written
from dpproxy.rewrite.expressions import total
from dpproxy.rewrite.expressions.numbers.exact_steps import exact_steps

ENDS = Fraction(-1000), Fraction(100_000)


def text(expression: str, centre: str = "0", step: str = "0.01") -> str:
    typed = total(parse(expression), IN_POSTGRES)
    return engine_text(exact_steps(typed, *ENDS, Decimal(centre), Decimal(step)), "postgres")


@pytest.mark.parametrize(
    ("expression", "scaled"),
    [
        ("n", "t.n * 100.0"),
        ("n * (1 - rate) * n", "(((t.n * (CAST(1 AS DECIMAL(5, 4)) - t.rate)) * t.n) * 100.0)"),
        ("n * n * n * 0.5 + i8", "(((((t.n * t.n) * t.n) * CAST('0.5' AS DECIMAL)) + CAST(t.i8 AS DECIMAL)) * 100.0)"),
    ],
)
def test_numerics_are_added_and_multiplied_as_they_are(expression: str, scaled: str) -> None:
    sql = text(expression)
    assert scaled in sql.replace('"', ""), sql
    assert "DOUBLE" not in sql
    proved(sql.replace("t.", ""), "postgres")


@pytest.mark.parametrize("expression", ["sqrt(n)", "x", "n / 3", "n * x"])
def test_what_is_computed_in_doubles_stays_so(expression: str) -> None:
    assert "DOUBLE" in text(expression)


@pytest.mark.parametrize(("centre", "step"), [("0", "0.03"), ("0.005", "0.01"), ("1e20", "1")])
def test_what_is_on_no_grid_is_left_to_doubles(centre: str, step: str) -> None:
    if centre == "1e20":
        with pytest.raises(Exception, match="bounds are too wide"):
            text("n", centre, step)
    else:
        assert "DOUBLE" in text("n", centre, step)


def test_it_is_multiplied_once_where_rows_stand_alone() -> None:
    typed = total(parse("n"), IN_POSTGRES)
    clip = dialect_of("postgres").total(exact_steps(typed, *ENDS, Decimal(0), Decimal("0.01")))
    rows = algebra.Select((algebra.Item("m0", clip),), algebra.of(algebra.Scan(("given",)), "t"), alone=True)
    sql = written(rows, "postgres").sql
    assert sql.count(" * ") == 1
    assert sql.endswith("""(SELECT "t"."n" * 100.0 AS g0 FROM "given" AS t OFFSET '0') AS t""")
    assert "OFFSET" not in written(rows, "duckdb").sql
