"""Reading Postgres's regular expressions (AREs), as far as RE2 knows the same.

What is no regular expression to Postgres, or another one to RE2, raises `Unreadable`: back references, looking around,
word boundaries, collating elements, escapes of letters that have a meaning in one of them only.
"""

from __future__ import annotations

import string
from dataclasses import dataclass, field

from dpproxy.rewrite.expressions.patterns.regexes import (
    ANY_LETTER,
    LAST_LETTER,
    End,
    Letters,
    Ranges,
    Regex,
    RegexChoice,
    RegexGroup,
    letters,
    repeated,
    row,
    size,
)

LARGEST = 500
_MOST_TIMES = 255
_MOST_FOLDED = 2_000
_DEEPEST = 40


class Unreadable(ValueError):
    """Why a pattern is refused, in words for the analyst."""


def _of(text: str) -> Ranges:
    return letters((ord(letter), ord(letter)) for letter in text).ranges


_DIGITS, _SPACES = _of(string.digits), _of(" \t\n\r\f\v")
_LETTERS = _of(string.ascii_letters)
_WORD = _of(string.ascii_letters + string.digits + "_")
_SHORT: dict[str, Ranges] = {"d": _DIGITS, "s": _SPACES, "w": _WORD}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_CLASSES: dict[str, Ranges] = {
    "alpha": _LETTERS,
    "digit": _DIGITS,
    "alnum": _of(string.ascii_letters + string.digits),
    "upper": _of(string.ascii_uppercase),
    "lower": _of(string.ascii_lowercase),
    "space": _SPACES,
    "blank": _of(" \t"),
    "punct": _of(string.punctuation),
    "xdigit": _of(string.hexdigits),
    "cntrl": ((1, 31), (127, 127)),
    "graph": ((33, 126),),
    "print": ((32, 126),),
    "word": _WORD,
}


def read_regex(pattern: str, ignores_case: bool) -> Regex:
    """The tree of an ARE.

    Claim: over texts whose letters are ASCII, and over all others but for what a locale says of them, the tree matches
    what Postgres matches. Because: each form of the grammar that has the same meaning is read, and nothing else.
    Checked by: tests/test_patterns.py.
    Raises Unreadable.
    """
    reader = _Reader(pattern, ignores_case)
    if pattern.startswith("***"):
        raise Unreadable("*** at the start")
    if pattern.startswith("(?") and not pattern.startswith("(?:"):
        reader.options()
    regex = reader.choice(0)
    if reader.rest:
        raise Unreadable("a ) without its (")
    if size(regex) > LARGEST:
        raise Unreadable("so many repetitions")
    return regex


def _folded(ranges: Ranges) -> Ranges:
    """With the other case of each letter."""
    if sum(last - first + 1 for first, last in ranges) > _MOST_FOLDED:
        raise Unreadable("a range of so many letters without regard to case")
    found = [chr(point) for first, last in ranges for point in range(first, last + 1)]
    cases = [case for letter in found for case in (letter, *_cases(letter))]
    return letters((ord(case), ord(case)) for case in cases).ranges


def _cases(letter: str) -> tuple[str, ...]:
    """Both cases of a letter where they are single letters; of an ASCII letter only those that are ASCII, too."""
    both = (letter.lower(), letter.upper())
    return tuple(case for case in both if len(case) == 1 and case.isascii() == letter.isascii())


