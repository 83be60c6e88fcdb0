"""Functions of numbers: what rounds, roots, logarithms and powers of what they are defined for, and sums with room."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sqlglot import exp

from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.floats import LARGEST_DOUBLE, exponent_of, fine_of, rounded
from dpproxy.rewrite.checker.held import (
    BITS,
    FINEST_SCALE,
    FLOATS,
    LEAST_EXPONENT,
    MOST_DIGITS,
    WHOLE,
    Held,
    Kind,
    Number,
    is_unlimited,
    over,
    whole,
)

if TYPE_CHECKING:
    from dpproxy.rewrite.checker.total import Total

_MEAN_PLACES = 64  # that a mean of less than 2**63 numbers may have behind theirs


def _rounding(node: exp.Expr, at: Total) -> Held:
    """FLOOR, CEIL, ROUND, TRUNC: within one of the number, or within a power of ten."""
    inner, places = at(node.this), node.args.get("decimals")
    count = 0
    if places is not None:
        told = at(places)
        require(told.ends is not None and told.least == told.most, "a rounding to places that are not constant")
        count = int(told.least or 0)
    if inner.ends is None:
        return replace(inner, scale=max(count, 0), digits=0) if inner.kind is Kind.DECIMAL else inner
    by = Fraction(10) ** -count
    least, most = (inner.ends[0] // by) * by, -((-inner.ends[1]) // by) * by
    if type(node) is exp.Trunc:
        least, most = -((-inner.ends[0]) // by) * by, (inner.ends[1] // by) * by
        least, most = min(least, 0), max(most, 0)
    if inner.kind in WHOLE:
        room = 1 << BITS[inner.kind]
        require(count >= 0 or (-room <= least and most < room), "a rounding could overflow")
    fine = max(0, inner.fine) if count <= 0 else inner.fine
    digits = (
        min(max(len(str(int(max(abs(least), abs(most))))) + max(count, 0), 1), MOST_DIGITS)
        if inner.kind is Kind.DECIMAL
        else 0
    )
    return Held(
        inner.kind,
        least,
        most,
        digits,
        min(max(count, 0), inner.scale) if not at.postgres else max(count, 0),
        fine,
        nan=inner.nan,
    )


def _sign(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    return Held(Kind.SMALLINT if not at.postgres else inner.kind, -1, 1, fine=0)


def _root(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    require(inner.least is not None and inner.least >= 0, "a root of what could be less than 0")
    most = None if inner.most is None else max(inner.most, 1)
    return Held(Kind.DOUBLE, 0, most, fine=LEAST_EXPONENT // 2)


def _cube_root(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    ends = None if inner.ends is None else (min(inner.ends[0], -1), max(inner.ends[1], 1))
    return over(Kind.DOUBLE, ends, LEAST_EXPONENT // 2)


def _logarithm(node: exp.Expr, at: Total) -> Held:
    """LN(x), LOG(x), LOG(b, x) of what is more than 0, to a base that is not 1."""
    for name in ("this", "expression"):
        if node.args.get(name) is not None:
            inner = at(node.args[name])
            positive = inner.least is not None and (inner.least > 0 or (inner.least == 0 and inner.nonzero))
            require(positive, "a logarithm of what could be 0 or less")
    if node.args.get("expression") is not None:
        base = at(node.this)
        apart = (base.least or 0) > 1 or (base.most is not None and base.most < 1)
        require(apart, "a logarithm to a base that could be 1")
    if (
        type(node) is not exp.Ln
        or inner.ends is None
        or inner.ends[0] < Fraction(1, 2**1000)
        or inner.ends[1] > 2**1000
    ):
        return Held(Kind.DOUBLE, -800, None if inner.most is None else 800, fine=-60)
    ends = Fraction(math.log(inner.ends[0])), Fraction(math.log(inner.ends[1]))
    return over(Kind.DOUBLE, rounded(ends), -60)


def _exponential(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    if at.postgres:
        require(
            inner.ends is not None and inner.ends[0] >= -740 and inner.ends[1] < 709.79, "EXP could leave its range"
        )
    if inner.most is None or inner.most > 709:
        return Held(Kind.DOUBLE, 0, LARGEST_DOUBLE if at.postgres else None)
    return Held(Kind.DOUBLE, 0, Fraction(math.exp(float(inner.most))) * 2)


def _power(node: exp.Expr, at: Total) -> Held:
    """x ^ k of a constant k."""
    base, power = at(node.this), at(node.expression)
    if not at.postgres and (
        power.ends is None or power.least != power.most or base.ends is None or (power.least or 0) < 0
    ):
        return Held(Kind.DOUBLE)
    require(power.ends is not None and power.least == power.most, "a power that is not constant")
    k = Fraction(power.least or 0)
    require(
        not at.postgres or k.denominator == 1 or (base.least is not None and base.least >= 0),
        "a power of what could be less than 0",
    )
    require(k >= 0 or base.apart, "a power of what could be 0")
    require(k == 0 or base.ends is not None, "a power of a number of no known range")
    if k == 0 or base.ends is None:
        return Held(Kind.DOUBLE, 0, 1, fine=0)
    high, low = (exponent_of(base), fine_of(base)) if k > 0 else (-fine_of(base), -exponent_of(base))
    size, fine = math.ceil(high * abs(k)) if high > 0 else 0, math.floor(low * abs(k)) - 1 if low < 0 else 0
    require(not at.postgres or (size <= 1024 and fine >= LEAST_EXPONENT - 1), "a power could leave its range")
    if size > 1023 or fine < LEAST_EXPONENT:
        return Held(Kind.DOUBLE, 0 if k % 2 == 0 else None, None)
    if k > 0 and k.denominator == 1 and k < 10:
        top = max(abs(end) for end in base.ends) ** int(k)
        least = base.ends[0] ** int(k) if base.ends[0] >= 0 else 0 if k % 2 == 0 else -top
        return over(Kind.DOUBLE, rounded((least, top)), max(fine, LEAST_EXPONENT))
    return Held(Kind.DOUBLE, 0 if k % 2 == 0 else -(2**size), 2**size, fine=max(fine, LEAST_EXPONENT))


def _extreme_double(node: exp.Expr, at: Total) -> Held:
    """FLOAT8LARGER(x, constant) and FLOAT8SMALLER(x, constant); a length of a text."""
    if node.name.upper() == "OCTET_LENGTH":
        at(node.expressions[0])
        return whole(Kind.INTEGER).within(0, None)
    inner, end = (at(each) for each in node.expressions)
    fine, apart = min(fine_of(inner), fine_of(end)), inner.apart and end.apart
    leasts, mosts = (inner.least, end.least), (inner.most, end.most)
    if node.name.upper() == "FLOAT8LARGER":
        return Held(Kind.DOUBLE, _one(max, leasts), _both(max, mosts), fine=fine, nonzero=apart)
    return Held(Kind.DOUBLE, _both(min, leasts), _one(min, mosts), fine=fine, nonzero=apart)


def _one(choose: Callable[..., Number], ends: tuple[Number | None, ...]) -> Number | None:
    """Of the ends that are known."""
    return choose((end for end in ends if end is not None), default=None)


def _both(choose: Callable[..., Number], ends: tuple[Number | None, ...]) -> Number | None:
    """Of all ends, if all are known."""
    return None if None in ends else choose(ends)


def _summed(node: exp.Expr, at: Total) -> Held:
    """Sums and means, of less than 2**63 rows."""
    inner = at(node.this)
    if inner.kind in FLOATS:
        require(
            not at.postgres or (inner.ends is not None and all(abs(end) <= 2**960 for end in inner.ends)),
            "a sum could overflow",
        )
        return Held(Kind.DOUBLE)
    if type(node) is exp.Avg:
        scale = min(inner.scale + _MEAN_PLACES, FINEST_SCALE)
        kind, scale = (Kind.DECIMAL, scale) if at.postgres else (Kind.DOUBLE, 0)
        return Held(kind, inner.least, inner.most, 0, scale, nan=inner.nan)
    if inner.kind is Kind.DECIMAL:
        fits = at.postgres or (inner.digits and inner.digits - inner.scale + 19 <= MOST_DIGITS - inner.scale)
        require(fits, "a sum of decimals could overflow")
        ends = None if inner.ends is None else (inner.ends[0] * 2**63, inner.ends[1] * 2**63)
        digits = 0 if is_unlimited(inner) else MOST_DIGITS
        return replace(over(Kind.DECIMAL, ends), digits=digits, scale=inner.scale, nan=inner.nan)
    require(at.postgres or inner.kind is not Kind.HUGEINT or _is_small(inner), "a sum could overflow")
    if at.postgres and BITS.get(inner.kind, 0) < 63:
        return whole(Kind.BIGINT)
    return whole(Kind.HUGEINT) if not at.postgres else Held(Kind.DECIMAL, -(2**127), 2**127)


def _is_small(held: Held) -> bool:
    return held.ends is not None and all(abs(end) <= 2**63 for end in held.ends)


RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Total], Held]] = {
    **dict.fromkeys((exp.Floor, exp.Ceil, exp.Round, exp.Trunc), _rounding),
    exp.Sign: _sign,
    exp.Sqrt: _root,
    exp.Cbrt: _cube_root,
    **dict.fromkeys((exp.Ln, exp.Log), _logarithm),
    exp.Exp: _exponential,
    exp.Pow: _power,
    exp.Anonymous: _extreme_double,
    **dict.fromkeys((exp.Sum, exp.Avg), _summed),
}
