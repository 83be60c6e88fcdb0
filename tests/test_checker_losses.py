"""The checker's own losses against those that the built mechanisms say: two ways to the same number."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpproxy.accounting.loss import Accounting, Loss
from dpproxy.catalog.types import BIGINT
from dpproxy.mechanisms.kinds import Mechanism
from dpproxy.mechanisms.noise import Distribution, Noise, gaussian, laplace, laplace_for_rho
from dpproxy.mechanisms.selection import Selection, gaussian_selection, laplace_selection, laplace_selection_for_rho
from dpproxy.mechanisms.sensitivity import Sensitivity
from dpproxy.mechanisms.timing import TimeNoise, deadline_noise, delay_noise
from dpproxy.plan.private_plan import (
    Applied,
    Bounded,
    Domain,
    Key,
    Limit,
    Literals,
    Measure,
    MeasureKind,
    PrivateKeys,
)
from dpproxy.rewrite.checker.fault import CheckFault
from dpproxy.rewrite.checker.losses import of_time
from dpproxy.rewrite.checker.mechanisms import loss_of

GROUPS, MOST = st.integers(1, 1000), st.integers(1, 1000)
SHARES = st.floats(1e-3, 50).map(Decimal)
DELTAS = st.floats(1e-12, 0.1).map(Decimal)
# What OpenDP's maps round up by, in proportion.
ROUNDED = Decimal("1.00000001")


def counted(mechanism: Mechanism, groups: int, most: int, accounting: Accounting) -> Loss:
    """Where one unit is in so many keys, and moves each by at most so much: units of private keys, or a measure."""
    private = isinstance(mechanism, Selection)
    public = Literals(tuple(range(most)))
    domains: list[Domain] = [PrivateKeys(), public] if private else [public]
    keys = tuple(Key(f"k{index}", BIGINT, domain, "k") for index, domain in enumerate(domains))
    measures = () if private else (Measure("m0", MeasureKind.SUM, 0, most, Decimal(1), Decimal(0), "m"),)
    bounded = Bounded("", "person", keys, measures, private, groups, 1, Limit.KEYS_LIMITED)
    return loss_of(Applied(mechanism, None if private else 0), bounded, accounting)


def alike(own: Loss, said: Loss) -> None:
    """The checker's is no more than what the mechanism says, which rounds up in floats, and hardly less."""
    assert own.main <= said.main <= own.main * ROUNDED + Decimal("1e-30")
    assert own.delta <= said.delta <= own.delta * ROUNDED


@pytest.mark.long
@given(GROUPS, MOST, SHARES)
def test_of_noise(groups: int, most: int, share: Decimal) -> None:
    for make, accounting in (
        (laplace, Accounting.PURE),
        (laplace_for_rho, Accounting.ZCDP),
        (gaussian, Accounting.ZCDP),
    ):
        noise = make(Sensitivity(groups, most), share)
        alike(counted(noise, groups, most, accounting), noise.loss(accounting))


@pytest.mark.long
@given(GROUPS, st.integers(1, 50), SHARES, DELTAS)
def test_of_selection(groups: int, shared: int, share: Decimal, delta: Decimal) -> None:
    shared = min(shared, groups)
    for make, accounting in (
        (laplace_selection, Accounting.PURE),
        (laplace_selection_for_rho, Accounting.ZCDP),
        (gaussian_selection, Accounting.ZCDP),
    ):
        selection = make(groups, groups, shared, share, delta)
        alike(counted(selection, groups, shared, accounting), selection.loss(accounting))


@given(st.sampled_from(Accounting), SHARES, DELTAS)
def test_of_time(accounting: Accounting, share: Decimal, delta: Decimal) -> None:
    for time in (deadline_noise(accounting, share), delay_noise(accounting, share, delta)):
        alike(of_time(time, accounting), time.loss(accounting))


@pytest.mark.parametrize("scale", [0.0, -1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("distribution", Distribution)
def test_noise_without_a_scale_has_no_loss(distribution: Distribution, scale: float) -> None:
    noise = Noise(distribution, scale, Sensitivity(1, 1))
    with pytest.raises(CheckFault, match="scale"):
        counted(noise, 1, 1, Accounting.ZCDP)
    with pytest.raises(CheckFault, match="scale"):
        of_time(TimeNoise(noise, None), Accounting.ZCDP)


def test_gaussian_noise_has_no_loss_in_pure_accounting() -> None:
    with pytest.raises(CheckFault, match="pure"):
        counted(gaussian(Sensitivity(1, 1), Decimal(1)), 1, 1, Accounting.PURE)


def test_it_is_what_was_proved_that_counts() -> None:
    """Noise that says it is made for more loses what one unit can move, and for less it is refused."""
    noise = gaussian(Sensitivity(4, 3), Decimal("0.1"))
    assert counted(noise, 2, 3, Accounting.ZCDP).main <= Decimal("0.05")
    for groups, most in ((5, 3), (4, 4)):
        with pytest.raises(CheckFault, match="less than one unit"):
            counted(noise, groups, most, Accounting.ZCDP)
