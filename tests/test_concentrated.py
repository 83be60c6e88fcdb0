"""The ρ of pure mechanisms: never below the divergence of any order, and that of order 1 itself."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from dp_accounting.pld import privacy_loss_distribution
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import sized

from dpproxy.accounting.concentrated import laplace_scale, pure_of_rho, rho_of_laplace, rho_of_pure
from dpproxy.accounting.conversion import epsilon_of_rho

EPSILONS = [Decimal(each) for each in ("1e-12", "1e-3", "0.1", "0.5", "1", "2", "5", "20", "300")]
ORDERS = [mpmath.mpf(1) + mpmath.mpf(10) ** (mpmath.mpf(power) / 4) for power in range(-40, 25)]
SHIFTS = [1, 2, 3, 7, 40]
SCALES = [0.05, 0.3, 1.0, 2.5, 10.0, 333.0]
RHOS = st.floats(1e-12, 1e3).map(Decimal)


def of_response(epsilon: mpmath.mpf, order: mpmath.mpf) -> mpmath.mpf:
    """Rényi's divergence of randomized response, by its two outcomes."""
    likely, rare = 1 / (1 + mpmath.exp(-epsilon)), 1 / (1 + mpmath.exp(epsilon))
    return mpmath.log(likely**order * rare ** (1 - order) + rare**order * likely ** (1 - order)) / (order - 1)


def of_laplace(scale: float, steps: int, order: mpmath.mpf) -> mpmath.mpf:
    """Rényi's divergence of discrete Laplace noise from itself so many steps away: sums of powers, one by one between
    the two, geometric outside."""
    q = mpmath.exp(-1 / mpmath.mpf(scale))
    outside = (q ** ((1 - order) * steps) + q ** (order * steps)) / (1 - q)
    between = sum(q ** (order * k + (1 - order) * (steps - k)) for k in range(1, steps))
    return mpmath.log((1 - q) / (1 + q) * (outside + between)) / (order - 1)


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_no_order_of_randomized_response_is_above(epsilon: Decimal) -> None:
    with mpmath.workdps(80):
        exact, rho = mpmath.mpf(str(epsilon)), mpmath.mpf(str(rho_of_pure(epsilon)))
        assert max(of_response(exact, order) / order for order in ORDERS) <= rho
        order_one = exact * mpmath.tanh(exact / 2)
        assert order_one <= rho <= order_one * (1 + mpmath.mpf("1e-20")) + mpmath.mpf("2e-30")
        assert rho <= exact**2 / 2 + mpmath.mpf("1e-30")


def test_half_of_it_would_be_too_little() -> None:
    """At order 2, randomized response loses more than ε·tanh(ε/2)/2 would allow for."""
    with mpmath.workdps(50):
        assert of_response(mpmath.mpf(1), mpmath.mpf(2)) / 2 > mpmath.tanh(mpmath.mpf("0.5")) / 2


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("steps", SHIFTS)
def test_no_order_of_laplace_noise_is_above(scale: float, steps: int) -> None:
    with mpmath.workdps(120):
        rho = mpmath.mpf(str(rho_of_laplace(1 / Fraction(scale), steps, steps)))
        divergences = [of_laplace(scale, steps, order) / order for order in ORDERS]
        assert max(divergences) <= rho
        assert rho <= divergences[0] * (1 + mpmath.mpf("1e-6"))


@pytest.mark.parametrize("scale", SCALES)
def test_one_step_is_randomized_response(scale: float) -> None:
    rate = 1 / Fraction(scale)
    whole = rho_of_pure(Decimal(rate.numerator) / Decimal(rate.denominator))
    assert float(rho_of_laplace(rate, 1, 1)) == pytest.approx(float(whole), rel=1e-12)


def test_wide_noise_is_that_of_the_continuous_form() -> None:
    for epsilon in (0.01, 0.5, 1.0, 4.0):
        discrete = rho_of_laplace(Fraction(epsilon) / 10**9, 10**9, 10**9)
        assert float(discrete) == pytest.approx(epsilon + math.expm1(-epsilon), rel=1e-6)


@given(st.floats(0.01, 100), st.integers(1, 30), st.lists(st.integers(0, 30), min_size=1, max_size=10))
def test_a_vector_loses_no_more_than_its_bounds_say(scale: float, linf: int, entries: list[int]) -> None:
    """Whatever one unit moves within the bounds: entries add up, and none loses more than what is charged for all."""
    moved = [min(each, linf) for each in entries]
    rate = 1 / Fraction(scale)
    apart = sum(rho_of_laplace(rate, each, each) for each in moved if each)
    bound = rho_of_laplace(rate, linf, sum(moved))
    assert apart <= bound + len(moved) * Decimal("1e-30")
    assert bound <= rho_of_laplace(rate, linf, len(entries) * linf)


@pytest.mark.larger
@settings(max_examples=sized(30, 100, 1000), deadline=None)
@given(RHOS)
def test_pure_is_the_inverse(rho: Decimal) -> None:
    epsilon = pure_of_rho(rho)
    assert rho_of_pure(epsilon) <= rho
    assert rho_of_pure(epsilon * (1 + Decimal("1e-15"))) > rho * (1 - Decimal("1e-12"))


@pytest.mark.larger
@settings(max_examples=sized(15, 40, 400), deadline=None)
@given(RHOS, st.integers(1, 50), st.integers(1, 50))
def test_the_scale_that_is_found_keeps_to_its_share(rho: Decimal, linf: int, entries: int) -> None:
    scale = laplace_scale(rho, linf, linf * entries)
    assert rho_of_laplace(1 / Fraction(scale), linf, linf * entries) <= rho
    less = scale * (1 - 1e-12)
    assert scale <= 1e-6 or rho_of_laplace(1 / Fraction(less), linf, linf * entries) > rho


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("times", [1, 10, 60])
def test_what_is_charged_is_above_the_privacy_loss_distribution(epsilon: float, times: int) -> None:
    """Randomized response and Laplace noise, repeated: their exact ε lies below that of the ρ that is charged."""
    exact = {
        rho_of_pure(Decimal(epsilon)): privacy_loss_distribution.from_randomized_response(
            2 / (1 + math.exp(epsilon)), 2, pessimistic_estimate=False, value_discretization_interval=1e-3
        ),
        rho_of_laplace(Fraction(epsilon) / 5, 5, 5): privacy_loss_distribution.from_discrete_laplace_mechanism(
            epsilon / 5, 5, pessimistic_estimate=False, value_discretization_interval=1e-3
        ),
    }
    for rho, distribution in exact.items():
        composed = distribution.self_compose(times).get_epsilon_for_delta(1e-6)
        assert composed <= float(epsilon_of_rho(rho * times, Decimal("1e-6"))) * (1 + 1e-9)


def test_the_edges() -> None:
    assert rho_of_pure(Decimal(0)) == 0
    assert rho_of_pure(Decimal("1e-20")) == Decimal("1e-30")
    assert rho_of_pure(Decimal("1e30")) >= Decimal("1e30")
    assert rho_of_laplace(Fraction(10**7), 3, 3) == 3 * 10**7
    assert rho_of_laplace(Fraction(1, 10**60), 2**62, 2**62) == Decimal("1e-30")
