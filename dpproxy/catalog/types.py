"""The types of columns, as Postgres prints them, and the families that rules are written for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import Enum


class Family(Enum):
    """What a rule may ask of a type."""

    INTEGER = "integer"
    NUMERIC = "numeric"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    UUID = "uuid"
    INTERVAL = "interval"
    TIME = "time"
    MOMENT = "moment"  # a timestamp with time zone of a column, which the engine holds in UTC
    OPAQUE = "opaque"  # of which nothing is asked but whether it is NULL: bytea, arrays

    __hash__ = object.__hash__  # that of Enum is a function in Python, and sets of families are asked for all the time


_FAMILIES = {
    "smallint": Family.INTEGER,
    "integer": Family.INTEGER,
    "bigint": Family.INTEGER,
    "numeric": Family.NUMERIC,
    "real": Family.FLOAT,
    "double precision": Family.FLOAT,
    "text": Family.TEXT,
    "character varying": Family.TEXT,
    "boolean": Family.BOOLEAN,
    "date": Family.DATE,
    "timestamp without time zone": Family.TIMESTAMP,
    "uuid": Family.UUID,
    "time without time zone": Family.TIME,
    # What date_trunc makes of a date: the session's local time. Of a column, which has a zone, it is a moment.
    "timestamp with time zone": Family.TIMESTAMP,
    "interval": Family.INTERVAL,
    "bytea": Family.OPAQUE,
}

_SPELLINGS = {
    "int2": "smallint",
    "int": "integer",
    "int4": "integer",
    "int8": "bigint",
    "decimal": "numeric",
    "float4": "real",
    "float8": "double precision",
    "float": "double precision",
    "string": "text",
    "varchar": "character varying",
    "bool": "boolean",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "time": "time without time zone",
}
_ARRAY = "[]"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A Postgres type: its name as `format_type` prints it, and its modifiers (`numeric(15,2)` has 15 and 2).

    zone: of a moment, a timestamp with time zone that the engine holds in UTC: the session's time zone; "" where that
    is not known. None for any other.
    """

    name: str
    modifiers: tuple[int, ...] = ()
    zone: str | None = None
    family: Family = field(init=False, repr=False, compare=False)
    """The family of the type; every `SqlType` has one."""

    def __post_init__(self) -> None:
        known = Family.OPAQUE if self.name.endswith(_ARRAY) else _FAMILIES[self.name]
        object.__setattr__(self, "family", known if self.zone is None else Family.MOMENT)

    @property
    def of_any(self) -> SqlType:
        """The type of any of its values: without modifiers, and of a moment in UTC, whatever session asks."""
        return SqlType(self.name, zone=None if self.zone is None else "UTC")

    def in_zone(self, zone: str) -> SqlType:
        """Of a moment, the same in a session of that time zone."""
        return self if self.zone is None else replace(self, zone=zone)

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.modifiers))})" if self.modifiers else self.name


SMALLINT = SqlType("smallint")
INTEGER = SqlType("integer")
BIGINT = SqlType("bigint")
NUMERIC = SqlType("numeric")
REAL = SqlType("real")
DOUBLE = SqlType("double precision")
TEXT = SqlType("text")
BOOLEAN = SqlType("boolean")
DATE = SqlType("date")
TIMESTAMP = SqlType("timestamp without time zone")
TIMESTAMPTZ = SqlType("timestamp with time zone")
UUID = SqlType("uuid")
MOMENT = SqlType("timestamp with time zone", zone="UTC")
INTERVAL = SqlType("interval")
TIME = SqlType("time without time zone")


def parse_type(text: str) -> SqlType:
    """The type that `text` names, e.g. `numeric(15, 2)`, `varchar(25)` or `integer[]`.

    Raises ValueError, naming the known types, where there is no such type here.
    """
    plain = text.strip().lower()
    element = plain.removesuffix(_ARRAY)
    if element != plain:
        # Of how many dimensions, and of how many digits its elements are, is nothing to anybody who counts arrays.
        return SqlType(parse_type(element).name.removesuffix(_ARRAY) + _ARRAY)
    match = re.fullmatch(r"([a-z0-9 ]+?)\s*(?:\(\s*(\d+(?:\s*,\s*\d+)*)\s*\))?\s*", plain)
    name = _SPELLINGS.get(match[1], match[1]) if match else ""
    if match is None or name not in _FAMILIES:
        known = ", ".join(sorted(_FAMILIES))
        raise ValueError(f"unknown type {text!r}; known are {known}, and arrays of these such as integer[]")
    if name == MOMENT.name:
        return MOMENT
    return SqlType(name, tuple(int(part) for part in match[2].split(",")) if match[2] else ())
