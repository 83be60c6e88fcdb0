"""Arguments that must be constants: what is cut, where, and by what, so that no row's value is an odd argument."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import INTEGER, Family
from dpproxy.rewrite.expressions.constants.literals import as_type, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.trees.refusals import refused, spelled
from dpproxy.rewrite.expressions.walk import Walk

MOST_LETTERS = 2**31 - 1


def constant_text(node: exp.Expression, argument: exp.Expression, walk: Walk) -> str | None:
    """A constant text; None for NULL. Raises FeatureNotSupported where it is anything else."""
    typed = walk(argument)
    value = value_of(typed)
    if is_null(typed):
        return None
    if not is_constant(typed) or not isinstance(value, str):
        raise refused(node, f"{spelled(node)} needs constant text here", "Write the text as a constant or parameter.")
    return value


def constant_count(node: exp.Expression, argument: exp.Expression, walk: Walk) -> int | None:
    """A constant integer; None for NULL. Raises FeatureNotSupported where it is anything else."""
    count = as_count(node, walk(argument))
    if count is None or is_null(count):
        return None
    value = value_of(count)
    if not is_constant(count) or not isinstance(value, int):
        hint = "Write the number as a constant or parameter."
        raise refused(node, f"{spelled(node)} needs constant numbers here", hint)
    return value


def as_count(node: exp.Expression, argument: Typed) -> Typed:
    """An argument that Postgres wants to be of type integer. Raises FeatureNotSupported where it is not."""
    typed = as_type(node, argument, INTEGER)
    value = value_of(typed) if is_constant(typed) else 0
    whole = typed.fact.type.family is Family.INTEGER or is_null(typed)
    if not whole or (isinstance(value, int) and not -MOST_LETTERS <= value <= MOST_LETTERS):
        raise refused(node, f"{spelled(node)} needs integers here", "CAST the number to integer.")
    return typed
