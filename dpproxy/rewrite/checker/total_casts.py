"""Casts: what is cast fits its new type, row by row; a text is cast as written, or where it matched a pattern."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from datetime import date
from fractions import Fraction

from sqlglot import exp

from dpproxy.remembered import remembered
from dpproxy.rewrite.checker import castable_patterns, floats
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.function import ProvedFunction
from dpproxy.rewrite.checker.held import BITS, FLOATS, NUMBERS, REALS, WHOLE, Held, Kind, of_type, over
from dpproxy.rewrite.checker.prover import Prover
from dpproxy.rewrite.checker.syntax import bare
from dpproxy.rewrite.checker.total_times import MICROS, as_moment, day, moment

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?")
_ENDLESS = ("NaN", "Infinity", "-Infinity", "inf", "-inf", "nan")


def _cast(node: exp.Expr, at: Prover) -> Held:
    to, inner = of_type(node.args["to"]), bare(node.this)
    if to is None:
        raise CheckFault("a cast to a type that is not listed")
    if type(inner) is exp.Literal and inner.is_string:
        endless = to.kind is Kind.DECIMAL and inner.name in _ENDLESS
        plain = at.engine.decimal_may_be_nan and not to.digits and inner.name == "NaN"
        require(plain or not endless, "a decimal has no such value")
        return _written(inner.name, to, at.engine.days_are_endless)
    number = _number_in(inner, to)
    held = at(inner if number is None else number)
    if held.kind is Kind.INSTANT:
        require(at.engine.moments_are_cast and to.kind is Kind.TIMESTAMP, f"a {held.kind.value} is cast")
        return to
    if held.kind is Kind.NOTHING:
        return replace(to, least=0, most=0, nonzero=True)  # of NULL all is true
    if to.kind is Kind.TEXT:
        return to
    if held.kind is Kind.TEXT:
        return _read(held, to)
    return _fitted(held, to, at)


def _read(held: Held, to: Held) -> Held:
    """A text that matched a pattern of which every text is one of the type."""
    found, counts = castable_patterns.read(held.pattern)
    if found in (Kind.DATE, Kind.TIMESTAMP) and to.kind in (found, Kind.TIMESTAMP):
        unit = MICROS if to.kind is Kind.TIMESTAMP else 1
        return replace(to, least=unit, most=(date.max.toordinal() + 1) * unit - 1)
    if found is Kind.DOUBLE and to.kind is Kind.DOUBLE and max(counts) <= 100:
        return replace(to, least=-(10**200), most=10**200, fine=-700)
    fits = found in (Kind.INTEGER, Kind.DECIMAL) and to.kind is Kind.DECIMAL and to.digits
    before, behind = (counts[0], max(counts[1:], default=0)) if fits else (0, 0)
    rounds = behind > to.scale  # to one digit more before the point
    require(fits and before + rounds <= to.digits - to.scale, f"a text that could be no {to.kind.value} is cast")
    return to


def _number_in(node: exp.Expr, to: Held) -> exp.Expr | None:
    """x in CAST(CAST(x AS TEXT) AS number): by way of its shortest text."""
    by_text = type(node) is exp.Cast and to.kind in NUMBERS and node.args["to"].this is exp.DataType.Type.TEXT
    inner = bare(node.this) if by_text else None
    return None if inner is None or type(inner) is exp.Literal else inner


def _tried(node: exp.Expr, at: Prover) -> Held:
    """TRY_CAST, which is NULL where it would raise."""
    found = at(node.this)
    to = of_type(node.args["to"])
    if to is None or not at.engine.has_try_cast:
        raise CheckFault("a cast to a type that is not listed")
    require(found.kind is Kind.TEXT or not at.engine.tries_texts_alone, "a cast of no text that is tried")
    return to


@remembered(4096)
def _written(text: str, to: Held, endless: bool) -> Held:
    """A constant."""
    found: Held | None = to
    match to.kind:
        case Kind.DATE:
            found = day(text) or (_endless(text, to) if endless else None)
        case Kind.TIMESTAMP:
            found = moment(text) or (_endless(text, to) if endless else None)
        case Kind.REAL | Kind.DOUBLE | Kind.DECIMAL:
            found = _number(text, to)
        case Kind.BOOLEAN:
            found = to if text.lower() in ("true", "false") else None
        case Kind.UUID:
            found = to if _UUID.fullmatch(text) else None
        case Kind.TIME:
            found = to if _CLOCK.fullmatch(text) else None
        case Kind.TEXT:
            found = Held(Kind.TEXT)
        case _ if to.kind in WHOLE:
            found = _number(text, to) if re.fullmatch(r"-?\d+", text) else None
    if found is None:
        raise CheckFault(f"{text!r} is no {to.kind.value}")
    return found


def _endless(text: str, to: Held) -> Held | None:
    return to if text in ("infinity", "-infinity") else None


def _number(text: str, to: Held) -> Held | None:
    if text in _ENDLESS and to.kind not in WHOLE:
        return replace(to, least=None, most=None, nan=to.kind is Kind.DECIMAL)
    if not _NUMBER.fullmatch(text):
        return None
    value = Fraction(text.strip())
    if to.kind in FLOATS:
        return (
            None
            if abs(value) > 2**1024 - 2**970
            else replace(floats.real(Fraction(float(value))), kind=to.kind, written=False)
        )
    fits = to.ends is None or to.ends[0] <= value <= to.ends[1]
    return replace(to, least=value, most=value) if fits else None


def _fitted(held: Held, to: Held, at: Prover) -> Held:
    """A value of a type that is no text."""
    if held.kind is to.kind and held.kind not in (Kind.DECIMAL, *WHOLE):
        return held
    if to.kind in WHOLE:
        return _as_whole(held, to)
    if to.kind is Kind.DECIMAL:
        return _as_decimal(held, to, at)
    if to.kind in FLOATS:
        return _as_float(held, to, at)
    if to.kind is Kind.TIMESTAMP and held.kind is Kind.DATE:
        return as_moment(held, at)
    if to.kind is Kind.DATE and held.kind is Kind.TIMESTAMP:
        return _as_day(held, to)
    whole = to.kind is Kind.BOOLEAN and held.kind in WHOLE
    require(whole, f"a {held.kind.value} is cast to {to.kind.value}")
    return to


def _as_day(held: Held, to: Held) -> Held:
    if held.ends is None:
        return to
    return replace(to, least=held.ends[0] // 86_400_000_000, most=held.ends[1] // 86_400_000_000)


def _as_whole(held: Held, to: Held) -> Held:
    if held.kind is Kind.BOOLEAN:
        return Held(to.kind, 0, 1)
    if held.kind is to.kind or (held.kind in WHOLE and BITS[held.kind] <= BITS[to.kind]):
        return Held(to.kind, held.least, held.most, nonzero=held.nonzero, pattern=held.pattern)
    require(held.kind in NUMBERS, f"a {held.kind.value} is cast to {to.kind.value}")
    room = 1 << BITS[to.kind]
    require(not held.nan, f"a decimal that could be NaN is cast to {to.kind.value}")
    ends = (
        None
        if held.ends is None
        else (math.floor(held.ends[0] + Fraction(1, 2)), math.ceil(held.ends[1] - Fraction(1, 2)))
    )
    if ends is None or ends[0] < -room or ends[1] >= room:
        raise CheckFault(f"a {held.kind.value} that could have no room in a {to.kind.value}")
    least, most = (math.floor(held.ends[0]), math.ceil(held.ends[1])) if held.ends else ends
    apart = held.nonzero and held.kind in WHOLE
    return Held(to.kind, max(least, -room), min(most, room - 1), nonzero=apart, pattern=held.pattern)


def _as_decimal(held: Held, to: Held, at: Prover) -> Held:
    require(held.kind in NUMBERS, f"a {held.kind.value} is cast to a decimal")
    if to.digits == 0:
        require(at.engine.decimal_without_limits, "a decimal without limits, which the engine has not")
        require(held.ends is not None, "a number of no known range is cast to a decimal")
        scale = held.scale if held.kind is Kind.DECIMAL else 0 if held.kind in WHOLE else 340
        return Held(Kind.DECIMAL, held.least, held.most, 0, scale, nan=held.nan)
    most, step = Fraction(10**to.digits, 10**to.scale), Fraction(1, 10**to.scale)
    fits = held.ends is not None and all(abs(end) + step / 2 < most or abs(end) <= most - step for end in held.ends)
    require(
        fits
        or (
            at.engine.decimal_may_be_nan
            and held.kind is Kind.DECIMAL
            and held.digits - held.scale <= to.digits - to.scale
            and held.digits > 0
            and held.scale <= to.scale
        ),
        "a number that could have no room in a decimal",
    )
    if held.ends is None:
        return replace(to, nan=True)
    slack = 0 if held.kind in WHOLE or (held.kind is Kind.DECIMAL and held.scale <= to.scale) else step
    return replace(
        to,
        least=held.ends[0] - slack,
        most=held.ends[1] + slack,
        nonzero=held.apart and held.scale <= to.scale,
        nan=held.nan,
    )


def _as_float(held: Held, to: Held, at: Prover) -> Held:
    require(held.kind in NUMBERS or held.kind is Kind.BOOLEAN, f"a {held.kind.value} is cast to {to.kind.value}")
    largest = Fraction(2**128 - 2**103 - 1) if to.kind is Kind.REAL else Fraction(2**1023)
    large = at.engine.float_cast_of_decimal_overflows and held.kind is Kind.DECIMAL and not held.digits
    needs = (to.kind is Kind.REAL and held.kind is Kind.DOUBLE) or large
    if needs and held.pattern != REALS:
        fits = held.ends is not None and all(abs(end) <= largest for end in held.ends)
        require(fits, f"a number that could have no room in a {to.kind.value}")
    fine = floats.fine_of(held)
    if at.engine.float_cast_underflows and to.kind is Kind.REAL:
        require(fine >= -150, "a number that could underflow in a real")
    if at.engine.float_cast_underflows and held.kind is Kind.DECIMAL:
        require(held.scale <= 320, "a decimal that could underflow")
    ends = floats.rounded(held.ends)
    exact = held.kind in FLOATS or (held.kind in WHOLE and held.ends is not None and max(map(abs, held.ends)) <= 2**53)
    found = over(to.kind, held.ends if exact else ends, max(fine, floats.FINEST[to.kind]))
    pattern = held.pattern if held.kind in FLOATS else ""
    return replace(found, most=None if held.nan else found.most, nonzero=held.apart, pattern=pattern)


FUNCTIONS = (
    ProvedFunction(exp.Cast, "", "this to safe", _cast, None, 5),
    ProvedFunction(exp.TryCast, "", "this to safe", _tried, None, 5),
)
