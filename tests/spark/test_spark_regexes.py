"""Regular expressions that Spark is asked without a matcher: each text that they match, and no other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

import pytest
from sqlglot import exp

from dpproxy.engines.spark.dialect.days_in_texts import DAYS, MOMENTS
from dpproxy.engines.spark.dialect.regexes import NotToldError, without_matcher
from dpproxy.engines.spark.sessions import Session
from dpproxy.rewrite.expressions.patterns.regex_reading import read_regex
from dpproxy.rewrite.expressions.patterns.regexes import written

pytestmark = pytest.mark.long
TOLD = (
    *(
        "a",
        "^a",
        "a$",
        "^a.*b$",
        "^$",
        "",
        "a.b",
        "a.*b",
        "(a|b)c",
        "colou?r",
        "[ab]0",
        "^(a|b0)$",
        "x|^y|z$",
        "^.{3}$",
    ),
    *(r"^\d+$", "^[A-Z]{2}[0-9]{2}$", "^[0-9]{2,4}$", "^[^a]", "[0-9]$", "^b+", "^a?b", "^[a-c]*$", "^é"),
    *(
        r"^\s*[+-]?0*[0-9]{1,5}\s*$",
        r"^ *\d{3} *$",
        "(^|,)a(,|$)",
        "^.+$",
        "^.*$",
        "^a.+",
        r"^\D\w$",
        "^(ab){2}$",
        "\t$",
    ),
    *(r"^0*[0-9]{1,2}$", "^a[0-9]*$", r"\d", "[äé]", "^[à-ï]b", "^[^a-z]{2}$"),
)
NOT_TOLD = (
    *(
        "[a-z]",
        r"\d\d-",
        "(a|b)+",
        "^[a-z]*b",
        "^[^a]+$",
        r"a\%b",
        "a_b",
        "(a*)*b",
        "^(a+)+$",
        "^[a-z]+[0-9]+$",
        "^a*b*$",
    ),
    *("[ab][cd][ef][gh]", "^[a-z]{30}$", "a.*b.*c.*d.*e", r"^\s*\d*\s*\d*$", "[^a]b", "a[0-9]+$"),
)
PIECES = (
    *("a", "b", "0", "é", ".", ".*", "[ab]", "[0-9]", "[^a]", "a+", "[0-9]*", "[0-9]+", "(a|b)", "(a|0b)?", "b{2}"),
    *("[a-z]{1,3}", r"\s*", "[+-]?", "0*"),
)
LETTERS = ("a", "b", "c", "0", "9", " ", "\n", "\t", "\v", "é", "ï", "☃", "🎈", "%", "_", "\\", "+", "-", ",", "Z", "")


def random_texts(random: Random, count: int) -> list[str]:
    return ["", *("".join(random.choices(LETTERS, k=random.randrange(1, 7))) for _ in range(count))]


def random_patterns(random: Random, count: int) -> list[str]:
    made = []
    while len(made) < count:
        inner = "".join(random.choices(PIECES, k=random.randrange(1, 4)))
        pattern = random.choice(["", "^"]) + inner + random.choice(["", "$"])
        try:
            without_matcher(exp.column("x"), pattern)
        except NotToldError:
            continue
        made.append(pattern)
    return made


def expected(pattern: str, text: str) -> bool:
    """By Python's matcher, of the same pattern as it is written for the other engines; $ is the end of the text."""
    return re.search(re.sub(r"(?<!\\)\$", r"\\Z", written(read_regex(pattern, False))), text) is not None


def asked(session: Session, patterns: Sequence[str], texts: Sequence[str]) -> list[tuple[object, ...]]:
    """What the server says of each text, NULL last."""
    items = ", ".join(
        without_matcher(exp.column("x"), each).sql("spark") + f" AS m{at}" for at, each in enumerate(patterns)
    )
    rows = ", ".join(f"({at}, {exp.Literal.string(each).sql('spark')})" for at, each in enumerate(texts))
    found = session.query(f"SELECT i, {items} FROM (VALUES {rows}, ({len(texts)}, CAST(NULL AS STRING))) AS t(i, x)")
    return [row[1:] for row in sorted(found.rows, key=lambda row: int(str(row[0])))]


def wrong(session: Session, patterns: Sequence[str], texts: Sequence[str]) -> list[tuple[str, str]]:
    *told, null = asked(session, patterns, texts)
    assert set(null) == {None}
    return [
        (pattern, text)
        for text, row in zip(texts, told, strict=True)
        for pattern, said in zip(patterns, row, strict=True)
        if said is not expected(pattern, text)
    ]


def random_moments(random: Random, count: int) -> list[str]:
    """Days and moments, and what one or two letters make of them."""
    made = ["0000-01-01", "0001-01-01", "9999-12-31", "1900-02-29", "2000-02-29", "2021-04-31", "2020-02-29T23:59"]
    while len(made) < count:
        day = f"{random.randrange(10_000):04}-{random.randrange(14):02}-{random.randrange(33):02}"
        time = f"{random.choice(' T')}{random.randrange(26):02}:{random.randrange(62):02}"
        second = f":{random.randrange(62):02}"
        parts = (day, time, second, "." + "9" * random.randrange(8))
        text = "".join(parts[: random.randrange(1, 5)])
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(LETTERS) + text[at + random.randrange(2) :]
        made.append(text)
    return made


def test_days_and_moments(session: Session) -> None:
    texts = random_moments(Random(3), 1500)
    assert sum(expected(MOMENTS, text) for text in texts) > 200
    assert wrong(session, (DAYS, MOMENTS), texts) == []


def test_what_is_told_is_what_matches(session: Session) -> None:
    texts = [*random_texts(Random(5), 150), "color", "colour", "AB12", "  007 ", "+12", "abab", "a,b", ",a,", "ab0"]
    assert wrong(session, TOLD, texts) == []


def test_random_patterns(session: Session) -> None:
    random = Random(11)
    assert wrong(session, random_patterns(random, 120), random_texts(random, 150)) == []


@pytest.mark.parametrize("pattern", NOT_TOLD)
def test_what_needs_a_matcher_is_not_told(pattern: str) -> None:
    with pytest.raises(NotToldError):
        without_matcher(exp.column("x"), pattern)
