"""How far a match reaches. Postgres takes the longest one at a place, RE2 the first that it comes to by preference.

Both are followed side by side over all texts: a pattern is safe to replace by where they never part. And a search
that looks far behind each match, for a longer one or for the end of one that began before, reads the same letters
again for the next match: replacing all of them then takes time in the square of the text's length, which one long text
in one row makes hours, and nothing interrupts DuckDB within a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import assert_never

from dpproxy.rewrite.expressions.patterns.regexes import (
    LAST_LETTER,
    End,
    Letters,
    Regex,
    RegexChoice,
    RegexGroup,
    Repeat,
    Row,
    children,
    may_be_empty,
    size,
    width,
)

_MOST_STATES = 300
_LARGEST = 100
_MOST_SEARCHES = 2_000


_State = tuple[tuple[int, ...], tuple[int, ...], bool]


@dataclass(frozen=True, slots=True)
class RegexStep:
    """A state of the automaton: it reads a letter, asks for an end, or goes on to others, the preferred one first."""

    reads: Letters | None
    asks: End | None
    following: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Between two letters: whether the text starts here, and whether it ends here."""

    start: bool
    end: bool


def reaches_alike(regex: Regex) -> bool:
    """Claim: if true, a search by preference and one for the longest match find the same part of every text.

    Because: both begin at the first place where some match begins. From there all states that each search can be in are
    visited, letter by letter; in every one either both have a match up to here or neither has. Where a repetition is
    lazy, or its part may be empty, engines differ in more than that.
    Checked by: tests/test_patterns.py.
    """
    if size(regex) > _LARGEST or _is_odd(regex):
        return False
    steps = _compiled(regex)
    samples = _samples(steps)
    waiting: list[_State] = [((0,), (0,), start) for start in (True, False)]
    seen = set(waiting)
    while waiting:
        first, longest, start = waiting.pop()
        for end in (False, True):
            if _cut(steps, first, Place(start, end))[1] != _cut(steps, longest, Place(start, end))[1]:
                return False
        place = Place(start, False)
        preferred, every = _cut(steps, first, place)[0], _reached(steps, longest, place)
        for sample in samples:
            state = (_after(steps, preferred, sample), tuple(sorted(_after(steps, every, sample))), False)
            if state not in seen and state[1]:
                seen.add(state)
                waiting.append(state)
        if len(seen) > _MOST_STATES:
            return False
    return True


def takes_alike(regex: Regex, groups: set[int]) -> bool:
    """Claim: if true, those groups take the same part of a match in Postgres and RE2.

    Because: with branches of one width, and repetitions of one width, both give each part the most letters with which
    the rest still matches, from left to right. A group inside of a repetition or branch takes one of many, or none.
    Checked by: tests/test_patterns.py.
    """
    if not groups:
        return True
    return not _is_uneven(regex) and groups <= set(_single_groups(regex))


