"""The types of columns, as Postgres prints them, and the families that rules are written for."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    # What date_trunc makes of a date, and what the difference of timestamps is; no column can be declared so.
    "timestamp with time zone": Family.TIMESTAMP,
    "interval": Family.INTERVAL,
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
}


@dataclass(frozen=True, slots=True)
class SqlType:
    """A Postgres type: its name as `format_type` prints it, and its modifiers (`numeric(15,2)` has 15 and 2)."""

    name: str
    modifiers: tuple[int, ...] = ()

    @property
    def family(self) -> Family:
        """The family of the type; every `SqlType` has one."""
        return _FAMILIES[self.name]

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
INTERVAL = SqlType("interval")


def parse_type(text: str) -> SqlType:
    """The type that `text` names, e.g. `numeric(15, 2)` or `varchar(25)`.

    Raises ValueError, naming the known types, where there is no such type here.
    """
    match = re.fullmatch(r"\s*([a-z0-9 ]+?)\s*(?:\(\s*(\d+(?:\s*,\s*\d+)*)\s*\))?\s*", text.lower())
    name = _SPELLINGS.get(match[1], match[1]) if match else ""
    known = sorted(set(_FAMILIES) - {TIMESTAMPTZ.name, INTERVAL.name})
    if match is None or name not in known:
        raise ValueError(f"unknown type {text!r}; known are {', '.join(known)}")
    return SqlType(name, tuple(int(part) for part in match[2].split(",")) if match[2] else ())
