"""A filter on a key that was released is answered from the stored release: which statement of the analyst's it filters.

Claim: what comes of it was paid for by this analyst, and depends on released rows, the analyst's own texts, settings
and the policy alone. Because: the plan is made of texts; `answer` tells stored releases for it or nothing; and which
rows are there was released. Checked by: tests/clients/test_filtered.py, tests/test_stored_filters.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice, product
from typing import Final

from dpproxy.answering.stored import stored_releases
from dpproxy.plan.private_plan import Plan
from dpproxy.post_arrays import text
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.retelling import Retelling, retellings
from dpproxy.rows import Rows
from dpproxy.session.analyst_context import AnalystContext

MOST_STATEMENTS: Final = 200
_MOST_READ, _MOST_PLANNED, _MOST_COMBINATIONS, _MOST_CHARACTERS = 50, 3, 1000, 10_000
Earlier = tuple[str, Decimal, int]
"""The text of a statement that was charged, its ε, and its number in dp.statements."""


@dataclass(frozen=True, slots=True)
class StoredFilter:
    """A question that reads the groups of statement `number`, at the ε which was charged for that."""

    retelling: Retelling
    question: Question
    number: int


async def filterable(context: AnalystContext, question: Question, plan: Plan) -> Sequence[Earlier]:
    """The statements whose groups it might filter, the latest first. None where its own releases are stored, nor for
    an analyst who is stopped.

    They were charged as much ε as is asked for now, or more: so the noise of each share is no larger.
    """
    analyst, resources = context.account.ref.analyst, context.resources
    if context.stored is None or plan.fresh or plan.told or not plan.releases or analyst in resources.unsaid:
        return ()
    if len(await stored_releases(context.stored, analyst, plan)) == len(plan.releases):
        return ()
    charges = await resources.ledger.statements(analyst, MOST_STATEMENTS)
    grouped = (each for each in charges if "group" in each.statement.lower())
    enough = (each for each in grouped if each.epsilon >= question.settings.epsilon)
    short = (each for each in enough if len(each.statement) <= _MOST_CHARACTERS)
    found: dict[tuple[str, Decimal], int] = {}
    for each in short:
        found.setdefault((each.statement, each.epsilon), each.number)
    return [(statement, epsilon, number) for (statement, epsilon), number in islice(found.items(), _MOST_READ)]


def stored_filters(context: AnalystContext, question: Question, earlier: Sequence[Earlier]) -> Sequence[StoredFilter]:
    """The question as it reads these statements' groups, at the ε of each."""
    tables = context.account.catalog.tables.values()
    columns = frozenset(column.name for table in tables for column in table.columns)
    found = islice(retellings(question, dict.fromkeys(text for text, _, _ in earlier), columns), _MOST_PLANNED)
    by_text = {each.earlier: each for each in found}
    return [
        StoredFilter(by_text[statement], _at(by_text[statement].question, epsilon), number)
        for statement, epsilon, number in earlier
        if statement in by_text
    ][:_MOST_PLANNED]


def _at(question: Question, epsilon: Decimal) -> Question:
    return replace(question, settings=replace(question.settings, epsilon=epsilon))


async def is_there(context: AnalystContext, plan: Plan, filter_: StoredFilter) -> bool:
    """Whether the releases of the plan are stored, all of them, with each row that is asked for."""
    known = await stored_releases(context.stored, context.account.ref.analyst, plan)
    return bool(known) and len(known) == len(plan.releases) and has_all(filter_.retelling, known[0])


def has_all(retelling: Retelling, released: Rows) -> bool:
    """Whether the rows of the earlier release, whose keys come first, have all that is wanted."""
    places = sorted(retelling.wanted)
    values = [retelling.wanted[place] for place in places]
    there = {tuple(text(row[place]) for place in places) for row in released.rows}
    few = math.prod(map(len, values)) <= _MOST_COMBINATIONS
    return few and all(each in there for each in product(*values))
