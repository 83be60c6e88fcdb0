"""Who has which share of a statement's price: what is told by itself, or two totals whose noise is shared.

Checked by: tests/test_weights.py, tests/test_joint_noise.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, assert_never

from dpproxy.accounting.loss import Accounting
from dpproxy.mechanisms.joint_noise import joint_weights
from dpproxy.mechanisms.kinds import Want
from dpproxy.plan.formulas import CentreOf
from dpproxy.remembered import remembered
from dpproxy.rewrite.releases.draft import ReleaseDraft, Wanted

_FINE = 2**30
KEYS_WEIGHT: Final[Mapping[Accounting, Fraction]] = {
    Accounting.PURE: Fraction(1, 4),
    Accounting.ZCDP: Fraction(1, 2),
}
"""What choosing private keys, where it tells no number, has beside one measure under zCDP; in pure accounting it is
beside all measures of the release, a fifth of it all. The threshold grows with the root of ρ, but in proportion to ε,
so that keys would be lost with each measure more."""

CENTRE_WEIGHT = Fraction(1, 8)
"""What a number has of which a centre is made, beside one that is told: it has to be near, and no more."""


@dataclass(frozen=True, slots=True)
class PriceShare:
    """What is told by one mechanism. beside: the second of two totals whose noise is shared. weight: of the variance
    that one noise of the share has."""

    wanted: Wanted
    weight: Fraction
    beside: Wanted | None = None


def shared(draft: ReleaseDraft, accounting: Accounting) -> tuple[PriceShare, ...]:
    """All that a release tells, each once, keys first.

    Two totals share their noise where both have less so: Laplace noise in pure accounting, of what is not scaled down.
    The heaviest stands beside the next, and so on. A Gaussian knows L2 alone, which is the same however it is turned;
    and of totals that have a clip each, one unit may move both in other keys.
    """
    alone = [PriceShare(each, each.weight) for each in draft.wanted]
    if accounting is not Accounting.PURE or draft.bounded.clip is not None or draft.bounded.is_histogram:
        return tuple(alone)
    totals = [place for place, each in enumerate(draft.wanted) if each.want is Want.NUMBERS]
    totals.sort(key=lambda place: draft.wanted[place].weight, reverse=True)
    gone = set()
    for one, other in zip(totals[::2], totals[1::2], strict=False):
        pair = _pair(draft.wanted[one], draft.wanted[other], draft)
        if pair is not None:
            alone[one] = pair
            gone.add(other)
    return tuple(each for place, each in enumerate(alone) if place not in gone)


def _pair(one: Wanted, other: Wanted, draft: ReleaseDraft) -> PriceShare | None:
    """Both as one; None where two noises are as good."""
    first, second = (draft.bounded.measures[each.measure or 0].bound for each in (one, other))
    weight = _together(one.weight, first, other.weight, second)
    return None if weight is None else PriceShare(one, weight, other)


@remembered(256)
def _together(one: Fraction, first: int, other: Fraction, second: int) -> Fraction | None:
    """What two totals weigh together that weigh so much, and that one unit moves by so many steps at most.

    Because: noise that is shared has variance (m/(w·b))², twice what one alone has for the same share where m = w·b
    (`mechanisms.joint_noise`); m is the more of both w·b, b being how far one unit moves a total and w its weight.
    """
    weights = joint_weights(first, second)
    if weights is None:
        return None
    moved = [weights[0] * first, weights[1] * second]
    wider = [Fraction(max(moved), each) ** 2 for each in moved]
    weight = 2 * (one * wider[0] + other * wider[1])
    apart = _least(one, Accounting.PURE) + _least(other, Accounting.PURE)
    return weight if _least(weight, Accounting.PURE) < apart else None


def weights(drafts: Sequence[ReleaseDraft], accounting: Accounting) -> Fraction:
    """All shares of what some releases tell."""
    return sum((each for draft in drafts for _, each in weighed(draft, accounting)), Fraction(0))


def weighed(draft: ReleaseDraft, accounting: Accounting) -> Iterator[tuple[PriceShare, Fraction]]:
    """All that a release tells, each with its share beside the others."""
    told = shared(draft, accounting)
    for each in told:
        yield each, _weight(each, told, draft, accounting)


def _weight(each: PriceShare, told: Sequence[PriceShare], draft: ReleaseDraft, accounting: Accounting) -> Fraction:
    """A selection that counts units tells their number, too, and one without measures is all that was asked for."""
    if draft.outputs and all(isinstance(output.formula, CentreOf) for output in draft.outputs):
        return _least(each.weight, accounting) * CENTRE_WEIGHT
    least = _least(each.weight, accounting)
    if each.wanted.want is not Want.KEYS or draft.bounded.spread is None or len(draft.wanted) == 1:
        return least
    match accounting:
        case Accounting.PURE:
            others = (_least(other.weight, accounting) for other in told if other.wanted.want is not Want.KEYS)
            return KEYS_WEIGHT[accounting] * sum(others, Fraction(0))
        case Accounting.ZCDP:
            return KEYS_WEIGHT[accounting] * least
        case _:
            assert_never(accounting)


@remembered(256)
def _least(weight: Fraction, accounting: Accounting) -> Fraction:
    """The share by which the sum of weight·σ² is least: σ falls as ε, and as the root of ρ."""
    power = 1 / 3 if accounting is Accounting.PURE else 1 / 2
    return Fraction(round(_FINE * float(weight) ** power), _FINE)
