"""A statement whose time could be long has more of its price for the noise of time, and no more than it has to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from worlds import NOW, TERMS, names_of, world_catalog
from worlds import terms as terms_of

from dpproxy.accounting.account import Terms
from dpproxy.accounting.loss import Accounting
from dpproxy.answering.answer import times_of
from dpproxy.errors import NotPrivate, QueryCanceled
from dpproxy.plan.losses import lost
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.rewrite import plan_statement, read_settings
from dpproxy.rewrite.checker import check_plan
from dpproxy.rewrite.explain import explain_text
from dpproxy.rewrite.question import Question
from dpproxy.session.time_parts import PARTS, within_time

PURE = terms_of(Accounting.PURE, Decimal(100), Decimal("1e-5"))
SQL = "SELECT sex, count(*), avg(age) FROM people GROUP BY sex"
LIMIT = 60.0
CATALOG = world_catalog()


def asked(terms: Terms) -> Question:
    return Question(SQL, (), (), read_settings({"epsilon": "1"}, terms), names_of(CATALOG), NOW)


def planning(terms: Terms, seen: list[Fraction | None]) -> Callable[[Question], Awaitable[Plan]]:
    async def planned(question: Question) -> Plan:
        seen.append(question.time_part)
        made = plan_statement(question, CATALOG, terms, "duckdb")
        check_plan(made, CATALOG, "duckdb", terms.accounting)
        return replace(made, work=replace(made.work, whole=10**18))  # never all of it within the limit

    return planned


async def slowest(terms: Terms, part: Fraction | None) -> float:
    """Seconds for each row operation, a little less than those with which the time cannot be hidden any more."""
    plan = await planning(terms, [])(replace(asked(terms), time_part=part))
    assert plan.time is not None
    tick = times_of(plan, Speed(1e30, 1e-6)).tick / 1e-6
    return 0.99 * LIMIT / (plan.time.reach * tick)


@pytest.mark.parametrize("terms", [TERMS, PURE])
async def test_it_has_the_least_part_that_is_enough(terms: Terms) -> None:
    every = [None, *PARTS]
    for at, part in enumerate(every):
        seen: list[Fraction | None] = []
        speed = Speed(LIMIT, await slowest(terms, part))
        made = await within_time(asked(terms), planning(terms, seen), speed)
        assert (made.time_part, seen) == (part, every[: at + 1])
        times_of(made, speed)


@pytest.mark.parametrize("terms", [TERMS, PURE])
async def test_the_price_is_the_same_and_is_kept(terms: Terms) -> None:
    """What time has more the numbers have less: all together lose no more than the statement costs."""
    planned = planning(terms, [])
    plans = [await planned(replace(asked(terms), time_part=part)) for part in (None, *PARTS)]
    assert len({each.cost for each in plans}) == 1
    scales = []
    for each in plans:
        assert lost(each.releases, each.time, terms.accounting).main <= each.cost.main
        assert each.time is not None
        scales.append(each.time.noise.stddev)
    assert scales == sorted(scales, reverse=True)


async def test_where_none_is_enough_it_is_the_first_plan_which_is_refused() -> None:
    speed = Speed(LIMIT, 10 * await slowest(TERMS, PARTS[-1]))
    made = await within_time(asked(TERMS), planning(TERMS, []), speed)
    assert made.time_part is None
    with pytest.raises(NotPrivate, match="ends within its limit"):
        times_of(made, speed)


async def test_what_cannot_be_planned_is_told() -> None:
    async def cancelled(question: Question) -> Plan:
        raise QueryCanceled("no more")

    with pytest.raises(QueryCanceled):
        await within_time(asked(TERMS), cancelled, Speed(LIMIT, 1e-7))


async def test_explain_says_so() -> None:
    planned = planning(TERMS, [])
    plain, more = [await planned(replace(asked(TERMS), time_part=part)) for part in (None, PARTS[-1])]
    assert not any("of the price" in line for line in explain_text(plain, Decimal(1), Decimal(0)))
    (line,) = [line for line in explain_text(more, Decimal(1), Decimal(0)) if line.startswith("Time: ")]
    assert line.endswith("; 1/3 of the price is for that, since it could be long")
