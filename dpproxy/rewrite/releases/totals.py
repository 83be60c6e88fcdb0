"""Sums and counts of contributions, as every bounded SQL ends in them."""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import BIGINT
from dpproxy.rewrite.algebra import Item
from dpproxy.rewrite.expressions.trees.build import cast, number

MOST_TOTAL = 2**62
MOST_WIDE_TOTAL = 2**120


def itself(name: str) -> Item:
    """A column that is handed on."""
    return Item(name, exp.column(name))


def counted() -> exp.Expression:
    """COUNT(*)."""
    return exp.Count(this=exp.Star())


def summed(column: str) -> exp.Expression:
    """SUM(column), of what cannot pass a bigint."""
    return exp.Sum(this=exp.column(column))


def or_zero(value: exp.Expression) -> exp.Expression:
    """`value`, and 0 where it is NULL."""
    return exp.Coalesce(this=value, expressions=[number(0)])


def held(value: exp.Expression, lower: int, upper: int) -> exp.Expression:
    """clamp(value, lower, upper) of what is never NULL."""
    above = exp.Greatest(this=value, expressions=[number(lower)], ignore_nulls=True)
    return exp.Least(this=above, expressions=[number(upper)], ignore_nulls=True)


def total(column: str) -> exp.Expression:
    """The sum of contributions, held to what a bigint has room for: 1-Lipschitz."""
    return cast(held(or_zero(summed(column)), -MOST_TOTAL, MOST_TOTAL), BIGINT)


def wide_total(column: str, wide: exp.DataType) -> exp.Expression:
    """The same of contributions that are wider than a bigint: whole numbers still, of 37 digits at most."""
    clamped = held(or_zero(summed(column)), -MOST_WIDE_TOTAL, MOST_WIDE_TOTAL)
    return exp.Cast(this=clamped, to=wide.copy())
