"""regexp_replace() without a matcher: letters taken out or changed, words changed, and letters taken off at the ends.

    [0-9]+ by nothing, everywhere     TRANSLATE(x, '0123456789', '')
    [^0-9] by nothing, everywhere     TRANSLATE(x, TRANSLATE(x, '0123456789', ''), '')
    [-/] by a letter, everywhere      TRANSLATE(x, '-/', '..')
    a word by another, everywhere     REPLACE(x, 'word', 'other')
    ^0+ and \\s+$ by nothing          TRIM(LEADING '0' FROM x), TRIM(TRAILING '…' FROM x)

Why no other: `regexes`. Checked by: tests/spark/test_spark_texts.py.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from dpproxy.rewrite.expressions.patterns.regex_reading import Unreadable, read_regex
from dpproxy.rewrite.expressions.patterns.regexes import (
    End,
    Letters,
    Regex,
    RegexChoice,
    RegexGroup,
    Repeat,
    Row,
    without_groups,
)
from dpproxy.rewrite.expressions.trees.build import atom

_ASCII: Final = 127
_LONGEST_WORD: Final = 20
_START, _END = End(start=True), End(start=False)


def replaced(node: exp.Expr) -> exp.Expression | None:
    """What has the same value, and needs no matcher; None where that is not known here. The text is copied into it.

    Claim: it is the text in which what matches is replaced, all of it or the first. Because: letters of a set, and runs
    of one or more of them, are all letters of the set where they are replaced by nothing; a word is found from the
    left, and does not overlap with the one before, in both; a run at an end is all letters of its set there. Of NULL it
    is NULL. Checked by: tests/spark/test_spark_texts.py, against Python's own matcher.
    """
    new, everywhere = node.args["replacement"].name, node.args.get("modifiers") is not None
    try:
        regex = _bare(read_regex(node.expression.name, ignores_case=False))
    except Unreadable:
        return None
    if "\\" in new:
        return None
    if not new and (trimmed := _trimmed(node.this, regex, everywhere)) is not None:
        return trimmed
    return _everywhere(node.this, regex, new) if everywhere else None


def _bare(regex: Regex) -> Regex:
    inner = without_groups(regex)
    while isinstance(inner, RegexGroup):
        inner = inner.inner
    return inner


def _everywhere(text: exp.Expression, regex: Regex, new: str) -> exp.Expression | None:
    if (word := _word(regex)) is not None and max(len(word), len(new)) <= _LONGEST_WORD:
        words = {"expression": exp.Literal.string(word), "replacement": exp.Literal.string(new)}
        return exp.Replace(this=text.copy(), **words)
    match regex:
        case Letters() | Repeat(Letters(), 1, None, False) if not new:
            return _without(text, regex if isinstance(regex, Letters) else regex.inner)
        case Letters() if len(new) == 1 and new.isascii() and (known := _all(regex)):
            return _translated(text, exp.Literal.string(known), new * len(known))
        case _:
            return None


def _word(regex: Regex) -> str | None:
    """The letters of a pattern that has one word."""
    found = [_all(each) if isinstance(each, Letters) else None for each in _parts(regex)]
    return "".join(each or "" for each in found) if found and all(each and len(each) == 1 for each in found) else None


def _without(text: exp.Expression, letters: Regex) -> exp.Expression | None:
    """Of all letters but a few, those are taken out that are left without the few."""
    assert isinstance(letters, Letters)
    if known := _all(letters):
        return _translated(text, exp.Literal.string(known), "")
    if kept := _all(letters.inverted()):
        return _translated(text, _translated(text, exp.Literal.string(kept), ""), "")
    return None


def _translated(text: exp.Expression, letters: exp.Expression, others: str) -> exp.Expression:
    return exp.Translate(this=text.copy(), from_=letters, to=exp.Literal.string(others))


def _trimmed(text: exp.Expression, regex: Regex, everywhere: bool) -> exp.Expression | None:
    """Without runs of letters at one end, or at both where all of them are replaced."""
    branches = regex.branches if isinstance(regex, RegexChoice) else (regex,)
    if len(branches) > 1 and not everywhere:
        return None
    made: exp.Expression = text.copy()
    for branch in branches:
        match _parts(branch):
            case (End(start=True), Repeat(Letters() as letters, 0 | 1, None, False)) if known := _all(letters):
                position = "LEADING"
            case (Repeat(Letters() as letters, 0 | 1, None, False), End(start=False)) if known := _all(letters):
                position = "TRAILING"
            case _:
                return None
        made = exp.Trim(this=atom(made), expression=exp.Literal.string(known), position=position)
    return made


def _parts(regex: Regex) -> tuple[Regex, ...]:
    return regex.parts if isinstance(regex, Row) else (regex,)


def _all(letters: Letters) -> str | None:
    """The letters of a set of ASCII alone; None for one with others, or with the letter of number 0."""
    if not letters.ranges or letters.ranges[-1][1] > _ASCII or not letters.ranges[0][0]:
        return None
    return "".join(chr(point) for first, last in letters.ranges for point in range(first, last + 1))