@dataclass(frozen=True, slots=True)
class _Search:
    """A search, between two letters. found: there is a match already; only where it ends, and whether it is the first,
    is open. oldest: where the match may be that is to be told. younger: where matches are that begin after it."""

    oldest: tuple[int, ...]
    younger: tuple[int, ...] = ()
    found: bool = False
    start: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a search comes to at its place. ends: the oldest match; others: a younger one."""

    ends: bool
    others: bool
    following: frozenset[_Search]


def ends_soon(regex: Regex) -> bool:
    """Claim: if true, each letter of a text is read by a bounded number of the searches that replace all matches, so
    that takes time in proportion to the text, whatever the text.

    Because: a letter is read again by as many searches as there are matches between the first that reads it and it. All
    states of a search are visited; in those in which it has found a match and still looks for its end, none is in a
    circle where another match ends: so there are at most as many as there are states.
    Checked by: tests/test_patterns.py.
    """
    steps = _compiled(regex)
    samples = _samples(steps)
    waiting = [_Search((0,), start=True), _Search((0,))]
    seen: dict[_Search, _Seen] = {}
    while waiting and len(seen) <= _MOST_SEARCHES:
        search = waiting.pop()
        if search not in seen:
            seen[search] = _searched(steps, search, samples)
            waiting.extend(seen[search].following)
    behind = {search: found for search, found in seen.items() if search.found and not found.ends}
    return not waiting and not any(found.others and _comes_back(search, behind) for search, found in behind.items())


def _comes_back(search: _Search, among: Mapping[_Search, _Seen]) -> bool:
    waiting, known = [search], set[_Search]()
    while waiting:
        following = {each for each in among[waiting.pop()].following if each in among}
        if search in following:
            return True
        waiting.extend(following - known)
        known |= following
    return False


def _searched(steps: list[RegexStep], search: _Search, samples: list[int]) -> _Seen:
    inside = Place(False, False)
    oldest, younger = (
        _reached(steps, search.oldest, Place(search.start, False)),
        _reached(steps, search.younger, inside),
    )
    anew = _reached(steps, (0,), inside)
    ends, others = _has_end(steps, oldest), _has_end(steps, younger)
    if others and not (search.found or ends):
        # Which of them it will be is open: all are followed, and matches behind this place are other ones.
        oldest, younger = (*oldest, *younger), ()
    younger = anew if ends else tuple(dict.fromkeys((*younger, *anew)))
    found = search.found or ends or others
    following = (_read(steps, oldest, younger, found, sample) for sample in samples)
    return _Seen(ends, others, frozenset(each for each in following if each is not None))


def _read(
    steps: list[RegexStep], oldest: tuple[int, ...], younger: tuple[int, ...], found: bool, letter: int
) -> _Search | None:
    """The search a letter later; None where it has come to its end."""
    first, later = (tuple(sorted(_after(steps, states, letter))) for states in (oldest, younger))
    if found:
        return _Search(first, later, True) if first else None
    return _Search(first, later) if first else _Search(later or (0,))


def _has_end(steps: list[RegexStep], states: tuple[int, ...]) -> bool:
    return any(not steps[state].following for state in states)


def _is_odd(regex: Regex) -> bool:
    """Whether a repetition in it is lazy, or of something that may be empty."""
    odd = isinstance(regex, Repeat) and (regex.lazy or may_be_empty(regex.inner))
    return odd or any(map(_is_odd, children(regex)))


def _is_uneven(regex: Regex) -> bool:
    """Whether a choice in it, or what a repetition repeats, is of more than one width."""
    part = regex.inner if isinstance(regex, Repeat) else regex
    uneven = isinstance(regex, Repeat | RegexChoice) and width(part) is None
    return uneven or any(map(_is_uneven, children(regex)))


def _single_groups(regex: Regex) -> Iterator[int]:
    """The groups that take something in every match, once."""
    if isinstance(regex, RegexGroup):
        yield regex.number
    if not isinstance(regex, Repeat | RegexChoice):
        for child in children(regex):
            yield from _single_groups(child)


def _compiled(regex: Regex) -> list[RegexStep]:
    """The automaton: state 0 is where it starts, and a state without anything is its end."""
    steps = [RegexStep(None, None, ()), RegexStep(None, None, ())]
    steps[0] = RegexStep(None, None, (_into(steps, regex, 1),))
    return steps


def _into(steps: list[RegexStep], part: Regex, then: int) -> int:
    """The state from which `part` leads to the state `then`; what it takes is added to the steps."""
    match part:
        case Letters():
            return _added(steps, RegexStep(part, None, (then,)))
        case End():
            return _added(steps, RegexStep(None, part, (then,)))
        case Row(parts):
            for each in reversed(parts):
                then = _into(steps, each, then)
            return then
        case RegexChoice(branches):
            return _added(steps, RegexStep(None, None, tuple(_into(steps, branch, then) for branch in branches)))
        case RegexGroup(inner):
            return _into(steps, inner, then)
        case Repeat():
            return _into_repeat(steps, part, then)
        case _:
            assert_never(part)


def _into_repeat(steps: list[RegexStep], part: Repeat, then: int) -> int:
    if part.most is None:
        loop = _added(steps, RegexStep(None, None, ()))
        steps[loop] = RegexStep(None, None, (_into(steps, part.inner, loop), then))
        then = loop
    else:
        last = then
        for _ in range(part.most - part.least):
            then = _added(steps, RegexStep(None, None, (_into(steps, part.inner, then), last)))
    for _ in range(part.least):
        then = _into(steps, part.inner, then)
    return then


def _added(steps: list[RegexStep], step: RegexStep) -> int:
    steps.append(step)
    return len(steps) - 1


def _samples(steps: list[RegexStep]) -> list[int]:
    """A letter out of each set of letters that no state tells apart."""
    edges = {0, LAST_LETTER + 1}
    for step in steps:
        for first, last in step.reads.ranges if step.reads else ():
            edges |= {first, last + 1}
    return [first for first, _ in pairwise(sorted(edges))]


def _reached(steps: list[RegexStep], states: tuple[int, ...], place: Place) -> tuple[int, ...]:
    """The states that read a letter or are the end, reached without reading, in order of preference."""
    found: dict[int, None] = {}
    seen: set[int] = set()
    waiting = list(reversed(states))
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        step = steps[state]
        if step.reads is not None or not step.following:
            found[state] = None
        elif step.asks is None or (place.start if step.asks.start else place.end):
            waiting.extend(reversed(step.following))
    return tuple(found)


def _cut(steps: list[RegexStep], states: tuple[int, ...], place: Place) -> tuple[tuple[int, ...], bool]:
    """The states that are preferred to a match up to here, and whether there is one."""
    reached = _reached(steps, states, place)
    ends = [index for index, state in enumerate(reached) if not steps[state].following]
    return (reached[: ends[0]], True) if ends else (reached, False)


def _after(steps: list[RegexStep], states: tuple[int, ...], letter: int) -> tuple[int, ...]:
    following = [
        steps[state].following[0]
        for state in states
        if (reads := steps[state].reads) is not None and any(first <= letter <= last for first, last in reads.ranges)
    ]
    return tuple(dict.fromkeys(following))
