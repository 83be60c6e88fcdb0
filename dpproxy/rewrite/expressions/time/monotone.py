"""Functions of a date or timestamp that never fall as it rises, and what a comparison of one says of the column.

`date_trunc('year', d) = …`, `extract(year FROM d) >= 1995` and `d + INTERVAL '1 month' < …` each hold between two
moments, which are found by halving. Where they lie is a matter of the calendar alone.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import DATE, DOUBLE, NUMERIC, TEXT, TIMESTAMP, Family, SqlType
from dpproxy.catalog.zones import UTC
from dpproxy.rewrite.expressions.constants.literals import as_type, is_constant, value_of
from dpproxy.rewrite.expressions.facts.fact import exact
from dpproxy.rewrite.expressions.intervals.durations import Duration
from dpproxy.rewrite.expressions.intervals.spans import CUTS, Span, micros_of, moment_at, moment_of, shifted
from dpproxy.rewrite.expressions.intervals.units import unit_of
from dpproxy.rewrite.expressions.time.fields import FIELDS, field_name
from dpproxy.rewrite.expressions.time.formats import rising_text
from dpproxy.rewrite.expressions.types.calendars import DAY, years
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

Name = tuple[str, str]
_TIMES = (Family.DATE, Family.TIMESTAMP)
_Key = tuple[int, Fraction, str]


@dataclass(frozen=True, slots=True)
class Rising:
    """A function of one column: `of` gives its value for a moment of the column's, which has type `type`."""

    column: Name
    type: SqlType
    of: Callable[[datetime], Value]


def rising(node: exp.Expression, walk: Walk) -> Rising | None:
    """The expression as a function of one date or timestamp that never falls; None where it is not seen to be one."""
    match node:
        case exp.Paren():
            return rising(node.this, walk)
        case exp.Column():
            return _column(node, walk)
        case exp.TimestampTrunc() | exp.Cast() | exp.Extract() | exp.TimeToStr():
            inner = rising(node.expression if isinstance(node, exp.Extract) else node.this, walk)
            return None if inner is None else _applied(node, inner)
        case exp.Add() | exp.Sub() if not node.expression.find(exp.Column):
            inner = rising(node.this, walk)
            return None if inner is None else _shifted(node, inner, walk)
    return None


def _column(node: exp.Column, walk: Walk) -> Rising | None:
    name = (str(node.table), str(node.name))
    typed = walk.scope.get(name)
    if typed is None or not (typed.fact.type.family in _TIMES or typed.fact.type.zone == UTC):
        return None
    return Rising(name, TIMESTAMP if typed.fact.type.zone else typed.fact.type, lambda moment: moment)


def _applied(node: exp.Expression, inner: Rising) -> Rising | None:
    if inner.type == NUMERIC and isinstance(node, exp.Cast) and node.to.this == exp.DataType.Type.DOUBLE:
        return Rising(inner.column, DOUBLE, inner.of)
    if inner.type.family not in _TIMES:
        return None
    match node:
        case exp.TimestampTrunc():
            cut = CUTS.get(unit_of(str(node.args["unit"].name)))
            return None if cut is None else _after(inner, TIMESTAMP, cut)
        case exp.Cast():
            return {
                exp.DataType.Type.DATE: _after(inner, DATE, CUTS["day"]),
                exp.DataType.Type.TIMESTAMP: _after(inner, TIMESTAMP, lambda moment: moment),
            }.get(node.to.this)
        case exp.Extract():
            field = FIELDS.get(field_name(node))
            return _after(inner, NUMERIC, field.reading.of) if field and field.reading.rises else None
    text = rising_text(node)
    return None if text is None else _after(inner, TEXT, text)


def _after(inner: Rising, type_: SqlType, then: Callable[[datetime], Value]) -> Rising:
    return Rising(inner.column, type_, lambda moment: then(moment_of(inner.of(moment))))


def _shifted(node: exp.Expression, inner: Rising, walk: Walk) -> Rising | None:
    """The function plus or minus a constant. Months on end take timestamps out of order, by their times of day."""
    sign = -1 if isinstance(node, exp.Sub) else 1
    by = walk(node.expression)
    if isinstance(by, Duration) and by.span is not None and inner.type.family in _TIMES:
        span, dated = by.span if sign > 0 else -by.span, walk.scope[inner.column].fact.type.family is Family.DATE
        return _after(inner, TIMESTAMP, lambda moment: shifted(moment, span)) if dated or not span.months else None
    days = value_of(by)
    if inner.type == DATE and is_constant(by) and isinstance(days, int) and by.fact.type.family is Family.INTEGER:
        return _after(inner, DATE, lambda moment: shifted(moment, Span(days=sign * days)))
    return None


@dataclass(frozen=True, slots=True)
class Between:
    """Where a column lies, on its own scale: at least `lower`, at most `upper`; None where nothing is said."""

    lower: Fraction | None
    upper: Fraction | None


def solved(kind: type[exp.Expression], found: Rising, constant: exp.Expression, walk: Walk) -> Between | None:
    """Where the column lies if `found` compares so with a constant. None if nothing is known, or nothing does."""
    typed = as_type(constant, walk(constant), found.type)
    if not is_constant(typed) or not typed.fact.domain:
        return None
    sought = _key(value_of(typed), found.type)
    if sought is None or (found.type == TEXT and kind is not exp.EQ):
        return None
    column = walk.scope[found.column].fact.type
    scale, ends = (DAY, years(DATE)) if column.family is Family.DATE else (1, years(TIMESTAMP))
    moments = range(int(ends.lower), int(ends.upper) + 1)
    reached = bisect.bisect_left(moments, sought, key=lambda at: _at(found, at * scale))
    passed = bisect.bisect_right(moments, sought, key=lambda at: _at(found, at * scale))
    begin = reached if kind in (exp.EQ, exp.GTE) else passed if kind is exp.GT else 0
    end = passed if kind in (exp.EQ, exp.LTE) else reached if kind is exp.LT else len(moments)
    if begin >= end:
        return None
    return Between(
        Fraction(moments[begin]) if begin else None, Fraction(moments[end - 1]) if end < len(moments) else None
    )


def _at(found: Rising, micros: int) -> _Key:
    """The function's value; past the end of the calendar it is beyond all."""
    try:
        return _key(found.of(moment_at(micros)), found.type) or _END
    except ArithmeticError:
        return _END if micros > 0 else (-1, Fraction(0), "")


_END: _Key = (1, Fraction(0), "")


def _key(value: Value, type_: SqlType) -> _Key | None:
    """The value so that values of one kind compare; None for what is none of the type."""
    match type_.family, value:
        case Family.TEXT, str():
            return 0, Fraction(0), value
        case Family.DATE | Family.TIMESTAMP, date():
            return 0, Fraction(micros_of(moment_of(value))), ""
        case Family.NUMERIC | Family.FLOAT, _:
            number = exact(value)
            return None if number is None or isinstance(value, date) else (0, number, "")
    return None
