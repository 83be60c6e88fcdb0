"""Sizes of floating-point numbers: where Postgres raises because a result overflows or underflows."""

from __future__ import annotations

import math
from fractions import Fraction

from dpproxy.remembered import remembered
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.held import (
    BITS,
    FLOATS,
    LEAST_EXPONENT,
    LEAST_OF_REAL,
    MOST_DIGITS,
    Ends,
    Held,
    Kind,
)

LARGEST_DOUBLE = 2**1024 - 2**971
LARGEST = {Kind.DOUBLE: Fraction(LARGEST_DOUBLE), Kind.REAL: Fraction(2**127)}
FINEST = {Kind.DOUBLE: LEAST_EXPONENT, Kind.REAL: LEAST_OF_REAL}


@remembered(4096)
def written(text: str) -> Held:
    """A number as written."""
    digits = text.replace(".", "", 1)
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        return real(Fraction(text))
    value = Fraction(text)
    if "." in text:
        return Held(Kind.DECIMAL, value, value, len(digits), len(text.partition(".")[2]), written=True)
    number = int(text)
    kind = next((kind for kind in (Kind.INTEGER, Kind.BIGINT, Kind.HUGEINT) if number < 1 << BITS[kind]), Kind.HUGEINT)
    return Held(kind, number, number, written=True)


def real(value: Fraction) -> Held:
    """A floating-point constant."""
    fine = math.frexp(float(value))[1] - 1 if value else 0
    return Held(Kind.DOUBLE, value, value, fine=fine, written=True)


def fine_of(held: Held) -> int:
    """The exponent of the least size that it has, if it is not 0, as a floating-point number."""
    if held.kind in FLOATS:
        ends = held.ends
        if ends is not None and (ends[0] > 0 or ends[1] < 0):
            return max(held.fine, math.frexp(float(min(abs(ends[0]), abs(ends[1]), LARGEST_DOUBLE)))[1] - 1)
        return held.fine
    # A power of ten below 1 is no power of two, and the double next to it is no less than the power of two below.
    return 0 if not held.scale else -math.ceil(held.scale * math.log2(10))


def in_range(kind: Kind, ends: Ends | None) -> None:
    """Raises CheckFault where a result could be larger than its type is."""
    fits = ends is not None and all(abs(end) <= LARGEST[kind] for end in ends)
    require(fits, "floating point could overflow")


def rounded(ends: Ends | None, kind: Kind = Kind.DOUBLE) -> Ends | None:
    """A little wider, for each rounding; None where it could be infinite."""
    if ends is None or any(abs(end) > LARGEST_DOUBLE for end in ends):
        return None
    least, most, by = Fraction(ends[0]), Fraction(ends[1]), Fraction(1, 2**22 if kind is Kind.REAL else 2**51)
    return least - abs(least) * by, most + abs(most) * by


def exponent_of(held: Held) -> int:
    """An exponent of two that is no less than its size; beyond all others where that is not known."""
    if held.ends is None:
        return 4096
    size = max(abs(end) for end in held.ends)
    if size > 2**1023:
        return 1024
    most, exponent = math.frexp(math.nextafter(float(size), math.inf) if float(size) < size else float(size))
    return exponent - (most == 0.5)
