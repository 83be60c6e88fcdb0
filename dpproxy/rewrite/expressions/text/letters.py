"""Single letters of text: ascii, chr, translate, reverse, initcap."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import INTEGER, TEXT
from dpproxy.rewrite.expressions.constants.arguments import as_count, constant_text
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_null
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed, points
from dpproxy.rewrite.expressions.text.texts import of_texts, plain_ascii, text_made, text_of
from dpproxy.rewrite.expressions.trees.build import INITIALS, atom, cast, chosen, number
from dpproxy.rewrite.expressions.trees.position import note
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_FIRST_LETTER = r"(^|[^\p{L}\p{N}])([a-z])"
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
    value = named(point.sql)
    low, high = (exp.Between(this=atom(value.copy()), low=number(first), high=number(last)) for first, last in _LETTERS)
    kept = chosen(exp.Or(this=low, expression=high), value.copy())
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
    """initcap(x): the first letter of each word as a capital, the others as small ones."""
    operand = text_of(node, node.this, walk)
    fold = plain_ascii(_capitalised)
    if operand.fact.domain and image(fold, operand) is not None:
        return text_made(_chosen_from(operand, fold), fold, operand)
    return text_made(_letter_by_letter(operand.sql), fold, operand)


def _chosen_from(operand: Typed, fold: Callable[..., Value]) -> exp.Expression:
    """A choice between finitely many values."""
    read = named(operand.sql)
    ifs = [
        exp.If(
            this=exp.EQ(this=read.copy(), expression=exp.Literal.string(str(value))),
            true=exp.Literal.string(str(fold(value))),
        )
        for value in operand.fact.domain or ()
    ]
    return exp.Case(ifs=ifs)


def _letter_by_letter(text: exp.Expression) -> exp.Expression:
    """The first letters marked by a capital Z, of which `lower` leaves none, then each pair of Z and a letter replaced.

    It is for engines that have no such function: of ASCII letters. Others are parts of words, and stay small.
    """
    sql: exp.Expression = exp.RegexpReplace(
        this=exp.Lower(this=text),
        expression=exp.Literal.string(_FIRST_LETTER),
        replacement=exp.Literal.string(r"\1Z\2"),
        modifiers=exp.Literal.string("g"),
        single_replace=True,
    )
    for letter_ in string.ascii_lowercase:  # z last: what becomes a Z marks nothing any more
        pair, capital = exp.Literal.string(f"Z{letter_}"), exp.Literal.string(letter_.upper())
        sql = exp.Replace(this=sql, expression=pair, replacement=capital)
    note(sql, {INITIALS: True})
    return sql


def _letter_of(point: Value) -> Value:
    if not isinstance(point, int):
        raise LookupError(point)
    return chr(point) if any(first <= point <= last for first, last in _LETTERS) else None


def _capitalised(text: str) -> str:
    return re.sub(r"[A-Za-z0-9]+", lambda word: word[0].capitalize(), text)
