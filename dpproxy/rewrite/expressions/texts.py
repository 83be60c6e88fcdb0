"""Text: case, trimming, parts, length, search, replacement, concatenation, LIKE.

What is cut and where is constant, so that no row's value is an odd argument; what could make text grow without bound
is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BIGINT, BOOLEAN, INTEGER, TEXT, Family
from dpproxy.rewrite.expressions.build import atom, cast, number
from dpproxy.rewrite.expressions.calendars import in_years
from dpproxy.rewrite.expressions.comparison import truth
from dpproxy.rewrite.expressions.domains import folded, image
from dpproxy.rewrite.expressions.fact import Fact, Interval, Typed, points
from dpproxy.rewrite.expressions.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.refusals import mismatch, refused
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_LONGEST = Interval(Fraction(0), Fraction(2**32))
_MOST_LETTERS = 2**31 - 1
_MOST_GROWTH = 20


def change_case(node: exp.Expression, walk: Walk) -> Typed:
    """lower(x) and upper(x)."""
    operand = text_of(node, node.this, walk)
    change = str.lower if isinstance(node, exp.Lower) else str.upper
    return _text(type(node)(this=operand.sql), _plain_ascii(change), operand)


def trim(node: exp.Expression, walk: Walk) -> Typed:
    """trim, ltrim, rtrim and btrim of given letters, of spaces if none are given."""
    operand = text_of(node, node.this, walk)
    letters = _constant_text(node, node.args["expression"], walk) if node.args.get("expression") else " "
    side = str(node.args.get("position") or "BOTH").upper()
    strip = {"LEADING": str.lstrip, "TRAILING": str.rstrip, "BOTH": str.strip}[side]
    position = None if side == "BOTH" else side
    sql = exp.Trim(this=operand.sql, expression=exp.Literal.string(letters), position=position)
    return _text(sql, _strings(lambda value: strip(value, letters) if letters else value), operand)


def part(node: exp.Expression, walk: Walk) -> Typed:
    """substring(x, start, length): letters are counted from 1, and positions before 1 hold none."""
    operand = text_of(node, node.this, walk)
    start = _constant_count(node, node.args["start"], walk) if node.args.get("start") else 1
    length = _constant_count(node, node.args["length"], walk) if node.args.get("length") else None
    if length is not None and length < 0:
        raise refused(node, "negative substring length not allowed", "Use a length of 0 or more.")
    end = _MOST_LETTERS if length is None else min(start + length, _MOST_LETTERS)
    first = max(start, 1)
    count = max(end - first, 0)
    sql = exp.Substring(this=operand.sql, start=number(first), length=number(count))
    return _text(sql, _strings(lambda value: value[first - 1 : first - 1 + count]), operand)


def end_part(node: exp.Expression, walk: Walk) -> Typed:
    """left(x, n) and right(x, n); a negative n leaves out that many from the other end."""
    operand = text_of(node, node.this, walk)
    count = _constant_count(node, node.expression, walk)
    left = isinstance(node, exp.Left)
    sql = type(node)(this=operand.sql, expression=number(count))

    def cut(value: str) -> str:
        kept = max(count if count >= 0 else len(value) + count, 0)
        return value[:kept] if left else value[max(len(value) - kept, 0) :]

    return _text(sql, _strings(cut), operand)


def length(node: exp.Expression, walk: Walk) -> Typed:
    """length(x), char_length(x): how many letters."""
    operand = text_of(node, node.this, walk)
    return _count(exp.Length(this=operand.sql), _strings_to(len), operand)


def search(node: exp.Expression, walk: Walk) -> Typed:
    """strpos(x, y), position(y in x): where y first begins, 0 where it is not."""
    operand, sought = text_of(node, node.this, walk), text_of(node, node.args["substr"], walk)
    sql = exp.StrPosition(this=operand.sql, substr=sought.sql)
    return _count(sql, _strings_to(lambda value, other: value.find(other) + 1), operand, sought)


def starts(node: exp.Expression, walk: Walk) -> Typed:
    """starts_with(x, y)."""
    operand, prefix = text_of(node, node.this, walk), text_of(node, node.expression, walk)
    sql = exp.StartsWith(this=operand.sql, expression=prefix.sql)
    return folded(_strings_to(str.startswith), BOOLEAN, operand, prefix) or truth(sql, operand, prefix)


def substitute(node: exp.Expression, walk: Walk) -> Typed:
    """replace(x, from, to) with constants; what makes text longer may stand once only, as nested it grows too far."""
    operand = text_of(node, node.this, walk)
    old = _constant_text(node, node.expression, walk)
    new = _constant_text(node, node.args["replacement"], walk) if node.args.get("replacement") else ""
    grows = len(new.encode()) > len(old.encode())
    if old and grows and (len(new) > _MOST_GROWTH or operand.sql.find(exp.Replace)):
        raise refused(node, "replace() would make the text too long", "Replace by something that is not longer.")
    sql = exp.Replace(this=operand.sql, expression=exp.Literal.string(old), replacement=exp.Literal.string(new))
    return _text(sql, _strings(lambda value: value.replace(old, new) if old else value), operand)


def concatenation(node: exp.Expression, walk: Walk) -> Typed:
    """x || y, where one is text; NULL with a NULL."""
    operands = [walk(node.this), walk(node.expression)]
    if not any(operand.fact.type.family is Family.TEXT for operand in operands):
        raise mismatch(node, *(operand.fact.type for operand in operands))
    left, right = (as_text(node, operand) for operand in operands)
    sql = exp.DPipe(this=atom(left.sql), expression=atom(right.sql), safe=True)
    return _text(sql, _strings_to(lambda value, other: value + other), left, right)


def concat(node: exp.Expression, walk: Walk) -> Typed:
    """concat(x, y, …), which skips NULLs and so is never NULL."""
    operands = [walk(item) for item in node.expressions]
    for operand in operands:
        if operand.fact.type.family is Family.BOOLEAN:
            raise mismatch(node, BOOLEAN)
    texts = [as_text(node, operand) for operand in operands if not is_null(operand)]
    if not texts:
        return constant("", TEXT)
    fold = _strings_to(lambda *values: "".join(values))
    if result := folded(fold, TEXT, *texts):
        return result
    certain = not any(text.fact.nullable for text in texts)
    private = any(text.fact.private for text in texts)
    fact = Fact(TEXT, None, None, image(fold, *texts) if certain else None, False, private, None)
    return Typed(exp.Concat(expressions=[text.sql for text in texts], safe=True, coalesce=True), fact)


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
        raise refused(node, f"{fact.type} as text is not supported over private tables", "Use integer or numeric(p,s).")
    if fact.type.family in (Family.DATE, Family.TIMESTAMP):
        operand = in_years(operand)
    return _text(cast(operand.sql, TEXT), _WRITTEN.get(fact.type.family, _unwritten), operand)


def _unwritten(value: Value) -> Value:
    raise LookupError(value)


_WRITTEN: dict[Family, Callable[[Value], Value]] = {
    Family.INTEGER: str,
    Family.BOOLEAN: lambda value: str(value).lower(),
    Family.DATE: str,
    Family.UUID: str,
}


def _text(sql: exp.Expression, fold: Callable[..., Value], *operands: Typed) -> Typed:
    if result := folded(fold, TEXT, *operands):
        return result
    nullable = any(operand.fact.nullable for operand in operands)
    private = any(operand.fact.private for operand in operands)
    return Typed(sql, Fact(TEXT, None, None, image(fold, *operands), nullable, private, None))


def _count(sql: exp.Expression, fold: Callable[..., Value], *operands: Typed) -> Typed:
    if result := folded(fold, INTEGER, *operands):
        return result
    text = _text(sql, fold, *operands)
    known = replace(text.fact, type=INTEGER, proved=_LONGEST, step=Decimal(1), carrier=BIGINT)
    return Typed(sql, replace(known, interval=points(known.domain)))


def _strings(change: Callable[[str], str]) -> Callable[[Value], Value]:
    return _strings_to(change)


def _strings_to(change: Callable[..., Value]) -> Callable[..., Value]:
    """A function of texts as a fold; a text with a letter that Python may count otherwise is left to the engine."""

    def fold(*values: Value) -> Value:
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) < len(values):
            raise LookupError(values)
        return change(*texts)

    return fold


def _plain_ascii(change: Callable[[str], str]) -> Callable[[Value], Value]:
    def fold(value: Value) -> Value:
        if not isinstance(value, str) or not value.isascii():
            raise LookupError(value)
        return change(value)

    return fold


def _constant_text(node: exp.Expression, argument: exp.Expression, walk: Walk) -> str:
    typed = walk(argument)
    value = value_of(typed)
    if not is_constant(typed) or not isinstance(value, str):
        raise refused(node, f"{node.key}() needs constant text here", "Write the text as a constant.")
    return value


def _constant_count(node: exp.Expression, argument: exp.Expression, walk: Walk) -> int:
    typed = walk(argument)
    value = value_of(typed)
    if not is_constant(typed) or not isinstance(value, int) or abs(value) > _MOST_LETTERS:
        raise refused(node, f"{node.key}() needs constant numbers here", "Write the number as a constant.")
    return value
