"""Bounds and values of a column, as its type has them."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal
from typing import Any, assert_never
from uuid import UUID

from dpproxy.catalog.types import Family, SqlType
from dpproxy.config.field_types import exact
from dpproxy.rows import Value

_BITS = {"smallint": 15, "integer": 31, "bigint": 63}
_MOST = Decimal("1e38")  # the widest exact number that all engines have
_WIDE = Context(prec=120)

ORDERED = frozenset({Family.INTEGER, Family.NUMERIC, Family.FLOAT, Family.DATE, Family.TIMESTAMP, Family.MOMENT})
SUMMED = frozenset({Family.INTEGER, Family.NUMERIC, Family.FLOAT})


def words(kind: SqlType) -> str:
    """What a value of the type looks like in the file."""
    match kind.family:
        case Family.INTEGER:
            return f"a whole number from {-(2 ** _BITS[kind.name])} to {2 ** _BITS[kind.name] - 1}"
        case Family.NUMERIC | Family.FLOAT:
            return f"a number that {kind} holds"
        case Family.TEXT:
            return "text"
        case Family.BOOLEAN:
            return "true or false"
        case Family.DATE:
            return 'a date such as "2026-01-31"'
        case Family.TIMESTAMP:
            return 'a timestamp such as "2026-01-31 18:00:00"'
        case Family.UUID:
            return 'a UUID such as "6b1f0e0e-7a66-4d59-8f0f-0d3a8c1f2a10"'
        case Family.MOMENT:
            return 'a timestamp such as "2026-01-31 18:00:00+01", in UTC where it says no zone'
        case Family.TIME:
            return 'a time such as "18:00:00"'
        case Family.INTERVAL | Family.OPAQUE:
            return f"nothing: of {kind} values it is told alone which are NULL"
    assert_never(kind.family)


def bound(kind: SqlType, raw: Any) -> Value | None:
    """A bound of the column: int, Decimal, date or datetime; None where `raw` is none of the type."""
    if kind.family in (Family.NUMERIC, Family.FLOAT):
        number = exact(raw)
        return number if number is not None and _held(kind, number) else None
    return value(kind, raw)


def value(kind: SqlType, raw: Any) -> Value | None:
    """A value of the column as an engine would give it; None where `raw` is none of the type."""
    match kind.family:
        case Family.INTEGER:
            return _integer(kind, exact(raw))
        case Family.NUMERIC:
            return _numeric(kind, exact(raw))
        case Family.FLOAT:
            return _float(kind, exact(raw))
        case Family.TEXT:
            return raw if isinstance(raw, str) and "\0" not in raw else None
        case Family.BOOLEAN:
            return raw if isinstance(raw, bool) else None
        case Family.DATE:
            return _date(raw)
        case Family.TIMESTAMP:
            return _timestamp(raw)
        case Family.UUID:
            return _uuid(raw)
        case Family.MOMENT:
            return _moment(raw)
        case Family.TIME:
            return _time(raw)
        case Family.INTERVAL | Family.OPAQUE:
            return None
    assert_never(kind.family)


def _integer(kind: SqlType, number: Decimal | None) -> int | None:
    limit = 2 ** _BITS[kind.name]
    whole = number is not None and -limit <= number < limit and number == int(number)
    return int(number) if whole and number is not None else None


def _held(kind: SqlType, number: Decimal) -> bool:
    return number.copy_abs() < _MOST if kind.family is Family.NUMERIC else _float(kind, number) is not None


def _numeric(kind: SqlType, number: Decimal | None) -> Decimal | None:
    """numeric(p,s) holds s decimals and p - s digits before them; nothing is rounded here."""
    if number is None or number.copy_abs() >= _MOST:
        return None
    if not kind.modifiers:
        return number
    precision, scale = (*kind.modifiers, 0)[:2]
    rounded = number.quantize(Decimal(1).scaleb(-scale), context=_WIDE)
    return rounded if rounded == number and number.copy_abs() < Decimal(10) ** (precision - scale) else None


def _float(kind: SqlType, number: Decimal | None) -> float | None:
    if number is None:
        return None
    try:
        return _finite(struct.unpack("f", struct.pack("f", number))[0] if kind.name == "real" else float(number))
    except OverflowError:
        return None


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _date(raw: Any) -> date | None:
    """An ISO string, or TOML's own date."""
    if isinstance(raw, date) and not isinstance(raw, datetime):
        return raw
    try:
        return date.fromisoformat(raw) if isinstance(raw, str) else None
    except ValueError:
        return None


def _timestamp(raw: Any) -> datetime | None:
    """An ISO string or TOML's own, without a time zone."""
    found = _read_timestamp(raw)
    return found if found is not None and found.tzinfo is None else None


def _moment(raw: Any) -> datetime | None:
    """The same, with a zone or in UTC, as UTC."""
    found = _read_timestamp(raw)
    try:
        return None if found is None else found.replace(tzinfo=found.tzinfo or UTC).astimezone(UTC)
    except OverflowError:
        return None


def _read_timestamp(raw: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(raw) if isinstance(raw, str) else raw
    except ValueError:
        return None
    return found if isinstance(found, datetime) else None


def _time(raw: Any) -> time | None:
    """An ISO string or TOML's own, without a time zone."""
    try:
        found = time.fromisoformat(raw) if isinstance(raw, str) else raw
    except ValueError:
        return None
    return found if isinstance(found, time) and found.tzinfo is None else None


def _uuid(raw: Any) -> UUID | None:
    try:
        return UUID(raw) if isinstance(raw, str) else None
    except ValueError:
        return None
