"""Constant intervals of time ('1 month 2 days'), and calendar arithmetic on Python's dates."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction

from sqlglot import exp

from dpproxy.errors import FeatureNotSupported
from dpproxy.rewrite.expressions.calendars import DAY
from dpproxy.rewrite.expressions.fact import Interval
from dpproxy.rewrite.expressions.refusals import refused
from dpproxy.rows import Value

_MONTHS = {"year": 12, "y": 12, "yr": 12, "month": 1, "mon": 1, "quarter": 3, "decade": 120, "century": 1200}
_DAYS = {"day": 1, "d": 1, "week": 7, "w": 7}
_MICROS = {
    "hour": 3_600_000_000,
    "hr": 3_600_000_000,
    "h": 3_600_000_000,
    "minute": 60_000_000,
    "min": 60_000_000,
    "second": 1_000_000,
    "sec": 1_000_000,
    "s": 1_000_000,
    "millisecond": 1000,
    "microsecond": 1,
}
_PART = re.compile(r"\s*([+-]?\d{1,15})\s*([a-z]+)\s*")
_HINT = "Write whole numbers and units, as in INTERVAL '1 month 2 days'."


@dataclass(frozen=True, slots=True)
class Span:
    """A constant interval as Postgres keeps it."""

    months: int = 0
    days: int = 0
    micros: int = 0

    def __neg__(self) -> Span:
        return Span(-self.months, -self.days, -self.micros)

    def moves(self) -> Interval:
        """By how many microseconds a timestamp moves: months are 30.436875 days, give or take five days."""
        slack = 5 * DAY if self.months else 0
        middle = self.months * Fraction(30436875, 10**6) * DAY + self.days * DAY + self.micros
        return Interval(middle - slack, middle + slack)

    def sql(self, start: exp.Expression) -> exp.Expression:
        """`start` plus the span: months first, then days, then time, as Postgres adds them."""
        for amount, unit in ((self.months, "MONTH"), (self.days, "DAY"), (self.micros, "MICROSECOND")):
            if amount:
                literal = exp.Literal.string(str(amount))
                start = exp.Add(this=start, expression=exp.Interval(this=literal, unit=exp.Var(this=unit)))
        return start


def read_span(node: exp.Expression) -> Span:
    """The span of an interval constant. Raises FeatureNotSupported where it is not one in plain units."""
    text = str(node.this.this) if isinstance(node.this, exp.Literal) else ""
    unit = str(node.args["unit"].name).lower() if node.args.get("unit") else ""
    return _parsed(node, f"{text} {unit}".lower())


def _parsed(node: exp.Expression, text: str) -> Span:
    parts = _PART.findall(text)
    if not parts or _PART.sub("", text):
        raise _unreadable(node)
    months = days = micros = 0
    for amount, name in parts:
        unit = name if name in ("s", "century") else name.removesuffix("s").replace("centurie", "century")
        if unit not in _MONTHS | _DAYS | _MICROS:
            raise _unreadable(node)
        months += int(amount) * _MONTHS.get(unit, 0)
        days += int(amount) * _DAYS.get(unit, 0)
        micros += int(amount) * _MICROS.get(unit, 0)
    return Span(months, days, micros)


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


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


CUTS: dict[str, Callable[[datetime], datetime]] = {
    "year": lambda moment: _midnight(moment).replace(month=1, day=1),
    "quarter": lambda moment: _midnight(moment).replace(month=(moment.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda moment: _midnight(moment).replace(day=1),
    "week": lambda moment: _midnight(moment) - timedelta(days=moment.weekday()),
    "day": _midnight,
    "hour": lambda moment: moment.replace(minute=0, second=0, microsecond=0),
    "minute": lambda moment: moment.replace(second=0, microsecond=0),
    "second": lambda moment: moment.replace(microsecond=0),
}


def _unreadable(node: exp.Expression) -> FeatureNotSupported:
    return refused(node, "the interval is not understood", _HINT)
