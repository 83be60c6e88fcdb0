"""A release without its noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.hierarchies import Hierarchy
from dpproxy.plan.private_plan import Bounded, Key, Output
from dpproxy.plan.told_columns import Part

# The schema under which the tree reads released rows, until `swap` puts arrays there; the table's name is the release.
RELEASED = "dpproxy released"
PLACE = "place"
"""The column of released rows that says in which order keys were chosen."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a measure, by its index; None: of the number of units of each private key.

    places: how many keys are chosen by it. weight: how much its noise counts beside that of others.
    """

    want: Want
    measure: int | None
    places: int = 1
    weight: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class ReleaseDraft:
    """What is bounded, and the columns that come out. `wanted`: what is told, in order; each has a share of the price.
    `beside`: the releases whose outputs stand beside these, row by row, over the same keys. `hierarchies`: what
    grouping sets that begin with this release add up to. `across`: of how many numbers, from 1, its last key is, each
    of which is a column of its own, instead of a row (`releases.pivots`); None where there is no such key."""

    bounded: Bounded
    outputs: tuple[Output, ...]
    wanted: tuple[Wanted, ...]
    beside: tuple[int, ...] = ()
    hierarchies: tuple[Hierarchy, ...] = ()
    across: int | None = None

    @property
    def places(self) -> int | None:
        """How many keys are chosen; None where that is not what tells them."""
        return next((each.places for each in self.wanted if each.want is Want.LARGEST), None)

    @property
    def keys(self) -> tuple[Key, ...]:
        """The keys that its rows are read with."""
        return self.bounded.keys if self.across is None else self.bounded.keys[:-1]

    @property
    def parts(self) -> tuple[Part | None, ...]:
        """Of which rows each column of an output is."""
        if self.across is None:
            return (None,)
        return tuple(Part(len(self.keys), number) for number in range(1, self.across + 1))

    @property
    def columns(self) -> Iterator[tuple[str, Output, Part | None]]:
        """The columns after the keys: their names, and what they are of."""
        for output in self.outputs:
            for part in self.parts:
                yield output.name if part is None else column_across(output.name, part.number), output, part


def column_across(name: str, number: int) -> str:
    """What an output is called as a column of its own."""
    return f"{name}_{number}"


def added(drafts: list[ReleaseDraft], made: ReleaseDraft) -> int:
    """The place of a release by itself, a new one at the end unless it is there already: that one is not paid again."""
    for place, draft in enumerate(drafts):
        if _is_same(draft, made):
            drafts[place] = replace(draft, wanted=_heavier(draft.wanted, made.wanted))
            return place
    drafts.append(made)
    return len(drafts) - 1


def _is_same(one: ReleaseDraft, other: ReleaseDraft) -> bool:
    """Whether two releases are the same question: all but what they are called in the text."""
    keys = [[(key.type, key.domain) for key in draft.bounded.keys] for draft in (one, other)]
    outputs = [[(output.type, output.formula) for output in draft.outputs] for draft in (one, other)]
    read = [(draft.bounded.sql, draft.beside, draft.across) for draft in (one, other)]
    same = (keys[0], outputs[0], read[0]) == (keys[1], outputs[1], read[1])
    measures = zip(one.bounded.measures, other.bounded.measures, strict=False)
    return same and all(replace(a, label="") == replace(b, label="") for a, b in measures)


def _heavier(known: Sequence[Wanted], made: Sequence[Wanted]) -> tuple[Wanted, ...]:
    """What is asked for twice weighs as where it weighs more."""
    both = zip(known, made, strict=True)
    return tuple(replace(one, weight=max(one.weight, other.weight)) for one, other in both)
