"""What a history amounts to: never below the exact figure, never above what is enforced, and close where it can be."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as exact
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import thinned

from dpproxy.accounting.account import spent_epsilon, terms
from dpproxy.accounting.dominating_pairs import (
    GaussianPair,
    LaplacePair,
    Pair,
    Pairs,
    PurePair,
    RangePair,
    read,
    repeated,
    together,
    written,
)
from dpproxy.accounting.history import History, amounts_to
from dpproxy.accounting.loss import ZERO, Accounting, Loss
from dpproxy.accounting.privacy_loss import distance, epsilon_of_pairs, steepest
from dpproxy.mechanisms.kinds import Mechanism
from dpproxy.mechanisms.noise import gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.noisy_max import noisy_max
from dpproxy.mechanisms.selection import gaussian_selection, laplace_selection
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import delay_noise
from dpproxy.plan.losses import dominating

DELTA = 1e-6
PAIRS: st.SearchStrategy[Pair] = st.one_of(
    st.builds(GaussianPair, st.floats(0.1, 1e9), st.integers(1, 10**9)),
    st.builds(LaplacePair, st.floats(0.1, 1e9), st.integers(1, 10**9)),
    st.builds(PurePair, st.decimals("1e-6", 100, places=10)),
    st.builds(RangePair, st.decimals("1e-6", 100, places=10)),
)


def lattice(log_weight: object, shift: int, within: int) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of noise on integers, and the privacy loss of each towards the same noise moved by `shift`."""
    points = np.arange(-within, within + shift + 1)
    logs = log_weight(points)  # type: ignore[operator]
    total = np.logaddexp.reduce(log_weight(np.arange(-within, within + 1)))  # type: ignore[operator]
    return np.exp(logs - total), logs - log_weight(points - shift)  # type: ignore[operator]


def curve(probabilities: np.ndarray, losses: np.ndarray, epsilon: float) -> float:
    return float((probabilities * np.maximum(0, -np.expm1(np.minimum(epsilon - losses, 0)))).sum())


@pytest.mark.parametrize("scale", [0.3, 0.7, 1.0, 3.0, 10.0, 63.0, 64.0, 200.0])
@pytest.mark.parametrize("steps", [1, 3, 20])
def test_a_normal_pair_dominates_discrete_gaussian_noise(scale: float, steps: int) -> None:
    """At every ε, up to where hardly anything is left."""
    within = math.ceil(30 * scale) + steps
    found = lattice(lambda k: -(k.astype(float) ** 2) / (2 * scale * scale), steps, within)
    mu = distance(GaussianPair(scale, steps**2))
    with mpmath.workdps(60):
        for epsilon in np.linspace(0, mu * mu / 2 + 8 * mu, 60):
            normal = mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)
            assert curve(*found, float(epsilon)) <= normal * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-18")
    assert mu <= steps / scale * (1 + 0.1 / scale**2)


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.0, 17.0, 63.9, 64.1, 1000.0])
def test_the_steepest_step_is_in_the_middle(scale: float) -> None:
    """By the normal quantile of half the weight of 0, in 40 digits."""
    with mpmath.workdps(40):
        size = mpmath.mpf(scale)
        weights = [mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * size**2)) for k in range(1, math.ceil(16 * scale))]
        at_zero = 1 / (1 + 2 * mpmath.fsum(weights))
        middle = 2 * mpmath.sqrt(2) * mpmath.erfinv(at_zero)
        assert middle <= steepest(scale) <= middle * (1 + mpmath.mpf("2e-5"))


@pytest.mark.parametrize("scale", [0.4, 1.0, 5.0, 60.0])
@pytest.mark.parametrize("steps", thinned([1, 2, 9, 50], 2))
@pytest.mark.parametrize("times", [1, 20])
def test_laplace_noise(scale: float, steps: int, times: int) -> None:
    """Never below dp-accounting's discrete form, rounded down; and not far above it."""
    pairs: Pairs = ((LaplacePair(scale, steps), times),)
    best = exact.from_discrete_laplace_mechanism(
        1 / scale, steps, pessimistic_estimate=False, value_discretization_interval=1e-3
    )
    about = steps / scale * times
    lower = best.self_compose(times).get_epsilon_for_delta(DELTA)
    ours = epsilon_of_pairs(pairs, DELTA, about)
    assert ours >= lower * (1 - 1e-6)
    assert ours <= (lower + times * 2 * math.log(math.cosh(0.5 / scale))) * 1.02 + 0.05 or ours == math.inf


