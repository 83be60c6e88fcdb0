"""A release without its noise."""

from __future__ import annotations

from dataclasses import dataclass
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
