"""What the mechanisms of a plan lose together: the one place where losses are added up, but for the checker's own."""

from __future__ import annotations

from collections.abc import Iterable

from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.mechanisms.timing import TimeNoise
from dpproxy.plan.private_plan import Release


def lost(releases: Iterable[Release], time: TimeNoise | None, accounting: Accounting) -> Loss:
    """What some releases of a plan lose, and the noise of the time that they take.

    Claim: at least the loss of all that they tell. Because: each mechanism says its own, which holds whatever those
    before it told, so that losses add up (basic composition for ε and δ; Bun, Steinke 2016, lemma 1.7 for ρ).
    Checked by: tests/test_allocate.py, tests/test_stored.py::test_a_part_costs_what_it_loses.
    """
    of_time = ZERO if time is None else time.loss(accounting)
    return sum((each.mechanism.loss(accounting) for release in releases for each in release.mechanisms), of_time)
