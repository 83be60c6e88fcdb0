"""Regular expressions as trees: what Postgres's and RE2's have in common, and the text that both read alike.

Letters are sets of code points as Postgres has them in the C locale: `\\d`, `\\w`, `\\s` and [:classes:] hold ASCII
only, `.` and negated sets hold newlines, `^` and `$` are the ends of the text. All of that is spelled out in the text,
so that no flag and no locale of an engine matters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

Ranges = tuple[tuple[int, int], ...]
LAST_LETTER = 0x10FFFF
_ESCAPED = frozenset("\\.^$|?*+()[]{}-")
_CONTROLS = {9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r"}


@dataclass(frozen=True, slots=True)
class Letters:
    """One letter out of a set of code points, as ranges in order."""

    ranges: Ranges

    def inverted(self) -> Letters:
        """All other letters."""
        starts = [0, *(last + 1 for _, last in self.ranges)]
        ends = [*(first - 1 for first, _ in self.ranges), LAST_LETTER]
        return Letters(tuple((first, last) for first, last in zip(starts, ends, strict=True) if first <= last))


@dataclass(frozen=True, slots=True)
class End:
    """The start of the text, or its end."""

    start: bool


@dataclass(frozen=True, slots=True)
class Row:
    """Parts one after the other."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class RegexChoice:
    """One of several branches."""

    branches: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class RegexGroup:
    """What ( ) takes for the replacement, numbered from 1."""

    inner: Regex
    number: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """At least `least` and at most `most` times, without end for None; lazy: as few as will do."""

    inner: Regex
    least: int
    most: int | None
    lazy: bool = False


Regex = Letters | End | Row | RegexChoice | RegexGroup | Repeat
ANY_LETTER = Letters(((0, LAST_LETTER),))
NOTHING = Row(())


def letters(ranges: Iterable[tuple[int, int]]) -> Letters:
    """The letters of ranges in any order."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return Letters(tuple(merged))


def row(parts: Iterable[Regex]) -> Regex:
    """The parts one after the other, without those that are nothing: DuckDB takes a leading one for the start."""
    flat = [each for part in parts for each in (part.parts if isinstance(part, Row) else (part,)) if each != NOTHING]
    return flat[0] if len(flat) == 1 else Row(tuple(flat))


def repeated(inner: Regex, least: int, most: int | None, lazy: bool) -> Regex:
    """So many of it."""
    return NOTHING if inner == NOTHING or most == 0 else Repeat(inner, least, most, lazy)


def children(regex: Regex) -> tuple[Regex, ...]:
    """The parts directly inside."""
    match regex:
        case Letters() | End():
            return ()
        case Row(parts):
            return parts
        case RegexChoice(branches):
            return branches
        case RegexGroup(inner) | Repeat(inner):
            return (inner,)
        case _:
            assert_never(regex)


def size(regex: Regex) -> int:
    """How many letters it has with its repetitions written out; nothing counts as one, too."""
    match regex:
        case Repeat(inner, least, most):
            return size(inner) * max(least + 1 if most is None else most, 1)
        case _:
            return max(sum(map(size, children(regex))), 1)


def may_be_empty(regex: Regex) -> bool:
    """Whether it matches the empty text somewhere."""
    match regex:
        case Letters():
            return False
        case End():
            return True
        case Row(parts):
            return all(map(may_be_empty, parts))
        case RegexChoice(branches):
            return any(map(may_be_empty, branches))
        case RegexGroup(inner):
            return may_be_empty(inner)
        case Repeat(inner, least):
            return least == 0 or may_be_empty(inner)
        case _:
            assert_never(regex)


def width(regex: Regex) -> int | None:
    """How many letters every match has, where that is always the same."""
    match regex:
        case Letters():
            return 1
        case End():
            return 0
        case Row(parts):
            return _sum([width(part) for part in parts])
        case RegexChoice(branches):
            widths = {width(branch) for branch in branches}
            return widths.pop() if len(widths) == 1 else None
        case RegexGroup(inner):
            return width(inner)
        case Repeat(inner, least, most):
            once = width(inner)
            return once * least if once is not None and least == most else None
        case _:
            assert_never(regex)


def _sum(widths: list[int | None]) -> int | None:
    known = [each for each in widths if each is not None]
    return sum(known) if len(known) == len(widths) else None


def without_groups(regex: Regex) -> Regex:
    """What matches the same, with nothing to take."""
    match regex:
        case Letters() | End():
            return regex
        case Row(parts):
            return row(map(without_groups, parts))
        case RegexChoice(branches):
            return RegexChoice(tuple(map(without_groups, branches)))
        case RegexGroup(inner):
            return without_groups(inner)
        case Repeat(inner, least, most, lazy):
            return repeated(without_groups(inner), least, most, lazy)
        case _:
            assert_never(regex)


def written(regex: Regex) -> str:
    """The text of it for Postgres and RE2 alike."""
    return f"(?s){_text(regex)}" if _has(regex, ANY_LETTER) else _text(regex)


def _has(regex: Regex, part: Regex) -> bool:
    return regex == part or any(_has(child, part) for child in children(regex))


def _text(regex: Regex) -> str:
    match regex:
        case Letters():
            return _letters_text(regex)
        case End(start):
            return "^" if start else "$"
        case Row(parts):
            return "".join(_atom(part) if isinstance(part, RegexChoice) else _text(part) for part in parts)
        case RegexChoice(branches):
            return "|".join(_text(branch) for branch in branches)
        case RegexGroup(inner):
            return f"({_text(inner)})"
        case Repeat(inner, least, most):
            return _atom(inner) + _count(least, most)
        case _:
            assert_never(regex)


def _atom(regex: Regex) -> str:
    text = _text(regex)
    return text if isinstance(regex, Letters | RegexGroup) else f"(?:{text})"


def _count(least: int, most: int | None) -> str:
    match least, most:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{least},}}"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _letters_text(found: Letters) -> str:
    if found == ANY_LETTER:
        return "."
    match found.ranges:
        case ((first, last),) if first == last:
            return _escaped(first)
    if found.ranges[-1][1] == LAST_LETTER:
        return f"[^{_ranges_text(found.inverted().ranges)}]"
    return f"[{_ranges_text(found.ranges)}]"


def _ranges_text(ranges: Ranges) -> str:
    return "".join(_escaped(first) + (f"-{_escaped(last)}" if last > first else "") for first, last in ranges)


def _escaped(letter: int) -> str:
    return _CONTROLS.get(letter) or (f"\\{chr(letter)}" if chr(letter) in _ESCAPED else chr(letter))
