"""EXTRACT(field FROM x) of dates and timestamps; of intervals see `duration_fields`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, NUMERIC, TIME, TIMESTAMPTZ, Family
from dpproxy.rewrite.expressions.constants.domains import folded
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.intervals.elapsed import as_numeric, days_between, decimals, first_day, micros_between
from dpproxy.rewrite.expressions.intervals.spans import micros_of
from dpproxy.rewrite.expressions.intervals.units import unit_of
from dpproxy.rewrite.expressions.intervals.whole_numbers import plus, times, whole
from dpproxy.rewrite.expressions.time.grains import Reading, bounds_of, values_of
from dpproxy.rewrite.expressions.trees.build import guarded
from dpproxy.rewrite.expressions.trees.refusals import refused, unsupported
from dpproxy.rewrite.expressions.types.calendars import in_years
from dpproxy.rows import Value

_MINUTE = 60_000_000
_JULIAN = 2_440_588  # of 1970-01-01


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a moment: its value, between which numbers it lies, and whether a date has it too."""

    reading: Reading
    limits: Interval
    of_dates: bool = True


def _rising(of: Callable[[datetime], int], grain: str, least: int, most: int) -> Field:
    return Field(Reading(lambda moment: Decimal(of(moment)), grain, rises=True), _limits(least, most))


def _cyclic(of: Callable[[datetime], int], grain: str, values: Iterable[int], of_dates: bool = True) -> Field:
    cycle = tuple(map(Decimal, values))
    reading = Reading(lambda moment: Decimal(of(moment)), grain, lambda: cycle)
    return Field(reading, _limits(int(cycle[0]), int(cycle[-1])), of_dates)


def _within_minute(places: int) -> Field:
    """Seconds of the minute in units of which a microsecond has so many more decimal places."""
    reading = Reading(lambda moment: Decimal(moment.second * 10**6 + moment.microsecond).scaleb(-places))
    return Field(reading, Interval(Fraction(0), Fraction(_MINUTE - 1, 10**places)), False)


def _limits(least: int, most: int) -> Interval:
    return Interval(Fraction(least), Fraction(most))


def _seconds(moment: datetime) -> Decimal:
    return Decimal(micros_of(moment)).scaleb(-6)


