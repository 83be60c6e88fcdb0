"""Texts: patterns are constants that compile, counts of letters are constants or in range, codes are letters.

How long a text can grow is not proved here.
"""

from __future__ import annotations

import re

from sqlglot import exp

from dpproxy.catalog.types import Family
from dpproxy.rewrite.checker.castable_patterns import beginning
from dpproxy.rewrite.checker.facts import LETTERS
from dpproxy.rewrite.checker.fault import require
from dpproxy.rewrite.checker.function import ProvedFunction
from dpproxy.rewrite.checker.held import Held, Kind, whole
from dpproxy.rewrite.checker.prover import Prover
from dpproxy.rewrite.checker.syntax import integer

_MOST_LETTERS = 10**7
_LONGEST_PATTERN = 100
"""Far below what a stack of 100 kB holds, the least that Postgres can be told."""
_REPLACED = "this expression replacement modifiers single_replace"


def _texts(node: exp.Expr, at: Prover) -> Held:
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


def _joined(node: exp.Expr, at: Prover) -> Held:
    """|| and CONCAT take values of any type as text."""
    for each in (node.this, node.args.get("expression"), *node.expressions):
        if isinstance(each, exp.Expr):
            at(each)
    return Held(Kind.TEXT)


def _length(node: exp.Expr, at: Prover) -> Held:
    _texts(node, at)
    return whole(at.engine.length_type).within(0, 2**31 - 1)


def _tested(node: exp.Expr, at: Prover) -> Held:
    _texts(node, at)
    return Held(Kind.BOOLEAN)


def _like(node: exp.Expr, at: Prover) -> Held:
    """A pattern that ends in its escape would raise where a row gets that far."""
    _matched(node, at)
    escape, pattern = at.engine.like_escape, node.expression
    closed = not escape or (type(pattern) is exp.Literal and not _is_open(pattern.name, escape))
    require(closed, "a pattern that could end in its escape")
    plain = re.sub(re.escape(escape) + f"[%_{re.escape(escape)}]", "", pattern.name, flags=re.S) if escape else ""
    strict = at.engine.like_escapes_wildcards_alone
    require(not strict or escape not in plain, "a pattern that escapes a letter that needs it not")
    return Held(Kind.BOOLEAN)


def _escaped(node: exp.Expr, at: Prover) -> Held:
    """x LIKE pattern ESCAPE letter; '' is no escape, so that no pattern can end in it."""
    like, escape = node.this, node.expression
    require(
        type(like) in (exp.Like, exp.ILike) and type(escape) is exp.Literal and len(escape.name) <= 1,
        "an escape that is no constant letter",
    )
    _matched(like, at)
    constant = type(like.expression) is exp.Literal
    require(constant or not escape.name, "a pattern that is no constant, with an escape")
    require(not (escape.name and _is_open(like.expression.name, escape.name)), "a pattern that ends in its escape")
    return Held(Kind.BOOLEAN)


def _matched(node: exp.Expr, at: Prover) -> None:
    """Engines go a level deeper for each %, and raise where their stack ends: a pattern of rows is cut to a length."""
    _text(at(node.this), node)
    pattern = node.expression
    _text(at(pattern), node)
    count = integer(pattern.expression) if type(pattern) is exp.Left else None
    cut = count is not None and 0 <= count <= _LONGEST_PATTERN
    require(type(pattern) is exp.Literal or cut, "a pattern of any length")


def _is_open(pattern: str, escape: str) -> bool:
    left = re.sub(re.escape(escape) + ".", "", pattern, flags=re.S)
    return escape in left


def _regex(node: exp.Expr, at: Prover) -> Held:
    _text(at(node.this), node)
    for name in ("expression", "replacement", "modifiers"):
        part = node.args.get(name)
        require(
            part is None or (type(part) is exp.Literal and part.is_string), "a regular expression that is no constant"
        )
    return Held(Kind.BOOLEAN if type(node) is exp.RegexpLike else Kind.TEXT)


def _counted(node: exp.Expr, at: Prover) -> Held:
    """LEFT, RIGHT, SUBSTRING, REPEAT, PAD: a count out of range raises, and in some engines a length below 0."""
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
        require(
            name != "length" or not (negative and at.engine.negative_length_raises),
            "a length that could be less than 0",
        )
        if type(node) in (exp.Repeat, exp.Pad):
            require((count.most or 0) <= _MOST_LETTERS, "a text that could grow without end")
    if node.args.get("fill_pattern") is not None:
        _text(at(node.args["fill_pattern"]), node)
    return Held(
        Kind.TEXT, pattern=beginning(inner.pattern, integer(node.expression) or 0) if type(node) is exp.Left else ""
    )