@pytest.mark.parametrize("times", [1, 7, 100])
def test_never_below_the_exact_figure(times: int) -> None:
    """Randomized response by its outcomes; a choice of bounded range by its worst mechanism; noise by its points."""
    with mpmath.workdps(40):
        size = mpmath.mpf("0.3")
        likely = 1 / (1 + mpmath.exp(-size))
        losses = [
            (mpmath.binomial(times, k) * likely**k * (1 - likely) ** (times - k), (2 * k - times) * size)
            for k in range(times + 1)
        ]
        ours = mpmath.mpf(epsilon_of_pairs(((PurePair(Decimal("0.3")), times),), DELTA, 0.3 * times))
        left = mpmath.fsum(weight * max(0, 1 - mpmath.exp(ours - loss)) for weight, loss in losses)
        assert left <= DELTA
        less = ours * mpmath.mpf("0.98")
        assert mpmath.fsum(weight * max(0, 1 - mpmath.exp(less - loss)) for weight, loss in losses) > DELTA
    ranged = epsilon_of_pairs(((RangePair(Decimal("0.3")), times),), DELTA, 0.3 * times)
    assert ranged <= float(ours) * (1 + 1e-9)
    for spot in np.linspace(0.02, 0.28, 9):
        above = (math.exp(0.3) - math.exp(spot)) / math.expm1(0.3)
        weights = {k: math.comb(times, k) * above**k * (1 - above) ** (times - k) for k in range(times + 1)}
        total = sum(w * max(0.0, -math.expm1(ranged - (k * 0.3 + times * (spot - 0.3)))) for k, w in weights.items())
        assert total <= DELTA


def test_gaussians_are_one() -> None:
    """However many there are, of whatever scales: the figure of one normal pair."""
    pairs = together(((GaussianPair(1e6 + i, 10**8), 3),) for i in range(500))
    distance_of_all = math.sqrt(sum(3 * 1e8 / (1e6 + i) ** 2 for i in range(500)))
    theirs = exact.from_gaussian_mechanism(1 / distance_of_all, value_discretization_interval=1e-4)
    ours = epsilon_of_pairs(pairs, DELTA, 3.0)
    assert ours == pytest.approx(theirs.get_epsilon_for_delta(DELTA), rel=1e-4)


def test_many_kinds_are_rounded_up_to_few() -> None:
    pairs = together(((PurePair(Decimal(1000 + i) / 10**5), 2),) for i in range(300))
    rough = epsilon_of_pairs(pairs, DELTA, 6.9)
    fine = epsilon_of_pairs(((PurePair(Decimal("0.0115")), 600),), DELTA, 6.9)
    assert fine * 0.99 <= rough <= fine * 1.15


def test_what_floats_cannot_tell_is_not_told() -> None:
    pairs: Pairs = ((PurePair(Decimal("0.1")), 1),)
    assert epsilon_of_pairs(pairs, 1e-14, 1.0) == math.inf
    assert epsilon_of_pairs(((PurePair(Decimal(1000)), 1),), DELTA, 1.0) == math.inf
    assert epsilon_of_pairs(((LaplacePair(1e-5, 3), 1),), DELTA, 1.0) == math.inf
    assert epsilon_of_pairs((), 1e-20, 0.0) == 0


@given(st.lists(st.tuples(PAIRS, st.integers(1, 100)), max_size=6))
def test_pairs_are_kept_as_text(items: list[tuple[Pair, int]]) -> None:
    pairs = together((item,) for item in items)
    assert read(written(pairs)) == pairs
    assert together([pairs, pairs]) == repeated(pairs, 2)
    assert sum(times for _, times in pairs) == sum(times for _, times in items)


PURE = terms(Accounting.PURE, Decimal(10), Decimal("1e-6"))
ZCDP = terms(Accounting.ZCDP, Decimal(10), Decimal("1e-6"))
SELECTED = Decimal("1e-8")


def history_of(made: list[Mechanism], accounting: Accounting, times: int = 1) -> History:
    spent = sum((each.loss(accounting) for _ in range(times) for each in made), ZERO)
    return History(repeated(together(each.pairs for each in made), times), ZERO, spent)


