"""The price of a statement, split evenly over what its releases spend it on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import assert_never

from dpproxy.accounting.account import Terms, default_delta, part, share, statement_loss
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import BoundsRequired, InvalidPrivacySetting
from dpproxy.mechanisms.kinds import Mechanism, Want
from dpproxy.mechanisms.noise import Noise, gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.noisy_max import NoisyMax, noisy_max
from dpproxy.mechanisms.selection import (
    Selection,
    gaussian_selection,
    laplace_selection,
    laplace_selection_for_rho,
)
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import TimeNoise, deadline_noise, delay_noise
from dpproxy.plan.private_plan import Applied, Bounded, FromPublic, FromRelease, Literals, Measure, PrivateKeys, Release
from dpproxy.plan.settings import Mechanism as Asked
from dpproxy.plan.settings import Settings
from dpproxy.rewrite.releases.draft import ReleaseDraft, Wanted

_MOST_STEPS = 2**62
NOTHING = Loss(Decimal(0), Decimal(0))
DEADLINE_SHARE = Fraction(1, 50)
"""What the outcome of the time limit has of a statement's price, where the time of answers is not covered."""
DELAY_SHARE = Fraction(1, 10)
"""What the outcome of the time limit and the moment of the answer have of it, where both are covered."""


@dataclass(frozen=True, slots=True)
class Allocated:
    """The releases with their mechanisms, the noise of the statement's time (None where nothing runs), and its cost."""

    releases: tuple[Release, ...]
    time: TimeNoise | None
    cost: Loss


def allocate(drafts: Sequence[ReleaseDraft], settings: Settings, terms: Terms, constant_time: bool) -> Allocated:
    """The price split over all that a statement tells.

    Claim: the composition of all mechanisms, that of time among them, loses at most the cost, in both coordinates.
    Because: time is built for its share of cost.main; of the p others each is built for at most a p-th of the rest
    (and of δ, time for its share and each of s selections for an s-th of the rest), rounded down, and losses add up
    (`plan.losses`).
    Checked by: tests/test_allocate.py.
    Raises InvalidPrivacySetting where private keys or constant time need a delta and there is none, or too little.
    """
    wanted = [each.want for draft in drafts for each in draft.wanted]
    parts, selections = len(wanted), wanted.count(Want.KEYS)
    if not parts:
        return Allocated((), None, NOTHING)
    whole = statement_loss(terms, settings.epsilon)
    delta = Decimal(0)
    if selections or constant_time:
        delta = _delta(settings, terms, "private keys need" if selections else "constant time needs")
    if constant_time:
        own, own_delta = part(whole, DELAY_SHARE), part(delta, DELAY_SHARE)
        time = _delay(terms.accounting, own, own_delta)
    else:
        own, own_delta = part(whole, DEADLINE_SHARE), Decimal(0)
        time = deadline_noise(terms.accounting, own)
    main = share(whole - own, parts)
    each = share(delta - own_delta, selections) if selections else Decimal(0)
    releases = tuple(_release(draft, main, each, settings, terms) for draft in drafts)
    return Allocated(releases, time, Loss(whole, delta if selections else own_delta))


def _delay(accounting: Accounting, main: Decimal, delta: Decimal) -> TimeNoise:
    """Raises InvalidPrivacySetting where no delay will do."""
    try:
        return delay_noise(accounting, main, delta)
    except ValueError as fault:
        raise InvalidPrivacySetting(
            "the epsilon and delta of this statement are too small to hide its time by",
            hint="SET dp.delta or dp.epsilon higher.",
        ) from fault


def _delta(settings: Settings, terms: Terms, what: str) -> Decimal:
    delta = default_delta(terms, settings.epsilon) if settings.delta is None else settings.delta
    if delta <= 0:
        raise InvalidPrivacySetting(
            f"{what} a delta, and dp.delta is 0 for this statement",
            hint="SET dp.delta to a small number, group by columns with declared values, or ask the owner for a delta.",
        )
    return delta


