"""How sure a statement's numbers will be, before it is asked: by its plan, and by what was told of it before.

The half-width of a noise that no private clip stretches is the plan's. What else there is was seen in an earlier answer
to the same question, at another price maybe: half-widths fall as ε rises, in proportion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from dpproxy.error_bars.typical import TypicalColumn, numbers_of
from dpproxy.mechanisms.kinds import AtAClip
from dpproxy.plan.formulas import Formula, one_total
from dpproxy.plan.private_plan import Output, Plan, Release
from dpproxy.plan.settings import Target

Asked = tuple[str, Formula]
"""What a number is of: the text that the engine is asked, and how it is made of that."""
_OUTSIDE: Final = 0.025


@dataclass(frozen=True, slots=True)
class Remembered:
    """How a number was told before, at that ε; None where it is not known."""

    epsilon: Decimal
    half_width: float | None
    size: float | None


Memory = Mapping[Asked, Remembered]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A number of the answer: the half-width at 95 % that is expected, and its size; None where it is not known."""

    release: int
    output: Output
    half_width: float | None
    size: float | None

    def wanted(self, target: Target) -> float | None:
        """The half-width that is aimed at; None where that hangs on a size which nobody knows."""
        if not target.relative:
            return float(target.amount)
        return None if not self.size else float(target.amount) * self.size


def remembered_of(plan: Plan, columns: tuple[TypicalColumn, ...]) -> dict[Asked, Remembered]:
    """What an answer says of its numbers."""
    return {
        _asked(plan.releases[each.release], each.output): Remembered(plan.epsilon, each.half_width, each.size)
        for each in columns
    }


def remembered_with(memory: Memory, more: Memory) -> dict[Asked, Remembered]:
    """Both; of a number that is in both, the surer one, and its latest size."""
    kept = {
        asked: Remembered(memory[asked].epsilon, memory[asked].half_width, new.size)
        for asked, new in more.items()
        if asked in memory and _is_surer(memory[asked], new)
    }
    return {**memory, **more, **kept}


def _is_surer(one: Remembered, other: Remembered) -> bool:
    return one.half_width is not None and (other.half_width is None or one.half_width < other.half_width)


def foreseen(plan: Plan, memory: Memory, less: Mapping[tuple[int, int], float]) -> tuple[Foreseen, ...]:
    """All numbers of a plan. less: by release and column, what is left of the noise after post-processing."""
    found = []
    for release, column, output in numbers_of(plan.releases):
        known, seen = _of_noise(plan.releases[release], output), memory.get(_asked(plan.releases[release], output))
        half = None if known is None else known * less.get((release, column), 1.0)
        if half is None and seen is not None and seen.half_width is not None:
            half = seen.half_width * float(seen.epsilon / plan.epsilon)
        found.append(Foreseen(release, output, half, None if seen is None else seen.size))
    return tuple(found)


def _of_noise(release: Release, output: Output) -> float | None:
    """Of what has one noise, which the plan knows."""
    total = one_total(output.formula)
    if total is None:
        return None
    mechanism = release.applied_to(total.measure)
    if mechanism is None or isinstance(mechanism, AtAClip) or (noise := mechanism.total_noise) is None:
        return None
    return noise.reach(_OUTSIDE) * (
        1.0 if total.measure is None else float(release.bounded.measures[total.measure].step)
    )


def epsilon_for(plan: Plan, expected: tuple[Foreseen, ...], target: Target) -> Decimal | None:
    """The ε at which all numbers of which anything is known are as sure as that; None where nothing is."""
    ratios = [
        each.half_width / wanted
        for each in expected
        if each.half_width is not None and (wanted := each.wanted(target)) is not None
    ]
    return plan.epsilon * Decimal(max(ratios)) if ratios else None


def sure_before(plan: Plan, memory: Memory, expected: tuple[Foreseen, ...], target: Target) -> Decimal | None:
    """The ε at which the same question was answered as surely as that, in all its numbers; None where it was not."""
    seen = [memory.get(_asked(plan.releases[each.release], each.output)) for each in expected]
    wanted = [each.wanted(target) for each in expected]
    known = [each for each in seen if each is not None]
    if not known or len(known) < len(seen) or len({each.epsilon for each in known}) > 1:
        return None
    sure = [
        each.half_width is not None and most is not None and each.half_width <= most
        for each, most in zip(known, wanted, strict=True)
    ]
    return known[0].epsilon if all(sure) else None


def _asked(release: Release, output: Output) -> Asked:
    return release.bounded.question, output.formula
