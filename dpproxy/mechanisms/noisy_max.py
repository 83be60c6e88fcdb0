"""Report noisy max: which of some public keys have the largest totals, in order, and nothing else of the totals.

Each total gets noise, the place of the largest is told, and the noise is thrown away: one choice has one price, however
many keys there are. For the next largest the same is done among those that are left (peeling), at the same price. The
noise is OpenDP's, of infinite precision: exponential under pure accounting, which draws as permute-and-flip does
(McKenna, Sheldon 2020; Ding, Kifer, Steinke, Wang, Zhang 2021), Gumbel under zCDP, which draws as the exponential
mechanism does (McSherry, Talwar 2007). There, noise that is drawn once for all k places gives what peeling does, choice
by choice (Durfee, Rogers 2019, section 4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Final, assert_never

from opendp import domains, measurements, measures, metrics

from dpproxy.accounting.concentrated import rho_of_pure
from dpproxy.accounting.dominating_pairs import Pairs, PurePair, RangePair
from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise import LARGEST, checked, smallest_scale
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown
from dpproxy.remembered import remembered

_DIGITS: Final = Context(prec=80)
MISSED: Final = 0.05
"""The chance with which a choice is further off than is said."""


class ScoreNoise(Enum):
    """What each total gets before the largest is looked for."""

    EXPONENTIAL = "exponential"
    GUMBEL = "Gumbel"


@dataclass(frozen=True, slots=True)
class NoisyMax(Contract[Sequence[int], tuple[int, ...]]):
    """The places of the largest totals, the largest first, found with noise of `scale`.

    one_sided: all totals that one unit's leaving moves, it moves the same way: they count, or add what has one sign.
    among: how many keys there are, where the plan knows. places: how many of them are told.
    """

    noise: ScoreNoise
    scale: float
    sensitivity: Sensitivity
    one_sided: bool
    among: int | None = None
    places: int = 1

    @property
    def made_for(self) -> Sensitivity:
        """Of the vector of totals. How many of them move does not matter."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """Some of them."""
        return True

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says. Raises ValueError for Gumbel noise in pure accounting, where it is not what is made."""
        drawn = _Drawn(self.noise, self.scale, self.one_sided, self.places)
        return Loss(_loss_of(drawn, self.sensitivity.linf, accounting), ZERO.delta)

    @property
    def pairs(self) -> Pairs:
        """Each place is one pair: permute-and-flip is pure; the exponential mechanism's range is bounded by the same
        ratio (Durfee, Rogers 2019)."""
        moved = self.sensitivity.linf * (1 if self.one_sided else 2)
        ratio = charged(moved / Fraction(self.scale))
        match self.noise:
            case ScoreNoise.EXPONENTIAL:
                return ((PurePair(ratio), self.places),)
            case ScoreNoise.GUMBEL:
                return ((RangePair(ratio), self.places),)
            case _:
                assert_never(self.noise)

    def release(self, exact: Sequence[int]) -> tuple[int, ...]:
        """The places of the largest; all of them where there are no more than are asked for.

        Claim: loses `loss`, if how many totals there are, and in which order, is known beforehand.
        Because: clamping to ±2**62 moves no two vectors further apart, nor apart in another direction; the rest is
        OpenDP's measurement.
        Checked by: tests/test_noisy_max.py.
        """
        within = [max(-LARGEST, min(LARGEST, total)) for total in exact]
        drawn = _Drawn(self.noise, self.scale, self.one_sided, self.places)
        return tuple(map(int, _measurement(drawn)(within))) if within else ()

    @property
    def error(self) -> Error | None:
        """How far the total at a place may lie below the one that belongs there: no further but with a chance of 5 %,
        among m keys and k places.

        Claim: P(for some j, jth largest − jth chosen > scale·log(m·k/0.05)) <= 0.05.
        Because: of those that are left for place j, the largest is at least the jth largest; a key that far below it is
        chosen by the exponential mechanism with a chance of 0.05/(m·k) at most, and there are m (McSherry, Talwar
        2007); permute-and-flip is never worse (McKenna, Sheldon 2020, theorem 2).
        Checked by: tests/test_noisy_max.py::test_it_seldom_misses_by_more_than_it_says.
        """
        return None if self.among is None else Error(None, shortfall(self.scale, self.among, self.places))

    @property
    def total_noise(self) -> None:
        """It tells no totals."""

    def described(self, step: float, unit: str) -> Description:
        """One choice, or one after the other, and how wrong they may be."""
        del unit
        name = "noisy max" if self.places == 1 else f"noisy top {self.places}"
        text = f"{name} by {self.noise.value} noise of scale {shown(self.scale * step)}: charged as {self._charged}"
        facts: dict[str, object] = {"Mechanism": name, "Noise": self.noise.value, "Scale": self.scale}
        if self.error is not None:
            below = self.error.half_width * step
            place = "the largest" if self.places == 1 else "the one that belongs at a place"
            text += f"; below {place} by {shown(below)} at most in 95 of 100 cases"
            facts["Below the Largest"] = below
        return Description(name, "Choice by", text, facts)

    @property
    def _charged(self) -> str:
        if self.places == 1:
            return "one choice, which tells the key of the largest and nothing else"
        return f"{self.places} choices, which tell the keys of the {self.places} largest, in order, and nothing else"


