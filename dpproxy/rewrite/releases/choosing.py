"""Whether to choose keys before numbers of them are told, or to release all totals and sort: whichever errs less.

All in what one unit adds to a key, for a price of one: scales of either way grow alike as the price falls. So what is
taken follows from the text, the policy and the settings alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.noisy_max import MISSED, shortfall
from dpproxy.mechanisms.norms import Norm

ASSUMED_KEYS: Final = 100
"""How many keys there are, where that is not known before the statement runs."""
_STEPS: Final = 60


@dataclass(frozen=True, slots=True)
class Choosing:
    """What is asked for. groups: in how many keys a unit counts, if all are released. numbers: how many measures are
    told beside the chosen keys."""

    places: int
    among: int | None
    groups: int
    numbers: int
    one_sided: bool


def errs_less(asked: Choosing, norm: Norm, accounting: Accounting) -> bool:
    """Whether choosing first errs less than sorting all totals: in how far what stands at a place lies below what
    belongs there, and in the numbers that are told."""
    parts = asked.numbers + 1
    few = _scale(min(asked.places, asked.groups), parts, norm, accounting)
    every = _scale(asked.groups, max(asked.numbers, 1), norm, accounting)
    if asked.numbers and not few < every:
        return False
    among = asked.among or ASSUMED_KEYS
    return shortfall(_choice_scale(asked, parts, accounting), among, asked.places) <= _sorted(every, asked, among, norm)


def _scale(groups: int, parts: int, norm: Norm, accounting: Accounting) -> float:
    """Of the noise of a number, which has one of `parts` of the price: ε = 1, or ρ = 1."""
    if accounting is Accounting.PURE:
        return groups * parts
    return math.sqrt(parts / 2) * (groups if norm is Norm.L1 else math.sqrt(groups))


def _choice_scale(asked: Choosing, parts: int, accounting: Accounting) -> float:
    """Of the choice's noise, likewise."""
    moved = 1 if asked.one_sided else 2
    if accounting is Accounting.PURE:
        return moved * asked.places * parts
    return moved * math.sqrt(asked.places * parts / 8)


def _sorted(scale: float, asked: Choosing, among: int, norm: Norm) -> float:
    """How far what stands at a place may lie below what belongs there, where all numbers are sorted: the same bound as
    a choice's, by the difference of two noises."""
    rare = MISSED / (among * asked.places)
    if norm is Norm.L2:
        return scale * math.sqrt(2) * NormalDist().inv_cdf(1 - rare)
    found = 0.0
    for _ in range(_STEPS):  # of P(Z − Z' > x) = (2 + x)/4 · exp(−x), for Laplace noise of scale one
        found = max(0.0, math.log((2 + found) / (4 * rare)))
    return scale * found
