"""Arithmetic and functions of numbers: whole ones and decimals stay in their type's room, and what divides is not 0.

Where the engine's floating point raises, a result neither overflows nor underflows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.rewrite.checker import total_times
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.floats import FINEST, exponent_of, fine_of, in_range, rounded
from dpproxy.rewrite.checker.function import OPERANDS, ProvedFunction
from dpproxy.rewrite.checker.held import (
    BITS,
    FINEST_SCALE,
    FLOATS,
    MOST_DIGITS,
    NUMBERS,
    WHOLE,
    Ends,
    Held,
    Kind,
    Number,
    common_kind,
    digits_of,
    is_unlimited,
    over,
)
from dpproxy.rewrite.checker.prover import Prover
from dpproxy.rewrite.checker.syntax import bare

_SHORT, _LAST_PLACES, _ROOM = 18, 53, 10**1000


def _add(left: Ends, right: Ends) -> Ends:
    return left[0] + right[0], left[1] + right[1]


def _subtract(left: Ends, right: Ends) -> Ends:
    return left[0] - right[1], left[1] - right[0]


def _multiply(left: Ends, right: Ends) -> Ends:
    products = [a * b for a in left for b in right]
    return min(products), max(products)


_ENDS: Mapping[type[exp.Expr], Callable[[Ends, Ends], Ends]] = {exp.Add: _add, exp.Sub: _subtract, exp.Mul: _multiply}


def _arithmetic(node: exp.Expr, at: Prover) -> Held:
    """+ - *"""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    if not (left.kind in NUMBERS and right.kind in NUMBERS):
        return total_times.moved(node, left, right, at)
    ends = None if left.ends is None or right.ends is None else _ENDS[type(node)](left.ends, right.ends)
    kind = common_kind(left, right)
    if kind in FLOATS:
        beside = at.engine.decimals_beside_floats or Kind.DECIMAL not in (left.kind, right.kind)
        require(beside, "a decimal beside floating point")
        return _float(node, left, right, kind, ends, at)
    if ends is None:
        raise CheckFault(f"{type(node).__name__} of numbers of no known range")
    if kind is Kind.DECIMAL:
        return _decimal(node, left, right, ends, at)
    return _whole(left, right, ends)


def _whole(left: Held, right: Held, ends: Ends) -> Held:
    """Integers: in the wider of the types of both; a number as written takes the other's."""
    kinds = [side.kind for side in (left, right) if not side.written] or [Kind.INTEGER]
    kind = max(kinds, key=lambda each: BITS[each])
    room = 1 << BITS[kind]
    require(-room <= ends[0] and ends[1] < room, f"{kind.value} arithmetic could overflow")
    return Held(kind, *ends)


def _decimal(node: exp.Expr, left: Held, right: Held, ends: Ends, at: Prover) -> Held:
    """DuckDB gives two of up to 18 digits no more than 18, and any others 38; Postgres has room for 10^131072."""
    require(all(abs(end) < _ROOM for end in ends), "a decimal could overflow")
    if at.engine.decimal_without_limits and (is_unlimited(left) or is_unlimited(right)):
        finest = left.scale + right.scale if type(node) is exp.Mul else max(left.scale, right.scale)
        return Held(Kind.DECIMAL, *ends, 0, min(finest, FINEST_SCALE), nan=left.nan or right.nan)
    (before, after), (before_too, after_too) = digits_of(left), digits_of(right)
    sides = before + after, before_too + after_too
    scale = after + after_too if type(node) is exp.Mul else max(after, after_too)
    limit = _SHORT if max(sides) <= _SHORT else MOST_DIGITS
    if at.engine.decimal_overflows:
        room = 10 ** (limit - scale) if scale <= limit else 0
        operands = () if type(node) is exp.Mul else (*(left.ends or ()), *(right.ends or ()))
        require(all(abs(end) < room for end in (*ends, *operands)), "a decimal could overflow")
    known = sum(sides) if type(node) is exp.Mul else max(before, before_too) + scale + 1
    digits = min(known, limit) if at.engine.decimal_overflows else known
    return Held(Kind.DECIMAL, *ends, digits, scale, nan=left.nan or right.nan)


