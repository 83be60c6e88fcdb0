"""Texts put together: ||, concat, concat_ws, repeat, lpad and rpad."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from dpproxy.catalog.types import TEXT, Family
from dpproxy.rewrite.expressions.constants.arguments import constant_count, constant_text
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_null
from dpproxy.rewrite.expressions.facts.fact import Fact, Typed
from dpproxy.rewrite.expressions.text.growth import LONGEST_PADDED, check_growth
from dpproxy.rewrite.expressions.text.texts import as_text, of_texts, text_made, text_of
from dpproxy.rewrite.expressions.trees.build import atom, number
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value


def concatenation(node: exp.Expression, walk: Walk) -> Typed:
    """x || y, where one is text; NULL with a NULL."""
    operands = [walk(node.this), walk(node.expression)]
    if not any(operand.fact.type.family is Family.TEXT for operand in operands):
        raise mismatch(node, *(operand.fact.type for operand in operands))
    left, right = (as_text(node, operand) for operand in operands)
    sql = exp.DPipe(this=atom(left.sql), expression=atom(right.sql), safe=True)
    return text_made(sql, of_texts(lambda value, other: value + other), left, right)


def concat(node: exp.Expression, walk: Walk) -> Typed:
    """concat(x, y, …), which skips NULLs and so is never NULL."""
    texts = _present(node, [walk(item) for item in node.expressions])
    return _put_together("", texts) or constant("", TEXT)


def concat_ws(node: exp.Expression, walk: Walk) -> Typed:
    """concat_ws(separator, x, y, …): NULLs are skipped with their separator."""
    separator = constant_text(node, node.expressions[0], walk)
    texts = _present(node, [walk(item) for item in node.expressions[1:]])
    return constant(None, TEXT) if separator is None else _put_together(separator, texts) or constant("", TEXT)


def repetition(node: exp.Expression, walk: Walk) -> Typed:
    """repeat(x, n) for a constant n that is not too large; empty for a negative one."""
    operand = text_of(node, node.this, walk)
    times = constant_count(node, node.args["times"], walk)
    if times is None:
        return constant(None, TEXT)
    check_growth(node, operand, times)
    sql = exp.Repeat(this=operand.sql, times=number(max(times, 0)))
    return text_made(sql, of_texts(lambda value: value * times), operand)


def padding(node: exp.Expression, walk: Walk) -> Typed:
    """lpad(x, n, fill) and rpad: exactly n letters; what is longer is cut at its end, an empty fill fills nothing."""
    operand = text_of(node, node.this, walk)
    count = constant_count(node, node.expression, walk)
    fill = constant_text(node, node.args["fill_pattern"], walk) if node.args.get("fill_pattern") else " "
    if count is None or fill is None:
        return constant(None, TEXT)
    if count > LONGEST_PADDED:
        raise refused(node, "the padded text would be too long", f"Pad to {LONGEST_PADDED} letters at most.")
    length, at_left = max(count, 0), bool(node.args.get("is_left"))

    def padded(value: str) -> str:
        added = (fill * length)[: max(length - len(value), 0)]
        return (added + value if at_left else value + added)[:length] if len(value) < length else value[:length]

    sql: exp.Expression = exp.Left(this=operand.sql, expression=number(length))
    if fill:
        filled = exp.Literal.string(fill)
        sql = exp.Pad(this=operand.sql, expression=number(length), fill_pattern=filled, is_left=at_left)
    return text_made(sql, of_texts(padded), operand)


def _present(node: exp.Expression, operands: list[Typed]) -> list[Typed]:
    """The arguments as text but for those written as NULL; booleans are t and f here, unlike after ||."""
    return [_letter(operand) or as_text(node, operand) for operand in operands if not is_null(operand)]


def _letter(operand: Typed) -> Typed | None:
    if operand.fact.type.family is not Family.BOOLEAN:
        return None
    truth, falsehood = (exp.Literal.string(letter) for letter in "tf")
    sql = exp.Case(
        ifs=[
            exp.If(this=operand.sql, true=truth),
            exp.If(this=exp.Not(this=atom(operand.sql.copy())), true=falsehood),
        ]
    )
    return text_made(sql, lambda value: "t" if value else "f", operand)


def _put_together(separator: str, texts: list[Typed]) -> Typed | None:
    """The texts that are not NULL; None where there are none."""
    if not texts:
        return None
    if result := folded(of_texts(lambda *values: separator.join(values)), TEXT, *texts):
        return result

    def fold(*values: Value) -> Value:
        return separator.join(str(value) for value in values if value is not None)

    sqls = [text.sql for text in texts]
    sql: exp.Expression = exp.Concat(expressions=sqls, safe=True, coalesce=True)
    if separator:
        sql = exp.ConcatWs(expressions=[exp.Literal.string(separator), *sqls], safe=True, coalesce=True)
    private = any(text.fact.private for text in texts)
    return Typed(sql, Fact(TEXT, None, None, image(fold, *map(_or_null, texts)), False, private, None))


def _or_null(text: Typed) -> Typed:
    """The text with NULL among its values, where it may be that."""
    domain = text.fact.domain
    return (
        text
        if domain is None or not text.fact.nullable
        else Typed(text.sql, replace(text.fact, domain=(*domain, None)))
    )
