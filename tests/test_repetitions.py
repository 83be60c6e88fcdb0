"""Five ways of adding losses up, beside dp-accounting's own: each an upper bound of the exact one."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import RdpAccountant

from dpproxy.accounting.concentrated import rho_of_pure
from dpproxy.accounting.dominating_pairs import PurePair, RangePair
from dpproxy.accounting.loss import Accounting
from dpproxy.accounting.repetitions import OneRun, Repetitions, compared
from dpproxy.mechanisms.noise import Noise, gaussian, laplace
from dpproxy.mechanisms.sensitivity import Sensitivity

DELTA = Decimal("1e-6")
TIMES = (1, 10, 100, 1000)
NONE = Decimal(0)
LAPLACE = laplace(Sensitivity(1, 1000), Decimal("0.1"))
GAUSSIAN = gaussian(Sensitivity(1, 1000), Decimal("0.005"))


def one(noise: Noise, pure: Decimal | None) -> OneRun:
    return OneRun(noise.pairs, pure, noise.loss(Accounting.ZCDP).main, NONE)


RUNS = {
    "laplace": one(LAPLACE, Decimal("0.1")),
    "gaussian": one(GAUSSIAN, None),
    "pure": OneRun(((PurePair(Decimal("0.1")), 1),), Decimal("0.1"), rho_of_pure(Decimal("0.1")), NONE),
    "range": OneRun(((RangePair(Decimal("0.1")), 1),), None, Decimal("0.00125"), NONE),
}


def figures(run: OneRun, times: int) -> Repetitions:
    [found] = compared(run, DELTA, [times])
    return found


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("times", TIMES)
def test_the_distribution_is_the_least(run: OneRun, times: int) -> None:
    found = figures(run, times)
    assert found.times == times
    assert found.pld is not None
    for other in (found.basic, found.advanced, found.rdp, found.zcdp):
        assert other is not None
        loose = 0.2 if run is RUNS["range"] else 1e-4
        assert found.pld <= other * (1 + loose)
    assert found.advanced is not None and found.basic is not None
    assert found.advanced <= found.basic


@pytest.mark.parametrize("times", TIMES)
def test_the_orders_are_those_of_dp_accounting(times: int) -> None:
    """Of noise so wide that it is the continuous form."""
    scale = LAPLACE.scale / 1000
    for name, event in (
        ("laplace", dp_event.LaplaceDpEvent(scale)),
        ("gaussian", dp_event.GaussianDpEvent(GAUSSIAN.scale / 1000)),
    ):
        accountant = RdpAccountant(orders=1 + np.geomspace(1e-2, 1e5, 2000))
        accountant.compose(dp_event.SelfComposedDpEvent(event, times))
        ours = figures(RUNS[name], times).rdp
        assert ours == pytest.approx(accountant.get_epsilon(float(DELTA)), rel=5e-3)


def test_pure_losses_add_up() -> None:
    assert figures(RUNS["laplace"], 100).basic == pytest.approx(10)
    advanced = figures(RUNS["laplace"], 1000).advanced
    assert advanced == pytest.approx(100 * math.tanh(0.05) + 0.1 * math.sqrt(2000 * math.log(1e6)))


def test_without_a_delta_only_sums_are_left() -> None:
    [found] = compared(RUNS["laplace"], Decimal(0), [10])
    assert found == Repetitions(10, pytest.approx(1.0), None, None, None, None)
    [found] = compared(RUNS["gaussian"], Decimal(0), [10])
    assert found == Repetitions(10, None, None, None, None, None)


def test_the_runs_own_delta_is_taken_first() -> None:
    run = OneRun(GAUSSIAN.pairs, None, GAUSSIAN.loss(Accounting.ZCDP).main, Decimal("1e-8"))
    few, many, too_many = compared(run, DELTA, [1, 99, 101])
    assert few.pld is not None and many.pld is not None
    assert many.pld > few.pld
    assert too_many == Repetitions(101, None, None, None, None, None)
