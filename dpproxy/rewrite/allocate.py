"""The price of a statement, split over what its releases spend it on: by weight, but for keys that are spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.accounting.account import Terms, default_delta, part, share, statement_loss
from dpproxy.accounting.amplification import within_of
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.errors import BoundsRequired, InvalidPrivacySetting
from dpproxy.mechanisms.clipped_max import clipped_max
from dpproxy.mechanisms.clipped_noise import clipped_noise
from dpproxy.mechanisms.distinct_noise import distinct_noise
from dpproxy.mechanisms.joint_noise import joint_laplace
from dpproxy.mechanisms.kinds import AtAClip, Choice, Mechanism, Quantiles, Spread, Want
from dpproxy.mechanisms.mode_choice import ModeChoice, mode_choice
from dpproxy.mechanisms.noise import Noise, gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.noisy_max import noisy_max
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.paired_noise import paired_noise
from dpproxy.mechanisms.quantile_brackets import quantile_brackets
from dpproxy.mechanisms.quantile_choice import quantile_choice
from dpproxy.mechanisms.quantile_tree import quantile_tree
from dpproxy.mechanisms.selection import (
    Selection,
    gaussian_selection,
    laplace_selection,
    laplace_selection_for_rho,
)
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.spread_selection import spread_gaussian, spread_laplace
from dpproxy.mechanisms.timing import TimeNoise, deadline_noise, delay_noise
from dpproxy.mechanisms.truncated_selection import truncated_laplace
from dpproxy.plan.formulas import ModeOf, QuantileOf
from dpproxy.plan.private_plan import (
    Applied,
    Bounded,
    FromPublic,
    FromRelease,
    Literals,
    Measure,
    MeasureKind,
    Output,
    PrivateKeys,
    Release,
)
from dpproxy.plan.samples import Sample
from dpproxy.plan.settings import Mechanism as Asked
from dpproxy.plan.settings import Settings
from dpproxy.remembered import remembered
from dpproxy.rewrite.releases.draft import ReleaseDraft, Wanted
from dpproxy.rewrite.releases.keys import foreseen
from dpproxy.rewrite.shares import PriceShare, weighed, weights

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


def allocate(
    drafts: Sequence[ReleaseDraft],
    settings: Settings,
    terms: Terms,
    constant_time: bool,
    time_part: Fraction | None = None,
) -> Allocated:
    """The price split over all that a statement tells: time has `time_part` of it, or what it mostly has.

    Claim: the composition of all mechanisms, that of time among them, loses at most the cost, in both coordinates.
    Because: time is built for its share of cost.main; of the others each is built for at most its weight's part of the
    rest (and of δ, time for its share and each of s selections for an s-th of the rest), rounded down, and losses add
    up (`plan.losses`). Those of one sample are built for what their parts together allow within it (`_prices`).
    Checked by: tests/test_allocate.py.
    Raises InvalidPrivacySetting where private keys or constant time need a delta and there is none, or too little.
    """
    wanted = [each.want for draft in drafts for each in draft.wanted]
    selections = wanted.count(Want.KEYS)
    if not wanted:
        return Allocated((), None, NOTHING)
    whole = _whole(terms, settings.epsilon)
    delta = Decimal(0)
    if selections or constant_time:
        delta = _delta(settings, terms, "private keys need" if selections else "constant time needs")
    if constant_time:
        own, own_delta = part(whole, time_part or DELAY_SHARE), part(delta, DELAY_SHARE)
        time = _delay(terms.accounting, own, own_delta)
    else:
        own, own_delta = _part(whole, time_part or DEADLINE_SHARE), Decimal(0)
        time = _deadline(terms.accounting, own)
    shares = weights(drafts, terms.accounting)
    each = share(delta - own_delta, selections) if selections else Decimal(0)
    prices = _prices(drafts, _Price(whole - own, shares, each, terms.accounting), settings)
    releases = tuple(_release(draft, prices[draft.bounded.sample], settings) for draft in drafts)
    return Allocated(releases, time, Loss(whole, delta if selections else own_delta))


# Most statements ask for what those before asked for, of as many numbers: the same parts of the same price.
_whole = remembered(256)(statement_loss)
_deadline = remembered(256)(deadline_noise)
_part = remembered(1024)(part)


@dataclass(frozen=True, slots=True)
class _Share:
    """What a mechanism is built for: ε or ρ, and the δ of a choice of keys."""

    main: Decimal
    delta: Decimal
    accounting: Accounting


@dataclass(frozen=True, slots=True)
class _Price:
    """What there is for some mechanisms together, the sum of their weights, and the δ of each choice of keys."""

    whole: Decimal
    weights: Fraction
    delta: Decimal
    accounting: Accounting

    def of(self, weight: Fraction) -> _Share:
        """The part of one of them."""
        return _Share(_part(self.whole, weight / self.weights), self.delta, self.accounting)

    def deviation(self) -> float:
        """The standard deviation of Laplace noise (of ρ, about that of ε²/2) for a weight of one, of one unit's 1."""
        each = float(self.whole) / float(self.weights) or math.ulp(0)
        return math.sqrt(2) / (each if self.accounting is Accounting.PURE else math.sqrt(2 * each))


