"""Plans of one analyst, made and verified."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from typing import Final, TypeVar

from dpproxy.errors import DPProxyError, InternalFault, RowsOfUnits
from dpproxy.plan.private_plan import Plan
from dpproxy.rewrite import plan_statement, recursive_queries
from dpproxy.rewrite.bare_values import BareValues
from dpproxy.rewrite.checker import CheckFault, check_plan
from dpproxy.rewrite.plans_alike import PlanShape, filled, known_values
from dpproxy.rewrite.preview import empty_preview
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.recursion import RecursiveQuery
from dpproxy.session.analyst_context import AnalystContext
from dpproxy.session.postgres_parser import DEEP, TooComplex

_Made = TypeVar("_Made")
_log: Final = logging.getLogger(__name__)


def plan_of(analyst_context: AnalystContext, question: Question) -> Plan:
    """The plan of a question: that of others which differ from it in values alone, where there are two, or its own.

    It reads the text, however long that is: it is for the thread where plans are made, which alone knows shapes.
    Raises DPProxyError.
    """
    shapes, values = analyst_context.plans.shapes, known_values(question, analyst_context.account.catalog)
    shape = None if values is None else shapes.find(values)
    if values is not None and shape is not None:
        found = filled_plan(analyst_context, shape, values)
        if found is not None:
            return found
    plan = made_plan(analyst_context, question)
    if values is not None:
        shapes.learn(values, plan)
    return plan


def made_plan(analyst_context: AnalystContext, question: Question) -> Plan:
    """A plan by the policy of an analyst's context, verified. Raises DPProxyError."""
    account, dialect = analyst_context.account, analyst_context.resources.engine.dialect

    def make() -> Plan:
        plan = _planned(analyst_context, question)
        check_plan(plan, account.catalog, dialect, account.terms.accounting)
        return plan

    return _made(analyst_context, make)


def filled_plan(analyst_context: AnalystContext, shape: PlanShape, values: BareValues) -> Plan | None:
    """The plan of a shape for these values, verified as one that is made; None where it is to be made after all.

    Claim: what is returned is as private as a plan that was made. Because: the checker has read its texts, and knows no
    more of how they came about than of others. Checked by: tests/test_plans_alike.py::test_what_is_filled_is_checked.
    """
    account, dialect = analyst_context.account, analyst_context.resources.engine.dialect

    def make() -> Plan | None:
        plan = filled(shape, values, account.catalog, dialect)
        if plan is not None:
            check_plan(plan, account.catalog, dialect, account.terms.accounting)
        return plan

    try:
        return _made(analyst_context, make)
    except InternalFault:
        return None


def found_recursive(analyst_context: AnalystContext, question: Question) -> tuple[RecursiveQuery, ...]:
    """The queries of a statement that the front works out before it is planned. Raises DPProxyError."""
    return _made(analyst_context, lambda: recursive_queries(question, analyst_context.account.catalog))


def _made(analyst_context: AnalystContext, make: Callable[[], _Made]) -> _Made:
    try:
        return make()
    except (DPProxyError, InterruptedError):  # refused, or nobody waits for it any more
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


def _told(fault: Exception) -> str:
    """What the log may hold of a fault: its kind and where it was, and the checker's reason, but no text of the SQL."""
    frames = traceback.extract_tb(fault.__traceback__)[-3:]
    where = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames))
    return f"{fault.reason} at {where}" if isinstance(fault, CheckFault) else f"{type(fault).__name__} at {where}"
