"""The bounds against exact distributions: they hold as often as they say, and are as close as they can be."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.audit.epsilon_bounds import ChargePromise, at_least, at_most, foreseen, least_epsilon, promised


@pytest.mark.parametrize("risk", [0.5, 0.025, 1e-4, 1e-9, 1e-12])
@pytest.mark.parametrize("trials", [1, 7, 100, 3000])
def test_chances_are_those_of_clopper_and_pearson(trials: int, risk: float) -> None:
    """Against the beta quantiles of scipy: never inside, and outside by a millionth at most."""
    for hits in sorted({0, 1, trials // 3, trials - 1, trials}):
        exact = stats.beta.isf(risk, hits + 1, trials - hits) if hits < trials else 1.0
        assert exact <= at_most(hits, trials, risk) <= min(1.0, exact * (1 + 1e-6))
        exact = stats.beta.ppf(risk, hits, trials - hits + 1) if hits else 0.0
        assert exact - 1e-6 * (1 - exact) <= at_least(hits, trials, risk) <= exact + 1e-15


@pytest.mark.parametrize("chance", [0.001, 0.03, 0.5, 0.97])
def test_a_chance_is_covered_as_often_as_promised(chance: float) -> None:
    """Exactly, over all numbers of hits and their probabilities: nothing is left to luck."""
    trials, risk = 150, 0.01
    hits = np.arange(trials + 1)
    masses = stats.binom.pmf(hits, trials, chance)
    above = np.array([at_most(int(each), trials, risk) < chance for each in hits])
    below = np.array([at_least(int(each), trials, risk) > chance for each in hits])
    assert masses[above].sum() <= risk
    assert masses[below].sum() <= risk


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_bound_is_below_the_epsilon_of_discrete_laplace(epsilon: float) -> None:
    """The best event of a count, with every outcome weighed by its probability: above ε in no more than `risk`."""
    trials, risk = 120, 0.05
    ratio = math.exp(-epsilon)
    often, seldom = 1 / (1 + ratio), ratio / (1 + ratio)  # P(Z >= 0) and P(Z >= 1)
    here, there = (stats.binom.pmf(np.arange(trials + 1), trials, each) for each in (often, seldom))
    low = np.array([at_least(hits, trials, risk / 2) for hits in range(trials + 1)])
    high = np.array([at_most(hits, trials, risk / 2) for hits in range(trials + 1)])
    above = (np.outer(here, there) * (low[:, None] > math.exp(epsilon) * high[None, :])).sum()
    assert above <= risk


PURE = ChargePromise(Accounting.PURE, 1.0, 0.0)


def test_the_bound_comes_near_with_many_answers() -> None:
    """ε = 1 by discrete Laplace noise: with the expected hits of 100,000 answers the bound is above 0.9."""
    trials = 100_000
    often, seldom = round(trials / (1 + math.exp(-1))), round(trials * math.exp(-1) / (1 + math.exp(-1)))
    assert 0.9 < least_epsilon(PURE, (often, seldom), (trials, trials), 1e-6) < 1


@pytest.mark.parametrize("accounting", Accounting)
def test_delta_is_taken_off(accounting: Accounting) -> None:
    """An event of chance δ under one neighbour and none under the other is no evidence; one of twice δ is."""
    promise, trials = ChargePromise(accounting, 1.0, 0.1), (10_000, 10_000)
    assert least_epsilon(promise, (1000, 0), trials, 1e-6) == 0
    assert least_epsilon(promise, (2000, 0), trials, 1e-6) > 0.5
    assert least_epsilon(promise, (0, 0), trials, 1e-6) == 0


@pytest.mark.parametrize("rho", ["0.005", "0.125", "0.5", "8"])
def test_no_gaussian_breaks_its_promise(rho: str) -> None:
    """For no threshold; at the best one the bound is near, and a Gaussian of half the scale breaks it."""
    promise = promised(Loss(Decimal(rho), Decimal(0)), Accounting.ZCDP)
    shift = math.sqrt(2 * float(rho))
    assert promise.epsilon == pytest.approx(shift)
    assert 0.6 * shift < _best(promise, shift) <= shift
    assert _best(promise, 2 * shift) > shift


def _best(promise: ChargePromise, shift: float) -> float:
    """What the best threshold shows of Gaussian noise of standard deviation 1, by exact tails."""
    at = np.linspace(-8, 8 + shift, 4001)
    return float(promise.shown(stats.norm.sf(at, loc=shift), stats.norm.sf(at)).max())


def test_pairs_say_less() -> None:
    """Whatever event breaks a pair (ε(ρ, δ), δ) breaks the promise of ρ itself."""
    chances = np.array([1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99, 1 - 1e-9])
    often, seldom = (each.ravel() for each in np.meshgrid(chances, chances))
    for rho, delta in product(("0.005", "0.1", "0.5", "4"), ("1e-6", "0.01", "0.1", "0.3")):
        promise = promised(Loss(Decimal(rho), Decimal(0)), Accounting.ZCDP)
        epsilon = float(epsilon_of_rho(Decimal(rho), Decimal(delta)))
        pair = often > math.exp(epsilon) * seldom + float(delta) + 0.01
        assert (promise.shown(often, seldom)[pair] > promise.epsilon).all()


@pytest.mark.parametrize("accounting", Accounting)
def test_what_is_free_promises_nothing(accounting: Accounting) -> None:
    promise = promised(Loss(Decimal(0), Decimal(0)), accounting)
    assert (promise.epsilon, promise.delta) == (0.0, 0.0)


@pytest.mark.parametrize("accounting", Accounting)
def test_what_is_foreseen_is_near_what_is_found(accounting: Accounting) -> None:
    trials, risk, promise = 2000, 1e-6, ChargePromise(accounting, 1.0, 0.01)
    for often, seldom in ((0.6, 0.1), (0.9, 0.3), (0.2, 0.01)):
        hits = (round(often * trials), round(seldom * trials))
        expected = least_epsilon(promise, hits, (trials, trials), risk)
        near = foreseen(promise, np.array([often]), np.array([seldom]), trials, risk)[0]
        assert near == pytest.approx(expected, abs=0.25)
