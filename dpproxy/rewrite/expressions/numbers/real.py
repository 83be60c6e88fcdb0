"""Functions of doubles that are told by data alone: where they are defined, and between which numbers they lie."""

from __future__ import annotations

import math
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, Family
from dpproxy.rewrite.expressions.constants.literals import constant, is_null
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.function import Function, Sized
from dpproxy.rewrite.expressions.numbers.rounding import number_of
from dpproxy.rewrite.expressions.trees.build import computed, guarded
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rewrite.expressions.walk import Rule, Walk

_LEAST = -1074  # the exponent of the least double
_LARGEST = math.nextafter(math.inf, 0.0)
ALL = (-math.inf, math.inf)
FINITE = (-_LARGEST, _LARGEST)


def real(
    kind: type[exp.Expression],
    names: tuple[str, ...],
    takes: tuple[float, float],
    gives: tuple[float, float],
    examples: tuple[str, ...],
    note: str = "",
) -> Function:
    """A row of a function of doubles, of one or two.

    takes: the numbers for which it is defined, ALL with infinities and NaN; of any other it is NULL. gives: bounds of
    what it is for a number; of NaN it is NaN.
    """
    arguments = tuple(name for name, needed in kind.arg_types.items() if needed)
    return Function(
        kind=kind,
        names=names,
        signatures=(f"{', '.join(['double precision'] * len(arguments))} → double precision",),
        rule=_rule(kind, arguments, takes, Interval(Fraction(gives[0]), Fraction(gives[1]))),
        arguments=" ".join(arguments),
        makes={kind: Sized(_LEAST, math.frexp(max(map(abs, gives)))[1])},
        examples=examples,
        note=note,
    )


def _rule(kind: type[exp.Expression], names: tuple[str, ...], takes: tuple[float, float], gives: Interval) -> Rule:
    def rule(node: exp.Expression, walk: Walk) -> Typed:
        operands = [number_of(node, node.args[name], walk) for name in names]
        if any(is_null(operand) for operand in operands):
            return constant(None, DOUBLE)
        sqls = [_within(operand, takes) for operand in operands]
        numbers = takes != ALL or all(operand.fact.proved is not None for operand in operands)
        nullable = any(operand.fact.nullable or _may_leave(operand.fact, takes) for operand in operands)
        private = any(operand.fact.private for operand in operands)
        fact = Fact(DOUBLE, gives, gives if numbers else None, None, nullable, private, None)
        return Typed(kind(**dict(zip(names, sqls, strict=True))), fact)

    return rule


def _within(operand: Typed, takes: tuple[float, float]) -> exp.Expression:
    """The operand as a double, NULL where the function is not defined."""
    sql = _without_sign_of_zero(operand)
    if takes == ALL or _is_sure(operand.fact.proved, takes):
        return sql
    return guarded(sql, *(constant(end, DOUBLE).sql for end in takes))


def _without_sign_of_zero(operand: Typed) -> exp.Expression:
    """The operand as a double. What Postgres has as a whole number or a numeric has one zero, and a double has two, of
    which atan2 tells: adding 0.0 to either is the positive one."""
    sql = held_as(operand, DOUBLE)
    exact = operand.fact.type.family is not Family.FLOAT and operand.fact.engine.family is Family.FLOAT
    return computed(exp.Add, sql, constant(0.0, DOUBLE).sql, DOUBLE) if exact else sql


def _may_leave(fact: Fact, takes: tuple[float, float]) -> bool:
    return takes != ALL and not _is_sure(fact.interval, takes)


def _is_sure(ends: Interval | None, takes: tuple[float, float]) -> bool:
    return ends is not None and takes[0] <= ends.lower and ends.upper <= takes[1]
