"""Rows of a SELECT of which further conditions hold: those of an aggregate's FILTER, where it has a release of its own.

Checked by: tests/test_fixtures.py (rewrite/lists.sql), tests/test_neighbours.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from dpproxy.rewrite.calculus.publics import further_conditions
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import narrow


def restricted(joined: Joined, conditions: Sequence[exp.Expr], context: PlanningContext) -> Joined:
    """The same rows, without those of which some condition is not true.

    Claim: whatever is proved of the rows of a unit still holds. Because: they are some of those that there were, and
    `narrow` says of a column what is so in each row that is left. Checked by: tests/test_neighbours.py.
    """
    if not conditions:
        return joined
    rowset = joined.rowset
    formed = tuple(context.formed(context.condition(each, joined.scope)) for each in conditions)
    tree = replace(rowset.tree, where=(*rowset.tree.where, *formed))
    public = further_conditions(rowset.sources, conditions, rowset.subqueries)
    rows = replace(rowset, tree=tree, public_conditions=(*rowset.public_conditions, *public))
    return Joined(rows, narrow([context.constant(each) for each in conditions], joined.scope))
