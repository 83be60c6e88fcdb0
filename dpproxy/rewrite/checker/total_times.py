"""Dates, timestamps and intervals: none leaves the calendar of its engine, and no field is asked of an infinite one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.catalog.zones import UTC, ZONES
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.function import OPERANDS, ProvedFunction
from dpproxy.rewrite.checker.held import WHOLE, Ends, Held, Kind, Number, over
from dpproxy.rewrite.checker.prover import Prover

MICROS = 86_400_000_000
_YEARS = 366 * 10_000
_UNITS = {"MICROSECOND": 1, "MILLISECOND": 1000, "SECOND": 10**6, "MINUTE": 6 * 10**7, "HOUR": 36 * 10**8}
_SHORTEST = {
    "DAY": 1,
    "WEEK": 7,
    "MONTH": 28,
    "QUARTER": 90,
    "YEAR": 365,
    "DECADE": 3650,
    "CENTURY": 36500,
    "MILLENNIUM": 365000,
}
# Many of them are no longer than so many each; one may be a day longer, for which the calendar's ends leave room.
_DAYS: Mapping[str, Number] = {
    "DAY": 1,
    "WEEK": 7,
    "MONTH": Fraction(30436875, 10**6),
    "QUARTER": Fraction(183, 2),
    "YEAR": 366,
    "DECADE": 3660,
    "CENTURY": 36600,
    "MILLENNIUM": 366000,
}


def day(text: str) -> Held | None:
    """A date as written; None where it is none, or is not within Python's."""
    try:
        found = date.fromisoformat(text).toordinal()
    except ValueError:
        return None
    return Held(Kind.DATE, found, found)