def _prices(drafts: Sequence[ReleaseDraft], price: _Price, settings: Settings) -> Mapping[Sample | None, _Price]:
    """What there is for the mechanisms that read a sample. price: for all mechanisms.

    Claim: mechanisms that are built for these, of one sample all together, lose no more than their parts. Because:
    parts of all units are those of the price; what `within_of` says is divided by weight, rounded down, and amplifies
    to no more than the parts' sum. Where Gaussian noise is asked for nothing is amplified, nor where noise would be
    wider for it: pure losses add up faster than those of zCDP.
    Checked by: tests/test_amplification.py.
    """
    made: dict[Sample | None, _Price] = {None: price}
    for sample in {draft.bounded.sample for draft in drafts}:
        if sample is not None:
            read = [draft for draft in drafts if draft.bounded.sample == sample]
            amplified = [] if is_gaussian(settings, price.accounting) else [_within(sample, read, price)]
            made[sample] = min([price, *amplified], key=_Price.deviation)
    return made


def _within(sample: Sample, drafts: Sequence[ReleaseDraft], price: _Price) -> _Price:
    shares = weights(drafts, price.accounting)
    selections = sum(each.want is Want.KEYS for draft in drafts for each in draft.wanted)
    parts = Loss(part(price.whole, shares / price.weights), price.delta * selections)
    inside = within_of(price.accounting, parts, sample.rate)
    delta = share(inside.delta, selections) if selections else Decimal(0)
    return _Price(inside.main, weights(drafts, Accounting.PURE), delta, Accounting.PURE)


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


def _release(draft: ReleaseDraft, price: _Price, settings: Settings) -> Release:
    shares = ((each, price.of(weight)) for each, weight in weighed(draft, price.accounting))
    applied = tuple(_applied(each, draft, own, settings) for each, own in shares)
    return Release(draft.bounded, applied, draft.outputs)


def _applied(each: PriceShare, draft: ReleaseDraft, part: _Share, settings: Settings) -> Applied:
    if each.beside is None:
        return Applied(_mechanism(each.wanted, draft, part, settings), each.wanted.measure)
    one, other = (_measure(wanted, draft.bounded) for wanted in (each.wanted, each.beside))
    keys = draft.bounded.sensitivity(one, draft.places).l0
    joint = joint_laplace(keys, one.bound, other.bound, part.main)
    return Applied(joint, each.wanted.measure, each.beside.measure)


def _mechanism(wanted: Wanted, draft: ReleaseDraft, part: _Share, settings: Settings) -> Mechanism:
    """What tells what is wanted, for a share of the price."""
    bounded = draft.bounded
    match wanted.want:
        case Want.KEYS:
            return _selection(bounded, part, settings)
        case Want.NUMBERS if bounded.clip is not None:
            return _at_a_clip(bounded, bounded.clip, _measure(wanted, bounded), part)
        case Want.NUMBERS:
            return _noise(bounded.sensitivity(_measure(wanted, bounded), draft.places), part, settings)
        case Want.LARGEST:
            return _choice(wanted, bounded, part)
        case Want.MODE:
            return _mode(bounded.sensitivity(_measure(wanted, bounded)), draft.outputs, part)
        case Want.QUANTILES:
            return _quantiles(bounded, bounded.sensitivity(_measure(wanted, bounded)), draft.outputs, part, settings)
        case _:
            assert_never(wanted.want)


def _measure(wanted: Wanted, bounded: Bounded) -> Measure:
    assert wanted.measure is not None, "private keys alone are not told by a measure"
    return bounded.measures[wanted.measure]


def _choice(wanted: Wanted, bounded: Bounded, part: _Share) -> Choice:
    """Which noise it is, the accounting says: `dp.mechanism` is about numbers."""
    measure = _measure(wanted, bounded)
    one_sided = measure.lower >= 0 or measure.upper <= 0
    known = [len(key.domain.values) for key in bounded.keys if isinstance(key.domain, Literals)]
    among = math.prod(known) if len(known) == len(bounded.keys) else None
    if bounded.clip is None:
        return noisy_max(bounded.sensitivity(measure), one_sided, part.accounting, part.main, among, wanted.places)
    given = bounded.clip, one_sided, part.accounting, part.main, measure.begins
    most = _most(bounded, bounded.clip, measure)
    return clipped_max(*given, most=most, among=among, places=wanted.places)


def _mode(sensitivity: Sensitivity, outputs: Sequence[Output], part: _Share) -> ModeChoice:
    buckets = max(each.formula.buckets for each in outputs if isinstance(each.formula, ModeOf))
    return mode_choice(buckets, sensitivity, part.accounting, part.main)


