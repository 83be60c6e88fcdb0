"""The rows of EXPLAIN: what people want to know first, and details where they are asked for.

Checked by: tests/test_explained_columns.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from dpproxy.answering.answer import price
from dpproxy.error_bars import typical_columns
from dpproxy.error_bars.foreseen import Memory, remembered_of, remembered_with
from dpproxy.ledger.accounts_in_force import tightest
from dpproxy.ledger.records import HeldAccount
from dpproxy.plan.private_plan import Plan
from dpproxy.post_arrays import Array
from dpproxy.post_processing import told_of
from dpproxy.rewrite.explain import Due, due_in_full, explain_as, explain_text, price_lines
from dpproxy.rewrite.explained_columns import MORE, column_lines, columns_json, statements_words
from dpproxy.rows import Rows
from dpproxy.session import dp_tables
from dpproxy.session.aims import expected
from dpproxy.session.noise_notices import words_shown
from dpproxy.session.verdicts import Explains


def explained(
    plan: Plan, use: Explains, held: Sequence[HeldAccount], known: Mapping[int, Rows], memory: Memory
) -> Array:
    """As text, or as one document. known: the releases that were paid for before. memory: what the session was told of
    the statement's numbers."""
    columns, (epsilon, delta) = expected(plan, _with(plan, known, memory)), dp_tables.left(held)
    due = _due(plan, held, known)
    if use.format != "text":
        return (explain_as(use.format, plan, epsilon, delta, due, columns_json(plan, columns)),)
    first = column_lines(plan, columns)
    if use.verbose:
        return (*first, *explain_text(plan, epsilon, delta, due))
    fits = _fits(due, held, delta) if due.epsilon else None
    left = () if fits is None else (statements_words(fits),)
    first = (*first, *(f"Note: {each}" for each in words_shown(plan)))
    return (*first, *price_lines(plan, epsilon, delta, due), *left, *((MORE,) if plan.releases else ()))


def _with(plan: Plan, known: Mapping[int, Rows], memory: Memory) -> Memory:
    """What a stored answer says of its numbers, too."""
    if not known or len(known) < len(plan.releases):
        return memory
    told = told_of(plan, [known[index] for index in range(len(plan.releases))])
    return remembered_with(memory, remembered_of(plan, typical_columns(told)))


def _due(plan: Plan, held: Sequence[HeldAccount], known: Mapping[int, Rows]) -> Due:
    """What is not known is paid for."""
    terms = tightest(held).terms
    if terms is None or not known:
        return due_in_full(plan)
    cost, epsilon = price(plan, known, terms.accounting)
    return Due(epsilon, cost.delta, len(known))


def _fits(due: Due, held: Sequence[HeldAccount], delta: Decimal) -> int | None:
    """How many more such statements the account has, by both of what they cost; None where it has no limit."""
    fits = dp_tables.statements_left(tightest(held), due.epsilon)
    if fits is None or not due.delta:
        return fits
    return min(fits, int(delta // due.delta))
