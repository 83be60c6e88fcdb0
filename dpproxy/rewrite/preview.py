"""The empty answer to a preview, where the policy says so: the columns of the statement, and no rows."""

from __future__ import annotations

from dpproxy.accounting.loss import ZERO
from dpproxy.plan.model import Plan, Post
from dpproxy.rewrite.calculus.scans import quoted
from dpproxy.rewrite.question import Question

_NOTICE = "dpproxy: rows of private tables are not shown; ask for counts, sums or averages"


def empty_preview(question: Question) -> Plan:
    """A plan without releases, which costs nothing.

    Claim: it reads no table. Because: its text has constants only. Checked by: rewrite.checker.check_post, and
    tests/clients/test_preview.py.
    """
    columns = ", ".join(f"NULL::{each.type} AS {quoted(each.name)}" for each in question.columns)
    return Plan((), Post(f"SELECT {columns} WHERE false", (), ()), ZERO, question.settings.epsilon, notice=_NOTICE)
