"""A plan whose time could not be hidden for the part of its price that time mostly has, made anew with more for it.

Checked by: tests/test_time_parts.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from fractions import Fraction
from typing import Final

from dpproxy.answering.answer import times_of
from dpproxy.errors import NotPrivate
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.timing import Speed
from dpproxy.rewrite.question import Question

PARTS: Final = (Fraction(1, 8), Fraction(1, 3))
"""Of the price. The rest has 1.06 and 1.21 times the noise that it has beside 1/50 under zCDP."""


async def within_time(question: Question, planned: Callable[[Question], Awaitable[Plan]], speed: Speed) -> Plan:
    """The plan of a question, in which the noise of time has the least part of the price by which its time is hidden.

    Where none is enough, it is the first one, which is refused when it is run or explained.
    Claim: which of them is made depends on no private row. Because: a plan's work follows from the statement and the
    policy, and the engine's speed was measured over rows that it made itself.
    Raises what `planned` raises.
    """
    first = await planned(question)
    if _is_hidden(first, speed):
        return first
    for part in PARTS:
        made = await planned(replace(question, time_part=part))
        if _is_hidden(made, speed):
            return made
    return first


def _is_hidden(plan: Plan, speed: Speed) -> bool:
    if not plan.releases:
        return True
    try:
        times_of(plan, speed)
    except NotPrivate:
        return False
    return True
