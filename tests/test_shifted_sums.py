"""Sums that come of another one and a count are the sums that were asked for, and are paid as two numbers."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest
from sqlglot import exp, parse_one
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.rewrite.calculus import shifted_sums

NINETY = ", ".join(f"sum(age + {by})" for by in range(90))
ROWS = "(VALUES (1, 1.25, true), (NULL, NULL, true), (5, -3.5, false), (-7, 0.75, NULL)) AS t(x, y, z)"
TOLD = (
    "sum(x), sum(x + 1), sum(2 + x)",
    "sum(x - 3), sum((x + 2)), sum(x - (-9)), sum(x + 4)",
    "sum(x + 1) FILTER (WHERE z), sum(x + 2) FILTER (WHERE z), sum(x + 7) FILTER (WHERE z)",
    "sum(y + 0.5), sum(y - 0.125), sum(y + 3)",
    "sum(x + 1) FILTER (WHERE x > 100), sum(x + 2) FILTER (WHERE x > 100), sum(x) FILTER (WHERE x > 100)",
)


def measures(items: str, catalog: Catalog, table: str = "people") -> int:
    """How many numbers are released for some items."""
    return sum(len(release.bounded.measures) for release in plan(f"SELECT {items} FROM {table}", catalog).releases)


def test_ninety_sums_are_two_numbers(catalog: Catalog) -> None:
    assert measures(NINETY, catalog) == 2
    assert measures(f"{NINETY}, dp.low(sum(age + 7)), dp.high(sum(age + 7))", catalog) == 2


@pytest.mark.parametrize(
    ("items", "numbers"),
    [
        ("sum(age + 1), sum(age + 2)", 2),
        ("sum(age + 1), sum(age + 2), sum(age + 1.0)", 3),
        ("sum(age + 1), sum(age + 2), sum(age + 3000000000)", 3),
        ("sum(age), sum(age + 1000000), sum(age + 2000000)", 3),
        ("sum(age), sum(age + 120), sum(age - 120), sum(age + 121)", 3),
        ("sum(income + 1), sum(income + 2), sum(income + 3)", 3),
        ("sum(age + 1), sum(age + 2), sum(age + 3) FILTER (WHERE smoker)", 3),
    ],
)
def test_others_stay_as_they_are(items: str, numbers: int, catalog: Catalog) -> None:
    assert measures(items, catalog) == numbers


@pytest.mark.parametrize("items", TOLD)
def test_they_are_what_was_asked_for(items: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Value by value and type by type, in an engine, over rows some of which have no value."""
    select = parse_one(f"SELECT {items} FROM {ROWS}", dialect="postgres")
    monkeypatch.setattr(shifted_sums, "_alike", lambda _, sums, *__: sums)
    assert isinstance(select, exp.Select)
    nothing: Any = None
    replaced = shifted_sums.shifted_sums(select, nothing, nothing)
    assert len(replaced) == len(select.expressions) - 1
    with duckdb.connect() as engine:
        for item in select.expressions:
            told = replaced.get(item, item).sql("duckdb")
            (one, other), *_ = engine.execute(f"SELECT {item.sql('duckdb')}, {told} FROM {ROWS}").fetchall()
            assert one == other, told
            assert type(one) is type(other), told
