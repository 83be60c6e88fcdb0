"""Plans that are kept, by what was asked: so many, and so many characters of them, the latest used.

Checked by: tests/test_kept_plans.py, tests/attacks/test_plan_cache.py, tests/attacks/test_sessions.py.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import fields
from typing import Final

from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite.bare_values import BareValues
from dpproxy.rewrite.plans_alike import PlanShape, shape_of, widened
from dpproxy.rewrite.question import Question

MOST_PLANS: Final = 500
MOST_CHARACTERS: Final = 1_000_000
MOST_SHAPES: Final = 100
MOST_OF_SHAPE: Final = 20_000  # characters
PlanKey = tuple[object, ...]
"""What a plan was made of, or a part of it."""


class KeptPlans:
    """The plans of one analyst.

    plans: by all that they depend on but for the values of parameters, and by those values that they read. reads: the
    parameters that plans of a statement read, and how many plans each, by all else that they depend on.
    """

    def __init__(self) -> None:
        self.plans: OrderedDict[tuple[PlanKey, PlanKey], Plan] = OrderedDict()
        self.reads: dict[PlanKey, Counter[frozenset[int]]] = {}
        self.characters = 0
        self.shapes = PlanShapes()

    def find(self, question: Question) -> Plan | None:
        """The plan made lately for the same question.

        The same it is whatever the values of parameters that no release reads: those that only the post statement has.
        """
        asked = asked_of(question)
        for numbers in self.reads.get(asked, ()):
            key = asked, values_of(question, numbers)
            if (plan := self.plans.get(key)) is not None:
                self.plans.move_to_end(key)
                return plan
        return None

    def keep(self, question: Question, plan: Plan) -> None:
        """From now on it is there for the same question. A plan is a hundred times as large as its text: there may be
        many of short statements, or some of long ones."""
        asked = asked_of(question)
        key = asked, values_of(question, plan.reads)
        if key in self.plans:
            self._forget(key)
        self.plans[key] = plan
        self.reads.setdefault(asked, Counter())[plan.reads] += 1
        self.characters += size_of(plan)
        while len(self.plans) > MOST_PLANS or (len(self.plans) > 1 and self.characters > MOST_CHARACTERS):
            self._forget(next(iter(self.plans)))

    def _forget(self, key: tuple[PlanKey, PlanKey]) -> None:
        plan, reads = self.plans.pop(key), self.reads[key[0]]
        self.characters -= size_of(plan)
        reads[plan.reads] -= 1
        if not reads[plan.reads]:
            del reads[plan.reads]
        if not reads:
            del self.reads[key[0]]


class PlanShapes:
    """What plans that differ in values alone have in common, as far as two of them were made."""

    def __init__(self) -> None:
        self._seen: OrderedDict[PlanKey, tuple[BareValues, Plan] | PlanShape] = OrderedDict()

    def find(self, values: BareValues) -> PlanShape | None:
        """The shape that holds for these values."""
        found = self._seen.get(_of_values(values))
        return found if isinstance(found, PlanShape) and found.holds(values) else None

    def learn(self, values: BareValues, plan: Plan) -> None:
        """A plan that was made from the beginning."""
        if size_of(plan) + sum(map(len, _texts(values))) > MOST_OF_SHAPE:
            return
        key = _of_values(values)
        match self._seen.pop(key, None):
            case None:
                found: PlanShape | None = None
            case PlanShape() as shape:
                found = widened(shape, values, plan)
            case one:
                found = shape_of(one, (values, plan))
        self._seen[key] = (values, plan) if found is None else found
        while len(self._seen) > MOST_SHAPES:
            self._seen.popitem(last=False)


def _of_values(values: BareValues) -> PlanKey:
    texts = tuple(each.text for each in values.shape.parameters)
    return asked_of(values.shape), texts, values.kind


def _texts(values: BareValues) -> list[str]:
    """What is kept of a question beside its plan."""
    return [values.shape.sql, *(each.text for each in values.shape.parameters if each.text is not None)]


def size_of(plan: Plan) -> int:
    """The characters of its texts: values of parameters are in those of releases."""
    texts = (text for each in plan.releases for text in (each.bounded.sql, each.bounded.plain or ""))
    return len(plan.post.sql) + sum(map(len, texts))


def asked_of(question: Question) -> PlanKey:
    """All that a plan may depend on, but for the values of parameters."""
    types = tuple(parameter.type for parameter in question.parameters)
    meant = (tuple(sorted(each.items())) for each in (question.names, question.own))
    return (types, *meant, *(getattr(question, name) for name in _OTHERS))


def values_of(question: Question, numbers: frozenset[int]) -> PlanKey:
    """The values of some parameters, with their numbers."""
    return tuple((number, question.parameters[number].text) for number in sorted(numbers))


_OTHERS: Final = tuple(each.name for each in fields(Question) if each.name not in ("parameters", "names", "own"))
