"""Comparisons: = <> < <= > >=, BETWEEN, IN, IS [NOT] DISTINCT FROM."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN
from dpproxy.rewrite.expressions.constants.domains import folded
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.intervals.durations import as_lengths
from dpproxy.rewrite.expressions.logic.quantified import spelled_out
from dpproxy.rewrite.expressions.trees.build import asked, atom
from dpproxy.rewrite.expressions.trees.refusals import unsupported
from dpproxy.rewrite.expressions.types.calendars import as_days
from dpproxy.rewrite.expressions.types.carriers import compared
from dpproxy.rewrite.expressions.types.promotion import resolved
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_FOLDS: dict[type[exp.Expression], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}


def truth(sql: exp.Expression, *operands: Typed, nullable: bool | None = None) -> Typed:
    """A boolean made of `operands`, NULL where one of them is unless said otherwise."""
    may_be_null = any(operand.fact.nullable for operand in operands) if nullable is None else nullable
    private = any(operand.fact.private for operand in operands)
    return Typed(sql, Fact(BOOLEAN, None, None, (False, True), may_be_null, private, None))


def comparison(node: exp.Expression, walk: Walk) -> Typed:
    """left = right and its like. NaN equals itself and is greater than all other numbers, in Postgres and DuckDB."""
    each = spelled_out(node)
    if each is not None:
        return walk(each)
    _, operands = resolved(node, as_days(as_lengths(node, [walk(node.this), walk(node.expression)])))
    if constant := folded(_fold(type(node)), BOOLEAN, *operands):
        return constant
    left, right = compared(operands)
    return truth(asked(type(node)(this=atom(left), expression=atom(right))), *operands)


def _fold(kind: type[exp.Expression]) -> Callable[[Value, Value], Value]:
    """The comparison of two constants of one kind; floats are left to the engine."""

    def fold(left: Value, right: Value) -> Value:
        exact = isinstance(left, int | Decimal) and isinstance(right, int | Decimal)
        if isinstance(left, float) or not (exact or type(left) is type(right)):
            raise LookupError(left)
        return _FOLDS[kind](left, right)

    return fold


def distinct_from(node: exp.Expression, walk: Walk) -> Typed:
    """IS [NOT] DISTINCT FROM, never NULL."""
    _, operands = resolved(node, as_lengths(node, [walk(node.this), walk(node.expression)]))
    left, right = compared(operands)
    return truth(type(node)(this=atom(left), expression=atom(right)), *operands, nullable=False)


def between(node: exp.Expression, walk: Walk) -> Typed:
    """x BETWEEN [SYMMETRIC] low AND high."""
    each = spelled_out(node)
    if each is not None:
        return walk(each)
    items = [walk(node.this), walk(node.args["low"]), walk(node.args["high"])]
    _, operands = resolved(node, as_days(as_lengths(node, items)))
    value, low, high = (atom(sql) for sql in compared(operands))
    return truth(asked(exp.Between(this=value, low=low, high=high)), *operands)


def membership(node: exp.Expression, walk: Walk) -> Typed:
    """x IN (a, b, …)."""
    each = spelled_out(node)
    if each is not None:
        return walk(each)
    if not node.expressions:
        raise unsupported(node)
    items = [walk(node.this), *(walk(item) for item in node.expressions)]
    _, operands = resolved(node, as_days(as_lengths(node, items)))
    value, *others = compared(operands)
    return truth(_in(value, others), *operands)


def _in(value: exp.Expression, items: Sequence[exp.Expression]) -> exp.Expression:
    return asked(exp.In(this=atom(value), expressions=list(items)))
