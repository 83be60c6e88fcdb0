"""Plans of one analyst: made and verified, and kept for the same question asked again."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from dataclasses import fields
from typing import Final, TypeVar

from dpproxy.errors import DPProxyError, InternalFault, RowsOfUnits
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite import plan_statement, recursive_queries
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.preview import empty_preview
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.recursion import RecursiveQuery
from dpproxy.session.analyst_context import AnalystContext, PlanKey
from dpproxy.session.postgres_parser import DEEP, TooComplex

MOST_PLANS: Final = 500
MOST_CHARACTERS: Final = 500_000
_Made = TypeVar("_Made")
_log: Final = logging.getLogger(__name__)


def cached_plan(context: AnalystContext, question: Question) -> Plan | None:
    """The plan made lately for the same question.

    The same it is whatever the values of parameters that no release reads: those that only the post statement has.
    """
    plans, asked = context.plans, _asked(question)
    for numbers in context.reads.get(asked, ()):
        if (plan := plans.get((asked, _values(question, numbers)))) is not None:
            plans.move_to_end((asked, _values(question, numbers)))
            return plan
    return None


def keep_plan(context: AnalystContext, question: Question, plan: Plan) -> None:
    """From now on it is there for the same question."""
    asked = _asked(question)
    context.reads.setdefault(asked, set()).add(plan.reads)
    context.plans[asked, _values(question, plan.reads)] = plan
    _forget_oldest(context)


def _forget_oldest(analyst_context: AnalystContext) -> None:
    """A plan is a hundred times as large as its text: there may be many of short statements, or some of long ones."""
    plans = analyst_context.plans
    while len(plans) > MOST_PLANS or (
        len(plans) > 1 and sum(len(each.post.sql) for each in plans.values()) > MOST_CHARACTERS
    ):
        (oldest, _), _ = plans.popitem(last=False)
        if not any(key[0] == oldest for key in plans):
            analyst_context.reads.pop(oldest, None)


def made_plan(analyst_context: AnalystContext, question: Question) -> Plan:
    """A plan by the policy of an analyst's context, verified. Raises DPProxyError."""
    account, dialect = analyst_context.account, analyst_context.resources.engine.dialect

    def make() -> Plan:
        plan = _planned(analyst_context, question)
        check_plan(plan, account.catalog, dialect, account.terms.accounting)
        return plan

    return _made(analyst_context, make)


def found_recursive(analyst_context: AnalystContext, question: Question) -> tuple[RecursiveQuery, ...]:
    """The queries of a statement that the front works out before it is planned. Raises DPProxyError."""
    return _made(analyst_context, lambda: recursive_queries(question, analyst_context.account.catalog))


def _made(analyst_context: AnalystContext, make: Callable[[], _Made]) -> _Made:
    try:
        return make()
    except DPProxyError:
        raise
    except RecursionError as fault:
        raise TooComplex(DEEP, hint="Write it with fewer nested operators.") from fault
    except Exception as fault:
        # A refusal of the checker, or a fault of the rewrite's: either way before any charge.
        _log.error("no plan for a statement of %s: %s", analyst_context.account.ref.analyst, _told(fault))
        raise InternalFault from fault


def _planned(analyst_context: AnalystContext, question: Question) -> Plan:
    account = analyst_context.account
    try:
        return plan_statement(question, account.catalog, account.terms, analyst_context.resources.engine.dialect)
    except RowsOfUnits:
        if not analyst_context.previews or any(each.type == "unknown" for each in question.columns):
            raise
        return empty_preview(question)


def _asked(question: Question) -> PlanKey:
    """All that a plan may depend on, but for the values of parameters."""
    types = tuple(parameter.type for parameter in question.parameters)
    rest = {each.name: getattr(question, each.name) for each in fields(question)}
    meant = (tuple(sorted(rest.pop(each).items())) for each in ("names", "own"))
    del rest["parameters"]
    return (types, *meant, *rest.values())


def _values(question: Question, numbers: frozenset[int]) -> PlanKey:
    """The values of some parameters, with their numbers."""
    return tuple((number, question.parameters[number].text) for number in sorted(numbers))


def _told(fault: Exception) -> str:
    """What the log may hold of a fault: its kind and where it was, and the checker's reason, but no text of the SQL."""
    frames = traceback.extract_tb(fault.__traceback__)[-3:]
    where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    return f"{fault.reason} at {where}" if isinstance(fault, CheckFault) else f"{type(fault).__name__} at {where}"
