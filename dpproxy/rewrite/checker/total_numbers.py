"""Arithmetic and functions of numbers: whole ones and decimals stay in their type's room, and what divides is not 0.

DuckDB's floating point raises for nothing but logarithms, roots and casts. That of Postgres raises where a result
overflows or underflows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sqlglot import exp

from dpproxy.rewrite.checker import total_times
from dpproxy.rewrite.checker.fault import CheckFault, require
from dpproxy.rewrite.checker.syntax import bare
from dpproxy.rewrite.checker.held import BITS, FLOATS, LEAST_EXPONENT, MOST_DIGITS, NUMBERS, WHOLE, Held, Kind, Number, any_of, common_kind, digits_of, whole

if TYPE_CHECKING:
    from dpproxy.rewrite.checker.total import Total

Ends = tuple[Number, Number]
_LARGEST = {Kind.DOUBLE: Fraction(2**1023), Kind.REAL: Fraction(2**127)}
_FINEST = {Kind.DOUBLE: LEAST_EXPONENT, Kind.REAL: -149}
_SHORT, _LAST_PLACES = 18, 53


def written(text: str) -> Held:
    """A number as written."""
    digits = text.replace(".", "", 1)
    if not digits.isdecimal() or len(digits) > MOST_DIGITS:
        return real(Fraction(text))
    value = Fraction(text)
    if "." in text:
        return Held(Kind.DECIMAL, value, value, len(digits), len(text.partition(".")[2]), written=True)
    number = int(text)
    kind = next((kind for kind in WHOLE[1:] if number < 1 << BITS[kind]), Kind.HUGEINT)
    return Held(kind, number, number, written=True)


def real(value: Fraction) -> Held:
    """A floating-point constant."""
    fine = math.frexp(float(value))[1] - 1 if value else 0
    return Held(Kind.DOUBLE, value, value, fine=fine, written=True)


def _add(left: Ends, right: Ends) -> Ends:
    return left[0] + right[0], left[1] + right[1]


def _subtract(left: Ends, right: Ends) -> Ends:
    return left[0] - right[1], left[1] - right[0]


def _multiply(left: Ends, right: Ends) -> Ends:
    products = [a * b for a in left for b in right]
    return min(products), max(products)


_ENDS: Mapping[type[exp.Expr], Callable[[Ends, Ends], Ends]] = {exp.Add: _add, exp.Sub: _subtract, exp.Mul: _multiply}


def _arithmetic(node: exp.Expr, at: Total) -> Held:
    """+ - *"""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    if not (left.kind in NUMBERS and right.kind in NUMBERS):
        return total_times.moved(node, left, right)
    ends = None if left.ends is None or right.ends is None else _ENDS[type(node)](left.ends, right.ends)
    kind = common_kind(left, right)
    if kind in FLOATS:
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


def _decimal(node: exp.Expr, left: Held, right: Held, ends: Ends, at: Total) -> Held:
    """Decimals: DuckDB gives two of up to 18 digits no more than 18, and any others 38."""
    (before, after), (before_too, after_too) = digits_of(left), digits_of(right)
    digits, digits_too = before + after, before_too + after_too
    scale = after + after_too if type(node) is exp.Mul else max(after, after_too)
    limit = _SHORT if max(digits, digits_too) <= _SHORT else MOST_DIGITS
    if not at.postgres:
        room = 10 ** (limit - scale) if scale <= limit else 0
        sides = () if type(node) is exp.Mul else (*(left.ends or ()), *(right.ends or ()))
        require(all(abs(end) < room for end in (*ends, *sides)), "a decimal could overflow")
    known = digits + digits_too if type(node) is exp.Mul else max(before, before_too) + scale + 1
    return Held(Kind.DECIMAL, *ends, min(known, limit), scale, nan=left.nan or right.nan)


def _float(node: exp.Expr, left: Held, right: Held, kind: Kind, ends: Ends | None, at: Total) -> Held:
    fine = _fine_of(left) + _fine_of(right) if type(node) is exp.Mul else min(_fine_of(left), _fine_of(right)) - _LAST_PLACES
    if type(node) is exp.Sub and (grid := _grid(node)) is not None:
        fine = max(_fine_of(at(bare(node.this).this)), grid)
    if at.postgres:
        _in_range(kind, (0, 0) if _keeps(node, left, right, kind) else ends)
        require(type(node) is not exp.Mul or fine >= _FINEST[kind], "a product could underflow")
    return Held(kind, *(_rounded(ends, kind) or (None, None)), fine=max(fine, _FINEST[kind]))


def _grid(node: exp.Expr) -> int | None:
    """(x + c) - c rounds x to the last place of the constant c; what is larger than half of c is no less than that."""
    inner, constant = bare(node.this), bare(node.expression)
    number = constant.this if type(constant) is exp.Cast else None
    if type(inner) is not exp.Add or bare(inner.expression) != constant or type(number) is not exp.Literal:
        return None
    return math.frexp(float(number.name))[1] - 1 - 52


def _keeps(node: exp.Expr, left: Held, right: Held, kind: Kind) -> bool:
    """Whether a result is no larger than a side, or just a little: then it is infinite only if that was."""
    if kind is not Kind.DOUBLE:
        return False
    small = 1 if type(node) is exp.Mul else 2**968
    return any(side.ends is not None and all(abs(end) <= small for end in side.ends) for side in (left, right))


def _fine_of(held: Held) -> int:
    """The exponent of the least size that it has, if it is not 0, as a floating-point number."""
    if held.kind in FLOATS:
        ends = held.ends
        if ends is not None and (ends[0] > 0 or ends[1] < 0):
            return max(held.fine, math.frexp(float(min(abs(ends[0]), abs(ends[1]))))[1] - 1)
        return held.fine
    return 0 if not held.scale else -math.ceil(held.scale * math.log2(10)) - 1


def _in_range(kind: Kind, ends: Ends | None) -> None:
    fits = ends is not None and all(abs(end) <= _LARGEST[kind] for end in ends)
    require(fits, "floating point could overflow")


def _rounded(ends: Ends | None, kind: Kind = Kind.DOUBLE) -> Ends | None:
    """A little wider, for each rounding; None where it could be infinite."""
    if ends is None or any(abs(end) > _LARGEST[Kind.DOUBLE] for end in ends):
        return None
    least, most, by = Fraction(ends[0]), Fraction(ends[1]), Fraction(1, 2**22 if kind is Kind.REAL else 2**51)
    return least - abs(least) * by, most + abs(most) * by


def _negated(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    if inner.kind in WHOLE and not inner.written:
        require(inner.least is not None and inner.least > -(1 << BITS[inner.kind]), "a sign could overflow")
    least = None if inner.most is None else -inner.most
    most = None if inner.least is None else -inner.least
    if inner.most is None:
        return replace(inner, least=None, most=None)
    return replace(inner, least=least, most=most)


def _absolute(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    if inner.kind in WHOLE:
        require(inner.least is not None and inner.least > -(1 << BITS[inner.kind]), "ABS could overflow")
    most = None if inner.ends is None else max(abs(end) for end in inner.ends)
    least: Number = 0 if inner.ends is None or inner.ends[0] <= 0 <= inner.ends[1] else min(abs(e) for e in inner.ends)
    return replace(inner, least=least, most=most)


def _divided(node: exp.Expr, at: Total) -> Held:
    """a / b: of whole numbers cut off before Postgres, and floating point in DuckDB, where x / 0 is NULL."""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    require(left.kind in NUMBERS and right.kind in NUMBERS, "a division of what is no number")
    if not at.postgres:
        return Held(Kind.DOUBLE, *(_rounded(_quotient(left, right)) or (None, None)))
    require(right.apart, "a division by what could be 0")
    kind = common_kind(left, right)
    if kind in WHOLE:
        return _cut(left, right, kind)
    if kind is Kind.DECIMAL:
        require(left.ends is not None and right.ends is not None, "a quotient of numbers of no known range")
        return Held(kind, nan=True)
    fine = _fine_of(left) - _exponent(right)
    size = None if left.ends is None else max(abs(end) for end in left.ends)
    largest = None if size is None else size / Fraction(2) ** _fine_of(right)
    if _fine_of(right) < 0:
        _in_range(kind, None if largest is None else (-largest, largest))
    require(fine >= _FINEST[kind], "a quotient could underflow")
    return Held(kind, *(_rounded(_quotient(left, right) or (-(largest or 0), largest or 0)) or (None, None)), fine=max(fine, _FINEST[kind]))


def _exponent(held: Held) -> int:
    """An exponent of two that is no less than its size; beyond all others where that is not known."""
    if held.ends is None:
        return 4096
    size = max(abs(end) for end in held.ends)
    if size > _LARGEST[Kind.DOUBLE]:
        return 1024
    most, exponent = math.frexp(math.nextafter(float(size), math.inf) if float(size) < size else float(size))
    return exponent - (most == 0.5)


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
        return Held(kind, math.floor(least / (low if least < 0 else high)), math.ceil(most / (low if most > 0 else high)))
    size = max(abs(end) for end in left.ends)
    return Held(kind, -size if left.ends[0] < 0 or right.ends[0] < 0 else 0, size)


def _whole_quotient(node: exp.Expr, at: Total) -> Held:
    """a // b in DuckDB, NULL by 0."""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    kind = common_kind(left, right)
    require(not at.postgres or right.apart, "a division by what could be 0")
    return _cut(left, right, kind) if kind in WHOLE else Held(Kind.DOUBLE)


