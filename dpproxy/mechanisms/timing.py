"""Noise of time: whether a statement ends within its limit, and when its answer leaves.

How long the engine works on a statement moves by at most one unit's work when a unit leaves; that is a sensitivity as
any other. So the time of work, T, is noised as a number is, in *ticks*: thousandths of one unit's work.

    in time       T + Z·tick <= limit, which is T <= limit − Z·tick: a deadline with noise
    leaves at     T + (margin + Z)·tick: a delay with noise, never negative but with probability δ
    cancelled     where the cancel came before that moment

All three read the one noised number T + Z·tick and nothing else of T, so they are paid for once. (Haeberlen, Pierce,
Narayan 2011, sections 3.3 and 6, for the deadline; Ratliff, Vadhan 2024, "A Framework for Differential Privacy Against
Timing Attacks", theorem 30, for the delay.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpproxy.accounting.dominating_pairs import Pairs
from dpproxy.accounting.loss import Accounting, Loss, charged
from dpproxy.mechanisms.contract import Contract, Description, Error
from dpproxy.mechanisms.noise import LARGEST, Noise, add_noise, gaussian, laplace
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.tails import guessed, least, tail
from dpproxy.remembered import remembered

TICKS = 1000
"""In how many ticks one unit's work is counted."""
# A time is rounded up to ticks: two that are one unit's work apart are at most one tick more apart then.
_ONE_UNIT = Sensitivity(1, TICKS + 1)
_SELDOM = Decimal("1e-4")
NEVER = Decimal("1e-18")
"""A probability that is not charged: of all statements of all analysts, it happens to none."""


@dataclass(frozen=True, slots=True)
class TimeNoise(Contract[Sequence[int], list[int]]):
    """Noise of a statement's time, in ticks.

    margin: by how many ticks an answer is held back before the noise; None: it leaves when it is there, and the time of
    answers is no part of the guarantee, only whether they are there within the limit.
    """

    noise: Noise
    margin: int | None

    @property
    def made_for(self) -> Sensitivity:
        """Of the time of work, in ticks."""
        return self.noise.sensitivity

    @property
    def tells_keys(self) -> bool:
        """It is of no release."""
        return False

    def loss(self, accounting: Accounting) -> Loss:
        """As the contract says. Raises ValueError for Gaussian noise in pure accounting, and for noise that is made for
        less than one unit's work."""
        if self.made_for.l1 < _ONE_UNIT.l1:
            raise ValueError("the noise of time is made for less than one unit's work")
        delta = Decimal(0) if self.margin is None else beyond(self.noise, self.margin - _ONE_UNIT.linf)
        return Loss(self.noise.loss(accounting).main, delta)

    @property
    def pairs(self) -> Pairs:
        """Of the noised time; that an answer is late is what δ pays for."""
        return self.noise.pairs

    def release(self, exact: Sequence[int]) -> list[int]:
        """A time in ticks with noise."""
        return add_noise(self.noise, exact)

    def draws(self, count: int) -> list[int]:
        """The noise of so many times, in ticks, each its own: it is drawn before the work begins."""
        return self.release([0] * count)

    @property
    def error(self) -> Error:
        """Of a moment, in ticks."""
        return self.noise.error

    @property
    def total_noise(self) -> None:
        """It tells no totals."""

    def described(self, step: float, unit: str) -> Description:
        """In multiples of one unit's work, where that is what `step` is a tick of."""
        del unit
        name, spread = self.noise.distribution.value, self.noise.stddev * step
        told = f"its limit has {name} noise, standard deviation {spread:.3g} times one unit's work"
        facts: dict[str, object] = {"Mechanism": name, "Standard Deviation": spread}
        if self.margin is None:
            bare = f"{told}; when the answer leaves is not covered"
            return Description(name, "Time", bare, {**facts, "Delay": None})
        delay = self.margin * step
        leaves = f"the answer leaves {delay:.3g} times one unit's work after it is there, with the same noise"
        return Description(name, "Time", f"{told}; {leaves}", {**facts, "Delay": delay})

    @property
    def reach(self) -> int:
        """Ticks that the noise passes, to either side, about twice in ten thousand times."""
        return _quantile(self.noise, _SELDOM)

    @property
    def far(self) -> int:
        """Ticks that the noise passes with a probability of NEVER at most."""
        return _quantile(self.noise, NEVER)


def deadline_noise(accounting: Accounting, share: Decimal) -> TimeNoise:
    """Noise for the time limit alone, whose loss is at most `share`.

    Claim: whether T + Z·tick <= limit loses `share`, if one unit moves T by at most TICKS ticks. Because: it is a
    function of ⌈T/tick⌉ + Z, an integer of sensitivity TICKS + 1 with noise made for that. Nothing is cut off: a noised
    limit may be below 0, and above the limit that was asked for.
    Checked by: tests/test_timing.py.
    Raises ValueError where `share` is not above 0.
    """
    return TimeNoise(_made(accounting, share), None)


def delay_noise(accounting: Accounting, share: Decimal, delta: Decimal) -> TimeNoise:
    """Noise for the limit and for the moment at which an answer leaves, for `share` and `delta`.

    Claim: the pair (in time, moment) is (share, delta)-differentially private, or delta-approximately share-zCDP, if
    one unit moves T by at most TICKS ticks.
    Because: M = T + (margin + Z)·tick is private, and the moment is max(M, T). Write q = margin − TICKS − 1. But with
    probability P(Z < −q) <= delta, Z >= −q, and then the coupling of Z with Z + (T − T')/tick, by which M(D) and M(D')
    are compared, has both at or above −margin: there the moment is M itself in both worlds.
    Checked by: tests/test_timing.py.
    Raises ValueError where a share is not above 0, or is too small for any margin.
    """
    noise = _made(accounting, share)
    return TimeNoise(noise, _quantile(noise, delta) + _ONE_UNIT.linf)


def beyond(noise: Noise, ticks: int) -> Decimal:
    """At least P(Z > ticks), which is P(Z < −ticks), rounded up to the grid."""
    return (
        Decimal(1)
        if ticks < 0
        else min(Decimal(1), charged(Fraction(tail(noise.distribution, noise.scale, ticks + 1))))
    )


def _made(accounting: Accounting, share: Decimal) -> Noise:
    """Gaussian where it may be: its tails are short, and the margin is made of them."""
    match accounting:
        case Accounting.PURE:
            return laplace(_ONE_UNIT, share)
        case Accounting.ZCDP:
            return gaussian(_ONE_UNIT, share)


@remembered(1024)
def _quantile(noise: Noise, delta: Decimal) -> int:
    """The least number of ticks that the noise passes with probability `delta` at most."""
    if not delta > 0 or beyond(noise, LARGEST) > delta:
        raise ValueError(f"no delay keeps time to a delta of {delta}")
    guess = guessed(noise.distribution, noise.scale, float(delta)) - 1
    return least(lambda ticks: beyond(noise, ticks) <= delta, guess, -1, LARGEST)
