"""The names that WITH gives to queries.

Checked by: tests/test_fixtures.py (rewrite/recursion.sql, refuse/recursion.sql), tests/test_executed.py.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.calculus.relations import FrontRelation, Readable, Relation
from dpproxy.rewrite.reading.ctes import reads_itself
from dpproxy.rewrite.statement.recursive import recursive_rows
from dpproxy.rewrite.statement.tracker import Names, Tracker


def visible(node: exp.Expr, names: Names, tracker: Tracker) -> Names:
    """The names visible inside of a query, with those that it defines; private ones leave the tree."""
    with_ = node.args.get("with_")
    if with_ is None:
        return names
    inside = dict(names)
    for cte in with_.expressions:
        inside[cte.alias] = _recursive(cte, inside, tracker) if reads_itself(cte) else tracker.query(cte.this, inside)
    kept = [cte for cte in with_.expressions if isinstance(inside[cte.alias], FrontRelation)]
    with_.set("expressions", kept)
    if not kept:
        node.set("with_", None)
    return inside


def _recursive(cte: exp.CTE, names: Names, tracker: Tracker) -> Relation:
    """A query that reads itself stays with the front, over public and released rows."""
    within = FrontRelation(cte, names)
    relation = tracker.query(cte.this, {**names, cte.alias: within})
    if isinstance(relation, Readable):
        raise recursive_rows(cte, tracker.outermost, tracker.context.catalog)
    return within
