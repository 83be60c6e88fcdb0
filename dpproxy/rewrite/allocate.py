"""The price of a statement, split evenly over what its releases spend it on."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import assert_never

from dpproxy.accounting.account import Terms, default_delta, share, statement_loss
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import BoundsRequired, InvalidPrivacySetting
from dpproxy.mechanisms.model import Noise, Selection, Sensitivity
from dpproxy.mechanisms.noise import gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.selection import gaussian_selection, laplace_selection, laplace_selection_for_rho
from dpproxy.plan.model import Bounded, FromPublic, FromRelease, Literals, PrivateKeys, Release
from dpproxy.plan.settings import Mechanism, Settings
from dpproxy.rewrite.releases.draft import Draft

_MOST_STEPS = 2**62
NOTHING = Loss(Decimal(0), Decimal(0))


def allocate(drafts: Sequence[Draft], settings: Settings, terms: Terms) -> tuple[tuple[Release, ...], Loss]:
    """The releases with their noise, and the statement's cost.

    Claim: the composition of all noises and selections loses at most the returned cost, in both coordinates. Because:
    with p of them each is built for at most cost.main / p (and each of s selections for cost.delta / s), rounded down,
    and losses add up (basic composition for ε and δ; Bun, Steinke 2016, Lemma 1.7 for ρ).
    Checked by: tests/test_allocate.py.
    Raises InvalidPrivacySetting where private keys are asked for and there is no delta to pay for them, or too little.
    """
    selections = sum(draft.bounded.counts_units for draft in drafts)
    parts = selections + sum(len(draft.bounded.measures) for draft in drafts)
    if not parts:
        return (), NOTHING
    cost = Loss(statement_loss(terms, settings.epsilon), _delta(settings, terms) if selections else Decimal(0))
    main, delta = share(cost.main, parts), share(cost.delta, selections) if selections else Decimal(0)
    return tuple(_release(draft, main, delta, settings, terms) for draft in drafts), cost


def _delta(settings: Settings, terms: Terms) -> Decimal:
    delta = default_delta(terms, settings.epsilon) if settings.delta is None else settings.delta
    if delta <= 0:
        raise InvalidPrivacySetting(
            "private keys need a delta, and dp.delta is 0 for this statement",
            hint="SET dp.delta to a small number, group by columns with declared values, or ask the owner for a delta.",
        )
    return delta


def _release(draft: Draft, main: Decimal, delta: Decimal, settings: Settings, terms: Terms) -> Release:
    bounded = draft.bounded
    noises = tuple(_noise(bounded.sensitivity(m), main, settings, terms) for m in bounded.measures)
    selection = _selection(bounded, main, delta, settings, terms) if bounded.counts_units else None
    return Release(bounded, noises, selection, draft.outputs)


def _noise(sensitivity: Sensitivity, main: Decimal, settings: Settings, terms: Terms) -> Noise:
    if sensitivity.l1 > _MOST_STEPS:
        raise BoundsRequired(
            f"one unit could move this sum by {sensitivity.l1} grid steps over its groups, more than 2^62",
            hint="Clip the value to a narrower range, or SET dp.max_groups_per_unit and dp.max_rows_per_unit lower.",
        )
    if terms.accounting is Accounting.PURE:
        return laplace(sensitivity, main)
    if settings.mechanism is Mechanism.LAPLACE:
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
    if settings.mechanism is Mechanism.LAPLACE:
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
