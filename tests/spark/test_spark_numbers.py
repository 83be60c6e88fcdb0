"""Texts that are read as numbers and truth values, told without a matcher: each text that the patterns match."""

from __future__ import annotations

from random import Random

import pytest
from test_spark_regexes import wrong

from dpproxy.engines.spark.dialect.numbers_in_texts import PATTERNS
from dpproxy.engines.spark.sessions import Session
from dpproxy.rewrite.expressions.casts.from_text import FLOATING, decimal_pattern, of_all, pattern_of_words
from dpproxy.rewrite.expressions.constants.literals import FALSEHOODS, TRUTHS

pytestmark = pytest.mark.long
NUMBERS = tuple(of_all(each, False) for each in (FLOATING, *map(decimal_pattern, (0, 2, 30, 37, 38))))
WORDS = tuple(of_all(pattern_of_words(each), True) for each in (TRUTHS, FALSEHOODS))
KNOWN = (
    *("", ".", "+", "-", "e5", "5", "+5", "-5", "++5", "+-5", "5.", ".5", "-.5", "5..5", "..5", "5.5.5", "1e5", "1E-5"),
    *(
        "1e",
        "1e+",
        "1e+-5",
        "1e123",
        "1e12",
        ".e5",
        "1.e5",
        "1 e5",
        "1e 5",
        "- 5",
        " 5",
        "5\t",
        "\v5\f",
        "\r\n5",
        "5 5",
    ),
    *("0x10", "1_0", "NaN", "inf", "5\0", "5\u00a0", "٥", "１", "0" * 200, "0" * 200 + "7.5", "9" * 35, "9" * 36),
    *("9" * 37 + ".5", "1" * 38, "1" * 39, "1" * 100, "1" * 101, "1." + "5" * 75, "." + "5" * 38, "." + "5" * 39),
    *("-0", "-0.0", "+.", "5e0", "5e00", "5f", "5d", "5L", "1.5e3.5", "1e5e5", "00.5", "000", "7.0000000", " ", "\n"),
)
TRUE_OR_FALSE = (
    *(*TRUTHS, *FALSEHOODS, "TRUE", "True ", " fAlSe", "truee", "o", "yesno", "ye s", "\tON\n", "2", "01", "", " "),
    *("İ", "ſ", "falſe", "K", "tr\0", "offf", "false" + " " * 50, "x" * 1000),
)
LETTERS = (*"0123456789", *"+-..eE  ", "\t", "\v", "x", "é", "٣")


def random_numbers(random: Random, count: int) -> list[str]:
    """Those that are, and what one or two letters make of them."""
    made = list[str]()
    while len(made) < count:
        digits = ["".join(random.choices("0123456789", k=random.choice((0, 1, 2, 3, 36, 40)))) for _ in range(2)]
        power = random.choice(("", "", "e", "E")) and f"e{random.choice(('', '+', '-'))}{random.randrange(120)}"
        text = random.choice(("", "+", "-")) + random.choice((".", "")).join(digits) + power
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(LETTERS) + text[at + random.randrange(2) :]
        made.append(random.choice(("", " ")) + text)
    return made


def test_numbers_are_told(session: Session) -> None:
    assert PATTERNS.issuperset(NUMBERS)
    texts = [*KNOWN, *random_numbers(Random(3), 600)]
    assert wrong(session, NUMBERS, texts) == []


def test_truth_values_are_told(session: Session) -> None:
    assert wrong(session, WORDS, TRUE_OR_FALSE) == []


def test_digits_that_sail_reads_none_of(session: Session) -> None:
    """Of a numeric's text more than 75 behind the point: it is no number then."""
    pattern, far = of_all(decimal_pattern(2), False), "0." + "5" * 76
    assert wrong(session, (pattern,), (far,)) == [(pattern, far)]