def _quantiles(
    bounded: Bounded, sensitivity: Sensitivity, outputs: Sequence[Output], part: _Share, settings: Settings
) -> Quantiles:
    """By the mechanism that errs less in rank, as far as the plan knows: the one has a share of the price for each
    rank, the other tells any number of them for one. What the choice pays for counts around it does not count: they
    tell what the tree's intervals tell. Of the median of blocks' answers nobody knows how far it lies from what is
    asked for, so that it has none."""
    asked = [output.formula for output in outputs if isinstance(output.formula, QuantileOf)]
    ranks, buckets = tuple(dict.fromkeys(each.rank for each in asked)), max(each.grid.buckets for each in asked)
    tree = quantile_tree(ranks, buckets, sensitivity, lambda moved: _noise(moved, part, settings))
    given = ranks, buckets, sensitivity, part.accounting, part.main
    try:
        alone = quantile_choice(*given)
        around = quantile_brackets(*given, lambda moved, own: _noise(moved, replace(part, main=own), settings))
    except ValueError:  # so small a share that scores have no room
        return tree
    if alone.error.half_width > tree.error.half_width:
        return tree
    return around if bounded.blocks is None else alone


def _noise(sensitivity: Sensitivity, part: _Share, settings: Settings) -> Noise:
    if sensitivity.l1 > _MOST_STEPS:
        raise BoundsRequired(
            f"one unit could move this sum by {sensitivity.l1} grid steps over its groups, more than 2^62",
            hint="Clip the value to a narrower range, or SET dp.max_groups_per_unit and dp.max_rows_per_unit lower.",
        )
    if part.accounting is Accounting.PURE:
        return laplace(sensitivity, part.main)
    if settings.mechanism is Asked.LAPLACE:
        return laplace_for_rho(sensitivity, part.main)
    return gaussian(sensitivity, part.main)


def norm_of(settings: Settings, terms: Terms) -> Norm:
    """By which units are scaled down: that of the noise which the account and the session ask for."""
    return Norm.L1 if terms.accounting is Accounting.PURE or settings.mechanism is Asked.LAPLACE else Norm.L2


def norm_in_samples(settings: Settings, terms: Terms) -> Norm:
    """The same where units are sampled: Laplace noise alone is amplified."""
    return Norm.L2 if is_gaussian(settings, terms.accounting) else Norm.L1


def is_gaussian(settings: Settings, accounting: Accounting) -> bool:
    """Whether the session asks for Gaussian noise, of an account that may have it."""
    return accounting is Accounting.ZCDP and settings.mechanism is Asked.GAUSSIAN


def _at_a_clip(bounded: Bounded, norm: Norm, measure: Measure, part: _Share) -> AtAClip:
    """It is not worth to look for a clip beyond the bound of products, which is far away."""
    if bounded.pair is not None:
        twice = bounded.met is not None and bounded.met.least > 1
        signs = 2 if twice or measure.lower < 0 < measure.upper else 1
        return paired_noise(norm, part.accounting, part.main, measure.row, signs)
    if measure.kind is MeasureKind.DISTINCT:
        return distinct_noise(norm, part.accounting, part.main, foreseen(bounded.keys))
    most = measure.bound if measure.bound > _MOST_STEPS else _most(bounded, norm, measure)
    return clipped_noise(norm, part.accounting, part.main, measure.begins, most, foreseen(bounded.keys))


def _most(bounded: Bounded, norm: Norm, measure: Measure) -> int | None:
    """Up to which norm of a unit a clip is looked for: its one contribution is no more than the measure's bound, and
    nothing is worth more than caps allow."""
    one = measure.bound if bounded.groups == 1 else None
    if bounded.caps is None or measure.row is None:
        return one
    caps = bounded.caps if measure.kind is not MeasureKind.UNITS else replace(bounded.caps, rows=1)
    allowed = measure.row * caps.in_norm(norm)
    return allowed if one is None else min(one, allowed)


def _selection(bounded: Bounded, part: _Share, settings: Settings) -> Selection | Spread:
    """Raises InvalidPrivacySetting where no threshold will do."""
    try:
        if bounded.spread is not None:
            return _spread(part, settings, bounded.spread)
        return _thresholded(bounded, part, settings)
    except ValueError as fault:
        raise InvalidPrivacySetting(
            "the epsilon and delta of this statement are too small to choose private keys by",
            hint="SET dp.delta or dp.epsilon higher, or ask for fewer things in one statement.",
        ) from fault


def _spread(part: _Share, settings: Settings, norm: Norm) -> Spread:
    """What is spread by L1 weights has an L2 norm of one at most, too."""
    if part.accounting is Accounting.PURE:
        return truncated_laplace(part.main, part.delta)
    if settings.mechanism is Asked.LAPLACE:
        return spread_laplace(part.main, part.delta)
    return spread_gaussian(norm, part.main, part.delta)


def _thresholded(bounded: Bounded, part: _Share, settings: Settings) -> Selection:
    """A unit adds one to each of its keys, `groups` at most; several of them may share their private part."""
    linf = min(bounded.groups, _public_part(bounded))
    if part.accounting is Accounting.PURE:
        return laplace_selection(bounded.groups, bounded.groups, linf, part.main, part.delta)
    if settings.mechanism is Asked.LAPLACE:
        return laplace_selection_for_rho(bounded.groups, bounded.groups, linf, part.main, part.delta)
    return gaussian_selection(bounded.groups, bounded.groups, linf, part.main, part.delta)


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
