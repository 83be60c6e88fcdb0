"""Single letters of text: ascii, chr, translate, reverse, initcap."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import INTEGER, TEXT
from dpproxy.rewrite.expressions.arguments import as_count, constant_text
from dpproxy.rewrite.expressions.build import atom, cast, checked_size, chosen, number
from dpproxy.rewrite.expressions.domains import folded, image
from dpproxy.rewrite.expressions.fact import Fact, Interval, Typed, points
from dpproxy.rewrite.expressions.literals import constant, is_null
from dpproxy.rewrite.expressions.refusals import unsupported
from dpproxy.rewrite.expressions.texts import of_texts, plain_ascii, text_made, text_of
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_POINTS = Interval(Fraction(0), Fraction(0x10FFFF))
_LETTERS = ((1, 0xD7FF), (0xE000, 0x10FFFF))


def code(node: exp.Expression, walk: Walk) -> Typed:
    """ascii(x): the code point of the first letter, 0 of the empty text."""
    operand = text_of(node, node.this, walk)
    fold = of_texts(lambda value: ord(value[0]) if value else 0)
    if result := folded(fold, INTEGER, operand):
        return result
    domain = image(fold, operand)
    fact = operand.fact
    known = Fact(INTEGER, points(domain) or _POINTS, _POINTS, domain, fact.nullable, fact.private, Decimal(1))
    return Typed(cast(exp.Ascii(this=operand.sql), INTEGER), known)


def letter(node: exp.Expression, walk: Walk) -> Typed:
    """chr(n): the letter of a code point, NULL where there is none."""
    (argument,) = node.expressions
    point = as_count(node, walk(argument))
    if is_null(point):
        return constant(None, TEXT)
    low, high = (
        exp.Between(this=atom(checked_size(point.sql).copy()), low=number(first), high=number(last))
        for first, last in _LETTERS
    )
    kept = chosen(exp.Or(this=low, expression=high), point.sql)
    made = text_made(exp.Chr(expressions=[cast(kept, INTEGER)]), _letter_of, point)
    codes, letters = point.fact.domain, made.fact.domain
    sure = codes is not None and letters is not None and len(letters) == len(codes)
    return Typed(made.sql, replace(made.fact, nullable=point.fact.nullable or not sure))


def translation(node: exp.Expression, walk: Walk) -> Typed:
    """translate(x, from, to) with constants: each letter of `from` becomes that of `to` at its place, or goes."""
    operand = text_of(node, node.this, walk)
    old, new = (constant_text(node, node.args[name], walk) for name in ("from_", "to"))
    if old is None or new is None:
        return constant(None, TEXT)
    changes = {ord(before): new[at] if at < len(new) else None for at, before in reversed(list(enumerate(old)))}
    sql = exp.Translate(this=operand.sql, from_=exp.Literal.string(old), to=exp.Literal.string(new))
    return text_made(sql, of_texts(lambda value: value.translate(changes)), operand)


def reversal(node: exp.Expression, walk: Walk) -> Typed:
    """reverse(x)."""
    operand = text_of(node, node.this, walk)
    return text_made(exp.Reverse(this=operand.sql), plain_ascii(lambda value: value[::-1]), operand)


def initials(node: exp.Expression, walk: Walk) -> Typed:
    """initcap(x) of finitely many values, as a choice between them: no other way is total on all engines."""
    operand = text_of(node, node.this, walk)
    fold = plain_ascii(_capitalised)
    if result := folded(fold, TEXT, operand):
        return result
    values = operand.fact.domain
    if values is None or image(fold, operand) is None:
        raise unsupported(node, "Write upper(left(x, 1)) || lower(substr(x, 2)), for the first letter alone.")
    if not values:
        return constant(None, TEXT)
    ifs = [
        exp.If(
            this=exp.EQ(this=checked_size(operand.sql).copy(), expression=exp.Literal.string(str(value))),
            true=exp.Literal.string(str(fold(value))),
        )
        for value in values
    ]
    return text_made(exp.Case(ifs=ifs), fold, operand)


def _letter_of(point: Value) -> Value:
    if not isinstance(point, int):
        raise LookupError(point)
    return chr(point) if any(first <= point <= last for first, last in _LETTERS) else None


def _capitalised(text: str) -> str:
    return re.sub(r"[A-Za-z0-9]+", lambda word: word[0].capitalize(), text)
