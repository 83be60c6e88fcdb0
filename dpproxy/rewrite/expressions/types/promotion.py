"""The type that Postgres gives what combines several values."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, NUMERIC, REAL, TEXT, TIMESTAMP, TIMESTAMPTZ, Family, SqlType
from dpproxy.rewrite.expressions.constants.literals import as_type, is_null, is_untyped
from dpproxy.rewrite.expressions.facts.fact import INTEGER_BITS, Typed
from dpproxy.rewrite.expressions.trees.refusals import mismatch
from dpproxy.rewrite.expressions.types.moments import alike

NUMBERS = frozenset({Family.INTEGER, Family.NUMERIC, Family.FLOAT})
_TIMES = {Family.DATE, Family.TIMESTAMP}


def is_number(typed: Typed) -> bool:
    """Whether Postgres calls it a number."""
    return typed.fact.type.family in NUMBERS


def resolved(node: exp.Expression, operands: Sequence[Typed]) -> tuple[SqlType, list[Typed]]:
    """The common type of some operands, their text constants read as what they meet.

    Raises FeatureNotSupported where values of different kinds meet.
    """
    operands = alike(node, operands)
    types = [operand.fact.type for operand in operands if not is_untyped(operand)]
    if not types:
        return TEXT, list(operands)
    type_ = _common(types)
    if type_ is None:
        raise mismatch(node, *dict.fromkeys(types))
    return type_, [operand if is_null(operand) else as_type(node, operand, type_) for operand in operands]


def _common(types: Sequence[SqlType]) -> SqlType | None:
    families = {type_.family for type_ in types}
    if families <= NUMBERS:
        return numeric_type(types)
    if families <= _TIMES and (len(families) > 1 or TIMESTAMPTZ in types):
        return TIMESTAMPTZ if TIMESTAMPTZ in types else TIMESTAMP
    if len(families) > 1 or families <= {Family.INTERVAL, Family.OPAQUE}:
        return None
    return (
        types[0]
        if len(set(types)) == 1 or families == {Family.MOMENT}
        else SqlType(TEXT.name if families == {Family.TEXT} else types[0].name)
    )


def alternatives_type(common: SqlType, operands: Sequence[Typed]) -> SqlType:
    """The type of CASE and its like, where Postgres prefers the first type of text, and real to numeric.

    A text constant without a type has no length, and so has none what is chosen from it and a `varchar(1)`.
    """
    types = [operand.fact.type for operand in operands if not is_untyped(operand)]
    families = {type_.family for type_ in types}
    written = any(is_untyped(operand) and not is_null(operand) for operand in operands)
    if families == {Family.TEXT} and (written or len(set(types)) > 1):
        return SqlType(types[0].name)
    return REAL if Family.FLOAT in families and DOUBLE not in types else common


def numeric_type(types: Sequence[SqlType]) -> SqlType:
    """Integers widen to the largest; with a numeric they are numeric; with a float all is double precision."""
    families = {type_.family for type_ in types}
    if Family.FLOAT in families:
        return REAL if {type_.name for type_ in types} == {"real"} else DOUBLE
    if families == {Family.INTEGER}:
        return max(types, key=lambda type_: INTEGER_BITS[type_.name])
    return NUMERIC
