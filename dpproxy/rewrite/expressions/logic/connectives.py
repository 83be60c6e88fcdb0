"""AND, OR, NOT, and IS [NOT] NULL, TRUE, FALSE."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN, Family
from dpproxy.rewrite.expressions.constants.domains import folded
from dpproxy.rewrite.expressions.constants.literals import as_type, is_null
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.logic.comparison import truth
from dpproxy.rewrite.expressions.trees.build import atom
from dpproxy.rewrite.expressions.trees.refusals import refused, unsupported
from dpproxy.rewrite.expressions.walk import Walk


def condition(node: exp.Expression, walk: Walk) -> Typed:
    """`node` where a boolean is wanted. Raises FeatureNotSupported where it is none."""
    typed = as_type(node, walk(node), BOOLEAN)
    if typed.fact.type.family is not Family.BOOLEAN and not is_null(typed):
        raise refused(node, f"a condition must be boolean, not {typed.fact.type}", "Compare it with something.")
    return typed


def connective(node: exp.Expression, walk: Walk) -> Typed:
    """AND and OR, in SQL's three-valued logic."""
    left, right = condition(node.this, walk), condition(node.expression, walk)
    first = left.sql if isinstance(left.sql, type(node)) else atom(left.sql)
    return truth(type(node)(this=first, expression=atom(right.sql)), left, right)


def negation(node: exp.Expression, walk: Walk) -> Typed:
    """NOT x."""
    operand = condition(node.this, walk)
    return folded(lambda value: not value, BOOLEAN, operand) or truth(exp.Not(this=atom(operand.sql)), operand)


def test(node: exp.Expression, walk: Walk) -> Typed:
    """x IS [NOT] NULL, TRUE or FALSE: never NULL."""
    against = node.expression
    if not isinstance(against, exp.Null | exp.Boolean):
        raise unsupported(node)
    operand = walk(node.this) if isinstance(against, exp.Null) else condition(node.this, walk)
    sql: exp.Expression = exp.Is(this=atom(operand.sql), expression=against.copy())
    return truth(exp.Not(this=sql) if node.args.get("negate") else sql, operand, nullable=False)
