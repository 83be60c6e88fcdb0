"""A number within limits, or NULL: what every cast that could fail goes through."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import DOUBLE, NUMERIC
from dpproxy.rewrite.expressions.constants.literals import constant
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed
from dpproxy.rewrite.expressions.facts.ranges import contains
from dpproxy.rewrite.expressions.trees.build import guarded
from dpproxy.rewrite.expressions.types.carriers import held_as, is_whole
from dpproxy.rewrite.expressions.types.operands import as_value


def limited(operand: Typed, limits: Interval) -> Typed:
    """The number where it lies in `limits` (which hold 0), NULL elsewhere and for NaN; an inexact one as a double.

    Claim: the result is NULL or in its `proved`, which lies in `limits`. Because: an exact number is compared with the
    last multiple of its own scale within the limits, a double with the last double within them.
    Checked by: tests/test_expressions.py, test_generated_expressions_are_total.
    """
    if contains(limits, operand.fact.proved):
        return operand
    return _limited_exactly(operand, limits) if operand.fact.scale is not None else _limited_double(operand, limits)


def clipped(interval: Interval | None, limits: Interval) -> Interval | None:
    """A believed interval within limits; as it is where they don't meet."""
    if interval is None:
        return None
    lower, upper = max(interval.lower, limits.lower), min(interval.upper, limits.upper)
    return Interval(lower, upper) if lower <= upper else limits


def _limited_exactly(operand: Typed, limits: Interval) -> Typed:
    unit = Fraction(10) ** (operand.fact.scale or 0)
    lower, upper = Fraction(math.ceil(limits.lower * unit)) / unit, Fraction(math.floor(limits.upper * unit)) / unit
    if operand.fact.proved is not None:
        lower, upper = max(lower, operand.fact.proved.lower), min(upper, operand.fact.proved.upper)
    ends = [_end(operand.fact, end) for end in (lower, upper)]
    return Typed(guarded(operand.sql, ends[0], ends[1]), _within(operand.fact, Interval(lower, upper)))


def _limited_double(operand: Typed, limits: Interval) -> Typed:
    ends = [constant(_inside(end), DOUBLE).sql for end in (limits.lower, limits.upper)]
    fact = replace(operand.fact, carrier=DOUBLE)
    return Typed(guarded(held_as(operand, DOUBLE), ends[0], ends[1]), _within(fact, limits))


def _within(fact: Fact, limits: Interval) -> Fact:
    nullable = fact.nullable or not contains(limits, fact.interval)
    return replace(fact, proved=limits, interval=clipped(fact.interval, limits), nullable=nullable)


def _end(fact: Fact, end: Fraction) -> exp.Expression:
    """A limit written so that the comparison needs no wider type than the operand's."""
    if is_whole(fact):
        return constant(int(end), fact.engine).sql
    return held_as(constant(as_value(NUMERIC, end), NUMERIC), fact.engine)


def _inside(end: Fraction) -> float:
    """The last double that is not past the limit, seen from 0."""
    nearest = float(end)
    return nearest if abs(Fraction(nearest)) <= abs(end) else math.nextafter(nearest, 0.0)
