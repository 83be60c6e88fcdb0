"""SQL -> Plan: the passes in order. Pure; the same question gives the same plan, text for text."""

from __future__ import annotations

from dpproxy.accounting.account import Terms
from dpproxy.catalog.model import Catalog
from dpproxy.plan.model import Plan
from dpproxy.rewrite.allocate import allocate
from dpproxy.rewrite.calculus.empty import is_empty, without_rows
from dpproxy.rewrite.calculus.own import own_tables, unreadable
from dpproxy.rewrite.calculus.track import Tracked
from dpproxy.rewrite.question import Question
from dpproxy.rewrite.reading.admit import admit
from dpproxy.rewrite.reading.clock import clock
from dpproxy.rewrite.reading.constants import set_apart
from dpproxy.rewrite.reading.parse import parse_statement
from dpproxy.rewrite.reading.resolve import resolve
from dpproxy.rewrite.swap import swap
from dpproxy.rewrite.world import World


def plan_statement(question: Question, catalog: Catalog, terms: Terms, dialect: str) -> Plan:
    """The plan of one statement for an analyst whose tables `catalog` holds and whose account has `terms`.

    Claim: the plan and its cost are a function of the arguments, none of which was read from private data.
    Because: every pass is pure. Checked by: tests/test_source.py (the core imports no IO) and tests/test_fixtures.py.
    Raises a DPProxyError with position and hint for what cannot be answered.
    """
    tree = clock(admit(parse_statement(question.sql), question.sql), question.now)
    tree, constants = set_apart(tree)
    tree = resolve(tree, question.sql, catalog, question.names, question.own)
    tables = own_tables(tree, question.own)
    hidden = unreadable(tree, question.own)
    world = World(catalog, question.settings, question.parameters, dialect, constants, tables=tables, unreadable=hidden)
    if is_empty(tree, world):
        without_rows(tree, catalog)
    tracked = Tracked(world, tree)
    tracked.statement()
    post = swap(tree, tracked.drafts, world)
    releases, cost = allocate(tracked.drafts, question.settings, terms)
    settings = question.settings
    return Plan(releases, post, cost, settings.epsilon, frozenset(world.read), tables, fresh=settings.fresh)
