"""A value of the policy as a literal of the engine."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from uuid import UUID


def literal(value: object) -> str:
    """The text of a constant, with its type where the text alone would not say. Raises ValueError for another class."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case Decimal():
            return f"{value:f}"
        case float():
            return f"CAST('{value!r}' AS DOUBLE PRECISION)"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case datetime():
            return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case UUID():
            return f"CAST('{value}' AS UUID)"
        case _:
            raise ValueError(f"no literal for {type(value).__name__}")