def _split(node: exp.Expr, at: Prover) -> Held:
    _texts(node, at)
    index = at(node.args["part_index"])
    known = index.ends is not None and all(abs(end) < 2**31 for end in index.ends)
    require(known and (index.apart or not at.engine.split_part_zero_raises), "a part whose number could be 0")
    return Held(Kind.TEXT)


def _letter(node: exp.Expr, at: Prover) -> Held:
    """CHR of a code that is a letter's."""
    for each in node.expressions:
        code = at(each)
        least, most = 0 if at.engine.text_holds_nul else 1, 0x10FFFF if code.pattern == LETTERS else 0xD7FF
        require(
            code.ends is not None and least <= code.ends[0] and code.ends[1] <= most, "CHR of what could be no letter"
        )
    return Held(Kind.TEXT)


def _code(node: exp.Expr, at: Prover) -> Held:
    _texts(node, at)
    return Held(Kind.INTEGER, 0, 0x10FFFF)


def _collated(node: exp.Expr, at: Prover) -> Held:
    _text(at(node.this), node)
    return Held(Kind.TEXT)


def _is_nan(node: exp.Expr, at: Prover) -> Held:
    at(node.this)
    return Held(Kind.BOOLEAN)


FUNCTIONS = (
    ProvedFunction(exp.Lower, "lower", "this", _texts, Family.TEXT, 10),
    ProvedFunction(exp.Upper, "upper", "this", _texts, Family.TEXT, 10),
    ProvedFunction(exp.Trim, "", "this expression position", _texts, Family.TEXT, 10),
    ProvedFunction(exp.Reverse, "reverse", "this", _texts, Family.TEXT, 10),
    ProvedFunction(exp.Initcap, "initcap", "this expression", _texts, Family.TEXT, 10),
    ProvedFunction(exp.Replace, "replace", "this expression replacement", _texts, Family.TEXT, 50),
    ProvedFunction(exp.Translate, "translate", "this from_ to", _texts, Family.TEXT, 10),
    ProvedFunction(exp.MD5, "md5", "this", _texts, Family.TEXT, 20),
    ProvedFunction(exp.DPipe, "", "this expression safe", _joined, Family.TEXT, 10),
    ProvedFunction(exp.Concat, "concat", "expressions safe coalesce", _joined, Family.TEXT, 10),
    ProvedFunction(exp.ConcatWs, "concat_ws", "expressions safe coalesce flatten", _joined, Family.TEXT, 10),
    ProvedFunction(exp.Length, "length", "this binary encoding", _length, Family.INTEGER, 10),
    ProvedFunction(exp.StrPosition, "strpos", "this substr", _length, Family.INTEGER, 10),
    ProvedFunction(exp.StartsWith, "starts_with", "this expression", _tested, Family.BOOLEAN, 10),
    ProvedFunction(exp.Like, "", "this expression negate", _like, Family.BOOLEAN, 20),
    ProvedFunction(exp.ILike, "", "this expression negate", _like, Family.BOOLEAN, 20),
    ProvedFunction(exp.Escape, "", "this expression", _escaped, None, 1),
    ProvedFunction(exp.RegexpLike, "", "this expression", _regex, Family.BOOLEAN, 50),
    ProvedFunction(
        exp.RegexpReplace,
        "regexp_replace",
        _REPLACED,
        _regex,
        Family.TEXT,
        50,
    ),
    ProvedFunction(exp.Left, "left", "this expression", _counted, Family.TEXT, 10),
    ProvedFunction(exp.Right, "right", "this expression", _counted, Family.TEXT, 10),
    ProvedFunction(exp.Substring, "substring", "this start length", _counted, Family.TEXT, 10),
    ProvedFunction(exp.Repeat, "repeat", "this times", _counted, Family.TEXT, 50),
    ProvedFunction(exp.Pad, "", "this expression fill_pattern is_left", _counted, Family.TEXT, 50),
    ProvedFunction(exp.SplitPart, "split_part", "this delimiter part_index", _split, Family.TEXT, 10),
    ProvedFunction(exp.Chr, "chr", "expressions charset", _letter, Family.TEXT, 10),
    ProvedFunction(exp.Ascii, "ascii", "this", _code, Family.INTEGER, 10),
    ProvedFunction(exp.Collate, "", "this expression", _collated, None, 10),
    ProvedFunction(exp.IsNan, "isnan", "this", _is_nan, Family.BOOLEAN, 1),
)
