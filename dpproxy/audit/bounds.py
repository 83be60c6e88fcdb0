"""Bounds on chances that are only counted, and what they say about ε.

A release is (ε, δ)-differentially private only if P(E) <= e^ε·Q(E) + δ for every event E and both orders of two
neighbours P, Q. So for one event, counted in independent answers of both, ε is at least log((p − δ)/q) for any p that
P(E) is not below and any q that Q(E) is not above (Ding et al. 2018; Bichsel et al. 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dpproxy.accounting.conversion import epsilon_of_rho
from dpproxy.accounting.loss import Accounting, Loss

Floats = NDArray[np.float64]

_HALVINGS = 60
_OUTWARD = 1e-9
# Where ε(ρ, δ) is compared: Gaussian noise is told apart best in the middle, what is near to certain at the ends.
_DELTAS = tuple(Decimal(each) for each in ("1e-6", "1e-3", "0.01", "0.03", "0.1", "0.2", "0.3", "0.5"))


@dataclass(frozen=True, slots=True)
class Promise:
    """A pair (ε, δ) that a charge promises."""

    epsilon: float
    delta: float


def promises(charged: Loss, accounting: Accounting) -> tuple[Promise, ...]:
    """The pairs (ε, δ) at which answers that cost `charged` are tested.

    Claim: a statement that keeps to its charge is (ε, δ)-differentially private for each of them.
    Because: pure: the charge is ε and δ. zCDP: δ-approximate ρ-zCDP is, but for an event of chance δ, ρ-zCDP, which is
    (`epsilon_of_rho`(ρ, δ'), δ')-private for each δ' (Bun, Steinke 2016, section 8); both chances add up. The account
    composes ρ and δ, so a statement that breaks one of these pairs breaks what the account stands for.
    Checked by: tests/audit/test_bounds.py::test_no_gaussian_breaks_what_its_rho_promises.
    """
    match accounting:
        case Accounting.PURE:
            return (Promise(float(charged.main), float(charged.delta)),)
        case Accounting.ZCDP:
            return tuple(
                Promise(float(epsilon_of_rho(charged.main, delta)), float(delta + charged.delta))
                for delta in _DELTAS
                if delta + charged.delta < 1
            )


def at_least(hits: int, trials: int, risk: float) -> float:
    """A chance that the true one is below with probability `risk` at most (Clopper, Pearson 1934), rounded down."""
    return 1 - at_most(trials - hits, trials, risk)


def at_most(hits: int, trials: int, risk: float) -> float:
    """A chance that the true one is above with probability `risk` at most (Clopper, Pearson 1934), rounded up.

    It is the p with P(Binomial(trials, p) <= hits) = risk, which falls as p grows.
    """
    if hits >= trials:
        return 1.0
    ways = _log_ways(hits, trials)
    low, high = hits / trials, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(ways, trials, middle) > risk else (low, middle)
    return min(1.0, high * (1 + _OUTWARD))


def _log_ways(hits: int, trials: int) -> Floats:
    """log of `trials` over k, for k up to `hits`."""
    top = math.lgamma(trials + 1)
    return np.array([top - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(hits + 1)])


def _tail(ways: Floats, trials: int, chance: float) -> float:
    if not 0 < chance < 1:
        return 0.0 if chance >= 1 else 1.0
    k = np.arange(len(ways))
    return float(np.exp(ways + k * math.log(chance) + (trials - k) * math.log1p(-chance)).sum())


def least_epsilon(often: int, seldom: int, trials: tuple[int, int], delta: float, risk: float) -> float:
    """A lower bound on ε at `delta` from an event's hits under two neighbours; above the true ε with probability `risk`
    at most. 0 where nothing is known.

    trials: how many answers were looked at, under the one that has `often` and under the other.
    """
    low, high = at_least(often, trials[0], risk / 2), at_most(seldom, trials[1], risk / 2)
    return max(0.0, math.log((low - delta) / high)) if low > delta else 0.0


def foreseen(often: Floats, seldom: Floats, trials: int, delta: float, risk: float) -> Floats:
    """About the `least_epsilon` of events whose chances are about these, once they are counted in so many trials.

    For choosing among many events; nothing is claimed of it (Wilson 1927).
    """
    z = NormalDist().inv_cdf(1 - risk / 2)
    low, high = _wilson(often, trials, -z), _wilson(seldom, trials, z)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(low > delta, np.log(np.maximum(low - delta, 1e-300) / high), -np.inf)


def _wilson(chance: Floats, trials: int, z: float) -> Floats:
    spread = np.sqrt(chance * (1 - chance) / trials + z * z / (4 * trials * trials))
    found: Floats = (chance + z * z / (2 * trials) + z * spread) / (1 + z * z / trials)
    return found
