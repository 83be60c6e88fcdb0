"""Moments, which are timestamps with time zone: the engine holds them in UTC, whatever zone a session has.

What is asked of the moment itself, its order, its distance from another one, is asked of that. What depends on a zone,
a day, a field, is asked of the local time there, which is a timestamp: `AT TIME ZONE` with a constant, so that no
setting of the engine's has a part in it.

Checked by: tests/test_column_types.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from sqlglot import exp

from dpproxy.catalog import zones
from dpproxy.catalog.types import TIMESTAMP, TIMESTAMPTZ, Family, SqlType
from dpproxy.catalog.zones import UTC
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_untyped, value_of
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed, exact
from dpproxy.rewrite.expressions.facts.ranges import each
from dpproxy.rewrite.expressions.trees.build import atom
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types.calendars import DAY, at_midnight, in_years
from dpproxy.rows import Value

_START = datetime(1970, 1, 1)
_HINT = "Say the zone: x AT TIME ZONE 'Europe/Amsterdam'; or SET TIME ZONE 'UTC'."


def is_moment(typed: Typed) -> bool:
    """Whether it is a timestamp with time zone that the engine holds in UTC."""
    return typed.fact.type.family is Family.MOMENT


def in_utc(typed: Typed) -> Typed:
    """A moment as the timestamp that it is in UTC: the same in the engine. Anything else as it is."""
    if not is_moment(typed):
        return typed
    found = folded(_without_zone, TIMESTAMP, typed)
    domain = image(_without_zone, typed)
    return found or Typed(typed.sql, replace(typed.fact, type=TIMESTAMP, carrier=None, domain=domain))


def of_utc(typed: Typed, type_: SqlType) -> Typed:
    """A timestamp in UTC as the moment that it is, of a session's type."""
    domain = image(_with_zone, typed)
    fact = replace(typed.fact, type=type_, carrier=TIMESTAMP, domain=domain)
    return folded(_with_zone, type_, typed) or Typed(typed.sql, fact)


def local(node: exp.Expression, typed: Typed) -> Typed:
    """A moment as the session's local time; anything else as it is.

    Raises FeatureNotSupported where the session's zone is none that all engines know.
    """
    zone = typed.fact.type.zone
    if zone is None:
        return typed
    found = there(node, typed, zone)
    domain = found.fact.domain
    if is_constant(found):
        return constant(value_of(found), TIMESTAMPTZ)
    return Typed(found.sql, replace(found.fact, type=TIMESTAMPTZ, carrier=TIMESTAMP, domain=domain))


def there(node: exp.Expression, typed: Typed, zone: str) -> Typed:
    """The local time of a moment in a zone: a timestamp, NULL outside of the years 0001 to 9999 where it is not UTC.

    Claim: no row raises. Because: the zone is a constant that engines know, and moves a moment by less than a day.
    Raises FeatureNotSupported for a zone that they may not know.
    """
    _check_zone(node, zone)
    if zone == UTC:
        return in_utc(typed)

    def fold(value: Value) -> Value:
        return zones.local_of(_moment(value), zone)

    if result := folded(fold, TIMESTAMP, typed):
        return result
    kept = in_years(in_utc(typed))
    fact = replace(
        kept.fact,
        interval=each(lambda ends: _moved(ends, lambda at: zones.local_of(_moment(at), zone)), kept.fact.interval),
        proved=each(_a_day_wider, kept.fact.proved),
        domain=image(fold, typed),
    )
    return Typed(_at(_at(kept.sql, UTC), zone), fact)


def moment_there(node: exp.Expression, typed: Typed, zone: str, session: str) -> Typed:
    """The moment of a date or timestamp that is the local time in a zone, in a session of another one. Total as `there`
    is."""
    _check_zone(node, zone)
    type_ = SqlType(TIMESTAMPTZ.name, zone=session)

    def fold(value: Value) -> Value:
        return zones.moment_of(_plain(value), zone)

    if result := folded(fold, type_, typed):
        return result
    kept = at_midnight(typed)
    if zone == UTC:
        return of_utc(kept, type_)
    kept = in_years(kept)
    fact = replace(
        kept.fact,
        type=type_,
        carrier=TIMESTAMP,
        interval=each(lambda ends: _moved(ends, lambda at: zones.moment_of(at, zone)), kept.fact.interval),
        proved=each(_a_day_wider, kept.fact.proved),
        domain=image(fold, typed),
    )
    return Typed(_at(_at(kept.sql, zone), UTC), fact)


def alike(node: exp.Expression, operands: Sequence[Typed]) -> list[Typed]:
    """Operands among which there are moments: all of them moments where the others are constants, else local times.

    Raises FeatureNotSupported as `local` does.
    """
    moments = [operand for operand in operands if is_moment(operand)]
    if not moments:
        return list(operands)
    type_ = next((each.fact.type for each in moments if each.fact.type.zone), moments[0].fact.type)
    known = [_of_constant(node, operand, type_) for operand in operands]
    found = [each for each in known if each is not None]
    if len(found) == len(known):
        return found
    return [local(node, _typed(operand, type_)) for operand in operands]


def _typed(operand: Typed, type_: SqlType) -> Typed:
    return Typed(operand.sql, replace(operand.fact, type=type_)) if is_moment(operand) else operand


def _of_constant(node: exp.Expression, operand: Typed, type_: SqlType) -> Typed | None:
    """A moment of the type; None for what is neither one nor a constant date or time. Text is read later."""
    if is_moment(operand):
        return _typed(operand, type_)
    if is_untyped(operand):
        return operand
    if not is_constant(operand) or operand.fact.type.family not in (Family.DATE, Family.TIMESTAMP):
        return None
    zone = type_.zone or ""
    _check_zone(node, zone)
    return folded(lambda value: zones.moment_of(_plain(value), zone), type_, operand)


def _check_zone(node: exp.Expression, zone: str) -> None:
    if not zones.known(zone):
        which = f'the time zone "{zone}"' if zone else "the time zone of this value"
        raise refused(node, f"{which} is none that is known here", _HINT)


def _at(sql: exp.Expression, zone: str) -> exp.Expression:
    return exp.AtTimeZone(this=atom(sql), zone=exp.Literal.string(zone))


def _plain(value: Value) -> datetime:
    """A date's midnight, or a timestamp. Raises LookupError for anything else."""
    match value:
        case datetime() if value.tzinfo is None:
            return value
        case date() if not isinstance(value, datetime):
            return datetime(value.year, value.month, value.day)
    raise LookupError(value)


def _moment(value: Value) -> datetime:
    if not isinstance(value, datetime):
        raise LookupError(value)
    return value if value.tzinfo is not None else zones.moment_of(value, UTC)


def _without_zone(value: Value) -> Value:
    return zones.local_of(_moment(value), UTC)


def _with_zone(value: Value) -> Value:
    return zones.moment_of(_plain(value), UTC)


def _moved(ends: Interval, change: zones.Change) -> Interval | None:
    """Where believed moments are moved to; None where one is past the calendar."""
    try:
        lower, upper = (exact(change(_START + timedelta(microseconds=int(end)))) for end in (ends.lower, ends.upper))
    except ArithmeticError:
        return None
    return None if lower is None or upper is None else Interval(lower, upper)


def _a_day_wider(ends: Interval) -> Interval:
    return Interval(ends.lower - DAY, ends.upper + DAY)
