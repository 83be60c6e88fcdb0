"""Sums of one value with several numbers added to it come of two: SUM(x + 1), SUM(x + 2) and SUM(x + 3) are
SUM(x + 2) - COUNT(x), SUM(x + 2), and SUM(x + 2) + COUNT(x).

Each number that is released has its share of the price: two are better than many. What is asked of the engine is the
sum in the middle, since the further a number is from it, the more of the count's noise its sum has. So what is larger
than the value can be stays as it is written: SUM(x) would have the noise of SUM(x + 1000000) and of as many times the
count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.calculus.aggregates_of import above, aggregates
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.expressions import Interval

FEWEST: Final = 3
"""So many sums of a value are more than the two numbers in their place."""
_LARGEST: Final = 2**31 - 1  # of an integer: beyond it, a sum has another type


@dataclass(frozen=True, slots=True)
class _Shift:
    """What a SUM adds up, but for the number that is added: of `where`, where it has a FILTER."""

    value: exp.Expr
    where: exp.Expr | None


def shifted_sums(select: exp.Select, joined: Joined, context: PlanningContext) -> dict[exp.Expr, exp.Expr]:
    """The sums of `select` that come of another one and a count, and what comes to each.

    Claim: the same value, of the same type, where the sums as they are written have one: SUM(x + a) is SUM(x + b) +
    (a - b) * COUNT(x), since a row without x is in neither. Of exact types alone: others round.
    Checked by: tests/test_shifted_sums.py.
    """
    found = [node for part in above(select) for node in aggregates(part)]
    sums: defaultdict[_Shift, dict[Decimal, exp.Expr]] = defaultdict(dict)
    for node in found:
        if (read := _read(node)) is not None:
            sums[read[0]][read[1]] = node
    made = [_of_two(shift, _alike(shift, each, joined, context)) for shift, each in sums.items()]
    return {node: told for each in made for node, told in each.items()}


def _read(node: exp.Expr) -> tuple[_Shift, Decimal] | None:
    call, where = (node.this, node.expression.this) if isinstance(node, exp.Filter) else (node, None)
    if not isinstance(call, exp.Sum) or isinstance(call.this, exp.Distinct):
        return None
    match call.this.unnest():
        case exp.Add(this=value, expression=by) if (number := _number(by.unnest())) is not None:
            return _Shift(value.unnest(), where), number
        case exp.Add(this=by, expression=value) if (number := _number(by.unnest())) is not None:
            return _Shift(value.unnest(), where), number
        case exp.Sub(this=value, expression=by) if (number := _number(by.unnest())) is not None:
            return _Shift(value.unnest(), where), -number
        case value:
            return _Shift(value, where), Decimal(0)


def _number(node: exp.Expr) -> Decimal | None:
    """The value of a number as it is written in decimals."""
    if isinstance(node, exp.Neg):
        number = _number(node.this.unnest())
        return None if number is None else -number
    plain = type(node) is exp.Literal and not node.is_string and "e" not in node.name.lower()
    return Decimal(node.name) if plain else None


def _alike(
    shift: _Shift, sums: Mapping[Decimal, exp.Expr], joined: Joined, context: PlanningContext
) -> Mapping[Decimal, exp.Expr]:
    """Those of the sums that have one type, which adds up without rounding, and numbers no larger than the value."""
    if len(sums) < FEWEST:
        return {}
    fact = context.total(shift.value, joined.scope).fact
    near = sums if fact.interval is None else {by: node for by, node in sums.items() if abs(by) <= _size(fact.interval)}
    match fact.type.family:
        case Family.INTEGER:
            return {by: node for by, node in near.items() if by.as_tuple().exponent == 0 and abs(by) <= _LARGEST}
        case Family.NUMERIC:
            return near
        case _:
            return {}


def _size(interval: Interval) -> Fraction:
    return max(abs(interval.lower), abs(interval.upper))


def _of_two(shift: _Shift, sums: Mapping[Decimal, exp.Expr]) -> dict[exp.Expr, exp.Expr]:
    if len(sums) < FEWEST:
        return {}
    middle = _middle(sums)
    counted: exp.Expr = exp.Count(this=shift.value.copy())
    if shift.where is not None:
        counted = exp.Filter(this=counted, expression=exp.Where(this=shift.where.copy()))
    return {node: _moved(sums[middle], by - middle, counted) for by, node in sums.items() if by != middle}


def _middle(numbers: Collection[Decimal]) -> Decimal:
    return sorted(numbers)[len(numbers) // 2]


def _moved(summed: exp.Expr, by: Decimal, counted: exp.Expr) -> exp.Expr:
    kind = exp.Add if by > 0 else exp.Sub
    times = exp.Mul(this=exp.Literal.number(f"{abs(by):f}"), expression=counted.copy())
    return exp.Paren(this=kind(this=summed.copy(), expression=times))
