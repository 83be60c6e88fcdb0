"""Quantiles by the exponential mechanism: each is a bucket, the likelier the nearer it lies to the rank (Smith 2011).

A bucket's weight is exp(−distance/scale). Between two values that there are, all buckets are equally far: such a run of
L buckets is one candidate with L times the weight of one, and which of its buckets it is comes after, evenly. So the
work is in proportion to the values that there are, and as exact as if each bucket were a candidate: noise of Gumbel,
whose largest is drawn by OpenDP, takes a weight L as log L added to a score. Scores are whole numbers of steps so fine
that rounding this logarithm costs nothing that counts; it is accounted for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, Final

from opendp import domains, measurements, measures, metrics

from dpproxy.accounting.dominating_pairs import Pairs, RangePair, together
from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.histograms import Cells, histograms
from dpproxy.mechanisms.noise import checked, smallest_scale
from dpproxy.mechanisms.ranks import Rank
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.shown import shown
from dpproxy.remembered import remembered

Buckets = tuple[int, ...]
_DIGITS: Final = Context(prec=80)
_UP: Final = Context(prec=60, rounding=ROUND_CEILING)
_MISSED: Final = 0.05
_FINE_BITS: Final = 24
_FURTHEST: Final = 2**61
_WIDEST: Final = 2.0**56
_EVEN_BITS: Final = 8


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring buckets that are equally far from any rank: one that counts something, or those between two."""

    first: int
    length: int
    below: int
    inside: int


@dataclass(frozen=True, slots=True)
class QuantileChoice(Contract[Sequence[int], list[Buckets]]):
    """For each key and rank a bucket of its histogram.

    sensitivity: in at most l0 histograms, each moved by at most linf in sum over its buckets, whichever ways. scale: of
    the noise of what lies below, in the same steps; each of them is divided into `fine` ones.
    """

    ranks: tuple[Rank, ...]
    buckets: int
    scale: float
    fine: int
    sensitivity: Sensitivity

    @property
    def made_for(self) -> Sensitivity:
        """Of the histograms; linf is in sum over one histogram's buckets."""
        return self.sensitivity

    @property
    def tells_keys(self) -> bool:
        """Buckets of known keys."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """Of all ranks, in all histograms that one unit is in."""
        return Loss(_loss(self.ranks, self.scale, self.fine, self.sensitivity, accounting), ZERO.delta)

    @property
    def pairs(self) -> Pairs:
        """One for each rank and histogram: the exponential mechanism's range is bounded by its η."""
        parts = (_loss_of(rank, self.scale, self.fine, self.sensitivity.linf, Accounting.PURE) for rank in self.ranks)
        return together(((RangePair(charged(each)), self.sensitivity.l0),) for each in parts)

    def release(self, exact: Sequence[int]) -> list[Buckets]:
        """For each histogram the bucket of each rank.

        Claim: loses `loss`, for histograms that one unit moves by `made_for`.
        Because: a bucket's distance moves by steepness · linf at most (`Rank.steepness`, one bucket after the other, up
        or down: one answer of a block in the place of another moves two steps), clamping it to 2**61 moves it
        no further, and rounding the logarithm of a run's length moves it by half a fine step in either world. So what
        OpenDP draws is the exponential mechanism over all buckets, whose scores move by fine · steepness · linf + 1.
        Checked by: tests/test_quantiles.py.
        """
        return [tuple(self._bucket(cells, rank) for rank in self.ranks) for cells in histograms(exact, self.buckets)]

    def _bucket(self, cells: Cells, rank: Rank) -> int:
        runs, total = list(_runs(cells, self.buckets)), sum(cells.values())
        noise = _noise_scale(rank, self.scale, self.fine)
        far = (self.fine * rank.distance(run.below, run.inside, total, self.inward) for run in runs)
        scores = [_longer(run.length, noise) - min(each, _FURTHEST) for run, each in zip(runs, far, strict=True)]
        run = runs[int(_measurement(noise)(scores))]
        return run.first + _evenly(run.length)

    @property
    def inward(self) -> int:
        """How far from the end an extreme is looked for: as far as a bucket beyond it may be chosen by mistake."""
        return math.ceil(self.scale * math.log(self.buckets / _MISSED))

    @property
    def error(self) -> Error:
        """How far in rank a bucket may lie from what was asked for: no further but with a chance of 5 %.

        Claim: P(distance > scale · steepness/parts · log(m/0.05)) <= 0.05 for m buckets; an extreme is off by `inward`
        besides.
        Because: a bucket that far is chosen with a chance of 0.05/m at most, and there are m (McSherry, Talwar 2007).
        Checked by: tests/test_quantiles.py::test_it_seldom_misses_by_more_than_it_says.
        """
        widest = max(Fraction(rank.steepness, rank.parts) * (2 if rank.is_extreme else 1) for rank in self.ranks)
        return Error(None, float(widest) * self.scale * math.log(self.buckets / _MISSED))

    @property
    def total_noise(self) -> None:
        """It tells no totals."""

    def described(self, step: float, unit: str) -> Description:
        """How many are chosen, among how many, and how wrong in rank they may be."""
        count, far = len(self.ranks), self.error.half_width * step
        text = f"{count} quantile{'s'[: count - 1]} by the exponential mechanism of scale {shown(self.scale * step)} "
        text += f"among {self.buckets:,} values: off in rank by {shown(far)} at most in 95 of 100 cases, "
        text += f"where each {unit} counts as one"
        if any(rank.is_extreme for rank in self.ranks):
            text += f"; MIN and MAX are the values beyond which {shown(self.inward * step)} of them lie"
        facts = {"Mechanism": "exponential mechanism", "Scale": self.scale, "Quantiles": count, "Error in Rank": far}
        return Description("exponential mechanism", "Histogram", text, facts)


