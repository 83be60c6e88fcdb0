"""A value that is read several times: a guard's operand, in its test and where it is used.

It is a leaf, a column of no table, that holds what computes it. So an expression grows by its guards, and not by what
they guard; `algebra.layers` makes it a column of a projection below.

Checked by: tests/test_algebra.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Self

from sqlglot import exp

from dpproxy.rewrite.expressions.trees.nodes import nodes_of
from dpproxy.rewrite.expressions.trees.position import note

STEP: Final = "dpproxy step"
_PLAIN: Final = 5  # nodes: a column or a constant is as well written again
_CONSTANT: Final = (exp.Literal, exp.Boolean, exp.Null, exp.DataType, exp.DataTypeParam, exp.Cast, exp.Paren, exp.Neg)


class Definition:
    """What computes a step, which all its leaves share; it is never changed.

    depth: of steps in steps. written: how many nodes it has with all of them written out.
    """

    __slots__ = ("__weakref__", "depth", "value", "written")

    def __init__(self, value: exp.Expression) -> None:
        inner = list(steps_in(value))
        self.value = value
        self.depth: int = 1 + max((each.depth for each in inner), default=-1)
        self.written: int = len(nodes_of(value)) + sum(each.written for each in inner)

    def __deepcopy__(self, memo: object) -> Self:
        return self


def named(sql: exp.Expression) -> exp.Expression:
    """`sql` as often as it is needed: a step, or where it is as short, a copy."""
    nodes = nodes_of(sql)
    if len(nodes) <= _PLAIN or all(isinstance(node, _CONSTANT) for node in nodes):
        return sql.copy()
    return step(Definition(sql.copy()))


def step(definition: Definition) -> exp.Expression:
    """The leaf of a definition; those of equal ones are equal."""
    marked = (node._meta for node in nodes_of(definition.value) if node._meta)  # `meta` would make one for each node
    marks = tuple(repr({name: mark for name, mark in meta.items() if name != STEP}) for meta in marked)
    leaf = exp.column(f"{hash((definition.value, marks))}", table=STEP)
    note(leaf, {STEP: definition})
    return leaf


def definition_of(node: exp.Expr) -> Definition | None:
    """What a leaf holds; None for any other node."""
    if not node._meta:
        return None
    found = node.meta_get(STEP)
    return found if isinstance(found, Definition) and isinstance(node, exp.Column) and node.table == STEP else None


def steps_in(value: exp.Expr) -> Iterator[Definition]:
    """The steps that an expression reads by itself, as often as it does."""
    for column in value.find_all(exp.Column):
        if (found := definition_of(column)) is not None:
            yield found
