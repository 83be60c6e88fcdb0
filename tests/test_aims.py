"""`SET dp.target_half_width`: which epsilon is chosen for it, by what, and how that is said."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from worlds import NOW, OWN, TERMS, names_of

from dpproxy.catalog.policy import Catalog
from dpproxy.error_bars.bars import Margins
from dpproxy.error_bars.foreseen import Asked, Foreseen, Remembered, foreseen, remembered_of, remembered_with
from dpproxy.error_bars.typical import TypicalColumn, numbers_of
from dpproxy.plan.private_plan import Output, Plan
from dpproxy.plan.settings import Settings, Target
from dpproxy.rewrite import plan_statement, read_settings
from dpproxy.rewrite.question import Question
from dpproxy.session.aims import aimed, missed

COUNT = "SELECT sex, count(*) FROM people GROUP BY sex"
AVERAGE = "SELECT count(*), avg(age) FROM people"
MOST = Decimal(5)


class Asking:
    """What plans, and counts how often."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.plans: list[Plan] = []
        self.stored = True

    async def plan(self, asked: Question) -> Plan:
        assert asked.settings.target is None, "a plan knows of no target"
        self.plans.append(plan_statement(asked, self.catalog, TERMS, "duckdb"))
        return self.plans[-1]

    async def is_stored(self, made: Plan) -> bool:
        return self.stored and not made.fresh

    def aim(
        self, sql: str, target: str, memory: Mapping[Asked, Remembered] | None = None, **others: str
    ) -> tuple[Plan, str]:
        settings = read_settings({"target_half_width": target, **others}, TERMS)
        asked = Question(sql, (), (), settings, names_of(self.catalog), NOW, OWN)
        chosen, said = asyncio.run(aimed(asked, memory or {}, MOST, self.plan, self.is_stored))
        return asyncio.run(self.plan(chosen)), said


@pytest.fixture
def asking(catalog: Catalog) -> Asking:
    return Asking(catalog)


def widths(made: Plan, memory: Mapping[Asked, Remembered] | None = None) -> list[float | None]:
    return [each.half_width for each in foreseen(made, memory or {}, {})]


def typical(release: int, column: int, output: Output, half: float, size: float) -> TypicalColumn:
    """A column of one row."""
    low, value, high, none = (np.array([each]) for each in (size - half, size, size + half, np.nan))
    return TypicalColumn(release, column, output, Margins(low, high, none), value)


def told(made: Plan, *numbers: tuple[float, float]) -> dict[Asked, Remembered]:
    """As if these half-widths and sizes had been told of its numbers."""
    columns = [
        typical(release, column, output, half, size)
        for (release, column, output), (half, size) in zip(numbers_of(made.releases), numbers, strict=True)
    ]
    return remembered_of(made, tuple(columns))


@pytest.mark.parametrize("target", ["10", "50", "250"])
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_it_is_the_least_epsilon_of_three_digits(target: str, mechanism: str, asking: Asking) -> None:
    made, said = asking.aim(COUNT, target, mechanism=mechanism)
    (half,) = widths(made)
    assert half is not None and float(target) * 0.97 <= half <= float(target)
    assert said == f"epsilon {float(made.epsilon):.4g} was chosen for ±{target}"
    assert len(asking.plans) <= 6


def test_it_is_no_more_than_a_statement_may_cost(asking: Asking) -> None:
    made, said = asking.aim("SELECT sum(income) FROM people", "0.01")
    assert made.epsilon == MOST
    assert said.startswith("epsilon 5 is the most that a statement may cost, and not enough for ±0.01: SUM(")


def test_no_noise_to_speak_of_is_enough(asking: Asking) -> None:
    """Of a count, at so large an epsilon, 95 of 100 have none at all."""
    made, said = asking.aim(COUNT, "0.01")
    assert widths(made) == [0] and "was chosen for" in said
    again, _ = asking.aim(COUNT, "0.01", epsilon="5")
    assert again.epsilon <= MOST


def test_a_share_is_of_a_size_that_was_told(asking: Asking) -> None:
    unknown, said = asking.aim(COUNT, "5 %")
    assert unknown.epsilon == Settings(Decimal("0.1")).epsilon and said.startswith("no epsilon is known yet for ±5 %")
    made, said = asking.aim(COUNT, "5 %", told(unknown, (30, 400)))
    (half,) = widths(made)
    assert half is not None and 19 <= half <= 20
    assert "was chosen for ±5 %" in said


