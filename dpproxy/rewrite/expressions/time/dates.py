"""Arithmetic of dates and timestamps, and date_trunc. Operands are guarded as `calendars` says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog import zones
from dpproxy.catalog.types import DATE, INTEGER, TIME, TIMESTAMP, TIMESTAMPTZ, Family
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import as_type, is_constant, value_of
from dpproxy.rewrite.expressions.facts import ranges
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.intervals import duration_fields, durations
from dpproxy.rewrite.expressions.intervals.durations import Duration
from dpproxy.rewrite.expressions.intervals.elapsed import days_between
from dpproxy.rewrite.expressions.intervals.spans import CUTS, micros_of, moment_at, time_of
from dpproxy.rewrite.expressions.intervals.units import unit_of
from dpproxy.rewrite.expressions.intervals.whole_numbers import is_zero, minus
from dpproxy.rewrite.expressions.time import fields
from dpproxy.rewrite.expressions.time.grains import Reading, bounds_of, values_of
from dpproxy.rewrite.expressions.time.moving import moved
from dpproxy.rewrite.expressions.trees.build import cast, computed
from dpproxy.rewrite.expressions.trees.position import session_zone
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused, unsupported
from dpproxy.rewrite.expressions.types import moments
from dpproxy.rewrite.expressions.types.calendars import at_midnight, in_calendar, in_years, safe
from dpproxy.rewrite.expressions.types.limits import limited
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_TIMES = (Family.DATE, Family.TIMESTAMP)
_ZONES = "Write its name, as in x AT TIME ZONE 'Europe/Amsterdam'."
_DAYS = Interval(Fraction(-1_700_000), Fraction(1_700_000))


def is_time(typed: Typed) -> bool:
    """Whether it is a date or a timestamp."""
    return typed.fact.type.family in _TIMES


def is_clock(typed: Typed) -> bool:
    """Whether it is a time of day."""
    return typed.fact.type == TIME


def time_arithmetic(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """+ and - with a date, timestamp or interval on a side. Raises FeatureNotSupported for pairs that have none."""
    subtracts = isinstance(node, exp.Sub)
    left, right = _read(node, left, right), _read(node, right, left)
    if moments.is_moment(left) or moments.is_moment(right):
        return _moment_arithmetic(node, left, right)
    match left, right:
        case Duration(), Duration():
            return durations.summed(left, durations.negative(right) if subtracts else right)
        case _, Duration() if is_time(left):
            return moved(node, left, durations.negative(right) if subtracts else right)
        case Duration(), _ if is_time(right) and not subtracts:
            return moved(node, right, left)
    match left.fact.type.family, right.fact.type.family:
        case Family.DATE, Family.INTEGER:
            return _days_later(node, left, right)
        case Family.INTEGER, Family.DATE if not subtracts:
            return _days_later(node, right, left)
        case Family.DATE, Family.DATE if subtracts:
            return days_between(left, right)
        case Family.DATE | Family.TIMESTAMP, Family.DATE | Family.TIMESTAMP if subtracts:
            return durations.difference(left, right)
        case Family.TIME, Family.TIME if subtracts:
            return durations.of_length(minus(*map(fields.micros_of_day, (left, right))))
    raise refused(
        node,
        f"{left.fact.type} and {right.fact.type} cannot be combined over private tables",
        "Use date - date, timestamp - timestamp, time - time, date + integer, or an interval: x + INTERVAL '1 day'.",
    )


def _moment_arithmetic(node: exp.Expression, left: Typed, right: Typed) -> Typed:
    """Of moments the distance is that in UTC. Hours are added there, too; days and months are the session's."""
    if isinstance(left, Duration) or isinstance(right, Duration):
        by, moment = (left, right) if isinstance(left, Duration) else (right, left)
        if isinstance(by, Duration) and is_zero(by.months) and is_zero(by.days):
            sides = (moments.in_utc(left), moments.in_utc(right))
            return moments.of_utc(time_arithmetic(node, *sides), moment.fact.type)
        return time_arithmetic(node, moments.local(node, left), moments.local(node, right))
    return time_arithmetic(node, *(moments.in_utc(each) for each in moments.alike(node, [left, right])))


