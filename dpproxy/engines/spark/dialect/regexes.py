"""Regular expressions without a matcher: what places of letters, LIKE, TRIM and a length tell.

Java's matcher may take exponentially long for one row's text, and ends for want of stack: which of its patterns do is
not decided here. Those below need none. A pattern is a choice of few rows of letters; each row is told by a test of the
text that takes time in proportion to it.

Checked by: tests/spark/test_spark_regexes.py, tests/spark/test_spark_values.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final, assert_never

from sqlglot import exp

from dpproxy.engines.spark.dialect.days_in_texts import is_day
from dpproxy.engines.spark.dialect.numbers_in_texts import is_number
from dpproxy.rewrite.expressions.patterns.regex_reading import Unreadable, read_regex
from dpproxy.rewrite.expressions.patterns.regexes import (
    ANY_LETTER,
    LAST_LETTER,
    End,
    Letters,
    Regex,
    RegexChoice,
    RegexGroup,
    Repeat,
    Row,
)
from dpproxy.rewrite.expressions.trees.build import atom, every, number

_MOST_ROWS: Final = 12
_MOST_PLACES: Final = 24
_MOST_WILD: Final = 3
_WILD: Final = frozenset("%_\\")
_ASCII: Final = 127


@dataclass(frozen=True, slots=True)
class _LetterRun:
    """At least and at most so many letters of a set, without end for None."""

    letters: Letters
    least: int
    most: int | None


_Item = Letters | End | _LetterRun
_Items = tuple[_Item, ...]


class NotToldError(ValueError):
    """No test here tells what the pattern does."""


def without_matcher(text: exp.Expression, pattern: str) -> exp.Expression:
    """Whether the text matches, NULL for NULL; `text` is copied into each test. Raises NotToldError.

    Claim: as the pattern says, whatever the text. Because: each row of `_rows` matches what a branch of the pattern
    does, and all of them together what it does; `_test` has a case for each form that it tells, and no other.
    Checked by: tests/spark/test_spark_regexes.py, letter by letter against Python's own matcher.
    """
    if (read := is_day(text, pattern) or is_number(text, pattern)) is not None:
        return read
    try:
        rows = _rows(read_regex(pattern, ignores_case=False))
    except Unreadable:
        raise NotToldError from None
    tests = [_test(text, each) for row in rows for each in _spelled(row)]
    return exp.Paren(this=reduce(lambda one, other: exp.Or(this=one, expression=other), tests))


def _rows(regex: Regex) -> list[_Items]:
    """The branches of a pattern as rows of letters, ends and runs."""
    match regex:
        case Letters() | End():
            return [(regex,)]
        case Row(parts):
            return _checked(reduce(_joined, map(_rows, parts), [()]))
        case RegexChoice(branches):
            return _checked([row for branch in branches for row in _rows(branch)])
        case RegexGroup(inner):
            return _rows(inner)
        case Repeat(inner, 0, 1):
            return _checked([(), *_rows(inner)])
        case Repeat(Letters() as letters, least, most):
            return [(_LetterRun(letters, least, most),)]
        case Repeat(inner, least, most) if least == most:
            return _checked(reduce(_joined, [_rows(inner)] * least, [()]))
        case Repeat():
            raise NotToldError
        case _:
            assert_never(regex)


def _spelled(row: _Items) -> list[_Items]:
    """A row that is held to neither end, with each letter of its small sets, so that LIKE has it."""
    if End(start=True) in row[:1] or End(start=False) in row[-1:]:
        return [row]
    items = [part for each in row for part in _spread(each)]
    return _checked(reduce(_joined, (_singles(each) for each in items), [()]))


def _singles(item: _Item) -> list[_Items]:
    if not isinstance(item, Letters) or sum(last - first + 1 for first, last in item.ranges) > _MOST_ROWS:
        return [(item,)]
    return [(Letters(((point, point),)),) for first, last in item.ranges for point in range(first, last + 1)]


def _joined(before: list[_Items], after: list[_Items]) -> list[_Items]:
    return _checked([(*one, *other) for one in before for other in after])


def _checked(rows: list[_Items]) -> list[_Items]:
    if len(rows) > _MOST_ROWS:
        raise NotToldError
    return rows


def _test(text: exp.Expression, row: _Items) -> exp.Expression:
    """By what stands at its ends."""
    starts, ends = End(start=True) in row[:1], End(start=False) in row[-1:]
    inner = row[starts : len(row) - ends]
    if any(isinstance(each, End) for each in inner):
        raise NotToldError
    items = [part for each in inner for part in _spread(each)]
    pattern = _like(items)
    if pattern is not None:
        return exp.Like(
            this=atom(text.copy()),
            expression=exp.Literal.string("%" * (not starts) + pattern + "%" * (not ends)),
        )
    if starts and ends:
        return _whole(text, items)
    if starts or ends:
        return _part(text, items if starts else items[::-1], starts)
    raise NotToldError


def _spread(item: _Item) -> Iterator[_Item]:
    """A run of a certain length as so many letters; of any letters as its letters and a run of none or more."""
    if not isinstance(item, _LetterRun):
        yield item
    elif item.least == item.most or (item.letters == ANY_LETTER and item.most is None):
        yield from [item.letters] * item.least
        yield from [_LetterRun(item.letters, 0, None)] * (item.most is None)
    else:
        yield item


def _like(items: list[_Item]) -> str | None:
    """The pattern of LIKE of letters, any letters and any texts; None where it has others."""
    pieces: list[str] = []
    for each in items:
        if each in (ANY_LETTER, _LetterRun(ANY_LETTER, 0, None)):
            pieces.append("_" if each == ANY_LETTER else "%")
        elif isinstance(each, Letters) and (letter := _one(each)) is not None and letter not in _WILD:
            pieces.append(letter)
        else:
            return None
    return None if pieces.count("%") > _MOST_WILD else "".join(pieces)


def _one(letters: Letters) -> str | None:
    (first, last), *others = letters.ranges or ((0, 1),)
    return chr(first) if first == last and not others and first else None


def _part(text: exp.Expression, items: list[_Item], starts: bool) -> exp.Expression:
    """A beginning, or an end read backwards: a run there is as long as it has to be, and what follows it is nothing."""
    letters = [each for each in items if isinstance(each, Letters)]
    if len(letters) < len(items):
        run = items[len(letters)]
        if not isinstance(run, _LetterRun) or len(items) > len(letters) + 1:
            raise NotToldError
        letters += [run.letters] * run.least
    if starts:
        return every(_places(text, letters) or [_length(text, exp.GTE, 0)])
    tail: exp.Expression = exp.Right(this=atom(text.copy()), expression=number(len(letters)))
    tests = _places(tail, letters[::-1]) if letters else []
    return every([_length(text, exp.GTE, len(letters)), *tests])


def _whole(text: exp.Expression, items: list[_Item]) -> exp.Expression:
    """All of a text: spaces at both ends alike, letters, and at most one run, perhaps behind one of some of its letters
    that does not count."""
    first, last = (items[0], items[-1]) if len(items) > 2 else (None, None)
    if isinstance(first, _LetterRun) and first == last and first.least == 0 and first.most is None:
        if any(_common(first.letters, _letters(each)) for each in items[1:-1]):
            raise NotToldError
        text, items = _trimmed(text, first.letters, "BOTH"), items[1:-1]
    letters = [each for each in items if isinstance(each, Letters)]
    runs = [each for each in items if isinstance(each, _LetterRun)]
    if items != [*letters, *runs]:
        raise NotToldError
    tests = _places(text, letters)
    if not runs:
        return every([*tests, _length(text, exp.EQ, len(letters))])
    rest: exp.Expression = text
    if letters:
        rest = exp.Substring(this=atom(text.copy()), start=number(len(letters) + 1))
    return every([*tests, *_of_runs(rest, text, len(letters), runs)])


def _of_runs(
    rest: exp.Expression, text: exp.Expression, before: int, runs: list[_LetterRun]
) -> Iterator[exp.Expression]:
    """A run to the end. Before it may be one that its letters hold, which then does not count towards its length."""
    run, counted = runs[-1], text
    if len(runs) == 2:
        free = runs[0]
        if free.least or free.most is not None or run.least != 1 or not _holds(run.letters, free.letters):
            raise NotToldError
        counted = _trimmed(rest, free.letters, "LEADING")
    elif len(runs) != 1:
        raise NotToldError
    if run.letters != ANY_LETTER:
        nothing = exp.Literal.string("")
        yield exp.EQ(this=_trimmed(rest, run.letters, "BOTH"), expression=nothing)
    yield _length(text, exp.GTE, before + run.least)
    if run.most is not None:
        yield _length(counted, exp.LTE, run.most + (before if counted is text else 0))


def _places(text: exp.Expression, letters: list[Letters]) -> list[exp.Expression]:
    if len(letters) > _MOST_PLACES:
        raise NotToldError
    return [_at(text, place, each) for place, each in enumerate(letters, 1)]


def _at(text: exp.Expression, place: int, letters: Letters) -> exp.Expression:
    """The letter of a place among those of a set: none is there behind the end."""
    found = exp.Substring(this=atom(text.copy()), start=number(place), length=number(1))
    tests = [_within(found, first, last) for first, last in letters.ranges]
    if not tests:
        raise NotToldError
    return exp.Paren(this=reduce(lambda one, other: exp.Or(this=one, expression=other), tests))


def _within(found: exp.Expression, first: int, last: int) -> exp.Expression:
    """Texts are compared by their bytes, and so by the numbers of their letters."""
    if first == last:
        return exp.EQ(this=found.copy(), expression=_letter(first))
    least: exp.Expression = exp.NEQ(this=found.copy(), expression=exp.Literal.string(""))
    if first:
        least = exp.GTE(this=found.copy(), expression=_letter(first))
    if last == LAST_LETTER:
        return least
    return exp.And(this=least, expression=exp.LTE(this=found.copy(), expression=_letter(last)))


def _letter(point: int) -> exp.Expression:
    if 0xD800 <= point <= 0xDFFF or point == 0:
        raise NotToldError
    return exp.Literal.string(chr(point))


def _length(text: exp.Expression, kind: type[exp.EQ | exp.GTE | exp.LTE], count: int) -> exp.Expression:
    return kind(this=exp.Length(this=atom(text.copy())), expression=number(count))


def _trimmed(text: exp.Expression, letters: Letters, side: str) -> exp.Expression:
    """Without the letters of a set at its ends, or at its beginning."""
    if not letters.ranges or letters.ranges[-1][1] > _ASCII or letters.ranges[0][0] == 0:
        raise NotToldError
    found = "".join(chr(point) for first, last in letters.ranges for point in range(first, last + 1))
    return exp.Trim(this=atom(text.copy()), expression=exp.Literal.string(found), position=side)


def _letters(item: _Item) -> Letters:
    if isinstance(item, End):
        raise NotToldError
    return item.letters if isinstance(item, _LetterRun) else item


def _common(one: Letters, other: Letters) -> bool:
    ranges = sorted((*one.ranges, *other.ranges))
    return any(before[1] >= after[0] for before, after in pairwise(ranges))


def _holds(outer: Letters, inner: Letters) -> bool:
    return all(any(a <= first and last <= b for a, b in outer.ranges) for first, last in inner.ranges)