def _release(draft: ReleaseDraft, main: Decimal, delta: Decimal, settings: Settings, terms: Terms) -> Release:
    made = tuple(
        Applied(_mechanism(each, draft.bounded, main, delta, settings, terms), each.measure) for each in draft.wanted
    )
    return Release(draft.bounded, made, draft.outputs)


def _mechanism(
    wanted: Wanted, bounded: Bounded, main: Decimal, delta: Decimal, settings: Settings, terms: Terms
) -> Mechanism:
    """What tells what is wanted, for a share of the price."""
    match wanted.want:
        case Want.KEYS:
            return _selection(bounded, main, delta, settings, terms)
        case Want.NUMBERS:
            return _noise(bounded.sensitivity(_measure(wanted, bounded)), main, settings, terms)
        case Want.LARGEST:
            return _choice(_measure(wanted, bounded), bounded, main, terms)
        case _:
            assert_never(wanted.want)


def _measure(wanted: Wanted, bounded: Bounded) -> Measure:
    assert wanted.measure is not None, "private keys alone are not told by a measure"
    return bounded.measures[wanted.measure]


def _choice(measure: Measure, bounded: Bounded, main: Decimal, terms: Terms) -> NoisyMax:
    """Which noise it is, the accounting says: `dp.mechanism` is about numbers."""
    one_sided = measure.lower >= 0 or measure.upper <= 0
    known = [len(key.domain.values) for key in bounded.keys if isinstance(key.domain, Literals)]
    among = prod(known) if len(known) == len(bounded.keys) else None
    return noisy_max(bounded.sensitivity(measure), one_sided, terms.accounting, main, among)


def _noise(sensitivity: Sensitivity, main: Decimal, settings: Settings, terms: Terms) -> Noise:
    if sensitivity.l1 > _MOST_STEPS:
        raise BoundsRequired(
            f"one unit could move this sum by {sensitivity.l1} grid steps over its groups, more than 2^62",
            hint="Clip the value to a narrower range, or SET dp.max_groups_per_unit and dp.max_rows_per_unit lower.",
        )
    if terms.accounting is Accounting.PURE:
        return laplace(sensitivity, main)
    if settings.mechanism is Asked.LAPLACE:
        return laplace_for_rho(sensitivity, main)
    return gaussian(sensitivity, main)


def _selection(bounded: Bounded, main: Decimal, delta: Decimal, settings: Settings, terms: Terms) -> Selection:
    """Raises InvalidPrivacySetting where no threshold will do."""
    try:
        return _thresholded(bounded, main, delta, settings, terms)
    except ValueError as fault:
        raise InvalidPrivacySetting(
            "the epsilon and delta of this statement are too small to choose private keys by",
            hint="SET dp.delta or dp.epsilon higher, or ask for fewer things in one statement.",
        ) from fault


def _thresholded(bounded: Bounded, main: Decimal, delta: Decimal, settings: Settings, terms: Terms) -> Selection:
    """A unit adds one to each of its keys, `groups` at most; several of them may share their private part."""
    linf = min(bounded.groups, _public_part(bounded))
    if terms.accounting is Accounting.PURE:
        return laplace_selection(bounded.groups, bounded.groups, linf, main, delta)
    if settings.mechanism is Asked.LAPLACE:
        return laplace_selection_for_rho(bounded.groups, bounded.groups, linf, main, delta)
    return gaussian_selection(bounded.groups, bounded.groups, linf, main, delta)


def _public_part(bounded: Bounded) -> int:
    """How many full keys share one private part. Public ones that only the engine knows, joint or not, are not counted,
    so the limit holds alone."""
    size = 1
    for key in bounded.keys:
        match key.domain:
            case Literals(values):
                size *= len(values)
            case PrivateKeys():
                pass
            case FromPublic() | FromRelease():
                return bounded.groups
            case _:
                assert_never(key.domain)
    return size
