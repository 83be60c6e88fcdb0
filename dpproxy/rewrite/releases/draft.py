"""A release without its noise."""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.private_plan import Bounded, Output

# The schema under which the tree reads released rows, until `swap` puts arrays there; the table's name is the release.
RELEASED = "dpproxy released"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a measure, by its index; None: of the number of units of each private key."""

    want: Want
    measure: int | None


@dataclass(frozen=True, slots=True)
class ReleaseDraft:
    """What is bounded, and the columns that come out. `wanted`: what is told, in order; each has a share of the price.
    `beside`: the releases whose outputs stand beside these, row by row, over the same keys."""

    bounded: Bounded
    outputs: tuple[Output, ...]
    wanted: tuple[Wanted, ...]
    beside: tuple[int, ...] = ()


def numbers_of(bounded: Bounded) -> tuple[Wanted, ...]:
    """Every number; before them, where keys are private, which of those there are."""
    keys = (Wanted(Want.KEYS, None),) if bounded.counts_units else ()
    return (*keys, *(Wanted(Want.NUMBERS, index) for index in range(len(bounded.measures))))