@dataclass(frozen=True, slots=True)
class _Drawn:
    """How places are drawn."""

    noise: ScoreNoise
    scale: float
    one_sided: bool
    places: int


def shortfall(scale: float, among: int, places: int) -> float:
    """What `NoisyMax.error` claims."""
    return scale * math.log(max(among, 1) * places / MISSED)


def noisy_max(
    sensitivity: Sensitivity,
    one_sided: bool,
    accounting: Accounting,
    loss: Decimal,
    among: int | None = None,
    places: int = 1,
) -> NoisyMax:
    """The choice of the smallest scale that loses at most `loss`: ε, or ρ.

    Claim: `release` of the result is ε-differentially private, or ρ-zCDP, for totals of which one unit moves each by at
    most linf, and where `one_sided` all of them the same way.
    Because: OpenDP's map of the built measurement at linf is at most `loss`. Each of k places is a choice among what is
    left, and losses add up: linf/scale, twice that where totals move both ways, for permute-and-flip; and for the
    exponential mechanism, whose range is bounded by that η, ρ = η²/8 (Dong, Durfee, Rogers 2020; Cesar, Rogers 2021,
    lemma 3.2), a quarter of what any pure mechanism costs. Noise that is drawn once for all places is as good as new
    noise for each where it is Gumbel's (Durfee, Rogers 2019, section 4).
    Checked by: tests/test_noisy_max.py::test_it_keeps_to_its_share, ::test_it_draws_as_it_should.

    Raises ValueError where `loss` is not above 0 or linf passes 2**62, or for no places.
    """
    return _calibrated(sensitivity, one_sided, accounting, loss, among, places)


@remembered(1024)
def _calibrated(
    sensitivity: Sensitivity,
    one_sided: bool,
    accounting: Accounting,
    share: Decimal,
    among: int | None,
    places: int,
) -> NoisyMax:
    if not share > 0 or places < 1:
        raise ValueError(f"the share of the loss must be above 0, it is {share}, and places 1 at least: {places}")
    linf = checked(Sensitivity(1, sensitivity.linf)).linf
    noise = ScoreNoise.EXPONENTIAL if accounting is Accounting.PURE else ScoreNoise.GUMBEL
    each = Fraction(share) / places
    root = Fraction(_DIGITS.sqrt(_DIGITS.divide(_DIGITS.multiply(8, share), places)))
    guess = linf * (1 if one_sided else 2) / (each if accounting is Accounting.PURE else root)
    scale = smallest_scale(
        lambda scale: _loss_of(_Drawn(noise, scale, one_sided, places), linf, accounting), share, guess
    )
    return NoisyMax(noise, scale, Sensitivity(max(sensitivity.l0, 1), linf), one_sided, among, places)


@remembered(4096)
def _loss_of(drawn: _Drawn, linf: int, accounting: Accounting) -> Decimal:
    loss = Fraction(_measurement(drawn).map(linf))
    match drawn.noise:
        case ScoreNoise.EXPONENTIAL:
            epsilon = charged(loss)
            return (
                epsilon if accounting is Accounting.PURE else drawn.places * rho_of_pure(charged(loss / drawn.places))
            )
        case ScoreNoise.GUMBEL:
            if accounting is Accounting.PURE:
                raise ValueError("a choice by Gumbel noise is made for zCDP")
            return charged(loss)
        case _:
            assert_never(drawn.noise)


@remembered(1024)
def _measurement(drawn: _Drawn) -> Any:
    domain = domains.vector_domain(domains.atom_domain(T="i64"))
    metric = metrics.linf_distance(T="i64", monotonic=drawn.one_sided)
    match drawn.noise:
        case ScoreNoise.EXPONENTIAL:
            measure = measures.max_divergence()
        case ScoreNoise.GUMBEL:
            measure = measures.zero_concentrated_divergence()
        case _:
            assert_never(drawn.noise)
    return measurements.make_noisy_top_k(domain, metric, measure, k=drawn.places, scale=drawn.scale)
