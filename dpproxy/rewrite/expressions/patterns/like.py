"""LIKE and ILIKE.

Postgres escapes with a backslash unless told otherwise and DuckDB with nothing, so a constant pattern with escapes is
written anew with an escape letter that both are told of. One that a row makes is read with no escape at all: it is NULL
where it has one, or is long. So neither a last escape can raise, nor many % use up the engine's stack.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.logic.comparison import truth
from dpproxy.rewrite.expressions.logic.quantified import spelled_out
from dpproxy.rewrite.expressions.patterns.matches import similar
from dpproxy.rewrite.expressions.text.texts import text_of
from dpproxy.rewrite.expressions.trees.build import atom, chosen, every, number
from dpproxy.rewrite.expressions.trees.refusals import refused, unsupported
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rewrite.expressions.walk import Walk

_ESCAPE = "!"
_HINT = "Use a constant pattern with % and _, and an ESCAPE of one letter."
_LONGEST = 100
"""Letters of a pattern that a row makes."""


def like(node: exp.Expression, walk: Walk) -> Typed:
    """x [NOT] LIKE 'pattern' and ILIKE; with ANY or ALL of an array, one by one."""
    each = spelled_out(node)
    return _matched(node, node, walk, "\\") if each is None else walk(each)


def escaped(node: exp.Expression, walk: Walk) -> Typed:
    """x LIKE 'pattern' ESCAPE 'letter', and SIMILAR TO with it."""
    escape = _constant(node, node.expression, walk)
    if escape is not None and len(escape) > 1:
        raise refused(node, "invalid escape string", _HINT)
    if isinstance(node.this, exp.SimilarTo):
        return similar(node.this, walk, escape)
    if not isinstance(node.this, exp.Like | exp.ILike):
        raise unsupported(node)
    return _matched(node, node.this, walk, escape)


def plain_text(node: exp.Expression, pattern: str, escape: str) -> str | None:
    """The one text that a pattern of LIKE matches; None where it has a % or _ that stands for others."""
    pieces = _pieces(node, pattern, escape)
    return None if any(wild for _, wild in pieces) else "".join(letter for letter, _ in pieces)


def _matched(node: exp.Expression, test: exp.Expression, walk: Walk, escape: str | None) -> Typed:
    operand = text_of(test, test.this, walk)
    if not is_constant(made := walk(test.expression)) and not is_null(made) and not is_null(operand):
        return _of_row(node, test, operand, text_of(test, test.expression, walk), escape)
    pattern = _constant(node, test.expression, walk)
    if pattern is None or escape is None or is_null(operand):
        return constant(None, BOOLEAN)
    rewritten, needs_escape = _rewritten(_pieces(node, pattern, escape))
    sql: exp.Expression = type(test)(this=atom(operand.sql), expression=exp.Literal.string(rewritten))
    if needs_escape:
        sql = exp.Escape(this=sql, expression=exp.Literal.string(_ESCAPE))
    return truth(exp.Not(this=exp.Paren(this=sql)) if test.args.get("negate") else sql, operand)


def _of_row(node: exp.Expression, test: exp.Expression, operand: Typed, pattern: Typed, escape: str | None) -> Typed:
    """With a pattern that a row makes.

    Claim: no engine raises, and none goes more than _LONGEST levels deep. Because: ESCAPE '' is no escape, the pattern
    is cut to so many letters, and engines go a level deeper for a % at most. Checked by: tests/test_expressions.py.
    """
    if escape is None:
        return constant(None, BOOLEAN)
    if escape and any(escape in part for part in _written(test.expression)):
        hint = "Look for the letters themselves: strpos(x, y) > 0, starts_with(x, y), or a constant pattern."
        raise refused(node, "an escape in a pattern that is no constant is not supported over private tables", hint)
    text = named(pattern.sql)
    conditions: list[exp.Expression] = [exp.LTE(this=exp.Length(this=text), expression=number(_LONGEST))]
    if escape:
        found = exp.StrPosition(this=text.copy(), substr=exp.Literal.string(escape))
        conditions.append(exp.EQ(this=found, expression=number(0)))
    cut = exp.Left(this=text.copy(), expression=number(_LONGEST))
    sql = exp.Escape(this=type(test)(this=atom(operand.sql), expression=cut), expression=exp.Literal.string(""))
    made = exp.Not(this=exp.Paren(this=sql)) if test.args.get("negate") else sql
    return truth(chosen(every(conditions), made), operand, pattern, nullable=True)


def _written(pattern: exp.Expr) -> Iterator[str]:
    """The constants that a pattern is put together of."""
    match pattern:
        case exp.Literal():
            yield pattern.name
        case exp.DPipe() | exp.Concat() | exp.Paren():
            for part in pattern.iter_expressions():
                yield from _written(part)
        case _:
            return


def _pieces(node: exp.Expression, pattern: str, escape: str) -> list[tuple[str, bool]]:
    """The pattern's letters, and whether each stands for others."""
    pieces: list[tuple[str, bool]] = []
    letters = iter(pattern)
    for letter in letters:
        wild = letter in "%_"
        if escape and letter == escape:
            letter, wild = next(letters, ""), False
            if not letter:
                raise refused(node, "LIKE pattern must not end with escape character", _HINT)
        pieces.append((letter, wild))
    return pieces


def _rewritten(pieces: list[tuple[str, bool]]) -> tuple[str, bool]:
    """The pattern with its escapes written anew, and whether it has letters that need them."""
    if not any(letter in "%_\\" and not wild for letter, wild in pieces):
        return "".join(letter for letter, _ in pieces), False
    escaped = [_ESCAPE + letter if not wild and letter in f"%_{_ESCAPE}" else letter for letter, wild in pieces]
    return "".join(escaped), True


def _constant(node: exp.Expression, argument: exp.Expression, walk: Walk) -> str | None:
    """A constant pattern or escape; None for NULL."""
    typed = walk(argument)
    value = value_of(typed)
    if is_null(typed):
        return None
    if not is_constant(typed) or not isinstance(value, str):
        raise refused(node, "the pattern of LIKE must be a constant", _HINT)
    return value
