"""The patterns that casts of text to numbers with places and to truth values are made of, without a matcher.

    spaceless   without the spaces around it         -0012.50e3
    unsigned    without signs, of which one may be    0012.50e3
    rest        behind the digits that it has first       .50e3
    places      behind a point, if there is one            50e3
    power       behind the digits there                      e3

Checked by: tests/spark/test_spark_numbers.py, tests/spark/test_spark_values.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from dpproxy.rewrite.expressions.casts.from_text import FLOATING, decimal_pattern, of_all, pattern_of_words
from dpproxy.rewrite.expressions.constants.literals import FALSEHOODS, TRUTHS
from dpproxy.rewrite.expressions.facts.fact import MOST_DIGITS
from dpproxy.rewrite.expressions.trees.build import atom, every, number

_DIGITS: Final = "0123456789"
_SPACES: Final = "\t\n\v\f\r "
_MOST_PLACES: Final = 75
"""Of a text that is read as a numeric: Sail reads none with more digits behind the point, beside those of the type."""
_MOST_DIGITS_READ: Final = 100
_LONGEST_WORD: Final = 5


@dataclass(frozen=True, slots=True)
class _Decimals:
    """Texts of so many digits before the point at most, zeros before them left out, and so many behind it."""

    digits: int
    places: int


def _decimals(places: int) -> _Decimals:
    digits = max(MOST_DIGITS - 1 - places, 0)
    return _Decimals(digits, _MOST_PLACES if places < MOST_DIGITS else MOST_DIGITS)


_DECIMALS: Final[Mapping[str, _Decimals]] = {
    of_all(decimal_pattern(places), False): _decimals(places) for places in range(MOST_DIGITS + 1)
}
_FLOATING: Final = of_all(FLOATING, False)
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    of_all(pattern_of_words(words), True): words for words in (TRUTHS, FALSEHOODS)
}
PATTERNS: Final = frozenset({*_DECIMALS, _FLOATING})
"""Of numbers with places: what is cast then is `spaceless`."""


def is_number(text: exp.Expression, pattern: str) -> exp.Expression | None:
    """Whether the text matches one of the patterns; None for any other pattern.

    Claim: as the pattern says, whatever the text, but of a numeric no more than `_MOST_PLACES` digits stand behind the
    point. Because: TRIM takes all letters of a set from where it begins, so each piece begins where the one before it
    ends; how many letters it took is the difference of two lengths; what is left of the last is nothing. Of NULL all
    are NULL. Checked by: tests/spark/test_spark_numbers.py, letter by letter against Python's own matcher.
    """
    if pattern in _WORDS:
        return _is_word(text, _WORDS[pattern])
    if pattern in _DECIMALS:
        return every([*_begun(text), *_as_decimal(text, _DECIMALS[pattern])])
    return every([*_begun(text), *_as_floating(text)]) if pattern == _FLOATING else None


def spaceless(text: exp.Expression) -> exp.Expression:
    """Without the spaces around it: engines take others for spaces."""
    return exp.Trim(this=atom(text.copy()), expression=exp.Literal.string(_SPACES), position="BOTH")


def _is_word(text: exp.Expression, words: tuple[str, ...]) -> exp.Expression:
    """No letter but of ASCII has a small one that these words have."""
    first = exp.Left(this=spaceless(text), expression=number(_LONGEST_WORD + 1))
    return exp.In(this=exp.Lower(this=first), expressions=[exp.Literal.string(each) for each in words])


def _begun(text: exp.Expression) -> list[exp.Expression]:
    """At most one sign and one point, and a digit before the point or behind it."""
    digits = exp.Or(this=_more(_unsigned(text), _rest(text)), expression=_more(_places(text), _power(text)))
    return [
        _fewer(spaceless(text), _unsigned(text), 1),
        _fewer(_rest(text), _places(text), 1),
        exp.Paren(this=digits),
    ]


def _as_decimal(text: exp.Expression, form: _Decimals) -> list[exp.Expression]:
    """Nothing but digits, as many as there may be."""
    before = _fewer(_leading(_unsigned(text), "0"), _rest(text), form.digits)
    point = [] if form.digits else [_more(_places(text), _power(text))]
    return [before, *point, _fewer(_places(text), _power(text), form.places), _equals(_power(text), "")]


def _as_floating(text: exp.Expression) -> list[exp.Expression]:
    """A hundred digits at most before and behind the point, and perhaps a power of ten of one or two digits."""
    signed = exp.Substring(this=_power(text), start=number(2))
    unsigned = _leading(signed, "+-")
    first = exp.Left(this=_power(text), expression=number(1))
    power = [
        exp.In(this=first, expressions=[exp.Literal.string(each) for each in "eE"]),
        _fewer(signed.copy(), unsigned, 1),
        exp.Between(this=exp.Length(this=unsigned.copy()), low=number(1), high=number(2)),
        _equals(_leading(unsigned.copy(), _DIGITS), ""),
    ]
    either = exp.Or(this=_equals(_power(text), ""), expression=exp.Paren(this=every(power)))
    return [
        _fewer(_unsigned(text), _rest(text), _MOST_DIGITS_READ),
        _fewer(_places(text), _power(text), _MOST_DIGITS_READ),
        exp.Paren(this=either),
    ]


def _unsigned(text: exp.Expression) -> exp.Expression:
    return _leading(spaceless(text), "+-")


def _rest(text: exp.Expression) -> exp.Expression:
    return _leading(_unsigned(text), _DIGITS)


def _places(text: exp.Expression) -> exp.Expression:
    """All of the rest, where it does not begin with a point, and so with no digit."""
    return _leading(_rest(text), ".")


def _power(text: exp.Expression) -> exp.Expression:
    return _leading(_places(text), _DIGITS)


def _leading(text: exp.Expression, letters: str) -> exp.Expression:
    return exp.Trim(this=text, expression=exp.Literal.string(letters), position="LEADING")


def _equals(text: exp.Expression, expected: str) -> exp.Expression:
    return exp.EQ(this=text, expression=exp.Literal.string(expected))


def _more(longer: exp.Expression, shorter: exp.Expression) -> exp.Expression:
    return exp.GT(this=exp.Length(this=longer), expression=exp.Length(this=shorter))


def _fewer(longer: exp.Expression, shorter: exp.Expression, most: int) -> exp.Expression:
    """Whether at most so many letters were taken off."""
    taken = exp.Sub(this=exp.Length(this=longer.copy()), expression=exp.Length(this=shorter.copy()))
    return exp.LTE(this=taken, expression=number(most))
