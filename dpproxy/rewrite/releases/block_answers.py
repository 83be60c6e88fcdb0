"""What a block of units answers: an aggregate of its rows, made of sums and counts that are exact.

Sums are of whole grid steps, so that they depend on no order of rows; what is made of them is arithmetic that depends
on them alone. A value without bounds is held to as many steps as can be added up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DOUBLE, SqlType
from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.calculus.per_unit import Group, aggregated
from dpproxy.rewrite.calculus.relations import Joined
from dpproxy.rewrite.calculus.ties import holds_key
from dpproxy.rewrite.calculus.units_in_blocks import BlockColumns
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.trees.build import binary, cast, computed, number
from dpproxy.rewrite.expressions.trees.position import position
from dpproxy.rewrite.expressions.trees.templates import filled, names_in, put
from dpproxy.rewrite.releases.aggregate_call import Asked
from dpproxy.rewrite.releases.measured import when
from dpproxy.rewrite.releases.moments import BoundedArgument, summable
from dpproxy.rewrite.releases.statistics import mean_type
from dpproxy.rewrite.shown import shown

_MOST_ROWS: Final = 2**31
_MOST_SUM: Final = 10**37
_MOST_STEPS: Final = 10**14 - 1
_PART: Final = 2**23
"""Steps are a multiple of it, and a rest, so that products of either have room in a bigint."""
_MOST_PRODUCT: Final = 2**62
_SUM: Final = SqlType("numeric", (38, 0))

_PARTS: Final[Mapping[str, str]] = {
    "x": "p - a * a / n",
    "y": "q - b * b / n",
    "z": "r - a * b / n",
    "g": "(r - a * b / n) / (p - a * a / n) * (e / d)",
    "v": "p - a * a / n > p * 1e-12",
    "w": "q - b * b / n > q * 1e-12",
}
"""Sums of squares and products around the means; the slope; whether x, and y, vary beyond what rounding makes of it."""
_OF_ONE: Final[Mapping[type[exp.Expr], str]] = {
    exp.Avg: "CASE WHEN n > 0 THEN c + a / n * d END",
    exp.VariancePop: "CASE WHEN n > 0 THEN GREATEST(x, 0) / n * (d * d) END",
    exp.Variance: "CASE WHEN n > 1 THEN GREATEST(x, 0) / (n - 1) * (d * d) END",
    exp.StddevPop: "CASE WHEN n > 0 THEN sqrt(GREATEST(x, 0) / n) * d END",
    **dict.fromkeys((exp.Stddev, exp.StddevSamp), "CASE WHEN n > 1 THEN sqrt(GREATEST(x, 0) / (n - 1)) * d END"),
}
"""Of n rows, with the sums a and p of steps and their squares; a value lies c + d·steps."""
_OF_TWO: Final[Mapping[type[exp.Expr], str]] = {
    exp.CovarPop: "CASE WHEN n > 0 THEN z / n * (d * e) END",
    exp.CovarSamp: "CASE WHEN n > 1 THEN z / (n - 1) * (d * e) END",
    exp.RegrAvgx: "CASE WHEN n > 0 THEN c + a / n * d END",
    exp.RegrAvgy: "CASE WHEN n > 0 THEN f + b / n * e END",
    exp.RegrSlope: "CASE WHEN n > 0 AND v THEN g END",
    exp.RegrIntercept: "CASE WHEN n > 0 AND v THEN f + b / n * e - g * (c + a / n * d) END",
    exp.Corr: "CASE WHEN n > 0 AND v AND w THEN LEAST(1, GREATEST(-1, z / sqrt(x * y))) END",
    exp.RegrR2: "CASE WHEN n > 0 AND v AND w THEN LEAST(1, z * z / (x * y)) WHEN n > 0 AND v THEN 1 END",
}
"""Of y besides: the sums b and q of its steps and their squares, and r of the products; it lies f + e·steps."""
_KNOWN: Final[Mapping[type[exp.Expr], Interval]] = {
    exp.Corr: Interval(Fraction(-1), Fraction(1)),
    exp.RegrR2: Interval(Fraction(0), Fraction(1)),
}
_Known = Mapping[str, Callable[[], exp.Expr]]
"""What stands for a name, made where it is read."""
_GROWING: Final = (exp.Count, exp.Sum, exp.RegrCount, exp.RegrSxx, exp.RegrSyy, exp.RegrSxy)


@dataclass(frozen=True, slots=True)
class BlockAnswer:
    """tree: over the columns of a block. interval: where it lies, if that is known. type: of the median of all."""

    tree: exp.Expr
    interval: Interval | None
    type: SqlType
    label: str


def block_answer(asked: Asked, joined: Joined, columns: BlockColumns) -> BlockAnswer:
    """What each block answers to an aggregate.

    Raises FeatureNotSupported for one that grows with the number of rows, or has no exact form.
    """
    node = asked.node
    distinct = isinstance(node, exp.Count) and isinstance(node.this, exp.Distinct)
    if (isinstance(node, _GROWING) and not distinct) or (distinct and _counts_units(node, joined)):
        raise _grows(node)
    if type(node) in _OF_ONE:
        return _of_one(asked, columns)
    if type(node) in _OF_TWO:
        return _of_two(asked, columns)
    if isinstance(node, exp.Min | exp.Max) or distinct:
        return _as_it_is(asked, joined, columns)
    raise unsupported_in_blocks(node)


@dataclass(frozen=True, slots=True)
class _Steps:
    """A column of steps, none further than `most` from 0."""

    column: exp.Expression
    most: int


def _of_one(asked: Asked, columns: BlockColumns) -> BlockAnswer:
    x = _held(summable(asked))
    steps = _steps(asked, x, columns)
    known = {**_moments(columns, steps), **_line(x, "c", "d")}
    interval = x.interval if isinstance(asked.node, exp.Avg) and not x.is_open else None
    tree = _formula(_OF_ONE[type(asked.node)], known)
    return BlockAnswer(tree, interval, mean_type(x.typed.fact.type), asked.label)


def _of_two(asked: Asked, columns: BlockColumns) -> BlockAnswer:
    """REGR's arguments are (Y, X), as in SQL; the statistics that know no order are the same both ways."""
    y, x = _held(summable(asked)), _held(summable(asked, "expression"))
    of_x, of_y = _steps(asked, x, columns, *y.present), _steps(asked, y, columns, *x.present)
    known = {**_moments(columns, of_x), **_line(x, "c", "d"), **_line(y, "f", "e")}
    known |= {
        "b": lambda: _sum(columns, of_y),
        "q": lambda: _products(columns, of_y, of_y),
        "r": lambda: _products(columns, of_x, of_y),
    }
    return BlockAnswer(_formula(_OF_TWO[type(asked.node)], known), _lies(asked.node, y, x), DOUBLE, asked.label)


