"""Which functions of texts Spark has, and of which: none grows a text without an end, and none raises.

Checked by: tests/spark/test_spark_values.py, tests/spark/test_spark_texts.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from dpproxy.engines.spark.dialect.refusals import bare, refused

_LONGEST_WORD: Final = 20
SHORT: Final = (exp.Upper, exp.Lower, exp.Literal)
CUT: Final = (exp.Column, exp.Substring, exp.Left, exp.Right, exp.Trim, exp.Reverse, exp.Translate, exp.SplitPart)
"""Texts of some length, whatever they are made of; and those that may be as long as a column's."""
MADE: Final = (
    *(*SHORT, exp.Cast, exp.TimeToStr, exp.MD5, exp.DPipe, exp.Concat, exp.ConcatWs, exp.Replace, exp.RegexpReplace),
    *(exp.Pad, exp.Repeat),
)
"""Texts that are made, of what is held to a length where it is not made itself."""
CHOSEN: Final = (exp.Coalesce, exp.Case, exp.Nullif)


def _joined(node: exp.Expr, held: object) -> None:
    """Texts that are made, cut or chosen of such, none of which is written twice within another."""
    for side in map(bare, node.expressions or (node.this, node.expression)):
        chosen = isinstance(side, CHOSEN) and not any(isinstance(each, _GROWN) for each in side.walk())
        if not (isinstance(side, (*CUT, *MADE)) or chosen):
            raise refused(f"{type(node).__name__} of such a text")


_GROWN: Final = (exp.DPipe, exp.Concat, exp.ConcatWs, exp.Replace, exp.RegexpReplace, exp.Repeat)


def _replaced(node: exp.Expr, held: object) -> None:
    """A word by another one, both constants: the text grows by no more than their lengths."""
    words = node.expression, node.args["replacement"]
    short = all(isinstance(each, exp.Literal) and each.is_string and len(each.name) <= _LONGEST_WORD for each in words)
    if not (short and node.expression.name and isinstance(node.this, (*CUT, *MADE))):
        raise refused("REPLACE of such texts")


def _part(node: exp.Expr, held: object) -> None:
    """Letters by constant places, from the first one: Spark counts what is below from the end."""
    for name, least in (("start", 1), ("length", 0), ("expression", 0)):
        count = node.args.get(name)
        if count is not None and not _is_count(count, least):
            raise refused(f"{type(node).__name__} with such places")


def _is_count(count: exp.Expr, least: int) -> bool:
    return isinstance(count, exp.Literal) and count.name.isdecimal() and least <= int(count.name) < 2**31


def _end(node: exp.Expr, held: object) -> None:
    """So many letters, or all but so many (`writing`)."""
    if left_out(node) is None:
        _part(node, held)


def left_out(node: exp.Expr) -> int | None:
    """How many letters LEFT or RIGHT leaves out, for a constant below 0."""
    count = node.expression
    shown = count.this if isinstance(count, exp.Neg) else count
    if not isinstance(shown, exp.Literal) or not re.fullmatch("-?[0-9]{1,9}", shown.name):
        return None
    value = -int(shown.name) if isinstance(count, exp.Neg) else int(shown.name)
    return -value if value < 0 else None


def _padded(node: exp.Expr, held: object) -> None:
    """To a constant number of letters, with a constant that is not empty."""
    fill = node.args.get("fill_pattern")
    if not (_is_count(node.expression, 0) and isinstance(fill, exp.Literal) and fill.name):
        raise refused("LPAD or RPAD of such texts")


def _between(node: exp.Expr, held: object) -> None:
    """A part by its constant number, from either end, or by a number of the row's, which is one from 1 on."""
    index, delimiter = node.args["part_index"], node.args["delimiter"]
    index = index.this if isinstance(index, exp.Neg) else index
    numbered = isinstance(index, exp.Literal) and re.fullmatch("-?[1-9][0-9]{0,8}", index.name)
    if not ((numbered or isinstance(index, exp.Column)) and isinstance(delimiter, exp.Literal) and delimiter.name):
        raise refused("SPLIT_PART of such texts")


def _repeated(node: exp.Expr, held: object) -> None:
    """A few times, of what is held to a length (`writing`)."""
    times = node.args["times"]
    if not (_is_count(times, 0) and int(times.name) <= _LONGEST_WORD and isinstance(node.this, (*CUT, exp.Literal))):
        raise refused("REPEAT of such texts")


def _escaped(node: exp.Expr, held: object) -> None:
    """By a constant letter, in a pattern that is one, too: it is written with Spark's own (`writing`)."""
    if len(node.expression.name) != 1 or not isinstance(node.this.expression, exp.Literal):
        raise refused("LIKE of such a pattern")


def _pattern(node: exp.Expr, held: object) -> None:
    """A constant, in which nothing is escaped: Spark raises where a letter is that needs none."""
    plain = isinstance(node.parent, exp.Escape) or "\\" not in node.expression.name
    if not (isinstance(node.expression, exp.Literal) and plain):
        raise refused(f"{type(node).__name__} of such a pattern")


def _letters(node: exp.Expr, held: object) -> None:
    """Of a column, whose texts are held to a length (`writing`), or of what is made of such."""
    if not isinstance(node.this, (*CUT, *SHORT)):
        raise refused(f"{type(node).__name__} of such a text")


RULES: Final[Mapping[type[exp.Expr], Callable[[exp.Expr, object], None]]] = {
    exp.DPipe: _joined,
    exp.Concat: _joined,
    exp.ConcatWs: _joined,
    exp.Replace: _replaced,
    exp.Substring: _part,
    exp.Left: _end,
    exp.Right: _end,
    exp.Like: _pattern,
    exp.ILike: _pattern,
    exp.Upper: _letters,
    exp.Lower: _letters,
    exp.Pad: _padded,
    exp.SplitPart: _between,
    exp.Repeat: _repeated,
    exp.Escape: _escaped,
}
