"""regexp_replace() as Spark is asked it, without a matcher: what Python's own puts in the place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from sqlglot import exp
from test_spark_regexes import random_texts

from dpproxy.engines.spark.dialect.replacing import replaced
from dpproxy.engines.spark.sessions import Session
from dpproxy.rewrite.expressions.patterns.regex_reading import read_regex
from dpproxy.rewrite.expressions.patterns.regexes import written

pytestmark = pytest.mark.long
ALL, FIRST = "g", None
TOLD = (
    *(
        ("a", "bb", ALL),
        ("ab", "", ALL),
        ("[0-9]", "", ALL),
        ("[0-9]+", "", ALL),
        ("[^0-9]", "", ALL),
        ("[ab]", "x", ALL),
    ),
    *(
        (r"[^a-c\s]+", "", ALL),
        (r"\s+", "", ALL),
        (r"\s", "_", ALL),
        ("[%_\\\\]", "", ALL),
        ("(a)", "", ALL),
        (r"\.", ",", ALL),
    ),
    *(("^0+", "", FIRST), ("^[ab]*", "", FIRST), (r"\s+$", "", FIRST), (r"^\s+|\s+$", "", ALL), ("[b0]+$", "", ALL)),
    *(("^a+|[ab]+$", "", ALL), ("aa", "a", ALL), ("(ab)", "", ALL)),
)
NOT_TOLD = (
    *(
        ("a", "b", FIRST),
        ("[a-c]+", "x", ALL),
        ("^a", "", FIRST),
        ("a+b", "", ALL),
        ("[^a]", "x", ALL),
        ("é", "a", ALL),
    ),
    *((r"^\s+|\s+$", "", FIRST), ("(a|b)c", "", ALL), ("[^é]", "", ALL)),
    *(("a", r"\1", ALL), ("a" * 21, "", ALL), ("a", "b" * 21, ALL), ("[a-z]{2}", "", ALL)),
)


def made(pattern: str, new: str, flags: str | None) -> exp.Expression | None:
    regex = exp.Literal.string(written(read_regex(pattern, False)))
    modifiers = exp.Literal.string(flags) if flags else None
    node = exp.RegexpReplace(
        this=exp.column("x"), expression=regex, replacement=exp.Literal.string(new), modifiers=modifiers
    )
    return replaced(node)


def wrongly_replaced(session: Session, texts: Sequence[str]) -> list[tuple[str, str]]:
    """Patterns and texts of which the server makes something else than Python."""
    rows = ", ".join(f"({at}, {exp.Literal.string(each).sql('spark')})" for at, each in enumerate(texts))
    trees = [made(*each) for each in TOLD]
    items = ", ".join(f"{tree.sql('spark')} AS m{at}" for at, tree in enumerate(trees) if tree)
    found = session.query(f"SELECT i, {items} FROM (VALUES {rows}) AS t(i, x)")
    assert len(found.rows) == len(texts) and all(trees)
    wrong = []
    for row in found.rows:
        text = texts[int(str(row[0]))]
        for (pattern, new, flags), said in zip(TOLD, row[1:], strict=True):
            regex = re.sub(r"(?<!\\)\$", r"\\Z", written(read_regex(pattern, False)))
            if said != re.sub(regex, new, text, count=0 if flags else 1):
                wrong.append((pattern, text))
    return wrong


KNOWN = ("aabab", "  a b  ", "00700", "abab", "aaa", "0b0")


def test_what_is_replaced(session: Session) -> None:
    assert wrongly_replaced(session, [*random_texts(Random(9), 200), *KNOWN]) == []


@pytest.mark.parametrize(("pattern", "new", "flags"), NOT_TOLD)
def test_what_needs_a_matcher_is_not_told(pattern: str, new: str, flags: str | None) -> None:
    assert made(pattern, new, flags) is None
