"""The trial of one statement: asked on all neighbours, looked at, and counted on those that differ most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.asking import REFUSED, Answer, Asked, ask, shape
from dpproxy.audit.bounds import Floats, Promise, promised
from dpproxy.audit.events import Event, Sight, Tally, choose, count, learn
from dpproxy.audit.stands import Stand
from dpproxy.audit.world import BASE

Statements = tuple[str, ...]
"""Asked in turn, as one: their answers together cost what they cost together."""

_EVENTS = 3  # are counted, of those that were chosen


@dataclass(frozen=True, slots=True)
class Runs:
    """How many answers of each neighbour: for learning how to look, for choosing events, and for counting them.

    risk: with this probability, at most, a bound is above what is true.
    """

    learn: int
    choose: int
    count: int
    risk: float

    @classmethod
    def of(cls, answers: int, risk: float) -> Runs:
        """So many answers, two of three counted."""
        learn, choose = max(answers // 10, 2), max(answers // 4, 2)
        return cls(learn, choose, max(answers - learn - choose, 2), risk)


@dataclass(frozen=True, slots=True)
class Counted:
    """The strongest test: the target that it was made against, and the statistic in the counted answers of both."""

    target: str
    tested: Tally
    base_values: Floats
    target_values: Floats


@dataclass(frozen=True, slots=True)
class Finding:
    """What an audit finds of a statement.

    refused: what it was refused with, the same on all neighbours; nothing was asked then.
    problem: what is wrong whatever the answers are. charged: for one answer.
    """

    statements: Statements
    charged: Loss | None = None
    refused: str | None = None
    problem: str | None = None
    counted: Counted | None = None
    answers: int = 0

    @property
    def broken(self) -> bool:
        """Whether the statement does not keep to its charge."""
        return self.problem is not None or (self.counted is not None and self.counted.tested.broken)


@dataclass(frozen=True, slots=True)
class _Chosen:
    target: str
    sight: Sight
    events: list[Event]


async def trial(
    stands: Mapping[str, Stand],
    statements: Statements,
    accounting: Accounting,
    runs: Runs,
    told: Callable[[int], None],
) -> Finding:
    """What is found of a statement, or of a series. stands: of the base and of each target. told: of answers made.

    Claim: unless the statement breaks what its charge promises, `broken` is false but with probability `runs.risk`.
    Because: charges and shapes are the same on all neighbours by the guarantee; target, statistic and event are chosen
    on answers that are not counted, the events that are counted share the risk, and each bound is Clopper and
    Pearson's (`least_epsilon`).
    Checked by: tests/audit/test_events.py::test_what_keeps_to_its_charge_is_not_accused.
    """
    shapes = await asyncio.gather(*(shape(stand, statements) for stand in stands.values()))
    if len(set(shapes)) > 1:
        return Finding(statements, problem="its columns, or its refusal, differ between neighbours")
    if refused := [each for each in shapes[0] if each.startswith(REFUSED)]:
        return Finding(statements, refused=refused[0])
    first = await _asked(stands, statements, runs.learn + runs.choose, told)
    if (state := _refused(first)) is not None:
        return Finding(statements, refused=f"{REFUSED}{state}")
    charged, problem = _paid(first)
    if charged is None:
        return Finding(statements, problem=problem)
    chosen = await asyncio.to_thread(_chosen, first, promised(charged, accounting), runs)
    pair = {place: stands[place] for place in (BASE, chosen.target)}
    second = await _asked(pair, statements, runs.count, told)
    again, problem = _paid(second)
    if again != charged:
        return Finding(statements, charged, problem=problem or "it was charged differently later")
    counted = await asyncio.to_thread(_counted, chosen, second, runs.risk)
    number = sum(len(each.answers) for each in (*first.values(), *second.values()))
    return Finding(statements, charged, counted=counted, answers=number)


async def _asked(
    stands: Mapping[str, Stand], statements: Statements, times: int, told: Callable[[int], None]
) -> dict[str, Asked]:
    found = await asyncio.gather(*(ask(stand, statements, times, told) for stand in stands.values()))
    for stand in stands.values():
        await stand.clear()
    return dict(zip(stands, found, strict=True))


def _refused(asked: Mapping[str, Asked]) -> str | None:
    """The SQLSTATE of a statement that is refused when it is run: nobody gets an answer, and nothing is charged."""
    results = {result for each in asked.values() for answer in each.answers for result in answer}
    charged = any(each.charges for each in asked.values())
    (only, *others) = results
    return only if isinstance(only, str) and not others and not charged else None


def _paid(asked: Mapping[str, Asked]) -> tuple[Loss | None, str | None]:
    """What an answer cost everywhere; else what is wrong."""
    paid = {each.paid() for each in asked.values()}
    for each in asked.values():
        if each.paid() is None:
            made = sum(times for _, times in each.charges)
            return None, f"{len(each.answers)} answers have {made} charges: not all were charged alike"
    if len(paid) > 1:
        return None, "what it costs differs between neighbours"
    return paid.pop(), None


def _chosen(asked: Mapping[str, Asked], promise: Promise, runs: Runs) -> _Chosen:
    """The target that promises most, and the events to count there."""
    found = []
    base = asked[BASE].answers
    for target in (place for place in asked if place != BASE):
        other = asked[target].answers
        sight = learn(_some(base, 0, runs), _some(other, 0, runs))
        events = choose(sight, _some(base, 1, runs), _some(other, 1, runs), promise, runs.count, runs.risk, _EVENTS)
        found.append(_Chosen(target, sight, events))
    return max(found, key=lambda each: each.events[0].gain)


def _some(answers: Sequence[Answer], half: int, runs: Runs) -> Sequence[Answer]:
    """Those to learn from, or those to choose by: a mixture of all sessions' each."""
    share = runs.learn / (runs.learn + runs.choose)
    taken = {int(place / share) for place in range(runs.learn)}
    return [answer for place, answer in enumerate(answers) if (place in taken) == (half == 0)]


def _counted(chosen: _Chosen, asked: Mapping[str, Asked], risk: float) -> Counted:
    base, target = asked[BASE].answers, asked[chosen.target].answers
    tested = count(chosen.sight, base, target, chosen.events, risk)
    best = max(tested, key=lambda each: each.bound)
    place = best.event.statistic
    values = (chosen.sight.statistics(each)[place].values for each in (base, target))
    return Counted(chosen.target, best, *values)
