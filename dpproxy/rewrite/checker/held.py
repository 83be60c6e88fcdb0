"""How an engine holds a value, and between which numbers it lies: what is proved of each part of an expression.

Dates and times are numbers here too: days, and microseconds, since the year 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import Any

from sqlglot import exp

from dpproxy.remembered import remembered
from dpproxy.rewrite.checker.fault import require

Number = Any
"""A whole number or a Fraction: exact."""
Ends = tuple[Number, Number]
LEAST_EXPONENT, LEAST_OF_REAL = -1074, -149
"""Of the least double, and the least real, as powers of two."""
MOST_DIGITS = 38
FINEST_SCALE = 16_383
"""Digits after the point that a numeric of Postgres may have where no type limits it."""


class Kind(Enum):
    """The types of both engines, as far as it matters for what raises."""

    TINYINT = "tinyint"
    SMALLINT = "smallint"
    INTEGER = "integer"
    BIGINT = "bigint"
    HUGEINT = "hugeint"
    DECIMAL = "decimal"
    REAL = "real"
    DOUBLE = "double"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    INTERVAL = "interval"
    UUID = "uuid"
    TIME = "time"
    INSTANT = "timestamp with time zone"
    FOREIGN = "value of a type that nothing is known of"
    NOTHING = "null"


REALS = "values of a real"
"""In place of a pattern: what a real holds fits into one again."""
BITS = {Kind.TINYINT: 7, Kind.SMALLINT: 15, Kind.INTEGER: 31, Kind.BIGINT: 63, Kind.HUGEINT: 127}
WHOLE = tuple(BITS)
FLOATS = (Kind.REAL, Kind.DOUBLE)
NUMBERS = (*WHOLE, Kind.DECIMAL, *FLOATS)
_DIGITS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INTEGER: 10, Kind.BIGINT: 19, Kind.HUGEINT: 38}
_TYPE = exp.DataType.Type
_OF_TYPE = {
    _TYPE.SMALLINT: Kind.SMALLINT,
    _TYPE.INT: Kind.INTEGER,
    _TYPE.BIGINT: Kind.BIGINT,
    _TYPE.INT128: Kind.HUGEINT,
    _TYPE.DECIMAL: Kind.DECIMAL,
    _TYPE.FLOAT: Kind.REAL,
    _TYPE.DOUBLE: Kind.DOUBLE,
    _TYPE.TEXT: Kind.TEXT,
    _TYPE.VARCHAR: Kind.TEXT,
    _TYPE.BOOLEAN: Kind.BOOLEAN,
    _TYPE.DATE: Kind.DATE,
    _TYPE.TIMESTAMP: Kind.TIMESTAMP,
    _TYPE.TIMESTAMPNTZ: Kind.TIMESTAMP,
    _TYPE.UUID: Kind.UUID,
    _TYPE.TIME: Kind.TIME,
}


@dataclass(frozen=True, slots=True)
class Held:
    """NULL, or a value of `kind` from `least` to `most`; None: no end is known, and it may be NaN without a `most`.

    digits, scale: of a decimal, 0 digits where they are not limited; behind its point it has `scale` at most. fine: a
    floating-point number is 0, or at least 2**fine in size. nonzero: it is not 0. written: it is a number as written,
    which takes the type of what is beside it. pattern: a text that it matched. nan: a decimal may be NaN too, which is
    above all others.
    """

    kind: Kind
    least: Number | None = None
    most: Number | None = None
    digits: int = 0
    scale: int = 0
    fine: int = LEAST_EXPONENT
    nonzero: bool = False
    written: bool = False
    pattern: str = ""
    nan: bool = False

    @property
    def ends(self) -> Ends | None:
        """Both ends, where both are known."""
        return None if self.least is None or self.most is None else (self.least, self.most)

    @property
    def apart(self) -> bool:
        """Whether it is proved not to be 0."""
        return self.nonzero or (self.least or 0) > 0 or (self.most is not None and self.most < 0)

    def within(self, least: Number | None, most: Number | None) -> Held:
        """The same, which does not pass these ends either."""
        lower = self.least if least is None or (self.least is not None and self.least > least) else least
        upper = self.most if most is None or (self.most is not None and self.most < most) else most
        if lower is not None and upper is not None and lower > upper:
            return replace(self, least=1, most=1, nonzero=True, nan=False)  # no value is left: of none all is true
        nan = self.nan and most is None
        if lower is self.least and upper is self.most and nan is self.nan:
            return self
        return replace(self, least=lower, most=upper, nan=nan)


def whole(kind: Kind) -> Held:
    """Any number of an integer type."""
    return Held(kind, -(1 << BITS[kind]), (1 << BITS[kind]) - 1)


def over(kind: Kind, ends: Ends | None, fine: int = LEAST_EXPONENT) -> Held:
    """A value between two ends, if they are known."""
    least, most = ends or (None, None)
    return Held(kind, least, most, fine=fine)


@remembered(64)
def any_of(kind: Kind) -> Held:
    """Any value of a kind."""
    if kind in BITS:
        return whole(kind)
    if kind is Kind.REAL:
        return Held(kind, fine=LEAST_OF_REAL, pattern=REALS)
    return Held(kind, scale=FINEST_SCALE if kind is Kind.DECIMAL else 0)


def of_type(type_: exp.Expr) -> Held | None:
    """Any value of a type that is written in a text."""
    kind = _OF_TYPE.get(type_.this)
    if kind is not Kind.DECIMAL or not type_.expressions:
        return None if kind is None else any_of(kind)
    numbers = [each.name for each in type_.expressions]
    require(all(each.isdecimal() for each in numbers), "a type whose digits are no numbers")
    digits, scale = (*map(int, numbers), 0)[:2]
    return decimal(digits, scale)


@remembered(1024)
def decimal(digits: int, scale: int) -> Held:
    """Any decimal of so many digits."""
    most = Fraction(10**digits - 1, 10**scale)
    return Held(Kind.DECIMAL, -most, most, digits, scale)


def digits_of(held: Held) -> tuple[int, int]:
    """Digits before the point, and after it, of the decimal that a number is held as beside another one."""
    if held.kind is Kind.DECIMAL:
        return (held.digits or MOST_DIGITS) - held.scale, held.scale
    if held.written and held.most is not None:
        return len(str(abs(int(held.most)))), 0
    return _DIGITS[held.kind], 0


def is_unlimited(held: Held) -> bool:
    """Whether it is a decimal of as many digits as Postgres has."""
    return held.kind is Kind.DECIMAL and not held.digits


def hull(left: Held, right: Held) -> Held:
    """Either of two values of one kind."""
    if Kind.NOTHING in (left.kind, right.kind):
        return right if left.kind is Kind.NOTHING else left
    least = None if left.least is None or right.least is None else min(left.least, right.least)
    most = None if left.most is None or right.most is None else max(left.most, right.most)
    limited = _decimals(left, right) and not (is_unlimited(left) or is_unlimited(right))
    before = max(digits_of(left)[0], digits_of(right)[0]) if limited else 0
    return Held(
        left.kind if left.kind is right.kind else common_kind(left, right),
        least,
        most,
        before and before + max(left.scale, right.scale),
        max(left.scale, right.scale),
        min(left.fine, right.fine) if _floats(left, right) else LEAST_EXPONENT,
        left.apart and right.apart,
        left.written and right.written,
        left.pattern if left.pattern == right.pattern else "",
        left.nan or right.nan,
    )


def _decimals(*sides: Held) -> bool:
    return (
        Kind.DECIMAL in [side.kind for side in sides] and not _floats(*sides) and all(s.kind in NUMBERS for s in sides)
    )


def _floats(*sides: Held) -> bool:
    return any(side.kind in FLOATS for side in sides)


def common_kind(left: Held, right: Held) -> Kind:
    """The kind of either of two values: numbers as the wider one, dates as times; a text as written as the other."""
    for kinds in (
        (Kind.DOUBLE, Kind.REAL, Kind.DECIMAL, *reversed(WHOLE)),
        _TIMES,
    ):
        if left.kind in kinds and right.kind in kinds:
            return next(kind for kind in kinds if kind in (left.kind, right.kind))
    if left.kind is Kind.TEXT and left.written:
        return right.kind
    return left.kind


_TIMES = (Kind.TIMESTAMP, Kind.DATE)
