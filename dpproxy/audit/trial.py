"""The trial of one statement: asked on all neighbours, looked at, and counted on those that differ most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.asking import LOST, REFUSED, AskingWay, CollectedAnswers, Statements, TimedAnswer, ask
from dpproxy.audit.audit_proxy import AuditedDatabase
from dpproxy.audit.epsilon_bounds import ChargePromise, Floats, promised
from dpproxy.audit.events import Event, Sight, Tally, choose, count, learn
from dpproxy.audit.neighbouring_data import BASE
from dpproxy.config import Config

_EVENTS = 3  # of each kind are counted, of those that were chosen


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What is promised of answers. timed: of when they leave, too."""

    accounting: Accounting
    timed: bool

    @classmethod
    def of(cls, config: Config) -> Self:
        """What a policy promises."""
        return cls(config.accounting, config.server.constant_time)


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
class CountedStatistic:
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
    counted: the strongest test that seconds have no part in. timed: the strongest that they have.
    """

    statements: Statements
    charged: Loss | None = None
    refused: str | None = None
    problem: str | None = None
    counted: CountedStatistic | None = None
    timed: CountedStatistic | None = None
    answers: int = 0

    def broken(self, guarantee: Guarantee) -> bool:
        """Whether the statement does not keep to its charge."""
        tests = [self.counted, self.timed] if guarantee.timed else [self.counted]
        return self.problem is not None or any(each.tested.broken for each in tests if each is not None)


@dataclass(frozen=True, slots=True)
class _Chosen:
    target: str
    sight: Sight
    events: list[Event]


async def trial(
    stands: Mapping[str, AuditedDatabase], way: AskingWay, guarantee: Guarantee, runs: Runs, told: Callable[[int], None]
) -> Finding:
    """What is found of a statement, or of a series. stands: of the base and of each target. told: of answers made.

    Claim: unless the statement breaks what its charge promises, `broken` is false but with probability `runs.risk`.
    Because: charges and shapes are the same on all neighbours by the guarantee; target, statistic and event are chosen
    on answers that are not counted, the events that are counted share the risk, and each bound is Clopper and
    Pearson's (`least_epsilon`); that it holds for seconds, too, is `asking`'s claim.
    Checked by: tests/audit/test_events.py::test_what_keeps_to_its_charge_is_not_accused.
    """
    statements = way.statements
    shapes = await asyncio.gather(*map(way.shape, stands.values()))
    if len(set(shapes)) > 1:
        return Finding(statements, problem="its columns, or its refusal, differ between neighbours")
    if refused := [each for each in shapes[0] if each.startswith(REFUSED)]:
        return Finding(statements, refused=refused[0])
    first = await _asked(stands, way, runs.learn + runs.choose, told)
    if (state := _refused(first)) is not None:
        return Finding(statements, refused=f"{REFUSED}{state}")
    charged, problem = _paid(first, way)
    if charged is None:
        return Finding(statements, problem=problem)
    promise = promised(charged, guarantee.accounting)
    chosen = await asyncio.to_thread(_chosen, first, promise, runs, guarantee)
    second = await _asked({place: stands[place] for place in (BASE, chosen.target)}, way, runs.count, told)
    again, problem = _paid(second, way)
    if again != charged:
        return Finding(statements, charged, problem=problem or "it was charged differently later")
    still, timed = await asyncio.to_thread(_counted, chosen, second, runs.risk)
    number = sum(len(each.answers) for each in (*first.values(), *second.values()))
    return Finding(statements, charged, counted=still, timed=timed, answers=number)


async def _asked(
    stands: Mapping[str, AuditedDatabase], way: AskingWay, times: int, told: Callable[[int], None]
) -> dict[str, CollectedAnswers]:
    found = await ask(stands, way, times, told)
    for stand in stands.values():
        await stand.clear()
    return found


def _refused(asked: Mapping[str, CollectedAnswers]) -> str | None:
    """The SQLSTATE of a statement that is refused when it is run: nobody gets an answer, and nothing is charged."""
    results = {result for each in asked.values() for answer in each.answers for result in answer.results}
    charged = any(each.charges for each in asked.values())
    (only, *others) = results
    return only if isinstance(only, str) and not others and not charged else None


def _paid(asked: Mapping[str, CollectedAnswers], way: AskingWay) -> tuple[Loss | None, str | None]:
    """What an answer cost everywhere; else what is wrong."""
    if any(LOST in answer.results for each in asked.values() for answer in each.answers):
        return None, "connections were lost"
    paid = {way.paid(each) for each in asked.values()}
    for each in asked.values():
        if way.paid(each) is None:
            made = sum(times for _, times in each.charges)
            return None, f"{len(each.answers)} answers have {made} charges: not all were charged alike"
    if len(paid) > 1:
        return None, "what it costs differs between neighbours"
    return paid.pop(), None


def _chosen(asked: Mapping[str, CollectedAnswers], promise: ChargePromise, runs: Runs, guarantee: Guarantee) -> _Chosen:
    """The target where most is promised of what the guarantee is about, and the events to count there."""
    found = []
    base = asked[BASE].answers
    for target in (place for place in asked if place != BASE):
        other = asked[target].answers
        sight = learn(_some(base, 0, runs), _some(other, 0, runs))
        events = choose(sight, _some(base, 1, runs), _some(other, 1, runs), promise, runs.count, runs.risk, _EVENTS)
        found.append(_Chosen(target, sight, events))
    return max(found, key=lambda each: max(event.gain for event in each.events if guarantee.timed >= event.timed))


def _some(answers: Sequence[TimedAnswer], half: int, runs: Runs) -> Sequence[TimedAnswer]:
    """Those to learn from, or those to choose by: a mixture of all sessions' each."""
    share = runs.learn / (runs.learn + runs.choose)
    taken = {int(place / share) for place in range(runs.learn)}
    return [answer for place, answer in enumerate(answers) if (place in taken) == (half == 0)]


def _counted(
    chosen: _Chosen, asked: Mapping[str, CollectedAnswers], risk: float
) -> tuple[CountedStatistic, CountedStatistic]:
    """The strongest test without seconds, and the strongest with them: there are events of both."""
    base, target = asked[BASE].answers, asked[chosen.target].answers
    tested = count(chosen.sight, base, target, chosen.events, risk)
    here, there = (chosen.sight.statistics(each) for each in (base, target))

    def strongest(tallies: Iterable[Tally]) -> CountedStatistic:
        best = max(tallies, key=lambda each: each.bound)
        place = best.event.statistic
        return CountedStatistic(chosen.target, best, here[place].values, there[place].values)

    return (
        strongest(each for each in tested if not each.event.timed),
        strongest(each for each in tested if each.event.timed),
    )
