"""The patterns of days that CAST(text AS date) and AS timestamp are made of, without a matcher.

They hold the days that exist alone, which a choice of rows of letters is too long for: here a text has the letters of a
day, perhaps with a time behind it, and TRY_CAST says whether there is such a day.

Checked by: tests/spark/test_spark_regexes.py, tests/spark/test_spark_values.py.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Final

from sqlglot import exp

from dpproxy.catalog.types import DATE
from dpproxy.rewrite.expressions.time.date_reading import DAY, TIME
from dpproxy.rewrite.expressions.trees.build import atom, cast, every, number

DAYS: Final = f"^({DAY})$"
MOMENTS: Final = f"^({DAY}{TIME})$"
_DAY: Final = "____-__-__"
_TIMES: Final = ("__:__", "__:__:__", "__:__:__._%")
_LONGEST: Final = 26
_DIGITS: Final = "0123456789"
_PIECES: Final = ((1, 4), (6, 2), (9, 2), (12, 2), (15, 2), (18, 2), (21, 6))
"""Where the digits of each number begin, and how many there are: none of a time that is not there."""
_LARGEST: Final = ((12, "23"), (15, "59"), (18, "59"))


def is_day(text: exp.Expression, pattern: str) -> exp.Expression | None:
    """Whether the text matches one of the patterns; None for any other pattern.

    Claim: as the pattern says, whatever the text. Because: LIKE holds all letters but digits to their places, each
    piece between them is of digits alone, and hours, minutes and seconds are held to their ends; the first ten letters
    are then YYYY-MM-DD, which is a day of the calendar or is not. Of NULL all are NULL but the last.
    Checked by: tests/spark/test_spark_regexes.py.
    """
    if pattern not in (DAYS, MOMENTS):
        return None
    times = [f"{_DAY}{between}{time}" for between, time in product(" T", _TIMES)] if pattern == MOMENTS else []
    likes: list[exp.Expression] = [
        exp.Like(this=atom(text.copy()), expression=exp.Literal.string(each)) for each in (_DAY, *times)
    ]
    shape = exp.Paren(this=reduce(lambda one, other: exp.Or(this=one, expression=other), likes))
    length = exp.LTE(this=exp.Length(this=atom(text.copy())), expression=number(_LONGEST))
    there = exp.Not(this=exp.Is(this=exp.TryCast(this=_first_ten(text), to=_date(), safe=True), expression=exp.Null()))
    return every(
        [
            *(shape, length),
            *(_equals(_without_digits(_piece(text, *each)), "") for each in _PIECES),
            exp.Not(this=_equals(_piece(text, 1, 4), "0000")),
            *(exp.LTE(this=_piece(text, at, 2), expression=exp.Literal.string(most)) for at, most in _LARGEST),
            exp.Paren(this=exp.Or(this=exp.Is(this=atom(text.copy()), expression=exp.Null()), expression=there)),
        ]
    )


def _date() -> exp.DataType:
    made: exp.DataType = cast(exp.Null(), DATE).args["to"]
    return made


def _first_ten(text: exp.Expression) -> exp.Expression:
    return exp.Left(this=atom(text.copy()), expression=number(10))


def _piece(text: exp.Expression, at: int, length: int) -> exp.Expression:
    return exp.Substring(this=atom(text.copy()), start=number(at), length=number(length))


def _without_digits(piece: exp.Expression) -> exp.Expression:
    return exp.Trim(this=piece, expression=exp.Literal.string(_DIGITS), position="BOTH")


def _equals(text: exp.Expression, expected: str) -> exp.Expression:
    return exp.EQ(this=text, expression=exp.Literal.string(expected))
