"""How likely noise is to reach a number, rounded up; and the least number that it reaches seldom enough.

Decimals of 30 digits, each operation rounded in the direction that makes the result larger. `exp` and `sqrt` of
`decimal` know one rounding, to the nearest, and are correct in it: the next number above is no less than the true one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from dpproxy.mechanisms.noise import Distribution

_UP, _DOWN = Context(prec=30, rounding=ROUND_CEILING), Context(prec=30, rounding=ROUND_FLOOR)
_ONE = Decimal(1)
_ROOT_BELOW = Decimal("2.50662827463100050241576528481")
"""√2π, cut off."""
_FAR = Decimal(200)
"""e^−200 is below the grid of every loss: what is further counts as that much."""
_LEVELS = 20


def tail(distribution: Distribution, scale: float, at: int) -> Decimal:
    """At least P(Z >= at) for discrete noise Z of that scale, `at` >= 1, and at most 1.

    Claim: never below the true one; for Laplace within 1e-27 of it in proportion, down to e^−200.
    Because: Laplace: the geometric sum e^(−at/s) / (1 + e^(−1/s)). Gaussian, with f(k) = e^(−k²/2σ²): f falls, so that
    its sum from `at` on is at most f(at) + ∫f from there, which is f(at)·(1 + σ·M(at/σ)) with M of `_mills`; and its
    sum over all integers is at least f(0) = 1, and at least σ√2π (Poisson's summation: that, times Σe^(−2π²σ²n²) >= 1).
    Each operation is rounded outward.
    Checked by: tests/test_tails.py::test_tails_are_not_below_the_exact_sums,
    ::test_tails_are_not_below_sums_of_fractions, ::test_wide_tails_are_those_of_the_integral.
    """
    size = Decimal(scale)
    ratio = _DOWN.divide(at, size)
    match distribution:
        case Distribution.LAPLACE:
            whole = _DOWN.add(_ONE, _exp_below(_UP.divide(_ONE, size)))
            reached = _exp_above(ratio)
        case Distribution.GAUSSIAN:
            whole = max(_ONE, _DOWN.multiply(size, _ROOT_BELOW))
            beyond = _UP.add(_ONE, _UP.multiply(size, _mills(ratio)))
            reached = _UP.multiply(_exp_above(_DOWN.divide(_DOWN.multiply(ratio, ratio), 2)), beyond)
    return min(_ONE, _UP.divide(reached, whole))


def _exp_above(size: Decimal) -> Decimal:
    """At least e^−size, for size >= 0."""
    return _UP.next_plus(_UP.exp(min(size, _FAR).copy_negate()))


def _exp_below(size: Decimal) -> Decimal:
    """At most e^−size, for size >= 0."""
    return _DOWN.next_minus(_DOWN.exp(size.copy_negate())) if size < _FAR else Decimal(0)


def _mills(y: Decimal) -> Decimal:
    """At least Mills' ratio M(y) = e^(y²/2)·∫e^(−x²/2)dx from y on, for y >= 0: within 1 %, and 1e-8 of it from 2 on.

    Because: with x = y + t it is J₀, where Jₙ = ∫tⁿ·e^(−yt−t²/2)dt over t >= 0. By parts, y·J₀ + J₁ = 1 and
    y·Jₙ + Jₙ₊₁ = n·Jₙ₋₁, so Rₙ = Jₙ/Jₙ₋₁ > 0 has Rₙ = n/(y + Rₙ₊₁), and M = 1/(y + R₁). By Cauchy and Schwarz
    Rₙ₊₁ >= Rₙ, so Rₙ·(y + Rₙ) <= n, and Rₙ <= 2n/(y + √(y² + 4n)). From there on what is above a ratio leads to what
    is below the one before, and so on: after an even number of levels R₁ comes out from below, and M from above. And M
    falls from M(0) = √2π/2, which is below 1.2534.
    Checked by: tests/test_tails.py::test_mills_ratio_is_rounded_up.
    """
    root = _DOWN.next_minus(_DOWN.sqrt(_DOWN.add(_DOWN.multiply(y, y), 4 * _LEVELS)))
    ratio = _UP.divide(2 * _LEVELS, _DOWN.add(y, root))
    for level in range(_LEVELS - 1, 0, -2):
        ratio = _DOWN.divide(level, _UP.add(y, ratio))
        ratio = _UP.divide(level - 1, _DOWN.add(y, ratio)) if level > 1 else ratio
    return min(Decimal("1.2534"), _UP.divide(_ONE, _DOWN.add(y, ratio)))


def least(fits: Callable[[int], bool], guess: int, low: int, high: int) -> int:
    """A number above `low`, at most `high`, that fits, while the one below it does not, or is `low`.

    `high` fits. Where what fits is all that is large enough, it is the least one, whatever is guessed; a good guess
    takes two looks.
    """
    guess, step = min(max(guess, low + 1), high - 1), 1
    while high - low > 1:
        at = guess if low < guess < high else (low + high) // 2
        if fits(at):
            high, guess = at, at - step
        else:
            low, guess = at, at + step
        step *= 2
    return high


def guessed(distribution: Distribution, scale: float, chance: float) -> int:
    """About the least number that noise reaches with no more than this chance; nothing leans on it but the time."""
    low, high = 0, 2**63
    while high - low > 1:
        middle = (low + high) // 2
        ratio = middle / scale
        if distribution is Distribution.LAPLACE:
            reached = math.exp(-ratio) / (1 + math.exp(-1 / scale))
        else:
            reached = math.erfc((ratio - 0.5 / scale) / math.sqrt(2)) / 2
        low, high = (low, middle) if reached <= chance else (middle, high)
    return high