FIELDS: Mapping[str, Field] = {
    "year": _rising(lambda moment: moment.year, "year", 1, 9999),
    "quarter": _cyclic(lambda moment: (moment.month + 2) // 3, "quarter", range(1, 5)),
    "month": _cyclic(lambda moment: moment.month, "month", range(1, 13)),
    "week": _cyclic(lambda moment: moment.isocalendar().week, "week", range(1, 54)),
    "day": _cyclic(lambda moment: moment.day, "day", range(1, 32)),
    "dow": _cyclic(lambda moment: moment.isoweekday() % 7, "day", range(7)),
    "isodow": _cyclic(lambda moment: moment.isoweekday(), "day", range(1, 8)),
    "doy": _cyclic(lambda moment: moment.timetuple().tm_yday, "day", range(1, 367)),
    "isoyear": _rising(lambda moment: moment.isocalendar().year, "week", 1, 9999),
    "decade": _rising(lambda moment: moment.year // 10, "year", 0, 999),
    "century": _rising(lambda moment: (moment.year + 99) // 100, "year", 1, 100),
    "millennium": _rising(lambda moment: (moment.year + 999) // 1000, "year", 1, 10),
    "julian": _rising(lambda moment: moment.toordinal() + 1_721_425, "day", 1_721_426, 5_373_484),
    "epoch": Field(Reading(_seconds, rises=True), _limits(-(10**11), 10**12)),
    "hour": _cyclic(lambda moment: moment.hour, "hour", range(24), False),
    "minute": _cyclic(lambda moment: moment.minute, "minute", range(60), False),
    "second": _within_minute(6),
    "milliseconds": _within_minute(3),
    "microseconds": _within_minute(0),
}
_OF_CLOCKS = ("hour", "minute", "second", "milliseconds", "microseconds")
_OF_DATES = {"epoch": Reading(_seconds, "day", rises=True)}


def field_name(node: exp.Expression) -> str:
    """The field of an EXTRACT by its one name."""
    return unit_of(str(node.this.name))


def of_moment(node: exp.Expression, name: str, moment: Typed) -> Typed:
    """EXTRACT(name FROM moment): numeric; over bounded moments a finite set of values for what is not fractional.

    Raises FeatureNotSupported for a field that there is not, or not of this type.
    """
    field, of_date = FIELDS.get(name), moment.fact.type.family is Family.DATE
    if field is None:
        raise unsupported(node, f"Fields are {', '.join(FIELDS)}.")
    if of_date and not field.of_dates:
        raise refused(node, f'unit "{name}" not supported for type date', "Only a timestamp has a time: CAST it first.")
    if name == "julian" and not of_date:
        raise refused(node, "the julian day of a timestamp is not supported", "CAST the timestamp to date.")
    if name == "epoch" and moment.fact.type == TIMESTAMPTZ:
        raise refused(node, "the epoch of a timestamp with time zone is not supported", "CAST it to timestamp first.")
    reading = _OF_DATES.get(name, field.reading) if of_date else field.reading
    if result := folded(reading.fold, NUMERIC, moment):
        return result
    moment = in_years(moment)
    typed = _engine(name, moment)
    fact = replace(
        typed.fact,
        interval=bounds_of(reading, moment, typed.fact.proved),
        domain=_sorted(values_of(reading, moment)),
    )
    return Typed(typed.sql, fact)


def of_clock(node: exp.Expression, name: str, clock: Typed) -> Typed:
    """EXTRACT(name FROM time): NULL for 24:00, which Postgres takes for an hour of its own."""
    if name == "epoch":
        return decimals(micros_of_day(clock), 6)
    if name not in _OF_CLOCKS:
        raise unsupported(node, f"Fields of a time are {', '.join(_OF_CLOCKS)} and epoch.")
    kept, field = _before_midnight(clock), FIELDS[name]
    typed = _engine(name, kept)
    values = field.reading.cycle()
    return Typed(typed.sql, replace(typed.fact, domain=_sorted(values), interval=typed.fact.proved))


def micros_of_day(clock: Typed) -> Typed:
    """Microseconds from midnight to a time, as a bigint; NULL for 24:00."""
    kept = _before_midnight(clock)
    parts = {name: _plain(name, kept) for name in ("hour", "minute", "microseconds")}
    hours, minutes, micros = (Typed(each.sql, replace(each.fact, type=BIGINT, carrier=None)) for each in parts.values())
    return plus(plus(times(hours, 60 * _MINUTE), times(minutes, _MINUTE)), micros)


def _before_midnight(clock: Typed) -> Typed:
    return Typed(guarded(clock.sql, *(constant(end, TIME).sql for end in (time(), time.max))), clock.fact)


def _sorted(values: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
    return None if values is None else tuple(sorted(values, key=lambda value: Fraction(str(value))))


def _engine(name: str, moment: Typed) -> Typed:
    """The engine's expression, and what is proved of it."""
    match name:
        case "epoch" if moment.fact.type.family is Family.DATE:
            return as_numeric(times(days_between(moment, first_day()), 86400))
        case "epoch":
            return decimals(micros_between(moment, first_day()), 6)
        case "julian":
            return as_numeric(plus(days_between(moment, first_day()), whole(_JULIAN)))
        case "second":
            return decimals(_plain("microseconds", moment), 6, 8)
        case "milliseconds":
            return decimals(_plain("microseconds", moment), 3, 8)
    return _plain(name, moment)


def _plain(name: str, moment: Typed) -> Typed:
    fact = replace(
        moment.fact,
        type=NUMERIC,
        interval=None,
        proved=FIELDS[name].limits,
        domain=None,
        step=Decimal(1),
        carrier=BIGINT,
    )
    return Typed(exp.Extract(this=exp.Var(this=name.upper()), expression=moment.sql), fact)