def _formula(text: str, known: _Known) -> exp.Expr:
    """The formula over the sums that it reads; no others are made."""
    tree = filled(text, {name: filled(part, {}) for name, part in _PARTS.items()})
    return put(tree, {name: known[name]() for name in sorted(names_in(tree))})


def _lies(node: exp.Expr, y: BoundedArgument, x: BoundedArgument) -> Interval | None:
    if not isinstance(node, exp.RegrAvgx | exp.RegrAvgy):
        return _KNOWN.get(type(node))
    mean = x if isinstance(node, exp.RegrAvgx) else y
    return None if mean.is_open else mean.interval


def _as_it_is(asked: Asked, joined: Joined, columns: BlockColumns) -> BlockAnswer:
    """MIN, MAX and COUNT(DISTINCT x), of the rows that FILTER leaves."""
    group = Group(joined.scope, _MOST_ROWS, may_be_empty=False, hold=columns.hold)
    typed = aggregated(_with_filter(asked), group, asked.context)
    counts = isinstance(asked.node, exp.Count)
    interval = None if counts else typed.fact.interval
    return BlockAnswer(columns.value(typed), interval, typed.fact.type.of_any, asked.label)


def _with_filter(asked: Asked) -> exp.Expr:
    return asked.node.parent if isinstance(asked.node.parent, exp.Filter) else asked.node


def _held(x: BoundedArgument) -> BoundedArgument:
    """The same, on a grid so coarse that products of its steps can be added up."""
    most = _most(x)
    coarser = next(10**places for places in range(40) if most <= _MOST_STEPS * 10**places)
    return replace(x, step=x.step * coarser)


def _steps(asked: Asked, x: BoundedArgument, columns: BlockColumns, *present: exp.Expression) -> _Steps:
    """How far each row lies from the centre, as a column: NULL where it, or what is beside it, has no value."""
    away = when(asked.kept(*present), asked.context.plain(x.away(x.centre)))
    return _Steps(columns.operand(away), _most(x))


