"""How an engine holds the columns of the policy's tables."""

from __future__ import annotations

from dataclasses import replace

from dpproxy.catalog.types import SqlType
from dpproxy.rewrite.checker.engines import Facts
from dpproxy.rewrite.checker.held import Held, Kind, any_of, decimal

_OF_NAME = {
    "smallint": Kind.SMALLINT,
    "integer": Kind.INTEGER,
    "bigint": Kind.BIGINT,
    "numeric": Kind.DECIMAL,
    "real": Kind.REAL,
    "double precision": Kind.DOUBLE,
    "text": Kind.TEXT,
    "character varying": Kind.TEXT,
    "boolean": Kind.BOOLEAN,
    "date": Kind.DATE,
    "timestamp without time zone": Kind.TIMESTAMP,
    "timestamp with time zone": Kind.TIMESTAMP,
    "interval": Kind.INTERVAL,
    "uuid": Kind.UUID,
}


def of_column(type_: SqlType, engine: Facts) -> Held:
    """Any value of a column of a type of the policy; a numeric may be NaN where the engine's may."""
    kind = _OF_NAME[type_.name]
    if kind is not Kind.DECIMAL or not type_.modifiers:
        return any_of(kind)
    digits, scale = (*type_.modifiers, 0)[:2]
    return replace(decimal(digits, scale), nan=engine.decimal_may_be_nan)
