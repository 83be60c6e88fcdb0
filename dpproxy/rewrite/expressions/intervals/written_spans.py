"""Interval constants as they are written: '1 year 2 months', '3 days 04:05:06', 'P1Y2M', INTERVAL '3' MONTH."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from sqlglot import exp

from dpproxy.rewrite.expressions.intervals.spans import DAYS_OF_MONTH, Span
from dpproxy.rewrite.expressions.intervals.units import DAYS, MICROS, MONTHS, unit_of
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.types.calendars import DAY

_NUMBER = r"[+-]?(?:\d{1,15}(?:\.\d{0,9})?|\.\d{1,9})"
_PART = re.compile(rf"\s*(?:(?P<amount>{_NUMBER})\s*(?P<unit>[a-z]+)|(?P<sign>[+-]?)(?P<clock>\d{{1,9}}:[\d:.]+))\s*")
_CLOCK = re.compile(r"(\d+):([0-5]?\d)(?::([0-5]?\d(?:\.\d{0,6})?))?")
_ISO = re.compile(rf"p((?:{_NUMBER}[ymwd])*)(?:t((?:{_NUMBER}[hms])+))?")
_ISO_PART = re.compile(rf"({_NUMBER})([a-z])")
_ISO_DATES = {"y": "year", "m": "month", "w": "week", "d": "day"}
_ISO_TIMES = {"h": "hour", "m": "minute", "s": "second"}
_HINT = "Write numbers and units, as in INTERVAL '1 month 2 days'."


def read_span(node: exp.Expression, text: str) -> Span:
    """The span that a text stands for, in any of the forms with units that Postgres reads or writes.

    Raises FeatureNotSupported for other text, and for spans of more than 30,000 years.
    """
    span = _parsed(text.strip().lower())
    if span is None:
        raise refused(node, "the interval is not understood", _HINT)
    return checked(node, span)


def checked(node: exp.Expression, span: Span) -> Span:
    """The span. Raises FeatureNotSupported for one of more than 30,000 years."""
    if not span.is_short:
        raise refused(node, "the interval is too long", "Use an interval of at most a few thousand years.")
    return span


def _parsed(text: str) -> Span | None:
    if iso := _ISO.fullmatch(text):
        parts = [(_ISO_DATES[unit], amount) for amount, unit in _ISO_PART.findall(iso[1])]
        parts += [(_ISO_TIMES[unit], amount) for amount, unit in _ISO_PART.findall(iso[2] or "")]
        return _summed([_of_unit(amount, unit) for unit, amount in parts])
    text = text.removeprefix("@")
    backwards = text.endswith(" ago")
    text = text.removesuffix(" ago")
    if not _PART.match(text) or _PART.sub("", text):
        return None
    span = _summed([_of_part(part) for part in _PART.finditer(text)])
    return None if span is None else -span if backwards else span


def _summed(parts: list[Span | None]) -> Span | None:
    known = [part for part in parts if part is not None]
    return sum(known, Span()) if known and len(known) == len(parts) else None


def _of_part(part: re.Match[str]) -> Span | None:
    if part["clock"] is None:
        return _of_unit(part["amount"], part["unit"])
    clock = _CLOCK.fullmatch(part["clock"])
    if clock is None:
        return None
    seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + Fraction(clock[3] or 0)
    return Span(micros=int(seconds * 10**6) * (-1 if part["sign"] == "-" else 1))


def _of_unit(amount: str, name: str) -> Span | None:
    """So many of a unit. A fraction of it goes to smaller ones, as in Postgres: a month has 30 days."""
    number, unit = Fraction(amount), unit_of(name)
    whole, rest = math.trunc(number), number - math.trunc(number)
    if unit == "month":
        return Span(months=whole) + _of_days(rest * DAYS_OF_MONTH)
    if unit in MONTHS:
        return Span(months=whole * MONTHS[unit] + round(rest * MONTHS[unit]))
    if unit in DAYS:
        return Span(days=whole * DAYS[unit]) + _of_days(rest * DAYS[unit])
    return Span(micros=round(number * MICROS[unit])) if unit in MICROS else None


def _of_days(days: Fraction) -> Span:
    return Span(days=math.trunc(days), micros=round((days - math.trunc(days)) * DAY))
