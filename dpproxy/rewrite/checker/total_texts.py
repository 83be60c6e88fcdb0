"""Texts: patterns are constants that compile, counts of letters are constants or in range, codes are letters.

How long a text can grow is not proved here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from dpproxy.rewrite.checker.facts import LETTERS
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.held import Held, Kind, whole
from dpproxy.rewrite.checker.readings import beginning
from dpproxy.rewrite.checker.syntax import integer

if TYPE_CHECKING:
    from dpproxy.rewrite.checker.total import Total

_MOST_LETTERS = 10**7


def _texts(node: exp.Expr, at: Total) -> Held:
    """A function of texts that raises for none."""
    for name in ("this", "expression", "replacement", "delimiter", "from_", "to", "fill_pattern", "substr"):
        part = node.args.get(name)
        if isinstance(part, exp.Expr):
            _text(at(part), node)
    for each in node.expressions:
        at(each)
    return Held(Kind.TEXT)


def _text(held: Held, node: exp.Expr) -> None:
    require(held.kind in (Kind.TEXT, Kind.NOTHING), f"{type(node).__name__} of a {held.kind.value}")


def _joined(node: exp.Expr, at: Total) -> Held:
    """|| and CONCAT take values of any type as text."""
    for each in (node.this, node.args.get("expression"), *node.expressions):
        if isinstance(each, exp.Expr):
            at(each)
    return Held(Kind.TEXT)


def _length(node: exp.Expr, at: Total) -> Held:
    _texts(node, at)
    return whole(Kind.INTEGER if at.postgres else Kind.BIGINT).within(0, 2**31 - 1)


def _tested(node: exp.Expr, at: Total) -> Held:
    _texts(node, at)
    return Held(Kind.BOOLEAN)


def _like(node: exp.Expr, at: Total) -> Held:
    """A pattern that ends in its escape would raise where a row gets that far."""
    _text(at(node.this), node)
    pattern = node.expression
    _text(at(pattern), node)
    if at.postgres:
        require(
            type(pattern) is exp.Literal and not _is_open(pattern.name, "\\"), "a pattern that could end in its escape"
        )
    return Held(Kind.BOOLEAN)


def _escaped(node: exp.Expr, at: Total) -> Held:
    """x LIKE pattern ESCAPE letter."""
    like, escape = node.this, node.expression
    constant = type(like.expression) is exp.Literal and type(escape) is exp.Literal and len(escape.name) <= 1
    require(type(like) in (exp.Like, exp.ILike) and constant, "a pattern that is no constant, with an escape")
    require(not escape.name or not _is_open(like.expression.name, escape.name), "a pattern that ends in its escape")
    _text(at(like.this), node)
    return Held(Kind.BOOLEAN)


def _is_open(pattern: str, escape: str) -> bool:
    left = re.sub(re.escape(escape) + ".", "", pattern, flags=re.S)
    return escape in left


def _regex(node: exp.Expr, at: Total) -> Held:
    _text(at(node.this), node)
    for name in ("expression", "replacement", "modifiers"):
        part = node.args.get(name)
        require(
            part is None or (type(part) is exp.Literal and part.is_string), "a regular expression that is no constant"
        )
    return Held(Kind.BOOLEAN if type(node) is exp.RegexpLike else Kind.TEXT)


def _counted(node: exp.Expr, at: Total) -> Held:
    """LEFT, RIGHT, SUBSTRING, REPEAT, PAD: Postgres refuses a negative length, and both one out of range."""
    inner = at(node.this)
    _text(inner, node)
    for name in ("expression", "start", "length", "times", "part_index"):
        part = node.args.get(name)
        if part is None:
            continue
        count = at(part)
        if count.kind is Kind.TEXT and type(node) is exp.Pad:
            continue
        known = count.ends is not None and all(abs(end) <= 2**31 for end in count.ends)
        require(known or count.kind is Kind.NOTHING, f"{type(node).__name__} of a count of no known range")
        negative = count.least is not None and count.least < 0
        require(name != "length" or not at.postgres or not negative, "a length that could be less than 0")
        if type(node) in (exp.Repeat, exp.Pad):
            require((count.most or 0) <= _MOST_LETTERS, "a text that could grow without end")
    if node.args.get("fill_pattern") is not None:
        _text(at(node.args["fill_pattern"]), node)
    return Held(
        Kind.TEXT, pattern=beginning(inner.pattern, integer(node.expression) or 0) if type(node) is exp.Left else ""
    )


def _split(node: exp.Expr, at: Total) -> Held:
    _texts(node, at)
    index = at(node.args["part_index"])
    known = index.ends is not None and all(abs(end) < 2**31 for end in index.ends)
    require(known and (index.apart or not at.postgres), "a part whose number could be 0")
    return Held(Kind.TEXT)


def _letter(node: exp.Expr, at: Total) -> Held:
    """CHR of a code that is a letter's."""
    for each in node.expressions:
        code = at(each)
        least, most = 1 if at.postgres else 0, 0x10FFFF if code.pattern == LETTERS else 0xD7FF
        require(
            code.ends is not None and least <= code.ends[0] and code.ends[1] <= most, "CHR of what could be no letter"
        )
    return Held(Kind.TEXT)


def _code(node: exp.Expr, at: Total) -> Held:
    _texts(node, at)
    return Held(Kind.INTEGER, 0, 0x10FFFF)


def _collated(node: exp.Expr, at: Total) -> Held:
    _text(at(node.this), node)
    return Held(Kind.TEXT)


def _is_nan(node: exp.Expr, at: Total) -> Held:
    at(node.this)
    return Held(Kind.BOOLEAN)


RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Total], Held]] = {
    **dict.fromkeys(
        (exp.Lower, exp.Upper, exp.Trim, exp.Reverse, exp.Initcap, exp.Replace, exp.Translate, exp.MD5), _texts
    ),
    **dict.fromkeys((exp.DPipe, exp.Concat, exp.ConcatWs), _joined),
    **dict.fromkeys((exp.Length, exp.StrPosition), _length),
    exp.StartsWith: _tested,
    **dict.fromkeys((exp.Like, exp.ILike), _like),
    exp.Escape: _escaped,
    **dict.fromkeys((exp.RegexpLike, exp.RegexpReplace), _regex),
    **dict.fromkeys((exp.Left, exp.Right, exp.Substring, exp.Repeat, exp.Pad), _counted),
    exp.SplitPart: _split,
    exp.Chr: _letter,
    exp.Ascii: _code,
    exp.Collate: _collated,
    exp.IsNan: _is_nan,
}
