"""What pure mechanisms cost as ρ of zero-concentrated differential privacy: the least ρ that holds, rounded up.

A mechanism is ρ-zCDP where Rényi's divergence D of its outputs over neighbours is at most ρ·α for every order α > 1.
The general ρ = ε²/2 (Bun, Steinke 2016) is not the least one. These are:

    any ε-differentially private mechanism   ε·tanh(ε/2)
    discrete Laplace noise of scale 1/η on an integer that moves by b steps
                                             η·(b − (1 − e^(−ηb))/sinh η), which tends to x + e^(−x) − 1, x = ηb
    a choice by Gumbel noise, of range η     η²/8: see `mechanisms.noisy_max`

Each is the divergence of order 1, so that no smaller ρ would do. (Harrison and Manurangsi 2025, "Exact zCDP
characterizations for fundamental differentially private mechanisms", prove these and others.)

*Why the order 1 is the worst.* Write e^c(α) for the sum of P^α·Q^(1−α), so that D = c(α)/(α − 1). In what follows P
and Q are mirror images, so that c(α) = h(α − 1/2) for an even h, with h(±1/2) = 0. Let h be concave as a function of w
= t², from w = 1/4 on. Then it lies below its tangent there, h(t) <= h'(1/2)·(t² − 1/4), which is c(α) <= D₁·α·(α − 1):
ρ is D₁ = c'(1). And h is concave in w if e^h = F(t²) for an entire F of order below 1 whose zeros are all negative:
then it is a constant times a product of factors 1 + w/wₖ (Hadamard), the logarithm of each of which is concave.

Randomized response: F = cosh(ε·t)/cosh(ε/2), whose zeros are t = i·π·(k + 1/2)/ε. Each pure mechanism is a function of
its outcome (Kairouz, Oh, Viswanath 2015), which no divergence grows by.

Discrete Laplace: with q = e^−η and v = e^(2ηt), F is v^(−b/2) times (1 − q)/(1 + q)·q^(b/2) times
(v^b + 1)/(1 − q) + v + … + v^(b−1). Times v − 1, that is v^b·(v − q) − (1 − q·v) over 1 − q: at a zero v^b times
Blaschke's factor (v − q)/(1 − q·v) is 1, and both are below 1 in size for |v| < 1, and above it for |v| > 1. So |v| =
1, and t is imaginary. (v = 1 is of the factor v − 1: F(0) > 0.)
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Final

from dpproxy.accounting.loss import charged, granted
from dpproxy.remembered import remembered

_DIGITS: Final = Context(prec=150)
_ABOVE: Final = 1 + Decimal("1e-40")
"""More than what the formulas are off by in 150 digits, in proportion."""
_LEAST_RATE, _MOST_RATE = Decimal("1e-40"), Decimal("1e5")
_STEPS: Final = 120


def rho_of_pure(epsilon: Decimal) -> Decimal:
    """The ρ of any mechanism that is `epsilon`-differentially private, rounded up.

    Claim: every ε-differentially private mechanism is rho_of_pure(ε)-zCDP, and randomized response no less.
    Because: see the module; D₁ of randomized response is ε·tanh(ε/2). Where ε < 1e-40 it is ε²/2, which is more. In 150
    digits 1 − e^−ε is off by less than 1e-149, which for ε >= 1e-40 is less than 1e-108 of it.
    Checked by: tests/test_concentrated.py.
    """
    if epsilon < _LEAST_RATE:
        return charged(Fraction(epsilon) ** 2 / 2)
    with localcontext(_DIGITS):
        less = (-epsilon).exp()
        return charged(epsilon * (1 - less) / (1 + less) * _ABOVE)


@remembered(256)  # each statement over a sample asks, and sessions have few prices
def pure_of_rho(rho: Decimal) -> Decimal:
    """The largest ε, but for 1e-30 of it, of which every mechanism is `rho`-zCDP.

    Claim: rho_of_pure(pure_of_rho(ρ)) <= ρ. Because: it is found by halving, and compared by that function, which
    grows with ε. Checked by: tests/test_concentrated.py::test_pure_is_the_inverse.
    """
    # ε·tanh(ε/2) >= ε − 1, and at least ε²/4 for ε <= 2.
    with localcontext(_DIGITS):
        low, high = Decimal(0), 2 * rho.sqrt() + rho + 1
        for _ in range(_STEPS):
            middle = granted((low + high) / 2)
            low, high = (middle, high) if rho_of_pure(middle) <= rho else (low, middle)
    return low


def rho_of_laplace(rate: Fraction, linf: int, l1: int) -> Decimal:
    """The ρ of discrete Laplace noise of scale 1/rate on each entry of a vector that one unit moves by at most `linf`
    steps in an entry and `l1` in sum, rounded up.

    Claim: the noised vector is rho_of_laplace(rate, linf, l1)-zCDP, for noise of any scale of at least 1/rate.
    Because: see the module for one entry; call its ρ f(b). Divergences of independent entries add up. f is convex with
    f(0) = 0, so that the sum of f over a vector is largest where all but one of the entries that move, move by `linf`.
    Noise of a larger scale is noise of this one with more noise added (the quotient of their characteristic functions
    is that of a mixture of 0 and the larger noise), which no divergence grows by.
    Checked by: tests/test_concentrated.py.
    """
    whole, rest = divmod(l1, linf)
    return charged(whole * Fraction(_rho_of_shift(rate, linf)) + Fraction(_rho_of_shift(rate, rest)))


def laplace_scale(rho: Decimal, linf: int, l1: int) -> float:
    """The least scale of discrete Laplace noise, as a float, that is `rho`-zCDP; about 1e-6 where less would do.

    Σ(x²/2) is no less than ρ: there the search begins.
    """
    with localcontext(_DIGITS):
        high = max(float((Decimal(l1) * linf / (2 * rho)).sqrt()) * (1 + 1e-9), 1e-6)
    low = high / 2
    while low > 1e-6 and _rho_at(low, linf, l1) <= rho:
        low, high = low / 2, low
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _rho_at(middle, linf, l1) > rho else (low, middle)
    return high


def _rho_at(scale: float, linf: int, l1: int) -> Decimal:
    return rho_of_laplace(1 / Fraction(scale), linf, l1)


def _rho_of_shift(rate: Fraction, steps: int) -> Decimal:
    """f of `rho_of_laplace`: of one integer that moves by so many steps; not below the true one.

    Because: for a rate of at least 1e-40, what is subtracted is off by 1e-107 of itself, and the difference is more
    than 1e-41 of it. Below that, and above 1e5, it is ε²/2 and ε, each of which is no less.
    """
    with localcontext(_DIGITS):
        eta = Decimal(rate.numerator) / Decimal(rate.denominator) * _ABOVE
        epsilon = eta * steps
        if eta < _LEAST_RATE:
            return epsilon * epsilon / 2
        if eta > _MOST_RATE:
            return epsilon
        grown = eta.exp()
        sinh = (grown - 1 / grown) / 2
        return eta * (steps - (1 - (-epsilon).exp()) / sinh) * _ABOVE
