"""The empty answer to a preview, where the policy says so: the columns of the statement, and no rows."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.accounting.loss import ZERO
from dpproxy.plan.private_plan import Plan, Post
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.statement.empty import nothing_of

_NOTICE = "dpproxy: rows of private tables are not shown; ask for counts, sums or averages"


def empty_preview(question: Question) -> Plan:
    """A plan without releases, which costs nothing.

    Claim: it reads no table. Because: its text has constants only. Checked by: rewrite.checker.check_post, and
    tests/clients/test_preview.py.
    """
    empty = exp.Select(expressions=nothing_of(question.columns), where=exp.Where(this=exp.false()))
    return Plan((), Post(empty.sql("postgres"), (), ()), ZERO, question.settings.epsilon, notice=_NOTICE)
