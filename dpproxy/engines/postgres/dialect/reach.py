"""How large and how small floating point can be: where an operation could overflow or underflow, and what prevents it.

Postgres raises on both, where others go on with infinity and 0. A `Reach` says of an expression that it is NULL, 0, or
between two powers of two in size; where that is not known, or an operation would leave the range of a double, the
operand is held to less: clipped from above, and rounded to a grid from below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE
from dpproxy.rewrite.expressions.trees.build import atom, cast
from dpproxy.rewrite.expressions.trees.steps import named

LEAST, MOST = -1074, 1023
_BITS, _FINE = 53, -200


@dataclass(frozen=True, slots=True)
class Reach:
    """NULL, 0, or at least 2**least and at most 2**most in size. `most` None: it may be larger, infinite or NaN."""

    least: int = LEAST
    most: int | None = None


def of_number(number: float) -> Reach:
    """What is known of a constant."""
    if not math.isfinite(number):
        return Reach()
    exponent = math.frexp(number)[1] if number else 0
    return Reach(exponent - 1, exponent)


def double(number: float) -> exp.Expression:
    """A constant."""
    return cast(exp.Literal.string(repr(number)), DOUBLE)


def clipped(sql: exp.Expression, lower: float, upper: float) -> exp.Expression:
    """`sql` between the ends; NULL for NULL and NaN, written once.

    These are the functions under MIN and MAX of double precision. Unlike LEAST and GREATEST they are NULL with a NULL.
    """
    number = exp.Nullif(this=sql, expression=cast(exp.Literal.string("NaN"), DOUBLE))
    above = exp.Anonymous(this="FLOAT8LARGER", expressions=[number, double(lower)])
    return exp.Anonymous(this="FLOAT8SMALLER", expressions=[above, double(upper)])


def within(sql: exp.Expression, most: int) -> exp.Expression:
    """`sql` clipped to ±2**most."""
    end = math.ldexp(1.0, most)
    return clipped(sql, -end, end)


def on_grid(sql: exp.Expression, least: int) -> exp.Expression:
    """`sql` as a multiple of 2**least, if it is no larger than 2**(least + 51); larger ones lose a last place at most.

    Because: 1.5 * 2**(least + 52) has its last place at 2**least; adding it rounds to that, and taking it away is
    exact. It is far from overflow itself.
    """
    magic = double(math.ldexp(1.5, least + 52))
    moved = exp.Paren(this=exp.Add(this=atom(sql), expression=magic))
    return exp.Paren(this=exp.Sub(this=moved, expression=magic.copy()))


def cut(sql: exp.Expression, least: int) -> exp.Expression:
    """`sql`, 0 where it is smaller than 2**least: exact, but it is read twice."""
    value = named(sql)
    small = exp.LT(this=exp.Abs(this=value.copy()), expression=double(math.ldexp(1.0, least)))
    return exp.Case(ifs=[exp.If(this=small, true=double(0.0))], default=value)


def held(formed: tuple[exp.Expression, Reach], most: int | None, least: int | None) -> tuple[exp.Expression, Reach]:
    """The expression held to at most 2**most and, if not 0, at least 2**least; None: as it may be."""
    sql, reach = formed
    if most is not None and (reach.most is None or reach.most > most):
        sql, reach = within(sql, most), Reach(reach.least, most)
    if least is not None and reach.least < least:
        sql, reach = (on_grid if least < _FINE else cut)(sql, least), Reach(least, reach.most)
    return sql, reach


def sum_reach(left: Reach, right: Reach) -> Reach:
    """A sum is a multiple of the last place of the smaller one."""
    least = max(min(left.least, right.least) - _BITS, LEAST)
    return Reach(least, None if left.most is None or right.most is None else max(left.most, right.most) + 1)


def hull(reaches: list[Reach]) -> Reach:
    """What is known of a choice."""
    mosts = [reach.most for reach in reaches]
    known = [most for most in mosts if most is not None]
    least = min((reach.least for reach in reaches), default=0)
    return Reach(least, max(known, default=0) if len(known) == len(mosts) else None)
