"""What a pattern takes of a text: substring(x from 'pattern'), the first group of the first match, or all of it.

There is no function for it that engines share, but regexp_replace: with all that is behind the match taken, too, what
it makes of a text is what is before the match, and the part.

    substring(x from '@(.*)$')   CASE WHEN x ~ '@(?:.*)$' THEN
                                   substring(regexp_replace(x, '(@(.*)$)', '\\2'),
                                             length(regexp_replace(x, '(@(.*)$)', '.'))) END
"""

from __future__ import annotations

from typing import assert_never

from sqlglot import exp

from dpproxy.catalog.types import INTEGER, TEXT
from dpproxy.rewrite.expressions.constants.literals import constant, is_null, is_untyped
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.patterns.matches import check_alike, constant_pattern, groups_of, read_pattern, tested
from dpproxy.rewrite.expressions.patterns.regexes import (
    ANY_LETTER,
    End,
    Letters,
    Regex,
    RegexChoice,
    RegexGroup,
    Repeat,
    Row,
    may_be_empty,
    row,
    written,
)
from dpproxy.rewrite.expressions.text import substrings
from dpproxy.rewrite.expressions.text.texts import text_made, text_of
from dpproxy.rewrite.expressions.trees.build import cast, chosen
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_OF_ESCAPE = "Write a regular expression, which needs no FOR: substring(x from '@(.*)$')."
_EMPTY_HINT = "Let it match a letter at least: '[0-9]+' instead of '[0-9]*'; or write what it begins with, as '^a*'."


def part(node: exp.Expression, walk: Walk) -> Typed:
    """substring(x from 'pattern'), and by places: substring(x, start, length)."""
    start = node.args.get("start")
    if start is None or not is_untyped(walk(start)) or is_null(walk(start)):
        return substrings.part(node, walk)
    if node.args.get("length") is not None:
        raise refused(node, "substring() with FOR behind a pattern is not supported over private tables", _OF_ESCAPE)
    return taken_part(node, walk)


def taken_part(node: exp.Expression, walk: Walk) -> Typed:
    """substring(x from 'pattern'): NULL where nothing matches.

    Claim: it is the part of x that Postgres takes. Because: `regexp_replace` finds the same match by the pattern with
    all letters behind it, and what a group takes is alike with them and without them (`check_alike` of both); it leaves
    what is before the match, whose length is that of the other text but for the one letter in place of the match.
    Checked by: tests/test_patterns.py, tests/test_expressions_in_postgres.py.
    """
    operand, pattern = text_of(node, node.this, walk), constant_pattern(node, node.args["start"], walk)
    if pattern is None or is_null(operand):
        return constant(None, TEXT)
    read = read_pattern(node, pattern, False)
    regex = read if groups_of(read) else RegexGroup(read, 1)
    whole = regex if _ends(regex) else row([regex, Repeat(ANY_LETTER, 0, None, False)])
    for each in (regex, whole):
        check_alike(node, each, {1}, everywhere=False)
    if not _starts(regex) and may_be_empty(regex):
        raise refused(node, "the part of a pattern that may match nothing is not supported", _EMPTY_HINT)
    value = Typed(named(operand.sql), operand.fact)
    found, sql = tested(value, regex), _replaced(value, whole, r"\2")
    if not _starts(regex):
        before = cast(exp.Length(this=_replaced(value, whole, ".")), INTEGER)
        sql = exp.Substring(this=sql, start=before)
    return text_made(chosen(found.sql, sql), _left_to_the_engine, operand)


def _replaced(text: Typed, whole: Regex, new: str) -> exp.Expression:
    """A text with one in place of the match, whose own group is the first there is."""
    return exp.RegexpReplace(
        this=text.sql.copy(),
        expression=exp.Literal.string(written(RegexGroup(whole, 0))),
        replacement=exp.Literal.string(new),
        single_replace=True,
    )


def _starts(regex: Regex) -> bool:
    """Whether a match begins with the text, as far as is written at its start."""
    return _outmost(regex, 0) == End(start=True)


def _ends(regex: Regex) -> bool:
    return _outmost(regex, -1) == End(start=False)


def _outmost(regex: Regex, at: int) -> Regex:
    """The first part, or the last."""
    match regex:
        case RegexGroup(inner):
            return _outmost(inner, at)
        case Row(parts) if parts:
            return _outmost(parts[at], at)
        case Letters() | End() | Row() | RegexChoice() | Repeat():
            return regex
        case _:
            assert_never(regex)


def _left_to_the_engine(*values: Value) -> Value:
    raise LookupError(values)
