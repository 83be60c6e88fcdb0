"""One source in FROM over private rows: a table of the policy, a derived private relation, or a public query."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.public import read_public
from dpproxy.rewrite.checker.relations import Relation
from dpproxy.rewrite.checker.scope import NOTHING, CheckContext
from dpproxy.rewrite.checker.tables import is_public, is_reading, read_table, scanned


def source(node: exp.Expr, context: CheckContext) -> Relation:
    """The rows of a source. A derived one stands by itself: it sees nothing of what is around it, nor beside it."""
    if type(node) is exp.Table:
        return scanned(node, context)
    if type(node) is not exp.Subquery:
        raise CheckFault("a source that is neither a table nor a derived one")
    if is_reading(node.this):
        return read_table(node.this, context)
    if is_public(node.this, context.catalog):
        return read_public(node.this, NOTHING, context)
    return context.relation(node.this, context)
