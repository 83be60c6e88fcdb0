"""How an engine holds the columns of the policy's tables."""

from __future__ import annotations

from dataclasses import replace

from dpproxy.catalog.types import Family, SqlType
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
    "timestamp with time zone": Kind.INSTANT,
    "time without time zone": Kind.TIME,
    "uuid": Kind.UUID,
}


def of_column(type_: SqlType, engine: Facts, stored: str = "") -> Held:
    """Any value of a column of a type of the policy, as the engine stores it, in that type if `stored` does not say
    another one; a numeric may be NaN where the engine's may.

    Of bytes, arrays and intervals it is known alone whether they are there. What the engine stores as a timestamp with
    time zone is one, whatever the policy calls it; and what is read by TRY_CAST alone is nothing before that.
    """
    if stored in engine.tried_alone or type_.family in (Family.OPAQUE, Family.INTERVAL):
        return any_of(Kind.FOREIGN)
    if stored.startswith("timestamp") and stored.endswith("with time zone"):
        return any_of(Kind.INSTANT)
    kind = _OF_NAME[type_.name]
    if kind is not Kind.DECIMAL or not type_.modifiers:
        return any_of(kind)
    digits, scale = (*type_.modifiers, 0)[:2]
    return replace(decimal(digits, scale), nan=engine.decimal_may_be_nan)