def test_it_is_less_than_what_is_enforced() -> None:
    """Of a statement of each accounting, asked a hundred times."""
    share = Decimal("0.0001")
    made: list[Mechanism] = [
        gaussian(Sensitivity(3, 1000), share),
        laplace_for_rho(Sensitivity(3, 7), share),
        noisy_max(Sensitivity(1, 2), True, Accounting.ZCDP, share),
        gaussian_selection(4, 4, 1, share, SELECTED / 10),
    ]
    history = history_of(made, Accounting.ZCDP, 100)
    enforced = spent_epsilon(ZCDP, history.spent)
    assert float(enforced) * 0.7 < amounts_to(history, ZCDP) < enforced
    pure: list[Mechanism] = [
        laplace(Sensitivity(3, 1000), Decimal("0.01")),
        noisy_max(Sensitivity(1, 2), False, Accounting.PURE, Decimal("0.01")),
        laplace_selection(4, 4, 2, Decimal("0.01"), SELECTED / 10),
    ]
    history = history_of(pure, Accounting.PURE, 100)
    assert amounts_to(history, PURE) < spent_epsilon(PURE, history.spent) * Decimal("0.7")


def test_of_one_pure_statement_it_is_hardly_less() -> None:
    history = history_of([laplace(Sensitivity(1, 10**6), Decimal(1))], Accounting.PURE)
    assert Decimal("0.99") < amounts_to(history, PURE) <= 1


def test_what_is_not_known_counts_in_full() -> None:
    """Charges of older ledgers: ρ by its conversion, ε as any pure mechanism's."""
    rho = Loss(Decimal("0.1"), Decimal(0))
    unknown = History((), rho, rho)
    assert amounts_to(unknown, ZCDP) <= spent_epsilon(ZCDP, rho) * (1 + Decimal("1e-9"))
    known = history_of([gaussian(Sensitivity(1, 1000), rho.main)], Accounting.ZCDP)
    both = History(known.pairs, rho, known.spent + rho)
    assert amounts_to(known, ZCDP) < amounts_to(both, ZCDP) <= spent_epsilon(ZCDP, both.spent) * (1 + Decimal("1e-9"))
    epsilon = Loss(Decimal(1), Decimal(0))
    assert Decimal("0.99") < amounts_to(History((), epsilon, epsilon), PURE) <= 1


@pytest.mark.parametrize("delta", ["0", "1e-13"])
def test_without_a_delta_to_speak_of_it_is_what_is_enforced(delta: str) -> None:
    account = terms(Accounting.PURE, Decimal(10), Decimal(delta))
    history = history_of([laplace(Sensitivity(1, 10), Decimal("0.5"))], Accounting.PURE, 10)
    assert amounts_to(history, account) == history.spent.main
    assert amounts_to(History(), account) == 0


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 40), st.floats(0.01, 0.3))
def test_it_grows_with_each_charge(times: int, epsilon: float) -> None:
    made: list[Mechanism] = [laplace(Sensitivity(1, 50), Decimal(epsilon))]
    one, more = (amounts_to(history_of(made, Accounting.PURE, n), PURE) for n in (times, times + 1))
    assert one <= more * (1 + Decimal("1e-6"))


def test_a_plan_says_all_of_its_pairs() -> None:
    time_noise = delay_noise(Accounting.ZCDP, Decimal("0.01"), Decimal("1e-8"))
    assert dominating((), None, Accounting.PURE) == ()
    pairs = ((GaussianPair(time_noise.noise.scale, 1001**2), 1),)
    assert dominating((), time_noise, Accounting.PURE) == time_noise.pairs == pairs


def test_what_mechanisms_say_of_themselves() -> None:
    noise = laplace(Sensitivity(3, 7), Decimal(1))
    assert noise.pairs == ((LaplacePair(noise.scale, 7), 3),)
    choice = noisy_max(Sensitivity(1, 2), False, Accounting.ZCDP, Decimal("0.02"))
    ((pair, times),) = choice.pairs
    assert isinstance(pair, RangePair)
    assert times == 1
    assert Fraction(pair.length) ** 2 / 8 == pytest.approx(Fraction("0.02"), rel=1e-9)
    shared = laplace_selection(4, 4, 2, Decimal("0.3"), SELECTED)
    assert shared.pairs == ((PurePair(shared.loss(Accounting.PURE).main), 1),)
    alone = laplace_selection(4, 4, 1, Decimal("0.3"), SELECTED)
    assert alone.pairs == ((LaplacePair(alone.noise.scale, 1), 4),)
