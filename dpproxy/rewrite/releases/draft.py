"""A release without its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.hierarchies import Hierarchy
from dpproxy.plan.private_plan import Bounded, Output

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
    grouping sets that begin with this release add up to."""

    bounded: Bounded
    outputs: tuple[Output, ...]
    wanted: tuple[Wanted, ...]
    beside: tuple[int, ...] = ()
    hierarchies: tuple[Hierarchy, ...] = ()

    @property
    def places(self) -> int | None:
        """How many keys are chosen; None where that is not what tells them."""
        return next((each.places for each in self.wanted if each.want is Want.LARGEST), None)


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
    same = (keys[0], outputs[0], one.bounded.sql, one.beside) == (keys[1], outputs[1], other.bounded.sql, other.beside)
    measures = zip(one.bounded.measures, other.bounded.measures, strict=False)
    return same and all(replace(a, label="") == replace(b, label="") for a, b in measures)


def _heavier(known: Sequence[Wanted], made: Sequence[Wanted]) -> tuple[Wanted, ...]:
    """What is asked for twice weighs as where it weighs more."""
    both = zip(known, made, strict=True)
    return tuple(replace(one, weight=max(one.weight, other.weight)) for one, other in both)
