"""Whether noise is made for caps that are declared, or units are scaled down to a clip, which caps only cut short.

Noise for caps is that of a unit which reaches all of them at once: so many rows in each of so many keys. A clip costs
something to choose, and lies near what units really have. So caps hold where they leave little room above one row in
one key, and a clip is chosen where there is more: then caps say how far it is looked for, and nobody's rows or keys are
left out. Which it is follows from the caps, the number of keys that is foreseen, and the accounting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, assert_never

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.clipped_noise import choice_share
from dpproxy.mechanisms.norms import Norm
from dpproxy.plan.caps import Caps
from dpproxy.plan.private_plan import UNCAPPED
from dpproxy.rewrite.calculus.relations import Joined, Rowset
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.bound import has_no_cap
from dpproxy.rewrite.releases.keys import Keyed, foreseen, limit_of

_CUT_OFF: Final = 1.25
"""How many times the noise that is left for it an answer at a chosen clip errs, where all units have as much: what is
cut off, and candidates beyond."""


def loosened(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext) -> Joined:
    """The same rows, of which a unit may have any number in any number of keys where a clip is chosen.

    Where a cap is missing there is a clip anyway. One row for each key stays one row.
    """
    keys = foreseen([each.key for each in keyed])
    return _loosened(joined, keyed, context, lambda caps: clip_pays(caps, keys, joined.rowset, context))


def loosened_for_choice(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext) -> Joined:
    """The same where keys are chosen: for that noise it is no matter how many of them a unit has."""
    return _loosened(joined, keyed, context, lambda caps: clip_pays(replace(caps, groups=1), 1, joined.rowset, context))


def loosened_for_units(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext) -> Joined:
    """The same where units are counted, whose rows of one key are one."""
    keys = foreseen([each.key for each in keyed])
    return _loosened(
        joined, keyed, context, lambda caps: clip_pays(replace(caps, rows=1), keys, joined.rowset, context)
    )


def _loosened(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext, pays: Callable[[Caps], bool]) -> Joined:
    rowset = joined.rowset
    if rowset.one_row or context.caps_hold:
        return joined
    groups, _ = limit_of(keyed, False, rowset.groups)
    caps = None if UNCAPPED in (rowset.rows, groups) else Caps(rowset.rows, groups)
    if not has_no_cap(rowset, keyed) and (caps is None or not pays(caps)):
        return joined
    rows = 1 if rowset.rows == 1 else UNCAPPED
    return replace(joined, rowset=replace(rowset, rows=rows, groups=UNCAPPED, caps=caps))


def clip_pays(caps: Caps, keys: int, rowset: Rowset, context: PlanningContext) -> bool:
    """Whether a clip is expected to err less than noise for the caps.

    Nobody knows how far below the caps units lie. If they are anywhere between them and one row in one key, as likely
    by one factor as by another, noise for the caps is the root of that room too large. So is what either way may err
    more than the other at worst: caps by the room, less what a clip costs, and a clip by that.
    """
    norm = context.norm if rowset.sample is None else context.norm_in_samples
    return _room(caps, norm) > _cost(context.accounting, keys) ** 2


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
