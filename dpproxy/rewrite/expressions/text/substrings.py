"""Parts of text: substring, left, right, split_part. Letters are counted from 1, as code points.

What a pattern takes is `patterns.substring_by_pattern`, which knows the two kinds of substring() from each other.
"""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, INTEGER, TEXT
from dpproxy.rewrite.expressions.constants.arguments import MOST_LETTERS, as_count, constant_count, constant_text
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import Interval, Typed
from dpproxy.rewrite.expressions.text.texts import of_texts, text_made, text_of
from dpproxy.rewrite.expressions.trees.build import binary, cast, computed, number
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.types.carriers import held_as
from dpproxy.rewrite.expressions.types.limits import limited
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_ANYWHERE = Interval(Fraction(-MOST_LETTERS - 1), Fraction(MOST_LETTERS))
_AMOUNTS = Interval(Fraction(-MOST_LETTERS), Fraction(MOST_LETTERS))
_PLACES = Interval(Fraction(1), Fraction(MOST_LETTERS))
_COUNTS = Interval(Fraction(0), Fraction(MOST_LETTERS))


def part(node: exp.Expression, walk: Walk) -> Typed:
    """substring(x, start, length): positions before 1 hold no letter; NULL for a negative length."""
    operand = text_of(node, node.this, walk)
    counts = [_count(node, node.args.get(name), walk) for name in ("start", "length")]
    start, count = counts[0] or constant(1, INTEGER), counts[1]
    if is_constant(start) and (count is None or is_constant(count)):
        return _fixed(node, operand, start, count)
    length = None if count is None else _limited(count, _COUNTS)
    return _made(operand, _limited(start, _ANYWHERE), length)


def end_part(node: exp.Expression, walk: Walk) -> Typed:
    """left(x, n) and right(x, n); a negative n leaves out that many from the other end."""
    operand, length = text_of(node, node.this, walk), as_count(node, walk(node.expression))
    left = isinstance(node, exp.Left)
    if is_null(length):
        return constant(None, TEXT)

    def cut(value: Value, count: Value) -> Value:
        if not isinstance(value, str) or not isinstance(count, int):
            raise LookupError(value)
        kept = max(count if count >= 0 else len(value) + count, 0)
        return value[:kept] if left else value[max(len(value) - kept, 0) :]

    kept = limited(length, _AMOUNTS)
    count = kept.sql if is_constant(length) else held_as(kept, INTEGER)
    return text_made(type(node)(this=operand.sql, expression=count), cut, operand, kept)


def split(node: exp.Expression, walk: Walk) -> Typed:
    """split_part(x, delimiter, n) by a constant; a negative n counts from the end. An n of rows is one from 1 on."""
    operand = text_of(node, node.this, walk)
    delimiter = constant_text(node, node.args["delimiter"], walk)
    place = as_count(node, walk(node.args["part_index"]))
    if delimiter and not is_constant(place) and place.fact.proved is not None and place.fact.proved.lower >= 1:
        kept = held_as(limited(place, _PLACES), INTEGER)
        sql = exp.SplitPart(this=operand.sql, delimiter=exp.Literal.string(delimiter), part_index=kept)
        return text_made(sql, _left_to_the_engine, operand, place)
    index = constant_count(node, node.args["part_index"], walk)
    if delimiter is None or index is None:
        return constant(None, TEXT)
    if index == 0:
        raise refused(node, "field position must not be zero", "Count fields from 1, or from -1 backwards.")
    if not delimiter:
        return operand if abs(index) == 1 else text_made(_none_of(operand), of_texts(lambda value: ""), operand)

    def field(value: str) -> str:
        fields = value.split(delimiter)
        at = index - 1 if index > 0 else len(fields) + index
        return fields[at] if 0 <= at < len(fields) else ""

    sql = exp.SplitPart(this=operand.sql, delimiter=exp.Literal.string(delimiter), part_index=number(index))
    return text_made(sql, of_texts(field), operand)


def _none_of(operand: Typed) -> exp.Expression:
    return exp.Left(this=operand.sql, expression=number(0))


def _count(node: exp.Expression, argument: exp.Expression | None, walk: Walk) -> Typed | None:
    return None if argument is None else as_count(node, walk(argument))


def _fixed(node: exp.Expression, operand: Typed, start: Typed, count: Typed | None) -> Typed:
    """A part whose place is constant."""
    if is_null(start) or (count is not None and is_null(count)):
        return constant(None, TEXT)
    at, length = value_of(start), None if count is None else value_of(count)
    assert isinstance(at, int) and isinstance(length, int | None)
    if length is not None and length < 0:
        raise refused(node, "negative substring length not allowed", "Use a length of 0 or more.")
    end = MOST_LETTERS if length is None else min(at + length, MOST_LETTERS)
    first = max(at, 1)
    kept = max(end - first, 0)
    sql = exp.Substring(this=operand.sql, start=number(first), length=number(kept))
    return text_made(sql, of_texts(lambda value: value[first - 1 : first - 1 + kept]), operand)


def _made(operand: Typed, start: Typed, length: Typed | None) -> Typed:
    """A part whose place a row decides.

    Claim: the engine gets a start from 1 to MOST_LETTERS and a length from 0 on. Because: both were limited, and a
    start before 1 moves to 1 and takes as much from the length as it moved.
    Checked by: tests/test_expressions.py, test_generated_expressions_are_total.
    """
    first, others = start.sql, [start] if length is None else [start, length]
    kept = None if length is None else length.sql
    if not (start.fact.proved is not None and start.fact.proved.lower >= 1):
        value = named(start.sql)
        before = binary(exp.LT, value, number(1))
        first = exp.Case(ifs=[exp.If(this=before, true=number(1))], default=value.copy())
        kept = None if kept is None else _shortened(value.copy(), named(kept))
    arguments = {"start": cast(first.copy(), INTEGER), "length": None if kept is None else cast(kept, INTEGER)}
    return text_made(exp.Substring(this=operand.sql, **arguments), _left_to_the_engine, operand, *others)


def _shortened(start: exp.Expression, length: exp.Expression) -> exp.Expression:
    """The length without what lies before the first letter, NULL where either is."""
    end = computed(exp.Add, start, length, BIGINT)
    branches = [
        (binary(exp.GTE, start, number(1)), length),
        (binary(exp.GT, end, number(1)), computed(exp.Sub, end, number(1), BIGINT)),
        (binary(exp.LTE, end, number(1)), number(0)),
    ]
    return exp.Case(ifs=[exp.If(this=when.copy(), true=then.copy()) for when, then in branches])


def _limited(count: Typed, limits: Interval) -> Typed:
    """A number of letters as a bigint, NULL out of its limits."""
    kept = limited(count, limits)
    return Typed(held_as(kept, BIGINT), kept.fact)


def _left_to_the_engine(*values: Value) -> Value:
    raise LookupError(values)