def extract(node: exp.Expression, walk: Walk) -> Typed:
    """EXTRACT(field FROM x) and date_part: of a date, a timestamp or an interval."""
    name, operand = fields.field_name(node), walk(node.expression)
    if isinstance(operand, Duration):
        return duration_fields.of_duration(node, name, operand)
    if is_clock(operand):
        return fields.of_clock(node, name, operand)
    operand = moments.in_utc(operand) if name == "epoch" else moments.local(node, operand)
    if not is_time(operand):
        raise mismatch(node, operand.fact.type)
    return fields.of_moment(node, name, operand)


def at_zone(node: exp.Expression, walk: Walk) -> Typed:
    """x AT TIME ZONE 'zone': of a timestamp with time zone the local time there, of a timestamp the moment."""
    operand, name = walk(node.this), _zone_name(node, walk(node.args["zone"]))
    if moments.is_moment(operand):
        return moments.there(node, operand, name)
    if not is_time(operand):
        raise mismatch(node, operand.fact.type)
    session = session_zone(node)
    if operand.fact.type == TIMESTAMPTZ:
        return moments.there(node, moments.moment_there(node, operand, session, session), name)
    return moments.moment_there(node, operand, name, session)


def _zone_name(node: exp.Expression, zone: Typed) -> str:
    name = value_of(zone)
    if not is_constant(zone) or not isinstance(name, str):
        raise refused(node, "the time zone must be a constant", _ZONES)
    return zones.zone_of(name)


def truncate(node: exp.Expression, walk: Walk) -> Typed:
    """date_trunc(unit, x): a timestamp. Of a date Postgres makes a timestamptz at the session's midnight of that day;
    the engine gives the plain timestamp, which becomes the same on its way through the session's zone."""
    if node.args.get("zone") is not None:
        return _truncate_there(node, walk)
    return _truncated(node, moments.local(node, walk(node.this)))


def _truncate_there(node: exp.Expression, walk: Walk) -> Typed:
    """date_trunc(unit, moment, zone): cut in that zone, and a moment again."""
    operand, name = walk(node.this), _zone_name(node, walk(node.args["zone"]))
    if not moments.is_moment(operand):
        raise unsupported(node, "A zone goes with a timestamp with time zone alone: date_trunc('day', x).")
    cut = _truncated(node, moments.there(node, operand, name))
    return moments.moment_there(node, cut, name, operand.fact.type.zone or "")


def _truncated(node: exp.Expression, moment: Typed) -> Typed:
    unit = unit_of(str(node.args["unit"].name))
    if unit not in CUTS or not is_time(moment):
        raise unsupported(node, f"Units are {', '.join(CUTS)}, of a date or timestamp.")
    type_ = TIMESTAMPTZ if moment.fact.type.family is Family.DATE else moment.fact.type
    reading = Reading(CUTS[unit], unit, rises=True)
    if result := folded(reading.fold, type_, moment):
        return result
    domain = values_of(reading, moment)
    moment = in_years(at_midnight(moment))

    def cut(ends: Interval) -> Interval | None:
        return ranges.monotone(lambda end: micros_of(CUTS[unit](moment_at(end))), ends)

    fact = replace(
        moment.fact,
        type=type_,
        carrier=TIMESTAMP,
        interval=bounds_of(reading, moment, None),
        proved=ranges.each(cut, moment.fact.proved),
        domain=domain,
    )
    return Typed(exp.TimestampTrunc(this=moment.sql, unit=exp.Var(this=unit.upper())), fact)


def _read(node: exp.Expression, typed: Typed, other: Typed) -> Typed:
    """Text as what it is beside the other side: of the same type; an interval where it is added to a timestamp."""
    if isinstance(other, Duration):
        return durations.as_duration(node, typed)
    if isinstance(node, exp.Sub) or not (is_time(other) or moments.is_moment(other)):
        return as_type(node, typed, other.fact.type)
    of_moments = other.fact.type.family in (Family.TIMESTAMP, Family.MOMENT)
    return durations.as_duration(node, typed) if of_moments else typed


def _days_later(node: exp.Expression, day: Typed, by: Typed) -> Typed:
    """date + integer and date - integer."""
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
        day, by = in_years(day), limited(by, _DAYS)
    fact = Fact(
        type=DATE,
        interval=ranges.both(combine, day.fact.interval, by.fact.interval),
        proved=ranges.both(combine, day.fact.proved, by.fact.proved),
        domain=image(fold, day, by),
        nullable=day.fact.nullable or by.fact.nullable,
        private=day.fact.private or by.fact.private,
        step=None,
    )
    return Typed(computed(exp.Sub if subtracts else exp.Add, day.sql, cast(by.sql, INTEGER), DATE), fact)
