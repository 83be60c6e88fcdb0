"""Text: case, trimming, length, search, replacement, and other values written as text.

What is cut and by what is constant, so that no row's value is an odd argument; what could make text grow without bound
is refused (`growth`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, BOOLEAN, INTEGER, TEXT, TIMESTAMPTZ, Family
from dpproxy.rewrite.expressions.constants.arguments import constant_text
from dpproxy.rewrite.expressions.constants.domains import folded, image
from dpproxy.rewrite.expressions.constants.literals import constant, is_null
from dpproxy.rewrite.expressions.facts.fact import Fact, Interval, Typed, points
from dpproxy.rewrite.expressions.logic.comparison import truth
from dpproxy.rewrite.expressions.text.growth import check_growth
from dpproxy.rewrite.expressions.trees.build import cast
from dpproxy.rewrite.expressions.trees.refusals import mismatch, refused
from dpproxy.rewrite.expressions.types.calendars import in_years
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_LONGEST = Interval(Fraction(0), Fraction(2**32))


def change_case(node: exp.Expression, walk: Walk) -> Typed:
    """lower(x) and upper(x)."""
    operand = text_of(node, node.this, walk)
    change = str.lower if isinstance(node, exp.Lower) else str.upper
    return text_made(type(node)(this=operand.sql), plain_ascii(change), operand)


def digest(node: exp.Expression, walk: Walk) -> Typed:
    """md5(x): 32 hexadecimal digits of the bytes of a text, which is UTF-8 in all engines."""
    operand = text_of(node, node.this, walk)
    fold = of_texts(lambda value: hashlib.md5(value.encode(), usedforsecurity=False).hexdigest())
    return text_made(exp.MD5(this=operand.sql), fold, operand)


def trim(node: exp.Expression, walk: Walk) -> Typed:
    """trim, ltrim, rtrim and btrim of given letters, of spaces if none are given."""
    operand = text_of(node, node.this, walk)
    letters = constant_text(node, node.args["expression"], walk) if node.args.get("expression") else " "
    if letters is None:
        return constant(None, TEXT)
    side = str(node.args.get("position") or "BOTH").upper()
    strip = {"LEADING": str.lstrip, "TRAILING": str.rstrip, "BOTH": str.strip}[side]
    position = None if side == "BOTH" else side
    sql = exp.Trim(this=operand.sql, expression=exp.Literal.string(letters), position=position)
    return text_made(sql, of_texts(lambda value: strip(value, letters) if letters else value), operand)


def length(node: exp.Expression, walk: Walk) -> Typed:
    """length(x), char_length(x): how many letters."""
    operand = text_of(node, node.this, walk)
    return count_made(exp.Length(this=operand.sql), of_texts(len), operand)


def search(node: exp.Expression, walk: Walk) -> Typed:
    """strpos(x, y), position(y in x): where y first begins, 0 where it is not."""
    operand, sought = text_of(node, node.this, walk), text_of(node, node.args["substr"], walk)
    sql = exp.StrPosition(this=operand.sql, substr=sought.sql)
    return count_made(sql, of_texts(lambda value, other: value.find(other) + 1), operand, sought)


def starts(node: exp.Expression, walk: Walk) -> Typed:
    """starts_with(x, y) and x ^@ y."""
    operand, prefix = text_of(node, node.this, walk), text_of(node, node.expression, walk)
    sql = exp.StartsWith(this=operand.sql, expression=prefix.sql)
    return folded(of_texts(str.startswith), BOOLEAN, operand, prefix) or truth(sql, operand, prefix)


def substitute(node: exp.Expression, walk: Walk) -> Typed:
    """replace(x, from, to) with constants; what makes text longer may stand once only, as nested it grows too far."""
    operand = text_of(node, node.this, walk)
    old, new = (constant_text(node, part, walk) for part in (node.expression, node.args["replacement"]))
    if old is None or new is None:
        return constant(None, TEXT)
    if old and len(new.encode()) > len(old.encode()):
        check_growth(node, operand, max(len(new), 2))
    sql = exp.Replace(this=operand.sql, expression=exp.Literal.string(old), replacement=exp.Literal.string(new))
    return text_made(sql, of_texts(lambda value: value.replace(old, new) if old else value), operand)


def text_of(node: exp.Expression, argument: exp.Expression, walk: Walk) -> Typed:
    """An argument that must be text."""
    operand = walk(argument)
    if operand.fact.type.family is not Family.TEXT:
        raise mismatch(node, operand.fact.type)
    return operand


def as_text(node: exp.Expression, operand: Typed) -> Typed:
    """A value as Postgres and the engine write it alike. Raises FeatureNotSupported where they do not."""
    fact = operand.fact
    if is_null(operand) or fact.type.family is Family.TEXT:
        return operand
    fixed = fact.type.family is Family.NUMERIC and fact.type.modifiers and fact.engine == fact.type
    whole = fact.type.family is Family.INTEGER and fact.scale is not None
    if fact.type.family in (Family.INTEGER, Family.NUMERIC, Family.FLOAT) and not (whole or fixed):
        hint = "CAST it to integer or numeric(p,s) first: CAST(CAST(x AS numeric(10,2)) AS text)."
        raise refused(node, f"{fact.type} as text is not supported over private tables", hint)
    if fact.type.name == TIMESTAMPTZ.name:
        hint = "Its text depends on the session: write to_char(x, 'YYYY-MM-DD HH24:MI:SS')."
        raise refused(node, f"{fact.type} as text is not supported over private tables", hint)
    if fact.type.family in (Family.DATE, Family.TIMESTAMP):
        operand = in_years(operand)
    return text_made(cast(operand.sql, TEXT), _WRITTEN.get(fact.type.family, _unwritten), operand)


def _unwritten(value: Value) -> Value:
    raise LookupError(value)


_WRITTEN: dict[Family, Callable[[Value], Value]] = {
    Family.INTEGER: str,
    Family.BOOLEAN: lambda value: str(value).lower(),
    Family.DATE: str,
    Family.UUID: str,
}


def text_made(sql: exp.Expression, fold: Callable[..., Value], *operands: Typed) -> Typed:
    """A text that a strict function makes of `operands`."""
    if any(is_null(operand) for operand in operands):
        return constant(None, TEXT)
    if result := folded(fold, TEXT, *operands):
        return result
    nullable = any(operand.fact.nullable for operand in operands)
    private = any(operand.fact.private for operand in operands)
    return Typed(sql, Fact(TEXT, None, None, image(fold, *operands), nullable, private, None))


def count_made(sql: exp.Expression, fold: Callable[..., Value], *operands: Typed) -> Typed:
    """An integer from 0 up that a strict function of text makes of `operands`."""
    if result := folded(fold, INTEGER, *operands):
        return result
    text = text_made(sql, fold, *operands)
    known = replace(text.fact, type=INTEGER, proved=_LONGEST, step=Decimal(1), carrier=BIGINT)
    return Typed(text.sql, replace(known, interval=points(known.domain)))


def of_texts(change: Callable[..., Value]) -> Callable[..., Value]:
    """A function of texts as a fold, which leaves anything else to the engine."""

    def fold(*values: Value) -> Value:
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) < len(values):
            raise LookupError(values)
        return change(*texts)

    return fold


def plain_ascii(change: Callable[..., Value]) -> Callable[..., Value]:
    """A function of texts as a fold, which leaves other letters than ASCII to the engine."""

    def of_ascii(*texts: str) -> Value:
        if not all(text.isascii() for text in texts):
            raise LookupError(texts)
        return change(*texts)

    return of_texts(of_ascii)
