"""A release without its noise."""

from __future__ import annotations

from dataclasses import dataclass

from dpproxy.plan.model import Bounded, Output

# The schema under which the tree reads released rows, until `swap` puts arrays there; the table's name is the release.
RELEASED = "dpproxy released"


@dataclass(frozen=True, slots=True)
class Draft:
    """What is bounded, and the columns that come out. `beside`: the releases whose outputs stand beside these, row by
    row, over the same keys."""

    bounded: Bounded
    outputs: tuple[Output, ...]
    beside: tuple[int, ...] = ()
