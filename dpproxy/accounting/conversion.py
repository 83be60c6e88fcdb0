"""From ρ of zero-concentrated differential privacy to (ε, δ) and back.

For every order α > 1, ρ-zCDP implies (ε, δ) with

    ε = ρ·α + log((α − 1)/α) − (log δ + log α)/(α − 1)        (Canonne, Kamath, Steinke 2020, proposition 12)

so the choice of α costs tightness only, never validity. With u = α − 1 the best one solves ρ·u² + log(1 + u) = log 1/δ,
whose left side grows with u. α is searched for in floats, and 1e-12 <= u <= 1e18; the bound at that α is then evaluated
in 80 digits and rounded against the spender.

Claim: what that evaluation errs by is less than `_GUARD` times the sum of its terms' sizes, for δ >= 1e-4000.
Because: each operation, `ln` too, gives the decimal of 80 digits that is nearest to the true result, so what is rounded
by 1e-79 of itself has a logarithm that is off by no more than 2e-79 and 1e-79 of itself. With logarithms below 1e4 the
last term, over u, is off by 1e-74/u. The term log(1 + 1/u) is at least 1/(2u) for u >= 1, and at least 1/2 below: the
former makes that 2e-74 of it, the latter, with u >= 1e-12, 2e-62. It is itself off by 3e-79, which with u <= 1e18 is
6e-61 of it. All else errs in proportion.
Checked by: tests/test_accounting.py::test_conversions_are_rounded_against_the_spender.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Context, Decimal, localcontext

from dpproxy.accounting.loss import charged, granted
from dpproxy.remembered import remembered

_DIGITS = Context(prec=80)
_GUARD = Decimal("1e-50")
_SHRINK = 1 - Decimal("1e-25")
_SMALLEST_U, _LARGEST_U = 1e-12, 1e18
_STEPS, _NEAR = 40, 1e-8


@remembered(4096)
def epsilon_of_rho(rho: Decimal, delta: Decimal) -> Decimal:
    """The ε that ρ-zCDP amounts to at `delta`; never below the true one, and 0 for ρ = 0.

    Claim: every ρ-zCDP mechanism is (epsilon_of_rho(ρ, δ), δ)-differentially private.
    Because: the module's inequality holds at any α > 1; its value is rounded up, and ε < 0 is worse than ε = 0.
    Checked by: tests/test_accounting.py::test_epsilon_against_dp_accounting, ::test_epsilon_is_sound_for_the_gaussian.

    Raises ValueError where δ is not within (0, 1): under zCDP no finite ε holds at δ = 0.
    """
    log_inverse = _log_inverse(delta)
    if rho < 0:
        raise ValueError(f"rho must not be negative, it is {rho}")
    if rho == 0:
        return Decimal(0)
    slope = float(rho)
    u = Decimal(_crossing(lambda u: slope * u * u + math.log1p(u) < float(log_inverse)))
    with localcontext(_DIGITS):
        rest = log_inverse - (1 + u).ln()
        terms = (rho * (1 + u), -(1 + 1 / u).ln(), rest / u)
        return max(Decimal(0), charged(_sum(terms) + _GUARD * _sum(map(abs, terms))))


def told_epsilon_of_rho(rho: Decimal, delta: Decimal) -> float:
    """`epsilon_of_rho` in floats, for a number that people read: nothing is compared with it.

    u is found by Newton's steps in log u, from where ρ·u² alone is log 1/δ: there the left side is above, it is convex
    in log u, and so each step stays above and comes closer.
    Checked by: tests/test_accounting.py::test_what_people_are_told_is_the_exact_epsilon.
    """
    log_inverse, slope = float(_log_inverse(delta)), float(rho)
    if slope <= 0:
        return 0.0
    at = min(math.log(log_inverse / slope) / 2, math.log(_LARGEST_U))
    for _ in range(_STEPS):
        u = math.exp(at)
        step = (slope * u * u + math.log1p(u) - log_inverse) / (2 * slope * u * u + u / (1 + u))
        at -= step
        if abs(step) < _NEAR:
            break
    u = math.exp(max(at, math.log(_SMALLEST_U)))
    return max(0.0, slope * (1 + u) - math.log1p(1 / u) + (log_inverse - math.log1p(u)) / u)


@remembered(256)
def rho_of_epsilon(epsilon: Decimal, delta: Decimal) -> Decimal:
    """The largest ρ (but for 25 digits) whose ε at `delta` is at most `epsilon`.

    Claim: epsilon_of_rho(rho_of_epsilon(ε, δ), δ) <= ε.
    Because: at the best α for ρ, ρ = (log 1/δ − log α)/u², so ε falls as u grows, and u is found by its crossing of
    `epsilon`; the module's inequality is then solved for ρ at that α and rounded down.
    Checked by: tests/test_accounting.py::test_rho_is_the_inverse.

    Raises ValueError where δ is not within (0, 1) or ε is negative.
    """
    log_inverse = _log_inverse(delta)
    if epsilon < 0:
        raise ValueError(f"epsilon must not be negative, it is {epsilon}")
    target, log_float = float(epsilon), float(log_inverse)
    u = Decimal(_crossing(lambda u: (log_float - math.log1p(u)) * (1 + 2 * u) / (u * u) - math.log1p(1 / u) > target))
    with localcontext(_DIGITS):
        rest = log_inverse - (1 + u).ln()
        terms = (epsilon, (1 + 1 / u).ln(), -rest / u)
        return max(Decimal(0), granted((_sum(terms) - _GUARD * _sum(map(abs, terms))) / (1 + u) * _SHRINK))


@remembered(256)
def _log_inverse(delta: Decimal) -> Decimal:
    if not 0 < delta < 1:
        raise ValueError(f"zCDP needs a delta above 0 and below 1, it is {delta}")
    return delta.ln(_DIGITS).copy_negate()  # a minus sign would round it to the digits of whoever calls


def _crossing(below: Callable[[float], bool]) -> float:
    """Where a predicate that is true for small u and false for large ones changes, by halving log u."""
    low, high = math.log(_SMALLEST_U), math.log(_LARGEST_U)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if below(math.exp(middle)) else (low, middle)
    return math.exp(high)


def _sum(terms: Iterable[Decimal]) -> Decimal:
    return sum(terms, Decimal(0))