def _float(node: exp.Expr, left: Held, right: Held, kind: Kind, ends: Ends | None, at: Prover) -> Held:
    fine = (
        fine_of(left) + fine_of(right) if type(node) is exp.Mul else min(fine_of(left), fine_of(right)) - _LAST_PLACES
    )
    grid = _grid(node) if type(node) is exp.Sub else None
    if grid is not None:
        return _on_grid(at(bare(node.this).this), grid, kind)
    if at.engine.float_overflows:
        in_range(kind, (0, 0) if _keeps(node, left, right, kind) else ends)
        require(type(node) is not exp.Mul or fine >= FINEST[kind], "a product could underflow")
    return over(kind, rounded(ends, kind), max(fine, FINEST[kind]))


def _grid(node: exp.Expr) -> int | None:
    """(x + c) - c rounds x to the last place of the constant c; what is larger than half of c is no less than that."""
    inner, constant = bare(node.this), bare(node.expression)
    number = constant.this if type(constant) is exp.Cast else None
    if type(inner) is not exp.Add or bare(inner.expression) != constant or type(number) is not exp.Literal:
        return None
    return math.frexp(float(number.name))[1] - 1 - 52


def _on_grid(held: Held, grid: int, kind: Kind) -> Held:
    """Rounded to a multiple of 2**grid, on the same side of 0."""
    step = Fraction(2) ** grid
    least = (
        None
        if held.least is None
        else held.least * (1 - Fraction(1, 2**51))
        if held.least >= 0
        else held.least * (1 + Fraction(1, 2**51)) - step
    )
    if held.least is not None and 0 <= held.least < step:
        least = 0
    most = None if held.most is None else held.most + abs(held.most) / 2**51 + step
    return Held(kind, least, most, fine=max(fine_of(held), grid), pattern=held.pattern)


def _keeps(node: exp.Expr, left: Held, right: Held, kind: Kind) -> bool:
    """Whether a result is no larger than a side, or just a little: then it is infinite only if that was."""
    if kind is not Kind.DOUBLE:
        return False
    small = 1 if type(node) is exp.Mul else 2**968
    return any(side.ends is not None and all(abs(end) <= small for end in side.ends) for side in (left, right))


