"""Privacy loss: exact sums, roundings on the safe side, conversions against an independent accountant."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.pld import privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant
from hypothesis import given, settings
from hypothesis import strategies as st

from dpproxy.accounting.account import (
    asked_epsilon,
    default_delta,
    remaining_epsilon,
    share,
    spent_epsilon,
    statement_loss,
    terms,
    told_remaining,
)
from dpproxy.accounting.conversion import epsilon_of_rho, rho_of_epsilon, told_epsilon_of_rho
from dpproxy.accounting.loss import GRID, ZERO, Accounting, Loss, charged, granted
from dpproxy.accounting.periods import PeriodsTotal, total

EPSILONS = st.decimals("1e-6", "1e4", allow_nan=False, places=6).filter(lambda value: value > 0)
DELTAS = st.integers(1, 24).map(lambda exponent: Decimal(10) ** -exponent)
RHOS = st.floats(1e-12, 1e3).map(Decimal)
MAINS = st.integers(0, 10**34).map(lambda steps: Decimal(steps).scaleb(-30))


@given(st.fractions(min_value=0, max_value=10**9))
def test_grid_roundings_enclose(value: Fraction) -> None:
    below, above = granted(value), charged(value)
    assert Fraction(below) <= value <= Fraction(above)
    assert Fraction(above) - Fraction(below) <= Fraction(GRID)


@given(st.lists(MAINS, max_size=20))
def test_sums_are_exact_in_any_order(mains: list[Decimal]) -> None:
    losses = [Loss(main, main) for main in mains]
    assert sum(losses, ZERO) == sum(reversed(losses), ZERO)
    assert Fraction(sum(losses, ZERO).main) == sum(map(Fraction, mains))


@given(MAINS, st.integers(1, 1000))
def test_shares_never_add_up_to_more(main: Decimal, parts: int) -> None:
    assert 0 <= Fraction(main) - parts * Fraction(share(main, parts)) < parts * Fraction(GRID)


@pytest.mark.parametrize("rho", ["1e-9", "1e-6", "0.001", "0.1", "1", "7.5", "100"])
@pytest.mark.parametrize("delta", ["1e-3", "5e-7", "1e-10", "1e-20"])
def test_epsilon_against_dp_accounting(rho: str, delta: str) -> None:
    """dp-accounting minimises over the orders it is given: ours must be no larger, and hardly smaller."""
    best = 1 + math.sqrt(math.log(1 / float(delta)) / float(rho))
    orders = 1 + (best - 1) * np.concatenate([np.geomspace(0.2, 1.5, 4000), np.geomspace(1e-3, 1e3, 500)])
    accountant = RdpAccountant(orders=orders)
    accountant.compose(dp_event.ZCDpEvent(float(rho)))
    theirs, ours = accountant.get_epsilon(float(delta)), float(epsilon_of_rho(Decimal(rho), Decimal(delta)))
    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-12)
    assert ours <= theirs * (1 + 1e-9) + 1e-12


@settings(max_examples=100, deadline=None)
@given(RHOS, st.decimals("1e-24", "0.999", allow_nan=False, places=30).filter(lambda delta: delta > 0))
def test_conversions_are_rounded_against_the_spender(rho: Decimal, delta: Decimal) -> None:
    """Against the best order of all, in 120 digits: near it u matters to the second power, and errors would show."""
    with mpmath.workdps(120):
        log = -mpmath.log(mpmath.mpf(str(delta)))

        def bound(rho: Decimal) -> mpmath.mpf:
            slope = mpmath.mpf(str(rho))
            near = mpmath.sqrt(log / slope)
            u = mpmath.findroot(lambda u: slope * u * u + mpmath.log(1 + u) - log, (0, near), solver="anderson")
            return slope * (1 + u) - mpmath.log(1 + 1 / u) + (log - mpmath.log(1 + u)) / u

        epsilon, best = epsilon_of_rho(rho, delta), max(mpmath.mpf(0), bound(rho))
        assert best <= mpmath.mpf(str(epsilon)) <= best * (1 + mpmath.mpf("1e-20")) + mpmath.mpf("2e-30")
        if epsilon > 0:
            back = rho_of_epsilon(epsilon, delta)
            assert back == 0 or bound(back) <= mpmath.mpf(str(epsilon))


@given(st.fractions(min_value=0).map(lambda value: value * 10**60) | st.floats(0, 1e308).map(Fraction))
def test_grid_roundings_enclose_what_is_huge(value: Fraction) -> None:
    assert Fraction(granted(value)) <= value <= Fraction(charged(value))


@given(MAINS)
def test_what_was_asked_is_rounded_up(main: Decimal) -> None:
    asked = Fraction(asked_epsilon(Accounting.ZCDP, main))
    assert 2 * Fraction(main) <= asked**2 <= 2 * Fraction(main) * (1 + Fraction(1, 10**28))


@pytest.mark.parametrize(("rho", "delta"), [("0.02", "1e-6"), ("0.1", "1e-6"), ("0.5", "1e-9"), ("2", "1e-5")])
def test_epsilon_is_sound_for_the_gaussian(rho: str, delta: str) -> None:
    """Gaussian noise is rho-zCDP; its exact ε, by its privacy loss distribution, lies below ours, and not far."""
    deviation = 1 / math.sqrt(2 * float(rho))
    exact = privacy_loss_distribution.from_gaussian_mechanism(
        deviation, pessimistic_estimate=False, value_discretization_interval=1e-3
    ).get_epsilon_for_delta(float(delta))
    ours = float(epsilon_of_rho(Decimal(rho), Decimal(delta)))
    assert exact <= ours <= exact * 1.25


@settings(max_examples=150, deadline=None)
@given(RHOS, DELTAS, st.floats(1e-6, 1e6))
def test_no_other_order_is_better(rho: Decimal, delta: Decimal, u: float) -> None:
    bound = float(rho) * (1 + u) - math.log1p(1 / u) - (math.log(delta) + math.log1p(u)) / u
    assert float(epsilon_of_rho(rho, delta)) <= max(0.0, bound) + 1e-9 * (1 + abs(bound) + 1 / u)


@settings(max_examples=200, deadline=None)
@given(EPSILONS, DELTAS)
def test_rho_is_the_inverse(epsilon: Decimal, delta: Decimal) -> None:
    rho = rho_of_epsilon(epsilon, delta)
    assert rho > 0
    back = epsilon_of_rho(rho, delta)
    assert back <= epsilon
    assert Fraction(back) >= Fraction(epsilon) * (1 - Fraction(1, 10**15))


@settings(max_examples=100, deadline=None)
@given(RHOS, RHOS, DELTAS)
def test_epsilon_grows_with_rho(one: Decimal, other: Decimal, delta: Decimal) -> None:
    low, high = sorted((one, other))
    assert epsilon_of_rho(low, delta) <= epsilon_of_rho(high, delta)
    assert epsilon_of_rho(high, delta / 2) >= epsilon_of_rho(high, delta)


def test_edges_of_conversion() -> None:
    assert epsilon_of_rho(Decimal(0), Decimal("1e-6")) == 0
    assert epsilon_of_rho(Decimal("1e-30"), Decimal("1e-6")) >= 0
    assert epsilon_of_rho(Decimal("1e-12"), Decimal("0.5")) == 0
    assert rho_of_epsilon(Decimal(0), Decimal("1e-6")) >= 0
    for delta in (Decimal(0), Decimal(1), Decimal(-1)):
        with pytest.raises(ValueError, match="delta above 0"):
            epsilon_of_rho(Decimal(1), delta)
        with pytest.raises(ValueError, match="delta above 0"):
            rho_of_epsilon(Decimal(1), delta)
    with pytest.raises(ValueError, match="negative"):
        epsilon_of_rho(Decimal(-1), Decimal("1e-6"))
    with pytest.raises(ValueError, match="negative"):
        rho_of_epsilon(Decimal(-1), Decimal("1e-6"))


@settings(max_examples=100, deadline=None)
@given(EPSILONS, DELTAS)
def test_terms_hold_what_the_owner_wrote(epsilon: Decimal, delta: Decimal) -> None:
    pure = terms(Accounting.PURE, epsilon, delta)
    assert pure.limit == Loss(epsilon, delta)
    assert pure.max_epsilon == epsilon
    zcdp = terms(Accounting.ZCDP, epsilon, delta, Decimal(1))
    assert zcdp.max_epsilon == 1
    assert spent_epsilon(zcdp, zcdp.limit) <= epsilon
    assert 2 * Fraction(zcdp.limit.delta) <= Fraction(delta)


@pytest.mark.parametrize("periods", [1, 2, 12, 366])
def test_periods_compose(periods: int) -> None:
    """Pure: sums. zCDP: no less than what so many Gaussian mechanisms lose exactly, and no more than the sums."""
    epsilon, delta = Decimal(1), Decimal("1e-6")
    pure = total(terms(Accounting.PURE, epsilon, delta), periods)
    assert pure == PeriodsTotal(epsilon * periods, delta * periods)
    one = terms(Accounting.ZCDP, epsilon, delta)
    zcdp = total(one, periods)
    assert zcdp.epsilon is not None
    assert zcdp.delta == pure.delta
    assert zcdp.epsilon <= epsilon * periods
    gaussians = privacy_loss_distribution.from_gaussian_mechanism(
        1 / math.sqrt(2 * periods * float(one.limit.main)),
        pessimistic_estimate=False,
        value_discretization_interval=1e-3,
    )
    assert gaussians.get_epsilon_for_delta(float(delta * periods / 2)) <= float(zcdp.epsilon)
    assert 2 * Fraction(one.limit.delta) * periods <= Fraction(zcdp.delta)


def test_deltas_that_add_up_to_one_promise_nothing() -> None:
    assert total(terms(Accounting.ZCDP, Decimal(1), Decimal("0.01")), 100) == PeriodsTotal(None, Decimal(1))


def test_a_statement_costs_epsilon_or_half_its_square() -> None:
    pure = terms(Accounting.PURE, Decimal(5), Decimal("1e-6"))
    zcdp = terms(Accounting.ZCDP, Decimal(5), Decimal("1e-6"))
    assert statement_loss(pure, Decimal("0.1")) == Decimal("0.1")
    assert statement_loss(zcdp, Decimal("0.1")) == Decimal("0.005")
    assert statement_loss(zcdp, Decimal("1e-16")) == GRID


def test_what_remains() -> None:
    pure = terms(Accounting.PURE, Decimal(5), Decimal(0))
    assert remaining_epsilon(pure, ZERO) == 5
    assert remaining_epsilon(pure, Loss(Decimal("0.1"), Decimal(0))) == Decimal("4.9")
    assert remaining_epsilon(pure, Loss(Decimal(6), Decimal(0))) == 0
    zcdp = terms(Accounting.ZCDP, Decimal(5), Decimal("1e-6"))
    assert remaining_epsilon(zcdp, ZERO) == 5
    assert 0 <= remaining_epsilon(zcdp, zcdp.limit) < Decimal("1e-12")


@settings(max_examples=50, deadline=None)
@given(EPSILONS, EPSILONS, DELTAS)
def test_default_delta_is_in_proportion_and_within_the_limit(whole: Decimal, part: Decimal, delta: Decimal) -> None:
    for accounting in Accounting:
        account = terms(accounting, whole, delta)
        default = default_delta(account, part)
        assert 0 <= default <= account.limit.delta
        proportion = Fraction(account.limit.delta) * Fraction(part) / Fraction(whole)
        assert Fraction(default) <= proportion
        assert Fraction(default) >= min(proportion, Fraction(account.limit.delta)) - Fraction(GRID)


@pytest.mark.parametrize(
    ("accounting", "epsilon", "delta", "message"),
    [
        (Accounting.ZCDP, "1", "0", "needs a delta above 0"),
        (Accounting.PURE, "0", "0", "epsilon must be"),
        (Accounting.PURE, "Infinity", "0", "epsilon must be"),
        (Accounting.PURE, "1", "1", "delta must be"),
        (Accounting.PURE, "1", "-0.1", "delta must be"),
    ],
)
def test_terms_that_mean_nothing_are_refused(accounting: Accounting, epsilon: str, delta: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        terms(accounting, Decimal(epsilon), Decimal(delta))


@given(
    rho=st.decimals(min_value="1e-30", max_value="1e6", places=30),
    exponent=st.integers(-300, -1),
)
def test_what_people_are_told_is_the_exact_epsilon(rho: Decimal, exponent: int) -> None:
    """To nine digits of the largest of what is added up, for any ρ and δ."""
    delta = Decimal(1).scaleb(exponent)
    exact, told = float(epsilon_of_rho(rho, delta)), told_epsilon_of_rho(rho, delta)
    assert told == pytest.approx(exact, rel=1e-9, abs=1e-12)
    assert told_epsilon_of_rho(Decimal(0), delta) == 0.0


@pytest.mark.parametrize("accounting", list(Accounting))
@pytest.mark.parametrize("share", ["0", "1e-20", "1e-9", "0.1", "0.5", "0.99999", "0.9999999999", "1"])
def test_what_is_left_is_told_in_nine_digits(accounting: Accounting, share: str) -> None:
    of = terms(accounting, Decimal("3.7"), Decimal("1e-6"))
    spent = Loss(granted(of.limit.main * Decimal(share)), Decimal(0))
    left = remaining_epsilon(of, spent)
    assert abs(told_remaining(of, spent) - left) <= abs(left) * Decimal("1e-9")
