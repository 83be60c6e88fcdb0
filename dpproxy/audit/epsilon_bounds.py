"""Bounds on chances that are only counted, and what they say about ε.

An event that has chance p under one of two neighbours and q under the other, p above q, shows what was lost at least:

    pure    (ε, δ)-differential privacy has p <= e^ε·q + δ, so ε >= log((p − δ)/q)       (Ding et al. 2018)
    zCDP    whether the event happens is a post-processing, so for each α > 1 the Rényi divergence D(α) of two coins
            with chances p and q is at most α·ρ                                          (Bun, Steinke 2016)

Both grow with p and fall with q, so that a chance that p is not below and one that q is not above will do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray

from dpproxy.accounting.account import asked_epsilon
from dpproxy.accounting.loss import Accounting, Loss

Floats = NDArray[np.float64]

_HALVINGS = 60
_OUTWARD = 1e-9
_TINY = 1e-300
# The largest is nearest to an event of p = 1, the others to thresholds of Gaussian noise; each is sound by itself.
_ORDERS: Final = (1.001, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0, 32.0, 64.0)


@dataclass(frozen=True, slots=True)
class ChargePromise:
    """What a charge promises: `epsilon` at `delta`, in the coordinate that statements are asked for at: ε of pure
    accounting, or √(2ρ) of zCDP, where ρ-zCDP holds but for an event of chance δ."""

    accounting: Accounting
    epsilon: float
    delta: float

    def shown(self, often: Floats, seldom: Floats) -> Floats:
        """The least `epsilon` that events of these chances show, 0 where they show nothing.

        Claim: no less is true where the chances are at least `often` and at most `seldom`.
        Because: see the module's page. Under zCDP with δ, `often` is at least (often − δ) and `seldom` at most
        seldom / (1 − δ) where the event of chance δ does not happen, and there ρ-zCDP holds (Bun, Steinke 2016,
        definition 8.1). It says more than any pair (ε, δ') that ρ is converted to (`epsilon_of_rho`): a pair is broken
        by an event only if the coins' divergence at some α is above α·ρ, since the conversion holds for coins, too.
        Checked by: tests/audit/test_epsilon_bounds.py::test_no_gaussian_breaks_its_promise, ::test_pairs_say_less.
        """
        low = np.maximum(often - self.delta, 0)
        match self.accounting:
            case Accounting.PURE:
                return np.maximum(np.log(np.maximum(low, _TINY) / np.maximum(seldom, _TINY)), 0)
            case Accounting.ZCDP:
                return _concentrated(low, np.minimum(seldom / (1 - self.delta), 1))
            case _:
                assert_never(self.accounting)


def _concentrated(often: Floats, seldom: Floats) -> Floats:
    """√(2ρ) for the least ρ with D(α) <= α·ρ at each of the orders."""
    p, q = np.clip(often, _TINY, 1 - 1e-16), np.clip(seldom, _TINY, 1 - 1e-16)
    rho = np.zeros_like(p)
    for order in _ORDERS:
        heads = order * np.log(p) + (1 - order) * np.log(q)
        tails = order * np.log1p(-p) + (1 - order) * np.log1p(-q)
        rho = np.maximum(rho, np.logaddexp(heads, tails) / (order - 1) / order)
    found: Floats = np.where(p > q, np.sqrt(2 * rho), 0.0)
    return found


def promised(charged: Loss, accounting: Accounting) -> ChargePromise:
    """What answers that cost `charged` promise."""
    return ChargePromise(accounting, float(asked_epsilon(accounting, charged.main)), float(charged.delta))


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
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, trials + 1)))])
    ways: Floats = logs[trials] - logs[: hits + 1] - logs[trials - hits :][::-1]
    return ways


def _tail(ways: Floats, trials: int, chance: float) -> float:
    if not 0 < chance < 1:
        return 0.0 if chance >= 1 else 1.0
    k = np.arange(len(ways))
    return float(np.exp(ways + k * math.log(chance) + (trials - k) * math.log1p(-chance)).sum())


def least_epsilon(promise: ChargePromise, hits: tuple[int, int], trials: tuple[int, int], risk: float) -> float:
    """A lower bound on ε at the promise's δ from an event's hits under two neighbours, where it is common first; above
    the true one with probability `risk` at most."""
    low, high = at_least(hits[0], trials[0], risk / 2), at_most(hits[1], trials[1], risk / 2)
    return float(promise.shown(np.array(low), np.array(high)))


def foreseen(promise: ChargePromise, often: Floats, seldom: Floats, trials: int, risk: float) -> Floats:
    """About the `least_epsilon` of events whose chances are about these, once they are counted in so many trials.

    For choosing among many events; nothing is claimed of it (Wilson 1927).
    """
    z = NormalDist().inv_cdf(1 - risk / 2)
    return promise.shown(_wilson(often, trials, -z), _wilson(seldom, trials, z))


def _wilson(chance: Floats, trials: int, z: float) -> Floats:
    spread = np.sqrt(chance * (1 - chance) / trials + z * z / (4 * trials * trials))
    found: Floats = (chance + z * z / (2 * trials) + z * spread) / (1 + z * z / trials)
    return found