def quantile_choice(
    ranks: tuple[Rank, ...], buckets: int, sensitivity: Sensitivity, accounting: Accounting, loss: Decimal
) -> QuantileChoice:
    """The choices of the smallest scale that lose at most `loss` together: ε, or ρ.

    Claim: `release` of the result is ε-differentially private, or ρ-zCDP, for histograms that one unit moves by at most
    linf in sum, in at most l0 of them.
    Because: OpenDP's map of each built measurement is a ρ, which for the exponential mechanism of bounded range η is
    η²/8 (Cesar, Rogers 2021, lemma 3.2), and it is η-differentially private; losses add up over ranks and histograms.
    Checked by: tests/test_quantiles.py::test_it_keeps_to_its_share, ::test_it_draws_as_it_should.

    Raises ValueError where `loss` is not above 0, or so small that scores have no room.
    """
    return _calibrated(ranks, buckets, checked(sensitivity), accounting, loss)


@remembered(1024)
def _calibrated(
    ranks: tuple[Rank, ...], buckets: int, sensitivity: Sensitivity, accounting: Accounting, share: Decimal
) -> QuantileChoice:
    if not share > 0:
        raise ValueError(f"the share of the loss must be above 0, it is {share}")
    each = Fraction(share) / (len(ranks) * sensitivity.l0)
    spread = each if accounting is Accounting.PURE else Fraction(_DIGITS.sqrt(8 * _decimal(each)))
    fine = 1 << max(0, _FINE_BITS - sensitivity.linf.bit_length() + 1)
    guess = 2 * (sensitivity.linf + Fraction(1, fine)) / spread
    scale = smallest_scale(lambda scale: _loss(ranks, scale, fine, sensitivity, accounting), share, guess)
    if max(_noise_scale(rank, scale, fine) for rank in ranks) > _WIDEST:
        raise ValueError(f"no scores have room for a loss of {share}")
    return QuantileChoice(ranks, buckets, scale, fine, sensitivity)


def _decimal(value: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator))


@remembered(4096)
def _loss(
    ranks: tuple[Rank, ...], scale: float, fine: int, sensitivity: Sensitivity, accounting: Accounting
) -> Decimal:
    return charged(sensitivity.l0 * sum(_loss_of(rank, scale, fine, sensitivity.linf, accounting) for rank in ranks))


def _loss_of(rank: Rank, scale: float, fine: int, linf: int, accounting: Accounting) -> Fraction:
    """Of one rank in one histogram: η or η²/8, which is what OpenDP's map gives."""
    rho = Fraction(_measurement(_noise_scale(rank, scale, fine)).map(fine * rank.steepness * linf + 1))
    return Fraction(_UP.sqrt(8 * _decimal(rho))) if accounting is Accounting.PURE else rho


def _noise_scale(rank: Rank, scale: float, fine: int) -> float:
    """Of the noise of a rank's scores, which are in parts of fine steps; rounded up."""
    exact = Fraction(scale) * rank.steepness * fine
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def _runs(cells: Cells, buckets: int) -> Iterator[_Run]:
    """All buckets, from the first on."""
    at = below = 0
    for bucket, inside in sorted(cells.items()):
        if at < bucket:
            yield _Run(at, bucket - at, below, 0)
        yield _Run(bucket, 1, below, inside)
        at, below = bucket + 1, below + inside
    if at < buckets:
        yield _Run(at, buckets - at, below, 0)


def _longer(length: int, noise: float) -> int:
    """What a run's length adds to its score: noise · log(length), to the nearest whole number."""
    return int((Decimal(noise) * _logarithm(length)).to_integral_value(ROUND_HALF_EVEN))


@remembered(4096)
def _logarithm(length: int) -> Decimal:
    return _DIGITS.ln(length)


def _evenly(length: int) -> int:
    """A number from 0 up to `length`, all equally likely: digits by the largest of equal scores, while too high."""
    bits = (length - 1).bit_length()
    while True:
        drawn = 0
        for left in range(bits, 0, -_EVEN_BITS):
            digit = min(left, _EVEN_BITS)
            drawn = drawn << digit | int(_measurement(1.0)([0] * (1 << digit)))
        if drawn < length:
            return drawn


@remembered(1024)
def _measurement(scale: float) -> Any:
    domain = domains.vector_domain(domains.atom_domain(T="i64"))
    metric = metrics.linf_distance(T="i64")
    return measurements.make_noisy_max(domain, metric, measures.zero_concentrated_divergence(), scale=scale)
