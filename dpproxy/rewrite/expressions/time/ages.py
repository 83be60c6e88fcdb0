"""age(a, b): the time between two moments in years, months, days and hours, as one counts them on a calendar.

A moment is a number: months from the year 0, each taken to have 32 days, plus what has passed of its own. The whole
months of the difference are those of the age, and so is the rest but for the real length of a month.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, Family
from dpproxy.rewrite.expressions.constants.literals import as_type, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.intervals.durations import added_up, of_parts, of_span
from dpproxy.rewrite.expressions.intervals.elapsed import micros_between
from dpproxy.rewrite.expressions.intervals.spans import CUTS, Span, micros_of, moment_of
from dpproxy.rewrite.expressions.intervals.whole_numbers import minus, plus, quotient, remainder, times, whole
from dpproxy.rewrite.expressions.time.clocks import today
from dpproxy.rewrite.expressions.time.dates import is_time
from dpproxy.rewrite.expressions.time.fields import of_moment
from dpproxy.rewrite.expressions.time.grains import Reading, bounds_of
from dpproxy.rewrite.expressions.trees.build import binary, number
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.calendars import DAY, at_midnight, in_years
from dpproxy.rewrite.expressions.types.moments import alike, local
from dpproxy.rewrite.expressions.walk import Walk


def age(node: exp.Expression, walk: Walk) -> Typed:
    """age(a, b), and age(b), which is age(current_date, b): an interval, negative where a is before b."""
    arguments = [walk(item) for item in node.expressions]
    if len(arguments) == 1:
        arguments.insert(0, today(node, walk))
    if len(arguments) != 2:
        raise refused(node, "age() has one or two arguments", "Write age(later, earlier).")
    types = [argument.fact.type for argument in arguments]
    later, earlier = (as_type(node, item, type_) for item, type_ in zip(arguments, reversed(types), strict=True))
    later, earlier = (local(node, each) for each in alike(node, [later, earlier]))
    if not is_time(later) or not is_time(earlier) or is_null(later) or is_null(earlier):
        raise mismatch(node, *types)
    if is_constant(later) and is_constant(earlier):
        return of_span(_age(moment_of(value_of(later)), moment_of(value_of(earlier))))
    if later.fact.type.family is earlier.fact.type.family is Family.DATE:
        return _Count(node, 1).between(in_years(later), in_years(earlier))
    return _Count(node, DAY).between(in_years(at_midnight(later)), in_years(at_midnight(earlier)))


@dataclass(frozen=True, slots=True)
class _Count:
    """Counts in units of which a day has `day`: days themselves, or microseconds."""

    node: exp.Expression
    day: int

    def between(self, later: Typed, earlier: Typed) -> Typed:
        """The age."""
        apart = minus(self._number(later), self._number(earlier))
        rest = self._rest(apart, later, earlier)
        micros = remainder(rest, self.day) if self.day > 1 else times(rest, 0)
        return of_parts(quotient(apart, 32 * self.day), quotient(rest, self.day), micros)

    def _rest(self, apart: Typed, later: Typed, earlier: Typed) -> Typed:
        """What is left of the last month. A month that is not full is counted on from the earlier moment's own day."""
        past = minus(self._past(later), self._past(earlier))
        forward = exp.And(this=_compared(exp.GT, apart), expression=_compared(exp.LT, past))
        backward = exp.And(this=_compared(exp.LT, apart), expression=_compared(exp.GT, past))
        ifs = [
            exp.If(this=forward, true=plus(_again(past), self._length(earlier)).sql),
            exp.If(this=backward, true=minus(_again(past), self._length(later)).sql),
        ]
        most = Fraction(31 * self.day - 1)
        return _between(exp.Case(ifs=ifs, default=_again(past).sql), past.fact, -most, most)

    def _number(self, moment: Typed) -> Typed:
        """The moment as a number."""
        if is_constant(moment):
            return whole(_numbered(self.day)(moment_of(value_of(moment))))
        months = plus(times(_field(self.node, "year", moment), 12), _field(self.node, "month", moment))
        found = plus(times(months, 32 * self.day), self._past(moment))
        reading = Reading(_numbered(self.day), rises=True)
        believed = bounds_of(reading, moment, found.fact.proved)
        return Typed(found.sql, replace(found.fact, interval=believed, domain=None))

    def _past(self, moment: Typed) -> Typed:
        """What has passed of the moment's month, or of days the number."""
        if is_constant(moment):
            return whole(_numbered(self.day)(moment_of(value_of(moment))) % (32 * self.day))
        if self.day == 1:
            return _field(self.node, "day", moment)
        passed = micros_between(_again(moment), _month_of(moment))
        return _between(passed.sql, passed.fact, Fraction(0), Fraction(31 * DAY - 1))

    def _length(self, moment: Typed) -> Typed:
        """How long the moment's month is."""
        last = added_up([whole(1), whole(-1), whole(0)], _month_of(moment).sql)
        days = exp.Extract(this=exp.Var(this="DAY"), expression=last)
        return times(_between(days, moment.fact, Fraction(28), Fraction(31)), self.day)


def _between(sql: exp.Expression, fact: Fact, lower: Fraction, upper: Fraction) -> Typed:
    """A whole number that lies between two."""
    ends = Interval(lower, upper)
    return Typed(
        sql, replace(fact, type=BIGINT, interval=ends, proved=ends, domain=None, step=Decimal(1), carrier=None)
    )


def _compared(node: type[exp.Expression], value: Typed) -> exp.Expression:
    return binary(node, _again(value).sql, number(0))


def _again(value: Typed) -> Typed:
    return Typed(named(value.sql), value.fact)


def _month_of(moment: Typed) -> Typed:
    start = at_midnight(_again(moment))
    return Typed(exp.TimestampTrunc(this=start.sql, unit=exp.Var(this="MONTH")), start.fact)


def _field(node: exp.Expression, name: str, moment: Typed) -> Typed:
    field = of_moment(node, name, _again(moment))
    return Typed(field.sql, replace(field.fact, domain=None))


def _numbered(day: int) -> Callable[[datetime], int]:
    """A moment as a number, in whole units."""

    def of(moment: datetime) -> int:
        passed = micros_of(moment) - micros_of(CUTS["month"](moment))
        return (moment.year * 12 + moment.month) * 32 * day + passed * day // DAY + (day == 1)

    return of


def _age(later: datetime, earlier: datetime) -> Span:
    """The age of constants."""
    if later < earlier:
        return -_age(earlier, later)
    ends = [_numbered(DAY)(moment) for moment in (later, earlier)]
    months, rest = divmod(ends[0] - ends[1], 32 * DAY)
    if ends[0] % (32 * DAY) < ends[1] % (32 * DAY):
        rest -= (32 - calendar.monthrange(earlier.year, earlier.month)[1]) * DAY
    return Span(months, rest // DAY, rest % DAY)
