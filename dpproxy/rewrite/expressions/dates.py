"""Dates and timestamps: arithmetic, EXTRACT, date_trunc. Operands are guarded as `calendars` says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DATE, INTEGER, NUMERIC, TIMESTAMP, TIMESTAMPTZ, Family, SqlType
from dpproxy.rewrite.expressions import ranges
from dpproxy.rewrite.expressions.build import binary, cast, guarded, number
from dpproxy.rewrite.expressions.calendars import DAY, at_midnight, in_calendar, in_years, safe, years
from dpproxy.rewrite.expressions.domains import folded, image
from dpproxy.rewrite.expressions.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.literals import as_type
from dpproxy.rewrite.expressions.refusals import mismatch, refused, unsupported
from dpproxy.rewrite.expressions.spans import CUTS, Span, read_span, shifted, time_of
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_START = datetime(1970, 1, 1)
_TIMES = (Family.DATE, Family.TIMESTAMP)
_FIELDS: dict[str, tuple[int, int]] = {
    "year": (1, 9999),
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (1, 53),
    "day": (1, 31),
    "doy": (1, 366),
    "dow": (0, 6),
    "isodow": (1, 7),
    "hour": (0, 23),
    "minute": (0, 59),
}
_SPELLINGS = {"dayofweek": "dow", "dayofyear": "doy", "dayofmonth": "day", "weekofyear": "week"}
_OF_TIMESTAMPS = ("hour", "minute", "second")


def is_time(typed: Typed) -> bool:
    """Whether it is a date or a timestamp."""
    return typed.fact.type.family in _TIMES


def day_arithmetic(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """date + integer, integer + date, date - integer and date - date; other pairs are refused."""
    if isinstance(node, exp.Sub):
        left, right = as_type(node, left, right.fact.type), as_type(node, right, left.fact.type)
    match left.fact.type.family, right.fact.type.family:
        case Family.DATE, Family.INTEGER:
            return _moved(node, left, right)
        case Family.INTEGER, Family.DATE if isinstance(node, exp.Add):
            return _moved(node, right, left)
        case Family.DATE, Family.DATE if isinstance(node, exp.Sub):
            return _days_between(left, right)
    raise refused(
        node,
        f"{left.fact.type} and {right.fact.type} cannot be combined over private tables",
        "Use date - date, date + integer, or a constant interval; CAST timestamps to date before subtracting.",
    )


def span_arithmetic(node: exp.Expression, moment: Typed, interval: exp.Expression) -> Typed:
    """A date or timestamp plus or minus a constant interval: a timestamp."""
    if not is_time(moment):
        raise mismatch(node, moment.fact.type)
    span = -read_span(interval) if isinstance(node, exp.Sub) else read_span(interval)
    fold = _shift_by(span)
    if result := folded(fold, TIMESTAMP, moment):
        return result
    start = at_midnight(moment)
    if not ranges.contains(safe(TIMESTAMP), ranges.both(ranges.add, start.fact.proved, span.moves())):
        start = in_years(start)
    if not ranges.contains(safe(TIMESTAMP), ranges.add(years(TIMESTAMP), span.moves())):
        raise refused(node, "the interval is too long", "Use an interval of at most a few thousand years.")
    fact = replace(
        start.fact,
        interval=ranges.both(ranges.add, start.fact.interval, span.moves()),
        proved=ranges.both(ranges.add, start.fact.proved, span.moves()),
        domain=image(fold, moment),
        step=None,
    )
    return Typed(span.sql(start.sql), fact)


def extract(node: exp.Expression, walk: Walk) -> Typed:
    """EXTRACT(field FROM x): numeric, and a finite set of values for all fields but year and second."""
    written = str(node.this.name).lower()
    field = _SPELLINGS.get(written, written)
    moment = walk(node.expression)
    known = field in _FIELDS or field == "second"
    if not known or not is_time(moment) or (field in _OF_TIMESTAMPS and moment.fact.type.family is Family.DATE):
        raise unsupported(node, f"Fields are {', '.join(_FIELDS)} and second; those of the time need a timestamp.")
    moment = in_years(moment)
    if field == "second":
        return _seconds(moment)
    return Typed(exp.Extract(this=exp.Var(this=field.upper()), expression=moment.sql), _field_fact(field, moment.fact))


def truncate(node: exp.Expression, walk: Walk) -> Typed:
    """date_trunc(unit, x): a timestamp. Of a date Postgres makes a timestamptz at the session's midnight of that day;
    the engine gives the plain timestamp, which becomes the same on its way through the session's zone."""
    unit = str(node.args["unit"].name).lower()
    moment = walk(node.this)
    if unit not in CUTS or not is_time(moment):
        raise unsupported(node, f"Units are {', '.join(CUTS)}, of a date or timestamp.")
    type_ = TIMESTAMPTZ if moment.fact.type.family is Family.DATE else moment.fact.type
    moment = in_years(at_midnight(moment))

    def cut(ends: Interval) -> Interval | None:
        inside = ranges.contains(years(TIMESTAMP), ends)
        return ranges.monotone(lambda end: _micros(CUTS[unit](_moment(end))), ends) if inside else None

    fact = replace(
        moment.fact,
        type=type_,
        carrier=TIMESTAMP,
        interval=ranges.each(cut, moment.fact.interval),
        proved=ranges.each(cut, moment.fact.proved),
        domain=image(lambda value: CUTS[unit](shifted(time_of(value), Span())), moment),
    )
    return Typed(exp.TimestampTrunc(this=moment.sql, unit=exp.Var(this=unit.upper())), fact)


