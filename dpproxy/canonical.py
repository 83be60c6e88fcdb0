"""The one Python value for each value of a type: equal keys are equal, look equal, and have an order."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

from dpproxy.catalog.types import Family, SqlType
from dpproxy.errors import EngineFailure
from dpproxy.rows import Value

LARGEST_FLOAT = {"real": Fraction(3.4028234663852886e38), "double precision": Fraction(1.7976931348623157e308)}
ALL_DIGITS = Context(prec=400_000)
_NAN, _DECIMAL_NAN = math.nan, Decimal("NaN")


def canonical(value: Value, sql_type: SqlType) -> Value:
    """`value` as the one Python value that stands for it in its type, so that equal keys are equal and look equal.

    Which of -0.0 and 0.0, or 1.5 and 1.50, the engine shows for a group is up to single rows; none of it leaves. NaN is
    one object, so that tuples and sets find it again. An engine may compute a numeric as a double: it is the shortest
    number that reads as that double, of which each double has its own. Raises EngineFailure where the value is not of
    the type.
    """
    match sql_type.family, value:
        case _, None:
            return None
        case (Family.BOOLEAN, bool()) | (Family.TEXT, str()) | (Family.UUID, UUID()):
            return value
        case (Family.INTEGER, int() | Decimal()) if not isinstance(value, bool):
            return whole(value)
        case (Family.NUMERIC, float()):
            return _numeric(Decimal(repr(value)), sql_type)  # 0.1, and not the digits of the double next to it
        case (Family.NUMERIC, int() | Decimal()) if not isinstance(value, bool):
            return _numeric(Decimal(value), sql_type)
        case (Family.FLOAT, int() | float() | Decimal()) if not isinstance(value, bool):
            return float_of(float(value), sql_type)
        case _:
            return _time(value, sql_type.family)


def _time(value: Value, family: Family) -> Value:
    """A date, a time, or both. Raises EngineFailure for anything else."""
    match family, value:
        case (Family.DATE, datetime()) if value.time() == time():
            return value.date()
        case (Family.DATE, date()) if not isinstance(value, datetime):
            return value
        case (Family.TIMESTAMP, datetime()) if value.tzinfo is None:
            return value
        case (Family.TIMESTAMP, date()) if not isinstance(value, datetime):
            return datetime.combine(value, time())
        case (Family.MOMENT, datetime()):  # which engines hold in UTC
            return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        case (Family.TIME, time()) if value.tzinfo is None:
            return value
        case _:
            raise EngineFailure()


def _numeric(value: Decimal, sql_type: SqlType) -> Decimal:
    """With as many digits after the point as the type says, else as few as there can be; never rounded."""
    if not value.is_finite():
        return _DECIMAL_NAN if value.is_nan() else value
    shortest = ALL_DIGITS.normalize(value) if value else Decimal(0)
    scale = sql_type.modifiers[1] if len(sql_type.modifiers) == 2 else 0
    exponent = min(-scale, int(shortest.as_tuple().exponent))
    return shortest.quantize(Decimal((0, (1,), exponent)), context=ALL_DIGITS)


def float_of(value: float, sql_type: SqlType) -> float:
    """Of the type's precision, 0.0 for -0.0, and one object for NaN."""
    if math.isnan(value):
        return _NAN
    if sql_type.name == "real" and abs(value) <= LARGEST_FLOAT["real"]:
        value = struct.unpack("f", struct.pack("f", value))[0]
    return value + 0.0


def rank(value: Value) -> tuple[Any, ...]:
    """A total order among the canonical values of one type: text by its UTF-8 bytes, then NaN, then NULL."""
    if value is None:
        return (2,)
    if isinstance(value, str):
        return (0, value.encode("utf-8", "surrogatepass"))
    return (1,) if value != value else (0, value)


def whole(value: Value) -> int:
    """The whole number that it is, 0 for None. Raises EngineFailure where it is none."""
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise EngineFailure()
    if not math.isfinite(value) or value != int(value):
        raise EngineFailure()
    return int(value)
