"""Interval arithmetic, exact, and rounded outwards where the engine computes in floating point."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from dpproxy.rewrite.expressions.facts.fact import Interval

Combine = Callable[[Interval, Interval], Interval | None]
_EXACT_BELOW = 2**53
_REAL_EXACT_BELOW = 2**24


def both(combine: Combine, left: Interval | None, right: Interval | None) -> Interval | None:
    """`combine` where both are known."""
    return None if left is None or right is None else combine(left, right)


def each(change: Callable[[Interval], Interval | None], interval: Interval | None) -> Interval | None:
    """`change` where the interval is known."""
    return None if interval is None else change(interval)


def add(left: Interval, right: Interval) -> Interval:
    """All x + y."""
    return Interval(left.lower + right.lower, left.upper + right.upper)


def subtract(left: Interval, right: Interval) -> Interval:
    """All x - y."""
    return Interval(left.lower - right.upper, left.upper - right.lower)


def multiply(left: Interval, right: Interval) -> Interval:
    """All x * y."""
    return _spanned(x * y for x in (left.lower, left.upper) for y in (right.lower, right.upper))


def divide(left: Interval, right: Interval) -> Interval | None:
    """All x / y, unknown where y can come near 0."""
    if right.lower <= 0 <= right.upper:
        return None
    return multiply(left, Interval(1 / right.upper, 1 / right.lower))


def divide_integers(left: Interval, right: Interval) -> Interval | None:
    """All x / y of integers, cut towards zero; a divisor is -1 or 1 at the smallest, 0 giving NULL."""
    quotient = divide(left, right)
    if quotient is None:
        most = max(abs(left.lower), abs(left.upper))
        quotient = multiply(left, Interval(Fraction(1), Fraction(1))) if right.lower >= 0 else Interval(-most, most)
    zero = Fraction(0)
    whole = Interval(Fraction(math.trunc(quotient.lower)), Fraction(math.trunc(quotient.upper)))
    return whole if right.lower > 0 or right.upper < 0 else Interval(min(whole.lower, zero), max(whole.upper, zero))


def remainders_of(unit: Fraction) -> Combine:
    """All x % y of multiples of `unit`, with the sign of x, and smaller than y by a unit at least."""

    def remainder(left: Interval, right: Interval) -> Interval:
        most = max(abs(right.lower), abs(right.upper), unit) - unit
        return Interval(max(min(left.lower, Fraction(0)), -most), min(max(left.upper, Fraction(0)), most))

    return remainder


def negate(interval: Interval) -> Interval:
    """All -x."""
    return Interval(-interval.upper, -interval.lower)


def absolute(interval: Interval) -> Interval:
    """All |x|."""
    ends = _spanned((abs(interval.lower), abs(interval.upper)))
    return Interval(Fraction(0), ends.upper) if interval.lower < 0 < interval.upper else ends


def monotone(function: Callable[[Fraction], Fraction | int], interval: Interval) -> Interval:
    """All f(x) for an increasing f."""
    return Interval(Fraction(function(interval.lower)), Fraction(function(interval.upper)))


def hull(intervals: Iterable[Interval | None]) -> Interval | None:
    """The smallest interval around all; None where one is unknown or there are none."""
    known = list(intervals)
    if not known or None in known:
        return None
    return _spanned(end for interval in known if interval for end in (interval.lower, interval.upper))


def contains(outer: Interval, inner: Interval | None) -> bool:
    """Whether `inner` is known and lies within `outer`."""
    return inner is not None and outer.lower <= inner.lower and inner.upper <= outer.upper


def outward(interval: Interval | None) -> Interval | None:
    """What a double holds of it: an end that a double may miss moves outwards to the next one; None past its range.

    Because: a correctly rounded operation is monotone, so that it leaves an interval whose ends are doubles only by
    a conversion of more than 53 bits, which costs one unit in the last place.
    """
    if interval is None:
        return None
    try:
        return Interval(_towards(interval.lower, -math.inf), _towards(interval.upper, math.inf))
    except OverflowError:
        return None


def outward_real(interval: Interval | None) -> Interval | None:
    """The same for the 24 bits of a real."""
    if interval is None or max(abs(interval.lower), abs(interval.upper)) > Fraction(3) * 10**38:
        return None
    return Interval(interval.lower - _real_slack(interval.lower), interval.upper + _real_slack(interval.upper))


def loose(lower: float, upper: float) -> Interval:
    """Ends moved outwards by far more than the error of a library's functions, a few last places; 0 is exact."""
    down, up = lower - abs(lower) * 2.0**-44, upper + abs(upper) * 2.0**-44
    return Interval(
        Fraction(math.nextafter(down, -math.inf) if lower else 0),
        Fraction(math.nextafter(up, math.inf) if upper else 0),
    )


def _towards(end: Fraction, direction: float) -> Fraction:
    nearest = float(end)
    if nearest.as_integer_ratio() == end.as_integer_ratio() and abs(nearest) <= _EXACT_BELOW:
        return end
    return Fraction(math.nextafter(nearest, direction))


def _real_slack(end: Fraction) -> Fraction:
    if end.denominator == 1 and abs(end) <= _REAL_EXACT_BELOW:
        return Fraction(0)
    return abs(end) / 2**22 + Fraction(1, 2**148)


def _spanned(ends: Iterable[Fraction]) -> Interval:
    known = list(ends)
    return Interval(min(known), max(known))
