"""Where functions of dates and timestamps cannot raise.

Engines raise past the ends of their calendars and treat infinity each in its own way. So an operand goes through a
guard that leaves the years 0001 to 9999 and gives NULL for the rest; what comes of it is proved to stay within `safe`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import DATE, TIMESTAMP, Family, SqlType
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.facts.ranges import contains, each
from dpproxy.rewrite.expressions.trees.build import cast, guarded

DAY = 86_400_000_000
_YEARS = Interval(Fraction(-719162), Fraction(2932896))
_SAFE = Interval(Fraction(-2_440_000), Fraction(100_000_000))
_ENDS = {
    Family.DATE: ("0001-01-01", "9999-12-31"),
    Family.TIMESTAMP: ("0001-01-01 00:00:00", "9999-12-31 23:59:59.999999"),
}


def years(type_: SqlType) -> Interval:
    """The years 0001 to 9999, in days or microseconds."""
    if type_.family is Family.DATE:
        return _YEARS
    return Interval(_YEARS.lower * DAY, (_YEARS.upper + 1) * DAY - 1)


def safe(type_: SqlType) -> Interval:
    """What all engines' dates or timestamps hold with room to spare."""
    return _SAFE if type_.family is Family.DATE else Interval(_SAFE.lower * DAY, _SAFE.upper * DAY)


def in_years(typed: Typed) -> Typed:
    """The date or timestamp, or NULL outside of the years 0001 to 9999."""
    fact = typed.fact
    limits = years(fact.type)
    if contains(limits, fact.proved):
        return typed
    if isinstance(typed.sql, exp.Null):
        return Typed(cast(typed.sql, fact.engine), replace(fact, proved=limits))
    lower, upper = (cast(exp.Literal.string(end), fact.engine) for end in _ENDS[fact.type.family])
    return Typed(guarded(typed.sql, lower, upper), replace(fact, proved=limits))


def in_calendar(typed: Typed) -> Typed:
    """The date or timestamp where it is proved to be safe, else within the years 0001 to 9999."""
    return typed if contains(safe(typed.fact.type), typed.fact.proved) else in_years(typed)


def at_midnight(typed: Typed) -> Typed:
    """A date as a timestamp; a timestamp as it is. Both within the calendar."""
    day = typed.fact.domain[0] if is_constant(typed) and typed.fact.domain else None
    if isinstance(day, date) and not isinstance(day, datetime):
        return constant(datetime(day.year, day.month, day.day), TIMESTAMP)
    typed = in_calendar(typed)
    if typed.fact.type.family is Family.TIMESTAMP:
        return typed
    fact = replace(
        typed.fact,
        type=TIMESTAMP,
        carrier=None,
        domain=None,
        step=None,
        interval=each(_in_micros, typed.fact.interval),
        proved=each(_in_micros, typed.fact.proved),
    )
    return Typed(cast(typed.sql, TIMESTAMP), fact)


def as_days(operands: Sequence[Typed]) -> list[Typed]:
    """Dates compared with constant timestamps at midnight (`DATE '…' + INTERVAL '1 month'`) are compared with dates."""
    days = [_day_of(operand) for operand in operands]
    known = [day for day in days if day is not None]
    return known if len(known) == len(days) else list(operands)


def _day_of(operand: Typed) -> Typed | None:
    if operand.fact.type.family is not Family.TIMESTAMP:
        return operand
    moment = operand.fact.domain[0] if is_constant(operand) and operand.fact.domain else None
    if not isinstance(moment, datetime) or moment.time() != time():
        return None
    return constant(moment.date(), DATE)


def _in_micros(days: Interval) -> Interval:
    return Interval(days.lower * DAY, days.upper * DAY)