def _most(x: BoundedArgument) -> int:
    return max(map(abs, x.reach(x.centre)))


def _moments(columns: BlockColumns, of_x: _Steps) -> dict[str, Callable[[], exp.Expr]]:
    return {
        "n": lambda: columns.value(Typed(exp.Count(this=of_x.column.copy()), _fact(BIGINT, 0, 2**63 - 1))),
        "a": lambda: _sum(columns, of_x),
        "p": lambda: _products(columns, of_x, of_x),
    }


def _sum(columns: BlockColumns, of_x: _Steps) -> exp.Expr:
    return columns.value(Typed(_exact(of_x.column.copy()), _fact(DOUBLE, -_MOST_SUM, _MOST_SUM)))


def _products(columns: BlockColumns, left: _Steps, right: _Steps) -> exp.Expr:
    """The sum of the products: exact, where each has room in a bigint; else but for the rounding of four sums.

    With l = c·h + r of each side, where c is `_PART`, it is c²·Σhh' + c·(Σhr' + Σrh') + Σrr'.
    """
    sides = left.column, right.column
    if left.most * right.most <= _MOST_PRODUCT:
        return columns.value(Typed(_exact(_times(*sides)), _fact(DOUBLE, -_MOST_SUM, _MOST_SUM)))
    high, rest = ([computed(kind, each, number(_PART), BIGINT) for each in sides] for kind in (exp.IntDiv, exp.Mod))
    middle = _plus(_exact(_times(high[0], rest[1])), _exact(_times(rest[0], high[1])))
    upper = _plus(_scaled(_exact(_times(*high)), _PART**2), _scaled(middle, _PART))
    most = _MOST_SUM * _PART**3
    return columns.value(Typed(_plus(upper, _exact(_times(*rest))), _fact(DOUBLE, -most, most)))


def _times(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    return computed(exp.Mul, left.copy(), right.copy(), BIGINT)


def _plus(left: exp.Expression, right: exp.Expression) -> exp.Expression:
    return computed(exp.Add, left, right, DOUBLE)


def _scaled(total: exp.Expression, factor: int) -> exp.Expression:
    return computed(exp.Mul, total, _number(Decimal(factor)), DOUBLE)


def _exact(operand: exp.Expression) -> exp.Expression:
    """The exact sum of whole numbers, held to ±10^37, as a double."""
    total, most = exp.Sum(this=operand), number(_MOST_SUM)
    above = exp.If(this=binary(exp.GT, total, most), true=most.copy())
    below = exp.If(this=binary(exp.LT, total.copy(), number(-_MOST_SUM)), true=number(-_MOST_SUM))
    return cast(cast(exp.Case(ifs=[above, below], default=total.copy()), _SUM), DOUBLE)


def _fact(type_: SqlType, least: int, most: int) -> Fact:
    step = Decimal(1) if type_ == BIGINT else None
    proved = Interval(Fraction(least), Fraction(most))
    return Fact(type_, None, proved, None, nullable=type_ != BIGINT, private=True, step=step)


def _line(x: BoundedArgument, centre: str, step: str) -> dict[str, Callable[[], exp.Expr]]:
    """Where a value of so many steps lies."""
    return {centre: lambda: _number(x.centre), step: lambda: _number(x.step)}


def _number(value: Decimal) -> exp.Expression:
    written = exp.Literal.string(repr(float(value)))
    return exp.Cast(this=written, to=exp.DataType.build("double precision"))


def _counts_units(node: exp.Expr, joined: Joined) -> bool:
    """COUNT(DISTINCT the unit's key)."""
    return all(holds_key(each, joined.rowset) for each in node.this.expressions)


def _grows(node: exp.Expr) -> FeatureNotSupported:
    return FeatureNotSupported(
        f"{shown(node)} grows with the number of rows: a block's answer is not that of all",
        hint="Ask for it with SET dp.mechanism = auto; or for what does not: AVG(x), STDDEV(x), COUNT(DISTINCT x).",
        position=position(node),
    )


def unsupported_in_blocks(node: exp.Expr) -> FeatureNotSupported:
    """The refusal of an aggregate whose answers by block have no median here."""
    return FeatureNotSupported(
        f"{shown(node)} is not supported by dp.mechanism = sample_aggregate",
        hint="Use AVG, VARIANCE, STDDEV, COVAR, CORR, REGR, MIN, MAX or COUNT(DISTINCT x); or SET dp.mechanism = auto.",
        position=position(node),
    )