def _negated(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    if inner.kind in WHOLE and not inner.written:
        require(inner.least is not None and inner.least > -(1 << BITS[inner.kind]), "a sign could overflow")
    least = None if inner.most is None else -inner.most
    most = None if inner.least is None else -inner.least
    if inner.most is None:
        return replace(inner, least=None, most=None)
    return replace(inner, least=least, most=most)


def _absolute(node: exp.Expr, at: Prover) -> Held:
    inner = at(node.this)
    if inner.kind in WHOLE:
        require(inner.least is not None and inner.least > -(1 << BITS[inner.kind]), "ABS could overflow")
    most = None if inner.ends is None else max(abs(end) for end in inner.ends)
    least: Number = 0 if inner.ends is None or inner.ends[0] <= 0 <= inner.ends[1] else min(abs(e) for e in inner.ends)
    return replace(inner, least=least, most=most)


def _divided(node: exp.Expr, at: Prover) -> Held:
    """a / b: floating point, or of the type of its sides."""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    require(left.kind in NUMBERS and right.kind in NUMBERS, "a division of what is no number")
    require(right.apart, "a division by what could be 0")
    if at.engine.zero_has_a_sign and right.kind in FLOATS:
        require(_has_no_sign(node.expression, right), "a division by what could be -0.0")
    if at.engine.division_is_float:
        known = at.engine.decimals_are_divided or Kind.DECIMAL not in (left.kind, right.kind)
        require(known, "a quotient of decimals, of which nothing is known")
        return over(Kind.DOUBLE, rounded(_quotient(left, right)))
    kind = common_kind(left, right)
    if kind in WHOLE:
        return _cut(left, right, kind)
    if kind is Kind.DECIMAL:
        require(left.ends is not None and right.ends is not None, "a quotient of numbers of no known range")
        return Held(kind, scale=FINEST_SCALE, nan=True)
    fine = fine_of(left) - exponent_of(right)
    size = None if left.ends is None else max(abs(end) for end in left.ends)
    largest = None if size is None else size / Fraction(2) ** fine_of(right)
    if fine_of(right) < 0:
        in_range(kind, None if largest is None else (-largest, largest))
    require(fine >= FINEST[kind], "a quotient could underflow")
    ends = _quotient(left, right) or (None if largest is None else (-largest, largest))
    return over(kind, rounded(ends), max(fine, FINEST[kind]))


def _has_no_sign(divisor: exp.Expr, held: Held) -> bool:
    """Whether it is NULLIF(x + 0.0, 0), in which no zero has a sign, or proved to be apart from both zeros."""
    inner = bare(divisor)
    if held.ends is not None and not held.ends[0] <= 0 <= held.ends[1]:
        return True
    added = bare(inner.this) if type(inner) is exp.Nullif else None
    zero = bare(added.expression) if type(added) is exp.Add else None
    return type(zero) is exp.Cast and type(zero.this) is exp.Literal and zero.this.name == "0.0"


def _quotient(left: Held, right: Held) -> Ends | None:
    if left.ends is None or right.ends is None or right.ends[0] <= 0 <= right.ends[1]:
        return None
    return _multiply(left.ends, (1 / Fraction(right.ends[1]), 1 / Fraction(right.ends[0])))


def _cut(left: Held, right: Held, kind: Kind) -> Held:
    """A whole quotient: the least number by -1 has no room."""
    require(left.ends is not None and right.ends is not None, "a quotient of numbers of no known range")
    assert left.ends is not None and right.ends is not None
    tight = left.ends[0] <= -(1 << BITS[kind]) and right.ends[0] <= -1 <= right.ends[1]
    require(not tight, "a whole quotient could overflow")
    if right.ends[0] > 0:
        low, high = right.ends
        least, most = Fraction(left.ends[0]), Fraction(left.ends[1])
        return Held(
            kind, math.floor(least / (low if least < 0 else high)), math.ceil(most / (low if most > 0 else high))
        )
    size = max(abs(end) for end in left.ends)
    return Held(kind, -size if left.ends[0] < 0 or right.ends[0] < 0 else 0, size)


def _whole_quotient(node: exp.Expr, at: Prover) -> Held:
    """a // b in DuckDB."""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    kind = common_kind(left, right)
    require(right.apart, "a division by what could be 0")
    return _cut(left, right, kind) if kind in WHOLE else Held(Kind.DOUBLE)


def _modulo(node: exp.Expr, at: Prover) -> Held:
    """a % b: no larger than b, nor than a, with the sign of a."""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    require(right.apart, "a rest of a division by what could be 0")
    signed = at.engine.zero_has_a_sign and right.kind in FLOATS
    require(not signed or _has_no_sign(node.expression, right), "a rest of a division by what could be -0.0")
    kind = common_kind(left, right)
    if left.ends is None or right.ends is None:
        require(kind in FLOATS and at.engine.float_has_modulo, "a rest of numbers of no known range")
        return Held(kind)
    if kind in WHOLE and at.engine.whole_modulo_overflows:
        _cut(left, right, kind)
    size = min(max(abs(end) for end in ends) for ends in (left.ends, right.ends))
    found = Held(kind, -size if left.ends[0] < 0 else 0, size if left.ends[1] > 0 else 0, nan=left.nan or right.nan)
    if kind is not Kind.DECIMAL:
        return found
    (before, after), (before_too, after_too) = digits_of(left), digits_of(right)
    fits = max(before, before_too) + max(after, after_too) <= MOST_DIGITS
    require(fits or not at.engine.decimal_overflows, "a decimal could overflow")
    digits = max(before, before_too) + max(after, after_too)
    return replace(
        found, digits=min(digits, MOST_DIGITS) if at.engine.decimal_overflows else digits, scale=max(after, after_too)
    )


FUNCTIONS = (
    ProvedFunction(exp.Add, "", "this expression", _arithmetic, OPERANDS, 1),
    ProvedFunction(exp.Sub, "", "this expression", _arithmetic, OPERANDS, 1),
    ProvedFunction(exp.Mul, "", "this expression", _arithmetic, OPERANDS, 1),
    ProvedFunction(exp.Neg, "", "this", _negated, OPERANDS, 1),
    ProvedFunction(exp.Abs, "abs", "this", _absolute, OPERANDS, 1),
    ProvedFunction(exp.Div, "", "this expression typed safe", _divided, OPERANDS, 1),
    ProvedFunction(exp.IntDiv, "", "this expression", _whole_quotient, OPERANDS, 1),
    ProvedFunction(exp.Mod, "", "this expression", _modulo, OPERANDS, 1),
)
