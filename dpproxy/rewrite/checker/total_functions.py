"""Functions of numbers: what rounds, roots, logarithms and powers of what they are defined for, and sums with room."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.floats import LARGEST_DOUBLE, exponent_of, fine_of, rounded
from dpproxy.rewrite.checker.function import OPERANDS, ProvedFunction
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
from dpproxy.rewrite.checker.prover import Prover

_MEAN_PLACES = 64  # that a mean of less than 2**63 numbers may have behind theirs


def _rounding(node: exp.Expr, at: Prover) -> Held:
    """FLOOR, CEIL, ROUND, TRUNC: within one of the number, or within a power of ten."""
    inner, places = at(node.this), node.args.get("decimals")
    if inner.kind in FLOATS and type(node).__name__.upper() in at.engine.whole_of_floats:
        return _nearest(inner)
    count = 0
    if places is not None:
        told = at(places)
        require(told.ends is not None and told.least == told.most, "a rounding to places that are not constant")
        count = int(told.least or 0)
    fine = max(0, inner.fine) if count <= 0 else inner.fine
    if inner.ends is None:
        return replace(inner, scale=max(count, 0), digits=0, fine=fine)
    by = Fraction(10) ** -count
    least, most = (inner.ends[0] // by) * by, -((-inner.ends[1]) // by) * by
    if type(node) is exp.Trunc:
        least, most = -((-inner.ends[0]) // by) * by, (inner.ends[1] // by) * by
        least, most = min(least, 0), max(most, 0)
    if inner.kind in WHOLE:
        least, most, room = math.floor(least), math.ceil(most), 1 << BITS[inner.kind]
        require(count >= 0 or (-room <= least and most < room), "a rounding could overflow")
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
        max(count, 0) if at.engine.round_adds_places else min(max(count, 0), inner.scale),
        fine,
        nan=inner.nan,
    )


def _nearest(inner: Held) -> Held:
    """FLOOR and CEIL as a bigint, the first or the last of them where there is no room."""
    room = 1 << BITS[Kind.BIGINT]
    least, most = (-room, room - 1) if inner.ends is None else (math.floor(inner.ends[0]), math.ceil(inner.ends[1]))
    return Held(Kind.BIGINT, max(least, -room), min(most, room - 1))


def _sign(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    kind = at.engine.sign_types.get(inner.kind)
    if kind is None:
        raise CheckFault(f"a sign of a {inner.kind.value}")
    return Held(kind, -1, 1, fine=0, nan=inner.nan)


def _root(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    require(inner.least is not None and inner.least >= 0, "a root of what could be less than 0")
    most = None if inner.most is None else max(inner.most, 1)
    return Held(Kind.DOUBLE, 0, most, fine=LEAST_EXPONENT // 2)


def _cube_root(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    ends = None if inner.ends is None else (min(inner.ends[0], -1), max(inner.ends[1], 1))
    return over(Kind.DOUBLE, ends, LEAST_EXPONENT // 2)


def _logarithm(node: exp.Expr, at: Prover) -> Held:
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


def _bounded(least: Number, most: Number, finite: bool) -> Callable[[exp.Expr, Prover], Held]:
    """A function of doubles that raises for none, or for infinities alone, and whose values lie between two ends."""

    def rule(node: exp.Expr, at: Prover) -> Held:
        sides = [at(side) for side in node.args.values() if isinstance(side, exp.Expr)]
        known = all(side.ends is not None for side in sides)
        require(known or not finite, f"{type(node).__name__} of what could be infinite")
        return Held(Kind.DOUBLE, least, most if known else None)

    return rule


def _exponential(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    if at.engine.float_overflows:
        require(
            inner.ends is not None and inner.ends[0] >= -740 and inner.ends[1] < 709.79, "EXP could leave its range"
        )
    if inner.most is None or inner.most > 709:
        return Held(Kind.DOUBLE, 0, LARGEST_DOUBLE if at.engine.float_overflows else None)
    return Held(Kind.DOUBLE, 0, Fraction(math.exp(float(inner.most))) * 2)


def _power(node: exp.Expr, at: Prover) -> Held:
    """x ^ k of a constant k."""
    base, power = at(node.this), at(node.expression)
    if not at.engine.power_raises and (
        power.ends is None or power.least != power.most or base.ends is None or (power.least or 0) < 0
    ):
        return Held(Kind.DOUBLE)
    require(power.ends is not None and power.least == power.most, "a power that is not constant")
    k = Fraction(power.least or 0)
    require(
        not at.engine.power_raises or k.denominator == 1 or (base.least is not None and base.least >= 0),
        "a power of what could be less than 0",
    )
    require(k >= 0 or base.apart, "a power of what could be 0")
    if k == 0:
        return Held(Kind.DOUBLE, 0, 1, fine=0)
    if base.ends is None:
        require(not at.engine.float_overflows, "a power of a number of no known range")
        return Held(Kind.DOUBLE)
    high, low = (exponent_of(base), fine_of(base)) if k > 0 else (-fine_of(base), -exponent_of(base))
    size, fine = math.ceil(high * abs(k)) if high > 0 else 0, math.floor(low * abs(k)) - 1 if low < 0 else 0
    fits = size <= 1024 and fine >= LEAST_EXPONENT - 1
    require(fits or not at.engine.float_overflows, "a power could leave its range")
    if size > 1023 or fine < LEAST_EXPONENT:
        return Held(Kind.DOUBLE, 0 if k % 2 == 0 else None, None)
    if k > 0 and k.denominator == 1 and k < 10:
        top = max(abs(end) for end in base.ends) ** int(k)
        least = base.ends[0] ** int(k) if base.ends[0] >= 0 else 0 if k % 2 == 0 else -top
        return over(Kind.DOUBLE, rounded((least, top)), max(fine, LEAST_EXPONENT))
    return Held(Kind.DOUBLE, 0 if k % 2 == 0 else -(2**size), 2**size, fine=max(fine, LEAST_EXPONENT))


def is_ordering(node: exp.Expr) -> bool:
    """Whether rows are ordered by it, or by what is mixed of it."""
    around = node.parent
    mixed = type(around) is exp.Anonymous and around.this == "HASH"
    return type(around) is exp.Ordered or (mixed and around is not None and type(around.parent) is exp.Ordered)


def _extreme_double(node: exp.Expr, at: Prover) -> Held:
    """FLOAT8LARGER(x, constant) and FLOAT8SMALLER(x, constant); a length of a text; what values are mixed to, whatever
    they are, for an order alone (`nodes`)."""
    require(node.name.upper() in at.engine.functions, f"function {node.name} is not one of the engine's")
    if node.name.upper() == "HASH":
        require(is_ordering(node), "HASH of anything but an order")
        for each in node.expressions:
            at(each)
        return Held(Kind.DECIMAL, 0, 2**64 - 1, 20)
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


def _summed(node: exp.Expr, at: Prover) -> Held:
    """Sums and means, of less than 2**63 rows."""
    inner = at(node.this)
    plain = type(node) is exp.Sum and (inner.kind in WHOLE or _is_small(inner))
    require(plain or not at.engine.sums_in, f"a sum of a {inner.kind.value}, or a mean")
    if at.engine.sums_in and inner.ends is not None and inner.kind is Kind.DECIMAL:
        least, most = (end * 2**63 for end in inner.ends)
        return Held(Kind.DECIMAL, min(least, 0), max(most, 0), MOST_DIGITS, inner.scale)
    if inner.kind in FLOATS:
        fits = inner.ends is not None and all(abs(end) <= 2**960 for end in inner.ends)
        require(fits or not at.engine.float_overflows, "a sum could overflow")
        return Held(Kind.DOUBLE)
    if type(node) is exp.Avg:
        scale = min(inner.scale + _MEAN_PLACES, FINEST_SCALE)
        kind, scale = (Kind.DECIMAL, scale) if at.engine.mean_is_decimal else (Kind.DOUBLE, 0)
        return Held(kind, inner.least, inner.most, 0, scale, nan=inner.nan)
    if inner.kind is Kind.DECIMAL:
        has_room = inner.digits and inner.digits - inner.scale + 19 <= MOST_DIGITS - inner.scale
        require(has_room or not at.engine.decimal_overflows, "a sum of decimals could overflow")
        ends = None if inner.ends is None else (inner.ends[0] * 2**63, inner.ends[1] * 2**63)
        digits = MOST_DIGITS if at.engine.decimal_overflows else inner.digits + 19
        digits = 0 if is_unlimited(inner) else digits
        return replace(over(Kind.DECIMAL, ends), digits=digits, scale=inner.scale, nan=inner.nan)
    return _whole_sum(inner, at.engine.sum_types.get(inner.kind), MOST_DIGITS if at.engine.decimal_overflows else 0)


def _is_small(inner: Held) -> bool:
    """Whether 2^63 such decimals have room in their own type, which has the most digits."""
    room = 10 ** (MOST_DIGITS - inner.scale)
    is_roomy = inner.kind is Kind.DECIMAL and inner.digits == MOST_DIGITS and inner.ends is not None
    return is_roomy and all(abs(end) << 63 < room for end in map(math.ceil, map(abs, inner.ends or ())))


def _whole_sum(inner: Held, kind: Kind | None, digits: int) -> Held:
    """In a wider type than the numbers have, or with room for 2**63 of them."""
    if kind is None:
        raise CheckFault(f"a sum of a {inner.kind.value}")
    if kind is Kind.DECIMAL:
        most = 2**126 if digits else 2**127  # 10^38 is less than the one
        return Held(kind, -most, most, digits)
    small = inner.ends is not None and all(abs(end) << 64 <= 1 << BITS[kind] for end in inner.ends)
    require(BITS.get(inner.kind, 0) < BITS[kind] or small, "a sum could overflow")
    return whole(kind)


FUNCTIONS = (
    ProvedFunction(exp.Floor, "floor", "this", _rounding, OPERANDS, 1),
    ProvedFunction(exp.Ceil, "ceil", "this", _rounding, OPERANDS, 1),
    ProvedFunction(exp.Round, "round", "this decimals", _rounding, OPERANDS, 5),
    ProvedFunction(exp.Trunc, "trunc", "this decimals", _rounding, OPERANDS, 5),
    ProvedFunction(exp.Sign, "sign", "this", _sign, OPERANDS, 1),
    ProvedFunction(exp.Sqrt, "sqrt", "this", _root, Family.FLOAT, 5),
    ProvedFunction(exp.Cbrt, "cbrt", "this", _cube_root, Family.FLOAT, 5),
    ProvedFunction(exp.Ln, "ln", "this", _logarithm, Family.FLOAT, 5),
    ProvedFunction(exp.Log, "log", "this expression", _logarithm, Family.FLOAT, 5),
    ProvedFunction(exp.Exp, "exp", "this", _exponential, Family.FLOAT, 5),
    ProvedFunction(exp.Sin, "sin", "this", _bounded(-1, 1, finite=True), Family.FLOAT, 5),
    ProvedFunction(exp.Cos, "cos", "this", _bounded(-1, 1, finite=True), Family.FLOAT, 5),
    ProvedFunction(exp.Atan2, "atan2", "this expression", _bounded(-4, 4, finite=False), Family.FLOAT, 5),
    ProvedFunction(exp.Pow, "power", "this expression", _power, Family.FLOAT, 5),
    ProvedFunction(exp.Anonymous, "", "this expressions", _extreme_double, None, 1),
)
AGGREGATES: Mapping[type[exp.Expr], Callable[[exp.Expr, Prover], Held]] = dict.fromkeys((exp.Sum, exp.Avg), _summed)
