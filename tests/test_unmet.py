"""Conditions that no row meets if the policy is right: what is said, and where nothing is."""

from __future__ import annotations

from decimal import Decimal

import pytest
from worlds import plan

from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars import ToldRows, typical_columns
from dpproxy.rows import Column, Rows
from dpproxy.session.noise_notices import noise_notice, words_beside

SEX, AGE = "the condition on sex: its values are F, M", "the condition on age: its bounds are 0 and 120"


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("sex = 'X'", SEX),
        ("sex IN ('X', 'Y')", SEX),
        ("sex <> 'F' AND sex <> 'M'", SEX),
        ("sex LIKE 'X'", SEX),
        ("age = 200", AGE),
        ("age > 120", AGE),
        ("age < 0 AND sex = 'F'", AGE),
        ("age IN (-1, 200)", AGE),
        ("age BETWEEN 121 AND 130", AGE),
    ],
)
def test_what_the_policy_rules_out_is_said(condition: str, said: str, catalog: Catalog) -> None:
    made = plan(f"SELECT count(*) FROM people WHERE {condition}", catalog)
    assert words_beside(made) == (f"by the policy no row meets {said}",)
    inner = plan(f"SELECT count(*) FROM (SELECT * FROM people WHERE {condition}) AS p WHERE city <> 'x'", catalog)
    assert words_beside(inner) == words_beside(made)


@pytest.mark.parametrize(
    "condition",
    [
        "sex = 'F'",
        "sex = 'X' OR age > 50",
        "sex <> 'F'",
        "sex IN ('F', 'X')",
        "age IN (-1, 50)",
        "age >= 120",
        "age > 100 OR age IS NULL",
        "city = 'nowhere'",
        "income = 5 AND income IS NOT NULL",
        "NOT sex = 'X'",
        "age IS NULL",
    ],
)
def test_what_some_row_may_meet_says_nothing(condition: str, catalog: Catalog) -> None:
    assert words_beside(plan(f"SELECT count(*) FROM people WHERE {condition}", catalog)) == ()


def test_it_is_told_beside_the_answer(catalog: Catalog) -> None:
    """Whatever came out: also where that looks like a good number."""
    made = plan("SELECT count(*) FROM people WHERE sex = 'X'", catalog)
    rows = Rows((Column("c0", "bigint"),), ((100_000,),))
    told = ToldRows(made.releases, [rows], [rows])
    said = noise_notice(made, told, typical_columns(told), Decimal(5))
    assert said == f"dpproxy: by the policy no row meets {SEX}"
