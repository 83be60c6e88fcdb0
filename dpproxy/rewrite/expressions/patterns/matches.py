"""Regular expressions with a constant pattern: ~ ~* !~ !~*, regexp_like, SIMILAR TO, regexp_replace.

A pattern is read as Postgres reads it and written anew, so that Postgres and RE2 understand the same (`regexes`).
Both take time that grows with the text alone, whatever the text, and fail on none: what would replace all matches
slower than that is refused (`ends_soon`).
"""

from __future__ import annotations

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN, TEXT
from dpproxy.rewrite.expressions.constants.arguments import constant_text
from dpproxy.rewrite.expressions.constants.literals import constant, is_constant, is_null, value_of
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.logic.comparison import truth
from dpproxy.rewrite.expressions.logic.quantified import spelled_out
from dpproxy.rewrite.expressions.patterns.regex_extents import ends_soon, reaches_alike, takes_alike
from dpproxy.rewrite.expressions.patterns.regex_reading import Unreadable, read_regex
from dpproxy.rewrite.expressions.patterns.regexes import (
    End,
    Regex,
    RegexGroup,
    children,
    may_be_empty,
    row,
    without_groups,
    written,
)
from dpproxy.rewrite.expressions.patterns.similar import regex_of
from dpproxy.rewrite.expressions.text.growth import check_growth
from dpproxy.rewrite.expressions.text.texts import text_made, text_of
from dpproxy.rewrite.expressions.trees.build import atom
from dpproxy.rewrite.expressions.trees.refusals import refused
from dpproxy.rewrite.expressions.walk import Walk
from dpproxy.rows import Value

_HINT = (
    "Patterns may hold letters, ., [sets], \\d \\w \\s, ^ $, ( ), | and repetitions; or use LIKE with % and _,"
    " starts_with, split_part."
)
_WORDS = r"Write '(^|\W)word(\W|$)' for whole words."
_INSTEAD = {
    **dict.fromkeys((r"\m", r"\M", r"\y", r"\b", r"\B", r"\Y"), _WORDS),
    **dict.fromkeys(("(?=", "(?!", "(?<"), "Write two conditions: x ~ 'a' AND x !~ 'b', or LIKE."),
    "a repetition of a repetition": r"Put the inner one into ( ), as in '(a{2}){3}', or use LIKE.",
}
_REPLACE_HINT = (
    "Write '[^-]*-' instead of '.*?-', 'a+' instead of 'a*', 'abc|ab' instead of 'ab|abc'; or use replace(x, 'a', 'b')."
)
_SOON_HINT = "Let a match end where it can: 'a[^-]*-' instead of 'a([^-]*-)?'; or leave the flag g away."
_MOST_GROUPS = 8
_LONGEST = 1_000


def matches(node: exp.Expression, walk: Walk) -> Typed:
    """x ~ 'pattern', x ~* 'pattern' and regexp_like(x, 'pattern', 'flags')."""
    each = spelled_out(node)
    if each is not None:
        return walk(each)
    operand, pattern = text_of(node, node.this, walk), constant_pattern(node, node.expression, walk)
    flags = constant_text(node, node.args["flag"], walk) if node.args.get("flag") else ""
    if pattern is None or flags is None:
        return constant(None, BOOLEAN)
    ignores_case = _ignores_case(node, flags, "ics") or isinstance(node, exp.RegexpILike)
    return tested(operand, read_pattern(node, pattern, ignores_case))


def similar_to(node: exp.Expression, walk: Walk) -> Typed:
    """x SIMILAR TO 'pattern'."""
    return similar(node, walk, "\\")


def similar(node: exp.Expression, walk: Walk, escape: str | None) -> Typed:
    """x SIMILAR TO 'pattern' ESCAPE 'letter': the whole of x."""
    operand, pattern = text_of(node, node.this, walk), constant_pattern(node, node.expression, walk)
    if pattern is None or escape is None:
        return constant(None, BOOLEAN)
    try:
        inner = read_pattern(node, f"(?:{regex_of(pattern, escape)})", False)
    except Unreadable as fault:
        raise _refusal(node, fault) from None
    return tested(operand, row([End(start=True), inner, End(start=False)]))


