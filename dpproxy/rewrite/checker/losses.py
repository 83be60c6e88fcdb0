"""What a mechanism loses where one unit moves what it reads as was proved: closed forms, not its own word.

    noise of scale s, at most g entries, each by at most b
        Laplace    ε = g·b/s                      (the integers' form of Dwork, McSherry, Nissim, Smith 2006)
        Gaussian   ρ = g·b²/(2·s²)                (Canonne, Kamath, Steinke 2020, theorem 4)
        Laplace    ρ = g·KL(b), KL(b) = (b − 2q(1 − q^b)/(1 − q²))/s with q = e^(−1/s)
                                                  (Harrison, Manurangsi 2025: the order 1 is the worst)
    any ε-private mechanism
                   ρ = ε·(e^ε − 1)/(e^ε + 1)      (the same, of randomized response)

    of a sample that each unit is in with probability p
        pure       ε = log(1 + p·(e^ε − 1)), δ = p·δ    (Balle, Barthe, Gaboardi 2018, theorem 8)

Fractions are exact, and logarithms' inverses are computed in 200 digits, and a share of 1e-60 is added; the way onto
the grid rounds up. What the distributions' tails weigh, which δ is made
of, is `mechanisms.tails`, proved and tested for itself.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final, assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.noisy_max import NoisyMax, ScoreNoise
from dpproxy.mechanisms.norms import Norm
from dpproxy.mechanisms.tails import tail
from dpproxy.mechanisms.timing import TICKS, TimeNoise
from dpproxy.remembered import remembered
from dpproxy.rewrite.checker.fault import require

_DIGITS: Final = Context(prec=200)
_MORE: Final = 1 + Fraction(1, 10**60)
_COINS, _WIDE = 2**64, 100
_TINY, _HUGE = Fraction(1, 10**40), Fraction(10**3)


def of_time(time: TimeNoise, accounting: Accounting) -> Loss:
    """ε or ρ, and δ, of the noise of a statement's time, of which one unit moves one tick more than its work has.

    Because: with a margin, the moment is the noised one but where the noise is below what the margin leaves, less one
    unit's work (Ratliff, Vadhan 2024, theorem 30).
    Checked by: tests/test_checker_losses.py.
    """
    moved = TICKS + 1
    main = of_noise(time.noise, moved, moved, moved**2, accounting)
    if time.margin is None:
        return Loss(main, ZERO.delta)
    return Loss(main, min(Decimal(1), charged(beyond(time.noise, time.margin - moved + 1))))


@remembered(4096)
def of_noise(noise: Noise, most: int, l1: int, square: int, accounting: Accounting) -> Decimal:
    """ε or ρ of noise, where one unit moves what it is added to by `most` in an entry, by l1 in sum, and by the root of
    `square` in l2.

    Claim: not below the true one. Because: the module's formulas. Checked by: tests/test_checker_losses.py.
    """
    scale = scale_of(noise.scale)
    match noise.distribution:
        case Distribution.LAPLACE:
            return charged(l1 / scale) if accounting is Accounting.PURE else _rho_of_laplace(scale, most, l1)
        case Distribution.GAUSSIAN:
            require(accounting is Accounting.ZCDP, "a mechanism has no loss in pure accounting: Gaussian noise")
            return charged(square / scale**2 / 2)
        case _:
            assert_never(noise.distribution)


def rho_of_pure(epsilon: Fraction) -> Decimal:
    """Of any mechanism that is private for that ε. Where it is tiny, ε²/2, and where it is huge, ε: both are more."""
    if epsilon < _TINY:
        return charged(epsilon**2 / 2)
    if epsilon > _HUGE:
        return charged(epsilon)
    grown = _exp(epsilon)
    return charged(epsilon * (grown - 1) / (grown + 1) * _MORE)


def in_sample(pure: Loss, coins: int, accounting: Accounting) -> Loss:
    """What mechanisms lose to whom does not know the sample, of `coins` in 2^64, if within it they lose `pure` (ε, δ)
    together; under zCDP as what is private for an ε, but for that δ.

    Claim: not below the true one. Because: the module's formula; beyond 200 digits it is ε itself, which is more.
    Checked by: tests/test_checker_samples.py.
    """
    rate = Fraction(coins, _COINS)
    epsilon = Fraction(pure.main)
    if epsilon < _WIDE:
        with localcontext(_DIGITS):
            grown = 1 + rate * (_exp(epsilon) - 1)
            log = Fraction((Decimal(grown.numerator) / Decimal(grown.denominator)).ln())
        epsilon = min(epsilon, log * _MORE)
    main = charged(epsilon) if accounting is Accounting.PURE else rho_of_pure(epsilon)
    return Loss(main, charged(rate * Fraction(pure.delta)))


def _rho_of_laplace(scale: Fraction, most: int, l1: int) -> Decimal:
    """The sum over entries, of which as many as may move by `most` do: a convex function of each."""
    full, rest = divmod(l1, max(most, 1))
    return charged(full * _divergence(scale, most) + _divergence(scale, rest))


def _divergence(scale: Fraction, by: int) -> Fraction:
    """KL of the module. With noise too wide for 200 digits it is ε²/2, and ε with hardly any, as above."""
    if 1 / scale < _TINY:
        return (by / scale) ** 2 / 2
    if 1 / scale > _HUGE:
        return by / scale
    q = 1 / _exp(1 / scale)
    left = 0 if by / scale > _HUGE else 1 / _exp(by / scale)
    return (by - 2 * q * (1 - left) / (1 - q**2)) / scale * _MORE


def _exp(exponent: Fraction) -> Fraction:
    """To 199 digits."""
    with localcontext(_DIGITS):
        return Fraction((Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp())


def scale_of(scale: float) -> Fraction:
    """Exactly. Raises CheckFault where there is none above 0."""
    require(math.isfinite(scale) and scale > 0, "noise without a scale")
    return Fraction(scale)


def beyond(noise: Noise, at: int) -> Fraction:
    """At least the probability that the noise reaches a number; as `tail` says it."""
    return Fraction(1) if at < 1 else Fraction(tail(noise.distribution, noise.scale, at))


def between(noise: Noise, first: int, width: int) -> Fraction:
    """At least the probability that Laplace noise is `first` or one of the `width` numbers from there on, `first` >= 1:
    a geometric sum, e^(−width/s) of which lies beyond."""
    rate = width / scale_of(noise.scale)
    below = Fraction(0) if rate > _HUGE else 1 / _exp(rate)
    return beyond(noise, first) * min(Fraction(1), (1 - below) * _MORE)


def of_scores(choice: NoisyMax, most: int, accounting: Accounting) -> Decimal:
    """Of the places of the largest scores, each moved by `most`, as `mechanisms._of_choice` says it."""
    require(choice.places >= 1, "a choice of no keys")
    ratio = (most if choice.one_sided else 2 * most) / scale_of(choice.scale)
    match choice.noise:
        case ScoreNoise.EXPONENTIAL if accounting is Accounting.PURE:
            return charged(choice.places * ratio)
        case ScoreNoise.EXPONENTIAL:
            return choice.places * rho_of_pure(ratio)
        case ScoreNoise.GUMBEL:
            require(accounting is Accounting.ZCDP, "a choice by Gumbel noise is made for zCDP")
            return charged(choice.places * ratio**2 / 8)
        case _:
            assert_never(choice.noise)


def require_norm(norm: Norm, noise: Noise, otherwise: str) -> None:
    """What is 1 in L1 is no more in L2, but not the other way round."""
    require(norm is Norm.L1 or noise.distribution is Distribution.GAUSSIAN, otherwise)
