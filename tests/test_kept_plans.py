"""Plans that are kept: for the same question, however its other parameters are; so many, and so long ones."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

from dpproxy.accounting.loss import ZERO
from dpproxy.plan.private_plan import Plan, Post
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.question import Parameter, Question
from dpproxy.session import kept_plans
from dpproxy.session.kept_plans import KeptPlans, PlanKey


def asked(sql: str, *values: str) -> Question:
    parameters = tuple(Parameter("integer", value) for value in values)
    return Question(sql, parameters, (), Settings(Decimal(1)), {"people": "people"})


def made(sql: str, *reads: int) -> Plan:
    return Plan((), Post(sql, (), ()), ZERO, Decimal(1), reads=frozenset(reads))


def test_what_no_release_reads_does_not_matter() -> None:
    kept, plan = KeptPlans(), made("x", 0)
    kept.keep(asked("s", "1", "2"), plan)
    assert kept.find(asked("s", "1", "3")) is plan
    assert kept.find(asked("s", "2", "2")) is None
    assert kept.find(asked("t", "1", "2")) is None


def test_the_one_that_was_not_used_for_longest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_plans, "MOST_PLANS", 2)
    kept = KeptPlans()
    for sql in ("a", "b"):
        kept.keep(asked(sql), made(sql))
    assert kept.find(asked("a")) is not None
    kept.keep(asked("c"), made("c"))
    assert [kept.find(asked(sql)) is not None for sql in "abc"] == [True, False, True]


def test_what_is_known_of_them_goes_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted anew, it is as it is kept, whatever was made again and forgotten."""
    monkeypatch.setattr(kept_plans, "MOST_CHARACTERS", 50)
    kept = KeptPlans()
    for number in range(60):
        reads = (0,) if number % 3 else (0, 1)
        kept.keep(asked("ab"[number % 2], str(number % 7), str(number % 2)), made("x" * (number % 9), *reads))
        assert kept.characters == sum(len(each.post.sql) for each in kept.plans.values()) <= 50
        counts = dict[PlanKey, Counter[frozenset[int]]]()
        for (question, _), plan in kept.plans.items():
            counts.setdefault(question, Counter())[plan.reads] += 1
        assert kept.reads == counts


def test_one_that_is_too_long_is_kept_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_plans, "MOST_CHARACTERS", 5)
    kept = KeptPlans()
    for sql in ("x" * 9, "y" * 8):
        kept.keep(asked(sql), made(sql))
    assert list(kept.plans.values()) == [made("y" * 8)]
