"""Rows of which a unit may have any number in any number of keys, where caps only say how far a clip is looked for.

So nobody's rows or keys are left out. Where caps leave little room (`rewrite.caps`), or hold, they are as they were.
Checked by: tests/test_caps.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dpproxy.plan.caps import Caps
from dpproxy.plan.private_plan import UNCAPPED
from dpproxy.rewrite.calculus.relations import Joined, Rowset
from dpproxy.rewrite.caps import clip_pays
from dpproxy.rewrite.context import PlanningContext
from dpproxy.rewrite.releases.bound import has_no_cap
from dpproxy.rewrite.releases.keys import Keyed, foreseen, limit_of


def loosened(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext) -> Joined:
    """The same rows, of which a unit may have any number in any number of keys where a clip is chosen.

    Where a cap is missing there is a clip anyway. One row for each key stays one row.
    """
    keys = foreseen([each.key for each in keyed])
    return _loosened(joined, keyed, context, lambda caps: _pays(caps, keys, joined.rowset, context))


def loosened_for_choice(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext) -> Joined:
    """The same where keys are chosen: for that noise it is no matter how many of them a unit has."""
    return _loosened(
        joined,
        keyed,
        context,
        lambda caps: _pays(replace(caps, groups=1), 1, joined.rowset, context),
    )


def loosened_for_units(joined: Joined, keyed: Sequence[Keyed], context: PlanningContext) -> Joined:
    """The same where units are counted, whose rows of one key are one."""
    keys = foreseen([each.key for each in keyed])
    return _loosened(
        joined,
        keyed,
        context,
        lambda caps: _pays(replace(caps, rows=1), keys, joined.rowset, context),
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


def _pays(caps: Caps, keys: int, rowset: Rowset, context: PlanningContext) -> bool:
    norm = context.norm if rowset.sample is None else context.norm_in_samples
    return clip_pays(caps, keys, norm, context.accounting)
