"""Text read as numbers and booleans: NULL where Postgres would refuse the text.

A pattern lets through only what both engines' casts read alike, so the cast after it cannot fail. Hexadecimal numbers,
underscores between digits, infinities and NaN are NULL here, and exponents where a numeric(p,s) is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction

from sqlglot import exp

from dpproxy.catalog.types import BOOLEAN, DOUBLE, Family, SqlType
from dpproxy.rewrite.expressions.constants.domains import image
from dpproxy.rewrite.expressions.constants.literals import FALSEHOODS, TRUTHS
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS, Fact, Interval, Typed, points, proved_by_type
from dpproxy.rewrite.expressions.patterns.regex_reading import read_regex
from dpproxy.rewrite.expressions.patterns.regexes import written
from dpproxy.rewrite.expressions.trees.build import cast, chosen
from dpproxy.rewrite.expressions.trees.steps import named
from dpproxy.rows import Value

_SPACES = " \t\n\r\f\v"
_WHOLE = r"\s*[+-]?0*[0-9]{1,38}\s*"
FLOATING = r"\s*[+-]?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,2})?\s*"
_FARTHEST = Interval(Fraction(-(10**200)), Fraction(10**200))
_EXACTLY = Context(prec=500)


def whole_number(text: Typed) -> Typed:
    """Text as a whole number of up to 38 digits."""
    type_ = SqlType("numeric", (MOST_DIGITS, 0))
    return _read(text, _WHOLE, type_, proved_by_type(type_), int)


def decimal_number(text: Typed, places: int) -> Typed:
    """Text as a numeric of 38 digits, rounded to `places`."""
    type_ = SqlType("numeric", (MOST_DIGITS, places))

    def rounded(value: str) -> Decimal:
        return Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=_EXACTLY)

    return _read(text, decimal_pattern(places), type_, proved_by_type(type_), rounded)


def decimal_pattern(places: int) -> str:
    """Of the text that is rounded to a numeric of 38 digits."""
    digits = max(MOST_DIGITS - 1 - places, 0)
    # More decimals than Postgres reads at all would be an error, and so would a 1 that they round to without room.
    if digits:
        return rf"\s*[+-]?(?:0*[0-9]{{1,{digits}}}(?:\.[0-9]{{0,100}})?|\.[0-9]{{1,100}})\s*"
    return rf"\s*[+-]?0*\.[0-9]{{1,{100 if places < MOST_DIGITS else MOST_DIGITS}}}\s*"


def floating_number(text: Typed) -> Typed:
    """Text as a double precision below 10**200."""
    return _read(text, FLOATING, DOUBLE, _FARTHEST, None)


def truth_value(text: Typed) -> Typed:
    """Text as a boolean: true, yes, on, 1 and their beginnings, and their opposites."""
    branches = [
        exp.If(this=_matches(text, pattern_of_words(words), ignores_case=True), true=exp.Boolean(this=value))
        for words, value in ((TRUTHS, True), (FALSEHOODS, False))
    ]

    def read(value: Value) -> Value:
        known = str(value).strip(_SPACES).lower()
        return True if known in TRUTHS else False if known in FALSEHOODS else None

    domain = image(read, text)
    fact = Fact(BOOLEAN, None, None, (False, True) if domain is None else domain, True, text.fact.private, None)
    return Typed(exp.Case(ifs=branches), fact)


def pattern_of_words(words: Sequence[str]) -> str:
    """Of one of them, with spaces around it."""
    return rf"\s*(?:{'|'.join(words)})\s*"


def _read(
    text: Typed, pattern: str, type_: SqlType, proved: Interval | None, read: Callable[[str], Value] | None
) -> Typed:
    """The text cast where the whole of it matches `pattern`; engines trim the spaces around it."""

    def fold(value: Value) -> Value:
        if read is None or not isinstance(value, str):
            raise LookupError(value)
        return read(value.strip(_SPACES)) if re.fullmatch(pattern, value, re.ASCII) else None

    read_ = Typed(named(text.sql), text.fact)
    sql = cast(chosen(_matches(read_, pattern, ignores_case=False), read_.sql.copy()), type_)
    domain = image(fold, text)
    step = Decimal(1).scaleb(-type_.modifiers[1]) if type_.family is Family.NUMERIC else None
    return Typed(sql, Fact(type_, points(domain), proved, domain, True, text.fact.private, step))


def _matches(text: Typed, pattern: str, ignores_case: bool) -> exp.Expression:
    return exp.RegexpLike(this=text.sql.copy(), expression=exp.Literal.string(of_all(pattern, ignores_case)))


def of_all(pattern: str, ignores_case: bool) -> str:
    """The regular expression of texts that match it from their beginning to their end, as it is written."""
    return written(read_regex(f"^(?:{pattern})$", ignores_case))
