"""How the engine holds numbers, so that no operation on them can raise.

Whole numbers are held as bigint where that provably holds them, other exact numbers as numeric(p,s) of at most 38
digits, and the rest as double precision, which has infinities instead of errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, DATE, DOUBLE, REAL, TIMESTAMP, Family, SqlType
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import INTEGER_BITS, MOST_DIGITS, Fact, Interval, Typed, proved_by_type
from dpproxy.rewrite.expressions.facts.ranges import contains
from dpproxy.rewrite.expressions.trees.build import WIDENED, cast, marked, reaching
from dpproxy.rewrite.expressions.trees.position import note
from dpproxy.rewrite.expressions.types.calendars import at_midnight
from dpproxy.rewrite.expressions.types.promotion import is_number

_BIGINTS = proved_by_type(BIGINT)
_DIGITS = {"smallint": 5, "integer": 10, "bigint": 19}


def fits_bigint(*intervals: Interval | None) -> bool:
    """Whether all are known and lie within a bigint."""
    return _BIGINTS is not None and all(contains(_BIGINTS, interval) for interval in intervals)


def is_whole(fact: Fact) -> bool:
    """Whether the engine holds it as an integer type."""
    return fact.engine.name in INTEGER_BITS


def decimal_for(scale: int, *intervals: Interval | None) -> SqlType | None:
    """numeric(p,scale) that holds every multiple of 10**-scale in the intervals; None where 38 digits don't."""
    if None in intervals:
        return None
    most = max(max(abs(interval.lower), abs(interval.upper)) for interval in intervals if interval)
    digits = max(len(str(int(most * 10**scale))), scale, 1)
    return SqlType("numeric", (digits, scale)) if digits <= MOST_DIGITS else None


def held_as(typed: Typed, carrier: SqlType) -> exp.Expression:
    """The expression in the type `carrier`, which must hold it; numeric of unknown digits goes to double only."""
    if is_null(typed):
        return typed.sql
    if carrier.family is Family.FLOAT and is_constant(typed):
        return constant(value_of(typed), carrier).sql
    if carrier == TIMESTAMP and typed.fact.engine == DATE:
        return at_midnight(typed).sql
    written = is_constant(typed) and not isinstance(typed.sql, exp.Cast)
    same = typed.fact.engine == carrier and not written
    sql = typed.sql if same else _cast_to(typed, carrier)
    return _reaching(sql, typed.fact) if carrier.family is Family.FLOAT else sql


def _cast_to(typed: Typed, carrier: SqlType) -> exp.Expression:
    sql = marked(cast(typed.sql, carrier), typed.fact.engine)
    if typed.fact.engine.family is Family.NUMERIC is carrier.family:
        note(sql, {WIDENED: True})
    return sql


def _reaching(sql: exp.Expression, fact: Fact) -> exp.Expression:
    """What enters floating point, with how large and how small it is proved to be."""
    if fact.proved is None:
        return sql
    ends = abs(fact.proved.lower), abs(fact.proved.upper)
    apart = not fact.proved.lower <= 0 <= fact.proved.upper
    least = min(ends) if apart else Fraction(1, 2**1074)
    if fact.scale is not None:
        least = max(least, Fraction(1, 10**fact.scale))
    return reaching(sql, least, max(*ends, least))


def common_carrier(operands: Sequence[Typed]) -> SqlType | None:
    """The type in which the engine may hold any of some numbers; None: as they are (integers, or no numbers).

    Claim: a cast of each operand to it cannot raise. Because: it has room for the digits of each operand's own type, or
    for what is proved of each; and every number goes into a double.
    Checked by: tests/test_expressions.py, test_generated_expressions_are_total.
    """
    facts = [operand.fact for operand in operands if not is_null(operand)]
    if not facts or not all(is_number(operand) for operand in operands if not is_null(operand)):
        return None
    if all(is_whole(fact) for fact in facts):
        return None
    if all(fact.engine == REAL for fact in facts):
        return REAL
    if any(fact.scale is None for fact in facts):
        return DOUBLE
    scale = max(fact.scale or 0 for fact in facts)
    whole = max(_whole_digits(fact) for fact in facts)
    if whole + scale <= MOST_DIGITS:
        return SqlType("numeric", (whole + scale, scale))
    return decimal_for(scale, *(fact.proved for fact in facts)) or DOUBLE


def compared(operands: Sequence[Typed]) -> list[exp.Expression]:
    """The operands so that the engine compares them without a cast that can raise.

    Exact numbers whose digits have room in one numeric are left to the engine, which then can use its indexes.
    """
    carrier = common_carrier(operands)
    families = {operand.fact.engine.family for operand in operands if not is_null(operand)}
    if families == {Family.DATE, Family.TIMESTAMP}:
        carrier = TIMESTAMP
    if carrier is None or (carrier.family is Family.NUMERIC and _roomy(operands)):
        return [operand.sql for operand in operands]
    return [held_as(operand, carrier) for operand in operands]


def _roomy(operands: Sequence[Typed]) -> bool:
    facts = [operand.fact for operand in operands if not is_null(operand)]
    return max(_whole_digits(fact) for fact in facts) + max(fact.scale or 0 for fact in facts) <= MOST_DIGITS


def _whole_digits(fact: Fact) -> int:
    if fact.engine.name in _DIGITS:
        return _DIGITS[fact.engine.name]
    digits, *places = fact.engine.modifiers
    return digits - sum(places) if sum(places) else max(digits, 19)
