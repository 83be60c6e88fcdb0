"""A value of the policy as a literal of the engine.

Checked by: tests/attacks/test_received_text.py.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from decimal import Decimal
from uuid import UUID

from sqlglot import exp

from dpproxy.catalog.types import DATE, DOUBLE, TIME, TIMESTAMP, SqlType
from dpproxy.rewrite.expressions.trees.build import cast, number

_UUID = SqlType("uuid")


def literal(value: object) -> exp.Expression:
    """A constant, with its type where the text alone would not say. Raises ValueError for another class."""
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case int():
            return number(value)
        case Decimal():
            digits = exp.Literal.number(f"{value.copy_abs():f}")
            return exp.Neg(this=digits) if value.is_signed() else digits
        case float():
            return cast(exp.Literal.string(repr(value)), DOUBLE)
        case str():
            return exp.Literal.string(value)
        case datetime():
            written = (
                (value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None))
                .isoformat(sep=" ")
                .removesuffix(" 00:00:00")
            )
            return cast(exp.Literal.string(written), TIMESTAMP)
        case date():
            return cast(exp.Literal.string(value.isoformat()), DATE)
        case time():
            return cast(exp.Literal.string(value.isoformat()), TIME)
        case UUID():
            return cast(exp.Literal.string(str(value)), _UUID)
        case _:
            raise ValueError(f"no literal for {type(value).__name__}")
