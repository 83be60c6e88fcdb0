"""SQL -> Plan: the passes in order. Pure; the same question gives the same plan, text for text."""

from __future__ import annotations

from dpproxy.accounting.account import Terms
from dpproxy.catalog.model import Catalog
from dpproxy.plan.model import Plan
from dpproxy.rewrite.admit import admit
from dpproxy.rewrite.allocate import allocate
from dpproxy.rewrite.parse import parse_statement
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.resolve import resolve
from dpproxy.rewrite.retype import retype
from dpproxy.rewrite.swap import swap
from dpproxy.rewrite.track import Tracked
from dpproxy.rewrite.world import World


def plan_statement(question: Question, catalog: Catalog, terms: Terms, dialect: str) -> Plan:
    """The plan of one statement for an analyst whose tables `catalog` holds and whose account has `terms`.

    Claim: the plan and its cost are a function of the arguments, none of which was read from private data.
    Because: every pass is pure. Checked by: tests/test_source.py (the core imports no IO) and tests/test_fixtures.py.
    Raises a DPProxyError with position and hint for what cannot be answered.
    """
    tree = resolve(admit(parse_statement(question.sql), question.sql), question.sql, catalog, question.names)
    retype(tree, question.columns)
    tracked = Tracked(World(catalog, question.settings, question.parameters, dialect), tree)
    tracked.statement()
    post = swap(tree, tracked.drafts, catalog, len(question.parameters))
    releases, cost = allocate(tracked.drafts, question.settings, terms)
    return Plan(releases, post, cost, question.settings.epsilon)
