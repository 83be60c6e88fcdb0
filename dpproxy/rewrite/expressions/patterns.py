"""LIKE and ILIKE with a constant pattern.

Postgres escapes with a backslash unless told otherwise and DuckDB with nothing, so a pattern with escapes is written
anew with an escape letter that both are told of.
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.rewrite.expressions.build import atom
from dpproxy.rewrite.expressions.comparison import truth
from dpproxy.rewrite.expressions.fact import Typed
from dpproxy.rewrite.expressions.literals import is_constant, value_of
from dpproxy.rewrite.expressions.refusals import refused, unsupported
from dpproxy.rewrite.expressions.texts import text_of
from dpproxy.rewrite.expressions.walk import Walk

_ESCAPE = "!"
_HINT = "Use a constant pattern with % and _, and an ESCAPE of one letter."


def like(node: exp.Expression, walk: Walk) -> Typed:
    """x [NOT] LIKE 'pattern' and ILIKE."""
    return _matched(node, node, walk, "\\")


def escaped(node: exp.Expression, walk: Walk) -> Typed:
    """x LIKE 'pattern' ESCAPE 'letter'."""
    if not isinstance(node.this, exp.Like | exp.ILike):
        raise unsupported(node)
    return _matched(node, node.this, walk, _constant(node, node.expression, walk))


def _matched(node: exp.Expression, test: exp.Expression, walk: Walk, escape: str) -> Typed:
    operand = text_of(test, test.this, walk)
    if len(escape) > 1:
        raise refused(node, "invalid escape string", _HINT)
    pattern, needs_escape = _rewritten(node, _constant(node, test.expression, walk), escape)
    sql: exp.Expression = type(test)(this=atom(operand.sql), expression=exp.Literal.string(pattern))
    if needs_escape:
        sql = exp.Escape(this=sql, expression=exp.Literal.string(_ESCAPE))
    return truth(exp.Not(this=exp.Paren(this=sql)) if test.args.get("negate") else sql, operand)


def _rewritten(node: exp.Expression, pattern: str, escape: str) -> tuple[str, bool]:
    """The pattern with its escapes written anew, and whether it has letters that need them."""
    parts: list[str] = []
    needs = False
    letters = iter(pattern)
    for letter in letters:
        plain = letter not in "%_"
        if escape and letter == escape:
            letter, plain = next(letters, ""), True
            if not letter:
                raise refused(node, "LIKE pattern must not end with escape character", _HINT)
        needs = needs or (plain and letter in "%_\\")
        parts.append(_ESCAPE + letter if plain and letter in f"%_{_ESCAPE}" else letter)
    rewritten = "".join(parts)
    return (rewritten, True) if needs else (rewritten.replace(_ESCAPE * 2, _ESCAPE), False)


def _constant(node: exp.Expression, argument: exp.Expression, walk: Walk) -> str:
    typed = walk(argument)
    value = value_of(typed)
    if not is_constant(typed) or not isinstance(value, str):
        raise refused(node, "the pattern of LIKE must be a constant", _HINT)
    return value
