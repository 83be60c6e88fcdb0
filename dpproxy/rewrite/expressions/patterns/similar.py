"""SIMILAR TO as a regular expression, letter by letter as Postgres itself rewrites it."""

from __future__ import annotations

import re

from dpproxy.rewrite.expressions.patterns.regex_reading import Unreadable

_WILD = {"%": ".*", "_": ".", "(": "(?:"}
_NESTS = {"(": 1, ")": -1}
_PLAIN = "\\.^$"
_ODD_SET = re.compile(r"\^?\]|\^\^|\^?(?!\[:[a-z]+:\]\])[^]]*\[")


def regex_of(pattern: str, escape: str) -> str:
    """The regular expression in Postgres's words, without the ^ and $ around it.

    What follows the escape letter keeps its backslash, so that `\\d` is a digit here, too. Sets that versions of
    Postgres read differently are refused, and so are parentheses out of order: `)|(` would close the group that
    Postgres puts around the pattern. Raises Unreadable.
    """
    parts: list[str] = []
    in_set = escaped = False
    depth = 0
    for at, letter in enumerate(pattern):
        if escaped:
            parts.append(_escaped(letter))
        elif in_set and letter != escape:
            parts.append("\\\\" if letter == "\\" else letter)
            in_set = letter != "]"
        elif letter != escape:
            in_set = letter == "["
            if in_set and _ODD_SET.match(pattern, at + 1):
                raise Unreadable(pattern[at : at + 4])
            depth += _NESTS.get(letter, 0)
            if depth < 0:
                raise Unreadable("a ) that nothing opened")
            parts.append(_WILD.get(letter) or (f"\\{letter}" if letter in _PLAIN else letter))
        escaped = letter == escape and not escaped
    if escaped or in_set or depth:
        raise Unreadable("an end that comes too early")
    return "".join(parts)


def _escaped(letter: str) -> str:
    if letter == '"':
        raise Unreadable('a " after the escape')
    return f"\\{letter}"
