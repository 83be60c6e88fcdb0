"""The rows of EXPLAIN: what people want to know first, and details where they are asked for.

Checked by: tests/test_explained_columns.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from dpproxy.error_bars.foreseen import Memory
from dpproxy.ledger.accounts_in_force import tightest
from dpproxy.ledger.records import HeldAccount
from dpproxy.plan.private_plan import Plan
from dpproxy.post_arrays import Array
from dpproxy.rewrite.explain import explain_as, explain_text, price_lines
from dpproxy.rewrite.explained_columns import MORE, column_lines, columns_json, statements_words
from dpproxy.session import dp_tables
from dpproxy.session.aims import expected
from dpproxy.session.verdicts import Explains


def explained(plan: Plan, use: Explains, held: Sequence[HeldAccount], stored: int, memory: Memory) -> Array:
    """As text, or as one document. stored: how many of the releases were paid for before. memory: what the session was
    told of its numbers."""
    columns, (epsilon, delta) = expected(plan, memory), dp_tables.left(held)
    if use.format != "text":
        return (explain_as(use.format, plan, epsilon, delta, stored, columns_json(plan, columns)),)
    first = column_lines(plan, columns)
    if use.verbose:
        return (*first, *explain_text(plan, epsilon, delta, stored))
    fits = dp_tables.statements_left(tightest(held), plan.epsilon) if plan.releases else None
    left = () if fits is None else (statements_words(fits),)
    return (*first, *price_lines(plan, epsilon, delta, stored), *left, *((MORE,) if plan.releases else ()))