def replacement(node: exp.Expression, walk: Walk) -> Typed:
    """regexp_replace(x, 'pattern', 'replacement', 'flags'): the first match, with the flag g all of them."""
    operand, pattern = text_of(node, node.this, walk), constant_pattern(node, node.expression, walk)
    new = constant_text(node, node.args["replacement"], walk) if node.args.get("replacement") else ""
    # The parser takes flags that are a parameter for a position to start at.
    written_flags = node.args.get("modifiers") or node.args.get("position")
    flags = constant_text(node, written_flags, walk) if written_flags else ""
    if pattern is None or new is None or flags is None:
        return constant(None, TEXT)
    regex, pieces = read_pattern(node, pattern, _ignores_case(node, flags, "gics")), _pieces(new)
    taken = {piece for piece in pieces if isinstance(piece, int) and piece}
    check_alike(node, regex, taken & groups_of(regex), everywhere="g" in flags)
    check_growth(node, operand, _growth(regex, pieces))
    # The whole match is a group, too, so that it has a number in both engines.
    wrapped = exp.Literal.string(written(RegexGroup(regex, 0)))
    sql = exp.RegexpReplace(
        this=operand.sql,
        expression=wrapped,
        replacement=exp.Literal.string(_written_pieces(pieces, groups_of(regex))),
        modifiers=exp.Literal.string("g") if "g" in flags else None,
        single_replace=True,
    )
    return text_made(sql, _left_to_the_engine, operand)


def tested(operand: Typed, regex: Regex) -> Typed:
    """Whether a text has a match."""
    if is_null(operand):
        return constant(None, BOOLEAN)
    text = exp.Literal.string(written(without_groups(regex)))
    return truth(exp.RegexpLike(this=atom(operand.sql), expression=text), operand)


def constant_pattern(node: exp.Expression, argument: exp.Expression, walk: Walk) -> str | None:
    """The letters of a pattern; None where it is NULL."""
    typed = walk(argument)
    value = value_of(typed)
    if is_null(typed):
        return None
    if not is_constant(typed) or not isinstance(value, str) or len(value) > _LONGEST:
        hint = "Write it as a text or a parameter; strpos(x, y) > 0 and starts_with(x, y) take columns."
        raise refused(node, "the pattern must be a constant of at most 1000 letters", hint)
    return value


def read_pattern(node: exp.Expression, pattern: str, ignores_case: bool) -> Regex:
    """The tree of a pattern, or the refusal of what engines read differently."""
    try:
        return read_regex(pattern, ignores_case)
    except Unreadable as fault:
        raise _refusal(node, fault) from None


def _refusal(node: exp.Expression, fault: Unreadable) -> Exception:
    hint = _INSTEAD.get(str(fault), _HINT)
    return refused(node, f"{fault} is not supported in a pattern over private tables", hint)


def _ignores_case(node: exp.Expression, flags: str, known: str) -> bool:
    """Whether i is the last word on it."""
    if not set(flags) <= set(known):
        raise refused(
            node, f"the flags '{flags}' are not supported over private tables", f"Flags are {', '.join(known)}."
        )
    return flags.rfind("i") > flags.rfind("c")


def check_alike(node: exp.Expression, regex: Regex, taken: set[int], everywhere: bool) -> None:
    """Raises FeatureNotSupported where engines find other matches of it, or other parts in them."""
    if everywhere and may_be_empty(regex):
        raise refused(node, "replacing every empty match is not supported over private tables", _REPLACE_HINT)
    if max(taken, default=0) > _MOST_GROUPS or not (reaches_alike(regex) and takes_alike(regex, taken)):
        raise refused(node, "engines do not agree on which part of a text this pattern would replace", _REPLACE_HINT)
    if everywhere and not ends_soon(regex):
        raise refused(node, "replacing every match of this pattern could take very long", _SOON_HINT)


def groups_of(regex: Regex) -> set[int]:
    """The numbers of its groups."""
    inner = {number for child in children(regex) for number in groups_of(child)}
    return inner | {regex.number} if isinstance(regex, RegexGroup) else inner


def _pieces(new: str) -> list[str | int]:
    """A replacement as Postgres reads it: letters, and the numbers of groups, 0 for the whole match."""
    pieces: list[str | int] = []
    letters = iter(range(len(new)))
    for at in letters:
        following = new[at + 1 : at + 2]
        if new[at] != "\\" or following not in tuple("123456789&\\"):
            pieces.append(new[at])
            continue
        next(letters)
        pieces.append("\\" if following == "\\" else int(following.replace("&", "0")))
    return pieces


def _written_pieces(pieces: list[str | int], groups: set[int]) -> str:
    """The same for both engines, where the whole match is group 1; a group that is not there is empty."""
    written_ = [
        f"\\{piece + 1}" if isinstance(piece, int) else piece.replace("\\", "\\\\")
        for piece in pieces
        if isinstance(piece, str) or piece == 0 or piece in groups
    ]
    return "".join(written_)


def _growth(regex: Regex, pieces: list[str | int]) -> int:
    """How many times as long as the text the result may be."""
    copies = sum(isinstance(piece, int) for piece in pieces)
    letters = len("".join(piece for piece in pieces if isinstance(piece, str)).encode())
    shrinks = copies == 0 and letters <= 1 and not may_be_empty(regex)
    return 1 if shrinks else max(copies + letters, 1 if letters == 0 else 2)


def _left_to_the_engine(*values: Value) -> Value:
    raise LookupError(values)
