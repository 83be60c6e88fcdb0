"""What a mechanism loses where one unit moves what it reads as was proved: closed forms, not its own word.

    noise of scale s, at most g entries, each by at most b
        Laplace    ε = g·b/s                      (the integers' form of Dwork, McSherry, Nissim, Smith 2006)
        Gaussian   ρ = g·b²/(2·s²)                (Canonne, Kamath, Steinke 2020, theorem 4)
        Laplace    ρ = ε²/2                       (Bun, Steinke 2016, proposition 1.4)

All are fractions, exact; only the way onto the grid rounds, up. What the distributions' tails weigh, which δ is made
of, is `mechanisms.tails`, proved and tested for itself.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from dpproxy.accounting.loss import ZERO, Accounting, Loss, charged
from dpproxy.mechanisms.noise import Distribution, Noise
from dpproxy.mechanisms.tails import tail
from dpproxy.mechanisms.timing import TICKS, TimeNoise
from dpproxy.rewrite.checker.fault import require


def of_time(time: TimeNoise, accounting: Accounting) -> Loss:
    """ε or ρ, and δ, of the noise of a statement's time, of which one unit moves one tick more than its work has.

    Because: with a margin, the moment is the noised one but where the noise is below what the margin leaves, less one
    unit's work (Ratliff, Vadhan 2024, theorem 30).
    Checked by: tests/test_checker_losses.py.
    """
    moved = TICKS + 1
    main = of_noise(time.noise, moved, moved**2, accounting)
    if time.margin is None:
        return Loss(main, ZERO.delta)
    return Loss(main, min(Decimal(1), charged(beyond(time.noise, time.margin - moved + 1))))


def of_noise(noise: Noise, l1: int, square: int, accounting: Accounting) -> Decimal:
    """ε or ρ of noise, where one unit moves what it is added to by l1 in sum, and by the root of `square` in l2.

    Claim: not below the true one. Because: the module's formulas. Checked by: tests/test_checker_losses.py.
    """
    scale = scale_of(noise.scale)
    match noise.distribution:
        case Distribution.LAPLACE:
            epsilon = l1 / scale
            return charged(epsilon if accounting is Accounting.PURE else epsilon**2 / 2)
        case Distribution.GAUSSIAN:
            require(accounting is Accounting.ZCDP, "a mechanism has no loss in pure accounting: Gaussian noise")
            return charged(square / scale**2 / 2)
        case _:
            assert_never(noise.distribution)


def scale_of(scale: float) -> Fraction:
    """Exactly. Raises CheckFault where there is none above 0."""
    require(math.isfinite(scale) and scale > 0, "noise without a scale")
    return Fraction(scale)


def beyond(noise: Noise, at: int) -> Fraction:
    """At least the probability that the noise reaches a number; as `tail` says it."""
    return Fraction(1) if at < 1 else Fraction(tail(noise.distribution, noise.scale, at))
