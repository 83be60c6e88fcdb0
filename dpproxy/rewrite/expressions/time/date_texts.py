"""What each pattern of to_char() makes of a moment: in Python, and of the engine's fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlglot import exp

from dpproxy.catalog.types import TEXT
from dpproxy.rewrite.expressions.facts.fact import Typed
from dpproxy.rewrite.expressions.intervals.whole_numbers import plus, quotient, remainder, whole
from dpproxy.rewrite.expressions.trees.build import cast, number

Fields = Callable[[str], Typed]
"""A field of the moment, by its name."""
Writer = Callable[[datetime], str]

MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
_WIDEST = 9


@dataclass(frozen=True, slots=True)
class Digits:
    """A pattern that is a number.

    of: the number; sql: the same of the engine's fields. width: to which zeros fill it up, after FM not if it is
    `slim`. grain: the longest unit of time throughout which it is the same; None if there is none. cyclic: whether it
    comes again each year or more often.
    """

    of: Callable[[datetime], int]
    sql: Callable[[Fields], Typed]
    width: int
    grain: str | None
    cyclic: bool = True
    slim: bool = True

    def writer(self, bare: bool) -> Writer:
        """What it makes of a moment."""
        of, width = self.of, 0 if bare and self.slim else self.width
        return lambda moment: str(of(moment)).zfill(width)

    def engine(self, fields: Fields, bare: bool) -> exp.Expression:
        """The same in the engine."""
        text = cast(self.sql(fields).sql, TEXT)
        if self.width == 1 or (bare and self.slim):
            return text
        zero = exp.Literal.string("0")
        return exp.Pad(this=text, expression=number(self.width), fill_pattern=zero, is_left=True)


@dataclass(frozen=True, slots=True)
class Word:
    """A pattern that is one of a few words.

    at: the word's number, from 0; sql: the same of the engine's fields, from `first`. padded: with blanks to the
    longest, unless after FM.
    """

    words: Sequence[str]
    at: Callable[[datetime], int]
    sql: Callable[[Fields], Typed]
    first: int
    grain: str
    padded: bool = False
    cyclic: bool = True

    def writer(self, bare: bool) -> Writer:
        """What it makes of a moment."""
        at, words = self.at, self._written(bare)
        return lambda moment: words[at(moment)]

    def engine(self, fields: Fields, bare: bool) -> exp.Expression:
        """The same in the engine."""
        ifs = [
            exp.If(this=number(index), true=exp.Literal.string(word))
            for index, word in enumerate(self._written(bare), self.first)
        ]
        return exp.Case(this=self.sql(fields).sql, ifs=ifs)

    def _written(self, bare: bool) -> list[str]:
        return [word.ljust(_WIDEST) if self.padded and not bare else word for word in self.words]


Pattern = Digits | Word


def _year(digits: int) -> Digits:
    return Digits(lambda moment: moment.year % 10**digits, _last("year", digits), digits, "year", False)


def _iso_year(digits: int) -> Digits:
    return Digits(lambda at: at.isocalendar().year % 10**digits, _last("isoyear", digits), digits, "week", False)


def _last(field: str, digits: int) -> Callable[[Fields], Typed]:
    return lambda fields: remainder(fields(field), 10**digits)


def _week(field: str) -> Callable[[Fields], Typed]:
    """Weeks that begin with the first day of the month or year."""
    return lambda fields: quotient(plus(fields(field), whole(6)), 7)


_TWELFTH = Digits(
    lambda moment: (moment.hour + 11) % 12 + 1,
    lambda fields: plus(remainder(plus(fields("hour"), whole(11)), 12), whole(1)),
    2,
    "hour",
)
_NUMBERS: Mapping[str, Digits] = {
    "YYYY": _year(4),
    "YYY": _year(3),
    "YY": _year(2),
    "Y": _year(1),
    "IYYY": _iso_year(4),
    "IYY": _iso_year(3),
    "IY": _iso_year(2),
    "I": _iso_year(1),
    "Q": Digits(lambda moment: (moment.month + 2) // 3, lambda fields: fields("quarter"), 1, "quarter"),
    "MM": Digits(lambda moment: moment.month, lambda fields: fields("month"), 2, "month"),
    "WW": Digits(lambda moment: (moment.timetuple().tm_yday + 6) // 7, _week("doy"), 2, "day"),
    "W": Digits(lambda moment: (moment.day + 6) // 7, _week("day"), 1, "day"),
    "IW": Digits(lambda moment: moment.isocalendar().week, lambda fields: fields("week"), 2, "week"),
    "DDD": Digits(lambda moment: moment.timetuple().tm_yday, lambda fields: fields("doy"), 3, "day"),
    "DD": Digits(lambda moment: moment.day, lambda fields: fields("day"), 2, "day"),
    "D": Digits(lambda at: at.isoweekday() % 7 + 1, lambda fields: plus(fields("dow"), whole(1)), 1, "day"),
    "ID": Digits(lambda moment: moment.isoweekday(), lambda fields: fields("isodow"), 1, "day"),
    "HH24": Digits(lambda moment: moment.hour, lambda fields: fields("hour"), 2, "hour"),
    "HH12": _TWELFTH,
    "HH": _TWELFTH,
    "MI": Digits(lambda moment: moment.minute, lambda fields: fields("minute"), 2, "minute"),
    "SS": Digits(lambda at: at.second, lambda fields: quotient(fields("microseconds"), 10**6), 2, "second"),
    "MS": Digits(
        lambda moment: moment.microsecond // 1000,
        lambda fields: quotient(remainder(fields("microseconds"), 10**6), 1000),
        3,
        None,
        slim=False,
    ),
    "US": Digits(
        lambda moment: moment.microsecond,
        lambda fields: remainder(fields("microseconds"), 10**6),
        6,
        None,
        slim=False,
    ),
}


def _month(words: Sequence[str], padded: bool = False) -> Word:
    return Word(words, lambda moment: moment.month - 1, lambda fields: fields("month"), 1, "month", padded)


def _day(words: Sequence[str], padded: bool = False) -> Word:
    return Word(words, lambda moment: moment.isoweekday() % 7, lambda fields: fields("dow"), 0, "day", padded)


def _half(*words: str) -> Word:
    return Word(words, lambda moment: moment.hour // 12, lambda fields: quotient(fields("hour"), 12), 0, "hour")


def _cased(name: str, words: Sequence[str], make: Callable[[Sequence[str]], Word]) -> dict[str, Word]:
    return {
        name.upper(): make([word.upper() for word in words]),
        name: make(words),
        name.lower(): make([word.lower() for word in words]),
    }


PATTERNS: Mapping[str, Pattern] = {
    **_NUMBERS,
    **{name.lower(): digits for name, digits in _NUMBERS.items()},
    **_cased("Month", MONTHS, lambda words: _month(words, True)),
    **_cased("Mon", [word[:3] for word in MONTHS], _month),
    **_cased("Day", _DAYS, lambda words: _day(words, True)),
    **_cased("Dy", [word[:3] for word in _DAYS], _day),
    **dict.fromkeys(("AM", "PM"), _half("AM", "PM")),
    **dict.fromkeys(("am", "pm"), _half("am", "pm")),
    **dict.fromkeys(("A.M.", "P.M."), _half("A.M.", "P.M.")),
    **dict.fromkeys(("a.m.", "p.m."), _half("a.m.", "p.m.")),
}
"""By the name that stands in a template; what is not here is refused."""
