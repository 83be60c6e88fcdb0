"""What is known of an expression over private rows: its type, its bounds, its values, and how the engine holds it.

Two kinds of bounds are kept apart. *Believed* ones (`interval`, `domain`, `nullable`) come from the owner's words and
the statement's conditions: they steer accuracy. *Proved* ones hold whatever the data is; that an expression cannot
raise leans on these alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.policy import TableColumn
from dpproxy.catalog.types import BOOLEAN, TIMESTAMP, Family, SqlType
from dpproxy.remembered import remembered
from dpproxy.rows import Value

EPOCH = date(1970, 1, 1)
MOST_DIGITS = 38
INTEGER_BITS = {"smallint": 15, "integer": 31, "bigint": 63}


@dataclass(frozen=True, slots=True)
class Interval:
    """A finite closed interval, exact. Dates are days and timestamps microseconds since 1970-01-01."""

    lower: Fraction
    upper: Fraction


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of an expression.

    type: what Postgres calls it. interval, domain, nullable: believed; domain is the finite set of its non-NULL values.
    proved: bounds that hold whatever the data is; a value with proved bounds is never NaN or infinite.
    private: whether it reads a private table. step: the natural grid of its values.
    carrier: the type in which the engine holds it, where that is not `type` (an `integer` sum is held as `bigint`).
    """

    type: SqlType
    interval: Interval | None
    proved: Interval | None
    domain: tuple[Value, ...] | None
    nullable: bool
    private: bool
    step: Decimal | None
    carrier: SqlType | None = None

    @property
    def engine(self) -> SqlType:
        """The type in which the engine holds it: of a moment, always the timestamp in UTC."""
        return self.carrier or (self.type if self.type.zone is None else TIMESTAMP)

    @property
    def scale(self) -> int | None:
        """Decimal places where the engine holds it exactly, None where it holds it as floating point or unknown."""
        match self.engine:
            case SqlType(name, ()) if name in INTEGER_BITS:
                return 0
            case SqlType("numeric", (digits, *places)) if digits <= MOST_DIGITS and sum(places) <= digits:
                return sum(places)
        return None


def is_unread(fact: Fact) -> bool:
    """Whether the engine reads alone whether values are there: of bytes, of arrays, of columns of intervals."""
    return fact.type.family in (Family.OPAQUE, Family.INTERVAL) and fact.engine == BOOLEAN


@dataclass(frozen=True, slots=True)
class Typed:
    """A total expression for the engine, in any dialect, and what is known of it."""

    sql: exp.Expression
    fact: Fact


Scope = Mapping[tuple[str, str], Typed]


def column_fact(column: TableColumn, private: bool) -> Fact:
    """What the policy says of a column; proved are only the limits of its type."""
    return Fact(
        type=column.type,
        interval=_believed(column),
        proved=proved_by_type(column.type),
        domain=_values(column),
        nullable=column.nullable,
        private=private,
        step=column.step or step_of_type(column.type),
    )


@remembered(1024)
def proved_by_type(type_: SqlType) -> Interval | None:
    """The limits of what a column of that type can hold, where it has finite ones."""
    if bits := INTEGER_BITS.get(type_.name):
        return Interval(Fraction(-(2**bits)), Fraction(2**bits - 1))
    match type_:
        case SqlType("numeric", (digits, *places)) if sum(places) <= digits:
            most = Fraction(10**digits - 1, 10 ** sum(places))
            return Interval(-most, most)
    return None


def step_of_type(type_: SqlType) -> Decimal | None:
    """1 for integers and 10**-s for numeric(p,s)."""
    match type_.family, type_.modifiers:
        case Family.INTEGER, _:
            return Decimal(1)
        case Family.NUMERIC, (_, *places):
            return Decimal(1).scaleb(-sum(places))
    return None


def exact(value: Value) -> Fraction | None:
    """The number that a value stands for in an `Interval`; None for text, booleans, uuid, NULL, NaN and infinities."""
    match value:
        case bool() | str() | None:
            return None
        case datetime():
            return Fraction((value - datetime(1970, 1, 1, tzinfo=value.tzinfo and UTC)) // timedelta(microseconds=1))
        case date():
            return Fraction((value - EPOCH).days)
        case int():
            return Fraction(value)
        case Decimal():
            return Fraction(value) if value.is_finite() else None
        case float():
            return Fraction(value) if value - value == 0 else None
    return None


def points(values: tuple[Value, ...] | None) -> Interval | None:
    """The hull of some values, where there are any and all are numbers."""
    numbers = [number for value in values or () if (number := exact(value)) is not None]
    return Interval(min(numbers), max(numbers)) if values and len(numbers) == len(values) else None


def _believed(column: TableColumn) -> Interval | None:
    return points(column.bounds) if column.bounds else points(_values(column))


def _values(column: TableColumn) -> tuple[Value, ...] | None:
    if column.values is None:
        return (False, True) if column.type.family is Family.BOOLEAN else None
    return tuple(value for value in column.values if value is not None)
