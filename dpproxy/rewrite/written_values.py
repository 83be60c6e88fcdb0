"""Values that a text has written out where they may be bare, and the text with parameters in their places.

In texts with other quotes, comments or escapes none is looked for, and what is within a literal is a part of it.
Checked by: tests/test_plans_alike.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count as count_from
from typing import Final

from dpproxy.rewrite.question import Parameter
from dpproxy.rewrite.value_classes import is_day

# Words, names, literals and signs of a text, one after the other.
_TOKEN: Final = re.compile(
    r"\"[^\"]*\"|(?P<day>\bdate\s*'[0-9]{4}-[0-9]{2}-[0-9]{2}'|\bcast\s*\(\s*'[0-9]{4}-[0-9]{2}-[0-9]{2}'\s+as\s+date\s*\))"
    r"|(?P<text>'[^']*'(?!\s*'))|'[^']*'"
    r"|(?P<number>(?<![\w.$])[0-9]+(?:\.[0-9]+)?(?![\w.]))|[\w$.]+|<>|!=|<=|>=|[^\s\w]",
    re.IGNORECASE,
)
_LITERAL: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_BEFORE: Final = frozenset({"=", "<>", "!=", "<", "<=", ">", ">=", "between", "like", "limit", "*", "/", "+"})
_BEHIND: Final = frozenset({"*", "/", "+"})
_ODD: Final = re.compile(r"--|/\*|\\|\$[^0-9]|\$$|\b[EeUu]&?'|[^\x00-\x7f]")


def taken_out(sql: str, count: int, others: frozenset[int]) -> tuple[str, tuple[Parameter, ...]]:
    """The text with parameters from $count + 1 on for values behind a comparison, in a list or behind LIMIT, and those
    values. others: those that stay where they are, counted from 0."""
    if _ODD.search(sql):
        return sql, ()
    found: list[Parameter] = []
    pieces, at, places = list[str](), 0, count_from(0)
    for match in candidates(sql):
        if next(places) in others:
            continue
        found.append(parameter_of(match))
        pieces += sql[at : match.start()], f"${count + len(found)}"
        at = match.end()
    return "".join([*pieces, sql[at:]]), tuple(found)


def candidates(sql: str) -> Iterator[re.Match[str]]:
    """Literals that stand where a bare value may."""
    third = second = before = ""
    lists: list[bool] = []  # of each open parenthesis, whether it is that of IN
    tokens = list(_TOKEN.finditer(sql))
    for at, match in enumerate(tokens):
        token = match[0].lower()
        listed = before in ("(", ",") and bool(lists) and lists[-1]
        ends = before == "and" and third == "between"
        factor = match.lastgroup == "number" and at + 1 < len(tokens) and tokens[at + 1][0] in _BEHIND
        if match.lastgroup is not None and (before in _BEFORE or listed or ends or factor):
            yield match
        if token == "(":
            lists.append(before == "in")
        elif token == ")" and lists:
            lists.pop()
        third, second, before = second, before, token


def parameter_of(match: re.Match[str]) -> Parameter:
    """What is written there."""
    text = match[0]
    day = _LITERAL.search(text) if match.lastgroup != "number" else None
    if match.lastgroup == "day" and day is not None:
        return Parameter("date", day[0])
    if match.lastgroup == "text":
        written = text[1:-1]
        return Parameter("date" if is_day(written) else "text", written)
    return Parameter("numeric" if "." in text else "integer", text)
