"""Constant intervals of time ('1 month 2 days') as Postgres keeps them, and calendar arithmetic on Python's dates."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

from dpproxy.rewrite.expressions.types.calendars import DAY
from dpproxy.rows import Value

DAYS_OF_MONTH = 30
_START = datetime(1970, 1, 1)
_MOST_YEARS = 30_000


@dataclass(frozen=True, slots=True)
class Span:
    """A constant interval as Postgres keeps it: three whole numbers that are added one after the other."""

    months: int = 0
    days: int = 0
    micros: int = 0

    def __neg__(self) -> Span:
        return Span(-self.months, -self.days, -self.micros)

    def __add__(self, other: Span) -> Span:
        return Span(self.months + other.months, self.days + other.days, self.micros + other.micros)

    def times(self, factor: float) -> Span:
        """What Postgres makes of interval * double precision: fractions of months and days go down to smaller units."""
        months, days = math.trunc(self.months * factor), math.trunc(self.days * factor)
        rest = _to_micros((self.months * factor - months) * DAYS_OF_MONTH)
        seconds = _to_micros((self.days * factor - days + rest - math.trunc(rest)) * 86400)
        more = math.trunc(seconds / 86400)
        micros = round(self.micros * factor + (seconds - more * 86400) * 10**6)
        return Span(months, days + math.trunc(rest) + more, micros)

    def over(self, divisor: float) -> Span:
        """What Postgres makes of interval / double precision. Raises ZeroDivisionError."""
        months, days = math.trunc(self.months / divisor), math.trunc(self.days / divisor)
        rest = _to_micros((self.months / divisor - months) * DAYS_OF_MONTH)
        seconds = _to_micros((self.days / divisor - days + rest - math.trunc(rest)) * 86400)
        more = math.trunc(seconds / 86400)
        micros = round(self.micros / divisor + (seconds - more * 86400) * 10**6)
        return Span(months, days + math.trunc(rest) + more, micros)

    @property
    def is_short(self) -> bool:
        """Whether it is at most some ten thousand years in each of its parts."""
        parts = ((self.months, MOST.months), (self.days, MOST.days), (self.micros, MOST.micros))
        return all(abs(part) <= most for part, most in parts)


MOST = Span(12 * _MOST_YEARS, 365 * _MOST_YEARS, 365 * _MOST_YEARS * DAY)


def shifted(start: date, span: Span) -> datetime:
    """`start` plus the span; a day past the month's end becomes its last. Raises ArithmeticError past year 9999."""
    moment = start if isinstance(start, datetime) else datetime(start.year, start.month, start.day)
    month = moment.year * 12 + moment.month - 1 + span.months
    year, month = month // 12, month % 12 + 1
    if not 1 <= year <= 9999:
        raise OverflowError(year)
    day = min(moment.day, calendar.monthrange(year, month)[1])
    return moment.replace(year=year, month=month, day=day) + timedelta(days=span.days, microseconds=span.micros)


def time_of(value: Value) -> date:
    """A date or timestamp as one. Raises LookupError for any other value."""
    if not isinstance(value, date):
        raise LookupError(value)
    return value


def moment_of(value: Value) -> datetime:
    """A timestamp, or a date's midnight. Raises LookupError for any other value."""
    return shifted(time_of(value), Span())


def moment_at(micros: Fraction | int) -> datetime:
    """The moment at so many microseconds from 1970. Raises OverflowError outside of the years 0001 to 9999."""
    return _START + timedelta(microseconds=int(micros))


def micros_of(moment: datetime) -> int:
    """Microseconds from 1970."""
    return (moment - _START) // timedelta(microseconds=1)


def _to_micros(seconds: float) -> float:
    return round(seconds * 10**6) / 10**6


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


CUTS: Mapping[str, Callable[[datetime], datetime]] = {
    "year": lambda moment: _midnight(moment).replace(month=1, day=1),
    "quarter": lambda moment: _midnight(moment).replace(month=(moment.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda moment: _midnight(moment).replace(day=1),
    "week": lambda moment: _midnight(moment) - timedelta(days=moment.weekday()),
    "day": _midnight,
    "hour": lambda moment: moment.replace(minute=0, second=0, microsecond=0),
    "minute": lambda moment: moment.replace(second=0, microsecond=0),
    "second": lambda moment: moment.replace(microsecond=0),
    "milliseconds": lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000),
}