@dataclass
class _Reader:
    """A pattern and how far it was read."""

    pattern: str
    ignores_case: bool
    at: int = 0
    groups: int = field(default=0)

    @property
    def rest(self) -> str:
        return self.pattern[self.at :]

    def options(self) -> None:
        """(?i) and its like, which stand at the very start only."""
        text, closed, _ = self.pattern.removeprefix("(?").partition(")")
        if not closed or not set(text) <= set("ics"):
            raise Unreadable(f"(?{text[:1]}")
        for option in text:
            self.ignores_case = {"i": True, "c": False}.get(option, self.ignores_case)
        self.at = len(text) + 3

    def took(self, text: str) -> bool:
        if not text or not self.pattern.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def letter(self) -> str:
        if self.at >= len(self.pattern):
            raise Unreadable("an end that comes too early")
        self.at += 1
        return self.pattern[self.at - 1]

    def choice(self, depth: int) -> Regex:
        if depth > _DEEPEST:
            raise Unreadable("so many parentheses inside of each other")
        branches = [self.row(depth)]
        while self.took("|"):
            branches.append(self.row(depth))
        return branches[0] if len(branches) == 1 else RegexChoice(tuple(branches))

    def row(self, depth: int) -> Regex:
        parts: list[Regex] = []
        while self.rest and self.rest[0] not in "|)":
            parts.append(self.quantified(self.atom(depth)))
        return row(parts)

    def atom(self, depth: int) -> Regex:
        letter = self.letter()
        match letter:
            case "(":
                return self.group(depth)
            case ".":
                return ANY_LETTER
            case "[":
                return self.bracket()
            case "^" | "$":
                return End(start=letter == "^")
            case "\\":
                return self.escape()
            case "*" | "+" | "?":
                raise Unreadable(f"a {letter} that repeats nothing")
            case "{" if self.rest[:1].isdigit():
                raise Unreadable("a { that repeats nothing")
        return self.one(_of(letter))

    def one(self, ranges: Ranges) -> Letters:
        return Letters(_folded(ranges) if self.ignores_case else ranges)

    def group(self, depth: int) -> Regex:
        takes = not self.took("?:")
        if takes and self.rest.startswith("?"):
            raise Unreadable(f"({self.rest[:2]}")
        self.groups += takes
        number = self.groups
        inner = self.choice(depth + 1)
        if not self.took(")"):
            raise Unreadable("a ( without its )")
        return RegexGroup(inner, number) if takes else inner

    def escape(self) -> Regex:
        letter = self.letter()
        match letter:
            case "d" | "s" | "w":
                return Letters(_SHORT[letter])
            case "D" | "S" | "W":
                return Letters(_SHORT[letter.lower()]).inverted()
            case "A" | "Z":
                return End(start=letter == "A")
        return self.one(_of(_plain(letter)))

    def quantified(self, atom: Regex) -> Regex:
        times = self.times()
        if times is None:
            return atom
        if isinstance(atom, End):
            raise Unreadable("a repetition of ^ or $")
        lazy = self.took("?")
        if self.times() is not None:
            raise Unreadable("a repetition of a repetition")
        return repeated(atom, *times, lazy)

    def times(self) -> tuple[int, int | None] | None:
        for sign, times in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.took(sign):
                return times
        if not (self.rest.startswith("{") and self.rest[1:2].isdigit()):
            return None
        text, closed, _ = self.rest[1:].partition("}")
        least, comma, most = text.partition(",")
        if not closed or not _is_count(least) or (most and not _is_count(most)):
            raise Unreadable(f"the repetition {{{text[:10]}")
        self.at += len(text) + 2
        return _checked(int(least), (int(most) if most else None) if comma else int(least))

    def bracket(self) -> Regex:
        inverted = self.took("^")
        ranges: list[tuple[int, int]] = []
        first = True
        while first or not self.took("]"):
            ranges += self.member(first)
            first = False
        found = self.one(letters(ranges).ranges)
        if not inverted:
            return found
        if found.ranges[-1][1] == LAST_LETTER:
            raise Unreadable("a set without the last letter of Unicode")
        return found.inverted()

    def member(self, first: bool) -> Ranges:
        """One member of a set: a letter, a range of letters, a class."""
        letter = self.letter()
        if letter == "-" and not first and not self.rest.startswith("]"):
            raise Unreadable("a - between letters that is no range")
        if letter == "[" and self.rest[:1] in (":", ".", "="):
            return self.named_class()
        if letter == "\\":
            letter = self.letter()
            if letter in _SHORT:
                return _SHORT[letter]
            letter = _plain(letter)
        if not self.rest.startswith("-") or self.rest.startswith("-]"):
            return _of(letter)
        self.at += 1
        return _range(letter, self.end_of_range())

    def end_of_range(self) -> str:
        letter = self.letter()
        if letter == "[":
            raise Unreadable("a range up to [")
        return _plain(self.letter()) if letter == "\\" else letter

    def named_class(self) -> Ranges:
        name, closed, _ = self.rest[1:].partition(":]")
        if self.rest[0] != ":" or not closed or name not in _CLASSES:
            raise Unreadable(f"[{self.rest[:8]}")
        self.at += len(name) + 3
        return _CLASSES["alpha" if self.ignores_case and name in ("upper", "lower") else name]


def _plain(letter: str) -> str:
    """The letter that an escape stands for."""
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    if letter.isalnum():
        raise Unreadable(f"\\{letter}")
    return letter


def _range(first: str, last: str) -> Ranges:
    if first > last:
        raise Unreadable(f"the range {first}-{last}")
    return ((ord(first), ord(last)),)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 3


def _checked(least: int, most: int | None) -> tuple[int, int | None]:
    if max(least, most or 0) > _MOST_TIMES or (most is not None and most < least):
        raise Unreadable(f"the repetition {{{least},{'' if most is None else most}}}")
    return least, most
