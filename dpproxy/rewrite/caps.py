"""Whether noise is made for caps that are declared, or units are scaled down to a clip, which caps only cut short.

Noise for caps is that of a unit which reaches all of them at once: so many rows in each of so many keys. A clip costs
something to choose, and lies near what units really have. So caps hold where they leave little room above one row in
one key, and a clip is chosen where there is more. Which it is follows from the caps, the number of keys that is
foreseen, and the accounting. Checked by: tests/test_caps.py.
"""

from __future__ import annotations

import math
from typing import Final, assert_never

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import choice_share
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.caps import Caps
from dpproxy.plan.private_plan import UNCAPPED
from dpproxy.rewrite.context import PlanningContext

_CUT_OFF: Final = 1.25
"""How many times the noise that is left for it an answer at a chosen clip errs, where all units have as much: what is
cut off, and candidates beyond."""


def rows_within_a_unit(rows: int, context: PlanningContext) -> int:
    """How many rows of one unit an exact aggregate over them is taken to have: what it comes to is a number of one row,
    with bounds by these, or without any, so that a clip is chosen for it."""
    if context.caps_hold or not clip_pays(Caps(rows, 1), 1, context.norm, context.accounting):
        return rows
    return UNCAPPED


def clip_pays(caps: Caps, keys: int, norm: Norm, accounting: Accounting) -> bool:
    """Whether a clip is expected to err less than noise for the caps.

    Nobody knows how far below the caps units lie. If they are anywhere between them and one row in one key, as likely
    by one factor as by another, noise for the caps is the root of that room too large. So is what either way may err
    more than the other at worst: caps by the room, less what a clip costs, and a clip by that.
    """
    return _room(caps, norm) > _cost(accounting, keys) ** 2


def _room(caps: Caps, norm: Norm) -> float:
    """The norm of a unit that reaches both caps, in those of one row in one key."""
    match norm:
        case Norm.L1:
            return caps.rows * caps.groups
        case Norm.L2:
            return caps.rows * math.sqrt(caps.groups)
        case _:
            assert_never(norm)


def _cost(accounting: Accounting, keys: int) -> float:
    """How many times the error of a clip that somebody knew a chosen one has, where all units have as much."""
    left = 1 - float(choice_share(accounting, keys))
    match accounting:
        case Accounting.PURE:
            return _CUT_OFF / left
        case Accounting.ZCDP:
            return _CUT_OFF / math.sqrt(left)
        case _:
            assert_never(accounting)
