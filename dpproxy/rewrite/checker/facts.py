"""What a condition says of the values that it compares with constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dpproxy.rewrite.checker.held import LEAST_EXPONENT, Held, Number
from dpproxy.rewrite.checker.syntax import bare

LETTERS = "codes of letters"
"""In place of a pattern, of a number that is no half of a surrogate pair."""


@dataclass(frozen=True, slots=True)
class Said:
    """x is NULL, or no less than `least`, no more than `most`, not 0, and a text that matched `pattern`; a
    floating-point number is no smaller in size than 2**fine."""

    node: exp.Expr
    least: Number = None
    most: Number = None
    apart: bool = False
    pattern: str = ""
    fine: int = LEAST_EXPONENT


Told = tuple[Said, ...]
_STRICT = (exp.Left, exp.Right, exp.Substring, exp.SplitPart, exp.Nullif)
_OPPOSITE: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
}
_TURNED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}


def said(condition: exp.Expr, true: bool, at: Callable[[exp.Expr], Held]) -> Told:
    """What the condition says where it is true, or where it is not: then a value may be NULL."""
    return tuple(_said(bare(condition), true, at))


def _said(node: exp.Expr, true: bool, at: Callable[[exp.Expr], Held]) -> Iterator[Said]:
    kind = type(node)
    if (kind is exp.And and true) or (kind is exp.Or and not true):
        yield from _said(bare(node.this), true, at)
        yield from _said(bare(node.expression), true, at)
    elif kind is exp.Or and true:
        yield from _one_of(bare(node.this), bare(node.expression), at)
    elif kind is exp.Not:
        yield from _denied(bare(node.this), true, at)
    elif kind is exp.Between and true:
        low, high = at(node.args["low"]), at(node.args["high"])
        yield Said(bare(node.this), low.least, high.most)
    elif kind is exp.RegexpLike and true and _is_text(node.expression):
        yield from _matched(bare(node.this), node.expression.name)
    elif kind in _TURNED:
        yield from _compared(kind, node, true, at)


def _matched(text: exp.Expr, pattern: str) -> Iterator[Said]:
    """A CASE of one value that matched is that value: else it were NULL, which matches nothing."""
    yield Said(text, pattern=pattern)
    whole = _whole(text)
    if whole is not text:
        yield Said(whole, pattern=pattern)


def _whole(text: exp.Expr) -> exp.Expr:
    """The text without a CASE of one value in it, where all around that is NULL for NULL."""
    text = bare(text)
    if type(text) is exp.Case and text.this is None:
        return _whole_case(text)
    if type(text) in _STRICT and (inner := _whole(text.this)) is not text.this:
        made = text.copy()
        made.set("this", inner.copy())
        return made
    return text


def _whole_case(case: exp.Expr) -> exp.Expr:
    branches, default = case.args["ifs"], case.args.get("default")
    if len(branches) == 1 and default is None:
        return _whole(branches[0].args["true"])
    made = case.copy()
    for branch in made.args["ifs"]:
        branch.set("true", _whole(branch.args["true"]).copy())
    if default is not None:
        made.set("default", _whole(default).copy())
    return case if made == case else made


def _one_of(left: exp.Expr, right: exp.Expr, at: Callable[[exp.Expr], Held]) -> Iterator[Said]:
    """What both sides of an OR say of one value."""
    for one in said(left, True, at):
        for other in said(right, True, at):
            ends, ends_too = (one.least, one.most), (other.least, other.most)
            if one.node == other.node and None not in (*ends, *ends_too):
                apart = one.most < 0xD800 and other.least > 0xDFFF
                least, most = min(one.least, other.least), max(one.most, other.most)
                yield Said(one.node, least, most, pattern=LETTERS if apart else "")


def _denied(node: exp.Expr, true: bool, at: Callable[[exp.Expr], Held]) -> Iterator[Said]:
    """NOT x is not true where x is true, or NULL: then its parts may be NULL, of which nothing is wrong."""
    if true:
        yield from _said(node, False, at)


def _compared(kind: type[exp.Expr], node: exp.Expr, true: bool, at: Callable[[exp.Expr], Held]) -> Iterator[Said]:
    for one, other, way in (
        (node.this, node.expression, kind),
        (node.expression, node.this, _TURNED[kind]),
    ):
        end = at(other)
        holds = way if true else _OPPOSITE.get(way)
        if end.ends is None or (holds is None and way is not exp.EQ):
            continue
        yield from _ended(bare(one), holds or exp.NEQ, end.least, end.most)


def _ended(node: exp.Expr, way: type[exp.Expr], least: Number | None, most: Number | None) -> Iterator[Said]:
    strict = way in (exp.LT, exp.GT)
    if way in (exp.LT, exp.LTE):
        yield Said(node, None, most, strict and most == 0)
    elif way in (exp.GT, exp.GTE):
        yield Said(node, least, None, strict and least == 0)
        if type(node) is exp.Abs and least is not None and least > 0:
            yield Said(bare(node.this), apart=True, fine=math.frexp(float(least))[1] - 1)
    elif way is exp.EQ:
        yield Said(node, least, most)
    elif way is exp.NEQ and least == most == 0:
        yield Said(node, apart=True)


def _is_text(node: exp.Expr) -> bool:
    return type(node) is exp.Literal and bool(node.is_string)