def moment(text: str) -> Held | None:
    """A timestamp as written."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is not None:
        return None
    since = found - datetime(1, 1, 1)
    micros = (since.days + 1) * MICROS + since.seconds * 10**6 + since.microseconds
    return Held(Kind.TIMESTAMP, micros, micros)


def as_moment(held: Held, at: Prover) -> Held:
    """A date as a timestamp. Raises CheckFault where it could be outside of the calendar."""
    if held.kind is Kind.TIMESTAMP:
        return held
    if held.ends is None:
        raise CheckFault("a date that could be too far off is made a timestamp")
    return _in_calendar(Held(Kind.TIMESTAMP, held.ends[0] * MICROS, held.ends[1] * MICROS), at)


def _in_calendar(held: Held, at: Prover) -> Held:
    ends, unit = held.ends, MICROS if held.kind is Kind.TIMESTAMP else 1
    first, last = at.engine.first_day * unit, at.engine.last_day * unit
    require(ends is not None and first <= ends[0] and ends[1] <= last, "a date could leave the calendar")
    return held


def moved(node: exp.Expr, left: Held, right: Held, at: Prover) -> Held:
    """A sum or a difference with a date, a timestamp or an interval."""
    kinds = (left.kind, right.kind)
    if kinds == (Kind.INTERVAL, Kind.INTERVAL) and type(node) is not exp.Mul:
        ends = (
            None
            if left.ends is None or right.ends is None
            else (
                left.ends[0] - abs(right.ends[1]) - abs(right.ends[0]),
                left.ends[1] + abs(right.ends[1]) + abs(right.ends[0]),
            )
        )
        require(ends is not None, "a sum of intervals of no known length")
        return over(Kind.INTERVAL, ends)
    if type(node) is exp.Mul:
        return _repeated(left, right)
    if type(node) is exp.Sub and kinds[0] is kinds[1]:
        found = _apart(left, right, at)
        longest = _since_its_start(node.this, node.expression) if left.kind is Kind.TIMESTAMP else None
        return found if longest is None else replace(found, least=0, most=longest)
    if type(node) is exp.Add and kinds[0] in (Kind.INTERVAL, *WHOLE):
        left, right = right, left
    require(left.ends is not None and right.ends is not None, "a date is moved of which no range is known")
    if left.ends is None or right.ends is None:
        raise CheckFault("a date is moved of which no range is known")
    if left.kind is Kind.DATE and right.kind in WHOLE:
        return _in_calendar(Held(Kind.DATE, *_shifted(node, left.ends, right.ends)), at)
    require(
        left.kind in (Kind.DATE, Kind.TIMESTAMP) and right.kind is Kind.INTERVAL,
        f"{type(node).__name__} of {left.kind.value} and {right.kind.value}",
    )
    start = as_moment(left, at)
    assert start.ends is not None
    return _in_calendar(Held(Kind.TIMESTAMP, *_shifted(node, start.ends, right.ends)), at)


def _repeated(left: Held, right: Held) -> Held:
    """An interval so many times."""
    span, times = (left, right) if left.kind is Kind.INTERVAL else (right, left)
    require(
        span.kind is Kind.INTERVAL and times.kind in WHOLE, f"a product of {left.kind.value} and {right.kind.value}"
    )
    if span.ends is None or times.ends is None:
        raise CheckFault("an interval is multiplied by a number of no known range")
    products = [a * b for a in span.ends for b in times.ends]
    require(max(map(abs, products)) < 2**62, "an interval that could be too long")
    return Held(Kind.INTERVAL, min(products), max(products))


def _shifted(node: exp.Expr, start: Ends, by: Ends) -> Ends:
    sign = -1 if type(node) is exp.Sub else 1
    ends = sorted(sign * end for end in by)
    return start[0] + ends[0], start[1] + ends[1]


def _apart(left: Held, right: Held, at: Prover) -> Held:
    """Days between dates, an interval between timestamps."""
    require(left.ends is not None and right.ends is not None, "a difference of dates of no known range")
    assert left.ends is not None and right.ends is not None
    for side in (left, right):
        _in_calendar(side, at)
    ends = left.ends[0] - right.ends[1], left.ends[1] - right.ends[0]
    return Held(Kind.INTEGER if left.kind is Kind.DATE else Kind.INTERVAL, *ends)


def _since_its_start(later: exp.Expr, sooner: exp.Expr) -> int | None:
    """The most microseconds that a moment is after the begin of its own month, say; None where it is not that."""
    if type(sooner) not in (exp.TimestampTrunc, exp.DateTrunc) or sooner.this != later:
        return None
    unit = sooner.args["unit"].name.upper()
    return _UNITS.get(unit) or int((_DAYS[unit] + 1) * MICROS) if unit in {**_UNITS, **_DAYS} else None


def _interval(node: exp.Expr, at: Prover) -> Held:
    """INTERVAL 'n' UNIT, as microseconds, months being as long as they can be."""
    text, unit = node.this, node.args.get("unit")
    number = text.name if type(text) is exp.Literal else ""
    name = unit.name.upper().removesuffix("S") if unit is not None else ""
    require(re.fullmatch(r"-?\d{1,18}", number), "an interval that is no constant")
    size = _UNITS.get(name) or int(_DAYS.get(name, 0) * MICROS)
    require(size, f"an interval of {name}")
    length = int(number) * size
    return Held(Kind.INTERVAL, length, length)


_RANGES = {
    "YEAR": (-10_000, 300_000), "ISOYEAR": (-10_000, 300_000), "QUARTER": (1, 4), "MONTH": (1, 12), "WEEK": (1, 53),
    "DAY": (1, 31), "DOW": (0, 6), "DAYOFWEEK": (0, 6), "ISODOW": (1, 7), "DOY": (1, 366), "DAYOFYEAR": (1, 366),
    "HOUR": (0, 23), "MINUTE": (0, 59), "DECADE": (-1000, 30_000), "CENTURY": (-100, 3000), "MILLENNIUM": (-10, 300),
    "SECOND": (0, 60), "MILLISECOND": (0, 60_000), "MICROSECOND": (0, 60_000_000),
    "MILLISECONDS": (0, 60_000), "MICROSECONDS": (0, 60_000_000),
    "EPOCH": (-(10**15), 10**15), "JULIAN": (-(10**9), 10**9),
}  # fmt: skip


_OF_CLOCKS = ("HOUR", "MINUTE", "MICROSECOND", "MICROSECONDS")
_OF_PYTHON = {"YEAR": (1, 9999), "ISOYEAR": (1, 9999), "DECADE": (0, 999), "CENTURY": (1, 100), "MILLENNIUM": (1, 10)}


def _extract(node: exp.Expr, at: Prover) -> Held:
    """A field; of an infinite moment it is NULL, or what no whole number holds."""
    inner, name = at(node.expression), node.name.upper()
    decimals = at.engine.field_type is Kind.DECIMAL
    kind = Kind.DECIMAL if name in ("EPOCH", "JULIAN") else at.engine.field_type
    if inner.kind is Kind.INTERVAL:
        seconds = None if inner.ends is None else (inner.ends[0] // 10**6, inner.ends[1] // 10**6 + 1)
        return replace(over(kind, seconds), scale=6)
    if inner.kind is Kind.TIME:
        return _of_clock(name, kind, at)
    require(inner.kind in (Kind.DATE, Kind.TIMESTAMP), f"a field of a {inner.kind.value}")
    if decimals and inner.ends is None:
        return Held(Kind.DECIMAL, scale=6)
    least, most = _RANGES.get(name, (None, None))
    unit = MICROS if inner.kind is Kind.TIMESTAMP else 1
    if inner.ends is not None and inner.ends[0] >= unit and inner.ends[1] < (date.max.toordinal() + 1) * unit:
        least, most = _OF_PYTHON.get(name, (least, most))
    elif (
        name == "YEAR"
        and inner.ends is not None
        and abs(inner.ends[0]) < 40 * unit
        and inner.ends[1] < 3_652_100 * unit
    ):
        least, most = 0, 10_000
    if not decimals and kind is Kind.DECIMAL:
        return Held(Kind.DOUBLE, least, most)
    return Held(kind, least, most, scale=6 if kind is Kind.DECIMAL else 0)


def _of_clock(name: str, kind: Kind, at: Prover) -> Held:
    """A field of a time of day, of which 24:00 is the last."""
    require(name in _OF_CLOCKS, f"{name} of a time")
    least, most = (0, 24) if name == "HOUR" else _RANGES[name]
    return Held(kind, least, most, scale=6 if at.engine.field_type is Kind.DECIMAL else 0)


def _between(node: exp.Expr, at: Prover) -> Held:
    """DATE_DIFF of two that are within the calendar."""
    later, sooner = (_in_calendar(as_moment(at(side), at), at) for side in (node.this, node.expression))
    unit = node.args["unit"].name.upper().removesuffix("S")
    size = _UNITS.get(unit) or _SHORTEST.get(unit, 0) * MICROS
    if not size or later.ends is None or sooner.ends is None:
        raise CheckFault(f"a difference in {unit}")
    longest = _since_its_start(node.this, node.expression)
    if longest is not None:
        return Held(Kind.BIGINT, 0, longest // size + 1)
    return Held(Kind.BIGINT, (later.ends[0] - sooner.ends[1]) // size - 1, (later.ends[1] - sooner.ends[0]) // size + 2)


def _truncated(node: exp.Expr, at: Prover) -> Held:
    """DATE_TRUNC: at most a thousand years earlier."""
    inner = as_moment(at(node.this), at)
    require(inner.ends is not None, "a moment of no known range is cut")
    assert inner.ends is not None
    first, last = at.engine.first_truncated * MICROS, at.engine.last_truncated * MICROS
    require(first <= inner.ends[0] and inner.ends[1] <= last, "a moment is cut that is too far off")
    unit = node.args["unit"].name.upper()
    earlier = inner.ends[0] - (_UNITS.get(unit) or int((_DAYS.get(unit, 366_000) + 1) * MICROS))
    begins = unit != "DECADE" and inner.ends[0] >= MICROS  # the year 1 begins each of them, and a week
    return _in_calendar(Held(Kind.TIMESTAMP, max(earlier, MICROS) if begins else earlier, inner.ends[1]), at)


def _in_zone(node: exp.Expr, at: Prover) -> Held:
    """AT TIME ZONE: of a moment a local time, and of a local time the moment."""
    inner, zone = at(node.this), node.args["zone"]
    require(type(zone) is exp.Literal and zone.is_string, "a time zone that is no constant")
    require(zone.name in ZONES, "a time zone that an engine may not know")
    if inner.kind is Kind.INSTANT:
        return _there(replace(inner, kind=Kind.TIMESTAMP), zone.name, at)
    return replace(_there(as_moment(inner, at), zone.name, at), kind=Kind.INSTANT)


def _there(held: Held, zone: str, at: Prover) -> Held:
    """A moment's local time in a zone, or the other way round: less than a day apart, in UTC the same number."""
    if zone == UTC:
        return held
    require(held.ends is not None, "a moment of no known range in a time zone")
    assert held.ends is not None
    return _in_calendar(Held(Kind.TIMESTAMP, held.ends[0] - MICROS, held.ends[1] + MICROS), at)


def _formatted(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    require(type(node.args["format"]) is exp.Literal, "a format that is no constant")
    if inner.kind in (Kind.DATE, Kind.TIMESTAMP):
        as_moment(inner, at)
    return Held(Kind.TEXT)


FUNCTIONS = (
    ProvedFunction(exp.Interval, "", "this unit", _interval, Family.INTERVAL, 1),
    ProvedFunction(exp.Extract, "", "this expression", _extract, None, 5),
    ProvedFunction(exp.DateDiff, "", "this expression unit date_part_boundary", _between, Family.INTEGER, 5),
    ProvedFunction(exp.TimestampTrunc, "date_trunc", "unit this input_type_preserved", _truncated, OPERANDS, 10),
    ProvedFunction(exp.DateTrunc, "date_trunc", "unit this input_type_preserved", _truncated, OPERANDS, 10),
    ProvedFunction(exp.AtTimeZone, "timezone", "zone this", _in_zone, Family.TIMESTAMP, 30),
    ProvedFunction(exp.TimeToStr, "", "this format", _formatted, Family.TEXT, 20),
)