def _modulo(node: exp.Expr, at: Total) -> Held:
    """a % b, NULL by 0 in DuckDB: no larger than b, nor than a, with the sign of a."""
    left, right = at(node.this), at(node.expression)
    if Kind.NOTHING in (left.kind, right.kind):
        return Held(Kind.NOTHING)
    require(not at.postgres or right.apart, "a rest of a division by what could be 0")
    kind = common_kind(left, right)
    if left.ends is None or right.ends is None:
        require(kind in FLOATS and not at.postgres, "a rest of numbers of no known range")
        return Held(kind)
    if kind in WHOLE and not at.postgres:
        _cut(left, right, kind)
    size = min(max(abs(end) for end in ends) for ends in (left.ends, right.ends))
    found = Held(kind, -size if left.ends[0] < 0 else 0, size if left.ends[1] > 0 else 0, nan=left.nan or right.nan)
    if kind is not Kind.DECIMAL:
        return found
    (before, after), (before_too, after_too) = digits_of(left), digits_of(right)
    require(at.postgres or max(before, before_too) + max(after, after_too) <= MOST_DIGITS, "a decimal could overflow")
    return replace(found, digits=min(max(before, before_too) + max(after, after_too), MOST_DIGITS), scale=max(after, after_too))


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
    if inner.kind in WHOLE:
        room = 1 << BITS[inner.kind]
        require(count >= 0 or (-room <= least and most < room), "a rounding could overflow")
    fine = max(0, inner.fine) if count <= 0 else inner.fine
    digits = min(max(len(str(int(max(abs(least), abs(most))))) + max(count, 0), 1), MOST_DIGITS) if inner.kind is Kind.DECIMAL else 0
    return Held(inner.kind, least, most, digits, min(max(count, 0), inner.scale) if not at.postgres else max(count, 0), fine, nan=inner.nan)


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
    return Held(Kind.DOUBLE, *(ends or (None, None)), fine=LEAST_EXPONENT // 2)


def _logarithm(node: exp.Expr, at: Total) -> Held:
    """LN(x), LOG(x), LOG(b, x) of what is more than 0."""
    for name in ("this", "expression"):
        if node.args.get(name) is not None:
            inner = at(node.args[name])
            positive = inner.least is not None and (inner.least > 0 or (inner.least == 0 and inner.nonzero))
            require(positive, "a logarithm of what could be 0 or less")
    if type(node) is not exp.Ln or inner.ends is None or inner.ends[0] < Fraction(1, 2**1000) or inner.ends[1] > 2**1000:
        return Held(Kind.DOUBLE, -800, None if inner.most is None else 800, fine=-60)
    return Held(Kind.DOUBLE, *(_rounded((Fraction(math.log(inner.ends[0])), Fraction(math.log(inner.ends[1])))) or ()), fine=-60)


def _exponential(node: exp.Expr, at: Total) -> Held:
    inner = at(node.this)
    if at.postgres:
        require(inner.ends is not None and inner.ends[0] >= -740 and inner.ends[1] < 709.79, "EXP could leave its range")
    if inner.most is None or inner.most > 709:
        return Held(Kind.DOUBLE, 0, 2**1024 if at.postgres else None)
    return Held(Kind.DOUBLE, 0, Fraction(math.exp(float(inner.most))) * 2)


def _power(node: exp.Expr, at: Total) -> Held:
    """x ^ k of a constant k."""
    base, power = at(node.this), at(node.expression)
    if not at.postgres and (power.ends is None or power.least != power.most or base.ends is None or (power.least or 0) < 0):
        return Held(Kind.DOUBLE)
    require(power.ends is not None and power.least == power.most, "a power that is not constant")
    k = Fraction(power.least or 0)
    require(not at.postgres or k.denominator == 1 or (base.least is not None and base.least >= 0), "a power of what could be less than 0")
    require(k >= 0 or base.apart, "a power of what could be 0")
    require(k == 0 or base.ends is not None, "a power of a number of no known range")
    if k == 0 or base.ends is None:
        return Held(Kind.DOUBLE, 0, 1, fine=0)
    high, low = (_exponent(base), _fine_of(base)) if k > 0 else (-_fine_of(base), -_exponent(base))
    size, fine = math.ceil(high * abs(k)) if high > 0 else 0, math.floor(low * abs(k)) - 1 if low < 0 else 0
    require(not at.postgres or (size <= 1024 and fine >= LEAST_EXPONENT - 1), "a power could leave its range")
    if size > 1023 or fine < LEAST_EXPONENT:
        return Held(Kind.DOUBLE, 0 if k % 2 == 0 else None, None)
    if k > 0 and k.denominator == 1 and k < 10:
        top = max(abs(end) for end in base.ends) ** int(k)
        return Held(Kind.DOUBLE, *(_rounded((0 if k % 2 == 0 or base.ends[0] >= 0 else -top, top)) or (None, None)), fine=max(fine, LEAST_EXPONENT))
    return Held(Kind.DOUBLE, 0 if k % 2 == 0 else -(2**size), 2**size, fine=max(fine, LEAST_EXPONENT))


def _extreme_double(node: exp.Expr, at: Total) -> Held:
    """FLOAT8LARGER(x, constant) and FLOAT8SMALLER(x, constant); a length of a text."""
    if node.name.upper() == "OCTET_LENGTH":
        at(node.expressions[0])
        return whole(Kind.INTEGER).within(0, None)
    inner, end = (at(each) for each in node.expressions)
    fine = min(_fine_of(inner), _fine_of(end))
    larger = node.name.upper() == "FLOAT8LARGER"
    least = end.least if larger and (inner.least is None or (end.least or 0) > inner.least) else inner.least
    most = end.most if not larger and (inner.most is None or (end.most or 0) < inner.most) else inner.most
    return Held(Kind.DOUBLE, least, most, fine=fine)


def _summed(node: exp.Expr, at: Total) -> Held:
    """Sums and means, of less than 2**63 rows."""
    inner = at(node.this)
    if inner.kind in FLOATS:
        require(not at.postgres or (inner.ends is not None and all(abs(end) <= 2**960 for end in inner.ends)), "a sum could overflow")
        return Held(Kind.DOUBLE)
    if type(node) is exp.Avg:
        return Held(Kind.DECIMAL if at.postgres else Kind.DOUBLE, inner.least, inner.most, nan=inner.nan)
    if inner.kind is Kind.DECIMAL:
        fits = at.postgres or (inner.digits and inner.digits - inner.scale + 19 <= MOST_DIGITS - inner.scale)
        require(fits, "a sum of decimals could overflow")
        return Held(Kind.DECIMAL, *((None, None) if inner.ends is None else (inner.ends[0] * 2**63, inner.ends[1] * 2**63)), MOST_DIGITS, inner.scale, nan=inner.nan)
    require(at.postgres or inner.kind is not Kind.HUGEINT or _is_small(inner), "a sum could overflow")
    if at.postgres and BITS.get(inner.kind, 0) < 63:
        return whole(Kind.BIGINT)
    return whole(Kind.HUGEINT) if not at.postgres else Held(Kind.DECIMAL, -(2**127), 2**127)


def _is_small(held: Held) -> bool:
    return held.ends is not None and all(abs(end) <= 2**63 for end in held.ends)


RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Total], Held]] = {
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul), _arithmetic),
    exp.Neg: _negated,
    exp.Abs: _absolute,
    exp.Div: _divided,
    exp.IntDiv: _whole_quotient,
    exp.Mod: _modulo,
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
