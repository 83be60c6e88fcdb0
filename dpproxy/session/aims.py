"""`SET dp.target_half_width`: the ε that a statement is asked at, for numbers that are as sure as that.

It is chosen by the plan and by what was told in the session before: both are the analyst's to know, so that it is as if
they had written that ε. Where the same question was answered as surely, it is asked at that price again, and told from
what is stored.
Checked by: tests/test_aims.py.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from dpproxy.error_bars import TypicalColumn
from dpproxy.error_bars.foreseen import Foreseen, Memory, epsilon_for, foreseen, sure_before
from dpproxy.error_bars.words import short
from dpproxy.plan.private_plan import Plan
from dpproxy.plan.settings import Target
from dpproxy.post_processing import narrowed
from dpproxy.rewrite.question import Question

Planned = Callable[[Question], Awaitable[Plan]]
IsStored = Callable[[Plan], Awaitable[bool]]
_ROUNDS: Final = 4
_LEAST: Final = Decimal("1e-6")
_ENOUGH: Final = Decimal("1.0001")
_MISSED: Final = 1.05


def expected(plan: Plan, memory: Memory) -> tuple[Foreseen, ...]:
    """How sure the numbers of a plan will be."""
    return foreseen(plan, memory, narrowed(plan))


async def aimed(
    question: Question, memory: Memory, most: Decimal, planned: Planned, is_stored: IsStored
) -> tuple[Question, str]:
    """The question at the ε that is chosen for its target, and how that is said; as it is, where it has none.

    most: the largest ε that a statement may cost. is_stored: whether all of a plan would be told again for free.
    Nothing is charged here, and nothing depends on what was not told.
    """
    target = question.settings.target
    if target is None:
        return question, ""
    question = _at(question, question.settings.epsilon)
    plan = await planned(question)
    before = sure_before(plan, memory, expected(plan, memory), target)
    if before is not None and before <= most and await is_stored(await planned(_at(question, before))):
        return _at(question, before), _reached(before, target)
    wanted = epsilon_for(plan, expected(plan, memory), target)
    if wanted is None:
        return question, _unknown(plan, expected(plan, memory), target)
    for _ in range(_ROUNDS):
        question = _at(question, max(_LEAST, min(most, _rounded_up(wanted))))
        plan = await planned(question)
        # Noise is of whole numbers, so that its half-width falls by steps: once it is small enough, that is enough.
        wanted = epsilon_for(plan, expected(plan, memory), target) or plan.epsilon
        if wanted <= plan.epsilon * _ENOUGH or plan.epsilon == most:
            break
    return question, _said(plan, expected(plan, memory), target)


def missed(plan: Plan, columns: Sequence[TypicalColumn], most: Decimal) -> str | None:
    """What is said beside an answer that is less sure than was aimed at: its size, or its clip, was known from no
    answer before. None where it is as sure, or nothing was aimed at. most: the ε that a statement could cost."""
    target, ratios = plan.target, []
    for each in columns if target is not None else ():
        wanted = Foreseen(each.release, each.output, each.half_width, each.size).wanted(target) if target else None
        if wanted is not None and each.half_width is not None:
            ratios.append((each.half_width / wanted, each.half_width, each.output.label))
    ratio, half, label = max(ratios, default=(0.0, 0.0, ""))
    if ratio <= _MISSED:
        return None
    epsilon = _rounded_up(plan.epsilon * Decimal(ratio))
    instead = f"ask again: it goes by this answer then, and costs about epsilon {float(epsilon):.4g}"
    if epsilon > most:
        instead = f"it would take about epsilon {float(epsilon):.4g}, and {float(most):.4g} is the most that there is"
    return f"dpproxy: {label} came out as sure as ±{short(half)}, and not ±{target}; {instead}"


def _at(question: Question, epsilon: Decimal) -> Question:
    return replace(question, settings=replace(question.settings, epsilon=epsilon, target=None))


def _rounded_up(value: Decimal) -> Decimal:
    """To three digits."""
    unit = Decimal(1).scaleb(value.adjusted() - 2) if value else _LEAST
    return math.ceil(value / unit) * unit


def _said(plan: Plan, columns: tuple[Foreseen, ...], target: Target) -> str:
    missed = [
        each
        for each in columns
        if each.half_width is not None
        and (wanted := each.wanted(target)) is not None
        and each.half_width > wanted * 1.001
    ]
    if missed:
        worst = max(missed, key=lambda each: each.half_width or 0.0)
        most = f"epsilon {float(plan.epsilon):.4g} is the most that a statement may cost"
        return f"{most}, and not enough for ±{target}: {worst.output.label} ±{short(worst.half_width or 0.0)} expected"
    return _reached(plan.epsilon, target) + _but(columns, target)


def _reached(epsilon: Decimal, target: Target) -> str:
    return f"epsilon {float(epsilon):.4g} was chosen for ±{target}"


def _but(columns: tuple[Foreseen, ...], target: Target) -> str:
    unknown = [each.output.label for each in columns if each.half_width is None or each.wanted(target) is None]
    return f", as far as is known; how sure {', '.join(unknown[:3])} will be is not" if unknown else ""


def _unknown(plan: Plan, columns: tuple[Foreseen, ...], target: Target) -> str:
    if (label := next((each.output.label for each in columns if each.size == 0), None)) is not None:
        return (
            f"no epsilon gives ±{target} of {label}, which was told as 0 before; SET dp.target_half_width to a number; "
            f"it is asked at epsilon {float(plan.epsilon):.4g}"
        )
    return (
        f"no epsilon is known yet for ±{target}: how sure the numbers will be, or how large they are, is told by the "
        f"answer; it is asked at epsilon {float(plan.epsilon):.4g}, and chosen when it is asked again"
    )