def _moved(node: exp.Expression, day: Typed, by: Typed) -> Typed:
    subtracts = isinstance(node, exp.Sub)
    sign = -1 if subtracts else 1

    def fold(start: Value, days: Value) -> Value:
        if not isinstance(days, int):
            raise LookupError(days)
        return time_of(start) + timedelta(days=sign * days)

    if result := folded(fold, DATE, day, by):
        return result
    combine = ranges.subtract if subtracts else ranges.add
    day = in_calendar(day)
    if not ranges.contains(safe(DATE), ranges.both(combine, day.fact.proved, by.fact.proved)):
        day, by = in_years(day), _limited(by)
    fact = Fact(
        type=DATE,
        interval=ranges.both(combine, day.fact.interval, by.fact.interval),
        proved=ranges.both(combine, day.fact.proved, by.fact.proved),
        domain=image(fold, day, by),
        nullable=day.fact.nullable or by.fact.nullable,
        private=day.fact.private or by.fact.private,
        step=None,
    )
    return Typed(binary(exp.Sub if subtracts else exp.Add, day.sql, cast(by.sql, INTEGER)), fact)


def _limited(by: Typed) -> Typed:
    """A number of days that moves no date of the years 0001 to 9999 out of the calendar, else NULL."""
    narrow = Interval(Fraction(-1_700_000), Fraction(1_700_000))
    if ranges.contains(narrow, by.fact.proved):
        return by
    ends = number(int(narrow.lower)), number(int(narrow.upper))
    return Typed(guarded(by.sql, *ends), replace(by.fact, proved=narrow))


def _days_between(left: Typed, right: Typed) -> Typed:
    def fold(later: Value, earlier: Value) -> Value:
        return (time_of(later) - time_of(earlier)).days

    if result := folded(fold, INTEGER, left, right):
        return result
    left, right = in_calendar(left), in_calendar(right)
    fact = Fact(
        type=INTEGER,
        interval=ranges.both(ranges.subtract, left.fact.interval, right.fact.interval),
        proved=ranges.both(ranges.subtract, left.fact.proved, right.fact.proved),
        domain=image(fold, left, right),
        nullable=left.fact.nullable or right.fact.nullable,
        private=left.fact.private or right.fact.private,
        step=Decimal(1),
        carrier=BIGINT,
    )
    return Typed(binary(exp.Sub, left.sql, right.sql), fact)


def _seconds(moment: Typed) -> Typed:
    """EXTRACT(SECOND …) with its fraction: engines disagree on it, and agree on microseconds."""
    micros = exp.Extract(this=exp.Var(this="MICROSECONDS"), expression=moment.sql)
    sql = binary(
        exp.Mul,
        cast(micros, SqlType("numeric", (8, 0))),
        cast(exp.Literal.number("0.000001"), SqlType("numeric", (6, 6))),
    )
    limits = Interval(Fraction(0), Fraction(59_999_999, 1_000_000))
    fact = replace(
        moment.fact,
        type=NUMERIC,
        interval=limits,
        proved=limits,
        domain=None,
        step=Decimal("0.000001"),
        carrier=SqlType("numeric", (14, 6)),
    )
    return Typed(sql, fact)


def _field_fact(field: str, moment: Fact) -> Fact:
    low, high = _FIELDS[field]
    limits = Interval(Fraction(low), Fraction(high))
    values = None if field == "year" else tuple(Decimal(value) for value in range(low, high + 1))
    believed = _years_of(moment) if field == "year" else limits
    return replace(
        moment, type=NUMERIC, interval=believed, proved=limits, domain=values, step=Decimal(1), carrier=BIGINT
    )


def _years_of(moment: Fact) -> Interval | None:
    ends = moment.interval
    if ends is None or not ranges.contains(years(moment.type), ends):
        return None
    scale = DAY if moment.type.family is Family.DATE else 1
    return ranges.monotone(lambda end: _moment(end * scale).year, ends)


def _shift_by(span: Span) -> Callable[[Value], Value]:
    return lambda value: shifted(time_of(value), span)


def _moment(micros: Fraction) -> datetime:
    return _START + timedelta(microseconds=int(micros))


def _micros(moment: datetime) -> int:
    return (moment - _START) // timedelta(microseconds=1)