def test_what_the_plan_does_not_know_was_told_before(asking: Asking) -> None:
    """An average's half-width falls as epsilon rises; that of the count is the plan's."""
    first, said = asking.aim(AVERAGE, "2")
    assert "how sure AVG(" in said and "will be is not" in said
    known = told(first, (1, 300), (4, 40))
    made, said = asking.aim(AVERAGE, "2", known, epsilon="0.2")
    assert said.endswith("was chosen for ±2")
    assert widths(made, known)[1] == pytest.approx(2, rel=0.01)


def test_what_was_as_sure_before_is_asked_at_that_price_again(asking: Asking) -> None:
    """So that it is told from what is stored."""
    made, _ = asking.aim(COUNT, "20")
    sure = told(made, (19.5, 300))
    for target in ("20", "60", "10 %"):
        assert asking.aim(COUNT, target, sure)[0].epsilon == made.epsilon
    assert asking.aim(COUNT, "60", sure, fresh="on")[0].epsilon < made.epsilon
    assert asking.aim(COUNT, "10", sure)[0].epsilon > made.epsilon
    asking.stored = False
    assert asking.aim(COUNT, "60", sure)[0].epsilon < made.epsilon, "it would be paid for"


def test_the_surer_answer_is_remembered_with_the_latest_size(asking: Asking) -> None:
    made, _ = asking.aim(COUNT, "20")
    ((asked, sure),) = told(made, (10, 300)).items()
    other = Remembered(Decimal(1), 30, 310)
    assert remembered_with({asked: sure}, {asked: other}) == {asked: Remembered(sure.epsilon, 10, 310)}
    assert remembered_with({asked: other}, {asked: sure}) == {asked: sure}


def seen(made: Plan, *numbers: tuple[float, float]) -> tuple[TypicalColumn, ...]:
    """An answer with these half-widths and sizes."""
    return tuple(
        typical(release, column, output, half, size)
        for (release, column, output), (half, size) in zip(numbers_of(made.releases), numbers, strict=True)
    )


@pytest.mark.parametrize(
    ("target", "most", "numbers", "said"),
    [
        ("5 %", "5", ((30, 400),), "COUNT(*) came out as sure as ±30, and not ±5 %; ask again: it goes by this answer"
         " then, and costs about epsilon 0.15"),
        ("5 %", "0.12", ((30, 400),), "COUNT(*) came out as sure as ±30, and not ±5 %; it would take about epsilon"
         " 0.15, and 0.12 is the most that there is"),
        ("25", "5", ((30, 400),), "COUNT(*) came out as sure as ±30, and not ±25; ask again: it goes by this answer"
         " then, and costs about epsilon 0.12"),
        ("5 %", "5", ((20.9, 400),), None),
        ("5 %", "5", ((30, 0),), None),
        (None, "5", ((30, 40),), None),
    ],
)  # fmt: skip
def test_an_answer_that_misses_says_what_to_do(
    asking: Asking, target: str | None, most: str, numbers: tuple[tuple[float, float], ...], said: str | None
) -> None:
    made, _ = asking.aim(COUNT, "5 %")
    aim = None if target is None else read_settings({"target_half_width": target}, TERMS).target
    told = missed(replace(made, target=aim), seen(made, *numbers), Decimal(most))
    assert told == (None if said is None else f"dpproxy: {said}")


def test_no_share_of_nothing_is_aimed_at(asking: Asking) -> None:
    """As where dp.nonnegative holds a count at 0: to ask again is no way."""
    unknown, _ = asking.aim(COUNT, "5 %")
    again, said = asking.aim(COUNT, "5 %", told(unknown, (30, 0)))
    assert again.epsilon == unknown.epsilon
    assert said.startswith("no epsilon gives ±5 % of COUNT(*), which was told as 0 before; SET dp.target_half_width to")


def test_a_target_of_a_share_needs_a_size() -> None:
    column = Foreseen(0, None, 5.0, None)  # type: ignore[arg-type]
    assert column.wanted(Target(Decimal("0.05"), relative=True)) is None
    assert column.wanted(Target(Decimal(7), relative=False)) == 7
    assert str(Target(Decimal("0.005"), relative=True)) == "0.5 %"
